# test_modes_cmd.py - `naik modes` and deflated solves as their user runs them: the file, h5py,
# dense LAPACK on 4^4, bits on any ranks, and what is refused
#
# timeout: 300
import json
import os
import random
import re
import shutil
import sys
import zlib

import h5py
import numpy

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python")
sys.path.insert(0, FOLDER)
sys.dont_write_bytecode = True
import naik_io  # noqa: E402
from program import built_shim, SCRATCH, answer, main, naik, path, raw_records, start  # noqa: E402

INPUT = """lattice: {size: [8, 8, 4, 8]}
gauge: {file: %s/lat.h5}
action: {type: hisq}
solve:
  - name: light
    masses: [0.002, 0.02]
    source: {type: point, origin: [[0, 0, 0, 0], [1, 0, 0, 0]]}
deflation: {modes: 12, tolerance: 1e-2, file: %s/modes.h5}
output: {file: %s/out.h5}
run: {backend: cpu, threads: 1}
""" % (SCRATCH, SCRATCH, SCRATCH)


def modes_are_found_once_and_verified():
    log = naik("modes", path("in.yaml"))
    assert "found 12 modes" in log
    for part in ("interval", "filter", "orthogonalise", "dense", "rotate", "look for missing", "measure modes", "write modes"):
        assert re.search(rf"^{part} +[0-9.]+ +[0-9.]+ +[1-9]", log, re.M), part
    assert "read 12 modes from" in naik("modes", path("in.yaml"))
    with h5py.File(path("modes.h5")) as f:
        v, value = f["modes/v"][:], f["modes/lambda2"][:]
        assert f.attrs["format"] in (b"naik-modes", "naik-modes") and v.shape == (12, 8, 4, 8, 4, 3)
        flat = v["r"].reshape(12, -1) + 1j * v["i"].reshape(12, -1) if v.dtype.names else v.reshape(12, -1)
        gram = flat.conj().astype(complex) @ flat.T.astype(complex)
        assert numpy.abs(gram - numpy.eye(12)).max() < 1e-5
        assert (numpy.diff(value) >= 0).all() and value[0] > 0


def whatever_is_asked_of_the_search_the_modes_are_the_lowest():
    """An interval that ends below the largest eigenvalue let high modes through, and a long polynomial overflowed."""
    with h5py.File(path("modes.h5")) as f:
        expected, high = f["modes/lambda2"][:], f.attrs["interval_high"]
    for words, degree, corrected in (("interval: [1e-3, 5]", 2000, True), ("interval: [1, 1e6]", 4, False)):
        log = naik("modes", path("in.yaml"), "--set", "deflation={modes: 12, tolerance: 1e-6, max_cycles: 200, degree: %d, "
                   "%s, file: %s}" % (degree, words, path(f"asked{degree}.h5")))
        assert ("naik corrected the interval of the polynomial to [" in log) != corrected, (words, log[:3000])
        assert "is corrected to" in log and ("more than single precision holds" in log) == corrected, log
        with h5py.File(path(f"asked{degree}.h5")) as f:
            value, residual = f["modes/lambda2"][:], f["modes/residual"][:]
            assert f.attrs["interval_high"] == high
        # an eigenvalue differs by the square of a residual over the distance to the next
        assert numpy.abs(value - expected).max() < 1e-4 * expected[-1], (value, expected)
        within = int((residual <= 1e-6 * value).sum())
        assert within < 12 and re.search(rf"modes: {12 - within} of 12 modes go as far as single precision goes, .* is up to {(residual / value).max():.2g} of", log), log
        assert json.loads(naik("info", path(f"asked{degree}.h5"), "--json"))["modes_within_tolerance"] == within


def a_mode_far_below_the_others_is_found_alone():
    """Rounding of so long a polynomial left more than was promised, in every cycle again."""
    naik("gauge", "generate", "--size", "4,4,4,4", "--beta", "1", "--start", "hot", "--seed", "2", "--sweeps", "2", "-o", path("far.h5"))
    for modes in (1, 8):
        naik("modes", path("in.yaml"), "--set", "lattice.size=[4, 4, 4, 4]", "--set", "gauge.file=" + path("far.h5"),
             "--set", "deflation={modes: %d, max_cycles: 4, file: %s}" % (modes, path(f"far{modes}.h5")))
    with h5py.File(path("far1.h5")) as a, h5py.File(path("far8.h5")) as b:
        assert abs(a["modes/lambda2"][0] / b["modes/lambda2"][0] - 1) < 1e-4


def even_block_of_normal_operator(path_of_links, n):
    """-D_eo D_oe of naive quarks on n^4 sites as a dense matrix, and the even sites in the order of the file."""
    with h5py.File(path_of_links) as f:
        u = f["gauge"][:]
    u = u["r"] + 1j * u["i"] if u.dtype.names else u  # [t][z][y][x][mu][3][3]
    site = [(x, y, z, t) for t in range(n) for z in range(n) for y in range(n) for x in range(n)]
    number = {s: i for i, s in enumerate(site)}
    d = numpy.zeros((n ** 4, 3, n ** 4, 3), complex)
    for (x, y, z, t) in site:
        for mu, phase in enumerate((t, t + x, t + x + y, 0)):
            to = [x, y, z, t]
            to[mu] = (to[mu] + 1) % n
            sign = (-1) ** phase * (-1 if mu == 3 and t == n - 1 else 1)
            d[number[x, y, z, t], :, number[tuple(to)], :] += sign * u[t, z, y, x, mu]
    d = d.reshape(3 * n ** 4, -1)
    d -= d.conj().T
    even = [3 * i + c for i, s in enumerate(site) if sum(s) % 2 == 0 for c in range(3)]
    odd = [3 * i + c for i, s in enumerate(site) if sum(s) % 2 == 1 for c in range(3)]
    return -d[numpy.ix_(even, odd)] @ d[numpy.ix_(odd, even)]


