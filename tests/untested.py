#!/usr/bin/env python3
"""Messages of naik of which no test has a piece, against tests/untested_messages.txt.

    tests/untested.py            what is wrong with the list: test_house.sh wants nothing
    tests/untested.py --write    the list anew, of those that were on it and still have no test
    tests/untested.py --count    how many messages there are, and how many have a piece in a test
    tests/untested.py --list     all that have none, with their files

A message is the text of a call that makes an error: NAIK_FAIL and those that refuse an input; memory that is not there has one
mechanism and its own tests (test_one_rank). A test has a piece of a message where three of its fixed words, with what is
printed between them, stand in the texts of a test, and in no other message. What has none, and is not on
the list, needs a test; what has one by now, or is no more, must leave the list: it may only become shorter. And what a test
wants not to be said must be something that naik can say.
"""
import ast
import collections
import glob
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(HERE)
LIST = os.path.join(HERE, "untested_messages.txt")
HEAD = """# Messages that no test has a piece of (tests/untested.py). The list may only become shorter: a new message comes with its test.
"""
CALLS = re.compile(r"\b(NAIK_FAIL|naik_log_fail|refuse|naik_input_refuse|milc_words_refuse|naik_comm_refuse)\(")
WORDS = 3
AROUND = 120  # characters in which a piece lies around the longest text in it


def code_without_comments(text):
    """The text with its comments blanked out; strings stay."""
    return re.sub(r'"(?:\\.|[^"\\\n])*"|/\*.*?\*/|//[^\n]*', lambda m: m[0] if m[0][0] == '"' else " ", text, flags=re.S)


def call_at(text, start):
    """What stands between the parentheses of a call whose first one is before `start`."""
    depth, at = 1, start
    while depth > 0 and at < len(text):
        if text[at] == '"':
            at = re.compile(r'"(?:\\.|[^"\\\n])*"').match(text, at).end() - 1
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    return text[start:at - 1]


def texts_of(call):
    """The texts of a call, those that stand beside each other as one; a name of a macro between them is any word."""
    call = re.sub(r"\bPRI[a-z]\d+\b", '"d"', call)
    for run in re.findall(r'(?:"(?:\\.|[^"\\\n])*"\s*)+', call):
        yield "".join(re.findall(r'"((?:\\.|[^"\\\n])*)"', run)).replace('\\"', '"').replace("\\n", " ")


def messages():
    """(file, text) of every message, in their order."""
    found = []
    for folder in ("src", "io", "gpu", "include"):
        for path in sorted(glob.glob(os.path.join(TOP, folder, "**", "*.*"), recursive=True)):
            if path.endswith((".c", ".h", ".inc", ".cu", ".cuh")):
                with open(path, encoding="utf-8") as f:
                    code = code_without_comments(f.read())
                for call in CALLS.finditer(code):
                    inside = call_at(code, call.end())
                    texts = [text for text in texts_of(inside) if len(text.split()) >= WORDS]
                    if texts and "NAIK_ERR_MEMORY" not in inside and not code[:call.start()].rstrip().endswith("#define"):
                        found.append((os.path.relpath(path, TOP), max(texts, key=len)))
    return found


CONVERSION = re.compile(r"%[-+ #0]*[\d*]*(?:\.[\d*]+)?(?:hh|h|ll|l|z|j|t)?[a-zA-Z]")


def pieces_of(text):
    """The shortest runs of words with WORDS among them that are the same whenever the message is printed."""
    words = text.split()
    same = [CONVERSION.search(word) is None and re.search("[a-zA-Z]", word) is not None for word in words]
    pieces = set()
    for i in range(len(words)):
        count = 0
        for j in range(i, len(words) if same[i] else i):
            count += same[j]
            if count == WORDS:
                pieces.add(" ".join(words[i:j + 1]))
                break
    return pieces


