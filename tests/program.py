"""What the tests of the program share: running naik, verdicts, scratch paths."""
import contextlib
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time
import zlib

NAIK, SCRATCH = os.environ["NAIK"], os.environ["SCRATCH"]
MPIRUN = shlex.split(os.environ["MPIRUN"])
REFERENCE = os.environ.get("NAIK_REFERENCE")
LONG = os.environ.get("NAIK_TEST_LONG") is not None
# Environment of a rank that no launcher starts (tests/run).
ALONE = dict(pair.split("=", 1) for pair in os.environ.get("TESTS_ALONE", "").split())
# The other family than Open MPI: its launcher passes on who was killed in its own way.
MPICH = "libmpich" in subprocess.run(["ldd", NAIK], capture_output=True, text=True).stdout
KILLED = 9 if MPICH else 137


# Two threads, of which the second has little of a stack.
LITTLE = {"OMP_NUM_THREADS": "2", "OMP_STACKSIZE": "112k"}


def path(name):
    return os.path.join(SCRATCH, name)


def command(*words, ranks=1):
    return (MPIRUN + ["-n", str(ranks)] if ranks > 1 else []) + [NAIK, *map(str, words)]


def environment(ranks=1, env=None):
    return {**os.environ, **(ALONE if ranks == 1 else {}), **(env or {})}


def start(*words, ranks=1, env=None):
    """Starts naik in a process group of its own."""
    return subprocess.Popen(command(*words, ranks=ranks), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, start_new_session=True, env=environment(ranks, env))


def ended_with(status, code, told):
    """Whether naik ended with `status`, of which its launcher made `code`: where a rank leaves without MPI_Finalize
    MPICH's may kill it, or see its connection close, before it reads the status, and passes on 9 or 1; where it hears
    the signal itself that stops naik, it may pass on 0."""
    return (code == status or MPICH and status in (2, 4) and code in (1, 9) and "EXIT STRING: " in told
            or MPICH and status == 5 and code == 0 and "stopped by signal" in told)


def naik(*words, ranks=1, status=0, env=None, cwd=None):
    """Runs naik and returns what it printed; the exit status must be the expected one (None: any)."""
    run = subprocess.run(command(*words, ranks=ranks), capture_output=True, text=True, timeout=300,
                         env=environment(ranks, env), cwd=cwd)
    if status is not None and not ended_with(status, run.returncode, run.stdout):
        raise AssertionError(f"naik {' '.join(map(str, words))}: exit status {run.returncode}, expected "
                             f"{status}\n{run.stdout}{run.stderr}")
    assert "was stopped but never started" not in run.stderr + run.stdout, run.stdout + run.stderr
    return run.stdout + run.stderr


def answer(*words, ranks=1):
    """Exit status, standard output and standard error of naik."""
    run = subprocess.run(command(*words, ranks=ranks), capture_output=True, text=True, errors="replace",
                         env=environment(ranks))
    return run.returncode, run.stdout, run.stderr


HOLD = path("held")


def holding(at=None, sync=None):
    """Environment of a run whose rank 0 waits, once, after a line of its log that begins with `at` or before it forces a
    file to disk whose name ends with `sync`, until it is let go on or hears a signal (shim/hold.c)."""
    with contextlib.suppress(FileNotFoundError):  # of a run that a test which failed has left
        os.remove(HOLD)
    return {"LD_PRELOAD": built_shim("hold"), "NAIK_HOLD_FILE": HOLD, **({"NAIK_HOLD_AT": at} if at else {}),
            **({"NAIK_HOLD_SYNC": sync} if sync else {})}


def held(run):
    """Waits until a run that was started with `holding` waits; one that is over before it came there is a failure."""
    while not os.path.exists(HOLD):
        if run.poll() is not None and not os.path.exists(HOLD):
            raise AssertionError(f"the run ended with {run.returncode} and was never held: {run.communicate()}")
        time.sleep(0.005)
    return True


def go_on():
    os.remove(HOLD)


def stopped(*words, ranks=1, at="solve 1/"):
    """Has naik stopped by a signal when it has said a line that begins with `at`; what it said."""
    run = start(*words, ranks=ranks, env=holding(at))
    assert held(run)
    os.killpg(run.pid, signal.SIGUSR1)
    said = run.communicate()[0]
    assert ended_with(5, run.returncode, said), (run.returncode, said)
    return said


