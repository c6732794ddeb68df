"""One input over several configurations: {config} in names, gauge.configs."""
import os

import h5py

from program import answer, everything, main, naik, path, same

INPUT = """
lattice: {size: [4, 4, 4, 8]}
gauge:
  file: FOLDER/lat.{config}.h5
  configs: [a1, a2, a3]
action: {type: naive}
solve:
  - {name: pt, masses: [0.2], source: {type: point, origin: [0, 0, 0, 0]}}
output: {file: "FOLDER/prop.{config}.h5"}
"""


def several_configurations_are_made():
    for seed in (1, 2, 3):
        naik("gauge", "generate", "--size", "4,4,4,8", "--beta", "5.8", "--seed", str(seed), "--sweeps", "3", "-o", path(f"lat.a{seed}.h5"))
    for name, folder in (("all.yaml", path(".")), ("one.yaml", path("."))):
        with open(path(name), "w", encoding="utf-8") as f:
            f.write(INPUT.replace("FOLDER", folder))


def each_is_what_it_would_be_alone():
    said = naik("solve", path("all.yaml"), ranks=2)
    for k in (1, 2, 3):
        assert f"configuration a{k}, {k} of 3\n" in said, said
        naik("solve", path("one.yaml"), "--set", f"gauge.config=a{k}", "--set", f"output.file={path(f'alone{k}.h5')}")
        same(everything(f"prop.a{k}.h5"), everything(f"alone{k}.h5"))
    first, second = (h5py.File(path(f"prop.a{k}.h5")) for k in (1, 2))
    assert (first["prop/s0000/m00"][...] != second["prop/s0000/m00"][...]).any()
    text = first["metadata/input_text"].asstr()[()]  # texts are str so, attributes by themselves
    assert "# --set gauge.config=a1" in text, text
    assert isinstance(first["prop/s0000/m00"].attrs["action"], str)
    assert "residual" in naik("info", "--residuals", path("prop.a2.h5"))


def what_is_complete_is_skipped():
    os.remove(path("prop.a2.h5"))
    said = naik("solve", path("all.yaml"))
    assert said.count("is complete: skipped") == 2 and said.count(", complete and verified") == 1, said


def what_does_not_converge_keeps_none_of_the_others_back():
    for k in (1, 2, 3):
        os.remove(path(f"prop.a{k}.h5"))
    status, said, told = answer("solve", path("all.yaml"), "--set", "solver.max_iterations=2")
    assert status == 3 and "on 3 of 3 configurations solves did not reach their tolerance" in told, told
    assert all(os.path.exists(path(f"prop.a{k}.h5")) for k in (1, 2, 3)), told
    # they are no reason to skip their configurations, which need their links
    os.rename(path("lat.a2.h5"), path("away"))
    status, said, told = answer("solve", path("all.yaml"), "--set", "solver.max_iterations=2")
    os.rename(path("away"), path("lat.a2.h5"))
    assert status == 1 and "warning: 1 of 3 configurations cannot be read now" in told, (status, told)


def what_fails_ends_the_list():
    for k in (1, 2, 3):
        os.remove(path(f"prop.a{k}.h5"))
    os.rename(path("lat.a2.h5"), path("away"))
    status, said, told = answer("solve", path("all.yaml"))
    assert status == 1 and "lat.a2.h5" in told and os.path.exists(path("prop.a1.h5")) and not os.path.exists(path("prop.a3.h5")), told
    assert told.index("warning: 1 of 3 configurations cannot be read now, the first of them " + path("./lat.a2.h5") + ": this run ends") \
        < told.index("naik: error:"), told
    os.rename(path("away"), path("lat.a2.h5"))
    assert "cannot be read now" not in naik("solve", path("all.yaml"))
    os.rename(path("lat.a2.h5"), path("away"))
    with open(path("prop.a2.h5"), "ab") as f:  # which looking ahead finds first, and its visit tells
        f.write(b"junk")
    said = naik("solve", path("all.yaml"))  # it is solved, and needs its links no more
    assert "cannot be read now" not in said and said.count("prop.a2.h5' has 4 bytes behind its end") == 1, said
    unstable = "solve.0.source={type: covariant_gaussian, origin: [0, 0, 0, 0], radius: 6, iterations: 2}"
    status, said, told = answer("solve", path("all.yaml"), "--fresh", "--dry-run", "--set", unstable)
    os.rename(path("away"), path("lat.a2.h5"))
    assert status == 1 and "1 of 3 configurations cannot be read now" in told and told.count("is unstable") == 3, (status, told)


def the_time_that_is_left_counts_for_all():
    for k in (1, 2, 3):
        os.remove(path(f"prop.a{k}.h5"))
    status, said, told = answer("solve", path("all.yaml"), "--set", "run.wall_limit=0.001")
    assert status == 5 and "stopped by wall_limit of 0.001 s" in told, (status, told)
    assert not any(os.path.exists(path("prop.a2.h5" + end)) for end in ("", ".part")), told
    naik("solve", path("all.yaml"))


def other_commands_want_one():
    status, said, told = answer("links", path("all.yaml"), "-o", path("links.h5"))
    assert status == 1 and "'gauge.configs' is a list for naik solve: choose one here, --set gauge.config=a1" in told, told
    naik("links", path("all.yaml"), "--set", "gauge.config=a3", "-o", path("links.h5"))
    said = naik("solve", path("all.yaml"), "--dry-run", "--machine", "h100", "--set", "lattice.size=[32,32,32,32]")
    assert "the input has 3 configurations; this is the plan of one" in said, said
    pilot = answer("solve", path("all.yaml"), "--dry-run", "--machine", "h100", "--set", "lattice.size=[32,32,32,32]", "--from", path("prop.{config}.h5"))
    assert pilot[0] == 0 and "measured by the pilot run" in pilot[1], pilot
    said = naik("solve", path("all.yaml"), "--dry-run")
    assert said.count("configuration a") == 3 and said.count("memory: a rank needs at most") == 1, said
    assert said.count("the plan is the one above; ") == 2 and f"{path('./prop.a3.h5')} can be written; nothing was solved" in said, said


main([several_configurations_are_made, each_is_what_it_would_be_alone, what_is_complete_is_skipped,
      what_does_not_converge_keeps_none_of_the_others_back, what_fails_ends_the_list,
      the_time_that_is_left_counts_for_all, other_commands_want_one])