def modes_are_the_eigenvectors_that_lapack_finds():
    naik("gauge", "generate", "--size", "4,4,4,4", "--beta", "5.7", "--seed", "4", "--sweeps", "20", "-o",
         path("small.h5"))
    naik("modes", path("in.yaml"), "--set", "lattice.size=[4, 4, 4, 4]", "--set", "gauge.file=" + path("small.h5"),
         "--set", "action={type: naive}", "--set", "deflation={modes: 40, tolerance: 1e-4, file: %s}" % path("small-modes.h5"))
    a = even_block_of_normal_operator(path("small.h5"), 4)
    exact = numpy.linalg.eigvalsh(a)
    with h5py.File(path("small-modes.h5")) as f:
        v, value, residual = f["modes/v"][:], f["modes/lambda2"][:], f["modes/residual"][:]
    v = (v["r"] + 1j * v["i"] if v.dtype.names else v).reshape(40, -1).T.astype(complex)
    single = 6e-8 * exact[-1]
    # an eigenvalue is as good as the square of its residual over the gap, and never worse than the residual
    assert numpy.abs(value - exact[:40]).max() < 1e-4 * exact[39] + single, numpy.abs(value - exact[:40]).max()
    mine = numpy.linalg.norm(a @ v - v * value, axis=0) / numpy.linalg.norm(v, axis=0)
    assert numpy.abs(mine - residual).max() < 1e-3 * residual.max(), (mine, residual)
    assert residual.max() <= 1e-4 * exact[39] + 50 * single, residual.max()


def python_reads_modes_that_numpy_finds_to_be_eigenvectors():
    a = even_block_of_normal_operator(path("small.h5"), 4)
    even = numpy.indices((4,) * 4).sum(0) % 2 == 0  # [t][z][y][x]
    with naik_io.open_modes(path("small-modes.h5")) as modes:
        assert len(modes) == 40 and modes.size == (4, 4, 4, 4) and modes.attributes["action"] == "naive"
        for i in (0, 17, 39):
            v = modes.mode(i)
            assert v.shape == (4, 4, 4, 2, 3) and v.dtype == numpy.complex64
            whole = modes.on_all_sites(i)
            assert (whole[~even] == 0).all()
            v = whole[even].reshape(-1).astype(complex)  # as the oracle numbers them
            assert abs(numpy.linalg.norm(v) - 1) < 1e-5
            left = numpy.linalg.norm(a @ v - 4 * modes.lambdas[i] ** 2 * v)
            assert abs(left - modes.residuals[i]) < 1e-3 * modes.residuals.max(), (i, left, modes.residuals[i])
        try:
            modes.mode(40)
            raise AssertionError("mode 40 of 40 was read")
        except LookupError:
            pass
    with open(path("small-modes.h5"), "rb") as f:
        whole = f.read()
    with h5py.File(path("small-modes.h5")) as f:
        places = [(f["modes/" + name].id.get_offset() + 5, name) for name in ("v", "lambda2", "residual", "suma")]
    for at, name in places + [(whole.index(b"antiperiodic"), "attribute")]:
        with open(path("bad.h5"), "wb") as f:
            f.write(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:])
        try:
            with naik_io.open_modes(path("bad.h5")) as modes:
                modes.mode(0)
                modes.mode(1)
            raise AssertionError(f"a flipped bit in {name} was not noticed")
        except naik_io.Damaged:
            pass


def info_tells_the_spectrum_and_what_masses_gain():
    told = json.loads(naik("info", path("modes.h5"), "--json", "--mass", "0.002,0.5", ranks=2))
    with h5py.File(path("modes.h5")) as f:
        value, residual, attributes = f["modes/lambda2"][:], f["modes/residual"][:], dict(f.attrs)
    first, last = 0.5 * numpy.sqrt(value[0]), 0.5 * numpy.sqrt(value[-1])
    for name, expected in (("kind", "low modes"), ("modes", 12), ("modes_verified", 12), ("intact", True),
                           ("attributes_intact", True), ("action", "hisq"), ("boundary_t", "antiperiodic"),
                           ("naik_epsilon", 0), ("size", "8,8,4,8"), ("lambda_first", first), ("lambda_last", last),
                           ("largest_residual", residual.max()),
                           ("fat_links", "%x %x" % (attributes["fat_suma"], attributes["fat_sumb"])),
                           ("long_links", "%x %x" % (attributes["long_suma"], attributes["long_sumb"]))):
        assert told[name] == expected, (name, told[name], expected)
    light, heavy = told["predicted"]
    mass = light["mass"]
    assert light["iterations"] == round(25 / numpy.hypot(mass, last)), light
    assert light["iterations_without"] == round(25 / numpy.hypot(mass, first)), light
    assert heavy["iterations"] <= heavy["iterations_without"] == 50 and heavy["mass"] == 0.5, heavy
    assert "above 0" in naik("info", path("modes.h5"), "--mass", "0.01,0", status=1)
    assert "holds no modes" in naik("info", path("lat.h5"), "--mass", "0.01", status=1)


