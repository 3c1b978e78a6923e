"""Checkpoints by themselves, of both versions: what is in them is what TensorFlow reads."""

import io
import json
import shutil
import struct
import subprocess
import sys

import numpy as np
import pytest
from google.protobuf import text_format

from conftest import DATA
from support import checkpoints as ck, wire

CASES = DATA / "cases"
KEY = "/.ATTRIBUTES/VARIABLE_VALUE"

# TensorFlow keeps what it once was told of eager execution, so graphs are made in a process of their own.
MAKE_V1 = """
import sys
import numpy as np
import tensorflow as tf
v1 = tf.compat.v1
folder = sys.argv[1]
numbers = np.random.default_rng(3)
def variable(name, shape, axis=None, parts=3, dtype="float32"):
    if axis is None:
        v1.get_variable(name, initializer=tf.constant((numbers.random(shape) * 100).astype(dtype)))
    else:
        make = v1.random_uniform_initializer(0, 100, seed=1, dtype=getattr(tf, dtype))
        v1.get_variable(name, shape, getattr(tf, dtype), make, partitioner=v1.fixed_size_partitioner(parts, axis))
with tf.Graph().as_default():
    variable("plain", [3, 5])
    variable("rows", [10, 4], 0)
    variable("columns", [4, 9], 1, 2)
    variable("middle", [2, 7, 3], 1)
    variable("flat", [11], 0, 4, "int64")
    variable("scalar", [1])
    variable("large", [300, 700])
    variable("same/zeros", [50000], dtype="int32")
    variable("empty", [0, 3])
    for dtype in ("float16", "float64", "int8", "uint8", "int16", "uint16", "complex64", "complex128", "bool"):
        variable("of/" + dtype, [2, 3], dtype=dtype)
    v1.get_variable("text", initializer=tf.constant([b"a", b"", b"longest", b"bc"]))
    v1.train.get_or_create_global_step()
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        for version in (1, 2):
            v1.train.Saver(write_version=version).save(session, f"{folder}/v{version}/m.ckpt")
        import json
        json.dump([v.op.name for v in v1.global_variables()], open(folder + "/names.json", "w"))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    pytest.importorskip("tensorflow")
    path = tmp_path_factory.mktemp("checkpoints")
    for version in "v1", "v2":
        (path / version).mkdir()
    subprocess.run([sys.executable, "-c", MAKE_V1, str(path)], check=True, capture_output=True)
    return path


def inspect(cpb, model, *words):
    return json.loads(cpb.ok("inspect", model, *(words or ["variables"]), "-n", "100000", "--json"))


def extract(cpb, model, name, *words):
    return np.load(io.BytesIO(cpb.ok("extract", model, name, *words, "-o", "-")))


def of_numpy(values):
    return values.astype("S") if values.dtype == object else values


def listed(answer):
    return {item["key"]: (item["dtype"], item["shape"]) for item in answer["variables"]["items"]}


def told_by_tensorflow(prefix):
    import tensorflow as tf
    types = tf.train.load_checkpoint(str(prefix)).get_variable_to_dtype_map()
    return {name: (types[name].name, list(shape)) for name, shape in tf.train.list_variables(str(prefix))}


def read_by_tensorflow(prefix, key):
    import tensorflow as tf
    dtype = tf.train.load_checkpoint(str(prefix)).get_variable_to_dtype_map()[key]
    read = tf.raw_ops.RestoreV2(prefix=str(prefix), tensor_names=[key], shape_and_slices=[""], dtypes=[dtype])[0]
    return of_numpy(read.numpy())


@pytest.mark.parametrize("version", [1, 2])
def test_contents_are_those_that_tensorflow_reports(cpb, folder, version):
    prefix = folder / f"v{version}" / "m.ckpt"
    told = told_by_tensorflow(prefix)
    assert len(told) == 20
    for path in (prefix, prefix.parent, *([prefix.with_name("m.ckpt.index")] if version == 2 else [])):
        assert listed(inspect(cpb, path)) == told
        overview = inspect(cpb, path, "overview")
        assert (overview["kind"], overview["checkpoint_version"], overview["tensors"]) == ("checkpoint", version, 20)
    meta = {item["key"]: item["dtype"] for item in inspect(cpb, prefix.with_name("m.ckpt.meta"))["variables"]["items"]}
    assert meta == {key: dtype for key, (dtype, _) in told.items()}


@pytest.mark.parametrize("version", [1, 2])
def test_values_are_those_that_tensorflow_reads(cpb, folder, version):
    prefix = folder / f"v{version}" / "m.ckpt"
    for key in told_by_tensorflow(prefix):
        wanted = read_by_tensorflow(prefix, key)
        for path, words in ((prefix, ()), (prefix.with_name("m.ckpt.meta"), ("--variable",))):
            got = np.load(io.BytesIO(cpb.ok("extract", path, *words, key, "-o", "-")))
            assert got.shape == wanted.shape and got.dtype == wanted.dtype and got.tobytes() == wanted.tobytes(), key


def test_slices_are_listed(cpb, folder):
    for version in "v1", "v2":
        prefix = folder / version / "m.ckpt"
        slices = {item["key"]: sorted(item["stored"].get("slices", ()), key=lambda one: one["begin"]) for item in inspect(cpb, prefix)["variables"]["items"]}
        assert [len(slices[name]) for name in ("rows", "columns", "middle", "flat", "plain")] == [3, 2, 3, 4, 0]
        assert [one["begin"] for one in slices["columns"]] == [[0, 0], [0, 5]]
        assert [one["shape"] for one in slices["columns"]] == [[4, 5], [4, 4]]


def test_the_two_versions_have_the_same_values(cpb, folder):
    a, b = folder / "v1" / "m.ckpt", folder / "v2" / "m.ckpt"
    answer = json.loads(cpb.run("diff", a, b, "--json").stdout)
    assert [one["differences"] for one in answer["sections"] if one["section"] != "overview"] == [[], []]
    assert answer["sections"][0]["differences"][0]["name"] == "checkpoint_version"


@pytest.mark.parametrize("version", [1, 2])
def test_a_difference_in_values_is_found(cpb, folder, version, tmp_path):
    import tensorflow as tf
    names, tensors = ["w", "same"], [tf.constant([1.0, 2.0, 3.0]), tf.constant([[1, 2]])]
    for i, last in enumerate((3.0, 3.5)):
        tensors[0] = tf.constant([1.0, 2.0, last])
        path = str(tmp_path / f"m{i}.ckpt")
        if version == 1:
            tf.raw_ops.Save(filename=path, tensor_names=names, data=tensors)
        else:
            tf.raw_ops.SaveV2(prefix=path, tensor_names=names, shape_and_slices=["", ""], tensors=tensors)
    paths = [tmp_path / f"m{i}.ckpt" for i in (0, 1)]
    assert cpb.run("diff", paths[0], paths[0]).returncode == 0
    result = cpb.run("diff", *paths, "--json")
    answer = json.loads(result.stdout)
    section = next(one for one in answer["sections"] if one["section"] == "variables")
    assert result.returncode == 1 and section["same"] == 1 and [one["name"] for one in section["differences"]] == ["w"]
    values = next(one for one in section["differences"][0]["members"] if one["member"] == "values")
    assert (values["different"], values["of"], values["largest"]["index"]) == (1, 3, [2])


def test_optimizers_and_counters_are_no_parameters(cpb, tmp_path):
    keras = pytest.importorskip("keras")
    import tensorflow as tf
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3, name="first"), keras.layers.Dense(2)])
    adam = keras.optimizers.Adam()
    adam.build(model.trainable_variables)
    model(np.zeros((1, 4), "float32"))
    checkpoint = tf.train.Checkpoint(net=model, adam=adam, step=tf.Variable(1), rate=tf.Variable(0.5))
    manager = tf.train.CheckpointManager(checkpoint, str(tmp_path / "ck"), max_to_keep=3)
    manager.save()
    manager.save()
    overview = inspect(cpb, tmp_path / "ck", "overview")
    assert overview["parameters"]["total"] == model.count_params() + 1 and overview["object_graph"] is True
    uses = {item["key"]: item["use"] for item in inspect(cpb, tmp_path / "ck")["variables"]["items"]}
    assert uses["save_counter" + KEY] == uses["step" + KEY] == "state"
    assert {use for key, use in uses.items() if key.startswith("adam/_variables")} == {"optimizer"}
    assert listed(inspect(cpb, tmp_path / "ck")) == told_by_tensorflow(manager.latest_checkpoint)
    counts = {one["name"]: one["parameters"] for one in inspect(cpb, tmp_path / "ck", "layers")["layers"]["items"]}
    assert sum(counts.values()) == overview["parameters"]["total"]


def test_layers_of_weights_whose_keys_are_in_the_optimizer(cpb, tmp_path):
    """Where the optimizer is nearer to the root, the objects that have the weights name the layers."""
    import tensorflow as tf
    net, optimizer = tf.Module(), tf.Module()
    net.inner = [tf.Module(), tf.Module()]
    for module in net.inner:
        module.w = tf.Variable([1.0, 2.0])
    optimizer.learning_rate, optimizer.iterations = tf.Variable(0.1), tf.Variable(1)
    optimizer.weights = [module.w for module in net.inner]
    net.bias = tf.Variable([0.0])
    tf.train.Checkpoint(net=net, optimizer=optimizer).write(str(tmp_path / "ck"))
    assert "optimizer/weights/0" + KEY in {item["key"] for item in inspect(cpb, tmp_path / "ck.index")["variables"]["items"]}
    found = inspect(cpb, tmp_path / "ck.index", "layers")["layers"]["items"]
    assert {one["name"]: one["parameters"] for one in found} == {"net": 1, "root.net.inner.0": 2, "root.net.inner.1": 2}


def test_names_tell_slots_of_parts_and_settings_of_optimizers(cpb, tmp_path):
    """As TensorFlow 1 and Keras's optimizers name them; a weight of the same name elsewhere stays one."""
    import tensorflow as tf
    v1 = tf.compat.v1
    optimizer = {"dnn/w/nn/w/part_0/RMSProp": 6, "dnn/w/nn/w/part_0/RMSProp_1": 6, "SGD/learning_rate": 1, "SGD/iter": 1,
                 "SGD/momentum": 1, "SGD/rho": 1}
    weights = {"dnn/w": 6, "dnn/w/nn/Adam": 5, "swish/beta": 1, "momentum": 1}
    with v1.Graph().as_default(), v1.Session() as session:
        for name, count in {**optimizer, **weights}.items():
            v1.get_variable(name, [count] if count > 1 else [])
        session.run(v1.global_variables_initializer())
        v1.train.Saver().save(session, str(tmp_path / "m"), write_meta_graph=False)
    found = {item["name"]: item["use"] for item in inspect(cpb, tmp_path / "m")["variables"]["items"]}
    assert found == dict.fromkeys(optimizer, "optimizer") | dict.fromkeys(weights, "weight")


