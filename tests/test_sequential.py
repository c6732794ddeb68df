# test_sequential.py - sequential sources and single colours as a user runs them, against sums in numpy
# timeout: 150
import os
import re
import sys

import h5py
import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import naik_io  # noqa: E402
from program import everything, flipped, main, naik, path, same, twin_of_a_solve

SIZE = (8, 4, 4, 8)  # x, y, z, t
T, Z, Y, X = np.meshgrid(*(np.arange(n) for n in reversed(SIZE)), indexing="ij")
ORIGIN = (1, 2, 3, 5)
EPSILON = (-1) ** sum(ORIGIN)
INPUT = """
lattice: {size: [8, 4, 4, 8]}
gauge: {file: %s}
action: {type: %s}
solve: [%s]
solver: {tolerance: 1e-13}
output: {file: %s, correlators: [%s]}
"""
POINT = "{name: pt, masses: [0.3], source: {type: point, origin: [1, 2, 3, 5]}}"


def sequential(name="seq", file="pt.h5", insertion="pion05", t0="[0, 3]", more="", **words):
    return ("{name: %s, masses: [%s], source: {type: sequential, file: %s, propagator: %s, mass: %s, insertion: %s, t0: %s%s}}"
            % (name, words.get("own", 0.3), path(file), words.get("label", "pt"), words.get("mass", 0.3), insertion, t0, more))


def solve(name, entries, *more, action="naive", correlators="", gauge="lat", **options):
    with open(path(name + ".yaml"), "w") as f:
        f.write(INPUT % (path(gauge + ".h5"), action, entries, path(name + ".h5"), correlators))
    return naik("solve", path(name + ".yaml"), *more, **options)


def stored(name, number):
    with h5py.File(path(name + ".h5")) as f:
        return f[f"/prop/s{number:04d}/m00"][...]


def correlator(name, channel):
    with h5py.File(path(name + ".h5")) as f:
        return f[f"/corr/pt/m00/{channel}/p000"][...]


def at_origin(s):
    """s [..][T][Z][Y][X][..] at the site of the point source."""
    x, y, z, t = ORIGIN
    return s[:, :, t, z, y, x] if s.ndim == 8 else s[:, t, z, y, x]


def configurations_are_made():
    for name, sweeps in (("lat", 3), ("other", 4)):
        naik("gauge", "generate", "--size", "8,4,4,8", "--beta", "5.6", "--sweeps", sweeps, "--seed", "4", "-o", path(name + ".h5"))


def three_points_without_momentum_are_two_points():
    """S(x0) = sum_y M^-1(x0, y) O(y - x0) G(y, x0), and M^-1(x0, y) = eps(y - x0) G(y, x0)^+: what insertion pion05
    closes is the pion5, and what pion5 closes the pion05."""
    solve("pt", POINT, correlators="pion5, pion05, rhox")
    solve("seq", sequential(), correlators="pion5")
    known = {0: correlator("pt", "pion5")[0], 1: correlator("pt", "pion5")[3]}
    for number, wanted in known.items():
        trace = np.trace(at_origin(stored("seq", number)))
        assert abs(trace - wanted) < 1e-12 * abs(known[0]), (number, trace, wanted)
    solve("plain", sequential(insertion="pion5", t0="3"))
    trace = np.trace(at_origin(stored("plain", 0)))
    assert abs(trace - correlator("pt", "pion05")[3]) < 1e-12 * abs(known[0]), trace
    naik("info", path("seq.h5"), "--residuals")


def where_correlators_are_counted_from_is_in_the_identity():
    """The place of a sequential source is not known when the identity is made: the sign of some place counts."""
    for meson in ("rhox0", "rhoz0", "rhoy"):
        solve("signs", sequential(t0="3"), "--fresh", correlators=meson)
        with h5py.File(path("signs.h5")) as f:
            assert b"output.origin = source\n" in f["metadata/canonical_input"][()], meson


def momentum_and_insertion_weigh_the_stored_propagator():
    """The direct sum: M^-1(x0, y) = eps(x0) eps(y) G(y, x0)^+, with weights written here, counted from x0."""
    solve("wave", sequential(insertion="rhoz0", t0="6", more=", momentum: [1, 0, -1]"))
    g = stored("pt", 0)
    weight = np.where(T == 6, np.exp(2j * np.pi * ((X - ORIGIN[0]) / 8 - (Z - ORIGIN[2]) / 4)) * (-1.0) ** (X + Y - ORIGIN[0] - ORIGIN[1]), 0)
    wanted = EPSILON * np.einsum("tzyx,atzyxi,btzyxi->ab", weight * (-1.0) ** (X + Y + Z + T), g, g.conj())
    found = at_origin(stored("wave", 0))  # [source colour of G][sink colour]
    assert np.abs(found - wanted).max() < 1e-12 * np.abs(g).max() ** 2, (found, wanted)


