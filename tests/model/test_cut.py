"""Models cut down to some of their objects: TensorFlow and tf_keras load them, and they compute the same."""

import functools
import json
import shutil

import pytest

from support import keras_models, saved_models
from support.asking import meta_graph


def folder_of(name):
    return saved_models.model(name) if name in ("parts", "rich", "v1") else keras_models.model(name)


@functools.cache
def whole_of(name):
    import tensorflow as tf
    return tf.saved_model.load(str(folder_of(name)))


def cut(cpb, folder, out, *paths, name="saved_model.pb"):
    """The report, of the model now in `out`, with what lies beside the original."""
    out.mkdir(exist_ok=True)
    report = json.loads(cpb.ok("cut", folder, *paths, "-o", out / name, "--json"))
    assert report["problems"] == []
    for beside in ("variables", "assets"):
        if (folder / beside).exists():
            shutil.copytree(folder / beside, out / beside, dirs_exist_ok=True)
    return report


CASES = [("parts", ["root.parts.0"]), ("parts", ["root.words", "root.parts.1.call"]), ("parts", ["root.optimizer"]),
         ("parts", ["root.signatures.serving_default"]), ("parts", ["root"]), ("parts", ["root.deep.deeper.common"]),
         ("rich", ["root.block"]), ("rich", ["root.table", "root.blocks.1"]), ("rich", ["root.signatures"]),
         ("subclassed", ["root.tail"]), ("subclassed", ["root.blocks.1", "root.tail.cell"]),
         ("nested", ["root.layer_with_weights-0"]), ("nested", ["root.keras_api.layers"]),
         ("sequential", ["root.layer_with_weights-2", "root.layer_with_weights-0"]), ("functional", ["root.layer-8"])]
COLLECTIONS = ("signature_map", "trackable_list_wrapper", "trackable_dict_wrapper")
every_case = pytest.mark.parametrize("name, paths", CASES, ids=lambda v: v if isinstance(v, str) else "+".join(v))

# --- What stays ---------------------------------------------------------------------------


def functions_from(library, names):
    """The functions that these lead to: calls, gradients, and gradients of operations."""
    by_name = {f.signature.name: f for f in library.function}
    gradients = {g.function_name: g.gradient_func for g in library.gradient}
    registered = {g.registered_op_type.encode(): g.gradient_func for g in library.registered_gradients}
    found, queue = set(), [n for n in names if n in by_name]
    while queue:
        name = queue.pop()
        if name in found:
            continue
        found.add(name)
        queue += [n for n in [gradients.get(name), *called(by_name[name].node_def, by_name, registered)] if n in by_name]
    return found


def called(nodes, by_name, registered):
    for node in nodes:
        yield node.op
        for attr in node.attr.values():
            yield attr.func.name
            yield from (f.name for f in attr.list.func)
            if attr.s in registered:
                yield registered[attr.s]


def expected_objects(meta, paths):
    """Node ids: those that are asked for and reached; all that are whole; the functions of these."""
    graph, library = meta.object_graph_def, meta.graph_def.library
    reached = [node_at(graph, path) for path in paths]
    for node in reached:
        reached += [c.node_id for c in graph.nodes[node].children if c.node_id not in reached]
    whole, functions = set(reached) if 0 not in reached else set(range(len(graph.nodes))), set()
    while True:
        before = len(whole), len(functions)
        for node in [graph.nodes[i] for i in whole]:
            whole |= {r.node_id for r in [*node.children, *node.dependencies]}
            whole |= {i for s in node.slot_variables for i in (s.original_variable_node_id, s.slot_variable_node_id)}
            whole |= {i for s in node.saveable_objects.values() for i in (s.save_function, s.restore_function) if i}
            functions |= {*node.function.concrete_functions, node.bare_concrete_function.concrete_function_name,
                          node.captured_tensor.concrete_function}
        functions = functions_from(library, functions)
        whole |= {i for f in functions if f in graph.concrete_functions for i in graph.concrete_functions[f].bound_inputs}
        if before == (len(whole), len(functions)):
            return set(reached), whole, functions


def node_at(graph, path):
    node = 0
    for name in path.split(".")[1:]:
        node, = [child.node_id for child in graph.nodes[node].children if child.local_name == name]
    return node


