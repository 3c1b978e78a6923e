"""cpb diff: two models that differ in known ways, and models that are the same."""

import json
import re
import shutil

import pytest

from conftest import DATA
from support import keras_models, models, saved_models, wire  # noqa: F401  the first adds makers of models
from support.samediff import FOLDER
from support.terminal import native, terminal

CORPUS = ["real_tf_module", "real_keras_export", "real_tf_keras_functional", "real_tf_keras_subclassed"]
SIDES = {"a": "b", "b": "a", "added": "removed", "removed": "added"}


def diff(cpb, a, b, *options):
    result = cpb.run("diff", a, b, "--json", "-n", 1000000, *options)
    assert result.returncode in (0, 1), result.stderr
    answer = json.loads(result.stdout)
    assert answer["equal"] == (result.returncode == 0)
    for section in answer["sections"]:
        changes = [d["change"] for d in section["differences"]]
        assert [changes.count(c) for c in ("added", "removed", "changed")] == [
            section["added"], section["removed"], section["changed"]]
    assert answer["equal"] == (answer["a"] == answer["b"] and not differences(answer))
    return answer


def differences(answer):
    """{section and function: {name: what of it}}, where "what" is a change, or {member: (a, b)}."""
    found = {}
    for section in answer["sections"]:
        where = section["section"] + (" " + section["function"] if "function" in section else "")
        for one in section["differences"]:
            what = one["change"]
            if what == "changed":
                what = {m["member"]: (m["a"], m["b"]) if "a" in m else (m["different"], m["of"]) for m in one["members"]}
            found.setdefault(where, {})[one["name"]] = what
    return found


def same(cpb, a, b):
    assert differences(diff(cpb, a, b)) == {}
    assert cpb.ok("diff", a, b).startswith(b"The models are the same")


def path_of(name):
    return DATA / "cpb" / name / "orig.pb" if name in CORPUS else saved_models.model(name)


def saved_model(path):
    from tensorflow.core.protobuf import saved_model_pb2
    path = path / "saved_model.pb" if path.is_dir() else path
    return saved_model_pb2.SavedModel.FromString(path.read_bytes())


def write(tmp_path, message, name="other.pb"):
    path = tmp_path / name
    path.write_bytes(message.SerializeToString(deterministic=True))
    return path


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
        result = cpb.run("diff", path, path)
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
            "overview": None, "functions": None}


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


# --- Values -------------------------------------------------------------------------------------


def graph(tmp_path, name, **tensors):
    from tensorflow.core.framework import graph_pb2
    out = graph_pb2.GraphDef()
    for key, tensor in tensors.items():
        node = out.node.add(name=key, op="Const")
        node.attr["value"].tensor.CopyFrom(tensor)
        node.attr["dtype"].type = tensor.dtype
    return write(tmp_path, out, name)


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
    shown = cpb.run("diff", one, other).stdout.decode().splitlines()
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
    told = dict(line.split("\t")[2:] for line in cpb.run("diff", *trained).stdout.decode().splitlines() if line.startswith("~\tvariables\t"))
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
    items = next(s for s in diff(cpb, *models)["sections"] if s["section"] == "variables")["differences"]
    big = next(d for d in items if d["name"] == "root.big")
    assert big["members"][-1]["member"] == "values" and big["members"][-1]["unreadable"] == "ab"[side]
    told = cpb.run("diff", *models).stdout.decode()
    assert f"; not all can be read in the {['first model', 'second'][side]}\n" in told
    shard.unlink()
    found = differences(diff(cpb, *models))["variables"]["root.big"]
    assert found["stored"][side] is None


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


def test_a_checksum_that_is_wrong_is_a_difference(cpb):
    for section in diff(cpb, FOLDER / "all_stored.zip", FOLDER / "bad_crc_deflated.zip")["sections"]:
        for one in section["differences"] if section["section"] == "parameters" else []:
            assert one["members"][0]["unreadable"] == "b"
            return
    raise AssertionError("nothing was found")


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
        lines = cpb.run("diff", a, b).stdout.decode().splitlines()
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
    kinds = cpb.run("diff", path, other)
    assert kinds.returncode == 1 and kinds.stdout.decode().splitlines() == [
        f"--- {path}\tSavedModel", f"+++ {other}\tGraphDef", "Models of different kinds are not compared"]
    for words in ((path, tmp_path / "none.pb"), (tmp_path / "none.pb", path), (path,), (), (path, path, path),
                  (path, path, "--nonsense"), (path, path, "--memory-limit", "50K")):
        result = cpb.run("diff", *words)
        assert result.returncode == 2 and result.stderr and not result.stdout, words


def test_only_so_many_are_shown(cpb):
    one, other = path_of(CORPUS[0]), path_of(CORPUS[1])
    shown = cpb.run("diff", one, other, "-n", 2).stdout.decode().splitlines()
    assert any(line.startswith("...\tobjects\t") and line.endswith(" more") for line in shown)
    every = diff(cpb, one, other)
    few = json.loads(cpb.run("diff", one, other, "-n", 2, "--json").stdout)
    assert counts(few) == counts(every)
    assert all(s["differences"] == t["differences"][:2] for s, t in zip(few["sections"], every["sections"]))


