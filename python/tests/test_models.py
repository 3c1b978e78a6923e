"""What is inside models: the answers of `cpb inspect`, the arrays that their own programs have."""

import io
import json
import pathlib
import shutil

import numpy
import pytest

import libcpb

DATA = pathlib.Path(__file__).resolve().parents[2] / "tests/data"
CHUNKED = sorted({path.parent.name: path for path in DATA.glob("cpb/real_*/*.cpb")}.values())
SAMEDIFF = sorted(path for path in (DATA / "samediff_small").iterdir() if path.suffix in (".zip", ".fb"))


@pytest.mark.parametrize("path", CHUNKED + SAMEDIFF, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_answers_are_those_of_the_command(cpb, path):
    """Each question that this kind of model answers; any other is refused."""
    questions = {"overview": None, "functions": None, "nodes": None, "constants": None, "ops": None, "layers": None,
                 "variables": None, "scopes": None, "objects": None, "tag": None, "search": "a"}
    with libcpb.open_model(path) as model:
        for question, name in questions.items():
            result = cpb.run("inspect", path, question, *([name] if name else []), "-n", 3, "--json")
            ask = getattr(model, question)
            try:
                answer = ask(*([name] if name else []), count=3)
            except libcpb.CpbError as error:
                assert result.returncode != 0 and error.args[0] in result.stderr.decode()
            else:
                assert answer == json.loads(result.stdout), question
        assert model.overview(count="all")["problems"] == []
        assert model.path == str(path)


def test_descriptions_of_operations():
    """Roles and a sentence: of TensorFlow's nodes in a function, and of ONNX's."""
    with libcpb.open_model(DATA / "cpb/real_tf_module/orig.pb") as model:
        seen = 0
        for function in model.functions(count="all")["functions"]["items"]:
            for node in model.nodes(function["name"], count="all")["nodes"]["items"]:
                if node["op"] == "MatMul":
                    answer = model.node(node["name"], function=function["name"])
                    assert [source["role"] for source in answer["from"]] == node["parameters"] == ["a", "b"]
                    assert answer["operation"]["summary"].startswith("Multiply the matrix")
                    seen += 1
        assert seen > 0
    with libcpb.open_model(DATA / "cases/inline.onnx") as model:
        node = next(node for node in model.nodes()["nodes"]["items"] if node["op"] == "MatMul")
        assert node["parameters"] == ["A", "B"]
        assert model.node(node["name"])["operation"]["domain"] == ""


class Pipe(io.RawIOBase):
    """What cannot seek."""

    def __init__(self, data):
        self.data = io.BytesIO(data)

    def readable(self):
        return True

    def readinto(self, out):
        return self.data.readinto(out)


def sources(path):
    """The file, in every way that it can be read."""
    fsspec = pytest.importorskip("fsspec")
    data = path.read_bytes()
    fsspec.filesystem("memory").pipe("/model", data)
    yield data, None
    yield memoryview(bytearray(data)), None
    yield io.BytesIO(data), None
    yield Pipe(data), None
    yield open(path, "rb"), str(path)
    yield open(path, "rb", buffering=0), str(path)
    yield fsspec.filesystem("memory").open("/model"), "/model"
    yield fsspec.open("memory://model"), "/model"
    yield fsspec.open(f"file://{path}"), str(path)


@pytest.mark.parametrize("path", [CHUNKED[0], *SAMEDIFF[:2]], ids=lambda path: path.name)
def test_every_kind_of_source(path):
    """The answers and values are those of the path, without what lies beside it."""
    beside = ["keras_metadata", "checkpoint", "fingerprint"]

    def answers(model):
        answer = [model.kind, model.overview(), model.read(3, 5000)]
        constants = model.constants(count="all")
        return [*answer, constants, [bytes(model.values(name).data) for name in names(constants)]]

    def names(constants):
        return [item["node"] for item in constants["constants"]["items"] if not item.get("function")][:3]

    with libcpb.open_model(path, leave_out=beside) as model:
        wanted = answers(model)
    for source, name in sources(path):
        with libcpb.open_model(source) as model:
            assert model.path == name
            assert answers(model) == wanted, source
        if hasattr(source, "close"):
            assert not getattr(source, "closed", False)  # it is the caller's
            source.close()


def test_file_objects_of_models_that_fail():
    """An exception comes through wherever it is raised, and the model goes on afterwards."""

    class Failing(io.BytesIO):
        failing = False

        def readinto(self, out):
            if self.failing:
                raise ZeroDivisionError("on purpose")
            return super().readinto(out)

    file = Failing((DATA / "cpb/real_tf_keras_subclassed/orig.pb").read_bytes())  # more than is read ahead
    file.failing = True
    with pytest.raises(ZeroDivisionError, match="on purpose"):
        libcpb.open_model(file)
    file.failing = False
    with libcpb.open_model(file) as model:
        file.failing = True
        with pytest.raises(ZeroDivisionError, match="on purpose"):
            model.nodes()
        file.failing = False
        assert model.nodes()
        with pytest.raises(libcpb.CpbError) as raised:
            model.array("v", variable=True)
        assert raised.value.code == "FORMAT"  # no checkpoint is beside it
    file = io.BytesIO(CHUNKED[0].read_bytes())
    file.name = "model.pb"
    with pytest.raises(libcpb.CpbError, match="model.pb: a Riegeli file whose name ends in .pb") as raised:
        libcpb.open_model(file)
    assert raised.value.code == "FORMAT"


@pytest.fixture(scope="module")
def saved_model(tmp_path_factory):
    """A SavedModel with variables of several types, and what they are worth."""
    tf = pytest.importorskip("tensorflow")
    path = tmp_path_factory.mktemp("saved") / "model"
    module = tf.Module()
    module.weights = tf.Variable(numpy.arange(12, dtype="f4").reshape(3, 4), name="weights")
    module.halves = tf.Variable(tf.constant([1.5, -2.0], tf.bfloat16), name="halves")
    module.count = tf.Variable(7, dtype=tf.int64, name="count")
    module.table = tf.constant([b"a", b"", b"ccc\0"])
    module.call = tf.function(lambda x: x @ module.weights, [tf.TensorSpec([None, 3])])
    tf.saved_model.save(module, str(path), signatures={"serving_default": module.call})
    return path, module


def test_variables_and_signatures(saved_model, tmp_path):
    path, module = saved_model
    with libcpb.open_model(path) as model:
        assert model.kind == "saved_model"
        assert "serving_default" in [signature["key"] for signature in model.signatures()["items"]]
        signature = model.signature("serving_default")
        assert signature["inputs"][0]["shape"] == [None, 3]
        for name in ("weights", "halves", "count"):
            array = model.array(name, variable=True)
            wanted = getattr(module, name).numpy()
            assert array.dtype == wanted.dtype and array.shape == wanted.shape
            assert numpy.array_equal(array, wanted), name
        array = model.array("weights", variable=True)
        array[0, 0] = 5  # it is the caller's own
        with pytest.raises(libcpb.CpbError, match="max_size") as raised:
            model.values("weights", variable=True, max_size=47)
        assert raised.value.code == "LIMIT"
        for name in ("nothing", ""):
            with pytest.raises(libcpb.CpbError) as raised:
                model.array(name, variable=True)
            assert raised.value.code == "NOT_FOUND"
    with libcpb.open_model(path, leave_out=["checkpoint"]) as model:
        assert model.variables()["checkpoint"] is None
    (path / "variables/variables.index").rename(tmp_path / "index")
    try:
        (path / "variables/variables.index").write_bytes(b"damaged" * 20)
        with libcpb.open_model(path) as model, pytest.raises(libcpb.CpbError) as raised:
            model.variables()
        assert raised.value.source.endswith("variables.index")
    finally:
        (tmp_path / "index").rename(path / "variables/variables.index")


def test_constants(saved_model):
    from tensorflow.core.protobuf import saved_model_pb2
    from tensorflow.python.framework import tensor_util
    path, _ = saved_model
    parsed = saved_model_pb2.SavedModel.FromString((path / "saved_model.pb").read_bytes())
    graph = parsed.meta_graphs[0].graph_def
    found = 0
    with libcpb.open_model(path) as model:
        for where, nodes in [(None, graph.node)] + [(f.signature.name, f.node_def) for f in graph.library.function]:
            for node in (n for n in nodes if n.op == "Const"):
                array = model.array(node.name, function=where)
                assert numpy.array_equal(array, tensor_util.MakeNdarray(node.attr["value"].tensor)), node.name
                found += 1
        constant = model.constants()["constants"]["items"][0]
        assert len(model.read(**constant["tensor"])) == constant["tensor"]["size"]
    assert found > 5


def test_arrays_of_samediff(cpb, tmp_path):
    """As the command extracts them for NumPy."""
    for path in SAMEDIFF:
        with libcpb.open_model(path) as model:
            for parameter in model.constants(count="all")["constants"]["items"]:
                out = tmp_path / "array.npy"
                cpb.ok("extract", path, parameter["node"], "-o", out, "--force")
                array = model.array(parameter["node"])
                assert array.tobytes("A") == numpy.load(out).tobytes("A") and array.shape == numpy.load(out).shape
                assert array.flags.f_contiguous == numpy.load(out).flags.f_contiguous


def test_statistics_are_those_of_the_array():
    for path in SAMEDIFF:
        with libcpb.open_model(path) as model:
            for parameter in model.constants(count="all")["constants"]["items"]:
                array, told = model.array(parameter["node"]), model.statistics(parameter["node"], axis=0)
                if array.dtype.kind not in "iuf" or not array.size:
                    continue
                numbers = told["numbers"]
                assert (numbers["minimum"], numbers["maximum"]) == (array.min(), array.max())
                assert numbers["mean"] == pytest.approx(array.mean()) and sum(numbers["histogram"]["counts"]) == array.size
                assert array.ndim == 0 or told["parts"]["count"] == len(array)
    with libcpb.open_model(SAMEDIFF[0]) as model, pytest.raises(libcpb.CpbError) as error:
        model.statistics("nothing")
    assert error.value.code == "NOT_FOUND"


def flat(path):
    """A graph without its arrays' need: what the file itself has."""
    with libcpb.open_model(path) as model:
        names = [parameter["node"] for parameter in model.constants(count="all")["constants"]["items"]]
        return path.read_bytes(), {name: model.array(name) for name in names}


@pytest.mark.parametrize("target", ["path", "file", "stream"])
def test_samediff_zips_are_written(tmp_path, target):
    """Arrays of every order and kind come back as they were, in a new file and in one with a tag more;
    checked with Python's zipfile and flatbuffers."""
    from support.samediff_zip import Zip
    graph, arrays = flat(DATA / "samediff_small/linear.fb")
    other = {"f": numpy.asfortranarray(numpy.arange(6, dtype="f8").reshape(2, 3)), "big": numpy.arange(3, dtype=">i4"),
             "cut": numpy.arange(10, dtype="i8")[::3], "none": numpy.zeros((0, 2), "f4"), "one": numpy.float32(4.5)}
    first = libcpb.SameDiffTag("first", graph, {**arrays, **other}, {"w": [arrays["w"]]}, training="{}")
    path = tmp_path / "model.zip"

    class Stream:
        def __init__(self):
            self.file = open(path, "wb")

        def write(self, data):
            return self.file.write(data)

    out = path if target == "path" else open(path, "wb") if target == "file" else Stream()
    libcpb.write_samediff(out, [first])
    if target != "path":
        (out if target == "file" else out.file).close()
    second = libcpb.SameDiffTag("second", graph, {name: libcpb.SameAs("first") for name in arrays})
    libcpb.write_samediff(tmp_path / "more.zip", [second], base=path, deflate=True)
    assert (tmp_path / "more.zip").read_bytes().startswith(path.read_bytes()[:1000])
    read = Zip(path)
    for name, file in read.parameters("first").items():
        array = {**arrays, **other}[name]
        assert numpy.array_equal(read.array(file).values(), array) and read.array(file).shape == list(array.shape)
    assert read.training("first") == {} and Zip(tmp_path / "more.zip").tags == ["first", "second"]
    for file, tag in ((path, "first"), (tmp_path / "more.zip", "first"), (tmp_path / "more.zip", "second")):
        with libcpb.open_model(file) as model:
            for name, array in {**arrays, **(other if tag == "first" else {})}.items():
                got = model.array(name, tag=tag)
                assert numpy.array_equal(got, array) and got.shape == array.shape, name
            assert numpy.array_equal(model.array("w", tag="first", state=1), arrays["w"])
    libcpb.write_samediff(path, [libcpb.SameDiffTag("v", graph, {
        name: libcpb.open_model(tmp_path / "more.zip").values(name) for name in arrays})])
    with pytest.raises(libcpb.CpbError, match="w") as raised:
        libcpb.write_samediff(tmp_path / "never", [libcpb.SameDiffTag("t", graph, {"b": arrays["b"]})])
    assert not (tmp_path / "never").exists() and raised.value.code == "USAGE"
    with pytest.raises(TypeError, match="b is str"):
        libcpb.write_samediff(tmp_path / "never", [libcpb.SameDiffTag("t", graph, {"b": "text"})])


def test_brief_answers(cpb, tmp_path):
    """As the command's: the option reaches the engine."""
    onnx = pytest.importorskip("onnx")
    value = onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1])
    weight = onnx.helper.make_tensor("w", onnx.TensorProto.UINT8, [2 ** 21], bytes(2 ** 21), raw=True)
    node = onnx.helper.make_node("Identity", ["x"], ["y"])
    path = tmp_path / "m.onnx"
    onnx.save(onnx.helper.make_model(onnx.helper.make_graph([node], "g", [value], [value], [weight])), path)
    with libcpb.open_model(path) as model:
        brief = model.overview(brief=True)
        assert brief["unread"]["size"] > 2 ** 21 and "parameters" not in brief
        assert brief == json.loads(cpb.ok("inspect", path, "overview", "--brief", "--json"))
        assert model.overview()["parameters"]["total"] == 2 ** 21


