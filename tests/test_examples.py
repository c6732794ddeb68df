# test_examples.py - every command, input and line of Python of doc/example-*.md, on a small lattice
# timeout: 600
import glob
import os
import re
import sys
import warnings

import h5py
import numpy as np

from program import SCRATCH, main, naik, path

TOP = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.path.insert(0, os.path.join(TOP, "tools"))
import examples

SMALL = {"8, 8, 8, 16": "4, 4, 4, 16", "8,8,8,16": "4,4,4,16", "--sweeps 100": "--sweeps 10"}
SHOWN = set()


def small(text):
    for large, little in SMALL.items():
        text = text.replace(large, little)
    return text


def inputs_are_there():
    os.makedirs(path("inputs"), exist_ok=True)
    for name in glob.glob(os.path.join(TOP, "inputs", "*.yaml")):
        with open(name, encoding="utf-8") as f, open(path("inputs/" + os.path.basename(name)), "w") as g:
            g.write(small(f.read()))


def run(name):
    """The page from its first line to its last; what its Python has made."""
    text = examples.page(name)
    used = re.findall(r"naik solve (inputs/\S+)", text)
    sources = [open(os.path.join(TOP, u), encoding="utf-8").read() for u in used]
    SHOWN.update(used)
    for part in examples.blocks(text, "yaml"):  # what the page shows of the inputs is in them
        for item in re.split(r"\n(?=\S)", "\n" + part.rstrip("\n")):
            assert any(item.strip("\n") in source for source in sources), item
    os.chdir(SCRATCH)
    for words in examples.commands(small(examples.prepared(text))):
        naik(*words, cwd=SCRATCH)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = examples.python(text)
    assert not examples.plotting() or os.path.getsize(examples.picture(text)) > 5000
    return made


def low_modes_shorten_the_solves_and_change_no_correlator():
    made = run("deflated")
    assert made["pion"].shape == (2, 16) and np.all(made["pion"] > 0)
    naik("solve", "inputs/deflated-campaign.yaml", "--set", "gauge.config=100", "--set", "deflation={modes: 0}", "--set",
         "output.file=plain.h5", "--set", "solve.0.source.t0=[0, 4]", cwd=SCRATCH)
    deflated, plain = made["runs"][0], made["naik"].io.open(path("plain.h5"))
    for k in (0, 1):
        a, b = deflated.correlator("light", source=k), plain.correlator("light", source=k)
        assert np.abs(a - b).max() < 1e-7 * np.abs(b).max(), k
    counts = [f.solves["iterations"][:6].mean() for f in (deflated, plain)]
    assert 2 * counts[0] < counts[1], counts


def vectors_of_a_decay_have_their_ward_identity():
    made = run("three-point")
    assert float(re.search("Ward identity: (.*)", made["said"])[1]) < 1e-6, made["said"]
    assert all(made["current"](c, T, p).shape == (16,) for c in ("G1-G1", "conserved_vector_x") for T in (6, 8) for p in made["light"])
    with h5py.File(path("three-point-stored.h5")) as f:
        assert f["/corr/current/s0000/m00-m00/pion05/p000"].shape == (16,)
    told = naik("report", "three-point.h5", cwd=SCRATCH)
    with open(path("three-point.html"), encoding="utf-8") as f:
        told = f.read()
    assert "decay/T06_p110/m00-m00-m00: daughter decay+m00/s0004 of mass 0.1, parent heavy of mass 0.5, spectator light" in told and "conserved_vector_t, p = (-1, -1, 0)" in told


def averages_of_vectors_agree_and_every_mass_is_known():
    made = run("gm2")
    local, f = made["local"], made["f"]
    assert np.abs(local("all_sites", "low modes") + local("all_sites", "rest") - local("all_sites")).max() < 1e-15
    assert np.abs(local("corrected", "sloppy mean") + local("corrected", "correction") - local("corrected")).max() < 1e-15
    apart = np.abs(local("all_sites") - local("corrected"))
    assert np.all(apart < 5 * (local("all_sites", "standard error") + local("corrected", "standard error"))), apart
    ratio = (made["conserved"] / made["one_link"])[:2]
    assert np.all((1 < ratio) & (ratio < 2)), ratio
    assert {f.mass(s.index) for s in f.sources} == {0.01}  # of `plain` and `current` too, which have no correlators and no propagators
    naik("report", "gm2.h5", cwd=SCRATCH)
    with open(path("gm2.html"), encoding="utf-8") as page:
        told = page.read()
    assert "all_sites/m00: few of mass 0.01" in told and "mass 0<" not in told and "bytes, predicted" not in told and '<td class="n">0.01</td>' in told
    small, large = (re.findall(r"name: (\w+)", open(os.path.join(TOP, "inputs", name), encoding="utf-8").read())
                    for name in ("gm2.yaml", "gm2-32x48.yaml"))
    assert small == large
    noise, low = map(float, re.search(r"noise alone (\S+) with low modes (\S+)", made["said"]).groups())
    assert made["L"].shape == (3, 8, 16) and low < noise / 1.2, (noise, low)
    means = [made["g"].values(made["g"].find("loops", i, quantity="loop mean")[0]) for i in made["currents"]]
    assert np.abs(made["L"].mean(1) - means).max() < 1e-13 * np.abs(means).max()


