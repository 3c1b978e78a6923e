"""cpb inspect MODEL: a summary that fits a person's terminal, the same into a pipe; and lines for programs."""

import json
import os
import re
import shutil

import pytest

from conftest import DATA, ROOT
from support import big_graph
from support.terminal import columns_of, native, terminal

KERAS = DATA / "cpb" / "real_tf_keras_functional"
COLOR = re.compile(r"\033\[[0-9;]*m")


def summary(cpb, path, width=80, *options, **env):
    if "CPB_RUNTIME" in os.environ:
        pytest.skip("a runtime may not pass the locale on")
    env = {**os.environ, "LC_ALL": "C.UTF-8", **env}
    result = cpb.run("inspect", path, "--width", width, *options, env=env)
    return result, result.stdout.decode()


def plain(cpb, path, *options):
    return [line.split("\t") for line in cpb.ok("inspect", "--tsv", path, *options).decode().splitlines()]


# --- What is in it -----------------------------------------------------------------------------


def test_the_summary_says_what_the_model_is(cpb, keras):
    _, text = summary(cpb, keras)
    lines = [line.rstrip() for line in text.splitlines()]
    assert lines[1] == '  SavedModel · Keras Functional "model" · TensorFlow 2.21.0 · tags: serve'
    assert re.search(r"^  saved_model.pb +74.0 KiB  graph 57.8 KiB$", text, re.M)
    assert re.search(r"^  variables/ +11.2 KiB  14 tensors in 1 data file$", text, re.M)
    assert re.search(r"^  parameters +2,847  all trainable · 11.1 KiB f32$", text, re.M)
    assert "+ 8 of optimizer and state · 11.2 KiB in all" in text
    assert re.search(r"^    in   img  f32\[\?,12,12,1\]\n    out  a    f32\[\?,5\]\n         b    f32\[\?,2\]$", text, re.M)
    assert "    calls __inference__wrapped_model_852 · 19 nodes · captures 6 variables" in lines
    assert re.search(r"^  conv2d   Conv2D      \[\?,12,12,1\] +40$", text, re.M)
    assert re.search(r"^  total    5 layers                  2,847$", text, re.M)
    assert re.search(r"^  a/kernel +f32\[400,5\] +7.8 KiB +70 %$", text, re.M)
    assert "Operations of serving_default  " in text and "none custom" in text
    assert re.search(r"^Functions  20 with 209 nodes", text, re.M)
    assert "More: cpb inspect MODEL QUESTION, such as signature, functions" in text


def test_its_numbers_are_those_of_the_answers(cpb, keras):
    """The lines for programs against the JSON."""
    def ask(*question):
        return json.loads(cpb.ok("inspect", keras, *question, "--json", "-n", 1000000))

    lines = plain(cpb, keras)
    by_word = {word: [line[1:] for line in lines if line[0] == word] for word in {line[0] for line in lines}}
    layers = ask("layers")["layers"]["items"]
    assert [(line[0], line[1], int(line[3]), line[4]) for line in by_word["layer"]] == [
        (layer["name"], layer["class"], layer["parameters"], layer["path"]) for layer in layers]
    variables = ask("variables")["variables"]["items"]
    assert [(line[0], int(line[2]), line[3]) for line in by_word["variable"]] == [
        (item["path"], item["stored"]["size"], item["name"]) for item in variables]
    constants = ask("constants")["constants"]["items"]
    assert [(line[0], int(line[2]), line[3]) for line in by_word["constant"]] == [
        (item["node"], item["size"], item["function"] or "") for item in constants]
    assert [(line[0], int(line[1])) for line in by_word["op"]] == [
        (item["op"], item["count"]) for item in ask("ops")["ops"]["items"]]
    assert ["saved_model.pb", str((keras / "saved_model.pb").stat().st_size)] in [line[:2] for line in by_word["file"]]
    assert ["parameters", "2847"] in [line[:2] for line in by_word["count"]]
    assert ["serving_default", "img", "f32[?,12,12,1]"] in by_word["input"]


