#!/usr/bin/env python3
"""What limits the hot kernels on an MI250X die, predicted from the code that a compiler made for gfx90a.

    make GPU=hip GPU_ARCH=gfx90a && tools/amd_limits.py build/hip/gpu/dslash/dslash_kernels.*.o

Prints a table: registers, waves a SIMD, bytes a load, vector instructions, and the fraction of 1.6 TB/s that
two limits allow: instructions that can be issued, and bytes that can be under way while memory answers. Nothing is
measured here. What is assumed:
  a die       110 units of 4 SIMDs at 1.7 GHz; a SIMD issues one vector instruction of a wave of 64 in 4 cycles
  registers   512 a lane and SIMD, taken by eights, at most 8 waves
  memory      answers after 800 ns; what a site moves at least: its links, each vector once in and once out
  loops       over points run as often as the vectors and links of 16 points (8 of naive links) take loads;
              everything else once, in every thread, although much of it is run by few threads or never: so
              the first limit is pessimistic, most of all where several threads share a site
"""
import re
import sys

sys.dont_write_bytecode = True
import code_object  # noqa: E402

UNITS, SIMDS, CLOCK, LANES, CYCLES = 110, 4, 1.7e9, 64, 4
REGISTERS, MOST_WAVES, BANDWIDTH, LATENCY_S = 512, 8, 1.6e12, 800e-9
LOADED = {"ubyte": 1, "ushort": 2, "short_d16": 2, "dword": 4, "dwordx2": 8, "dwordx3": 12, "dwordx4": 16}
HOT = re.compile(r"(dslash|dslash_divided|update_shifts|update_direction|dot)_kernel")
VECTOR = {"vec_double": 48, "vec_single": 24, "vec_half": 16}
NUMBER = {"double": 8, "float": 4, "short": 2}


def load_bytes(name):
    match = re.match(r"(global|flat|buffer)_load_(\w+)$", name)
    return LOADED.get(match.group(2), 4) if match else 0


def over_points(kernel):
    """Indices of the instructions in loops that multiply."""
    inside = set()
    for i in range(len(kernel.code)):
        for there in kernel.next_of(i):
            if there is not None and there <= i:
                loop = range(there, i + 1)
                if sum("fma" in kernel.code[k][1] for k in loop) >= 12:
                    inside.update(loop)
    return inside


def under_way(kernel):
    """Most bytes a lane that are loaded and not yet waited for, in the order of the code."""
    queue, most = [], 0
    for _, name, operands in kernel.code:
        if load_bytes(name):
            queue.append(load_bytes(name))
        wait = re.search(r"vmcnt\((\d+)\)", operands) if name == "s_waitcnt" else None
        if wait:
            keep = int(wait.group(1))
            queue = queue[-keep:] if keep else []
        most = max(most, sum(queue[-63:]))
    return most


def moved(name):
    """Of a Dslash kernel: (bytes that the hops of a thread load, bytes that it moves at least, sites a thread);
    None of another."""
    match = re.match(r"void dslash(?:_divided)?_kernel<(\w+), (\w+), (\d+), (\d+)", name)
    if match is None:
        return None
    vector, link = VECTOR[match.group(1)], match.group(2)
    recon, last = int(match.group(3)), int(match.group(4))
    divided = "divided" in name
    size = 24 if recon == 6 else NUMBER[link] * recon
    fat = NUMBER[link] * (recon if recon == 12 else 18)
    links = 8 * fat + (0 if recon == 12 else 8 * size)
    points = 8 if recon == 12 else 16
    rhs = 1 if divided else last
    # of several threads a site: a quarter, or a twelfth of the links with the same vectors
    share = 1 if not divided else 1 / 4 if last == 1 else 1 / 12
    vectors = points * vector * rhs * (1 if not divided else 1 / 4)
    return links * share + vectors, (links + 2 * rhs * vector) * share


def limits(kernel, name):
    used = kernel.used
    registers = used.get("vgpr_count", 0)  # of both kinds
    waves = min(MOST_WAVES, REGISTERS // max(8, (registers + 7) // 8 * 8))
    loads = [load_bytes(op) for _, op, _ in kernel.code if load_bytes(op)]
    flat = sum(op.startswith("flat_load") for _, op, _ in kernel.code)
    loop = over_points(kernel)
    looped = sum(load_bytes(kernel.code[i][1]) for i in loop)
    rest = sum(loads) - looped
    expected = moved(name)
    times = max(1.0, (expected[0] - (0 if looped else rest)) / looped) if expected and looped else 1.0
    vector = [i for i, (_, op, _) in enumerate(kernel.code) if op.startswith("v_")]
    instructions = sum(times if i in loop else 1 for i in vector)
    least = expected[1] if expected else sum(loads) + sum(
        LOADED.get(op.rsplit("_", 1)[1], 4) for _, op, _ in kernel.code if op.startswith("global_store"))
    issue = UNITS * SIMDS * CLOCK / CYCLES * LANES / instructions * least / BANDWIDTH
    flight = UNITS * SIMDS * waves * LANES * under_way(kernel) / (BANDWIDTH * LATENCY_S)
    return {"registers": registers, "waves": waves, "loads": len(loads), "flat": flat,
            "bytes": sum(loads) / len(loads) if loads else 0, "instructions": instructions, "least": least,
            "issue": min(1.0, issue), "flight": min(1.0, flight), "scratch": used.get("private_segment_fixed_size", 0)}


def short(name):
    return re.sub(r"^void |\(.*$", "", name)


def main():
    rows = 0
    print("| kernel | registers | waves a SIMD | loads (flat) | bytes a load | vector instructions | "
          "bytes a thread, least | of 1.6 TB/s: issue | in flight |")
    print("|---|---|---|---|---|---|---|---|---|")
    for path in sys.argv[1:]:
        try:
            for kernel in code_object.kernels(path):
                if not HOT.search(kernel.name):
                    continue
                name = code_object.plain(kernel.name)
                row = limits(kernel, name)
                print(f"| `{short(name)}` | {row['registers']} | {row['waves']} | {row['loads']} ({row['flat']}) | "
                      f"{row['bytes']:.1f} | {row['instructions']:.0f} | {row['least']:.0f} | {row['issue']:.2f} | "
                      f"{row['flight']:.2f} |")
                rows += 1
        except code_object.Missing as missing:
            print(f"{path}: {missing}", file=sys.stderr)
    if rows == 0:
        sys.exit("amd_limits.py: no hot kernel for gfx90a in these files")


if __name__ == "__main__":
    main()
