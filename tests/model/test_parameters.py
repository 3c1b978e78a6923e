"""What counts as a parameter: each distinct weight once, wherever the format puts it. Core ML: test_coreml.py."""

import glob
import json
import os

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402
from support.asking import ask, total  # noqa: E402
from support.wire import field, varint  # noqa: E402


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


def test_weights_that_are_converted_first_belong_to_the_layer_that_uses_them(cpb, tmp_path):
    nodes = [helper.make_node("DequantizeLinear", ["q", "scale"], ["d"], "q_DequantizeLinear"),
             helper.make_node("Transpose", ["d"], ["t"], "/other/Transpose"), helper.make_node("MatMul", ["x", "t"], ["h"], "/fc/MatMul"),
             helper.make_node("Cast", ["b"], ["c"], "b_Cast", to=1), helper.make_node("Add", ["h", "c"], ["y"], "/sum/Add"),
             helper.make_node("Identity", ["v"], ["w"], "last"), helper.make_node("Identity", ["o"], ["o"], "circle")]
    packed = numpy_helper.from_array(np.zeros((4, 8), np.int8), "q")
    path = save(tmp_path / "m.onnx", nodes, initializers=[packed, weight("scale"), weight("b", 4), weight("v", 3), weight("o", 2)])
    layers = {layer["name"]: layer["parameters"] for layer in ask(cpb, path, "layers")["layers"]["items"] if layer["parameters"]}
    assert layers == {"/fc": 32, "/sum": 4, "last": 3, "circle": 2} and total(cpb, path) == 41


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


@pytest.mark.parametrize("how", ["dynamic", "dynamic, by channel", "QDQ", "QOperator"])
def test_a_quantized_model_has_the_parameters_that_it_was_made_of(cpb, tmp_path, how):
    """Of ONNX Runtime's own tools: also with shapes, scalars and biases of 32 bits."""
    tools = pytest.importorskip("onnxruntime.quantization")
    weights = [weight("c", 8, 3, 3, 3), weight("cb", 8), weight("w", 288, 16), weight("b", 16), weight("g", 16, 10), weight("e", 50, 16)]
    nodes = [helper.make_node(op, inputs, [out]) for op, inputs, out in (
        ("Conv", ["x", "c", "cb"], "1"), ("Reshape", ["1", "shape"], "2"), ("MatMul", ["2", "w"], "3"), ("Add", ["3", "b"], "4"),
        ("Gather", ["e", "i"], "5"), ("Add", ["4", "5"], "6"), ("Mul", ["6", "half"], "7"), ("Gemm", ["7", "g"], "y"))]
    others = [numpy_helper.from_array(np.array([1, -1]), "shape"), numpy_helper.from_array(np.float32(0.5), "half")]
    graph = helper.make_graph(nodes, "g", [value("x", 1, 3, 8, 8), helper.make_tensor_value_info("i", TensorProto.INT64, [1])],
                              [value("y", 1, 10)], weights + others)
    path, made = tmp_path / "m.onnx", tmp_path / "made.onnx"
    onnx.save(helper.make_model(graph, ir_version=9, opset_imports=[helper.make_opsetid("", 17)]), path)
    if how.startswith("dynamic"):
        tools.quantize_dynamic(path, made, per_channel=how != "dynamic")
    else:
        class Reader(tools.CalibrationDataReader):
            given = [{"x": np.ones((1, 3, 8, 8), "f4"), "i": np.zeros(1, "i8")}]

            def get_next(self):
                return self.given.pop() if self.given else None

        tools.quantize_static(path, made, Reader(), quant_format=tools.QuantFormat[how])
    assert total(cpb, path) == total(cpb, made) == sum(np.prod(t.dims) for t in weights)


def test_one_number_that_a_layer_divides_by_is_none_of_its_weights(cpb, tmp_path):
    """As in x * min(max(x + 3, 0), 6) / 6. One number of a product or a sum may be learned, and more numbers are."""
    ops = {"Div": 1, "Max": 1, "Min": 1, "Pow": 1, "Greater": 1, "Mul": 1, "Add": 1, "Sub": 1, "PRelu": 1}
    nodes = [helper.make_node(op, ["x", op.lower()], [f"{op}_out"]) for op in ops]
    nodes += [helper.make_node("Where", ["flag", "fill", "other"], ["filled"]), helper.make_node("Div", ["x", "deviation"], ["y"])]
    tensors = [weight(op.lower(), 1) for op in ops] + [weight("fill", 1, 1), weight("other", 8), weight("deviation", 8)]
    path = save(tmp_path / "m.onnx", nodes, [helper.make_tensor_value_info("flag", TensorProto.BOOL, [8])], tensors)
    total(cpb, path)
    uses = {c["node"]: c["use"] for c in ask(cpb, path, "constants")["constants"]["items"]}
    assert {name for name, use in uses.items() if use == "weight"} == {"mul", "add", "sub", "prelu", "other", "deviation"}


