"""A field of a message, found by its path."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from libcpb import _core
from libcpb._arrays import Values
from libcpb._errors import CpbError

if TYPE_CHECKING:
    from numpy import ndarray

    from libcpb._messages import Message

_EVERYTHING = 2**64 - 1
_VARINTS = {3: "<i8", 4: "<u8", 5: "<i4", 8: "?", 13: "<u4", 14: "<i4", 17: "<i4", 18: "<i8"}
_TENSOR = "tensorflow.TensorProto"
_MOST = 1 << 32
_GROUP, _MESSAGE, _STRING, _BYTES = 10, 11, 9, 12

# Values of FieldDescriptorProto.Type: fixed-size numbers by their format of struct and NumPy, varints by meaning.
_FIXED = {1: "<d", 2: "<f", 6: "<Q", 7: "<I", 15: "<i", 16: "<q"}
_SIGNED, _ZIGZAG, _BOOL, _UNSIGNED32 = {3, 5, 14}, {17, 18}, 8, 13


class Range(NamedTuple):
    """A range of bytes in the (merged) message."""

    offset: int
    length: int


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A varint, and how many bytes it has; `at` is their offset."""
    value = 0
    for i, byte in enumerate(data[:10]):
        value |= (byte & 0x7F) << 7 * i
        if byte < 0x80:
            return value % 2**64, i + 1
    raise CpbError("a varint does not end", "DAMAGED", at)


def _number(kind: int, data: bytes, at: int) -> int | float | bool:
    if kind in _FIXED:
        if len(data) != struct.calcsize(_FIXED[kind]):
            raise CpbError(f"a number of type {kind} has {len(data)} bytes", "DAMAGED", at)
        value: int | float = struct.unpack(_FIXED[kind], data)[0]
        return value
    raw, _ = _varint(data, at)
    if kind == _BOOL:
        return raw != 0
    if kind in _ZIGZAG:
        return (raw >> 1) ^ -(raw & 1)
    if kind in _SIGNED:
        return raw - 2**64 if raw >= 2**63 else raw
    return raw % 2**32 if kind == _UNSIGNED32 else raw


