# test_propagator_kill.py - the propagator file under kill -9
#
# A job that writes propagators is killed at every point that can be named and at moments that
# cannot; each time a rerun must end with the bytes of an undisturbed run.
# timeout: 400
import os
import shutil
import subprocess
import sys
import tempfile
import time

import h5py
import numpy as np

BUILD = os.environ.get("BUILD", "build/cpu")
MPIRUN = os.environ.get("MPIRUN", "mpirun").split()
WORKER = os.path.join(BUILD, "tests", "test_propagator_h5")
SCRATCH = os.environ.get("SCRATCH") or tempfile.mkdtemp()
LONG = os.environ.get("NAIK_TEST_LONG") is not None
failures = 0


def verdict(name, complaint):
    global failures
    if complaint:
        print(complaint)
        failures += 1
    print(("FAIL " if complaint else "PASS ") + name, flush=True)


def worker(path, stop, ranks, prefix=(), timeout=None, mode="--worker"):
    """Runs the job; returns its exit status and how many solves it found done."""
    launch = MPIRUN + ["-n", str(ranks)] if ranks > 1 else []
    command = list(prefix) + launch + [WORKER, mode, path, str(stop)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if timeout is not None:
        time.sleep(timeout)
        process.kill()
    out, err = process.communicate()
    resumed = [line.split()[1] for line in out.splitlines() if line.startswith("resumed")]
    return process.returncode, int(resumed[0]) if resumed else None, err


def contents(path):
    """Every dataset that two runs must share, as bytes."""
    found = {}
    with h5py.File(path, "r") as f:
        def keep(name, item):
            if isinstance(item, h5py.Dataset) and name.startswith(("prop/", "corr/", "solves_history")):
                found[name] = item[()].tobytes()
        f.visititems(keep)
        found["contractions"] = f["contractions"][()].tobytes()
        found["solves"] = np.array([f["solves"][k] for k in
                                    ("state", "suma", "sumb", "iterations", "true_residual")]).tobytes()
        if f.attrs["state"] != "complete":
            found["state"] = f.attrs["state"].encode()
    return found


def finish(path, ranks, expected):
    """Reruns until the job is done; a complaint where the outcome is not that of `expected`."""
    status, resumed, err = worker(path, -1, ranks)
    if status != 0:
        return None, "rerun of %s ended with %d: %s" % (path, status, err[-2000:])
    if contents(path) != expected:
        return resumed, "%s differs from an undisturbed run" % path
    left = [name for name in os.listdir(os.path.dirname(path)) if name != os.path.basename(path)]
    return resumed, "left behind: %s" % left if left else None


def fresh(name):
    folder = os.path.join(SCRATCH, name)
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    return os.path.join(folder, "out.h5")


def python_reads_complex(path):
    with h5py.File(path, "r") as f:
        g = f["prop/s0000/m00"]
        if g.dtype.base != np.complex128 or g[()].shape != (3, 8, 4, 4, 8, 3):
            return "prop/s0000/m00 is %s %s" % (g.dtype, g[()].shape)
        pion = f["corr/pt/m01/pion5/p10-1"]
        if pion.dtype != np.float64 or pion.shape != (8,):
            return "the correlator is %s %s" % (pion.dtype, pion.shape)
        parts = f["corr/pt/m01/per_colour"][:, 0, 1]
        if not np.array_equal(pion[()], (parts[0] + parts[1]) + parts[2]):
            return "the correlator is not the sum of its colours"
        if f["corr/wall/s0001/m00/pion05/p000"].shape != (8,):
            return "several sources have other paths than documented"
        states = h5py.check_enum_dtype(f["solves"].dtype["state"])
        if [int(s) for s in f["solves"]["state"]].count(states["NOT_CONVERGED"]) != 1:
            return "one solve should be marked as not converged"
        if f["metadata/input_text"][()] != b"# a comment\nsolver: {tolerance: 1e-10}\n":
            return "the input text is not what was given"
        if f["prop/s0000/m00"].attrs["mass"] != 0.05:
            return "the mass is not where it should be"
    return None


reference = fresh("undisturbed")
status, resumed, err = worker(reference, -1, 1)
if status != 0:
    print(err)
    print("FAIL the_undisturbed_run_ends")
    sys.exit(1)
expected = contents(reference)
verdict("python_reads_propagators_as_complex_arrays", python_reads_complex(reference))

complaint = None
for ranks in (2, 4):
    path = fresh("ranks")
    found, complaint = finish(path, ranks, expected) if complaint is None else (0, complaint)
verdict("files_of_1_2_and_4_ranks_are_byte_identical", complaint)

# Killed after k commits, continued on another number of ranks; the .part is readable meanwhile.
complaint = None
for k in (0, 1, 2, 3, 7, 11, 12) if LONG else (0, 1, 7, 12):
    path = fresh("commits")
    worker(path, k, 1 + k % 2)
    if os.path.exists(path):
        complaint = complaint or "a killed job left a file under its final name"
    with h5py.File(path + ".part", "r") as f:
        if not np.iscomplexobj(f["prop/s0001/m00"][0]) or f.attrs["state"] != "incomplete":
            complaint = complaint or "the .part cannot be read in between"
    resumed, wrong = finish(path, 2 - k % 2, expected)
    complaint = complaint or wrong
    if resumed != k:
        complaint = complaint or "killed after %d commits, but %s were found" % (k, resumed)
verdict("a_kill_after_any_commit_loses_nothing", complaint)

# Every write fails after some commits, through collective MPI-IO: whether that library reports it or
# hangs, the job ends by itself and with a sentence.
complaint = None
for ranks in (1, 4):
    path = fresh("full")
    status, resumed, err = worker(path, 4, ranks, mode="--fail")
    if status != 2 or "naik: error: " not in err:
        complaint = complaint or "a full disk ended with %s: %s" % (status, err[-2000:])
    resumed, wrong = finish(path, 1, expected)
    complaint = complaint or wrong
    if resumed != 4:
        complaint = complaint or "a full disk left %s of 4 solves" % resumed
verdict("a_failing_disk_ends_the_job_and_loses_nothing", complaint)

# No room from the start: said before any solve, and nothing is left behind.
small = os.path.join(SCRATCH, "small")
os.makedirs(small, exist_ok=True)
if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", small],
                  stderr=subprocess.DEVNULL).returncode == 0:
    try:
        status, resumed, err = worker(os.path.join(small, "out.h5"), -1, 1)
        left = os.listdir(small)
    finally:
        subprocess.run(["umount", small])
    ok = status == 2 and "MiB free: make room" in err and not left
    verdict("a_small_disk_is_refused_before_the_first_solve", None if ok else (status, err, left))
