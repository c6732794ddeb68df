"""Configurations in formats that naik reads and does not write, by numpy alone.

Links u are [T][Z][Y][X][4][3][3] complex128; nothing here shares code with naik.
"""
import struct

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


def openqcd_bytes(u):
    t, z, y, x = u.shape[:4]
    out = [struct.pack("<4id", t, x, y, z, plaquette(u))]
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
