# test_averages.py - averages over many sources as a user runs them: against all solves, numpy, kills and grids
# timeout: 300
import itertools
import os
import re
import sys
import warnings

import h5py
import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import gauge_writers  # noqa: E402
import naik_io  # noqa: E402
from program import LONG, everything, main, naik, path, same

HEAD = "lattice: {size: [8, 4, 4, 8]}\ngauge: {file: %s}\naction: {type: %s}\nsolver: {tolerance: 1e-10, multishift: off}\n"
PLACES = "[[0, 0, 0, 0], [1, 2, 3, 2], [2, 1, 0, 5], [3, 3, 3, 7]]"
ENTRY = "{name: pt, masses: [0.2, 0.4], source: {type: point, origin: %s}}" % PLACES
OUTPUT = "output: {file: %s, correlators: [pion5, rhox, GX-G1, conserved_vector_x], momenta: [[0, 0, 0], [1, 0, 0]], baryons: [nucleon], propagators: false%s}\n"
STATISTICS = "mean", "error", "sloppy_mean", "sloppy_error", "correction", "correction_error"


def solve(name, *more, entry=ENTRY, block="", output=OUTPUT, action="hisq", average=False, **options):
    text = HEAD % (path("lat.h5"), action) + f"solve: [{entry}]\n{block}" + output % (path(name + ".h5"), ", average: true" if average else "")
    with open(path(name + ".yaml"), "w") as f:
        f.write(text)
    return naik("solve", path(name + ".yaml"), *more, **options)


def truncated(exact, sloppy="1e-3", seed=7, solve="pt"):
    return "averages: [{type: truncated_solves, name: ama, solve: %s, tolerance_sloppy: %s, exact_sources: %d, seed: %d}]\n" % (solve, sloppy, exact, seed)


def shifted(name, entry, at):
    """{number of a source: C(t) of `at` from its source on}, with the signs that the averages of the same file have."""
    with h5py.File(path(name + ".h5")) as f:
        return {label: f[f"/corr/{entry}/{label}/{at}"][...] for label in f[f"/corr/{entry}"] if re.fullmatch(r"s\d+", label)}


def of_average(name, folder):
    found = {}
    with h5py.File(path(name + ".h5")) as f:
        f[f"/corr/{folder}"].visititems(lambda at, one: found.update({at: one[...]}) if isinstance(one, h5py.Dataset) else None)
    return found


def all_sources_exact_is_the_plain_average():
    """n = N: mean and error are those of the exact solves of all sources, whatever the sloppy ones are; all correlators, signs and shifts."""
    for size, name in ("8,4,4,8", "lat.h5"), ("2,2,4,4", "tiny.h5"):
        naik("gauge", "generate", "--size", size, "--beta", "5.6", "--sweeps", "3", "--seed", "4", "-o", path(name))
    solve("plain", average=True)
    said = solve("all", block=truncated(4, "1e-2"), average=True)
    assert "averages: ama: naik solves all 4 sources of pt to 0.01, and 4 of them (0, 1, 2, 3) to 1e-10 as well, which adds 24 solves" in said, said
    plain, ama = of_average("plain", "pt/average"), of_average("all", "ama")
    assert len(plain) == 2 * 2 * 9 and len(ama) == 3 * len(plain), (len(plain), len(ama))
    sizes = 0
    for at, want in plain.items():
        size = np.abs(plain[at.rsplit("/", 1)[0] + "/mean"]).max()
        assert np.abs(ama[at] - want).max() <= 1e-13 * size, (at, np.abs(ama[at] - want).max(), size)
        sizes += np.abs(ama[at.replace("mean", "sloppy_mean")] - want).max() > 1e-5 * size and at.endswith("mean")
    assert sizes == len(plain) / 2, sizes  # the sloppy ones are another thing
    with h5py.File(path("all.h5")) as f:
        assert "average" not in f["corr/pt"] and "pt+exact/average" not in f["corr"]


