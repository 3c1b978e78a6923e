"""cpb diff, for a person: lines, their order, width and colours."""

import json
import re

import pytest

from conftest import ROOT
from support import models  # noqa: F401  the module models adds makers of models
from support.diffs import CORPUS, diff, graph, path_of, same, saved_model, write
from support.terminal import native, terminal


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
overview   1 of 7  ~
  ~ parameters  2,000 -> 4,000; tensors: 1 -> 2; bytes: 8,000 -> 16,000
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
    facts = dict(line for line in lines[lines.index(["overview", "6 of 9  ~"]) + 1:][:6])

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
        "~ parameters": "; ".join(change("parameters", member, words=words) for member, words in
                                  {"total": "", "trainable": "trainable", "tensors": "tensors", "bytes": "bytes"}.items()),
        "~ variables": "; ".join(change("variables", member, words=words) for member, words in
                                 {"total": "", "trainable": "trainable"}.items())}
    assert any(line[0] == "kinds of operations" for line in lines)
    told = cpb.run("diff", "--tsv", one, other).stdout.decode()
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
    last = cpb.run("diff", "--tsv", one, other).stdout.decode().splitlines()[-1]
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
    lines = cpb.run("diff", "--tsv", one, other, "--all").stdout.decode().splitlines()
    assert len(lines) == sum(len(s["differences"]) for s in every["sections"]) + 1
    assert cpb.run("diff", "--tsv", one, other, "--all", "--quiet").stdout.decode().splitlines() == lines[:-1]
    assert cpb.ok("diff", "--tsv", one, one, "--quiet") == b""


def onnx_model(path, shape=("N", 4), metadata=(), opsets=(("", 17), ("ai.onnx.ml", 3))):
    from onnx import TensorProto, helper
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, of) for name, of in {"x": shape, "y": ("N", 4)}.items()]
    made = helper.make_model(helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", ends[:1], ends[1:]),
                             opset_imports=[helper.make_opsetid(*opset) for opset in opsets])
    helper.set_model_props(made, dict(metadata))
    path.write_bytes(made.SerializeToString())
    return path


@pytest.mark.parametrize("changed, lines", [
    ({"shape": ("batch", 4)}, ["  ~ x  shape: [N,4] -> [batch,4]", "1 input differs; 1 node the same"]),
    ({"metadata": {"licence": "MIT"}}, ["  + licence", "1 entry of the metadata differs; 1 node the same"]),
    ({"opsets": [("", 18), ("ai.onnx.ml", 3)]},
     ["  ~ ai.onnx  version: 17 -> 18", "1 of 2 opset imports differs; 1 node the same"])], ids=str)
def test_models_that_differ_outside_of_the_graph(cpb, tmp_path, changed, lines):
    one, other = onnx_model(tmp_path / "a.onnx"), onnx_model(tmp_path / "b.onnx", **changed)
    found = shown(cpb, one, other, 80)
    assert lines[0] in found and found[-1] == lines[1]


def test_models_of_different_kinds_are_told_as_such(cpb, tmp_path):
    import tensorflow as tf
    found = shown(cpb, onnx_model(tmp_path / "a.onnx"), graph(tmp_path, "b.pb", w=tf.make_tensor_proto(1)), 80)
    assert found[-1] == "Models of different kinds are not compared"


def test_every_section_has_its_word(cpb):
    """No section is counted as other items."""
    lists = [text for path in (ROOT / "src" / "model").rglob("*.[ch]") for text in [path.read_text()]]
    sections = {name for text in lists for name in re.findall(r'CPB_DIFF_LISTED\("(\w+)"|\{"(\w+)", +CPB_ASK_', text) for name in name if name}
    words = (ROOT / "src" / "cli" / "show" / "diff_summary.c").read_text()
    assert len(sections) > 15 and not [name for name in sections if f'{{"{name}", ' not in words]
