"""Baryons: the octet and decuplet of quarks with spin against Wick's theorem, tastes of the nucleon and the Delta of
staggered quarks against plain sums in numpy, and a gauge transformation of the configuration.
ranks: 1
"""
import itertools
import os
import sys

import h5py
import numpy as np

import gauge_writers
from program import answer, everything, main, naik, path, same, stopped

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import naik_io  # noqa: E402

NX, NY, NZ, NT = SIZE = (8, 4, 4, 8)
T, Z, Y, X = (np.arange(n).reshape([-1 if a == b else 1 for b in range(4)]) for a, n in enumerate(reversed(SIZE)))
GX = np.array([[0, 0, 0, 1j], [0, 0, 1j, 0], [0, -1j, 0, 0], [-1j, 0, 0, 0]])
GY = np.array([[0, 0, 0, -1], [0, 0, 1, 0], [0, 1, 0, 0], [-1, 0, 0, 0]], complex)
GZ = np.array([[0, 0, 1j, 0], [0, 0, 0, -1j], [-1j, 0, 0, 0], [0, 1j, 0, 0]])
GT = np.array([[0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0]], complex)
G5, ONE = GX @ GY @ GZ @ GT, np.eye(4)
EPS = np.zeros((3, 3, 3))
for cycle in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
    EPS[cycle], EPS[cycle[0], cycle[2], cycle[1]] = 1, -1

SPIN = """
lattice:  {size: [8, 4, 4, 8], boundary_t: antiperiodic}
gauge:    {file: %s}
action:   {type: wilson}
solve:
  - {name: l, masses: [0.4], source: {type: point, origin: [[0, 0, 0, 1], [1, 2, 3, 2]]}}
  - {name: s, masses: [0.7], source: {type: point, origin: [[0, 0, 0, 1], [1, 2, 3, 2]]}}
baryons:
  - {name: lls, quarks: [l, l, s], operators: [lambda, delta, delta_odd_parity, lambda_odd_parity, nucleon_odd_parity]}
  - {name: lsl, quarks: [l, s, l], operators: [nucleon, delta]}
solver:   {tolerance: 1e-12}
output:   {file: %s, correlators: [pion], baryons: [nucleon, delta, nucleon_odd_parity], average: true}
"""
STAGGERED = """
lattice:  {size: [8, 4, 4, 8], boundary_t: antiperiodic}
gauge:    {file: %s}
action:   {type: naive}
solve:
  - {name: wall, masses: [0.3, 0.4], correlators: [], source: {type: evenandodd_wall, t0: [1, 2]}}
  - {name: other, masses: [0.6], correlators: [], source: {type: evenandodd_wall, t0: [1, 2]}}
  - {name: even, masses: [0.3], correlators: [], source: {type: even_wall, t0: 2}}
  - {name: corner, masses: [0.3], correlators: [], source: {type: evenandodd_wall, subset: corner, corner: [0, 1, 1], t0: 2}}
baryons:
  - {name: wwo, quarks: [wall, wall, other], operators: [delta_coulomb, nucleon_101]}
solver:   {tolerance: 1e-12}
output:   {file: %s, correlators: [], baryons: [nucleon, delta, nucleon_011, delta_coulomb], average: true}
"""
BESIDE = """
lattice:  {size: [8, 4, 4, 8], boundary_t: antiperiodic}
gauge:    {file: %s}
action:   {type: naive}
solve:
  - {name: x, masses: [0.3], source: {type: point, origin: [[1, 0, 2, 1], [0, 1, 2, 0]], spin_taste: G1-GX}}
  - {name: y, masses: [0.3], source: {type: point, origin: [[1, 0, 2, 1], [0, 1, 2, 0]], spin_taste: G1-GY}}
  - {name: z, masses: [0.3], source: {type: point, origin: [[1, 0, 2, 1], [0, 1, 2, 0]], spin_taste: G1-GZ}}
  - {name: no_quark_of_it, masses: [3], twist: [0.1, 0, 0], source: {type: evenandodd_wall, t0: [0, 1]}}
baryons:
  - {name: d, quarks: [x, y, z], operators: [delta]}
solver:   {tolerance: 1e-12}
output:   {file: %s, correlators: [], average: true}
"""


def write(name, text, gauge="lat.h5"):
    with open(path(name + ".yaml"), "w") as f:
        f.write(text % (path(gauge), path(name + ".h5")))
    return path(name + ".yaml")


def near(got, wanted, scale, what):
    assert np.abs(got - wanted).max() <= 1e-12 * scale, (what, got, wanted)


def spin_propagator(f, entry, within):
    """S[t, z, y, x, sink spin, sink colour, source spin, source colour]"""
    return np.moveaxis(f[f"prop/s{2 * 'ls'.index(entry) + within:04d}/m00"][...], (0, 1), (6, 7))


