"""protobuf's wire format, as far as Python code here reads and writes it itself."""

from __future__ import annotations

VARINT, FIXED64, LENGTH, GROUP, END_GROUP, FIXED32 = range(6)


def varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number: int, data: bytes) -> bytes:
    """A field with a length, such as a sub-message."""
    return varint(number << 3 | LENGTH) + varint(len(data)) + data


def read_field(data: bytes | memoryview, at: int) -> tuple[int, int, int, int] | None:
    """The number and wire type of the field at `at`, and the begin and end of its value: the same for a group or an
    unknown wire type, and perhaps beyond `data`. None if a varint does not end."""
    tag = read_varint(data, at)
    if tag is None:
        return None
    wire, value, stop = tag[0] & 7, tag[1], tag[1]
    if wire in (VARINT, LENGTH):
        found = read_varint(data, value)
        if found is None:
            return None
        stop = found[1]
        if wire == LENGTH:
            value, stop = stop, stop + found[0]
    elif wire in (FIXED64, FIXED32):
        stop += 8 if wire == FIXED64 else 4
    return tag[0] >> 3, wire, value, stop


def read_varint(data: bytes | memoryview, at: int) -> tuple[int, int] | None:
    """The varint at `at`, and where it ends; None if it does not."""
    value = shift = 0
    while at < len(data) and shift < 70:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    return None
