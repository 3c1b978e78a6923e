"""SavedModels and frozen graphs: what cpb inspect says equals what TensorFlow says of them."""

import json

import pytest

from support import big_graph, models
from support.asking import CORPUS, RICH, ask, folder_of, meta_graph

def dtype(value):
    import tensorflow as tf
    if value == 0:
        return "invalid"
    name = tf.dtypes.as_dtype(value).name
    return {"half": "float16"}.get(name, name)


def shape(proto):
    return None if proto.unknown_rank else [dim.size if dim.size >= 0 else None for dim in proto.dim]


all_models = pytest.mark.parametrize("name", [*CORPUS, RICH, "keras", "functions"])

# --- Overview and signatures -------------------------------------------------------------


def tensor_info(name, info):
    said = {"name": name, "dtype": dtype(info.dtype), "shape": shape(info.tensor_shape)}
    if info.WhichOneof("encoding") == "name":
        said["tensor"] = info.name
    return said


@pytest.mark.parametrize("name, number", [*((name, 0) for name in [*CORPUS, RICH, "keras"]), ("v1", 0), ("v1", 1)])
def test_signatures_are_those_of_the_meta_graph(cpb, name, number):
    path = folder_of(name)
    meta = meta_graph(path, number)
    answer = ask(cpb, path, "--meta-graph", number)
    assert [item["key"] for item in answer["signatures"]["items"]] == sorted(meta.signature_def)
    for item in answer["signatures"]["items"]:
        signature = meta.signature_def[item["key"]]
        assert item["method"] == signature.method_name
        for side in ("inputs", "outputs"):
            assert item[side] == [tensor_info(key, getattr(signature, side)[key]) for key in sorted(getattr(signature, side))]
    info = meta.meta_info_def
    said = answer["meta_graphs"]["items"][number]
    assert (said["tags"], said["tensorflow_version"]) == (list(info.tags), info.tensorflow_version)
    assert answer["ops"] == {"source": "exporter", "total": len(info.stripped_op_list.op), "custom": []}
    assert said["graph"]["size"] == meta.graph_def.ByteSize()


@all_models
def test_the_overview_counts_objects(cpb, name):
    path = folder_of(name)
    graph = meta_graph(path).object_graph_def
    answer = ask(cpb, path)
    kinds = [node.WhichOneof("kind") or "none" for node in graph.nodes]
    assert answer["objects"]["total"] == len(kinds)
    assert answer["objects"]["kinds"] == {kind: kinds.count(kind) for kind in set(kinds)}
    variables = [node.variable for node in graph.nodes if node.WhichOneof("kind") == "variable"]
    assert answer["variables"]["total"] == len(variables)
    assert answer["variables"]["trainable"] == sum(v.trainable for v in variables)
    assert answer["variables"]["elements"] == sum(elements(v.shape) for v in variables)
    assert answer["concrete_functions"] == len(graph.concrete_functions)


def elements(proto):
    product = 1
    for dim in proto.dim:
        product *= dim.size
    return product


def test_v1_has_collections_assets_and_a_main_operation(cpb):
    answer = ask(cpb, folder_of("v1"), "--meta-graph", 1)
    meta = meta_graph(folder_of("v1"), 1)
    assert [item["name"] for item in answer["collections"]["items"]] == sorted(meta.collection_def)
    assert {item["name"]: item["count"] for item in answer["collections"]["items"]}["numbers"] == 1
    assert answer["assets"]["items"] == [{"file": ".v1.txt", "tensor": "asset_file:0"}]
    assert answer["initializers"] == [{"collection": "saved_model_main_op", "operation": "main"}]
    assert (answer["variables"]["total"], answer["variables"]["trainable"]) == (3, 3) and answer["objects"] is None
    assert answer["variables"]["stored"]["tensors"] == 3
    children = ask(cpb, folder_of("v1"), "objects", "--meta-graph", 1)["children"]
    assert [(item["name"], item["resource"]) for item in children["items"]] == [
        ("old:0", False), ("new:0", True), ("apart:0", True)]


def test_a_v1_signature_leads_to_the_variables_it_needs(cpb):
    answer = ask(cpb, folder_of("v1"), "signature", "serving_default")
    assert answer["wrapper"] is None and answer["function"] is None
    assert [(v["node"], v["op"], v["dtype"], v["shape"]) for v in answer["graph"]["variables"]["items"]] == [
        ("old", "VariableV2", "float32", [3, 2]), ("new", "VarHandleOp", "float32", [2])]


