"""Which model a folder stands for, and what is said where it is not clear."""

import os
import shutil

import pytest

from conftest import DATA

CASES = DATA / "cases"
SAVED_MODEL = DATA / "cpb" / "real_tf_module" / "orig.pb"


@pytest.fixture
def right(cpb, tmp_path):
    """What is answered about SAVED_MODEL."""
    (tmp_path / "right").mkdir()
    shutil.copy(SAVED_MODEL, tmp_path / "right" / "saved_model.pb")
    return cpb.ok("inspect", tmp_path / "right", "--json")


@pytest.fixture
def served(tmp_path):
    """As TensorFlow Serving has it: what is no number, or has no model, is no version."""
    for name in ("1", "9", "010", "latest", "12"):
        (tmp_path / "m" / name).mkdir(parents=True)
    for name in ("1", "9", "latest"):
        (tmp_path / "m" / name / "saved_model.pb").write_bytes(b"\x08\x01")
    shutil.copy(SAVED_MODEL, tmp_path / "m" / "010" / "saved_model.pb")
    return tmp_path / "m"


def test_the_highest_version(cpb, served, right):
    result = cpb.run("inspect", served, "--json")
    assert result.stdout == right
    assert result.stderr.decode() == f"{served}/010/saved_model.pb: the highest of 3 versions in {served}\n"
    cpb.ok("split", served / "010" / "saved_model.pb", "-o", served / "010" / "saved_model.cpb")
    assert cpb.ok("merge", served, "-o", "-") == SAVED_MODEL.read_bytes()


def test_a_loader_takes_the_plain_one(cpb, tmp_path, right):
    """A .cpb may be of another time, so that both are named with theirs."""
    chunked = tmp_path / "saved_model.cpb"
    cpb.ok("split", CASES / "inline.onnx", "-o", chunked)
    os.utime(chunked, (1000000000, 1000000000))
    shutil.copy(SAVED_MODEL, tmp_path / "saved_model.pb")
    os.utime(tmp_path / "saved_model.pb", (2000000000, 2000000000))
    told = (f"{chunked}: not taken (of 2001-09-09 01:46:40 UTC): TensorFlow's loaders take the saved_model.pb beside it "
            "(of 2033-05-18 03:33:20 UTC)\n")
    result = cpb.run("inspect", tmp_path, "--json")
    assert (result.stdout, result.stderr.decode()) == (right, told)
    result = cpb.run("merge", tmp_path, "-o", "-")  # which is for chunks
    assert (result.stdout, result.stderr) == ((CASES / "inline.onnx").read_bytes(), b"")
    assert cpb.run("inspect", tmp_path, "--json", "--quiet").stderr == b""
    assert cpb.run("inspect", tmp_path / "saved_model.pb", "--json").stderr == b""


def test_the_only_version_goes_without_saying(cpb, served, right):
    for name in ("1", "9"):
        (served / name / "saved_model.pb").unlink()
    result = cpb.run("inspect", served, "--json")
    assert result.stdout == right and result.stderr == b""


def test_a_model_in_the_folder_comes_first(cpb, served, right):
    shutil.copy(SAVED_MODEL, served / "saved_model.pb")
    (served / "010" / "saved_model.pb").write_bytes(b"\x08\x01")
    result = cpb.run("inspect", served, "--json")
    assert result.stdout == right and result.stderr == b""


def test_a_version_in_onnx(cpb, tmp_path):
    (tmp_path / "m" / "1").mkdir(parents=True)
    shutil.copy(CASES / "inline.onnx", tmp_path / "m" / "1" / "model.onnx")
    assert cpb.ok("inspect", tmp_path / "m", "--json") == cpb.ok("inspect", CASES / "inline.onnx", "--json")


@pytest.mark.parametrize("model", ["inline.onnx", "multi.mlpackage", "m.ckpt.meta"])
def test_the_only_model(cpb, tmp_path, model):
    copy = shutil.copytree if (CASES / model).is_dir() else shutil.copy
    copy(CASES / model, tmp_path / model)
    if model == "m.ckpt.meta":
        for beside in ("m.ckpt.index", "m.ckpt.data-00000-of-00001"):
            shutil.copy(CASES / beside, tmp_path)
    for other in ("README.md", "w.data", "keras_metadata.pb", "fingerprint.pb", "m.00001-of-00002.cpb", ".hidden.onnx"):
        (tmp_path / other).write_bytes(b"x")
    (tmp_path / "folder.onnx").mkdir()
    assert cpb.ok("inspect", tmp_path, "--json") == cpb.ok("inspect", CASES / model, "--json")


