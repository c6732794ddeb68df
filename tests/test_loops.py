"""Loops of noise: of noise on one site at a time they are exact traces, which numpy makes of the whole inverse matrix;
parts of diluted noise add up to the noise.
ranks: 1
"""
import os
import sys

import h5py
import numpy as np

from program import answer, everything, main, naik, path, same, stopped

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import naik_io  # noqa: E402

INPUT = """
lattice:  {size: [2, 2, 2, 4], boundary_t: antiperiodic}
gauge:    {file: %s}
action:   {type: %s}
solver:   {tolerance: 1e-13%s}
solve:
  - {name: n, masses: [0.3], momenta: [[0, 0, 0], [1, 0, 1]], source: {type: random_volume, noise: z4, seed: 3, spacing: 2, dilution: [time]}}
  - {name: w, masses: [0.3], source: {type: random_wall, t0: [1, 2], noise: z2, seed: 3, dilution: [even_odd]}}
  - {name: plain, masses: [0.3], source: {type: random_wall, t0: [1, 2], noise: z2, seed: 3}}
output:   {file: %s, correlators: [], loops: [%s]}
"""
LOOPS = {"naive": "G1-G1, GX-GX, G5-G5, GX-G1, GT-G1, GXY-G1, conserved_vector_y, conserved_vector_t",
         "wilson": "G1, GX, G5T, rho_z, conserved_vector_x, conserved_vector_t"}
AXIS = (3, 2, 1, 0)


