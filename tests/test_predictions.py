"""What is foreseen of a run, key by key: plans of runs on machines that are not here, against tests/said/predictions.txt. A line
of this file is a number or a word of a plan; under each key stand the lines that the key changes. All of it follows from
the input and the figures of the model, without a measurement; NAIK_SAID=write in the environment writes the file anew.
"""
import json
import os
import re

from program import SCRATCH, kept, main, naik, path

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "said", "predictions.txt")
LIGHT = """
lattice: {size: [32, 32, 32, 64]}
gauge: {file: none.lat}
action: {type: hisq}
solve:
  - {name: a, masses: [0.05, 0.002], naik_epsilon: [-0.1, 0], source: {type: random_wall, seed: 5, t0: [0, 8, 16, 24]}}
  - {name: b, masses: [0.01], source: {type: point, origin: [[0, 0, 0, 0], [1, 1, 1, 8]]}}
output: {file: none-prop.h5, correlators: []}
"""
SPIN = """
lattice: {size: [32, 32, 32, 64]}
gauge: {file: none.lat}
action: {type: clover, csw: 1.2}
solve:
  - {name: a, kappas: [0.135, 0.13], source: {type: point, origin: [[0, 0, 0, 0], [4, 4, 4, 8]]}}
  - {name: b, kappas: [0.136], source: {type: random_wall, seed: 5, t0: [0, 8]}}
output: {file: none-prop.h5, correlators: []}
"""
MODES = "deflation={modes: 200, file: none-modes.h5}"
AUTO = "deflation={modes: auto, file: none-modes.h5}"
LIGHTER = " solve.0.masses=[0.001, 0.0005] solve.0.source.t0=[" + ", ".join(map(str, range(0, 64, 4))) + "]"  # so many sources that modes pay
# So many sources that the time to ask for, rounded up to ten minutes, shows what is foreseen at the most.
MANY = "lattice.size=[64, 64, 64, 96] solve.%d.source.spacing=8"
PAIR = "three_point=[{name: t, parent: b, spectator: b, insertion: [%s], sink_times: [8, 12], daughter_masses: [0.02]}]"
ONE = "solve=[{name: b, masses: [0.01], source: {type: point, origin: [0, 0, 0, 0]}}]"
LIGHT_KEYS = ["lattice.size=[64, 64, 64, 96]", "lattice.size=[48, 32, 32, 64]", ONE, "action={type: asqtad, u0: 0.9} " + ONE, "action.type=naive " + ONE,
              "solver.tolerance=1e-6", "solver.inner_precision=double", "solver.inner_precision=single",
              "solver.inner_precision=half", "solver.batch=1", "solver.batch=5",
              "run.groups=2", "run.groups=auto",
              "solve.1.masses=[0.01, 0.02, 0.03]", "solve.1.source.origin=[0, 0, 0, 0]", "solve.1.tolerance=1e-5", "solve.1.source={type: funnywall1, t0: [0]}",
              "solve.0.source.dilution=[even_odd]", "solve.0.source.spacing=4", "output.precision=32", "output.propagators=false output.correlators=[pion5]",
              "output.correlators=[pion5, GX-G1]", "output.correlators=[conserved_vector_x]", "output.loops=[G1-G1]", "output.condensate=true", MODES,
              MODES + " deflation.precision=16", MODES + " deflation.krylov=600", MODES + " deflation.again=1e-6", "deflation={modes: auto, file: none-modes.h5}",
              MODES + " solve.0.deflate=false", MODES + " run.groups=2", MODES + " run.groups=auto", MODES + " output.correlators=[pion5] averages=[{type: low_modes, name: l, solve: b}]",
              "output.correlators=[pion5] averages=[{type: truncated_solves, name: s, solve: b, tolerance_sloppy: 1e-3, exact_sources: 2}]", PAIR % "G1-G1", PAIR % "conserved_vector_t",
              MODES + " lattice.size=[64, 64, 64, 96]", "deflation={modes: auto, file: none-modes.h5} lattice.size=[64, 64, 64, 96]", MODES + " solver.inner_precision=double",
              MODES + " solver.multishift=on solve.1.masses=[0.01, 0.012, 0.014]", "solver.multishift=on solve.1.masses=[0.01, 0.012, 0.014]", "solver.multishift=off solve.1.masses=[0.01, 0.012, 0.014]",
              "solver.multishift=on solve.0.masses=[0.05, 0.052, 0.054] solve.0.naik_epsilon=[0, 0, 0] solve.1.masses=[0.01, 0.012] solve.1.source.origin=[0, 0, 0, 0]",
              "run.groups=2 solver.batch=1", "run.groups=8 lattice.size=[16, 16, 16, 32]", "output.baryons=[nucleon]", "solve.1.source.spin_taste=conserved_vector_x", "solve.1.source.colours=[1]",
              "pairs=[{name: p, quark: b, antiquark: b, sink: covariant_gaussian, radius: 2, iterations: 4}] output.correlators=[pion5]",
              "output.momenta=[[0, 0, 0], [1, 0, 0]] output.correlators=[pion5]", "solve.0.twist=[0.1, 0, 0]",
              AUTO + LIGHTER, AUTO + LIGHTER + " deflation.krylov=400", AUTO + LIGHTER + " solve.0.deflate=false", AUTO + LIGHTER + " solve.0.source.dilution=[even_odd]",
              AUTO + LIGHTER + " lattice.size=[48, 48, 48, 96]", AUTO + LIGHTER + " run.groups=2", AUTO + LIGHTER + " solve.1.source.origin=[0, 0, 0, 0]",
              AUTO + " output.correlators=[pion5] averages=[{type: low_modes, name: l, solve: b}]", AUTO + LIGHTER + " solver.tolerance=1e-6",
              MANY % 0, MANY % 0 + " run.groups=2", MANY % 0 + " " + MODES]
