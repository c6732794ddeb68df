"""How tests/run is asked for one test, and what its output says of it."""
import os
import re
import subprocess
import tempfile


def line_of(words):
    """The command that runs NAME or NAME:RANKS, then the cases of it."""
    name, _, ranks = words[0].partition(":")
    line = ["tests/run", "--only", "=" + name]
    if ranks:
        line += ["--ranks", ranks.replace(",", " ")]
    if "." not in name:
        line += ["--programs"]
    for case in words[1:]:
        line += ["--case", case]
    return line


def run(words, top, env):
    """Exit status and output of a command, and the seconds of cores that it took."""
    with tempfile.TemporaryFile("w+", errors="replace") as out:
        process = subprocess.Popen(words, cwd=top, env=env, stdout=out, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        return process.returncode, out.read(), usage.ru_utime + usage.ru_stime


def what_failed(said):
    """The first failure of an output of tests/run that is no time-out, and False; or the first of all, None where none is
    told, and True. Where a test says much, its failures stand in the list at the end alone."""
    lines = [line.strip() for line in said.split("\n")]
    late = None
    for start in ("", r"[\w.]+:"):
        for before, line in zip([""] + lines, lines):
            words = re.match(start + r"FAIL ([\w.]+)(.*)", line)
            if words and "stopped after" not in words[2] and not before.startswith("TimeoutExpired"):
                return words[1], False
            late = late or words and words[1]
        if late:
            break
    return late, True
