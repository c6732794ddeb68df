"""naik solve with twisted-mass quarks, as its user runs it: the operator that the file states, bytes on every grid, resume."""
import os
import sys

import h5py
import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from program import everything, main, naik, path, same

INPUT = """
lattice:  {size: [%s], boundary_t: antiperiodic}
gauge:    {file: %s}
action:   {%s}
solve:
  - {name: pt, masses: %s, source: {type: point, origin: [1, 2, 3, 5]}}
solver:   {tolerance: 1e-12}
output:   {file: %s, correlators: [pion, rho_x]}
"""
GAMMA = np.zeros((4, 4, 4), complex)
GAMMA[0][[0, 1, 2, 3], [3, 2, 1, 0]] = [1j, 1j, -1j, -1j]
GAMMA[1][[0, 1, 2, 3], [3, 2, 1, 0]] = [-1, 1, 1, -1]
GAMMA[2][[0, 1, 2, 3], [2, 3, 0, 1]] = [1j, -1j, -1j, 1j]
GAMMA[3][[0, 1, 2, 3], [2, 3, 0, 1]] = 1
GAMMA5 = np.diag([1, 1, -1, -1])
CLOVER = "type: twisted_mass, mu: -0.35, csw: 1.1"


def solve(name, *more, action=CLOVER, masses="[0.1, -0.2]", gauge="lat.h5", size="4, 4, 4, 8", **options):
    with open(path(name + ".yaml"), "w") as f:
        f.write(INPUT % (size, path(gauge), action, masses, path(name + ".h5")))
    return naik("solve", path(name + ".yaml"), *more, **options)


def propagator(name, mass=0):
    """[t, z, y, x, sink spin, sink colour, source spin, source colour] and the attributes."""
    with h5py.File(path(name + ".h5")) as f:
        prop = f[f"/prop/s0000/m{mass:02d}"]
        return np.moveaxis(prop[...], (0, 1), (-2, -1)), dict(prop.attrs)


def configurations_are_generated():
    for name, size, sweeps in ("lat.h5", "4,4,4,8", "5"), ("unit.h5", "4,4,4,8", "0"), ("wide-lat.h5", "8,4,4,8", "3"):
        naik("gauge", "generate", "--size", size, "--beta", "5.8", "--seed", "3", "--sweeps", sweeps, "-o", path(name))


def two_quarks_are_solved():
    solve("one")


