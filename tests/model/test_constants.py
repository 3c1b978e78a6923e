"""Constants of SavedModels and graphs: what cpb extract writes equals tf.make_ndarray."""

import io
import struct

import numpy as np
import pytest

from conftest import DATA
from support import saved_models, wire

SHAPE = (3, 2)


def tensorflow():
    import tensorflow as tf
    from tensorflow.core.framework import graph_pb2
    return tf, graph_pb2


def numbers():
    """An array of every dtype that make_ndarray knows, with values at the ends of its range."""
    import ml_dtypes
    from tensorflow.python.framework import dtypes
    kinds = [dtypes.float32, dtypes.float64, dtypes.int32, dtypes.uint8, dtypes.int16, dtypes.int8, dtypes.complex64,
             dtypes.int64, dtypes.bool, dtypes.qint8, dtypes.quint8, dtypes.qint32, dtypes.bfloat16, dtypes.qint16,
             dtypes.quint16, dtypes.uint16, dtypes.complex128, dtypes.float16, dtypes.uint32, dtypes.uint64,
             dtypes.float8_e5m2, dtypes.float8_e4m3fn, dtypes.int4, dtypes.uint4]
    small = {"int4": ml_dtypes.int4, "uint4": ml_dtypes.uint4}
    for kind in kinds:
        form = np.dtype(small.get(kind.name, kind.as_numpy_dtype))
        low, high, middle = -2.5, 1.5, 0.5
        if kind.name in small:
            low, high, middle = (-8, 7, 1) if kind.name == "int4" else (0, 15, 1)
        elif kind.is_complex:
            low, high = low + 3j, high - 0.5j
        elif kind.is_bool:
            low, high, middle = 0, 1, 1
        elif not kind.is_floating:
            whole = np.iinfo(form[0] if form.names else form)
            low, high, middle = int(whole.min), int(whole.max), 1
        yield kind, np.array([low, high, middle, 0, high, low], form).reshape(SHAPE)


def all_dtypes():
    return pytest.mark.parametrize("index", range(24))


def tensor_of(index):
    return list(numbers())[index]


def typed(kind, array):
    """The TensorProto with one number for each element."""
    from tensorflow.core.framework import tensor_pb2
    proto = tensor_pb2.TensorProto(dtype=kind.as_datatype_enum)
    for size in array.shape:
        proto.tensor_shape.dim.add(size=size)
    flat = array.reshape(-1)
    if kind.name in ("float16", "half", "bfloat16"):
        proto.half_val.extend(int(x) for x in flat.view(np.uint16))
    elif kind.name.startswith("float8"):
        proto.float8_val = flat.tobytes()
    elif kind.is_complex:
        field = proto.scomplex_val if kind.name == "complex64" else proto.dcomplex_val
        field.extend(part for x in flat for part in (float(x.real), float(x.imag)))
    else:
        fields = {"float32": "float_val", "float64": "double_val", "int64": "int64_val", "bool": "bool_val",
                  "uint32": "uint32_val", "uint64": "uint64_val"}
        number = float if kind.is_floating else int
        flat = flat.view(flat.dtype[0]) if flat.dtype.names else flat
        getattr(proto, fields.get(kind.name, "int_val")).extend(number(x) for x in flat)
    return proto


def content(kind, array):
    proto = typed(kind, array)
    whole = type(proto)(dtype=proto.dtype, tensor_shape=proto.tensor_shape)
    whole.tensor_content = array.tobytes()
    return whole


def plain(array):
    """As NumPy alone has it: what ml_dtypes adds by its bytes, integers of 4 bits as bytes."""
    name = array.dtype.name
    if array.dtype.names:
        return array.view(array.dtype[0])
    if name in ("int4", "uint4"):
        return array.astype(name.replace("4", "8"))
    return array.view(f"V{array.itemsize}") if array.dtype.kind == "V" or name.startswith("float8") else array


def graph_with(tmp_path, proto, name="c", raw=None):
    _, graph_pb2 = tensorflow()
    graph = graph_pb2.GraphDef()
    graph.node.add(name="before", op="NoOp")
    node = graph.node.add(name=name, op="Const")
    node.attr["dtype"].type = proto.dtype if proto else 1
    message = graph.SerializeToString()
    tensor = proto.SerializeToString() if raw is None else raw
    value = wire.field(8, tensor)
    attr = wire.field(5, wire.field(1, b"value") + wire.field(2, value))
    more = wire.field(1, wire.field(1, b"other") + wire.field(2, b"Const") + attr)
    path = tmp_path / "graph.pb"
    path.write_bytes(message + more)
    return path


def extract(cpb, path, name, *options):
    return np.load(io.BytesIO(cpb.ok("extract", path, name, "-o", "-", *options)), allow_pickle=False)


