"""cpb diff: two models that differ in known ways, and models that are the same."""

import json
import re
import shutil

import pytest

from support import keras_models, models, wire  # noqa: F401  these modules add makers of models
from support.diffs import CORPUS, diff, differences, graph, path_of, same, saved_model, write
from support.samediff import FOLDER

SIDES = {"a": "b", "b": "a", "added": "removed", "removed": "added"}


# --- The same -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*CORPUS, "rich", "v1"])
def test_a_model_is_the_same_as_itself_and_as_its_chunks(cpb, tmp_path, name):
    path = path_of(name)
    chunked = tmp_path / "m.cpb"
    cpb.ok("split", path if path.is_file() else path / "saved_model.pb", "-o", chunked, "--max-chunk-size", "2K")
    same(cpb, path, path)
    same(cpb, path, chunked)
    same(cpb, chunked, path)
    same(cpb, path, write(tmp_path, saved_model(path)))


@pytest.mark.parametrize("a, b", [("all_stored.zip", "all_deflate.zip"), ("three_tags.zip", "three_tags.zip"),
                                  ("awkward_names.zip", "awkward_names.zip")])
def test_how_a_zip_stores_it_makes_no_difference(cpb, a, b):
    same(cpb, FOLDER / a, FOLDER / b)


def test_numbers_of_functions_do_not_count(cpb, tmp_path):
    path = path_of("real_tf_module")
    again = path.read_bytes()
    assert b"__inference_f_17" in again and b"__inference_g_34" in again
    other = tmp_path / "other.pb"
    other.write_bytes(again.replace(b"__inference_f_17", b"__inference_f_93").replace(b"__inference_g_34", b"__inference_g_11"))
    same(cpb, path, other)
    other.write_bytes(again.replace(b"__inference_f_17", b"__inference_q_17"))
    found = differences(diff(cpb, path, other))["functions"]
    assert found["__inference_f_17"] == "removed" and found["__inference_q_17"] == "added"


def test_a_keras_model_that_is_saved_again_is_the_same(cpb, tmp_path):
    """Each time, TensorFlow gives functions and their arguments other numbers."""
    import numpy as np
    import tf_keras as keras
    layers = keras.layers
    model = keras.Sequential([layers.Dense(4, input_shape=(8,)), layers.BatchNormalization(), layers.Dense(2)])
    model.compile("adam", "mse")
    model.fit(np.ones((4, 8)), np.ones((4, 2)), verbose=0)
    for name in "ab":
        model.save(tmp_path / name, save_format="tf")
    names = [{a.name for f in saved_model(tmp_path / name).meta_graphs[0].graph_def.library.function for a in f.signature.input_arg}
             for name in "ab"]
    assert len(names[0] - names[1]) > 5
    same(cpb, tmp_path / "a", tmp_path / "b")


def renumber(function, by):
    """Gives all arguments a number, or another one, wherever the function has their names."""
    names = {a.name: re.sub(r"_\d+$", "", a.name) + f"_{i + by}" for i, a in enumerate(function.signature.input_arg)}
    for argument in function.signature.input_arg:
        argument.name = names[argument.name]
    for node in function.node_def:
        node.input[:] = [":".join([names.get(i.split(":")[0], i.split(":")[0]), *i.split(":")[1:]]) for i in node.input]
    for output in list(function.ret):
        function.ret[output] = names.get(function.ret[output], function.ret[output])
    return list(names.values())


def test_numbers_of_arguments_do_not_count_but_which_is_used_where_does(cpb, tmp_path):
    one, other = saved_model(path_of("rich")), saved_model(path_of("rich"))
    for model, by in ((one, 7), (other, 9)):
        for function in model.meta_graphs[0].graph_def.library.function:
            names = renumber(function, by)
            assert len(set(names)) == len(names)
    same(cpb, write(tmp_path, one, "one.pb"), write(tmp_path, other))
    same(cpb, path_of("rich"), tmp_path / "other.pb")
    changed = 0
    for function in other.meta_graphs[0].graph_def.library.function:
        arguments = {a.name for a in function.signature.input_arg}
        for node in function.node_def:
            used = [i for i, name in enumerate(node.input) if name in arguments]
            if changed < 3 and len({node.input[i] for i in used}) > 1:
                node.input[used[0]], node.input[used[1]] = node.input[used[1]], node.input[used[0]]
                changed += 1
    assert changed == 3
    found = differences(diff(cpb, tmp_path / "one.pb", write(tmp_path, other)))
    assert sum(len(nodes) for nodes in found.values()) == 3
    assert all(list(node) == ["inputs"] for nodes in found.values() for node in nodes.values())


