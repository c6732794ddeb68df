# test_outputs.py - what is there stays: no command replaces a file that it was not told to replace
# timeout: 240
import os
import re
import shutil
import subprocess

import h5py

from program import command, environment, go_on, held, holding, main, naik, path, start

INPUT = """lattice: {size: [4, 4, 4, 8]}
gauge: {file: LATTICE}
action: {type: hisq}
solve:
  - {name: pt, masses: [0.1, 0.4], source: {type: point, origin: [0, 0, 0, 0]}}
output: {file: OUT, correlators: [pion5]}
"""


def make():
    naik("gauge", "generate", "--size", "4,4,4,8", "--beta", 6, "--sweeps", 2, "-o", path("lat.h5"))
    with open(path("run.yaml"), "w", encoding="utf-8") as f:
        f.write(INPUT.replace("LATTICE", path("lat.h5")).replace("OUT", path("prop.h5")))
    naik("solve", path("run.yaml"))


def writers(name):
    """Every command that makes a file, with `name` as its output."""
    generate = ["gauge", "generate", "--size", "4,4,4,8", "--beta", 6, "--sweeps", 1]
    return [["gauge", "convert", path("lat.h5"), name], ["gauge", "convert", path("lat.h5"), name, "--to", "ildg"],
            [*generate, "-o", name], ["links", path("run.yaml"), "-o", name],
            ["export", path("prop.h5"), "--mass", 1, "-o", name], ["report", path("prop.h5"), "-o", name]]


def content(name):
    with open(name, "rb") as f:
        return f.read()


def an_existing_file_stays_unless_force_is_said():
    make()
    name = path("there")
    for source in ("prop.h5", "lat.h5"):
        for words in writers(name):
            shutil.copy(path(source), name)
            said = naik(*words, status=1, ranks=1 + ("generate" in words))
            assert f"{name} is there already and is not replaced without --force: choose another name" in said, said
            assert "sweep" not in said and "plaquette" not in said, said  # before the work
            assert content(name) == content(path(source)), words
    for words in writers(name):
        shutil.copy(path("prop.h5"), name)
        naik(*words, "--force")
        assert content(name) != content(path("prop.h5")), words
        os.remove(name)
        naik(*words)  # nothing is in the way
    os.remove(name)
    os.symlink("nowhere", name)  # what a link leads to may come later
    for words in [*writers(name), ["solve", path("run.yaml"), "--set", f"output.file={name}"]]:
        said = naik(*words, status=1)
        assert os.readlink(name) == "nowhere" and f"{name} is a symbolic link to nothing: remove the link" in said, (words, said)
    os.remove(name)


def of_several_files_none_is_written_where_one_is_there():
    shutil.copy(path("lat.h5"), path("several.s0000.m01"))
    said = naik("export", path("prop.h5"), "-o", path("several"), status=1)
    assert "several.s0000.m01 is there already" in said and not os.path.exists(path("several.s0000.m00")), said
    naik("export", path("prop.h5"), "-o", path("several"), "--force")
    assert os.path.exists(path("several.s0000.m00"))


def names_of_files_beside_an_output_are_refused():
    for ending in (".part", ".journal", ".lock", ".state", ".search"):
        name = path("x.h5") + ending
        for words in [*writers(name), ["solve", path("run.yaml"), "--set", f"output.file={name}"],
                      ["solve", path("run.yaml"), "--set", f"run.events={name}"],
                      ["modes", path("run.yaml"), "--set", f"deflation={{modes: 8, file: {name}}}"],
                      ["import-milc", path("run.yaml"), "-o", name],
                      ["gauge", "convert", path("lat.h5"), name, "--force"]]:
            said = naik(*words, status=1)
            assert f"must not end in {ending}: naik gives such names to files beside an output" in said, said
            assert not os.path.exists(name), words


def names_of_the_modes_of_a_further_epsilon_are_refused():
    modes = path("m.h5")
    for key, name in (("output.file", modes + ".epsilon-0.1"), ("run.events", modes + ".epsilon0")):
        said = naik("solve", path("run.yaml"), "--set", f"deflation={{modes: 8, file: {modes}}}", "--set", f"{key}={name}", "--dry-run", status=1)
        assert f"'{key}' must not begin with {modes}.epsilon" in said, said


