"""naik.io - propagators, correlators, solves and low modes of naik's HDF5 files as numpy arrays

    from naik import io as naik_io
    with naik_io.open("prop.h5") as f:
        c = f.correlator("pt")                      # [T], of mass 0, source 0, pion5, momentum 0
        for c in f.correlators: print(c.path, f.values(c))          # every one in the file: pairs, nucleons, averages too
        mean = f.mean(f.find("hl", "rhox", (0.05, 0.5), momentum=(1, 0, 0)))  # over the sources, from their time on
        g = f.propagator(0, mass=1)                 # nothing is read yet
        column = g[0, 5]                            # source colour 0, t = 5: [Z, Y, X, 3] complex
        for s in f.sources: print(s.label, s.type, s.origin)
    with naik_io.open_modes("modes.h5") as m:
        v, value = m.mode(0), m.values[0]           # -D_eo D_oe v = value v; value = 4 lambda^2

Needs h5py and numpy, nothing else of naik. An unfinished file (prop.h5.part) opens as well, while
the run goes on; asking for what is not solved yet raises NotSolved, and what missed its tolerance
comes with the warning NotConverged.
"""
import builtins
import collections
import os
import re
import struct
import sys
import warnings
import zlib

import h5py
import numpy as np

from . import places

DONE, NOT_CONVERGED = "done", "not converged"
_EXACT = "+exact"  # behind the name of an entry: the entry of its exact solves, where the others are sloppy
Source = collections.namedtuple("Source", "index set label number type origin momentum masses")
Source.__doc__ = """A source of the file: its number in the file (index), the entry of solve that it belongs to (set), its number there, and
how many masses it has. label is the set, with the number behind it where the set has several sources."""
Correlator = collections.namedtuple("Correlator", "path name correlator quantity quarks momentum sink source")
Correlator.__doc__ = """Where a correlator is, and of what; File.values reads it.

name      entry of solve, pair or baryon
quantity  "correlator", "mean", "standard error", ...
quarks    one Quark, quark and antiquark, or three
sink      "point", "wall", "covariant_gaussian"
source    the Source where it begins; None of averages
"""
ThreePoint = collections.namedtuple("ThreePoint", Correlator._fields + ("sink_time", "sink_momentum", "sink_operator"))
ThreePoint.__doc__ = """A current (correlator, with its momentum) in a three-point function, as a Correlator with three fields more. quarks:
parent, spectator, daughter. sink_time is counted from the source."""
_GAMMAS = "G1 GX GY GXY GZ GZX GYZ G5T GT GXT GYT G5Z GZT G5Y G5X G5".split()


class Quark(collections.namedtuple("Quark", "source mass naik_epsilon twist")):
    """source: its label. kappa is beside the four fields: 1/(2 mass + 8) with the digits that an input may have; None of
    staggered quarks."""
    kappa = None


def _coordinates(spin, taste):
    """Coordinates x, y, z, t whose sum gives the sign of a staggered meson's sink (doc/correlators.md)."""
    odd = 15
    for mu, zeta in enumerate((6, 4, 0, 7)):
        odd ^= 15 ^ 1 << mu if spin >> mu & 1 else 0
        odd ^= zeta if (spin ^ taste) >> mu & 1 else 0
    return tuple(odd >> mu & 1 for mu in range(4))


def is_baryon(correlator):
    """Whether a correlator of that name is one of three quarks."""
    return correlator.split("_")[0] in ("nucleon", "delta", "lambda")


PHASES = {f"{a}-{b}": _coordinates(spin, taste) for spin, a in enumerate(_GAMMAS) for taste, b in enumerate(_GAMMAS)}
PHASES.update({name: PHASES[f"{spin}-{spin}"] for name, spin in (
    ("pion5", "G5"), ("pion05", "G1"), ("rhox", "GX"), ("rhoy", "GY"), ("rhoz", "GZ"), ("rhox0", "GXT"), ("rhoy0", "GYT"), ("rhoz0", "GZT"))})
PHASES.update({"conserved_vector_" + mu: (1, 1, 1, 1) for mu in "xyzt"})  # of the antiquark


class NotSolved(LookupError):
    """The run has not come to this solve yet."""


class Damaged(ValueError):
    """What is in the file disagrees with its own checksums: a bit changed, or somebody edited it."""


class NotConverged(UserWarning):
    """What was asked for is stored, but missed its tolerance."""


def open(path):
    """Opens a file of `naik solve`; close it, or use `with`."""
    return File(path)


def open_modes(path):
    """Opens a file of `naik modes`; close it, or use `with`."""
    return Modes(path)


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


def verify(file):
    """For programs: verifies `file` and says on standard error what it could not verify."""
    left = file.verify()
    if left:
        print(f"{os.path.basename(sys.argv[0])}: {file.path}: not verified: {left}", file=sys.stderr)


def _text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def _momentum_name(p):
    p = [int(k) for k in p]  # as naik names them: unique where a component has two digits
    return "p" + ("_" if any(abs(k) > 9 for k in p) else "").join(map(str, p))


