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
def test_written_messages_come_back(tmp_path, cpb, codec, level, target):
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


# --- Some fields, and records by number ---------------------------------------------


def node_class():
    """A NodeDef, of which the values of attributes are bytes."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    file = descriptor_pb2.FileDescriptorProto(name="fields_test.proto", package="fields_test", syntax="proto3")
    node, entry = file.message_type.add(name="Node"), file.message_type.add(name="Entry")
    for name, number, label in ("name", 1, 1), ("op", 2, 1), ("input", 3, 3), ("device", 4, 1):
        node.field.add(name=name, number=number, type=9, label=label)
    node.field.add(name="attr", number=5, type=11, label=3, type_name=".fields_test.Entry")
    entry.field.add(name="key", number=1, type=9, label=1)
    entry.field.add(name="value", number=2, type=12, label=1)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return file, message_factory.GetMessageClass(pool.FindMessageTypeByName("fields_test.Node"))


@pytest.mark.parametrize("name", ["tr_nodedef_zstd", "tr_nodedef_snappy", "tr_nodedef_brotli", "simple_nodedef_big_brotli"])
def test_fields_are_what_protobuf_keeps(name):
    from google.protobuf import descriptor_pb2

    file, node_of = node_class()
    described = descriptor_pb2.FileDescriptorSet(file=[file]).SerializeToString()
    path = DATA / "records" / f"{name}.riegeli"
    with libcpb.RecordReader(path) as reader:
        whole = [node_of.FromString(record) for record in reader]
    for fields, kept, in_entries in [
        ("name", {"name"}, set()),
        (["op", "attr.key"], {"op", "attr"}, {"key"}),
        ("attr,device", {"attr", "device"}, {"key", "value"}),
        ("", set(), set()),
    ]:
        expected = []
        for node in whole:
            left = node_of.FromString(node.SerializeToString())
            for field in {"name", "op", "input", "device", "attr"} - kept:
                left.ClearField(field)
            for entry in left.attr:
                for field in {"key", "value"} - in_entries:
                    entry.ClearField(field)
            expected.append(left)
        with libcpb.RecordReader(path, fields=fields, type_name="fields_test.Node", schema=described) as reader:
            records = list(reader)
        assert [node_of.FromString(record) for record in records] == expected
        assert [len(record) for record in records] == [left.ByteSize() for left in expected]


def test_fields_by_number_need_no_type():
    path = DATA / "records" / "tr_nodedef_zstd.riegeli"
    by_name = libcpb.RecordReader(path, fields="op,attr.key", type_name="tensorflow.NodeDef")
    assert list(by_name) == list(libcpb.RecordReader(path, fields=["2", "5.1"]))
    for wrong in "op", "2,", "2[0]", "0":
        with pytest.raises(libcpb.CpbError) as raised:
            next(libcpb.RecordReader(path, fields=wrong))
        assert raised.value.code == "USAGE"
    with pytest.raises(libcpb.CpbError, match="no message type"):
        libcpb.RecordReader(path, fields="op", type_name="no.Type")


@pytest.mark.parametrize("name", ["tr_protos_zstd_small_chunks", "simple_snappy", "chunksize_100_uncompressed"])
@pytest.mark.parametrize("make", [bytes, io.BytesIO, ReadsAndSeeks], ids=lambda make: make.__name__)
def test_records_have_numbers(name, make):
    data = (DATA / "records" / f"{name}.riegeli").read_bytes()
    every = [record for record in libcpb.RecordReader(data)]
    reader = libcpb.RecordReader(make(data))
    assert reader and len(reader) == reader.count() == len(every)
    assert reader[0] == every[0] and reader[-1] == every[-1] and reader[7] == every[7]
    assert reader[5:30:4] == every[5:30:4] and reader[-3:] == every[-3:] and reader[3:0:-1] == every[3:0:-1]
    assert reader.read(numbers=[9, 2, -1, 2]) == [every[9], every[2], every[-1], every[2]]
    assert reader.read(numbers=[]) == []
    for wrong in len(every), -len(every) - 1, 2**70:
        with pytest.raises(IndexError, match=f"there are {len(every)}"):
            reader[wrong]
    with pytest.raises(TypeError):
        reader["1"]


def test_numbers_do_not_disturb_reading_in_order():
    path = DATA / "records" / "tr_protos_zstd_small_chunks.riegeli"
    every = [record for record in libcpb.RecordReader(path)]
    reader = libcpb.RecordReader(path)
    read = []
    for n, record in enumerate(reader):
        read.append(record)
        assert reader[-1 - n] == every[-1 - n] and len(reader) == len(every)
        assert reader.location.number >= 0
    assert read == every and next(reader, None) is None and reader[1] == every[1] and next(reader, None) is None
    reader.seek_last()
    assert reader[0] == every[0] and list(reader) == every[-1:]
    reader.seek(0)
    assert len(next(reader.batches())) + len(reader[3:5]) > 2
    assert b"".join(every).endswith(b"".join(b"".join(batch) for batch in reader.batches()))


def test_length_is_not_asked_for_where_it_takes_long():
    data = (DATA / "records" / "simple_snappy.riegeli").read_bytes()
    reader = libcpb.RecordReader(OnlyReads(data))
    with pytest.raises(TypeError, match="call count"):
        len(reader)
    assert len(list(reader)) == reader.count() == 400 and reader[-1] == libcpb.RecordReader(data)[-1]


def test_damage_is_told_once_where_records_are_counted():
    data = bytearray((DATA / "corrupt" / "base_blocks.riegeli").read_bytes())
    data[70000] ^= 1
    reader = libcpb.RecordReader(bytes(data), recover=True)
    assert len(reader) >= len(list(reader)) and len(reader.skipped) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_processes_that_share_a_reader_do_not_disturb_each_other(tmp_path):
    """As PyTorch's workers do: after fork they have one file description, and its position."""
    path = tmp_path / "records"
    records = [os.urandom(100_000) for _ in range(200)]
    with libcpb.RecordWriter(path, codec="none", chunk_size=1) as writer:
        writer.write_all(records)
    reader = libcpb.RecordReader(path)
    assert reader[0] == records[0]  # it is open
    child = os.fork()
    numbers = [i * 77 % len(records) for i in range(2000)]
    same = False
    try:
        same = all(reader[i] == records[i] for i in (numbers if child else reversed(numbers)))
    finally:
        if child == 0:
            os._exit(not same)
    assert os.waitpid(child, 0)[1] == 0
    assert same
