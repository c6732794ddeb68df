"""naik solve with several masses of one source, from one Krylov space and apart."""
import os
import re
import signal

import h5py
import numpy as np

from program import everything, go_on, held, holding, main, naik, path, same, start, stopped

INPUT = """
lattice:  {size: [8, 4, 4, 8], boundary_t: antiperiodic}
gauge:    {file: %s}
action:   {type: hisq}
solve:
  - name: pt
    masses: [0.12, 0.1, 0.15, 0.2, 0.11]
    naik_epsilon: [0, 0, 0, -0.1, 0]
    source: {type: point, origin: [[0, 0, 0, 0], [1, 0, 2, 2]]}
  - name: rw
    masses: [0.1, 0.12]
    source: {type: random_wall, t0: 1, noise: z2, seed: 5}
  - {name: lone, masses: [0.12], source: {type: point, origin: [0, 1, 1, 3]}}
solver:   {tolerance: 1e-9, multishift: %s}
output:   {file: %s}
"""


def solved(name, how, *more, **options):
    with open(path(name + ".yaml"), "w") as f:
        f.write(INPUT % (path("lat.h5"), how, path(name + ".h5")))
    return naik("solve", path(name + ".yaml"), *more, **options)


def a_configuration_is_generated():
    naik("gauge", "generate", "--size", "8,4,4,8", "--beta", "5.8", "--seed", "12", "--sweeps", "5",
         "-o", path("lat.h5"))


def shared_solves_have_the_same_bytes_on_every_grid_and_batch():
    said = solved("on", "on")
    assert "multishift=on" in said, said
    runs = [(1, {"OMP_NUM_THREADS": "2"}, 1), (4, {"NAIK_GRID": "2x1x1x2"}, 4)]
    for ranks, env, batch in runs:
        solved("again", "on", "--set", f"solver.batch={batch}", ranks=ranks, env=env)
        same(everything("on.h5"), everything("again.h5"))
        os.remove(path("again.h5"))


def shared_solves_agree_with_separate_ones_within_the_tolerance():
    said = solved("off", "off")
    assert "multishift=off" in said, said
    with h5py.File(path("on.h5")) as on, h5py.File(path("off.h5")) as off:
        shared = on["solves"][...]
        for table in (shared, off["solves"][...]):
            assert (table["true_residual"] <= 1e-9).all(), table
            # an iteration on a site of a parity takes 30 of a mass that another one carries along, up to the last few
            carried = (table is shared) & (table["source"] < 2) & np.isin(table["mass"], [0, 2, 4])
            each = table["flops"] / (512 * table["iterations"])
            assert (each[~carried] == 2376).all() and ((each[carried] >= 30) & (each[carried] < 100)).all(), each
        for s in range(3):
            for m in range(5 if s < 2 else 2):
                a, b = (f[f"prop/s{s:04d}/m{m:02d}"][...] for f in (on, off))
                distance = np.linalg.norm(a - b) / np.linalg.norm(b)
                assert distance < 1e-7, (s, m, distance)
                # the lone mass with its own links and the source on both parities are not shared
                assert (a == b).all() == (s == 2 or m == 3), (s, m, distance)


def the_whole_lattice_may_decide():
    # Sources on one parity and on both, masses together and apart; the parity's tolerance asks for nothing.
    for how in ("on", "off"):
        solved("whole", how, "--set", "solver.tolerance=1", "--set", "solver.tolerance_full=1e-7")
        with h5py.File(path("whole.h5")) as f:
            table = f["solves"][...]
            assert (table["state"] == table["state"][0]).all() and (table["source_residual"] <= 1e-7).all(), table
            assert (table["source_residual"] > 1e-9).all(), table
        assert "residual" in naik("info", path("whole.h5"), "--residuals")
        os.remove(path("whole.h5"))


def a_stopped_run_continues_to_the_same_bytes():
    solved("usr1", "on", "--dry-run")
    stopped("solve", path("usr1.yaml"), "--set", "solver.batch=2")
    said = naik("solve", path("usr1.yaml"))
    assert "resuming:" in said, said
    same(everything("on.h5"), everything("usr1.h5"))


