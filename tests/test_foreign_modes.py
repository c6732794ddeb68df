# test_foreign_modes.py - eigenvectors as MILC, QUDA and Hadrons write them: read, imported, verified, refused
#
# The eigenvectors are LAPACK's, of a matrix that numpy makes of the links; the files are numpy's too.
#
# timeout: 300
import json
import os
import re
import struct
import sys

import h5py
import numpy

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import eigen_writers as write  # noqa: E402
import naik_io  # noqa: E402
from program import LONG, SCRATCH, answer, main, naik, path  # noqa: E402

SIZE, COUNT = (8, 4, 4, 4), 10
INPUT = """lattice: {size: [8, 4, 4, 4]}
gauge: {file: %s/lat.h5}
action: {type: naive}
solve:
  - name: light
    masses: [0.01]
    source: {type: point, origin: [[0, 0, 0, 0], [1, 0, 0, 0]]}
deflation: {modes: 10, file: %s/modes.h5}
output: {file: %s/out.h5}
run: {backend: cpu, threads: 1}
""" % (SCRATCH, SCRATCH, SCRATCH)
KNOWN = []
MAGIC = struct.pack(">I", 0x456789ab)  # of a LIME record


def links():
    with h5py.File(path("lat.h5")) as f:
        u = f["gauge"][:]
    return u["r"] + 1j * u["i"] if u.dtype.names else u


def hopping(u, order):
    """D of naive quarks on all sites [3 V][3 V], phases with the directions in this order."""
    shape = u.shape[:4]
    number = numpy.arange(numpy.prod(shape)).reshape(shape)
    x = numpy.indices(shape)[::-1]  # x, y, z, t
    d = numpy.zeros((number.size, 3, number.size, 3), complex)
    for mu in range(4):
        sign = (-1.0) ** sum(x[nu] for nu in order[:order.index(mu)]) if order.index(mu) else numpy.ones(shape)
        if mu == 3:
            sign = sign * numpy.where(x[3] == shape[0] - 1, -1, 1)
        to = numpy.roll(number, -1, axis=3 - mu)
        for a in range(3):
            for b in range(3):
                d[number.ravel(), a, to.ravel(), b] += (sign * u[..., mu, a, b]).ravel()
    d = d.reshape(3 * number.size, -1)
    return d - d.conj().T


def solve_exactly():
    """Eigenvalues 4 lambda^2, and eigenvectors of both parities, [count][T][Z][Y][X][3]."""
    if not KNOWN:
        u = links()
        d = hopping(u, (3, 0, 1, 2))
        odd = numpy.indices(u.shape[:4]).sum(0).ravel() % 2 == 1
        rows = numpy.repeat(odd, 3)
        value, v = numpy.linalg.eigh(-d[~rows][:, rows] @ d[rows][:, ~rows])
        even, other = (numpy.zeros((COUNT, rows.size), complex) for _ in range(2))
        even[:, ~rows] = v[:, :COUNT].T
        other[:, rows] = (d[rows][:, ~rows] @ v[:, :COUNT] / numpy.sqrt(value[:COUNT])).T
        shape = (COUNT,) + u.shape[:4] + (3,)
        KNOWN.append((value[:COUNT], even.reshape(shape), other.reshape(shape)))
    return KNOWN[0]


def keep(name, data):
    os.makedirs(os.path.dirname(path(name)), exist_ok=True)
    with open(path(name), "wb") as f:
        f.write(data)
    return path(name)


def imports(name, ranks=1, status=0, *more):
    """Has naik write the vectors of a file as its own."""
    if os.path.exists(path("own.h5")):
        os.remove(path("own.h5"))
    return naik("modes", path("in.yaml"), "--set", "deflation.file=" + path("own.h5"), "--set", "deflation.import=" + path(name),
                *more, ranks=ranks, status=status)


def own_modes_hold():
    """What naik wrote are the exact modes: eigenvalues, residuals and the space of all vectors."""
    value, even, _ = solve_exactly()
    with naik_io.open_modes(path("own.h5")) as m:
        assert len(m) == COUNT
        found = 4 * m.lambdas ** 2
        v = numpy.stack([m.on_all_sites(i).ravel() for i in range(COUNT)]).astype(complex)
        assert m.residuals.max() < 1e-4, m.residuals
    assert numpy.abs(found / value - 1).max() < 1e-5, (found, value)
    overlap = v.conj() @ even.reshape(COUNT, -1).T
    assert numpy.linalg.norm(overlap, axis=1).min() > 1 - 1e-5, overlap