else:
    print("SKIP a_small_disk_is_refused_before_the_first_solve: mounting needs root")

# Killed at system call number k of those that change files, wherever in a commit that is.
CALLS = "write,pwrite64,pwritev,fsync,fallocate,ftruncate,rename,linkat,unlink"


def traced(path, log, *more):
    watched = ["-P", path] + [w for suffix in (".part", ".journal", ".lock", ".part.damaged",
                                               ".journal.damaged") for w in ("-P", path + suffix)]
    return worker(path, -1, 1, ("strace", "-f", "-qq", "-o", log, *watched, "-e", "trace=" + CALLS,
                                *more))


def kill_at_calls(name, prepare, points, least):
    """Runs the job from a prepared state, killed at call k; then it must end as undisturbed."""
    path, log, complaint = fresh("traced"), os.path.join(SCRATCH, "calls.log"), None
    prepare(path)
    traced(path, log)
    total = sum(1 for line in open(log))
    for k in range(1, total + 1, max(1, total // points)):
        path = fresh("traced")
        prepare(path)
        traced(path, os.devnull, "-e", "inject=%s:signal=KILL:when=%d" % (CALLS, k))
        resumed, wrong = finish(path, 1, expected)
        if wrong or resumed is None or resumed < least:
            complaint = complaint or "killed at call %d of %d: %s resumed, %s" % (k, total, resumed,
                                                                                wrong)
    verdict(name, complaint)


def unopenable(path):
    """Seven solves in a .part whose first bytes are gone."""
    worker(path, 7, 1)
    with open(path + ".part", "r+b") as f:
        f.write(b"gone")


if shutil.which("strace") and subprocess.run(["strace", "-o", os.devnull, "true"],
                                             stderr=subprocess.DEVNULL).returncode == 0:
    kill_at_calls("a_kill_at_any_write_loses_nothing", lambda path: None, 14, 0)
    kill_at_calls("a_kill_while_rebuilding_loses_nothing", unopenable, 8, 7)
else:
    print("SKIP a_kill_at_any_write_loses_nothing: strace cannot run here")

# Killed at arbitrary moments, several times in a row.
complaint = None
begin = time.time()
path = fresh("moments")
worker(path, -1, 1)
usual = time.time() - begin
for attempt in range(4):
    path = fresh("moments")
    for again in range(2):
        if not os.path.exists(path):
            worker(path, -1, 1, timeout=usual * (0.2 + 0.13 * attempt + 0.07 * again))
    resumed, wrong = finish(path, 1, expected)
    complaint = complaint or wrong
verdict("a_kill_at_any_moment_loses_nothing", complaint)
sys.exit(1 if failures else 0)
