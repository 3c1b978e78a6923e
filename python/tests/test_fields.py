"""Fields that go on: elements, fields of fields and arrays, against protobuf's own reading of the whole message."""

import io
import os
import pathlib
import random
import subprocess
import sys

import fsspec
import numpy
import pytest
from google.protobuf import descriptor_pb2
from tensorflow.core.framework import graph_pb2, node_def_pb2, tensor_pb2
from tensorflow.core.protobuf import saved_model_pb2

import libcpb

DATA = pathlib.Path(__file__).resolve().parents[2] / "tests/data"
CHUNKED = DATA / "cpb/real_tf_module/max3000_zstd.cpb"


@pytest.fixture(scope="module")
def whole():
    with libcpb.open(CHUNKED) as message:
        return saved_model_pb2.SavedModel.FromString(message.read())


def test_elements_and_fields_of_fields(whole):
    nodes = whole.meta_graphs[0].graph_def.library.function[0].node_def
    with libcpb.open(CHUNKED) as message:
        function = message.field("meta_graphs[0]").field("graph_def").field("library").field("function")[0]
        field = function.field("node_def")
        assert len(field) == len(nodes) > 3
        assert [node.field("name").value() for node in field] == [node.name for node in nodes]
        assert type(nodes[0]).FromString(field[-1].read()) == nodes[-1]
        assert [one.path for one in field[1:3]] == [field.path + "[1]", field.path + "[2]"]
        assert field[2].field("").field("name").value() == nodes[2].name and message.field("").read() == message.read()
        name = field[2].field("name")
        assert message.read(*name.ranges[0]) == nodes[2].name.encode() and name.path == field.path + "[2].name"
        tags = message.field("meta_graphs[0].meta_info_def.tags")
        assert [tag.value() for tag in tags] == list(whole.meta_graphs[0].meta_info_def.tags)
        number, node = next((i, node) for i, node in enumerate(nodes) if node.attr)
        assert len(field[number].field("attr")) == len(node.attr)
        key = next(iter(node.attr))
        assert type(node.attr[key]).FromString(field[number].field("attr")[key].read()) == node.attr[key]
        with pytest.raises(IndexError, match=f"no element {len(nodes)}; there are {len(nodes)}"):
            field[len(nodes)]
        with pytest.raises(TypeError, match="no repeated field"):
            len(field[0])
        with pytest.raises(libcpb.CpbError, match="expected an index"):
            field.field("name")
        with pytest.raises(libcpb.CpbError) as caught:
            field[0].field("input[1000]")
        assert caught.value.code == "NOT_FOUND"


PACKED = {"float_val": [1.5, -2], "double_val": [0.1], "int_val": [-1, 0, 300, 2**31 - 1, -(2**31)],
          "int64_val": [-(2**63), 2**63 - 1, 0, 5], "bool_val": [True, False], "uint32_val": [2**32 - 1, 7],
          "uint64_val": [2**64 - 1, 127, 128], "half_val": [1, 2]}


@pytest.mark.parametrize("name", PACKED)
def test_packed_numbers(name):
    tensor = tensor_pb2.TensorProto(**{name: PACKED[name]})
    with libcpb.open(tensor.SerializeToString() * 2, type_name="tensorflow.TensorProto", chunked=False) as message:
        field = message.field(name)
        expected = PACKED[name] * 2
        assert list(field) == pytest.approx(expected) and len(field) == len(expected) and field[-1] == pytest.approx(expected[-1])
        assert field.array().tolist() == pytest.approx(expected)


def test_numbers_that_are_not_packed_and_zigzag():
    one = descriptor_pb2.FieldDescriptorProto
    schema = descriptor_pb2.FileDescriptorSet(file=[descriptor_pb2.FileDescriptorProto(
        name="a", message_type=[descriptor_pb2.DescriptorProto(name="M", field=[
            one(name="plain", number=1, type="TYPE_SINT64", label="LABEL_REPEATED"),
            one(name="fixed", number=2, type="TYPE_FIXED32", label="LABEL_REPEATED")])])])
    data = b"\x08\x01\x08\x80\x01\x08\x00" + b"\x15\x01\0\0\0\x15\x02\0\0\0"
    with libcpb.open(data, type_name="M", schema=schema.SerializeToString(), chunked=False) as message:
        assert message.field("plain").array().tolist() == [-1, 64, 0]
        assert [one.value() for one in message.field("plain")] == [-1, 64, 0]
        assert message.field("fixed").array().tolist() == [1, 2]
        with pytest.raises(libcpb.CpbError, match="no repeated field of numbers"):
            message.field("").array()


def test_tensors():
    import numpy as np
    import tensorflow as tf

    same = [np.arange(6, dtype=t).reshape(2, 3) for t in ("<f4", "<f8", "<i4", "u1", "<i8", "<f2", "<c16")]
    for value in [*same, np.array([[True], [False]]), np.array([b"a", b"", b"bc\0"], object), np.zeros((0, 2), "<f4"),
                  np.float32(3)]:
        for tensor in tf.make_tensor_proto(value), tf.compat.v1.make_tensor_proto(np.asarray(value).tolist(), value.dtype,
                                                                                  np.shape(value)):
            data = tensor.SerializeToString()
            with libcpb.open(data, type_name="tensorflow.TensorProto", chunked=False) as message:
                np.testing.assert_array_equal(message.field("").array(), tf.make_ndarray(tensor))
    node = node_def_pb2.NodeDef(op="Const")
    node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(same[0]))
    data = graph_pb2.GraphDef(node=[node]).SerializeToString()
    with libcpb.open(data, type_name="tensorflow.GraphDef", chunked=False) as message:
        array = message.field('node[0].attr["value"].tensor').array()
        np.testing.assert_array_equal(array, same[0])
        assert np.shares_memory(array, np.frombuffer(data, "u1")) and not array.flags.writeable
        with pytest.raises(libcpb.CpbError, match="the array has 24 bytes; max_size allows 23"):
            message.field('node[0].attr["value"].tensor').array(max_size=23)
    fixed = tensor_pb2.TensorProto(float_val=[1, 2.5]).SerializeToString()
    for source in fixed, memoryview(fixed), io.BytesIO(fixed):
        with libcpb.open(source, type_name="tensorflow.TensorProto", chunked=False) as message:
            array = message.field("float_val").array()
            assert array.tolist() == [1, 2.5]
            assert np.shares_memory(array, np.frombuffer(fixed, "u1")) == (not isinstance(source, io.BytesIO))


