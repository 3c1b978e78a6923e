"""MetaGraphDefs alone, as TensorFlow 1 writes them into .meta files: their answers are those of a SavedModel that has
nothing else, and the checkpoint beside one has its variables."""

import functools
import json
import os
import shutil

import numpy as np
import pytest

from support import saved_models


@functools.cache
def folder(tmp):
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tensorflow as tf
    v1 = tf.compat.v1
    with v1.Graph().as_default():
        x = v1.placeholder(tf.float32, [None, 3], name="x")
        with v1.variable_scope("layer"):
            w = v1.get_variable("w", [3, 2], use_resource=True)
            b = v1.get_variable("b", [2], initializer=v1.constant_initializer([0.5, -2.0]), use_resource=False)
        v1.identity(v1.cond(x[0, 0] > 0, lambda: x @ w + b, lambda: x @ w), name="y")
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            v1.train.Saver().save(session, str(tmp / "model"))
            values = dict(zip(("layer/w", "layer/b"), session.run([w, b])))
    return tmp, values


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    return folder(tmp_path_factory.mktemp("meta"))


def of_saved_models():
    return [saved_models.model(name) / "saved_model.pb" for name in ("rich", "v1")]


def meta_graphs(path):
    from tensorflow.core.protobuf import saved_model_pb2
    return saved_model_pb2.SavedModel.FromString(path.read_bytes()).meta_graphs


def saved_model_of(tmp_path, meta):
    """A SavedModel that has it alone."""
    from tensorflow.core.protobuf import saved_model_pb2
    folder = tmp_path / "saved"
    folder.mkdir(exist_ok=True)
    path = folder / "saved_model.pb"
    path.write_bytes(saved_model_pb2.SavedModel(meta_graphs=[meta]).SerializeToString(deterministic=True))
    return path


def ask(cpb, path, *words):
    return json.loads(cpb.ok("inspect", path, *words, "--json", "-n", 10**6))


def without_offsets(value):
    """What lies elsewhere in the file of a SavedModel: its tag and size come first."""
    if isinstance(value, dict):
        return {key: without_offsets(one) for key, one in value.items() if key != "offset"}
    return [without_offsets(one) for one in value] if isinstance(value, list) else value


def compare(cpb, tmp_path, meta):
    alone, whole = tmp_path / "alone.meta", saved_model_of(tmp_path, meta)
    alone.write_bytes(meta.SerializeToString(deterministic=True))
    questions = [["functions"], ["nodes"], ["constants"], ["ops"], ["scopes"], ["objects"], ["layers"], ["variables"],
                 ["search", "e"]]
    questions += [["signature", key] for key in meta.signature_def]
    questions += [["function", one.signature.name] for one in meta.graph_def.library.function]
    for words in questions:
        assert without_offsets(ask(cpb, alone, *words)) == without_offsets(ask(cpb, whole, *words)), words
    ours, theirs = without_offsets(ask(cpb, alone, "overview")), without_offsets(ask(cpb, whole, "overview"))
    assert (ours.pop("kind"), theirs.pop("kind")) == ("meta_graph", "saved_model")
    assert theirs.pop("schema_version") == 0
    assert ours == theirs


def test_answers_are_those_of_a_saved_model(cpb, tmp_path):
    for path in of_saved_models():
        for meta in meta_graphs(path):
            compare(cpb, tmp_path, meta)


def test_places_are_those_of_the_file(cpb, trained, tmp_path):
    path = trained[0] / "model.meta"
    content = path.read_bytes()
    constants = ask(cpb, path, "constants")["constants"]["items"]
    from tensorflow.core.framework import tensor_pb2
    for one in constants:
        where = one["tensor"]
        tensor_pb2.TensorProto.FromString(content[where["offset"]:where["offset"] + where["size"]])
    assert {tuple(one["shape"]) for one in constants} >= {(2,), ()}
    out = tmp_path / "b.npy"
    cpb.ok("extract", path, "layer/b/Initializer/Const", "-o", out)
    assert np.load(out).tolist() == [0.5, -2.0]


def test_the_checkpoint_beside_it(cpb, trained, tmp_path):
    path, values = trained[0] / "model.meta", trained[1]
    variables = {one["name"]: one for one in ask(cpb, path, "variables")["variables"]["items"]}
    assert {name: one["shape"] for name, one in variables.items()} == {"layer/w:0": [3, 2], "layer/b:0": [2]}
    for name, expected in values.items():
        cpb.ok("extract", path, name, "--variable", "-o", tmp_path / "v.npy", "--force")
        assert np.array_equal(np.load(tmp_path / "v.npy"), expected)
    summary = cpb.ok("inspect", "--tsv", path).decode()
    assert "file\tcheckpoint\t32\t2 tensors in 1 data file\n" in summary and "count\tparameters\t8\t" in summary
    alone = tmp_path / "elsewhere.meta"
    alone.write_bytes(path.read_bytes())
    without = {one["name"]: one for one in ask(cpb, alone, "variables")["variables"]["items"]}  # the graph says it, too
    assert {name: (one["dtype"], one["shape"]) for name, one in without.items()} == \
        {name: (one["dtype"], one["shape"]) for name, one in variables.items()}
    assert all(one["stored"] is None for one in without.values())


def test_a_saved_model_of_that_name_has_its_own_checkpoint(cpb, tmp_path):
    """What it is its bytes say, and not its name."""
    folder = saved_models.model("rich")
    shutil.copytree(folder, tmp_path / "model")
    (tmp_path / "model/saved_model.pb").rename(tmp_path / "model/model.meta")
    ours, theirs = (ask(cpb, path, "variables") for path in (tmp_path / "model/model.meta", folder))
    assert theirs["checkpoint"] and ours == theirs


def test_split_merged_and_found(cpb, trained, tmp_path):
    """What type it is its bytes say."""
    path, chunked = trained[0] / "model.meta", tmp_path / "m.cpb"
    cpb.ok("split", path, "-o", chunked, "--max-chunk-size", "512")
    assert "MetaGraphDef" in cpb.ok("inspect", chunked, "--tsv").decode().splitlines()[0]
    assert cpb.ok("merge", chunked, "-o", "-") == path.read_bytes()
    assert json.loads(cpb.ok("cat", path, "--field", "graph_def.node[0].name", "--json")) == "x"
    assert cpb.ok("diff", path, chunked).startswith(b"The models are the same")


def test_unknown_requests(cpb, trained):
    result = cpb.run("inspect", trained[0] / "model.meta", "cut", "root")
    assert result.returncode != 0 and b"the kind MetaGraphDef" in result.stderr


def test_truncated(cpb, trained, tmp_path):
    content = (trained[0] / "model.meta").read_bytes()
    path = tmp_path / "cut.meta"
    kinds = set()
    for size in range(200, len(content), 97):
        path.write_bytes(content[:size])
        result = cpb.run("inspect", path, "overview", "--json")
        answer = json.loads(result.stdout)
        kinds.add(answer["kind"])
        assert result.returncode == (1 if answer["problems"] else 0)
        # Where it ends, or before the tag or the length that it ends in.
        assert all(0 <= size - one["offset"] <= 3 and "missing" in one["text"]
                   for one in answer["problems"] if one.get("damage"))
    assert kinds == {"meta_graph"}
