# test_modes_cmd.py - `naik modes` and deflated solves as their user runs them: the file, h5py,
# dense LAPACK on 4^4, bits on any ranks, and what is refused
#
# timeout: 300
import os
import subprocess
import sys

import h5py
import numpy

SCRATCH, NAIK = os.environ["SCRATCH"], os.environ["NAIK"]
MPIRUN = os.environ["MPIRUN"].split()
INPUT = """lattice: {size: [8, 8, 4, 8]}
gauge: {file: %s/lat.h5}
action: {type: hisq}
solve:
  - name: light
    masses: [0.002, 0.02]
    source: {type: point, origin: [[0, 0, 0, 0], [1, 0, 0, 0]]}
deflation: {modes: 12, file: %s/modes.h5}
output: {file: %s/out.h5}
run: {backend: cpu, threads: 1}
""" % (SCRATCH, SCRATCH, SCRATCH)


def path(name):
    return os.path.join(SCRATCH, name)


def naik(*words, ranks=1, status=0):
    command = (MPIRUN + ["-n", str(ranks)] if ranks > 1 else []) + [NAIK, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    text = done.stdout + done.stderr
    assert done.returncode == status, f"{words}: exit status {done.returncode}, not {status}: {text[-600:]}"
    return text


def modes_are_found_once_and_verified():
    assert "12 found" in naik("modes", path("in.yaml"))
    assert "12 read from" in naik("modes", path("in.yaml"))
    with h5py.File(path("modes.h5")) as f:
        v, value = f["modes/v"][:], f["modes/lambda2"][:]
        assert f.attrs["format"] in (b"naik-modes", "naik-modes") and v.shape == (12, 8, 4, 8, 4, 3)
        flat = v["r"].reshape(12, -1) + 1j * v["i"].reshape(12, -1) if v.dtype.names else v.reshape(12, -1)
        gram = flat.conj().astype(complex) @ flat.T.astype(complex)
        assert numpy.abs(gram - numpy.eye(12)).max() < 1e-5
        assert (numpy.diff(value) >= 0).all() and value[0] > 0


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
        assert (a["solves"]["iterations"][:6] > a["solves"]["iterations"][6:]).all()
    naik("modes", path("in.yaml"), "--set", "solve.0.deflate=false", status=1)


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
    naik("gauge", "generate", "--size", "8,8,4,8", "--beta", "5.7", "--seed", "9", "--sweeps", "4", "-o",
         path("other.h5"))
    text = naik("modes", path("in.yaml"), "--set", "gauge.file=" + path("other.h5"), status=4)
    assert "modes of other links" in text
    naik("modes", path("in.yaml"), "--set", "lattice.boundary_t=periodic", status=1)
    naik("modes", path("in.yaml"), "--set", "solve.0.naik_epsilon=[0.1, 0.1]", status=1)
    assert "holds 12 modes" in naik("modes", path("in.yaml"), "--set", "deflation.modes=13", status=1)
    naik("modes", path("in.yaml"), "--set", "deflation={modes: 0}", status=1)


def main():
    failed = 0
    with open(path("in.yaml"), "w", encoding="utf-8") as f:
        f.write(INPUT)
    naik("gauge", "generate", "--size", "8,8,4,8", "--beta", "5.7", "--seed", "3", "--sweeps", "20", "-o", path("lat.h5"))
    for test in (modes_are_found_once_and_verified, modes_are_the_eigenvectors_that_lapack_finds,
                 modes_have_equal_bytes_on_two_ranks, deflated_solves_take_fewer_iterations_and_equal_bits,
                 an_entry_without_modes_is_solved_as_if_there_were_none, damage_and_other_links_are_refused):
        try:
            test()
            print("PASS", test.__name__)
        except (AssertionError, OSError, KeyError) as error:
            print(f"  {error}\nFAIL", test.__name__)
            failed += 1
    sys.exit(failed > 0)


main()
