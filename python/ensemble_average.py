"""Average of a correlator and its effective mass over configurations, with jackknife errors:

    ensemble_average.py SET MASS prop.1000.h5 prop.1006.h5 ...    SET by name, MASS counted from 0
"""
import numpy as np

import naik_io

name, mass, *paths = naik_io.arguments(__doc__, 4)
samples = []
for path in paths:
    with naik_io.open(path) as f:
        t0 = [s.origin[3] for s in f.sources if s.set == name]
        # the sources of a configuration are averaged first, each from its own time slice
        samples.append(np.mean([np.roll(f.correlator(name, int(mass), n), -t0[n])
                                for n in range(max(len(t0), 1))], axis=0))
c, c_error = naik_io.jackknife(samples)
m, m_error = naik_io.jackknife(samples, naik_io.effective_mass)
for t in range(len(c)):
    print(f"{t:3d} {c[t]:.9e} {c_error[t]:.2e} {m[t]:.6f} {m_error[t]:.6f}")