def beside(ending, words, refused):
    """What somebody has under a name that naik gives to files beside an output stays, behind a link too."""
    name = path("beside.h5") + ending
    for put in (lambda: shutil.copy(path("lat.h5"), name) if ending == ".part" else shutil.copy(path("run.yaml"), name),
                lambda: os.symlink("target", name)):
        shutil.copy(path("run.yaml"), path("target"))
        put()
        os.utime(name, (1e9, 1e9))  # a lock of that age would be stale
        before = content(name)
        said = naik(*words, status=1)
        held = ending == ".lock" and not os.path.islink(name)
        assert f"{name} is" in said, said
        assert ("held by another job" if held else "move it away or choose another") in said, said
        assert "sweep" not in said and content(name) == before and content(path("target")) == content(path("run.yaml"))
        refused.append((ending, words[0]))
        os.remove(name)


def dead_lock(name):
    with open(name + ".lock", "w", encoding="utf-8") as f:
        f.write(f"host={os.uname().nodename}\npid=999999\nstart=1\nboot=" + boot() + "\nspace=" +
                os.readlink("/proc/self/ns/pid") + "\nslurm_job=-\nslurm_restart=-\ntime=1\n")


def the_lock_of_a_job_that_died_when_its_file_was_whole_goes():
    whole, run = path("whole.h5"), path("run.yaml")
    vectors = ["solve", run, "--set", "action={type: wilson}", "--set", "solver={method: multigrid}", "--set",
               f"multigrid={{vectors: 6, cycles: 0, file: {whole}}}", "--set", "output.correlators=[pion]", "--set",
               "solve.0.masses=[0.1]", "--set", f"output.file={path('wilson.h5')}", "--fresh"]
    solve = ["solve", run, "--set", f"output.file={whole}"]
    for words in [*([*w, ""] for w in writers(whole)[:5]), ["modes", run, "--set", f"deflation={{modes: 8, file: {whole}}}"],
                  vectors, solve, [*solve, "--skip-complete"]]:
        refused = words[-1] == ""
        words = [w for w in words if w != ""]
        naik(*words)
        dead_lock(whole)
        if "solve" in words and words != vectors:
            with open(path("whole.h5.journal"), "wb") as f:
                f.write(b"naik-journal ")
        naik(*words, status=int(refused), ranks=1 + (words == solve))
        left = [name for name in os.listdir(path("")) if name.startswith("whole.h5.")]
        assert left == [], (words, left)
        if refused:  # a lock that vouches for a .part stays with it
            dead_lock(whole)
            shutil.copy(whole, path("whole.h5.part"))
            naik(*words, status=1)
            naik(*words, "--force")
        os.remove(whole)


def what_lies_beside_an_output_stays_unless_naik_left_it():
    refused = []
    solve = ["solve", path("run.yaml"), "--set", f"output.file={path('beside.h5')}"]
    modes = ["modes", path("run.yaml"), "--set", f"deflation={{modes: 8, file: {path('beside.h5')}}}"]
    for words in [*writers(path("beside.h5"))[:5], solve, [*solve, "--fresh"], modes]:
        beside(".part", words, refused)
    for ending in (".journal", ".part.state", ".lock"):
        beside(ending, solve, refused)
    beside(".search", modes, refused)
    assert len(refused) == 24, refused
    naik("gauge", "generate", "--size", "4,4,4,8", "--beta", 6, "--sweeps", 1, "-o", path("beside.h5"))
    os.rename(path("beside.h5"), path("beside.h5.part"))  # as a kill before the end leaves it, with its lock
    dead_lock(path("beside.h5"))
    generate = ["gauge", "generate", "--size", "4,4,4,8", "--beta", 6, "--sweeps", 1, "-o", path("beside.h5")]
    lock = content(path("beside.h5.lock"))
    with open(path("beside.h5.lock"), "wb") as f:
        f.write(lock.replace(b"host=", b"host=another"))
    os.utime(path("beside.h5.lock"), (4e9, 4e9))  # a machine whose clock is ahead
    said = naik(*generate, status=1)
    assert re.search("its last sign of life is [0-9]+ s ahead of the clock here; wait for it", said), said
    with open(path("beside.h5.lock"), "wb") as f:
        f.write(lock)
    said = naik(*generate)
    assert "took over the lock" in said and not os.path.exists(path("beside.h5.part")), said
    os.remove(path("beside.h5"))


