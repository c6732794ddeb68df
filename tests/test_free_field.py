# test_free_field.py - on unit links every solution is known: the free staggered quark, in numpy
#
# M^+ M = 4m^2 - D^2 is diagonal in momentum space, because the phases of two directions anticommute:
#
#   M^-1 = (2m - D) / (4m^2 + 4 sum_mu (c1 sin p_mu + c3 sin 3 p_mu)^2)
#
# c1, c3: coefficients of one and three hops on unit links (S. Naik, Nucl. Phys. B316 (1989) 238). p_t is
# 2 pi (n + 1/2) / T where the quarks are antiperiodic. Nothing here knows of even and odd sites, fat
# links or a solver.
# timeout: 120
import itertools

import h5py
import numpy as np

from program import main, naik, path

SIZE = (6, 4, 8, 10)  # x, y, z, t
EPSILON = -0.2
HOPS = {"naive": (1, 0), "asqtad": (9 / 8, -1 / 24), "hisq": ((9 + EPSILON) / 8, -(1 + EPSILON) / 24)}
TOLERANCE = 1e-12
MASSES = (0.05, 2.0)
SOURCES = """
  - {name: pt, masses: [%(m)s], %(eps)s source: {type: point, origin: [[0, 0, 0, 0], [3, 2, 7, 9], [1, 0, 2, 4]]}}
  - {name: wall, masses: [%(m)s], %(eps)s source: {type: evenminusodd_wall, t0: 7, momentum: [1, -1, 3]}}
  - {name: gauss, masses: [%(m)s], %(eps)s source: {type: gaussian, origin: [5, 3, 0, 2], radius: 1.5}}
"""
PLACES = [(0, 0, 0, 0), (3, 2, 7, 9), (1, 0, 2, 4), (0, 0, 0, 7), (5, 3, 0, 2)]
MESONS = ("pion5", "pion05", "rhox", "rhoy", "rhoz", "rhox0", "rhoy0", "rhoz0")
INPUT = """
lattice: {size: [%s], boundary_t: %s}
gauge: {file: %s}
action: {type: %s}
solve: %s
solver: {tolerance: %g}
output: {file: %s, correlators: [pion5, pion05, rhox, rhoy, rhoz, rhox0, rhoy0, rhoz0], momenta: [[0, 0, 0], [1, 0, 2]]}
"""
T, Z, Y, X = (np.arange(n).reshape([-1 if a == b else 1 for b in range(4)])
              for a, n in enumerate(reversed(SIZE)))
PHASES = {3: (-1.0) ** T, 2: (-1.0) ** (T + X), 1: (-1.0) ** (T + X + Y), 0: 1.0}  # by axis of [T][Z][Y][X]


def inverse(src, mass, c1, c3, antiperiodic, shift=(0, 0, 0)):
    """M^-1 src, src [T][Z][Y][X]; the momenta of x, y, z with `shift` on top."""
    twist = np.exp(1j * np.pi * T / SIZE[3]) if antiperiodic else 1.0
    hop = []
    for axis, n in enumerate(reversed(SIZE)):
        p = 2 * np.pi * (np.arange(n) + (0.5 * antiperiodic, *reversed(shift))[axis]) / n
        shape = [-1 if a == axis else 1 for a in range(4)]
        hop.append((2 * (c1 * np.sin(p) + c3 * np.sin(3 * p))).reshape(shape))
    phi = np.fft.fftn(src / twist) / (4 * mass ** 2 + sum(h ** 2 for h in hop))
    out = 2 * mass * twist * np.fft.ifftn(phi)
    for axis in range(4):
        out -= PHASES[axis] * twist * np.fft.ifftn(1j * hop[axis] * phi)
    return out


def expected_sources():
    """The right-hand sides of SOURCES in their order, one colour's share."""
    for origin in ((0, 0, 0, 0), (3, 2, 7, 9), (1, 0, 2, 4)):
        src = np.zeros(SIZE[::-1], complex)
        src[origin[::-1]] = 1
        yield src
    wave = np.exp(2j * np.pi * (X / SIZE[0] - Y / SIZE[1] + 3 * Z / SIZE[2]))
    yield np.where(T == 7, (-1.0) ** (X + Y + Z + T) * wave, 0)
    def distance(x, x0, n):
        return np.minimum((x - x0) % n, (x0 - x) % n)
    r2 = sum(distance(x, x0, n) ** 2 for x, x0, n in zip((X, Y, Z), (5, 3, 0), SIZE))
    yield np.where(T == 2, np.exp(-r2 / 1.5 ** 2), 0).astype(complex)


