# test_planning.py - `naik solve --dry-run --machine` and the model behind it, against what was measured
# timeout: 600
import concurrent.futures
import glob
import json
import math
import os
import re
import shlex
import subprocess

import h5py

from program import NAIK, SCRATCH, main, naik, path

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
MEASURED = ("h200", "h100")  # machines of the model and files of tests/results
OFF = 0.30  # what doc/planning.md promises

INPUT = """
lattice: {size: [SIZE]}
gauge: {file: none.h5}
action: {type: hisq}
solve:
  - {name: pt, masses: [MASSES], source: {type: point, origin: [0, 0, 0, 0]}}
output: {file: none-prop.h5}
"""


def write_input(name, size="64, 64, 64, 96", masses="0.05, 0.01"):
    with open(path(name), "w", encoding="utf-8") as f:
        f.write(INPUT.replace("SIZE", size).replace("MASSES", masses))
    return path(name)


def plan(*words, status=0):
    return json.loads(naik("solve", *words, "--dry-run", "--json", status=status).splitlines()[0])


def lines(machine="h200"):
    for line in open(os.path.join(TOP, "tests", "results", machine + ".txt"), encoding="utf-8"):
        if line.startswith("bench="):
            yield dict(pair.split("=", 1) for pair in shlex.split(line))


def comparable(v):
    """Lines of what the model describes: the kernels that are chosen, boxes that fill a GPU."""
    least = min(map(int, v.get("local", "0").split(",")))
    if "granularity" in v or v.get("gauge") == "temporal" or v.get("orchestration", "graph") != "graph":
        return False
    if v.get("action") in ("wilson", "clover"):  # naik solve iterates with no spinors of 16 bits
        return least >= 24 and v["precision"] != "half"
    if v["bench"] == "dslash":
        return least >= 24
    return v["bench"] == "cg" and v.get("mode") in ("solve", "weak", "strong") and least >= 12 \
        and int(v["local"].split(",")[0]) >= 16 and v.get("not_converged", "0") == "0"


def the_model_is_within_30_percent_of_what_was_measured():
    def key_of(v):
        return (v["local"], v["precision"], v["links"], v["recon"], v.get("batch", v["nrhs"]), v["action"], v["ranks"], v["machine"])

    def predict(key):
        said = naik("bench", "model", "--machine", key[7], "--software", "naik", "--json", "--local", key[0],
                    "--precision", key[1], "--link-precision", key[2], "--recon", key[3], "--nrhs", key[4],
                    "--action", key[5], "--gpus", key[6])
        return json.loads(said.splitlines()[-1])

    found = [{**v, "machine": machine} for machine in MEASURED for v in lines(machine) if comparable(v)]
    keys = sorted(set(map(key_of, found)))
    with concurrent.futures.ThreadPoolExecutor(4) as pool:  # a process spends its time starting
        known = dict(zip(keys, pool.map(predict, keys)))
    wrong, kinds, spinors = [], set(), set()
    for v in found:
        spinors.add((v["machine"], v["bench"], v["action"], v["precision"], v["nrhs"], v["ranks"]))
        name = "dslash_us" if v["bench"] == "dslash" else "us_per_iteration"
        measured = float(v["us" if v["bench"] == "dslash" else name])
        ratio = known[key_of(v)][name] / measured
        kinds.add((v["bench"], v.get("mode"), v.get("mass"), v.get("batch", v["nrhs"]), v["local"], v["ranks"]))
        if abs(ratio - 1) > OFF:
            wrong.append(f"{ratio:.2f} of {measured} us: {key_of(v)} {v.get('mode')} {v.get('mass')}")
    for mass in ("0.05", "0.01", "0.002", "0.0005"):
        for batch in ("1", "12"):
            assert ("cg", "solve", mass, batch, "32,32,32,32", "1") in kinds, (mass, batch)
    for mass in ("0.05", "0.01", "0.002", "0.0005"):
        assert ("cg", "solve", mass, "12", "32,32,32,16", "2") in kinds, mass
    for box in ("16,16,16,16", "32,32,32,32"):
        assert ("cg", "weak", "0.05", "1", box, "2") in kinds, box
    for precision in ("double", "single"):
        for nrhs in ("1", "12"):
            assert {("h200", "dslash", "wilson", precision, nrhs, "1"), ("h200", "bicgstab", "wilson", precision, nrhs, "1")} <= spinors
        assert {("h100", "dslash", "clover", precision, "1", "1"), ("h100", "bicgstab", "wilson", precision, "12", "1"),
                ("h100", "dslash", "wilson", precision, "8", "2")} <= spinors
    assert len(found) > 100 and not wrong, f"{len(found)} lines\n" + "\n".join(wrong)


def a_plan_on_a_node_costs_the_measured_solve_and_its_halos():
    """The whole way: input, precisions, batch, time of a solve. Measured on one GPU: halos may add a half."""
    for mass, batch in (("0.05", 1), ("0.05", 12), ("0.01", 1), ("0.01", 12), ("0.002", 1), ("0.002", 12),
                        ("0.0005", 1), ("0.0005", 12)):
        found = [v for v in lines() if v["bench"] == "cg" and v.get("gauge") == "lat32.h5" and v["mass"] == mass
                 and v.get("mode") == "solve" and v["ranks"] == "1" and int(v["batch"]) == batch and v["not_converged"] == "0"
                 and v["links"] == ("half" if float(mass) > 0.005 else "single")
                 and v["recon"] == ("6" if mass == "0.05" else "18") and v["precision"] == "single"]
        assert found, (mass, batch)
        file = write_input("h200.yaml", "64, 64, 64, 32", mass)
        origins = "solve.0.source.origin=[" + ",".join(f"[0,0,0,{2 * i}]" for i in range(4)) + "]"
        node = plan(file, "--machine", "h200", "--nodes", "1", "--set", origins, "--set", f"solver.batch={batch}")["nodes"][0]
        assert node["batch"] == batch, node
        for v in found:
            seconds = node["solves"][0]["us_per_iteration"] * float(v["iterations"]) * 1e-6
            assert 0.7 < seconds / float(v["seconds"]) < 1.5, (mass, batch, seconds, v["seconds"])