def wilson_quarks_too():
    solve("wpt", POINT, action="clover, csw: 1.1", correlators="pion, ps505")
    for insertion, t0 in (("pion", 2), ("a0", 2)):
        solve("wseq", sequential(file="wpt.h5", insertion=insertion, t0=t0), "--fresh", action="clover, csw: 1.1")
        s = at_origin(stored("wseq", 0))  # [source spin][source colour][sink spin][sink colour]
        g5 = np.array([1, 1, -1, -1])
        trace = np.einsum("scsc,s->", s, g5)
        if insertion == "pion":
            wanted = correlator("wpt", "pion")[t0]
        else:  # the operator g5 gt at the sink, g5 at the source
            with h5py.File(path("wpt.h5")) as f:
                wanted = f["/corr/pt/m00/ps505/p000"][t0]
        assert abs(trace - wanted) < 1e-12 * abs(correlator("wpt", "pion")[0]), (insertion, trace, wanted)


def bytes_read():
    """By this process and those that it waited for."""
    with open("/proc/self/io", encoding="ascii") as f:
        return int(f.readline().split()[1])


def a_file_that_is_guess_and_source_is_read_once():
    """Of two masses: verifying the file costs as many bytes as where it is the guess alone."""
    two = POINT.replace("[0.3]", "[0.3, 0.4]")
    solve("two", two)
    guess = two.replace("source:", "guess: %s, source:" % path("two.h5"))
    both = ", ".join((guess, sequential(file="two.h5"), sequential("other", file="two.h5", t0="4")))
    cost = []
    for entries in (guess, both):
        before = bytes_read()
        said = solve("both", entries, "--dry-run")
        cost.append(bytes_read() - before)
        assert said.count(f"{path('two.h5')}: 6 stored solutions verified") == 1, said
    solution = 8 * 4 * 4 * 8 * 3 * 16
    assert cost[0] > 6 * solution and cost[1] < cost[0] + solution, (cost, solution)
    solve("seqs", ", ".join((sequential(), sequential("other", t0="4"))))
    solve("both", both)
    with h5py.File(path("both.h5")) as a, h5py.File(path("seqs.h5")) as b:
        for k in range(3):
            assert (a[f"/prop/s{k + 1:04d}/m00"][...] == b[f"/prop/s{k:04d}/m00"][...]).all(), k


def grids_and_a_stop_give_the_same_bytes():
    for ranks, grid in ((2, "1x1x1x2"), (4, "2x1x1x2")):
        solve("again", sequential(), "--fresh", correlators="pion5", ranks=ranks, env={"NAIK_GRID": grid})
        same(everything("seq.h5"), everything("again.h5"))
    os.remove(path("again.h5"))
    naik("solve", path("again.yaml"), "--set", "solver.batch=1", env={"NAIK_INJECT": "stop:solve:3"}, status=5)
    assert os.path.exists(path("again.h5.part")) and not os.path.exists(path("again.h5"))
    os.rename(path("pt.h5"), path("mine.h5"))
    for apart in 29, 31:  # another propagator with one word of a checksum the same
        twin_of_a_solve("mine.h5", 1, apart, "pt.h5")
        told = naik("solve", path("again.yaml"), status=1)
        assert "with the sources 'solve.0.source.file holds suma/sumb" in told, told
    os.rename(path("mine.h5"), path("pt.h5"))
    assert "restored: " in naik("solve", path("again.yaml"))
    same(everything("seq.h5"), everything("again.h5"))


