"""The description of the answers, src/model/answers: in order, and with one name for one thing."""

import collections
import json

import jsonschema
import pytest

import answer_types
from support import answers

TYPES = answer_types.definitions()

# Members that are not yet the same in all kinds of models that have them: QUESTION.MEMBER.
DIFFERENT = set("""
    constants.constants function.attributes
    layers.layers node.attributes node.device node.from
    nodes.nodes overview.graph overview.objects
    overview.parameters overview.tags tag.constants tag.updater_state
""".split())


def parts(schema):
    """It and all schemas in it."""
    if isinstance(schema, list):
        for one in schema:
            yield from parts(one)
    elif isinstance(schema, dict):
        yield schema
        for one in schema.values():
            yield from parts(one)


def undescribed(schema):
    """What it says, without descriptions."""
    if isinstance(schema, list):
        return [undescribed(one) for one in schema]
    if isinstance(schema, dict):
        return {key: undescribed(one) for key, one in sorted(schema.items())
                if key != "description" or not isinstance(one, str)}
    return schema


def test_the_files_are_a_json_schema():
    jsonschema.Draft202012Validator.check_schema({"$defs": TYPES})


def test_references_and_files_agree():
    used = {answer_types.target(one) for one in parts(list(TYPES.values())) if isinstance(one.get("$ref"), str)}
    assert used - set(TYPES) == set()
    asked_otherwise = {"Answers", "Differences", "OnnxBriefOverview", "Statistics"}  # by what is not one of the questions
    assert set(TYPES) - used - asked_otherwise == set()


@pytest.mark.parametrize("name", sorted(TYPES))
def test_each_has_a_description(name):
    assert TYPES[name].get("description")


def test_no_two_definitions_say_the_same():
    same = collections.defaultdict(list)
    for name, schema in TYPES.items():
        same[json.dumps(undescribed(schema), sort_keys=True)].append(name)
    assert [names for names in same.values() if len(names) > 1] == []


def members(schema):
    """(name, form) of all members that a value may have, but for those that tell kinds apart."""
    if "$ref" in schema:
        schema = TYPES[answer_types.target(schema)]
    for name, one in schema.get("properties", {}).items():
        if "const" not in one:
            yield name, json.dumps(undescribed(one))
    for one in schema.get("allOf", []) + schema.get("anyOf", []):
        yield from members(one)


def test_a_member_has_one_form_in_all_kinds():
    """What is new is shared; what has become the same is no longer in the list."""
    forms = collections.defaultdict(lambda: collections.defaultdict(set))
    for kind, answer in TYPES["Answers"]["properties"].items():
        for question, asked in TYPES[answer_types.target(answer)]["properties"].items():
            for name, form in members(asked):
                forms[f"{question}.{name}"][kind].add(form)
    assert {name for name, kinds in forms.items() if len(set(map(frozenset, kinds.values()))) > 1} == DIFFERENT


def test_an_answer_that_no_type_names_fails():
    answer = {"function": None, "nodes": {"items": [], "first": 0, "total": 0}, "problems": []}
    answers.check("AnyNodes", json.dumps(answer))
    for wrong in ({**answer, "new": 1}, {**answer, "nodes": None}, {**answer, "nodes": {**answer["nodes"], "new": 1}}):
        with pytest.raises(AssertionError):
            answers.check("AnyNodes", json.dumps(wrong))
