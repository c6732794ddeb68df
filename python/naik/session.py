"""A session: the links of one configuration, and any number of solves on them."""
import collections
import ctypes
import json
import os
import signal
import threading
import time
import warnings

import numpy as np

from . import arrays, errors, library, mpi
from .sources import Sources

# residual: of the even-odd system. source_residual: |src - M x| / |src|. Both are formed in double precision.
Result = collections.namedtuple("Result", "converged reason iterations modes residual source_residual norm seconds")
Solution = collections.namedtuple("Solution", "x results")
Progress = collections.namedtuple("Progress", "count done running iterations residual")


def _json(value):
    """YAML's flow style, of which JSON is a part; numpy's numbers and arrays, and what is None left out."""
    def plain(one):
        if isinstance(one, dict):
            return {str(k): plain(v) for k, v in one.items() if v is not None}
        if isinstance(one, (list, tuple, np.ndarray)):
            return [plain(v) for v in one]
        return one.item() if isinstance(one, np.generic) else os.fspath(one) if isinstance(one, os.PathLike) else one
    return json.dumps(plain(value), ensure_ascii=False).encode()


class _Line:
    """One line that is written over, five times a second at most, in a terminal and in a notebook."""

    def __init__(self):
        self.spoke = 0.0

    def __call__(self, p):
        now, ends = time.monotonic(), p.done == p.count
        if ends or p.running > 0 and now - self.spoke > 0.2:
            self.spoke = now
            print(f"\rnaik: {p.done} of {p.count} solved, iteration {p.iterations}, residual {p.residual:.1e}   ",
                  end="\n" if ends else "", flush=True)


