"""Scopes of ONNX models have all that a drawing needs: what leads to what, tensors, calls, results."""

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402
from support.asking import ask  # noqa: E402


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    info = helper.make_tensor_value_info
    tensor = lambda name, *values: numpy_helper.from_array(np.array(values, np.float32), name)  # noqa: E731
    constant = lambda name, output, **value: helper.make_node("Constant", [], [output], name, **value)  # noqa: E731
    branch = lambda *nodes: helper.make_graph(nodes, "branch", [], [info("z", TensorProto.FLOAT, None)])  # noqa: E731
    nodes = [helper.make_node("MatMul", ["x", "w"], ["h"], "/a/mul"),
             constant("/a/shape", "shape", value=numpy_helper.from_array(np.array([2, -1]))),
             constant("/a/axes", "axes", value_ints=[0]),
             helper.make_node("Reshape", ["h", "shape"], ["r"], "/a/reshape"),
             helper.make_node("Squeeze", ["r", "axes"], ["q"], "/a/squeeze"),
             helper.make_node("Add", ["q", "b"], ["s"], "/b/deep/only/add"),
             helper.make_node("Neg", ["h"], ["n"]),
             helper.make_node("If", ["flag"], ["y"], "if",
                              then_branch=branch(helper.make_node("Add", ["s", "n"], ["z"])),
                              else_branch=branch(helper.make_node("MatMul", ["s", "w"], ["z"])))]
    graph = helper.make_graph(nodes, "g", [info("x", TensorProto.FLOAT, ["n", 2]), info("flag", TensorProto.BOOL, [])],
                              [info("y", TensorProto.FLOAT, None), info("shape", TensorProto.INT64, [2])],
                              [tensor("w", [1, 2], [3, 4], [5, 6]), tensor("b", 5, 6)],
                              value_info=[info("h", TensorProto.FLOAT, ["n", 2])])
    path = tmp_path_factory.mktemp("drawing") / "m.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)]), path)
    return path


def children(cpb, model, *words):
    return {child["path"]: child for child in ask(cpb, model, "scopes", *words)["children"]["items"]}


def edges(child):
    return {(one["from"], one.get("given", False)): [value["name"] for value in one["values"]] for one in child["inputs"]}


def tensors(child):
    return [one["node"] for one in child["tensors"]]


def test_links_between_documents(cpb, model):
    top = children(cpb, model)
    assert {path: edges(child) for path, child in top.items()} == {
        "/a": {("x", True): ["x"]}, "/b": {("/a", False): ["q"]}, "#6": {("/a", False): ["h"]},
        "if": {("flag", True): ["flag"], ("/b", False): ["s"], ("#6", False): ["n"]}}  # as its branches take them
    assert top["#6"]["inputs"][0]["values"] == [
        {"name": "h", "dtype": "float32", "shape": ["n", 2], "node": "/a/mul"}]
    assert (top["/a"]["inner"], top["/b"]["inner"]) == ("/a", "/b/deep/only/add")
    assert top["/a"]["ops"] == [{"op": op, "count": 1} for op in ("MatMul", "Reshape", "Squeeze")]


def test_edges_begin_in_other_open_scopes(cpb, model):
    opened = children(cpb, model, "--scope", "\n/a")
    assert list(opened) == ["/a", "/b", "#6", "if"]
    assert edges(opened["/b"]) == {("/a/squeeze", False): ["q"]} and edges(opened["#6"]) == {("/a/mul", False): ["h"]}
    inside = children(cpb, model, "--scope", "/a")
    assert edges(inside["/a/squeeze"]) == {("/a/reshape", False): ["r"]}
    assert edges(children(cpb, model, "--scope", "/b/deep\n/a/")["/b/deep/only"]) == {("/a/squeeze", False): ["q"]}


def test_tensors_stand_where_they_are_taken(cpb, model):
    top, inside = children(cpb, model), children(cpb, model, "--scope", "/a")
    assert tensors(top["if"]) == ["w"] and tensors(top["/b"]) == ["b"] and tensors(top["#6"]) == []
    assert tensors(top["/a"]) == ["w"]  # without what is no weight
    assert [tensors(inside[f"/a/{name}"]) for name in ("mul", "reshape", "squeeze")] == [["w"], ["shape"], ["axes"]]
    constants = {one["node"]: one for one in ask(cpb, model, "constants")["constants"]["items"]}
    assert inside["/a/mul"]["tensors"] == [constants["w"]] and inside["/a/reshape"]["tensors"] == [constants["shape"]]
    assert inside["/a/squeeze"]["tensors"] == [constants["axes"]] and constants["axes"]["preview"] == [0]
    total = ask(cpb, model, "overview")["parameters"]["total"]
    assert sum(child["parameters"] for child in top.values()) == total == 8
    assert ask(cpb, model, "constants", "w")["constants"]["items"] == [constants["w"]]


def test_calls_and_results(cpb, model):
    answer = ask(cpb, model, "scopes")
    assert [child.get("calls") for child in answer["children"]["items"]] == [
        None, None, None, [{"name": name, "function": f"if:{name}"} for name in ("else_branch", "then_branch")]]
    y, shape = answer["results"]
    assert y == {"name": "y", "dtype": "float32", "shape": None, "node": "if", "from": "if"}
    assert (shape["from"], shape["tensor"]["node"], shape["tensor"]["preview"]) == (None, "shape", [2, -1])
    assert "results" not in ask(cpb, model, "scopes", "--scope", "/a")


def test_a_branch_has_what_it_takes_of_the_graph_around_it(cpb, model):
    branch = ask(cpb, model, "scopes", "if:else_branch")
    assert edges(branch["children"]["items"][0]) == {("s", True): ["s"]}
    assert tensors(branch["children"]["items"][0]) == ["w"] and branch["results"][0]["from"] == "#0"
    assert [(one["within"], one["node"]) for one in ask(cpb, model, "functions")["functions"]["items"]] == [(None, "if")] * 2
