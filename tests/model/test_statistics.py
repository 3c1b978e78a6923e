"""cpb inspect MODEL weights NAME: statistics of an array, against NumPy."""

import json

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from support import coreml_models, onnx_models
from support.samediff_graphs import with_strides

NUMBERS = np.random.default_rng(0).normal(size=(5, 7, 11))
SMALL = ["float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu", "float6_e2m3fn", "float6_e3m2fn"]
TYPES = ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?", "c8", "c16", "bfloat16", *SMALL]


def model(tmp_path, *nodes, **arrays):
    path = tmp_path / "m.onnx"
    graph = helper.make_graph(list(nodes), "g", [], [], [numpy_helper.from_array(value, name) for name, value in arrays.items()])
    onnx.save(helper.make_model(graph), path)
    return path


def ask(cpb, path, name, *options):
    return json.loads(cpb.ok("inspect", path, "weights", name, "--json", *options))


def number(value):
    return float(value)  # of the strings, too


def bars(values, histogram):
    """How many of the values each bar has, counted by NumPy."""
    places = np.floor(values / histogram["step"]) - histogram["low"] / histogram["step"]
    return np.bincount(places.astype(int), minlength=len(histogram["counts"])).tolist()


def check(told, values, stored_as=None):
    """`values` in float64, in row-major order."""
    finite = values[np.isfinite(values)]
    numbers = told["numbers"]
    assert told["elements"] == values.size
    assert [numbers[key] for key in ("finite", "zeros", "nan", "infinite")] == [
        finite.size, (finite == 0).sum(), np.isnan(values).sum(), np.isinf(values).sum()]
    wanted = [finite.min(), finite.max(), finite.mean(), finite.std()]
    assert [numbers[key] for key in ("minimum", "maximum", "mean", "deviation")] == pytest.approx(wanted, rel=1e-6, abs=1e-12)
    np.testing.assert_allclose([number(one) for one in told["first"]], values.ravel()[:64], rtol=1e-6)
    counts = numbers["histogram"]["counts"]
    assert counts == bars(finite, numbers["histogram"]) and sum(counts) == finite.size
    assert counts[0] > 0 and counts[-1] > 0 and len(counts) <= 64
    assert np.log2(numbers["histogram"]["step"]) % 1 == 0


@pytest.mark.parametrize("kind", TYPES)
def test_numbers_of_each_type_are_those_of_numpy(cpb, tmp_path, kind):
    kind = np.dtype(getattr(ml_dtypes, kind, kind))
    whole = kind.kind in "iu"
    values = NUMBERS * (30 if whole else 1)
    values = (np.abs(values) if kind.kind == "u" or kind.name == "float8_e8m0fnu" else values).astype(kind)
    if kind.kind == "c":
        values = (NUMBERS + 1j * NUMBERS[::-1]).astype(kind)
    real = np.abs(values.astype("c16")) if kind.kind == "c" else values.astype("f8")
    told = ask(cpb, model(tmp_path, w=values), "w")
    check(told, real)
    assert told["numbers"]["magnitudes"] == (kind.kind == "c")
    assert told["numbers"]["histogram"]["step"] >= 1 or not (whole or kind.kind == "b")


def test_values_that_are_no_numbers_are_counted_and_left_out(cpb, tmp_path):
    values = NUMBERS.astype("f4")
    values[0, 0, :3] = np.nan, np.inf, -np.inf
    values[1, 1] = 0
    check(ask(cpb, model(tmp_path, w=values), "w"), values.astype("f8"))
    told = ask(cpb, model(tmp_path, w=np.array([np.nan, np.inf], "f4")), "w")
    assert told["first"] == ["NaN", "Infinity"] and "minimum" not in told["numbers"]


@pytest.mark.parametrize("values", [[0, 0, 0], [0, 5e-324], [-1e308, 1e308], [1e-300, 1e300], [3], [-2**63, 2**62]], ids=str)
def test_bars_have_room_for_the_ends_of_all_numbers(cpb, tmp_path, values):
    told = ask(cpb, model(tmp_path, w=np.array(values, "f8")), "w")["numbers"]
    assert [told["minimum"], told["maximum"], sum(told["histogram"]["counts"])] == [min(values), max(values), len(values)]


def test_the_order_of_the_values_makes_no_difference(cpb, tmp_path):
    values = np.sort((NUMBERS ** 9).ravel())
    one, other = (ask(cpb, model(tmp_path, w=each), "w")["numbers"] for each in (values, values[::-1].copy()))
    assert one["histogram"] == other["histogram"]


def test_the_mean_of_numbers_that_are_far_from_0_keeps_its_digits(cpb, tmp_path):
    values = NUMBERS.repeat(30) + 1e9
    told = ask(cpb, model(tmp_path, w=values), "w")["numbers"]
    assert told["deviation"] == pytest.approx(values.std(), rel=1e-6)


