"""cpb inspect MODEL QUESTION: tables for a person, lines for programs, both against the JSON."""

import csv
import io
import json
import os
import re
import shutil

import pytest

from conftest import DATA
from support import big_graph
from support.terminal import columns_of

ENV = {**os.environ, "LC_ALL": "C.UTF-8"}
ZIP = DATA / "samediff_small" / "minimal.zip"
SIGNATURE = "serving_default"
FUNCTION = "__inference_model_layer_call_fn_951"

# question: the list, where the lines for programs have its first member, and how that is called
LISTS = {
    ("functions",): ("functions", 6, "name"),
    ("nodes",): ("nodes", 0, "name"),
    ("nodes", FUNCTION): ("nodes", 0, "name"),
    ("layers",): ("layers", 0, "name"),
    ("variables",): ("variables", 3, "path"),
    ("constants",): ("constants", 0, "node"),
    ("ops",): ("ops", 0, "op"),
    ("search", "kernel"): ("found", 1, "name"),
    ("objects", "root.layer-2"): ("children", 0, "path"),
    ("scopes",): ("children", 0, "path"),
    ("consumers", "Const"): ("consumers", 0, "name"),
}
SAMEDIFF = {
    ("nodes",): ("nodes", 0, "name"),
    ("constants",): ("constants", 0, "node"),
    ("layers",): ("layers", 0, "name"),
    ("scopes",): ("children", 0, "path"),
    ("ops",): ("ops", 0, "op"),
    ("search", "w"): ("found", 1, "name"),
    ("consumers", "x"): ("consumers", 0, "name"),
}
OTHERS = [("signature", SIGNATURE), ("function", FUNCTION), ("overview",), ("cut", "root.layer-2"), ("load", "root.layer-2")]


def asked(cpb, path, question, *options):
    return json.loads(cpb.ok("inspect", path, *question, "--json", *options))


def person(cpb, path, question, width=80, *options):
    return cpb.ok("inspect", path, *question, "--width", width, *options, env=ENV).decode()


def check_lists(cpb, path, question, key, field, member):
    items = asked(cpb, path, question, "-n", 1000000)[key]["items"]
    wanted = [item[member] for item in items]
    assert wanted
    lines = [line.split("\t") for line in cpb.ok("inspect", "--tsv", path, *question).decode().splitlines()]
    assert [line[field] for line in lines] == wanted
    assert len({len(line) for line in lines}) == 1
    text = person(cpb, path, question, 80, "-n", 1000000)
    assert all((item.get("name") or item[member]) in text for item in items)
    assert f"{key}  {len(wanted):,}" in text


@pytest.mark.parametrize("question", LISTS, ids=" ".join)
def test_lists_for_a_program_and_a_person_are_those_of_the_answer(cpb, keras, question):
    check_lists(cpb, keras, question, *LISTS[question])


@pytest.mark.parametrize("question", LISTS, ids=" ".join)
def test_csv_has_the_fields_of_the_lines_for_a_program(cpb, keras, question):
    lines = [line.split("\t") for line in cpb.ok("inspect", "--tsv", keras, *question).decode().splitlines()]
    titles, *rows = csv.reader(io.StringIO(cpb.ok("inspect", "--csv", keras, *question).decode(), newline=""))
    assert rows == lines and len(titles) == len(lines[0]) and all(titles)


def test_csv_quotes_commas_and_quotes(cpb, tmp_path):
    path, name = tmp_path / "graph.pb", 'a "quoted", name'
    path.write_bytes(big_graph.field(1, big_graph.node(name, "Relu")))
    text = cpb.ok("inspect", "--csv", path, "nodes", "--type", "tensorflow.GraphDef").decode()
    assert text.splitlines()[1].startswith('"a ""quoted"", name",Relu,')


@pytest.mark.parametrize("words", [[], ["overview"], ["node", "x"], ["nodes", "--tsv"], ["nodes", "--json"]], ids=" ".join)
def test_csv_of_no_list_or_in_two_forms_is_refused(cpb, keras, words):
    result = cpb.run("inspect", keras, *words, "--csv")
    assert result.returncode == 1 and not result.stdout and b"--csv" in result.stderr


