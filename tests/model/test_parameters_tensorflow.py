"""What counts as a parameter in TensorFlow's kinds and SameDiff: each distinct weight once, and what else variables are."""

import json
import os
import shutil

import pytest

from conftest import DATA
from support import fact_models, keras_models, models, saved_models
from support.asking import CORPUS, ask, folder_of

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
pytest.importorskip("tensorflow")


def items_of(cpb, path):
    """Of all lists of tensors that the model has."""
    for question in ("variables", "constants"):
        result = cpb.run("inspect", path, question, "--json", "--count", 10**6)
        if result.returncode == 0:
            answer = json.loads(result.stdout)
            items = answer[question]["items"]
            if question == "constants":
                assert answer["parameters"]["total"] == sum(item["parameters"] for item in items)
            yield from items


def total(cpb, path):
    """Of the overview, which the layers and the tensors add up to; a layer of Keras has those in it."""
    parameters, items = ask(cpb, path)["parameters"], list(items_of(cpb, path))
    assert sum(item["parameters"] for item in items) == parameters["total"]
    assert all(item["use"] == "weight" for item in items if item["parameters"])
    if cpb.run("inspect", path, "layers").returncode == 0:
        assert sum(layers(cpb, path)[1].values()) == parameters["total"]
    return parameters["total"], parameters["trainable"]


def layers(cpb, path):
    answer = ask(cpb, path, "layers")
    return answer["source"], {one["name"]: one["parameters"] for one in answer["layers"]["items"] if not one.get("depth")}


def uses(cpb, path):
    return {item["name"].removesuffix(":0"): item["use"] for item in ask(cpb, path, "variables")["variables"]["items"]}


# --- TensorFlow 1 --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """Partitioned variables, a normalization, Adam, and averages of weights."""
    import tensorflow as tf
    v1, path = tf.compat.v1, tmp_path_factory.mktemp("trained") / "m.meta"
    with v1.Graph().as_default():
        x = v1.placeholder(tf.float32, [None, 10], name="x")
        with v1.variable_scope("parts", partitioner=v1.fixed_size_partitioner(3)):
            w = v1.get_variable("w", [10, 4], use_resource=False)
        h = x @ tf.convert_to_tensor(w)
        for name, trainable in (("gamma", True), ("moving_mean", False)):
            h = h * v1.get_variable(f"norm/{name}", [4], trainable=trainable)
        step = v1.train.get_or_create_global_step()
        average = v1.train.ExponentialMovingAverage(0.9).apply(v1.trainable_variables()[-1:])
        with v1.name_scope("training"):
            train = v1.train.AdamOptimizer().minimize(tf.reduce_sum(h), global_step=step)
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            session.run([train, average], {x: [[1.0] * 10]})
            v1.train.Saver().save(session, str(path.with_suffix("")))
    return path


@pytest.mark.parametrize("alone", [False, True], ids=["with checkpoint", "alone"])
def test_slots_and_parts(cpb, trained, tmp_path, alone):
    """Without a checkpoint the graph has the shapes."""
    path = tmp_path / "alone.meta" if alone else trained
    if alone:
        shutil.copy(trained, path)
    assert total(cpb, path) == (10 * 4 + 4 + 4, 10 * 4 + 4)
    assert ask(cpb, path)["parameters"]["tensors"] == 3 and ask(cpb, path)["parameters"]["bytes"] == 4 * 48
    parts = [f"parts/w/part_{i}" for i in range(3)]
    slots = {f"{name}/{slot}": "optimizer" for name in [*parts, "norm/gamma"] for slot in ("Adam", "Adam_1")}
    assert uses(cpb, path) == slots | dict.fromkeys([*parts, "norm/gamma", "norm/moving_mean"], "weight") | dict.fromkeys(
        ["training/beta1_power", "training/beta2_power", "global_step"], "optimizer") | {
        "norm/gamma/ExponentialMovingAverage": "state"}
    assert layers(cpb, path) == ("variables", {"parts": 40, "norm": 8})


def test_a_part_has_its_own_shape(cpb, trained):
    parts = [item for item in ask(cpb, trained, "variables")["variables"]["items"] if item.get("part_of") == "parts/w"]
    assert [item["shape"] for item in parts] == [[4, 4], [3, 4], [3, 4]]
    assert all(item["stored"]["shape"] == [10, 4] and len(item["stored"]["slices"]) == 3 for item in parts)
    told = [line.split("\t") for line in cpb.ok("inspect", "--tsv", trained).decode().splitlines()]
    assert ["count", "parameters", "48", "192"] in told and ["count", "trainable_parameters", "44", ""] in told
    assert [line[2:4] for line in told if line[0] == "variable" and line[1].startswith("parts/w/part_0:")] == [["f32[4,4]", "64"]]


