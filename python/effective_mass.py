"""Effective masses of every pion correlator in a file:   effective_mass.py prop.h5

The file is verified by its checksums; lines name the quark's mass.
"""
import naik_io

with naik_io.open(naik_io.arguments(__doc__, 1)[0]) as f:
    naik_io.verify(f)
    for s in f.sources:
        for number in range(s.masses):
            c = f.correlator(s.set, number, s.number)
            for t, m in enumerate(naik_io.effective_mass(c)):
                print(f"{s.label} mass {f.mass(s.index, number)} t {t:3d} C {c[t]:.9e} m_eff {m:.6f}")
