"""Graph files made with the flatbuffers package, as ND4J lays them out."""

import struct

import flatbuffers

FLOAT, UTF8, CUSTOM = 5, 50, 21
EXTRAS = {FLOAT: 8192, UTF8: 1048576}
VARIABLE, ARRAY = 0, 2


def vector(b, offsets):
    b.StartVector(4, len(offsets), 4)
    for offset in reversed(offsets):
        b.PrependUOffsetTRelative(offset)
    return b.EndVector()


def pair(b, first, second):
    b.StartObject(2)
    b.PrependInt32Slot(0, first, 0)
    b.PrependInt32Slot(1, second, 0)
    return b.EndObject()


def flat_array(b, shape, strides, big_endian_values, order="c", dtype=FLOAT):
    buffer = b.CreateByteVector(big_endian_values)
    info = [len(shape), *shape, *strides, EXTRAS[dtype], 1, ord(order)]
    b.StartVector(8, len(info), 8)
    for n in reversed(info):
        b.PrependInt64(n)
    shape = b.EndVector()
    b.StartObject(4)
    b.PrependUOffsetTRelativeSlot(0, shape, 0)
    b.PrependUOffsetTRelativeSlot(1, buffer, 0)
    b.PrependInt8Slot(2, dtype, 0)
    b.PrependInt8Slot(3, 1, 0)
    return b.EndObject()


def variable(b, name, number, kind, array=None, shape=None):
    text, identity = b.CreateString(name), pair(b, number, 0)
    if shape is not None:
        b.StartVector(8, len(shape), 8)
        for n in reversed(shape):
            b.PrependInt64(n)
        shape = b.EndVector()
    b.StartObject(10)
    b.PrependUOffsetTRelativeSlot(0, identity, 0)
    b.PrependUOffsetTRelativeSlot(1, text, 0)
    b.PrependInt8Slot(2, FLOAT, 0)
    if array is not None:
        b.PrependUOffsetTRelativeSlot(4, array, 0)
    if shape is not None:
        b.PrependUOffsetTRelativeSlot(3, shape, 0)
    b.PrependInt8Slot(6, kind, 0)
    return b.EndObject()


def node(b, name, number, inputs, op):
    texts = b.CreateString(name), b.CreateString(op)
    outputs = vector(b, [b.CreateString(name)])
    pairs = vector(b, [pair(b, i, 0) for i in inputs])
    b.StartObject(24)
    b.PrependInt32Slot(0, number, 0)
    b.PrependUOffsetTRelativeSlot(1, texts[0], 0)
    b.PrependInt8Slot(2, CUSTOM, 0)
    b.PrependUOffsetTRelativeSlot(6, pairs, 0)
    b.PrependUOffsetTRelativeSlot(15, outputs, 0)
    b.PrependUOffsetTRelativeSlot(16, texts[1], 0)
    return b.EndObject()


def finish(b, variables, nodes):
    variables, nodes = vector(b, variables), vector(b, nodes)
    b.StartObject(10)
    b.PrependUOffsetTRelativeSlot(1, variables, 0)
    b.PrependUOffsetTRelativeSlot(2, nodes, 0)
    b.Finish(b.EndObject())
    return bytes(b.Output())


def with_arrays(count, elements):
    """Variables w0, w1, ... of so many floats, all of the number of the variable."""
    b = flatbuffers.Builder(count * (4 * elements + 1000))
    arrays = [flat_array(b, [elements], [1], struct.pack(">f", i) * elements) for i in range(count)]
    return finish(b, [variable(b, f"w{i}", i + 1, VARIABLE, a) for i, a in enumerate(arrays)], [])


def chain(count):
    """A chain of so many operations."""
    b = flatbuffers.Builder(count * 300)
    variables = [variable(b, f"layer/{i}", i + 1, ARRAY) for i in range(count + 1)]
    return finish(b, variables, [node(b, f"layer/{i}", i + 1, [i], ["add", "relu"][i % 2]) for i in range(1, count + 1)])


def with_strides(shape, strides, big_endian_values, order="c", dtype=FLOAT, told=None):
    """A variable "w" that lies in an order of its own; `told`: the shape that the variable has."""
    b = flatbuffers.Builder(1000)
    array = flat_array(b, shape, strides, big_endian_values, order, dtype)
    return finish(b, [variable(b, "w", 1, VARIABLE, array, told)], [])


def without_array():
    b = flatbuffers.Builder(1000)
    return finish(b, [variable(b, "w", 1, VARIABLE)], [])


def array_file(shape, strides, big_endian_values, order="c"):
    b = flatbuffers.Builder(1000)
    b.Finish(flat_array(b, shape, strides, big_endian_values, order))
    return bytes(b.Output())