def free_quarks_are_their_fourier_sum():
    for mu in 0.3, -1.1:
        solve("free", "--fresh", action=f"type: twisted_mass, mu: {mu}, csw: 1.3", gauge="unit.h5", masses="[0.2]", ranks=2)
        found, told = propagator("free")
        assert told["mu"] == mu and told["mass"] == 0.2 and told["csw"] == 1.3, told
        p = np.meshgrid(*(2 * np.pi * np.fft.fftfreq(n) + (np.pi / n if n == 8 else 0) for n in (8, 4, 4, 4)), indexing="ij")[::-1]
        m = (0.2 + sum(1 - np.cos(q) for q in p))[..., None, None] * np.eye(4) + 1j * mu * GAMMA5
        m = m + 1j * sum(np.sin(q)[..., None, None] * GAMMA[k] for k, q in enumerate(p))
        wanted = np.fft.ifftn(np.linalg.inv(m), axes=(0, 1, 2, 3))
        wanted *= np.exp(1j * np.pi * np.arange(8) / 8)[:, None, None, None, None, None]
        wanted = np.roll(np.concatenate((-wanted, wanted)), 5, axis=0)[8:]  # the source is at t = 5
        wanted = np.roll(wanted, (3, 2, 1), axis=(1, 2, 3))
        for i in range(9):
            expected = wanted if i % 3 == i // 3 else 0
            assert np.abs(found[..., i % 3, :, i // 3] - expected).max() < 1e-11, (mu, i)


def hops(u, psi):
    """D psi, psi [t, z, y, x, spin, colour, ...], u [t, z, y, x, direction, row, column] with the boundary's sign."""
    out = np.zeros_like(psi)
    for mu in range(4):
        axis, link, one = 3 - mu, u[..., mu, :, :], np.eye(4)
        ahead = np.einsum("tzyxab,tzyxsb...->tzyxsa...", link, np.roll(psi, -1, axis))
        behind = np.roll(np.einsum("tzyxba,tzyxsb...->tzyxsa...", link.conj(), psi), 1, axis)
        out += np.einsum("rs,tzyxsa...->tzyxra...", one - GAMMA[mu], ahead)
        out += np.einsum("rs,tzyxsa...->tzyxra...", one + GAMMA[mu], behind)
    return out


def solutions_solve_the_equation_that_the_file_states():
    for mu in 0.45, -0.2:
        solve("plain", "--fresh", action=f"type: twisted_mass, mu: {mu}", masses="[0.1, -0.3]")
        with h5py.File(path("lat.h5")) as f:
            u = f["/gauge"][...]
        u[-1, :, :, :, 3] *= -1
        for mass in range(2):
            s, told = propagator("plain", mass)
            assert told["mu"] == mu and told["action"] == "twisted_mass" and told["csw"] == 0, told
            assert told["normalisation"] == "mass: M G = source, M = m + 4 + C + i mu g5 - D/2", told
            assert abs(told["kappa"] * (2 * told["mass"] + 8) - 1) < 1e-15, told
            residual = (told["mass"] + 4) * s + 1j * told["mu"] * np.einsum("rs,tzyxsa...->tzyxra...", GAMMA5, s) - hops(u, s) / 2
            residual[5, 3, 2, 1] -= np.eye(12).reshape(4, 3, 4, 3)
            assert np.linalg.norm(residual) < 1e-11, (mu, mass, np.linalg.norm(residual))
        with h5py.File(path("plain.h5")) as f:  # g5 S^+ g5 is the other flavour's: sum |S|^2 is the charged pion's
            assert np.allclose(f["/corr/pt/m01/pion/p000"][...], (np.abs(s) ** 2).sum(axis=(1, 2, 3, 4, 5, 6, 7)), rtol=1e-12)


def grids_precisions_and_batches_give_the_same_quarks():
    wide = {"size": "8, 4, 4, 8", "gauge": "wide-lat.h5", "masses": "[0.1]"}
    solve("wide", **wide)
    solve("again", "--fresh", "--set", "solver.batch=5", ranks=4, env={"NAIK_GRID": "2x1x1x2"}, **wide)
    same(everything("wide.h5"), everything("again.h5"))
    s, _ = propagator("one", 1)
    for change in ("solver.inner_precision=half", "solver.inner_precision=double", "solver.method=bicgstab", "solver.link_numbers=12"):
        solve("again", "--fresh", "--set", change)
        with h5py.File(path("again.h5")) as f:
            assert (f["/solves"]["true_residual"] <= 1e-12).all(), change
        assert np.linalg.norm(propagator("again", 1)[0] - s) < 1e-10 * np.linalg.norm(s), change


def a_stopped_run_goes_on_to_the_same_bytes():
    said = solve("halted", "--set", "solver.batch=1", env={"NAIK_INJECT": "stop:solve:3"}, status=5)
    assert "stopped by signal" in said, said
    said = solve("halted", action=CLOVER.replace("-0.35", "0.35"), status=1)
    assert "mu" in said, said
    assert "restored: " in solve("halted")
    same(everything("one.h5"), everything("halted.h5"))


def without_mu_quarks_are_wilson_and_clover_quarks():
    for action in "type: wilson", "type: clover, csw: 1.1":
        numbers = action.split(",", 1)[1:]
        solve("known", "--fresh", "--set", "solver.method=cg", "--set", "output.baryons=[nucleon]", action=action, masses="[0.1]")
        solve("zero", "--fresh", "--set", "output.baryons=[nucleon]", action=", ".join(["type: twisted_mass, mu: 0", *numbers]), masses="[0.1]")
        with h5py.File(path("known.h5")) as a, h5py.File(path("zero.h5")) as b:
            for name in "/prop/s0000/m00", "/corr/pt/m00/rho_x/p000", "/corr/pt/m00/nucleon":
                assert a[name][...].tobytes() == b[name][...].tobytes(), (action, name)
            assert b["/prop/s0000/m00"].attrs["mu"] == 0
    assert "complete: true" in naik("info", path("zero.h5"))
    assert "complete" in naik("solve", path("zero.yaml"), "--set", "output.baryons=[nucleon]")


def a_word_says_what_a_file_holds():
    said = naik("info", path("one.h5"), "--residuals")
    assert "action.mu = -0.35" in said and said.count("source_residual=") >= 48, said
    assert "mass 0.1, kappa 0.1219512195, mu -0.35, csw 1.1" in solve("told", "--fresh")
    said = naik("info", path("one.h5"), "--correlators=fnal")
    assert '\nquark_type:                   twisted_mass\n' in said and '\nantiquark_mass:               "-0.2"\n' in said, said[:2000]
    with h5py.File(path("one.h5")) as f:
        attributes = dict(f["/corr/pt/m01/rho_x/p000"].attrs)
        assert attributes["mass"] == -0.2 and attributes["mu"] == -0.35, attributes
    plans = [solve("planned", "--dry-run", "--set", "solver.method=cg", action=action) for action in
             (CLOVER, "type: clover, csw: 1.1")]
    memory = [next(line for line in plan.splitlines() if "memory" in line) for plan in plans]
    assert memory[0] == memory[1], memory


def what_would_be_wrong_is_refused():
    solve("refused", "--dry-run")
    for change, sentence in (
            ("output.baryons=[nucleon]", "'output.baryons': a nucleon needs quarks of mu and of -mu, and a run with action.mu -0.35 has one of them"),
            ("baryons=[{name: b, quarks: [pt, pt, pt]}]", "'baryons': a nucleon needs quarks of mu and of -mu"),
            ("action={type: twisted_mass}", "key 'action.mu' is missing; action.type twisted_mass needs it"),
            ("action={type: clover, csw: 1, mu: 0.1}", "'action.mu' does not apply to action.type clover, only to twisted_mass"),
            ("action.u0=0", "'action.u0' must be"),
            ("solve.0.masses=[-4]", "'solve.0.masses' must be above -4, not -4")):
        said = naik("solve", path("refused.yaml"), "--set", change, "--fresh", status=1)
        assert sentence in said, (change, said)


main([configurations_are_generated, two_quarks_are_solved, free_quarks_are_their_fourier_sum, solutions_solve_the_equation_that_the_file_states,
      grids_precisions_and_batches_give_the_same_quarks, a_stopped_run_goes_on_to_the_same_bytes,
      without_mu_quarks_are_wilson_and_clover_quarks, a_word_says_what_a_file_holds, what_would_be_wrong_is_refused],
     needed=[configurations_are_generated, two_quarks_are_solved])
