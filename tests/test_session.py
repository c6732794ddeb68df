# test_session.py - the Python package naik: sessions against naik solve to the last bit, failures, Ctrl-C, MPI
# timeout: 240
import contextlib
import copy
import ctypes
import email
import io
import importlib.util
import locale
import os
import pickle
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import warnings
import weakref

import h5py
import numpy as np

from program import MPIRUN, SCRATCH, environment, main, naik as program, path

TOP = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
LIBRARY = os.path.join(os.environ["BUILD"], "libnaik.so")
os.environ["NAIK_LIBRARY"] = LIBRARY
os.environ.update(pair.split("=", 1) for pair in os.environ.get("TESTS_ALONE", "").split())
sys.path.insert(0, os.path.join(TOP, "python"))
sys.dont_write_bytecode = True
import naik  # noqa: E402

INPUT = """
lattice: {{size: [4, 4, 4, 8]}}
gauge: {{file: {lattice}}}
action: {action}
solve: [{{name: s, masses: [0.1], source: {source}}}]
output: {{file: {out}, correlators: [{meson}], momenta: [[0, 0, 0], [1, 0, -1]]}}
{more}
"""
POINT = "{type: point, origin: [1, 0, 2, 3]}"
WALL = "{type: random_wall, t0: 2, seed: 5, noise: u1}"
SMEARED = "{type: covariant_gaussian, origin: [0, 1, 0, 1], radius: 1.5, iterations: 4}"


def stored(name, action, source, meson, more=""):
    """Propagators [columns] and correlators [momenta] of naik solve, and its records."""
    with open(path(name + ".yaml"), "w") as f:
        f.write(INPUT.format(lattice=path("lat.h5"), action=action, source=source, out=path(name + ".h5"), meson=meson, more=more))
    program("solve", path(name + ".yaml"))
    with h5py.File(path(name + ".h5")) as f:
        g = f["prop/s0000/m00"][...]
        if g.ndim == 8:  # [spin][colour][t][z][y][x][spin][colour]
            g = g.reshape((12,) + g.shape[2:])
        return g, [f[f"corr/s/m00/{meson}/{p}"][...] for p in ("p000", "p10-1")], f["solves"][...]


def refuses(kind, sentence, call, *words, **keys):
    try:
        call(*words, **keys)
    except kind as error:
        assert re.match(sentence, str(error)) if sentence[0] == "^" else sentence in str(error), error
        assert "--set" not in str(error), error  # an option of the program, which no caller has written
        assert isinstance(error, naik.Error)
        assert re.fullmatch(r"((src|io)/[a-z0-9_/]+[.]c:[0-9]+)?", error.place), error.place
        return
    raise AssertionError(f"no {kind.__name__}: {sentence}")


def structures_have_the_sizes_of_the_headers():
    from naik import library
    with open(path("sizes.c"), "w") as f:
        f.write('#include <stdio.h>\n#include <stddef.h>\n#include "naik/naik.h"\nint main(void) {\n')
        for name, kind in library.STRUCTURES.items():
            f.write(f'printf("{name} %zu\\n", sizeof({name}));\n')
            f.writelines(f'printf("{name}.{member} %zu\\n", offsetof({name}, {member}));\n' for member, _ in kind._fields_)
        f.write("}\n")
    words = shlex.split(os.environ.get("MPICC", "mpicc")) + ["-I" + os.path.join(TOP, "include"), path("sizes.c"), "-o", path("sizes")]
    subprocess.run(words, check=True)
    told = dict(line.split() for line in subprocess.run([path("sizes")], capture_output=True, text=True).stdout.splitlines())
    for name, kind in library.STRUCTURES.items():
        assert int(told[name]) == ctypes.sizeof(kind), name
        for member, _ in kind._fields_:
            assert int(told[f"{name}.{member}"]) == getattr(kind, member).offset, (name, member)

    class Longer(library.Options):
        _fields_ = [("more", ctypes.c_double)]

    refuses(naik.Error, "naik_session_options has another size", library._compare_sizes, "lib", library.load(), {"naik_session_options": Longer})


def a_session_has_the_bits_of_naik_solve():
    cases = [("hisq", "hisq", "{type: hisq}", "pion5", "rhox"), ("clover", {"type": "clover", "csw": 1.2}, "{type: clover, csw: 1.2}", "pion", "rho_x"),
             ("twisted", {"type": "twisted_mass", "mu": 0.1}, "{type: twisted_mass, mu: 0.1}", "pion", "rho_x")]
    for name, action, words, meson, other in cases:
        with naik.Session(path("lat.h5"), action=action) as s:
            for source, made in ((POINT, s.sources.point(1, 0, 2, 3)),) if name == "twisted" else ((POINT, s.sources.point(1, 0, 2, 3)), (WALL, s.sources.noise(5, t0=2, noise="u1")),
                                 (SMEARED, s.sources.smeared(0, 1, 0, 1, radius=1.5, iterations=4))):
                g, c, records = stored(f"{name}-{source[7:10]}", words, source, meson)
                x, results = s.solve(made, mass=0.1)
                assert x.tobytes() == g.tobytes(), (name, source, np.abs(x - g).max())
                assert [r.iterations for r in results] == list(records["iterations"]) and all(r.converged for r in results)
                assert [r.source_residual for r in results] == list(records["source_residual"]), results
                origin = {"poi": (1, 0, 2, 3), "ran": (0, 0, 0, 2), "cov": (0, 1, 0, 1)}[source[7:10]]
                found = s.contract(meson, x, momentum=[(0, 0, 0), (1, 0, -1)], origin=origin)
                for mine, theirs in zip(found, c):
                    assert np.array_equal(mine if np.iscomplexobj(theirs) else mine.real, theirs), (name, source, mine, theirs)
                own, named = s.contract(other, x), s.contract(other, x, x)
                assert np.abs(own - named).max() <= 1e-12 * np.abs(named).max(), (name, own, named)


def sources_have_operators_with_links():
    with naik.Session(path("lat.h5"), action="hisq") as s:
        made = s.sources.point(1, 0, 2, 3, spin_taste="GXT-G5X")
        assert np.count_nonzero(np.abs(made).sum(axis=(0, 5))) == 8, made  # three shifts from the site
        g, _, _ = stored("hisq-moved", "{type: hisq}", POINT[:-1] + ", spin_taste: GXT-G5X}", "pion5")
        assert s.solve(made, mass=0.1).x.tobytes() == g.tobytes()


