"""A message of any size, chunked or not, read by ranges."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Callable, NamedTuple

from libcpb import _core, _options, _sources
from libcpb._errors import CpbError
from libcpb._fields import Field
from libcpb._options import Limits
from libcpb._sources import Buffer, Source

_REST = 2**64 - 1
_TYPES = {0: "unset", 1: "message", 2: "bytes"}
_PIECE = 1 << 20
_SAVED_MODEL = "tensorflow.SavedModel"

Progress = Callable[[int, int], Any]
"""Called from time to time with the processed bytes and all bytes (0: unknown). An exception in it ends the
operation, and is passed on."""


class Chunk(NamedTuple):
    """The index's entry for a chunk: ``"message"``, ``"bytes"`` or ``"unset"``, or the number of another
    type; its size; the position of its record."""

    type: str
    size: int
    position: int


class Version(NamedTuple):
    """Versions in the index: of the splitter that wrote it, of the oldest merger that can read it, and of
    mergers that must not read it."""

    splitter: int
    join: int
    bad_consumers: tuple[int, ...]


class _Chunks(Sequence[Chunk]):
    def __init__(self, message: Message) -> None:
        self._message = message

    def __len__(self) -> int:
        return self._message.num_chunks

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(len(self)))]
        if not -len(self) <= i < len(self):
            raise IndexError(f"there is no chunk {i}; there are {len(self)}")
        kind, size, position = self._message._chunk(i % len(self))
        return Chunk(_TYPES.get(kind, str(kind)), size, position)


class Message(_core.Message):
    """A serialized message of any size, from `libcpb.open` or `libcpb.merge_chunks`.

    Attributes:
        size: Bytes of the (merged) message.
        chunked: Whether it is in chunks.
        num_chunks: The number of chunks, or 0.
    """

    _type_name: str = _SAVED_MODEL
    _memory: memoryview | None = None

    def read(self, offset: int = 0, length: int = -1) -> bytes:
        """`length` bytes from `offset` on (-1: all), without those past the end."""
        rest = _REST if length == -1 else _options.count("length", length)
        return self._read(_options.count("offset", offset), rest)

    def _view(self, ranges: list[tuple[int, int]]) -> Buffer:
        """Bytes that are joined; of one range of a message that is in memory as it is, a view."""
        if self._memory is not None and len(ranges) == 1:
            offset, length = ranges[0]
            return self._memory[offset : offset + length]
        return b"".join(self.read(offset, length) for offset, length in ranges)

    def readinto(self, buffer: Any, offset: int = 0) -> int:
        """Fills a writable buffer with bytes from `offset` on; returns their number."""
        return self._readinto(buffer, _options.count("offset", offset))

    def pieces(self, size: int = _PIECE) -> Iterator[bytes]:
        """The whole message, in pieces of `size` bytes; the last may be shorter."""
        for offset in range(0, self.size, _options.count("size", size)):
            yield self.read(offset, size)

    @property
    def chunks(self) -> Sequence[Chunk]:
        """A `Chunk` for each; empty if the message is not in chunks."""
        return _Chunks(self)

    def read_chunk(self, i: int, offset: int = 0, length: int = -1) -> bytes:
        """Bytes of chunk `i`, as for `read`. CpbError NOT_FOUND: no such chunk."""
        rest = _REST if length == -1 else _options.count("length", length)
        return self._read_chunk(_options.count("i", i), _options.count("offset", offset), rest)

    def field(self, path: str, *, type_name: str | None = None) -> Field:
        """The field at a path, such as ``meta_graphs[0].graph_def.node[7].attr["value"]``; ``""``: the message
        itself.

        Args:
            path: Names of fields, or their numbers, with indexes and map keys in brackets.
            type_name: None: the type passed to `open`, else ``tensorflow.SavedModel``; ``""``: unknown, and the
                path has numbers.

        Raises:
            CpbError: ``"NOT_FOUND"``: no such field, element or key; ``"USAGE"``: the path does not fit the type.
        """
        name = self._type_name if type_name is None else type_name
        return Field(self, path, self._find(name or None, path))

    @property
    def version(self) -> Version | None:
        """The `Version` in the index, or None."""
        version = self._version
        return None if version is None else Version(*version)

    def close(self) -> None:
        self._memory = None  # which would keep an mmap from being closed
        super().close()

    def __len__(self) -> int:
        return self.size

    def __repr__(self) -> str:
        try:
            size = f"{self.size} bytes" + (f" in {self.num_chunks} chunks" if self.chunked else "")
        except CpbError:
            size = "closed"
        return f"<libcpb.Message {self._type_name}, {size}>"

    def __enter__(self) -> Message:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open(
    source: Source,
    *,
    type_name: str | None = None,
    schema: _core.Schema | Buffer | None = None,
    chunked: bool | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
    url_options: Mapping[str, Any] | None = None,
) -> Message:
    """Opens a message. This reads the index.

    Args:
        source: See `libcpb.Source`. For a model's folder, its message, as `open_model` finds it.
        type_name: The message's full type name. None: ``tensorflow.SavedModel`` for `Message.field`, and chunks
            for numbers cannot be merged.
        schema: A `Schema` or a serialized ``FileDescriptorSet`` with that type. None: the types of a SavedModel.
        chunked: Whether the source is a ``.cpb`` file. None: by the end of its name, or else its first bytes.
        limits: `Limits` for opening the source, and for each call.
        progress: Called while opening.
        url_options: How a URL is read: ``headers`` (a mapping), ``idle_time`` (seconds without a byte before
            a request has failed, 30), ``min_speed`` (bytes a second that must come in this time, 100),
            ``attempts`` (for each request, 4), ``max_whole`` (bytes up to which a server may send the whole
            file instead of a range, 1 MiB), ``download`` (bytes up to which a file is downloaded to a
            temporary one if its server does not support ranges, 0), ``ignore_etag`` (whether only size and
            date show that a file has changed, False).

    Raises:
        CpbError: ``"FORMAT"`` if the source should be chunked and is not.
    """
    if isinstance(source, (str, os.PathLike)) and os.path.isdir(source):
        from libcpb._models import open_model

        with open_model(source) as model:
            source = model.path or source
    resolved = _sources.resolve(source, url_options)
    if chunked is None and resolved[2]:
        chunked = True if resolved[2].endswith(".cpb") else False if resolved[2].endswith(".pb") else None
    message = Message(
        resolved=resolved,
        form=0 if chunked is None else 1 if chunked else 2,  # cpb_opened_form
        schema=schema,
        type_name=type_name,
        progress=progress,
        limits=limits,
    )
    message._type_name = type_name or _SAVED_MODEL
    if resolved[0] == "memory" and not message.chunked:
        view = memoryview(resolved[1])
        message._memory = view.toreadonly() if view.format == "B" and view.ndim == 1 and view.contiguous else None
    return message


def merge_chunks(
    chunks: Sequence[Buffer],
    chunked_message: Buffer,
    descriptor_set: _core.Schema | Buffer | None = None,
    type_name: str | None = None,
    *,
    chunk_types: Sequence[str] | None = None,
    limits: Limits | None = None,
) -> Message:
    """The message made from chunks in memory, without copying them.

    Args:
        chunks: The bytes of each chunk, in the order of their numbers.
        chunked_message: A serialized ``ChunkedMessage``, which has the place of each chunk.
        descriptor_set: As `schema` of `open`.
        type_name: As for `open`.
        chunk_types: ``"message"`` or ``"bytes"`` for each. None: from the schema.
        limits: As for `open`.
    """
    numbers = {name: number for number, name in _TYPES.items()}
    types = [numbers[name] for name in chunk_types] if chunk_types is not None else [0] * len(chunks)
    message = Message(
        schema=descriptor_set,
        type_name=type_name,
        chunks=list(zip(chunks, types)),
        tree=chunked_message,
        limits=limits,
    )
    message._type_name = type_name or _SAVED_MODEL
    return message
