"""libnaik.so: where it is, and what naik/session.h and its neighbours declare of it."""
import ctypes
import ctypes.util
import os
import sys
from ctypes import CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_int, c_size_t, c_void_p

from .errors import Error


class Options(Structure):  # naik_session_options
    _fields_ = [("configuration", c_char_p), ("links", c_void_p), ("array", POINTER(c_double)), ("size", c_int * 4),
                ("keys", c_char_p)]


class Shape(Structure):  # naik_session_shape
    _fields_ = [("size", c_int * 4), ("grid", c_int * 4), ("local", c_int * 4), ("origin", c_int * 4), ("spin", c_int),
                ("columns", c_int), ("gpu", c_bool)]


class Progress(Structure):  # naik_session_progress
    _fields_ = [("count", c_int), ("done", c_int), ("running", c_int), ("iterations", c_int), ("residual", c_double)]


class Result(Structure):  # naik_session_result
    _fields_ = [("converged", c_bool), ("reason", c_char * 32), ("iterations", c_int), ("modes", c_int),
                ("residual", c_double), ("source_residual", c_double), ("norm", c_double), ("seconds", c_double)]


class Frame(Structure):  # naik_frame
    _fields_ = [("origin", c_int * 4), ("momentum", c_int * 3), ("cosine", c_bool)]


TakeLine = CFUNCTYPE(None, c_void_p, c_bool, c_char_p)
HearProgress = CFUNCTYPE(None, c_void_p, POINTER(Progress))
AskStop = CFUNCTYPE(c_bool, c_void_p)


class Hooks(Structure):  # naik_session_hooks
    _fields_ = [("data", c_void_p), ("progress", HearProgress), ("stop", AskStop)]


STRUCTURES = {"naik_session_options": Options, "naik_session_shape": Shape, "naik_session_progress": Progress,
              "naik_session_result": Result, "naik_session_hooks": Hooks, "naik_frame": Frame}
REALS = POINTER(c_double)
# name: result, arguments
FUNCTIONS = {
    "naik_version": (c_char_p, []),
    "naik_version_git": (c_char_p, []),
    "naik_log_create": (c_void_p, []),
    "naik_log_destroy": (None, [POINTER(c_void_p)]),
    "naik_log_take": (None, [c_void_p, TakeLine, c_void_p]),
    "naik_log_message": (c_char_p, [c_void_p]),
    "naik_log_place": (c_char_p, [c_void_p]),
    "naik_log_clear": (None, [c_void_p]),
    "naik_log_fail": (c_int, [c_void_p, c_int, c_char_p, c_int, c_char_p, c_char_p]),
    "naik_comm_create": (c_int, [c_void_p, c_void_p, c_void_p, POINTER(c_void_p)]),
    "naik_comm_create_fortran": (c_int, [c_int, c_void_p, POINTER(c_void_p)]),
    "naik_comm_destroy": (None, [POINTER(c_void_p)]),
    "naik_comm_worst": (c_int, [c_void_p, c_int]),
    "naik_comm_broadcast": (c_int, [c_void_p, c_void_p, c_size_t, c_int]),
    "naik_session_size_of": (c_size_t, [c_char_p]),
    "naik_session_box": (c_int, [c_void_p, POINTER(c_int), POINTER(c_int), POINTER(Shape)]),
    "naik_session_create": (c_int, [c_void_p, POINTER(Options), POINTER(c_void_p)]),
    "naik_session_destroy": (None, [POINTER(c_void_p)]),
    "naik_session_shape_of": (None, [c_void_p, POINTER(Shape)]),
    "naik_session_hear": (None, [c_void_p, POINTER(Hooks)]),
    "naik_session_solve_quark": (c_int, [c_void_p, c_char_p, c_int, REALS, REALS, POINTER(Result)]),
    "naik_session_source": (c_int, [c_void_p, c_char_p, REALS]),
    "naik_session_moved": (None, [c_void_p, REALS, REALS]),
    "naik_session_meson": (c_int, [c_void_p, c_char_p, POINTER(Frame), REALS, REALS, REALS]),
}


def places():
    """Where libnaik.so is looked for, in this order."""
    here = os.path.dirname(os.path.abspath(__file__))
    try:
        from . import where  # written by pip install: where it was then
        built = [where.LIBRARY]
    except ImportError:
        built = []
    up = os.path.join(here, "..", "..")
    found = [os.environ.get("NAIK_LIBRARY"), os.path.join(here, "libnaik.so"), *built,
             os.path.join(up, "build", "libnaik.so"),  # in naik's own folder
             os.path.join(up, "..", "..", "lib", "libnaik.so"),  # PREFIX/share/naik/python/naik
             os.path.join(sys.prefix, "lib", "libnaik.so"), "/usr/local/lib/libnaik.so", "/usr/lib/libnaik.so"]
    return [os.path.abspath(name) for name in found if name]


_loaded = []


def load():
    """The library, with the types of its functions."""
    if _loaded:
        return _loaded[0]
    given = os.environ.get("NAIK_LIBRARY")
    name = next((p for p in places() if os.path.exists(p)), None) or ctypes.util.find_library("naik")
    if name is None or given and name != os.path.abspath(given):
        raise Error("libnaik.so was not found: build it with make python in naik's folder, or set NAIK_LIBRARY to where it "
                    "is. Looked for " + ", ".join(places()))
    try:
        lib = ctypes.CDLL(name)
        for function, (result, arguments) in FUNCTIONS.items():
            getattr(lib, function).restype = result
            getattr(lib, function).argtypes = arguments
    except (OSError, AttributeError) as error:
        raise Error(f"{name} cannot be used: {error}") from None
    _compare_version(name, lib.naik_version().decode())
    _compare_sizes(name, lib, STRUCTURES)
    _loaded.append(lib)
    return lib


def _compare_version(name, version):
    """A package that pip installed belongs to one version: structures and functions of another may differ."""
    try:
        from .where import VERSION
    except ImportError:  # of naik's own folder, or installed beside the library
        return
    if VERSION not in ("0", version):  # 0: the wheel was built without naik's headers
        raise Error(f"{name} is the library of naik {version}, and this package is of {VERSION}: install the package anew "
                    "with pip install ./python in the folder of that library, or set NAIK_LIBRARY to another one")


def _compare_sizes(name, lib, structures):
    for structure, kind in structures.items():
        if lib.naik_session_size_of(structure.encode()) != ctypes.sizeof(kind):
            raise Error(f"{name} was built from another state of naik than this package, because {structure} has another size: "
                        "build it anew with make python, and install the package from the same folder")
