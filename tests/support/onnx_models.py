"""Small ONNX models with everything that a model can have."""

import numpy as np
from onnx import FunctionProto, TensorProto, TrainingInfoProto, helper, numpy_helper

OPSETS = [helper.make_opsetid("", 21), helper.make_opsetid("ai.onnx.ml", 4), helper.make_opsetid("own", 1)]


def info(name, dtype=TensorProto.FLOAT, shape=("batch", 3, None)):
    return helper.make_tensor_value_info(name, dtype, shape)


def entry(message, key, value):
    added = message.add()
    added.key, added.value = key, value


def branch(name, value):
    """A graph without a node's name, that takes a value of the graph around it."""
    constant = helper.make_node("Constant", [], ["c"], value=numpy_helper.from_array(np.float32([value]), "inner"))
    return helper.make_graph([constant, helper.make_node("Add", ["h", "c"], ["sum"])], name, [], [info("sum")],
                             [numpy_helper.from_array(np.arange(4, dtype=np.int64), "of_branch")])


def loop():
    deep = helper.make_node("If", ["cond"], ["kept"], "again", then_branch=branch("deep_then", 3),
                            else_branch=branch("deep_else", 4))
    nodes = [deep, helper.make_node("Identity", ["cond"], ["go_on"])]
    return helper.make_graph(nodes, "body", [info("i", TensorProto.INT64, ()), info("cond", TensorProto.BOOL, ())],
                             [info("go_on", TensorProto.BOOL, ()), info("kept")])


def functions():
    one = helper.make_function("own", "twice", ["a"], ["b"],
                               [helper.make_node("Add", ["a", "a"], ["b"], "inside")], OPSETS, ["alpha"])
    attribute = one.node[0].attribute.add()
    attribute.name, attribute.type, attribute.ref_attr_name = "scale", 1, "alpha"
    two = FunctionProto()
    two.CopyFrom(one)
    two.overload = "fast"
    two.node[0].op_type, two.node[0].domain = "twice", "own"
    two.attribute_proto.append(helper.make_attribute("beta", 2.5))
    entry(two.metadata_props, "from", "a test")
    return [one, two]


def tensors():
    """One for each type that NumPy or the package's own types have, by raw_data and by the typed field."""
    for dtype in (1, 2, 3, 5, 6, 7, 9, 10, 11, 12, 13, 14, 16, 17, 21, 22):
        yield helper.make_tensor(f"typed_{dtype}", dtype, [5], [1, 0, 1, 1, 0])
    yield helper.make_tensor("texts", TensorProto.STRING, [2], [b"one", "zw\u00f6lf".encode()])
    yield helper.make_tensor("model.0.weight", TensorProto.FLOAT, [3, 4],
                             np.arange(12, dtype=np.float32).tobytes(), raw=True)
    elsewhere = TensorProto(name="elsewhere", data_type=TensorProto.FLOAT, dims=[2, 2], data_location=1)
    for key, value in (("location", "w.bin"), ("offset", "16"), ("length", "16"), ("checksum", "ab12")):
        entry(elsewhere.external_data, key, value)
    yield elsewhere


def types():
    tensor = helper.make_tensor_type_proto(TensorProto.FLOAT, ["n", 2])
    yield helper.make_value_info("list", helper.make_sequence_type_proto(helper.make_optional_type_proto(tensor)))
    yield helper.make_value_info("map", helper.make_map_type_proto(TensorProto.STRING, helper.make_sequence_type_proto(tensor)))
    yield helper.make_value_info("sparse", helper.make_sparse_tensor_type_proto(TensorProto.DOUBLE, [5, 5]))
    opaque = helper.make_value_info("opaque", helper.make_tensor_type_proto(1, None))
    opaque.type.opaque_type.domain, opaque.type.opaque_type.name = "own", "Thing"
    yield opaque
    yield helper.make_value_info("nothing", helper.make_tensor_type_proto(0, None))


def rich():
    sparse = helper.make_sparse_tensor(numpy_helper.from_array(np.float32([1, 2]), "sparse_weight"),
                                       numpy_helper.from_array(np.int64([1, 7])), [3, 4])
    nodes = [
        helper.make_node("MatMul", ["x", "model.0.weight"], ["h"], "/model/0/MatMul"),
        helper.make_node("If", ["flag"], ["chosen"], "choose", then_branch=branch("then", 1),
                         else_branch=branch("else", 2)),
        helper.make_node("Loop", ["", "flag", "chosen"], ["looped"], body=loop()),
        helper.make_node("twice", ["looped"], ["t"], "/model/1/twice", domain="own", alpha=0.5),
        helper.make_node("twice", ["t"], ["y"], "/model/1/faster", domain="own", overload="fast"),
        helper.make_node("Odd", ["y", ""], ["", "z"], "/odd", domain="else.where", ints=[1, -2**60], floats=[0.1, 2.0],
                         strings=[b"a", b"\xff"], graphs=[branch("one", 5), branch("two", 6)],
                         tp=helper.make_tensor_type_proto(7, [1]), sparse=sparse),
    ]
    graph = helper.make_graph(nodes, "main", [info("x"), info("flag", TensorProto.BOOL, ()), *types()],
                              [info("y"), info("z", TensorProto.FLOAT16, None)], list(tensors()), "of the graph",
                              [info("h")], [sparse])
    quantized = graph.quantization_annotation.add()
    quantized.tensor_name = "model.0.weight"
    entry(quantized.quant_parameter_tensor_names, "SCALE_TENSOR", "typed_1")
    model = helper.make_model(graph, opset_imports=OPSETS, functions=functions(), producer_name="test",
                              producer_version="1.0", doc_string="A model\nof everything", domain="org.test",
                              model_version=7)
    training = TrainingInfoProto()
    training.algorithm.CopyFrom(branch("train", 9))
    entry(training.update_binding, "model.0.weight", "sum")
    model.training_info.append(training)
    entry(model.metadata_props, "author", "n\u00f6body")
    node_entry = model.graph.node[0]
    entry(node_entry.metadata_props, "pkg.torch.onnx.name", "fc")
    return model


def elsewhere(location, offset=0, length=16):
    """A model, as bytes, with a weight w0 of four floats in a file of this name."""
    weight = TensorProto(name="w0", data_type=TensorProto.FLOAT, dims=[4], data_location=1)
    for key, value in (("location", location), ("offset", str(offset)), ("length", str(length))):
        entry(weight.external_data, key, value)
    graph = helper.make_graph([helper.make_node("Abs", ["w0"], ["out"])], "g", [], [info("out", shape=(4,))], [weight])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=9).SerializeToString()


def large(size):
    """With a weight of so many bytes."""
    weight = numpy_helper.from_array(np.zeros(size // 4, np.float32), "w")
    graph = helper.make_graph([helper.make_node("Identity", ["w"], ["y"])], "g", [], [info("y", shape=(size // 4,))], [weight])
    return helper.make_model(graph, opset_imports=OPSETS[:1]).SerializeToString()
