# test_translations.py - a correlator does not know where its source lies: on unit links sources at several places give
# the same numbers, counted from the source
# timeout: 200
import os
import sys

import numpy as np

from program import answer, main, naik, path

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import naik_io

SIZE = (4, 4, 6, 8)
PLACES = [(0, 0, 0, 0), (1, 0, 0, 6), (2, 3, 5, 3)]
EVEN = [[0, 0, 0, 0], [2, 0, 4, 6]]  # a gaussian covers all corners of the hypercube
CORNERS = [(0, 0, 0), (1, 0, 1), (1, 1, 1)]
TIMES = [0, 3]
INPUT = """
lattice:  {size: [4, 4, 6, 8]}
gauge:    {file: %s}
action:   {type: hisq}
solver:   {tolerance: 1e-12}
"""


def unit_links_are_made():
    naik("gauge", "generate", "--size", ",".join(map(str, SIZE)), "--beta", "6", "--sweeps", "0", "-o", path("unit.h5"))


def solved(name, text, ranks=1):
    with open(path(name + ".yaml"), "w") as f:
        f.write(INPUT % path("unit.h5") + text)
    naik("solve", path(name + ".yaml"), "--set", f"output.file={path(name + '.h5')}", ranks=ranks)
    return path(name + ".h5")


def shifted(values, t0, quarks):
    """From its source on; three quarks change sign where they have crossed the boundary."""
    sign = np.where(np.arange(SIZE[3]) + t0 >= SIZE[3], -1.0, 1.0) if quarks == 3 else 1.0
    return sign * np.roll(values, -t0)


def alike(values, what):
    first = values[0]
    assert np.abs(first).max() > 1e-6, (what, first)
    for k, other in enumerate(values):
        assert np.abs(other - first).max() <= 1e-9 * np.abs(first).max(), (what, k, first, other)


def nucleons_are_summed_at_the_corner_of_their_source():
    walls = "".join(f"""
  - {{name: c{k}, masses: [0.3], source: {{type: corner_wall, corner: {list(c)}, t0: {TIMES}}}}}
  - {{name: s{k}, masses: [0.3], source: {{type: evenandodd_wall, subset: corner, corner: {list(c)}, t0: {TIMES}}}}}""" for k, c in enumerate(CORNERS))
    out = solved("nucleon", f"""
solve:
  - {{name: pt, masses: [0.3], source: {{type: point, origin: {[list(x) for x in PLACES]}}}}}
  - {{name: gauss, masses: [0.3], source: {{type: gaussian, radius: 1.2, origin: {[list(x) for x in PLACES]}}}}}
  - {{name: even, masses: [0.3], source: {{type: even_wall, t0: {TIMES}}}}}
  - {{name: odd, masses: [0.3], source: {{type: evenandodd_wall, subset: odd, t0: {TIMES}}}}}
{walls}
baryons:
  - {{name: mixed, quarks: [c1, s1, c1]}}
output: {{correlators: [], baryons: [nucleon]}}
""")
    with naik_io.File(out) as f:
        def of(name, times, path="{}/s{:04d}/m00/nucleon"):
            return [shifted(f.contraction(path.format(name, k)), t0, 3) for k, t0 in enumerate(times)]
        for name in "pt", "gauss":
            alike(of(name, [x[3] for x in PLACES]), name)
        alike(of("even", TIMES) + of("odd", TIMES), "even and odd")
        alike([x for k in range(3) for kind in "cs" for x in of(f"{kind}{k}", TIMES)] +
              of("mixed", TIMES, "{}/s{:04d}/m00-m00-m00/nucleon"), "corners")


