#!/usr/bin/env python3
"""Makes the tables of files in the README of every folder of C and GPU sources:

    tools/folder_tables.py

A row is a header with its source, or a file alone, and what the first line of the former says:
/* NAME - WHAT */. A file whose first line says nothing keeps the row that it has. `make doc` calls
this; tests/test_doc.py compares.
"""
import glob
import os
import re

HEAD = "| file | what is in it |\n|---|---|\n"


def folders():
    return sorted(path[:-len("/README.md")] for path in glob.glob("src/*/README.md") + glob.glob("src/*/*/README.md") +
                  glob.glob("io/README.md") + glob.glob("io/*/README.md") + glob.glob("gpu/README.md") + glob.glob("gpu/*/README.md"))


def said(path):
    """What the first line says, which may go on in the second; or None."""
    with open(path, encoding="utf-8") as f:
        text = f.read(2000)
    found = re.match(r"/\* \S+ - (.*?)(?:\n \*\n|\*/|\.\s)", text, flags=re.S)
    if not found:
        return None
    line = re.sub(r"\s*\n \*\s*", " ", found.group(1)).strip().rstrip(".")
    return re.sub(r"; private to \S+$", "", line).replace("|", "\\|")


def rows_of(text):
    """File to what its row says; one row may name several files."""
    rows = {}
    for names, what in re.findall(r"^\| (`[^|]*`) \| (.*) \|$", text, flags=re.M):
        for name in re.findall(r"`([^`]+)`", names):
            rows[name] = what
    return rows


def page(folder):
    """The README as it is, and with its table made anew; (None, None) where it has no such table."""
    with open(folder + "/README.md", encoding="utf-8") as f:
        text = f.read()
    if HEAD not in text:
        return None, None
    begin = text.index(HEAD) + len(HEAD)
    end = begin + len(re.match(r"(?:\|.*\n)*", text[begin:]).group(0))
    old = rows_of(text[begin:end])
    files = {}
    for name in sorted(os.listdir(folder)):
        if os.path.isfile(folder + "/" + name) and name != "README.md":
            files.setdefault(os.path.splitext(name)[0], []).append(name)
    table = ""
    for stem in sorted(files):
        names = sorted(files[stem], key=lambda name: not name.endswith(".h"))
        lines = [line for line in (said(folder + "/" + name) or old.get(name) for name in names) if line]
        if lines:
            table += f"| {', '.join(f'`{name}`' for name in names)} | {lines[0]} |\n"
    return text, text[:begin] + table + text[end:]


if __name__ == "__main__":
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    for folder in folders():
        before, after = page(folder)
        if before != after:
            with open(folder + "/README.md", "w", encoding="utf-8") as f:
                f.write(after)
