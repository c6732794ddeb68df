"""naik solve with multigrid, as its user runs it: another code's mesons, BiCGStab's answers, bytes on every grid and in every batch, resume, refusals."""
import json
import os
import re
import subprocess

import h5py
import numpy as np

from program import LONG, REFERENCE, everything, main, naik, path, same

INPUT = """
lattice:  {size: %s, boundary_t: antiperiodic}
gauge:    {file: %s}
action:   {%s}
solve:
  - name: pt
    %s
    source: {type: point, origin: %s}
solver:   {method: %s, tolerance: 1e-10}
output:   {file: %s, correlators: [pion]}
run:      {share_gpu: true}
"""
LIGHT = "kappas: [0.140]"
QUARK = "type: clover, csw: 1.0"


def solve(name, *more, size="[8, 4, 4, 8]", gauge=None, action=QUARK, mass=LIGHT, origin="[1, 2, 3, 5]", method="multigrid",
          **options):
    with open(path(name + ".yaml"), "w") as f:
        f.write(INPUT % (size, gauge or path("lat.h5"), action, mass, origin, method, path(name + ".h5")))
    return naik("solve", path(name + ".yaml"), *more, **options)


def on_gpu():
    return "device 0" in solve("where", "--dry-run").split("\n")[0]


SELDOM = "a GPU is looked at too seldom: solves of so few outer iterations end before"


def a_configuration_is_generated():
    naik("gauge", "generate", "--size", "8,4,4,8", "--beta", "5.7", "--seed", "3", "--sweeps", "8", "-o", path("lat.h5"))


def eight_ranks_give_the_same_bytes():
    if not LONG:
        return "in the long run only"
    naik("gauge", "generate", "--size", "8,8,8,8", "--beta", "5.7", "--seed", "3", "--sweeps", "4", "-o", path("cube.h5"))
    for name, ranks, env in ("lone", 1, {}), ("eight", 8, {"NAIK_GRID": "2x2x2x1"}):
        solve(name, size="[8, 8, 8, 8]", gauge=path("cube.h5"), ranks=ranks, env=env)
    same(everything("lone.h5"), everything("eight.h5"))
    assert prints("lone.h5") == prints("eight.h5"), (prints("lone.h5"), prints("eight.h5"))


def prints(name):
    """What the records say of the setups, run by run."""
    with h5py.File(path(name), "r") as f:
        return re.findall("^multigrid_q0=(.*)$", "\n".join(s.decode() for s in f["/metadata/sessions"][...]), flags=re.M)


def answers_are_those_of_bicgstab_in_fewer_iterations():
    said = solve("one")
    assert len(re.findall(r"^multigrid (?:start|cycle)", said, flags=re.M)) == 4, said
    solve("other", method="bicgstab")
    with h5py.File(path("one.h5")) as a, h5py.File(path("other.h5")) as b:
        x, y = (f["/prop/s0000/m00"][...] for f in (a, b))
        assert 0 < np.linalg.norm(x - y) < 1e-7 * np.linalg.norm(y)
        fast, slow = (f["/solves"]["iterations"] for f in (a, b))
        print("iterations", fast.min(), fast.max(), "of BiCGStab", slow.min(), slow.max())
        assert fast.max() <= 30 and 2 * fast.max() < slow.max(), (fast, slow)
        assert (a["/solves"]["true_residual"] <= 1e-10).all()


def grids_threads_and_batches_give_the_same_bytes():
    runs = [(2, {"NAIK_GRID": "1x1x1x2"}, 5)]
    if LONG:
        runs += [(1, {"OMP_NUM_THREADS": "2"}, 1), (4, {"NAIK_GRID": "2x1x1x2"}, 12)]
    for ranks, env, batch in runs:
        solve("again", "--set", f"solver.batch={batch}", ranks=ranks, env=env)
        same(everything("one.h5"), everything("again.h5"))
        assert prints("again.h5") == prints("one.h5"), (prints("again.h5"), prints("one.h5"))
        os.remove(path("again.h5"))


