# test_outputs.py - what is there stays: no command replaces a file that it was not told to replace
# timeout: 240
import os
import shutil

from program import main, naik, path, start

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
    for words in writers(name):
        naik(*words, status=1)
        assert os.readlink(name) == "nowhere", words
    os.remove(name)


def of_several_files_none_is_written_where_one_is_there():
    shutil.copy(path("lat.h5"), path("several.s0000.m01"))
    said = naik("export", path("prop.h5"), "-o", path("several"), status=1)
    assert "several.s0000.m01 is there already" in said and not os.path.exists(path("several.s0000.m00")), said
    naik("export", path("prop.h5"), "-o", path("several"), "--force")
    assert os.path.exists(path("several.s0000.m00"))


def names_of_files_beside_an_output_are_refused():
    for ending in (".part", ".journal", ".lock", ".state"):
        name = path("x.h5") + ending
        for words in [*writers(name), ["solve", path("run.yaml"), "--set", f"output.file={name}"],
                      ["solve", path("run.yaml"), "--set", f"run.events={name}"],
                      ["modes", path("run.yaml"), "--set", f"deflation={{modes: 8, file: {name}}}"],
                      ["import-milc", path("run.yaml"), "-o", name],
                      ["gauge", "convert", path("lat.h5"), name, "--force"]]:
            said = naik(*words, status=1)
            assert f"must not end in {ending}: files beside an output are called so" in said, said
            assert not os.path.exists(name), words


def fresh_replaces_propagator_files_only():
    naik("links", path("run.yaml"), "-o", path("links.h5"))
    naik("gauge", "convert", path("lat.h5"), path("lat.ildg"), "--to", "ildg")
    for other in ("lat.h5", "lat.ildg", "links.h5"):
        shutil.copy(path(other), path("other.h5"))
        said = naik("solve", path("run.yaml"), "--fresh", "--set", f"output.file={path('other.h5')}", status=1)
        assert "is no propagator file of naik, and --fresh replaces no other" in said, said
        assert content(path("other.h5")) == content(path(other)), other
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


main([an_existing_file_stays_unless_force_is_said, of_several_files_none_is_written_where_one_is_there,
      names_of_files_beside_an_output_are_refused, fresh_replaces_propagator_files_only, a_file_that_appears_during_the_run_stays,
      a_file_that_appears_during_a_solve_stays])
