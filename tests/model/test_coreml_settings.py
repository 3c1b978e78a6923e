"""What layers and models of Core ML are set to: every field of every message, as coremltools' descriptors have it."""

import json
import random
import struct

import pytest

pytest.importorskip("coremltools")

from coremltools.proto import Model_pb2, NeuralNetwork_pb2  # noqa: E402
from google.protobuf.descriptor import FieldDescriptor as F  # noqa: E402

SHOWN = ("WeightParams", "NeuralNetworkLayer", "NeuralNetwork", "Pipeline", "Program", "Model", "ModelDescription")
TYPES = [f.name for f in Model_pb2.Model.DESCRIPTOR.oneofs_by_name["Type"].fields
         if f.name != "mlProgram" and not f.name.startswith("pipeline")]
LAYERS = NeuralNetwork_pb2.NeuralNetworkLayer.DESCRIPTOR.oneofs_by_name["layer"].fields
SEEDS = (1, 2, 3)  # by which choices of oneofs are made
WORDS = {F.TYPE_BOOL: "bool", F.TYPE_FLOAT: "float32", F.TYPE_DOUBLE: "float64", F.TYPE_STRING: "string",
         F.TYPE_ENUM: "enum", F.TYPE_UINT32: "uint64", F.TYPE_UINT64: "uint64"}


def some(field, choose):
    if field.type == F.TYPE_ENUM:
        return field.enum_type.values[-1].number
    values = {F.TYPE_STRING: f"text {choose.random()}", F.TYPE_BYTES: b"bytes", F.TYPE_BOOL: True,
              F.TYPE_FLOAT: choose.uniform(-9, 9), F.TYPE_DOUBLE: choose.uniform(-9, 9)}
    return values.get(field.type, choose.randint(1, 10**6))


def is_map(field):
    return field.message_type is not None and field.message_type.GetOptions().map_entry


def fill(message, choose):
    """Every field, and of each oneof one."""
    chosen = [choose.choice(oneof.fields) for oneof in message.DESCRIPTOR.oneofs]
    for field in message.DESCRIPTOR.fields:
        if (field.containing_oneof and field not in chosen) or (field.message_type and field.message_type.name in SHOWN):
            continue
        if is_map(field):
            key = some(field.message_type.fields_by_name["key"], choose)
            value = field.message_type.fields_by_name["value"]
            if value.message_type:
                fill(getattr(message, field.name)[key], choose)
            else:
                getattr(message, field.name)[key] = some(value, choose)
        elif field.message_type:
            of = getattr(message, field.name)
            for one in (of.add(), of.add()) if field.is_repeated else (of,):
                one.SetInParent()
                fill(one, choose)
        elif field.is_repeated:
            getattr(message, field.name).extend(some(field, choose) for _ in range(2))
        else:
            setattr(message, field.name, some(field, choose))
    return message


def shown(field, value):
    return field.enum_type.values_by_number[value].name if field.type == F.TYPE_ENUM else value


def expected(message, before=""):
    """Names with kinds and values; of bytes how many."""
    for field, value in message.ListFields():
        name = before + field.name
        if field.message_type and field.message_type.name in SHOWN:
            continue
        if is_map(field):
            of = field.message_type.fields_by_name["value"]
            for key in value:
                if of.message_type:
                    yield from expected(value[key], f"{name}[{key}].")
                else:
                    yield f"{name}[{key}]", WORDS.get(of.type, "int64"), shown(of, value[key])
        elif field.message_type and field.is_repeated:
            for i, one in enumerate(value):
                yield from expected(one, f"{name}[{i}].")
        elif field.message_type:
            if field.containing_oneof:
                yield before + field.containing_oneof.name, "enum", field.name
            yield from expected(value, f"{name}.")
        elif field.is_repeated:
            kind = "float" if field.cpp_type in (F.CPPTYPE_FLOAT, F.CPPTYPE_DOUBLE) else \
                {F.TYPE_BOOL: "bool", F.TYPE_STRING: "string", F.TYPE_ENUM: "string"}.get(field.type, "int")
            yield name, f"{kind}s", [shown(field, one) for one in value]
        elif field.type == F.TYPE_BYTES:
            yield name, "list", len(value)
        else:
            yield name, WORDS.get(field.type, "int64"), shown(field, value)


