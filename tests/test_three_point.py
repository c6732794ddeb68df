# test_three_point.py - three_point as a user runs it: against two runs, another code, a derivative, kills and grids
# timeout: 300
import json
import os
import re
import subprocess
import sys

import h5py
import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import naik_io  # noqa: E402
from gauge_writers import field_records, file_record  # noqa: E402
from program import LONG, REFERENCE, everything, main, naik, path, same

HEAD = """
lattice: {size: [8, 4, 4, 8]}
gauge: {file: %s}
action: {type: %s}
solver: {tolerance: %s}
"""
SOURCES = "source: {type: point, origin: [[1, 2, 3, 5], [0, 1, 0, 2]]}"
PARENT, SPECTATOR = "{name: parent, masses: [0.5], naik_epsilon: [-0.1], %s}" % SOURCES, "{name: light, masses: [0.3, 0.4], %s}" % SOURCES
CURRENTS, WAVES = "[G1-G1, GX-GX, GXT-GXT, GX-G1, GT-G1, GXY-G1]", "[[0, 0, 0], [1, 0, -1]]"
BLOCK = ("three_point: [{name: cur, parent: parent, spectator: light, insertion: %s, sink_times: [3, 4], momenta: %s, "
         "daughter_masses: [0.35]}]\n" % (CURRENTS, WAVES))


def write(name, text, action="hisq", gauge="lat", tolerance="1e-10", size="8, 4, 4, 8"):
    gauge = path(gauge + ".h5") if "/" not in gauge else gauge
    with open(path(name + ".yaml"), "w") as f:
        f.write(HEAD.replace("8, 4, 4, 8", size) % (gauge, action, tolerance) + text)
    return path(name + ".yaml")


def solve(name, text, *more, action="hisq", gauge="lat", tolerance="1e-10", size="8, 4, 4, 8", **options):
    return naik("solve", write(name, text, action, gauge, tolerance, size), *more, **options)


def output(name, more="correlators: [pion5]"):
    return "output: {file: %s, %s}\n" % (path(name + ".h5"), more)


def values(name, what):
    with h5py.File(path(name + ".h5")) as f:
        return f["/corr/" + what][...]


def correlators(name):
    found = {}
    with h5py.File(path(name + ".h5")) as f:
        f["corr"].visititems(lambda at, one: found.update({at: one[...].tobytes()}) if isinstance(one, h5py.Dataset) else None)
    return found


def one_run_gives_the_bits_of_two():
    """Two runs: the spectators, then a sequential source of each in a file, and a pair of its solution and the parent."""
    naik("gauge", "generate", "--size", "8,4,4,8", "--beta", "5.6", "--sweeps", "3", "--seed", "4", "-o", path("lat.h5"))
    solve("cur", f"solve: [{SPECTATOR}, {PARENT}]\n" + BLOCK + output("cur"))
    solve("first", f"solve: [{SPECTATOR}]\n" + output("first"))
    for k, (x0, t0) in enumerate((("[1, 2, 3, 5]", 5), ("[0, 1, 0, 2]", 2))):
        for m, mass in enumerate((0.3, 0.4)):
            entries = [PARENT.replace("[[1, 2, 3, 5], [0, 1, 0, 2]]", x0)]
            pairs = []
            for T in (3, 4):
                entries.append("{name: T%d, masses: [0.35], correlators: [], source: {type: sequential, file: %s, "
                               "propagator: light/s%04d, mass: %s, insertion: pion05, t0: %d}}" % (T, path("first.h5"), k, mass, (t0 + T) % 8))
                pairs.append("{name: pair%d, quark: T%d, antiquark: parent}" % (T, T))
            solve("second", f"solve: [{', '.join(entries)}]\npairs: [{', '.join(pairs)}]\n"
                  + output("second", f"correlators: {CURRENTS}, momenta: {WAVES}"), "--fresh")
            for T in (3, 4):
                for current, name in (("G1-G1", "pion05"), ("GX-GX", "rhox"), ("GXT-GXT", "rhox0"), ("GX-G1",) * 2, ("GT-G1",) * 2, ("GXY-G1",) * 2):
                    for p in ("p000", "p10-1"):
                        one = values("cur", f"cur/s{k:04d}/T{T:02d}/m00-m{m:02d}-m00/{current}/{p}")
                        two = values("second", f"pair{T}/m00-m00/{name}/{p}")
                        assert np.abs(two).max() > 0 and one.tobytes() == two.tobytes(), (k, m, T, current, p)
    naik("info", path("cur.h5"), "--residuals")


