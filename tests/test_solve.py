"""naik solve as its user runs it: the same bytes on any grid, resumed runs, every exit status, golden numbers.
timeout: 400
"""
import os
import re
import shutil
import signal
import struct
import zlib

import h5py
import numpy as np

from program import everything, go_on, held, holding, main, naik, path, ranks_are_gone, same, start, stopped, LITTLE, LONG, MPICH, REFERENCE, SCRATCH

INPUT = """
lattice:  {size: [8, 8, 4, 8], boundary_t: antiperiodic}
gauge:    {file: %s}
action:   {type: hisq}
solve:
  - name: pt
    masses: [0.1, 0.3]
    naik_epsilon: [0.0, -0.1]
    source: {type: point, origin: [[0, 0, 0, 0], [1, 0, 2, 3]]}
  - name: rw
    masses: [0.2]
    source: {type: random_wall, t0: 1, noise: gaussian, seed: 5}
solver:   {tolerance: 1e-9, inner_precision: %s}
output:   {file: %s, correlators: [pion5, pion05], momenta: [[0, 0, 0], [1, 0, 0]]}
"""
SOLVES = 15


def written_input(name, out, inner="auto"):
    with open(path(name), "w") as f:
        f.write(INPUT % (path("lat.h5"), inner, path(out)))
    return path(name)


def a_configuration_is_generated():
    naik("gauge", "generate", "--size", "8,8,4,8", "--beta", "5.8", "--seed", "12", "--sweeps", "5",
         "-o", path("lat.h5"), ranks=2)


def output_has_the_same_bytes_on_every_grid_thread_count_and_batch():
    runs = [(1, {}, []), (1, LITTLE, ["--set", "solver.batch=1"]),
            (2, {"NAIK_GRID": "2x1x1x1"}, []), (4, {"NAIK_GRID": "1x2x1x2"}, ["--set", "solver.batch=3"])]
    if LONG:
        runs += [(8, {"NAIK_GRID": "2x2x1x2"}, [])]
        runs += [(2, {"NAIK_GRID": g}, []) for g in ("1x2x1x1", "1x1x1x2")]
        runs += [(4, {"NAIK_GRID": g}, []) for g in ("2x2x1x1", "2x1x1x2")]
    elif MPICH:  # its ranks do not give way to each other: minutes, where there are more than processors
        runs = [run for run in runs if run[0] <= 2]
    for inner in ("single", "half") if not LONG else ("double", "single", "half"):
        first = None
        chosen = (runs[0], runs[2]) if inner != "single" else runs if LONG or MPICH else runs[:2] + runs[3:]
        for i, (ranks, env, more) in enumerate(chosen):
            out = f"grid-{inner}-{i}.h5"
            naik("solve", written_input("grid.yaml", out, inner), *more, ranks=ranks, env=env)
            now = everything(out)
            assert len(now) > SOLVES // 3
            same(first or now, now)
            first = first or now
            if i > 0:
                os.remove(path(out))


def propagators_open_in_python_as_complex_arrays():
    with h5py.File(path("grid-single-0.h5")) as f:
        prop = f["prop/s0000/m00"]
        assert prop.shape == (3, 8, 4, 8, 8, 3) or prop[...].shape == (3, 8, 4, 8, 8, 3), prop.shape
        assert prop[...].dtype == np.complex128, prop.dtype
        pion = (abs(prop[...]) ** 2).sum(axis=(0, 2, 3, 4, 5))
        stored = f["corr/pt/s0000/m00/pion5/p000"][...]
        assert np.allclose(pion, stored, rtol=1e-13, atol=0), (pion, stored)


def hints_reach_mpi_io_for_every_file():
    naik("gauge", "convert", path("lat.h5"), path("lat.milc"), "--to", "milc")
    told = naik("solve", written_input("hints.yaml", "hints.h5"), "--set", f"gauge.file={path('lat.milc')}", "--set",
                "output.mpi_info={cb_buffer_size: 1234567}", "--set", "solver.tolerance=1e-3", ranks=2,
                env={"OMPI_MCA_io": "romio321", "ROMIO_PRINT_HINTS": "1"})
    used = re.findall(r"key = cb_buffer_size +value = (\d+)", told)
    if not used:
        return "this MPI-IO does not print its hints"
    # the configuration; the output while it is filled, verified, and when it has its name (rank 0 makes it alone)
    assert len(used) >= 4 and set(used) == {"1234567"}, used
    return None


