"""Files of other codes: an intact one of another kind is named, with exit status 1, and never called damaged.

The files are made by gauge_writers.py, from the description of each format; those of another hand are in the
folder border of the reference data.
"""
import os

import numpy as np

from gauge_writers import big_endian, ildg_bytes, openqcd_bytes, plaquette, random_links, record, staggered_signs
from program import REFERENCE, main, naik, path

SIZE = (4, 4, 4, 8)


def put(name, data):
    with open(path(name), "wb") as f:
        f.write(data)
    return path(name)


def refused(words, *sentences, ranks=1):
    """naik ends with status 1 and these words, and does not speak of damage."""
    said = naik(*words, status=1, ranks=ranks)
    told = " ".join(said.split())
    assert all(sentence in told for sentence in sentences) and "damaged" not in told, (words, said)
    return said


def run(name, gauge, *more):
    """An input for `naik solve` on this configuration."""
    with open(path(name), "w") as f:
        f.write("{lattice: {size: %s}, gauge: {file: %s}, action: {type: hisq}, solve: [{name: p, masses: [1], source: "
                "{type: point, origin: [0, 0, 0, 0]}}], output: {file: %s}}" % (list(SIZE), gauge, path(name + ".h5")))
    return ["solve", path(name), *[word for key in more for word in ("--set", key)]]


def links_that_are_no_su3_configuration_are_named():
    u = random_links(SIZE, 1)
    signs = {"phases": staggered_signs(SIZE)[..., None, None], "both": staggered_signs(SIZE, True)[..., None, None]}
    boundary = np.ones(u.shape[:5] + (1, 1))
    boundary[-1, ..., 3, :, :] = -1
    opened = u.copy()
    opened[-1, ..., 3, :, :] = 0
    smeared = u + 0.5 * random_links(SIZE, 2)
    own = "naik puts staggered phases and boundary on the links itself"
    cases = [("phases.ildg", ildg_bytes(u * signs["phases"]), "staggered phases are in the links", own),
             ("single.ildg", ildg_bytes(u * signs["phases"], 32), "256 x-, 256 y-, 256 z- and 0 t-links of 512", own),
             ("both.ildg", ildg_bytes(u * signs["both"]), "phases and the antiperiodic boundary are in the links", own),
             ("bare.ildg", ildg_bytes(u * boundary, checksum="none"), "the antiperiodic boundary is in the links", own),
             ("open.openqcd", openqcd_bytes(opened), "its boundary in time is open"),
             ("open.ildg", ildg_bytes(opened), "its boundary in time is open"),
             ("fat.ildg", ildg_bytes(smeared), "2048 of its 2048 links are far from unitary, as fat links are"),
             ("long.ildg", ildg_bytes(-u / 24), "0.0416667 times unitary matrices, as long links are")]
    for name, data, *sentences in cases:
        put(name, data)
        refused(["gauge", "check", path(name)], *sentences, ranks=2 if name == "both.ildg" else 1)
        if name in ("phases.ildg", "open.openqcd", "fat.ildg"):  # nothing lets them pass
            refused(run("wave.yaml", path(name), "gauge.on_mismatch=warn", "gauge.reunitarise=false"), *sentences)
        told = naik("info", path(name), status=0 if name in ("fat.ildg", "long.ildg") else 1)
        assert "intact: true" in told and "damaged" not in told, told
    refused(run("wave.yaml", path("phases.ildg"), "gauge.max_unitarity_deviation=10"), own)
    broken = bytearray(ildg_bytes(u * signs["phases"]))
    broken[900] ^= 1  # damage and phases: on_mismatch excuses the first only
    put("broken.ildg", broken)
    told = naik("gauge", "convert", path("broken.ildg"), path("never.h5"), "--on-mismatch", "warn", status=4)
    assert "is damaged: checksum" in told and "staggered phases are in the links" in told, told
    few = u.copy()
    few[0, 0, 0, 0, 0] *= 1.1
    told = refused(["gauge", "check", put("few.ildg", ildg_bytes(few))], "holds no SU(3) configuration", "not unitary")
    naik("gauge", "convert", path("few.ildg"), path("few.h5"), "--on-mismatch", "warn")
    assert "is damaged" in naik("gauge", "check", put("bare.ildg", ildg_bytes(few, checksum="none")), status=4)


def projections_that_are_not_unique_are_refused():
    one = np.zeros(SIZE[::-1] + (4, 3, 3), complex)
    one[..., [0, 1, 2], [0, 1, 2]] = 1
    # Commuting links with a twist of -1 in every plane: their fat7 links cancel, though each is in SU(3).
    turn = np.diag([-1.0, -1.0, 1.0])
    links = np.where((staggered_signs(SIZE) < 0)[..., None, None], turn, one[..., :, :])
    put("twist.ildg", ildg_bytes(links))
    naik("gauge", "check", path("twist.ildg"))
    refused(run("unique.yaml", path("twist.ildg")), "the U(3) projection of HISQ is not unique on", "of 2048 fat7 links")


main([links_that_are_no_su3_configuration_are_named,
      projections_that_are_not_unique_are_refused])