def links_of_an_array_and_modes_of_a_file_do_too():
    links = links_of_file()
    g, _, _ = stored("array", "{type: naive}", POINT, "pion5")
    with naik.Session(links, action="naive") as s:
        x, _ = s.solve(s.sources.point(1, 0, 2, 3)[0], mass=0.1)
        assert x.shape == s.shape and x.tobytes() == g[0].tobytes()
    modes = f"deflation: {{modes: 16, file: {path('modes.h5')}}}"
    g, _, records = stored("deflated", "{type: hisq}", POINT, "pion5", modes)
    with naik.Session(path("lat.h5"), deflation={"modes": 16, "file": path("modes.h5")}) as s:
        x, results = s.solve(s.sources.point(1, 0, 2, 3), mass=0.1)
        assert x.tobytes() == g.tobytes() and [r.modes for r in results] == list(records["modes"]) == [16] * 3
        deflation = {"modes": 16, "file": path("never.h5"), "tolerance": 1e-4}  # more cycles than one
        alone = naik.Session(path("lat.h5"), deflation=deflation, log=press)
        try:
            alone.solve(s.sources.point(1, 0, 2, 3), mass=0.1)
            raise AssertionError("the search was not stopped")
        except KeyboardInterrupt:
            assert not os.path.exists(path("never.h5"))
        finally:
            alone.close()
        point = s.sources.point(1, 0, 2, 3)[:1]
        assert s.solve(point, mass=0.1, naik_epsilon=-0.1).results[0].modes == 16 and os.path.exists(path("modes.h5.epsilon-0.1"))
        again = s.solve(point, mass=0.1)
        assert again.x.tobytes() == x[:1].tobytes() and again.results[0].modes == 16
        zero, = s.solve(np.zeros_like(x[:1]), mass=0.1).results
        assert zero.converged and zero.iterations == zero.modes == 0, zero  # modes had no part in it
        plain = s.solve(s.sources.point(1, 0, 2, 3), mass=0.1, deflate=False).results
        assert plain[0].modes == 0 and plain[0].iterations > results[0].iterations


def one_setup_of_multigrid_serves_the_solves_of_a_quark():
    words = "solver: {method: multigrid}\nmultigrid: {aggregate: [2, 2, 2, 2], restart: 2, vectors: 6, smoother: 1}"
    g, _, records = stored("multigrid", "{type: clover, csw: 1.2}", POINT, "pion", words)
    lines = []
    with naik.Session(path("lat.h5"), action={"type": "clover", "csw": 1.2}, solver={"method": "multigrid"},
                      multigrid={"aggregate": [2, 2, 2, 2], "restart": 2, "vectors": 6, "smoother": 1}, log=lines.append) as s:
        made = s.sources.point(1, 0, 2, 3)
        assert max(records["iterations"]) > 12, records["iterations"]  # the outer GCR restarts
        solved = []
        threading.stack_size(0 if s.gpu else 128 << 10)  # as little as a thread of a caller may have
        for count in 1, 12, 5:  # the operators of one column do not hold twelve
            caller = threading.Thread(target=lambda: solved.append(s.solve(made[:count], mass=0.1)))
            caller.start()
            caller.join()
            assert solved.pop().x.tobytes() == g[:count].tobytes(), count
        threading.stack_size(0)
        assert [r.iterations for r in s.solve(made, mass=0.1).results] == list(records["iterations"])
        assert sum("multigrid start" in line for line in lines) == 1, lines
        x, _ = s.solve(made[:1], mass=0.2)
        assert x.tobytes() != g[:1].tobytes() and sum("multigrid start" in line for line in lines) == 2, lines
        x, _ = s.solve(made[:1], mass=0.1)
        assert x.tobytes() == g[:1].tobytes()
        for part, name in ("vectors", "near-null vectors"), ("coarse", "coarse matrices"):  # it is looked at, and made again
            os.environ["NAIK_INJECT"] = f"flip:{part}:3"
            refuses(naik.CorruptError, f"the {name} changed in the memory of rank 0 during a solve", s.solve, made[:1], mass=0.1)
            del os.environ["NAIK_INJECT"]
            x, _ = s.solve(made[:1], mass=0.1)
            assert x.tobytes() == g[:1].tobytes()


def press(line):
    """Ctrl-C at the first cycle of a search of low modes."""
    if line.startswith("modes: cycle"):
        os.kill(os.getpid(), signal.SIGINT)


def links_of_file():
    """[t][z][y][x][mu][3][3] complex."""
    with h5py.File(path("lat.h5")) as f:
        return f["gauge"][...].view(np.complex128).reshape(8, 4, 4, 4, 4, 3, 3)


def two_sessions_live_in_one_process():
    os.link(path("lat.h5"), odd := path('of "b" \\ {c}: d.h5'))  # letters that a quoted scalar must keep
    a, b = naik.Session(path("lat.h5")), naik.Session(odd, action="wilson")
    src = a.sources.point(0, 0, 0, 0)[:1]
    alone = a.solve(src, mass=0.2).x
    between = b.solve(b.sources.point(0, 0, 0, 0)[:2], kappa=0.115)
    assert between.results[0].converged and a.solve(src, mass=0.2).x.tobytes() == alone.tobytes()
    # other quarks of one session: their masses, Naik epsilons and twists
    other = a.solve(src, mass=0.2, naik_epsilon=-0.1, twist=[0.5, 0, 0]).x
    assert np.abs(other - alone).max() > 1e-3 and a.solve(src, mass=0.2).x.tobytes() == alone.tobytes()
    looks = []
    a.progress = looks.append
    whole = a.solve(a.sources.point(0, 0, 0, 0), mass=0.2).x
    a.progress = None
    assert max(p.running for p in looks) == 3, looks  # together, though one alone came before
    assert np.array_equal(a.contract("G5-G5", whole), a.contract("pion5", whole))  # MILC's label
    assert np.allclose(a.contract("pion5", whole, whole), a.contract("pion5", whole), rtol=1e-14)
    mixed = a.contract("pion5", a.solve(a.sources.point(0, 0, 0, 0), mass=0.2).x, a.solve(a.sources.point(0, 0, 0, 0), mass=0.4).x)
    assert mixed.shape == (8,) and mixed[0].real > 0
    gone, thin = weakref.ref(b.sources), weakref.ref(naik.Session(path("lat.h5")))
    assert gone() is None and thin() is None  # of one that nobody holds nothing is left
    for send in copy.copy, copy.deepcopy, pickle.dumps:  # two that free one memory
        refuses(naik.ArgumentError, "a session can be neither copied nor sent", send, a)
    a.close()
    refuses(naik.ArgumentError, "the session is closed", a.solve, src, mass=0.2)
    refuses(naik.ArgumentError, "the session is closed", a.__enter__)
    assert repr(a).endswith("lat.h5, closed>"), a
    assert b.solve(b.sources.point(0, 0, 0, 0)[:1], kappa=0.115).x.tobytes() == between.x[:1].tobytes()
    b.close()


