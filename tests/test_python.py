# test_python.py - python/naik_io.py and its examples, on files that naik has just written
# timeout: 240
import inspect
import os
import re
import shutil
import subprocess
import sys
import types
import warnings

import h5py
import numpy as np

from program import main, naik, path

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python")
sys.path.insert(0, FOLDER)
sys.dont_write_bytecode = True
import naik as naik_package  # noqa: E402
import naik_io  # noqa: E402

INPUT = """
lattice: {{size: [4, 4, 4, 8]}}
gauge: {{file: {lattice}}}
action: {{type: hisq}}
solve:
  - {{name: pt, masses: [0.1, 0.4], naik_epsilon: [0, -0.2],
      source: {{type: point, origin: [[0, 0, 0, 0], [1, 2, 0, 3]]}}}}
  - {{name: wall, masses: [0.2], source: {{type: corner_wall, t0: 0}}}}
output: {{file: {out}, correlators: [pion5, pion05], momenta: [[0, 0, 0], [1, 0, -1], [2, 0, 1]]}}
"""
FILES = [path(f"prop.{i}.h5") for i in range(4)]


def example(name, *words):
    run = subprocess.run([sys.executable, "-B", os.path.join(FOLDER, name), *map(str, words)],
                         capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert name == "effective_mass.py" or re.match(r"#   t [a-z_ ]+\n  0 ", run.stdout), run.stdout
    return [line.split() for line in run.stdout.splitlines() if not line.startswith("#")]


def naik_makes_an_ensemble_of_four():
    for i, out in enumerate(FILES):
        lattice, text = path(f"lat.{i}.h5"), path(f"in.{i}.yaml")
        naik("gauge", "generate", "--size", "4,4,4,8", "--beta", "6", "--seed", i + 1, "--sweeps",
             "10", "-o", lattice)
        with open(text, "w") as f:
            f.write(INPUT.format(lattice=lattice, out=out))
        naik("solve", text)


def a_file_opens_with_its_sources_solves_and_histories():
    with naik_io.open(FILES[0]) as f:
        assert f.complete and f.size == (4, 4, 4, 8), f.size
        assert [(s.label, s.type, s.origin, s.masses) for s in f.sources] == [
            ("pt/s0000", "point", (0, 0, 0, 0), 2), ("pt/s0001", "point", (1, 2, 0, 3), 2),
            ("wall", "corner_wall", (0, 0, 0, 0), 1)], f.sources
        assert "name: wall" in f.input_text
        solves = f.solves
        assert len(solves) == 15 and all(f.state(s) == naik_io.DONE for s in solves)
        for s in solves:
            assert f.rung(s) in ("single", "half"), f.rung(s)  # half on a GPU
            history = f.history(s)
            assert len(history) == s["history_count"] and history[-1] <= s["target"], history[-1]


def correlators_are_printed_as_text_that_numpy_reads():
    said = naik("info", FILES[0], "--correlators")
    heads = [dict(word.split("=", 1) for word in line[2:].split() if "=" in word) | {"meson": line.split()[1]}
             for line in said.splitlines() if line.startswith("# ")]
    with open(path("corr.txt"), "w") as f:
        f.write(said)
    values = np.loadtxt(path("corr.txt")).reshape(len(heads), 8, 3)
    assert len(heads) == 5 * 2 * 3 and (values[:, :, 0] == np.arange(8)).all(), heads
    assert all(head["momentum"] != "0,0,0" or (value[:, 2] == 0).all() for head, value in zip(heads, values))
    with naik_io.open(FILES[0]) as f:
        for head, value in zip(heads, values):
            set_name, _, number = head["source"].partition("/s")
            mass = {"0.1": 0, "0.4": 1, "0.2": 0}[head["mass"]]
            momentum = tuple(int(k) for k in head["momentum"].split(","))
            stored = f.correlator(set_name, mass, int(number or 0), head["meson"], momentum)
            assert (value[:, 1] + 1j * value[:, 2] == stored).all(), head
            assert head["naik_epsilon"] == ("-0.2" if head["mass"] == "0.4" else "0"), head
    assert said.count("\n\n\n") == len(heads), "two empty lines behind each"


def a_damaged_correlator_is_left_out_with_exit_status_4():
    copy = path("damaged.h5")
    shutil.copy(FILES[0], copy)
    with h5py.File(copy, "r+") as f:
        f["corr/wall/m00/pion5/p000"][3] *= 1.5
    said = naik("info", copy, "--correlators", status=4)
    assert "is damaged, and what disagrees was left out" in said and said.count("# ") == 29, said
    assert "goes with no other option" in naik("info", copy, "--correlators", "--json", status=1)


def propagators_are_read_slice_by_slice_and_solve_their_source():
    with naik_io.open(FILES[0]) as f:
        g = f.propagator(1, mass=1)
        assert g.shape == (3, 8, 4, 4, 4) and g[0, 5].shape == (4, 4, 4, 3)
        assert g[0, 5].dtype == np.complex128
        # |G|^2 of each time slice is the stored correlator of that source
        c = np.array([sum((abs(g[a, t]) ** 2).sum() for a in range(3)) for t in range(8)])
        assert np.allclose(c, f.correlator("pt", 1, source=1), rtol=1e-13), c
        t, z, y, x = np.indices((8, 4, 4, 4))
        x0 = f._source("pt", 1).origin
        x, y, z, t = (a - b for a, b in zip((x, y, z, t), x0))
        weight = np.exp(2j * np.pi * (x - z) / 4) * (-1.0) ** (x + y + z + t)
        c = (abs(g[...]) ** 2 * weight[None, ..., None]).sum((0, 2, 3, 4, 5))
        stored = f.correlator("pt", 1, 1, "pion05", (1, 0, -1))
        assert np.allclose(c, stored, atol=1e-13 * abs(stored).max()), (c, stored)
        assert f.correlator("pt", 1, 1, "pion05", (2, 0, 1)).shape == (8,)


def wrong_requests_are_answered_with_what_there_is():
    with naik_io.open(FILES[0]) as f:
        for call, told in ((lambda: f.correlator("pd"), "sets: ['pt', 'wall']"),
                           (lambda: f.correlator("pt", momentum=(3, 0, 0)), "it has pion05/p000, pion05/p10-1, pion05/p201, pion5"),
                           (lambda: f.correlator("wall", meson="rho"), "no correlator rho/p000"),
                           (lambda: f.propagator(3), "no source 3"),
                           (lambda: f.propagator(0, 2), "mass number 2"),
                           (lambda: f.correlator("pt", 0.0), "no mass number 0.0: the masses of an entry and the sources of a file count from 0; find takes values and names"),
                           (lambda: f.correlator("pt", "pion5"), "no mass number pion5"),
                           (lambda: f.propagator("pt"), "no source number pt"), (lambda: f.mass("pt"), "no source number pt")):
            try:
                call()
                raise AssertionError(f"nothing raised for {told}")
            except LookupError as error:
                assert told in str(error), error
        found = f.find("pt", "pion5", f.mass(1, 1))
        assert repr(f) == f"<naik.io.File {FILES[0]}>"
    assert repr(f) == f"<naik.io.File {FILES[0]}, closed>"
    with naik_io.open(FILES[0]) as opened:
        for call, told in ((lambda: opened.values(found), "give one Correlator, of the list that find gives, and not [Correlator("),
                           (lambda: opened.from_source("pt"), "give one Correlator, of the list that find gives, and not 'pt'"),
                           (lambda: f.correlator("pt"), f"{FILES[0]} is closed: read from it inside of `with`")):
            try:
                call()
                raise AssertionError(f"nothing raised for {told}")
            except ValueError as error:
                assert told in str(error), error
    try:
        naik_io.open(path("lat.0.h5"))
        raise AssertionError("a configuration opened as propagators")
    except ValueError as error:
        assert "no propagator file of naik" in str(error)
    for name, told in (("in.0.yaml", "in.0.yaml cannot be opened as HDF5"), ("nothing.h5", "there is no file")):
        try:
            naik_io.open(path(name))
            raise AssertionError(f"{name} opened")
        except OSError as error:
            assert told in str(error), error


def help_says_what_every_public_name_is():
    for module in naik_package, naik_package.io:
        for name, what in vars(module).items():
            if not name.startswith("_") and (inspect.isclass(what) or inspect.isfunction(what)):
                members = [(f"{name}.{k}", v) for k, v in vars(what).items() if not k.startswith("_") and isinstance(v, (types.FunctionType, property))]
                for word, one in [(name, what), *members]:
                    assert one.__doc__ and not one.__doc__.startswith(name + "("), word  # namedtuple lists its fields


def what_missed_its_tolerance_comes_with_a_warning():
    with open(path("limit.yaml"), "w") as f:
        f.write(INPUT.format(lattice=path("lat.0.h5"), out=path("limit.h5")))
    naik("solve", path("limit.yaml"), "--set", "solver.max_iterations=60", "--set", "output.correlators=[]", status=3)
    with naik_io.open(path("limit.h5")) as f, warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        f.propagator(0, 1)
        assert not told, told[0].message
        f.propagator(0, 0)
        missed = [f"{r['true_residual']:.1e}" for r in sorted(f.solves, key=lambda r: -r["true_residual"]) if (r["source"], r["mass"]) == (0, 0)]
        assert [w.category for w in told] == [naik_io.NotConverged] and str(told[0].message).endswith(f"residual {missed[0]}"), (told, missed)
        assert missed[0] != missed[-1], missed
        try:
            f.correlator("pt", 1)
            raise AssertionError("a correlator that was not asked for")
        except LookupError as error:
            assert "stores no correlators" in str(error), error


def effective_mass_finds_the_mass_of_a_cosh():
    t = np.arange(16)
    c = 3 * np.cosh(0.7 * (t - 8))
    assert np.allclose(naik_io.effective_mass(c)[1:], 0.7, rtol=1e-12)
    falling = naik_io.falling_mass([-8, -2, -1, 0.5, 4])  # both signs alike have a mass, across a change of sign is none
    assert np.allclose(falling[[0, 1, 3]], np.log([4, 2, 0.125]), rtol=1e-12) and np.isnan(falling[[2, 4]]).all(), falling
    assert naik_io.jackknife([[1, 2], [3, 8]])[1].tolist() == [1, 3]
    try:
        naik_io.jackknife([c])
        raise AssertionError("an error of one configuration")
    except ValueError as error:
        assert "two configurations or more" in str(error), error
    rows = example("effective_mass.py", FILES[0])
    assert len(rows) == 5 * 6 * 8 and rows[1][:5] == ["pt/s0000/m00/pion5/p000", "mass", "0.1", "t", "1"], rows[:2]
    with naik_io.open(FILES[0]) as f:
        m = naik_io.effective_mass(np.roll(f.correlator("pt", 0, 1), -3))  # from the source on
    got = [float(r[-1]) for r in rows if r[0] == "pt/s0001/m00/pion5/p000"]
    assert np.allclose(got, m, atol=1e-6, equal_nan=True), (got, m)
    assert len(example("effective_mass.py", FILES[0], "s0001", "pion05/p000")) == 2 * 8
    refuses("no correlator with nothing in its path", "effective_mass.py", FILES[0], "nothing")


def contraction_of_a_propagator_with_itself_is_the_stored_pion():
    with naik_io.open(FILES[0]) as f:
        stored = f.correlator("pt", 1, 0)
        a, b = f.propagator(0, 0)[...], f.propagator(0, 1)[...]
    got = np.array(example("contraction.py", FILES[0], 0, 1, 1), dtype=float)
    assert np.allclose(got[:, 1], stored, rtol=1e-13), got
    got = np.array(example("contraction.py", FILES[0], 0, 0, 1), dtype=float)
    kaon = np.einsum("ctzyxs,ctzyxs->t", a, b.conj())
    assert np.allclose(got[:, 1] + 1j * got[:, 2], kaon, rtol=1e-13), got


def ensemble_average_has_jackknife_errors():
    samples = []
    for name in FILES:
        with naik_io.open(name) as f:
            samples.append((f.correlator("pt", 0, 0) + np.roll(f.correlator("pt", 0, 1), -3)) / 2)
    samples = np.array(samples)
    got = np.array(example("ensemble_average.py", "pt", 0.1, *FILES), dtype=float)
    assert np.allclose(got[:, 1], samples.mean(0), rtol=1e-8)
    # of a mean, the jackknife gives the usual error
    assert np.allclose(got[:, 2], samples.std(0, ddof=1) / 2, rtol=1e-2)
    m = naik_io.effective_mass(samples.mean(0))
    assert np.allclose(got[:, 3], m, atol=1e-6, equal_nan=True) and np.isfinite(got[2, 4])


def quarks_with_spin_are_read_by_the_module_and_its_examples():
    files = [path(f"clover.{i}.h5") for i in range(3)]
    text = INPUT[:INPUT.index("action:")] + """action: {{type: clover, csw: 1.1}}
solve:
  - {{name: pt, kappas: [0.12, 0.11], source: {{type: point, origin: [[0, 0, 0, 0], [1, 2, 0, 3]]}}}}
solver: {{tolerance: 1e-8}}
output: {{file: {out}, correlators: [pion, rho_x]}}
"""
    for i, out in enumerate(files):
        with open(path("clover.yaml"), "w") as f:
            f.write(text.format(lattice=path(f"lat.{i}.h5"), out=out))
        naik("solve", path("clover.yaml"))
    samples = []
    for name in files:
        with naik_io.open(name) as f:
            assert f.has_spin and f.verify() == "" and f.physics("pt")["action.csw"] == "1.1"
            assert f.correlator("pt", meson="rho_x").dtype == complex
            samples.append((f.correlator("pt", 0, 0) + np.roll(f.correlator("pt", 0, 1), -3)) / 2)
    with naik_io.open(FILES[0]) as f:
        assert not f.has_spin
    with naik_io.open(files[0]) as f:
        a, b, stored = f.propagator(1, 0)[...], f.propagator(1, 1)[...], f.correlator("pt", 0, 1)
        mass = float(f.mass(0, 0))
    assert a.shape == (4, 3, 8, 4, 4, 4, 4, 3), a.shape
    got = np.array(example("contraction.py", files[0], 1, 0, 0), dtype=float)
    assert np.allclose(got[:, 1], stored, rtol=1e-13), got
    got = np.array(example("contraction.py", files[0], 1, 0, 1), dtype=float)
    assert np.allclose(got[:, 1] + 1j * got[:, 2], np.einsum("kctzyxsd,kctzyxsd->t", a, b.conj()), rtol=1e-13), got
    lines = example("effective_mass.py", files[0], "pion")
    assert len(lines) == 2 * 2 * 8 and np.allclose([float(line[8]) for line in lines[16:24]], np.roll(stored, -3), rtol=1e-8), lines
    assert lines[16][1:3] == ["kappa", "0.12"], lines[16]
    assert len(example("effective_mass.py", files[0])) == 2 * 2 * 2 * 8
    got = np.array(example("ensemble_average.py", "pt", "kappa=0.12", *files), dtype=float)
    assert np.allclose(got[:, 1], np.mean(samples, 0), rtol=1e-8), got
    got = np.array(example("ensemble_average.py", "pt", repr(mass), "--correlator", "rho_x", *files), dtype=float)
    rho = []
    for name in files:
        with naik_io.open(name) as f:
            rho.append((f.correlator("pt", meson="rho_x") + np.roll(f.correlator("pt", source=1, meson="rho_x"), -3)).real / 2)
    assert np.allclose(got[:, 1], np.mean(rho, 0), rtol=1e-8), got


def examples_without_their_words_say_which():
    for name in ("effective_mass.py", "contraction.py", "ensemble_average.py"):
        run = subprocess.run([sys.executable, "-B", os.path.join(FOLDER, name)], capture_output=True, text=True)
        assert run.returncode == 1 and f"{name} " in run.stderr and "Traceback" not in run.stderr, run.stderr


def examples_say_what_is_wrong_in_a_sentence():
    for words, sentence in ((["effective_mass.py", path("lat.0.h5")], "no propagator file"),
                            (["effective_mass.py", path("none.h5")], "there is no file"),
                            (["contraction.py", FILES[0], 0, 0, 9], "no source 0 with mass number 9"),
                            (["ensemble_average.py", "other", 0.1, *FILES[:2]], "other"),
                            (["ensemble_average.py", "pt", 7, *FILES[:2]], "has no mass 7.0 in pt; it has 0.1, 0.4"),
                            (["ensemble_average.py", "pt", "light", *FILES[:2]], "not 'light'")):
        run = subprocess.run([sys.executable, "-B", os.path.join(FOLDER, words[0]), *map(str, words[1:])],
                             capture_output=True, text=True)
        assert run.returncode == 1 and run.stderr.startswith(words[0] + ": "), run
        assert sentence in run.stderr and run.stderr.count("\n") == 1, run


def refuses(sentence, name, *words):
    run = subprocess.run([sys.executable, "-B", os.path.join(FOLDER, name), *map(str, words)],
                         capture_output=True, text=True)
    assert run.returncode == 1 and sentence in run.stderr and run.stderr.count("\n") == 1 and not run.stdout, run


def ensemble_average_refuses_what_does_not_belong_together():
    def average(sentence, second, mass=0.1, name="pt"):
        refuses(sentence, "ensemble_average.py", name, mass, FILES[0], second)

    def other(name, *words, text=INPUT):
        with open(path("other.yaml"), "w") as f:
            f.write(text.format(lattice=path("lat.1.h5"), out=path(name)))
        naik("solve", path("other.yaml"), *(word for key in words for word in ("--set", key)))
        return path(name)

    average("of one configuration, which counts once", FILES[0])
    os.symlink(FILES[0], path("again.h5"))
    average("of one configuration, which counts once", path("again.h5"))
    refuses("of one configuration, which counts once", "ensemble_average.py", "pt", 0.1, *FILES[:2], path("again.h5"))
    naik("gauge", "convert", path("lat.0.h5"), path("lat.0.nersc"), "--to", "nersc-3x3")
    average("of one configuration, which counts once", other("format.h5", "gauge.file=" + path("lat.0.nersc")))
    line, early = "plaquette 1 2 (suma/sumb 3 4) links 5 6", "plaquette 1 2 (suma/sumb 3 4)"
    for one, same in ((line, True), (early, True), ("plaquette 1 2 (nersc 7 0) links 5 6", True), (line[:-1] + "7", False),
                      ("plaquette 1 2 (nersc 7 0)", False), ("plaquette 1 2 (suma/sumb 3 5)", False)):
        assert naik_io.same_links(line, one) == naik_io.same_links(one, line) == same, one
    # masses in another order are found by their value
    turned = other("turned.h5", "solve.0.masses=[0.4, 0.1]", "solve.0.naik_epsilon=[-0.2, 0]")
    for mass in (0.1, 0.4):
        assert example("ensemble_average.py", "pt", mass, FILES[0], turned) == \
            example("ensemble_average.py", "pt", mass, *FILES[:2])
    average("has no mass 0.1 in pt; it has 0.11, 0.4", other("m.h5", "solve.0.masses=[0.11, 0.4]"))
    average("differ in naik_epsilon: 0.1 and 0.0", other("e.h5", "solve.0.naik_epsilon=[0.1, -0.2]"))
    average("differ in action.type: asqtad and hisq",
            other("a.h5", "action.type=asqtad", "action.u0=0.9", text=INPUT.replace("naik_epsilon: [0, -0.2],", "")))
    average("differ in lattice.boundary_t: periodic and antiperiodic", other("b.h5", "lattice.boundary_t=periodic"))
    average("differ in source: even_wall", other("w.h5", "solve.1.source.type=even_wall"), 0.2, "wall")
    naik("gauge", "generate", "--size", "4,4,8,8", "--beta", "6", "--seed", 9, "--sweeps", "2", "-o", path("lat.x.h5"))
    average("differ in extents: 4x4x8x8 and 4x4x4x8",
            other("x.h5", "lattice.size=[4, 4, 8, 8]", f"gauge.file={path('lat.x.h5')}"))


def edited_and_damaged_files_are_refused():
    def edit(change, sentence):
        shutil.copyfile(FILES[1], path("edited.h5"))
        with h5py.File(path("edited.h5"), "r+") as f:
            change(f)
        refuses(sentence, "effective_mass.py", path("edited.h5"))
        refuses(sentence, "ensemble_average.py", "pt", 0.1, FILES[0], path("edited.h5"))

    def new_mass(f):
        f["corr/pt/s0000/m00"].attrs.modify("mass", 0.11)

    def new_number(f):
        f["corr/pt/s0000/m00/pion5/p000"][3] *= 1 + 1e-15

    def new_colour(f):
        f["corr/pt/s0001/m01/per_colour"][2, 0, 0, 5] += 1e-9

    def new_record(f):
        record = f["solves"][4]
        record["iterations"] += 1
        f["solves"][4] = record

    def new_type(f):  # one that numpy lacks
        h5py.h5a.create(f.id, b"note", h5py.h5t.UNIX_D32LE, h5py.h5s.create(h5py.h5s.SCALAR))

    def new_link(f):
        f["metadata/note"] = h5py.SoftLink("/nowhere")

    for change, sentence in ((new_type, "is damaged: "), (new_link, "is damaged: "),
                             (new_mass, "is damaged or was edited"), (new_number, "correlators of pt/s0000, mass 0.1"),
                             (lambda f: f["prop/s0000/source"].attrs.create("note", 1), "is damaged or was edited"),
                             (new_colour, "correlators of pt/s0001, mass 0.4"), (new_record, "a record of a solve")):
        edit(change, sentence)
    # without that checksum, it is said that nothing was compared
    shutil.copyfile(FILES[1], path("unsealed.h5"))
    with h5py.File(path("unsealed.h5"), "r+") as f:
        del f.attrs["metadata_crc"]
    run = subprocess.run([sys.executable, "-B", os.path.join(FOLDER, "effective_mass.py"), path("unsealed.h5")],
                         capture_output=True, text=True)
    assert run.returncode == 0 and "not verified: attributes and texts" in run.stderr, run
    for name, state in (("longer.h5", "complete"), ("begun.h5", "incomplete")):
        shutil.copyfile(FILES[1], path(name))
        with h5py.File(path(name), "r+") as f:
            f.attrs["state"] = state.encode()
        with open(path(name), "ab") as f:
            f.write(b"junk")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        naik_io.open(path("longer.h5")).close()
        naik_io.open(path("begun.h5")).close()  # whoever writes it has not told HDF5 yet where it ends
        naik_io.open(FILES[1]).close()
    assert ["longer.h5 has 4 bytes behind its end" in str(w.message) for w in told] == [True], told
    with naik_io.open(FILES[1]) as f:
        assert f.verify() == "" and f.mass(1, 1) == 0.4 and f.mass_number("pt", 0.4) == f.mass_number("pt", 0.4, -0.2) == 1
        try:
            other = f.mass_number("pt", 0.4, 0)
        except LookupError as error:
            other = str(error)
        assert "has no mass 0.4 with naik_epsilon 0 in pt; it has 0.1 with naik_epsilon 0.0, 0.4 with naik_epsilon -0.2" in str(other), other


def texts_in_attributes_are_of_type_str():
    """In version 1.1 of the files; those of 1.0, where they have a fixed length, are read and continued."""
    texts = set()

    def of_one(name, item):
        texts.update((name, key) for key, value in item.attrs.items() if isinstance(value, str))
        wrong = [(name, key) for key, value in item.attrs.items() if isinstance(value, bytes)]
        assert not wrong, wrong

    for file in (FILES[0], path("lat.0.h5")):
        with h5py.File(file) as f:
            of_one("/", f)
            f.visititems(of_one)
    assert {("/", "format"), ("/", "state"), ("prop/s0000/m00", "action"), ("gauge", "link_kind")} <= texts, texts

    def to_fixed(name, item):
        for key, value in list(item.attrs.items()):
            if isinstance(value, str):
                item.attrs.create(key, np.bytes_(value.encode()), dtype=h5py.string_dtype("utf-8", len(value) + 1))

    shutil.copyfile(FILES[0], path("fixed.h5"))
    with h5py.File(path("fixed.h5"), "r+") as f:
        f.attrs["format_version"] = "1.0"
        to_fixed("/", f)
        f.visititems(to_fixed)
        seal = naik_io._seal(f)
        f.attrs.create("metadata_crc", np.bytes_(seal.encode()), dtype=h5py.string_dtype("utf-8", 9))
    assert "attributes_intact: true" in naik("info", path("fixed.h5"))
    with naik_io.open(path("fixed.h5")) as f, naik_io.open(FILES[0]) as g:
        assert f.verify() == "" and np.array_equal(f.correlator("pt", 0), g.correlator("pt", 0))
    before = open(path("fixed.h5"), "rb").read()
    with open(path("fixed.yaml"), "w") as f:
        f.write(INPUT.format(lattice=path("lat.0.h5"), out=path("fixed.h5")))
    naik("solve", path("fixed.yaml"), "--skip-complete")
    assert open(path("fixed.h5"), "rb").read() == before


def an_unfinished_file_says_what_is_not_solved_yet():
    out, text = path("part.h5"), path("part.yaml")
    with open(text, "w") as f:
        f.write(INPUT.format(lattice=path("lat.0.h5"), out=out))
    naik("solve", text, "--set", "solver.batch=1", env={"NAIK_INJECT": "kill:write:4"}, status=None)
    with naik_io.open(out + ".part") as f:
        assert not f.complete
        assert f.correlator("pt").shape == (8,) and np.abs(f.propagator(0)[0, 0]).max() > 0
        try:
            f.correlator("wall")
            raise AssertionError("a correlator that was not made")
        except naik_io.NotSolved as error:
            assert "not solved yet" in str(error)


main([naik_makes_an_ensemble_of_four, a_file_opens_with_its_sources_solves_and_histories,
      correlators_are_printed_as_text_that_numpy_reads, a_damaged_correlator_is_left_out_with_exit_status_4,
      propagators_are_read_slice_by_slice_and_solve_their_source,
      wrong_requests_are_answered_with_what_there_is, help_says_what_every_public_name_is, what_missed_its_tolerance_comes_with_a_warning, effective_mass_finds_the_mass_of_a_cosh,
      contraction_of_a_propagator_with_itself_is_the_stored_pion,
      ensemble_average_has_jackknife_errors, quarks_with_spin_are_read_by_the_module_and_its_examples, examples_without_their_words_say_which, examples_say_what_is_wrong_in_a_sentence,
      ensemble_average_refuses_what_does_not_belong_together, edited_and_damaged_files_are_refused,
      texts_in_attributes_are_of_type_str,
      an_unfinished_file_says_what_is_not_solved_yet])
