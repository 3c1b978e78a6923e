"""What a name means to cpb extract: a constant of the graph, else of the only function or subgraph that has one of that
name, else a variable."""

import io
import json
import os
from collections import Counter

import numpy as np
import pytest

from conftest import DATA
from support import fact_models, models  # noqa: F401  makers of models

onnx = pytest.importorskip("onnx")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402

CASES = DATA / "cases"


def extract(cpb, path, name, *how):
    return np.load(io.BytesIO(cpb.ok("extract", path, name, "-o", "-", *how)))


def fails(cpb, path, name, *how):
    result = cpb.run("extract", path, name, "-o", "-", *how)
    assert result.returncode == 1 and not result.stdout
    return result.stderr.decode()


# --- Branches and bodies -------------------------------------------------------------------------


def branch(name, **tensors):
    nodes = [helper.make_node("Identity", [t], [f"{name}_{t}"]) for t in tensors]
    outputs = [helper.make_tensor_value_info(f"{name}_{t}", TensorProto.FLOAT, None) for t in tensors]
    return helper.make_graph(nodes, name, [], outputs[:1],
                             [numpy_helper.from_array(np.full(2, v, np.float32), t) for t, v in tensors.items()])


@pytest.fixture
def branches(tmp_path):
    """An initializer of the graph, `both` in two branches, `main` in the graph and a branch."""
    inner = helper.make_node("If", ["c"], ["z"], "inner", then_branch=branch("it", deep=5), else_branch=branch("ie", x=6))
    then = branch("t", one=1, both=2, main=3)
    then.node.append(inner)
    node = helper.make_node("If", ["c"], ["y"], "if", then_branch=then, else_branch=branch("e", other=4, both=7))
    graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("c", TensorProto.BOOL, [])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
                              [numpy_helper.from_array(np.full(2, 8, np.float32), "main")])
    path = tmp_path / "m.onnx"
    path.write_bytes(helper.make_model(graph).SerializeToString())
    return path


def test_the_only_one_within_a_node(cpb, branches):
    for name, value in {"main": 8, "one": 1, "other": 4, "deep": 5, "x": 6}.items():
        assert (extract(cpb, branches, name) == value).all(), name
    for scope, value in {"if:then_branch": 2, "if:else_branch": 7}.items():
        assert (extract(cpb, branches, "both", "--scope", scope) == value).all()
    assert (extract(cpb, branches, "main", "--scope", "if:then_branch") == 3).all()


def test_several_within_nodes(cpb, branches):
    said = fails(cpb, branches, "both")
    assert '"both" is in several functions or subgraphs' in said and "question constants" in said
    assert '"if:then_branch"' in said and '"if:else_branch"' in said
    assert 'no initializer or constant "none"' in fails(cpb, branches, "none")
    assert 'no initializer or constant "deep"' in fails(cpb, branches, "deep", "--scope", "if:then_branch")


def test_the_case_of_branches_and_that_of_functions(cpb):
    for name in ("a", "b"):
        assert extract(cpb, CASES / "if_branch.onnx", name).shape == (64, 64)
    assert "there is no constant \"none\"" in fails(cpb, CASES / "multi.mlpackage", "none")


# --- Functions of TensorFlow ------------------------------------------------------------------------


@pytest.fixture
def functions(tmp_path):
    tf = pytest.importorskip("tensorflow")
    from tensorflow.core.framework import graph_pb2

    def add(nodes, name, value):
        node = nodes.add(name=name, op="Const" if value is not None else "NoOp")
        if value is not None:
            node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(np.full(2, value, np.float32)))

    graph = graph_pb2.GraphDef()
    add(graph.node, "main", 1)
    add(graph.node, "no_tensor", None)
    for i in range(3):
        function = graph.library.function.add()
        function.signature.name = f"f{i}"
        for name, value in (("all", i), (f"only{i}", 10 + i), ("main", 20 + i), ("no_tensor", 30 + i), ("once", 40 if i else None)):
            if (name, i) != ("once", 2):
                add(function.node_def, name, value)
    path = tmp_path / "graph.pb"
    path.write_bytes(graph.SerializeToString())
    return path


def test_the_only_one_in_a_function(cpb, functions):
    """A node without a tensor is none."""
    for name, value in {"main": 1, "only0": 10, "only2": 12, "once": 40}.items():
        assert (extract(cpb, functions, name) == value).all()
    assert (extract(cpb, functions, "all", "--scope", "f2") == 2).all()
    said = fails(cpb, functions, "all")
    assert '"all" is in several functions; expected one of them as the scope, such as "f0" or "f1"' in said
    assert 'no attribute "value" that is a tensor' in fails(cpb, functions, "no_tensor")
    assert 'there is no node "none"' in fails(cpb, functions, "none")
    assert 'there is no node "only1"' in fails(cpb, functions, "only1", "--scope", "f0")


# --- Variables ------------------------------------------------------------------------------------


def test_a_name_may_be_that_of_a_variable(cpb):
    """What Keras 3 stores twice is one weight; TensorFlow reads the same from the checkpoint."""
    tf = pytest.importorskip("tensorflow")
    path = models.model("facts_k3_small")
    reader = tf.train.load_checkpoint(str(path / "variables" / "variables"))
    items = json.loads(cpb.ok("inspect", path, "variables", "--json", "--count", 10**6))["variables"]["items"]
    stored = [v for v in items if v["key"]]
    assert any("copy_of" in v for v in stored)
    for variable in stored[:12] + [v for v in stored if "copy_of" in v][:3]:
        expected = reader.get_tensor(variable["key"])
        for name in {variable["name"], variable["path"], variable["key"]}:
            for how in [], ["--variable"]:
                assert (extract(cpb, path, name, *how) == expected).all(), name
    assert Counter(v["name"] for v in stored).most_common(1)[0][1] > 1
    said = fails(cpb, path, "none")
    assert 'there is no node "none"; there is no variable "none"' in said


def test_a_model_without_a_checkpoint_has_no_values_of_variables(cpb, tmp_path):
    (tmp_path / "saved_model.pb").write_bytes((DATA / "cpb" / "real_tf_module" / "orig.pb").read_bytes())
    assert fails(cpb, tmp_path, "none").endswith('there is no node "none"\n')
