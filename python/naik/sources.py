"""The sources of `naik solve` (doc/input.md, solve[].source) as arrays [columns][t][z][y][x][3], or [...][4][3] with spin."""

from . import errors


class Sources:
    """session.sources makes one source at a time, as a complex128 array [columns] + session.shape of numpy: 3 columns for
    staggered quarks, one for each colour, or 12 columns for quarks with spin, with the number 3 spin + colour.

    Lengths and places are in lattice units, momenta in units of 2 pi / L. `keys` are the further keys of a source in an
    input file, such as momentum=[1, 0, 0] or subset="even". All ranks make every call together. What cannot be made
    raises naik.InputError.
    """

    def __init__(self, session):
        self._session = session

    def make(self, **keys):
        """Any source by the keys of an input file: make(type="gaussian", origin=[0, 0, 0, 0], radius=2)."""
        return self._session._source(keys)

    def point(self, *origin, **keys):
        """1 at the place x, y, z, t: point(0, 0, 0, 4), point((0, 0, 0, 4)) or point(origin=(0, 0, 0, 4))."""
        return self.make(type="point", **_place(origin, keys))

    def gaussian(self, *origin, radius, **keys):
        """exp(-r^2/radius^2) around the place x, y, z, t, on its time slice. This source contains no links, so that the
        configuration should be in Coulomb gauge."""
        return self.make(type="gaussian", radius=radius, **_place(origin, keys))

    def smeared(self, *origin, radius, iterations, **keys):
        """A point at x, y, z, t, smeared with the links in so many iterations: the type covariant_gaussian."""
        return self.make(type="covariant_gaussian", radius=radius, iterations=iterations, **_place(origin, keys))

    def wall(self, t0, kind="evenandodd", **keys):
        """A wall on time slice t0: kind is "corner", "even", "evenandodd" or "evenminusodd". The
        configuration should be in Coulomb gauge."""
        return self.make(type=f"{kind}_wall", t0=t0, **keys)

    def noise(self, seed, t0=None, noise="z2", **keys):
        """Random numbers on time slice t0, or on the whole lattice without t0: noise is "z2", "z3", "z4", "u1" or
        "gaussian". seed is an integer from 0 to 2^64 - 1; the same seed makes the same numbers on any number of ranks."""
        place = {} if t0 is None else {"t0": t0}
        return self.make(type="random_volume" if t0 is None else "random_wall", seed=seed, noise=noise, **place, **keys)


def _place(origin, keys):
    """The keys with the place, which a caller may give as four numbers, as one list or by its name."""
    if not origin:
        return keys
    if "origin" in keys:
        raise errors.InputError("the place of the source is given twice: leave one of the two out")
    return {"origin": origin[0] if len(origin) == 1 else origin, **keys}
