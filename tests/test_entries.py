"""Entries of one input that differ in what is made of them: correlators, momenta, colours, sink times."""
import os
import re
import sys
import zlib

import h5py
import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import naik_io  # noqa: E402
from program import everything, main, naik, path, raw_records, same

INPUT = """
lattice: {size: [4, 4, 4, 8]}
gauge: {file: %s}
action: {type: %s}
solve: [%s]
solver: {tolerance: 1e-11}
output: {file: %s%s}
"""
POINTS = "source: {type: point, origin: [[0, 0, 0, 0], [1, 0, 2, 3]]}"
STAGGERED = ", ".join((
    "{name: plain, masses: [0.4, 0.5], " + POINTS + "}",
    "{name: own, masses: [0.4], correlators: [rhox0, pion05], momenta: [[1, 0, 0], [0, 0, 0], [0, 1, 0]], " + POINTS + "}",
    "{name: still, masses: [0.4], momenta: [[0, 0, 1]], " + POINTS + "}",
    "{name: none, masses: [0.4], correlators: [], source: {type: point, origin: [0, 0, 0, 0]}}",
    "{name: one, masses: [0.4], source: {type: point, origin: [0, 0, 0, 0], colours: [1]}}"))
OUTPUT = ", correlators: [pion5], momenta: [[0, 0, 0], [1, 0, 0]], baryons: [nucleon], average: true"
CLOVER = ", ".join((
    "{name: pt, kappas: [0.12], correlators: [rho_x], " + POINTS + "}",
    "{name: pi, kappas: [0.12], momenta: [[0, 1, 0]], source: {type: point, origin: [0, 0, 0, 0]}}"))


def solve(name, entries, *more, action="naive", output=OUTPUT, tail="", **options):
    with open(path(name + ".yaml"), "w", encoding="utf-8") as f:
        f.write(INPUT % (path("lat.h5"), action, entries, path(name + ".h5"), output) + tail)
    return naik("solve", path(name + ".yaml"), *more, **options)


def correlators(name):
    """Paths below /corr of all that has numbers, but for per_colour and contractions."""
    found = {}
    with naik_io.open(path(name + ".h5")) as f:
        f.h5["corr"].visititems(lambda key, item: found.update({key: item[...]})
                                if isinstance(item, h5py.Dataset) and "per_colour" not in key and "/corr/" + key not in f.contractions else None)
    return found


def a_configuration_is_made():
    naik("gauge", "generate", "--size", "4,4,4,8", "--beta", "5.6", "--sweeps", 3, "--seed", 4, "-o", path("lat.h5"))


def every_entry_has_the_correlators_that_it_asks_for():
    said = solve("mixed", STAGGERED)
    assert said.count("\ncorrelators: source=") == 4 + 2 + 2, said
    found = correlators("mixed")
    assert {key.split("/")[0] for key in found} == {"plain", "own", "still"}, sorted(found)
    mesons = {entry: {"/".join(key.split("/")[3:]) for key in found if key.startswith(entry + "/")} for entry in ("plain", "own", "still")}
    assert mesons == {"plain": {"pion5/p000", "pion5/p100"}, "still": {"pion5/p001"},
                      "own": {f"{m}/{p}" for m in ("rhox0", "pion05") for p in ("p000", "p100", "p010")}}, mesons
    # what an entry has of its own is what an output that asks for it has
    solve("asked", STAGGERED.split(", {name: own")[0], "--set", "solve.0.name=own", "--set", "solve.0.masses=[0.4]",
          output=", correlators: [rhox0, pion05], momenta: [[1, 0, 0], [0, 0, 0], [0, 1, 0]]")
    alone = correlators("asked")
    assert len(alone) == 12 and all((found[key] == c).all() for key, c in alone.items())
    with naik_io.open(path("mixed.h5")) as f:
        assert f.verify() == ""
        names = [name for name in f.contractions if "average" in name and "nucleon" not in name]
        assert len(names) == 2 * (2 * 2 + 2 * 3 + 1), names  # mesons and momenta of plain's two masses, own, still; mean and error
        assert np.isfinite(f.contraction("own/average/m00/pion05/p000/mean")).all()
        nucleons = {name.split("/")[2] for name in f.contractions if name.endswith("/nucleon")}
        assert nucleons == {"plain", "own", "still", "none"}, nucleons
    naik("info", path("mixed.h5"))
    listed = re.findall("^# (.*)", naik("info", path("mixed.h5"), "--correlators"), re.M)
    assert len([line for line in listed if "source=own" in line and "rhox0" in line and "momentum=0,1,0" in line and "over sources" not in line]) == 2, listed
    naik("report", path("mixed.h5"), "-o", path("mixed.html"))
    told = solve("mixed", STAGGERED.replace("[rhox0, pion05]", "[pion05, rhox0]"), status=1)
    assert "'solve.1.correlators = [rhox0, pion05]', now it is" in told, told