def _seal(h5):
    """The checksum over attributes, shapes and texts that naik keeps as metadata_crc (io/README.md)."""
    crc = 0

    def add(data):
        nonlocal crc
        crc = zlib.crc32(struct.pack("=II", crc, zlib.crc32(data)))

    def variable(kind):
        return kind.get_class() == h5py.h5t.STRING and kind.is_variable_str()

    def add_shape(kind, space):
        rank, compound = space.get_simple_extent_ndims(), kind.get_class() == h5py.h5t.COMPOUND
        size = 0 if variable(kind) else kind.get_size()
        add(struct.pack("=4q", kind.get_class(), size, kind.get_nmembers() if compound else 0, rank))
        if rank > 0:
            add(struct.pack(f"={rank}Q", *space.get_simple_extent_dims()))

    def add_attributes(item):
        for name in sorted(item.attrs, key=str.encode):
            if name in ("state", "metadata_crc"):
                continue
            attribute = h5py.h5a.open(item.id, name.encode())
            add(name.encode())
            add_shape(attribute.get_type(), attribute.get_space())
            if variable(attribute.get_type()):
                add(item.attrs[name].encode("utf-8", "surrogateescape"))
                continue
            value = np.zeros(attribute.shape, attribute.dtype)
            attribute.read(value)
            add(value.tobytes())

    def add_children(group):
        for name in sorted(group, key=str.encode):
            item = group[name]
            add(name.encode())
            if isinstance(item, h5py.Dataset):
                add_shape(item.id.get_type(), item.id.get_space())
                if item.shape == () and item.id.get_type().get_class() == h5py.h5t.STRING:
                    add(item[()].split(b"\0")[0])
            add_attributes(item)
            if isinstance(item, h5py.Group):
                add_children(item)

    add_attributes(h5)
    add_children(h5)
    return f"{crc:08x}"


def _check_seal(h5, path):
    """Attributes and texts against metadata_crc; False where the file has none. Raises Damaged."""
    stored = h5.attrs.get("metadata_crc")
    try:
        found = _seal(h5)
    except (OSError, RuntimeError, KeyError, TypeError) as error:
        raise Damaged(f"{path} is damaged: {error}") from None
    if stored is not None and _text(stored) != found:
        raise Damaged(f"{path} is damaged or was edited: its attributes and texts give the checksum {found}, "
                      f"but metadata_crc is {_text(stored)}")
    return stored is not None


def _crc32_table():
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, np.uint32(0xedb88320) ^ (table >> 1), table >> 1)
    return table.astype(np.uint32)


def _site_sums(sites):
    """USQCD checksum (suma, sumb) of the sites [n][bytes] of uint8: of each its crc32, rotated by its number."""
    table, crc = _crc32_table(), np.full(len(sites), 0xffffffff, np.uint32)
    for k in range(sites.shape[1]):
        crc = table[(crc ^ sites[:, k]) & 255] ^ (crc >> 8)
    crc = (~crc).astype(np.uint64)
    sums = []
    for prime in (29, 31):
        turn = np.arange(len(sites), dtype=np.uint64) % np.uint64(prime)
        turned = (crc << turn | crc >> (np.uint64(32) - turn)) & np.uint64(0xffffffff)
        sums.append(int(np.bitwise_xor.reduce(turned)))
    return tuple(sums)


def _in_making(path):
    """Whether a path is that of NAME.part beside naik's lock and without the journal that begins when it is whole."""
    name = os.fspath(path)[:-len(".part")]
    return os.fspath(path).endswith(".part") and os.path.exists(f"{name}.lock") and not os.path.exists(f"{name}.journal")


def _open_h5(path):
    try:
        h5 = h5py.File(path, "r", locking=False)
    except TypeError:  # h5py before 3.5
        h5 = h5py.File(path, "r")
    with builtins.open(path, "rb") as f:
        head = f.read(48)
    end = int.from_bytes(head[40:48], "little")  # of the file, in the earliest format, which naik writes
    more = os.path.getsize(path) - end
    ended = "metadata_crc" in h5.attrs and _text(h5.attrs.get("state", "")) != "incomplete"
    if head[8] == 0 and more > 0 and ended:  # else it is being written
        warnings.warn(f"{path} has {more} bytes behind its end, which are not read: somebody appended them", stacklevel=4)
    return h5


