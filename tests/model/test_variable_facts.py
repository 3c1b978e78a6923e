"""What is said of variables beside themselves: which layer has each, and which are there twice."""

import json

import pytest

from support import keras_models, models
from support.asking import ask, meta_graph
from support.keras_models import BUILDERS


def sums(variables):
    import tensorflow as tf
    result = {"total": len(variables), "trainable": 0, "elements": 0, "size": 0}
    for v in variables:
        elements = 1
        for dim in v.shape.dim:
            elements *= dim.size
        result["trainable"] += v.trainable
        result["elements"] += elements
        result["size"] += elements * tf.as_dtype(v.dtype).size
    return result


def variables_of(path):
    return [node.variable for node in meta_graph(path).object_graph_def.nodes if node.WhichOneof("kind") == "variable"]


# --- Copies ----------------------------------------------------------------------------------


def test_keras_3_exports_each_weight_twice(cpb):
    """The functions capture the variables that are not copies; a copy has the same value."""
    import tensorflow as tf
    folder = models.model("keras")
    objects = meta_graph(folder / "saved_model.pb").object_graph_def
    captured = {node for function in objects.concrete_functions.values() for node in function.bound_inputs}
    items = ask(cpb, folder, "variables")["variables"]["items"]
    values = tf.train.load_checkpoint(str(folder / "variables" / "variables"))
    places = {item["node"]: item for item in items}
    copies = [item for item in items if "copy_of" in item]
    assert len(copies) == len(items) // 2 > 100
    for copy in copies:
        other = places[copy["copy_of"]["node"]]
        assert other["path"] == copy["copy_of"]["path"]
        assert copy["node"] not in captured and other["node"] in captured
        assert [copy[key] for key in ("name", "dtype", "shape")] == [other[key] for key in ("name", "dtype", "shape")]
        assert (values.get_tensor(copy["key"]) == values.get_tensor(other["key"])).all()


def test_weights_that_are_there_twice_are_counted_once(cpb):
    folder = models.model("keras")
    variables = variables_of(folder / "saved_model.pb")
    once = list({v.name: v for v in variables}.values())
    assert len(variables) == 2 * len(once)
    counts = ask(cpb, folder, "variables")["counts"]
    overview = ask(cpb, folder)["variables"]
    assert {key: overview[key] for key in counts} == counts
    assert {key: counts[key] for key in sums(variables)} == sums(variables)
    assert counts["names"] == len(once) and counts["distinct"] == sums(once)
    copies = counts["copies"]
    assert {key: copies[key] for key in sums(once)} == sums(once)
    assert (copies["in"], copies["of"]) == ("root._all_variables", "root.variables")


def test_the_parameters_counted_once_are_those_of_the_model(cpb):
    import keras
    model = keras.applications.MobileNetV2(weights=None, input_shape=(96, 96, 3))
    counts = ask(cpb, models.model("keras"), "variables")["counts"]
    assert counts["distinct"]["elements"] == model.count_params()
    assert counts["elements"] == 2 * model.count_params()


@pytest.mark.parametrize("name", BUILDERS)
def test_models_without_copies(cpb, name):
    folder = keras_models.model(name)
    variables = variables_of(folder / "saved_model.pb")
    counts = ask(cpb, folder, "variables")["counts"]
    assert counts["copies"] is None and counts["distinct"] == sums(variables)
    assert counts["names"] == len({v.name for v in variables})


def test_variables_of_one_name_alone_are_no_copies(cpb, tmp_path):
    import tensorflow as tf
    module = tf.Module()
    module.variables_list = [tf.Variable([1.0, 2.0], name="same")]
    module.other = tf.Variable([1.0, 2.0], name="same")
    tf.saved_model.save(module, str(tmp_path))
    counts = ask(cpb, tmp_path, "variables")["counts"]
    assert (counts["total"], counts["names"], counts["distinct"]["total"]) == (2, 1, 2) and counts["copies"] is None


# --- Layers ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in BUILDERS if name != "subclassed"])
def test_each_variable_has_its_layer(cpb, name):
    """A layer's variables have its name in theirs, but for those that other layers share or wrap."""
    folder = keras_models.model(name)
    layers = {item["path"]: item for item in ask(cpb, folder, "layers")["layers"]["items"] if not item["shared"]}
    items = ask(cpb, folder, "variables")["variables"]["items"]
    for item in items:
        if item["layer"] is None:
            continue
        layer = layers[item["layer"]["path"]]
        assert item["layer"]["name"] == layer["name"]
        assert {"node": item["node"], "name": item["name"]} in layer["variables"]
    led = [v["node"] for layer in layers.values() for v in layer["variables"]]
    assert sorted(led) == sorted(item["node"] for item in items if item["layer"])


@pytest.mark.parametrize("name", BUILDERS)
def test_all_parameters_of_a_layer_are_those_of_the_layers_in_it(cpb, name):
    folder = keras_models.model(name)
    items = ask(cpb, folder, "layers")["layers"]["items"]
    shapes = {item["node"]: item["shape"] for item in ask(cpb, folder, "variables")["variables"]["items"]}

    def elements(node):
        product = 1
        for size in shapes[node]:
            product *= size
        return product

    for item in items:
        inner = [item]
        for other in items:
            if any(other["parent"] == i["index"] for i in inner):
                inner.append(other)
        nodes = {v["node"] for i in inner for v in i["variables"]}
        if item["parameters_from"] == "variables" and not any(i["shared"] for i in inner[1:]):
            assert sum(map(elements, nodes)) == item["parameters"], item["path"]


def test_a_dense_layer_has_its_kernel_and_bias(cpb):
    folder = keras_models.model("functional")
    by_name = {item["name"]: item for item in ask(cpb, folder, "variables")["variables"]["items"]}
    assert by_name["twice/kernel"]["layer"]["name"] == by_name["twice/bias"]["layer"]["name"] == "twice"
    assert by_name["stem/kernel"]["layer"]["name"] == "stem"
    twice, = ask(cpb, folder, "layers", "twice")["layers"]["items"]
    assert [v["name"] for v in twice["variables"]] == ["twice/kernel", "twice/bias"]
    asked, = ask(cpb, folder, "variables", f"#{twice['variables'][0]['node']}")["variables"]["items"]
    assert asked["name"] == "twice/kernel"


def test_a_model_without_keras_has_no_keras_layers(cpb):
    assert all("layer" not in item for item in ask(cpb, models.model("keras"), "variables")["variables"]["items"])
    metadata = keras_models.model("functional") / "keras_metadata.pb"
    assert all("variables" not in item for item in ask(cpb, metadata, "layers")["layers"]["items"])


# --- Operations ---------------------------------------------------------------------------------


def test_a_custom_operation_in_a_function_is_found_where_the_exporter_says_nothing(cpb, tmp_path):
    from tensorflow.core.protobuf import saved_model_pb2
    saved = saved_model_pb2.SavedModel.FromString((models.model("keras") / "saved_model.pb").read_bytes())
    functions = saved.meta_graphs[0].graph_def.library.function
    node = next(n for f in functions for n in f.node_def if n.op == "Relu6")
    node.op = "MyRelu"
    (tmp_path / "saved_model.pb").write_bytes(saved.SerializeToString())
    said = ask(cpb, tmp_path)["ops"]
    assert said["source"] == "exporter" and said["custom"] == []
    counted = json.loads(cpb.ok("inspect", tmp_path, "ops", "-n", 3, "--json"))
    assert counted["custom"] == [{"op": "MyRelu"}] and len(counted["ops"]["items"]) == 3
