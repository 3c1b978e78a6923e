"""What nodes give: the types that the program knows which wrote the model, in the answer and as a column."""

import json

import pytest

from conftest import DATA
from support.diffs import CORPUS, path_of, saved_model

ZIP = DATA / "samediff_small" / "minimal.zip"


def asked(cpb, path, *question):
    return json.loads(cpb.ok("inspect", path, *question, "--json", "-n", 100000))["nodes"]["items"]


@pytest.mark.parametrize("name", [*CORPUS, "v1"])
def test_types_of_tensorflow_are_its_own(cpb, name):
    import tensorflow as tf
    from tensorflow.python.framework.function_def_to_graph import function_def_to_graph
    path = path_of(name)
    definition = saved_model(path).meta_graphs[0].graph_def
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(definition, name="")
        graphs = {None: graph} | {f.signature.name: None for f in definition.library.function}
        for function in definition.library.function:
            try:
                graphs[function.signature.name] = function_def_to_graph(function)
            except ValueError:  # it calls one that it does not find
                pass
    seen = 0
    for function, theirs in graphs.items():
        for node in asked(cpb, path, "nodes", *([function] if function else [])) if theirs else []:
            outputs = theirs.get_operation_by_name(node["name"]).outputs
            assert [one.get("dtype") for one in node["outputs"]] == [
                one.dtype.name for one in outputs], (function, node["name"])
            for one, tensor in zip(node["outputs"], outputs, strict=True):
                if one.get("shape") is not None and "_output_shapes" not in str(node["attributes"]):
                    assert one["shape"] == tensor.shape.as_list(), node["name"]
            seen += len(outputs)
    assert seen > 10


def test_outputs_as_far_as_they_are_known(cpb, tmp_path):
    """By lists of types, numbers of outputs, defaults that were left out, functions, and not at all."""
    from tensorflow.core.framework import graph_pb2
    graph = graph_pb2.GraphDef()

    def node(name, op, **attributes):
        one = graph.node.add(name=name, op=op)
        for key, value in attributes.items():
            if key == "N" or key.startswith("num"):
                one.attr[key].i = value
            elif isinstance(value, list):
                one.attr[key].list.type.extend(value)
            else:
                one.attr[key].type = value

    function = graph.library.function.add()
    function.signature.name = "f"
    function.signature.output_arg.add(name="a", type=1)
    function.signature.output_arg.add(name="b", type_attr="T")
    node("call", "PartitionedCall", Tout=[1, 9])
    node("split", "Split", T=1, num_split=3)
    node("shape", "Shape", T=1)                      # its out_type is int32 unless it says otherwise
    node("less", "Less", T=1)                        # no float
    node("variable", "VariableV2", dtype=1)
    node("handle", "VarHandleOp", dtype=1)
    node("own", "f", T=3)
    node("huge", "Split", T=1, num_split=2**62)
    node("nobody", "Nobody's", T=1)
    node("nothing", "NoOp")
    (tmp_path / "g.pb").write_bytes(graph.SerializeToString())
    found = {n["name"]: [o.get("dtype") for o in n["outputs"]] for n in asked(cpb, tmp_path / "g.pb", "nodes")}
    assert len(found.pop("huge")) == 65536
    assert found == {
        "call": ["float32", "int64"], "split": ["float32"] * 3, "shape": ["int32"], "less": ["bool"],
        "variable": ["float32_ref"], "handle": ["resource"], "own": ["float32", "int32"], "nobody": [], "nothing": []}


# --- Columns ------------------------------------------------------------------------------------------


def columns(cpb, path, *question):
    return {line.split("\t")[0]: line.split("\t") for line in cpb.ok("inspect", "--tsv", path, *question).decode().splitlines()}


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    """A path for each kind."""
    onnx = pytest.importorskip("onnx")
    from onnx import helper, numpy_helper
    import numpy as np
    from support import onnx_models
    from support.coreml_wire import const, floats, program, value
    folder = tmp_path_factory.mktemp("kinds")
    graph = helper.make_graph(
        [helper.make_node("Constant", [], ["c"], "c", value=numpy_helper.from_array(np.zeros((2, 3), np.float32))),
         helper.make_node("Relu", ["x"], ["y"], "relu"),
         helper.make_node("ConstantOfShape", ["s"], ["z"], "fill", value=numpy_helper.from_array(np.float32([7])))],
        "g", [onnx_models.info("x")], [onnx_models.info("y", shape=(2, 3)), onnx_models.info("z", shape=(64, 3))],
        [numpy_helper.from_array(np.int64([64, 3]), "s")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), folder / "m.onnx")
    (folder / "m.mlmodel").write_bytes(program(const(value([3], content=floats(bytes(12))))))
    return {"onnx": folder / "m.onnx", "coreml": folder / "m.mlmodel", "samediff": ZIP,
            "tensorflow": path_of("real_tf_module")}


@pytest.mark.parametrize("kind", ["onnx", "coreml", "samediff", "tensorflow"])
def test_lists_have_the_same_columns_in_every_kind(cpb, everything, kind):
    assert {len(line) for line in columns(cpb, everything[kind], "nodes").values()} == {5}
    assert {len(line) for line in columns(cpb, everything[kind], "constants").values()} == {7}


@pytest.mark.parametrize("kind, types", [
    ("onnx", {"c": "f32[2,3]", "relu": "f32[2,3]", "fill": "f32[64,3]"}), ("samediff", {"matmul": "f64[*]"})])
def test_a_nodes_type_is_that_of_its_output(cpb, everything, kind, types):
    """Of ConstantOfShape not that of the value that it is filled with."""
    nodes = columns(cpb, everything[kind], "nodes")
    assert {name: nodes[name][2] for name in types} == types
