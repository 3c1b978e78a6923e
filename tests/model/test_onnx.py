"""ONNX models, as the package onnx itself reads them: the models that it ships, the cases of its backend
tests, and models for what these lack."""

import hashlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import warnings

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402
from conftest import ROOT  # noqa: E402
from support import onnx_facts as facts  # noqa: E402
from support.onnx_models import rich  # noqa: E402

SHIPPED = sorted(pathlib.Path(onnx.__file__).parent.glob("backend/test/data/**/*.onnx"))


def ask(cpb, path, *words, scope=None):
    words = [w for w in words if w is not None]
    scope = ["--scope", scope] if scope else []
    return json.loads(cpb.ok("inspect", path, *words, *scope, "--json", "--count", 10**6))


def by_command(cpb, path, asked):
    return [ask(cpb, path, a["question"], a.get("name")) for a in asked]


def by_package(_, path, asked):
    """The JavaScript package, as the page asks it."""
    if not (ROOT / "web/src/wasm/inspect.wasm").exists():
        pytest.skip("web/src/wasm/inspect.wasm is not there: web/build.sh makes it")
    result = subprocess.run([shutil.which("node"), str(ROOT / "web/test/support/ask.js"), str(path)],
                            input=json.dumps(asked).encode(), capture_output=True, timeout=300)
    assert result.returncode == 0, result.stderr.decode()
    return json.loads(result.stdout)


WAYS = {"command": by_command, "package": by_package}


def compare(cpb, path, model, way=by_command):
    """Every fact of a model; the number of those compared."""
    count = 0
    graphs = facts.graphs(model)
    asked = [{"question": question} for question in ("overview", "functions", "constants", "ops")]
    asked += [{"question": "nodes"} | ({"name": name} if name else {}) for name, _ in graphs]
    o, functions, constants, ops, *nodes = way(cpb, path, asked)

    def same(ours, theirs, what):
        nonlocal count
        count += 1
        assert ours == theirs, what

    assert o["kind"] == "onnx" and o["problems"] == []
    same(o["ir_version"], model.ir_version, "ir_version")
    same(o["producer"], {"name": model.producer_name or None, "version": model.producer_version or None}, "producer")
    same({i["domain"]: i["version"] for i in o["opset_imports"]["items"]},
         {i.domain: i.version for i in model.opset_import}, "opset_imports")
    same([(i["key"], i["value"]) for i in o["metadata"]["items"]], [(e.key, e.value) for e in model.metadata_props],
         "metadata")
    same(o["inputs"]["items"], facts.inputs(model), "inputs")
    same(o["outputs"]["items"], [facts.value_info(i) for i in model.graph.output], "outputs")
    same(o["parameters"]["total"], facts.parameters(model), "parameters")
    same(sorted(f["name"] for f in functions["functions"]["items"]),
         sorted(name for name, _ in graphs if name), "functions")
    for (name, graph), answer in zip(graphs, nodes, strict=True):
        for ours, theirs in zip(answer["nodes"]["items"], [facts.node(n, i) for i, n in enumerate(graph.node)], strict=True):
            same(facts.our_node(ours), theirs, (name, theirs["name"]))
    same({(c["function"], c["node"]): facts.our_tensor(c) for c in constants["constants"]["items"]
          if c["is"] == "initializer" and not c.get("sparse")},
         {(name, t.name): facts.tensor(t) for name, graph in graphs if hasattr(graph, "initializer")
          for t in graph.initializer}, "initializers")
    same({(u["domain"], u["op"]): u["count"] for u in ops["ops"]["items"]}, facts.operations(model), "ops")
    return count


@pytest.mark.parametrize("number", range(8))
def test_shipped_models(cpb, number):
    assert len(SHIPPED) >= 140
    for path in SHIPPED[number::8]:
        compare(cpb, path, onnx.load(path))


def test_shipped_models_in_javascript(cpb):
    for path in SHIPPED[::12]:
        compare(cpb, path, onnx.load(path), WAYS["package"])


@pytest.fixture(scope="module")
def backend_cases(tmp_path_factory):
    """The models of each twelfth test case of the backend (with --all of each), and the tensors that some are
    called with."""
    from onnx.backend.test.case.node import collect_testcases

    folder = tmp_path_factory.mktemp("cases")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases = [case for case in collect_testcases(None) if case.model is not None]
    step = 1 if "CPB_TEST_ALL" in os.environ else 12
    assert len(cases) > 1000
    cases = cases[::step]
    for case in cases:
        onnx.save(case.model, folder / f"{case.name}.onnx")
    return folder, cases


