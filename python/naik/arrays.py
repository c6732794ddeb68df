"""Arrays of others: where they lie, what naik reads and writes, and what the caller gets back.

An array on the GPU of the session (CuPy, torch, or any with __cuda_array_interface__ or __dlpack__) is read and written
where it is. Everything else passes through the host.
"""
import ctypes

import numpy as np

from .errors import InputError

GPU_KINDS = (2, 10, 13)  # of DLPack: CUDA, ROCm, CUDA managed


class Host:
    """Numbers on the host, and the way back to the caller's kind of array."""
    there = False

    def __init__(self, array, back=lambda result: result):
        self.array, self.back = array, back
        self.shape = self.array.shape
        self.pointer = pointer(self.array)

    def like(self):
        return Host(np.zeros_like(self.array), self.back)

    def given(self):
        return self.back(self.array)


class There:
    """Numbers on a GPU."""
    there = True

    def __init__(self, owner, address, shape, kept=None):
        self.owner, self.shape, self.kept = owner, tuple(shape), kept
        self.pointer = ctypes.cast(address, ctypes.POINTER(ctypes.c_double))

    def like(self):
        return _there(_zeros_like(self.owner, self.shape))

    def given(self):
        return self.owner


def take(array, gpu, what):
    """The array as Host or There; gpu: whether the session solves on one; what: how errors call the array."""
    there = None if isinstance(array, (np.ndarray, list, tuple)) or not gpu else _there(array)
    return there if there is not None else Host(*to_host(array, what))


def take_out(array, like):
    """An array of the caller that solutions are written to, in the place and of the shape of `like`."""
    if like.there:
        out = _in_place(array)
        if out is None:
            raise InputError("out must be a contiguous complex128 array on the GPU that may be written to, as the sources are")
    elif not (isinstance(array, np.ndarray) and array.dtype == np.complex128 and array.flags.c_contiguous and array.flags.writeable):
        raise InputError("out must be a contiguous complex128 array of numpy that may be written to, as the sources are on the host")
    else:
        out = Host(array)
    if out.shape != like.shape:
        raise InputError(f"out must have the shape of the sources, {list(like.shape)}, not {list(out.shape)}")
    return out


# ---- on a GPU

class _Tensor(ctypes.Structure):  # DLTensor
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


def _are_contiguous(shape, strides, unit):
    """Whether the strides, or None, are those of the order of the axes; that of an extent of 1 means nothing."""
    for extent, stride in reversed(list(zip(shape, strides or ()))):
        if extent > 1 and stride != unit:
            return False
        unit *= extent
    return True


def _of_interface(face):
    """Address and shape of __cuda_array_interface__, or None where the numbers are not as naik has them."""
    shape = tuple(face["shape"])
    fits = face["typestr"] == "<c16" and _are_contiguous(shape, face.get("strides"), 16) and face.get("mask") is None
    return (face["data"][0], shape, None) if fits else None


def _of_dlpack(array):
    """The same of DLPack; the capsule keeps the memory."""
    capsule = array.__dlpack__()
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    tensor = ctypes.cast(get(capsule, b"dltensor"), ctypes.POINTER(_Tensor)).contents
    shape = tuple(tensor.shape[:tensor.ndim])
    strides = tensor.strides[:tensor.ndim] if tensor.strides else None
    fits = (tensor.code, tensor.bits, tensor.lanes) == (5, 128, 1) and _are_contiguous(shape, strides, 1)
    return (tensor.data + tensor.byte_offset, shape, capsule) if fits else None


def _library_of(array):
    return type(array).__module__.split(".")[0]


def _plain(array):
    """Of CuPy or torch: the array as contiguous complex128, on its GPU; itself where it is that."""
    if _library_of(array) == "cupy":
        import cupy
        return cupy.ascontiguousarray(array, cupy.complex128)
    if _library_of(array) == "torch":
        import torch
        return array.detach().resolve_conj().resolve_neg().to(torch.complex128).contiguous()
    return array