class _Opened:
    """A file that is to be closed."""

    def _open(self, path):
        self.path = path
        try:
            self._h5 = _open_h5(path)
        except OSError as error:
            raise OSError(f"{path} cannot be opened as HDF5: {error}") from None

    @property
    def h5(self):
        """The file of h5py."""
        if not self._h5:
            raise ValueError(f"{self.path} is closed: read from it inside of `with`, or before close()")
        return self._h5

    def __repr__(self):
        return f"<naik.io.{type(self).__name__} {self.path}{'' if self._h5 else ', closed'}>"

    def close(self):
        self._h5.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class File(_Opened):
    """A file of propagators and correlators, which `naik solve` wrote: `sources` and `correlators` list what is in it, `find`
    chooses correlators, `values`, `from_source` and `mean` read them, `propagator` gives propagators; `size` is
    (x, y, z, t)."""

    def __init__(self, path):
        if not os.path.exists(path):
            begun = os.path.exists(f"{path}.part")
            raise FileNotFoundError(f"there is no file {path}" + (f" yet, but {path}.part" if begun else ""))
        try:
            self._open(path)
            begun = "state" in self.h5.attrs and "solves" in self.h5
        except (OSError, KeyError):
            if not _in_making(path):
                raise
            begun = False
        if not begun and _in_making(path):  # what is torn may not be closed
            raise OSError(f"{path} is still being made, or its command was killed in the making; there is nothing in it yet")
        if _text(self.h5.attrs.get("format", "")) != "naik-prop":
            self.h5.close()
            raise ValueError(f"{path} is no propagator file of naik")
        if not re.match(r"1\.", _text(self.h5.attrs["format_version"])):
            version = _text(self.h5.attrs["format_version"])
            self.h5.close()
            raise ValueError(f"{path} has version {version}; this module reads version 1")
        self.size = tuple(int(n) for n in self.h5.attrs["dims"])  # x, y, z, t
        words = h5py.check_enum_dtype(self.h5["solves"].dtype["state"]) or {}
        self._states = {word: name.lower().replace("_", " ") for name, word in words.items()}
        self.sources = self._find_sources()
        self._correlators = self._missed = self._has_spin = None

    @property
    def complete(self):
        """Whether the run has solved everything; an unfinished file has "incomplete" as its state."""
        return _text(self.h5.attrs["state"]) == "complete"

    def verify(self):
        """Compares attributes, texts, records of solves and all correlators with their checksums. Returns in words
        what has none, "" where all has; propagators are not read: `naik info` verifies them. Raises Damaged."""
        sealed = _check_seal(self.h5, self.path)
        records = self.solves
        for r in records:
            if zlib.crc32(r.tobytes()[:140]) != r["crc"]:
                raise Damaged(f"{self.path} is damaged: a record of a solve disagrees with its checksum")
            left = r["suma"] == r["sumb"] == 0x5446454c and self.state(r) != "pending"
            above = self.state(r) == DONE and not r["true_residual"] <= r["target"] * (1 + 1e-12)
            if above or left and self.complete:
                raise Damaged(f"{self.path} is damaged: a record of a solve "
                              + ("is done and has a residual above its target" if above else "lacks its solution in a finished file"))
        for s in self.sources:
            for mass in range(s.masses):
                mine = records[(records["source"] == s.index) & (records["mass"] == mass)]
                if f"corr/{s.label}/m{mass:02d}/per_colour" in self.h5 and all(self.state(r) != "pending" for r in mine):
                    self._verify_correlators(s, mass, mine)
        for path, word in zip(self.contractions, self.h5["contractions"] if "contractions" in self.h5 else []):
            if word != 0:
                self._verified(path, int(word))
        return "" if sealed else "attributes and texts, which have no checksum in this file"

    def _verify_correlators(self, source, mass, records):
        group = self.h5[f"corr/{source.label}/m{mass:02d}"]
        colours = group["per_colour"][...]
        good = all(zlib.crc32(colours[r["colour"]].tobytes()) == r["correlators_crc"] for r in records)
        names = [_text(group["per_colour"].attrs[key]).split() for key in ("correlators", "momenta")]
        total = colours[0].copy()
        for column in colours[1:]:
            total += column
        for i, meson in enumerate(names[0]):
            for k, momentum in enumerate(names[1]):
                stored = group[meson][momentum][...]
                wanted = total[i, k] if stored.dtype == total.dtype else total[i, k].real  # at rest it is real
                good = good and stored.tobytes() == wanted.tobytes()
        if not good:
            raise Damaged(f"{self.path} is damaged: correlators of {source.label}, mass {self.mass(source.index, mass)} "
                          "disagree with their checksum")

    def mass(self, source=0, mass=0):
        """The value of mass number `mass` of source number `source` of the file."""
        return float(self._of_pair(source, mass)["mass"])

    def kappa(self, source=0, mass=0):
        """The kappa of Wilson, clover and twisted-mass quarks, with the digits that an input may have; None of others."""
        return self._kappa_of(self.mass(source, mass))

    def _kappa_of(self, mass):
        return float(f"{1 / (2 * mass + 8):.15g}") if self.has_spin else None

    def mass_number(self, set_name, value=None, naik_epsilon=None, kappa=None):
        """Which number the mass of this value, or this kappa, has in a set; naik_epsilon where several have it."""
        if (value is None) == (kappa is None):
            raise ValueError("mass_number needs the value of a mass or, for quarks with spin, a kappa, and not both")
        source, (word, value) = self._source(set_name, 0), ("mass", value) if kappa is None else ("kappa", kappa)
        values = [(self.mass if kappa is None else self.kappa)(source.index, m) for m in range(source.masses)]
        epsilons = [float(self._of_pair(source.index, m).get("naik_epsilon", 0)) for m in range(source.masses)]
        found = [m for m in range(source.masses)
                 if values[m] == value and naik_epsilon in (None, epsilons[m])]
        if not found:
            which = [f"{m}" if naik_epsilon is None else f"{m} with naik_epsilon {e}" for m, e in zip([value, *values], [naik_epsilon, *epsilons])]
            others = "no kappa" if values[0] is None else ", ".join(which[1:])
            raise LookupError(f"{self.path} has no {word} {which[0]} in {set_name}; it has {others}")
        if len(found) > 1:
            raise LookupError(f"{self.path} has {word} {value} in {set_name} with naik_epsilon "
                              f"{', '.join(str(epsilons[m]) for m in found)}: say which")
        return found[0]

    def counted_from(self, set_name, mass=0, source=0):
        """(x0, weight) of the correlators of one source: signs of mesons and momenta are of x - x0, and weight is "exp",
        exp(2 pi i p.(x - x0)/L), or "cos", the product of the cosines of its components. Files before version 1.2 have
        "cos" and count the signs and momenta of staggered quarks from the lattice's origin."""
        s = self._source(set_name, source)
        name = f"corr/{s.label}/m{mass:02d}"
        attributes = self.h5[name].attrs if name in self.h5 else {}
        if "counted_from" in attributes:
            return tuple(int(k) for k in attributes["counted_from"]), _text(attributes.get("momentum_weight", "cos"))
        return s.origin if self.has_spin else (0, 0, 0, 0), "cos"

    def physics(self, set_name, mass=0, meson=None, momentum=(0, 0, 0)):
        """What decides a correlator of this set and mass number, other than the configuration and where the
        sources are, as {name: value}: equal in files that may be averaged. meson and momentum: of a correlator whose
        sign or phase depends on what it is counted from."""
        told = self._everywhere()
        if any(momentum) or meson not in (None, "pion5", "pion"):
            counted = [(s.origin, *self.counted_from(set_name, mass, s.number)) for s in self.sources if s.set == set_name]
            own = all(x0 == origin for origin, x0, _ in counted)
            told["place that signs and momenta are counted from"] = "their source" if own else str(counted[0][1])
            if any(momentum):
                told["weight of a momentum"] = counted[0][2]
        for s in (s for s in self.sources if s.set == set_name):
            pair, word = self._of_pair(s.index, mass), meson or ("pion" if self.has_spin else "pion5")
            told.update(self._of_source(s, pair))
            lie = places.Lie([word], momentum, "point", is_baryon(word), [self._place(s.index, tuple(pair.get("twist", (0, 0, 0))))])
            told.update(lie.told(self.size, lie.sign(self.has_spin, _GAMMAS) is not None))
        return told

    def physics_of(self, correlators):
        """The same of what `find` gives."""
        told = self._everywhere()
        for c in correlators:
            for k, quark in enumerate(c.quarks):
                which = ("" if len(c.quarks) == 1 else f" of quark {k}")
                source = next(s for s in self.sources if quark.source in (s.label, s.set))  # of a mean it is the first
                mass = self.mass_number(source.set, quark.mass, quark.naik_epsilon)
                told.update({name + which: value for name, value in
                             self._of_source(source, self._of_pair(source.index, mass)).items()})
            told.update({"correlator": c.correlator, "sink": c.sink, "momentum": " ".join(map(str, c.momentum))})
            a = self.h5[c.path].attrs
            told.update({name: _text(a[key]) if isinstance(a[key], (bytes, str)) else str(a[key]) for name, key in (
                ("radius of the sink", "sink_radius"), ("iterations of the sink", "sink_iterations"), ("sink time", "sink_time"),
                ("sink operator", "sink_operator"), ("sink momentum", "sink_momentum"), ("source operator", "source_operator")) if key in a})
            x0, weight = self._frame(c)
            own = next((s.origin for s in self.sources if s.label == c.quarks[0].source), x0) if c.source is None else c.source.origin
            if any(c.momentum) or not (c.correlator in ("pion5", "pion") or is_baryon(c.correlator)):
                told["place that signs and momenta are counted from"] = "their source" if x0 == own else str(x0)
            if any(c.momentum):
                told["weight of a momentum"] = weight
            if c.source is not None:
                lie = self._lie(c)
                told.update(lie.told(self.size, lie.sign(self.has_spin, _GAMMAS) is not None))
        return told

    def _everywhere(self):
        told = {"extents": "x".join(map(str, self.size))}
        for line in _text(self.h5["metadata/canonical_input"][()]).splitlines():
            name, _, value = line.partition(" = ")
            if name.startswith(("lattice.boundary", "action.")):
                told[name] = value
        return told

    def _frame(self, correlator):
        """(x0, weight) of a Correlator, as `counted_from` has them."""
        dataset = self.h5[correlator.path]
        for a in (dataset.attrs, dataset.parent.parent.attrs):
            if "counted_from" in a:
                return tuple(int(k) for k in a["counted_from"]), _text(a.get("momentum_weight", "cos"))
        return correlator.source.origin if self.has_spin and correlator.source is not None else (0, 0, 0, 0), "cos"

    def _of_source(self, s, pair):
        source = self.h5[f"prop/s{s.index:04d}/source"].attrs
        return {"mass": float(pair["mass"]), "naik_epsilon": float(pair.get("naik_epsilon", 0)),
                "twist": " ".join(f"{k:.10g}" for k in pair.get("twist", (0, 0, 0))),
                "action": _text(pair["action"]), "source": " ".join(
                    [s.type, _text(source["subset"]), _text(source["smearing"])]).strip(),
                "momentum of the source": " ".join(map(str, s.momentum))}

    @property
    def configuration(self):
        """What tells one configuration from another: its checksums, not its name. same_links() compares two."""
        return _text(self.h5["metadata/gauge_identity"][()])

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
        return self._states.get(int(solve["state"]), "pending")

    def rung(self, solve):
        """How the solve of a record of `solves` stored its vectors and links at its end: "half", "single",
        "classical", "double"; "none" if pending, None in files of version 0.1.0, which do not say."""
        if "rung" not in (self.h5["solves"].dtype.names or ()):
            return None
        words = h5py.check_enum_dtype(self.h5["solves"].dtype["rung"])
        return next((name.lower() for name, word in words.items() if word == solve["rung"]), "none")

    def modes(self, solve):
        """How many low modes deflated the solve of a record of `solves`; 0: none. None in files that do not say."""
        return int(solve["modes"]) if "modes" in (self.h5["solves"].dtype.names or ()) else None

    def history(self, solve):
        """Relative residual after each iteration of a record of `solves`."""
        records = self.solves
        same = np.logical_and.reduce([records[key] == solve[key]
                                      for key in ("source", "mass", "colour")])
        values = self.h5["solves_history"][int(np.flatnonzero(same)[0])]
        return values[~np.isnan(values)]

    def correlator(self, set_name, mass=0, source=0, meson=None, momentum=(0, 0, 0)):
        """[T] float64, summed over source colours, and spins where there are some; complex128 with momentum, where its
        weight is the exponential (`counted_from`), and of other mesons of Wilson and clover quarks than the pion. mass
        and source count inside the set. meson None: pion5 of staggered quarks, pion of the others."""
        s = self._source(set_name, source)
        if meson is None:
            meson = "pion" if self.has_spin else "pion5"
        self._need(s.index, mass)
        if "corr" not in self.h5 or set_name not in self.h5["corr"]:
            raise LookupError(f"{self.path} stores no correlators, only propagators")
        group = self.h5["corr"][set_name]
        if len([t for t in self.sources if t.set == set_name]) > 1:
            group = group[f"s{source:04d}"]
        if f"m{mass:02d}" not in group:
            raise LookupError(f"{self.path} stores no correlators of {s.label}, mass number {mass}")
        group, name = group[f"m{mass:02d}"], f"{meson}/{_momentum_name(momentum)}"
        if name not in group:
            stored = [f"{m}/{p}" for m in group if isinstance(group[m], h5py.Group) for p in group[m]]
            others = any((c.name, c.correlator) == (set_name, meson) for c in self.correlators)
            raise LookupError(f"{self.path} has no correlator {name}; it has {', '.join(stored)}"
                              + (f"; find('{set_name}', '{meson}') gives the {meson}" if others else ""))
        path = group[name].name
        return self.contraction(path) if path in self.contractions else group[name][...]

    @property
    def correlators(self):
        """Every correlator in the file, as a list of Correlator: those of the solves, then those of several solves."""
        if self._correlators is None:
            self._correlators = self._of_solves() + [self._contracted(path) for path in self.contractions]
        return self._correlators

    def values(self, correlator):
        """[T] of a Correlator: float64 or complex128."""
        if not isinstance(correlator, (Correlator, ThreePoint)):
            raise ValueError(f"{self.path}: give one Correlator, of the list that find gives, and not {correlator!r:.80}")
        if correlator.path in self.contractions:
            return self.contraction(correlator.path)
        label, mass = re.fullmatch(r"/corr/(.*)/m(\d+)/[^/]*/[^/]*", correlator.path).groups()
        self._need(next(s.index for s in self.sources if s.label == label), int(mass))
        return self.h5[correlator.path][...]

    def find(self, name, correlator=None, masses=None, momentum=(0, 0, 0), naik_epsilon=None, sink_time=None,
             sink_momentum=(0, 0, 0), quantity="correlator", kappas=None):
        """The correlators of an entry, pair, baryon or three-point function, a Correlator for each of its sources, in their
        order. Of a three-point function correlator is the current, and masses are those of parent, spectator and daughter.
        correlator None: the pion. masses: one, or one for each quark, by value; None where there is no choice. kappas:
        the same in their place, of quarks with spin. naik_epsilon: the same, where several have the masses. quantity: of averages over sources "mean" and "standard error"; of
        truncated solves (averages) "sloppy mean", "sloppy standard error", "correction", "correction standard error" too,
        of low modes "low modes" and "rest"; "loop", of diluted noise "loop sum", of several noise fields "loop mean" and
        "loop standard error", of low modes in loops "loop low modes", "loop rest" and, one for each field, "loop field"."""
        wanted = correlator or ("pion" if self.has_spin else "pion5")
        found = [c for c in self.correlators if c.name == name and c.quantity == quantity]
        if found and isinstance(found[0], ThreePoint):
            times = sorted({c.sink_time for c in found})
            if sink_time is None and len(times) > 1:
                raise LookupError(f"{self.path} has {name} with several sink times: say which of {', '.join(map(str, times))}")
            wanted = correlator or found[0].correlator
            sinks = [c for c in found if sink_time in (None, c.sink_time) and c.sink_momentum == tuple(sink_momentum)]
            if not sinks:
                raise LookupError(f"{self.path} has no sink time {sink_time} with momentum {tuple(sink_momentum)} in {name}; it has "
                                  + ", ".join(dict.fromkeys(f"{c.sink_time} with {c.sink_momentum}" for c in found)))
            found = sinks
        if not found:
            own = ", ".join(dict.fromkeys(c.quantity for c in self.correlators if c.name == name))
            others = ", ".join(dict.fromkeys(c.name for c in self.correlators if c.quantity == quantity)) or "none"
            raise LookupError(f"{self.path} has no {quantity} " + (f"of {name}; it has quantity {own}" if own else
                                                                  f"named {name}; it has those of {others}"))

        def choose(matching, what, of):
            nonlocal found
            kept = [c for c in found if matching(c)]
            if not kept:
                raise LookupError(f"{self.path} has no {what} in {name}; it has {', '.join(dict.fromkeys(map(of, found)))}")
            found = kept

        choose(lambda c: c.correlator == wanted, f"correlator {wanted}", lambda c: c.correlator)
        for word, value in (("mass", masses), ("kappa", kappas), ("naik_epsilon", naik_epsilon)):
            if value is not None:
                asked = tuple(float(v) for v in np.atleast_1d(value))
                choose(lambda c: tuple(getattr(q, word) for q in c.quarks) == asked,  # called at once
                       f"{word} {' and '.join(map(str, asked))}", lambda c: " and ".join(str(getattr(q, word)) for q in c.quarks))
        choose(lambda c: c.momentum == tuple(momentum), "momentum " + ",".join(map(str, momentum)),
               lambda c: ",".join(map(str, c.momentum)))
        kinds = {tuple((q.kappa, q.mass) if self.has_spin else (q.mass, q.naik_epsilon) for q in c.quarks) for c in found}
        if len(kinds) > 1:
            raise LookupError(f"{self.path} has {wanted} of {name} with several {'kappas and masses' if self.has_spin else 'masses or epsilons'}: say which of "
                              + "; ".join(sorted(str(kind) for kind in kinds)))
        return found

    def from_source(self, correlator):
        """[T] of a Correlator from its source's time on, with the signs that go with the shift: of a staggered
        meson those of its sink at the source and of links at its place (`places`), of a baryon that of three quarks
        across an antiperiodic boundary."""
        c = self.values(correlator)
        if correlator.source is None:
            return c
        origin = correlator.source.origin
        c = np.roll(c, -origin[3])
        if correlator.correlator in PHASES and not self.has_spin:
            x0, _ = self._frame(correlator)
            c = c * (-1) ** sum(x - y for x, y, counts in zip(origin, x0, PHASES[correlator.correlator]) if counts)
            c = c * (self._sign(correlator) or 1)
        elif is_baryon(correlator.correlator) and self.antiperiodic:
            c = np.where(np.arange(len(c)) + origin[3] < len(c), c, -c)
        return c

    def mean(self, correlators):
        """Mean over the sources of what `find` gives, each from its own time on. ValueError where sources and signs
        leave no common mean, or none that is known here: `output.average` of the run makes more of them."""
        if isinstance(correlators, str) or len(correlators) == 0:
            raise ValueError(f"{self.path}: mean takes what find gives, one Correlator or more of them")
        given = [c for c in correlators if c.source is not None]
        for s in {q.source for c in given for q in c.quarks}:
            entry = s.rsplit("/", 1)[0]
            if any(other.set == entry + _EXACT for other in self.sources):
                raise ValueError(f"{self.path}: the solves of {entry} are sloppy, and their mean is biased: take the mean of their "
                                 "average of truncated solves")
        lie, signed = [self._lie(c) for c in given], all(self._sign(c) is not None for c in given)
        for one in lie[1:]:
            why = one.against(lie[0], self.size, signed)
            if why is not None:
                raise ValueError(f"{self.path}: correlators {given[0].correlator} of {given[0].name} {why}: they have no mean over "
                                 "these sources here; output.average in the input makes the mean if there is one")
        if len({c.source.origin[:3] for c in given}) > 1 and any(any(c.momentum) and self._frame(c)[0] != c.source.origin for c in given):
            raise ValueError(f"{self.path}: correlators with momentum that are not counted from their sources have no mean "
                             "over sources at several places in space")
        return np.mean([self.from_source(c) for c in correlators], axis=0)

    def _lie(self, correlator):
        """How the sources of a Correlator that has one lie."""
        three = isinstance(correlator, ThreePoint)
        sources = [self._place(next(s.index for s in self.sources if s.label == quark.source), quark.twist)
                   for quark in correlator.quarks[:2 if three else None]]
        words = [correlator.correlator] + ([correlator.sink_operator] if three else [])
        return places.Lie(words, correlator.momentum, correlator.sink, is_baryon(correlator.correlator), sources)

    def _place(self, index, twist):
        a = self.h5[f"prop/s{index:04d}/source"].attrs
        return {**{name: _text(a[name]) for name in ("type", "subset", "smearing")}, "twist": twist,
                "begin": tuple(int(n) for n in a["phases_from" if "phases_from" in a else "origin"]),
                **{name: tuple(int(n) for n in a[name]) for name in ("origin", "momentum")}}

    def _sign(self, correlator):
        return self._lie(correlator).sign(self.has_spin, _GAMMAS)

    @property
    def antiperiodic(self):
        """Whether the quarks change sign across the boundary in time."""
        return "lattice.boundary_t = antiperiodic" in _text(self.h5["metadata/canonical_input"][()]).splitlines()

    def _of_solves(self):
        found = []
        for s in self.sources:
            for mass in range(s.masses):
                group = f"corr/{s.label}/m{mass:02d}"
                if f"{group}/per_colour" not in self.h5:
                    continue
                names = [_text(self.h5[f"{group}/per_colour"].attrs[key]).split() for key in ("correlators", "momenta")]
                quark = self._quark(self.h5[group].attrs, s.label)
                for meson in names[0]:
                    for p in names[1]:
                        path = f"/{group}/{meson}/{p}"
                        momentum = tuple(int(k) for k in self.h5[path].attrs["momentum"])
                        found.append(Correlator(path, s.set, meson, "correlator", (quark,), momentum, "point", s))
        return found

    def _quark(self, a, label, before=""):
        mass = float(a[before + "mass"])
        quark = Quark(label, mass, float(a.get(before + "naik_epsilon", 0)), tuple(float(k) for k in a.get(before + "twist", (0, 0, 0))))
        quark.kappa = self._kappa_of(mass)
        return quark

    def _contracted(self, path):
        a = self.h5[path].attrs
        if "spectator" in a:
            return self._three_point(path, a)
        others = ("antiquark",) if "antiquark" in a else ("second_quark", "third_quark") if "second_quark" in a else ()
        quarks = [self._quark(a, _text(a["quark"]))]
        for word in others:
            before = word.replace("_quark", "") + "_"
            quarks.append(self._quark(a, _text(a[word]), before))
        sources = {s.label: s for s in self.sources}
        return Correlator(path, path.split("/")[2], _text(a["correlator"]), _text(a["quantity"]), tuple(quarks),
                          tuple(int(k) for k in a["momentum"]), _text(a["sink"]) if "sink" in a else "point",
                          sources.get(quarks[0].source) if _text(a["quantity"]) == "correlator" else None)

    def _three_point(self, path, a):
        quarks = (self._quark(a, _text(a["antiquark"]), "antiquark_"), self._quark(a, _text(a["spectator"]), "spectator_"),
                  self._quark(a, _text(a["quark"])))
        sources = {s.label: s for s in self.sources}
        return ThreePoint(path, path.split("/")[2], _text(a["correlator"]), _text(a["quantity"]), quarks,
                          tuple(int(k) for k in a["momentum"]), "point",
                          sources.get(quarks[0].source) if _text(a["quantity"]) == "correlator" else None,
                          int(a["sink_time"]), tuple(int(k) for k in a["sink_momentum"]), _text(a["sink_operator"]))

    @property
    def has_spin(self):
        """Whether the quarks are Wilson, clover or twisted-mass ones."""
        if self._has_spin is None:
            lines = _text(self.h5["metadata/canonical_input"][()]).splitlines()
            self._has_spin = any(f"action.type = {kind}" in lines for kind in ("wilson", "clover", "twisted_mass"))
        return self._has_spin

    @property
    def contractions(self):
        """Paths of the correlators that are made of several solves: pairs, baryons, condensate, averages."""
        names = self.h5["metadata/contractions"][()] if "contractions" in self.h5["metadata"] else ""
        return _text(names).split()

    def contraction(self, path):
        """[T] complex128 of one of `contractions`; "/corr/" may be left out. Its checksum is verified."""
        full = path if path.startswith("/") else "/corr/" + path
        names = self.contractions
        if full not in names:
            raise LookupError(f"{self.path} has no {full}; it has {', '.join(names) or 'none'}")
        values = self._verified(full, int(self.h5["contractions"][names.index(full)]))
        self._warn_of(full)
        return values

    def _verified(self, path, word):
        """The numbers of one of `contractions`, whose checksum is in `word`; 0: they are not made yet."""
        if word == 0:
            raise NotSolved(f"{self.path}: {path} is made when all solves are done")
        values = self.h5[path][...]
        if word & 0xffffffff != zlib.crc32(values.tobytes()):
            raise Damaged(f"{self.path}: {path} disagrees with its checksum")
        return values

    def _missed_quarks(self):
        """[(Source, mass number, (mass, naik_epsilon))] of what did not converge; kept when no solve is pending."""
        if self._missed is not None:
            return self._missed
        records = self.solves
        states = np.array([self._states.get(int(word), "pending") for word in records["state"]])
        pairs = sorted({(int(r["source"]), int(r["mass"])) for r in records[states == NOT_CONVERGED]})
        of, own = {s.index: s for s in self.sources}, [self._of_pair(*pair) for pair in pairs]
        missed = [(of[source], mass, (float(a["mass"]), float(a.get("naik_epsilon", 0)))) for (source, mass), a in zip(pairs, own)]
        self._missed = None if "pending" in states else missed
        return missed

    def _warn_of(self, path):
        """Of a correlator with a quark that did not converge. The quarks of an average are all of their entries; of
        truncated solves what is not sloppy alone has the exact solves of an entry of their own, too."""
        missed = self._missed_quarks()
        c = self._contracted(path) if missed else None
        corrected = missed and "exact_sources" in self.h5[path].attrs and not c.quantity.startswith("sloppy")
        for of, mass, numbers in missed:
            names = (of.label, of.set) + ((of.set[:-len(_EXACT)],) if corrected and of.set.endswith(_EXACT) else ())
            if any(q.source in names and (q.mass, q.naik_epsilon) == numbers for q in c.quarks):
                warnings.warn(f"{self.path}: {path} has a quark that did not converge, source {of.index}, mass {mass}",
                              NotConverged, stacklevel=3)

    def propagator(self, source=0, mass=0, part=False):
        """The dataset [3][T][Z][Y][X] of source number `source` of the file: source colour, site;
        whatever slice is read has a last axis more, the sink colour. [...] reads all, which functions of numpy need. M G = source. Of Wilson and
        clover quarks [4][3][T][Z][Y][X], source spin and colour, and two axes more, sink spin and colour.
        Where single colours were solved the others are zero, and `part` must be true."""
        self._need(source, mass)
        name = f"prop/s{source:04d}/m{mass:02d}"
        if name not in self.h5:
            raise LookupError(f"{self.path} stores no propagators, only correlators")
        if "colours" in self.h5[name].attrs and not part:
            raise LookupError(f"{self.path}: of source {source} only colours {_text(self.h5[name].attrs['colours'])} "
                              "were solved: it is no propagator; part=True gives it as it is")
        return self.h5[name]

    def _need(self, source, mass):
        records = self.solves
        mine = [r for r in records if r["source"] == source and r["mass"] == mass]
        self._are_numbers(source, mass)
        if not mine:
            raise LookupError(f"{self.path} has no source {source} with mass number {mass}")
        if any(self.state(r) == "pending" for r in mine):
            raise NotSolved(f"{self.path}: source {source}, mass {mass} is not solved yet")
        worst = max((r["true_residual"] for r in mine if self.state(r) == NOT_CONVERGED), default=None)
        if worst is not None:
            warnings.warn(f"{self.path}: source {source}, mass {mass} did not converge, residual {worst:.1e}",
                          NotConverged, stacklevel=3)

    def _are_numbers(self, source, mass):
        for word, number in (("mass", mass), ("source", source)):
            if isinstance(number, (str, float, np.floating)):
                raise LookupError(f"{self.path} has no {word} number {number}: the masses of an entry and the sources of a file "
                                  "count from 0; find takes values and names")

    def _of_pair(self, source, mass):
        """Attributes of one source and mass."""
        self._are_numbers(source, mass)
        label = [s.label for s in self.sources if s.index == source]
        for name in (f"prop/s{source:04d}/m{mass:02d}", f"corr/{''.join(label)}/m{mass:02d}"):
            if name in self.h5 and "mass" in self.h5[name].attrs:
                return self.h5[name].attrs
        own = self.h5[f"prop/s{source:04d}/source"].attrs if f"prop/s{source:04d}/source" in self.h5 else {}
        if "mass" in own and 0 <= mass < len(own["mass"]):  # neither propagators nor correlators are stored
            return {key: own[key][mass] if key in ("mass", "naik_epsilon") else own[key]
                    for key in ("mass", "naik_epsilon", "twist", "action") if key in own}
        raise LookupError(f"{self.path} has no source {source} with mass number {mass}")

    def _source(self, set_name, number):
        for s in self.sources:
            if s.set == set_name and s.number == number:
                return s
        names = sorted({s.set for s in self.sources})
        several = set_name not in names and any(c.name == set_name for c in self.correlators)
        raise LookupError(f"{self.path} has no set '{set_name}' with source {number}; sets: {names}"
                          + (f"; find('{set_name}') gives the correlators of {set_name}, which need several solves" if several else ""))

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