def files_of_any_name_are_read_and_written():
    """Open MPI refuses names of one letter, ROMIO takes what stands before a colon for a file system: "ufs:a" for the file a."""
    here = {"cwd": SCRATCH}
    naik("gauge", "convert", path("lat.h5"), path("a"))
    for source, out, to in (("a", "ufs:a", "naik"), ("ufs:a", "b", "nersc-3x3"), ("b", "at 10:00", "ildg")):
        naik("gauge", "convert", source, out, "--to", to, **here)
        assert "everything agrees" in naik("gauge", "check", out, ranks=2, **here)
    more = ("--set", "gauge.file=at 10:00", "--set", "solve.0.source.origin=[0, 0, 0, 0]")
    for name in ("c", "ufs:c"):
        naik("solve", written_input("any.yaml", name), *more, "--set", "output.file=" + name, ranks=2, **here)
        assert "intact: true" in naik("info", name, **here)
    same(everything("c"), everything("ufs:c"))


def a_finished_run_is_left_alone():
    said = naik("solve", written_input("grid.yaml", "grid-single-0.h5", "single"))
    assert "complete already" in said, said
    said = naik("solve", path("grid.yaml"), "--skip-complete", ranks=2)
    assert "skipped" in said, said


def a_killed_run_continues_to_the_same_bytes():
    expected = everything("grid-single-0.h5")
    source = written_input("kill.yaml", "kill.h5", "single")
    for place in ("solve 1/", "links: ", "solve 9/", "solve 14/") if LONG else ("links: ", "solve 5/"):
        run = start("solve", source, ranks=2, env={"NAIK_TEST_KILLED": source, **holding(place)})
        assert held(run), place
        os.killpg(run.pid, signal.SIGKILL)
        run.communicate()
        ranks_are_gone(f"NAIK_TEST_KILLED={source}")
        go_on()
    said = naik("solve", source, ranks=2)
    assert f"resuming: {14 if LONG else 5} of {SOLVES} solves are done" in said, said
    same(expected, everything("kill.h5"))


def a_signal_stops_with_status_5_and_the_rest_follows():
    source = written_input("usr1.yaml", "usr1.h5", "single")
    said = stopped("solve", source, "--set", "solver.batch=1")
    assert "solves done: run the same command again to go on" in said, said
    said = naik("solve", source)
    assert "resuming:" in said, said
    same(everything("grid-single-0.h5"), everything("usr1.h5"))


def the_wall_limit_stops_with_status_5():
    said = naik("solve", written_input("wall.yaml", "wall.h5"), "--set", "run.wall_limit=0.01",
                "--set", "solver.tolerance=1e-15", "--set", "solver.inner_precision=double", status=5)
    assert re.search(r"stopped by wall_limit of 0.01 s with 0 of 15 solves done, [\d.]+ s after its start and before the first "
                     r"iteration: give the run more time than that", said), said
    assert not os.path.exists(path("wall.h5")) and os.path.exists(path("wall.h5.part"))


def another_input_for_an_unfinished_output_is_refused():
    said = naik("solve", written_input("wall.yaml", "wall.h5"), "--set", "solve.0.masses=[0.1,0.31]", status=1)
    assert "masses" in said, said


def an_iteration_limit_is_reported_with_status_3():
    said = naik("solve", written_input("cap.yaml", "cap.h5"), "--set", "solver.max_iterations=7", ranks=2, status=3)
    assert f"{SOLVES} of {SOLVES} solves did not reach their tolerance" in said, said
    assert "iteration limit" in said, said
    naik("solve", path("cap.yaml"), "--set", "solver.max_iterations=7", status=3)
    naik("solve", path("cap.yaml"), "--set", "solver.max_iterations=7", "--skip-complete", ranks=2, status=3)