def a_stopped_run_goes_on_to_the_same_bytes():
    kept = [] if on_gpu() else ["solve:4"]
    for where in "setup:3", *kept, "setup:12":  # in the first block of noise, and in a cycle
        said = solve("halted", env={"NAIK_INJECT": "stop:" + where}, status=5)
        begun = where.startswith("solve")  # else the start may have taken most of the time until then
        early = "(: run the same command again to go on|, .* s after its start and before the first iteration: give the run more time)"
        assert re.search(" with 0 of 12 solves done" + (": run the same command again to go on" if begun else early), said), said
        assert begun or len(re.findall("^multigrid cycle", said, flags=re.M)) < 3, said  # before its end
        assert ("solves in flight are in" in said) == begun, said
    said = solve("halted")
    assert said.count("restored: ") == 12 * len(kept), said
    same(everything("one.h5"), everything("halted.h5"))
    assert prints("halted.h5") == prints("one.h5") and len(prints("one.h5")) == 1, prints("halted.h5")


def another_setup_ends_the_run():
    if on_gpu():
        return SELDOM
    solve("marked", env={"NAIK_INJECT": "stop:solve:4"}, status=5)

    def mark(pattern, by):
        with h5py.File(path("marked.h5.part"), "r+") as f:
            slots = f["/metadata/sessions"]
            slots[0] = re.sub(b"(?m)^(multigrid_q0=)" + pattern, rb"\1" + by, slots[0])

    mark(b".", b"x")
    said = solve("marked", status=4)
    told = re.search(r"came out as [0-9a-f](\S+) and in an earlier run of \S+marked.h5 as x(\S+): a memory or device was wrong, or is of another kind", said)
    assert told and told[1] == told[2], said
    mark(rb"(\S+ \S+) \S+", rb"\2 0.0.1")  # of another version, which may make another one
    solve("marked")
    same(everything("one.h5"), everything("marked.h5"))


def a_setup_that_changes_in_memory_is_made_again():
    if on_gpu():
        return SELDOM
    said = solve("flipped", env={"NAIK_INJECT": "flip:coarse:3,flip:vectors:3"}, status=4)
    assert "the coarse matrices of multigrid changed in the memory of rank 0: they are made again" in said, said
    assert "the near-null vectors of multigrid changed in the memory of rank 0, and it is not the first time" in said, said
    said = solve("flipped", env={"NAIK_INJECT": "flip:vectors:3"})
    assert "the near-null vectors of multigrid changed" in said and said.count("multigrid start") == 2, said
    same(everything("one.h5"), everything("flipped.h5"))


def a_quark_that_multigrid_is_no_good_for_changes_nothing_for_the_next():
    quarks = {"mass": "kappas: [0.140, 0.02, 0.130]"}
    said = solve("three", **quarks)
    assert said.count("cannot fit a smoother of 8 coefficients to this operator: BiCGStab solves without multigrid") == 1, said
    assert said.count("outer iterations together; an outer iteration took") == 2, said  # the quark between them is not solved by it
    assert re.search(r"^solve  ", said, flags=re.M), said  # beside the setup in the table of times, not in it
    assert said.count("multigrid start") == 1, said
    # multigrid's batch is its own; where it is narrower, memory need not hold multigrid beside the others'
    said = solve("killed", status=None, env={"NAIK_INJECT": "squeeze:batch:3,kill:write:30"}, **quarks)
    assert said.count("multigrid start") == 2, said
    solve("killed", **quarks)
    same(everything("three.h5"), everything("killed.h5"))
    unfit = solve("unfit", "--set", "solver.max_iterations=1", mass="kappas: [0.02]", status=3)  # what was forgiven is no failure
    assert "naik: error: 12 of 12 solves did not reach their tolerance" in unfit, unfit
    with h5py.File(path("three.h5")) as f:
        assert f["/solves"]["iterations"][24:].max() <= 12, f["/solves"]["iterations"]


def info_and_report_tell_outer_iterations_coarse_steps_and_setup():
    told = re.findall(r"multigrid=mass=(\S+) setup_s=(\S+) outer=(\d+) coarse=(\d+) kappa=0\.\d+$", naik("info", path("three.h5")), re.M)
    assert [round(float(mass), 5) for mass, *_ in told] == [-0.42857, 21, -0.15385], told  # the second takes none
    assert told[1][2:] == ("0", "0") and all(float(t[1]) > 0 and int(t[3]) > int(t[2]) > 1 for t in (told[0], told[2])), told
    naik("report", path("three.h5"))
    with open(path("three.html")) as f:
        rows = re.findall(r'<tr><td class="n">(-?[0-9.]+)</td>(.*)</tr>', f.read().split("<h2>Time</h2>")[1].split("</table>")[0])
    for (mass, row), (_, setup, outer, coarse) in zip(rows, told):
        assert row.endswith(f'<td class="n">{int(coarse) / max(int(outer), 1):.1f}</td><td class="n">{setup}</td>'), (mass, row, setup)
    assert len(rows) == 3


