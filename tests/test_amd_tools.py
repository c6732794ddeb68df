# test_amd_tools.py - the tools that read what a compiler made for AMD GPUs
import os
import shutil
import subprocess

from program import main

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))


def compiled():
    """The object of a small file of kernels; None where there is no compiler for AMD."""
    if shutil.which("hipcc") is None:
        return None
    folder = os.path.join(os.environ["SCRATCH"], "hip")
    target = f"{folder}/gpu/vectors/shifts.o"
    subprocess.run([os.environ.get("MAKE", "make"), "-s", "GPU=hip", "GPU_ARCH=gfx90a", f"BUILD={folder}", target],
                   check=True, capture_output=True, text=True)
    return target


def limits_of_a_die_are_read_from_an_object_file():
    target = compiled()
    if target is None:
        return "no hipcc"
    lines = subprocess.run(["tools/amd_limits.py", target], check=True, capture_output=True, text=True).stdout.splitlines()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[2:]]
    names = {row[0] for row in rows}
    assert {f"`update_shifts_kernel<vec_{p}>`" for p in ("double", "single", "half")} <= names, names
    for row in rows:
        registers, waves, a_load, instructions = int(row[1]), int(row[2]), float(row[4]), int(row[5])
        assert 8 <= registers <= 512 and 1 <= waves <= 8 and 1 <= a_load <= 16 and instructions > 10, row
        assert waves == min(8, 512 // (-(-registers // 8) * 8)), row
        assert all(0 < float(fraction) <= 1 for fraction in row[7:9]), row
    return None


def a_file_without_kernels_is_refused():
    done = subprocess.run(["tools/amd_limits.py", "Makefile"], capture_output=True, text=True)
    assert done.returncode == 1 and "no hot kernel" in done.stderr, done


if __name__ == "__main__":
    main([limits_of_a_die_are_read_from_an_object_file, a_file_without_kernels_is_refused])
