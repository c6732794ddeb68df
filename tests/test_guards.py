"""Guards at their limits, as a user meets them: what is just inside is taken, what is just outside is refused, with
the sentence that says so.
timeout: 240
"""
import os
import re
import shutil
import struct
import zlib

import h5py
import numpy as np

from gauge_writers import field_records, file_record
from program import answer, main, naik, path, raw_records, sealed

INPUT = """
lattice: {size: [4, 4, 4, 8]}
gauge:   {file: %s}
action:  {type: %s}
solve:   [%s]
solver:  {tolerance: %s, inner_precision: double}
output:  {file: %s, correlators: [%s]}
"""
POINT = "{name: pt, masses: [0.05], source: {type: point, origin: [0, 0, 0, 0]}}"
CLOVER = "clover, csw: 1"


def solve(name, *more, action="hisq", entries=POINT, tolerance="1e-10", correlators=None, **options):
    channel = correlators if correlators is not None else "pion" if "clover" in action else "pion5"
    with open(path(name + ".yaml"), "w") as f:
        f.write(INPUT % (path("lat.h5"), action, entries, tolerance, path(name + ".h5"), channel))
    return naik("solve", path(name + ".yaml"), *more, **options)


def iterations(name):
    with h5py.File(path(name + ".h5")) as f:
        return list(f["solves"]["iterations"])


def with_residuals(name, factor, out):
    """A copy whose records say a residual that is larger by a factor, with their own checksums."""
    shutil.copy(path(name + ".h5"), path(out))
    with h5py.File(path(out), "r+") as f, raw_records(f) as (records, offset):
        at = offset(b"source_residual")
        for record in records:
            value = np.frombuffer(record[at:at + 8], "<f8")[0] * factor
            record[at:at + 8] = np.array([value], "<f8").tobytes()


def records_that_cannot_be_are_refused_whatever_their_checksums_say():
    for member, value in ((b"set", 3), (b"set", -1), (b"source", 3), (b"source", -1), (b"mass", 3), (b"mass", -1), (b"mass", 1)):
        shutil.copy(path("whole.h5"), path("edited.h5"))
        with h5py.File(path("edited.h5"), "r+") as f, raw_records(f) as (records, offset):
            for record in records:
                record[offset(member):offset(member) + 4] = struct.pack("<i", value)
        told = naik("info", path("edited.h5"), status=4)
        assert "its records are damaged or not in order" in told, (member, value, told)


def solves_are_made():
    naik("gauge", "generate", "--size", "4,4,4,8", "--beta", "6", "--seed", "1", "--sweeps", "4", "-o", path("lat.h5"))
    solve("whole")
    solve("coarse", tolerance="1e-4")
    solve("clover", action=CLOVER, entries=POINT.replace("0.05", "-0.3"))


def stored_residuals_are_compared_to_a_hundredth():
    for factor, status in ((1.0, 0), (1.008, 0), (0.992, 0), (1.012, 4), (0.988, 4)):
        with_residuals("coarse", factor, "edited.h5")
        told = naik("info", path("edited.h5"), "--residuals", status=status)
        assert ("its residual is" in told) == (status == 4), (factor, told)


def a_limit_of_iterations_is_reached_exactly():
    for name, action, entries in (("whole", "hisq", POINT), ("clover", CLOVER, POINT.replace("0.05", "-0.3"))):
        counts = iterations(name)
        most = max(counts)
        same = {"action": action, "entries": entries}
        solve("limit", "--fresh", "--set", f"solver.max_iterations={most}", **same)
        assert iterations("limit") == counts, (iterations("limit"), counts)
        told = solve("limit", "--fresh", "--set", f"solver.max_iterations={most - 1}", status=3, **same)
        assert f"{counts.count(most)} of {len(counts)} solves did not reach their tolerance" in told, told
        assert max(iterations("limit")) == most - 1, iterations("limit")
        with h5py.File(path("limit.h5")) as f:
            failed = [reason == b"iteration limit" for reason in f["solves"]["stop_reason"]]
        assert failed == [count == most for count in counts], (failed, counts)


