"""SavedModels in chunks: what TensorFlow makes of them is what it makes of plain ones. As beyond 2 GB,
but that the limit is some kilobytes."""

import contextlib
import gc
import inspect
import io
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests"))
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402
from support import saved_models  # noqa: E402
from tensorflow.core.framework import function_pb2, node_def_pb2  # noqa: E402

import libcpb  # noqa: E402
import libcpb.tensorflow  # noqa: E402
from libcpb.proto_splitter import util  # noqa: E402
from libcpb.tensorflow import _graphs, _hooks, _loading, _peel, _saving, _settings  # noqa: E402

LIMIT = 10000


@pytest.fixture
def enabled():
    libcpb.tensorflow.enable(every_save=True, max_pb_size=LIMIT)
    yield
    libcpb.tensorflow.disable()


class Weights(tf.Module):
    """Constants of all sizes: in functions, captured, and not numeric."""

    def __init__(self):
        rng = np.random.default_rng(1)
        self.captured = tf.constant(rng.random(5000), tf.float32)
        self.large = [rng.random(n).astype(np.float32) for n in (4000, 9000, 300)]
        self.variable = tf.Variable(tf.ones([5000]))

    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def numbers(self, x):
        first, second, small = self.large
        return tf.reduce_sum(first) * x + tf.reduce_max(second) + small[0] + tf.reduce_sum(self.captured * self.variable)

    @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
    def words(self, i):
        return tf.constant([f"word {k}" * 5 for k in range(2000)])[i]

    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def nested(self, x):
        return tf.cond(x > 0, lambda: self.numbers(x), lambda: tf.constant(self.large[1])[7])


def chunks_of(folder):
    with libcpb.open(folder / "saved_model.cpb") as message:
        return message.num_chunks


def accepts(function, parameter):
    """TensorFlow 2.14 lacks some."""
    return parameter in inspect.signature(function).parameters


def same(a, b):
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    return np.array_equal(a.numpy(), b.numpy())


# --- The same objects ----------------------------------------------------------------------------------


def results(loaded, calls):
    return [function(loaded)(*arguments) for function, *arguments in calls]


RICH = [
    (lambda m: m.serve, tf.ones([2, 4])), (lambda m: m.look_up, tf.constant(["two", "none"])),
    (lambda m: m.loop, tf.constant(7)), (lambda m: m.signatures["serving_default"], tf.ones([3, 4])),
    (lambda m: m.signatures["look_up"], tf.constant(["one"])), (lambda m: m.blocks[0], tf.ones([1, 4]), True),
    (lambda m: m.composite, tf.sparse.from_dense([[0.0, 1, 0, 0, 2]]), tf.ragged.constant([[1], [2, 3]], tf.int64)),
    (lambda m: lambda: m.named["a.b"].read_value()), (lambda m: lambda: m.block.frozen.read_value()),
]
PARTS = [(lambda m: m.serve, tf.ones([2, 3])), (lambda m: m.signatures["words"], tf.constant(["two"])),
         (lambda m: gradient(m.parts[0].call), tf.ones([1, 3]))]
ARGUMENTS = [(lambda m: lambda: m.every(tf.constant(1.0), keyword=1, zed=tf.constant(True), alpha=5)["nested"])]


def gradient(function):
    def call(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x)

    return call


@pytest.mark.parametrize("name, calls", [("rich", RICH), ("parts", PARTS), ("arguments", ARGUMENTS)])
def test_an_object_from_tensorflows_guide(enabled, name, calls, tmp_path):
    """Signatures, nested modules, variables, assets, tables, composite tensors, control flow, custom
    gradients, aliases, optimizer slots."""
    calls = [call if isinstance(call, tuple) else (call,) for call in calls]
    getattr(saved_models, f"make_{name}")(tmp_path / "chunked")
    libcpb.tensorflow.disable()
    getattr(saved_models, f"make_{name}")(tmp_path / "plain")
    assert not (tmp_path / "chunked" / "saved_model.pb").exists() and chunks_of(tmp_path / "chunked") > 1
    files = {folder: sorted(str(p.relative_to(tmp_path / folder)) for p in (tmp_path / folder).rglob("*"))
             for folder in ("plain", "chunked")}
    files["chunked"].remove("saved_model.cpb.README")
    assert [f.replace(".cpb", ".pb") for f in files["chunked"]] == files["plain"]
    assert same(results(libcpb.tensorflow.load(tmp_path / "chunked"), calls),
                results(tf.saved_model.load(str(tmp_path / "plain")), calls))


