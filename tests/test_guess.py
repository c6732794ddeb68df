"""solve[].guess: stored propagators as starting values, and contracted as they are."""
import os
import re

import h5py
import numpy as np

from gauge_writers import TMLQCD_HEAD, field_records, file_record, tmlqcd_columns, tmlqcd_residual
from program import LONG, everything, flipped, main, naik, path, same, twin, twin_of_a_solve

INPUT = """
lattice:  {size: [4, 4, 8, 8], boundary_t: antiperiodic}
gauge:    {file: %s}
action:   {type: hisq}
solve:
  - name: pt
    masses: [0.05, 0.1]
    source: {type: point, origin: [[0, 0, 0, 0], [1, 0, 2, 2]]}
  - name: rw
    masses: [0.05]
    source: {type: random_wall, t0: 1, noise: z2, seed: 5}
solver:   {tolerance: 1e-10}
output:   {file: %s}
"""
CLOVER = """
lattice:  {size: [4, 4, 8, 8], boundary_t: antiperiodic}
gauge:    {file: %s}
action:   {type: clover, csw: 1.1}
solve:
  - name: pt
    kappas: [0.125, 0.12]
    source: {type: point, origin: [[0, 0, 0, 0], [1, 0, 2, 2]]}
solver:   {tolerance: 1e-10}
output:   {file: %s, correlators: [pion]}
"""
GUESS = ("--set", "solve.0.guess=" + path("loose.h5"), "--set", "solve.1.guess=" + path("loose.h5"))


def rest(said):
    """The residual that the log gives for a guess that naik multiplied by a factor."""
    return float(re.search("writes M; residual then ([-+0-9.e]+)", said)[1])


def solved(name, *more, text=INPUT, **options):
    with open(path(name + ".yaml"), "w", encoding="utf-8") as f:
        f.write(text % (path("lat.h5"), path(name + ".h5")))
    return naik("solve", path(name + ".yaml"), *more, **options)


def table(name):
    with h5py.File(path(name + ".h5")) as f:
        return f["solves"][...]


def configurations_are_generated():
    for name, seed, size in (("lat.h5", "12", "4,4,8,8"), ("other.h5", "13", "4,4,8,8"), ("small.lat", "14", "4,4,4,8")):
        naik("gauge", "generate", "--size", size, "--beta", "5.8", "--seed", seed, "--sweeps", "5",
             "-o", path(name))


def a_loose_solve_spares_the_next_its_iterations():
    solved("loose", "--set", "solver.tolerance=1e-4")
    solved("plain")
    said = solved("guessed", *GUESS)
    loose, plain, guessed = table("loose"), table("plain"), table("guessed")
    assert (guessed["true_residual"] <= 1e-10).all(), guessed
    for a, b, c in zip(plain["iterations"], guessed["iterations"], loose["iterations"]):
        assert b < a - 0.3 * c, (a, b, c)  # a new Krylov space knows nothing of the old one
    line = re.search("guesses: (.*) solves took (.*) iterations from starting values that had taken (.*); without starting values "
                     "they would have taken about ([0-9]+)", said)
    assert line, said
    told = list(map(int, line.groups()))
    assert told[:3] == [15, guessed["iterations"].sum(), loose["iterations"].sum()], said
    assert abs(told[3] / plain["iterations"].sum() - 1) < 0.2, (told, plain["iterations"].sum())
    with h5py.File(path("plain.h5")) as a, h5py.File(path("guessed.h5")) as b:
        for name in ("prop/s0000/m00", "prop/s0001/m01", "prop/s0002/m00"):
            x, y = a[name][...], b[name][...]
            assert 0 < np.linalg.norm(x - y) < 1e-8 * np.linalg.norm(x), name
    naik("info", path("guessed.h5"), "--residuals")


