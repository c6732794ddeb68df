# test_doc.py - the documentation says what the program does, and its links lead somewhere
import collections
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
    sources = [name for kind in ("c", "h", "cu", "cuh", "inc") for name in glob.glob(f"[isg]*/**/*.{kind}", recursive=True)]
    for source in sources:
        for name in re.findall(r"\bdoc/[\w.-]+\.(?:md|yaml|json)\b", read(source)):
            if not os.path.exists(name):
                wrong.append(f"{source}: {name}")
    assert len(sources) > 300 and not wrong, "\n".join(wrong)


def the_tables_of_files_are_what_the_files_say_of_themselves():
    sys.path.insert(0, "tools")
    import folder_tables
    pages = {folder: folder_tables.page(folder) for folder in folder_tables.folders()}
    stale = [folder for folder, (before, after) in pages.items() if before != after]
    assert len(pages) > 20 and not stale, "make doc, and commit the README of " + " ".join(stale)


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
    for name in ("input.md", "troubleshooting.md", "naik-input.schema.json"):
        assert read(os.path.join(folder, name)) == read("doc/" + name), f"doc/{name}: run `make doc`"


def the_page_of_keys_has_every_long_list_of_words_once():
    """Keys with the same words name the key that has them."""
    said = subprocess.run([NAIK, "solve", "--help"], capture_output=True, text=True).stdout
    for text in (read("doc/input.md"), said):
        counts = {word: len(re.findall(rf"\b{word}\b", text)) for word in ("rhoy0", "GYZ-GYZ", "t_xy", "delta_odd_parity")}
        assert counts == {"rhoy0": 1, "GYZ-GYZ": 1, "t_xy": 2, "delta_odd_parity": 1}, counts  # t_xy also ends its own list


def literals(text):
    """String literals of C, neighbours joined, conversions as '...'."""
    out = []
    for run in re.findall(r'(?:"(?:[^"\\\n]|\\.)*"\s*)+', text):
        joined = "".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', run))
        out.append(joined.replace('\\"', '"'))
    return out


def sentences_of_the_troubleshooting_page_are_in_the_program():
    program = []
    for name in glob.glob("src/**/*.c", recursive=True) + glob.glob("io/**/*.c", recursive=True) + glob.glob("gpu/**/*.c*", recursive=True):
        program += literals(read(name))
    wrong, count = [], 0
    for sentence in re.findall(r"\*\*`(.+?)`\*\*", read("doc/troubleshooting.md"), flags=re.S):
        count += 1
        parts = [re.escape(p.strip(" '()")) for p in re.sub(r"\s+", " ", sentence).split("...")]
        pattern = re.compile(".*".join(p for p in parts if p))
        if not any(pattern.search(text) for text in program):
            wrong.append(sentence)
    assert count > 20 and not wrong, "\n".join(wrong)


def code(page):
    """The blocks of code of a page: language, text."""
    text = read(page)
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", text, flags=re.M | re.S)
    rest = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    found = re.findall(r"(?:^    .*\n)(?:(?:    .*)?\n)*", rest, flags=re.M)
    return fenced + [("", "\n".join(line[4:] for line in block.splitlines()) + "\n") for block in found]


BASE = {"lattice": "lattice: {size: [32, 32, 32, 64]}\n", "gauge": "gauge: {file: none.h5}\n",
        "action": "action: {type: hisq}\n", "output": "output: {file: out.h5}\n",
        "solve": "solve:\n  - {name: pt, masses: [0.01], source: {type: point, origin: [0, 0, 0, 0]}}\n"}


