"""Each word of each checksum by itself, in every file that naik reads: data and the other words are right, so that
only the comparison of this word can notice.
timeout: 240
"""
import os
import re
import shutil
import struct
import sys
import zlib

import h5py
import numpy as np

from gauge_writers import openqcd_bytes
from program import answer, built_shim, main, naik, path, raw_records, sealed

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import naik_io  # noqa: E402

INPUT = """
lattice: {size: [4, 4, 4, 8]}
gauge:   {file: %s}
action:  {type: hisq}
solve:
  - {name: pt, masses: [0.3], source: {type: %s}}
solver:  {tolerance: 1e-8, batch: 1}
output:  {file: %s, correlators: [pion5]}
"""
POINT = "point, origin: [0, 0, 0, 0]"


def written(name, out, source=POINT):
    with open(path(name), "w") as f:
        f.write(INPUT % (path("lat.h5"), source, path(out)))
    return path(name)


def everything_is_made():
    naik("gauge", "generate", "--size", "4,4,4,8", "--beta", "6", "--sweeps", "2", "-o", path("lat.h5"))
    for kind in ("milc", "nersc", "nersc-3x3", "ildg", "pyquda"):
        naik("gauge", "convert", path("lat.h5"), path("lat." + kind), "--to", kind)
        naik("gauge", "check", path("lat." + kind))
    naik("solve", written("in.yaml", "prop.h5"))
    naik("links", path("in.yaml"), "-o", path("links.h5"))
    naik("modes", path("in.yaml"), "--set", f"deflation={{modes: 8, file: {path('modes.h5')}}}")
    naik("export", path("prop.h5"), "-o", path("pairs"))


def refused(words, what, says=""):
    """naik ends with 4, and with a sentence of this pattern."""
    status, said, told = answer(*words)
    assert status == 4 and re.search(says, said + told), (what, status, said, told, says)


def with_bytes(name, change, out):
    with open(path(name), "rb") as f:
        data = f.read()
    other = change(data)
    assert other != data and len(other) == len(data), out
    with open(path(out), "wb") as f:
        f.write(other)
    return path(out)


def turned(word):
    """A hexadecimal number with another last digit."""
    return word[:-1] + (b"1" if word[-1:] == b"0" else b"0")


def words_in_headers_of_configurations():
    for at in (88, 92):  # MILC: magic, dims, date, order, sum29, sum31
        flip = lambda data, at=at: data[:at] + bytes([data[at] ^ 4]) + data[at + 1:]  # noqa: E731
        refused(("gauge", "check", with_bytes("lat.milc", flip, "bad.milc")), ("milc", at))
    for kind in ("nersc", "nersc-3x3"):
        change = lambda data: re.sub(rb"(CHECKSUM = )(\w+)", lambda m: m[1] + turned(m[2]), data)  # noqa: E731
        refused(("gauge", "check", with_bytes("lat." + kind, change, "bad." + kind)), kind)
    for word in (b"suma", b"sumb"):
        change = lambda data, word=word: re.sub(b"(<" + word + rb">)(\w+)(<)", lambda m: m[1] + turned(m[2]) + m[3], data)  # noqa: E731
        refused(("gauge", "check", with_bytes("lat.ildg", change, "bad.ildg")), word)


def what_a_header_says_is_compared_with_the_file():
    """Files that are longer than their header says, sites in another order, a plaquette that cannot be."""
    for kind in ("milc", "nersc", "nersc-3x3"):
        for more in (8, 4096):
            with open(path("lat." + kind), "rb") as f, open(path("long." + kind), "wb") as out:
                out.write(f.read() + bytes(more - 1) + b"\1")  # zeros alone would be padding
            status, said, told = answer("gauge", "check", path("long." + kind))
            assert status == 4 and "bytes long, but its" in told, (kind, status, told)
    flip = lambda data: data[:84] + struct.pack("<I", 1) + data[88:]  # noqa: E731
    status, said, told = answer("gauge", "check", with_bytes("lat.milc", flip, "order.milc"))
    assert status == 1 and "in order 1; only 0, the natural one, is read" in told, (status, told)
    with h5py.File(path("lat.h5")) as f:
        data = openqcd_bytes(f["gauge"][...])
    for value, wanted in ((None, 0), (3.11, 4), (float("nan"), 4)):
        with open(path("lat.openqcd"), "wb") as f:
            f.write(data if value is None else data[:16] + struct.pack("<d", value) + data[24:])
        status, said, told = answer("gauge", "check", path("lat.openqcd"))
        assert status in ((wanted,) if value is None else (1, 4)), (value, status, told)
        assert value is None or "stores an impossible plaquette of" in told, told