def a_killed_run_goes_on_to_the_same_bytes():
    solve("cut", STAGGERED, "--set", "solver.batch=2", status=None, env={"NAIK_INJECT": "kill:write:11"})
    assert os.path.exists(path("cut.h5.part"))
    assert "resuming:" in solve("cut", STAGGERED, ranks=2)
    same(everything("mixed.h5"), everything("cut.h5"))


def quarks_with_spin_too():
    solve("spin", CLOVER, action="clover, csw: 1.1", output=", correlators: [pion]")
    found = correlators("spin")
    assert list(found) == ["pi/m00/pion/p010"], sorted(found)
    with naik_io.open(path("spin.h5")) as f:
        assert f.verify() == "" and f.contractions == [f"/corr/pt/s{k:04d}/m00/rho_x/p000" for k in range(2)], f.contractions
        f.contraction("pt/s0001/m00/rho_x/p000")
    naik("info", path("spin.h5"))
    # all that is made is made of all columns together
    solve("spun", CLOVER.split(", {name: pi")[0], action="clover, csw: 1.1", output=", correlators: [rho_x]")
    naik("info", path("spun.h5"))
    with naik_io.open(path("spun.h5")) as f:
        assert f.verify() == ""


def one_source_serves_several_sink_times():
    """C(t; tf) with the conserved weight of the sink: each sequential source against the same antiquark."""
    source = "{name: pt, masses: [0.4], source: {type: point, origin: [0, 0, 0, 0]}}"
    solve("two", source, output="")
    seq = "{name: %s, masses: [0.4], correlators: [], source: {type: sequential, file: %s, propagator: pt, mass: 0.4, insertion: pion5, t0: %s}}"
    pairs = "pairs: [{name: three, quark: seq, antiquark: pt}]\n"
    solve("three", source + ", " + seq % ("seq", path("two.h5"), "[2, 3, 4]"), output=", average: true", tail=pairs,
          status=1)  # nothing could be averaged
    averaged = "{name: many, masses: [0.4], " + POINTS + "}, "
    both = pairs.replace("]", ", {name: back, quark: pt, antiquark: seq}]")
    solve("three", averaged + source + ", " + seq % ("seq", path("two.h5"), "[2, 3, 4]"), output=", average: true", tail=both)
    with naik_io.open(path("three.h5")) as f:
        means = {key.split("/")[2] for key in f.contractions if "/average/" in key}
        assert means == {"many"}, f.contractions  # none over the times of a sink
    for k, t in enumerate((2, 3, 4)):
        solve("single", source + ", " + seq % ("seq", path("two.h5"), t), "--fresh", output="", tail=pairs)
        with h5py.File(path("three.h5")) as a, h5py.File(path("single.h5")) as b:
            c = a[f"corr/three/s{k:04d}/m00-m00/pion5/p000"][...]
            assert (c == b["corr/three/m00-m00/pion5/p000"][...]).all() and abs(c).max() > 0, t
            assert a[f"corr/three/s{k:04d}/m00-m00/pion5/p000"].attrs["antiquark"] == "pt"
    several = source.replace("[0, 0, 0, 0]", "[[0, 0, 0, 0], [1, 0, 0, 0]]")
    told = solve("bad", several + ", " + seq % ("seq", path("two.h5"), "[2, 3, 4]"), tail=pairs, output="", status=1)
    assert "a single source also goes with several of a sequential entry" in told, told
    told = solve("bad", source + ", " + several.replace("pt", "many"), tail="pairs: [{name: p, quark: many, antiquark: pt}]\n", output="", status=1)
    assert "naik joins the sources in their order" in told, told


