"""naik gauge generate, convert and check, against files written here in every foreign format.

The writers below share no code with naik: numpy alone, from the description of each format. A
generated configuration goes out through them and must come back bit for bit.
timeout: 600
"""
import os
import shutil
import struct
import subprocess
import zlib

import h5py
import numpy as np

from gauge_writers import as_pairs, links_in_parts, openqcd_bytes, plaquette, plaquette_of_fixed_end
from program import LONG, NAIK, REFERENCE, SCRATCH, environment, go_on, held, holding, main, naik, path, start

SIZE = (4, 4, 8, 8)  # x, y, z, t: unequal where it matters, and 4 ranks can share it


def links_of(name):
    """[T][Z][Y][X][4][3][3] complex128 of a file of naik."""
    with h5py.File(name) as f:
        return f["gauge"][...].astype(np.complex128)


def convert_back(name, ranks=1):
    out = path("back.h5")
    naik("gauge", "convert", "--force", name, out, "--precision", "64", ranks=ranks)
    return links_of(out)


def link_trace(u):
    return np.trace(u, axis1=-2, axis2=-1).real.mean() / 3


def nersc_bytes(u, rows, number, kind, checksum=True):
    data = np.ascontiguousarray(u[..., :rows, :]).view(np.float64).astype(number)
    words = data.astype(data.dtype.newbyteorder("=")).view(np.uint32)
    lines = ["BEGIN_HEADER", "HDR_VERSION = 1.0",
             "DATATYPE = 4D_SU3_GAUGE" + ("_3x3" if rows == 3 else "")]
    lines += [f"DIMENSION_{i + 1} = {n} " for i, n in enumerate(SIZE)]
    if checksum:
        lines.append(f"  CHECKSUM =   {int(words.astype(np.uint64).sum()) & 0xffffffff:x}")
    lines += [f"PLAQUETTE = {plaquette(u) / 3:.8f}", f"LINK_TRACE={link_trace(u):.9f}  "]
    if kind:
        lines.append(f"FLOATING_POINT = {kind}")
    return ("\n".join(lines + ["END_HEADER"]) + "\n").encode() + data.tobytes()


def rotate(word, by):
    return ((word << by) | (word >> (32 - by))) & 0xffffffff if by else word


def pyquda_sums(data):
    """sum29 and sum31 of one direction's [T][Z][Y][X][3][3]."""
    words = np.ascontiguousarray(data).view(np.uint32).reshape(int(np.prod(SIZE)), -1)
    sums = [0, 0]
    for site, word in enumerate(int(w) for w in np.bitwise_xor.reduce(words, axis=1)):
        sums = [sums[0] ^ rotate(word, site % 29), sums[1] ^ rotate(word, site % 31)]
    return sums


def write_pyquda(name, u, number, sums=True):
    with h5py.File(name, "w") as f:
        for mu, letter in enumerate("XYZT"):
            data = np.ascontiguousarray(u[..., mu, :, :].astype(number))
            d = f.create_dataset("LatticeColorMatrix/" + letter, data=data)
            if sums:
                for key, value in zip(("sum29", "sum31"), pyquda_sums(data)):
                    d.attrs[key] = f"{value:08x}"


def original():
    """The configuration that all tests use, made once."""
    name = path("original.h5")
    if not os.path.exists(name):
        naik("gauge", "generate", "--size", ",".join(map(str, SIZE)), "--beta", "6", "--seed", "5",
             "--sweeps", "5", "--start", "hot", "-o", name)
    return name, links_of(name)


def generate_gives_the_same_links_on_all_ranks():
    name, u = original()
    other = path("generated4.h5")
    naik("gauge", "generate", "--size", "4x4x8x8", "--beta", "6", "--seed", "5", "--sweeps", "5",
         "--start", "hot", "-o", other, ranks=4)
    assert np.array_equal(links_of(other), u)
    out = naik("gauge", "check", name)
    assert "everything agrees" in out and "naik-hdf5" in out


