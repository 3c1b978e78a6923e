"""Merging chunks into a message."""

from __future__ import annotations

import os
from collections.abc import Sequence

from google.protobuf import descriptor_pb2
from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message

import libcpb
from libcpb.proto_splitter import _files, _parse, chunk_pb2, util


class Merger:
    """Puts a message together again from its chunks.

    Only static methods. The message may be beyond 2 GB: it is parsed a piece at a time, so that memory
    holds little more than the message itself.
    """

    @staticmethod
    def merge(chunks: Sequence[Message | bytes], chunked_message: chunk_pb2.ChunkedMessage,
              merged_message: Message) -> None:
        """Merges chunks in memory, as split() returns them.

        Args:
            chunks: messages and bytes.
            chunked_message: the ChunkedMessage that says where each belongs.
            merged_message: what they are merged into; its contents are replaced.

        Raises:
            CpbError: they do not fit together, or are no such message; `merged_message` is then empty.
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
                                 descriptor.full_name, chunk_types=kinds) as reader:
            _parse.parse(reader, merged_message)

    @staticmethod
    def read(prefix: str | os.PathLike[str], merged_message: Message) -> None:
        """Reads a message from a file.

        Args:
            prefix: the path without its suffix: of PREFIX.cpb, or if there is none PREFIX.pb. Or the path
              or URL of one of these.
            merged_message: what is read into; its contents are replaced. It must be of the type that was
              split: files do not tell theirs.

        Raises:
            FileNotFoundError: there is neither.
            CpbError: the file is damaged, or holds no such message; `merged_message` is then empty.
        """
        _require_message(merged_message)
        path = find(prefix)
        merged_message.Clear()
        if path.endswith(".pb"):
            with open(path, "rb") as file:
                _parse.parse(_FileReader(file), merged_message, path)
            return
        descriptor = merged_message.DESCRIPTOR
        with libcpb.open(path, type_name=descriptor.full_name, schema=descriptor_set(descriptor)) as reader:
            _parse.parse(reader, merged_message, path)


class _FileReader:
    def __init__(self, file):
        self.file = file
        self.size = file.seek(0, os.SEEK_END)

    def read(self, offset, length):
        self.file.seek(offset)
        return self.file.read(length)


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


def _require_message(message):
    if not isinstance(message, Message):
        raise TypeError(f"merged_message is a protobuf message, not a {type(message).__name__}")


def descriptor_set(descriptor: Descriptor) -> bytes:
    """The serialized FileDescriptorSet of a message type and what its file imports."""
    files, seen = descriptor_pb2.FileDescriptorSet(), set()

    def add(file):
        if file.name in seen:
            return
        seen.add(file.name)
        for other in file.dependencies:
            add(other)
        file.CopyToProto(files.file.add())

    add(descriptor.file)
    return files.SerializeToString()
