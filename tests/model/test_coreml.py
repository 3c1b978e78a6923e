"""Core ML models, as coremltools itself reads them: programs, neural networks, pipelines."""

import json
import shutil

import numpy as np
import pytest

pytest.importorskip("coremltools")

from coremltools.proto import Model_pb2  # noqa: E402
from support import coreml_facts as facts  # noqa: E402
from support import coreml_models as models  # noqa: E402
from support.asking import total  # noqa: E402

MODELS = list(models.PROGRAMS) + [f"network {name}" for name in models.NETWORKS]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A model by its name, made once: what is given to the command, its message, and this read."""
    folder, done = tmp_path_factory.mktemp("coreml"), {}

    def get(name):
        if name not in done:
            path, message = models.make(name, folder)
            spec = Model_pb2.Model()
            spec.ParseFromString(message.read_bytes())
            done[name] = path, message, spec
        return done[name]

    return get


def ask(cpb, path, question, name=None, scope=None):
    words = [question] + ([name] if name else []) + (["--scope", scope] if scope else [])
    return json.loads(cpb.ok("inspect", path, *words, "--json", "--count", 10**6))


# --- Answers --------------------------------------------------------------------------------------

COMPRESSED = ("palettized", "six bits", "sparse", "int8", "int4")


@pytest.mark.parametrize("name", MODELS)
def test_layers_and_tensors_have_the_parameters_of_the_overview(cpb, made, name):
    total(cpb, made(name)[0])


@pytest.mark.parametrize("name", MODELS)
def test_overview(cpb, made, name):
    path, _, spec = made(name)
    o, d = ask(cpb, path, "overview"), spec.description
    graphs = facts.graphs(spec)
    assert o["kind"] == "coreml" and o["problems"] == []
    assert o["specification_version"] == spec.specificationVersion
    assert o["type"] == spec.WhichOneof("Type") and o["updatable"] == spec.isUpdatable
    m = d.metadata
    assert (o["author"], o["license"], o["version"], o["doc"]) == (
        m.author or None, m.license or None, m.versionString or None, m.shortDescription or None)
    assert {i["key"]: i["value"] for i in o["metadata"]["items"]} == dict(m.userDefined)
    own = next((f for f in d.functions if f.name == d.defaultFunctionName), d)
    for ours, theirs in (("inputs", own.input), ("outputs", own.output), ("states", own.state)):
        assert o[ours]["items"] == [facts.feature(f, graphs[0]) for f in theirs], ours
    assert o["predicted_feature"] == (d.predictedFeatureName or None)
    assert o["nodes"] == len(graphs[0].nodes())
    assert o["subgraphs"] + o["functions"] == len(graphs) - 1
    assert o["subgraph_nodes"] + o["function_nodes"] == sum(len(g.nodes()) for g in graphs[1:])
    assert o.get("opset") == (graphs[0].function.opset if graphs[0].function else None)


@pytest.mark.parametrize("name", MODELS)
def test_nodes_of_all_graphs(cpb, made, name):
    path, _, spec = made(name)
    graphs = facts.graphs(spec)
    assert [f["name"] for f in ask(cpb, path, "functions")["functions"]["items"]] == [g.name for g in graphs[1:]]
    for graph in graphs:
        answer = ask(cpb, path, "nodes", graph.name)
        assert answer["function"] == graph.name
        assert [facts.our_node(n) for n in answer["nodes"]["items"]] == [
            facts.node(graph, n, i) for i, n in enumerate(graph.nodes())]
    assert {u["op"]: u["count"] for u in ask(cpb, path, "ops")["ops"]["items"]} == facts.operations(spec)


def all_constants(spec):
    return {(g.name, name): (message, shape) for g in facts.graphs(spec) for name, message, shape in facts.constants_of(g)}


@pytest.mark.parametrize("name", MODELS)
def test_constants(cpb, made, name):
    path, _, spec = made(name)
    expected = all_constants(spec)
    ours = {(c["function"], c["node"]): c for c in ask(cpb, path, "constants")["constants"]["items"]}
    assert ours.keys() == expected.keys()
    total = 0
    for key, (message, shape) in expected.items():
        c = ours[key]
        if shape is None:
            field, bits = facts.stored(message)
            assert c["field"] == field and c["elements"] * bits <= c["size"] * 8 < c["elements"] * bits + 64
            total += c["elements"]
            continue
        assert (c["dtype"], c["shape"]) == (facts.dtype(message.type.tensorType.dataType), shape), key
        if message.WhichOneof("value") == "blobFileValue":
            blob = message.blobFileValue
            assert (c["external"]["location"], c["external"]["offset"]) == (
                blob.fileName.removeprefix("@model_path/"), blob.offset)
            total += c["elements"]
    if name in COMPRESSED:  # counts as what it was before
        total = ask(cpb, made("half")[0], "overview")["parameters"]["total"]
    assert ask(cpb, path, "overview")["parameters"]["total"] == total


@pytest.mark.parametrize("name", MODELS)
def test_values(cpb, made, tmp_path, name):
    """Each constant's, as coremltools' reader of the file or the message itself has them."""
    path, message_path, spec = made(name)
    compared = 0
    for (function, constant), (message, shape) in all_constants(spec).items():
        out = tmp_path / "out.npy"
        cpb.ok("extract", path, constant, *(["--scope", function] if function else []), "-o", out, "--force")
        ours = np.load(out, allow_pickle=False)
        if shape is None:
            theirs = facts.weight_values(message)
            assert np.array_equal(ours.ravel(), theirs[: ours.size]) and ours.size > len(theirs) - 8, constant
        elif message.WhichOneof("value") == "blobFileValue":
            theirs = facts.blob_values(message, message_path.parent)
            assert ours.shape == tuple(shape) and np.array_equal(ours.ravel(), theirs.astype(ours.dtype).ravel()), constant
        else:
            theirs = facts.immediate_values(message)
            if theirs is None:
                continue
            if theirs.dtype == object:
                theirs = np.array([text.encode() for text in theirs])
            assert ours.shape == tuple(shape) and np.array_equal(ours.ravel(), theirs.ravel()), constant
        compared += 1
    assert compared > 0 or not all_constants(spec)


SHAPES = {"conv:weights": [4, 3, 2, 3], "conv:bias": [4], "grouped:weights": [8, 2, 3, 3], "deconv:weights": [8, 4, 2, 2],
          "norm:variance": [4], "prelu:alpha": [4], "soft:beta": [4], "scale:scale": [4, 1, 1], "bias:bias": [4],
          "constant:data": [2, 3, 4], "dense:weights": [10, 20], "embed:weights": [10, 6], "rnn:weightMatrix": [5, 10],
          "gru:resetGateRecursionMatrix": [4, 4], "lstm:blockInputWeightMatrix": [3, 4], "lstm:inputGatePeepholeVector": [3],
          "both:outputGateWeightMatrix[1]": [2, 3], "nd:weights": [5, 6], "mat:weights": [7, 5], "mat:bias": [7],
          "constant nd:data": [2, 2], "layer norm:gamma": [2, 2], "conv3d:weights": [6, 2, 2, 3, 3]}


def test_shapes_of_weights_are_those_that_the_layers_say(cpb, made):
    constants = ask(cpb, made("network many layers")[0], "constants")["constants"]["items"]
    shapes = {c["node"]: c["shape"] for c in constants}
    assert {name: shapes[name] for name in SHAPES} == SHAPES


@pytest.mark.parametrize("bits, kind", [(8, "scales"), (5, "table"), (3, "scales"), (1, "scales")])
def test_quantization_of_weights(cpb, made, bits, kind):
    name = f"network {bits} bit{'s' if bits > 1 else ''}"
    constants = ask(cpb, made(name)[0], "constants")["constants"]["items"]
    conv = next(c for c in constants if c["node"] == "conv:weights")
    assert conv["quantization"]["bits"] == bits and kind in conv["quantization"]
    assert conv["dtype"] == f"uint{bits}" and conv["shape"] == [4, 3, 3, 3]
    assert conv["preview"] == facts.weight_values(made(name)[2].neuralNetwork.layers[0].convolution.weights)[:8].tolist()


# --- Other questions ----------------------------------------------------------------------------------


def test_layers_consumers_and_search(cpb, made):
    path = made("single")[0]
    layers = {i["name"]: i for i in ask(cpb, path, "layers")["layers"]["items"]}
    assert layers["encoder_0_conv"]["class"] == "conv" and layers["encoder_0_conv"]["parameters"] == 16 * 27
    assert layers["head_linear"]["parameters"] == 10 * 577
    consumers = ask(cpb, path, "consumers", "encoder_0_conv")["consumers"]["items"]
    assert [(c["name"], c["op"]) for c in consumers] == [("encoder_0_relu", "relu")]
    assert [c["is"] for c in ask(cpb, path, "consumers", "head_softmax")["consumers"]["items"]] == ["return"]
    found = ask(cpb, path, "search", "LINEAR")["found"]["items"]
    assert {"is": "node", "name": "head_linear", "op": "linear", "function": None} in found


def test_scopes(cpb, made):
    path = made("network classifier")[0]
    scopes = {i["name"]: i for i in ask(cpb, path, "scopes")["children"]["items"]}
    assert scopes["head"]["nodes"] == 2 and scopes["head"]["size"] == 4 * (3 * 192 + 3)
    nodes = ask(cpb, made("single")[0], "scopes")["children"]["items"]
    assert [n["name"] for n in nodes] == ["encoder_0_conv", "encoder_0_relu", "flat", "head_linear", "head_softmax"]
    assert nodes[0]["size"] == 4 * 16 * 27 and nodes[1]["size"] == 0


def test_a_classifiers_label_comes_from_its_probabilities(cpb, made):
    path = made("network classifier")[0]
    results = ask(cpb, path, "scopes")["results"]
    assert [(r["name"], r["node"]) for r in results] == [("y", "head/probabilities"), ("classLabel", "head/probabilities")]
    consumers = ask(cpb, path, "consumers", "head/probabilities")["consumers"]["items"]
    assert [(c["is"], c["name"]) for c in consumers] == [("return", "y"), ("return", "classLabel")]
    results = ask(cpb, made("network pipeline")[0], "scopes")["results"]
    assert ("classLabel", "classify") in [(r["name"], r.get("node")) for r in results]


def test_blocks_take_values_of_the_graph_around_them(cpb, made):
    path, _, spec = made("branching")
    assert "loop:block[1]/choose:block[0]" in [g.name for g in facts.graphs(spec)]
    answer = ask(cpb, path, "function", "loop:block[1]")
    assert answer["is"] == "subgraph" and len(answer["inputs"]) == 2
    inner = ask(cpb, path, "consumers", answer["inputs"][1]["name"], scope="loop:block[1]")["consumers"]["items"]
    assert [(c["name"], c["function"]) for c in inner] == [("grown", "loop:block[1]/choose:block[0]"),
                                                           ("shrunk", "loop:block[1]/choose:block[1]")]
    taken = ask(cpb, path, "consumers", "shrunk", scope="loop:block[1]/choose:block[1]")
    assert [c["is"] for c in taken["consumers"]["items"]] == ["return"]


def test_models_of_a_pipeline(cpb, made):
    path = made("network pipeline")[0]
    functions = ask(cpb, path, "functions")["functions"]["items"]
    assert [(f["name"], f["is"]) for f in functions] == [("encode:neuralNetwork", "model"),
                                                         ("classify:neuralNetworkClassifier", "model")]
    assert ask(cpb, path, "consumers", "encode")["consumers"]["items"][0]["name"] == "classify"
    assert [c["function"] for c in ask(cpb, path, "consumers", "x")["consumers"]["items"]] == [None]


def test_the_default_function_is_the_models_graph(cpb, made):
    path = made("functions")[0]
    o = ask(cpb, path, "overview")
    assert (o["function"], o["functions"]) == ("classify", 1)
    assert ask(cpb, path, "nodes", "classify") == ask(cpb, path, "nodes")


def test_sizes_may_have_ranges(cpb, made):
    (given,) = ask(cpb, made("network ranges")[0], "overview")["inputs"]["items"]
    assert given["ranges"] == [[1, None], [4, 4]]


def test_weights_that_are_taken_twice_count_once(cpb, made):
    layers = ask(cpb, made("twice")[0], "layers")["layers"]["items"]
    assert [(i["name"], i["parameters"]) for i in layers] == [("first", 16), ("second", 0)]


def test_indices_in_the_file_of_weights_are_no_parameters(cpb, tmp_path):
    path = tmp_path / "m.mlpackage"
    models.convert(models.lookup_program(), compute_precision=models.ct.precision.FLOAT32).save(str(path))
    items = ask(cpb, path, "constants")["constants"]["items"]
    assert {(c["dtype"], c["use"]) for c in items if "external" in c} == {("float32", "weight"), ("uint16", "constant")}
    assert total(cpb, path) == 50 * 4


def test_trainable_weights_are_those_that_can_be_updated(cpb, tmp_path):
    """Of layers that can be; a model that cannot says nothing about its weights."""

    def trainable():
        path.write_bytes(builder.spec.SerializeToString())
        return ask(cpb, path, "overview")["parameters"]["trainable"]

    path, builder = tmp_path / "m.mlmodel", models.dense_layers()
    assert trainable() is None
    builder.make_updatable(["second"])
    assert trainable() == 5 * 3 + 3
    layers = builder.spec.neuralNetwork.layers
    layers[0].innerProduct.weights.isUpdatable = True  # of a layer that is not
    assert trainable() == 5 * 3 + 3
    layers[1].innerProduct.bias.isUpdatable = False
    assert trainable() == 5 * 3


def test_classes(cpb, made):
    assert ask(cpb, made("network classifier")[0], "overview")["classes"] == 3


def test_layers_and_models_of_an_application_go_by_their_class(cpb, tmp_path):
    """Even if that has the name of a layer of Core ML's own."""
    spec = Model_pb2.Model(specificationVersion=4)
    own = spec.pipeline.models.add()
    own.customModel.className = "Rules"
    network = spec.pipeline.models.add().neuralNetwork
    for name in ("GroupNorm", "GroupNorm", "softmax", ""):
        network.layers.add().custom.className = name
    network.layers.add().softmax.SetInParent()
    (tmp_path / "m.mlmodel").write_bytes(spec.SerializeToString())
    ops = ask(cpb, tmp_path / "m.mlmodel", "ops")
    assert {(o["op"], o["from"], o["count"]) for o in ops["ops"]["items"]} == {
        ("Rules", "custom", 1), ("neuralNetwork", "coreml", 1), ("GroupNorm", "custom", 2), ("softmax", "custom", 1),
        ("custom", "custom", 1), ("softmax", "coreml", 1)}
    assert ops["custom"] == [{"op": op} for op in ("GroupNorm", "Rules", "custom", "softmax")]


