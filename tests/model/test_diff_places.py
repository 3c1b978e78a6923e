"""cpb diff compares values, not where they lie: other files, other places in these, other ways to store them."""

import os
import shutil

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from support import onnx_models, wire
from support.coreml_wire import blob, const, convolution, description, floats, network, number, program, value
from support.diffs import diff, differences, same

W, SMALL = np.arange(512, dtype=np.float32).reshape(8, 64), np.float32([[0, 1]])


def section(answer, name):
    [found] = [s for s in answer["sections"] if s["section"] == name]
    return found


# --- ONNX ---------------------------------------------------------------------------------------------


def model(*tensors, opset=17, **more):
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"], "m")], "g", [onnx_models.info("x")],
                              [onnx_models.info("y")], list(tensors), **more)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])


def stored(w=W, small=SMALL):
    return [numpy_helper.from_array(w, "w"), numpy_helper.from_array(small, "small")]


def elsewhere(path, w=W, file="w.data", offset=0):
    """The model, its large weight in another file."""
    tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=w.shape, data_location=TensorProto.EXTERNAL)
    for key, text in ("location", file), ("offset", str(offset)), ("length", str(w.nbytes)):
        onnx_models.entry(tensor.external_data, key, text)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(model(tensor, stored()[1]).SerializeToString())
    (path.parent / file).write_bytes(bytes([7]) * offset + w.tobytes())
    return path


def test_a_model_with_its_weights_in_another_file_is_the_same(cpb, tmp_path):
    whole, apart = tmp_path / "whole.onnx", tmp_path / "apart.onnx"
    onnx.save(model(*stored()), whole)
    cpb.ok("convert", whole, "-o", apart, "--external-data", "--threshold", 16)
    same(cpb, whole, apart)
    text = cpb.ok("diff", "--tsv", whole, apart).decode()
    assert text == "The models are the same: 1 node and 2 constants; the values of 1 constant lie elsewhere\n"
    assert section(diff(cpb, apart, whole), "constants")["elsewhere"] == 1


def test_names_of_files_and_offsets_do_not_count_but_values_do(cpb, tmp_path):
    a, b = elsewhere(tmp_path / "a.onnx", file="a.data"), elsewhere(tmp_path / "b.onnx", file="b.data", offset=64)
    same(cpb, a, b)
    changed = W.copy()
    changed[2, 3] += 1
    c = elsewhere(tmp_path / "c.onnx", changed, file="c.data", offset=64)
    assert differences(diff(cpb, a, c)) == {"constants": {"w": {"values": (1, 512)}}}
    assert "elsewhere" not in section(diff(cpb, a, c), "constants")


def test_fields_of_tensors_do_not_count(cpb, tmp_path):
    for name, raw in ("a", True), ("b", False):
        tensors = [helper.make_tensor("w", TensorProto.FLOAT, W.shape, W.tobytes() if raw else W.ravel().tolist(), raw=raw)]
        onnx.save(model(*tensors), tmp_path / f"{name}.onnx")
    same(cpb, tmp_path / "a.onnx", tmp_path / "b.onnx")


@pytest.mark.parametrize("which", ["values", "indices"])
def test_sparse_tensors_are_compared_by_values_and_indices(cpb, tmp_path, which):
    for name, more in ("a", 0), ("b", 1):
        values = numpy_helper.from_array(np.float32([1, 2 + more * (which == "values")]), "w")
        indices = numpy_helper.from_array(np.int64([1, 7 + more * (which == "indices")]))
        onnx.save(model(sparse_initializer=[helper.make_sparse_tensor(values, indices, [3, 4])]), tmp_path / f"{name}.onnx")
    same(cpb, tmp_path / "a.onnx", tmp_path / "a.onnx")
    found = differences(diff(cpb, tmp_path / "a.onnx", tmp_path / "b.onnx"))
    assert found == {"constants": {"w": {"values": (1, 4)}}}


def chain(path, *ops):
    """Nodes without names, each with its own output."""
    outputs = [op.lower() for op in ops[:-1]] + ["y"]
    nodes = [helper.make_node(op, [of], [out]) for op, of, out in zip(ops, ["x", *outputs], outputs)]
    onnx.save(helper.make_model(helper.make_graph(nodes, "g", [onnx_models.info("x")], [onnx_models.info("y")])), path)
    return path