def test_constants_go_into_chunks_of_their_own(tmp_path):
    module, x = Weights(), tf.constant(2.5)
    path = libcpb.tensorflow.save(module, tmp_path / "m", {"n": module.numbers, "w": module.words}, max_pb_size=LIMIT)
    assert path == str(tmp_path / "m" / "saved_model.cpb")
    with libcpb.open(path) as message:
        sizes = [chunk.size for chunk in message.chunks if chunk.type == "bytes"]
    assert sorted(sizes)[-2:] == [36000, 36000] and 16000 in sizes and 20000 in sizes and 1200 not in sizes
    loaded = libcpb.tensorflow.load(tmp_path / "m")
    assert same(loaded.numbers(x), module.numbers(x)) and same(loaded.nested(-x), module.nested(-x))
    assert loaded.words(1999) == "word 1999" * 5
    assert same(loaded.signatures["n"](x), {"output_0": module.numbers(x)})


def test_the_graph_is_tensorflows(enabled, tmp_path, monkeypatch):
    """With its constants put back, the GraphDef is the one that TensorFlow makes of the same graph."""
    compared = []

    def check(self, graph, original):
        made = _graphs.skeleton(graph, original, self.large)
        whole, _ = original(graph, add_shapes=True, use_pybind11_proto=False)
        ours = type(whole)()
        ours.CopyFrom(made.graph_def)
        for value in made.values:
            holder, _ = util.get_field(ours, value.path[:-1])
            setattr(holder, value.path[-1], bytes(memoryview(value.source())[value.begin:value.end]))
        functions = {f.signature.name: f for f in whole.library.function}
        assert [functions.pop(f.signature.name) for f in ours.library.function] == list(ours.library.function)
        assert not functions
        for graph_def in (whole, ours):
            graph_def.library.ClearField("function")
        assert ours == whole
        compared.append(len(made.values))
        self.skeletons.append(made)
        return made.graph_def, graph.version

    monkeypatch.setattr(_saving.Saving, "graph_def", check)
    monkeypatch.setattr(_graphs, "_BATCH", 1 << 14)
    saved_models.make_rich(tmp_path / "rich")
    tf.saved_model.save(Weights(), str(tmp_path / "weights"))
    assert compared[0] == 0 and compared[1] >= 4


def test_a_keras_export(enabled, tmp_path):
    import keras

    keras.utils.set_random_seed(1)
    model = keras.Sequential([keras.layers.Input((16,)), keras.layers.Dense(64, "relu"), keras.layers.Dense(3)])
    model.export(str(tmp_path / "chunked"))
    libcpb.tensorflow.disable()
    model.export(str(tmp_path / "plain"))
    assert chunks_of(tmp_path / "chunked") > 1 and (tmp_path / "plain" / "saved_model.pb").exists()
    x = tf.ones([2, 16])
    assert same(libcpb.tensorflow.load(tmp_path / "chunked").serve(x), tf.saved_model.load(str(tmp_path / "plain")).serve(x))


def test_a_tf_keras_model(enabled, tmp_path):
    import tf_keras

    tf_keras.utils.set_random_seed(1)
    model = tf_keras.Sequential([tf_keras.layers.Dense(8, "relu", input_shape=(16,)), tf_keras.layers.Dense(3)])
    model.compile("adam", "mse")
    model.save(tmp_path / "m", save_format="tf")
    assert chunks_of(tmp_path / "m") > 1
    x = np.ones([2, 16], np.float32)
    loaded = tf_keras.models.load_model(tmp_path / "m")
    assert np.array_equal(loaded.predict(x, verbose=0), model.predict(x, verbose=0))
    assert type(loaded).__name__ == "Sequential" and loaded.optimizer is not None