MESONS = ["pion5", "pion05", "rhox"]
MOMENTA = [[0, 0, 0], [1, 0, 0], [1, -1, 2]]
NAMES = ["p000", "p100", "p1-12"]
ASKED = f"correlators: [{', '.join(MESONS)}], momenta: {MOMENTA}"
KINDS = {  # sources by kind, and the time slice of each
    "pt": (f"type: point, origin: {[list(x) for x in PLACES]}", [x[3] for x in PLACES]),
    "gauss": (f"type: gaussian, radius: 1.2, momentum: [0, 1, 0], origin: {EVEN}", [x[3] for x in EVEN]),
    "cov": (f"type: covariant_gaussian, radius: 1.5, iterations: 3, momentum: [1, 0, -1], origin: {[list(x) for x in PLACES]}",
            [x[3] for x in PLACES]),
    "corner": (f"type: corner_wall, t0: {TIMES}", TIMES),
    "corner2": (f"type: corner_wall, corner: [1, 0, 1], t0: {TIMES}", TIMES),
    "wall": (f"type: evenandodd_wall, t0: {TIMES}", TIMES),
    "signs": (f"type: evenminusodd_wall, t0: {TIMES}", TIMES),
    "waves": (f"type: corner_wall, momentum: [1, 0, 0], t0: {TIMES}", TIMES),
    "waves2": (f"type: corner_wall, corner: [1, 1, 0], momentum: [1, 0, 0], t0: {TIMES}", TIMES),
    "pt2": (f"type: point, origin: {[list(x) for x in PLACES]}", [x[3] for x in PLACES]),
}
# pairs: their quark and antiquark, and mesons and momenta that do not vanish
PAIRS = {"two": ("pt", "cov", MESONS, NAMES), "waving": ("waves", "corner", ["pion5"], ["p100"]),
         "waving2": ("waves2", "corner", ["pion5"], []), "signed": ("wall", "signs", ["pion05"], ["p000"])}


def mesons_are_counted_from_their_source():
    entries = "".join(f"  - {{name: {k}, masses: [0.3], source: {{{text}}}}}\n" for k, (text, _) in KINDS.items() if k != "pt2")
    out = solved("mesons", f"""
solve:
{entries}
pairs:
""" + "".join(f"  - {{name: {k}, quark: {q}, antiquark: {a}}}\n" for k, (q, a, _, _) in PAIRS.items() if k != "waving2") +
                 f"output: {{{ASKED}, average: true}}\n")
    with naik_io.File(out) as f:
        assert naik_io._text(f.h5.attrs["format_version"]) == "1.2" and f.verify() == ""
        for name, (_, times) in KINDS.items():
            for meson in MESONS:
                for p, named in zip(MOMENTA, NAMES) if name in ("pt", "gauss", "cov") else [(MOMENTA[0], "p000")]:
                    if name == "pt2" or name in ("wall", "signs") and meson != "pion5":
                        continue
                    found = [shifted(f.correlator(name, 0, k, meson, p), t0, 2) for k, t0 in enumerate(times)]
                    assert np.iscomplexobj(found[0]) == (p != [0, 0, 0]), (name, p, found[0].dtype)
                    alike(found, (name, meson, p))
                    alike([found[0], f.contraction(f"{name}/average/m00/{meson}/{named}/mean")], ("average", name, meson, p))
        for name, (quark, _, mesons, named) in PAIRS.items():
            for meson in mesons:
                for p in named:
                    times = KINDS[quark][1]
                    found = [shifted(f.contraction(f"{name}/s{k:04d}/m00-m00/{meson}/{p}"), t0, 2) for k, t0 in enumerate(times)]
                    alike(found, (name, meson, p))
                    alike([found[0], f.contraction(f"{name}/average/m00-m00/{meson}/{p}/mean")], ("average", name, meson, p))
        # walls of two corners with a momentum: the phases of source and sink belong together
        for k in range(2):
            alike([f.correlator(name, 0, k, "rhox") for name in ("waves", "waves2")], ("waves", k))
            alike([f.correlator(name, 0, k, "pion05") for name in ("corner", "corner2")], ("corners", k))
        assert f.counted_from("corner2", 0, 1) == ((1, 0, 1, 3), "exp"), f.counted_from("corner2", 0, 1)
        assert f.counted_from("pt", 0, 2) == (PLACES[2], "exp")
    text = naik("info", out, "--correlators")
    assert " momentum=1,0,0 from=2,3,5,3 weight=exp\n" in text, text[:2000]


