"""run.groups: groups of ranks that solve different sources write the bytes of a run without groups, whatever stops
them and however many groups go on.
timeout: 300
"""
import json
import os
import re
import signal

import h5py

from program import KILLED, LONG, built_shim, ended_with, everything, held, holding, main, naik, path, same, start

STAGGERED = """
lattice:   {size: [8, 4, 4, 8], boundary_t: antiperiodic}
gauge:     {file: %s}
action:    {type: hisq}
solve:
  - {name: pt, masses: [0.1, 0.3], source: {type: point, origin: [[0, 0, 0, 0], [1, 0, 2, 3]]}}
  - {name: rw, masses: [0.2], deflate: false, source: {type: random_wall, t0: 1, seed: 5}}
deflation: {modes: 8, file: %s, tolerance: 1e-4}
solver:    {tolerance: 1e-9, multishift: on}
output:    {file: %s, correlators: [pion5], momenta: [[0, 0, 0], [1, 0, 0]]}
"""
CLOVER = """
lattice: {size: [8, 4, 4, 8]}
gauge:   {file: %s}
action:  {type: clover, csw: 1.0}
solve:
  - name: a
    kappas: [0.11, 0.1]
    source: {type: covariant_gaussian, origin: [0, 0, 0, 0], radius: 1.5, iterations: 4}
pairs:   [{name: aa, quark: a, antiquark: a}]
solver:  {tolerance: 1e-9, method: auto}
output:  {file: %s, correlators: [pion], momenta: [[0, 0, 0], [1, 0, 0]], baryons: [nucleon]}
"""


SMALL = "--set", "solver.max_iterations=8", "--set", "multigrid.vectors=6", "--set", "multigrid.start=4", "--set", "multigrid.cycles=1"


def asked(out, groups, *more, modes="modes.h5"):
    with open(path("in.yaml"), "w") as f:
        f.write(STAGGERED % (path("lat.h5"), path(modes), path(out)))
    return "solve", path("in.yaml"), "--set", f"run.groups={groups}", *more


def staggered(out, *more, ranks, groups, modes="modes.h5", **how):
    return naik(*asked(out, groups, *more, modes=modes), ranks=ranks, **how)


def clover(out, ranks, groups, *more, **how):
    with open(path("clover.yaml"), "w") as f:
        f.write(CLOVER % (path("lat.h5"), path(out)))
    return naik("solve", path("clover.yaml"), "--set", f"run.groups={groups}", *more, ranks=ranks, **how)


def groups_write_the_bytes_of_a_run_without_them():
    naik("gauge", "generate", "--size", "8,4,4,8", "--beta", "5.8", "--seed", "12", "--sweeps", "5", "-o",
         path("lat.h5"))
    told = staggered("one.h5", ranks=1, groups=1)
    assert "groups:" not in told, told
    told = staggered("two.h5", ranks=4, groups=2, modes="found.h5")
    assert "4 ranks on" in told and "groups: 2 groups of 2 ranks solve different sources" in told, told
    assert re.findall(r"^solve (\d+)/15", told, flags=re.M) == [str(i) for i in range(1, 16)], told
    assert len(re.findall("modes and wrote them to", told)) == 1, told  # by the first group; the other reads them
    same(everything("one.h5"), everything("two.h5"))
    with open(path("modes.h5"), "rb") as a, open(path("found.h5"), "rb") as b:
        assert len(a.read()) == len(b.read())


def a_stopped_run_goes_on_with_another_number_of_groups():
    apart = "--set", "solver.multishift=off"  # Krylov spaces that masses share are not kept
    staggered("apart.h5", *apart, ranks=1, groups=1)
    told = staggered("stop.h5", *apart, ranks=4, groups=4, status=5, env={"NAIK_INJECT": "stop:solve:20@3"})
    kept = int(re.search(r"kept: (\d+) solves in flight", told).group(1))
    assert kept > 3 and len(re.findall("naik: error: stopped by signal", told)) == 1, told  # of all groups
    told = staggered("stop.h5", *apart, ranks=2, groups=2)
    assert len(re.findall("^restored: source=", told, flags=re.M)) == kept, told  # by either group
    with h5py.File(path("stop.h5")) as f:
        said = [re.findall("^(?:ranks|groups)=.*", text.decode(), flags=re.M) for text in f["metadata/sessions"][...]]
    assert said[:2] == [["ranks=4", "groups=4"], ["ranks=2", "groups=2"]], said
    same(everything("apart.h5"), everything("stop.h5"))