# --- Which file ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments, name", [({}, "pb"), ({"chunked": True}, "cpb"), ({"max_pb_size": LIMIT}, "cpb"),
                                             ({"max_pb_size": LIMIT, "chunked": False}, "pb"),
                                             ({"max_pb_size": 1 << 20}, "pb"),
                                             ({"chunked": True, "codec": "brotli:1"}, "cpb")])
def test_which_file_is_written(tmp_path, arguments, name):
    (tmp_path / "m").mkdir()
    for old in ("pb", "cpb", "cpb.README"):
        (tmp_path / "m" / f"saved_model.{old}").write_bytes(b"old")
    path = libcpb.tensorflow.save(Weights(), str(tmp_path / "m"), **arguments)
    assert path == str(tmp_path / "m" / f"saved_model.{name}")
    assert {p.name for p in (tmp_path / "m").iterdir()} == {
        f"saved_model.{name}", "assets", "variables", "fingerprint.pb", *(["saved_model.cpb.README"] if name == "cpb" else [])}
    assert libcpb.tensorflow.load(tmp_path / "m").words(3) == "word 3" * 5
    if name == "cpb":
        assert "libcpb.tensorflow.load(FOLDER)" in (tmp_path / "m" / "saved_model.cpb.README").read_text()
    if name == "pb":
        assert tf.saved_model.load(str(tmp_path / "m")).words(3) == "word 3" * 5


def test_tensorflows_own_merger_reads_it(tmp_path):
    from interop import build
    from tensorflow.core.protobuf import saved_model_pb2

    path = libcpb.tensorflow.save(Weights(), tmp_path / "m", max_pb_size=LIMIT)
    out, ours = tmp_path / "out.pb", saved_model_pb2.SavedModel()
    subprocess.run([build.tf_merger(), ROOT / "tests" / "data" / "schema" / "tensorflow.fds", "tensorflow.SavedModel",
                    path, out], check=True, stdout=subprocess.DEVNULL)
    libcpb.Merger.read(path, ours)
    assert saved_model_pb2.SavedModel.FromString(out.read_bytes()) == ours
    assert tf.saved_model.experimental.read_fingerprint(str(tmp_path / "m")).saved_model_checksum


def test_debug_information_and_options_are_tensorflows(tmp_path):
    new = {"extra_tags": ["more"]} if accepts(tf.saved_model.SaveOptions, "extra_tags") else {}
    options = tf.saved_model.SaveOptions(save_debug_info=True, **new)
    libcpb.tensorflow.save(Weights(), tmp_path / "m", options=options, max_pb_size=LIMIT)
    assert (tmp_path / "m" / "debug" / "saved_model_debug_info.pb").stat().st_size > 0
    assert options.experimental_image_format is False
    assert libcpb.tensorflow.load(tmp_path / "m", ["serve", *new.get("extra_tags", [])]).words(0) == "word 0" * 5
    with pytest.raises(ValueError, match="tags"):
        libcpb.tensorflow.load(tmp_path / "m", "train")


# --- TensorFlow's own functions --------------------------------------------------------------------------


def test_only_with_the_option_unless_always(tmp_path):
    libcpb.tensorflow.enable(max_pb_size=LIMIT)
    try:
        tf.saved_model.save(Weights(), str(tmp_path / "plain"))
        tf.saved_model.save(Weights(), str(tmp_path / "m"),
                            options=tf.saved_model.SaveOptions(experimental_image_format=True))
        assert (tmp_path / "plain" / "saved_model.pb").exists() and chunks_of(tmp_path / "m") > 3
        assert tf.saved_model.load(str(tmp_path / "m")).words(1) == "word 1" * 5
        assert tf.saved_model.load(str(tmp_path / "plain")).words(1) == "word 1" * 5
    finally:
        libcpb.tensorflow.disable()


def test_disable_removes_what_enable_added():
    def functions():
        return [getattr(hook.owner, hook.name, None) for hook in _hooks._HOOKS]

    before = functions()
    libcpb.tensorflow.enable()
    libcpb.tensorflow.enable(every_save=True)
    assert not any(a is b for a, b in zip(before, functions()))
    with _hooks._applied():
        libcpb.tensorflow.disable()
        assert not any(a is b for a, b in zip(before, functions()))
    assert functions() == before
    libcpb.tensorflow.disable()
    assert functions() == before
    with pytest.raises(ValueError, match="disabled in OSS"):
        tf.saved_model.SaveOptions(experimental_image_format=True)


