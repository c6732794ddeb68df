"""What a file says of itself, attribute by attribute: each is made another one under a checksum that fits, and a run that reads the
file refuses it or takes it as tests/said/attributes.txt says; NAIK_SAID=write in the environment writes this text anew. What
is taken is tried in the long run, and stands in NOT_COMPARED with the reason why nothing wrong comes of it.
"""
import os
import re
import shutil
import sys

import h5py
import numpy as np

from program import LONG, SCRATCH, answer, main, naik, path

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import naik_io  # noqa: E402

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

NOT_COMPARED = {
    "modes.h5 / ": ("the operator is applied to every mode, and its eigenvalue and residual must come out",
                    "action fat_suma fat_sumb long_suma long_sumb gram_deviation interval_low interval_high"),
    "modes.h5 / parity": ("naik keeps modes of the even sites alone", ""),
    "modes.h5 / size": ("of a search that goes on, and of what a search has taken: for people",
                        "applications block converged cycles degree kept krylov random_blocks search_links seed starts tolerance"),
    "null.h5 / links": ("the operator must give |Mh v|/|v| of every vector once more; a warning names both", ""),
    "prop.h5 solves crc": ("a list of numbers that is none: see words_of_records in test_sums", ""),
    "fat.h5 / action": ("links are used as they are, whatever made them", ""),
}


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
        f.attrs["metadata_crc"] = naik_io._seal(f)


def lines_of(name, source, remove, taken):
    """What a run says of each change of the file `name`, but for what is known to be taken."""
    lines = []
    shutil.copy(path(name), path("whole"))
    for where, key in places(name):
        if f"{name} {where} {key}: 0 taken" in taken:
            continue
        shutil.copy(path("whole"), path(name))
        change(name, where, key)
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
    known = {start.rsplit(" ", 1)[0] + " " + word for start, (_, words) in NOT_COMPARED.items()
             for word in [start.rsplit(" ", 1)[1], *words.split()] if word}
    found = {line[:-len(": 0 taken")] for line in said if line.endswith(": 0 taken")}
    assert found == known, ("taken without a reason, or refused by now", sorted(found ^ known))
    wrong = sorted(set(said) ^ set(wants))
    assert not wrong, f"{len(wrong)} lines differ\n" + "\n".join(wrong[:8])


def attributes_that_agree_with_each_other_are_compared_with_the_data():
    links = written("links", action="links, file: %s" % path("fat.h5"), gauge=False)

    def refused(says, **changes):
        shutil.copy(path("whole-fat.h5"), path("fat.h5"))
        with h5py.File(path("fat.h5"), "r+") as f:
            for where in ("fat", "long"):
                for key, value in changes.items():
                    item = f if key == "link_sets" else f[where]
                    item.attrs.modify(key, np.array(value, item.attrs[key].dtype))
            f.attrs["metadata_crc"] = naik_io._seal(f)
        status, said, told = answer("solve", links, "--fresh")
        assert status == 4 and says in said + told, (changes, status, said, told)
    shutil.copy(path("fat.h5"), path("whole-fat.h5"))
    with h5py.File(path("fat.h5")) as f:
        scale = f["fat"].attrs["long_scale"]
        assert abs(24 * scale - 1) < 1e-12, scale
    refused("times unitary matrices and say that they have naik_epsilon 0, long_scale", long_scale=1.001 * scale)
    refused("the last of the 2 sets of links that it speaks of is not there", link_sets=2)
    refused("contradicts its own attribute precision: the file is damaged", precision=32)
    shutil.copy(path("whole-fat.h5"), path("fat.h5"))
    with h5py.File(path("fat.h5"), "r+") as f:
        f["fat"][0, 0, 0, 0] = f["fat"][0, 0, 0, 1]
    status, said, told = answer("info", path("fat.h5"))
    assert status == 4, ("links that are damaged before others that are not", status, said, told)
    shutil.copy(path("whole-fat.h5"), path("fat.h5"))
    with h5py.File(path("lat.h5")) as f:
        whole, space, time = (f["gauge"].attrs["plaquette" + word] for word in ("", "_s", "_t"))
        assert abs(space + time - 2 * whole) < 1e-14 and space != time, (whole, space, time)
    with h5py.File(path("null.h5"), "r+") as f:
        f.attrs["links"] = "plaquette 1 of nobody"
        f.attrs["metadata_crc"] = naik_io._seal(f)
    said = naik("solve", path("grid.yaml"), "--fresh")
    assert re.search("says that its vectors are of the links 'plaquette 1 of nobody', and these are 'plaquette .*: they are used, because", said), said
    with h5py.File(path("null.h5"), "r+") as f:
        f.attrs["kappa"] = 1.0001 * f.attrs["kappa"]
        f.attrs["metadata_crc"] = naik_io._seal(f)
    for words in ("solve", path("grid.yaml"), "--fresh"), ("info", path("null.h5")):
        status, said, told = answer(*words)
        assert status == 4 and "or what describes them is missing or contradicts itself" in said + told, (words, said, told)


def what_a_file_of_propagators_says_of_its_shape_is_one_of_the_shapes_there_are():
    naik("solve", path("grid.yaml"), "--fresh", "--set", "multigrid.file=none")
    shutil.copy(path("grid.h5"), path("whole-grid.h5"))
    shape, names = "its extents or its precision are missing", "its sources or correlators are not where they belong"
    for where, key, value, why in (("/", "spin", 2, shape), ("/", "spin", 0, shape), ("/", "precision", 16, shape),
                                   ("corr/pt/m00/per_colour", "correlators", b"pion rho_x", names)):
        shutil.copy(path("whole-grid.h5"), path("grid.h5"))
        with h5py.File(path("grid.h5"), "r+") as f:
            old = f[where].attrs[key]
            f[where].attrs.create(key, value, dtype=f"S{len(value)}" if isinstance(value, bytes) else np.array(old).dtype)
            f.attrs["metadata_crc"] = naik_io._seal(f)
        for words in ("export", path("grid.h5"), "-o", path("none.lime")), ("info", path("grid.h5"), "--residuals"):
            status, said, told = answer(*words)
            refused = "cannot be described: " + why in told or (why == names and "was edited" in told)
            assert status == 4 and refused and not os.path.exists(path("none.lime")), (where, key, value, words, status, said, told)


main([every_attribute_is_looked_at_or_of_no_matter, attributes_that_agree_with_each_other_are_compared_with_the_data,
      what_a_file_of_propagators_says_of_its_shape_is_one_of_the_shapes_there_are],
     needed=[every_attribute_is_looked_at_or_of_no_matter])
