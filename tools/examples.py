#!/usr/bin/env python3
"""Runs the worked examples doc/example-*.md as they stand and draws their pictures:

    tools/examples.py PROGRAM FOLDER [NAME ...]

In FOLDER, where what is there already stays; the pictures go to doc/pictures, smaller than the pages draw them.
tests/test_examples.py runs the same pages on a smaller lattice.
"""
import contextlib
import glob
import io
import os
import re
import shlex
import subprocess
import sys

TOP = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.path.insert(0, os.path.join(TOP, "python"))


def names():
    return sorted(os.path.basename(name)[len("example-"):-len(".md")]
                  for name in glob.glob(os.path.join(TOP, "doc", "example-*.md")))


def page(name):
    with open(os.path.join(TOP, "doc", f"example-{name}.md"), encoding="utf-8") as f:
        return f.read()


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.M | re.S)


def prepared(text):
    """A page behind what doc/README.md tells to prepare for all of them."""
    with open(os.path.join(TOP, "doc", "README.md"), encoding="utf-8") as f:
        return f.read() + text


def commands(text):
    """The words behind `naik` of every command; a configuration that is there is not generated again."""
    for line in "".join(blocks(text, "sh")).splitlines():
        words = shlex.split(line)
        assert words[0] == "naik", line
        if not ("-o" in words and os.path.exists(words[words.index("-o") + 1])):
            yield words[1:]


def plotting():
    try:
        import matplotlib
    except ImportError:
        return False
    matplotlib.use("Agg")
    return True


def python(text):
    """Runs the Python of a page in the present folder; its variables, and in `said` what it printed."""
    made, said = {}, io.StringIO()
    with contextlib.redirect_stdout(said):
        for code in blocks(text, "python"):
            if "matplotlib" not in code or plotting():
                exec(code, made)  # the page's own lines
    made["said"] = said.getvalue()
    return made


def picture(text):
    """The name of the file that the page draws."""
    return re.search(r'savefig\("(\S+)"\)', text).group(1)


def main(program, folder, wanted):
    import matplotlib
    from PIL import Image
    matplotlib.rcParams.update({"figure.figsize": (5, 3.2), "savefig.dpi": 80, "figure.autolayout": True})
    program = os.path.abspath(program)
    os.makedirs(folder, exist_ok=True)
    os.chdir(folder)
    if not os.path.exists("inputs"):
        os.symlink(os.path.join(TOP, "inputs"), "inputs")
    for name in wanted or names():
        text = page(name)
        for words in commands(prepared(text)):
            subprocess.run([program, *words], check=True, stdout=subprocess.DEVNULL)
        print(name + ":", python(text)["said"].strip())
        sys.modules["matplotlib.pyplot"].close("all")
        with Image.open(picture(text)) as drawn:  # few colours: a third of the bytes
            drawn.convert("RGB").quantize(32).save(os.path.join(TOP, "doc", "pictures", f"example-{name}.png"),
                                                   optimize=True)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
