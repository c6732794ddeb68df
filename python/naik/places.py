"""naik.places - which mean correlators of several sources have because of their places: its signs, or why there is none

The phases of staggered quarks count from the lattice's origin, and walls on one parity or corner, or with signs, lie on
other sites of an odd time slice than of an even one (doc/averages.md). What is not known to have a mean has none here.
"""
import re

SITES = ("point", "covariant_gaussian", "gaussian")
SIGNED = ("evenminusodd_wall", "funnywall1", "funnywall2")
FULL = ("one site", "one time slice")
CORNER, FIRST_CORNER = "x, y, z = ", "x, y, z even "  # how a subset on one corner of the unit cube begins


def eta(x, y, _, t):
    """MILC's staggered phases at a site, of the directions x, y, z, t."""
    return (-1) ** t, (-1) ** (t + x), (-1) ** (t + x + y), 1


def links(word, gammas):
    """The directions in which an operator of staggered quarks has thin links; those of a conserved current have the
    phases of M, which leave no sign."""
    spin, _, taste = word.partition("-")
    return [mu for mu in range(4) if taste and (gammas.index(spin) ^ gammas.index(taste)) >> mu & 1]


def corner(subset):
    """The subset of a source on one corner of the unit cube, each corner in one spelling; None of others."""
    subset = subset.replace(FIRST_CORNER, CORNER + "0, 0, 0 modulo 2 ")
    return subset if subset.startswith(CORNER) else None


class Lie:
    """How the sources of one correlator lie: `sources`, a dictionary of attributes each, of its quarks but the daughter."""

    def __init__(self, words, momentum, sink, baryon, sources):
        self.words, self.momentum, self.sink, self.baryon, self.sources = words, momentum, sink, baryon, sources
        self.origins = [s["origin"] for s in sources]
        self.operators = [w for s in sources for w in re.findall(r"operator ([\w-]+)", s["smearing"])]
        self.kinds = [(s["type"], s["subset"], s["smearing"], s["momentum"], s["twist"]) for s in sources]

    def _all(self, test):
        return all(map(test, self.sources))

    def sign(self, spin, gammas):
        """By what a correlator is to be multiplied so that it is that of a source at the lattice's origin; None: it
        is compared only with correlators of sources that lie an even number of sites away in every direction."""
        corners = {corner(s["subset"]) for s in self.sources} - {None}
        if not self._all(lambda s: (s["subset"] in FULL or corner(s["subset"])) and s["type"] not in SIGNED):
            return None
        if spin:
            return None if corners else 1
        if len(set(self.origins)) == 1 and self._all(lambda s: s["type"] in SITES[:2]) and self.sink != "wall":
            if self.baryon:
                return None if self.operators else 1
            phases, sign = eta(*self.origins[0]), 1
            twice = len(self.sources) == 1  # an operator on the one source is on quark and antiquark
            for mu in (mu for word in self.words + ([] if twice else self.operators) for mu in links(word, gammas)):
                sign *= phases[mu]
            return sign
        rest = not any(self.momentum) and self._all(lambda s: not any(s["momentum"]) and not any(s["twist"]))
        one = len({o for o, s in zip(self.origins, self.sources) if s["type"] in SITES}) <= 1
        alike = not corners or len({corner(s["subset"]) for s in self.sources}) == 1
        local = not self.baryon and not self.operators and not any(
            links(word, gammas) or word.startswith("conserved") for word in self.words)
        return 1 if rest and one and alike and local else None

    def told(self, size, signed):
        """What of the places must be the same in files whose correlators are averaged, as {name: value}."""
        told, moving = {}, any(any(s["momentum"]) for s in self.sources if s["type"] not in SITES)
        for k, s in enumerate(self.sources):
            if s["type"] == "sequential":
                told[f"time of source {k} from its propagator's source"] = str((s["origin"][3] - s["begin"][3]) % size[3])
            if k > 0:
                told[f"time of source {k} from the first"] = str((s["origin"][3] - self.origins[0][3]) % size[3])
        of_sites = [o for o, s in zip(self.origins, self.sources) if s["type"] in SITES]
        for k, o in enumerate(of_sites[1:]):
            told[f"distance of point {k + 1} from the first"] = " ".join(str((a - b) % n) for a, b, n in zip(o, of_sites[0], size))
        if moving and of_sites:
            told["place of the point beside a wall with momentum"] = " ".join(map(str, of_sites[0][:3]))
        if not signed:
            told["places of the sources modulo 2"] = " ".join(str(n % 2) for o in self.origins for n in o)
        return told

    def against(self, other, size, signed):
        """Why this correlator has no mean with another one, or None. signed: both have a sign for any distance."""
        if self.kinds != other.kinds:
            return "are of several kinds of sources"
        if any(s["type"] == "sequential" for s in self.sources):
            return "have sequential sources"
        apart = [tuple((a - b) % n for a, b, n in zip(mine, theirs, size)) for mine, theirs in zip(self.origins, other.origins)]
        of_sites = {d for d, s in zip(apart, self.sources) if s["type"] in SITES}
        if len(of_sites) > 1 or len({d[3] for d in apart}) > 1:
            return "join sources that do not lie beside each other in the same way"
        moved = len(of_sites) < len(apart) and any(d[:3] != (0, 0, 0) for d in of_sites)
        if moved and any(any(s["momentum"]) for s in self.sources if s["type"] not in SITES):
            return "join points at several places with a wall that has a momentum"
        if not signed and any(n % 2 for d in apart for n in d):
            return "have sources whose places do not differ by even numbers in every direction, and signs that depend on that"
        return None
