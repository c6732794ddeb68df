# test_bench_cmd.py - `naik bench`: the keys of every line, and numbers that agree with each other
import json
import os
import re
import shlex
import subprocess
import sys

import h5py

from program import SCRATCH, answer, finish, kept, verdict

COMMON = ["bench", "backend", "device", "size", "ranks", "threads", "us", "floor_gbs", "copy_gbs",
          "fraction", "spread", "git"]
BRIEFLY = ["--repeat", "1", "--time", "1e-4", "--backend", "cpu", "--copy-mib", "4"]  # arrays of a GiB take a second a start
QUICK = ["--size", "4,4,4,8", *BRIEFLY]
LINES = []  # of all that is measured here: each key in its place, with its value where that is not measured
MEASURED = re.compile(r"us|.*_us|us_per_.*|.*_s|.*gbs|seconds|gflops|fraction|spread|git|device|.*residuals?|sites_per_us|iterations|least|most|model_bytes")


def is_of_the_floor(line):
    """What a line says of speed fits together, however slow a busy machine was: numbers have four digits."""
    fraction, floor, copy = (float(line[key]) for key in ("fraction", "floor_gbs", "copy_gbs"))
    return copy > 0 and abs(fraction * copy - floor) <= 2e-3 * floor


def check(name, words, more, lines=1, ranks=1):
    status, said, told = answer("bench", *words, *QUICK, ranks=ranks)
    ok, values = status == 0, []
    for text in said.splitlines():
        values.append(dict(pair.split("=", 1) for pair in shlex.split(text)))
        LINES.append(" ".join(key if MEASURED.fullmatch(key) else f"{key}={value}" for key, value in values[-1].items()).replace(SCRATCH, ""))
        ok = ok and all(key in values[-1] for key in COMMON + more) and is_of_the_floor(values[-1])
    verdict(name, ok and len(values) == lines, said + told)
    return values


values = check("bench_dslash_prints_a_line_a_batch_size",
               ["dslash", "--precision", "single", "--nrhs", "1,3"],
               ["action", "precision", "links", "recon", "nrhs", "gflops"], 2, 2)
v = {key: float(values[1][key]) for key in ("us", "gflops", "floor_gbs", "copy_gbs", "fraction")}
sites = 4 * 4 * 4 * 8 / 2
floor = sites * (1152 + 3 * 48) / v["us"] * 1e-3
verdict("bench_dslash_counts_flops_and_bytes_as_documented",
        abs(v["gflops"] * v["us"] * 1e3 / (sites * 3 * 1146) - 1) < 0.02
        and abs(v["floor_gbs"] / floor - 1) < 0.05, str(v))
for words, unit in (([], 0), (["--temporal-gauge"], 2)):
    values = check("bench_dslash_" + ("naive" if not words else "in_temporal_gauge"),
                   ["dslash", "--action", "naive", "--recon", "12", "--links", "random", *words],
                   ["gauge"] if words else [])
    v = {key: float(values[0][key]) for key in ("us", "gflops", "floor_gbs")}
    floor = sites * ((8 - unit * 7 / 8) * 12 * 8 + 2 * 48) / v["us"] * 1e-3
    verdict("bench_dslash_counts_the_links_it_must_read_" + ("of_8" if not words else "of_6"),
            abs(v["gflops"] * v["us"] * 1e3 / (sites * 570) - 1) < 0.02
            and abs(v["floor_gbs"] / floor - 1) < 0.02, str(v))
for action, more in (("wilson", 0), ("clover", 1)):
    values = check(f"bench_dslash_of_{action}_quarks", ["dslash", "--action", action, "--precision", "single", "--nrhs", "1,3"],
                   ["action", "precision", "links", "recon", "nrhs", "gflops"], 2)
    v = {key: float(values[1][key]) for key in ("us", "gflops", "floor_gbs")}
    floor = sites * (8 * 18 * 4 + more * 72 * 4 + 3 * 2 * 96) / v["us"] * 1e-3
    verdict(f"bench_dslash_counts_spinors_of_{action}_quarks",
            abs(v["gflops"] * v["us"] * 1e3 / (sites * 3 * (1320 + more * 504)) - 1) < 0.02
            and abs(v["floor_gbs"] / floor - 1) < 0.02, str(v))
