"""A session: the links of one configuration, and any number of solves on them."""
import collections
import ctypes
import json
import os
import signal
import sys
import threading
import time
import warnings
import weakref

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
        if isinstance(one, (np.ndarray, np.generic)):
            return plain(one.tolist())
        if isinstance(one, (list, tuple)):
            return [plain(v) for v in one]
        return os.fspath(one) if isinstance(one, os.PathLike) else one
    try:
        return json.dumps(plain(value), ensure_ascii=False).encode()
    except (TypeError, ValueError) as error:
        raise errors.InputError(f"keys and their values are numbers, texts and lists as in an input file: {error}") from None


def _integers(value, what, *shapes):
    """The value as an array of C integers of one of the shapes, in which None is any number above 0."""
    try:
        array = np.asarray(value)
    except (TypeError, ValueError):  # a ragged list
        array = np.asarray(None)
    fits = any(len(s) == array.ndim and all(n in (None, m) for n, m in zip(s, array.shape)) for s in shapes) and array.size > 0
    if not fits or array.dtype.kind not in "iu" or not (np.abs(array.astype(float)) < 2**31).all():
        raise errors.InputError(f"{what} must be {shapes[0][-1]} integers{' or a list of such' if len(shapes) > 1 else ''}, "
                                f"not {value!r:.200}")
    return array.astype(np.intc)


def _warn(text, category):
    """A warning at the line outside of this package that called it."""
    frame, level = sys._getframe(1), 2
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] == "naik":
        frame, level = frame.f_back, level + 1
    warnings.warn(text, category, stacklevel=level)


def _listeners(session):
    """What the library calls. It does not keep the session alive, so that one that nobody holds is closed."""
    one = weakref.ref(session)

    def take(_, warning, text):
        if one() is not None:
            one()._take_line(warning, text)

    def hear(_, progress):
        if one() is not None:
            one()._hear(progress)

    def asked(_):
        return one() is not None and one()._asked()
    return library.TakeLine(take), library.Hooks(None, library.HearProgress(hear), library.AskStop(asked))


