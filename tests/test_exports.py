# test_exports.py - every export, read as the program reads it that it is for
import os

import h5py
import numpy as np

import foreign_readers as read
from program import REFERENCE, answer, main, naik, path

SIZE = (4, 2, 6, 8)
BITS = {32: np.complex64, 64: np.complex128}


def links_of(name):
    with h5py.File(name, "r") as f:
        return f["gauge"][...]


def content(name):
    with open(name, "rb") as f:
        return f.read()


def convert(name, out, *words, ranks=1):
    naik("gauge", "convert", name, path(out), *words, "--force", ranks=ranks)
    return path(out)


def original():
    """Rough links in double, of which single precision and two rows are other links."""
    name = path("lat.h5")
    if not os.path.exists(name):
        naik("gauge", "generate", "--size", ",".join(map(str, SIZE)), "--beta", "5.7", "--sweeps", "4", "-o", name)
    return name, links_of(name)


def rounded(u, bits):
    return u.astype(BITS[bits]).astype(complex)


def ildg_is_read_by_qio_pyquda_and_the_analysis_toolbox():
    name, u = original()
    for bits in BITS:
        found, numbers, lfn = read.ildg(content(convert(name, "to.ildg", "--to", "ildg", "--precision", bits, ranks=2)))
        assert np.array_equal(found, rounded(u, bits)) and lfn == ""
        read.claims(found, numbers["linktr"], numbers["plaq"], 1e-12)


def nersc_archives_tell_the_numbers_of_their_rows():
    name, u = original()
    for bits in BITS:
        for to, rows in (("nersc", 2), ("nersc-3x3", 3)):
            found, head = read.nersc(content(convert(name, "to.nersc", "--to", to, "--precision", bits)))
            assert np.array_equal(found[..., :rows, :], rounded(u, bits)[..., :rows, :])
            read.claims(found, float(head["LINK_TRACE"]), float(head["PLAQUETTE"]), 1e-12)


def a_single_configuration_in_two_rows_has_known_numbers():
    if not REFERENCE:
        return "NAIK_REFERENCE is not set"
    out = convert(os.path.join(REFERENCE, "lat.sample.l4448"), "l4448.nersc", "--to", "nersc")
    _, head = read.nersc(content(out))
    assert abs(float(head["PLAQUETTE"]) - 0.5690557253017) < 1e-13, head
    assert abs(float(head["LINK_TRACE"]) - 0.0692165902549) < 1e-13, head
    return None


def milc_files_are_read_by_milc_and_pyquda():
    name, u = original()
    assert np.array_equal(read.milc(content(convert(name, "to.milc", "--to", "milc", "--precision", 32))), rounded(u, 32))


def pyquda_files_are_read_by_pyquda():
    name, u = original()
    for bits in BITS:
        assert np.array_equal(read.pyquda(convert(name, "to.pyquda.h5", "--to", "pyquda", "--precision", bits, ranks=2)), rounded(u, bits))


def naiks_own_files_tell_the_numbers_of_their_links():
    name, u = original()
    for bits in BITS:
        out = convert(name, "to.naik.h5", "--to", "naik", "--precision", bits)
        with h5py.File(out, "r") as f:
            found, said = f["gauge"][...].astype(complex), dict(f["gauge"].attrs)
        assert np.array_equal(found, rounded(u, bits))
        read.claims(found, said["link_trace"], said["plaquette"], 1e-12)
        off = np.abs(np.einsum("...ij,...kj->...ik", found, found.conj()) - np.eye(3)).max()
        assert abs(said["max_unitarity_dev"] - off) < 4e-16, (bits, said["max_unitarity_dev"], off)
    fixed = path("fixed.h5")
    naik("gauge", "fix", name, "--gauge", "landau", "--precision", "32", "--tolerance", "1e-6", "-o", fixed)
    with h5py.File(fixed, "r") as f:
        read.claims(f["gauge"][...].astype(complex), f["gauge"].attrs["link_trace"], f["gauge"].attrs["plaquette"], 1e-12)


def conversions_keep_the_logical_file_name():
    name, _ = original()
    lfn = "lfn://naik/made-up/lat.1000"
    first = convert(name, "named.ildg", "--to", "ildg", "--lfn", lfn)
    assert read.ildg(content(first))[2] == lfn and lfn in naik("gauge", "check", first) and lfn in naik("info", first)
    own = convert(first, "named.h5")
    assert lfn in naik("gauge", "check", own)
    fixed = path("named.fixed.h5")
    naik("gauge", "fix", own, "--gauge", "landau", "--tolerance", "1e-6", "-o", fixed)
    for source in (first, own):
        assert read.ildg(content(convert(source, "again.ildg", "--to", "ildg")))[2] == lfn
    assert read.ildg(content(convert(own, "again.ildg", "--to", "ildg", "--lfn", "lfn://other")))[2] == "lfn://other"
    for words, sentence in ((["--to", "nersc", "--lfn", lfn], "only --to ildg and --to naik keep it"),
                            (["--to", "ildg", "--lfn", "x" * 512], "--lfn has 512 bytes")):
        status, _, told = answer("gauge", "convert", name, path("none"), *words)
        assert status == 1 and sentence in told and not os.path.exists(path("none")), told


INPUT = """lattice: {size: [4, 2, 6, 8]}
gauge: {file: LAT}
action: ACTION
solve:
  - {name: pt, masses: [0.5], source: {type: point, origin: [1, 0, 3, 2]}}
solver: {tolerance: 1e-10}
output: {file: OUT, precision: BITS}
"""