for recon in 12, 8:
    values = check(f"bench_dslash_of_links_of_{recon}_numbers",
                   ["dslash", "--action", "wilson", "--recon", str(recon), "--precision", "half", "--links", "random"], ["recon"])
    v = {key: float(values[0][key]) for key in ("us", "floor_gbs")}
    floor = sites * (8 * recon * 2 + 2 * 4 * (6 * 2 + 4)) / v["us"] * 1e-3
    verdict(f"bench_dslash_counts_links_of_{recon}_numbers", abs(v["floor_gbs"] / floor - 1) < 0.02, f"{v} {floor}")
values = check("bench_cg_solves_on_links_of_8_numbers",
               ["cg", "--action", "clover", "--recon", "8", "--precision", "single", "--mass", "0.3", "--links", "random"],
               ["recon", "true_residual", "not_converged"])
verdict("bench_cg_converges_on_links_of_8_numbers",
        values[0]["recon"] == "8" and 0 < float(values[0]["true_residual"]) <= 1e-10 and values[0]["not_converged"] == "0",
        str(values))
values = check("bench_bicgstab_reports_its_true_residual",
               ["bicgstab", "--action", "clover", "--precision", "single", "--link-precision", "half", "--mass", "0.3", "--nrhs", "2"],
               ["mass", "iterations", "true_residual", "not_converged", "seconds", "us_per_iteration", "gflops"])
other = check("bench_bicgstab_of_another_csw",
              ["bicgstab", "--action", "clover", "--csw", "1.8", "--precision", "single", "--link-precision", "half", "--mass", "0.3", "--nrhs",
               "2"], ["csw", "true_residual"])
verdict("bench_of_another_csw_solves_another_equation", other[0]["csw"] == "1.8" and values[0]["csw"] == "1"
        and other[0]["true_residual"] != values[0]["true_residual"], f"{other} {values}")
verdict("bench_bicgstab_converges",
        0 < float(values[0]["true_residual"]) <= 1e-10 and values[0]["not_converged"] == "0", str(values))
values = check("bench_multigrid_measures_its_parts", ["multigrid", "--action", "clover", "--csw", "1.7", "--mass", "0.3", "--nrhs", "2"],
               ["part", "nrhs", "mass", "csw", "aggregate", "us"], 9)
parts = {x["part"]: float(x["us"]) for x in values}
verdict("bench_multigrid_converges_and_measures_every_part",
        values[-1]["part"] == "solve" and values[0]["csw"] == "1.7" and 0 < float(values[-1]["true_residual"]) <= 1e-10 and values[-1]["not_converged"] == "0"
        and all(us > 0 for us in parts.values()), str(values))
for action, more in ("wilson", 0), ("clover", 1):
    values = check(f"bench_cg_of_{action}_quarks_reports_its_true_residual",
                   ["cg", "--action", action, "--precision", "single", "--mass", "0.3,0.4", "--nrhs", "2"],
                   ["mass", "iterations", "true_residual", "not_converged", "seconds", "us_per_iteration", "gflops"], 2)
    v = {key: float(values[0][key]) for key in ("us_per_iteration", "gflops", "floor_gbs")}
    floor = 4 * (8 * 18 * 4 + more * 72 * 4 + 2 * 2 * 96) / 2 + (11 + 2 * more) * 96
    flops = 4 * 1320 + more * 4 * 504 + 2 * 48 + 336
    verdict(f"bench_cg_of_{action}_quarks_converges_and_counts",
            all(0 < float(x["true_residual"]) <= 1e-10 and x["not_converged"] == "0" for x in values)
            and abs(v["gflops"] * v["us_per_iteration"] * 1e3 / (sites * flops) - 1) < 0.02
            and abs(v["floor_gbs"] * v["us_per_iteration"] * 1e3 / (sites * floor) - 1) < 0.02, f"{values} {floor} {flops}")