def what_is_wrong_raises_with_the_sentence():
    refuses(naik.InputError, "cannot open the gauge configuration", naik.Session, path("nowhere"))
    refuses(naik.InputError, "unknown key 'solver.tolerence'; did you mean 'solver.tolerance'?", naik.Session, path("lat.h5"),
            solver={"tolerence": 1})
    refuses(naik.InputError, "'action.type' must be one of", naik.Session, path("lat.h5"), action="hisk")
    refuses(naik.InputError, "must be above 0", bad_mass)
    refuses(naik.InputError, "multigrid finds no aggregates along x", naik.Session, path("lat.h5"), action="wilson",
            solver={"method": "multigrid"}, multigrid={"aggregate": [3, 4, 4, 4]})
    refuses(naik.InputError, "holds no SU(3) configuration", naik.Session, np.ones((8, 4, 4, 4, 4, 3, 3), complex))
    with naik.Session(path("lat.h5")) as s:
        refuses(naik.InputError, "has the axes t, z, y, x of [8, 4, 4, 4], and one of shape [4, 4, 4, 8, 3] does not", s.gather,
                np.ones((4, 4, 4, 8, 3)))
        refuses(naik.InputError, "does not have them from axis 2 on", s.cut, np.ones((2, 8, 4, 4, 4, 3)), 2)
    refuses(naik.InputError, "an array [t][z][y][x][4][3][3]", naik.Session, np.ones((4, 4, 4, 4)))
    for configuration, action in ((path("lat.h5"), "hisq"), (None, {"type": "links", "file": path("lat.h5")})):
        refuses(naik.InputError, "size belongs to an array of links", naik.Session, configuration, size=(4, 4, 4, 8), action=action)
    refuses(naik.InputError, "numbers, texts and lists", naik.Session, path("lat.h5"), solver={"tolerance": {1e-8}})
    for sentence, words in (("solver must be a dictionary of keys of an input file, not 'cg'", {"solver": "cg"}),
                            ('action must be a word such as "hisq" or a dictionary', {"action": ["hisq"]}),
                            ("log must be True, a function or None, not 'yes'", {"log": "yes"}),
                            ("progress must be True, a function or None", {"progress": "yes"}),
                            ("^'action.type' must be one of .*; did you mean 'hisq'", {"action": "hisk"}),
                            ("naik takes the extents of a file from the file", {"size": (4, 4, 4, 8)})):
        refuses(naik.InputError, sentence, naik.Session, path("lat.h5"), **words)
    refuses(naik.InputError, "a configuration that is no path must be an array of numpy, CuPy or DLPack, not int", naik.Session, 5)
    refuses(naik.InputError, "give the path of a file or an array of links", naik.Session, gauge={"config": "lat"})
    naik.Session(path("{config}.h5"), action="naive", gauge={"config": "lat"}, log=None).close()
    naik.Session(action="naive", gauge={"config": "lat", "file": path("{config}.h5")}, log=None).close()
    refuses(naik.InputError, "{config}.h5' has {config}, for which gauge.config gives no name", naik.Session, path("{config}.h5"), action="naive")
    refuses(naik.InputError, "^'lattice.size' must be even in every direction, not 7 in t", naik.Session, np.ones((7, 4, 4, 4, 4, 3, 3)))
    for words in ({"size": (4, 4, 8)}, {"size": 4.0}, {"run": {"grid": np.ones(3, int)}}, {"run": {"grid": "1x1x1x1"}}):
        refuses(naik.InputError, "must be 4 integers", naik.Session, np.ones((8, 4, 4, 4, 4, 3, 3)), **words)
    with open(path("lat.h5"), "rb") as f:
        data = bytearray(f.read())
    with h5py.File(path("lat.h5")) as f:
        data[f["gauge"].id.get_offset() + 1000] ^= 1
    with open(path("bad.h5"), "wb") as f:
        f.write(data)
    refuses(naik.CorruptError, "checksum", naik.Session, path("bad.h5"))
    with naik.Session(path("lat.h5")) as s:
        src = s.sources.point(0, 0, 0, 0)
        refuses(naik.InputError, "must have the shape [n] + [8, 4, 4, 4, 3]", s.solve, src[..., :2], mass=0.1)
        last = src.copy()
        last[-1, -1, -1, -1, -1, -1] = np.inf
        for bad in (src * np.nan, last):
            refuses(naik.InputError, "^a source holds numbers that are not finite$", s.solve, bad, mass=0.1)
        for small in (1e-135, 1e-153, 1e-170, 1e-320):  # the last two have the square 0
            refuses(naik.InputError, "add up to less than 1e-260", s.solve, src * small, mass=0.1)
        for large in (src * 1e155, src * 1e300, (src + np.roll(src, 1, 4)) * 1.2e154):  # the last: on each parity, not on both
            refuses(naik.InputError, "by a large number, and multiply the solution by that number", s.solve, large, mass=0.1)
        exact = s.solve(src, mass=0.1, tolerance=1e-8).x
        for power in (-410, -133, 140):  # the second is among the smallest numbers of a float
            assert (s.solve(src * 2.0**power, mass=0.1, tolerance=1e-8).x * 2.0**-power == exact).all(), power
        assert not s.solve(src * 0, mass=0.1).x.any()
        refuses(naik.InputError, "no meson 'rho_x' of hisq quarks", s.contract, "rho_x", src)
        refuses(naik.InputError, "a propagator has 3 columns, not 1", s.contract, "pion5", src[:1])
        for words in ({"momentum": p} for p in ((0.5, 0, 0), (1, 0), 1, [], (2**32, 0, 0), [[1, 0, 0], [1, 0]], [[[1, 0, 0]]], (True, 0, 0.5))):
            refuses(naik.InputError, "momentum must be 3 integers or a list of such", s.contract, "pion5", src, **words)
        for origin in ((1, 0, 0), (1, 0, 0, 0.5), None):
            refuses(naik.InputError, "origin must be 4 integers", s.contract, "pion5", src, origin=origin)
        refuses(naik.InputError, "origin [4, 0, 0, 0] lies outside the lattice [4, 4, 4, 8]", s.contract, "pion5", src, origin=(4, 0, 0, 0))
        refuses(naik.InputError, "meson must be a text such as", s.contract, src, "pion5")
        refuses(naik.InputError, "quark must be an array of numpy, CuPy or DLPack, not NoneType", s.contract, "pion5", None)
        refuses(naik.InputError, "antiquark must be an array, not a naik.Solution: give its x", s.contract, "pion5", src, naik.Solution(src, []))
        for mass in ([0.1, 0.2], "light", np.array("light"), 1j, True, [[1], [1, 2]]):
            refuses(naik.InputError, "mass must be one number, because a call solves for one quark, and not", s.solve, src, mass=mass)
        for words in ({}, {"mass": 0.1, "kappa": 0.1}):
            refuses(naik.InputError, "a mass or, for quarks with spin, a kappa, and not both", s.solve, src, **words)
        for sentence, words in (("^'mass' must be above 0, not -0.1$", {"mass": -0.1}), ("^'mass' must be a number from -4 to 100, not 'NaN'", {"mass": np.nan}),
                                ("^'kappa' applies to action.type", {"kappa": 0.1}), ("^'twist' must be three numbers", {"mass": 1, "twist": 1}),
                                ("^'tolerance' must be a number from 1e-16 to 1, not '2.0'", {"mass": 1, "tolerance": 2})):
            refuses(naik.InputError, sentence, s.solve, src, **words)
        refuses(naik.InputError, "makes one source at a time, and these keys make 2", s.sources.make, type="point", origin=[[0, 0, 0, 0], [0, 0, 0, 1]])
        refuses(naik.InputError, "^key 'origin' is missing", s.sources.point)
        refuses(naik.InputError, "^unknown key 'colour'; did you mean 'colours'", s.sources.point, 0, 0, 0, 0, colour=1)
        refuses(naik.InputError, "the place of the source is given twice", s.sources.point, 0, 0, 0, 0, origin=(0, 0, 0, 0))
        assert np.array_equal(s.sources.point((1, 0, 2, 3)), s.sources.point(origin=(1, 0, 2, 3)))
        refuses(naik.InputError, "must be an array of numpy, not list", s.cut, [1])
        refuses(naik.InputError, "axis must be the number of the axis t, not 't'", s.gather, src, "t")
        assert repr(s).endswith("lat.h5: hisq quarks, lattice 4x4x4x8, 1 rank on CPUs>" if not s.gpu else "1 rank on a GPU>"), s
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            s.sources.wall(0, "corner")
            s.sources.smeared(0, 0, 0, 0, radius=6, iterations=2)
        assert told[0].filename == __file__  # the line of the caller
        assert [w.category for w in told] == [naik.Warning] * 2 and "Coulomb gauge" in str(told[0].message), told
        assert str(told[1].message).startswith("'radius' 6 in 2 iterations is unstable"), told
    with naik.Session(path("lat.h5"), solver={"max_iterations": 5}) as s, warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        results = s.solve(src[:1], mass=0.1).results  # one is enough
        assert [w.category for w in told] == [naik.NotConverged] and results[0].reason == "iteration limit", (told, results)


