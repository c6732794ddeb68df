# test_install.py - `make install` into an empty folder, and the example that links what is there
# timeout: 240
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys

import h5py
import numpy as np

from program import MPIRUN, SCRATCH, main, naik, path

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
BUILD = os.path.relpath(os.environ["BUILD"], TOP)
STAGE, PREFIX = path("stage"), path("stage/opt/naik")


def run(words, **more):
    done = subprocess.run(words, capture_output=True, text=True, **more)
    assert done.returncode == 0, f"{words}\n{done.stdout}{done.stderr}"
    return done.stdout


def install_puts_everything_under_destdir_and_prefix():
    env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    # -o all: the build that is being tested, whatever its flags
    words = ["make", "-C", TOP, "-o", "all", "-o", "python", "install", f"DESTDIR={STAGE}", "prefix=/opt/naik", f"BUILD={BUILD}"]
    if os.environ.get("MPICC"):
        words.append("MPICC=" + os.environ["MPICC"])
    run(words, env=env)
    upper = run(["make", "-C", TOP, "-n", "-o", "all", "-o", "python", "install", "PREFIX=/opt/upper", f"BUILD={BUILD}"], env=env)
    assert "/opt/upper/bin" in upper and "/usr/local/bin" not in upper, upper  # the name that other codes have for prefix
    for name in ("bin/naik", "lib/libnaik.a", "lib/pkgconfig/naik.pc", "include/naik/naik.h",
                 "share/man/man1/naik.1", "share/naik/python/naik_io.py", "share/naik/python/naik/session.py", "lib/libnaik.so",
                 "share/doc/naik/doc/machine-example.yaml", "share/doc/naik/inputs/hisq-point.yaml"):
        assert os.path.getsize(os.path.join(PREFIX, name)) > 0, name
    version = run([os.path.join(PREFIX, "bin/naik"), "--version"]).split()[1]
    if shutil.which("pkg-config"):
        pc = os.path.join(PREFIX, "lib/pkgconfig")
        assert run(["pkg-config", "--modversion", "naik"], env={**os.environ, "PKG_CONFIG_PATH": pc}).strip() == version
    if shutil.which("man"):
        page = run(["man", "naik"], env={**os.environ, "MANPATH": os.path.join(PREFIX, "share/man"), "MANPAGER": "cat", "PAGER": "cat"})
        assert f"naik {version}" in page and "naik solve INPUT.yaml" in page, page[:500]
    # the package there finds the library there
    env = {**{k: v for k, v in os.environ.items() if k != "NAIK_LIBRARY"}, "PYTHONPATH": os.path.join(PREFIX, "share/naik/python")}
    where = run([sys.executable, "-B", "-c", "import naik, naik.library; print(naik.version().split()[0], naik.library.load()._name)"], env=env)
    said, library = where.split()
    assert said == version and os.path.realpath(library) == os.path.realpath(os.path.join(PREFIX, "lib/libnaik.so")), where


def the_pages_are_there_with_all_to_which_they_link():
    pages = os.path.join(PREFIX, "share/doc/naik")
    wrong, count = [], 0
    for page in ["README.md"] + glob.glob("*/README.md", root_dir=pages) + glob.glob("doc/*.md", root_dir=pages):
        with open(os.path.join(pages, page), encoding="utf-8") as f:
            text = re.sub(r"```.*?```|`[^`]*`", "", f.read(), flags=re.S)
        for target in re.findall(r"\]\(([^)#\s]+)[^)\s]*\)", text):
            count += 1
            if "://" not in target and not os.path.exists(os.path.join(pages, os.path.dirname(page), target)):
                wrong.append(f"{page}: {target}")
    assert count > 300 and not wrong, (count, wrong)
    assert "jackknife" in run([sys.executable, "-B", os.path.join(pages, "python/ensemble_average.py"), "--help"])
    # the texts name that folder: the program the one beside it, the manual page the one under prefix
    for words in (["--help"], ["solve", "--help"], ["import-milc", "--help"]):
        assert f"doc/ and inputs/ are folders of {os.path.realpath(pages)}\n" in run([os.path.join(PREFIX, "bin/naik")] + words), words
    with open(os.path.join(PREFIX, "share/man/man1/naik.1"), encoding="utf-8") as f:
        assert ".I /opt/naik/share/doc/naik\n" in f.read()
    shutil.copy(os.path.join(PREFIX, "bin/naik"), path("naik"))
    assert "`make install` copies them to\nPREFIX/share/doc/naik\n" in run([path("naik"), "--help"])


