# test_spintaste.py - staggered operators of any spin and taste against another code's numbers, by its labels
# timeout: 300
import itertools
import json
import os

import h5py
import numpy as np

from program import REFERENCE, main, naik, path

NAMES = {"G5-G5": "pion5", "G1-G1": "pion05", "GX-GX": "rhox", "GY-GY": "rhoy", "GZ-GZ": "rhoz", "GXT-GXT": "rhox0",
         "GYT-GYT": "rhoy0", "GZT-GZT": "rhoz0"}
MASSES = [0.05, 0.1]
INPUT = """
lattice:  {size: %s, boundary_t: antiperiodic}
gauge:    {file: %s}
action:   {type: %s}
solver:   {tolerance: 1e-13}
"""


def label_of(case):
    return next((label for label, name in NAMES.items() if name == case["sink"]), case["sink"])


GAMMAS = "G1 GX GY GXY GZ GZX GYZ G5T GT GXT GYT G5Z GZT G5Y G5X G5".split()
LONG = os.environ.get("NAIK_TEST_LONG") == "1"


def links_of(label):
    spin, taste = map(GAMMAS.index, label.split("-"))
    return bin(spin ^ taste).count("1")


def cases_of(name, links, origin):
    """Those of a set with operators that have a label and at most so many links, counted from a source that nothing acts on, or from there."""
    with open(os.path.join(REFERENCE, "milc_spintaste.json")) as f:
        cases = json.load(f)
    for case in cases:
        source, r0 = case["quark"]["source"], case["r_offset"]
        label = label_of(case)
        if case["set"] == name and "-" in label and links_of(label) <= links and not case["antiquark"]["source_operators"] + case["quark"]["source_operators"] \
                and r0 == (origin or source.get("origin", [0, 0, 0, source.get("t0")])):
            yield label, case


def masses_of(case):
    return case["quark"]["mass"], case["antiquark"]["mass"]


def parts_of(case):
    """cos, i sin and exp of each component as sums of exponentials."""
    choices = []
    for p, parity in zip(case["momentum"], case["momentum_parity"]):
        choices.append([(p, 1)] if p == 0 or parity == "EO" else [(p, 0.5), (-p, 0.5 if parity == "E" else -0.5)])
    for chosen in itertools.product(*choices):
        yield [p for p, _ in chosen], np.prod([weight for _, weight in chosen])


def entry(name, source, masses, epsilons, labels, momenta):
    return (f"  - {{name: {name}, masses: {masses}, {epsilons}correlators: [{', '.join(labels)}], momenta: {momenta}, "
            f"source: {{{source}}}}}\n")


def text_of(cases, source, epsilon, origin):
    """At rest of one mass, with momentum, and of two masses: an entry or a pair each."""
    rest, moving, mixed, momenta = ["G5-G5"], [], [], []
    for label, case in cases:
        kind = mixed if len(set(masses_of(case))) > 1 else moving if any(case["momentum"]) else rest
        if label not in kind:
            kind.append(label)
        momenta += [p for p, _ in parts_of(case) if kind is moving and p not in momenta]
    text = "solve:\n" + entry("rest", source, MASSES[:1], "", rest, [[0, 0, 0]])
    if moving:
        text += entry("moving", source, MASSES[:1], "", moving, momenta)
    if mixed:
        text += entry("two", source, MASSES, epsilon, [], [[0, 0, 0]]) + "pairs: [{name: mixed, quark: two, antiquark: two}]\n"
    return text + f"output: {{file: %s, propagators: false, origin: {origin or 'source'}, correlators: [{', '.join(mixed)}]}}\n"


def solved(name, head, text, ranks):
    with open(path(name + ".yaml"), "w") as f:
        f.write(head + text % path(name + ".h5"))
    naik("solve", path(name + ".yaml"), ranks=ranks)
    return h5py.File(path(name + ".h5"))


def numbers(file, name):
    values = file[name][()]
    return values[:, 0] + 1j * values[:, 1] if values.ndim == 2 else values.astype(complex)


def compare(file, cases):
    size = np.abs(numbers(file, "corr/rest/m00/pion5/p000")).sum()
    for label, case in cases:
        meson, masses = NAMES.get(label, label), masses_of(case)
        folder = "rest/m00" if masses[0] == masses[1] else "mixed/" + "-".join(f"m{MASSES.index(m):02d}" for m in masses)
        folder = "moving/m00" if any(case["momentum"]) else folder
        got = sum(weight * numbers(file, f"corr/{folder}/{meson}/p{''.join(map(str, p))}") for p, weight in parts_of(case))
        got = np.roll(got, -case["r_offset"][3])
        want = np.array([complex(*c) for c in case["c"]])
        bound = 1e-9 * np.abs(want).max() + 1e-13 * size
        assert np.abs(got - want).max() <= bound, (case["id"], case["sink"], got, want)