def propagators_may_be_left_out_of_the_finished_file():
    """Pairs, baryons, condensate: the same numbers; killed and continued, also when the propagators are gone already."""
    entries = ("{name: a, masses: [0.4, 0.5], " + POINTS + "}, {name: n, masses: [0.4], source: {type: random_volume, seed: 3}}")
    output = ", correlators: [pion5, rhox], baryons: [nucleon], condensate: true, average: true"
    tail, without = "pairs: [{name: p, quark: a, antiquark: a}]\n", output + ", propagators: false"
    solve("with", entries, output=output, tail=tail)
    said = solve("lean", entries, output=without, tail=tail)
    assert "the finished file leaves out the propagators" in said, said
    noise = "{name: %s, masses: [0.4], source: {type: random_wall, t0: 0, seed: %d%s}}"
    solve("part", noise % ("n", 3, "") + ", " + noise % ("o", 4, ", colours: [1]"), output=", correlators: [], condensate: true")
    with naik_io.open(path("part.h5")) as f:
        assert f.contractions == ["/corr/n/m00/condensate"], f.contractions  # none of single colours
    kept, lean = everything("with.h5"), everything("lean.h5")
    same({key: value for key, value in kept.items() if not key.startswith("prop/")}, lean)
    naik("info", path("lean.h5"))
    assert "holds correlators only" in naik("export", path("lean.h5"), "-o", path("lean.scidac"), status=1)
    solve("killed", entries, "--set", "solver.batch=2", output=without, tail=tail, status=None, env={"NAIK_INJECT": "kill:write:9"})
    assert "resuming:" in solve("killed", entries, output=without, tail=tail, ranks=2)
    same(lean, everything("killed.h5"))
    # as a kill between the two renames leaves it
    def interrupted():
        os.rename(path("killed.h5"), path("killed.h5.part"))
        with h5py.File(path("killed.h5.part"), "r+") as f:
            del f.attrs["state"]
            f.attrs["state"] = "incomplete"

    interrupted()
    assert "solve 1/" not in solve("killed", entries, output=without, tail=tail)
    same(lean, everything("killed.h5"))
    for sign, word in (-1, True), (-1, False), (1, False):  # of an earlier version with the wrong sign; killed before the new checksum, or the new numbers
        interrupted()
        with h5py.File(path("killed.h5.part"), "r+") as f:
            number = f["metadata/contractions"][()].decode().split().index("/corr/a/average/m00/rhox/p000/mean")
            values = f["corr/a/average/m00/rhox/p000/mean"]
            values[...] = sign * values[...]
            f["contractions"][number] = 0x6e61696b << 32 | zlib.crc32(values[...].tobytes()) ^ (0 if word else 1)
        said = solve("killed", entries, output=without, tail=tail, ranks=1 if word else 2)
        assert "naik makes 1 average anew, because the file had one of other correlators\n" in said and "solve 1/" not in said, said
        same(lean, everything("killed.h5"))
    gone = "1 solves or contractions of .* are damaged, and the propagators that they came from are gone: begin again with --fresh"
    interrupted()
    for what in "a correlator", "a record":
        with h5py.File(path("killed.h5.part")) as f:
            records = f["solves"].id
            at = (f["corr/p/s0000/m00-m01/rhox/p000"].id.get_offset() if what == "a correlator" else
                  records.get_offset() + 3 * records.get_type().get_size() + 8)
        with open(path("killed.h5.part"), "r+b") as f:
            f.seek(at)
            whole = f.read(4)
            f.seek(at)
            f.write(b"xxxx")
        said = solve("killed", entries, output=without, tail=tail, status=4)
        assert re.search(gone, said), (what, said)
        with open(path("killed.h5.part"), "r+b") as f:
            f.seek(at)
            f.write(whole)
    assert "solve 1/" not in solve("killed", entries, output=without, tail=tail)
    told = solve("killed", entries, "--fresh", "--set", "solver.max_iterations=8", output=without, tail=tail, status=3)
    told = solve("killed", entries, output=without, tail=tail, status=3)
    assert "only --fresh can solve them again" in told, told
    left = [name for name in os.listdir(path("")) if name.startswith("killed.h5") and "-" not in name]  # MPI's own locks
    assert left == ["killed.h5"], left


