"""What an output does not replace, even with --force: what the model consists of that is read."""

import json
import os
import shutil

import pytest

from support import keras_models, onnx_models


@pytest.fixture
def onnx(tmp_path):
    (tmp_path / "w.bin").write_bytes(bytes(range(64)))
    path = tmp_path / "m.onnx"
    path.write_bytes(onnx_models.elsewhere("w.bin"))
    (tmp_path / "soft").symlink_to("w.bin")
    os.link(tmp_path / "w.bin", tmp_path / "hard")
    return path


def refused(cpb, folder, words, out):
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    result = cpb.run(*words, "-o", out, "--force")
    assert result.returncode == 1 and b"is in this file; expected another name for the output" in result.stderr, result
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("out", ["w.bin", "soft", "hard"])
@pytest.mark.parametrize("words", [["convert"], ["extract", "w0"]], ids=" ".join)
def test_values_of_the_model_are_not_replaced(cpb, onnx, words, out):
    refused(cpb, onnx.parent, [words[0], onnx, *words[1:]], onnx.parent / out)


@pytest.mark.parametrize("ending", ["onnx", "cpb"])
def test_values_are_not_replaced_by_what_is_written_beside_the_output(cpb, onnx, ending):
    """A .cpb has its values inside."""
    folder = onnx.parent
    name = folder / f"n.{ending}"
    onnx.write_bytes(onnx_models.elsewhere(name.name + ".data"))
    (folder / (name.name + ".data")).write_bytes(bytes(16))
    if ending == "cpb":
        cpb.ok("convert", onnx, "-o", name, "--force", "-q")
        assert (folder / "n.cpb.data").read_bytes() == bytes(16)
        return
    words = ["convert", onnx, "--external-data", "--threshold", 1]
    refused(cpb, folder, words, name)
    onnx.rename(folder / "o.onnx.data")
    refused(cpb, folder, ["convert", folder / "o.onnx.data", "--external-data", "--threshold", 1], folder / "o.onnx")


def test_a_model_may_replace_itself(cpb, onnx):
    before = cpb.ok("extract", onnx, "w0", "-o", "-")
    cpb.ok("convert", onnx, "-o", onnx, "--force")
    (onnx.parent / "w.bin").unlink()
    assert cpb.ok("extract", onnx, "w0", "-o", "-") == before


def test_the_metadata_of_a_model_is_not_replaced_by_that_of_a_part(cpb, tmp_path):
    """Unless the model is, too."""
    folder = tmp_path / "m"
    shutil.copytree(keras_models.model("sequential"), folder)
    words = ["cut", folder, "root.layer_with_weights-0"]
    before = (folder / "keras_metadata.pb").read_bytes()
    result = cpb.run(*words, "-o", folder / "part.pb")
    assert result.returncode == 3 and b"keras_metadata.pb: exists already" in result.stderr
    assert not (folder / "part.pb").exists(), "both are written, or neither"
    refused(cpb, folder, words, folder / "part.pb")
    refused(cpb, folder, words, folder / "keras_metadata.pb")
    refused(cpb, folder, words, folder / "variables" / "variables.index")
    assert (folder / "keras_metadata.pb").read_bytes() == before
    cpb.ok(*words, "-o", folder / "saved_model.pb", "--force")
    assert len((folder / "keras_metadata.pb").read_bytes()) < len(before)


def test_a_file_of_the_checkpoint_is_not_replaced(cpb, tmp_path):
    folder = tmp_path / "m"
    shutil.copytree(keras_models.model("sequential"), folder)
    shard = next((folder / "variables").glob("*.data-*"))
    name = json.loads(cpb.ok("inspect", folder, "variables", "--json"))["variables"]["items"][0]["path"]
    refused(cpb, folder, ["extract", folder, "--variable", name], shard)