def correlators_do_not_know_whether_propagators_are_stored():
    said = solve("none", f"solve: [{SPECTATOR}, {PARENT}]\n" + BLOCK + output("none", "correlators: [pion5], propagators: false"))
    assert correlators("none") == correlators("cur")
    assert said.count("links: hisq") == 2, said  # each operator once, the daughters of the first with it
    with h5py.File(path("none.h5")) as f:
        assert "m00" not in f["prop/s0000"] and len(correlators("none")) > 50


def names_and_masses_are_told():
    with naik_io.open(path("cur.h5")) as f:
        both = f.find("cur", "GX-G1", masses=(0.5, 0.4, 0.35), momentum=(1, 0, -1), sink_time=4)
        assert [c.source.origin for c in both] == [(1, 2, 3, 5), (0, 1, 0, 2)]
        assert [q.source for q in both[1].quarks] == ["parent/s0001", "light/s0001", "cur+m01/s0003"], both[1].quarks
        assert both[0].sink_operator == "pion5" and both[0].sink_momentum == (0, 0, 0)
        rolled = f.from_source(both[0])
        assert (rolled == -np.roll(f.values(both[0]), -5)).all()  # (-1)^t of the link in x at (1, 2, 3, 5)
        assert np.abs(f.mean(both) - (rolled + np.roll(f.values(both[1]), -2)) / 2).max() < 1e-16
        try:
            f.find("cur", "GX-G1", masses=(0.5, 0.4, 0.35), momentum=(1, 0, -1))
            raise AssertionError
        except LookupError as e:
            assert "say which of 3, 4" in str(e), e
    said = naik("info", path("cur.h5"), "--correlators")
    assert ("# GX-G1 source=cur+m01/s0003 mass=0.35 naik_epsilon=0 antiquark=parent/s0001 antiquark_mass=0.5 antiquark_naik_epsilon=-0.1 "
            "spectator=light/s0001 spectator_mass=0.4 spectator_naik_epsilon=0 sink_time=4 sink_operator=pion5 sink_momentum=0,0,0 name=cur "
            "momentum=1,0,-1 from=0,1,0,2 weight=exp") in said, said[-3000:]
    average = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python", "ensemble_average.py")
    words = [sys.executable, average, "cur", "0.5,0.4,0.35", "--correlator", "GX-G1", "--momentum", "1,0,-1", path("cur.h5")]
    for more, told in (([], "say which of 3, 4"), (["--sink-time", "4"], "the jackknife needs two configurations"), (["--sink-time", "four"], "a sink time one")):
        run = subprocess.run(words + more, capture_output=True, text=True)
        assert run.returncode == 1 and told in run.stderr, (more, run.stderr)
    naik("report", path("cur.h5"), "-o", path("cur.html"))
    with open(path("cur.html"), encoding="utf-8") as f:
        assert "cur/s0000/T03/m00-m01-m00" in f.read()
    told = naik("solve", path("cur.yaml"), "--dry-run", "--set", "three_point.0.sink_times=[3, 0]", "--set", "output.file=" + path("zero.h5"))
    assert "naik: warning: 'three_point.0.sink_times' has 0: " in told, told


