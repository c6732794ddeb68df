#!/usr/bin/env python3
"""The pictures of README.md and doc/, from the measurements in tests/results:

    tools/pictures.py PROGRAM FOLDER [--report PAGE.html]

FOLDER/time-to-solution.svg   seconds a right-hand side against the mass: double, mixed, deflated
FOLDER/weak-scaling.svg       an iteration on 1 to 4096 GPUs: measured, and predicted by `naik bench model`
FOLDER/report.png             with --report: that page of `naik report` as headless Chromium shows it

`make pictures` calls it; tests/test_pictures.py makes the SVG files again and compares. Each SVG file keeps
the numbers that it shows in its description, so that they can be compared whatever draws them.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
BLUE, ORANGE, GREEN, GREY = "#1f5fa8", "#c8590c", "#23803f", "#6b6b6b"
# What `solver.inner_precision: auto` takes on a GPU at each mass of the light-quark lines.
AUTO = {0.05: ("half", "6"), 0.01: ("half", "18"), 0.002: ("single", "18"), 0.0005: ("single", "18")}


def lines(name):
    """The key=value lines of a file of tests/results, as dicts, in the order of the file."""
    with open(os.path.join(TOP, "tests", "results", name), encoding="utf-8") as f:
        for line in f:
            if not line.startswith("#"):
                yield dict(re.findall(r'(\w+)=("[^"]*"|\S*)', line))


def last(name, value, **wanted):
    """What the last line says that has all of these keys; None where no line has them."""
    found = [line for line in lines(name) if value in line and all(line.get(k) == v for k, v in wanted.items())]
    return float(found[-1][value]) if found else None


def times_to_solution():
    """Seconds a right-hand side against the mass, by curve."""
    common = dict(bench="cg", mode="solve", action="hisq", gauge="lat32.h5", source="point", ranks="1", nrhs="12",
                  tolerance="1e-10")
    curves = {"double": [], "mixed": [], "mixed at beta 5.7": [], "deflated": []}
    for mass, (links, recon) in AUTO.items():
        curves["double"].append((mass, last("h200.txt", "seconds", mass=f"{mass:g}", precision="double", **common)))
        curves["mixed"].append((mass, last("h200.txt", "seconds", mass=f"{mass:g}", precision="single", links=links,
                                           recon=recon, **common)))
    for mass in (0.005, 0.001):
        for curve, modes in (("mixed at beta 5.7", "0"), ("deflated", "500")):
            line = [found for found in lines("h200.txt") if found.get("bench") == "deflated" and
                    found["part"] == "solve" and found["ranks"] == "1" and found["modes"] == modes and
                    float(found["mass"]) == mass][-1]
            spent = sum(float(line[part]) for part in ("iterate_s", "deflation_s", "true_residuals_s"))
            curves[curve].append((mass, round(spent / int(line["sources"]), 4)))
    search = last("h200.txt", "lanczos_s", bench="deflated", part="search", modes="500")
    return {"seconds a right-hand side": curves, "seconds of the search for 500 modes": search}


def weak_scaling(program):
    """Microseconds an iteration against the number of GPUs, by box and kind."""
    numbers = {}
    for side in (32, 16):
        box = ",".join([str(side)] * 4)
        measured = [(gpus, last("h200.txt", "us_per_iteration", bench="cg", mode="weak", local=box, nrhs="1",
                                ranks=str(gpus))) for gpus in (1, 2, 4)]
        predicted = []
        for which in (["--gpus", "2"], ["--gpus", "4"], ["--nodes", "1,2,4,8,16,32,64,128,256,512"]):
            said = subprocess.run([program, "bench", "model", "--machine", "h200", "--software", "naik", "--local", box,
                                   "--lines"] + which, capture_output=True, text=True, check=True).stdout
            for line in said.splitlines():
                found = dict(re.findall(r"(\w+)=(\S*)", line))
                if found.get("model") == "cg":
                    predicted.append((int(found["gpus"]), float(found["us_per_iteration"])))
        quda = [(gpus, last("others.txt", "us_per_iteration", code="QUDA", bench="cg", local=box, ranks=str(gpus)))
                for gpus in (1, 2, 4)]
        numbers[f"{side}^4"] = {"measured": measured, "predicted": sorted(set(predicted)), "QUDA of October 2024": quda}
    return numbers


def save(figure, plt, path, numbers):
    import matplotlib
    from matplotlib import ft2font

    figure.savefig(path, metadata={
        "Date": None, "Description": json.dumps(numbers, sort_keys=True),
        "Creator": f"matplotlib {matplotlib.__version__}, FreeType {ft2font.__freetype_version__}"})
    plt.close(figure)
    with open(path, encoding="utf-8") as f:  # what ends a line with a space is no diff that anybody can read
        text = re.sub(r"[ \t]+$", "", f.read(), flags=re.M)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def tidy(axes):
    axes.grid(True, which="major", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def draw_times(plt, numbers, path):
    curves = numbers["seconds a right-hand side"]
    figure, panels = plt.subplots(1, 2, figsize=(8.2, 3.3), sharey=True, width_ratios=(3, 2))

    def curve(axes, name, colour, marker, label, above):
        xs, ys = zip(*curves[name])
        axes.plot(xs, ys, marker + "-", color=colour, markersize=5, linewidth=1.6)
        for x, y in curves[name]:
            axes.annotate(f"{y:.3g}", (x, y), textcoords="offset points", xytext=(0, 7 if above else -13), ha="center",
                          fontsize=8, color=colour)
        return label

    left, right = panels
    curve(left, "double", GREY, "s", None, True)
    curve(left, "mixed", BLUE, "o", None, False)
    left.text(0.0065, 1.15, "double precision", color=GREY, fontsize=9)
    left.text(0.0005, 0.27, "mixed precision,\nas auto chooses", color=BLUE, fontsize=9)
    left.set_title("beta 6, 12 right-hand sides together", fontsize=9.5)
    curve(right, "mixed at beta 5.7", BLUE, "o", None, True)
    curve(right, "deflated", GREEN, "D", None, False)
    right.text(0.0021, 1.25, "mixed precision", color=BLUE, fontsize=9)
    right.text(0.00095, 0.135, "with 500 low modes, found in\n"
               f"{numbers['seconds of the search for 500 modes']:g} s once a configuration", color=GREEN, fontsize=9,
               va="bottom")
    right.set_title("beta 5.7, 12; with low modes 96", fontsize=9.5)
    for axes in panels:
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("quark mass a m")
        tidy(axes)
    left.set_xlim(0.00033, 0.08)
    left.set_xticks([0.0005, 0.002, 0.01, 0.05], ["0.0005", "0.002", "0.01", "0.05"])
    right.set_xlim(0.0007, 0.0075)
    right.set_xticks([0.001, 0.005], ["0.001", "0.005"])
    for axes in panels:
        axes.minorticks_off()
    left.set_yticks([0.05, 0.1, 0.2, 0.5, 1, 2], ["0.05", "0.1", "0.2", "0.5", "1", "2"])
    left.set_ylim(0.025, 5)
    left.set_ylabel("seconds a right-hand side")
    figure.suptitle("HISQ to |r|/|b| = 1e-10, 32$^4$, one NVIDIA H200", fontsize=10.5, x=0.01, ha="left")
    figure.tight_layout(rect=(0, 0, 1, 1))
    save(figure, plt, path, numbers)


def draw_scaling(plt, numbers, path):
    figure, axes = plt.subplots(figsize=(8.2, 3.3))
    for (box, kinds), colour in zip(numbers.items(), (BLUE, ORANGE)):
        xs, ys = zip(*kinds["predicted"])
        axes.plot(xs, ys, "--", color=colour, linewidth=1.4)
        xs, ys = zip(*kinds["measured"])
        axes.plot(xs, ys, "o", color=colour, markersize=6)
        xs, ys = zip(*kinds["QUDA of October 2024"])
        axes.plot(xs, ys, "x", color=colour, markersize=6, markeredgewidth=1.6)
        x, y = kinds["predicted"][-1]
        side = box.partition("^")[0]
        axes.text(x * 1.15, y, f"{side}$^4$ a GPU", color=colour, fontsize=9, va="center")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlim(0.8, 12000)
    axes.set_xticks([1, 2, 4, 8, 64, 512, 4096], ["1", "2", "4", "8", "64", "512", "4096"])
    axes.minorticks_off()
    axes.set_yticks([20, 50, 100, 200, 500], ["20", "50", "100", "200", "500"])
    axes.set_xlabel("GPUs, eight a node")
    axes.set_ylabel("microseconds an iteration")
    tidy(axes)
    handles = [plt.Line2D([], [], color=GREY, marker="o", linestyle="", markersize=6),
               plt.Line2D([], [], color=GREY, linestyle="--", linewidth=1.4),
               plt.Line2D([], [], color=GREY, marker="x", linestyle="", markersize=6, markeredgewidth=1.6)]
    axes.legend(handles, ["naik, measured", "naik, predicted (naik bench model)", "QUDA of October 2024, measured"],
                frameon=False, fontsize=9, loc="lower right", bbox_to_anchor=(0.93, 0.02))
    figure.suptitle("Weak scaling: HISQ conjugate gradient in mixed precision, one right-hand side, NVIDIA H200",
                    fontsize=10.5, x=0.01, ha="left")
    figure.tight_layout(rect=(0, 0, 1, 1))
    save(figure, plt, path, numbers)


def screenshot(page, path):
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not browser:
        sys.exit("pictures: the screenshot needs Chromium (Debian: apt-get install chromium)")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                        f"--user-data-dir={folder}", "--window-size=900,1000", f"--screenshot={os.path.abspath(path)}",
                        "file://" + os.path.abspath(page)], check=True, capture_output=True)
    from PIL import Image  # a page of text and lines has few colours

    Image.open(path).convert("RGB").quantize(64, dither=Image.Dither.NONE).save(path, optimize=True)


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("program")
    words.add_argument("folder")
    words.add_argument("--report", help="a page of naik report, for report.png")
    asked = words.parse_args()
    try:
        import matplotlib
    except ImportError:
        sys.exit("pictures: matplotlib is missing (Debian: apt-get install python3-matplotlib)")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"svg.hashsalt": "naik", "font.size": 9, "font.family": "DejaVu Sans", "path.simplify": False})
    os.makedirs(asked.folder, exist_ok=True)
    draw_times(plt, times_to_solution(), os.path.join(asked.folder, "time-to-solution.svg"))
    draw_scaling(plt, weak_scaling(asked.program), os.path.join(asked.folder, "weak-scaling.svg"))
    if asked.report:
        screenshot(asked.report, os.path.join(asked.folder, "report.png"))


if __name__ == "__main__":
    main()
