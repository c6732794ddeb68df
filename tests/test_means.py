# test_means.py - means over sources that the module naik.io makes: those that the run stored, or none
import os
import subprocess
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import naik_io  # noqa: E402
from naik import places  # noqa: E402
from program import main, naik, path  # noqa: E402

HEAD = "lattice: {size: [4, 2, 4, 6]}\ngauge: {file: %s}\naction: {type: %s}\nsolver: {tolerance: 1e-6}\n"
PLACES = "[[0, 1, 2, 3], [1, 1, 1, 1], [2, 0, 0, 4]]"
ENTRIES = {"a": "point, origin: %s" % PLACES, "v": "point, origin: %s, spin_taste: GX-G1" % PLACES,
           "c": "covariant_gaussian, origin: %s, radius: 1, iterations: 2, momentum: [1, 0, 0]" % PLACES,
           "k": "corner_wall, t0: [3, 2]", "o": "corner_wall, corner: [1, 0, 0], t0: [3, 2]", "n": "random_wall, seed: 4, subset: corner, t0: [3, 2]",
           "e": "evenandodd_wall, t0: [3, 2]", "w": "even_wall, t0: [3, 2]", "m": "evenminusodd_wall, t0: [3, 2]"}
MORE = """pairs:
  - {name: av, quark: v, antiquark: a}
  - {name: wall, quark: a, antiquark: a, sink: wall}
  - {name: em, quark: e, antiquark: m}
three_point:
  - {name: tp, parent: a, spectator: a, daughter_masses: [0.4], sink_times: [2], insertion: [GX-G1, G1-G1, conserved_vector_t]}
"""
LOCAL, LINKS = "[pion5, rhox, pion05]", "[pion5, rhox, GX-G1, GXT-G5, conserved_vector_x]"


def solve(name, entries, more="", action="naive", output=""):
    text = HEAD % (path("lat.h5"), action) + "solve:\n" + "".join(
        "  - {name: %s, masses: [0.5], correlators: %s, source: {type: %s}}\n" % (n, words, ENTRIES[n]) for n, words in entries.items())
    with open(path(name + ".yaml"), "w") as f:
        f.write(text + more + "output: {file: %s, propagators: false, momenta: [[0, 0, 0], [1, 0, 0]]%s}\n" % (path(name + ".h5"), output))
    naik("solve", path(name + ".yaml"))


def no_mean(f, correlators):
    try:
        f.mean(correlators)
    except ValueError as error:
        return str(error)
    raise AssertionError(f"there is a mean of {correlators}")


def refused(f, *words, **more):
    return no_mean(f, f.find(*words, **more))


def means_are_those_of_the_run_or_none():
    """Links have a sign at each place, an operator on the one source has it twice; signs of walls have no mean here."""
    naik("gauge", "generate", "--size", "4,2,4,6", "--beta", "5.3", "--sweeps", "2", "--seed", "3", "-o", path("lat.h5"))
    solve("all", {"a": LINKS, "v": LINKS, "c": LINKS, "e": LOCAL, "w": LOCAL, "m": "[]", "k": LOCAL, "o": LOCAL, "n": LOCAL},
          MORE.replace("{name: em, quark: e, antiquark: m}", "{name: ee, quark: e, antiquark: e}\n  - {name: kk, quark: k, antiquark: k}"),
          output=", average: true, correlators: [pion5], baryons: []")
    solve("links", {"a": "[]", "v": "[]"}, "pairs: [{name: av, quark: v, antiquark: a}]\n",
          output=", average: true, correlators: [GX-G1, rhoy, GXT-G5, conserved_vector_x]")
    equal, none = 0, []
    for name in "all", "links":
        with naik_io.open(path(name + ".h5")) as f:
            assert all("takes what find gives" in no_mean(f, other) for other in ("av", []))
            for c in [c for c in f.correlators if c.quantity == "mean"]:
                sinks = {"sink_time": 2} if c.name == "tp" else {}
                found = f.find(c.name, c.correlator, [q.mass for q in c.quarks], c.momentum, **sinks)
                known = f.values(c)
                try:
                    got = f.mean(found)
                except ValueError as error:
                    assert "signs that depend on that" in str(error), error
                    none.append((c.name, any(c.momentum)))
                    continue
                assert len(found) > 1 and np.abs(got - known).max() <= 1e-13 * np.abs(known).max(), (c.path, got, known)
                equal += np.abs(np.mean([np.roll(f.values(one), -one.source.origin[3]) for one in found], axis=0) - known).max() > 1e-3 * np.abs(known).max()
    # of most walls with a momentum at the sink alone
    assert equal >= 12 and set(none) == {("w", False)} | {(name, True) for name in ("w", "e", "ee", "k", "o", "n", "kk")}, (equal, none)


