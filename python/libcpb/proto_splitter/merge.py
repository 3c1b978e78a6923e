"""Merging chunks into a message."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from google.protobuf import descriptor_pb2
from google.protobuf.message import Message

import libcpb
from libcpb._options import Limits
from libcpb.proto_splitter import _files, _parse, chunk_pb2, util


class Merger:
    """Merges the chunks of a message.

    Only static methods. The message may be beyond 2 GB: it is parsed a piece at a time, so memory holds
    little more than the message itself.
    """

    @staticmethod
    def merge(chunks: Sequence[Message | bytes], chunked_message: chunk_pb2.ChunkedMessage,
              merged_message: Message, *, limits: Limits | None = None) -> None:
        """Merges chunks in memory, as split() returns them.

        Args:
            chunks: messages and bytes.
            chunked_message: the ChunkedMessage, which has the place of each chunk.
            merged_message: the result; its contents are replaced.
            limits: as for libcpb.open().

        Raises:
            CpbError: the chunks do not fit together, or are not such a message; `merged_message` is then
                empty.
            TypeError: an argument, or a chunk, has another type.
        """
        _require_message(merged_message)
        if not isinstance(chunked_message, Message) \
                or chunked_message.DESCRIPTOR.full_name != chunk_pb2.ChunkedMessage.DESCRIPTOR.full_name:
            raise TypeError(f"chunked_message is a ChunkedMessage, not a {util.describe(chunked_message)}")
        data, kinds = [], []
        for i, chunk in enumerate(chunks):
            if not isinstance(chunk, (Message, bytes, bytearray, memoryview, str, _files.Deferred)):
                raise TypeError(f"chunk {i} is a {type(chunk).__name__}: a chunk is a message or bytes")
            data.append(_files.chunk_data(chunk, f"chunk {i}"))
            kinds.append("message" if isinstance(chunk, Message) else "bytes")
        descriptor = merged_message.DESCRIPTOR
        merged_message.Clear()
        with libcpb.merge_chunks(data, chunked_message.SerializeToString(), descriptor_set(descriptor),
                                 descriptor.full_name, chunk_types=kinds, limits=limits) as reader:
            _parse.parse(reader, merged_message)

    @staticmethod
    def read(prefix: str | os.PathLike[str], merged_message: Message, *, limits: Limits | None = None) -> None:
        """Reads a message from a file.

        Args:
            prefix: the path without its suffix, for PREFIX.cpb, or else PREFIX.pb. Or the whole path or URL.
            merged_message: the result; its contents are replaced. It must have the type that was split, as
                files do not state their type.
            limits: limits for a .cpb file, as for libcpb.open().

        Raises:
            FileNotFoundError: neither file exists.
            CpbError: the file is damaged, or does not hold such a message; `merged_message` is then empty.
        """
        _require_message(merged_message)
        path = find(prefix)
        merged_message.Clear()
        if path.endswith(".pb"):
            with open(path, "rb") as file:
                _parse.parse(_FileReader(file), merged_message, path)
            return
        read_chunks(path, merged_message, path, limits)


def read_chunks(source: Any, message: Any, name: str, limits: Limits | None = None) -> None:
    """Reads a message from a .cpb file, or any other source of libcpb.open(); `name` is for errors."""
    descriptor = message.DESCRIPTOR
    with libcpb.open(source, type_name=descriptor.full_name, schema=descriptor_set(descriptor), limits=limits) as reader:
        _parse.parse(reader, message, name)


class _FileReader:
    def __init__(self, file: Any) -> None:
        self.file = file
        self.size: int = file.seek(0, os.SEEK_END)

    def read(self, offset: int, length: int) -> bytes:
        self.file.seek(offset)
        data: bytes = self.file.read(length)
        return data


def find(prefix: str | os.PathLike[str]) -> str:
    """The path of the file that a prefix stands for."""
    text = os.fspath(prefix)
    if isinstance(text, bytes):
        text = os.fsdecode(text)
    if "://" in text or (text.endswith((".cpb", ".pb")) and os.path.exists(text)):
        return text
    for path in (f"{text}.cpb", f"{text}.pb"):
        if os.path.exists(path):
            return path
    raise FileNotFoundError(f"neither {text}.cpb nor {text}.pb is there")


def _require_message(message: Any) -> None:
    if not isinstance(message, Message):
        raise TypeError(f"merged_message is a protobuf message, not a {type(message).__name__}")


def descriptor_set(descriptor: Any) -> bytes:
    """The serialized FileDescriptorSet of a message type and its file's imports."""
    files = descriptor_pb2.FileDescriptorSet()
    seen: set[str] = set()

    def add(file: Any) -> None:
        if file.name in seen:
            return
        seen.add(file.name)
        for other in file.dependencies:
            add(other)
        file.CopyToProto(files.file.add())

    add(descriptor.file)
    return files.SerializeToString()
