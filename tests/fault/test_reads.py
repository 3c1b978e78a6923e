"""How often commands read a file, and how much of it."""

import hashlib
import json
import os
import subprocess

import pytest

from conftest import ROOT
from support.wire import field, varint

PAGE = 4096


@pytest.fixture(scope="module")
def counted(tmp_path_factory):
    library = tmp_path_factory.mktemp("counted") / "counted_reads.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", ROOT / "tests" / "fault" / "counted_reads.c", "-o", library, "-ldl"], check=True)
    return library


def reads(cpb, counted, folder, *words):
    """Calls and bytes."""
    cpb.ok(*words, env=dict(os.environ, LD_PRELOAD=str(counted), CPB_READS=str(folder / "reads")))
    return tuple(map(int, (folder / "reads").read_text().split()))


def constants(count, size):
    """A graph of constants that compress a little."""
    for i in range(count):
        value = bytearray(hashlib.shake_128(b"%d" % i).digest(size))
        value[::4] = bytes(len(value[::4]))
        tensor = varint(1 << 3) + varint(1) + field(4, bytes(value))
        yield field(1, field(1, b"n%d" % i) + field(2, b"Const") + field(5, field(1, b"value") + field(2, field(8, tensor))))


def chunked(cpb, folder, codec, count, size):
    (folder / "graph.pb").write_bytes(b"".join(constants(count, size)))
    cpb.ok("split", folder / "graph.pb", "--type", "tensorflow.GraphDef", "--max-chunk-size", "8K", "--codec", codec,
           "-o", folder / "graph.cpb", "-q")
    return folder / "graph.cpb"


@pytest.mark.parametrize("codec", ["none", "zstd", "brotli"])
def test_info_reads_headers(cpb, counted, tmp_path, codec):
    path = chunked(cpb, tmp_path, codec, 8, 500_000)
    calls, size = reads(cpb, counted, tmp_path, "info", path)
    assert size < (8 + 3) * PAGE + 65536 + 4 * PAGE  # the tail of the file, and a page of each chunk
    assert calls < 8 + 3 + 8


@pytest.mark.parametrize("codec", ["zstd:1", "brotli:1", "snappy"])
def test_info_reads_headers_of_transposed_chunks(cpb, counted, tmp_path, codec):
    """All but that of the index, which the index takes."""
    path = chunked(cpb, tmp_path, "none", 16, 500_000)
    shared = tmp_path / "shared.cpb"
    cpb.ok("repack", path, "-o", shared, "--riegeli-options", f"transpose,{codec},chunk_size:3M")
    chunks = {c["chunk_begin"]: c for c in json.loads(cpb.ok("info", shared, "--json"))["chunks"]}
    assert {c["encoding"] for c in chunks.values()} == {"transposed"} and len(chunks) == 3
    _, size = reads(cpb, counted, tmp_path, "info", shared)
    last = chunks[max(chunks)]["stored_size"]
    assert size < last + 65536 + 10 * PAGE < shared.stat().st_size / 2
    cpb.ok("repack", path, "-o", tmp_path / "each.cpb", "--riegeli-options", f"transpose,{codec},chunk_size:1")
    _, size = reads(cpb, counted, tmp_path, "info", tmp_path / "each.cpb")
    assert size < (16 + 3) * PAGE + 65536 + 4 * PAGE


@pytest.mark.parametrize("codec", ["none", "zstd"])
def test_small_chunks_are_not_read_one_by_one(cpb, counted, tmp_path, codec):
    path = chunked(cpb, tmp_path, codec, 400, 9_000)
    calls, size = reads(cpb, counted, tmp_path, "merge", path, "-o", tmp_path / "merged.pb", "--threads", "1")
    assert (tmp_path / "merged.pb").read_bytes() == (tmp_path / "graph.pb").read_bytes()
    assert calls < 400 / 4
    assert size < 3 * path.stat().st_size