def places_of_one_parity_have_means_of_anything():
    ENTRIES.update(w="even_wall, t0: [3, 1]", m="evenminusodd_wall, t0: [3, 1]", e="evenandodd_wall, t0: [3, 1]", a="point, origin: [[0, 1, 2, 3], [2, 1, 0, 1]]",
                   g="covariant_gaussian, origin: [[0, 1, 2, 3], [0, 1, 0, 1]], radius: 1, iterations: 2")
    solve("even", {"a": LINKS, "g": LINKS, "e": LINKS, "w": LINKS, "m": LINKS},
          "pairs: [{name: em, quark: e, antiquark: m}, {name: aw, quark: a, antiquark: w}, {name: ag, quark: a, antiquark: g}]\n", output=", correlators: [rhox, GX-G1]")
    with naik_io.open(path("even.h5")) as f:
        for name, word in (("w", "GX-G1"), ("m", "rhox"), ("em", "rhox"), ("aw", "GX-G1")):
            found = f.find(name, word)
            assert np.abs(f.mean(found) - np.mean([np.roll(f.values(c), -c.source.origin[3]) for c in found], axis=0)).max() < 1e-14 * np.abs(f.values(found[0])).max(), name
        assert "do not lie beside each other in the same way" in refused(f, "ag", "rhox")
        try:
            f.mean(f.find("w", "rhox")[:1] + f.find("e", "rhox")[1:])
            raise AssertionError
        except ValueError as error:
            assert "are of several kinds of sources" in str(error), error


def currents_counted_from_one_site_have_their_sign():
    """(-1)^(x+y+z+t) of the antiquark is counted from there, as that of the mesons."""
    ENTRIES.update(a="point, origin: %s" % PLACES)
    for name, more in ("own", ""), ("one", ", origin: [0, 0, 0, 0]"):
        solve(name, {"a": LINKS}, output=more)
    own, one = (naik_io.open(path(name + ".h5")) for name in ("own", "one"))
    with own, one:
        for word in "rhox", "GX-G1", "conserved_vector_x":
            a, b = (f.mean(f.find("a", word)) for f in (own, one))
            assert np.abs(a - b).max() <= 1e-14 * np.abs(a).max(), word


def ensembles_do_not_mix_places_of_two_parities():
    average = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python", "ensemble_average.py")
    ENTRIES.update(w="even_wall, t0: 2", k="corner_wall, t0: 2")
    solve("first", {"w": LOCAL, "k": LOCAL})
    naik("gauge", "generate", "--size", "4,2,4,6", "--beta", "5.3", "--sweeps", "2", "--seed", "4", "-o", path("lat.h5"), "--force")
    told = []
    for name, t0 in ("odd", 3), ("same", 4):
        ENTRIES.update(w="even_wall, t0: %d" % t0, k="corner_wall, t0: %d" % t0)
        solve(name, {"w": LOCAL, "k": LOCAL})
        run = subprocess.run([sys.executable, average, "w", "0.5", "--correlator", "rhox", path("first.h5"), path(name + ".h5")], capture_output=True, text=True)
        told.append((run.returncode, run.stderr))
    assert told[0][0] == 1 and "differ in places of the sources modulo 2: 0 0 0 1 and 0 0 0 0" in told[0][1], told
    assert told[1][0] == 0, told
    first, odd, same = (naik_io.open(path(name + ".h5")) for name in ("first", "odd", "same"))
    with first, odd, same:
        assert first.physics("w") == same.physics("w") != odd.physics("w")
        assert first.physics("k") == same.physics("k") == odd.physics("k")  # a corner wall has one mean over all time slices


