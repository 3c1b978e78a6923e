"""Messages of Core ML field by field, for models that its own programs do not make."""

import struct

from support import wire


def number(n, value):
    return wire.tag(n, 0) + wire.varint(value & 2**64 - 1)


HEAD = number(1, 8) + wire.field(2, wire.field(1, wire.field(1, b"x")))


def entry(field, key, value):
    return wire.field(field, wire.field(1, key) + wire.field(2, value))


def program(operations, rest=b""):
    block = entry(3, b"CoreML8", operations)
    return HEAD + wire.field(502, number(1, 1) + entry(2, b"main", wire.field(2, b"CoreML8") + block) + rest)


def value(dims, kind=11, content=b"", rank=None):
    sizes = b"".join(wire.field(3, wire.field(1, number(1, d))) for d in dims)
    tensor = number(1, kind) + number(2, len(dims) if rank is None else rank) + sizes
    return wire.field(2, wire.field(1, tensor)) + content


def const(value_, name=b"t"):
    return wire.field(3, wire.field(1, b"const") + wire.field(3, wire.field(1, name)) + entry(5, b"val", value_))


def blob(location, offset):
    return wire.field(5, wire.field(1, location) + number(2, offset))


def floats(content):
    return wire.field(3, wire.field(1, wire.field(1, wire.field(1, content))))


def network(layers):
    return HEAD + wire.field(500, layers)


def layer(kind, parameters, name=b"l"):
    return wire.field(1, wire.field(1, name) + wire.field(kind, parameters))


def convolution(sizes, weights):
    return layer(100, number(1, sizes[0]) + number(2, sizes[1]) + number(10, sizes[2]) + wire.field(90, weights))


def description(kind=2, size=12, offset=128, mark=0xDEADBEEF):
    """What stands in front of values in a file of weights."""
    return struct.pack("<IIQQ", mark, kind, size, offset).ljust(64, b"\0")
