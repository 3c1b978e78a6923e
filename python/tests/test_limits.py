"""`limits`: the names are C's, each reaches its member of cpb_limits, and everything that takes them
keeps to them."""

import array
import inspect
import io
import os
import pathlib
import re

import pytest
from google.protobuf import descriptor_pb2

import libcpb
import libcpb.records
from libcpb.proto_splitter import chunk_pb2

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHUNKED = ROOT / "tests/data/cpb/real_tf_module/max3000_tr.cpb"
NAMES = list(libcpb.Limits.__annotations__)


def of_c():
    """The members of cpb_limits in their order."""
    header = (ROOT / "include/cpb/base.h").read_text()
    body = header[header.index("typedef struct cpb_limits {") : header.index("} cpb_limits;")]
    for names in re.findall(r"^  uint(?:32|64)_t (.*);", body, re.MULTILINE):
        yield from names.split(", ")


def test_the_names_are_those_of_c():
    assert NAMES == list(of_c())


def asked(limits):
    with libcpb.open_model(CHUNKED, limits=limits) as model:
        model.nodes(count=100000)


@pytest.mark.parametrize("name", NAMES)
def test_a_limit_is_the_one_of_the_command(cpb, name, tmp_path):
    """Where the command is refused, so is Python, with the same sentence; and where it is not."""
    plain, out = tmp_path / "plain.pb", tmp_path / "out"
    libcpb.merge(CHUNKED, plain)
    for call, command in (
        (lambda how: libcpb.merge(CHUNKED, out, limits=how), ["merge", CHUNKED]),
        (lambda how: libcpb.repack(CHUNKED, out, limits=how), ["repack", CHUNKED]),
        (lambda how: libcpb.split(plain, out, limits=how), ["split", plain]),
        (asked, ["inspect", CHUNKED, "nodes", "--json", "-n", 100000]),
    ):
        output = [] if command[0] == "inspect" else ["-o", out, "-f"]
        result = cpb.run(*command, *output, "--limit", f"{name}=1")
        if result.returncode == 0:
            call({name: 1})
            continue
        with pytest.raises(libcpb.CpbError) as raised:
            call({name: 1})
        assert raised.value.code == "LIMIT"
        assert raised.value.args[0] in result.stderr.decode(), command


def test_messages_and_records():
    """What no command does by itself: reading on, after opening."""
    with libcpb.open(CHUNKED) as message:
        most = message.size
    with libcpb.open(CHUNKED, limits={"walked": most, "depth": 20}) as message:
        assert message.field("meta_graphs[0].graph_def").json()
    file = io.BytesIO()
    with libcpb.RecordWriter(file, window_log=22, chunk_size=8 << 20) as writer:
        writer.write_all(os.urandom(1000) for _ in range(6000))
    for limits, what in (
        ({"window": 1 << 18}, "window"),
        ({"records_per_chunk": 5999}, "records_per_chunk is 5999"),
        ({"entries": 1}, "`entries`"),
    ):
        with pytest.raises(libcpb.CpbError, match=what):
            list(libcpb.RecordReader(file.getvalue(), limits=limits))
    lifted = dict.fromkeys(NAMES, 2**64 - 1)
    lifted["depth"] = 2**32 - 1
    assert len(list(libcpb.RecordReader(file.getvalue(), limits=lifted))) == 6000


@pytest.mark.parametrize(
    "limits, what",
    [
        ({"nothing": 1}, r"limits has 'nothing'; expected any of riegeli_chunk, window, .*, index_per_byte"),
        ({"memory": 1}, "limits has 'memory'"),
        ({"riegeliChunk": 1}, "limits has 'riegeliChunk'"),
        ({"depth": 2**32}, r"limits\['depth'\] is 4294967296; expected an int from 1 to 4294967295"),
        ({"held": 2**64}, r"limits\['held'\] is 18446744073709551616; expected an int from 1 to 18446744073709551615"),
        ({"held": 0}, r"limits\['held'\] is 0; expected an int from 1 to"),
        ({"held": -1}, r"limits\['held'\] is -1; expected an int from 1 to"),
        ({"held": 1.5}, r"limits\['held'\] is 1.5; expected an int"),
        ({"held": True}, r"limits\['held'\] is True; expected an int"),
    ],
)
def test_mistakes_are_reported(limits, what, tmp_path):
    out = tmp_path / "out"
    for call in (libcpb.open, libcpb.open_model, libcpb.RecordReader):
        with pytest.raises(libcpb.CpbError, match=what) as raised:
            call(CHUNKED, limits=limits)
        assert raised.value.code == "USAGE"
    for call in (libcpb.merge, libcpb.split, libcpb.repack):
        with pytest.raises(libcpb.CpbError, match=what) as raised:
            call(CHUNKED, out, limits=limits)
        assert raised.value.code == "USAGE" and not out.exists()
    with pytest.raises(TypeError, match="limits is list; expected a mapping"):
        libcpb.open(CHUNKED, limits=[1])


