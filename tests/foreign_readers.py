"""Files read as other programs read them, written from the descriptions of the formats and from what those programs refuse.

Links come back as [T][Z][Y][X][4][3][3], propagators with the sink before the source: [T][Z][Y][X]([4][4])[3][3]. An AssertionError
says what the program would not take. Nothing here shares code with naik.
"""
import math
import struct
import zlib
from xml.etree import ElementTree

import h5py
import numpy as np

from gauge_writers import plaquette, rotate

QIO_1_1 = ("recordtype", "datatype", "precision", "typesize", "datacount")


def link_trace(u):
    return np.trace(u, axis1=-2, axis2=-1).real.mean() / 3


def lime_records(data):
    """(type, data) in order; a message begins where the last one ended, and nothing is left open."""
    out, at, within = [], 0, False
    while at < len(data):
        magic, version, flags, length = struct.unpack(">IHHQ", data[at:at + 16])
        kind = data[at + 16:at + 144].rstrip(b"\0").decode()
        body, padding = data[at + 144:at + 144 + length], data[at + 144 + length:at + 144 + (length + 7) // 8 * 8]
        assert magic == 0x456789ab and version == 1 and len(body) == length and not any(padding), kind
        assert bool(flags & 0x8000) != within and flags & 0x3fff == 0, f"{kind}: a message within a message, or none"
        within = not flags & 0x4000
        out.append((kind, body))
        at += 144 + length + len(padding)
    assert not within, "the last message does not end"
    return out


def xml(body):
    """As QIO and PyQUDA have it: text with a NUL behind, a document that a parser takes."""
    return ElementTree.fromstring(body.rstrip(b"\0").decode())


def file_size(records):
    """Extents from the file's own record, which QIO wants first."""
    assert [kind for kind, _ in records[:2]] == ["scidac-private-file-xml", "scidac-file-xml"]
    return file_size_of(records[0][1], "1.1")


def file_size_of(body, version="1"):
    head = xml(body)
    assert head.tag == "scidacFile" and head.find("version").text == version and head.find("spacetime").text == "4"
    assert head.find("volfmt").text == "0"
    return [int(n) for n in head.find("dims").text.split()]


def described(body):
    """A record's own description in version 1.1: versions of 1.0 without a record type are refused by many."""
    head = xml(body)
    assert head.tag == "scidacRecord" and head.find("version").text == "1.1", "the private record is not of version 1.1"
    said = {tag: head.find(tag) for tag in QIO_1_1}
    assert all(tag is not None and tag.text for tag in said.values()), said
    assert int(head.find("colors").text) == 3
    return {**{tag: found.text for tag, found in said.items()}, "spins": head.find("spins"), "element": head}


def checked(data, sites, body, first=0):
    """Sites count from `first`: QIO numbers those of a part as in the whole lattice."""
    sums, each = xml(body), len(data) // sites
    found = [0, 0]
    for site in range(sites):
        crc = zlib.crc32(data[site * each:(site + 1) * each])
        found = [word ^ rotate(crc, (first + site) % period) for word, period in zip(found, (29, 31))]
    assert [int(sums.find(name).text, 16) for name in ("suma", "sumb")] == found, "scidac-checksum"


def ildg(data):
    """QIO, PyQUDA (Chroma's and ILDG's readers), AnalysisToolbox, QCDUtils, and Grid, which wants a logical file name even if it
    is empty: links, the user's numbers, the logical file name."""
    records = lime_records(data)
    kinds, one = [kind for kind, _ in records], dict(records)
    size = file_size(records)
    wanted = ["scidac-private-record-xml", "scidac-record-xml", "ildg-format", "ildg-data-lfn", "ildg-binary-data", "scidac-checksum"]
    assert kinds[2:] == wanted, kinds
    head = described(one["scidac-private-record-xml"])
    bits = {"F": 32, "D": 64}[head["precision"]]
    assert head["recordtype"] == "0" and head["spins"].text == "1" and head["datatype"] == f"QDP_{head['precision']}3_ColorMatrix"
    assert int(head["typesize"]) == 18 * bits // 8 and int(head["datacount"]) == 4
    form, names = xml(one["ildg-format"]), {"": "http://www.lqcd.org/ildg"}
    assert form.tag == "{http://www.lqcd.org/ildg}ildgFormat" and form.find("field", names).text == "su3gauge"
    assert int(form.find("precision", names).text) == bits
    assert [int(form.find("l" + mu, names).text) for mu in "xyzt"] == size
    sites = math.prod(size)
    assert len(one["ildg-binary-data"]) == sites * 4 * 18 * bits // 8
    checked(one["ildg-binary-data"], sites, one["scidac-checksum"])
    u = np.frombuffer(one["ildg-binary-data"], ">c16" if bits == 64 else ">c8").astype(complex)
    info = xml(one["scidac-record-xml"])
    numbers = {name: float(info.find(name).text) for name in ("plaq", "linktr")}
    return u.reshape(*size[::-1], 4, 3, 3), numbers, one["ildg-data-lfn"].rstrip(b"\0").decode()


def nersc(data):
    """Grid, GLU, AnalysisToolbox, PyQUDA: links with the third row made, and the header. One KEY = VALUE a line."""
    end = data.index(b"END_HEADER\n")
    lines = data[:end].decode("ascii").split("\n")
    assert lines[0] == "BEGIN_HEADER" and lines[-1] == ""
    pairs = [line.split("=") for line in lines[1:-1]]
    assert all(len(pair) == 2 for pair in pairs), lines
    head = {key.strip(): value.strip() for key, value in pairs}
    size = [int(head[f"DIMENSION_{mu}"]) for mu in (1, 2, 3, 4)]
    for key in ("HDR_VERSION", "STORAGE_FORMAT", "ENSEMBLE_ID", "ENSEMBLE_LABEL", "SEQUENCE_NUMBER", "CREATOR"):
        assert head[key], key
    assert [head[f"BOUNDARY_{mu}"] for mu in (1, 2, 3, 4)] == 4 * ["PERIODIC"]
    bits, order = {"IEEE32BIG": (32, ">"), "IEEE64BIG": (64, ">")}[head["FLOATING_POINT"]]
    rows = {"4D_SU3_GAUGE": 2, "4D_SU3_GAUGE_3x3": 3}[head["DATATYPE"]]
    data = data[end + len(b"END_HEADER\n"):]
    assert len(data) == math.prod(size) * 4 * rows * 6 * bits // 8
    assert int(head["CHECKSUM"], 16) == int(np.frombuffer(data, ">u4").astype(np.uint64).sum()) & 0xffffffff
    u = np.frombuffer(data, order + ("c16" if bits == 64 else "c8")).astype(complex).reshape(*size[::-1], 4, rows, 3)
    if rows == 2:
        u = np.concatenate([u, np.cross(u[..., 0, :], u[..., 1, :]).conj()[..., None, :]], axis=-2)
    return u, head


def milc(data):
    """MILC v5 in either byte order, with sum29 and sum31."""
    order = "<" if struct.unpack("<i", data[:4])[0] == 20103 else ">"
    magic, x, y, z, t = struct.unpack(order + "5i", data[:20])
    zero, sum29, sum31 = struct.unpack(order + "iII", data[84:96])
    assert magic == 20103 and zero == 0 and data[20:84].rstrip(b"\0").decode("ascii")
    words = np.frombuffer(data[96:], order + "u4")
    assert len(words) == x * y * z * t * 72
    for stored, period in ((sum29, 29), (sum31, 31)):
        found = 0
        for k in range(period): # words that are rotated by the same amount, together
            found ^= rotate(int(np.bitwise_xor.reduce(words[k::period])), k)
        assert found == stored, period
    return np.frombuffer(data[96:], order + "c8").astype(complex).reshape(t, z, y, x, 4, 3, 3)


def pyquda_sums(values):
    """Words of a site together, rotated by its number."""
    words = np.bitwise_xor.reduce(np.ascontiguousarray(values).reshape(math.prod(values.shape[:4]), -1).view("<u4"), 1)
    sums = [0, 0]
    for site, word in enumerate(words):
        sums = [sums[0] ^ rotate(int(word), site % 29), sums[1] ^ rotate(int(word), site % 31)]
    return [f"{word:08x}" for word in sums]


def pyquda(name):
    """PyQUDA's own HDF5: it takes the extents and, from the group's name, the colours from attributes that are text."""
    with h5py.File(name, "r") as f:
        group = f["LatticeColorMatrix"]
        size = [int(n) for n in group.attrs["Lattice"].split()]
        assert int(group.attrs["Color"]) == 3 and isinstance(group.attrs["Color"], str) and isinstance(group.attrs["Annotation"], str)
        assert sorted(group) == ["T", "X", "Y", "Z"]
        links = []
        for mu in "XYZT":
            values = group[mu][...]
            assert values.dtype.kind == "c" and values.shape == (*size[::-1], 3, 3)
            assert [group[mu].attrs["sum29"], group[mu].attrs["sum31"]] == pyquda_sums(values), mu
            links.append(values.astype(complex))
    return np.stack(links, axis=4)


def qdp(name):
    """QDP++: one dataset whose element is a PropagatorType, [sink spin][source spin][sink colour][source colour]."""
    with h5py.File(name, "r") as f:
        (dataset,) = f.values()
        outer = dataset.id.get_type()
        assert outer.get_class() == h5py.h5t.ARRAY and outer.get_array_dims() == (4, 4)
        inner = outer.get_super()
        assert inner.get_class() == h5py.h5t.ARRAY and inner.get_array_dims() == (3, 3)
        pair = inner.get_super()
        assert [pair.get_member_name(i) for i in range(pair.get_nmembers())] == [b"r", b"i"]
        return dataset[...].astype(complex)


def usqcd_pairs(data):
    """MILC, Chroma, PyQUDA: a source, then the solution of it, for each column. Sources [columns] and the propagator."""
    records = lime_records(data)
    size = file_size(records)
    info = xml(records[1][1])
    staggered = info.tag == "usqcdKSPropFile"
    spin = 1 if staggered else 4
    kind = "ColorVector" if staggered else "DiracFermion"
    assert info.tag in ("usqcdKSPropFile", "usqcdPropFile") and info.find("type").text == f"USQCD_{kind}_Source_Sink_Pairs"
    found, rest = [], records[2:]
    assert len(rest) == 4 * 2 * 3 * spin
    for k in range(0, len(rest), 4):
        names = [name for name, _ in rest[k:k + 4]]
        assert names == ["scidac-private-record-xml", "scidac-record-xml", "scidac-binary-data", "scidac-checksum"], names
        head, body = described(rest[k][1]), rest[k + 2][1]
        bits = {"F": 32, "D": 64}[head["precision"]]
        assert head["datatype"] == f"USQCD_{head['precision']}3_{kind}" and int(head["datacount"]) == 1
        assert int(head["typesize"]) == 6 * spin * bits // 8
        assert staggered or int(head["spins"].text) == 4
        whole = np.zeros((*size[::-1], spin, 3), complex)
        place, extents = slice(None), list(size)
        if head["recordtype"] == "2":
            lower, upper = ([int(n) for n in head["element"].find(tag).text.split()] for tag in ("hyperlower", "hyperupper"))
            extents = [u - l + 1 for l, u in zip(lower, upper)]
            assert extents == [*size[:3], 1]
            place = slice(lower[3], upper[3] + 1)
        assert len(body) == math.prod(extents) * int(head["typesize"])
        checked(body, math.prod(extents), rest[k + 3][1], math.prod(size[:3]) * place.start if place.start else 0)
        whole[place] = np.frombuffer(body, ">c16" if bits == 64 else ">c8").reshape(*extents[::-1], spin, 3)
        found.append(whole)
        if k % 8 == 4:
            column, user = k // 8, xml(rest[k + 1][1])
            assert user.tag == ("usqcdKSPropInfo" if staggered else "usqcdPropInfo")
            assert int(user.find("color").text) == column % 3 and (staggered or int(user.find("spin").text) == column // 3)
        else:
            assert xml(rest[k + 1][1]).tag == "usqcdSourceInfo"
    solutions = np.stack(found[1::2]).reshape(spin, 3, *size[::-1], spin, 3) # source, then site, then sink
    propagator = np.moveaxis(solutions, (0, 1), (5, 7))
    return found[0::2], propagator[..., 0, 0, :, :] if staggered else propagator


GRID_META = ("nd", "dimension", "boundary", "data_start", "hdr_version", "storage_format", "link_trace", "plaquette", "checksum",
             "scidac_checksuma", "scidac_checksumb", "sequence_number", "data_type", "ensemble_id", "ensemble_label", "ildg_lfn",
             "creator", "creator_hardware", "creation_date", "archive_date", "floating_point")


def grid(data):
    """ScidacReader of Grid looks for one record after the other, and warns of every member that is missing. A propagator, also of
    staggered quarks."""
    records = lime_records(data)
    size, rest, found = file_size_of(records[0][1]), iter(records), {}
    for wanted in ("scidac-private-file-xml", "scidac-file-xml", "grid-format", "scidac-record-xml", "scidac-private-record-xml",
                   "ildg-binary-data", "scidac-checksum"):
        found[wanted] = next((body for kind, body in rest if kind == wanted), None)
        assert found[wanted] is not None, f"no {wanted} behind the record before it"
    assert len(records) == len(found)
    for kind in ("scidac-file-xml", "scidac-record-xml"):
        user = xml(found[kind])
        assert user.tag == "emptyUserRecord" and user.find("dummy").text == "0"
    meta, head, body = xml(found["grid-format"]), xml(found["scidac-private-record-xml"]), found["ildg-binary-data"]
    assert meta.tag == "FieldMetaData" and [tag.tag for tag in meta] == list(GRID_META) and meta.find("nd").text == "4"
    assert [int(n.text) for n in meta.find("dimension")] == size and len(meta.find("boundary")) == 4
    assert head.tag == "scidacRecord"
    said = {tag.tag: tag.text for tag in head}
    letter, spin = said["precision"], int(said["spins"])
    bits = {"F": 32, "D": 64}[letter]
    assert meta.find("floating_point").text == f"IEEE{bits}BIG" and said["colors"] == "3" and said["datacount"] == "1"
    assert said["datatype"] == f"GRID_{letter}" + ("_SpinMatrix4" if spin == 4 else "") + "_ColourMatrix3" and said["recordtype"] == "0"
    assert int(said["typesize"]) == 9 * spin * spin * bits // 4 and len(body) == math.prod(size) * int(said["typesize"])
    checked(body, math.prod(size), found["scidac-checksum"])
    matrices = np.frombuffer(body, ">c16" if bits == 64 else ">c8").astype(complex).reshape(*size[::-1], spin, spin, 3, 3)
    return matrices if spin == 4 else matrices[..., 0, 0, :, :]


def claims(u, trace, plaq, tolerance):
    """Whether a header tells what the links are, which PyQUDA wants of ten digits."""
    assert math.isclose(trace, link_trace(u), rel_tol=tolerance), (trace, link_trace(u))
    assert math.isclose(plaq, plaquette(u) / 3, rel_tol=tolerance), (plaq, plaquette(u) / 3)
