"""naik_io - propagators, correlators and solves of naik's HDF5 files as numpy arrays

    import naik_io
    with naik_io.open("prop.h5") as f:
        c = f.correlator("pt")                      # [T], of mass 0, source 0, pion5, momentum 0
        g = f.propagator(0, mass=1)                 # nothing is read yet
        column = g[0, 5]                            # source colour 0, t = 5: [Z, Y, X, 3] complex
        for s in f.sources: print(s.label, s.type, s.origin)

Needs h5py and numpy, nothing else of naik. An unfinished file (prop.h5.part) opens as well, while
the run goes on; asking for what is not solved yet raises NotSolved, and what missed its tolerance
comes with the warning NotConverged.
"""
import collections
import os
import re
import sys
import warnings

import h5py
import numpy as np

DONE, NOT_CONVERGED = "done", "not converged"
Source = collections.namedtuple("Source", "index set label number type origin momentum masses")


class NotSolved(LookupError):
    """The run has not come to this solve yet."""


class NotConverged(UserWarning):
    """What was asked for is stored, but missed its tolerance."""


def open(path):
    """Opens a file of `naik solve`; close it, or use `with`."""
    return File(path)


def _say(kind, error, trace):
    """What cannot be done, in a sentence; nothing where nobody reads the output any more."""
    if issubclass(kind, (LookupError, ValueError, OSError)):
        if kind is not BrokenPipeError:
            print(f"{os.path.basename(sys.argv[0])}: {error.args[0] if len(error.args) == 1 else error}", file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, trace)


def arguments(usage, least):
    """The words of the command line; ends with `usage` where there are too few or help is asked for. What is
    wrong with them ends the program in a sentence from here on, without a traceback."""
    sys.excepthook = _say
    words = sys.argv[1:]
    if {"-h", "--help"} & set(words):
        print(usage)
        sys.exit(0)
    if len(words) < least:
        sys.exit(usage)
    return words


def _text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def _momentum_name(p):
    p = [int(k) for k in p]  # as naik names them: unique where a component has two digits
    return "p" + ("_" if any(abs(k) > 9 for k in p) else "").join(map(str, p))


def _open_h5(path):
    try:
        return h5py.File(path, "r", locking=False)
    except TypeError:  # h5py before 3.5
        return h5py.File(path, "r")


