# test_modes_cmd.py - `naik modes` and deflated solves as their user runs them: the file, h5py,
# bits on any ranks, and what is refused
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
    for test in (modes_are_found_once_and_verified, modes_have_equal_bytes_on_two_ranks,
                 deflated_solves_take_fewer_iterations_and_equal_bits, damage_and_other_links_are_refused):
        try:
            test()
            print("PASS", test.__name__)
        except (AssertionError, OSError, KeyError) as error:
            print(f"  {error}\nFAIL", test.__name__)
            failed += 1
    sys.exit(failed > 0)


main()
