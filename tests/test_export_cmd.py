# test_export_cmd.py - `naik export`: USQCD pairs that hold the bits of the propagator file
# timeout: 240
import os
import re
import struct

import h5py
import numpy

from program import REFERENCE, SCRATCH, answer, finish, verdict

os.chdir(SCRATCH)


def records(path):  # type, flags, length, data
    data, out, at = open(path, "rb").read(), [], 0
    while at < len(data):
        magic, version, flags, length = struct.unpack(">IHHQ", data[at:at + 16])
        assert (magic, version) == (0x456789AB, 1)
        out.append((data[at + 16:at + 144].split(b"\0")[0].decode(), flags, length,
                    data[at + 144:at + 144 + length]))
        at += 144 + length + (-length % 8)
    return out


def vectors(path, kind):  # the binary records, as arrays [sites][3]
    return [numpy.frombuffer(data, kind).astype(kind[1:]).reshape(-1, 3)
            for name, _, _, data in records(path) if name == "scidac-binary-data"]


def solutions(path, source, mass):  # [colour][sites][3], x fastest
    field = h5py.File(path)[f"prop/s{source:04d}/m{mass:02d}"][...]
    return field.reshape(3, -1, 3)


# A small run of two sources and two masses, in both precisions.
answer("gauge", "generate", "--size", "4,4,4,8", "--beta", "6", "--seed", "5", "--sweeps", "5", "-o", "lat.h5")
INPUT = """lattice: {size: [4, 4, 4, 8]}
gauge: {file: lat.h5}
action: {type: hisq}
solve:
  - name: pt
    masses: [0.5, 0.2]
    source: {type: point, origin: [[1, 2, 3, 5], [0, 0, 0, 0]]}
  - name: noise
    masses: [0.4]
    source: {type: random_wall, t0: 2, seed: 7}
solver: {tolerance: 1e-8}
output: {file: p.h5, correlators: [], precision: 64}
# --set solve.0.masses=[7, 8] is a comment of the user
"""
open("in.yaml", "w").write(INPUT)
same = []
for bits, kind in ((64, ">c16"), (32, ">c8")):
    file = f"p{bits}.h5"
    os.environ["NAIK_GRID"] = "1x1x1x1"  # of which the stored input has a line behind those of --set
    answer("solve", "in.yaml", "--set", f"output.file={file}", "--set", f"output.precision={bits}",
        "--set", "solve.0.masses=[0.3, 0.1]")
    del os.environ["NAIK_GRID"]
    status, said, told = answer("export", file, "-o", f"out{bits}")
    names = [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0)]
    same.append(status == 0)
    same.append(sorted(x for x in os.listdir(".") if x.startswith(f"out{bits}")) == [f"out{bits}.s{s:04d}.m{m:02d}" for s, m in names])
    for s, m in names if status == 0 else []:
        got = vectors(f"out{bits}.s{s:04d}.m{m:02d}", kind)
        want = solutions(file, s, m)
        same.append(len(got) == 6 and all((got[2 * c + 1] == want[c]).all() for c in range(3)))
verdict("export_writes_the_bits_of_every_propagator",
        len(same) == 14 and all(same), f"{same} {told}")

points = vectors("out64.s0000.m00", ">c16")[::2]
noise = vectors("out64.s0002.m00", ">c16")[::2]
site = 1 + 4 * (2 + 4 * 3)
verdict("export_writes_sources_on_their_time_slice",
        all(len(v) == 64 and v[site, c] == 1 and numpy.abs(v).sum() == 1 for c, v in enumerate(points))
        and all(len(v) == 64 and (numpy.abs(v).sum(axis=1) == 1).all() for v in noise))

status, said, told = answer("export", "p64.h5", "--source", "1", "--mass", "1", "-o", "one", ranks=2)
one = open("one", "rb").read() if status == 0 else b""
whole = open("out64.s0001.m01", "rb").read()


def undated(data):
    parts = data.split(b"<date>")
    return parts[0] + b"".join(p[p.index(b"</date>"):] for p in parts[1:])


verdict("export_of_one_propagator_is_the_same_on_two_ranks", undated(one) == undated(whole), told)

# info describes and verifies what export wrote.
told_all = [answer("info", "out64.s0001.m01", ranks=n) for n in (1, 2)]
wanted = ("kind: vectors of another code's format", "vector_format: usqcd-pairs", "size: 4,4,4,8", "precision: 64",
          "vectors: 3", "sources: true", "checksums: true", "intact: true", "header: ")
verdict("info_reads_what_export_wrote", told_all[0] == told_all[1] and told_all[0][0] == 0
        and all(line in told_all[0][1] for line in wanted), told_all)
