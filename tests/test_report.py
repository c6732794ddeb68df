# test_report.py - `naik report`: the page shows what the file holds, and nothing of it is markup
# timeout: 240
import html.parser
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import zlib

import h5py
import numpy as np

from program import LONG, NAIK, environment, main, naik, path, raw_records

INPUT = """# a comment with <script>alert("1 & 2")</script> in it
lattice: {size: [4, 4, 4, 8]}
gauge: {file: LATTICE}
action: {type: hisq}
solve:
  - {name: pt, masses: [0.4, 0.4], naik_epsilon: [0, -0.2],
      source: {type: point, origin: [[0, 0, 0, 0], [1, 2, 0, 3]]}}
  - {name: wall, masses: [0.0002], source: {type: corner_wall, t0: 0}}
output: {file: OUT, correlators: [pion5, pion05], momenta: [[0, 0, 0], [1, 0, -1]]}
"""
VOID = {"meta"}


class Page(html.parser.HTMLParser):
    """Checks that tags are closed in order; collects text by tag."""

    def __init__(self, text):
        super().__init__()
        self.open, self.count, self.text = [], {}, {}
        self.feed(text)
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        self.count[tag] = self.count.get(tag, 0) + 1
        for name, value in attrs:
            assert name not in ("src", "href", "onload", "onclick"), (tag, name)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.count[tag] = self.count.get(tag, 0) + 1

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, (tag, self.open)

    def handle_data(self, data):
        if self.open:
            self.text.setdefault(self.open[-1], []).append(data)


def read(name):
    with open(path(name), encoding="utf-8") as f:
        text = f.read()
    assert "<script" not in text and "http://" not in text and "https://" not in text
    assert "Content-Security-Policy" in text
    # on a small screen tables scroll by themselves; in a dark one nothing is drawn in black or has a colour of its own
    assert text.count("<table>") == text.count('<div class="wide"><table>') == text.count("</table></div>") > 3
    assert "prefers-color-scheme:dark" in text and not re.search(r'(?:stroke|fill)="#(?:000|eee|888|333)', text)
    return Page(text), text


def naik_makes_a_file():
    naik("gauge", "generate", "--size", "4,4,4,8", "--beta", "6", "--seed", 1, "--sweeps", "10", "-o",
         path("lat.h5"))
    with open(path("in.yaml"), "w") as f:
        f.write(INPUT.replace("LATTICE", path("lat.h5")).replace("OUT", path("a.h5")))
    naik("solve", path("in.yaml"))


def the_page_shows_every_correlator_and_solve():
    said = naik("report", path("a.h5"))
    assert "a.html" in said, said
    page, text = read("a.html")
    # two plots for each of five pairs of source and mass, one of the residuals
    assert page.count["figure"] == 11, page.count
    assert page.count["tr"] >= 1 + 15, page.count
    shown = {}
    for t in page.text["title"]:
        m = re.match(r"(pion.*), p = \((.*)\), (\d+): (\S+)$", t)
        if m:
            shown.setdefault((m[1], m[2].replace(", ", ""), int(m[3])), []).append(float(m[4]))
    with h5py.File(path("a.h5")) as f:
        for place in ("pt/s0000/m00", "pt/s0001/m01", "wall/m00"):
            for meson in ("pion5", "pion05"):
                for p in ("000", "10-1"):
                    for t, c in enumerate(f[f"corr/{place}/{meson}/p{p}"][...]):
                        near = [v for v in shown[meson, p, t] if abs(v - abs(c)) <= 1e-8 * abs(c)]
                        assert near, (place, meson, p, t, c)
        for s in f["solves"]:
            assert f"{s['true_residual']:.3e}" in text
        means = [f["solves"]["iterations"][:12][f["solves"]["mass"][:12] == mass].mean() for mass in (0, 1)]
    axes = re.findall(r'middle">([^<]*)</text>\n<text transform="[^"]*" text-anchor="middle">([^<]*)</text>', text)
    assert axes == [("t", "|C|"), ("t", "arccosh((C(t-1) + C(t+1)) / 2C(t))")] * 5 + [("iteration", "relative residual")], axes
    assert "15 done, 0 not converged, 0 pending" in text
    rows = re.findall(r">(0\.4[^<]*)</td><td class=\"n\">6</td><td class=\"n\">([0-9.]+)<", text)
    assert rows == [("0.4", f"{means[0]:.1f}"), ("0.4, epsilon -0.2", f"{means[1]:.1f}")], (means, rows)
    for label in "0.4", "0.4, epsilon -0.2", "0.0002":  # each with a colour of its own
        assert f"mass {label}</span>" in text, label