def three_point_functions_are_counted_from_the_first_source():
    parent = solved("parent", f"""
solve:
  - {{name: pt, masses: [0.3], source: {{{KINDS["pt2"][0]}}}}}
output: {{{ASKED}}}
""")
    after = 3
    places = PLACES
    entries = "".join(f"""
  - {{name: {how}{k}, masses: [0.4], source: {{type: sequential, file: {parent}, propagator: pt/s{k:04d}, mass: 0.3, insertion: {how}, momentum: {p}, t0: {(x[3] + after) % SIZE[3]}}}}}
  - {{name: spectator{k}{how}, masses: [0.3], source: {{type: point, origin: {list(x)}}}}}"""
                      for k, x in enumerate(places) for how, p in (("pion5", [0, 1, 0]), ("rhox", [1, 0, 0]), ("pion05", [0, 0, 0])))
    pairs = "".join(f"\n  - {{name: c{how}{k}, quark: {how}{k}, antiquark: spectator{k}{how}}}" for k in range(3) for how in ("pion5", "rhox", "pion05"))
    out = solved("three", f"solve:{entries}\npairs:{pairs}\noutput: {{{ASKED}}}\n")
    with naik_io.File(out) as f, naik_io.File(parent) as two:
        for how, meson, p in (("pion5", "pion05", "p1-12"), ("rhox", "rhox", "p100"), ("rhox", "rhox", "p000"), ("pion05", "pion5", "p000")):
            found = [shifted(f.contraction(f"c{how}{k}/m00-m00/{meson}/{p}"), x[3], 2) for k, x in enumerate(places)]
            if np.abs(found[0]).max() > 1e-12:
                alike(found, (how, meson, p))
        # insertion pion05 closes the pion5, pion5 the pion05: the sum over colours at the first source
        for how, meson in (("pion05", "pion5"),):
            for k, x in enumerate(places):
                s = next(s for s in f.sources if s.set == f"{how}{k}")
                assert f.counted_from(s.set) [0] == x, (f.counted_from(s.set), x)


def a_three_point_function_is_counted_from_one_place():
    """That of its point beside a wall, current and sink alike."""
    times = [x[3] for x in EVEN]
    out = solved("mixed", f"""
solve:
  - {{name: pt, masses: [0.3], source: {{type: point, origin: {EVEN}}}}}
  - {{name: wall, masses: [0.5], source: {{type: evenandodd_wall, t0: {times}}}}}
three_point:
  - {{name: pw, parent: pt, spectator: wall, daughter_masses: [0.4], sink_times: [3], sink_operator: rhox, sink_momenta: [[0, 0, 1]], insertion: [rhox], momenta: [[0, 0, -1]]}}
  - {{name: wp, parent: wall, spectator: pt, daughter_masses: [0.4], sink_times: [3], sink_operator: rhox, sink_momenta: [[0, 0, 1]], insertion: [rhox], momenta: [[0, 0, -1]]}}
output: {{correlators: []}}
""")
    with naik_io.File(out) as f:
        for name in "pw", "wp":
            alike([shifted(f.contraction(f"{name}/s{k:04d}/T03_p001/m00-m00-m00/GX-GX/p00-1"), t0, 2) for k, t0 in enumerate(times)], name)