def as_float32(value):
    return struct.unpack("f", struct.pack("f", value))[0]


def told(attributes):
    """Without tensors and graphs, sorted; numbers as float32."""
    def rounded(value):
        return [rounded(one) for one in value] if isinstance(value, list) else \
            as_float32(value) if isinstance(value, float) else value
    words = (one if isinstance(one, tuple) else (one["name"], one["kind"], one["value"]) for one in attributes)
    return sorted((name, kind, rounded(value)) for name, kind, value in words if kind not in ("tensor", "graph"))


def ask(cpb, path, question):
    return json.loads(cpb.ok("inspect", path, question, "--json", "--count", 10**6))


def network(seed):
    """All layers there are."""
    choose = random.Random(seed)
    model = Model_pb2.Model(specificationVersion=8)
    for i, field in enumerate(LAYERS):
        layer = model.neuralNetwork.layers.add(name=f"{field.name}", input=[f"v{i}"], output=[f"v{i + 1}"], isUpdatable=i % 2 == 0)
        getattr(layer, field.name).SetInParent()
        fill(getattr(layer, field.name), choose)
    return model


def model_of(type_, seed):
    model = Model_pb2.Model(specificationVersion=8)
    getattr(model, type_).SetInParent()
    fill(getattr(model, type_), random.Random(seed))
    return model


def written(folder, model, name="model.mlmodel"):
    (folder / name).write_bytes(model.SerializeToString())
    return folder / name


@pytest.mark.parametrize("seed", SEEDS)
def test_each_layer_has_its_settings(cpb, tmp_path, seed):
    model = network(seed)
    nodes = ask(cpb, written(tmp_path, model), "nodes")["nodes"]["items"]
    assert [node["op"] for node in nodes] == [
        layer.custom.className or field.name for layer, field in zip(model.neuralNetwork.layers, LAYERS, strict=True)]
    for node, layer, field in zip(nodes, model.neuralNetwork.layers, LAYERS, strict=True):
        own = [("isUpdatable", "bool", True)] if layer.isUpdatable else []
        assert told(node["attributes"]) == told([*expected(getattr(layer, field.name)), *own]), field.name


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("type_", TYPES)
def test_each_type_of_model_has_its_settings(cpb, tmp_path, type_, seed):
    model = model_of(type_, seed)
    overview = ask(cpb, written(tmp_path, model), "overview")
    assert overview["type"] == type_
    assert told(overview["attributes"]["items"]) == told(expected(getattr(model, type_)))


@pytest.mark.parametrize("type_", ["mlProgram", "pipeline"])
def test_what_the_view_shows_is_no_setting(cpb, tmp_path, type_):
    model = Model_pb2.Model(specificationVersion=8)
    model.mlProgram.version = 1
    model.mlProgram.functions["main"].opset = "CoreML8"
    if type_ == "pipeline":
        model.pipeline.models.add().CopyFrom(Model_pb2.Model(specificationVersion=8, identity={}))
        model.pipeline.names.append("one")
    overview = ask(cpb, written(tmp_path, model), "overview")
    assert (overview["type"], overview["attributes"]["items"]) == (type_, [])


def leaves(message):
    for field, value in message.ListFields():
        if field.message_type is None and not field.is_repeated:
            yield message, field
        elif field.message_type and not field.is_repeated and field.message_type.name not in SHOWN:
            yield from leaves(value)


@pytest.mark.parametrize("type_", TYPES)
def test_models_with_another_setting_differ(cpb, tmp_path, type_):
    model = model_of(type_, 1)
    before = written(tmp_path, model)
    for message, field in list(leaves(getattr(model, type_)))[:3]:
        message.ClearField(field.name) if not field.containing_oneof else setattr(message, field.name, some(field, random))
        after = written(tmp_path, model, "other.mlmodel")
        if after.read_bytes() != before.read_bytes():
            result = cpb.run("diff", before, after)
            assert result.returncode == 1 and b"attributes" in result.stdout, result.stdout.decode()