def features():
    """Types of inputs that coremltools' converters rarely make."""
    spec = Model_pb2.Model(specificationVersion=9)
    spec.neuralNetwork.SetInParent()
    numbers = iter(range(100))

    def add(which):
        f = spec.description.input.add(name=f"x{next(numbers)}").type
        getattr(f, which).SetInParent()
        return f

    for color in (0, 10, 20, 30, 40):
        add("imageType").imageType.colorSpace = color
    sizes = add("imageType").imageType.enumeratedSizes.sizes
    for size in (20, 30):
        sizes.add(width=size, height=size + 1)
    for upper in (-1, 64):
        span = add("imageType").imageType.imageSizeRange
        span.widthRange.lowerBound, span.widthRange.upperBound = 1, upper
        span.heightRange.lowerBound, span.heightRange.upperBound = 16, 16
    shapes = add("multiArrayType").multiArrayType.enumeratedShapes.shapes
    for shape in ([1], [2, 3]):
        shapes.add(shape=shape)
    add("dictionaryType").dictionaryType.int64KeyType.SetInParent()
    add("dictionaryType").dictionaryType.stringKeyType.SetInParent()
    add("sequenceType").sequenceType.int64Type.SetInParent()
    add("sequenceType").sequenceType.stringType.SetInParent()
    for which in ("int64Type", "doubleType", "stringType"):
        add(which).isOptional = True
    spec.description.input.add(name="none")
    return spec