for words, part in ((["cg", "--action", "wilson", "--masses", "0.1,0.2"], "--masses is for staggered quarks"),
                    (["cg", "--action", "clover", "--inner-precision", "auto"], "--inner-precision is for staggered quarks"),
                    *((["dslash", "--action", "wilson", "--" + name, word], f"--{name} is for staggered quarks")
                      for name, word in (("rung", "half"), ("source", "point"), ("batch", "1"), ("launch", "fused"))),
                    *((["cg", "--masses", masses], "is no ascending list of 2 to") for masses in ("0.1,0.1", "0.2,0.1", "0.1")),
                    (["cg", "--mass", "0.1,"], "--mass 0.1, is no list of 1 to 16 masses"),
                    (["links", "--action", "wilson"], "are for dslash, cg, bicgstab and multigrid"),
                    (["bicgstab", "--action", "hisq"], "is wilson or clover here"),
                    (["bicgstab", "--csw", "1"], "--csw is for --action clover"),
                    (["dslash", "--action", "wilson", "--recon", "9"], "18, 12 or 8 numbers"),
                    (["dslash", "--action", "naive", "--recon", "8"], "8 numbers are for --action wilson and clover")):
    status, said, told = answer("bench", *words, *QUICK)
    verdict("bench_refuses_" + "_".join(words).replace("-", ""), status == 1 and part in told and said == "", told)
verdict("bench_refuses_temporal_gauge_of_fat_links", answer("bench", "dslash", "--temporal-gauge", *QUICK)[0] == 1)
values = check("bench_dslash_tells_threads_a_site", ["dslash", "--granularity", "all"], ["granularity"], 4)
verdict("bench_dslash_goes_over_them", [v["granularity"] for v in values] == ["1", "3", "4", "12"], str(values))
values = check("bench_dslash_tells_threads_a_site_of_compressed_links",
               ["dslash", "--threads-per-site", "all", "--recon", "13"], ["granularity"], 2)
verdict("bench_dslash_leaves_out_rows_of_compressed_links", [v["granularity"] for v in values] == ["1", "4"],
        str(values))
values = check("bench_cg_tells_how_it_is_launched", ["cg", "--launch", "all", "--delta", "0.2"],
               ["launch"], 4)
verdict("bench_cg_goes_over_them_with_equal_bits",
        [v["launch"] for v in values] == ["separate", "fused", "graph", "fused_graph"]
        and len({(v["iterations"], v["true_residual"]) for v in values}) == 1, str(values))
values = check("bench_cg_reports_its_true_residual",
               ["cg", "--inner-precision", "single", "--nrhs", "2", "--batch", "1"],
               ["iterations", "us_per_iteration", "seconds", "tolerance", "true_residual"])
verdict("bench_cg_converges", float(values[0]["true_residual"]) <= 1e-10, str(values))
field = os.path.join(SCRATCH, "field.h5")
answer("gauge", "generate", "--size", "4,4,4,8", "--beta", "5.5", "--seed", "3", "--sweeps", "3", "-o", field)
stored = ["--gauge", field, *BRIEFLY]
status, said, told = answer("bench", "cg", *stored, "--mass", "0.05,0.2", "--source", "point", "--nrhs", "2",
                            "--inner-precision", "auto")
lines = [dict(pair.split("=", 1) for pair in shlex.split(text)) for text in said.splitlines()]
verdict("bench_cg_measures_on_a_configuration_a_line_a_mass",
        status == 0 and [v["mass"] for v in lines] == ["0.05", "0.2"]
        and all(v["gauge"] == "field.h5" and v["source"] == "point" and v["size"] == "4,4,4,8"
                and v["precision"] == "single" and v["links"] == "single" and v["rung"] == "single"
                and v["not_converged"] == "0" and int(v["least"]) <= float(v["iterations"]) <= int(v["most"])
                for v in lines) and float(lines[0]["iterations"]) > float(lines[1]["iterations"]), said + told)
plaquette = re.search(r"plaquette.*computed ([0-9.]+)", answer("gauge", "check", field)[1], re.S).group(1)
verdict("bench_cg_tells_the_plaquette_of_the_configuration",
        abs(float(lines[0]["plaquette"]) - float(plaquette)) < 2e-10, said + plaquette)
for inner, mass, expected in (("double", "0.1", ["double", "double", "double"]),
                              ("half", "0.1", ["single", "half", "half"]),
                              ("auto", "0.002", ["single", "single", "classical"])):
    status, said, told = answer("bench", "cg", *stored, "--inner-precision", inner, "--mass", mass)
    v = dict(pair.split("=", 1) for pair in shlex.split(said))
    verdict(f"bench_cg_stores_as_inner_precision_{inner}_says",
            status == 0 and [v["precision"], v["links"], v["rung"]] == expected, said + told)
