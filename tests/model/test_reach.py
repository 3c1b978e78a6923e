"""cpb inspect MODEL upstream and downstream NODE: against a search through the model that onnx reads, and on graphs made
for one thing each."""

import collections
import json

import pytest

from conftest import DATA
from support import onnx_models
from support.diffs import path_of
from support.samediff import FOLDER

onnx = pytest.importorskip("onnx")
helper = onnx.helper


def ask(cpb, path, *words):
    return json.loads(cpb.ok("inspect", path, *words, "--json", "--count", 10**6))


def reached(cpb, path, question, name, *words):
    return {(one["is"], one["function"], one["name"]): one["distance"]
            for one in ask(cpb, path, question, name, *words)["found"]["items"]}


def save(path, nodes, inputs=("x",), outputs=("y",), functions=(), initializers=()):
    floats = [helper.make_tensor_value_info(name, 1, [2]) for name in inputs]
    results = [helper.make_tensor_value_info(name, 1, [2]) for name in outputs]
    weights = [helper.make_tensor(name, 1, [2], [1.0, 2.0]) for name in initializers]
    graph = helper.make_graph(nodes, "g", floats, results, initializer=weights)
    onnx.save(helper.make_model(graph, functions=list(functions),
                                opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("f", 1)]), path)
    return path


def node(op, inputs, outputs, name=None, **attributes):
    return helper.make_node(op, list(inputs), list(outputs), name=name or f"n_{outputs[0]}", **attributes)


def graph_of(nodes, inputs, outputs):
    def values(names):
        return [helper.make_tensor_value_info(name, 1, [2]) for name in names]
    return helper.make_graph(nodes, "inner", values(inputs), values(outputs))


def test_a_chain_with_distances(cpb, tmp_path):
    path = save(tmp_path / "m.onnx", [node("Relu", "x", "a"), node("Add", ("a", "w"), "b"), node("Relu", "a", "c"),
                                     node("Mul", "bc", "y")], initializers=["w"])
    assert reached(cpb, path, "upstream", "n_y") == {
        ("node", None, "n_b"): 1, ("node", None, "n_c"): 1, ("node", None, "n_a"): 2, ("tensor", None, "w"): 2,
        ("argument", None, "x"): 3}
    assert reached(cpb, path, "downstream", "x") == {
        ("node", None, "n_a"): 1, ("node", None, "n_b"): 2, ("node", None, "n_c"): 2, ("node", None, "n_y"): 3}
    assert reached(cpb, path, "downstream", "w", "--distance", 1) == {("node", None, "n_b"): 1}
    assert reached(cpb, path, "upstream", "n_a", "--to", "w") == {}


def test_against_a_search_of_its_own(cpb, tmp_path):
    """A thousand nodes, each of which takes some of what comes before."""
    import random
    chance = random.Random(1)
    names, nodes, takes = ["x"], [], collections.defaultdict(set)
    for i in range(1000):
        inputs = chance.sample(names[-40:], min(len(names), chance.randint(1, 3)))
        nodes.append(node("Sum", inputs, [f"v{i}"]))
        takes[f"n_v{i}"] = {"x" if value == "x" else f"n_{value}" for value in inputs}
        names.append(f"v{i}")
    chance.shuffle(nodes)  # the order in the file says nothing
    path = save(tmp_path / "m.onnx", nodes, outputs=["v999"])
    gives = collections.defaultdict(set)
    for one, others in takes.items():
        for other in others:
            gives[other].add(one)
    for question, edges in (("upstream", takes), ("downstream", gives)):
        for start in ("n_v999", "n_v500", "x"):
            far, line = {start: 0}, collections.deque([start])
            while line:
                at = line.popleft()
                for other in edges[at]:
                    if other not in far:
                        far[other] = far[at] + 1
                        line.append(other)
            del far[start]
            found = reached(cpb, path, question, start)
            assert {name: distance for (_, _, name), distance in found.items()} == far


def test_a_way_is_a_shortest_one_with_both_ends(cpb, tmp_path):
    path = save(tmp_path / "m.onnx", [node("Relu", "x", "a"), node("Relu", "a", "b"), node("Relu", "b", "c"),
                                     node("Add", "ac", "y")])
    items = ask(cpb, path, "downstream", "x", "--to", "n_y")["found"]["items"]
    assert [(one["name"], one["distance"]) for one in items] == [("x", 0), ("n_a", 1), ("n_y", 2)]
    result = cpb.run("inspect", path, "upstream", "n_y", "--to", "nobody")
    assert result.returncode == 1 and b'there is no node or value "nobody"' in result.stderr


