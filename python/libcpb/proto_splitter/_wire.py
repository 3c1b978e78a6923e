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
