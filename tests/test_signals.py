# test_signals.py - what batch systems, shells and launchers do to a run: signals, limits, pipes, arguments
# timeout: 240
import os
import re
import resource
import signal
import subprocess

from program import MPICH, MPIRUN, NAIK, command, environment, everything, go_on, held, holding, main, naik, path, same

INPUT = """lattice: {size: [8, 8, 8, 8]}
gauge: {file: LATTICE}
action: {type: hisq}
solve:
  - {name: pt, masses: [0.02, 0.4], source: {type: point, origin: [[0, 0, 0, 0], [1, 2, 0, 3]]}}
output: {file: OUT, correlators: [pion5]}
"""


def made(out):
    with open(path(out + ".yaml"), "w", encoding="utf-8") as f:
        f.write(INPUT.replace("LATTICE", path("lat.h5")).replace("OUT", path(out)))
    return path(out + ".yaml")


def begin(*words, at="solve 1/", ranks=1, env=None, **how):
    """Starts naik and waits for a line; the run is held there until it hears a signal or is let go on."""
    run = subprocess.Popen(command(*words, ranks=ranks), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                           env=environment(ranks, {**holding(at), **(env or {})}), **how)
    assert held(run), run.communicate()
    return run


def naik_solves_undisturbed():
    naik("gauge", "generate", "--size", "8,8,8,8", "--beta", "5.8", "--seed", 12, "--sweeps", 5, "-o", path("lat.h5"))
    naik("solve", made("whole.h5"))


def signals_of_batch_systems_stop_a_run_that_goes_on():
    for name in ("SIGUSR2", "SIGXCPU", "SIGHUP"):
        out = f"{name}.h5"
        run = begin("solve", made(out))
        run.send_signal(getattr(signal, name))
        said, told = run.communicate()
        assert run.returncode == 5 and "naik: error: stopped by signal " in told, (name, run.returncode, told)
        naik("solve", made(out))
        same(everything("whole.h5"), everything(out))


def vectors_of_a_solve_in_double_are_kept_whole():
    double = "--set", "solver.inner_precision=double", "--set", "solver.batch=4"
    naik("solve", made("double.h5"), *double)
    for iteration in 20, 40:
        said = naik("solve", made("stopped.h5"), *double, status=5, env={"NAIK_INJECT": f"stop:solve:{iteration}"})
        kept = re.search(r"kept: 4 solves in flight are in (.*) \(([\d.]+) MiB\); the next run continues them", said)
        assert kept and abs(float(kept[2]) - os.path.getsize(kept[1]) / 2**20) <= 0.051 and float(kept[2]) > 1, said
    naik("solve", made("stopped.h5"), *double)
    same(everything("double.h5"), everything("stopped.h5"))