def ensembles_do_not_mix_sinks_and_distances():
    """Each is another correlator under the same name, correlator and masses."""
    average = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python", "ensemble_average.py")
    text = HEAD.replace("%s", path("lat.h5"), 1) % "wilson" + """solve:
  - {name: a, masses: [0.5], correlators: [], source: {type: point, origin: [0, 1, 2, 3]}}
  - {name: b, masses: [0.5], correlators: [], source: {type: covariant_gaussian, origin: [0, 1, 2, 3], radius: 1, iterations: 2}}
pairs: [{name: ab, quark: a, antiquark: b, sink: covariant_gaussian, radius: 1, iterations: 3}]
three_point: [{name: tp, parent: a, spectator: a, daughter_masses: [0.6], sink_times: [2], insertion: [GT]}]
output: {correlators: [pion], propagators: false, file: %s}
"""
    for seed, name in (3, "one"), (4, "two"):
        naik("gauge", "generate", "--size", "4,2,4,6", "--beta", "5.3", "--sweeps", "2", "--seed", seed, "-o", path("lat.h5"), "--force")
        with open(path(name + ".yaml"), "w") as f:
            f.write(text % path(name + ".h5"))
        naik("solve", path(name + ".yaml"), "--fresh")
    for key, words, told in (("pairs.0.radius=1.1", "ab 0.5,0.5", "radius of the sink: 1.1 and 1.0"),
                             ("pairs.0.iterations=4", "ab 0.5,0.5", "iterations of the sink: 4 and 3"),
                             ("solve.0.source.origin=[0,1,1,3]", "ab 0.5,0.5", "distance of point 1 from the first: 0 0 1 0 and 0 0 0 0"),
                             ("three_point.0.sink_times=[3]", "tp 0.5,0.5,0.6 --correlator GT", "sink time: 3 and 2"),
                             ("three_point.0.source_operator=rho_x", "tp 0.5,0.5,0.6 --correlator GT", "source operator: rho_x and pion")):
        naik("solve", path("two.yaml"), "--fresh", "--set", key)
        run = subprocess.run([sys.executable, average, *words.split(), path("one.h5"), path("two.h5")], capture_output=True, text=True)
        assert run.returncode == 1 and "differ in " + told in run.stderr, (key, run.stdout, run.stderr)


def ensembles_of_averages_are_of_what_each_run_stored():
    """The mean and its parts, of truncated solves and of low modes, and no errors of one configuration."""
    average = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python", "ensemble_average.py")
    text = HEAD % (path("lat.h5"), "naive") + """deflation: {modes: 4, file: %s}
solve:
  - {name: a, masses: [0.5], correlators: [pion5, rhox], source: {type: point, origin: [[0, 1, 2, 3], [1, 1, 1, 1], [2, 0, 0, 5]]}}
  - {name: b, masses: [0.5], correlators: [pion5, rhox], source: {type: point, origin: [[0, 1, 2, 3], [1, 0, 0, 2]]}}
averages:
  - {type: truncated_solves, name: ama, solve: a, tolerance_sloppy: 1e-2, exact_sources: 2, seed: 5}
  - {type: low_modes, name: lma, solve: b}
output: {propagators: false, file: %s}
"""
    names = [path("ensemble.%d.h5" % seed) for seed in (3, 4, 5)]
    for seed, name in zip((3, 4, 5), names):
        naik("gauge", "generate", "--size", "4,2,4,6", "--beta", "5.3", "--sweeps", "2", "--seed", seed, "-o", path("lat.h5"), "--force")
        with open(path("ensemble.yaml"), "w") as f:
            f.write(text % (path("modes.%d.h5" % seed), name))
        naik("solve", path("ensemble.yaml"), "--fresh")
    for entry, quantities in ("ama", (None, "mean", "sloppy mean", "correction")), ("lma", (None, "mean", "low modes", "rest")):
        seen = []
        for quantity in quantities:
            stored = []
            for name in names:
                with naik_io.open(name) as f:
                    one, = f.find(entry, "rhox", 0.5, quantity=quantity or "mean")
                    stored.append(f.values(one).real)
            words = ["--quantity", quantity] if quantity else []
            run = subprocess.run([sys.executable, average, entry, "0.5", "--correlator", "rhox", *words, *names], capture_output=True, text=True)
            assert run.returncode == 0, run.stderr
            got = np.loadtxt(run.stdout.splitlines())[:, 1:3]  # which leaves out the line that names the columns
            assert np.allclose(got[:, 0], np.mean(stored, 0), rtol=1e-8), (entry, quantity, got, stored)
            assert np.allclose(got[:, 1], np.std(stored, 0, ddof=1) / 3 ** 0.5, rtol=1e-2), (entry, quantity, got)
            seen.append(got[1, 0])
        assert seen[0] == seen[1] and len(set(seen)) == 3, seen
    run = subprocess.run([sys.executable, average.replace("ensemble_average", "effective_mass"), names[0], "/p000"], capture_output=True, text=True)
    drawn = {line.split()[0].rpartition("/p000")[2] for line in run.stdout.splitlines()}
    assert drawn == {"", "/mean", "/sloppy_mean", "/low"}, drawn
    for quantity in "standard error", "correction standard error":
        run = subprocess.run([sys.executable, average, "ama", "0.5", "--quantity", quantity, *names], capture_output=True, text=True)
        assert run.returncode == 1 and f"a {quantity} is of one configuration" in run.stderr, run.stderr


