"""Solves in mid flight when a run is stopped: kept, and restored by the next run to the same bits.
timeout: 300
"""
import os
import re
import shutil
import zlib

import h5py
import numpy as np

from program import everything, go_on, held, holding, main, naik, older_records, path, same, start, stopped, LONG

INPUT = """
lattice:  {size: [4, 4, 4, 8]}
gauge:    {file: %s}
action:   {type: naive}
solve:
  - {name: pt, masses: [0.002, 0.01], source: {type: point, origin: [[0, 0, 0, 0], [1, 0, 2, 2], [3, 0, 0, 0]]}}
solver:   {tolerance: 1e-12, max_iterations: 100000, inner_precision: %s, batch: 4}
output:   {file: %s, correlators: [pion5]}
"""


def written_input(out, inner="single"):
    with open(path(out + ".yaml"), "w") as f:
        f.write(INPUT % (path("lat.h5"), inner, path(out)))
    return path(out + ".yaml")


def effort(name):
    with h5py.File(path(name)) as f:
        return [(int(r["iterations"]), int(r["restarts"])) for r in f["solves"]]


def same_as_undisturbed(whole, name):
    same(everything(whole), everything(name))
    assert effort(whole) == effort(name), (effort(whole), effort(name))
    left = [f for f in os.listdir(path(".")) if f.startswith(name + ".") and not f.endswith(".yaml")]
    assert left == [], left


def stop(out, inner="single", ranks=1, more=()):
    """Runs until solves are interrupted in mid flight; what was said."""
    said = naik("solve", written_input(out, inner), *more, ranks=ranks, status=5, env={"NAIK_INJECT": "stop:solve:40"})
    assert "kept: " in said or "not kept" in said, said
    return said


def a_configuration_is_generated():
    naik("gauge", "generate", "--size", "4,4,4,8", "--beta", "5.6", "--seed", "4", "--sweeps", "3", "-o", path("lat.h5"))
    for inner in ("single", "double", "half"):
        naik("solve", written_input(f"whole-{inner}.h5", inner))


def stopped_again_and_again_the_bits_are_those_of_one_run():
    restored = 0
    for inner in ("single", "double", "half") if LONG else ("single", "half"):
        out = f"often-{inner}.h5"
        for attempt in range(8):
            env = {"NAIK_INJECT": f"stop:solve:{30 + 60 * attempt}"} if attempt < 7 else {}
            said = naik("solve", written_input(out, inner), "--set", f"solver.batch={1 + 3 * attempt % 5}",
                        ranks=1 if inner == "double" and not LONG else 1 + attempt % 2, status=None, env=env)
            restored += said.count("restored: ")
            if os.path.exists(path(out)):
                break
            assert "stopped by signal" in said, said
        same_as_undisturbed(f"whole-{inner}.h5", out)
    assert restored > 0, restored


def a_signal_keeps_the_solves_in_flight():
    source = written_input("usr1.h5")
    said = stopped("solve", source, "--fresh", ranks=2)
    assert "User defined signal 1" in said and "kept: " in said and " to go on, without --fresh, which begins anew\n" in said, said
    said = naik("solve", source, "--set", "solve.0.twist=[0, 0, 0]", "--set", "solve.0.source.colours=[0, 1, 2]", ranks=2)
    assert "restored: source=pt/s000" in said, said
    same_as_undisturbed("whole-single.h5", "usr1.h5")
    whole = path("usr1.h5")
    said = naik("solve", source, "--fresh", status=5, env={"NAIK_INJECT": "stop:solve:40"})
    assert f"to go on, without --fresh, which begins anew, and after moving the complete {whole} away\n" in said, said
    said = naik("solve", source)
    assert f"{whole}.part is unfinished, of a run with --fresh that was stopped: to continue it, move {whole} away first\n" in said, said
    os.remove(whole)
    assert "restored: " in naik("solve", source)
    same_as_undisturbed("whole-single.h5", "usr1.h5")


