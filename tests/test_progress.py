"""What a user sees of a run: a line that moves on a terminal, sparse lines in a log file, events as JSON.
timeout: 200
"""
import json
import os
import pty
import random
import signal
import subprocess
import time

import h5py

from program import LONG, NAIK, built_shim, go_on, held, holding, main, naik, path, start

INPUT = """
lattice: {size: [8, 4, 4, 8]}
gauge:   {file: %s}
action:  {type: hisq}
solve:
  - {name: pt, masses: [0.002, 0.01], source: {type: point, origin: [[0, 0, 0, 0], [1, 0, 2, 2]]}}
solver:  {tolerance: 1e-12, max_iterations: 100000, batch: 4}
output:  {file: %s, correlators: [pion5]}
run:     {events: %s}
"""
LONGER = ["--set", "solver.batch=1", "--set", f"solve.0.source.origin={[[i, 0, 0, 0] for i in range(8)]}"]


def written_input(out):
    with open(path(out + ".yaml"), "w") as f:
        f.write(INPUT % (path("lat.h5"), path(out), path(out + ".jsonl")))
    return path(out + ".yaml")


def events(out):
    """The events of a run, every line a whole object."""
    with open(path(out + ".jsonl")) as f:
        text = f.read()
    assert text == "" or text.endswith("\n"), text[-200:]  # killed before its first line: an empty file
    return [json.loads(line) for line in text.splitlines()]


def kinds(found):
    return [e["event"] for e in found]


def a_configuration_is_generated():
    naik("gauge", "generate", "--size", "8,4,4,8", "--beta", "5.8", "--seed", "12", "--sweeps", "5", "-o",
         path("lat.h5"))


def events_tell_the_whole_run():
    naik("solve", written_input("whole.h5"), ranks=2)
    found = events("whole.h5")
    assert kinds(found) == ["start", "links"] + 12 * ["solve"] + ["end"], kinds(found)
    begin, solves, end = found[0], found[2:-1], found[-1]
    assert begin["ranks"] == 2 and begin["total"] == 12 and begin["done"] == 0 and begin["output"] == path("whole.h5")
    assert [s["done"] for s in solves] == list(range(1, 13))
    assert {(s["source"], s["mass"], s["colour"]) for s in solves} == {
        (f"pt/s000{i}", m, c) for i in (0, 1) for m in (0.002, 0.01) for c in (0, 1, 2)}
    assert all(s["state"] == "converged" and s["iterations"] > 10 and 0 < s["residual"] <= 1e-12 and s["seconds"] > 0
               for s in solves), solves
    with h5py.File(path("whole.h5")) as f:  # event by event the numbers of the records
        table = {(int(s["source"]), int(s["mass"]), int(s["colour"])): s for s in f["solves"][...]}
    for s in solves:
        r = table[int(s["source"][-1]), (0.002, 0.01).index(s["mass"]), s["colour"]]
        assert [s[k] for k in ("iterations", "restarts", "residual", "source_residual", "flops", "seconds")] == [
            r[k] for k in ("iterations", "restarts", "true_residual", "source_residual", "flops", "seconds")], (s, r)
    assert end["exit_status"] == 0 and end["done"] == 12 and end["seconds"] > 0
    assert all(abs(e["time"] - time.time()) < 3600 for e in found)


def interruptions_warnings_and_failures_are_events():
    naik("solve", written_input("stop.h5"), *LONGER, "--set", "run.wall_limit=0.001", status=5)
    found = events("stop.h5")
    assert kinds(found)[0] == "start" and kinds(found)[-1] == "interruption", kinds(found)
    assert found[-1]["exit_status"] == 5 and "wall_limit" in found[-1]["text"], found[-1]
    source = written_input("cap.h5")
    with open(path("cap.h5.part.state"), "w") as f:
        f.write("naikflow rubbish")
    naik("solve", source, "--set", "solver.max_iterations=7", ranks=2, status=3)
    more = events("cap.h5")
    warned = [e["text"] for e in more if e["event"] == "warning"]
    assert any("is damaged" in text for text in warned), more
    assert kinds(more)[-1] == "end" and more[-1]["exit_status"] == 3 and "tolerance" in more[-1]["text"], more[-1]
    naik("solve", written_input("none.h5"), "--set", "gauge.file=/nonexistent", status=1)
    assert kinds(events("none.h5")) == ["end"] and "/nonexistent" in events("none.h5")[0]["text"]
    said = naik("solve", source, "--set", "run.events=/nonexistent/events", status=1)
    assert "run.events: /nonexistent/events cannot be opened" in said, said


