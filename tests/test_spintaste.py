# test_spintaste.py - staggered operators of any spin and taste against another code's numbers, by its labels
# timeout: 200
import itertools
import json
import os

import h5py
import numpy as np

from program import REFERENCE, main, naik, path

LOCAL = ["G5-G5", "G1-G1", "GX-GX", "GY-GY", "GZ-GZ", "GXT-GXT", "GYT-GYT", "GZT-GZT", "GT-GT", "G5T-G5T", "GYZ-GYZ",
         "GZX-GZX", "GXY-GXY", "G5X-G5X", "G5Y-G5Y", "G5Z-G5Z"]
NAMES = dict(zip(LOCAL, ["pion5", "pion05", "rhox", "rhoy", "rhoz", "rhox0", "rhoy0", "rhoz0"]))
MOMENTA = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, -1, 0], [1, 0, 2]]
INPUT = """
lattice:  {size: %s, boundary_t: antiperiodic}
gauge:    {file: %s}
action:   {type: %s}
solver:   {tolerance: 1e-13}
output:   {file: %s, propagators: false, correlators: [%s]}
"""
HISQ = f"""
solve:
  - {{name: zero, masses: [0.05, 0.1], momenta: {MOMENTA}, source: {{type: point, origin: [0, 0, 0, 0]}}}}
  - {{name: off, masses: [0.05, 0.1], naik_epsilon: [0, -0.1], momenta: {MOMENTA}, source: {{type: point, origin: [1, 2, 3, 5]}}}}
  - {{name: origin, masses: [0.05], source: {{type: point, origin: [1, 2, 3, 0]}}}}
pairs:
  - {{name: zeros, quark: zero, antiquark: zero}}
  - {{name: offs, quark: off, antiquark: off}}
"""
ASQTAD = f"""
solve:
  - {{name: walls, masses: [0.05], momenta: {MOMENTA}, source: {{type: corner_wall, t0: [0, 3]}}}}
"""
EIGHT = f"""
solve:
  - {{name: zero, masses: [0.05, 0.1], momenta: {MOMENTA}, source: {{type: point, origin: [0, 0, 0, 0]}}}}
pairs:
  - {{name: zeros, quark: zero, antiquark: zero}}
"""
ENTRIES = {("hisq-point", (0, 0, 0, 0)): "zero", ("hisq-8", (0, 0, 0, 0)): "zero", ("hisq-off", (1, 2, 3, 5)): "off", ("hisq-origin", (1, 2, 3, 0)): "origin",
           ("asqtad-corner", 0): "walls/s0000", ("asqtad-corner", 3): "walls/s0001"}


def solved(name, action, text, ranks, size=(4, 4, 4, 8)):
    gauge = os.path.join(REFERENCE, "lat.sample.l" + "".join(map(str, size)))
    with open(path(name + ".yaml"), "w") as f:
        f.write(INPUT % (list(size), gauge, action, path(name + ".h5"), ", ".join(LOCAL)) + text)
    naik("solve", path(name + ".yaml"), ranks=ranks)
    return h5py.File(path(name + ".h5"))


def numbers(file, name):
    values = file[name][()]
    return values[:, 0] + 1j * values[:, 1] if values.ndim == 2 else values.astype(complex)


def waves(file, entry, meson, momentum):
    """With exp(2 pi i p.y/L); of a density that is real at every site that of -p is the conjugate."""
    opposite = momentum not in MOMENTA
    p = [-k for k in momentum] if opposite else momentum
    values = numbers(file, f"corr/{entry}/m00/{meson}/p{''.join(map(str, p))}")
    return values.conj() if opposite else values


def expected_of(case):
    """The correlator of that case from naik's file, and how: entry and momenta with their weights."""
    source = case["quark"]["source"]
    place = source.get("t0", tuple(source.get("origin", ())))
    return ENTRIES.get((case["set"], place))


def parts_of(case):
    """cos, i sin and exp of each component as sums of exponentials."""
    choices = []
    for p, parity in zip(case["momentum"], case["momentum_parity"]):
        choices.append([(p, 1)] if p == 0 or parity == "EO" else [(p, 0.5), (-p, 0.5 if parity == "E" else -0.5)])
    for chosen in itertools.product(*choices):
        yield [p for p, _ in chosen], np.prod([weight for _, weight in chosen])


def compared(file, sets):
    with open(os.path.join(REFERENCE, "milc_spintaste.json")) as f:
        cases = json.load(f)
    count = 0
    for case in cases:
        spin = case["sink"].split("-")
        local = case["sink"] in NAMES.values() or (len(spin) == 2 and spin[0] == spin[1])
        operators = case["antiquark"]["source_operators"] + case["quark"]["source_operators"]
        entry = expected_of(case)
        masses = case["antiquark"]["mass"], case["quark"]["mass"]
        r0 = case["r_offset"]
        at_source = r0 == case["quark"]["source"].get("origin", [0, 0, 0, r0[3]])
        if case["set"] not in sets or not local or operators or entry is None or not at_source or (masses[0] != masses[1] and entry[0] == "w"):
            continue
        meson = NAMES.get(case["sink"], case["sink"])
        if masses == (0.05, 0.05):
            got = sum(weight * waves(file, entry, meson, p) for p, weight in parts_of(case))
        else:
            quark, antiquark = (0 if mass == 0.05 else 1 for mass in masses[::-1])
            got = numbers(file, f"corr/{entry}s/m{quark:02d}-m{antiquark:02d}/{meson}/p000")
        want = np.array([complex(*c) for c in case["c"]])
        got = np.roll(got, -r0[3])
        bound = 1e-9 * np.abs(want).max() + 1e-13 * np.abs(numbers(file, f"corr/{entry}/m00/pion5/p000")).sum()
        assert np.abs(got - want).max() <= bound, (case["id"], case["sink"], got, want)
        count += 1
    return count


def local_operators_are_those_of_another_code():
    if not REFERENCE:
        return "NAIK_REFERENCE is not set"
    hisq, half = [solved(f"hisq{ranks}", "hisq", HISQ, ranks) for ranks in (1, 2)]
    count = compared(hisq, ("hisq-point", "hisq-off", "hisq-origin"))
    assert count == 93, count
    half.visititems(lambda name, one: None if not name.startswith("corr/") or isinstance(one, h5py.Group) else
                    np.testing.assert_array_equal(one[()], hisq[name][()], name))
    count = compared(solved("asqtad", "asqtad, u0: 1", ASQTAD, 2), ("asqtad-corner",))
    assert count == 54, count
    count = compared(solved("eight", "hisq", EIGHT, 4, (8, 8, 8, 8)), ("hisq-8",))
    assert count == 32, count
    return None


def labels_are_other_words_for_the_same():
    for word, told in (("GX-GXX", "did you mean 'GX-GX'"), ("G5X-GX5", "did you mean 'G5X-G5X'"), ("pion5, G5-G5", "names 'G5-G5' twice")):
        text = "lattice: {size: [4, 4, 4, 4]}\ngauge: {file: none}\naction: {type: naive}\nsolve: [{name: a, masses: [1], source: {type: point, origin: [0, 0, 0, 0]}}]\n"
        with open(path("bad.yaml"), "w") as f:
            f.write(text + f"output: {{file: {path('none.h5')}, correlators: [{word}]}}\n")
        assert told in naik("solve", path("bad.yaml"), status=1), word


main([local_operators_are_those_of_another_code, labels_are_other_words_for_the_same])
