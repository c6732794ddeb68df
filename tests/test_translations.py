# test_translations.py - a correlator does not know where its source lies: on unit links sources at several places give
# the same numbers, counted from the source
# timeout: 120
import os
import sys

import numpy as np

from program import answer, main, naik, path

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import naik_io

SIZE = (4, 4, 6, 8)
PLACES = [(0, 0, 0, 0), (1, 0, 0, 0), (2, 3, 5, 3), (3, 1, 1, 6)]
CORNERS = [(0, 0, 0), (1, 0, 1), (1, 1, 1)]
TIMES = [0, 3, 6]
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
""", ranks=2)
    with naik_io.File(out) as f:
        def of(name, times, path="{}/s{:04d}/m00/nucleon"):
            return [shifted(f.contraction(path.format(name, k)), t0, 3) for k, t0 in enumerate(times)]
        for name in "pt", "gauss":
            alike(of(name, [x[3] for x in PLACES]), name)
        alike(of("even", TIMES) + of("odd", TIMES), "even and odd")
        alike([x for k in range(3) for kind in "cs" for x in of(f"{kind}{k}", TIMES)] +
              of("mixed", TIMES, "{}/s{:04d}/m00-m00-m00/nucleon"), "corners")


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


main([unit_links_are_made, nucleons_are_summed_at_the_corner_of_their_source, a_nucleon_of_walls_of_two_corners_is_refused])
