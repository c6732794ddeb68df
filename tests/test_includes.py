# test_includes.py - who may include whom: layers, circles, public headers
import glob
import os
import re
import subprocess

from program import main

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
FOLDERS = "include/naik", "src/*", "src/*/*", "gpu", "gpu/*", "io", "io/*"
FILES = sorted(path for folder in FOLDERS for path in glob.glob(folder + "/*.*")
               if path.endswith((".c", ".h", ".inc", ".cu", ".cuh")))


def layers():
    """Folder to its number, in the order of the table in src/README.md."""
    with open("src/README.md", encoding="utf-8") as f:
        rows = re.findall(r"^\| (`[^|]*`) \|", f.read(), flags=re.M)
    return {folder: number for number, row in enumerate(rows) for folder in re.findall(r"`([^`]+)`", row)}


def stem(path):
    return os.path.splitext(path)[0]


def module(path):
    """FOLDER/NAME without extension: a header and its source are one, and so are files of a folder whose names begin
    with that of another (cg, cg_batch). A public header belongs to its source."""
    if path.startswith("include/naik/"):
        sources = [p for p in FILES if p.endswith(".c") and os.path.basename(stem(p)) == os.path.basename(stem(path))
                   and not p.startswith("src/bench/")]
        return stem(sources[0]) if len(sources) == 1 else stem(path)
    folder, name = os.path.split(stem(path))
    others = [os.path.basename(stem(p)) for p in FILES if os.path.dirname(p) == folder]
    return folder + "/" + min((o for o in others if name == o or name.startswith(o + "_")), key=len)


def includes(path):
    """(line, the file meant) of every include of a file of naik."""
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            found = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
            if found:
                name = found.group(1)
                where = "include/", "src/", "", os.path.dirname(path) + "/"
                yield number, next((folder + name for folder in where if os.path.exists(folder + name)), name)


def layer_of(path, order):
    folder = os.path.dirname(module(path))
    folder = "gpu" if folder.startswith("gpu/") else folder  # its rooms are one layer
    return -1 if folder == "include/naik" else order.get(folder)


def every_include_is_of_the_same_layer_or_one_before_it():
    order, wrong = layers(), []
    assert len(order) >= 18, order
    for path in FILES:
        mine = layer_of(path, order)
        if mine is None:
            wrong.append(f"{path}: its folder is not in the table of src/README.md")
            continue
        for number, header in includes(path):
            theirs = layer_of(header, order)
            if theirs is None or theirs > mine and not path.startswith("include/"):
                wrong.append(f"{path}:{number}: includes {header}, which is of a later layer")
    assert not wrong, "\n".join(wrong)


def no_modules_include_each_other_in_a_circle():
    """Of the modules with a source. The GPU's are one: its kernels wait for each other."""
    with_source = {module(path) for path in FILES if path.endswith(".c")}
    graph = {}
    for path in FILES:
        if not path.startswith("gpu/"):
            graph.setdefault(module(path), set()).update(module(h) for _, h in includes(path) if h in FILES)
    circles = []

    def walk(start, node, way, seen):
        for other in sorted(graph.get(node, ())):
            if other == start and any(m != start and m in with_source for m in way):
                circles.append(" -> ".join(way + [other]))
            elif other not in seen:
                seen.add(other)
                walk(start, other, way + [other], seen)

    for node in sorted(with_source):
        walk(node, node, [node], {node})
    assert not circles, "\n".join(circles)


def no_files_call_each_other_in_a_circle():
    """By the names that their objects define and need."""
    build = os.environ["BUILD"]
    objects = [f"{build}/{stem(path)}.o" for path in FILES
               if path.startswith(("io/", "src/")) and path.endswith(".c")]
    leaves = "cpu/kernels.o", "cpu/wilson.o", "cpu/multigrid.o"  # compiled once an instruction set, under other names
    objects = [path for path in objects if not path.endswith(leaves)]
    defined, needed = {}, {}
    said = subprocess.run(["nm", *objects], capture_output=True, text=True, check=True).stdout
    for part in re.split(r"\n\n(?=\S+\.o:\n)", said.strip()):
        path = part.split(":\n", 1)[0]
        words = [line.split() for line in part.splitlines()]
        needed[path] = {w[1] for w in words if len(w) == 2 and w[0] == "U"}
        defined.update({w[2]: path for w in words if len(w) == 3 and w[1] in "TDRB"})
    graph = {path: {defined[name] for name in names if name in defined} - {path} for path, names in needed.items()}
    assert graph.keys() == set(objects) and len(objects) > 200, graph.keys() ^ set(objects)
    while True:  # what calls nobody that is left cannot be in a circle
        leaves = [path for path, called in graph.items() if not called & graph.keys()]
        if not leaves:
            break
        for path in leaves:
            del graph[path]
    calls = [f"{a} -> {b}" for a in graph for b in sorted(graph[a] & graph.keys())]
    assert not graph, "circles are among these calls:\n" + "\n".join(sorted(calls))


def the_page_on_the_architecture_lists_the_layers_in_their_order():
    with open("ARCHITECTURE.md", encoding="utf-8") as f:
        rooms = re.search(r"## The folders\n(.*?)\n## ", f.read(), flags=re.S)[1]
    told = [name.rstrip("/") for line in rooms.splitlines() if line.startswith("    ")
            for name in re.findall(r"(?:^ +|  )((?:src|io|gpu)(?:/[a-z]*)*)(?= )", line)]
    order = [folder for folder in layers() if not folder.startswith("io/")]
    assert told == order, (told, order)


def public_headers_need_no_others_and_are_twelve_at_most():
    headers = glob.glob("include/naik/*.h")
    wrong = [f"{path}:{number}: includes {header}" for path in headers for number, header in includes(path)
             if not header.startswith("include/naik/")]
    assert not wrong, "\n".join(wrong)
    assert len(headers) <= 12, f"{len(headers)} public headers: " + " ".join(sorted(headers))


if __name__ == "__main__":
    main([every_include_is_of_the_same_layer_or_one_before_it, no_modules_include_each_other_in_a_circle,
          no_files_call_each_other_in_a_circle,
          the_page_on_the_architecture_lists_the_layers_in_their_order,
          public_headers_need_no_others_and_are_twelve_at_most])