def inputs_that_the_pages_show_are_accepted():
    """Up to the configuration, which is not there; parts of an input get what they lack. tests/test_examples.py
    runs the inputs of its pages."""
    wrong, count, name = [], 0, os.path.join(SCRATCH, "shown.yaml")
    for page in ["README.md"] + sorted(set(glob.glob("doc/*.md")) - set(glob.glob("doc/example-*.md"))):
        for _, text in code(page):
            keys = set(re.findall(r"^([a-z_]+):", text, flags=re.M))
            if not keys & {"lattice", "gauge", "action", "solve", "solver", "deflation", "output", "run"} or \
                    not re.match(r"(#.*\n)*[a-z_]+:", text):
                continue
            count += 1
            with open(name, "w", encoding="utf-8") as f:
                f.write(text + "".join(BASE[key] for key in BASE if key not in keys))
            done = subprocess.run([NAIK, "solve", name, "--dry-run", "--set", "lattice.size=[8, 8, 8, 16]"],
                                  capture_output=True, text=True, cwd=SCRATCH)  # a user's prop.h5 may lie here
            if not re.search("cannot open the gauge configuration|none.h5|no file 'eig-1234.scidac'", done.stderr):
                wrong.append(f"{page}: {done.stderr.strip()}\n{text}")
    assert count >= 7 and not wrong, f"{count} inputs\n" + "\n".join(wrong)


def keys_that_the_pages_name_are_keys():
    said = subprocess.run([NAIK, "solve", "--help"], capture_output=True, text=True).stdout
    keys = set()
    for section in said.split("The input file, with every key it may have:\n")[1].strip("\n").split("\n\n"):
        title, lines = section.split("\n", 1)
        keys |= {title.split(":")[0] + "." + key for key in re.findall(r"^  (\S+)  ", lines, flags=re.M)}
    words = "|".join(sorted({key.split(".")[0] for key in keys}))
    wrong, count = [], 0
    for page in ["README.md"] + glob.glob("doc/*.md") + glob.glob("*/README.md"):
        for named in re.findall(rf"`((?:{words})(?:\[\])?\.[a-z_0-9.]+)[`:]", read(page)):
            count += 1
            key = re.sub(r"\.\d+\.", ".", named.replace("[]", ""))
            if not any(k == key or k.startswith(key + ".") for k in keys) and not re.search(r"\.(h5?|yaml|c|py|md)$", key):
                wrong.append(f"{page}: {named}")
    assert count > 50 and not wrong, f"{count} keys\n" + "\n".join(wrong)


def options_that_the_pages_show_are_options():
    wrong, count, told = [], 0, {}
    listed = subprocess.run([NAIK, "--help"], capture_output=True, text=True).stdout
    commands = "|".join(sorted(set(re.findall(r"^  naik ([a-z-]+) ", listed, flags=re.M))))
    for page in ["README.md"] + glob.glob("doc/*.md") + glob.glob("*/README.md"):
        for language, text in code(page):
            joined = text.replace("\\\n", " ")
            for command, words in re.findall(rf"^(?:srun .* |mpirun .* )?(?:\S*/)?naik ({commands})( .*)$", joined, flags=re.M):
                if command not in told:
                    told[command] = subprocess.run([NAIK, command, "--help"], capture_output=True, text=True).stdout
                for option in re.findall(r"(?<=\s)--[a-z][a-z-]*", words.split("#")[0]):
                    count += 1
                    if option not in told[command] and option != "--help":
                        wrong.append(f"{page}: naik {command} {option}")
    assert count > 40 and not wrong, f"{count} options\n" + "\n".join(wrong)


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
    kinds = re.match(r"naik bench (\S+)", subprocess.run([NAIK, "bench", "--help"], capture_output=True, text=True).stdout)[1].split("|")
    shown = re.search(r"^\.B naik bench\n\.BR (.*)$", page, flags=re.M)[1].split(" | ")
    assert len(kinds) > 7 and shown == kinds + ["model"], (kinds, shown)
    version = subprocess.run([NAIK, "--version"], capture_output=True, text=True).stdout.split()[1]
    assert f"naik {version}" in page.split("\n")[0], version
    if shutil.which("groff"):
        done = subprocess.run(["groff", "-man", "-ww", "-z", "doc/naik.1"], capture_output=True, text=True)
        assert done.stderr == "" and done.returncode == 0, done.stderr