def test_files_that_are_damaged_are_said_in_a_line_and_the_rest_is_shown(cpb, keras, tmp_path):
    shutil.copytree(keras, tmp_path / "model")
    (tmp_path / "model" / "variables" / "variables.index").write_bytes(b"not an index")
    result, text = summary(cpb, tmp_path / "model")
    assert result.returncode == 2 and result.stderr.count(b"\n") == 1 and b"variables.index" in result.stderr
    assert "conv2d   Conv2D" in text and "a/kernel" in text
    (tmp_path / "model" / "keras_metadata.pb").write_bytes(b"\x0f")
    result, text = summary(cpb, tmp_path / "model")
    assert result.returncode == 2 and "serving_default" in text


def test_a_data_file_that_is_not_there_is_said(cpb, keras, tmp_path):
    shutil.copytree(keras, tmp_path / "model")
    data, = (tmp_path / "model" / "variables").glob("*.data-*")
    data.unlink()
    assert "14 tensors in 1 data file, which is missing" in summary(cpb, tmp_path / "model")[1]


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_damage_comes_first(cpb, tmp_path, share):
    whole = big_graph.saved_model(nodes=200, functions=2, constant_bytes=4000)
    path = tmp_path / "saved_model.pb"
    path.write_bytes(whole[:int(len(whole) * share)])
    result, text = summary(cpb, path)
    assert result.returncode == 1
    assert text.startswith("Damaged: ") and "Operations" in text
    result = cpb.run("inspect", "--tsv", path)
    assert result.returncode == 1
    assert b"the model is damaged" in result.stderr.splitlines()[0] and b"op\t" in result.stdout


def meta_graph(tags, key):
    f = big_graph.field
    info = b"".join(f(4, tag) for tag in tags)
    signature = f(1, f(1, "x") + f(2, big_graph.tensor_info("x:0")))
    return f(2, f(1, info) + f(2, f(1, big_graph.node("x", "Placeholder"))) + f(5, f(1, key) + f(2, signature)))


def test_an_answer_says_which_of_several_meta_graphs_it_is_about(cpb, tmp_path):
    path = tmp_path / "saved_model.pb"
    path.write_bytes(big_graph.field(1, 1) + meta_graph(["train"], "learn") + meta_graph(["serve", "gpu"], "ask"))
    _, text = summary(cpb, path)
    assert "meta graph 0 of 2 · tags: train  <- shown\n" in text
    assert "meta graph 1 of 2 · tags: serve, gpu  --meta-graph 1" in text
    assert "\n  learn\n" in text and "\n  ask\n" not in text
    _, text = summary(cpb, path, 80, "--meta-graph", 1)
    assert "meta graph 1 of 2 · tags: serve, gpu  <- shown\n" in text and "\n  ask\n" in text


