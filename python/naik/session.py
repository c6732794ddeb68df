"""A session: the links of one configuration, and any number of solves on them."""
import collections
import contextlib
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

Result = collections.namedtuple("Result", "converged reason iterations modes residual source_residual norm seconds")
Result.__doc__ = """What became of one solution.

converged        whether the residual met its tolerance
reason           why the solve ended: "converged", "iteration limit", ...
iterations       of the solver; with multigrid the outer iterations
modes            number of low modes that the solver took out
residual         |b - A x| / |b| of the even-odd system, formed in double precision
source_residual  |src - M x| / |src| on the whole lattice, formed in double precision
norm             |x|
seconds          this solution's share of the time of the solver
"""
Solution = collections.namedtuple("Solution", "x results")
Solution.__doc__ = """x, an array of the shape of the sources, and results, a list with a Result for each source."""
Progress = collections.namedtuple("Progress", "count done running iterations residual")
Progress.__doc__ = """Where a solve stands: of count solutions so many are done and running; iterations of the solution that is
furthest on; residual, the largest one of the solutions that are running."""


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


def _number(value, what):
    """None, or one real number: of Python, of numpy, or an array of one."""
    if value is None:
        return None
    try:
        array = np.asarray(value)
        if array.size == 1 and array.dtype.kind in "iuf":
            return float(array.reshape(()))
    except (TypeError, ValueError):  # a ragged list, an array on a GPU
        pass
    raise errors.InputError(f"{what} must be one number, because a call solves for one quark, and not {value!r:.200}")


def _sections(**sections):
    """The sections of an input file, of which each is a dictionary or None."""
    for name, section in sections.items():
        if section is not None and not isinstance(section, dict):
            word = "a word such as \"hisq\" or " if name == "action" else ""
            raise errors.InputError(f"{name} must be {word}a dictionary of keys of an input file, not {section!r:.200}")
    return sections


def _function(value, what, of_true):
    """A function or None, for what a caller gives: True and False too."""
    if value is True or value is None or value is False:
        return of_true if value else None
    if not callable(value):
        raise errors.InputError(f"{what} must be True, a function or None, not {value!r:.200}")
    return value


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