def words_of_pyquda():
    for direction in "XYZT":
        for word in ("sum29", "sum31"):
            shutil.copy(path("lat.pyquda"), path("bad.pyquda"))
            with h5py.File(path("bad.pyquda"), "r+") as f:
                attrs = f["LatticeColorMatrix"][direction].attrs
                now = attrs[word]
                text = (now if isinstance(now, bytes) else now.encode())
                attrs.modify(word, np.bytes_(turned(text)) if isinstance(now, bytes) else turned(text).decode())
            refused(("gauge", "check", path("bad.pyquda")), (direction, word))


def words_of_naiks_own_links():
    for name, sets, words in (("lat.h5", ("gauge",), ("gauge", "check")), ("links.h5", ("fat", "long"), ("info",))):
        for data in sets:
            for word in ("suma", "sumb"):
                shutil.copy(path(name), path("bad.h5"))
                with h5py.File(path("bad.h5"), "r+") as f:
                    now = f[data].attrs[word]
                    now = now if isinstance(now, bytes) else now.encode()
                    f[data].attrs.modify(word, np.bytes_(turned(now)))
                sealed(path("bad.h5"))
                refused((*words, path("bad.h5")), (name, data, word))
                if name == "links.h5":
                    with open(path("links.yaml"), "w") as f:
                        f.write((INPUT % ("none", POINT, path("out.h5"))).replace("gauge:   {file: none}\n", "").replace(
                            "type: hisq", f"type: links, file: {path('bad.h5')}"))
                    refused(("solve", path("links.yaml"), "--dry-run"), (name, data, word, "solve"),
                            rf"/{data} of '{path('bad.h5')}' is damaged: checksum \w+ \w+, stored \w+ \w+")


def with_bad_modes(name):
    return ("solve", path("in.yaml"), "--fresh", "--set", f"output.file={path(name + '.h5')}", "--set",
            f"deflation={{modes: 8, file: {path('bad-modes.h5')}}}")


def words_of_modes():
    for word in ("suma", "sumb"):
        for number in (0, 7):
            shutil.copy(path("modes.h5"), path("bad-modes.h5"))
            with h5py.File(path("bad-modes.h5"), "r+") as f:
                f["modes"][word][number] ^= 1
            refused(("info", path("bad-modes.h5")), (word, number))
            refused(with_bad_modes("deflated"), (word, number, "solve"),
                    rf"mode {number} of '{path('bad-modes.h5')}' is damaged: checksum \w+ \w+, stored \w+ \w+")
    for word in ("lambda2_crc", "residual_crc"):
        shutil.copy(path("modes.h5"), path("bad-modes.h5"))
        with h5py.File(path("bad-modes.h5"), "r+") as f:
            f.attrs.modify(word, f.attrs[word] ^ 1)
        sealed(path("bad-modes.h5"))
        refused(("info", path("bad-modes.h5")), word)
        refused(with_bad_modes("deflated"), (word, "solve"),
                rf"/modes/{word[:-4]} of '{path('bad-modes.h5')}' disagrees with its checksum")