def around(graph, whole, asked):
    """What whole objects with state, and those that were asked for, can be reached from."""
    found = {i for i in whole if i in asked or graph.nodes[i].WhichOneof("kind") in ("user_object", "variable", "resource", "asset")}
    while True:
        more = {i for i, n in enumerate(graph.nodes) if i not in found and any(c.node_id in found for c in n.children)}
        if not more:
            return (found - whole) | ({0} - whole)
        found |= more


def renumbered(node, numbers, assets):
    """The node with its ids mapped."""
    copy = type(node)()
    copy.CopyFrom(node)
    for reference in [*copy.children, *copy.dependencies]:
        reference.node_id = numbers[reference.node_id]
    for slot in copy.slot_variables:
        slot.original_variable_node_id = numbers[slot.original_variable_node_id]
        slot.slot_variable_node_id = numbers[slot.slot_variable_node_id]
    for saveable in copy.saveable_objects.values():
        saveable.save_function = numbers[saveable.save_function]
        saveable.restore_function = numbers[saveable.restore_function]
    if copy.WhichOneof("kind") == "asset":
        copy.asset.asset_file_def_index = assets.index(copy.asset.asset_file_def_index)
    return copy


@every_case
def test_a_cut_keeps_what_the_paths_reach_and_need(cpb, name, paths, tmp_path):
    folder = folder_of(name)
    report = cut(cpb, folder, tmp_path / "cut", *paths)
    old, new = meta_graph(folder / "saved_model.pb"), meta_graph(tmp_path / "cut" / "saved_model.pb")
    reached, whole, functions = expected_objects(old, paths)
    said = {item["node"]: item["why"] for item in report["objects"]["items"]}
    asked = {node_at(old.object_graph_def, path) for path in paths}
    assert {i for i, why in said.items() if why == "asked"} == asked
    assert {i for i, why in said.items() if why in ("asked", "reached")} == (reached if 0 not in reached else whole)
    assert {i for i, why in said.items() if why != "around"} == whole
    assert {i for i, why in said.items() if why == "around"} == around(old.object_graph_def, whole, asked)
    numbers = {item["node"]: item["new_node"] for item in report["objects"]["items"]}
    assert sorted(numbers.values()) == list(range(len(new.object_graph_def.nodes)))
    assets = [i for i, a in enumerate(old.asset_file_def) if a in list(new.asset_file_def)]
    for i in whole:
        assert new.object_graph_def.nodes[numbers[i]] == renumbered(old.object_graph_def.nodes[i], numbers, assets)
    for i in set(numbers) - whole:
        plain = new.object_graph_def.nodes[numbers[i]]
        kind = old.object_graph_def.nodes[i].user_object
        assert plain.user_object == kind if kind.identifier in COLLECTIONS else plain.user_object.identifier == "_generic_user_object"
        assert [(c.local_name, c.node_id) for c in plain.children] == [
            (c.local_name, numbers[c.node_id]) for c in old.object_graph_def.nodes[i].children if c.node_id in numbers]
    concrete = {f: old.object_graph_def.concrete_functions[f] for f in functions if f in old.object_graph_def.concrete_functions}
    assert set(new.object_graph_def.concrete_functions) == set(concrete)
    for f, value in new.object_graph_def.concrete_functions.items():
        assert list(value.bound_inputs) == [numbers[i] for i in concrete[f].bound_inputs]
        assert value.canonicalized_input_signature == concrete[f].canonicalized_input_signature
        assert value.output_signature == concrete[f].output_signature
    library = {f.signature.name: f for f in new.graph_def.library.function}
    assert functions <= set(library) and (report["runs_in_a_session"] or set(library) == functions)
    assert all(library[f.signature.name] == f for f in old.graph_def.library.function if f.signature.name in library)
    cpb.ok("cut", tmp_path / "cut", *paths, "-o", tmp_path / "again.pb")
    assert (tmp_path / "again.pb").read_bytes() == (tmp_path / "cut" / "saved_model.pb").read_bytes()
    assert report["size"] == (tmp_path / "cut" / "saved_model.pb").stat().st_size
    assert set(new.signature_def) == set(report["signatures"])
    assert set(new.signature_def) | set(report["signatures_cut_off"]) == set(old.signature_def)
    assert {a for a in new.meta_info_def.function_aliases} == {a for a in old.meta_info_def.function_aliases if a in library}


