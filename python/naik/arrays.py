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
        return np.ascontiguousarray(array, np.complex128), lambda result: result
    if type(array).__module__.split(".")[0] == "cupy" or hasattr(array, "__cuda_array_interface__") and hasattr(array, "get"):
        kind = type(array)

        def back(result):
            import cupy
            return cupy.asarray(result)
        return np.ascontiguousarray(array.get(), np.complex128), back if kind.__module__.startswith("cupy") else lambda r: r
    if hasattr(array, "detach") and hasattr(array, "cpu"):  # torch
        device = array.device

        def back(result):
            import torch
            return torch.from_numpy(result).to(device)
        return np.ascontiguousarray(array.detach().cpu().numpy(), np.complex128), back
    if hasattr(array, "__dlpack__"):
        return np.ascontiguousarray(np.from_dlpack(array), np.complex128), lambda result: result
    raise InputError(f"an array is expected, of numpy, CuPy or DLPack, not {type(array).__name__}")


def pointer(array):
    """To the numbers of a contiguous complex array, real and imaginary part in turn."""
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
