"""Merging into Python's messages: of any size, a piece at a time; and what is refused."""

import random

import pytest
from support.random_messages import fill, random_case

import libcpb
from libcpb.proto_splitter import _parse, chunk_pb2


class Bytes:
    """A reader of bytes that notes the largest read."""

    def __init__(self, data):
        self.data, self.size, self.largest = data, len(data), 0

    def read(self, offset, length):
        self.largest = max(self.largest, length)
        return self.data[offset:offset + length]


@pytest.mark.parametrize("piece", [1, 7, 50, 300, 5000])
def test_pieces_make_the_message(piece):
    """Of random types: maps, packed values, merged sub-messages, oneofs, groups of unknown fields."""
    for seed in range(60):
        _, _, message, data, rng = random_case(seed)
        other = type(message)()
        fill(random.Random(seed + 1000), other, 3, 400)
        group = b"\xfb\x3e" + b"\x0b\x08\x96\x01\x12\x40" + b"g" * 64 + b"\x0c" + b"\xfc\x3e"
        data = data + other.SerializeToString() + group + data
        parsed, whole = type(message)(), type(message).FromString(data)
        if not whole.ListFields():
            continue
        _parse.parse(Bytes(data), parsed, piece=piece)
        assert parsed == whole, seed
        assert parsed.SerializeToString(deterministic=True) == whole.SerializeToString(deterministic=True), seed


def test_a_piece_is_all_that_is_read_at_once(type_of):
    graph = type_of("tensorflow.GraphDef")()
    for i in range(3000):
        graph.library.function.add().node_def.add(name=f"n{i}" * 50, op="Const").attr["x"].i = i
    graph.library.function[7].node_def[0].attr["value"].tensor.tensor_content = b"c" * 100000
    reader, parsed = Bytes(graph.SerializeToString()), type(graph)()
    _parse.parse(reader, parsed, piece=4096)
    assert parsed == graph and reader.largest == 100000
    del graph.library.function[7]
    reader = Bytes(graph.SerializeToString())
    _parse.parse(reader, parsed, piece=4096)
    assert parsed == graph and reader.largest <= 3 * 4096


@pytest.mark.parametrize("piece", [1, 40, 1 << 20])
def test_damage_is_an_error_and_leaves_nothing(type_of, piece):
    """Each byte of a message changed in turn: what Google's parser refuses is refused; what it takes
    gives the same message."""
    graph = type_of("tensorflow.GraphDef")()
    for i in range(3):
        graph.node.add(name=f"node{i}", op="Const").attr["value"].tensor.float_val.extend([1.5] * 9)
    graph.library.function.add().attr["a"].s = b"text"
    data = graph.SerializeToString()
    refused = 0
    for i in range(len(data)):
        for bit in (1, 4, 0x80):
            damaged = data[:i] + bytes([data[i] ^ bit]) + data[i + 1:]
            parsed = type(graph)(node=graph.node)
            try:
                whole = type(graph).FromString(damaged)
            except Exception:
                whole = None
            try:
                _parse.parse(Bytes(damaged), parsed, "a.cpb", piece=piece)
            except libcpb.CpbError as error:
                refused += 1
                assert whole is None and parsed.ByteSize() == 0
                assert error.code == "DAMAGED" and error.source == "a.cpb" and error.offset <= len(data)
            else:
                assert parsed == whole
    assert refused > 50


def test_input_that_ends_too_early_is_an_error(type_of):
    graph = type_of("tensorflow.GraphDef")()
    graph.node.add(name="n" * 300)
    data = graph.SerializeToString()
    for length in range(1, len(data)):
        for piece in (10, 1000):
            with pytest.raises(libcpb.CpbError):
                _parse.parse(Bytes(data[:length]), type(graph)(), piece=piece)


