"""Correlators of several solves against plain sums in numpy: pairs, nucleon, condensate, averages."""
import os
import re
import sys
import warnings

import h5py
import numpy as np

from program import LONG, answer, everything, main, naik, path, same, stopped

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import naik_io

NX, NY, NZ, NT = SIZE = (8, 4, 4, 8)
ORIGINS = {"light": [(0, 0, 0, 0), (1, 0, 3, 3)], "heavy": [(0, 0, 0, 0), (1, 0, 3, 3)], "wall": [(0, 0, 0, 1), (0, 0, 0, 6)]}
INPUT = """
lattice:  {size: [8, 4, 4, 8], boundary_t: antiperiodic}
gauge:    {file: %s}
action:   {type: hisq}
solve:
  - name: light
    masses: [0.1, 0.3]
    source: {type: point, origin: [[0, 0, 0, 0], [1, 0, 3, 3]]}
  - name: heavy
    masses: [0.5]
    naik_epsilon: [-0.1]
    source: {type: point, origin: [[0, 0, 0, 0], [1, 0, 3, 3]]}
  - name: wall
    masses: [0.4]
    source: {type: evenandodd_wall, subset: corner, corner: [0, 1, 1], t0: [1, 6]}
  - name: noise
    masses: [0.3, 0.6]
    source: {type: random_volume, seed: 5, noise: z4}
pairs:
  - {name: hl, quark: light, antiquark: heavy}
  - {name: two, quark: light, antiquark: light}
  - {name: sink, quark: light, antiquark: heavy, sink: wall}
baryons:
  - {name: llh, quarks: [light, light, heavy]}
  - {name: lhl, quarks: [light, heavy, light]}
solver:   {tolerance: 1e-11}
output:
  file: %s
  correlators: [pion5, pion05, rhoy, rhox0]
  momenta: [[0, 0, 0], [1, 0, 1]]
  baryons: [nucleon]
  condensate: true
  average: true
"""
T, Z, Y, X = (np.arange(n).reshape([-1 if a == b else 1 for b in range(4)])
              for a, n in enumerate(reversed(SIZE)))
PHI = {"pion5": 0, "pion05": X + Y + Z + T, "rhoy": Y, "rhox0": Y + Z}
MOMENTA = {"p000": 0.0, "p101": X / NX + Z / NZ}  # turns
SOURCES = {"light": (0, 1), "heavy": (2, 3), "wall": (4, 5), "noise": (6,)}


def write_input(name, gauge="lat.h5"):
    with open(path(name + ".yaml"), "w") as f:
        f.write(INPUT % (path(gauge), path(name + ".h5")))
    return path(name + ".yaml")


def at(function, x):
    """Of a function of X, Y, Z and T its value at a site."""
    return np.broadcast_to(function, SIZE[::-1])[x[::-1]]


def propagator(f, entry, within, mass):
    return f[f"prop/s{SOURCES[entry][within]:04d}/m{mass:02d}"][...]  # [3][T][Z][Y][X][3]


def near(got, wanted, scale, what):
    assert np.abs(got - wanted).max() <= 1e-13 * scale, (what, got, wanted)


def a_configuration_is_generated():
    naik("gauge", "generate", "--size", "8,4,4,8", "--beta", "5.8", "--seed", "3", "--sweeps", "6", "-o", path("lat.h5"))


def the_bytes_are_the_same_on_every_grid():
    said = naik("solve", write_input("one"))
    # three propagators of three colours and a source, 48 bytes a site each
    assert f"memory: correlators that need several solves take {10 * 48 * np.prod(SIZE) / 2**30:.3f} GiB a rank, at the end" in said, said
    the_log_has_a_line_of_each_source_and_mass(said)
    both = (4, "2x1x1x2", ("--set", "output.print_correlators=true")), (2, "1x1x1x2", ())
    for ranks, grid, more in both if LONG else both[:1]:
        said = naik("solve", write_input("more"), *more, ranks=ranks, env={"NAIK_GRID": grid})
        same(everything("one.h5"), everything("more.h5"))
        os.remove(path("more.h5"))
        if more:
            the_log_has_all_correlators(said)


