# test_versions.py - files of a version that is not known are refused by every command; report verifies as info does
import os
import shutil
import sys

import h5py
import numpy as np

from program import answer, main, naik, path

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path.insert(0, os.path.join(TOP, "python"))
import naik_io  # noqa: E402

INPUT = """lattice: {size: [4, 4, 4, 8]}
gauge: {file: GAUGE}
action: {type: hisq}
solve:
  - {name: pt, masses: [0.2], source: {type: point, origin: [0, 0, 0, 0]}}
output: {file: OUT, correlators: [pion5]}
"""
KINDS = ("gauge", "links", "prop", "modes")
NEW = {"modes": "3.0"}  # not known; of other kinds 2.0


def write(name, **places):
    text = INPUT.replace("GAUGE", path("gauge.h5")).replace("OUT", path("out.h5"))
    for old, new in places.items():
        text = text.replace({"gauge": "type: hisq", "solve": "{type: point, origin: [0, 0, 0, 0]}"}[old], new)
    with open(path(name), "w") as f:
        f.write(text)
    return path(name)


def versioned(kind, version, suffix):
    """The file with another version, which the checksum over its attributes has in it."""
    name = path(f"{kind}{suffix}.h5")
    shutil.copy(path(kind + ".h5"), name)
    with h5py.File(name, "r+") as f:
        f.attrs["format_version"] = version
        f.attrs.create("metadata_crc", np.bytes_(naik_io._seal(f).encode()), dtype=h5py.string_dtype("utf-8", 9))
    return name


def files_of_every_kind():
    naik("gauge", "generate", "--size", "4,4,4,8", "--beta", "6", "--sweeps", "3", "-o", path("gauge.h5"))
    source = write("in.yaml")
    naik("links", source, "-o", path("links.h5"))
    naik("solve", source, "--set", f"output.file={path('prop.h5')}")
    naik("modes", source, "--set", "deflation.modes=8", "--set", f"deflation.file={path('modes.h5')}")
    for kind in KINDS:
        with h5py.File(path(kind + ".h5"), "r") as f:
            assert f.attrs["format"] == {"links": "naik-gauge"}.get(kind, "naik-" + kind)
        versioned(kind, "1.7", ".later")
        versioned(kind, NEW.get(kind, "2.0"), ".new")


def a_later_minor_version_is_read():
    for kind in KINDS:
        naik("info", path(kind + ".later.h5"))
    naik("report", path("prop.later.h5"))
    assert naik_io.open(path("prop.later.h5")).size == (4, 4, 4, 8)


def refuses(*words, kind, ranks=1):
    status, said, told = answer(*words, ranks=ranks)
    name = {"links": "naik-gauge"}.get(kind, "naik-" + kind)
    assert status == 1 and f"has version {NEW.get(kind, '2.0')} of the format {name}" in told and "damaged" not in told, (words, status, told)


def every_command_refuses_a_version_that_is_not_known():
    source = path("in.yaml")
    gauge, links, prop, modes = (path(kind + ".new.h5") for kind in KINDS)
    for kind in KINDS:
        refuses("info", path(kind + ".new.h5"), kind=kind, ranks=2 if kind == "prop" else 1)
    for words in (["info", prop, "--correlators"], ["report", prop, "--no-verify"], ["export", prop, "-o", path("x.scidac")],
                  ["solve", source, "--set", f"solve.0.guess={prop}"],
                  ["solve", source, "--set", f"output.file={prop}"],
                  ["solve", source, "--dry-run", "--machine", "perlmutter", "--from", prop]):
        refuses(*words, kind="prop")
    for words in (["gauge", "check", gauge], ["gauge", "convert", gauge, path("x.ildg"), "--to", "ildg"],
                  ["gauge", "fix", gauge, "--gauge", "landau", "-o", path("x.h5")],
                  ["solve", source, "--set", f"gauge.file={gauge}"]):
        refuses(*words, kind="gauge")
    with open(path("links.yaml"), "w") as f:
        f.write(open(source).read().replace("type: hisq", f"type: links, file: {links}").replace(f"gauge: {{file: {path('gauge.h5')}}}\n", ""))
    refuses("solve", path("links.yaml"), kind="links")
    refuses("solve", source, "--set", "deflation.modes=8", "--set", f"deflation.file={modes}", kind="modes")
    refuses("modes", source, "--set", "deflation.modes=8", "--set", f"deflation.file={modes}", kind="modes")
    refuses("info", modes, "--mass", "0.1", kind="modes")
    for opener, name, version in ((naik_io.open, prop, "2.0"), (naik_io.open_modes, modes, "3.0")):
        try:
            opener(name)
        except ValueError as error:
            assert f"has version {version}" in str(error), error
        else:
            raise AssertionError(name)
    assert not os.path.exists(path("x.h5")) and not os.path.exists(path("x.scidac")) and not os.path.exists(path("prop.new.html"))