def what_changes_in_memory_raises_and_the_session_goes_on():
    for action, words in (("hisq", {"mass": 0.1}), ({"type": "clover", "csw": 1.2}, {"kappa": 0.13})):
        with naik.Session(path("lat.h5"), action=action) as s:
            src = s.sources.point(0, 0, 0, 0)
            right, results = s.solve(src, **words)
            assert min(r.iterations for r in results) > 20, results  # a GPU is looked at every tenth iteration
            orders = {"flip:links:5": "the links changed in the memory of rank 0", "nan:inner_links:5": "the links changed",
                      f"flip:source:{2 * len(src) + 1}": "the check of its solution"}  # read thrice, to verify at last
            if action != "hisq":
                orders["flip:inner_clover:5"] = "the clover blocks changed"
            for order, sentence in orders.items():
                os.environ["NAIK_INJECT"] = order
                try:
                    refuses(naik.CorruptError, sentence, s.solve, src, **words)
                finally:
                    del os.environ["NAIK_INJECT"]
                assert s.solve(src, **words).x.tobytes() == right.tobytes(), order
            os.environ["NAIK_INJECT"] = "flip:links:5"
            try:  # behind solutions of the same solve, which were found before it
                refuses(naik.CorruptError, "the links changed", s.solve, np.concatenate([0 * src, src]), **words)
            finally:
                del os.environ["NAIK_INJECT"]


def bad_mass():
    with naik.Session(path("lat.h5")) as s:
        s.solve(s.sources.point(0, 0, 0, 0), mass=-0.1)


def numbers_have_a_point_in_a_locale_of_commas():
    made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", path("de_DE.UTF-8")], capture_output=True) if shutil.which("localedef") else None
    if made is None or not os.path.isdir(path("de_DE.UTF-8")):
        return "needs localedef and the source of de_DE"
    before, lines, links = locale.setlocale(locale.LC_ALL), [], links_of_file()
    os.environ["LOCPATH"] = SCRATCH
    try:
        locale.setlocale(locale.LC_ALL, "de_DE.UTF-8")
    except locale.Error:
        return "the locale that localedef made here does not load"
    finally:
        del os.environ["LOCPATH"]  # it would hide those that the system has
    try:
        with naik.Session(path("lat.h5"), action={"type": "clover", "csw": 1.2}, solver={"tolerance": 0.5}, log=lines.append) as s:
            src = s.sources.gaussian(0, 0, 0, 0, radius=1.5)
            german = s.solve(src, mass=0.25).x
            write_ildg(s, path("german.lime"))
        naik.Session(links, action={"type": "clover", "csw": 1.2}, run={"grid": [1, 1, 1, 1]}).close()
        refuses(naik.InputError, "to 0.9, not '0.99'", naik.Session, links, action="wilson", multigrid={"coarse_tolerance": 0.99})
        refuses(naik.InputError, "its links are 1.06 times unitary", naik.Session, links * 1.06)
        assert locale.localeconv()["decimal_point"] == ","
    finally:
        locale.setlocale(locale.LC_ALL, before)
    with naik.Session(path("lat.h5"), action={"type": "clover", "csw": 1.2}, solver={"tolerance": 0.5}) as s:
        assert s.solve(src, mass=0.25).x.tobytes() == german.tobytes()
    assert any(re.search(r"plaquette .* \d\.\d", line) for line in lines), lines
    assert not any(re.search(r"\d,\d", line) for line in lines), lines
    naik.Session(path("german.lime"), action="naive").close()  # what its text says is compared with the links
    with open(path("german.lime"), "rb") as f:
        assert re.search(rb"<plaq>\d\.\d+e", f.read())


def write_ildg(s, name):
    """A file with numbers in its text, by a call of C."""
    lib, links = ctypes.CDLL(LIBRARY), ctypes.c_void_p()
    lib.naik_session_lattice.restype = ctypes.c_void_p
    assert lib.naik_gauge_create(ctypes.c_void_p(lib.naik_session_lattice(s._session)), ctypes.byref(links)) == 0
    lib.naik_gauge_set_random(links, ctypes.c_uint64(5))
    assert lib.naik_gauge_write(name.encode(), b"ildg", links, 64, None) == 0
    lib.naik_gauge_destroy(ctypes.byref(links))


def progress_lines_and_control_c_are_heard():
    heard, lines = [], []
    with naik.Session(path("lat.h5"), log=lines.append, solver={"tolerance": 1e-13, "batch": 1}) as s:
        src = s.sources.point(0, 0, 0, 0)
        s.progress = heard.append
        whole = s.solve(src, mass=0.01)
        s.progress, said = True, io.StringIO()
        with contextlib.redirect_stdout(said):
            s.solve(src[:1], mass=0.01)
        assert said.getvalue().endswith(" \n") and "\rnaik: 1 of 1 solved, iteration" in said.getvalue(), said.getvalue()
        assert any("plaquette" in line for line in lines) and any(line.startswith("links: hisq") for line in lines), lines
        assert heard and heard[-1].count == 3 and max(p.iterations for p in heard) > 20 and heard[-1].done == 3, heard

        looks = []

        def press(p):
            looks.append(p)
            if p.done == 1 and p.running:
                os.kill(os.getpid(), signal.SIGINT)

        def fail(p):
            looks.append(p)
            raise LookupError("of the callback")

        def close(p):
            looks.append(p)
            s.close()

        def again(p):
            looks.append(p)
            other = threading.Thread(target=lambda: refuses(naik.ArgumentError, "the session is at work", s.close))
            other.start()
            other.join()
            s.sources.point(0, 0, 0, 0)

        handler = signal.getsignal(signal.SIGINT)
        for hear, kind, most in ((press, KeyboardInterrupt, 1), (fail, LookupError, 0), (close, naik.ArgumentError, 0), (again, naik.ArgumentError, 0)):
            s.progress = hear
            looks.clear()
            try:
                s.solve(src, mass=0.01)
                raise AssertionError(f"no {kind.__name__}")
            except kind:
                assert looks[-1].done == most, looks  # at the next look, not at the end
        assert signal.getsignal(signal.SIGINT) is handler
        s.progress = None
        assert s.solve(src, mass=0.01).x.tobytes() == whole.x.tobytes()  # and the session goes on