def correlator(g, meson, p, x0):
    """Of one colour's solution g [T][Z][Y][X] of a source at x0."""
    x, y, z, t = X - x0[0], Y - x0[1], Z - x0[2], T - x0[3]
    weight = np.exp(2j * np.pi * (p[0] * x / SIZE[0] + p[1] * y / SIZE[1] + p[2] * z / SIZE[2]))
    sign = (-1.0) ** {"pion5": 0, "pion05": x + y + z + t, "rhox": x, "rhoy": y, "rhoz": z,
                      "rhox0": y + z, "rhoy0": x + z, "rhoz0": x + y}[meson]
    return (abs(g) ** 2 * weight * sign).sum((1, 2, 3))


def solved(action, boundary):
    out = path(f"{action}-{boundary}.h5")
    name = path(f"{action}-{boundary}.yaml")
    words = {"m": ", ".join(map(str, MASSES)), "eps": f"naik_epsilon: [{EPSILON}, {EPSILON}]," if action == "hisq" else ""}
    with open(name, "w") as f:
        f.write(INPUT % (", ".join(map(str, SIZE)), boundary, path("unit.h5"),
                         "asqtad, u0: 1" if action == "asqtad" else action, SOURCES % words, TOLERANCE, out))
    naik("solve", name, ranks=2, env={"NAIK_GRID": "1x1x2x1"})
    return out


def unit_links_are_made():
    naik("gauge", "generate", "--size", ",".join(map(str, SIZE)), "--beta", "6", "--sweeps", "0", "-o", path("unit.h5"))


def the_quark_is_free(action, boundary):
    with h5py.File(solved(action, boundary)) as f:
        for number, src in enumerate(expected_sources()):
            for k, mass in enumerate(MASSES):
                expected = inverse(src, mass, *HOPS[action], boundary == "antiperiodic")
                g = f[f"prop/s{number:04d}/m{k:02d}"][...]
                # |M^-1| <= 1 / 2m, |D| < 12, and the solver's tolerance is on M^+ src
                bound = TOLERANCE * (2 * mass + 12) / (2 * mass) ** 2 * np.linalg.norm(src)
                for a, b in itertools.product(range(3), range(3)):
                    error = np.linalg.norm(g[a, ..., b] - (expected if a == b else 0))
                    assert error < bound, (action, boundary, number, mass, a, b, error, bound)
                where = f"corr/pt/s{number:04d}" if number < 3 else f"corr/{'wall' if number == 3 else 'gauss'}"
                for meson, (p, named) in itertools.product(MESONS, (((0, 0, 0), "p000"), ((1, 0, 2), "p102"))):
                    got = f[f"{where}/m{k:02d}/{meson}/{named}"][...]
                    wanted = 3 * correlator(expected, meson, p, PLACES[number])
                    scale = 3 * (abs(expected) ** 2).sum()
                    assert np.abs(got - wanted).max() < 1e-9 * scale, (action, boundary, where, meson, p, got, wanted)


def naive_quarks_on_unit_links_are_free():
    the_quark_is_free("naive", "antiperiodic")


def asqtad_quarks_on_unit_links_are_free():
    the_quark_is_free("asqtad", "periodic")


def hisq_quarks_on_unit_links_are_free():
    the_quark_is_free("hisq", "antiperiodic")
    the_quark_is_free("hisq", "periodic")


def a_twist_is_a_momentum_on_top():
    action = "asqtad"
    shift = (0.3, -0.7, 1.25)
    with open(path("twist.yaml"), "w") as f:
        f.write(INPUT % (", ".join(map(str, SIZE)), "antiperiodic", path("unit.h5"), f"{action}, u0: 1", f"""
  - {{name: tw, masses: [0.2], twist: {list(shift)}, source: {{type: point, origin: [3, 2, 7, 9]}}}}
  - {{name: pt, masses: [0.2], source: {{type: point, origin: [3, 2, 7, 9]}}}}
pairs:
  - {{name: pi, quark: tw, antiquark: pt}}""", TOLERANCE, path("twist.h5")))
    naik("solve", path("twist.yaml"), ranks=2)
    src = np.zeros(SIZE[::-1], complex)
    src[9, 7, 2, 3] = 1
    quark = inverse(src, 0.2, *HOPS[action], True, shift)
    antiquark = inverse(src, 0.2, *HOPS[action], True)
    with h5py.File(path("twist.h5")) as f:
        for number, expected in enumerate((quark, antiquark)):
            g = f[f"prop/s{number:04d}/m00"][...]
            for a in range(3):
                assert np.abs(g[a, ..., a] - expected).max() < 1e-10, number
        got = f["corr/pi/m00-m00/pion5/p000"][...]
        wanted = 3 * (quark * antiquark.conj()).sum((1, 2, 3))
        assert np.abs(got - wanted).max() < 1e-9, (got, wanted)
        assert np.abs(wanted - 3 * (abs(antiquark) ** 2).sum((1, 2, 3))).max() > 1e-3


main([unit_links_are_made, naive_quarks_on_unit_links_are_free, asqtad_quarks_on_unit_links_are_free,
      hisq_quarks_on_unit_links_are_free, a_twist_is_a_momentum_on_top])
