#!/usr/bin/env python3
"""Writes the parts of the documentation that are made from the program itself:

    tools/doc.py PROGRAM FOLDER

FOLDER/input.md from `naik solve --help`, the table of sentences of FOLDER/troubleshooting.md,
FOLDER/naik-input.schema.json from `naik schema`. `make doc` calls it; tests/test_doc.py compares.
"""
import os
import re
import subprocess
import sys
import textwrap

MARK = "<!-- made by `make doc` from here on -->\n"
TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")


def replace_end(path, text):
    """Keeps what stands before the mark."""
    with open(path, encoding="utf-8") as f:
        head = f.read().split(MARK)[0]
    with open(path, "w", encoding="utf-8") as f:
        f.write(head + MARK + text)


def sections_of(program):
    """Name, meaning and keys of the sections of an input, as `naik solve --help` has them."""
    said = subprocess.run([program, "solve", "--help"], capture_output=True, text=True, check=True)
    reference = said.stdout.split("The input file, with every key it may have:\n")[1]
    parts = [section.split("\n", 1) for section in reference.strip("\n").split("\n\n")]
    return [(*title.split(": ", 1), lines) for title, lines in parts]


# What the page shows of each section; tests/test_doc.py has naik check every one of them.
EXAMPLES = {
    "lattice": """\
lattice:
  size: [48, 48, 48, 96]             # x, y, z, t
  boundary_t: periodic               # of the quarks
""",
    "gauge": """\
gauge:
  file: lats/l4896.1000              # naik recognises the format
  on_mismatch: warn                  # go on if the header has another plaquette
  max_unitarity_deviation: 1e-4      # the links have few digits
""",
    "action": """\
action:
  type: twisted_mass
  csw: 1.69
  mu: 0.0009                         # of one flavour
""",
    "solve": """\
solve:
  - name: light                      # the correlators are in /corr/light
    masses: [0.0012, 0.05]
    source: {type: evenandodd_wall, t0: [0, 8]}      # two sources
  - {name: charm, masses: 0.6, naik_epsilon: -0.2, source: {type: evenandodd_wall, t0: [0, 8]}}
""",
    "source": """\
solve:
  - {name: pt, masses: 0.01, source: {type: point, origin: [[0, 0, 0, 0], [4, 4, 4, 8]]}}
  - {name: wall, masses: 0.01, source: {type: evenandodd_wall, t0: 0}}      # in Coulomb gauge
  - {name: noise, masses: 0.01, source: {type: random_wall, t0: [0, 8], seed: 7, noise: u1}}
  - {name: ball, masses: 0.01, source: {type: gaussian, origin: [0, 0, 0, 0], radius: 2.5}}
""",
    "pairs": """\
solve:
  - {name: light, masses: [0.01, 0.02], source: {type: point, origin: [0, 0, 0, 0]}}
  - {name: strange, masses: 0.05, source: {type: point, origin: [0, 0, 0, 0]}}
pairs:
  - {name: kaon, quark: strange, antiquark: light}   # two kaons
""",
    "baryons": """\
solve:
  - {name: light, masses: 0.01, source: {type: point, origin: [0, 0, 0, 0]}}
  - {name: strange, masses: 0.05, source: {type: point, origin: [0, 0, 0, 0]}}
baryons:
  - {name: sigma, quarks: [light, light, strange], operators: [nucleon]}
""",
    "three_point": """\
solve:
  - {name: light, masses: 0.05, source: {type: point, origin: [0, 0, 0, 0]}}
  - {name: heavy, masses: 0.5, source: {type: point, origin: [0, 0, 0, 0]}}
three_point:
  - {name: decay, parent: heavy, spectator: light, daughter_masses: 0.1, sink_times: [6, 8],
     insertion: [G1-G1, conserved_vector_t], sink_momenta: [1, 0, 0], momenta: [-1, 0, 0]}
""",
    "averages": """\
solve:
  - {name: walls, masses: 0.01, source: {type: evenandodd_wall, t0: [0, 4, 8, 12]}}
averages:
  - {type: truncated_solves, solve: walls, tolerance_sloppy: 1e-4, exact_sources: 2}
""",
    "solver": """\
solver:
  tolerance: 1e-12
  max_iterations: 100000
  inner_precision: double            # auto is faster
""",
    "deflation": """\
deflation:
  modes: 500
  file: l4896.1000.modes.h5          # the first run finds the modes, later runs read them
""",
    "multigrid": """\
action: {type: wilson}
solver: {method: multigrid}
multigrid:
  file: l4896.1000.vectors.h5        # later runs of any mass read the vectors
""",
    "output": """\
output:
  file: prop.h5
  propagators: false                 # correlators and residuals only
  correlators: [pion5, GX-GX]
  momenta: [[0, 0, 0], [1, 0, 0]]
  baryons: [nucleon]
""",
    "run": """\
run:
  wall_limit: 11:45:00               # for a job of 12 hours
  groups: auto
  events: run.jsonl                  # for a program that watches the job
""",
}


