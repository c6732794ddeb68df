"""Configurations, vectors and propagators as other codes write them, by numpy alone.

Links u are [T][Z][Y][X][4][3][3] complex128; nothing here shares code with naik.
"""
import struct
import zlib

import numpy as np

AXIS = (3, 2, 1, 0)  # of direction mu in [T][Z][Y][X]


def plaquette(u):
    """Average of Re Tr P; 3 for unit links."""
    total = 0.0
    for m in range(4):
        for n in range(m):
            p = (u[..., m, :, :] @ np.roll(u[..., n, :, :], -1, AXIS[m])
                 @ np.conj(np.swapaxes(np.roll(u[..., m, :, :], -1, AXIS[n]), -1, -2))
                 @ np.conj(np.swapaxes(u[..., n, :, :], -1, -2)))
            total += np.trace(p, axis1=-2, axis2=-1).real.mean()
    return total / 6


def plaquette_of_fixed_end(u):
    """The same with unit links beyond the last time slice, which openQCD counts as well."""
    more = 9.0 * u[-1, ..., 0, 0, 0].size
    for k in range(3):
        up, side = u[-1, ..., 3, :, :], np.conj(np.roll(u[-1, ..., 3, :, :], -1, AXIS[k] - 1).swapaxes(-1, -2))
        for end, sign in ((np.eye(3), 1), (u[0, ..., k, :, :], -1)):
            p = up @ end @ side @ np.conj(u[-1, ..., k, :, :].swapaxes(-1, -2))
            more += sign * np.trace(p, axis1=-2, axis2=-1).real.sum()
    return plaquette(u) + more / (6 * u[..., 0, 0, 0].size / 4)


def openqcd_bytes(u, average=plaquette):
    t, z, y, x = u.shape[:4]
    out = [struct.pack("<4id", t, x, y, z, average(u))]
    behind = [np.roll(u[..., mu, :, :], 1, AXIS[mu]) for mu in range(4)]
    for it, ix, iy, iz in np.ndindex(t, x, y, z):
        if (it + ix + iy + iz) % 2 == 1:
            for mu in (3, 0, 1, 2):
                out.append(u[it, iz, iy, ix, mu].astype("<c16").tobytes())
                out.append(behind[mu][it, iz, iy, ix].astype("<c16").tobytes())
    return b"".join(out)


def as_pairs(u, names, number):
    out = np.zeros(u.shape, dtype=[(names[0], number), (names[1], number)])
    out[names[0]], out[names[1]] = u.real, u.imag
    return out


def random_links(size, seed, colours=3):
    """SU(N) links on size x, y, z, t."""
    draw = np.random.default_rng(seed)
    shape = tuple(size[::-1]) + (4, colours, colours)
    q, r = np.linalg.qr(draw.normal(size=shape) + 1j * draw.normal(size=shape))
    phase = np.diagonal(r, axis1=-2, axis2=-1)
    q = q * (phase / np.abs(phase))[..., None, :]
    return q / (np.linalg.det(q) ** (1 / colours))[..., None, None]


def staggered_signs(size, boundary=False):
    """[T][Z][Y][X][4] signs that MILC puts on its links."""
    t, z, y, x = np.meshgrid(*[np.arange(n) for n in size[::-1]], indexing="ij")
    signs = np.stack([(-1.0) ** t, (-1.0) ** (t + x), (-1.0) ** (t + x + y), np.ones(t.shape)], axis=-1)
    if boundary:
        signs[-1, ..., 3] *= -1
    return signs


def record(kind, data, flags=0xc000):
    """A LIME record."""
    data = data.encode() if isinstance(data, str) else data
    return (struct.pack(">IHHQ", 0x456789ab, 1, flags, len(data)) + kind.encode().ljust(128, b"\0")
            + data + bytes(-len(data) % 8))


def rotate(word, by):
    return ((word << by) | (word >> (32 - by))) & 0xffffffff if by else word


def scidac_sums(data, sites):
    """suma and sumb of the bytes of so many sites."""
    each, sums = len(data) // sites, [0, 0]
    for site in range(sites):
        crc = zlib.crc32(data[site * each:(site + 1) * each])
        sums = [sums[0] ^ rotate(crc, site % 29), sums[1] ^ rotate(crc, site % 31)]
    return sums