def numbers_are_those_of_the_stored_parts():
    """Sums of the values that are in the file; over all subsets of a size their mean is that of the exact solves."""
    said = solve("some", block=truncated(2))
    with h5py.File(path("some.h5")) as f:
        a = f["/corr/ama/m01/pion5/p000/mean"].attrs
        subset = [int(k) for k in a["exact_sources"]]
        assert a["source_count"] == 4 and a["tolerance"] == 1e-10 and a["tolerance_sloppy"] == 1e-3 and len(subset) == 2, dict(a)
    assert f"2 of them ({subset[0]}, {subset[1]}) to 1e-10 as well, which adds 12 solves" in said, said
    times = (0, 2, 5, 7)
    for at in "m00/pion5/p000", "m01/pion5/p100", "m01/rhox/p000":
        sloppy = np.array([np.roll(c, -t) for c, t in zip(shifted("some", "pt", at).values(), times)])
        exact = np.array([np.roll(c, -times[k]) for c, k in zip(shifted("some", "pt+exact", at).values(), subset)])
        if sloppy.ndim == 3:
            sloppy, exact = sloppy @ [1, 1j], exact @ [1, 1j]
        wrong = exact - sloppy[subset]
        got = {word: of_average("some", "ama/" + at)[word] for word in STATISTICS}
        size = np.abs(sloppy).max()

        def agree(word, want):
            assert np.abs(got[word] - want).max() <= 1e-14 * size, (at, word, got[word], want)

        def error(part):
            return part.real.std(0, ddof=1) / len(part) ** 0.5 + 1j * part.imag.std(0, ddof=1) / len(part) ** 0.5

        agree("sloppy_mean", sloppy.mean(0))
        agree("sloppy_error", error(sloppy))
        agree("correction", wrong.mean(0))
        agree("correction_error", error(wrong))
        agree("mean", sloppy.mean(0) + wrong.mean(0))
        part = (sloppy - sloppy.mean(0)) / 12 ** 0.5
        part[subset] += (wrong - wrong.mean(0)) / 2 ** 0.5
        agree("error", (part.real ** 2).sum(0) ** 0.5 + 1j * (part.imag ** 2).sum(0) ** 0.5)
    every, rough = ([np.roll(c, -t) for c, t in zip(shifted(name, entry, "m00/pion5/p000").values(), times)] for name, entry in (("all", "pt+exact"), ("some", "pt")))
    means = [np.mean(rough, axis=0) + np.mean([every[k] - rough[k] for k in pair], axis=0) for pair in itertools.combinations(range(4), 2)]
    assert np.abs(np.mean(means, axis=0) - np.mean(every, axis=0)).max() < 1e-15
    mine = means[list(itertools.combinations(range(4), 2)).index(tuple(subset))]
    assert np.abs(mine - of_average("some", "ama/m00/pion5/p000")["mean"]).max() < 1e-14


def exact_sources_have_the_baryons_of_all_sources():
    """Those drawn have a corner of the hypercube in common, which not all sources have."""
    places = "[[0, 0, 0, 0], [1, 0, 0, 5], [2, 0, 0, 2], [2, 2, 0, 7]]"
    entry = "{name: pt, masses: [0.4], source: {type: point, origin: %s}}, {name: w, masses: [0.4], source: {type: corner_wall, t0: 0}}" % places
    output = "output: {file: %s, correlators: [], baryons: [nucleon_000, nucleon], propagators: false%s}\n"
    for seed in range(1, 9):
        solve("corner", "--fresh", entry=entry, action="naive", block=truncated(2, "1e-1", seed=seed), output=output)
        got = of_average("corner", "ama/m00")
        assert {at.split("/")[0] for at in got} == {"nucleon"}, set(got)
        with h5py.File(path("corner.h5")) as f:
            subset = f["/corr/ama/m00/nucleon/mean"].attrs["exact_sources"]
        if 1 not in subset:
            break
    sloppy, exact = (list(shifted("corner", name, "m00/nucleon").values()) for name in ("pt", "pt+exact"))
    times, crossed = (0, 5, 2, 7), [np.where(np.arange(8) + t < 8, 1, -1) for t in (0, 5, 2, 7)]
    want = np.mean([crossed[k] * np.roll(e - sloppy[k], -times[k]) for k, e in zip(subset, exact)], axis=0)
    if want.ndim == 2:
        want = want @ [1, 1j]
    assert 1 not in subset and np.abs(got["nucleon/correction"] - want).max() <= 1e-13 * np.abs(want).max(), (subset, got["nucleon/correction"], want)