def stored_propagators_are_contracted_without_an_iteration():
    """Correlators that the run which made them did not ask for."""
    asked = ("--set", "output.correlators=[pion5, rhoz]", "--set", "output.momenta=[[0,0,0],[1,0,0]]", "--set",
             "output.baryons=[nucleon]")
    for name, of, bits, tolerance in (("all", "plain", 64, 1e-10), ("short", "plain32", 32, 1e-5)):
        if bits == 32:
            solved(of, "--set", "output.precision=32")
            pairs = re.findall(r"source_residual=(\S+) stored=(\S+)", naik("info", path("plain32.h5"), "--residuals"))
            assert len(pairs) > 3 and all(found != stored for found, stored in pairs), pairs  # of what is in the file
        solved(name, *asked, "--set", "solve.0.guess=" + path(of + ".h5"), "--set", "solve.1.guess=" + path(of + ".h5"),
               "--set", f"solver.tolerance={tolerance}")
        assert (table(name)["iterations"] == 0).all() and (table(name)["true_residual"] <= tolerance).all(), table(name)
    solved("direct", *asked)
    with h5py.File(path("all.h5")) as all64, h5py.File(path("short.h5")) as all32, h5py.File(path("direct.h5")) as f:
        for name in ("pt/s0001/m01/pion5/p000", "pt/s0000/m00/rhoz/p100", "rw/m00/pion5/p000", "pt/s0000/m00/nucleon"):
            c = f["corr"][name][...]
            for other, precision in ((all64, 1e-8), (all32, 1e-4)):
                assert np.abs(other["corr"][name][...] - c).max() <= precision * np.abs(c).max(), (name, precision)


def entries_that_share_a_source_are_told_apart():
    """By mass, Naik epsilon and solved colours; of two solutions of the same the better one is taken."""
    entry = "{name: %s, masses: [%s], %ssource: {type: point, origin: [0, 0, 0, 0]%s}}"

    def entries(*of):
        return "solve=[" + ", ".join(entry % one for one in of) + "]"

    light, heavy, mixed = ("a", 0.05, "", ""), ("b", 0.1, "", ""), ("c", 0.1, "naik_epsilon: [-0.1], ", "")
    coarse, red = ("d", 0.1, "tolerance: 1e-3, ", ""), ("e", 0.2, "", ", colours: [2]")
    solved("several", "--set", entries(coarse, light, heavy, mixed, red), "--set", "output.correlators=[]")
    solved("anew", "--set", entries(*(one[:2] + (f"guess: {path('several.h5')}, " + one[2], one[3])
                                      for one in (light, heavy, mixed, red))),
           "--set", "output.correlators=[]")
    assert (table("anew")["iterations"] == 0).all() and (table("anew")["true_residual"] <= 1e-10).all(), table("anew")
    with h5py.File(path("several.h5")) as a, h5py.File(path("anew.h5")) as b:
        for k in range(4):
            assert (a[f"prop/s{k + 1:04d}/m00"][...] == b[f"prop/s{k:04d}/m00"][...]).all(), k
    one = ("f", 0.1, f"guess: {path('several.h5')}, ", ", colours: [1]")
    solved("one", "--set", entries(one), "--set", "output.correlators=[]")  # of all colours
    assert table("one")["iterations"].sum() == 0, table("one")
    told = solved("refused", "--set", entries(("e", 0.2, f"guess: {path('several.h5')}, ", "")), status=1)
    assert "but not with mass 0.2 and colour 0" in told, told


def parts_of_noise_are_told_apart():
    """Fields, and their parts on other sites, have one place: each begins from its own solutions."""
    noise = ("[{name: n, masses: [0.5], %ssource: {type: random_volume, seed: 3, hits: 2, dilution: [time, even_odd], colours: [1]}}, "
             "{name: w, masses: [0.5], %ssource: {type: random_wall, t0: [1, 3], seed: 3, hits: 2, colours: [0]}}]")
    more = "--set", "lattice.size=[4,4,4,8]", "--set", "gauge.file=" + path("small.lat"), "--set", "action.type=naive"
    solved("parts", *more, "--set", "solve=" + noise % ("", ""))
    guess = f"guess: {path('parts.h5')}, "
    solved("parts_again", *more, "--set", "solve=" + noise % (guess, guess))
    assert table("parts")["iterations"].sum() > 0 and (table("parts_again")["iterations"] == 0).all(), table("parts_again")


def walls_of_a_corner_are_known_again_without_correlators():
    wall = ("--set", "solve.0.source={type: corner_wall, corner: [1, 0, 1], t0: 1}", "--set", "output.correlators=[]")
    solved("corner", *wall)
    said = solved("corner_again", *wall, "--set", "solve.0.guess=" + path("corner.h5"))
    assert "guess: starting values for pt come from" in said and table("corner_again")["iterations"][:6].max() == 0, said


