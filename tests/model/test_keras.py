"""What `cpb inspect` says of Keras models, compared with tf_keras (truth.json beside
each model, written when it was saved) and with TensorFlow's partial loader."""

import json
import shutil

import pytest

from conftest import DATA
from support import keras_models
from support.keras_models import BUILDERS

KNOWN = ("class", "name", "dtype", "trainable", "parameters", "trainable_parameters")


def inspect(cpb, path, *question):
    answer = json.loads(cpb.ok("inspect", path, *question, "--json", "--count", 10000))
    assert answer["problems"] == []
    return answer


def layers(cpb, path, *question):
    return inspect(cpb, path, "layers", *question)["layers"]["items"]


def truth(folder):
    return json.loads((folder / "truth.json").read_text())


def tree(items):
    """The layers with what is in each as its "layers"; the root."""
    for item in items:
        item["layers"] = [other for other in items if other["parent"] == item["index"]]
    root, = [item for item in items if item["parent"] is None]
    return root


def walk(said, found, path=""):
    """Pairs of what tf_keras and what cpb says of a layer, with its names as a path."""
    yield f"{path}/{said['name']}", said, found
    if found["shared"]:
        return  # what is in it stands elsewhere
    by_name = {child["name"]: child for child in found["layers"]}
    assert sorted(by_name) == sorted(child["name"] for child in said["layers"]), path
    for child in said["layers"]:
        yield from walk(child, by_name[child["name"]], f"{path}/{said['name']}")


def check_layers(folder, items):
    models = {item["name"] for item in items if item["class"] in ("Functional", "Sequential")}
    for path, said, found in walk(truth(folder), tree(items)):
        assert {key: found[key] for key in KNOWN} == {key: said[key] for key in KNOWN}, path
        assert found["parameters_complete"], path
        if "input_shape" in said:
            assert found["input_shape"] == said["input_shape"], path
        if "calls" in said:
            # The first call of a model is the one that made it.
            calls = [[[r["layer"], r["node_index"] - (r["layer"] in models), r["tensor_index"]] for r in call]
                     for call in found["inputs"]]
            assert calls == said["calls"], path


# --- Layers -----------------------------------------------------------------------

@pytest.mark.parametrize("name", BUILDERS)
def test_layers_are_those_of_tf_keras(cpb, name):
    folder = keras_models.model(name)
    check_layers(folder, layers(cpb, folder))


@pytest.mark.parametrize("name", [name for name in BUILDERS if name != "subclassed"])
def test_configs_alone_say_how_many_parameters(cpb, name):
    """keras_metadata.pb without the model: no variables to count."""
    folder = keras_models.model(name)
    items = layers(cpb, folder / "keras_metadata.pb")
    assert {item["parameters_from"] for item in items} == {"config"}
    check_layers(folder, items)


def test_an_answer_says_what_it_lacks_without_variables(cpb):
    folder = keras_models.model("subclassed")
    alone = {item["path"]: item for item in layers(cpb, folder / "keras_metadata.pb")}
    whole = {item["path"]: item for item in layers(cpb, folder)}
    assert whole["root"]["parameters_from"] == "variables"
    for path in ("root", "root.blocks.0", "root.blocks.0.scale"):
        assert not alone[path]["parameters_complete"] and alone[path]["parameters"] < whole[path]["parameters"]
    assert alone["root.blocks.0.dense"]["parameters"] == whole["root.blocks.0.dense"]["parameters"] == 35


@pytest.mark.parametrize("name", ["functional", "nested", "subclassed"])
def test_metadata_within_the_model_say_the_same(cpb, name, tmp_path):
    """As TensorFlow before 2.5 wrote them: in the object graph, with no file beside it."""
    folder = keras_models.model(name)
    tmp_path = keras_models.without_file(name, tmp_path / "old")
    items = layers(cpb, tmp_path)
    check_layers(folder, items)
    old, new = ({item["node"]: item["path"] for item in found} for found in (items, layers(cpb, folder)))
    assert old == new
    cpb.ok("split", tmp_path / "saved_model.pb", "-o", tmp_path / "split.cpb", "--max-chunk-size", 20000)
    assert layers(cpb, tmp_path / "split.cpb") == layers(cpb, tmp_path / "saved_model.pb")


