"""Whole runs against what is recorded of them: the small and very different inputs of recorded/*.yaml, of which chance drew most.
Of each command the exit status and the words are compared, and of each file in HDF5 that it makes the attributes and a line a
group of data sets: shape, type, norm and a sum with weights that no symmetry has. NAIK_SAID=write in the environment writes
recorded/*.txt anew: the difference is then for a reader. A line "=5" there is the next five lines of the last block of that kind.
timeout: 120
"""
import difflib
import glob
import os
import re
import shlex
import zlib

import h5py
import numpy as np

from program import answer, main, naik, path
from told import alike, blind

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "recorded")
DATA = re.compile(r"(.*) norm (\S+) by weights (\S+) (\S+)$")
UNLIKE = "seconds", "gflops", "iterations", "residual", "flops", "time", "session", "crc", "restarts", "norm", "suma", "sumb", "checksum", "history"
# What differs from run to run in the words of info, beside what told.py knows of
OTHERS = (r"(multigrid_q\d+=).*", r"\1#"), (r"JobID: .*", "JobID: #"), (r"(setup_s|outer|coarse)=[\d.]+", r"\1=#")
CLOSE = 3e-7  # of the norm: seven digits of what is solved to 1e-9 or better with heavy quarks


def scenarios(text):
    """Name, input and commands of each; without a command the input is solved."""
    for part in re.split(r"^== ", text, flags=re.M)[1:]:
        name, _, rest = part.partition("\n")
        lines = rest.splitlines()
        yield name, "\n".join(line for line in lines if line[:2] != "$ ") + "\n", [line[2:] for line in lines if line[:2] == "$ "] or ["solve run.yaml"]


def weighed(parts):
    """The digits that are compared of arrays."""
    values = np.nan_to_num(np.concatenate([np.asarray(one).ravel().astype(complex) for one in parts]))
    k = np.arange(values.size)
    by_weights = (np.exp(0.7j * k) * (1 + 0.5 * np.cos(0.013 * k ** 2)) * values).sum()
    return " norm %.7g by weights %.7g %.7g" % (np.linalg.norm(values), by_weights.real, by_weights.imag)


def is_number(item):
    return item.dtype.kind in "fiuc" and not item.name.endswith(("crc", "checksums"))


def attributes(item):
    """One line, in which what the machine decides is #."""
    told = ((key, item.attrs[key]) for key in sorted(item.attrs))
    return "; ".join(blind("\n".join(f"{key}: {'%.9g' % value if isinstance(value, float) else np.asarray(value).tolist()}" for key, value in told)))


def data_of(file):
    """A line a group of data sets that differ in their momentum alone. Of their attributes those of the first are told, as far
    as the line before has not told them, and a checksum of all."""
    said, before = [], set()

    def news(item):
        now = attributes(item).split("; ")
        fresh = [one for one in now if one not in before and not one.startswith("definition")]
        before.clear()
        before.update(now)
        return "; ".join(fresh) + " "

    def show(where, item):
        if where.startswith("solves_history"):
            return
        if isinstance(item, h5py.Group):
            inside = [item[name] for name in sorted(item) if isinstance(item[name], h5py.Dataset)]
            parts = [one for one in inside if is_number(one)] if where != "metadata" else []
            if parts:
                crc = zlib.crc32("\n".join(map(attributes, inside)).encode())
                said.append(f"{where}: {' '.join(os.path.basename(one.name) for one in inside)} {parts[0].shape} {parts[0].dtype} {news(parts[0])}"
                            f"({crc:08x})".replace(", ", ",") + weighed([one[...] for one in parts]))
            elif item.attrs:
                said.append(f"{where}: {news(item)}")
        elif item.dtype.names:
            values = item[...]
            said.extend(f"{where} {one}:" + (weighed([values[one]]) if values[one].dtype.kind in "iu" else
                                             " " + " ".join("%.9g" % value if values[one].dtype.kind == "f" else value.decode() for value in np.unique(values[one])))
                        for one in item.dtype.names if not any(word in one for word in UNLIKE) and values[one].dtype.kind in "fiuS")
        elif where in ("metadata/choices", "metadata/canonical_input"):
            said.extend(f"{where[9:]}: {line}" for line in np.ravel(item[...])[0].decode().rstrip("\0").splitlines())
        elif where.startswith("metadata"):
            said.append(f"{where} {item.shape} {attributes(item)}")
    with h5py.File(file) as f:
        said.append(attributes(f))
        show("/", f)
        f.visititems(show)
    return "\n".join(said)