def bits_do_not_depend_on_ranks_batches_and_shared_masses():
    both = (2, ("solver.batch=1",)), (4, ("run.grid=[1,1,2,2]", "solver.batch=4", "solver.multishift=on"))
    for ranks, more in both if LONG else both[1:]:
        solved("again", *GUESS, *(word for one in more for word in ("--set", one)), ranks=ranks)
        same(everything("guessed.h5"), everything("again.h5"))
        os.remove(path("again.h5"))


def a_killed_run_goes_on_to_the_same_bits():
    solved("stop", *GUESS, "--set", "solver.batch=2", status=None, env={"NAIK_INJECT": "kill:write:8"})
    assert os.path.exists(path("stop.h5.part")) and not os.path.exists(path("stop.h5"))
    told = solved("stop", status=1)
    assert "sources" in told, told  # without its guess it is another run
    os.rename(path("loose.h5"), path("mine.h5"))
    for apart in 29, 31:  # one that has another content, and one word of a checksum the same
        twin_of_a_solve("mine.h5", 0, apart, "loose.h5")
        told = solved("stop", *GUESS, status=1)
        assert "with the sources 'solve.0.guess holds suma/sumb" in told, told
    os.rename(path("mine.h5"), path("loose.h5"))
    said = solved("stop", *GUESS, ranks=2)
    assert "resuming:" in said, said
    same(everything("guessed.h5"), everything("stop.h5"))


def guesses_of_something_else_are_refused():
    def refused(words, *more, status=1):
        told = solved("refused", "--set", "solve.0.guess=" + path("loose.h5"), *more, status=status)
        assert words in told and not os.path.exists(path("refused.h5")), told

    def changed(key):
        return "--set", key

    refused("was made with other links", *changed("gauge.file=" + path("other.h5")))
    small = ("--set", "lattice.size=[4,4,4,8]", "--set", "gauge.file=" + path("small.lat"))
    solved("small", *small, *changed("solve.0.masses=[1e-12, 0.1]"), *changed("solver.tolerance=1e-4"))
    refused("holds a lattice of 4x4x4x8", *changed("solve.0.guess=" + path("small.h5")))
    refused("action.type = hisq, this run is not", *changed("action.type=naive"))
    refused("lattice.boundary_t = antiperiodic, this run is not", *changed("lattice.boundary_t=periodic"))
    refused("no solutions of the source of solve.0 ('pt') at [2, 0, 0, 0]", *changed("solve.0.source.origin=[2,0,0,0]"))
    refused("no solutions of the source of solve.1 ('rw') at [0, 0, 0, 1]", *changed("solve.1.source.seed=6"),
            *changed("solve.1.guess=" + path("loose.h5")))
    refused("but not with mass 0.2", *changed("solve.0.masses=[0.05, 0.2]"))
    refused("but not with mass 0.05", *changed("solve.0.masses=[0.0500000000005, 0.1]"))  # more than rounding
    refused("but not with mass 1.5e-12", *small, *changed("solve.0.guess=" + path("small.h5")), *changed("solve.0.masses=[1.5e-12, 0.1]"))
    refused("but not with mass 0.05 and naik_epsilon -0.1", *changed("solve.0.naik_epsilon=[-0.1, 0]"))
    refused("action.type = hisq, this run is not", *changed("action.type=wilson"))
    refused("is read as input", *changed("output.file=" + path("loose.h5")))
    refused("refused.yaml", *changed("solve.0.guess=" + path("refused.yaml")))
    refused("no-such", *changed("solve.0.guess=" + path("no-such.h5")))
    solved("text", "--set", "output.propagators=false", "--set", "output.correlators=[pion5]")
    refused("holds correlators only", *changed("solve.0.guess=" + path("text.h5")))


def links_are_known_again_in_every_format():
    """The checksum of NERSC does not see the order of time slices, and those of two formats cannot be compared: that of the links can."""
    for form in "nersc-3x3", "ildg":
        naik("gauge", "convert", path("lat.h5"), path("lat." + form), "--to", form)
    with open(path("lat.nersc-3x3"), "rb") as f:
        head, data = f.read().split(b"END_HEADER\n")
    slices = np.frombuffer(data, ">f8").reshape(8, -1)
    with open(path("later.nersc-3x3"), "wb") as f:  # the same plaquette, link trace and checksum
        f.write(head + b"END_HEADER\n" + np.roll(slices, 1, axis=0).tobytes())
    links = {name: ("--set", "gauge.file=" + path(name)) for name in ("lat.nersc-3x3", "later.nersc-3x3", "lat.ildg")}
    solved("nersc", *links["lat.nersc-3x3"])
    for more in (), links["lat.ildg"]:
        assert "is complete already" in solved("nersc", *more), more
    solved("formats", "--set", "solve.0.guess=" + path("nersc.h5"), *links["lat.ildg"])
    assert (table("formats")["iterations"][:12] == 0).all() and (table("nersc")["iterations"] > 0).all(), table("formats")
    told = solved("nersc", *links["later.nersc-3x3"], status=1)
    assert "was begun with the gauge configuration 'plaquette" in told, told
    told = solved("later", *links["later.nersc-3x3"], "--set", "solve.0.guess=" + path("nersc.h5"), status=1)
    assert "was made with other links" in told, told


