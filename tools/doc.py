#!/usr/bin/env python3
"""Writes the parts of the documentation that are made from the program itself:

    tools/doc.py PROGRAM FOLDER

FOLDER/input.md from `naik solve --help`, the end of FOLDER/troubleshooting.md from
tests/bad_inputs.txt. `make doc` calls it; tests/test_doc.py compares.
"""
import os
import subprocess
import sys

MARK = "<!-- made by `make doc` from here on -->\n"
TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")


def replace_end(path, text):
    """Keeps what stands before the mark."""
    with open(path, encoding="utf-8") as f:
        head = f.read().split(MARK)[0]
    with open(path, "w", encoding="utf-8") as f:
        f.write(head + MARK + text)


def input_reference(program):
    said = subprocess.run([program, "solve", "--help"], capture_output=True, text=True, check=True)
    reference = said.stdout.split("The input file, with every key it may have:\n")[1]
    out = ""
    for section in reference.strip("\n").split("\n\n"):
        title, lines = section.split("\n", 1)
        name, meaning = title.split(": ", 1)
        out += f"\n## {name}\n\n{meaning[0].upper() + meaning[1:]}.\n\n```text\n{lines}\n```\n"
    return out


def bad_inputs():
    with open(os.path.join(TOP, "tests", "bad_inputs.txt"), "rb") as f:
        text = f.read().decode("utf-8")
    _, words, files = text.split("\n----\n\n")
    out = "\n| instead of | was written | exit status and what naik says |\n|---|---|---|\n"
    for entry in words.strip("\n").split("\n\n") + files.strip("\n").split("\n\n"):
        cells = [cell.replace("|", "\\|") or " " for cell in entry.split("\n")]
        status, cells[2] = (cells[2][0], cells[2][2:]) if entry in files else ("1", cells[2])
        cells = [f"`{cell}`" if cell.strip() else "nothing" for cell in cells]
        out += f"| {cells[0]} | {cells[1]} | {status}: {cells[2]} |\n"
    return out


if __name__ == "__main__":
    replace_end(os.path.join(sys.argv[2], "input.md"), input_reference(sys.argv[1]))
    replace_end(os.path.join(sys.argv[2], "troubleshooting.md"), bad_inputs())
