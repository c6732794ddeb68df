"""Faults that naik is to survive or to name, ordered by NAIK_INJECT (src/run/fault.h): after each, either the
bytes are those of an undisturbed run, or nothing wrong is stored and the exit status says so.
timeout: 300
"""
import json
import os
import re
import signal
import subprocess
import time

import h5py
import numpy as np

from program import KILLED, LONG, MPICH, NAIK, built_shim, command, ended_with, environment, go_on, held, holding, main, naik, path, start

INPUT = """
lattice: {size: [4, 4, 4, 8]}
gauge:   {file: %s}
action:  {type: hisq}
solve:
  - {name: pt, masses: [0.05], source: {type: point, origin: [0, 0, 0, 0]}}
solver:  {tolerance: 1e-9, inner_precision: %s}
output:  {file: %s}
"""
TOLERANCE = 1e-9


def contents(name):
    """Every dataset that two runs must share, as bytes."""
    found = {}
    with h5py.File(path(name)) as f:
        def keep(key, item):
            if isinstance(item, h5py.Dataset) and key.startswith(("prop/", "corr/", "solves_history")):
                found[key] = item[()].tobytes()
        f.visititems(keep)
    return found


def solve(out, *more, inner="single", inject=None, ranks=1, status=0, env=None):
    with open(path(out + ".yaml"), "w") as f:
        f.write(INPUT % (path("lat.h5"), inner, path(out)))
    told = naik("solve", path(out + ".yaml"), *more, ranks=ranks, status=status,
                env={**({"NAIK_INJECT": inject} if inject else {}), **(env or {})})
    injected = told.count("naik: injected")
    asked = len(inject.split(",")) if inject else 0
    assert injected == asked, f"{injected} faults of '{inject}' happened\n{told}"
    assert ("do not use its results" in told) == (inject is not None), told
    return told


def many_solves(out):
    """An input of 192 solves, of which the first three are those of the others."""
    origins = [[x, y, z, 0] for x in range(4) for y in range(4) for z in range(4)]
    with open(path(out + ".yaml"), "w") as f:
        f.write((INPUT % (path("lat.h5"), "single", path(out))).replace("[0, 0, 0, 0]}", f"{origins}}}"))
    return path(out + ".yaml")


def fill(name):
    """Takes all the room that is left."""
    with open(name, "wb", buffering=0) as f:
        try:
            while True:
                f.write(bytes(4096))
        except OSError:
            pass


def same_as_undisturbed(out):
    assert contents(out) == contents("whole.h5"), f"{out} differs from an undisturbed run"


def an_undisturbed_run_warns_of_nothing():
    naik("gauge", "generate", "--size", "4,4,4,8", "--beta", "6", "--seed", "4", "--sweeps", "3", "-o", path("lat.h5"))
    told = solve("whole.h5")
    assert "warning" not in told, told
    with h5py.File(path("whole.h5")) as f:
        session = dict(line.split("=", 1) for line in f["metadata/sessions"][0].decode().splitlines())
    for key in ("time", "libraries", "version", "git", "compiler", "device", "ranks", "grid", "host", "nodes", "system"):
        assert session.get(key), (key, session)
    assert "OMP_NUM_THREADS=1" in session["environment"], session
    # what a launcher tells its ranks, such as the key of the job, is no setting
    assert "OMPI_MCA_orte" not in session["environment"] and "OMPI_MCA_pmix" not in session["environment"], session


def an_order_that_is_not_understood_is_refused():
    for order in ("flip:links", "flip:links:0", "fail:links:3", "stop:write:1", "flip:links:3x"):
        with open(path("bad.yaml"), "w") as f:
            f.write(INPUT % (path("lat.h5"), "single", path("bad.h5")))
        told = naik("solve", path("bad.yaml"), status=1, env={"NAIK_INJECT": order})
        assert f"'{order}' is not WHAT:WHERE:WHEN" in told, told


