"""cpb convert: values moved in, out and into a .cpb, as the package onnx and ONNX Runtime see it."""

import json
import shutil
import subprocess

import numpy as np
import pytest

from conftest import DATA

onnx = pytest.importorskip("onnx")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402
from support import onnx_facts as facts  # noqa: E402
from support.onnx_models import rich  # noqa: E402


def network(layers=4, size=32, names="/layer.{}/"):
    """f(x), with weights by raw_data, one as the values of a Constant, and one small one."""
    generator = np.random.default_rng(5)
    nodes, weights, at = [], [], "x"
    for i in range(layers):
        weight = numpy_helper.from_array(generator.normal(size=(size, size)).astype(np.float32), f"w{i}")
        scope = names.format(i)
        nodes += [helper.make_node("MatMul", [at, weight.name], [f"m{i}"], f"{scope}MatMul"),
                  helper.make_node("Tanh", [f"m{i}"], [f"t{i}"], f"{scope}Tanh")]
        at = f"t{i}"
        weights.append(weight)
    bias = numpy_helper.from_array(generator.normal(size=size).astype(np.float32), "bias")
    table = numpy_helper.from_array(generator.normal(size=(size, size)).astype(np.float32), "table")
    nodes += [helper.make_node("Constant", [], ["c"], "constant", value=table),
              helper.make_node("Add", [at, "bias"], ["a"], "add"), helper.make_node("MatMul", ["a", "c"], ["y"], "last")]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", size])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", size])], [*weights, bias])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "model.onnx"
    onnx.save(network(), path)
    return path


def run(path):
    onnxruntime = pytest.importorskip("onnxruntime")
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return session.run(None, {"x": np.linspace(-1, 1, 96, dtype=np.float32).reshape(3, 32)})[0]


def test_out_and_in_again(cpb, model, tmp_path):
    apart, back = tmp_path / "out" / "apart.onnx", tmp_path / "back.onnx"
    apart.parent.mkdir()
    cpb.ok("convert", model, "-o", apart, "--external-data")
    data = apart.with_name("apart.onnx.data")
    onnx.checker.check_model(str(apart), full_check=True)
    entries = [{e.key: e.value for e in t.external_data} for t in
               onnx.load(apart, load_external_data=False).graph.initializer]
    assert [e.get("location") for e in entries] == ["apart.onnx.data"] * 4 + [None]  # the bias is small
    assert all(int(e["offset"]) % 64 == 0 for e in entries if e)
    assert data.stat().st_size == 5 * 32 * 32 * 4
    assert (run(apart) == run(model)).all()
    cpb.ok("convert", apart, "-o", back)
    assert back.read_bytes() == model.read_bytes()


@pytest.mark.parametrize("apart", [False, True], ids=["inside", "beside"])
def test_into_a_cpb(cpb, model, tmp_path, apart):
    source = model
    if apart:
        source = tmp_path / "apart" / "m.onnx"
        source.parent.mkdir()
        facts.save_with_external_data(network(), source, location="w.bin", convert_attribute=True)
    chunked, back = tmp_path / "m.cpb", tmp_path / "back" / "m.onnx"
    back.parent.mkdir()
    cpb.ok("convert", source, "-o", chunked)
    if apart:
        shutil.rmtree(source.parent)
    assert cpb.ok("merge", chunked, "-o", "-") == model.read_bytes()
    cpb.ok("convert", chunked, "-o", back)
    assert back.read_bytes() == model.read_bytes()
    cpb.ok("convert", chunked, "-o", back, "--external-data", "--force", "--threshold", "1")
    assert (run(back) == run(model)).all()


def all_tensors(message):
    """Those anywhere in a model, by where they are."""
    found = {}
    for field, value in message.ListFields():
        if field.message_type is None:
            continue
        for i, inner in enumerate(value if not hasattr(value, "ListFields") else [value]):
            if isinstance(inner, TensorProto):
                found[field.name, i] = inner
            else:
                found |= {(field.name, i, *where): t for where, t in all_tensors(inner).items()}
    return found


