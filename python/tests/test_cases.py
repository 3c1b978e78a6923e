"""What is right about small models that people met (tests/data/cases.json), as the package says it."""

import hashlib
import json
import pathlib

import pytest

import libcpb

CASES = pathlib.Path(__file__).resolve().parents[2] / "tests/data/cases"
RIGHT = json.loads(CASES.with_suffix(".json").read_text())


@pytest.mark.parametrize("right", RIGHT, ids=[right["file"].split("/")[0] for right in RIGHT])
def test_facts(right):
    with libcpb.open_model(CASES / right["file"]) as model:
        overview = model.overview()
        counts = {layer["name"]: layer["parameters"] for layer in model.layers()["layers"]["items"]}
        assert overview["parameters"]["total"] == sum(counts.values()) == right["parameters"]
        assert counts | right.get("layers", {}) == counts
        for name, shape in right.get("values", {}).items():
            assert list(model.array(name).shape) == shape
        if "tensors" in right:
            items = model.variables()["variables"]["items"]
            assert {item["key"]: [item["dtype"], item["shape"]] for item in items} == {
                key: told[:2] for key, told in right["tensors"].items()}
            for key, (_, _, digest) in right["tensors"].items():
                assert hashlib.sha256(model.values(key).data).hexdigest() == digest, key
        if "node" in right:
            assert [out["name"] for out in model.node(right["node"]["name"])["outputs"]] == right["node"]["outputs"]


def test_the_place_of_values_is_no_difference():
    with libcpb.open_model(CASES / "a.onnx") as a, libcpb.open_model(CASES / "b.onnx") as b:
        assert libcpb.diff(a, b)["equal"]