def a_higher_iteration_limit_solves_again_what_had_reached_the_lower_one():
    source = written_input("raise.yaml", "raise.h5", "single")
    limit = ["--set", "solver.max_iterations=90"]
    naik("solve", source, *limit, env={"NAIK_INJECT": "kill:write:9"}, status=None)
    assert os.path.exists(path("raise.h5.part")), "the run was not killed in mid write"
    said = naik("solve", source, *limit, ranks=2, status=3)
    failed = [r["stop_reason"] == b"iteration limit" for r in h5py.File(path("raise.h5"))["solves"]]
    assert "resuming: 8 of" in said and 0 < sum(failed) < SOLVES, (said, failed)
    said = naik("solve", source, *limit, status=3)
    assert "is complete already: nothing to solve" in said, said
    said = naik("solve", source, "--set", "solver.max_iterations=91", ranks=2, status=3)
    assert f"{sum(failed)} of {SOLVES} solves had reached a lower solver.max_iterations" in said, said
    assert f"resuming: {SOLVES - sum(failed)} of {SOLVES} solves are done" in said, said
    naik("solve", source, env={"NAIK_INJECT": "kill:write:2"}, status=None)
    with open(path("raise.h5.part"), "r+b") as f:
        f.write(bytes(512))  # HDF5 cannot open it any more: the journal has the solves of all runs
    said = naik("solve", source, ranks=2)
    assert f"{SOLVES - sum(failed) + 1} solves were saved by its journal" in said, said
    same(everything("grid-single-0.h5"), everything("raise.h5"))
    naik("info", path("raise.h5"), "--verify")


def wrong_extents_are_refused_before_anything_is_solved():
    said = naik("solve", written_input("size.yaml", "size.h5"), "--set", "lattice.size=[8,8,8,8]", "--dry-run", status=1)
    assert "8x8x4x8" in said and "8x8x8x8" in said, said
    said = naik("solve", path("size.yaml"), "--set", "gauge.file=/nonexistent", status=1)
    assert "/nonexistent" in said, said


def a_grid_that_cannot_be_is_refused_with_those_that_work():
    said = naik("solve", written_input("size.yaml", "size.h5"), ranks=2, env={"NAIK_GRID": "1x1x2x1"}, status=1)
    assert "grids that work: 1x1x1x2" in said, said


# Of the configuration below; the propagator is held to the equation by hop() each time. The generator and the links call libm, whose last bits differ between systems.
GOLDEN_PLAQUETTE = 0.6045424823631865
GOLDEN_PION = [0.26036737251605047, 0.10801411751096746, 0.05209771456026703, 0.0647781167476375,
               0.01947486345605388, 0.05391507358116779, 0.030325105408846073, 0.08139785034368055]
GOLDEN_ITERATIONS = [135, 136, 137]
GOLDEN_LINKS = {"fat": (7912.837291206489, -0.08551344825898473 + 0.17613199993923057j),
                "long": (10.666666666666664, -0.00041661666641330775 - 0.02700422403007604j)}


def hop(fat, far, v):
    """D v in numpy, from the links in the file: v [T][Z][Y][X][3]."""
    out = np.zeros_like(v)
    for links, step in ((fat, 1), (far, 3)):
        for mu in range(4):
            axis, u = 3 - mu, links[..., mu, :, :]
            ahead = np.einsum("...ij,...j->...i", u, np.roll(v, -step, axis))
            behind = np.roll(np.einsum("...ji,...j->...i", u.conj(), v), step, axis)
            out += ahead - behind
    return out


