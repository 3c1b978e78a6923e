"""What is known of operators: the tables are what the packages say, and nodes have of them what onnx.defs, TensorFlow's
OpDefs and coremltools say, which are read here anew."""

import json
import pathlib
import re
import sys

import pytest

from conftest import ROOT
from support import coreml_wire, wire
from support.asking import CORPUS, RICH, ask, folder_of, meta_graph

onnx = pytest.importorskip("onnx")

from onnx import defs, helper  # noqa: E402

sys.path.insert(0, str(ROOT / "tools"))

SHIPPED = sorted(pathlib.Path(onnx.__file__).parent.glob("backend/test/data/**/*.onnx"))


@pytest.mark.parametrize("name", ["onnx", "tensorflow", "coreml"])
def test_the_tables_are_what_the_packages_say(name):
    import operators
    if name == "coreml":
        pytest.importorskip("coremltools")
    text = operators.text(name)
    assert (operators.FOLDER / f"{name}.inc").read_text() == text
    assert text.isascii() and all(map(str.isprintable, text.splitlines()))


def test_the_messages_of_coreml_are_what_the_package_says():
    import operators
    pytest.importorskip("coremltools")
    assert (operators.FOLDER.parent / "coreml/messages.inc").read_text() == operators.coreml_messages()


@pytest.mark.parametrize("text, sentence", [
    ("One. Two.", "One."), ("Some, e.g. this, are one. Two.", "Some, e.g. this, are one."), ("", ""), (None, ""),
    ("TODO: add doc.", ""), ("Deprecated. Use another.", ""), ("A line\n  goes on.\n\nMore.", "A line goes on."),
    ("No end:\n* a\n* b", "No end"), ("By [Adam](https://a.b/c.pdf). More", "By Adam."), ("0.5 of it. Two", "0.5 of it."),
    ("A.<br>B.", "A."), ("Adds, using the following equation:\n\n```\nx", "Adds."), ("Adds\nusing formula:", "Adds.")])
def test_first_sentences(text, sentence):
    import operators
    assert operators.first_sentence(text) == sentence


@pytest.mark.parametrize("name, domain", [("Scatter", ""), ("TreeEnsembleClassifier", "ai.onnx.ml"),
                                          ("TreeEnsembleRegressor", "ai.onnx.ml")])
def test_a_deprecated_version_does_not_tell_what_older_ones_do(name, domain):
    import operators
    [(versions, sentence)] = [words[3:] for words in operators.onnx() if words[:2] == (name, domain)]
    newest = defs.get_schema(name, int(versions.split()[-1].split(":")[0]), domain)
    assert newest.deprecated and "deprecated" not in sentence.lower() and sentence


# --- ONNX ------------------------------------------------------------------------------------


def nodes_of(graph):
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            for inner in [attribute.g] * attribute.HasField("g") + list(attribute.graphs):
                yield from nodes_of(inner)


def onnx_roles(node, version):
    """By the schema of that version; None: not known, or there is only one."""
    if not defs.has(node.op_type, domain=node.domain):
        return None
    newest = defs.get_schema(node.op_type, domain=node.domain)
    try:
        schema = defs.get_schema(node.op_type, version, node.domain)
    except defs.SchemaError:
        schema = newest
    if len(newest.inputs) < 2 and len(schema.inputs) < 2:
        return None
    names = [i.name for i in (schema.inputs if len(schema.inputs) >= len(node.input) else newest.inputs)]
    if schema.inputs and schema.inputs[-1].option == defs.OpSchema.FormalParameterOption.Variadic:
        names = [i.name for i in schema.inputs] + [schema.inputs[-1].name] * len(node.input)
    return names[:len(node.input)]