def test_cases_of_the_backend(cpb, backend_cases):
    """None refused, all facts equal."""
    folder, cases = backend_cases
    facts_compared = sum(compare(cpb, folder / f"{case.name}.onnx", case.model) for case in cases)
    print(f"{facts_compared} facts of {len(cases)} models")


# --- A model of everything ----------------------------------------------------------------------


@pytest.fixture
def everything(tmp_path):
    path = tmp_path / "rich.onnx"
    onnx.save(rich(), path)
    return path


def test_everything(cpb, everything):
    assert compare(cpb, everything, onnx.load(everything, load_external_data=False)) > 30


def test_chunked(cpb, everything):
    """The same answers from a .cpb, which merges to the same bytes."""
    chunked = everything.with_suffix(".cpb")
    cpb.ok("split", everything, "--type", "onnx.ModelProto", "--max-chunk-size", "300", "-o", chunked)
    assert cpb.ok("merge", chunked, "-o", "-") == everything.read_bytes()
    for question in ("overview", "nodes", "functions", "constants", "ops", "layers", "scopes"):
        assert ask(cpb, chunked, question) == ask(cpb, everything, question)


def test_the_type_need_not_be_named(cpb, everything):
    """split and cat take a model as what it is, by its bytes, also from a pipe; split does as with --type."""
    named = cpb.ok("split", everything, "--type", "onnx.ModelProto", "--max-chunk-size", "300", "-o", "-")
    assert cpb.ok("split", everything, "--max-chunk-size", "300", "-o", "-") == named
    assert cpb.ok("split", "-", "--max-chunk-size", "300", "-o", "-", input=everything.read_bytes()) == named
    chunked = everything.with_suffix(".cpb")
    chunked.write_bytes(named)
    whole = cpb.ok("cat", everything, "--type", "onnx.ModelProto", "--field", "", "--json")
    for path in (everything, chunked):
        assert cpb.ok("cat", path, "--field", "", "--json") == whole
        assert cpb.ok("cat", path, "--field", "producer_name") == onnx.load(everything, load_external_data=False).producer_name.encode()


def test_functions(cpb, everything):
    twice = ask(cpb, everything, "function", "own.twice:fast")
    assert (twice["domain"], twice["overload"], twice["nodes"]) == ("own", "fast", 1)
    assert twice["calls"] == [{"function": "own.twice", "nodes": 1}]
    assert twice["called_by"] == [{"function": None, "nodes": 1}]
    assert twice["attribute_defaults"] == [{"name": "beta", "kind": "float", "value": 2.5}]
    assert twice["metadata"] == [{"key": "from", "value": "a test"}]
    inner = ask(cpb, everything, "function", "#2:body/again:then_branch")
    assert (inner["is"], inner["graph"], inner["initializers"]) == ("subgraph", "deep_then", 1)
    assert b"there is no function or subgraph" in cpb.run("inspect", everything, "function", "own.thrice").stderr


def test_consumers_in_graphs_within_nodes(cpb, everything):
    """Of a node by its name, of a value; those of the graphs around and within, and what is returned."""
    found = ask(cpb, everything, "consumers", "/model/0/MatMul")["consumers"]["items"]
    places = {c["function"] for c in found}
    assert places == {"choose:then_branch", "choose:else_branch", "#2:body/again:then_branch",
                      "#2:body/again:else_branch", "/odd:graphs[0]", "/odd:graphs[1]"}
    assert {(c["op"], c["inputs"][0]["output"]) for c in found} == {("Add", "h")}
    returned = ask(cpb, everything, "consumers", "y")["consumers"]["items"]
    assert [(c["is"], c["name"]) for c in returned] == [("node", "/odd"), ("return", "y")]
    assert ask(cpb, everything, "consumers", "model.0.weight")["consumers"]["items"][0]["name"] == "/model/0/MatMul"


def test_constants(cpb, everything):
    constants = {(c["function"], c["node"]): c for c in ask(cpb, everything, "constants")["constants"]["items"]}
    assert constants[None, "model.0.weight"]["quantization"] == [{"parameter": "SCALE_TENSOR", "tensor": "typed_1"}]
    assert constants["choose:then_branch", "c"]["preview"] == [1]
    external = constants[None, "elsewhere"]["external"]
    assert external == {"location": "w.bin", "offset": 16, "length": 16, "checksum": "ab12"}
    assert constants[None, "sparse_weight"]["indices_tensor"]["preview"] == [1, 7]
    sizes = [c["size"] for c in constants.values()]
    assert sizes == sorted(sizes, reverse=True)


