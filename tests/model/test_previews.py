"""The first values of small tensors, which answers show: they equal those of tf.make_ndarray."""

import pytest

from model.test_constants import content, graph_with, numbers, typed
from support import wire
from support.asking import ask

KINDS = list(numbers())
LARGE = 2**53


def said(value):
    """A value of NumPy's as answers have it."""
    kind = value.dtype.kind
    if value.dtype.names:
        return said(value[value.dtype.names[0]])
    if kind == "c":
        return [float(value.real), float(value.imag)]
    if kind == "b":
        return bool(value)
    number = int(value) if kind in "iu" or "int" in value.dtype.name else float(value)
    return str(number) if isinstance(number, int) and abs(number) > LARGE else number


def shown(cpb, tmp_path, proto, raw=None):
    """The tensor as `constants` and as `nodes` describe it, which is the same."""
    path = graph_with(tmp_path, proto, raw=raw)
    constant, = ask(cpb, path, "constants")["constants"]["items"]
    node = ask(cpb, path, "nodes")["nodes"]["items"][-1]
    value, = [attr["value"] for attr in node["attributes"] if attr["name"] == "value"]
    assert {key: constant[key] for key in value} == value
    return value


def floats_in(values):
    """cpb writes as many digits as a float needs: compared is what they stand for."""
    import numpy as np
    flat = [x for v in values for x in (v if isinstance(v, list) else [v])]
    return [float(np.float32(x)) if isinstance(x, float) else x for x in flat]


@pytest.mark.parametrize("index", range(len(KINDS)), ids=[kind.name for kind, _ in KINDS])
@pytest.mark.parametrize("form", [content, typed])
def test_every_dtype(cpb, tmp_path, index, form):
    kind, array = KINDS[index]
    tensor = shown(cpb, tmp_path, form(kind, array))
    expected = [said(value) for value in array.reshape(-1)]
    assert floats_in(tensor["preview"]) == floats_in(expected)
    assert tensor["elements"] == 6 and "preview_more" not in tensor
    assert tensor["bytes"] == 6 * (1 if "int4" in kind.name else array.itemsize)


def test_a_double_has_all_its_digits(cpb, tmp_path):
    import tensorflow as tf
    tensor = shown(cpb, tmp_path, tf.make_tensor_proto([1 / 3, -1e300], tf.float64))
    assert tensor["preview"] == [1 / 3, -1e300]


@pytest.mark.parametrize("value, dtype, expected", [
    (2.5, "float32", 2.5), (0, "int32", 0), (-1, "int64", -1), (2**60 + 1, "int64", str(2**60 + 1)), (True, "bool", True),
    (2**64 - 1, "uint64", str(2**64 - 1)), ("text", "string", "text"), (float("inf"), "float32", "Infinity"),
    (float("nan"), "float64", "NaN"), (float("-inf"), "float16", "-Infinity"), (float("nan"), "bfloat16", "NaN")])
def test_a_scalar_has_its_value_and_its_size(cpb, tmp_path, value, dtype, expected):
    import tensorflow as tf
    tensor = shown(cpb, tmp_path, tf.make_tensor_proto(value, dtype))
    assert (tensor["shape"], tensor["elements"], tensor["preview"]) == ([], 1, [expected])
    assert tensor.get("bytes") == (None if dtype == "string" else tf.as_dtype(dtype).size)


