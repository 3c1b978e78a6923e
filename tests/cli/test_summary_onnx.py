"""cpb inspect of ONNX models: what has much of something, or long names, loses no row; and the words."""

import json
import re

import pytest
from onnx import TensorProto, helper

from cli.test_summary import summary
from support.terminal import columns_of

FLOAT = TensorProto.FLOAT
LONG = ["batch_size", "num_attention_heads", "past_sequence_length + sequence_length", "head_dimension"]


def tensor(name, shape):
    return helper.make_tensor_value_info(name, FLOAT, shape)


def save(path, nodes=(), inputs=(), outputs=(), initializers=(), **model):
    made = helper.make_graph(list(nodes), "g", list(inputs), list(outputs), list(initializers))
    path.write_bytes(helper.make_model(made, **{"opset_imports": [helper.make_opsetid("", 17)], **model}).SerializeToString())
    return path


def external(name):
    made = TensorProto(name=name, dims=[3], data_type=FLOAT, data_location=TensorProto.EXTERNAL)
    for key, value in {"location": f"{name}.bin", "offset": "0", "length": "12"}.items():
        made.external_data.add(key=key, value=value)
    return made


def test_data_files_beyond_some_are_counted_and_the_parameters_follow(cpb, tmp_path):
    path = save(tmp_path / "model.onnx", initializers=[external(f"w{i:02}") for i in range(89)])
    for i in range(89):
        (tmp_path / f"w{i:02}.bin").write_bytes(bytes(12))
    _, text = summary(cpb, path)
    files = re.findall(r"^  w\d\d\.bin +12 B  1 tensor$", text, re.M)
    more, = re.findall(r"^  (\d+) more +(?:984|\S+) B  cpb inspect MODEL overview$", text, re.M)
    assert len(files) + int(more) == 89
    assert re.search(r"^  parameters +267  in 89 tensors", text, re.M)
    _, text = summary(cpb, path, 120, "--all")
    assert len(re.findall(r"^  w\d\d\.bin", text, re.M)) == 89 and re.search(r"^  parameters +267 ", text, re.M)
    assert " more" not in text.split("Inputs")[0].split("Layers")[0]


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_inputs_and_outputs_each_say_how_many_more_there_are(cpb, tmp_path, width):
    sides = {side: [tensor(f"{side}.{i}.decoder.self_attention.key_and_value_cache", LONG) for i in range(12)]
             for side in ("past_key_values", "present")}
    nodes = [helper.make_node("Identity", [a.name], [b.name]) for a, b in zip(*sides.values())]
    path = save(tmp_path / "model.onnx", nodes, *sides.values())
    _, text = summary(cpb, path, width)
    shown = text.split("Inputs and outputs\n")[1].split("\n\n")[0].splitlines()
    assert len(text.splitlines()) <= 50
    assert [line.split()[0] for line in shown if line[2] != " "] == ["in", "out"]
    for side in sides:
        assert sum(side in line for line in shown) + int(re.findall(r"^ +(\d+) more$", "\n".join(shown), re.M)[0]) == 12
    assert len(re.findall(r"^ +\d+ more$", "\n".join(shown), re.M)) == 2
    # A type that is too long continues after a dimension.
    assert all(columns_of(line) <= max(width, 48) or " " not in line.strip() for line in shown)
    assert "[batch_size,num_attention_heads,past_sequence_length+sequence_length,head_dimension]" in re.sub(r"\s", "", text)
    assert "…" not in "\n".join(shown)


def test_five_outputs_are_shown_and_all_with_all(cpb, tmp_path):
    outputs = [tensor(f"y{i}", [2]) for i in range(150)]
    path = save(tmp_path / "five.onnx", [helper.make_node("Split", ["x"], [o.name for o in outputs[:5]])],
                [tensor("x", [10])], outputs[:5])
    _, text = summary(cpb, path)
    assert "y4 " in text and " more\n" not in text
    path = save(tmp_path / "many.onnx", [helper.make_node("Split", ["x"], [o.name for o in outputs])], [tensor("x", [300])], outputs)
    for options in ["--all"], ["--tsv"]:
        _, text = summary(cpb, path, 80, *options)
        assert len(re.findall(r"\by\d+\s+f32\[2\]", text)) == 150 and " more\n" not in text


def test_the_total_of_layers_with_long_names_is_shown(cpb, tmp_path):
    names = [f"{c}layer" + c * 50 for c in "abcdefghij"]
    nodes = [helper.make_node("Relu", [f"t{i}"], [f"t{i + 1}"], f"{name}/Relu") for i, name in enumerate(names)]
    path = save(tmp_path / "model.onnx", nodes, [tensor("t0", [2])], [tensor(f"t{len(nodes)}", [2])])
    for width in 50, 60, 80:
        _, text = summary(cpb, path, width)
        assert re.search(rf"^  total +{len(nodes)} layers +0$", text, re.M), text


