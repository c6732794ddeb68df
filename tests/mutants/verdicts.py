"""The ledger of verdicts, tests/results/mutants.txt: one line a slip, renewed when the slip is tried again."""
import os
import re

from slips import TOP

LEDGER = os.path.join(TOP, "tests/results/mutants.txt")
HEAD = """# The verdict on each slip of tests/mutants, one a line: kind, name, verdict, date, commit, a hash, what was said.
# The hash is of the slip, the file that it changes and its tests: where one has changed, the verdict is stale.
# `tests/mutants/run` writes these lines, each when its slip has been tried, and `tests/mutants/run --score` counts them.
"""
LINE = re.compile(r"(\S+) +(\S+) +(\S+) +(\d{4}-\d\d-\d\d \d\d:\d\d) (\S+) ([0-9a-f]{12}) ?(.*)")
# Verdicts that a slip may have in the end, the good ones first
VERDICTS = ["caught", "survives", "timed-out", "fails-anyhow", "does-not-compile"]
NO_VERDICTS = VERDICTS[2:]  # tried again, though nothing has changed


class Verdict:
    def __init__(self, kind, name, verdict, date, commit, inputs, said):
        self.kind, self.name, self.verdict, self.date, self.commit, self.inputs, self.said = kind, name, verdict, date, commit, inputs, said

    def line(self):
        return f"{self.kind:11} {self.name:64} {self.verdict:12} {self.date} {self.commit} {self.inputs} {self.said}".rstrip()


def read(path=LEDGER):
    """The verdicts by name of their slip."""
    found = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as f:
            for line in f:
                words = LINE.fullmatch(line.rstrip("\n"))
                if words:
                    found[words[2]] = Verdict(*words.groups())
    return found


def write(verdicts, slips, path=LEDGER):
    """The ledger, in the order of kinds and names, without slips that are no more."""
    kinds = {slip.name: slip.kind for slip in slips}
    lines = sorted(v.line() for v in verdicts.values() if kinds.get(v.name) == v.kind)
    with open(path + ".part", "w", encoding="utf-8") as f:
        f.write(HEAD + "\n".join(lines) + "\n")
    os.rename(path + ".part", path)


def is_good(slip, verdict):
    """Caught, or what the slip itself gives a reason for."""
    return verdict.verdict == "caught" or bool(verdict.verdict == "survives" and slip.survives) or bool(verdict.verdict == "timed-out" and slip.hangs)


def left_to_try(slips, verdicts, everything=False):
    """What has no verdict, the oldest of the stale ones after it, then those that came to none."""
    def rank(slip):
        verdict = verdicts.get(slip.name)
        if verdict is None:
            return 0, ""
        if verdict.inputs != slip.hash():
            return 1, verdict.date
        return (2 if verdict.verdict in NO_VERDICTS and not is_good(slip, verdict) else 3), verdict.date
    ranked = sorted(((rank(slip), number) for number, slip in enumerate(slips)))
    return [slips[number] for (kind, _), number in ranked if kind < 3 or everything]


def score(slips, verdicts):
    """A line a kind and one for all: how many are caught, what the others are, how many verdicts are fresh."""
    lines = []
    for kind in sorted({slip.kind for slip in slips}) + [None]:
        mine = [slip for slip in slips if kind in (slip.kind, None)]
        tried = [(slip, verdicts[slip.name]) for slip in mine if slip.name in verdicts]
        fresh = sum(verdict.inputs == slip.hash() for slip, verdict in tried)
        counts = []
        for name in VERDICTS:
            these = [(slip, verdict) for slip, verdict in tried if verdict.verdict == name]
            why = sum(is_good(slip, verdict) for slip, verdict in these)
            if these and name in ("survives", "timed-out"):
                counts.append(f"{len(these)} {name} ({why} with a reason)")
            elif these or name == "caught":
                counts.append(f"{len(these)} {name}")
        lines.append(f"{kind or 'all':11} {len(mine):3} slips: {', '.join(counts)}; {fresh} fresh, {len(tried) - fresh} stale, "
                     f"{len(mine) - len(tried)} not tried")
    return lines