# --- What it computes ------------------------------------------------------------------------


@every_case
def test_tensorflow_loads_it_with_the_variables_as_they_were(cpb, name, paths, tmp_path):
    import numpy as np
    import tensorflow as tf
    folder = folder_of(name)
    report = cut(cpb, folder, tmp_path / "cut", *paths)
    whole, part = whole_of(name), tf.saved_model.load(str(tmp_path / "cut"))
    nodes = meta_graph(folder / "saved_model.pb").object_graph_def.nodes
    variables = [item["path"] for item in report["objects"]["items"]
                 if item["why"] != "around" and nodes[item["node"]].WhichOneof("kind") == "variable" and item["path"]]
    for path in variables:
        np.testing.assert_array_equal(value_at(whole, path), value_at(part, path))
    assert variables or paths == ["root.layer-8"]


def value_at(loaded, path):
    for name in path.replace("a.b", "a-b").split(".")[1:]:
        name = name.replace("a-b", "a.b")
        try:
            loaded = getattr(loaded, name)
        except AttributeError:
            loaded = loaded[int(name) if name.isdigit() else name]
    return loaded.numpy()


def test_a_part_computes_what_it_did_and_has_its_gradient(cpb, tmp_path):
    import numpy as np
    import tensorflow as tf
    cut(cpb, folder_of("parts"), tmp_path / "cut", "root.parts.0", "root.words")
    whole, part = whole_of("parts"), tf.saved_model.load(str(tmp_path / "cut"))
    call = part.parts[0].call
    x = tf.constant([[1.0, 2.0, 3.0]])
    np.testing.assert_array_equal(call(x), whole.parts[0].call(x))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = call(x)
    np.testing.assert_array_equal(tape.gradient(y, x), 2 * part.parts[0].weight.numpy()[None])
    assert part.words.look_up(tf.constant(["two", "one", "?"])).numpy().tolist() == [1, 0, -1]
    assert not hasattr(part, "other") and len(part.parts) == 1
    library = meta_graph(tmp_path / "cut" / "saved_model.pb").graph_def.library
    assert len(library.registered_gradients) == 1


@pytest.mark.parametrize("name, path, shape", [("subclassed", "root.blocks.1", (2, 5)), ("subclassed", "root.tail", (2, 1, 5)),
                                               ("nested", "root.layer_with_weights-0", (3, 4)),
                                               ("sequential", "root.layer_with_weights-2", (2, 10, 12))])
def test_a_layer_computes_what_it_did(cpb, name, path, shape, tmp_path):
    import numpy as np
    import tensorflow as tf
    cut(cpb, folder_of(name), tmp_path / "cut", path)
    whole, part = whole_of(name), tf.saved_model.load(str(tmp_path / "cut"))
    x = np.random.default_rng(1).normal(size=shape).astype("float32")
    before, after = (call_of(layer_at(loaded, path))(x) for loaded in (whole, part))
    tf.nest.map_structure(np.testing.assert_array_equal, before, after)


def call_of(layer):
    return layer if callable(layer) else layer.call_and_return_conditional_losses


def test_lists_have_what_stays_where_it_was(cpb, tmp_path):
    import tensorflow as tf
    cut(cpb, folder_of("parts"), tmp_path / "cut", "root.parts.1")
    part = tf.saved_model.load(str(tmp_path / "cut"))
    assert len(part.parts) == 2 and part.parts[0] is None and part.parts[1].weight.numpy().tolist() == [2.0, 2.0, 2.0]


def layer_at(loaded, path):
    for name in path.split(".")[1:]:
        loaded = getattr(loaded, name) if hasattr(loaded, name) else loaded[int(name)]
    return loaded


@pytest.mark.parametrize("name, path, shape", [("subclassed", "root.tail", (2, 1, 5)), ("nested", "root.layer_with_weights-1", (3, 4)),
                                               ("sequential", "root.layer_with_weights-1", (2, 12, 8))])