def test_tensorflow_1_and_the_command_line(enabled, tmp_path, monkeypatch):
    from tensorflow.python.tools import saved_model_cli

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [3], "x")
        y = tf.identity(x * tf.constant(np.arange(3, dtype=np.float32)), "y")
        builder = tf.compat.v1.saved_model.Builder(str(tmp_path / "m"))
        signature = tf.compat.v1.saved_model.predict_signature_def({"x": x}, {"y": y})
        builder.add_meta_graph_and_variables(session, ["serve"], {"serving_default": signature})
        libcpb.tensorflow.enable(max_pb_size=100)
        if accepts(builder.save, "experimental_image_format"):
            builder.save(experimental_image_format=True)
        else:
            libcpb.split(os.fsdecode(builder.save()), tmp_path / "m" / "saved_model.cpb", max_chunk_size=200)
            (tmp_path / "m" / "saved_model.pb").unlink()
    assert [p.name for p in (tmp_path / "m").glob("saved_model*b")] == ["saved_model.cpb"]
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        tf.compat.v1.saved_model.load(session, ["serve"], str(tmp_path / "m"))
        assert session.run("y:0", {"x:0": [1, 2, 3]}).tolist() == [0, 2, 6]
    monkeypatch.setattr(sys, "argv", ["saved_model_cli", "show", "--dir", str(tmp_path / "m"), "--all"])
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown), pytest.raises(SystemExit, match="^(None|0|)$"):
        saved_model_cli.main()
    assert "signature_def['serving_default']" in shown.getvalue() and "shape: (3)" in shown.getvalue()


# --- Memory ----------------------------------------------------------------------------------------------

MIB = 1 << 20


@contextlib.contextmanager
def most_memory_above(bound):
    """That of a block beyond what there was before, in bytes."""
    pathlib.Path("/proc/self/clear_refs").write_text("5")  # the peak is the memory now
    before = int(pathlib.Path("/proc/self/status").read_text().split("VmRSS:")[1].split()[0])
    yield
    most = int(pathlib.Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])
    assert (most - before) * 1024 <= bound, f"{(most - before) / 1024:.0f} MiB"