def words_of_records():
    """suma, sumb, correlators_crc, history_crc of a solve, with the record's own crc made right again."""
    for word in (b"suma", b"sumb", b"correlators_crc", b"history_crc", b"crc"):
        shutil.copy(path("prop.h5"), path("bad-prop.h5"))
        with h5py.File(path("bad-prop.h5"), "r+") as f:
            new = f["solves"]
            kind = new.id.get_type()
            raw = np.zeros(new.size, f"V{kind.get_size()}")
            new.id.read(h5py.h5s.ALL, h5py.h5s.ALL, raw, kind)
            record = memoryview(raw.view("u1"))[kind.get_size():2 * kind.get_size()]
            record[kind.get_member_offset(kind.get_member_index(word))] ^= 1
            if word != b"crc":
                record[-4:] = zlib.crc32(record[:-4]).to_bytes(4, "little")
            new.id.write(h5py.h5s.ALL, h5py.h5s.ALL, raw, kind)
        refused(("info", path("bad-prop.h5")), word)
        if word in (b"suma", b"sumb"):  # what reads solutions one by one
            refused(("export", path("bad-prop.h5"), "-o", path("none")), (word, "export"),
                    rf"source 0 mass 0 colour 1 of {path('bad-prop.h5')} is damaged: checksum \w+ \w+, recorded \w+ \w+")


def records_that_contradict_the_file():
    """A finished file has every solution, and what is done has reached its target, whatever checksums the record has."""
    def changed(solves, member, value):
        shutil.copy(path("prop.h5"), path("bad-prop.h5"))
        with h5py.File(path("bad-prop.h5"), "r+") as f, raw_records(f) as (records, offset):
            for record in records[:solves]:
                for word in member:
                    record[offset(word):offset(word) + len(value)] = value

    def damaged(says):
        with naik_io.open(path("bad-prop.h5")) as f:
            try:
                f.verify()
            except naik_io.Damaged as error:
                assert says in str(error), error
            else:
                raise AssertionError(says)
    again = ("solve", written("again.yaml", "bad-prop.h5"))
    export = ("export", path("bad-prop.h5"), "-o", path("none"))
    report = ("report", path("bad-prop.h5"), "-o", path("page.html"))
    changed(1, [b"suma", b"sumb"], b"LEFT")
    for words in ("info", path("bad-prop.h5")), ("info", path("bad-prop.h5"), "--no-verify"), again, export:
        refused(words, "LEFT", "calls itself complete, but its record says that the solution of source 0 mass 0 colour 0 was left out")
    assert answer(*report)[0] == 4
    damaged("lacks its solution")
    for value in (1.0001e-8, np.nan):
        changed(1, [b"true_residual"], np.float64(value).tobytes())
        refused(("info", path("bad-prop.h5")), value, "is damaged")
        refused(again, value, "calls itself complete, but the records of 1 solves are damaged")
        damaged("above its target")
        refused(export, value, "the record of solve 0 contradicts its own checksum or itself")
    changed(3, [b"true_residual"], np.float64(1e-8).tobytes())
    naik("info", path("bad-prop.h5"))


def correlators_that_are_no_numbers():
    """Such are damaged, whatever their checksum says; sums of colours are as wrong as what they sum."""
    for value in np.nan, np.inf:
        shutil.copy(path("prop.h5"), path("bad-prop.h5"))
        with h5py.File(path("bad-prop.h5"), "r+") as f, raw_records(f) as (records, offset):
            pair = f["corr/pt/m00"]
            numbers = pair["per_colour"][...]
            numbers[1, 0, 0, 3] = value
            pair["per_colour"][...] = numbers
            pair["pion5/p000"][3] = value
            records[1][offset(b"correlators_crc"):offset(b"correlators_crc") + 4] = zlib.crc32(numbers[1].tobytes()).to_bytes(4, "little")
        refused(("info", path("bad-prop.h5")), value, "solves_damaged: 1")


def words_of_vectors():
    with open(path("pairs"), "rb") as f:
        records = len(re.findall(b"<suma>", f.read()))
    assert records == 6, records
    name = written("file.yaml", "none.h5", source=f"file, file: {path('bad-pairs')}")
    shutil.copy(path("pairs"), path("bad-pairs"))
    naik("solve", name, "--dry-run")
    for record in (0, 4):  # sources
        for word in (b"suma", b"sumb"):
            count = iter(range(records))
            change = lambda data, word=word, record=record, count=count: re.sub(  # noqa: E731
                b"(<" + word + rb">)(\w+)(<)", lambda m: m[1] + (turned(m[2]) if next(count) == record else m[2]) + m[3], data)
            with_bytes("pairs", change, "bad-pairs")
            refused(("solve", name, "--fresh"), (word, record))


