"""What naik says, line by line: the log, the plan, info, the report and the structure of files, against tests/said/*.txt.
A number may be off by a unit of its last digit; what a run measures is # there. NAIK_SAID=write in the environment
writes the files anew: the difference is then for a reader.
timeout: 300
"""
import html
import json
import os
import re
import sys

import h5py
import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import naik_io  # noqa: E402
from program import SCRATCH, kept, main, naik, path

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "said")
NUMBER = re.compile(r"(?<![A-Za-z\d_.])[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\dA-Za-z_]|\.\d)")
# What differs from machine to machine or from run to run: (pattern, what stands for it)
MEASURED = [(re.escape(SCRATCH) + "/?", ""), (r"^naik \S+ \([^)]*\), .*", "naik #"), (r"(iterations|seconds|gflops)=[\d.e+-]+", r"\1=#"),
            (r"residual=[\d.e+-]+", "residual=#"), (r"(norm|suma|sumb|restarts|time)=[^ ]+", r"\1=#"), (r" on the host \(modes ready in .*\)", ""), (r"ready in [\d.]+ s", "ready in # s"),
            (r"of its [\d.]+ GiB", "of its # GiB"), (r", [\d.]+ s( after|$)", r", # s\1"), (r"waited [\d.]+ s", "waited # s"),
            (r"(made in|solves took|, in|all sites|sources) [\d.]+ s\b", r"\1 # s"), (r", \d+ applications", ", # applications"), (r"took \d+ iterations", "took # iterations"),
            (r"the output has \d+ bytes", "the output has # bytes"), (r"The file has [\d.]+ bytes", "The file has # bytes"),
            (r"predicted: (\d{7,})", "predicted: # bytes"),
            (r"(?<=U U\^\+ - 1\|).*|(?<=det U - 1\|).*|(?<=largest change ).*", " #"), (r"should take about \d+", "should take about #"),
            (r"(correction is at most|error of the mean is) .*", r"\1 #"), (r"suma/sumb .*", "suma/sumb #"),
            (r"(lambda_\d+|reach) .*[\d.e-]+.*", r"\1 #"), (r"from [\d.]+ to [\d.]+$", "from # to #"),
            (r"^(\s*)(git|(?:gauge_)?uuid|created|libraries|host|writer|version|compiler|command|system|environment|device|times|pid|started|metadata_crc|crc"
             r"|executable|folder|slurm_job|user|hdf5|mpi|nodes|options|ended|state_time|numerics)([:=] ?)\S.*", r"\1\2\3#"),
            (r"^(\S+ \S+ (?:\S+ )?(?:\d )?\d+ (done|not converged)) \d.* ", r"\1 # "), (r"^(\S+ \S+ \d+) \d+( \d+ \d+ to \d+) \S+", r"\1 #\2 #"),
            (r"(gauge_file|input_text) \(\) \|S\d+", r"\1 () |S#"),  # with the path of the scratch folder in them
            (r"^(work|largest \|src|solved) .*", r"\1 #"),
            (r"lambda=[\d.,e+-]+", "lambda=#"), (r"(low_modes_.*)\(checksum \w+\)", r"\1(checksum #)"), (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(Z| UTC)?", "#")]


def blind(text):
    lines, behind, times = [], [], False
    for line in text.splitlines():
        times = times and line != "" or re.match(r"time +% ", line) is not None
        if times and not line.startswith("time "):  # names alone, and not those within others
            line = re.sub(r"  +\d.*", "", line)
            if line.startswith(" ") or line == "other":  # which a quick run may not have
                continue
        for pattern, instead in MEASURED:
            line = re.sub(pattern, instead, line)
        (behind if "is written, # s after naik found the modes" in line else lines).append(line.rstrip())
    return lines + behind


def alike(line, want):
    """Equal but for a unit of the last digit of numbers that are not whole and have three digits at least."""
    if line == want:
        return True
    if NUMBER.split(line) != NUMBER.split(want):
        return False
    for a, b in zip(NUMBER.findall(line), NUMBER.findall(want)):
        few = len(re.sub(r"e.*|\D", "", b).lstrip("0")) < 3  # digits, of which none may differ
        if a != b and (few or "." not in a + b or abs(float(a) - float(b)) > max(1e-5 * abs(float(b)), 1.01 * unit(a), 1.01 * unit(b))):
            return False
    return True


def unit(number):
    digits, _, power = number.partition("e")
    return 10.0 ** (int(power or 0) - len(digits.partition(".")[2]))


def check(name, text):
    file, lines = os.path.join(HERE, name + ".txt"), blind(text)
    wrong, wants = kept(file, lines, alike)
    if len(lines) != len(wants) and not wrong:
        wrong = [f"{file}: {len(lines)} lines and not {len(wants)}: " + (lines + wants)[min(len(lines), len(wants))]]
    assert not wrong, f"{len(wrong)} lines differ; if they should, NAIK_SAID=write\n" + "\n".join(wrong[:6])


def structure(name):
    """Every object of an HDF5 file with its shape and type, and of its attributes those that the object before it has not."""
    said, before = [], {}

    def show(where, item):
        kind = f" {item.shape} {item.dtype}" if isinstance(item, h5py.Dataset) else ""
        said.append(f"{where}{kind}".replace(", ", ","))
        now = {key: value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value for key, value in sorted(item.attrs.items())}
        said.extend(f"  {key}: {value}" for key, value in now.items() if before.get(key) != value)
        if now and (gone := set(before) - set(now)):
            said.append("  without " + " ".join(sorted(gone)))
        before.update(now)
        for key in set(before) - set(now) if now else ():
            del before[key]
    with h5py.File(path(name)) as f:
        show("/", f)
        f.visititems(show)
        sessions = [s.decode().rstrip("\0") for s in f["metadata/sessions"][...]] if "metadata/sessions" in f else []
    for n, text in enumerate(t for t in sessions if t):
        said += [f"session {n}"] + ["  " + regions(line) for line in text.splitlines() if not re.match("(time=|phase)", line)]
    return "\n".join(said)


def regions(line):
    """Of the times of a session their tree, with what has work and traffic; but not when a file was waited for."""
    if not line.startswith("times="):
        return line
    inside, tree = [], []
    for depth, _, flops, moved, name in (one.split(" ", 4) for one in line[len("times="):].split("; ") if one):
        inside[int(depth):] = [name]
        tree.append("/".join(inside[1:]) + " flops" * (flops != "0") + " bytes" * (moved != "0"))
    return "regions: " + ", ".join(sorted(region for region in tree[1:] if region != "solve/write modes"))


def page(name, drawn):
    """The words of a report, a line each; of the figures under headings that begin with `drawn` curves and numbers, too."""
    with open(path(name), encoding="utf-8") as f:
        text = f.read()

    def in_words(found):
        return "</p>".join(re.findall(r' d="([^"]*)"', found[0]) + re.findall(r"<title>([^<]*: [^<]*)<", found[0])) + "</p>"

    sections = [re.sub("<svg.*?</svg>", in_words, s, flags=re.S) if re.match(drawn, s) else s for s in text.split("<h3>")]
    text = "<h3>".join(sections)
    text = re.sub(r"<(style|svg|script).*?</\1>", "", text, flags=re.S)
    text = html.unescape(re.sub(r"<[^>]*>", " ", re.sub(r"</(tr|p|h\d|div|li|pre|title|table)>", "\n", text)))
    lines = [line for line in (re.sub(" +", " ", line).strip() for line in text.split("\n")) if line]
    timed = range(lines.index("Time"), lines.index("Solves"))  # of which the words are enough
    lines = [re.sub(r" [\d.]+", "", line) if n in timed else line for n, line in enumerate(lines)
             if n not in timed or not line.startswith("write")]  # which takes no time that is seen on a quick disk
    return "\n".join(lines[:lines.index("Provenance")])


def printed(name):
    """What `naik info --correlators=fnal` prints of a file, without the numbers: which fields the blocks have, and each line once."""
    blocks = [[line for line in block.splitlines() if not re.match(r"\d+\t|JobID", line)]
              for block in naik("info", path(name), "--correlators=fnal").split("---\n")]
    fields = [" ".join(line.partition(":")[0] for line in block if ": " in line) for block in blocks]
    return "\n".join([f"{fields.count(one)} blocks: {one}" for one in dict.fromkeys(fields)] +
                     list(dict.fromkeys(line for block in blocks for line in block)))


STAGGERED = """
lattice: {size: [4, 4, 4, 8], boundary_t: antiperiodic}
gauge: {file: lat.h5}
action: {type: hisq}
solver: {tolerance: 1e-10, batch: 1}
solve:
  - {name: pt, masses: [0.2, 0.4], naik_epsilon: [0, -0.1], source: {type: point, origin: [[0, 0, 0, 0], [1, 2, 3, 2], [2, 1, 0, 5]]}}
  - {name: low, masses: [0.1], source: {type: point, origin: [[0, 0, 0, 0], [1, 1, 1, 3]]}, momenta: [[0, 0, 0]]}
  - {name: wall, masses: [0.3], correlators: [pion5, pion05], source: {type: evenandodd_wall, t0: [1, 4]}, deflate: false}
  - {name: spec, masses: [0.3], correlators: [], deflate: false, source: {type: point, origin: [[0, 0, 0, 1]]}}
  - {name: par, masses: [0.5], deflate: false, source: {type: point, origin: [[0, 0, 0, 1]]}}
  - {name: noise, masses: [0.3], deflate: false, correlators: [], source: {type: random_wall, t0: [1], noise: z2, seed: 3, dilution: [even_odd]}}
  - {name: gauss, masses: [0.3], correlators: [], deflate: false, source: {type: covariant_gaussian, radius: 1.1, iterations: 3, origin: [0,0,0,2], colours: [0, 2]}}
three_point:
  - {name: cur, parent: par, spectator: spec, insertion: [G1-G1, GX-GX], sink_times: [0, 3], daughter_masses: [0.35], momenta: [[0, 0, 0], [1, 0, -1]]}
pairs:
  - {name: split, quark: spec, antiquark: par}
baryons:
  - {name: wwo, quarks: [wall, wall, wall], operators: [nucleon, delta]}
averages:
  - {name: ama, type: truncated_solves, solve: pt, tolerance_sloppy: 1e-3, exact_sources: 2, seed: 7}
  - {name: lma, type: low_modes, solve: low}
deflation: {modes: 16, file: modes.h5}
output: {file: s.h5, correlators: [pion5, rhox], momenta: [[0, 0, 0], [1, 0, 0]], momentum_weight: exp, loops: [G1-G1], condensate: true,
         propagators: false, average: true}
"""
SPIN = """
lattice: {size: [4, 4, 4, 8], boundary_t: antiperiodic}
gauge: {file: lat.h5}
action: {type: clover, csw: 1.2}
solver: {tolerance: 1e-8, batch: 1, method: bicgstab}
solve:
  - {name: l, kappas: [0.12], source: {type: point, origin: [[0, 0, 0, 0], [1, 2, 3, 2]]}}
  - {name: s, masses: [0.6], correlators: [pion], momenta: [[0, 0, 1]], source: {type: gaussian, radius: 1.5, origin: [[0, 0, 0, 0], [1, 2, 3, 2]]}}
pairs:
  - {name: ls, quark: l, antiquark: s}
baryons:
  - {name: lls, quarks: [l, l, s], operators: [lambda]}
output: {file: w.h5, correlators: [pion, rho_x], momenta: [[0, 0, 0], [1, 0, 0]], average: true, origin: [0, 0, 0, 0]}
"""


def write(name, text):
    with open(path(name), "w", encoding="utf-8") as f:
        f.write(re.sub(r"\b(lat|modes|s|w)\.h5", lambda m: path(m.group(0)), text))
    return path(name)


def a_run_of_everything_staggered():
    naik("gauge", "generate", "--size", "4,4,4,8", "--beta", "5.6", "--sweeps", "3", "--seed", "4", "-o", path("lat.h5"))
    file = write("s.yaml", STAGGERED)
    check("staggered-plan", naik("solve", file, "--dry-run"))
    check("staggered-log", naik("solve", file))
    check("staggered-info", naik("info", path("s.h5")).partition("\n  input_text")[0])
    check("staggered-file", structure("s.h5"))
    check("staggered-correlators", printed("s.h5"))
    naik("report", path("s.h5"), "-o", path("s.html"))
    check("staggered-report", page("s.html", "par|wwo/s0000"))
    with naik_io.File(path("s.h5")) as f:  # of entries without correlators, whose propagators have gone
        assert [f.mass(source) for source in (7, 9, 11, 12)] == [0.3, 0.3, 0.3, 0.35]
        for found in (f.find("split"), f.find("cur", "G1-G1", sink_time=3), f.find("noise", "G1-G1", quantity="loop"), f.find("noise", "condensate"),
                      f.find("noise", "G1-G1", quantity="loop sum"), f.find("low", "rhox", quantity="mean"), f.find("lma", "rhox", quantity="rest")):
            assert found and f.physics_of(found)["extents"] == "4x4x4x8", found
    check("modes-info", naik("info", path("modes.h5")))
    check("modes-file", structure("modes.h5"))


def numbers_on_the_pages_of_help():
    """Of commands whose pages are not made from a table: defaults, statuses, limits and examples."""
    commands = "gauge", "links", "modes", "info", "export", "report", "bench", "import-milc"
    lines = [line.strip() for command in commands for line in naik(command, "--help").splitlines()]
    check("help-numbers", "\n".join(line for line in lines if re.search(r"\d", line) and "are folders of" not in line))


def a_run_of_quarks_with_spin():
    file = write("w.yaml", SPIN)
    assert "extents" in (told := naik("solve", file, "--dry-run", "--no-verify", "--set", "lattice.size=[4, 4, 4, 16]", status=1)) or "lattice" in told, told
    check("spin-plan", naik("solve", file, "--dry-run", "--no-verify"))
    marks = {start + "NAIK_SAID": "yes" for start in ("NAIK_", "OMPI_MCA_x_", "MPICH_", "HDF5_", "ROMIO_", "CUDA_", "HIP_", "ROCR_", "NCCL_")}
    check("spin-log", naik("solve", file, env={**marks, "NAIK_LINES": "one\ntwo"}))
    with h5py.File(path("w.h5")) as f:  # what of the environment may change a run, in one line
        told = re.search("^environment=(.*)$", f["metadata/sessions"][0].decode(), flags=re.M)[1]
    kept = [mark for mark in marks if f"{mark}=yes" in told]
    assert len(told) >= 890 or (kept == list(marks) and "NAIK_LINES=one two" in told), told
    check("spin-file", structure("w.h5"))
    check("spin-correlators", printed("w.h5"))
    naik("report", path("w.h5"), "-o", path("w.html"))
    check("spin-report", page("w.html", "s/s0001|lls/s0000"))


CAMPAIGN = """
lattice: {size: [32, 32, 32, 64]}
gauge: {file: none.lat}
action: ACTION
solve:
  - {name: wall, MASSES, source: {type: random_wall, seed: 5, t0: [0, 8, 16, 24, 32, 40, 48, 56]}}
output: {file: none-prop.h5, correlators: []}
"""


def plans_for_machines_that_are_not_here():
    """All of it follows from the input and the model's figures."""
    def write_plan(name, action, masses):
        with open(path(name), "w", encoding="utf-8") as f:
            f.write(CAMPAIGN.replace("ACTION", action).replace("MASSES", masses))
        return path(name)

    def told(file, *words):
        return naik("solve", file, "--dry-run", *words)

    light = write_plan("light.yaml", "{type: hisq}", "masses: [0.05, 0.01, 0.002], naik_epsilon: [-0.1, 0, 0]")
    modes = ("--set", "deflation={modes: 200, file: none-modes.h5, precision: 16}")
    clover = write_plan("clover.yaml", "{type: clover, csw: 1.2}", "kappas: [0.135, 0.136]")
    check("machine-groups", told(light, "--machine", "h200", "--nodes", "1,2,64,65", "--set", "run.groups=auto"))
    hours = "solve=[{name: wall, masses: [0.05, 0.00004], source: {type: random_wall, seed: 5, t0: [0, 8, 16, 24, 32, 40, 48, 56]}}, " \
            "{name: pt, masses: [0.01], tolerance: 1e-6, source: {type: point, origin: [0, 0, 0, 0]}}]"
    check("machine-apart", told(light, "--machine", "perlmutter", "--set", "run.groups=2", "--set", "solver.multishift=off", "--set", hours))
    check("machine-modes", told(light, "--machine", "perlmutter-80gb", "--nodes", "1,16", *modes))
    check("machine-clover", told(clover, "--machine", "lumi-g", "--nodes", "1,2"))
    for inner, choice in ("auto", "on"), ("double", "off"):  # of multigrid, which iterates in single precision
        node = json.loads(told(clover, "--machine", "lumi-g", "--nodes", "1", "--json", "--set", f"solver.inner_precision={inner}").splitlines()[0])
        assert node["nodes"][0]["choices"].endswith(f"multigrid={choice}"), node["nodes"][0]["choices"]
    said = json.loads(told(light, "--machine", "juwels-booster", "--nodes", "8", "--json", "--set", "lattice.size=[64, 64, 64, 96]", *modes).splitlines()[0])
    check("machine-json", json.dumps(said, indent=1))


def what_the_model_knows_of_machines():
    """A line each of its figures with their sources, then the measurements that it is held against."""
    lines = []
    for machine in "h200", "h100", "perlmutter", "perlmutter-80gb", "juwels-booster", "lumi-g":
        for software in "naik", "quda", "probe":
            table = naik("bench", "model", "--machine", machine, "--software", software, "--local", "32,32,32,32", "--nodes", "2")
            figures, _, predicted = table.partition("\n\n")
            lines += [f"{machine} {software}: " + ", ".join(" ".join(line.split()) for line in figures.splitlines()[1:])] + predicted.splitlines()
    check("machine-figures", "\n".join(lines) + "\n" + naik("bench", "model", "--check"))


main([a_run_of_everything_staggered, a_run_of_quarks_with_spin, numbers_on_the_pages_of_help, plans_for_machines_that_are_not_here,
      what_the_model_knows_of_machines],
     needed=[a_run_of_everything_staggered])