def vectors_made_for_another_kappa_are_those_of_a_run_with_both():
    solve("guided", "--set", "multigrid.setup_kappa=0.140", mass="kappas: [0.130]")
    with h5py.File(path("three.h5")) as a, h5py.File(path("guided.h5")) as b:
        assert (a["/prop/s0000/m02"][...] == b["/prop/s0000/m00"][...]).all()


def reasons(name):
    with h5py.File(path(name + ".h5")) as f:
        return {r.decode() for r in f["/solves"]["stop_reason"]}


REFUSED = "has solutions by multigrid or may still get some, and here there can be none: no box of the grid 2x1x1x1 holds"
LONG_ONES = "--set", "multigrid.aggregate=[8, 2, 2, 2]"
TOO_NARROW = {"ranks": 2, "env": {"NAIK_GRID": "2x1x1x1"}}  # for such aggregates
LIMIT = "--set", "solver.max_iterations=40"  # of every column, tried or not


def auto_stays_with_bicgstab_where_the_first_column_needs_few_iterations():
    said = solve("auto", method="auto")
    told = re.search("stays with bicgstab: the first column took fewer than the ([0-9]+) iterations after which", said)
    assert told.group(1) == ("295" if "device 0" in said.split("\n")[0] else "391"), said  # GPU, CPU
    assert "multigrid start" not in said and said.count("method: ") == 1, said
    same(everything("other.h5"), everything("auto.h5"))
    assert reasons("auto") == {"converged"}, reasons("auto")
    said = solve("colour", method="auto", origin="[1, 2, 3, 5], colours: [0]")
    assert re.search("stays with bicgstab: .* after which multigrid pays for 4 columns", said), said


def columns_join_the_first_where_its_residual_foresees_few_iterations():
    solve("other", method="bicgstab")
    # the first column has 45 iterations; a GPU is looked at every tenth or twentieth of them
    said = solve("joined", method="auto", env={"NAIK_INJECT": f"stop:solve:{30 if on_gpu() else 44}"}, status=5)
    assert " with 0 of 12 solves done" in said, said
    said = solve("joined", method="auto")
    assert said.count("restored: ") == 12 and said.count("stays with bicgstab") == 1, said
    same(everything("other.h5"), everything("joined.h5"))


def what_has_ended_waits_for_the_first_and_is_dropped_with_it():
    if on_gpu():
        return "a GPU is looked at too seldom for a column to end just before the first one"
    # columns that join at iteration 20 and ask for less, on the same parity
    two = {"mass": LIGHT + "\n    source: {type: point, origin: [1, 2, 3, 5]}\n  - name: rough\n    " + LIGHT + "\n    tolerance: 4.0e-6",
           "origin": "[5, 3, 0, 1]"}
    solve("apart", method="bicgstab", **two)
    with h5py.File(path("apart.h5")) as f:
        first, beside = f["/solves"]["iterations"][0], f["/solves"]["iterations"][12:16]
    assert beside.min() < 44 - 20 and first - 20 in beside, (first, beside)
    wide = ["--set", "solver.batch=16"]
    said = solve("waits", *wide, method="auto", env={"NAIK_INJECT": "stop:solve:44"}, status=5, **two)
    assert " with 0 of 24 solves done" in said, said
    said = solve("waits", *wide, method="auto", **two)
    assert said.count("restored: ") == 16, said
    # the first is found wrong at the poll at which another one has ended
    said = solve("dropped", *wide, method="auto", env={"NAIK_INJECT": "flip:source:41"}, **two)
    assert "source=pt kappa=0.14 mass=-0.428571 spin=0 colour=0: the solver found a residual of" in said, said
    assert "\nsolve 1/24: source=pt kappa=0.14 mass=-0.428571 spin=0 colour=0 " in said, said
    for name in "waits.h5", "dropped.h5":
        same(everything("apart.h5"), everything(name))