def a_signal_to_a_finished_group_stops_all():
    one = ("--set", "deflation.modes=0", "--set",
           "solve=[{name: rw, masses: [0.2], source: {type: random_wall, t0: 1, seed: 5, colours: [0, 2]}}]")
    # The second group has the colour that nobody asks for. Its rank is asked to stop while it waits for the first.
    told = staggered("late.h5", *one, ranks=2, groups=2, status=5, env={"NAIK_INJECT": "stop:wait:1@1"})
    assert "stopped by signal User defined signal 1 with 1 of 3 solves done" in told, told
    assert "naik solves up to 2 right-hand sides together" in told, told  # a group has no more
    assert "kept: 2 solves in flight" in told, told


def a_signal_after_the_last_solve_stops_nothing():
    one = ("--set", "deflation.modes=0", "--set",
           "solve=[{name: rw, masses: [0.2], source: {type: random_wall, t0: 1, seed: 5}}]")
    run = start(*asked("last.h5", 2, *one), ranks=2, env=holding(at="solve 3/3"))
    assert held(run)
    os.killpg(run.pid, signal.SIGUSR1)
    told = run.communicate()[0]
    assert ended_with(0, run.returncode, told) and "complete and verified" in told, (run.returncode, told)


def a_killed_run_goes_on():
    staggered("kill.h5", ranks=4, groups=2, status=KILLED, env={"NAIK_INJECT": "kill:solve:40@3"})
    staggered("kill.h5", ranks=1, groups=1)
    same(everything("one.h5"), everything("kill.h5"))


def a_group_that_fails_ends_all_with_its_sentence():
    told = staggered("fail.h5", ranks=4, groups=2, status=4,
                     env={"NAIK_INJECT": "flip:links:20@3,flip:links:20@3"})
    assert told.count("warning: the links of double precision changed in the memory of rank 3: they are made again") == 1, told
    errors = re.findall("^naik: error: .*", told, flags=re.M)
    assert len(errors) == 1 and "changed in the memory of rank 3, and it is not the first time" in errors[0], told
    # a rank alone, whose group does not know, and one that hangs
    told = staggered("alone.h5", ranks=4, groups=2, status=2, env={"NAIK_INJECT": "fail:solve:20@3"})
    assert len(re.findall("naik: error: the device of rank 3 failed", told)) == 1, told
    told = staggered("hangs.h5", "--set", "run.watchdog=2", ranks=4, groups=2, status=2, env={"NAIK_INJECT": "stall:solve:20@3"})
    assert re.search(r"rank 2 on \S+ is at: \w+, iteration (?:19|20), waiting for (?:\w+ )*rank 3;", told), told


def what_lost_links_leave_may_be_dealt_to_another_group():
    one = ("--set", "deflation.modes=0", "--set",
           "solve=[{name: rw, masses: [0.2], source: {type: random_wall, t0: 1, seed: 5}}]")
    staggered("kept.h5", *one, ranks=1, groups=1)
    # The second group has one of three solves, which the first gets where its links were lost; the second then has none.
    told = staggered("lost.h5", *one, "--set", "run.watchdog=20", ranks=2, groups=2,
                     env={"NAIK_INJECT": "flip:links:20@1"})
    assert "changed in the memory of rank 1: they are made again" in told, told
    same(everything("kept.h5"), everything("lost.h5"))
    # The second group has lost its links, and is asked to stop while it waits for the first.
    told = staggered("both.h5", *one, "--set", "run.watchdog=20", ranks=2, groups=2, status=5,
                     env={"NAIK_INJECT": "flip:links:20@1,stop:wait:2@1"})
    assert "stopped by signal" in told, told
    staggered("both.h5", *one, ranks=2, groups=2)
    same(everything("kept.h5"), everything("both.h5"))


def what_a_group_gives_up_is_known_to_all():
    two = ("--set", "deflation.modes=0", "--set",
           "solve=[{name: rw, masses: [0.2], source: {type: random_wall, t0: 1, seed: 5}}, "
           "{name: pt, masses: [0.3], naik_epsilon: [-0.1], source: {type: point, origin: [0, 0, 0, 0]}}]")
    # The second group has one solve of each mass, and asks for a source three times: to see its parity, to load it, to verify.
    told = staggered("wrong.h5", *two, ranks=2, groups=2, status=4,
                     env={"NAIK_INJECT": "flip:source:3@1,flip:source:6@1"})
    assert "for the second time, so it is given up" in told and "1 of 6 solves came out wrong twice" in told, told
    assert "\nsolve 6/6" not in told, told  # by the group that does not know it
    if LONG:
        staggered("wrong.h5", *two, ranks=1, groups=1)


