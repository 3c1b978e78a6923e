"""Brief answers of ONNX models: all but what the graph's tensors tell, of which none is read."""

import json

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402

NEED_ALL = [["constants"], ["layers"]]


def weights(count=40, bytes_each=100_000):
    """Random, as a trained model's are, so that some bytes look like fields."""
    generator = np.random.default_rng(7)
    return [numpy_helper.from_array(np.frombuffer(generator.bytes(bytes_each + i), np.uint8), f"layer.{i}.weight")
            for i in range(count)]


def model_of(initializers, value_infos=3, inputs=2, ir_version=10, **more):
    value = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", 3, 224])  # noqa: E731
    nodes = [helper.make_node("Add", ["x0", one.name], [f"y{i}"], name=f"block{i % 7}/add{i}")
             for i, one in enumerate(initializers)]
    graph = helper.make_graph(nodes, "graph", [value(f"x{i}") for i in range(inputs)], [value("y0")], initializers,
                              value_info=[value(f"y{i}") for i in range(value_infos)], **more)
    return helper.make_model(graph, ir_version=ir_version, producer_name="a test",
                             opset_imports=[helper.make_opsetid("", 20)])


def asked(cpb, path, words, brief):
    return json.loads(cpb.ok("inspect", path, *words, "--json", "-n", 100000, *(["--brief"] if brief else [])))


def write(tmp_path, model, name="m.onnx"):
    path = tmp_path / name
    path.write_bytes(model if isinstance(model, bytes) else model.SerializeToString())
    return path


def left_out(content, unread):
    """As the package onnx reads the bytes that were passed over."""
    return onnx.GraphProto.FromString(content[unread["offset"]:unread["offset"] + unread["size"]])


def check(cpb, path, content, graph):
    """All but the tensors is the same, and nothing but the tensors is left out."""
    brief, full = (asked(cpb, path, ["overview"], brief) for brief in (True, False))
    only = left_out(content, brief.pop("unread"))
    expected = onnx.GraphProto(initializer=graph.initializer)
    assert only == expected
    for member in ("parameters", "external_data"):
        assert member not in brief
        del full[member]
    for count in ("initializers", "sparse_initializers"):
        assert brief["graph"].pop(count) is None
        del full["graph"][count]
    assert brief == full
    for words in (["nodes"], ["ops"], ["functions"], ["consumers", "x0"]):
        brief, full = (asked(cpb, path, words, brief) for brief in (True, False))
        assert left_out(content, brief.pop("unread")) == expected
        assert brief == full


@pytest.mark.parametrize("more", [{}, {"inputs": 1, "value_infos": 0}, {"value_infos": 3000}, {"value_infos": 40_000},
                                  {"doc_string": "What it is for: ä."}])
def test_all_but_the_tensors(cpb, tmp_path, more):
    model = model_of(weights(), **more)
    if "doc_string" in more:
        model.graph.quantization_annotation.add(tensor_name="y0").quant_parameter_tensor_names.add(key="a", value="b")
        helper.set_model_props(model, {"key": "value"})
        model.graph.metadata_props.add(key="of the graph", value="")
    check(cpb, write(tmp_path, model), model.SerializeToString(), model.graph)


def test_within_chunks(cpb, tmp_path):
    model = model_of(weights())
    path = tmp_path / "m.cpb"
    cpb.ok("split", write(tmp_path, model), "-o", path, "--max-chunk-size", "64K")
    check(cpb, path, cpb.ok("merge", path, "-o", "-"), model.graph)


def test_questions_that_need_the_tensors_have_them(cpb, tmp_path):
    path = write(tmp_path, model_of(weights()))
    for words in NEED_ALL:
        assert asked(cpb, path, words, True) == asked(cpb, path, words, False)


def then(name, condition, inputs):
    """An If, whose branch adds up what it sees, and hides a name of the graph around it."""
    branch = helper.make_graph([helper.make_node("Sum", inputs, ["layer.2.weight"], name=f"{name}/sum"),
                                helper.make_node("Neg", ["layer.2.weight"], ["out"])], "branch", [],
                               [helper.make_tensor_value_info("out", TensorProto.FLOAT, None)])
    return helper.make_node("If", [condition], [f"{name}_out"], name, then_branch=branch, else_branch=branch)


