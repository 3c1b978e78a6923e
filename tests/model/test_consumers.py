"""What takes a node: what cpb inspect lists equals what TensorFlow's messages say."""

import json

import pytest

from support import big_graph
from support.asking import CORPUS, RICH, ask, folder_of, meta_graph
from support.samediff import FILES, FOLDER, HostModel, Model, SameDiffError

SAMEDIFF = [f for f in FILES if f["expect"] == "ok" and f["kind"] == "flatgraph"]


def tensor_of(text):
    """'a', 'a:1', 'a:output' or 'a:output:1': the node, its output's name and index."""
    name, *rest = text.split(":")
    index = int(rest.pop()) if rest and rest[-1].isdigit() else 0
    return name, ":".join(rest) or None, index


def expected(name, nodes, function=None):
    found = []
    where = function and function.signature.name
    for node in nodes:
        data = [tensor_of(text) for text in node.input if not text.startswith("^")]
        inputs = [{"input": i, "output": output, "index": index} for i, (of, output, index) in enumerate(data) if of == name]
        control = f"^{name}" in node.input
        if inputs or control:
            found.append({"is": "node", "name": node.name, "function": where, "op": node.op, "inputs": inputs, "control": control})
    for i, argument in enumerate(function.signature.output_arg if function else []):
        of, output, index = tensor_of(function.ret[argument.name])
        if of == name:
            inputs = [{"input": i, "output": output, "index": index}]
            found.append({"is": "return", "name": argument.name, "function": where, "op": None, "inputs": inputs, "control": False})
    for key in sorted(function.control_ret if function else []):
        if function.control_ret[key] == name:
            found.append({"is": "return", "name": key, "function": where, "op": None, "inputs": [], "control": True})
    return found


def check(cpb, path, nodes, function=None):
    """Every node there is; how many edges were seen."""
    where = ["--scope", function.signature.name] if function else []
    arguments = [(a.name, None) for a in function.signature.input_arg] if function else []
    edges = 0
    for name, op in [*((n.name, n.op) for n in nodes), *arguments]:
        answer = ask(cpb, path, "consumers", name, *where)
        assert answer["consumers"]["items"] == expected(name, nodes, function)
        assert (answer["node"], answer["op"], answer["function"]) == (name, op, function and function.signature.name)
        edges += sum(len(c["inputs"]) + c["control"] for c in answer["consumers"]["items"])
    return edges


def edges_of(nodes):
    return sum(len(n.input) for n in nodes)


@pytest.mark.parametrize("name", [CORPUS[0], RICH])
def test_each_edge_of_a_graph_and_of_its_functions_leads_to_one_consumer(cpb, name):
    path = folder_of(name)
    graph = meta_graph(path).graph_def
    assert check(cpb, path, graph.node[:40]) > 0
    for function in sorted(graph.library.function, key=lambda f: len(f.node_def))[-2:]:
        ends = len(function.ret) + len(function.control_ret)
        assert check(cpb, path, function.node_def, function) == edges_of(function.node_def) + ends > 0


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    """Frozen: a node that is taken several ways by one, and names and indexes that are none."""
    import tensorflow as tf
    graph = tf.compat.v1.GraphDef()
    graph.node.add(name="a", op="Split")
    inputs = ["ab", "a:1", "^a", "^ab", "a", "a:18446744073709551616", "a:output:7", "a:output", "a:", "a::3", "a/b", "aa:0"]
    graph.node.add(name="many", op="Pack").input.extend(inputs)
    graph.node.add(name="a/b", op="Identity").input.append("^a")
    for i in range(30):
        graph.node.add(name=f"n{i}", op="Neg").input.append(f"a:{i}")
    path = tmp_path_factory.mktemp("consumers") / "odd.pb"
    path.write_bytes(graph.SerializeToString())
    return path


def test_a_consumer_tells_each_of_its_inputs_and_whether_it_also_waits(cpb, odd):
    many, waiting, *others = ask(cpb, odd, "consumers", "a")["consumers"]["items"]
    taken = [(i["input"], i["output"], i["index"]) for i in many["inputs"]]
    assert (many["name"], many["control"]) == ("many", True)
    assert taken[:2] == [(1, None, 1), (2, None, 0)] and taken[3:] == [
        (4, "output", 7), (5, "output", 0), (6, None, 0), (7, None, 3)]
    assert taken[2][:2] == (3, None) and taken[2][2] > 2**32  # what no tensor has
    assert (waiting["name"], waiting["inputs"], waiting["control"]) == ("a/b", [], True)
    assert [o["inputs"][0]["index"] for o in others] == list(range(30))


