"""Effective masses of every correlator in a file:   effective_mass.py prop.h5 [WORD ...]

The script prints the effective masses of solves, pairs, baryons and averages, at every momentum. Each WORD chooses the
correlators with this word in their path: pt, hl/, average, rhox/p100. Time begins at the source of a correlator. A
meson is taken as periodic in t: arccosh((C(t-1) + C(t+1)) / 2C(t)); a baryon is not: log(C(t) / C(t+1)). The script
verifies the file by its checksums.
"""
import naik_io

path, *words = naik_io.arguments(__doc__, 1)
with naik_io.open(path) as f:
    naik_io.verify(f)
    chosen = [c for c in f.correlators if "error" not in c.quantity and c.quantity not in ("correction", "rest") and not c.quantity.startswith("loop") and c.correlator != "condensate"
              and all(word in c.path for word in words)]
    if not chosen:
        raise LookupError(f"{path} has no correlator with {' and '.join(words)} in its path" if words else f"{path} stores no correlators")
    for one in chosen:
        c = f.from_source(one).real
        masses = naik_io.falling_mass(c) if naik_io.is_baryon(one.correlator) else naik_io.effective_mass(c)
        kappas = ",".join(str(q.kappa) for q in one.quarks)
        quarks = (f"kappa {kappas} " if f.has_spin else "") + f"mass {','.join(str(q.mass) for q in one.quarks)}"
        label = one.path.removeprefix("/corr/")
        for t, m in enumerate(masses):
            print(f"{label} {quarks} t {t:3d} C {c[t]:.9e} m_eff {m:.6f}")