@pytest.mark.parametrize("form", ["graph.pb", "graph.pbtxt", "collectionless.meta"])
def test_a_graph_with_variables_has_them_as_weights(cpb, trained, tmp_path, form):
    """And not the constants that they begin as. Which are trained, it does not say."""
    from google.protobuf import text_format
    from tensorflow.core.protobuf import meta_graph_pb2
    meta = meta_graph_pb2.MetaGraphDef.FromString(trained.read_bytes())
    meta.collection_def.clear()
    if form == "graph.pbtxt":
        (tmp_path / form).write_text(text_format.MessageToString(meta.graph_def))
    else:
        (tmp_path / form).write_bytes((meta if form.endswith(".meta") else meta.graph_def).SerializeToString())
    assert [ask(cpb, tmp_path / form)["parameters"][key] for key in ("total", "trainable", "bytes")] == [48, None, 192]
    assert layers(cpb, tmp_path / form) == ("variables", {"parts/w": 40, "norm": 8})
    assert {item["use"] for item in ask(cpb, tmp_path / form, "constants")["constants"]["items"]} == {"constant"}


def test_a_variable_that_the_checkpoint_lacks_has_the_shape_of_its_node(cpb, trained, tmp_path):
    import tensorflow as tf
    v1, reader = tf.compat.v1, tf.train.load_checkpoint(str(trained.with_suffix("")))
    shutil.copy(trained, tmp_path)
    with v1.Graph().as_default(), v1.Session() as session:
        v1.get_variable("norm/gamma", initializer=reader.get_tensor("norm/gamma"))
        session.run(v1.global_variables_initializer())
        v1.train.Saver().save(session, str(tmp_path / "m"), write_meta_graph=False)
    assert total(cpb, tmp_path / "m.meta") == total(cpb, trained)
    found = {item["name"]: item for item in ask(cpb, tmp_path / "m.meta", "variables")["variables"]["items"]}
    assert (found["norm/moving_mean:0"]["shape"], found["norm/moving_mean:0"]["stored"]) == ([4], None)


# --- Objects -----------------------------------------------------------------------------------------


def test_a_shape_that_only_the_checkpoint_knows(cpb, tmp_path):
    import tensorflow as tf
    module = tf.Module()
    module.v = tf.Variable(tf.zeros([2, 3]), shape=[None, 3])
    tf.saved_model.save(module, str(tmp_path / "m"))
    parameters = ask(cpb, tmp_path / "m")["parameters"]
    assert (parameters["total"], parameters["bytes"]) == (6, 24) and "partial" not in parameters
    [item] = ask(cpb, tmp_path / "m", "variables")["variables"]["items"]
    assert (item["shape"], item["stored"]["shape"], item["parameters"]) == ([None, 3], [2, 3], 6)
    shutil.rmtree(tmp_path / "m/variables")
    assert ask(cpb, tmp_path / "m")["parameters"]["partial"] is True


def test_a_checkpoint_of_objects_without_values(cpb, tmp_path):
    """Has no tensors, so the weights are constants."""
    import tensorflow as tf
    module = tf.Module()
    module.f = tf.function(lambda x: x * tf.constant([1.0, 2.0, 3.0]), input_signature=[tf.TensorSpec([3])])
    tf.saved_model.save(module, str(tmp_path / "m"))
    assert (tmp_path / "m/variables/variables.index").exists()
    assert total(cpb, tmp_path / "m")[0] == 3


def test_metrics_in_a_list_of_variables(cpb, tmp_path):
    """Keras lists them beside the model's own."""
    keras = pytest.importorskip("tf_keras")

    class Model(keras.Model):
        def __init__(self):
            super().__init__()
            self.dense, self.tracker = keras.layers.Dense(3, name="dense"), keras.metrics.Mean(name="tracker")

        def call(self, x):
            return self.dense(x)

    model = Model()
    model.predict([[1.0] * 4], verbose=0)
    model.save(tmp_path / "m", save_format="tf")
    assert total(cpb, tmp_path / "m") == (15, 15)
    assert {name.split("/")[-1]: use for name, use in uses(cpb, tmp_path / "m").items()} == {
        "kernel": "weight", "bias": "weight", "total": "state", "count": "state"}


# --- Frozen graphs ---------------------------------------------------------------------------------


def frozen():
    import tensorflow as tf
    from tensorflow.core.framework import graph_pb2
    graph = graph_pb2.GraphDef()
    function = graph.library.function.add()
    function.signature.name = "f"
    for nodes in (graph.node, function.node_def):
        for name, value, dtype in (("conv/w", [[1, 2, 3]] * 2, "float32"), ("scale", 2, "float32"), ("shape", [1, 2], "int32"),
                                   ("names", ["a", "b"], "string"), ("conv/c", [1j, 2], "complex64"), ("q", [1, 2], "quint8")):
            node = nodes.add(name=name, op="Const")
            proto = tf.make_tensor_proto([1, 2], "int32") if dtype == "quint8" else tf.make_tensor_proto(value, dtype)
            proto.dtype = tf.as_dtype(dtype).as_datatype_enum
            node.attr["value"].tensor.CopyFrom(proto)
    return graph