def slices(nt):
    """From now on the lattice is [2, 2, 2, nt]."""
    global SITES, X, EPS, ETA
    SITES = np.arange(8 * nt).reshape(nt, 2, 2, 2)
    X = np.array([SITES.ravel() % 2, SITES.ravel() // 2 % 2, SITES.ravel() // 4 % 2, SITES.ravel() // 8])
    EPS = (-1.0) ** X.sum(0)
    ETA = [(-1.0) ** X[3], (-1.0) ** (X[3] + X[0]), (-1.0) ** (X[3] + X[0] + X[1]), np.ones(8 * nt)]


slices(4)


def write(name, kind, size="[2, 2, 2, 4]", gauge="tiny.h5"):
    with open(path(name + ".yaml"), "w") as f:
        f.write((INPUT % (path(gauge), kind, "" if kind == "naive" else ", method: bicgstab", path(name + ".h5"), LOOPS[kind])).replace("[2, 2, 2, 4]", size))
    return path(name + ".yaml")


GAMMA = [np.array([[0, 0, 0, 1j], [0, 0, 1j, 0], [0, -1j, 0, 0], [-1j, 0, 0, 0]]),
         np.array([[0, 0, 0, -1], [0, 0, 1, 0], [0, 1, 0, 0], [-1, 0, 0, 0]], complex),
         np.array([[0, 0, 1j, 0], [0, 0, 0, -1j], [-1j, 0, 0, 0], [0, 1j, 0, 0]]),
         np.array([[0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0]], complex)]
GAMMA.append(GAMMA[0] @ GAMMA[1] @ GAMMA[2] @ GAMMA[3])


def links(gauge="tiny.h5"):
    with h5py.File(path(gauge)) as f:
        u = f["gauge"][...]
    u[-1, ..., 3, :, :] *= -1
    return u.reshape(SITES.size, 4, 3, 3)


def hop(u, mu):
    """[x, a, y, b]: U_mu(x) to x + mu"""
    out = np.zeros((SITES.size, 3, SITES.size, 3), complex)
    for site, ahead in zip(SITES.flat, np.roll(SITES, -1, AXIS[mu]).flat):
        out[site, :, ahead] += u[site, mu]
    return out


def dagger(a):
    return a.transpose(2, 3, 0, 1).conj()


def left(sign, a):
    return sign[:, None, None, None] * a


def right(a, sign):
    return a * sign[None, None, :, None]


def dot(a, b):
    return np.tensordot(a, b, 2)


def hopping(u):
    """D of naive quarks, and its hops forward."""
    fat = [left(ETA[mu], hop(u, mu)) for mu in range(4)]
    return sum(v - dagger(v) for v in fat), fat


def staggered(u, fat, inverse, inside=1):
    """Of each operator the trace with a matrix at every site, of the noise on the sites `inside`."""
    n, inside = SITES.size, inside * np.ones(SITES.size)
    hops = [hop(u, mu) for mu in range(4)]
    one = np.eye(3 * n).reshape(n, 3, n, 3)
    zeta = [EPS * (-1.0) ** X[mu] * ETA[mu] for mu in range(4)]
    shift = [left(zeta[mu], hops[mu] + dagger(hops[mu])) / 2 for mu in range(4)]
    phi = [EPS * (-1.0) ** X[mu] for mu in range(4)]
    operators = {"G1-G1": one, "GX-GX": left(EPS * (-1.0) ** X[0], one), "G5-G5": left(EPS, one),
                 "GX-G1": right(shift[0], phi[0]), "GT-G1": right(shift[3], phi[3]),
                 "GXY-G1": right((dot(shift[0], shift[1]) - dot(shift[1], shift[0])) / 2, phi[0] * phi[1])}
    found = {name: inside * np.einsum("xayb,ybxa->x", o, inverse) for name, o in operators.items()}
    for name, mu in (("conserved_vector_y", 1), ("conserved_vector_t", 3)):
        found[name] = inside * np.einsum("xayb,ybxa->x", fat[mu], inverse) + np.einsum("yaxb,xbya,y->x", dagger(fat[mu]), inverse, inside)
    return found


def inverted(matrix, mass):
    n = SITES.size
    return np.linalg.inv(2 * mass * np.eye(3 * n) + matrix.reshape(3 * n, 3 * n)).reshape(n, 3, n, 3)


def with_spin():
    u, unit = links(), np.eye(4)
    matrix = 4.3 * np.eye(384).reshape(32, 4, 3, 32, 4, 3) + 0j
    for mu in range(4):
        v = hop(u, mu)
        matrix -= np.einsum("ij,xayb->xiayjb", unit - GAMMA[mu], v) / 2 + np.einsum("ij,xayb->xiayjb", unit + GAMMA[mu], dagger(v)) / 2
    inverse = np.linalg.inv(matrix.reshape(384, 384)).reshape(32, 4, 3, 32, 4, 3)
    g = GAMMA
    found = {name: np.einsum("ij,xjaxia->x", o, inverse) for name, o in
             (("G1", np.eye(4)), ("GX", g[0]), ("G5T", g[4] @ g[3]), ("rho_z", g[2]))}
    for name, mu in (("conserved_vector_x", 0), ("conserved_vector_t", 3)):
        v = hop(links(), mu)
        there = np.einsum("xayb,ij,yjbxia->x", v, np.eye(4) - g[mu], inverse)
        back = np.einsum("yaxb,ij,xjbyia->x", dagger(v), np.eye(4) + g[mu], inverse)
        found[name] = (back - there) / 2
    return found


def loops_are_made():
    for size, sweeps, name in ("2,2,2,4", "5", "tiny.h5"), ("2,2,2,8", "5", "long.h5"), ("6,2,2,4", "5", "wide.h5"), ("4,4,8,8", "2", "lat.h5"):
        naik("gauge", "generate", "--size", size, "--beta", "5.8", "--seed", "3", "--sweeps", sweeps, "-o", path(name))
    for kind in LOOPS:
        naik("solve", write(kind, kind))


def noise_on_single_sites_gives_exact_traces():
    D, fat = hopping(links())
    for kind, exact in (("naive", staggered(links(), fat, inverted(D, 0.3))), ("wilson", with_spin())):
        scale = max(np.abs(v).sum() for v in exact.values())
        with naik_io.File(path(kind + ".h5")) as file:
            for name, sites in exact.items():
                for p, w in (("p000", np.ones(32)), ("p101", np.exp(2j * np.pi * (X[0] + X[2]) / 2))):
                    got = file.contraction(f"n/sum/m00/loop/{name}/{p}")
                    wanted = (sites * w).reshape(4, 8).sum(1)
                    assert np.abs(got - wanted).max() < 1e-11 * scale, (kind, name, p, got, wanted)
            told = dict(file.h5["corr/n/sum/m00/loop/" + ("GX-G1" if kind == "naive" else "GX") + "/p000"].attrs)
            assert told["quantity"] == "loop sum" and told["quark"] == "n", told


def parts_of_diluted_noise_add_up_to_the_noise():
    for kind in LOOPS:
        with naik_io.File(path(kind + ".h5")) as file:
            f = file.h5
            subset = [str(f[f"prop/s{32 + k:04d}"].attrs["subset"]) for k in range(4)] if "subset" in f["prop/s0032"].attrs else None
            g = [f[f"prop/s{32 + k:04d}/m00"][...] for k in range(6)]
            for k in range(2):  # even and odd sites of each slice, then the slice
                whole = g[4 + k]
                assert np.abs(g[2 * k] + g[2 * k + 1] - whole).max() < 1e-10 * np.abs(whole).max(), (kind, k, subset)
                assert np.abs(g[2 * k]).max() > 0 < np.abs(g[2 * k + 1]).max()
            name = "G1-G1" if kind == "naive" else "G1"
            parts = [file.contraction(f"w/s{k:04d}/m00/loop/{name}/p000") for k in range(4)]
            total = file.contraction(f"w/sum/m00/loop/{name}/p000")
            assert np.abs(sum(parts) - total).max() < 1e-14 * np.abs(total).max()
            # only the slice of the noise has a scalar loop
            assert np.abs(parts[0][[0, 2, 3]]).max() == 0 < abs(parts[0][1]) and "plain/sum" not in "".join(file.contractions)


def a_loop_is_not_taken_for_the_meson_of_its_name():
    naik("solve", write("beside", "naive"), "--set", "solve.2.correlators=[GX-G1]")
    with naik_io.File(path("beside.h5")) as file:
        mesons, loops = (file.find("plain", "GX-G1", masses=0.3, quantity=q) for q in ("correlator", "loop"))
        assert [c.path for c in mesons] == [f"/corr/plain/s000{k}/m00/GX-G1/p000" for k in range(2)], mesons
        assert [c.path for c in loops] == [f"/corr/plain/s000{k}/m00/loop/GX-G1/p000" for k in range(2)] and loops[0].source is None, loops
        assert (file.from_source(loops[1]) == file.contraction(loops[1].path)).all()
    listed = naik("info", path("beside.h5"), "--correlators")
    assert listed.count("# GX-G1 source=plain/s0001 ") == 2 and "from=0,0,0,0 loop\n" in listed, listed


def bytes_are_the_same_on_every_number_of_ranks():
    def input_of(name):
        write(name, "naive", "[4, 4, 8, 8]", "lat.h5")
        text = open(path(name + ".yaml")).read().replace("spacing: 2, dilution: [time]", "dilution: [even_odd]").replace("1e-13", "1e-9")
        with open(path(name + ".yaml"), "w") as f:
            f.write(text)
        return path(name + ".yaml")
    naik("solve", input_of("one"))
    stopped("solve", input_of("more"), ranks=4)
    naik("solve", input_of("more"), ranks=4)
    same(everything("one.h5"), everything("more.h5"))


def what_low_modes_give_has_the_same_bytes_whatever_stops_the_run():
    text = "solve=[{name: n, masses: [0.1, 0.3], momenta: [[0, 0, 0], [1, 0, 1]], source: {type: random_volume, noise: z3, seed: 3, dilution: [even_odd], hits: 2}}, " \
           "{name: w, masses: [0.1], source: {type: random_wall, t0: [0, 3], noise: z2, seed: 3, hits: 2}}]"
    def run(name, **how):
        source = write(name, "naive", "[4, 4, 8, 8]", "lat.h5")
        return naik("solve", source, "--set", text, "--set", "solver.tolerance=1e-9", "--set", "output.propagators=false",
                    "--set", "averages=[{type: low_modes, name: ln, solve: n}, {type: low_modes, name: lw, solve: w}]",
                    "--set", f"deflation={{modes: 8, tolerance: 1e-4, file: {path(name + '-modes.h5')}}}", **how)
    run("whole")
    for inject in "kill:write:2@1", "stop:solve:30", "kill:write:3@0":
        assert "naik: injected" in run("again", ranks=2, env={"NAIK_INJECT": inject}, status=None), inject
    run("again", ranks=2)
    same(everything("whole.h5"), everything("again.h5"))


def low_modes_give_their_part_exactly():
    """With noise on one site at a time the mean is the exact trace, and the part of the modes that of numpy's G_low."""
    slices(8)
    low = ["--set", "averages=[{type: low_modes, name: lma, solve: w}]", "--set", f"deflation={{modes: 8, krylov: 40, tolerance: 1e-4, file: {path('modes.h5')}}}"]
    shape = ["--set", "solve=[{name: w, masses: [0.3, 0.1], momenta: [[0, 0, 0], [1, 0, 1]], source: {type: random_wall, t0: [0, 3], noise: u1, seed: 3, spacing: 2}}]"]
    said = naik("solve", write("low", "naive", "[2, 2, 2, 8]", "long.h5"), *shape, *low, "--set", "output.propagators=false")
    assert "naik computed the part of 8 modes of" in said and "exactly on all sites, and on 1 noise field, in " in said and "lma: one noise field gives no error" in said, said
    D, fat = hopping(links("long.h5"))
    with naik_io.open_modes(path("modes.h5")) as m:
        v, lam = np.array([m.on_all_sites(i).reshape(-1, 3) for i in range(8)]), m.lambdas[:8]
    w = np.einsum("xayb,iyb->ixa", D, v) / (2 * lam[:, None, None])
    inside = np.isin(X[3], (0, 3))
    with naik_io.File(path("low.h5")) as file:
        for mass in 0.3, 0.1:
            g = 1 / (2 * (mass ** 2 + lam ** 2))
            G_low = sum(np.einsum("i,ixa,iyb->xayb", f, a, b.conj()) for f, a, b in ((g * mass, v, v), (g * mass, w, w), (g * lam, v, w), (-g * lam, w, v)))
            exact, part = (staggered(links("long.h5"), fat, G, inside) for G in (inverted(D, mass), G_low))
            for name in exact:
                for p, wave in (((0, 0, 0), np.ones(64)), ((1, 0, 1), np.exp(1j * np.pi * (X[0] + X[2])))):
                    mean, of_low, rest, total = (file.values(file.find(at, name, masses=mass, momentum=p, quantity=q)[0]) for at, q in
                        (("lma", "loop mean"), ("lma", "loop low modes"), ("lma", "loop rest"), ("w", "loop sum")))
                    sum_of = lambda values: (values * wave).reshape(8, 8).sum(1)
                    scale = np.abs(exact["G1-G1"]).sum()
                    assert np.abs(mean - sum_of(exact[name])).max() < 1e-11 * scale, (name, p, mean, sum_of(exact[name]))
                    assert np.abs(of_low - sum_of(part[name])).max() < 1e-6 * scale, (name, p, of_low, sum_of(part[name]))
                    assert np.abs(total - mean).max() < 1e-11 * scale and (mean == of_low + rest).all() and np.abs(rest).max() > 1e-9 * scale
    slices(4)


def several_noise_fields_have_an_error():
    """Mean and error are those of the fields; what low modes leave is the noise of what they do not carry."""
    text = "solve=[{name: n, masses: [0.1], source: {type: random_wall, t0: 1, noise: z4, momentum: [1, 0, 0], seed: 3, dilution: [even_odd], hits: 3}}, " \
           "{name: m, masses: [0.1], source: {type: random_wall, t0: 1, noise: z4, momentum: [1, 0, 0], seed: 5, dilution: [even_odd]}}]"
    naik("solve", write("hits", "naive", "[6, 2, 2, 4]", "wide.h5"), "--set", text, "--set", "output.propagators=false",
         "--set", "averages=[{type: low_modes, name: lma, solve: n}]", "--set", f"deflation={{modes: 8, krylov: 40, tolerance: 1e-4, file: {path('wide.modes.h5')}}}")
    with naik_io.File(path("hits.h5")) as file:
        for name in LOOPS["naive"].split(", "):
            parts = np.array([file.contraction(f"n/s{k:04d}/m00/loop/{name}/p000") for k in range(6)])
            fields = parts[0::2] + parts[1::2]
            mean, error = (file.values(file.find("n", name, quantity=q)[0]) for q in ("loop mean", "loop standard error"))
            size = np.abs(fields).max()
            assert np.abs(mean - fields.mean(0)).max() < 1e-14 * size, (name, mean, fields)
            for part in np.real, np.imag:
                assert np.abs(part(error) - part(fields).std(0, ddof=1) / 3 ** 0.5).max() < 1e-14 * size, (name, error)
            # the noise field of seed + 2 is that of its own entry
            assert np.abs(fields[2] - file.contraction(f"m/sum/m00/loop/{name}/p000")).max() < 1e-9 * size, name
            # without the low modes' part each field is its rest
            at = {q: file.values(file.find("lma", name, quantity="loop " + q)[0]) for q in ("mean", "standard error", "low modes", "rest")}
            assert (at["mean"] == at["low modes"] + at["rest"]).all() and np.abs(at["standard error"]).max() > 0
            if name == "G1-G1":  # a norm, also where the modes' part is gone from noise that single precision would change
                assert np.abs(at["rest"].imag).max() < 1e-13 * size, at["rest"]
            each = np.array([file.values(c) for c in file.find("lma", name, quantity="loop field")])
            assert each.shape == (3, 4) and np.abs(each.mean(0) - at["mean"]).max() < 1e-13 * size, name
            for part in np.real, np.imag:
                assert np.abs(part(at["standard error"]) - part(each).std(0, ddof=1) / 3 ** 0.5).max() < 1e-13 * size, name


def what_cannot_be_diluted_is_refused():
    for kind, change, sentence in (
            ("naive", "output.loops=[GX]", "'output.loops': GX is for wilson, clover and twisted_mass quarks"),
            ("wilson", "output.loops=[GX-G1]", "'output.loops': GX-G1 is for staggered quarks"),
            ("naive", "solve.0.source.spacing=3", "'solve.0.source.spacing' 3 does not divide the extent 2"),
            ("naive", "solve.0.source.dilution=[even_odd]", "a source.spacing of 2 keeps even and odd sites apart already"),
            ("naive", "solve.1.source.dilution=[time]", "a wall is on one time slice: list its slices as t0"),
            ("naive", "averages=[{solve: w, type: truncated_solves, tolerance_sloppy: 1e-3, exact_sources: 2, seed: 1}]", "are parts of diluted noise, which add up"),
            ("naive", "solve.1.source.subset=even", "even_odd needs source.subset full"),
            ("naive", "solve.0.twist=[0.1, 0, 0]", "naik makes operators with links, such as GX-G1, only without a twist"),
            ("naive", "solve.1.source.spin_taste=GX-GX", "naik makes no loops of a source with an operator on it"),
            ("naive", "solve.1.source={type: point, origin: [0, 0, 0, 0], hits: 2}", "'solve.1.source.hits'"),
            ("naive", "averages=[{type: low_modes, solve: w}]", "low_modes takes the modes of deflation, and w has none")):
        status, _, said = answer("solve", write("bad", kind), "--dry-run", "--set", change)
        assert status == 1 and sentence in said and said.count("\n") == 1, (change, status, said)


main([loops_are_made, noise_on_single_sites_gives_exact_traces, parts_of_diluted_noise_add_up_to_the_noise, a_loop_is_not_taken_for_the_meson_of_its_name,
      bytes_are_the_same_on_every_number_of_ranks, what_low_modes_give_has_the_same_bytes_whatever_stops_the_run, low_modes_give_their_part_exactly, several_noise_fields_have_an_error, what_cannot_be_diluted_is_refused], needed=[loops_are_made])
