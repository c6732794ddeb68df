"""A campaign that everything happens to: kills, full disks, bad files; and at the end every output is
complete with the bytes of an undisturbed campaign, or its failure is named with its exit status.

Configurations in all eight formats, 20 with make check-long. First mpirun with ranks and launchers killed at random moments, then a
tmpfs that fills up under both layers of MPI-IO, then an array under a local Slurm, with kills as well.
timeout: 600
waits: 1
"""
import concurrent.futures
import contextlib
import os
import random
import shutil
import signal
import subprocess
import time

import h5py

from gauge_writers import as_pairs, openqcd_bytes
from program import LONG, MPICH, MPIRUN, NAIK, ended_with, everything, main, naik, path, processes, same

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WORK, WHOLE = path("work"), path("whole")
COUNT, KILLS, SLURM_KILLS = (20, 150, 50) if LONG else (8, 6, 2)
FORMATS = ("naik", "milc", "nersc", "ildg", "nersc-3x3", "pyquda", "openqcd", "qdp")
INPUT = """
lattice: {size: [4, 4, 8, 8]}
gauge:   {file: none}
action:  {type: hisq}
solve:
  - {name: pt, masses: [0.1, 0.2], source: {type: point, origin: [[0, 0, 0, 0], [1, 2, 3, 4]]}}
solver:  {tolerance: 1e-9, batch: 3}
output:  {file: none, correlators: [pion5]}
"""
EXTENTS = "holds a lattice of 4x4x4x8"
ODDS = random.Random(20)
TOLD = []  # lines of the summary


def work(name):
    return os.path.join(WORK, name)


def names():
    return [f"conf{i:02d}-{FORMATS[i % len(FORMATS)]}" for i in range(COUNT)]


def words(name, out):
    return ["solve", work("run.yaml"), "--set", f"gauge.file={work(name)}", "--set", f"output.file={out}",
            "--skip-complete"]


def output(name):
    return work(f"props/{name}.h5")


def left():
    return [name for name in names() if not os.path.exists(output(name))]


def make_configuration(number, name):
    kind, plain = FORMATS[number % len(FORMATS)], work(f"plain{number}.h5")
    target = work(name) if kind == "naik" else plain
    naik("gauge", "generate", "--size", "4,4,8,8", "--beta", "6", "--seed", number + 1, "--sweeps", "2", "-o", target)
    if kind in ("openqcd", "qdp"):
        with h5py.File(plain) as f:
            links = f["gauge"][...]
        if kind == "openqcd":
            with open(work(name), "wb") as f:
                f.write(openqcd_bytes(links))
        else:
            with h5py.File(work(name), "w") as f:
                f["config/links"] = as_pairs(links, "ri", "<f8")
    elif kind != "naik":
        naik("gauge", "convert", plain, work(name), "--to", kind)
    if kind != "naik":
        os.remove(plain)
    naik(*words(name, f"{WHOLE}/{name}.h5"))


def configurations_in_all_formats_are_solved_undisturbed():
    os.makedirs(work("props"))
    os.makedirs(WHOLE)
    os.makedirs(work("build"))
    os.symlink(NAIK, work("build/naik"))
    os.symlink(os.path.join(TOP, "jobscripts"), work("jobscripts"))
    with open(work("run.yaml"), "w") as f:
        f.write(INPUT)
    with concurrent.futures.ThreadPoolExecutor(2) as two:
        list(two.map(make_configuration, range(COUNT), names()))


# ---- kills

def kill_one(pids):
    victim = ODDS.choice(sorted(pids)) if pids else None
    try:
        if victim is not None:
            os.kill(victim, signal.SIGKILL)
    except ProcessLookupError:
        victim = None
    return victim is not None


def gone(marker, seconds):
    """Waits for the processes of a run to end; ranks that outlive their launcher are its orphans."""
    end = time.monotonic() + seconds
    while processes(("naik", "mpirun", "orterun"), marker):
        if time.monotonic() > end:
            for pid in processes(("naik",), marker):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        time.sleep(0.02)


def run_and_kill(name, serial, what, moment):
    """One attempt under mpirun; after `moment` seconds its launcher is killed, or so long after its ranks are there one
    of them (moment None: nobody). Whether somebody was killed, and the seconds of the launcher and of the ranks."""
    marker = f"NAIK_CAMPAIGN={os.getpid()}.{serial}"
    command = MPIRUN + ["-n", "2", NAIK] + words(name, output(name))
    with open(path("said"), "w") as said:
        run = subprocess.Popen(command, stdout=said, stderr=said, start_new_session=True,
                               env=dict(os.environ, NAIK_CAMPAIGN=marker.partition("=")[2]))
    begin = ranks_begin = time.monotonic()
    while what == "rank" and run.poll() is None and not processes(("naik",), marker):
        time.sleep(0.005)
        ranks_begin = time.monotonic()
    while run.poll() is None and (moment is None or time.monotonic() < ranks_begin + moment):
        time.sleep(0.005)
    end = time.monotonic()
    hit = run.poll() is None
    if hit and what == "launcher":
        os.kill(run.pid, signal.SIGKILL)
    elif hit:
        hit = kill_one(processes(("naik",), marker))
    try:
        run.wait(300)
    except subprocess.TimeoutExpired:  # Open MPI's may wait for a lock of its own for ever (4.1.4, PMIx's end)
        assert not processes(("naik",), marker), "a rank is still there after five minutes"
        run.kill()
        run.wait()
    gone(marker, 30)
    with open(path("said")) as f:
        text = f.read()
    assert hit or run.returncode in (0, -9, 137), (name, run.returncode, text)
    return hit, end - begin, end - ranks_begin