def test_roles_are_those_of_the_schema_in_force(cpb):
    """Of each node of the model's graph in the models that the package ships."""
    seen = set()
    for path in SHIPPED[::3]:
        model = onnx.load(path)
        versions = {i.domain: i.version for i in model.opset_import}
        functions = {(f.domain, f.name) for f in model.functions}
        items = json.loads(cpb.ok("inspect", path, "nodes", "--json", "-n", 10**6))["nodes"]["items"]
        for ours, node in zip(items, model.graph.node, strict=True):
            if (node.domain, node.op_type) not in functions:
                assert ours.get("parameters") == onnx_roles(node, versions.get(node.domain, 1)), (path, node.op_type)
                seen.add((node.op_type, versions.get(node.domain)))
    assert len(seen) > 40


def one_node(tmp_path, node, version, functions=()):
    path = tmp_path / "m.onnx"
    imports = [] if version is None else [helper.make_opsetid(node.domain, version)]
    model = onnx.ModelProto(ir_version=8, graph=onnx.GraphProto(node=[node]), opset_import=imports, functions=functions)
    path.write_bytes(model.SerializeToString())
    return path


def every_schema():
    for schema in defs.get_all_schemas_with_history():
        if not schema.deprecated:
            yield schema


def test_every_operator_in_each_of_its_versions(cpb, tmp_path):
    """One model for each version of a domain, with all of its operators."""
    sets = {}
    for schema in every_schema():
        sets.setdefault((schema.domain, schema.since_version), []).append(schema)
    count = 0
    for (domain, version), schemas in sets.items():
        nodes = [helper.make_node(s.name, [f"i{i}" for i in range(len(s.inputs) + 1)], ["o"], s.name, domain=domain)
                 for s in schemas]
        path = tmp_path / "m.onnx"
        path.write_bytes(onnx.ModelProto(ir_version=8, graph=onnx.GraphProto(node=nodes), opset_import=[
            helper.make_opsetid(domain, version)]).SerializeToString())
        answer = json.loads(cpb.ok("inspect", path, "nodes", "--json", "-n", 10**6))["nodes"]["items"]
        for schema, node in zip(schemas, answer, strict=True):
            names = [i.name for i in schema.inputs]
            if len(names) > 1:
                assert node["parameters"][:len(names)] == names, (schema.name, version)
                count += 1
    assert count > 250


@pytest.mark.parametrize("op, domain, version, since, begins", [
    ("Conv", "", 11, 11, "The convolution operator consumes an input tensor and a filter, and computes the output."),
    ("Conv", "", 21, 11, "The convolution operator"), ("Conv", "", 10**6, 22, "The convolution operator"),
    ("Conv", "", None, None, "The convolution operator"),
    ("Scaler", "ai.onnx.ml", 3, 1, "Rescale input data"), ("Conv", "mine", 3, None, None), ("Conv", "mine", None, None, None)])
def test_the_description_of_an_operation(cpb, tmp_path, op, domain, version, since, begins):
    path = one_node(tmp_path, helper.make_node(op, ["x", "w"], ["y"], "n", domain=domain), version)
    operation = json.loads(cpb.ok("inspect", path, "node", "n", "--json"))["operation"]
    assert (operation["domain"], operation["version"], operation.get("since")) == (domain, version, since)
    assert operation.get("summary", "").startswith(begins or "") and ("summary" in operation) == (begins is not None)
    if since:
        assert defs.get_schema(op, version, domain).since_version == since


def test_calls_of_an_onnx_function_have_its_names(cpb, tmp_path):
    """Also of one that is called as an operator is."""
    inner = helper.make_function("mine", "Conv", ["left", "right"], ["z"], [helper.make_node("Add", ["left", "right"], ["z"])],
                                 [helper.make_opsetid("", 13)])
    path = one_node(tmp_path, helper.make_node("Conv", ["x", "w", "more"], ["y"], "n", domain="mine"), 1, [inner])
    answer = json.loads(cpb.ok("inspect", path, "node", "n", "--json"))
    assert answer["parameters"] == ["left", "right", ""]
    assert [source.get("role") for source in answer["from"]] == ["left", "right", None]
    assert "operation" not in answer


