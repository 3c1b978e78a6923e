"""Whatever can be asked is known wherever questions are listed."""

import re

import pytest

from conftest import ROOT

HEADER = (ROOT / "include/cpb/model.h").read_text()
KINDS = re.findall(r'^  X\(\w+, (\d+), "(\w+)", "', HEADER, re.M)
QUESTIONS = re.findall(r'^  X\((\w+), (\d+), "[^"]*"\)', HEADER, re.M)
MODEL = ROOT / "tests/data/cpb/real_tf_module/orig.pb"


@pytest.mark.parametrize("name, number", [(name.lower(), number) for name, number in QUESTIONS])
def test_a_question_is_known_everywhere(cpb, name, number):
    answer = cpb.run("inspect", MODEL, name)
    assert b"there is no question" not in answer.stderr
    questions = cpb.ok("help", "inspect").decode().split("\nQuestions:\n")[1].split("\n\n")[0]
    assert re.search(rf"^  {name} .*[A-Z]", questions, re.M), "src/cli/commands.c explains it"
    rows = (ROOT / "docs/inspecting.md").read_text()
    assert re.search(rf"^\| .*`{name}[ `]", rows, re.M), "docs/inspecting.md has a row for it"
    in_javascript = (ROOT / "web/src/inspect/model.js").read_text()
    assert f"  {name}: {number},\n" in in_javascript, "JavaScript knows its number"


def test_there_are_questions_and_kinds():
    assert len(QUESTIONS) > 10 and len(KINDS) == 8


@pytest.mark.parametrize("number, name", KINDS)
def test_a_kind_is_known_everywhere(number, name):
    assert f"  {name}: {number},\n" in (ROOT / "web/src/inspect/model.js").read_text(), "JavaScript knows its number"
    assert f'    "{name}": {number},\n' in (ROOT / "python/libcpb/_models.py").read_text(), "Python knows its number"