def nersc_archives_of_every_kind_are_read():
    _, u = original()
    single = u.astype(np.complex64).astype(np.complex128)
    kinds = [(2, ">f4", "IEEE32BIG"), (3, ">f4", "IEEE32"), (2, "<f4", "IEEE32LITTLE"),
             (3, "<f4", "IEEE32"), (2, ">f4", None), (3, ">f8", "IEEE64BIG"),
             (3, "<f8", "IEEE64LITTLE"), (2, "<f8", "IEEE64"), (2, ">f8", "IEEE64")]
    for k, (rows, number, kind) in enumerate(kinds):
        name = path(f"nersc{k}")
        with open(name, "wb") as f:
            f.write(nersc_bytes(u, rows, number, kind))
        found = convert_back(name, ranks=4 if k == 0 else 1)
        wanted = single if number.endswith("4") else u
        assert np.array_equal(found[..., :rows, :], wanted[..., :rows, :]), kind
        assert np.abs(found - wanted).max() < 1e-6, kind
    assert "everything agrees" in naik("gauge", "check", name)


def nersc_archives_that_claim_a_sign_get_a_note():
    _, u = original()
    told = "note            the header says BOUNDARY_4 = ANTIPERIODIC: naik takes the links as they are"
    for kind, checksum in (("IEEE32BIG", True), ("IEEE32LITTLE", True), ("IEEE32BIG", False)):
        data = nersc_bytes(u, 3, ">f4", kind, checksum)  # the second is found out by its checksum
        with open(path("signed"), "wb") as f:
            f.write(data.replace(b"END_HEADER", b"BOUNDARY_1 = PERIODIC\nBOUNDARY_4 = ANTIPERIODIC\nEND_HEADER"))
        said = naik("gauge", "check", path("signed"))
        assert told.split("note ")[1].strip() in said and "BOUNDARY_1" not in said, said
        assert ("as the checksum proves" in said) == (kind == "IEEE32LITTLE"), said
        assert ("carries no CHECKSUM; the header" in said) != checksum, said


def a_dry_run_verifies_the_configuration():
    name, _ = original()
    with open(path("dry.yaml"), "w") as f:
        f.write("{lattice: {size: [4, 4, 8, 8]}, gauge: {file: %s}, action: {type: naive}, solve: [{name: p, masses: "
                "[9], source: {type: point, origin: [0, 0, 0, 0]}}], output: {file: %s}}" % (name, path("never.h5")))
    said = naik("solve", path("dry.yaml"), "--dry-run", ranks=2)
    assert "configuration verified" in said and "plaquette" in said and "not verified" not in said, said
    with open(name, "rb") as f:
        data = bytearray(f.read())
    with h5py.File(name) as f:
        data[f["gauge"].id.get_offset() + 1000] ^= 1
    with open(path("flipped.h5"), "wb") as f:
        f.write(data)
    flipped = ["solve", path("dry.yaml"), "--dry-run", "--set", f"gauge.file={path('flipped.h5')}"]
    assert "is damaged: checksum" in naik(*flipped, status=4)
    said = naik(*flipped, "--no-verify")
    assert "its files were looked at but not verified" in said and "plaquette" not in said, said
    assert "--no-verify goes with --dry-run only" in naik("solve", path("dry.yaml"), "--no-verify", status=1)
    naik("links", path("dry.yaml"), "--set", "action.type=hisq", "--set", "solve.0.masses=[9, 8]", "--set", "solve.0.naik_epsilon=[0, 0.1]", "-o",
         path("dry-links.h5"))
    with h5py.File(path("dry-links.h5")) as f:
        at = f["set0001/fat"].id.get_offset() + 2000
    with open(path("dry-links.yaml"), "w") as f:
        f.write("{lattice: {size: [4, 4, 8, 8]}, action: {type: links, file: %s}, solve: [{name: p, masses: [9, 8], naik_epsilon: [0, 0.1], "
                "source: {type: point, origin: [0, 0, 0, 0]}}], output: {file: %s}}" % (path("dry-links.h5"), path("never.h5")))
    assert "links verified" in naik("solve", path("dry-links.yaml"), "--dry-run")
    with open(path("dry-links.h5"), "r+b") as f:
        f.seek(at)
        byte = f.read(1)[0]
        f.seek(at)
        f.write(bytes([byte ^ 1]))
    naik("solve", path("dry-links.yaml"), "--dry-run", status=4)
    assert not os.path.exists(path("never.h5")) and not os.path.exists(path("never.h5.part"))