@pytest.mark.parametrize("axis", range(3))
def test_the_parts_along_a_dimension_have_their_ranges(cpb, tmp_path, axis):
    values = NUMBERS.astype("f4")
    parts = ask(cpb, model(tmp_path, w=values), "w", "--axis", axis)["parts"]
    others = tuple({0, 1, 2} - {axis})
    wanted = np.stack([values.min(others), values.max(others)], 1)
    np.testing.assert_array_equal(np.array(parts["ranges"], "f4"), wanted)
    widths = wanted[:, 1] - wanted[:, 0]
    assert parts["narrowest"]["index"] == widths.argmin() and parts["widest"]["index"] == widths.argmax()


def test_many_parts_share_a_range(cpb, tmp_path):
    values = NUMBERS.ravel().repeat(14)[:5000].reshape(2500, 2)
    parts = ask(cpb, model(tmp_path, w=values), "w", "--axis", 0)["parts"]
    assert [parts["count"], parts["each"], len(parts["ranges"])] == [2500, 3, 834]
    assert parts["ranges"][1] == [values[3:6].min(), values[3:6].max()]
    assert parts["ranges"][-1] == [values[2499].min(), values[2499].max()]


QUANTIZED = {
    "one scale": ("DequantizeLinear", ["q", "s", "z"], {}, 0),
    "a scale for each row": ("DequantizeLinear", ["q", "s", "z"], {"axis": 0}, 0),
    "a scale for each column": ("DequantizeLinear", ["q", "s"], {}, 1),
    "from the end": ("DequantizeLinear", ["q", "s", "z"], {"axis": -1}, 1),
    "a convolution": ("QLinearConv", ["x", "one", "zero", "q", "s", "z", "one", "zero"], {}, 0),
    "a product": ("QLinearMatMul", ["x", "one", "zero", "q", "s", "z", "one", "zero"], {}, 1),
}


@pytest.mark.parametrize("case", QUANTIZED)
def test_statistics_of_quantized_numbers_are_those_of_the_real_values(cpb, tmp_path, case):
    op, inputs, attributes, axis = QUANTIZED[case]
    random = np.random.default_rng(1)
    q = random.integers(-128, 128, (6, 9), dtype="i1")
    size = () if case == "one scale" else q.shape[axis]
    s = np.asarray(random.random(size, "f4") + np.float32(0.1), "f4")
    z = np.asarray(random.integers(-9, 9, size, dtype="i1"), "i1")
    shape = [-1 if i == axis else 1 for i in range(2)]
    zero = z.reshape(shape).astype("f8") if "z" in inputs else 0
    real = ((q.astype("f8") - zero) * s.reshape(shape).astype("f8")).astype("f4").astype("f8")
    told = ask(cpb, model(tmp_path, helper.make_node(op, inputs, ["y"], **attributes), q=q, s=s, z=z), "q")
    check(told, real)
    assert told["quantized"]["stored"] == [q.min(), q.max()] and told["quantized"]["scales"] == s.size
    if s.size > 1:
        assert told["parts"]["axis"] == axis
        np.testing.assert_allclose(told["parts"]["ranges"], np.stack([real.min(1 - axis), real.max(1 - axis)], 1), rtol=1e-6)


@pytest.mark.parametrize("columns, block", [(12, 4), (12, 5), (9, 3), (9, 4)])
def test_a_scale_for_each_block_of_a_dimension(cpb, tmp_path, columns, block):
    """The last may be shorter, as onnx's own reader has it."""
    q = np.random.default_rng(2).integers(-128, 128, (5, columns), dtype="i1")
    s = np.arange(1, 16, dtype="f4").reshape(5, 3) / 7
    z = np.arange(-7, 8, dtype="i1").reshape(5, 3)
    node = helper.make_node("DequantizeLinear", ["q", "s", "z"], ["y"], axis=1, block_size=block)
    path = model(tmp_path, node, q=q, s=s, z=z)
    told = ask(cpb, path, "q")
    scales, zeros = (p.repeat(block, 1)[:, :columns] for p in (s, z))
    check(told, ((q.astype("f8") - zeros) * scales).astype("f4").astype("f8"))
    assert told["quantized"]["scales"] == 15 and "parts" not in told
    [consumer] = json.loads(cpb.ok("inspect", path, "consumers", "q", "--json"))["consumers"]["items"]
    assert consumer["quantized"] == {"scale": "s", "zero_point": "z", "axis": 1, "block_size": block}