def verdicts_and_readers():
    said = solve("rough", block=truncated(2, "0.1"))
    line = re.search(r"averages: ama: the correction is at most (\S+) times the error of the sloppy mean, and the error of the correction at most (\S+) times "
                     r"\((ama/m0\d/.*), t = (\d)\): tolerance_sloppy 0.1 is too large, or exact_sources too few", said)
    assert line, said
    at = of_average("rough", line[3])
    ratio = abs(at["correction_error"][int(line[4])]) / abs(at["sloppy_error"][int(line[4])])
    assert abs(ratio / float(line[2]) - 1) < 0.05 and ratio > 0.5, (ratio, line[0])
    said = solve("fine", "--set", "solver.max_iterations=12", block=truncated(2, "0.1"), status=3)
    assert "averages: ama: 12 of its exact solves did not reach their tolerance, so its mean is biased" in said and "good enough" not in said, said
    heads = re.findall("^# .* name=ama .*$", naik("info", path("fine.h5"), "--correlators"), re.M)
    assert len(heads) == 6 * 18 and all(head.endswith(" not converged") != ("sources: sloppy " in head) for head in heads), heads
    with naik_io.open(path("fine.h5")) as f:
        for c in (c for c in f.correlators if c.name == "ama"):
            with warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                f.values(c)
            assert bool(seen) != c.quantity.startswith("sloppy"), (c, seen)
    said = solve("fine", "--fresh", block=truncated(2, "1e-6"))
    assert re.search(r"averages: ama: .* tolerance_sloppy 1e-06 is good enough", said), said
    mine = of_average("fine", "ama/m00/pion5/p000")
    with naik_io.open(path("fine.h5")) as f:
        mean, = f.find("ama", "pion5", masses=0.2, quantity="mean")
        error, = f.find("ama", "pion5", masses=0.2, quantity="standard error")
        exact = f.mean(f.find("pt+exact", "pion5", masses=0.2))
        assert np.abs(exact / f.values(mean) - 1).max() < 0.5
        try:
            sloppy = f.mean(f.find("pt", "pion5", masses=0.2))
        except ValueError as told:
            sloppy = str(told)
        assert "the solves of pt are sloppy, and their mean is biased" in str(sloppy), sloppy
        assert (f.values(mean) == mine["mean"]).all() and 0 < f.values(error).real[4] < f.values(mean).real[4]
    assert "# nucleon source=pt mass=0.4 naik_epsilon=0 name=ama momentum=0,0,0 over sources: correction standard error" in naik("info", path("fine.h5"), "--correlators")
    naik("report", path("fine.h5"), "-o", path("fine.html"))
    with open(path("fine.html"), encoding="utf-8") as f:
        told = f.read()
        names = re.findall(r">(pion5, p = \(0, 0, 0\)[^<:]*)<", told.split("<h3>ama/m00")[1].split("<h3>")[0])
        assert set(names) == {"pion5, p = (0, 0, 0), mean", "pion5, p = (0, 0, 0), sloppy mean"}, set(names)


def noise_and_quarks_with_spin_too():
    """The exact solves are of the same noise."""
    noise = "{name: n, masses: [0.3], source: {type: random_wall, seed: 11, t0: [0, 3, 6]}}"
    simple = "output: {file: %s, correlators: [%s], propagators: false%s}\n"
    for name, entry, action, of in (("noise", noise, "hisq", "pion5"), ("spin", noise.replace("n,", "n,", 1), "wilson", "pion, rho_x")):
        output = simple % ("%s", of, "%s")
        solve(name, entry=entry, action=action, block=truncated(3, "1e-2", solve="n"), output=output)
        solve("plain", "--fresh", entry=entry, action=action, output=output, average=True)
        plain, ama = of_average("plain", "n/average"), of_average(name, "ama")
        assert len(plain) == 2 * len(of.split(","))
        for at, want in plain.items():
            assert np.abs(ama[at] - want).max() <= 1e-13 * np.abs(want).max(), (name, at, ama[at], want)


def kills_and_grids_leave_the_same_bytes():
    for order in "kill:write:3", "stop:solve:11", "kill:write:20", "fail:write:4":
        solve("killed", block=truncated(2), env={"NAIK_INJECT": order}, status=None)
        assert not os.path.exists(path("killed.h5"))
    assert "resuming" in solve("killed", block=truncated(2))
    same(everything("some.h5"), everything("killed.h5"))
    # this grid splits what one of two ranks would
    solve("killed", "--fresh", block=truncated(2), ranks=4, env={"NAIK_GRID": "2x1x1x2"})
    same(everything("some.h5"), everything("killed.h5"))
    said = solve("killed", block=truncated(2, seed=8), status=1)
    assert "averages.0.seed" in said, said


def modes(count, name="modes", tolerance="1e-4"):
    return "deflation: {modes: %d, file: %s, tolerance: %s}\n" % (count, path(name + ".h5"), tolerance)


SIMPLE = "output: {file: %s, correlators: [pion5], propagators: false%s}\n"
LOW = "averages: [{type: low_modes, name: lma, solve: pt}]\n"