class Session:
    """Links, backend and solver for one configuration.

    configuration  path of a file that naik reads; or an array [t][z][y][x][4][3][3] of thin links U_mu(x), mu = x, y,
                   z, t, without phases: of the whole lattice on every rank, or of this rank's box with `size`
    action         "hisq", "naive", "asqtad", "wilson", ... or with its keys {"type": "clover", "csw": 1.2}
    comm           communicator of mpi4py; None: all ranks of the job, which is one without a launcher
    size           extents x, y, z, t of the lattice, where an array is of the box alone
    lattice, gauge, solver, deflation, run   sections of an input file: {"tolerance": 1e-9}
    log            hears the program's lines: print, or any function of a text; None: nobody
    progress       True: a line while it solves; or a function of a Progress

    Every call is collective over comm. Arrays are over this rank's box, in the order of the sites t, z, y, x.
    What fails raises naik.Error with naik's sentence.
    """

    def __init__(self, configuration=None, action="hisq", comm=None, *, size=None, lattice=None, gauge=None, solver=None,
                 deflation=None, run=None, log=None, progress=None):
        self._open = False
        self._raised = None
        self._interrupts = 0
        self._log, self.progress, self._line = log, progress, _Line()
        self._take = library.TakeLine(self._take_line)
        self._hooks = library.Hooks(None, library.HearProgress(self._hear), library.AskStop(self._asked))
        self._comm = comm
        self._session = ctypes.c_void_p()
        self._ranks = mpi.Ranks(comm, self._take)
        self._lib = self._ranks.lib
        self._open = True
        mpi.remember(self)
        keys = {"action": {"type": action} if isinstance(action, str) else action, "lattice": lattice, "gauge": gauge,
                "solver": solver, "deflation": deflation, "run": run}
        options, self._kept = library.Options(), _json(keys)
        options.keys = self._kept
        links = None  # must live until the session is made
        try:
            if isinstance(configuration, (str, os.PathLike)):
                options.configuration = os.fsencode(configuration)
            elif configuration is not None:
                links, _ = arrays.to_host(configuration)
                links = self._box_of_links(links, size, (run or {}).get("grid"))
                options.array = arrays.pointer(links)
                options.size[:] = self.size
            self._call(self._lib.naik_session_create, self._ranks.comm, ctypes.byref(options), ctypes.byref(self._session))
        except BaseException:
            self.close()
            raise
        self._lib.naik_session_hear(self._session, ctypes.byref(self._hooks))
        shape = library.Shape()
        self._lib.naik_session_shape_of(self._session, ctypes.byref(shape))
        self._take_shape(shape)
        self.spin, self.columns = shape.spin, shape.columns
        self.sources = Sources(self)

    # ---- what the library calls

    def _take_line(self, _, warning, text):
        try:
            text = text.decode("utf-8", "replace")
            if warning:
                warnings.warn(text, errors.Warning, stacklevel=4)
            elif self._log is not None:
                self._log(text)
        except BaseException as error:  # it cannot pass through the library
            self._raised = self._raised or error

    def _hear(self, _, progress):
        try:
            p = progress.contents
            self._tell(Progress(p.count, p.done, p.running, p.iterations, p.residual))
        except BaseException as error:
            self._raised = self._raised or error

    def _tell(self, progress):
        if self.progress is not True and self.progress:
            self.progress(progress)
        elif self.progress and self.origin == (0, 0, 0, 0):  # one rank prints
            self._line(progress)

    def _asked(self, _):
        return bool(self._raised or self._interrupts)

    def _call(self, function, *arguments):
        """Calls the library. Ctrl-C is heard at the next look of the solver; a second one as Python hears it."""
        before = None

        def interrupted(*_):
            self._interrupts += 1
            if self._interrupts > 1:
                signal.default_int_handler(*_)

        self._raised, self._interrupts = None, 0
        if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is not None:
            before = signal.signal(signal.SIGINT, interrupted)
        try:
            status = function(*arguments)
        finally:
            if before is not None:
                signal.signal(signal.SIGINT, before)
        if self._raised is not None or self._interrupts:
            self._lib.naik_log_clear(self._ranks.log)
            raise self._raised if self._raised is not None else KeyboardInterrupt
        self._ranks.check(status)

    # ---- shapes

    def _take_shape(self, shape):
        self.size, self.grid = tuple(shape.size), tuple(shape.grid)  # x, y, z, t
        self.local, self.origin = tuple(shape.local), tuple(shape.origin)

    def _box_of_links(self, links, size, grid):
        """This rank's part of an array of links."""
        if links.ndim != 7 or links.shape[4:] != (4, 3, 3):
            raise errors.InputError(f"links are an array [t][z][y][x][4][3][3], not of shape {links.shape}")
        whole = tuple(size) if size is not None else links.shape[3::-1]
        shape, chosen = library.Shape(), (ctypes.c_int * 4)(*grid) if grid and grid != "auto" else None
        self._call(self._lib.naik_session_box, self._ranks.comm, (ctypes.c_int * 4)(*whole), chosen, ctypes.byref(shape))
        self._take_shape(shape)
        if links.shape[3::-1] == self.size:
            links = self.cut(links)
        if links.shape[3::-1] != self.local:
            raise errors.InputError(f"links of shape {links.shape} are neither of the lattice {self.size} nor of this rank's "
                                    f"box {self.local}, x, y, z, t")
        return np.ascontiguousarray(links)

    @property
    def shape(self):
        """Of one vector: [t][z][y][x][3], or [t][z][y][x][4][3]."""
        return self.local[::-1] + ((self.spin, 3) if self.spin > 1 else (3,))

    def cut(self, whole, axis=0):
        """This rank's box of an array over the whole lattice, whose axes t, z, y, x begin at `axis`."""
        box = tuple(slice(o, o + n) for o, n in zip(self.origin[::-1], self.local[::-1]))
        return np.ascontiguousarray(whole[(slice(None),) * axis + box])

    def gather(self, part, axis=0):
        """The whole lattice on every rank, of an array over its box whose axes t, z, y, x begin at `axis`."""
        if self.local == self.size:
            return part
        comm = self._comm
        if comm is None:
            from mpi4py import MPI
            comm = MPI.COMM_WORLD
        whole = np.empty(part.shape[:axis] + self.size[::-1] + part.shape[axis + 4:], part.dtype)
        for origin, piece in comm.allgather((self.origin, part)):
            box = tuple(slice(o, o + n) for o, n in zip(origin[::-1], self.local[::-1]))
            whole[(slice(None),) * axis + box] = piece
        return whole

    def _vectors(self, array, what):
        """[...] + shape as [n] + shape on the host, and the way back."""
        host, back = arrays.to_host(array)
        lead = host.ndim - len(self.shape)
        if lead < 0 or host.shape[lead:] != self.shape:
            raise errors.InputError(f"{what} must have the shape [n] + {list(self.shape)} (n, t, z, y, x"
                                    f"{', spin' if self.spin > 1 else ''}, colour), not {list(host.shape)}")
        return host.reshape((-1,) + self.shape), host.shape[:lead], back

    # ---- work

    def solve(self, sources, mass=None, *, kappa=None, naik_epsilon=None, twist=None, tolerance=None, deflate=None):
        """x = M^-1 source for every source, several at a time, in mixed precision, as `naik solve` does for one mass.

        sources    array [n] + session.shape, or of more axes in front; complex128 on the host, or on a GPU (copied)
        mass       or kappa; naik_epsilon, twist, tolerance, deflate as the keys of solve[]

        Returns Solution(x, results): x as sources, and a Result for each. Warns NotConverged where one is not.
        """
        given = {"masses": None if mass is None else [mass], "kappas": None if kappa is None else [kappa],
                 "naik_epsilon": None if naik_epsilon is None else [naik_epsilon], "twist": twist, "tolerance": tolerance,
                 "deflate": deflate}
        src, lead, back = self._vectors(sources, "sources")
        x, results = np.zeros_like(src), (library.Result * len(src))()
        self._call(self._lib.naik_session_solve_quark, self._alive(), _json(given), len(src), arrays.pointer(src),
                   arrays.pointer(x), results)
        told = [Result(r.converged, r.reason.decode(), r.iterations, r.modes, r.residual, r.source_residual, r.norm, r.seconds)
                for r in results]
        self._tell(Progress(len(told), len(told), 0, max(r.iterations for r in told), max(r.residual for r in told)))
        missed = [r for r in told if not r.converged]
        if missed:
            warnings.warn(f"{len(missed)} of {len(told)} solutions missed their tolerance: {missed[0].reason}, residual "
                          f"{max(r.residual for r in missed):.1e}", errors.NotConverged, stacklevel=2)
        return Solution(back(x.reshape(lead + self.shape)), told)

    def _source(self, keys):
        out = np.empty((self.columns,) + self.shape, np.complex128)
        self._call(self._lib.naik_session_source, self._alive(), _json(keys), arrays.pointer(out))
        return out

    def contract(self, meson, quark, antiquark=None, *, momentum=(0, 0, 0), origin=(0, 0, 0, 0), cosine=False):
        """C(t) of a meson, complex [T], or [momenta][T] for a list of momenta; no factor 1/V (doc/correlators.md).

        meson              "pion5", "rhox", ...; of quarks with spin "pion", "rho_x", ...
        quark, antiquark   propagators [columns] + session.shape, all columns of a source; None: the quark's own
        momentum, origin   in units of 2 pi / L, and from where coordinates are counted: the place of the source
        """
        parts = []
        for array in (quark, antiquark):
            if array is not None:
                part, _, _ = self._vectors(array, "a propagator")
                if len(part) != self.columns:
                    raise errors.InputError(f"a propagator has {self.columns} columns, not {len(part)}")
                parts.append(part)
        momenta = np.atleast_2d(np.asarray(momentum, int))
        out = np.empty((len(momenta), self.size[3]), np.complex128)
        for p, c in zip(momenta, out):
            frame = library.Frame((ctypes.c_int * 4)(*origin), (ctypes.c_int * 3)(*map(int, p)), cosine)
            self._call(self._lib.naik_session_meson, self._alive(), meson.encode(), ctypes.byref(frame),
                       arrays.pointer(parts[0]), arrays.pointer(parts[1]) if len(parts) > 1 else None, arrays.pointer(c))
        return out if np.ndim(momentum) > 1 else out[0]

    # ---- the end

    def _alive(self):
        if not self._session:
            raise errors.ArgumentError("the session is closed")
        return self._session

    def close(self):
        """Frees everything. Collective; at the end of the process it happens by itself."""
        if self._open:
            self._open = False
            if self._session:
                self._lib.naik_session_destroy(ctypes.byref(self._session))
            self._ranks.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
