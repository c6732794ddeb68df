# test_doc.py - the documentation says what the program does, and its links lead somewhere
import glob
import os
import re
import shutil
import subprocess
import sys

from program import NAIK, SCRATCH, main

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
os.chdir(TOP)


def read(name):
    with open(name, encoding="utf-8") as f:
        return f.read()


def pages():
    listed = subprocess.run(["git", "ls-files", "*.md"], capture_output=True, text=True).stdout
    return listed.split() or glob.glob("**/*.md", recursive=True)


def links_between_pages_resolve():
    wrong = []
    for page in pages():
        text = re.sub(r"```.*?```|`[^`]*`", "", read(page), flags=re.S)
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            name, _, anchor = target.partition("#")
            if "://" in target:
                continue
            file = os.path.normpath(os.path.join(os.path.dirname(page), name)) if name else page
            if not os.path.exists(file):
                wrong.append(f"{page}: {target} does not exist")
            elif anchor:
                heads = [re.sub(r"[^\w\- ]", "", h.lower()).strip().replace(" ", "-")
                         for h in re.findall(r"^#+ (.*)$", read(file), flags=re.M)]
                if anchor not in heads:
                    wrong.append(f"{page}: {file} has no heading for #{anchor}")
    assert not wrong, "\n".join(wrong)


def files_and_folders_named_in_the_pages_exist():
    wrong = []
    for page in glob.glob("doc/*.md") + ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"]:
        for name in re.findall(r"`((?:src|io|include|inputs|tests|tools|python|examples|doc|gpu|jobscripts)/"
                               r"[\w./-]*)`", read(page)):
            if not os.path.exists(name) and not name.startswith("tests/results"):
                wrong.append(f"{page}: {name}")
    assert not wrong, "\n".join(wrong)


def the_page_of_rooms_names_every_folder_and_no_other():
    page = read("ARCHITECTURE.md")
    named = set(re.findall(r"(?<![\w/])((?:src|include)/[a-z]+(?:/[a-z]+)?|gpu|io)(?=/?(?:[\s:;,)`]|\.\s))", page))
    there = {os.path.dirname(f) for f in glob.glob("src/*/*.c") + glob.glob("src/*/*/*.c")}
    there |= {"gpu", "io", "include/naik"}
    missing, gone = there - named, {f for f in named if not os.path.isdir(f)}
    assert len(there) > 10 and not missing and not gone, f"not named: {missing}; not there: {gone}"


def parts_made_from_the_program_are_up_to_date():
    folder = os.path.join(SCRATCH, "doc")
    shutil.copytree("doc", folder)
    subprocess.run([sys.executable, "tools/doc.py", NAIK, folder], check=True)
    for name in ("input.md", "troubleshooting.md"):
        assert read(os.path.join(folder, name)) == read("doc/" + name), f"doc/{name}: run `make doc`"


def literals(text):
    """String literals of C, neighbours joined, conversions as '...'."""
    out = []
    for run in re.findall(r'(?:"(?:[^"\\\n]|\\.)*"\s*)+', text):
        joined = "".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', run))
        out.append(joined.replace('\\"', '"'))
    return out


def sentences_of_the_troubleshooting_page_are_in_the_program():
    program = []
    for name in glob.glob("src/**/*.c", recursive=True) + glob.glob("io/**/*.c", recursive=True) + glob.glob("gpu/*.c*"):
        program += literals(read(name))
    wrong, count = [], 0
    for sentence in re.findall(r"\*\*`(.+?)`\*\*", read("doc/troubleshooting.md"), flags=re.S):
        count += 1
        parts = [re.escape(p.strip(" '()")) for p in re.sub(r"\s+", " ", sentence).split("...")]
        pattern = re.compile(".*".join(p for p in parts if p))
        if not any(pattern.search(text) for text in program):
            wrong.append(sentence)
    assert count > 20 and not wrong, "\n".join(wrong)


def the_manual_page_names_every_command_and_formats_without_warning():
    page = read("doc/naik.1").replace("\\-", "-")
    listed = subprocess.run([NAIK, "--help"], capture_output=True, text=True).stdout
    names = set(re.findall(r"^  naik ([a-z-]+) ", listed, flags=re.M))
    assert len(names) >= 7, names
    missing = [name for name in names if f".B {name}\n" not in page]
    assert not missing, missing
    for name in names:
        said = subprocess.run([NAIK, name, "--help"], capture_output=True, text=True).stdout
        head = said.split("\n\n")[0]
        for option in re.findall(r"--[a-z-]+", head):
            assert option in page or name in ("gauge", "bench"), (name, option)
    version = subprocess.run([NAIK, "--version"], capture_output=True, text=True).stdout.split()[1]
    assert f"naik {version}" in page.split("\n")[0], version
    if shutil.which("groff"):
        done = subprocess.run(["groff", "-man", "-ww", "-z", "doc/naik.1"], capture_output=True, text=True)
        assert done.stderr == "" and done.returncode == 0, done.stderr


def the_citation_has_the_version_of_the_program():
    version = subprocess.run([NAIK, "--version"], capture_output=True, text=True).stdout.split()[1]
    assert re.search(rf"^version: {re.escape(version)}$", read("CITATION.cff"), flags=re.M), version


def figures_of_speed_are_in_the_results():
    measured = set()
    for name in glob.glob("tests/results/*.txt"):
        for value in re.findall(r"=([0-9.]+(?:e[+-]?[0-9]+)?)(?=\s|$)", read(name), flags=re.M):
            measured.add(float(value))
    wrong, count = [], 0
    for page, head in (("README.md", "## Speed"), ("CHANGELOG.md", "### Performance"),
                       ("doc/performance.md", "## What to expect")):
        part = re.split(r"^#", read(page).split(head + "\n")[1], flags=re.M)[0]
        part = re.sub(r"\b(?:October|November|April) 20\d\d\b", "", part)
        for figure in re.findall(r"(?<![\w^.`-])(\d+\.\d+|\d{3,})(?![\w^.%])", part):
            decimals = len(figure.partition(".")[2])
            zeros = len(figure) - len(figure.rstrip("0")) if decimals == 0 else 0
            count += 1
            half = 0.5001 * 10.0 ** (zeros - decimals)
            if not any(abs(value - float(figure)) <= half for value in measured):
                wrong.append(f"{page}: {figure}")
    assert count > 20 and not wrong, f"{count} figures; not in tests/results: {wrong}"


main([links_between_pages_resolve, files_and_folders_named_in_the_pages_exist,
      the_page_of_rooms_names_every_folder_and_no_other,
      parts_made_from_the_program_are_up_to_date,
      sentences_of_the_troubleshooting_page_are_in_the_program,
      the_manual_page_names_every_command_and_formats_without_warning, the_citation_has_the_version_of_the_program,
      figures_of_speed_are_in_the_results])
