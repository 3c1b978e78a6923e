"""Answers held against their JSON Schema, src/model/answers."""

import functools
import json
import pathlib
import sys

import jsonschema

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "tools"))  # also where pytest's is another one's
import answer_types  # noqa: E402

MOST = 1 << 14  # bytes of an answer that is looked at: the validator takes some 10 ms for them


def closed(schema):
    """The same, but no value has members that it does not name."""
    if not isinstance(schema, dict) or set(schema) <= {"description"}:
        return schema
    return inside(schema) | {"unevaluatedProperties": False}


def inside(schema):
    """The same for what is in it: members and elements, not what else is said of the same value."""
    made = dict(schema)
    if "properties" in made:
        made["properties"] = {name: closed(one) for name, one in made["properties"].items()}
    for key in {"items", "additionalProperties"} & set(made):
        made[key] = closed(made[key])
    for key in {"allOf", "anyOf"} & set(made):
        made[key] = [inside(one) for one in made[key]]
    return made


@functools.cache
def validators():
    types = answer_types.definitions()
    types |= answer_types.any_kind(types)
    strict = {name: inside(one) for name, one in types.items()}
    return {name: jsonschema.Draft202012Validator(closed({"$ref": f"#/$defs/{name}"}) | {"$defs": strict})
            for name in types if name.startswith("Any") or name in ("Differences", "Statistics")}


# Members whose values are one of few.
WORDS = {"is", "kind", "use", "source", "from", "what", "type", "format", "role", "change", "color", "order", "byte_order",
         "why", "jit_compile", "checkpoints", "parameters_from"}
seen = set()


def form(value, member=None):
    """What the schema can tell of a value: two of the same form are both right, or both wrong."""
    if isinstance(value, dict):
        return frozenset((key, form(one, key)) for key, one in value.items())
    if isinstance(value, list):
        return (list, frozenset(form(one) for one in value))
    return value if member in WORDS or isinstance(value, bool) else type(value)


def check(name, text):
    """An answer is what the schema says of this definition; none that is long, which would take too long."""
    answer = json.loads(text) if len(text) <= MOST else None
    if answer is None or (name, form(answer)) in seen:
        return
    mistake = jsonschema.exceptions.best_match(validators()[name].iter_errors(answer))
    assert not mistake, f"{mistake.json_path}: {mistake.message[:1000]}"
    seen.add((name, form(answer)))
