# test_dist.py - the tarball of `make dist` builds without git; the recipes of packaging/ are sound
# timeout: 900
import ast
import os
import re
import shutil
import subprocess
import tarfile

from program import LONG, SCRATCH, main, path

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
VERSION = re.search(r'NAIK_VERSION "(.*)"', open(os.path.join(TOP, "include/naik/version.h")).read()).group(1)
NAME = f"naik-{VERSION}"


def run(words, **more):
    env = {k: v for k, v in os.environ.items() if k not in ("BUILD", "MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    done = subprocess.run(words, capture_output=True, text=True, env={**env, **more.pop("env", {})}, **more)
    assert done.returncode == 0, f"{words}\n{done.stdout}{done.stderr}"
    return done.stdout


def in_git():
    return shutil.which("git") and os.path.exists(os.path.join(TOP, ".git"))


def dist():
    """A checkout of its own: what lies about in this one is not to be in the tarball."""
    if not os.path.exists(path("clone")):
        run(["git", "clone", "-q", "--no-hardlinks", TOP, path("clone")])
    run(["make", "-C", path("clone"), "dist"])
    return open(path(f"clone/build/{NAME}.tar.gz"), "rb").read()


def dist_packs_the_files_of_the_commit_and_its_name():
    if not in_git():
        return "needs git"
    first = dist()
    commit = run(["git", "-C", path("clone"), "describe", "--always", "--abbrev=10"]).strip()
    with open(path("clone/README.md"), "a") as f:
        f.write("not committed\n")
    with open(path("clone/stray.c"), "w") as f:
        f.write("no C\n")
    assert dist() == first  # neither what is not committed nor the time changes a byte
    tarfile.open(path(f"clone/build/{NAME}.tar.gz")).extractall(SCRATCH)
    files = {os.path.relpath(os.path.join(folder, name), path(NAME)) for folder, _, names in os.walk(path(NAME)) for name in names}
    assert files == set(run(["git", "-C", path("clone"), "ls-files"]).split()) | {"RELEASE"}, files
    assert open(path(f"{NAME}/RELEASE")).read().strip() == commit


def the_tarball_builds_without_git_and_knows_its_commit():
    if not in_git():
        return "needs git"
    if not LONG and "NAIK_TEST_BUILDS" not in os.environ:
        return "builds everything once more: make check-long"
    os.makedirs(path("bin"), exist_ok=True)
    with open(path("bin/git"), "w") as f:
        f.write("#!/bin/sh\nexit 127\n")
    os.chmod(path("bin/git"), 0o755)
    words = ["make", "-C", path(NAME), "-j2", "all"] + (["MPICC=" + os.environ["MPICC"]] if os.environ.get("MPICC") else [])
    run(words, env={"PATH": path("bin") + ":" + os.environ["PATH"]})
    said = run([path(f"{NAME}/build/naik"), "--version"])
    commit = open(path(f"{NAME}/RELEASE")).read().strip()
    assert said.startswith(f"naik {VERSION} ({commit})"), said


def recipes_name_this_version_and_are_sound():
    recipe = open(os.path.join(TOP, "packaging/spack/package.py")).read()
    tree = ast.parse(recipe)
    package = [node for node in tree.body if isinstance(node, ast.ClassDef)][0]
    assert package.name == "Naik" and [base.id for base in package.bases] == ["MakefilePackage", "CudaPackage", "ROCmPackage"]
    versions = re.findall(r'version\("(.*?)"', recipe)
    assert versions == ["main", VERSION] and f"{NAME}.tar.gz" in recipe, versions
    settings = set(re.findall(r'[\["]([A-Z][A-Z_]+)=', recipe)) | {"HDF5_CFLAGS", "HDF5_LIBS", "YAML_CFLAGS", "YAML_LIBS"}
    makefile = open(os.path.join(TOP, "Makefile")).read()
    assert not [s for s in settings if f"$({s})" not in makefile and f"ifndef {s}" not in makefile], settings
    definition = open(os.path.join(TOP, "packaging/naik.def")).read()
    assert definition.count(VERSION) == 2, definition
    sections = dict(re.findall(r"^%(\w+).*\n((?:(?!%).*\n)*)", definition, flags=re.M))
    assert {"files", "post", "environment", "runscript", "test", "help"} <= set(sections), sections
    for name in ("post", "environment", "runscript", "test"):
        with open(path(name + ".sh"), "w") as f:
            f.write("#!/bin/sh\n" + sections[name])
        run(["sh", "-n", path(name + ".sh")])
        if shutil.which("shellcheck"):
            run(["shellcheck", path(name + ".sh")])
    for page in ("packaging/README.md",):
        assert f"naik@{VERSION}" in open(os.path.join(TOP, page)).read()


main([dist_packs_the_files_of_the_commit_and_its_name, the_tarball_builds_without_git_and_knows_its_commit,
      recipes_name_this_version_and_are_sound])