def processes(names_wanted, marker):
    """Ids of processes with one of these names whose environment holds the marker."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/comm") as f:
                if f.read().strip() not in names_wanted:
                    continue
            with open(f"/proc/{pid}/environ", "rb") as f:
                if marker.encode() in f.read().split(b"\0"):
                    found.append(int(pid))
        except OSError:
            pass  # gone meanwhile
    return found


def ranks_are_gone(marker, seconds=300):
    """Waits until no rank has the marker in its environment: ranks outlive a killed mpirun for a moment."""
    end = time.monotonic() + seconds
    while processes(("naik",), marker):
        assert time.monotonic() < end, f"a rank with {marker} is still there after {seconds} s"
        time.sleep(0.05)


def flipped(name, dataset, offset, mask, out):
    """A copy of an HDF5 file with the bits `mask` of one byte of a dataset flipped."""
    import h5py  # not every test needs it
    with open(path(name), "rb") as f:
        data = bytearray(f.read())
    with h5py.File(path(name)) as f:
        data[f[dataset].id.get_offset() + offset] ^= mask
    with open(path(out), "wb") as f:
        f.write(data)


def sealed(name):
    """Gives a file the checksum of its metadata that it must have now."""
    import h5py
    seal = re.search("give the checksum ([0-9a-f]+)", answer("info", name)[2])
    assert seal, answer("info", name)
    with h5py.File(name, "r+") as f:
        f.attrs["metadata_crc"] = seal.group(1)


def twin(numbers, apart):
    """Other numbers [sites][...] of double with one checksum word the same: suma where `apart` is 29, sumb where it is 31."""
    import numpy
    other = numpy.ascontiguousarray(numbers).copy()
    bits = other.view(numpy.uint64).reshape(other.shape[0], -1)
    bits[5, 0] ^= numpy.uint64(1)
    bits[5 + apart, 0] ^= numpy.uint64(1)
    return other


@contextlib.contextmanager
def raw_records(f):
    """The records of a propagator file as bytes, and the offset of a member; they get their own checksums in the end."""
    import h5py
    import numpy
    table = f["solves"]
    kind = table.id.get_type()
    size, raw = kind.get_size(), numpy.zeros(table.size, f"V{kind.get_size()}")
    table.id.read(h5py.h5s.ALL, h5py.h5s.ALL, raw, kind)
    records = [memoryview(raw.view("u1"))[size * i:size * (i + 1)] for i in range(table.size)]
    yield records, lambda member: kind.get_member_offset(kind.get_member_index(member))
    for record in records:
        record[-4:] = zlib.crc32(record[:-4]).to_bytes(4, "little")
    table.id.write(h5py.h5s.ALL, h5py.h5s.ALL, raw, kind)


def twin_of_a_solve(name, number, apart, out):
    """A copy of a propagator file of staggered quarks in which solution `number` is its twin, and everything says so."""
    import h5py
    import numpy
    shutil.copy(path(name), path(out))
    with h5py.File(path(out), "r+") as f, raw_records(f) as (records, offset):
        solve = f["solves"][number]
        data = f[f"prop/s{solve['source']:04}/m{solve['mass']:02}"]
        column = data[solve["colour"]]
        numbers = column.view(numpy.float64).reshape(numpy.prod(column.shape[:4]), -1)
        data[solve["colour"]] = twin(numbers, apart).view(column.dtype).reshape(column.shape)
        zeros = bytes(8 * numbers.shape[1])
        crc = zlib.crc32(b"\1" + zeros[1:]) ^ zlib.crc32(zeros)  # by which that of a site changes
        for word, by in ((b"suma", 29), (b"sumb", 31)):
            at = offset(word)
            now = int.from_bytes(records[number][at:at + 4], "little")
            for turn in (5 % by, (5 + apart) % by):
                now ^= (crc << turn | crc >> (32 - turn)) & 0xffffffff
            records[number][at:at + 4] = now.to_bytes(4, "little")


def older_records(name, without, texts=None):
    """Gives /solves of a propagator file the records of an earlier version, which lacked these members and had a
    longer stop_reason in their place; texts: some of them, by number."""
    import h5py  # not every test needs them
    import numpy
    with h5py.File(name, "r+") as f:
        new = f["solves"]
        stored = new.id.get_type()
        bytes_each = stored.get_size()
        old = h5py.h5t.create(h5py.h5t.COMPOUND, bytes_each)
        raw = numpy.zeros(new.size, f"V{bytes_each}")
        new.id.read(h5py.h5s.ALL, h5py.h5s.ALL, raw, stored)
        empty = []
        for i in range(stored.get_nmembers()):
            member, kind, offset = stored.get_member_name(i), stored.get_member_type(i), stored.get_member_offset(i)
            if member in without:
                empty.append(offset)
                continue
            if member == b"stop_reason":
                text_at, text_bytes = offset, kind.get_size() + 4 * len(without)
                kind.set_size(text_bytes)
            old.insert(member, offset, kind)
        for i in range(new.size):
            record = memoryview(raw.view("u1"))[bytes_each * i:bytes_each * (i + 1)]
            for at in empty:
                record[at:at + 4] = bytes(4)
            if texts and i in texts:
                record[text_at:text_at + text_bytes] = texts[i].ljust(text_bytes, b"\0")
            record[-4:] = zlib.crc32(record[:-4]).to_bytes(4, "little")
        space, plist = new.id.get_space(), new.id.get_create_plist()
        del f["solves"]
        made = h5py.h5d.create(f.id, b"solves", old, space, plist)
        made.write(h5py.h5s.ALL, h5py.h5s.ALL, raw, old)
    sealed(name)


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


def built_shim(name="fail_one_rank"):
    """A library to preload (shim/), or None where it cannot be built."""
    library = path(name + ".so")
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), f"shim/{name}.c")
    if not os.path.exists(library) and subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source, "-ldl"]).returncode:
        return None
    return library


def kept(file, lines, alike):
    """Compares lines with those that a file keeps, which NAIK_SAID=write writes anew: what differs, and the
    lines of the file."""
    if os.environ.get("NAIK_SAID") == "write":
        with open(file, "w", encoding="utf-8") as f:
            f.write("\n".join(lines) + "\n")
    with open(file, encoding="utf-8") as f:
        wants = f.read().splitlines()
    return [f"{file}:{n}: said     {line}\nexpected {want}" for n, (line, want) in enumerate(zip(lines, wants), 1)
            if not alike(line, want)], wants


FAILED = []


def verdict(name, ok, told=""):
    """A verdict line, with what explains a failure; `finish` ends a script of such lines."""
    if not ok:
        FAILED.append(name)
        print(told)
    print(("PASS " if ok else "FAIL ") + name, flush=True)


def finish():
    sys.exit(1 if FAILED else 0)


def work():
    """Seconds of cores that this script and what it has started and awaited have taken."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def main(tests, needed=None):
    """Runs functions in order, one verdict line each; the exit status says whether all passed. Names on the command
    line choose among them; with each run those of `needed`, which make what the others read, or, where a script does not
    say who does, all that stand before it: their verdicts are not told, but that one failed."""
    failures, chosen = 0, sys.argv[1:] or [t.__name__ for t in tests]
    if unknown := set(chosen) - {t.__name__ for t in tests}:
        sys.exit(f"FAIL no test is called {', '.join(sorted(unknown))}")
    last = max(i for i, t in enumerate(tests) if t.__name__ in chosen)
    for test in tests[:last + 1]:
        is_chosen = test.__name__ in chosen
        if not is_chosen and needed is not None and test not in needed:
            continue
        begin, worked = time.monotonic(), work()
        try:
            skipped = test()
            if is_chosen:
                print(f"SKIP {test.__name__}: {skipped}" if skipped else f"PASS {test.__name__}", flush=True)
        except Exception as error:  # a failed assertion, a missing dataset: the test's verdict
            failures += 1
            print(f"{type(error).__name__}: {error}\nFAIL {test.__name__}", flush=True)
        print(f"  {time.monotonic() - begin:.1f} s, {work() - worked:.1f} of work", flush=True)
    sys.exit(1 if failures else 0)
