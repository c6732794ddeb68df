"""Fields in pieces by threads (io/h5/box_plain.h): the bytes of collective HDF5, and what is said where the system
refuses, tears or changes what is moved.
timeout: 240
"""
import os

import h5py

from gauge_writers import openqcd_bytes
from program import built_shim, main, naik, path

INPUT = """
lattice: {size: [4, 4, 4, 8]}
gauge:   {file: %s}
action:  {type: hisq}
solve:
  - {name: pt, masses: [0.3], source: {type: point, origin: [0, 0, 0, 0]}}
solver:  {tolerance: 1e-8, batch: 1}
output:  {file: %s, precision: %s%s}
"""


def failing(order, name):
    return {"LD_PRELOAD": built_shim(), "NAIK_FAIL": order, "NAIK_FAIL_IN": os.path.realpath(path("")) + "/" + name,
            "NAIK_FAIL_RANK": "0", "NAIK_WATCHDOG": "20"}


def written(out, precision="32", more=""):
    with open(path(out + ".yaml"), "w") as f:
        f.write(INPUT % (path("lat.h5"), path(out), precision, more))
    return path(out + ".yaml")


def numbers(name):
    found = {}
    with h5py.File(path(name)) as f:
        def keep(key, item):
            if isinstance(item, h5py.Dataset) and key.startswith(("gauge", "prop/", "solves_history")):
                found[key] = item[()].tobytes(), sorted((k, v) for k, v in item.attrs.items() if k.startswith("sum"))
            if key == "solves":
                found[key] = item["suma"].tobytes(), item["sumb"].tobytes()
        f.visititems(keep)
    assert found, name
    return found


def the_bytes_are_those_of_collective_calls():
    # a solution has 49152 sites, in single precision 1.2 MB: two pieces on one rank, one on each of four
    naik("gauge", "generate", "--size", "16,16,12,16", "--beta", "6", "--sweeps", "1", "-o", path("lat.h5"))
    large = ["--set", "lattice.size=[16, 16, 12, 16]", "--set", "action.type=naive", "--set", "solve.0.masses=[2]"]
    for precision in ("32", "64"):
        # hints are for MPI-IO, so that whoever gives any has collective calls
        naik("solve", written("collective.h5", precision, ", mpi_info: {cb_nodes: 1}"), *large)
        for ranks, threads in ((1, 1), (1, 3), (4, 2)) if precision == "32" else ((1, 3), (4, 2)):
            naik("solve", written("pieces.h5", precision), *large, ranks=ranks, env={"OMP_NUM_THREADS": str(threads)})
            assert numbers("pieces.h5") == numbers("collective.h5"), (precision, ranks, threads)
            naik("info", path("pieces.h5"), "--verify", "--json")
            os.remove(path("pieces.h5"))
        os.remove(path("collective.h5"))
    naik("gauge", "generate", "--size", "4,4,4,8", "--beta", "6", "--sweeps", "2", "--force", "-o", path("lat.h5"))


def a_read_that_is_refused_is_named_once_on_every_rank():
    if built_shim() is None:
        return "no cc, or not glibc"
    for ranks in (1, 2):
        for words in (["gauge", "check", path("lat.h5")], ["solve", written("refused.h5")]):
            told = naik(*words, ranks=ranks, status=2, env=failing(f"piece:1@{ranks - 1}", "lat.h5"))
            assert "failed as ordered" in told and "reading a field failed: Input/output error" in told, (words, told)
            assert told.count("naik: error:") == 1 and "has moved" not in told, (words, told)
    with h5py.File(path("lat.h5")) as f, open(path("bare"), "wb") as out:  # without a checksum, by which the loss would be seen
        out.write(openqcd_bytes(f["gauge"][...]))
    told = naik("gauge", "check", path("bare"), status=2, env=failing("read:1@0", "bare"))
    assert "bare' cannot be read on " in told, told
    return None


