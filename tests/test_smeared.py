# test_smeared.py - covariant gaussian sources and sinks as a user runs them, against numpy
#
# On random links the source is found again as M x, with M of naive quarks written out here. On unit links
# a smeared propagator is a sum of shifted point propagators, of Wilson quarks too.
# timeout: 120
import os

import h5py
import numpy as np

from program import everything, main, naik, path, same

SIZE = (8, 4, 4, 8)  # x, y, z, t
RADIUS, STEPS = 1.4, 3
AXIS = (3, 2, 1, 0)  # of direction mu in [T][Z][Y][X]
T, Z, Y, X = np.meshgrid(*(np.arange(n) for n in reversed(SIZE)), indexing="ij")
ETA = ((-1.0) ** T, (-1.0) ** (T + X), (-1.0) ** (T + X + Y), 1.0 + 0 * T)
INPUT = """
lattice: {size: [8, 4, 4, 8]}
gauge: {file: %s}
action: {type: %s}
solve:
  - {name: pt, masses: [0.4], source: {type: point, origin: [1, 2, 3, 4]}}
  - {name: sm, masses: [0.4], source: {type: covariant_gaussian, origin: [1, 2, 3, 4], radius: 1.4, iterations: 3}}
%s
solver: {tolerance: 1e-13}
output: {file: %s}
"""
PAIRS = """
pairs:
  - {name: sink, quark: pt, antiquark: sm, sink: covariant_gaussian, radius: 1.4, iterations: 3}
  - {name: point, quark: pt, antiquark: sm}
"""


def solve(name, *more, gauge="random", action="naive", pairs=PAIRS, **options):
    with open(path(name + ".yaml"), "w") as f:
        f.write(INPUT % (path(gauge + ".h5"), action, pairs, path(name + ".h5")))
    return naik("solve", path(name + ".yaml"), *more, **options)


def stored(name, number):
    with h5py.File(path(name + ".h5")) as f:
        return f[f"/prop/s{number:04d}/m00"][...]


def links(name):
    """[T][Z][Y][X][4][3][3]"""
    with h5py.File(path(name + ".h5")) as f:
        return f["/gauge"][...]


def hop(u, v, mu, way):
    """v [T][Z][Y][X][3] carried here from one site ahead (way 1) or behind (-1)."""
    if way > 0:
        return np.einsum("tzyxab,tzyxb->tzyxa", u[..., mu, :, :], np.roll(v, -1, AXIS[mu]))
    return np.roll(np.einsum("tzyxba,tzyxb->tzyxa", u[..., mu, :, :].conj(), v), 1, AXIS[mu])


def smeared(u, v, stride):
    a = RADIUS ** 2 / (4 * STEPS * stride ** 2)
    for _ in range(STEPS):
        new = v.copy()
        for k in range(3):
            for way in (1, -1):
                w = v
                for _ in range(stride):
                    w = hop(u, w, k, way)
                new += a * (w - v)
        v = new
    return v


def point(colour):
    v = np.zeros(SIZE[::-1] + (3,), complex)
    v[4, 3, 2, 1, colour] = 1
    return v


def configurations_are_made():
    for name, sweeps in (("unit", 0), ("random", 3)):
        naik("gauge", "generate", "--size", ",".join(map(str, SIZE)), "--beta", "5.5", "--sweeps", sweeps, "--seed", "8",
             "-o", path(name + ".h5"))


def m_of_the_solution_is_the_smeared_point():
    solve("one")
    u = links("random")
    signed = u.copy()
    signed[-1, ..., 3, :, :] *= -1  # antiperiodic
    for colour in range(3):
        x = stored("one", 1)[colour]
        src = 0.8 * x
        for mu in range(4):
            src += ETA[mu][..., None] * (hop(signed, x, mu, 1) - hop(signed, x, mu, -1))
        wanted = smeared(u, point(colour), 2)
        assert np.abs(src - wanted).max() < 1e-12, np.abs(src - wanted).max()
        assert (np.abs(wanted).sum(-1)[(X % 2 == 0) | (Y % 2 == 1) | (Z % 2 == 0) | (T != 4)] == 0).all()