@pytest.mark.parametrize("question", SAMEDIFF, ids=" ".join)
def test_lists_of_a_samediff_file(cpb, question):
    check_lists(cpb, ZIP, question, *SAMEDIFF[question])


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("question", [*LISTS, *OTHERS], ids=" ".join)
def test_lines_fit_and_handles_are_whole(cpb, keras, question, width):
    text = person(cpb, keras, question, width)
    for line in text.splitlines():
        assert columns_of(line) <= width or len(line.split()) == 1, line
    answer = json.dumps(asked(cpb, keras, question))
    whole = set(answer.replace('"', " ").replace(",", " ").split())
    # A name of a function or a path of an object that is shown at all is shown whole.
    for word in text.replace(",", " ").split():
        if word.startswith(("root.", "__inference")) and not word.endswith("…"):
            assert word in whole, word
    # A variable has its name for the next question.
    assert question == ("variables",) or not any(word.startswith("root.") and word.endswith("…") for word in text.split())


def test_rows_of_several_lists_begin_with_the_lists_name(cpb, keras):
    lines = [line.split("\t") for line in cpb.ok("inspect", "--tsv", keras, "signature", SIGNATURE).decode().splitlines()]
    assert ["inputs", "img", "f32[?,12,12,1]", "serving_default_img:0", "", ""] in lines
    assert [line[2] for line in lines if line[0] == "function.captures"] == [
        capture["path"] for capture in asked(cpb, keras, ("signature", SIGNATURE))["function"]["captures"]]
    assert ["function.name", "__inference__wrapped_model_852"] in lines
    tag = cpb.ok("inspect", "--tsv", ZIP, "tag", "FP32").decode()
    assert "constants\tweights\tvariable\tf64[2,2]\t32\t64\t" in tag and "nodes\tadd\tadd\t" in tag


def test_a_person_reads_short_tensors_and_numbers_with_units(cpb, keras):
    text = person(cpb, keras, ("signature", SIGNATURE))
    assert "returns  {a: f32[?,5], b: f32[?,2]}" in text
    assert "a     f32[?,5]  StatefulPartitionedCall:0" in text
    text = person(cpb, keras, ("constants",))
    assert "4.7 KiB" in text and "string[15]" in text
    assert "2,005  root.layer_with_weights-1" in person(cpb, keras, ("layers",))


def test_a_layer_leads_to_its_configuration(cpb, keras):
    text = person(cpb, keras, ("layers", "conv2d"))
    assert "\nconfiguration\n" in text and re.search(r"^  kernel_size +\[3,3\]$", text, re.M)
    assert re.search(r"^    class_name +GlorotUniform$", text, re.M)


def test_a_folder_without_a_model_is_said_to_be_one(cpb, tmp_path):
    result = cpb.run("inspect", tmp_path)
    assert result.returncode == 3 and b"a directory without saved_model.pb, saved_model.cpb or a Manifest.json" in result.stderr


def test_a_page_says_how_much_is_left(cpb, keras):
    text = person(cpb, keras, ("functions",), 100, "--first", 2, "-n", 3)
    assert text.startswith("functions  20, from element 2 on, counting from 0\n")
    assert text.endswith("  15 more: --first 5, or --all\n")
    assert text.count("__inference") == 3
    assert "more:" not in person(cpb, keras, ("functions",), 100, "--all")
    assert cpb.ok("inspect", "--tsv", keras, "functions", "--first", 2, "-n", 3).count(b"\n") == 3
    assert cpb.ok("inspect", "--tsv", keras, "functions", "--first", 2).count(b"\n") == 18


def test_all_shows_all_as_json_too(cpb, tmp_path):
    path = tmp_path / "graph.pb"
    path.write_bytes(b"".join(big_graph.field(1, big_graph.node(f"n{i}", "NoOp")) for i in range(150)))
    nodes = json.loads(cpb.ok("inspect", path, "nodes", "--json", "--all"))["nodes"]
    assert len(nodes["items"]) == nodes["total"] == 150
    assert len(json.loads(cpb.ok("inspect", path, "nodes", "--json"))["nodes"]["items"]) == 100
    assert len(json.loads(cpb.ok("inspect", path, "nodes", "--json", "--all", "-n", 7))["nodes"]["items"]) == 7
    result = cpb.run("inspect", path, "nodes", "-n", 0)
    assert result.returncode == 1 and b"--count: 0 is not understood; expected a whole number of at least 1" in result.stderr


