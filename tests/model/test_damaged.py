"""Models that were cut off or changed: what can be read is shown, after one line that says where it ends."""

import json
import shutil

import pytest
from google.protobuf.message import DecodeError

from conftest import DATA
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
    if found[-1:] == [f"#{len(found) - 1}"]:
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


def test_missing_files_are_named(cpb, tmp_path):
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


@pytest.mark.parametrize("name", ["cases/attrs.onnx", "cpb/graph_graph-def-and-function/orig.pb"])
def test_a_wrong_byte_in_any_message_is_said(cpb, tmp_path, name):
    """If protobuf's own parser refuses what comes of it, each question says damage, and so does diff."""
    if name.endswith(".onnx"):
        parse, kind = pytest.importorskip("onnx").ModelProto.FromString, "onnx.ModelProto"
    else:
        from tensorflow.core.framework.graph_pb2 import GraphDef
        parse, kind = GraphDef.FromString, "tensorflow.GraphDef"
    whole, path, refused = (DATA / name).read_bytes(), tmp_path / "m.pb", 0
    for at in range(0, len(whole), 3):
        path.write_bytes(whole[:at] + b"\x7f" + whole[at + 1:])
        try:
            parse(path.read_bytes())
        except DecodeError:
            refused += 1
            result = cpb.run("inspect", path, "nodes", "--json", "--type", kind)
            assert result.returncode == 2 and b": byte " in result.stderr or damage_of(json.loads(result.stdout)), at
            assert cpb.run("diff", "--type", kind, path, DATA / name).returncode == 2, at
    assert refused > len(whole) / 12


# --- Chunks ------------------------------------------------------------------------------------


LISTS = {"nodes": "nodes", "functions": "functions", "constants": "constants", "ops": "ops", "objects": "children",
         "scopes": "children", "search": "found", "variables": "variables"}
NAMES = ("function", "node", "name", "path", "op", "is")  # of an element of a list
# Said of what a node, function or object is by itself, and so true of it whatever else is missing.
FACTS = ("op", "inputs", "dtype", "shape", "elements", "bytes", "size", "preview", "kind", "outputs", "stateful")
COUNTS = ("count", "in_graph", "in_functions", "nodes", "called_by", "calls")
NUMBERED = ("objects", "variables")


def facts(question, answer):
    """What is said of each element of the list that the question is about, by its names."""
    counted = question in ("scopes", "ops")  # their sizes are sums
    found = {}
    for item in answer[LISTS[question]]["items"]:
        said = {key: item[key] for key in FACTS if key in item and not (counted and key in ("size", "inputs"))}
        is_sure = question not in (*NUMBERED, "scopes")  # a constant whose taker is lost counts as a node there
        counts = {key: item[key] for key in COUNTS if isinstance(item.get(key), int) and is_sure}
        found[tuple(str(item.get(key)) for key in NAMES)] = said, counts
    return found


def check_facts(question, left, whole):
    """All that is said was said of the whole model, too, and nothing is counted that was not."""
    for name, (said, counts) in left.items():
        assert name in whole
        assert said.items() <= whole[name][0].items(), name
        assert all(count <= whole[name][1][key] for key, count in counts.items()), name


class Chunked:
    """A model in chunks, and what is answered of it."""

    def __init__(self, cpb, path, source, *split):
        self.cpb, self.path = cpb, path
        cpb.ok("split", source, "-o", path, "-q", *split)
        self.content = path.read_bytes()
        self.chunks = json.loads(cpb.ok("info", path, "--json"))["chunks"]
        self.answers = {question: self.ask(question)[1] for question in LISTS}

    def ask(self, question):
        name = ["a"] if question == "search" else []
        return asked(self.cpb, self.path, question, *name, "--count", "100000")

    def damage(self, number):
        """Changes a byte of the chunk, where it is stored."""
        chunk = self.chunks[number]
        content = bytearray(self.content)
        content[chunk["position"] + 40 + (chunk["stored_size"] - 40) // 2] ^= 0x40
        self.path.write_bytes(content)
        return chunk["position"]


SPLITS = {"whole constants": ("mobilenet", "1M"), "slices of a graph with constants": ("mobilenet", "300K"),
          "a function among functions": ("keras", "1M"), "slices of the functions": ("functions", "1M"),
          "everything in slices": ("keras_functional", "20K")}


@pytest.fixture(scope="module", params=SPLITS)
def chunked(cpb, tmp_path_factory, request):
    name, size = SPLITS[request.param]
    path = tmp_path_factory.mktemp("chunked") / "saved_model.cpb"
    return Chunked(cpb, path, models.model(name) / "saved_model.pb", "--max-chunk-size", size)


def in_all_and_some(chunks):
    """All that have messages, and of those with values, which are alike, the first ones."""
    messages = [i for i, chunk in enumerate(chunks) if chunk["type"] == "MESSAGE"]
    return messages + [i for i in range(len(chunks)) if i not in messages][:3]


def test_a_model_with_a_damaged_chunk_shows_its_rest(chunked):
    for number in in_all_and_some(chunked.chunks):
        position = chunked.damage(number)
        met = 0
        for question, whole in chunked.answers.items():
            result, left = chunked.ask(question)
            damages = damage_of(left)
            check_facts(question, facts(question, left), facts(question, whole))
            assert result.returncode == (1 if damages else 0)
            if damages:
                met += 1
                text = damages[0]["text"]
                assert left["problems"][0] == damages[0] and "missing" in text, text
                assert f"chunk {number}: " in text and f"at byte {position} of the file" in text
                assert text.encode() in result.stderr.splitlines()[0]
            else:
                assert left == whole
        assert met >= 5 if chunked.chunks[number]["type"] == "MESSAGE" else met == 0


def test_a_chunk_that_is_whole_is_shown_although_others_are_not(chunked):
    """What each chunk has is there, unless that chunk is damaged or one that it goes into."""
    names = {question: set(facts(question, whole)) for question, whole in chunked.answers.items()
             if question in ("nodes", "functions")}
    seen = {question: set() for question in names}
    for number in in_all_and_some(chunked.chunks):
        chunked.damage(number)
        for question in names:
            seen[question] |= set(facts(question, chunked.ask(question)[1]))
    assert seen == names


@pytest.mark.parametrize("command, rest", [("merge", []), ("repack", []), ("cut", ["root"])])
def test_nothing_is_written_from_a_damaged_model(cpb, chunked, tmp_path, command, rest):
    for number in range(min(3, len(chunked.chunks))):
        chunked.damage(number)
        result = cpb.run(command, chunked.path, *rest, "-o", tmp_path / "out.pb")
        without_objects = b"has no object graph" in result.stderr  # so that it could not be cut anyway
        assert result.returncode == 2 or without_objects, result.stderr
        assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("question", [[], ["nodes"], ["overview"]])
def test_an_error_without_the_index_says_what_to_do(cpb, chunked, question):
    index = json.loads(cpb.ok("info", write(chunked, chunked.content), "--json"))["metadata"]["position"]
    changed = bytearray(chunked.content)
    changed[index + 45] ^= 1
    for content in (chunked.content[:-10], chunked.content[:len(chunked.content) // 2], changed):
        result = cpb.run("inspect", write(chunked, content), *question)
        assert result.returncode == 2 and not result.stdout
        assert b"the index of the chunks cannot be read. cpb recover copies" in result.stderr, result.stderr


def write(chunked, content):
    chunked.path.write_bytes(content)
    return chunked.path


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
