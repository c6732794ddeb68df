"""What naik has said or written as lines that do not differ from machine to machine, and how two such lines are compared."""
import re

import h5py
import numpy as np

from program import SCRATCH, path

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