def test_a_list_of_numbers_may_have_blocks(cpb, tmp_path):
    q, s = np.arange(-5, 5, dtype="i1"), np.arange(1, 4, dtype="f4")
    node = helper.make_node("DequantizeLinear", ["q", "s"], ["y"], axis=0, block_size=4)
    check(ask(cpb, model(tmp_path, node, q=q, s=s), "q"), q.astype("f8") * s.repeat(4)[:10])


@pytest.mark.parametrize("shape", [(1,), (2,), (1, 12), (2, 12)])
def test_scales_of_each_direction_of_a_recurrent_layer(cpb, tmp_path, shape):
    """One, or one for each column. DynamicQuantizeLSTM of ONNX Runtime: input 1 and 2 with 8 to 11."""
    random = np.random.default_rng(4)
    q = random.integers(-128, 128, (shape[0], 5, 12), dtype="i1")
    s, z = np.asarray(random.random(shape, "f4") + np.float32(0.1)), random.integers(-9, 9, shape, dtype="i1")
    along = (shape[0], 1, -1)
    real = ((q.astype("f8") - z.reshape(along)) * s.reshape(along).astype("f8")).astype("f4").astype("f8")
    for inputs in (["x", "q", "", "", "", "", "", "", "s", "z"], ["x", "", "q", "", "", "", "", "", "", "", "s", "z"]):
        node = helper.make_node("DynamicQuantizeLSTM", inputs, ["y"], domain="com.microsoft", hidden_size=3)
        told = ask(cpb, model(tmp_path, node, q=q, s=s, z=z), "q")
        check(told, real)
        assert told["quantized"]["scales"] == s.size


COREML = {
    "a scale for each channel": ("iOS16", {}, {"scales": 16}),
    "one scale": ("iOS16", {"granularity": "per_tensor"}, {"scales": 1, "zero_point": 0}),
    "a scale for each block": ("iOS18", {"granularity": "per_block", "block_size": 8}, {"scales": 64}),
}


@pytest.mark.parametrize("case", COREML)
def test_statistics_of_core_mls_quantized_weights_are_those_of_the_real_values(cpb, tmp_path, case):
    target, how, wanted = COREML[case]
    weights = np.random.default_rng(3).normal(size=(16, 32)).astype("f4")
    path = tmp_path / "m.mlpackage"
    coreml_models.linear(weights, target, **how).save(path)
    items = json.loads(cpb.ok("inspect", path, "constants", "--json"))["constants"]["items"]
    [name] = [item["node"] for item in items if item["dtype"] == "int8" and item["use"] == "weight"]
    told = ask(cpb, path, name)
    assert told["quantized"].items() >= wanted.items()
    step = float(abs(weights).max() / 127)
    np.testing.assert_allclose([number(one) for one in told["first"]], weights.ravel()[:64], atol=0.51 * step + 0.01)
    assert told["numbers"]["minimum"] == pytest.approx(weights.min(), abs=step)


def test_use_and_place_are_those_of_the_list_of_weights(cpb, tmp_path):
    path = model(tmp_path, helper.make_node("DequantizeLinear", ["q", "s"], ["y"]), q=np.arange(3, dtype="i1"), s=np.ones((), "f4"))
    listed = json.loads(cpb.ok("inspect", path, "constants", "--json"))["constants"]["items"]
    assert {item["node"]: item["use"] for item in listed} == {"q": "weight", "s": "quantization"}
    for item in listed:
        assert ask(cpb, path, item["node"])["listed"] == item


def test_scales_that_do_not_fit_are_ignored(cpb, tmp_path):
    q = np.arange(12, dtype="i1").reshape(3, 4)
    path = model(tmp_path, helper.make_node("DequantizeLinear", ["q", "s"], ["y"], axis=0), q=q, s=np.ones(5, "f4"))
    told = ask(cpb, path, "q")
    assert "quantized" not in told and told["numbers"]["maximum"] == 11


def test_the_first_values_of_a_column_major_array_are_in_the_models_order(cpb, tmp_path):
    path = tmp_path / "w.fb"
    values = np.arange(24, dtype=">f4")
    path.write_bytes(with_strides([2, 3, 4], [1, 2, 6], values.tobytes(), "f"))
    told = ask(cpb, path, "w", "--axis", 1)
    real = values.astype("f8").reshape([2, 3, 4], order="F")
    check(told, real)
    assert told["parts"]["ranges"] == [[part.min(), part.max()] for part in real.transpose(1, 0, 2)]


SPARSE = {"numbers of elements": np.int64([1, 7, 11]), "coordinates": np.int64([[0, 1], [1, 3], [2, 3]]), "none": np.zeros(0, "i8")}


def sparse(path, values, indices, *dims):
    tensor = helper.make_sparse_tensor(numpy_helper.from_array(values, "w"), numpy_helper.from_array(indices), dims)
    onnx.save(helper.make_model(helper.make_graph([], "g", [], [], sparse_initializer=[tensor])), path)
    return path