def example(name):
    return textwrap.indent(EXAMPLES[name], "    ")


READING = """
Each key has first its kind of value and its default, and then its meaning. "Required with X" means:
give this key with X, and leave it out without X unless its meaning says otherwise. To run an
example, add the sections of the input above that the example lacks.
"""


def keys_of(lines):
    """Key, meaning and value of every key of a section: the last sentence behind an indent is the value."""
    found = []
    for line in lines.split("\n"):
        key, text = line[2:27].rstrip(), line[27:]
        if key:
            found.append((key, []))
        found[-1][1].append(text)
    return [(key, *meaning_and_value(texts)) for key, texts in found]


VALUE = r"(?:[a-z]+ or )?(?:a (?:text|number|list|section|time|word|meson)|an integer|(?:three|four) integers|one of|true or|" \
        r"warn or|antiperiodic or|double_check or)\b"


def meaning_and_value(texts):
    """The value begins a line, and is the last part that looks like one."""
    begin = max(n for n, text in enumerate(texts) if re.match(VALUE, text) and n > 0)
    return " ".join(texts[:begin]), " ".join(texts[begin:])


def as_code(text, value):
    """Keys, words with an underscore, and words of the input where a sentence begins with them, as code."""
    one_of = re.match(r"one of (.*)$|(\w+) or (\w+)", value)
    words = re.findall(r"\w+", " ".join(filter(None, one_of.groups() if one_of else ())))
    if words:
        word = r"\b(?:" + "|".join(sorted(words, key=len, reverse=True)) + r")\b(?![./_(-])"
        text = re.sub(rf"(^|[.:;] )({word}(?:, {word})*(?: and {word})?)", lambda m: m[1] + re.sub(word, r"`\g<0>`", m[2]), text)
    text = re.sub(r"\{\w+: [^}]*\}", r"`\g<0>`", text)
    joined = r"(?!sum_x)[a-z]+(?:_[a-z0-9]+)+"  # a word of the input, by its underscore
    key = r"[a-z_]+\.[a-z][a-z_]+"
    text = re.sub(rf"(?<![\w`./{{])(?:{key}|{joined})(?![\w`/(^]|\.\w)", r"`\g<0>`", text)
    text = re.sub(r"\bdoc/(\w+\.md)", r"[\1](\1)", text)
    return re.sub(r"^\[[^\]]*\](?=:)", r"`\g<0>`", text)


def sentence(text, value):
    """With a capital, except where it begins with naik or with code."""
    text = as_code(text, value)
    if not text.startswith(("naik ", "`")):
        text = text[0].upper() + text[1:]
    return text if text.endswith(".") else text + "."


def wrapped(text, indent):
    """At 100 columns, code in one piece."""
    whole = re.sub(r"`[^`]*`", lambda m: m[0].replace(" ", "\0"), text)
    return textwrap.fill(whole, 100, initial_indent=indent, subsequent_indent="  ", break_long_words=False,
                         break_on_hyphens=False).replace("\0", " ")


def of_a_key(key, meaning, value):
    kind, _, rest = value.partition("; ")
    kind = re.sub(r"^(one of|a list of words from) (.*)$", lambda m: m[1] + " " + re.sub(r"(?<![\w])(?!(?:and|labels|such|as|to)\b)[\w-]+", r"`\g<0>`", m[2]), kind)
    kind = re.sub(r"^(?!one )(\w+) or (\w+)$", r"`\1` or `\2`", kind)
    kind = re.sub(r"^(\w+)(?= or (?:an|four) )", r"`\1`", kind)
    rest = re.sub(r"default (\S.*)$", r"default `\1`", rest)
    head = as_code(f"{kind}{'; ' + rest if rest else ''}.", "")
    return wrapped(f"**`{key}`**: {head}", "- ") + "\n\n" + wrapped(sentence(meaning, value), "  ") + "\n"


