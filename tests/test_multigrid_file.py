"""multigrid.file, as its user runs it: the same bytes as a setup, whose vectors they are, every kind of damage, kills."""
import os
import random
import re
import shutil
import signal
import zlib

import h5py

from program import LONG, built_shim, go_on, held, holding, main, naik, path, same, sealed, start

INPUT = """
lattice:  {size: [4, 4, 4, 8], boundary_t: antiperiodic}
gauge:    {file: %s}
action:   {type: clover, csw: 1.0}
solve:
  - name: pt
    kappas: [%s]
    source: {type: point, origin: [1, 2, 3, 5], colours: [0]}
solver:   {method: multigrid, tolerance: 1e-10}
multigrid: {vectors: 6, start: 4, cycles: 1, smoother: 4, file: %s}
output:   {file: %s, correlators: []}
"""
READ = "near-null vectors of .*, made for kappa 0.14, take the place of a setup"


def solve(name, *more, kappas="0.140", vectors="mg.h5", lattice="lat.h5", **options):
    with open(path(name + ".yaml"), "w") as f:
        f.write(INPUT % (path(lattice), kappas, path(vectors) if vectors else "none", path(name + ".h5")))
    return naik("solve", path(name + ".yaml"), *more, **options)


def everything(name):
    """Bytes of the solutions, and how they were found."""
    with h5py.File(path(name)) as f:
        found = {key: f["/prop/s0000"][key][...].tobytes() for key in f["/prop/s0000"] if key.startswith("m")}
        return {**found, "iterations": f["/solves"]["iterations"].tobytes(), "history": f["/solves_history"][...].tobytes()}


def a_configuration_and_its_vectors_are_made():
    naik("gauge", "generate", "--size", "4,4,4,8", "--beta", "5.7", "--seed", "3", "--sweeps", "8", "-o", path("lat.h5"))
    said = solve("dry", "--dry-run")
    assert f"multigrid: naik keeps the near-null vectors of a setup in {path('mg.h5')} (" in said and not os.path.exists(path("mg.h5")), said
    said = solve("made")
    assert said.count("multigrid start: ") == 1 and f"the near-null vectors are kept in {path('mg.h5')}" in said, said
    assert sorted(f for f in os.listdir(path(".")) if f.startswith("mg.h5")) == ["mg.h5"]
    with h5py.File(path("made.h5")) as f:
        assert [reason == b"colour not asked for" for reason in f["/solves"]["stop_reason"]] == 4 * [False, True, True], f["/solves"][...]


def they_give_the_bytes_of_a_setup_on_any_number_of_ranks():
    for ranks in 1, 2:
        said = solve(f"read{ranks}", ranks=ranks)
        assert re.search(READ, said) and "multigrid start: " not in said, said
        same(everything("made.h5"), everything(f"read{ranks}.h5"))
    solve("two", vectors="by2.h5", ranks=2)
    with h5py.File(path("mg.h5")) as a, h5py.File(path("by2.h5")) as b:
        for name in "v", "near_null", "suma", "sumb":
            assert a["multigrid/" + name][...].tobytes() == b["multigrid/" + name][...].tobytes(), name
    for line in "multigrid_q0", "multigrid_vectors":  # who makes the vectors tells them from others as who reads them does
        told = [re.search(line + "=(.*)", naik("info", path(name))).group(1) for name in ("made.h5", "read1.h5", "read2.h5")]
        assert len(set(told)) == 1, told


def they_serve_another_kappa_as_a_setup_for_both_does():
    solve("both", kappas="0.130, 0.140", vectors=None)
    said = solve("heavy", kappas="0.130")
    assert re.search(READ, said), said
    with h5py.File(path("both.h5")) as a, h5py.File(path("heavy.h5")) as b:
        assert (a["/prop/s0000/m00"][...] == b["/prop/s0000/m00"][...]).all()
    for vectors, told in ("mg.h5", "which take the place of a setup"), ("none-yet.h5", "naik keeps the near-null vectors of a setup in"):
        said = solve("family", "--dry-run", kappas="0.130, 0.140", vectors=vectors)
        assert said.count(told) == 1, said  # once of all that share them


def info_and_report_tell_of_them():
    said = naik("info", path("mg.h5"))
    for line in ("kind: near-null vectors of multigrid", "kappa: 0.14", "csw: 1", "vectors: 6", "aggregate: 2x2x2x4", "vectors_verified: 6",
                 "intact: true", "attributes_intact: true", "boundary_t: antiperiodic"):
        assert f"\n{line}\n" in said, (line, said)
    told = f"6 made for kappa 0.14, kept in {path('mg.h5')}"
    assert f"multigrid_vectors={told}" in naik("info", path("heavy.h5"))
    naik("report", path("heavy.h5"))
    with open(path("heavy.html")) as f:
        assert told in f.read()