def the_log_has_a_line_of_each_source_and_mass(said):
    lines = [line for line in said.splitlines() if line.startswith("correlators: ")]
    assert len(lines) == 2 * 2 + 2 + 2 + 2 and not re.search("^correlator ", said, re.M), said
    with h5py.File(path("one.h5")) as f:
        c = f["corr/light/s0001/m01/pion5/p000"][...]
    assert f"correlators: source=light/s0001 mass=0.3: 8 stored; pion5 at momentum=0,0,0 is {c[3]:.6e} at t=3, {c[7]:.6e} at t=7" in lines, lines


def the_log_has_all_correlators(said):
    blocks = re.findall(r"^correlator (.*)\n((?: +\d+ [-+.e0-9 ]+\n){8})", said, re.M)
    with h5py.File(path("one.h5")) as f:
        contracted = naik_io._text(f["metadata/contractions"][()]).split()
        assert len(blocks) == 10 * 4 * 2 + len(contracted), len(blocks)
        for name, numbers in blocks:
            printed = np.array([line.split()[1:] for line in numbers.splitlines()], float)
            if name.startswith("/corr/"):
                known = f[name][...].view(float).reshape(8, 2)
            else:
                meson, label, mass, p = re.fullmatch(r"(\S+) source=(\S+) mass=(\S+) momentum=(\S+)", name).groups()
                masses = {"light": [0.1, 0.3], "heavy": [0.5], "wall": [0.4], "noise": [0.3, 0.6]}[label.split("/")[0]]
                known = f[f"corr/{label}/m{masses.index(float(mass)):02d}/{meson}/p{p.replace(',', '')}"][...]
                known = np.stack([known.real, known.imag], 1) if np.iscomplexobj(known) else known[:, None]
            assert np.abs(printed - known).max() <= 1e-9 * np.abs(known).max(), (name, printed, known)


def pairs_are_traces():
    with naik_io.File(path("one.h5")) as file:
        f = file.h5
        for name, antiquark, others in (("hl", "heavy", (0,)), ("two", "light", (0, 1))):
            for within in range(2):
                for m in range(2):
                    for k in others:
                        g, h = propagator(f, "light", within, m), propagator(f, antiquark, within, k)
                        trace = (g * h.conj()).sum((0, 5))
                        scale = (abs(g) * abs(h)).sum()
                        x0 = ORIGINS["light"][within]
                        for meson, phi in PHI.items():
                            for p, turns in MOMENTA.items():
                                w = np.exp(2j * np.pi * (turns - at(turns, x0))) * (-1.0) ** at(phi, x0)
                                got = file.contraction(f"{name}/s{within:04d}/m{m:02d}-m{k:02d}/{meson}/{p}")
                                near(got, (trace * w * (-1.0) ** phi).sum((1, 2, 3)), scale, (name, within, m, k, meson, p))
        # a pair of one mass with itself is what the solves give
        for p in MOMENTA:
            got = file.contraction(f"two/s0001/m01-m01/rhoy/{p}")
            alone = f[f"corr/light/s0001/m01/rhoy/{p}"][...]
            near(got, alone, np.abs(f["corr/light/s0001/m01/pion5/p000"][...]).sum(), p)
        a = f["corr/hl/s0001/m01-m00/rhoy/p101"].attrs
        assert naik_io._text(a["quark"]) == "light/s0001" and naik_io._text(a["antiquark"]) == "heavy/s0001", dict(a)
        assert a["mass"] == 0.3 and a["antiquark_mass"] == 0.5 and list(a["momentum"]) == [1, 0, 1], dict(a)
        assert a["antiquark_naik_epsilon"] == -0.1 and a["naik_epsilon"] == 0, dict(a)


