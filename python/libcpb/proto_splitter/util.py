"""Fields of messages by path, and sizes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Union

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import EncodeError, Message

from libcpb.proto_splitter import chunk_pb2

# A path to a field: names or numbers of fields, each followed by an index if the field is repeated
# or by a key if it is a map. One alone needs no list.
FieldTypes = Union[str, int, bool, Sequence[Union[str, int, bool]]]

_UNITS = ("B", "KiB", "MiB", "GiB")

# The member of FieldIndex.MapKey that holds a key of each type.
_KEYS = {
    FieldDescriptor.TYPE_STRING: "s",
    FieldDescriptor.TYPE_BOOL: "boolean",
    FieldDescriptor.TYPE_UINT32: "ui32",
    FieldDescriptor.TYPE_FIXED32: "ui32",
    FieldDescriptor.TYPE_UINT64: "ui64",
    FieldDescriptor.TYPE_FIXED64: "ui64",
    FieldDescriptor.TYPE_INT32: "i32",
    FieldDescriptor.TYPE_SINT32: "i32",
    FieldDescriptor.TYPE_SFIXED32: "i32",
    FieldDescriptor.TYPE_INT64: "i64",
    FieldDescriptor.TYPE_SINT64: "i64",
    FieldDescriptor.TYPE_SFIXED64: "i64",
}


def format_bytes(b: float) -> str:
    """A number of bytes for people: 5632 is "5.5KiB"."""
    unit = 0
    while b >= 1024 and unit < len(_UNITS) - 1:
        b /= 1024
        unit += 1
    return f"{b:.2f}".rstrip("0").rstrip(".") + _UNITS[unit]


def is_repeated(field_desc: Any) -> bool:
    """Whether a field is repeated; a map is."""
    try:
        return field_desc.is_repeated
    except AttributeError:  # protobuf before 6.31
        return field_desc.label == FieldDescriptor.LABEL_REPEATED


def is_map(field_desc: Any) -> bool:
    """Whether a field is a map."""
    return field_desc.message_type is not None and field_desc.message_type.GetOptions().map_entry


def as_path(fields: Any) -> list[str | int | bool]:
    """A path in any form, as a list."""
    return list(fields) if isinstance(fields, (list, tuple)) else [fields]


def get_field(proto: Message, fields: FieldTypes) -> tuple[Any, FieldDescriptor | None]:
    """The field at a path, and its descriptor.

    Args:
        proto: the message in which the path begins.
        fields: a path (FieldTypes): ["node", 3, "attr", "value"] is proto.node[3].attr["value"].

    Returns:
        (value, descriptor): the value is None if a list or a map does not have the element. For an empty
            path, the result is (proto, None). The message is not changed.

    Raises:
        KeyError: a message on the way does not have a field with this name or number.
        ValueError: the path continues after a value that has no fields.
        TypeError: an element of the path has the wrong type for its place.
    """
    value, descriptor = proto, None
    for value, descriptor, _ in _walk(proto, as_path(fields)):
        pass
    return value, descriptor


def get_field_tag(proto: Message, fields: FieldTypes) -> list[chunk_pb2.FieldIndex]:
    """A path as the list of FieldIndex messages that stands for it in the index of a .cpb file.

    Args and errors are those of get_field(). An index or key need not exist in the message.
    """
    tags = []
    for _, descriptor, element in _walk(proto, as_path(fields)):
        tags.append(chunk_pb2.FieldIndex(field=descriptor.number))
        if element is not None:
            tags.append(_element_tag(descriptor, element))
    return tags


def field_type(proto: Message, fields: FieldTypes) -> Descriptor | None:
    """The message type that a path leads to, or None for a value of another type. For a list or map, it is
    the type of an element."""
    message_type: Any = proto.DESCRIPTOR
    for _, descriptor, element in _walk(proto, as_path(fields)):
        message_type = descriptor.message_type
        if element is not None and is_map(descriptor):
            message_type = message_type.fields_by_name["value"].message_type
    return message_type


def path_text(fields: FieldTypes) -> str:
    """A path for people: node[3].attr["value"], numbers of fields as they are."""
    text = ""
    for i, element in enumerate(as_path(fields)):
        text += f"[{element!r}]" if i and not isinstance(element, str) else f".{element}" if i else str(element)
    return text or "the message itself"


def _walk(proto: Any, path: list[Any]) -> Iterator[tuple[Any, Any, Any]]:
    """For each field of a path (its value or None, its descriptor, the index or key that follows it
    or None)."""
    value, message_type, i = proto, proto.DESCRIPTOR, 0
    while i < len(path):
        if message_type is None:
            raise ValueError(f"Unable to find fields: {path} in proto of type {proto.DESCRIPTOR.full_name}: "
                             f"{path_text(path[:i])} is no message")
        descriptor = _field_of(message_type, path[i])
        if value is not None:
            value = getattr(value, descriptor.name)
        i += 1
        element = None
        message_type = descriptor.message_type
        if is_map(descriptor):
            message_type = message_type.fields_by_name["value"].message_type
        if i < len(path) and is_repeated(descriptor):
            element = path[i]
            value = _element_of(value, descriptor, element)
            i += 1
        yield value, descriptor, element


def _field_of(message_type: Any, name: Any) -> Any:
    if isinstance(name, bool) or not isinstance(name, (str, int)):
        raise TypeError(f"Unexpected {type(name).__name__} found in field list: {name!r}, where "
                        f"{message_type.full_name} is asked for a field by name or number")
    if isinstance(name, int):
        if name in message_type.fields_by_number:
            return message_type.fields_by_number[name]
        raise KeyError(f"Unable to find field number {name} in {message_type.full_name}. "
                       f"Valid field numbers: {sorted(message_type.fields_by_number)}")
    if name in message_type.fields_by_name:
        return message_type.fields_by_name[name]
    raise KeyError(f"Unable to find field '{name}' in {message_type.full_name}. "
                   f"Valid field names: {sorted(message_type.fields_by_name)}")


def _element_of(value: Any, descriptor: Any, element: Any) -> Any:
    """The element, or None. A map is checked first, as looking up a missing key would add it."""
    _element_tag(descriptor, element)
    if value is None:
        return None
    if is_map(descriptor):
        return value[element] if element in value else None
    return value[element] if element < len(value) else None


def _element_tag(descriptor: Any, element: Any) -> Any:
    if not is_map(descriptor):
        if isinstance(element, bool) or not isinstance(element, int) or element < 0:
            raise TypeError(f"{descriptor.full_name} is repeated, so an index follows it, not {element!r}")
        return chunk_pb2.FieldIndex(index=element)
    member = _KEYS[descriptor.message_type.fields_by_name["key"].type]
    expected = {"s": str, "boolean": bool}.get(member, int)
    if not isinstance(element, expected) or isinstance(element, bool) != (expected is bool):
        raise TypeError(f"{descriptor.full_name} is a map with keys of type {expected.__name__}, not {element!r}")
    try:
        return chunk_pb2.FieldIndex(map_key=chunk_pb2.FieldIndex.MapKey(**{member: element}))
    except ValueError as error:
        raise ValueError(f"{descriptor.full_name} has no key {element!r}: {error}") from None


# --- Sizes -----------------------------------------------------------------------------------------

# Messages that may be too large for protobuf, which serializes a message to find its size.
_CONTAINERS = {f"tensorflow.{name}" for name in
               ("SavedModel", "MetaGraphDef", "GraphDef", "FunctionDefLibrary", "FunctionDef")}


def varint_size(value: int) -> int:
    """Bytes of a varint of up to 64 bits."""
    return max(1, (value.bit_length() + 6) // 7)


def field_size(number: int, length: int) -> int:
    """Bytes of a field with a value of `length` bytes, tag and length included."""
    return varint_size(number << 3) + varint_size(length) + length


def byte_size(message: Message) -> int:
    """The serialized size of a message, also beyond 2 GB. For TensorFlow's messages that can be so large, and
    any that protobuf refuses, it is the sum over their fields."""
    if message.DESCRIPTOR.full_name not in _CONTAINERS:
        try:
            return message.ByteSize()
        except EncodeError:
            pass
    total, rest = _unknown_size(message), type(message)()
    for field, value in message.ListFields():
        if is_map(field):
            total += sum(_entry_size(message, field, key, value[key]) for key in value)
        elif field.message_type is not None:
            total += sum(field_size(field.number, byte_size(m)) for m in (value if is_repeated(field) else [value]))
        elif field.type == FieldDescriptor.TYPE_BYTES:
            total += sum(field_size(field.number, len(b)) for b in (value if is_repeated(field) else [value]))
        elif is_repeated(field):
            getattr(rest, field.name).extend(value)
        else:
            setattr(rest, field.name, value)
    return total + rest.ByteSize()


def _entry_size(message: Message, field: FieldDescriptor, key: Any, value: Any) -> int:
    """Bytes of a map's entry, tag and length included."""
    scratch = type(message)()
    entries = getattr(scratch, field.name)
    if not isinstance(value, Message):
        entries[key] = value
        return scratch.ByteSize()
    if isinstance(key, str):
        key_size = field_size(1, len(key.encode()))
    else:  # it and an empty value are so short that the length takes one byte
        entries[key].SetInParent()
        key_size = scratch.ByteSize() - varint_size(field.number << 3) - 3
    return field_size(field.number, key_size + field_size(2, byte_size(value)))


def unknown_fields(message: Message) -> list[Any]:
    """A message's unknown fields, each with field_number, wire_type and data."""
    from google.protobuf.unknown_fields import UnknownFieldSet

    fields: Any = UnknownFieldSet(message)
    return list(fields)


def _unknown_size(message: Message) -> int:
    return sum(_unknown_field_size(field) for field in unknown_fields(message))


def _unknown_field_size(field: Any) -> int:
    tag = varint_size(field.field_number << 3)
    if field.wire_type == 0:
        return tag + varint_size(field.data & (1 << 64) - 1)
    if field.wire_type == 2:
        return field_size(field.field_number, len(field.data))
    if field.wire_type == 3:
        return 2 * tag + sum(_unknown_field_size(inner) for inner in field.data)
    return tag + {1: 8, 5: 4}[field.wire_type]


def describe(value: Any) -> str:
    """Describes a value for error messages."""
    if isinstance(value, Message):
        return value.DESCRIPTOR.full_name
    return type(value).__name__