def input_reference(program):
    sections = sections_of(program)
    out = "\n## The sections\n\n| section | what it is |\n|---|---|\n"
    out += "".join(f"| [`{name}`](#{name}) | {as_code(meaning, '')} |\n" for name, meaning, _ in sections)
    out += READING
    for name, meaning, lines in sections:
        keys = keys_of(lines)
        inner = [key for key in keys if key[0].startswith("source.")]
        outer = [key for key in keys if key not in inner]
        out += f"\n## {name}\n\n{sentence(meaning, '')}\n\n{example(name)}\n" + "\n".join(of_a_key(*key) for key in outer)
        if inner:
            out += f"\n### {name}: source\n\nThe source of an entry; naik solves it for every colour and mass.\n\n{example('source')}\n" + "\n".join(of_a_key(*key) for key in inner)
    return out


# Sentences that many keys share: a pattern, how the page writes the sentence, and what to do.
FORMS = [
    (r"unknown key '.*'; did you mean", "unknown key 'KEY'; did you mean 'OTHER'?", "Write the key as the sentence spells it."),
    (r"unknown key '.*'; 'naik solve --help'", "unknown key 'KEY'; 'naik solve --help' lists the keys",
     "naik has no key of a similar name. [input.md](input.md#the-sections) lists the keys of each section."),
    (r"key '.*' is missing", "key 'KEY' is missing ...", "Add the key. Most of these sentences say what needs it, or what it must be."),
    (r"key '.*' is given twice", "key 'KEY' is given twice, first on line ...", "Remove one of the two lines."),
    (r"'.*' must be .*, not ", "'KEY' must be ..., not ...", "Give a value that the sentence allows."),
    (r"'.*' must be a section of keys$", "'KEY' must be a section of keys", "Write keys in lines below it, or in braces: `KEY: {...}`."),
    (r"'.*' does not apply to .*, only to", "'KEY' does not apply to ..., only to ...",
     "Remove the key, or choose one of the types that the sentence names last."),
    (r"'[^']*' applies to .* only$", "'KEY' applies to ... only", "Remove the key, or choose one of the types that the sentence names."),
    (r"'[^']*':? \S+ is for (staggered|wilson)", "'KEY': WORD is for ... quarks",
     "Take a word for the quarks of `action.type`; [input.md](input.md) lists the words."),
    (r"'[^']*' names .* twice$", "'KEY' names ... twice", "Remove one of the two."),
    (r"'[^']*' is '.*', which \S+ is already$", "'KEY' is 'NAME', which OTHER is already", "Choose another name: every name is there once."),
    (r"'[^']*' is '.*', which is no name of an entry", "'KEY' is 'NAME', which is no name of an entry of solve",
     "Write the `name` of an entry of `solve`."),
    (r"'[^']*' .* lies outside the lattice", "'KEY' ... lies outside the lattice ...", "Coordinates run from 0 to the extent minus 1."),
    (r"'[^']*' .* is outside the Brillouin zone", "'KEY' ... is outside the Brillouin zone: ...",
     "A component of a momentum is at most half of the lattice's extent in its direction."),
    (r"'[^']*' does nothing without", "'KEY' does nothing without ...", "Remove the key, or give the key that the sentence names as well."),
    (r"'[^']*' is '.*', which is (output.file|read as input)$", "'KEY' is 'FILE', which is ...", "Give each file of the run a name of its own."),
]


def forms():
    """The forms of sentences about wrong inputs; tests/bad_inputs.txt has an input for each of them."""
    with open(os.path.join(TOP, "tests", "bad_inputs.txt"), encoding="utf-8") as f:
        said = re.sub(r"^(?:1 )?input\.yaml(?::[0-9]+:[0-9]+)?: ", "", f.read(), flags=re.M)
    unseen = [form for pattern, form, _ in FORMS if not re.search("^" + pattern, said, flags=re.M)]
    assert not unseen, f"no input has {unseen}"
    rows = "".join(f"| `{form}` | {what} |\n" for _, form, what in FORMS)
    return f"\n| what naik says | what to do |\n|---|---|\n{rows}"


if __name__ == "__main__":
    replace_end(os.path.join(sys.argv[2], "input.md"), input_reference(sys.argv[1]))
    replace_end(os.path.join(sys.argv[2], "troubleshooting.md"), forms())
    with open(os.path.join(sys.argv[2], "naik-input.schema.json"), "w", encoding="utf-8") as f:
        f.write(subprocess.run([sys.argv[1], "schema"], capture_output=True, text=True, check=True).stdout)