def test_layers_and_scopes(cpb, everything):
    layers = {layer["name"]: layer for layer in ask(cpb, everything, "layers")["layers"]["items"]}
    assert layers["/model/0"] | {"bytes": 0} == {"name": "/model/0", "class": "MatMul", "nodes": 1, "tensors": 1,
                                                 "parameters": 12, "bytes": 0}
    assert (layers["/model/1"]["nodes"], layers["/model/1"]["class"]) == (2, None)
    top = {child["path"]: child for child in ask(cpb, everything, "scopes")["children"]["items"]}
    assert top["/model"]["nodes"] == 3 and top["/model"]["size"] == 48
    taken = {edge["from"]: edge["count"] for edge in top["#2"]["inputs"]}  # also what only its branches take
    assert taken == {"/model": 2, "choose": 1, "flag": 1}


def test_search(cpb, everything):
    found = ask(cpb, everything, "search", "twice")["found"]["items"]
    assert {(f["is"], f["name"]) for f in found} == {
        ("function", "own.twice"), ("function", "own.twice:fast"), ("node", "/model/1/twice"),
        ("node", "/model/1/faster"), ("node", "inside")}


def test_differences(cpb, everything, tmp_path):
    other = tmp_path / "other.onnx"
    model = rich()
    model.graph.initializer[17].raw_data = np.arange(1, 13, dtype=np.float32).tobytes()
    del model.graph.node[5].attribute[0]
    onnx.save(model, other)
    lost = cpb.run("diff", everything, everything)
    assert lost.returncode == 2 and b'"w.bin", which has the values: No such file or directory' in lost.stderr
    assert cpb.run("diff", everything, everything, "--skip-values").returncode == 0
    (tmp_path / "w.bin").write_bytes(bytes(1 << 16))
    assert cpb.run("diff", everything, everything).returncode == 0
    result = cpb.run("diff", everything, other, "--json")
    assert result.returncode == 1
    sections = {s["section"]: s for s in json.loads(result.stdout)["sections"] if s["differences"]}
    assert set(sections) == {"nodes", "constants"}
    assert sections["constants"]["differences"][0]["members"][0]["different"] == 12


# --- Damage ---------------------------------------------------------------------------------------


def test_truncated(cpb, everything):
    """Of what is cut off anywhere, all before is shown, and where it ends."""
    data = everything.read_bytes()
    for size in range(20, len(data), 97):
        everything.write_bytes(data[:size])
        result = cpb.run("inspect", everything, "--type", "onnx.ModelProto", "nodes", "--json", "--count", "1000")
        answer = json.loads(result.stdout)
        assert result.returncode == 1 and answer["problems"][0]["damage"] is True
        text = answer["problems"][0]["text"]
        assert "bytes too early" in text or "goes past the end" in text or "ends in the middle" in text, text


def test_without_a_graph(cpb, tmp_path):
    path = tmp_path / "m.onnx"
    path.write_bytes(onnx.ModelProto(ir_version=10, producer_name="nobody", opset_import=[helper.make_opsetid("", 20)])
                     .SerializeToString())
    overview = ask(cpb, path)
    assert overview["graph"] is None and overview["problems"][0]["text"] == "the model has no graph"


def test_operations_of_onnx_runtime_are_not_custom(cpb, tmp_path):
    """A person sees which operations other runtimes lack, and which ONNX Runtime lacks as well."""
    path, domains = tmp_path / "m.onnx", {"Gelu": "com.microsoft", "Mine": "org.own", "Relu": ""}
    nodes = [helper.make_node(op, ["x"], [op], domain=domain) for op, domain in domains.items()]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])
    for known, wanted in [(3, "3 kinds; ONNX Runtime's: Gelu; custom: Mine\n"), (1, "1 kind; ONNX Runtime's: Gelu\n")]:
        graph = helper.make_graph(nodes[:known], "g", [x], [])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid(d, 1) for d in domains.values()]), path)
        assert "\nOperations  " + wanted in cpb.ok("inspect", path).decode()
        ops = ask(cpb, path, "ops")
        origins = {"Gelu": "onnxruntime", "Mine": "custom", "Relu": "onnx"}
        assert {o["op"]: o["from"] for o in ops["ops"]["items"]} == {n.op_type: origins[n.op_type] for n in nodes[:known]}
        assert ops["custom"] == ([{"op": "Mine", "domain": "org.own"}] if known > 1 else [])


