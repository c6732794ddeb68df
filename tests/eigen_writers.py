"""Eigenvectors as MILC, QUDA and Hadrons write them, by numpy alone and from what these codes' sources say.

Vectors are [T][Z][Y][X][3] complex on all sites, 0 on the odd ones unless something else is said.
"""
import numpy as np

from gauge_writers import big_endian, checksum_record, record, rotate
import struct
import zlib

XML = '<?xml version="1.0" encoding="UTF-8"?>'


def head(size, title, volfmt=0, lists=b""):
    dims = " ".join(map(str, size))
    return (record("scidac-private-file-xml", f"{XML}<scidacFile><version>1.1</version><spacetime>4</spacetime><dims>{dims} "
                                              f"</dims><volfmt>{volfmt}</volfmt></scidacFile>", 0x8000)
            + lists + record("scidac-file-xml", title, 0x4000))


def private(datatype, bits, datacount=1, kind="<recordtype>0</recordtype>"):
    return record("scidac-private-record-xml", f"{XML}<scidacRecord><version>1.1</version><date>today</date>{kind}"
                  f"<datatype>{datatype}</datatype><precision>{'D' if bits == 64 else 'F'}</precision><colors>3</colors>"
                  f"<typesize>{bits * 6 // 8}</typesize><datacount>{datacount}</datacount></scidacRecord>", 0x8000)


def milc_title(count, packed=False):
    return (f"{XML}<info><title>KS eigenvalues and vectors</title><Nvecs>{count}</Nvecs>"
            + ("<format>Packed</format>" if packed else "") + "</info>")


def milc_text(value, residual=1e-7):
    return record("scidac-record-xml", f"{XML}<info><eigVal>{value:.18e}</eigVal><resid>{residual:e}</resid></info>", 0)


def size_of(v):
    return v.shape[3::-1]


def packed(v):
    """Even sites with t >= T/2 lie at x - 1, t - T/2."""
    half = v.shape[0] // 2
    t, z, y, x = np.indices((half,) + v.shape[1:4])
    odd = ((t + z + y + x) % 2 == 1)[..., None]
    return np.where(odd, np.roll(v[half:], -1, axis=3), v[:half])


