"""Large values taken out of a serialized message, without parsing it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from libcpb import CpbError
from libcpb.proto_splitter import _wire, util

_TEXT = (FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES)


def _fields(data: memoryview, begin: int, end: int) -> Iterator[tuple[int, int, int, int, int]]:
    """(begin, number, wire type, begin of the value, end) of each field."""
    at = begin
    while at < end:
        found = _wire.read_field(data, at)
        if found is None:
            raise CpbError("a varint that does not end", "DAMAGED", at)
        number, wire, value, stop = found
        if wire not in (_wire.VARINT, _wire.FIXED64, _wire.LENGTH, _wire.FIXED32) or stop > end:
            raise CpbError(f"field {number} is not one that TensorFlow writes", "DAMAGED", at)
        yield at, number, wire, value, stop
        at = stop


def peel(descriptor: Descriptor, data: bytes | memoryview, bound: int) -> tuple[bytes, list[tuple[list[str | int | bool], int, int]]]:
    """Takes each string or bytes field of more than `bound` bytes out of the values of a message's maps, at
    any depth: from attributes, but not the names of nodes.

    Returns:
        (skeleton, values): the serialized message without these fields, and for each its path
            (util.FieldTypes) and its begin and end in `data`. Repeated fields stay in.
    """
    if len(data) <= bound:
        return bytes(data), []
    values: list[tuple[list[str | int | bool], int, int]] = []
    return bytes(_peel(memoryview(data), descriptor, 0, len(data), bound, [], values, False)), values


def _peel(data: memoryview, descriptor: Any, begin: int, end: int, bound: int, path: list[str | int | bool],
          values: list[tuple[list[str | int | bool], int, int]], inside: bool) -> bytearray:
    out = bytearray()
    counts: dict[int, int] = {}
    kept = begin  # what is not yet in `out`
    for at, number, wire, value, stop in _fields(data, begin, end):
        known = descriptor.fields_by_number.get(number)
        repeated = known is not None and util.is_repeated(known)
        index = counts.get(number, 0)
        if repeated:
            counts[number] = index + 1
        if wire != 2 or stop - value <= bound or known is None or (repeated and known.message_type is None):
            continue
        here = path + [known.name]
        if known.type in _TEXT:
            if not inside:
                continue
            out += data[kept:at]
            values.append((here, value, stop))
        elif util.is_map(known):
            inner: bytes | bytearray | memoryview = _peel_entry(data, known, value, stop, bound, here, values)
            out += data[kept:at]
            out += _wire.field(number, bytes(inner))
        elif known.message_type is not None:
            inner = _peel(data, known.message_type, value, stop, bound, here + [index] if repeated else here, values,
                          inside)
            out += data[kept:at]
            out += _wire.field(number, bytes(inner))
        else:
            continue
        kept = stop
    out += data[kept:end]
    return out


def _peel_entry(data: memoryview, known: Any, begin: int, end: int, bound: int, path: list[str | int | bool],
                values: list[tuple[list[str | int | bool], int, int]]) -> bytes | memoryview:
    """A map's entry: the path goes on with its key, which is text in TensorFlow's messages."""
    key, content = None, None
    for _, number, wire, value, stop in _fields(data, begin, end):
        if number == 1 and wire == 2:
            key = bytes(data[value:stop]).decode()
        elif number == 2:
            content = (value, stop)
    message_type = known.message_type.fields_by_number[2].message_type
    if key is None or content is None or message_type is None:
        return data[begin:end]
    inner = _peel(data, message_type, *content, bound, path + [key], values, True)
    return _wire.field(1, key.encode()) + _wire.field(2, bytes(inner))