def on_gpu(array):
    """Whether the array says that its numbers are on a GPU."""
    try:
        if _library_of(array) == "torch":  # a tensor that wants a gradient has no interface
            return bool(array.is_cuda)
        if getattr(array, "__cuda_array_interface__", None) is not None:
            return True
        return hasattr(array, "__dlpack_device__") and int(array.__dlpack_device__()[0]) in GPU_KINDS
    except (BufferError, RuntimeError, TypeError, ValueError):
        return False


def _found(plain):
    """Address, shape and what keeps them, or None where the numbers are not as naik has them."""
    face = getattr(plain, "__cuda_array_interface__", None)
    return _of_interface(face) if face is not None else _of_dlpack(plain)


def _there(array):
    """The array where it is, or None for one on the host."""
    if not on_gpu(array):
        return None
    plain = _plain(array)
    found = _found(plain)
    if found is None:
        raise InputError(f"an array on a GPU must hold complex128 in the order of its axes, which this one of {type(array).__name__} "
                         "does not: make a contiguous copy")
    return There(plain, *found)


def _in_place(array):
    """The array itself for numbers that are written, or None where it cannot take them; never a copy."""
    if not on_gpu(array):
        return None
    plain = array
    if _library_of(array) == "torch":
        if array.is_conj() or array.is_neg():  # what it would make of the numbers
            return None
        plain = array.detach()  # of the same memory
    found = _found(plain)
    face = getattr(plain, "__cuda_array_interface__", None)
    read_only = face is not None and face["data"][1]
    return None if found is None or read_only else There(array, *found)


def _zeros_like(array, shape):
    """Another array on the GPU, of the caller's library."""
    if _library_of(array) == "cupy":
        import cupy
        with array.device:
            return cupy.zeros(shape, cupy.complex128)
    if _library_of(array) == "torch":
        import torch
        return torch.zeros(shape, dtype=torch.complex128, device=array.device)
    raise InputError(f"naik cannot make another array of {type(array).__name__} for the solutions: give one as out=")


# ---- through the host

def to_host(array, what):
    """The array as contiguous complex128 on the host, and a function that gives a result the caller's kind."""
    if isinstance(array, (np.ndarray, list, tuple)):
        return _complex(array, what), lambda result: result
    if _library_of(array) == "cupy" or on_gpu(array) and hasattr(array, "get"):
        def back(result):
            import cupy
            return cupy.asarray(result)
        return _complex(array.get(), what), back if _library_of(array) == "cupy" else lambda r: r
    if hasattr(array, "detach") and hasattr(array, "cpu"):  # torch
        device, host = array.device, array.detach().cpu()

        def back(result):
            import torch
            return torch.from_numpy(result).to(device)
        for pending in ("resolve_conj", "resolve_neg"):  # what torch notes and numpy cannot see
            host = getattr(host, pending, lambda: host)()
        return _complex(host.numpy(), what), back
    if on_gpu(array):
        raise InputError(f"{what} must be on the host, and this array of {type(array).__name__} is on a GPU: give a copy on the host. "
                         "Sources of a session that solves on that GPU may stay there")
    if hasattr(array, "__dlpack__"):
        try:
            host = np.from_dlpack(array)
        except (BufferError, RuntimeError, TypeError, ValueError) as error:
            if not hasattr(array, "__array__"):
                raise InputError(f"the array of {type(array).__name__} cannot be read on the host: {error}") from None
            host = np.asarray(array)
        return _complex(host, what), lambda result: result
    raise InputError(f"{what} must be an array of numpy, CuPy or DLPack, not {type(array).__name__}")


def _complex(array, what):
    if np.ma.is_masked(array):
        raise InputError(f"some numbers of {what} are masked, and naik cannot leave numbers out: fill them, as array.filled(0) does")
    try:
        return np.ascontiguousarray(array, np.complex128)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what} must be an array of complex numbers: {error}") from None


def pointer(array):
    """To the numbers of a contiguous complex array, real and imaginary part in turn."""
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