TIED = {}


def tied(*quark):
    """Sum over sites of each time slice of eps_abc eps_def Q_ia,kd R_jb,le S_mc,nf: [t, i, j, m, k, l, n]"""
    key = tuple(map(id, quark))
    if key not in TIED:
        q, r, s = (v.reshape(v.shape[0], -1, 4, 3, 4, 3) for v in quark)
        two = np.einsum("abc,txiakd->txbcikd", EPS, q)
        two = np.einsum("def,txbcikd->txbcefik", EPS, two)
        two = np.einsum("txbcefik,txjble->tikjlxcf", two, r, optimize=True)
        v = q.shape[0], 256, -1
        three = two.reshape(v) @ np.einsum("txmcnf->txcfmn", s).reshape(v[0], -1, 16)
        TIED[key] = three.reshape(-1, 4, 4, 4, 4, 4, 4).transpose(0, 1, 3, 5, 2, 4, 6), quark
    return TIED[key][0]


def two_point(sink, source, quark):
    """<B Bbar>, [t, spin of sink, of source], by Wick's theorem. sink and source: lists of (number, gamma matrix, three
    flavours) of eps (f^T gamma g) h; quark: the propagator of each flavour."""
    total = 0
    for (a, g, of), (b, h, to) in itertools.product(sink, source):
        bar = GT @ h.conj().T @ GT  # of (hbar) (gbar bar fbar^T)
        for order in itertools.permutations(range(3)):
            if all(of[i] == to[order[i]] for i in range(3)):
                # the sign of the order of the quarks is that of their colours as well
                here = tied(*(quark[f] for f in of)).transpose(0, 1, 2, 3, *(4 + order.index(i) for i in range(3)))
                total = total + a * np.conj(b) * np.einsum("tijmkln,ij,lk->tmn", here, g, bar, optimize=True)
    return total


def projected(two, odd):
    return np.einsum("ij,tji->t", (ONE - GT if odd else ONE + GT) / 2, two)


C = GY @ GT


def octet(odd, *of):
    return lambda quark: projected(two_point([(1, C @ G5, of)], [(1, C @ G5, of)], quark), odd)


def the_lambda(odd):
    terms = [(2 / 6 ** 0.5, C @ G5, "uds"), (1 / 6 ** 0.5, C @ G5, "usd"), (-1 / 6 ** 0.5, C @ G5, "dsu")]
    return lambda quark: projected(two_point(terms, terms, quark), odd)


def decuplet(odd, terms):
    """terms: (number, three flavours), as a textbook has them for that baryon."""
    def made(quark):
        total = 0
        for (i, gi), (j, gj) in itertools.product(enumerate((GX, GY, GZ)), repeat=2):
            two = two_point([(n, C @ gj, of) for n, of in terms], [(n, C @ gi, of) for n, of in terms], quark)
            total = total + projected(np.einsum("ij,tjk->tik", (i == j) * ONE - gi @ gj / 3, two), odd)
        return total
    return made


DELTA, SIGMA_STAR = [(1, "uuu")], [(2 / 3 ** 0.5, "usu"), (1 / 3 ** 0.5, "uus")]
SIGMA_STAR_0 = [((2 / 3) ** 0.5, of) for of in ("uds", "dsu", "sud")]


def links(name):
    with h5py.File(path(name)) as f:
        return f["gauge"][...]


def a_configuration_and_one_transformed_are_made():
    naik("gauge", "generate", "--size", "8,4,4,8", "--beta", "5.8", "--seed", "3", "--sweeps", "5", "-o", path("lat.h5"))
    rng = np.random.default_rng(5)
    v, _ = np.linalg.qr(rng.normal(size=(NT, NZ, NY, NX, 3, 3)) + 1j * rng.normal(size=(NT, NZ, NY, NX, 3, 3)))
    v /= np.linalg.det(v)[..., None, None] ** (1 / 3)
    u = links("lat.h5")
    for mu, axis in ((0, 3), (1, 2), (2, 1), (3, 0)):
        u[..., mu, :, :] = v @ u[..., mu, :, :] @ np.roll(v, -1, axis).conj().swapaxes(-1, -2)
    with open(path("turned"), "wb") as f:
        f.write(gauge_writers.ildg_bytes(u))


def bytes_are_the_same_on_every_number_of_ranks():
    for name, text in (("spin", SPIN), ("staggered", STAGGERED), ("beside", BESIDE)):
        naik("solve", write(name, text))
        naik("solve", write("more", text), ranks=2 if name == "spin" else 4)
        same(everything(name + ".h5"), everything("more.h5"))
        os.remove(path("more.h5"))
    stopped("solve", write("more", STAGGERED), ranks=2)
    naik("solve", path("more.yaml"))
    same(everything("staggered.h5"), everything("more.h5"))