def the_module_lists_and_averages_all_of_them():
    """What `find` and `mean` give is the mean over sources that the run stored; every stored number is in the list."""
    with naik_io.File(path("one.h5")) as f:
        found, datasets = {c.path for c in f.correlators}, []
        f.h5["corr"].visititems(lambda key, item: datasets.append("/corr/" + key)
                                if isinstance(item, h5py.Dataset) and "per_colour" not in key else None)
        assert found == set(datasets) and len(found) == len(f.correlators)
        for name, meson, masses, place in (("light", "pion05", 0.3, "light/average/m01/pion05/p000"),
                                           ("light", "nucleon", 0.1, "light/average/m00/nucleon"),
                                           ("wall", "rhoy", 0.4, "wall/average/m00/rhoy/p000"),
                                           ("hl", "rhox0", (0.3, 0.5), "hl/average/m01-m00/rhox0/p000"),
                                           ("sink", "pion5", (0.1, 0.5), "sink/average/m00-m00/pion5/p000"),
                                           ("lhl", "nucleon", (0.1, 0.5, 0.3), "lhl/average/m00-m00-m01/nucleon")):
            one = f.find(name, meson, masses)
            assert len(one) == 2 and {c.source.number for c in one} == {0, 1}, one
            known = f.contraction(place + "/mean")
            assert np.abs(f.mean(one) - known).max() <= 1e-13 * np.abs(known).max(), (name, meson)
        assert f.find("hl", "rhox0", (0.3, 0.5))[1].quarks[1] == ("heavy/s0001", 0.5, -0.1, (0, 0, 0))
        errors = [c for c in f.correlators if c.quantity == "standard error"]
        assert errors and all(c.source is None for c in errors)
        for words, sentence in ((("light", "pion5", 0.2), "has no mass 0.2 in light; it has 0.1, 0.3"),
                                (("light", "pion5"), "with several masses"), (("none",), "it has those of light, heavy"),
                                (("hl", "nucleon"), "no correlator nucleon in hl"),
                                (("light", "pion5", 0.1, (0, 1, 0)), "no momentum 0,1,0")):
            try:
                f.find(*words)
                raise AssertionError(f"found {words}")
            except LookupError as error:
                assert sentence in str(error), (words, error)
        for ask, sentence in ((lambda: f.correlator("hl"), "; find('hl') gives the correlators of hl, which need several solves"),
                              (lambda: f.find("hl", quantity="rest"), "has no rest of hl; it has quantity correlator, mean, standard error"),
                              (lambda: f.find("none", quantity="mean"), "has no mean named none; it has those of hl, ")):
            try:
                ask()
                raise AssertionError(sentence)
            except LookupError as error:
                assert sentence in str(error), error


def the_report_draws_all_of_them():
    naik("report", path("one.h5"), "-o", path("one.html"))
    with open(path("one.html"), encoding="utf-8") as f:
        page = f.read()
    drawn = page[page.index("<h2>Correlators that need several solves</h2>"):page.index("<h2>Residuals</h2>")]
    heads = re.findall("<h3>([^:<]*)", drawn)
    with naik_io.File(path("one.h5")) as f:
        folders = list(dict.fromkeys(c.path.removeprefix("/corr/").split("/" + c.correlator)[0] for c in f.correlators
                                     if c.path in f.contractions))
    assert heads == folders[:40] and len(set(heads)) == len(heads), (heads, folders)
    more = re.search("<p>([0-9]+) more such plots", drawn)
    assert (int(more.group(1)) if more else 0) == len(folders) - len(heads), (more, len(folders))
    assert "hl/s0001/m01-m00: light/s0001 of mass 0.3, heavy/s0001 of mass 0.5, Naik epsilon -0.1</h3>" in drawn, heads
    figure = drawn[drawn.index("hl/s0001/m01-m00"):]
    figure = figure[:figure.index("<h3>")]
    assert figure.count("<figure") == 2 and all(f"{m}, p = {p}" in figure for m in PHI for p in ("(0, 0, 0)", "(1, 0, 1)")), figure
    noise = drawn[drawn.index("noise/m00: "):]
    assert noise[:noise.index("<h3>")].count("<figure") == 2  # the nucleon has a mass, the condensate none