def links_that_change_are_made_again():
    for i, order in enumerate(("flip:links:20", "flip:inner_links:20", "nan:links:5", "nan:inner_links:5@0")):
        out, ranks = f"links{i}.h5", 1 + i % 2
        if i == 0:  # of a run that was stopped
            solve(out, inject="stop:solve:10", status=5)
        told = solve(out, inject=order, ranks=ranks)
        restored = re.findall("^restored: .*", told, flags=re.M)
        assert len(restored) == len(set(restored)) == (3 if i == 0 else 0), told
        assert re.search(r"links of .* changed in the memory of rank %d: they are made again" % (0 if i == 3 else ranks - 1),
                         told), told
        same_as_undisturbed(out)


def links_are_looked_at_for_every_solution_and_before_any_is_kept():
    # They change in the second of three solves that follow one another, when the first has been checked and refused.
    told = solve("later.h5", "--set", "solver.batch=1", inject="flip:source:5,flip:links:10")
    assert re.search("colour=0: the solver found a residual of .*\n(?:.*\n)*.*links of double precision changed in the memory", told), told
    same_as_undisturbed("later.h5")
    # What was solved with them is not what the next run goes on from.
    told = solve("lost.h5", inject="flip:links:20,stop:solve:25", status=5)
    assert "links of double precision changed in the memory" in told and "stopped by signal" in told, told
    told = solve("lost.h5")
    assert "restored" not in told, told
    same_as_undisturbed("lost.h5")


def links_that_change_twice_end_the_run_and_nothing_wrong_is_stored():
    told = solve("twice.h5", inject="flip:links:20,flip:links:20", ranks=2, status=4)
    assert "changed in the memory of rank 1, and it is not the first time" in told, told
    assert not os.path.exists(path("twice.h5"))
    solve("twice.h5")
    same_as_undisturbed("twice.h5")


def clover(out, *more, inject=None, ranks=1, status=0):
    with open(path(out + ".yaml"), "w") as f:
        f.write((INPUT % (path("lat.h5"), "single", path(out))).replace("type: hisq", "type: clover, csw: 1.0"))
    return naik("solve", path(out + ".yaml"), *more, ranks=ranks, status=status, env={"NAIK_INJECT": inject} if inject else None)


def clover_blocks_that_change_are_made_again():
    clover("clover-whole.h5")
    for i, order in enumerate(("flip:clover:5", "flip:inner_clover:5", "nan:inner_clover:3@0")):
        out, ranks = f"clover{i}.h5", 1 + i % 2
        told = clover(out, inject=order, ranks=ranks)
        assert re.search(r"clover blocks of %s changed in the memory of rank %d: they are made again"
                         % ("the iteration" if i else "double precision", ranks - 1), told), told
        assert contents(out) == contents("clover-whole.h5"), out
    told = clover("clover-twice.h5", inject="flip:clover:5,flip:inner_clover:5", ranks=2, status=4)
    assert "the clover blocks of the iteration changed in the memory of rank 1, and it is not the first time" in told, told
    assert not os.path.exists(path("clover-twice.h5"))
    told = solve("no-clover.h5", inject="flip:clover:5", status=1)
    assert "these quarks have no clover blocks" in told, told


def a_flipped_bit_in_a_vector_is_corrected_by_the_true_residual():
    for inner, where in (("single", "correction"), ("single", "direction"), ("double", "x"), ("double", "residual")):
        out = f"vector-{inner}-{where}.h5"
        solve(out, inner=inner, inject=f"flip:{where}:30")
        with h5py.File(path(out)) as f, h5py.File(path("whole.h5")) as g:
            worst = f["solves"]["true_residual"].max()
            assert worst <= TOLERANCE, (out, worst)
            a, b = f["prop/s0000/m00"][...], g["prop/s0000/m00"][...]
            assert 0 < np.linalg.norm(a - b) < 1e-6 * np.linalg.norm(b), out