def checksum_record(data, sites):
    sums = scidac_sums(data, sites)
    return record("scidac-checksum", f"<scidacChecksum><version>1.0</version><suma>{sums[0]:x}</suma>"
                                     f"<sumb>{sums[1]:x}</sumb></scidacChecksum>", 0x4000)


def ildg_format(size, bits, field="su3gauge"):
    x, y, z, t = size
    return (f'<?xml version="1.0" encoding="UTF-8"?><ildgFormat xmlns="http://www.lqcd.org/ildg"><version>1.0'
            f"</version><field>{field}</field><precision>{bits}</precision><lx>{x}</lx><ly>{y}</ly><lz>{z}</lz>"
            f"<lt>{t}</lt></ildgFormat>")


def big_endian(u, bits):
    return u.astype(">c16" if bits == 64 else ">c8").tobytes()


def ildg_bytes(u, bits=64, field="su3gauge", text=None, checksum="after", order=">"):
    """An ILDG file; text: another ildg-format record; checksum: after or before the data, or none; order of the bytes."""
    size = u.shape[3::-1]
    data = u.astype(f"{order}c{bits // 4}").tobytes()
    total = checksum_record(data, int(np.prod(size)))
    out = record("ildg-format", text if text is not None else ildg_format(size, bits, field))
    out += total if checksum == "before" else b""
    return out + record("ildg-binary-data", data) + (total if checksum == "after" else b"")


def file_record(size, volfmt=0):
    """What QIO and Grid begin a file with."""
    dims = " ".join(map(str, size))
    return (record("scidac-private-file-xml", f"<?xml version=\"1.0\"?><scidacFile><version>1.1</version><spacetime>4"
                                              f"</spacetime><dims>{dims} </dims><volfmt>{volfmt}</volfmt></scidacFile>", 0x8000)
            + record("scidac-file-xml", "<?xml version=\"1.0\"?><title>by hand</title>", 0x4000))


def field_records(v, size, datatype, bits=64, count=1, spins=None, name="scidac-binary-data", user="<info/>",
                  checksum=True, colours=3):
    """One field with its descriptions: v [T][Z][Y][X][...] complex; count: elements a site."""
    sites = int(np.prod(size))
    data = big_endian(v, bits)
    private = (f"<?xml version=\"1.0\"?><scidacRecord><version>1.1</version><date>today</date><recordtype>0</recordtype>"
               f"<datatype>{datatype}</datatype><precision>{'D' if bits == 64 else 'F'}</precision><colors>{colours}</colors>"
               + (f"<spins>{spins}</spins>" if spins is not None else "")
               + f"<typesize>{len(data) // sites // count}</typesize><datacount>{count}</datacount></scidacRecord>")
    return (record("scidac-private-record-xml", private, 0x8000) + record("scidac-record-xml", user, 0)
            + record(name, data, 0) + (checksum_record(data, sites) if checksum else b""))