def test_a_node_in_the_terminal(cpb, tmp_path):
    path = one_node(tmp_path, helper.make_node("Conv", ["x", "w"], ["y"], "n"), 12)
    lines = cpb.ok("inspect", "--tsv", path, "node", "n").decode().splitlines()
    assert ("operation\tai.onnx 12, unchanged since 11: The convolution operator consumes an input tensor and a filter, "
            "and computes the output.") in lines
    assert "from\t0\tX\t\tx\t" in lines or any(line.startswith("from\t0\tX\t") for line in lines)


# --- TensorFlow -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def op_defs():
    import operators
    return {op.name: op for op in operators.tensorflow_ops()}


def tensorflow_roles(node, definition, count):
    """By the definition; None: there is only one."""
    if definition is None or len(definition.input_arg) < 2:
        return None
    roles = []
    for argument in definition.input_arg:
        attribute = argument.number_attr or argument.type_list_attr
        value = node.attr[attribute] if attribute in node.attr else None
        if attribute and value is None:
            [value] = [a.default_value for a in definition.attr if a.name == attribute]
        times = 1 if not attribute else len(value.list.type) if argument.type_list_attr else value.i
        roles += [argument.name] * times
    assert len(roles) == count, node
    return roles


def called(node, functions):
    if node.op in ("PartitionedCall", "StatefulPartitionedCall"):
        return functions[node.attr["f"].func.name]
    return functions.get(node.op)


@pytest.mark.parametrize("name", [*CORPUS, RICH, "keras", "functions"])
def test_roles_are_those_of_tensorflows_definitions(cpb, op_defs, name):
    graph = meta_graph(folder_of(name)).graph_def
    functions = {f.signature.name: f.signature for f in graph.library.function}
    seen = 0
    for function, nodes in [(None, graph.node), *((f.signature.name, f.node_def) for f in graph.library.function)]:
        items = ask(cpb, folder_of(name), "nodes", *([function] if function else []))["nodes"]["items"]
        for ours, node in zip(items, nodes, strict=True):
            data = [i for i in node.input if not i.startswith("^")]
            if called(node, functions):
                expected = [argument.name for argument in called(node, functions).input_arg]
            else:
                expected = tensorflow_roles(node, op_defs.get(node.op), len(data))
            assert ours.get("parameters") == expected, (function, node.name, node.op)
            assert ours["inputs"] == data
            seen += expected is not None
    assert seen > 5


def graph_of(tmp_path, change):
    from tensorflow.core.framework import graph_pb2
    graph = graph_pb2.GraphDef()
    change(graph)
    path = tmp_path / "graph.pb"
    path.write_bytes(graph.SerializeToString())
    return path


def test_inputs_that_are_several(cpb, tmp_path):
    """By numbers and lists of types; control inputs have no role. Where the number is a
    placeholder nothing is known of what follows."""
    def change(graph):
        concat = graph.node.add(name="concat", op="ConcatV2", input=["a", "b", "c", "axis", "^d"])
        concat.attr["N"].i = 3
        loop = graph.node.add(name="case", op="Case", input=["i", "x", "y", "z"])
        loop.attr["Tin"].list.type.extend([1, 1, 3])
        graph.node.add(name="trees", op="BoostedTreesUpdateEnsembleV2", input=[f"i{i}" for i in range(11)])
        unknown = graph.node.add(name="unknown", op="ConcatV2", input=["a", "axis"])
        unknown.attr["N"].placeholder = "n"
        graph.node.add(name="less", op="ConcatV2", input=["a", "axis", "more"])
        graph.node.add(name="custom", op="MyOwn", input=["a", "b"])
        graph.node.add(name="mkl", op="_MklConv2D", input=["a", "b"])
    path = graph_of(tmp_path, change)
    roles = {node["name"]: node.get("parameters") for node in ask(cpb, path, "nodes")["nodes"]["items"]}
    assert roles["concat"] == ["values"] * 3 + ["axis"]
    assert roles["case"] == ["branch_index"] + ["input"] * 3
    assert roles["trees"] is None  # whose number has a default that is not 0
    assert roles["unknown"] == ["", ""] and roles["less"] == ["axis", "", ""]
    assert roles["custom"] is roles["mkl"] is None
    sources = ask(cpb, path, "node", "concat")["from"]
    assert [(s.get("role"), s.get("control")) for s in sources] == [
        *[("values", None)] * 3, ("axis", None), (None, True)]