def nersc_claims_that_disagree_are_refused():
    _, u = original()
    good = nersc_bytes(u, 3, ">f4", "IEEE32BIG")
    name = path("claims")
    cases = [(f"PLAQUETTE = {plaquette(u) / 3:.8f}", f"PLAQUETTE = {plaquette(u) / 3 + 2e-5:.8f}"),
             (f"LINK_TRACE={link_trace(u):.9f}", f"LINK_TRACE={link_trace(u) + 2e-6:.9f}"),
             ("CHECKSUM =   ", "CHECKSUM =   1")]
    for before, after in cases:
        assert before.encode() in good
        with open(name, "wb") as f:
            f.write(good.replace(before.encode(), after.encode()))
        naik("gauge", "check", name, status=4)
        if not before.startswith("CHECKSUM"):
            naik("gauge", "convert", "--force", name, path("went-on.h5"), "--on-mismatch", "warn")
            with h5py.File(path("went-on.h5")) as f:
                assert "is stored as" in str(f["metadata"].attrs["source_verified"]), before
    with open(name, "wb") as f:
        f.write(good.replace(*(word.encode() for word in cases[0])))
    with open(path("in.yaml"), "w") as f:
        f.write("{lattice: {size: [4, 4, 8, 8]}, gauge: {file: %s, on_mismatch: warn}, action: {type: naive}, solve: "
                "[{name: p, masses: [9], source: {type: point, origin: [0, 0, 0, 0]}}], output: {file: %s}}"
                % (name, path("claims.h5")))
    naik("solve", path("in.yaml"))
    with h5py.File(path("claims.h5")) as f:
        assert b"plaquette is stored as" in f["metadata/gauge_verified"][()]
    with open(name, "wb") as f:
        f.write(good[:-8] + struct.pack(">f", np.nan) + good[-4:])
    assert "NaN" in naik("gauge", "convert", name, path("nan.h5"), "--on-mismatch", "warn", status=4)


