"""Searches for low modes and deflated solves that are killed or stopped: the next run ends with the bytes of one that
was left alone.
timeout: 240
"""
import contextlib
import os
import random
import re
import shutil
import signal
import time

import h5py

from program import HOLD, LONG, built_shim, everything, go_on, held, holding, main, naik, path, processes, ranks_are_gone, same, start

INPUT = """
lattice: {size: [8, 8, 8, 8]}
gauge: {file: %s}
action: {type: hisq}
solve:
  - {name: pt, masses: [0.002, 0.02], source: {type: point, origin: [0, 0, 0, 0]}}
deflation: {modes: 16, krylov: 48, degree: 4, tolerance: 1e-6, file: %s, precision: 16, file_precision: 16}
solver: {batch: 4}
output: {file: %s, correlators: [pion5]}
run: {backend: cpu, threads: 1}
"""


def written_input(name):
    """Of a run whose files begin with this name; what an earlier test left of them is removed."""
    for file in os.listdir(path(".")):
        if file.startswith(name + "-"):
            os.remove(path(file))
    with open(path(name + ".yaml"), "w") as f:
        f.write(INPUT % (path("lat.h5"), path(name + "-modes.h5"), path(name + "-out.h5")))
    return path(name + ".yaml")


def modes(name):
    """Bytes of all datasets of a file of modes, and what it says of itself but for its name and time."""
    with h5py.File(path(name + "-modes.h5")) as f:
        found = {key: f["modes"][key][...].tobytes() for key in f["modes"]}
        found.update({key: str(value).encode() for key, value in f.attrs.items()
                      if key not in ("uuid", "created", "metadata_crc")})
    return found


def same_modes(name):
    same(modes("whole"), modes(name))
    left = sorted(f for f in os.listdir(path(".")) if f.startswith(name + "-modes.h5"))
    assert left == [name + "-modes.h5"], left


def end(run, marker, how):
    """Sends a signal to a run that is held; its exit status, when no rank is left that could write."""
    assert held(run), run.communicate()
    if how == signal.SIGKILL:  # of which a launcher tells nobody
        for rank in processes(("naik",), marker):
            with contextlib.suppress(ProcessLookupError):  # its launcher may be quicker
                os.kill(rank, how)
    os.killpg(run.pid, how)
    run.communicate()
    ranks_are_gone(marker)
    if os.path.exists(HOLD):  # whoever was killed leaves it
        go_on()
    return run.returncode


def end_at(source, sign, how, ranks=1, command="modes"):
    """Sends a signal when a search says a line that begins with `sign`; its exit status."""
    marker = f"NAIK_TEST_RUN={random.random()}"
    return end(start(command, source, ranks=ranks, env={**dict([marker.split("=")]), **holding(sign)}), marker, how)


