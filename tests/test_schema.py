# test_schema.py - naik schema against all inputs of inputs/ and of the pages, and what it refuses
# timeout: 120
import copy
import glob
import importlib.util
import json
import os
import re

from program import answer, main, naik

TOP = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
FOUND = all(importlib.util.find_spec(name) for name in ("jsonschema", "yaml"))
SCHEMA = json.loads(naik("schema"))


def load(text):
    """YAML 1.2's scalars, as editors and naik read them: 1e-10 is a number, and off is a word."""
    import yaml

    class Loader(yaml.SafeLoader):
        yaml_implicit_resolvers = {}

    for tag, words, first in (("bool", "true|false", "tf"), ("null", "null|~|", "n~"), ("int", r"[-+]?[0-9]+", "-+0123456789"),
                              ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", "-+.0123456789")):
        Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"^(?:{words})$"), list(first))
    Loader.add_constructor("tag:yaml.org,2002:float", lambda loader, node: float(node.value))
    return yaml.load(text, Loader)


def errors(document):
    import jsonschema
    return [f"{'.'.join(map(str, e.absolute_path))}: {e.message[:200]}" for e in jsonschema.Draft7Validator(SCHEMA).iter_errors(document)]


def inputs():
    """Every input file, and every block of a page that is a whole input."""
    for name in sorted(glob.glob(os.path.join(TOP, "inputs", "*.yaml"))):
        with open(name, encoding="utf-8") as f:
            yield os.path.basename(name), load(f.read())
    for name in [os.path.join(TOP, "README.md"), *sorted(glob.glob(os.path.join(TOP, "doc", "*.md")))]:
        with open(name, encoding="utf-8") as f:
            text = f.read()
        for block in re.findall(r"(?:^    .*\n)(?:(?:    .*)?\n)*", text, flags=re.M) + re.findall(r"^```yaml\n(.*?)^```$", text, flags=re.M | re.S):
            lines = "\n".join(line[4:] if line.startswith("    ") else line for line in block.split("\n"))
            if re.search(r"^lattice:", lines, flags=re.M) and re.search(r"^output:", lines, flags=re.M):
                yield os.path.basename(name), load(lines)


def every_input_that_is_shown_is_valid():
    if not FOUND:
        return "needs jsonschema and yaml"
    import jsonschema
    jsonschema.Draft7Validator.check_schema(SCHEMA)
    seen = set()
    for name, document in inputs():
        seen.add(name)
        wrong = errors(document)
        assert not wrong, (name, wrong)
    assert len(seen) > 12 and {"README.md", "from-milc.md"} <= seen, seen


GOOD = {"lattice": {"size": [4, 4, 4, 8]}, "gauge": {"file": "lat"}, "action": {"type": "hisq"},
        "solve": [{"name": "pt", "masses": [0.1], "source": {"type": "point", "origin": [0, 0, 0, 0]}}],
        "solver": {"tolerance": 1e-10}, "output": {"file": "a.h5"}}


def misspelt_keys_and_wrong_types_are_refused():
    if not FOUND:
        return "needs jsonschema and yaml"
    assert not errors(GOOD)
    wrong = [("solver.tolerence", 1e-8, "tolerence"), ("solvr", {}, "solvr"), ("solver.tolerance", "small", "small"),
             ("solver.tolerance", 0, "0"), ("solver.max_iterations", 100000001, "maximum"), ("lattice.size", [4, 4, 4], "[4, 4, 4]"), ("lattice.size", [4, 4, 4, 1], "1"),
             ("lattice.size", [4, 4, 4, 4.5], "4.5"), ("action.type", "hisk", "hisk"), ("solve.0.masses", [], "[]"),
             ("solve.0.masses", ["light"], "light"), ("solve.0.source.typ", "point", "typ"), ("solve.0.source.origin", [0, 0, 0], "[0, 0, 0]"),
             ("solve", {}, "{}"), ("solve", [], "[]"), ("output.correlators", ["pion6"], "pion6"), ("output.correlators", ["pion5", "pion5"], "non-unique"),
             ("output.propagators", "maybe", "maybe"), ("output.momenta", [[0, 0]], "[[0, 0]]"), ("run.wall_limit", "soon", "soon"),
             ("output", {}, "file"), ("lattice", {}, "size"), ("action", None, "action"), ("solve.0.name", ["a"], "['a']"),
             ("solver.link_numbers", 13, "13"), ("run.wall_limit", "90:00", "90:00"), ("run.wall_limit", "1:30", "1:30"),
             ("lattice.size", [4, 4, 3, 8], "3"), ("output.precision", 33, "33"), ("deflation.precision", 24, "24"), ("deflation.degree", 101, "101"), ("deflation.krylov", 36, "36")]
    for key, value, told in wrong:
        document = copy.deepcopy(GOOD)
        *way, last = [int(word) if word.isdigit() else word for word in key.split(".")]
        place = document
        for word in way:
            place = place.setdefault(word, {}) if isinstance(place, dict) else place[word]
        if value is None:
            del place[last]
        else:
            place[last] = value
        said = errors(document)
        assert said and any(told in sentence for sentence in said), (key, value, said)


def what_may_be_given_in_several_ways_is_valid():
    if not FOUND:
        return "needs jsonschema and yaml"
    for key, value in (("solver", {"link_numbers": 12}), ("solver", {"link_numbers": "12"}), ("run", {"wall_limit": "12:00:00"}), ("run", {"wall_limit": 600}), ("run", {"grid": "auto"}), ("run", {"grid": [1, 1, 1, 2]}),
                       ("gauge", {"file": "lat.{config}", "configs": [1000, "1006"]}), ("output", {"file": "a", "momenta": [1, 0, 0]}),
                       ("output", {"file": "a", "origin": "source", "mpi_info": {"cb_nodes": 4}}), ("lattice", {"size": [4, 4, 4, 8], "boundary_t": "periodic"})):
        assert not errors({**GOOD, key: value}), (key, value, errors({**GOOD, key: value}))


def the_schema_has_every_key_of_the_table():
    keys = set()

    def walk(schema, prefix):
        for name, inside in schema.get("properties", {}).items():
            if inside.get("type") == "object" and "properties" in inside:
                walk(inside, f"{prefix}{name}.")
            elif inside.get("type") == "array" and "properties" in inside["items"]:
                walk(inside["items"], f"{prefix}{name}.")
            else:
                keys.add(prefix + name)
                assert inside["description"], name

    walk(SCHEMA, "")
    told = naik("solve", "--help").split("The input file, with every key it may have:\n")[1]
    listed = set()
    for section in told.strip("\n").split("\n\n"):
        title, lines = section.split("\n", 1)
        head = title.split(":")[0].rstrip("[]")
        listed |= {f"{head}.{word}" for word in re.findall(r"^  ([a-z][a-z0-9_.]*)", lines, flags=re.M)}
    assert keys == listed, keys ^ listed
    status, said, told = answer("schema", "solve")
    assert status == 1 and "takes no operand" in told and not said


main([the_schema_has_every_key_of_the_table, every_input_that_is_shown_is_valid, misspelt_keys_and_wrong_types_are_refused,
      what_may_be_given_in_several_ways_is_valid])
