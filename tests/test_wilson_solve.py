"""naik solve with Wilson and clover quarks, as its user runs it: another code's numbers, bytes on every grid, resume."""
import json
import os
import re
import shutil
import sys
import zlib

import h5py
import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import naik_io  # noqa: E402
from program import LITTLE, LONG, REFERENCE, everything, main, naik, path, same

INPUT = """
lattice:  {size: %s, boundary_t: antiperiodic}
gauge:    {file: %s}
action:   {%s}
solve:
  - name: pt
    %s
    source: {type: point, origin: %s}
solver:   {tolerance: %g, inner_precision: %s}
output:   {file: %s, correlators: [%s], momenta: [[0, 0, 0], [1, 0, 0], [1, 1, 0]]}
"""
CHANNELS = {"PION": "pion", "RHOX": "rho_x", "RHOY": "rho_y", "RHOZ": "rho_z", "SCALAR": "scalar", "A0": "a0",
            "PS505": "ps505", "A1X": "a1_x", "TXY": "t_xy"}
LIGHT = "masses: [-0.5, -0.55]"  # some 100 iterations of BiCGStab, 200 of conjugate gradient
ALL = ", ".join(CHANNELS.values())


def solve(name, *more, size="[8, 4, 4, 8]", gauge=None, action="type: clover, csw: 1.1", mass="kappas: [0.125]",
          origin="[0, 0, 0, 0]", tolerance=1e-12, inner="auto", correlators=ALL, **options):
    with open(path(name + ".yaml"), "w") as f:
        f.write(INPUT % (size, gauge or path("lat.h5"), action, mass, origin, tolerance, inner, path(name + ".h5"),
                         correlators))
    return naik("solve", path(name + ".yaml"), *more, **options)


def a_configuration_is_generated():
    naik("gauge", "generate", "--size", "8,4,4,8", "--beta", "5.8", "--seed", "3", "--sweeps", "5", "-o", path("lat.h5"))
    naik("gauge", "generate", "--size", "4,4,4,8", "--beta", "5.5", "--seed", "8", "--sweeps", "3", "-o", path("rough.h5"))


def known_propagators_and_mesons_come_out():
    if REFERENCE is None:
        return "NAIK_REFERENCE is not set"
    with open(os.path.join(REFERENCE, "wilson_cases.json")) as f:
        cases = json.load(f)["cases"]
    assert [c["name"] for c in cases] == ["l4448_wilson", "l4448_clover", "l4448_clover_tadpole", "l8888_wilson"], cases
    runs = list(zip(cases, (1, 2, 2, 4), ("double", "auto", "half", "auto")))
    if LONG:
        runs += [(case, ranks, inner) for case in cases for ranks in (1, 2) + (4,) * (max(case["dims"][:3]) > 4) for inner in ("double", "single", "half")]
    for case, ranks, inner in runs:
        action = "type: wilson" if case["action"] == "wilson" else f"type: clover, csw: {case['clov_c']}, u0: {case['u0']}"
        solve(case["name"], "--fresh", "--set", "output.momentum_weight=cos", size=str(case["dims"]), gauge=os.path.join(REFERENCE, case["gauge"]["file"]), action=action, inner=inner,
              mass=f"kappas: [{case['kappa']}]", ranks=ranks)
        with h5py.File(path(case["name"] + ".h5")) as f:
            expected = case["expected"]["correlators"]
            unit = abs(expected["PION_p000"][0][0])
            for name, values in expected.items():
                channel, momentum = name.split("_")
                found = f[f"/corr/pt/m00/{CHANNELS[channel]}/{momentum}"][...]
                wanted = np.array(values)[:, 0] + 1j * np.array(values)[:, 1]
                assert np.abs(found[:len(wanted)] - wanted).max() < 1e-10 * unit, (case["name"], name, found, wanted)
            prop = f["/prop/s0000/m00"]
            assert prop.shape == (4, 3, *case["dims"][::-1]) and prop.dtype.shape == (4, 3), (prop.shape, prop.dtype)
            s = prop[...]
            for e in case["numpy"]["elements"]:
                x, y, z, t = e["site"]
                found = s[tuple(e["source"]) + (t, z, y, x) + tuple(e["sink"])]
                assert abs(found - complex(*e["value"])) < 1e-10, (e, found)
            told = dict(prop.attrs)
            assert abs(told["kappa"] - case["kappa"]) < 1e-15 and told["gamma_basis"] == "DeGrand-Rossi", told
            assert (f["/solves"]["true_residual"] <= 1e-12).all() and len(f["/solves"]) == 12


