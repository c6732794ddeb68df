"""What a .slips file says, and what the verdict on a slip depends on."""
import ast
import functools
import glob
import hashlib
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
TESTS = os.path.join(TOP, "tests")


def text_of(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def source_of(test):
    """The file of a test: NAME.py, NAME.sh, or NAME:RANKS of a program."""
    name = test.partition(":")[0]
    return os.path.join(TESTS, name if "." in name else name + ".c")


class Slip:
    """One entry of a .slips file."""

    def __init__(self, kind, name):
        self.kind, self.name = kind, name
        self.file, self.survives, self.hangs, self.old, self.new, self.tests = None, None, None, [], [], []

    def in_header(self):
        """Of which the test programs alone are compiled again. A script runs the program, which takes all objects that see
        the header."""
        return self.file.endswith(".h") and not any("." in words[0] for words in self.tests)

    def apply(self, top):
        """The text of the file with the slip in it, or None where its lines are not there exactly once."""
        lines = text_of(os.path.join(top, self.file)).split("\n")
        bare = [line.strip() for line in lines]
        found = [i for i in range(len(bare) - len(self.old) + 1) if bare[i:i + len(self.old)] == self.old]
        if len(found) != 1:
            return None
        at = found[0]
        return "\n".join(lines[:at] + self.new + lines[at + len(self.old):])

    def hash(self):
        """Of the slip, the file that it changes, its tests and what these are made of. Another file can change a verdict,
        too; a verdict says its commit for that."""
        said = [self.file, *self.old, "", *self.new, *(" ".join(words) for words in self.tests), text_of(os.path.join(TOP, self.file))]
        for words in self.tests:
            parts = parts_of(source_of(words[0]))
            said += [part for path in sorted(parts) for part in (os.path.relpath(path, TOP), parts[path])]
        return hashlib.sha256("\0".join(said).encode()).hexdigest()[:12]


def used_of(path, names):
    """The text of a file of tests/, or, of a module of which names are imported, of what makes these and of what they use."""
    text = text_of(path)
    if names is None:
        return text
    tree = ast.parse(text)
    makers = {}
    for node in tree.body:
        bound = [node.name] if isinstance(node, (ast.FunctionDef, ast.ClassDef)) else \
            [alias.asname or alias.name for alias in node.names] if isinstance(node, (ast.Import, ast.ImportFrom)) else \
            [name.id for name in ast.walk(node) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)]
        for name in bound:
            makers.setdefault(name, []).append(node)
    needed, new = set(), {node for name in names for node in makers.get(name, ())}
    while new:
        needed |= new
        new = {node for one in new for name in ast.walk(one) if isinstance(name, ast.Name) for node in makers.get(name.id, ())} - needed
    return "\n".join(ast.get_source_segment(text, node) for node in tree.body if node in needed)


def named_in(text):
    """Files of tests/ that a text is made of, and what of them (None: all): modules, headers with their sources, data by their
    names."""
    found = {name: None for name in re.findall(r'#include "([^"]+)"', text)}
    found.update({name[:-2] + ".c": None for name in list(found)})
    found.update({word + ".py": None for word in re.findall(r"^\s*import (\w+)", text, re.M)})
    for word, names in re.findall(r"^\s*from (\w+) import (\([^)]*\)|.*)", text, re.M):
        found[word + ".py"] = set(re.findall(r"\w+", names.partition("#")[0]))
    found.update({name: None for name in re.findall(r"""["'/ ]([\w-]+(?:/[\w-]+)*\.(?:txt|py|c|sh|yaml|json))\b""", text)
                  if name not in found})
    for folder in set(re.findall(r""", "(shim|slurm)"\)""", text)):
        found.update({folder + "/" + name: None for name in os.listdir(os.path.join(TESTS, folder))})
    if re.search(r""", "said["/]""", text):  # the texts that it names, or whose first word it does
        found.update({"said/" + name: None for name in os.listdir(os.path.join(TESTS, "said"))
                      if name.removesuffix(".txt") in text or name.partition("-")[0] + "-{" in text})
    found = {name.removeprefix("tests/"): names for name, names in found.items()}
    return {os.path.join(TESTS, name): names for name, names in found.items()
            if os.path.isfile(os.path.join(TESTS, name)) and not name.startswith(("results/", "test_"))}


@functools.lru_cache(maxsize=None)
def parts_of(path):
    """The text of a test and of all that it is made of in tests/, by file. Of a module in Python, what the test takes of it:
    most scripts share one, and a function for one of them is nothing to the others."""
    wanted, texts, left = {path: None}, {}, [path]
    while left:
        one = left.pop()
        text = used_of(one, wanted[one])
        if texts.get(one) == text:
            continue
        texts[one] = text
        for other, names in named_in(text).items():
            before = wanted.get(other, set())
            wanted[other] = None if names is None or before is None else before | names
            if other not in texts or wanted[other] != before:
                left.append(other)
    return texts


def has_case(test, case):
    """Whether a script has a function of that name, or a program one with it in its name."""
    text = text_of(source_of(test))
    return case in text if "." not in test else re.search(rf"^def {case}\(", text, re.M) is not None


def read_slips():
    slips = []
    for path in sorted(glob.glob(os.path.join(HERE, "*.slips"))):
        kind = os.path.basename(path)[:-len(".slips")]
        for number, line in enumerate(text_of(path).split("\n"), start=1):
            if line.startswith("== "):
                slips.append(Slip(kind, line[3:].strip()))
            elif line.startswith("file "):
                slips[-1].file = line[5:].strip()
            elif line.startswith("test "):
                slips[-1].tests.append(line[5:].split())
            elif line.startswith("survives "):
                slips[-1].survives = line[9:].strip()
            elif line.startswith("hangs "):
                slips[-1].hangs = line[6:].strip()
            elif line.startswith("-"):
                slips[-1].old.append(line[1:].strip())
            elif line.startswith("+"):
                slips[-1].new.append(line[1:])
            elif line.startswith(" ") and slips[-1].old:  # context
                slips[-1].old.append(line.strip())
                slips[-1].new.append(line)
            elif line and not line.startswith("#"):
                sys.exit(f"{path}:{number}: not understood: {line}")
    for slip in slips:
        if not (slip.file and slip.old and slip.tests):
            sys.exit(f"{slip.name}: a slip has a file, lines that it takes and tests")
    for slip in slips:
        for words in slip.tests:
            for case in words[1:]:
                if not has_case(words[0].partition(":")[0], case):
                    sys.exit(f"{slip.name}: {words[0]} has no case {case}, whose failure would be taken for the slip's")
    names = [slip.name for slip in slips]
    for name in names:
        if names.count(name) > 1:
            sys.exit(f"{name}: two slips of one name")
    return slips