def a_folder_that_may_not_be_written_is_refused_before_the_work():
    os.makedirs(path("closed"), exist_ok=True)
    os.chmod(path("closed"), 0o555)
    nobody = {"user": 65534} if os.geteuid() == 0 else {}  # root may write everywhere
    words = command("gauge", "generate", "--size", "4,4,4,8", "--beta", 6, "--sweeps", 1, "-o", path("closed/lat.h5"))
    try:
        run = subprocess.run(words, capture_output=True, text=True, timeout=300, env=environment(), cwd="/", **nobody)
    except PermissionError:
        return "nobody may not run this program"
    said = run.stdout + run.stderr
    if nobody and ("cannot be used: Permission denied" in said or "naik: error:" not in said):
        return "nobody may not look into this folder, or start a program with MPI"
    assert run.returncode == 1 and f"the folder {path('closed')} of {path('closed/lat.h5')} is not writable: Permission denied" in said, (run.returncode, said)
    assert "sweep" not in said, said
    return None


def names_of_files_are_expanded_as_a_shell_does():
    env = {"HOME": path("."), "WHERE": "down"}
    os.makedirs(path("down"), exist_ok=True)
    words = ["solve", path("run.yaml"), "--set", "gauge.file=~/lat.h5"]
    naik(*words, "--set", "output.file=~/$WHERE/${WHERE}_\\$1.h5", "--set", "run.events=$WHERE/../down/~", env=env, ranks=2,
         cwd=path("."))
    assert sorted(os.listdir(path("down"))) == ["down_$1.h5", "~"]
    made = path("down/down_$1.h5")
    naik("export", made, "--mass", 1, "-o", path("expanded"))  # from the input that it carries, HOME elsewhere
    os.rename(path("lat.h5"), path("down/lat.h5"))
    naik("info", made, "--residuals", "--set", "gauge.file=~/lat.h5", env={"HOME": path("down")})
    os.rename(path("down/lat.h5"), path("lat.h5"))
    for name, told in (("$NOWHERE/x.h5", "the environment has no NOWHERE: set it, or write \\$ for a dollar sign"),
                       ("~no_such_user/x.h5", "there is no user no_such_user: write the whole path"),
                       ("${WHERE:-x}.h5", "of a variable naik takes $NAME and ${NAME} only")):
        said = naik("solve", path("run.yaml"), "--dry-run", "--set", f"output.file={name}", status=1)
        assert f"'output.file' is '{name}'" in said and told in said, said


def boot():
    with open("/proc/sys/kernel/random/boot_id", encoding="utf-8") as f:
        return f.read().strip()


def fresh_replaces_propagator_files_only():
    naik("links", path("run.yaml"), "-o", path("links.h5"))
    naik("gauge", "convert", path("lat.h5"), path("lat.ildg"), "--to", "ildg")
    for other in ("lat.h5", "lat.ildg", "links.h5"):
        shutil.copy(path(other), path("other.h5"))
        said = naik("solve", path("run.yaml"), "--fresh", "--set", f"output.file={path('other.h5')}", status=1)
        assert "is no propagator file of naik, and --fresh replaces no other" in said, said
        assert content(path("other.h5")) == content(path(other)), other
    # what a later naik wrote, and what an h5py script did: intact, and of another kind
    shutil.copy(path("prop.h5"), path("other.h5"))
    with h5py.File(path("other.h5"), "r+") as f:
        f.attrs["format_version"] = "2.0"
    with h5py.File(path("script.h5"), "w") as f:
        f["a"] = 1.0
    shutil.copy(path("prop.h5"), path("begun.h5"))
    with h5py.File(path("begun.h5"), "r+") as f:
        f.attrs["state"] = "incomplete"
    for other, fresh, told in (("other.h5", ["--fresh"], "has version 2.0 of the format naik-prop"),
                               ("other.h5", [], "has version 2.0 of the format naik-prop"),
                               ("script.h5", ["--fresh"], "is no propagator file of naik, and --fresh replaces no other"),
                               ("script.h5", [], "exists and is no file of naik: move it away"),
                               ("begun.h5", [], "is an unfinished propagator file: rename it to")):
        before = content(path(other))
        said = naik("solve", path("run.yaml"), *fresh, "--set", f"output.file={path(other)}", status=1)
        assert told in said and content(path(other)) == before, (other, fresh, said)
        os.remove(path(other)) if fresh == [] else None
    for size in (os.path.getsize(path("prop.h5")), 3000, 0):  # whole, damaged, empty
        with open(path("other.h5"), "wb") as f:
            f.write(content(path("prop.h5"))[:size])
        naik("solve", path("run.yaml"), "--fresh", "--set", f"output.file={path('other.h5')}")
    os.remove(path("other.h5"))