def a_propagator_is_found_by_all_that_it_is():
    """By kappa; by a mass with the digits that are printed; of two with one mass by its Naik epsilon."""
    solve("kpt", POINT.replace("masses: [0.3]", "kappas: [0.137, 0.13701]"), action="wilson", correlators="pion")
    mass = re.search(r"source=pt kappa=0.137 mass=(\S+) naik", naik("info", path("kpt.h5"), "--correlators")).group(1)
    found = []
    for words in "kappa: 0.137", "mass: " + mass, f"mass: {float(mass):.6g}":
        entry = sequential(file="kpt.h5", insertion="pion", t0="3").replace("masses: [0.3]", "kappas: [0.137]")
        solve("found", entry.replace(" mass: 0.3", " " + words), "--fresh", action="wilson")
        found.append(stored("found", 0).tobytes())
    assert found[0] == found[1] == found[2]
    solve("ept", POINT.replace("[0.3]", "[0.3, 0.3], naik_epsilon: [-0.123456789012, 0]"), action="hisq", correlators="pion5")
    told = solve("bad", sequential(file="ept.h5"), "--dry-run", action="hisq", status=1)
    assert "with 2 masses that are 0.3" in told, told
    for number, epsilon in enumerate((-0.123456789, 0)):  # as it is printed
        entry = sequential(file="ept.h5", t0="3", more=f", naik_epsilon: {epsilon}")
        solve("eseq", entry.replace("masses: [0.3]", f"masses: [0.3], naik_epsilon: [{epsilon}]"), "--fresh", action="hisq")
        with h5py.File(path("ept.h5")) as f:
            known = f[f"/corr/pt/m{number:02d}/pion5/p000"][3]
        trace = np.trace(at_origin(stored("eseq", 0)))
        assert abs(trace - known) < 1e-9 * known, (epsilon, trace, known)
    assert "not with that mass and naik_epsilon" in solve(
        "bad", sequential(file="ept.h5", more=", naik_epsilon: 0.1"), "--dry-run", action="hisq", status=1)


def what_does_not_fit_is_refused():
    solve("per", POINT, "--set", "lattice.boundary_t=periodic")
    for entry, words, sentence in ((sequential(label="wall"), {}, "has no source 'wall'"),
                                   (sequential(mass=0.2), {}, "not with that mass"),
                                   (sequential(file="per.h5"), {}, "is periodic in time"),
                                   (sequential(), {"gauge": "other"}, "was made with other links"),
                                   (sequential(file="wpt.h5"), {}, "holds clover quarks"),
                                   (sequential(file="lat.h5"), {}, "lat.h5"),
                                   (sequential(file="none.h5"), {}, "none.h5")):
        told = solve("bad", entry, "--dry-run", status=1, **words)
        assert sentence in told, (sentence, told)
    naik("gauge", "convert", path("lat.h5"), path("lat.ildg.h5"), "--to", "ildg")  # the same links in another format
    solve("bad", sequential(), "--dry-run", gauge="lat.ildg")
    told = solve("bad", sequential(), "--dry-run", "--set", "gauge.reunitarise=false")
    assert "gauge.reunitarise" in told, told  # a warning, as of another csw
    flipped("pt.h5", "/prop/s0000/m00", 12345, 4, "hurt.h5")
    for more in ("--fresh",), ("--dry-run",):
        solve("bad", sequential(file="hurt.h5"), *more, status=4)
    with h5py.File(path("seq.h5")) as f:
        assert f["/prop/s0000/source"].attrs["smearing"] == "pion05 of pt, mass 0.3"


def single_colours_are_marked_and_not_taken_for_a_propagator():
    solve("one", POINT.replace("type: point", "type: point, colours: [1]"))
    g, part = stored("pt", 0), stored("one", 0)
    assert (part[1] == g[1]).all() and not part[[0, 2]].any(), np.abs(part - g).max((1, 2, 3, 4, 5))
    with h5py.File(path("one.h5")) as f:
        assert f["/prop/s0000/m00"].attrs["colours"] == "1" and f["/prop/s0000/source"].attrs["colours"] == "1"
        reasons = [r.decode() for r in f["/solves"]["stop_reason"]]
        assert reasons[0] == reasons[2] == "colour not asked for" and reasons[1] == "converged", reasons
    told = naik("info", path("one.h5"))
    assert told.count("stop_reason=colour not asked for") == 2, told
    naik("report", path("one.h5"), "-o", path("one.html"))
    with open(path("one.html")) as f:
        assert "colour not asked for" in f.read()
    naik("info", path("one.h5"), "--residuals")
    assert "is no propagator" in naik("export", path("one.h5"), "-o", path("one.scidac"), status=1)
    assert "is no propagator" in solve("bad", sequential(file="one.h5"), "--fresh", status=1)
    file = naik_io.open(path("one.h5"))
    try:
        file.propagator()
        raise AssertionError("a single colour is given as a propagator")
    except LookupError as error:
        assert "only colours 1" in str(error), error
    assert (file.propagator(part=True)[...] == part).all()


main([configurations_are_made, three_points_without_momentum_are_two_points, where_correlators_are_counted_from_is_in_the_identity,
      momentum_and_insertion_weigh_the_stored_propagator, wilson_quarks_too, a_file_that_is_guess_and_source_is_read_once,
      grids_and_a_stop_give_the_same_bytes, a_propagator_is_found_by_all_that_it_is,
      what_does_not_fit_is_refused, single_colours_are_marked_and_not_taken_for_a_propagator])
