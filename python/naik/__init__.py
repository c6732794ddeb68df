"""naik - quark propagators on stored lattice-QCD configurations, as numpy arrays

    import naik
    with naik.Session("lat.h5", action="hisq") as session:
        source = session.sources.point(0, 0, 0, 0)     # [3][t][z][y][x][3]
        x, results = session.solve(source, mass=0.05)
        pion = session.contract("pion5", x)            # [T]

naik.io reads the files of the program; it needs h5py. doc/python.md shows both.
"""
from .errors import (ArgumentError, CorruptError, DeviceError, Error, FileError, InputError, Interrupted, MPIError,
                     NotConverged, OutOfMemory, Warning)
from .session import Progress, Result, Session, Solution

__all__ = ["ArgumentError", "CorruptError", "DeviceError", "Error", "FileError", "InputError", "Interrupted", "MPIError",
           "NotConverged", "OutOfMemory", "Progress", "Result", "Session", "Solution", "version"]  # not Warning, which Python has, nor io, which needs h5py


def version():
    """The version and the commit of the library that is loaded."""
    from . import library
    lib = library.load()
    return f"{lib.naik_version().decode()} ({lib.naik_version_git().decode()})"


def __getattr__(name):  # h5py and the library are loaded where they are needed
    if name == "io":
        import importlib
        return importlib.import_module(".io", __name__)
    if name == "__version__":
        return version().split()[0]
    raise AttributeError(f"module 'naik' has no attribute '{name}'")