# --- For a person ------------------------------------------------------------------------------------


def shown(cpb, a, b, width, *options):
    result = cpb.run("diff", a, b, "--width", width, *options)
    assert result.returncode == 1 and not result.stderr
    return result.stdout.decode().splitlines()


def test_a_page_for_a_person(cpb, tmp_path):
    import numpy as np
    import tensorflow as tf
    values = np.zeros((40, 50), np.float32)
    changed = values.copy()
    changed[3, 17] = 0.123456789
    one = graph(tmp_path, "a.pb", gone=tf.make_tensor_proto(1), w=tf.make_tensor_proto(values), step=tf.make_tensor_proto(3),
                same=tf.make_tensor_proto(1))
    other = graph(tmp_path, "b.pb", w=tf.make_tensor_proto(changed), step=tf.make_tensor_proto(5), same=tf.make_tensor_proto(1),
                  another=tf.make_tensor_proto(changed))
    expected = f"""\
--- {one}   GraphDef
+++ {other}   GraphDef
nodes      2 of 5  +-
  ~ the graph    2 of 5  +-
      + another  Const
      - gone     Const
constants  4 of 5  +-~~
  + another  f32[40,50]
  - gone     i32[]
  ~ step     3 -> 5
  ~ w        1 of 2,000 values differs, by 0.1235 at most at [3,17]: 0 -> 0.1235
2 of 5 nodes and 4 of 5 constants differ
"""
    assert "\n".join(shown(cpb, one, other, 80)) + "\n" == expected


def test_a_person_reads_words_and_a_program_names(cpb):
    """The figures are those of the answers that are compared."""
    one, other = path_of("real_tf_module"), path_of("real_tf_keras_subclassed")
    a, b = (json.loads(cpb.ok("inspect", path, "overview", "--json")) for path in (one, other))
    lines = [re.split(" {2,}", line.strip(), maxsplit=1) for line in shown(cpb, one, other, 1000, "--all")]
    facts = dict(line for line in lines[lines.index(["overview", "5 of 8  ~"]) + 1:][:5])

    def change(*path, words):
        values = []
        for side in (a, b):
            for key in path:
                side = side.get(key, "none")
            values.append(f"{side:,}" if isinstance(side, int) else side)
        return f"{words}{': ' if words else ''}{values[0]} -> {values[1]}"

    kinds = {"user_object": "user objects", "function": "functions", "variable": "variables",
             "bare_concrete_function": "bare concrete functions", "constant": "constants"}
    assert set(kinds) == set(a["objects"]["kinds"]) | set(b["objects"]["kinds"])
    assert facts == {
        "~ concrete functions": change("concrete_functions", words=""),
        "~ keras": "only in the second model: identifier _tf_keras_model, objects 5",
        "~ objects": "; ".join([change("objects", "total", words=""),
                                *(change("objects", "kinds", kind, words=words) for kind, words in kinds.items())]),
        "~ operations": change("ops", "total", words="kinds that the exporter lists"),
        "~ variables": "; ".join(change("variables", member, words=words) for member, words in
                                 {"total": "", "trainable": "trainable", "elements": "parameters", "size": "bytes"}.items())}
    assert any(line[0] == "kinds of operations" for line in lines)
    told = cpb.run("diff", one, other).stdout.decode()
    assert "~\toverview\tobjects\ttotal: 14 -> 90; kinds.user_object: 2 -> 56;" in told and "\tops\t" in told


@native
@pytest.mark.parametrize("env, colored", [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)], ids=str)
def test_on_a_terminal_what_is_added_is_green_and_what_is_removed_red(cpb, tmp_path, env, colored):
    import tensorflow as tf
    one = graph(tmp_path, "a.pb", gone=tf.make_tensor_proto(1), step=tf.make_tensor_proto(3))
    other = graph(tmp_path, "b.pb", another=tf.make_tensor_proto(1), step=tf.make_tensor_proto(5))
    code, text = terminal([*cpb.command, "diff", str(one), str(other)], **env)
    styled = re.findall(r"\033\[([0-9;]+)m(.*?)\033\[0m", text)
    assert code == 1 and ("\033" in text.replace("\r\033[K", "")) == colored
    if colored:
        assert {words.strip() for style, words in styled if style == "32"} == {"+", "+ another", "Const", "i32[]"}
        assert {words.strip() for style, words in styled if style == "31"} == {"-", "- gone", "Const", "i32[]"}
        assert not any("step" in words for style, words in styled)
    plain = re.sub(r"\033\[[0-9;]*[mK]|[^\n]*\r", "", text)
    assert plain == "\n".join(shown(cpb, one, other, 80)) + "\n"