@pytest.mark.parametrize("per_channel", [False, True])
def test_scales_of_a_product_with_rows_of_a_table(cpb, tmp_path, per_channel):
    """Both are of initializers: none is what DynamicQuantizeLinear makes."""
    tools = pytest.importorskip("onnxruntime.quantization")
    nodes = [helper.make_node("Gather", ["e", "i"], ["h"], "gather"), helper.make_node("MatMul", ["h", "w"], ["y"], "product")]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("i", TensorProto.INT64, [2])], [value("y", 2, 10)],
                              [weight("e", 50, 16), weight("w", 16, 10)])
    onnx.save(helper.make_model(graph, ir_version=9, opset_imports=[helper.make_opsetid("", 17)]), tmp_path / "m.onnx")
    tools.quantize_dynamic(tmp_path / "m.onnx", tmp_path / "made.onnx", per_channel=per_channel)
    assert total(cpb, tmp_path / "made.onnx") == 50 * 16 + 16 * 10
    uses = {c["node"]: c["use"] for c in ask(cpb, tmp_path / "made.onnx", "constants")["constants"]["items"]}
    assert uses["w_scale"] == uses["e_scale"] == "quantization" and uses["w_quantized"] == uses["e_quantized"] == "weight"


def array(name, dtype, *shape):
    return numpy_helper.from_array(np.zeros(shape, dtype), name)


