"""What a function is called with: every kind of StructuredValue, as TensorFlow has written it of Python's values."""

import collections
import math

import pytest

from support import saved_models
from support.asking import ask, meta_graph


def shape(proto):
    return None if proto.unknown_rank else [dim.size if dim.size >= 0 else None for dim in proto.dim]


def dtype(number):
    import tensorflow as tf
    return {"half": "float16"}.get(tf.dtypes.as_dtype(number).name, tf.dtypes.as_dtype(number).name)


def tensor_spec(spec):
    name = {"name": spec.name} if spec.name else {}
    return {"tensor_spec": {**name, "dtype": dtype(spec.dtype), "shape": shape(spec.shape)}}


def number(value):
    return value if math.isfinite(value) else {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN")


# What cpb says of each kind of value.
KINDS = {
    "none_value": lambda value: None,
    "float64_value": number,
    "int64_value": lambda value: value,
    "string_value": lambda value: value,
    "bool_value": lambda value: value,
    "tensor_shape_value": lambda value: {"shape": shape(value)},
    "tensor_dtype_value": lambda value: {"dtype": dtype(value)},
    "tensor_spec_value": tensor_spec,
    "type_spec_value": lambda value: {"type_spec": value.type_spec_class_name, "state": plain(value.type_state)},
    "list_value": lambda value: [plain(element) for element in value.values],
    "tuple_value": lambda value: {"tuple": [plain(element) for element in value.values]},
    "dict_value": lambda value: {"dict": {key: plain(value.fields[key]) for key in value.fields}},
    "named_tuple_value": lambda value: {"named_tuple": value.name,
                                        "fields": {pair.key: plain(pair.value) for pair in value.values}},
}


def plain(value):
    kind = value.WhichOneof("kind")
    return KINDS[kind](getattr(value, kind)) if kind else None


def kinds_in(value, found):
    if isinstance(value, dict):
        found.update(key for key in value if key in ("tuple", "dict", "named_tuple", "type_spec", "tensor_spec", "shape", "dtype"))
    for element in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
        kinds_in(element, found)


def test_arguments_and_results_are_those_of_the_concrete_functions(cpb):
    path = saved_models.model("arguments") / "saved_model.pb"
    found = set()
    for name, concrete in meta_graph(path).object_graph_def.concrete_functions.items():
        said = ask(cpb, path, "function", name)
        assert said["returns"] == plain(concrete.output_signature)
        if not concrete.canonicalized_input_signature.WhichOneof("kind"):
            continue
        positional, keywords = concrete.canonicalized_input_signature.tuple_value.values
        keywords = plain(keywords)["dict"]
        values = [argument["value"] for argument in said["arguments"]]
        assert values == plain(positional)["tuple"] + [keywords[key] for key in sorted(keywords)]
        kinds_in(values, found)
    assert found == {"tuple", "dict", "named_tuple", "type_spec", "tensor_spec", "shape", "dtype"}


def test_arguments_have_the_names_that_python_gives_them(cpb):
    path = saved_models.model("arguments") / "saved_model.pb"
    traces = collections.defaultdict(list)
    for item in ask(cpb, path, "functions")["functions"]["items"]:
        said = ask(cpb, path, "function", item["name"])
        for place in said["objects"]:
            traces[place["path"]].append([argument["name"] for argument in said["arguments"]])
    assert sorted(traces["root.every"]) == [
        ["first", "second", "alpha", "keyword", "other", "zed"], ["first", "second", "keyword", "other"],
        ["first", "second", "rest_0", "rest_1", "keyword", "other"]]
    assert traces["root.nest"] and all(names == ["value"] for names in traces["root.nest"])


@pytest.mark.parametrize("layout", ["remote", "compat"])
def test_a_cpb_says_the_same_of_every_function(cpb, tmp_path, layout):
    path = saved_models.model("arguments") / "saved_model.pb"
    cpb.ok("split", path, "-o", tmp_path / "saved_model.cpb", "--layout", layout, "--max-chunk-size", 3000)
    for item in ask(cpb, path, "functions")["functions"]["items"]:
        assert ask(cpb, tmp_path / "saved_model.cpb", "function", item["name"]) == ask(cpb, path, "function", item["name"])
