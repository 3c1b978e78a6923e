"""Variables of SavedModels: what is stored of them in variables/ is what TensorFlow reads."""

import io
import json
import shutil
import struct

import numpy as np
import pytest

from conftest import DATA
from support import checkpoints as ck

REAL = sorted(path.parent.parent.name for path in (DATA / "cpb").glob("*/model/variables"))


def inspect(cpb, model, *words):
    return json.loads(cpb.ok("inspect", model, *(words or ["variables"]), "-n", "100000", "--json"))


def variables(cpb, model):
    answer = inspect(cpb, model)
    assert answer["problems"] == []
    return answer["variables"]["items"]


def extract(cpb, model, name):
    return np.load(io.BytesIO(cpb.ok("extract", model, "--variable", name, "-o", "-")))


def reader_of(model):
    import tensorflow as tf
    return tf.train.load_checkpoint(str(model / "variables" / "variables"))


# --- What TensorFlow wrote -----------------------------------------------------------------

DTYPES = ["float32", "float64", "int32", "uint8", "int16", "int8", "complex64", "int64", "bool", "qint8", "quint8", "qint32",
          "bfloat16", "uint16", "complex128", "float16", "uint32", "uint64", "float8_e5m2", "float8_e4m3fn"]
TEXTS = [b"a", b"", "l\u00e4ngste".encode() + b"\0", b"x" * 300]


def of_every_dtype(tf):
    model, numbers = tf.Module(), np.random.default_rng(1)
    for name in DTYPES:
        values = numbers.integers(0, 100, (3, 5))
        if name.startswith("q"):
            tensor = tf.bitcast(tf.constant(values.astype(name[1:] if name != "quint8" else "uint8")), tf.as_dtype(name))
        else:
            tensor = tf.cast(tf.constant(values.astype("float32") / 4), tf.as_dtype(name))
        setattr(model, name, tf.Variable(tensor))
    model.text = tf.Variable(tf.constant(TEXTS))
    model.no_text = tf.Variable(tf.zeros([0], tf.string))
    model.scalar = tf.Variable(3.5)
    model.empty = tf.Variable(tf.zeros([0, 7]))
    model.any_size = tf.Variable([1.0, 2.0], shape=tf.TensorShape([None]))
    return model


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    import tensorflow as tf
    folder = tmp_path_factory.mktemp("checkpoints")
    tf.saved_model.save(of_every_dtype(tf), str(folder / "dtypes"))
    many = tf.Module()
    many.list = [tf.Variable(float(i), name="same") for i in range(1200)]
    tf.saved_model.save(many, str(folder / "many"))
    pieces = tf.Module()
    pieces.list = [tf.Variable(tf.random.normal([100, 10])) for _ in range(3)]
    sharding = tf.saved_model.SaveOptions(experimental_sharding_callback=tf.train.experimental.MaxShardSizePolicy(max_shard_size=4096))
    tf.saved_model.save(pieces, str(folder / "shards"), options=sharding)
    make_v1(tf.compat.v1, str(folder / "v1"))
    for name in REAL:
        copy(name, folder / name)
    return folder


def copy(name, to):
    """A SavedModel of the test data, put together."""
    shutil.copytree(DATA / "cpb" / name / "model", to)
    shutil.copy(DATA / "cpb" / name / "orig.pb", to / "saved_model.pb")
    return to


def make_v1(tf, out):
    with tf.Graph().as_default(), tf.Session() as session:
        for axis, shape in ((0, [10, 4]), (1, [3, 30000])):
            with tf.variable_scope(f"axis{axis}", partitioner=tf.fixed_size_partitioner(3, axis=axis)):
                tf.get_variable("w", shape=shape)
        tf.get_variable("whole", initializer=[1.0, 2.0], use_resource=False)
        session.run(tf.global_variables_initializer())
        builder = tf.saved_model.Builder(out)
        builder.add_meta_graph_and_variables(session, ["serve"])
        builder.save()


@pytest.mark.parametrize("name", ["dtypes", "many", "shards", "v1", *REAL])
def test_keys_types_and_shapes_are_those_that_tensorflow_lists(cpb, made, name):
    reader, items = reader_of(made / name), variables(cpb, made / name)
    shapes, types = reader.get_variable_to_shape_map(), reader.get_variable_to_dtype_map()
    shapes.pop("_CHECKPOINTABLE_OBJECT_GRAPH", None)
    assert {item["key"]: item["stored"]["shape"] for item in items} == shapes
    assert {item["key"]: item["stored"]["dtype"] for item in items} == {key: types[key].name for key in shapes}