def test_lines_for_a_program_have_all_of_a_list_of_many_pages(cpb, tmp_path):
    path = tmp_path / "saved_model.pb"
    path.write_bytes(big_graph.saved_model(nodes=7000, functions=2))
    lines = cpb.ok("inspect", "--tsv", path, "nodes").decode().splitlines()
    names = [node["name"] for node in asked(cpb, path, ("nodes",), "-n", 1000000)["nodes"]["items"]]
    assert [line.split("\t")[0] for line in lines] == names and len(names) >= 3500
    text = person(cpb, path, ("nodes",), 100, "--all")
    assert all(f"  {name}  " in text for name in names)


def test_damage_comes_first(cpb, tmp_path):
    whole = big_graph.saved_model(nodes=200, functions=2, constant_bytes=4000)
    path = tmp_path / "saved_model.pb"
    path.write_bytes(whole[:len(whole) // 2])
    result = cpb.run("inspect", path, "nodes", "--width", 80)
    assert result.returncode == 1 and not result.stderr
    assert result.stdout.startswith(b"Damaged: ") and b"\n  node " in result.stdout
    result = cpb.run("inspect", "--tsv", path, "nodes")
    assert result.returncode == 1 and result.stderr.count(b"\n") == 1 and b"the model is damaged" in result.stderr


def test_a_question_that_fails_says_why(cpb, keras):
    for options in [], ["--width", 80]:
        result = cpb.run("inspect", keras, "function", "none", *options)
        assert result.returncode == 1 and result.stdout == b"" and b'there is no function or subgraph "none"' in result.stderr


def test_memory_is_bounded(cpb, tmp_path):
    """Of 20,000 nodes a page at a time is held."""
    path = tmp_path / "saved_model.pb"
    path.write_bytes(big_graph.saved_model(nodes=40000, functions=2))
    assert cpb.ok("inspect", "--tsv", path, "nodes", "--memory-limit", "30M").count(b"\n") >= 20000
    cpb.ok("inspect", path, "--memory-limit", "30M")
    shutil.rmtree(tmp_path)


@pytest.mark.parametrize("question, listed", [("function", "functions"), ("consumers", "nodes"), ("load", "objects"),
                                              ("cut", "objects")])
def test_a_question_without_its_subject_says_where_subjects_are_listed(cpb, keras, question, listed):
    for words in ([question], [question, ""], [question, "--json"]):
        result = cpb.run("inspect", keras, *words)
        assert result.returncode == 1 and not result.stdout
        message = result.stderr.decode()
        assert f"cpb inspect: {question} needs the " in message and f"cpb inspect MODEL {listed} lists them" in message


def test_a_layer_that_is_asked_for_begins_at_the_margin(cpb, keras):
    """Others are indented below it, and the whole tree below the model."""
    one = person(cpb, keras, ("layers", "conv2d"), 100).splitlines()
    assert any(re.match(r"  conv2d +Conv2D", line) for line in one), one
    every = person(cpb, keras, ("layers",), 100).splitlines()
    assert any(re.match(r"  model +Functional", line) for line in every)
    assert any(re.match(r"    conv2d +Conv2D", line) for line in every)


def test_members_on_one_line_are_words(cpb, keras):
    text = person(cpb, keras, ("overview",), 100)
    assert re.search(r"^ops +source exporter, total 23, custom none$", text, re.M), text
    assert "without value 0" in text and "bare_concrete_function 14" in text
    seed = person(cpb, keras, ("layers", "conv2d"), 100)
    assert re.search(r"^    config +seed none$", seed, re.M)


def test_one_empty_line_after_the_damage(cpb, keras, tmp_path):
    path = tmp_path / "saved_model.pb"
    path.write_bytes((keras / "saved_model.pb").read_bytes()[:40000])
    text = cpb.run("inspect", path, "nodes", "--width", 80, env={"LC_ALL": "C.UTF-8"}).stdout.decode()
    assert "What could be read is shown.\n\nnodes" in text