def info_notices_every_kind_of_damage():
    with open(path("modes.h5"), "rb") as f:
        whole = f.read()
    places = {}
    with h5py.File(path("modes.h5")) as f:
        for name in ("v", "lambda2", "residual", "suma", "sumb"):
            places[name] = f["modes/" + name].id.get_offset() + 20
    places["attribute"] = whole.index(b"antiperiodic") + 2
    for name, at in places.items():
        with open(path("bad.h5"), "wb") as f:
            f.write(whole[:at] + bytes([whole[at] ^ 16]) + whole[at + 1:])
        text = naik("info", path("bad.h5"), status=4)
        assert "is damaged" in text or "disagree" in text, (name, text)
    with open(path("bad.h5"), "wb") as f:
        f.write(whole[:len(whole) // 2])
    naik("info", path("bad.h5"), status=4)
    random.seed(5)
    expected = naik("info", path("modes.h5"))
    for _ in range(400 if os.environ.get("NAIK_TEST_LONG") else 5):  # never an answer that is another one
        at = random.randrange(places["v"] - 20)
        with open(path("bad.h5"), "wb") as f:
            f.write(whole[:at] + bytes([whole[at] ^ 1 << random.randrange(8)]) + whole[at + 1:])
        status, said, told = answer("info", path("bad.h5"))
        assert status in (1, 4, 5) or said.replace("bad.h5", "modes.h5") == expected, (at, status, said + told)


def forged(name, out, attributes=None, numbers=None, said=None):
    """A copy of a file of modes with other attributes, a number of its first vector, or a factor on what it says of a
    mode, and with the right checksums."""
    shutil.copy(path(name), path(out))
    with h5py.File(path(out), "r+") as f:
        for key, value in (attributes or {}).items():
            f.attrs[key] = type(f.attrs[key])(value)
        if numbers is not None:
            v = f["modes/v"]
            first = v[0]
            first.reshape(-1)["r" if v.dtype.names else slice(None)][7] = numbers
            v[0] = first
            bytes_of = numpy.ascontiguousarray(first).view(numpy.uint8).reshape(-1, 24)
            f["modes/suma"][0], f["modes/sumb"][0] = naik_io._site_sums(bytes_of)
        for key, (mode, factor) in (said or {}).items():
            values = f["modes/" + key][:]
            values[mode] *= factor
            f["modes/" + key][:] = values
            f.attrs[key + "_crc"] = type(f.attrs[key + "_crc"])(zlib.crc32(values.tobytes()))
        del f.attrs["metadata_crc"]
        f.attrs["metadata_crc"] = naik_io._seal(f)


def modes_that_are_not_finite_are_damaged_whatever_their_checksums_say():
    for number in (numpy.nan, numpy.inf):
        forged("modes.h5", "bad.h5", numbers=number)
        for words in (("info", path("bad.h5")), ("modes", path("in.yaml"), "--set", "deflation.file=" + path("bad.h5"))):
            text = naik(*words, status=4)
            assert "holds NaN or infinity" in text and "mode" in text, text


def numbers_of_modes_that_cannot_be_are_damage():
    """With the right checksums: an interval of 1e300 let modes of any links pass, vectors of 1e30 overflowed."""
    there = "deflation.file=" + path("bad.h5")
    for attributes, numbers, told in (({"interval_high": 1e300}, None, "are none of low modes"),
                                      ({}, 1e30, "not orthonormal|modes of other links")):
        forged("modes.h5", "bad.h5", attributes, numbers)
        text = naik("modes", path("in.yaml"), "--set", there, status=None)
        assert re.search(told, text), text
        if attributes:
            assert "are none of low modes" in naik("info", path("bad.h5"), status=4)


def what_a_file_says_of_its_modes_is_measured_again():
    """Just inside of what may differ, and just outside."""
    with h5py.File(path("modes.h5")) as f:
        value, residual, noise = f["modes/lambda2"][:], f["modes/residual"][:], 1e-8 * f.attrs["interval_high"]
    worst = int(residual.argmax())
    other, apart, less = f"modes of other links: mode {worst} has", 1e-6 + noise / value[worst], (1 - noise / residual[worst]) / 1.01
    for attributes, said, told in (({"interval_low": value[-1]}, {}, None), ({"interval_low": 0.9999 * value[-1]}, {}, "they are not the lowest"),
                                   ({}, {"residual": (worst, 1.002 * less)}, None), ({}, {"residual": (worst, 0.998 * less)}, other),
                                   ({}, {"lambda2": (worst, 1 + 0.9 * apart)}, None), ({}, {"lambda2": (worst, 1 + 1.1 * apart)}, other)):
        forged("modes.h5", "bad.h5", attributes, said=said)
        text = naik("modes", path("in.yaml"), "--set", "deflation.file=" + path("bad.h5"), status=None)
        assert (told or "read 12 modes from") in text, (attributes, said, text[-300:])


def a_kept_search_that_no_search_can_leave_begins_again():
    """Its checksums agree; kept: -1 was a crash, converged: 12 a file of modes with NaN, the others endless or worse."""
    there = "deflation.file=" + path("kept.h5")
    short = ("--set", there, "--set", "run.wall_limit=0.001")
    naik("modes", path("in.yaml"), *short, status=5)
    os.rename(path("kept.h5.search"), path("sound"))
    for attributes, numbers in (({"kept": -1}, None), ({"kept": 40, "size": 1 << 30}, None), ({"converged": 12}, None),
                                ({"degree": -1}, None), ({"cycles": 2147483647}, None), ({"interval_high": 1e300}, None),
                                ({"random_blocks": -2}, None), ({}, numpy.nan), ({}, 1e30)):
        forged("sound", "kept.h5.search", attributes, numbers)
        # of all but the last it is enough to see that nothing goes on from it
        last = numbers == 1e30
        said = naik("modes", path("in.yaml"), *(("--set", there) if last else short), status=0 if last else 5)
        assert "begins again" in said, (attributes, said)
    with h5py.File(path("modes.h5")) as a, h5py.File(path("kept.h5")) as b:
        for name in ("v", "lambda2", "residual", "suma", "sumb"):
            assert a["modes/" + name][:].tobytes() == b["modes/" + name][:].tobytes(), name
    assert not os.path.exists(path("kept.h5.search")) and not os.path.exists(path("kept.h5.finding.lock"))


def a_search_goes_on_from_a_search_for_the_same_alone():
    def begun(*more):
        return naik("modes", path("in.yaml"), "--set", "deflation.file=" + path("asked.h5"), "--set", "run.wall_limit=0.001",
                    *more, status=5)
    begun()
    assert "the search continues after cycle" in begun()
    said = begun("--set", "deflation.tolerance=2e-3")
    assert "going on" not in said
    assert "to deflation.tolerance 0.01, this one has" in said and "and 0.002: the search begins again" in said, said
    shutil.copy(path("modes.h5"), path("named.h5.search"))
    said = naik("modes", path("in.yaml"), "--set", "deflation.file=" + path("named.h5"), status=1)
    assert "is no search for low modes (format naik-modes, complete)" in said, said


def a_mistyped_file_of_modes_is_no_reason_to_search():
    """modes.h5 has 12 modes of these links; a search for as many would take its time and find the same."""
    for mistyped in ("mode.h5", "modse.h5", "modess.h5"):
        options = "--set", "deflation.file=" + path(mistyped), "--set", "output.file=" + path("typo.h5")
        assert naik("solve", path("in.yaml"), *options, "--dry-run", status=1).count("beside it holds 12 modes of these links") == 1
        said = naik("solve", path("in.yaml"), *options, status=1)
        assert f"deflation.file '{path(mistyped)}' is not there, and '{path('modes.h5')}' beside it holds 12 modes of these links" in said, said
        assert "modes: cycle" not in said and not os.path.exists(path(mistyped + ".finding.lock")), said
    said = naik("solve", path("in.yaml"), "--set", "deflation.file=" + path("nowhere/modes.h5"), "--set", "output.file=" + path("typo.h5"), status=1)
    assert "links: hisq" not in said and "nowhere" in said, said
    said = naik("modes", path("in.yaml"), "--set", "deflation.file=" + path("nowhere/modes.h5"), status=1)
    assert "links: hisq" not in said and "nowhere" in said, said
    if built_shim("small_machine") is not None:  # nor is a search lost that the disk has no room for
        said = naik("modes", path("in.yaml"), "--set", "deflation.file=" + path("full.h5"), status=2,
                    env={"LD_PRELOAD": built_shim("small_machine"), "NAIK_DISK_MIB": "0"})
        assert re.search(r"full.h5.part needs 288 KiB more, but its file system has 0 ", said) and "links: hisq" not in said, said
    # other modes, or links: a search is meant, and told of at once
    for more in (("deflation.modes=13",), ("solve.0.naik_epsilon=[0.1, 0.1]", "deflation.file=" + path("modesx.h5"))):
        said = naik("solve", path("in.yaml"), "--fresh", "--set", "deflation.file=" + path("mode.h5"), "--set", "output.file=" + path("typo.h5"),
                    "--set", "run.wall_limit=0.001", *(word for key in more for word in ("--set", key)), status=5)
        assert "is not there: naik looks for 1" in said and "modes now and writes them to it" in said, said


def a_job_waits_for_another_that_looks_for_the_same_modes():
    there = ("--set", "deflation.file=" + path("shared.h5"))
    with open(path("shared.h5.finding.lock"), "w", encoding="utf-8") as f:
        f.write("whoever\n")  # of a job elsewhere, which may live
    said = naik("modes", path("in.yaml"), *there, "--set", "run.wall_limit=0.001", status=5)
    assert "another job looks for the modes of" in said and "run the same command again" in said, said
    run = start("modes", path("in.yaml"), *there)
    for line in run.stdout:
        if "another job looks" in line:
            break
    shutil.copy(path("modes.h5"), path("shared.copy"))
    os.rename(path("shared.copy"), path("shared.h5"))  # the other job is done
    said = run.communicate()[0]
    assert run.returncode == 0 and "read 12 modes from" in said, said
    lock = path("shared.h5.finding.lock")
    with open(lock, "r+", encoding="utf-8") as f, open("/proc/sys/kernel/random/boot_id", encoding="utf-8") as boot:
        f.write(f"host={os.uname().nodename}\npid={os.getpid()}\nstart=1\nboot={boot.read().strip()}\nspace="
                f"{os.readlink('/proc/self/ns/pid')}\nslurm_job=-\nslurm_restart=-\ntime=0\n")
    assert f"took over the lock {lock}: its process is gone" in naik("modes", path("in.yaml"), *there)
    assert not os.path.exists(lock)


def every_naik_epsilon_has_a_file_of_its_own():
    """Names with six digits of it were the same for these two."""
    of = path("several.h5")
    naik("modes", path("in.yaml"), "--set", "deflation.file=" + of, "--set", "solve.0.masses=[0.02, 0.03]",
         "--set", "solve.0.naik_epsilon=[-0.1234567, -0.1234568]")
    with h5py.File(of) as a, h5py.File(of + ".epsilon-0.1234568") as b:
        assert a.attrs["naik_epsilon"] == -0.1234567 and b.attrs["naik_epsilon"] == -0.1234568


def no_modes_are_asked_for_beside_other_keys():
    naik("solve", path("in.yaml"), "--set", "deflation.modes=0", "--set", "output.file=" + path("off.h5"), "--dry-run")
    text = naik("solve", path("in.yaml"), "--set", "deflation={file: m.h5}", "--dry-run", status=1)
    assert "'deflation.file' does nothing without deflation.modes" in text, text


def modes_of_every_configuration_of_a_list_are_found():
    for name in ("a", "b"):
        shutil.copy(path("lat.h5"), path(f"lat.{name}"))
    said = naik("modes", path("in.yaml"), "--set", "gauge.file=" + path("lat.{config}"), "--set", "gauge.configs=[a, b]", "--set",
                "deflation.file=" + path("of-{config}.h5"), "--set", "output.file=" + path("x-{config}.h5"))
    assert "configuration b, 2 of 2" in said and said.count("found 12 modes") == 2, said
    with h5py.File(path("modes.h5")) as a, h5py.File(path("of-b.h5")) as b:
        assert a["modes/v"][:].tobytes() == b["modes/v"][:].tobytes()


def modes_have_equal_bytes_on_two_ranks():
    naik("modes", path("in.yaml"), "--set", "deflation.file=" + path("two.h5"), ranks=2)
    with h5py.File(path("modes.h5")) as a, h5py.File(path("two.h5")) as b:
        for name in ("v", "lambda2", "residual", "suma", "sumb"):
            assert a["modes/" + name][:].tobytes() == b["modes/" + name][:].tobytes(), name


def deflated_solves_take_fewer_iterations_and_equal_bits():
    naik("solve", path("in.yaml"))
    naik("solve", path("in.yaml"), "--set", "output.file=" + path("two-out.h5"), "--set", "solver.batch=5", ranks=2)
    naik("solve", path("in.yaml"), "--set", "output.file=" + path("plain.h5"), "--set", "deflation={modes: 0}")
    with h5py.File(path("out.h5")) as a, h5py.File(path("two-out.h5")) as b, h5py.File(path("plain.h5")) as p:
        for column in ("iterations", "true_residual", "suma", "sumb"):
            assert (a["solves"][column] == b["solves"][column]).all(), column
        assert (a["solves"]["true_residual"] <= 1e-10).all()
        light = a["solves"]["mass"] == 0
        assert a["solves"]["iterations"][light].max() < 0.5 * p["solves"]["iterations"][light].min()
        # a source on odd sites alone is solved on the even sites, to the same residual on the whole lattice
        half, whole = a["solves"]["true_residual"], a["solves"]["source_residual"]
        assert (half[:6] > 0.9 * whole[:6]).all() and (half[6:] < 0.1 * whole[6:]).all() and whole.max() <= 1e-10, (half, whole)


def files_say_how_many_modes_deflated_a_solve():
    text = naik("solve", path("in.yaml"), "--set", "output.file=" + path("said.h5"))
    measured, predicted = map(float, re.search(r"mass=0\.002 tolerance=\S+ took (\d+) iterations a solve \(predicted: (\d+),", text).groups())
    assert 0.5 < predicted / measured < 2, text  # without modes the prediction would be 12500
    with h5py.File(path("said.h5")) as f:
        mean = f["solves"]["iterations"].mean()
        assert (f["solves"]["modes"] == 12).all(), f["solves"]["modes"]
    assert text.count(" modes=12 ") == 12, text
    assert f"deflated: 12 of 12 solves used 12 modes and took {mean:.1f} iterations" in text, text
    told = [json.loads(naik("info", path(name), "--json"))["solves"] for name in ("said.h5", "plain.h5")]
    assert all(s["modes"] == 12 for s in told[0]) and all("modes" not in s for s in told[1]), told
    for name, modes in (("said.h5", 12), ("plain.h5", 0)):
        with naik_io.open(path(name)) as f:
            assert f.verify() == "" and all(f.modes(s) == modes for s in f.solves)


def neither_odd_sites_nor_poor_modes_cost_iterations():
    """Rough links, whose lowest modes lie near the mass: errors of modes reach D v / (2 lambda) enlarged by 1/lambda."""
    lattice, there = "lattice.size=[6, 6, 6, 6]", "gauge.file=" + path("rough.h5")
    naik("gauge", "generate", "--size", "6,6,6,6", "--beta", "1", "--start", "hot", "--seed", "3", "--sweeps", "2", "-o",
         path("rough.h5"))
    for bits in (16, 32):
        text = naik("solve", path("in.yaml"), "--set", lattice, "--set", there, "--set", "solve.0.masses=[0.0005]", "--set",
                    "deflation={modes: 40, precision: %d, file: %s}" % (bits, path("rough-modes.h5")),
                    "--set", "output.file=" + path(f"rough{bits}.h5"))
        last = float(re.search(r"lambda runs from [0-9.e-]+ to ([0-9.e-]+)", text).group(1))
        with h5py.File(path(f"rough{bits}.h5")) as f:
            iterations, whole = f["solves"]["iterations"][:], f["solves"]["source_residual"][:]
        # the odd ones need some three digits more of their even system
        assert iterations[:3].max() < 36 / last and iterations[3:].max() < 1.35 * iterations[:3].max(), (last, iterations)
        assert whole.max() <= 1e-10, whole


def the_report_shows_the_spectrum_and_iterations_with_and_without():
    def page(*words, status=0, name="said.h5"):
        text = naik("report", path(name), "-o", path("page.html"), "--force", *words, status=status)
        with open(path("page.html"), encoding="utf-8") as f:
            return text, f.read()

    with h5py.File(path("modes.h5")) as f, h5py.File(path("said.h5")) as s:
        first, last = 0.5 * numpy.sqrt(f["modes/lambda2"][:][[0, 11]])
        light = s["solves"]["iterations"][s["solves"]["mass"] == 0].mean()
    text = page()[1]
    assert "<h2>Low modes</h2>" in text and "4 lambda^2" in text and "No spectrum" not in text
    row = "".join(f'<td class="n">{n}</td>' for n in (12, f"{light:.1f}", f"{25 / numpy.hypot(0.002, last):.0f}",
                                                        f"{25 / numpy.hypot(0.002, first):.0f}"))
    assert row in text, row
    assert "Low modes" not in page(name="plain.h5")[1]
    shutil.copy(path("said.h5"), path("fewer.h5"))  # of solves with another number of modes nothing is foreseen
    with h5py.File(path("fewer.h5"), "r+") as s, raw_records(s) as (records, offset):
        records[0][offset(b"modes"):offset(b"modes") + 4] = (6).to_bytes(4, "little")
        one = s["solves"]["iterations"][0]
    row = "".join(f'<td class="n">{n}</td>' for n in (1, 6, f"{one:.1f}", "", ""))
    assert row in page(name="fewer.h5")[1], row
    os.rename(path("modes.h5"), path("moved.h5"))
    without = page()[1]
    assert "No spectrum" in without and without.count("<figure") == text.count("<figure") - 1
    assert page("--modes", path("moved.h5"))[1].count("<figure") == text.count("<figure")
    assert "does not hold the modes" in page("--modes", path("small-modes.h5"), status=1)[0]
    os.rename(path("moved.h5"), path("modes.h5"))


def an_entry_without_modes_is_solved_as_if_there_were_none():
    """`deflate: false`: the same bits as a run without modes; the other entry those of a run with them."""
    def entry(name, words):
        return "{name: %s, masses: [0.002, 0.02], source: {type: point, origin: [0, 0, 0, 0]}%s}" % (name, words)
    both = "solve=[%s,%s]" % (entry("plain", ", deflate: false"), entry("light", ""))
    for out, words, ranks in (("both", (), 1), ("both-two", ("--set", "solver.batch=5"), 2),
                              ("neither", ("--set", "deflation={modes: 0}"), 1)):
        chosen = both.replace(", deflate: false", "") if out == "neither" else both
        naik("solve", path("in.yaml"), "--set", chosen, "--set", f"output.file={path(out)}.h5", *words, ranks=ranks)
    with h5py.File(path("both.h5")) as a, h5py.File(path("both-two.h5")) as b, h5py.File(path("neither.h5")) as n, \
            h5py.File(path("out.h5")) as o:
        for column in ("iterations", "true_residual", "suma", "sumb"):
            assert (a["solves"][column] == b["solves"][column]).all(), column
            assert (a["solves"][column][:6] == n["solves"][column][:6]).all(), column
            assert (a["solves"][column][6:] == o["solves"][column][:6]).all(), column
        assert (a["solves"]["modes"] == [0] * 6 + [12] * 6).all() and (n["solves"]["modes"] == 0).all()
        assert (a["solves"]["iterations"][:6] > a["solves"]["iterations"][6:]).all()
    naik("modes", path("in.yaml"), "--set", "solve.0.deflate=false", status=1)


def auto_finds_as_many_as_pay_and_keeps_to_them():
    """The number is the plan's, is told with its reason, and stays what it was when the run goes on."""
    auto = ("--set", "deflation.modes=auto", "--set", "deflation.file=" + path("auto-modes.h5"))
    out = ("--set", "output.file=" + path("auto.h5"))
    told = naik("solve", path("in.yaml"), *auto, *out, "--dry-run")
    count = int(told.split("modes: auto takes ")[1].split(" modes:")[0])
    assert count >= 8 and ", which 1 source earns back." in told, told
    costs = [int(line.split(" costs as much as ")[1].split()[0]) for line in told.splitlines() if " costs as much as " in line]
    assert len(costs) == 2 and costs[0] == costs[1], told
    told = naik("solve", path("in.yaml"), *auto, *out, "--set", "solver.max_iterations=9", status=3)
    assert f"found {count} modes and is writing them to" in told, told
    told = naik("solve", path("in.yaml"), *auto, *out, ranks=2)
    assert f"read {count} modes from" in told and "begun otherwise" not in told, told
    naik("solve", path("in.yaml"), "--set", f"deflation.modes={count}", "--set", "deflation.file=" + path("auto-modes.h5"),
         "--set", "output.file=" + path("fixed.h5"))
    with h5py.File(path("auto.h5")) as a, h5py.File(path("fixed.h5")) as f:
        for column in ("iterations", "true_residual", "suma", "sumb"):
            assert (a["solves"][column] == f["solves"][column]).all(), column
    more = ("--set", "deflation.modes=auto", "--set", "output.file=" + path("stored.h5"))
    assert "auto takes the 12 modes of" in naik("solve", path("in.yaml"), *more)
    with h5py.File(path("stored.h5")) as a, h5py.File(path("out.h5")) as f:
        assert (a["solves"]["suma"] == f["solves"]["suma"]).all()


def auto_solves_without_modes_that_will_not_pay():
    heavy = ("--set", "deflation.modes=auto", "--set", "deflation.file=" + path("never.h5"), "--set", "solve.0.masses=[0.5]")
    told = naik("solve", path("in.yaml"), *heavy, "--set", "output.file=" + path("heavy.h5"))
    assert "auto takes none, because modes would not pay" in told, told
    assert "auto takes none, because modes would not pay" in naik("modes", path("in.yaml"), *heavy)
    assert not os.path.exists(path("never.h5"))


def bricks_of(v):
    """Single-precision modes [n][T][Z][Y][X/2][3] rounded as naik rounds them: numbers, and scales."""
    n, t, z, y, x, _ = v.shape
    sites = v.view(numpy.float32).reshape(n, t // 2, 2, z // 2, 2, y // 2, 2, x, 6).transpose(0, 1, 3, 5, 7, 2, 4, 6, 8)
    largest = numpy.abs(sites).max((5, 6, 7, 8)).astype(numpy.float32)
    scale = ((largest * numpy.float32(1 / 32767)).view(numpy.uint32) + 0x1ff & 0xfffffe00).view(numpy.float32)
    return numpy.rint(sites / scale[..., None, None, None, None]).astype(int).reshape(*scale.shape, 8, 3, 2), scale


def a_file_in_16_bits_serves_as_one_in_32():
    """The bits of solves in 16 bits, whether the modes are found, read in 16 or in 32 bits, written or read together or
    by two ranks; half the size, and every byte checked."""
    half = "deflation={modes: 12, tolerance: 1e-2, precision: 16, file_precision: %d, file: %s}"
    runs = (("b-found", 16, "b.h5", 1, ()), ("b-read", 16, "b.h5", 2, ()), ("b-wide", 32, "modes.h5", 1, ()),
            ("b-two", 16, "together.h5", 2, ("--set", "output.aggregators=1")))
    for out, bits, file, ranks, words in runs:
        naik("solve", path("in.yaml"), "--set", half % (bits, path(file)), "--set", f"output.file={path(out + '.h5')}", *words,
             ranks=ranks)
    with h5py.File(path("b.h5")) as b, h5py.File(path("together.h5")) as b2, h5py.File(path("modes.h5")) as m:
        numbers, scale = bricks_of(m["modes/v"][:])
        assert b.attrs["format_version"] in (b"2.0", "2.0") and m.attrs["format_version"] in (b"1.0", "1.0")
        assert (b["modes/v"]["number"] == numbers).all() and (b["modes/v"]["scale"] == scale).all()
        for name in ("v", "lambda2", "residual", "suma", "sumb"):
            assert b["modes/" + name][:].tobytes() == b2["modes/" + name][:].tobytes(), name
        assert (b["modes/lambda2"][:] == m["modes/lambda2"][:]).all()
        assert b["modes/v"].id.get_storage_size() * 24 == m["modes/v"].id.get_storage_size() * 12.5
    with naik_io.open_modes(path("b.h5")) as b, naik_io.open_modes(path("modes.h5")) as m:
        assert b.on_all_sites(3).shape == m.on_all_sites(3).shape and len(b) == 12
        assert 0 < numpy.abs(b.mode(11) - m.mode(11)).max() < 3e-5 * numpy.abs(m.mode(11)).max()
    with h5py.File(path("b-found.h5")) as found:
        for out in ("b-read.h5", "b-wide.h5", "b-two.h5"):
            with h5py.File(path(out)) as f:
                for column in ("iterations", "true_residual", "suma", "sumb"):
                    assert (f["solves"][column] == found["solves"][column]).all(), (out, column)
    naik("solve", path("in.yaml"), "--set", "deflation.file=" + path("b.h5"), "--set", f"output.file={path('in32.h5')}")
    told = json.loads(naik("info", path("b.h5"), "--json"))
    assert told["intact"] and told["modes_verified"] == 12 and told["file_precision"] == 16, told
    assert json.loads(naik("info", path("modes.h5"), "--json"))["file_precision"] == 32
    for name, value in (("number", 77), ("scale", numpy.nan)):
        shutil.copy(path("b.h5"), path("hurt.h5"))
        with h5py.File(path("hurt.h5"), "r+") as f:
            v = f["modes/v"][:]
            v[name][5, 1, 1, 0, 2] = value
            f["modes/v"][...] = v
            if name == "scale":  # and a checksum that agrees
                sums = naik_io._site_sums(numpy.frombuffer(v[5].tobytes(), numpy.uint8).reshape(-1, 100))
                f["modes/suma"][5], f["modes/sumb"][5] = sums
        assert "mode 5" in naik("info", path("hurt.h5"), status=4), name
        for words in ((), ("--set", "output.aggregators=1")):
            log = naik("modes", path("in.yaml"), "--set", half % (16, path("hurt.h5")), *words, status=4)
            assert "mode 5 of" in log and ("NaN or infinity" in log) == (name == "scale"), log


def modes_of_rounded_links_are_orthogonal_enough_to_be_read_again():
    """Of this field a search with links of 16 bits left 1.03e-4, and a run reads modes of 1e-4."""
    naik("gauge", "generate", "--size", "4,4,4,4", "--beta", "6", "--seed", "16", "--sweeps", "6", "-o", path("skew.lat"))
    words = ("--set", "lattice.size=[4, 4, 4, 4]", "--set", f"gauge.file={path('skew.lat')}", "--set", "action.type=naive", "--set",
             "solver.inner_precision=half", "--set", f"deflation={{modes: 12, krylov: 64, file: {path('skew.modes')}}}", "--set", "solve.0.masses=[0.3]")
    log = naik("solve", path("in.yaml"), *words, "--set", f"output.file={path('skew1.h5')}")
    assert "links of 16 bits leave |V^+ V - 1| = 0.0001 of 12 modes: the search begins again with links in single precision" in log, log
    assert "read 12 modes from" in naik("solve", path("in.yaml"), *words, "--set", f"output.file={path('skew2.h5')}")


def damage_and_other_links_are_refused():
    with open(path("modes.h5"), "rb") as f:
        whole = f.read()
    with h5py.File(path("modes.h5")) as f:
        at = f["modes/v"].id.get_offset() + 5000
    for name, data in (("flipped", whole[:at] + bytes([whole[at] ^ 64]) + whole[at + 1:]),
                       ("cut", whole[:len(whole) // 2])):
        with open(path(name + ".h5"), "wb") as f:
            f.write(data)
        naik("modes", path("in.yaml"), "--set", "deflation.file=" + path(name + ".h5"), status=4)
    for name in ("cut.h5", "out.h5", "in.yaml"):  # no output is begun that the next input would be refused for
        naik("solve", path("in.yaml"), "--set", "deflation.file=" + path(name), "--set", "output.file=" + path("begun.h5"),
             status=4 if name == "cut.h5" else 1)
        assert not any(f.startswith("begun.h5") for f in os.listdir(path("."))), name
    naik("gauge", "generate", "--size", "8,8,4,8", "--beta", "5.7", "--seed", "9", "--sweeps", "4", "-o",
         path("other.h5"))
    text = naik("modes", path("in.yaml"), "--set", "gauge.file=" + path("other.h5"), status=1)
    assert "modes of other links" in text and "damaged" not in text, text
    naik("modes", path("in.yaml"), "--set", "lattice.boundary_t=periodic", status=1)
    naik("modes", path("in.yaml"), "--set", "solve.0.naik_epsilon=[0.1, 0.1]", status=1)
    assert "holds 12 modes" in naik("modes", path("in.yaml"), "--set", "deflation.modes=13", status=1)
    naik("modes", path("in.yaml"), "--set", "deflation={modes: 0}", status=1)


with open(path("in.yaml"), "w", encoding="utf-8") as f:
    f.write(INPUT)
naik("gauge", "generate", "--size", "8,8,4,8", "--beta", "5.7", "--seed", "3", "--sweeps", "20", "-o", path("lat.h5"))
main([modes_are_found_once_and_verified, whatever_is_asked_of_the_search_the_modes_are_the_lowest, a_mode_far_below_the_others_is_found_alone,
      modes_are_the_eigenvectors_that_lapack_finds,
      python_reads_modes_that_numpy_finds_to_be_eigenvectors,
      info_tells_the_spectrum_and_what_masses_gain, info_notices_every_kind_of_damage,
      modes_that_are_not_finite_are_damaged_whatever_their_checksums_say,
      numbers_of_modes_that_cannot_be_are_damage, what_a_file_says_of_its_modes_is_measured_again,
      a_kept_search_that_no_search_can_leave_begins_again,
      a_mistyped_file_of_modes_is_no_reason_to_search, a_search_goes_on_from_a_search_for_the_same_alone, a_job_waits_for_another_that_looks_for_the_same_modes,
      every_naik_epsilon_has_a_file_of_its_own, no_modes_are_asked_for_beside_other_keys, modes_of_every_configuration_of_a_list_are_found,
      modes_have_equal_bytes_on_two_ranks, deflated_solves_take_fewer_iterations_and_equal_bits,
      auto_finds_as_many_as_pay_and_keeps_to_them, auto_solves_without_modes_that_will_not_pay,
      files_say_how_many_modes_deflated_a_solve,
      neither_odd_sites_nor_poor_modes_cost_iterations, the_report_shows_the_spectrum_and_iterations_with_and_without,
      an_entry_without_modes_is_solved_as_if_there_were_none, a_file_in_16_bits_serves_as_one_in_32, modes_of_rounded_links_are_orthogonal_enough_to_be_read_again, damage_and_other_links_are_refused])
