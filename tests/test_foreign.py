"""Files of other codes: an intact one of another kind is named, with exit status 1, and never called damaged.

The files are made by gauge_writers.py, from the description of each format; those of another hand are in the
folder border of the reference data.
"""
import os
import re

import h5py
import numpy as np

from gauge_writers import (TMLQCD_HEAD, big_endian, checksum_record, field_records, file_record, ildg_bytes, ildg_format,
                           openqcd_bytes, plaquette, random_links, record, staggered_signs, tmlqcd_columns)
from program import REFERENCE, SCRATCH, everything, main, naik, path, same

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
             ("chroma.ildg", ildg_bytes(u * np.roll(signs["phases"], 1, axis=4)),
              "staggered phases are in the links", "0 x-, 256 y-, 256 z- and 256 t-links of 512"),
             ("corner.ildg", ildg_bytes(np.where(np.arange(8)[:, None, None, None, None, None, None] == 3, -u, u)),
              "signs of phases or of a boundary are in the links", "64 x-, 64 y-, 64 z- and 64 t-links of 512"),
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
    refused(["gauge", "check", put("u3.ildg", ildg_bytes(1j * u, checksum="none"))], "it is a field of U(3)")
    few = u.copy()
    few[0, 0, 0, 0, 0] *= 1.1
    for bits in 32, 64:  # a writer that leaves the numbers as a machine has them
        for checksum in "none", "after":
            name = put("turned.ildg", ildg_bytes(u, bits, checksum=checksum, order="<"))
            told = refused(["gauge", "check", name], "holds no SU(3) configuration", "its numbers are not big-endian, as those of its format are",
                           ranks=bits // 32)
            assert "NaN" not in told, told
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
    refused(run("unique.yaml", path("twist.ildg")), "the U(3) projection of HISQ is not unique on", "of 2048 fat7 links",
            ranks=2)
    assert not [name for name in os.listdir(SCRATCH) if name.startswith("unique.yaml.h5")]  # nothing is begun


FILES = os.path.join(REFERENCE or "", "border")


def solved(name, source, action="naive", gauge=None, mass=3, ranks=1):
    """The bytes of the propagator of one run from a source of type file."""
    with open(path("source.yaml"), "w") as f:
        f.write("{lattice: {size: %s}, gauge: {file: %s}, action: {type: %s}, solve: [{name: p, masses: [%g], source: "
                "{type: file, file: %s}}], output: {file: %s}}" % (list(SIZE), gauge or path("plain.ildg"), action, mass,
                                                                   source, path(name)))
    naik("solve", path("source.yaml"), ranks=ranks)
    return everything(name)


def configurations_are_read_however_they_are_wrapped():
    u = random_links(SIZE, 1)
    put("plain.ildg", ildg_bytes(u))
    told = naik("gauge", "check", path("plain.ildg"))
    assert "everything agrees" in told
    plain = [line for line in told.splitlines() if line.startswith("  plaquette")]
    x, y, z, t = SIZE
    prefixed = (f"<a:ildgFormat xmlns:a=\"http://www.lqcd.org/ildg\"><!-- <a:lx>9</a:lx> --><a:field>su3gauge</a:field>"
                f"<a:precision>64</a:precision><a:lx><!-- x -->{x}</a:lx><a:ly> {y} <!-- y --></a:ly><a:lz>{z}</a:lz>"
                f"<a:lt unit=\"1\">{t}</a:lt></a:ildgFormat>")
    data, total = record("ildg-binary-data", big_endian(u, 64)), checksum_record(big_endian(u, 64), int(np.prod(SIZE)))
    grid = file_record(SIZE) + record("ildg-format", ildg_format(SIZE, 64), 0x8000) + field_records(
        u, SIZE, "GRID_D_LorentzColourMatrix", count=4, spins=4, name="ildg-binary-data")
    cases = [("prefix", ildg_bytes(u, text=prefixed)), ("before", ildg_bytes(u, checksum="before")),
             ("behind", data + record("ildg-format", ildg_format(SIZE, 64)) + total), ("grid", grid),
             ("qdp", file_record(SIZE) + field_records(u, SIZE, "Lattice", count=4, spins=4)),
             ("one", file_record(SIZE) + field_records(u, SIZE, "GRID_D_LorentzColourMatrix", spins=4)),
             ("rows", record("ildg-format", ildg_format(SIZE, 64).replace("<lx>", "<rows>2</rows><lx>"))
              + record("ildg-binary-data", big_endian(u[..., :2, :], 64))
              + checksum_record(big_endian(u[..., :2, :], 64), int(np.prod(SIZE)))),
             ("beside", file_record(SIZE) + field_records(u[..., 0, 0], SIZE, "QDP_D3_ColorVector")
              + field_records(u, SIZE, "QDP_D3_ColorMatrix", count=4))]
    for name, bytes_ in cases:
        put(name, bytes_)
        told = naik("gauge", "check", path(name), ranks=2 if name == "before" else 1)
        found = [line for line in told.splitlines() if line.startswith("  plaquette")]
        assert "everything agrees" in told and (plain == found or name == "rows" and "2 rows" in told), told
        if name in ("before", "behind"):  # the checksum is found where it is, and counts
            put("broken", bytes_[:-1000] + bytes([bytes_[-1000] ^ 1]) + bytes_[-999:])
            assert "is damaged: checksum" in naik("gauge", "check", path("broken"), status=4)
    refused(["gauge", "check", put("two", ildg_bytes(u) + ildg_bytes(u))], "holds 2 gauge configurations")
    small = random_links((4, 4, 4, 4), 3)
    refused(["info", put("two", ildg_bytes(u) + ildg_bytes(small, 32))], "holds 2 gauge configurations")
    told = naik("gauge", "check", put("cut", ildg_bytes(u)[:-800]), status=4)
    assert "is truncated" in told, told
    wrong = ildg_bytes(u, text=ildg_format((4, 4, 4, 4), 64))
    assert "need 73728" in naik("gauge", "check", put("wrong", wrong), status=4)


def extents_that_a_file_does_not_tell_are_given():
    u = random_links(SIZE, 1)
    for bits in (64, 32):
        put("bare", record("ildg-binary-data", big_endian(u, bits)))
        refused(["gauge", "check", path("bare")], "does not tell their extents: give them")
        refused(["info", path("bare")], "does not tell their extents")
        told = naik("gauge", "check", path("bare"), "--size", ",".join(map(str, SIZE)), ranks=2)
        found = re.search("space-space (.*), space-time (.*) \\(", told)
        assert abs(float(found[1]) + float(found[2]) - 2 * plaquette(u)) < 1e-6, told
        assert "which were given" in told and f"{bits} bit" in told, told
        refused(["gauge", "check", path("bare"), "--size", "4,4,4,6"], "are no SU(3) configuration of the 4 4 4 6 sites")
    refused(["gauge", "check", path("bare"), "--size", "2,4,4,8"], "holds no SU(3) configuration")
    naik("gauge", "convert", path("bare"), path("given.h5"), "--size", ",".join(map(str, SIZE)))
    naik(*run("bare.yaml", path("bare")))
    refused(["gauge", "check", put("named", ildg_bytes(u)), "--size", "4,4,4,4"], "holds a lattice of 4x4x4x8")


def links_of_other_colours_are_named():
    for colours in (2, 4, 5):
        u = random_links(SIZE, 4, colours)
        for bits in (64, 32):
            for field in (f"su{colours}gauge", "", "su3gauge") if bits == 64 else (f"su{colours}gauge",):
                put("colours", ildg_bytes(u, bits, field))
                if field == "su3gauge":  # the file says one thing and holds another
                    naik("gauge", "check", path("colours"), status=4)
                else:
                    refused(["gauge", "check", path("colours")], f"has links of {colours} colours, SU({colours})")
        put("colours", file_record(SIZE) + field_records(u, SIZE, "QDP_D_ColorMatrix", count=4, colours=colours))
        refused(["info", path("colours")], f"has links of {colours} colours")
        head = "".join(f"DIMENSION_{i + 1} = {n}\n" for i, n in enumerate(SIZE))
        for kind in (f"4D_SU{colours}_GAUGE_{colours}x{colours}", f"4D_SU{colours}_GAUGE"):
            put("colours", f"BEGIN_HEADER\nDATATYPE = {kind}\n{head}FLOATING_POINT = IEEE64BIG\nEND_HEADER\n".encode()
                + big_endian(u, 64))
            refused(["gauge", "check", path("colours")], f"has links of {colours} colours, SU({colours})")
    put("colours", f"BEGIN_HEADER\nDATATYPE = 4D_U1_GAUGE\n{head}END_HEADER\n".encode())
    refused(["gauge", "check", path("colours")], "DATATYPE = '4D_U1_GAUGE', which naik does not read")


def every_reader_tells_what_is_around_a_file():
    for block in 512, 4096:
        with h5py.File(path(f"behind.{block}"), "w", userblock_size=block) as f:
            f["x"] = [1]
    put("packed", b"\x1f\x8b\x08" + bytes(500))
    put("input", b"# a comment\nlattice: {size: [4, 4, 4, 8]}\n")
    for name, begin in (("journal", b"naik-journal 1 identity=0"), ("state", b"naikflow" + bytes(99)), ("lock", b"host=a\npid=1\n"), ("page", b"<!DOCTYPE html>\n"),
                        ("events", b'{"event": "start", "time": 1}\n'), ("log", b"naik 0.6.0, 1 rank\n"), ("list", b"configuration 1000, 1 of 3\nnaik 0.6.0\nlattice: 4x4x4x8, process grid 1x1x1x1\n"),
                        ("error", b"naik: error: no\n"), ("xml", b"<?xml version='1.0'?>")):
        put(name, begin)
    put("pointer", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n")
    for name, sentence in (("behind.512", "it is HDF5 behind a user block, which naik does not skip"), ("behind.4096", "user block with h5unjam"),
                           ("packed", "it is packed by gzip: unpack it"), ("pointer", "a pointer of Git LFS and not the file itself"),
                           ("input", "it is an input of naik solve"), ("journal", "name the output, without .journal"), ("state", "without .part.state"),
                           ("lock", "without .lock"), ("page", "open it in a browser"), ("events", "a log of events"), ("log", "it is the log of a run"), ("list", "it is the log of a run"),
                           ("error", "what a command of naik said"), ("xml", "an input of Chroma or Grid")):
        for words in (["gauge", "check", path(name)], ["report", path(name)],
                      run("around.yaml", path("plain.ildg"), "solve.0.source={type: file, file: %s}" % path(name))):
            refused(words, sentence)


def fat_and_long_links_must_be_what_they_are_given_as():
    fat, far = random_links(SIZE, 1) + 0.5 * random_links(SIZE, 2), random_links(SIZE, 1) / 24
    far[-3:, ..., 3, :, :] *= -1  # the boundary, which a long link crosses from three slices
    fields = [field_records(v, SIZE, "QDP_D3_ColorMatrix", count=4)
              for v in (fat * staggered_signs(SIZE, True)[..., None, None], -far * staggered_signs(SIZE)[..., None, None])]
    for name, data in (("fat", fields[0]), ("long", fields[1]), ("both", fields[0] + fields[1])):
        put(name + ".lime", file_record(SIZE) + data)
    cases = [("both", "both", "antiperiodic", "holds 2 gauge configurations"),
             ("long", "fat", "antiperiodic", "holds no long links"), ("long", "long", "antiperiodic", "holds no fat links"),
             ("fat", "long", "periodic", "have the antiperiodic boundary in t inside"), ("fat", "long", "antiperiodic", None)]
    for first, second, boundary, sentence in cases:
        with open(path("links.yaml"), "w") as f:
            f.write("{lattice: {size: %s, boundary_t: %s}, action: {type: links, file: %s, long_file: %s}, solve: [{name: p, "
                    "masses: [1], source: {type: point, origin: [0, 0, 0, 0]}}], output: {file: %s}}"
                    % (list(SIZE), boundary, path(first + ".lime"), path(second + ".lime"), path("links.h5")))
        if sentence is not None:
            refused(["solve", path("links.yaml")], sentence)
            assert not os.path.exists(path("links.h5.part")), sentence  # no output is begun
    daughter = "[{name: tp, parent: p, spectator: p, daughter_masses: [1], daughter_naik_epsilon: [-0.1], sink_times: [2], insertion: [G1-G1]}]"
    for change, sentence in (("solve.0={name: p, masses: [1, 2], naik_epsilon: [0, 0.1], source: {type: point, origin: [0, 0, 0, 0]}}", "but p asks for 0.1 beside 0: use one"),
                             ("three_point=" + daughter, "but tp+m00 asks for -0.1 beside 0: use one")):
        refused(["solve", path("links.yaml"), "--set", change], sentence)
    told = naik("solve", path("links.yaml"), ranks=2)
    assert "boundary in t: antiperiodic, as the determinants of the links show" in told, told


def nersc_archives_without_checksum_tell_their_byte_order():
    u = random_links(SIZE, 1)
    size = "".join(f"DIMENSION_{i + 1} = {n}\n" for i, n in enumerate(SIZE))
    for number, kind, rows, told in (("<f4", "IEEE32BIG", 3, "plaquette"), (">f8", "IEEE64LITTLE", 2, "plaquette"),
                                     ("<f8", "IEEE64BIG", 3, "unitarity of the links"), (">f4", "IEEE32", 2, None)):
        plaq = f"PLAQUETTE = {plaquette(u) / 3:.8f}\n" if told == "plaquette" or told is None else ""
        head = (f"BEGIN_HEADER\nDATATYPE = 4D_SU3_GAUGE{'_3x3' if rows == 3 else ''}\n{size}{plaq}FLOATING_POINT = {kind}\n"
                "END_HEADER\n").encode()
        data = np.ascontiguousarray(u[..., :rows, :]).view(np.float64).astype(number).tobytes()
        said = naik("gauge", "check", put("order", head + data))
        order = {"<": "little", ">": "big"}[number[0]]
        assert f"{order}-endian, {rows} rows" in said and ("proves" in said) == (told is not None), said
        assert told is None or f"as the {told} proves" in said, said
    for rows in (2, 3):  # the order is seen though the plaquette is that of links without phases
        data = np.ascontiguousarray((u * staggered_signs(SIZE)[..., None, None])[..., :rows, :]).view(np.float64).astype("<f8")
        head = (f"BEGIN_HEADER\nDATATYPE = 4D_SU3_GAUGE{'_3x3' if rows == 3 else ''}\n{size}PLAQUETTE = {plaquette(u) / 3:.8f}\n"
                "FLOATING_POINT = IEEE64BIG\nEND_HEADER\n").encode()
        refused(["gauge", "check", put("order", head + data.tobytes())], "staggered phases are in the")


def links_in_another_order_have_a_small_plaquette():
    """They are unitary and have their checksum, so that nothing else would tell."""
    naik("gauge", "generate", "--size", "4,4,4,8", "--beta", "6", "--seed", "5", "--sweeps", "8", "-o", path("ordered.h5"))
    with h5py.File(path("ordered.h5")) as f:
        u = f["gauge"][...]
    sentence = "3 for unit links) is small, and none is stored to compare with"
    orders = {"right": u, "transposed": np.swapaxes(u, -1, -2), "adjoint": np.conj(np.swapaxes(u, -1, -2)), "directions": u[..., [3, 0, 1, 2], :, :],
              "two directions": u[..., [1, 0, 2, 3], :, :], "sites": np.swapaxes(u, 2, 3), "parity": np.concatenate([u[::2], u[1::2]])}
    for name, links in orders.items():
        told = " ".join(naik("gauge", "check", put("order.ildg", ildg_bytes(links))).split())
        assert ("warning" in told and sentence in told) == (name != "right"), (name, told)
    put("bare", record("ildg-binary-data", big_endian(u, 64)))
    for size, wrong in (("4,4,4,8", False), ("4,4,8,4", True), ("8,4,4,4", True)):
        assert (sentence in " ".join(naik("gauge", "check", path("bare"), "--size", size).split())) == wrong, size
    assert sentence not in " ".join(naik("gauge", "check", path("ordered.h5"), ranks=2).split())


def a_header_that_says_two_things_is_refused():
    """The links of a permuted lattice have the same checksum; what is said twice alike is no contradiction."""
    u = random_links(SIZE, 1)
    text = ildg_format(SIZE, 64)
    for more, tag in (("<lx>8</lx><lt>4</lt>", "lx"), ("<precision>32</precision>", "precision"), ("<field>su2gauge</field>", "field")):
        said = naik("gauge", "check", put("two.ildg", ildg_bytes(u, text=text.replace("</ildgFormat>", more + "</ildgFormat>"))), status=4)
        assert f"contradicts itself: its ildg-format gives <{tag}> two values" in said, said
    alike = text.replace("</ildgFormat>", "<!-- <lx>8</lx> --><lx> 4</lx><lt>8</lt></ildgFormat>")
    assert "everything agrees" in naik("gauge", "check", put("alike.ildg", ildg_bytes(u, text=alike)))
    dims = "<?xml version=\"1.0\"?><scidacFile><spacetime>4</spacetime><dims>4 4 4 8</dims><dims>8 4 4 4</dims></scidacFile>"
    said = naik("gauge", "check", put("two.ildg", record("scidac-private-file-xml", dims, 0x8000) + ildg_bytes(u)), status=4)
    assert "contradicts itself: its scidac-private-file-xml gives <dims> two values" in said, said
    size = [f"DIMENSION_{i + 1} = {n}" for i, n in enumerate(SIZE)]
    for more, key in (("DIMENSION_4 = 4", "DIMENSION_4"), ("DATATYPE = 4D_SU3_GAUGE_3x3", "DATATYPE"), ("PLAQUETTE = 0.5", "PLAQUETTE"),
                      ("DIMENSION_1 = 4", None)):
        lines = ["BEGIN_HEADER", "DATATYPE = 4D_SU3_GAUGE", *size, f"PLAQUETTE = {plaquette(u) / 3:.8f}", "FLOATING_POINT = IEEE64BIG", more,
                 "END_HEADER", ""]
        data = np.ascontiguousarray(u[..., :2, :]).view(np.float64).astype(">f8").tobytes()
        said = naik("gauge", "check", put("two.nersc", "\n".join(lines).encode() + data), status=4 if key else 0)
        assert key is None or f"contradicts itself: its NERSC header says {key} = " in said, said


def signs_in_archives_of_two_rows_are_named():
    """The third row is made of the others, so that no determinant shows a sign: the stored plaquette does."""
    u = random_links(SIZE, 1)
    size = "".join(f"DIMENSION_{i + 1} = {n}\n" for i, n in enumerate(SIZE))
    phases, boundary = staggered_signs(SIZE), staggered_signs(SIZE) * staggered_signs(SIZE, True)
    t, z, y, x = np.meshgrid(*[np.arange(n) for n in SIZE[::-1]], indexing="ij")
    chroma = np.stack([(-1.0) ** (0 * x), (-1.0) ** x, (-1.0) ** (x + y), (-1.0) ** (x + y + z)], axis=-1)
    for signs, sign, told in ((phases, 1, "staggered phases are in the two rows"), (phases, -1, "staggered phases are in the two"),
                              (phases * boundary, 1, "staggered phases and the antiperiodic boundary are in the two rows"),
                              (boundary, 1, "the antiperiodic boundary is in the two rows"), (chroma, 1, "staggered phases are in"),
                              (np.where(x == 1, -1, 1)[..., None] + 0 * phases, 1, None)):
        data = np.ascontiguousarray((u * signs[..., None, None])[..., :2, :]).view(np.float64).astype(">f8").tobytes()
        sums = np.frombuffer(data, dtype=">u4").sum(dtype=np.uint64) % 2 ** 32
        head = (f"BEGIN_HEADER\nDATATYPE = 4D_SU3_GAUGE\n{size}PLAQUETTE = {sign * plaquette(u) / 3:.10f}\nCHECKSUM = {int(sums):x}\n"
                "FLOATING_POINT = IEEE64BIG\nEND_HEADER\n").encode()
        put("rows", head + data)
        if told is None:  # of no sign that is known
            assert "contradicts itself" in naik("gauge", "check", path("rows"), status=4)
            continue
        refused(["gauge", "check", path("rows")], told, "holds no SU(3) configuration", ranks=2 if sign < 0 else 1)
    # links that commute have the stored plaquette with the boundary and without it: nothing speaks for signs
    flat = f"BEGIN_HEADER\nDATATYPE = 4D_SU3_GAUGE\n{size}PLAQUETTE = 1\nLINK_TRACE = 0.9\nFLOATING_POINT = IEEE64BIG\nEND_HEADER\n"
    put("rows", flat.encode() + np.tile(np.eye(3, dtype=complex)[:2], (*SIZE, 4, 1, 1)).view(np.float64).astype(">f8").tobytes())
    told = naik("gauge", "check", path("rows"), status=4)
    assert "link trace is stored as 0.9, but the links give 1" in told and "two rows of" not in told, told
    put("rows", head.replace(b"CHECKSUM", b"NOTHING") + data)
    assert "plaquette is stored as" in naik("gauge", "check", path("rows"), status=4)
    refused(run("rows.yaml", put("rows", head.replace(b"CHECKSUM", b"NOTHING") + np.ascontiguousarray(
        (u * phases[..., None, None])[..., :2, :]).view(np.float64).astype(">f8").tobytes()), "gauge.on_mismatch=warn"), "two rows")


def archive(u, lines=(), rows=2, bits=32, **keys):
    """A NERSC archive of big-endian numbers with all that the format wants; keys: other values, None leaves one out."""
    data = np.ascontiguousarray(u[..., :rows, :]).view(np.float64).astype(">f8" if bits == 64 else ">f4").tobytes()
    own = {"DATATYPE": "4D_SU3_GAUGE" + ("_3x3" if rows == 3 else ""), **{f"DIMENSION_{i + 1}": n for i, n in enumerate(SIZE)},
           "PLAQUETTE": f"{plaquette(u) / 3:.10f}", "LINK_TRACE": f"{np.trace(u, axis1=-2, axis2=-1).real.mean() / 3:.10f}",
           "CHECKSUM": f"{int(np.frombuffer(data, '>u4').sum(dtype=np.uint64)) % 2 ** 32:x}", "FLOATING_POINT": f"IEEE{bits}BIG", **keys}
    head = ["BEGIN_HEADER", *(f"{key} = {value}" for key, value in own.items() if value is not None), *lines, "END_HEADER", ""]
    return "\n".join(head).encode("latin-1"), data


def archives_are_read_however_their_header_is_written():
    u = random_links(SIZE, 1)
    head, data = archive(u)
    sum_of = head.split(b"CHECKSUM = ")[1].split(b"\n")[0].decode()
    history = [f"HISTORY_{i} = {'x' * 60}" for i in range(700)]  # more than the begin of the file that is read at first
    cases = {"long": archive(u, history)[0], "capitals": head.lower(), "lines": head.replace(b"\n", b"\r\n"), "comments": archive(
        u, ["# DIMENSION_1 = 9"], CHECKSUM=sum_of.upper() + "   # of all rows")[0], "spelled": archive(u, FLOATING_POINT="ieee32_big")[0],
        "fortran": archive(u, PLAQUETTE=f"{plaquette(u) / 3:.10e}".replace("e", "D"))[0],
        "digits": archive(u, PLAQUETTE=f"{plaquette(u) / 3:.3f}", LINK_TRACE=f"{np.trace(u, axis1=-2, axis2=-1).real.mean() / 3:.3f}")[0],
        "unknown": archive(u, PLAQUETTE="unknown", LINK_TRACE="")[0]}
    for name, text in cases.items():
        put("header", text + data)
        assert "everything agrees" in naik("gauge", "check", path("header"), ranks=2 if name == "long" else 1), name
    naik("gauge", "convert", put("header", cases["long"] + data), path("header.h5"), "--force")
    said = naik("gauge", "check", put("header", archive(u, CHECKSUM=None, FLOATING_POINT=None)[0] + data))
    assert "the NERSC header carries no CHECKSUM" in said, said
    worse = plaquette(u) / 3 + 0.002
    for text, sentence in ((archive(u, PLAQUETTE=f"{worse:.3f}")[0], "plaquette is stored as"), (archive(u, ["dimension_4 = 4"])[0], "contradicts itself"),
                           (archive(u, PLAQUETTE=f"{plaquette(u) / 3 + 2e-5:.8f}")[0], "plaquette is stored as"),
                           (cases["long"].replace(b"END_HEADER", b"END_HEALER"), "has no END_HEADER in its first")):
        assert sentence in naik("gauge", "check", put("header", text + data), status=4), sentence
    refused(["gauge", "check", put("header", head.replace(b"END_HEADER", b"") + b"a line\n" * 160000)], "a NERSC header of more than 1048576 bytes")


def zeros_behind_the_end_are_no_damage():
    """Archives on tape are padded; other bytes there, or zeros where records belong, are damage."""
    u = random_links(SIZE, 1)
    vectors = file_record(SIZE) + 2 * field_records(u[..., 0, :, 0], SIZE, "USQCD_D3_ColorVector", count=1)
    files = {"ildg": ildg_bytes(u), "nersc": b"".join(archive(u)), "openqcd": openqcd_bytes(u)}
    naik("gauge", "convert", put("padded", files["ildg"]), path("milc"), "--to", "milc", "--precision", "32")
    with open(path("milc"), "rb") as f:
        files["milc"] = f.read()
    for name, data in files.items():
        for zeros in (7, 70000):
            said = naik("gauge", "check", put("padded", data + bytes(zeros)), ranks=2 if name == "ildg" else 1)
            assert f"{zeros} bytes follow the " in said and ", which are all zero" in said, said
        naik("gauge", "check", put("padded", data + bytes(600) + b"x"), status=4)
    assert "vectors: 2" in naik("info", put("padded", vectors + bytes(600)))
    fnal = np.array([0x71626434, 0, 4, 18, *SIZE, 0], "<u4").tobytes() + u[..., 0, :, :].astype("<c8").tobytes()
    for behind, status in (b"", 0), (bytes(600), 0), (bytes(600) + b"x", 4):
        assert ("vectors: 3" if status == 0 else "bytes long, but its header") in naik("info", put("padded", fnal + behind), status=status)
    at = files["ildg"].index(b"scidac-checksum") - 16  # the last record is gone
    marked = files["ildg"].replace(b"\0\1\xc0\0", b"\0\1\x80\0", 1)
    assert "has no LIME record at byte" in naik("gauge", "check", put("padded", marked[:at].replace(b"\0\1\xc0\0", b"\0\1\0\0") + bytes(500)), status=4)
    assert "has no LIME record at byte" in naik("info", put("padded", vectors + bytes(300000)), status=4)  # perhaps a vector was there
    assert "has no LIME record at byte" in naik("info", put("padded", file_record(SIZE) + bytes(5000)), status=4)  # and nothing of its fields
    bare = file_record(SIZE) + field_records(u[..., 0, :, 0], SIZE, "USQCD_D3_ColorVector", count=1, checksum=False)
    bare = bare[:-len(big_endian(u[..., 0, :, 0], 64)) - 144] + record("scidac-binary-data", big_endian(u[..., 0, :, 0], 64))  # ends its message
    assert "vectors: 1" in naik("info", put("padded", bare + bytes(600)))
    assert "has no LIME record at byte" in naik("info", put("padded", bare[:-4000] + bytes(4600)), status=4)  # the end of the vector as well
    header = b"<!-- " + b"x" * 3000 + b" -->"  # the text of a record may be long
    long = ildg_bytes(u, text=ildg_format(SIZE, 64).replace("<version>", header.decode() + "<?other <lx>9</lx>?><version>"))
    assert "everything agrees" in naik("gauge", "check", put("padded", long))


def vectors_and_propagators_of_every_code_are_the_same_sources():
    draw = np.random.default_rng(7)
    t, z, y, x = SIZE[::-1]
    put("plain.ildg", ildg_bytes(random_links(SIZE, 1)))
    m = draw.normal(size=(t, z, y, x, 3, 3)) + 1j * draw.normal(size=(t, z, y, x, 3, 3))  # [sink][source]
    columns = [m[..., c] for c in range(3)]

    def vectors(datatype, **more):
        return file_record(SIZE) + b"".join(field_records(v, SIZE, datatype, **more) for v in columns)
    files = {"qio": vectors("USQCD_D3_ColorVector"),
             "grid": vectors("GRID_D_ColourVector3", spins=1, name="ildg-binary-data"),
             "lattice": vectors("Lattice", spins=4),
             "three": file_record(SIZE) + field_records(np.swapaxes(m, -1, -2), SIZE, "USQCD_D3_ColorVector", count=3),
             "chroma": file_record(SIZE) + field_records(m, SIZE, "QDP_D3_StaggeredPropagator", spins=1),
             "matrix": file_record(SIZE) + field_records(m, SIZE, "GRID_D_ColourMatrix3", name="ildg-binary-data")}
    found = {}
    for name, data in files.items():
        put(name, data)
        told = naik("info", path(name), ranks=2 if name == "three" else 1)
        assert "vectors: 3" in told and "intact: true" in told and "checksums: true" in told, told
        found[name] = solved(name + ".h5", path(name), ranks=2 if name == "chroma" else 1)
        same(found["qio"], found[name])
    six = put("six", file_record(SIZE) + 2 * vectors("USQCD_D3_ColorVector")[len(file_record(SIZE)):])
    refused(run("six.yaml", path("plain.ildg"), "solve.0.source={type: file, file: %s}" % six),
            "holds 6 vectors, but sources need one for each of 3 colours")
    single = file_record(SIZE) + field_records(m, SIZE, "QDP_F3_StaggeredPropagator", 32)
    rounded = file_record(SIZE) + b"".join(field_records(v, SIZE, "USQCD_F3_ColorVector", 32) for v in columns)
    same(solved("f1.h5", put("f1", single)), solved("f2.h5", put("f2", rounded)))
    data = bytearray(files["chroma"])
    data[-1000] ^= 1
    assert "is damaged" in naik("info", put("bad", data), status=4)
    refused(["gauge", "check", path("chroma")], "it holds 1 staggered propagator")
    g = draw.normal(size=(t, z, y, x, 4, 4, 3, 3)) + 0j  # [sink spin][source spin][sink colour][source colour]
    spinors = file_record(SIZE) + b"".join(
        field_records(g[..., :, s, :, c], SIZE, "USQCD_D3_DiracFermion", spins=4) for s in range(4) for c in range(3))
    whole = file_record(SIZE) + field_records(g, SIZE, "GRID_D_SpinColourMatrix", spins=4, name="ildg-binary-data")
    same(solved("s1.h5", put("s1", spinors), "wilson"), solved("s2.h5", put("s2", whole), "wilson"))
    assert "vectors: 12" in naik("info", path("s2"))
    etmc = TMLQCD_HEAD + b"".join(tmlqcd_columns(g))
    told = naik("info", put("etmc", etmc))
    assert "gamma_basis: tmLQCD" in told and "vectors: 12" in told and "intact: true" in told, told
    refused(["gauge", "check", path("etmc")], "it holds 12 fields of spinors")
    assert "do not fit their own description" in naik("info", put("cut", etmc + record("scidac-binary-data", bytes(192))), status=4)
    same(everything("s2.h5"), solved("s3.h5", path("etmc"), "wilson", ranks=2))
    scalar = file_record(SIZE) + field_records(g[..., 0, 0, 0, 0], SIZE, "QDP_D_Complex", colours=0)
    refused(["info", put("scalar", scalar)], "none of its records is a gauge field: it holds 1 field of another kind")
    half = file_record(SIZE) + field_records(g[..., :2, :2, :, :], SIZE, "QDP_D_HalfPropagator", spins=2)  # as many numbers as four links
    refused(["info", put("half", half)], "none of its records is a gauge field: it holds 1 field of another kind")


def told(color, spin=None, kind="usqcdKSPropInfo"):
    return f"<{kind}><version>1.0</version>{'' if spin is None else f'<spin>{spin}</spin>'}<color>{color}</color><info>a</info></{kind}>"


def vectors_go_to_the_columns_that_their_records_tell():
    draw = np.random.default_rng(8)
    t, z, y, x = SIZE[::-1]
    put("plain.ildg", ildg_bytes(random_links(SIZE, 1)))
    m, n = (draw.normal(size=(t, z, y, x, 3, 3)) + 0j for _ in range(2))  # [sink][source]

    def vectors(colours, of=m, kind="usqcdKSPropInfo", more=b""):
        return file_record(SIZE) + more + b"".join(field_records(of[..., c], SIZE, "USQCD_D3_ColorVector", user=told(
            c if isinstance(kind, str) else kind[c], kind=kind if isinstance(kind, str) else "usqcdKSPropInfo")) for c in colours)
    plain = solved("c0.h5", put("c0", vectors((0, 1, 2))))
    for name, colours, kind in (("c1", (2, 0, 1), "usqcdKSPropInfo"), ("c2", (1, 0, 2), "usqcdSourceInfo")):
        same(plain, solved(name + ".h5", put(name, vectors(colours, kind=kind)), ranks=2 if name == "c1" else 1))
    pairs = file_record(SIZE) + b"".join(field_records(m[..., c], SIZE, "USQCD_D3_ColorVector", user="<usqcdSourceInfo/>")
                                         + field_records(n[..., c], SIZE, "USQCD_D3_ColorVector", user=told(c)) for c in (1, 2, 0))
    same(plain, solved("c3.h5", put("c3", pairs)))  # the solution tells whose the source is
    for name, kind, sentence in (("c4", {0: 0, 1: 0, 2: 2}, "vector number 1 is of spin 0 and colour 0, where spin 0 and colour 1 are expected"),
                                 ("c5", {0: 0, 1: 1, 2: 3}, "vector number 2 is of spin 0 and colour 3, where spin 0 and colour 2 are expected")):
        assert "vectors: 3" in naik("info", put(name, vectors((0, 1, 2), kind=kind)))  # a column is asked for by a solve alone
        refused(run("told.yaml", path("plain.ildg"), "solve.0.source={type: file, file: %s}" % path(name)), "says that its " + sentence)
    assert "vectors: 6" in naik("info", put("c5", vectors((0, 0, 1, 1, 2, 2))))  # two propagators, beside each other
    assert "vectors: 1" in naik("info", put("c5", vectors((2,))))  # no propagator, whose columns nobody asks for
    # one complex field is the source of all: the solutions beside it are no sources
    one = field_records(m[..., 0, 0], SIZE, "QDP_D_Complex", colours=0, user="<usqcdSourceInfo/>")
    said = naik("info", put("c6", vectors((0, 1, 2), more=one)))
    assert "vectors: 3" in said and "sources: false" in said and "other_sources: 1" in said and "other_sources" not in naik("info", path("c0")), said
    for name, more in (("c6", one), ("c7", field_records(n[..., 0], SIZE, "USQCD_D3_ColorVector", user="<usqcdSourceInfo/>"))):
        refused(run("scalar.yaml", path("plain.ildg"), "solve.0.source={type: file, file: %s}" % put(name, vectors((0, 1, 2), more=more))),
                "holds solutions, and sources that are no vectors")
    g = draw.normal(size=(t, z, y, x, 4, 4, 3, 3)) + 0j  # [sink spin][source spin][sink colour][source colour]
    order = [(s, c) for s in range(4) for c in range(3)]
    spinors = [file_record(SIZE) + b"".join(field_records(g[..., :, s, :, c], SIZE, "USQCD_D3_DiracFermion", spins=4, user=told(c, s, "usqcdPropInfo"))
                                            for s, c in by) for by in (order, sorted(order, key=lambda k: k[::-1]))]
    odd = file_record(SIZE) + b"".join(field_records(g[..., :, s, :, c], SIZE, "USQCD_D3_DiracFermion", spins=4, user=told(
        *((3, 0) if (s, c) == (1, 0) else (c, s)), "usqcdPropInfo")) for s, c in order)
    refused(run("told.yaml", path("plain.ildg"), "action.type=wilson", "solve.0.source={type: file, file: %s}" % put("odd", odd)),
            "vector number 3 is of spin 0 and colour 3, where spin 1 and colour 0 are expected")
    same(solved("c8.h5", put("c8", spinors[0]), "wilson"), solved("c9.h5", put("c9", spinors[1]), "wilson"))
    for name, values in (("spins", g), ("colours", np.moveaxis(g, (6, 7), (4, 5)))):
        with h5py.File(path(name + ".h5"), "w") as f:
            f["propagator"] = values
        if name != "colours":
            same(everything("c8.h5"), solved(f"d{name}.h5", path(name + ".h5"), "wilson"))
    # as many numbers a site, in another order
    refused(run("colours.yaml", path("plain.ildg"), "action.type=wilson", "solve.0.source={type: file, file: %s}" % path("colours.h5")),
            "without a propagator of QDP++")


def files_of_another_hand_have_their_right_answers():
    if not REFERENCE or not os.path.isdir(FILES):
        return "NAIK_REFERENCE has no folder border"
    answers = {"plain.ildg": (0, 0, "1.685547236865733"), "headerless.ildg": (1, 1, "give them"),
               "two-configurations.lime": (1, 1, "holds 2 gauge configurations"), "su2.ildg": (1, 1, "of 2 colours"),
               "su2.nersc": (1, 1, "of 2 colours"), "open-boundary.openqcd": (1, 1, "its boundary in time is open"),
               "phases-in.ildg": (1, 1, "staggered phases are in the links"), "vectors-qio.lime": (1, 0, "3 fields of colour"),
               "vectors-grid.lime": (1, 0, "3 fields of colour"), "propagator-chroma-staggered.lime": (1, 0, "1 staggered propag")}
    for name, (check, info, sentence) in answers.items():
        told = naik("gauge", "check", os.path.join(FILES, name), status=check)
        assert sentence in " ".join(told.split()) and "damaged" not in told, told
        told = naik("info", os.path.join(FILES, name), status=info)
        assert "damaged" not in told and (info == 1 or "intact: true" in told), told
    told = naik("gauge", "check", os.path.join(FILES, "headerless.ildg"), "--size", "4,4,4,4")
    assert "space-space 1.685547236865733, space-time 1.68478401396305 " in told, told
    global SIZE  # the lattice of these files
    SIZE, mine = (4, 4, 4, 4), SIZE
    try:
        gauge = os.path.join(FILES, "headerless.ildg")
        ours = [solved(f"b{i}.h5", os.path.join(FILES, f"vectors-{code}.lime"), gauge=gauge)
                for i, code in enumerate(("qio", "grid"))]
        same(*ours)
        solved("b2.h5", os.path.join(FILES, "propagator-chroma-staggered.lime"), gauge=gauge)
    finally:
        SIZE = mine
    for name in ("fat.l8", "long.l8", "fat.hisq.l8888", "long.hisq.l8888"):
        refused(["gauge", "check", os.path.join(REFERENCE, name)], f"as {name[:name.index('.')]} links are")
        assert name[:name.index(".")] + " links of another code" in naik("info", os.path.join(REFERENCE, name))
    return None


main([links_that_are_no_su3_configuration_are_named,
      projections_that_are_not_unique_are_refused,
      configurations_are_read_however_they_are_wrapped,
      extents_that_a_file_does_not_tell_are_given,
      links_of_other_colours_are_named,
      every_reader_tells_what_is_around_a_file,
      fat_and_long_links_must_be_what_they_are_given_as,
      nersc_archives_without_checksum_tell_their_byte_order,
      links_in_another_order_have_a_small_plaquette,
      a_header_that_says_two_things_is_refused,
      signs_in_archives_of_two_rows_are_named,
      archives_are_read_however_their_header_is_written,
      zeros_behind_the_end_are_no_damage,
      vectors_and_propagators_of_every_code_are_the_same_sources,
      vectors_go_to_the_columns_that_their_records_tell,
      files_of_another_hand_have_their_right_answers])
