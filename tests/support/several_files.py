"""A .cpb in several files, made from one in the layout `remote`: every chunk but the first is moved
into parts, in turns. From the description of the format, without the library's own writer."""

import json

from support.riegeli import _chunk_header, _with_blocks, file, simple_chunk
from support.wire import field, tag, varint

ELSEWHERE = 1 << 62


def number(n, value):
    return varint(n << 3) + varint(value & (1 << 64) - 1)


def chunk_info(kind, size, offset, where=None):
    """`where`: file, position and data hash of a chunk in another file."""
    info = number(1, kind) + number(2, size) + number(3, ELSEWHERE if where else offset)
    if where:
        info += number(1001, where[0]) + number(1002, where[1]) + tag(1003, 1) + where[2]
    return info


def part(records):
    """A file with each record in a Riegeli chunk of its own, small enough for one block, and for each record
    its position and data hash."""
    chunks = [simple_chunk([record]) for record in records]
    at, places = 64, []
    for chunk in chunks:
        places.append((at, chunk[16:24]))
        at += len(chunk)
    return file(chunks), places


def metadata(infos, message, files, join=1):
    version = field(1, number(1, 1) + (number(2, join) if join else b""))
    listed = b"".join(field(1001, field(1, name.encode()) + number(2, size)) for name, size in files)
    return version + b"".join(field(2, info) for info in infos) + field(3, message) + listed


def move_out(records, kinds, message, names, here=1, sizes=None):
    """The main file and the parts: {name: bytes}. `records` are the chunks, of which the first `here` stay."""
    shares = [list(range(here + i, len(records), len(names))) for i in range(len(names))]
    parts = {name: part([records[i] for i in share]) for name, share in zip(names, shares)}
    where = {}
    for number_of_file, (name, share) in enumerate(zip(names, shares), 1):
        for i, (position, data_hash) in zip(share, parts[name][1]):
            where[i] = (number_of_file, position, data_hash)
    infos = [chunk_info(kinds[i], len(records[i]), 64 + i, where.get(i)) for i in range(len(records))]
    files = [(name, len(parts[name][0])) for name in names]
    index = metadata(infos, message, files)
    return file([simple_chunk(records[:here] + [index])]), {name: data for name, (data, _) in parts.items()}