def _of_bricks(v):
    """[T/2][Z/2][Y/2][X/2] bricks of 16 bits as [T][Z][Y][X/2][3] complex64."""
    numbers = v["number"].astype(np.float32) * v["scale"][..., None, None, None]
    t, z, y, x = v.shape
    sites = numbers.reshape(t, z, y, x, 2, 2, 2, 3, 2).transpose(0, 4, 1, 5, 2, 6, 3, 7, 8)  # k = y + 2 z + 4 t
    return np.ascontiguousarray(sites).view(np.complex64).reshape(2 * t, 2 * z, 2 * y, x, 3)


class Modes(_Opened):
    """Low modes of -D_eo D_oe: `values` [n] = 4 lambda^2 ascending, `lambdas` [n] in units of the mass, `residuals`
    [n] = |-D_eo D_oe v - value v|, `size` (x, y, z, t), and `attributes`: action, boundary_t, naik_epsilon, checksums
    of the links, how they were found. What is read is compared with its checksums; Damaged is raised."""

    def __init__(self, path):
        if not os.path.exists(path):
            raise FileNotFoundError(f"there is no file {path}")
        self._open(path)
        try:
            self._read_numbers()
        except BaseException:
            self.h5.close()
            raise

    def _read_numbers(self):
        if _text(self.h5.attrs.get("format", "")) != "naik-modes":
            raise ValueError(f"{self.path} holds no low modes of naik")
        version = _text(self.h5.attrs["format_version"])
        if not re.match(r"[12]\.", version):
            raise ValueError(f"{self.path} has version {version}; this module reads versions 1 and 2")
        if _text(self.h5.attrs.get("state", "")) != "complete":
            raise ValueError(f"{self.path} is not complete: run the same naik modes again")
        _check_seal(self.h5, self.path)
        self.attributes = {name: _text(value) if isinstance(value, (bytes, str)) else value
                           for name, value in self.h5.attrs.items()}
        self.size = tuple(int(n) for n in self.h5.attrs["dims"])  # x, y, z, t
        self.values, self.residuals = self.h5["modes/lambda2"][...], self.h5["modes/residual"][...]
        for name, numbers in (("lambda2", self.values), ("residual", self.residuals)):
            stored = self.h5.attrs.get(name + "_crc")  # not in the first files
            if stored is not None and int(stored) != zlib.crc32(numbers.tobytes()):
                raise Damaged(f"{self.path} is damaged: {name} disagrees with its checksum")
        self.lambdas = 0.5 * np.sqrt(np.maximum(self.values, 0))

    def __len__(self):
        return len(self.values)

    def mode(self, index):
        """[T][Z][Y][X/2][3] complex64 on the even sites: element k along x is x = 2k + (y + z + t) % 2. Of a file in
        16 bits, the numbers times their scales."""
        if not 0 <= index < len(self):
            raise LookupError(f"{self.path} has no mode {index}; it has {len(self)}")
        v = self.h5["modes/v"][index]
        bricks = v.dtype.names is not None
        sums = _site_sums(np.frombuffer(v.tobytes(), np.uint8).reshape(-1, 100 if bricks else 24))
        if sums != (int(self.h5["modes/suma"][index]), int(self.h5["modes/sumb"][index])):
            raise Damaged(f"{self.path} is damaged: mode {index} disagrees with its checksum")
        return _of_bricks(v) if bricks else v

    def on_all_sites(self, index):
        """The same as [T][Z][Y][X][3], zero on the odd sites."""
        v = self.mode(index)
        out = np.zeros(v.shape[:3] + (2 * v.shape[3], 3), v.dtype)
        t, z, y, k = np.indices(v.shape[:4])
        out[t, z, y, 2 * k + (t + z + y) % 2] = v
        return out


def same_links(a, b):
    """Whether two File.configuration are of the same links: by their checksum, of any format, where both have it."""
    of = [line.partition(") links ") for line in (a, b)]
    sums = [sum for _, _, sum in of]
    return sums[0] == sums[1] if all(sums) else of[0][0].rstrip(")") == of[1][0].rstrip(")")


def effective_mass(c):
    """m(t) = arccosh((C(t-1) + C(t+1)) / 2 C(t)) of a correlator periodic in t, of a complex one its real part; NaN
    where that has no solution. [T]"""
    c = np.asarray(c).real
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.arccosh((np.roll(c, 1, -1) + np.roll(c, -1, -1)) / (2 * c))


def falling_mass(c):
    """m(t) = log(C(t) / C(t+1)) of a correlator that falls from its source on, such as a baryon's; NaN where C(t) and
    C(t+1) differ in sign, as they do where the part that runs backwards in time takes over. [T]"""
    c = np.asarray(c).real
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.log(c / np.roll(c, -1, -1))


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