def test_numbers_of_nodes_without_names_do_not_count(cpb, tmp_path):
    a, b = chain(tmp_path / "a.onnx", "Abs", "Neg", "Exp", "Relu"), chain(tmp_path / "b.onnx", "Abs", "Sin", "Neg", "Exp", "Relu")
    for x, y, change, number in (a, b, "added", 1), (b, a, "removed", 2):
        found = section(diff(cpb, x, y), "nodes")
        assert (found["added"] + found["removed"], found["changed"], found["same"]) == (1, 1, 3)
        assert {(d["name"], d["change"]) for d in found["differences"]} == {("#1", change), (f"#{number}", "changed")}
    c = chain(tmp_path / "c.onnx", "Abs", "Neg", "Exp", "Sin")
    found = section(diff(cpb, a, c), "nodes")
    assert [(d["name"], d["change"]) for d in found["differences"]] == [("#3", "changed")]
    same(cpb, a, a)


def test_another_opset_is_one_difference(cpb, tmp_path):
    for name, opset in ("a", 20), ("b", 21):
        onnx.save(model(*stored(), opset=opset), tmp_path / f"{name}.onnx")
    found = differences(diff(cpb, tmp_path / "a.onnx", tmp_path / "b.onnx"))
    assert found == {"opset_imports": {"": {"version": (20, 21)}}}


# --- Core ML ------------------------------------------------------------------------------------------


def package(folder, offset, data, name=b"weight.bin"):
    """A program with a constant t of three floats, from that offset of a file of weights on."""
    folder.mkdir(exist_ok=True)
    (folder / name.decode()).write_bytes(bytes(offset) + description(offset=offset + 64) + np.float32(data).tobytes())
    (folder / "m.mlmodel").write_bytes(program(const(value([3], content=blob(b"@model_path/" + name, offset)))))
    return folder / "m.mlmodel"


def test_a_range_that_moved_in_a_file_of_weights_is_the_same(cpb, tmp_path):
    a, b = package(tmp_path / "a", 64, [1, 2, 3]), package(tmp_path / "b", 640, [1, 2, 3], b"other.bin")
    same(cpb, a, b)
    assert section(diff(cpb, a, b), "constants")["elsewhere"] == 1


def test_values_in_a_file_of_weights_are_compared(cpb, tmp_path):
    a, b = package(tmp_path / "a", 64, [1, 2, 3]), package(tmp_path / "b", 64, [1, 2, 4])
    assert differences(diff(cpb, a, b)) == {"constants": {"t": {"values": (1, 3)}}}
    (tmp_path / "c.mlmodel").write_bytes(program(const(value([3], content=floats(np.float32([1, 2, 3]).tobytes())))))
    assert "constants" not in differences(diff(cpb, a, tmp_path / "c.mlmodel"))
    assert differences(diff(cpb, b, tmp_path / "c.mlmodel"))["constants"] == {"t": {"values": (1, 3)}}


@pytest.mark.parametrize("a, b, different", [
    (wire.field(1, np.float32([1, 2]).tobytes()), wire.field(1, np.float32([1, 5]).tobytes()), 1),
    (wire.field(2, np.float16([1, 2]).tobytes()), wire.field(2, np.float16([3, 5]).tobytes()), 2),
    # The same numbers with another scale: other values.
    (wire.field(30, b"\1\2") + wire.field(40, number(1, 8) + wire.field(101, wire.field(1, np.float32([1]).tobytes()))),
     wire.field(30, b"\1\2") + wire.field(40, number(1, 8) + wire.field(101, wire.field(1, np.float32([2]).tobytes()))), 2)],
    ids=["floats", "halves", "scales"])
def test_weights_of_layers_are_compared(cpb, tmp_path, a, b, different):
    for name, weights in ("a", a), ("b", b):
        (tmp_path / f"{name}.mlmodel").write_bytes(network(convolution([2, 1, 1], weights)))
    same(cpb, tmp_path / "a.mlmodel", tmp_path / "a.mlmodel")
    found = differences(diff(cpb, tmp_path / "a.mlmodel", tmp_path / "b.mlmodel"))
    assert found["constants"] == {"l:weights": {"values": (different, 2)}}


# --- One file -----------------------------------------------------------------------------------------


def test_values_in_the_same_file_are_not_read(cpb, tmp_path):
    """By whatever way its name leads there; a copy is read. tests/urls counts what is read."""
    (tmp_path / "folder").mkdir()
    path = elsewhere(tmp_path / "folder/m.onnx")
    os.symlink("folder", tmp_path / "link")
    shutil.copytree(tmp_path / "folder", tmp_path / "copy")
    for other, is_same in ("folder/m.onnx", True), ("link/m.onnx", True), ("copy/m.onnx", False):
        assert diff(cpb, path, tmp_path / other).get("same_file", False) == is_same, other
        same(cpb, path, tmp_path / other)
