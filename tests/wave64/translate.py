#!/usr/bin/env python3
"""Copies device sources with launches of kernels as calls that C++ has (hip_runtime.h, last part).

    translate.py FOLDER OUT     every file below FOLDER; what has not changed stays untouched
"""
import glob
import os
import re
import sys


def kernel_before(text, end):
    """Where the name, with its template arguments, begins that ends at `end`."""
    at = len(text[:end].rstrip())
    if text[at - 1] == ">":
        depth = 0
        while True:
            at -= 1
            depth += (text[at] == ">") - (text[at] == "<")
            if depth == 0:
                break
    return re.search(r"\w+$", text[:at]).start()


def translate(text):
    out = ""
    # shared memory whose size the launch says
    text = re.sub(r"extern __shared__ (\w+) (\w+)\[\];", r"\1 *\2 = (\1 *)wave64_dynamic_shared;", text)
    while True:
        launch = text.find("<<<")
        if launch < 0:
            return out + text
        begin, end = kernel_before(text, launch), text.index(">>>", launch)
        name = text[begin:launch].strip()
        word = re.match(r"\w+", name).group()
        out += f'{text[:begin]}wave64_kernel("{word}", {name}, {text[launch + 3:end]})'
        text = text[end + 3:]


def main():
    folder, target = sys.argv[1:]
    for path in glob.glob(folder + "/**/*", recursive=True):
        if not path.endswith((".cu", ".cuh", ".h", ".inc")):
            continue
        with open(path) as file:
            text = translate(file.read())
        path = os.path.join(target, os.path.relpath(path, folder))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if os.path.exists(path):
            with open(path) as file:
                if file.read() == text:
                    continue
        with open(path, "w") as file:
            file.write(text)


if __name__ == "__main__":
    main()