hurt = bytearray(whole)
hurt[whole.rindex(b"scidac-binary-data") + 1000] ^= 4
open("hurt", "wb").write(hurt)
damage = [answer("info", "hurt"), answer("info", "hurt", "--no-verify"), answer("info", "--json", "hurt")]
verdict("info_finds_damage_in_what_export_wrote",
        [d[0] for d in damage] == [4, 0, 4] and "intact: false" in damage[0][1] and "has the checksum" in damage[0][2]
        and "intact" not in damage[1][1] and '"intact": false' in damage[2][1], damage)

# A file says all that decides its source, which a LatticePropagator does not have with it.
open("kinds.yaml", "w").write("""lattice: {size: [4, 4, 4, 8]}
gauge: {file: lat.h5}
action: {type: naive}
solve:
  - {name: a, masses: [2], source: {type: gaussian, origin: [1, 2, 0, 3], radius: 1.25, subset: odd}}
  - {name: b, masses: [2], source: {type: corner_wall, t0: 2, corner: [1, 0, 1], momentum: [0, 1, 0]}}
  - {name: c, masses: [2], source: {type: random_wall, t0: 2, seed: 77, noise: z3}}
  - {name: d, masses: [2], twist: [0.5, -0.25, 0.125], source: {type: point, origin: [3, 2, 1, 4]}}
output: {file: kinds.h5}
""")
answer("solve", "kinds.yaml")
answer("export", "kinds.h5", "-o", "kinds")
wrong = [line for k, line in enumerate(("gaussian, on odd sites of one time slice, radius 1.25; place 1 2 0 3, momentum 0 0 0",
                                        "corner_wall, on x, y, z = 1, 0, 1 modulo 2 on one time slice; place 1 0 1 2, momentum 0 1 0",
                                        "random_wall, on one time slice, noise Z3, seed 77; place 0 0 0 2, momentum 0 0 0",
                                        "point, on one site; place 3 2 1 4, momentum 0 0 0"))
         if b"\nsource " + line.encode() + b"\n" not in open(f"kinds.s{k:04d}.m00", "rb").read()]
wrong += [k for k in range(4) if (b"\ntwist 0.5 -0.25 0.125" in open(f"kinds.s{k:04d}.m00", "rb").read()) != (k == 3)]
verdict("export_tells_all_that_decides_a_source", not wrong, wrong)

# Solves that did not converge are exported only on demand, and the file says so.
answer("solve", "in.yaml", "--set", "output.file=cap.h5", "--set", "solver.max_iterations=3", "--set", "solve.0.source.spin_taste=G5T-G5T")
refused = answer("export", "cap.h5", "-o", "cap", ranks=2)
demanded = answer("export", "cap.h5", "-o", "cap.one", "--source", "0", "--mass", "1", "--allow-unconverged", ranks=2)
text = open("cap.one", "rb").read() if demanded[0] == 0 else b""
verdict("export_refuses_what_did_not_converge",
        refused[0] == 3 and "of the 15 solves to be exported did not reach" in refused[2] and demanded[0] == 0
        and "warning: 3 of the 3 exported solves" in demanded[2] and text.count(b"NOT CONVERGED: residuals ") == 1
        and text.count(b"point, operator G5T-G5T") == 4
        and b"source point, operator G5T-G5T, on one site; place 1 2 3 5, momentum 0 0 0" in text
        and not [name for name in os.listdir(".") if name.startswith("cap.s")], f"{refused} {demanded}")
open("taken.lock", "w").write("somebody")
wrong = []
for words, code, sentence in (
        (("p64.h5", "--source", "7", "-o", "x"), 1, "has no source 7"),
        (("p64.h5", "--mass", "7", "-o", "x"), 1, "has no source with a mass 7"),
        (("lat.h5", "-o", "x"), 1, "'lat.h5' is no propagator file of naik"),
        (("nothing.h5", "-o", "x"), 1, "'nothing.h5' cannot be read"),
        (("p64.h5", "-o", "nowhere/x"), 1, "the folder nowhere of nowhere/x.s0000.m00 does not exist"),
        (("p64.h5", "-o", "x", "--to", "fnal"), 1, "--to"),
        (("p64.h5", "--source", "1", "--mass", "0", "-o", "taken"), 1, "taken.lock is held by another job"),
        (("p64.h5",), 1, "option '-o' is missing")):
    status, said, told = answer("export", *words)
    if status != code or sentence not in told or told.count("\n") != 1 or os.path.exists("x"):
        wrong.append((words, status, told))
