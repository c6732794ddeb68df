"""naik solve where a direction that is split over ranks is also cut into lanes: the bytes of one rank.

The smallest such box is 4x4x4x8 of two ranks in a row along t; the CPU's rule arrives at such boxes on 16 ranks
and more otherwise (tests/test_layouts.c has all of them).
"""
from program import everything, main, naik, path, same

INPUT = """
lattice:  {size: [4, 4, 4, 16]}
gauge:    {file: %s}
action:   {type: hisq}
solve:
  - {name: pt, masses: [0.1, 0.2], source: {type: point, origin: [1, 2, 3, 7]}}
output:   {file: %s, correlators: [pion5, pion05]}
"""
WILSON = ["--set", "action={type: clover, csw: 1.0}", "--set", "solve.0.masses=[0.3]", "--set",
          "output.correlators=[pion]"]
IN_A_ROW = {"NAIK_GRID": "1x1x1x2"}


def solved(name, *more, ranks=1, env=None):
    with open(path("cut.yaml"), "w") as f:
        f.write(INPUT % (path("lat.h5"), path(name)))
    naik("solve", path("cut.yaml"), *more, ranks=ranks, env=env)
    return everything(name)


def staggered_solves_have_the_bytes_of_one_rank():
    naik("gauge", "generate", "--size", "4,4,4,16", "--beta", "5.8", "--seed", "3", "--sweeps", "4", "-o",
         path("lat.h5"))
    one = solved("one.h5")
    same(one, solved("two.h5", ranks=2, env=IN_A_ROW))
    same(one, solved("plain.h5", ranks=2, env={**IN_A_ROW, "NAIK_INSTRUCTIONS": "portable"}))
    naik("info", path("two.h5"), "--residuals")  # by one rank, which would disagree


def wilson_solves_have_the_bytes_of_one_rank():
    one = solved("clover-one.h5", *WILSON)
    same(one, solved("clover-two.h5", *WILSON, ranks=2, env=IN_A_ROW))


main([staggered_solves_have_the_bytes_of_one_rank, wilson_solves_have_the_bytes_of_one_rank])
