"""cpb diff of damaged models: what cannot be read is not compared."""

import json
import shutil

import pytest

from support import keras_models, models, onnx_models  # noqa: F401  the module models adds makers of models
from support.diffs import diff, path_of, saved_model
from support.samediff import FOLDER


def of_damaged(cpb, a, b):
    """What is said of models of which one at least is damaged, which is never that they are equal."""
    result = cpb.run("diff", a, b, "--json", "-n", 1000000)
    assert result.returncode == 2 and not result.stderr, result.stderr
    answer = json.loads(result.stdout)
    assert answer["equal"] is not True and answer["damaged"]
    found = [(s["section"], d["change"], d["name"]) for s in answer["sections"] for d in s["differences"]]
    assert (answer["equal"] is None) == (not found)
    return answer, found


@pytest.mark.parametrize("name", ["rich", "v1"])
def test_a_model_that_was_cut_off_does_not_differ_from_what_it_was(cpb, tmp_path, name):
    whole = path_of(name) / "saved_model.pb"
    content = whole.read_bytes()
    path = tmp_path / "cut.pb"
    for part in range(1, 25):
        size = len(content) * part // 25
        path.write_bytes(content[:size])
        for models, side in (((path, whole), "a"), ((whole, path), "b")):
            answer, found = of_damaged(cpb, *models)
            assert found == [] and list(answer["damaged"]) == [side], (part, found)
            assert answer["damaged"][side]["offset"] == size
            assert sum(section.get("unread", 0) for section in answer["sections"]) > 0


def cuts_through(content, part):
    """The sizes of a model that ends within this."""
    begin = content.index(part)
    return range(begin + 1, begin + len(part) + 1)


def test_cuts_through_what_reads_as_if_it_were_whole(cpb, tmp_path):
    """Texts that a tensor lacks count as empty ones, and a type that has no name is told by its number."""
    path = path_of("rich") / "saved_model.pb"
    content = path.read_bytes()
    saved = saved_model(path)
    functions = saved.meta_graphs[0].graph_def.library.function
    node = next(n for f in functions for n in f.node_def if n.op == "Const" and len(n.attr["value"].tensor.string_val) > 1)
    composite = next(n.function for n in saved.meta_graphs[0].object_graph_def.nodes
                     if b"RaggedTensorSpec" in n.function.SerializeToString(deterministic=True))
    texts = cuts_through(content, node.attr["value"].tensor.SerializeToString(deterministic=True))
    types = cuts_through(content, composite.function_spec.input_signature.SerializeToString(deterministic=True))
    cut = tmp_path / "cut.pb"
    for size in (*texts[::9], *types[::3]):
        cut.write_bytes(content[:size])
        assert of_damaged(cpb, cut, path)[1] == [], size


def test_cuts_before_the_name_of_a_child(cpb, tmp_path):
    """It is not known by the name of the variable that it is."""
    path = keras_models.model("nested") / "saved_model.pb"
    content = path.read_bytes()
    objects = saved_model(path).meta_graphs[0].object_graph_def
    at = content.index(objects.SerializeToString(deterministic=True))
    children = [child for n in objects.nodes for child in n.children if 0 < child.node_id < 128]
    cut = tmp_path / "cut.pb"
    for child in children[::12]:
        cut.write_bytes(content[:content.index(child.SerializeToString(deterministic=True), at) + 2])
        assert of_damaged(cpb, cut, path)[1] == [], child