@pytest.mark.parametrize("name", ["dtypes", "many", "shards", *REAL])
def test_each_variable_has_the_key_that_the_checkpoint_has_under_its_name(cpb, made, name):
    from tensorflow.core.protobuf import trackable_object_graph_pb2
    model = made / name
    graph = trackable_object_graph_pb2.TrackableObjectGraph.FromString(reader_of(model).get_tensor("_CHECKPOINTABLE_OBJECT_GRAPH"))
    names = {a.checkpoint_key: a.full_name for node in graph.nodes for a in node.attributes}
    items = [item for item in variables(cpb, model) if item["path"]]
    assert items and all(item["stored"] and names[item["key"]] == item["name"] for item in items)
    assert len({item["key"] for item in items}) == len(items)


def test_a_list_of_variables_keeps_its_order_in_an_index_of_many_blocks(cpb, made):
    model = made / "many"
    assert (model / "variables" / "variables.index").stat().st_size > 3 * 4096
    assert {item["path"]: item["stored"]["offset"] // 4 for item in variables(cpb, model)} == {f"root.list.{i}": i for i in range(1200)}
    for i in (0, 7, 999, 1199):
        assert extract(cpb, model, f"root.list.{i}") == np.float32(i)


def test_values_of_every_type(cpb, made):
    model, reader = made / "dtypes", reader_of(made / "dtypes")
    for name in [*DTYPES, "scalar", "empty", "any_size"]:
        wanted = np.asarray(reader.get_tensor(f"{name}/.ATTRIBUTES/VARIABLE_VALUE"))
        values = extract(cpb, model, f"root.{name}")
        assert values.shape == wanted.shape and values.tobytes() == wanted.tobytes(), name


def test_texts_come_after_their_lengths(cpb, made):
    raw = cpb.ok("extract", made / "dtypes", "--variable", "root.text", "--raw", "-o", "-")
    assert raw == b"".join(struct.pack("<Q", len(text)) + text for text in TEXTS)
    assert cpb.ok("extract", made / "dtypes", "--variable", "root.no_text", "--raw", "-o", "-") == b""
    assert cpb.run("extract", made / "dtypes", "--variable", "root.text", "-o", "-").returncode == 5


@pytest.mark.parametrize("name", REAL)
def test_values_of_real_models(cpb, made, name):
    model, reader = made / name, reader_of(made / name)
    for item in variables(cpb, model):
        assert extract(cpb, model, item["key"]).tobytes() == reader.get_tensor(item["key"]).tobytes()


def test_variables_without_paths_are_listed_by_name(cpb, made):
    """TensorFlow 1 wrote no object graph: the root's children have names only."""
    names = {one["name"] for one in inspect(cpb, made / "v1", "objects")["children"]["items"]}
    text = cpb.ok("inspect", made / "v1", "objects", "--width", 100).decode()
    assert len(names) > 3 and all(f"  {name} " in text for name in names), text


@pytest.mark.parametrize("name", ["shards", "v1"])
def test_parts_of_a_variable_lie_where_it_says(cpb, made, name):
    model, reader = made / name, reader_of(made / name)
    files = sorted((model / "variables").glob("variables.data-*"))
    parts = 0
    for item in variables(cpb, model):
        stored, whole = item["stored"], reader.get_tensor(item["key"])
        for part in stored.get("slices", []):
            assert part["size"] > 0
            at = tuple(slice(begin, begin + size) for begin, size in zip(part["begin"], part["shape"]))
            data = files[part["shard"]].read_bytes()[part["offset"]:][:part["size"]]
            assert data == whole[at].tobytes() and part["crc32c"] == ck.masked(data)
            parts += 1
        assert stored["size"] == whole.nbytes
    assert parts >= 4
    for key in {item["key"] for item in variables(cpb, model) if "slices" in item["stored"]}:
        assert extract(cpb, model, key).tobytes() == reader.get_tensor(key).tobytes()


def test_the_overview_says_how_much_is_stored(cpb, made):
    stored = inspect(cpb, made / "many", "overview")["variables"]["stored"]
    assert stored == {"tensors": 1200, "size": 4800, "shards": 1, "without_value": 0}
    assert inspect(cpb, made / "shards", "overview")["variables"]["stored"]["shards"] == 3
    assert inspect(cpb, made / "v1", "overview")["variables"]["stored"]["size"] == 10 * 4 * 4 + 3 * 30000 * 4 + 8


# --- Names, and what is not there ----------------------------------------------------------------


@pytest.fixture
def model(tmp_path):
    return copy("real_tf_module", tmp_path / "model")


def fails(cpb, code, text, *words):
    result = cpb.run(*words)
    assert result.returncode == code and text in result.stderr.decode(), result.stderr
    return result


def test_a_variable_is_found_by_path_name_and_key(cpb, made, model):
    for item in variables(cpb, model):
        for name in (item["path"], f"#{item['node']}", item["key"], item["name"], item["name"] + ":0"):
            found = inspect(cpb, model, "variables", name)["variables"]["items"]
            assert item in found and (len(found) == 1 or name.startswith(item["name"]))
    fails(cpb, 1, "1200 variables are called \"same\"", "extract", made / "many", "--variable", "same", "-o", "-")
    fails(cpb, 1, "there is no variable \"nothing\"", "inspect", model, "variables", "nothing")


def test_a_chunked_model_has_them_too(cpb, model):
    before = variables(cpb, model)
    cpb.ok("split", model / "saved_model.pb", "-o", model / "saved_model.cpb", "--max-chunk-size", "1K")
    (model / "saved_model.pb").unlink()
    assert variables(cpb, model) == before


@pytest.mark.parametrize("name", ["many", "dtypes", "names", *REAL])
def test_keys_are_told_by_paths_without_the_object_graph(cpb, made, tmp_path, name):
    """Which is in a data file."""
    import tensorflow as tf
    if name == "names":
        odd = tf.train.Checkpoint(**{"a/b.c": tf.Module(), "..S": tf.Module()})
        getattr(odd, "a/b.c").w, getattr(odd, "..S").w = tf.Variable(1.0), tf.Variable(2.0)
        tf.saved_model.save(odd, str(tmp_path / "m"))
    else:
        shutil.copytree(made / name, tmp_path / "m")
    before = variables(cpb, tmp_path / "m")
    for path in (tmp_path / "m/variables").glob("variables.data-*"):
        path.unlink()
    answer = inspect(cpb, tmp_path / "m")
    assert [item["key"] for item in answer["variables"]["items"]] == [item["key"] for item in before]
    assert [problem["text"].split(";")[0] for problem in answer["problems"]] == [
        "the data file that has the object graph is missing or damaged"]


def test_a_model_alone_is_known_without_its_files(cpb, model):
    whole = variables(cpb, model)
    data, = (model / "variables").glob("variables.data-*")
    data.unlink()
    answer = inspect(cpb, model)
    assert "object graph" in answer["problems"][0]["text"]
    assert [item["key"] for item in answer["variables"]["items"]] == [item["key"] for item in whole]
    assert answer["checkpoint"]["without_value"] == 0
    key = whole[0]["key"]
    fails(cpb, 3, data.name, "extract", model, "--variable", key, "-o", model / "x.npy")
    shutil.rmtree(model / "variables")
    assert inspect(cpb, model)["checkpoint"] is None
    assert "stored" not in inspect(cpb, model, "overview")["variables"]
    fails(cpb, 2, "the model has no checkpoint; expected", "extract", model, "--variable", key, "-o", model / "x.npy")
    assert not (model / "x.npy").exists()


def test_damaged_values_are_found_and_nothing_is_written(cpb, model):
    data, = (model / "variables").glob("variables.data-*")
    item = variables(cpb, model)[0]
    good = data.read_bytes()
    at = item["stored"]["offset"]
    data.write_bytes(good[:at] + bytes([good[at] ^ 1]) + good[at + 1:])
    fails(cpb, 2, "CRC-32C", "extract", model, "--variable", item["path"], "-o", model / "x.npy")
    graph = good.index(b".ATTRIBUTES/VARIABLE_VALUE")
    data.write_bytes(good[:graph] + b"!" + good[graph + 1:])
    fails(cpb, 2, "CRC-32C", "inspect", model, "variables")
    data.write_bytes(good[:at + 1])
    fails(cpb, 2, "the shard ends", "inspect", model, "variables")
    assert not (model / "x.npy").exists()


def test_every_flipped_byte_of_an_index_is_noticed_or_makes_no_difference(cpb, model):
    index = model / "variables" / "variables.index"
    good, wanted, same = index.read_bytes(), cpb.ok("inspect", model, "variables", "--json"), []
    for at in range(len(good)):
        index.write_bytes(good[:at] + bytes([good[at] ^ (1 << at % 8)]) + good[at + 1:])
        result = cpb.run("inspect", model, "variables", "--json")
        assert result.returncode in (0, 2, 5) and (result.returncode == 0) == (result.stderr == b"")
        assert result.returncode != 0 or result.stdout == wanted
        same += [at] if result.returncode == 0 else []
    assert all(len(good) - 48 < at < len(good) - 8 for at in same)  # what fills the footer up


def test_a_damaged_index_does_not_keep_the_overview_back(cpb, model):
    index = model / "variables" / "variables.index"
    index.write_bytes(index.read_bytes()[:-1])
    result = fails(cpb, 2, "variables.index", "inspect", model, "--json")
    assert json.loads(result.stdout)["kind"] == "saved_model"


def test_an_index_is_known_whatever_it_is_called(cpb, model):
    index = model / "variables" / "variables.index"
    for path in (index, shutil.copy(index, model / "ckpt-1.index"), shutil.copy(index, model / "other")):
        assert inspect(cpb, path, "overview")["kind"] == "checkpoint"
    index.write_bytes(index.read_bytes()[:-1])
    fails(cpb, 2, "not a known kind of model; expected one of SavedModel", "inspect", shutil.copy(index, model / "cut"))
    fails(cpb, 2, "not a checkpoint index: expected LevelDB's magic number", "inspect", index)  # by its name


# --- Made by hand -----------------------------------------------------------------------------------


def put(model, index, data=b""):
    shutil.rmtree(model / "variables")
    (model / "variables").mkdir()
    (model / "variables" / "variables.index").write_bytes(index)
    (model / "variables" / "variables.data-00000-of-00001").write_bytes(data)


def stored(cpb, model):
    return {item["key"]: item["stored"] for item in inspect(cpb, model)["variables"]["items"] if item["key"]}


def test_a_compressed_index_is_the_same(cpb, model):
    values = struct.pack("<6f", *range(6))
    blocks = [[ck.header(), *((b"layer/%03d" % i, ck.entry(shape=[6], size=24, crc=ck.masked(values))) for i in range(40))],
              [(b"m/%d" % i, ck.entry()) for i in range(9)]]
    put(model, ck.table(blocks), values)
    wanted = stored(cpb, model)
    assert len(wanted) == 49
    packed = ck.table(blocks, 1, ck.snappy)
    assert packed != ck.table(blocks)
    put(model, packed, values)
    assert stored(cpb, model) == wanted
    assert list(extract(cpb, model, "layer/017")) == [0, 1, 2, 3, 4, 5]


def test_texts_longer_than_what_is_stored_are_refused(cpb, model):
    lengths = b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01" + b"\x01"
    crc = ck.masked(struct.pack("<QI", 2**64 - 1, 1))
    data = lengths + struct.pack("<I", crc) + b"a"
    for data, text in ((data, "add up to more than"), (b"\x01\x01", "too few for their lengths"), (b"\x80" * 9, "ends within the strings' lengths"),
                       (b"\x01\x01\0\0\0\0ab", "CRC-32C"), (b"\x01\x02\0\0\0\0ab", "do not add up to")):
        put(model, ck.table([[ck.header(), (b"t", ck.entry(7, [2], size=len(data)))]]), data)
        fails(cpb, 2, text, "extract", model, "--variable", "t", "--raw", "-o", model / "x")


GOOD = ck.entry()
HOSTILE = {
    "nothing": (b"", 2, "not a checkpoint index"),
    "not a table": (b"x" * 100, 2, "not a checkpoint index"),
    "no entries": (ck.table([[]]), 2, "no entries"),
    "no header": (ck.table([[(b"a", GOOD)]]), 2, "header"),
    "big-endian": (ck.table([[ck.header(endianness=1)]]), 5, "endianness is 1"),
    "later version": (ck.table([[ck.header(version=b"\x08\x09\x10\x02")]]), 5, "version"),
    "refused version": (ck.table([[ck.header(version=b"\x08\x01\x1a\x01\x01")]]), 5, "version"),
    "no shards": (ck.table([[ck.header(shards=0)]]), 2, "num_shards is 0; expected 1 to"),
    "too many shards": (ck.table([[ck.header(shards=2**40)]]), 2, "num_shards is 1099511627776; expected 1 to"),
    "keys out of order": (ck.table([[ck.header(), (b"b", GOOD), (b"a", GOOD)]]), 2, "out of order"),
    "a key twice": (ck.table([[ck.header(), (b"a", GOOD)], [(b"a", GOOD)]]), 2, "out of order"),
    "another header": (ck.table([[ck.header()], [ck.header()]]), 2, "out of order"),
    "no such shard": (ck.table([[ck.header(), (b"a", ck.entry(shard=1))]]), 2, "shard_id is 1; expected less than num_shards"),
    "negative shard": (ck.table([[ck.header(), (b"a", ck.entry(shard=-1))]]), 2, "shard_id is 18446744073709551615; expected"),
    "negative offset": (ck.table([[ck.header(), (b"a", ck.entry(offset=-1))]]), 2, "offset is 18446744073709551615; expected"),
    "range beyond 2^63": (ck.table([[ck.header(), (b"a", ck.entry(offset=2**62, size=2**63 - 1))]]), 2, "offset is 4611686018427387904; expected"),
    "no type": (ck.table([[ck.header(), (b"a", ck.entry(dtype=0))]]), 2, "dtype is 0; expected"),
    "unknown size": (ck.table([[ck.header(), (b"a", ck.entry(shape=[2**64 - 1]))]]), 2, "dimension 0 is negative; expected"),
    "255 dimensions": (ck.table([[ck.header(), (b"a", ck.entry(shape=[1] * 255))]]), 2, "254 dimensions"),
    "no message": (ck.table([[ck.header(), (b"a", b"\x08")]]), 2, "BundleEntryProto cannot be parsed"),
    "unknown compression": (ck.table([[ck.header()]], 7), 5, "compression type is 7; expected"),
    "no Snappy": (ck.table([[ck.header()]], 1), 2, "Snappy"),
    "key with a quote and control characters": (ck.table([[ck.header(), (b"a\"\x1b[31m\n", ck.entry(dtype=0))]]), 2, "\\x1b"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_index_is_an_error_that_says_why(cpb, model, name):
    index, code, text = HOSTILE[name]
    put(model, index)
    result = fails(cpb, code, text, "inspect", model, "variables")
    assert result.stderr.count(b"\n") == 1


def test_a_size_that_does_not_fit_the_shape_is_an_error(cpb, model):
    put(model, ck.table([[ck.header(), (b"a", ck.entry(shape=[2**40, 2**40])), (b"b", ck.entry(shape=[3], size=16)),
                          (b"c", ck.entry(dtype=21)), (b"d", ck.entry(dtype=20, size=0, shape=[0]))]]), b"\0" * 16)
    fails(cpb, 2, "2^64 elements or more", "extract", model, "--variable", "a", "-o", model / "x")
    fails(cpb, 2, "16 bytes are stored", "extract", model, "--variable", "b", "-o", model / "x")
    fails(cpb, 5, "values of type variant", "extract", model, "--variable", "c", "-o", model / "x")


# --- Differences ---------------------------------------------------------------------------------------


def test_diff_finds_the_variable_whose_values_differ(cpb, tmp_path):
    import tensorflow as tf
    model = tf.Module()
    model.same, model.other, model.grows = tf.Variable([1.0, 2.0]), tf.Variable([3, 4]), tf.Variable(tf.zeros([2]), shape=tf.TensorShape(None))
    tf.saved_model.save(model, str(tmp_path / "a"))
    model.other.assign([3, 5])
    model.grows.assign(tf.zeros([3]))
    tf.saved_model.save(model, str(tmp_path / "b"))

    def section(*words):
        result = cpb.run("diff", tmp_path / "a", tmp_path / "b", "--json", *words)
        return next(s for s in json.loads(result.stdout)["sections"] if s["section"] == "variables")

    found = {d["name"]: [m["member"] for m in d["members"]] for d in section()["differences"]}
    assert found == {"root.other": ["stored.crc32c", "values"], "root.grows": ["stored.shape", "stored.size", "stored.crc32c"]}
    assert section()["same"] == 1
    assert [d["name"] for d in section("--skip-values")["differences"]] == ["root.grows"]
    shutil.copytree(tmp_path / "b", tmp_path / "c")
    assert cpb.run("diff", tmp_path / "b", tmp_path / "c").returncode == 0
    shutil.rmtree(tmp_path / "c" / "variables")
    assert cpb.run("diff", tmp_path / "b", tmp_path / "c").returncode == 0