@pytest.mark.parametrize("threshold", [1, 17, 33])
def test_everything(cpb, tmp_path, threshold):
    """In graphs within nodes, functions, sparse tensors and what is for training, too."""
    path, apart, back = tmp_path / "m.onnx", tmp_path / "apart.onnx", tmp_path / "back.onnx"
    (tmp_path / "w.bin").write_bytes(np.arange(12, dtype=np.float32).tobytes())
    onnx.save(rich(), path)
    cpb.ok("convert", path, "-o", apart, "--external-data", "--threshold", threshold)
    expected = onnx.load(path)
    moved, data = onnx.load(apart, load_external_data=False), apart.with_name("apart.onnx.data").read_bytes()
    for where, tensor in all_tensors(moved).items():
        values = all_tensors(expected)[where].raw_data
        assert (tensor.data_location == TensorProto.EXTERNAL) == (len(values) >= threshold), where
        if len(values) >= threshold:
            place = {e.key: e.value for e in tensor.external_data}
            assert data[int(place["offset"]):][:int(place["length"])] == values, where
    cpb.ok("convert", apart, "-o", back)
    assert all_equal(onnx.load(back, load_external_data=False), expected)


def all_equal(a, b):
    """But for what says where values are: the package leaves the entries that it has followed."""
    a, b = (type(m).FromString(m.SerializeToString()) for m in (a, b))
    for model in (a, b):
        for tensor in all_tensors(model).values():
            del tensor.external_data[:]
            tensor.ClearField("data_location")
    return a == b


def test_values_that_are_not_as_long_as_their_shape_says(cpb, tmp_path):
    path = tmp_path / "m.onnx"
    facts.save_with_external_data(network(), path, location="w.bin")
    model = onnx.load(path, load_external_data=False)
    model.graph.initializer[2].dims[0] = 31
    path.write_bytes(model.SerializeToString())
    result = cpb.run("convert", path, "-o", tmp_path / "out.onnx")
    assert result.returncode == 2 and b'tensor "w2": external_data.length is 4096; expected 3968 by shape and type' in result.stderr
    assert not (tmp_path / "out.onnx").exists()


@pytest.mark.parametrize("ending", ["onnx", "cpb"])
def test_lost_and_short_files_leave_nothing(cpb, tmp_path, ending):
    path, out = tmp_path / "m.onnx", tmp_path / f"out.{ending}"
    facts.save_with_external_data(network(), path, location="w.bin")
    weights = (tmp_path / "w.bin").read_bytes()
    (tmp_path / "w.bin").write_bytes(weights[:-5])
    result = cpb.run("convert", path, "-o", out)
    assert result.returncode == 2 and f'"w.bin", which has values, has {len(weights) - 5} bytes'.encode() in result.stderr
    (tmp_path / "w.bin").unlink()
    result = cpb.run("convert", path, "-o", out)
    assert result.returncode == 3 and b'"w.bin"' in result.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m.onnx"]