def test_the_tree_of_a_file_without_metadata(cpb, tmp_path):
    folder = keras_models.model("subclassed")
    shutil.copy(folder / "saved_model.pb", tmp_path)
    bare = {item["path"]: item for item in layers(cpb, tmp_path)}
    whole = {item["path"]: item for item in layers(cpb, folder)}
    for path, item in whole.items():
        assert {key: bare[path][key] for key in ("node", "depth", "identifier", "parameters", "trainable_parameters")} == \
            {key: item[key] for key in ("node", "depth", "identifier", "parameters", "trainable_parameters")}
        assert bare[path]["class"] is None and bare[path]["config"] is None
    assert len(bare) == len(whole)


def test_config_is_that_of_tf_keras(cpb):
    from tf_keras.protobuf import saved_metadata_pb2

    def plain(value):
        if isinstance(value, dict) and value.get("class_name") in ("__tuple__", "TensorShape"):
            value = value["items"]
        if isinstance(value, dict):
            return {key: plain(element) for key, element in value.items()}
        return [plain(element) for element in value] if isinstance(value, list) else value

    for name in BUILDERS:
        folder = keras_models.model(name)
        metadata = saved_metadata_pb2.SavedMetadata.FromString((folder / "keras_metadata.pb").read_bytes())
        said = {node.node_path: plain(json.loads(node.metadata)["config"]) for node in metadata.nodes}
        for item in layers(cpb, folder):
            if item["path"] is None:  # the InputLayer of a Sequential is no object
                assert item["class"] == "InputLayer" and item["config"]["name"] == item["name"]
            else:  # its layers stand for themselves
                assert item["config"] == {key: v for key, v in said[item["path"]].items() if key != "layers"}


def test_pages_of_a_layer_add_up(cpb):
    folder = keras_models.model("zoo")
    whole = layers(cpb, folder)
    pages = []
    for first in range(0, len(whole), 50):
        page = json.loads(cpb.ok("inspect", folder, "layers", "--json", "--first", first, "--count", 50))["layers"]
        assert page["total"] == len(whole) and page["first"] == first
        pages += page["items"]
    assert pages == whole


def test_one_layer_and_what_is_in_it(cpb):
    folder = keras_models.model("nested")
    whole = layers(cpb, folder)
    outer, = [item for item in whole if item["name"] == "outer"]
    assert layers(cpb, folder, outer["path"]) == layers(cpb, folder, "outer")
    assert [item["index"] for item in layers(cpb, folder, "outer")] == list(
        range(outer["index"], outer["index"] + len(layers(cpb, folder, "outer"))))
    result = cpb.run("inspect", folder, "layers", "none")
    assert result.returncode != 0 and b"no layer has the path or name none" in result.stderr


def test_overview_of_the_metadata(cpb):
    answer = inspect(cpb, keras_models.model("functional") / "keras_metadata.pb")
    model = answer["model"]
    assert (model["class"], model["name"], model["backend"]) == ("Functional", "two", "tensorflow")
    assert model["keras_version"].startswith("2.")
    assert model["training"]["optimizer"].endswith("Adam") and model["training"]["optimizer_config"]["beta_1"] == 0.9
    assert model["training"]["loss"] == {"first": "mse", "second": "binary_crossentropy"}
    assert answer["num_layers"] == len(layers(cpb, keras_models.model("functional")))


def test_search(cpb):
    found = inspect(cpb, keras_models.model("sequential") / "keras_metadata.pb", "search", "gru")["found"]
    assert found["total"] == len(found["items"]) > 0
    assert {item["class"] for item in found["items"]} >= {"GRU", "GRUCell"}


@pytest.mark.parametrize("name", ["functional", "sequential", "nested", "subclassed"])
def test_the_overview_of_a_model_has_a_line_about_its_layers(cpb, name, tmp_path):
    folder = keras_models.model(name)
    said, expected = inspect(cpb, folder)["keras"], truth(folder)
    assert (said["class"], said["name"]) == (expected["class"], expected["name"])
    assert said["layers"] == len(layers(cpb, folder))
    if name != "functional":  # saved without variables below some layers
        assert (said["parameters"], said["trainable_parameters"]) == (expected["parameters"], expected["trainable_parameters"])
    assert inspect(cpb, keras_models.without_file(name, tmp_path / "old"))["keras"] == said
    alone = tmp_path / "alone"
    alone.mkdir()
    (alone / "saved_model.pb").write_bytes((folder / "saved_model.pb").read_bytes())
    assert inspect(cpb, alone)["keras"] == {"identifier": said["identifier"], "objects": said["objects"]}


