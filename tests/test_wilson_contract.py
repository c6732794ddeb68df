"""Pairs, nucleons, condensate and averages of clover quarks against plain sums in numpy with gamma matrices written out.
timeout: 120
"""
import os
import re
import sys

import h5py
import numpy as np

from program import everything, main, naik, path, same

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import naik_io  # noqa: E402

NX, NY, NZ, NT = SIZE = (6, 2, 4, 8)
ORIGINS = [(0, 0, 0, 1), (5, 1, 2, 6)]
RADIUS, STEPS = 1.2, 2
INPUT = """
lattice:  {size: [6, 2, 4, 8], boundary_t: antiperiodic}
gauge:    {file: %s}
action:   {%s}
solve:
  - {name: light, masses: [0.1, 0.3], source: {type: point, origin: [[0, 0, 0, 1], [5, 1, 2, 6]]}}
  - {name: heavy, masses: [0.8], source: {type: point, origin: [[0, 0, 0, 1], [5, 1, 2, 6]]}}
pairs:
  - {name: hl, quark: light, antiquark: heavy}
  - {name: self, quark: light, antiquark: light}
  - {name: sm, quark: light, antiquark: heavy, sink: covariant_gaussian, radius: 1.2, iterations: 2}
  - {name: wl, quark: light, antiquark: heavy, sink: wall}
baryons:
  - {name: sigma, quarks: [light, heavy, light]}
  - {name: lambda, quarks: [light, light, heavy]}
solver:   {tolerance: 1e-6}
output:
  file: %s
  correlators: [%s]
  momenta: [[0, 0, 0], [1, 0, 1]]
  baryons: [nucleon]
  average: true
"""
GX = np.array([[0, 0, 0, 1j], [0, 0, 1j, 0], [0, -1j, 0, 0], [-1j, 0, 0, 0]])
GY = np.array([[0, 0, 0, -1], [0, 0, 1, 0], [0, 1, 0, 0], [-1, 0, 0, 0]], complex)
GZ = np.array([[0, 0, 1j, 0], [0, 0, 0, -1j], [-1j, 0, 0, 0], [0, 1j, 0, 0]])
GT = np.array([[0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0]], complex)
G5, ONE = GX @ GY @ GZ @ GT, np.eye(4)
SINK_SOURCE = {"pion": (G5, G5), "rho_x": (GX, GX), "rho_y": (GY, GY), "rho_z": (GZ, GZ), "scalar": (ONE, ONE),
               "a0": (G5 @ GT, G5 @ GT), "ps505": (G5 @ GT, G5), "a1_x": (G5 @ GX, G5 @ GX), "t_xy": (GX @ GY, GX @ GY)}
T, Z, Y, X = (np.arange(n).reshape([-1 if a == b else 1 for b in range(4)]) for a, n in enumerate(reversed(SIZE)))


def weights(origin):
    return {"p000": 1.0, "p101": np.exp(2j * np.pi * ((X - origin[0]) / NX + (Z - origin[2]) / NZ))}


def solve(name, gauge="lat", action="type: clover, csw: 1.1", correlators=", ".join(SINK_SOURCE), **options):
    with open(path(name + ".yaml"), "w") as f:
        f.write(INPUT % (path(gauge + ".h5"), action, path(name + ".h5"), correlators))
    return naik("solve", path(name + ".yaml"), **options)


def propagator(f, entry, within, mass):
    """S[t, z, y, x, sink spin, sink colour, source spin, source colour]"""
    s = f[f"prop/s{2 * ('light', 'heavy').index(entry) + within:04d}/m{mass:02d}"][...]
    return np.moveaxis(s, (0, 1), (6, 7))


def near(got, wanted, scale, what):
    assert np.abs(got - wanted).max() <= 1e-13 * scale, (what, got, wanted)


def traces(sink, source, s, z):
    """Of a meson, at every site: G5 sink s source G5 z^+."""
    left = np.tensordot(np.tensordot(G5 @ sink, s, (1, 4)), source @ G5, (6, 0))  # [i, t, z, y, x, a, b, l]
    return np.einsum("itzyxabl,tzyxialb->tzyx", left, z.conj())


def configurations_are_generated():
    naik("gauge", "generate", "--size", "6,2,4,8", "--beta", "5.8", "--seed", "3", "--sweeps", "5", "-o", path("lat.h5"))
    naik("gauge", "generate", "--size", "6,2,4,8", "--beta", "6", "--sweeps", "0", "-o", path("unit.h5"))


def the_bytes_are_the_same_on_every_grid():
    solve("one")
    solve("two", ranks=2)
    same(everything("one.h5"), everything("two.h5"))


