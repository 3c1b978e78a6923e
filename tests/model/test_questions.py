"""What can be asked, and of which kinds of models, is in the docs and in the description of the answers."""

import re

import pytest

import answer_types
from conftest import ROOT

HEADER = (ROOT / "include/cpb/model.h").read_text()
KINDS = re.findall(r"^  X\(\w+, (\w+), \d+, \"[^\"]*\", (?:NULL|\"[\w.]+\")\)", HEADER, re.M)
QUESTIONS = re.findall(r"^  X\(\w+, (\w+), \d+, \"[^\"]*\", \"[^\"]*\.\"\)", HEADER, re.M)


def test_the_description_has_each_kind_and_each_question():
    described = answer_types.definitions()
    kinds = described["Answers"]["properties"]
    assert sorted(kinds) == sorted(KINDS)
    answered = {question for kind in kinds.values() for question in described[answer_types.target(kind)]["properties"]}
    assert answered == set(QUESTIONS)


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_is_documented(name):
    rows = (ROOT / "docs/inspecting.md").read_text()
    assert re.search(rf"^\| .*`{name}[ `]", rows, re.M), "docs/inspecting.md has a row for it"