KINDS = {
    "graph": (DATA / "cpb" / "real_frozen_conv" / "orig.pb", ["GraphDef · 26 nodes", "in   img", "BiasAdd 3"]),
    "chunked": (DATA / "cpb" / "real_frozen_conv" / "max1000_zstd.cpb", ["GraphDef · 26 nodes", "chunks, merged 14.0 KiB"]),
    "keras": (KERAS / "model" / "keras_metadata.pb", ['Keras metadata · Keras Functional "model"', "total    5 layers"]),
    "zip": (DATA / "samediff_small" / "minimal.zip", ["SameDiff zip · tag FP32", "f64[?,2]", "weights  f64[2,2]", "matmul 1"]),
    "flatbuffers": (DATA / "samediff_small" / "linear.fb", ["SameDiff graph", "out  out  f32[*]", "w  f32[4,2]  32 B"]),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_model_has_one(cpb, kind):
    path, wanted = KINDS[kind]
    result, text = summary(cpb, path)
    assert result.returncode == 0 and not result.stderr
    for part in wanted:
        assert part in text


def test_constants_that_the_saver_takes_are_not_among_the_large(cpb, tmp_path):
    f = big_graph.field

    def texts(name, bytes_):
        value = f(1, "value") + f(2, f(8, f(1, 7) + f(2, b"") + f(8, b"x" * bytes_)))
        return f(1, big_graph.node(name, "Const", (), f(5, value)))

    saver = f(1, "name:0") + f(2, "save:0") + f(3, "restore")
    graph = texts("names", 40000) + texts("vocabulary", 20000)
    graph += f(1, big_graph.node("save", "SaveV2", ["names"])) + f(1, big_graph.node("look_up", "Find", ["vocabulary"]))
    path = tmp_path / "saved_model.pb"
    path.write_bytes(f(1, 1) + f(2, f(2, graph) + f(3, saver)))
    _, text = summary(cpb, path)
    assert re.search(r"^Large constants\n  vocabulary  string\[\]  19.5 KiB\n  1 more: cpb inspect MODEL constants$", text, re.M)


# --- How it is shown -----------------------------------------------------------------------------------


def all_models():
    made = ROOT / "build" / "models"
    yield from (path for pattern in ("*.pb", "*.cpb") for path in sorted((DATA / "cpb").glob(f"real_*/{pattern}")))
    yield from (path for path in sorted((DATA / "samediff_small").iterdir()) if path.suffix in (".zip", ".fb"))
    yield from (path.parent for path in sorted(made.glob("*/saved_model.pb")))


@pytest.mark.parametrize("width", [50, 60, 80, 120, 200])
def test_every_model_fits_on_a_screen(cpb, width):
    count = 0
    for path in all_models():
        _, text = summary(cpb, path, width)
        lines = text.splitlines()
        assert 5 < len(lines) <= 50, path
        # Only a name that is longer than a line is wider.
        assert all(columns_of(line) <= width or " " not in line.strip() for line in lines), path
        count += 1
    assert count > 20


def test_a_model_with_much_of_everything_fits(cpb, tmp_path):
    f = big_graph.field
    tensors = b"".join(f(1, f(1, f"input_{i:03}") + f(2, big_graph.tensor_info(f"x{i}:0"))) for i in range(100))
    graph = b"".join(f(1, big_graph.node(f"n{i}", f"Custom{i:03}")) for i in range(300))
    meta = f(1, f(4, "serve")) + f(2, graph) + b"".join(f(5, f(1, f"key{i}") + f(2, tensors)) for i in range(20))
    path = tmp_path / "saved_model.pb"
    path.write_bytes((f(1, 1) + f(2, meta) + f(2, meta) * 8)[:-40])
    for width in 40, 80:
        _, text = summary(cpb, path, width)
        assert len(text.splitlines()) <= 50
        assert re.search(r"^ +9\d more$", text, re.M)
        assert "16 more" in text or "17 more" in text or "18 more" in text or "19 more" in text


def keras_metadata(layers):
    """A Functional model of Dense layers (name, number of parameters)."""
    f = big_graph.field
    parts = [("root", "_tf_keras_network", {"class_name": "Functional", "name": "m", "config": {
        "name": "m", "layers": [{"class_name": "Dense", "name": name, "inbound_nodes": []} for name, _ in layers]}})]
    parts += [(f"root.layer-{i}", "_tf_keras_layer", {
        "class_name": "Dense", "name": name, "build_input_shape": [None, 1], "trainable": True,
        "config": {"name": name, "units": units, "use_bias": False}}) for i, (name, units) in enumerate(layers)]
    return b"".join(f(1, f(2, i) + f(3, path) + f(4, identifier) + f(5, json.dumps(about)))
                    for i, (path, identifier, about) in enumerate(parts))


def test_runs_of_alike_layers_are_folded_and_add_up(cpb, tmp_path):
    layers = [("first", 7)] + [(f"block_{i}_{part}", 10 + i) for i in range(50) for part in ("expand", "norm", "project")]
    layers += [("head", 5000), ("last", 3)]
    path = tmp_path / "keras_metadata.pb"
    path.write_bytes(keras_metadata(layers))
    _, text = summary(cpb, path)
    rows = re.findall(r"^  (\S.*?)  +(\d+ × Dense|Dense|\d+ layers)  .*?([\d,]+)$", text, re.M)
    assert len(rows) == 11 and rows[-1][0] == "total" and rows[-1][1] == f"{len(layers)} layers"
    numbers = [int(row[2].replace(",", "")) for row in rows]
    assert sum(numbers[:-1]) == numbers[-1] == sum(units for _, units in layers)
    assert [row[0] for row in rows if row[1] == "Dense"] == ["first", "head", "last"]
    assert sum(int(row[1].split()[0]) for row in rows[:-1] if row[1] != "Dense") == 150
    folded = [row[0] for row in rows if "*" in row[0]]
    assert folded[0].startswith("block_0_*") and folded[-1].endswith("block_49_*")
    assert len([line for line in plain(cpb, path) if line[0] == "layer"]) == len(layers) + 1


def test_equal_blocks_with_the_next_number_are_one_row(cpb, tmp_path):
    blocks = [(f"layer_{i}_{part}", 10) for i in range(12) for part in ("expand", "project")]
    path = tmp_path / "keras_metadata.pb"
    path.write_bytes(keras_metadata([("first", 7), *blocks, ("layer_12_expand", 11), ("layer_12_project", 10), ("last", 3)]))
    _, text = summary(cpb, path)
    assert re.search(r"^  layer_0 \.\. layer_11 +12 × 20 +240$", text, re.M), text
    assert re.search(r"^  layer_12_\* +2 × Dense +21$", text, re.M), text


def test_shortened_text_is_marked_and_names_are_whole(cpb, tmp_path):
    name = "a_signature/" + "very_" * 20 + "long"
    path = tmp_path / "saved_model.pb"
    path.write_bytes(big_graph.field(1, 1) + meta_graph(["serve"] + ["tag"] * 40, name))
    for mark, locale in ("…", "C.UTF-8"), ("...", "C"):
        result, text = summary(cpb, path, 60, LC_ALL=locale)
        assert name in text
        assert ("·" in text) == (mark == "…")
    assert text.isascii()


def test_names_are_no_commands_to_the_terminal(cpb, tmp_path):
    path = tmp_path / "saved_model.pb"
    path.write_bytes(big_graph.field(1, 1) + meta_graph(["a\x1b[31mb\tc"], "key\n\x1b]0;title\x07\u202e"))
    for options in ["--width", 80], ["--tsv"]:
        text = cpb.ok("inspect", path, *options).decode()
        assert "title" in text
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", text)


def test_numbers_have_separators_and_units_for_a_person_alone(cpb, keras):
    person, program = summary(cpb, keras)[1], cpb.ok("inspect", "--tsv", keras).decode()
    assert "74.0 KiB" in person and "2,847" in person
    assert "KiB" not in program and "75780" in program and "2847" in program


def test_all_shows_every_layer_variable_and_operation(cpb, keras):
    _, text = summary(cpb, keras, 100, "--all")
    for name in "img", "flatten", "root.keras_api.metrics.0.total", "RestoreV2/shape_and_slices", "DisableCopyOnRead":
        assert name in text, name
    assert "more:" not in text


# --- The terminal --------------------------------------------------------------------------------------------


@native
@pytest.mark.parametrize("columns", [60, 80, 120])
def test_a_terminals_width_is_used(cpb, keras, columns):
    code, text = terminal([*cpb.command, "inspect", str(keras)], columns)
    assert code == 0
    lines = COLOR.sub("", text).splitlines()
    assert max(columns_of(line) for line in lines[1:]) <= columns  # the first is the model's path
    assert COLOR.sub("", text) == summary(cpb, keras, columns)[1]


@native
def test_a_pipe_gets_what_a_terminal_gets_without_colour(cpb, keras):
    for question in [], ["variables"], ["nodes", "-n", 3]:
        code, text = terminal([*cpb.command, "inspect", str(keras), *map(str, question)], 80)
        assert code == 0
        assert COLOR.sub("", text) == cpb.ok("inspect", keras, *question, env={**os.environ, "LC_ALL": "C.UTF-8", "COLUMNS": ""}).decode()


@native
def test_columns_says_more_than_the_terminal(cpb, keras):
    text = terminal([*cpb.command, "inspect", str(keras)], 200, COLUMNS="50")[1]
    assert COLOR.sub("", text) == summary(cpb, keras, 50)[1]


@native
@pytest.mark.parametrize("env, colored", [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True),
                                          ({"TERM": "dumb"}, False), ({"TERM": ""}, False)], ids=str)
def test_colour_only_where_it_is_wanted(cpb, keras, env, colored):
    text = terminal([*cpb.command, "inspect", str(keras)], **env)[1]
    assert bool(COLOR.search(text)) == colored


def test_no_colour_into_a_pipe(cpb, keras):
    for options in [], ["--tsv"], ["--all"]:
        assert b"\033" not in cpb.ok("inspect", keras, *options, env={**os.environ, "TERM": "xterm"})