def golden_numbers_of_a_seeded_configuration():
    naik("gauge", "generate", "--size", "4,4,4,8", "--beta", "6", "--seed", "1", "--sweeps", "4",
         "-o", path("golden.h5"))
    naik("gauge", "check", path("golden.h5"))
    with open(path("golden.yaml"), "w") as f:
        f.write("""
lattice: {size: [4, 4, 4, 8]}
gauge: {file: %s}
action: {type: hisq}
solve:
  - {name: pt, masses: [0.05], source: {type: point, origin: [0, 0, 0, 0]}}
solver: {tolerance: 1e-10, inner_precision: double}
output: {file: %s, correlators: [pion5]}
""" % (path("golden.h5"), path("golden-out.h5")))
    naik("solve", path("golden.yaml"), ranks=2)
    naik("links", path("golden.yaml"), "-o", path("golden-links.h5"))
    naik("solve", path("golden.yaml"), "--set", "output.propagators=false", "--set",
         f"output.file={path('golden-corr.h5')}")
    with h5py.File(path("golden-out.h5")) as f, h5py.File(path("golden-corr.h5")) as g:
        pion = "corr/pt/m00/pion5/p000"
        assert f[pion][...].tobytes() == g[pion][...].tobytes()
    with h5py.File(path("golden.h5")) as f:
        assert abs(f["gauge"].attrs["plaquette"] - GOLDEN_PLAQUETTE) < 1e-9
    with h5py.File(path("golden-links.h5")) as f:
        fat, far = f["fat"][...], f["long"][...]
        for kind, (norm, element) in GOLDEN_LINKS.items():
            links = f[kind][...]
            got = (float((abs(links) ** 2).sum()), complex(links[3, 2, 1, 0, 2, 1, 0]))
            assert abs(got[0] / norm - 1) < 1e-9 and abs(got[1] - element) < 1e-9, (kind, got)
    with h5py.File(path("golden-out.h5")) as f:
        pion = f["corr/pt/m00/pion5/p000"][...]
        assert np.allclose(pion, GOLDEN_PION, rtol=1e-8, atol=0), pion.tolist()
        for colour, x in enumerate(f["prop/s0000/m00"][...]):
            residual = 2 * 0.05 * x + hop(fat, far, x)
            residual[0, 0, 0, 0, colour] -= 1
            assert np.linalg.norm(residual) < 2e-10, np.linalg.norm(residual)
        iterations = list(f["solves"]["iterations"])
        assert np.allclose(iterations, GOLDEN_ITERATIONS, rtol=0, atol=1), iterations


def links_from_a_file_give_the_same_bytes():
    with open(path("links.yaml"), "w") as f:
        f.write("""
lattice: {size: [4, 4, 4, 8]}
action: {type: links, file: %s}
solve:
  - {name: pt, masses: [0.05], source: {type: point, origin: [0, 0, 0, 0]}}
solver: {tolerance: 1e-10, inner_precision: double}
output: {file: %s, correlators: [pion5]}
""" % (path("golden-links.h5"), path("links-out.h5")))
    naik("solve", path("links.yaml"))
    same(everything("golden-out.h5"), everything("links-out.h5"))
    said = naik("solve", path("links.yaml"), "--set", "lattice.boundary_t=periodic", "--fresh", status=1)
    assert "periodic" in said, said


FROM_FILE = """
lattice: {size: [4, 4, 4, 8]}
gauge: {file: %s}
action: {type: hisq}
solve:
  - {name: f, masses: [0.3], source: {type: file, file: %s}}
output: {file: %s}
"""


def replaced_while(more, name, by):
    """What a run says whose file is replaced by another one after its first solve."""
    words = ["solve", path("content.yaml"), "--set", f"output.file={path('replaced.h5')}", "--set", "solver.batch=1",
             "--set", "solver.multishift=off", "--set", "solver.tolerance=1e-12", "--fresh", *more]
    run = start(*words, ranks=2)
    said = ""
    for line in run.stdout:
        said += line
        if line.startswith("solve 1/"):
            shutil.copy(path(by), path("new"))
            os.rename(path("new"), path(name))
    run.wait()
    assert run.returncode == 1 and not os.path.exists(path("replaced.h5")), said
    return said


