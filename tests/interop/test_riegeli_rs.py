"""The crate `riegeli` reads what we write, and we read what it writes: codec,
simple and transposed, chunk size, padding, on generated records."""

import hashlib
import itertools
import random
import struct
import subprocess

import pytest

from conftest import DATA
from support.sweep import one_in

KINDS = ["text", "messages", "empty", "large", "mixed"]


def records_of(kind, seed=1):
    rng = random.Random(seed)
    if kind == "text":
        return [bytes(rng.choices(b"abcdef", k=rng.randrange(200))) for _ in range(500)]
    if kind == "messages":
        path = DATA / "cpb" / "graph_mixed-large" / "orig.pb"
        data = path.read_bytes()
        return [data, data[:len(data)], *[b"\x0a\x05node%d\x12\x02Id" % (i % 10) for i in range(400)]]
    if kind == "empty":
        return [b""] * 3000
    if kind == "large":
        return [rng.randbytes(300_000), b"x" * 1_000_000, rng.randbytes(70_000)]
    return [rng.randbytes(rng.choice([0, 1, 100, 65_512, 5000])) for _ in range(60)]


def lp(records):
    return b"".join(struct.pack("<Q", len(r)) + r for r in records)


def hashes(records):
    return [(len(r), hashlib.sha256(r).hexdigest()) for r in records]


CODECS = ["uncompressed", "brotli:3", "zstd:3", "snappy"]
LEVELS = [*CODECS, "zstd:19", "snappy:2"]
SIZES = list(itertools.product(["", "chunk_size:1", "chunk_size:1000", "chunk_size:1M"], ["", "padding:1000", "padding:64K"],
                               ["write", "write-each"]))


def turn(kind, codec, transpose):
    """A number of its own for neighbouring parameters: each tries another part of what is swept."""
    return 2 * (KINDS.index(kind) + LEVELS.index(codec)) + bool(transpose)


@pytest.mark.parametrize("transpose", ["", "transpose"])
@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("kind", KINDS)
def test_we_read_what_it_writes(cpb, riegeli_rs, kind, codec, transpose, tmp_path):
    records = records_of(kind)
    (tmp_path / "in.lp").write_bytes(lp(records))
    for more in one_in(2, ("", "chunk_size:1K", "chunk_size:100K", "padding:64K"), turn(kind, codec, transpose)):
        options = ",".join(filter(None, [codec, transpose, more]))
        with open(tmp_path / "in.lp", "rb") as source, open(tmp_path / "x.riegeli", "wb") as out:
            subprocess.run([riegeli_rs, "write", options], stdin=source, stdout=out, check=True)
        got, skipped, status, _ = cpb.records(tmp_path / "x.riegeli")
        assert status["status"] == "OK" and not skipped, options
        assert [(r["size"], r["sha256"]) for r in got] == hashes(records), options


@pytest.mark.parametrize("transpose", ["", "transpose"])
@pytest.mark.parametrize("codec", LEVELS)
@pytest.mark.parametrize("kind", KINDS)
def test_it_reads_what_we_write(riegeli_rs, bench_records, kind, codec, transpose, tmp_path):
    """Through the writer's own test program, in batches and one by one."""
    records = records_of(kind)
    (tmp_path / "in.lp").write_bytes(lp(records))
    for chunk_size, padding, command in one_in(9, SIZES, turn(kind, codec, transpose)):
        out = tmp_path / "x.riegeli"
        options = ",".join(filter(None, [codec, transpose, chunk_size, padding]))
        subprocess.run([bench_records, command, options, tmp_path / "in.lp", out], check=True, stdout=subprocess.DEVNULL)
        read = subprocess.run([riegeli_rs, "read", out], stdout=subprocess.PIPE, check=True).stdout
        assert read == lp(records), options


OPTIONS = [",".join(filter(None, words)) for words in itertools.product(
    CODECS, ["", "transpose", "transpose,bucket_fraction:0.3"], ["", "chunk_size:1000", "chunk_size:100K,padding:4K"])]


@pytest.mark.parametrize("kind", KINDS)
def test_it_reads_what_we_write_with_its_options(cpb, riegeli_rs, kind, tmp_path):
    records = records_of(kind)
    (tmp_path / "in.lp").write_bytes(lp(records))
    with open(tmp_path / "in.lp", "rb") as source, open(tmp_path / "in.riegeli", "wb") as out:
        subprocess.run([riegeli_rs, "write", "zstd"], stdin=source, stdout=out, check=True)
    for options in one_in(5, OPTIONS, KINDS.index(kind)):
        out = tmp_path / "x.riegeli"
        cpb.ok("recover", tmp_path / "in.riegeli", "-o", out, "-q", "--force", "--riegeli-options", options)
        read = subprocess.run([riegeli_rs, "read", out], stdout=subprocess.PIPE, check=True).stdout
        assert read == lp(records), options


@pytest.mark.parametrize("codec", ["zstd:3", "brotli:5", "snappy", "uncompressed"])
@pytest.mark.parametrize("kind", ["messages", "text"])
def test_transposed_files_are_about_as_small_as_its(cpb, riegeli_rs, kind, codec, tmp_path):
    (tmp_path / "in.lp").write_bytes(lp(records_of(kind)))
    options = f"transpose,{codec}"
    with open(tmp_path / "in.lp", "rb") as source, open(tmp_path / "in.riegeli", "wb") as out:
        subprocess.run([riegeli_rs, "write", options], stdin=source, stdout=out, check=True)
    cpb.ok("recover", tmp_path / "in.riegeli", "-o", tmp_path / "x.riegeli", "-q", "--riegeli-options", options)
    theirs, ours = ((tmp_path / name).stat().st_size for name in ("in.riegeli", "x.riegeli"))
    assert ours < theirs * 1.05 + 100


def test_it_reads_every_record_of_a_split_model(cpb, riegeli_rs, tmp_path):
    model = DATA / "cpb" / "real_tf_keras_functional" / "orig.pb"
    for layout, *more in ("remote",), ("compat",), ("remote", "--transpose"), ("compat", "--transpose"):
        out = tmp_path / "-".join([layout, *more, ".cpb"])
        cpb.ok("split", model, "-o", out, "--layout", layout, "--max-chunk-size", "5000", *more)
        got, _, _, _ = cpb.records(out)
        read = subprocess.run([riegeli_rs, "positions", out], stdout=subprocess.PIPE, check=True).stdout.decode()
        assert [(r["chunk_begin"], r["index"], r["size"]) for r in got] == \
            [tuple(map(int, line.split())) for line in read.splitlines()]
