# cupy_and_torch.py - arrays of CuPy and tensors of torch in a session on a GPU, against the bits of numpy arrays.
# check_gpu.sh runs it; a library that this Python lacks is skipped with a line.
import os
import sys

import numpy as np

from program import main, naik as program, path

TOP = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
os.environ["NAIK_LIBRARY"] = os.path.join(os.environ["BUILD"], "libnaik.so")
sys.path.insert(0, os.path.join(TOP, "python"))
sys.dont_write_bytecode = True
import naik  # noqa: E402


class CuPy:
    def __init__(self):
        import cupy
        self.kind, self.there, self.library = cupy.ndarray, cupy.asarray, cupy

    def host(self, array):
        return self.library.asnumpy(array)

    def single(self, array):
        return array.astype(self.library.complex64)

    def swapped(self, array):
        return self.library.ascontiguousarray(array.swapaxes(1, 2)).swapaxes(1, 2)


class Torch:
    def __init__(self):
        import torch
        self.kind, self.library = torch.Tensor, torch
        self.there = lambda array: torch.from_numpy(np.ascontiguousarray(array)).to("cuda")

    def host(self, array):
        return array.cpu().numpy()

    def single(self, array):
        return array.to(self.library.complex64)

    def swapped(self, array):
        return array.swapaxes(1, 2).contiguous().swapaxes(1, 2)


def on_the_gpu(make):
    try:
        library = make()
    except ImportError as error:
        return f"no {error.name}"
    with naik.Session(path("lat.h5")) as s:
        if not s.gpu:
            return "the session is on CPUs"
        source = s.sources.point(1, 0, 2, 3)

        def traffic(call):
            before = s.moved
            return call(), [b - a for a, b in zip(before, s.moved)]

        (x, _), host = traffic(lambda: s.solve(source, mass=0.1))
        pion = s.contract("pion5", x, momentum=(1, 0, 0))
        there = library.there(source)
        (y, results), device = traffic(lambda: s.solve(there, mass=0.1))
        assert isinstance(y, library.kind) and all(r.converged for r in results), type(y)
        assert library.host(y).tobytes() == x.tobytes(), "other bits than from a numpy array"
        assert library.host(there).tobytes() == source.tobytes(), "the source has changed"
        # what is left are scalars of the solver
        assert all(h - d >= source.nbytes for h, d in zip(host, device)), (host, device, source.nbytes)
        assert np.array_equal(s.contract("pion5", y, momentum=(1, 0, 0)), pion)
        for other in (library.swapped(there), library.single(there)):  # copied into complex128 in C order
            assert library.host(s.solve(other, mass=0.1).x).tobytes() == x.tobytes()
        solution = s.solve(there, mass=0.1, out=there)
        assert solution.x is there and library.host(there).tobytes() == x.tobytes()
        try:
            s.solve(library.there(source), mass=0.1, out=np.zeros_like(source))
        except naik.InputError as error:
            assert "on the GPU that may be written to" in str(error), error
        else:
            raise AssertionError("the solutions of a source on the GPU went into an array on the host")
    return None


def arrays_of_cupy_stay_on_the_gpu():
    return on_the_gpu(CuPy)


def tensors_of_torch_stay_on_the_gpu():
    return on_the_gpu(Torch)


program("gauge", "generate", "--size", "4,4,4,8", "--beta", "5.8", "--seed", "7", "--sweeps", "5", "-o", path("lat.h5"))
main([arrays_of_cupy_stay_on_the_gpu, tensors_of_torch_stay_on_the_gpu])