def test_layers_with_another_setting_differ(cpb, tmp_path):
    model = network(1)
    before = written(tmp_path, model)
    for layer, field in zip(model.neuralNetwork.layers, LAYERS, strict=True):
        message, changed = next(iter(leaves(getattr(layer, field.name))), (None, None))
        if message:
            message.ClearField(changed.name)
    result = json.loads(cpb.run("diff", before, written(tmp_path, model, "other.mlmodel"), "--json").stdout)
    [section] = [one for one in result["sections"] if one["section"] == "nodes"]
    assert section["changed"] == sum(any(True for _ in leaves(getattr(layer, field.name)))
                                     for layer, field in zip(network(1).neuralNetwork.layers, LAYERS, strict=True))


@pytest.mark.parametrize("where", ["alone", "in a pipeline"])
def test_content_that_is_too_long_to_be_read_is_no_problem(cpb, tmp_path, where):
    """It has no graphs that could be missing."""
    trees = Model_pb2.Model(specificationVersion=1)
    for i in range(300):
        trees.treeEnsembleRegressor.treeEnsemble.nodes.add(nodeId=i, branchFeatureValue=i + 1)
    model = trees if where == "alone" else Model_pb2.Model(specificationVersion=1)
    if model is not trees:
        model.pipeline.models.add().CopyFrom(trees)
        model.pipeline.names.append("trees")
    path = written(tmp_path, model)
    assert path.stat().st_size > 1024
    assert ask(cpb, path, "overview")["problems"] == [] == ask(cpb, path, "nodes")["problems"]


def test_content_that_is_too_long_to_be_read_is_not_called_the_same(cpb, tmp_path):
    model = Model_pb2.Model(specificationVersion=1)
    nodes = model.treeEnsembleRegressor.treeEnsemble.nodes
    for i in range(5000):
        nodes.add(nodeId=i, branchFeatureValue=i + 1)
    one = written(tmp_path, model)
    [trees] = ask(cpb, one, "overview")["attributes"]["items"]
    size = model.treeEnsembleRegressor.ByteSize()
    assert trees["kind"] == "message" and trees["value"]["omitted"]["size"] == size
    nodes[100].branchFeatureValue += 1
    other = written(tmp_path, model, "other.mlmodel")
    assert one.stat().st_size == other.stat().st_size
    result = cpb.run("diff", one, other)
    assert result.returncode == 2 and b"cannot be said" in result.stdout, result.stdout.decode()
    assert json.loads(cpb.run("diff", one, other, "--json").stdout)["equal"] is None
    assert cpb.run("diff", one, one).returncode == 0
    model.description.metadata.author = "somebody"
    assert cpb.run("diff", one, written(tmp_path, model, "other.mlmodel")).returncode == 1


def test_a_layer_that_is_too_long_to_be_read_is_not_called_the_same(cpb, tmp_path):
    model = Model_pb2.Model(specificationVersion=4)
    layer = model.neuralNetwork.layers.add(name="l", input=["x"], output=["y"])
    layer.reshapeStatic.targetShape.extend([300] * 20_000)
    one = written(tmp_path, model)
    [node] = ask(cpb, one, "nodes")["nodes"]["items"]
    assert [(a["name"], a["kind"]) for a in node["attributes"]] == [("reshapeStatic", "message")]
    layer.reshapeStatic.targetShape[7] = 301
    assert cpb.run("diff", one, written(tmp_path, model, "other.mlmodel")).returncode == 2


@pytest.mark.parametrize("count", [64, 65])
def test_a_long_list_is_told_by_its_hash(cpb, tmp_path, count):
    """Enough of it to differ."""
    model = Model_pb2.Model(specificationVersion=1)
    model.neuralNetworkClassifier.stringClassLabels.vector.extend(f"class {i}" for i in range(count))
    one = written(tmp_path, model)
    [choice, labels] = ask(cpb, one, "overview")["attributes"]["items"]
    assert choice == {"name": "ClassLabels", "kind": "enum", "value": "stringClassLabels"}
    assert labels["name"] == "stringClassLabels.vector"
    assert (labels["kind"], labels["value"]) == (("strings", [f"class {i}" for i in range(64)]) if count == 64 else ("list", 65))
    model.neuralNetworkClassifier.stringClassLabels.vector[50] = "another"
    assert cpb.run("diff", one, written(tmp_path, model, "other.mlmodel")).returncode == 1