os.symlink("p64.h5", "again")
for name in ("p64.h5", "again", "lat.h5"):  # what it reads
    before = open(name, "rb").read()
    status, said, told = answer("export", "p64.h5", "--source", "1", "--mass", "0", "-o", name)
    if status != 1 or "which is read as input" not in told or open(name, "rb").read() != before:
        wrong.append((name, status, told))
status, said, told = answer("export", "p64.h5", "--mass", "0.12", "-o", "x")
if status != 1 or "takes the number of a mass in its entry of solve, not '" not in told or not re.search(r"' 0 is mass [\d.]+, 1 is mass [\d.]+", told):
    wrong.append(("a mass for its number", status, told))
said = [answer("export", "p64.h5", *of, "--mass", "0.12", "-o", "x")[2] for of in ((), ("--source", "2"))]
if not re.search(r"of 'pt' 0 is mass .*, 1 is mass .*; of 'noise' 0 is mass ", said[0]) or "'pt'" in said[1] or not re.search(r"not '0.12'; of 'noise' 0 is ", said[1]):
    wrong.append(("a mass for its number, of several entries", *said))
with h5py.File("p64.h5", "r+") as file:  # one bit of one solution
    data = file["prop/s0001/m00"]
    place = data.id.get_offset() + 4000
bits = bytearray(open("p64.h5", "rb").read())
bits[place] ^= 4
open("p64.h5", "wb").write(bits)
status, said, told = answer("export", "p64.h5", "--source", "1", "-o", "x")
if status != 4 or "is damaged" not in told or os.path.exists("x") or os.path.exists("x.s0001.m00"):
    wrong.append(("damaged", status, told))
verdict("export_refuses_with_a_sentence", not wrong, "\n".join(map(str, wrong)))

