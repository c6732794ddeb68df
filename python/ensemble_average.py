"""Average of a correlator and its effective mass over configurations, with jackknife errors:

    ensemble_average.py SET MASS prop.1000.h5 prop.1006.h5 ...
"""
import sys

import numpy as np

import naik_io

samples = []
for path in sys.argv[3:]:
    with naik_io.open(path) as f:
        count = sum(s.set == sys.argv[1] for s in f.sources)
        t0 = [s.origin[3] for s in f.sources if s.set == sys.argv[1]]
        # the sources of a configuration are averaged first, each from its own time slice
        samples.append(np.mean([np.roll(f.correlator(sys.argv[1], int(sys.argv[2]), n), -t0[n])
                                for n in range(count)], axis=0))
c, c_error = naik_io.jackknife(samples)
m, m_error = naik_io.jackknife(samples, naik_io.effective_mass)
for t in range(len(c)):
    print(f"{t:3d} {c[t]:.9e} {c_error[t]:.2e} {m[t]:.6f} {m_error[t]:.6f}")