def test_memory_is_that_of_one_function_and_little_more(tmp_path, monkeypatch):
    """Of 96 MiB of constants in eight functions, saving holds one at a time beyond what TensorFlow has
    traced, and loading the message and one."""
    def constant(i):
        values = np.random.default_rng(i).random(12 * MIB // 4, np.float32)
        return tf.function(lambda k: tf.constant(values)[k], input_signature=[tf.TensorSpec([], tf.int32)])

    def within(bound, method):
        def wrapper(*arguments):
            gc.collect()
            with most_memory_above(bound):
                return method(*arguments)

        return wrapper

    module = tf.Module()
    for i in range(8):
        setattr(module, f"f{i}", constant(i))
    for name in ("graph_def", "write"):
        monkeypatch.setattr(_saving.Saving, name, within(76 * MIB, getattr(_saving.Saving, name)))
    libcpb.tensorflow.save(module, tmp_path / "m", max_pb_size=50 * MIB)
    model = within((96 + 76) * MIB, _loading.parse_saved_model)(tmp_path / "m", None)
    assert util.byte_size(model) > 96 * MIB


# --- What goes wrong -------------------------------------------------------------------------------------


def test_a_function_that_cannot_be_serialized_is_named(tmp_path, monkeypatch):
    real = _graphs.function_definition

    def refuse(context, name):
        if b"numbers" not in name:
            return real(context, name)
        raise ValueError("serialized size (2264924160B) would be larger than the limit (2147483647B)")

    monkeypatch.setattr(_graphs, "function_definition", refuse)
    with pytest.raises(ValueError, match=r"(?s)function '.*' \(its largest constants: '.*' with 36,000 bytes.*"
                                         r"larger than the limit.*tf.Variable.*divide the function"):
        libcpb.tensorflow.save(Weights(), tmp_path / "m")
    assert not list((tmp_path).rglob("saved_model*"))


def test_a_tensor_that_tensorflow_refuses_is_explained(tmp_path):
    class Large(tf.Module):
        @tf.function(input_signature=[])
        def f(self):
            raise ValueError("Cannot create a tensor proto whose content is larger than 2GB.")

    with pytest.raises(ValueError, match="(?s)larger than 2GB.*tf.Variable"):
        libcpb.tensorflow.save(Large(), tmp_path / "m")


def test_a_failure_leaves_the_old_model(tmp_path, monkeypatch):
    libcpb.tensorflow.save(Weights(), tmp_path / "m", max_pb_size=LIMIT)
    before = (tmp_path / "m" / "saved_model.cpb").read_bytes()

    def fail(self, value):
        raise MemoryError("no")

    monkeypatch.setattr(_saving._Splitter, "_load", fail)
    for chunked in (True, False):
        with pytest.raises(MemoryError):
            libcpb.tensorflow.save(Weights(), tmp_path / "m", max_pb_size=LIMIT, chunked=chunked)
    assert (tmp_path / "m" / "saved_model.cpb").read_bytes() == before
    assert [p.name for p in (tmp_path / "m").glob("saved_model*b")] == ["saved_model.cpb"]


def test_a_damaged_or_missing_model_is_an_error(tmp_path):
    path = pathlib.Path(libcpb.tensorflow.save(Weights(), tmp_path / "m", max_pb_size=LIMIT))
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    with pytest.raises(libcpb.CpbError, match="saved_model.cpb"):
        libcpb.tensorflow.load(tmp_path / "m")
    shutil.rmtree(tmp_path / "m")
    with pytest.raises(OSError, match="does not exist"):
        libcpb.tensorflow.load(tmp_path / "m")


@pytest.mark.parametrize("version", ["2.13.1", "2.22.0-rc0", "3.0", "1.15.5", "nightly"])
def test_another_tensorflow_is_refused(version):
    with pytest.raises(libcpb.CpbError, match=f"TensorFlow 2.14 to 2.21, and this is {version}") as raised:
        _settings.check_version(version)
    assert raised.value.code == "UNSUPPORTED"


@pytest.mark.parametrize("arguments, error", [({"max_pb_size": 1 << 31}, ValueError), ({"max_pb_size": -1}, ValueError),
                                              ({"max_pb_size": 1.5}, TypeError), ({"codec": "lz4"}, ValueError)])
def test_wrong_arguments_are_refused_before_anything_is_done(tmp_path, arguments, error):
    with pytest.raises(error):
        libcpb.tensorflow.save(Weights(), tmp_path / "m", **arguments)
    with pytest.raises(error):
        libcpb.tensorflow.enable(**arguments)
    assert not list(tmp_path.iterdir())


# --- Values taken out of serialized messages ---------------------------------------------------------------


def test_peeled_values_are_those_of_attributes():
    function = function_pb2.FunctionDef()
    function.signature.name = "n" * 500
    for i in range(3):
        node = function.node_def.add(name=f"{i}" * 300, op="Const", input=["x" * 300])
        node.attr["value"].tensor.tensor_content = bytes([i]) * (50 + 100 * i)
        node.attr["list"].list.s.extend([b"s" * 200])
        node.attr["func"].func.attr["inner"].s = b"i" * 120
    data = function.SerializeToString()
    skeleton, values = _peel.peel(function.DESCRIPTOR, data, 100)
    left = function_pb2.FunctionDef.FromString(skeleton)
    assert len(values) == 5 and util.byte_size(left) < util.byte_size(function) - 250 - 3 * 120
    for path, begin, end in values:
        holder, _ = util.get_field(left, path[:-1])
        assert not getattr(holder, path[-1])
        setattr(holder, path[-1], data[begin:end])
    assert left == function
    assert _peel.peel(function.DESCRIPTOR, data, len(data)) == (data, [])
    for end in range(101, len(data) - 1, 37):
        with pytest.raises(libcpb.CpbError):
            _peel.peel(node_def_pb2.NodeDef.DESCRIPTOR, data[:end] + b"\x13", 100)