status, said, told = answer("bench", "cg", *stored, "--precision", "single", "--rung", "classical")
verdict("bench_cg_begins_on_the_rung_it_is_told", status == 0 and "rung=classical" in said, said + told)
verdict("bench_refuses_a_size_that_is_not_the_files",
        answer("bench", "cg", *stored, "--size", "4,4,4,4")[0] == 1)
verdict("bench_refuses_a_configuration_in_weak_scaling", answer("bench", "cg", *stored, "--weak")[0] == 1)
verdict("bench_refuses_a_configuration_that_is_not_there",
        answer("bench", "cg", "--gauge", os.path.join(SCRATCH, "none.h5"))[0] == 1)
with h5py.File(field, "r+") as f:
    links = f["gauge"][0]
    links[0, 0, 0, 0, 0, 0] += 0.5
    f["gauge"][0] = links
status, said, told = answer("bench", "cg", *stored)
verdict("bench_refuses_a_damaged_configuration", status == 4 and "field.h5" in told and said == "", f"{status} {told}")
values = check("bench_cg_measures_masses_apart_and_together",
               ["cg", "--masses", "0.1,0.12,0.2", "--nrhs", "2", "--inner-precision", "single"],
               ["mode", "masses", "true_residual", "seconds", "model_bytes"], 2)
verdict("bench_cg_masses_all_converge",
        [v["mode"] for v in values] == ["separate", "multishift"]
        and all(float(v["true_residual"]) <= 1e-10 and v["not_converged"] == "0" for v in values), str(values))
verdict("bench_refuses_masses_out_of_order", answer("bench", "cg", "--masses", "0.2,0.1", *QUICK)[0] == 1)
values = check("bench_cg_weak_keeps_the_box_of_a_rank",
               ["cg", "--weak", "--grid", "1,1,2,2", "--iterations", "12", "--links", "random"],
               ["mode", "local", "grid", "nodes", "us_per_iteration", "rank_min_us", "rank_mean_us",
                "rank_max_us"], ranks=4)
v = values[0]
verdict("bench_cg_runs_the_iterations_asked_for",
        v["mode"] == "weak" and v["local"] == "4,4,4,8" and v["size"] == "4,4,8,16"
        and v["grid"] == "1,1,2,2" and float(v["iterations"]) == 12
        and float(v["rank_min_us"]) <= float(v["rank_mean_us"]) <= float(v["rank_max_us"]), str(v))
v = check("bench_cg_strong_keeps_the_lattice", ["cg", "--strong", "--iterations", "5"],
          ["mode", "local"], ranks=2)[0]
verdict("bench_cg_strong_divides_the_lattice",
        v["size"] == "4,4,4,8" and v["local"] == "4,4,4,4" and float(v["iterations"]) == 5, str(v))
spinors = check("bench_bicgstab_strong_tells_what_a_study_needs", ["bicgstab", "--action", "wilson", "--mass", "0.3", "--strong"],
                ["mode", "us_per_iteration", "rank_min_us", "rank_mean_us", "rank_max_us"], ranks=2)[0]
study = os.path.join(SCRATCH, "scaling.jsonl")
with open(study, "w") as lines:  # what a row has of several actions and batches would be the mean of different things
    for line in (v, dict(v, action="naive"), dict(v, nrhs="8", batch="2"), dict(v, nrhs="8", batch="8"), spinors):
        words = (f'"{k}": [{x}]' if "," in x and k != "device" else f'"{k}": {x}' if re.fullmatch(r"[\d.e+-]+", x) and k != "git"
                 else f'"{k}": "{x}"' for k, x in line.items())
        lines.write("{" + ", ".join(words) + "}\n")
