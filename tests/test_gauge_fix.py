"""naik gauge fix against numpy: the divergence, what no gauge transformation changes, bits on every grid."""
import os
import re
import shutil

import h5py
import numpy as np

from program import answer, main, naik, path, sealed

SIZE = (4, 4, 8, 8)
AXIS = (3, 2, 1, 0)  # of direction mu in [T][Z][Y][X]


def links(name):
    with h5py.File(path(name)) as f:
        return f["gauge"][...]


def dagger(m):
    return np.conj(np.swapaxes(m, -1, -2))


def theta(u, directions):
    """sum_x Tr Delta^2 / (3V), Delta the divergence of A = (U - U^+) / 2i without its trace."""
    delta = 0
    for mu in range(directions):
        a = (u[..., mu, :, :] - dagger(u[..., mu, :, :])) / 2j
        a = a - np.trace(a, axis1=-2, axis2=-1)[..., None, None] / 3 * np.eye(3)
        delta = delta + a - np.roll(a, 1, AXIS[mu])
    return np.trace(delta @ delta, axis1=-2, axis2=-1).real.mean() / 3


def loops(u):
    """Traces of plaquettes and of lines around the lattice, at every site."""
    found = []
    for mu in range(4):
        for nu in range(mu):
            found.append(np.trace(u[..., mu, :, :] @ np.roll(u[..., nu, :, :], -1, AXIS[mu])
                                  @ dagger(np.roll(u[..., mu, :, :], -1, AXIS[nu])) @ dagger(u[..., nu, :, :]),
                                  axis1=-2, axis2=-1))
        line = u[..., mu, :, :]
        for k in range(1, SIZE[mu]):
            line = line @ np.roll(u[..., mu, :, :], -k, AXIS[mu])
        found.append(np.trace(line, axis1=-2, axis2=-1))
    return np.array(found)


def a_configuration_is_generated():
    naik("gauge", "generate", "--size", "4,4,8,8", "--beta", "6", "--seed", "8", "--sweeps", "6", "-o", path("lat.h5"))
    u = links("lat.h5")
    assert theta(u, 3) > 0.1 and theta(u, 4) > 0.1
    told = re.search(r"theta (\S+) \(Coulomb\), (\S+) \(Landau\): not fixed\n", naik("gauge", "check", path("lat.h5"), ranks=2))
    assert told and np.allclose([float(x) for x in told.groups()], [theta(u, 3), theta(u, 4)], rtol=1e-3), told


def the_divergence_vanishes_and_nothing_else_changes():
    before = loops(links("lat.h5"))
    for gauge, directions in (("coulomb", 3), ("landau", 4)):
        said = naik("gauge", "fix", path("lat.h5"), "-o", path(gauge + ".h5"), "--gauge", gauge, "--tolerance", "1e-10")
        u = links(gauge + ".h5")
        assert theta(u, directions) <= 1.001e-10, (gauge, theta(u, directions))
        if gauge == "coulomb":
            assert theta(u, 4) > 1e-3
        with h5py.File(path(gauge + ".h5")) as f, h5py.File(path("lat.h5")) as g:
            assert f["metadata"].attrs["ensemble"] == g["metadata"].attrs["ensemble"] != ""
        naik("gauge", "convert", path(gauge + ".h5"), path(gauge + "32.h5"), "--precision", "32")
        told = naik("gauge", "check", path(gauge + "32.h5"))
        assert f"fixed to {gauge.capitalize()} gauge\n" in told and f"the file says: {gauge}, theta" in told, told
        os.remove(path(gauge + "32.h5"))
        # a few hundred transformations of rounding 1e-16 each
        assert np.abs(loops(u) - before).max() < 1e-12, gauge
        assert np.abs(u @ dagger(u) - np.eye(3)).max() < 1e-14 and np.abs(np.linalg.det(u) - 1).max() < 1e-14
        with h5py.File(path(gauge + ".h5")) as f:
            text = str(f["metadata"].attrs["gauge_fixing"])
            assert gauge + ", theta " in text and text.strip("b'") in said, (text, said)
        assert "everything agrees" in naik("gauge", "check", path(gauge + ".h5"))


def a_gauge_that_a_file_claims_is_looked_at():
    for gauge, other in (("coulomb", "landau "), ("landau", "coulomb")):
        shutil.copy(path(gauge + ".h5"), path("claims.h5"))
        with h5py.File(path("claims.h5"), "r+") as f:
            a = f["metadata"].attrs
            text = a["gauge_fixing"].decode() if isinstance(a["gauge_fixing"], bytes) else a["gauge_fixing"]
            a.create("gauge_fixing", other + text[7:], dtype=a.get_id("gauge_fixing").dtype)
        sealed(path("claims.h5"))
        warning = "warning: the links are not in the gauge that the file names"
        assert warning in naik("gauge", "check", path("claims.h5")) and warning not in naik("gauge", "check", path(gauge + ".h5")), gauge


def the_functional_is_larger_than_before():
    def functional(name):
        return np.trace(links(name)[..., :3, :, :], axis1=-2, axis2=-1).real.mean()
    assert functional("coulomb.h5") > functional("lat.h5") + 1


def the_bits_are_the_same_on_every_grid():
    options = ("--gauge", "landau", "--tolerance", "1e-4", "--over-relaxation", "1.8")
    naik("gauge", "fix", path("lat.h5"), "-o", path("one.h5"), *options)
    for ranks, threads in ((4, "1"), (1, "2")):
        naik("gauge", "fix", path("lat.h5"), "-o", path("more.h5"), *options, "--force", ranks=ranks,
             env={"OMP_NUM_THREADS": threads})
        assert links("more.h5").tobytes() == links("one.h5").tobytes(), (ranks, threads)


def walls_on_it_are_not_warned_about():
    with open(path("wall.yaml"), "w") as f:
        f.write(f"""
lattice: {{size: [4, 4, 8, 8]}}
gauge: {{file: {path("coulomb.h5")}}}
action: {{type: naive}}
solve: [{{name: w, masses: [0.5], source: {{type: corner_wall, t0: 0}}}}]
output: {{file: {path("wall.h5")}}}
""")
    said = naik("solve", path("wall.yaml"), "--dry-run")
    assert "Coulomb gauge: theta" in said and "fix the gauge first" not in said, said
    said = naik("solve", path("wall.yaml"), "--dry-run", "--set", f"gauge.file={path('lat.h5')}")
    assert "fix the gauge first" in said, said


def what_does_not_converge_is_not_written():
    status, _, said = answer("gauge", "fix", path("lat.h5"), "-o", path("no.h5"), "--gauge", "coulomb", "--max-iterations", "7")
    assert status == 3 and "after 7 iterations" in said, (status, said)
    assert answer("gauge", "check", path("no.h5"))[0] == 1
    for words, sentence in ((("--gauge", "axial"), "one of coulomb, landau"), ((), "option '--gauge' is missing"),
                            (("--gauge", "landau", "--over-relaxation", "2"), "from 1 to 1.999"),
                            (("--gauge", "landau", "--force", "-o", path("lat.h5")), "")):
        status, _, said = answer("gauge", "fix", path("lat.h5"), *(() if "-o" in words else ("-o", path("no.h5"))), *words)
        assert status == 1 and sentence in said, (words, status, said)


main([a_configuration_is_generated, the_divergence_vanishes_and_nothing_else_changes, a_gauge_that_a_file_claims_is_looked_at, the_functional_is_larger_than_before,
      the_bits_are_the_same_on_every_grid, walls_on_it_are_not_warned_about, what_does_not_converge_is_not_written])
