"""Every number that a wide set of small runs writes, against tests/said/numbers-*.txt: a sign, a weight, a momentum or a time
slice that is another one changes a line, whichever contraction it is in. Two numbers stand for a data set, its norm and a
sum with weights that no symmetry has; NAIK_SAID=write in the environment writes the files anew, and a reader looks why.
"""
import cmath
import collections
import os

import h5py
import numpy as np

from program import main, naik, path

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "said")
RUNS = {}  # by name
RUNS["staggered"] = """
lattice: {size: [4, 4, 4, 6], boundary_t: periodic}
gauge: {file: LAT}
action: {type: asqtad, u0: 0.9}
solver: {tolerance: 1e-11, site_relative_tolerance: 1e-9, inner_precision: double}
solve:
  - {name: pt, masses: [0.3], source: {type: point, origin: [[1, 2, 1, 5]]}, correlators: [pion5, pion05, rhox, rhoy, rhoz, rhox0, rhoy0, rhoz0, GT-GT, G5T-G5T, GYZ-GYZ, G5X-G5X, GX-G1, GT-G5, conserved_vector_x, conserved_vector_t]}
  - {name: corner, masses: [0.3], source: {type: corner_wall, t0: [3]}, correlators: [pion5]}
  - {name: even, masses: [0.3], source: {type: even_wall, t0: [2]}, correlators: [pion5]}
  - {name: eo, masses: [0.3], source: {type: evenandodd_wall, t0: [1], momentum: [1, 0, -1]}, correlators: [pion5, pion05]}
  - {name: em, masses: [0.3], source: {type: evenminusodd_wall, t0: [4]}, correlators: [pion5]}
  - {name: ga, masses: [0.35], source: {type: gaussian, radius: 1.2, origin: [[1, 0, 1, 4]], subset: corner, corner: [1, 0, 0]}}
  - {name: cg, masses: [0.35], source: {type: covariant_gaussian, radius: 1.1, iterations: 4, origin: [[0, 0, 0, 3]]}}
  - {name: rv, masses: [0.5], source: {type: random_volume, seed: 9, noise: z4, dilution: [even_odd]}, correlators: []}
  - {name: rw, masses: [0.5], source: {type: random_wall, seed: 8, noise: u1, t0: [0, 4]}, correlators: [pion5]}
pairs:
  - {name: tw, quark: pt, antiquark: pt, sink: wall}
  - {name: sm, quark: pt, antiquark: pt, sink: covariant_gaussian, radius: 0.9, iterations: 2}
baryons:
  - {name: b, quarks: [eo, eo, eo], operators: [nucleon, delta]}
output: {file: OUT, momenta: [[0, 0, 0], [1, 0, 0], [0, 1, 1]], momentum_weight: cos, condensate: true, loops: [pion5, rhox, conserved_vector_t], propagators: false}
three_point:
  - {name: cur, parent: eo, spectator: eo, insertion: [G1-G1, GX-GX, conserved_vector_y], sink_times: [3], daughter_masses: [0.35], momenta: [[0, 0, 0], [1, 0, -1]], sink_operator: pion05}
"""
RUNS["averages"] = """
lattice: {size: [4, 4, 4, 6], boundary_t: antiperiodic}
gauge: {file: LAT}
action: {type: hisq}
solver: {tolerance: 1e-11, inner_precision: double}
solve:
  - {name: a, masses: [0.4, 0.6], naik_epsilon: [0.1, 0], source: {type: point, origin: [[0, 1, 0, 2], [1, 0, 0, 3]]}, correlators: [pion5, rhoz, GX-G1], deflate: false}
  - {name: b, masses: [0.4], source: {type: point, origin: [[0, 1, 0, 2], [1, 0, 0, 3]]}, correlators: [pion5]}
  - {name: n, masses: [0.5], source: {type: random_volume, noise: gaussian, seed: 3, spacing: 2, hits: 2}, correlators: []}
  - {name: w, masses: [0.4], source: {type: random_wall, noise: z3, seed: 6, t0: [0, 3], subset: odd}, correlators: [pion05]}
pairs:
  - {name: ab, quark: b, antiquark: b}
averages:
  - {name: t, type: truncated_solves, solve: a, tolerance_sloppy: 1e-2, exact_sources: 2, seed: 7}
  - {name: l, type: low_modes, solve: b}
  - {name: k, type: low_modes, solve: n}
deflation: {modes: 6, krylov: 40, file: MODES, tolerance: 1e-6}
output: {file: OUT, momenta: [[0, 0, 0], [1, 0, 0], [0, 1, 1]], loops: [G1-G1, GX-G1], condensate: true, origin: [0, 0, 0, 0], average: true, propagators: false}
"""
RUNS["twisted"] = """
lattice: {size: [4, 4, 4, 6]}
gauge: {file: LAT}
action: {type: naive}
solver: {tolerance: 1e-11, inner_precision: double}
solve:
  - {name: a, masses: [0.4], twist: [0.3, 0, -0.2], source: {type: point, origin: [0, 1, 0, 2]}, correlators: [pion5, rhoz, conserved_vector_x]}
  - {name: b, masses: [0.4], source: {type: point, origin: [0, 1, 0, 2]}}
pairs:
  - {name: ab, quark: a, antiquark: b}
  - {name: ba, quark: b, antiquark: a, sink: wall}
output: {file: OUT, momenta: [[0, 0, 0], [1, 0, 0], [0, 1, 1]], propagators: false}
"""
LOOP = """
lattice: {size: [4, 4, 4, 6]}
gauge: {file: LAT}
action: {type: naive}
solve:
  - {name: n, masses: [0.5], source: {type: random_wall, seed: 3, t0: [1]}, correlators: []}
output: {file: OUT, loops: [%s], propagators: false}
"""
RUNS["loop"] = LOOP % "GX-G1"  # the only operator with links of a run
RUNS["loop-of-current"] = LOOP % "conserved_vector_x"
RUNS["clover"] = """
lattice: {size: [4, 4, 4, 6], boundary_t: antiperiodic}
gauge: {file: LAT}
action: {type: clover, csw: 1.1}
solver: {tolerance: 1e-11, inner_precision: double, method: cg}
solve:
  - {name: pt, kappas: [0.12], source: {type: point, origin: [[1, 2, 1, 5]]}, correlators: [pion, rho_x, rho_y, rho_z, scalar, a0, ps505, a1_x, t_xy, conserved_vector_x, conserved_vector_t]}
  - {name: odd, kappas: [0.11], twist: [0.3, 0, -0.2], source: {type: point, origin: [[0, 1, 0, 2]]}, correlators: [pion, rho_z]}
  - {name: ga, masses: [0.35], source: {type: gaussian, radius: 1.2, origin: [[1, 0, 1, 4]], subset: even}}
  - {name: cg, masses: [0.35], source: {type: covariant_gaussian, radius: 1.1, iterations: 4, origin: [[0, 0, 0, 3]]}}
  - {name: rv, masses: [0.5], source: {type: random_volume, seed: 9, noise: z4, dilution: [even_odd]}, correlators: []}
  - {name: rw, masses: [0.5], source: {type: random_wall, seed: 8, noise: u1, t0: [0, 4]}, correlators: [pion]}
three_point:
  - {name: cur, parent: pt, spectator: pt, insertion: [GX, conserved_vector_x, G5], sink_times: [3], daughter_kappas: [0.115], momenta: [[0, 0, 0], [1, 0, -1]]}
pairs:
  - {name: tw, quark: pt, antiquark: pt, sink: wall}
  - {name: sm, quark: pt, antiquark: pt, sink: covariant_gaussian, radius: 0.9, iterations: 2}
baryons:
  - {name: b, quarks: [pt, pt, pt], operators: [nucleon, delta]}
output: {file: OUT, momenta: [[0, 0, 0], [1, 0, 0], [0, 1, 1]], momentum_weight: cos, condensate: true, loops: [GX, G5, conserved_vector_t], propagators: false}
"""
RUNS["twisted-mass"] = """
lattice: {size: [4, 4, 4, 6], boundary_t: periodic}
gauge: {file: LAT}
action: {type: twisted_mass, mu: 0.2, csw: 0.7}
solver: {tolerance: 1e-11, inner_precision: double, method: bicgstab}
solve:
  - {name: a, kappas: [0.12], source: {type: point, origin: [[0, 1, 0, 2], [1, 0, 0, 3]]}, correlators: [pion, scalar, rho_x, conserved_vector_z]}
  - {name: w, masses: [0.4], source: {type: random_wall, noise: z3, seed: 6, t0: [0, 3], spacing: 2}, correlators: [a1_x, ps505]}
  - {name: n, kappas: [0.11], source: {type: random_volume, noise: gaussian, seed: 3}, correlators: []}
pairs: [{name: aa, quark: a, antiquark: a}]
output: {file: OUT, correlators: [rho_x, conserved_vector_z], momenta: [[0, 0, 0], [1, 0, 0], [0, 1, 1]], loops: [G1, G5, GXY], condensate: true, average: true, propagators: false}
"""
RUNS["places"] = """
lattice: {size: [4, 4, 4, 6], boundary_t: antiperiodic}
gauge: {file: LAT}
action: {type: hisq}
solver: {tolerance: 1e-11, inner_precision: double}
solve:
  - {name: a, masses: [0.4], naik_epsilon: [0.3], source: {type: point, origin: [0, 1, 0, 2], spin_taste: conserved_vector_x}, correlators: [pion5]}
  - {name: b, masses: [0.4], naik_epsilon: [-0.4], source: {type: point, origin: [0, 1, 0, 2], spin_taste: conserved_vector_t}, correlators: [pion5]}
  - {name: em, masses: [0.4], source: {type: evenminusodd_wall, t0: [1, 4]}, correlators: [pion5, rhox]}
  - {name: eo, masses: [0.4], source: {type: evenandodd_wall, t0: [1, 4]}, correlators: [pion5, pion05, GT-G1]}
  - {name: p, masses: [0.5], source: {type: point, origin: [[1, 1, 0, 5], [0, 0, 0, 3]]}, correlators: [pion5, GX-G1]}
  - {name: q, masses: [0.6], source: {type: gaussian, radius: 1.1, origin: [[1, 1, 0, 5], [0, 0, 0, 3]]}, correlators: []}
pairs:
  - {name: w, quark: em, antiquark: eo}
  - {name: pq, quark: p, antiquark: q, sink: covariant_gaussian, radius: 0.8, iterations: 2}
  - {name: qp, quark: p, antiquark: q, sink: covariant_gaussian, radius: 0.9, iterations: 2}
  - {name: qq, quark: q, antiquark: p, sink: covariant_gaussian, radius: 0.9, iterations: 3}
baryons:
  - {name: one, quarks: [em, eo, eo], operators: [nucleon, delta]}
  - {name: two, quarks: [eo, em, em], operators: [nucleon]}
  - {name: three, quarks: [p, q, p], operators: [nucleon]}
output: {file: OUT, momenta: [[0, 0, 0], [0, 0, 1]], average: true, propagators: false}
"""
RUNS["sinks"] = """
lattice: {size: [4, 4, 4, 6], boundary_t: antiperiodic}
gauge: {file: LAT}
action: {type: naive}
solver: {tolerance: 1e-11, inner_precision: double}
solve:
  - {name: p, masses: [0.4], source: {type: point, origin: [1, 2, 1, 5]}, correlators: []}
output: {file: OUT, propagators: false}
three_point:
  - {name: one, parent: p, spectator: p, insertion: [G1-G1, GY-G1], sink_times: [2, 3], daughter_masses: [0.35], sink_operator: GX-G1, sink_momenta: [[0, 0, 0], [0, 1, 0], [1, 0, 0]]}
  - {name: two, parent: p, spectator: p, insertion: [pion5], sink_times: [2], daughter_masses: [0.35], sink_operator: GX-GYZ, sink_momenta: [[1, -1, 0]]}
"""


