#!/usr/bin/env python3
"""A roofline picture from the lines of `naik bench` (key=value or JSON).

    naik bench dslash --precision single --nrhs 1,2,4,8,16 > lines.txt
    tools/roofline.py lines.txt -o roofline.png

Each measurement is a point: GFLOP/s against flops per byte of the floor (links once, every vector read and
written once); a line joins those that differ in the right-hand sides only, the last has its number. The roof is the copy bandwidth measured in the same runs: a point on it moves nothing twice.
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
    """The series a point belongs to: all that is not the number of right-hand sides."""
    text = f"{point.get('bench', '')} {point.get('action', '')} {point.get('precision', '')}"
    if point.get("links", point.get("precision")) != point.get("precision"):
        text += f", {point['links']} links"
    text += f", recon {point.get('recon', '?')}"
    return text + (f", {point['gauge']} gauge" if "gauge" in point else "")


def plot(axes, points):
    series = {}
    for point in points:
        x = float(point["gflops"]) / float(point["floor_gbs"])
        series.setdefault(label(point), []).append((x, float(point["gflops"]),
                                                    str(point.get("nrhs", ""))))
    colours = ["C0", "C1", "C2", "C3", "C4", "C5", "C6", "C8", "C9", "k"]
    for i, (name, places) in enumerate(series.items()):
        places.sort()
        axes.plot([p[0] for p in places], [p[1] for p in places], marker="osD^v<>"[i % 7], ms=5,
                  lw=1, color=colours[i % len(colours)], label=name)
        x, y, nrhs = places[-1]
        if nrhs not in ("", "1"):
            axes.annotate(f"{nrhs}", (x, y), textcoords="offset points", xytext=(5, 3), fontsize=8,
                          color=colours[i % len(colours)])
    xs = [p[0] for places in series.values() for p in places]
    ys = [p[1] for places in series.values() for p in places]
    copy = sorted(float(p["copy_gbs"]) for p in points)[len(points) // 2]
    ends = [min(xs) / 1.3, max(xs) * 1.3]
    axes.plot(ends, [copy * x for x in ends], "k--", lw=1, label=f"copy, {copy:.0f} GB/s")
    axes.set(xscale="log", yscale="log", xlim=ends, ylim=(min(ys) / 1.3, max(ys) * 1.6),
             xlabel="flops per byte of the floor", ylabel="GFLOP/s, all right-hand sides",
             title=f"{points[0].get('device', '')}  {points[0].get('git', '')}".strip())
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(lambda value, _: f"{value:g}")
        axis.set_minor_formatter(lambda value, _: f"{value:g}"
                                 if f"{value:.0e}"[0] in "25" else "")
    axes.grid(True, which="both", alpha=0.3)
    axes.legend(fontsize=7, loc="lower right")


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
    plot(axes, points)
    figure.tight_layout()
    figure.savefig(options.output, dpi=120)
    print(f"{len(points)} points -> {options.output}")


if __name__ == "__main__":
    main()