def split_graph(type_of, max_size, tmp_path):
    max_size(500)
    graph = type_of("tensorflow.GraphDef")()
    for i in range(20):
        graph.node.add(name=f"node{i}", op="Const").attr["value"].tensor.tensor_content = b"0123" * 20
    whole = type(graph).FromString(graph.SerializeToString())
    splitter = libcpb.GraphDefSplitter(graph)
    return splitter.write(tmp_path / "graph"), splitter.split(), whole


def test_read_by_prefix_and_by_path(type_of, max_size, tmp_path):
    path, _, whole = split_graph(type_of, max_size, tmp_path)
    (tmp_path / "graph.pb").write_bytes(b"")
    (tmp_path / "only.pb").write_bytes(whole.SerializeToString())
    for given in (tmp_path / "graph", str(tmp_path / "graph"), path, tmp_path / "only", tmp_path / "only.pb"):
        merged = type(whole)(node=whole.node)
        libcpb.Merger.read(given, merged)
        assert merged == whole
    libcpb.Merger.read(tmp_path / "graph.pb", merged)
    assert merged.ByteSize() == 0
    with pytest.raises(FileNotFoundError, match="neither .*none.cpb nor .*none.pb"):
        libcpb.Merger.read(tmp_path / "none", merged)


def test_the_wrong_type_is_an_error(type_of, testdata, max_size, tmp_path):
    path, (chunks, chunked_message), whole = split_graph(type_of, max_size, tmp_path)
    for cls in (type_of("tensorflow.SavedModel"), type_of("tensorflow.TensorProto"), testdata.RepeatedRepeatedString):
        for call in (lambda m: libcpb.Merger.read(path, m), lambda m: libcpb.Merger.merge(chunks, chunked_message, m)):
            message = cls()
            with pytest.raises(libcpb.CpbError):
                call(message)
            assert message.ByteSize() == 0


def test_a_tag_without_a_field_is_an_error(type_of, max_size, tmp_path):
    _, (chunks, chunked_message), whole = split_graph(type_of, max_size, tmp_path)
    chunked_message.chunked_fields[1].field_tag.add(field=1234)
    with pytest.raises(libcpb.CpbError, match="field tag of chunked field 2"):
        libcpb.Merger.merge(chunks, chunked_message, type(whole)())


@pytest.mark.parametrize("chunks, where, into, text", [
    ([b""], None, None, "merged_message is a protobuf message, not a NoneType"),
    ([b""], b"", "message", "chunked_message is a ChunkedMessage, not a bytes"),
    ([b"", 5], "tree", "message", "chunk 1 is a int"),
])
def test_wrong_arguments_are_named(type_of, chunks, where, into, text):
    tree = chunk_pb2.ChunkedMessage(chunk_index=0)
    with pytest.raises(TypeError, match=text):
        libcpb.Merger.merge(chunks, tree if where == "tree" else where,
                            type_of("tensorflow.GraphDef")() if into else None)


def test_a_damaged_file_is_an_error(type_of, max_size, tmp_path):
    path, _, whole = split_graph(type_of, max_size, tmp_path)
    data = bytearray((tmp_path / "graph.cpb").read_bytes())
    data[len(data) // 2] ^= 16
    (tmp_path / "graph.cpb").write_bytes(data)
    merged = type(whole)(node=whole.node)
    with pytest.raises(libcpb.CpbError, match="graph.cpb"):
        libcpb.Merger.read(path, merged)
    assert merged.ByteSize() == 0


def test_a_chunk_beyond_what_protobuf_serializes_is_named(type_of, monkeypatch, tmp_path):
    from libcpb.proto_splitter import _files

    monkeypatch.setattr(_files, "_LIMIT", 100)
    graph = type_of("tensorflow.GraphDef")()
    graph.node.add(name="n" * 200)
    with pytest.raises(ValueError, match="graph.pb, a tensorflow.GraphDef, has 2[0-9]+ bytes, but protobuf"):
        libcpb.GraphDefSplitter(graph).write(tmp_path / "graph")
    assert not list(tmp_path.iterdir())