@pytest.mark.parametrize("object_graph", [True, False], ids=["objects", "keys"])
def test_tables_are_no_parameters(cpb, tmp_path, object_graph):
    import tensorflow as tf
    module = tf.Module()
    module.w = tf.Variable(np.zeros((4, 2), "float32"))
    module.table = tf.lookup.experimental.MutableHashTable(tf.string, tf.float32, [0.0] * 4)
    module.table.insert(["a", "b"], [[1.0] * 4] * 2)
    tf.train.Checkpoint(m=module).write(str(tmp_path / "ck"))
    if not object_graph:
        (tmp_path / "ck.data-00000-of-00001").unlink()
    answer = inspect(cpb, tmp_path / "ck.index")
    found = {item["name"]: item["use"] for item in answer["variables"]["items"] if item["use"]}
    assert found == {"m/w" + KEY: "weight", "m/table/.ATTRIBUTES/table-keys": "state",
                     "m/table/.ATTRIBUTES/table-values": "state"}


def test_a_folder_stands_for_its_latest(cpb, tmp_path):
    for name in "a", "b c":
        shutil.copy(CASES / "tf2/ck-1.index", tmp_path / f"{name}.index")
    result = cpb.run("inspect", tmp_path)
    assert result.returncode == 1 and b"with 2 checkpoints; expected the path of one of them: a.index, b c.index" in result.stderr
    for text, code in (('model_checkpoint_path: "b c"\n', 0), ('other: "x"\nmodel_checkpoint_path:"/gone/a"', 0),
                       ('model_checkpoint_path: "..', 1), ('model_checkpoint_path: ".."', 1), ("", 1)):
        (tmp_path / "checkpoint").write_text(text)
        assert cpb.run("inspect", tmp_path, "overview").returncode == code, text
    (tmp_path / "a.index").unlink()
    assert inspect(cpb, tmp_path, "overview")["kind"] == "checkpoint"