def a_killed_run_continues_to_the_same_bytes():
    solved("kill", "on", "--dry-run")
    run = start("solve", path("kill.yaml"), env=holding("solve 4/"))
    assert held(run)  # the bases of the first sources are on disk
    os.killpg(run.pid, signal.SIGKILL)
    run.communicate()
    go_on()
    said = naik("solve", path("kill.yaml"), "--set", "solver.multishift=off")  # a begun file keeps its choice
    assert "multishift=off first=mass, but the output was begun otherwise" in said, said
    assert re.search("These choices hold for the whole output \(doc/output.md\): .* multishift=on", said), said
    same(everything("on.h5"), everything("kill.h5"))


def the_choice_follows_the_masses():
    near, far = "[0.01, 0.011, 0.012, 0.013, 0.014, 0.015]", "[0.01, 0.2]"
    modes = "--set", f"deflation={{modes: 8, krylov: 40, file: {path('modes.h5')}}}"
    for masses, choice, *more in (near, "on"), (far, "off"), (near, "off", *modes):
        said = solved("auto", "auto", "--dry-run", "--set", f"solve.0.masses={masses}", "--set",
                      f"solve.0.naik_epsilon=[{', '.join('0' * len(masses.split(',')))}]", *more)
        assert f"multishift={choice}" in said, said
    said = solved("auto", "off", "--dry-run", "--set", "solver.inner_precision=single")
    told = [float(m) for m in re.findall(r"0\.\d+", re.search("begin on the rung .storage precision. (.*)", said)[1])]
    assert told == [0.2, 0.15, 0.12, 0.11, 0.1], said  # each mass once, though two entries have it


def the_log_tells_what_each_mass_costs_where_the_rule_decides():
    for masses, shares in (([0.1, 0.11, 0.12, 0.13, 0.14, 0.15, 0.16], True), ([0.01, 0.5], False), ([0.01, 0.04], False)):
        said = solved("cost", "auto", "--dry-run", "--set", f"solve.0.masses={masses}", "--set",
                      "solve.0.naik_epsilon=" + str([0] * len(masses)), "--set", "solver.inner_precision=double", "--set", "solve.1.masses=[0.1]")
        line = re.search(r"the masses of pt (.*)\. They cost as much as (\S+) solves of the lightest mass separately, and (\S+) from one Krylov space \(mass (.*)\)", said)
        assert line, said
        parts = [[float(x) for x in re.split(": | and ", part)] for part in line[4].split(", ")]
        assert [p[0] for p in parts] == masses and parts[0][1] == 1, parts
        for k in (1, 2):
            assert abs(sum(p[k] for p in parts) - float(line[k + 1])) < 0.01 * len(parts), said
        assert all(a[1] > b[1] and b[2] < 1 for a, b in zip(parts, parts[1:])), parts  # heavier is cheaper
        assert line[1] == ("from one Krylov space" if shares else "separately"), said
        assert (float(line[3]) < 0.9 * float(line[2])) == shares == ("multishift=on" in said), said
    masses = [round(0.1 * i, 1) for i in range(1, 18)]  # more than are told
    said = solved("cost", "auto", "--dry-run", "--set", f"solve.0.masses={masses}", "--set", f"solve.0.naik_epsilon={[0] * 17}")
    assert re.search(r", 1\.6: [\d.]+ and [\d.]+, \.\.\.\)$", said, flags=re.M), said


main([a_configuration_is_generated, shared_solves_have_the_same_bytes_on_every_grid_and_batch,
      shared_solves_agree_with_separate_ones_within_the_tolerance, a_stopped_run_continues_to_the_same_bytes,
      a_killed_run_continues_to_the_same_bytes, the_whole_lattice_may_decide, the_choice_follows_the_masses,
      the_log_tells_what_each_mass_costs_where_the_rule_decides],
     needed=[a_configuration_is_generated, shared_solves_have_the_same_bytes_on_every_grid_and_batch])