def a_whole_twist_is_a_momentum_of_the_lattice():
    made = run("twisted")
    assert float(made["said"]) < 1e-9
    assert made["pion"][0][0] > made["pion"][0.5][0] > made["pion"][1][0] > 0


def stored_propagators_take_no_iteration():
    made = run("stored")
    assert made["said"].split() == ["0"]
    light, strange, kaon = made["f"].correlator("light"), made["f"].correlator("strange"), made["kaon"]
    assert np.all(kaon ** 2 <= light * strange * (1 + 1e-12)), "Cauchy and Schwarz"


def walls_are_in_coulomb_gauge():
    made = run("walls")
    assert "warning" not in naik("solve", "inputs/coulomb-walls.yaml", "--dry-run", "--set", "output.file=again.h5",
                                 cwd=SCRATCH)
    assert "fixed to Coulomb gauge" in naik("gauge", "check", path("coulomb.h5"))
    assert all(np.all(c[:4] > 0) for c in made["kaon"].values())


def the_clover_pion_is_the_largest():
    made = run("clover")
    assert np.all(np.abs(made["rho"]) <= made["pion"]) and made["nucleon"].shape == (16,)


def a_light_clover_quark_is_solved_by_multigrid():
    naik("gauge", "generate", "--size", "4,4,4,8", "--beta", 5.7, "--seed", 2, "--sweeps", 8, "-o", path("light.h5"))
    said = naik("solve", "inputs/light-clover.yaml", "--set", "lattice.size=[4, 4, 4, 8]", "--set", "gauge.file=light.h5", cwd=SCRATCH)
    assert said.count("multigrid start") == 1, said  # for both kappas
    told = naik("info", "light-clover.h5", cwd=SCRATCH)
    assert told.count("stop_reason=converged by multigrid") == 24 and told.count("multigrid=mass=") == 2, told


def the_epsilon_of_the_page_makes_a_free_quark_relativistic():
    run("heavy")
    text, am = examples.page("heavy"), 0.6
    terms = re.search(r"epsilon = (.*)", text).group(1)
    series = eval(re.sub(r"(\d+)/(\d+) \(am\)\^(\d)", r"\1/\2*am**\3", terms))
    assert abs(series - float(re.search(r"naik_epsilon: \[0, (\S+)\]", text).group(1))) < 5e-5

    def speed(eps):
        low, high = 0.0, 0.9
        for _ in range(60):
            e = (low + high) / 2
            low, high = (e, high) if (9 + eps) / 8 * np.sinh(e) - (1 + eps) / 24 * np.sinh(3 * e) < am else (low, e)
        return e, e / (am * ((9 + eps) / 8 * np.cosh(e) - (1 + eps) / 8 * np.cosh(3 * e)))

    assert f"{speed(0)[1]:.3f}" in text and f"is {speed(0)[1]:.3f} without epsilon and {speed(series)[1]:.3f} with" in text
    # and the program's free quark at rest has that energy: unit links, a wall at momentum 0
    naik("gauge", "generate", "--size", "4,4,4,48", "--beta", 6, "--sweeps", 0, "-o", path("unit.h5"))
    naik("solve", "inputs/heavy-quark.yaml", "--set", "gauge.file=unit.h5", "--set", "output.file=free.h5", "--set",
         "solve.0.source={type: evenandodd_wall, t0: 0}", "--set", "lattice.size=[4, 4, 4, 48]", cwd=SCRATCH)
    import naik_io
    with naik_io.open(path("free.h5")) as f:
        for number, eps in enumerate((0, series)):
            c = f.correlator("charm", number).real
            rate = np.log(c[10] / c[12]) / 4
            assert abs(rate - speed(eps)[0]) < 2e-4, (eps, rate, speed(eps))


def every_page_is_run_and_linked():
    names = [f"example-{name}.md" for name in examples.names()]
    assert len(names) == 8
    for place in ("README.md", "doc/README.md"):
        with open(os.path.join(TOP, place), encoding="utf-8") as f:
            text = f.read()
        assert all(name in text for name in names) or place == "README.md" and "doc/README.md" in text, place
    for source in SHOWN:
        with open(os.path.join(TOP, source), encoding="utf-8") as f:
            assert re.search(r"doc/example-\w", f.read()), source


if __name__ == "__main__":
    inputs_are_there()
    main([low_modes_shorten_the_solves_and_change_no_correlator, vectors_of_a_decay_have_their_ward_identity,
          averages_of_vectors_agree_and_every_mass_is_known,
          a_whole_twist_is_a_momentum_of_the_lattice, stored_propagators_take_no_iteration,
          walls_are_in_coulomb_gauge, the_clover_pion_is_the_largest, a_light_clover_quark_is_solved_by_multigrid,
          the_epsilon_of_the_page_makes_a_free_quark_relativistic, every_page_is_run_and_linked])
