"""Splitters give what TensorFlow's gave for the same messages and limits; its files are merged."""

import hashlib
import json

import pytest

import libcpb
from libcpb.proto_splitter import chunk_pb2

from conftest import DATA

SPLITTERS = {"tensorflow.GraphDef": "GraphDefSplitter", "tensorflow.SavedModel": "SavedModelSplitter"}
CASES = json.loads((DATA / "cpb.manifest.json").read_text())


def original(case):
    return (DATA / case["orig"]["file"]).read_bytes()


def written(case):
    """(variant, its chunks, its metadata) of each file."""
    for variant in case["variants"]:
        if "file" in variant:
            records = list(libcpb.RecordReader(DATA / variant["file"]))
            yield variant, records[:-1], chunk_pb2.ChunkMetadata.FromString(records[-1])


@pytest.mark.parametrize("case", [c for c in CASES if c["message_type"] in SPLITTERS], ids=lambda c: c["case"])
def test_split_as_tensorflow_splits(case, type_of, max_size, tmp_path):
    cls, splitter = type_of(case["message_type"]), getattr(libcpb, SPLITTERS[case["message_type"]])
    for variant in case["variants"]:
        if "file" not in variant:
            max_size(variant["max_size"])
            assert splitter(cls.FromString(original(case))).write(tmp_path / "whole") == str(tmp_path / "whole.pb")
    for variant, chunks, metadata in written(case):
        max_size(variant["max_size"])
        path = splitter(cls.FromString(original(case))).write(tmp_path / "out")
        *ours, index = list(libcpb.RecordReader(path))
        index = chunk_pb2.ChunkMetadata.FromString(index)
        assert index.message == metadata.message and index.version == metadata.version, variant["name"]
        assert [(c.type, c.size) for c in index.chunks] == [(c.type, c.size) for c in metadata.chunks]
        if variant["writer_options"] is None:
            assert index == metadata  # the positions, too
        same = [a == b for a, b in zip(ours, chunks)]
        if not case["case"].startswith("real_"):
            assert all(same)
        for a, b in zip(ours, chunks):  # maps are in another order
            assert sorted(a) == sorted(b)
        merged = cls()
        libcpb.Merger.read(tmp_path / "out", merged)
        assert merged == expected(case, variant, cls)


def expected(case, variant, cls):
    """The original message, unless TensorFlow's splitter gives constants another form."""
    if variant["merged_equals_orig_det"]:
        return cls.FromString(original(case))
    merged = cls()
    libcpb.Merger.read(DATA / variant["file"], merged)
    digest = hashlib.sha256(merged.SerializeToString(deterministic=True)).hexdigest()
    assert digest == variant["merged_sha256"]
    return merged


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["case"])
def test_merge_what_tensorflow_wrote(case, type_of):
    """From the file, and from its chunks in memory: bytes, and a message of its type. Where its own
    merger crashes or loses something, nothing is lost."""
    cls = type_of(case["message_type"])
    for variant, chunks, metadata in written(case):
        merged = cls()
        libcpb.Merger.read(str(DATA / variant["file"])[:-len(".cpb")], merged)
        if case["case"] == "graph_const_dtypes":
            assert merged == expected(case, variant, cls)
        else:  # strings without an index come after those that the message has already
            times = 2 if case["case"] == "test_repeated_string_by_field" else 1
            assert merged == cls.FromString(original(case) * times)
        if metadata.message.HasField("chunk_index"):
            chunks[metadata.message.chunk_index] = cls.FromString(chunks[metadata.message.chunk_index])
        from_memory = cls()
        libcpb.Merger.merge(chunks, metadata.message, from_memory)
        assert from_memory == merged