def test_ort_is_refused_as_what_it_is(cpb, tmp_path):
    path = tmp_path / "m.ort"
    path.write_bytes(b"\x20\0\0\0ORTM" + bytes(64))
    result = cpb.run("inspect", path)
    assert result.returncode == 2 and b"in ONNX Runtime's own format (.ort)" in result.stderr


# --- Values in other files ----------------------------------------------------------------------


@pytest.fixture
def beside(tmp_path):
    (tmp_path / "m").mkdir()
    path = tmp_path / "m" / "model.onnx"
    model = model_with([numpy_helper.from_array(np.arange(100, dtype=np.float32), "t")])
    facts.save_with_external_data(model, path, location="weights.bin")
    return path


def relocated(path, location):
    model = onnx.load(path, load_external_data=False)
    for item in model.graph.initializer[0].external_data:
        if item.key == "location":
            item.value = location
    path.write_bytes(model.SerializeToString())


def test_other_files_stay_in_the_folder(cpb, beside, tmp_path):
    secret = tmp_path / "secret.bin"
    secret.write_bytes(bytes(400))
    (beside.parent / "link.bin").symlink_to(secret)
    for location in ("../secret.bin", str(secret), "link.bin", f"file://{secret}", "http://127.0.0.1:1/x", "a/../../secret.bin"):
        relocated(beside, location)
        result = cpb.run("extract", beside, "t", "-o", "-")
        assert result.returncode == 3 and not result.stdout, location
        assert b"--allow-references" in result.stderr and location[:20].encode() in result.stderr
    relocated(beside, "../secret.bin")
    array = np.load(io.BytesIO(cpb.ok("extract", beside, "t", "-o", "-", "--allow-references")))
    assert not array.any()


@pytest.mark.parametrize("location, reason", [
    ("/w.bin", "its name is absolute, and"), ("https://a/b", "its name is a URL, and"), ("a/", "its name is that of a folder, and"),
    ("sub\\w.bin", "its name has a \\; expected / between folders, and"), ("a/../../b", "it is not in the folder of the file")])
def test_each_refusal_has_its_reason(cpb, beside, location, reason):
    relocated(beside, location)
    result = cpb.run("extract", beside, "t", "-o", "-")
    assert result.returncode == 3 and f", which has the values: {reason}" in result.stderr.decode()


@pytest.mark.parametrize("changes, problem", [
    ({"offset": "-4"}, '.offset is no number of bytes: "-4"'),
    ({"length": "64.0"}, '.length is no number of bytes: "64.0"'),
    ({"length": "396"}, ".length is 396; expected 400 by shape and type"),
    ({"offset": str(2**64 - 32), "length": None}, f".offset is {2**64 - 32}; expected 400 bytes from there on before 2^64"),
    ({"offset": str(2**64 - 1), "length": None}, f".offset is {2**64 - 1}; expected 400 bytes from there on before 2^64"),
    ({"offset": str(2**64 - 1)}, f".offset is {2**64 - 1}; expected 400 bytes from there on before 2^64")])
def test_entries_that_are_wrong_are_said_alike_by_all_commands(cpb, beside, tmp_path, changes, problem):
    model = onnx.load(beside, load_external_data=False)
    tensor = model.graph.initializer[0]
    entries = {item.key: item.value for item in tensor.external_data} | changes
    del tensor.external_data[:]
    for key, text in entries.items():
        if text is not None:
            tensor.external_data.add(key=key, value=text)
    beside.write_bytes(model.SerializeToString())
    at = beside.read_bytes().index(tensor.SerializeToString())
    for words, name in ("extract", ""), ("convert", 'tensor "t": '):
        result = cpb.run(words, beside, *(["t"] if words == "extract" else []), "-o", tmp_path / "out.onnx")
        assert result.returncode == 2 and not (tmp_path / "out.onnx").exists()
        assert result.stderr.decode() == f"{beside}: byte {at}: {name}external_data{problem}\n"


@pytest.mark.parametrize("location", ["", "a\nb", "x" * 5000])
def test_values_that_are_no_names(cpb, beside, location):
    relocated(beside, location)
    result = cpb.run("extract", beside, "t", "-o", "-")
    assert result.returncode == 2 and b"external_data.location" in result.stderr