def the_page_shows_where_the_time_went():
    _, text = read("a.html")
    assert "Time and device of run 1" in text and "<th>memory</th>" in text and "<th>device</th>" in text
    rows = re.findall(r'padding-left:(\d)em">([^<]+)</td><td class="n">([\d.]+)</td><td class="n">([\d.]+)<', text)
    times = {name: (int(depth), float(seconds), float(percent)) for depth, name, seconds, percent in rows}
    assert list(times)[0] == "total" and times["total"][2] == 100, times
    depths = {2: {"read configuration", "build links", "solve"},
              3: {"iterate", "true residuals", "rebuild and check", "correlators", "write"}}
    for depth, names in depths.items():
        assert names <= {name for name, row in times.items() if row[0] == depth}, (depth, times)

    def inside(depth):  # what is in none may be long on a busy machine
        return sum(seconds for at, seconds, _ in times.values() if at == depth)
    assert 0 < inside(2) <= 1.01 * times["total"][1] + 0.01 and inside(3) <= 1.01 * times["solve"][1] + 0.01, times
    with h5py.File(path("a.h5")) as f:
        assert max(f["solves"]["seconds"]) <= 1.01 * times["solve"][1] + 0.01, (max(f["solves"]["seconds"]), times)
    # without numbers, cut off, hostile
    with h5py.File(path("a.h5")) as f:
        session = bytes(f["metadata/sessions"][0])
    at = session.index(b"times=")
    shutil.copyfile(path("a.h5"), path("odd.h5"))
    for odd in (b"times=0 1 0 0 <b>; 1 2 3", b"times=", b"times=; ; ;", b"times=99 1 1 1 x; ",
                b"times=0 1 0 0 \xe5\xff<b>; ", session[at:at + 30]):
        with h5py.File(path("odd.h5"), "r+") as f:
            f["metadata/sessions"][0] = session[:at] + odd
        naik("report", "--force", path("odd.h5"))
        assert "<b>" not in read("odd.html")[1]


def what_has_no_logarithm_is_no_point_of_a_curve():
    shutil.copyfile(path("a.h5"), path("zero.h5"))
    with h5py.File(path("zero.h5"), "r+") as f, raw_records(f) as (records, offset):
        pair = f["corr/wall/m00"]
        numbers = pair["per_colour"][...]
        numbers[..., 3] = 0
        pair["per_colour"][...] = numbers
        for meson in ("pion5", "pion05"):
            for p in ("000", "10-1"):
                pair[f"{meson}/p{p}"][3] = 0
        for colour in range(3):
            at = offset(b"correlators_crc")
            records[12 + colour][at:at + 4] = zlib.crc32(numbers[colour].tobytes()).to_bytes(4, "little")
    naik("report", path("zero.h5"))
    _, text = read("zero.html")
    curves = [d for d in re.findall(r'<path d="([^"]*)"/>\n<circle', text) if d.count("M") == 2]
    assert len(curves) >= 4 and not re.search(r'"[^"<>]*\b(?:inf|nan)\b', text), curves


def flip(name, copy, dataset, byte):
    """One bit of a dataset, in a copy of the file."""
    shutil.copyfile(path(name), path(copy))
    with h5py.File(path(name)) as f:
        at = f[dataset].id.get_offset() + byte
    with open(path(copy), "r+b") as f:
        f.seek(at)
        old = f.read(1)[0]
        f.seek(at)
        f.write(bytes([old ^ 16]))


def damaged_correlators_are_left_out():
    for dataset, left in (("corr/pt/s0000/m00/pion5/p000", 11), ("corr/pt/s0000/m00/per_colour", 9)):
        flip("a.h5", "flip.h5", dataset, 8 + 6)
        said = naik("report", "--force", path("flip.h5"), "-o", path("flip.html"), status=4)
        page, text = read("flip.html")
        told = "1 pairs of source and mass have correlators that disagree with their checksums and are left out"
        assert f"warning: {told}" in said and f'<p class="bad">Damaged: {told}</p>' in text, said
        assert page.count["figure"] == left, (dataset, page.count)


