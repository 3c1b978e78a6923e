"""Core ML models that nobody makes: each question is answered, or refused in one line, in bounded work."""

import json

import pytest
from support import wire
from support.coreml_wire import HEAD, blob, const, convolution, description, entry, floats, layer, network, number, program, value

QUESTIONS = ["overview", "functions", "nodes", "scopes", "layers", "constants", "ops"]


def within(levels):
    block = b""
    for _ in range(levels):
        block = wire.field(3, wire.field(1, b"cond") + wire.field(3, wire.field(1, b"c")) + wire.field(4, block))
    return program(block)


def pipelines(levels):
    model = HEAD + wire.field(500, b"")
    for _ in range(levels):
        model = HEAD + wire.field(202, wire.field(1, model) + wire.field(2, b"m"))
    return model


MODELS = {
    "deep blocks": within(3000),
    "deep pipelines": pipelines(3000),
    "dims overflow": program(const(value([2**62, 2**62, 3], content=floats(bytes(4))))),
    "dims of nothing": program(const(value([0, 2**62], content=floats(bytes(0))))),
    "a hundred dims": program(const(value([1] * 100, content=floats(bytes(4))))),
    "unknown rank": program(const(value([], content=floats(bytes(4)), rank=-1))),
    "more values than dims": program(const(value([2], content=floats(bytes(4000))))),
    "fewer values than dims": program(const(value([2**40], content=floats(bytes(12))))),
    "no values": program(const(value([3]))),
    "a type that is not known": program(const(value([3], kind=99, content=floats(bytes(12))))),
    "another type in floats": program(const(value([3], kind=10, content=floats(bytes(12))))),
    "many operations of nothing": program(wire.field(3, b"") * 200_000),
    "several programs": program(b"") + program(const(value([1], content=floats(bytes(4)))))[len(HEAD):],
    "two types": HEAD + wire.field(500, b"") + wire.field(502, b""),
    "no type": HEAD,
    "a type of the future": HEAD + wire.field(2999, b"abc"),
    "a layer of the future": network(layer(4000, b"abc")),
    "sizes of a layer overflow": network(convolution([2**63, 2**63, 1], wire.field(2, bytes(8)))),
    "groups of nothing": network(convolution([4, 4, 0], wire.field(2, bytes(8)))),
    "quantized to 99 bits": network(convolution([1, 1, 1], wire.field(30, bytes(8)) + wire.field(40, number(1, 99)))),
    "weights of no bytes": network(convolution([4, 4, 1], wire.field(31, b""))),
    "a name that is no text": network(layer(230, b"", b"\xff\x1b[2J\0")),
}


@pytest.mark.parametrize("name", MODELS)
def test_each_question_has_an_answer_or_an_error(cpb, tmp_path, name):
    path = tmp_path / "m.mlmodel"
    path.write_bytes(MODELS[name])
    for question in QUESTIONS:
        for how in ([], ["--json"]):
            result = cpb.run("inspect", path, question, *how)
            lines = result.stderr.decode().splitlines()
            assert result.returncode in (0, 1, 2, 4) and len(lines) <= 2, (question, result)
            assert b"\x1b" not in result.stdout + result.stderr
            if how and result.stdout:
                json.loads(result.stdout)


@pytest.mark.parametrize("name, problem", [
    ("dims overflow", b"size"), ("a hundred dims", b"size"), ("unknown rank", b"size"),
    ("more values than dims", b"more values"), ("fewer values than dims", b"expected 1099511627776"),
    ("no values", b"no tensor"), ("a type that is not known", b"dtype 99"), ("another type in floats", b"float16 in floats")])
def test_values_that_cannot_be(cpb, tmp_path, name, problem):
    path, out = tmp_path / "m.mlmodel", tmp_path / "t.npy"
    path.write_bytes(MODELS[name])
    result = cpb.run("extract", path, "t", "-o", out)
    assert result.returncode in (2, 4, 5) and problem in result.stderr, result.stderr
    assert not out.exists()


