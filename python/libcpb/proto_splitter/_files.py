"""Files that splitters write."""

import contextlib
import os
import tempfile
import warnings

from google.protobuf.message import Message

import libcpb
from libcpb.proto_splitter import chunk_pb2, util

# What protobuf serializes is smaller.
_LIMIT = 1 << 31

_UNITS = {"B": 1, "k": 1000, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40, "": 1}


class Deferred:
    """A chunk of bytes that are read when they are written.

    Args:
        size: how many bytes there are.
        load: returns them, as bytes or a memoryview.
    """

    def __init__(self, size, load):
        self.size = size
        self.load = load

    def __len__(self):
        return self.size


# --- Options ---------------------------------------------------------------------------------------


def parse_options(text):
    """Arguments of libcpb.RecordWriter from the text of Riegeli's RecordWriterBase::Options.

    Raises:
        ValueError: there is no such option, or it has no such value.
    """
    if text is None:
        return {"codec": "brotli"}
    if not isinstance(text, str):
        raise TypeError(f"writer_options is text, such as 'zstd:3', not {type(text).__name__}")
    options = {"codec": "brotli"}
    for item in filter(None, (part.strip() for part in text.split(","))):
        name, _, value = item.partition(":")
        if name in ("uncompressed", "brotli", "zstd"):
            options["codec"] = "none" if name == "uncompressed" else name
            if value:
                options["level"] = _number(item, value)
        elif name in ("chunk_size", "padding"):
            options[name] = _bytes(item, value if value or name == "chunk_size" else "64K")
        elif name == "window_log":
            if value != "auto":
                options[name] = _number(item, value)
        elif name == "transpose" and value in ("", "true"):
            warnings.warn("libcpb writes no transposed chunks: writer option 'transpose' is left out", stacklevel=3)
        elif name not in ("default", "transpose", "parallelism", "bucket_fraction"):
            raise ValueError(f"writer option {item!r} is none of: uncompressed, brotli[:LEVEL], zstd[:LEVEL], "
                             "window_log:N, chunk_size:BYTES, padding[:BYTES], transpose, parallelism:N")
    return options


def _number(item, value):
    try:
        return int(value)
    except ValueError:
        raise ValueError(f"writer option {item!r} has no whole number after its colon") from None


def _bytes(item, value):
    unit = value[-1:] if value[-1:].isalpha() else ""
    try:
        return int(float(value[:len(value) - len(unit)]) * _UNITS[unit])
    except (ValueError, KeyError):
        raise ValueError(f"writer option {item!r} has no size in bytes after its colon, such as 64K") from None


# --- Writing ---------------------------------------------------------------------------------------


@contextlib.contextmanager
def atomic_file(path):
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


def _umask():
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def serialized(message, what):
    """The bytes of a message. ValueError, which names `what`, when protobuf cannot serialize it."""
    size = util.byte_size(message)
    if size >= _LIMIT:
        raise ValueError(f"{what}, a {message.DESCRIPTOR.full_name}, has {size} bytes, but protobuf serializes less "
                         f"than {_LIMIT}: more of it must be taken out as chunks")
    return message.SerializeToString(deterministic=True)


def write_message(path, message):
    """Writes a message as it is; returns the path."""
    with atomic_file(path) as file:
        file.write(serialized(message, path))
    return path


def write_chunks(path, chunks, chunked_message, version, options):
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


def chunk_data(chunk, what):
    """The bytes of a chunk."""
    if isinstance(chunk, Message):
        return serialized(chunk, what)
    if isinstance(chunk, Deferred):
        return chunk.load()
    return chunk.encode() if isinstance(chunk, str) else chunk
