"""The pseudoscalar of two quarks of different mass, from stored propagators of one source:

    contraction.py prop.h5 SOURCE MASS MASS          numbers, counted from 0

    C(t) = sum_x sum_{c,c'} G_1(x)_{c'c} conj(G_2(x)_{c'c})

The script reads one time slice of one source colour at a time. For Wilson and clover quarks it also sums over spins.
"""
import numpy as np

import naik_io

path, *numbers = naik_io.arguments(__doc__, 4)
with naik_io.open(path) as f:
    source, one, two = (int(word) for word in numbers)
    g1, g2 = f.propagator(source, one), f.propagator(source, two)
    columns = list(np.ndindex(g1.shape[:-4]))  # in front of t, z, y, x
    print("#   t real imaginary")
    for t in range(f.size[3]):
        c = sum((g1[(*column, t)] * g2[(*column, t)].conj()).sum() for column in columns)
        print(f"{t:3d} {c.real:.15e} {c.imag:.15e}")