def test_memory_is_let_go_of():
    data = bytearray(tensor_pb2.TensorProto(float_val=[1]).SerializeToString())
    with libcpb.open(data, type_name="tensorflow.TensorProto", chunked=False) as message:
        field = message.field("float_val")
        assert field.array().tolist() == [1]
        with pytest.raises(BufferError):
            data.clear()
    data.clear()
    with pytest.raises(libcpb.CpbError, match="closed"):
        field.array()
    with libcpb.open(b"", type_name="tensorflow.TensorProto", chunked=False) as message:
        assert message.size == 0


@pytest.mark.parametrize("damage, text", [(b"\x22\x05abc", "beyond|end"), (b"\x08\x63", "99"),
                                          (b"\x08\x01\x12\x04\x12\x02\x08\x02\x22\x01a", "bytes")])
def test_damaged_tensors(damage, text):
    with pytest.raises(libcpb.CpbError, match=text):
        with libcpb.open(damage, type_name="tensorflow.TensorProto", chunked=False) as message:
            message.field("").array()


def test_damaged_numbers():
    with libcpb.open(b"\x3a\x02\x01\xff", type_name="tensorflow.TensorProto", chunked=False) as message:
        for read in (lambda: message.field("int_val").array(), lambda: list(message.field("int_val"))):
            with pytest.raises(libcpb.CpbError, match="varint does not end") as caught:
                read()
            assert caught.value.code == "DAMAGED"


# --- What is opened, and shown ----------------------------------------------------------------------------


def test_a_folder_is_its_message(tmp_path):
    libcpb.merge(CHUNKED, tmp_path / "saved_model.pb")
    with libcpb.open(tmp_path) as message, libcpb.open(tmp_path / "saved_model.pb") as file:
        assert message.read() == file.read()


def test_fsspec_targets():
    target = fsspec.open("memory://out.cpb", "wb")
    with libcpb.open(CHUNKED) as message:
        libcpb.split(message.read(), target)
        with fsspec.open("memory://out.cpb") as file:
            assert libcpb.open(file.read()).read() == message.read()
    with pytest.raises(TypeError, match="expected what its open"):
        libcpb.RecordWriter(target)


def test_progress_reaches_the_total(tmp_path):
    node = b"\x0a\x01n\x12\x01C\x1a\x80\x80\x40" + random.Random(1).randbytes(1 << 20)
    (tmp_path / "in.pb").write_bytes((b"\x0a" + encoded(len(node)) + node) * 4)
    seen = []
    libcpb.split(tmp_path / "in.pb", tmp_path / "out.cpb", type_name="tensorflow.GraphDef", codec="brotli", level=11, threads=1,
                 progress=lambda done, total: seen.append((done, total)))
    assert len(seen) > 1 and seen[-1][0] == seen[-1][1] > 0 and sorted(seen) == seen


def encoded(number):
    out = b""
    while number > 127:
        out, number = out + bytes([number & 127 | 128]), number >> 7
    return out + bytes([number])


def test_the_repr_of_objects(tmp_path):
    with libcpb.open(CHUNKED) as message, libcpb.open_model(CHUNKED) as model:
        assert repr(message) == f"<libcpb.Message tensorflow.SavedModel, {message.size} bytes in {message.num_chunks} chunks>"
        assert repr(model) == f"<libcpb.Model saved_model {model.path}>"
    assert "closed" in repr(message)
    with libcpb.RecordWriter(tmp_path / "x") as writer:
        assert repr(writer) == f"<libcpb.RecordWriter {tmp_path / 'x'}>"
    assert repr(libcpb.RecordReader(tmp_path / "x")) == f"<libcpb.RecordReader {tmp_path / 'x'}>"
    assert repr(libcpb.RecordReader(b"")) == "<libcpb.RecordReader of bytes>"
    schema = libcpb.Schema()
    assert repr(schema) == f"<libcpb.Schema of {len(schema.message_names)} message types>"


@pytest.mark.parametrize("missing, program, text", [
    ("google.protobuf", "import libcpb; libcpb.Merger", "needs protobuf 4.22 or newer: install libcpb[messages]"),
    ("numpy", "import libcpb; libcpb.Values('FLOAT', '<f4', 4, (0,), False, bytearray()).array()", "needs NumPy: install libcpb[arrays]")])
def test_missing_packages_are_named(missing, program, text):
    done = subprocess.run([sys.executable, "-c", f"import sys; sys.modules[{missing!r}] = None; {program}"], capture_output=True, text=True)
    assert done.stderr.splitlines()[-1].startswith("ImportError: ") and text in done.stderr


def test_the_command_by_the_module():
    path = f"{DATA.parents[1] / 'build'}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run([sys.executable, "-m", "libcpb", "--version"], env={**os.environ, "PATH": path}, capture_output=True, text=True)
    assert done.returncode == 0 and libcpb.__version__ in done.stdout
