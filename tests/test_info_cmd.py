# test_info_cmd.py - `naik info` on whole, unfinished and damaged files
# timeout: 240
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

import h5py

from program import environment, older_records

sys.path.insert(0, "python")
import naik_io  # noqa: E402

naik = os.environ.get("NAIK", "build/cpu/naik")
worker = os.path.join(os.environ.get("BUILD", "build/cpu"), "tests", "test_propagator_h5")
scratch = os.environ.get("SCRATCH") or tempfile.mkdtemp()
failures = 0


def verdict(name, complaint):
    global failures
    failures += bool(complaint)
    if complaint:
        print(complaint)
    print(("FAIL " if complaint else "PASS ") + name, flush=True)


def info(path, *options):
    done = subprocess.run([naik, "info", path, *options], capture_output=True, text=True,
                          errors="replace", timeout=300, env=environment())
    return done.returncode, done.stdout, done.stderr


def flip(path, offset, copy):
    shutil.copy(path, copy)
    with open(copy, "r+b") as f:
        f.seek(offset)
        byte = f.read(1)[0]
        f.seek(offset)
        f.write(bytes([byte ^ 16]))


path = os.path.join(scratch, "out.h5")
subprocess.run([worker, "--worker", path, "5"], capture_output=True)
status, said, told = info(path)
verdict("info_tells_an_unfinished_file",
        None if status == 5 and "solves_pending: 7" in said and "out.h5.part" in said
        and "out.h5 is not complete: run the same naik solve again" in told else (status, said, told))
