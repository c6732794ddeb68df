#!/usr/bin/env python3
"""A roofline picture from the lines of `naik bench` (key=value or JSON).

    naik bench dslash --precision single --nrhs 1,2,4,8,16 > lines.txt
    tools/roofline.py lines.txt -o roofline.png

Each measurement is a point: GFLOP/s against flops per byte of the floor (links once, every vector read and
written once). The roof is the copy bandwidth measured in the same runs: a point on it moves nothing twice.
"""
import argparse
import json
import re
import sys


def parse(line):
    """A bench line as a dict; None for any other line."""
    line = line.strip()
    if line.startswith("{"):
        try:
            return json.loads(line)
        except ValueError:
            return None
    if not line.startswith("bench="):
        return None
    found = {}
    for key, quoted, word in re.findall(r'(\w+)=(?:"([^"]*)"|(\S*))', line):
        found[key] = quoted or word
    return found


def read_points(files):
    points = []
    for name in files:
        with (sys.stdin if name == "-" else open(name)) as lines:
            for line in lines:
                got = parse(line)
                if got and all(k in got for k in ("gflops", "floor_gbs", "copy_gbs")):
                    points.append(got)
    return points


def label(point):
    text = f"{point.get('bench', '')} {point.get('precision', '')}"
    if point.get("links", point.get("precision")) != point.get("precision"):
        text += f"/{point['links']}"
    return f"{text} recon {point.get('recon', '?')}"


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("files", nargs="+", help="bench lines; - for standard input")
    arguments.add_argument("-o", "--output", default="roofline.png")
    options = arguments.parse_args()
    points = read_points(options.files)
    if not points:
        sys.exit("roofline.py: no bench line with gflops, floor_gbs and copy_gbs")
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(9, 6))
    series = {}
    for point in points:
        x = float(point["gflops"]) / float(point["floor_gbs"])
        series.setdefault(label(point), []).append((x, float(point["gflops"]),
                                                    point.get("nrhs", "")))
    for (name, places), marker in zip(series.items(), "osD^v<>pPX*h" * len(series)):
        places.sort()
        axes.plot([p[0] for p in places], [p[1] for p in places], marker=marker, label=name)
        for x, y, nrhs in places:
            axes.annotate(str(nrhs), (x, y), textcoords="offset points", xytext=(4, 4), fontsize=7)
    copy = sorted(float(p["copy_gbs"]) for p in points)[len(points) // 2]
    ends = [min(p[0] for s in series.values() for p in s) / 1.5,
            max(p[0] for s in series.values() for p in s) * 1.5]
    axes.plot(ends, [copy * x for x in ends], "k--", label=f"copy {copy:.0f} GB/s")
    axes.set(xscale="log", yscale="log", xlabel="flops per byte of the floor", ylabel="GFLOP/s",
             title=f"{points[0].get('device', '')}  {points[0].get('git', '')}".strip())
    axes.legend(fontsize=7)
    axes.grid(True, which="both", alpha=0.3)
    figure.tight_layout()
    figure.savefig(options.output, dpi=120)
    print(f"{len(points)} points -> {options.output}")


if __name__ == "__main__":
    main()