def averages_begin_at_the_source():
    text = f"solve: [{SPECTATOR}, {PARENT}]\n" + BLOCK.replace("sink_times: [3, 4],", "sink_times: [3], sink_momenta: [[0, 0, 0], [1, 0, 0]], tolerance: 1e-8,")
    solve("mean", text + output("mean", "correlators: [pion5], average: true, propagators: false, baryons: [nucleon]"))
    with h5py.File(path("mean.h5")) as f:  # daughters have a tolerance of their own
        assert [np.isclose(f["solves"]["target"], x, rtol=1e-3, atol=0).sum() for x in (1e-10, 1e-8)] == [18, 24], f["solves"]["target"]
    with naik_io.open(path("mean.h5")) as f:
        for p in (0, 0, 0), (1, 0, 0):
            assert [c.sink_momentum for c in f.find("cur", "GX-GX", masses=(0.5, 0.3, 0.35), sink_momentum=p)] == [p, p], p
    at = "m00-m01-m00/G1-G1/p10-1"
    assert sorted(name.split("/")[0] for name in correlators("mean") if name.endswith("m00/nucleon")) == ["light", "light", "parent", "parent"]
    each = [np.roll(values("mean", f"cur/s{k:04d}/T03_p100/{at}"), -t) for k, t in ((0, 5), (1, 2))]
    mean = values("mean", f"cur/average/T03_p100/{at}/mean")
    assert np.abs(mean - (each[0] + each[1]) / 2).max() < 1e-15 * np.abs(mean).max(), (mean, each)
    naik("gauge", "generate", "--size", "4,4,4,8", "--beta", "5.6", "--sweeps", "0", "--seed", "4", "-o", path("unit.h5"))
    source, sinks = "source: {type: point, origin: [[0, 0, 0, 0], [1, 2, 3, 5]], spin_taste: %s}", ("G5-G5", "GY-G1", "GX-G1")
    text = "solve: [{name: plain, masses: [0.3], %s}, {name: moved, masses: [0.3], %s}]\nthree_point: [" % (source % "G5-G5", source % "GX-G1")
    text += ", ".join("{name: c%d, parent: plain, spectator: moved, insertion: [GX-G1, GXY-G1, G1-G1, GX-GX, GZ-G1], sink_operator: %s, sink_times: [3], "
                      "momenta: [[0, 0, 0], [1, 0, 0]], daughter_masses: [0.3]}" % (n, sink) for n, sink in enumerate(sinks)) + "]\n"
    solve("free", text.replace(", spin_taste: G5-G5", "") + output("free", "correlators: [pion5], average: true, propagators: false"), action="naive", gauge="unit",
          size="4, 4, 4, 8")
    sizes = [0] * len(sinks)  # on unit links all places are alike, so that the error of the mean vanishes
    for at in (a for a in correlators("free") if a.endswith("/mean") and a[0] == "c"):
        assert np.abs(values("free", at[:-4] + "error")).max() < 1e-10, at
        sizes[int(at[1])] += np.abs(values("free", at)).max() > 1e-4
    assert min(sizes) > 0, sizes


def the_scalar_current_is_a_derivative_and_the_charge_is_conserved():
    """dM/dm = 2 of staggered quarks, 1 of Wilson ones; the parent's and the daughter's mass are the same. Their charge is 1."""
    step = 1e-3
    for action, meson, current, slope in (("hisq", "pion5", "G1-G1", 0.5), ("clover, csw: 1.1", "pion", "G1", 1)):
        masses = [0.4 - step, 0.4, 0.4 + step]
        text = (f"solve: [{{name: p, masses: {masses}, {POINT}}}, {{name: s, masses: [0.3], {POINT}}}]\npairs: [{{name: two, quark: s, antiquark: p}}]\n"
                f"three_point: [{{name: cur, parent: p, spectator: s, insertion: [{current}, conserved_vector_t], sink_times: [2, 5], daughter_masses: [0.4]}}]\n")
        solve("slope", text + output("slope", f"correlators: [{meson}], propagators: false"), "--fresh", action=action, tolerance="1e-13")
        two = [values("slope", f"two/m00-m{k:02d}/{meson}/p000") for k in range(3)]
        derivative = (two[2] - two[0]) / (2 * step)
        for T in (2, 5):
            total = values("slope", f"cur/T{T:02d}/m01-m00-m00/{current}/p000").sum()
            wanted = -slope * derivative[(5 + T) % 8]
            assert abs(total - wanted) < 20 * step ** 2 / 0.4 ** 2 * abs(wanted), (action, T, total, wanted)
            charge = values("slope", f"cur/T{T:02d}/m01-m00-m00/conserved_vector_t/p000")
            jump = charge - np.roll(charge, 1)
            change = [two[1][(5 + T) % 8] if t == (5 + T) % 8 else -two[1][(5 + T) % 8] if t == 5 else 0 for t in range(8)]
            assert np.abs(jump - change).max() < 1e-10 * abs(two[1][5]), (action, T, jump, change)