def iterations_follow_the_mass_and_the_tolerance():
    file = write_input("rule.yaml", "32, 32, 32, 32", "0.05, 0.01, 0.002, 0.0005")
    masses = {m["mass"]: m for m in plan(file, "--machine", "h200")["masses"]}
    for v in lines():
        if v["bench"] == "cg" and v.get("gauge") == "lat32.h5" and v.get("mode") == "solve" \
                and v["precision"] == "double":
            m = masses[float(v["mass"])]
            assert m["least"] <= float(v["iterations"]) <= m["most"], (m, v["iterations"])
    loose = plan(file, "--machine", "h200", "--set", "solver.tolerance=1e-5")["masses"][0]
    assert abs(loose["iterations"] / masses[0.05]["iterations"] - 0.515) < 0.01, loose


def a_pilot_run_gives_the_iterations():
    field, pilot = path("field.h5"), path("pilot.h5")
    naik("gauge", "generate", "--size", "4,4,4,8", "--beta", "6", "--seed", "1", "--sweeps", "2", "-o", field)
    file = write_input("pilot.yaml", "4, 4, 4, 8", "0.2, 0.1")
    said = naik("solve", file, "--set", f"gauge.file={field}", "--set", f"output.file={pilot}")
    measured = {}
    for mass, n in re.findall(r"mass=([0-9.]+) colour=. iterations=([0-9]+)", said):
        measured.setdefault(float(mass), []).append(int(n))
    assert len(measured) == 2
    large = write_input("large.yaml", "64, 64, 64, 96", "0.2, 0.1, 0.05")
    p = plan(large, "--machine", "perlmutter", "--from", pilot)
    assert p["pilot"] == pilot and "pilot" in p["origin"]["iterations"], p
    for m in p["masses"][:2]:
        mean = sum(measured[m["mass"]]) / 3
        assert abs(m["iterations"] / mean - 1) < 0.02 and m["least"] <= mean <= m["most"], (m, measured)
    assert abs(p["masses"][2]["iterations"] / p["masses"][1]["iterations"] - 2) < 0.05, p["masses"]
    told = naik("solve", large, "--dry-run", "--machine", "h200", "--from", pilot, "--set", "action.type=naive", status=1)
    assert "its action is hisq, this input's is naive" in told, told
    naik("solve", large, "--dry-run", "--machine", "h200", "--from", path("nothing.h5"), status=1)


def a_pilot_run_with_modes_is_not_taken_for_one_without():
    """Deflated solves tell what deflated solves take; plain ones are then by the rule, so that modes may still pay."""
    field, pilot = path("field.h5"), path("deflated.h5")
    file = write_input("deflated.yaml", "4, 4, 4, 8", "0.02")
    modes = ("--set", "deflation={modes: 24, file: %s}" % path("pilot-modes.h5"))
    said = naik("solve", file, "--set", f"gauge.file={field}", "--set", f"output.file={pilot}", *modes)
    mean = sum(map(int, re.findall(r"mass=0.02 colour=. iterations=([0-9]+)", said))) / 3
    file = write_input("deflated.yaml", "16, 16, 16, 32", "0.02")
    plain = plan(file, "--machine", "h200", "--nodes", "1")["masses"][0]["iterations"]
    p = plan(file, "--machine", "h200", "--nodes", "1", "--from", pilot, *modes)
    assert p["masses"][0]["iterations"] == plain > 4 * mean and "pilot" not in p["origin"]["iterations"], (p, mean)
    other = plan(file, "--machine", "h200", "--nodes", "1", *modes)
    with_modes = [q["nodes"][0]["deflation"]["iterations"][0]["iterations"] for q in (p, other)]
    assert mean <= with_modes[0] < mean + 0.2 * plain and with_modes[0] != with_modes[1], (with_modes, mean)
    told = naik("solve", file, "--dry-run", "--machine", "h200", "--nodes", "1", "--from", pilot, *modes)
    for words in ("solves with 24 modes removed come from the pilot run", "modes from the rule", "takes those of a pilot run without modes"):
        assert words in told, (words, told)


def multigrid_leaves_quarks_without_it_as_they_are(file):
    def of(method, size, gpus, memory):
        machine = write_machine("whole.yaml", gpus_per_node=gpus, memory_gib=memory)
        return plan(file, "--machine", machine, "--nodes", "1", "--set", f"lattice.size={size}", "--set", f"solver.method={method}")["nodes"][0]

    for memory, batch, own in (79, [12], range(8, 12)), (74, range(6, 12), range(6, 12)), (70, [12], None):  # two quarks
        auto, plain = (of(method, [32, 32, 32, 64], 1, memory) for method in ("auto", "bicgstab"))
        assert plain["batch"] == 12 and "multigrid_batch" not in plain and auto["memory_bytes"] <= auto["available_bytes"], (auto, plain)
        assert auto["batch"] in batch and (auto["multigrid_batch"] in own if own else "multigrid_batch" not in auto), auto
    # of the grids that hold aggregates only those about as good as the best
    for method, grid in ("bicgstab", "1x1x1x4"), ("auto", "1x1x1x4"), ("multigrid", "1x1x2x2"):
        assert of(method, [16, 16, 16, 72], 4, 79)["grid"] == grid, method


