"""What lies beside a model, or is named by one, is a file: a pipe is not waited for, nor a device or socket read."""

import json
import os
import shutil
import stat
import threading

import pytest

from support.checkpoints import entry, header, table
from support.wire import field, varint

LIMIT = 60  # seconds, after which a command is taken to wait for ever
KERAS_FILES = ["saved_model.pb", "keras_metadata.pb", "fingerprint.pb", "variables/variables.index",
               "variables/variables.data-00000-of-00001"]


def put_pipe(path):
    os.mkfifo(path)
    return "a pipe"


def put_socket(path):
    os.mknod(path, stat.S_IFSOCK | 0o600)  # a path of any length
    return "a socket"


def put_device(path):
    path.symlink_to("/dev/zero")
    return "a device"


each = pytest.mark.parametrize("put", [put_pipe, put_socket], ids=lambda put: put.__name__[4:])


def refused(cpb, words, path, put):
    """With something else in the place of the file, which is named."""
    path.unlink(missing_ok=True)
    what = put(path)
    result = cpb.run(*words, timeout=LIMIT)
    message = result.stderr.decode()
    assert result.returncode > 1 and path.name in message, message
    assert f"it is {what}; expected a file" in message or "it is a pipe or a device; expected a file" in message
    path.unlink()


@pytest.fixture
def model(keras, tmp_path):
    return shutil.copytree(keras, tmp_path / "model")


def check_saved_model(cpb, model, put):
    for name in KERAS_FILES:
        kept = (model / name).read_bytes()
        question = ["variables"] if "variables" in name else []
        refused(cpb, ["inspect", model, *question], model / name, put)
        (model / name).write_bytes(kept)
    cpb.ok("inspect", model)
    (model / "saved_model.pb").unlink()
    refused(cpb, ["inspect", model], model / "saved_model.cpb", put)


@each
def test_saved_model(cpb, model, put):
    check_saved_model(cpb, model, put)


def test_links_to_devices(cpb, model):
    check_saved_model(cpb, model, put_device)


@each
def test_values_of_a_checkpoint(cpb, model, put):
    """A shard that nothing is read from counts as missing."""
    (model / "variables/variables.index").write_bytes(table([[header(shards=2), (b"w", entry())]]))
    shard = model / "variables/variables.data-00001-of-00002"
    put(shard)
    assert b"in 2 data files, which are missing" in cpb.ok("inspect", model, timeout=LIMIT)
    shard.unlink()
    refused(cpb, ["extract", model, "w", "--variable", "-o", model / "w.npy"],
            model / "variables/variables.data-00000-of-00002", put)


@each
def test_meta_graph(cpb, model, put):
    """Its checkpoint has its name."""
    message = (model / "saved_model.pb").read_bytes()
    at = message.index(b"\x12")  # SavedModel.meta_graphs, the length in 3 bytes
    (model / "m.meta").write_bytes(message[at + 4:])
    for end in ("index", "data-00000-of-00001"):
        shutil.copy(model / f"variables/variables.{end}", model / f"m.{end}")
    assert b"\t14 tensors" in cpb.ok("inspect", "--tsv", model / "m.meta")
    for end in ("index", "data-00000-of-00001"):
        kept = (model / f"m.{end}").read_bytes()
        refused(cpb, ["inspect", model / "m.meta"], model / f"m.{end}", put)
        (model / f"m.{end}").write_bytes(kept)


@each
def test_core_ml_package(cpb, tmp_path, put):
    package = tmp_path / "m.mlpackage"
    item = {"path": "com.apple.CoreML/model.mlmodel"}
    (package / "Data/com.apple.CoreML").mkdir(parents=True)
    manifest = package / "Manifest.json"
    manifest.write_text(json.dumps({"rootModelIdentifier": "a", "itemInfoEntries": {"a": item}}))
    refused(cpb, ["inspect", package], package / "Data/com.apple.CoreML/model.mlmodel", put)
    manifest.unlink()
    put(manifest)
    result = cpb.run("inspect", package, timeout=LIMIT)  # as if it were missing
    assert result.returncode == 3 and b"a directory without saved_model.pb" in result.stderr


@each
def test_endings(cpb, graph, tmp_path, put):
    """NAME stands for NAME.cpb or NAME.pb."""
    for end in ("cpb", "pb"):
        refused(cpb, ["cat", tmp_path / "other", "--field", "node[0]"], tmp_path / f"other.{end}", put)


@each
@pytest.mark.parametrize("options", [[], ["--allow-references"]], ids=["within", "anywhere"])
def test_onnx_values(cpb, tmp_path, put, options):
    entry = field(13, field(1, b"location") + field(2, b"w.bin"))
    tensor = varint(1 << 3) + varint(4) + varint(2 << 3) + varint(1) + field(8, b"w") + entry + varint(14 << 3) + varint(1)
    (tmp_path / "m.onnx").write_bytes(varint(1 << 3) + varint(8) + field(7, field(5, tensor)))
    words = ["extract", tmp_path / "m.onnx", "w", "-o", tmp_path / "w.npy", *options, "--force"]
    (tmp_path / "w.bin").write_bytes(bytes(16))
    cpb.ok(*words)
    refused(cpb, words, tmp_path / "w.bin", put)


def test_a_pipe_may_be_given_as_a_file(cpb, riegeli, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(open(riegeli, "rb").read(),), daemon=True)
    writer.start()
    assert cpb.ok("records", tmp_path / "pipe", timeout=LIMIT) == cpb.ok("records", riegeli)