def test_a_damaged_chunk_has_the_code_of_damage(cpb, tmp_path):
    """As in extract; nothing is wrong with the disk."""
    path = tmp_path / "m.onnx"
    path.write_bytes(network().SerializeToString())
    cpb.ok("split", path, "-o", tmp_path / "m.cpb", "--max-chunk-size", "4K", "-q")
    content = bytearray((tmp_path / "m.cpb").read_bytes())
    content[len(content) // 2] ^= 1
    (tmp_path / "m.cpb").write_bytes(content)
    for out in "-", tmp_path / "out.cpb":
        assert cpb.run("convert", tmp_path / "m.cpb", "-o", out).returncode == 2


def test_nothing_outside_is_copied(cpb, tmp_path):
    secret, folder = tmp_path / "secret", tmp_path / "m"
    folder.mkdir()
    secret.write_bytes(bytes(5 * 4096))
    path = folder / "m.onnx"
    facts.save_with_external_data(network(), path, location="w.bin")
    path.write_bytes(path.read_bytes().replace(b"w.bin", b"../se"))
    secret.rename(tmp_path / "se")
    result = cpb.run("convert", path, "-o", tmp_path / "out.onnx")
    assert result.returncode == 3 and b"--allow-references" in result.stderr and not (tmp_path / "out.onnx").exists()


def test_both_files_or_none(cpb, model, tmp_path):
    """What is there already is kept; a pipe cannot have a second file beside it."""
    (tmp_path / "apart.onnx").write_bytes(b"kept")
    result = cpb.run("convert", model, "-o", tmp_path / "apart.onnx", "--external-data")
    assert result.returncode == 3 and (tmp_path / "apart.onnx").read_bytes() == b"kept"
    assert not (tmp_path / "apart.onnx.data").exists()
    assert cpb.run("convert", model, "-o", "-", "--external-data").returncode == 1
    assert cpb.ok("convert", model, "-o", "-") == model.read_bytes()
    assert cpb.run("convert", model, "-o", tmp_path / "x.cpb", "--external-data").returncode == 1


def test_messages_that_no_program_could_parse_are_refused(cpb, tmp_path):
    """Beyond 2 GiB in one piece. Nothing of the values, a hole here, is read to find out."""
    size = 2_200_000_000
    weight = TensorProto(name="w", data_type=TensorProto.UINT8, dims=[size], data_location=TensorProto.EXTERNAL)
    weight.external_data.add(key="location", value="w.bin")
    graph = helper.make_graph([helper.make_node("Identity", ["w"], ["y"])], "g", [],
                              [helper.make_tensor_value_info("y", TensorProto.UINT8, [size])], [weight])
    path, out = tmp_path / "m.onnx", tmp_path / "out.onnx"
    path.write_bytes(helper.make_model(graph).SerializeToString())
    with open(tmp_path / "w.bin", "wb") as file:
        file.truncate(size)
    for words in (["-o", "-"], ["-o", out, "--external-data", "--threshold", "3G"]):
        result = cpb.run("convert", path, *words, stdout=subprocess.DEVNULL)
        assert result.returncode == 5, words
        assert b"the model has 2200000" in result.stderr and b"no program parses one beyond 2 GiB" in result.stderr
    assert not out.exists()


def test_other_models_are_refused(cpb, tmp_path):
    (tmp_path / "saved_model.pb").write_bytes(b"\x08\x01\x12\x04\x0a\x02\x22\x00")
    result = cpb.run("convert", tmp_path / "saved_model.pb", "-o", tmp_path / "x.onnx")
    assert result.returncode == 2 and b"not an ONNX model" in result.stderr


def test_json_is_the_same(cpb, model, tmp_path):
    """What the questions answer of a model does not depend on where its values are."""
    apart = tmp_path / "apart.onnx"
    cpb.ok("convert", model, "-o", apart, "--external-data")
    answers = [json.loads(cpb.ok("inspect", p, "nodes", "--json")) for p in (model, apart)]
    for answer in answers:
        for node in answer["nodes"]["items"]:
            for attribute in node["attributes"]:
                for key in ("tensor", "values", "external", "field", "preview", "preview_more"):
                    attribute["value"].pop(key, None)
    assert answers[0] == answers[1]


# --- Values that tensors share -------------------------------------------------------------------


def place(name, offset, length, location="w.bin"):
    tensor = TensorProto(name=name, data_type=TensorProto.UINT8, dims=[length], data_location=TensorProto.EXTERNAL)
    for key, value in (("location", location), ("offset", offset), ("length", length)):
        tensor.external_data.add(key=key, value=str(value))
    return tensor


def of_places(tensors):
    nodes = [helper.make_node("Identity", [t.name], [f"{t.name}_out"]) for t in tensors]
    outputs = [helper.make_tensor_value_info(f"{t.name}_out", TensorProto.UINT8, list(t.dims)) for t in tensors]
    return helper.make_model(helper.make_graph(nodes, "g", [], outputs, tensors), ir_version=10,
                             opset_imports=[helper.make_opsetid("", 17)])


def offsets(path):
    return {t.name: next(int(e.value) for e in t.external_data if e.key == "offset")
            for t in onnx.load(path, load_external_data=False).graph.initializer}


def test_tensors_that_share_values_still_do(cpb, tmp_path):
    """The same range of the same file, also where others lie between; not the same range of another file, and not a part."""
    values = np.random.default_rng(3).integers(0, 256, 8192, dtype=np.uint8)
    (tmp_path / "w.bin").write_bytes(values.tobytes())
    (tmp_path / "v.bin").write_bytes(values[::-1].tobytes())
    tensors = [place("a", 0, 4096), place("other", 0, 4096, "v.bin"), place("tied", 0, 4096), place("part", 0, 2048),
               place("overlaps", 2048, 4096), place("tied_too", 0, 4096), place("other_tied", 0, 4096, "v.bin")]
    path, out, again = tmp_path / "m.onnx", tmp_path / "out.onnx", tmp_path / "again.onnx"
    path.write_bytes(of_places(tensors).SerializeToString())
    cpb.ok("convert", path, "-o", out, "--external-data", "--threshold", 1)
    assert out.with_name("out.onnx.data").stat().st_size == 4096 + 4096 + 2048 + 4096
    at = offsets(out)
    assert at["a"] == at["tied"] == at["tied_too"] and at["other"] == at["other_tied"]
    assert len(set(at.values())) == 4
    expected = {t.name: numpy_helper.to_array(t) for t in onnx.load(path).graph.initializer}
    loaded = {t.name: numpy_helper.to_array(t) for t in onnx.load(out).graph.initializer}
    assert loaded.keys() == expected.keys() and all((loaded[n] == expected[n]).all() for n in loaded)
    cpb.ok("convert", out, "-o", again, "--external-data", "--threshold", 1)
    assert again.with_name("again.onnx.data").read_bytes() == out.with_name("out.onnx.data").read_bytes()
    # In one file each tensor has its own, as it must.
    cpb.ok("convert", out, "-o", tmp_path / "one.onnx")
    inside = {t.name: numpy_helper.to_array(t) for t in onnx.load(tmp_path / "one.onnx").graph.initializer}
    assert all((inside[n] == expected[n]).all() for n in expected)


def test_the_case_of_tied_weights(cpb, tmp_path):
    out = tmp_path / "out.onnx"
    cpb.ok("convert", DATA / "cases" / "tied.onnx", "-o", out, "--external-data", "--threshold", 1)
    assert out.with_name("out.onnx.data").stat().st_size == 2048


def test_many_tensors_of_one_range(cpb, tmp_path):
    """What is compared grows with their number only a little."""
    count = 20_000
    (tmp_path / "w.bin").write_bytes(bytes(count + 16))
    tensors = [place(f"t{i}", i // 2, 16) for i in range(count)]
    path, out = tmp_path / "m.onnx", tmp_path / "out.onnx"
    path.write_bytes(of_places(tensors).SerializeToString())
    cpb.ok("convert", path, "-o", out, "--external-data", "--threshold", 1, timeout=60)
    assert len(set(offsets(out).values())) == count // 2


# --- Where it goes, and what is said ---------------------------------------------------------------


def test_into_a_folder(cpb, model, tmp_path):
    """The model keeps its name there."""
    folder = tmp_path / "out"
    folder.mkdir()
    cpb.ok("convert", model, "-o", folder)
    assert (folder / "model.onnx").read_bytes() == model.read_bytes()
    cpb.ok("convert", model, "-o", tmp_path / "m.cpb")
    cpb.ok("convert", tmp_path / "m.cpb", "-o", f"{folder}/", "--external-data")
    assert (run(folder / "m.onnx") == run(model)).all() and (folder / "m.onnx.data").exists()
    (tmp_path / "named.onnx.cpb").write_bytes((tmp_path / "m.cpb").read_bytes())
    cpb.ok("convert", tmp_path / "named.onnx.cpb", "-o", folder)
    assert (folder / "named.onnx").read_bytes() == model.read_bytes()
    result = cpb.run("convert", model, "-o", folder)
    assert result.returncode == 3 and b"--force" in result.stderr
    assert cpb.run("convert", model, "-o", f"{tmp_path}/none/").returncode == 3


def test_nothing_to_move_is_said(cpb, model, tmp_path):
    out = tmp_path / "out.onnx"
    result = cpb.run("convert", model, "-o", out, "--external-data", "--threshold", "1M")
    assert result.returncode == 0 and not out.with_name("out.onnx.data").exists()
    assert result.stderr.decode() == f"{out}: nothing is beside it: no tensor has 1048576 bytes of values or more (--threshold)\n"
    assert cpb.run("convert", model, "-o", out, "--external-data", "--threshold", "1M", "-q", "--force").stderr == b""
    assert cpb.run("convert", model, "-o", out, "--force").stderr == b""