def low_modes_are_taken_from_all_sites():
    """With a source on every site the mean is the exact one; what the modes give is that of the eigenvectors of M, which is made of the stored
    propagators."""
    size = 2, 2, 4, 4
    places = [[k % 2, k // 2 % 2, k // 4 % 4, k // 16] for k in range(64)]
    text = (HEAD % (path("tiny.h5"), "hisq")).replace("8, 4, 4, 8", "2, 2, 4, 4").replace("1e-10", "1e-12")
    text += "solve: [{name: pt, masses: [0.2], source: {type: point, origin: %s}}]\n" % places + LOW + modes(8, "tiny_modes", "1e-6").replace("{modes", "{krylov: 40, modes")
    text += "output: {file: %s, correlators: [pion5, rhox, GT-GT], momenta: [[0, 0, 0], [1, 0, 1]], average: true}\n" % path("tiny_all.h5")
    with open(path("tiny.yaml"), "w") as f:
        f.write(text)
    naik("solve", path("tiny.yaml"))
    plain, lma = of_average("tiny_all", "pt/average"), of_average("tiny_all", "lma")
    assert len(plain) == 2 * 3 * 2 and len(lma) == 2 * len(plain)
    for at in (a for a in plain if a.endswith("/mean")):
        size_of = np.abs(plain[at]).max()
        assert np.abs(lma[at] - plain[at]).max() <= 1e-13 * size_of, (at, lma[at], plain[at])
        low, rest = lma[at.replace("/mean", "/low")], lma[at.replace("/mean", "/rest")]
        assert np.abs(low + rest - lma[at]).max() <= 1e-15 * size_of and np.abs(low).max() > 1e-3 * size_of, at
    # an output of which all is there but its name makes its averages anew: by modes that are of its links
    os.rename(path("tiny_all.h5"), path("tiny_all.h5.part"))
    naik("gauge", "generate", "--size", "2,2,4,4", "--beta", "5.6", "--sweeps", "3", "--seed", "5", "-o", path("other.h5"))
    naik("modes", path("tiny.yaml"), "--set", f"gauge.file={path('other.h5')}", "--set", f"deflation.file={path('other_modes.h5')}")
    said = naik("solve", path("tiny.yaml"), "--set", f"deflation.file={path('other_modes.h5')}", status=1)
    assert re.search("mode 0 of '.*other_modes.h5' is none of these links", said), said
    os.rename(path("tiny_modes.h5"), path("gone.h5"))
    said = naik("solve", path("tiny.yaml"), status=1)
    assert "tiny_modes.h5' is not there any more: make it again by naik modes with the same input" in said, said
    naik("modes", path("tiny.yaml"))
    naik("solve", path("tiny.yaml"))
    with h5py.File(path("tiny_all.h5")) as f:
        columns = [f[f"/prop/s{k:04d}/m00"][...] for k in range(64)]  # [source colour][t][z][y][x][colour]
    G = np.array([c.reshape(3, 192) for c in columns]).reshape(192, 192).T  # sites: x the fastest in both
    values, vectors = np.linalg.eig(np.linalg.inv(G) - 0.4 * np.eye(192))
    kept = np.argsort(np.abs(values))[:16]
    assert np.abs(values.real).max() < 1e-9 and abs(values[np.argsort(np.abs(values))[16]]) > 1.01 * np.abs(values[kept]).max(), np.sort(np.abs(values))
    basis = np.linalg.qr(vectors[:, kept])[0]
    low = (basis @ (basis.conj().T @ G)).reshape(64, 3, 64, 3)
    x = np.array(places)
    for name, sign in ("pion5", 0), ("rhox", 1), ("GT-GT", 8):
        for p, label in ((0, 0, 0), "p000"), ((1, 0, 1), "p101"):
            want = np.zeros(4, complex)
            for a in range(64):
                for b in range(64):
                    d = x[a] - x[b]
                    odd = (d[0] if sign == 1 else d[3] if sign == 8 else 0) % 2
                    wave = np.exp(2j * np.pi * sum(k * y / L for k, y, L in zip(p, d, size)))
                    want[d[3] % 4] += (-1) ** odd * wave * (np.abs(low[a, :, b]) ** 2).sum() / 64
            got = lma[f"m00/{name}/{label}/low"]
            assert np.abs(got - want).max() < 1e-5 * np.abs(want).max(), (name, label, got, want)


def vector_pairs_are_taken_from_all_sites():
    """Operators with links and the conserved current at both ends: with a source on every site the mean is the exact all-to-all one, so that the
    sums over all pairs of modes are those of the modes' propagators from each source."""
    places = [[k % 2, k // 2 % 2, k // 4 % 4, k // 16] for k in range(64)]
    operators = {"one": "GX-G1", "current": "conserved_vector_z"} | ({"two": "GXT-G1"} if LONG else {})
    text = (HEAD % (path("tiny.h5"), "hisq")).replace("8, 4, 4, 8", "2, 2, 4, 4").replace("1e-10", "1e-12") + "solve:\n"
    for name, operator in {"pt": None, **operators}.items():
        text += "  - {name: %s_, masses: [%s], correlators: [], source: {type: point, origin: %s%s}}\n" % (
            name, "0.2, 0.3" if name == "one" else "0.2", places, f", spin_taste: {operator}" if operator else "")
    text += "pairs: [%s]\n" % ", ".join(f"{{name: {n}, quark: {n}_, antiquark: pt_}}" for n in operators)
    text += "averages: [%s]\n" % ", ".join(f"{{type: low_modes, name: lma_{n}, solve: {n}}}" for n in operators)
    text += modes(8, "tiny_modes", "1e-6").replace("{modes", "{krylov: 40, modes")
    text += "output: {file: %s, correlators: [%s], momenta: [[0, 0, 0], [0, 0, 1]], average: true, propagators: false}\n" % (
        path("vectors.h5"), ", ".join(operators.values()))
    with open(path("vectors.yaml"), "w") as f:
        f.write(text)
    naik("solve", path("vectors.yaml"))
    for name, operator in operators.items():
        plain, lma = of_average("vectors", name + "/average"), of_average("vectors", "lma_" + name)
        assert {at.rsplit("/", 2)[0].split("/")[1] for at in lma} == {operator} and len(lma) == 4 * 2 * (2 if name == "one" else 1), sorted(lma)
        for at in (a for a in lma if a.endswith("/mean")):
            size, low = np.abs(plain[at]).max(), lma[at.replace("/mean", "/low")]
            assert np.abs(lma[at] - plain[at]).max() <= 1e-12 * size and np.abs(low).max() > 1e-3 * size, (at, lma[at], plain[at], low)


def low_modes_of_few_sources_leave_the_rest_of_each():
    """Of points at odd places, counted from one site, with a Naik epsilon: what numpy makes of the modes, of the links in
    their file and of the stored correlators of each source."""
    size, places, at, modes_at = (2, 2, 4, 4), [[0, 0, 0, 0], [1, 0, 3, 2], [0, 1, 2, 3]], [1, 0, 3, 1], path("few_modes.h5")
    entry = "{name: %s, masses: [0.2], naik_epsilon: [-0.2], correlators: [%s], source: {type: point, origin: %s%s}}"
    text = (HEAD % (path("tiny.h5"), "hisq")).replace("8, 4, 4, 8", "2, 2, 4, 4") + "solve: [%s, %s]\n" % (
        entry % ("pt", "rhox, GT-GT", places, ""), entry % ("v", "", places, ", spin_taste: conserved_vector_z"))
    text += "pairs: [{name: vv, quark: v, antiquark: pt}]\n" + LOW.replace("]", ", {type: low_modes, name: lmv, solve: vv}]")
    text += "deflation: {modes: 8, krylov: 40, file: %s}\n" % modes_at  # the modes are poor
    text += "output: {file: %s, correlators: [conserved_vector_z], momenta: [[0, 0, 0], [0, 0, 1]], origin: %s}\n" % (path("few.h5"), at)
    with open(path("few.yaml"), "w") as f:
        f.write(text)
    naik("solve", path("few.yaml"))
    naik("links", path("few.yaml"), "-o", path("few_links.h5"))
    x = np.array([[k % 2, k // 2 % 2, k // 4 % 4, k // 16] for k in range(64)])
    number, eps = {tuple(y): k for k, y in enumerate(x)}, (-1.0) ** x.sum(1)
    with h5py.File(path("few_links.h5")) as f:
        fat, far = (f[name][...].reshape(64, 4, 3, 3) for name in ("fat", "long"))

    def ahead(mu, k=1):
        return [number[tuple((y + k * np.eye(4, dtype=int)[mu]) % size)] for y in x]

    def hop(u, mu, k):
        matrix = np.zeros((64, 3, 64, 3), complex)
        matrix[np.arange(64), :, ahead(mu, k)] = u[:, mu]
        return matrix.reshape(192, 192)

    def dagger(a):
        return a.conj().T

    hops = [(hop(fat, mu, 1), hop(far, mu, 3)) for mu in range(4)]
    with naik_io.open_modes(modes_at) as m:
        v = np.array([m.on_all_sites(i).reshape(192) for i in range(8)]).T
    w = sum(h - dagger(h) for pair in hops for h in pair) @ v
    lam = np.sqrt((np.abs(w) ** 2).sum(0)) / 2
    w, g = w / (2 * lam), 1 / (2 * (0.2 ** 2 + lam ** 2))
    low = (v * g * 0.2 + w * g * lam * -1) @ dagger(v) + (w * g * 0.2 + v * g * lam) @ dagger(w)

    def from_place(name, wave, y):
        """L_y from its time on."""
        k = number[tuple(y)]
        anti = low[:, 3 * k:3 * k + 3].reshape(64, 3, 3)
        if name == "conserved_vector_z":
            one, three = hops[2]
            source = np.repeat(eps * eps[k], 3)[:, None] * (one + dagger(one) + 3 * (three + dagger(three)))[:, 3 * k:3 * k + 3]
            quark, anti = (low @ source).reshape(64, 3, 3), (eps * eps[k])[:, None, None] * anti

            def bracket(u, up):
                return np.einsum("xac,xab,xbc->x", anti.conj(), u, quark[up]) + np.einsum("xac,xba,xbc->x", anti[up].conj(), u.conj(), quark)

            long_ones = bracket(far[:, 2], ahead(2, 3))
            sum_of = bracket(fat[:, 2], ahead(2)) + long_ones + long_ones[ahead(2, -1)] + long_ones[ahead(2, -2)]
        else:
            sum_of = (-1.0) ** (x - y)[:, 0 if name == "rhox" else 3] * (np.abs(anti) ** 2).sum((1, 2))
        return np.roll((sum_of * wave / wave[k]).reshape(4, 16).sum(1), -y[3])

    for name, entry, folder in ("rhox", "pt", "lma/m00"), ("GT-GT", "pt", "lma/m00"), ("conserved_vector_z", "vv", "lmv/m00-m00"):
        for label, wave in ("p000", np.ones(64)), ("p001", np.exp(0.5j * np.pi * x[:, 2])):
            L, C = np.array([from_place(name, wave, y) for y in x]), []
            for y, c in zip(places, shifted("few", entry, f"m00{folder[7:]}/{name}/{label}").values()):
                c = c @ [1, 1j] if c.ndim == 2 else c
                from_site = sum(a - b for k, (a, b) in enumerate(zip(y, at)) if name[0] == "c" or k == (0 if name == "rhox" else 3))
                C.append((-1) ** from_site * np.roll(c, -y[3]) * wave[number[tuple(at)]] / wave[number[tuple(y)]])
            rest = np.array([c - L[number[tuple(y)]] for c, y in zip(C, places)])
            part, bound = of_average("few", f"{folder}/{name}/{label}"), 1e-6 * np.abs(C).max()  # modes have single precision
            error = (rest.real.std(0, ddof=1) + 1j * rest.imag.std(0, ddof=1)) / 3 ** 0.5
            for word, want in ("low", L.mean(0)), ("rest", rest.mean(0)), ("mean", L.mean(0) + rest.mean(0)), ("error", error):
                assert np.abs(part[word] - want).max() < bound, (name, label, word, part[word], want)


def low_modes_are_told_and_continued():
    """On 1, 2 and 4 ranks and after kills the same bytes."""
    output = "output: {file: %s, correlators: [conserved_vector_x], momenta: [[0, 0, 0], [1, 0, 0]], propagators: false%s}\n"
    entry = ENTRY[:-1] + ", correlators: [pion5, rhox]}, " + ENTRY.replace("pt, masses: [0.2, 0.4]", "v, masses: [0.2], correlators: []")[:-2] + ", spin_taste: conserved_vector_x}}"
    entry += ", {name: nz, masses: [0.2], correlators: [], momenta: [[0, 0, 0]], source: {type: random_volume, noise: z3, seed: 2, dilution: [even_odd], hits: 2}}"
    pair = "pairs: [{name: vv, quark: v, antiquark: pt}]\n" + LOW.replace("]", ", {type: low_modes, name: lmv, solve: vv}, {type: low_modes, name: lml, solve: nz}]")
    block, entry, plain, output = pair + modes(16), {"entry": entry}, output, output.replace("propagators", "loops: [G1-G1, GX-G1, conserved_vector_t], propagators")
    rough = "--set", "solver.tolerance=1e-6"  # bytes are compared, and statistics of what is in the file
    said = solve("low", *rough, block=block, output=output, **entry)
    assert re.search(r"averages: lma: naik averaged the part of 16 modes of .*modes.h5 over all sites and over 4 sources", said), said
    told = re.search(r"averages: lma: the error of the mean is (\S+) to (\S+) times the error of the solves alone", said)
    assert re.search(r"averages: lml: the error of the mean is \S+ to \S+ times the error of the noise alone", said), said
    ratios = []
    for mass in "m00", "m01":  # of one correlator, all are between the two
        parts = np.array([np.roll(c, -t) for c, t in zip(shifted("low", "pt", mass + "/pion5/p000").values(), (0, 2, 5, 7))])
        ratios.extend(of_average("low", "lma")[mass + "/pion5/p000/error"].real / (parts.std(0) / 3 ** 0.5))
    assert 0 < float(told[1]) <= min(ratios) * 1.01 < max(ratios) * 0.99 <= float(told[2]), (told[0], ratios)
    # auto takes modes for the average alone, as many as it plans memory for, and a run that goes on takes the same
    few, auto = ENTRY.replace(PLACES, "[[0, 0, 0, 0], [1, 2, 3, 2]]").replace("0.2, 0.4", "0.4"), LOW + "deflation: {modes: auto, file: %s}\n" % path("auto-modes.h5")
    solve("auto", block=auto, output=SIMPLE, entry=few, env={"NAIK_INJECT": "kill:write:4"}, status=None)
    said = solve("auto", block=auto, output=SIMPLE, entry=few)
    count = re.search(r"averages: lma: naik averaged the part of (\d+) modes of .*auto-modes.h5", said)[1]
    planned = [re.search(r"correlators that need several solves take (\S+) GiB", solve("auto2", "--dry-run", "--no-verify", block=b, output=SIMPLE, entry=few))[1]
               for b in (LOW + modes(int(count), "none"), auto.replace("auto-modes", "none"), LOW + modes(4 * int(count), "none"))]
    assert "modes: auto takes" in said and int(count) >= 16 and planned[0] == planned[1] < planned[2], (said, planned)
    needs = []
    for count in 2, 512:  # numbers of every source are kept: [2 correlators][20 momenta][2 masses][8]
        many = ENTRY.replace(PLACES, str([[k % 8, k // 8 % 4, k // 32 % 4, k // 128] for k in range(count)]))
        waves = "momenta: %s" % [[k % 5, k // 5 - 2, 0] for k in range(20)]
        plan = solve("many", "--dry-run", "--no-verify", entry=many, block=LOW + modes(16),
                     output=plain.replace("conserved_vector_x", "pion5, rhox").replace("momenta: [[0, 0, 0], [1, 0, 0]]", waves))
        needs.append(float(re.search(r"correlators that need several solves take (\S+) GiB", plan)[1]))
    assert needs[1] - needs[0] > 510 * 2 * 20 * 2 * 8 * 16 / 2**30 - 0.0011, needs
    for order in "kill:write:3", "stop:solve:11", "kill:write:15":
        solve("lowkilled", *rough, block=block, output=output, **entry, env={"NAIK_INJECT": order}, status=None)
    solve("lowkilled", *rough, block=block, output=output, **entry)
    same(everything("low.h5"), everything("lowkilled.h5"))
    solve("lowkilled", "--fresh", *rough, block=block, output=output, **entry, ranks=4, env={"NAIK_GRID": "2x1x1x2"})
    same(everything("low.h5"), everything("lowkilled.h5"))
    with naik_io.open(path("low.h5")) as f:
        part = {q: f.values(f.find("lma", "rhox", masses=0.4, momentum=(1, 0, 0), quantity=q)[0]) for q in ("mean", "low modes", "rest")}
    assert (part["mean"] == part["low modes"] + part["rest"]).all()
    assert "name=lma momentum=0,0,0 over sources: low modes" in naik("info", path("low.h5"), "--correlators")


def mirrored_links(size=4, slices=8):
    """Links that are the same on all time slices and when x, y and z change their sign."""
    u = gauge_writers.random_links((size, size, size, slices), 3)
    for mu, (z, y, x) in itertools.product(range(4), np.ndindex(size, size, size)):
        other = [(-k - (mu == nu)) % size for nu, k in enumerate((x, y, z))]
        link = u[0, z, y, x, mu].copy()
        u[:, z, y, x, mu] = link
        u[:, other[2], other[1], other[0], mu] = link if mu == 3 else link.conj().T
    return u


def all_places_give_the_same():
    """Of free quarks, and of points at the origin and walls in a field that no time slice and no reflection changes."""
    naik("gauge", "generate", "--size", "4,4,4,8", "--beta", "5.6", "--sweeps", "0", "-o", path("free"))
    with open(path("mirror"), "wb") as f:
        f.write(gauge_writers.ildg_bytes(mirrored_links()))
    entry = "{name: %s, masses: [0.4], correlators: [], source: {type: %s}}"
    sources = {"p": "point, origin: [[0, 0, 0, 0], [0, 0, 0, 3]]", "f": "point, origin: [[0, 0, 0, 0], [2, 0, 2, 3]]", "c": "corner_wall, t0: [0, 3]",
               "w": "evenandodd_wall, t0: [0, 3]", "m": "evenminusodd_wall, t0: [0, 3]", "pi": "even_wall, momentum: [2, 2, 2], t0: [0, 3]"}
    spin, corner = "pion, rho_x, ps505", "pion5, rhox, G1-GX, GT-G1, conserved_vector_x, conserved_vector_t"
    for gauge, action, of, momenta, pairs, baryons in (
            ("mirror", "naive", "pion5", "", "pm: mp: wm: mc: pw:", "pww pmw pcc"), ("mirror", "wilson", spin, "", "pm: mp: wm:", "pmw pmm"),
            ("mirror", "naive", corner, "[0, 0, 0], [1, 0, 0]", "pc cp", ""), ("free", "naive", corner, "[0, 0, 0], [1, 0, 0]", "fc", ""),
            ("free", "wilson", spin, "", "pi-w: w-pi:", "pi-w-w pi-pi-w"), ("free", "naive", "", "", "", "pi-w-w pi-pi-w")):
        made = [(name, name.strip(":").split("-") if "-" in name else list(name.strip(":"))) for name in (pairs + " " + baryons).split()]
        two = ["{name: %s, quark: %s, antiquark: %s%s}" % (n.replace(":", ""), *q, ", sink: wall" if ":" in n else "") for n, q in made if n in pairs.split()]
        three = ["{name: %s, quarks: [%s], operators: [nucleon]}" % (n, ", ".join(q)) for n, q in made if n in baryons.split()]
        used = sorted({q for _, quarks in made for q in quarks})
        text = (HEAD % (path(gauge), action)).replace("8, 4, 4, 8", "4, 4, 4, 8").replace("1e-10", "1e-12")
        text += "solve: [%s]\n" % ", ".join(entry % (q, sources[q]) for q in used)
        text += "".join("%s: [%s]\n" % (word, ", ".join(made_of)) for word, made_of in (("pairs", two), ("baryons", three)) if made_of)
        text += "output: {file: %s, correlators: [%s], momenta: [%s], average: true, propagators: false}\n" % (path("places.h5"), of, momenta or "[0, 0, 0]")
        with open(path("places.yaml"), "w") as f:
            f.write(text)
        naik("solve", path("places.yaml"), "--fresh")
        found = {name: of_average("places", name.replace(":", "") + "/average") for name, _ in made}
        for name, one in found.items():
            sizes = {at: np.abs(one[at]).max() for at in one if at.endswith("/mean")}
            wrong = {at: (size, error) for at, size in sizes.items() if (error := np.abs(one[at[:-4] + "error"]).max()) > 1e-10 * max(sizes.values())}
            assert max(sizes.values()) > 1e-3 and not wrong, (gauge, action, name, sizes, wrong)


def a_moving_wall_on_one_parity_gives_the_same_from_odd_slices():
    """Three free quarks of a wall with a third of a turn a site: what moves it by a site turns the baryon by three thirds, and
    each quark by one."""
    naik("gauge", "generate", "--size", "4,4,6,8", "--beta", "5.6", "--sweeps", "0", "-o", path("thirds"))
    for action in "naive", "wilson":
        text = (HEAD % (path("thirds"), action)).replace("8, 4, 4, 8", "4, 4, 6, 8").replace("1e-10", "1e-12")
        text += "solve: [{name: t, masses: [0.4], correlators: [], source: {type: even_wall, momentum: [0, 0, 2], t0: [0, 3]}}]\n"
        text += "baryons: [{name: b, quarks: [t, t, t], operators: [nucleon]}]\n"
        text += "output: {file: %s, baryons: [nucleon], average: true, propagators: false}\n" % path("thirds-out.h5")
        with open(path("thirds.yaml"), "w") as f:
            f.write(text)
        naik("solve", path("thirds.yaml"), "--fresh")
        for name in "t", "b":
            one = of_average("thirds-out", name + "/average")
            for at in one:
                if at.endswith("/mean"):
                    size, error = np.abs(one[at]).max(), np.abs(one[at[:-4] + "error"]).max()
                    assert size > 1e-3 and error < 1e-10 * size, (action, name, at, size, error)


main([all_sources_exact_is_the_plain_average, numbers_are_those_of_the_stored_parts, exact_sources_have_the_baryons_of_all_sources, verdicts_and_readers,
      noise_and_quarks_with_spin_too, kills_and_grids_leave_the_same_bytes, low_modes_are_taken_from_all_sites, vector_pairs_are_taken_from_all_sites, low_modes_of_few_sources_leave_the_rest_of_each, low_modes_are_told_and_continued,
      all_places_give_the_same, a_moving_wall_on_one_parity_gives_the_same_from_odd_slices], needed=[all_sources_exact_is_the_plain_average, numbers_are_those_of_the_stored_parts])