def octet_and_decuplet_are_what_wicks_theorem_gives():
    with naik_io.File(path("spin.h5")) as file:
        for within in (1,):
            light, strange = (spin_propagator(file.h5, entry, within) for entry in "ls")
            quark = {"u": light, "d": light, "s": strange}
            scale = (np.abs(light) ** 3).sum()
            for name, made in (("lls/{}/m00-m00-m00/lambda", the_lambda(False)), ("lls/{}/m00-m00-m00/lambda_odd_parity", the_lambda(True)),
                               ("lls/{}/m00-m00-m00/nucleon_odd_parity", octet(True, "u", "d", "s")),
                               ("lls/{}/m00-m00-m00/delta", decuplet(False, SIGMA_STAR)), ("lls/{}/m00-m00-m00/delta", decuplet(False, SIGMA_STAR_0)),
                               ("lls/{}/m00-m00-m00/delta_odd_parity", decuplet(True, SIGMA_STAR)),
                               ("lsl/{}/m00-m00-m00/nucleon", octet(False, "u", "s", "u")), ("lsl/{}/m00-m00-m00/delta", decuplet(False, SIGMA_STAR)),
                               ("l/{}/m00/nucleon", octet(False, "u", "d", "u")), ("l/{}/m00/nucleon_odd_parity", octet(True, "u", "d", "u")),
                               ("l/{}/m00/delta", decuplet(False, DELTA))):
                near(file.contraction(name.format(f"s{within:04d}")), made(quark), scale, name)
            assert np.abs(decuplet(False, DELTA)(quark)).max() > 1e-6 * scale
        told = dict(file.h5["corr/lls/s0001/m00-m00-m00/delta"].attrs)
        assert "delta_ij - gi gj/3" in told["definition"] and told["third_quark"] == "s/s0001", told
        parts = [np.roll(file.contraction(f"l/s{k:04d}/m00/delta"), -x) * np.where(np.arange(NT) + x < NT, 1, -1) for k, x in ((0, 1), (1, 2))]
        near(file.contraction("l/average/m00/delta/mean"), np.mean(parts, 0), np.abs(parts).max(), "average")
        near(file.mean(file.find("l", "delta")), np.mean(parts, 0), np.abs(parts).max(), "naik_io")
        try:
            file.correlator("l", meson="delta")
            raise AssertionError("a baryon came as a meson")
        except LookupError as error:
            assert str(error).endswith("; find('l', 'delta') gives the delta"), error


def staggered(f, source, mass=0):
    return f[f"prop/s{source:04d}/m{mass:02d}"][...]  # [3][T][Z][Y][X][3]


def at_corner(x, y, z):
    return ((X - x) % 2 == 0) & ((Y - y) % 2 == 0) & ((Z - z) % 2 == 0)


def determinant(*g):
    """eps_abc eps_def G_ad G_be G_cf, rows by source colour"""
    return np.einsum("abc,def,atzyxd,btzyxe,ctzyxf->tzyx", EPS, EPS, *g, optimize=True)


def displaced(u, g, k):
    """1/2 [U G(x + k) + U^+ G(x - k)]; u None: without links"""
    axis = 4 - k
    link = u[..., k, :, :] if u is not None else np.broadcast_to(np.eye(3), (NT, NZ, NY, NX, 3, 3))
    ahead = np.einsum("tzyxab,ctzyxb->ctzyxa", link, np.roll(g, -1, axis))
    return (ahead + np.roll(np.einsum("tzyxba,ctzyxb->ctzyxa", link.conj(), g), 1, axis)) / 2


def delta(u, corner, *g):
    """The mean over the assignments of quarks to directions."""
    total = sum(determinant(*(displaced(u, g[order[k]], k) for k in range(3))) for order in itertools.permutations(range(3))) / 6
    return (total * corner).sum((1, 2, 3))


