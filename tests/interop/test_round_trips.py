"""Splitting and merging gives the same bytes: real models, and random messages
of random schemas through the generic splitter."""

import hashlib

import pytest

from support.models import LARGE, model
from support.random_messages import random_case

MODELS = {
    "keras": ("keras/saved_model.pb", []),
    "functions": ("functions/saved_model.pb", []),
    "weights": (f"{LARGE}/saved_model.pb", []),
    "weights-graph": (f"{LARGE}/graph.pb", ["--type", "tensorflow.GraphDef"]),
    "onnx": ("onnx/model.pb", ["--type", "onnx.ModelProto", "--schema", "onnx/onnx.fds"]),
    "descriptors": ("descriptors/set.pb",
                    ["--type", "google.protobuf.FileDescriptorSet", "--schema", "descriptors/descriptor.fds"]),
}


def sha(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def paths(name):
    relative, options = MODELS[name]
    folder = model(relative.split("/")[0]).parent
    return folder / relative, [folder / o if o.endswith(".fds") else o for o in options]


@pytest.mark.parametrize("size", ["default", "20K", "300K"])
@pytest.mark.parametrize("layout", ["remote", "compat"])
@pytest.mark.parametrize("name", MODELS)
def test_model(cpb, name, layout, size, tmp_path):
    original, options = paths(name)
    if size != "default":
        options = options + ["--max-chunk-size", size]
    # Brotli is not the subject here and slow on 180 MB of noise.
    codec = ["--codec", "zstd"] if original.stat().st_size > 10 << 20 else []
    cpb.ok("split", original, "-o", tmp_path / "m.cpb", "--layout", layout, *options, *codec)
    cpb.ok("merge", tmp_path / "m.cpb", "-o", tmp_path / "m.pb")
    assert sha(tmp_path / "m.pb") == sha(original)
    cpb.ok("verify", tmp_path / "m.cpb")


@pytest.mark.parametrize("name", ["keras", "functions", "onnx"])
def test_repack_there_and_back(cpb, name, tmp_path):
    original, options = paths(name)
    cpb.ok("split", original, "-o", tmp_path / "a.cpb", "--max-chunk-size", "50K", *options)
    cpb.ok("repack", tmp_path / "a.cpb", "-o", tmp_path / "b.cpb", "--layout", "compat", "--codec", "zstd")
    cpb.ok("repack", tmp_path / "b.cpb", "-o", tmp_path / "c.cpb", "--layout", "remote")
    for file in "abc":
        cpb.ok("merge", tmp_path / f"{file}.cpb", "-o", tmp_path / f"{file}.pb")
        assert sha(tmp_path / f"{file}.pb") == sha(original)


@pytest.mark.parametrize("block", range(20))
def test_random_messages(cpb, block, tmp_path):
    """Fifty seeds a test: 1,000 random messages of random schemas."""
    for seed in range(block * 50, block * 50 + 50):
        schema, type_name, message, data, rng = random_case(seed)
        (tmp_path / "s.fds").write_bytes(schema)
        (tmp_path / "in.pb").write_bytes(data)
        size = rng.choice([20, 64, 100, 500, 4000])
        layout = rng.choice(["remote", "compat"])
        cpb.ok("split", tmp_path / "in.pb", "-o", tmp_path / "x.cpb", "--force", "--type", type_name,
               "--schema", tmp_path / "s.fds", "--max-chunk-size", size, "--layout", layout)
        cpb.ok("merge", tmp_path / "x.cpb", "-o", tmp_path / "out.pb", "--force")
        assert (tmp_path / "out.pb").read_bytes() == data, f"seed {seed}"