def wilson_and_clover_quarks_are_planned():
    """Time as of the lines in h200.txt; memory, grid and output as of the run; iterations assumed, or a pilot's."""
    file = path("spinors.yaml")
    with open(file, "w", encoding="utf-8") as f:
        f.write(INPUT.replace("SIZE", "64, 64, 64, 32").replace("type: hisq", "type: wilson").replace("masses: [MASSES]", "kappas: [0.1639, 0.15]"))
    p = plan(file, "--machine", "h200", "--nodes", "1")
    node = p["nodes"][0]
    assert p["solves"] == 24 and node["batch"] == 12 and "assumed" in p["origin"]["iterations"], p
    assert [(m["least"], m["iterations"], m["most"]) for m in p["masses"]] == [(20, 100, 500)] * 2, p
    found = [v for v in lines() if v["bench"] == "bicgstab" and v["precision"] == "single" and v["nrhs"] == "12" and v["ranks"] == "1"]
    assert found, "no line"
    for v in found:  # measured on one GPU of the same box: halos may add a half
        assert 0.7 < node["solves"][0]["us_per_iteration"] / float(v["us_per_iteration"]) < 1.5, (node, v)
    clover = plan(file, "--machine", "h200", "--nodes", "1", "--set", "action={type: clover, csw: 1}")["nodes"][0]
    blocks = 4 * 64**3 * 32 // 8 * 72 * (8 + 4) // 2  # A and A^-1 in double and single precision
    assert clover["memory_bytes"] - node["memory_bytes"] >= blocks, (clover, node)
    assert clover["solves"][0]["us_per_iteration"] > node["solves"][0]["us_per_iteration"]
    for method, grid in ("auto", "1x2x2x4"), ("bicgstab", "1x1x4x4"):  # that of the run, whose boxes hold whole aggregates
        told = naik("solve", file, "--dry-run", "--machine", "h100", "--nodes", "2", "--set", "lattice.size=[24, 24, 24, 64]", "--set",
                    f"solver.method={method}")
        assert f" 16  {grid} " in told, (method, told)
    multigrid_leaves_quarks_without_it_as_they_are(file)
    told = naik("solve", file, "--dry-run", "--machine", "lumi-g")
    assert "iterations: assumed, 100 at a tolerance of 1e-10: they depend on the critical mass of the configuration" in told, told
    field, pilot = path("spinors.lat"), path("spinors.h5")
    naik("gauge", "generate", "--size", "4,4,4,8", "--beta", "6", "--seed", "1", "--sweeps", "2", "-o", field)
    more = ("--set", "lattice.size=[4,4,4,8]", "--set", f"gauge.file={field}", "--set", f"output.file={pilot}")
    said = naik("solve", file, *more)
    assert "naik predicts nothing for quarks with spin, because their iterations depend on the critical mass" in said, said
    p = plan(file, "--machine", "h200", "--nodes", "1", "--from", pilot)
    with h5py.File(pilot) as f:
        solves = f["solves"][...]
        for m in range(2):
            mean = solves["iterations"][solves["mass"] == m].mean()
            assert mean > 5 and abs(p["masses"][m]["iterations"] - mean) <= 0.51, (p["masses"], mean)
        size = os.path.getsize(pilot)
    alone = ("--machine", write_machine("alone.yaml", gpus_per_node=1), "--nodes", "1", *more, "--set", "output={file: none.h5, precision: %d, alignment: %d}")
    told = [plan(file, *alone[:-1], alone[-1] % way)["nodes"][0]["output_bytes"] for way in ((64, 0), (64, 1 << 20), (32, 0), (32, 1 << 20))]
    assert 0 <= told[0] - size < 3 << 19, (told, size)
    assert abs(told[1] - told[0] - (2 << 20)) < 99 > abs(told[3] - told[2]), told  # two propagators of 1.1 MiB, none of 0.6
    for words, sentence in ((("--software", "naik", "--recon", "9"), "links of Wilson quarks are stored as 18, 12 or 8 numbers"),
                            (("--software", "quda"), "--action wilson and clover need --software naik")):
        said = naik("bench", "model", "--action", "wilson", *words, status=1)
        assert sentence in said, said
    said = naik("bench", "model", "--action", "hisq", "--recon", "8", status=1)
    assert "--recon 8 is for links of Wilson quarks" in said, said
    # one right-hand side in single precision moves 96 in, 96 out and 4 bytes of every number of 8 links
    by_recon = {}
    for recon in (18, 12, 8):
        said = naik("bench", "model", "--machine", "h200", "--gpus", "1", "--software", "naik", "--action", "wilson", "--precision", "single",
                    "--local", "32,32,32,32", "--recon", str(recon), "--lines")
        by_recon[recon] = float(dict(word.split("=", 1) for word in said.splitlines()[-1].split() if "=" in word)["dslash_us"])
    for recon in (12, 8):
        assert abs(by_recon[recon] / by_recon[18] * (192 + 32 * 18) / (192 + 32 * recon) - 1) < 0.01, by_recon


