"""What `saved_model_cli show` says of a model is what cpb inspect says of it."""

import ast
import contextlib
import functools
import io
import re
import shutil

import pytest

from support.asking import CORPUS, ask, folder_of


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """A model's folder, and what the program prints of it; to start it takes long."""
    from tensorflow.python.tools import saved_model_cli

    @functools.cache
    def show(name):
        out, folder = io.StringIO(), tmp_path_factory.mktemp(name)
        if name in CORPUS:
            shutil.copy(folder_of(name), folder / "saved_model.pb")
        else:
            folder = folder_of(name).parent
        with contextlib.redirect_stdout(out):
            saved_model_cli._show_all(str(folder))
        return folder, out.getvalue()

    return show


# --- Our answers as it writes them -----------------------------------------------------


def dtype(name):
    import tensorflow as tf
    from tensorflow.core.framework import types_pb2
    number = 0 if name == "invalid" else tf.dtypes.as_dtype(name).as_datatype_enum
    return types_pb2.DataType.Name(number)


def shape(sizes):
    return "unknown_rank" if sizes is None else f"({', '.join('-1' if n is None else str(n) for n in sizes)})"


def signature_lines(signature):
    for side in ("input", "output"):
        yield f"The given SavedModel SignatureDef contains the following {side}(s):"
        for tensor in signature[side + "s"]:
            yield f"  {side}s['{tensor['name']}'] tensor_info:"
            yield f"      dtype: {dtype(tensor['dtype'])}"
            yield f"      shape: {shape(tensor['shape'])}"
            yield f"      name: {tensor['tensor']}"
    yield f"Method name is: {signature['method']}"


def stripped(text):
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def signatures_of(cpb, path, number):
    return ask(cpb, path, "--meta-graph", number)["signatures"]["items"]


# --- Signatures ------------------------------------------------------------------------


def blocks(text):
    """What is said of each meta graph, by its tags."""
    parts = re.split(r"^MetaGraphDef with tag-set: '(.*)' contains the following SignatureDefs:$", text, flags=re.M)
    return {frozenset(tags.split(", ")): block for tags, block in zip(parts[1::2], parts[2::2], strict=True)}


@pytest.mark.parametrize("name", [*CORPUS, "rich", "v1"])
def test_signatures_are_shown_with_the_same_facts(cpb, shown, name):
    folder, text = shown(name)
    said = blocks(text)
    graphs = ask(cpb, folder)["meta_graphs"]["items"]
    assert {frozenset(graph["tags"]) for graph in graphs} == set(said)
    for graph in graphs:
        signatures, rest = said[frozenset(graph["tags"])].split("The MetaGraph with tag set")
        assert stripped(signatures) == [
            line.rstrip() for signature in signatures_of(cpb, folder, graph["number"])
            for line in (f"signature_def['{signature['key']}']:", *("  " + line for line in signature_lines(signature)))]
        ops = ask(cpb, folder, "ops", "--meta-graph", graph["number"])["ops"]["items"]
        said_ops = ast.literal_eval(re.search(r"contains the following ops: (.*)", rest)[1])
        # Of functions, it goes through those that are called by their names only.
        assert {op["op"] for op in ops if op["in_graph"]} <= said_ops <= {op["op"] for op in ops}


# --- Functions -------------------------------------------------------------------------


def shown_functions(text):
    """How many ways there are to call each, and the tensors it then takes."""
    _, *parts = re.split(r"^  Function Name: '(.*)'$", text, flags=re.M)
    for name, block in zip(parts[::2], parts[1::2], strict=True):
        specs = re.findall(r"^ +(\w+: TensorSpec\(.*\))$", block, flags=re.M)
        yield name, (len(re.findall(r"Option #", block)), sorted(specs))


def spec_text(argument):
    spec = argument["value"]["tensor_spec"]
    return f"{spec['name']}: TensorSpec(shape={tuple(spec['shape'])}, dtype=tf.{spec['dtype']}, name='{spec['name']}')"


def our_functions(cpb, folder):
    for child in ask(cpb, folder, "objects", "root")["children"]["items"]:
        if child["kind"] != "function" or not child["concrete_functions"]:
            continue
        calls = [ask(cpb, folder, "function", name)["arguments"] for name in child["concrete_functions"]]
        specs = [spec_text(a) for call in calls for a in call
                 if isinstance(a["value"], dict) and "tensor_spec" in a["value"]]
        yield child["child"], (len(calls), sorted(specs))


@pytest.mark.parametrize("name", ["rich", "real_tf_module", "real_keras_export"])
def test_functions_are_called_with_the_same_tensors(cpb, shown, name):
    folder, text = shown(name)
    said = dict(shown_functions(text))
    assert said and dict(our_functions(cpb, folder)) == said