def test_a_signature_leads_to_its_function_and_variables(cpb):
    import tensorflow as tf
    loaded = tf.saved_model.load(str(folder_of(RICH).parent))
    for key, function in loaded.signatures.items():
        answer = ask(cpb, folder_of(RICH), "signature", key)
        assert answer["wrapper"]["path"] == f"root.signatures.{key}"
        assert answer["wrapper"]["function"].startswith("__inference_signature_wrapper")
        assert sorted(answer["wrapper"]["argument_keywords"]) == sorted(function.structured_input_signature[1])
        captured = [c for c in answer["function"]["captures"] if c["kind"] == "variable"]
        assert {(c["path"], tuple(c["shape"])) for c in captured} == {
            (path, tuple(variable.shape)) for path, variable in variables_of(loaded).items()
            if any(variable is other for other in function.variables)}
        outputs = {name: (spec.dtype.name, spec.shape.as_list()) for name, spec in function.structured_outputs.items()}
        assert {item["name"]: (item["dtype"], item["shape"]) for item in answer["outputs"]} == outputs
        for tensor in answer["outputs"]:
            assert tensor["tensor"].split(":")[0] in [f["node"] for f in answer["graph"]["functions"]]


def variables_of(loaded):
    return {"root.block.weight": loaded.block.weight, "root.named.a.b": loaded.named["a.b"]}


def test_a_signature_that_is_not_there(cpb):
    result = cpb.run("inspect", folder_of(RICH), "signature", "nope")
    assert result.returncode == 1 and b'there is no signature "nope"' in result.stderr


def test_the_signature_without_a_key_is_serving_default_or_else_the_first(cpb, tmp_path):
    def ask(*name):
        return json.loads(cpb.ok("inspect", path, "signature", *name, "--json"))

    from tensorflow.core.protobuf import saved_model_pb2
    path = tmp_path / "saved_model.pb"
    saved = saved_model_pb2.SavedModel()
    signatures = saved.meta_graphs.add().signature_def
    for key in ["__saved_model_init_op", "b", "serving_default"]:
        signatures[key].method_name = key
    path.write_bytes(saved.SerializeToString())
    assert ask() == ask("serving_default")
    del signatures["serving_default"]
    path.write_bytes(saved.SerializeToString())
    assert ask() == ask("b")
    signatures.clear()
    path.write_bytes(saved.SerializeToString())
    result = cpb.run("inspect", path, "signature")
    assert result.returncode == 1 and b"the model has no signatures" in result.stderr