def numbers(name):
    """Path, norm and a weighted sum of each data set of correlators; and what each says of how it is made, with how many say so."""
    found, made = {}, collections.Counter()

    def take(where, item):
        if isinstance(item, h5py.Dataset) and item.dtype.kind in "fc":
            values = item[...].ravel().astype(complex)
            weights = np.array([cmath.exp(0.7j * k) * (1 + k / 7) for k in range(values.size)])
            total = (weights * values).sum()
            found[where] = (float(np.linalg.norm(values)), total.real, total.imag)
            made.update([item.attrs["definition"]] if "definition" in item.attrs else [])
    with h5py.File(path(name + ".h5")) as f:
        f["corr"].visititems(take)
    return found, [f"= {count} {text}" for text, count in sorted(made.items())]


def run(name):
    lines = {"LAT": "lat.h5", "MODES": "modes.h5", "OUT": name + ".h5"}
    text = RUNS[name]
    for word, file in lines.items():
        text = text.replace("file: " + word, "file: " + path(file))
    with open(path(name + ".yaml"), "w", encoding="utf-8") as f:
        f.write(text)
    naik("solve", path(name + ".yaml"))
    (found, made), file = numbers(name), os.path.join(HERE, f"numbers-{name}.txt")
    if os.environ.get("NAIK_SAID") == "write":
        with open(file, "w", encoding="utf-8") as f:
            f.writelines(f"{where} {norm:.9g} {a:.9g} {b:.9g}\n" for where, (norm, a, b) in sorted(found.items()))
            f.writelines(line + "\n" for line in made)
    with open(file, encoding="utf-8") as f:
        lines = f.read().splitlines()
    wants = {words[0]: [float(word) for word in words[1:]] for words in (line.split() for line in lines) if words[0] != "="}
    texts = [line for line in lines if line.startswith("= ")]
    assert made == texts, sorted(set(made) ^ set(texts))[:6]
    assert set(found) == set(wants), sorted(set(found) ^ set(wants))[:6]
    wrong = [f"{where}: {found[where]} instead of {want}" for where, want in wants.items()
             if np.abs(np.subtract(found[where], want)).max() > 2e-7 * np.abs(want).max() + 1e-11]  # nine digits, solved to 1e-11
    assert not wrong, f"{len(wrong)} of {len(wants)} numbers differ\n" + "\n".join(wrong[:6])


def a_configuration_is_made():
    naik("gauge", "generate", "--size", "4,4,4,6", "--beta", "5.6", "--sweeps", "3", "--seed", "4", "-o", path("lat.h5"))


def numbers_of_staggered_quarks():
    run("staggered")


def numbers_of_averages_and_modes():
    run("averages")


def numbers_of_sources_at_several_places():
    run("places")


def numbers_of_operators_with_links_that_move_at_the_sink():
    run("sinks")


def numbers_under_a_twist():
    run("twisted")


def numbers_of_one_loop():
    run("loop")
    run("loop-of-current")


def numbers_of_clover_quarks():
    run("clover")


def numbers_of_twisted_mass_quarks():
    run("twisted-mass")


main([a_configuration_is_made, numbers_of_staggered_quarks, numbers_of_averages_and_modes, numbers_of_sources_at_several_places,
      numbers_of_operators_with_links_that_move_at_the_sink, numbers_under_a_twist, numbers_of_one_loop, numbers_of_clover_quarks,
      numbers_of_twisted_mass_quarks], needed=[a_configuration_is_made])