def both_quarks_begin_where_their_pair_is_counted_from():
    """A file lies on no time slice of its own, and a wall at no corner: the other source tells when and where both begin."""
    step, size = 1e-3, (8, 4, 4, 8)
    at = np.zeros(size[::-1] + (3, 3), complex)
    at[5, 3, 2, 1] = np.eye(3)
    with open(path("point.lime"), "wb") as f:
        f.write(file_record(size) + b"".join(field_records(at[..., c], size, "USQCD_D3_ColorVector") for c in range(3)))
    entry = "{name: %s, masses: %s, source: {type: %s}}"
    entries = ", ".join(entry % e for e in (("pt", [0.4], "point, origin: [1, 2, 3, 5]"), ("file", [0.4], "file, file: " + path("point.lime")),
                                            ("wall", [0.4], "evenandodd_wall, t0: 5"),
                                            ("corner", [0.4 - step, 0.4, 0.4 + step], "corner_wall, corner: [1, 0, 0], t0: 5")))
    pairs = ", ".join("{name: two-%s-%s, quark: %s, antiquark: %s}" % (2 * p) for p in (("file", "wall"), ("wall", "file"), ("wall", "corner")))
    three = ", ".join("{name: %s-%s, parent: %s, spectator: %s, insertion: [G1-G1, GX-GX], momenta: [1, 0, 0], sink_times: [2], sink_operator: rhox, "
                      "daughter_masses: [0.4]}" % (2 * p) for p in (("pt", "pt"), ("pt", "file"), ("file", "pt"), ("corner", "wall"), ("wall", "corner")))
    text = f"solve: [{entries}]\npairs: [{pairs}]\nthree_point: [{three.replace('momenta: [1, 0, 0]', 'momenta: [[0, 0, 0], [1, 0, 0]]')}]\n"
    solve("begin", text + output("begin", "correlators: [rhox, pion05], propagators: false"), action="naive", tolerance="1e-13")
    points = {at[6:]: v for at, v in correlators("begin").items() if at.startswith("pt-pt/")}
    assert len(points) == 4
    for name in ("pt-file", "file-pt"):
        assert {at[8:]: v for at, v in correlators("begin").items() if at.startswith(name + "/")} == points, name
    for meson in ("rhox", "pion05"):
        one, other = (values("begin", f"two-{pair}/m00-m00/{meson}/p000") for pair in ("file-wall", "wall-file"))
        assert np.abs(one - np.conj(other)).max() < 1e-14 * np.abs(one).max() > 0, meson
    pair = [values("begin", f"two-wall-corner/m00-m{m:02d}/rhox/p000")[7] for m in range(3)]
    total, wanted = values("begin", "corner-wall/T02/m01-m00-m00/G1-G1/p000").sum(), -0.5 * (pair[2] - pair[0]) / (2 * step)
    assert abs(total - wanted) < 1e-3 * abs(wanted), (total, wanted)
    with h5py.File(path("begin.h5")) as f:
        for at in ("corner-wall/T02/m01-m00-m00", "wall-corner/T02/m00-m01-m00"):
            assert list(f[f"corr/{at}/G1-G1/p000"].attrs["counted_from"]) == [1, 0, 0, 5], at


def decoded(value):
    return value.decode() if isinstance(value, bytes) else value


def wilson_quarks_too():
    """Two runs have pairs whose current is that of the source as well."""
    point = "source: {type: point, origin: [1, 2, 3, 5]}"
    text = (f"solve: [{{name: s, kappas: [0.12], {point}}}]\n"
            "three_point: [{parent: s, spectator: s, insertion: [rho_x, GX, GT, G5T, GXY, t_xy], sink_operator: a0, source_operator: rho_x, sink_times: [3], "
            "momenta: [[0, 0, 0], [0, 1, 0]], daughter_kappas: [0.11]}]\n")
    solve("wilson", text + output("wilson", "correlators: [pion]"), action="twisted_mass, mu: 0.1")
    solve("wfirst", f"solve: [{{name: s, kappas: [0.12], {point}}}]\n" + output("wfirst", "correlators: [pion]"), action="twisted_mass, mu: 0.1")
    solve("wsecond", f"solve: [{{name: s, kappas: [0.12], {point}}}, {{name: q, kappas: [0.11], correlators: [], source: {{type: sequential, file: "
          f"{path('wfirst.h5')}, propagator: s, kappa: 0.12, insertion: a0, t0: 0}}}}]\npairs: [{{name: two, quark: q, antiquark: s}}]\n"
          + output("wsecond", "correlators: [rho_x], momenta: [[0, 0, 0], [0, 1, 0]]"), action="twisted_mass, mu: 0.1")
    for p in ("p000", "p010"):
        folder = "three_point_0/T03/m00-m00-m00"
        two, one = values("wsecond", f"two/m00-m00/rho_x/{p}"), values("wilson", f"{folder}/rho_x/{p}")
        assert np.abs(two).max() > 0 and one.tobytes() == two.tobytes(), p
        assert values("wilson", f"{folder}/GX/{p}").tobytes() == one.tobytes()
        assert values("wilson", f"{folder}/GXY/{p}").tobytes() == values("wilson", f"{folder}/t_xy/{p}").tobytes()
    with h5py.File(path("wilson.h5")) as f:
        a = f["/corr/three_point_0/T03/m00-m00-m00/GT/p010"].attrs
        assert decoded(a["source_operator"]) == "rho_x" and decoded(a["sink_operator"]) == "a0" and a["sink_time"] == 3, dict(a)
        S, Z = (f[f"/prop/s{k:04d}/m00"][...] for k in (1, 0))  # [spin][colour][t][z][y][x][spin][colour]
    with naik_io.open(path("wilson.h5")) as f:
        assert f.has_spin and f.find("three_point_0", "GT", momentum=(0, 1, 0))[0].sink_operator == "a0"
    y = np.exp(2j * np.pi * (np.arange(4) - 2) / 4)
    g5, gx = np.diag([1, 1, -1, -1]), 1j * np.array([[0, 0, 0, 1], [0, 0, 1, 0], [0, -1, 0, 0], [-1, 0, 0, 0]])
    gt = np.array([[0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0]])
    for current, matrix in (("GT", gt), ("G5T", g5 @ gt)):
        wanted = np.einsum("ab,kctzyxbd,kl,lctzyxad,y->t", g5 @ matrix, S, gx @ g5, Z.conj(), y)
        got = values("wilson", f"three_point_0/T03/m00-m00-m00/{current}/p010")
        assert np.abs(got - wanted).max() < 1e-12 * np.abs(wanted).max(), (current, got, wanted)


