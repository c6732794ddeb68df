"""What a file says of itself, attribute by attribute: each is made another one under a checksum that fits, and a run that reads the
file refuses it or takes it as tests/said/attributes.txt says; NAIK_SAID=write in the environment writes this text anew. What
is taken is tried in the long run.
"""
import os
import re
import shutil

import h5py
import numpy as np

from program import LONG, SCRATCH, answer, main, naik, path, sealed

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "said", "attributes.txt")
INPUT = """
lattice: {size: [4, 4, 4, 4]}
%s
action: {type: %s}
solver: {tolerance: 1e-6%s}
solve:
  - {name: pt, %s, source: {type: point, origin: [0, 0, 0, 0]}, correlators: [%s]%s}
%s
output: {file: %s}
run: {threads: 1}
"""
PASSING = {"metadata_crc", "uuid", "created", "git", "writer"}  # of the writing, not of what is written


def written(name, action="hisq", words="masses: [0.5]", meson="pion5", solver="", guess="", more="", gauge=True):
    with open(path(name + ".yaml"), "w", encoding="utf-8") as f:
        f.write(INPUT % ("gauge: {file: %s}" % path("lat.h5") if gauge else "", action, solver, words, meson, guess, more, path(name + ".h5")))
    return path(name + ".yaml")


def another(value):
    """A number or a text that is not this one, of the same type and size."""
    if isinstance(value, (bytes, np.bytes_)):
        return another(value.decode()).encode()
    if isinstance(value, str):
        return value[:-1] + ("x" if value[-1:] != "x" else "y")
    values = np.array(value)
    if values.dtype.kind == "S":
        return np.array([another(text) for text in values.ravel()], values.dtype).reshape(values.shape)
    flat = values.reshape(-1)
    if flat.size:
        flat[0] = flat[0] * 1.5 + 0.25 if values.dtype.kind == "f" else flat[0] + 2
    return values


def places(name):
    """Attributes, and small data sets but for those with a checksum of their own."""
    found = []

    def look(where, item):
        if where.startswith(("corr", "metadata", "prop/")):
            return
        found.extend((where, key) for key in item.attrs if key not in PASSING)
        if isinstance(item, h5py.Dataset) and item.size and item.size <= 64 and item.dtype.kind in "iuf":
            found.append((where, None))
    with h5py.File(path(name)) as f:
        look("/", f)
        f.visititems(look)
    return found


def change(name, where, key):
    with h5py.File(path(name), "r+") as f:
        item = f[where]
        if key is None:
            item[...] = another(item[...])
        elif isinstance(item.attrs[key], str):
            text = another(item.attrs[key])
            item.attrs.create(key, text, dtype=item.attrs.get_id(key).dtype)
        else:
            item.attrs.modify(key, another(item.attrs[key]))
    sealed(path(name))


def lines_of(name, source, remove, taken):
    """What a run says of each change of the file `name`, but for what is known to be taken."""
    lines = []
    shutil.copy(path(name), path("whole"))
    for where, key in places(name):
        if f"{name} {where} {key}: 0 taken" in taken:
            continue
        shutil.copy(path("whole"), path(name))
        try:
            change(name, where, key)
        except AssertionError:  # naik cannot say what checksum it must have
            pass
        status, said, told = answer("solve", source, "--fresh")
        why = re.search("naik: error: (.*)", said + told)
        text = "taken" if status == 0 else re.sub(r" \[rank.*|[0-9a-f]{8}|\d[\d.e+-]+", "", why[1].replace(SCRATCH, "").replace("/", ""))
        lines.append(f"{name} {where} {key}: {status} {text[:90].strip()}")
        for file in remove:
            if os.path.exists(path(file)):
                os.remove(path(file))
    shutil.copy(path("whole"), path(name))
    return lines


def every_attribute_is_looked_at_or_of_no_matter():
    naik("gauge", "generate", "--size", "4,4,4,4", "--beta", "6", "--sweeps", "2", "-o", path("lat.h5"))
    low = written("low", more="deflation: {modes: 4, krylov: 40, tolerance: 1e-3, file: %s}" % path("modes.h5"))
    grid = written("grid", "wilson", "kappas: [0.12]", "pion", ", method: multigrid",
                   more="multigrid: {vectors: 6, start: 3, cycles: 0, aggregate: [2, 2, 2, 2], file: %s}" % path("null.h5"))
    prop, guess = written("prop"), written("guess", guess=", guess: %s" % path("prop.h5"))
    links = written("links", action="links, file: %s" % path("fat.h5"), gauge=False)
    naik("links", prop, "-o", path("fat.h5"))
    for source in (low, grid, prop):
        naik("solve", source)
    writes = os.environ.get("NAIK_SAID") == "write"
    wants = []
    if not writes:
        with open(FILE, encoding="utf-8") as f:
            wants = f.read().splitlines()
    taken = [] if LONG or writes else [line for line in wants if line.endswith(": 0 taken")]
    said = taken + [line for name, source in (("modes", low), ("null", grid), ("prop", guess), ("fat", links))
                    for line in lines_of(name + ".h5", source, [os.path.basename(source).replace("yaml", "h5")], taken)]
    if writes:
        with open(FILE, "w", encoding="utf-8") as f:
            f.write("\n".join(said) + "\n")
        wants = said
    wrong = sorted(set(said) ^ set(wants))
    assert not wrong, f"{len(wrong)} lines differ\n" + "\n".join(wrong[:8])


main([every_attribute_is_looked_at_or_of_no_matter])