def end_after(source, seconds, command, ranks):
    """Kills a run after so long, wherever it is then; it may be over."""
    marker = f"NAIK_TEST_RUN={random.random()}"
    run = start(command, source, ranks=ranks, env=dict([marker.split("=")]))
    time.sleep(seconds)
    for rank in processes(("naik",), marker):
        with contextlib.suppress(ProcessLookupError):
            os.kill(rank, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(run.pid, signal.SIGKILL)
    run.communicate()
    ranks_are_gone(marker)


def modes_are_found_without_a_kill():
    naik("gauge", "generate", "--size", "8,8,8,8", "--beta", "5.7", "--seed", "3", "--sweeps", "8", "-o",
         path("lat.h5"))
    said = naik("solve", written_input("whole"))
    assert "modes: cycle 5" in said and "found 16 modes" in said, said


def killed_after_a_cycle_the_search_begins_again():
    for sign in ("links:", "modes: cycle 1", "modes: cycle 4", "modes: cycle 7") if LONG else ("modes: cycle 3",):
        code = end_at(written_input("cycle"), sign, signal.SIGKILL)
        assert code == -signal.SIGKILL, (sign, code)
    naik("modes", path("cycle.yaml"))
    same_modes("cycle")


def stopped_after_cycles_and_killed_the_search_goes_on():
    source = written_input("stop")
    for attempt, how in enumerate((signal.SIGUSR1, signal.SIGKILL) * (3 if LONG else 1)):
        code = end_at(source, "modes: cycle", how, 1 + attempt % 2)
        assert os.path.exists(path("stop-modes.h5.search")), (attempt, code)
    said = naik("modes", source)
    assert "the search continues after cycle" in said, said
    same_modes("stop")


def a_wall_limit_stops_the_search():
    source = written_input("limit")
    said = naik("modes", source, "--set", "run.wall_limit=0.001", status=5)
    assert re.search("stopped by wall_limit of 0.001 s in the search for modes of '.*limit-modes.h5', [\\d.]+ s after its start "
                     "and before the first step of this run: give the run more time than that", said), said
    said = naik("solve", source)
    assert "the search continues after cycle" in said, said
    same_modes("limit")
    same(everything("whole-out.h5"), everything("limit-out.h5"))


def a_damaged_search_begins_again():
    source = written_input("damage")
    naik("modes", source, "--set", "run.wall_limit=0.001", status=5)
    with open(path("damage-modes.h5.search"), "rb") as f:
        whole = f.read()
    with h5py.File(path("damage-modes.h5.search")) as f:
        at = f["modes/v"].id.get_offset() + 5000
    for data in (whole[:at] + bytes([whole[at] ^ 64]) + whole[at + 1:], whole[:len(whole) // 2])[0 if LONG else 1:]:
        with open(path("damage-modes.h5.search"), "wb") as f:
            f.write(data)
        said = naik("modes", source)
        assert "going on" not in said, said
        same_modes("damage")
        os.remove(path("damage-modes.h5"))


def killed_in_a_solve_a_deflated_run_goes_on():
    some = [(1, ("solve:20", "write:4"))]
    many = [(r, (f"solve:{k}", f"write:{n}@0")) for r in (1, 2) for k, n in ((1, 1), (5, 2), (10, 6), (40, 5))]
    for ranks, orders in many if LONG else some:
        source = written_input("solve")
        for order in orders:
            naik("solve", source, ranks=ranks, status=None, env={"NAIK_INJECT": "kill:" + order})
            assert not os.path.exists(path("solve-out.h5")), order
        naik("solve", source)
        same_modes("solve")
        same(everything("whole-out.h5"), everything("solve-out.h5"))
        with h5py.File(path("whole-out.h5")) as a, h5py.File(path("solve-out.h5")) as b:
            assert (a["solves"]["iterations"] == b["solves"]["iterations"]).all()


def stopped_in_a_solve_a_deflated_run_goes_on():
    source = written_input("usr1")
    said = naik("solve", source, status=5, env={"NAIK_INJECT": "stop:solve:20"})
    assert "found 16 modes" in said, said
    for end in (".part", ".journal", ".part.state"):
        shutil.copyfile(path("usr1-out.h5" + end), path("moved-out.h5" + end))
    said = naik("solve", source)
    assert "read 16 modes from" in said and "warning" not in said, said
    same_modes("usr1")
    same(everything("whole-out.h5"), everything("usr1-out.h5"))
    moved, out = ("--set", "deflation.file=" + path("moved-modes.h5")), "output.file=" + path("moved-out.h5")
    naik("modes", source, *moved, "--set", "deflation.krylov=56")
    said = naik("solve", source, *moved, "--set", out)
    told = r"(\S+-modes.h5) \(checksum ([0-9a-f]{8})\)"
    then, first, now, other = re.search(f"was begun with other low modes: 16 of {told} then, 16 of {told} now", said).groups()
    assert (then, now) == (path("usr1-modes.h5"), path("moved-modes.h5")) and first != other, said


def killed_at_any_line_the_bytes_are_those_of_one_run():
    source = written_input("line")
    for sign in ("links:", "modes: cycle 5", "solve 2/"):
        code = end_at(source, sign, signal.SIGKILL, command="solve")
        assert code == -signal.SIGKILL, (sign, code)
    ends_as_whole("line")


def killed_at_any_moment_the_bytes_are_those_of_one_run():
    random.seed(20)
    for attempt in range(60):
        command, source = ("solve", "modes")[attempt % 2], written_input("any")
        for _ in range(2):
            end_after(source, random.uniform(0.1, 0.5), command, 1 + attempt // 2 % 2)
        ends_as_whole("any")


def behind(name, order, *more, ranks=1, status=0):
    """A run whose file of modes is written slowly and fails as ordered; no propagator is complete before it."""
    said = naik("solve", written_input(name), *more, ranks=ranks, status=status,
                env={"LD_PRELOAD": built_shim(), "NAIK_SLOW_MS": "20", "NAIK_FAIL": order, "NAIK_FAIL_RANK": "0",
                     "NAIK_FAIL_IN": os.path.realpath(path(name)) + "-modes.h5"})
    assert os.path.exists(path(name + "-modes.h5")) or not os.path.exists(path(name + "-out.h5")), said
    return said


def ends_as_whole(name, *more):
    naik("solve", path(name + ".yaml"), *more)
    same_modes(name)
    same(everything("whole-out.h5"), everything(name + "-out.h5"))


def modes_are_written_while_solves_run():
    if built_shim() is None:
        return "no cc, or not glibc"
    # the file is not forced to disk before the first solve has been told of
    run = start("solve", written_input("slow"), "--set", "solver.batch=1", ranks=2, env=holding(sync="slow-modes.h5.part"))
    said = ""
    for line in run.stdout:
        said += line
        if line.startswith("solve 1/6"):
            assert held(run), said
            go_on()
    assert run.wait() == 0, said
    found, solve, written = (said.index(s) for s in ("found 16 modes and is writing", "solve 1/6", "-modes.h5 is written"))
    assert found < solve < written, said
    same_modes("slow")
    same(everything("whole-out.h5"), everything("slow-out.h5"))
    said = behind("few", "none:0@0", "--set", "output.aggregators=1", ranks=2)  # by HDF5, before the solves
    assert "found 16 modes and wrote them to" in said and "is written," not in said, said
    same_modes("few")
    return None


def killed_at_any_stage_of_the_writing_the_bytes_are_those_of_one_run():
    if built_shim() is None:
        return "no cc, or not glibc"
    for n, ranks in [(n, 1 + n % 2) for n in range(10, 50, 3)] if LONG else [(20, 1), (34, 1)]:
        behind("stage", f"kill:{n}@0", ranks=ranks, status=None)
        assert os.path.exists(path("stage-modes.h5.part")) or os.path.exists(path("stage-modes.h5")), n
        ends_as_whole("stage")


def modes_have_their_name_before_the_last_solve_is_stored():
    """A run that is killed then has one left, for which it would find them again."""
    if built_shim() is None:
        return "no cc, or not glibc"
    written = written_input("named")
    naik("solve", written, "--set", "solver.batch=1", status=None,
         env={"LD_PRELOAD": built_shim(), "NAIK_SLOW_MS": "60", "NAIK_FAIL": "none:0@0", "NAIK_FAIL_RANK": "0", "NAIK_INJECT": "kill:write:6",
              "NAIK_FAIL_IN": os.path.realpath(path("named")) + "-modes.h5"})
    assert os.path.exists(path("named-modes.h5")) and not os.path.exists(path("named-out.h5")), os.listdir(path("."))
    return None


def a_disk_that_fills_up_behind_the_solves_is_told_once():
    if built_shim() is None:
        return "no cc, or not glibc"
    for order, why, *more in (("write:9@1", "cannot write the modes of '%s': No space left on device"),
                              ("sync:1@1", "cannot force to disk the modes of '%s': Input/output error"),
                              ("room:1@0", "cannot make room for the modes of '%s': No space left on device"),
                              ("room:1@0", "%s needs 1.4 MiB, which its file system does not give: No space left on device",
                               "--set", "output.aggregators=1")):  # not behind them
        said = behind("full", order, "--set", "solver.batch=1", *more, ranks=2, status=2)
        assert said.count("naik: error: ") == 1 and why % (path("full") + "-modes.h5.part") in said, said
        assert not os.path.exists(path("full-modes.h5.part")), order
    ends_as_whole("full")
    # the solves of a light quark are in flight when those of a heavy one are stored: they are kept
    two = "[" + ", ".join("{name: %s, masses: [%s], source: {type: point, origin: [0, 0, 0, 0]}}" % of
                          for of in (("heavy", 2), ("light", 0.002))) + "]"
    said = behind("kept", "write:1@1", "--set", "solve=" + two, "--set", "solver.batch=6", ranks=2, status=2)
    assert said.count("naik: error: ") == 1 and "kept: 3 solves in flight are in" in said, said
    naik("solve", path("kept.yaml"), "--set", "solve=" + two)
    assert os.path.exists(path("kept-modes.h5")) and not os.path.exists(path("kept-out.h5.part.state")), os.listdir(path("."))
    return None


main([modes_are_found_without_a_kill, killed_after_a_cycle_the_search_begins_again,
      stopped_after_cycles_and_killed_the_search_goes_on, a_wall_limit_stops_the_search, a_damaged_search_begins_again,
      killed_in_a_solve_a_deflated_run_goes_on, stopped_in_a_solve_a_deflated_run_goes_on,
      killed_at_any_line_the_bytes_are_those_of_one_run, modes_are_written_while_solves_run,
      killed_at_any_stage_of_the_writing_the_bytes_are_those_of_one_run, modes_have_their_name_before_the_last_solve_is_stored,
      a_disk_that_fills_up_behind_the_solves_is_told_once]
     + ([killed_at_any_moment_the_bytes_are_those_of_one_run] if LONG else []), needed=[modes_are_found_without_a_kill])