def test_the_fingerprint_is_that_of_the_file_beside(cpb, tmp_path):
    import shutil
    from tensorflow.core.protobuf import fingerprint_pb2
    folder = folder_of(RICH).parent
    said = ask(cpb, folder)["fingerprint"]
    truth = fingerprint_pb2.FingerprintDef.FromString((folder / "fingerprint.pb").read_bytes())
    assert said["uuid"] == truth.uuid and int(said["saved_model_checksum"]) == truth.saved_model_checksum
    shutil.copy(folder / "saved_model.pb", tmp_path)
    assert "fingerprint" not in ask(cpb, tmp_path)
    (tmp_path / "fingerprint.pb").write_bytes(b"\x08\x01\x08\x02\x0f")
    result = cpb.run("inspect", tmp_path, "--json")
    said = json.loads(result.stdout)
    assert result.returncode == 1 and said["fingerprint"] == {"saved_model_checksum": "2"}  # the last one, as in parsers
    assert [problem["text"] for problem in said["problems"]] == ["fingerprint.pb cannot be parsed beyond byte 4"]
    (tmp_path / "fingerprint.pb").write_bytes(b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 96\n")
    assert "fingerprint.pb is a Git LFS pointer" in json.loads(cpb.run("inspect", tmp_path, "--json").stdout)["problems"][0]["text"]


def test_tables_have_nothing_that_a_terminal_acts_on(cpb, tmp_path):
    f = big_graph.field
    signature = f(1, f(1, "in\x1b[2J\u009b<b>") + f(2, big_graph.tensor_info("x\x07:0")))
    meta = f(2, b"") + f(5, f(1, "key\n\x1b]0;title") + f(2, signature))
    (tmp_path / "saved_model.pb").write_bytes(f(1, 1) + f(2, meta))
    for words in [], ["--width", 80], ["overview"], ["signature", "key\n\x1b]0;title"]:
        text = cpb.ok("inspect", tmp_path, *words).decode()
        assert "<b>" in text and "title" in text
        assert not any(ord(c) < 0x20 and c not in "\t\n" or 0x7F <= ord(c) < 0xA0 for c in text)
    assert ask(cpb, tmp_path)["signatures"]["items"][0]["inputs"][0]["name"] == "in\x1b[2J\u009b<b>"


def test_tables_show_what_the_answer_has(cpb):
    lines = cpb.ok("inspect", "--tsv", folder_of(RICH), "signature", "serving_default").decode().splitlines()
    assert "inputs\tfeatures\tf32[?,4]\tserving_default_features:0\t\t" in lines
    assert any("root.block.weight" in line and "f32[4,3]" in line for line in lines)
    text = cpb.ok("inspect", folder_of(RICH), "functions", "--first", 2, "-n", 3, "--width", 80).decode()
    assert text.startswith("functions  22, from element 2 on, counting from 0")


# --- Functions and nodes -------------------------------------------------------------------


def attr_value(attr):
    kind = attr.WhichOneof("value")
    value = getattr(attr, kind) if kind else None
    if kind == "list":
        for field, inner in (("s", "s"), ("i", "i"), ("f", "f"), ("b", "b"), ("type", "type"), ("shape", "shape")):
            if getattr(value, field):
                return "list", [plain(inner, element) for element in getattr(value, field)]
        return "list", [{"function": f.name} for f in value.func]
    names = {"s": "string", "i": "int", "f": "float", "b": "bool", "func": "function"}
    return names.get(kind, kind), plain(kind, value)


def plain(kind, value):
    import numpy as np
    if kind == "s":
        return value.decode("utf-8", "replace")
    if kind == "type":
        return dtype(value)
    if kind == "shape":
        return shape(value)
    if kind == "func":
        return {"function": value.name}
    if kind == "i" and abs(value) > 2**53:
        return str(value)
    return np.float32(value) if kind == "f" else value


def check_node(item, node):
    assert (item["name"], item["op"], item.get("device", "")) == (node.name, node.op, node.device)
    assert item["inputs"] == [i for i in node.input if not i.startswith("^")]
    assert item["control_inputs"] == [i[1:] for i in node.input if i.startswith("^")]
    assert [a["name"] for a in item["attributes"]] == sorted(node.attr)
    for attr in item["attributes"]:
        kind, value = attr_value(node.attr[attr["name"]])
        assert attr["kind"] == kind
        if kind == "tensor":
            assert (attr["value"]["dtype"], attr["value"]["shape"]) == (dtype(value.dtype), shape(value.tensor_shape))
        elif not (kind == "string" and len(node.attr[attr["name"]].s) > 1024):
            assert attr["value"] == value


@all_models
def test_nodes_are_those_of_the_graph_and_its_functions(cpb, name):
    path = folder_of(name)
    graph = meta_graph(path).graph_def
    functions = list(graph.library.function)[:40]
    for function, nodes in [(None, graph.node), *((f.signature.name, f.node_def) for f in functions)]:
        answer = ask(cpb, path, "nodes", *([function] if function else []))
        assert answer["function"] == function
        assert answer["nodes"]["total"] == len(nodes)
        for item, node in zip(answer["nodes"]["items"], nodes, strict=True):
            check_node(item, node)


def called(graph, nodes):
    names = {f.signature.name for f in graph.library.function}
    found = {}
    for node in nodes:
        for attr in node.attr.values():
            for name in [attr.func.name, *(f.name for f in attr.list.func)]:
                if name in names:
                    found[name] = found.get(name, 0) + 1
    return found


@all_models
def test_functions_are_those_of_the_library(cpb, name):
    path = folder_of(name)
    meta = meta_graph(path)
    graph, concrete = meta.graph_def, meta.object_graph_def.concrete_functions
    calls = {f.signature.name: called(graph, f.node_def) for f in graph.library.function}
    answer = ask(cpb, path, "functions")
    assert [item["name"] for item in answer["functions"]["items"]] == list(calls)
    for function in list(graph.library.function)[:60]:
        said = ask(cpb, path, "function", function.signature.name)
        assert [i["name"] for i in said["inputs"]] == [a.name for a in function.signature.input_arg]
        assert [o["name"] for o in said["outputs"]] == [a.name for a in function.signature.output_arg]
        assert [o["tensor"] for o in said["outputs"]] == [function.ret[o["name"]] for o in said["outputs"]]
        assert {c["function"]: c["nodes"] for c in said["calls"]} == calls[said["name"]]
        callers = {n: c[said["name"]] for n, c in calls.items() if said["name"] in c}
        main = called(graph, graph.node).get(said["name"])
        if main:
            callers[None] = main
        assert {c["function"]: c["nodes"] for c in said["called_by"]} == callers
        assert said["concrete"] == (said["name"] in concrete)
        assert [c["node"] for c in said["captures"]] == list(concrete[said["name"]].bound_inputs if said["concrete"] else [])


def test_arguments_are_named_and_typed_as_python_has_them(cpb):
    path = folder_of(RICH)
    by_name = {}
    for item in ask(cpb, path, "functions")["functions"]["items"]:
        said = ask(cpb, path, "function", item["name"])
        for place in said["objects"]:
            by_name.setdefault(place["path"], []).append(said)
    fast, slow = sorted(by_name["root.many"], key=lambda said: json.dumps(said["arguments"]))
    named = {a["name"]: a["value"] for a in fast["arguments"]}
    assert named["mode"] == "fast" and named["options"] is None and named["deep"] is True
    spec = named["value"]["dict"]["x"]["tensor_spec"]
    assert (spec["dtype"], spec["shape"]) == ("float32", [2, 3])
    assert [y["tensor_spec"]["dtype"] for y in named["value"]["dict"]["y"]] == ["int32", "float32"]
    named = {a["name"]: a["value"] for a in slow["arguments"]}
    assert named["options"] == {"tuple": [1, 2.5, None, "text"]} and named["deep"] is False
    sparse, ragged = by_name["root.composite"][0]["arguments"]
    assert sparse["name"] == "sparse" and "SparseTensorSpec" in sparse["value"]["type_spec"]
    assert "RaggedTensorSpec" in ragged["value"]["type_spec"]
    assert by_name["root.block.__call__"]


# --- Objects ----------------------------------------------------------------------------------


def walk(cpb, path):
    """Every object that has a path, by that path."""
    found, todo = {}, ["root"]
    while todo:
        at = todo.pop()
        found[at] = ask(cpb, path, "objects", at)
        todo += [c["path"] for c in found[at]["children"]["items"] if not c["elsewhere"]]
    return found


@pytest.mark.parametrize("name", ["real_tf_module", "real_tf_keras_functional", RICH])
def test_the_object_tree_is_that_of_the_object_graph(cpb, name):
    path = folder_of(name)
    graph = meta_graph(path).object_graph_def
    objects = walk(cpb, path)
    assert sorted(o["node"] for o in objects.values()) == list(range(len(graph.nodes)))
    for said in objects.values():
        node = graph.nodes[said["node"]]
        assert said["kind"] == node.WhichOneof("kind")
        assert [(c["child"], c["node"]) for c in said["children"]["items"]] == [
            (c.local_name, c.node_id) for c in node.children]
        if said["kind"] == "variable":
            v = node.variable
            assert (said["name"], said["dtype"], said["shape"], said["trainable"]) == (
                v.name, dtype(v.dtype), shape(v.shape), v.trainable)
        if said["kind"] == "user_object":
            assert said["identifier"] == node.user_object.identifier
        if said["kind"] == "function":
            assert said["concrete_functions"] == list(node.function.concrete_functions)


def test_cycles_are_references_to_the_first_path(cpb):
    children = {c["child"]: c for c in ask(cpb, folder_of(RICH), "objects")["children"]["items"]}
    assert children["me"]["path"] == "root" and children["me"]["elsewhere"]
    shared = [children["block"], children["again"]]
    assert {c["path"] for c in shared} in ({"root.block"}, {"root.again"})
    assert sorted(c["elsewhere"] for c in shared) == [False, True]


def test_a_path_may_have_dots_in_its_names(cpb):
    said = ask(cpb, folder_of(RICH), "objects", "root.named.a.b")
    assert said["path"] == "root.named.a.b" and said["kind"] == "variable" and said["shape"] == []
    assert ask(cpb, folder_of(RICH), "objects", f"#{said['node']}") == said
    assert cpb.run("inspect", folder_of(RICH), "objects", "root.named.a").returncode == 1


# --- Constants, operations, search ---------------------------------------------------------------


@pytest.mark.parametrize("path", ["mobilenet/graph.pb", "mobilenet/saved_model.pb"])
def test_constants_lie_where_they_are_said_to(cpb, path):
    import tensorflow as tf
    path = models.model("mobilenet") / path.split("/")[1]
    data = path.read_bytes()
    graph = meta_graph(path).graph_def if path.name == "saved_model.pb" else tf.compat.v1.GraphDef.FromString(data)
    tensors = {node.name: node.attr["value"].tensor for node in graph.node if node.op == "Const"}
    items = ask(cpb, path, "constants")["constants"]["items"]
    assert {item["node"] for item in items} == set(tensors)
    assert [item["size"] for item in items] == sorted((item["size"] for item in items), reverse=True)
    for item in items:
        tensor = tensors[item["node"]]
        begin, size = item["tensor"]["offset"], item["tensor"]["size"]
        assert type(tensor).FromString(data[begin:begin + size]) == tensor
        if item["field"] == "tensor_content":
            begin, size = item["values"]["offset"], item["values"]["size"]
            assert data[begin:begin + size] == tensor.tensor_content


@all_models
def test_operations_are_counted(cpb, name):
    graph = meta_graph(folder_of(name)).graph_def
    counts = {}
    for nodes in [graph.node, *(f.node_def for f in graph.library.function)]:
        for node in nodes:
            counts[node.op] = counts.get(node.op, 0) + 1
    answer = ask(cpb, folder_of(name), "ops")
    assert {item["op"]: item["count"] for item in answer["ops"]["items"]} == counts
    assert {item["from"] for item in answer["ops"]["items"]} == {"tensorflow"}
    assert (answer["nodes"], answer["functions"]) == (len(graph.node), len(graph.library.function))


def test_custom_operations_are_told(cpb, tmp_path):
    (tmp_path / "saved_model.pb").write_bytes(big_graph.saved_model(100, 2))
    assert ask(cpb, tmp_path)["ops"]["custom"] == [{"op": "MyCustomOp"}]


def test_search_finds_what_has_the_text_in_its_name(cpb):
    found = ask(cpb, folder_of(RICH), "search", "WEIGHT")["found"]["items"]
    graph = meta_graph(folder_of(RICH)).graph_def
    names = [n.name for nodes in [graph.node, *(f.node_def for f in graph.library.function)] for n in nodes]
    assert sum(item["is"] == "node" for item in found) == sum("weight" in n.lower() for n in names)
    assert {item["path"] for item in found if item["is"] == "object"} >= {"root.block.weight", "root.blocks.0.weight"}


# --- Pages -------------------------------------------------------------------------------------------


def test_pages_add_up(cpb):
    path = folder_of("functions")
    for question, key in (["functions", "functions"], ["ops", "ops"], ["search", "found"], ["constants", "constants"],
                          ["nodes", "nodes"], ["objects", "children"]):
        words = [question] + (["sin"] if question == "search" else [])
        whole = ask(cpb, path, *words)[key]["items"]
        pages, step = [], max(1, len(whole) // 3)
        for first in range(0, len(whole), step):
            page = json.loads(cpb.ok("inspect", path, *words, "--json", "--first", first, "--count", step))[key]
            assert (page["first"], page["total"]) == (first, len(whole))
            pages += page["items"]
        assert pages == whole


def test_a_scope_keeps_what_begins_with_it(cpb):
    path = folder_of("functions")
    whole = ask(cpb, path, "functions")["functions"]["items"]
    some = ask(cpb, path, "functions", "--scope", "__inference_f1")["functions"]["items"]
    assert some == [item for item in whole if item["name"].startswith("__inference_f1")]


# --- Chunked ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [RICH, "v1", "real_tf_keras_functional"])
@pytest.mark.parametrize("layout", ["remote", "compat"])
def test_answers_of_a_cpb_are_those_of_its_pb(cpb, tmp_path, name, layout):
    path = folder_of(name)
    chunked = tmp_path / "saved_model.cpb"
    cpb.ok("split", path, "-o", chunked, "--layout", layout, "--max-chunk-size", 4000)
    questions = [["overview"], ["functions"], ["nodes"], ["objects"], ["constants"], ["ops"], ["search", "a"]]
    questions += [["signature", item["key"]] for item in ask(cpb, path)["signatures"]["items"]]
    questions += [["function", item["name"]] for item in ask(cpb, path, "functions")["functions"]["items"][:20]]
    for question in questions:
        plain = ask(cpb, path, *question)
        plain.pop("fingerprint", None)  # which lies beside the one only, as what is stored of its variables
        plain.get("variables", {}).pop("stored", None)
        assert ask(cpb, chunked, *question) == plain