class Device:
    """What CuPy's arrays have, on the host."""
    def __init__(self, array):
        self.array = array

    @property
    def __cuda_array_interface__(self):
        return {"version": 3, "shape": self.array.shape, "typestr": self.array.dtype.str, "strides": None, "stream": None,
                "data": (self.array.ctypes.data, False)}

    def get(self):
        return self.array


class Elsewhere:
    """What numba's arrays have: no way to the host that naik knows."""
    def __init__(self, array):
        self.__cuda_array_interface__ = Device(array).__cuda_array_interface__


class Memory:
    """An array in the memory of the GPU, by the run time alone: CUDA's, HIP's, or the emulator's in the library."""
    runtime = None
    NAMES = [("cudaMalloc", "cudaFree", "cudaMemcpy"), ("hipMalloc", "hipFree", "hipMemcpy"),
             ("_Z13wave64_mallocPPvm", "_Z7hipFreePv", "_Z9hipMemcpyPvPKvm13hipMemcpyKind")]

    @classmethod
    def load(cls):
        folders = [os.path.join(os.environ[k], d) for k in ("CUDA_DIR", "CUDA_HOME", "ROCM_PATH") if k in os.environ for d in ("lib64", "lib")]
        names = [os.path.join(d, n) for d in [*folders, "/usr/local/cuda/lib64", "/opt/rocm/lib", ""]
                 for n in ("libcudart.so", "libcudart.so.13", "libcudart.so.12", "libamdhip64.so")]
        for name in [LIBRARY, *names]:
            with contextlib.suppress(OSError):
                lib = ctypes.CDLL(name)
                for found in cls.NAMES:
                    if all(hasattr(lib, n) for n in found):
                        cls.runtime, (cls.malloc, cls.free, cls.copy) = lib, (getattr(lib, n) for n in found)
                        cls.kind = 2 if found[0] == "cudaMalloc" else 10  # of DLPack
                        return True
        return False

    def __init__(self, array, **face):
        self.shape, self.address, self.face = array.shape, ctypes.c_void_p(), face
        assert type(self).malloc(ctypes.byref(self.address), ctypes.c_size_t(array.nbytes)) == 0
        assert type(self).copy(self.address, array.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(array.nbytes), 1) == 0

    def __del__(self):
        type(self).free(self.address)

    def read(self):
        out = np.empty(self.shape, complex)
        assert type(self).copy(out.ctypes.data_as(ctypes.c_void_p), self.address, ctypes.c_size_t(out.nbytes), 2) == 0
        return out

    @property
    def __cuda_array_interface__(self):
        return {"version": 3, "shape": self.shape, "typestr": "<c16", "data": (self.address.value, False), **self.face}


class Capsule:
    """The same by DLPack alone."""
    def __init__(self, memory):
        from naik import arrays
        self.memory, self.shape = memory, (ctypes.c_int64 * len(memory.shape))(*memory.shape)
        self.tensor = arrays._Tensor(memory.address, memory.kind, 0, len(memory.shape), 5, 128, 1, self.shape, None, 0)

    def __dlpack_device__(self):
        return self.tensor.device_type, 0

    def __dlpack__(self, **keys):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self.tensor), b"dltensor", None)


class Tensor:
    """What torch's tensors have: another object of the same memory, and none of its interface where a gradient is wanted."""
    is_cuda = True
    __module__ = "torch"

    def __init__(self, array, conj=False, grad=False, read_only=False):
        self.array, self.conj, self.grad, self.read_only = array, conj, grad, read_only

    @property
    def __cuda_array_interface__(self):
        if self.grad:
            raise RuntimeError("Can't get __cuda_array_interface__ on Variable that requires grad.")
        return {**Device(self.array).__cuda_array_interface__, "data": (self.array.ctypes.data, self.read_only)}

    def detach(self):
        return Tensor(self.array, self.conj, read_only=self.read_only)

    def resolve_conj(self):
        return Tensor(self.array.conj()) if self.conj else self

    resolve_neg = contiguous = lambda self: self

    def to(self, kind):
        return self

    def is_conj(self):
        return self.conj

    def is_neg(self):
        return False


def what_is_written_on_the_gpu_is_the_array_itself():
    """Without a GPU: who would read the addresses is not asked."""
    import types
    from naik import arrays
    before = sys.modules.get("torch")
    sys.modules["torch"] = types.SimpleNamespace(complex128="complex128")
    try:
        numbers = np.zeros((1, 2, 3), complex)
        like = arrays.take(Tensor(numbers, conj=True, grad=True), True, "sources")
        for out in (Tensor(numbers), Tensor(numbers, grad=True), Device(numbers)):
            taken = arrays.take_out(out, like)
            assert taken.given() is out and ctypes.cast(taken.pointer, ctypes.c_void_p).value == numbers.ctypes.data
        for out in (Tensor(numbers, conj=True), Tensor(numbers, read_only=True), Tensor(numbers.real), numbers):
            refuses(naik.InputError, "on the GPU that may be written to", arrays.take_out, out, like)
        refuses(naik.InputError, "out must have the shape of the sources", arrays.take_out, Device(numbers[:, :1]), like)
    finally:
        sys.modules.pop("torch")
        if before is not None:
            sys.modules["torch"] = before
    # the stride of an extent of 1 means nothing
    assert arrays._are_contiguous((1, 2, 3), (7, 3, 1), 1) and not arrays._are_contiguous((2, 2, 3), (7, 3, 1), 1)
    assert arrays._are_contiguous((2, 3), None, 16) and not arrays._are_contiguous((2, 3), (16, 32), 16)


