"""Small models that people met, and what is right about each (tests/data/cases.json): in the command. The same
table is held against the Python package, the JavaScript package and the page."""

import hashlib
import io
import json

import numpy as np
import pytest

from conftest import DATA

CASES = DATA / "cases"
RIGHT = json.loads(CASES.with_suffix(".json").read_text())


def values_of(cpb, path, key):
    return np.load(io.BytesIO(cpb.ok("extract", path, key, "-o", "-"))).tobytes()


def ask(cpb, path, *words):
    return json.loads(cpb.ok("inspect", path, *words, "--json", "--count", 10**6))


@pytest.mark.parametrize("right", RIGHT, ids=[right["file"].split("/")[0] for right in RIGHT])
def test_facts(cpb, right):
    path = CASES / right["file"]
    overview, layers = ask(cpb, path, "overview"), ask(cpb, path, "layers")["layers"]["items"]
    assert overview["parameters"]["total"] == right["parameters"]
    assert overview["parameters"]["bytes"] == right.get("bytes", overview["parameters"]["bytes"])
    assert sum(layer["parameters"] for layer in layers) == right["parameters"]
    counts = {layer["name"]: layer["parameters"] for layer in layers}
    assert counts | right.get("layers", {}) == counts
    for side in "inputs", "outputs", "training_inputs":
        shapes = {value["name"]: value.get("shape") for value in overview.get(side, {"items": []})["items"]}
        assert shapes | right.get(side, {}) == shapes
    for name, shape in right.get("values", {}).items():
        assert list(np.load(io.BytesIO(cpb.ok("extract", path, name, "-o", "-"))).shape) == shape
    if "tensors" in right:
        items = ask(cpb, path, "variables")["variables"]["items"]
        assert {item["key"]: [item["dtype"], item["shape"]] for item in items} == {
            key: told[:2] for key, told in right["tensors"].items()}
        for key, (_, _, digest) in right["tensors"].items():
            assert hashlib.sha256(values_of(cpb, path, key)).hexdigest() == digest, key
    if "node" in right:
        assert [out["name"] for out in ask(cpb, path, "node", right["node"]["name"])["outputs"]] == right["node"]["outputs"]


@pytest.mark.parametrize("right", RIGHT, ids=[right["file"].split("/")[0] for right in RIGHT])
def test_the_summary_says_so(cpb, right):
    summary = cpb.ok("inspect", "--tsv", CASES / right["file"]).decode()
    for text in (f"parameters\t{right['parameters']}\t", *right.get("summary", [])):
        assert text in summary


def test_a_person_reads_what_there_is(cpb):
    """Where there are no signatures, and no functions, nothing else is offered."""

    def person(name):
        return cpb.ok("inspect", CASES / name, "--width", 100).decode()

    text = person("tf1.meta")
    assert "\nSignatures  none\n" in text and "\nPlaceholders\n  in  Placeholder  f32[]\n" in text
    text = person("upd.mlmodel")
    assert "\n  training  x " in text and " updatable " in text
    assert "\n  state  st " in person("state.mlpackage")


def test_the_place_of_values_is_no_difference(cpb, tmp_path):
    cpb.ok("convert", CASES / "inline.onnx", "-o", tmp_path / "outside.onnx", "--external-data", "--threshold", 16)
    for a, b in [(CASES / "a.onnx", CASES / "b.onnx"), (CASES / "inline.onnx", tmp_path / "outside.onnx")]:
        answer = json.loads(cpb.ok("diff", a, b, "--json"))
        assert answer["equal"] and answer["values"]
