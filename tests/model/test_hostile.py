"""Hostile models: what is wrong is told, the rest is shown, and nothing that a terminal
acts on is printed. web/test/hostile.test.js asks the same through inspect()."""

import json

import pytest

from conftest import DATA
from support import wire

CASES = json.loads((DATA / "hostile_models.json").read_text())["cases"]
QUESTIONS = [["overview"], ["signature", "serve"], ["functions"], ["function", "f"], ["nodes"], ["scopes"],
             ["objects"], ["layers"], ["load", "root"], ["constants"], ["ops"], ["search", "a"], ["variables"], ["consumers", "x"], ["node", "x"]]


def encode(message):
    return b"".join(encode_field(number, value) for number, value in message)


def encode_field(number, value):
    if isinstance(value, int):
        return wire.tag(number, 0) + wire.varint(value & 2**64 - 1)
    if isinstance(value, str):
        return wire.field(number, value.encode())
    return wire.field(number, bytes.fromhex(value["hex"]) if isinstance(value, dict) else encode(value))


@pytest.fixture(params=CASES, ids=lambda case: case["name"])
def case(request, tmp_path):
    path = tmp_path / "saved_model.pb"
    path.write_bytes(encode(request.param["message"]))
    return dict(request.param, path=path)


def member(answer, path):
    for name in path.split("."):
        answer = answer[int(name)] if isinstance(answer, list) else answer[name]
    return answer


def texts(answer):
    return [problem["text"] for problem in answer["problems"]]


def test_the_rest_is_shown_and_what_is_wrong_is_told(cpb, case):
    told = []
    for expected in case["answers"]:
        answer = json.loads(cpb.ok("inspect", case["path"], *expected["ask"], "--json"))
        told += texts(answer)
        assert {path: member(answer, path) for path in expected["has"]} == expected["has"]
    for wanted in case.get("problems", []):
        assert any(wanted in text for text in told), told
    assert told == [] or case.get("problems")


def is_plain(text):
    return not any(ord(c) < 0x20 and c not in "\t\n" or 0x7F <= ord(c) < 0xA0 for c in text)


def test_each_question_has_an_answer_or_an_error_of_one_plain_line(cpb, case):
    for question in QUESTIONS:
        result = cpb.run("inspect", case["path"], *question)
        said = result.stderr.decode()
        lines = said.splitlines()
        assert len(lines) == 1 if result.returncode == 1 else result.returncode == 0, said
        assert all(line.startswith(f"{case['path']}: ") for line in lines)  # what is wrong, beside a list's lines
        assert is_plain(said) and is_plain(result.stdout.decode())


def test_a_model_equals_itself_and_differences_are_plain_text(cpb, case):
    other = DATA / "cpb" / "real_tf_module" / "orig.pb"
    for words, code in (((case["path"], case["path"]), 0), ((case["path"], other), 1), ((other, case["path"]), 1)):
        result = cpb.run("diff", *words)
        assert result.returncode == code, result.stderr
        assert result.stderr == b"" and is_plain(result.stdout.decode())