def vectors_of_milc_quda_and_hadrons_become_modes():
    value, even, odd = solve_exactly()
    both = even + 1j * odd  # of MILC the odd part may be there
    keep("milc.scidac", write.milc(both[::-1], value[::-1]))  # naik puts the lowest first
    keep("single.scidac", write.milc(even * 1.5, value, 32))
    keep("packed.scidac", write.milc(even, value, 32, pack=True))
    keep("quda.lime", write.quda(even))
    keep("half.lime", write.quda(odd, 32, parity=1))
    keep("pack.bin", write.hadrons(odd, value / 4 + 0.01 ** 2))
    for k in range(COUNT):
        keep(f"packs/v{k}.bin", write.PACK + write.grid_vector(even[k], k, value[k], 32, 0))
    for ending, data in write.part_files(even, value, 3).items():
        keep("parts" + ending, data)
    for ending, data in write.part_files(even, value, 2, 32, quda_style=True).items():
        keep("quda-parts" + ending, data)
    for name, ranks, said in [("milc.scidac", 2, "even sites, with the staggered phases of MILC"), ("packed.scidac", 2, "even"),
                              ("half.lime", 1, "odd sites"), ("parts.vol0000", 2, "even sites"),
                              ("pack.bin", 1, "odd sites, with the staggered phases of MILC, which are those of Grid and Chroma there"),
                              *([("single.scidac", 1, "even"), ("packed.scidac", 1, "even"), ("quda.lime", 2, "even"),
                                 ("half.lime", 2, "odd"), ("packs/v0.bin", 1, "even sites"), ("parts.vol0000", 1, "even"),
                                 ("quda-parts.vol0000", 2, "even")] if LONG else [])]:
        log = imports(name, ranks)
        assert f"the vectors of {path(name)} are on {said}" in log, log
        assert "naik wrote 10 of these modes to" in log or "naik is writing 10 of these modes to" in log, log
        assert ("of a mass m = 0.01" in log) == (name == "pack.bin"), log
        own_modes_hold()


def with_phases(order):
    """The eigenvectors of even and odd sites with another order of directions, held against the operator that has it."""
    value, even, odd = solve_exactly()
    x = numpy.indices(even.shape[1:5])[::-1]
    milc = (3, 0, 1, 2)
    turned = sum(x[mu] * x[nu] for mu in range(4) for nu in range(mu)
                 if (order.index(mu) < order.index(nu)) != (milc.index(mu) < milc.index(nu)))
    d, sign = hopping(links(), order), ((-1.0) ** turned)[..., None]
    for v in (sign * even, sign * odd):
        flat = v.reshape(COUNT, -1).T
        assert numpy.abs(d @ (d @ flat) + value * flat).max() < 1e-10
    return value, sign * even, sign * odd


def vectors_with_phases_of_grid_are_turned():
    """Grid's order x, y, z, t: the same eigenvalues, other vectors, which become those of naik's phases. On odd sites
    the two conventions agree."""
    value, even, odd = with_phases((0, 1, 2, 3))
    assert numpy.abs(even - solve_exactly()[1]).max() > 0.01 and numpy.abs(odd - solve_exactly()[2]).max() == 0
    keep("grid.bin", write.hadrons(even, value / 4, parity=0))
    log = imports("grid.bin")
    assert "even sites, with the staggered phases of Grid" in log, log
    own_modes_hold()
    keep("tifr.lime", write.quda(with_phases((3, 2, 1, 0))[1]))
    assert "phases of TIFR" in imports("tifr.lime")
    own_modes_hold()


def another_codes_file_deflates_a_solve_directly():
    there = ("--set", "deflation.file=" + path("milc.scidac"), "--set", "output.file=" + path("direct.h5"))
    log = naik("solve", path("in.yaml"), *there, ranks=2)
    assert f"read 10 modes from {path('milc.scidac')}" in log, log
    naik("solve", path("in.yaml"), "--set", "deflation.modes=0", "--set", "output.file=" + path("plain.h5"))
    iterations = [h5py.File(path(n))["solves"]["iterations"] for n in ("direct.h5", "plain.h5")]
    assert iterations[0].max() < iterations[1].min(), iterations
    with h5py.File(path("direct.h5")) as f:
        assert (f["solves"]["modes"] == COUNT).all()
    naik("export", path("direct.h5"), "-o", path("pairs"), "--source", "0", "--mass", "0")
    refused("pairs", open(path("pairs"), "rb").read(), 1, "holds propagators, and no eigenvectors")
    told = json.loads(naik("info", path("pack.bin"), "--json"))
    assert told["vectors"] == COUNT and told["intact"] and told["size"] == "8,4,4,4", told