def pairs_are_traces_of_two_propagators():
    with naik_io.File(path("one.h5")) as file:
        f = file.h5
        for within, origin in enumerate(ORIGINS):
            s = [propagator(f, "light", within, m) for m in range(2)]
            for name, others in (("hl", [propagator(f, "heavy", within, 0)]), ("self", s)):
                for m in range(2):
                    for k, z in enumerate(others):
                        scale = np.linalg.norm(s[m]) * np.linalg.norm(z)
                        for channel, (sink, source) in SINK_SOURCE.items():
                            at_sites = traces(sink, source, s[m], z)
                            for p, weight in weights(origin).items():
                                got = file.contraction(f"{name}/s{within:04d}/m{m:02d}-m{k:02d}/{channel}/{p}")
                                near(got, (at_sites * weight).sum((1, 2, 3)), scale, (name, within, m, k, channel, p))
            near(file.contraction(f"self/s{within:04d}/m01-m01/rho_y/p101"),
                 file.contraction(f"light/s{within:04d}/m01/rho_y/p101"), np.linalg.norm(s[1]) ** 2, within)
            near(file.contraction(f"self/s{within:04d}/m00-m00/pion/p000"),
                 f[f"corr/light/s{within:04d}/m00/pion/p000"][...], np.linalg.norm(s[0]) ** 2, within)
        told = dict(f["corr/hl/s0001/m01-m00/rho_y/p101"].attrs)
        assert told["mass"] == 0.3 and told["antiquark_mass"] == 0.8 and list(told["momentum"]) == [1, 0, 1], told


def a_wall_sink_sums_each_quark_over_its_slice():
    with naik_io.File(path("one.h5")) as file:
        for within in range(2):
            z = propagator(file.h5, "heavy", within, 0).sum((1, 2, 3))
            for m in range(2):
                s = propagator(file.h5, "light", within, m).sum((1, 2, 3))
                for channel, (sink, source) in SINK_SOURCE.items():
                    got = file.contraction(f"wl/s{within:04d}/m{m:02d}-m00/{channel}/p000")
                    wanted = np.einsum("ij,tjakb,kl,tialb->t", G5 @ sink, s, source @ G5, z.conj(), optimize=True)
                    near(got, wanted, np.linalg.norm(s) * np.linalg.norm(z), (within, m, channel))
        told = dict(file.h5["corr/wl/s0001/m01-m00/rho_y/p000"].attrs)
        assert told["sink"] == "wall" and "p101" not in file.h5["corr/wl/s0001/m01-m00/rho_y"], told


def smeared(u, v):
    """v [T][Z][Y][X][3][...] by a gauge-covariant gaussian in x, y, z; u without the boundary's sign."""
    for _ in range(STEPS):
        new = v.copy()
        for mu, axis in ((0, 3), (1, 2), (2, 1)):
            link = u[..., mu, :, :]
            ahead = np.einsum("tzyxab,tzyxb...->tzyxa...", link, np.roll(v, -1, axis))
            behind = np.roll(np.einsum("tzyxba,tzyxb...->tzyxa...", link.conj(), v), 1, axis)
            new += RADIUS ** 2 / (4 * STEPS) * (ahead + behind - 2 * v)
        v = new
    return v


def a_smeared_sink_smears_every_spin_of_both_quarks():
    with h5py.File(path("lat.h5")) as f:
        u = f["gauge"][...]
    with naik_io.File(path("one.h5")) as file:
        for within, origin in enumerate(ORIGINS):
            s, z = (propagator(file.h5, *which) for which in (("light", within, 1), ("heavy", within, 0)))
            s, z = (np.moveaxis(smeared(u, np.moveaxis(v, 5, 4)), 4, 5) for v in (s, z))
            for channel in "pion", "rho_z":
                got = file.contraction(f"sm/s{within:04d}/m01-m00/{channel}/p000")
                near(got, traces(*SINK_SOURCE[channel], s, z).sum((1, 2, 3)), np.linalg.norm(s) * np.linalg.norm(z), (within, channel))
        told = dict(file.h5["corr/sm/s0001/m01-m00/pion/p000"].attrs)
        assert told["sink"] == "covariant_gaussian" and told["sink_radius"] == RADIUS, told