def test_a_model_with_a_damaged_chunk_does_not_differ_from_what_it_was(cpb, tmp_path):
    whole = path_of("rich") / "saved_model.pb"
    path = tmp_path / "saved_model.cpb"
    cpb.ok("split", whole, "-o", path, "-q", "--max-chunk-size", "2K")
    content = path.read_bytes()
    damaged = 0
    for chunk in json.loads(cpb.ok("info", path, "--json"))["chunks"]:
        changed = bytearray(content)
        changed[chunk["position"] + 40 + (chunk["stored_size"] - 40) // 2] ^= 0x40
        path.write_bytes(changed)
        result = cpb.run("diff", whole, path, "--json")
        answer = json.loads(result.stdout)
        damaged += result.returncode == 2
        assert [d for s in answer["sections"] for d in s["differences"]] == [] and answer["equal"] in (None, True)
        assert (result.returncode == 2) == ("b" in answer.get("damaged", {}))
    assert damaged > 3


@pytest.mark.parametrize("name", ["three_tags.zip", "java_zip.zip", "reversed_entries.zip"])
def test_a_zip_that_was_cut_off_does_not_differ_from_what_it_was(cpb, tmp_path, name):
    whole = FOLDER / name
    path = tmp_path / name
    for part in range(6, 20):
        path.write_bytes(whole.read_bytes()[:whole.stat().st_size * part // 20])
        assert of_damaged(cpb, whole, path)[1] == of_damaged(cpb, path, whole)[1] == []


def test_the_rest_of_a_damaged_model_is_compared(cpb, tmp_path):
    from tensorflow.core.protobuf import saved_model_pb2
    whole = saved_model_pb2.SavedModel.FromString((path_of("rich") / "saved_model.pb").read_bytes())
    graph = whole.meta_graphs[0].graph_def
    other = saved_model_pb2.SavedModel.FromString(whole.SerializeToString())
    graph.node[1].device, other.meta_graphs[0].graph_def.node[1].device = "/cpu:0", "/gpu:0"
    new = other.meta_graphs[0].graph_def.node[2]
    new.name = "renamed"
    a, b = tmp_path / "a.pb", tmp_path / "b.pb"
    content = whole.SerializeToString(deterministic=True)
    a.write_bytes(content[:content.index(graph.SerializeToString(deterministic=True)) + graph.ByteSize() // 2])
    b.write_bytes(other.SerializeToString(deterministic=True))
    names = {("nodes", "changed", graph.node[1].name), ("nodes", "removed", graph.node[2].name)}
    answer, found = of_damaged(cpb, a, b)
    assert answer["equal"] is False and names <= set(found)


def test_the_first_lines_say_that_a_model_is_damaged(cpb, tmp_path):
    whole = path_of("rich") / "saved_model.pb"
    path = tmp_path / "cut.pb"
    size = whole.stat().st_size // 2
    path.write_bytes(whole.read_bytes()[:size])
    lines = cpb.run("diff", whole, path, "--width", 1000).stdout.decode().splitlines()
    missing = whole.stat().st_size - size
    assert lines[0].startswith(f"Damaged: {path}: byte {size:,}: the message ends here, {missing:,} bytes too early: ")
    assert lines[1] == "What cannot be read is not compared."
    assert lines[-1].startswith("Whether the models are the same cannot be said; what can be read of both is the same: ")
    assert lines[-1].endswith(" items were not compared")
    result = cpb.run("diff", "--tsv", whole, path)
    assert f"{path}: the model is damaged; what cannot be read is not compared: byte {size}: " in result.stderr.decode()
    assert len(result.stdout.splitlines()) == 1


# What damages the only tensor of an ONNX model: where its values are said to be, and the code of whoever reads them.
ELSEWHERE = [
    ({"location": "short.bin"}, 2), ({"location": "w.bin", "offset": 60}, 2), ({"location": "w.bin", "offset": -4}, 2),
    ({"location": "w.bin", "offset": "x"}, 2), ({"location": "w.bin", "length": 12}, 2), ({"location": "a\nb"}, 2),
    ({"location": ""}, 2), ({"location": "x" * 5000}, 2), ({"location": "w.bin", "offset": 2**63 - 8}, 2),
    ({"location": "none.bin"}, 3), ({"location": "../w.bin"}, 3), ({"location": "folder"}, 3)]


@pytest.mark.parametrize("where, code", ELSEWHERE, ids=[str(case[0])[1:30] for case in ELSEWHERE])
def test_values_that_cannot_be_read_are_neither_the_same_nor_different(cpb, tmp_path, where, code):
    """And the same damage has the same code in whatever reads them: 2 is all that diff has."""
    (tmp_path / "w.bin").write_bytes(bytes(range(64)))
    (tmp_path / "short.bin").write_bytes(bytes(8))
    (tmp_path / "folder").mkdir()
    a = tmp_path / "a.onnx"
    a.write_bytes(onnx_models.elsewhere(**where))
    result = cpb.run("diff", "--tsv", a, a)
    assert result.returncode == 2 and result.stderr.startswith(bytes(a) + b": "), result
    assert b"differ" not in result.stdout and b"models are the same:" not in result.stdout, result.stdout
    for words in ["extract", a, "w0", "-o", "-"], ["convert", a, "-o", "-"], ["convert", a, "-o", tmp_path / "o.cpb"]:
        result = cpb.run(*words)
        assert (result.returncode, result.stdout) == (code, b""), result.stderr
    assert not (tmp_path / "o.cpb").exists()


def test_values_of_one_model_that_cannot_be_read_are_not_different(cpb, tmp_path):
    for name, size in ("short", 7), ("whole", 16):
        (tmp_path / name).mkdir()
        (tmp_path / name / "w.bin").write_bytes(bytes(size))
        (tmp_path / name / "m.onnx").write_bytes(onnx_models.elsewhere("w.bin"))
    paths = [tmp_path / name / "m.onnx" for name in ("short", "whole")]
    for a, b, side in (*paths, "a"), (*paths[::-1], "b"):
        answer, found = of_damaged(cpb, a, b)
        assert found == [] and list(answer["damaged"]) == [side]
        assert "has 7 bytes; expected at least 16" in answer["damaged"][side]["text"]


def test_values_of_which_the_part_that_can_be_read_differs(cpb, tmp_path):
    """They differ, whatever the rest is."""
    for name, content in ("a", bytes(8)), ("b", bytes([9] * 8)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "w.bin").write_bytes(content)
        (tmp_path / name / "m.onnx").write_bytes(onnx_models.elsewhere("w.bin"))
    answer = diff(cpb, tmp_path / "a" / "m.onnx", tmp_path / "b" / "m.onnx", damaged="ab")
    [section] = [s for s in answer["sections"] if s["changed"]]
    [values] = section["differences"][0]["members"]
    assert (values["different"], values["of"], values["unreadable"]) == (2, 2, "both")


def test_parameters_that_cannot_be_read_are_not_the_same(cpb, tmp_path):
    path = FOLDER / "bad_crc_deflated.zip"
    shutil.copy(path, tmp_path / path.name)
    answer, found = of_damaged(cpb, path, tmp_path / path.name)
    assert found == [] and answer["equal"] is None and answer["damaged"].keys() == {"a", "b"}
    assert answer["damaged"]["a"]["text"].startswith('the values of "'), answer["damaged"]