def test_missing_and_short_files_are_named(cpb, beside):
    weights = beside.parent / "weights.bin"
    weights.write_bytes(weights.read_bytes()[:-1])
    result = cpb.run("extract", beside, "t", "-o", beside.parent / "out.npy")
    assert result.returncode == 2 and b'"weights.bin", which has the values, has 399 bytes; expected at least 400' in result.stderr
    assert not (beside.parent / "out.npy").exists()
    weights.unlink()
    result = cpb.run("extract", beside, "t", "-o", beside.parent / "out.npy")
    assert result.returncode == 3 and b'"weights.bin"' in result.stderr
    assert not (beside.parent / "out.npy").exists()


@pytest.mark.parametrize("key, value", [("offset", "-1"), ("offset", "1e3"), ("length", "401"), ("length", str(2**64)),
                                        ("offset", str(2**64 - 1))])
def test_places_that_are_none(cpb, beside, key, value):
    model = onnx.load(beside, load_external_data=False)
    tensor = model.graph.initializer[0]
    kept = [(e.key, e.value) for e in tensor.external_data if e.key != key]
    del tensor.external_data[:]
    for k, v in [*kept, (key, value)]:
        item = tensor.external_data.add()
        item.key, item.value = k, v
    beside.write_bytes(model.SerializeToString())
    result = cpb.run("extract", beside, "t", "-o", "-")
    assert result.returncode == 2 and not result.stdout
    assert b"external_data" in result.stderr or b"weights.bin" in result.stderr


# --- Values -----------------------------------------------------------------------------------


ALL_TYPES = [number for number in facts.DTYPES if number in TensorProto.DataType.values()]


def some_values(dtype, count):
    generator = np.random.default_rng(dtype)
    name = facts.DTYPES[dtype]
    if name == "string":
        return [f"text {i}\u00e4".encode() for i in range(count)]
    if name == "bool":
        return generator.integers(0, 2, count).astype(bool)
    if name.startswith("complex"):
        return (generator.normal(size=count) + 1j * generator.normal(size=count)).astype(name)
    whole = generator.integers(0, 4 if name.endswith("2") and "int" in name else 8, count)
    return whole if "int" in name else generator.normal(size=count)


def typed(dtype, dims, raw, name="t"):
    """A tensor of that type, with its values in raw_data or in the typed field."""
    count = int(np.prod(dims, dtype=int))
    made = helper.make_tensor(name, dtype, dims, some_values(dtype, count))
    if not raw or dtype == TensorProto.STRING:
        return made
    try:
        array = numpy_helper.to_array(made)
        return numpy_helper.from_array(array, name)
    except (TypeError, ValueError, KeyError):
        return made


def model_with(initializers, **more):
    graph = helper.make_graph([helper.make_node("Identity", [initializers[0].name], ["y"], "take")], "g", [],
                              [helper.make_tensor_value_info("y", initializers[0].data_type, None)],
                              initializer=initializers, **more)
    return helper.make_model(graph)


# Strings are never in another file.
PLACES = [(dtype, where) for dtype in ALL_TYPES for where in ("raw", "typed", "unpacked", "external")
          if dtype != TensorProto.STRING or where != "external"]


@pytest.mark.parametrize("dtype, where", PLACES, ids=[f"{facts.DTYPES[d]}-{where}" for d, where in PLACES])
@pytest.mark.parametrize("dims", [(3, 5), (), (0,), (7,)], ids=str)
def test_values(cpb, tmp_path, dtype, where, dims):
    tensor = typed(dtype, dims, where in ("raw", "external"))
    path = tmp_path / "m.onnx"
    model = model_with([tensor])
    data = model.SerializeToString()
    if where == "external":
        facts.save_with_external_data(model, path, location="weights.bin")
    else:
        path.write_bytes(unpack(data, tensor) if where == "unpacked" else data)
    if dtype == TensorProto.STRING:
        texts = np.load(io.BytesIO(cpb.ok("extract", path, "t", "-o", "-"))) if tensor.string_data else []
        assert [t for t in np.ravel(texts)] == list(tensor.string_data)
        return
    array = np.load(io.BytesIO(cpb.ok("extract", path, "t", "-o", "-")))
    expected = facts.values(tensor)
    assert array.shape == tuple(dims)
    assert array.tobytes() == np.asarray(expected).tobytes()


