"""Average of a correlator and its effective mass over configurations, with jackknife errors:

    ensemble_average.py NAME MASS [--correlator rhox] [--momentum 1,0,0] prop.1000.h5 prop.1006.h5 ...
    ensemble_average.py NAME MASSES --correlator GX-G1 --sink-time 8 [--sink-momentum 1,0,0] ...
    ensemble_average.py AVERAGE MASS [--quantity correction] ...

NAME names an entry of solve, a pair, a baryon, a three-point function, or one of the input's averages.
MASS is the value of the mass, as 0.05, or of quarks with spin their kappa, as kappa=0.124. Several quarks have several
masses, as 0.05,0.5 or kappa=0.124,0.12; a three-point function has those of parent, spectator and daughter.

    --correlator   which correlator; without it, the pion
    --momentum     which momentum; without it, zero
    --quantity     of an average: "low modes", "rest", "sloppy mean" or "correction"; without --quantity, the mean

Each line of the output has t, the mean, its error, the effective mass at t, and its error; the first line, a comment
that numpy's loadtxt and gnuplot leave out, says so.

The script shifts every correlator to begin at its source, averages the sources of each configuration, and takes the
real part. It verifies the files by their checksums. It refuses two files of one configuration, and files that differ
in masses, action, extents, boundary, kind of source or sink, or in how their sources lie beside each other.
"""
import naik_io

OPTIONS = ("--correlator", "--momentum", "--quantity", "--sink-time", "--sink-momentum")
name, mass, *words = naik_io.arguments(__doc__, 4)
given, paths = {}, []
while words:
    word = words.pop(0)
    if word in OPTIONS and words:
        given[word] = words.pop(0)
    elif word.startswith("--"):
        raise ValueError(f"{word} is no option with a value: there are {', '.join(OPTIONS[:-1])} and {OPTIONS[-1]}")
    else:
        paths.append(word)
try:
    member = "kappas" if mass.startswith("kappa=") else "masses"
    quarks = {member: [float(one) for one in mass.removeprefix("kappa=").split(",")]}
    momentum, sink = (tuple(int(k) for k in given.get(option, "0,0,0").split(",")) for option in ("--momentum", "--sink-momentum"))
    time = int(given["--sink-time"]) if "--sink-time" in given else None
except ValueError:
    raise ValueError(f"MASS is the value of a mass, as 0.05, or kappa=0.124, a momentum is three integers, as 1,0,0, and a sink time one, not '{mass}' and "
                     f"{', '.join(repr(v) for k, v in given.items() if k != '--correlator') or 'nothing'}") from None
quantity = given.get("--quantity")
if quantity is not None and "error" in quantity:
    raise ValueError(f"a {quantity} is of one configuration: the error over configurations stands beside every mean")
samples, first, seen = [], None, {}
for path in paths:
    with naik_io.open(path) as f:
        naik_io.verify(f)
        stored = {c.quantity for c in f.correlators if c.name == name}
        default = "mean" if "mean" in stored and "correlator" not in stored else "correlator"
        found = f.find(name, given.get("--correlator"), momentum=momentum, sink_time=time, sink_momentum=sink, quantity=quantity or default, **quarks)
        physics = f.physics_of(found)
        first = first or physics
        for key in {**first, **physics}:
            if first.get(key) != physics.get(key):
                raise ValueError(f"{path} and {paths[0]} differ in {key}: {physics.get(key)} and {first.get(key)}")
        for other, configuration in seen.items():
            if naik_io.same_links(configuration, f.configuration):
                raise ValueError(f"{path} and {other} are of one configuration, which counts once")
        seen[path] = f.configuration
        samples.append(f.mean(found).real)
effective = naik_io.falling_mass if naik_io.is_baryon(first["correlator"]) else naik_io.effective_mass
c, c_error = naik_io.jackknife(samples)
m, m_error = naik_io.jackknife(samples, effective)
print("#   t mean error effective_mass error")
for t in range(len(c)):
    print(f"{t:3d} {c[t]:.9e} {c_error[t]:.2e} {m[t]:.6f} {m_error[t]:.6f}")