def seconds_of_multigrid_are_planned():
    """Sources, setups and tries add up to what the run takes, with iterations that are assumed or a pilot's."""
    file = path("light.yaml")
    with open(file, "w", encoding="utf-8") as f:
        f.write(INPUT.replace("SIZE", "24, 24, 24, 48").replace("type: hisq", "type: clover, csw: 1").replace("masses: [MASSES]", "kappas: [0.12, 0.13]"))
    machine = ("--machine", write_machine("single.yaml", gpus_per_node=1), "--nodes", "1")
    p = plan(file, *machine, "--set", "solver.method=multigrid")
    node = p["nodes"][0]
    assert [(m["least"], m["iterations"], m["most"]) for m in p["masses"]] == [(10, 18, 30)] * 2 and "18 outer iterations at a tolerance" in p["origin"]["iterations"], p
    of = node["multigrid"]
    assert [(m["taken"], m["outer"], m["coarse_steps"], m["try_s"]) for m in of] == [(True, 18, 22, 0)] * 2, of
    assert [m["seconds"] for m in of] == [m["seconds"] for m in node["solves"]] and 0 < of[1]["setup_s"] < of[0]["setup_s"] / 2, node
    assert abs(node["solves_s"] - sum(12 * m["seconds"] + m["setup_s"] for m in of)) < 1e-9, node
    looser = plan(file, *machine, "--set", "solver.method=multigrid", "--set", "solver.tolerance=1e-5")["masses"][0]["iterations"]
    assert looser == 9, looser
    # coarse faces go from GPU to GPU inside a node, through the host between nodes and where the transport says so
    two = [[plan(file, "--machine", write_machine("two.yaml", gpus_per_node=per), "--nodes", str(2 // per), "--set", "solver.method=multigrid", "--set",
                 f"run.transport={transport}")["nodes"][0]["multigrid"][0] for transport in ("auto", "peer", "mpi_device", "staged")] for per in (2, 1)]
    for what in ("seconds", "setup_s"):
        (auto, peer, device, staged), between = ([m[what] for m in row] for row in two)
        # staged faces of the fine lattice cross the hosts too
        assert auto == peer < device < staged < between[3] and auto < between[0] == between[1] == between[2] < between[3], (what, two)
    # by auto with 100 iterations of BiCGStab: they are fewer than pay, but what they are at the most would not be waited for
    auto, plain = (plan(file, *machine, "--set", f"solver.method={method}")["nodes"][0] for method in ("auto", "bicgstab"))
    assert not any(m["taken"] for m in auto["multigrid"]) and "multigrid" not in plain, auto
    tried = [m["try_s"] for m in auto["multigrid"]]  # the first columns, which are solved by that
    assert min(tried) > 0 and sum(tried) < auto["solves_s"] < plain["solves_s"] + sum(tried) and auto["solves_s"] > 11 / 12 * plain["solves_s"], (auto, plain)
    told = naik("solve", file, "--dry-run", *machine)
    assert "at kappa 0.12, mass 0.166667 auto changes to multigrid if bicgstab has not solved the first column in 182 iterations; the plan assumes that it does not" in told, told
    long = ("--set", "solver.max_iterations=50")
    auto = plan(file, *machine, *long)["nodes"][0]["multigrid"]
    assert [m["taken"] for m in auto] == [True, True] and auto[0]["try_s"] > 0 and auto[1]["try_s"] == 0, auto  # the lighter follows
    # a pilot run by multigrid tells of multigrid alone
    field, pilot = path("light.lat"), path("light.h5")
    naik("gauge", "generate", "--size", "4,4,4,8", "--beta", "6", "--seed", "1", "--sweeps", "2", "-o", field)
    small = ("--set", "multigrid.vectors=6", "--set", "multigrid.start=4", "--set", "multigrid.cycles=1")
    naik("solve", file, "--set", "lattice.size=[4,4,4,8]", "--set", f"gauge.file={field}", "--set", f"output.file={pilot}", "--set",
         "solver.method=multigrid", *small)
    with h5py.File(pilot) as f:
        mean = f["/solves"]["iterations"][:12].mean()
    coarse = [int(c) / int(o) for o, c in re.findall(r"multigrid=mass=\S+ setup_s=\S+ outer=(\d+) coarse=(\d+)", naik("info", pilot))]
    p = plan(file, *machine, "--from", pilot)
    assert all(m["taken"] for m in p["nodes"][0]["multigrid"]) and abs(p["masses"][0]["iterations"] - mean) <= 0.51, (p, mean)
    assert abs(p["nodes"][0]["multigrid"][0]["coarse_steps"] - coarse[0]) < 1e-6 and "pilot" in p["origin"]["iterations"], (p, coarse)
    p = plan(file, *machine, "--from", pilot, "--set", "solver.method=bicgstab")
    assert p["masses"][0]["iterations"] == 100 and "assumed" in p["origin"]["iterations"], p
    told = naik("solve", file, "--dry-run", "--machine", "h100", "--nodes", "128", "--set", "solver.method=multigrid", status=2)
    assert "no process grid cuts the lattice for these GPUs, with whole aggregates" in told, told


def faces_that_go_through_the_host_take_longer_and_other_memory():
    """4 GPUs in a row in t, on one node and on two, where GPUs that write to each other keep their halos beside the buffers of messages."""
    file, of = write_input("staged.yaml", "32, 32, 32, 64"), {}
    for per in 4, 2:
        for transport in "auto", "peer", "mpi_device", "staged":
            of[per, transport] = plan(file, "--machine", write_machine("row.yaml", gpus_per_node=per), "--nodes", str(4 // per), "--set", "run.grid=[1, 1, 1, 4]",
                                      "--set", "solver={batch: 1, inner_precision: single}", "--set", f"run.transport={transport}")["nodes"][0]
    us = {key: v["solves"][0]["us_per_iteration"] for key, v in of.items()}
    face = 32**3 // 2 * 3 * 24  # bytes of three slices of one parity, of one right-hand side in single precision
    staged_us = 2 * 2 * (30 + 2 * face / 5.8e3)  # of the two D of an iteration
    for per in 4, 2:
        assert us[per, "auto"] == us[per, "peer"] == us[per, "mpi_device"], us
        assert 0.5 * staged_us < us[per, "staged"] - us[per, "auto"] < 1.2 * staged_us and of[per, "staged"]["wall_s"] > of[per, "auto"]["wall_s"], (us, staged_us)
    memory = {key: v["memory_bytes"] for key, v in of.items()}
    assert memory[2, "auto"] == memory[2, "peer"] > memory[2, "staged"] == memory[2, "mpi_device"] == memory[4, "staged"], memory


def a_plan_counts_the_groups_of_ranks():
    file = write_input("groups.yaml", "32, 32, 32, 32")
    words = ("--machine", "h200", "--nodes", "1")
    one, parts = (plan(file, *words, "--set", f"run.groups={groups}") for groups in (1, 2))
    assert (one["groups"], parts["groups"]) == (1, 2), parts
    a, b = one["nodes"][0], parts["nodes"][0]
    extents = [[int(n) for n in v["grid"].split("x")] for v in (a, b)]
    assert [x * y * z * t for x, y, z, t in extents] == [8, 4] and a["gpus"] == b["gpus"] == 8, (a, b)
    assert (a["batch"], b["batch"]) == (6, 3), (a, b)
    assert b["memory_bytes"] > 1.3 * a["memory_bytes"] and b["output_bytes"] == a["output_bytes"], (a, b)
    assert abs(b["solves_s"] / sum(1.5 * m["seconds"] for m in b["solves"]) - 1) < 1e-6, b  # half of three
    told = naik("solve", file, "--dry-run", "--machine", "h200", "--nodes", "1", "--set", "run.groups=3", status=1)
    assert "1     8  no process grid cuts the lattice for these GPUs and for those of a group" in told, told
    point = "three_point=[{parent: pt, spectator: pt, insertion: [G1-G1], sink_times: [4], daughter_masses: [0.05]}]"
    told = naik("solve", file, "--dry-run", *words, "--set", point, "--set", "run.groups=2", status=1)
    assert "is made of solutions of the same run, which another group may have: leave run.groups out" in told, told
    # groups by multigrid each make a setup: auto takes as many as are fastest
    light = ("--set", "action={type: clover, csw: 1}", "--set", "solver.method=multigrid", "--set",
             "output={file: groups.h5, propagators: false, correlators: [pion]}", "--set",
             "solve.0.source={type: random_wall, seed: 5, t0: [0, 2, 4, 6, 8, 10, 12, 14]}", "--set")
    auto, one, two, eight = (plan(file, *words, *light, f"run.groups={groups}")["nodes"][0] for groups in ("auto", "1", "2", "8"))
    assert (auto["groups"], two["groups"], two["gpus"], eight["grid"]) == (2, 2, 8, "1x1x1x1"), (auto, two, eight)
    x, y, z, t = (int(n) for n in two["grid"].split("x"))
    assert x * y * z * t == 4 and two["memory_bytes"] > 1.3 * one["memory_bytes"], two
    # a setup of four devices is sooner ready than that of one, unless coarse faces go through the host
    staged, best = (plan(file, *words, *light, f"run.groups={groups}", "--set", "run.transport=staged")["nodes"][0] for groups in ("2", "auto"))
    setups = [v["multigrid"][0]["setup_s"] for v in (two, eight, staged)]
    assert setups == sorted(setups) and best["groups"] == 8, (setups, best)
    assert auto["wall_s"] < min(one["wall_s"], eight["wall_s"]) and best["wall_s"] < staged["wall_s"], (auto, one, eight, staged, best)
    alone = "solve.0.source={type: random_wall, seed: 5, t0: 0}"
    of = {g: plan(file, *words, *light, f"run.groups={g}", "--set", alone)["nodes"][0] for g in ("1", "2", "4", "8", "auto")}
    # two groups would gain less than a fiftieth there, for which auto takes no groups
    assert of["auto"]["groups"] == 1 and 0.98 * of["1"]["wall_s"] < of["2"]["wall_s"] < of["1"]["wall_s"] < of["4"]["wall_s"] < of["8"]["wall_s"], of


def a_plan_says_which_number_of_groups_is_fastest():
    file = write_input("many.yaml", "32, 32, 32, 32")
    words = (file, "--machine", "h200", "--nodes", "1", "--set", "output={file: many.h5, propagators: false, correlators: [pion5]}",
             "--set", "solve.0.source={type: random_wall, seed: 5, t0: [0, 2, 4, 6, 8, 10, 12, 14]}", "--set", "run.groups=GROUPS")
    of = {g: plan(*words[:-1], words[-1].replace("GROUPS", g))["nodes"][0] for g in ("1", "2", "4", "8", "auto")}
    best = str(of["auto"]["groups"])
    assert best != "1" and abs(of["auto"]["wall_s"] - of[best]["wall_s"]) < 1e-6, of  # the text of the input is longer
    after = {g: n["wall_s"] - 20 for g, n in of.items()}  # of the start; more groups must gain 2%
    assert all(after[best] < after[g] / (0.98 if int(g) > int(best) else 1) for g in "1248" if g != best), (best, after)
    for n in (of["1"], of[best], of["auto"]):
        assert n["best_groups"] == int(best) and abs(n["best_groups_wall_s"] - of[best]["wall_s"]) < 1e-6, (best, n)
    told = naik("solve", *words[:-1], "run.groups=auto", "--dry-run")
    assert re.search(f"^groups: on 1 node auto takes {best} groups of {8 // int(best)} GPUs?$", told, flags=re.M), told
    told = naik("solve", *words[:-1], "run.groups=1", "--dry-run")
    assert f"groups: on 1 node run.groups {best} would be fastest, with a wall time of 0:0" in told, told


def the_smallest_number_of_nodes_is_told_and_fits():
    file = write_input("small.yaml", "96, 96, 96, 192")
    p = plan(file, "--machine", "perlmutter", "--nodes", "1", status=2)
    least = p["smallest_nodes"]
    assert least > 1 and p["nodes"][0]["verdict"] == "does not fit", p
    told = naik("solve", file, "--dry-run", "--machine", "perlmutter", "--nodes", "1", status=2)
    assert f"none of these numbers of nodes holds the run; the smallest is {least}" in told, told
    assert "\noutput:" not in told and "us/iteration" not in told, told  # nothing is known of them
    tried = plan(file, "--machine", "perlmutter", "--nodes", ",".join(map(str, range(1, least + 1))))["nodes"]
    assert [n["verdict"] == "fits" for n in tried] == [False] * (least - 1) + [True], tried
    assert tried[-1]["memory_bytes"] <= tried[-1]["available_bytes"] and tried[-1]["gpus"] == 4 * least, tried
    large = plan(file, "--machine", "perlmutter-80gb")
    assert large["smallest_nodes"] < least, large


def a_lattice_too_small_for_any_node_is_told_so():
    file = write_input("tiny.yaml", "4, 4, 4, 8")
    for nodes in ((), ("--nodes", "1,64")):
        told = naik("solve", file, "--dry-run", "--machine", "lumi-g", *nodes, status=1)
        assert "no number of nodes of lumi-g has a process grid for 4x4x4x8: each of the 8 GPUs of a node takes a box" in told, told
        assert "batch needs less" not in told, told
    assert plan(file, "--machine", "lumi-g", "--set", "lattice.size=[8,8,8,4]")["smallest_nodes"] == 1
    told = naik("solve", write_input("huge.yaml", "32768, 32768, 32768, 32768"), "--dry-run", "--machine", "lumi-g", status=2)
    assert "no number of nodes of lumi-g up to 1024 holds this run: a smaller solver.batch needs less" in told, told


def more_nodes_take_less_time_and_memory():
    file = write_input("more.yaml", masses="0.05, 0.00002")
    told = plan(file, "--machine", "lumi-g", "--nodes", "2,4,8,16")
    p = told["nodes"]
    for a, b in zip(p, p[1:]):
        assert a["memory_bytes"] > b["memory_bytes"] and a["solves_s"] > b["solves_s"] and a["wall_s"] > b["wall_s"]
    for n in p:  # the limit has room for the most iterations and for the end of the run
        assert abs(n["node_hours"] * 3600 / (n["nodes"] * n["wall_s"]) - 1) < 1e-6
        most = sum(m["solves"] * s["seconds"] * m["most"] / m["iterations"] for m, s in zip(told["masses"], n["solves"]))
        room = n["wall_limit_s"] - 1.3 * (n["wall_s"] - n["solves_s"] + most)
        assert n["wall_limit_s"] % 600 == 0 and 299 < room < 901, (n, room)


def the_size_of_the_output_is_that_of_the_run():
    field = path("size.h5")
    naik("gauge", "generate", "--size", "8,8,8,16", "--beta", "6", "--seed", "2", "--sweeps", "0", "-o", field)
    file = write_input("size.yaml", "8, 8, 8, 16", "0.2, 0.1")
    origins = "solve.0.source.origin=[" + ",".join(f"[0,0,0,{t}]" for t in range(16)) + "]"
    told = plan(file, "--machine", "h200", "--nodes", "1", "--set", origins)["nodes"][0]
    said = naik("solve", file, "--dry-run", "--no-verify", "--set", origins, "--set", f"gauge.file={field}")
    gib = float(re.search(r"96 solves, ([0-9.]+) GiB", said).group(1))
    assert gib > 0.03 and abs(told["output_bytes"] / 2**30 - gib) <= 0.0005, (told, said)


DEFLATED = """
lattice: {size: [64, 64, 64, 96]}
gauge: {file: none.h5}
action: {type: hisq}
solve:
  - {name: light, masses: [0.0012], source: {type: random_wall, seed: 7, t0: [T0]}}
deflation: {modes: 400, file: none-modes.h5, precision: 16}
output: {file: none-prop.h5}
"""


def write_deflated(name, sources=16):
    with open(path(name), "w", encoding="utf-8") as f:
        f.write(DEFLATED.replace("T0", ", ".join(map(str, range(sources)))))
    return path(name)


def low_modes_are_in_the_plan():
    """Iterations, seconds a source and their break-even, consistent with each other and with a plan without modes."""
    file = write_deflated("deflated.yaml")
    words = ("--machine", "perlmutter-80gb", "--nodes", "4")
    n = plan(file, *words)["nodes"][0]
    plain = plan(file, *words, "--set", "deflation={modes: 0}", "--set", f"solver.batch={n['batch']}")["nodes"][0]
    d = n["deflation"]
    assert d["modes"] == 400 and d["sources"] == 16 and d["searches"] == 1, d
    # 25/hypot(m, lambda), 740 modes a slice, and what deflating takes
    lam = 400 / (740 * 96)
    assert abs(d["lambda"] / lam - 1) < 1e-6 and abs(d["iterations"][0]["iterations"] / (25 / (0.0012**2 + lam**2)**0.5) - 1) < 0.03
    assert abs(d["source_s_without"] / (3 * plain["solves"][0]["seconds"]) - 1) < 1e-6, (d, plain)
    assert abs(d["source_s"] / (3 * n["solves"][0]["seconds"]) - 1) < 1e-6
    assert d["break_even_sources"] - 1 < d["search_s"] / (d["source_s_without"] - d["source_s"]) <= d["break_even_sources"]
    assert abs(n["wall_s"] - plain["wall_s"] - d["search_s"] - 16 * (d["source_s"] - d["source_s_without"])) < 1, (n, plain)
    assert n["memory_bytes"] > plain["memory_bytes"] + 400 * 64**3 * 96 // 16 * 8, (n, plain)
    at = "solve.0.source={type: point, origin: [[0, 0, 0, 0], [%d, 0, 0, 2]]}"
    even, half = (plan(file, *words, "--set", at % x)["nodes"][0]["deflation"] for x in (2, 3))  # a source of two on odd sites
    longer = (1 + math.log((0.0012**2 + lam**2)**0.5 / 0.0012)) / math.log(2e10)
    for one, two in ((d, even), (even, half)):
        more = two["iterations"][0]["iterations"] - one["iterations"][0]["iterations"]
        assert abs(more - (two is half) * longer / 2 * 25 / (0.0012**2 + lam**2)**0.5) < 2, (one, two, longer)
    told = naik("solve", file, "--dry-run", *words)
    assert re.search(r"nodes modes +lambda.*pay from\n +4 +400 .* \d+\n", told) and "predicted, not measured" in told, told
    told = naik("solve", file, "--dry-run", *words, "--set", "solve.0.masses=[0.1]")
    assert re.search(r"pay from\n +4 +400 .* never\n", told), told
    told = naik("bench", "model", "--modes", "0,400", "--machine", "perlmutter", "--gpus", "16", "--mass", "0.1")
    assert re.search(r"pay from\n +0 .* 0\n +400 .* never\n", told), told


def modes_that_memory_does_not_hold_are_refused_with_how_many_would():
    file = write_deflated("many.yaml")
    words = ("--machine", "perlmutter", "--nodes", "4")
    n = plan(file, *words, "--set", "deflation.modes=1400", status=2)["nodes"][0]
    fit = n["modes_that_fit"]
    assert n["verdict"] == "does not fit" and 8 <= fit < 1400 and fit % 8 == 0, n
    assert f"{fit} modes would fit" in naik("solve", file, "--dry-run", *words, "--set", "deflation.modes=1400", status=2)
    assert plan(file, *words, "--set", f"deflation.modes={fit}", "--set", "solver.batch=1")["nodes"][0]["verdict"] == "fits"
    more = f"deflation.modes={fit + 8}"
    assert plan(file, *words, "--set", more, "--set", "solver.batch=1", status=2)["nodes"][0]["verdict"] == "does not fit"


def auto_takes_as_many_modes_as_pay_and_fit():
    def chosen(sources, machine, *words):
        file = write_deflated("auto.yaml", sources)
        n = plan(file, "--machine", machine, "--nodes", "4", "--set", "deflation.modes=auto", *words)["nodes"][0]
        assert n["verdict"] == "fits" and re.search(r" modes=[0-9]+$", n["choices"]), n
        return int(n["choices"].split("modes=")[1]), n

    none, n = chosen(2, "perlmutter-80gb")
    assert none == 0 and "deflation" not in n, n
    few, n = chosen(20, "perlmutter-80gb")
    many, _ = chosen(90, "perlmutter-80gb")
    assert 0 < few < many, (few, many)
    assert n["deflation"]["break_even_sources"] < 20, n
    bound, n = chosen(90, "perlmutter", "--set", "lattice.size=[64,64,96,96]")
    assert 0 < bound < many and bound == n["modes_that_fit"] // 8 * 8 and n["memory_bytes"] <= n["available_bytes"], n
    short, _ = chosen(90, "perlmutter-80gb", "--set", "deflation.krylov=128")
    assert 0 < short < 128 < many, (short, many)  # no more than so many vectors find
    heavy, _ = chosen(90, "perlmutter-80gb", "--set", "solve.0.masses=[0.1]")
    assert heavy == 0
    told = naik("solve", write_deflated("auto.yaml", 2), "--dry-run", "--machine", "perlmutter-80gb", "--set", "deflation.modes=auto")
    assert "do not pay for these solves" in told, told


def campaigns_with_modes_are_on_paper_as_the_plan_has_them():
    def row(machine, modes, status=0):
        said = naik("bench", "model", "--modes", str(modes), "--machine", machine, "--gpus", "16", "--json", status=status)
        return json.loads(said.splitlines()[0]) if status == 0 else said

    d = plan(write_deflated("paper.yaml", 4), "--machine", "perlmutter-80gb", "--nodes", "4")["nodes"][0]["deflation"]
    r = row("perlmutter-80gb", 400)
    assert r["verdict"] == "fits" and abs(r["source_s"] / d["source_s"] - 1) < 1e-3, (r, d)
    assert abs(r["search_s"] / d["search_s"] - 1) < 1e-3 and r["break_even_sources"] == d["break_even_sources"], (r, d)
    assert row("lumi-g", 0)["source_s"] > 5 * row("lumi-g", 500)["source_s"]
    assert row("perlmutter", 1000)["verdict"] == "fits"  # 16 x 40 GB
    assert row("perlmutter", 1400)["verdict"] == "too_large" and 1000 <= row("perlmutter", 1400)["modes_that_fit"] < 1400
    assert "no list of" in row("lumi-g", "5,x", status=1)
    odd = naik("bench", "model", "--modes", "5", "--machine", "lumi-g", "--gpus", "12", status=1)
    assert "whole nodes of 8" in odd, odd


def an_epsilon_of_heavy_quarks_gets_no_modes_by_auto():
    file = write_deflated("charm.yaml", 60)
    charm = ("--set", "solve.0.masses=[0.0012, 0.4]", "--set", "solve.0.naik_epsilon=[0, -0.2]")
    words = ("--machine", "perlmutter-80gb", "--nodes", "4", *charm)
    both = plan(file, *words)["nodes"][0]["deflation"]
    light = plan(file, *words, "--set", "deflation.modes=auto")["nodes"][0]["deflation"]
    assert both["searches"] == 2 and light["searches"] == 1, (both, light)


def a_plan_touches_no_file_and_needs_no_gpu():
    folder = path("untouched")
    os.makedirs(folder)
    file = write_input("untouched/run.yaml")
    naik("solve", file, "--dry-run", "--machine", "lumi-g", "--set", "run.backend=gpu",
         "--set", f"output.file={folder}/prop.h5")
    assert os.listdir(folder) == ["run.yaml"]


def a_machine_that_nobody_measured_is_said_to_be_predicted():
    file = write_input("said.yaml")
    for machine in ("perlmutter", "juwels-booster", "lumi-g"):
        said = naik("solve", file, "--dry-run", "--machine", machine)
        assert "predicted, not measured" in said.splitlines()[0], said
    for machine in MEASURED:
        assert "predicted, not measured" not in naik("solve", file, "--dry-run", "--machine", machine)


MACHINE = {"name": "ours", "gpus_per_node": 4, "memory_gib": 39, "copy_gbs": 1370, "wire_inside_gbs": 240,
           "wire_between_gbs": 22}


def write_machine(file, **changes):
    keys = {k: v for k, v in {**MACHINE, **changes}.items() if v is not None}
    with open(path(file), "w", encoding="utf-8") as f:
        f.write("".join(f"{k}: {v}\n" for k, v in keys.items()))
    return path(file)


def a_machine_of_a_file_is_planned_as_one_of_the_table():
    file = write_input("site.yaml")
    table = plan(file, "--machine", "perlmutter", "--nodes", "2,8")
    ours = plan(file, "--machine", write_machine("ours.yaml"), "--nodes", "2,8")
    assert ours["machine"] == "ours" and ours["nodes"] == table["nodes"], (ours, table)
    assert {f["source"] for f in ours["figures"]} >= {"machine file", "assumed"}, ours["figures"]
    slow = plan(file, "--machine", write_machine("slow.yaml", copy_gbs=685), "--nodes", "2")["nodes"][0]
    fast = ours["nodes"][0]["solves"][0]["us_per_iteration"]
    assert 1.5 < slow["solves"][0]["us_per_iteration"] / fast < 2, (slow, fast)
    twice, half = (plan(file, "--machine", write_machine("share.yaml", kernel_share=share), "--nodes", "2")["nodes"][0]["solves"][0]
                   for share in (2, 0.5))
    assert twice["us_per_iteration"] < fast < half["us_per_iteration"], (twice, fast, half)
    lumi = plan(file, "--machine", "lumi-g", "--nodes", "4")["nodes"]
    same = write_machine("dies.yaml", gpus_per_node=8, memory_gib=63, copy_gbs=1310, kernel_share=0.6, wire_inside_gbs=72,
                         wire_between_gbs=11)
    assert plan(file, "--machine", same, "--nodes", "4")["nodes"] == lumi
    said = naik("solve", file, "--dry-run", "--machine", os.path.join(TOP, "doc", "machine-example.yaml"))
    assert "on our-cluster, 4 GPUs a node (GPU of 96 GB): predicted, not measured" in said, said


def wrong_machines_and_numbers_of_nodes_are_refused():
    file = write_input("wrong.yaml")
    for changes, words in (({"copy_gb": 3}, "bad.yaml:7:1: unknown key 'copy_gb'; did you mean 'copy_gbs'?"),
                           ({"memory_gib": None}, "key 'memory_gib' is missing"),
                           ({"copy_gbs": 0}, "bad.yaml:4:11: 'copy_gbs' must be a number above 0"),
                           ({"wire_between_gbs": -22}, "'wire_between_gbs' must be a number above 0"),
                           ({"gpus_per_node": 2.5}, "'gpus_per_node' must be an integer from 1 to 64, not '2.5'"),
                           ({"gpus_per_node": 0}, "'gpus_per_node' must be an integer from 1 to 64"),
                           ({"memory_gib": "nan"}, "'memory_gib' must be a number above 0"),
                           ({"name": ""}, "'name' must be")):
        told = naik("solve", file, "--dry-run", "--machine", write_machine("bad.yaml", **changes), status=1)
        assert words in told, (words, told)
    for words, expected in (
            (("--machine", "perlmuter"), "--machine 'perlmuter' must be one of h200, h100, perlmutter, perlmutter-80gb, "
                                         "juwels-booster, lumi-g, or a file, FILE.yaml"),
            (("--machine", ""), "option '--machine' needs a value"),
            (("--machine", path("none.yaml")), "none.yaml"), (("--machine", SCRATCH + "/"), "cannot be read: Is a directory"),
            (("--machine", "h200", "--nodes", "0"), "--nodes 0 is no list of at most 32 numbers from 1 to 4096"),
            (("--machine", "h200", "--nodes", "4097"), "--nodes 4097 is no list"),
            (("--machine", "h200", "--nodes", "1,,2"), "--nodes 1,,2 is no list"),
            (("--machine", "h200", "--nodes", "two"), "--nodes two is no list"),
            (("--machine", "h200", "--nodes", "1 2"), "--nodes 1 2 is no list"),
            (("--machine", "h200", "--nodes", "-1"), "--nodes -1 is no list"),
            (("--machine", "h200", "--nodes", ",".join(["1"] * 33)), "is no list of at most 32 numbers"),
            (("--machine", "h200", "--json=yes"), "json"),
            (("--nodes", "1"), "--nodes goes with --dry-run --machine NAME only"),
            (("--json",), "--json goes with --dry-run --machine NAME only"),
            (("--from", "x.h5"), "--from goes with --dry-run --machine NAME only")):
        told = naik("solve", file, "--dry-run", *words, status=1)
        assert expected in told and told.count("naik: error:") == 1, (words, told)
    told = naik("solve", file, "--machine", "h200", status=1)
    assert "--machine goes with --dry-run only" in told, told


def a_run_is_shown_beside_its_prediction():
    field, out = path("beside.lat"), path("beside.h5")
    naik("gauge", "generate", "--size", "8,8,8,16", "--beta", "6", "--seed", "1", "--sweeps", "2", "-o", field)
    file = write_input("beside.yaml", "8, 8, 8, 16", "0.2, 0.1")
    more = ("--set", f"gauge.file={field}", "--set", f"output.file={out}")
    expected = plan(file, "--machine", "h200", "--nodes", "1", *more)
    said = naik("solve", file, *more, ranks=2)
    measured = {}
    for mass, n, s in re.findall(r"mass=([0-9.]+) colour=. iterations=([0-9]+) .*seconds=([0-9.]+)", said):
        measured.setdefault(float(mass), []).append((int(n), float(s)))
    lines = re.findall(r"measured: mass=(\S+) tolerance=1e-10 took (\d+) iterations a solve \(predicted: (\d+), from (\d+) to (\d+)\)", said)
    assert len(lines) == 2, said
    for mass, n, told, least, most in lines:
        m = [m for m in expected["masses"] if m["mass"] == float(mass)][0]
        mean = sum(n for n, _ in measured[float(mass)]) / 3
        assert abs(int(n) - mean) <= 0.51 and abs(int(told) - m["iterations"]) <= 0.51, (mass, n, mean, m)
        assert abs(int(least) - m["least"]) <= 0.51 and abs(int(most) - m["most"]) <= 0.51, (mass, m)
    size = os.path.getsize(out)
    assert f"measured: the output has {size} bytes (predicted: {expected['nodes'][0]['output_bytes']})" in said, said
    assert 0 <= expected["nodes"][0]["output_bytes"] - size < 3 << 19, (expected["nodes"][0], size)
    gap = "naik predicts seconds only on the GPUs of the machines"
    assert gap in said, said

    def page():
        told = naik("report", out, "--force")
        assert "wrote" in told, told
        with open(path("beside.html"), encoding="utf-8") as f:
            text = f.read()
        part = re.search(r"<h2>Predicted and measured</h2>(.*?)<h2>", text, flags=re.S)[1]
        return part, [re.findall(r"<td[^>]*>([^<]*)</td>", row) for row in re.findall(r"<tr><td(.*?)</tr>", part)]

    text, rows = page()
    told = re.search(r"The file has (\d+) bytes, predicted (\d+)\.", text)
    assert gap in text and int(told[1]) == size, text
    assert abs(int(told[2]) - expected["nodes"][0]["output_bytes"]) < 1000, (told[2], size, expected["nodes"][0])
    assert len(rows) == 2 and all(len(row) == 6 for row in rows), rows  # no seconds are predicted
    for row, mass in zip(rows, (0.2, 0.1)):
        n, s = (sum(part) / 3 for part in zip(*measured[mass]))
        assert abs(float(row[2]) - n) <= 0.51 and abs(float(row[-1]) - s) <= 0.01 * s + 0.001, (row, measured)
    # Where the device is one of the model's, its times are those of a plan for as many GPUs.
    with h5py.File(out, "r+") as f:
        sessions = f["metadata/sessions"]
        slot = sessions[0]
        kept = slot if isinstance(slot, bytes) else slot.encode()
        sessions[0] = re.sub(rb"device=.*", b"device=NVIDIA H200, device 0", kept)
    h200 = write_machine("one.yaml", name="one", gpus_per_node=2, memory_gib=139, copy_gbs=4040, wire_inside_gbs=367,
                         wire_between_gbs=45)
    node = plan(file, "--machine", h200, "--nodes", "1", *more)["nodes"][0]
    text, rows = page()
    assert "Times as on h200" in text and gap not in text, text
    for row, solve in zip(rows, node["solves"]):
        assert abs(float(row[-1]) / solve["seconds"] - 1) < 0.01, (row, solve)


def worked_examples_of_the_pages_are_what_the_program_prints():
    count = {}
    for name in glob.glob(os.path.join(TOP, "doc", "*.md")):
        page = open(name, encoding="utf-8").read()
        for block in re.findall(r"\n\n((?:    .*\n)(?:(?:    .*)?\n)*)", page):  # an answer may have empty lines
            for shown in re.sub(r"^    ", "", block, flags=re.M).split("$ naik ")[1:]:
                words, _, expected = (shown.rstrip("\n") + "\n").partition("\n")
                run = subprocess.run([NAIK] + shlex.split(words), cwd=TOP, capture_output=True, text=True)
                assert run.returncode == 0 and run.stdout == expected, f"{name}: naik {words}\n{run.stdout}{run.stderr}"
                count[words.split()[0]] = count.get(words.split()[0], 0) + 1
    assert count.get("solve", 0) >= 1 and count.get("bench", 0) >= 2, count


main([the_model_is_within_30_percent_of_what_was_measured,
      a_plan_on_a_node_costs_the_measured_solve_and_its_halos,
      iterations_follow_the_mass_and_the_tolerance,
      a_pilot_run_gives_the_iterations, a_pilot_run_with_modes_is_not_taken_for_one_without,
      wilson_and_clover_quarks_are_planned,
      seconds_of_multigrid_are_planned, faces_that_go_through_the_host_take_longer_and_other_memory, a_plan_counts_the_groups_of_ranks, a_plan_says_which_number_of_groups_is_fastest, the_smallest_number_of_nodes_is_told_and_fits,
      a_lattice_too_small_for_any_node_is_told_so,
      more_nodes_take_less_time_and_memory,
      the_size_of_the_output_is_that_of_the_run,
      low_modes_are_in_the_plan,
      modes_that_memory_does_not_hold_are_refused_with_how_many_would,
      auto_takes_as_many_modes_as_pay_and_fit,
      campaigns_with_modes_are_on_paper_as_the_plan_has_them,
      an_epsilon_of_heavy_quarks_gets_no_modes_by_auto,
      a_plan_touches_no_file_and_needs_no_gpu,
      a_machine_that_nobody_measured_is_said_to_be_predicted,
      a_machine_of_a_file_is_planned_as_one_of_the_table,
      wrong_machines_and_numbers_of_nodes_are_refused,
      a_run_is_shown_beside_its_prediction,
      worked_examples_of_the_pages_are_what_the_program_prints])
