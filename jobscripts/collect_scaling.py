#!/usr/bin/env python3
"""Table and plot of a scaling study, from the JSON lines of `naik bench cg` or `bicgstab` with `--weak` or `--strong`.

    jobscripts/collect_scaling.py scaling/perlmutter-*.jsonl [--plot scaling.png]

A row is one number of nodes and ranks: the median over its runs of the time of an iteration and right-hand
side, the fastest and slowest run, the spread between ranks, and the efficiency against the fewest
ranks: the time ratio for a fixed box a rank, the ratio of time x ranks for a fixed lattice.
"""
import argparse
import json
import statistics
import sys


def read(paths):
    """{what is fixed: {(nodes, ranks): [line, ...]}}"""
    studies = {}
    for path in paths:
        with open(path) as lines:
            for number, text in enumerate(lines, 1):
                try:
                    line = json.loads(text)
                    if line["bench"] not in ("cg", "bicgstab") or line["mode"] not in ("weak", "strong"):
                        continue
                    fixed = "local" if line["mode"] == "weak" else "size"
                    key = (line["mode"], "x".join(map(str, line[fixed])), line["precision"], line["links"],
                           line["recon"], line["nrhs"], line.get("batch", line["nrhs"]), f"{line['bench']} {line['action']}",
                           line["device"].split(", device")[0])
                    studies.setdefault(key, {}).setdefault((line["nodes"], line["ranks"]), []).append(line)
                except (ValueError, KeyError, TypeError) as error:
                    print(f"{path}:{number}: left out, not a line of naik bench ({error!r})", file=sys.stderr)
    return studies


def rows(key, points):
    """One tuple a number of nodes: nodes, ranks, runs, us, least, most, mean/max over ranks, efficiency."""
    found, first = [], None
    for (nodes, ranks), lines in sorted(points.items()):
        times = [line["us_per_iteration"] for line in lines]
        us = statistics.median(times)
        work = us if key[0] == "weak" else us * ranks
        first = first or work
        balance = statistics.median(line["rank_mean_us"] / line["rank_max_us"] for line in lines)
        found.append((nodes, ranks, len(times), us, min(times), max(times), balance, first / work))
    return found


def title(key):
    mode, extents, vectors, links, recon, nrhs, batch, work, device = key
    fixed = f"{extents} a rank" if mode == "weak" else f"{extents} in all"
    together = "" if batch == nrhs else f" in batches of {batch}"
    return f"{mode}, {fixed}, vectors {vectors}, links {links} recon {recon}, nrhs {nrhs}{together}, {work}, {device}"


def table(studies):
    for key in sorted(studies):
        print(f"\n{title(key)}\n")
        print("| nodes | ranks | runs | us an iteration | least | most | mean/max rank | efficiency |")
        print("|---|---|---|---|---|---|---|---|")
        for nodes, ranks, runs, us, least, most, balance, efficiency in rows(key, studies[key]):
            print(f"| {nodes} | {ranks} | {runs} | {us:.1f} | {least:.1f} | {most:.1f} | {balance:.2f} "
                  f"| {efficiency:.3f} |")


def plot(studies, path):
    try:
        import matplotlib
    except ImportError as error:
        sys.exit(f"--plot needs matplotlib: {error}. The table above is complete without it")
    matplotlib.use("Agg")
    from matplotlib import pyplot
    figure, (times, efficiencies) = pyplot.subplots(1, 2, figsize=(12, 5))
    for key in sorted(studies):
        points = rows(key, studies[key])
        ranks = [p[1] for p in points]
        times.plot(ranks, [p[3] for p in points], "o-", label=title(key))
        efficiencies.plot(ranks, [p[7] for p in points], "o-")
    for axes, name in ((times, "us an iteration and right-hand side"), (efficiencies, "efficiency")):
        axes.set_xscale("log", base=2)
        axes.set_xlabel("ranks (GPUs)")
        axes.set_ylabel(name)
        axes.grid(True, alpha=0.3)
    times.set_yscale("log")
    efficiencies.set_ylim(0, 1.1)
    times.legend(fontsize=7, loc="upper left", bbox_to_anchor=(0, -0.12))  # below: titles are as wide as both plots
    figure.tight_layout()
    figure.savefig(path, dpi=150, bbox_inches="tight")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", help="JSON lines")
    parser.add_argument("--plot", metavar="FILE", help="png, pdf or svg; needs matplotlib")
    arguments = parser.parse_args()
    try:
        studies = read(arguments.files)
    except OSError as error:
        sys.exit(f"cannot read {error.filename}: {error.strerror}")
    if not studies:
        sys.exit("these files have no line of `naik bench cg` or `bicgstab` with `--weak` or `--strong`, and `--json`")
    table(studies)
    if arguments.plot:
        plot(studies, arguments.plot)
        print(f"\nplot: {arguments.plot}")


if __name__ == "__main__":
    main()