def tastes_and_deltas_are_determinants():
    u = links("lat.h5")
    with naik_io.File(path("staggered.h5")) as file:
        f = file.h5
        wall, other, even = [staggered(f, s) for s in (0, 1)], [staggered(f, s) for s in (2, 3)], staggered(f, 4)
        heavy = staggered(f, 0, 1)
        scale = (np.abs(wall[0]) ** 3).sum()
        for k in range(2):
            g = wall[k]
            near(file.contraction(f"wall/s{k:04d}/m00/nucleon"), (determinant(g, g, g) / 6 * at_corner(0, 0, 0)).sum((1, 2, 3)), scale, k)
            near(file.contraction(f"wall/s{k:04d}/m00/nucleon_011"), (determinant(g, g, g) / 6 * at_corner(0, 1, 1)).sum((1, 2, 3)), scale, k)
            near(file.contraction(f"wall/s{k:04d}/m00/delta"), delta(u, at_corner(0, 0, 0), g, g, g), scale, ("delta", k))
            near(file.contraction(f"wall/s{k:04d}/m00/delta_coulomb"), delta(None, at_corner(0, 0, 0), g, g, g), scale, ("delta", k))
            got = file.contraction(f"wwo/s{k:04d}/m00-m00-m00/nucleon_101")
            near(got, (determinant(g, g, other[k]) / 6 * at_corner(1, 0, 1)).sum((1, 2, 3)), scale, ("wwo", k))
        near(file.contraction("wwo/s0000/m00-m01-m00/delta_coulomb"), delta(None, at_corner(0, 0, 0), wall[0], heavy, other[0]), scale, "mixed")
        near(file.contraction("even/m00/delta"), delta(u, at_corner(1, 0, 0), even, even, even), scale, "even")
        made = {name.split("/")[2:][-1] for name in file.contractions if name.startswith("/corr/corner/")}
        assert made == {"nucleon", "nucleon_011"}, made  # no corner of a Delta there, and none but its own


def a_gauge_transformation_changes_nothing():
    for name, text, wanted in (("spin", SPIN, ("l/s0001/m00/delta", "lls/s0000/m00-m00-m00/lambda", "lsl/s0001/m00-m00-m00/nucleon")),
                               ("beside", BESIDE, ("d/s0000/m00-m00-m00/delta", "d/s0001/m00-m00-m00/delta"))):
        naik("solve", write("turned", text, gauge="turned"), "--fresh")
        with naik_io.File(path(name + ".h5")) as one, naik_io.File(path("turned.h5")) as two:
            for correlator in wanted:
                c = one.contraction(correlator)
                assert np.abs(c).max() > 0
                near(two.contraction(correlator), c, 100 * np.abs(c).max(), correlator)  # as far as both are solved


def a_delta_of_displaced_sources_is_summed_at_their_corner():
    u = links("lat.h5")
    with naik_io.File(path("beside.h5")) as file:
        for k, x0 in enumerate(((1, 0, 2, 1), (0, 1, 2, 0))):
            g = [staggered(file.h5, 2 * mu + k) for mu in range(3)]
            near(file.contraction(f"d/s{k:04d}/m00-m00-m00/delta"), delta(u, at_corner(*x0[:3]), *g), np.prod([np.linalg.norm(v) for v in g]), k)


def what_no_source_carries_is_refused():
    for text, change, sentence in (
            (STAGGERED, ("output.baryons=[lambda]",), "'output.baryons': lambda is for wilson, clover and twisted_mass quarks"),
            (SPIN, ("output.baryons=[nucleon_000]",), "'output.baryons': nucleon_000 is for staggered quarks"),
            (STAGGERED, ("baryons.0.quarks=[corner, corner, corner]",), "where a delta_coulomb could be summed: a Delta needs walls"),
            (STAGGERED, ("baryons.0.quarks=[corner, corner, corner]", "baryons.0.operators=[nucleon_000]"), "where a nucleon_000 could be summed"),
            (STAGGERED, ("baryons.0.operators=[]",), "'baryons.0.operators' names nothing"),
            (STAGGERED, ("solve.0.source={type: random_wall, t0: 1, noise: z3, seed: 1}", "solve.1.source={type: random_wall, t0: 1, noise: z3, seed: 1}", "output.average=false"), "a Delta needs walls"),
            (STAGGERED, ("solve.0.twist=[0.1, 0, 0]",), "naik makes a delta with links only without a twist"),
            (BESIDE, ("baryons.0.operators=[nucleon]",), "where a nucleon could be summed"),
            (BESIDE, ("baryons.0.quarks=[x, y, y]",), "a Delta needs walls"),
            (BESIDE, ("output.baryons=[nucleon]",), "naik makes no nucleon of a source with an operator on it")):
        status, _, said = answer("solve", write("bad", text), "--dry-run", *(w for c in change for w in ("--set", c)))
        assert status == 1 and sentence in said and said.count("\n") == 1, (change, status, said)


main([a_configuration_and_one_transformed_are_made, bytes_are_the_same_on_every_number_of_ranks, octet_and_decuplet_are_what_wicks_theorem_gives,
      tastes_and_deltas_are_determinants, a_gauge_transformation_changes_nothing, a_delta_of_displaced_sources_is_summed_at_their_corner,
      what_no_source_carries_is_refused],
     needed=[a_configuration_and_one_transformed_are_made, bytes_are_the_same_on_every_number_of_ranks])
