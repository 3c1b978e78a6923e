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


def expected_children(nodes, scope):
    """By path: the members that an answer has."""
    children = {}
    for order, node in enumerate(n for n in nodes if not scope or (n.name + "/").startswith(scope + "/")):
        path = fold(scope, node.name)
        child = children.setdefault(path, {"order": order, "op": node.op, "nodes": 0, "size": 0, "deeper": False, "in": {},
                                           "names": [], "ops": collections.Counter()})
        child["nodes"] += 1
        child["names"].append(node.name)
        child["ops"][node.op] += 1
        child["size"] += sum(size_of(a.tensor) for a in node.attr.values() if a.WhichOneof("value") == "tensor")
        child["deeper"] |= path != node.name
        for text in node.input:
            if fold(scope, node_of(text)) != path:
                child["in"].setdefault(fold(scope, node_of(text)), []).append(text.startswith("^"))
    return children


def inner(names):
    """The deepest scope that has all of the names, or is one of them; of one name itself."""
    parts = [name.split("/") for name in names]
    same = 0
    while all(len(one) > same and one[same] == parts[0][same] for one in parts):
        same += 1
    return "/".join(parts[0][:same])


def size_of(tensor):
    import numpy as np
    packed = {"float_val": 4, "double_val": 8, "bool_val": 1, "scomplex_val": 4, "dcomplex_val": 8}
    size = len(tensor.tensor_content) + sum(len(s) for s in tensor.string_val)
    size += sum(each * len(getattr(tensor, name)) for name, each in packed.items())
    for name in ("int_val", "int64_val", "half_val", "uint32_val", "uint64_val"):
        size += sum(max(1, -(-int(np.uint64(v & (2**64 - 1))).bit_length() // 7)) for v in getattr(tensor, name))
    return size


def check(answer, nodes, scope):
    children = expected_children(nodes, scope)
    assert answer["scope"] == scope
    assert answer["nodes"] == sum(c["nodes"] for c in children.values())
    assert answer["size"] == sum(c["size"] for c in children.values())
    order = sorted(children, key=lambda path: (not children[path]["deeper"], children[path]["order"]))
    assert [item["path"] for item in answer["children"]["items"]] == order
    for item in answer["children"]["items"]:
        child = children[item["path"]]
        assert item["name"] == item["path"].rsplit("/", 1)[-1]
        assert (item["nodes"], item["size"]) == (child["nodes"], child["size"])
        assert (item["is"], item["op"]) == (("scope", None) if child["deeper"] else ("node", child["op"]))
        if child["deeper"]:
            assert item["inner"] == inner(child["names"])
            ops = sorted(child["ops"].items(), key=lambda one: (-one[1], one[0].encode()))
            assert item["ops"] == [{"op": op, "count": count} for op, count in ops[:20]]
        inputs = [{"from": path, "count": len(child["in"][path]), "control": all(child["in"][path])}
                  for path in sorted(child["in"], key=str.encode)]
        assert item["inputs"] == inputs[:100]
        assert item.get("more_inputs", 0) == max(0, len(inputs) - 100)


def check_all(cpb, path, nodes, function=()):
    """Every scope there is, from the whole down."""
    scopes = [""]
    for scope in scopes:
        answer = ask(cpb, path, "scopes", *function, *(["--scope", scope] if scope else []))
        check(answer, nodes, scope)
        scopes += [i["path"] for i in answer["children"]["items"] if i["is"] == "scope" and i["path"] != scope]
    return scopes


@pytest.mark.parametrize("name", [CORPUS[1], CORPUS[2], RICH])
def test_every_scope_of_a_graph_and_of_a_function_is_what_its_nodes_are(cpb, name):
    graph = meta_graph(folder_of(name)).graph_def
    check_all(cpb, folder_of(name), graph.node)
    scoped = max(graph.library.function, key=lambda f: sum("/" in n.name for n in f.node_def))
    assert len(check_all(cpb, folder_of(name), scoped.node_def, [scoped.signature.name])) > 1


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
    assert check_all(cpb, path, graph.node) == ["", "a", "z", "in", "a/b", "a/bc", "a/c", "z/y", "a/b/c", "a/b/c/d"]


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
    assert answer["children"]["items"][7] == {
        "is": "scope", "name": "scope_7", "path": "scope_7", "inner": "scope_7", "op": None, "nodes": 100,
        "size": 0, "ops": [{"op": "Mul", "count": 100}],
        "inputs": [{"from": "scope_6", "count": 1, "control": False}, {"from": "x", "count": 100, "control": False}]}


def test_looking_into_100000_nodes_and_2000_functions_takes_little_memory(cpb, tmp_path):
    saved, graph = tmp_path / "saved_model.pb", tmp_path / "graph.pb"
    saved.write_bytes(big_graph.saved_model(100_000, 2000))
    graph.write_bytes(big_graph.parts(200_000, 2000))

    def limited(limit, *question):
        return json.loads(cpb.ok("inspect", *question, "--json", "--memory-limit", limit))

    overview = limited("3M", saved)
    assert overview["objects"]["total"] == 2002 and overview["concrete_functions"] == 0
    assert limited("16M", saved, "functions")["functions"]["total"] == 2000
    assert limited("16M", saved, "scopes")["nodes"] == 50_001
    overview = limited("32M", graph)
    assert overview["nodes"] == 100_001 and overview["functions"] == 2000
    assert limited("24M", graph, "scopes", "--scope", "scope_999")["nodes"] == 100
