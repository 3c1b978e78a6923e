"""Input made to hurt: the limit's own error, before the memory is taken."""

import subprocess

import pytest

from conftest import DATA
from support.wire import field, header, nested, varint

LEVELS = 100_000
HINTS = {f"prefix_{codec}_tb.riegeli" for codec in ("brotli", "zstd", "snappy")}


def limited(cpb, *args, megabytes=512):
    """Runs cpb with that much address space (the sanitizers need more)."""
    limit = "unlimited" if "asan" in cpb.command[0] else str(megabytes * 1024)
    command = ["bash", "-c", f'ulimit -v {limit}; exec "$@"', "bash", *cpb.command, *map(str, args)]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)


def file_of(cpb, tmp_path, chunks, metadata):
    """A .cpb with these records, made by the library's own test writer."""
    from support.riegeli import write
    path = tmp_path / "hostile.cpb"
    path.write_bytes(write([*chunks, metadata]))
    return path


@pytest.mark.parametrize("name", sorted(p.name for p in (DATA / "corrupt").glob("bomb_*")))
def test_decompression_bomb(cpb, name):
    """Little memory does for any bomb: it streams, or meets a limit."""
    result = limited(cpb, "records", DATA / "corrupt" / name, "--json")
    assert result.returncode in (0, 2, 4), result.stderr


@pytest.mark.parametrize("name", sorted(p.name for p in (DATA / "corrupt").glob("*_tb.riegeli")))
def test_sizes_of_a_terabyte(cpb, name):
    """Where the size is only a hint the file reads well, otherwise it is refused."""
    result = limited(cpb, "records", DATA / "corrupt" / name, "--json", megabytes=64)
    assert result.returncode in ((0,) if name in HINTS else (2, 4)), result.stderr


def test_deep_message_is_not_split(cpb, tmp_path):
    """FunctionDef.attr -> AttrValue.list.func.attr ...: a type that nests in itself."""
    schema = DATA / "schema" / "proto_splitter.fds"
    (tmp_path / "deep.pb").write_bytes(nested(2, LEVELS) + field(1, b"x" * 50))
    result = limited(cpb, "split", tmp_path / "deep.pb", "-o", tmp_path / "deep.cpb", "--type",
                     "tensorflow.proto_splitter_testdata.StringNode", "--schema", schema, "--max-chunk-size", "100")
    assert result.returncode in (0, 4), result.stderr
    if result.returncode == 4:
        assert b"depth" in result.stderr or b"nest" in result.stderr
        assert not (tmp_path / "deep.cpb").exists()


def test_deep_index(cpb, tmp_path):
    # ChunkedMessage { chunked_fields { message { chunked_fields { ...
    size, headers = 0, []
    for level in range(LEVELS):
        one = header(3 if level % 2 == 0 else 2, size)
        headers.append(one)
        size += len(one)
    tree = b"".join(reversed(headers))
    metadata = field(2, varint(1 << 3) + varint(1)) + field(3, tree)
    path = file_of(cpb, tmp_path, [b""], metadata)
    result = limited(cpb, "merge", path, "-o", tmp_path / "out.pb")
    assert result.returncode == 4, result.stderr
    assert not (tmp_path / "out.pb").exists()


def test_chunk_referenced_many_times(cpb, tmp_path):
    """A small file that would merge to a huge message: 2^40 bytes from one chunk."""
    chunk = b"\x0a" + varint(1 << 20) + b"x" * (1 << 20)
    fields = b"".join(field(2, field(3, varint(1 << 3) + varint(0))) for _ in range(1 << 16))
    metadata = field(2, varint(1 << 3) + varint(1) + varint(2 << 3) + varint(len(chunk)) + varint(3 << 3) +
                     varint(64)) + field(3, fields)
    path = file_of(cpb, tmp_path, [chunk], metadata)
    result = limited(cpb, "info", path, "--json")
    assert result.returncode in (0, 4), result.stderr


def test_json_of_deep_message(cpb, tmp_path):
    (tmp_path / "deep.pb").write_bytes(nested(2, LEVELS))
    result = limited(cpb, "cat", tmp_path / "deep.pb", "--field", "f", "--json")
    assert result.returncode in (1, 2, 4)
