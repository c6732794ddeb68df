# test_twist.py - twisted boundaries in space as a user runs them
#
# `solve[].twist` must give the solutions of links that were multiplied by phases outside, and leave
# what is beside it alone. The free field is in test_free_field.py, the links in test_smear.c.
# timeout: 120
import h5py
import numpy as np

from foreign_readers import usqcd_pairs
from gauge_writers import openqcd_bytes
from program import main, naik, path

SIZE = (8, 4, 4, 4)  # x, y, z, t
TWIST = (0.5, -1.25, 0.3)
INPUT = """
lattice: {size: [8, 4, 4, 4]}
gauge: {file: %s, reunitarise: false, on_mismatch: warn}
action: %s
solve: %s
solver: {tolerance: 1e-12}
output: {file: %s}
"""
PLAIN = "{name: pt, masses: [0.4, 0.5], source: {type: point, origin: [1, 2, 3, 0]}}"
TWISTED = PLAIN.replace("name: pt", "name: tw, twist: [0.5, -1.25, 0.3]")
ACTIONS = {"naive": "{type: naive}", "hisq": "{type: hisq}", "clover": "{type: clover, csw: 1.1}"}


def solve(name, entries, *more, action="hisq", gauge="lat.h5", tail="", **options):
    with open(path(name + ".yaml"), "w") as f:
        f.write(INPUT % (path(gauge), ACTIONS[action], "".join("\n  - " + e for e in entries) + tail, path(name + ".h5")))
    return naik("solve", path(name + ".yaml"), *more, **options)


def propagator(name, number, mass=0):
    with h5py.File(path(name + ".h5")) as f:
        return f[f"/prop/s{number:04d}/m{mass:02d}"][...]


def a_configuration_is_made_and_multiplied_by_phases():
    naik("gauge", "generate", "--size", "8,4,4,4", "--beta", "5.5", "--seed", "7", "--sweeps", "4", "-o", path("lat.h5"))
    with h5py.File(path("lat.h5")) as f:
        u = f["/gauge"][...]
    for mu in range(3):
        u[..., mu, :, :] *= np.exp(2j * np.pi * TWIST[mu] / SIZE[mu])
    with open(path("phases"), "wb") as f:
        f.write(openqcd_bytes(u))


def twisted_quarks_are_those_of_links_times_phases():
    for action in ACTIONS:
        solve(f"beside-{action}", [PLAIN, TWISTED], action=action)
        solve(f"phases-{action}", [PLAIN], action=action, gauge="phases")
        for mass in range(2):
            expected = propagator(f"phases-{action}", 0, mass)
            got = propagator(f"beside-{action}", 1, mass)
            far = np.linalg.norm(propagator(f"beside-{action}", 0, mass) - expected) / np.linalg.norm(expected)
            near = np.linalg.norm(got - expected) / np.linalg.norm(expected)
            assert near < 1e-10 and far > 0.1, (action, mass, near, far)


def each_has_the_bits_that_it_has_alone_and_on_two_ranks():
    solve("alone", [PLAIN])
    solve("alone-twisted", [TWISTED], ranks=2)
    solve("zero", [PLAIN.replace("name: pt", "name: pt, twist: [0, 0, 0]")])
    for mass in range(2):
        assert np.array_equal(propagator("alone", 0, mass), propagator("beside-hisq", 0, mass))
        assert np.array_equal(propagator("alone", 0, mass), propagator("zero", 0, mass))
        assert np.array_equal(propagator("alone-twisted", 0, mass), propagator("beside-hisq", 1, mass))


def a_pair_carries_the_difference_and_says_so():
    solve("pair", [PLAIN, TWISTED], tail="\npairs:\n  - {name: pi, quark: tw, antiquark: pt}")
    g, a = propagator("pair", 1), propagator("pair", 0, 1)
    with h5py.File(path("pair.h5")) as f:
        c = f["/corr/pi/m00-m01/pion5/p000"]
        assert np.abs(c[...] - (g * a.conj()).sum(axis=(0, 2, 3, 4, 5))).max() < 1e-10
        assert np.allclose(c.attrs["twist"], TWIST) and "antiquark_twist" not in c.attrs
        assert np.allclose(f["/prop/s0001/m00"].attrs["twist"], TWIST) and "twist" not in f["/prop/s0000/m00"].attrs
    text = naik("info", path("pair.h5"), "--correlators")
    assert text.count("# pion5 source=tw mass=0.4 naik_epsilon=0 twist=0.5,-1.25,0.3 antiquark=pt") == 2, text
    fnal = naik("info", path("pair.h5"), "--correlators=fnal")
    assert "quark_twist:                  0.5,-1.25,0.3" in fnal, fnal
    assert naik("info", path("pair.h5")).count("0.5,-1.25,0.3") >= 6
    naik("report", path("pair.h5"), "-o", path("pair.html"))
    with open(path("pair.html")) as f:
        assert "twist 0.5,-1.25,0.3" in f.read()
    said = naik("info", path("pair.h5"), "--residuals")
    assert "other links" not in said
    naik("info", path("beside-clover.h5"), "--residuals")


def another_twist_is_another_answer():
    said = solve("beside-hisq", [PLAIN, TWISTED.replace("0.3", "0.4")], status=1)
    assert "twist" in said, said
    guess = TWISTED.replace("source:", f"guess: {path('beside-hisq.h5')}, source:")
    said = solve("guess", [guess])
    assert "0 iterations" in said or " 0 iter" in said, said
    said = solve("guess-other", [guess.replace("0.3", "0.4")], status=1)
    assert "no solutions of the source of solve.0 ('tw') at [1, 2, 3, 0] with its twist" in said, said


def sources_with_links_are_those_without_a_twist():
    """As export writes them: the same bytes, which links times phases change."""
    for kind in "covariant_gaussian, origin: [1, 2, 3, 0], radius: 1.5, iterations: 3", "funnywall1, t0: 1", "funnywall2, t0: 1":
        found = []
        for name, gauge, twist in ("src-plain", "lat.h5", ""), ("src-twisted", "lat.h5", "twist: [0.5, -1.25, 0.3], "), ("src-phases", "phases", ""):
            solve(name, [f"{{name: a, masses: [0.5], {twist}source: {{type: {kind}}}}}"], "--fresh", "--set", "solver.tolerance=1e-2", gauge=gauge)
            naik("export", path(name + ".h5"), "-o", path(name + ".scidac"), "--force")
            with open(path(name + ".scidac"), "rb") as f:
                found.append(np.asarray(usqcd_pairs(f.read())[0]))
        assert found[0].any() and found[0].tobytes() == found[1].tobytes() and not np.allclose(found[0], found[2]), kind


def low_modes_are_of_untwisted_links():
    deflated = "\ndeflation: {modes: 8, file: " + path("modes.h5") + "}"
    said = solve("deflated", [PLAIN, TWISTED], "--dry-run", tail=deflated, status=1)
    assert "'solve.1.twist': the low modes of deflation are those of links without a twist" in said, said
    solve("deflated", [PLAIN, TWISTED.replace("source:", "deflate: false, source:")], tail=deflated)
    assert np.allclose(propagator("deflated", 1), propagator("beside-hisq", 1), atol=1e-9)


main([a_configuration_is_made_and_multiplied_by_phases, twisted_quarks_are_those_of_links_times_phases,
      each_has_the_bits_that_it_has_alone_and_on_two_ranks, a_pair_carries_the_difference_and_says_so,
      another_twist_is_another_answer, sources_with_links_are_those_without_a_twist, low_modes_are_of_untwisted_links])