def a_write_that_is_refused_is_named_once_on_every_rank():
    if built_shim() is None:
        return "no cc, or not glibc"
    for order, reason in (("write:1@1", "No space left on device"), ("sync:1@1", "Input/output error")):
        told = naik("gauge", "convert", path("lat.h5"), path("refused.h5"), ranks=2, status=2, env=failing(order, "refused"))
        assert f"writing to the file (is the disk full?) failed: {reason}" in told, (order, told)
        assert told.count("naik: error:") == 1 and "has moved" not in told, told
        assert not os.path.exists(path("refused.h5"))
    return None


def what_the_disk_changed_is_never_published():
    if built_shim() is None:
        return "no cc, or not glibc"
    told = naik("gauge", "convert", path("lat.h5"), path("spoilt.h5"), status=2, env=failing("spoil:1@0", "spoilt"))
    assert "/gauge of" in told and "did not read back as written (checksum" in told, told
    assert not os.path.exists(path("spoilt.h5"))
    told = naik("links", written("spoilt.h5"), "-o", path("spoilt.h5"), status=2, env=failing("spoil:1@0", "spoilt"))
    assert "spoilt.h5.part' did not read back as it was written (is the disk full?): /fat of" in told, told
    assert not os.path.exists(path("spoilt.h5"))
    naik("solve", written("p.h5", "64"))
    naik("solve", written("spin.h5"), "--set", "action={type: clover, csw: 1}", "--set", "output.correlators=[]",
         "--set", "solve=[{name: pt, kappas: [0.1], source: {type: point, origin: [0, 0, 0, 0]}}]")
    for words, why in ((["gauge", "convert", path("lat.h5"), "--to", "milc"], "as written: 1 links differ"),
                       (["gauge", "convert", path("lat.h5"), "--to", "nersc"], "as written: 1 links differ"),
                       (["export", path("p.h5")], "as it was written (is the disk full?): "),
                       (["export", path("spin.h5"), "--to", "qdp"], "as it was written (is the disk full?): "),
                       (["export", path("p.h5"), "--to", "grid"], "as it was written (is the disk full?): ")):
        told = naik(*words, "-o" if words[0] == "export" else path("spoilt"), *([path("spoilt")] if words[0] == "export" else []),
                    status=2, env=failing("spoil:1@0", "spoilt"))
        assert f"'{path('spoilt')}.part' did not read back {why}" in told and not os.path.exists(path("spoilt")), (words, told)
    naik("gauge", "generate", "--size", "8,8,8,8", "--beta", "6", "--sweeps", "1", "-o", path("lat8.h5"))
    told = naik("modes", written("spoilt.h5"), "--set", "lattice.size=[8, 8, 8, 8]", "--set", f"gauge.file={path('lat8.h5')}",
                "--set", f"deflation={{modes: 4, file: {path('spoilt-modes.h5')}}}", status=2,
                env=failing("spoil:1@0", "spoilt-modes"))
    assert f"'{path('spoilt-modes.h5')}.part' did not read back as it was written (is the disk full?) [" in told, told
    assert not os.path.exists(path("spoilt-modes.h5"))
    return None


def a_solution_that_the_disk_changed_is_solved_again():
    if built_shim() is None:
        return "no cc, or not glibc"
    naik("solve", written("whole.h5"))
    for n in range(1, 12):
        told = naik("solve", written("spoilt.h5"), ranks=2, status=None, env=failing(f"spoil:{n}@0", "spoilt"))
        if "1 solves or contractions of" in told:
            break
        if os.path.exists(path("spoilt.h5")):
            naik("info", path("spoilt.h5"), "--verify")
            os.remove(path("spoilt.h5"))
    assert "did not read back as written: run again to repeat them" in told and not os.path.exists(path("spoilt.h5")), told
    told = naik("solve", path("spoilt.h5.yaml"))
    assert "2 of 3 solves are done" in told, told
    assert numbers("spoilt.h5") == numbers("whole.h5")
    return None


main([the_bytes_are_those_of_collective_calls, a_read_that_is_refused_is_named_once_on_every_rank,
      a_write_that_is_refused_is_named_once_on_every_rank, what_the_disk_changed_is_never_published,
      a_solution_that_the_disk_changed_is_solved_again])