def test_branches_take_what_is_around_and_give_to_the_node(cpb, tmp_path):
    branches = {f"{kind}_branch": graph_of([node("Relu", value, [f"{kind}_out"])], [], [f"{kind}_out"])
                for kind, value in (("then", "a"), ("else", "b"))}
    path = save(tmp_path / "m.onnx", [node("Relu", "x", "a"), node("Neg", "x", "b"), node("Cast", "x", "c", to=9),
                                     node("If", "c", "d", name="if", **branches), node("Relu", "d", "y")])
    assert reached(cpb, path, "upstream", "n_y") == {
        ("node", None, "if"): 1, ("node", None, "n_c"): 2, ("node", "if:then_branch", "n_then_out"): 2,
        ("node", "if:else_branch", "n_else_out"): 2, ("node", None, "n_a"): 3, ("node", None, "n_b"): 3,
        ("argument", None, "x"): 3}
    assert reached(cpb, path, "downstream", "n_a") == {
        ("node", "if:then_branch", "n_then_out"): 1, ("node", None, "if"): 2, ("node", None, "n_y"): 3}
    assert set(reached(cpb, path, "upstream", "n_else_out", "--scope", "if:else_branch")) == {
        ("node", None, "n_b"), ("argument", None, "x")}


def test_each_call_of_a_function_is_its_own(cpb, tmp_path):
    """What the one call takes does not come out of the other one."""
    function = helper.make_function("f", "F", ["p"], ["r"], [node("Relu", "p", "q"), node("Neg", "q", "r")],
                                    [helper.make_opsetid("", 17)])
    path = save(tmp_path / "m.onnx", [node("F", "a", "c", domain="f"), node("F", "b", "d", domain="f")],
                inputs=["a", "b"], outputs=["c", "d"], functions=[function])
    inner = {("node", "f.F", "n_q"), ("node", "f.F", "n_r"), ("argument", "f.F", "p")}
    assert set(reached(cpb, path, "upstream", "n_c")) == inner | {("argument", None, "a")}
    assert set(reached(cpb, path, "downstream", "b")) == inner | {("node", None, "n_d")}
    # From within, all calls are meant.
    assert set(reached(cpb, path, "upstream", "n_q", "--scope", "f.F")) == {
        ("argument", "f.F", "p"), ("argument", None, "a"), ("argument", None, "b")}
    assert set(reached(cpb, path, "downstream", "n_r", "--scope", "f.F")) == {("node", None, "n_c"), ("node", None, "n_d")}


def test_bodies_take_what_the_node_takes(cpb, tmp_path):
    """Which of it is which argument is not told apart."""
    body = helper.make_graph([node("Identity", ["go"], ["go_on"]), node("Relu", ["s"], ["t"])], "body",
                             [helper.make_tensor_value_info("i", 7, []), helper.make_tensor_value_info("go", 9, []),
                              helper.make_tensor_value_info("s", 1, [2])],
                             [helper.make_tensor_value_info("go_on", 9, []), helper.make_tensor_value_info("t", 1, [2])])
    path = save(tmp_path / "m.onnx", [node("Neg", "x", "a"), node("Loop", ["", "", "a"], ["y"], name="loop", body=body)])
    assert ("node", None, "n_a") in reached(cpb, path, "upstream", "n_t", "--scope", "loop:body")
    assert set(reached(cpb, path, "downstream", "n_a")) >= {
        ("node", "loop:body", "n_t"), ("argument", "loop:body", "s"), ("node", None, "loop")}


MODELS = {"samediff": FOLDER / "ops_a.fb", "zip": DATA / "samediff_small" / "minimal.zip",
          "tensorflow": path_of("real_tf_module"), "keras": path_of("real_keras_export")}


@pytest.mark.parametrize("kind", ["onnx", *MODELS])
def test_one_step_is_what_node_tells(cpb, tmp_path, kind):
    """In each graph: a step up is what a node takes or waits for, a step down who takes it."""
    path = MODELS.get(kind, tmp_path / "m.onnx")
    if kind == "onnx":
        onnx.save(onnx_models.rich(), path)
    functions = [one["name"] for one in ask(cpb, path, "functions")["functions"]["items"]]
    for function in [None, *functions[:3]]:
        within = ["--scope", function] if function else []
        for one in ask(cpb, path, "nodes", *([function] if function else []))["nodes"]["items"][:8]:
            told = ask(cpb, path, "node", one["name"], *within)
            given = {(s["is"], s["function"], s["name"]) for s in told["from"] if s["is"]}
            takers = {("node", c["function"], c["name"]) for c in told["consumers"]["items"] if c["is"] == "node"}
            for question, wanted in ("upstream", given), ("downstream", takers):
                near = reached(cpb, path, question, one["name"], *within, "--distance", 1)
                assert {key for key in wanted if key[1] == function} - {("node", function, one["name"])} == {
                    key for key in near if key[1] == function}, one["name"]