def same(ours, theirs):
    theirs = plain(theirs)
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    assert ours.tobytes() == theirs.tobytes()


@all_dtypes()
@pytest.mark.parametrize("form", [content, typed])
def test_every_dtype_and_both_forms(cpb, tmp_path, index, form):
    tf, _ = tensorflow()
    proto = form(*tensor_of(index))
    same(extract(cpb, graph_with(tmp_path, proto), "other"), tf.make_ndarray(proto))


@all_dtypes()
@pytest.mark.parametrize("kept", [0, 1, 4])
def test_the_last_value_stands_for_those_that_are_left_out(cpb, tmp_path, index, kept):
    tf, _ = tensorflow()
    kind, array = tensor_of(index)
    proto = typed(kind, array.reshape(-1)[:kept])
    del proto.tensor_shape.dim[:]
    for size in SHAPE:
        proto.tensor_shape.dim.add(size=size)
    same(extract(cpb, graph_with(tmp_path, proto), "other"), tf.make_ndarray(proto))


def test_types_that_make_ndarray_does_not_know_come_as_bytes(cpb, tmp_path):
    from tensorflow.core.framework import tensor_pb2
    for dtype in (26, 27, 28):
        proto = tensor_pb2.TensorProto(dtype=dtype, float8_val=b"\x01\x82")
        proto.tensor_shape.dim.add(size=3)
        ours = extract(cpb, graph_with(tmp_path, proto), "other")
        assert (ours.dtype.str, ours.tobytes()) == ("|V1", b"\x01\x82\x82")


# --- As the message may have it ------------------------------------------------------------


def float_field(*values):
    return b"".join(wire.tag(5, 5) + struct.pack("<f", v) for v in values)


def test_numbers_packed_and_not_and_fields_in_any_order(cpb, tmp_path):
    tf, _ = tensorflow()
    from tensorflow.core.framework import tensor_pb2
    packed = wire.field(5, struct.pack("<3f", 1, 2, 3))
    shape = wire.field(2, wire.field(2, wire.tag(1, 0) + wire.varint(7)))
    raw = packed + float_field(4.5, 5) + wire.field(99, b"x" * 500) + wire.field(5, b"") + shape + float_field(6) + wire.tag(1, 0) + b"\x01"
    proto = tensor_pb2.TensorProto.FromString(raw)
    assert len(proto.float_val) == 6
    same(extract(cpb, graph_with(tmp_path, None, raw=raw), "other"), tf.make_ndarray(proto))


def test_varints_that_are_cut_by_every_piece(cpb, tmp_path):
    from tensorflow.core.framework import types_pb2
    tf, _ = tensorflow()
    values = [(-1) ** i * 3 ** (i % 39) for i in range(20000)]
    from tensorflow.core.framework import tensor_pb2
    proto = tensor_pb2.TensorProto(dtype=types_pb2.DT_INT64, int64_val=values)
    proto.tensor_shape.dim.add(size=20001)
    same(extract(cpb, graph_with(tmp_path, proto), "other"), tf.make_ndarray(proto))


def test_a_scalar_and_an_empty_array(cpb, tmp_path):
    tf, _ = tensorflow()
    for array in (np.float32(2.5), np.zeros((3, 0, 2), np.int16)):
        proto = tf.make_tensor_proto(array)
        same(extract(cpb, graph_with(tmp_path, proto), "other"), tf.make_ndarray(proto))


def test_a_large_array_of_one_value_in_little_memory(cpb, tmp_path):
    tf, _ = tensorflow()
    proto = tf.make_tensor_proto(np.float64(1 / 3))
    for size in (100, 20000):
        proto.tensor_shape.dim.add(size=size)
    path = graph_with(tmp_path, proto)
    ours = extract(cpb, path, "other", "--memory-limit", "4M")
    assert ours.shape == (100, 20000) and (ours == 1 / 3).all()


@pytest.mark.parametrize("dtype, value", [(1, {"float_val": [1]}), (1, {}), (7, {"string_val": [b"x"]}), (7, {})])
def test_repeated_values_count_as_decoded(cpb, tmp_path, dtype, value):
    """The size of the input bounds neither their number nor the work for them."""
    tf, _ = tensorflow()
    proto = type(tf.make_tensor_proto(0))(dtype=dtype, **value)
    for size in (1 << 20, 1 << 20):
        proto.tensor_shape.dim.add(size=size)
    path = graph_with(tmp_path, proto)
    for command in (["extract", path, "other", "-o", tmp_path / "out.npy"], ["inspect", path, "weights", "other"]):
        result = cpb.run(*command)
        assert result.returncode == 4 and b"limit `decoded`: at least " in result.stderr
    del proto.tensor_shape.dim[1:]
    path = graph_with(tmp_path, proto)
    assert not (tmp_path / "out.npy").exists() and len(extract(cpb, path, "other")) == 1 << 20