def a_damaged_guess_is_noticed():
    flipped("loose.h5", "prop/s0001/m01", 1000, 1, "flipped.h5")
    for more in ((), ("--dry-run",)):
        told = solved("damaged", "--set", "solve.0.guess=" + path("flipped.h5"), *more, status=4)
        assert "checksum" in told, told


def quarks_with_spin_begin_from_what_is_stored():
    guess = ("--set", "solve.0.guess=" + path("rough.h5"))
    solved("rough", "--set", "solver.tolerance=1e-4", text=CLOVER, ranks=2)
    solved("straight", text=CLOVER)
    for method in "cg", "bicgstab":
        said = solved("begun", *guess, "--fresh", "--set", f"solver.method={method}", text=CLOVER)
        rough, straight, begun = table("rough"), table("straight"), table("begun")
        assert (begun["true_residual"] <= 1e-10).all() and (begun["stop_reason"] == b"converged").all(), begun
        if method == "bicgstab":
            assert begun["iterations"].sum() < straight["iterations"].sum() - 0.3 * rough["iterations"].sum(), (begun, straight)
        line = re.search("guesses: 48 solves took ([0-9]+) iterations from starting values that had taken ([0-9]+); "
                         "without starting values they would have taken about [0-9]+,", said)
        assert line and [*map(int, line.groups())] == [begun["iterations"].sum(), rough["iterations"].sum()], said
        with h5py.File(path("straight.h5")) as a, h5py.File(path("begun.h5")) as b:
            for name in "prop/s0000/m00", "prop/s0001/m01":
                x, y = a[name][...], b[name][...]
                assert 0 < np.linalg.norm(x - y) < 1e-8 * np.linalg.norm(x), (method, name)
    for ranks, batch in ((2, 5), (4, 16)) if LONG else ((4, 5),):
        solved("again", *guess, "--fresh", "--set", f"solver.batch={batch}", text=CLOVER, ranks=ranks)
        same(everything("begun.h5"), everything("again.h5"))
    solved("halted", *guess, "--set", "solver.batch=4", text=CLOVER, status=None, env={"NAIK_INJECT": "kill:write:8"})
    assert os.path.exists(path("halted.h5.part"))
    assert "resuming:" in solved("halted", *guess, text=CLOVER, ranks=2)
    same(everything("begun.h5"), everything("halted.h5"))


def stored_quarks_with_spin_are_contracted_without_an_iteration():
    asked = ("--set", "output.correlators=[pion, rho_x]", "--set", "output.momenta=[[0,0,0],[1,0,0]]", "--set", "output.baryons=[nucleon]")
    solved("asked", *asked, text=CLOVER)
    masses = CLOVER.replace("kappas: [0.125, 0.12]", f"masses: [{1 / 0.25 - 4}, {1 / 0.24 - 4:.14f}]")  # which rounding tells from the kappas
    solved("taken", *asked, "--set", "solve.0.guess=" + path("straight.h5"), "--set", "action.u0=1", text=masses)
    assert (table("taken")["iterations"] == 0).all() and (table("taken")["true_residual"] <= 1e-10).all(), table("taken")
    with h5py.File(path("asked.h5")) as a, h5py.File(path("taken.h5")) as b:
        for name in "pt/s0001/m01/pion/p100", "pt/s0000/m00/rho_x/p100", "pt/s0001/m00/nucleon":
            c = a["corr"][name][...]
            assert np.abs(b["corr"][name][...] - c).max() <= 1e-8 * np.abs(c).max(), name
    told = solved("refused", "--set", "solve.0.guess=" + path("rough.h5"), "--set", "action.csw=1", text=CLOVER, status=1)
    assert "was made with action.csw = 1.1" in told, told
    told = solved("refused", "--set", "solve.0.guess=" + path("rough.h5"), "--set", "action.u0=0.9", text=CLOVER, status=1)
    assert "was not made with action.u0 = 0.9, as this run is" in told, told
    told = solved("refused", "--set", "solve.0.guess=" + path("rough.h5"), "--set", "solve.0.kappas=[0.13]", text=CLOVER, status=1)
    assert "but not with kappa 0.13, mass -0.153846\n" in told, told
    told = solved("refused", "--set", "solve.0.guess=" + path("loose.h5"), text=CLOVER, status=1)
    assert "action.type = hisq, this run is not" in told, told


