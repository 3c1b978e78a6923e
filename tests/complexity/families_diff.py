"""Pairs of models whose comparison took time or memory out of all proportion to their size: each a
function of n, and of which of the two it is, that makes a model of size O(n)."""

import json

from complexity import families_lists as lists
from complexity import families_onnx as onnx
from support.wire import field, tag, varint


def number(key, value):
    return tag(key, 0) + varint(value)


def entry(key, name, value):
    """Of a map."""
    return field(key, field(1, name) + field(2, value))


def integer(value):
    """AttrValue"""
    return number(3, value)


def function(name, signature=b"", rest=b""):
    """FunctionDefLibrary.function"""
    return field(1, field(1, field(1, name) + signature) + rest)


def graph(functions, nodes=b""):
    """GraphDef"""
    return nodes + field(2, functions)


def saved_model(objects, functions=b""):
    body = field(2, graph(functions)) + field(7, b"".join(field(1, one) for one in objects))
    return number(1, 1) + field(2, body)


def child(node, name):
    return field(1, number(1, node) + field(2, name))


def many_functions(n, side):
    """Functions that differ, each in its number and what it has."""
    return graph(b"".join(function(b"__inference_f_%d" % (2 * i + side), number(17, side)) for i in range(n)))


def many_attributes(n, side):
    """A function with n attributes, in the order opposite to the other's."""
    keys = [b"a%07d" % i for i in range(n)][:: 1 - 2 * side]
    return graph(function(b"f", rest=b"".join(entry(5, key, integer(side)) for key in keys)))


def many_arguments(n, side):
    """A function with n inputs, in the order opposite to the other's."""
    names = [b"a%07d" % i for i in range(n)][:: 1 - 2 * side]
    return graph(function(b"f", b"".join(field(2, field(1, name) + number(3, 1 + side)) for name in names)))


def same_arguments(n, side):
    """A function with n inputs of one name, the first of which is large."""
    first = field(2, field(1, b"x") + field(4, b"t" * n * 8))
    other = field(2, field(1, b"x") + number(3, 1 + side))
    return graph(function(b"f", first + other * n))


def keras(config):
    """KerasMetadata: a model with one layer."""
    layer = {"name": "d", "class_name": "Dense"}
    objects = [(b"root", b"_tf_keras_network", {"name": "m", "config": {"layers": [layer]}}),
               (b"root.layer", b"_tf_keras_layer", layer | {"config": config})]
    return b"".join(
        field(1, number(2, i) + field(3, path) + field(4, identifier) + field(5, json.dumps(text).encode()))
        for i, (path, identifier, text) in enumerate(objects))


def many_members(n, side):
    """A layer whose config has n members, in the order opposite to the other's."""
    return keras({f"m{i:07}": side for i in range(n)[:: 1 - 2 * side]})


def long_paths(n, side):
    """A member with a long name, in which n members differ."""
    return keras({"k" * 8 * n: {f"m{i}": side for i in range(n)}})


def deep_objects(n, side):
    """Objects, each the only child of the one before."""
    last = field(4, b"") if side else b""
    return saved_model([child(i + 1, b"c") for i in range(n)] + [last])


def doubled_objects(n, side):
    """The same, but each is twice a child of the one before: visited each time, 2^n objects."""
    return saved_model([2 * child(i + 1, b"c") for i in range(n)] + [b""])


def many_children(n, side):
    """An object with n children, of which none has a name."""
    return saved_model([child(1 + side, b"") * n, b"", b""])


# --- Many graphs -----------------------------------------------------------------------


def call(i):
    return onnx.node(b"f%d" % i, b"n%d" % i)


def onnx_model(graph=b"", rest=b""):
    return number(1, 10) + field(7, graph) + rest


def onnx_functions(n, side):
    """Functions of an ONNX model, each with a node and called by one."""
    functions = [onnx.function(b"f%d" % i, [onnx.node(b"op", b"%d" % side)]) for i in range(n)]
    return onnx_model(onnx.nodes(call(i) for i in range(n)), b"".join(functions))


def onnx_subgraphs(n, side):
    """Nodes that have a graph each."""
    graph = field(6, onnx.nodes([onnx.node(b"op", b"%d" % side)]))
    return onnx_model(onnx.nodes(onnx.node(b"If", b"n%d" % i, rest=field(5, field(1, b"body") + graph)) for i in range(n)))


def onnx_nested(n, side):
    """Nodes that have a graph each, in which there is a node that has one, and so on."""
    def nest(i):
        inner = onnx.node(b"op", b"%d" % side)
        for level in range(8):
            inner = onnx.node(b"If", b"n%d.%d" % (i, level), rest=field(5, field(1, b"body") + field(6, onnx.nodes([inner]))))
        return inner

    return onnx_model(onnx.nodes(nest(i) for i in range(n)))


def coreml_model(functions):
    return number(1, 8) + field(2, field(1, field(1, b"x"))) + field(502, number(1, 1) + functions)


def coreml_operation(name, rest=b""):
    return field(3, field(1, b"cond") + field(3, field(1, name)) + rest)


def coreml_functions(n, side):
    """Functions of a Core ML program, each with an operation."""
    operation = coreml_operation(b"%d" % side)
    return coreml_model(b"".join(lists.coreml_function(b"f%d" % i, operation) for i in range(n)))


def coreml_blocks(n, side):
    """Operations that have a block each, in which there is an operation that has one."""
    inner = field(4, coreml_operation(b"inner", field(4, coreml_operation(b"%d" % side))))
    return coreml_model(lists.coreml_function(b"main", b"".join(coreml_operation(b"n%d" % i, inner) for i in range(n))))


def meta_graphs(n, side):
    """Meta graphs in which there is nothing but a tag."""
    return number(1, 1) + b"".join(field(2, field(1, field(4, b"%d" % (i + side)))) for i in range(n))


FAMILIES = {
    "many_functions": (many_functions, 10_000),
    "many_attributes": (many_attributes, 20_000),
    "many_arguments": (many_arguments, 20_000),
    "same_arguments": (same_arguments, 10_000),
    "many_members": (many_members, 20_000),
    "long_paths": (long_paths, 2_000),
    "deep_objects": (deep_objects, 3_000),
    "doubled_objects": (doubled_objects, 3_000),
    "many_children": (many_children, 25_000),
    "onnx_functions": (onnx_functions, 1_000),
    "onnx_subgraphs": (onnx_subgraphs, 1_000),
    "onnx_nested": (onnx_nested, 200),
    "coreml_functions": (coreml_functions, 1_000),
    "coreml_blocks": (coreml_blocks, 500),
    "meta_graphs": (meta_graphs, 300),
}
