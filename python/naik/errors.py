"""naik's failures as exceptions: each carries the sentence that the program would print, about arguments of Python."""
import re


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


# How a sentence about keys begins: with the text that the session made of its arguments, which nobody else has seen.
_TEXT_OF_KEYS = re.compile(r"^(the keys of the session(:\d+:\d+)?|solve=\[.*?\]|solve\.0\.source=\{.*?\}|lattice\.size=\[[\d, ]*\]): "
                           r"(?='|key '|unknown key ')", re.S)
_NAMES = {"solve.0.masses": "mass", "solve.0.kappas": "kappa"}  # of keys as arguments; others have that of the key


def of_arguments(sentence):
    """The sentence with the names that the caller of a session has written."""
    sentence = _TEXT_OF_KEYS.sub("", sentence)
    one = re.sub(r"(?<=')solve\.0\.(source\.)?(\w+)(?=')", lambda key: _NAMES.get(key[0], key[2]), sentence)
    return one.replace(" or a list of them", "") if "'solve.0." in sentence else one


def of(status, sentence, place):
    """The exception of a status."""
    return KINDS.get(status, Error)(of_arguments(sentence) or f"naik failed with status {status}", place)