@pytest.mark.parametrize("case", SPARSE)
def test_a_sparse_tensor_is_the_array_that_it_stands_for(cpb, tmp_path, case):
    """Also one of more than a piece of the stream, with values at and beside its edges."""
    for count, kind in (3, "f4"), (3, "f8"), (3, "i1"):
        values = np.arange(5, 5 + count).astype(kind)[:len(SPARSE[case])]
        path = sparse(tmp_path / "m.onnx", values, SPARSE[case], 3, 4)
        wanted = np.zeros(12, kind)
        wanted[[1, 7, 11][:len(values)]] = values
        cpb.ok("extract", path, "w", "-o", tmp_path / f"{kind}.npy")
        got = np.load(tmp_path / f"{kind}.npy")
        assert got.dtype == kind and np.array_equal(got, wanted.reshape(3, 4))
        check(ask(cpb, path, "w"), wanted.astype("f8").reshape(3, 4))


def test_a_large_sparse_tensor(cpb, tmp_path):
    wanted = np.zeros(70_001, "f4")
    wanted[[0, 8191, 8192, 16383, 70_000]] = 1
    wanted[20_000:40_000:2] = np.arange(1, 10_001)
    [places] = np.nonzero(wanted)
    cpb.ok("extract", sparse(tmp_path / "m.onnx", wanted[places], places, 70_001), "w", "-o", tmp_path / "w.npy")
    assert np.array_equal(np.load(tmp_path / "w.npy"), wanted)


@pytest.mark.parametrize("indices, text", [
    (np.int64([7, 1]), "sparse tensor's index 1 is not within its dims, or not after the one before"),
    (np.int64([1, 1]), "index 1 is not"), (np.int64([1, 12]), "index 1 is not"),
    (np.int64([-1, 2]), "index 0 is not"), (np.int64([[0, 1], [1, 4]]), "index 1 is not"),
    (np.int64([[0, 1, 2]]), "indices have 2 dimensions and 3 columns; expected one dimension, or 2 columns"), (np.int32([1, 2]), "indices are of type int32; expected int64"),
    (np.int64([1]), "values have 2 elements; expected 1, as many as indices")])
def test_indices_that_lie_are_errors(cpb, tmp_path, indices, text):
    path = sparse(tmp_path / "m.onnx", np.float32([1, 2]), indices, 3, 4)
    for words in (("extract", path, "w", "-o", tmp_path / "w.npy"), ("inspect", path, "weights", "w")):
        result = cpb.run(*words)
        assert result.returncode == 2 and text in result.stderr.decode() and not result.stdout
    assert not (tmp_path / "w.npy").exists()


def test_texts_have_no_numbers(cpb, tmp_path):
    told = ask(cpb, model(tmp_path, w=np.array(["a", "bc"])), "w")
    assert told["numbers"] is None and told["first"] == [] and told["elements"] == 2


def test_missing_or_damaged_chunks_are_errors(cpb, tmp_path):
    path = tmp_path / "a.onnx"
    path.write_bytes(onnx_models.elsewhere("none.bin"))
    assert cpb.run("inspect", path, "weights", "w0").returncode == 3
    result = cpb.run("inspect", path, "weights", "nothing")
    assert result.returncode == 1 and b"nothing" in result.stderr and not result.stdout


def test_a_scale_that_cannot_be_read_is_an_error(cpb, tmp_path):
    """Statistics of the stored numbers would be taken for those of the real ones."""
    path = model(tmp_path, helper.make_node("DequantizeLinear", ["q", "s"], ["y"]), q=np.arange(4, dtype="i1"))
    whole = onnx.load(path)
    scale = numpy_helper.from_array(np.float32(1), "s")
    onnx.external_data_helper.set_external_data(scale, "none.bin", 0, 4)
    scale.ClearField("raw_data")
    whole.graph.initializer.append(scale)
    path.write_bytes(whole.SerializeToString())
    result = cpb.run("inspect", path, "weights", "q")
    assert result.returncode == 3 and b"none.bin" in result.stderr and not result.stdout


def test_a_dimension_that_the_array_does_not_have_is_an_error(cpb, tmp_path):
    path = model(tmp_path, w=np.zeros((2, 3), "f4"), long=np.zeros(1_100_000, "i1"))
    result = cpb.run("inspect", path, "weights", "w", "--axis", 2)
    assert result.returncode == 1 and b"axis is 2; expected less than the array's 2 dimensions" in result.stderr
    result = cpb.run("inspect", path, "weights", "long", "--axis", 0)
    assert result.returncode == 4 and b"dimension 0 has 1100000 parts; at most 1048576" in result.stderr