def _lattice_of_links(links, size, grid):
    """The extents of the whole lattice, and the ranks in each direction that were asked for, or None."""
    if links.ndim != 7 or links.shape[4:] != (4, 3, 3):
        raise errors.InputError(f"links are an array [t][z][y][x][4][3][3], not of shape {links.shape}")
    automatic = grid is None or isinstance(grid, str) and grid == "auto"
    return (_integers(size, "size", (4,)).tolist() if size is not None else list(links.shape[3::-1]),
            None if automatic else _integers(grid, "run.grid", (4,)).tolist())


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
    if mpi.is_fork():
        return
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
                   z, t, without phases: of the whole lattice on every rank, or of this rank's box with `size`. None
                   only with gauge={"file": path} or action={"type": "links", "file": ...}
    action         "hisq", "naive", "asqtad", "wilson", ... or with its keys {"type": "clover", "csw": 1.2}
    comm           communicator of mpi4py; None: all ranks of the job, which is one without a launcher
    size           extents x, y, z, t of the lattice, if the array of links holds this rank's box alone
    lattice, gauge, solver, deflation, multigrid, run   sections of an input file: {"tolerance": 1e-9}
    log            a function that gets the lines that the program would print, as texts; True is print, None nothing
    progress       True shows a line during a solve; or a function, which gets a Progress

    Attributes: `size`, the extents of the lattice, `grid`, the ranks in each direction, `local`, the extents of this
    rank's box, and `origin`, its first site, each as (x, y, z, t); `spin`, 1 for staggered quarks and 4 for others;
    `columns` of a propagator, 3 or 12; `gpu`, whether the session solves on a GPU; `shape` of one vector; `progress`,
    which may be set anew.

    All ranks of comm make every call together. Arrays hold this rank's box of the lattice, with the axes t, z, y, x.
    A call that fails raises naik.Error with the sentence of the program: InputError if arguments are wrong, CorruptError
    if the configuration disagrees with its checksum, and the other exceptions of doc/python.md.
    """

    def __init__(self, configuration=None, action="hisq", comm=None, *, size=None, lattice=None, gauge=None, solver=None,
                 deflation=None, multigrid=None, run=None, log=None, progress=None):
        self._raised, self._log, self._line = None, None, _Line()
        self._interrupts = 0
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
        if configuration is None and isinstance(gauge, dict) and gauge.get("file") is not None:
            configuration, gauge = gauge["file"], {key: value for key, value in gauge.items() if key != "file"}
        try:
            with self._agreed() as call:
                self._log, self.progress = _function(log, "log", print), progress
                sections = _sections(action={"type": action} if isinstance(action, str) else action, lattice=lattice, gauge=gauge,
                                     solver=solver, deflation=deflation, multigrid=multigrid, run=run)
                self._action = (sections["action"] or {}).get("type", "")
                options.keys = _json(sections)
                named = isinstance(configuration, (str, bytes, os.PathLike))
                if configuration is None and self._action != "links":
                    raise errors.InputError("a session needs a configuration: give the path of a file or an array of links")
                if size is not None and (named or configuration is None):
                    raise errors.InputError("size belongs to an array of links: naik takes the extents of a file from the file")
                self._about = "an array of links" if configuration is not None else "links of files"
                if named:
                    options.configuration, self._about = os.fsencode(configuration), os.fsdecode(configuration)
                elif configuration is not None:
                    links, _ = arrays.to_host(configuration, "a configuration that is no path")
                    box = _lattice_of_links(links, size, (run or {}).get("grid"))
                call += "session", named, links is None or box
            if links is not None:
                links = self._box_of_links(links, *box)
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

    def __repr__(self):
        if not self._session:
            return f"<naik.Session of {self._about}, closed>"
        ranks = int(np.prod(self.grid))
        return (f"<naik.Session of {self._about}: {self._action} quarks, lattice {'x'.join(map(str, self.size))}, {ranks} "
                f"rank{'s' if ranks > 1 else ''} on {'GPUs' if self.gpu and ranks > 1 else 'a GPU' if self.gpu else 'CPUs'}>")

    @property
    def sources(self):
        """The sources of naik, made by name (Sources)."""
        return Sources(self)

    @property
    def progress(self):
        """True, or the function that gets a Progress during a solve; None: nothing is shown."""
        return self._progress

    @progress.setter
    def progress(self, value):
        self._progress = _function(value, "progress", True)

    # ---- what the library calls

    def _take_line(self, warning, text):
        try:
            text = text.decode("utf-8", "replace")
            if warning:
                _warn(errors.of_arguments(text), errors.Warning)
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
        if self._progress is True:
            if self.origin == (0, 0, 0, 0):  # one rank prints
                self._line(progress)
        elif self._progress is not None:
            self._progress(progress)

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
        """One call at a time, and in one process: the library's state is the session's."""
        mpi.stay()
        if not self._working.acquire(blocking=False):
            raise errors.ArgumentError("the session is at work: neither a callback nor another thread can use or close it now")

    @contextlib.contextmanager
    def _agreed(self):
        """What each rank finds out by itself before a call of all. The block lists what must be the same on every rank; what
        one rank refuses is raised on all of them."""
        self._begin()
        call, refused = [], None
        try:
            try:
                yield call
            except BaseException as error:  # also of a signal
                refused = error
            self._ranks.agree(refused, repr(call))
        finally:
            self._working.release()

    # ---- shapes

    def _take_shape(self, shape):
        self.size, self.grid = tuple(shape.size), tuple(shape.grid)  # x, y, z, t
        self.local, self.origin = tuple(shape.local), tuple(shape.origin)

    def _box_of_links(self, links, size, grid):
        """This rank's part of an array of links."""
        shape, chosen = library.Shape(), grid and (ctypes.c_int * 4)(*grid)
        self._call(self._lib.naik_session_box, self._ranks.comm, (ctypes.c_int * 4)(*size), chosen, ctypes.byref(shape))
        with self._agreed():
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
        if not hasattr(array, "ndim"):
            raise errors.InputError(f"an array of {what} must be an array of numpy, not {type(array).__name__}")
        if not (axis is None or isinstance(axis, (int, np.integer))):
            raise errors.InputError(f"axis must be the number of the axis t, not {axis!r:.200}")
        if axis is None:
            lead = array.ndim - len(self.shape)
            where = lead if lead > 0 and array.shape[lead:] == sites + self.shape[4:] else 0
        if where < 0 or array.shape[where:where + 4] != sites:
            raise errors.InputError(f"an array of {what} has the axes t, z, y, x of {list(sites)}, and one of shape {list(array.shape)} "
                                    + ("does not, as vectors have them or at its beginning: give axis" if axis is None else
                                       f"does not have them from axis {axis} on"))
        return (slice(None),) * where

    def cut(self, whole, axis=None):
        """Takes this rank's box out of an array of numpy over the whole lattice, which every rank gives. The array holds
        vectors, with any axes in front, or its axes t, z, y, x come first or begin at `axis`. Returns a copy."""
        box = tuple(slice(o, o + n) for o, n in zip(self.origin[::-1], self.local[::-1]))
        return np.ascontiguousarray(whole[self._axis(whole, self.size[::-1], axis, "the whole lattice") + box])

    def gather(self, part, axis=None):
        """Puts the whole lattice together on every rank, from an array of numpy over the box of each. The array holds
        vectors, with any axes in front, or its axes t, z, y, x come first or begin at `axis`. All ranks call it together.
        On one rank it returns the array itself."""
        with self._agreed() as call:
            before = self._axis(part, self.local[::-1], axis, "a rank's box")
            call += "gather", part.shape[:len(before)], part.shape[len(before) + 4:], part.dtype.str
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
        if isinstance(array, Solution):
            raise errors.InputError(f"{what} must be an array, not a naik.Solution: give its x")
        taken = arrays.take(array, self.gpu, what)
        lead = len(taken.shape) - len(self.shape)
        if lead < 0 or taken.shape[lead:] != self.shape:
            raise errors.InputError(f"{what} must have the shape [n] + {list(self.shape)} (n, t, z, y, x"
                                    f"{', spin' if self.spin > 1 else ''}, colour), not {list(taken.shape)}")
        return taken, int(np.prod(taken.shape[:lead]))

    # ---- work

    def solve(self, sources, mass=None, *, kappa=None, naik_epsilon=None, twist=None, tolerance=None, deflate=None, out=None):
        """x = M^-1 source for every source, several at a time, in mixed precision, as `naik solve` does for one mass.

        sources       array [n] + session.shape, or with more axes in front, on the host or on the session's GPU. naik
                      solves in complex128: it copies arrays of other numbers, and of other orders of memory
        mass          a m, in lattice units; for quarks with spin kappa may take its place. M = 2 m + D for staggered
                      quarks, M = m + 4 + C - D/2 for quarks with spin (doc/quarks.md)
        naik_epsilon  correction of the Naik term; hisq only
        twist         (x, y, z), the momentum that twisted boundaries add, in units of 2 pi / L
        tolerance     of the residual |b - A x| / |b| of the even-odd system; None: that of solver
        deflate       False solves without the low modes of the session
        out           an array for x, of the sources' kind and shape, which may be the sources; None: a new one

        Returns Solution(x, results): x has the shape of sources, and results has a Result for each source. Warns
        with NotConverged if a solution missed its tolerance. Raises InputError if arguments are wrong, CorruptError if
        links or solutions changed in memory, and KeyboardInterrupt after Ctrl-C.
        """
        with self._agreed() as call:
            if (mass is None) == (kappa is None):
                raise errors.InputError("solve needs a mass or, for quarks with spin, a kappa, and not both")
            mass, kappa, epsilon = _number(mass, "mass"), _number(kappa, "kappa"), _number(naik_epsilon, "naik_epsilon")
            keys = _json({"masses": None if mass is None else [mass], "kappas": None if kappa is None else [kappa],
                          "naik_epsilon": None if epsilon is None else [epsilon], "twist": twist,
                          "tolerance": _number(tolerance, "tolerance"), "deflate": deflate})
            src, count = self._vectors(sources, "sources")
            x = src.like() if out is None else arrays.take_out(out, src)
            results = (library.Result * count)()
            call += "solve", keys
        self._call(self._lib.naik_session_solve_quark, self._session, keys, count, src.pointer, x.pointer, results)
        told = [Result(r.converged, r.reason.decode(), r.iterations, r.modes, r.residual, r.source_residual, r.norm, r.seconds)
                for r in results]
        self._tell(Progress(len(told), len(told), 0, max(r.iterations for r in told), max(r.residual for r in told)))
        missed = [r for r in told if not r.converged]
        if missed:
            _warn(f"{len(missed)} of {len(told)} solutions missed their tolerance: {missed[0].reason}, residual "
                  f"{max(r.residual for r in missed):.1e}", errors.NotConverged)
        return Solution(x.given() if out is None else out, told)

    def _source(self, keys):
        with self._agreed() as call:
            keys, out = _json(keys), np.empty((self.columns,) + self.shape, np.complex128)
            call += "source", keys
        self._call(self._lib.naik_session_source, self._session, keys, arrays.pointer(out))
        return out

    def contract(self, meson, quark, antiquark=None, *, momentum=(0, 0, 0), origin=(0, 0, 0, 0), cosine=False):
        """C(t) of a meson, complex [T], or [momenta][T] for a list of momenta; no factor 1/V (doc/correlators.md).

        meson      "pion5", "rhox", ...; of quarks with spin "pion", "rho_x", ...
        quark      a propagator [columns] + session.shape: all columns of a source
        antiquark  the same; None: the quark's own propagator
        momentum   one momentum (x, y, z), or a list of them, integers in units of 2 pi / L
        origin     the site x, y, z, t from which momenta and signs are counted: give the place of the source
        cosine     True weighs the sites with the product of cos(2 pi p_k y_k / L_k), y = x - origin, over the three
                   directions in space, in place of exp(2 pi i p.y / L)

        T is the extent of the whole lattice, and t counts from the time slice 0, on every rank. Raises InputError if
        arguments are wrong.
        """
        with self._agreed() as call:
            if not isinstance(meson, str):
                raise errors.InputError(f"meson must be a text such as \"pion5\", not {type(meson).__name__}")
            parts = []
            for name, array in (("quark", quark), ("antiquark", antiquark)):
                if array is not None or name == "quark":
                    part, count = self._vectors(array, name)
                    if count != self.columns:
                        raise errors.InputError(f"a propagator has {self.columns} columns, not {count}")
                    parts.append(part)
            momenta = _integers(momentum, "momentum", (3,), (None, 3))
            several, momenta, origin = momenta.ndim > 1, momenta.reshape(-1, 3), _integers(origin, "origin", (4,))
            if (origin < 0).any() or (origin >= self.size).any():
                raise errors.InputError(f"origin {origin.tolist()} lies outside the lattice {list(self.size)}")
            out = np.empty((len(momenta), self.size[3]), np.complex128)
            call += "contract", meson, momenta.tolist(), origin.tolist(), bool(cosine), len(parts)
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

    def __reduce_ex__(self, _):  # of pickle and copy
        raise errors.ArgumentError("a session can be neither copied nor sent to another process, because it holds memory of the library: "
                                   "make a session there, and send arrays")

    def __enter__(self):
        if not self._session:
            raise errors.ArgumentError("the session is closed")
        return self

    def __exit__(self, *_):
        self.close()
