"""A field of a message, found by its path."""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING, Any, NamedTuple

from libcpb._errors import CpbError

if TYPE_CHECKING:
    from libcpb._messages import Message

_EVERYTHING = 2**64 - 1
_GROUP, _MESSAGE, _STRING, _BYTES = 10, 11, 9, 12

# Of FieldDescriptorProto.Type: fixed-size numbers by their struct format, varints by what they mean.
_FIXED = {1: "<d", 2: "<f", 6: "<Q", 7: "<I", 15: "<i", 16: "<q"}
_SIGNED, _ZIGZAG, _BOOL, _UNSIGNED32 = {3, 5, 14}, {17, 18}, 8, 13


class Range(NamedTuple):
    """Where bytes lie in the (merged) message."""

    offset: int
    length: int


def _varint(data: bytes, at: int) -> int:
    value = 0
    for i, byte in enumerate(data[:10]):
        value |= (byte & 0x7F) << 7 * i
        if byte < 0x80:
            return value % 2**64
    raise CpbError("a varint does not end", "DAMAGED", at)


def _number(kind: int, data: bytes, at: int) -> int | float | bool:
    if kind in _FIXED:
        if len(data) != struct.calcsize(_FIXED[kind]):
            raise CpbError(f"a number of type {kind} has {len(data)} bytes", "DAMAGED", at)
        value: int | float = struct.unpack(_FIXED[kind], data)[0]
        return value
    raw = _varint(data, at)
    if kind == _BOOL:
        return raw != 0
    if kind in _ZIGZAG:
        return (raw >> 1) ^ -(raw & 1)
    if kind in _SIGNED:
        return raw - 2**64 if raw >= 2**63 else raw
    return raw % 2**32 if kind == _UNSIGNED32 else raw


class Field:
    """A field of a `Message`, of which nothing is read before it is asked for.

    Attributes:
        path: The path that it was found by.
        number: The field's number; 0 for the message itself.
        name: Its name; None where the schema does not tell.
        type_name: The full name of its message type; None when it is no message, or not known.
        ranges: Where its value lies. There are several when a message occurs several times: they are
            then merged by concatenation.
        repeated: Whether it is a repeated field as a whole. The ranges are then fields of the parent,
            with their tags.
    """

    def __init__(self, message: Message, path: str, found: tuple[Any, ...]) -> None:
        self._message = message
        self._ranges = found[0]
        self.path = path
        self.ranges = [Range(*pair) for pair in found[0]]
        self.parent_name: str | None
        self.name: str | None
        self.type_name: str | None
        _, self.parent_name, self.name, self._kind, self.type_name, self.number, self.wire_type, self.repeated = found

    @property
    def size(self) -> int:
        """Bytes of the serialized value."""
        return sum(length for _, length in self.ranges)

    def read(self) -> bytes:
        """The serialized value."""
        return b"".join(self._message.read(offset, length) for offset, length in self.ranges)

    def json(
        self, *, omit: int | None = 1024, original_names: bool = True, unknown_fields: bool = False
    ) -> Any:
        """A message or repeated field as `json.loads` gives protobuf's JSON: 64-bit integers as `str`,
        bytes in base64, enums by name. For anything else the same as `value`.

        Args:
            omit: Longer strings, bytes and packed fields are not read: ``{"@omitted": {"offset": ...,
                "size": ...}}`` stands for each. None: all is read.
            original_names: Whether names are as in the ``.proto``, rather than lowerCamelCase.
            unknown_fields: Whether fields that the schema lacks are listed under ``"@unknown"``.
        """
        if self.repeated and self.parent_name:
            whole = self._json(self.parent_name, omit, original_names, unknown_fields)
            return next((value for key, value in whole.items() if key != "@unknown"), [])
        if self.type_name is None:
            return self.value()
        return self._json(self.type_name, omit, original_names, unknown_fields)

    def _json(self, type_name: str, omit: int | None, original: bool, unknown: bool) -> Any:
        most = _EVERYTHING if omit is None else omit
        return json.loads(self._message._json(type_name, self._ranges, most, original, unknown))

    def value(self) -> Any:
        """A number, bool, `str` or `bytes` as such, an enum as its number; for a message or a field that
        the schema does not have, its bytes. CpbError USAGE for a repeated field as a whole."""
        if self.repeated:
            raise CpbError(f"{self.path} is a repeated field; expected an index, or json()")
        data = self.read()
        if self._kind in (0, _GROUP, _MESSAGE, _BYTES):
            return data
        if self._kind == _STRING:
            return data.decode("utf-8", "replace")
        return _number(self._kind, data, self.ranges[0].offset)

    def __repr__(self) -> str:
        return f"<libcpb.Field {self.path} of {self.size} bytes>"