# A .part that HDF5 cannot open, as a run left it beside its journal; one that has no state yet, beside its lock; and its correlators.
torn = os.path.join(scratch, "torn.h5")
shutil.copy(path + ".part", torn + ".part")
os.truncate(torn + ".part", os.path.getsize(torn + ".part") // 2)
alone = info(torn)
shutil.copy(path + ".journal", torn + ".journal")
beside = info(torn)
verdict("info_says_that_the_same_solve_makes_good_a_damaged_part",
        None if alone[0] == beside[0] == 4 and "run the same naik solve again: it keeps the solves that are intact" in beside[2]
        and "run the same" not in alone[2] else (alone, beside))
shutil.copy(path + ".part", torn + ".part")
with h5py.File(torn + ".part", "r+") as f:
    record = f["solves"].id.get_offset() + 77
flip(torn + ".part", record, torn + ".flipped")
os.replace(torn + ".flipped", torn + ".part")
beside = info(torn)
damaged = [line for line in beside[1].split("\n") if " state=damaged" in line]
verdict("info_says_so_of_damaged_records", None if beside[0] == 4 and "torn.h5.part is damaged; run the same" in beside[2]
        and len(damaged) == 1 and "iterations=" not in damaged[0] and "norm=" not in damaged[0] else (damaged, beside))
shutil.copy(path + ".part", torn + ".part")
with h5py.File(torn + ".part", "r+") as f:
    del f.attrs["state"]
os.remove(torn + ".journal")
with open(torn + ".lock", "w") as f:
    f.write("host=x\n")
tries = [info(torn, *options) for options in ((), ("--correlators",), ("--json",))]
tries.append((lambda d: (d.returncode, d.stdout, d.stderr))(subprocess.run([naik, "report", torn], capture_output=True, text=True, env=environment())))
verdict("a_part_in_making_is_called_so",
        None if all(t[0] == 5 and "torn.h5.part' is still being made" in t[2] and "damaged" not in t[2] for t in tries) else tries)
try:
    naik_io.open(torn + ".part")
    complaint = "it opened"
except OSError as error:
    complaint = None if "torn.h5.part is still being made" in str(error) else str(error)
verdict("a_part_in_making_is_called_so_in_python", complaint)
some = []
for solves in (0, 5):
    again = os.path.join(scratch, f"stopped{solves}.h5")
    subprocess.run([worker, "--worker", again, str(solves)], capture_output=True)
    some.append(info(again, "--correlators"))
verdict("correlators_of_an_unfinished_file_are_called_so",
        None if some[0][0] == 5 and "no correlator is there yet" in some[0][2]
        and some[1][0] == 0 and "stopped5.h5.part is not complete" in some[1][2] else some)
subprocess.run([worker, "--worker", path, "-1"], capture_output=True)
status, said, told = info(path, "--json")
try:
    tree = json.loads(said)
except ValueError:
    tree = {}
ok = (status == 0 and tree.get("complete") is True and tree.get("intact") is True
      and tree["solves_done"] == 11 and tree["solves_not_converged"] == 1
      and [s["state"] for s in tree["solves"]].count("done") == 11
      and tree["solves"][3]["mass"] == 0.1 and [s.get("modes", 0) for s in tree["solves"][:4]] == [0, 100, 200, 300] and len(tree["sessions"]) == 2
      and tree["metadata"]["input_text"] == "# a comment\nsolver: {tolerance: 1e-10}\n")
verdict("info_of_a_complete_file_is_json", None if ok else (status, said, told))


for version, lacking, reason in (
        ("version_0_1_0", (b"rung", b"modes"), b"broken by NaN or a singular dir"),
        ("before_modes_were_counted", (b"modes",), b"broken by NaN or p.Ap <= 0")):
    before = os.path.join(scratch, version + ".h5")
    shutil.copy(path, before)
    older_records(before, lacking, {3: reason})
    status, said, told = info(before, "--json")
    tree = json.loads(said) if said else {}
    ok = (status == 0 and tree["solves_done"] == 11 and all("modes" not in s for s in tree["solves"])
          and any("rung" in s for s in tree["solves"]) == (b"rung" not in lacking)
          and tree["solves"][3]["stop_reason"] == reason.decode())
    verdict("info_reads_records_of_" + version, None if ok else (status, said, told))
    done = subprocess.run([naik, "report", before, "-o", os.path.join(scratch, version + ".html")], capture_output=True,
                          text=True, env=environment())
    verdict("report_reads_records_of_" + version, None if done.returncode == 0 else (done.stdout, done.stderr))


def forge(name, grow, copy):
    """The dataset as another one, of other extents."""
    shutil.copy(path, copy)
    with h5py.File(copy, "r+") as f:
        old = f[name]
        kind, shape, attributes = old.dtype, grow(old.shape), dict(old.attrs)
        plist = old.id.get_create_plist()
        file_type = old.id.get_type()
        del f[name]
        new = h5py.h5d.create(f.id, name.encode(), file_type, h5py.h5s.create_simple(shape), plist)
        for key, value in attributes.items():
            h5py.Dataset(new).attrs[key] = value


# A set's first source tells its shapes; those of the others must be the same, or their numbers end behind
# the memory of the reader.
complaint = None
for name, grow in (("corr/wall/s0001/m00/per_colour", lambda s: s[:3] + (4096 * s[3],)),
                   ("corr/wall/s0001/m00/pion5/p000", lambda s: s + (2, 2, 2)),
                   ("prop/s0001/m00", lambda s: s[:-1] + (s[-1] // 2,)),
                   ("corr/pt/m01/pion5/p000", lambda s: (2 * s[0],))):
    copy = os.path.join(scratch, "forged.h5")
    forge(name, grow, copy)
    for words in (["info", copy], ["report", copy, "-o", os.path.join(scratch, "forged.html"), "--force"],
                  ["info", copy, "--correlators"]):
        done = subprocess.run([naik, *words], capture_output=True, text=True, errors="replace", timeout=300,
                              env=environment())
        quiet = name.startswith("prop/") and words[-1] != copy  # who reads no propagators cannot know
        if done.returncode != 4 and not quiet or "crashed" in done.stderr:
            complaint = complaint or f"{name} of another shape, {words[0]}: {done.returncode} {done.stderr[-300:]}"
verdict("datasets_of_another_shape_are_damage", complaint)
complaint, places = None, {}
with h5py.File(path, "r") as f:
    for name in ("prop/s0001/m00", "corr/pt/m01/per_colour", "corr/wall/s0001/m00/pion5/p000",
                 "solves", "solves_history"):
        places[name] = f[name].id.get_offset()
copy = os.path.join(scratch, "copy.h5")
for name, offset in places.items():
    flip(path, offset + 77, copy)
    status, said, told = info(copy)
    if status != 4 or "damaged" not in told:
        complaint = (name, status, told)
verdict("info_notices_a_flipped_byte_in_every_kind_of_data", complaint)

# The byte order of the type of every attribute `mass`, in the message before its value.
with open(path, "rb") as f:
    data = bytearray(f.read())
head, at, turned = bytes([0x11, 0x20, 63, 0, 8, 0, 0, 0]), -1, 0
while (at := data.find(head, at + 1)) >= 0:
    if b"mass" in data[at - 24:at]:
        data[at + 1] ^= 1
        turned += 1
with open(copy, "wb") as f:
    f.write(data)
status, said, told = info(copy)
verdict("info_notices_a_mass_in_another_byte_order",
        None if turned >= 4 and status == 4 and "attributes_intact: false" in said else (turned, status, said, told))

# Bytes that are no text.
with open(path, "rb") as f:
    data = f.read()
with open(copy, "wb") as f:
    f.write(data.replace(b"antiperiodic", b"anti\x1b\xe7riodic"))
complaint = None
for options in ([], ["--json"]):
    done = subprocess.run([naik, "info", copy, *options], capture_output=True, timeout=300, env=environment())
    try:
        said = done.stdout.decode()
        if done.returncode != 4 or "\x1b" in said or "riodic" not in said or (options and not json.loads(said)):
            complaint = done
    except ValueError as error:
        complaint = (error, done)
verdict("info_prints_only_what_is_text", complaint)

# Bytes of the file's structure: HDF5 does not protect them, but nothing may crash or hang.
complaint = None
random.seed(5)
first = min(places.values())
for offset in [0, 8, 24, 40, 64] + [random.randrange(min(first, 60000)) for _ in range(20)]:
    flip(path, offset, copy)
    status, said, told = info(copy)
    if status not in (0, 1, 2, 4, 5) or (status != 0 and "naik: error: " not in told):
        complaint = ("offset %d" % offset, status, told)
for size in (0, 7, 100, 3000, 60000):
    shutil.copy(path, copy)
    os.truncate(copy, size)
    status, said, told = info(copy)
    if status not in (1, 4) or "naik: error: " not in told:
        complaint = ("truncated to %d" % size, status, told)
verdict("info_survives_damaged_structure", complaint)

lattice = os.path.join(scratch, "lat.h5")
done = subprocess.run([naik, "gauge", "generate", "--size", "4,4,4,4", "--beta", "6", "--seed", "1",
                       "--sweeps", "2", "-o", lattice], capture_output=True, text=True)
status, said, told = info(lattice)
complaint = None if status == 0 and "intact: true" in said else (done.stderr, status, said, told)
with h5py.File(lattice, "r") as f:
    flip(lattice, f["gauge"].id.get_offset() + 1000, copy)
    if f["gauge"].dtype.base.kind != "c" or f["gauge"][()].shape != (4, 4, 4, 4, 4, 3, 3):
        complaint = complaint or "h5py does not read the links as complex matrices"
status, said, told = info(copy)
if status != 4 or "intact: false" not in said:
    complaint = complaint or (status, said, told)
verdict("info_verifies_gauge_files", complaint)

complaint = None
for name, state, count in ((path, "complete", 1), (lattice, "complete", 1), (path, "incomplete", 0)):
    longer = os.path.join(scratch, "longer.h5")
    shutil.copy(name, longer)
    with h5py.File(longer, "r+") as f:
        f.attrs["state"] = state.encode()
    with open(longer, "ab") as f:
        f.write(b"junk")
    status, said, told = info(longer)
    if status != (0 if count else 5) or told.count("'%s' has 4 bytes behind its end" % longer) != count or "behind" in info(name)[2]:
        complaint = (status, said, told)
verdict("info_warns_once_of_bytes_behind_the_end_of_a_file", complaint)

# A file in which no solve converged is no success; one in which some did is for its reader to judge.
out = os.path.join(scratch, "unsolved.h5")
with open(os.path.join(scratch, "unsolved.yaml"), "w") as f:
    f.write("lattice: {size: [4, 4, 4, 4]}\ngauge: {file: %s}\naction: {type: naive}\n"
            "solve: [{name: pt, masses: [0.01], source: {type: point, origin: [0, 0, 0, 0]}}]\n"
            "solver: {max_iterations: 1}\noutput: {file: %s}\n" % (lattice, out))
done = subprocess.run([naik, "solve", f.name], capture_output=True, text=True)
status, said, told = info(out)
verdict("info_of_a_file_in_which_nothing_converged_says_so",
        None if done.returncode == 3 and status == 3 and "intact: true" in said and "naik: error: no solve of" in told
        else (done.stderr, status, said[-500:], told))
shown = subprocess.run([naik, "report", out, "-o", os.path.join(scratch, "unsolved.html")], capture_output=True, text=True)
verdict("report_of_a_file_in_which_nothing_converged_says_so",
        None if shown.returncode == 3 and "naik: error: no solve of" in shown.stderr and "wrote " in shown.stdout else shown)

# 1331 momenta: their names take more than 8192 bytes
lattice = os.path.join(scratch, "wide.h5")
done = subprocess.run([naik, "gauge", "generate", "--size", "22,22,22,2", "--beta", "6", "--seed", "1",
                       "--sweeps", "1", "-o", lattice], capture_output=True, text=True)
out = os.path.join(scratch, "momenta.h5")
momenta = [[x, y, z] for x in range(-5, 6) for y in range(-5, 6) for z in range(-5, 6)]
with open(os.path.join(scratch, "momenta.yaml"), "w") as f:
    f.write("lattice: {size: [22, 22, 22, 2]}\ngauge: {file: %s}\naction: {type: naive}\n"
            "solve: [{name: pt, masses: [1], source: {type: point, origin: [0, 0, 0, 0]}}]\n"
            "output: {file: %s, propagators: false, momenta: %s}\n" % (lattice, out, momenta))
done = subprocess.run([naik, "solve", f.name], capture_output=True, text=True)
status, said, told = info(out)
verdict("info_describes_files_of_many_momenta",
        None if status == 0 and "intact: true" in said else (done.stderr, status, said[-500:], told))
many = [[x, y, z] for x in range(-11, 12) for y in range(-11, 12) for z in range(-9, 10)][:10000]
done = subprocess.run([naik, "solve", f.name, "--dry-run", "--set", "output.momenta=%s" % many, "--set",
                       "output.file=many.h5"],
                      capture_output=True, text=True)
verdict("more_momenta_than_a_file_takes_are_refused",
        None if done.returncode == 1 and "no room for the names of 10000 momenta" in done.stderr else done)
sys.exit(1 if failures else 0)
