"""Parsing a message of any size from a reader, a piece at a time."""

from __future__ import annotations

from typing import Any, NoReturn, Protocol, TypeVar

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError

from libcpb import CpbError
from libcpb.proto_splitter import _wire, util

# About how many bytes are parsed at once. A string or bytes field is never divided.
PIECE = 4 << 20

_LIMIT = 1 << 31
_DEPTH = 100
_T = TypeVar("_T")

_PACKED_SIZES = {
    FieldDescriptor.TYPE_DOUBLE: 8, FieldDescriptor.TYPE_FIXED64: 8, FieldDescriptor.TYPE_SFIXED64: 8,
    FieldDescriptor.TYPE_FLOAT: 4, FieldDescriptor.TYPE_FIXED32: 4, FieldDescriptor.TYPE_SFIXED32: 4,
}


class Reader(Protocol):
    """The input: it has a size in bytes, and reads ranges."""

    @property
    def size(self) -> int: ...

    def read(self, offset: int, length: int, /) -> bytes: ...


class _Window:
    """The bytes of a reader from `begin` on that were read so far."""

    def __init__(self, reader: Reader, name: str | None, piece: int) -> None:
        self.reader = reader
        self.name = name
        self.piece = piece
        self.begin = 0
        self.data: bytes = b""

    def read(self, begin: int, length: int) -> bytes:
        """The bytes themselves; CpbError if the reader has fewer."""
        offset = begin - self.begin
        if 0 <= offset and offset + length <= len(self.data):
            return self.data[offset:offset + length]
        return self._fetch(begin, length)

    def _fetch(self, begin: int, length: int) -> bytes:
        data = bytes(self.reader.read(begin, length))
        if len(data) != length:
            self.fail(begin, f"{length} bytes expected, {len(data)} there")
        return data

    def peek(self, at: int, end: int, keep: int) -> tuple[bytes, int]:
        """(data, offset): data[offset:] has at least 32 bytes from `at` on, or all bytes up to `end`; bytes
        from `keep` on, at most a piece before `at`, stay available."""
        offset = at - self.begin
        if offset < 0 or offset + min(32, end - at) > len(self.data):
            kept = self.data[keep - self.begin:] if self.begin <= keep <= self.begin + len(self.data) else b""
            begin = keep + len(kept)
            kept += self._fetch(begin, min(at + max(self.piece, 64), end) - begin)
            self.begin, self.data = keep, kept
            offset = at - keep
        return self.data, offset

    def ended(self, found: _T | None, offset: int) -> _T:
        """The result of reading varints; None, if one does not end, is an error."""
        if found is None:
            self.fail(offset, "a varint that does not end")
        return found

    def fail(self, offset: int, message: str) -> NoReturn:
        raise CpbError(message, "DAMAGED", offset, self.name)

    def refuse(self, what: str, size: int, offset: int) -> NoReturn:
        """For a field that no message holds."""
        raise CpbError(f"{what} has {size} bytes, and protobuf holds less than {_LIMIT} in one field", "LIMIT", offset,
                       self.name)


def _field(window: _Window, begin: int, end: int, keep: int) -> tuple[int, int, int, int]:
    """The number and wire type of the field at `begin`, and the begin and end of its value."""
    data, at = window.peek(begin, end, keep)
    number, wire, value, stop = window.ended(_wire.read_field(data, at), begin)
    if number == 0 or number >= 1 << 29:
        window.fail(begin, f"field number {number}, which there is not")
    if wire == _wire.END_GROUP or wire > _wire.FIXED32:
        window.fail(begin, f"wire type {wire} of field {number}")
    value, stop = begin - at + value, begin - at + stop
    if stop > end:
        window.fail(begin, f"field {number} ends at byte {stop}, but the message that has it at byte {end}")
    return number, wire, value, stop


def _end_of_group(window: _Window, number: int, begin: int, end: int, keep: int) -> int:
    """The end, after its end tag, of the group whose contents begin at `begin`."""
    open_groups = [number]
    at = begin
    while open_groups:
        if at >= end:
            window.fail(begin, f"group {number} does not end")
        data, offset = window.peek(at, end, keep if at - keep <= window.piece else at)
        tag, after = window.ended(_wire.read_varint(data, offset), at)
        if tag & 7 == _wire.END_GROUP:
            if tag >> 3 != open_groups.pop():
                window.fail(at, "the end of another group")
            at += after - offset
            continue
        inner, wire, _, at = _field(window, at, end, at)
        if wire == _wire.GROUP:
            open_groups.append(inner)
            if len(open_groups) > _DEPTH:
                window.fail(at, f"groups nested more than {_DEPTH} deep")
    return at


def parse(reader: Reader, message: Any, name: str | None = None, piece: int | None = None) -> None:
    """Parses the bytes of a reader into a message, which is cleared first, and again on an error.

    Args:
        reader: has `size`, and `read(offset, length)`, which returns bytes.
        message: its contents are replaced.
        name: of the source, for errors.
        piece: bytes that are parsed at once; default PIECE.

    Raises:
        CpbError: the bytes are not such a message; its offset is in the reader. Exceptions of `reader`.
    """
    message.Clear()
    window = _Window(reader, name, piece or PIECE)
    try:
        _parse(window, message, 0, reader.size, 0)
        _check_type(window, message)
    except BaseException:
        message.Clear()
        raise