@pytest.mark.parametrize("name", ["real_tf_keras_functional", "real_tf_keras_subclassed"])
def test_a_search_finds_layers_of_which_only_the_paths_are_known(cpb, name):
    """Without keras_metadata.pb: they are called by these."""
    path = DATA / "cpb" / name / "orig.pb"
    layers = inspect(cpb, path, "layers")["layers"]["items"]
    assert len(layers) >= 5 and all(layer["name"] == layer["path"] for layer in layers)
    for layer in layers:
        found = inspect(cpb, path, "search", layer["path"])["found"]["items"]
        assert [one["path"] for one in found if one["is"] == "layer" and one["path"] == layer["path"]] == [layer["path"]]


def test_a_search_finds_layers_too(cpb, tmp_path):
    folder = keras_models.model("sequential")
    alone = inspect(cpb, folder / "keras_metadata.pb", "search", "gru")["found"]
    for path in (folder, keras_models.without_file("sequential", tmp_path / "old")):
        found = [item for item in inspect(cpb, path, "search", "gru")["found"]["items"] if item["is"] == "layer"]
        assert [item["index"] for item in found] == [item["index"] for item in alone["items"]]
        assert [(i["class"], i["name"], i["path"], i["node"]) for i in found] == [
            (i["class"], i["name"], i["path"], i["node"]) for i in alone["items"]]
    kinds = {item["is"] for item in inspect(cpb, folder, "search", "e")["found"]["items"]}
    assert {"layer", "object"} <= kinds


def test_metadata_that_are_not_json_are_a_problem_of_the_overview(cpb, tmp_path):
    from tf_keras.protobuf import saved_metadata_pb2
    folder = keras_models.model("sequential")
    metadata = saved_metadata_pb2.SavedMetadata.FromString((folder / "keras_metadata.pb").read_bytes())
    metadata.nodes[0].metadata = "{"
    (tmp_path / "saved_model.pb").write_bytes((folder / "saved_model.pb").read_bytes())
    (tmp_path / "keras_metadata.pb").write_bytes(metadata.SerializeToString())
    answer = json.loads(cpb.ok("inspect", tmp_path, "--json"))
    assert answer["keras"]["class"] is None and "root: metadata" in answer["problems"][0]["text"]
    assert answer["signatures"]["total"] > 0


# --- What to load ---------------------------------------------------------------------

def load_with_tensorflow(folder, paths, monkeypatch):
    """The nodes that load_partial loads, and whether it refuses because others are missing."""
    from tensorflow.python.saved_model import load
    made = []

    class Loader(load.Loader):
        def __init__(self, *args, **kwargs):
            made.append(self)
            super().__init__(*args, **kwargs)

    monkeypatch.setattr(load, "Loader", Loader)
    refused = False
    try:
        load.load_partial(str(folder), paths)
    except ValueError as error:  # later it fails on functions of objects that are not loaded
        refused = "does not include all required objects" in str(error)
        assert refused or "Cannot convert node None to tensor" in str(error)
    nodes = made[0]._filtered_nodes
    return set(range(len(made[0]._proto.nodes))) if nodes is None else nodes, refused


def object_graph(folder):
    from tensorflow.core.protobuf import saved_model_pb2
    return saved_model_pb2.SavedModel.FromString(
        (folder / "saved_model.pb").read_bytes()).meta_graphs[0].object_graph_def


def breadth_first(graph, starts):
    order = list(dict.fromkeys(starts))
    for node in order:
        for child in graph.nodes[node].children:
            if child.node_id not in order:
                order.append(child.node_id)
    return order


@pytest.mark.parametrize("name, paths", [
    ("subclassed", ["root.tail"]),
    ("subclassed", ["root.blocks.1", "root.tail.cell"]),
    ("subclassed", ["root.blocks"]),
    ("subclassed", ["root"]),
    ("subclassed", ["root.tail.cell.kernel", "root.blocks.0.dense.kernel"]),
    ("subclassed", ["root.tail.__call__"]),
    ("subclassed", ["root.tail.__call__", "root.tail.cell"]),
    ("nested", ["root.layer_with_weights-0"]),
    ("nested", ["root.keras_api"]),
])
def test_nodes_to_load_are_those_that_tensorflow_loads(cpb, name, paths, monkeypatch):
    folder = keras_models.model(name)
    answer = inspect(cpb, folder, "load", "\n".join(paths))
    graph = object_graph(folder)
    ids = [item["node"] for item in answer["nodes"]["items"]]
    order = breadth_first(graph, [item["node"] for item in answer["paths"]])
    assert ids[:len(order)] == order
    assert [item["path"] for item in answer["paths"]] == paths
    for item in answer["nodes"]["items"][:len(order)]:
        assert "x.y" in item["path"] or node_at(graph, item["path"]) == item["node"]
    loaded, refused = load_with_tensorflow(folder, paths, monkeypatch)
    assert set(ids) == loaded and len(ids) == len(loaded)
    assert refused == bool(answer["missing"])
    for item in answer["missing"]:
        assert item["node"] not in ids and item["needed_by"] in ids