def ranks_and_launchers_are_killed_at_random_moments():
    _, whole_s, ranks_s = run_and_kill(names()[0], "whole", "rank", None)
    os.remove(output(names()[0]))
    hits, attempts = {"rank": 0, "launcher": 0}, 0
    while sum(hits.values()) < KILLS and attempts < 4 * KILLS + 20:
        attempts += 1
        what = "launcher" if sum(hits.values()) % 3 == 2 else "rank"
        todo = left()
        if len(todo) < COUNT // 2:  # something must be left for Slurm
            done = ODDS.choice(sorted(set(names()) - set(todo)))
            same(everything(f"{WHOLE}/{done}.h5"), everything(output(done)))
            os.remove(output(done))
            todo = left()
        moment = ODDS.uniform(0.05, 1) * whole_s if what == "launcher" else ODDS.uniform(0, 0.9) * ranks_s
        hit, took_s, ranks_took_s = run_and_kill(ODDS.choice(todo), attempts, what, moment)
        hits[what] += hit
        if not hit:  # too late: how long runs take changes with what else runs here
            whole_s, ranks_s = took_s, ranks_took_s if what == "rank" else ranks_s
    TOLD.append(f"mpirun, 2 ranks: {attempts} runs, {hits['rank']} times a rank and {hits['launcher']} times "
                f"mpirun killed with SIGKILL; {COUNT - len(left())} of {COUNT} complete")
    assert sum(hits.values()) == KILLS, (hits, whole_s, ranks_s)


# ---- full disks

def fill(folder):
    """Leaves no byte free."""
    with open(os.path.join(folder, "filler"), "ab", buffering=0) as f:
        for size in (1 << 16, 1 << 12, 1):
            try:
                while True:
                    f.write(b"x" * size)
            except OSError:
                pass


def empty(folder):
    if os.path.exists(os.path.join(folder, "filler")):
        os.remove(os.path.join(folder, "filler"))


def full_disks_end_with_status_2_and_the_rerun_completes():
    disk, name = path("disk"), names()[1]
    os.makedirs(disk)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", disk], capture_output=True).returncode:
        return "no tmpfs can be mounted here"
    try:
        for layer in ("ompio", "romio321"):
            env, out = {"OMPI_MCA_io": layer, "NAIK_CAMPAIGN": "disk"}, f"{disk}/{layer}.h5"
            fill(disk)
            said = naik(*words(name, out), ranks=2, status=2, env=env)
            assert " free: make room or choose" in said or "does not give" in said or "cannot be" in said, said
            empty(disk)
            filled = 0
            for attempt in range(12 if LONG else 2):  # the disk fills up under a run
                run = subprocess.Popen(MPIRUN + ["-n", "2", NAIK] + words(name, out) + ["--fresh"],
                                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                       env={**os.environ, **env})
                for line in run.stdout:
                    if line.startswith(("links:", "solve 2/", "solve 7/")[attempt % 3]):
                        fill(disk)
                        break
                said = run.communicate(timeout=300)[0]
                assert run.returncode == 0 or ended_with(2, run.returncode, said), (layer, run.returncode, said)
                filled += run.returncode != 0
                empty(disk)
                naik(*words(name, out), ranks=2, env=env)
                same(everything(f"{WHOLE}/{name}.h5"), everything(out))
            TOLD.append(f"a tmpfs filled up under {layer}: {filled} of {attempt + 1} runs ended with status 2, the "
                        "others had their room set aside; every rerun completed")
            os.remove(out)
    finally:
        subprocess.run(["umount", "-l", disk], check=False)


# ---- files that are no good

def bad_files_are_named_with_their_exit_status():
    with h5py.File(work(names()[0])) as f:
        links = f["gauge"].id.get_offset()
    with open(work(names()[0]), "rb") as f:
        data = bytearray(f.read())
    data[links + 1000] ^= 4
    with open(work("corrupt"), "wb") as f:
        f.write(data)
    said = naik(*words("corrupt", output("corrupt")), ranks=2, status=4)
    assert "corrupt" in said and "checksum" in said, said
    naik("gauge", "generate", "--size", "4,4,4,8", "--beta", "6", "--seed", "1", "--sweeps", "1", "-o", work("extents"))
    said = naik(*words("extents", output("extents")), ranks=2, status=1)
    assert EXTENTS in said and "but lattice.size is 4x4x8x8" in said, said
    assert not os.path.exists(output("corrupt")) and not os.path.exists(output("extents"))


# ---- the array