def columns_without_solutions_are_believed_where_all_of_their_source_is_there():
    """A GPU stores a source without its solutions, once its correlators are in FILE.part. A CPU's FILE.part is made to look
    like that, for the first of two sources, whose correlators it does not make; they are then the file's, or new ones."""
    entries, output = "{name: a, masses: [0.4, 0.5], " + POINTS + "}", ", correlators: [pion5, GX-G1], propagators: false"
    tail = "pairs: [{name: p, quark: a, antiquark: a}]\n"
    solve("whole", entries, output=output, tail=tail)
    whole = everything("whole.h5")
    with naik_io.open(path("whole.h5")) as f:
        contractions, solves = f.contractions, f.h5["solves"][...]
    assert "/corr/p/s0000/m00-m01/pion5/p000" in contractions, contractions

    def resumed(mass, factor, pending=False, damaged=False):
        """The log of a run that goes on, with so many times the correlators of that mass in the file, and their checksum."""
        for end in ".h5", ".h5.part", ".h5.journal":
            if os.path.exists(path("left" + end)):
                os.remove(path("left" + end))
        solve("left", entries, "--set", "solver.batch=1", output=output, tail=tail, status=None, env={"NAIK_INJECT": "kill:write:12"})
        columns = [i for i, s in enumerate(solves) if s["source"] == 0 and s["mass"] == mass]
        with h5py.File(path("left.h5.part"), "r+") as f, raw_records(f) as (records, offset):
            for k, made in enumerate(contractions):
                if re.search(f"/s0000/.*m0{mass}", made):
                    numbers = factor * np.frombuffer(whole[made[1:]])
                    f[made][...] = numbers.view(f[made].dtype)
                    f["contractions"][k] = (0x6e61696b << 32) + zlib.crc32(numbers.tobytes()) + damaged
            f[f"prop/s0000/m0{mass}"][...] = np.zeros_like(f[f"prop/s0000/m0{mass}"][...])
            for i in columns:
                for word in (b"suma", b"sumb"):
                    records[i][offset(word):offset(word) + 4] = b"LEFT"
            if pending:
                records[columns[1]][offset(b"state"):offset(b"state") + 4] = b"PEND"
        naik("info", path("left.h5.part"), status=4 if damaged else 5)
        return solve("left", entries, output=output, tail=tail)

    again = "solved again, because columns or correlators of their sources are missing or damaged: %d of 12 solves stored without solutions"
    for mass in 0, 1:  # of a pair the one quark or the other
        said = resumed(mass, 1)
        assert "solved again" not in said and "resuming: 11 of 12" in said, said
        same(whole, everything("left.h5"))
    for count, change in ((2, {"pending": True}), (3, {"damaged": True})):
        said = resumed(0, 2, **change)
        assert again % count in said and "resuming: 8 of 12" in said, (change, said)
        same(whole, everything("left.h5"))


main([a_configuration_is_made, every_entry_has_the_correlators_that_it_asks_for, a_killed_run_goes_on_to_the_same_bytes,
      quarks_with_spin_too, one_source_serves_several_sink_times, propagators_may_be_left_out_of_the_finished_file,
      columns_without_solutions_are_believed_where_all_of_their_source_is_there])