def three_point_functions_of_walls_are_counted_as_the_pair_of_their_sources():
    """Walls on all corners alike, and the sign (-1)^(x+y+z+t) that is in one wall, in none or in both, on even and odd slices."""
    wall = "{name: %s, masses: [0.3], source: {type: %s, t0: %s}}"
    kinds = [("w", "evenandodd_wall"), ("m", "evenminusodd_wall"), ("c", "corner_wall"), ("d", "corner_wall, corner: [1, 0, 1]")]
    three = [("mm", "pion5", "G1-G1", 0), ("mm", "pion05", "G5-G5", 0), ("mw", "pion5", "G5-G5", 3), ("wm", "pion5", "G5-G5", 3), ("mw", "pion05", "G1-G1", 3),
             ("wm", "pion05", "G1-G1", 3), ("cw", "rhox", "GX-GX", 1), ("dw", "rhox", "GX-GX", 1), ("wc", "rhox", "GX-GX", 1), ("wd", "rhox", "GX-GX", 1)]
    blocks = "".join(f"\n  - {{name: {pair}{sink}, parent: {pair[0]}, spectator: {pair[1]}, daughter_masses: [0.4], sink_times: [3], sink_operator: {sink},"
                     f" insertion: [{label}]}}" for pair, sink, label, _ in three)
    out = solved("walls", "solve:" + "".join(f"\n  - {wall % (*kind, TIMES)}" for kind in kinds) + f"\nthree_point:{blocks}\n"
                 "output: {correlators: [], propagators: false, average: true}\n")
    with naik_io.File(out) as f:
        found = {pair + sink: [shifted(f.contraction(f"{pair}{sink}/s{k:04d}/T03/m00-m00-m00/{label}/p000"), t0, 2) for k, t0 in enumerate(TIMES)]
                 + [f.contraction(f"{pair}{sink}/average/T03/m00-m00-m00/{label}/p000/mean")] for pair, sink, label, _ in three}
        for name, values in found.items():
            alike(values, name)
        for names in ("cwrhox", "dwrhox", "wcrhox", "wdrhox"), ("mwpion5", "wmpion5"):
            alike([found[name][0] for name in names], names)
        for pair, sink, label, counted in three:
            x0 = f.h5[f"corr/{pair}{sink}/s0001/T03/m00-m00-m00/{label}/p000"].attrs["counted_from"]
            assert list(x0) == [1 if "d" in pair else 0, 0, 1 if "d" in pair else 0, 3 if counted < 3 else 0], (pair, sink, x0)
        text = naik_io._text(f.h5["metadata/canonical_input"][()].split(b"\0")[0])
        assert "output.origin = source, three-point functions from spectator and parent\n" in text, text  # older files have another count


def averages_of_operators_with_links_know_the_sign_of_their_place():
    """M has its phases from the lattice's origin: each link of the operator brings eta of the source's place."""
    eta = {"X": lambda x: (-1) ** x[3], "Y": lambda x: (-1) ** (x[3] + x[0]), "Z": lambda x: (-1) ** (x[3] + x[0] + x[1])}
    places = [[0, 0, 0, 0], [1, 0, 0, 3], [2, 3, 5, 6]]
    for name, more in (("links", ""), ("counted", ", origin: [1, 2, 3, 1]")):
        out = solved(name, f"""
solve:
  - {{name: pt, masses: [0.3], source: {{type: point, origin: {places}}}}}
output: {{correlators: [GX-G1, GY-G1, GZ-G1], momenta: [[1, 0, 0], [0, 1, 0], [0, 0, 1]], average: true{more}}}
""")
        with naik_io.File(out) as f:
            for d, p in (("X", "p100"), ("Y", "p010"), ("Z", "p001")):
                mean = f.contraction(f"pt/average/m00/G{d}-G1/{p}/mean")
                found = [eta[d](x) * shifted(f.contraction(f"pt/s{k:04d}/m00/G{d}-G1/{p}"), x[3], 2) for k, x in enumerate(places)]
                if more == "":
                    alike([*found, mean], (d, p))
                assert np.abs(mean).max() > 1e-6
                assert np.abs(f.contraction(f"pt/average/m00/G{d}-G1/{p}/error")).max() < 1e-9 * np.abs(mean).max(), (d, p, more)