def arrays_on_the_gpu_stay_there():
    with naik.Session(path("lat.h5")) as s:
        src = s.sources.point(1, 0, 2, 3)
        if not s.gpu:
            assert s.moved == (0, 0)
            refuses(naik.InputError, "sources must be on the host, and this array of Elsewhere is on a GPU: give a copy on the host", s.solve, Elsewhere(src), mass=0.1)
            refuses(naik.InputError, "out must be a contiguous complex128 array of numpy", s.solve, src, mass=0.1, out=src.real)
            refuses(naik.InputError, "out must have the shape of the sources", s.solve, src, mass=0.1, out=np.zeros_like(src[:2]))
            more = np.concatenate([src, src])
            for first, second in ((more[:3], more[1:4]), (more[1:4], more[:3])):
                refuses(naik.InputError, "give the same array, or two that share no memory", s.solve, first, mass=0.1, out=second)
            x, mine = s.solve(src, mass=0.1).x, src.copy()
            assert s.solve(mine, mass=0.1, out=mine).x is mine and mine.tobytes() == x.tobytes()
            return None
        if not Memory.load():
            return "needs libcudart or libamdhip64"
        def traffic(call):
            before = s.moved
            result = call()
            return result, [b - a for a, b in zip(before, s.moved)]

        (x, _), host = traffic(lambda: s.solve(src, mass=0.1))
        c = s.contract("pion5", x, momentum=(1, 0, 0))
        there, out = Memory(src), Memory(np.zeros_like(src))
        solution, device = traffic(lambda: s.solve(there, mass=0.1, out=out))
        assert solution.x is out and out.read().tobytes() == x.tobytes() and there.read().tobytes() == src.tobytes()
        # what is left are scalars of the solver
        assert host[0] - device[0] >= src.nbytes and host[1] - device[1] >= src.nbytes, (host, device, src.nbytes)
        again, device = traffic(lambda: s.contract("pion5", out, momentum=(1, 0, 0)))
        assert np.array_equal(again, c) and device[0] < src[0].nbytes, device
        assert np.array_equal(s.contract("rhox", out, Memory(x)), s.contract("rhox", x, x))
        taken = Capsule(Memory(src))
        s.solve(taken, mass=0.1, out=taken)
        assert taken.memory.read().tobytes() == x.tobytes()
        refuses(naik.InputError, "one array lies on the GPU and one on the host", s.contract, "pion5", out, x)
        refuses(naik.InputError, "give one as out=", s.solve, there, mass=0.1)
        refuses(naik.InputError, "out must be a contiguous complex128 array on the GPU that may be written to", s.solve, there, mass=0.1, out=src.copy())
        strides = tuple(np.swapaxes(src, 1, 2).strides)
        refuses(naik.InputError, "must hold complex128 in the order of its axes", s.solve, Memory(src, strides=strides), mass=0.1, out=out)
        refuses(naik.InputError, "must hold complex128", s.solve, Memory(src, typestr="<c8"), mass=0.1, out=out)
        bad = src.copy()
        bad[2, 0, 0, 0, 0, 1] = np.nan
        refuses(naik.InputError, "numbers that are not finite", s.solve, Memory(bad), mass=0.1, out=out)


def a_process_that_fork_made_is_refused():
    """Its threads of naik would wait for ever."""
    with naik.Session(path("lat.h5")) as s:
        src = s.sources.point(0, 0, 0, 0)
        before = s.solve(src, mass=0.1).x
        child = os.fork()
        if child == 0:
            status = 1
            try:
                for call in (lambda: s.solve(src, mass=0.1), s.close, lambda: naik.Session(path("lat.h5"))):
                    refuses(naik.ArgumentError, "fork made this process", call)
                s._free()  # frees nothing of the other process
                status = 0
            finally:
                os._exit(status)
        assert os.waitpid(child, 0)[1] == 0
        assert (s.solve(src, mass=0.1).x == before).all()


def what_naik_takes_from_a_gpu_is_complex128_in_the_order_of_its_axes():
    """By what an array says of itself; no GPU is needed."""
    from naik import arrays
    face = {"shape": (2, 3), "typestr": "<c16", "data": (4096, False), "strides": None}
    assert arrays._of_interface(face) == arrays._of_interface({**face, "strides": (48, 16)}) == (4096, (2, 3), None)
    for wrong in {"typestr": "<c8"}, {"strides": (16, 32)}, {"strides": (96, 16)}, {"strides": (48, 32)}, {"mask": object()}:
        assert arrays._of_interface({**face, **wrong}) is None, wrong

    class Numbers:
        address, kind, shape = ctypes.c_void_p(4096), 2, (2, 3)
    taken = Capsule(Numbers())
    assert arrays._of_dlpack(taken)[:2] == (4096, (2, 3))
    taken.tensor.byte_offset = 32
    assert arrays._of_dlpack(taken)[:2] == (4128, (2, 3))
    for wrong in {"bits": 64}, {"lanes": 2}, {"code": 2}:
        other = Capsule(Numbers())
        for name, value in wrong.items():
            setattr(other.tensor, name, value)
        assert arrays._of_dlpack(other) is None, wrong


class Exporter:
    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **keys):
        return self.array.__dlpack__(**keys)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Torch:
    """A tensor of torch that is still to be conjugated."""
    device = "cpu"

    def __init__(self, array, pending=True):
        self.array, self.pending = array, pending

    def detach(self):
        return self

    cpu = detach

    def resolve_conj(self):
        return Torch(self.array.conj(), False)

    def numpy(self):
        assert not self.pending
        return self.array


class Unwilling(Exporter):
    def __dlpack__(self, **keys):
        raise BufferError("not here")


class Readable(Unwilling):
    def __array__(self, *_, **keys):
        return self.array


def arrays_of_others_are_taken_through_the_host():
    with naik.Session(path("lat.h5")) as s:
        src = s.sources.point(0, 0, 0, 0)
        x = s.solve(src, mass=0.1).x
        for other in (*([] if s.gpu else [Device(src)]), Exporter(src), src.tolist()):  # a GPU would look where Device says
            assert np.array_equal(s.solve(other, mass=0.1).x, x), type(other)
        assert np.array_equal(s.contract("pion5", Torch(x.conj())), s.contract("pion5", x))
        assert np.array_equal(s.contract("pion5", Readable(x)), s.contract("pion5", x))
        refuses(naik.InputError, "cannot be read on the host: not here", s.solve, Unwilling(src), mass=0.1)
        for other in ([[1, 2], [3]], np.zeros(8, [("re", float), ("im", float)]), [{}]):
            refuses(naik.InputError, "sources must be an array of complex numbers: ", s.solve, other, mass=0.1)
        hidden = np.ma.masked_array(src, mask=src == 0)
        refuses(naik.InputError, "some numbers of sources are masked", s.solve, hidden, mass=0.1)
        refuses(naik.InputError, "some numbers of antiquark are masked", s.contract, "pion5", x, hidden)
        assert np.array_equal(s.solve(np.ma.masked_array(src), mass=0.1).x, x)  # of nothing
        hidden = src.copy()
        hidden.flags.writeable = False
        refuses(naik.InputError, "of numpy that may be written to", s.solve, src, mass=0.1, out=hidden)
        for other in (np.asfortranarray(src), src.astype(">c16"), np.repeat(src, 2, axis=0)[::2]):
            assert np.array_equal(s.solve(other, mass=0.1).x, x)
        refuses(naik.InputError, "must have the shape", s.solve, np.array(1), mass=0.1)
        refuses(naik.InputError, "of numpy, CuPy or DLPack, not str", s.solve, "source", mass=0.1)


