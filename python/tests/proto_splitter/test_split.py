"""Splitters of one's own: the interface that they are made with."""

import os
import pathlib

import pytest

import libcpb
from libcpb.proto_splitter import chunk_pb2, split, split_graph_def


class StringsSplitter(split.ComposableSplitter):
    """Each string of a RepeatedString is a chunk."""

    def __init__(self, proto, **kwargs):
        super().__init__(proto, proto_as_initial_chunk=not proto.strings, **kwargs)

    def build_chunks(self):
        for i, text in enumerate(self._proto.strings):
            self.add_chunk(text.encode(), ["strings", i])
        self._proto.ClearField("strings")


class Nothing(split.ComposableSplitter):
    pass


def indexes(chunked_message):
    return [field.message.chunk_index for field in chunked_message.chunked_fields]


def test_a_message_that_is_not_split_is_its_only_chunk(testdata):
    message = testdata.RepeatedString()
    chunks, chunked_message = StringsSplitter(message).split()
    assert chunks == [message] and chunked_message == chunk_pb2.ChunkedMessage(chunk_index=0)


def test_chunks_without_the_message(testdata):
    chunks, chunked_message = StringsSplitter(testdata.RepeatedString(strings=["a", "b", "c"])).split()
    assert chunks == [b"a", b"b", b"c"]
    assert indexes(chunked_message) == [0, 1, 2] and not chunked_message.HasField("chunk_index")


@pytest.mark.parametrize("options", [None, "uncompressed", "zstd:5,chunk_size:1K", "brotli:1,window_log:20,padding:64K",
                                     "transpose,snappy"])
def test_a_file_of_chunks(testdata, tmp_path, options):
    strings = ["x" * 5, "y" * 10, "z" * 15]
    path = StringsSplitter(testdata.RepeatedString(strings=strings)).write(str(tmp_path / "out"), options)
    assert path == str(tmp_path / "out.cpb")
    records = [bytes(r) for r in libcpb.RecordReader(path)]
    index = chunk_pb2.ChunkMetadata.FromString(records.pop())
    assert records == [text.encode() for text in strings]
    assert index.version.splitter_version == 1 and index.version.join_version == 0
    with libcpb.RecordReader(path) as reader:
        for field, text in zip(index.message.chunked_fields, strings):
            info = index.chunks[field.message.chunk_index]
            assert (info.type, info.size) == (chunk_pb2.ChunkInfo.BYTES, len(text))
            assert reader.read(info.offset) == text.encode()


def test_a_file_of_the_message(testdata, tmp_path):
    message = testdata.RepeatedString(strings=["a", "bc"])
    path = Nothing(message).write(tmp_path / "out", "uncompressed")
    assert path == str(tmp_path / "out.pb")
    assert pathlib.Path(path).read_bytes() == message.SerializeToString()


def test_children_add_to_their_parents_chunks(testdata):
    message = testdata.RepeatedRepeatedString()
    for strings in (["a", "b", "c"], ["d", "e"]):
        message.rs.add(strings=strings)
    parent = Nothing(message)
    assert len(parent.split()[0]) == 1
    parent.add_chunk("", [])
    child = StringsSplitter(message.rs[0], parent_splitter=parent, fields_in_parent=["rs", 0])
    child.build_chunks()
    assert len(parent.split()[0]) == 5
    StringsSplitter(message.rs[1], parent_splitter=parent, fields_in_parent=("rs", 1)).build_chunks()
    assert len(parent.split()[0]) == 7
    for call in (child.split, lambda: child.write("never")):
        with pytest.raises(ValueError, match=r" `(split|write)` method should not be called directly"):
            call()


def test_inserted_chunks_keep_their_places(testdata):
    """Also equal ones, and one object added twice."""
    class Inserts(split.ComposableSplitter):
        def build_chunks(self):
            self.add_chunk(b"a", ["strings", 0])
            self.add_chunk(b"b", ["strings", 1], 1)
            self.add_chunk(b"", ["strings", 2])
            self.add_chunk(b"", ["strings", 3], index=2)
            self.add_chunk(b"first", ["strings", 4], 0)

    splitter = Inserts(testdata.RepeatedString())
    for _ in range(2):
        chunks, chunked_message = splitter.split()
        where = {tuple(t.index for t in f.field_tag if t.HasField("index")): f.message.chunk_index
                 for f in chunked_message.chunked_fields}
        assert {key[0]: chunks[i] for key, i in where.items()} == {0: b"a", 1: b"b", 2: b"", 3: b"", 4: b"first"}
        assert sorted(where.values()) == [0, 2, 3, 4, 5] and chunked_message.chunk_index == 1
    assert where[(3,)] == 3 and where[(2,)] == 5


@pytest.mark.parametrize("chunk, fields, error, text", [
    (b"", ["no"], KeyError, "Unable to find field 'no'"),
    (7, ["field_one"], TypeError, "field_one of .*ManyFields is a int"),
    (None, [], TypeError, "the message itself of .*ManyFields is a NoneType"),
    ("other", ["field_one"], TypeError, r"field_one of .*ManyFields is a .*ManyFields, so its chunk is not a .*StringNode"),
    ("other", ["string_field"], TypeError, "string_field of .*ManyFields is no message"),
    ("other", ["map_field_int64", 3], TypeError, r"map_field_int64\[3\] of .* is no message"),
])
def test_a_wrong_chunk_is_refused_where_it_is_added(testdata, chunk, fields, error, text):
    splitter = Nothing(testdata.ManyFields())
    with pytest.raises(error, match=text):
        splitter.add_chunk(testdata.StringNode() if chunk == "other" else chunk, fields)
    assert len(splitter.split()[0]) == 1 and not splitter.split()[1].chunked_fields