def a_nan_in_a_vector_costs_a_restart_a_second_one_a_climb_and_six_the_solve():
    for where in ("x", "direction"):
        told = solve(f"nan-{where}.h5", inject=f"nan:{where}:20")
        assert told.count(" converged") == 3, told
    told = solve("nan-twice.h5", inject="nan:residual:10,nan:residual:20")
    assert told.count(" converged") == 3, told
    assert "began with single, went on with classical from iteration " in told and "NaN or p.Ap <= 0" in told, told
    with h5py.File(path("nan-twice.h5")) as f:
        names = {word: name for name, word in h5py.check_enum_dtype(f["solves"].dtype["rung"]).items()}
        assert sorted(names[r] for r in f["solves"]["rung"]) == ["CLASSICAL", "SINGLE", "SINGLE"]
    five = ",".join(f"nan:residual:{iteration}" for iteration in range(10, 101, 20))
    told = solve("nan-five.h5", "--set", "solver.batch=1", inject=five)
    assert told.count(" converged") == 3, told
    six = five + ",nan:residual:110"
    told = solve("nan.h5", "--set", "solver.batch=1", inject=six, status=3)
    assert "broken by NaN" in told and told.count(" converged") == 2, told
    with h5py.File(path("nan.h5")) as f:
        assert sorted(f["solves"]["true_residual"] <= TOLERANCE) == [False, True, True]


def a_singular_operator_fails_its_solves_and_the_next_go_on():
    naik("gauge", "generate", "--size", "4,4,4,8", "--beta", "6", "--seed", "4", "--sweeps", "0", "-o", path("unit.h5"))
    told = solve("singular.h5", "--set", f"gauge.file={path('unit.h5')}", "--set", "lattice.boundary_t=periodic", "--set",
                 "solve.0.masses=[1e-9, 0.5]", "--set", "solver.max_iterations=2000", status=3)
    assert told.count(" converged") == 3 and "3 of 6 solves did not reach their tolerance" in told, told
    with h5py.File(path("singular.h5")) as f:
        assert list(f["solves"]["true_residual"] > TOLERANCE) == [True] * 3 + [False] * 3