def epsilon_tensor():
    e = np.zeros((3, 3, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        e[i, j, k], e[i, k, j] = 1, -1
    return e


def the_nucleon_is_a_determinant_on_corners():
    e = epsilon_tensor()
    with naik_io.File(path("one.h5")) as file:
        f = file.h5
        for entry, masses in (("light", 2), ("heavy", 1), ("wall", 1)):
            for within, origin in enumerate(ORIGINS[entry]):
                x0 = origin if entry != "wall" else (0, 1, 1, 0)
                corner = ((X - x0[0]) % 2 == 0) & ((Y - x0[1]) % 2 == 0) & ((Z - x0[2]) % 2 == 0)
                for m in range(masses):
                    g = propagator(f, entry, within, m)
                    # eps_abc eps_def G_ad G_be G_cf / 6
                    det = np.einsum("abc,def,atzyxd,btzyxe,ctzyxf->tzyx", e, e, g, g, g, optimize=True) / 6
                    got = file.contraction(f"{entry}/s{within:04d}/m{m:02d}/nucleon")
                    near(got, (det * corner).sum((1, 2, 3)), (abs(g) ** 3).sum(), (entry, within, m))


def a_wall_sink_sums_each_quark_over_its_time_slice():
    with naik_io.File(path("one.h5")) as file:
        f = file.h5
        for within in range(2):
            for m in range(2):
                w, v = (propagator(f, entry, within, k).sum((2, 3, 4)) for entry, k in (("light", m), ("heavy", 0)))
                got = file.contraction(f"sink/s{within:04d}/m{m:02d}-m00/pion5/p000")
                near(got, (w * v.conj()).sum((0, 2)), (abs(w) * abs(v)).sum(), (within, m))
        attributes = f["corr/sink/s0001/m01-m00/pion5/p000"].attrs
        assert attributes["sink"] == "wall" and attributes["antiquark_mass"] == 0.5, dict(attributes)
        assert "sink" not in f["corr/hl/s0001/m01-m00/pion5/p000"].attrs
    assert re.search(r"^# pion5 .*antiquark=heavy/s0000 .* sink=wall ", naik("info", path("one.h5"), "--correlators"), re.M)


def a_nucleon_of_several_entries_is_a_mean_over_colours_of_the_source():
    e = epsilon_tensor()
    with naik_io.File(path("one.h5")) as file:
        f = file.h5
        for within, x0 in enumerate(ORIGINS["light"]):
            corner = ((X - x0[0]) % 2 == 0) & ((Y - x0[1]) % 2 == 0) & ((Z - x0[2]) % 2 == 0)
            g, h = [propagator(f, "light", within, m) for m in range(2)], propagator(f, "heavy", within, 0)
            for a, b in ((0, 0), (0, 1), (1, 1)):
                n = np.einsum("abc,def,atzyxd,btzyxe,ctzyxf->tzyx", e, e, g[a], g[b], h, optimize=True) / 6
                scale = (abs(g[a]) * abs(g[b]) * abs(h)).sum()
                got = file.contraction(f"llh/s{within:04d}/m{a:02d}-m{b:02d}-m00/nucleon")
                near(got, (n * corner).sum((1, 2, 3)), scale, (within, a, b))
                near(file.contraction(f"lhl/s{within:04d}/m{a:02d}-m00-m{b:02d}/nucleon"), got, scale, (within, a, b))
        assert "/corr/llh/s0000/m01-m00-m00/nucleon" not in file.contractions  # the same as m00-m01
        attributes = f["corr/llh/s0001/m00-m01-m00/nucleon"].attrs
        assert [attributes[k] for k in ("quark", "second_quark", "third_quark")] == ["light/s0001", "light/s0001", "heavy/s0001"]
        assert [attributes[k] for k in ("mass", "second_mass", "third_mass")] == [0.1, 0.3, 0.5], dict(attributes)
        assert attributes["third_naik_epsilon"] == -0.1, dict(attributes)


def the_condensate_is_a_trace_of_noise():
    # The noise is had back by M G = src: src^+ G = (M G)^+ G needs M, so compare with |G|^2: for M = 2m + D with
    # D anti-hermitian Re src^+ G = 2m |G|^2, summed over the lattice.
    with naik_io.File(path("one.h5")) as file:
        f = file.h5
        for m, mass in enumerate((0.3, 0.6)):
            g = propagator(f, "noise", 0, m)
            got = file.contraction(f"noise/m{m:02d}/condensate")
            wanted = 2 * mass * (abs(g) ** 2).sum()
            assert abs(got.sum().real - wanted) < 1e-9 * wanted, (got.sum(), wanted)
            # Tr M^-1 is below V 3 / (2 m), its value without gauge field and hopping
            assert 0 < got.sum().real / (np.prod(SIZE) * 3 / (2 * mass)) < 1, got
            assert (got.real > 0).all() and np.abs(got.imag).max() < got.real.mean(), got


def averages_are_over_shifted_sources():
    with naik_io.File(path("one.h5")) as file:
        f = file.h5
        def check(average, parts, sign):
            shifted = np.array([s * np.roll(c, -t0) for c, t0, s in zip(parts, (x[3] for x in origins), sign)])
            near(file.contraction(average + "/mean"), shifted.mean(0), np.abs(shifted).max(), average)
            error = [np.std(part, axis=0, ddof=1) / np.sqrt(2) for part in (shifted.real, shifted.imag)]
            near(file.contraction(average + "/error"), error[0] + 1j * error[1], np.abs(shifted).max(), average)
        for entry, origins in ORIGINS.items():
            for meson in PHI:
                for p in MOMENTA:
                    parts = [f[f"corr/{entry}/s{k:04d}/m00/{meson}/{p}"][...] for k in range(2)]
                    check(f"{entry}/average/m00/{meson}/{p}", parts, (1, 1))
            parts = [file.contraction(f"{entry}/s{k:04d}/m00/nucleon") for k in range(2)]
            crossed = [np.where(np.arange(NT) + x[3] >= NT, -1.0, 1.0) for x in origins]
            check(f"{entry}/average/m00/nucleon", parts, crossed)
        origins = ORIGINS["light"]
        for name, sign in (("llh/{}m01-m01-m00/nucleon", [np.where(np.arange(NT) + x[3] >= NT, -1.0, 1.0) for x in origins]),
                           ("sink/{}m01-m00/pion5/p000", (1, 1))):
            parts = [file.contraction(name.format(f"s{k:04d}/")) for k in range(2)]
            check(name.format("average/"), parts, sign)
        check("hl/average/m01-m00/rhoy/p101", [file.contraction(f"hl/s{k:04d}/m01-m00/rhoy/p101") for k in range(2)], (1, 1))
        check("hl/average/m01-m00/rhoy/p000", [file.contraction(f"hl/s{k:04d}/m01-m00/rhoy/p000") for k in range(2)], (1, 1))


def point_correlators_are_gauge_invariant():
    rng = np.random.default_rng(4)
    with h5py.File(path("lat.h5")) as f:
        u = f["gauge"][...]
    a = rng.normal(size=u.shape[:4] + (3, 3)) + 1j * rng.normal(size=u.shape[:4] + (3, 3))
    v = np.linalg.qr(a)[0]
    v /= np.linalg.det(v)[..., None, None] ** (1 / 3)
    for mu, axis in enumerate((3, 2, 1, 0)):
        ahead = np.roll(v, -1, axis)
        u[..., mu, :, :] = v @ u[..., mu, :, :] @ np.conj(np.swapaxes(ahead, -1, -2))
    with h5py.File(path("turned.h5"), "w") as f:
        f["U"] = u
    naik("solve", write_input("turned-run", "turned.h5"), ranks=2)
    with naik_io.File(path("one.h5")) as one, naik_io.File(path("turned-run.h5")) as turned:
        compared = 0
        for name in one.contractions:
            if name.startswith(("/corr/light", "/corr/heavy", "/corr/hl", "/corr/two", "/corr/llh")):
                x, y = one.contraction(name), turned.contraction(name)
                # through zero at some t: against the largest; the solutions agree to their tolerance
                assert np.abs(x - y).max() < 1e-7 * max(np.abs(x).max(), 1e-3), (name, x, y)
                compared += 1
        assert compared > 100, compared
        for meson in PHI:
            x, y = (f.correlator("light", 0, 1, meson) for f in (one, turned))
            assert np.abs(x - y).max() < 1e-8 * np.abs(x).max(), (meson, x, y)


def the_text_has_every_number():
    with naik_io.File(path("one.h5")) as file:
        names = file.contractions
        text = naik("info", path("one.h5"), "--correlators")
        heads = re.findall(r"^# .*$", text, re.M)
        values = np.loadtxt(text.splitlines())  # real and complex ones alike
        assert values.shape == (len(heads) * file.h5["corr/light/s0000/m00/pion5/p000"].size, 3), values.shape
        assert [h.split(" name=")[1].split()[0] for h in heads if " name=" in h] == [n.split("/")[2] for n in names], heads
        fnal = naik("info", path("one.h5"), "--correlators=fnal")
        blocks = re.split(r"^correlator: +", fnal, flags=re.M)[1:]
        stored = sum(len(file.h5[f"corr/{label}/m{m:02d}/{meson}"]) for label, masses in
                     (("light/s0000", 2), ("light/s0001", 2), ("heavy/s0000", 1), ("heavy/s0001", 1), ("wall/s0000", 1),
                      ("wall/s0001", 1), ("noise", 2)) for m in range(masses) for meson in PHI)
        assert len(heads) == len(names) + stored, (len(heads), len(names), stored)
        assert len(blocks) == stored + sum(not n.endswith(("/mean", "/error")) for n in names), len(blocks)
        key = "rhoy_heavy/s0001_light/s0001_m0.5_m0.3_p101"
        block = next(b for b in blocks if key in b)
        numbers = np.array([[float(x) for x in line.split("\t")] for line in re.findall(r"^\d+\t.*$", block, re.M)])
        wanted = file.contraction("hl/s0001/m01-m00/rhoy/p101")
        assert (numbers[:, 0] == np.arange(NT)).all() and (numbers[:, 1] + 1j * numbers[:, 2] == wanted).all(), block
        before = fnal[:fnal.index(key)].rsplit("---\nJobID", 1)[1]
        for line in ('antiquark_mass:               "0.5"', "antiquark_epsilon:            -0.1",
                     "antiquark_source_origin:      1,0,3,3", 'quark_mass:                   "0.3"',
                     "quark_source_type:            point", "lattice_size:                 8,4,4,8"):
            assert "\n" + line + "\n" in before, (line, before)
        for line in ("counted_from: +1,0,3,3", "momentum_weight: +exp"):
            assert re.search("^" + line + "$", block, re.M), (line, block)
        keys = re.findall("^correlator_key: +(.*)$", fnal, re.M)
        assert len(set(keys)) == len(keys) == len(blocks), [k for k in keys if keys.count(k) > 1]
        assert "converged:" not in fnal and "not converged" not in text
    assert answer("info", path("one.h5"), "--correlators=yaml")[0] == 1
    assert "one of text, fnal" in answer("info", path("one.h5"), "--correlators=yaml")[2]


def correlators_of_solves_that_missed_their_tolerance_say_so():
    """Of one quark or several, in averages too; and sinks, Naik epsilons and sink times are told apart."""
    place, smear = "origin: [[0, 0, 0, 0], [1, 0, 3, 2]]", "sink: covariant_gaussian, radius: 1, iterations"
    with open(path("missed.yaml"), "w") as f:
        f.write(f"""lattice: {{size: [8, 4, 4, 8]}}
gauge: {{file: {path("lat.h5")}}}
action: {{type: hisq}}
solve:
  - {{name: a, masses: [0.001, 0.001], naik_epsilon: [0, -0.1], source: {{type: point, {place}}}}}
  - {{name: b, masses: [4], source: {{type: point, {place}}}}}
pairs: [{{name: ab, quark: a, antiquark: b}}, {{name: b1, quark: b, antiquark: b, {smear}: 1}}, {{name: b2, quark: b, antiquark: b, {smear}: 2}}]
baryons: [{{name: abb, quarks: [a, b, b]}}]
three_point: [{{name: t, parent: b, spectator: a, daughter_masses: [4], sink_times: [2], sink_momenta: [[0, 0, 0], [1, 0, 0]], insertion: [G1-G1]}}]
solver: {{tolerance: 1e-8, max_iterations: 12}}
output: {{file: {path("missed.h5")}, correlators: [pion5], average: true}}
""")
    naik("solve", path("missed.yaml"), status=3)
    heads = re.findall("^# .*$", naik("info", path("missed.h5"), "--correlators"), re.M)
    assert len({head.replace(" not converged", "") for head in heads}) == len(heads)
    for head in heads:
        assert head.endswith(" not converged") == bool(re.search(r"(source|antiquark|second|third|spectator)=a\b", head)), head
    assert {" not converged" in head for head in heads if " over sources: " in head} == {True, False}
    with naik_io.File(path("missed.h5")) as file:
        for c in file.correlators:
            with warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                file.values(c)
            assert bool(seen) == any(q.source.split("/")[0] == "a" for q in c.quarks), (c, [str(w.message) for w in seen])
    blocks = naik("info", path("missed.h5"), "--correlators=fnal").split("---\nJobID")[1:]
    keys = [key for block in blocks for key in re.findall("^correlator_key: +(.*)$", block, re.M)]
    assert len(set(keys)) == len(keys) and "pion5_a/s0001_m0.001_e-0.1_m0.001_e-0.1_p000" in keys and "pion5_b1_b/s0000_b/s0000_m4_m4_p000" in keys, keys
    for block in blocks:
        assert ("\nconverged: " in block) == bool(re.search("source_label: +a/", block)), block
    three = [block for block in blocks if "t+m01/" in block]
    for line, count in (("spectator_source_label: +a/s0000", 2), ("spectator_epsilon: +-0.1", 4), ("sink_time: +2", 4),
                        ("sink_operator: +pion5", 4), ("sink_momentum: +p100", 2)):
        assert sum(bool(re.search("^" + line + "$", block, re.M)) for block in three) == count, (line, three)


def what_missed_its_tolerance_is_looked_up_once():
    """Not once for each correlator that is read."""
    class Counted:
        def __init__(self, h5):
            self.h5, self.attrs, self.opened = h5, h5.attrs, []

        def __getitem__(self, name):
            self.opened.append(name)
            return self.h5[name]

        def __contains__(self, name):
            return name in self.h5

        def close(self):
            self.h5.close()

    for name, missed in ("one.h5", 0), ("missed.h5", 4):
        with naik_io.File(path(name)) as file, warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            file._h5 = Counted(file.h5)
            for contraction in file.contractions:
                file.contraction(contraction)
            assert len(file.contractions) > 20 and bool(seen) == bool(missed)
            assert file.h5.opened.count("solves") == 1, file.h5.opened.count("solves")
            pairs = [group for group in file.h5.opened if re.fullmatch(r"(prop/s\d+|corr/.*)/m\d+", group)]
            assert len(set(pairs)) == missed and len(pairs) <= 2 * missed, pairs


def a_stopped_run_makes_the_same_bytes():
    write_input("stopped")
    stopped("solve", path("stopped.yaml"))
    with naik_io.File(path("stopped.h5.part")) as file:
        try:
            file.contraction("light/s0000/m00/nucleon")
        except naik_io.NotSolved:
            pass
        else:
            raise AssertionError("a contraction of an unfinished run is read")
    naik("solve", path("stopped.yaml"))
    same(everything("one.h5"), everything("stopped.h5"))


def damage_is_noticed():
    os.system(f"cp {path('one.h5')} {path('bad.h5')}")
    with h5py.File(path("bad.h5"), "r+") as f:
        values = f["corr/hl/s0000/m00-m00/pion5/p000"][...]
        values[3] *= 1 + 1e-15
        f["corr/hl/s0000/m00-m00/pion5/p000"][...] = values
    status, text, said = answer("info", path("bad.h5"), "--correlators")
    assert status == 4 and "is damaged" in said, (status, said)
    assert answer("info", path("bad.h5"))[0] == 4
    assert answer("report", path("bad.h5"), "-o", path("bad.html"))[0] == 4
    with naik_io.File(path("bad.h5")) as file:
        try:
            file.contraction("hl/s0000/m00-m00/pion5/p000")
        except naik_io.Damaged:
            return
    raise AssertionError("naik_io returned a damaged contraction")


main([a_configuration_is_generated, the_bytes_are_the_same_on_every_grid, pairs_are_traces, the_module_lists_and_averages_all_of_them,
      the_report_draws_all_of_them,
      the_nucleon_is_a_determinant_on_corners, a_wall_sink_sums_each_quark_over_its_time_slice,
      a_nucleon_of_several_entries_is_a_mean_over_colours_of_the_source, the_condensate_is_a_trace_of_noise, averages_are_over_shifted_sources,
      point_correlators_are_gauge_invariant, the_text_has_every_number, correlators_of_solves_that_missed_their_tolerance_say_so,
      what_missed_its_tolerance_is_looked_up_once, a_stopped_run_makes_the_same_bytes,
      damage_is_noticed])