def one_solve_that_did_not_converge_is_enough():
    counts = iterations("whole")
    assert counts.count(max(counts)) == 1, counts
    solve("one", "--set", f"solver.max_iterations={max(counts) - 1}", status=3)
    told = naik("export", path("one.h5"), "-o", path("one.lime"), status=3)
    assert "1 of the 3 solves to be exported did not reach their tolerance" in told and not os.path.exists(path("one.lime")), told
    told = naik("export", path("one.h5"), "-o", path("one.lime"), "--allow-unconverged")
    assert "1 of the 3 exported solves did not reach" in told, told
    with open(path("one.lime"), "rb") as f:
        assert b"NOT CONVERGED: residuals" in f.read()
    naik("export", path("whole.h5"), "-o", path("whole.lime"))
    with open(path("whole.lime"), "rb") as f:
        assert b"NOT CONVERGED" not in f.read()
    entry = ("{name: seq, masses: [0.05], source: {type: sequential, file: %s, propagator: pt, mass: 0.05, insertion: pion5,"
             " t0: 3}}" % path("one.h5"))
    told = solve("seq", "--dry-run", entries=entry, status=1)
    assert "source pt did not reach its tolerance, residual" in told, told
    solve("seq", "--dry-run", entries=entry.replace("one.h5", "whole.h5"))
    # a quarter of a billionth of the mass apart is the mass as it is printed; more is another one
    for mass, status in (("0.0500000000005", 0), ("0.050000000005", 1)):
        told = solve("seq", "--dry-run", entries=entry.replace("one.h5", "whole.h5").replace("mass: 0.05,", f"mass: {mass},"),
                     status=status)
        assert ("but not with that mass" in told) == (status == 1), told
    naik("info", path("one.h5"))  # some did converge
    told = naik("info", path("one.h5"), "--correlators")
    assert "not converged" in told and "not converged" not in naik("info", path("whole.h5"), "--correlators"), told


def edited_metadata_are_no_correlators():
    shutil.copy(path("whole.h5"), path("edited.h5"))
    with h5py.File(path("edited.h5"), "r+") as f:
        f["prop/s0000/m00"].attrs["mass"] = 0.06
    for words in ((), ("--correlators",), ("--correlators=fnal",)):
        told = naik("info", path("edited.h5"), *words, status=4)
        assert "damaged" in told, (words, told)
    told = naik("info", path("whole.h5"), "--correlators")
    assert told.count("\n# ") + told.startswith("# ") >= 1, told


def modes_that_do_not_ascend_are_refused():
    with open(path("modes.yaml"), "w") as f:
        f.write(INPUT % (path("lat.h5"), "hisq", POINT, "1e-8", path("deflated.h5"), "pion5"))
    words = "--set", f"deflation={{modes: 8, file: {path('modes.h5')}}}"
    naik("modes", path("modes.yaml"), *words)
    naik("info", path("modes.h5"))
    for change in ("order", "nan"):
        shutil.copy(path("modes.h5"), path("bad-modes.h5"))
        with h5py.File(path("bad-modes.h5"), "r+") as f:
            values = f["modes/lambda2"][...]
            if change == "order":
                values[[2, 5]] = values[[5, 2]]
            else:
                values[3] = np.nan
            f["modes/lambda2"][...] = values
            f.attrs["lambda2_crc"] = np.int64(zlib.crc32(values.tobytes()))
        sealed(path("bad-modes.h5"))
        status, _, told = answer("info", path("bad-modes.h5"))
        assert status == 4, (change, status, told)


def a_sub_volume_ends_within_the_lattice():
    with open(path("whole.lime"), "rb") as f:
        data = f.read()
    there = rb"(<hyperupper>\s*)3 3 3 0"
    assert len(re.findall(there, data)) == 3, re.findall(b"<hyper.*?<", data)
    with open(path("source.yaml"), "w") as f:
        f.write(INPUT % (path("lat.h5"), "hisq", "{name: f, masses: [0.1], source: {type: file, file: %s}}" % path("sub.lime"),
                         "1e-3", path("sub.h5"), "pion5"))
    for upper, status in ((b"3 3 3 0", 0), (b"3 3 4 0", 4), (b"4 3 3 0", 4)):
        with open(path("sub.lime"), "wb") as f:
            f.write(re.sub(there, rb"\g<1>" + upper, data))
        told = naik("solve", path("source.yaml"), "--dry-run", status=status)
        assert ("sensible hyperlower and hyperupper" in told) == (status == 4), (upper, told)