def test_types_of_features(cpb, tmp_path):
    spec, path = features(), tmp_path / "m.mlmodel"
    path.write_bytes(spec.SerializeToString())
    [graph] = facts.graphs(spec)
    assert ask(cpb, path, "overview")["inputs"]["items"] == [facts.feature(f, graph) for f in spec.description.input]


def test_attributes_that_are_no_tensors_have_their_kind_and_number(cpb, tmp_path):
    spec, path = Model_pb2.Model(specificationVersion=9), tmp_path / "m.mlmodel"
    function = spec.mlProgram.functions["main"]
    function.opset = "CoreML8"
    operation = function.block_specializations["CoreML8"].operations.add(type="custom_op")
    values = [operation.attributes[name].immediateValue for name in ("a", "b", "c", "d")]
    for _ in range(3):
        values[0].tuple.values.add()
    values[1].list.values.add()
    values[2].dictionary.values.add()
    path.write_bytes(spec.SerializeToString())
    [node] = ask(cpb, path, "nodes")["nodes"]["items"]
    assert {a["name"]: (a["kind"], a["value"]) for a in node["attributes"]} == {
        "a": ("tuple", 3), "b": ("list", 1), "c": ("dictionary", 1), "d": (None, None)}


def test_a_long_text_is_shown_by_its_size_and_place(cpb, tmp_path):
    spec = Model_pb2.Model(specificationVersion=4)
    spec.neuralNetwork.SetInParent()
    spec.description.metadata.userDefined["notes"] = "x" * 4096
    message = spec.SerializeToString()
    (tmp_path / "m.mlmodel").write_bytes(message)
    text = cpb.ok("inspect", tmp_path / "m.mlmodel").decode()
    assert f"notes  4.0 KiB at byte {message.index(b'x' * 4096)}" in text