def three_points_are_those_of_another_code():
    if not REFERENCE:
        return "NAIK_REFERENCE is not set"
    with open(os.path.join(REFERENCE, "milc_spintaste.json"), encoding="utf-8") as f:
        cases = [c for c in json.load(f) if c["set"] in ("threept-hisq", "threept-asqtad") and not c["antiquark"]["source_operators"]
                 and "-" in c["sink"].replace("pion5", "G5-G5")]
    done = 0
    for which, action, source in (("threept-hisq", "hisq", "type: point, origin: [0, 0, 0, 0]"),
                                  ("threept-asqtad", "asqtad, u0: 1", "type: corner_wall, t0: 2"))[:2 if LONG else 1]:
        mine = [c for c in cases if c["set"] == which]
        sinks = {}
        for c in mine:
            invert, extend = c["quark"]["source_operators"]
            key = (extend["label"], tuple(extend["momentum"]), invert["mass"], c["quark"]["mass"], c["antiquark"]["mass"])
            sinks.setdefault(key, []).append(c)
        blocks = []
        for number, (key, group) in enumerate(sinks.items()):
            labels = dict.fromkeys(c["sink"].replace("pion5", "G5-G5") for c in group)
            momenta = [list(p) for p in dict.fromkeys(tuple(c["momentum"]) for c in group)]
            moved = [[s * k for k in p] for p in momenta for s in (1, -1)]
            moved = [list(p) for p in dict.fromkeys(map(tuple, moved))]
            blocks.append("{name: b%d, parent: m%s, spectator: m%s, insertion: [%s], sink_operator: %s, sink_times: [4], momenta: %s, sink_momenta: %s, "
                          "daughter_masses: [%s]}" % (number, key[4], key[2], ", ".join(labels), key[0], moved, [list(key[1])], key[3]))
        entries = ["{name: m%s, masses: [%s], source: {%s}}" % (m, m, source) for m in (0.05, 0.1)]
        text = (f"solve: [{', '.join(entries)}]\nthree_point: [{', '.join(blocks)}]\n"
                + output(which, "correlators: [pion5], propagators: false"))
        text = (HEAD % (os.path.join(REFERENCE, "lat.sample.l4448"), action, "1e-13")).replace("[8, 4, 4, 8]", "[4, 4, 4, 8]") + text.replace(": m0.", ": m0_").replace("{name: m0.", "{name: m0_")
        with open(path(which + ".yaml"), "w") as f:
            f.write(text)
        naik("solve", path(which + ".yaml"))
        names = {key: f"b{k}" for k, key in enumerate(sinks)}
        for key, group in sinks.items():
            sink = "T04" + ("_p" + "".join(map(str, key[1])) if any(key[1]) else "")
            for c in group:
                label = c["sink"].replace("pion5", "G5-G5")
                got = 0
                for p, weight in parts_of(c):
                    got = got + weight * values(which, f"{names[key]}/{sink}/m00-m00-m00/{label}/p{''.join(map(str, p))}")
                got, want = np.roll(got, -c["r_offset"][3]), np.array([complex(*z) for z in c["c"]])
                assert np.abs(got - want).max() <= 1e-9 * np.abs(want).max() + 1e-13, (c["id"], key, c["sink"], got, want)
                done += 1
    assert done == (85 if LONG else 73), done
    return None