def theta_is_the_divergence_squared_per_colour_and_site():
    told = naik("gauge", "fix", path("lat.h5"), "-o", path("fixed.h5"), "--gauge", "coulomb", "--tolerance", "1e-5", ranks=2)
    with h5py.File(path("fixed.h5")) as f:
        u = f["gauge"][...]
    delta = 0
    for mu in range(3):
        a = (u[..., mu, :, :] - np.conj(np.swapaxes(u[..., mu, :, :], -1, -2))) / 2j
        a = a - np.trace(a, axis1=-2, axis2=-1)[..., None, None] / 3 * np.eye(3)
        delta = delta + a - np.roll(a, 1, 3 - mu)
    theta = np.trace(delta @ delta, axis1=-2, axis2=-1).real.mean() / 3
    stated = [float(word) for word in re.findall(r"theta ([0-9.e+-]+)", told)]
    assert stated and abs(stated[-1] / theta - 1) < 1e-2, (stated, theta)
    assert theta <= 1e-5 and theta > 1e-7, theta


def hop(fat, far, v):
    """D v from the links in a file: v [T][Z][Y][X][3]."""
    out = np.zeros_like(v)
    for links, step in ((fat, 1), (far, 3)):
        for mu in range(4):
            u = links[..., mu, :, :]
            out += np.einsum("...ij,...j->...i", u, np.roll(v, -step, 3 - mu))
            out -= np.roll(np.einsum("...ji,...j->...i", u.conj(), v), step, 3 - mu)
    return out


def a_condensate_has_both_its_parts():
    """src^+ G of every time slice, with src = M G by links in a file: real and imaginary part."""
    noise = "{name: noise, masses: [0.3], source: {type: random_volume, seed: 5}}"
    solve("noise", "--set", "output.condensate=true", entries=noise, tolerance="1e-12")
    naik("links", path("noise.yaml"), "-o", path("links.h5"))
    with h5py.File(path("links.h5")) as f:
        fat, far = f["fat"][...], f["long"][...]
    with h5py.File(path("noise.h5")) as f:
        g = f["prop/s0000/m00"][...]
        stored = []
        f["corr"].visititems(lambda name, item: stored.append(item[...])
                             if "condensate" in name and isinstance(item, h5py.Dataset) else None)
    wanted = 0
    for column in g:
        src = 2 * 0.3 * column + hop(fat, far, column)
        wanted = wanted + (src.conj() * column).sum(axis=(1, 2, 3, 4))
    value = np.asarray(stored[0]).reshape(-1)
    value = value if np.iscomplexobj(value) else value.view(complex)
    assert np.abs(wanted.imag).max() > 1e-3 * np.abs(wanted.real).max(), wanted
    assert np.allclose(value, wanted, rtol=0, atol=1e-9 * np.abs(wanted).max()), (value, wanted)


def a_source_that_is_not_finite_on_one_rank_ends_all():
    """Numbers of a file that are none, and some that the links of an operator on them carry beyond all numbers."""
    for number, status, why in ((np.inf, 4, "has numbers that are infinite or not numbers"),
                                (1.7e308, 1, "source 0 of 'f' is not finite at colour=0: its smearing or what it is made from")):
        v = np.zeros((8, 4, 4, 4, 3), complex)
        v.real[6] = number  # of the last rank alone
        with open(path("vast"), "wb") as f:
            f.write(file_record((4, 4, 4, 8)) + 3 * field_records(v, (4, 4, 4, 8), "USQCD_D3_ColorVector", spins=1))
        entries = "{name: f, masses: [2], source: {type: file, file: %s, spin_taste: GX-G1}}" % path("vast")
        told = solve("vast", action="naive", entries=entries, ranks=2, status=status)
        assert why in told and "MPI_ABORT" not in told.upper(), told  # all ranks end by themselves