def test_a_summary_for_people(cpb, made):
    text = cpb.ok("inspect", made("odd types")[0]).decode()
    assert "image[rgb,8x8]" in text and "mlProgram" in text


# --- Files ------------------------------------------------------------------------------------------------


def test_a_package_is_the_model_that_its_manifest_names(cpb, made, tmp_path):
    path, message, _ = made("half")
    assert ask(cpb, path, "overview") == ask(cpb, message, "overview")
    package = tmp_path / "other.mlpackage"
    shutil.copytree(path, package)

    def rename(name):
        manifest = json.loads((path / "Manifest.json").read_text())
        manifest["itemInfoEntries"][manifest["rootModelIdentifier"]]["path"] = name
        (package / "Manifest.json").write_text(json.dumps(manifest))

    for name in ("./com.apple.CoreML//model.mlmodel", "x/../com.apple.CoreML/./model.mlmodel"):
        rename(name)
        assert ask(cpb, package, "overview") == ask(cpb, message, "overview")
    for name in ("../../half.mlpackage/Data/com.apple.CoreML/model.mlmodel", "/etc/passwd", "", "x/../../y", "../Data/y"):
        rename(name)
        result = cpb.run("inspect", package)
        assert result.returncode == 3 and b"Manifest.json" in result.stderr, result