def columns_that_joined_are_forgotten_where_the_first_turns_out_to_need_many():
    # 20 iterations promise 142 in all, 40 promise more than the limit, and 400 are taken
    light = {"mass": "kappas: [0.156]"}
    solve("beyond", **light)
    kept = []
    for where in 30, 60:
        solve("hoped", "--fresh", method="auto", env={"NAIK_INJECT": f"stop:solve:{where}"}, status=5, **light)
        kept.append(os.path.getsize(path("hoped.h5.part.state")))
    assert kept[0] > 6 * kept[1] > 0, kept  # all columns, and the first
    said = solve("hoped", method="auto", **light)
    assert said.count("restored: ") == 1 and said.count("takes multigrid: bicgstab has not solved the first column") == 1, said
    same(everything("beyond.h5"), everything("hoped.h5"))


def a_first_column_goes_on_on_the_rung_that_it_has_climbed_to():
    four = {"mass": "kappas: [0.156]", "origin": "[1, 2, 3, 5], colours: [0]"}  # they climb at 160 of some 400 iterations
    solve("climbs", method="bicgstab", **four)
    solve("climbed", method="auto", env={"NAIK_INJECT": "stop:solve:200"}, status=5, **four)
    said = solve("climbed", method="auto", **four)
    after = [int(n) for n in re.findall(r"^restored: .* colour=0 after (\d+) iterations$", said, flags=re.M)]
    assert len(after) == 1 and 200 <= after[0] and "went on with double from iteration" in said, (after, said)
    with h5py.File(path("climbs.h5")) as a, h5py.File(path("climbed.h5")) as b:
        assert (a["/prop/s0000/m00"][...] == b["/prop/s0000/m00"][...]).all() and np.abs(a["/prop/s0000/m00"][...]).max() > 0


def auto_takes_multigrid_where_it_needs_many():
    said = solve("light", *LIMIT, method="auto")
    assert "takes multigrid: bicgstab has not solved the first column in 40 iterations" in said, said
    tells = re.search(r"changes to multigrid after (\d+) iterations without a solution if 12 columns share the setup, or after (\d+) if 48 do", said)
    assert tells and int(tells[1]) > int(tells[2]) > 0, said
    same(everything("one.h5"), everything("light.h5"))
    assert reasons("light") == {"converged by multigrid"}, reasons("light")


def a_run_that_goes_on_takes_what_it_took():
    # the flip is in the column that is tried, and spoils nothing: the stop waits for the next solve
    left = [] if on_gpu() else [("left", "flip:direction:5,stop:solve:4", 1)]  # SELDOM
    for name, fault, ranks in ("tried", "stop:solve:1", 1), *left, ("gone", "kill:write:3", 2):
        solve(name, *LIMIT, method="auto", env={"NAIK_INJECT": fault}, status=5 if "stop" in fault else None)
        if name == "tried":  # what is kept of the column that was tried is not taken for one of multigrid
            said = solve(name, *LIMIT, method="auto", env={"NAIK_INJECT": "kill:write:3"}, status=None)
            assert said.count("restored: ") == 1, said
        said = solve(name, *LIMIT, "--set", "solver.batch=5", method="auto", ranks=ranks)
        same(everything("one.h5"), everything(name + ".h5"))
        goes_on = said.count("goes on with multigrid, as it began") == 1
        assert goes_on and said.count("restored: ") == {"tried": 0, "left": 12, "gone": 0}[name], (name, said)
    solve("torn", *LIMIT, method="auto", env={"NAIK_INJECT": "kill:write:3"}, status=None)
    said = solve("torn", *LIMIT, method="bicgstab", status=1)
    assert "has solutions by multigrid, which solver.method auto took, and now solver.method is bicgstab" in said, said
    with open(path("torn.h5.part"), "r+b") as f:
        f.write(bytes(512))  # the journal has the records, and no note of a setup
    said = solve("torn", *LIMIT, method="auto")
    assert "saved by its journal" in said and said.count("goes on with multigrid, as it began") == 1, said
    same(everything("one.h5"), everything("torn.h5"))
    solve("far", *LIMIT, *LONG_ONES, method="auto", env={"NAIK_INJECT": "kill:write:3"}, status=None)
    said = solve("far", *LIMIT, *LONG_ONES, method="auto", status=1, **TOO_NARROW)
    assert REFUSED in said, said
    solve("far", *LIMIT, *LONG_ONES, method="auto")
    for dry, told in ((), "is complete already: nothing to solve"), (("--dry-run",), "the input is valid; nothing was solved"):
        said = solve("far", *LIMIT, *LONG_ONES, *dry, method="auto", **TOO_NARROW)
        assert told in said, said