class Field:
    """A field of a `Message`. A repeated field is a sequence of fields, its elements.

    Attributes:
        path: The path of the field.
        number: The field's number; 0 for the message itself.
        name: Its name; None if the schema does not have it.
        type_name: The full name of its message type; None if it is not a message, or unknown.
        ranges: The ranges of its value; several if a message occurs several times.
        repeated: Whether it is a repeated field as a whole, whose ranges include tags.
    """

    def __init__(self, message: Message, path: str, found: tuple[Any, ...]) -> None:
        self._message = message
        self._places: list[tuple[int, int]] | None = None
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
        """A message or repeated field in protobuf's JSON mapping, as from `json.loads`: 64-bit integers as
        `str`, bytes in base64, enums by name. Otherwise the same as `value`.

        Args:
            omit: For longer strings, bytes and packed fields, ``{"@omitted": {"offset": ..., "size": ...}}`` stands
                instead. None: for none.
            original_names: Whether names are those in the ``.proto``, not lowerCamelCase.
            unknown_fields: Whether ``"@unknown"`` lists fields that the schema lacks.
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
        """A number, bool, `str` or `bytes`, an enum as its number; for a message, or a field that the schema
        lacks, its bytes. CpbError USAGE for a repeated field as a whole."""
        if self.repeated:
            raise CpbError(f"{self.path} is a repeated field; expected an index, or json()")
        data = self.read()
        if self._kind in (0, _GROUP, _MESSAGE, _BYTES):
            return data
        if self._kind == _STRING:
            return data.decode("utf-8", "replace")
        return _number(self._kind, data, self.ranges[0].offset)

    def field(self, path: str) -> Field:
        """The field at a path within this message, such as ``op`` or ``attr["value"]``."""
        if self.repeated:
            raise CpbError(f"{self.path} is a repeated field; expected an index")
        whole = f"{self.path}.{path}" if self.path and path else self.path or path
        return Field(self._message, whole, self._message._find(self.type_name, path, self._ranges))

    def _elements(self) -> list[tuple[int, int]]:
        """The ranges of a repeated field's elements, without tags; for a packed field, the ranges of its
        runs."""
        if self._places is None:
            self._places = self._find(str(self.number), True)[0]
        return self._places

    def _find(self, path: str, each: bool = False) -> tuple[Any, ...]:
        """In the ranges of a repeated field, which are a message that has nothing else."""
        if not self.repeated:
            raise TypeError(f"{self.path or 'the message'} is no repeated field, and has no elements")
        return self._message._find(self.parent_name, path, self._ranges, each)

    def _is_packed(self) -> bool:
        return self.wire_type == 2 and self._kind in {*_FIXED, *_VARINTS}

    def __len__(self) -> int:
        places = self._elements()
        return len(self._numbers()) if self._is_packed() else len(places)

    def __bool__(self) -> bool:
        return True

    def __getitem__(self, which: Any) -> Any:
        """An element as a `Field`; in a map the entry of a key; in a packed field, the number itself."""
        if isinstance(which, str):
            key = f"[{json.dumps(which, ensure_ascii=False)}]"
            return Field(self._message, self.path + key, self._find(str(self.number) + key))
        if isinstance(which, slice):
            return [self[i] for i in range(*which.indices(len(self)))]
        places: Any = self._elements()
        if self._is_packed():
            return self._numbers()[which]
        if not -len(places) <= which < len(places):
            raise IndexError(f"{self.path} has no element {which}; there are {len(places)}")
        which %= len(places)
        rest = (self.parent_name, self.name, self._kind, self.type_name, self.number, self.wire_type, False)
        return Field(self._message, f"{self.path}[{which}]", ([places[which]], *rest))

    def __iter__(self) -> Iterator[Any]:
        if self._is_packed():
            return iter(self._numbers())
        return (self[i] for i in range(len(self._elements())))

    def _numbers(self) -> list[int | float | bool]:
        """The numbers of a packed field."""
        numbers = []
        for begin, length in self._elements():
            data, at = self._message.read(begin, length), 0
            while at < length:
                fixed = _FIXED.get(self._kind)
                size = struct.calcsize(fixed) if fixed else _varint(data[at : at + 10], begin + at)[1]
                numbers.append(_number(self._kind, data[at : at + size], begin + at))
                at += size
        return numbers

    def array(self, *, max_size: int = _MOST) -> ndarray[Any, Any]:
        """A repeated field of numbers, or a ``tensorflow.TensorProto``, as a NumPy array: a read-only view where the
        message is in memory and not in chunks. CpbError UNSUPPORTED for any other field.

        Args:
            max_size: The most bytes of a tensor, else a CpbError ``"LIMIT"``.
        """
        if self.type_name == _TENSOR and not self.repeated:
            data = memoryview(self._message._view(self._ranges))
            return Values(*_core.tensor(("memory", data, None, None), max_size)).array()
        name = _FIXED.get(self._kind) or _VARINTS.get(self._kind)
        if not self.repeated or name is None:
            raise CpbError(f"{self.path} is no repeated field of numbers and no tensor", "UNSUPPORTED")
        try:
            import numpy as np
        except ImportError as error:
            raise ImportError("an array needs NumPy: install libcpb[arrays]") from error
        numbers = self._message._view(self._elements())
        if self._kind in _FIXED:
            size, dtype = memoryview(numbers).nbytes, np.dtype(name)
            if size % dtype.itemsize:
                raise CpbError(f"{self.path} has {size} bytes of {dtype.str}", "DAMAGED", self.ranges[0].offset)
            return np.frombuffer(numbers, dtype)
        each = np.frombuffer(numbers, np.uint8)
        bounds = np.concatenate(([0], np.flatnonzero(each < 128) + 1))
        starts, sizes = bounds[:-1], np.diff(bounds)
        if bounds[-1] != len(each) or sizes.max(initial=0) > 10:
            raise CpbError("a varint does not end", "DAMAGED", self.ranges[0].offset)
        shifts = (np.arange(len(each)) - np.repeat(starts, sizes)).astype(np.uint64) * np.uint64(7)
        parts = (each & 127).astype(np.uint64) << shifts
        whole = np.add.reduceat(parts, starts) if len(starts) else parts
        if self._kind in _ZIGZAG:
            whole = (whole >> np.uint64(1)) ^ (np.uint64(0) - (whole & np.uint64(1)))
        return whole != 0 if self._kind == _BOOL else whole.astype(name)

    def __repr__(self) -> str:
        return f"<libcpb.Field {self.path} of {self.size} bytes>"
