#!/usr/bin/env python3
"""Writes the parts of the documentation that are made from the program itself:

    tools/doc.py PROGRAM FOLDER

FOLDER/input.md from `naik solve --help`, the end of FOLDER/troubleshooting.md from
tests/bad_inputs.txt, FOLDER/naik-input.schema.json from `naik schema`. `make doc` calls it; tests/test_doc.py compares.
"""
import os
import re
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


def sections_of(program):
    """Name, meaning and keys of the sections of an input, as `naik solve --help` has them."""
    said = subprocess.run([program, "solve", "--help"], capture_output=True, text=True, check=True)
    reference = said.stdout.split("The input file, with every key it may have:\n")[1]
    parts = [section.split("\n", 1) for section in reference.strip("\n").split("\n\n")]
    return [(*title.split(": ", 1), lines) for title, lines in parts]


def input_reference(program):
    out = ""
    for name, meaning, lines in sections_of(program):
        out += f"\n## {name}\n\n{meaning[0].upper() + meaning[1:]}.\n\n```text\n{lines}\n```\n"
    return out


def wrong_lines(old, new):
    """The lines of `new` that are not in `old`, as code."""
    lines = [line.strip() for line in new.split("\\n") if line not in old.split("\\n")] or [new.strip()]
    lines = [line if len(line) < 200 else line[:40] + "..." for line in lines]
    return " and ".join(f"`{line}`" for line in lines) if lines != [""] else "nothing"


def of_section(sentence, sections):
    """The section of the key that a sentence names first; "" for none."""
    words = "|".join(sections)
    key = re.search(rf"'({words})(?:\.[^']*)?'", sentence) or re.search(rf"unknown key '({words})\b|^({words})\.\w", sentence)
    return next(filter(None, key.groups())) if key else ""


def bad_inputs(program):
    """What naik says to wrong inputs: sentences that differ in a value only stand here once."""
    with open(os.path.join(TOP, "tests", "bad_inputs.txt"), "rb") as f:
        text = f.read().decode("utf-8")
    _, words, files = text.split("\n----\n\n")
    sections = [name for name, _, _ in sections_of(program)]
    groups = {name: {} for name in sections + ["whole", "files", "damaged"]}
    for entry in words.strip("\n").split("\n\n") + files.strip("\n").split("\n\n"):
        old, new, sentence = entry.split("\n")[:3]
        status, sentence = (sentence[0], sentence[2:]) if entry in files else ("1", sentence)
        sentence = re.sub(r"^input\.yaml(:[0-9]+:[0-9]+)?: ", "", sentence)
        section = "damaged" if status == "4" else "files" if entry in files else of_section(sentence, sections) or "whole"
        kind = re.sub(r"\.[0-9]+\.", "[].", sentence)
        for varies in (r"(, not |names | is )('[^']*'|\S+)(.*)", r"(not apply to (?:source type|action.type) )\w+(.*)", r"(' )[0-9.e-]+( is too small.*)"):
            kind = re.sub(varies, r"\1", kind)
        groups[section].setdefault((kind, "did you mean" in sentence), (sentence, wrong_lines(old, new)))
    titles = {"whole": "The file as a whole", "files": "Files that the input names",
              "damaged": "Damaged files: exit status 4"}
    out = ""
    for name, entries in groups.items():
        out += f"\n### {titles.get(name, f'`{name}`')}\n\n| what naik says | of an input with these lines |\n|---|---|\n"
        rows = [[cell.replace("|", "\\|") for cell in entry] for entry in entries.values()]
        if name in sections:
            rows.sort(key=lambda row: re.search(rf"'?({name}[^' ]*)|$", re.sub(r"\.[0-9]+\.", ".", row[0])).group(1) or "")
        out += "".join(f"| `{said}` | {written} |\n" for said, written in rows)
    return out


if __name__ == "__main__":
    replace_end(os.path.join(sys.argv[2], "input.md"), input_reference(sys.argv[1]))
    replace_end(os.path.join(sys.argv[2], "troubleshooting.md"), bad_inputs(sys.argv[1]))
    with open(os.path.join(sys.argv[2], "naik-input.schema.json"), "w", encoding="utf-8") as f:
        f.write(subprocess.run([sys.argv[1], "schema"], capture_output=True, text=True, check=True).stdout)