def a_hangup_that_is_ignored_stays_so():
    run = begin("solve", made("nohup.h5"), preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    run.send_signal(signal.SIGHUP)
    go_on()
    said, told = run.communicate()
    assert run.returncode == 0 and not told, (run.returncode, told)


def a_limit_on_the_size_of_files_is_a_sentence():
    for size in (0, 1 << 14, 1 << 18, 1 << 20):
        run = begin("solve", made("large.h5"), env={"NAIK_WATCHDOG": "20"})
        resource.prlimit(run.pid, resource.RLIMIT_FSIZE, (size, size))
        go_on()
        said, told = run.communicate(timeout=300)
        assert run.returncode == 2 and told.count("naik: error: ") == 1, (size, run.returncode, said, told)
        naik("solve", made("large.h5"))
        same(everything("whole.h5"), everything("large.h5"))
        os.remove(path("large.h5"))
    run = begin("gauge", "generate", "--size", "8,8,8,8", "--beta", 6, "--sweeps", 1, "-o", path("large"), at="sweep")
    resource.prlimit(run.pid, resource.RLIMIT_FSIZE, (1 << 18, 1 << 18))
    go_on()
    said, told = run.communicate(timeout=300)
    assert run.returncode == 2 and told.count("naik: error: ") == 1 and not os.path.exists(path("large")), (said, told)


def a_pipe_that_nobody_reads_ends_nothing():
    run = begin("solve", made("pipe.h5"))
    run.stdout.close()
    go_on()
    told = run.stderr.read()
    assert run.wait() == 0 and not told, (run.returncode, told)
    same(everything("whole.h5"), everything("pipe.h5"))
    for words in (["info", path("pipe.h5")], ["--help"]):
        run = subprocess.Popen([NAIK, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        run.stdout.close()
        told = run.stderr.read()
        assert run.wait() == 0 and not told, (words, run.returncode, told)


def numbers_of_threads_that_cannot_be_meant_are_refused():
    for told, sentence in (("100000", "OMP_NUM_THREADS asks for 100000 threads a rank, but this node has"),
                           ("10000", "OMP_NUM_THREADS asks for 10000 threads a rank"),
                           ("abc", "OMP_NUM_THREADS is 'abc', no number of threads"),
                           ("-4", "OMP_NUM_THREADS is '-4', no number of threads"),
                           ("0", "OMP_NUM_THREADS is '0', no number of threads"),
                           ("2,x", "OMP_NUM_THREADS is '2,x', no number of threads")):
        for words in (["gauge", "check", path("lat.h5")], ["solve", made("whole.h5"), "--dry-run"]):
            said = naik(*words, status=1, env={"OMP_NUM_THREADS": told})
            assert sentence in said, said
    for told in ("2", "2,1", ""):
        naik("gauge", "check", path("lat.h5"), env={"OMP_NUM_THREADS": told})
    said = naik("solve", made("whole.h5"), "--dry-run", "--set", "run.threads=4096", status=1)
    assert "run.threads asks for 4096 threads a rank" in said, said
    said = naik("bench", "dslash", "--size", "4,4,4,4", "--threads", 100000, status=1)
    assert "--threads asks for 100000 threads a rank" in said, said


def fifos_are_not_waited_for():
    os.mkfifo(path("fifo"))
    for words, sentence in ((["solve", path("fifo")], "fifo is no regular file, but a FIFO or a device"),
                            (["links", path("fifo"), "-o", path("x")], "fifo is no regular file"),
                            (["import-milc", path("fifo")], "fifo is no regular file"),
                            (["solve", "/dev/zero"], "/dev/zero is no regular file"),
                            (["report", path("fifo")], "no file that can be read"),
                            (["report", path("whole.h5"), "-o", path("fifo")], "is a FIFO that nobody reads")):
        said = naik(*words, status=1)
        assert sentence in said, said
    for ending in (".lock", ".journal", ".part.state", ".part"):
        os.mkfifo(path("beside.h5" + ending))
        said = naik("solve", made("beside.h5"), status=1)
        assert f"beside.h5{ending} is there already and is no regular file" in said, said
        naik("gauge", "convert", path("lat.h5"), path("beside.h5"), status=1)
        os.remove(path("beside.h5" + ending))
    naik("solve", made("events.h5"), "--set", f"run.events={path('fifo')}", "--set", "solver.tolerance=1e-2")


def ranks_of_different_arguments_are_told_apart():
    one, other = ([NAIK, "gauge", "check", path(name)] for name in ("lat.h5", "whole.h5"))
    run = subprocess.run([*MPIRUN, "-n", "1", *one, ":", "-n", "1", *other], capture_output=True, text=True, timeout=300)
    assert run.returncode == 1 and "the ranks were started with different arguments: rank 1 has 'naik gauge check " \
        in run.stderr, run


def open_mpi_passes_on_what_the_documentation_says():
    if MPICH:
        return "not Open MPI"
    for sent, status in ((signal.SIGUSR1, 5), (signal.SIGTERM, 1)):
        out = f"mpirun{status}.h5"
        run = begin("solve", made(out), ranks=2)
        run.send_signal(sent)
        run.communicate(timeout=300)
        assert run.returncode == status, (sent, run.returncode)
        naik("solve", made(out))
        same(everything("whole.h5"), everything(out))
    return None


main([naik_solves_undisturbed, signals_of_batch_systems_stop_a_run_that_goes_on,
      vectors_of_a_solve_in_double_are_kept_whole, a_hangup_that_is_ignored_stays_so,
      a_limit_on_the_size_of_files_is_a_sentence, a_pipe_that_nobody_reads_ends_nothing,
      numbers_of_threads_that_cannot_be_meant_are_refused, fifos_are_not_waited_for, ranks_of_different_arguments_are_told_apart,
      open_mpi_passes_on_what_the_documentation_says],
     needed=[naik_solves_undisturbed])