# --- Texts -----------------------------------------------------------------------------------


def texts_in(data):
    while data:
        size = int.from_bytes(data[:8], "little")
        yield data[8:8 + size]
        data = data[8 + size:]


@pytest.mark.parametrize("texts, shape", [
    ([b"one", b"", "f\u00fcnf".encode(), b"\xff\x01"], (2, 2)), ([b"same"], (3,)), ([], (2,)), ([b"x" * 40000, b"y"], (3,)), ([], (0,))])
def test_texts_are_as_long_as_the_longest(cpb, tmp_path, texts, shape):
    tf, _ = tensorflow()
    proto = tf.make_tensor_proto(0)
    proto.Clear()
    proto.dtype = 7
    proto.string_val.extend(texts)
    for size in shape:
        proto.tensor_shape.dim.add(size=size)
    theirs = [t if isinstance(t, bytes) else t.encode() for t in tf.make_ndarray(proto).reshape(-1)]
    path = graph_with(tmp_path, proto)
    ours = extract(cpb, path, "other")
    assert ours.dtype.kind == "S" and ours.shape == shape and ours.reshape(-1).tolist() == theirs
    assert ours.dtype.itemsize == max([1, *map(len, theirs)])
    assert list(texts_in(cpb.ok("extract", path, "other", "--raw", "-o", "-"))) == theirs


@pytest.mark.parametrize("texts", [[b"a\0", b"b"], [b"x" * 100000] + [b""] * 1000])
def test_texts_that_a_fixed_width_would_lose_or_blow_up_come_raw(cpb, tmp_path, texts):
    tf, _ = tensorflow()
    path = graph_with(tmp_path, tf.make_tensor_proto(texts))
    result = cpb.run("extract", path, "other", "-o", tmp_path / "out.npy")
    assert result.returncode == 5 and b"--raw" in result.stderr and not (tmp_path / "out.npy").exists()
    assert list(texts_in(cpb.ok("extract", path, "other", "--raw", "-o", "-"))) == texts


# --- Damage ------------------------------------------------------------------------------------


def refused(cpb, tmp_path, raw, code, *said):
    path = graph_with(tmp_path, None, raw=raw)
    result = cpb.run("extract", path, "other", "-o", tmp_path / "out.npy")
    assert result.returncode == code, result.stderr
    assert all(text in result.stderr for text in said), result.stderr
    assert not (tmp_path / "out.npy").exists()
    return path.read_bytes().index(raw), result.stderr


def shape_field(*sizes):
    return wire.field(2, b"".join(wire.field(2, wire.tag(1, 0) + wire.varint(size)) for size in sizes))


FLOAT = wire.tag(1, 0) + b"\x01"


def test_a_content_of_another_size_than_the_shape(cpb, tmp_path):
    raw = FLOAT + shape_field(3) + wire.field(4, b"x" * 11)
    begin, said = refused(cpb, tmp_path, raw, 2, b"11 bytes", b"12")
    assert f"byte {begin + len(raw) - 11}:".encode() in said


@pytest.mark.parametrize("raw, code, said", [
    (FLOAT + shape_field(1) + wire.field(5, bytes(8)), 2, b"more values"),
    (FLOAT + shape_field(2) + wire.field(5, bytes(7)), 2, b"not a multiple of"),
    (FLOAT + shape_field(1 << 63) + float_field(1), 2, b"negative size; expected a known shape"),
    (FLOAT + shape_field(1 << 40, 1 << 40) + float_field(1), 2, b"2^64 elements or more"),
    (FLOAT + shape_field(1 << 62) + float_field(1), 2, b"2^64 bytes or more"),
    (FLOAT + shape_field(*[1] * 255) + float_field(1), 2, b"254"),
    (FLOAT + wire.field(2, wire.tag(3, 0) + b"\x01") + float_field(1), 2, b"unknown_rank is true; expected a known shape"),
    (FLOAT + shape_field(2) + wire.field(5, bytes(8))[:-1], 2, b"past the end"),
    (wire.tag(1, 0) + b"\x03" + shape_field(2) + wire.field(7, b"\x01\x80"), 2, b"ends within a varint"),
    (wire.tag(1, 0) + b"\x03" + shape_field(2) + wire.field(7, b"\xff" * 11), 2, b"64 bits"),
    (wire.tag(1, 0) + b"\x08" + shape_field(2) + wire.field(9, bytes(4)), 2, b"imaginary"),
    (wire.tag(1, 0) + b"\x07" + shape_field(1) + wire.field(8, b"a") * 2, 2, b"string_val has 2 strings; the shape has 1"),
    (wire.tag(1, 0) + b"\x07" + shape_field(1) + wire.field(4, b"\x01a"), 5, b"tensor_content"),
    (wire.tag(1, 0) + b"\x14" + shape_field(1), 5, b"resource"),
    (wire.tag(1, 0) + b"\x46" + shape_field(1), 5, b"dtype 70"),
    (shape_field(1), 5, b"invalid"),
])
def test_tensors_that_are_not_as_they_should_be(cpb, tmp_path, raw, code, said):
    refused(cpb, tmp_path, raw, code, said)