def a_wall_beside_a_corner_knows_the_sign_of_an_operator():
    """A wall on an odd slice is a reflected one to M, of which an odd number of links in space changes the sign."""
    out = solved("beside", f"""
solve:
  - {{name: wall, masses: [0.3], correlators: [], source: {{type: evenandodd_wall, t0: {TIMES}}}}}
  - {{name: corner, masses: [0.4], correlators: [], source: {{type: corner_wall, t0: {TIMES}}}}}
pairs: [{{name: two, quark: wall, antiquark: corner}}]
three_point: [{{name: three, parent: wall, spectator: corner, daughter_masses: [0.5], sink_times: [2], insertion: [GX-G1, GT-G1]}}]
output: {{correlators: [GX-G1, GT-G1, conserved_vector_x], average: true}}
""")
    with naik_io.File(out) as f:
        for name in ("two/average/m00-m00/GX-G1", "two/average/m00-m00/GT-G1", "two/average/m00-m00/conserved_vector_x",
                     "three/average/T02/m00-m00-m00/GX-G1", "three/average/T02/m00-m00-m00/GT-G1"):
            mean, error = (np.abs(f.contraction(f"{name}/p000/{what}")).max() for what in ("mean", "error"))
            assert mean > 1e-6 and error < 1e-9 * mean, (name, mean, error)


def older_files_go_on_as_they_began():
    text = f"""
solve:
  - {{name: pt, masses: [0.3], source: {{type: point, origin: {[list(x) for x in PLACES]}}}}}
"""
    old = solved("old", text + f"output: {{{ASKED}, origin: [0, 0, 0, 0], momentum_weight: cos}}\n")
    new = solved("new", text + f"output: {{{ASKED}}}\n")
    x, y, z, t = (np.arange(n) for n in SIZE)
    with naik_io.File(old) as f, naik_io.File(new) as g:
        canonical = [naik_io._text(h.h5["metadata/canonical_input"][()].split(b"\0")[0]) for h in (f, g)]
        # the lines make the difference: without them an input is that of a file begun before there were these keys
        assert canonical[1] == canonical[0] + "output.origin = source\noutput.momentum_weight = exp\n", canonical
        for k, place in enumerate(PLACES):
            rho = f.correlator("pt", 0, k, "rhox")
            assert np.array_equal(rho, (-1) ** place[0] * g.correlator("pt", 0, k, "rhox")), place
            waved = f.correlator("pt", 0, k, "pion5", [1, 0, 0])
            # cos(p x) = Re exp(i p (x - x0)) exp(i p x0)
            wanted = (g.correlator("pt", 0, k, "pion5", [1, 0, 0]) * np.exp(2j * np.pi * place[0] / SIZE[0])).real
            assert waved.dtype == float and np.abs(waved - wanted).max() < 1e-12 * np.abs(wanted).max(), (waved, wanted)
        assert f.counted_from("pt", 0, 2) == ((0, 0, 0, 0), "cos")
        assert f.physics("pt") == g.physics("pt") and f.physics("pt", 0, "rhox") != g.physics("pt", 0, "rhox")
        assert f.physics("pt", 0, None, (1, 0, 0)) != g.physics("pt", 0, None, (1, 0, 0))
    with open(path("again.yaml"), "w") as f:
        f.write(INPUT % path("unit.h5") + text + f"output: {{{ASKED}}}\n")
    status, _, said = answer("solve", path("again.yaml"), "--set", f"output.file={old}")
    assert status == 1 and "output: {origin: [0, 0, 0, 0], momentum_weight: cos}" in said, (status, said)
    # what is stored is read whichever it is
    naik("solve", path("again.yaml"), "--set", f"output.file={path('guessed.h5')}", "--set", f"solve.0.guess={old}")
    with naik_io.File(new) as g, naik_io.File(path("guessed.h5")) as h:
        assert (h.solves["iterations"] == 0).all(), h.solves["iterations"]
        alike([g.correlator("pt", 0, 2, "rhox", (1, -1, 2)), h.correlator("pt", 0, 2, "rhox", (1, -1, 2))], "guessed")


