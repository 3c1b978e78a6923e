"""ArrayRecord files, which are Riegeli files with a footer, from the PyPI package; and our Riegeli
chunks, which it reads when they have such a footer."""

import hashlib
import itertools
import struct
import subprocess

import pytest
from array_record.python import array_record_module

from support.riegeli import _chunk_header, riegeli_hash, simple_chunk, u64
from support.several_files import number
from support.wire import field

OPTIONS = ["group_size:1,uncompressed", "group_size:10,brotli:6", "group_size:100,zstd:3", "group_size:7,snappy",
           "group_size:5,transpose:true,zstd:3"]


@pytest.mark.parametrize("options", OPTIONS)
def test_we_read_what_it_writes(cpb, options, tmp_path):
    path = tmp_path / "x.array_record"
    wanted = [bytes([i % 251]) * (i * 37 % 900) for i in range(300)]
    writer = array_record_module.ArrayRecordWriter(str(path), options)
    for record in wanted:
        writer.write(record)
    writer.close()
    records, skipped, status, _ = cpb.records(path)
    assert status["status"] == "OK" and not skipped
    hashes = [hashlib.sha256(r).hexdigest() for r in wanted]
    assert [r["sha256"] for r in records][:len(hashes)] == hashes


BLOCK = 65536


def block_of(chunk):
    """A block that begins with this chunk."""
    distances = u64(0) + u64(24 + len(chunk))
    filled = riegeli_hash(distances) + distances + chunk
    padding = b"\0" * (BLOCK - len(filled) - 40)
    return filled + _chunk_header(padding, b"p", 0, 0) + padding


def with_footer(cpb, path):
    """Appends to a padded file what array_record looks for: a chunk that says where each of the others
    begins and how many records it has, and in the last block where that chunk is."""
    records, _, _, _ = cpb.records(path)
    chunks = [(begin, len(list(group))) for begin, group in itertools.groupby(r["chunk_begin"] for r in records)]
    size = path.stat().st_size
    metadata = field(1, number(1, 1) + number(2, len(chunks)) + number(3, len(records)))
    footer = simple_chunk([metadata, *(number(1, begin) + number(3, count) for begin, count in chunks)])
    postscript = simple_chunk([number(1, size) + number(2, 0x71930e704fdae05e)])
    with open(path, "ab") as file:
        file.write(block_of(footer) + block_of(postscript))
    return chunks


# Of equal size: array_record expects as many records in each chunk.
KINDS = {"messages": [field(1, b"model/block_%05d" % i) + field(2, b"MatMul") for i in range(2000)],
         "texts": [b"%07d" % (i * i % 9999991) * 5 for i in range(2000)],
         "noise": [hashlib.shake_128(b"%d" % i).digest(70000) for i in range(20)]}


@pytest.mark.parametrize("transpose", ["", "transpose"])
@pytest.mark.parametrize("codec", ["uncompressed", "zstd", "brotli", "snappy"])
@pytest.mark.parametrize("kind", KINDS)
def test_it_reads_what_we_write(cpb, bench_records, kind, codec, transpose, tmp_path):
    wanted, path = KINDS[kind], tmp_path / "x.riegeli"
    (tmp_path / "in.lp").write_bytes(b"".join(struct.pack("<Q", len(r)) + r for r in wanted))
    for chunk_size in ("1K", "30K", "1M"):
        options = ",".join(filter(None, [codec, transpose, f"chunk_size:{chunk_size}", "padding:64K"]))
        subprocess.run([bench_records, "write", options, tmp_path / "in.lp", path], check=True, stdout=subprocess.DEVNULL)
        chunks = with_footer(cpb, path)
        assert len(chunks) > 1 or chunk_size == "1M"
        reader = array_record_module.ArrayRecordReader(str(path))
        assert reader.num_records() == len(wanted)
        assert reader.read_all() == wanted, options
        reader.close()