RANKS = r"""
import os
import re
import sys
import numpy as np
{first}
import naik
{second}
s = naik.Session({links}, action="hisq", comm={comm}, run=dict(share_gpu=True))
w = naik.Session({links}, action="wilson", comm={comm}, run=dict(share_gpu=True))
x, _ = s.solve(s.sources.point(1, 0, 2, 3), mass=0.1)
y, _ = w.solve(w.sources.point(1, 0, 2, 3), mass=0.1)
c = s.contract("pion5", x, origin=(1, 0, 2, 3), momentum=(0, 1, 0))
mine = x
x, y = s.gather(x), w.gather(y, 1)
assert np.array_equal(s.cut(x), mine) and np.array_equal(s.gather(s.cut(x[0, ..., 0])), x[0, ..., 0])
from mpi4py import MPI
assert "OMPI_MCA_ess_singleton_isolated" not in os.environ  # it is for naik's own start
try:
    s.solve(s.sources.point(1, 0, 2, 3)[:1 + MPI.COMM_WORLD.rank], mass=0.1)
except naik.InputError as error:
    assert "the same number of sources" in str(error), error
    sys.stdout.write(f"uneven {{MPI.COMM_WORLD.rank}}\n")
if MPI.COMM_WORLD.rank == 0:
    np.savez({out!r}, x=x, y=y, c=c)
links = {links}


def refuse(what, call, *words, **keys):
    try:
        call(*words, **keys)
    except naik.InputError as error:
        assert what in str(error), error
        return
    raise AssertionError(what)


class Mute:  # its sentence is no UTF-8
    def __dlpack__(self, **keys):
        raise BufferError(chr(0xdc80))

    def __dlpack_device__(self):
        return 1, 0


class Stopped(Mute):
    def __dlpack__(self, **keys):
        raise KeyboardInterrupt


wrong = MPI.COMM_WORLD.rank == MPI.COMM_WORLD.size - 1  # what is so on one rank is refused on all, and none waits for it
src = s.sources.point(1, 0, 2, 3)
refuse("sources must have the shape", s.solve, src[..., :1] if wrong else src, mass=0.1)
refuse("and not both", s.solve, src, mass=0.1, kappa=0.1 if wrong else None)
refuse("cannot be read on the host", s.solve, Mute() if wrong else src, mass=0.1)
for first in (False, True):  # Ctrl-C on one rank, which may be rank 0
    stopped = MPI.COMM_WORLD.rank == 0 if first else wrong
    try:
        s.solve(Stopped() if stopped else src, mass=0.1)
        raise AssertionError(stopped)
    except (KeyboardInterrupt, naik.errors.Interrupted) as error:
        assert stopped == isinstance(error, KeyboardInterrupt), error
        assert stopped or "KeyboardInterrupt ended this call on another rank" in str(error), error
refuse("a propagator has 3 columns, not 2", s.contract, "pion5", mine[:2] if wrong else mine)
refuse("numbers, texts and lists", s.sources.make, type="point", origin=object() if wrong else [0, 0, 0, 0])
refuse("an array of a rank's box has the axes", s.gather, mine[:, 1:] if wrong else mine)
refuse("a session needs a configuration", naik.Session, None if wrong else links, action="naive", comm={comm}, run=dict(share_gpu=True))
if MPI.COMM_WORLD.size > 1:
    refuse("called with other arguments than rank 0", s.solve, src, mass=0.2 if wrong else 0.1)
    refuse("called with other arguments than rank 0", s.contract if wrong else s.solve, "pion5" if wrong else src, src if wrong else 0.1)
if MPI.COMM_WORLD.size > 1 and not isinstance(links, str):  # another box than naik chooses, which rank 0 alone knows
    if MPI.COMM_WORLD.rank == 0:
        os.environ["NAIK_GRID"] = "2x1x1x1"
    lines = []
    with naik.Session(np.concatenate([links, links], 3), action="naive", run=dict(share_gpu=True), log=lines.append) as wide:
        assert wide.grid == (2, 1, 1, 1), wide.grid
    os.environ.pop("NAIK_GRID", None)
    with naik.Session(links, action="naive", run=dict(share_gpu=True), log=lines.append) as thin:
        assert thin.grid == (1, 1, 1, 2), thin.grid
    told = re.findall(r"plaquette +space-space (\S+),", " ".join(lines))
    assert MPI.COMM_WORLD.rank > 0 or len(told) == 2 and abs(float(told[0]) - float(told[1])) < 1e-6, lines
try:
    s.solve(s.sources.point(1, 0, 2, 3)[..., :1], mass=0.1)
except naik.InputError as error:
    sys.stdout.write(f"refused {{MPI.COMM_WORLD.rank}}\n")


def fail(p):
    raise LookupError


if MPI.COMM_WORLD.rank == MPI.COMM_WORLD.size - 1:  # the others learn it
    s.progress = fail
try:
    s.solve(s.sources.point(1, 0, 2, 3), mass=0.1)
    sys.stdout.write(f"went on {{MPI.COMM_WORLD.rank}}\n")
except (LookupError, naik.Interrupted) as error:
    sys.stdout.write(f"{{type(error).__name__}} {{MPI.COMM_WORLD.rank}}\n")
import gc
import weakref
lost = naik.Session({links}, action="naive", comm={comm}, run=dict(share_gpu=True))
kept = weakref.ref(lost)
del lost
gc.collect()  # at another time on every rank, while closing is collective
assert (kept() is None) == (MPI.COMM_WORLD.size == 1)
{last}
"""


class OtherMPI:
    """mpi4py that was built for another MPI."""
    def Get_library_version(self):
        return "Other MPI 1.0"

    def py2f(self):
        raise AssertionError("a handle that means nothing was taken")


def a_communicator_of_another_mpi_is_refused():
    import types
    other = types.ModuleType("mpi4py")
    other.MPI = OtherMPI()
    before = {k: sys.modules.get(k) for k in ("mpi4py", "mpi4py.MPI")}
    sys.modules.update({"mpi4py": other, "mpi4py.MPI": other.MPI})
    try:
        refuses(naik.InputError, "mpi4py with Other MPI 1.0: install mpi4py for the MPI that naik uses", naik.Session, path("lat.h5"), comm=other.MPI)
        refuses(naik.InputError, "comm must be a communicator of mpi4py or None, not int", naik.Session, path("lat.h5"), comm=7)
    finally:
        for name, module in before.items():
            sys.modules.pop(name)
            if module is not None:
                sys.modules[name] = module


