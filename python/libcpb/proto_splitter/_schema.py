"""The messages of a .cpb file's index, as proto/tensorflow/tools/proto_splitter declares them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_PACKAGE = "tensorflow.proto_splitter"
_FOLDER = "tensorflow/tools/proto_splitter"
_TYPES = {"bool": 8, "string": 9, "message": 11, "enum": 14, "int64": 3, "uint64": 4, "int32": 5, "uint32": 13}

# For each message its fields, numbered from 1 on where no number is given: "* TYPE" is repeated,
# "? TYPE" optional, and "NAME | TYPE" a member of the oneof NAME.
_VERSIONS = {
    "VersionDef": {"splitter_version": "int32", "join_version": "int32", "bad_consumers": "* int32"},
}
_CHUNK = {
    "ChunkMetadata": {"version": "VersionDef", "chunks": "* ChunkInfo", "message": "ChunkedMessage"},
    "ChunkInfo": {"type": "ChunkInfo.Type", "size": "uint64", "offset": "uint64"},
    "ChunkedMessage": {"chunk_index": "? uint64", "chunked_fields": "* ChunkedField"},
    "ChunkedField": {"field_tag": "* FieldIndex", "message = 3": "ChunkedMessage"},
    "FieldIndex": {"field": "kind | uint32", "map_key": "kind | FieldIndex.MapKey", "index": "kind | uint64"},
    "FieldIndex.MapKey": {"s": "type | string", "boolean": "type | bool", "ui32": "type | uint32",
                          "ui64": "type | uint64", "i32": "type | int32", "i64": "type | int64"},
}
_CHUNK_TYPES = {"UNSET": 0, "MESSAGE": 1, "BYTES": 2}


def _oneof(message: Any, name: str) -> int:
    names = [oneof.name for oneof in message.oneof_decl]
    if name not in names:
        message.oneof_decl.add(name=name)
        names.append(name)
    return names.index(name)


def _add_field(message: Any, name: str, number: int, declared: str) -> None:
    kind, _, type_name = declared.rpartition(" ")
    field = message.field.add(name=name, number=number, label=3 if kind == "*" else 1)
    if type_name in _TYPES:
        field.type = _TYPES[type_name]
    else:
        field.type = _TYPES["enum" if type_name == "ChunkInfo.Type" else "message"]
        field.type_name = f".{_PACKAGE}.{type_name}"
    if kind == "?":
        field.proto3_optional = True
        field.oneof_index = _oneof(message, f"_{name}")
    elif kind.endswith("|"):
        field.oneof_index = _oneof(message, kind[:-2])


def _file(
    name: str, messages: Mapping[str, Mapping[str, str]], imports: Sequence[str] = ()
) -> descriptor_pb2.FileDescriptorProto:
    # The option is TensorFlow's: a file that another module registers again must be the same.
    file = descriptor_pb2.FileDescriptorProto(name=f"{_FOLDER}/{name}.proto", package=_PACKAGE, syntax="proto3",
                                              dependency=[f"{_FOLDER}/{other}.proto" for other in imports])
    file.options.cc_enable_arenas = True
    made: dict[str, Any] = {}
    for full_name, fields in messages.items():
        outer, _, own = full_name.rpartition(".")
        message = (made[outer].nested_type if outer else file.message_type).add(name=own)
        made[full_name] = message
        for i, (field, declared) in enumerate(fields.items(), 1):
            field_name, _, given = field.partition(" = ")
            _add_field(message, field_name, int(given or i), declared)
    if "ChunkInfo" in made:
        values = made["ChunkInfo"].enum_type.add(name="Type").value
        for value, number in _CHUNK_TYPES.items():
            values.add(name=value, number=number)
    return file


FILES = {"versions": _file("versions", _VERSIONS), "chunk": _file("chunk", _CHUNK, ["versions"])}


def message_class(name: str) -> Any:
    """The class of a message of the index by its short name. Its type is added to the default pool only if
    the pool lacks a type with this name, such as TensorFlow's own."""
    pool = descriptor_pool.Default()
    for file in FILES.values():
        try:
            pool.FindMessageTypeByName(f"{_PACKAGE}.{file.message_type[0].name}")
        except KeyError:
            pool.AddSerializedFile(file.SerializeToString())
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.{name}"))
