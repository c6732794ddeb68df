# test_links_cmd.py - `naik links` as its user runs it: one file, every epsilon, any process grid
import os
import shutil
import struct
import sys
import zlib

import h5py
import numpy as np

from program import SCRATCH, answer, finish, start, verdict


lattice, source = os.path.join(SCRATCH, "lat.h5"), os.path.join(SCRATCH, "in.yaml")
with open(source, "w") as f:
    f.write(f"""
lattice: {{size: [4, 4, 4, 8], boundary_t: antiperiodic}}
gauge: {{file: {lattice}}}
action: {{type: hisq}}
solve:
  - {{name: a, masses: [0.1, 0.4], naik_epsilon: [0.0, -0.2], source: {{type: point, origin: [0, 0, 0, 0]}}}}
  - {{name: b, masses: [0.2], source: {{type: corner_wall, t0: 0}}}}
output: {{file: {SCRATCH}/unused.h5}}
""")
status, _, told = answer("gauge", "generate", "--size", "4,4,4,8", "--beta", "6", "--seed", "3",
                      "--sweeps", "10", "-o", lattice)
if status != 0:
    print(told)
    print("FAIL links_command: no configuration to start from")
    sys.exit(1)

one, two = os.path.join(SCRATCH, "one.h5"), os.path.join(SCRATCH, "two.h5")
status, said, told = answer("links", source, "-o", one)
verdict("links_command_writes_every_epsilon_once", status == 0 and said.count("links: hisq, naik_epsilon") == 2, said + told)
status, said, told = answer("links", source, "-o", two, ranks=2)
verdict("links_command_runs_on_two_ranks", status == 0, said + told)

for quarks in ("wilson", "clover, csw: 1"):  # refused before the configuration is read, which is not there
    with open(source) as f, open(source + ".wilson", "w") as g:
        g.write(f.read().replace("hisq", quarks).replace("naik_epsilon: [0.0, -0.2], ", "").replace(lattice, "nowhere.h5"))
    status, said, told = answer("links", source + ".wilson", "-o", os.path.join(SCRATCH, "none.h5"))
    verdict(f"links_command_tells_what_to_do_with_{quarks[:6]}_quarks", status == 1 and "give this input to naik solve" in told, told)

larger = os.path.join(SCRATCH, "larger.h5")  # datasets of a MiB and more are aligned
answer("gauge", "generate", "--size", "8,8,8,8", "--beta", "6", "--seed", "3", "--sweeps", "1", "-o", larger)
aligned, plain = [os.path.join(SCRATCH, name) for name in ("aligned.h5", "plain.h5")]
words = ["links", source, "--set", "lattice.size=[8,8,8,8]", "--set", f"gauge.file={larger}", "-o"]
answer(*words, plain)
status, said, told = answer(*words, aligned, "--set", "output.alignment=65536", "--set", "output.aggregators=1",
                            "--set", "output.mpi_info={cb_nodes: 1}", ranks=2)
with h5py.File(aligned, "r") as a, h5py.File(plain, "r") as b:
    offsets = [f[n].id.get_offset() % 65536 for f in (a, b) for n in ("fat", "long")]
    verdict("links_lie_and_are_written_as_output_says", status == 0 and offsets[:2] == [0, 0] != offsets[2:]
            and all(np.array_equal(a[n][...], b[n][...]) for n in ("fat", "long")), f"{offsets} {said} {told}")

names = ["fat", "long", "set0001/fat", "set0001/long"]
with h5py.File(one, "r") as a, h5py.File(two, "r") as b:
    same = all(np.array_equal(a[n][...].view("u8"), b[n][...].view("u8")) for n in names)
    verdict("link_files_of_one_and_two_ranks_have_the_same_bits", same)
    links = {n: a[n][...] for n in names}
    # Long (1 + eps) and Fat + eps/8 W, with W unitary
    ratio = np.abs(links["set0001/long"] - 0.8 * links["long"]).max()
    w = (links["set0001/fat"] - links["fat"]) / (-0.2 / 8)
    unit = np.abs(np.einsum("...ij,...kj->...ik", w, w.conj()) - np.eye(3)).max()
    verdict("link_sets_differ_by_epsilon_as_hisq_says", ratio < 1e-16 and unit < 1e-12,
            f"{ratio} {unit}")