def claims_of_a_header_are_compared():
    """The plaquette to 1e-5, the trace of the links to 1e-6, of a header that no checksum covers."""
    naik("gauge", "convert", path("lat.h5"), path("lat.nersc"), "--to", "nersc")
    with open(path("lat.nersc"), "rb") as f:
        data = f.read()
    for key, change, status in ((b"PLAQUETTE", 0.9e-5, 0), (b"PLAQUETTE", 1.2e-5, 4), (b"PLAQUETTE", -1.2e-5, 4),
                                (b"LINK_TRACE", 0.9e-6, 0), (b"LINK_TRACE", 1.2e-6, 4), (b"LINK_TRACE", -1.2e-6, 4)):
        now = re.search(key + rb" = ([-+0-9.e ]+)\n", data)
        text = b"%.12f" % (float(now[1]) + change)
        with open(path("claim.nersc"), "wb") as f:
            f.write(data.replace(now[0], key + b" = " + text.ljust(len(now[1])) + b"\n"))
        naik("gauge", "check", path("claim.nersc"), status=status)


def a_stored_input_must_mean_what_it_meant():
    shutil.copy(path("whole.h5"), path("edited.h5"))
    with h5py.File(path("edited.h5"), "r+") as f:
        text = f["metadata/canonical_input"][()]
        other = text.replace(b"0.05", b"0.06")
        assert other != text
        f["metadata/canonical_input"][()] = np.bytes_(other)
    sealed(path("edited.h5"))
    told = naik("info", path("edited.h5"), "--residuals", status=None)
    assert "does not mean to this version what it meant to its writer" in told, told
    told = naik("export", path("whole.h5"), "-o", path("none.lime"), "--set", "solve.0.masses=[0.07]", status=1)
    assert "only where files lie may be changed" in told, told


def an_unfinished_solve_is_nobody_elses_output():
    solve("kept", "--set", "solver.batch=1", env={"NAIK_INJECT": "stop:solve:20"}, status=5)
    with open(path("kept.h5.part"), "rb") as f:
        before = f.read()
    for words in (("gauge", "convert", path("lat.h5"), path("kept.h5")), ("links", path("whole.yaml"), "-o", path("kept.h5")),
                  ("gauge", "convert", path("lat.h5"), path("kept.h5"), "--force")):
        told = naik(*words, status=1)
        assert "is of an unfinished naik solve and would be lost" in told, (words, told)
    with open(path("kept.h5.part"), "rb") as f:
        assert f.read() == before
    naik("solve", path("kept.yaml"))


def advice_that_is_followed_helps():
    told = naik("solve", path("whole.yaml"), "--dry-run", ranks=2, env={"NAIK_GRID": "4x1x1x1"}, status=1)
    grids = re.search("grids that work: (.*)", told)[1]
    naik("solve", path("whole.yaml"), "--dry-run", ranks=2, env={"NAIK_GRID": re.search(r"\d+x\d+x\d+x\d+", grids)[0]})
    out = "--set", f"output.file={path('folder/out.h5')}"
    told = naik("solve", path("whole.yaml"), *out, status=1)
    assert "does not exist: make it" in told, told
    os.mkdir(path("folder"))
    naik("solve", path("whole.yaml"), *out)
    told = naik("solve", path("whole.yaml"), "--dry-run", "--set", "solver.tolerence=1e-4", status=1)
    meant = re.search("did you mean '(.*?)'", told)[1]
    naik("solve", path("whole.yaml"), "--dry-run", "--fresh", "--set", f"{meant}=1e-4", "--set", f"output.file={path('other.h5')}")
    told = naik("gauge", "convert", path("lat.h5"), path("fixed.h5"), status=1)
    assert "--force" in told, told
    naik("gauge", "convert", path("lat.h5"), path("fixed.h5"), "--force")


main([solves_are_made, records_that_cannot_be_are_refused_whatever_their_checksums_say,
      stored_residuals_are_compared_to_a_hundredth, a_limit_of_iterations_is_reached_exactly,
      one_solve_that_did_not_converge_is_enough, edited_metadata_are_no_correlators, modes_that_do_not_ascend_are_refused,
      a_sub_volume_ends_within_the_lattice, theta_is_the_divergence_squared_per_colour_and_site,
      a_condensate_has_both_its_parts, a_source_that_is_not_finite_on_one_rank_ends_all, claims_of_a_header_are_compared, a_stored_input_must_mean_what_it_meant,
      an_unfinished_solve_is_nobody_elses_output, advice_that_is_followed_helps])
