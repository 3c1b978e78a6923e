"""Name scopes: what cpb inspect folds equals what is counted node by node."""

import collections
import json

import pytest

from support import big_graph
from support.asking import CORPUS, RICH, ask, folder_of, meta_graph


def fold(scope, name):
    """The parts of the name up to the first that `scope` does not have; all that is asked for is in parts."""
    around, parts = scope.split("/") if scope else [], name.split("/")
    same = 0
    while same < min(len(around), len(parts)) and around[same] == parts[same]:
        same += 1
    return "/".join(parts[:same + 1])


def node_of(text):
    return text.lstrip("^").split(":")[0]


VARIABLES = {"VarHandleOp", "VariableV2", "Variable", "TemporaryVariable"}
READS = {"ReadVariableOp", "Identity"}


class Reading:
    """What is drawn of a graph or function, told by its nodes: not what only gives a constant or a variable."""

    def __init__(self, nodes, arguments=None):
        self.by_name, self.is_function = {node.name: node for node in nodes}, arguments is not None
        self.arguments = {one.name: one.type for one in arguments or []}
        self.taken = {node_of(text) for node in nodes for text in node.input if not text.startswith("^")}
        self.nodes = [node for node in nodes if not self.is_held(node)]

    def held(self, name):
        """The constant, variable or argument that the value is, or None."""
        for _ in range(8):
            node = self.by_name.get(name)
            if node is None:
                return name if self.arguments.get(name) == 20 else None  # DT_RESOURCE
            if node.op == "Const" or node.op in VARIABLES:
                return name
            if node.op not in READS or not node.input:
                return None
            name = node_of(node.input[0])
        return None

    def is_held(self, node):
        if node.op == "Const" and self.is_function:
            return True
        return node.name in self.taken and self.held(node.name) is not None

    def inputs(self, node):
        """Names of what leads to it."""
        for text in node.input:
            name = node_of(text)
            if text.startswith("^"):
                if name not in self.by_name or not self.is_held(self.by_name[name]):
                    yield name, True
            elif self.held(name) is None:
                yield name, False

    def tensors(self, node):
        """Of those that are held: each once, in the order in which it takes them, then of its own."""
        found = [self.held(node_of(text)) for text in node.input if not text.startswith("^")]
        own = [f"{node.name}:{key}" for key, attr in node.attr.items()
               if attr.WhichOneof("value") == "tensor" and not (node.op == "Const" and key == "value")]
        return list(dict.fromkeys([name for name in found if name is not None])), set(own)


def expected_children(reading, scope):
    """By path: the members that an answer has."""
    children = {}
    for order, node in enumerate(n for n in reading.nodes if not scope or (n.name + "/").startswith(scope + "/")):
        path = fold(scope, node.name)
        child = children.setdefault(path, {"order": order, "op": node.op, "nodes": 0, "deeper": False, "in": {},
                                           "names": [], "ops": collections.Counter(), "node": node})
        child["nodes"] += 1
        child["names"].append(node.name)
        child["ops"][node.op] += 1
        child["deeper"] |= path != node.name
        for name, is_control in reading.inputs(node):
            given = not is_control and name not in reading.by_name
            source = (name, True) if given else (fold(scope, name), False)
            if given or source[0] != path:
                child["in"].setdefault(source, []).append(is_control)
    return children


def inner(names):
    """The deepest scope that has all of the names, or is one of them; of one name itself."""
    parts = [name.split("/") for name in names]
    same = 0
    while all(len(one) > same and one[same] == parts[0][same] for one in parts):
        same += 1
    return "/".join(parts[0][:same])


def check_inputs(item, child):
    sources = sorted(child["in"], key=lambda one: (one[1], one[0].encode()))
    inputs = [{"from": name, "count": len(child["in"][name, given]), "control": all(child["in"][name, given]),
               **({"given": True} if given else {})} for name, given in sources]
    assert [{key: value for key, value in one.items() if key != "values"} for one in item["inputs"]] == inputs[:100]
    assert item.get("more_inputs", 0) == max(0, len(inputs) - 100)


def check(answer, reading, scope):
    children = expected_children(reading, scope)
    assert answer["scope"] == scope
    assert answer["nodes"] == sum(c["nodes"] for c in children.values())
    order = sorted(children, key=lambda path: (not children[path]["deeper"], children[path]["order"]))
    assert [item["path"] for item in answer["children"]["items"]] == order
    for item in answer["children"]["items"]:
        child = children[item["path"]]
        assert item["name"] == item["path"].rsplit("/", 1)[-1]
        assert item["nodes"] == child["nodes"]
        assert (item["is"], item["op"]) == (("scope", None) if child["deeper"] else ("node", child["op"]))
        if child["deeper"]:
            assert item["inner"] == inner(child["names"])
            ops = sorted(child["ops"].items(), key=lambda one: (-one[1], one[0].encode()))
            assert item["ops"] == [{"op": op, "count": count} for op, count in ops[:20]]
        elif "more_tensors" not in item:
            taken, own = reading.tensors(child["node"])
            names = [one["node"] for one in item["tensors"]]
            assert list(dict.fromkeys(names[:len(names) - len(own)])) == taken and len(names) >= len(taken) + len(own)
        check_inputs(item, child)


