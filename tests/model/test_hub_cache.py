"""Models in the cache of a hub: each file of a snapshot is a link to one in blobs/, also that of external data. The
package onnx and ONNX Runtime read them."""

import io
import json
import os
import shutil

import numpy as np
import pytest

from conftest import DATA

onnx = pytest.importorskip("onnx")

from support import onnx_facts as facts  # noqa: E402

CASES = DATA / "cases"
NAMES = [row for row in json.loads((DATA / "names.json").read_text()) if "\0" not in row["name"]]


def cached(folder, out):
    """The snapshot of a folder, or of a model in it, as hubs lay it out."""
    blobs = out / "blobs"
    blobs.mkdir(parents=True)
    for i, file in enumerate(sorted(p for p in folder.rglob("*") if p.is_file())):
        link = out / "snapshots" / "1" / file.relative_to(folder)
        link.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, blobs / f"{i:064x}")
        link.symlink_to(os.path.relpath(blobs / f"{i:064x}", link.parent))
    return out / "snapshots" / "1"


def model(path, location):
    values = np.arange(512, dtype=np.float32)
    tensor = onnx.numpy_helper.from_array(values, "w")
    output = onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [512])
    graph = onnx.helper.make_graph([onnx.helper.make_node("Identity", ["w"], ["y"])], "g", [], [output], [tensor])
    facts.save_with_external_data(onnx.helper.make_model(graph, ir_version=10), path, location="w.data")
    made = onnx.load(path, load_external_data=False)
    for entry in made.graph.initializer[0].external_data:
        if entry.key == "location":
            entry.value = location
    path.write_bytes(made.SerializeToString())
    return values


def read(cpb, path, name="w"):
    return np.load(io.BytesIO(cpb.ok("extract", path, name, "-o", "-")))


def test_onnx_in_a_cache(cpb, tmp_path):
    (tmp_path / "m").mkdir()
    values = model(tmp_path / "m" / "m.onnx", "w.data")
    path = cached(tmp_path / "m", tmp_path / "hub") / "m.onnx"
    assert (read(cpb, path) == values).all()
    assert json.loads(cpb.ok("diff", path, tmp_path / "m" / "m.onnx", "--json"))["values"]
    cpb.ok("convert", path, "-o", tmp_path / "one.onnx")
    assert (onnx.numpy_helper.to_array(onnx.load(tmp_path / "one.onnx").graph.initializer[0]) == values).all()
    runtime = pytest.importorskip("onnxruntime")
    session = runtime.InferenceSession(str(tmp_path / "one.onnx"), providers=["CPUExecutionProvider"])
    assert (session.run(None, {})[0] == values).all()


@pytest.mark.parametrize("package", ["multi.mlpackage", "pal6_ios16.mlpackage"])
def test_packages_in_a_cache(cpb, tmp_path, package):
    """The folder of the package is in the snapshot, and all its files are links."""
    path = cached(CASES / package, tmp_path)
    constants = json.loads(cpb.ok("inspect", path, "constants", "--json", "--all"))["constants"]["items"]
    assert constants
    for constant in constants:
        assert cpb.ok("extract", path, constant["node"], "-o", "-") \
            == cpb.ok("extract", CASES / package, constant["node"], "-o", "-")


def test_a_package_whose_model_is_elsewhere(cpb, tmp_path):
    path, secret = tmp_path / "m.mlpackage", tmp_path / "secret"
    shutil.copytree(CASES / "multi.mlpackage", path)
    root = path / "Data" / "com.apple.CoreML" / "model.mlmodel"
    root.rename(secret)
    root.symlink_to(secret)
    result = cpb.run("inspect", path)
    assert result.returncode == 3 and not result.stdout and b"a link leads out of the package" in result.stderr


@pytest.mark.parametrize("row", NAMES, ids=lambda row: repr(row["name"]))
def test_names(cpb, tmp_path, row):
    """Those that stay in the folder, which the package reads, and no others, though there is a file."""
    folder = tmp_path / "1" / "2"
    folder.mkdir(parents=True)
    location = row["name"]
    values = model(folder / "m.onnx", location)
    for up in tmp_path, tmp_path / "1":
        shutil.copy(folder / "w.data", up / "a")
    if row["file"] is None:
        result = cpb.run("extract", folder / "m.onnx", "w", "-o", "-")
        assert result.returncode in (2, 3) and not result.stdout
        return
    file = folder / row["file"]
    file.parent.mkdir(parents=True, exist_ok=True)
    (folder / "w.data").rename(file)
    assert (read(cpb, folder / "m.onnx") == values).all()
    if ".." in row["file"]:
        return  # which the package takes for a way out
    (folder / "a").mkdir(exist_ok=True) if not (folder / "a").exists() else None
    loaded = onnx.load(folder / "m.onnx")
    assert (onnx.numpy_helper.to_array(loaded.graph.initializer[0]) == values).all()
