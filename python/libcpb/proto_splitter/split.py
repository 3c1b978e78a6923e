"""The base classes of splitters."""

from __future__ import annotations

import abc
import os
from collections.abc import Sequence
from typing import Any, Union

from google.protobuf.message import Message

from libcpb.proto_splitter import _files, chunk_pb2, util, version, versions_pb2

Chunk = Union[Message, bytes]


class Splitter(abc.ABC):
    """Divides a message into chunks, and writes them."""

    @property
    @abc.abstractmethod
    def version_def(self) -> versions_pb2.VersionDef:
        """The VersionDef of the files that write() makes: the mergers that may read them."""

    @abc.abstractmethod
    def split(self) -> tuple[Sequence[Chunk], chunk_pb2.ChunkedMessage]:
        """Returns (chunks, chunked_message): a list of messages and bytes, and the ChunkedMessage, which has
        the place of each chunk in the whole message."""

    @abc.abstractmethod
    def write(self, file_prefix: str | os.PathLike[str]) -> str:
        """Writes the message to a file whose name begins with `file_prefix`; returns its path."""


class ComposableSplitter(Splitter):
    """A splitter that may leave parts of its message to other splitters.

    A subclass defines build_chunks(), which calls add_chunk() for each part that it takes out of the message.
    To let another splitter divide a part, it makes that splitter with itself as `parent_splitter` and the
    path to the part as `fields_in_parent`, and calls its build_chunks():

        class ShelfSplitter(ComposableSplitter):
            def build_chunks(self) -> None:
                for i, book in enumerate(self._proto.books):
                    BookSplitter(book, parent_splitter=self, fields_in_parent=["books", i]).build_chunks()

    Splitters change the message that is passed to them.

    Args:
        proto: the message to split.
        proto_as_initial_chunk: whether the first chunk is the message itself, without the parts that
            build_chunks() takes out. If not, everything in it must be added as chunks.
        parent_splitter: the splitter that gets the chunks of this one.
        fields_in_parent: the path (util.FieldTypes) from the parent's message to this one.
    """

    def __init__(
        self,
        proto: Message,
        *,
        proto_as_initial_chunk: bool = True,
        parent_splitter: ComposableSplitter | None = None,
        fields_in_parent: util.FieldTypes | None = None,
    ) -> None:
        if not isinstance(proto, Message):
            raise TypeError(f"a splitter splits a protobuf message, not {type(proto).__name__}")
        self._proto: Any = proto
        self._parent_splitter = parent_splitter
        self._fields_in_parent = [] if fields_in_parent is None else util.as_path(fields_in_parent)
        self._built = False
        self._chunks: Any = None
        self._chunked_message: Any = None
        if parent_splitter is None:
            self._chunks = [proto] if proto_as_initial_chunk else []
            self._chunked_message = chunk_pb2.ChunkedMessage(chunk_index=0 if proto_as_initial_chunk else None)
        # _chunks[i] was the _numbers[i]-th to be added, which is how _chunked_message calls it until
        # all are there: then the numbers become indexes.
        self._numbers: list[int] = []
        self._renumber = False

    def build_chunks(self) -> Any:
        """Divides the message by calls of add_chunk(); for subclasses to define. Users call split() or
        write() instead."""

    @property
    def version_def(self) -> versions_pb2.VersionDef:
        """The VersionDef that write() puts into the file: version 1 of the splitter, which every
        merger can read."""
        return versions_pb2.VersionDef(splitter_version=1, join_version=0, bad_consumers=version.get_bad_versions())

    def split(self) -> tuple[Sequence[Chunk], chunk_pb2.ChunkedMessage]:
        """Divides the message, once.

        Returns:
            (chunks, chunked_message): a list of messages and bytes, of which the first is the message
            itself without its parts unless it was made with proto_as_initial_chunk=False, and a
            ChunkedMessage. Both belong to the splitter.

        Raises:
            ValueError: this splitter has a parent; call that instead.
        """
        self._refuse_if_child("split")
        if not self._built:
            self.build_chunks()
            self._built = True
        self._number_chunks()
        return self._chunks, self._chunked_message

    def write(self, file_prefix: str | os.PathLike[str], writer_options: str | None = None) -> str:
        """Splits the message and writes it, at once or not at all.

        Args:
            file_prefix: the path of the file without its suffix.
            writer_options: compression, as text in the syntax of Riegeli's options, such as "zstd:3" or
              "transpose,brotli:9,chunk_size:1M". Default "brotli".

        Returns:
            The path: `file_prefix` with ".cpb", or with ".pb" if the message was not divided, and is written
                unchanged.

        Raises:
            ValueError: this splitter has a parent, call that instead; an option is unknown or out of range; a
                chunk, which the error names, is beyond the 2 GB that protobuf serializes.
            OSError, CpbError: the file cannot be written.
        """
        self._refuse_if_child("write")
        options = _files.parse_options(writer_options)
        chunks, chunked_message = self.split()
        if not chunked_message.chunked_fields:
            return _files.write_message(f"{file_prefix}.pb", self._proto)
        return _files.write_chunks(f"{file_prefix}.cpb", chunks, chunked_message, self.version_def, options)

    def add_chunk(self, chunk: Chunk, field_tags: util.FieldTypes, index: int | None = None) -> None:
        """Adds a chunk.

        Args:
            chunk: a message, or the value of a field of another type: bytes, or a number as text.
            field_tags: the path (util.FieldTypes) to its place in this splitter's message. Empty: the chunk
                is a message of the same type, such as a slice of a repeated field, which is merged into this
                one.
            index: its place among the chunks; default at the end. Chunks for the same field are merged in
                their order, and a chunk for a field before the chunks for fields in it.

        Raises:
            KeyError, ValueError: the field does not exist.
            TypeError: a field tag or the chunk has the wrong type; the error names the field.
        """
        path = util.as_path(field_tags)
        if self._parent_splitter is not None:
            self._parent_splitter.add_chunk(chunk, self._fields_in_parent + path, index)
            return
        tags = util.get_field_tag(self._proto, path)
        self._check_chunk(chunk, path)
        self._number_appended()
        number = len(self._chunks)
        field = self._chunked_message.chunked_fields.add(field_tag=tags)
        field.message.chunk_index = number
        at = number if index is None else index
        self._chunks.insert(at, chunk)
        self._numbers.insert(at, number)
        self._renumber |= index is not None

    def _check_chunk(self, chunk: Any, path: list[str | int | bool]) -> None:
        where = f"{util.path_text(path)} of {self._proto.DESCRIPTOR.full_name}"
        if isinstance(chunk, Message):
            expected = util.field_type(self._proto, path)
            if expected is None:
                raise TypeError(f"{where} is no message, so its chunk is bytes, not a {util.describe(chunk)}")
            if expected.full_name != chunk.DESCRIPTOR.full_name:
                raise TypeError(f"{where} is a {expected.full_name}, so its chunk is not a {util.describe(chunk)}")
        elif not isinstance(chunk, (bytes, bytearray, memoryview, str, _files.Deferred)):
            raise TypeError(f"a chunk is a message or bytes; that for {where} is a {type(chunk).__name__}")

    def _number_appended(self) -> None:
        """Handles chunks that a subclass has put into the list itself."""
        self._numbers.extend(range(len(self._numbers), len(self._chunks)))

    def _number_chunks(self) -> None:
        """Turns the numbers into indexes, if chunks were inserted."""
        if not self._renumber:
            return
        self._number_appended()
        index_of = {number: index for index, number in enumerate(self._numbers)}
        todo = [self._chunked_message]
        while todo:
            message = todo.pop()
            if message.HasField("chunk_index"):
                message.chunk_index = index_of[message.chunk_index]
            todo.extend(field.message for field in message.chunked_fields)
        self._numbers = list(range(len(self._chunks)))
        self._renumber = False

    def _refuse_if_child(self, method: str) -> None:
        if self._parent_splitter is not None:
            raise ValueError(f"A child ComposableSplitter's `{method}` method should not be called directly: its "
                             f"chunks are among its parent's. Call the parent's `{method}()`.")