def ranks_of_mpi4py_and_of_naik_make_the_same_bits():
    if importlib.util.find_spec("mpi4py") is None:
        return "needs mpi4py"
    g, _, _ = stored("ranks", "{type: hisq}", POINT, "pion5")
    np.save(path("links.npy"), links_of_file())
    file, array = repr(path("lat.h5")), f"np.load({path('links.npy')!r})"
    made = []
    # mpi4py begins MPI, or naik does; sessions are closed, or left to the end of the process, or MPI ends before them
    ends = {"a": "s.close()", "b": "", "c": "MPI.Finalize()"}
    for name, first, second, comm, links, ranks in (("a", "from mpi4py import MPI", "", "MPI.COMM_WORLD", file, 2),
                                                    ("b", "", "", "None", array, 2), ("c", "", "", "None", file, 1)):
        script, out = path(f"ranks.{name}.py"), path(f"ranks.{name}.npz")
        with open(script, "w") as f:
            f.write(RANKS.format(first=first, second=second, comm=comm, links=links, out=out, last=ends[name]))
        words = (MPIRUN + ["-n", str(ranks)] if ranks > 1 else []) + [sys.executable, "-B", script]
        env = environment(ranks, {"PYTHONPATH": os.path.join(TOP, "python")})
        if ranks > 1 or name == "c":  # naik knows by itself what it needs without a launcher
            env = {k: v for k, v in env.items() if k not in ALONE}
        run = subprocess.run(words, capture_output=True, text=True, env={**env, **PARALLEL} if ranks > 1 else env, timeout=300)
        assert run.returncode == 0, (name, run.stdout, run.stderr)
        told = [f"refused {r}" for r in range(ranks)] + [f"Interrupted {r}" for r in range(ranks - 1)] + [f"LookupError {ranks - 1}"]
        told += [f"uneven {r}" for r in range(ranks) if ranks > 1]
        assert sorted(run.stdout.split("\n")[:-1]) == sorted(told), (name, run.stdout, run.stderr)
        made.append(dict(np.load(out)))
    for one in made:
        assert one["x"].tobytes() == g.tobytes()
        assert all(one[k].tobytes() == made[0][k].tobytes() for k in ("y", "c"))


ALONE = dict(pair.split("=", 1) for pair in os.environ.get("TESTS_ALONE", "").split())
PARALLEL = {"OMPI_MCA_btl": "self,vader"}


def the_wheel_is_made_without_a_network_and_finds_the_library():
    sys.path.insert(0, os.path.join(TOP, "python"))
    import wheel_of_naik
    import zipfile
    folder = path("site")
    with zipfile.ZipFile(path(wheel_of_naik.build_wheel(SCRATCH))) as wheel:
        wheel.extractall(folder)
        names = wheel.namelist()
    with open(os.path.join(folder, next(n for n in names if n.endswith("RECORD")))) as f:
        assert sorted(line.split(",")[0] for line in f) == sorted(names)
    metadata = email.message_from_string(open(os.path.join(folder, next(n for n in names if n.endswith("METADATA"))), encoding="utf-8").read())
    assert (metadata["Name"], metadata["License"]) == ("naik", "BSD-3-Clause") and "naik.Session" in metadata.get_payload(), metadata.items()
    with zipfile.ZipFile(path(wheel_of_naik.build_editable(SCRATCH))) as wheel:  # of pip install -e
        assert sorted(n.rpartition("/")[2] for n in wheel.namelist()) == ["METADATA", "RECORD", "WHEEL", "naik.pth"], wheel.namelist()
        assert wheel.read("naik.pth").decode() == os.path.join(TOP, "python") + "\n"
    env = {k: v for k, v in os.environ.items() if k != "NAIK_LIBRARY"}
    words = "import naik, naik_io, naik.io; assert naik_io is naik.io; assert naik.version().startswith(naik.__version__ + ' ('); print(naik.version())"
    run = subprocess.run([sys.executable, "-B", "-c", words], capture_output=True, text=True, cwd=SCRATCH,
                         env={**env, "PYTHONPATH": folder})
    assert run.returncode == 0 and re.match(r"\d+\.\d+\.\d+ \(", run.stdout), run
    with open(os.path.join(folder, "naik", "where.py"), "a") as f:
        f.write('VERSION = "0.0.1"\n')
    # from its own folder by its name; the library is found, and is of another version than the package
    other = subprocess.run([sys.executable, "-B", "-c", "import naik; from naik import *; print(Warning is naik.Warning); naik.version()"],
                           capture_output=True, text=True, cwd=os.path.dirname(LIBRARY),
                           env={**env, "PYTHONPATH": folder, "NAIK_LIBRARY": ".//" + os.path.basename(LIBRARY)})
    assert "and this package is of 0.0.1: install" in other.stderr and other.stdout == "False\n", other
    missing = subprocess.run([sys.executable, "-B", "-c", "import naik; naik.version()"], capture_output=True, text=True, cwd=SCRATCH,
                             env={**env, "PYTHONPATH": folder, "NAIK_LIBRARY": path("none.so")})
    assert "build it with make python" in missing.stderr, missing.stderr


def the_page_is_run_as_it_stands():
    sys.path.insert(0, os.path.join(TOP, "tools"))
    import examples
    with open(os.path.join(TOP, "doc", "python.md"), encoding="utf-8") as f:
        text = f.read().replace("8,8,8,16", "4,4,4,8").replace("(16, 8, 8, 8", "(8, 4, 4, 4").replace("(12, 16, 8, 8, 8", "(12, 8, 4, 4, 4")
    text = text.replace("(2, 16)", "(2, 8)").replace("(16,)", "(8,)")
    os.makedirs(path("page"))
    os.chdir(path("page"))
    for words in examples.commands(text):
        program(*words, cwd=path("page"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", naik.Warning)  # its walls are not in Coulomb gauge
        made = examples.python(text)
    assert "did you mean 'solver.tolerance'?" in made["said"] and "24 modes" in made["said"], made["said"]
    assert made["result"].converged and all(r.converged for r in made["results"])
    with open(path("n.yaml"), "w") as f:
        f.write(INPUT.format(lattice=path("page/lat.h5"), action="{type: clover, csw: 1.2}", source="{type: point, origin: [0, 0, 0, 0]}", out=path("n.h5"),
                             meson="pion", more="baryons: [{name: n, quarks: [s, s, s], operators: [nucleon]}]"))
    program("solve", path("n.yaml"))
    with naik.io.open(path("n.h5")) as f:
        nucleon = f.values(f.find("n", "nucleon")[0])
    assert np.abs(made["proton"] - nucleon).max() < 1e-8 * np.abs(nucleon).max(), (made["proton"], nucleon)
    os.chdir(SCRATCH)


if not os.path.exists(LIBRARY):
    print("SKIP test_session.py: needs libnaik.so (make python)")
    sys.exit(0)
program("gauge", "generate", "--size", "4,4,4,8", "--beta", "6", "--seed", 1, "--sweeps", "10", "-o", path("lat.h5"))
main([structures_have_the_sizes_of_the_headers, a_session_has_the_bits_of_naik_solve, sources_have_operators_with_links,
      links_of_an_array_and_modes_of_a_file_do_too, one_setup_of_multigrid_serves_the_solves_of_a_quark, two_sessions_live_in_one_process, what_is_wrong_raises_with_the_sentence,
      what_changes_in_memory_raises_and_the_session_goes_on,
      numbers_have_a_point_in_a_locale_of_commas, progress_lines_and_control_c_are_heard, a_process_that_fork_made_is_refused, arrays_of_others_are_taken_through_the_host, what_naik_takes_from_a_gpu_is_complex128_in_the_order_of_its_axes, what_is_written_on_the_gpu_is_the_array_itself, arrays_on_the_gpu_stay_there, a_communicator_of_another_mpi_is_refused,
      ranks_of_mpi4py_and_of_naik_make_the_same_bits, the_wheel_is_made_without_a_network_and_finds_the_library,
      the_page_is_run_as_it_stands],
     needed=[])
