# test_currents.py - conserved currents as a user asks for them: Ward identities, free quarks and sums in numpy
#
# All momenta of a current are the current at every site: its divergence must be that of the sources alone.
# timeout: 200
import itertools
import re

import h5py
import numpy as np

from program import LONG, everything, main, naik, path, same

SIZE = (4, 4, 4, 8)  # x, y, z, t
PLACE = (1, 2, 3, 5)
CURRENTS = [f"conserved_vector_{mu}" for mu in "xyzt"]
INPUT = """
lattice: {size: %s, boundary_t: antiperiodic}
gauge: {file: %s}
action: {%s}
solve: %s
solver: {tolerance: 1e-12}
output: {file: %s, correlators: [%s], momenta: %s%s}
"""
POINT = "source: {type: point, origin: [1, 2, 3, 5]}"
ALL = [list(p) for p in itertools.product(*(range(1 - n // 2, n // 2 + 1) for n in SIZE[:3]))]


def written(name, action, entries, correlators, momenta=((0, 0, 0),), gauge="lat.h5", size=SIZE, tail=""):
    with open(path(name + ".yaml"), "w") as f:
        f.write(INPUT % (list(size), path(gauge), action, entries, path(name + ".h5"), ", ".join(correlators), [list(p) for p in momenta], tail))
    return path(name + ".yaml")


def solve(name, action, entries, correlators, momenta=((0, 0, 0),), gauge="lat.h5", size=SIZE, tail="", **options):
    return naik("solve", written(name, action, entries, correlators, momenta, gauge, size, tail), **options)


def correlator(file, name):
    values = file[name][()]
    return values[:, 0] + 1j * values[:, 1] if values.ndim == 2 else values.astype(complex)


def of_momenta(file, folder, name, momenta):
    return np.array([correlator(file, f"corr/{folder}/{name}/p{''.join(map(str, p))}") for p in momenta])


def divergence(file, folder):
    """[momentum, t] of the divergence."""
    x, y, z, t = (of_momenta(file, folder, name, ALL) for name in CURRENTS)
    turns = [1 - np.exp(2j * np.pi * np.array(ALL)[:, k] / SIZE[k])[:, None] for k in range(3)]
    return turns[0] * x + turns[1] * y + turns[2] * z + t - np.roll(t, 1, axis=1)


def configurations_are_generated():
    for name, size, sweeps in ("lat.h5", "4,4,4,8", "4"), ("unit.h5", "4,4,4,8", "0"), ("wide.h5", "8,4,4,8", "3"):
        naik("gauge", "generate", "--size", size, "--beta", "5.7", "--seed", "5", "--sweeps", sweeps, "-o", path(name))


def staggered_currents_are_conserved_at_every_site():
    """Of one mass off the source, where all momenta are alike; of two masses the divergence is 2 (m1 - m2) of the scalar."""
    cases = [("type: naive", "", 1), ("type: asqtad, u0: 0.86", "", 1), ("type: hisq", ", naik_epsilon: [-0.1]", 2)]
    for action, epsilon, ranks in cases if LONG else cases[::2]:
        name = f"ward{action[6]}"
        entries = "".join(f"\n  - {{name: {n}, masses: [{m}], twist: [0.5, -1.25, 0.3]{epsilon}, correlators: [{', '.join(asked)}], {POINT}}}"
                          for n, m, asked in (("light", 0.1, CURRENTS + ["pion05"]), ("heavy", 0.3, [])))
        solve(name, action, entries + "\npairs: [{name: two, quark: light, antiquark: heavy}]", CURRENTS + ["pion05"], ALL, ranks=ranks)
        with h5py.File(path(name + ".h5")) as f:
            for folder, masses in ("light/m00", (0.1, 0.1)), ("two/m00-m00", (0.1, 0.3)):
                scalar = of_momenta(f, folder, "pion05", ALL)
                size = np.abs(of_momenta(f, folder, CURRENTS[3], ALL)).max()
                found = divergence(f, folder)
                rest = found - 2 * (masses[1] - masses[0]) * scalar
                assert np.abs(np.delete(rest, PLACE[3], axis=1)).max() < 1e-11 * size, (action, folder, np.abs(rest).max(axis=0), size)
                assert np.abs(rest[:, PLACE[3]] - rest[ALL.index([0, 0, 0]), PLACE[3]]).max() < 1e-11 * size, (action, folder)
                assert folder == "light/m00" or np.abs(np.delete(found, PLACE[3], axis=1)).max() > 1e-4 * size, (action, folder)


GAMMA = np.zeros((4, 4, 4), complex)
GAMMA[0][[0, 1, 2, 3], [3, 2, 1, 0]] = [1j, 1j, -1j, -1j]
GAMMA[1][[0, 1, 2, 3], [3, 2, 1, 0]] = [-1, 1, 1, -1]
GAMMA[2][[0, 1, 2, 3], [2, 3, 0, 1]] = [1j, -1j, -1j, 1j]
GAMMA[3][[0, 1, 2, 3], [2, 3, 0, 1]] = 1
GAMMA5 = np.diag([1, 1, -1, -1])
MOMENTA = [[0, 0, 0], [1, -1, 2]]


def spin_current(u, s, z, mu, source):
    """J [t, z, y, x] of S and Z [t, z, y, x, sink spin, sink colour, source spin, source colour]."""
    axis, link, one = 3 - mu, u[..., mu, :, :], np.eye(4)
    right = source @ GAMMA5
    ahead, ahead_z = np.roll(s, -1, axis), np.roll(z, -1, axis)
    back = np.einsum("ij,tzyxba,tzyxjbkc,kl->tzyxialc", GAMMA5 @ (one + GAMMA[mu]), link.conj(), s, right)
    on = np.einsum("ij,tzyxab,tzyxjbkc,kl->tzyxialc", GAMMA5 @ (one - GAMMA[mu]), link, ahead, right)
    return 0.5 * np.sum(back * ahead_z.conj() - on * z.conj(), axis=(4, 5, 6, 7))


def weighed(j, momentum):
    t, z, y, x = np.meshgrid(*map(np.arange, j.shape), indexing="ij")
    turns = sum(p * (c - o) / n for p, c, o, n in zip(momentum, (x, y, z), PLACE, SIZE))
    return (np.exp(2j * np.pi * turns) * j).sum(axis=(1, 2, 3))


def links_of(gauge):
    with h5py.File(path(gauge)) as f:
        u = f["/gauge"][...]
    u[-1, ..., 3, :, :] *= -1
    return u


def spin_propagator(name):
    with h5py.File(path(name + ".h5")) as f:
        return np.moveaxis(f["/prop/s0000/m00"][...], (0, 1), (-2, -1))


def currents_of_quarks_with_spin_are_sums_in_numpy():
    """Of stored propagators. Of one operator at the source the divergence vanishes off it, or is -2 i mu times the pseudoscalar."""
    cases = [("type: clover, csw: 1.2", 0, 1), ("type: twisted_mass, mu: 0.3, csw: 1.1", 0.3, 1), ("type: wilson", 0, 2)]
    for action, mu, ranks in cases if LONG else cases[:2]:
        name = "spin" + action[6]
        solve(name, action, f"[{{name: pt, masses: [0.2], {POINT}}}]", CURRENTS + ["pion"], MOMENTA, ranks=ranks)
        u, s = links_of("lat.h5"), spin_propagator(name)
        with h5py.File(path(name + ".h5")) as f:
            for k, current in enumerate(CURRENTS):
                j = spin_current(u, s, s, k, GAMMA[k])
                for p, found in zip(MOMENTA, of_momenta(f, "pt/m00", current, MOMENTA)):
                    assert np.abs(found - weighed(j, p)).max() < 1e-13 * np.abs(j).sum(), (action, current, p)
        divergence = sum(j - np.roll(j, 1, 3 - k) for k, j in ((k, spin_current(u, s, s, k, GAMMA[3])) for k in range(4)))
        density = np.einsum("tzyxiakc,kl,tzyxialc->tzyx", s, GAMMA[3] @ GAMMA5, s.conj())
        rest = divergence + 2j * mu * density
        size = np.abs(spin_current(u, s, s, 3, GAMMA[3])).max()
        assert mu == 0 or np.abs(divergence).max() > 1e-3 * size
        rest[PLACE[3], PLACE[2], PLACE[1], PLACE[0]] = 0
        assert np.abs(rest).max() < 1e-10 * size, (action, np.abs(rest).max(), size)


def free_currents_are_those_of_the_fourier_sum():
    momenta = np.meshgrid(*(2 * np.pi * np.fft.fftfreq(n) + (np.pi / n if n == 8 else 0) for n in (8, 4, 4, 4)), indexing="ij")[::-1]
    t, z, y, x = np.meshgrid(*map(np.arange, (8, 4, 4, 4)), indexing="ij")
    wave = np.exp(1j * np.pi * t / 8)

    def placed(v):
        """M^-1 of a source at t = PLACE[3], elsewhere as it is."""
        v = np.fft.ifftn(v, axes=(0, 1, 2, 3)) * wave.reshape(wave.shape + (1,) * (v.ndim - 4))
        v = np.roll(np.concatenate((-v, v)), PLACE[3], axis=0)[8:]
        return np.roll(v, PLACE[2::-1], axis=(1, 2, 3))
    unit = np.ones((8, 4, 4, 4, 4, 1, 1), complex)
    unit[-1, ..., 3, :, :] = -1
    m = (0.2 + sum(1 - np.cos(q) for q in momenta))[..., None, None] * np.eye(4) + 1j * sum(np.sin(q)[..., None, None] * GAMMA[k] for k, q in enumerate(momenta))
    s = placed(np.linalg.inv(m))[..., :, None, :, None]
    solve("free-spin", "type: wilson", f"[{{name: pt, masses: [0.2], {POINT}}}]", CURRENTS, MOMENTA, gauge="unit.h5")
    # a staggered quark: M^-1 = (2m - D) / (4 m^2 + 4 sum sin^2 p), the point source in front
    eta = [(-1.0) ** t, (-1.0) ** (t + x), (-1.0) ** (t + x + y), np.ones(t.shape)]
    edge = np.where(t == 7, -1.0, 1.0)

    def on(v, k):
        return eta[k] * (edge if k == 3 else 1) * np.roll(v, -1, 3 - k)

    def back(v, k):
        return np.roll(eta[k] * (edge if k == 3 else 1) * v, 1, 3 - k)

    def quark(mass):
        phi = placed((1 / (4 * mass ** 2 + 4 * sum(np.sin(q) ** 2 for q in momenta))).astype(complex))
        return 2 * mass * phi - sum(on(phi, k) - back(phi, k) for k in range(4))
    g, h = quark(0.1), quark(0.3)
    sign = (-1.0) ** (x + y + z + t + sum(PLACE))
    entries = f"[{{name: light, masses: [0.1], {POINT}}}, {{name: heavy, masses: [0.3], {POINT}}}]\npairs: [{{name: two, quark: light, antiquark: heavy}}]"
    solve("free-naive", "type: naive", entries, CURRENTS, MOMENTA, gauge="unit.h5")
    for k, current in enumerate(CURRENTS):
        spin, naive = 3 * spin_current(unit, s, s, k, GAMMA[k]), 3 * sign * (h.conj() * on(g, k) - on(h, k).conj() * g)
        for name, folder, j in ("free-spin", "pt/m00", spin), ("free-naive", "two/m00-m00", naive):
            with h5py.File(path(name + ".h5")) as f:
                for p, found in zip(MOMENTA, of_momenta(f, folder, current, MOMENTA)):
                    assert np.abs(j).sum() > 1e-3 and np.abs(found - weighed(j, p)).max() < 1e-10 * np.abs(j).sum(), (name, current, p, found, weighed(j, p))


def bytes_are_the_same_on_any_number_of_ranks():
    for action, more, many in ("type: hisq", ", naik_epsilon: [-0.1]", (1, 2, 4) if LONG else (1, 4)), ("type: wilson", "", (1, 2, 4) if LONG else (1, 2)):
        found = []
        for ranks in many:
            name = f"bytes{action[6]}{ranks}"
            entries = f"[{{name: pt, masses: [0.3]{more}, twist: [0.5, -1.25, 0.3], {POINT}}}"
            entries += f", {{name: moved, masses: [0.3]{more}, twist: [0.5, -1.25, 0.3], {POINT[:-1]}, spin_taste: conserved_vector_z}}}}"
            entries += "]" if action == "type: wilson" else f", {{name: link, masses: [0.3]{more}, {POINT[:-1]}, spin_taste: GXT-G1}}}}]"
            entries += "\npairs: [{name: two, quark: moved, antiquark: pt}]"
            solve(name, action, entries, CURRENTS, MOMENTA, gauge="wide.h5", size=(8, 4, 4, 8), ranks=ranks)
            found.append(everything(name + ".h5"))
        for other in found[1:]:
            same(found[0], other)


def moved(v, u, mu, steps=1):
    """U v of the far end of each link, and U^+ v that came from the near one; v [t, z, y, x, colour, ...]."""
    ahead = np.einsum("tzyxab,tzyxb...->tzyxa...", u[..., mu, :, :], np.roll(v, -steps, 3 - mu))
    back = np.roll(np.einsum("tzyxba,tzyxb...->tzyxa...", u[..., mu, :, :].conj(), v), steps, 3 - mu)
    return ahead, back


def operator_of(action, one, three, spin):
    """D of staggered quarks, or -D/2 of those with spin."""
    def apply(v):
        total = np.zeros_like(v)
        for mu in range(4):
            for u, steps in ((one, 1), (three, 3)) if three is not None else ((one, 1),):
                ahead, back = moved(v, u, mu, steps)
                if spin:
                    ahead, back = ahead - np.einsum("ij,tzyxaj->tzyxai", GAMMA[mu], ahead), back + np.einsum("ij,tzyxaj->tzyxai", GAMMA[mu], back)
                    total -= (ahead + back) / 2
                else:
                    total += ahead - back
        return total
    return apply


def currents_at_the_source_obey_the_ward_identity():
    """Of any source f and its momentum, with w = exp(ip.x): M sum_mu (1 - exp(i p_mu)) q_mu = w M f - M w f, on a configuration and with a twist."""
    p, twist = (1, -1, 2), (0.5, -1.25, 0.3)
    t, z, y, x = np.meshgrid(*map(np.arange, SIZE[::-1]), indexing="ij")
    wave = np.exp(2j * np.pi * sum(k * c / n for k, c, n in zip(p, (x, y, z), SIZE)))
    eps = (-1.0) ** (x + y + z + t)
    for action, ranks in (("type: hisq", 2), ("type: wilson", 1)):
        spin, name = action == "type: wilson", "source" + action[6]
        source = "masses: [0.3], twist: %s, source: {type: random_wall, seed: 5, t0: 3, momentum: %s%s}" % (list(twist), "%s", "%s")
        entries = "".join("\n  - {name: s%d, %s}" % (k, source % (momentum, operator))
                          for k, (momentum, operator) in enumerate([([0, 0, 0], ""), (list(p), "")] + [(list(p), f", spin_taste: {c}") for c in CURRENTS]))
        if not spin:
            entries = entries.replace("masses: [0.3]", "masses: [0.3], naik_epsilon: [-0.1]")
        solve(name, action, entries, ["pion" if spin else "pion5"], ranks=ranks)
        with h5py.File(path(name + ".h5")) as f:  # [t, z, y, x, colour], with the spin before the colour
            all_of = [f[f"/prop/s{k:04d}/m00"][(0, 0) if spin else 0] for k in range(6)]
        if spin:
            all_of = [np.swapaxes(v, -1, -2) for v in all_of]
            one, three, site = links_of("lat.h5"), None, 4.3
        else:
            naik("links", path(name + ".yaml"), "-o", path("fat.h5"))
            with h5py.File(path("fat.h5")) as f:
                fat = {}
                f.visititems(lambda at, o: fat.update({at: o[...]}) if isinstance(o, h5py.Dataset) else None)
            one, three = (next(v for at, v in fat.items() if word in at) for word in ("fat", "long"))
            site = 0.6
        phase = np.exp(2j * np.pi * np.array(list(twist) + [0]) / np.array(SIZE))[:, None, None]
        one, three = one * phase, None if three is None else three * phase ** 3
        hop = operator_of(action, one, three, spin)

        def m(v):
            return site * v + hop(v)

        def by(w, v):
            return w.reshape(w.shape + (1,) * (v.ndim - 4)) * v
        f, wf = m(all_of[0]), m(all_of[1])
        assert np.abs(by(wave, f) - wf).max() < 1e-11 and np.abs(f[3]).max() > 0.1 and np.abs(f[4]).max() < 1e-11  # the links are those of the file
        wanted = by(wave, m(f)) - m(wf)
        total = sum((1 - np.exp(2j * np.pi * p[k] / SIZE[k])) * m(all_of[2 + k]) for k in range(3))
        total = total if spin else by(eps * (-1) ** 3, total)  # counted from t0
        assert np.abs(wanted).max() > 0.1 and np.abs(total - wanted).max() < 1e-10, (action, np.abs(total - wanted).max(), np.abs(wanted).max())


def currents_at_the_source_are_those_at_the_sink():
    """On unit links source and sink change places; on others the quark's propagator is that of numpy's sums."""
    entries = "".join(f"\n  - {{name: {n}, masses: [0.3], {POINT[:-1]}{more}}}}}" for n, more in
                      (("plain", ""), ("x", ", spin_taste: conserved_vector_x"), ("t", ", spin_taste: conserved_vector_t"), ("link", ", spin_taste: GX-G1")))
    pairs = "\npairs: [{name: xl, quark: x, antiquark: plain}, {name: tl, quark: t, antiquark: plain}, {name: ll, quark: link, antiquark: plain}]"
    sign = (-1) ** PLACE[3]  # eta_x at the source; at the sink GX-G1 is on the antiquark and brings -1
    for gauge in "unit.h5", "lat.h5":
        solve("ends" + gauge[0], "type: naive", entries + pairs, ["conserved_vector_x", "conserved_vector_t", "GX-G1"], gauge=gauge)
        with h5py.File(path(f"ends{gauge[0]}.h5")) as f:
            x, link = f["/prop/s0001/m00"][...], f["/prop/s0003/m00"][...]
            assert np.abs(x - 2 * sign * link).max() < 1e-11 * np.abs(x).max() > 0
            one, other = (of_momenta(f, f"{a}/m00-m00", b, [(0, 0, 0)])[0] for a, b in (("xl", "GX-G1"), ("ll", "conserved_vector_x")))
            assert np.abs(one + other).max() < 1e-11 * np.abs(one).max(), (one, other)
    entries = "".join(f"\n  - {{name: {n}, masses: [0.2], {POINT[:-1]}{more}}}}}" for n, more in (("plain", ""), ("x", ", spin_taste: conserved_vector_x")))
    pairs = "\npairs: [{name: xl, quark: x, antiquark: plain}, {name: xx, quark: x, antiquark: x}]"
    for gauge in "unit.h5", "lat.h5":
        solve("spins" + gauge[0], "type: wilson", entries + pairs, ["conserved_vector_x", "rho_x"], MOMENTA, gauge=gauge)
        u = links_of(gauge)
        with h5py.File(path(f"spins{gauge[0]}.h5")) as f:
            z, s = (np.moveaxis(f[f"/prop/s000{k}/m00"][...], (0, 1), (-2, -1)) for k in range(2))
            j = spin_current(u, s, z, 0, np.eye(4))
            local = np.einsum("ij,tzyxjakb,kl,tzyxialb->tzyx", GAMMA5 @ GAMMA[0], s, GAMMA5, z.conj())
            for name, sites in ("conserved_vector_x", j), ("rho_x", local):
                for p, found in zip(MOMENTA, of_momenta(f, "xl/m00-m00", name, MOMENTA)):
                    assert np.abs(sites).sum() > 1e-3 and np.abs(found - weighed(sites, p)).max() < 1e-13 * np.abs(sites).sum(), (name, p)
            for name in "conserved_vector_x", "rho_x":  # of an entry with a current, and of its pair with itself
                own, pair = (of_momenta(f, folder, name, MOMENTA) for folder in ("x/m00", "xx/m00-m00"))
                assert np.abs(own).max() > 1e-3 and np.abs(own - pair).max() < 1e-13 * np.abs(own).max(), name
            there, back = (of_momenta(f, a, b, [(0, 0, 0)])[0] for a, b in (("xl/m00-m00", "rho_x"), ("plain/m00", "conserved_vector_x")))
            assert gauge != "unit.h5" or np.abs(there - back).max() < 1e-11 * np.abs(there).max(), (there, back)


def links_are_those_of_each_entry():
    entries = [f"{{name: {n}, masses: [0.3]{more}, {POINT}}}" for n, more in (("plain", ""), ("turned", ", twist: [0.5, -1.25, 0.3]"))]
    solve("both", "type: naive", f"[{', '.join(entries)}]", CURRENTS, MOMENTA)
    solve("turned", "type: naive", f"[{entries[1]}]", CURRENTS, MOMENTA)
    with h5py.File(path("both.h5")) as both, h5py.File(path("turned.h5")) as alone:
        for current in CURRENTS:
            expected = of_momenta(alone, "turned/m00", current, MOMENTA)
            np.testing.assert_array_equal(of_momenta(both, "turned/m00", current, MOMENTA), expected)
            assert np.abs(of_momenta(both, "plain/m00", current, MOMENTA) - expected).max() > 1e-4


def links_of_a_file_make_the_current_of_a_source():
    entries = f"[{{name: plain, masses: [0.3], {POINT}}}, {{name: x, masses: [0.3], {POINT[:-1]}, spin_taste: conserved_vector_x}}}}]"
    entries += "\npairs: [{name: xx, quark: x, antiquark: plain}]"
    source = written("made", "type: hisq", entries, CURRENTS[:1])
    naik("solve", source)
    naik("links", source, "-o", path("links.h5"))
    with open(written("read", f"type: links, file: {path('links.h5')}", entries, CURRENTS[:1])) as f:
        text = f.read().replace(f"gauge: {{file: {path('lat.h5')}}}\n", "")
    with open(path("read.yaml"), "w") as f:
        f.write(text)
    naik("solve", path("read.yaml"))
    same(everything("made.h5"), everything("read.h5"))


def memory_of_a_current_is_in_the_plan():
    """Two complex numbers a site, two moved vectors, and the links of D: of one and three hops for hisq."""
    for action, each in ("type: hisq", 2 * 16 + 2 * 48 + 2 * 576), ("type: wilson", 2 * 16 + 2 * 192 + 576):
        entries = f"[{{name: a, masses: [0.1], {POINT}}}, {{name: b, masses: [0.1], {POINT}}}]\npairs: [{{name: two, quark: a, antiquark: b}}]"
        planned = []
        for name in "pion5" if action == "type: hisq" else "pion", CURRENTS[0]:
            said = naik("solve", written("large", action, entries, [name], gauge="none.h5", size=(32, 16, 16, 64)), "--dry-run", status=1)  # no file
            planned.append(float(re.search(r"correlators that need several solves take ([0-9.]+) GiB", said)[1]))
        assert abs(planned[1] - planned[0] - each * 2**19 / 2**30) < 0.0011, (action, planned)


def what_is_no_current_is_refused():
    pair = "\npairs: [{name: two, quark: a, antiquark: b%s}]"
    a, b = f"{{name: a, masses: [0.1], {POINT}}}", f"{{name: b, masses: [0.1]%s, {POINT}}}"
    for action, entries, told in (("type: hisq", f"[{a}, {b % ', naik_epsilon: [-0.1]'}]" + pair % "", "different values of naik_epsilon"),
                                  ("type: wilson", f"[{a}, {b % ', twist: [0.1, 0, 0]'}]" + pair % "", "different twists"),
                                  ("type: wilson", f"[{a}, {b % ''}]" + pair % ", sink: wall", "its sink is not a point")):
        said = solve("refused", action, entries, CURRENTS[:1], status=1)
        assert told in said and "pair 'two' has no conserved_vector_x" in said, said
    current = f"{{name: a, masses: [0.1%s], {POINT[:-1]}, spin_taste: conserved_vector_z}}}}"
    for action, entries, told in (("type: hisq", f"[{current % ''}, {b % ', naik_epsilon: [-0.1]'}]" + pair % "", "pair 'two' has no conserved_vector_z at its source, because quark and "
                                   "antiquark have different values of naik_epsilon"),
                                  ("type: naive", f"[{current % ''}, {b % ', twist: [0.1, 0, 0]'}]" + pair % ", sink: wall", "at its source, because quark and antiquark have different twists"),
                                  ("type: wilson", f"[{current % ''}, {b % ''}]" + pair % ", sink: wall", "pair 'two' has no conserved_vector_z at its source, because its sink is a wall"),
                                  ("type: hisq", f"[{current % '], naik_epsilon: [0, 0.1], deflate: true, masses: [0.1, 0.2'}]".replace("masses: [0.1], ", "", 1),
                                   "conserved_vector_z has the links of one naik_epsilon, and the masses of a have several"),
                                  ("type: naive", f"[{a.replace('name: a', 'name: b')}, {current % ''}]\nthree_point: [{{name: t, parent: a, spectator: b, daughter_masses: [0.1], sink_times: [3], insertion: [G1-G1]}}]",
                                   "no three-point function of a source with a conserved current, and three_point.0 takes a")):
        said = solve("refused", action, entries, ["pion" if action == "type: wilson" else "pion5"], status=1)
        assert told in said, said


def places_of_operators_at_the_source_are_averaged_with_their_sign():
    """On unit links all places are alike, so that the error of the mean vanishes."""
    for name, gauge in ("free-places", "unit.h5"), ("places", "lat.h5"):
        source = "source: {type: point, origin: [[0, 0, 0, 0], [1, 2, 3, 5], [0, 1, 2, 4]], spin_taste: %s}"
        entries = "".join(f"\n  - {{name: {n}, masses: [0.3], {source % label}}}" for n, label in (("plain", "G5-G5"), ("moved", "GX-G1"), ("local", "GX-GX")))
        entries += "\npairs:\n  - {name: one, quark: moved, antiquark: plain}\n  - {name: two, quark: moved, antiquark: local}"
        solve(name, "type: naive", entries, ["conserved_vector_x", "GX-G1", "GXT-GX", "rhox"], MOMENTA, gauge=gauge, tail=", average: true")
    with h5py.File(path("free-places.h5")) as f:
        sizes = []
        for pair in "one", "two":
            for meson in "conserved_vector_x", "GX-G1", "GXT-GX", "rhox":
                for p in MOMENTA:
                    folder = f"corr/{pair}/average/m00-m00/{meson}/p{''.join(map(str, p))}"
                    assert np.abs(correlator(f, folder + "/error")).max() < 1e-12, (pair, meson, p)
                    sizes.append(np.abs(correlator(f, folder + "/mean")).max() > 1e-4)
        assert sum(sizes) >= 3, sizes
    entries = f"[{{name: pt, masses: [0.3], {source % 'G5-G5'}}}]".replace(", spin_taste: G5-G5", "")
    solve("spin-places", "type: wilson", entries, ["conserved_vector_x", "conserved_vector_t"], gauge="unit.h5", tail=", average: true, origin: [0, 0, 0, 0]")
    with h5py.File(path("spin-places.h5")) as f:
        for current in "conserved_vector_x", "conserved_vector_t":
            mean, error = (correlator(f, f"corr/pt/average/m00/{current}/p000/{word}") for word in ("mean", "error"))
            assert np.abs(error).max() < 1e-12 and np.abs(mean).min() > 1e-3, (current, mean, error)
    with h5py.File(path("places.h5")) as f:
        apart = [np.roll(correlator(f, f"corr/one/s{k:04d}/m00-m00/conserved_vector_x/p000"), -t) for k, t in enumerate((0, 5, 4))]
        mean = (apart[0] - apart[1] + apart[2]) / 3  # eta_x = (-1)^t
        np.testing.assert_allclose(correlator(f, "corr/one/average/m00-m00/conserved_vector_x/p000/mean"), mean, rtol=0, atol=1e-14)


def walls_with_a_sign_of_their_own_are_averaged_with_it():
    """Of (-1)^(x+y+z+t) at a source the pair is counted from the lattice's origin: at an odd t0 its sign depends on the operator."""
    wall = "{name: %s, masses: [0.3], correlators: [], source: {type: %s, t0: [0, 3], spin_taste: %s}}"
    entries = (f"[{wall % ('a', 'evenandodd_wall', 'G5-G5')}, {wall % ('b', 'evenminusodd_wall', 'G5-G5')}, {wall % ('c', 'evenminusodd_wall', 'GX-G1')}]"
               "\npairs: [{name: local, quark: b, antiquark: a}, {name: moved, quark: c, antiquark: a}]"
               "\nthree_point: [{name: three, parent: a, spectator: b, daughter_masses: [0.3], sink_times: [3], insertion: [G1-G1]},"
               "\n  {name: both, parent: b, spectator: b, daughter_masses: [0.3], sink_times: [3], insertion: [G1-G1, G5T-G5T]}]")
    solve("free-walls", "type: naive", entries, ["G1-G1", "G5T-G5T", "G5X-G5"], gauge="unit.h5", tail=", average: true, propagators: false")
    with h5py.File(path("free-walls.h5")) as f:
        sizes = {}
        for name in "local/average/m00-m00/pion05", "local/average/m00-m00/G5T-G5T", "moved/average/m00-m00/G5X-G5", "three/average/T03/m00-m00-m00/G1-G1", \
                "both/average/T03/m00-m00-m00/G1-G1", "both/average/T03/m00-m00-m00/G5T-G5T":
            mean, error = (np.abs(correlator(f, f"corr/{name}/p000/{word}")).max() for word in ("mean", "error"))
            assert error < 1e-8 and (mean > 1 or mean < 1e-8), (name, mean, error)
            sizes[name.split("/")[0]] = sizes.get(name.split("/")[0], False) or mean > 1
        assert sizes["local"] and sizes["moved"], sizes


def walls_of_quarks_with_spin_and_sites_are_averaged_over_places():
    """Free quarks see no place: whatever is averaged is the same from all of them, with its sign and phase. pi is a momentum of walls on one parity."""
    wall = "{name: %s, masses: [0.4], correlators: [], source: {type: %s, t0: [0, 3]%s}}"
    point = "{name: pt, masses: [0.4], correlators: [], source: {type: point, origin: [[0, 0, 0, 0], [1, 0, 1, 3]]}}"
    walls = [("m", "evenminusodd_wall", ""), ("w", "evenandodd_wall", ""), ("e", "even_wall", ""), ("ep", "even_wall", ", momentum: [1, 0, 1]"), ("c", "corner_wall", "")]
    pairs = [("m", "w"), ("e", "w"), ("e", "m"), ("e", "ep"), ("ep", "e"), ("c", "m"), ("pt", "m"), ("w", "pt")]
    for action, spin in ("wilson", True), ("naive", False):
        chosen = [p for p in pairs if spin or "pt" in p]
        entries = "".join(f"\n  - {wall % w}" for w in walls if spin or w[0] in "mw") + f"\n  - {point}"
        entries += "\npairs:" + "".join(f"\n  - {{name: {a}-{b}, quark: {a}, antiquark: {b}}}" for a, b in chosen)
        momenta = [[0, 0, 0], [2, 2, 2], [1, 2, 1], [-1, 2, -1]] if spin else [[0, 0, 0]]
        solve(f"beside-{action}", f"type: {action}", entries, ["pion", "rho_x", "ps505"] if spin else ["pion5", "rhox", "pion05"], momenta, gauge="unit.h5",
              tail=", average: true, propagators: false")
        with h5py.File(path(f"beside-{action}.h5")) as f:
            found = []
            f["corr"].visititems(lambda name, object: found.append(name[:-4]) if name.endswith("/mean") else None)
            mean, error = ({n: np.abs(correlator(f, f"corr/{n}{word}")).max() for n in found} for word in ("mean", "error"))
            assert len(found) == len(chosen) * 3 * len(momenta) and max(error.values()) < 1e-9, {n: (mean[n], e) for n, e in error.items() if e >= 1e-9}
            assert {n.split("/")[0] for n in found if mean[n] > 1e-3} == {f"{a}-{b}" for a, b in chosen}, mean


def walls_are_averaged_over_odd_and_even_slices():
    """The even sites of an odd slice are those of slice 0 moved in x as well, and M has another sign at each second site there."""
    wall = "{name: %s, masses: [0.3], source: {type: %s, t0: [0, 3], spin_taste: %s}}"
    entries = (f"[{wall % ('a', 'even_wall', 'G5-G5')}, {wall % ('b', 'evenandodd_wall', 'G5-G5')}, {wall % ('c', 'even_wall', 'G5T-G5T')}, "
               f"{wall % ('d', 'evenminusodd_wall', 'G5-G5')}, {wall % ('e', 'even_wall', 'GX-G1')}, {wall % ('f', 'even_wall', 'GY-G1')}]"
               "\npairs: [{name: ab, quark: a, antiquark: b}, {name: ac, quark: a, antiquark: c}, {name: ad, quark: a, antiquark: d},"
               " {name: ae, quark: e, antiquark: a}, {name: af, quark: f, antiquark: a}, {name: ef, quark: e, antiquark: f}]"
               "\nthree_point: [{name: three, parent: a, spectator: a, daughter_masses: [0.3], sink_times: [3], insertion: [G1-G1, G5-G5]},"
               "\n  {name: mixed, parent: b, spectator: a, daughter_masses: [0.3], sink_times: [3], insertion: [G1-G1, G5-G5], sink_operator: G5T-G5T},"
               "\n  {name: moved, parent: a, spectator: e, daughter_masses: [0.3], sink_times: [3], insertion: [GX-G1]}]")
    labels = ["G5-G5", "G5T-G5T", "GT-GT", "G1-G1", "GX-G1", "GY-G1", "G5X-G5", "GXT-GT", "conserved_vector_t", "conserved_vector_x"]
    solve("free-even", "type: naive", entries, labels, gauge="unit.h5", tail=", average: true, propagators: false")
    with h5py.File(path("free-even.h5")) as f:
        names = []
        f["corr"].visititems(lambda name, object: names.append(name[:-4]) if name.endswith("/mean") else None)
        wrong = [name for name in names if np.abs(correlator(f, f"corr/{name}error")).max() > 1e-9]
        assert not wrong, [(n, [float(np.abs(correlator(f, f"corr/{n}{w}")).max()) for w in ("mean", "error")]) for n in wrong]
        large = [name for name in names if np.abs(correlator(f, f"corr/{name}mean")).max() > 1e-3]
        found = {name.split("/")[0] for name in large}
        assert found >= {"a", "ab", "ac", "ad", "ae", "af", "three", "mixed", "moved"}, found
        assert any("a/" in name and ("pion05" in name or "G5T-G5T" in name) for name in large), large


def walls_that_move_and_operators_in_time_are_averaged_over_slices():
    """Even sites of an odd slice are those of slice 0 moved in z: at rest and moving each correlator is the same up to a sign that M tells.
    Extents differ, so that no direction stands for another."""
    naik("gauge", "generate", "--size", "4,6,8,4", "--beta", "5.7", "--seed", "5", "--sweeps", "0", "-o", path("box.h5"))
    wall = "{name: %s, masses: [0.3], source: {type: %s, t0: [0, 3]%s}%s}"
    kinds = [("e", "even_wall", "", ""), ("o", "evenandodd_wall", ", subset: odd", ""), ("w", "evenandodd_wall", "", ""),
             ("ep", "even_wall", ", momentum: [1, 1, 1]", ""), ("op", "evenandodd_wall", ", subset: odd, momentum: [1, 1, 1]", ""),
             ("et", "even_wall", "", ", twist: [0.3, -0.2, 0.7]"), ("wp", "evenandodd_wall", ", momentum: [1, 1, 1]", ""),
             ("eg", "even_wall", ", momentum: [1, 1, 1], spin_taste: GT-G1", ""), ("wg", "evenandodd_wall", ", spin_taste: GT-G1", "")]
    labels = ["G5-G5", "G1-G1", "GX-GX", "GZ-GZ", "GXT-GXT", "GZT-GZT", "GXY-GXY", "GYZ-GYZ", "G5X-G5X", "G5Z-G5Z"]
    links = ["GT-G1", "GX-G1", "GY-G1", "GZ-G1", "GYT-GX"] + CURRENTS
    in_time = ["GT-G1", "GYT-GX", "conserved_vector_t"]  # refused where "wp" moves in the sink

    def asked(name, twist):
        return labels + [x for x in links if not twist and "g" not in name and not (name == "wp" and x in in_time)]
    entries = "".join(f"\n  - {wall % kind}".replace("source:", f"correlators: [{', '.join(asked(kind[0], kind[3]))}], source:") for kind in kinds)
    entries += "".join(f"\npairs:" * (k == 0) + f"\n  - {{name: {a}-{b}, quark: {a}, antiquark: {b}}}"
                       for k, (a, b) in enumerate([("e", "o"), ("ep", "op"), ("w", "o"), ("eg", "ep"), ("wg", "w")]))
    solve("free-moving", "type: naive", entries, labels, [[0, 0, 0], [2, 3, 4]], gauge="box.h5", size=(4, 6, 8, 4), tail=", average: true, propagators: false")
    with h5py.File(path("free-moving.h5")) as f:
        names = []
        f["corr"].visititems(lambda name, object: names.append(name[:-4]) if name.endswith("/mean") else None)
        size = {name: np.abs(correlator(f, f"corr/{name}mean")).max() for name in names}
        wrong = [name for name in names if np.abs(correlator(f, f"corr/{name}error")).max() > 1e-9]
        assert not wrong, wrong
        for name in ("e/average/m00/GT-G1/p000", "ep/average/m00/rhox/p000", "ep/average/m00/rhoz/p234", "et/average/m00/rhoz0/p000",
                     "w/average/m00/GYT-GX/p000", "ep-op/average/m00-m00/pion05/p000", "wg-w/average/m00-m00/pion05/p000"):
            assert size[name + "/"] > 1e-4, (name, sorted(n for n in size if size[n] > 1e-4))


def baryons_of_walls_with_a_sign_are_averaged_over_slices():
    """(-1)^(x+y+z+t) of the wall comes three times."""
    wall = "{name: %s, masses: [0.3], correlators: [], source: {type: %s, t0: [0, 3]}}"
    solve("free-nucleon", "type: naive", f"[{wall % ('a', 'evenandodd_wall')}, {wall % ('b', 'evenminusodd_wall')}]", [], gauge="unit.h5",
          tail=", average: true, propagators: false, baryons: [nucleon]")
    with h5py.File(path("free-nucleon.h5")) as f:
        for name in "a", "b":
            mean, error = (np.abs(correlator(f, f"corr/{name}/average/m00/nucleon/{word}")).max() for word in ("mean", "error"))
            assert error < 1e-8 and mean > 0.1, (name, mean, error)


def three_point_functions_are_averaged_with_the_sign_of_all_their_operators():
    place = "origin: [[0, 0, 0, 0], [1, 2, 3, 5], [0, 0, 1, 3]]"  # eta_x +, -, -; eta_y +, +, -
    entries = f"[{{name: a, masses: [0.3], source: {{type: point, {place}}}}}, {{name: b, masses: [0.3], source: {{type: point, {place}, spin_taste: GY-G1}}}}]\nthree_point:"
    for name, parent, spectator, label, sink in ("sink", "a", "a", "GX-G1", "GX-G1"), ("spectator", "a", "b", "GY-G1", "pion5"), ("parent", "b", "a", "GY-G1", "pion5"):
        entries += (f"\n  - {{name: {name}, parent: {parent}, spectator: {spectator}, daughter_masses: [0.3], sink_times: [3], insertion: [{label}], "
                    f"sink_operator: {sink}}}")
    solve("free-three", "type: naive", entries, [], gauge="unit.h5", tail=", average: true, propagators: false")
    with h5py.File(path("free-three.h5")) as f:
        for name, label in ("sink", "GX-G1"), ("spectator", "GY-G1"), ("parent", "GY-G1"):
            mean, error = (correlator(f, f"corr/{name}/average/T03/m00-m00-m00/{label}/p000/{word}") for word in ("mean", "error"))
            assert np.abs(error).max() < 1e-12 and np.abs(mean).max() > 1e-3, (name, mean, error)


def sources_with_operators_are_made_again():
    entries = f"[{{name: a, masses: [0.3], {POINT[:-1]}, spin_taste: GXT-G5X}}}}, {{name: b, masses: [0.3], source: {{type: random_wall, seed: 3, t0: 2, spin_taste: G1-G1}}}}, {{name: c, masses: [0.3], twist: [0.1, 0, 0], {POINT[:-1]}, spin_taste: conserved_vector_t}}}}, {{name: d, masses: [0.3], {POINT[:-1]}, spin_taste: conserved_vector_x}}}}]"
    solve("again", "type: naive", entries, ["pion5"])
    told = [line.split("residual=")[1].split(" stored=") for line in naik("info", path("again.h5"), "--residuals").split("\n") if " stored=" in line]
    assert len(told) == 12 and all(measured == stored for measured, stored in told), told
    with h5py.File(path("again.h5")) as f:
        assert f["/prop/s0000/source"].attrs["smearing"] in ("operator GXT-G5X", b"operator GXT-G5X"), dict(f["/prop/s0000/source"].attrs)


def operators_that_cannot_be_at_a_source_are_refused():
    for action, more, tail, told in (("type: wilson", "spin_taste: GX-GX", "", "GX-GX is for staggered quarks; on a source of quarks with spin there are the conserved currents"),
                                     ("type: naive", "spin_taste: a0", "", "a0 is no operator of one spin and taste"),
                                     ("type: naive", "spin_taste: GX-G11", "", "did you mean 'GX-G1'"),
                                     ("type: naive", "spin_taste: GX-G1}, twist: [0.1, 0, 0", "", "only without a twist"),
                                     ("type: naive", "spin_taste: GX-GX", ", baryons: [nucleon]", "no nucleon of a source with an operator on it")):
        source = POINT[:-1] + ", " + more + ("]" if "twist" in more else "}")
        said = solve("refused", action, f"[{{name: a, masses: [0.1], {source}}}]", [], status=1, tail=tail)
        assert told in said, said


main([configurations_are_generated, staggered_currents_are_conserved_at_every_site, currents_of_quarks_with_spin_are_sums_in_numpy,
      free_currents_are_those_of_the_fourier_sum, bytes_are_the_same_on_any_number_of_ranks, links_are_those_of_each_entry,
      links_of_a_file_make_the_current_of_a_source,
      currents_at_the_source_obey_the_ward_identity, currents_at_the_source_are_those_at_the_sink,
      places_of_operators_at_the_source_are_averaged_with_their_sign, walls_with_a_sign_of_their_own_are_averaged_with_it,
      walls_of_quarks_with_spin_and_sites_are_averaged_over_places,
      walls_are_averaged_over_odd_and_even_slices, walls_that_move_and_operators_in_time_are_averaged_over_slices,
      baryons_of_walls_with_a_sign_are_averaged_over_slices,
      three_point_functions_are_averaged_with_the_sign_of_all_their_operators, sources_with_operators_are_made_again,
      operators_that_cannot_be_at_a_source_are_refused, memory_of_a_current_is_in_the_plan, what_is_no_current_is_refused],
     needed=[configurations_are_generated])
