"""Models in protobuf's text format and in zip archives are opened as any other."""

import pathlib
import zipfile

import numpy as np
import pytest

import libcpb

CASES = pathlib.Path(__file__).parents[2] / "tests" / "data" / "cases"
GRAPH = """node { name: "w" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value {
  tensor { dtype: DT_FLOAT tensor_shape { dim { size: 3 } } float_val: [1, 2.5, -inf] } } } }"""


def test_a_text(tmp_path):
    path = tmp_path / "graph.pbtxt"
    path.write_text(GRAPH)
    for source in (path, GRAPH.encode()):
        with libcpb.open_model(source) as model:
            assert model.kind == "graph_def"
            np.testing.assert_array_equal(model.array("w"), np.array([1, 2.5, -np.inf], np.float32))
    path.write_text(GRAPH.replace("op:", "operation:"))
    with pytest.raises(libcpb.CpbError, match='"operation" is not a field of tensorflow.NodeDef'):
        libcpb.open_model(path)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_an_archive(tmp_path, method):
    path = tmp_path / "models.zip"
    with zipfile.ZipFile(path, "w", method) as archive:
        for name in "tied.onnx", "w.data", "a.onnx":
            archive.write(CASES / name, f"some models/{name}")
    with pytest.raises(libcpb.CpbError, match="a zip archive with 2 models; expected the name of one"):
        libcpb.open_model(path)
    with libcpb.open_model(f"{path}!/some models/tied.onnx") as model, libcpb.open_model(CASES / "tied.onnx") as plain:
        assert model.overview() == plain.overview()
        np.testing.assert_array_equal(model.array("head"), plain.array("head"))