def test_the_latest_may_have_any_name(cpb, tmp_path):
    """TensorFlow writes other characters than ASCII as they are, or as octal numbers, as earlier versions did."""
    tf = pytest.importorskip("tensorflow")
    for name in "other", "模型-1":
        shutil.copy(CASES / "tf2/ck-1.index", tmp_path / f"{name}.index")
    tf.compat.v1.train.update_checkpoint_state(str(tmp_path), str(tmp_path / "模型-1"))
    assert inspect(cpb, tmp_path, "overview")["kind"] == "checkpoint"
    text = text_format.MessageToString(tf.train.get_checkpoint_state(str(tmp_path)), as_utf8=False)
    assert "\\346" in text
    (tmp_path / "checkpoint").write_text(text)
    assert inspect(cpb, tmp_path, "overview")["kind"] == "checkpoint"


def test_a_folder_stands_for_a_checkpoint_without_a_name(cpb, tmp_path):
    """What `Saver.save(session, "folder/")` writes."""
    (tmp_path / "checkpoint").write_text('model_checkpoint_path: "/gone/folder/"\n')
    assert cpb.run("inspect", tmp_path).returncode == 3
    shutil.copy(CASES / "tf2/ck-1.index", tmp_path / ".index")
    assert inspect(cpb, tmp_path, "overview")["kind"] == "checkpoint"