with open(source) as f, open(source + ".links", "w") as g:
    g.write(f.read().replace("type: hisq", f"type: links, file: {one}").replace(f"file: {lattice}", ""))
status, said, told = answer("links", source + ".links", "-o", two)
verdict("links_command_refuses_to_build_from_links", status == 1 and "choose naive, asqtad or hisq" in told, said + told)
status, said, told = answer("links", source)
verdict("links_command_asks_for_its_output", status == 1 and "'-o' is missing" in told, told)
os.symlink(lattice, one + ".link")
kept = []
for name in (lattice, one + ".link", source):
    before = open(name, "rb").read()
    status, said, told = answer("links", source, "-o", name, ranks=2)
    kept.append(status == 1 and "which is read as input" in told and open(name, "rb").read() == before)
with open(one + "2.lock", "w") as f:
    f.write("somebody")
status, said, told = answer("links", source, "-o", one + "2")
verdict("links_command_writes_nothing_that_another_job_writes",
        status == 1 and "is held by another job" in told and not os.path.exists(one + "2.part"), told)
verdict("links_command_writes_over_nothing_that_it_reads", all(kept), f"{kept} {told}")

# A run is known by what is in its link files, whatever they are called.
solves = source + ".solves"
with open(source + ".links") as f, open(solves, "w") as g:
    g.write(f.read().replace("unused.h5", "prop.h5") + "solver: {tolerance: 1e-3}\n")
status, said, told = answer("solve", solves, "--dry-run")
verdict("dry_run_looks_into_the_link_file", status == 0 and "links suma/sumb of 3 epsilons: crc" in said, said + told)
word = 0  # of the three, one after the other
with h5py.File(one, "r") as f:
    for place in "", "set0001/", "":
        sums = [int(f[place + kind].attrs[name], 16) for kind in ("fat", "long") for name in ("suma", "sumb")]
        word = zlib.crc32(struct.pack("=5I", word, *sums))
verdict("its_checksum_is_of_every_epsilon", f"of 3 epsilons: crc {word:x}\n" in said or f"of 3 epsilons: crc {word:x}," in said, f"{word:x} {said}")
status, said, told = answer("solve", solves)
os.rename(one, one + ".moved")
moved = answer("solve", solves, "--set", f"action.file={one}.moved")
verdict("solve_knows_moved_link_files", status == 0 and moved[0] == 0 and "complete already" in moved[1],
        said + told + "".join(moved[1:]))
with h5py.File(one + ".moved", "r") as a, h5py.File(two, "r") as b:
    sums = [f[n].attrs[s] for f in (a, b) for n in names for s in ("suma", "sumb")]
answer("gauge", "generate", "--size", "4,4,4,8", "--beta", "6", "--seed", "4", "--sweeps", "10", "-o", lattice, "--force")
answer("links", source, "-o", one, "--force")
# Links of the second epsilon are read after the solves of the first.
shutil.copy(one + ".moved", one + ".now")
run = start("solve", solves, "--set", "solve.0.masses=[0.001, 0.4]", "--set", "solver.tolerance=1e-12", "--set",
            f"output.file={SCRATCH}/replaced.h5", "--set", f"action.file={one}.now", "--set", "solver.batch=1", ranks=2)
said = ""
for line in run.stdout:
    said += line
    if line.startswith("solve 1/"):
        shutil.copy(one, one + ".new")
        os.rename(one + ".new", one + ".now")
run.wait()
verdict("solve_refuses_links_that_were_replaced_meanwhile", run.returncode == 1 and "was replaced while this run" in said
        and not os.path.exists(f"{SCRATCH}/replaced.h5"), said)
other = answer("solve", solves)
verdict("solve_refuses_other_links_under_the_same_name",
        sums[:8] == sums[8:] and other[0] == 1 and "was begun with the gauge configuration 'links suma/sumb" in other[2],
        "".join(other[1:]))
finish()