def a_version_that_only_begins_alike_is_another():
    for kind in KINDS:
        status, _, told = answer("info", versioned(kind, "10.0", ".ten"))
        assert status == 1 and "has version 10.0 of the format" in told, (kind, status, told)
    for opener, kind in ((naik_io.open, "prop"), (naik_io.open_modes, "modes")):
        try:
            opener(path(kind + ".ten.h5"))
        except ValueError as error:
            assert "has version 10.0" in str(error), error
        else:
            raise AssertionError(kind)


def an_output_that_a_later_naik_began_is_left_alone():
    begun = path("begun.h5.part")
    shutil.copy(path("prop.new.h5"), begun)
    before = open(begun, "rb").read()
    refuses("solve", path("in.yaml"), "--set", f"output.file={path('begun.h5')}", kind="prop")
    assert open(begun, "rb").read() == before and not os.path.exists(path("begun.h5"))


def a_file_without_a_version_is_damaged():
    for kind in KINDS:
        status, _, told = answer("info", versioned(kind, "", ".none"))
        assert status == 4 and "no format_version" in told, (kind, status, told)


def of_chunks(f):
    values = f["/prop/s0000/m00"][...]
    attributes = dict(f["/prop/s0000/m00"].attrs)
    del f["/prop/s0000/m00"]
    f.create_dataset("/prop/s0000/m00", data=values, compression="gzip").attrs.update(attributes)


def in_single(f):
    values = f["/prop/s0000/m00"][...].astype(np.complex64)
    attributes = dict(f["/prop/s0000/m00"].attrs)
    del f["/prop/s0000/m00"]
    f.create_dataset("/prop/s0000/m00", data=values).attrs.update(attributes)


def put(name, value):
    def change(f):
        f.attrs[name] = value
    return change


def report_and_info_come_to_the_same_verdict():
    """Each time without the checksum over attributes and shapes, which would tell both of them."""
    changes = {"dims": put("dims", [4, 4, 8, 8]), "precision": put("precision", 32), "state": put("state", "done"),
               "spin": put("spin", 4), "chunks": of_chunks, "single": in_single}
    for name, change in changes.items():
        bad = path(f"bad.{name}.h5")
        shutil.copy(path("prop.h5"), bad)
        with h5py.File(bad, "r+") as f:
            del f.attrs["metadata_crc"]
            change(f)
        info, _, info_told = answer("info", bad)
        report, said, told = answer("report", bad)
        assert info == report != 0, (name, info, info_told, report, said, told)
        page = bad.replace(".h5", ".html")
        assert info != 4 or not os.path.exists(page) or "Damaged: " in open(page).read(), name
    assert answer("report", path("prop.h5"), "--force")[0] == 0


main([files_of_every_kind, a_later_minor_version_is_read, every_command_refuses_a_version_that_is_not_known,
      a_version_that_only_begins_alike_is_another,
      an_output_that_a_later_naik_began_is_left_alone, a_file_without_a_version_is_damaged,
      report_and_info_come_to_the_same_verdict])