def milc(vectors, values, bits=64, pack=False):
    """A single file of MILC: one record a vector."""
    size = size_of(vectors[0])
    out = head(size, milc_title(len(vectors), pack))
    for v, value in zip(vectors, values):
        x, y, z, t = size
        kind = (f"<recordtype>2</recordtype><spacetime>4</spacetime><hyperlower>0 0 0 0 </hyperlower><hyperupper>{x - 1} "
                f"{y - 1} {z - 1} {t // 2 - 1} </hyperupper>" if pack else "<recordtype>0</recordtype>")
        data = big_endian(packed(v) if pack else v, bits)
        out += (private(f"USQCD_{'D' if bits == 64 else 'F'}3_ColorVector", bits, 1, kind) + milc_text(value)
                + record("scidac-binary-data", data, 0) + checksum_record(data, int(np.prod(size)) // (2 if pack else 1)))
    return out


def quda_text(subset, parity):
    return record("scidac-record-xml", f"{XML}<qudaStaggeredColorSpinorField><version>BETA</version><type>QUDA_DNs1Nc3_"
                  f"ColorSpinorField</type><info><subset>{subset}</subset><parity>{parity}</parity><nColor>3</nColor>"
                  "<nSpin>1</nSpin></info></qudaStaggeredColorSpinorField>", 0)


def quda(vectors, bits=64, parity=None, told="even"):
    """QUDA's: all vectors in one record; parity: half the sites alone."""
    v = np.stack(vectors, axis=4)  # [T][Z][Y][X][count][3]
    size = list(size_of(vectors[0]))
    if parity is not None:
        v = of_parity(v, parity)
        size[0] //= 2
        told = ("even", "odd")[parity]
    data = big_endian(v, bits)
    return (head(size, "Dummy user file XML")
            + private(f"QUDA_{'D' if bits == 64 else 'F'}Ns1Nc3_ColorSpinorField", bits, len(vectors))
            + quda_text("full" if parity is None else "parity", told) + record("scidac-binary-data", data, 0)
            + checksum_record(data, int(np.prod(size))))


def of_parity(v, parity):
    """[T][Z][Y][X/2][...]: the sites of one parity."""
    t, z, y, x = np.indices(v.shape[:3] + (v.shape[3] // 2,))
    return v[t, z, y, 2 * x + (t + z + y + parity) % 2]


def part_files(vectors, values, grid_t, bits=64, quda_style=False):
    """QIO's volume of one file for each of grid_t parts of the time slices, of which parts 1 and 2 are exchanged within a
    slice of t so that lists are not consecutive; only part 0 has a number that belongs to no site: {ending: bytes}."""
    size = size_of(vectors[0])
    shape = vectors[0].shape[:4]
    number = np.arange(int(np.prod(size))).reshape(shape)
    owner = (number // size[0] + np.indices(shape)[0]) % grid_t  # rows of x deal themselves out
    arrays = [np.stack(vectors, axis=4)] if quda_style else [v[..., None, :] for v in vectors]
    out = {}
    for part in range(grid_t):
        sites = np.sort(number[owner == part])
        sitelist = record("scidac-sitelist", b"".join(struct.pack(">I", s) for s in sites), 0 if part == 0 else 0xc000)
        title = "Dummy user file XML" if quda_style else milc_title(len(vectors))
        number_alone = private("a number", 64, kind="<recordtype>1</recordtype>") + record("scidac-binary-data", bytes(48), 0) + checksum_record(bytes(48), 1)
        text = head(size, title, 2, sitelist) + number_alone if part == 0 else sitelist
        for i, a in enumerate(arrays):
            flat = a.reshape((-1,) + a.shape[4:])
            data = record("scidac-binary-data", big_endian(flat[sites], bits), 0)
            if part > 0:
                text += data
                continue
            about = quda_text("full", "even") if quda_style else milc_text(values[i])
            text += (private("anything", bits, a.shape[4]) + about + data
                     + checksum_record(big_endian(flat, bits), int(np.prod(size))))
        out[f".vol{2 * part:04d}"] = text
    return out


def grid_vector(v, index, value, bits, parity):
    """One vector of Hadrons, of one parity, with Grid's checksum: numbers of sites count half of x with all of it."""
    size = size_of(v)
    half = of_parity(v, parity)
    data = big_endian(half, bits)
    each, sums = 6 * bits // 8, [0, 0]
    for k, (t, z, y, x) in enumerate(np.ndindex(half.shape[:4])):
        site = x + size[0] * (y + size[1] * (z + size[2] * t))
        crc = zlib.crc32(data[k * each:(k + 1) * each])
        sums = [sums[0] ^ rotate(crc, site % 29), sums[1] ^ rotate(crc, site % 31)]
    dims = "".join(f"<elem>{n}</elem>\n" for n in size)
    letter = "D" if bits == 64 else "F"
    return (record("grid-format", f'<?xml version="1.0"?>\n<FieldMetaData>\n<nd>4</nd>\n<dimension>\n{dims}</dimension>\n'
                                  "<boundary><elem>PERIODIC</elem></boundary></FieldMetaData>\n", 0x8000)
            + record("scidac-record-xml", f'<?xml version="1.0"?>\n<VecRecord>\n<index>{index}</index>\n<eval>{value:.15e}'
                                          "</eval>\n</VecRecord>\n", 0)
            + record("scidac-private-record-xml", '<?xml version="1.0"?>\n<scidacRecord>\n<version>1</version>\n<date>today</date>\n'
                     f"<recordtype>0</recordtype>\n<datatype>GRID_{letter}_ColourVector3</datatype>\n<precision>{letter}"
                     f"</precision>\n<colors>3</colors>\n<spins>1</spins>\n<typesize>{each}</typesize>\n<datacount>1"
                     "</datacount>\n</scidacRecord>\n", 0)
            + record("ildg-binary-data", data, 0)
            + record("FieldNormMetaData", '<?xml version="1.0"?>\n<FieldNormMetaData><norm2>1</norm2></FieldNormMetaData>', 0)
            + record("scidac-checksum", f'<?xml version="1.0"?>\n<scidacChecksum><version>1</version><suma>{sums[0]:x}</suma>'
                                        f"<sumb>{sums[1]:x}</sumb></scidacChecksum>", 0x4000))


PACK = record("scidac-file-xml", '<?xml version="1.0"?>\n<eigenPackPar>\n<action>staggered</action>\n<solver/>\n</eigenPackPar>\n')


def hadrons(vectors, values, bits=64, parity=1, indices=None):
    return PACK + b"".join(grid_vector(v, i if indices is None else indices[i], values[i], bits, parity)
                           for i, v in enumerate(vectors))