def test_pages_are_parts_of_the_whole(cpb, odd):
    whole = ask(cpb, odd, "consumers", "a")["consumers"]
    pages = [json.loads(cpb.ok("inspect", odd, "consumers", "a", "--first", first, "-n", 7, "--json"))["consumers"]
             for first in range(0, 35, 7)]
    assert sum((page["items"] for page in pages), []) == whole["items"]
    assert {page["total"] for page in pages} == {32}


def test_an_unused_node_differs_from_a_missing_one(cpb, odd):
    assert ask(cpb, odd, "consumers", "many")["consumers"]["total"] == 0
    for name in ("ab", "output"):
        result = cpb.run("inspect", odd, "consumers", name)
        assert result.returncode == 1 and f'there is no node or value "{name}"'.encode() in result.stderr
    result = cpb.run("inspect", odd, "consumers", "")
    assert result.returncode == 1 and b"consumers needs the NAME of a node" in result.stderr
    result = cpb.run("inspect", odd, "consumers", "a", "--scope", "f")
    assert result.returncode == 1 and b'there is no function or subgraph "f"' in result.stderr


def test_the_consumers_among_a_hundred_thousand_nodes_take_no_memory_beside_the_graph(cpb, tmp_path):
    path = tmp_path / "graph.pb"
    path.write_bytes(big_graph.parts(200_000, 0))
    most = cpb.ok("inspect", path, "consumers", "x", "--json", "--memory-limit", "24M")
    assert json.loads(most)["consumers"]["total"] == 100_000


# --- SameDiff -----------------------------------------------------------------------------


def waits_for(op, maker, name):
    """ND4J has operations wait for operations, or for variables that none makes."""
    return maker in op.get("control_deps", []) if maker else name in op.get("var_control_deps", [])


def outputs_of(truth):
    used = {name for op in truth["ops"] for name in op["inputs"]}
    return [v["name"] for v in truth["variables"] if v["var_type"] == "ARRAY" and v["name"] not in used]


@pytest.mark.parametrize("case", SAMEDIFF, ids=[c["file"] for c in SAMEDIFF])
def test_each_input_of_an_operation_of_nd4j_is_a_variable_that_it_takes(cpb, case):
    """What a name stands for is an operation, with all that it makes, or else a variable."""
    truth, model = case["truth"], Model(cpb, case["file"])
    makers = {output: op["name"] for op in truth["ops"] for output in op["outputs"]}
    made = {op["name"]: op["outputs"] for op in truth["ops"]}
    for name in {v["name"] for v in truth["variables"]} | made.keys():
        found, taken = [], made.get(name, [name])
        maker = name if name in made else makers.get(name)
        for op in truth["ops"]:
            inputs = [{"input": i, "output": one, "index": taken.index(one)}
                      for i, one in enumerate(op["inputs"]) if one in taken]
            control = waits_for(op, maker, name)
            if inputs or control:
                found.append({"is": "node", "name": op["name"], "function": None, "op": op["op_name"], "inputs": inputs, "control": control})
        for i, output in enumerate(outputs_of(truth)):
            if output in taken:
                inputs = [{"input": i, "output": output, "index": taken.index(output)}]
                found.append({"is": "return", "name": output, "function": None, "op": None, "inputs": inputs, "control": False})
        answer = model.ask("consumers", name=name)
        assert answer["node"] == name and answer["consumers"]["items"] == found
        assert (answer["op"] is not None) == (name in made)


def test_an_operation_that_waits_for_another_waits_for_what_that_makes(cpb):
    truth = next(f for f in FILES if f["file"] == "ops_a.fb")["truth"]
    (output,) = next(op["outputs"] for op in truth["ops"] if op["name"] == "mul_scalar")
    answer = Model(cpb, "ops_a.fb").ask("consumers", name=output)
    assert [c["name"] for c in answer["consumers"]["items"] if c["control"]] == ["exp"]


@pytest.mark.parametrize("name", ["deep_a.fb", "ops_a.fb", "three_tags.zip"])
def test_the_answer_is_the_same_from_input_in_small_pieces(cpb, name):
    for variable in [v["name"] for v in Model(cpb, name).ask("tag")["variables"]["items"]][:20]:
        answer = HostModel(cpb, FOLDER / name, 61).ask("consumers", variable)[0]
        assert answer == Model(cpb, name).ask("consumers", name=variable)


def test_a_variable_that_is_not_there_is_an_error(cpb):
    with pytest.raises(SameDiffError, match="there is no node or value \"nothing\""):
        Model(cpb, "ops_a.fb").ask("consumers", name="nothing")