def a_list_of_configurations_has_a_file_of_another_code_each():
    if not LONG:
        return "NAIK_TEST_LONG"
    value, even, _ = solve_exactly()
    keep("eig-lat.scidac", write.milc(even, value, 32))
    keep("eig-other.scidac", write.milc(even, value, 32))  # of the first configuration, and not of this one
    lists = ("--set", "gauge.file=" + path("{config}.h5"), "--set", "gauge.configs=[lat, other]", "--set",
             "output.file=" + path("out-{config}.h5"), "--set", "deflation.file=" + path("of-{config}.h5"))
    said = naik("modes", path("in.yaml"), *lists, "--set", "deflation.import=" + path("eig-{config}.scidac"), status=1)
    assert "no eigenvector with these links" in said and os.path.exists(path("of-lat.h5")), said
    assert not os.path.exists(path("of-other.h5")) and not os.path.exists(path("of-other.h5.part"))
    said = naik("modes", path("in.yaml"), *lists, "--set", "deflation.import=" + path("eig-lat.scidac"), status=1)
    assert "'deflation.import' needs {config} in its name" in said, said


def a_file_of_another_code_is_never_written_over():
    before = open(path("milc.scidac"), "rb").read()
    for modes, words in ((20, "holds 10 vectors, deflation.modes is 20"), (10, "read 10 modes from")):
        said = naik("modes", path("in.yaml"), "--force", "--set", f"deflation.modes={modes}", "--set",
                    "deflation.file=" + path("milc.scidac"), status=None)
        assert words in said and open(path("milc.scidac"), "rb").read() == before, said
    refused("own.h5", open(path("own.h5"), "rb").read(), 1, "own.h5' is a file of naik (naik-modes), where vectors of another code")


def refused(name, data, status, *words, more=()):
    keep(name, data)
    code, _, said = answer("modes", path("in.yaml"), "--set", "deflation.file=" + path("never.h5"),
                           "--set", "deflation.import=" + path(name), *more)
    assert code == status and len(re.findall("naik: ", said)) == 1, (code, said)
    for word in words:
        assert word in said, (word, said)
    assert not os.path.exists(path("never.h5"))


def vectors_of_anything_else_are_refused_by_the_check_that_fails():
    value, even, odd = solve_exactly()
    none = "vector 0 of '%s' is no eigenvector with these links, with no staggered phases that naik knows" % path("bad")
    refused("bad", write.milc(even[..., [1, 0, 2]], value), 1, none)
    refused("bad", write.milc(even, value), 1, none, more=("--set", "gauge.file=" + path("other.h5")))
    if LONG:
        refused("bad", write.milc(even.conj(), value), 1, none)
        refused("bad", write.milc(even, value), 1, none, more=("--set", "lattice.boundary_t=periodic"))
        x = numpy.indices(even.shape[1:5])[3]
        refused("bad", write.milc(even * numpy.where(x < 2, 1, -1)[..., None], value), 1, none)
        refused("bad", write.milc(even[:6], value[:6]), 1, "holds 6 vectors, deflation.modes is 10")
        refused("bad", write.milc(0 * even, value), 1, "vector 0 of", "is 0 everywhere, or its numbers")
        small = numpy.zeros((10, 4, 4, 4, 4, 3), complex)
        refused("bad", write.milc(small, value), 1, "4x4x4x4")
    wrong = even.copy()
    wrong[7, 0, 0, 0, 0] += 0.1
    refused("bad", write.milc(wrong, value), 1, "vector 7 of", "is no eigenvector with these links")
    twice = even.copy()
    twice[4] = twice[3]
    refused("bad", write.milc(twice, value[[0, 1, 2, 3, 3, 5, 6, 7, 8, 9]]), 1, "are not orthogonal")
    refused("bad", write.milc(even, value[[0, 1, 2, 4, 3, 5, 6, 7, 8, 9]]), 1, "the eigenvalue of vector 3 in")
    refused("bad", write.milc(even, 0.2 * value), 1, "the eigenvalue of vector 0 in",  # below those of any mass
            "but with these links the vector has " + f"{value[0]:.12g}"[:5])
    off = value.copy()
    off[5] *= 1.004  # a thousandth is forgiven, and roundings
    refused("bad", write.milc(even, off), 1, "the eigenvalue of vector 5 in")
    turned = even.view(float).byteswap()
    turned[~numpy.isfinite(turned)] = 1e300  # which bytes make no number is the machine's: they are a refusal of their own
    refused("bad", write.milc(turned.view(even.dtype), value), 1,
            "vector 0 of", "has numbers that are too large for a norm, as in another order of bytes")
    refused("bad", write.milc(1e-200 * even, value), 1, "vector 0 of", "is 0 everywhere, or its numbers are too small for a norm, as in another order of bytes")
    refused("bad", write.quda(even + odd), 4, "says that its vectors are on even sites, but vector 0 is not 0 on odd ones")


