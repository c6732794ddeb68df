"""The sources of `naik solve` (doc/input.md, solve[].source) as arrays [columns][t][z][y][x][3], or [...][4][3] with spin."""


class Sources:
    """session.sources makes one source at a time: 3 columns, one for each colour, or 12 columns for quarks with spin,
    with the number 3 spin + colour."""

    def __init__(self, session):
        self._session = session

    def make(self, **keys):
        """Any source by the keys of an input file: make(type="gaussian", origin=[0, 0, 0, 0], radius=2)."""
        return self._session._source(keys)

    def point(self, *origin, **keys):
        """1 at the origin x, y, z, t."""
        return self.make(type="point", origin=_place(origin), **keys)

    def gaussian(self, *origin, radius, **keys):
        """exp(-r^2/radius^2) around the origin. It contains no links, so that they should be in Coulomb gauge."""
        return self.make(type="gaussian", origin=_place(origin), radius=radius, **keys)

    def smeared(self, *origin, radius, iterations, **keys):
        """A point that is smeared with the links: covariant_gaussian."""
        return self.make(type="covariant_gaussian", origin=_place(origin), radius=radius, iterations=iterations, **keys)

    def wall(self, t0, kind="evenandodd", **keys):
        """A wall on time slice t0: kind is corner, even, evenandodd or evenminusodd. Links should be in Coulomb gauge."""
        return self.make(type=f"{kind}_wall", t0=t0, **keys)

    def noise(self, seed, t0=None, noise="z2", **keys):
        """Random numbers on time slice t0, or on the whole lattice without t0: noise is z2, z3, z4, u1 or gaussian."""
        place = {} if t0 is None else {"t0": t0}
        return self.make(type="random_volume" if t0 is None else "random_wall", seed=seed, noise=noise, **place, **keys)


def _place(origin):
    return list(origin[0]) if len(origin) == 1 else list(origin)
