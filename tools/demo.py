"""Prints the pion correlator and effective mass of a propagator file, and plots the mass.

usage: demo.py PROP.h5 PION.png
"""

import sys

import h5py
import numpy as np


def effective_mass(c):
    """acosh((C(t-1) + C(t+1)) / 2 C(t)) of the average of C(t) and C(T-t).

    Exact for a single cosh; NaN where the noise of this one configuration forbids it.
    """
    c = (c + np.roll(c[::-1], 1)) / 2
    with np.errstate(invalid="ignore"):
        ratio = (np.roll(c, 1) + np.roll(c, -1)) / (2 * c)
        return np.arccosh(np.where(ratio >= 1, ratio, np.nan))


def main(path, picture):
    pions = {}
    with h5py.File(path) as f:
        for name in sorted(f["/prop/s0000"]):
            if not name.startswith("m"):
                continue
            mass = float(f["/prop/s0000/" + name].attrs["mass"])
            pions[mass] = f[f"/corr/pt/{name}/pion5/p000"][...]
            # The same from the propagator itself: [source colour][t][z][y][x][sink colour]
            propagator = f["/prop/s0000/" + name][...]
            again = (np.abs(propagator) ** 2).sum(axis=(0, 2, 3, 4, 5))
            assert np.allclose(again, pions[mass], rtol=1e-12), "correlator and propagator disagree"

    print("   t" + "".join(f"   C(t), am = {m:<6g} am_pi(t)" for m in pions))
    masses = {m: effective_mass(c) for m, c in pions.items()}
    extent = len(next(iter(pions.values())))
    for t in range(extent // 2 + 1):
        row = "".join(f"   {pions[m][t]:.10e} {masses[m][t]:9.5f}" for m in pions)
        print(f"{t:4d}" + row.replace("nan", "  -"))

    try:
        import matplotlib
    except ImportError:
        print("no matplotlib: no plot")
        return
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    for m, c in pions.items():
        left.semilogy(range(extent), c, "o-", ms=4, label=f"$am$ = {m:g}")
        right.plot(range(1, extent // 2), masses[m][1 : extent // 2], "o-", ms=4, label=f"$am$ = {m:g}")
    left.set(xlabel="$t/a$", ylabel="$C(t)$", title="Goldstone pion, point source")
    right.set(xlabel="$t/a$", ylabel=r"$am_\pi^{\rm eff}(t)$", title="effective mass")
    right.set_ylim(bottom=0)
    right.legend()
    figure.savefig(picture, dpi=120)
    print(f"plot: {picture}")


if __name__ == "__main__":
    main(*sys.argv[1:])
