#!/usr/bin/env python3
"""Which GPU kernels keep values of a thread in memory, by the compilers' own report.

    make -O GPU=cuda GPU_ARCH=sm_90  GPU_FLAGS=-Xptxas=-v                            2> cuda.log
    make -O GPU=hip  GPU_ARCH=gfx90a GPU_FLAGS=-Rpass-analysis=kernel-resource-usage 2> hip.log
    tools/spills.py cuda.log hip.log

Prints one line a log, and one for every hot kernel that spills. Exit status 1 if one does, or if a log
reports no hot kernel at all.
"""
import re
import sys

sys.dont_write_bytecode = True
from code_object import plain  # noqa: E402

# Kernels that an iteration runs; those that run once a solve (packing of links) may spill. Of those of
# one warp a column AMD's compiler may index arrays in memory.
SCALARS = re.compile(r"(column_step|shift_step|sums_reduce)_kernel")
HOT = re.compile(r"(dslash|dslash_divided|update_shifts|shift_step|dot|copy|column_step|"
                 r"sums_reduce|pack|unpack|receive)_kernel")


def kernels(text):
    """(mangled name, registers, bytes in memory) of every kernel in a log of ptxas or of clang."""
    found = {}
    name = None
    for line in text.splitlines():
        ptxas = re.search(r"Function properties for (\S+)|Compiling entry function '(\S+)'", line)
        clang = re.search(r"Function Name: (\S+)", line)
        if ptxas or clang:
            name = clang.group(1) if clang else ptxas.group(1) or ptxas.group(2)
            found.setdefault(name, [0, 0])
            continue
        if name is None:
            continue
        used = re.search(r"Used (\d+) registers", line) or re.search(r"^.*\bVGPRs: (\d+)", line)
        if used:
            found[name][0] = int(used.group(1))
        # Bytes a thread; of AMD those of indexed arrays, too. Scalar registers of AMD spill into lanes
        # of vector registers, which is not memory.
        pattern = r"VGPRs Spill: (\d+)" if SCALARS.search(name) else r"ScratchSize \[bytes/lane\]: (\d+)"
        memory = re.search(r"(\d+) bytes spill stores", line) or re.search(pattern, line)
        if memory:
            found[name][1] += int(memory.group(1))
    return [(name, *values) for name, values in found.items()]


def main():
    bad = False
    for path in sys.argv[1:]:
        with open(path, errors="replace") as log:
            all_kernels = kernels(log.read())
        hot = [k for k in all_kernels if HOT.search(k[0])]
        spilled = [k for k in hot if k[2] > 0]
        most = max((k[1] for k in hot), default=0)
        print(f"{path}: {len(all_kernels)} kernels, {len(hot)} hot, at most {most} registers, "
              f"{len(spilled)} spill")
        for name, registers, size in spilled:
            print(f"  {plain(name)}: {registers} registers, {size} spilled")
        bad = bad or not hot or bool(spilled)
    return 1 if bad or len(sys.argv) < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