def the_page_of_the_model_has_the_words_of_software():
    said = subprocess.run([NAIK, "bench", "--help"], capture_output=True, text=True).stdout
    words = re.search(r"--software (\S+\|\S+?)\]", said)[1].split("|")
    table = read("doc/performance-model.md").split("| `--software` |")[1].split("\n\n")[0]
    shown = re.findall(r"^\| `(\S+)`", table, flags=re.M)
    assert len(words) > 2 and sorted(shown) == sorted(words), (shown, words)


def the_citation_has_the_version_of_the_program():
    version = subprocess.run([NAIK, "--version"], capture_output=True, text=True).stdout.split()[1]
    assert re.search(rf"^version: {re.escape(version)}$", read("CITATION.cff"), flags=re.M), version


def figures_of_speed_are_in_the_results():
    measured = set()
    for name in glob.glob("tests/results/*.txt"):
        for value in re.findall(r"=([0-9.]+(?:e[+-]?[0-9]+)?)(?=\s|$)", read(name), flags=re.M):
            measured.add(float(value))
    wrong, count = [], 0
    for page, head in [("README.md", "## Speed"), ("CHANGELOG.md", "### Performance"),
                       *((name, "## Performance") for name in glob.glob("doc/changes-*.md") if "## Performance" in read(name)),
                       ("doc/performance.md", "## What to expect"), ("doc/groups.md", "## When groups pay"), *(("doc/speeds.md", head) for head in ("## Beside other codes", "## The hopping term and the solver on a GPU",
                                                              "## Two CPU cores", "## Links and files"))]:
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


def paragraphs_are_wrapped_at_100_columns():
    """Tables, code, headings and lines of one word such as a link, aside."""
    wrong = []
    for page in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"] + glob.glob("doc/*.md"):
        text = re.sub(r"^```.*?^```", lambda m: "\n" * m[0].count("\n"), read(page), flags=re.S | re.M)
        wrong += [f"{page}:{number}" for number, line in enumerate(text.split("\n"), 1)
                  if len(line) > 100 and not line.startswith(("|", "#", "    ", "!")) and " " in line[2:100].strip()]
        for block in text.split("\n\n"):  # a line that begins with "12. " is shown as an item of a list
            numbers = [int(n) for n in re.findall(r"^ {0,3}(\d+)\. ", block, flags=re.M)]
            wrong += [f"{page}: {numbers}, as items of a list"] if numbers != list(range(1, len(numbers) + 1)) else []
    assert not wrong, wrong


def tables_and_paragraphs_are_whole():
    """What a tool that wraps text breaks: rows of a table in one line, the rest of a paragraph set as code."""
    wrong = []
    for page in pages():
        text = re.sub(r"^```.*?^```", lambda m: "\n" * m[0].count("\n"), read(page), flags=re.S | re.M)
        lines = text.split("\n")
        for number, (before, line) in enumerate(zip([""] + lines, lines), 1):
            torn = line.startswith("    ") and re.match(r"[^\s|#>*-]", before)
            if torn or re.search(r"\S.*\|-{3,}\|", line) and not line.startswith("|--") or re.search(r"\| \|-{3,}\|", line):
                wrong.append(f"{page}:{number}: {line.strip()[:60]}")
    assert not wrong, "\n".join(wrong)


def sentences_that_readers_stumbled_over_are_gone():
    """What a reader asks back: as long as what? whose residual? who takes more?"""
    asked = [r"the search as long as", r"it pays from \d", r"solutions of residual", r"covariant ones with the links as they are",
             r"which corner:", r"cost apart and shared", r"\(the lightest apart is 1\)", r"takes up to a third more",
             r"[Oo]f the first .{1,60} of the last", r"Of \w+ quarks nothing"]
    names = pages() + glob.glob("src/**/*.c", recursive=True) + ["doc/naik.1", "doc/naik-input.schema.json"]
    wrong = [f"{name}: {words}" for name in names for words in asked if re.search(words, re.sub(r'"?\s+"?', " ", read(name)))]
    assert len(names) > 100 and not wrong, "\n".join(wrong)


