"""TensorFlow's Merger reads what `cpb split` writes, to the same message."""

import itertools

import pytest

from conftest import DATA, manifest
from support.messages import schema
from support.models import LARGE, model
from support.random_messages import random_case
from support.sweep import one_in

CASES = [c for c in manifest("cpb.manifest.json")]
SCHEMAS = DATA / "schema"


def fds(type_name):
    name = "proto_splitter.fds" if "proto_splitter" in type_name else "tensorflow.fds"
    return SCHEMAS / name


WAYS = [[*transpose, "--codec", codec] for transpose in ([], ["--transpose"])
        for codec in ("none", "zstd", "brotli", "snappy")]


@pytest.mark.parametrize("layout", ["remote", "compat"])
@pytest.mark.parametrize("case", CASES, ids=lambda c: c["case"])
def test_corpus_message(cpb, tf_merger, case, layout, tmp_path):
    type_name, original = case["message_type"], DATA / case["orig"]["file"]
    total = original.stat().st_size
    sizes = itertools.cycle([10, 50, 200, 1000, total // 10 + 1, total // 2 + 10])
    for way, size in one_in(4, zip([[], *WAYS], sizes), CASES.index(case) + (layout == "compat")):
        cpb.ok("split", original, "-o", tmp_path / "x.cpb", "--force", "--type", type_name, "--schema",
               fds(type_name), "--max-chunk-size", size, "--layout", layout, *way)
        merged, error = tf_merger(fds(type_name), type_name, tmp_path / "x.cpb", tmp_path / "tf.pb")
        assert merged is not None, f"max {size}, {way}: {error}"
        parse = schema(type_name).parse
        assert parse(merged) == parse(original.read_bytes()), f"max {size}, {way}"


@pytest.mark.parametrize("layout", ["remote", "compat"])
@pytest.mark.parametrize("name", ["keras", "functions", LARGE])
def test_real_model(cpb, tf_merger, name, layout, tmp_path):
    original = model(name) / "saved_model.pb"
    codec = ["--codec", "zstd"] if name == LARGE else ["--transpose"]
    for size in (["20K", "1M"] if name != LARGE else ["1M"]):
        cpb.ok("split", original, "-o", tmp_path / "x.cpb", "--force", "--max-chunk-size", size, "--layout", layout,
               *codec)
        merged, error = tf_merger(fds("tensorflow."), "tensorflow.SavedModel", tmp_path / "x.cpb", tmp_path / "tf.pb")
        assert merged is not None, error
        parsed, _ = tf_merger(fds("tensorflow."), "tensorflow.SavedModel", original, tmp_path / "tf2.pb")
        assert merged == parsed


@pytest.mark.parametrize("block", range(4))
def test_random_messages(cpb, tf_merger, block, tmp_path):
    for seed in range(block * 10, block * 10 + 10):
        fds_bytes, type_name, message, data, rng = random_case(seed)
        (tmp_path / "s.fds").write_bytes(fds_bytes)
        (tmp_path / "in.pb").write_bytes(data)
        cpb.ok("split", tmp_path / "in.pb", "-o", tmp_path / "x.cpb", "--force", "--type", type_name, "--schema",
               tmp_path / "s.fds", "--max-chunk-size", rng.choice([20, 100, 500]), "--layout",
               rng.choice(["remote", "compat"]))
        merged, error = tf_merger(tmp_path / "s.fds", type_name, tmp_path / "x.cpb", tmp_path / "tf.pb")
        assert merged is not None, f"seed {seed}: {error}"
        assert type(message).FromString(merged) == message, f"seed {seed}"


@pytest.mark.parametrize("slices", [False, True])
def test_several_files_are_an_error_and_never_another_message(cpb, tf_merger, slices, tmp_path):
    """TensorFlow ignores join_version, but no record is where it looks for the chunk: a field or a slice of the
    message, or its beginning."""
    from support.several_files import move_out, number
    from support.wire import field

    records = [number(1, 1) + field(2, b""), field(1, field(1, b"hello")), field(1, field(1, b"world"))]
    if slices:
        records[1:] = [number(1, 7), number(1, 8)]
    tag = b"" if slices else field(1, number(1, 2)) + field(1, number(3, 0))
    message = number(1, 0) + b"".join(field(2, tag + field(3, number(1, i))) for i in (1, 2))
    for here in range(4):
        main, parts = move_out(records, [1] * 3, message, ["part1", "part2"], here)
        for name, data in parts.items():
            (tmp_path / name).write_bytes(data)
        (tmp_path / "x.cpb").write_bytes(main)
        merged, error = tf_merger(fds("tensorflow."), "tensorflow.SavedModel", tmp_path / "x.cpb", tmp_path / "tf.pb")
        ours = cpb.ok("merge", tmp_path / "x.cpb", "-o", "-")
        assert b"\x08\x08" in ours if slices else b"world" in ours
        assert (merged is not None) == (here == 3), f"{here} chunks are here"
        if here < 3:
            assert "could not be found at position: 4611686018427387904" in error


def test_a_split_into_files_is_an_error(cpb, tf_merger, tmp_path):
    for layout in ("remote", "compat"):
        cpb.ok("split", model("functions") / "saved_model.pb", "-o", tmp_path / "x.cpb", "--max-chunk-size", "20K",
               "--files", 3, "--layout", layout, "--force")
        merged, error = tf_merger(fds("tensorflow."), "tensorflow.SavedModel", tmp_path / "x.cpb", tmp_path / "tf.pb")
        assert merged is None and "could not be found at position: 4611686018427387904" in error


def test_a_split_against_a_base_is_an_error(cpb, tf_merger, tmp_path):
    """What was tuned refers to the base; that itself, and what was repacked, is read."""
    from support.tuned import graph

    for layout in ("remote", "compat"):
        how = ["--type", "tensorflow.GraphDef", "--layout", layout, "--max-chunk-size", "4K", "--force"]
        for name, tuned in (("base", None), ("tuned", {1: 9})):
            (tmp_path / f"{name}.pb").write_bytes(graph(4, 5000, tuned))
        cpb.ok("split", tmp_path / "base.pb", "-o", tmp_path / "base.cpb", *how)
        cpb.ok("split", tmp_path / "tuned.pb", "--base", tmp_path / "base.cpb", "-o", tmp_path / "tuned.cpb", *how)
        cpb.ok("repack", tmp_path / "tuned.cpb", "-o", tmp_path / "alone.cpb", "--force")
        merge = [tf_merger(fds("tensorflow."), "tensorflow.GraphDef", tmp_path / f"{name}.cpb", tmp_path / "tf.pb")
                 for name in ("tuned", "base", "alone")]
        assert merge[0][0] is None
        assert "could not be found at position: 4611686018427387904" in merge[0][1]
        assert merge[1][0] is not None and merge[2][0] is not None


def test_a_merged_model_loads_and_computes_the_same(cpb, tmp_path):
    """The way for a user: merge beside variables/, then load."""
    import shutil

    import numpy as np
    import tensorflow as tf

    original = model("functions")
    shutil.copytree(original, tmp_path / "model")
    cpb.ok("split", original / "saved_model.pb", "-o", tmp_path / "saved_model.cpb", "--max-chunk-size", "50K")
    (tmp_path / "model" / "saved_model.pb").unlink()
    cpb.ok("merge", tmp_path / "saved_model.cpb", "-o", tmp_path / "model" / "saved_model.pb")
    x = tf.constant([0.5, 1.5])
    before, after = tf.saved_model.load(str(original)), tf.saved_model.load(str(tmp_path / "model"))
    assert np.array_equal(after.f7(x).numpy(), before.f7(x).numpy())


def test_no_message_comes_from_an_index_in_pages(cpb, tf_merger, tmp_path):
    """The merger looks at no version, but finds no chunk."""
    for case in one_in(4, CASES):
        type_name, original = case["message_type"], DATA / case["orig"]["file"]
        for layout in ("remote", "compat"):
            cpb.ok("split", original, "-o", tmp_path / "x.cpb", "--force", "--type", type_name, "--schema",
                   fds(type_name), "--max-chunk-size", 200, "--layout", layout, "--index-pages")
            merged, error = tf_merger(fds(type_name), type_name, tmp_path / "x.cpb", tmp_path / "tf.pb")
            assert merged is None and "Chunk could not be found at position: 4611686018427387904" in error
