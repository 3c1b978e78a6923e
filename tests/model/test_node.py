"""cpb inspect MODEL node NAME: what goes in and from where, what comes out and to whom, in every kind of model."""

import json

import pytest

from conftest import DATA
from support import onnx_models
from support.coreml_wire import blob, const, entry, floats, number, program, value  # noqa: F401
from support import wire
from support.diffs import path_of
from support.samediff import FOLDER

onnx = pytest.importorskip("onnx")


def ask(cpb, path, question, name=None, scope=None):
    words = [question] + ([name] if name is not None else []) + (["--scope", scope] if scope else [])
    return json.loads(cpb.ok("inspect", path, *words, "--json", "--count", 10**6))


def operation(kind, output, **inputs):
    """Of a Core ML program: inputs by their roles."""
    arguments = b"".join(entry(2, role.encode(), wire.field(1, wire.field(1, name.encode()))) for role, name in inputs.items())
    return wire.field(3, wire.field(1, kind.encode()) + arguments + wire.field(3, wire.field(1, output.encode()) + value([3])[0:0]))


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("nodes")
    onnx.save(onnx_models.rich(), folder / "m.onnx")
    weight = const(value([3], content=floats(bytes(12))), b"w")
    (folder / "m.mlmodel").write_bytes(program(weight + operation("add", "sum", x="in", y="w") + operation("relu", "out", x="sum")))
    return {"onnx": folder / "m.onnx", "coreml": folder / "m.mlmodel", "samediff": FOLDER / "ops_a.fb",
            "zip": DATA / "samediff_small" / "minimal.zip", "tensorflow": path_of("real_tf_module")}


KINDS = ["onnx", "coreml", "samediff", "zip", "tensorflow"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_loop_of_two_nodes_is_followed_once(cpb, models, kind):
    """Each edge is seen from both ends; the rest is what `nodes` says."""
    path, given, taken = models[kind], set(), set()
    functions = [f["name"] for f in ask(cpb, path, "functions")["functions"]["items"]]
    for function in [None, *functions]:
        for node in ask(cpb, path, "nodes", function)["nodes"]["items"]:
            answer = ask(cpb, path, "node", node["name"], function)
            assert {key: answer[key] for key in node} == node
            assert answer["consumers"] == ask(cpb, path, "consumers", node["name"], function)["consumers"]
            assert [s["value"] for s in answer["from"] if not s.get("control")] == node["inputs"]
            given |= {(s.get("function", function), s["name"], s.get("index", 0), function, node["name"], s["input"])
                      for s in answer["from"] if s["is"] == "node" and "input" in s}
            taken |= {(function, node["name"], i["index"], c.get("function", function), c["name"], i["input"])
                      for c in answer["consumers"]["items"] if c["is"] == "node" for i in c["inputs"]}
    assert given and given == taken


def test_the_server_of_a_file(cpb, models):
    found = {s["value"]: s for s in ask(cpb, models["onnx"], "node", "/model/0/MatMul")["from"]}
    assert (found["x"]["is"], found["x"]["dtype"]) == ("argument", "float32")
    weight = found["model.0.weight"]
    assert (weight["is"], weight["dtype"], weight["shape"]) == ("tensor", "float32", [3, 4])
    found = ask(cpb, models["coreml"], "node", "sum")["from"]
    assert [(s["role"], s["is"], s["name"]) for s in found if s["is"]] == [("y", "node", "w")]
    found = ask(cpb, models["zip"], "node", "add")["from"]
    assert [(s["is"], s["name"], s["shape"]) for s in found] == [("node", "matmul", None), ("tensor", "shared", [2])]


def test_values_of_graphs_around_are_found_there(cpb, models):
    """What a branch takes of the graph that has the If."""
    around = {(s["function"], s["is"], s["name"]) for branch in ("choose:then_branch", "choose:else_branch")
              for node in ask(cpb, models["onnx"], "nodes", branch)["nodes"]["items"]
              for s in ask(cpb, models["onnx"], "node", node["name"], branch)["from"] if s["is"] and s["function"] is None}
    assert around == {(None, "node", "/model/0/MatMul")}


@pytest.mark.parametrize("kind", KINDS)
def test_a_node_that_is_not_there_is_an_error(cpb, models, kind):
    result = cpb.run("inspect", models[kind], "node", "nobody")
    assert result.returncode in (1, 3) and result.stderr.count(b"\n") == 1 and not result.stdout
    assert b"node needs the NAME of a node" in cpb.run("inspect", models[kind], "node").stderr


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("word", ["weights", "tensors", "initializers"])
def test_weights_have_several_names(cpb, models, kind, word):
    question = "variables" if kind == "tensorflow" else "constants"
    assert cpb.ok("inspect", models[kind], word) == cpb.ok("inspect", models[kind], question)