def funny(u, number, t0, colour):
    """By spin and taste, from shifts with the staggered phases in the links (Golterman and Smit)."""
    signed = u * np.stack(ETA, -1)[..., None, None]
    epsilon, power = (-1.0) ** (X + Y + Z + T), [(-1.0) ** r for r in (X, Y, Z, T)]
    wall = np.zeros(SIZE[::-1] + (3,), complex)
    wall[t0, ..., colour] = 1

    def zeta(v, mu):
        return (epsilon * power[mu])[..., None] * (hop(signed, v, mu, 1) + hop(signed, v, mu, -1)) / 2

    def operator(spin, two_links):  # spin: its gamma_mu; taste the same, times gamma_x gamma_y
        v = wall
        for mu in spin:
            v = (epsilon * power[mu])[..., None] * v
        if two_links:
            v = (zeta(zeta(v, 1), 0) - zeta(zeta(v, 0), 1)) / 2
        return epsilon[..., None] * v  # of the antiquark

    if number == 1:
        return wall + operator([2], False) + operator([], True)  # pion5, rhoz, pioni
    return operator([], False) + operator([2, 3], False) + operator([3], True)  # pion05, rhoz0, pioni0


FUNNY = """
lattice: {size: [8, 4, 4, 8]}
gauge: {file: %s}
action: {type: naive}
solve:
  - {name: w, masses: [0.4], source: {type: evenandodd_wall, t0: 3}}
  - {name: f1, masses: [0.4], source: {type: funnywall1, t0: 3}}
  - {name: f2, masses: [0.4], source: {type: funnywall2, t0: [3, 6]}}
  - {name: sm, masses: [0.4], source: {type: covariant_gaussian, origin: [1, 2, 3, 4], radius: 1.4, iterations: 3}}
pairs:
  - {name: p1, quark: w, antiquark: f1}
solver: {tolerance: 1e-13}
output: {file: %s, correlators: [rhoz]}
"""


def sinks_under_one_operator_are_told_apart():
    """An operator with links on one antiquark whose sink differs in its steps alone, and then in its radius alone."""
    sinks = ((1.4, 3), (1.4, 2), (1.1, 2))
    pairs = [f"  - {{name: p{i}, quark: pt, antiquark: sm, sink: covariant_gaussian, radius: {r}, iterations: {n}}}\n"
             for i, (r, n) in enumerate(sinks)]
    found = []
    for name, order in ("sinks", pairs), ("knis", pairs[::-1]):
        solve(name, "--set", "output.correlators=[GX-G1]", "--set", "output.propagators=false", pairs="pairs:\n" + "".join(order))
        with h5py.File(path(name + ".h5")) as f:
            found.append(np.array([f[f"/corr/p{i}/m00-m00/GX-G1/p000"][...] for i in range(3)]))
    assert (found[0] == found[1]).all(), found
    assert min(np.abs(found[0][i] - found[0][i - 1]).max() for i in range(3)) > 1e-3 * np.abs(found[0]).max(), found


def funny_walls_are_operators_of_spin_and_taste():
    for name, ranks, grid in (("funny", 1, "1x1x1x1"), ("funny2", 2, "2x1x1x1"), ("funny4", 4, "2x1x1x2")):
        with open(path(name + ".yaml"), "w") as f:
            f.write(FUNNY % (path("random.h5"), path(name + ".h5")))
        naik("solve", path(name + ".yaml"), ranks=ranks, env={"NAIK_GRID": grid})
    same(everything("funny.h5"), everything("funny2.h5"))
    same(everything("funny.h5"), everything("funny4.h5"))
    u = links("random")
    signed = u.copy()
    signed[-1, ..., 3, :, :] *= -1  # antiperiodic
    for number, of, t0 in ((1, 1, 3), (2, 2, 3), (3, 2, 6)):
        for colour in range(3):
            x = stored("funny", number)[colour]
            src = 0.8 * x
            for mu in range(4):
                src += ETA[mu][..., None] * (hop(signed, x, mu, 1) - hop(signed, x, mu, -1))
            wanted = funny(u, of, t0, colour)
            assert np.abs(src - wanted).max() < 1e-11 and np.abs(wanted).max() > 1, (of, np.abs(src - wanted).max())
    g, h = stored("funny", 0), stored("funny", 1)
    with h5py.File(path("funny.h5")) as f:
        c = f["/corr/p1/m00-m00/rhoz/p000"][...]
    wanted = np.einsum("ctzyxi,ctzyxi,tzyx->t", g, h.conj(), (-1.0) ** Z)
    assert np.abs(c - wanted).max() < 1e-12 * np.abs(wanted).max(), (c, wanted)
    told = naik("info", path("funny.h5"), "--residuals")
    assert "funnywall1" in told and "funnywall2" in told, told