def swapped(data, old, new, count=-1):
    """Other bytes of as many: records tell their lengths."""
    assert len(old) == len(new) and old in data, (old, new)
    return data.replace(old, new, count)


def without_sum(data):
    """Without its last record, which is a checksum."""
    return data[:data.rindex(MAGIC)]


def told_at_once(name, status, words):
    """Before any links are made: by a dry run."""
    code, _, said = answer("solve", path("in.yaml"), "--dry-run", "--set", "deflation.file=" + path("never.h5"),
                           "--set", "deflation.import=" + path(name))
    assert code == status and words in said and len(re.findall("naik: ", said)) == (status > 0), (name, words, code, said)


def each_guard_of_the_reader_is_tried_by_itself():
    value = numpy.arange(1, COUNT + 1) / 10
    v = numpy.random.default_rng(3).normal(size=(2, COUNT, *SIZE[::-1], 3)).astype(complex)
    even = v[0] * (numpy.indices(v.shape[2:5] + (SIZE[0],)).sum(0) % 2 == 0)[..., None]
    milc, one, title = write.milc(even, value), write.milc(even[:1], value), write.milc_title(COUNT)
    text = write.private("USQCD_D3_DiracFermion", 64)[144:].rstrip(b"\0").replace(b"<typesize>48<", b"<spins>4</spins><typesize>192<")
    spinor = write.head(SIZE, "x") + write.record("scidac-private-record-xml", text, 0x8000) \
        + write.record("scidac-record-xml", "x", 0) + write.record("scidac-binary-data", write.big_endian(v[0, :4], 64))
    rows = {
        "whole": (milc, 0, ""),
        "spinor": (spinor, 1, "holds spinors, and low modes are colour vectors"),
        "beside": (one + spinor[len(write.head(SIZE, "x")):], 1, "holds colour vectors beside spinors"),
        "skips": (write.hadrons(even, value, parity=0, indices=[0, 1, 2, 3, 5, 6, 7, 8, 9, 10]), 4, "0, ..., 3 and then 5: some are missing"),
        "again": (write.hadrons(even[:2], value, parity=0, indices=[1, 1]), 4, "1, ..., 1 and then 1: some are missing"),
        "packed": (milc.replace(write.head(SIZE, title), write.head(SIZE, write.milc_title(COUNT, True))), 4, "does not have half of the time slices"),
        "parities": (write.quda(even, parity=0) + write.quda(even, parity=1)[len(write.head(SIZE, "Dummy user file XML")):], 1, "holds vectors of several lattices or codes"),
        "letter": (swapped(milc, b"<precision>D<", b"<precision>F<"), 4, "has numbers of 32 bits, but the data have 64"),
        "colours": (swapped(milc, b"<colors>3<", b"<colors>4<"), 4, "do not fit their own description"),
        "extents": (swapped(milc, b"<dims>", b"<dimx>", 1), 4, "does not tell four extents"),
        "nowhere": (milc[milc.index(MAGIC, 1):], 1, "does not tell their extents"),
        "half sums": (without_sum(milc), 4, "holds 0 sources and 10 solutions, and 9 checksums of them"),
        "fewer": (write.head(SIZE, write.milc_title(12)) + milc[len(write.head(SIZE, title)):], 4,
                  "says that it holds 12 vectors, but has 10: some are missing"),
        "more": (swapped(milc, b"<Nvecs>10<", b"<Nvecs>08<"), 0, ""),
        "lone": (one + write.private("USQCD_D3_ColorVector", 64), 4, "describes 1 records whose data are not there"),
    }
    for name, (data, status, words) in rows.items():
        keep(name, data)
        told_at_once(name, status, words)
    others = [write.grid_vector(even[k], k, value[k], 32, 0) for k in range(COUNT)]
    for k in range(COUNT):
        keep(f"each/v{k}.bin", write.PACK + others[k])
    told_at_once("each/v0.bin", 0, "")
    for data in others[2], others[1] + others[2], without_sum(others[1]), swapped(others[1], b"<index>1</index>", b"<Index>1</Index>"), b"":
        keep("each/v1.bin", write.PACK + data)
        told_at_once("each/v0.bin", 4, "does not hold the one vector of number 1 that its name promises")