def a_solve_that_is_repeated_stays_with_its_group():
    # All are solved twice. The second group gets other bits the first time, and remembers both solutions.
    one = ("--set", "deflation.modes=0", "--set", f"run.events={path('events.json')}", "--set", "solver.verify=double_check",
           "--set", "solver.double_check_every=1", "--set",
           "solve=[{name: rw, masses: [0.2], source: {type: random_wall, t0: 1, seed: 5}}]")
    told = staggered("third.h5", *one, ranks=2, groups=2, env={"NAIK_INJECT": "flip:correction:20@1"})
    assert told.count("solved again, it has other bits: a third solve decides") == 1, told
    with open(path("events.json")) as f:
        retries = [json.loads(line)["colour"] for line in f if '"retry"' in line]
    assert sorted(retries) == [0, 1, 1, 2], retries  # of either group
    same(everything("kept.h5"), everything("third.h5"))


def clover_quarks_are_solved_by_groups():
    clover("whole.h5", 1, 1)
    told = clover("parts.h5", 4, 4, "--set", "solver.verify=double_check")
    assert told.count("stays with bicgstab") == 1 and told.count("takes bicgstab, as the lighter") == 1, told  # one group tries a column
    same(everything("whole.h5"), everything("parts.h5"))


def what_one_group_finds_in_a_trial_all_know():
    clover("trial.h5", 2, 2, "--set", "run.watchdog=20", env={"NAIK_INJECT": "flip:links:5@0"})
    same(everything("whole.h5"), everything("trial.h5"))


def groups_solve_by_multigrid_with_a_setup_each():
    clover("mg1.h5", 1, 1, *SMALL)
    told = clover("mg2.h5", 2, 2, *SMALL, env={"NAIK_INJECT": "stop:setup:3"}, status=5)
    assert "stopped by signal" in told, told
    told = clover("mg2.h5", 4, 2, *SMALL)
    assert told.count("takes multigrid: bicgstab has not solved the first column in 8 iterations") == 2, told
    assert told.count("outer iterations together; an outer iteration took") == 2, told
    same(everything("mg1.h5"), everything("mg2.h5"))


def a_group_without_work_makes_no_multigrid():
    clover("mg3.h5", 1, 1, *SMALL, env={"NAIK_INJECT": "kill:write:24"}, status=None)
    told = clover("mg3.h5", 4, 2, *SMALL)
    last = int(re.search(r"^solve 24/24: .* iterations=(\d+)", told, flags=re.M).group(1))
    assert f"all batches of this mass took {last} outer iterations together" in told, told  # each counted once, not by each rank
    same(everything("mg1.h5"), everything("mg3.h5"))


def a_setup_that_fails_in_one_group_is_done_without_or_ends_all():
    shim = built_shim()
    if shim is None:
        return "no cc, or not glibc"
    how = *SMALL, "--set", "run.watchdog=60", "--fresh"
    fired = 0
    for n in (600, 700, 800):  # allocations up to those of a setup
        told = clover("short.h5", 2, 2, *how, status=3, env={"LD_PRELOAD": shim, "NAIK_FAIL": f"alloc:{n}@1"})
        assert "24 of 24 solves did not reach" in told and "outer iterations" not in told, told
        fired += len(re.findall("warning: no memory for .*: BiCGStab solves without multigrid", told))
    assert fired > 0
    kept = *how, "--set", f"multigrid.file={path('vectors.h5')}"
    clover("file.h5", 1, 1, *kept)
    late = 0
    for n in range(30, 80, 10):  # reads of the file, to verify it, then in the setup
        told = clover("short.h5", 2, 2, *kept, status=2, env={"LD_PRELOAD": shim, "NAIK_FAIL": f"read:{n}@1", "NAIK_FAIL_IN": "vectors.h5"})
        assert told.count("naik: error:") == 1 and "nothing has moved" not in told, told
        late += "take the place of a setup" in told  # of the other group
    assert late > 0
    clover("short.h5", 2, 2, *kept)
    same(everything("file.h5"), everything("short.h5"))
    return None


