"""Chunked files made to take more work or memory than their size: each a function of n, whose
input grows with it in proportion."""

import random

from support.compress import brotli, zstd
from support.riegeli import compressed_chunk, file, position, simple_chunk, zstd_chunk
from support.wire import field, varint


def info(size, offset, kind=1):
    """ChunkMetadata.chunks: a ChunkInfo."""
    return field(2, varint(1 << 3) + varint(kind) + varint(2 << 3) + varint(size) + varint(3 << 3) + varint(offset))


def by_field(number):
    """FieldIndex"""
    return field(1, varint(1 << 3) + varint(number))


def by_key(text):
    return field(1, field(2, field(1, text)))


def by_index(i):
    return field(1, varint(3 << 3) + varint(i))


def chunked(tags, chunk):
    """ChunkedMessage.chunked_fields"""
    return field(2, b"".join(tags) + field(3, varint(1 << 3) + varint(chunk)))


def cpb(chunks, sizes, fields, root=0):
    """A file of Riegeli chunks of one record each, and an index."""
    infos = b"".join(info(size, position(chunks, i)) for i, size in enumerate(sizes))
    message = (varint(1 << 3) + varint(root) if root is not None else b"") + fields
    return file([*chunks, simple_chunk([infos + field(3, message)])])


def of(contents, fields, root=0):
    return cpb([simple_chunk([c]) for c in contents], [len(c) for c in contents], fields, root)


def index_bomb(n):
    """A last record of n million empty ChunkInfos, by Brotli: some 100 bytes a million."""
    piece = b"\x12\0" * 500_000
    return file([compressed_chunk(b"b", n * len(piece), brotli(piece, n))])


def record_bomb(n):
    """One record of n megabytes of zeros."""
    piece = bytes(1_000_000)
    return file([compressed_chunk(b"b", n * len(piece), brotli(piece, n))])


def one_chunk_often(n):
    """One chunk of 1 MB, compressed, that n fields refer to."""
    content = field(1, b"") * 500_000
    fields = b"".join(chunked([by_field(2), by_index(i)], 0) for i in range(n))
    return cpb([compressed_chunk(b"z", len(content), zstd(content))], [len(content)], fields, None)


def chunks_in_turns(n):
    """Two chunks too large to be held, of which the message takes n pieces in turns."""
    piece = 20_000
    content = field(3, bytes(piece)) * 600
    parts = [compressed_chunk(b"z", len(content), zstd(content))] * 2
    fields = b"".join(chunked([by_field(4), by_index(i)], i % 2) for i in range(n))
    return cpb(parts, [len(content)] * 2, fields, None)


def colliding_keys(n):
    """Keys of a map that differ in their last bytes only."""
    fields = b"".join(chunked([by_field(1), by_key(b"%032d" % i)], 0) for i in range(n))
    return of([b"\x0a\x00"], fields, None)


def many_numbers(n):
    """A message in n slices with 1,000 different fields in the first and two more in each."""
    first = b"".join(field(i, b"") for i in range(1, 1001))
    slices = [field(2 * i % 999 + 1, b"") + field((2 * i + 1) % 999 + 1, b"") for i in range(n)]
    fields = b"".join(field(2, field(3, varint(1 << 3) + varint(i + 1))) for i in range(n))
    return file_of_records([first, *slices], fields)


def file_of_records(contents, fields):
    """All chunks are records of one Riegeli chunk."""
    infos = b"".join(info(len(c), 64 + i) for i, c in enumerate(contents))
    return file([simple_chunk([*contents, infos + field(3, varint(1 << 3) + varint(0) + fields)])])


def of_shared(groups, fields):
    """Each group of chunks is the records of one compressed Riegeli chunk."""
    parts = [zstd_chunk(contents) for contents in groups]
    infos = b"".join(info(len(content), position(parts, i) + k)
                     for i, contents in enumerate(groups) for k, content in enumerate(contents))
    message = varint(1 << 3) + varint(0) + fields
    return file([*parts, simple_chunk([infos + field(3, message)])])


def shared_backwards(n):
    """A message whose n elements are the records of one Riegeli chunk, from the last to the first."""
    numbers = random.Random(n)
    elements = [numbers.randbytes(10) for _ in range(n)]  # a Riegeli chunk takes at least a byte for each record
    fields = b"".join(chunked([by_field(1), by_index(i)], n - i) for i in range(n))
    return of_shared([[b"", *elements]], fields)


def shared_in_turns(n):
    """A message and what goes into each of its n elements, in one Riegeli chunk, which may be too large to be held."""
    elements = [field(2, b"element %d" % i + bytes(4_000)) for i in range(n)]
    fields = b"".join(chunked([by_field(1), by_index(i)], i + 1) for i in range(n))
    return of_shared([[field(1, b"\x0a\x01a") * n, *elements]], fields)


def many_entries(n):
    """A repeated field in which every element is patched."""
    content = field(1, b"") * n
    fields = b"".join(chunked([by_field(1), by_index(i), by_field(7)], 1) for i in range(n))
    return file_of_records([content, b"x"], fields)


def tags_in_turns(n):
    """A field whose tags come one by one, each after a message that has a tag of its own."""
    child = field(3, field(2, by_field(2)))
    return of([b"x\1"], field(2, (by_field(1) + child) * n))


FAMILIES = {
    "index_bomb": (index_bomb, 100),
    "record_bomb": (record_bomb, 100),
    "one_chunk_often": (one_chunk_often, 500),
    "chunks_in_turns": (chunks_in_turns, 400),
    "colliding_keys": (colliding_keys, 2_000),
    "many_numbers": (many_numbers, 3_000),
    "many_entries": (many_entries, 2_000),
    "shared_backwards": (shared_backwards, 1_000),
    "shared_in_turns": (shared_in_turns, 400),
    "tags_in_turns": (tags_in_turns, 2_000),
}