def test_the_only_folder_of_a_saved_model(cpb, tmp_path, right):
    (tmp_path / "m" / "inner").mkdir(parents=True)
    shutil.copy(SAVED_MODEL, tmp_path / "m" / "inner" / "saved_model.pb")
    assert cpb.ok("inspect", tmp_path / "m", "--json") == right


def test_several_models_are_a_choice(cpb, tmp_path):
    for name in ("g.onnx", "b.onnx", "a\x1b[31m.mlmodel", "e.onnx", "c.onnx", "f.onnx"):
        (tmp_path / name).write_bytes(b"x")
    shutil.copytree(CASES / "multi.mlpackage", tmp_path / "d.mlpackage")
    for words in ["inspect", tmp_path], ["merge", tmp_path, "-o", "-"]:
        result = cpb.run(*words)
        assert result.returncode == 1 and not result.stdout
        assert result.stderr.decode() == (
            f"{tmp_path}: a directory with 7 models; expected the path of one of them: "
            "a\\x1b[31m.mlmodel, b.onnx, c.onnx, d.mlpackage, e.onnx, ...\n")


def test_long_names_are_not_all_listed(cpb, tmp_path):
    for i in range(8):
        (tmp_path / f"{i}{'x' * 200}.onnx").write_bytes(b"x")
    result = cpb.run("inspect", tmp_path)
    assert result.returncode == 1 and b"with 8 models" in result.stderr and result.stderr.endswith(b", ...\n")
    assert len(result.stderr) < 400


def test_nothing_in_it(cpb, tmp_path):
    (tmp_path / "1").mkdir()
    (tmp_path / "x.mlpackage").mkdir()
    result = cpb.run("inspect", tmp_path)
    assert result.returncode == 3 and not result.stdout
    said = result.stderr.decode()
    assert said.startswith(f"{tmp_path}: a directory without saved_model.pb, ") and "1/saved_model.pb" in said


MANIFEST = '{"rootModelIdentifier": "m", "itemInfoEntries": {"m": {"path": "%s"}}}'
LISTED = "its Manifest.json names no model: "


@pytest.mark.parametrize("name, content, says", [
    ("Manifest.json", "", LISTED + "not JSON"),
    ("Manifest.json", '{"itemInfoEntries": {}}', LISTED + "rootModelIdentifier is missing"),
    ("Manifest.json", '{"rootModelIdentifier": "m"}', LISTED + 'itemInfoEntries has no "path" for "m"'),
    ("Manifest.json", MANIFEST % "../x", LISTED + 'path is "../x"; expected that of a file in Data'),
    ("checkpoint", 'model_checkpoint_path: "/gone/m-5"', 'names "m-5", but there is no "m-5.index"'),
    ("variables/variables.index", "", "the variables of a SavedModel, but without saved_model.pb"),
    ("coremldata.bin", "x", 'a directory without a model; "coremldata.bin" in it is a part of a compiled Core ML model'),
    ("m.safetensors", "\x08\0\0\0\0\0\0\0{}      ", '"m.safetensors" in it is a safetensors file; it has weights'),
    ("README.md", "a text", "without saved_model.pb"),
])
def test_what_is_wrong_with_a_folder(cpb, tmp_path, name, content, says):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(content)
    result = cpb.run("inspect", tmp_path)
    assert result.returncode in (2, 3) and says in result.stderr.decode() and result.stderr.count(b"\n") == 1


def test_a_package_without_its_manifest(cpb, tmp_path):
    (tmp_path / "m.mlpackage").mkdir()
    assert b"a package without Manifest.json" in cpb.run("inspect", tmp_path / "m.mlpackage").stderr


def test_a_manifest_after_a_byte_order_mark(cpb, tmp_path):
    shutil.copytree(CASES / "multi.mlpackage", tmp_path / "m.mlpackage")
    manifest = tmp_path / "m.mlpackage" / "Manifest.json"
    manifest.write_bytes(b"\xef\xbb\xbf" + manifest.read_bytes())
    assert cpb.ok("inspect", tmp_path / "m.mlpackage", "overview", "--json")