def damage_is_on_top_of_the_page_and_in_the_exit_status():
    def new_mass(f):
        f["prop/s0000/m00"].attrs.modify("mass", 0.11)

    def new_history(f):
        f["solves_history"][2, 0] *= 2

    def new_record(f):
        record = f["solves"][4]
        record["true_residual"] /= 1000
        f["solves"][4] = record

    def new_state(f):
        f.attrs.modify("state", np.bytes_(b"complete"))

    _, text = read("a.html")
    assert '<td class="good">complete</td>' in text and "Damaged" not in text
    assert ("attributes and texts, 15 records of solves, 20 correlators, 15 residual histories, every solution that is "
            "stored, by their checksums<") in text, text[:3000]
    def new_propagator(f):
        done = [s for s in f["solves"][...] if s["iterations"] > 0][0]
        slab = f[f"prop/s{done['source']:04d}/m{done['mass']:02d}"]
        value = slab[done["colour"], 0, 0, 0, 0]
        value[2] += 1e-9
        slab[done["colour"], 0, 0, 0, 0] = value

    naik("solve", path("in.yaml"), "--set", f"output.file={path('begun.h5')}", status=None,
         env={"NAIK_INJECT": "kill:write:5"})
    for name, change, sentence in (("a.h5", new_propagator, "1 solves disagree with the checksums of their solution"),
                                   ("begun.h5.part", new_propagator, "1 solves disagree with the checksums of their solution"),
                                   ("a.h5", new_mass, "is damaged or was edited"),
                                   ("a.h5", new_record, "1 records of solves disagree"),
                                   ("a.h5", new_history, "1 residual histories disagree"),
                                   ("begun.h5.part", new_state, "11 solves are pending, though the file says")):
        shutil.copyfile(path(name), path("edit.h5"))
        with h5py.File(path("edit.h5"), "r+") as f:
            change(f)
        said = naik("report", "--force", path("edit.h5"), status=4)
        _, text = read("edit.html")
        assert "edit.h5 is damaged: see the top of" in said and sentence in said, said
        assert text.index('<p class="bad">Damaged: ') < text.index("<h2>") and sentence in text
        assert text.count('<p class="bad">Damaged: ') == 1 + (change is new_history), (name, said)  # its solve, too
        assert '<td class="good">complete</td>' not in text


def propagators_may_be_left_out_and_the_page_says_so():
    flip("a.h5", "unread.h5", "prop/s0000/m00", 8)
    assert "1 solves disagree" in naik("report", "--force", path("unread.h5"), status=4, ranks=2)
    naik("report", "--force", path("unread.h5"), "--no-verify")
    _, text = read("unread.html")
    assert "15 residual histories, by their checksums; not the solutions: --no-verify" in text, text[:3000]


def text_from_the_file_is_escaped():
    _, text = read("a.html")
    assert "&lt;script&gt;alert(&quot;1 &amp; 2&quot;)&lt;/script&gt;" in text
    with h5py.File(path("a.h5")) as f, h5py.File(path("hostile.h5"), "w") as g:
        for name in f:
            f.copy(name, g)
        for name in f.attrs:
            g.attrs[name] = f.attrs[name]
        g.attrs["git"] = np.bytes_(b"<img src=x>\x01\xff\xc3")
        g["prop/s0000/source"].attrs["type"] = np.bytes_(b"'><b>")
    naik("report", path("hostile.h5"), "-o", path("hostile.html"), status=4)  # its seal is of other texts
    page, text = read("hostile.html")
    assert "&lt;img src=x&gt;\ufffd\ufffd\ufffd" in text and "&#39;&gt;&lt;b&gt;" in text
    assert "img" not in page.count and "b" not in page.count


def an_unfinished_run_is_shown_as_such():
    naik("solve", path("in.yaml"), "--set", f"output.file={path('part.h5')}", "--set", "solver.max_iterations=1", status=None,
         env={"NAIK_INJECT": "kill:write:5"})
    naik("report", path("part.h5"), "-o", path("part.html"))  # some solve may still converge
    _, text = read("part.html")
    assert "unfinished: run the same command again to go on" in text
    assert "0 done, 4 not converged, 11 pending" in text and "<td class=\"\">pending</td>" in text