def solves_counted(lines):
    """Solves of a batch end in an order of their own: of each kind there are so many."""
    told = {}
    for line in lines:
        for pattern, instead in OTHERS:
            line = re.sub(pattern, instead, line)
        line = re.sub(r"^solve \d+/(\d+): (.*?)( spin=\d)?( colour=\d)? iterations", r"solve of \1: \2 iterations", line)
        told[line] = told.get(line, 0) + 1
    return [line if times == 1 else f"{line} (x {times})" for line, times in told.items()]


def is_like(line, want):
    a, b = DATA.match(line), DATA.match(want)
    if not a or not b or a[1] != b[1]:
        return alike(line, want)
    numbers, wants = ([float(one) for one in found.groups()[1:]] for found in (a, b))
    return all(abs(x - y) <= CLOSE * wants[0] + 1e-11 for x, y in zip(numbers, wants))


def blocks(case):
    """What the runs of a case say and write: (kind, title, lines) of each command and file."""
    with open(os.path.join(HERE, case + ".yaml"), encoding="utf-8") as f:
        text = f.read()
    for name, yaml, commands in scenarios(text):
        folder = path(f"{case}.{name}")
        os.makedirs(folder)
        for lattice in set(re.findall(r"lat\.([\dx]+)\.h5", yaml + " ".join(commands))):
            if not os.path.exists(path(f"lat.{lattice}.h5")):
                naik("gauge", "generate", "--size", lattice.replace("x", ","), "--beta", "5.6", "--sweeps", "3", "--seed", "4", "-o", path(f"lat.{lattice}.h5"))
            os.symlink(path(f"lat.{lattice}.h5"), os.path.join(folder, f"lat.{lattice}.h5"))
        with open(os.path.join(folder, "run.yaml"), "w", encoding="utf-8") as f:
            f.write(yaml)
        before = {}
        for command in commands:
            words = shlex.split(command)
            ranks = int(words.pop(0)) if words[0].isdigit() else 1
            status, said, errors = answer(*words, ranks=ranks, cwd=folder)
            errors = "\n".join(line for line in errors.splitlines() if line.startswith("naik"))
            yield words[0], f"== {name}: {command}: {status}", solves_counted(blind(said + errors))
            for file in sorted(glob.glob(os.path.join(folder, "*.h5"))):
                state = os.stat(file).st_mtime_ns
                if not os.path.islink(file) and before.get(file) != state:
                    before[file] = state
                    yield "data", f"-- {os.path.basename(file)}", blind(data_of(file))


def against_last(lines, last):
    """A block in as few words as the last one of its kind allows."""
    told, at = [], 0
    for a, b, size in difflib.SequenceMatcher(None, last, lines, autojunk=False).get_matching_blocks():
        told += ["+" + line for line in lines[at:b]]
        if size:
            told.append(f"={size} from {a + 1}: {last[a][:40]}".rstrip())
        at = b + size
    return told


def in_full(told, last):
    lines = []
    for line in told:
        if line.startswith("+"):
            lines.append(line[1:])
        else:
            size, first = map(int, re.match(r"=(\d+) from (\d+):", line).groups())
            lines += last[first - 1:first - 1 + size]
    return lines


def compare(case):
    file = os.path.join(HERE, case + ".txt")
    found = list(blocks(case))
    if os.environ.get("NAIK_SAID") == "write":
        last, told = {}, []
        for kind, title, lines in found:
            told += [title] + against_last(lines, last.get(kind, []))
            last[kind] = lines
        with open(file, "w", encoding="utf-8") as f:
            f.write("\n".join(told) + "\n")
    with open(file, encoding="utf-8") as f:
        wants = [part.splitlines() for part in re.split(r"^(?=== |-- )", f.read(), flags=re.M)[1:]]
    titles = [title for _, title, _ in found]
    assert titles == [want[0] for want in wants], next((a, b) for a, b in zip(titles + [""], [want[0] for want in wants] + [""]) if a != b)
    last, wrong = {}, []
    for (kind, title, lines), want in zip(found, wants):
        want = last[kind] = in_full(want[1:], last.get(kind, []))
        wrong += [f"{title}: {a}\nexpected {b}" for a, b in zip(lines + [""] * (len(want) - len(lines)), want + [""] * (len(lines) - len(want))) if not is_like(a, b)]
    assert not wrong, f"{len(wrong)} lines differ; if they should, NAIK_SAID=write\n" + "\n".join(wrong[:8])


def case_of(name):
    def test():
        compare(name)
    test.__name__ = name.replace("-", "_")
    return test


main([case_of(os.path.basename(file)[:-5]) for file in sorted(glob.glob(os.path.join(HERE, "*.yaml")))], needed=[])