def a_torn_last_line_is_removed_by_the_next_run():
    source = written_input("torn.h5")
    with open(path("torn.h5.jsonl"), "w") as f:
        f.write('{"event": "end"}\n{"event": "start", "time": 17')
    naik("solve", source, "--dry-run")
    with open(path("torn.h5.jsonl")) as f:  # a dry run leaves no trace
        assert f.read().endswith(": 17")
    naik("solve", source, "--set", "gauge.file=/nonexistent", status=1)
    found = events("torn.h5")
    assert kinds(found) == ["end", "end"], found


def every_line_is_whole_after_any_kill():
    odds = random.Random(4)
    source = written_input("kill.h5")
    for _ in range(20 if LONG else 5):
        run = start("solve", source, "--fresh")
        time.sleep(odds.uniform(0.05, 0.4))
        os.killpg(run.pid, signal.SIGKILL)
        run.communicate()
        if os.path.exists(path("kill.h5.jsonl")):
            events("kill.h5")


def a_log_file_gets_sparse_lines():
    source = written_input("lines.h5")
    said = naik("solve", source, "--set", "run.progress_interval=0.001", ranks=2)
    lines = [line for line in said.splitlines() if line.startswith("progress: ")]
    assert lines and all("/12 solves, " in line and "residual " in line for line in lines), said
    assert any("left" in line for line in lines), lines
    assert "\x1b" not in said and "\r" not in said, said
    for more in ("run.progress=off", "run.progress_interval=100000"):
        said = naik("solve", source, "--fresh", "--set", "run.progress_interval=0.001", "--set", more)
        assert "progress: " not in said, said
    if built_shim("jump_clock") is None:
        return "no cc, or not glibc"
    # An interval passes at once, while a solve is at work, and none does any more.
    env = holding("solve 1/")
    run = start("solve", source, "--fresh", "--set", "run={progress_interval: 1000, watchdog: 0}", "--set", "solver.batch=1", ranks=2,
                env={**env, "LD_PRELOAD": env["LD_PRELOAD"] + " " + built_shim("jump_clock"), "NAIK_CLOCK_RANK": "0",
                     "NAIK_CLOCK_AHEAD": "2000", "NAIK_CLOCK_WHEN": path("later")})
    assert held(run)
    with open(path("later"), "w"):
        go_on()
    said = run.communicate()[0]
    assert run.returncode == 0 and said.count("progress: ") == 1, (run.returncode, said)
    return None


def on_terminal(*words, program=NAIK, **env):
    """What naik prints on a terminal."""
    leader, follower = pty.openpty()
    run = subprocess.Popen([program, *words], stdout=follower, stderr=follower, stdin=follower, start_new_session=True, env={**os.environ, **env},
                           preexec_fn=lambda: __import__("fcntl").ioctl(0, __import__("termios").TIOCSCTTY, 0))
    os.close(follower)
    said = b""
    while True:
        try:
            block = os.read(leader, 65536)
        except OSError:
            break
        if not block:
            break
        said += block
    os.close(leader)
    assert run.wait() == 0, said
    return said.decode()


def a_terminal_gets_one_line_that_moves():
    source = written_input("live.h5")
    said = on_terminal("solve", source, *LONGER)
    assert "\r\x1b[?7lprogress: " in said and "/48 solves, 1 running, " in said, said
    assert not any(line.endswith("left") for line in said.replace("\x1b[K", "").split("\r\n")), said
    assert "\r\x1b[Ksolve " in said, said
    said = on_terminal("solve", source, *LONGER, "--fresh", "--set", "run.progress=off")
    assert "progress: " not in said, said
    # a shell on the terminal, and the log in a file: nobody looks
    said = on_terminal("-c", '(exec "$0" "$@" >"$LOG"); test -s "$LOG"', NAIK, "solve", source, *LONGER, "--fresh", program="/bin/sh", LOG=path("live.log"))
    with open(path("live.log"), encoding="utf-8", newline="") as f:
        log = f.read()
    assert said == "" and "\r" not in log and "solve 1/" in log, (said, log)


main([a_configuration_is_generated,
      events_tell_the_whole_run,
      interruptions_warnings_and_failures_are_events,
      a_torn_last_line_is_removed_by_the_next_run,
      every_line_is_whole_after_any_kill,
      a_log_file_gets_sparse_lines,
      a_terminal_gets_one_line_that_moves])