def checked(name, action, size, source, ranks, count, epsilon="", links=4, origin=None):
    gauge = os.path.join(REFERENCE, "lat.sample.l" + "".join(map(str, size)))
    cases = [(label, case) for label, case in cases_of(name, links, origin) if set(masses_of(case)) != {0.1} and
             source in (f"type: point, origin: {case['quark']['source'].get('origin')}", f"type: corner_wall, t0: {case['quark']['source'].get('t0')}")]
    text = text_of(cases, source, epsilon, origin)
    files = [solved(f"{name}{n}", INPUT % (size, gauge, action), text, n) for n in ranks]
    compare(files[0], cases)
    for other in files[1:]:
        other.visititems(lambda name, one: None if not name.startswith("corr/") or isinstance(one, h5py.Group) else
                         np.testing.assert_array_equal(one[()], files[0][name][()], name))
    assert len(cases) == count, len(cases)


def operators_are_those_of_another_code():
    if not REFERENCE:
        return "NAIK_REFERENCE is not set"
    small, point = [4, 4, 4, 8], "type: point, origin: "
    checked("hisq-off", "hisq", small, point + "[1, 2, 3, 5]", (2,), 112, "naik_epsilon: [0, -0.1], ")
    checked("hisq-off", "hisq", small, point + "[1, 2, 3, 5]", (1,), 4, origin=[0, 0, 0, 0])
    checked("asqtad-corner", "asqtad, u0: 1", small, "type: corner_wall, t0: 3", (1, 2) if LONG else (1,), 71)
    if LONG:
        assert operators_at_the_source("at-corner", INPUT % ([4, 4, 4, 8], small, "hisq"), 0.1, "vector-hisq", only=is_wall) == 1
        checked("hisq-point", "hisq", small, point + "[0, 0, 0, 0]", (1, 2), 268)
        checked("hisq-8", "hisq", [8, 8, 8, 8], point + "[0, 0, 0, 0]", (1, 4), 81)
    else:
        checked("hisq-point", "hisq", small, point + "[0, 0, 0, 0]", (1,), 133, links=1)
        checked("hisq-8", "hisq", [8, 8, 8, 8], point + "[0, 0, 0, 0]", (2,), 52, links=1)
    return None


CURRENTS = {f"conserved-{mu}": f"conserved_vector_{mu}" for mu in "xyzt"}


def sign_of(label, r0):
    """What an operator counted from r0 is of the same counted from (0, 0, 0, 0)."""
    zeta, phi, mask = (6, 4, 0, 7), (14, 13, 11, 7), 15  # the coordinates whose sum is the sign, as bits
    spin, taste = map(GAMMAS.index, label.split("-"))
    for mu in range(4):
        mask ^= (phi[mu] if spin >> mu & 1 else 0) ^ (zeta[mu] if (spin ^ taste) >> mu & 1 else 0)
    return (-1) ** sum(r0[mu] for mu in range(4) if mask >> mu & 1)


def end_of(quark):
    """Base source and operator on it, as far as naik has them: an operator of one spin and taste, or a sequential source."""
    ops = quark["source_operators"]
    if [op["op"] for op in ops] == ["ks_inverse", "ext_src_ks"] and ops[1]["label"] == "G5-G5":
        return json.dumps(quark["source"]), f"t0: {ops[1]['t0']}"
    if len(ops) > 1 or ops and ops[0]["op"] != "spin_taste":
        return None
    word = ops[0]["label"] if ops else "G5-G5"
    label = next((label for label, name in NAMES.items() if name == word), word)
    return (json.dumps(quark["source"]), label) if "-" in label else None