def openqcd_configurations_are_read():
    _, u = original()
    name = path("openqcd")
    with open(name, "wb") as f:
        f.write(openqcd_bytes(u))
    for ranks in (1, 2, 4):
        assert np.array_equal(convert_back(name, ranks), u), ranks
    with open(name, "r+b") as f:
        f.seek(16)
        f.write(struct.pack("<d", plaquette(u) + 1e-4))
    naik("gauge", "check", name, status=4)
    said = naik("info", name, status=4, ranks=2)
    assert "intact: false" in said and "plaquette is stored as" in said, said
    with open(name, "wb") as f:
        f.write(openqcd_bytes(u, plaquette_of_fixed_end))
    for words in (("check", name), ("convert", name, path("end.h5"), "--on-mismatch", "warn")):
        assert "its links are fixed at the end in time" in naik("gauge", *words, status=1)
    t, x, y, z = SIZE[3], *SIZE[:3]
    for head, state, site, sentence in (((t, x, y, z, t, x, y, z, 0, 0, 0, 0), 0, 576, "one block of a configuration of openQCD: let "),
                                        ((2, 1, 1, 1, t // 2, x, y, z, 1, 1, 1, 1, 1, 0, 0, 0), 840, 288, "one process of openQCD wrote"),
                                        ((t, x, y, z, 0), 0, 192, "is a quark field of openQCD, which"),
                                        ((t, x, y, z, 1), 0, 96, "on the even sites, which naik does not read")):
        with open(name, "wb") as f:
            f.write(struct.pack(f"<{len(head)}i", *head) + bytes(state) + struct.pack("<d", 1.5) + bytes(site * t * x * y * z))
        assert sentence in naik("gauge", "check", name, status=1), sentence


def configurations_in_parts_are_read():
    _, u = original()
    for bits in (64, 32):
        parts = links_in_parts(u, 3, bits)
        for ending, data in parts.items():
            with open(path(f"parts{bits}{ending}"), "wb") as f:
                f.write(data)
        first, last = path(f"parts{bits}.vol0000"), path(f"parts{bits}.vol0002")
        for ranks in (1, 2):
            assert np.array_equal(convert_back(first, ranks), u.astype(f"c{bits // 4}")), (bits, ranks)
        assert "intact: true" in naik("info", first)
        assert f"there is no file '{first[:-8]}'; QIO wrote it in several files: give the first one" in naik("info", first[:-8], status=1)
        assert "No such file or directory; QIO wrote it in several files: give the first one" in naik("gauge", "check", first[:-8], status=1)
        assert "is not the first file of a QIO volume" in naik("gauge", "check", last, status=1)
        with open(last, "r+b") as f:
            f.seek(-80, 2)
            f.write(b"\x3e")
        assert "checksum" in naik("gauge", "check", first, status=4, ranks=2)
        os.remove(last)
        assert "some parts are missing" in naik("gauge", "check", first, status=4)


def qdp_files_of_every_nesting_are_read():
    _, u = original()
    t, z, y, x = SIZE[::-1]
    name = path("qdp.h5")
    plain = {
        "compound [..][4][3][3]": lambda n: as_pairs(u, "ri", n),
        "re and im": lambda n: as_pairs(u, ("re", "im"), n),
        "reals [..][4][3][3][2]": lambda n: u.view(np.float64).reshape(t, z, y, x, 4, 3, 3, 2).astype(n),
        "reals [..][72]": lambda n: u.view(np.float64).reshape(t, z, y, x, 72).astype(n),
    }
    for kind, make in plain.items():
        for number in ("<f8", ">f4") if "compound" in kind else (">f8",) if "72" in kind else ("<f4",):
            with h5py.File(name, "w") as f:
                f["other/vector"] = np.arange(5.0)
                f["config/links"] = make(number)
            found = convert_back(name, ranks=2 if number == "<f8" else 1)
            wanted = u if number.endswith("8") else u.astype(np.complex64)
            assert np.array_equal(found, wanted), (kind, number)
    pair = np.dtype([("r", "<f8"), ("i", "<f8")])
    with h5py.File(name, "w") as f:  # ARRAY[3][3] of pairs, in a chunked and compressed dataset
        kind = h5py.h5t.array_create(h5py.h5t.py_create(pair), (3, 3))
        layout = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        layout.set_chunk((2, 4, 4, 4, 4))
        layout.set_deflate(1)
        d = h5py.h5d.create(f.id, b"links", kind, h5py.h5s.create_simple((t, z, y, x, 4)), layout)
        d.write(h5py.h5s.ALL, h5py.h5s.ALL, as_pairs(u, "ri", "<f8"), mtype=kind)
    assert np.array_equal(convert_back(name, ranks=4), u)
    assert "qdp++-hdf5" in naik("gauge", "check", name)


def pyquda_files_are_read_with_their_checksums():
    _, u = original()
    name = path("pyquda.h5")
    for number in (np.complex128, np.complex64):
        write_pyquda(name, u, number)
        assert np.array_equal(convert_back(name, ranks=4), u.astype(number))
        assert "agree" in naik("gauge", "check", name)
    write_pyquda(name, u, np.complex128, sums=False)
    assert "no checksum" in naik("gauge", "check", name)
    with h5py.File(name, "r+") as f:
        f["LatticeColorMatrix/Y"].attrs["sum29"] = 7
    assert "a checksum (sum29, sum31) of /LatticeColorMatrix/Y is not text" in naik("gauge", "check", name, status=4)
    for letter in "XYZT":
        write_pyquda(name, u, np.complex128)
        with h5py.File(name, "r+") as f:
            f["LatticeColorMatrix/" + letter][1, 2, 3, 0, 1, 1] += 1e-15
        assert f"dataset {letter}" in naik("gauge", "check", name, status=4)


def convert_to_pyquda_writes_what_pyquda_reads():
    name, u = original()
    for bits, number in ((64, np.complex128), (32, np.complex64)):
        out = path(f"to-pyquda{bits}.h5")
        naik("gauge", "convert", "--force", name, out, "--to", "pyquda", "--precision", str(bits), ranks=4)
        with h5py.File(out) as f:
            for mu, letter in enumerate("XYZT"):
                d = f["LatticeColorMatrix/" + letter]
                data = d[...]
                assert data.dtype == number and np.array_equal(data, u[..., mu, :, :].astype(number))
                assert [d.attrs["sum29"], d.attrs["sum31"]] == [f"{s:08x}" for s in pyquda_sums(data)]


def convert_to_nersc_milc_and_ildg_writes_the_right_bytes():
    name, u = original()
    single = np.ascontiguousarray(u.astype(np.complex64))
    naik("gauge", "convert", name, path("to.nersc"), "--to", "nersc", "--precision", "32", ranks=4)
    data = open(path("to.nersc"), "rb").read()
    head, data = data.split(b"END_HEADER\n", 1)
    rows = np.ascontiguousarray(single[..., :2, :]).view(np.float32)
    assert data == rows.astype(">f4").tobytes()
    total = int(rows.view(np.uint32).astype(np.uint64).sum()) & 0xffffffff
    fields = dict(line.split(" = ") for line in head.decode().split("\n")[1:] if line)
    assert int(fields["CHECKSUM"], 16) == total
    assert fields["DATATYPE"] == "4D_SU3_GAUGE" and fields["FLOATING_POINT"] == "IEEE32BIG"
    assert [int(fields[f"DIMENSION_{i}"]) for i in (1, 2, 3, 4)] == list(SIZE)
    assert abs(float(fields["PLAQUETTE"]) - plaquette(u) / 3) < 1e-7

    naik("gauge", "convert", name, path("to.nersc3"), "--to", "nersc-3x3")
    data = open(path("to.nersc3"), "rb").read().split(b"END_HEADER\n", 1)[1]
    assert data == u.view(np.float64).astype(">f8").tobytes()

    out = naik("gauge", "convert", name, path("to.milc"), "--to", "milc", ranks=2)
    assert "rounded" in out
    data = open(path("to.milc"), "rb").read()
    assert struct.unpack("<5i", data[:20]) == (20103,) + SIZE and data[96:] == single.tobytes()

    naik("gauge", "convert", name, path("to.ildg"), "--to", "ildg", "--precision", "64", ranks=4)
    records = list(lime_records(open(path("to.ildg"), "rb").read()))
    kinds = [kind for kind, _ in records]
    assert kinds == ["scidac-private-file-xml", "scidac-file-xml", "scidac-private-record-xml",
                     "scidac-record-xml", "ildg-format", "ildg-data-lfn", "ildg-binary-data", "scidac-checksum"]
    data = dict(records)["ildg-binary-data"]
    assert data == u.view(np.float64).astype(">f8").tobytes()
    sums = [0, 0]
    for site in range(int(np.prod(SIZE))):
        crc = zlib.crc32(data[site * 576:(site + 1) * 576])
        sums = [sums[0] ^ rotate(crc, site % 29), sums[1] ^ rotate(crc, site % 31)]
    text = dict(records)["scidac-checksum"].decode()
    assert f"<suma>{sums[0]:x}</suma><sumb>{sums[1]:x}</sumb>" in text


def lime_records(data):
    at = 0
    while at < len(data):
        magic, version, _, length = struct.unpack(">IHHQ", data[at:at + 16])
        assert magic == 0x456789ab and version == 1
        kind = data[at + 16:at + 144].split(b"\0")[0].decode()
        yield kind, data[at + 144:at + 144 + length]
        at += 144 + (length + 7) // 8 * 8


def reference_twins_have_the_same_bytes():
    """ILDG from the MILC file against the ILDG file of the same field, and two rows as NERSC."""
    if not REFERENCE:
        return "NAIK_REFERENCE is not set"
    milc = os.path.join(REFERENCE, "lat.sample.l4444")
    naik("gauge", "convert", milc, path("twin.ildg"), "--to", "ildg")
    ours = dict(lime_records(open(path("twin.ildg"), "rb").read()))
    theirs = dict(lime_records(open(milc + ".ildg", "rb").read()))
    for kind in ("ildg-binary-data", "scidac-private-file-xml", "scidac-checksum"):
        assert ours[kind] == theirs[kind], kind
    naik("gauge", "convert", os.path.join(REFERENCE, "lat.sample.l8888"), path("twin.nersc"), "--to",
         "nersc")
    assert b"CHECKSUM = 4a3bbf43\n" in open(path("twin.nersc"), "rb").read()
    assert "2d188e6b" in naik("gauge", "check", os.path.join(REFERENCE, "lat.sample.5p7"), status=4)
    return None


def files_that_lead_elsewhere_are_refused_by_name():
    name, u = original()

    def links(f, change, data=True):
        layout = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        change(layout)
        kind = h5py.h5t.py_create(np.dtype("<c16"), logical=True)
        space = h5py.h5s.create_simple(u.shape)
        d = h5py.h5d.create(f.id, b"links", kind, space, layout)
        if data:
            d.write(h5py.h5s.ALL, h5py.h5s.ALL, np.ascontiguousarray(u))

    def virtual(layout):
        space = h5py.h5s.create_simple(u.shape)
        layout.set_virtual(space, name.encode(), b"/gauge", space)

    def filtered(layout):
        layout.set_chunk(u.shape)
        layout.set_filter(32015, h5py.h5z.FLAG_OPTIONAL, ())

    cases = [("is an external link to", lambda f: f.__setitem__("links", h5py.ExternalLink(name, "/gauge"))),
             ("/links is stored in", lambda f: links(f, lambda p: p.set_external(
                 path("outside.bin").encode(), 0, h5py.h5f.UNLIMITED))),
             ("/links is a virtual dataset", lambda f: links(f, virtual, data=False)),
             ("filter 32015, which this HDF5 library lacks", lambda f: links(f, filtered, data=False))]
    for sentence, make in cases:
        with h5py.File(path("elsewhere.h5"), "w") as f:
            make(f)
        assert sentence in naik("gauge", "check", path("elsewhere.h5"), status=1), sentence
        assert sentence in naik("info", path("elsewhere.h5"), status=1), sentence
    with h5py.File(path("elsewhere.h5"), "w") as f:
        links(f, lambda p: None)
    assert "qdp++" in naik("gauge", "check", path("elsewhere.h5"))  # what the cases are made of


def a_soft_link_in_a_file_of_naik_is_refused_by_name():
    name, _ = original()
    for link, change in (("gauge", lambda f: f.move("gauge", "moved")), ("extra", lambda f: None)):
        shutil.copy(name, path("soft.h5"))
        with h5py.File(path("soft.h5"), "r+") as f:
            change(f)
            f[link] = h5py.SoftLink("/moved")
        for command in (("gauge", "check"), ("info",)):
            said = naik(*command, path("soft.h5"), status=1)
            assert f"/{link} is a soft link to '/moved', and naik writes none: the file was edited" in said, said


def a_file_has_one_writer():
    name, _ = original()
    with open(path("one.lock"), "w") as f:
        f.write("somebody")
    for to in ("naik", "milc", "nersc", "ildg", "pyquda"):
        out = naik("gauge", "convert", name, path("one"), "--to", to, ranks=2 if to == "milc" else 1, status=1)
        assert "one.lock is held by another job" in out, (to, out)
    assert not os.path.exists(path("one")) and not os.path.exists(path("one.part"))
    run = start("gauge", "convert", name, path("lost"), "--to", "ildg", env=holding(sync="lost.part"))
    assert held(run)
    os.rename(path("one.lock"), path("lost.lock"))
    go_on()
    told = run.communicate()[0]
    assert run.returncode == 2 and "is no longer this job's" in told, (run.returncode, told)
    assert os.path.exists(path("lost.part")) and not os.path.exists(path("lost"))


def bad_requests_get_a_sentence():
    assert ".lime, .ildg, .nersc and .milc need --to." in naik("gauge", "--help")
    name, _ = original()
    cases = [(["gauge"], "needs one of"), (["gauge", "chek", name], "did you mean"),
             (["gauge", "check"], "FILE"), (["gauge", "check", path("absent")], "cannot open"),
             (["gauge", "check", SCRATCH], "not a regular file"),
             (["gauge", "convert", name, path("x"), "--to", "lime"], "lime"),
             (["gauge", "convert", name, path("x"), "--to", "milc", "--precision", "64"], "MILC v5"),
             (["gauge", "convert", name, f"{SCRATCH}/./{os.path.basename(name)}", "--to", "ildg"], "read as input"),
             (["gauge", "convert", name, path("no/such/folder"), "--to", "ildg"], "folder"),
             (["gauge", "generate", "--size", "4,4,4,5", "--beta", "6", "-o", path("x")], "even")]
    for words, sentence in cases:
        out = naik(*words, status=1)
        assert sentence in out and out.count("naik: error:") == 1, (words, out)
    assert not os.path.exists(path("x")) and not os.path.exists(path("x.part"))


def truncated_hdf5_files_are_refused():
    name, u = original()
    write_pyquda(path("cut-pyquda.h5"), u, np.complex64)
    for whole in (name, path("cut-pyquda.h5")):
        data = open(whole, "rb").read()
        for length in (8, 100, 2000, len(data) // 2, len(data) - 1):
            with open(path("cut.h5"), "wb") as f:
                f.write(data[:length])
            naik("gauge", "check", path("cut.h5"), status=4)


def bytes_of_a_damaged_file_do_no_harm_where_they_are_printed():
    with open(original()[0], "rb") as f:
        data = f.read()
    assert data.count(b"metadata_crc") == 1  # a file that has one is damaged where it does not fit, and its format is not said
    with open(path("strange.h5"), "wb") as f:
        f.write(data.replace(b"naik-gauge", b"n\x1b[2J\xe7auge").replace(b"metadata_crc", b"metadata_cry"))
    run = subprocess.run([NAIK, "gauge", "check", path("strange.h5")], capture_output=True, timeout=300)
    assert run.returncode == 1 and b"of format n?[2J?auge, not" in run.stderr, run


def flipped_bits_in_hdf5_metadata_never_pass_unnoticed():
    """One bit in metadata: refused with status 1 or 4, or the links are unchanged. Never a crash."""
    name, u = original()
    write_pyquda(path("flip-pyquda.h5"), u, np.complex128)
    with h5py.File(path("flip-qdp.h5"), "w") as f:
        f["links"] = as_pairs(u, "ri", "<f8")
    draw = np.random.default_rng(1)
    for whole in (name, path("flip-pyquda.h5"), path("flip-qdp.h5")):
        data = bytearray(open(whole, "rb").read())
        with h5py.File(whole) as f:  # without a checksum, only metadata can be told from damage
            links = f["links"].id.get_offset() if "links" in f else len(data)
        metadata = [i for i in range(min(6000, links)) if data[i] != 0]
        count = 2000 if LONG else 5
        cases = [(int(draw.choice(metadata)), int(draw.integers(8))) for _ in range(count)]
        cases += [(3485, 7)] * (whole == name)  # a type that HDF5 cannot convert
        if "pyquda" in whole and len(data) > 3372 and count > 8:
            cases += [(i, 1) for i in range(2000, 4000, 4)]  # the flags that HDF5 stumbles over
        for at, bit in cases:
            data[at] ^= 1 << bit
            with open(path("flip.h5"), "wb") as f:
                f.write(data)
            data[at] ^= 1 << bit
            run = subprocess.run([NAIK, "gauge", "convert", "--force", path("flip.h5"), path("flipped.h5"),
                                  "--precision", "64"], capture_output=True, text=True, timeout=300, env=environment())
            assert run.returncode in (0, 1, 4), (whole, at, bit, run.returncode, run.stderr)
            assert run.returncode == 0 or run.stderr.count("naik: error:") == 1, (whole, at, bit)
            if run.returncode == 0:
                assert np.array_equal(links_of(path("flipped.h5")), u), (whole, at, bit)


main([generate_gives_the_same_links_on_all_ranks,
      nersc_archives_of_every_kind_are_read, nersc_archives_that_claim_a_sign_get_a_note,
      a_dry_run_verifies_the_configuration,
      nersc_claims_that_disagree_are_refused,
      openqcd_configurations_are_read, configurations_in_parts_are_read,
      qdp_files_of_every_nesting_are_read,
      pyquda_files_are_read_with_their_checksums,
      convert_to_pyquda_writes_what_pyquda_reads,
      convert_to_nersc_milc_and_ildg_writes_the_right_bytes,
      reference_twins_have_the_same_bytes,
      files_that_lead_elsewhere_are_refused_by_name,
      a_soft_link_in_a_file_of_naik_is_refused_by_name,
      a_file_has_one_writer,
      bad_requests_get_a_sentence,
      truncated_hdf5_files_are_refused,
      bytes_of_a_damaged_file_do_no_harm_where_they_are_printed,
      flipped_bits_in_hdf5_metadata_never_pass_unnoticed])