def parts_of(case):
    """cos, i sin and exp of each component as sums of exponentials."""
    chosen = [((), 1)]
    for p, parity in zip(case["momentum"], case["momentum_parity"]):
        choice = [(p, 1)] if p == 0 or parity == "EO" else [(p, 0.5), (-p, 0.5 if parity == "E" else -0.5)]
        chosen = [(q + (k,), w * v) for q, w in chosen for k, v in choice]
    return chosen


POINT = "source: {type: point, origin: [1, 2, 3, 5]}"
SMALL = (f"solve: [{{name: parent, masses: [0.6], naik_epsilon: [-0.1], {POINT}}}, {{name: light, masses: [0.5], {POINT}}}]\n"
         "three_point: [{parent: parent, spectator: light, insertion: [G1-G1, GX-G1], sink_times: [3, 4], daughter_masses: [0.6]}]\n")


def a_kill_at_every_stage_leaves_the_same_bytes():
    """Among the parents; before the first daughter; with daughters in flight; between them; before the last of them."""
    for store in ("true", "false") if LONG else ("false",):
        for name in ("whole", "killed"):
            write(name, SMALL + output(name, f"correlators: [pion5], propagators: {store}"))
        naik("solve", path("whole.yaml"), "--fresh")
        said = [naik("solve", path("killed.yaml"), env={"NAIK_INJECT": order}, status=None)
                for order in ("kill:write:2", "kill:write:6", "stop:solve:9", "fail:write:4", "kill:write:3")]
        assert not os.path.exists(path("killed.h5"))
        said.append(naik("solve", path("killed.yaml")))
        found = [re.search(r"resuming: (\d+) of 12", text) for text in said]
        assert [int(m.group(1)) if m else 0 for m in found] == [0, 1, 6, 6, 9, 11], (found, said)
        assert "restored: source=three_point_0+m00/s0000" in said[3], said[3]
        same(everything("whole.h5"), everything("killed.h5"))
        os.remove(path("killed.h5"))


def grids_give_the_same_bytes():
    for ranks, grid in ((2, "1x1x1x2"), (4, "2x1x1x2")) if LONG else ((4, "2x1x1x2"),):
        naik("solve", path("killed.yaml"), "--fresh", ranks=ranks, env={"NAIK_GRID": grid})
        same(everything("whole.h5"), everything("killed.h5"))


def what_is_made_of_a_solution_is_made_again_with_it():
    """A spectator that gave up at a lower limit of iterations is solved again, and so are its daughters, which had not."""
    text = SMALL + output("again")
    solve("again", text, "--set", "solver.max_iterations=47", status=3)
    said = solve("again", text)
    assert "3 of 12 solves had reached a lower solver.max_iterations" in said, said
    assert "6 of 12 solves have sources made of such solutions: they are solved again as well" in said, said
    assert correlators("again") == correlators("whole")
    # stopped with daughters in flight, whose sources are others when the spectator has come further
    os.remove(path("again.h5"))
    for order, status in ("kill:write:7", None), ("stop:solve:9", 5):
        solve("again", text, "--set", "solver.max_iterations=47", env={"NAIK_INJECT": order}, status=status)
    said = solve("again", text)
    assert "again.h5.part.state has solves whose sources are made of solutions that are solved again" in said and "restored:" not in said, said
    assert correlators("again") == correlators("whole")
    # the journal, of which a file that is lost is made again, knows no daughter of the former spectator
    os.remove(path("again.h5"))
    solve("again", text, "--set", "solver.max_iterations=47", env={"NAIK_INJECT": "kill:write:12"}, status=None)
    solve("again", text, env={"NAIK_INJECT": "kill:write:4"}, status=None)
    with open(path("again.h5.part"), "r+b") as f:
        f.write(b"gone")
    said = solve("again", text)
    assert "resuming: 6 of 12" in said, said
    assert correlators("again") == correlators("whole")


main([one_run_gives_the_bits_of_two, correlators_do_not_know_whether_propagators_are_stored, names_and_masses_are_told, averages_begin_at_the_source,
      the_scalar_current_is_a_derivative_and_the_charge_is_conserved, both_quarks_begin_where_their_pair_is_counted_from, wilson_quarks_too, three_points_are_those_of_another_code, a_kill_at_every_stage_leaves_the_same_bytes,
      grids_give_the_same_bytes, what_is_made_of_a_solution_is_made_again_with_it])
