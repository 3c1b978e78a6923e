"""Files that splitters write."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import IO, Any

from google.protobuf.message import Message

import libcpb
from libcpb.proto_splitter import chunk_pb2, util

# The limit of protobuf's serializers.
_LIMIT = 1 << 31


class Deferred:
    """A chunk of bytes that are only loaded for writing.

    Args:
        size: the number of bytes.
        load: returns them, as bytes or a memoryview.
    """

    def __init__(self, size: int, load: Callable[[], bytes | memoryview]) -> None:
        self.size = size
        self.load = load

    def __len__(self) -> int:
        return self.size


# --- Options ---------------------------------------------------------------------------------------


def parse_options(text: str | None) -> dict[str, Any]:
    """Arguments of libcpb.RecordWriter from the text of Riegeli's RecordWriterBase::Options.

    Raises:
        ValueError: an option is unknown, or has a wrong value.
    """
    if text is not None and not isinstance(text, str):
        raise TypeError(f"writer_options is text, such as 'zstd:3', not {type(text).__name__}")
    options: dict[str, Any] = {"riegeli_options": text or ""}
    try:
        libcpb.RecordWriter(io.BytesIO(), **options).discard()
    except libcpb.CpbError as error:
        raise ValueError(f"writer options {text!r}: {error.args[0]}") from None
    return options


# --- Writing ---------------------------------------------------------------------------------------


@contextlib.contextmanager
def atomic_file(path: str) -> Iterator[IO[bytes]]:
    """A binary file that takes the place of `path` when the block ends without an exception."""
    path = os.path.realpath(path)
    try:
        mode = os.stat(path).st_mode & 0o7777
    except FileNotFoundError:
        mode = 0o666 & ~_umask()
    with tempfile.NamedTemporaryFile(dir=os.path.dirname(path), prefix=".cpb-", delete=False) as file:
        try:
            yield file
            file.flush()
            os.chmod(file.name, mode)
            os.replace(file.name, path)
        except BaseException:
            os.unlink(file.name)
            raise


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def serialized(message: Message, what: str) -> bytes:
    """The bytes of a message. ValueError, which names `what`, when protobuf cannot serialize it."""
    size = util.byte_size(message)
    if size >= _LIMIT:
        raise ValueError(f"{what}, a {message.DESCRIPTOR.full_name}, has {size} bytes, but protobuf serializes less "
                         f"than {_LIMIT}: more of it must be taken out as chunks")
    return message.SerializeToString(deterministic=True)


def write_message(path: str, message: Message) -> str:
    """Writes a message unchanged; returns the path."""
    with atomic_file(path) as file:
        file.write(serialized(message, path))
    return path


def write_chunks(path: str, chunks: Iterable[Any], chunked_message: Any, version: Any, options: Mapping[str, Any]) -> str:
    """Writes a .cpb file; returns its path."""
    metadata = chunk_pb2.ChunkMetadata(message=chunked_message, version=version)
    with libcpb.RecordWriter(path, **options) as writer:
        for i, chunk in enumerate(chunks):
            data = chunk_data(chunk, f"chunk {i} of {path}")
            kind = chunk_pb2.ChunkInfo.MESSAGE if isinstance(chunk, Message) else chunk_pb2.ChunkInfo.BYTES
            metadata.chunks.add(type=kind, size=memoryview(data).nbytes, offset=writer.write(data))
            del data  # before the next one is made
        writer.write(serialized(metadata, f"the index of {path}"))
    return path


def chunk_data(chunk: Any, what: str) -> Any:
    """The bytes of a chunk."""
    if isinstance(chunk, Message):
        return serialized(chunk, what)
    if isinstance(chunk, Deferred):
        return chunk.load()
    return chunk.encode() if isinstance(chunk, str) else chunk
