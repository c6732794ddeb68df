"""Arrays of others as host arrays of numpy, and back.

An array on a GPU (CuPy, or any with __cuda_array_interface__ or __dlpack__) passes through the host: one copy down for
what goes in, one up for what comes out.
"""
import ctypes

import numpy as np

from .errors import InputError


def to_host(array):
    """The array as contiguous complex128 on the host, and a function that gives a result the caller's kind."""
    if isinstance(array, (np.ndarray, list, tuple)):
        return _complex(array), lambda result: result
    if type(array).__module__.split(".")[0] == "cupy" or hasattr(array, "__cuda_array_interface__") and hasattr(array, "get"):
        kind = type(array)

        def back(result):
            import cupy
            return cupy.asarray(result)
        return _complex(array.get()), back if kind.__module__.startswith("cupy") else lambda r: r
    if hasattr(array, "detach") and hasattr(array, "cpu"):  # torch
        device, host = array.device, array.detach().cpu()

        def back(result):
            import torch
            return torch.from_numpy(result).to(device)
        for pending in ("resolve_conj", "resolve_neg"):  # what torch notes and numpy cannot see
            host = getattr(host, pending, lambda: host)()
        return _complex(host.numpy()), back
    if hasattr(array, "__dlpack__"):
        try:
            host = np.from_dlpack(array)
        except (BufferError, RuntimeError, TypeError, ValueError) as error:
            if not hasattr(array, "__array__"):
                raise InputError(f"the array of {type(array).__name__} cannot be read on the host: {error}") from None
            host = np.asarray(array)
        return _complex(host), lambda result: result
    raise InputError(f"an array is expected, of numpy, CuPy or DLPack, not {type(array).__name__}")


def _complex(array):
    try:
        return np.ascontiguousarray(array, np.complex128)
    except (TypeError, ValueError) as error:
        raise InputError(f"an array of complex numbers is expected: {error}") from None


def pointer(array):
    """To the numbers of a contiguous complex array, real and imaginary part in turn."""
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