class File:
    def __init__(self, path):
        if not os.path.exists(path):
            begun = os.path.exists(f"{path}.part")
            raise FileNotFoundError(f"there is no file {path}" + (f" yet, but {path}.part" if begun else ""))
        try:
            self.h5 = _open_h5(path)
        except OSError as error:
            raise OSError(f"{path} cannot be opened as HDF5: {error}") from None
        if _text(self.h5.attrs.get("format", "")) != "naik-prop":
            self.h5.close()
            raise ValueError(f"{path} is no propagator file of naik")
        if not re.match(r"1\.", _text(self.h5.attrs["format_version"])):
            version = _text(self.h5.attrs["format_version"])
            self.h5.close()
            raise ValueError(f"{path} has version {version}; this module reads version 1")
        self.path = path
        self.size = tuple(int(n) for n in self.h5.attrs["dims"])  # x, y, z, t
        self.sources = self._find_sources()

    def close(self):
        self.h5.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    @property
    def complete(self):
        return _text(self.h5.attrs["state"]) == "complete"

    @property
    def input_text(self):
        """The input file as it was, with its overrides as comments."""
        return _text(self.h5["metadata/input_text"][()])

    @property
    def solves(self):
        """One record per solve, a numpy array with the names of io/README.md as fields."""
        return self.h5["solves"][...]

    def state(self, solve):
        """"pending", DONE or NOT_CONVERGED of a record of `solves`."""
        words = h5py.check_enum_dtype(self.h5["solves"].dtype["state"])
        for name, word in (words or {}).items():
            if word == solve["state"]:
                return name.lower().replace("_", " ")
        return "pending"

    def rung(self, solve):
        """How the solve of a record of `solves` stored its vectors and links at its end: "half", "single",
        "classical", "double"; "none" if pending, None in files of version 0.1.0, which do not say."""
        if "rung" not in (self.h5["solves"].dtype.names or ()):
            return None
        words = h5py.check_enum_dtype(self.h5["solves"].dtype["rung"])
        return next((name.lower() for name, word in words.items() if word == solve["rung"]), "none")

    def history(self, solve):
        """Relative residual after each iteration of a record of `solves`."""
        records = self.solves
        same = np.logical_and.reduce([records[key] == solve[key]
                                      for key in ("source", "mass", "colour")])
        values = self.h5["solves_history"][int(np.flatnonzero(same)[0])]
        return values[~np.isnan(values)]

    def correlator(self, set_name, mass=0, source=0, meson="pion5", momentum=(0, 0, 0)):
        """[T] float64, summed over source colours. mass and source count inside the set."""
        s = self._source(set_name, source)
        self._need(s.index, mass)
        if "corr" not in self.h5 or set_name not in self.h5["corr"]:
            raise LookupError(f"{self.path} stores no correlators, only propagators")
        group = self.h5["corr"][set_name]
        if len([t for t in self.sources if t.set == set_name]) > 1:
            group = group[f"s{source:04d}"]
        group, name = group[f"m{mass:02d}"], f"{meson}/{_momentum_name(momentum)}"
        if name not in group:
            stored = [f"{m}/{p}" for m in group if m != "per_colour" for p in group[m]]
            raise LookupError(f"{self.path} has no correlator {name}; it has {', '.join(stored)}")
        return group[name][...]

    def propagator(self, source=0, mass=0):
        """The dataset [3][T][Z][Y][X] of source number `source` of the file: source colour, site;
        whatever slice is read has a last axis more, the sink colour. M G = source."""
        self._need(source, mass)
        name = f"prop/s{source:04d}/m{mass:02d}"
        if name not in self.h5:
            raise LookupError(f"{self.path} stores no propagators, only correlators")
        return self.h5[name]

    def _need(self, source, mass):
        records = self.h5["solves"]
        mine = [r for r in records if r["source"] == source and r["mass"] == mass]
        if not mine:
            raise LookupError(f"{self.path} has no source {source} with mass number {mass}")
        if any(self.state(r) == "pending" for r in mine):
            raise NotSolved(f"{self.path}: source {source}, mass {mass} is not solved yet")
        worst = max((r["true_residual"] for r in mine if self.state(r) == NOT_CONVERGED), default=None)
        if worst is not None:
            warnings.warn(f"{self.path}: source {source}, mass {mass} did not converge, residual {worst:.1e}",
                          NotConverged, stacklevel=3)

    def _source(self, set_name, number):
        for s in self.sources:
            if s.set == set_name and s.number == number:
                return s
        names = sorted({s.set for s in self.sources})
        raise LookupError(f"{self.path} has no set '{set_name}' with source {number}; sets: {names}")

    def _find_sources(self):
        found, records = [], self.solves
        counts = collections.Counter()
        for name in sorted(self.h5["prop"]):
            index, a = int(name[1:]), self.h5["prop"][name]["source"].attrs
            set_name = _text(a["solve_set"])
            number = counts[set_name]
            counts[set_name] += 1
            masses = len(np.unique(records["mass"][records["source"] == index]))
            found.append(Source(index, set_name, None, number, _text(a["type"]),
                                tuple(int(k) for k in a["origin"]),
                                tuple(int(k) for k in a["momentum"]), masses))
        return [s._replace(label=s.set if counts[s.set] == 1 else f"{s.set}/s{s.number:04d}")
                for s in found]


def effective_mass(c):
    """m(t) = arccosh((C(t-1) + C(t+1)) / 2 C(t)) of a correlator periodic in t; NaN where that has
    no solution. [T]"""
    c = np.asarray(c, dtype=float)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.arccosh((np.roll(c, 1, -1) + np.roll(c, -1, -1)) / (2 * c))


def jackknife(samples, function=lambda mean: mean):
    """Value and error of function(mean of samples), samples [configurations][...]."""
    samples = np.asarray(samples)
    n = len(samples)
    if n < 2:
        raise ValueError("the jackknife needs two configurations or more")
    mean = samples.mean(0)
    left_out = np.array([function((n * mean - s) / (n - 1)) for s in samples])
    deviation = left_out - left_out.mean(0)
    return function(mean), np.sqrt((n - 1) / n * (np.abs(deviation) ** 2).sum(0))
