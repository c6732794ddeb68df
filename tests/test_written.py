"""A disk that gives back other bytes than it took (shim/fail_one_rank.c turns a bit of one write): of every kind of file, naik
reads the numbers again and what the file says of itself, says that they are others, and gives the file no name.
"""
import os
import re
import subprocess

from program import LONG, answer, built_shim, command, environment, main, naik, path

SMALL = """
lattice: {size: [4, 4, 4, 4]}
gauge: {file: %s}
action: {type: %s}
solver: {tolerance: 1e-6%s}
solve:
  - {name: pt, %s, source: {type: point, origin: [0, 0, 0, 0]}, correlators: [%s]}
%s
output: {file: %s}
run: {threads: 1}
"""
FORMATS = ("milc", "nersc", "nersc-3x3", "ildg", "pyquda")


def written(name, action="hisq", words="masses: [0.5]", meson="pion5", solver="", more=""):
    with open(path(name + ".yaml"), "w", encoding="utf-8") as f:
        f.write(SMALL % (path("lat.h5"), action, solver, words, meson, more, path(name + ".h5")))
    return path(name + ".yaml")


def sweep(words, file, good, remove=(), step=3, order="flip"):
    """The command with a bit turned in each of its writes to `file` in turn; of many in every third. What it said of all."""
    noticed, n, told_of_all = 0, 0, ""
    while True:
        n += 1 if LONG or n < 2 else step
        for name in os.listdir(path(".")):
            if name.startswith(file) or name.startswith(remove):
                os.remove(path(name))
        run = subprocess.run(command(*words), capture_output=True, text=True, timeout=300, env={
            **environment(), "LD_PRELOAD": built_shim(), "NAIK_FAIL": f"{order}:{n}@0", "NAIK_FAIL_RANK": "0", "NAIK_FAIL_IN": path(file)})
        if "failed as ordered" not in run.stderr:
            break
        told_of_all += run.stdout + run.stderr
        what = (words, n, run.returncode, run.stdout[-600:], run.stderr[-600:])
        if run.returncode == 0 and "cannot be kept in" in run.stdout + run.stderr:  # a setup needs no file
            noticed += 1
            assert not os.path.exists(path(file)), what
        elif run.returncode == 0:
            status, said, told = answer(*good)  # a bit of nothing that counts
            assert status == 0, (what, said, told)
        else:
            noticed += 1
            assert run.returncode in (2, 4) and "naik: error:" in run.stdout + run.stderr, what
            assert not os.path.exists(path(file)), what
    assert run.returncode == 0 and noticed > 0, (words, file, n, noticed, run.returncode, run.stderr[-500:])
    return told_of_all


def everything_is_made():
    naik("gauge", "generate", "--size", "4,4,4,4", "--beta", "6", "--sweeps", "2", "-o", path("lat.h5"))


def configurations():
    if built_shim() is None:
        return "no cc, or not glibc"
    for kind in FORMATS:
        file = "out." + kind
        sweep(("gauge", "convert", path("lat.h5"), path(file), "--to", kind), file, ("gauge", "check", path(file)))
    sweep(("gauge", "generate", "--size", "4,4,4,4", "--beta", "6", "--sweeps", "1", "-o", path("made.h5")), "made.h5", ("gauge", "check", path("made.h5")))
    return None


def links():
    if built_shim() is None:
        return "no cc, or not glibc"
    sweep(("links", written("links"), "-o", path("fat.h5")), "fat.h5", ("info", path("fat.h5"), "--verify"), step=1)
    return None


def propagators_and_modes():
    if built_shim() is None:
        return "no cc, or not glibc"
    sweep(("solve", written("prop")), "prop.h5", ("info", path("prop.h5")))
    deflated = written("low", more="deflation: {modes: 4, krylov: 40, tolerance: 1e-3, file: %s}" % path("low-modes.h5"))
    sweep(("solve", deflated), "low-modes.h5", ("info", path("low-modes.h5"), "--verify"), remove=("low.h5",))
    sweep(("modes", deflated), "low-modes.h5", ("info", path("low-modes.h5"), "--verify"))
    told = sweep(("modes", deflated), "low-modes.h5", ("info", path("low-modes.h5"), "--verify"), order="turn", step=1)
    assert "what describes it reads otherwise than it was written" in told and "disagree with their checksums" in told, told
    return None


def near_null_vectors():
    if built_shim() is None:
        return "no cc, or not glibc"
    grid = written("grid", "wilson", "kappas: [0.12]", "pion", ", method: multigrid",
                   "multigrid: {vectors: 6, start: 3, cycles: 0, aggregate: [2, 2, 2, 2], file: %s}" % path("null.h5"))
    sweep(("solve", grid), "null.h5", ("info", path("null.h5"), "--verify"), remove=("grid.h5",))
    told = sweep(("solve", grid), "null.h5", ("info", path("null.h5"), "--verify"), remove=("grid.h5",), order="turn", step=1)
    assert "what describes it reads otherwise than it was written" in told, told
    return None


main([everything_is_made, configurations, links, propagators_and_modes, near_null_vectors], needed=[everything_is_made])