def damaged_files_and_parts_are_told_apart_from_wrong_ones():
    value, even, _ = solve_exactly()
    kinds = ((write.milc(even, value, 32, pack=True), 3000), (write.hadrons(even, value), 4000), (write.quda(even), 40000),
             (write.milc(even, value), 5000))
    for whole, place in kinds if LONG else kinds[:2]:
        at = whole.index(b"-binary-data") + 150 + place
        refused("bad", whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:], 4, "has the checksum")
        if LONG:
            refused("bad", whole[:-5000], 4, "is truncated")
    parts = write.part_files(even, value, 3)
    for ending, data in parts.items():
        keep("lost" + ending, data)
    os.remove(path("lost.vol0002"))
    refused("lost.vol0000", parts[".vol0000"], 4, "some parts are missing")
    refused("lost.vol0004", parts[".vol0004"], 1, "is not the first file of a QIO volume")
    assert "is not the first file of a QIO volume" in naik("info", path("lost.vol0004"), status=1)
    at = parts[".vol0002"].index(b"scidac-sitelist") + 128 + 8
    moved = parts[".vol0002"][:at] + parts[".vol0002"][at - 4:at] + parts[".vol0002"][at + 4:]
    keep("lost.vol0002", moved)
    refused("lost.vol0000", parts[".vol0000"], 4, "has one twice")
    begin, length = (part.index(b"scidac-sitelist") + 128 for part in (parts[".vol0000"], parts[".vol0002"]))
    sites = int.from_bytes(parts[".vol0002"][length - 136:length - 128], "big")
    taken = parts[".vol0002"][:length] + parts[".vol0000"][begin:begin + sites] + parts[".vol0002"][length + sites:]
    keep("lost.vol0002", taken)
    refused("lost.vol0000", parts[".vol0000"], 4, "has one twice")
    fewer, single = write.part_files(even[:5], value, 3), write.part_files(even, value, 3, 32)
    for data, status, words in ((parts[".vol0000"], 1, "both begin a QIO volume"), (fewer[".vol0002"], 4, "but its first part describes 10 arrays"),
                                (single[".vol0002"], 4, "bytes of array 0, but")):
        keep("lost.vol0002", data)
        told_at_once("lost.vol0000", status, words)
    if not LONG:
        return
    keep("lost.vol0002", parts[".vol0002"][:-9] + b"\1" + parts[".vol0002"][-8:])
    refused("lost.vol0000", parts[".vol0000"], 4, "has the checksum")
    refused("renamed.lime", parts[".vol0000"], 1, "does not end in .vol0000")


if __name__ == "__main__":
    with open(path("in.yaml"), "w") as f:
        f.write(INPUT)
    for name, seed in (("lat.h5", "4"), ("other.h5", "5")):
        naik("gauge", "generate", "--size", "8,4,4,4", "--beta", "5.7", "--seed", seed, "--sweeps", "10", "-o", path(name))
    main([vectors_of_milc_quda_and_hadrons_become_modes, vectors_with_phases_of_grid_are_turned,
          another_codes_file_deflates_a_solve_directly, a_list_of_configurations_has_a_file_of_another_code_each,
          a_file_of_another_code_is_never_written_over, each_guard_of_the_reader_is_tried_by_itself, vectors_of_anything_else_are_refused_by_the_check_that_fails,
          damaged_files_and_parts_are_told_apart_from_wrong_ones])