def lines_in(name):
    with open(path(name + ".h5.journal")) as f:
        lines = f.read().split("\n")
    return lines, len([line for line in lines if line.startswith("solve=")])


def lines_of_a_journal():
    """A line whose crc does not fit is as if it were not there: the solve is done again, and the others are not."""
    source = written("kill.yaml", "kill.h5")
    for what in ("crc", "text"):
        naik("solve", source, "--fresh", env={"NAIK_INJECT": "kill:write:3"}, status=None)
        lines, solves = lines_in("kill")
        assert solves == 2, lines
        at = next(i for i, line in enumerate(lines) if line.startswith("solve="))
        if what == "crc":
            lines[at] = lines[at][:-1] + ("1" if lines[at][-1] == "0" else "0")
        else:  # a digit of the residual history's place, which a run would believe
            lines[at] = re.sub(r"history=(\d+)", lambda m: f"history={int(m[1]) + 8}", lines[at])
        with open(path("kill.h5.journal"), "w") as f:
            f.write("\n".join(lines))
        with open(path("kill.h5.part"), "r+b") as f:
            f.write(bytes(512))  # HDF5 cannot open it any more: the journal is what there is
        told = naik("solve", source)
        assert "1 solve was saved by its journal" in told or "1 solves were saved by its journal" in told, told
        naik("info", path("kill.h5"))
        os.remove(path("kill.h5"))


def a_torn_line_takes_no_other_with_it():
    source = written("torn.yaml", "torn.h5")
    naik("solve", source, env={"NAIK_INJECT": "kill:write:2"}, status=None)
    assert lines_in("torn")[1] == 1, lines_in("torn")
    with open(path("torn.h5.journal"), "a") as f:
        f.write("solve=1 offset=40")  # and the machine was off
    naik("solve", source, env={"NAIK_INJECT": "kill:write:2"}, status=None)
    with open(path("torn.h5.part"), "r+b") as f:
        f.write(bytes(512))
    told = naik("solve", source)
    assert "2 solves were saved by its journal" in told, told


def a_journal_of_another_run_is_written_anew():
    source = written("other.yaml", "other.h5")
    naik("solve", source, env={"NAIK_INJECT": "kill:write:2"}, status=None)
    head = lines_in("other")[0][0]
    with open(path("other.h5.journal"), "w") as f:
        text = re.sub(r"identity=\w+", "identity=00000000", head.rpartition(" crc=")[0])
        f.write(f"{text} crc={zlib.crc32(text.encode()):08x}\n")
    naik("solve", source, env={"NAIK_INJECT": "kill:write:2"}, status=None)
    lines, solves = lines_in("other")
    assert solves == 2 and lines[0] == head, (head, lines)
    naik("solve", source)


def a_line_that_a_write_took_by_half_is_no_line():
    shim = built_shim()
    if shim is None:
        return "no cc, or not glibc"
    source = written("short.yaml", "short.h5")
    told = naik("solve", source, status=2, env={"LD_PRELOAD": shim, "NAIK_FAIL": "short:2@0", "NAIK_FAIL_RANK": "0",
                                                "NAIK_FAIL_IN": "short.h5.journal"})
    assert "failed as ordered" in told and "short.h5.journal cannot be written" in told, told
    naik("solve", source)
    naik("info", path("short.h5"))
    return None


main([everything_is_made, words_in_headers_of_configurations, what_a_header_says_is_compared_with_the_file, words_of_pyquda, words_of_naiks_own_links, words_of_modes,
      words_of_records, records_that_contradict_the_file, correlators_that_are_no_numbers, words_of_vectors, lines_of_a_journal,
      a_torn_line_takes_no_other_with_it, a_journal_of_another_run_is_written_anew,
      a_line_that_a_write_took_by_half_is_no_line],
     needed=[everything_is_made])
