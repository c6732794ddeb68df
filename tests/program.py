"""What the tests of the program share: running naik, verdicts, scratch paths."""
import os
import shlex
import subprocess
import sys
import time

NAIK, SCRATCH = os.environ["NAIK"], os.environ["SCRATCH"]
MPIRUN = shlex.split(os.environ["MPIRUN"])
REFERENCE = os.environ.get("NAIK_REFERENCE")
LONG = os.environ.get("NAIK_TEST_LONG") is not None
# The other family than Open MPI: its launcher passes on who was killed in its own way.
MPICH = "libmpich" in subprocess.run(["ldd", NAIK], capture_output=True, text=True).stdout
KILLED = 9 if MPICH else 137


def path(name):
    return os.path.join(SCRATCH, name)


def command(*words, ranks=1):
    return (MPIRUN + ["-n", str(ranks)] if ranks > 1 else []) + [NAIK, *map(str, words)]


def start(*words, ranks=1, env=None):
    """Starts naik in a process group of its own."""
    return subprocess.Popen(command(*words, ranks=ranks), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, start_new_session=True, env={**os.environ, **(env or {})})


def naik(*words, ranks=1, status=0, env=None):
    """Runs naik and returns what it printed; the exit status must be the expected one (None: any)."""
    run = subprocess.run(command(*words, ranks=ranks), capture_output=True, text=True, timeout=300,
                         env={**os.environ, **(env or {})})
    if status is not None and run.returncode != status:
        raise AssertionError(f"naik {' '.join(map(str, words))}: exit status {run.returncode}, expected "
                             f"{status}\n{run.stdout}{run.stderr}")
    return run.stdout + run.stderr


def everything(name):
    """Bytes of every dataset under /prop, /corr and /solves_history."""
    import h5py  # not every test needs it
    found = {}
    with h5py.File(path(name)) as f:
        for group in ("prop", "corr", "solves_history"):
            def visit(key, item, group=group):
                if isinstance(item, h5py.Dataset):
                    found[group + "/" + key] = item[...].tobytes()
            if isinstance(f[group], h5py.Dataset):
                found[group] = f[group][...].tobytes()
            else:
                f[group].visititems(visit)
    return found


def same(a, b):
    assert sorted(a) == sorted(b), f"other datasets: {sorted(set(a) ^ set(b))}"
    different = [key for key in a if a[key] != b[key]]
    assert not different, f"bytes differ in {different}"


def main(tests):
    """Runs functions in order, one verdict line each; the exit status says whether all passed. Names on the command
    line choose among them."""
    failures = 0
    for test in [t for t in tests if t.__name__ in sys.argv[1:] or not sys.argv[1:]]:
        begin = time.monotonic()
        try:
            skipped = test()
            print(f"SKIP {test.__name__}: {skipped}" if skipped else f"PASS {test.__name__}", flush=True)
        except Exception as error:  # a failed assertion, a missing dataset: the test's verdict
            failures += 1
            print(f"{type(error).__name__}: {error}\nFAIL {test.__name__}", flush=True)
        print(f"  {time.monotonic() - begin:.1f} s", flush=True)
    sys.exit(1 if failures else 0)