def smearing_that_grows_is_told_and_what_is_beyond_all_numbers_is_refused():
    """Below n = 1.5 (r0/s)^2 the highest momenta grow; a sink of radius 1e200 gave a correlator of NaN."""
    for key, radius, status, told in (("solve.1.source.radius", 3, 0, "'solve.1.source.radius' 3 in 3 iterations is unstable"),
                                      ("pairs.0.radius", 3, 0, "'pairs.0.radius' 3 in 3 iterations is unstable"),
                                      ("pairs.0.radius", 1e200, 1, "enlarges the highest momenta beyond all numbers"),
                                      ("solve.1.source.radius", 1e200, 1, "enlarges the highest momenta beyond")):
        said = naik("solve", path("one.yaml"), "--set", f"{key}={radius}", "--set", "output.file=" + path("growth.h5"), "--dry-run",
                    "--no-verify", status=status)
        assert told in said, said
    assert "unstable" not in naik("solve", path("one.yaml"), "--dry-run", "--no-verify", "--set", "solve.1.source.iterations=4",
                                  "--set", "solve.1.source.radius=3.2", "--set", "output.file=" + path("growth.h5"))


def a_correlator_that_is_not_finite_is_no_result():
    """Smearing by 1e96 twice leaves finite propagators, whose product is not: the run ends with 1 and the name of it."""
    said = naik("solve", path("one.yaml"), "--set", "output.file=" + path("grown.h5"), "--set", "pairs.0.quark=sm",
                *(w for key in ("solve.1.source", "pairs.0") for k, v in (("radius", 3e23), ("iterations", 2))
                  for w in ("--set", f"{key}.{k}={v}")), status=1)
    assert "/corr/sink/m00-m00/pion5/p000 is not finite" in said, said
    assert os.path.exists(path("grown.h5.part")) and not os.path.exists(path("grown.h5"))


def sinks_are_smeared_on_every_time_slice():
    u = links("random")
    with h5py.File(path("one.h5")) as f:
        smooth = f["/corr/sink/m00-m00/pion5/p000"]
        assert smooth.attrs["sink"] == "covariant_gaussian" and smooth.attrs["sink_radius"] == RADIUS
        assert smooth.attrs["sink_iterations"] == STEPS
        found, plain = smooth[...], f["/corr/point/m00-m00/pion5/p000"][...]
    g, h = ([stored("one", s)[c] for c in range(3)] for s in (0, 1))
    for got, change in ((found, lambda v: smeared(u, v, 2)), (plain, lambda v: v)):
        wanted = sum((change(a) * change(b).conj()).sum((1, 2, 3, 4)) for a, b in zip(g, h))
        assert np.abs(got - wanted).max() < 1e-12 * np.abs(wanted).max(), (got, wanted)
    assert "sink=covariant_gaussian" in naik("info", path("one.h5"), "--correlators")


def free_propagators_are_sums_of_shifted_ones():
    unit = np.broadcast_to(np.eye(3), SIZE[::-1] + (4, 3, 3))
    for action, stride, axes in (("naive", 2, (4, 3, 2)), ("clover, csw: 1.2", 1, (5, 4, 3))):  # of x, y, z
        solve("free", "--fresh", gauge="unit", action=action, pairs=PAIRS if stride == 2 else "")
        weight = smeared(unit, point(0), stride)[4, ..., 0].real
        wanted = sum(weight[z, y, x] * np.roll(stored("free", 0), (x - 1, y - 2, z - 3), axes)
                     for z, y, x in np.argwhere(weight))
        assert np.abs(stored("free", 1) - wanted).max() < 1e-11, action


def every_grid_gives_the_same_bytes():
    rough = "--fresh", "--set", "solver.tolerance=1e-6"  # bytes are compared
    solve("rough", *rough)
    solve("again", *rough, ranks=4, env={"NAIK_GRID": "2x1x1x2"})
    same(everything("rough.h5"), everything("again.h5"))


def what_is_stored_solves_its_equation_with_its_own_links_only():
    naik("info", path("one.h5"), "--residuals")
    naik("export", path("one.h5"), "--source", 1, "-o", path("sm.scidac"))
    naik("gauge", "generate", "--size", ",".join(map(str, SIZE)), "--beta", "5.5", "--sweeps", 4, "--seed", "8",
         "-o", path("other.h5"))
    naik("gauge", "convert", path("random.h5"), path("one.nersc"), "--to", "nersc-3x3")
    naik("info", path("one.h5"), "--residuals", "--set", f"gauge.file={path('one.nersc')}")
    told = naik("info", path("one.h5"), "--residuals", "--set", f"gauge.file={path('other.h5')}", status=1)
    assert "were made with other links" in told, told


main([configurations_are_made, m_of_the_solution_is_the_smeared_point, funny_walls_are_operators_of_spin_and_taste, sinks_under_one_operator_are_told_apart, sinks_are_smeared_on_every_time_slice,
      smearing_that_grows_is_told_and_what_is_beyond_all_numbers_is_refused, a_correlator_that_is_not_finite_is_no_result,
      free_propagators_are_sums_of_shifted_ones, every_grid_gives_the_same_bytes,
      what_is_stored_solves_its_equation_with_its_own_links_only])