@pytest.mark.parametrize("name, options, said", [
    ("nope", (), b'there is no node "nope"'), ("before", (), b'"before" has no attribute "value" that is a tensor'),
    ("other:shape", (), b'no attribute "shape" that is a tensor'), ("other", ("--scope", "f"), b'no function "f"')])
def test_names_that_are_not_there(cpb, tmp_path, name, options, said):
    tf, _ = tensorflow()
    result = cpb.run("extract", graph_with(tmp_path, tf.make_tensor_proto(1)), name, "-o", "-", *options)
    assert result.returncode == 1 and said in result.stderr


def test_fields_that_damage_may_hide_are_not_called_missing(cpb, tmp_path):
    tf, _ = tensorflow()
    path = graph_with(tmp_path, tf.make_tensor_proto(1))
    path.write_bytes(path.read_bytes()[:-5])
    result = cpb.run("extract", path, "later", "-o", "-")
    assert result.returncode == 2 and b"no node" not in result.stderr


# --- Models ---------------------------------------------------------------------------------------


def saved_model(folder, count):
    """Constants in the graph of a second meta graph, and in a function, with noise around them."""
    from tensorflow.core.framework import types_pb2
    from tensorflow.core.protobuf import saved_model_pb2
    tf, _ = tensorflow()
    model = saved_model_pb2.SavedModel(saved_model_schema_version=1)
    model.meta_graphs.add().meta_info_def.tags.append("first")
    graph = model.meta_graphs.add().graph_def
    arrays = {}
    for i in range(count):
        arrays[f"c{i}"] = np.arange(i * 1000, i * 1000 + 50000, dtype=np.int32).reshape(100, -1)
        node = graph.node.add(name=f"c{i}", op="Const")
        node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(arrays[f"c{i}"]))
        node.attr["dtype"].type = types_pb2.DT_INT32
    function = graph.library.function.add()
    function.signature.name = "f"
    node = function.node_def.add(name="inside", op="Const")
    arrays["inside"] = np.linspace(0, 1, 70000)
    node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(arrays["inside"]))
    folder.mkdir()
    (folder / "saved_model.pb").write_bytes(model.SerializeToString())
    return arrays


def test_constants_of_a_meta_graph_and_of_a_function_from_pb_and_cpb(cpb, tmp_path):
    arrays = saved_model(tmp_path / "model", 5)
    chunked = tmp_path / "saved_model.cpb"
    cpb.ok("split", tmp_path / "model" / "saved_model.pb", "-o", chunked, "--max-chunk-size", "64K")
    for path in (tmp_path / "model", chunked):
        for name, array in arrays.items():
            scope = ["--scope", "f"] if name == "inside" else []
            same(extract(cpb, path, name, "--meta-graph", 1, *scope), array)
    same(extract(cpb, chunked, "inside", "--meta-graph", 1), arrays["inside"])  # no other function has it
    result = cpb.run("extract", chunked, "c1", "--meta-graph", 2, "-o", "-")
    assert result.returncode == 1 and b"meta_graph is 2; expected less than 2" in result.stderr


def test_every_constant_of_models_that_tensorflow_wrote(cpb):
    tf, _ = tensorflow()
    from tensorflow.core.protobuf import saved_model_pb2
    seen = 0
    for path in (DATA / "cpb" / "real_tf_module" / "orig.pb", saved_models.model("v1") / "saved_model.pb"):
        graph = saved_model_pb2.SavedModel.FromString(path.read_bytes()).meta_graphs[0].graph_def
        places = [(None, graph.node)] + [(f.signature.name, f.node_def) for f in graph.library.function]
        for function, nodes in places:
            for node in [n for n in nodes if n.attr["value"].HasField("tensor")][:6]:
                theirs = tf.make_ndarray(node.attr["value"].tensor)
                scope = ["--scope", function] if function else []
                if theirs.dtype == object:
                    raw = cpb.ok("extract", path, node.name, "--raw", "-o", "-", *scope)
                    assert list(texts_in(raw)) == theirs.reshape(-1).tolist()
                else:
                    same(extract(cpb, path, node.name, *scope), theirs)
                seen += 1
    assert seen > 10