def the_example_is_built_through_pkg_config_and_agrees_with_naik_solve():
    if not shutil.which("pkg-config"):
        return "needs pkg-config"
    # the .pc file names the final prefix; the staged one is given instead
    env = {**os.environ, "PKG_CONFIG_PATH": os.path.join(PREFIX, "lib/pkgconfig")}
    flags = run(["pkg-config", f"--define-variable=prefix={PREFIX}", "--cflags", "--libs", "naik"], env=env)
    mpicc = shlex.split(os.environ.get("MPICC", "mpicc"))
    for name in ("solve_in_memory", "solve_own_links"):
        shutil.copy(os.path.join(TOP, "examples", name + ".c"), SCRATCH)
        run(mpicc + ["-std=c17", "-Wall", "-Wextra", "-Werror", path(name + ".c"), "-o", path(name)]
            + shlex.split(flags))
    naik("gauge", "generate", "--size", "4,4,4,8", "--beta", "6", "--seed", "1", "--sweeps", "10",
         "-o", path("lat.h5"))
    with open(path("in.yaml"), "w") as f:
        f.write(f"""
lattice: {{size: [4, 4, 4, 8]}}
gauge: {{file: {path('lat.h5')}}}
action: {{type: hisq}}
solve: [{{name: pt, masses: [0.1], source: {{type: point, origin: [0, 0, 0, 0]}}}}]
output: {{file: {path('a.h5')}, propagators: false}}
""")
    naik("solve", path("in.yaml"))
    with h5py.File(path("a.h5")) as f:
        expected = f["corr/pt/m00/pion5/p000"][...]
        norm = f["solves"][0]["norm"]
    for ranks in (1, 2):
        said = run(MPIRUN + ["-n", str(ranks), path("solve_in_memory"), path("lat.h5"), "0.1"])
        got = np.array([float(line.split()[1]) for line in said.splitlines()[-8:]])
        # both are solved to 1e-10, in different precision
        assert np.allclose(got, expected, rtol=1e-7), (got, expected, said)
        # links in memory, of a program that started MPI: the norm of the first colour's solution
        own = run(MPIRUN + ["-n", str(ranks), path("solve_own_links"), path("lat.h5"), "0.1"])
        assert "converged after" in own, own
        assert abs(float(own.split("|x| = ")[1]) / norm - 1) < 1e-9, (own, norm)


def the_lines_of_c_that_pages_show_are_those_of_the_examples():
    for page, example in (("doc/output.md", "read_output"), ("include/README.md", "solve_in_memory")):
        with open(os.path.join(TOP, page), encoding="utf-8") as f, open(os.path.join(TOP, f"examples/{example}.c"), encoding="utf-8") as g:
            shown, program = re.search(r"^```c\n(.*?)^```$", f.read(), flags=re.M | re.S)[1], re.sub(r"\s", "", g.read())
        missing = [line for line in shown.splitlines() if re.sub(r"\s", "", line) not in program]
        assert len(shown.splitlines()) > 4 and not missing, (page, missing)


def the_example_that_reads_an_output_is_built_and_run_as_its_page_says():
    """In C, with HDF5 alone: two columns, the pion that naik stored and the pion of the propagator."""
    wrapper = shutil.which("h5pcc") or shutil.which("h5cc")
    if not wrapper:
        return "needs h5pcc or h5cc"
    with open(os.path.join(TOP, "doc/output.md"), encoding="utf-8") as f:
        section = f.read().split("\n## C\n")[1].split("\n## ")[0]
    if not os.path.exists(path("lat.h5")):
        naik("gauge", "generate", "--size", "4,4,4,8", "--beta", "6", "--seed", "1", "--sweeps", "10", "-o", path("lat.h5"))
    os.symlink(os.path.join(TOP, "examples"), path("examples"))
    for bits in (64, 32):
        with open(path("read.yaml"), "w") as f:
            f.write(f"""
lattice: {{size: [4, 4, 4, 8]}}
gauge: {{file: {path('lat.h5')}}}
action: {{type: hisq}}
solve: [{{name: pt, masses: [0.1], source: {{type: point, origin: [0, 0, 0, 0]}}}}]
output: {{file: {path('prop.h5')}, precision: {bits}}}
""")
        naik("solve", path("read.yaml"), "--fresh")
        build, command = [line.split("#")[0].split() for line in re.findall(r"^    (.*)$", section, flags=re.M)]
        run([wrapper, "-Wall", "-Wextra", "-Werror"] + build[1:], cwd=SCRATCH)
        said = np.array([line.split() for line in run(command, cwd=SCRATCH).splitlines()], float)
        with h5py.File(path("prop.h5")) as f:
            expected = f["corr/pt/m00/pion5/p000"][...]
        assert said.shape == (8, 3) and np.allclose(said[:, 1], expected, rtol=1e-11), said
        assert np.allclose(said[:, 2], expected, rtol=1e-11 if bits == 64 else 1e-6), said


def the_headers_serve_cxx_inside_extern_c():
    if not shutil.which("g++"):
        return "needs g++"
    with open(path("user.cc"), "w") as f:
        f.write('#define OMPI_SKIP_MPICXX\n#define MPICH_SKIP_MPICXX\n#include <mpi.h>\nextern "C" {\n#include "naik/mpi.h"\n#include "naik/naik.h"\n}\n'
                "int main() { naik_session *s = nullptr; naik_session_destroy(&s); }\n")
    words = ["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-c", path("user.cc"), "-o", path("user.o"),
             "-I" + os.path.join(PREFIX, "include")]
    words += [flag for flag in shlex.split(run(["mpicc", "-show"])) if flag.startswith("-I")]
    run(words)
    assert " naik_session_destroy" in run(["nm", "-u", path("user.o")])


def uninstall_leaves_nothing():
    run(["make", "-C", TOP, "uninstall", f"DESTDIR={STAGE}", "prefix=/opt/naik", f"BUILD={BUILD}"],
        env={k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")})
    left = [os.path.join(folder, name) for folder, _, names in os.walk(STAGE) for name in names]
    assert not left, left


main([install_puts_everything_under_destdir_and_prefix, the_pages_are_there_with_all_to_which_they_link,
      the_example_is_built_through_pkg_config_and_agrees_with_naik_solve,
      the_lines_of_c_that_pages_show_are_those_of_the_examples, the_example_that_reads_an_output_is_built_and_run_as_its_page_says, the_headers_serve_cxx_inside_extern_c,
      uninstall_leaves_nothing])