def sources_in_files_are_known_by_their_content():
    for origin in (0, 2):
        naik("solve", path("golden.yaml"), "--set", f"solve.0.source.origin=[0,0,0,{origin}]", "--set",
             f"output.file={path('made.h5')}", "--fresh")
        naik("export", path("made.h5"), "--to", "usqcd", "-o", path(f"source{origin}"))
    with open(path("content.yaml"), "w") as f:
        f.write(FROM_FILE % (path("golden.h5"), path("source0"), path("content.h5")))
    naik("solve", path("content.yaml"), env={"NAIK_INJECT": "kill:write:2"}, status=None)
    assert os.path.exists(path("content.h5.part"))
    words = ["solve", path("content.yaml"), "--set"]
    told = f"{path('content.h5')}.part was begun with the sources 'solve.0.source.file holds "
    said = naik(*words, f"solve.0.source.file={path('source2')}", status=1)
    assert told in said and said.count("solve.0.source.file holds ") == 2, said
    for apart in 29, 31:
        with open(path("source0"), "rb") as f, open(path(f"twin{apart}"), "wb") as out:
            out.write(changed(f.read(), twin(apart)))
        said = naik(*words, f"solve.0.source.file={path(f'twin{apart}')}", status=1)
        assert told in said and said.count("solve.0.source.file holds ") == 2, said
    os.rename(path("source0"), path("moved"))
    said = naik(*words, f"solve.0.source.file={path('moved')}", ranks=2)
    assert "resuming: " in said, said
    shutil.copy(path("moved"), path("source0"))
    said = replaced_while(["--set", "solve.0.masses=[0.001, 0.002, 0.003]"], "source0", "twin29")
    assert "source0' was replaced while this run was at work: then suma/sumb" in said, said
    os.rename(path("source2"), path("source0"))
    said = naik("solve", path("content.yaml"), status=1)
    assert told.replace(".part", "") in said, said
    said = naik("export", path("content.h5"), "--to", "usqcd", "-o", path("pairs"), status=1)
    assert "was made with other sources: then solve.0.source.file holds" in said and not os.path.exists(path("pairs")), said
    naik("export", path("content.h5"), "--to", "usqcd", "-o", path("pairs"), "--set",
         f"solve.0.source.file={path('moved')}")
    said = naik("export", path("content.h5"), "-o", path("none"), "--set", "solve.0.masses=[0.4]", status=1)
    assert "only where files lie may be changed" in said, said


def zeros(numbers):
    return bytes(len(numbers))


def twin(apart):
    """Changes sites `apart` from each other alike: one word of the checksum stays, suma for 29 and sumb for 31."""
    def change(numbers):
        numbers = bytearray(numbers)
        for site in 5, 5 + apart:
            numbers[48 * site + 7] ^= 1
        return numbers
    return change


def changed(file, how):
    """A file of vectors in which each is changed, with the checksums of that."""
    data, at = bytearray(file), 0
    while True:
        length, = struct.unpack(">Q", data[at + 8:at + 16])
        kind, begin = data[at + 16:at + 144].split(b"\0")[0], at + 144
        if kind == b"scidac-binary-data":
            data[begin:begin + length] = how(data[begin:begin + length])
            crcs = [zlib.crc32(data[begin + at:begin + at + 48]) for at in range(0, length, 48)]
        if kind == b"scidac-checksum":
            for name, modulus in ((b"suma", 29), (b"sumb", 31)):
                total = 0
                for site, crc in enumerate(crcs):
                    total ^= (crc << site % modulus | crc >> 32 - site % modulus) & 0xffffffff
                text = b"<%s>%08x</%s>" % (name, total, name)
                data[begin:begin + length] = re.sub(b"<%s>.*</%s>" % (name, name), text, data[begin:begin + length])
            return data
        at = begin + (length + 7) // 8 * 8