class Cluster:
    """tests/slurm/cluster.sh, which lives as long as its standard input."""

    def __init__(self, folder):
        self.folder = folder
        self.shell = subprocess.Popen(
            ["bash", "-c", '. tests/slurm/cluster.sh; trap cluster_stop EXIT; cluster_start "$1" && echo ready; read -r _',
             "cluster", folder], cwd=TOP, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.ready = self.shell.stdout.readline().strip() == "ready"
        self.marker = f"SLURM_CONF={folder}/slurm.conf"
        self.env = dict(os.environ, SLURM_CONF=f"{folder}/slurm.conf", NAIK_BACKEND="cpu", OMP_NUM_THREADS="1",
                        OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_btl="self,tcp", OMPI_MCA_btl_tcp_if_include="lo",
                        SLURM_WAIT="2")
        self.env.pop("NAIK")

    def stop(self):
        self.shell.communicate("\n")

    def say(self, *command):
        return subprocess.run(command, cwd=WORK, env=self.env, capture_output=True, text=True, timeout=300)


def array_round(cluster, number, kills):
    """The whole array once; tries to kill so many ranks and launchers. How many it hit."""
    sent = cluster.say("jobscripts/array.sh", "perlmutter", "run.yaml", "list.txt", "--time=10")
    job, hits = sent.stdout.strip(), 0
    assert job.isdigit(), sent
    end = time.monotonic() + 400
    while cluster.say("squeue", "-h", "-j", job).stdout.strip():
        assert time.monotonic() < end, f"array {job} does not end"
        time.sleep(ODDS.uniform(0.1, 0.8))
        if hits < kills:
            hits += kill_one(processes(("naik",) if (hits + number) % 2 == 0 else ("srun",), cluster.marker))
    return hits


def an_array_under_slurm_completes_what_can_be_completed():
    for tool in ("slurmctld", "slurmd", "sbatch", "munged"):
        if shutil.which(tool) is None:
            return f"{tool} is not installed (slurm-wlm, munge)"
    if MPICH:
        return "Slurm starts ranks of Open MPI here (pmix), not of MPICH"
    if os.getuid() != 0:
        return "needs root"
    while not LONG and len(left()) > 3:
        naik(*words(left()[0], output(left()[0])))
    jobs = (names() if LONG else left()) + ["corrupt", "extents"]
    with open(work("list.txt"), "w") as f:
        f.write("\n".join(jobs) + "\n")
    folder = subprocess.run(["mktemp", "-d", "/tmp/naik-campaign.XXXXXX"], capture_output=True,
                            text=True, check=True).stdout.strip()
    cluster = Cluster(folder)
    try:
        if not cluster.ready:
            return "no cluster on this machine"
        hits, rounds = 0, 0
        while left() or rounds == 0:
            if LONG and hits < SLURM_KILLS:
                for name in set(names()) - set(left()):
                    os.remove(output(name))
            assert rounds < (25 if LONG else 6), left()
            hits += array_round(cluster, rounds, min(SLURM_KILLS - hits, 8))
            rounds += 1
    finally:
        cluster.stop()
        shutil.rmtree(folder, ignore_errors=True)
    TOLD.append(f"Slurm array of {len(jobs)} jobs, 4 ranks each: submitted {rounds} times, {hits} ranks and srun killed")
    logs = [open(work(f)).read() for f in os.listdir(WORK) if f.startswith("naik-array-")]
    assert any(EXTENTS in log for log in logs), "wrong extents are not named"
    assert any("naik: error: " in log and "checksum" in log for log in logs), "the corrupt file is not named"


def beside_outputs():
    return sorted(f for f in os.listdir(work("props")) if not f.endswith(".h5") and not f.startswith(("corrupt", "extents")))


def every_output_has_the_bytes_of_an_undisturbed_campaign():
    for name in left():  # without Slurm there is work left
        naik(*words(name, output(name)), ranks=2)
    for name in names():
        same(everything(f"{WHOLE}/{name}.h5"), everything(output(name)))
    for name in {f.split(".h5")[0] for f in beside_outputs()}:  # killed after its output had its name: the next run tidies up
        assert "complete already" in naik(*words(name, output(name))[:-1])
    assert beside_outputs() == [], beside_outputs()
    TOLD.append(f"{COUNT} outputs complete, /prop, /corr and /solves_history as undisturbed; corrupt: exit status 4; "
                "wrong extents: exit status 1")
    print("\n".join(TOLD))
    if LONG:
        with open(os.path.join(TOP, "tests/results/campaign.txt"), "a") as f:
            git = subprocess.run(["git", "-C", TOP, "describe", "--always", "--dirty"], capture_output=True, text=True)
            f.write(f"{time.strftime('%Y-%m-%d', time.gmtime())} {git.stdout.strip()}, {os.cpu_count()} cores\n  "
                    + "\n  ".join(TOLD) + "\n")


main([configurations_in_all_formats_are_solved_undisturbed,
      ranks_and_launchers_are_killed_at_random_moments,
      full_disks_end_with_status_2_and_the_rerun_completes,
      bad_files_are_named_with_their_exit_status,
      an_array_under_slurm_completes_what_can_be_completed,
      every_output_has_the_bytes_of_an_undisturbed_campaign])