def links_in_parts(u, count, bits=64):
    """QIO's volume of links, whose rows of x deal themselves out to so many files: {ending: bytes}."""
    size, flat = u.shape[3::-1], u.reshape((-1,) + u.shape[4:])
    whole = field_records(u, size, "anything", bits, 4)
    number = np.arange(len(flat))
    owner = (number // size[0] + number % size[0]) % count
    out = {}
    for part in range(count):
        sites = number[owner == part]
        here = record("scidac-sitelist", sites.astype(">u4").tobytes())
        data = record("scidac-binary-data", big_endian(flat[sites], bits), 0)
        about = whole.replace(record("scidac-binary-data", big_endian(u, bits), 0), data)
        out[f".vol{part:04d}"] = here + data if part > 0 else file_record(size, 2) + here + about
    return out


# tmLQCD: t, x, y, z as its manual has them, and DeGrand and Rossi's x, y, z, t.
TMLQCD = np.array([[[0, 0, -1, 0], [0, 0, 0, -1], [-1, 0, 0, 0], [0, -1, 0, 0]],
                   [[0, 0, 0, -1j], [0, 0, -1j, 0], [0, 1j, 0, 0], [1j, 0, 0, 0]],
                   [[0, 0, 0, -1], [0, 0, 1, 0], [0, 1, 0, 0], [-1, 0, 0, 0]],
                   [[0, 0, -1j, 0], [0, 0, 0, 1j], [1j, 0, 0, 0], [0, -1j, 0, 0]]])[[1, 2, 3, 0]]
DEGRAND_ROSSI = np.array([[[0, 0, 0, 1j], [0, 0, 1j, 0], [0, -1j, 0, 0], [-1j, 0, 0, 0]],
                          [[0, 0, 0, -1], [0, 0, 1, 0], [0, 1, 0, 0], [-1, 0, 0, 0]],
                          [[0, 0, 1j, 0], [0, 0, 0, -1j], [-1j, 0, 0, 0], [0, 1j, 0, 0]],
                          [[0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0]]])


def to_tmlqcd():
    """S with S gamma = gamma' S, of DeGrand and Rossi and of tmLQCD: a sum over all products of the matrices."""
    total = np.zeros((4, 4), complex)
    start = np.arange(1, 17).reshape(4, 4) ** 2
    for which in np.ndindex(2, 2, 2, 2):
        a = b = np.eye(4)
        for mu in range(4):
            if which[mu]:
                a, b = a @ TMLQCD[mu], b @ DEGRAND_ROSSI[mu]
        total += a @ start @ np.linalg.inv(b)
    return total / total.ravel()[np.abs(total).argmax()]


def tmlqcd_columns(g, bits=64, flavours=1):
    """The records of each column of g [T][Z][Y][X][sink spin][source spin][sink colour][source colour] of DeGrand and Rossi."""
    s = to_tmlqcd()
    x, y, z, t = size = g.shape[3::-1]
    g = np.einsum("ab,tzyxbcij,cd->tzyxadij", s, g, np.conj(s.T))
    text = (f'<?xml version="1.0" encoding="UTF-8"?>\n<etmcFormat>\n  <field>diracFermion</field>\n  <precision>{bits}</precision>\n'
            f"  <flavours>{flavours}</flavours>\n  <lx>{x}</lx>\n  <ly>{y}</ly>\n  <lz>{z}</lz>\n  <lt>{t}</lt>\n</etmcFormat>")
    out = []
    for k in range(12):
        data = big_endian(g[..., :, k // 3, :, k % 3], bits)
        out.append(record("etmc-propagator-format", text, 0x4000) + record("scidac-binary-data", data, 0x8000)
                   + checksum_record(data, int(np.prod(size))))
    return out


TMLQCD_HEAD = record("propagator-type", "DiracFermion_Sink") + record("inverter-info", "solver = CG\nresult = 1e-21", 0x8000)


def tmlqcd_residual(columns, u, mass, theta, at):
    """|src - D x| of the columns of a tmLQCD file, with src 1 at a site x, y, z, t, by tmLQCD's own operator on the links."""
    shape = u.shape[:4] + (4, 3)
    data = [np.frombuffer(c[c.index(b"scidac-binary-data") + 128:], ">c16", np.prod(shape)).reshape(shape) for c in columns]
    v = np.moveaxis(np.array(data), 0, -1)
    m = (4 + mass) * v
    for mu in range(4):
        turned = np.exp(1j * np.pi * theta / shape[0]) if mu == 3 else 1
        ahead = turned * np.einsum("tzyxij,tzyxsjk->tzyxsik", u[..., mu, :, :], np.roll(v, -1, AXIS[mu]))
        behind = np.roll(np.einsum("tzyxji,tzyxsjk->tzyxsik", np.conj(u[..., mu, :, :]), v) / turned, 1, AXIS[mu])
        m -= np.einsum("rs,tzyxsik->tzyxrik", (np.eye(4) - TMLQCD[mu]) / 2, ahead)
        m -= np.einsum("rs,tzyxsik->tzyxrik", (np.eye(4) + TMLQCD[mu]) / 2, behind)
    for k in range(12):
        m[at[::-1] + (k // 3, k % 3, k)] -= 1
    return np.linalg.norm(m)