def an_output_without_solutions_by_multigrid_goes_on_anywhere():
    for name, method, more, options in ("narrow", "auto", LONG_ONES, TOO_NARROW), ("named", "bicgstab", (), {}):
        solve(name, *more, method="auto", env={"NAIK_INJECT": "kill:write:5"}, status=None)
        solve(name, "--dry-run", *more, method=method, **options)
        said = solve(name, *more, method=method, **options)
        assert "resuming: 4 of" in said and "multigrid start" not in said, said
        assert ("takes no multigrid, because no box of the grid" in said) == (name == "narrow"), said
        assert ("multigrid=on" in said) == (name == "narrow"), said  # as the output says
        same(everything("other.h5"), everything(name + ".h5"))


def an_output_begun_without_multigrid_goes_on_without_it():
    solve("before", method="bicgstab", env={"NAIK_INJECT": "kill:write:5"}, status=None)  # as before there was auto
    said = solve("before", method="auto")
    assert "takes no multigrid, because the output was begun without it" in said and "resuming: 4 of" in said, said
    same(everything("other.h5"), everything("before.h5"))


def a_quark_is_decided_though_nothing_of_it_is_good_enough():
    # rounding leaves the first column above this limit, at which its solver has nothing more to do
    said = solve("above", "--set", "solver.tolerance_full=5e-16", "--set", "solver.max_iterations=100", method="auto",
                 mass="kappas: [0.130]", status=None)
    assert said.count("method: ") == 1 and "stays with bicgstab: the first column took fewer" in said, said
    few = "--set", "solver.max_iterations=3"
    solve("few", *few, method="auto", env={"NAIK_INJECT": "kill:write:3"}, status=None)
    said = solve("few", *few, method="auto", status=3)
    assert "goes on with multigrid, as it began" in said and "resuming: 2 of" in said, said
    assert reasons("few") == {"iteration limit"}, reasons("few")
    said = solve("few", method="auto")
    assert "goes on with multigrid, as it began" in said and reasons("few") == {"converged by multigrid"}, (said, reasons("few"))
    solve("fewer", *few, *LONG_ONES, method="auto", env={"NAIK_INJECT": "kill:write:3"}, status=None)
    for more in ("--dry-run",), ():
        said = solve("fewer", *more, *few, *LONG_ONES, method="auto", status=1, **TOO_NARROW)  # no record says "by multigrid"
        assert REFUSED in said, said
    solve("fewer", "--dry-run", "--fresh", *few, *LONG_ONES, method="auto", **TOO_NARROW)


def lighter_quarks_follow():
    said = solve("two", *LIMIT, mass="kappas: [0.139, 0.140]", method="auto")
    assert re.search("kappa=0.14 mass=.* takes multigrid, as the heavier kappa=0.139 mass=", said), said
    assert said.count("has not solved the first column") == 1, said


def auto_does_without_where_the_grid_holds_no_aggregates():
    said = solve("without", "--set", "multigrid.aggregate=[8, 4, 4, 8]", method="auto", ranks=2, env={"NAIK_GRID": "1x1x1x2"})
    assert said.count("multigrid: solver.method auto takes no multigrid, because no box of the grid 1x1x1x2 holds whole aggregates of 8x4x4x8") == 1, said
    same(everything("other.h5"), everything("without.h5"))


def small_machine():
    shim, source = path("small_machine.so"), os.path.join(os.path.dirname(os.path.abspath(__file__)), "shim/small_machine.c")
    return None if subprocess.run(["cc", "-shared", "-fPIC", "-o", shim, source, "-ldl"]).returncode else shim