def check_all(cpb, path, reading, function=()):
    """Every scope there is, from the whole down."""
    scopes = [""]
    for scope in scopes:
        answer = ask(cpb, path, "scopes", *function, *(["--scope", scope] if scope else []))
        check(answer, reading, scope)
        scopes += [i["path"] for i in answer["children"]["items"] if i["is"] == "scope" and i["path"] != scope]
    return scopes


@pytest.mark.parametrize("name", [CORPUS[1], CORPUS[2], RICH])
def test_every_scope_of_a_graph_and_of_a_function_is_what_its_nodes_are(cpb, name):
    graph = meta_graph(folder_of(name)).graph_def
    check_all(cpb, folder_of(name), Reading(graph.node))
    scoped = max(graph.library.function, key=lambda f: sum("/" in n.name for n in f.node_def))
    reading = Reading(scoped.node_def, scoped.signature.input_arg)
    assert len(check_all(cpb, folder_of(name), reading, [scoped.signature.name])) > 1
    assert any(reading.tensors(node)[0] for node in reading.nodes)


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    """A frozen graph with what names may do: a node named as a scope, names that begin alike, many inputs."""
    import tensorflow as tf
    names = ["a", "a/b", "a/b/c", "a/bc/d", "ab", "a/b/c/d/e", "z/y/x", "a/c/d", *(f"in/n{i}" for i in range(130))]
    graph = tf.compat.v1.GraphDef()
    for i, name in enumerate(names):
        node = graph.node.add(name=name, op=f"Op{i}")
        node.input.extend([f"{other}:1" if k % 2 else other for k, other in enumerate(names[:i:3])])
        node.input.extend([f"^{names[i - 1]}"] if i else [])
    graph.node[2].attr["value"].tensor.tensor_content = b"x" * 5000
    graph.node[4].attr["other"].tensor.float_val.extend([1.0, 2.0])
    graph.node.add(name="many", op="Pack").input.extend(f"i{i}" for i in range(140))
    path = tmp_path_factory.mktemp("scopes") / "odd.pb"
    path.write_bytes(graph.SerializeToString())
    return path, graph


def test_every_scope_of_odd_names_is_what_its_nodes_are(cpb, odd):
    path, graph = odd
    assert check_all(cpb, path, Reading(graph.node)) == ["", "a", "z", "in", "a/b", "a/bc", "a/c", "z/y", "a/b/c", "a/b/c/d"]


def test_pages_are_parts_of_the_whole(cpb, odd):
    whole = ask(cpb, odd[0], "scopes", "--scope", "in/")
    assert whole["scope"] == "in"
    pages = [json.loads(cpb.ok("inspect", odd[0], "scopes", "--scope", "in", "--first", first, "-n", 7, "--json"))
             for first in range(0, 133, 7)]
    assert sum((page["children"]["items"] for page in pages), []) == whole["children"]["items"]
    assert all(page["children"]["total"] == 130 and page["nodes"] == 130 for page in pages)


@pytest.mark.parametrize("scope", ["b", "a/b/c/d/e/f"])
def test_a_scope_that_is_not_there_is_an_error(cpb, odd, scope):
    result = cpb.run("inspect", odd[0], "scopes", "--scope", scope)
    assert result.returncode == 1 and f'there is no scope "{scope}"'.encode() in result.stderr


def test_a_scope_of_a_hundred_thousand_nodes(cpb, tmp_path):
    path = tmp_path / "big.pb"
    path.write_bytes(big_graph.parts(200000, 0))
    answer = ask(cpb, path, "scopes")
    assert answer["nodes"] == 100001 and answer["children"]["total"] == 1001
    mul, x = ({"name": name, "dtype": "float32", "shape": None, "node": name} for name in ("scope_6/n699", "x"))
    assert answer["children"]["items"][7] == {
        "is": "scope", "name": "scope_7", "path": "scope_7", "inner": "scope_7", "op": None, "nodes": 100,
        "size": 0, "parameters": 0, "ops": [{"op": "Mul", "count": 100}], "tensors": [],
        "inputs": [{"from": "scope_6", "count": 1, "control": False, "values": [mul]},
                   {"from": "x", "count": 100, "control": False, "values": [x]}]}


def test_looking_into_100000_nodes_and_2000_functions_takes_little_memory(cpb, tmp_path):
    saved, graph = tmp_path / "saved_model.pb", tmp_path / "graph.pb"
    saved.write_bytes(big_graph.saved_model(100_000, 2000))
    graph.write_bytes(big_graph.parts(200_000, 2000))

    def limited(limit, *question):
        return json.loads(cpb.ok("inspect", *question, "--json", "--memory-limit", limit))

    overview = limited("3M", saved)
    assert overview["objects"]["total"] == 2002 and overview["concrete_functions"] == 0
    assert limited("16M", saved, "functions")["functions"]["total"] == 2000
    assert limited("20M", saved, "scopes")["nodes"] == 50_001
    overview = limited("32M", graph)
    assert overview["nodes"] == 100_001 and overview["functions"] == 2000
    assert limited("40M", graph, "scopes", "--scope", "scope_999")["nodes"] == 100
