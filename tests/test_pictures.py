# test_pictures.py - the pictures of the pages show what tests/results has now
import glob
import os
import re
import subprocess
import sys

from program import NAIK, SCRATCH, main

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
FOLDER = os.path.join(TOP, "doc", "pictures")
SVG = ("time-to-solution.svg", "weak-scaling.svg")


def read(*names):
    with open(os.path.join(*names), encoding="utf-8") as f:
        return f.read()


def python_with_matplotlib():
    for candidate in (sys.executable, "python3", "/usr/bin/python3"):
        try:
            if subprocess.run([candidate, "-c", "import matplotlib"], capture_output=True).returncode == 0:
                return candidate
        except OSError:
            pass
    return None


def inside(text, name):
    return re.search(rf"<dc:{name}>(.*?)</dc:{name}>", text, flags=re.S).group(1).strip()


def pictures_show_the_measurements_that_are_there():
    python = python_with_matplotlib()
    if python is None:
        return "matplotlib is missing"
    subprocess.run([python, os.path.join(TOP, "tools", "pictures.py"), NAIK, os.path.join(SCRATCH, "made")], check=True)
    for name in SVG:
        kept, made = read(FOLDER, name), read(SCRATCH, "made", name)
        assert inside(kept, "description") == inside(made, "description"), f"{name}: run `make pictures`"
        # other versions of the libraries place letters elsewhere
        if inside(kept, "creator") == inside(made, "creator"):
            assert kept == made, f"{name} is drawn otherwise: run `make pictures`"


def pictures_are_small_and_shown():
    files = sorted(os.path.basename(f) for f in glob.glob(os.path.join(FOLDER, "*")))
    others = [f for f in files if not re.fullmatch(r"example-[a-z0-9-]+\.png", f)]  # those are tools/examples.py's
    assert others == sorted(SVG + ("report.png",)), files
    assert sum(os.path.getsize(os.path.join(FOLDER, f)) for f in files) <= 300e3
    pages = [read(name) for name in [os.path.join(TOP, "README.md")] + glob.glob(os.path.join(TOP, "doc", "*.md"))]
    for name in files:
        assert any(f"pictures/{name})" in page for page in pages), f"no page shows {name}"


main([pictures_show_the_measurements_that_are_there, pictures_are_small_and_shown])