@pytest.mark.parametrize("dtype", ["float8_e5m2", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e4m3b11fnuz", "float8_e5m2fnuz"])
def test_each_float_of_eight_bits(cpb, tmp_path, dtype):
    import ml_dtypes
    import numpy as np
    from tensorflow.core.framework import tensor_pb2
    number = {"float8_e5m2": 24, "float8_e4m3fn": 25, "float8_e4m3fnuz": 26, "float8_e4m3b11fnuz": 27, "float8_e5m2fnuz": 28}
    every = np.arange(256, dtype=np.uint8)
    for part in np.split(every, 32):
        proto = tensor_pb2.TensorProto(dtype=number[dtype], float8_val=part.tobytes())
        proto.tensor_shape.dim.add(size=8)
        wanted = part.view(getattr(ml_dtypes, dtype)).astype(np.float32)
        np.testing.assert_array_equal(np.array(shown(cpb, tmp_path, proto)["preview"], np.float32), wanted)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_floats_of_sixteen_bits_of_every_size(cpb, tmp_path, dtype):
    import numpy as np
    import tensorflow as tf
    bits = np.array([0, 1, 0x8001, 0x03ff, 0x0400, 0x7bff, 0x7f7f, 0xfbff], np.uint16)
    values = bits.view(tf.as_dtype(dtype).as_numpy_dtype)
    said_values = shown(cpb, tmp_path, tf.make_tensor_proto(values))["preview"]
    for ours, value in zip(said_values, values, strict=True):
        number = float(value)
        assert ours == "NaN" if number != number else np.float32(ours) == np.float32(number)


def test_more_than_are_shown(cpb, tmp_path):
    import numpy as np
    import tensorflow as tf
    tensor = shown(cpb, tmp_path, tf.make_tensor_proto(np.arange(100, dtype=np.int16)))
    assert tensor["preview"] == list(range(8)) and tensor["preview_more"] is True


def test_the_last_value_stands_for_those_left_out(cpb, tmp_path):
    import tensorflow as tf
    from tensorflow.core.framework import tensor_pb2
    for kept, expected in (([], [0] * 8), ([7, 9], [7] + [9] * 7)):
        proto = tensor_pb2.TensorProto(dtype=tf.int32.as_datatype_enum, int_val=kept)
        proto.tensor_shape.dim.add(size=1000)
        tensor = shown(cpb, tmp_path, proto)
        assert tensor["preview"] == expected and tensor["bytes"] == 4000 and tensor["preview_more"] is True


def test_numbers_that_are_not_packed(cpb, tmp_path):
    raw = b"\x08\x03" + b"".join(wire.tag(7, 0) + wire.varint(n) for n in (5, 6)) + wire.field(2, wire.field(2, b"\x08\x03"))
    assert shown(cpb, tmp_path, None, raw=raw)["preview"] == [5, 6, 6]


def test_strings_are_cut_where_a_character_ends(cpb, tmp_path):
    import tensorflow as tf
    texts = [b"short", b"x" * 64, b"y" * 65, ("z" + "\u20ac" * 40).encode(), b"\xff\x00\x1b[31m", b"w" * 5000]
    tensor = shown(cpb, tmp_path, tf.make_tensor_proto(texts))
    assert tensor["preview"] == ["short", "x" * 64, {"text": "y" * 64, "size": 65}, {"text": "z" + "\u20ac" * 21, "size": 121},
                                 "\ufffd\0\x1b[31m", {"text": None, "size": 5000}]


def test_tensors_that_are_not_in_memory_or_have_no_values(cpb, tmp_path):
    import numpy as np
    import tensorflow as tf
    from tensorflow.core.framework import tensor_pb2, types_pb2
    large = shown(cpb, tmp_path, tf.make_tensor_proto(np.arange(1000.0)))
    assert "preview" not in large and (large["elements"], large["bytes"]) == (1000, 8000)
    for dtype in (types_pb2.DT_RESOURCE, types_pb2.DT_VARIANT):
        tensor = shown(cpb, tmp_path, tensor_pb2.TensorProto(dtype=dtype))
        assert "preview" not in tensor and "bytes" not in tensor
    assert shown(cpb, tmp_path, tf.make_tensor_proto(np.zeros((3, 0), np.int32)))["preview"] == []
    unknown = tensor_pb2.TensorProto(dtype=1)
    unknown.tensor_shape.unknown_rank = True
    assert "elements" not in shown(cpb, tmp_path, unknown)


def test_contents_that_do_not_fit_the_shape_are_not_shown(cpb, tmp_path):
    from tensorflow.core.framework import tensor_pb2
    proto = tensor_pb2.TensorProto(dtype=1, tensor_content=b"\0\0\0\0\0\0")
    proto.tensor_shape.dim.add(size=2)
    assert "preview" not in shown(cpb, tmp_path, proto)


@pytest.mark.parametrize("more", [{"data_type": 1, "raw_data": bytes(8), "again": wire.field(9, b"\0\0\x80\x3f\0\0\0\xc0")},
                                  {"data_type": 9, "int32_data": [256, 0], "again": b""}])
def test_onnx_is_as_its_package_reads_it(cpb, tmp_path, more):
    """Of values that are there twice the last count; any number but 0 is true."""
    onnx = pytest.importorskip("onnx")
    again = more.pop("again")
    message = onnx.TensorProto(name="w", dims=[2], **more).SerializeToString() + again
    path = tmp_path / "m.onnx"
    path.write_bytes(b"\x08\x08" + wire.field(7, wire.field(5, message)))
    expected = onnx.numpy_helper.to_array(onnx.TensorProto.FromString(message)).tolist()
    constant, = ask(cpb, path, "constants")["constants"]["items"]
    assert constant["preview"] == expected
