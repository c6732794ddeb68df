"""A kind of quarks that naik does not have, by one row and one file (quark/hop_quark.c), from the input to the file."""
# timeout: 120
import os
import re
import sys

import h5py
import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
os.environ["NAIK"] = os.environ["BUILD"] + "/tests/quark/naik"
from program import everything, main, naik, path, same  # noqa: E402

SIZE = 4, 4, 4, 8  # x, y, z, t
MASSES = 0.5, 1.5
INPUT = """
lattice:  {size: [4, 4, 4, 8], boundary_t: antiperiodic}
gauge:    {file: %s}
action:   {type: hop%s}
solve:
  - {name: pt, masses: [0.5, 1.5], source: {type: point, origin: [1, 2, 3, 5]}}
  - {name: noise, masses: [0.8], source: {type: random_wall, t0: 2, seed: 7}}
solver:   {tolerance: 1e-13}
output:   {file: %s, correlators: [pion5]}
"""


def written(name, number=", mu: 0.75"):
    with open(path(name + ".yaml"), "w") as f:
        f.write(INPUT % (path("lat.h5"), number, path(name + ".h5")))
    return path(name + ".yaml")


def exact(mass, hop, source):
    """M^-1 source, [t][z][y][x][colour], by pairs of sites."""
    t, z, y, x = np.meshgrid(*(np.arange(n) for n in SIZE[::-1]), indexing="ij")
    d = 1 + (x + 2 * y + 3 * z + 5 * t) % 7 / 4
    e = d[t, z, y ^ 1, x ^ 1]
    a, b, c = d**2 + hop**2 + mass**2, hop * (d + e), e**2 + hop**2 + mass**2
    return (mass * (c[..., None] * source - b[..., None] * source[t, z, y ^ 1, x ^ 1])) / (a * c - b * b)[..., None]


def a_solve_gives_what_the_row_says():
    naik("gauge", "generate", "--size", "4,4,4,8", "--beta", "5.8", "--sweeps", "1", "-o", path("lat.h5"))
    said = naik("solve", written("one"))
    assert "hop 0.75" in said, said
    with h5py.File(path("one.h5")) as f:
        for m, mass in enumerate(MASSES):
            prop = f[f"/prop/s0000/m{m:02d}"]
            told = dict(prop.attrs)
            assert told["hop"] == 0.75 and told["mass"] == mass, told
            assert "mu" not in told and told["action"] == "hop", told
            assert "H^2" in told["normalisation"], told
            for colour in range(3):
                source = np.zeros((8, 4, 4, 4, 3), complex)
                source[5, 3, 2, 1, colour] = 1
                error = abs(prop[colour] - exact(mass, 0.75, source)).max()
                assert error < 1e-12, (mass, colour, error)


def its_number_is_required_and_other_kinds_refuse_it():
    said = naik("solve", written("without", ""), status=1)
    assert "key 'action.mu' is missing; action.type hop needs it" in said, said
    said = naik("solve", written("one"), "--set", "action.type=naive", status=1)
    assert "'action.mu' does not apply to action.type naive, only to twisted_mass, hop" in said, said


def info_tells_the_quark_and_measures_its_residuals():
    said = naik("info", path("one.h5"))
    assert "action.type = hop" in said and "solves_damaged: 0" in said and "intact: true" in said, said
    said = naik("info", "--residuals", path("one.h5"), ranks=2)
    pairs = re.findall(r" source_residual=(\S+) stored=(\S+)$", said, flags=re.M)
    assert len(pairs) == 9 and all(measured == stored for measured, stored in pairs), said


def ranks_and_interruptions_change_no_byte():
    for order in "kill:write:3", None:
        run = naik("solve", written("two"), ranks=2, status=None, env={"NAIK_INJECT": order} if order else None)
        assert (order is None) == os.path.exists(path("two.h5")), run
    assert "2 of " in run, run
    same(everything("one.h5"), everything("two.h5"))


if __name__ == "__main__":
    main([a_solve_gives_what_the_row_says, its_number_is_required_and_other_kinds_refuse_it,
          info_tells_the_quark_and_measures_its_residuals, ranks_and_interruptions_change_no_byte])