def _check_type(window: _Window, message: Any) -> None:
    """A message of another type may parse, but its fields are then unknown."""
    unknown = util.unknown_fields(message)
    for field in unknown:
        known = message.DESCRIPTOR.fields_by_number.get(field.field_number)
        if known is not None:
            raise CpbError(f"it is no {message.DESCRIPTOR.full_name}: {known.full_name} has wire type "
                           f"{field.wire_type}", "FORMAT", None, window.name)
    if unknown and not message.ListFields():
        numbers = sorted({field.field_number for field in unknown})
        raise CpbError(f"it is no {message.DESCRIPTOR.full_name}, which has none of the fields {numbers}", "FORMAT",
                       None, window.name)


def _parse(window: _Window, message: Any, begin: int, end: int, depth: int) -> None:
    """Merges the bytes [begin, end) into `message`."""
    if depth > _DEPTH:
        window.fail(begin, f"messages nested more than {_DEPTH} deep")
    piece = window.piece
    run = at = begin
    while end - run > piece:
        number, wire, value, stop = _field(window, at, end, run)
        if wire == _wire.GROUP:
            stop = _end_of_group(window, number, value, end, run)
        if stop - run > piece:
            _merge(window, message, run, at)
            run = at
        if stop - at > piece:
            _parse_large(window, message, number, wire, at, value, stop, depth)
            run = stop
        at = stop
    _merge(window, message, run, end)


def _merge(window: _Window, message: Any, begin: int, end: int) -> None:
    if begin < end:
        _merge_bytes(window, message, window.read(begin, end - begin), begin)


def _merge_bytes(window: _Window, message: Any, data: bytes, begin: int) -> None:
    try:
        message.MergeFromString(data)
    except DecodeError as error:
        window.fail(begin, f"no {message.DESCRIPTOR.full_name} ({error}) in the {len(data)} bytes")


def _parse_large(window: _Window, message: Any, number: int, wire: int, begin: int, value: int, end: int, depth: int) -> None:
    """A field that is larger than a piece."""
    field = message.DESCRIPTOR.fields_by_number.get(number)
    if field is not None and wire == _wire.LENGTH:
        if util.is_map(field):
            return _parse_entry(window, message, field, value, end, depth)
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            return _parse(window, _sub_message(message, field), value, end, depth + 1)
        if util.is_repeated(field) and field.type not in (FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES):
            return _parse_packed(window, message, field, value, end)
    if end - begin >= _LIMIT:
        what = field.full_name if field is not None else f"field {number} of {message.DESCRIPTOR.full_name}"
        window.refuse(what, end - value, begin)
    if field is not None and wire == _wire.LENGTH and field.type == FieldDescriptor.TYPE_BYTES:
        data = bytes(window.read(value, end - value))
        if util.is_repeated(field):
            getattr(message, field.name).append(data)
        else:
            setattr(message, field.name, data)
        return None
    return _merge(window, message, begin, end)


def _sub_message(message: Any, field: Any) -> Any:
    if util.is_repeated(field):
        return getattr(message, field.name).add()
    getattr(message, field.name).SetInParent()
    return getattr(message, field.name)


def _parse_whole(window: _Window, message: Any, number: int, begin: int, end: int) -> None:
    if end - begin >= _LIMIT:
        window.refuse(f"field {number} of {message.DESCRIPTOR.full_name}", end - begin, begin)
    data = _wire.field(number, bytes(window.read(begin, end - begin)))
    _merge_bytes(window, message, data, begin)


def _parse_packed(window: _Window, message: Any, field: Any, begin: int, end: int) -> None:
    """Values without tags, cut where one ends."""
    size = _PACKED_SIZES.get(field.type)
    while begin < end:
        data = bytes(window.read(begin, min(max(window.piece, 64), end - begin)))
        if begin + len(data) < end:
            length = len(data) - len(data) % size if size else len(data)
            while not size and length and data[length - 1] >= 0x80:
                length -= 1
            if length == 0:
                window.fail(begin, "a varint that does not end")
            data = data[:length]
        _merge_bytes(window, message, _wire.field(field.number, data), begin)
        begin += len(data)


def _parse_entry(window: _Window, message: Any, field: Any, begin: int, end: int, depth: int) -> None:
    """A map's entry: the last key and, of a message, all values; the value may come first."""
    value_field = field.message_type.fields_by_number[2]
    keys, at, odd = b"", begin, False
    values: list[tuple[int, int]] = []
    while at < end:
        number, wire, value, stop = _field(window, at, end, at)
        if wire == _wire.GROUP:
            stop = _end_of_group(window, number, value, end, at)
        if number == 1:
            keys += bytes(window.read(at, stop - at))
        elif number == 2 and wire == _wire.LENGTH:
            values.append((value, stop))
        else:
            odd = True
        at = stop
    if odd or not values:
        return _parse_whole(window, message, field.number, begin, end)
    # An entry of the key alone gives the key as protobuf reads it.
    scratch = type(message)()
    _merge_bytes(window, scratch, _wire.field(field.number, keys), begin)
    key = next(iter(getattr(scratch, field.name)))
    entries = getattr(message, field.name)
    if value_field.type == FieldDescriptor.TYPE_MESSAGE:
        if key in entries:
            del entries[key]
        target = entries[key]
        for value, stop in values:
            _parse(window, target, value, stop, depth + 1)
        return None
    value, stop = values[-1]
    if stop - value >= _LIMIT:
        window.refuse(f"{field.full_name}[{key!r}]", stop - value, value)
    data = bytes(window.read(value, stop - value))
    try:
        entries[key] = data if value_field.type == FieldDescriptor.TYPE_BYTES else data.decode()
    except UnicodeDecodeError as error:
        window.fail(value, f"{field.full_name}[{key!r}] is no UTF-8 ({error})")
    return None
