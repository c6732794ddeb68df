"""naik's failures as exceptions: each carries the sentence that the program would print."""

class Error(RuntimeError):
    """What naik could not do. `status` is the number in naik/status.h, `place` the line of naik that found it."""
    status = 0

    def __init__(self, sentence, place=""):
        super().__init__(sentence)
        self.place = place


class Interrupted(Error):
    """Another rank or a callback asked to stop."""
    status = 2


class InputError(Error, ValueError):
    """What was asked for cannot be carried out."""
    status = 3


class ArgumentError(Error, ValueError):
    """A caller broke the contract of the library."""
    status = 4


class CorruptError(Error):
    """Data disagree with their own checksum or description."""
    status = 5


class OutOfMemory(Error, MemoryError):
    """The memory of host or device does not hold it."""
    status = 6


class FileError(Error, OSError):
    """A file system refused a read or a write."""
    status = 7

    def __str__(self):
        return str(self.args[0])


class DeviceError(Error):
    """A kernel, a copy or a device failed."""
    status = 8


class MPIError(Error):
    """Communication failed."""
    status = 9


class Warning(UserWarning):
    """A warning of naik."""


class NotConverged(Warning):
    """A solution missed its tolerance; its result says how far it came."""


KINDS = {kind.status: kind for kind in (Interrupted, InputError, ArgumentError, CorruptError, OutOfMemory, FileError,
                                         DeviceError, MPIError)}


def of(status, sentence, place):
    """The exception of a status."""
    return KINDS.get(status, Error)(sentence or f"naik failed with status {status}", place)
