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


def bare(value):
    """Without what is said of the tensors that the values are."""
    if isinstance(value, list):
        return [bare(element) for element in value]
    if not isinstance(value, dict):
        return value
    names = {"argument", "arguments", "input", "inputs"} if "tensor_spec" in value or "type_spec" in value else set()
    return {key: bare(element) for key, element in value.items() if key not in names}


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
        values = [bare(argument["value"]) for argument in said["arguments"]]
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


# --- Which tensors the values are ----------------------------------------------------------------


@pytest.fixture(scope="module")
def nested(tmp_path_factory):
    """Arguments whose tensors are called d, d_1 and d_2, in another order by the signature than by the function."""
    import tensorflow as tf

    class Nested(tf.Module):
        def __init__(self):
            self.v = tf.Variable(2.0)

        @tf.function(input_signature=[{"b": tf.TensorSpec([None]), "a": (tf.TensorSpec([2]), [tf.TensorSpec([])])},
                                      tf.TensorSpec([3], name="Zed"), tf.TensorSpec([2])])
        def tree(self, d, c, e):
            return {"b": d["b"] * self.v, "a0": d["a"][0] + 1, "a1": d["a"][1][0] + 2, "c": c + 3, "e": e + 4}

        @tf.function(input_signature=[tf.SparseTensorSpec([None, 5]), tf.RaggedTensorSpec([None, None, None], tf.int64, 2),
                                      tf.TensorSpec([])])
        def composite(self, sparse, ragged, x):
            return tf.sparse.to_dense(sparse) * x * self.v

    out = tmp_path_factory.mktemp("nested")
    module = Nested()
    module.composite.get_concrete_function()
    tf.saved_model.save(module, str(out), signatures={"tree": module.tree})
    return out


def leaves(value, at=()):
    """Each value with an "argument" or "arguments", and the keys and indices that lead to it."""
    if isinstance(value, list):
        for i, element in enumerate(value):
            yield from leaves(element, (*at, i))
    elif isinstance(value, dict) and ("argument" in value or "arguments" in value):
        yield at, value
    elif isinstance(value, dict):
        for key, element in (value.get("dict") or value.get("fields") or {}).items():
            yield from leaves(element, (*at, key))
        yield from leaves(value.get("tuple", []), at)


def test_each_leaf_says_which_input_of_the_signature_it_is(cpb, nested):
    """The function called with a structure gives what the signature gives, called by the names that we say."""
    import tensorflow as tf
    loaded = tf.saved_model.load(str(nested))
    structure = [{"b": tf.constant([1.0, 2.0]), "a": (tf.constant([3.0, 4.0]), [tf.constant(5.0)])},
                 tf.constant([6.0, 7.0, 8.0]), tf.constant([9.0, 10.0])]
    said = ask(cpb, nested, "signature", "tree")
    named = {}
    for i, argument in enumerate(said["function"]["arguments"]):
        for path, leaf in leaves(argument["value"]):
            value = structure[i]
            for step in path:
                value = value[step]
            named[leaf["input"]] = value
    assert sorted(named) == [tensor["name"] for tensor in said["inputs"]] and {"d", "d_1", "d_2"} < set(named)
    ours, theirs = loaded.signatures["tree"](**named), loaded.tree(*structure)
    assert all((ours[key].numpy() == theirs[key].numpy()).all() for key in theirs)


def test_each_result_says_which_output_of_the_signature_it_is(cpb, nested):
    said = ask(cpb, nested, "signature", "tree")
    outputs = {item["name"]: item for item in ask(cpb, nested, "function", said["function"]["name"])["outputs"]}
    results = {result["output"]: outputs[result["name"]] for result in said["function"]["results"]}
    # Each is another of the function's, in the order in which TensorFlow flattens a dict.
    assert sorted(results) == sorted(tensor["name"] for tensor in said["outputs"])
    assert [results[key]["name"] for key in sorted(results)] == list(outputs)


def test_each_leaf_says_which_argument_of_the_function_it_is(cpb, nested):
    function = ask(cpb, nested, "signature", "tree")["function"]
    inputs = {item["name"]: item for item in ask(cpb, nested, "function", function["name"])["inputs"]}
    captured = {capture["argument"] for capture in function["captures"]}
    found = [leaf for argument in function["arguments"] for _, leaf in leaves(argument["value"])]
    assert [leaf["argument"] for leaf in found] == [name for name in inputs if name not in captured]
    assert all(leaf["tensor_spec"]["dtype"] == inputs[leaf["argument"]]["dtype"] for leaf in found)


def test_composite_values_are_several_arguments(cpb, nested):
    name, = [item["name"] for item in ask(cpb, nested, "functions")["functions"]["items"] if "composite" in item["name"]]
    said = ask(cpb, nested, "function", name)
    sparse, ragged, x = [argument["value"] for argument in said["arguments"]]
    names = [item["name"] for item in said["inputs"]]
    assert sparse["arguments"] + ragged["arguments"] + [x["argument"]] == names[:7]
    assert (len(sparse["arguments"]), len(ragged["arguments"])) == (3, 3) and "inputs" not in sparse


def test_arguments_of_all_kinds_are_those_of_the_function_or_none_are_named(cpb):
    path = saved_models.model("arguments") / "saved_model.pb"
    told = 0
    for item in ask(cpb, path, "functions")["functions"]["items"]:
        said = ask(cpb, path, "function", item["name"])
        names = []
        for argument in said["arguments"]:
            for _, leaf in leaves(argument["value"]):
                names += leaf["arguments"] if "arguments" in leaf else [leaf["argument"]]
        inputs = [tensor["name"] for tensor in said["inputs"]][:len(said["inputs"]) - len(said["captures"])]
        assert names in (inputs, [])
        told += bool(names)
    assert told > 5