SPIN_KEYS = ["lattice.size=[48, 48, 48, 96]", "action={type: wilson}", "action={type: twisted_mass, mu: 0.01}", "solver.tolerance=1e-6", "solver.batch=1", "solver.method=cg",
             "solver.method=bicgstab", "solver.method=multigrid", "solver.inner_precision=double", "solver.inner_precision=half", "solver.link_numbers=12",
             "solver.link_numbers=8", "run.groups=2", "run.groups=auto", "output.precision=32", "output.propagators=false output.correlators=[pion]",
             "output.correlators=[pion, rho_x]", "output.correlators=[conserved_vector_t]", "output.baryons=[nucleon]", "output.loops=[GX]",
             "solver.method=multigrid multigrid.vectors=30", "solver.method=multigrid multigrid.aggregate=[8, 8, 8, 8]", "solver.method=multigrid multigrid.precision=32",
             "solver.method=multigrid multigrid.cycles=6", "solver.method=multigrid multigrid.start=40", "solver.method=multigrid multigrid.smoother=4",
             "solver.method=multigrid multigrid.coarse_space=64", "solver.method=multigrid multigrid.coarse_tolerance=0.01",
             "solver.method=multigrid multigrid.restart=8", "solver.method=multigrid run.groups=2", PAIR % "GX", PAIR % "conserved_vector_t",
             "solver.method=multigrid multigrid.file=none-grid.h5", "solver.method=multigrid output.propagators=false output.correlators=[pion]",
             "lattice.size=[64, 64, 64, 128]", "solver.method=multigrid lattice.size=[64, 64, 64, 128]", "solver.method=multigrid run.groups=auto", "solver.method=cg solver.inner_precision=half",
             "solver.method=multigrid solver.batch=1", "solver.method=multigrid solver.batch=14", "solver.method=multigrid run.transport=staged", "solver.method=multigrid solver.tolerance=1e-6", "solve.1.source.dilution=[even_odd] output.loops=[GX]", "solve.1.source.spacing=2", "solve.0.twist=[0.1, 0, 0]",
             "baryons=[{name: n, quarks: [a, a, a], operators: [nucleon]}]", "action={type: wilson} solver.link_numbers=8",
             MANY % 1 + " solver.method=bicgstab", MANY % 1 + " solver.method=multigrid", MANY % 1 + " solver.method=auto"]


def leaves(item, where=""):
    """Every number and word of a plan, by its place."""
    inside = item.items() if isinstance(item, dict) else enumerate(item) if isinstance(item, list) else None
    if inside is None:
        return {where: f"{item:.7g}" if isinstance(item, float) else str(item)}
    found = {}
    for key, value in inside:
        found.update(leaves(value, f"{where}/{key}"))
    return found


def plan(file, machine, words):
    sets = [word for key in re.split(r" (?=[a-z_]+[.=])", words) if key for word in ("--set", key)]
    said = naik("solve", file, "--dry-run", "--machine", machine, "--nodes", "4", "--json", *sets, cwd=SCRATCH)  # the length of its path is in the output
    return leaves(json.loads(next(line for line in said.splitlines() if line.startswith("{"))))


def lines_of(file, machine, keys):
    base = plan(file, machine, "")
    lines = [f"{file} on {machine}"] + [f"  {where} {value}" for where, value in base.items()]
    for key in keys:
        now = plan(file, machine, key)
        lines.append(f"{file} {key}")
        lines += [f"  {where} {value}" for where, value in now.items() if base.get(where) != value]
        lines += [f"  without {where}" for where in base if where not in now]
    return lines


def alike(line, want):
    """Equal but for a unit of the sixth digit of a number."""
    if line == want:
        return True
    (a, _, x), (b, _, y) = line.rpartition(" "), want.rpartition(" ")
    try:
        return a == b and abs(float(x) - float(y)) <= 1e-6 * abs(float(y))
    except ValueError:
        return False


def every_key_changes_what_it_should_of_a_plan():
    said = []
    for file, text, machine, keys in ("light.yaml", LIGHT, "perlmutter", LIGHT_KEYS), ("spin.yaml", SPIN, "h200", SPIN_KEYS):
        with open(path(file), "w", encoding="utf-8") as f:
            f.write(text)
        said += lines_of(file, machine, keys)
    wrong, wants = kept(FILE, said, alike)
    assert not wrong and len(said) == len(wants), f"{len(said)} lines, {len(wants)} expected; {len(wrong)} differ\n" + "\n".join(wrong[:6])


main([every_key_changes_what_it_should_of_a_plan])
