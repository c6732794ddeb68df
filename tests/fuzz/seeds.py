#!/usr/bin/env python3
# seeds.py - makes the corpus of the fuzz targets: tests/fuzz/seeds.py NAIK
# Configurations come from NAIK itself; vectors, openQCD files, HDF5 programs are put together here.
import os
import struct
import subprocess
import sys
import tempfile
import zlib

naik = os.path.abspath(sys.argv[1])
top = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus")
DIMS = [2, 2, 2, 2]
SITES = 16


def put(target, name, data):
    os.makedirs(os.path.join(top, target), exist_ok=True)
    with open(os.path.join(top, target, name), "wb") as out:
        out.write(data if isinstance(data, bytes) else data.encode())


def run(*words):
    subprocess.run([naik, *words], check=True, stdout=subprocess.DEVNULL)


# Configurations of 16 sites in every format that naik writes, whole and cut after the header.
folder = tempfile.mkdtemp()
os.chdir(folder)
run("gauge", "generate", "--size", "2,2,2,2", "--beta", "6", "--seed", "3", "--sweeps", "2", "-o", "lat.h5")
for target, to, bits in [("milc", "milc", "32"), ("nersc", "nersc", "32"), ("nersc", "nersc-3x3", "64"),
                         ("lime", "ildg", "32"), ("lime", "ildg", "64")]:
    run("gauge", "convert", "lat.h5", "out", "--to", to, "--precision", bits)
    data = open("out", "rb").read()
    os.remove("out")
    put(target, f"{to}-{bits}", data)
    put(target, f"{to}-{bits}-cut", data[:len(data) - 1000])
    if to == "ildg":
        put(target, f"{to}-{bits}-header", data[:data.index(b"ildg-binary-data") - 16])
        for tag in [b"scidacFile", b"scidacRecord", b"ildgFormat"]:
            at = data.find(b"<" + tag)
            put("xml", f"{tag.decode().lower()}-{bits}", data[at:data.index(b"\0", at)])
    if to == "milc":
        swapped = b"".join(data[i:i + 4][::-1] for i in range(0, 20, 4)) + data[20:84]
        swapped += b"".join(data[i:i + 4][::-1] for i in range(84, len(data), 4))
        put(target, "milc-32-big", swapped)
put("xml", "unterminated", '<?xml version="1.0 encoding=<ildgFormat><lx>4</lx><ly> 4 <dims>1 2 3 4 </dims')

# openQCD: the identity everywhere, and random numbers in unitary-free links.
identity = struct.pack("<18d", *[1.0 if i in (0, 8, 16) else 0.0 for i in range(18)])
head = struct.pack("<4i", *DIMS) + struct.pack("<d", 3.0)
put("openqcd", "unit", head + identity * SITES * 4)
put("openqcd", "cut", head + identity * (SITES * 4 - 1))
put("openqcd", "header", head)


# LIME files of vectors.
def record(kind, data):
    return (struct.pack(">IHHQ", 0x456789AB, 1, 0, len(data)) + kind.encode().ljust(128, b"\0")
            + data + b"\0" * (-len(data) % 8))


def rotl(c, n):
    return ((c << n) | (c >> (32 - n))) & 0xFFFFFFFF if n else c


