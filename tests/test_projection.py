# test_projection.py - HISQ whose links are projected to SU(3): its numbers, its name in files, what it is not mixed with
import os

import h5py
import numpy as np

from program import REFERENCE, answer, main, naik, path

# Pions at am 0.1 on lat.sample.l4448, point source at the origin, antiperiodic, to eight figures.
PIONS = {"u3": "0.31715771 0.10786357 0.0702051 0.05434468 0.040587 0.03813855 0.0524934 0.10031873",
         "su3": "0.3160009 0.10749544 0.06951639 0.05375739 0.03983626 0.03778666 0.0516786 0.09948808"}
INPUT = """lattice: {{size: [4, 4, 4, 8]}}
gauge: {{file: {gauge}}}
action: {{type: hisq, projection: {projection}}}
solve:
  - {{name: pt, masses: [0.1], source: {{type: point, origin: [0, 0, 0, 0]}}}}
solver: {{tolerance: 1e-12}}
output: {{file: {out}, correlators: [pion5]}}
"""


def gauge():
    if REFERENCE:
        return os.path.join(REFERENCE, "lat.sample.l4448")
    if not os.path.exists(path("rough.h5")):
        naik("gauge", "generate", "--size", "4,4,4,8", "--beta", "5.2", "--sweeps", "5", "-o", path("rough.h5"))
    return path("rough.h5")


def write(projection):
    name = path(projection + ".yaml")
    with open(name, "w") as f:
        f.write(INPUT.format(gauge=gauge(), projection=projection, out=path(projection + ".h5")))
    return name


def pion(name):
    with h5py.File(name, "r") as f:
        return f["/corr/pt/m00/pion5/p000"][...]


def both_projections_have_the_numbers_of_an_independent_program():
    for projection, numbers in PIONS.items():
        naik("solve", write(projection))
        if REFERENCE:
            wanted = np.array([float(x) for x in numbers.split()])
            assert np.abs(pion(path(projection + ".h5")) / wanted - 1).max() < 2e-7, (projection, pion(path(projection + ".h5")))
    assert np.abs(pion(path("su3.h5")) / pion(path("u3.h5")) - 1).max() > 3e-3
    return None if REFERENCE else "the numbers need NAIK_REFERENCE"


def links_without_phases_have_determinant_1():
    """Long links are -1/24 times three projected ones: of an epsilon the fat ones tell the projected link itself."""
    for projection, least, most in (("u3", 1e-3, 4), ("su3", 0, 1e-12)):
        links = path(projection + ".links.h5")
        naik("links", path(projection + ".yaml"), "-o", links, "--set", "solve.0.masses=[0.1,0.2]", "--set",
             "solve.0.naik_epsilon=[0,0.8]", ranks=2)
        with h5py.File(links, "r") as f:
            w = np.linalg.det((f["set0001/fat"][...] - f["fat"][...]) / 0.1)
            t, z, y, x = np.indices(w.shape[:4])
            eta = np.stack([t, t + x, t + x + y, np.where(t == w.shape[0] - 1, 1, 0)], axis=-1)
            off = np.abs(w * (-1.0) ** eta - 1).max()
            assert f.attrs["action"] == {"u3": "hisq", "su3": "hisq_su3"}[projection]
        assert least <= off <= most, (projection, off)


def links_from_their_file_give_the_same_propagators():
    out, links = path("from_links.h5"), path("su3.links.h5")
    with open(path("links.yaml"), "w") as f:
        f.write(open(path("su3.yaml")).read().replace("type: hisq, projection: su3", f"type: links, file: {links}")
                .replace(f"gauge: {{file: {gauge()}}}\n", "").replace(path("su3.h5"), out))
    naik("solve", path("links.yaml"))
    assert np.array_equal(pion(out), pion(path("su3.h5")))
    assert "hisq_su3" in naik("info", links)


def files_and_pages_say_which_it_is():
    for projection, name in (("u3", "hisq"), ("su3", "hisq_su3")):
        with h5py.File(path(projection + ".h5"), "r") as f:
            assert f["/prop/s0000/m00"].attrs["action"] == name
        naik("report", path(projection + ".h5"))
        assert f">{name}</td>" in open(path(projection + ".html")).read(), name
        assert f"action {name}\n" in exported(projection)


def exported(projection):
    out = path(projection + ".scidac")
    naik("export", path(projection + ".h5"), "-o", out)
    return open(out, encoding="latin-1").read()


def the_two_are_not_mixed():
    other = ["--set", f"output.file={path('other.h5')}"]
    su3, u3 = path("su3.yaml"), path("u3.yaml")
    for words, sentence in (([su3, "--set", f"solve.0.guess={path('u3.h5')}"], "was not made with action.projection = su3"),
                            ([u3, "--set", f"solve.0.guess={path('su3.h5')}"], "was made with action.projection = su3"),
                            ([u3, "--dry-run", "--machine", "perlmutter", "--from", path("su3.h5")],
                             "its action is hisq_su3, this input's is hisq"),
                            ([u3, "--set", f"output.file={path('su3.h5')}"], "")):
        status, said, told = answer("solve", *words, *([] if words[-1].startswith("output.file") else other))
        assert status == 1 and sentence in told, (words, said, told)
    deflated = ["--set", "deflation.modes=8", "--set", f"deflation.file={path('modes.h5')}"]
    naik("modes", su3, *deflated)
    status, said, told = answer("solve", u3, *deflated, *other)
    assert status in (1, 4) and "modes of other links" in told, (said, told)


main([both_projections_have_the_numbers_of_an_independent_program, links_without_phases_have_determinant_1,
      links_from_their_file_give_the_same_propagators, files_and_pages_say_which_it_is, the_two_are_not_mixed])
