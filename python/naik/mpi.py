"""MPI of a Python process: begun by mpi4py or by naik, whoever is first, and ended by the same at exit."""
import atexit
import ctypes
import os
import weakref
import zlib

from . import errors, library

_world = []  # log and communicator that began MPI, or found it running; kept until the process ends
_process = []  # where naik began: MPI and the threads of naik do not live on in its forks
_sessions = []  # functions that give a session, in the order of creation, which is the same on every rank


def is_fork():
    return bool(_process) and _process[0] != os.getpid()


def stay():
    """Before naik is called: it stays in the process that called it first."""
    if is_fork():
        raise errors.ArgumentError("fork made this process of one that has used naik, whose threads and MPI are not in this one: "
                                   "begin processes with the start method spawn of multiprocessing, or before the first session")
    _process[:] = [os.getpid()]


class Ranks:
    """A log and the ranks of a communicator: mpi4py's, or all of the job."""

    def __init__(self, comm, take):
        stay()
        self.lib = library.load()
        self.log = ctypes.c_void_p(self.lib.naik_log_create())
        self.comm = ctypes.c_void_p()
        self.lib.naik_log_take(self.log, take, None)
        if comm is None:
            _begin()
            self.check(self.lib.naik_comm_create(None, None, self.log, ctypes.byref(self.comm)))
        else:
            _compare(self.lib, comm)
            self.check(self.lib.naik_comm_create_fortran(comm.py2f(), self.log, ctypes.byref(self.comm)))

    def check(self, status):
        """Raises what naik reports."""
        if status != 0:
            sentence = self.lib.naik_log_message(self.log).decode("utf-8", "replace")
            place = self.lib.naik_log_place(self.log).decode("utf-8", "replace")
            self.lib.naik_log_clear(self.log)
            raise errors.of(status, sentence, place)

    def agree(self, refused, call):
        """Before a call of all ranks: raises what this rank has refused, and on the others the same sentence, so that none
        waits for another one; so too where `call`, a text, is not the same on all."""
        if not self.comm:
            if refused is not None:
                raise refused
            return  # a closed session says so itself
        mine = zlib.crc32(call.encode())
        first = ctypes.c_int64(mine if refused is None else -1)
        self.check(self.lib.naik_comm_broadcast(self.comm, ctypes.byref(first), ctypes.sizeof(first), 0))
        if refused is None and first.value not in (mine, -1):
            refused = errors.InputError("this rank was called with other arguments than rank 0, or for something else: all "
                                        "ranks make every call together")
        other = errors.InputError if isinstance(refused, Exception) else errors.Interrupted  # Ctrl-C
        status = 0 if refused is None else getattr(refused, "status", 0) or other.status
        sentence = str(refused) or f"{type(refused).__name__} ended this call on another rank"
        if refused is not None:
            self.lib.naik_log_fail(self.log, status, b"python", 0, b"%s", sentence.encode("utf-8", "replace"))
        worst = self.lib.naik_comm_worst(self.comm, status)
        if refused is not None:
            self.lib.naik_log_clear(self.log)
            raise refused
        self.check(worst)

    def close(self):
        if self.log:
            if self.comm:
                self.lib.naik_comm_destroy(ctypes.byref(self.comm))
            self.lib.naik_log_destroy(ctypes.byref(self.log))


def _begin():
    """MPI runs from here on. Without a launcher Open MPI starts no daemon for this one process, whose files have no
    others to share a pointer with; children that the process starts must not hear the first of these."""
    if _world:
        return
    name = "OMPI_MCA_ess_singleton_isolated"
    launched = any(one in os.environ for one in ("OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"))
    mine = not launched and name not in os.environ
    if not launched:
        os.environ.setdefault(name, "1")
        os.environ.setdefault("OMPI_MCA_sharedfp", "^sm")  # Open MPI reads it at the first file
    try:
        _world.append(_World())
    finally:
        if mine:
            del os.environ[name]


class _World:
    """Of all sessions whose communicator is None; its end ends MPI if naik began it."""

    def __init__(self):
        self.lib = library.load()
        self.log, self.comm = ctypes.c_void_p(self.lib.naik_log_create()), ctypes.c_void_p()
        status = self.lib.naik_comm_create(None, None, self.log, ctypes.byref(self.comm))
        if status != 0:
            raise errors.of(status, self.lib.naik_log_message(self.log).decode(), "")


def _compare(lib, comm):
    """mpi4py and naik must have been built for one MPI: handles of another mean nothing."""
    if not hasattr(comm, "py2f"):
        raise errors.InputError(f"comm must be a communicator of mpi4py or None, not {type(comm).__name__}")
    from mpi4py import MPI
    text, length = ctypes.create_string_buffer(8192), ctypes.c_int()
    lib.MPI_Get_library_version(text, ctypes.byref(length))
    mine, theirs = text.value.decode("utf-8", "replace").strip("\0 \n"), MPI.Get_library_version().strip("\0 \n")
    if mine != theirs:
        raise errors.InputError(f"naik was built with {mine.splitlines()[0]}, mpi4py with {theirs.splitlines()[0]}: install "
                                "mpi4py for the MPI that naik uses, or build naik with the MPICC of mpi4py")


def remember(session, alone):
    """The session is closed when the process ends. One of one rank is closed as soon as nobody holds it; ranks would
    come to that at different times, so that one of several is kept until it is closed."""
    _sessions[:] = [one for one in _sessions if one() is not None]
    _sessions.append(weakref.ref(session) if alone else lambda: session)


def forget(session):
    _sessions[:] = [one for one in _sessions if one() not in (None, session)]


@atexit.register
def _end():
    if is_fork():
        return  # what there is to free belongs to the other process
    for session in [one() for one in _sessions]:
        if session is not None:
            try:
                session.close()
            except errors.ArgumentError:  # a thread that goes on without the process
                return
    for world in _world:
        world.lib.naik_comm_destroy(ctypes.byref(world.comm))