def test_missing_names_are_listed(cpb, tmp_path):
    index = shutil.copy(CASES / "tf2/ck-1.index", tmp_path / "ck-1.index")
    answer = inspect(cpb, index)
    assert "object graph" in answer["problems"][0]["text"] and len(answer["variables"]["items"]) == 6
    result = cpb.run("extract", index, "a" + KEY, "-o", "-")
    assert result.returncode == 3 and b"ck-1.data-00000-of-00001" in result.stderr
    result = cpb.run("inspect", index, "variables", "nothing")
    assert result.returncode == 1 and b'there is no tensor "nothing" in the checkpoint' in result.stderr
    assert [one["key"] for one in inspect(cpb, index, "variables", "a")["variables"]["items"]] == ["a" + KEY]
    assert [one["name"] for one in inspect(cpb, index, "search", "L/")["found"]["items"]] == ["l/0" + KEY, "l/1" + KEY]


def test_a_file_of_it_is_not_written_over(cpb, tmp_path):
    for path in (CASES / "tf2").iterdir():
        shutil.copy(path, tmp_path)
    data = tmp_path / "ck-1.data-00000-of-00001"
    result = cpb.run("extract", tmp_path / "ck-1", "a" + KEY, "--force", "-o", data)
    assert result.returncode == 1 and b"is in this file" in result.stderr
    assert data.read_bytes() == (CASES / "tf2" / data.name).read_bytes()


# --- Of version 1, made by hand ---------------------------------------------------------------------


def number(field, value):
    return wire.tag(field, 0) + wire.varint(value)


def slice_of(*extents):
    return b"".join(wire.field(1, b"" if one is None else number(1, one[0]) + number(2, one[1])) for one in extents)


def signed(small):
    """As OrderedCode has it."""
    return bytes([0x80 + small]) if small >= 0 else bytes([0x7f])


def key_of(name, *extents):
    key = b"\0" + name + b"\0\1" + bytes([1, len(extents)] if extents else [0])
    return key + b"".join(signed(0 if one is None else one[0]) + signed(-1 if one is None else one[1]) for one in extents)


def shape_of(*sizes):
    return b"".join(wire.field(2, number(1, size)) for size in sizes)


def tensor(name, sizes, slices, dtype=1):
    return wire.field(1, wire.field(1, name) + wire.field(2, shape_of(*sizes)) + number(3, dtype) +
                      b"".join(wire.field(4, slice_of(*one)) for one in slices))


def values_of(name, *numbers):
    packed = wire.field(5, struct.pack(f"<{len(numbers)}f", *numbers))
    return wire.field(2, wire.field(1, name) + wire.field(3, packed))


def old(path, tensors, entries=(), **how):
    path.write_bytes(ck.table([[(b"", wire.field(1, b"".join(tensors)))], *([[one] for one in sorted(entries)])], **how))
    return path


QUARTERS = [((0, 1), (0, 1)), ((0, 1), (1, 1)), ((1, 1), (0, 1)), ((1, 1), (1, 1))]


def quarters(slices=QUARTERS):
    return [(key_of(b"w", *one), values_of(b"w", float(i))) for i, one in enumerate(slices)]