def vectors_of_another_setup_are_refused():
    cases = [(["multigrid.seed=2"], "made with multigrid.seed 1, and it is 2 here"),
             (["multigrid.aggregate=[2, 2, 2, 2]"], r"made with multigrid.aggregate \[2, 2, 2, 4\], and it is \[2, 2, 2, 2\] here"),
             (["multigrid.coarse_tolerance=0.2"], "made with multigrid.coarse_tolerance 0.1, and it is 0.2 here"),
             (["multigrid.setup_kappa=0.139"], "made for kappa 0.14, and multigrid.setup_kappa is 0.139"),
             (["action.csw=1.1"], "which do not serve clover quarks .*csw 1.1"),
             (["lattice.boundary_t=periodic"], "antiperiodic in t.*, which do not serve .*, periodic in t"),
             (["lattice.size=[4, 4, 4, 16]"], "are of a lattice of 4x4x4x8")]
    for keys, sentence in cases if LONG else cases[:1] + cases[3:]:  # every number: test_multigrid_parameters
        said = solve("refused", *sum((["--set", key] for key in keys), []), status=1)
        assert re.search(sentence, said), (sentence, said)
        assert not os.path.exists(path("refused.h5.part")), said
    said = solve("refused2", "--set", f"multigrid.file={path('made.h5')}", status=1)
    assert "holds no near-null vectors: name another multigrid.file" in said, said
    said = solve("refused2", vectors="nowhere/mg.h5", status=1)
    assert "nowhere" in said and not os.path.exists(path("refused2.h5.part")), said


def vectors_of_other_links_are_refused():
    naik("gauge", "generate", "--size", "4,4,4,8", "--beta", "5.7", "--seed", "3", "--sweeps", "9", "-o", path("links.h5"))
    said = solve("next", lattice="links.h5", status=1)
    assert re.search(r"keeps near-null vectors of other links: \|Mh v\|/\|v\| of vector 0 is", said), said


def edited(name, change):
    """A copy of the file with something else in it, and the checksums that this has."""
    shutil.copy(path("mg.h5"), path(name))
    with h5py.File(path(name), "r+") as f:
        change(f)
        f.attrs.modify("near_null_crc", zlib.crc32(f["multigrid/near_null"][...].tobytes()))
    sealed(path(name))


def vectors_are_as_near_to_null_as_the_file_says():
    """To a part in a hundred and 2e-4: just inside, and just outside."""
    for part, status in (0.9, 0), (1.1, 1):
        def change(f, part=part):
            f["multigrid/near_null"][5] = (f["multigrid/near_null"][5] + part * 2e-4) / (1 - part * 1e-2)
        edited("near.h5", change)
        said = solve("nearby", "--fresh", vectors="near.h5", status=status)
        assert re.search(READ if status == 0 else "keeps near-null vectors of other links: .* of vector 5 is", said), said


def links_in_few_bits_are_no_other_links():
    """Of these smooth links 16-bit ones of 8 numbers change |Mh v|/|v| of a near-null vector by 3e-4 of itself."""
    naik("gauge", "generate", "--size", "4,4,4,8", "--beta", "200", "--seed", "3", "--start", "cold", "--sweeps", "4", "-o", path("smooth.h5"))
    words = ["--set", "lattice.boundary_t=periodic", "--set", "action={type: wilson}", "--set", "multigrid.start=20", "--set", "multigrid.cycles=3"]
    solve("wide", *words, kappas="0.126", vectors="smooth-mg.h5", lattice="smooth.h5")
    said = solve("few", *words, "--set", "solver.inner_precision=half", "--set", "solver.link_numbers=8", kappas="0.126", vectors="smooth-mg.h5",
                 lattice="smooth.h5")
    assert "made for kappa 0.126, take the place of a setup" in said and "converged" in said, said


def a_run_goes_on_with_the_file_that_it_was_begun_with():
    solve("lighter", kappas="0.142", vectors="mg142.h5")
    solve("went", env={"NAIK_INJECT": "stop:solve:1"}, status=5)
    said = solve("went", vectors="mg142.h5", status=1)
    assert re.search(r"was begun with other near-null vectors: 6 made for kappa 0.14, kept in \S+mg.h5 \(checksum [0-9a-f]{8}\) then, 6 made for "
                     r"kappa 0.142, kept in \S+mg142.h5 .* now. Set multigrid.file as it was", said), said
    os.rename(path("mg.h5"), path("moved.h5"))  # those of its own setup are the same
    solve("went", vectors=None)
    os.rename(path("moved.h5"), path("mg.h5"))
    same(everything("made.h5"), everything("went.h5"))


def damaged(name, at, bit):
    with open(path("mg.h5"), "rb") as f:
        whole = bytearray(f.read())
    whole[at] ^= bit
    with open(path(name), "wb") as f:
        f.write(whole)


def places():
    """An offset in every part of the file."""
    with open(path("mg.h5"), "rb") as f, h5py.File(path("mg.h5")) as h5:
        whole = f.read()
        found = {name: h5["multigrid/" + name].id.get_offset() for name in ("v", "near_null", "suma", "sumb")}
        found["v"] += h5["multigrid/v"].id.get_storage_size() - 3
    found["a name"] = whole.index(b"coarse_tolerance")
    found["format"] = whole.index(b"naik-multigrid") + 5
    return found