def at(kind, origin=(0, 0, 0, 0), subset=None, momentum=(0, 0, 0), twist=(0, 0, 0), smearing="none", begin=None):
    """A source as naik.io tells naik.places of it."""
    subset = subset or ("one site" if kind in places.SITES else "one time slice")
    return {"type": kind, "origin": origin, "subset": subset, "momentum": momentum, "twist": twist, "smearing": smearing, "begin": begin or origin}


def corner(kind, x, **more):
    return at(kind, subset="x, y, z even of one time slice" if x == 0 else f"x, y, z = {x}, 0, 0 modulo 2 on one time slice", **more)


def signs_and_reasons_have_a_row_each():
    """What no run is needed for: of which places there is a sign, what files must share, and why there is no mean."""
    point, wall, odd, even = at("point", (1, 2, 3, 3)), at("evenandodd_wall", (0, 0, 0, 1)), corner("corner_wall", 1), corner("corner_wall", 0)
    moving, twisted = at("evenandodd_wall", momentum=(1, 0, 0)), at("evenandodd_wall", twist=(0, 0.5, 0))
    for sign, words, sources, *more in (
            (1, ["pion5"], [point]), (1, ["rhox"], [point]), (1, ["G5-G5"], [point]), (1, ["conserved_vector_t"], [point]),
            (-1, ["GX-G1"], [point]), (1, ["GY-G1"], [point]), (1, ["GZ-G1"], [point]), (1, ["GT-G1"], [point]), (-1, ["G1-GXY"], [point]),
            (-1, ["GZ-G1"], [at("point", (1, 1, 3, 3))]), (-1, ["GY-G1"], [at("point", (1, 2, 3, 2))]), (-1, ["GX-G1", "GY-G1"], [point]),
            (1, ["GX-G1"], [at("point", (1, 2, 3, 2))]), (-1, ["GX-G1"], [at("covariant_gaussian", (1, 2, 3, 3))]),
            (None, ["GX-G1"], [at("gaussian", (1, 2, 3, 3))]), (1, ["pion5"], [at("gaussian", (1, 2, 3, 3))]),
            (-1, ["pion5"], [at("point", (1, 2, 3, 3), smearing="operator GX-G1"), point]),
            (1, ["pion5"], [at("point", (1, 2, 3, 3), smearing="operator GX-G1")]), (None, ["GX-G1"], [point], "wall"), (1, ["pion5"], [point], "wall"),
            (1, ["nucleon"], [point], "point", True), (None, ["nucleon"], [at("point", smearing="operator GX-G1")], "point", True),
            (None, ["nucleon"], [wall], "point", True),
            (1, ["pion5"], [wall]), (1, ["rhox"], [wall, wall]), (None, ["GX-G1"], [wall]), (None, ["conserved_vector_t"], [wall]),
            (None, ["pion5"], [at("evenandodd_wall", smearing="operator GX-G1")]), (None, ["pion5"], [moving]), (None, ["pion5"], [twisted]),
            (None, ["pion5"], [wall], "point", False, (1, 0, 0)), (1, ["pion5"], [point], "point", False, (1, 0, 0)),
            (None, ["pion5"], [at("even_wall", subset="even sites of one time slice")]), (None, ["pion5"], [at("evenminusodd_wall")]),
            (None, ["pion5"], [at("funnywall1")]), (None, ["pion5"], [at("funnywall2")]),
            (1, ["pion5"], [even]), (1, ["pion5"], [odd, odd]), (None, ["pion5"], [odd, even]), (None, ["pion5"], [odd, point]),
            (None, ["pion5"], [wall, even]), (1, ["pion5"], [point, wall]), (1, ["pion5"], [point, point, wall]),
            *((None, ["pion5"], [at(kind, (1, 2, 3, 3)), at(kind)]) for kind in ("point", "gaussian", "covariant_gaussian")),
            (None, ["pion5"], [wall, at("evenminusodd_wall")]), (None, ["pion5", "GX-G1"], [wall])):
        sink, baryon, momentum = [*more, *("point", False, (0, 0, 0))[len(more):]]
        got = places.Lie(words, momentum, sink, baryon, sources).sign(False, naik_io._GAMMAS)
        assert got == sign, (sign, words, sources, more, got)
    for sign, sources in (1, [wall]), (1, [moving, point]), (None, [even]), (None, [at("evenminusodd_wall")]):
        assert places.Lie(["pion"], (0, 0, 0), "point", False, sources).sign(True, naik_io._GAMMAS) == sign, sources
    size, far = (4, 4, 4, 8), at("point", (3, 0, 0, 1))
    sequential = at("sequential", (0, 0, 0, 1), begin=(0, 0, 0, 2))
    for sources, signed, want in (
            ([point], True, {}), ([point], False, {"places of the sources modulo 2": "1 0 1 1"}),
            ([point, sequential], True, {"time of source 1 from its propagator's source": "7", "time of source 1 from the first": "6"}),
            ([wall, point], True, {"time of source 1 from the first": "2"}),
            ([moving, point], True, {"time of source 1 from the first": "3", "place of the point beside a wall with momentum": "1 2 3"}),
            ([point, moving, at("point", (1, 2, 3, 3))], True,
             {"time of source 1 from the first": "5", "time of source 2 from the first": "0", "distance of point 1 from the first": "0 0 0 0",
              "place of the point beside a wall with momentum": "1 2 3"}),
            ([moving, point, far], True,
             {"time of source 1 from the first": "3", "time of source 2 from the first": "1", "distance of point 1 from the first": "2 2 1 6",
              "place of the point beside a wall with momentum": "1 2 3"}),
            ([point, far], True, {"time of source 1 from the first": "6", "distance of point 1 from the first": "2 2 1 6"}),
            ([at("point", momentum=(1, 0, 0)), wall], True, {"time of source 1 from the first": "1"})):
        got = places.Lie(["pion5"], (0, 0, 0), "point", False, sources).told(size, signed)
        assert got == want, (sources, got, want)
    near, later = at("point", (1, 2, 3, 1)), at("evenandodd_wall", (0, 0, 0, 7))
    up = {**moving, "origin": (0, 0, 0, 6)}
    for one, other, signed, why in (
            ([point], [near], True, None), ([point], [near], False, None), ([point], [far], True, None), ([point], [far], False, "signs that depend on that"),
            ([point], [wall], True, "are of several kinds of sources"), ([wall], [moving], True, "are of several kinds"), ([wall], [twisted], True, "kinds"),
            ([even], [odd], True, "kinds"), ([point], [at("point", smearing="radius 1")], True, "kinds"),
            ([point, sequential], [point, sequential], True, "have sequential sources"),
            ([point, wall], [near, later], True, None), ([point, wall], [near, wall], True, "do not lie beside each other in the same way"),
            ([point, far], [near, far], True, "do not lie beside each other"), ([point, point], [near, near], True, None),
            ([point, point], [point, at("point", (3, 2, 3, 3))], True, "do not lie beside each other"),
            ([point, moving], [near, up], True, None), ([point, moving, wall], [at("point", (1, 2, 2, 1)), up, later], True, "join points at several"),
            ([point, moving], [at("point", (1, 2, 2, 1)), up], True, "join points at several places with a wall that has a momentum"),
            ([point, wall], [at("point", (1, 2, 2, 1)), later], True, None)):
        got = places.Lie(["pion5"], (0, 0, 0), "point", False, one).against(places.Lie(["pion5"], (0, 0, 0), "point", False, other), size, signed)
        assert (got is None) if why is None else why in (got or ""), (one, other, signed, got)


main([signs_and_reasons_have_a_row_each, means_are_those_of_the_run_or_none, places_of_one_parity_have_means_of_anything, currents_counted_from_one_site_have_their_sign,
      ensembles_do_not_mix_places_of_two_parities, ensembles_do_not_mix_sinks_and_distances,
      ensembles_of_averages_are_of_what_each_run_stored])