def a_source_that_is_zero_has_the_solution_zero_and_a_warning():
    naik("solve", path("golden.yaml"), "--set", f"output.file={path('made.h5')}", "--fresh")
    naik("export", path("made.h5"), "--to", "usqcd", "-o", path("nonzero"))
    with open(path("nonzero"), "rb") as f, open(path("zero"), "wb") as out:
        out.write(changed(f.read(), zeros))
    with open(path("zero.yaml"), "w") as f:
        f.write(FROM_FILE % (path("golden.h5"), path("zero"), path("zero.h5")))
    for multishift in ("off", "on"):
        said = naik("solve", path("zero.yaml"), "--fresh", "--set", f"solver.multishift={multishift}", "--set",
                    "solve.0.masses=[0.1, 0.2]", ranks=2)
        assert said.count("is zero everywhere: the solution is zero") == 2, said
        with h5py.File(path("zero.h5")) as f:
            for mass in ("m00", "m01"):
                assert not f["prop/s0000"][mass][0].any() and f["prop/s0000"][mass][1].any()
            assert sorted(f["solves"]["iterations"] == 0) == [False] * 4 + [True] * 2 and (f["solves"]["true_residual"] <= 1e-9).all()


def walls_on_links_out_of_coulomb_gauge_are_warned_about():
    unit = path("unit.h5")
    naik("gauge", "generate", "--size", "4,4,4,8", "--beta", "6", "--seed", "1", "--sweeps", "0", "-o", unit)
    source = "--set", "solve=[{name: a, masses: [0.1], source: {type: corner_wall, t0: 0}}]"
    told = "walls, gaussian sources and pairs of points at two places need links in Coulomb gauge"
    words = ["solve", written_input("gauge.yaml", "gauge.h5"), *source, "--fresh"]
    said = naik(*words, ranks=2)
    assert said.count(told) == 1 and "theta" in said, said
    said = naik(*words, "--set", f"gauge.file={unit}", "--set", "lattice.size=[4,4,4,8]")
    assert told not in said and "Coulomb gauge: theta 0.000e+00" in said, said
    said = naik(*words, "--set", "solve=[{name: a, masses: [0.1], source: {type: random_wall, t0: 0, seed: 1}}]")
    assert "Coulomb" not in said, said


def another_codes_sources_and_solutions_are_met():
    if REFERENCE is None:
        return "NAIK_REFERENCE is not set"
    stored = os.path.join(REFERENCE, "prop.hisq.l8888.point.m0.05")
    with open(path("file.yaml"), "w") as f:
        f.write("""
lattice: {size: [8, 8, 8, 8]}
gauge: {file: %s}
action: {type: hisq}
solve:
  - {name: f, masses: [0.05], source: {type: file, file: %s}}
  - {name: p, masses: [0.05], source: {type: point, origin: [0, 0, 0, 0]}}
output: {file: %s, correlators: [pion5]}
""" % (os.path.join(REFERENCE, "lat.sample.l8888"), stored, path("file-out.h5")))
    naik("solve", path("file.yaml"), ranks=2)
    with h5py.File(path("file-out.h5")) as f:
        assert f["prop/s0000/m00"][...].tobytes() == f["prop/s0001/m00"][...].tobytes()


main([a_configuration_is_generated,
      output_has_the_same_bytes_on_every_grid_thread_count_and_batch,
      propagators_open_in_python_as_complex_arrays,
      hints_reach_mpi_io_for_every_file,
      files_of_any_name_are_read_and_written,
      a_finished_run_is_left_alone,
      a_killed_run_continues_to_the_same_bytes,
      a_signal_stops_with_status_5_and_the_rest_follows,
      the_wall_limit_stops_with_status_5,
      another_input_for_an_unfinished_output_is_refused,
      an_iteration_limit_is_reported_with_status_3,
      a_higher_iteration_limit_solves_again_what_had_reached_the_lower_one,
      wrong_extents_are_refused_before_anything_is_solved,
      a_grid_that_cannot_be_is_refused_with_those_that_work,
      golden_numbers_of_a_seeded_configuration,
      links_from_a_file_give_the_same_bytes,
      sources_in_files_are_known_by_their_content,
      a_source_that_is_zero_has_the_solution_zero_and_a_warning,
      walls_on_links_out_of_coulomb_gauge_are_warned_about,
      another_codes_sources_and_solutions_are_met])