def one(action, guess, *more, source="point", **options):
    """A run of one source and one mass from a guess; its iterations and what it said."""
    text = ("{lattice: {size: [4, 4, 8, 8]}, gauge: {file: %s}, action: {type: " + action + "}, solve: [{name: pt, masses: [0.1], "
            "source: {type: point, origin: [1, 0, 2, 2]}%s}], solver: {tolerance: 1e-10}, output: {file: %s}}")
    with open(path("one.yaml"), "w", encoding="utf-8") as f:
        f.write(text % (path("lat.h5"), "" if guess is None else ", guess: " + path(guess), path("one.h5")))
    said = naik("solve", path("one.yaml"), "--fresh", *more, **options)
    return (table("one")["iterations"] if options.get("status", 0) == 0 else None), said


def put(name, data):
    with open(path(name), "wb") as f:
        f.write(data)


def propagators_of_other_codes_are_begun_from():
    """In one record or in one a column, of another normalisation, and what solves another system."""
    size = (4, 4, 8, 8)
    for action, datatype, spins in ("hisq", "QDP_D3_StaggeredPropagator", 1), ("wilson", "QDP_D3_DiracPropagator", 4):
        plain, _ = one(action, None)
        with h5py.File(path("one.h5")) as f:
            g = f["prop/s0000/m00"][...]  # [source (spin) colour][t][z][y][x][sink (spin) colour]
        if spins == 1:
            matrix, columns = np.moveaxis(g, 0, -1), list(g)
        else:  # [sink spin][source spin][sink colour][source colour]
            matrix, columns = np.moveaxis(g, (0, 1), (5, 7)), [g[s, c] for s in range(4) for c in range(3)]

        def whole(times, matrix=matrix, datatype=datatype, spins=spins):
            return file_record(size) + field_records(times * matrix, size, datatype, spins=spins)
        put("whole", whole(1))
        names = ("DiracFermion", 4) if spins == 4 else ("ColorVector", 1)
        put("apart", file_record(size) + b"".join(field_records(v, size, "USQCD_D3_" + names[0], spins=names[1]) for v in columns))
        solution = everything("one.h5")
        for name, ranks in ("whole", 1), ("apart", 2):
            took, said = one(action, name, ranks=ranks)
            assert (took == 0).all() and f"{name} solves the system of pt with residual" in said, said
            assert "of another code, 64 bit, checksums in the file" in said
            assert f"{3 * spins} solves of pt began from another code's" in said, said
            assert everything("one.h5")["prop/s0000/m00"] == solution["prop/s0000/m00"], name
        if spins == 1:  # QDP++ pads staggered fermions of single precision to four numbers: a record each, and three in one
            padded = np.stack([np.pad(v, (*[(0, 0)] * 4, (0, 1)), constant_values=np.nan) for v in columns], axis=4)
            told = dict(size=size, datatype="Lattice", bits=32, spins=1)
            put("padded", file_record(size) + b"".join(field_records(padded[..., c, :], **told) for c in range(3)))
            put("together", file_record(size) + field_records(padded, count=3, **told))
            for name in "padded", "together":
                took, said = one(action, name, "--set", "solver.tolerance=1e-6")
                assert (took == 0).all() and re.search(f"{name} solves the system of pt with residual [1-9].[0-9]e-0[78]", said), said
        if spins == 4:  # QDP++'s HDF5 in a group and under a name of its own, in single precision
            with h5py.File(path("chroma.h5"), "w") as f:
                pair = np.dtype([("r", "<f4"), ("i", "<f4")])
                out = f.create_dataset("run/quark", size[::-1], np.dtype((pair, (4, 4, 3, 3))))
                data = np.empty(matrix.shape, pair)
                data["r"], data["i"] = matrix.real, matrix.imag
                out[...] = data
            took, said = one(action, "chroma.h5", ranks=2)
            assert (took < plain / 1.5).all() and "qdp++-hdf5 of another code, 32 bit, no checksum in the file" in said, said
            assert re.search("chroma.h5 solves the system of pt with residual [1-9].[0-9]e-0[78]", said), said
            with h5py.File(path("chroma.h5"), "r+") as f:
                f.copy("run/quark", "other")
            _, said = one(action, "chroma.h5", status=1)
            assert "chroma.h5' holds 2 propagators of QDP++ and none of the name /propagator: naik reads the one of this name, or the only one" in said, said
            os.rename(path("whole"), path("parts.vol0000"))
            _, said = one(action, "parts", status=1)
            assert "QIO wrote it in several files: give the first one, which ends in .vol0000" in said, said
            os.rename(path("parts.vol0000"), path("whole"))
        put("half", whole(-2))
        took, said = one(action, "half")
        assert (took <= 2).all() and "after multiplication by -0.5," in said and 0 < rest(said) < 5e-9, said
        if spins == 1:  # as Grid has it: M = m + D/2, and with the phases of Chroma: eta_x = 1 and eta_t = (-1)^(x+y+z)
            t, z, y, x = np.meshgrid(*[np.arange(n) for n in size[::-1]], indexing="ij")
            put("chroma", whole(2, matrix=matrix * ((-1.0) ** (t * (x + y + z)))[..., None, None]))
            took, said = one(action, "chroma", ranks=2)
            assert (took <= 2).all() and "after multiplication by 0.5 (-1)^(t (x+y+z))," in said and 0 < rest(said) < 5e-9, said
            _, said = one(action, "whole", "--set", "solve.0.source.colours=[1]")
            assert ": 1 solves of pt began from another code's" in said, said
            second = "--set", "solve.0.source.colours=[1]", "--set", "run.groups=2"  # the first group, which speaks, has none
            _, said = one(action, "half", *second, ranks=2)
            assert ": 1 solves of pt began from another code's" in said and ", 1 of them times -0.5\n" in said, said
            put("elsewhere", whole(1, matrix=np.roll(matrix, 1, axis=3)))
            _, said = one(action, "elsewhere", *second, ranks=2)
            assert "guesses: no solve of pt began from another code's" in said, said
            bent = columns[0].copy()
            bent[0, 0, 0, 1, 0] += 1e-4
            put("uneven", file_record(size) + b"".join(field_records(v, size, "USQCD_D3_ColorVector", spins=1) for v in [bent] + columns[1:]))
            took, said = one(action, "uneven")
            assert took[0] > 0 == took[1] == took[2] and float(re.search("residuals at most ([-0-9.e]+)", said)[1]) > 1e-6, said
            put("kept", whole(1))
            os.remove(path("one.h5"))
            one(action, "kept", "--set", "solver.batch=1", status=None, env={"NAIK_INJECT": "kill:write:2"})
            assert "resuming: " in (said := naik("solve", path("one.yaml"))), said
            os.remove(path("one.h5"))
            one(action, "kept", "--set", "solver.batch=1", status=None, env={"NAIK_INJECT": "kill:write:2"})
            for other in (0.5 * matrix, twin(matrix.reshape(1024, 3, 3), 29).reshape(matrix.shape), twin(matrix.reshape(1024, 3, 3), 31).reshape(matrix.shape)):
                put("kept", whole(1, matrix=other))  # the same file by its name alone, or by one word of a checksum
                assert "guess holds suma/sumb" in (told := naik("solve", path("one.yaml"), status=1)), told
        put("other", whole(1, matrix=np.roll(matrix, 1, axis=3)))  # of a source elsewhere
        took, said = one(action, "other")
        assert (took == plain).all() and "warning: guess '" in said and "does not solve the system of 'pt'" in said, said
        put("vast", whole(1e200))
        took, said = one(action, "vast")
        assert (took == plain).all() or "after multiplication by 1e-200" in said, said
        _, told = one(action, "whole", "--set", "solve.0.masses=[0.1, 0.2]", status=1)
        assert "holds one propagator of another code, but solve.0 ('pt') has 2: make it an entry of one source and one mass" in told
        put("two", file_record(size) + 2 * field_records(matrix, size, datatype, spins=spins))
        assert f"holds {6 * spins} vectors, but starting values need one for each of {3 * spins} " in one(action, "two", status=1)[1]
        _, told = one("wilson" if spins == 1 else "hisq", "whole", status=1)
        assert "which are no starting values of" in told, told
        put("bad", whole(1)[:-3000] + b"?" + whole(1)[-2999:])
        assert "'s checksum" in (told := one(action, "bad", status=4)[1]) or "has the checksum" in told, told