ACTIONS = {"ks64": "{type: naive}", "w64": "{type: clover, csw: 1}"}


def solve_input(name, action, bits):
    return INPUT.replace("LAT", original()[0]).replace("ACTION", action).replace("OUT", path(name)).replace("BITS", str(bits))


def solve(name, action, bits):
    with open(path("in.yaml"), "w") as f:
        f.write(solve_input(name, action, bits))
    naik("solve", path("in.yaml"))
    with h5py.File(path(name), "r") as f:
        return f["/prop/s0000/m00"][...].astype(complex)


def point(spin):
    """Of every column: 1 at the origin."""
    x, y, z, t = 1, 0, 3, 2
    for column in range(3 * spin):
        source = np.zeros((*SIZE[::-1], spin, 3), complex)
        source[t, z, y, x, column // 3, column % 3] = 1
        yield source


def staggered_propagators_are_read_by_milc_pyquda_and_grid():
    for bits in BITS:
        columns = solve(f"ks{bits}.h5", ACTIONS["ks64"], bits) # [source colour][t][z][y][x][sink colour]
        naik("export", path(f"ks{bits}.h5"), "-o", path(f"ks{bits}.scidac"))
        sources, propagator = read.usqcd_pairs(content(path(f"ks{bits}.scidac")))
        assert np.array_equal(propagator, np.moveaxis(columns, 0, -1))
        assert all(np.array_equal(a, b) for a, b in zip(sources, point(1))) and len(sources) == 3
        naik("export", path(f"ks{bits}.h5"), "--to", "grid", "-o", path(f"ks{bits}.grid"))
        assert np.array_equal(read.grid(content(path(f"ks{bits}.grid"))), propagator)


def wilson_propagators_are_read_by_chroma_qdp_pyquda_and_grid():
    for bits in BITS:
        columns = solve(f"w{bits}.h5", ACTIONS["w64"], bits) # [spin][colour][t][z][y][x][spin][colour]
        wanted = np.moveaxis(columns, (0, 1), (5, 7))
        naik("export", path(f"w{bits}.h5"), "-o", path(f"w{bits}.scidac"))
        naik("export", path(f"w{bits}.h5"), "--to", "qdp", "-o", path(f"w{bits}.qdp.h5"), ranks=2)
        naik("export", path(f"w{bits}.h5"), "--to", "grid", "-o", path(f"w{bits}.grid"), ranks=2)
        assert np.array_equal(read.grid(content(path(f"w{bits}.grid"))), wanted)
        sources, propagator = read.usqcd_pairs(content(path(f"w{bits}.scidac")))
        assert np.array_equal(propagator, wanted) and np.array_equal(read.qdp(path(f"w{bits}.qdp.h5")), wanted)
        assert all(np.array_equal(a, b) for a, b in zip(sources, point(4))) and len(sources) == 12


def a_propagator_for_grid_begins_a_solve_that_takes_no_iteration():
    for kind in ("ks64", "w64"):
        text = solve_input("again.h5", ACTIONS[kind], 64).replace("[1, 0, 3, 2]}", "[1, 0, 3, 2]}, guess: " + path(f"{kind}.grid"))
        with open(path("again.yaml"), "w") as f:
            f.write(text)
        naik("solve", path("again.yaml"))
        with h5py.File(path("again.h5"), "r") as f, h5py.File(path(f"{kind}.h5"), "r") as g:
            assert np.array_equal(f["/prop/s0000/m00"][...], g["/prop/s0000/m00"][...])
        os.remove(path("again.h5"))


def links_files_hold_what_their_description_says():
    """doc/output.md's [T][Z][Y][X][4][3][3] with phases, boundary and coefficients inside: those of naive quarks are the
    configuration's times signs, and long links are s times a unitary matrix."""
    with open(path("in.yaml"), "w") as f:
        f.write(solve_input("unused.h5", "{type: hisq}", 64))
    naik("links", path("in.yaml"), "-o", path("links.h5"))
    naik("links", path("in.yaml"), "--set", "action.type=naive", "-o", path("naive.h5"))
    u = original()[1]
    t, z, y, x = np.indices(u.shape[:4])
    eta = (-1.0) ** np.stack([t, t + x, t + x + y, t == SIZE[3] - 1], axis=-1)
    with h5py.File(path("links.h5"), "r") as f, h5py.File(path("naive.h5"), "r") as g:
        assert np.abs(g["fat"][...] - u * eta[..., None, None]).max() < 1e-14 and "long" not in g
        s, long_links = f["long"].attrs["long_scale"] if "long_scale" in f["long"].attrs else f["fat"].attrs["long_scale"], f["long"][...]
        unit = np.einsum("...ij,...kj->...ik", long_links, long_links.conj()) / s ** 2
        assert abs(s - 1 / 24) < 1e-16 and np.abs(unit - np.eye(3)).max() < 1e-12
        assert f.attrs["boundary_t"] == "antiperiodic" and f.attrs["action"] == "hisq"


main([ildg_is_read_by_qio_pyquda_and_the_analysis_toolbox, nersc_archives_tell_the_numbers_of_their_rows,
      a_single_configuration_in_two_rows_has_known_numbers, milc_files_are_read_by_milc_and_pyquda,
      pyquda_files_are_read_by_pyquda, naiks_own_files_tell_the_numbers_of_their_links, conversions_keep_the_logical_file_name,
      staggered_propagators_are_read_by_milc_pyquda_and_grid, wilson_propagators_are_read_by_chroma_qdp_pyquda_and_grid,
      a_propagator_for_grid_begins_a_solve_that_takes_no_iteration, links_files_hold_what_their_description_says])
