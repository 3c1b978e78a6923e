"""What counts as a parameter: each distinct weight once, wherever the format puts it. Core ML: test_coreml.py."""

import glob
import os

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402
from support.asking import ask, total  # noqa: E402


def weight(name, *shape):
    return numpy_helper.from_array(np.arange(np.prod(shape), dtype=np.float32).reshape(shape), name)


def value(name, *shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def save(path, nodes, inputs=(), initializers=(), functions=(), **more):
    graph = helper.make_graph(nodes, "g", [value("x", "n", 8), *inputs], [value("y", "n", "m")], initializers)
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]
    onnx.save(helper.make_model(graph, functions=functions, opset_imports=imports, **more), path)
    return path


def constant(tensor):
    return helper.make_node("Constant", [], [tensor.name], value=tensor)


def test_in_nodes(cpb, tmp_path):
    path = save(tmp_path / "m.onnx", [constant(weight("w", 8, 4)), helper.make_node("MatMul", ["x", "w"], ["y"], "/fc/MatMul")])
    assert total(cpb, path) == 32
    assert [(layer["name"], layer["parameters"]) for layer in ask(cpb, path, "layers")["layers"]["items"]] == [("/fc", 32)]


def test_in_branches(cpb, tmp_path):
    """Of a branch they belong to the layer of the node that has it."""
    branches = {f"{name}_branch": helper.make_graph([helper.make_node("MatMul", ["x", f"w_{name}"], ["out"])], name, [],
                                                    [value("out", "n", 4)], [weight(f"w_{name}", 8, 4)])
                for name in ("then", "else")}
    flag = helper.make_tensor_value_info("flag", TensorProto.BOOL, [])
    path = save(tmp_path / "m.onnx", [helper.make_node("If", ["flag"], ["y"], "/choose/If", **branches)], [flag])
    assert total(cpb, path) == 64
    assert [(layer["name"], layer["parameters"]) for layer in ask(cpb, path, "layers")["layers"]["items"]] == [("/choose", 64)]


def test_in_functions(cpb, tmp_path):
    """Once, however often it is called."""
    body = [constant(weight("w", 8, 8)), helper.make_node("MatMul", ["a", "w"], ["b"])]
    function = helper.make_function("own", "fc", ["a"], ["b"], body, [helper.make_opsetid("", 17)])
    calls = [helper.make_node("fc", [f], [t], domain="own") for f, t in (("x", "h"), ("h", "y"))]
    assert total(cpb, save(tmp_path / "m.onnx", calls, functions=[function])) == 64


def test_tied(cpb, tmp_path):
    """Two that lie in the same range of a file are one."""
    tied = [weight(name, 8, 4) for name in ("w", "v")]
    for tensor in tied:
        tensor.ClearField("raw_data")
        tensor.data_location = TensorProto.EXTERNAL
        for key, text in (("location", "w.data"), ("offset", "0"), ("length", "128")):
            tensor.external_data.add(key=key, value=text)
    (tmp_path / "w.data").write_bytes(bytes(128))
    nodes = [helper.make_node("MatMul", ["x", "w"], ["h"]), helper.make_node("Gemm", ["h", "v"], ["y"], transB=1)]
    path = save(tmp_path / "m.onnx", nodes, initializers=tied)
    assert total(cpb, path) == 32
    overview = ask(cpb, path, "overview")
    assert overview["external_data"] == [{"location": "w.data", "tensors": 1, "bytes": 128}]


def test_scales(cpb, tmp_path):
    packed = numpy_helper.from_array(np.zeros((8, 4), np.int8), "q")
    nodes = [helper.make_node("DequantizeLinear", ["q", "scale", "zero"], ["w"], axis=1),
             helper.make_node("MatMul", ["x", "w"], ["y"])]
    scale, zero = weight("scale", 4), numpy_helper.from_array(np.zeros(4, np.int8), "zero")
    path = save(tmp_path / "m.onnx", nodes, initializers=[packed, scale, zero])
    assert total(cpb, path) == 32
    uses = {tensor["node"]: tensor["use"] for tensor in ask(cpb, path, "constants")["constants"]["items"]}
    assert uses == {"q": "weight", "scale": "quantization", "zero": "quantization"}


def test_unnamed_nodes(cpb, tmp_path):
    """They are in no layer that has a name."""
    nodes = [helper.make_node("Relu", ["x"], ["h"]), helper.make_node("Relu", ["h"], ["y"])]
    layers = ask(cpb, save(tmp_path / "m.onnx", nodes), "layers")["layers"]["items"]
    assert [(layer["name"], layer["class"]) for layer in layers] == [("(2 unnamed nodes)", None)]


def test_modules(cpb, tmp_path):
    """Layers are the modules that torch.onnx.export(dynamo=True) notes, with their classes."""
    nodes = [helper.make_node("MatMul", ["x", "w"], ["h"], "node_linear"), helper.make_node("Relu", ["h"], ["g"], "node_relu"),
             helper.make_node("Add", ["g", "g"], ["y"], "node_add")]
    notes = [(["", "encoder", "encoder.0", "encoder.0.fc", "linear"], ["Net", "Encoder", "Layer", "torch.nn.Linear", "aten.linear"]),
             (["", "encoder", "encoder.0", "relu"], ["Net", "Encoder", "Layer", "aten.relu"]), (["", "add"], ["Net", "aten.add"])]
    for node, (scopes, classes) in zip(nodes, notes, strict=True):
        node.metadata_props.add(key="pkg.torch.onnx.name_scopes", value=repr(scopes))
        node.metadata_props.add(key="pkg.torch.onnx.class_hierarchy", value=repr(classes))
    path = save(tmp_path / "m.onnx", nodes, initializers=[weight("w", 8, 4)])
    answer = ask(cpb, path, "layers")
    assert answer["source"] == "modules" and total(cpb, path) == 32
    assert [(layer["name"], layer["class"], layer["parameters"]) for layer in answer["layers"]["items"]] == [
        ("encoder.0.fc", "torch.nn.Linear", 32), ("encoder.0", "Layer", 0), ("Net", "Net", 0)]


def test_pieces_of_a_graph(cpb, tmp_path):
    """A graph that comes in several pieces is their sum, as parsers have it; places are those in the file."""
    pieces = [onnx.ModelProto(ir_version=8, graph=onnx.GraphProto(initializer=[weight(name, 5)])) for name in ("a", "b")]
    pieces[0].graph.node.append(helper.make_node("Relu", ["x"], ["y"]))
    path = tmp_path / "m.onnx"
    path.write_bytes(b"".join(piece.SerializeToString() for piece in pieces))
    assert ask(cpb, path, "overview")["nodes"] == 1 and total(cpb, path) == 10
    for tensor in ask(cpb, path, "constants")["constants"]["items"]:
        at = tensor["values"]
        assert path.read_bytes()[at["offset"]:][:at["size"]] == weight("", 5).raw_data
    cpb.ok("extract", path, "b", "-o", tmp_path / "b.npy")
    assert np.load(tmp_path / "b.npy").tolist() == [0, 1, 2, 3, 4]


SHIPPED = sorted(glob.glob(os.path.join(os.path.dirname(onnx.__file__), "backend/test/data/**/*.onnx"), recursive=True))


def test_sums(cpb):
    for path in SHIPPED[::6]:
        total(cpb, path)


def test_sums_of_samediff(cpb):
    """Of zips those of the newest tag."""
    from support.samediff import FILES, FOLDER

    found = [total(cpb, FOLDER / case["file"]) for case in FILES if case["expect"] == "ok"]
    assert len(found) > 30 and sum(map(bool, found)) > 25