def damage_is_told_wherever_it_is():
    for name, at in places().items():
        damaged("bad.h5", at, 4)
        said = naik("info", path("bad.h5"), status=4)
        if LONG or name in ("v", "near_null", "suma", "sumb"):
            said = solve("damaged", "--fresh", vectors="bad.h5", status=4)
            assert "damaged" in said or "disagrees with its checksum" in said, (name, said)
    shutil.copy(path("mg.h5"), path("half-done.h5"))
    with h5py.File(path("half-done.h5"), "r+") as f:
        f.attrs.modify("state", "incomplete")
    said = solve("damaged", "--fresh", vectors="half-done.h5", status=4)
    assert "was never completed: its writer was interrupted" in said, said
    if LONG:
        random.seed(5)
        with open(path("mg.h5"), "rb") as f:
            size = len(f.read())
        solve("sound")
        for _ in range(60):  # any byte: told, or of no matter
            damaged("bad.h5", random.randrange(size), 1 << random.randrange(8))
            said = solve("any", "--fresh", vectors="bad.h5", status=None)
            if "complete and verified" in said:
                same(everything("sound.h5"), everything("any.h5"))
            else:
                assert re.search("damaged|disagrees|cannot be opened|never completed|missing|cut short|version", said), said


def a_run_that_ends_while_they_are_written_leaves_no_half_file():
    for fault, status in ("kill:setup:%d", -signal.SIGKILL), ("stop:setup:%d", 5):
        solve("ended", vectors="half.h5", env={"NAIK_INJECT": fault % WRITING}, status=status)
        assert not os.path.exists(path("half.h5")) and os.path.exists(path("half.h5.part")) == (status != 5), (fault, os.listdir(path(".")))
    said = solve("ended", vectors="half.h5")
    assert "the near-null vectors are kept in" in said, said
    left = [f for f in os.listdir(path(".")) if f.startswith("half.h5") and ".part-" not in f]  # those are a killed MPI-IO's
    assert left == ["half.h5"], left
    same(everything("made.h5"), everything("ended.h5"))


def a_setup_whose_vectors_cannot_be_written_is_not_lost():
    if built_shim() is None:
        return "no cc, or not glibc"
    for order, why in (("room:1@0", "No space left on device"), ("sync:1@0", "Input/output error")):
        said = solve("unfiled", "--fresh", vectors="full.h5",
                     env={"LD_PRELOAD": built_shim(), "NAIK_FAIL": order, "NAIK_FAIL_RANK": "0", "NAIK_FAIL_IN": os.path.realpath(path("full.h5"))})
        assert re.search(f"warning: multigrid: the near-null vectors of this setup cannot be kept in .*full.h5, and this run goes on with them: .*{why}", said), said
        assert not [f for f in os.listdir(path(".")) if f.startswith("full.h5")], os.listdir(path("."))
        same(everything("made.h5"), everything("unfiled.h5"))
    return None


def vectors_that_another_job_has_kept_meanwhile_stay():
    solve("late", "--dry-run", vectors="late-null.h5")
    run = start("solve", path("late.yaml"), env=holding(at="multigrid start: "))
    assert held(run)
    shutil.copy(path("mg.h5"), path("late-null.h5"))
    go_on()
    said = run.communicate()[0]
    assert run.returncode == 0 and "late-null.h5 has those of another job or group" in said and "warning: multigrid" not in said, said
    with open(path("mg.h5"), "rb") as a, open(path("late-null.h5"), "rb") as b:
        assert a.read() == b.read()
    same(everything("made.h5"), everything("late.h5"))


def a_setup_hears_at_each_of_its_steps():
    for step in range(1, WRITING, 1 if LONG else 3):
        said = solve("heard", "--fresh", vectors="not-yet.h5", env={"NAIK_INJECT": f"stop:setup:{step}"}, status=5)
        assert "near-null vectors are kept in" not in said and not os.path.exists(path("not-yet.h5")), (step, said)


WRITING = 15  # a step of the setup, or of what follows it, in which the file is written

main([a_configuration_and_its_vectors_are_made, they_give_the_bytes_of_a_setup_on_any_number_of_ranks,
      vectors_of_another_setup_are_refused,
      vectors_of_other_links_are_refused, vectors_are_as_near_to_null_as_the_file_says, links_in_few_bits_are_no_other_links,
      a_run_goes_on_with_the_file_that_it_was_begun_with, damage_is_told_wherever_it_is, a_run_that_ends_while_they_are_written_leaves_no_half_file,
      a_setup_whose_vectors_cannot_be_written_is_not_lost, vectors_that_another_job_has_kept_meanwhile_stay, a_setup_hears_at_each_of_its_steps,
      they_serve_another_kappa_as_a_setup_for_both_does, info_and_report_tell_of_them],
     needed=[a_configuration_and_its_vectors_are_made, they_serve_another_kappa_as_a_setup_for_both_does])
