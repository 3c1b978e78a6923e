"""A SavedModel of many nodes and functions, without TensorFlow: wire bytes by hand.

    python3 tests/support/big_graph.py OUT [NODES [FUNCTIONS [CONSTANT_BYTES]]]
"""

import pathlib
import sys


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number, value):
    """A LEN field, or a varint where `value` is a number."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value


def attr(name, value):
    return field(5, field(1, name) + field(2, value))


def node(name, op, inputs=(), attrs=b""):
    return field(1, name) + field(2, op) + b"".join(field(3, i) for i in inputs) + attrs


def tensor(content):
    shape = field(2, field(1, len(content) // 4))
    return field(1, 1) + field(2, shape) + field(4, content)


FLOAT = attr("T", field(6, 1))


def function(number, nodes):
    """Calls the next one, if there is one."""
    name = f"__inference_f_{number}"
    signature = field(1, name) + field(2, field(1, "x") + field(3, 1)) + field(3, field(1, "y") + field(3, 1))
    body = [node("n0", "Sin", ["x"], FLOAT)]
    body += [node(f"block_{i // 10}/n{i}", "Mul", [f"n{i - 1}:y:0", "x", "^n0"], FLOAT) for i in range(1, nodes)]
    if number > 0:
        called = attr("f", field(10, field(1, f"__inference_f_{number - 1}")))
        body.append(node("call", "PartitionedCall", [f"n{nodes - 1}:z:0"], called))
    return field(1, signature) + b"".join(field(3, n) for n in body) + field(4, field(1, "y") + field(2, "n0:y:0"))


def parts(nodes, functions, constant_bytes=0):
    """The SavedModel as (what is before the large constants, their number and size, what is after)."""
    graph = [field(1, node("x", "Placeholder", (), attr("dtype", field(6, 1))))]
    graph += [field(1, node(f"scope_{i // 100}/n{i}", "Mul", [f"scope_{(i - 1) // 100}/n{i - 1}" if i else "x", "x"], FLOAT))
              for i in range(nodes // 2)]
    if constant_bytes:
        content = b"\1\2\3\4" * (constant_bytes // 4)
        value = field(1, "value") + field(2, field(8, tensor(content)))
        graph.append(field(1, node("weights", "Const", (), field(5, value))))
    each = nodes // 2 // functions if functions else 0
    graph.append(field(2, b"".join(field(1, function(i, each)) for i in range(functions))))
    return b"".join(graph)


def tensor_info(name):
    return field(1, name) + field(2, 1) + field(3, field(2, field(1, 2**64 - 1)) + field(2, field(1, 3)))


def saved_model(nodes=1000, functions=20, constant_bytes=0):
    ops = b"".join(field(1, field(1, op)) for op in ("Const", "MyCustomOp", "Mul", "PartitionedCall", "Placeholder", "Sin"))
    info = field(2, ops) + field(4, "serve") + field(5, "2.21.0")
    signature = field(1, field(1, "x") + field(2, tensor_info("x:0"))) + \
        field(2, field(1, "y") + field(2, tensor_info("scope_0/n0:0"))) + field(3, "tensorflow/serving/predict")
    variable = field(1, 1) + field(2, field(2, field(1, 7))) + field(3, 1) + field(6, "v")
    objects = [field(1, field(1, i + 1) + field(2, f"f{i}")) for i in range(functions)]
    root = b"".join(objects) + field(1, field(1, functions + 1) + field(2, "v")) + field(4, field(1, "_generic_user_object"))
    nodes_of = [field(1, root)] + [field(1, field(6, field(1, f"__inference_f_{i}"))) for i in range(functions)]
    nodes_of.append(field(1, field(7, variable)))
    meta = field(1, info) + field(2, parts(nodes, functions, constant_bytes)) + \
        field(5, field(1, "serving_default") + field(2, signature)) + field(7, b"".join(nodes_of))
    return field(1, 1) + field(2, meta)


if __name__ == "__main__":
    out, *sizes = sys.argv[1:]
    pathlib.Path(out).write_bytes(saved_model(*map(int, sizes)))