def test_tf_keras_makes_a_layer_of_it(cpb, name, path, shape, tmp_path):
    import numpy as np
    import tensorflow as tf
    import tf_keras as keras
    cut(cpb, folder_of(name), tmp_path / "cut", path)
    whole, part = whole_of(name), keras.models.load_model(str(tmp_path / "cut"), compile=False)
    layer = layer_at(part, path)
    assert isinstance(layer, keras.layers.Layer) and not isinstance(part, keras.layers.Layer)
    x = np.random.default_rng(1).normal(size=shape).astype("float32")
    np.testing.assert_allclose(layer(x), call_of(layer_at(whole, path))(x), rtol=1e-6)


def test_the_metadata_of_keras_are_those_of_what_stays(cpb, tmp_path):
    from tf_keras.protobuf import saved_metadata_pb2
    folder = folder_of("subclassed")
    report = cut(cpb, folder, tmp_path / "cut", "root.blocks.1", "root.heads.x.y")
    old, new = (saved_metadata_pb2.SavedMetadata.FromString((f / "keras_metadata.pb").read_bytes())
                for f in (folder, tmp_path / "cut"))
    numbers = {i["node"]: i["new_node"] for i in report["objects"]["items"] if i["why"] != "around"}
    expected = [node for node in old.nodes if node.node_id in numbers]
    assert [n.node_path for n in expected][:2] == ["root.blocks.1", "root.heads.x.y"] or len(expected) > 2
    for node in expected:
        node.node_id = numbers[node.node_id]
    assert list(new.nodes) == expected
    names = [item["path"] for item in json.loads(cpb.ok("inspect", tmp_path / "cut", "layers", "--json"))["layers"]["items"]]
    assert "root.blocks.1.dense" in names and not any("blocks.0" in name for name in names)


def test_metadata_within_the_model_are_cut_with_it(cpb, tmp_path):
    """As TensorFlow before 2.5 wrote them: in the objects, with no file beside the model."""
    def layers_of(folder):
        items = json.loads(cpb.ok("inspect", folder, "layers", "--json"))["layers"]["items"]
        return [{key: value for key, value in item.items() if key != "version"} for item in items]

    cut(cpb, folder_of("nested"), tmp_path / "cut", "root.layer_with_weights-0")
    cut(cpb, keras_models.without_file("nested", tmp_path / "old"), tmp_path / "cut old", "root.layer_with_weights-0")
    assert not (tmp_path / "cut old" / "keras_metadata.pb").exists()
    assert layers_of(tmp_path / "cut old") == layers_of(tmp_path / "cut")
    assert layers_of(tmp_path / "cut")[0]["name"] == "outer"


def test_a_signature_runs_in_a_session(cpb, tmp_path):
    import numpy as np
    import tensorflow as tf
    v1 = tf.compat.v1
    report = cut(cpb, folder_of("parts"), tmp_path / "cut", "root.signatures.words", "root.parts.0")
    assert report["runs_in_a_session"] and sorted(report["signatures"]) == ["__saved_model_init_op", "words"]
    with v1.Session(graph=tf.Graph()) as session:
        meta = v1.saved_model.load(session, ["serve"], str(tmp_path / "cut"))
        signature = meta.signature_def["words"]
        (given,), (result,) = signature.inputs.values(), signature.outputs.values()
        np.testing.assert_array_equal(session.run(result.name, {given.name: ["two", "no"]}), [1, -1])
    report = cut(cpb, folder_of("parts"), tmp_path / "other", "root.signatures.serving_default")
    loaded, whole = tf.saved_model.load(str(tmp_path / "other")), whole_of("parts")
    x = tf.ones([2, 3])
    assert list(loaded.signatures) == ["serving_default"]
    np.testing.assert_array_equal(loaded.signatures["serving_default"](x)["y"], whole.serve(x)["y"])


# --- Files -------------------------------------------------------------------------------------