# Quarks with spin: pairs of spinors, which are sources again, and QDP++'s HDF5.
open("clover.yaml", "w").write("""lattice: {size: [4, 4, 4, 8]}
gauge: {file: lat.h5}
action: {type: clover, csw: 1.1}
solve:
  - {name: pt, masses: [0.3, 0.5], source: {type: point, origin: [1, 2, 3, 5]}}
  - {name: noise, masses: [0.4], source: {type: random_volume, noise: z4, seed: 7}}
solver: {tolerance: 1e-8}
output: {file: c.h5, correlators: []}
""")
wrong = []
for bits, kind in ((64, ">c16"), (32, ">c8")):
    answer("solve", "clover.yaml", "--fresh", "--set", f"output.file=c{bits}.h5", "--set", f"output.precision={bits}")
    told = [answer("export", f"c{bits}.h5", "-o", f"c{bits}.{to}", "--to", to, ranks=n) for to, n in (("usqcd", 1), ("qdp", 2))]
    for s, m in (0, 0), (0, 1), (1, 0):
        want = h5py.File(f"c{bits}.h5")[f"prop/s{s:04d}/m{m:02d}"][...]  # [spin][colour][t][z][y][x][spin][colour]
        name = f".s{s:04d}.m{m:02d}"
        got = [numpy.frombuffer(data, kind).astype(kind[1:]) for what, _, _, data in records(f"c{bits}.usqcd{name}")
               if what == "scidac-binary-data"]
        if len(got) != 24 or not all((got[2 * c + 1] == want[c // 3, c % 3].ravel()).all() for c in range(12)):
            wrong.append((told, bits, s, m, len(got)))
        sources = [v.reshape(-1, 4, 3) for v in got[::2]]
        on = 1 + 4 * (2 + 4 * 3) if s == 0 else slice(None)
        if not all(len(v) == (64 if s == 0 else 512) and abs(numpy.abs(v[on, c // 3, c % 3]).sum() / (1 if s == 0 else 512) - 1) < 1e-6
                   and abs(numpy.abs(v).sum() / (1 if s == 0 else 512) - 1) < 1e-6 for c, v in enumerate(sources)):
            wrong.append(("sources", bits, s, m))
        with h5py.File(f"c{bits}.qdp{name}") as f:
            data = f["propagator"]
            got = data[...]  # [t][z][y][x][sink spin][source spin][sink colour][source colour]
            text = data.attrs["info"]
        if got.dtype.kind != "c" or got.shape != (8, 4, 4, 4, 4, 4, 3, 3) or (got != numpy.einsum("scTZYXkd->TZYXksdc", want)).any():
            wrong.append(("qdp", bits, s, m, got.dtype, got.shape))
        if "kappa " not in text or "csw 1.1" not in text or "DeGrand-Rossi" not in text or "naik_epsilon" in text:
            wrong.append(text)
texts = b"".join(data for what, _, _, data in records("c64.usqcd.s0000.m00") if "xml" in what)
for part in (b"<usqcdPropFile><version>1.0</version><type>USQCD_DiracFermion_Source_Sink_Pairs</type>",
             b"<usqcdPropInfo><version>1.0</version><spin>2</spin><color>1</color>", b"USQCD_D3_DiracFermion", b"<spins>4</spins>"):
    if part not in texts:
        wrong.append(part)
status, said, told = answer("info", "c64.usqcd.s0000.m00", ranks=2)
if status != 0 or not all(line in said for line in ("spins: 4", "vectors: 12", "sources: true", "intact: true")):
    wrong.append((status, said, told))
for n in 1, 2:
    status, said, told = answer("info", "c32.qdp.s0000.m01", ranks=n)
    if status != 0 or not all(line in said for line in ("format: qdp++-hdf5", "size: 4,4,4,8", "precision: 32", "finite: true", "csw 1.1")):
        wrong.append((status, said, told))
with h5py.File("c32.qdp.s0000.m01") as f:
    at = f["propagator"].id.get_offset()
with open("c32.qdp.s0000.m01", "r+b") as f:
    f.seek(at + 5000)
    f.write(numpy.full(1, numpy.nan, "f4").tobytes())
status, said, told = answer("info", "c32.qdp.s0000.m01", ranks=2)
if status != 4 or "finite: false" not in said or "are not finite" not in told:
    wrong.append((status, said, told))
verdict("export_writes_every_bit_of_propagators_with_spin", not wrong, "\n".join(map(str, wrong)))

wrong = []
for name, n in ("again.h5", 1), ("twice.h5", 2):
    told = answer("solve", "clover.yaml", "--set", f"output.file={name}", "--set",
                  "solve=[{name: pt, masses: [0.3, 0.5], source: {type: file, file: c64.usqcd.s0000.m00}}]", ranks=n)
    for m in 0, 1:
        a, b = (h5py.File(x)[f"prop/s0000/m{m:02d}"][...] for x in ("c64.h5", name)) if told[0] == 0 else (0, 1)
        if not numpy.array_equal(a, b):
            wrong.append((name, m, told))
status, said, told = answer("info", "again.h5", "--residuals")
if status != 0:
    wrong.append((status, told))
for change, part in (("solve=[{name: pt, masses: [0.3], source: {type: file, file: out64.s0000.m00}}]", "holds colour vectors, which are no sources of quarks with spin"),
                     ("action={type: hisq}", "holds spinors, which are no sources of staggered")):
    more = ("--set", "solve=[{name: pt, masses: [0.3], source: {type: file, file: c64.usqcd.s0000.m00}}]")
    status, said, told = answer("solve", "clover.yaml", *more, "--set", change, "--set", "output.file=none.h5")
    if status != 1 or part not in told:
        wrong.append((change, status, told))
status, said, told = answer("export", "p32.h5", "--to", "qdp", "-o", "none")
if status != 1 or "--to qdp is for those with spin" not in told or os.path.exists("none"):
    wrong.append((status, told))
verdict("exported_spinors_are_sources_again", not wrong, "\n".join(map(str, wrong)))

if REFERENCE is None:
    print("SKIP export_is_built_like_the_file_of_another_code: NAIK_REFERENCE is not set")
else:
    open("hisq.yaml", "w").write(f"""lattice: {{size: [8, 8, 8, 8]}}
gauge: {{file: {REFERENCE}/lat.sample.l8888}}
action: {{type: hisq}}
solve:
  - {{name: pt, masses: [0.05], source: {{type: point, origin: [0, 0, 0, 0]}}}}
solver: {{tolerance: 1e-12}}
output: {{file: h.h5, correlators: []}}
""")
    status, said, told = answer("solve", "hisq.yaml")
    status, said, told = answer("export", "h.h5", "-o", "h.usqcd")
    mine = records("h.usqcd") if status == 0 else []
    theirs = records(os.path.join(REFERENCE, "prop.hisq.l8888.point.m0.05"))
    # Same records with the same flags; texts of equal length but for the free text of the file.
    # Checksums have no leading zeros.
    built = [(a[0], a[1]) == (b[0], b[1]) and (a[2] == b[2] or a[0] in ("scidac-file-xml", "scidac-checksum"))
             for a, b in zip(mine, theirs)]
    near = [numpy.abs(a - b).max() < 1e-10 for a, b in
            zip(vectors("h.usqcd", ">c16"), vectors(os.path.join(REFERENCE, "prop.hisq.l8888.point.m0.05"),
                                                     ">c16"))] if status == 0 else []
    verdict("export_is_built_like_the_file_of_another_code",
            len(mine) == len(theirs) and all(built) and len(near) == 6 and all(near), f"{told} {built} {near}")

finish()