def a_damaged_state_starts_its_solves_again_with_one_line():
    stop("kept.h5")
    with open(path("kept.h5.part.state"), "rb") as f:
        kept = f.read()
    size = len(kept)
    damages = [("empty", b"", 1), ("cut", kept[:size // 2], 1), ("short", kept[:-1], 1)]
    for at in (3, 50, 4096, size // 2, size - 9) if LONG else (50, size // 2, size - 9):
        damages.append((f"bit{at}", kept[:at] + bytes([kept[at] ^ 16]) + kept[at + 1:], 1))
    damages.append(("unused", kept[:2000] + b"x" + kept[2001:], 0))
    for name, data, warnings in damages:
        out = f"{name}.h5"
        for suffix in (".part", ".journal"):
            shutil.copyfile(path("kept.h5" + suffix), path(out + suffix))
        with open(path(out + ".part.state"), "wb") as f:
            f.write(data)
        said = naik("solve", written_input(out))
        assert said.count(".state is damaged: ") == warnings, (name, said)
        same_as_undisturbed("whole-single.h5", out)
        os.remove(path(out))


def a_state_damaged_while_it_is_used_starts_its_solves_again():
    kept = int(stop("later.h5").split("kept: ")[1].split()[0])
    missed = kept - 1
    assert missed > 0, kept
    run = start("solve", written_input("later.h5"), "--set", "solver.batch=1", env=holding("restored: "))
    assert held(run)
    with open(path("later.h5.part.state"), "r+b") as f:  # the others are still to be restored
        f.seek(4096)
        f.write(bytes(os.path.getsize(path("later.h5.part.state")) - 4096))
    go_on()
    said = run.communicate()[0]
    again = said.count(".state is damaged: some of its solves start again")
    assert run.returncode == 0 and again == missed, said
    same_as_undisturbed("whole-single.h5", "later.h5")


def the_state_of_another_input_is_left_alone():
    stop("other.h5", more=["--set", "solver.tolerance=1e-11"])
    for suffix in (".part", ".journal"):
        shutil.copyfile(path("kept.h5" + suffix), path("mine.h5" + suffix))
    shutil.copyfile(path("other.h5.part.state"), path("mine.h5.part.state"))
    said = naik("solve", written_input("mine.h5"))
    assert said.count("is of another input or another build of naik") == 1 and "restored: " not in said, said
    same_as_undisturbed("whole-single.h5", "mine.h5")


def no_other_file_takes_the_place_of_an_interrupted_run():
    stop("place.h5")
    out = path("place.h5")
    for words in (["gauge", "convert", path("lat.h5"), out], ["gauge", "convert", path("lat.h5"), out, "--to", "milc"],
                  ["gauge", "generate", "--size", "4,4,4,4", "--beta", "6", "--sweeps", "1", "-o", out],
                  ["links", written_input("links.h5"), "-o", out]):
        said = naik(*words, status=1)
        assert f"{out}.part is of an unfinished naik solve and would be lost" in said, said
    naik("solve", written_input("place.h5"))
    same_as_undisturbed("whole-single.h5", "place.h5")


def the_part_of_another_kind_of_file_is_named():
    shutil.copyfile(path("lat.h5"), path("kind.h5.part"))
    for how in ([], ["--dry-run"]):
        said = naik("solve", written_input("kind.h5"), *how, status=1)
        assert "kind.h5.part is a file of format naik-gauge: move it away or choose another output.file" in said, said
    said = naik("solve", written_input("kind.h5"), "--fresh", status=1)
    assert "kind.h5.part is no propagator file of naik, and --fresh replaces no other" in said, said
    os.remove(path("kind.h5.part"))
    naik("solve", written_input("kind.h5"), "--fresh")
    same_as_undisturbed("whole-single.h5", "kind.h5")


def where_nothing_can_be_kept_the_run_still_ends_resumable():
    in_the_way = path("blocked.h5.part.state.new")
    os.mkdir(in_the_way)
    assert "is no regular file" in naik("solve", written_input("blocked.h5"), status=1)
    os.rmdir(in_the_way)
    run = start("solve", written_input("blocked.h5"), env={"NAIK_INJECT": "stop:solve:40", **holding(sync="blocked.h5.journal")})
    assert held(run)  # the output is begun, and nothing is kept
    os.mkdir(in_the_way)
    go_on()
    said = run.communicate()[0]
    assert run.returncode == 5, (run.returncode, said)
    assert said.count("the solves in flight are not kept") == 1, said
    assert not os.path.exists(path("blocked.h5.part.state"))
    os.rmdir(in_the_way)
    said = naik("solve", written_input("blocked.h5"))
    assert "restored: " not in said, said
    same_as_undisturbed("whole-single.h5", "blocked.h5")


def what_an_older_naik_began_is_continued():
    stopped("solve", written_input("begun.h5"), "--set", "solver.batch=1")
    if os.path.exists(path("begun.h5.part.state")):  # not where it was stopped between two solves
        os.remove(path("begun.h5.part.state"))
    for without in ((b"modes",), (b"modes", b"rung")):
        out = f"older-{len(without)}.h5"
        for suffix in (".part", ".journal"):
            shutil.copyfile(path("begun.h5" + suffix), path(out + suffix))
        older_records(path(out + ".part"), without)
        said = naik("solve", written_input(out))
        done = int(re.search(r"resuming: (\d+) of 18 solves are done", said)[1])
        assert done > 0 and "warning" not in said, said
        same_as_undisturbed("whole-single.h5", out)
        with h5py.File(path(out)) as f:
            solves = f["solves"][...]
            assert not set(without) & {name.encode() for name in solves.dtype.names}, solves.dtype
            assert set(solves["stop_reason"]) == {b"converged"}, solves["stop_reason"]
        said = naik("info", path(out), "--verify")
        assert "\nintact: true\n" in said, said


def links_in_another_format_lose_no_solve():
    """Neither those in mid flight, nor those that the journal alone can save: its own or, with the first format, that of naik 0.5.0."""
    naik("gauge", "convert", path("lat.h5"), path("lat.ildg"), "--to", "ildg")
    ildg = ("--set", "gauge.file=" + path("lat.ildg"))
    stop("format.h5", more=ildg)
    said = naik("solve", written_input("format.h5"), ranks=2)
    assert "restored: source=pt/s000" in said and "warning" not in said, said
    same_as_undisturbed("whole-single.h5", "format.h5")
    naik("solve", written_input("torn.h5"), *ildg, "--set", "solver.batch=2", status=None, env={"NAIK_INJECT": "kill:write:8"})
    with h5py.File(path("torn.h5.part")) as f:
        of = f["metadata"]
        texts = [of.attrs[name].encode() if name in of.attrs else bytes(of[name][()])
                 for name in ("canonical_input", "gauge_checksum", "source_checksums", "numerics", "structure")]
    texts[1] = texts[1][:texts[1].index(b" links ")]
    earlier = zlib.crc32(np.array([zlib.crc32(text.rstrip(b"\0")) for text in texts], "<u4").tobytes())
    with open(path("torn.h5.part"), "r+b") as f:
        f.write(bytes(512))
    with open(path("torn.h5.journal"), encoding="ascii") as f:
        head, rest = f.read().split("\n", 1)
    head = re.sub("identity=[0-9a-f]+", f"identity={earlier:08x}", head.split(" crc=")[0])
    shutil.copyfile(path("torn.h5.part"), path("earlier.h5.part"))
    with open(path("earlier.h5.journal"), "w", encoding="ascii") as f:
        f.write(f"{head} crc={zlib.crc32(head.encode()):08x}\n{rest}")
    naik("gauge", "generate", "--size", "4,4,4,8", "--beta", "5.6", "--seed", "5", "--sweeps", "3", "-o", path("other-lat.h5"))
    said = naik("solve", written_input("torn.h5"), "--set", "gauge.file=" + path("other-lat.h5"), status=1)
    assert "its journal says that it is of another input" in said, said
    for out, more in ("earlier.h5", ildg), ("torn.h5", ()):
        said = naik("solve", written_input(out), *more)
        assert int(re.search(r"opened: (\d+) solves were saved by its journal", said)[1]) > 0, said
        same(everything("whole-single.h5"), everything(out))


def beginning_afresh_forgets_what_was_kept():
    stop("fresh.h5")
    with open(path("fresh.h5.part.state.new"), "w") as f:
        f.write("left by a kill")
    said = naik("solve", written_input("fresh.h5"), "--fresh")
    assert "restored: " not in said and "resuming" not in said, said
    same_as_undisturbed("whole-single.h5", "fresh.h5")


main([a_configuration_is_generated,
      stopped_again_and_again_the_bits_are_those_of_one_run,
      a_signal_keeps_the_solves_in_flight,
      a_damaged_state_starts_its_solves_again_with_one_line,
      a_state_damaged_while_it_is_used_starts_its_solves_again,
      the_state_of_another_input_is_left_alone,
      no_other_file_takes_the_place_of_an_interrupted_run,
      the_part_of_another_kind_of_file_is_named,
      where_nothing_can_be_kept_the_run_still_ends_resumable,
      what_an_older_naik_began_is_continued, links_in_another_format_lose_no_solve,
      beginning_afresh_forgets_what_was_kept])