def the_changelog_is_a_summary_with_details_behind():
    """CHANGELOG.md merges by union: what a merge brings back is a heading or an entry that is there twice."""
    version = subprocess.run([NAIK, "--version"], capture_output=True, text=True).stdout.split()[1]
    text = read("CHANGELOG.md")
    parts = re.split(r"^## (.*)\n", text, flags=re.M)[1:]
    releases = dict(zip(parts[::2], parts[1::2]))
    heads = list(releases)
    assert heads[0] == "Unreleased" and heads[1].startswith(version + ", "), heads
    assert re.findall(r"^### (.*)$", text, flags=re.M) == ["Interface", "New", "Fixed", "Performance"], \
        "a rebase over a release brings its entries back: git checkout main CHANGELOG.md, and write yours under Unreleased"
    for head in heads[1:]:
        number = head.split(",")[0]
        details = f"doc/changes-{number}.md"
        assert len(releases[head].splitlines()) <= 80 and details in releases[head], f"{head}: two screens, and a link to {details}"
        heads_of_page = re.findall(r"^## (.*)$", read(details), flags=re.M)  # of old releases: what an upgrade needs
        assert heads_of_page in (["Interface", "New", "Fixed", "Performance"], ["Interface", "Fixed"]), f"{details}: {heads_of_page}"
    for page in ["CHANGELOG.md"] + glob.glob("doc/changes-*.md"):
        entries = re.findall(r"^- .*(?:\n  .*)*", read(page), flags=re.M)
        twice = {entry for entry in entries if entries.count(entry) > 1}
        assert not twice, f"{page} has twice: {twice}"
    lines = [line for line in text.splitlines() if len(line) > 60]
    assert len(set(lines)) == len(lines), {line for line in lines if lines.count(line) > 1}


def versions_of_formats_are_those_that_are_written():
    """Every statement "naik-prop 1.1" of a page or a comment against what io/h5/own_format.c writes."""
    written = collections.defaultdict(set)
    for format_name, version in re.findall(r'\{"(naik-[a-z]+)", "([0-9.]+)"\}', read("io/h5/own_format.c")):
        written[format_name].add(version)
    assert set(written) == {"naik-prop", "naik-gauge", "naik-modes", "naik-multigrid"}, written
    wrong, seen = [], set()
    sources = [name for kind in ("c", "h") for name in glob.glob(f"[isg]*/**/*.{kind}", recursive=True)]
    for name in pages() + sources + ["doc/naik.1", "python/naik/io.py"]:
        for format_name, version in re.findall(r"(naik-(?:prop|gauge|modes|multigrid))[`,]* (?:version )?([0-9]+\.[0-9]+)", read(name)):
            seen.add(format_name)
            if version not in written[format_name] and "CHANGELOG" not in name and not name.startswith("doc/changes-"):
                wrong.append(f"{name}: {format_name} {version}, written are {written[format_name]}")
        for said in re.findall(r"`?format_version`? ([0-9]+\.[0-9]+)", read(name)):
            if said.startswith("1."):
                wrong.append(f"{name}: format_version {said} of which format?")
    assert seen == set(written) and not wrong, f"{seen} {wrong}"


main([links_between_pages_resolve, files_and_folders_named_in_the_pages_exist,
      the_tables_of_files_are_what_the_files_say_of_themselves, the_page_of_rooms_names_every_folder_and_no_other,
      parts_made_from_the_program_are_up_to_date, the_page_of_keys_has_every_long_list_of_words_once,
      sentences_of_the_troubleshooting_page_are_in_the_program,
      inputs_that_the_pages_show_are_accepted, keys_that_the_pages_name_are_keys,
      options_that_the_pages_show_are_options,
      the_manual_page_names_every_command_and_formats_without_warning, the_page_of_the_model_has_the_words_of_software, versions_of_formats_are_those_that_are_written, the_citation_has_the_version_of_the_program,
      the_changelog_is_a_summary_with_details_behind, paragraphs_are_wrapped_at_100_columns,
      tables_and_paragraphs_are_whole, sentences_that_readers_stumbled_over_are_gone,
      figures_of_speed_are_in_the_results])