def _free(lib, session, ranks, _kept):
    if session:
        lib.naik_session_destroy(ctypes.byref(session))
    ranks.close()


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
    size           extents x, y, z, t of the lattice, if the array of links holds this rank's box alone
    lattice, gauge, solver, deflation, multigrid, run   sections of an input file: {"tolerance": 1e-9}
    log            print, or any function of a text, which gets the lines that the program would print; None: nothing
    progress       True shows a line during a solve; or a function, which gets a Progress

    All ranks of comm make every call together. Arrays hold this rank's box of the lattice, with the axes t, z, y, x.
    A call that fails raises naik.Error with the sentence of the program.
    """

    def __init__(self, configuration=None, action="hisq", comm=None, *, size=None, lattice=None, gauge=None, solver=None,
                 deflation=None, multigrid=None, run=None, log=None, progress=None):
        self._raised = None
        self._interrupts = 0
        self._log, self.progress, self._line = log, progress, _Line()
        self._working = threading.Lock()
        self._take, self._hooks = _listeners(self)
        self._comm = comm
        self._session = ctypes.c_void_p()
        self._ranks = mpi.Ranks(comm, self._take)
        self._lib = self._ranks.lib
        self._free = weakref.finalize(self, _free, self._lib, self._session, self._ranks, (self._take, self._hooks))
        self._free.atexit = False  # mpi does it in the order of creation
        options = library.Options()
        links = None  # must live until the session is made
        try:
            options.keys = _json({"action": {"type": action} if isinstance(action, str) else action, "lattice": lattice,
                                  "gauge": gauge, "solver": solver, "deflation": deflation, "multigrid": multigrid,
                                  "run": run})
            if isinstance(configuration, (str, os.PathLike)):
                options.configuration = os.fsencode(configuration)
            elif configuration is not None:
                links, _ = arrays.to_host(configuration)
                links = self._box_of_links(links, size, run.get("grid") if isinstance(run, dict) else None)
                options.array = arrays.pointer(links)
                options.size[:] = self.size
            self._call(self._lib.naik_session_create, self._ranks.comm, ctypes.byref(options), ctypes.byref(self._session))
            shape = library.Shape()
            self._lib.naik_session_shape_of(self._session, ctypes.byref(shape))
            if links is not None and (tuple(shape.local), tuple(shape.origin)) != (self.local, self.origin):
                raise errors.Error("the links were cut for another box than the session has: report this error of naik")
        except BaseException:
            self.close()
            raise
        self._lib.naik_session_hear(self._session, ctypes.byref(self._hooks))
        self._take_shape(shape)
        self.spin, self.columns, self.gpu = shape.spin, shape.columns, shape.gpu
        mpi.remember(self, alone=np.prod(self.grid) == 1)

    @property
    def sources(self):
        """The sources of naik, made by name."""
        return Sources(self)

    # ---- what the library calls

    def _take_line(self, warning, text):
        try:
            text = text.decode("utf-8", "replace")
            if warning:
                _warn(text, errors.Warning)
            elif self._log is not None:
                self._log(text)
        except BaseException as error:  # it cannot pass through the library
            self._raised = self._raised or error

    def _hear(self, progress):
        try:
            p = progress.contents
            self._tell(Progress(p.count, p.done, p.running, p.iterations, p.residual))
        except BaseException as error:
            self._raised = self._raised or error

    def _tell(self, progress):
        if self.progress is True:
            if self.origin == (0, 0, 0, 0):  # one rank prints
                self._line(progress)
        elif self.progress is not None and self.progress is not False:
            self.progress(progress)

    def _asked(self):
        return bool(self._raised or self._interrupts)

    def _call(self, function, *arguments):
        """Calls the library. Ctrl-C is heard at the next look of the solver; a second one as Python hears it."""
        before = None

        def interrupted(*_):
            self._interrupts += 1
            if self._interrupts > 1:
                signal.default_int_handler(*_)

        self._begin()
        try:
            if any(one is self._session and not one for one in arguments):
                raise errors.ArgumentError("the session is closed")
            self._raised, self._interrupts = None, 0
            if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
                before = signal.signal(signal.SIGINT, interrupted)
            try:
                status = function(*arguments)
            finally:
                if before is not None:
                    signal.signal(signal.SIGINT, before)
            raised, self._raised = self._raised, None  # its frames hold the session
            if raised is not None or self._interrupts:
                self._lib.naik_log_clear(self._ranks.log)
                raise raised if raised is not None else KeyboardInterrupt
            self._ranks.check(status)
        finally:
            self._working.release()

    def _begin(self):
        """One call at a time: the library's state is the session's."""
        if not self._working.acquire(blocking=False):
            raise errors.ArgumentError("the session is at work: neither a callback nor another thread can use or close it now")

    # ---- shapes

    def _take_shape(self, shape):
        self.size, self.grid = tuple(shape.size), tuple(shape.grid)  # x, y, z, t
        self.local, self.origin = tuple(shape.local), tuple(shape.origin)

    def _box_of_links(self, links, size, grid):
        """This rank's part of an array of links."""
        if links.ndim != 7 or links.shape[4:] != (4, 3, 3):
            raise errors.InputError(f"links are an array [t][z][y][x][4][3][3], not of shape {links.shape}")
        whole = _integers(size, "size", (4,)) if size is not None else links.shape[3::-1]
        automatic = grid is None or isinstance(grid, str) and grid == "auto"
        shape, chosen = library.Shape(), None if automatic else (ctypes.c_int * 4)(*_integers(grid, "run.grid", (4,)))
        self._call(self._lib.naik_session_box, self._ranks.comm, (ctypes.c_int * 4)(*whole), chosen, ctypes.byref(shape))
        self._take_shape(shape)
        if links.shape[3::-1] == self.size:
            links = self.cut(links, 0)
        if links.shape[3::-1] != self.local:
            raise errors.InputError(f"links of shape {links.shape} are neither of the lattice {self.size} nor of this rank's "
                                    f"box {self.local}, x, y, z, t")
        return np.ascontiguousarray(links)

    @property
    def shape(self):
        """Of one vector: [t][z][y][x][3], or [t][z][y][x][4][3]."""
        return self.local[::-1] + ((self.spin, 3) if self.spin > 1 else (3,))

    def _axis(self, array, sites, axis, what):
        """Where the axes t, z, y, x of an array begin: where those of vectors do, or else first, unless `axis` says it."""
        where = axis
        if axis is None:
            lead = array.ndim - len(self.shape)
            where = lead if lead > 0 and array.shape[lead:] == sites + self.shape[4:] else 0
        if where < 0 or array.shape[where:where + 4] != sites:
            raise errors.InputError(f"an array of {what} has the axes t, z, y, x of {list(sites)}, and one of shape {list(array.shape)} "
                                    + ("does not, as vectors have them or at its beginning: give axis" if axis is None else
                                       f"does not have them from axis {axis} on"))
        return (slice(None),) * where

    def cut(self, whole, axis=None):
        """Takes this rank's box out of an array over the whole lattice. The array holds vectors, with any axes in front,
        or its axes t, z, y, x come first or begin at `axis`."""
        box = tuple(slice(o, o + n) for o, n in zip(self.origin[::-1], self.local[::-1]))
        return np.ascontiguousarray(whole[self._axis(whole, self.size[::-1], axis, "the whole lattice") + box])

    def gather(self, part, axis=None):
        """Puts the whole lattice together on every rank, from an array over its box. The array holds vectors, with any
        axes in front, or its axes t, z, y, x come first or begin at `axis`."""
        before = self._axis(part, self.local[::-1], axis, "a rank's box")
        if self.local == self.size:
            return part
        comm = self._comm
        if comm is None:
            from mpi4py import MPI
            comm = MPI.COMM_WORLD
        axis = len(before)
        whole = np.empty(part.shape[:axis] + self.size[::-1] + part.shape[axis + 4:], part.dtype)
        for origin, piece in comm.allgather((self.origin, part)):
            whole[before + tuple(slice(o, o + n) for o, n in zip(origin[::-1], self.local[::-1]))] = piece
        return whole

    def _vectors(self, array, what):
        """The array where it is, and of how many vectors."""
        taken = arrays.take(array, self.gpu)
        lead = len(taken.shape) - len(self.shape)
        if lead < 0 or taken.shape[lead:] != self.shape:
            raise errors.InputError(f"{what} must have the shape [n] + {list(self.shape)} (n, t, z, y, x"
                                    f"{', spin' if self.spin > 1 else ''}, colour), not {list(taken.shape)}")
        return taken, int(np.prod(taken.shape[:lead]))

    # ---- work

    def solve(self, sources, mass=None, *, kappa=None, naik_epsilon=None, twist=None, tolerance=None, deflate=None, out=None):
        """x = M^-1 source for every source, several at a time, in mixed precision, as `naik solve` does for one mass.

        sources    array [n] + session.shape, or of more axes in front; complex128 on the host, or on the session's GPU
        mass       or kappa; naik_epsilon, twist, tolerance, deflate as the keys of solve[]
        out        an array for x, of the sources' kind and shape, which may be the sources; None: a new one

        Returns Solution(x, results): x has the shape of sources, and results has a Result for each source. Warns
        with NotConverged if a solution missed its tolerance.
        """
        given = {"masses": None if mass is None else [mass], "kappas": None if kappa is None else [kappa],
                 "naik_epsilon": None if naik_epsilon is None else [naik_epsilon], "twist": twist, "tolerance": tolerance,
                 "deflate": deflate}
        src, count = self._vectors(sources, "sources")
        x = src.like() if out is None else arrays.take_out(out, src)
        results = (library.Result * count)()
        self._call(self._lib.naik_session_solve_quark, self._session, _json(given), count, src.pointer, x.pointer, results)
        told = [Result(r.converged, r.reason.decode(), r.iterations, r.modes, r.residual, r.source_residual, r.norm, r.seconds)
                for r in results]
        self._tell(Progress(len(told), len(told), 0, max(r.iterations for r in told), max(r.residual for r in told)))
        missed = [r for r in told if not r.converged]
        if missed:
            _warn(f"{len(missed)} of {len(told)} solutions missed their tolerance: {missed[0].reason}, residual "
                  f"{max(r.residual for r in missed):.1e}", errors.NotConverged)
        return Solution(x.given() if out is None else out, told)

    def _source(self, keys):
        out = np.empty((self.columns,) + self.shape, np.complex128)
        self._call(self._lib.naik_session_source, self._session, _json(keys), arrays.pointer(out))
        return out

    def contract(self, meson, quark, antiquark=None, *, momentum=(0, 0, 0), origin=(0, 0, 0, 0), cosine=False):
        """C(t) of a meson, complex [T], or [momenta][T] for a list of momenta; no factor 1/V (doc/correlators.md).

        meson              "pion5", "rhox", ...; of quarks with spin "pion", "rho_x", ...
        quark, antiquark   propagators [columns] + session.shape, all columns of a source; None: the quark's own
        momentum           one momentum, or a list of them, in units of 2 pi / L
        origin             the site from which momenta and signs are counted: give the place of the source
        """
        parts = []
        for array in (quark, antiquark):
            if array is not None:
                part, count = self._vectors(array, "a propagator")
                if count != self.columns:
                    raise errors.InputError(f"a propagator has {self.columns} columns, not {count}")
                parts.append(part)
        if not isinstance(meson, str):
            raise errors.InputError(f"a meson is a text such as \"pion5\", not {meson!r:.200}")
        momenta = _integers(momentum, "momentum", (3,), (None, 3))
        several, momenta, origin = momenta.ndim > 1, momenta.reshape(-1, 3), _integers(origin, "origin", (4,))
        out = np.empty((len(momenta), self.size[3]), np.complex128)
        for p, c in zip(momenta, out):
            frame = library.Frame((ctypes.c_int * 4)(*origin), (ctypes.c_int * 3)(*p), bool(cosine))
            self._call(self._lib.naik_session_meson, self._session, meson.encode(), ctypes.byref(frame),
                       parts[0].pointer, parts[1].pointer if len(parts) > 1 else None, arrays.pointer(c))
        return out if several else out[0]

    @property
    def moved(self):
        """The bytes that went to the session's GPU since it was made, and those that came from it; (0, 0) without one."""
        up, down = ctypes.c_double(), ctypes.c_double()
        self._begin()
        try:
            if self._session:
                self._lib.naik_session_moved(self._session, ctypes.byref(up), ctypes.byref(down))
        finally:
            self._working.release()
        return int(up.value), int(down.value)

    # ---- the end

    def close(self):
        """Frees everything; all ranks call it together. At the end of the process a session is closed by itself."""
        self._begin()
        try:
            self._free()
            mpi.forget(self)
        finally:
            self._working.release()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