def takes_limits(function):
    parameters = inspect.signature(function).parameters
    if "how" in parameters:  # Unpack[a TypedDict]
        return "limits" in getattr(libcpb._transfers, parameters["how"].annotation[len("Unpack["):-1]).__annotations__
    return "limits" in parameters


def test_everything_that_reads_takes_limits():
    """But what only asks for a size, and what an object of these does with its own."""
    dask = pytest.importorskip("libcpb.dask")
    functions = [thing for name in libcpb.__all__ if inspect.isfunction(thing := getattr(libcpb, name))]
    functions += [libcpb.RecordReader, libcpb.RecordWriter]  # and Schema, which is written in C
    functions += [getattr(dask, name) for name in dask.__all__]
    functions += [libcpb.records.Partition.read, libcpb.Merger.merge, libcpb.Merger.read]
    given = {"source", "sources", "models", "a", "base", "chunks", "merged_message", "descriptor_set", "recover"}
    reading = [one for one in functions if given & set(inspect.signature(one).parameters)]
    assert len(reading) >= 14
    assert [one for one in reading if not takes_limits(one)] == []


def test_the_others_keep_to_them_too(tmp_path):
    descriptors = (ROOT / "tests/data/schema/tensorflow.fds").read_bytes()
    assert libcpb.Schema(descriptors, limits={"entries": 10**6}).message_names
    with libcpb.open(CHUNKED) as message:
        chunks = [message.read_chunk(i) for i in range(message.num_chunks)]
        record = list(libcpb.RecordReader(CHUNKED))[-1]
    index = chunk_pb2.ChunkMetadata.FromString(record)
    few = {"entries": 1}
    merged = descriptor_pb2.FileDescriptorSet()
    graph = (ROOT / "tests/data/samediff_small/linear.fb").read_bytes()
    values = {"w": array.array("f", range(6)), "b": array.array("f", range(3))}
    tag = libcpb.SameDiffTag("t", graph, values, training='{"a": {"b": [1]}}')
    libcpb.write_samediff(io.BytesIO(), [tag], limits={"depth": 3})
    calls = {
        "write_samediff": lambda: libcpb.write_samediff(io.BytesIO(), [tag], limits={"depth": 2}),
        "Schema": lambda: libcpb.Schema(descriptors, limits={"depth": 1}),
        "merge_chunks": lambda: libcpb.merge_chunks(chunks, index.message.SerializeToString(), limits=few),
        "Partition.read": lambda: list(libcpb.records.partitions(CHUNKED, 1)[0].read(limits={"decoded": 1})),
        "Merger.read": lambda: libcpb.Merger.read(CHUNKED, merged, limits=few),
        "Merger.merge": lambda: libcpb.Merger.merge(chunks, index.message, merged, limits=few),
    }
    for name, call in calls.items():
        with pytest.raises(libcpb.CpbError) as raised:
            call()
        assert raised.value.code == "LIMIT", name
    for limits, count in (None, 1), ({"records_per_chunk": 10}, 10):
        with libcpb.RecordWriter(tmp_path / "records", limits=limits) as writer:
            positions = [writer.write(b"") for _ in range(100)]
        chunks = [b for a, b in zip(positions, positions[1:]) if b != a + 1]
        assert len(chunks) == count - 1


def test_limits_of_dask(tmp_path):
    dask = pytest.importorskip("libcpb.dask")
    with pytest.raises(libcpb.CpbError) as raised:
        dask.read_records(str(CHUNKED), limits={"decoded": 1}).compute(scheduler="synchronous")
    assert raised.value.code == "LIMIT"
    table = dask.inventory(str(CHUNKED), limits={"entries": 1}).compute(scheduler="synchronous")
    assert list(table.error) == ["LIMIT"]