@pytest.mark.parametrize("name", ["rich.pb", "v1.pb"])
def test_damaged_models_too(cpb, tmp_path, name):
    from conftest import ROOT
    whole = (ROOT / "tests" / "fuzz" / "models" / name).read_bytes()
    path = tmp_path / "m.pb"
    for cut in range(1, 12):
        path.write_bytes(whole[:len(whole) * cut // 12])
        result = cpb.run("diff", "--tsv", path, path)
        assert result.returncode in (0, 2) and (result.returncode == 2) == bool(result.stderr)
        if result.returncode == 2 and result.stdout:
            assert result.stdout.startswith(b"Whether the models are the same cannot be said; ")


# --- Different ------------------------------------------------------------------------------


def mirrored(value):
    """The answer as it is when the models change places."""
    if isinstance(value, dict):
        value = {SIDES.get(k, k): mirrored(v) for k, v in value.items()}
        return dict(value, change=SIDES.get(value["change"], value["change"])) if "change" in value else value
    return sorted((mirrored(v) for v in value), key=json.dumps) if isinstance(value, list) else value


def without_moved(section):
    """A layer under another path goes by its path in the first model."""
    moved = [d for d in section["differences"] if any(m["member"] == "path" for m in d.get("members", ()))]
    return dict(section, differences=[dict(d, name="") if d in moved else d for d in section["differences"]])


def in_order(value):
    if isinstance(value, dict):
        return {k: in_order(value[k]) for k in sorted(value)}
    return sorted((in_order(v) for v in value), key=json.dumps) if isinstance(value, list) else value


@pytest.mark.parametrize("a, b", [(0, 1), (1, 2), (2, 3)])
def test_the_other_way_round_it_says_the_same(cpb, a, b):
    one, other = path_of(CORPUS[a]), path_of(CORPUS[b])
    answer, again = diff(cpb, one, other), diff(cpb, other, one)
    assert not answer["equal"] and len(differences(answer)) > 5
    assert counts(answer) == [(n, s, removed, added, *rest) for n, s, added, removed, *rest in counts(again)]
    simple = ("signatures", "ops", "overview", "assets", "collections", "layers")
    for section, other in zip(answer["sections"], again["sections"]):
        if section["section"] in simple:
            assert in_order(without_moved(section)) == in_order(mirrored(without_moved(other)))


def counts(answer):
    """Without what is said of functions by name: that is each one's first name."""
    return [(s["section"], s["meta_graph"], s["added"], s["removed"], s["changed"], s["same"])
            for s in answer["sections"] if "function" not in s]


def edit_signatures(meta):
    signature = meta.signature_def["serving_default"]
    signature.inputs["features"].tensor_shape.dim[1].size = 9
    signature.outputs["big"].dtype = 2
    del signature.outputs["logits"]
    meta.signature_def["extra"].method_name = "m"
    return {"signatures": {
        "extra": "added",
        "serving_default": {"inputs.features.shape": ([None, 4], [None, 9]), "outputs.big.dtype": ("float32", "float64"),
                            "outputs.logits": ({"name": "logits", "tensor": "StatefulPartitionedCall_1:1", "dtype": "float32",
                                                "shape": [None, 3]}, None)}}}


def edit_meta_graph(meta):
    meta.meta_info_def.tags.append("more")
    meta.meta_info_def.tensorflow_version = "9.9.9"
    return {"meta_graphs": {"serve": "removed", "serve more": "added"}}


def edit_nodes(meta):
    nodes = {n.name: n for n in meta.graph_def.node}
    nodes["saver_filename"].op = "PlaceholderV2"
    nodes["saver_filename"].attr["dtype"].type = 3
    nodes["StatefulPartitionedCall"].input.append("^NoOp")
    meta.graph_def.node.add(name="new", op="NoOp")
    return {"nodes": {"new": "added", "saver_filename": {"op": ("Placeholder", "PlaceholderV2"),
                                                         "attributes.dtype.value": ("string", "int32")},
                      "StatefulPartitionedCall": {"control_inputs": ([], ["NoOp"])}},
            "ops": None}


def edit_function(meta):
    function = next(f for f in meta.graph_def.library.function if any(n.op == "MatMul" for n in f.node_def))
    node = next(n for n in function.node_def if n.op == "MatMul")
    node.attr["transpose_a"].b = True
    return {f"nodes {function.signature.name}": {node.name: {"attributes.transpose_a": None}}}


def edit_objects(meta):
    graph = meta.object_graph_def
    names = {c.local_name: c.node_id for c in graph.nodes[0].children}
    weight = next(c.node_id for c in graph.nodes[names["block"]].children if c.local_name == "weight")
    graph.nodes[weight].variable.dtype = 14
    graph.nodes[weight].variable.shape.dim[1].size = 7
    child = next(c for c in graph.nodes[0].children if c.local_name == "me")
    child.local_name = "myself"
    return {"objects": {"root.block.weight": {"dtype": ("float32", "bfloat16"), "shape": ([4, 3], [4, 7])},
                        "root.me": "removed", "root.myself": "added"},
            "overview": None, "functions": None, "layers": None}


def edit_version(meta):
    meta.meta_info_def.tensorflow_version = "9.9.9"
    return {"meta_graphs": {"serve": {"tensorflow_version": None}}}


@pytest.mark.parametrize("edit", [edit_signatures, edit_meta_graph, edit_nodes, edit_function, edit_objects, edit_version])
def test_an_edit_is_found_and_nothing_else(cpb, tmp_path, edit):
    model = saved_model(path_of("rich"))
    expected = edit(model.meta_graphs[0])
    found = differences(diff(cpb, path_of("rich"), write(tmp_path, model)))
    assert found.keys() == expected.keys()
    for section, items in expected.items():
        if items is None:
            continue
        assert found[section].keys() == items.keys()
        for name, item in items.items():
            if isinstance(item, str):
                assert found[section][name] == item
            else:
                assert {k: v if item.get(k) else None for k, v in found[section][name].items()} == item


def test_a_meta_graph_more(cpb, tmp_path):
    model = saved_model(path_of("v1"))
    del model.meta_graphs[1]
    answer = diff(cpb, path_of("v1"), write(tmp_path, model))
    assert list(differences(answer)) == ["meta_graphs"] and list(differences(answer)["meta_graphs"].values()) == ["removed"]


def test_an_overview_is_compared_page_by_page(cpb, tmp_path):
    """Lists of a SavedModel's overview are read in short pages, which share their first element and count."""
    sides = []
    for side in (0, 1):
        signature = b"".join(wire.field(5, wire.field(1, b"s%03d" % i)) for i in range(side, 300 + side))
        meta = b"".join(wire.field(2, wire.field(1, wire.field(4, b"t%d" % i)) + signature) for i in range(20 + side))
        sides.append(tmp_path / str(side) / "saved_model.pb")
        sides[side].parent.mkdir()
        sides[side].write_bytes(wire.tag(1, 0) + b"\x01" + meta)
    sections = diff(cpb, *sides)["sections"]
    found = [[s["added"], s["removed"], s["same"]] for s in sections if s["section"] == "signatures"]
    assert found == [[1, 1, 299]] * 20
    assert [[s["added"], s["same"]] for s in sections if s["section"] == "meta_graphs"] == [[1, 20]]


# --- Values -------------------------------------------------------------------------------------


def test_values_are_compared_however_they_are_stored(cpb, tmp_path):
    import numpy as np
    import tensorflow as tf
    values = np.arange(100000, dtype=np.float32)
    changed = values.copy()
    changed[[5, 77, 99999]] += 1
    one = graph(tmp_path, "a.pb", same=tf.make_tensor_proto(np.full(5, 2.0)), big=tf.make_tensor_proto(values),
                text=tf.make_tensor_proto([b"a", b"b"]), shape=tf.make_tensor_proto(np.zeros((2, 3))))
    typed = tf.make_tensor_proto(0.0, tf.float64)
    typed.ClearField("tensor_content")
    typed.tensor_shape.dim.add(size=5)
    typed.double_val[:] = [2.0]
    other = graph(tmp_path, "b.pb", same=typed, big=tf.make_tensor_proto(changed), text=tf.make_tensor_proto([b"a", b"c"]),
                  shape=tf.make_tensor_proto(np.zeros((3, 2))))
    found = differences(diff(cpb, one, other))
    assert found.keys() == {"constants", "nodes"} and found["nodes"].keys() == {"shape"}
    assert found["constants"] == {"big": {"values": (3, 100000)}, "text": {"values": (1, 18)}, "shape": {"shape": ([2, 3], [3, 2])}}
    assert "constants" not in differences(diff(cpb, one, graph(tmp_path, "c.pb", same=typed, big=tf.make_tensor_proto(values),
        text=tf.make_tensor_proto([b"a", b"b"]), shape=tf.make_tensor_proto(np.zeros((2, 3))))))
    assert differences(diff(cpb, one, other, "--skip-values"))["constants"].keys() == {"shape"}
    shown = cpb.run("diff", "--tsv", one, other).stdout.decode().splitlines()
    assert shown == ["~\tnodes\tshape\tattributes.value.value.shape: [2,3] -> [3,2]",
                     "~\tconstants\tbig\t3 of 100000 values differ, by 1 at most at [5]: 5 -> 6",
                     "~\tconstants\tshape\tshape: [2,3] -> [3,2]", "~\tconstants\ttext\t1 of 18 bytes differs",
                     "1 of 4 nodes and 3 of 4 constants differ"]


def largest_of(answer):
    """{name: (difference, index, a, b)} of each item whose values differ; None where nothing is said of it."""
    return {d["name"]: m.get("largest") and tuple(m["largest"][k] for k in ("difference", "index", "a", "b"))
            for s in answer["sections"] for d in s["differences"] for m in d.get("members", ()) if m["member"] == "values"}


NUMBERS = ["float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
           "uint64"]


def numbers(dtype, seed):
    """3 x 41 x 7 numbers over the whole range of a dtype."""
    import numpy as np
    random = np.random.default_rng(seed)
    if "float" in dtype:
        return random.normal(size=(3, 41, 7))
    info = np.iinfo(dtype)
    return random.integers(info.min, info.max, (3, 41, 7), dtype, endpoint=True)


def test_the_largest_difference_is_numpys(cpb, tmp_path):
    import numpy as np
    import tensorflow as tf
    sides = [{dtype: tf.constant(numbers(dtype, seed), dtype).numpy() for dtype in NUMBERS} for seed in (1, 2)]
    paths = [graph(tmp_path, f"{i}.pb", **{d: tf.make_tensor_proto(v) for d, v in side.items()}) for i, side in enumerate(sides)]
    found = largest_of(diff(cpb, *paths))
    assert found.keys() == set(NUMBERS)
    for dtype, (difference, index, a, b) in found.items():
        exact = object if "int" in dtype else np.float64
        x, y = (side[dtype].astype(exact) for side in sides)
        apart = abs(x - y)
        assert tuple(index) == np.unravel_index(np.argmax(apart), apart.shape), dtype
        number = int if exact is object else np.float64 if dtype == "float64" else np.float32
        assert [number(n) for n in (a, b, difference)] == [number(n) for n in (x[tuple(index)], y[tuple(index)], apart.max())]


def test_differences_that_are_no_numbers(cpb, tmp_path):
    import numpy as np
    import tensorflow as tf
    nan, inf = float("nan"), float("inf")
    rows = {"nan": ([1, nan, 9], [2, nan, nan], ("NaN", [2], 9, "NaN")),
            "infinity": ([1, inf], [2, -inf], ("Infinity", [1], "Infinity", "-Infinity")),
            "zero": ([0.0], [-0.0], (0, [0], 0, 0)),
            "scalar": (1.5, 1.25, (0.25, [], 1.5, 1.25)),
            "bool": ([True], [False], None), "complex": ([1j], [2j], None), "text": (["a"], ["b"], None)}
    paths = [graph(tmp_path, f"{i}.pb", **{k: tf.make_tensor_proto(np.array(v[i])) for k, v in rows.items()}) for i in (0, 1)]
    assert largest_of(diff(cpb, *paths)) == {k: v[2] for k, v in rows.items()}


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """Two SavedModels with the values of some variables changed."""
    import numpy as np
    import tensorflow as tf
    folders = []
    for side in (0, 1):
        module = tf.Module()
        module.same = tf.Variable(np.arange(1000, dtype=np.float32))
        big = np.arange(300_000, dtype=np.float32).reshape(600, 500)
        big[17, 3] += side * 0.5
        big[599, 499] -= side * 2
        module.big = tf.Variable(big)
        module.step = tf.Variable(2**60 + 7 * side, dtype=tf.int64)
        module.text = tf.Variable(["a", "bb" if side else "b"])
        module.wider = tf.Variable(np.zeros(3 + side, np.float32))
        folders.append(tmp_path_factory.mktemp("trained") / str(side))
        tf.saved_model.save(module, str(folders[side]))
    return folders


def test_values_of_variables_are_read_where_checksums_differ(cpb, trained):
    answer = diff(cpb, *trained)
    found = differences(answer)["variables"]
    assert found["root.big"]["values"] == (2, 300_000) and found["root.step"]["values"] == (1, 1)
    assert found["root.text"]["values"][0] > 0
    assert {d["name"] for s in answer["sections"] if s["section"] == "variables" for d in s["differences"]
            if d["members"][-1].get("bytes")} == {"root.text"}
    assert found["root.wider"].keys() >= {"shape"} and "values" not in found["root.wider"] and "root.same" not in found
    assert largest_of(answer) == {"root.big": (2, [599, 499], 299_999, 299_997), "root.text": None,
                                  "root.step": (7, [], str(2**60), str(2**60 + 7))}
    told = dict(line.split("\t")[2:] for line in cpb.run("diff", "--tsv", *trained).stdout.decode().splitlines() if line.startswith("~\tvariables\t"))
    assert told == {"root.big": "2 of 300000 values differ, by 2 at most at [599,499]: 299999 -> 299997",
                    "root.step": f"{2**60} -> {2**60 + 7}", "root.text": told["root.text"], "root.wider": "shape: [3] -> [4]"}
    few = diff(cpb, *trained, "--skip-values")
    assert largest_of(few) == {} and differences(few)["variables"].keys() == {"root.text", "root.wider"}


@pytest.mark.parametrize("side", [0, 1])
def test_values_of_variables_that_are_damaged_or_not_there(cpb, trained, tmp_path, side):
    import numpy as np
    models = [trained[0], trained[1]]
    models[side] = tmp_path / "m"
    shutil.copytree(trained[side], models[side])
    shard = models[side] / "variables" / "variables.data-00000-of-00001"
    stored = bytearray(shard.read_bytes())
    stored[stored.index(np.float32([0, 1, 2, 3]).tobytes(), 4000)] ^= 1
    shard.write_bytes(stored)
    sections = diff(cpb, *models, damaged="ab"[side])["sections"]
    items = next(s for s in sections if s["section"] == "variables")["differences"]
    big = next(d for d in items if d["name"] == "root.big")
    assert big["members"][-1]["member"] == "values" and big["members"][-1]["unreadable"] == "ab"[side]
    told = cpb.run("diff", "--tsv", *models).stdout.decode()
    assert f"; not all can be read in the {['first model', 'second'][side]}\n" in told
    shard.unlink()
    sections = diff(cpb, *models)["sections"]
    items = next(s for s in sections if s["section"] == "variables")["differences"]
    assert next(d for d in items if d["name"] == "root.big")["members"][-1]["unreadable"] == "ab"[side]


def test_a_file_of_a_checkpoint_that_is_not_there(cpb, tmp_path):
    import numpy as np
    import tensorflow as tf
    for side in "ab":
        module = tf.Module()
        module.one, module.other = (tf.Variable(np.full(1000, n + ord(side), np.float32)) for n in (0, 1))
        policy = tf.train.experimental.MaxShardSizePolicy(4050)
        tf.saved_model.save(module, str(tmp_path / side), options=tf.saved_model.SaveOptions(experimental_sharding_callback=policy))
    assert differences(diff(cpb, tmp_path / "a", tmp_path / "b"))["variables"]["root.one"]["values"] == (1000, 1000)
    (tmp_path / "b" / "variables" / "variables.data-00000-of-00002").unlink()
    answer = diff(cpb, tmp_path / "a", tmp_path / "b")
    assert [m["unreadable"] for s in answer["sections"] for d in s["differences"] for m in d["members"] if m["member"] == "values"] == ["b"]


def test_values_that_cannot_be_decoded_are_compared_as_they_are(cpb, tmp_path):
    from tensorflow.core.framework import tensor_pb2
    one, other = (graph(tmp_path, f"{i}.pb", r=tensor_pb2.TensorProto(dtype=20, tensor_content=bytes([i]) * 3)) for i in (1, 2))
    same(cpb, one, one)
    found = diff(cpb, one, other)["sections"][-1]["differences"]
    assert found[0]["members"][0]["unreadable"] == "both"


def test_samediff_parameters_states_and_tags(cpb):
    found = diff(cpb, FOLDER / "all_stored.zip", FOLDER / "all_shared.zip")
    truth = [json.loads((FOLDER / f"all_{kind}.zip.json").read_text()) for kind in ("stored", "shared")]
    tags = [{t["tag"] if isinstance(t, dict) else t for t in one["tags"]} for one in truth]
    said = {d["name"]: d["change"] for s in found["sections"] if s["section"] == "tags" for d in s["differences"]}
    assert {n for n, change in said.items() if change == "removed"} == tags[0] - tags[1]
    states = {s["tag"]: s for s in found["sections"] if s["section"] == "updater_state"}
    assert states["Final"]["removed"] > 0
    assert cpb.run("diff", FOLDER / "all_stored.zip", FOLDER / "all_shared.zip", "--skip-values").returncode == 1


def test_a_checksum_that_is_wrong_is_damage(cpb):
    answer = diff(cpb, FOLDER / "all_stored.zip", FOLDER / "bad_crc_deflated.zip", damaged="b")
    assert "CRC-32" in answer["damaged"]["b"]["text"]
    assert [d["members"][0]["unreadable"] for s in answer["sections"] if s["section"] == "constants"
            for d in s["differences"]] == ["b"]


# --- Keras ------------------------------------------------------------------------------------------


def test_layers_and_their_configs(cpb, tmp_path):
    model = models.model("keras_functional")
    other = tmp_path / "other"
    shutil.copytree(model, other)
    metadata = (other / "keras_metadata.pb").read_bytes()
    same(cpb, model, other)
    assert b'"activation": "sigmoid"' in metadata
    (other / "keras_metadata.pb").write_bytes(metadata.replace(b'"activation": "sigmoid"', b'"activation": "softmax"'))
    for a, b in ((model, other), (model / "keras_metadata.pb", other / "keras_metadata.pb")):
        found = differences(diff(cpb, a, b))
        assert found.keys() == {"layers"}
        assert {"config.activation": ("sigmoid", "softmax")} in found["layers"].values()


def keras_model(folder, names, attributes=None, inserted=False, **of_last):
    """Two layers of the same class and size and others between them; where they are attributes, these are their paths."""
    import tf_keras as keras
    layers = keras.layers
    made = [layers.Dense(4, name=names[0]), layers.BatchNormalization(name=names[1]), layers.Dense(4, name=names[2], **of_last)]
    if inserted:
        made.insert(0, layers.Dense(4, name="before"))
    if attributes:
        class Net(keras.Model):
            def call(self, x):
                for name in attributes:
                    x = getattr(self, name)(x)
                return x
        model = Net(name="net")
        for name, layer in zip(attributes, made):
            setattr(model, name, layer)
        model.compute_output_shape((None, 4))
    else:
        start = x = keras.Input((4,), name="start")
        for layer in made:
            x = layer(x)
        model = keras.Model(start, x, name="net")
    model.save(folder, save_format="tf", include_optimizer=False)
    return folder


def layers_of(cpb, a, b):
    """What differs in layers, and which of them were renamed: {key: (from, to)}."""
    answer = diff(cpb, a, b)
    renamed = {d["name"]: (m["a"], m["b"]) for s in answer["sections"] if s["section"] == "layers"
               for d in s["differences"] for m in d.get("members", ()) if m.get("renamed")}
    return differences(answer).get("layers", {}), renamed


def test_renamed_layers(cpb, tmp_path):
    one = keras_model(tmp_path / "one", ["a", "b", "c"])
    other = keras_model(tmp_path / "other", ["x", "y", "z"])
    for a, b in ((one, other), (one / "keras_metadata.pb", other / "keras_metadata.pb")):
        found, renamed = layers_of(cpb, a, b)
        assert sorted(renamed.values()) == [("a", "x"), ("b", "y"), ("c", "z")]
        assert all(list(layer) == ["name"] for layer in found.values()) and len(found) == 3
        lines = cpb.run("diff", "--tsv", a, b).stdout.decode().splitlines()
        assert sorted(line.split("\t")[3] for line in lines if line.startswith("~\tlayers\t")) == [
            "renamed: a -> x", "renamed: b -> y", "renamed: c -> z"]


def test_a_layer_that_has_changed_is_not_renamed(cpb, tmp_path):
    one = keras_model(tmp_path / "one", ["a", "b", "c"])
    found, renamed = layers_of(cpb, one, keras_model(tmp_path / "other", ["a", "b", "z"], activation="relu"))
    assert not renamed
    changed = next(layer for layer in found.values() if isinstance(layer, dict) and "config.activation" in layer)
    assert changed["name"] == ("c", "z") and changed["config.name"] == ("c", "z")


def test_names_that_change_places_are_not_renamed(cpb, tmp_path):
    one = keras_model(tmp_path / "one", ["a", "b", "c"])
    found, renamed = layers_of(cpb, one, keras_model(tmp_path / "other", ["c", "b", "a"]))
    assert not renamed and {layer["path"] for layer in found.values() if "path" in layer} == {
        ("root.layer_with_weights-0", "root.layer_with_weights-2"), ("root.layer_with_weights-2", "root.layer_with_weights-0")}


def test_layers_that_were_renamed_with_their_paths(cpb, tmp_path):
    one = keras_model(tmp_path / "one", ["a", "b", "c"], ["first", "norm", "last"])
    found, renamed = layers_of(cpb, one, keras_model(tmp_path / "other", ["x", "b", "z"], ["begin", "norm", "end"]))
    assert renamed == {"root.first": ("a", "x"), "root.last": ("c", "z")}
    assert found == {"root.first": {"name": ("a", "x"), "path": ("root.first", "root.begin")},
                     "root.last": {"name": ("c", "z"), "path": ("root.last", "root.end")}}


def test_a_layer_that_was_put_before_others_is_all_that_was_added(cpb, tmp_path):
    one = keras_model(tmp_path / "one", ["a", "b", "c"])
    found, renamed = layers_of(cpb, one, keras_model(tmp_path / "other", ["a", "b", "c"], inserted=True))
    assert not renamed and list(found.values()).count("added") == 1 and "removed" not in found.values()
    assert all("name" not in layer for layer in found.values() if isinstance(layer, dict))


# --- The command -------------------------------------------------------------------------------------


def test_exit_codes(cpb, tmp_path):
    path = path_of("real_tf_module")
    other = graph(tmp_path, "g.pb", **{})
    other.write_bytes(wire.field(1, wire.field(1, b"n") + wire.field(2, b"NoOp")))
    kinds = cpb.run("diff", "--tsv", path, other)
    assert kinds.returncode == 1 and kinds.stdout.decode().splitlines() == [
        f"--- {path}\tSavedModel", f"+++ {other}\tGraphDef", "Models of different kinds are not compared"]
    for words in ((path, tmp_path / "none.pb"), (tmp_path / "none.pb", path), (path,), (), (path, path, path),
                  (path, path, "--nonsense"), (path, path, "--memory-limit", "50K")):
        result = cpb.run("diff", *words)
        assert result.returncode == 2 and result.stderr and not result.stdout, words


def test_only_so_many_are_shown(cpb):
    one, other = path_of(CORPUS[0]), path_of(CORPUS[1])
    shown = cpb.run("diff", "--tsv", one, other, "-n", 2).stdout.decode().splitlines()
    assert any(line.startswith("...\tobjects\t") and line.endswith(" more") for line in shown)
    every = diff(cpb, one, other)
    few = json.loads(cpb.run("diff", one, other, "-n", 2, "--json").stdout)
    assert counts(few) == counts(every)
    assert all(s["differences"] == t["differences"][:2] for s, t in zip(few["sections"], every["sections"]))