def iterations_are_those_of_another_program():
    if REFERENCE is None:
        return "NAIK_REFERENCE is not set"
    with open(os.path.join(REFERENCE, "wilson_cases.json")) as f:
        cases = {c["name"]: c for c in json.load(f)["cases"]}
    for name in "l8888_wilson", "l4448_clover":
        iterations_of(cases[name])
    with h5py.File(path("bicgstab.h5")) as a, h5py.File(path("cg.h5")) as b:
        a, b = (f["/prop/s0000/m00"][...] for f in (a, b))
        assert 0 < np.linalg.norm(a - b) < 1e-8 * np.linalg.norm(b)


def iterations_of(case):
    known = case["numpy"]["iterations_1e10_column_0_0"]
    known = known.get("sym", known["asym"])  # without a clover term they are one
    action = f"type: clover, csw: {case['csw']}" if case["csw"] else "type: wilson"
    for method in "bicgstab", "cg":
        solve(method, "--set", f"solver.method={method}", "--set", "solve.0.source.colours=[0]", "--fresh", size=str(case["dims"]),
              gauge=os.path.join(REFERENCE, case["gauge"]["file"]), action=action, mass=f"kappas: [{case['kappa']}]", tolerance=1e-10,
              correlators="", inner="double")
        with h5py.File(path(method + ".h5")) as f:
            found = f["/solves"]["iterations"][0]
        wanted = known["bicgstab" if method == "bicgstab" else "cgnr"]
        print(case["name"], method, found, "iterations, known", wanted)
        # its conjugate gradient stops on |Mh^+ r|, at a true residual of up to twice the tolerance; BiCGStab wanders
        assert abs(found - wanted) <= (4 if method == "cg" else max(3, 0.15 * wanted)), (case["name"], method, found, wanted)


def two_quarks_are_solved():
    solve("one", origin="[1, 2, 3, 5]", mass="kappas: [0.125, 0.12]")


def grids_threads_and_batches_give_the_same_bytes():
    runs = [(4, {"NAIK_GRID": "2x1x1x2"}, 12), (1, LITTLE, 5)]
    if LONG:
        runs += [(2, {"NAIK_GRID": "1x1x1x2"}, 16)]
    for ranks, env, batch in runs:
        solve("again", "--set", f"solver.batch={batch}", origin="[1, 2, 3, 5]",
              mass="kappas: [0.125, 0.12]", ranks=ranks, env=env)
        same(everything("one.h5"), everything("again.h5"))
        os.remove(path("again.h5"))


def a_stopped_run_goes_on_to_the_same_bytes():
    options = {"origin": "[1, 2, 3, 5]", "mass": "kappas: [0.125, 0.12]"}
    with open(path("halted.yaml"), "w") as f:
        f.write(INPUT % ("[8, 4, 4, 8]", path("lat.h5"), "type: clover, csw: 1.1", options["mass"], options["origin"],
                         1e-12, "auto", path("halted.h5"), ALL))
    said = naik("solve", path("halted.yaml"), "--set", "solver.batch=1", env={"NAIK_INJECT": "stop:solve:3"},
                status=5)
    assert "stopped by signal" in said and os.path.exists(path("halted.h5.part")), said
    said = naik("solve", path("halted.yaml"))
    assert "restored: source=pt kappa=0.125 mass=0 spin=0 colour=0 after 3 iterations" in said, said
    same(everything("one.h5"), everything("halted.h5"))


def a_damaged_column_is_told_by_spin_and_colour():
    shutil.copy(path("one.h5"), path("bad.h5"))
    with h5py.File(path("bad.h5"), "r+") as f:
        column = f["/prop/s0000/m00"][3, 1]
        f["/prop/s0000/m00"][3, 1] = 2 * column
    said = naik("export", path("bad.h5"), "-o", path("bad.lime"), status=4)
    assert f"source 0 mass 0 spin 3 colour 1 of {path('bad.h5')} is damaged: checksum" in said, said