def test_a_function_is_not_what_its_name_says(cpb, tmp_path):
    """One that is called as an operation is: its arguments count, and no sentence is said of it."""
    def change(graph):
        function = graph.library.function.add()
        function.signature.name = "Conv2D"
        for name in ("left", "right"):
            function.signature.input_arg.add(name=name, type=1)
        graph.node.add(name="call", op="Conv2D", input=["a", "b"])
        graph.node.add(name="sum", op="AddV2", input=["a", "b"])
        graph.node.add(name="nothing", op="MyOwn")
    path = graph_of(tmp_path, change)
    call = ask(cpb, path, "node", "call")
    assert call["parameters"] == ["left", "right"] and "operation" not in call
    assert ask(cpb, path, "node", "sum")["operation"] == {"summary": "Returns x + y element-wise."}
    assert "operation" not in ask(cpb, path, "node", "nothing")


# --- Core ML ------------------------------------------------------------------------------------


def test_the_description_of_operations_of_programs(cpb, tmp_path):
    """Of some of coremltools' operations the beginning of their description, without what makes a text of it."""
    registry = pytest.importorskip("coremltools.converters.mil.mil.ops.registry").SSAOpRegistry
    names = [*sorted(registry.core_ops)[1::9], "conv", "crop_resize", "less", "topk"]
    nodes = b"".join(wire.field(3, wire.field(1, name.encode()) + wire.field(3, wire.field(1, b"n_" + name.encode())))
                     for name in [*names, "mine"])
    path, said = tmp_path / "m.mlmodel", 0
    path.write_bytes(coreml_wire.program(nodes))
    for name in names:
        operation = ask(cpb, path, "node", "n_" + name).get("operation")
        text = " ".join(re.sub(r" <http\S*>`_|`", "", d) for d in
                        (" ".join((v.__doc__ or "").split()) for v in registry.core_ops[name].values()))
        assert operation is None or (list(operation) == ["summary"] and operation["summary"].replace("`", "") in text), name
        said += operation is not None
    assert said > len(names) - 3
    assert ask(cpb, path, "node", "n_crop_resize")["operation"]["summary"].startswith("Resize the spatial dimensions")
    assert "operation" not in ask(cpb, path, "node", "n_mine")


def test_a_layer_is_no_operation_of_that_name(cpb, tmp_path):
    path = tmp_path / "m.mlmodel"
    path.write_bytes(coreml_wire.network(coreml_wire.layer(175, b"")))
    answer = ask(cpb, path, "node", "l")
    assert answer["op"] == "softmax" and "operation" not in answer


# --- What differs -----------------------------------------------------------------------------


def test_other_names_for_inputs_are_no_difference(cpb, tmp_path):
    """Between versions of BatchNormalization two inputs got other names: the version differs, and no node does."""
    paths = []
    for version in (13, 14):
        node = helper.make_node("BatchNormalization", ["x", "s", "b", "m", "v"], ["y"], "n")
        paths.append(tmp_path / f"{version}.onnx")
        paths[-1].write_bytes(one_node(tmp_path, node, version).read_bytes())
    names = [ask(cpb, path, "nodes")["nodes"]["items"][0]["parameters"][3:] for path in paths]
    assert names == [["mean", "var"], ["input_mean", "input_var"]]
    differences = json.loads(cpb.run("diff", *paths, "--json").stdout)
    assert {s["section"] for s in differences["sections"] if s["differences"]} == {"opset_imports"}