def product(columns, rows, bits, block):
    """MatMulNBits: rows in blocks, of which the last is filled up."""
    blocks = -(-columns // block)
    node = helper.make_node("MatMulNBits", ["x", "w", "s", "z", "", "b"], ["y"], "/fc/MatMul", domain="com.microsoft",
                            K=columns, N=rows, block_size=block, **({"bits": bits} if bits != 4 else {}))
    return node, [array("w", "u1", rows, blocks, block * bits // 8), array("s", "f4", rows, blocks),
                  array("z", "u1", rows, -(-blocks * bits // 8)), array("b", "f4", rows)]


def normal_floats(columns, rows, block):
    node = helper.make_node("MatMulBnb4", ["x", "w", "s"], ["y"], "/fc/MatMul", domain="com.microsoft",
                            K=columns, N=rows, block_size=block, quant_type=1)
    return node, [array("w", "u1", (columns * rows + 1) // 2), array("s", "f4", -(-columns * rows // block))]


def lookup(dtype):
    node = helper.make_node("GatherBlockQuantized", ["w", "i", "s"], ["y"], "/fc/Gather", domain="com.microsoft",
                            block_size=16, bits=4, gather_axis=0, quantize_axis=1)
    packed = helper.make_tensor("w", TensorProto.UINT4, [5, 33], bytes(83), raw=True) if dtype == "uint4" else array("w", "u1", 5, 17)
    return node, [packed, array("s", "f4", 5, 3)]


def experts():
    """Two, of 32 and 64 numbers."""
    inputs = ["x", "r", "w1", "s1", "b1", "w2", "s2", "b2"]
    node = helper.make_node("QMoE", inputs, ["y"], "/fc/QMoE", domain="com.microsoft", k=1, expert_weight_bits=4)
    return node, [array("w1", "u1", 2, 64, 16), array("s1", "f4", 2, 64), array("b1", "f4", 2, 64),
                  array("w2", "u1", 2, 32, 32), array("s2", "f4", 2, 32), array("b2", "f4", 2, 32)]


PACKED = {"4 bits": (product(64, 5, 4, 32), 64 * 5 + 5), "the last block filled up": (product(40, 5, 4, 32), 40 * 5 + 5),
          "8 bits": (product(64, 5, 8, 16), 64 * 5 + 5), "normal floats": (normal_floats(33, 5, 16), 33 * 5),
          "a lookup": (lookup("uint4"), 5 * 33), "a lookup in bytes": (lookup("uint8"), 5 * 34),
          "experts": (experts(), 2 * (64 * 32 + 64 + 32 * 64 + 32))}


def with_weights(node, tensors):
    inputs = [value("x", "n", "k"), helper.make_tensor_value_info("i", TensorProto.INT64, ["n"]), value("r", "n", 2)]
    graph = helper.make_graph([node], "g", inputs, [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)], tensors)
    imports = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, ir_version=10, opset_imports=imports)


@pytest.mark.parametrize("name", PACKED)
def test_weights_that_onnx_runtime_packs(cpb, tmp_path, name):
    """Operations of com.microsoft: the numbers that are multiplied count, not bytes, scales and zero points."""
    (node, tensors), wanted = PACKED[name]
    path = tmp_path / "m.onnx"
    onnx.save(with_weights(node, tensors), path)
    assert total(cpb, path) == wanted
    [layer] = ask(cpb, path, "layers")["layers"]["items"]
    assert (layer["name"], layer["parameters"]) == ("/fc", wanted)
    uses = {c["node"]: c["use"] for c in ask(cpb, path, "constants")["constants"]["items"]}
    assert uses == {t.name: "quantization" if t.name[0] in "sz" else "weight" for t in tensors}


@pytest.mark.parametrize("name", [name for name in PACKED if name != "experts"])
def test_onnx_runtime_takes_those_weights(name):
    runtime = pytest.importorskip("onnxruntime")
    (node, tensors), _ = PACKED[name]
    columns = next((a.i for a in node.attribute if a.name == "K"), 1)
    session = runtime.InferenceSession(with_weights(node, tensors).SerializeToString())
    session.run(None, {"x": np.zeros((2, columns), "f4"), "i": np.zeros(2, "i8"), "r": np.zeros((2, 2), "f4")})


def classical(op, **attributes):
    node = helper.make_node(op, ["x"], ["y"], "m", domain="ai.onnx.ml", **attributes)
    graph = helper.make_graph([node], "g", [value("x", "n", 4)], [value("y", "n", 3)])
    return helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("ai.onnx.ml", 5)])


DOUBLES = numpy_helper.from_array(np.float64([0.5, 1.5]))
CLASSICAL = {
    "LinearClassifier": {"coefficients": 12, "intercepts": 3}, "Scaler": {"offset": 4, "scale": 4},
    "SVMRegressor": {"support_vectors": 8, "coefficients": 2, "rho": 1, "kernel_params": 0},
    "TreeEnsembleRegressor": {"nodes_values": 5, "target_weights": 3, "base_values_as_tensor": 2, "nodes_hitrates": 0},
    "LabelEncoder": {"keys_floats": 0, "values_floats": 0}, "Unknown": {"floats": 0}}


@pytest.mark.parametrize("op", CLASSICAL)
def test_learned_numbers_of_classical_machine_learning(cpb, tmp_path, op):
    """Lists of floats among attributes; other lists are settings, and no tensors."""
    wanted = {name: count for name, count in CLASSICAL[op].items() if count}
    lists = {name: np.arange(count or 3, dtype="f4") / 4 for name, count in CLASSICAL[op].items()}
    path = tmp_path / "m.onnx"
    onnx.save(classical(op, **{n: DOUBLES if n.endswith("_as_tensor") else v.tolist() for n, v in lists.items()}), path)
    assert total(cpb, path) == sum(wanted.values())
    listed = ask(cpb, path, "constants")["constants"]["items"]
    assert {c["node"]: (c["is"], c["use"], c["shape"]) for c in listed} == {
        f"m:{name}": ("attribute", "weight", [count]) for name, count in wanted.items()}
    for name in wanted:
        cpb.ok("extract", path, f"m:{name}", "-o", tmp_path / "got.npy", "--force")
        got = np.load(tmp_path / "got.npy")
        assert np.array_equal(got, [0.5, 1.5] if name.endswith("_as_tensor") else lists[name])


def test_other_tensors_of_classical_machine_learning_are_settings(cpb, tmp_path):
    tensors = {"nodes_splits": np.float32([1, 2]), "leaf_weights": np.float32([3]), "nodes_modes": np.uint8([0, 4]),
               "nodes_hitrates": np.float32([1, 1])}
    path = tmp_path / "m.onnx"
    onnx.save(classical("TreeEnsemble", **{name: numpy_helper.from_array(array) for name, array in tensors.items()}), path)
    assert total(cpb, path) == 3
    uses = {c["node"]: c["use"] for c in ask(cpb, path, "constants")["constants"]["items"]}
    assert uses == {f"m:{name}": "constant" if name in ("nodes_modes", "nodes_hitrates") else "weight" for name in tensors}


CONSTANTS = {"value_float": 0.5, "value_floats": [1.5, 2.5], "value_int": -7, "value_ints": [1, -2**40, 3], "value_string": b"a",
             "value_strings": [b"a", b"bc"], "no": 0.0}


@pytest.mark.parametrize("name", CONSTANTS)
def test_every_form_of_a_constant(cpb, tmp_path, name):
    """As the reference evaluator of onnx has it."""
    from onnx.reference import ReferenceEvaluator

    node = helper.make_node("Constant", [], ["c"], **{name.replace("no", "value_float"): CONSTANTS[name]})
    output = helper.make_tensor_value_info("c", TensorProto.FLOAT, None)
    model = helper.make_model(helper.make_graph([node], "g", [], [output]), opset_imports=[helper.make_opsetid("", 17)])
    [wanted] = ReferenceEvaluator(model).run(None, {})
    if name == "no":
        model.graph.node[0].attribute[0].ClearField("f")  # as proto3 writes a zero
    path = tmp_path / "m.onnx"
    onnx.save(model, path)
    [told] = ask(cpb, path, "constants")["constants"]["items"]
    assert told["is"] == "constant" and told["shape"] == list(wanted.shape) and told["elements"] == wanted.size
    assert total(cpb, path) == (2 if name == "value_floats" else 0)
    shown = [text.encode() if isinstance(text, str) else text for text in told["preview"]]
    assert shown == [t.encode() if isinstance(t, str) else t for t in wanted.ravel().tolist()]
    cpb.ok("extract", path, "c", "-o", tmp_path / "c.npy")
    got = np.load(tmp_path / "c.npy")
    assert got.astype(wanted.dtype).tolist() == wanted.tolist() and got.shape == wanted.shape
    assert json.loads(cpb.ok("inspect", path, "weights", "c", "--json"))["elements"] == wanted.size


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("count", [3, 300, 100_000])
@pytest.mark.parametrize("name, kind, number", [("value_floats", "f4", 7), ("value_ints", "i8", 8)])
def test_lists_of_any_length(cpb, tmp_path, name, kind, number, count, packed):
    """Packed, as proto3 writes them, or not."""
    values = np.arange(count).astype(kind)
    if packed:
        data = values.tobytes() if kind == "f4" else b"".join(map(varint, values.tolist()))
        attribute = field(1, name.encode()) + field(number, data) + bytes([0xa0, 1, number - 1])
        node = field(2, b"c") + field(4, b"Constant") + field(5, attribute)
        path = tmp_path / "m.onnx"
        path.write_bytes(bytes([8, 9]) + field(7, field(1, node)))
        assert getattr(onnx.load(path).graph.node[0].attribute[0], name[6:]) == values.tolist()
    else:
        path = save(tmp_path / "m.onnx", [helper.make_node("Constant", [], ["c"], **{name: values.tolist()})])
    assert total(cpb, path) == (count if kind == "f4" else 0)
    cpb.ok("extract", path, "c", "-o", tmp_path / "c.npy")
    assert np.array_equal(np.load(tmp_path / "c.npy"), values)


def test_a_constant_that_the_caller_of_a_function_gives_is_none(cpb, tmp_path):
    node = helper.make_node("Constant", [], ["c"])
    node.attribute.add(name="value_float", type=onnx.AttributeProto.FLOAT, ref_attr_name="alpha")
    function = helper.make_function("own", "fc", ["a"], ["b"], [node, helper.make_node("Mul", ["a", "c"], ["b"])],
                                    [helper.make_opsetid("", 17)], ["alpha"])
    call = helper.make_node("fc", ["x"], ["y"], domain="own", alpha=2.0)
    assert ask(cpb, save(tmp_path / "m.onnx", [call], functions=[function]), "constants")["constants"]["items"] == []


def test_attributes_that_lie_count_no_more_than_there_are_bytes(cpb, tmp_path):
    node, tensors = product(64, 5, 4, 32)
    next(a for a in node.attribute if a.name == "K").i = 2**40
    onnx.save(with_weights(node, tensors), tmp_path / "m.onnx")
    assert total(cpb, tmp_path / "m.onnx") == 64 * 5 + 5


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