def test_frozen(cpb, tmp_path):
    """Constants count if they are numbers of weights, and more than one; so they do in a SavedModel without variables."""
    from tensorflow.core.protobuf import saved_model_pb2
    saved = saved_model_pb2.SavedModel(saved_model_schema_version=1)
    saved.meta_graphs.add(graph_def=frozen()).meta_info_def.tags.append("serve")
    for name, message in (("graph.pb", frozen()), ("saved_model.pb", saved)):
        path = tmp_path / name
        path.write_bytes(message.SerializeToString())
        assert total(cpb, path) == (20, None)
        counted = {(i["node"], i["use"]) for i in ask(cpb, path, "constants")["constants"]["items"] if i["parameters"]}
        assert counted == {("conv/w", "weight"), ("conv/c", "weight"), ("q", "weight")}
        assert layers(cpb, path) == ("names", {"conv": 16, "q": 4})


def test_frozen_by_tensorflow(cpb):
    """Layers are what the variables were in."""
    model = models.model("mobilenet")
    source, found = layers(cpb, model / "graph.pb")
    assert total(cpb, model / "graph.pb")[0] == total(cpb, models.model("keras"))[0] == sum(found.values())
    assert source == "names" and "mobilenetv2_1.00_224_1/Conv1_1" in found


# --- Keras ---------------------------------------------------------------------------------------------


def test_keras_3(cpb):
    """model.export notes no layers, but the names of variables have them."""
    answer = ask(cpb, models.model("keras"), "layers")
    assert answer["source"] == "variables"
    found = {one["name"]: one for one in answer["layers"]["items"]}
    assert [found[name]["class"] for name in ("Conv1", "bn_Conv1", "predictions")] == [None, None, None]
    assert found["predictions"]["parameters"] == 1281000 and found["predictions"]["tensors"] == 2
    assert total(cpb, models.model("keras")) == (3538984, 3504872)


def test_classes_by_name(cpb):
    """Where Keras itself gave it."""
    answer = ask(cpb, folder_of("real_keras_export"), "layers")
    assert {one["name"]: one["class"] for one in answer["layers"]["items"]} == {
        "sequential/dense": "Dense", "sequential/batch_normalization": "BatchNormalization", "sequential/dense_1": "Dense"}


@pytest.mark.parametrize("name", keras_models.BUILDERS)
def test_keras_2(cpb, tmp_path, name):
    """Keras counts the same; so does a model whose metadata is lost, which calls layers by their paths."""
    keras = ask(cpb, keras_models.model(name))["keras"]
    assert total(cpb, keras_models.model(name))[0] == keras["parameters"]
    shutil.copytree(keras_models.model(name), tmp_path / "model")
    (tmp_path / "model/keras_metadata.pb").unlink()
    assert ask(cpb, tmp_path / "model")["parameters"] == ask(cpb, keras_models.model(name))["parameters"]
    answer = ask(cpb, tmp_path / "model", "layers")
    assert answer["source"] == "objects" and all(one["name"] == one["path"] for one in answer["layers"]["items"])


# --- All ---------------------------------------------------------------------------------------------------

ALL = {**{f"saved {name}": lambda name=name: saved_models.model(name) for name in ("rich", "parts", "arguments", "v1")},
       **{f"facts {name}": lambda name=name: fact_models.folder_of(name) for name in fact_models.NAMES},
       **{name: lambda name=name: folder_of(name) for name in CORPUS},
       **{path.name: lambda path=path: path for path in sorted((DATA / "samediff_small").glob("*.*")) if path.suffix != ".json"}}


# Weights in a graph of more than 256 KiB.
LARGE = ["facts frozen", "facts constants"]


@pytest.mark.parametrize("name", [name for name in ALL if name not in LARGE])
def test_sums(cpb, name):
    total(cpb, ALL[name]())


def test_a_large_graph_is_not_read_for_the_overview(cpb):
    """Where a SavedModel's weights are in its graph, their number is then not known."""
    parameters = ask(cpb, ALL["facts frozen"]())["parameters"]
    assert (parameters["total"], parameters["partial"]) == (0, True)


def test_the_summary_counts_what_a_large_graph_holds(cpb):
    path = ALL["facts frozen"]()
    weights = sum(item["parameters"] for item in ask(cpb, path, "constants")["constants"]["items"])
    assert weights > 0
    lines = cpb.ok("inspect", path).decode().split("\n")
    assert [line.split()[1] for line in lines if line.startswith("  parameters ")] == [f"{weights:,}"]
    assert not any("not all" in line for line in lines)