def propagators_of_tmlqcd_are_begun_from():
    """In its gamma matrices, and with its antiperiodic boundary: a phase on every link in t."""
    plain, _ = one("wilson", None)
    solution = everything("one.h5")["prop/s0000/m00"]
    with h5py.File(path("one.h5")) as f, h5py.File(path("lat.h5")) as g:
        matrix = np.moveaxis(f["prop/s0000/m00"][...], (0, 1), (5, 7))
        links = g["gauge"][...]
    t = np.arange(8).reshape(8, 1, 1, 1, 1, 1, 1, 1)
    spread = tmlqcd_columns(matrix * np.exp(-1j * np.pi * (t - 2) / 8))
    assert tmlqcd_residual(spread, links, 0.1, 1, (1, 0, 2, 2)) < 1e-8  # it is a solution to tmLQCD
    put("spread", TMLQCD_HEAD + b"".join(spread))
    took, said = one("wilson", "spread", ranks=2)
    assert (took == 0).all() and "solves the system of pt after multiplication by 1 exp(i pi (t - 2)/8), as another code" in said and 0 < rest(said) < 5e-9, said
    columns = tmlqcd_columns(matrix)
    put("etmc", TMLQCD_HEAD + b"".join(columns))
    for k, column in enumerate(columns):
        put(f"prop.0100.02.{k:02d}.inverted", TMLQCD_HEAD + column)
    for name in "etmc", "prop.0100.02.00.inverted":
        took, said = one("wilson", name)
        assert (took == 0).all() and f"{name} solves the system of pt with residual" in said, said
        assert everything("one.h5")["prop/s0000/m00"] == solution, name
    put("single", TMLQCD_HEAD + b"".join(tmlqcd_columns(matrix, 32)))
    took, said = one("wilson", "single")
    assert (took < plain / 1.5).all() and "scidac-vector of another code, 32 bit, checksums in the file" in said, said
    source = columns[7].replace(b"etmc-propagator-format", b"etmc-source-format".ljust(22, b"\0"))
    for other in columns[7] + columns[8], source + columns[7]:  # two columns, and one with its source, which the first has not
        put("prop.0100.02.07.inverted", TMLQCD_HEAD + other)
        _, told = one("wilson", "prop.0100.02.00.inverted", status=1)
        assert "prop.0100.02.07.inverted' is not one column of the propagator that" in told, told
    os.remove(path("prop.0100.02.07.inverted"))
    assert "prop.0100.02.07.inverted" in one("wilson", "prop.0100.02.00.inverted", status=1)[1]
    assert "holds 1 vectors, but starting values need one" in one("wilson", "prop.0100.02.01.inverted", status=1)[1]
    for name, both in ("both", columns + columns), ("prop.0101.02.00.inverted", columns[:1] * 2):
        put(name, TMLQCD_HEAD + b"".join(both))
        assert f"holds {len(both)} vectors, as tmLQCD writes them with AddDownPropagator = yes" in one("wilson", name, status=1)[1]
    put("doublet", TMLQCD_HEAD + b"".join(tmlqcd_columns(matrix, flavours=2)))
    assert "holds spinors of 2 flavours that mix" in one("wilson", "doublet", status=1)[1]


main([configurations_are_generated, a_loose_solve_spares_the_next_its_iterations,
      stored_propagators_are_contracted_without_an_iteration, entries_that_share_a_source_are_told_apart, parts_of_noise_are_told_apart,
      walls_of_a_corner_are_known_again_without_correlators,
      bits_do_not_depend_on_ranks_batches_and_shared_masses,
      a_killed_run_goes_on_to_the_same_bits, guesses_of_something_else_are_refused,
      links_are_known_again_in_every_format, a_damaged_guess_is_noticed,
      propagators_of_other_codes_are_begun_from, propagators_of_tmlqcd_are_begun_from,
      quarks_with_spin_begin_from_what_is_stored, stored_quarks_with_spin_are_contracted_without_an_iteration],
     needed=[configurations_are_generated, a_loose_solve_spares_the_next_its_iterations,
             quarks_with_spin_begin_from_what_is_stored])