def test_weights_of_no_bytes_are_no_values(cpb, tmp_path):
    path, out = tmp_path / "m.mlmodel", tmp_path / "t.npy"
    path.write_bytes(MODELS["weights of no bytes"])
    cpb.ok("extract", path, "l:weights", "-o", out)
    assert b"(0,)" in out.read_bytes()


@pytest.mark.parametrize("name, shown", [("deep blocks", "functions"), ("deep pipelines", "functions")])
def test_graphs_that_are_too_deep_are_not_passed_over_in_silence(cpb, tmp_path, name, shown):
    path = tmp_path / "m.mlmodel"
    path.write_bytes(MODELS[name])
    answer = json.loads(cpb.ok("inspect", path, shown, "--json"))
    assert 5 < answer[shown]["total"] < 60
    assert [p["text"].split(";")[0] for p in answer["problems"]] == ["messages are nested deeper than the limit"]
    path.write_bytes(within(10))
    assert json.loads(cpb.ok("inspect", path, "functions", "--json"))["problems"] == []


# --- Files of weights -----------------------------------------------------------------------------------


FILES = {
    "no mark": (64, bytes(64) + description(mark=0) + bytes(12), b"0xDEADBEEF"),
    "another type": (64, bytes(64) + description(kind=1) + bytes(12), b"mil_dtype is 1"),
    "another size": (64, bytes(64) + description(size=8) + bytes(12), b"8 bytes; expected 12"),
    "values past the end": (64, bytes(64) + description(offset=1000) + bytes(12), b"expected at least 1012"),
    "values beyond all": (64, bytes(64) + description(offset=2**64 - 4) + bytes(12), b"2^63"),
    "description past the end": (2**40, b"\1" * 200, b"expected at least"),
    "an offset beyond all": (2**64 - 1, bytes(200), b"2^63"),
    "an empty file": (64, b"", b"expected at least"),
}


@pytest.mark.parametrize("name", FILES)
def test_files_of_weights_that_are_none(cpb, tmp_path, name):
    offset, data, problem = FILES[name]
    (tmp_path / "weights").mkdir()
    (tmp_path / "weights/weight.bin").write_bytes(data)
    (tmp_path / "m.mlmodel").write_bytes(program(const(value([3], content=blob(b"@model_path/weights/weight.bin", offset)))))
    result = cpb.run("extract", tmp_path / "m.mlmodel", "t", "-o", tmp_path / "t.npy")
    assert result.returncode in (2, 3, 4) and problem in result.stderr, result.stderr
    assert not (tmp_path / "t.npy").exists()


@pytest.mark.parametrize("location", [b"../secret", b"@model_path/../secret", b"/etc/hostname", b"weights/../../secret", b"",
                                      b"@model_path/", b"a\nb"])
def test_files_outside_are_not_opened(cpb, tmp_path, location):
    (tmp_path / "secret").write_bytes(bytes(64) + description() + bytes(12))
    (tmp_path / "model").mkdir()
    path = tmp_path / "model/m.mlmodel"
    path.write_bytes(program(const(value([3], content=blob(location, 64)))))
    result = cpb.run("extract", path, "t", "-o", tmp_path / "t.npy")
    assert result.returncode in (2, 3, 4) and not (tmp_path / "t.npy").exists()
    assert len(result.stderr.splitlines()) == 1 and b"\x1b" not in result.stderr


@pytest.mark.parametrize("named, default", [(b"", "main"), (b"last", "last"), (b"none", "first")])
def test_the_default_function_wherever_it_is(cpb, tmp_path, named, default):
    functions = b"".join(entry(2, name, wire.field(2, b"o") + entry(3, b"o", b"")) for name in (b"first", b"main", b"last"))
    description = wire.field(2, wire.field(21, named))
    (tmp_path / "m").write_bytes(number(1, 9) + description + wire.field(502, functions))
    answer = json.loads(cpb.ok("inspect", tmp_path / "m", "overview", "--json"))
    assert (answer["function"], answer["functions"]) == (default, 2)