def a_pair_whose_last_column_did_not_converge_is_marked():
    shutil.copyfile(path("a.h5"), path("last.h5"))
    with h5py.File(path("last.h5"), "r+") as f, raw_records(f) as (records, offset):
        at = offset(b"state")
        records[14][at:at + 4] = b"FAIL"
    naik("report", path("last.h5"), "--no-verify")
    marked = re.findall(r"<h3>(.*) <span class=.bad.>not converged</span></h3>", read("last.html")[1])
    assert len(marked) == 1 and marked[0].startswith("wall, mass 0.0002 "), marked


def a_page_that_a_disk_takes_a_part_of_is_not_there():
    def little():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20000, resource.RLIM_INFINITY))

    run = subprocess.run([NAIK, "report", path("a.h5"), "-o", path("half.html")], capture_output=True, text=True, env=environment(),
                         preexec_fn=little)
    assert run.returncode == 2 and "half.html cannot be written: File too large" in run.stderr, (run.returncode, run.stderr)
    assert not [name for name in os.listdir(path("")) if "half.html" in name]


def a_file_without_correlators_says_so():
    noise = "solve=[{name: n, masses: [0.4], source: {type: random_wall, seed: 1, t0: 0}}]"
    for name, condensate in ("bare", "false"), ("alone", "true"):
        naik("solve", path("in.yaml"), "--set", f"output.file={path(name + '.h5')}", "--set", "output.correlators=[]", "--set", noise,
             "--set", f"output.condensate={condensate}", "--set", "solver.tolerance=1e-3")
        naik("report", path(name + ".h5"), "--no-verify")
        assert ("The file holds none so far." in read(name + ".html")[1]) == (name == "bare"), name


def other_files_are_refused():
    assert "is no propagator file of naik" in naik("report", path("lat.h5"), status=1)
    assert "missing.h5.part' of an unfinished run" in naik("report", path("missing.h5"), status=1)
    assert "it is an input of naik solve" in naik("report", path("in.yaml"), status=1)
    assert "is no HDF5 file" in naik("report", os.path.join(os.path.dirname(__file__), "check.h"), status=1)
    assert "cannot be written" in naik("report", path("a.h5"), "-o", "/nowhere/a.html", status=1)


def no_page_is_written_over_what_it_shows():
    with open(path("a.h5"), "rb") as f:
        before = f.read()
    assert "which is read as input" in naik("report", path("a.h5"), "-o", path("a.h5"), status=1)
    with open(path("a.h5"), "rb") as f:
        assert f.read() == before
    assert "</html>" in naik("report", path("a.h5"), "-o", "/dev/stdout")
    assert not [name for name in os.listdir(path("")) if ".new" in name]


def damaged_files_end_with_a_page_or_a_sentence():
    with open(path("a.h5"), "rb") as f:
        good = f.read()
    random.seed(1)
    for attempt in range(300 if LONG else 6):
        bad = bytearray(good)
        for _ in range(200):  # of what is no propagator: structure, texts, records
            bad[random.randrange(len(bad) if attempt % 2 else 1 << 16)] = random.randrange(256)
        if attempt % 5 == 0:
            del bad[random.randrange(len(bad)):]
        with open(path("bad.h5"), "wb") as f:
            f.write(bad)
        try:
            naik("report", "--force", path("bad.h5"), "-o", path("bad.html"))
            read("bad.html")
        except AssertionError as error:
            told = re.search(r"exit status (-?\d+), expected", str(error))
            assert told and int(told[1]) in (1, 4), error


main([naik_makes_a_file, the_page_shows_every_correlator_and_solve,
      the_page_shows_where_the_time_went, what_has_no_logarithm_is_no_point_of_a_curve, damaged_correlators_are_left_out,
      damage_is_on_top_of_the_page_and_in_the_exit_status,
      propagators_may_be_left_out_and_the_page_says_so, text_from_the_file_is_escaped,
      an_unfinished_run_is_shown_as_such, a_pair_whose_last_column_did_not_converge_is_marked,
      a_page_that_a_disk_takes_a_part_of_is_not_there, a_file_without_correlators_says_so, other_files_are_refused, no_page_is_written_over_what_it_shows,
      damaged_files_end_with_a_page_or_a_sentence])
