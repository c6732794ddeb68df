#!/usr/bin/env python3
"""Which GPU kernels keep values of a thread in memory, by the compilers' own report.

    make -O GPU=cuda GPU_ARCH=sm_90  GPU_FLAGS=-Xptxas=-v                            2> cuda.log
    make -O GPU=hip  GPU_ARCH=gfx90a GPU_FLAGS=-Rpass-analysis=kernel-resource-usage 2> hip.log
    tools/spills.py cuda.log hip.log

Prints one line a log, and one for every kernel that spills; those of EXCEPTIONS may, as far as is said there. Exit
status 1 if another does, or more, or if a log reports no kernel at all.
"""
import re
import sys

sys.dont_write_bytecode = True
from code_object import plain  # noqa: E402

# (kernel, report, bytes a thread at most, why)
EXCEPTIONS = [
    ("dslash_kernel<vec_half, short, 13, 1, 6>", "ptxas", 4,
     "for sm_80: one word, written and read once a site; a block fewer a multiprocessor would hide less latency"),
    ("dslash_kernel<vec_half, float, 13, 1, 4>", "ptxas", 8, "for sm_80: two such words"),
    ("tiles_kernel<vec_half, 4>", "ptxas", 128,
     "sums of bricks, which the innermost loop does not touch; one block a multiprocessor spills nothing and is slower"),
    ("tiles_kernel<vec_single, 4>", "ptxas", 176, "the same"),
]


def allowed(name, is_clang):
    return max((most for kernel, report, most, _ in EXCEPTIONS
                if kernel in name and (report == "clang") == is_clang), default=0)


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
        memory = re.search(r"(\d+) bytes spill stores", line) or re.search(r"ScratchSize \[bytes/lane\]: (\d+)", line)
        if memory:
            found[name][1] += int(memory.group(1))
    return [(name, *values) for name, values in found.items()]


def main():
    bad = False
    for path in sys.argv[1:]:
        with open(path, errors="replace") as log:
            text = log.read()
        all_kernels = kernels(text)
        is_clang = "Function Name:" in text
        spilled = [k for k in all_kernels if k[2] > 0]
        most = max((k[1] for k in all_kernels), default=0)
        print(f"{path}: {len(all_kernels)} kernels, at most {most} registers, {len(spilled)} spill")
        for name, registers, size in spilled:
            may = allowed(plain(name), is_clang)
            print(f"  {plain(name)}: {registers} registers, {size} spilled" + (f", {may} allowed" if may else ""))
            bad = bad or size > may
        bad = bad or not all_kernels
    return 1 if bad or len(sys.argv) < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