def two_twists_take_no_cosine():
    with open(path("twist.yaml"), "w") as f:
        f.write(INPUT % path("unit.h5") + f"""
solve:
  - {{name: tw, masses: [0.3], twist: [0.25, 0, 0], source: {{type: point, origin: {[list(x) for x in PLACES]}}}}}
  - {{name: pt, masses: [0.3], source: {{type: point, origin: {[list(x) for x in PLACES]}}}}}
pairs: [{{name: pi, quark: tw, antiquark: pt}}]
output: {{{ASKED}, file: {path("twist.h5")}}}
""")
    status, _, said = answer("solve", path("twist.yaml"), "--set", "output.momentum_weight=cos", "--dry-run")
    assert status == 1 and "mixes the momenta p and -p" in said, (status, said)
    naik("solve", path("twist.yaml"))
    with naik_io.File(path("twist.h5")) as f:
        for p in NAMES:
            alike([shifted(f.contraction(f"pi/s{k:04d}/m00-m00/rhox/{p}"), x[3], 2) for k, x in enumerate(PLACES)], p)


def pairs_without_a_mean_are_refused():
    """Noise of two seeds, noise and a point, two time slices; two places are contracted, with a line."""
    text = INPUT % path("unit.h5") + """
solve:
  - {name: a, masses: [0.3], source: {type: %s}}
  - {name: b, masses: [0.3], source: {type: %s}}
pairs: [{name: ab, quark: a, antiquark: b}]
output: {file: none.h5}
"""
    noise, point = "random_wall, seed: 1, t0: 2", "point, origin: [0, 0, 0, 2]"
    for a, b, sentence in ((noise, "random_wall, seed: 2, t0: 2", "noise of different seeds or kinds"),
                           (noise, "random_wall, seed: 1, noise: z3, t0: 2", "noise of different seeds or kinds"),
                           (noise, point, "one is noise and the other is not"), (noise, "random_wall, seed: 1, t0: 3", "different time slices"),
                           (point, "point, origin: [0, 0, 0, 3]", "different time slices"),
                           (noise, "random_wall, seed: 1, t0: 2, momentum: [1, 0, 0]", None),
                           (point, "point, origin: [2, 0, 0, 2]", None), (point, "evenandodd_wall, t0: 2", None)):
        with open(path("pair.yaml"), "w") as f:
            f.write(text % (a, b))
        status, out, said = answer("solve", path("pair.yaml"), "--dry-run")
        assert status == (1 if sentence else 0) and (sentence or "") in said, (a, b, status, said)
        if "[2, 0, 0, 2]" in b:
            assert "Coulomb gauge: theta" in out + said, (out, said)


def a_nucleon_of_walls_of_two_corners_is_refused():
    with open(path("two.yaml"), "w") as f:
        f.write(INPUT % path("unit.h5") + """
solve:
  - {name: a, masses: [0.3], source: {type: corner_wall, t0: 0}}
  - {name: b, masses: [0.3], source: {type: corner_wall, corner: [1, 0, 0], t0: 0}}
  - {name: all, masses: [0.3], source: {type: evenandodd_wall, t0: 0}}
baryons: [{name: n, quarks: [a, %s, all]}]
output: {file: two.h5}
""" % "b")
    status, _, said = answer("solve", path("two.yaml"), "--dry-run")
    assert status == 1 and "have no corner of the hypercube" in said, (status, said)
    status, _, said = answer("solve", path("two.yaml"), "--dry-run", "--set", "baryons.0.quarks=[b, all, b]")
    assert status == 0, (status, said)


main([unit_links_are_made, nucleons_are_summed_at_the_corner_of_their_source, mesons_are_counted_from_their_source,
      three_point_functions_are_counted_from_the_first_source, a_three_point_function_is_counted_from_one_place,
      three_point_functions_of_walls_are_counted_as_the_pair_of_their_sources, averages_of_operators_with_links_know_the_sign_of_their_place,
      a_wall_beside_a_corner_knows_the_sign_of_an_operator, older_files_go_on_as_they_began, two_twists_take_no_cosine, pairs_without_a_mean_are_refused,
      a_nucleon_of_walls_of_two_corners_is_refused])
