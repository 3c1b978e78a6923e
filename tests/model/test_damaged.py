"""Models that were cut off or changed: what can be read is shown, after one line that says where it ends."""

import json
import shutil

import pytest

from support import keras_models, models, saved_models
from support.big_graph import saved_model
from support.wire import varint

WHOLE = saved_model(nodes=200, functions=2, constant_bytes=4000)
SHARES = [0.0005, 0.02, 0.15, 0.3, 0.5, 0.7, 0.8, 0.9, 0.99, 0.999]


def asked(cpb, path, *question):
    result = cpb.run("inspect", path, *question, "--json")
    return result, json.loads(result.stdout)


def damage_of(answer):
    return [problem for problem in answer["problems"] if problem.get("damage")]


@pytest.fixture(scope="module")
def names(cpb, tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "saved_model.pb"
    path.write_bytes(WHOLE)
    result, answer = asked(cpb, path, "nodes", "--count", "1000")
    assert result.returncode == 0 and not result.stderr
    return [node["name"] for node in answer["nodes"]["items"]]


@pytest.mark.parametrize("share", [0.15, 0.3, 0.5, 0.8, 0.999])
def test_nodes_before_the_end_are_shown(cpb, tmp_path, names, share):
    path = tmp_path / "saved_model.pb"
    path.write_bytes(WHOLE[:int(len(WHOLE) * share)])
    result, answer = asked(cpb, path, "nodes", "--count", "1000")
    found = [node["name"] for node in answer["nodes"]["items"]]
    assert result.returncode == 1
    assert b"damaged" in result.stderr.splitlines()[0]
    assert any(problem.get("damage") for problem in answer["problems"])
    # Each node whose name is there is shown; of the one that is cut off perhaps not even the name.
    if found[-1:] == [""]:
        found.pop()
    there = [name for name in names if WHOLE.find(name.encode()) + len(name) <= int(len(WHOLE) * share)]
    assert found == names[:len(found)] and len(found) >= min(len(there) - 1, len(names))


# --- One line ----------------------------------------------------------------------------------


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("question", [[], ["nodes"], ["functions"], ["objects"], ["constants"], ["ops"], ["search", "a"]])
def test_one_line_says_where_a_model_ends_and_what_is_missing(cpb, tmp_path, share, question):
    whole = (saved_models.model("rich") / "saved_model.pb").read_bytes()
    size = int(len(whole) * share)
    path = tmp_path / "saved_model.pb"
    path.write_bytes(whole[:size])
    result, answer = asked(cpb, path, *question)
    assert result.returncode == 1
    first, = damage_of(answer)
    assert answer["problems"][0] == first and first["offset"] == size
    assert f"{len(whole) - size} bytes too early" in first["text"] and "missing" in first["text"]
    assert f"Byte {size}: {first['text']}".encode() in result.stderr.splitlines()[0]
    assert not any("node_id" in problem["text"] for problem in answer["problems"])


def test_what_is_missing_is_named(cpb, tmp_path):
    """Cut within each field of the meta graph, which TensorFlow writes in the order of their numbers."""
    from tensorflow.core.protobuf import saved_model_pb2
    saved = saved_model_pb2.SavedModel.FromString((saved_models.model("rich") / "saved_model.pb").read_bytes())
    whole = saved.SerializeToString(deterministic=True)
    graph, objects = (part.SerializeToString(deterministic=True)
                      for part in (saved.meta_graphs[0].graph_def, saved.meta_graphs[0].object_graph_def))
    graph_at, objects_at = whole.index(graph), len(whole) - len(objects)
    said = {}
    for place, offset in {"graph": graph_at + 100, "signatures": objects_at - 300, "objects": objects_at + 100}.items():
        path = tmp_path / "saved_model.pb"
        path.write_bytes(whole[:offset])
        said[place] = asked(cpb, path)[1]["problems"][0]["text"].split(": ")[1]
    assert said == {"graph": "the rest of the graph, the signatures and the objects are missing",
                    "signatures": "further signatures and the objects are missing",
                    "objects": "the rest of the objects is missing"}


@pytest.mark.parametrize("share", SHARES)
def test_a_graph_that_was_cut_off(cpb, tmp_path, share):
    whole = (models.model("mobilenet") / "graph.pb").read_bytes()
    size = int(len(whole) * share)
    path = tmp_path / "graph.pb"
    path.write_bytes(whole[:size])
    result, answer = asked(cpb, path, "nodes", "--type", "tensorflow.GraphDef")
    first, = damage_of(answer)
    assert result.returncode == 1 and first["offset"] == size and "functions, are missing" in first["text"]


def test_a_byte_that_is_wrong_within_the_graph_says_where(cpb, tmp_path):
    """A field number 0, where a node begins: the nodes before it are shown, and the objects after it."""
    from tensorflow.core.protobuf import saved_model_pb2
    saved = saved_model_pb2.SavedModel.FromString((saved_models.model("rich") / "saved_model.pb").read_bytes())
    whole = bytearray(saved.SerializeToString(deterministic=True))
    node = saved.meta_graphs[0].graph_def.node[5].SerializeToString(deterministic=True)
    at = whole.index(node) - 1 - len(varint(len(node)))
    assert whole[at] == 0x0a
    whole[at] = 0
    path = tmp_path / "saved_model.pb"
    path.write_bytes(whole)
    result, answer = asked(cpb, path, "nodes")
    first, = damage_of(answer)
    assert result.returncode == 1 and first["offset"] == at and answer["nodes"]["total"] == 5
    assert "the rest of the nodes, and the functions, are missing" in first["text"]
    assert asked(cpb, path, "objects")[1]["problems"] == []  # which lie behind it


# --- Files beside a model ------------------------------------------------------------------------


@pytest.fixture
def keras(tmp_path):
    shutil.copytree(keras_models.model("functional"), tmp_path / "model")
    return tmp_path / "model"


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_damaged_keras_metadata(cpb, keras, share):
    """The layers before the damage are shown, and everything that is not Keras's."""
    file = keras / "keras_metadata.pb"
    total = asked(cpb, keras, "layers")[1]["layers"]["total"]
    file.write_bytes(file.read_bytes()[:int(file.stat().st_size * share)])
    _, answer = asked(cpb, keras)
    assert answer["signatures"]["total"] > 0 and answer["problems"]
    result, answer = asked(cpb, keras, "layers")
    first = answer["problems"][0]  # of what has no whole object, only that it is of no use
    assert (first["damage"] and result.returncode == 1) if share > 0.1 else "no Keras objects" in first["text"]
    assert 0 < answer["layers"]["total"] <= total
    assert asked(cpb, keras, "variables")[1]["variables"]["total"] > 0


def test_a_data_file_that_is_missing_and_an_index_that_is_damaged(cpb, keras):
    data, = (keras / "variables").glob("*.data*")
    data.unlink()
    whole = asked(cpb, keras)[1]
    assert whole["variables"]["stored"]["tensors"] > 0
    assert any("object graph" in problem["text"] for problem in whole["problems"] + asked(cpb, keras, "variables")[1]["problems"])
    index = keras / "variables" / "variables.index"
    content = bytearray(index.read_bytes())
    content[20] ^= 1
    index.write_bytes(content)
    for question in ([], ["variables"]):
        result, answer = asked(cpb, keras, *question)
        assert result.returncode == 2 and b"variables.index" in result.stderr
        assert answer["variables"]["total"] > 0