def node_at(graph, path):
    node = 0
    for name in path.split(".")[1:]:
        node, = [child.node_id for child in graph.nodes[node].children if child.local_name == name]
    return node


def test_paths_that_do_not_exist(cpb):
    folder = keras_models.model("subclassed")
    result = cpb.run("inspect", folder, "load", "root.tail\nroot.nothing.here")
    assert result.returncode != 0 and b"there is no node root.nothing.here: no child is called nothing" in result.stderr
    result = cpb.run("inspect", folder, "load", "tail")
    assert result.returncode != 0 and b"expected one that begins with root" in result.stderr
    result = cpb.run("inspect", folder, "load", "root.heads.x.y")
    assert result.returncode == 0  # a name with a dot in it


def test_the_metadata_alone_say_which_layers_to_load(cpb):
    answer = inspect(cpb, keras_models.model("subclassed") / "keras_metadata.pb", "load", "root.blocks.1\nroot.tail")
    assert [item["path"] for item in answer["nodes"]["items"]] == [
        "root.blocks.1", "root.tail", "root.blocks.1.dense", "root.blocks.1.scale", "root.tail.cell"]


def test_metrics_are_no_layers(cpb):
    corpus = DATA / "cpb" / "real_tf_keras_functional" / "model" / "keras_metadata.pb"
    answer = inspect(cpb, corpus)
    assert [(m["class"], m["name"], m["path"]) for m in answer["metrics"]] == [
        ("Mean", "loss", "root.keras_api.metrics.0"), ("Mean", "a_loss", "root.keras_api.metrics.1"),
        ("Mean", "b_loss", "root.keras_api.metrics.2")]
    assert [item["name"] for item in layers(cpb, corpus)] == ["model", "img", "conv2d", "flatten", "a", "b"]
    assert all(item["version"] == {"producer": 2, "min_consumer": 1} for item in layers(cpb, corpus))


# --- Hostile models -----------------------------------------------------------------------

def change(name, out, edit):
    """The model's graph and metadata, changed by edit(nodes, metadata)."""
    from tensorflow.core.protobuf import saved_model_pb2
    from tf_keras.protobuf import saved_metadata_pb2
    folder = keras_models.model(name)
    saved = saved_model_pb2.SavedModel.FromString((folder / "saved_model.pb").read_bytes())
    metadata = saved_metadata_pb2.SavedMetadata.FromString((folder / "keras_metadata.pb").read_bytes())
    edit(saved.meta_graphs[0].object_graph_def.nodes, metadata.nodes)
    (out / "saved_model.pb").write_bytes(saved.SerializeToString())
    (out / "keras_metadata.pb").write_bytes(metadata.SerializeToString())


def test_cycles_and_node_ids_that_no_node_has(cpb, tmp_path):
    def edit(nodes, metadata):
        nodes[10].children.add(node_id=0, local_name="up")
        nodes[10].children.add(node_id=10, local_name="self")
        nodes[10].children.add(node_id=1 << 20, local_name="nowhere")
        nodes[10].children.add(node_id=-1, local_name="below")
        metadata[1].node_id = 1 << 20
        metadata[2].node_id = -5

    change("subclassed", tmp_path, edit)
    answer = json.loads(cpb.ok("inspect", tmp_path, "load", "root.tail.up.tail", "--json", "-n", 10000))
    nodes = [item["node"] for item in answer["nodes"]["items"]]
    assert nodes[0] == 10 and sorted(nodes) == list(range(len(nodes)))
    answer = json.loads(cpb.ok("inspect", tmp_path, "layers", "--json"))
    problems = " ".join(p["text"] for p in answer["problems"])
    assert "node_id is negative" in problems and "node_id is not that of an object" in problems
    assert answer["layers"]["total"] == len(layers(cpb, keras_models.model("subclassed")))


