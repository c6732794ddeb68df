"""The pseudoscalar of two quarks of different mass, from stored propagators of one source:

    contraction.py prop.h5 SOURCE MASS MASS

    C(t) = sum_x sum_{c,c'} G_1(x)_{c'c} conj(G_2(x)_{c'c})

Reads one time slice of one source colour at a time.
"""
import sys

import naik_io

with naik_io.open(sys.argv[1]) as f:
    source, one, two = (int(word) for word in sys.argv[2:5])
    g1, g2 = f.propagator(source, one), f.propagator(source, two)
    for t in range(f.size[3]):
        c = sum((g1[colour, t] * g2[colour, t].conj()).sum() for colour in range(3))
        print(f"{t:3d} {c.real:.15e} {c.imag:.15e}")
