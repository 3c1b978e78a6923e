"""What a file is, is decided by what is in it, and the same for a message and its chunked forms."""

import pytest

from conftest import DATA, manifest
from support import onnx_models
from support.asking import ask

KINDS = {"tensorflow.SavedModel": "saved_model", "tensorflow.GraphDef": "graph_def"}
TYPES = {case["case"]: case["message_type"] for case in manifest("cpb.manifest.json")}
MESSAGES = sorted(path.parent for path in (DATA / "cpb").glob("*/orig.pb"))


@pytest.mark.parametrize("folder", MESSAGES, ids=lambda folder: folder.name)
def test_chunked_forms_are_of_the_kind_of_their_message(cpb, folder):
    whole = cpb.run("inspect", folder / "orig.pb", "--json")
    kind = KINDS.get(TYPES[folder.name])
    assert whole.returncode == (0 if kind else 2)
    assert not kind or ask(cpb, folder / "orig.pb")["kind"] == kind
    for path in sorted(folder.glob("*.cpb")):
        result = cpb.run("inspect", path, "--json")
        assert result.returncode == whole.returncode, (path, result.stderr)
        assert kind is None or ask(cpb, path)["kind"] == kind, path


@pytest.mark.parametrize("text", [b"# A README\n\nof a model\n", b"\n# Title\n" * 20, b"hello", b"%PDF-1.7\n", b"\x7fELF\x02\x01",
                                  b"{}", b"\x01\x02\xff"])
def test_files_that_are_no_models_are_refused(cpb, tmp_path, text):
    (tmp_path / "file").write_bytes(text)
    result = cpb.run("inspect", tmp_path / "file")
    assert result.returncode == 2 and not result.stdout
    assert b"expected one of SavedModel" in result.stderr


@pytest.mark.parametrize("options", [[], ["--type", "tensorflow.GraphDef"]], ids=["guessed", "said"])
def test_an_empty_file_is_said_to_be_empty(cpb, tmp_path, options):
    (tmp_path / "x").touch()
    result = cpb.run("inspect", "x", *options, cwd=tmp_path)
    assert result.returncode == 2
    assert result.stderr.startswith(b"x: an empty file; get it again")


@pytest.mark.parametrize("name", ["m.onnx", "m", "g.pb"])
@pytest.mark.parametrize("damage", [lambda data: data + b"\n", lambda data: data + bytes(100),
                                    lambda data: data[:len(data) * 2 // 3] + bytes(len(data) - len(data) * 2 // 3)])
def test_damage_near_the_beginning_does_not_hide_the_kind(cpb, tmp_path, name, damage):
    """As if the file were cut off there, once it has proved what it is."""
    path = tmp_path / name
    whole = (DATA / "cpb/real_frozen_conv/orig.pb").read_bytes()[:686] if name == "g.pb" else onnx_models.elsewhere("w.bin")
    path.write_bytes(damage(whole))
    result = cpb.run("inspect", path)
    assert result.returncode == 1 and result.stdout.startswith(b"Damaged: ")


def test_the_index_of_a_checkpoint_that_is_cut_off(cpb, tmp_path):
    path = tmp_path / "m.index"
    path.write_bytes((DATA / "cases/tf2/ck-1.index").read_bytes()[:-10])
    result = cpb.run("inspect", path)
    assert result.returncode == 2 and b"not a checkpoint index: expected LevelDB's magic number" in result.stderr