def test_upstream_and_downstream(tmp_path):
    onnx = pytest.importorskip("onnx")
    helper = onnx.helper
    values = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1]) for name in "xz"]
    nodes = [helper.make_node("Relu", [a], [b], name=f"to_{b}") for a, b in ("xy", "yz")]
    path = tmp_path / "m.onnx"
    onnx.save(helper.make_model(helper.make_graph(nodes, "g", values[:1], values[1:])), path)
    with libcpb.open_model(path) as model:
        for found, names in [(model.upstream("z"), ["to_y", "x"]), (model.downstream("x", distance=1), ["to_y"]),
                             (model.downstream("x", to="z"), ["x", "to_y", "to_z"]), (model.upstream("x", to="z"), [])]:
            assert [one["name"] for one in found["found"]["items"]] == names
        with pytest.raises(libcpb.CpbError, match="distance"):
            model.upstream("z", distance=-1)


def test_a_folder_stands_for_its_model(tmp_path):
    """The highest version, or the only model; several are an error that lists them."""
    for version in ("2", "10"):
        (tmp_path / "m" / version).mkdir(parents=True)
    (tmp_path / "m" / "2" / "saved_model.pb").write_bytes(b"\x08\x01")
    right = (DATA / "cpb/real_tf_module/orig.pb").read_bytes()
    (tmp_path / "m" / "10" / "saved_model.pb").write_bytes(right)
    with libcpb.open_model(tmp_path / "m") as model, libcpb.open_model(right) as alone:
        assert model.overview()["concrete_functions"] == alone.overview()["concrete_functions"] > 0
    (tmp_path / "o").mkdir()
    for name in ("a.onnx", "b.onnx"):
        (tmp_path / "o" / name).write_bytes((DATA / "cases/inline.onnx").read_bytes())
    with pytest.raises(libcpb.CpbError, match=r"a directory with 2 models.*: a\.onnx, b\.onnx"):
        libcpb.open_model(tmp_path / "o")
    (tmp_path / "o" / "a.onnx").unlink()
    with libcpb.open_model(tmp_path / "o") as model:
        assert model.kind == "onnx"


def test_a_folder_with_both_files_of_a_saved_model(tmp_path):
    """What TensorFlow loads is opened, and the other is named."""
    shutil.copy(DATA / "cpb/real_keras_export/orig.pb", tmp_path / "saved_model.pb")
    shutil.copy(DATA / "cpb/real_frozen_conv/max1000_none.cpb", tmp_path / "saved_model.cpb")
    with pytest.warns(UserWarning, match="saved_model.cpb .* is not what is opened: .* take the saved_model.pb beside it"):
        with libcpb.open_model(tmp_path) as model:
            assert model.kind == "saved_model"