@pytest.mark.parametrize("text", ["layer.1", "weight", "x0", "add3", "y", "nowhere"])
def test_search_names_the_tensors(cpb, tmp_path, text):
    """Those that nodes take, also within a branch; nothing of what nodes make."""
    model = model_of(weights())
    model.graph.node.append(then("check", "x1", ["layer.13.weight", "y4", "only.there"]))
    model.graph.initializer.extend([helper.make_tensor("only.there", TensorProto.FLOAT, [1], [1.0])])
    brief, full = (asked(cpb, write(tmp_path, model), ["search", text], brief) for brief in (True, False))
    assert brief.pop("unread")["size"] > 4_000_000
    order = lambda one: (one["is"], one["name"], one["function"] or "")  # noqa: E731
    assert sorted(brief["found"]["items"], key=order) == sorted(full["found"]["items"], key=order)
    assert {**brief, "found": None} == {**full, "found": None}


def test_scopes_name_the_tensors(cpb, tmp_path):
    model = model_of(weights())
    for scope in [], ["--scope", "block3"]:
        words = ["scopes", *scope]
        brief, full = (asked(cpb, write(tmp_path, model), words, brief) for brief in (True, False))
        assert left_out(model.SerializeToString(), brief.pop("unread")).initializer == model.graph.initializer
        del full["size"], full["parameters"]
        for few, all_of in zip(brief["children"]["items"], full["children"]["items"], strict=True):
            del all_of["size"], all_of["parameters"]
            names = [{"node": one["node"], "is": one["is"]} for one in all_of.pop("tensors")]
            assert few.pop("tensors") == (names if few["is"] == "node" else [])
        assert brief == full


@pytest.mark.parametrize("what", ["small", "old", "inputs first", "cut off", "tensors last", "no end"])
def test_everything_is_read_where_the_size_is_unknown(cpb, tmp_path, what):
    model = model_of(weights(3 if what == "small" else 40), ir_version=3 if what == "old" else 10)
    if what == "old":
        model.graph.input.extend(helper.make_tensor_value_info(one.name, TensorProto.UINT8, one.dims)
                                 for one in model.graph.initializer)
    content = model.SerializeToString()
    if what == "cut off":
        content = content[:-2000]
    if what in ("inputs first", "tensors last"):
        ends = onnx.GraphProto(input=model.graph.input, output=model.graph.output)
        tensors = onnx.GraphProto(initializer=model.graph.initializer)
        rest = onnx.GraphProto()
        rest.CopyFrom(model.graph)
        for name in ("input", "output", "initializer"):
            rest.ClearField(name)
        graph = b"".join(part.SerializeToString() for part in (rest, ends, tensors))
        whole = onnx.ModelProto()
        whole.CopyFrom(model)
        whole.ClearField("graph")
        content = whole.SerializeToString() + b"\x3a" + varint(len(graph)) + graph
        assert onnx.ModelProto.FromString(content) == model
    if what == "no end":
        for name in ("input", "output", "value_info"):
            model.graph.ClearField(name)
        content = model.SerializeToString()
    path = write(tmp_path, content)
    for words in (["overview"], ["nodes"]):
        results = [cpb.run("inspect", path, *words, "--json", *brief) for brief in (["--brief"], [])]
        assert results[0].stdout == results[1].stdout and b'"unread"' not in results[0].stdout


def varint(number):
    out = b""
    while number >= 128:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def test_a_tensor_may_pretend(cpb, tmp_path):
    """Its last bytes look like an input: a brief answer has that, one that is not brief does not."""
    model = model_of(weights())
    value = helper.make_tensor_value_info("pretended", TensorProto.FLOAT, [1]).SerializeToString()
    model.graph.initializer[-1].raw_data += b"\x5a" + varint(len(value)) + value
    model.graph.initializer[-1].dims[0] += len(value) + 2
    path = write(tmp_path, model)
    names = {brief: [one["name"] for one in asked(cpb, path, ["overview"], brief)["inputs"]["items"]]
             for brief in (True, False)}
    assert names == {True: ["pretended", "x0", "x1"], False: ["x0", "x1"]}


def test_the_summary_says_what_it_lacks(cpb, tmp_path):
    path = write(tmp_path, model_of(weights()))
    lines = cpb.ok("inspect", "--tsv", path, "--brief").decode().splitlines()
    assert any(line.startswith("count\tunread\t") and "--brief" in line for line in lines)
    assert any(line.startswith("input\t") for line in lines) and not any("parameters" in line for line in lines)