# Three solves ask for each source once to see its parity, once to load it, once to verify: calls 1-3, 4-6, 7-9.
def a_source_or_solution_that_changes_on_the_way_is_noticed():
    for call in (4, 7):
        out = f"source{call}.h5"
        told = solve(out, inject=f"flip:source:{call}", ranks=call // 3)
        assert told.count("it is solved again") == 1, told
        same_as_undisturbed(out)
    # What is made of the solutions waits for the one that is solved again, though the last has come.
    chain = ("--set", "three_point=[{name: three, parent: pt, spectator: pt, insertion: [G1-G1], sink_times: [3], daughter_masses: [0.05]}]")
    solve("chain.h5", *chain)
    told = solve("waits.h5", *chain, inject="flip:source:4")
    assert re.search(r"solve 1/6: source=pt .* colour=2 (?s:.*)solve 3/6: source=pt .* colour=0 ", told), told
    assert contents("waits.h5") == contents("chain.h5")


def what_comes_out_wrong_twice_is_not_stored():
    told = solve("wrong.h5", inject="flip:source:7,flip:source:12", status=4)
    assert "for the second time, so it is given up" in told and "1 of 3 solves came out wrong twice" in told, told
    assert not os.path.exists(path("wrong.h5"))
    told = solve("wrong.h5")
    assert "2 of 3 solves are done" in told, told
    same_as_undisturbed("wrong.h5")


def double_check_stores_what_came_out_twice():
    check = ["--set", "solver.verify=double_check", "--set"]
    told = solve("double.h5", *check, "solver.double_check_every=1")
    assert "warning" not in told and told.count("solve ") >= 3, told
    same_as_undisturbed("double.h5")
    # The bits of the first solve are others, though its residual is good: the third solve decides.
    told = solve("third.h5", *check, "solver.double_check_every=3", inject="flip:direction:30")
    assert told.count("a third solve decides") == 1, told
    same_as_undisturbed("third.h5")
    # They are compared where nobody else wants them.
    told = solve("bare.h5", *check, "solver.double_check_every=3", "--set", "output.propagators=false", inject="flip:direction:30")
    assert told.count("a third solve decides") == 1, told
    assert contents("bare.h5") == {name: data for name, data in contents("whole.h5").items() if not name.startswith("prop/")}
    # One after the other: the first solve twice, the two that are not repeated, the first for the third time.
    told = solve("fourth.h5", *check, "solver.double_check_every=3", "--set", "solver.batch=1",
                 inject=",".join(f"flip:direction:{n}" for n in range(30, 35)), status=4)
    assert "no two of three agree" in told and "1 of 3 solves came out wrong twice" in told, told


def a_failing_write_ends_the_run_and_loses_nothing():
    for io in ("ompio", "romio321"):
        out = f"write-{io}.h5"
        told = solve(out, inject="fail:write:2", status=2, env={"OMPI_MCA_io": io})
        assert "naik: error:" in told, told
        told = solve(out)
        assert "1 of 3 solves are done" in told, told
        same_as_undisturbed(out)


def a_disk_that_fills_up_ends_the_run_and_loses_nothing():
    small = path("small")
    os.makedirs(small)
    # twice what the output takes: its room is looked for before the first solve
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", small], stderr=subprocess.DEVNULL).returncode:
        return "mounting needs root"
    try:
        for ranks, io in enumerate(("ompio", "romio321"), start=1):
            out = os.path.join("small", io + ".h5")
            run = start("solve", many_solves(out), ranks=ranks, env={"OMPI_MCA_io": io, **holding("solve 3/")})
            assert held(run)
            fill(os.path.join(small, "filler"))
            go_on()
            told = run.communicate(timeout=300)[0]
            assert ended_with(2, run.returncode, told) and "No space left on device" in told, (run.returncode, told)
            os.remove(os.path.join(small, "filler"))
            told = naik("solve", path(out + ".yaml"))
            done = int(re.search(r"resuming: (\d+) of 192", told)[1])
            assert 3 <= done < 192, told
            with h5py.File(path(out)) as f, h5py.File(path("whole.h5")) as g:
                assert f["prop/s0000/m00"][...].tobytes() == g["prop/s0000/m00"][...].tobytes()
            os.remove(path(out))
    finally:
        subprocess.run(["umount", small])
    return None


def a_kill_in_mid_write_loses_nothing():
    out = "killed.h5"
    solve(out, inject="kill:write:2", status=-25)  # by SIGXFSZ, at the first write of the second commit
    told = solve(out)
    assert "1 of 3 solves are done" in told, told
    same_as_undisturbed(out)


def a_rank_that_dies_ends_the_job_and_the_rest_follows():
    out = "dies.h5"
    told = solve(out, "--set", "solver.batch=1", inject="kill:solve:20@1", ranks=2, status=KILLED)
    assert not os.path.exists(path(out)), told
    solve(out)
    same_as_undisturbed(out)


def a_write_that_fails_on_one_rank_ends_the_job():
    for io in ("ompio", "romio321"):
        out = f"hangs-{io}.h5"
        told = solve(out, "--set", "run.watchdog=20", inject="fail:write:2@1", ranks=2, status=2, env={"OMPI_MCA_io": io})
        assert "writing to the file (is the disk full?) failed" in told and told.count("naik: error:") == 1, told
        solve(out)
        same_as_undisturbed(out)


def kept_part():
    """Two of three solves, as a killed run left them: ending to bytes."""
    solve("short.h5", "--fresh", inject="kill:write:3", status=-25)
    part = {}
    for end in (".part", ".journal"):
        with open(path("short.h5" + end), "rb") as f:
            part[end] = f.read()
    os.remove(path("short.h5.lock"))
    return part


def with_one_rank_failing(shim, part, order):
    """A rerun in which something fails; false where it had ended before that."""
    for end, data in part.items():
        with open(path("short.h5" + end), "wb") as f:
            f.write(data)
    run = start("solve", path("short.h5.yaml"), "--set", "run.watchdog=8", ranks=2,
                env={"LD_PRELOAD": shim, "NAIK_FAIL": order, "NAIK_FAIL_IN": os.path.realpath(path(""))})
    told = run.communicate(timeout=300)[0]
    what, fired = (order, run.returncode, told), "failed as ordered" in told
    assert any(ended_with(status, run.returncode, told) for status in (0, 1, 2, 4)), what
    assert ("naik: error:" in told) == (run.returncode != 0), what
    # what still hangs: HDF5's last write, in its closing of a file that has been flushed; and with ROMIO a rank for
    # which HDF5 fails to open a file, in closing it
    waited = "closing the output has not returned" in told or MPICH and "nothing has moved" in told
    assert told.count("naik: error:") <= 1 or waited, what
    if order.startswith("read") and fired:
        # a finished file is opened once more: what is refused then harms nothing
        named = re.search("Input/output error|/solves|opening .* failed", told)
        assert waited or named or "complete and verified" in told, what
        assert ended_with(0 if "complete and verified" in told else 2, run.returncode, told), what
    if os.path.exists(path("short.h5")):
        same_as_undisturbed("short.h5")
        os.remove(path("short.h5"))
    return fired


def memory_or_disk_that_fails_on_one_rank_ends_the_job():
    shim = built_shim()
    if shim is None:
        return "no cc, or not glibc"
    part = kept_part()
    for order in ("alloc:1@0", "alloc:4@1", "alloc:343@0", "read:1@1", "read:41@0" if MPICH else "read:40@0", "read:76@1",
                  "read:125@0", "oneread:129@0", "write:3@0", "write:1@1"):
        assert with_one_rank_failing(shim, part, order), f"{order} did not happen"
    return None


def memory_that_is_not_there_is_never_called_damage():
    shim = built_shim()
    if shim is None:
        return "no cc, or not glibc"
    naik("links", path("whole.h5.yaml"), "-o", path("fatlong.h5"))
    for words in (["info", path("whole.h5"), "--json"], ["info", path("fatlong.h5"), "--verify"],
                  ["gauge", "check", path("lat.h5")], ["report", "--force", path("whole.h5"), "-o", path("page.html")]):
        n = 1
        while True:
            run = subprocess.run(command(*words), capture_output=True, text=True, timeout=300, env={
                **environment(), "LD_PRELOAD": shim, "NAIK_FAIL": f"alloc:{n}@0", "NAIK_FAIL_RANK": "0"})
            if "failed as ordered" not in run.stderr:
                break
            assert run.returncode == 2 and "naik: error: no memory" in run.stderr, (words, n, run)
            n += 1 if LONG else 23
        assert n > 50, (words, n)
    return None


def a_refused_write_of_a_configuration_ends_the_job_on_every_rank():
    shim = built_shim()
    if shim is None:
        return "no cc, or not glibc"
    out = path("refused")
    # HDF5's metadata on rank 0, the links on rank 1; other formats by MPI-IO alone
    for order, words in (("write:5@0", ["gauge", "convert", path("lat.h5"), out]),
                         ("write:2@1", ["links", path("whole.h5.yaml"), "-o", out]),
                         ("write:1@1", ["gauge", "convert", path("lat.h5"), out, "--to", "milc"]),
                         ("write:2@1", ["export", path("whole.h5"), "-o", out]),
                         ("sync:1@1", ["gauge", "convert", path("lat.h5"), out]),
                         ("sync:1@1", ["gauge", "convert", path("lat.h5"), out, "--to", "ildg"])):
        told = naik(*words, ranks=2, status=2, env={"LD_PRELOAD": shim, "NAIK_FAIL": order, "NAIK_FAIL_IN":
                                                    os.path.realpath(path("")) + "/refused", "NAIK_WATCHDOG": "20"})
        assert "failed as ordered" in told and told.count("naik: error:") == 1, (words, told)
        assert "has moved" not in told and not os.path.exists(out), (words, told)
    return None


def a_disk_that_fails_is_told_in_one_sentence_whatever_it_fails_at():
    shim = built_shim()
    if shim is None:
        return "no cc, or not glibc"
    os.makedirs(path("failing"))
    out, prop = path("failing/refused"), path("failing/input.yaml")
    with open(prop, "w") as f:
        f.write(INPUT % (path("lat.h5"), "single", out))
    convert, failed = ["gauge", "convert", path("lat.h5"), out], "Input/output error"
    for order, words, said in [("onewrite:1@0", convert, "the lock .* cannot be created: " + failed),
                               ("name:1@0", convert, "cannot be renamed to .*: " + failed),
                               ("name:1@0", ["report", "--force", path("whole.h5"), "-o", out], "cannot be written: " + failed),
                               ("open:1@0", ["solve", prop], "input.yaml cannot be opened: " + failed),
                               ("room:1@0", ["solve", prop], "refused.part needs .* MiB, which its file system does not give: No space left")] + [
            # while HDF5 closes what it could not write: a crash after the sentence, once
            (f"write:{n}@0", convert, "") for n in range(8, 13)] + [(f"write:{n}@0", ["solve", prop], "") for n in range(33, 36)]:
        told = naik(*words, status=2, env={"LD_PRELOAD": shim, "NAIK_FAIL": order, "NAIK_FAIL_RANK": "0",
                                           "NAIK_FAIL_IN": os.path.realpath(path("failing"))})
        assert "failed as ordered" in told and told.count("naik: error:") == 1 and re.search(said, told), (order, words, told)
        assert not os.path.exists(out), (order, words)
        for end in (".part", ".journal"):
            if os.path.exists(out + end):
                os.remove(out + end)
    return None


def a_command_without_an_input_ends_too_where_a_read_never_returns():
    shim = built_shim()
    if shim is None:
        return "no cc, or not glibc"
    told = naik("gauge", "check", path("lat.h5"), ranks=2, status=2,
                env={"LD_PRELOAD": shim, "NAIK_FAIL": "stall:4@1", "NAIK_FAIL_IN": os.path.realpath(path("lat.h5")),
                     "NAIK_WATCHDOG": "2"})
    assert "failed as ordered" in told, told
    for rank in (0, 1):
        assert re.search(f"nothing has moved for 2 s: rank {rank} on .* is at: gauge", told), told
    told = naik("gauge", "check", path("lat.h5"), status=1, env={"NAIK_WATCHDOG": "soon"})
    assert "NAIK_WATCHDOG is 'soon', no time in seconds or as HH:MM:SS" in told, told
    return None


def sweep(what, step):
    """A resumed run for every STEP-th place where that can fail, on either rank."""
    shim, part = built_shim(), kept_part()
    for rank in (0, 1):
        n = 1
        while with_one_rank_failing(shim, part, f"{what}:{n}@{rank}"):
            n += step
        print(f"{what}@{rank}: up to {n}", flush=True)
        assert n > 1, f"{what} on rank {rank} never happened"


def every_fifth_allocation_may_fail():
    sweep("alloc", 5)


def every_read_may_be_the_last():
    sweep("read", 1)


def every_third_read_may_fail_by_itself():
    sweep("oneread", 3)


def every_write_may_be_the_last():
    sweep("write", 1)


def a_backend_that_fails_on_one_rank_in_mid_solve_ends_the_job():
    told = solve("device.h5", "--set", "solver.batch=1", inject="fail:solve:20@1", ranks=2, status=2)
    assert told.count("naik: error: the device of rank 1 failed by order") == told.count("naik: error:") == 1, told
    assert "watchdog" not in told, told
    solve("device.h5")
    same_as_undisturbed("device.h5")


def when_a_rank_stalls_every_rank_says_where_it_is_and_the_job_ends():
    told = solve("stalls.h5", "--set", "run.watchdog=2", inject="stall:solve:20@1", ranks=2, status=2)
    assert re.search(r"nothing has moved for 2 s: rank 0 on \S+ is at: (?:solve|halo), iteration (?:19|20), waiting for", told), told
    assert re.search(r"nothing has moved for 2 s: rank 1 on \S+ is at: (?:solve|halo), iteration 20;", told), told
    solve("stalls.h5")
    same_as_undisturbed("stalls.h5")


def rank_of(pid, word):
    """The rank of a process that has `word` on its command line and is no launcher."""
    try:
        with open(f"/proc/{pid}/cmdline") as f:
            words = f.read().split("\0")
        with open(f"/proc/{pid}/environ") as f:
            found = re.search(r"\0(?:OMPI_COMM_WORLD_RANK|PMI_RANK|PMIX_RANK)=(\d+)", f.read())
    except OSError:
        return None
    return int(found[1]) if found and words[0] == NAIK and word in words else None


def a_process_that_is_stopped_from_outside_ends_the_job():
    run = start("solve", many_solves("stopped.h5"), "--set", "run.watchdog=5", ranks=2, env=holding("solve 1/"))
    stopped = None
    while stopped is None and run.poll() is None:  # before rank 0 is held, which the watchdog of rank 1 sees
        stopped = next((pid for pid in os.listdir("/proc") if pid.isdigit() and rank_of(pid, path("stopped.h5.yaml")) == 1), None)
    assert held(run)
    os.kill(int(stopped), signal.SIGSTOP)
    go_on()
    told = run.communicate(timeout=300)[0]
    assert ended_with(2, run.returncode, told), (run.returncode, told)
    # in an exchange or in the output: it is stopped at any moment
    assert re.search(r"for 5 s: .*rank 0 on .*(?:waiting for .* of (?:rank 1|all ranks)|: write)", told), told
    end = time.monotonic() + 300
    while rank_of(stopped, path("stopped.h5.yaml")) is not None:  # the launcher may end before it is gone
        assert time.monotonic() < end, "the stopped process is still there"
        time.sleep(0.05)


def residuals_of_a_stored_file_are_computed_again():
    told = naik("info", path("whole.h5"), "--residuals", "--json", ranks=2)
    with h5py.File(path("whole.h5")) as f:
        stored = f["solves"]["source_residual"]
    again = [solve["source_residual"] for solve in json.loads(told)["residuals"]]
    assert len(again) == 3 and np.allclose(again, stored, rtol=1e-3, atol=0), (again, stored)
    naik("gauge", "generate", "--size", "4,4,4,8", "--beta", "6", "--seed", "9", "--sweeps", "3", "-o", path("other.h5"))
    told = naik("info", path("whole.h5"), "--residuals", "--set", f"gauge.file={path('other.h5')}", status=1)
    assert told.count("other links, or damaged") == 3 and "was made with other links: then plaq" in told, told
    assert "is damaged" not in told, told


def ranks_that_nobody_bound_share_the_processors():
    processors = len(os.sched_getaffinity(0))
    env = {key: value for key, value in os.environ.items() if key != "OMP_NUM_THREADS"}
    for ranks in (1, 2):
        told = subprocess.run(command("solve", path("whole.h5.yaml"), "--dry-run", ranks=ranks), env=env, text=True,
                              capture_output=True, timeout=300).stdout
        wanted = max(1, processors // ranks)
        assert f"{wanted} thread{'s' if wanted > 1 else ''} a rank" in told, told


main([an_undisturbed_run_warns_of_nothing,
      an_order_that_is_not_understood_is_refused,
      links_that_change_are_made_again, links_are_looked_at_for_every_solution_and_before_any_is_kept,
      clover_blocks_that_change_are_made_again,
      links_that_change_twice_end_the_run_and_nothing_wrong_is_stored,
      a_flipped_bit_in_a_vector_is_corrected_by_the_true_residual,
      a_nan_in_a_vector_costs_a_restart_a_second_one_a_climb_and_six_the_solve,
      a_singular_operator_fails_its_solves_and_the_next_go_on,
      a_source_or_solution_that_changes_on_the_way_is_noticed,
      what_comes_out_wrong_twice_is_not_stored,
      double_check_stores_what_came_out_twice,
      a_failing_write_ends_the_run_and_loses_nothing,
      a_disk_that_fills_up_ends_the_run_and_loses_nothing,
      a_kill_in_mid_write_loses_nothing,
      a_rank_that_dies_ends_the_job_and_the_rest_follows,
      a_write_that_fails_on_one_rank_ends_the_job,
      memory_or_disk_that_fails_on_one_rank_ends_the_job,
      memory_that_is_not_there_is_never_called_damage,
      a_refused_write_of_a_configuration_ends_the_job_on_every_rank,
      a_disk_that_fails_is_told_in_one_sentence_whatever_it_fails_at,
      a_command_without_an_input_ends_too_where_a_read_never_returns,
      a_backend_that_fails_on_one_rank_in_mid_solve_ends_the_job,
      when_a_rank_stalls_every_rank_says_where_it_is_and_the_job_ends,
      a_process_that_is_stopped_from_outside_ends_the_job,
      residuals_of_a_stored_file_are_computed_again,
      ranks_that_nobody_bound_share_the_processors]
     + ([every_fifth_allocation_may_fail, every_read_may_be_the_last, every_third_read_may_fail_by_itself,
         every_write_may_be_the_last] if LONG else []))