def test_split_and_merged_it_is_the_same(cpb, made, tmp_path):
    for name in ("half", "network many layers"):
        _, message, _ = made(name)
        cpb.ok("split", message, "-o", tmp_path / "m.cpb", "--max-chunk-size", "4K", "--force")
        cpb.ok("merge", tmp_path / "m.cpb", "-o", tmp_path / "merged", "--force")
        assert (tmp_path / "merged").read_bytes() == message.read_bytes()
        split, whole = (ask(cpb, p, "nodes")["nodes"] for p in (tmp_path / "m.cpb", message))
        assert split == whole


def test_differences(cpb, made):
    result = cpb.run("diff", "--tsv", made("half")[0], made("single")[0])
    assert result.returncode == 1 and b"ops" in result.stdout
    assert cpb.run("diff", made("half")[0], made("half")[1]).returncode == 0


@pytest.mark.parametrize("name", ["half", "network many layers", "network pipeline"])
def test_a_truncated_model_shows_what_there_is(cpb, made, tmp_path, name):
    _, message, _ = made(name)
    data = message.read_bytes()
    for size in (len(data) // 4, len(data) // 2, len(data) - 1):
        (tmp_path / "cut").write_bytes(data[:size])
        result = cpb.run("inspect", tmp_path / "cut", "nodes", "--json")
        assert result.returncode == 1, result.stderr
        answer = json.loads(result.stdout)
        assert answer["problems"][0]["damage"] and "missing" in answer["problems"][0]["text"]
