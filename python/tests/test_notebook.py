"""What the widget of libcpb.show() is told about a model, and what it may read. web/test/recipes/notebook.test.js shows one
in JupyterLab."""

import builtins
import io
import json
import os

import pytest

import libcpb
from conftest import DATA
from libcpb import _notebook
from libcpb._notebook import Shown

MODEL = DATA / "cpb/real_frozen_conv/orig.pb"


@pytest.fixture
def folder(tmp_path):
    for name in "model/saved_model.pb", "model/variables/variables.index", "model/.hidden/secret", "other.onnx":
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(name.encode())
    return tmp_path


def paths(shown):
    return [one["path"] for one in shown.about["files"]]


def test_a_folder_is_listed_without_what_is_hidden_or_outside(folder):
    shown = Shown(folder / "model")
    assert shown.about["model"] is None
    assert paths(shown) == ["model/saved_model.pb", "model/variables/variables.index"]
    assert shown.read(0, 6, 11) == b"saved"


def test_a_file_is_listed_with_what_is_near(folder, monkeypatch):
    monkeypatch.chdir(folder)
    shown = Shown("other.onnx")
    assert paths(shown)[shown.about["model"]] == "other.onnx"
    assert "model/saved_model.pb" in paths(shown)
    monkeypatch.setattr(_notebook, "_MOST_FILES", 1)
    shown = Shown("model/variables/variables.index")
    assert paths(shown)[shown.about["model"]] == "variables.index"


def test_links_lead_to_the_models_own_files_only(folder):
    """As in docs/security.md: an archive with a link cannot make the page read other files."""
    (folder / "model/outside").symlink_to(folder / "other.onnx")
    (folder / "model/inside").symlink_to("saved_model.pb")
    assert paths(Shown(folder / "model")) == ["model/inside", "model/saved_model.pb", "model/variables/variables.index"]
    blobs, snapshot = folder / "cache/blobs", folder / "cache/snapshots/1"
    blobs.mkdir(parents=True), snapshot.mkdir(parents=True)
    (blobs / "a1").write_bytes(b"model")
    (snapshot / "m.onnx").symlink_to("../../blobs/a1")
    (snapshot / "secret").symlink_to(folder / "other.onnx")
    assert paths(Shown(snapshot)) == ["1/m.onnx"]
    (folder / "linked").mkdir()
    for name, target in ("m.onnx", blobs / "a1"), ("secret", folder / "other.onnx"):
        (folder / "linked" / name).symlink_to(target)
    assert paths(Shown(folder / "linked/m.onnx")) == ["m.onnx"]


@pytest.mark.parametrize("wrap", [bytes, io.BytesIO, memoryview])
def test_a_model_in_memory_is_one_file(wrap):
    shown = Shown(wrap(MODEL.read_bytes()))
    assert paths(shown) == ["model"] and shown.about["files"][0]["size"] == MODEL.stat().st_size
    assert shown.read(0, 10, 20) == MODEL.read_bytes()[10:20]


def test_a_url_is_left_to_the_page():
    assert json.loads(json.dumps(Shown("https://host/model/").about)) == {"url": "https://host/model/"}


def test_requests_are_answered_or_refused(folder, monkeypatch):
    shown = Shown(folder / "model")
    ask = {"view": "v", "id": 7, "file": 0, "begin": 0, "end": 5}
    assert shown.answer(ask) == ({"view": "v", "id": 7}, [b"model"])
    monkeypatch.setattr(_notebook, "_MOST_BYTES", 2)
    assert shown.answer(ask)[1] == [b"mo"]
    for wrong in {"file": 9}, {"begin": -1}, {"file": "../other.onnx"}:
        told, nothing = shown.answer({**ask, **wrong})
        assert told["error"] and nothing == []
    os.remove(folder / "model/saved_model.pb")
    assert "No such file" in shown.answer(ask)[0]["error"]


def test_models_that_cannot_be_shown(folder, monkeypatch):
    with pytest.raises(FileNotFoundError, match="none.pb"):
        Shown(folder / "none.pb")
    with libcpb.open_model(MODEL.read_bytes()) as model, pytest.raises(libcpb.CpbError, match="opened from memory"):
        libcpb.show(model)
    monkeypatch.setattr(_notebook, "_HERE", str(folder))
    with pytest.raises(libcpb.CpbError, match="no page of the inspector(.|\n)*build.js"):
        libcpb.show(MODEL)
    (folder / "inspector.html").write_bytes(b"<!doctype html>")
    assert Shown(MODEL).answer({"view": "v", "id": 0})[1] == [b"<!doctype html>"]


def test_the_error_without_anywidget_says_what_to_install(tmp_path, monkeypatch):
    (tmp_path / "inspector.html").write_bytes(b"")
    monkeypatch.setattr(_notebook, "_HERE", str(tmp_path))
    find = builtins.__import__

    def missing(name, *args, **how):
        if name == "anywidget":
            raise ImportError(name)
        return find(name, *args, **how)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(ImportError, match=r"anywidget, which libcpb\[notebook\] brings"):
        libcpb.show(MODEL)