def test_only_messages_are_split():
    with pytest.raises(TypeError, match="a splitter splits a protobuf message, not dict"):
        Nothing({})


@pytest.mark.parametrize("options, text", [("lzma", "'lzma': riegeli_options, character 1: "),
                                           ("transpose,zstd:fast", "character 16: "), ("zstd:23", "character 6: "),
                                           ("chunk_size:1X", "character 12: ")])
def test_wrong_options_are_refused_before_anything_is_done(testdata, tmp_path, options, text):
    message = testdata.RepeatedString(strings=["a"])
    with pytest.raises(ValueError, match=text):
        StringsSplitter(message).write(tmp_path / "out", options)
    assert list(message.strings) == ["a"] and not os.listdir(tmp_path)


def test_an_output_that_cannot_be_written_leaves_the_old_file(testdata, tmp_path):
    class Fails(split.ComposableSplitter):
        def build_chunks(self):
            self.add_chunk(b"x", ["strings", 0])
            self._chunks.append(object())

    (tmp_path / "out.cpb").write_bytes(b"old")
    with pytest.raises(TypeError):
        Fails(testdata.RepeatedString()).write(tmp_path / "out")
    assert (tmp_path / "out.cpb").read_bytes() == b"old" and os.listdir(tmp_path) == ["out.cpb"]
    with pytest.raises(OSError):
        Nothing(testdata.RepeatedString()).write(tmp_path / "no" / "such")


@pytest.mark.parametrize("proto, field", [("RepeatedRepeatedString", "filler_field"), ("RepeatedString", "strings"),
                                          ("ManyFields", "field_one"), ("ManyFields", "nested_map_bool")])
def test_only_repeated_messages_are_sliced(testdata, proto, field):
    splitter = split_graph_def.RepeatedMessageSplitter(getattr(testdata, proto)(), field, [])
    with pytest.raises(ValueError, match=f"can only be used on repeated fields of messages.*{proto}.*'{field}'"):
        splitter.split()


@pytest.mark.parametrize("cls", ["GraphDefSplitter", "SavedModelSplitter"])
def test_a_splitter_refuses_another_message(testdata, cls):
    with pytest.raises(TypeError, match=f"{cls} can only split .* protos. Got .*StringNode"):
        getattr(libcpb, cls)(testdata.StringNode()).split()


def test_strings_are_a_tensor_of_their_own(type_of, max_size, tmp_path):
    """They have no tensor_content: TensorFlow's splitter stores the addresses of their values."""
    max_size(500)
    graph = type_of("tensorflow.GraphDef")()
    tensor = graph.node.add(name="words", op="Const").attr["value"].tensor
    tensor.dtype = 7
    tensor.tensor_shape.dim.add(size=100)
    tensor.string_val.extend(b"word %d" % i for i in range(100))
    whole, merged = type(graph).FromString(graph.SerializeToString()), type(graph)()
    splitter = libcpb.GraphDefSplitter(graph)
    chunks, _ = splitter.split()
    assert [type(c).__name__ for c in chunks] == ["GraphDef", "TensorProto"]
    libcpb.Merger.merge(*splitter.split(), merged)
    assert merged == whole


@pytest.mark.parametrize("values, dims, text", [(dict(float_val=[1.0] * 300), [2], "float_val has 300 values, but the "
                                                 "shape has 2"),
                                                (dict(float_val=[1.0] * 300), [-1], "dimension of unknown size"),
                                                (dict(int_val=[300] * 300, dtype=4), [300], "does not fit dtype 4")])
def test_a_constant_that_contradicts_itself_is_named(type_of, max_size, values, dims, text):
    max_size(100)
    graph = type_of("tensorflow.GraphDef")()
    tensor = graph.node.add(name="odd", op="Const").attr["value"].tensor
    tensor.MergeFrom(type(tensor)(**{"dtype": 1} | values))
    for dim in dims:
        tensor.tensor_shape.dim.add(size=dim)
    with pytest.raises(ValueError, match=f"node 'odd' cannot be made a chunk: .*{text}"):
        libcpb.GraphDefSplitter(graph).split()


def test_a_large_node_that_is_no_constant_is_described(type_of, max_size):
    max_size(500)
    graph = type_of("tensorflow.GraphDef")()
    graph.node.add(name="big", op="Custom", input=["a"], device="cpu").attr["program"].s = b"p" * 1000
    with pytest.raises(ValueError, match=r"(?s)exceeds the max size of 500B.*Only|only Const nodes.*name: big"):
        libcpb.GraphDefSplitter(graph).split()


@pytest.mark.parametrize("more, slices", [(0, [1, 1, 1, 1]), (1, [2, 2])])
def test_a_slice_is_smaller_than_the_limit(type_of, max_size, more, slices):
    """Two nodes that are as large as the limit are two slices, as TensorFlow has it."""
    graph = type_of("tensorflow.GraphDef")()
    for i in range(4):
        graph.node.add(name=f"n{i}", op="NoOp", input=["x"] * 9)
    max_size(2 * graph.node[0].ByteSize() + more)
    splitter = split_graph_def.RepeatedMessageSplitter(graph, "node", [])
    assert [len(chunk.node) for chunk in splitter.split()[0]] == slices


@pytest.mark.parametrize("more, split", [(0, True), (1, False)])
def test_a_message_smaller_than_the_limit_is_left(type_of, max_size, more, split):
    graph = type_of("tensorflow.GraphDef")()
    graph.node.add(name="a" * 50, op="NoOp")
    graph.node.add(name="b" * 50, op="NoOp")
    max_size(graph.ByteSize() + more)
    assert (len(libcpb.GraphDefSplitter(graph).split()[0]) > 1) == split
