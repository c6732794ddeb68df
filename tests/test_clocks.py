"""Ranks whose clocks disagree (shim/jump_clock.c) end together."""
import os
import signal
import subprocess
import time

from program import built_shim, ended_with, go_on, held, holding, main, naik, path, start

INPUT = """
lattice: {size: [4, 4, 4, 8]}
gauge: {file: "FOLDER/lat.{config}.h5", configs: [a1, a2]}
action: {type: naive}
solve: [{name: pt, masses: [0.5], source: {type: point, origin: [0, 0, 0, 0]}}]
output: {file: "FOLDER/prop.{config}.h5"}
run: {wall_limit: 300}
"""


def run_with(clock):
    """What naik says to two configurations, and its exit status."""
    run = start("solve", path("all.yaml"), ranks=2, env={"LD_PRELOAD": built_shim("jump_clock"), "NAIK_CLOCK_RANK": "0", **clock})
    try:
        told = run.communicate(timeout=300)[0]
    except subprocess.TimeoutExpired:
        os.killpg(run.pid, signal.SIGKILL)
        raise AssertionError("the ranks disagree about the time: " + run.communicate()[0]) from None
    return run.returncode, told


def a_limit_between_configurations_is_that_of_rank_0():
    if built_shim("jump_clock") is None:
        return "no cc, or not glibc"
    for seed in (1, 2):
        naik("gauge", "generate", "--size", "4,4,4,8", "--beta", "5.8", "--seed", seed, "--sweeps", "0", "-o", path(f"lat.a{seed}.h5"))
    with open(path("all.yaml"), "w", encoding="utf-8") as f:
        f.write(INPUT.replace("FOLDER", path(".")))
    status, told = run_with({"NAIK_CLOCK_AHEAD": "500", "NAIK_CLOCK_WHEN": path("prop.a1.h5")})
    assert ended_with(5, status, told), (status, told)
    assert told.count("stopped by wall_limit of 300 s before configuration a2: run the same command again") == 1, told
    assert os.path.exists(path("prop.a1.h5")) and not os.path.exists(path("prop.a2.h5.part")), os.listdir(path("."))
    assert "1 of 2" in told and "is complete: skipped" in naik("solve", path("all.yaml")), told
    return None


def a_limit_of_all_configurations_stops_the_second():
    """200 s in the first and 200 in the second are more than 300, though neither is."""
    if built_shim("jump_clock") is None:
        return "no cc, or not glibc"
    for name in ("a1", "a2"):
        os.remove(path(f"prop.{name}.h5"))
    status, told = run_with({"NAIK_CLOCK_AHEAD": "200", "NAIK_CLOCK_WHEN": path("prop.a1.h5.part"),
                             "NAIK_CLOCK_AGAIN": path("prop.a2.h5.part")})
    assert ended_with(5, status, told) and "stopped by wall_limit" in told, (status, told)
    assert os.path.exists(path("prop.a1.h5")) and os.path.exists(path("prop.a2.h5.part")), os.listdir(path("."))
    return None


def a_lock_shows_life_whatever_becomes_of_the_time_of_day():
    """It is set back by a day behind the back of a thread that waits; its next minute is over in a second."""
    if built_shim("jump_clock") is None:
        return "no cc, or not glibc"
    lock = path("prop.a1.h5.lock")
    env = holding("solve 1/")
    run = start("solve", path("all.yaml"), "--fresh", "--set", "gauge.config=a1", ranks=2, env={
        **env, "LD_PRELOAD": env["LD_PRELOAD"] + " " + built_shim("jump_clock"), "NAIK_CLOCK_RANK": "0", "NAIK_CLOCK_WHEN": "/",
        "NAIK_CLOCK_AHEAD": "-59", "NAIK_CLOCK_DAY": "86400"})
    assert held(run)
    os.utime(lock, (0, 0))
    end = time.monotonic() + 600
    while os.stat(lock).st_mtime == 0:
        assert time.monotonic() < end, "the lock shows no life"
        time.sleep(0.05)
    go_on()
    said = run.communicate()[0]
    assert run.returncode == 0, said
    return None


def a_lock_is_as_old_as_the_clock_of_its_files_says():
    """Of another host, and this host's time of day is a day off: ahead, it lives; behind, it is dead after 15 minutes.
    The file that tells the time has no name by the time it is written: a kill leaves nothing."""
    if built_shim("jump_clock") is None:
        return "no cc, or not glibc"
    log = path("named")
    for day, age, status in (("86400", 0, 1), ("-86400", 1000, 0)):
        with open(path("prop.a2.h5.lock"), "w", encoding="utf-8") as f:
            f.write("host=x\npid=1\nstart=1\nboot=x\nspace=x\nslurm_job=-\nslurm_restart=-\ntime=0\n")
        os.utime(f.name, (time.time() - age,) * 2)
        said = naik("solve", path("all.yaml"), "--fresh", "--set", "gauge.config=a2", status=status,
                    env={"LD_PRELOAD": built_shim("jump_clock") + " " + built_shim("log_writes"), "NAIK_CLOCK_DAY": day,
                         "NAIK_WRITES_IN": ".lock.now", "NAIK_WRITES_LOG": log})
        if os.path.exists(log):  # the file system has no unnamed files
            assert open(log, encoding="utf-8").read().startswith("remove ")
        assert ("another job writes this output: process 1 on x" if status else "it gave no sign of life for 15 minutes") in said, said
        assert not [name for name in os.listdir(path(".")) if ".lock.now" in name]
    return None


def a_process_that_was_stopped_does_not_hang():
    """While it is held its clock jumps by an hour, as that of a process that was suspended: the watchdog counts no more of it
    than a look takes."""
    if built_shim("jump_clock") is None:
        return "no cc, or not glibc"
    env = holding("links: ")
    run = start("solve", path("all.yaml"), "--fresh", "--set", "gauge.config=a1", "--set", "run.wall_limit=9000", "--set",
                "run.watchdog=1000", ranks=2, env={
        **env, "LD_PRELOAD": env["LD_PRELOAD"] + " " + built_shim("jump_clock"), "NAIK_CLOCK_RANK": "0",
        "NAIK_CLOCK_WHEN": path("stopped"), "NAIK_CLOCK_AHEAD": "3600"})
    assert held(run)
    time.sleep(1)  # so that what moved last is no longer news to the watchdog, which looks four times a second
    with open(path("stopped"), "w", encoding="utf-8"):
        time.sleep(1)
    go_on()
    said = run.communicate()[0]
    assert run.returncode == 0 and "nothing has moved" not in said, said
    return None


main([a_limit_between_configurations_is_that_of_rank_0, a_limit_of_all_configurations_stops_the_second,
      a_lock_shows_life_whatever_becomes_of_the_time_of_day, a_lock_is_as_old_as_the_clock_of_its_files_says,
      a_process_that_was_stopped_does_not_hang],
     needed=[a_limit_between_configurations_is_that_of_rank_0])