def a_file_that_appears_during_the_run_stays():
    begun = start("gauge", "generate", "--size", "4,4,4,8", "--beta", 6, "--sweeps", 200, "-o", path("late.h5"))
    said = begun.stdout.readline()
    assert said.startswith("sweep"), said
    shutil.copy(path("prop.h5"), path("late.h5"))
    said += begun.communicate()[0]
    assert begun.returncode == 1 and "is there, which was not when this run began, and stays" in said, said
    assert content(path("late.h5")) == content(path("prop.h5"))
    naik("gauge", "check", path("late.h5.part"))  # and neither is what was made lost
    assert not os.path.exists(path("late.h5.lock"))


def a_file_that_appears_during_a_solve_stays():
    shutil.copy(path("prop.h5"), path("other.h5"))
    begun = start("solve", path("run.yaml"), "--set", f"output.file={path('solved.h5')}")
    said = ""
    for line in begun.stdout:
        said += line
        if line.startswith("solve 1/"):
            shutil.copy(path("lat.h5"), path("solved.h5"))
    assert begun.wait() == 1 and "is there, which was not when this run began" in said, said
    assert content(path("solved.h5")) == content(path("lat.h5"))
    os.remove(path("solved.h5"))
    naik("solve", path("run.yaml"), "--set", f"output.file={path('solved.h5')}")
    naik("info", path("solved.h5"))
    assert not os.path.exists(path("solved.h5.part"))


def an_output_that_loses_its_lock_at_the_end_gets_no_name():
    """The lock is looked at again before the name: what goes before may take long, such as the copy without propagators."""
    out = path("lost.h5")
    run = start("solve", path("run.yaml"), "--set", f"output.file={out}", "--set", "output.propagators=false",
                "--set", "pairs=[{name: pp, quark: pt, antiquark: pt}]", env=holding(sync="lost.h5.part.new"))
    assert held(run)
    with open(out + ".lock", "w", encoding="utf-8") as f:
        f.write("another job's")
    go_on()
    told = run.communicate()[0]
    assert run.returncode == 2 and "lost.h5.lock is no longer this job's" in told, (run.returncode, told)
    assert not os.path.exists(out) and os.path.exists(out + ".part") and content(out + ".lock") == b"another job's"
    os.remove(out + ".lock")
    naik("solve", path("run.yaml"), "--set", f"output.file={out}", "--set", "output.propagators=false",
         "--set", "pairs=[{name: pp, quark: pt, antiquark: pt}]")
    naik("info", out)


def a_run_writes_over_nothing_that_it_reads_by_another_name():
    shutil.copy(path("lat.h5"), path("read.h5"))
    os.symlink("read.h5", path("alias.h5"))
    with open(path("links.yaml"), "w", encoding="utf-8") as f:
        f.write(INPUT.replace("gauge: {file: LATTICE}\n", "").replace("type: hisq", "type: links, file: fat.h5").replace("OUT", "out.h5"))
    for name, key in (("run", "gauge.file=%s"), ("run", "deflation={modes: 4, file: own.h5, import: %s}"), ("run", "solve.0.guess=%s"),
                      ("run", "solve.0.source={type: file, file: %s}"), ("links", "action.file=%s"), ("links", "action.long_file=%s")):
        for output in "output.file", "run.events":
            said = naik("solve", path(name + ".yaml"), "--dry-run", "--set", key % path("read.h5"), "--set", f"{output}={path('alias.h5')}",
                        status=1)
            assert f"'{output}' is '{path('alias.h5')}', which is read as input" in said, (key, said)


main([an_existing_file_stays_unless_force_is_said, the_lock_of_a_job_that_died_when_its_file_was_whole_goes,
      of_several_files_none_is_written_where_one_is_there, names_of_files_beside_an_output_are_refused,
      names_of_the_modes_of_a_further_epsilon_are_refused, what_lies_beside_an_output_stays_unless_naik_left_it,
      a_folder_that_may_not_be_written_is_refused_before_the_work, names_of_files_are_expanded_as_a_shell_does, fresh_replaces_propagator_files_only,
      a_file_that_appears_during_the_run_stays, a_file_that_appears_during_a_solve_stays,
      an_output_that_loses_its_lock_at_the_end_gets_no_name, a_run_writes_over_nothing_that_it_reads_by_another_name])