def nucleon(q, r, s, alike):
    """tr (1 + gt)/2 <N Nbar> by Wick's theorem, N = eps (q C g5 r) s; q and s change places where they are alike."""
    e = np.zeros((3, 3, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        e[i, j, k], e[i, k, j] = 1, -1
    diquark, project = GY @ GT @ G5, (ONE + GT) / 2
    bar = GT @ diquark.conj().T @ GT
    # sink spins of u d u: i j m, of Nbar: k l n; colours a b c and d e f
    d_quark = np.einsum("ij,lk,...jble->...ikbe", diquark, bar, r, optimize=True)
    straight = np.einsum("abc,def,...ikbe,...iakd,nm,...mcnf->...", e, e, d_quark, q, project, s, optimize=True)
    crossed = np.einsum("abc,def,...ikbe,...ianf,nm,...mckd->...", e, e, d_quark, q, project, s, optimize=True)
    return (straight - (crossed if alike else 0)).sum((1, 2, 3))


def the_nucleon_is_what_wicks_theorem_gives():
    with naik_io.File(path("one.h5")) as file:
        for within in range(2):
            for entry, mass in (("light", 1), ("heavy", 0)):
                s = propagator(file.h5, entry, within, mass)
                got = file.contraction(f"{entry}/s{within:04d}/m{mass:02d}/nucleon")
                near(got, nucleon(s, s, s, True), (np.abs(s) ** 3).sum(), (entry, within))


def baryons_of_three_quarks_exchange_what_is_alike():
    with naik_io.File(path("one.h5")) as file:
        heavy = propagator(file.h5, "heavy", 1, 0)
        light = [propagator(file.h5, "light", 1, m) for m in range(2)]
        scale = (np.abs(light[0]) ** 3).sum()
        for a, b in (0, 0), (0, 1), (1, 0), (1, 1):
            got = file.contraction(f"sigma/s0001/m{a:02d}-m00-m{b:02d}/nucleon")
            near(got, nucleon(light[a], heavy, light[b], a == b), scale, ("sigma", a, b))
            got = file.contraction(f"lambda/s0001/m{a:02d}-m{b:02d}-m00/nucleon")
            near(got, nucleon(light[a], light[b], heavy, False), scale, ("lambda", a, b))
        told = dict(file.h5["corr/sigma/s0001/m00-m00-m01/nucleon"].attrs)
        assert "change places" in told["definition"], told


def a_free_nucleon_is_positive_until_it_meets_the_boundary():
    solve("free", gauge="unit", action="type: wilson", correlators="pion")
    with naik_io.File(path("free.h5")) as file:
        found = file.contraction("heavy/s0000/m00/nucleon")  # its source is at t = 1
        assert (found[1:5].real > 0).all() and np.abs(found.imag).max() < 1e-14 * found.real.max(), found


def averages_are_over_shifted_sources():
    with naik_io.File(path("one.h5")) as file:
        f = file.h5

        def check(average, parts, sign=1.0):
            shifted = np.array([np.roll(c, -x[3]) * (np.where(np.arange(NT) + x[3] >= NT, sign, 1)) for c, x in zip(parts, ORIGINS)])
            near(file.contraction(average + "/mean"), shifted.mean(0), np.abs(shifted).max(), average)
            error = [np.std(part, axis=0, ddof=1) / np.sqrt(2) for part in (shifted.real, shifted.imag)]
            near(file.contraction(average + "/error"), error[0] + 1j * error[1], np.abs(shifted).max(), average)
        for m in range(2):
            for p in "p000", "p101":
                check(f"light/average/m{m:02d}/pion/{p}", [f[f"corr/light/s{k:04d}/m{m:02d}/pion/{p}"][...] for k in range(2)])
                for name in f"light/{{}}m{m:02d}/a0/{p}", f"hl/{{}}m{m:02d}-m00/t_xy/{p}", f"sm/{{}}m{m:02d}-m00/pion/{p}":
                    check(name.format("average/"), [file.contraction(name.format(f"s{k:04d}/")) for k in range(2)])
                check(f"wl/average/m{m:02d}-m00/a0/p000", [file.contraction(f"wl/s{k:04d}/m{m:02d}-m00/a0/p000") for k in range(2)])
            check(f"sigma/average/m{m:02d}-m00-m00/nucleon", [file.contraction(f"sigma/s{k:04d}/m{m:02d}-m00-m00/nucleon") for k in range(2)], -1.0)
            check(f"light/average/m{m:02d}/nucleon", [file.contraction(f"light/s{k:04d}/m{m:02d}/nucleon") for k in range(2)], -1.0)


NOISY = """
lattice:  {size: [2, 2, 2, 4], boundary_t: antiperiodic}
gauge:    {file: %s}
action:   {type: wilson}
solver:   {tolerance: 1e-13}
output:   {file: %s, correlators: [], condensate: true}
solve:
"""
SEEDS = 24


def wilson_matrix(u, m):
    """M = m + 4 - D/2 of all sites t, z, y, x, their spins and colours; antiperiodic in t."""
    sites = np.arange(32).reshape(4, 2, 2, 2)
    matrix = np.eye(32 * 12).reshape(32, 12, 32, 12) * (m + 4) + 0j
    u = u.copy()
    u[-1, ..., 3, :, :] *= -1
    for mu, (axis, gamma) in enumerate(zip((3, 2, 1, 0), (GX, GY, GZ, GT))):
        for site, ahead, link in zip(sites.flat, np.roll(sites, -1, axis).flat, u[..., mu, :, :].reshape(32, 3, 3)):
            matrix[site, :, ahead] -= np.kron(ONE - gamma, link) / 2
            matrix[ahead, :, site] -= np.kron(ONE + gamma, link.conj().T) / 2
    return matrix.reshape(384, 384)


def noise_estimates_the_trace():
    naik("gauge", "generate", "--size", "2,2,2,4", "--beta", "5.8", "--seed", "3", "--sweeps", "5", "-o", path("tiny.h5"))
    with open(path("noisy.yaml"), "w") as f:
        f.write(NOISY % (path("tiny.h5"), path("noisy.h5")))
        for k in range(SEEDS):
            f.write(f"  - {{name: n{k}, masses: [0.1], source: {{type: random_volume, noise: z4, seed: {k}}}}}\n")
        f.write("  - {name: w, masses: [0.1], source: {type: random_wall, t0: 1, noise: u1, seed: 5}}\n")
    naik("solve", path("noisy.yaml"))
    with h5py.File(path("tiny.h5")) as f:
        matrix = wilson_matrix(f["gauge"][...], 0.1)
    inverse = np.linalg.inv(matrix)
    found = []
    with naik_io.File(path("noisy.h5")) as file:
        for k in range(SEEDS + 1):
            x = file.h5[f"prop/s{k:04d}/m00"][...].reshape(12, 384)
            noise = x @ matrix.T  # of column 3 s + c on spin s and colour c alone
            eta = noise.reshape(12, 32, 12)
            diagonal = np.einsum("kxk->kx", eta)
            assert np.abs(np.abs(eta).sum(2) - np.abs(diagonal)).max() < 1e-10
            on = slice(8, 16) if k == SEEDS else slice(0, 32)
            assert np.abs(np.abs(diagonal[:, on]) - 1).max() < 1e-10 and np.abs(eta).sum() < 12 * (on.stop - on.start) + 1e-6
            got = file.contraction(("w" if k == SEEDS else f"n{k}") + "/m00/condensate")
            near(got, (eta.conj() * x.reshape(12, 32, 12)).reshape(12, 4, -1).sum((0, 2)), 1e3, k)
            near(got.sum(), np.einsum("ki,ij,kj", noise.conj(), inverse, noise, optimize=True), 1e4, k)
            found.append(got.sum())
        assert "M = m + 4 + C - D/2" in file.h5["corr/n0/m00/condensate"].attrs["definition"]
    trace, mean = np.trace(inverse), np.mean(found[:SEEDS])
    error = np.std(np.real(found[:SEEDS]), ddof=1) / np.sqrt(SEEDS)
    assert error < 0.01 * trace.real and abs(mean.real - trace.real) < 4 * error, (trace, mean, error)


def info_shows_them():
    said = naik("info", path("one.h5"), "--correlators")
    assert "# rho_x " in said and "# nucleon " in said and "antiquark=heavy/s0000" in said, said[:2000]


def the_page_for_hadrons_names_its_mesons_and_their_signs():
    """tr [g5 A S B^+ g5 S^+] of Hadrons, whose names of A and B are products in the order of the letters."""
    grid = {"Identity": ONE, "Gamma5": G5, "GammaX": GX, "GammaTGamma5": GT @ G5, "GammaXGamma5": GX @ G5, "SigmaXY": GX @ GY}
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "doc", "from-grid.md"), encoding="utf-8") as f:
        rows = re.findall(r"^\| `(\w+)`, `(\w+)` \| ([-+]) `(\w+)`", f.read(), flags=re.M)
    assert len(rows) == len(grid) + 1, rows
    for a, b, sign, name in rows:
        assert np.array_equal(np.kron(grid[a], grid[b].conj().T), int(sign + "1") * np.kron(*SINK_SOURCE[name])), (a, b, name)


main([configurations_are_generated, the_bytes_are_the_same_on_every_grid, pairs_are_traces_of_two_propagators,
      a_wall_sink_sums_each_quark_over_its_slice, a_smeared_sink_smears_every_spin_of_both_quarks, the_nucleon_is_what_wicks_theorem_gives,
      baryons_of_three_quarks_exchange_what_is_alike, noise_estimates_the_trace, a_free_nucleon_is_positive_until_it_meets_the_boundary, averages_are_over_shifted_sources, info_shows_them,
      the_page_for_hadrons_names_its_mesons_and_their_signs],
     needed=[configurations_are_generated, the_bytes_are_the_same_on_every_grid])