def checksum(data, bytes_per_site, first=0):
    a = b = 0
    for i in range(len(data) // bytes_per_site):
        c = zlib.crc32(data[i * bytes_per_site:(i + 1) * bytes_per_site])
        a ^= rotl(c, (first + i) % 29)
        b ^= rotl(c, (first + i) % 31)
    return a, b


def field(letter, numbers, sites, extra="<recordtype>0</recordtype>", first=0, user="<info/>", count=1,
          kind="ColorVector"):
    data = struct.pack(">%d%s" % (sites * numbers, "f" if letter == "F" else "d"),
                       *[0.25 * i - 3 for i in range(sites * numbers)])
    each = len(data) // sites
    private = (f"<scidacRecord><version>1.1</version>{extra}<datatype>USQCD_{letter}3_{kind}</datatype>"
               f"<precision>{letter}</precision><colors>3</colors><typesize>{each // count}</typesize>"
               f"<datacount>{count}</datacount></scidacRecord>")
    a, b = checksum(data, each, first)
    return (record("scidac-private-record-xml", private.encode()) + record("scidac-record-xml", user.encode())
            + record("scidac-binary-data", data)
            + record("scidac-checksum", f"<scidacChecksum><suma>{a:x}</suma><sumb>{b:x}</sumb>"
                                        "</scidacChecksum>".encode()))


opening = (record("scidac-private-file-xml",
                  b"<scidacFile><version>1.1</version><spacetime>4</spacetime><dims>2 2 2 2 </dims>"
                  b"<volfmt>0</volfmt></scidacFile>") + record("scidac-file-xml", b"<title>a seed</title>"))
part = ("<recordtype>2</recordtype><hypernumber>4</hypernumber><hyperlower>0 0 0 1</hyperlower>"
        "<hyperupper>1 1 1 1</hyperupper>")
source = field("D", 6, 8, part, 8, "<usqcdSourceInfo><version>1.0</version></usqcdSourceInfo>")
solution = field("D", 6, 16, user="<usqcdPropInfo><version>1.0</version><color>0</color></usqcdPropInfo>")
put("vectors", "single", opening + field("F", 6, 16))
put("vectors", "pair", opening + source + solution)
put("vectors", "pairs", opening + (source + solution) * 3)
put("vectors", "cut", (opening + source + solution)[:-400])
put("vectors", "no-checksum", opening + record(
    "scidac-private-record-xml", b"<scidacRecord><recordtype>0</recordtype><precision>F</precision>"
    b"<colors>3</colors><typesize>24</typesize><datacount>1</datacount></scidacRecord>")
    + record("scidac-binary-data", bytes(24 * 16)))
put("vectors", "fnal-little", struct.pack("<9i", 0x71626434, 0, 4, 18, *DIMS, 0) + bytes(72 * 16))
put("vectors", "fnal-big", struct.pack(">9i", 0x71626434, 0, 4, 18, *DIMS, 0) + bytes(72 * 16))
put("lime", "scidac-matrices", opening + field("F", 72, 16, count=4, kind="ColorMatrix"))
put("lime", "bad-length", opening + struct.pack(">IHHQ", 0x456789AB, 1, 0, 1 << 62) + bytes(128))

# Intact files of other kinds, as other codes write them.
def plain_ildg(data, name="su3gauge", text=None, sums="after"):
    a, b = checksum(data, len(data) // 16)
    total = record("scidac-checksum", f"<scidacChecksum><suma>{a:x}</suma><sumb>{b:x}</sumb></scidacChecksum>".encode())
    head = text or (f"<ildgFormat><version>1.0</version><field>{name}</field><precision>64</precision>"
                    "<lx>2</lx><ly>2</ly><lz>2</lz><lt>2</lt></ildgFormat>")
    return (record("ildg-format", head.encode()) + (total if sums == "before" else b"")
            + record("ildg-binary-data", data) + (total if sums == "after" else b""))


def matrices(colours, sign=lambda link: 1.0):
    return b"".join(struct.pack(">%dd" % (2 * colours * colours),
                                *[sign(i) if k % (2 * colours + 2) == 0 else 0.0 for k in range(2 * colours * colours)])
                    for i in range(4 * SITES))


unit = matrices(3)
prefixed = ("<a:ildgFormat xmlns:a=\"x\"><!-- <a:lx>9</a:lx> --><a:field>su3gauge</a:field><a:precision>64</a:precision>"
            "<a:lx>2</a:lx><a:ly><!-- y -->2</a:ly><a:lz> 2 <!-- z --></a:lz><a:lt>2</a:lt></a:ildgFormat>")
put("xml", "prefixes-and-comments", prefixed)
put("xml", "comment-without-end", "<lx><!-- 4</lx><dims>1 2 3 4</dims>")
put("lime", "prefixes-and-comments", plain_ildg(unit, text=prefixed))
put("lime", "checksum-before", plain_ildg(unit, sums="before"))
put("lime", "without-extents", record("ildg-binary-data", unit))
whole = plain_ildg(unit, sums="none")
format_bytes = whole.index(b"ildg-binary-data") - 16
put("lime", "format-behind", whole[format_bytes:] + whole[:format_bytes])
put("lime", "two-configurations", plain_ildg(unit) + plain_ildg(unit))
put("lime", "su2", plain_ildg(matrices(2), "su2gauge"))
put("lime", "su4", plain_ildg(matrices(4), "su4gauge"))
put("lime", "signs-in-the-links", plain_ildg(matrices(3, lambda link: -1.0 if link % 3 == 0 else 1.0)))
put("lime", "long-links", plain_ildg(matrices(3, lambda link: -1 / 24)))
put("openqcd", "open-boundary", head + (identity * 6 + bytes(144) * 2) * (SITES // 2))
size = "".join(f"DIMENSION_{i} = 2\n" for i in (1, 2, 3, 4))
put("nersc", "su2", f"BEGIN_HEADER\nDATATYPE = 4D_SU2_GAUGE_2x2\n{size}END_HEADER\n".encode() + matrices(2))
put("nersc", "other-order-without-checksum",
    f"BEGIN_HEADER\nDATATYPE = 4D_SU3_GAUGE_3x3\n{size}FLOATING_POINT = IEEE64LITTLE\nEND_HEADER\n".encode() + unit)
put("vectors", "grid", (opening + field("D", 6, 16)).replace(b"scidac-binary-data", b"ildg-binary-data\0\0"))
put("vectors", "three-a-site", opening + field("F", 18, 16, count=3))
put("vectors", "staggered-propagator", opening + field("D", 18, 16, kind="StaggeredPropagator"))
put("vectors", "propagator", opening + field("F", 288, 16, kind="DiracPropagator"))
spinor = struct.pack(">%df" % (24 * SITES), *[0.5 * i for i in range(24 * SITES)])
put("vectors", "tmlqcd", record("propagator-type", b"DiracFermion_Sink") + record(
    "etmc-propagator-format", b"<etmcFormat><field>diracFermion</field><precision>32</precision><flavours>1</flavours>"
    b"<lx>2</lx><ly>2</ly><lz>2</lz><lt>2</lt></etmcFormat>") + record("scidac-binary-data", spinor) * 2)

# The input file, and overrides behind NUL bytes.
schema = open(os.path.join(top, "../../bad_inputs.txt")).read()
schema = "".join(line + "\n" for line in schema.split("----")[0].splitlines() if not line.startswith("#"))
put("input", "good", schema)
put("input", "override", schema + "\0solver.tolerance=1e-8")
put("input", "override-list", schema + "\0solve.0.masses=[0.1, 0.2]\0" + "1x1x2x2")
put("input", "everything", schema.replace("  tolerance: 1e-10", """  tolerance: 1e-10
  max_iterations: 500
  inner_precision: single
  batch: 4
  site_relative_tolerance: 1e-6""").replace("  correlators: [pion5]", """  correlators: [pion5, pion05]
  momenta: [[0, 0, 0], [1, 0, -1]]
  precision: 32
  alignment: 1048576
  aggregators: 2
  mpi_info: {cb_nodes: "2"}
run: {backend: cpu, grid: [1, 1, 1, 2], threads: 2, wall_limit: 1:30:00}"""))
put("input", "sources", schema.replace("source: {type: corner_wall, t0: 0}", """source:
      type: random_wall
      t0: [0, 8]
      seed: 18446744073709551615
      momentum: [1, 0, 0]"""))
put("input", "links", schema.replace("type: hisq", "type: links\n  file: l.h5\n  long_file: b")
    .replace("gauge:\n  file: lat.h5\n", ""))
put("input", "anchors", schema.replace("lat.h5", "&a lat.h5", 1).replace("out.h5", "*a"))
put("input", "deep", "[" * 12 + "1" + "]" * 12)

# An input of ks_spectrum, as the test of `naik import-milc` writes it.
lines = open(os.path.join(top, "../../test_import_milc.py")).read()
milc = {}
exec(lines[lines.index("\nHEAD = "):lines.index("\nEXPECTED = ")], milc)
put("milcinput", "head", milc["HEAD"])
put("milcinput", "whole", milc["WHOLE"])
whole = milc["WHOLE"]
put("milcinput", "half", whole[:len(whole) // 2])
measure = milc["HEAD"][:milc["HEAD"].index("number_of_pbp_masses")].replace("no_gauge_fix\n", "") + "number_of_sets 1\nnpbp_reps 2\n"
last = ("max_cg_iterations 300\nmax_cg_restarts 5\nprec_pbp 2\nnumber_of_pbp_masses 1\nmass 0.1\nnaik_term_epsilon 0\n"
        "error_for_propagator 1e-8\nrel_error_for_propagator 0\n")
put("milcinput", "measure", measure + last)
put("milcinput", "measure-currents", measure + "source_spacing 2\ntake_truncate_diff no\n" + last)

# Eigenvectors of MILC, packed, of QUDA on one parity, and of Hadrons; 4 time slices, since packing wants as many.
sys.path.insert(0, os.path.join(top, "../.."))
import eigen_writers  # noqa: E402
import numpy  # noqa: E402
vectors = numpy.arange(2 * 4 * 2 * 2 * 2 * 3).reshape(2, 4, 2, 2, 2, 3) * (0.5 - 0.25j)
put("vectors", "eigen-milc-packed", eigen_writers.milc(vectors, [1.0, 2.0], 32, pack=True))
put("vectors", "eigen-quda-odd", eigen_writers.quda(vectors, 32, parity=1))
put("vectors", "eigen-hadrons", eigen_writers.hadrons(vectors, [1.0, 2.0], 32))
put("vectors", "eigen-part", eigen_writers.part_files(vectors, [1.0, 2.0], 2, 32)[".vol0000"])

# HDF5 layouts as programs for fuzz_h5.c.
F64, F32, COMPOUND = 0, 1, 8


def dataset(name, dims, element, nested=()):
    out = bytes([0, name, len(dims), *dims, element, len(nested)])
    for d in nested:
        out += bytes([d[0] - 1, (d[1] if len(d) > 1 else 1) - 1])
    return out


def attribute(name, kind, count, data):
    return bytes([1, name, kind, count]) + data.ljust(8 * max(count, 1), b"\0")


def text(name, which, variable=False):
    return attribute(name, 2 if variable else 0, 0, bytes([which]))


def ints(name, *values):  # 64 bits
    return attribute(name, 1 | 7 << 1, len(values) if len(values) > 1 else 0,
                     b"".join(struct.pack("<q", v) for v in values))


def real(name, value):
    return attribute(name, 1, 0, struct.pack("<d", value))


def zeros(name):  # the checksum of 16 sites of zeros
    return attribute(name, 0, 0, b"36f536f5")


FILE = bytes([3])
links = [2, 2, 2, 2, 4]
thin = dataset(0, links, F64 | COMPOUND, [(3, 3)]) + ints(6, *DIMS) + ints(7, 64) + zeros(2) + zeros(3) \
    + text(9, 3) + text(10, 2) + real(11, 3.0)
put("h5", "naik", FILE + text(0, 0) + text(1, 1) + thin)
put("h5", "naik-incomplete", FILE + text(0, 0) + thin)
put("h5", "qdp", dataset(9, links, F32 | COMPOUND, [(3, 3)]))
put("h5", "qdp-flat", dataset(9, [2, 2, 2, 2, 72], F64))
put("h5", "qdp-nested", dataset(11, links + [3], F64 | COMPOUND, [(3,)]))
put("h5", "qdp-two", dataset(9, links, F32 | COMPOUND, [(3, 3)]) + dataset(11, links, F64 | COMPOUND, [(3, 3)]))
put("h5", "big-endian", dataset(9, links, 2 | COMPOUND, [(3, 3)]))
put("h5", "pyquda", b"".join(dataset(5 + mu, [2, 2, 2, 2, 3, 3], F64 | COMPOUND) + text(4, 9) + text(5, 9)
                             for mu in range(4)))
put("h5", "pyquda-three", b"".join(dataset(5 + mu, [2, 2, 2, 2, 3, 3], F64 | COMPOUND) for mu in range(3)))
fat = dataset(1, links, F64 | COMPOUND, [(3, 3)]) + ints(6, *DIMS) + ints(7, 64) + zeros(2) + zeros(3) \
    + real(14, 0) + real(15, 0.04) + ints(16, 0)
put("h5", "links", FILE + text(0, 0) + text(1, 1) + ints(12, 1) + text(13, 8) + fat + fat.replace(b"\0\1\5", b"\0\2\5", 1))
put("h5", "loop", bytes([0, 11, 0, 0, 0]) + bytes([2, 12, 1, 2, 13, 24]) + dataset(9, [0, 2, 2, 2, 4], F64))

# Low modes and searches: what is changed in a sound file (fuzz_modes.c). Numbers are those of its tables.
ATTRIBUTES = ("kept size converged degree cycles starts krylov applications random_blocks seed interval_low interval_high tolerance "
              "naik_epsilon dims fat_suma state format boundary_t action").split()
DATASETS = "v lambda2 residual t suma sumb".split()
VALUES = {"0": 0, "-1": 1, "48": 5, "nan": 7, "1e300": 8, "-1e300": 9, "int-max": 12, "int-min": 13, "inf": 14, "1e18": 15, "1e6": 18}
MODES, NEXT_CYCLE, MID_CYCLE = range(3)


def forge(name, of, *steps):
    put("modes", name, bytes([of]) + b"".join(steps))


def attribute(name, value):
    return bytes([0, ATTRIBUTES.index(name), VALUES[value]])


def number(dataset, at, value):
    return bytes([1, DATASETS.index(dataset)]) + struct.pack("<H", at) + bytes([VALUES[value]])


forge("sound", MODES)
forge("search", NEXT_CYCLE)
forge("search-in-a-cycle", MID_CYCLE)
for name, value in [("kept", "-1"), ("kept", "int-max"), ("size", "1e6"), ("converged", "48"), ("degree", "-1"), ("degree", "1e6"),
                    ("cycles", "int-max"), ("starts", "int-min"), ("applications", "1e18"), ("random_blocks", "int-max"),
                    ("interval_high", "1e300"), ("interval_low", "nan"), ("krylov", "0"), ("dims", "1e6")]:
    forge(f"search-{name}-{value}", NEXT_CYCLE if name != "size" else MID_CYCLE, attribute(name, value))
forge("search-larger", MID_CYCLE, attribute("kept", "48"), attribute("size", "48"), attribute("converged", "0"))
for dataset, at, value in [("v", 9, "nan"), ("v", 9, "1e300"), ("t", 80, "1e300"), ("lambda2", 3, "inf"), ("lambda2", 0, "-1e300")]:
    forge(f"search-{dataset}-{value}", MID_CYCLE, number(dataset, at, value))
    if dataset != "t":
        forge(f"modes-{dataset}-{value}", MODES, number(dataset, at, value))
forge("modes-interval", MODES, attribute("interval_high", "1e300"))
forge("modes-residual", MODES, number("residual", 2, "nan"))
forge("modes-without-residual", MODES, bytes([2, DATASETS.index("residual")]))
forge("modes-without-vectors", MODES, bytes([2, DATASETS.index("v")]))
forge("damaged", MODES | 0x80, number("v", 9, "1e6"))
