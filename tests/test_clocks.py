"""Ranks whose clocks disagree (shim/jump_clock.c) end together."""
import os
import signal
import subprocess

from program import ended_with, main, naik, path, start

INPUT = """
lattice: {size: [4, 4, 4, 8]}
gauge: {file: "FOLDER/lat.{config}.h5", configs: [a1, a2]}
action: {type: naive}
solve: [{name: pt, masses: [0.5], source: {type: point, origin: [0, 0, 0, 0]}}]
output: {file: "FOLDER/prop.{config}.h5"}
run: {wall_limit: 300}
"""


def a_limit_between_configurations_is_that_of_rank_0():
    shim = path("jump_clock.so")
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "shim/jump_clock.c")
    if subprocess.run(["cc", "-shared", "-fPIC", "-o", shim, source, "-ldl"]).returncode:
        return "no cc, or not glibc"
    for seed in (1, 2):
        naik("gauge", "generate", "--size", "4,4,4,8", "--beta", "5.8", "--seed", seed, "--sweeps", "0", "-o", path(f"lat.a{seed}.h5"))
    with open(path("all.yaml"), "w", encoding="utf-8") as f:
        f.write(INPUT.replace("FOLDER", path(".")))
    run = start("solve", path("all.yaml"), ranks=2,
                env={"LD_PRELOAD": shim, "NAIK_CLOCK_RANK": "0", "NAIK_CLOCK_AHEAD": "500", "NAIK_CLOCK_WHEN": path("prop.a1.h5")})
    try:
        told = run.communicate(timeout=60)[0]
    except subprocess.TimeoutExpired:
        os.killpg(run.pid, signal.SIGKILL)
        raise AssertionError("the ranks disagree about the time: " + run.communicate()[0]) from None
    assert ended_with(5, run.returncode, told), (run.returncode, told)
    assert told.count("stopped by wall_limit of 300 s before configuration a2: run the same command again") == 1, told
    assert os.path.exists(path("prop.a1.h5")) and not os.path.exists(path("prop.a2.h5.part")), os.listdir(path("."))
    assert "1 of 2" in told and "is complete: skipped" in naik("solve", path("all.yaml")), told
    return None


main([a_limit_between_configurations_is_that_of_rank_0])