def test_chunked_models_are_cut_and_written_alike(cpb, tmp_path):
    folder = folder_of("parts")
    cpb.ok("split", folder / "saved_model.pb", "--max-chunk-size", "2K", "-o", tmp_path / "saved_model.cpb")
    cpb.ok("cut", folder, "root.parts.1", "root.words", "-o", tmp_path / "a.pb")
    cpb.ok("cut", tmp_path, "root.parts.1\nroot.words", "-o", tmp_path / "b.pb")
    cpb.ok("cut", tmp_path, "root.parts.1", "root.words", "-o", tmp_path / "c.cpb")
    assert cpb.ok("cut", folder, "root.parts.1", "root.words", "-o", "-") == (tmp_path / "a.pb").read_bytes()
    assert (tmp_path / "a.pb").read_bytes() == (tmp_path / "b.pb").read_bytes() == cpb.ok("merge", tmp_path / "c.cpb", "-o", "-")
    cpb.ok("verify", tmp_path / "c.cpb")


def test_large_constants_pass_through_little_memory(cpb, tmp_path):
    from tensorflow.core.protobuf import saved_model_pb2
    large = 48 << 20
    model = saved_model_pb2.SavedModel(saved_model_schema_version=1)
    meta = model.meta_graphs.add()
    for name in ("kept", "gone"):
        function = meta.graph_def.library.function.add()
        function.signature.name = name
        node = function.node_def.add(name="large", op="Const")
        node.attr["value"].tensor.tensor_content = name.encode() * (large // 4)
        meta.object_graph_def.concrete_functions[name].bound_inputs[:] = []
    nodes = meta.object_graph_def.nodes
    nodes.add().children.add(node_id=2, local_name="f")
    nodes[0].user_object.identifier = "_generic_user_object"
    nodes.add().function.concrete_functions.append("gone")
    nodes.add().function.concrete_functions.append("kept")
    (tmp_path / "large.pb").write_bytes(model.SerializeToString())
    cpb.ok("cut", tmp_path / "large.pb", "root.f", "-o", tmp_path / "cut.pb", "--memory-limit", "4M")
    del meta.graph_def.library.function[1], nodes[1]
    del meta.object_graph_def.concrete_functions["gone"]
    nodes[0].children[0].node_id = 1
    nodes[0].user_object.version.producer = nodes[0].user_object.version.min_consumer = 1
    assert saved_model_pb2.SavedModel.FromString((tmp_path / "cut.pb").read_bytes()) == model


def fails(cpb, code, text, *arguments):
    result = cpb.run("cut", *arguments)
    assert result.returncode == code and text in result.stderr, result.stderr


def test_a_cut_that_is_impossible_is_an_error_and_writes_nothing(cpb, tmp_path):
    out = tmp_path / "out.pb"
    fails(cpb, 1, b'there is no object "root.parts.7"', folder_of("parts"), "root.deep", "root.parts.7", "-o", out)
    fails(cpb, 1, b"such as root.layer-0", folder_of("parts"), "", "-o", out)
    fails(cpb, 1, b"a PATH such as root.layer", folder_of("parts"), "-o", out)
    fails(cpb, 5, b"TensorFlow 1 writes none", folder_of("v1"), "root", "-o", out)
    fails(cpb, 1, b"meta_graph is 3; expected less than", folder_of("parts"), "root", "-o", out, "--meta-graph", "3")
    bytes_of = (folder_of("parts") / "saved_model.pb").read_bytes()
    (tmp_path / "short.pb").write_bytes(bytes_of[:-9])
    fails(cpb, 2, b"the message ends here, 9 bytes too early", tmp_path / "short.pb", "root.deep", "-o", out)
    assert not out.exists()
    out.write_bytes(b"mine")
    assert cpb.run("cut", folder_of("parts"), "root.deep", "-o", out).returncode != 0 and out.read_bytes() == b"mine"


def test_references_to_objects_that_do_not_exist_are_errors(cpb, tmp_path):
    from tensorflow.core.protobuf import saved_model_pb2
    model = saved_model_pb2.SavedModel.FromString((folder_of("parts") / "saved_model.pb").read_bytes())
    graph = model.meta_graphs[0].object_graph_def
    graph.nodes[node_at(graph, "root.deep")].children.add(node_id=4000, local_name="x")
    (tmp_path / "odd.pb").write_bytes(model.SerializeToString())
    fails(cpb, 2, f"node_id is 4000; expected less than {len(graph.nodes)}, the number of objects".encode(),
          tmp_path / "odd.pb", "root.deep", "-o", tmp_path / "out.pb")
    cpb.ok("cut", tmp_path / "odd.pb", "root.parts.0", "-o", tmp_path / "out.pb")