def kept_in_mid_solve(name, whole, inner, *more):
    """Stops a run again and again in mid solve, on other ranks and in other batches; how many solves were restored."""
    restored, kept = 0, 0
    for attempt in range(7):
        env = {"NAIK_INJECT": f"stop:solve:{10 + 25 * attempt}"} if attempt < 6 else {}
        said = solve(name, "--set", f"solver.batch={1 + 4 * attempt % 7}", *more, inner=inner, gauge=path("rough.h5"), size="[4, 4, 4, 8]",
                     mass=LIGHT, origin="[1, 2, 3, 5]", ranks=1 + attempt % 5 // 4, status=None, env=env)
        restored += said.count("restored: ")
        kept += said.count("kept: ")
        if os.path.exists(path(name + ".h5")):
            break
        assert "stopped by signal" in said, said
    same(everything(whole + ".h5"), everything(name + ".h5"))
    with h5py.File(path(whole + ".h5")) as a, h5py.File(path(name + ".h5")) as b:
        for column in "iterations", "restarts", "rung":
            assert (a["/solves"][column] == b["/solves"][column]).all(), column
    left = [f for f in os.listdir(path(".")) if f.startswith(name + ".h5.")]
    assert left == [] and kept > 0, (left, kept)
    return restored


def stopped_in_mid_solve_again_and_again_the_bytes_are_those_of_one_run():
    for method, inner in (("bicgstab", "single"), ("cg", "double")) + ((("bicgstab", "half"),) if LONG else ()):
        more = "--set", f"solver.method={method}"
        whole = f"whole-{method}-{inner}"
        solve(whole, *more, inner=inner, gauge=path("rough.h5"), size="[4, 4, 4, 8]", mass=LIGHT, origin="[1, 2, 3, 5]")
        assert kept_in_mid_solve(f"often-{method}-{inner}", whole, inner, *more) > 0


def links_of_fewer_numbers_give_the_same_solutions():
    found = {}
    for numbers, inner, ranks in ((18, "single", 1), (12, "single", 2), (12, "half", 1), (8, "single", 1), (8, "half", 1), (8, "half", 2)):
        said = solve(f"numbers-{ranks}", "--fresh", "--set", f"solver.link_numbers={numbers}", inner=inner, tolerance=1e-11, ranks=ranks)
        assert f" links={inner} recon={numbers} " in said, said
        with h5py.File(path(f"numbers-{ranks}.h5")) as f:
            assert (f["/solves"]["true_residual"] <= 1e-11).all()
            now = f["/prop/s0000/m00"][...], f["/solves"]["iterations"].sum()
        whole = found.setdefault("whole", now)
        assert np.linalg.norm(now[0] - whole[0]) < 1e-9 * np.linalg.norm(whole[0]), (numbers, inner)
        assert now[1] <= 1.1 * whole[1], (numbers, inner, now[1], whole[1])
    same(everything("numbers-1.h5"), everything("numbers-2.h5"))  # of the last two
    assert " links=double recon=18 " in solve("numbers", "--fresh", "--set", "solver.link_numbers=8", inner="double", mass="masses: [0.5]")
    naik("gauge", "generate", "--size", "16,16,16,16", "--beta", "6", "--seed", "1", "--sweeps", "0", "-o", path("large.h5"))
    memory = []
    for numbers in 18, 12, 8:
        told = solve("planned", "--dry-run", "--no-verify", "--set", f"solver.link_numbers={numbers}", gauge=path("large.h5"), size="[16, 16, 16, 16]",
                     action="type: wilson")
        memory.append(float(re.search(r"packed links ([0-9.]+)", told)[1]) * 2**30 / 16**4)
    assert np.abs(np.diff(memory) + [6 * 8 * 4, 4 * 8 * 4]).max() < 17, memory


def links_of_1_are_not_stored_in_8_numbers():
    naik("gauge", "generate", "--size", "4,4,4,8", "--beta", "6", "--seed", "1", "--sweeps", "0", "-o", path("ones-lat.h5"))
    options = {"gauge": path("ones-lat.h5"), "size": "[4, 4, 4, 8]", "mass": "masses: [0.5]"}
    solve("ones", "--set", "solver.link_numbers=12", **options)
    for more in (), ("--dry-run",):
        said = solve("ones", "--fresh", *more, "--set", "solver.link_numbers=8", status=1, **options)
        assert "links cannot be stored in 8 numbers: a rebuilt one differs by inf of its size; store 18 numbers" in said, said


def a_state_of_an_older_format_is_ignored_with_one_line():
    more = "--set", "solver.method=cg"
    options = {"inner": "double", "gauge": path("rough.h5"), "size": "[4, 4, 4, 8]", "mass": LIGHT, "origin": "[1, 2, 3, 5]"}
    solve("whole-cg-double", *more, **options)  # complete already, but where this test runs alone
    said = solve("older", *more, status=5, env={"NAIK_INJECT": "stop:solve:20"}, **options)
    assert "kept: " in said, said
    with open(path("older.h5.part.state"), "r+b") as f:
        head = bytearray(f.read(64))
        head[12:16] = (4).to_bytes(4, "little")  # magic 8, order 4, format 4; the checksum of the first 60 at 60
        head[60:64] = zlib.crc32(head[:60]).to_bytes(4, "little")
        f.seek(0)
        f.write(head)
    said = solve("older", *more, **options)
    assert said.count("is of another input or another build of naik: its solves start again") == 1, said
    assert "restored: " not in said and "damaged" not in said, said
    same(everything("whole-cg-double.h5"), everything("older.h5"))


def solutions_solve_the_equation_that_the_file_states():
    with h5py.File(path("one.h5")) as f:
        per_column = f["/corr/pt/m00/per_colour"][...]
        assert per_column.shape == (12, 1, 3, 8)
        s = f["/prop/s0000/m00"][...]
        norms = (np.abs(s) ** 2).sum(axis=(3, 4, 5, 6, 7))
        assert np.allclose(per_column[:, 0, 0], norms.reshape(12, 8), rtol=1e-13)
        assert np.allclose(f["/corr/pt/m00/pion/p000"][...], norms.sum(axis=(0, 1)), rtol=1e-13)
        x = np.arange(8)
        weight = np.exp(2j * np.pi * (x - 1) / 8)  # momentum 1,0,0 from a source at x = 1
        moved = ((np.abs(s) ** 2).sum(axis=(0, 1, 3, 4, 6, 7)) * weight).sum(axis=1)
        assert np.allclose(f["/corr/pt/m00/pion/p100"][...], moved, atol=1e-13)
        attributes = dict(f["/prop/s0000/m00"].attrs)
        assert "M = m + 4 + C - D/2" in attributes["normalisation"] and attributes["csw"] == 1.1, attributes


def free_quarks_are_their_fourier_sum():
    gamma = np.zeros((4, 4, 4), complex)
    gamma[0][[0, 1, 2, 3], [3, 2, 1, 0]] = [1j, 1j, -1j, -1j]
    gamma[1][[0, 1, 2, 3], [3, 2, 1, 0]] = [-1, 1, 1, -1]
    gamma[2][[0, 1, 2, 3], [2, 3, 0, 1]] = [1j, -1j, -1j, 1j]
    gamma[3][[0, 1, 2, 3], [2, 3, 0, 1]] = 1
    lattices = (((8, 8, 8, 8), (0.802366358747448, 0.0475738712507243, 0.0091146255008541, 0.00412375469842048,
                                     0.00338350315859478)),
                ((4, 4, 4, 8), (0.82892144092811, 0.0688774557961735, 0.0320695681044772, 0.0255968239761578,
                                0.0241588349909568)))
    for size, known in lattices if LONG else lattices[1:]:
        name, extents = f"unit{size[0]}", ",".join(map(str, size))
        naik("gauge", "generate", "--size", extents, "--beta", "6", "--sweeps", "0", "-o", path(name + ".h5"))
        solve("free-" + name, size=f"[{extents}]", gauge=path(name + ".h5"), action="type: wilson", mass="kappas: [0.12]",
              correlators="pion", ranks=2)
        with h5py.File(path(f"free-{name}.h5")) as f:
            pion, s = f["/corr/pt/m00/pion/p000"][...], f["/prop/s0000/m00"][...]
        assert np.abs(pion[:5] - known).max() < 1e-11, (pion, known)
        x, y, z, t = size
        p = np.meshgrid(*(2 * np.pi * np.fft.fftfreq(n) + (np.pi / n if k == 0 else 0)
                          for k, n in enumerate((t, z, y, x))), indexing="ij")[::-1]
        m = (1 / 0.24 - 4 + sum(1 - np.cos(q) for q in p))[..., None, None] * np.eye(4)
        m = m + 1j * sum(np.sin(q)[..., None, None] * gamma[mu] for mu, q in enumerate(p))
        wanted = np.fft.ifftn(np.linalg.inv(m), axes=(0, 1, 2, 3)) * np.exp(1j * np.pi * np.arange(t) / t)[:, None, None, None, None, None]
        for colour in range(3):
            found = np.moveaxis(s[:, colour, ..., colour], 0, -1)  # [t z y x][sink spin][source spin]
            assert np.abs(found - wanted).max() < 1e-11, (size, colour, np.abs(found - wanted).max())
        assert np.abs(s[:, 0, ..., 1]).max() < 1e-15


def heavy_quarks_hop_straight_on():
    """On any links, S 2 kappa of heavy quarks: C(0) = 12 + 144 kappa^2, C(t) = 6 (2 kappa)^(2t), each to O(kappa^2)."""
    kappa = 1e-3
    solve("heavy", action="type: wilson", mass=f"kappas: [{kappa}]", correlators="pion")
    with h5py.File(path("heavy.h5")) as f:
        pion = f["/corr/pt/m00/pion/p000"][...].real / (2 * kappa) ** 2
    assert abs(pion[0] - (12 + 144 * kappa ** 2)) < 1e-8, pion
    for t in range(1, 4):
        assert abs(pion[t] / (6 * (2 * kappa) ** (2 * t)) - 1) < 2e-4, (t, pion)


def mesons_are_the_same_in_another_gauge():
    naik("gauge", "fix", path("lat.h5"), "-o", path("landau.h5"), "--gauge", "landau", "--tolerance", "1e-4")
    for action in ("type: clover, csw: 1.1",) + (("type: wilson",) if LONG else ()):
        solve("asis", "--fresh", action=action)
        solve("turned", "--fresh", action=action, gauge=path("landau.h5"))
        with h5py.File(path("asis.h5")) as a, h5py.File(path("turned.h5")) as b:
            scale = np.abs(a["/corr/pt/m00/pion/p000"][0])
            for channel in CHANNELS.values():
                for momentum in "p000", "p100", "p110":
                    x, y = (f[f"/corr/pt/m00/{channel}/{momentum}"][...] for f in (a, b))
                    assert np.abs(x - y).max() < 1e-11 * scale, (action, channel, momentum, x, y)
            x, y = (f["/prop/s0000/m00"][...] for f in (a, b))
            assert np.linalg.norm(x - y) > 0.1 * np.linalg.norm(x)


def masses_and_kappas_mean_the_same():
    solve("kappa", mass="kappas: [0.125]", correlators="pion")
    solve("mass", "--set", f"run.events={path('mass.jsonl')}", mass="masses: [0]", correlators="pion")
    same(everything("kappa.h5"), everything("mass.h5"))
    with open(path("mass.jsonl")) as f:
        ready = [e for e in map(json.loads, f) if e["event"] == "links"]
    assert [(e["action"], e["naik_epsilon"], e["mass"]) for e in ready] == [("clover", 0, 0)], ready


def a_quark_is_named_by_the_number_that_was_given():
    """Behind the input a kappa is a mass: wherever a quark is named, the number that was given comes first and whole."""
    given = "0.120420428639937"
    options = {"size": "[4, 4, 4, 8]", "gauge": path("rough.h5"), "correlators": "pion, rho_x", "tolerance": 1e-6}
    said = solve("named", "--fresh", mass=f"kappas: [0.1250, {given}]", **options)
    mass = f"{1 / (2 * float(given)) - 4:.6g}"
    assert f"source=pt kappa={given} mass={mass} spin=0 " in said and f"correlators: source=pt kappa={given} mass={mass}: " in said, said
    told = naik("info", path("named.h5"))
    assert f" kappa={given} spin=3 colour=2 " in told, told
    assert re.search(r" times=[\d.]+ s: open device \S+ s, .*, solve \S+ s", told) and "source_checksums" not in told, told
    assert " kappa=0.125 mass=0 naik_epsilon=0 " in naik("info", path("named.h5"), "--correlators")
    naik("report", path("named.h5"), "-o", path("named.html"))
    with open(path("named.html")) as f:
        page = f.read()
    assert page.count(f"of kappa {given}, mass ") == 1 and f'<td class="n">{given}</td>' in page
    told = solve("named", mass="kappas: [0.125, 0.121]", status=1, **options)
    assert f"], kappas 0.125 and {given}', now it is 'solve.0.masses = [0, " in told and "], kappas 0.125 and 0.121': " in told, told
    many = [f"0.12{k}1" for k in range(10, 24)]
    told = solve("named", mass=f"kappas: [{', '.join(many)}]", status=1, **options)
    named = re.search(r"now it is 'solve.0.masses = .*, kappas (.*)': ", told)[1].split(" and ")
    assert len(named) > 2 and set(named) <= set(many), named  # none of a mass that the line cuts
    told = naik("solve", path("named.yaml"), "--set", f"solve.0.kappas=[0.125, {given}]", "--set", "action.csw=0", status=1)  # it has no default
    assert "was begun with the input 'action.csw = 1.1', now it is 'action.csw = 0'" in told, told
    with naik_io.File(path("named.h5")) as f:
        assert f.kappa(0, 1) == float(given) and f.mass_number("pt", kappa=float(given)) == 1
        (light,), (heavy,) = (f.find("pt", kappas=kappa) for kappa in (0.125, float(given)))
        assert heavy.quarks[0].kappa == float(given) and "/m01/" in heavy.path and "/m00/" in light.path, (heavy, light)
        for ask, words in ((lambda: f.find("pt"), "several kappas and masses: say which of "),
                           (lambda: f.mass_number("pt", kappa=0.2), f"has no kappa 0.2 in pt; it has 0.125, {given}")):
            try:
                raise AssertionError(ask())
            except LookupError as error:
                assert words in str(error) and given in str(error), error


def csw_is_divided_by_the_cube_of_u0():
    solve("divided", action="type: clover, csw: 1.1", correlators="pion", tolerance=1e-10)
    solve("tadpole", action=f"type: clover, csw: {1.1 * 0.5 ** 3}, u0: 0.5", correlators="pion", tolerance=1e-10)
    with h5py.File(path("divided.h5")) as a, h5py.File(path("tadpole.h5")) as b:
        assert a["prop/s0000/m00"][...].tobytes() == b["prop/s0000/m00"][...].tobytes()


def what_would_wander_converges():
    # beyond the critical mass of a rough lattice; with omega of the least residual |r| grows by 14 decades
    options = {"gauge": path("rough.h5"), "size": "[4, 4, 4, 8]", "mass": "masses: [-0.8]", "correlators": "pion"}
    for inner in "single", "double":
        solve("wanders", "--fresh", "--set", "solver.method=bicgstab", inner=inner, **options)
        with h5py.File(path("wanders.h5")) as f:
            solves = f["/solves"][...]
        assert (solves["true_residual"] <= 1e-12).all() and (solves["iterations"] < 900).all(), solves
        assert (solves["stop_reason"] == b"converged").all(), solves["stop_reason"]


def auto_costs_no_more_than_double_near_the_critical_mass():
    # an iteration below double takes 0.6 of one in double; a solve that climbs says from which iteration on
    if not LONG:
        return "for the long run"
    for seed in 55, 57, 58, 61:
        lat = path(f"ladder{seed}.h5")
        naik("gauge", "generate", "--size", "8,8,8,16", "--beta", "5.8", "--seed", str(seed), "--sweeps", "40",
             "--over-relaxations", "4", "-o", lat)
        cost = {}
        for inner in "double", "auto":
            said = solve("ladder", "--fresh", "--set", "solver.method=bicgstab", "--set", "solve.0.source.colours=[0]", size="[8, 8, 8, 16]", gauge=lat, action="type: wilson", inner=inner,
                         mass="kappas: [0.1600, 0.1620, 0.1628, 0.1635, 0.1642, 0.1650]", correlators="", tolerance=1e-10)
            for line in re.finditer(r"mass=(\S+) spin.* iterations=(\d+) .*(?:\n  began with .* from iteration (\d+) on)?", said):
                fast = 0 if inner == "double" else int(line[3] or line[2])
                key = line[1], inner
                cost[key] = cost.get(key, 0) + 0.6 * fast + int(line[2]) - fast
        masses = {mass for mass, _ in cost}
        assert len(masses) == 6, said
        assert all(cost[mass, "auto"] <= 1.1 * cost[mass, "double"] for mass in masses), (seed, cost)


def staggered_keys_are_refused_by_name():
    solve("refused", correlators="pion")
    for change, sentence in (
            ("solver.multishift=on", "'solver.multishift': masses of quarks with spin share no Krylov space once one parity is eliminated"),
            ("deflation={modes: 8, file: modes.h5}", "'deflation.modes': naik finds and removes low modes for staggered quarks only"),
            ("solver.batch=17", "'solver.batch' must be at most 16 for quarks with spin, not 17"),
            ("output.correlators=[pion5]", "'output.correlators': pion5 is for staggered quarks"),
            ("solve.0.naik_epsilon=[-0.1]", "'solve.0.naik_epsilon' applies to action.type hisq and links only"),
            ("solve.0.masses=[0.1]", "'solve.0.kappas' and masses are two names of the same quarks: give one of them"),
            ("action={type: wilson, csw: 1}", "'action.csw' does not apply to action.type wilson, only to clover, twisted_mass"),
            ("action={type: clover}", "key 'action.csw' is missing; action.type clover needs it")):
        said = naik("solve", path("refused.yaml"), "--set", change, "--fresh", status=1)
        assert sentence in said, (change, said)


def a_singular_clover_block_is_refused_with_its_site():
    naik("gauge", "generate", "--size", "4,4,4,8", "--beta", "6", "--sweeps", "0", "-o", path("unit.h5"))
    said = solve("singular", size="[4, 4, 4, 8]", gauge=path("unit.h5"), mass="masses: [-3.9999999999999]", correlators="pion",
                 status=1)  # C = 0 on unit links: A is 1e-13
    assert "m + 4 + C cannot be inverted at site 0 0 0 0 (x y z t)" in said, said


def info_and_report_read_it():
    said = naik("info", path("one.h5"))
    assert re.search(r"24 ", said), said
    assert said.count(" colour=2 ") == 8 and said.count(" spin=3 colour=2 ") == 2 and "colour=3" not in said, said
    said = naik("info", path("one.h5"), "--residuals")
    assert said.count(" spin=3 colour=2 source_residual=") == 2 and "colour=3" not in said, said
    naik("report", path("one.h5"), "-o", path("one.html"))
    with open(path("one.html"), encoding="utf-8") as f:
        page = f.read()
    assert page.count("converged") >= 24, page[:2000]
    assert '<th class="n">spin</th>' in page and page.count('<td class="n">3</td><td class="n">2</td><td class="">done</td>') == 2, page[:2000]
    assert "spin 3, colour 2" in page and ", column " not in page
    said = naik("info", path("one.h5"), "--correlators")
    assert "# pion " in said and "# rho_x " in said, said
    said = naik("info", path("one.h5"), "--correlators=fnal")
    assert "\nquark_type:                   clover\n" in said and '\nquark_kappa:                  "0.125"\n' in said, said[:2000]
    assert "staggered" not in said and "epsilon" not in said, said[:2000]
    shutil.copy(path("one.h5"), path("other.h5"))
    with naik_io.File(path("other.h5")) as file:
        assert file.verify() == ""
        assert file.propagator()[0, 0, 0].shape == (4, 4, 8, 4, 3)  # Z, Y, X, sink spin and colour
    with h5py.File(path("other.h5"), "r+") as f:
        f["/corr/pt/m00/pion/p000"][3] *= 1 + 1e-15
    with naik_io.File(path("other.h5")) as file:
        try:
            file.verify()
            raise AssertionError("a changed correlator passes")
        except naik_io.Damaged:
            pass


main([a_configuration_is_generated, known_propagators_and_mesons_come_out, iterations_are_those_of_another_program,
      two_quarks_are_solved, grids_threads_and_batches_give_the_same_bytes, a_stopped_run_goes_on_to_the_same_bytes,
      a_damaged_column_is_told_by_spin_and_colour,
      stopped_in_mid_solve_again_and_again_the_bytes_are_those_of_one_run,
      links_of_fewer_numbers_give_the_same_solutions, links_of_1_are_not_stored_in_8_numbers, a_state_of_an_older_format_is_ignored_with_one_line,
      what_would_wander_converges, auto_costs_no_more_than_double_near_the_critical_mass, staggered_keys_are_refused_by_name, a_singular_clover_block_is_refused_with_its_site,
      free_quarks_are_their_fourier_sum, heavy_quarks_hop_straight_on, mesons_are_the_same_in_another_gauge,
      solutions_solve_the_equation_that_the_file_states, masses_and_kappas_mean_the_same, a_quark_is_named_by_the_number_that_was_given, csw_is_divided_by_the_cube_of_u0,
      info_and_report_read_it],
     needed=[a_configuration_is_generated, two_quarks_are_solved])