def test_lines_fit_and_lists_are_folded_but_names_are_whole(cpb):
    one, other = path_of(CORPUS[2]), path_of(CORPUS[3])
    every = diff(cpb, one, other)
    names = [d["name"].replace("_", " ") if s["section"] == "overview" else d["name"]
             for s in every["sections"] for d in s["differences"]]
    names = ["operations" if name == "ops" else name for name in names]
    for width in (80, 120):
        lines = shown(cpb, one, other, width)
        assert len(lines) <= 80
        for line in lines[2:]:
            assert len(line) <= width or line.strip()[2:] in names, line
    assert any(" more" in line for line in lines)
    full = shown(cpb, one, other, 120, "--all")
    listed = {line.strip()[2:].split("  ")[0] for line in full}
    assert not any(" more" in line for line in full) and set(names) <= listed


def test_the_last_line_counts_what_json_counts(cpb):
    one, other = path_of(CORPUS[0]), path_of(CORPUS[1])
    every = diff(cpb, one, other)
    sections = [s for s in every["sections"] if s["section"] == "nodes"]
    differing = sum(s["added"] + s["removed"] + s["changed"] for s in sections)
    total = differing + sum(s["same"] for s in sections) + every["left_out"]["same"]
    last = cpb.run("diff", one, other).stdout.decode().splitlines()[-1]
    assert f"{differing} of {total} nodes" in last
    model = saved_model(one)
    functions = model.meta_graphs[0].graph_def.library.function
    same = cpb.ok("diff", one, one).decode()
    nodes = len(model.meta_graphs[0].graph_def.node) + sum(len(f.node_def) for f in functions)
    assert f"{len(functions)} functions, {nodes} nodes" in same


def test_the_largest_difference_of_what_is_folded(cpb, tmp_path):
    import numpy as np
    import tensorflow as tf
    sides = [graph(tmp_path, f"{side}.pb", **{f"c{i:02}": tf.make_tensor_proto(np.float32([i, i + side * (i == 70) * 8 + side]))
                                             for i in range(90)}) for side in (0, 1)]
    lines = shown(cpb, *sides, 100)
    assert lines[-2] == "    and 70 more, by 9 at most: c70" and lines[-3].startswith("  ~ c19  1 of 2 values differs, by 1 at most")


def test_numbers_of_one_run_in_names_of_arguments_do_not_count(cpb, tmp_path):
    path = path_of("rich")
    model = saved_model(path)
    for function in model.meta_graphs[0].graph_def.library.function:
        for attributes in function.arg_attr.values():
            name = attributes.attr.get("_user_specified_name")
            if name and name.s.isdigit():
                name.s = str(int(name.s) + 1000).encode()
    assert write(tmp_path, model).read_bytes() != write(tmp_path, saved_model(path), "again.pb").read_bytes()
    same(cpb, path, tmp_path / "other.pb")


def test_nodes_and_constants_of_functions_that_one_model_lacks_are_not_listed(cpb, tmp_path):
    path = path_of("rich")
    other = tmp_path / "other.pb"
    name = next(f.signature.name for f in saved_model(path).meta_graphs[0].graph_def.library.function
                if f.signature.name.startswith("__inference_") and any(n.op == "Const" for n in f.node_def))
    other.write_bytes(path_of("rich").joinpath("saved_model.pb").read_bytes().replace(name.encode(), name.replace("_inference_", "_inferenc3_").encode()))
    sections = diff(cpb, path, other)["sections"]
    assert not any(s.get("function") == name for s in sections)
    constants = next(s for s in sections if s["section"] == "constants")["differences"]
    assert constants and all(d["with_function"] for d in constants if d["change"] != "changed")
    assert any(line.endswith("in functions of one model") for line in shown(cpb, path, other, 80))


def test_all_and_quiet(cpb):
    one, other = path_of(CORPUS[0]), path_of(CORPUS[1])
    every = diff(cpb, one, other)
    assert json.loads(cpb.run("diff", one, other, "--json", "--all").stdout) == every
    lines = cpb.run("diff", one, other, "--all").stdout.decode().splitlines()
    assert len(lines) == sum(len(s["differences"]) for s in every["sections"]) + 1
    assert cpb.run("diff", one, other, "--all", "--quiet").stdout.decode().splitlines() == lines[:-1]
    assert cpb.ok("diff", one, one, "--quiet") == b""


# --- Damaged models: what cannot be read is not compared --------------------------------------------


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
    for size in (*texts[::3], *types):
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
    for child in children[::4]:
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


def test_what_is_left_of_a_damaged_model_is_compared(cpb, tmp_path):
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


def test_of_a_damaged_model_the_first_lines_say_so(cpb, tmp_path):
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
    result = cpb.run("diff", whole, path)
    assert f"{path}: the model is damaged; what cannot be read is not compared: byte {size}: " in result.stderr.decode()
    assert len(result.stdout.splitlines()) == 1