def whichever_group_fails_in_a_setup_all_say_the_same():
    """In its first block of noise, and in its last cycle: it cannot be made, its device fails, links turn bad, somebody stops it."""
    how = *SMALL, "--set", "run.watchdog=60", "--fresh"
    for order, status, sentence in [
            ("lack:setup:3", 3, r"warning: multigrid cannot be made at step \d+ by order: BiCGStab solves without multigrid"),
            ("lack:setup:12", 3, r"warning: multigrid cannot be made at step \d+ by order: BiCGStab solves without multigrid"),
            ("fail:setup:3", 2, r"naik: error: the device of rank \d failed by order"),
            ("flip:setup:9", 4, r"naik: error: multigrid came out as \w+ and as \w+ in another group of ranks: a memory or device was wrong"),
            ("nan:setup:9", None, r"warning: the links of the iteration changed in the memory of rank \d: they are made again"),
            ("stop:setup:3", 5, r"naik: error: stopped by signal .* with 0 of 24 solves done")]:
        for rank in (0, 1) if LONG else (1,):
            told = clover("one.h5", 2, 2, *how, status=status, env={"NAIK_INJECT": f"{order}@{rank}"})
            assert len(re.findall(sentence, told)) == 1 and "nothing has moved" not in told, (order, rank, told)
            assert "lack" not in order or (told.count("multigrid start") <= 1 and "24 of 24 solves did not reach" in told), told
            if "nan" in order:  # the group that had bad links makes multigrid again, and so does the other
                assert told.count("outer iterations together; an outer iteration took") == 2, told
    told = clover("one.h5", 4, 2, *how, status=3, env={"NAIK_INJECT": "lack:setup:3@2"})
    assert told.count(": BiCGStab solves without multigrid") == 1, told
    told = clover("one.h5", 4, 2, *how, status=2, env={"NAIK_INJECT": "fail:setup:3@3"})  # the other rank of its group goes on
    assert "the device of rank 3 failed by order" in told and "nothing has moved" not in told, told


def without_a_model_of_the_device_auto_is_one_group():
    told = staggered("auto.h5", "--dry-run", ranks=2, groups="auto")
    assert "groups: auto takes 1 group, because naik's model of machines does not know this device" in told, told
    told = staggered("auto.h5", "--dry-run", ranks=1, groups="auto")
    assert "groups: auto takes 1 group, because there is one rank" in told, told


def groups_that_cannot_be_are_refused():
    told = staggered("none.h5", ranks=2, groups=3, status=1)
    assert "run.groups is 3, which does not divide the number of ranks, 2" in told, told
    told = staggered("none.h5", ranks=3, groups=2, status=1)
    assert "run.groups is 2, which does not divide the number of ranks, 3" in told, told
    told = clover("none.h5", 2, 2, "--dry-run")
    assert "groups: 2 groups of 1 rank solve different sources" in told, told
    told = staggered("none.h5", ranks=3, groups=3, status=1)
    assert "run.groups is 3, and all 3 ranks write the output together: they cannot share the lattice 8x4x4x8 in boxes " \
        "with even extents, at least 4 where split; use another number of groups" in told, told
    told = staggered("none.h5", ranks=8, groups=4, status=1)
    assert "use 4 ranks, or another number of groups" in told, told
    assert not os.path.exists(path("none.h5.part"))


main([groups_write_the_bytes_of_a_run_without_them, a_stopped_run_goes_on_with_another_number_of_groups,
      a_signal_to_a_finished_group_stops_all, a_signal_after_the_last_solve_stops_nothing,
      a_killed_run_goes_on, a_group_that_fails_ends_all_with_its_sentence,
      what_lost_links_leave_may_be_dealt_to_another_group, what_a_group_gives_up_is_known_to_all,
      a_solve_that_is_repeated_stays_with_its_group, clover_quarks_are_solved_by_groups, what_one_group_finds_in_a_trial_all_know,
      groups_solve_by_multigrid_with_a_setup_each, a_group_without_work_makes_no_multigrid,
      a_setup_that_fails_in_one_group_is_done_without_or_ends_all, whichever_group_fails_in_a_setup_all_say_the_same,
      without_a_model_of_the_device_auto_is_one_group, groups_that_cannot_be_are_refused],
     needed=[groups_write_the_bytes_of_a_run_without_them])