collect = [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../jobscripts/collect_scaling.py")]
run = subprocess.run([*collect, study], capture_output=True, text=True)
titles = [line.rsplit(", CPU", 1)[0].split("nrhs ")[1] for line in run.stdout.splitlines() if line.startswith("strong, ")]
verdict("a_study_of_scaling_keeps_actions_and_batches_apart", run.stderr == "" and sorted(titles) == [
    "1, bicgstab wilson", "1, cg hisq", "1, cg naive", "8 in batches of 2, cg hisq", "8, cg hisq"], run.stdout + run.stderr)
run = subprocess.run([*collect, study + ".not"], capture_output=True, text=True)
verdict("a_study_of_scaling_names_a_file_that_is_not_there",
        run.returncode == 1 and run.stderr == f"cannot read {study}.not: No such file or directory\n", run.stderr)
verdict("bench_refuses_weak_with_strong", answer("bench", "cg", "--weak", "--strong", *QUICK)[0] == 1)
for ranks in (1, 2):
    values = check(f"bench_modes_prints_a_line_a_part_on_{ranks}_ranks",
                   ["modes", "--modes", "12", "--nrhs", "1,8", "--precision", "half"], ["part", "precision", "modes", "nrhs"],
                   7, ranks)
    verdict(f"bench_modes_measures_every_part_on_{ranks}_ranks",
            [(v["part"], v["nrhs"]) for v in values] == [("project", "1"), ("add", "1"), ("project", "8"), ("add", "8"),
                                                         ("rotate", "12"), ("filter", "8"), ("dense", "12")]
            and [v["precision"] for v in values] == ["half"] * 4 + ["single"] * 2 + ["double"]
            and all(float(v["us"]) > 0 and float(v["floor_gbs"]) > 0 for v in values), str(values))
v = {key: float(values[2][key]) for key in ("us", "floor_gbs")}
# two blocks of 8 modes of three words a site and a scale a brick of 8 sites, and 8 right-hand sides in single precision
floor = sites * (2 * 8 * 12.5 + 8 * 24) / v["us"] * 1e-3
verdict("bench_modes_counts_the_bytes_of_modes_and_vectors", abs(v["floor_gbs"] / floor - 1) < 0.02, str((v, floor)))
verdict("bench_modes_are_not_in_double", answer("bench", "modes", "--precision", "double", *QUICK)[0] == 1)
values = check("bench_halo_prints_a_line_a_direction",
               ["halo", "--nrhs", "1,3", "--weak", "--grid", "1,1,2,2", "--precision", "single"],
               ["transport", "direction", "bytes", "latency_us", "gbs", "rank_min_us"], 6, 4)
verdict("bench_halo_counts_the_bytes_of_both_faces",
        [v["direction"] for v in values] == ["z", "t", "all"] * 2
        and [int(v["bytes"]) for v in values[:3]] == [2 * 3 * 64 * 24, 2 * 3 * 32 * 24, 2 * 3 * 96 * 24]
        and int(values[5]["bytes"]) == 3 * int(values[2]["bytes"]), str(values))
verdict("bench_halo_needs_two_ranks", answer("bench", "halo", *QUICK)[0] == 1)
def model(*words):
    status, said, told = answer("bench", "model", "--json", *words)
    return status, [json.loads(text) for text in said.splitlines()], told


status, lines, told = model("--check")
verdict("bench_model_meets_the_measured_points",
        status == 0 and sum(line["model"].startswith("check-") for line in lines) == 41 and sum("part" in line for line in lines) == 12
        and {(line["machine"], line["gpus"], line["nrhs"]) for line in lines if line.get("measured_with") == "naik"}
        >= {(m, n, rhs) for m in ("h100",) for n in (1, 2, 4) for rhs in (1, 8)}
        and {line["gpus"] for line in lines if "part" in line} == {1, 2}
        and all(abs(line["ratio"] - 1) < (0.15 if line["machine"] == "h200" else 0.25 if line.get("part") == "a setup" else 0.2) for line in lines if "ratio" in line),
        str(lines) + told)
for machine, ranks in (("perlmutter", 4), ("juwels-booster", 4), ("lumi-g", 8)):
    status, lines, told = model("--machine", machine, "--local", "32,32,32,32")
    cg = [line for line in lines if line["model"] == "cg"]
    effective = [line["efficiency"] for line in cg]
    verdict(f"bench_model_predicts_{machine.replace('-', '_')}",
            status == 0 and cg[1]["gpus"] == ranks and cg[-1]["gpus"] == 4096 and effective[0] == 1
            and effective == sorted(effective, reverse=True) and effective[-1] > 0, str(cg) + told)
    verdict(f"bench_model_names_the_source_of_every_figure_of_{machine.replace('-', '_')}",
            sum(line["model"] == "figure" for line in lines) == 19
            and all(line["source"] in ("measured", "other-code", "literature", "vendor", "assumed", "counted")
                    for line in lines if line["model"] == "figure"))
slow = model("--figure", "copy_gbs=500", "--nodes", "2")[1][-1]
fast = model("--figure", "copy_gbs=5000", "--nodes", "2")[1][-1]
verdict("bench_model_takes_figures", slow["us_per_iteration"] > fast["us_per_iteration"] and slow["nodes"] == 2)
verdict("bench_model_refuses_unknown_figures", model("--figure", "copy=1")[0] == 1)
for action, fields in ("hisq", 3), ("naive", 2):  # thin links are read, fat ones written, and long ones where there are some
    v = check(f"bench_links_of_{action}_prints_a_line", ["links", "--action", action], ["seconds", "sites_per_us", "svd"])[0]
    us, seconds, rate, floor = (float(v[key]) for key in ("us", "seconds", "sites_per_us", "floor_gbs"))
    verdict(f"bench_links_of_{action}_counts_sites_and_bytes", abs(seconds - us * 1e-6) <= 0.51e-4 and abs(rate * us / 512 - 1) < 0.01
            and abs(floor * us * 1e3 / (fields * 4 * 18 * 8 * 512) - 1) < 0.01, str(v))
path = os.path.join(SCRATCH, "bench.h5")
PARTS = ["gather_s", "checksum_s", "write_s", "fsync_s", "read_s", "scatter_s"]
v = check("bench_io_prints_both_ways", ["io", "--file", path], ["gbs", *PARTS], 6, 2)
verdict("bench_io_names_the_ways", [(line["way"], line["by"]) for line in v] ==
        [(way, by) for by in ("pieces", "collective", "gathered") for way in ("write", "read")], str(v))
verdict("bench_io_removes_its_file", not os.path.exists(path))
v = check("bench_io_takes_hints", ["io", "--file", path, "--mpi-info", "cb_nodes=1", "--alignment", "65536",
                                   "--aggregators", "2"], ["gbs"], 6, 2)
verdict("bench_io_says_how_it_wrote", [line["aggregators"] for line in v] == ["0", "0", "0", "0", "2", "2"]
        and {line["alignment"] for line in v} == {"65536"}
        and [line["mpi_info"] for line in v] == ["none"] * 2 + ["cb_nodes=1"] * 4, str(v))
status, said, told = answer("bench", "io", "--file", path, "--size", "16,16,16,16", *BRIEFLY)
v = [dict(pair.split("=", 1) for pair in shlex.split(text)) for text in said.splitlines()]
verdict("bench_io_says_what_takes_the_time", status == 0 and len(v) == 6 and all(
    float(line["read_s"]) > 0 and float(line["checksum_s"]) > 0 and (float(line["write_s"]) > 0) == (line["way"] == "write")
    for line in v), said + told)
open(path, "w").close()
verdict("bench_io_touches_no_file_of_the_user", answer("bench", "io", "--file", path, *QUICK)[0] == 1)
status, said, told = answer("bench", "dslash", "--json", *QUICK)
verdict("bench_json_is_json", status == 0 and json.loads(said)["size"] == [4, 4, 4, 8], said + told)
verdict("bench_refuses_a_bad_list", answer("bench", "dslash", "--nrhs", "1,,2")[0] == 1)
status, _, told = answer("bench", "dslash", "--recon", "6", *QUICK)
verdict("bench_refuses_links_that_the_backend_lacks", status == 1 and told.count("naik: error:") == 1
        and "does not store links of 6 numbers" in told, f"{status} {told}")
picture = os.path.join(SCRATCH, "roofline.png")


def roofline(lines):
    return subprocess.run([sys.executable, "tools/roofline.py", "-", "-o", picture], input=lines,
                          capture_output=True, text=True)


drawn = roofline(answer("bench", "dslash", "--nrhs", "1,3", *QUICK)[1] + said)
verdict("roofline_draws_bench_lines_of_both_kinds", drawn.stdout.startswith("3 points")
        and open(picture, "rb").read(8) == b"\x89PNG\r\n\x1a\n", drawn.stdout + drawn.stderr)
drawn = roofline("naik 0.1.0\n")
verdict("roofline_says_when_there_are_no_lines", drawn.returncode == 1 and "no bench line" in drawn.stderr)
wrong, wants = kept(os.path.join("tests", "said", "bench-lines.txt"), LINES, lambda line, want: line == want)
verdict("bench_lines_have_every_key_in_its_place", not wrong and len(LINES) == len(wants), "\n".join(wrong[:6]) + f"\n{len(LINES)} lines, {len(wants)} kept")
finish()
