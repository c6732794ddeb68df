"""The order in which files are written, forced to disk and named (shim/log_writes.c): no name of an output, and no
line of a journal, speaks of bytes that a power cut could take back.
timeout: 240
"""
import os

import h5py

from program import built_shim, main, naik, path

INPUT = """
lattice: {size: [4, 4, 4, 8]}
gauge:   {file: %s}
action:  {type: %s}
solve:
  - {name: pt, masses: [%s], source: {type: point, origin: [0, 0, 0, 0]}}
solver:  {tolerance: 1e-8, batch: 1, multishift: off}
output:  {file: %s, correlators: [%s]}
"""


def shim():
    return built_shim("log_writes")


def events(*words, ranks=1, status=0, env=None):
    """What naik wrote, forced to disk, named and removed, in order."""
    log = path("events")
    if os.path.exists(log):
        os.remove(log)
    naik(*words, ranks=ranks, status=status,
         env={"LD_PRELOAD": shim(), "NAIK_WRITES_IN": os.path.realpath(path("out")), "NAIK_WRITES_LOG": log, **(env or {})})
    with open(log, encoding="utf-8") as f:
        return [line.split() for line in f]


def last(found, what, name, before):
    """Number of the last such event of a file before another one, -1 if there is none."""
    return max((i for i, event in enumerate(found[:before]) if event[0] == what and event[1] == name), default=-1)


def holds(found):
    """Every name was given to what had been forced to disk, and the folder was told; the names."""
    names = []
    for i, event in enumerate(found):
        if event[0] == "rename":
            written, forced = last(found, "write", event[1], i), last(found, "sync", event[1], i)
            assert written >= 0 and forced > written, ("published before it was on disk", event, found)
            folder = os.path.dirname(event[2])
            assert ["sync", folder] in found[i + 1:], ("its name may be lost", event, found)
            names.append(os.path.basename(event[2]))
        if event[0] == "link":  # a lock that was made without a name
            assert last(found, "sync", event[1], i) > last(found, "write", event[1], i) >= 0, (event, found)
    return names


def removed_last(found, search, name):
    """A search is kept until its modes have their name: a kill between the two would lose both."""
    gone = [i for i, event in enumerate(found) if event[0] == "remove" and event[1].endswith(search)]
    named = [i for i, event in enumerate(found) if event[0] == "rename" and event[2].endswith(name)]
    assert gone and len(named) == 1 and min(gone) > named[0], (gone, named, found)


def journal_holds(found, name):
    """Each line of a journal was on disk before the run went on, and what it speaks of before it."""
    part, journal = os.path.realpath(path(name)) + ".part", os.path.realpath(path(name)) + ".journal"
    lines = [i for i, event in enumerate(found) if event == ["write", journal]]
    for i in lines:
        after = next(event for event in found[i + 1:] if event[1] in (part, journal))
        assert after == ["sync", journal], ("the journal's line is not on disk", after, found[i:])
        assert last(found, "sync", part, i) > last(found, "write", part, i) or i == lines[0], \
            ("the journal is before what it speaks of", found[:i + 1])
    return len(lines)


def written(name, action="hisq", masses="0.3", out="out/prop.h5", correlators="pion5"):
    with open(path(name), "w") as f:
        f.write(INPUT % (path("out/lat.h5"), action, masses, path(out), correlators))
    return path(name)


def configurations_in_every_format():
    if shim() is None:
        return "no cc, or not glibc"
    os.mkdir(path("out"))
    lat = path("out/lat.h5")
    assert holds(events("gauge", "generate", "--size", "4,4,4,8", "--beta", "5.8", "--sweeps", "2", "-o", lat)) == ["lat.h5"]
    for ranks, kind in enumerate(("naik", "milc", "nersc", "nersc-3x3", "ildg", "pyquda")):
        name = f"lat.{kind}"
        found = events("gauge", "convert", lat, path("out/" + name), "--to", kind, ranks=1 + ranks % 2)
        assert holds(found) == [name], found
    assert holds(events("gauge", "fix", lat, "-o", path("out/fixed.h5"), "--gauge", "landau", "--tolerance", "1e-1",
                        "--max-iterations", "400")) == ["fixed.h5"]
    return None


def links_and_modes():
    if shim() is None:
        return "no cc, or not glibc"
    assert holds(events("links", written("in.yaml"), "-o", path("out/links.h5"))) == ["links.h5"]
    low = "--set", f"deflation={{modes: 8, file: {path('out/modes.h5')}}}"
    found = events("modes", written("in.yaml"), *low, ranks=2)
    assert "modes.h5" in holds(found), found
    for words in ("modes", path("in.yaml")), ("solve", path("in.yaml"), "--set", f"output.file={path('out/low.h5')}"):
        os.rename(path("out/modes.h5"), path("out/modes.h5.search"))
        with h5py.File(path("out/modes.h5.search"), "r+") as f:  # a search that begins again
            f.attrs.create("state", "incomplete", dtype=f.attrs.get_id("state").dtype)
        found = events(*words, *low)
        assert "modes.h5" in holds(found), found
        removed_last(found, "modes.h5.search", "modes.h5")
    return None


def propagators_and_their_journal():
    if shim() is None:
        return "no cc, or not glibc"
    for ranks in (1, 2):
        found = events("solve", written("in.yaml", out=f"out/prop{ranks}.h5"), ranks=ranks)
        assert holds(found)[-1] == f"prop{ranks}.h5", found
        assert journal_holds(found, f"out/prop{ranks}.h5") == 4, found  # its head and three solves
    return None


def what_is_kept_of_solves_in_flight():
    if shim() is None:
        return "no cc, or not glibc"
    found = events("solve", written("in.yaml", out="out/kept.h5"), "--set", "solver.batch=2", status=5,
                   env={"NAIK_INJECT": "stop:solve:20"})
    assert "kept.h5.part.state" in holds(found), found
    found = events("solve", path("in.yaml"))
    assert holds(found)[-1] == "kept.h5", found
    return None


def exports():
    if shim() is None:
        return "no cc, or not glibc"
    assert holds(events("export", path("out/prop1.h5"), "-o", path("out/pairs"))) == ["pairs"]
    page = [event[0] for event in events("report", path("out/prop1.h5"), "-o", path("out/page.html")) if "page.html" in event[-1]]
    assert page == ["link", "rename"], page  # no file to leave when a page is interrupted
    naik("solve", written("clover.yaml", "clover, csw: 1", out="out/clover.h5", correlators="pion"), "--set",
         "solver.batch=12")
    assert holds(events("export", path("out/clover.h5"), "--to", "qdp", "-o", path("out/qdp.h5"), ranks=2)) == ["qdp.h5"]
    return None


main([configurations_in_every_format, links_and_modes, propagators_and_their_journal, what_is_kept_of_solves_in_flight,
      exports],
     needed=[configurations_in_every_format, propagators_and_their_journal])
