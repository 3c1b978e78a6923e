"""Records come as Riegeli's own reader gives them, from whatever they are read from; what is written
comes back; what is damaged is refused or left out."""

import hashlib
import io
import mmap
import os
import pathlib
import threading

import pytest

import libcpb
from support.corpus import BASES, DAMAGED, GOOD, damaged_bytes, expected_records

DATA = pathlib.Path(__file__).resolve().parents[2] / "tests/data"


def digest(record):
    return len(record), hashlib.sha256(record).hexdigest()[:32]


class OnlyReads:
    """A stream: nothing but read(), and a few bytes at a time."""

    def __init__(self, data):
        self.rest = io.BytesIO(data)

    def read(self, size):
        return self.rest.read(min(size, 5000))


class ReadsAndSeeks:
    """A file object without readinto()."""

    def __init__(self, data):
        file = io.BytesIO(data)
        self.read, self.seek, self.tell = file.read, file.seek, file.tell


def mapped(data):
    file = mmap.mmap(-1, max(len(data), 1))
    file.write(data)
    return memoryview(file)[: len(data)]


def piped(data):
    reading, writing = os.pipe()

    def feed():
        with os.fdopen(writing, "wb") as file:
            file.write(data)

    threading.Thread(target=feed).start()
    return os.fdopen(reading, "rb")


SOURCES = {
    "bytes": bytes,
    "bytearray": bytearray,
    "mmap": mapped,
    "BytesIO": io.BytesIO,
    "reads": OnlyReads,
    "reads and seeks": ReadsAndSeeks,
    "pipe": piped,
}


@pytest.mark.parametrize("entry", GOOD, ids=lambda entry: entry["file"])
def test_every_good_file_in_records_and_in_batches(entry):
    wanted = [(size, sha, begin, number) for size, sha, begin, number in expected_records(entry["records"])]
    with libcpb.RecordReader(DATA / entry["file"]) as reader:
        got = [(*digest(record), reader.location.chunk_begin, reader.location.number) for record in reader]
        assert got == wanted
        assert reader.size == entry["size"]
    with open(DATA / entry["file"], "rb") as file, libcpb.RecordReader(file) as reader:
        views = [view for batch in reader.batches() for view in batch]
    assert [digest(view) for view in views] == [row[:2] for row in wanted]


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("name", ["brotli", "tr_zstd", "blocks", "longchunk"])
def test_every_kind_of_source(kind, name):
    base = BASES[name]
    source = SOURCES[kind]((DATA / base["file"]).read_bytes())
    with libcpb.RecordReader(source) as reader:
        assert [digest(record) for record in reader] == [row[:2] for row in expected_records(base["records"])]
        reader.seek(0)  # also of what cannot seek: it was kept
        assert digest(reader.read()) == expected_records(base["records"])[0][:2]
    if hasattr(source, "close"):
        source.close()  # it is the caller's


def test_fsspec(tmp_path):
    fsspec = pytest.importorskip("fsspec")
    data = (DATA / BASES["zstd"]["file"]).read_bytes()
    memory = fsspec.filesystem("memory")
    memory.pipe("/records", data)
    count = len(expected_records(BASES["zstd"]["records"]))
    with memory.open("/records") as file:
        assert len(list(libcpb.RecordReader(file))) == count
    with libcpb.RecordReader(fsspec.open("memory://records")) as reader:
        assert len(list(reader)) == count


@pytest.mark.parametrize("entry", [e for e in GOOD if e.get("seeks")][::4], ids=lambda entry: entry["file"])
def test_positions(entry):
    for asked, _, _, _, sha, _ in entry["seeks"]:
        with libcpb.RecordReader(DATA / entry["file"], position=asked) as reader:
            record = reader.read()
        assert (None if record is None else digest(record)[1]) == sha, asked


def test_views_of_memory_are_no_copies():
    file = io.BytesIO()
    with libcpb.RecordWriter(file, codec="none") as writer:
        writer.write_all(b"%d" % i for i in range(1000))
    data = file.getvalue()
    with libcpb.RecordReader(data) as reader:
        views = [view for batch in reader.batches() for view in batch]
    assert [bytes(view) for view in views] == [b"%d" % i for i in range(1000)]
    inside = [view for view in views if view.obj is data]  # all but those that a block header cuts
    assert len(inside) > 990 and all(view.readonly for view in views)


@pytest.mark.parametrize("case", DAMAGED, ids=lambda case: case["id"])
def test_damaged_files(case):
    """The records before the damage and then an error, or all that Riegeli recovers, or more."""
    data = damaged_bytes(case)
    got = []
    try:
        for record in libcpb.RecordReader(data):
            got.append(digest(record))
    except libcpb.CpbError as error:
        assert error.code in ("DAMAGED", "TRUNCATED", "FORMAT", "UNSUPPORTED", "LIMIT"), error
        assert error.offset is None or error.offset <= len(data)
    if not case["plain"]["status"].startswith("CRASH") and case["strict"] is False:
        assert got == case["plain_records"]
    with libcpb.RecordReader(data, recover=True) as reader:
        try:
            list(reader)
        except libcpb.CpbError as error:
            assert error.code == "LIMIT"  # what no recovery gets around
            return
        assert all(0 <= s.begin <= s.end <= len(data) and s.reason for s in reader.skipped)
        assert reader.skipped or not case["skipped"]


@pytest.mark.parametrize("codec, level", [("zstd", None), ("zstd", 19), ("brotli", 0), ("none", None), ("snappy", None), ("snappy", 2)])
@pytest.mark.parametrize("target", ["path", "file", "stream"])
def test_what_is_written_comes_back(tmp_path, cpb, codec, level, target):
    records = [os.urandom(n % 3000) * (n % 4) for n in range(400)] + [bytes(3 << 20)]
    path = tmp_path / "records"
    if target == "path":
        with libcpb.RecordWriter(path, codec=codec, level=level, padding=65536) as writer:
            positions = [writer.write(record) for record in records]
    else:
        class Stream(io.RawIOBase):  # writes a part of what it is given
            def writable(self):
                return True

            def write(self, data):
                part = bytes(data[:100_000])
                with open(path, "ab") as file:
                    file.write(part)
                return len(part)

        file = open(path, "wb") if target == "file" else Stream()
        with file, libcpb.RecordWriter(file, codec=codec, level=level, padding=65536) as writer:
            positions = [writer.write(memoryview(record)) for record in records]
    assert path.stat().st_size % 65536 == 0
    told, skipped, _, _ = cpb.records(path)
    assert [row["position"] for row in told] == positions and not skipped
    with libcpb.RecordReader(path) as reader:
        assert list(reader) == records
        assert reader.read(positions[77]) == records[77]
        assert reader.position == positions[77]


def test_options_of_the_writer(tmp_path):
    path = tmp_path / "records"
    metadata = b"\x0a\x04test"
    with libcpb.RecordWriter(path, record_per_chunk=True, metadata=metadata, sync=True) as writer:
        writer.write_all([b"a", b"b"])
        writer.flush()
        assert not path.exists()  # before it is closed
    with libcpb.RecordReader(path) as reader:
        assert [(record, reader.location.number) for record in reader] == [(b"a", 0), (b"b", 0)]
        assert reader.metadata == metadata
    with pytest.raises(libcpb.CpbError) as raised, libcpb.RecordWriter(path, replace=False) as writer:
        writer.write(b"")
    assert raised.value.code == "WRITE" and raised.value.source == str(path)
