# test_pages.py - what README.md, doc/from-milc.md and doc/from-chroma-or-pyquda.md tell the user to type works
# timeout: 600
import os
import re
import subprocess
import sys

from program import NAIK, REFERENCE, SCRATCH, main, naik, path

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")


def page(name):
    with open(os.path.join(TOP, "doc", name), encoding="utf-8") as f:
        return f.read()


def blocks(text):
    """The indented blocks of a page, without the indentation."""
    found = re.findall(r"(?:^    .*\n)(?:(?:    .*)?\n)*", text, flags=re.M)
    return ["\n".join(line[4:] for line in block.rstrip("\n").split("\n")) + "\n" for block in found]


def write(name, text):
    with open(path(name), "w") as f:
        f.write(text)


def run(commands, cwd=SCRATCH):
    """Lines that begin with naik, on one rank; what each said."""
    said = []
    for line in commands.splitlines():
        words = line.split("#")[0].split()
        assert words[0] == "naik", line
        done = subprocess.run([NAIK] + words[1:], capture_output=True, text=True, cwd=cwd, timeout=300)
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
        said.append(done.stdout)
    return said


def the_first_run_of_the_readme_is_run_as_it_stands():
    with open(os.path.join(TOP, "README.md"), encoding="utf-8") as f:
        text = f.read()
    assert text.count("\n") <= 105, "README.md answers on one screen"
    yaml, commands, python = blocks(text.split("## A first run\n")[1].split("\n## ")[0])
    os.makedirs(path("clone/demo"))
    naik("gauge", "generate", "--size", "8,8,8,16", "--beta", "6", "--sweeps", "2", "-o", path("clone/demo/lat.h5"))
    write("clone/run.yaml", yaml)
    said = run(re.sub(r"^(mpirun -n \d+ )?build/naik ", "naik ", commands, flags=re.M), cwd=path("clone"))
    assert len(said) == 5 and "dry run: the input is valid" in said[1] and "wrote prop.h5, complete" in said[2], said
    assert os.path.getsize(path("clone/prop.html")) > 10000
    formula = re.search(r"# \[t\]; here (.*)", python)[1]
    done = subprocess.run([sys.executable, "-c", f"{python}assert abs({formula} / C - 1).max() < 1e-12"],
                          capture_output=True, text=True, cwd=path("clone"))
    assert done.returncode == 0, done.stderr


def the_page_for_milc_is_run_as_it_stands():
    text = page("from-milc.md")
    milc, commands, yaml, rest = blocks(text)[0], blocks(text)[1], blocks(text)[2], blocks(text)[-1]
    write("in.milc", milc)
    if REFERENCE:
        os.symlink(os.path.join(REFERENCE, "lat.sample.l8888"), path("lat.sample.l8888"))
    else:
        naik("gauge", "generate", "--size", "8,8,8,8", "--beta", "6", "--sweeps", "2", "-o", path("lat.sample.l8888"))
    said = run(commands)
    made = [line.split("  #")[0] for line in open(path("run.yaml")).read().splitlines() if not line.startswith("#")]
    assert "\n".join(made) + "\n" == yaml, "\n".join(made)
    found = [[float(line.split()[1]) for line in part.splitlines()[1:9]] for part in said[-1].strip().split("\n\n\n")]
    assert len(found) == 2 and all(len(c) == 8 for c in found), said[-1]
    run(rest)
    if REFERENCE is None:
        return "the numbers of the page need NAIK_REFERENCE"
    rows = re.findall(r"^\| (0\.0[25]) \| ([-+e0-9. ]+) \|$", text, flags=re.M)
    assert [m for m, _ in rows] == ["0.05", "0.02"], rows
    for (mass, numbers), mine in zip(rows, found):
        assert [f"{x:.6e}" for x in mine] == numbers.split(), (mass, mine, numbers)


def correlator(text):
    return [float(line.split()[1]) for line in text.strip().splitlines() if line[0] != "#"]


def the_page_for_chroma_and_pyquda_is_run_as_it_stands():
    text = page("from-chroma-or-pyquda.md")
    hisq, commands, clover, more = blocks(re.sub(r"```.*?```", "", text, flags=re.S))[:4]
    write("run2.yaml", hisq)
    write("clover.yaml", clover)
    if REFERENCE:
        naik("gauge", "convert", os.path.join(REFERENCE, "lat.sample.l4448"), path("lat.lime"), "--to", "ildg")
    else:
        naik("gauge", "generate", "--size", "4,4,4,8", "--beta", "6", "--sweeps", "2", "-o", path("lat2.h5"))
        naik("gauge", "convert", path("lat2.h5"), path("lat.lime"), "--to", "ildg")
    run(commands.replace("run.yaml", "run2.yaml"))
    found = {"projection: u3": correlator(naik("info", path("prop.h5"), "--correlators")), "csw 1.2": correlator(run(more)[1])}
    naik("solve", path("run2.yaml"), "--set", "action.projection=su3", "--set", f"gauge.file={path('lat.lime')}", "--set",
         f"output.file={path('su3.h5')}")
    found["projection: su3"] = correlator(naik("info", path("su3.h5"), "--correlators"))
    if REFERENCE is None:
        return "the numbers of the page need NAIK_REFERENCE"
    rows = re.findall(r"^\| ((?:HISQ|clover),[^|]*) \| ([-+e0-9. ]+) \|$", text, flags=re.M)
    assert len(rows) == len(found), rows
    for label, numbers in rows:
        (name,) = [name for name in found if name in label]
        wanted = [float(number) for number in numbers.split()]
        assert len(wanted) == 8 and all(abs(a / b - 1) < 2e-7 for a, b in zip(found[name], wanted)), (name, found[name], wanted)
    return None


def phases_of_both_differ_by_a_sign_at_each_site():
    """eta' (x) = s(x) eta(x) s(x + mu), as the page says, for every site of an even lattice and every direction."""
    assert "s(x) = (-1)^(t (x+y+z))" in page("from-chroma-or-pyquda.md")
    naik_phase = [lambda x, y, z, t: t, lambda x, y, z, t: t + x, lambda x, y, z, t: t + x + y, lambda x, y, z, t: 0]
    chroma = [lambda x, y, z, t: 0, lambda x, y, z, t: x, lambda x, y, z, t: x + y, lambda x, y, z, t: x + y + z]
    for n in range(4 ** 4):
        x = [n // 4 ** k % 4 for k in range(4)]
        for mu in range(4):
            to = [(x[k] + (k == mu)) % 4 for k in range(4)]
            signs = [v[3] * (v[0] + v[1] + v[2]) for v in (x, to)]
            assert (naik_phase[mu](*x) + chroma[mu](*x) + sum(signs)) % 2 == 0, (x, mu)


main([the_first_run_of_the_readme_is_run_as_it_stands, the_page_for_milc_is_run_as_it_stands,
      the_page_for_chroma_and_pyquda_is_run_as_it_stands, phases_of_both_differ_by_a_sign_at_each_site])