@pytest.mark.parametrize("where", ["raw", "external"])
def test_values_in_javascript(cpb, tmp_path, where):
    """Of all types that the page shows as numbers: the bytes, and what it says of them."""
    numbers = [n for n in ALL_TYPES if n != TensorProto.STRING]
    tensors = [typed(n, (6, 5), True, facts.DTYPES[n]) for n in numbers]
    path = tmp_path / "m.onnx"
    if where == "external":
        facts.save_with_external_data(model_with(tensors), path, location="weights.bin")
    else:
        path.write_bytes(model_with(tensors).SerializeToString())
    items = by_package(cpb, path, [{"question": "constants"}])[0]["constants"]["items"]
    answers = by_package(cpb, path, [{"values": item} for item in items])
    given = {t.name: t for t in tensors}
    assert {item["node"] for item in items} == set(given)
    for item, said in zip(items, answers, strict=True):
        tensor = given[item["node"]]
        assert said["sha256"] == hashlib.sha256(np.asarray(facts.values(tensor)).tobytes()).hexdigest(), tensor.name
        numbers = numpy_helper.to_array(tensor)
        numbers = np.abs(numbers) if np.iscomplexobj(numbers) else numbers.astype(np.float64)
        finite = numbers[np.isfinite(numbers)]
        assert said["first"] == pytest.approx(numbers.ravel().tolist(), nan_ok=True), tensor.name
        assert [said["low"], said["high"], said["mean"]] == pytest.approx([finite.min(), finite.max(), finite.mean()])


def unpack(data, tensor):
    """The model with the elements of the tensor's typed field and its dims each in a field of its own."""
    from google.protobuf.internal import encoder

    parts = io.BytesIO()
    wire = {"float_data": 5, "double_data": 1}
    for field, value in tensor.ListFields():
        if field.name not in ("dims", "float_data", "int32_data", "int64_data", "double_data", "uint64_data"):
            parts.write(only(tensor, field).SerializeToString())
            continue
        for number in value:
            parts.write(encoder.TagBytes(field.number, wire.get(field.name, 0)))
            if field.name == "float_data":
                parts.write(np.float32(number).tobytes())
            elif field.name == "double_data":
                parts.write(np.float64(number).tobytes())
            else:
                encoder._VarintEncoder()(parts.write, number % 2**64, False)
    changed = parts.getvalue()
    model = onnx.ModelProto.FromString(data)
    assert TensorProto.FromString(changed) == tensor
    del model.graph.initializer[:]
    graph = model.graph.SerializeToString() + encoder.TagBytes(5, 2) + varint(len(changed)) + changed
    model.ClearField("graph")
    return model.SerializeToString() + encoder.TagBytes(7, 2) + varint(len(graph)) + graph


def varint(number):
    from google.protobuf.internal import encoder

    out = io.BytesIO()
    encoder._VarintEncoder()(out.write, number, False)
    return out.getvalue()


def only(tensor, field):
    copy = TensorProto()
    value = getattr(tensor, field.name)
    if field.is_repeated if hasattr(field, "is_repeated") else field.label == field.LABEL_REPEATED:
        getattr(copy, field.name).extend(value)
    else:
        setattr(copy, field.name, value)
    return copy


@pytest.mark.parametrize("dtype", ALL_TYPES, ids=[facts.DTYPES[n] for n in ALL_TYPES])
@pytest.mark.parametrize("raw", [True, False], ids=["raw", "typed"])
def test_first_values_are_in_the_answer(cpb, tmp_path, dtype, raw):
    tensor = typed(dtype, (2, 7), raw)
    path = tmp_path / "m.onnx"
    onnx.save(model_with([tensor]), path)
    constant = ask(cpb, path, "constants")["constants"]["items"][0]
    assert constant["elements"] == 14 and constant["preview_more"] is True
    if dtype == TensorProto.STRING:
        assert constant["preview"] == [t.decode() for t in tensor.string_data[:8]]
        return
    expected = numpy_helper.to_array(tensor).ravel()[:8]
    assert constant["bytes"] == (14 * bits(facts.DTYPES[dtype]) + 7) // 8
    if np.iscomplexobj(expected):
        np.testing.assert_allclose([complex(*c) for c in constant["preview"]], expected, rtol=1e-6)
    else:
        np.testing.assert_allclose(np.array(constant["preview"], float), expected.astype(float), rtol=1e-6)


def bits(name):
    if name == "bool":
        return 8
    for known in ("e8m0", "e4m3", "e5m2"):
        if known in name:
            return 8
    if "float6_" in name:
        return 6
    return 4 if "float4" in name else int("".join(c for c in name if c.isdigit()))
