"""ONNX models that nobody exports: each question is answered, or refused in one line, in bounded work. How the work
grows is in tests/complexity/families_onnx.py."""

import json

import pytest
from support import wire

QUESTIONS = ["overview", "functions", "nodes", "scopes", "layers", "constants", "ops"]


def number(n, value):
    return wire.tag(n, 0) + wire.varint(value & 2**64 - 1)


def within(levels):
    """A graph in an attribute of a node of a graph, and so on."""
    graph = wire.field(2, b"innermost")
    for _ in range(levels):
        graph = wire.field(1, wire.field(4, b"If") + wire.field(5, wire.field(1, b"then_branch") + wire.field(6, graph)))
    return wire.field(7, graph)


def function(name, calls):
    node = wire.field(3, b"n") + wire.field(4, calls) + wire.field(7, b"local")
    return wire.field(25, wire.field(1, name) + wire.field(7, node) + wire.field(10, b"local"))


def tensor(dims, raw=b"", rest=b""):
    return wire.field(7, wire.field(5, b"".join(number(1, d) for d in dims) + number(2, 1) + wire.field(8, b"t") +
                                    wire.field(9, raw) + rest))


HEAD = number(1, 10) + wire.field(2, b"nobody")
MODELS = {
    "deep": HEAD + within(3000),
    "calls itself": HEAD + function(b"f", b"f") + wire.field(7, b""),
    "two call each other": HEAD + function(b"f", b"g") + function(b"g", b"f") + wire.field(7, b""),
    "dims overflow": HEAD + tensor([2**62, 2**62, 3]),
    "dims below zero": HEAD + tensor([-1, 4], bytes(16)),
    "dims of nothing": HEAD + tensor([0, 2**62]),
    "more values than dims": HEAD + tensor([2], bytes(4096)),
    "no initializers": HEAD + wire.field(7, wire.field(5, b"") * 200_000),
    "several graphs": HEAD + wire.field(7, wire.field(2, b"a")) + wire.field(7, wire.field(2, b"b")),
    "a name that is no text": HEAD + wire.field(7, wire.field(1, wire.field(3, b"\xff\x1b[2J\0") + wire.field(4, b"X"))),
}


@pytest.mark.parametrize("name", MODELS)
def test_each_question_has_an_answer_or_an_error(cpb, tmp_path, name):
    path = tmp_path / "m.onnx"
    path.write_bytes(MODELS[name])
    for question in QUESTIONS:
        for how in ([], ["--json"]):
            result = cpb.run("inspect", path, question, *how)
            lines = result.stderr.decode().splitlines()
            assert result.returncode in (0, 1, 2, 4) and len(lines) <= 2, (question, result)
            assert b"\x1b" not in result.stdout + result.stderr
            if how and result.stdout:
                json.loads(result.stdout)


@pytest.mark.parametrize("name, problem", [("dims overflow", b"dims"), ("dims below zero", b"dims"),
                                           ("more values than dims", b"raw_data")])
def test_values_that_cannot_be(cpb, tmp_path, name, problem):
    path, out = tmp_path / "m.onnx", tmp_path / "t.npy"
    path.write_bytes(MODELS[name])
    result = cpb.run("extract", path, "t", "-o", out)
    assert result.returncode in (2, 4) and problem in result.stderr, result.stderr
    assert not out.exists()


def test_graphs_that_are_too_deep_are_not_passed_over_in_silence(cpb, tmp_path):
    path = tmp_path / "m.onnx"
    path.write_bytes(MODELS["deep"])
    answer = json.loads(cpb.ok("inspect", path, "functions", "--json"))
    assert answer["functions"]["total"] == 33
    assert [p["text"].split(";")[0] for p in answer["problems"]] == ["messages are nested deeper than the limit"]
    path.write_bytes(HEAD + within(30))
    assert json.loads(cpb.ok("inspect", path, "functions", "--json"))["problems"] == []