def auto_does_without_where_memory_is_too_small_and_says_what_would_fit():
    shim = small_machine()
    if on_gpu():
        return "the memory that has to suffice is the GPU's, and the shim is for that of a machine"
    if shim is None or "sanitize" in os.environ.get("LD_PRELOAD", ""):
        return "there is no compiler for a shim, or something is preloaded"
    env = {"LD_PRELOAD": shim, "NAIK_MACHINE_MIB": "30"}  # 17 without multigrid, 49 with it
    said = solve("small", method="auto", env=env)
    needed, there, ranks = re.search(r"takes no multigrid, because with it a rank needs (\S+) MiB at the least and (\S+) MiB are there \(it takes "
                                     r"at least (\d+) ranks with as much memory\)", said).groups()
    assert float(needed) > float(there) == 30 and int(ranks) == -(-float(needed) // float(there)), said
    same(everything("other.h5"), everything("small.h5"))
    told = (r"the run needs \S+ MiB a rank and the machine has 52 MiB: use more nodes, at least 2 ranks with as much memory, or a smaller "
            r"solver.batch, or multigrid.restart of 8 ")
    env["NAIK_MACHINE_MIB"] = "52"  # half of the outer directions fit
    said = solve("small", "--fresh", "--dry-run", "--set", "solver.batch=12", env=env, status=2)
    assert re.search(told, said), said
    solve("small", "--fresh", "--dry-run", "--set", "solver.batch=12", "--set", "multigrid.restart=8", env=env)


def a_setup_that_fails_loses_nothing_whoever_chose_it():
    heavy = {"mass": "kappas: [0.1]"}  # of so many coefficients there is no smoother for it
    more = "--set", "multigrid.smoother=12"
    plain = solve("plain", method="bicgstab", **heavy)
    said = solve("failed", *more, **heavy)
    warning = "multigrid cannot fit a smoother of 12 coefficients to this operator: BiCGStab solves without multigrid"
    assert said.count(warning) == 1 and "multigrid start" not in said, said
    same(everything("plain.h5"), everything("failed.h5"))
    # auto takes it, and where it cannot be made what a column's limit leaves is solved later
    said = solve("failed", "--fresh", "--set", "solver.max_iterations=5", *more, method="auto", status=3, **heavy)
    assert "takes multigrid: bicgstab has not solved the first column in 5 iterations" in said and said.count(warning) == 1, said
    assert "12 of 12 solves did not reach their tolerance" in said, said
    said = solve("failed", *more, method="auto", **heavy)
    assert reasons("failed") == {"converged"} and "multigrid start" not in said, (said, reasons("failed"), plain)


def vectors_that_noise_replaced_are_told():
    naik("gauge", "generate", "--size", "8,4,4,8", "--beta", "6", "--start", "cold", "--sweeps", "0", "-o", path("cold.h5"))
    told = []
    for ranks in 1, 2:
        said = solve("alike", "--fresh", "--set", "multigrid.cycles=2", "--set", "lattice.boundary_t=periodic", gauge=path("cold.h5"),
                     action="type: wilson", mass="kappas: [0.124]", ranks=ranks)
        told.append(re.findall("noise took the place of ([0-9]+) parts of vectors", said))
        assert reasons("alike") == {"converged by multigrid"}, said
    assert told[0] == told[1] and (1 if on_gpu() else 2) <= len(told[0]) <= 2 and int(told[0][-1]) > 0, told


def a_grid_is_chosen_for_the_aggregates_of_the_input():
    solve("tall", "--set", "multigrid.aggregate=[2, 2, 2, 8]", ranks=2)


def every_twist_has_a_setup_of_its_own():
    point = "source: {type: point, origin: [0, 0, 0, 0], colours: [0]}\n    correlators: []\n"
    said = solve("twists", "--set", f"multigrid={{cycles: 0, file: {path('null.h5')}}}", mass=f"{LIGHT}\n    twist: [0.5, 0, 0]\n    {point}  - name: straight\n"
                 "    kappas: [0.141]\n    correlators: []")  # lighter, but not of the other's links
    assert said.count("\nmultigrid start: ") == 2, said
    said = "\n".join(re.findall("    multigrid_.*", naik("info", path("twists.h5"))))
    for note in "q0=", "q1=", f"vectors=24 made for kappa 0.14, kept in {path('null.h5')} (", f"vectors_q1=24 made for kappa 0.141, kept in {path('null.h5')}.":
        assert said.count("multigrid_" + note) == 1, (note, said)


def mesons_are_those_of_another_code():
    if REFERENCE is None:
        return "NAIK_REFERENCE is not set"
    with open(os.path.join(REFERENCE, "wilson_cases.json")) as f:
        cases = json.load(f)["cases"]
    assert len(cases) == 4, cases
    for case in cases if LONG else cases[:2]:
        action = "type: wilson" if case["action"] == "wilson" else f"type: clover, csw: {case['clov_c']}, u0: {case['u0']}"
        solve(case["name"], size=str(case["dims"]), gauge=os.path.join(REFERENCE, case["gauge"]["file"]), action=action,
              mass=f"kappas: [{case['kappa']}]", origin="[0, 0, 0, 0]")
        with h5py.File(path(case["name"] + ".h5")) as f:
            found = f["/corr/pt/m00/pion/p000"][...]
        wanted = np.array(case["expected"]["correlators"]["PION_p000"])[:, 0]
        assert np.abs(found.real[:len(wanted)] - wanted).max() < 1e-9 * wanted[0], (case["name"], found, wanted)
        assert reasons(case["name"]) == {"converged by multigrid"}, (case["name"], reasons(case["name"]))


def free_quarks_have_the_pion_of_their_fourier_sum():
    naik("gauge", "generate", "--size", "4,4,4,8", "--beta", "6", "--sweeps", "0", "-o", path("unit.h5"))
    solve("free", size="[4, 4, 4, 8]", gauge=path("unit.h5"), action="type: wilson", mass="kappas: [0.12]", origin="[0, 0, 0, 0]")
    known = 0.82892144092811, 0.0688774557961735, 0.0320695681044772, 0.0255968239761578, 0.0241588349909568
    with h5py.File(path("free.h5")) as f:
        pion = f["/corr/pt/m00/pion/p000"][...]
    assert np.abs(pion[:5] - known).max() < 1e-10, (pion, known)
    assert reasons("free") == {"converged by multigrid"}, reasons("free")


def mesons_are_the_same_in_another_gauge():
    naik("gauge", "fix", path("lat.h5"), "-o", path("landau.h5"), "--gauge", "landau", "--tolerance", "1e-4")
    solve("turned", gauge=path("landau.h5"))
    with h5py.File(path("one.h5")) as a, h5py.File(path("turned.h5")) as b:
        x, y = (f["/corr/pt/m00/pion/p000"][...] for f in (a, b))
        s, r = (f["/prop/s0000/m00"][...] for f in (a, b))
    assert np.abs(x - y).max() < 1e-9 * abs(x[0]), (x, y)
    assert np.linalg.norm(s - r) > 0.1 * np.linalg.norm(s)  # in the other gauge it is another propagator


# kappa, then at most: outer iterations of 12 columns, coarse steps of each, and Mh where BiCGStab has 542, 1172, 2948
NEAR_CRITICAL = [(0.1620, 23, 25, 542 / 2.5), (0.1635, 26, 40, 1172 / 4.5), (0.1650, 35, 65, 2948 / 8)]


def light_quarks_take_no_more_iterations_than_they_were_found_to_take():
    """Beta 5.8: 0.1650 lies beyond the critical kappa of this configuration."""
    if not LONG:
        return "in the long run only"
    naik("gauge", "generate", "--size", "8,8,8,16", "--beta", "5.8", "--seed", "55", "--sweeps", "40", "--over-relaxations", "4",
         "-o", path("beyond.h5"))
    said = solve("light", size="[8, 8, 8, 16]", gauge=path("beyond.h5"), action="type: wilson",
                 mass=f"kappas: [{', '.join(str(row[0]) for row in NEAR_CRITICAL)}]")
    told = re.findall(r"multigrid: .* took (\d+) outer iterations together; an outer iteration took ([0-9.]+) coarse steps", said)
    setup = re.findall(r"^multigrid cycle: .* after (\d+) applications of Mh to each vector", said, flags=re.M)
    assert int(setup[-1]) <= 90, said
    with h5py.File(path("light.h5")) as f:
        taken = [f["/solves"]["iterations"][12 * i:12 * i + 12].max() for i in range(3)]
    for (kappa, outer, coarse, applications), iterations, (batches, steps) in zip(NEAR_CRITICAL, taken, told):
        print(f"kappa {kappa}: {iterations} outer iterations, {steps} coarse steps")
        assert int(batches) == iterations <= outer and float(steps) <= coarse and 9 * iterations <= applications, (kappa, said)


def what_cannot_be_is_refused():
    said = solve("refused", size="[8, 4, 4, 24]", gauge=path("long.h5"), ranks=4, env={"NAIK_GRID": "1x1x1x4"}, status=1)
    assert re.search("needs boxes that hold whole ones.*: use 4 ranks with grid 2x1x1x2", said), said
    assert not os.path.exists(path("refused.h5.part"))
    said = solve("refused", "--set", "multigrid.aggregate=[8, 4, 4, 8]", ranks=2, env={"NAIK_GRID": "1x1x1x2"}, status=1)
    assert "aggregates of 8x4x4x8 needs boxes" in said and "use 1 rank with grid 1x1x1x1" in said, said
    said = solve("refused", "--set", "multigrid.aggregate=[4, 4, 4, 8]", size="[8, 8, 8, 8]", gauge=path("cube.h5"), ranks=2, env={"NAIK_GRID": "1x1x1x2"}, status=1)
    assert "use 2 ranks with grid 1x1x2x1, 1x2x1x1, 2x1x1x1\n" in said, said
    said = solve("refused", "--set", "solver.inner_precision=double", status=1)
    assert "iterates in single precision" in said, said


def an_output_of_another_input_is_refused_by_key():
    solve("one", "--set", "solve.0.twist=[0, 0, 0]", "--set", "action.u0=1")  # defaults in words
    said = solve("one", "--set", "multigrid.vectors=48", status=1)
    assert "was begun with the input's 'multigrid.vectors' at its default, now it is 'multigrid.vectors = 48'" in said, said
    said = solve("guided", mass="kappas: [0.130]", status=1)
    assert "was begun with the input 'multigrid.setup_kappa = 0.14', now 'multigrid.setup_kappa' is at its default" in said, said


main([a_configuration_is_generated, answers_are_those_of_bicgstab_in_fewer_iterations, grids_threads_and_batches_give_the_same_bytes,
      eight_ranks_give_the_same_bytes,
      a_stopped_run_goes_on_to_the_same_bytes, another_setup_ends_the_run, a_setup_that_changes_in_memory_is_made_again,
      auto_stays_with_bicgstab_where_the_first_column_needs_few_iterations,
      columns_join_the_first_where_its_residual_foresees_few_iterations,
      what_has_ended_waits_for_the_first_and_is_dropped_with_it,
      columns_that_joined_are_forgotten_where_the_first_turns_out_to_need_many,
      a_first_column_goes_on_on_the_rung_that_it_has_climbed_to,
      auto_takes_multigrid_where_it_needs_many, a_run_that_goes_on_takes_what_it_took,
      an_output_begun_without_multigrid_goes_on_without_it,
      an_output_without_solutions_by_multigrid_goes_on_anywhere, a_quark_is_decided_though_nothing_of_it_is_good_enough, lighter_quarks_follow, auto_does_without_where_the_grid_holds_no_aggregates,
      auto_does_without_where_memory_is_too_small_and_says_what_would_fit, a_setup_that_fails_loses_nothing_whoever_chose_it,
      vectors_that_noise_replaced_are_told,
      a_grid_is_chosen_for_the_aggregates_of_the_input, every_twist_has_a_setup_of_its_own, mesons_are_those_of_another_code,
      free_quarks_have_the_pion_of_their_fourier_sum, mesons_are_the_same_in_another_gauge,
      light_quarks_take_no_more_iterations_than_they_were_found_to_take, what_cannot_be_is_refused,
      a_quark_that_multigrid_is_no_good_for_changes_nothing_for_the_next, info_and_report_tell_outer_iterations_coarse_steps_and_setup,
      vectors_made_for_another_kappa_are_those_of_a_run_with_both,
      an_output_of_another_input_is_refused_by_key],
     needed=[a_configuration_is_generated, answers_are_those_of_bicgstab_in_fewer_iterations,
             a_quark_that_multigrid_is_no_good_for_changes_nothing_for_the_next,
             vectors_made_for_another_kappa_are_those_of_a_run_with_both])