def test_metadata_that_are_not_json(cpb, tmp_path):
    def edit(_, metadata):
        metadata[0].metadata = "{" * 1000
        metadata[3].metadata = '{"name": "\\ud800"}'
        metadata[4].metadata = '{"name": 7, "class_name": [], "config": {"layers": {"a": [[]]}, "name": null}}'

    change("subclassed", tmp_path, edit)
    answer = json.loads(cpb.ok("inspect", tmp_path, "layers", "--json"))
    texts = [p["text"] for p in answer["problems"]]
    assert len(texts) == 2 and "root: metadata: JSON is nested" in texts[0] and "not JSON" in texts[1]
    assert answer["layers"]["total"] == len(layers(cpb, keras_models.model("subclassed")))
    assert answer["layers"]["items"][0]["parameters"] == 303  # by its variables


SETTINGS = ["axis", "bias_axes", "bin_boundaries", "data_format", "depth_multiplier", "equation", "filters", "groups", "input_dim",
            "kernel_size", "output_dim", "output_shape", "renorm", "score_mode", "shared_axes", "units", "use_scale"]


@pytest.mark.parametrize("odd", [None, "x", 0, -1, 1.5, 2**63, [], [2**32] * 2, [1] * 40, {}, "abc,->", ",", "...a,ab->...b"], ids=str)
def test_settings_that_no_layer_can_have(cpb, tmp_path, odd):
    """Only the layers that have the setting are affected: what cannot be counted makes the answer incomplete."""
    path = keras_models.model("zoo") / "keras_metadata.pb"
    whole = layers(cpb, path)
    models = {item["parent"] for item in whole}
    for setting in SETTINGS:
        def edit(_, metadata):
            for node in metadata:
                said = json.loads(node.metadata)
                if setting in said.get("config", {}):
                    changed.add(said["name"])
                    said["config"][setting] = odd
                node.metadata = json.dumps(said)

        changed = set()
        change("zoo", tmp_path, edit)
        for before, after in zip(whole, layers(cpb, tmp_path / "keras_metadata.pb"), strict=True):
            assert isinstance(after["parameters"], int) and after["parameters"] >= 0
            if before["index"] not in models and before["name"] not in changed:
                assert {key: after[key] for key in KNOWN} == {key: before[key] for key in KNOWN}, setting


LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12345678\n"


@pytest.mark.parametrize("how, told", [
    (lambda _: b"\x0a\xff\xff\xff\x0f no such thing", "keras_metadata.pb cannot be parsed: no Keras objects in it"),
    (lambda _: LFS, "keras_metadata.pb is a Git LFS pointer to a file of 12345678 bytes; "
                                                     'fetch the file itself with "git lfs pull"'),
    (lambda data: data.replace(b"\n", b"\r\n"), "keras_metadata.pb is a model (Keras metadata) whose line ends were converted "
                                               "(CRLF), as Git does on Windows; get it again, as a binary file")],
    ids=["other", "lfs", "crlf"])
def test_a_file_that_is_no_metadata(cpb, tmp_path, how, told):
    """That is damage; layers are called by their paths, and parameters are counted by variables."""
    whole = keras_models.model("half")
    shutil.copytree(whole, tmp_path / "model")
    model, file = tmp_path / "model", tmp_path / "model/keras_metadata.pb"
    file.write_bytes(how(file.read_bytes()))
    for question in ("layers", "overview", None):
        result = cpb.run("inspect", "--tsv", model, *([question] if question else []))
        assert result.returncode == 1 and told in result.stderr.decode(), question
    answer = json.loads(cpb.run("inspect", model, "layers", "--json").stdout)
    assert [(p["text"], p["damage"]) for p in answer["problems"]] == [(told, True)]
    assert answer["source"] == "objects"
    assert [item["name"] for item in answer["layers"]["items"]] == ["root", "root.layer_with_weights-0"]
    assert json.loads(cpb.run("inspect", model, "overview", "--json").stdout)["parameters"] == inspect(cpb, whole)["parameters"]


def test_a_model_without_keras_has_layers_by_names_and_nodes_to_load(cpb):
    model = DATA / "cpb" / "real_tf_module" / "orig.pb"
    answer = inspect(cpb, model, "layers")
    assert answer["source"] == "variables" and answer["layers"]["total"] > 0 and "format" not in answer
    assert inspect(cpb, model, "load", "root")["nodes"]["total"] > 1


def test_metadata_beside_a_model_that_are_too_large_are_refused(cpb, tmp_path):
    shutil.copy(keras_models.model("functional") / "saved_model.pb", tmp_path)
    with open(tmp_path / "keras_metadata.pb", "wb") as file:
        file.truncate((64 << 20) + 1)
    result = cpb.run("inspect", tmp_path, "layers")
    assert result.returncode == 4
    assert b"keras_metadata.pb: the file has more than 67108864 bytes: 67108865" in result.stderr
