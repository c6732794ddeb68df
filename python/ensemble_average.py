"""Average of a correlator and its effective mass over configurations, with jackknife errors:

    ensemble_average.py SET MASS prop.1000.h5 prop.1006.h5 ...    SET by name, MASS by value, as 0.05

The files are verified by their checksums. They must agree in mass, action, extents, boundary and
kind of source, and be of different configurations.
"""
import numpy as np

import naik_io

name, mass, *paths = naik_io.arguments(__doc__, 4)
try:
    mass = float(mass)
except ValueError:
    raise ValueError(f"MASS is the value of a mass, as 0.05, not '{mass}'") from None
samples, first, seen = [], None, {}
for path in paths:
    with naik_io.open(path) as f:
        naik_io.verify(f)
        number = f.mass_number(name, mass)
        physics = f.physics(name, number)
        first = first or physics
        for key in {**first, **physics}:
            if first.get(key) != physics.get(key):
                raise ValueError(f"{path} and {paths[0]} differ in {key}: {physics.get(key)} and {first.get(key)}")
        if f.configuration in seen:
            raise ValueError(f"{path} and {seen[f.configuration]} are of one configuration, which counts once")
        seen[f.configuration] = path
        # the sources of a configuration are averaged first, each from its own time slice
        samples.append(np.mean([np.roll(f.correlator(name, number, s.number), -s.origin[3])
                                for s in f.sources if s.set == name], axis=0))
c, c_error = naik_io.jackknife(samples)
m, m_error = naik_io.jackknife(samples, naik_io.effective_mass)
for t in range(len(c)):
    print(f"{t:3d} {c[t]:.9e} {c_error[t]:.2e} {m[t]:.6f} {m_error[t]:.6f}")