def test_a_sparse_input_is_told(cpb, tmp_path):
    sparse = helper.make_sparse_tensor_value_info("sp", FLOAT, [3, 4])
    path = save(tmp_path / "model.onnx", [helper.make_node("Identity", ["x"], ["y"])], [sparse, tensor("x", [2])], [tensor("y", [2])])
    assert json.loads(cpb.ok("inspect", path, "overview", "--json"))["inputs"]["items"][0]["sparse"] is True
    assert re.search(r"^  in   sp  f32\[3,4\] sparse$", summary(cpb, path)[1], re.M)


# --- Words -----------------------------------------------------------------------------------------


def test_facts_of_the_header_stay_whole_and_are_not_repeated(cpb, tmp_path):
    path = save(tmp_path / "model.onnx", [helper.make_node("Relu", ["x"], ["y"])], [tensor("x", [2])], [tensor("y", [2])],
                producer_name="a program of the name", ir_version=8,
                opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("my.domain", 1), helper.make_opsetid("", 17)])
    assert "  ONNX · 1 node · opset 17, my.domain 1 · by a program of the name ·\n    IR version 8\n" in summary(cpb, path, 72)[1]
    assert re.search(r"^  ai.onnx +17$", cpb.ok("inspect", path, "overview").decode(), re.M)


def test_line_breaks_and_tabs_of_a_description_are_one_space(cpb, tmp_path):
    path = save(tmp_path / "model.onnx", doc_string="one\r\ntwo\t\tthree\n four\n")
    assert re.search(r"^  description  one two three four ?$", summary(cpb, path)[1], re.M)


@pytest.mark.parametrize("op, title", [("Constant", "Large constants"), ("Relu", "Large initializers")])
def test_large_constants_are_called_what_they_are(cpb, tmp_path, op, title):
    big = helper.make_tensor("w", FLOAT, [8192], bytes(4 * 8192), raw=True)
    nodes = [helper.make_node("Constant", [], ["c"], value=big)] if op == "Constant" else [helper.make_node(op, ["w"], ["c"])]
    path = save(tmp_path / "model.onnx", nodes, outputs=[tensor("c", [8192])], initializers=[big] if op == "Relu" else [])
    assert f"\n{title}\n" in summary(cpb, path)[1]


def branch(name, op):
    return helper.make_graph([helper.make_node(op, ["x"], [name])], name, [], [tensor(name, [2])])


def test_subgraphs_are_told(cpb, tmp_path):
    """Consumers within one, and that functions count them."""
    node = helper.make_node("If", ["c"], ["y"], "choice", then_branch=branch("t", "Relu"), else_branch=branch("e", "Neg"))
    condition = helper.make_tensor_value_info("c", TensorProto.BOOL, [])
    path = save(tmp_path / "model.onnx", [node], [tensor("x", [2]), condition], [tensor("y", [2])])
    text = cpb.ok("inspect", path, "consumers", "x").decode()
    consumers = json.loads(cpb.ok("inspect", path, "consumers", "x", "--json"))["consumers"]["items"]
    assert len(consumers) == 2
    for one in consumers:
        assert re.search(rf"^  \S+ +{one['op']} .* {re.escape(one['function'])}$", text, re.M), text
    assert [line.split("\t")[-1] for line in cpb.ok("inspect", path, "consumers", "x", "--tsv").decode().splitlines()] == [
        one["function"] for one in consumers]
    text = cpb.ok("inspect", path, "ops").decode()
    assert "functions and subgraphs  2\nnodes of these           2\n" in text and " in functions, subgraphs " in text
    assert cpb.ok("diff", path, path).startswith(b"The models are the same file: 2 functions and subgraphs and 3 nodes")
    other = save(tmp_path / "other.onnx", [helper.make_node("Relu", ["x"], ["y"])], [tensor("x", [2])], [tensor("y", [2])])
    assert re.search(r"^functions and subgraphs +2  --$", cpb.run("diff", path, other).stdout.decode(), re.M)


def test_shapes_of_names_have_brackets(cpb, tmp_path):
    shape = ["batch", "channels"]
    path = save(tmp_path / "model.onnx", [helper.make_node("Relu", ["x"], ["y"], "a/Relu")], [tensor("x", shape)], [tensor("y", shape)])
    text = cpb.ok("inspect", path, "scopes").decode()
    assert re.search(r"^  y +float32 +\[batch,channels\] ", text, re.M), text