@pytest.mark.parametrize("how", [{}, {"kind": 1, "pack": ck.snappy}])
def test_blocks_may_be_compressed(cpb, tmp_path, how):
    path = old(tmp_path / "m.ckpt", [tensor(b"w", [2, 2], QUARTERS)], quarters(), **how)
    assert extract(cpb, path, "w").tolist() == [[0, 1], [2, 3]]
    assert inspect(cpb, path, "overview")["parameters"]["total"] == 4


@pytest.mark.parametrize("slices, text", [
    (QUARTERS[:3], "do not have as many elements as its shape"),
    ([*QUARTERS[:3], QUARTERS[0]], "overlap"),
    ([*QUARTERS[:3], ((1, 1), (2, 1))], "do not lie within its shape"),
    ([*QUARTERS[:3], ((1, 1),)], "do not lie within its shape"),
])
def test_slices_that_do_not_make_a_whole_are_damage(cpb, tmp_path, slices, text):
    path = old(tmp_path / "m.ckpt", [tensor(b"w", [2, 2], slices)], dict(quarters()).items())
    inspect(cpb, path)
    result = cpb.run("extract", path, "w", "-o", "-")
    assert result.returncode == 2 and text in result.stderr.decode(), result.stderr


@pytest.mark.parametrize("tensors, text", [
    ([tensor(b"w", [2], [(None,)]), tensor(b"w", [2], [(None,)])], "there twice"),
    ([tensor(b"", [2], [(None,)])], "empty"),
    ([tensor(b"w", [2], [])], "no slices"),
    ([tensor(b"w", [2], [(None,)], dtype=0)], "type is 0; expected a tensorflow.DataType"),
    ([tensor(b"w", [2 ** 64 - 1], [(None,)])], "dimension 0 is negative"),
])
def test_wrong_tensors_are_named(cpb, tmp_path, tensors, text):
    result = cpb.run("inspect", old(tmp_path / "m.ckpt", tensors))
    assert result.returncode == 2 and text in result.stderr.decode(), result.stderr


def test_values_that_are_missing_are_named(cpb, tmp_path):
    path = old(tmp_path / "m.ckpt", [tensor(b"w", [2, 2], QUARTERS)], quarters()[1:])
    result = cpb.run("extract", path, "w", "-o", "-")
    assert result.returncode == 2 and b'no values for a slice of "w"' in result.stderr


def test_a_cut_data_file_has_the_tensors_before(cpb, tmp_path):
    """The object graph comes last: it is lost, and only names tell what tensors are for."""
    shutil.copytree(CASES / "tf2", tmp_path, dirs_exist_ok=True)
    data, = tmp_path.glob("*.data-*")
    whole = data.read_bytes()
    items = {item["name"]: item["stored"] for item in inspect(cpb, tmp_path)["variables"]["items"]}
    name, last = max(((name, at) for name, at in items.items() if name.endswith(KEY)), key=lambda item: item[1]["offset"])
    data.write_bytes(whole[:last["offset"] + last["size"] + 1])
    assert all(extract(cpb, tmp_path, key) is not None for key in items if key.endswith(KEY))
    result = cpb.run("inspect", tmp_path)
    assert result.returncode == 2 and b'the values of "_CHECKPOINTABLE_OBJECT_GRAPH"; expected' in result.stderr
    assert "its data file is missing or damaged" in " ".join(result.stdout.decode().split())
    data.write_bytes(whole[:last["offset"] + last["size"] - 1])
    result = cpb.run("extract", tmp_path, name, "-o", "-")
    assert result.returncode == 2 and not result.stdout
    where = f'"{name}"; expected {last["size"]} bytes from byte {last["offset"]} on'
    assert f"the shard ends within the values of {where}" in result.stderr.decode()


def test_every_flipped_byte_of_version_1_is_noticed_or_makes_no_difference(cpb, tmp_path):
    path = old(tmp_path / "m.ckpt", [tensor(b"w", [2, 2], QUARTERS)], quarters())
    good, wanted = path.read_bytes(), extract(cpb, path, "w")
    for at in range(0, len(good)):
        path.write_bytes(good[:at] + bytes([good[at] ^ (1 << at % 8)]) + good[at + 1:])
        result = cpb.run("extract", path, "w", "-o", "-")
        assert result.returncode in (0, 2, 5)
        assert result.returncode != 0 or np.array_equal(np.load(io.BytesIO(result.stdout)), wanted), at