def operators_at_the_source(name, head, mass, *sets, ranks=1, only=lambda case: True):
    """Every case of the sets whose ends naik has, at rest and with momentum a file each; how many they were."""
    with open(os.path.join(REFERENCE, "milc_spintaste.json")) as f:
        cases = [case for case in json.load(f) if case["set"] in sets and end_of(case["quark"]) and end_of(case["antiquark"]) and only(case) and
                 ("-" in label_of(case)) and masses_of(case) == (mass, mass)]
    for moving in False, True:
        now = [case for case in cases if any(case["momentum"]) == moving]
        ends = sorted({end_of(case[q]) for case in now for q in ("quark", "antiquark")})
        sinks = sorted({CURRENTS.get(label_of(case), label_of(case)) for case in now})
        momenta = sorted({tuple(p) for case in now for p, _ in parts_of(case)})
        text = "solve:\n"
        for i, (source, operator) in enumerate(ends):
            known = json.loads(source)
            place = f"origin: {known['origin']}" if "origin" in known else f"t0: {known['t0']}"
            what = f"type: {known['type']}, {place}, spin_taste: {operator}"
            if operator.startswith("t0"):
                what = f"type: sequential, {operator}, file: {path(name + '-parent.h5')}, propagator: e, mass: {mass}, insertion: pion05"
                solved(f"{name}-parent", head, f"solve:\n  - {{name: e, masses: [{mass}], source: {{type: {known['type']}, {place}}}}}\noutput: {{file: %s}}\n", 1)
            text += f"  - {{name: e{i}, masses: [{mass}], correlators: [], source: {{{what}}}}}\n"
        pairs = sorted({(ends.index(end_of(case["quark"])), ends.index(end_of(case["antiquark"]))) for case in now})
        text += "pairs:\n" + "".join(f"  - {{name: p{q}-{a}, quark: e{q}, antiquark: e{a}}}\n" for q, a in pairs)
        origin = list(now[0]["r_offset"]) if now else [0, 0, 0, 0]
        text += f"output: {{file: %s, propagators: false, origin: {origin}, correlators: [{', '.join(sinks)}], momenta: {[list(p) for p in momenta]}}}\n"
        if not now:
            continue
        with solved(f"{name}{int(moving)}", head, text, ranks) as file:
            for case in now:
                assert case["r_offset"] == origin
                quark, antiquark = end_of(case["quark"]), end_of(case["antiquark"])
                label = CURRENTS.get(label_of(case), label_of(case))
                folder = f"corr/p{ends.index(quark)}-{ends.index(antiquark)}/m00-m00/{NAMES.get(label, label)}"
                got = sum(weight * numbers(file, f"{folder}/p{''.join(map(str, p))}") for p, weight in parts_of(case))
                for source, operator in (quark, antiquark):
                    place = json.loads(source).get("origin", [0, 0, 0, json.loads(source).get("t0")])
                    got = got * (1 if operator.startswith("t0") else sign_of(operator, place))
                got, want = np.roll(got, -origin[3]), np.array([complex(*c) for c in case["c"]])
                assert np.abs(got - want).max() <= 1e-9 * np.abs(want).max() + 1e-14, (case["id"], case["sink"], got, want)
    return len(cases)


def operators_at_the_source_are_those_of_another_code():
    if not REFERENCE:
        return "NAIK_REFERENCE is not set"
    def is_wall(case):
        return case["quark"]["source"]["type"] == "corner_wall"
    small, large = (os.path.join(REFERENCE, "lat.sample.l" + size) for size in ("4448", "8888"))
    head = INPUT % ([4, 4, 4, 8], small, "hisq")
    assert operators_at_the_source("at-hisq", head, 0.05, "vector-hisq", "conserved-hisq", ranks=2 if LONG else 1, only=lambda case: not is_wall(case)) == 58
    head = INPUT % ([8, 8, 8, 8], large, "asqtad, u0: 0.8696")
    if LONG:
        assert operators_at_the_source("at-8", head, 0.1, "vector-asqtad-8") == 56
    assert operators_at_the_source("at-place", head, 0.1, "conserved-asqtad", ranks=4 if LONG else 1, only=lambda case: LONG or case["sink"] == "conserved-x") == (8 if LONG else 2)
    return None


def labels_are_other_words_for_the_same():
    for word, told in (("GX-GXX", "did you mean 'GX-GX'"), ("G5X-GX5", "did you mean 'G5X-"), ("pion5, G5-G5", "names 'G5-G5' twice"),
                       ("GTX-G1", "did you mean 'GXT-G1'")):
        text = "lattice: {size: [4, 4, 4, 4]}\ngauge: {file: none}\naction: {type: naive}\nsolve: [{name: a, masses: [1], source: {type: point, origin: [0, 0, 0, 0]}}]\n"
        with open(path("bad.yaml"), "w") as f:
            f.write(text + f"output: {{file: {path('none.h5')}, correlators: [{word}]}}\n")
        said = naik("solve", path("bad.yaml"), status=1)
        assert told in said, (word, said)


main([operators_are_those_of_another_code, operators_at_the_source_are_those_of_another_code, labels_are_other_words_for_the_same])
