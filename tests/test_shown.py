# test_shown.py - the commands and the Python of the pages that no other test runs, on a small lattice
# timeout: 300
import glob
import os
import re
import subprocess
import sys

from program import SCRATCH, main, naik, path

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
HERE = ["correlators.md", "deflation.md", "output.md", "groups.md", "performance.md", "performance-internals.md", "performance-choices.md", "performance-model.md", "sources.md"]
ELSEWHERE = {"from-milc.md": "test_pages.py", "from-chroma-or-pyquda.md": "test_pages.py", "planning.md": "test_planning.py",
             "python.md": "test_session.py", "README.md": "test_examples.py"}
# what takes long becomes small, and one sample measures
SMALL = [(r"\b32,32,32,(32|64)\b", "4,4,4,8"), (r"\b16,16,16,16\b", "4,4,4,8"), (r"--modes 128\b", "--modes 8"),
         (r"^bench cg --masses", "bench cg --size 4,4,4,8 --masses"), (r"/scratch/", ""), (r"run\.groups=4", "run.groups=2"),
         (r"^(bench (?!model).*)$", r"\1 --repeat 1 --time 0.001 --copy-mib 4"), (r"--gauge lat\.h5( .*)--mass 0\.01,0\.002", r"--gauge lat.h5\1--mass 0.1,0.05")]
INPUT = """
lattice: {size: [4, 4, 4, 8]}
gauge: {file: lat.h5}
action: {type: hisq}
solve:
  - {name: pt, masses: [0.1], source: {type: point, origin: [[0, 0, 0, 0], [2, 0, 0, 4]]}}
output: {file: run.h5, correlators: [pion5]}
"""
STORED = """
lattice: {size: [4, 4, 4, 8]}
gauge: {file: lat.h5}
action: {type: hisq}
solve:
  - {name: pt, masses: [0.1, 0.2], source: {type: point, origin: [0, 0, 0, 0]}}
  - {name: both, masses: [0.05, 0.5], source: {type: point, origin: [0, 0, 0, 0]}}
pairs: [{name: hl, quark: both, antiquark: both}]
deflation: {modes: 8, file: modes.h5}
output: {file: prop.h5, correlators: [pion5, rhox], momenta: [[0, 0, 0], [1, 0, 0]]}
"""


def page(name):
    with open(os.path.join(TOP, "doc", name), encoding="utf-8") as f:
        return f.read()


def blocks(name):
    """Indented and fenced blocks of a page, without the indentation."""
    text = page(name)
    fenced = re.findall(r"^```(?:sh|python)\n(.*?)^```$", text, flags=re.M | re.S)
    text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    return fenced + [re.sub("^    ", "", block, flags=re.M) for block in re.findall(r"(?:^    .*\n)(?:(?:    .*)?\n)*", text, flags=re.M)]


def commands(name):
    """The ranks and the words behind `naik` of every command of a page that is no example with its answer."""
    joined = "\n".join(blocks(name)).replace("\\\n", " ")
    return [(int(ranks or 1), words) for ranks, words in
            re.findall(r"^(?:mpirun -n (\d+) )?(?:\S*/)?naik ((?:solve|gauge|links|modes|info|bench|export|report|import-milc|schema)\b.*)$",
                       joined, flags=re.M)]


def prepare():
    naik("gauge", "generate", "--size", "4,4,4,8", "--beta", "6", "--seed", 1, "--sweeps", 4, "-o", path("lat.h5"))
    for name, text in (("stored.yaml", STORED), ("run.yaml", INPUT), ("mesons.yaml", blocks("correlators.md")[0])):
        with open(path(name), "w") as f:
            f.write(text)
    naik("solve", "stored.yaml", cwd=SCRATCH)
    os.symlink("lat.h5", path("lat.l3264"))


def commands_of_these_pages_run():
    count = 0
    for name in HERE:
        found = commands(name)
        assert found, f"doc/{name} shows no command any more: take it from the list"
        for ranks, words in found:
            words = words.split("#")[0].split(">")[0].strip()
            for long, small in SMALL:
                words = re.sub(long, small, words)
            words = words.split()
            again = {"report": ["--force"], "generate": ["--force"], "solve": ["--fresh"]}.get(words[1] if words[0] == "gauge" else words[0], [])  # what a command before has made
            ranks = 1 if words[0] == "bench" else min(ranks, 2)  # tests/test_bench_cmd.py has ranks
            naik(*words, *(again if "--dry-run" not in words else []), ranks=ranks, cwd=SCRATCH)
            count += 1
    assert count >= 20, count


def python_of_these_pages_runs():
    count = 0
    for name in HERE:
        for block in blocks(name):
            if re.match(r"import (naik|h5py)\b", block):
                done = subprocess.run([sys.executable, "-B", "-c", block], capture_output=True, text=True, cwd=SCRATCH,
                                      env={**os.environ, "PYTHONPATH": os.path.join(TOP, "python")})
                assert done.returncode == 0, f"{name}\n{block}\n{done.stderr}"
                assert "False" not in done.stdout, done.stdout
                count += 1
    assert count >= 3, count


def the_page_of_correlators_shows_what_its_example_prints():
    """To six decimals; the others may differ between machines."""
    shown = re.search(r"^```text\n(.*\n(?:\d .*\n)+)\.\.\.$", page("correlators.md"), flags=re.M)[1]
    said = naik("info", path("mesons.h5"), "--correlators")
    short = [re.sub(r"(\.\d{6})\d+", r"\1", text) for text in (shown, said)]
    assert short[0].count("\n") > 3 and short[0] in short[1], f"{shown}\n{said}"


def every_page_with_commands_is_run_by_some_test():
    for name in sorted(os.path.basename(page) for page in glob.glob(os.path.join(TOP, "doc", "*.md"))):
        if name.startswith("example-") or name in HERE:
            continue
        if commands(name):
            assert name in ELSEWHERE, f"no test runs the commands of doc/{name}"
            with open(os.path.join(TOP, "tests", ELSEWHERE[name]), encoding="utf-8") as f:
                assert name in f.read() or ELSEWHERE[name] == "test_planning.py"


prepare()
main([commands_of_these_pages_run, python_of_these_pages_runs, the_page_of_correlators_shows_what_its_example_prints,
      every_page_with_commands_is_run_by_some_test])