def is_in(piece, seen):
    """Whether a piece stands in the texts of tests, with anything for what is printed."""
    if "%" not in piece:
        return piece in seen
    parts = CONVERSION.split(piece)
    pattern = re.compile(r"\S+(?: \S+){0,3}?".join(map(re.escape, parts)).replace(r"\\ ", " "))
    longest = max(parts, key=len)
    at = seen.find(longest)
    while at >= 0:
        if pattern.search(seen, max(at - AROUND, 0), at + AROUND):
            return True
        at = seen.find(longest, at + 1)
    return False


def plain(text):
    """The text of a test file: what is split over lines or strings as one, quotes and patterns as they print."""
    text = re.sub(r'"\s*\n\s*[rfb]{0,2}"', "", text)
    text = re.sub(r"'\s*\n\s*[rfb]{0,2}'", "", text)
    text = re.sub(r"\\(.)", r"\1", text)
    return re.sub(r"\s+", " ", text)


def tested_text():
    texts = []
    for pattern in ("*.py", "*.sh", "*.c", "*_rows.h", "judgements.h", "*.txt", "said/*.txt", "slurm/*", "quark/*.c"):
        for path in sorted(glob.glob(os.path.join(HERE, pattern))):
            if os.path.basename(path) not in ("untested.py", os.path.basename(LIST)) and os.path.isfile(path):
                with open(path, encoding="utf-8", errors="replace") as f:
                    texts.append(plain(f.read()))
    return "\n".join(texts)


def without_test():
    """The messages, and those of which no test has a piece."""
    all_of_them, seen = messages(), tested_text()
    count = collections.Counter(piece for text in {text for _, text in all_of_them} for piece in pieces_of(text))
    known = {}
    for _, text in all_of_them:
        if text not in known:
            own = [piece for piece in pieces_of(text) if count[piece] == 1]
            known[text] = any(is_in(piece, seen) for piece in own or [" ".join(text.split())])
    return all_of_them, [(file, text) for file, text in all_of_them if not known[text]]


def said_by_nobody():
    """Texts of three words and more that a test in Python wants not to be said, and that nothing can say: no file of naik has
    them, nor does any test want them said. The message has become another one, and the test sees nothing."""
    sources = []
    for folder in ("src", "io", "gpu", "include", "python", "doc", "examples"):
        for path in glob.glob(os.path.join(TOP, folder, "**", "*.*"), recursive=True):
            if path.endswith((".c", ".h", ".inc", ".cu", ".cuh", ".py", ".md", ".yaml")):
                with open(path, encoding="utf-8") as f:
                    sources.append(plain(f.read()))
    seen, texts = "\n".join(sources), tested_text()
    for path in sorted(glob.glob(os.path.join(HERE, "*.py"))):
        with open(path, encoding="utf-8") as f:
            tree = ast.parse(f.read())
        for node in ast.walk(tree):
            if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.NotIn) and isinstance(node.left, ast.Constant):
                text = node.left.value
                if isinstance(text, str) and len(text.split()) >= WORDS and text not in seen and texts.count(text) < 2:
                    yield f"{os.path.basename(path)}:{node.lineno}: '{text}'"


def read_list():
    with open(LIST, encoding="utf-8") as f:
        return [line.rstrip("\n") for line in f if line.strip() and not line.startswith("#")]


def main():
    everything, missing = without_test()
    lines = [f"{file}: {text}" for file, text in missing]
    if "--count" in sys.argv:
        print(f"{len(everything)} messages, {len(everything) - len(missing)} of them have a piece in a test")
    elif "--list" in sys.argv:
        print("\n".join(lines))
    elif "--write" in sys.argv:
        before = collections.Counter(read_list() if os.path.exists(LIST) else lines)
        with open(LIST, "w", encoding="utf-8") as f:
            f.write(HEAD + "".join(line + "\n" for line in sorted((before & collections.Counter(lines)).elements())))
    else:
        before, now = collections.Counter(read_list()), collections.Counter(lines)
        for line in (now - before).elements():
            print(f"no test has a piece of: {line}")
        for line in (before - now).elements():
            print(f"tests/untested_messages.txt has a message that is tested or no more: {line}")
        for line in said_by_nobody():
            print(f"a test wants that not to be said which nothing says: {line}")


main()
