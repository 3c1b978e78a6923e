"""Facts of models as people have them: the command's answers, and those of the JavaScript package
that the page shows, against TensorFlow's. Run it with -s to see the table of how many were compared."""

import collections
import hashlib
import io
import json
import math
import shutil
import subprocess

import numpy as np
import pytest

from conftest import ROOT
from support import fact_models, facts
from support.samediff import FILES, FOLDER

ASK = ROOT / "web" / "test" / "support" / "ask.js"
ROUNDED = ("low", "high", "mean", "deviation")


# --- Two ways to ask ------------------------------------------------------------------------


def by_command(cpb, path, asked):
    """Answers in the order of the questions."""
    def answer(question, name=None, scope=None, metaGraph=0):
        words = [question, *([] if name is None else [name]), "--meta-graph", metaGraph]
        words += [] if scope is None else ["--scope", scope]
        return json.loads(cpb.ok("inspect", path, *words, "--json", "--count", 10**9))

    return [values_by_command(cpb, path, a["values"]) if "values" in a else answer(**a) for a in asked]


def values_by_command(cpb, path, tensor):
    where = ["--variable", tensor["variable"]] if "variable" in tensor else [tensor["node"]]
    scope = tensor.get("function") or tensor.get("tag")
    where += ["--scope", scope] if scope else []
    where += ["--meta-graph", tensor["metaGraph"]] if tensor.get("metaGraph") else []
    array = np.load(io.BytesIO(cpb.ok("extract", path, *where, "-o", "-")))
    said = {"shape": list(array.shape), "sha256": hashlib.sha256(array.tobytes()).hexdigest()}
    if array.dtype.kind in "fiub":
        values = array.astype(np.float64)
        said |= {"low": values.min(), "high": values.max(), "mean": values.mean(), "deviation": values.std(),
                 "first": values.ravel()[:8].tolist()}
    return said


def by_page(_, path, asked):
    file = path / "saved_model.pb" if path.is_dir() else path
    node = shutil.which("node")
    result = subprocess.run([node, str(ASK), str(file)], input=json.dumps(asked).encode(), stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, timeout=300)
    assert result.returncode == 0, result.stderr.decode()
    return json.loads(result.stdout)


WAYS = {"command": by_command, "page": by_page}


@pytest.fixture(params=WAYS)
def ask(request, cpb):
    if request.param == "page" and not (ROOT / "web/src/wasm/inspect.wasm").exists():
        pytest.skip("web/src/wasm/inspect.wasm is not there: web/build.sh makes it")
    answers = lambda path, asked: WAYS[request.param](cpb, path, asked)  # noqa: E731
    answers.way = request.param
    return answers


# --- Our answers as facts -------------------------------------------------------------------


def of_overview(o):
    graph = o["meta_graphs"]["items"][o["meta_graph"]]
    yield "tags", sorted(graph["tags"])
    yield "TensorFlow", graph.get("tensorflow_version", "")
    yield "signatures", [s["key"] for s in o["signatures"]["items"]]
    for signature in o["signatures"]["items"]:
        for side in ("inputs", "outputs"):
            for t in signature[side]:
                yield f"signature {signature['key']}, {side} {t['name']}", [t["tensor"], t["dtype"], t["shape"]]
    if o["objects"]:
        yield "objects", o["objects"]["total"]
        yield "concrete functions", o["concrete_functions"]


def of_ops(answer):
    yield "nodes", answer["nodes"]
    yield "functions", answer["functions"]
    yield "nodes of functions", answer["function_nodes"]
    yield "kinds of operations", answer["ops"]["total"]
    yield "custom operations", sorted(o["op"] for o in answer["ops"]["items"] if o["from"] == "custom")
    for o in answer["ops"]["items"]:
        yield f"operation {o['op']}", [o["in_graph"], o["in_functions"]]


def of_functions(answer):
    for f in answer["functions"]["items"]:
        yield f"function {f['name']}", [f["nodes"], f["inputs"], f["outputs"], f["calls"], f["called_by"]]


def of_constants(answer):
    items = answer["constants"]["items"]
    yield "constants", answer["constants"]["total"]
    yield "bytes of constants as they are in memory", sum(c["size"] for c in items if c.get("field") == "tensor_content")
    for kind, number in collections.Counter(json.dumps([c["dtype"], c["shape"]]) for c in items).items():
        yield f"constants of {kind}", number


def of_variables(answer):
    for v in answer["variables"]["items"]:
        if v["node"] is not None and v["kind"] == "variable":
            yield f"object {v['node']}, a variable", [v["name"], v["dtype"], v["shape"], v["trainable"]]


def of_stored(answer):
    stored = {v["key"]: v["stored"] for v in answer["variables"]["items"] if v["stored"]}
    yield "variables", answer["checkpoint"]["tensors"]
    yield "bytes of variables", answer["checkpoint"]["size"]
    for key, s in stored.items():
        yield f"variable {key}", [s["dtype"], s["shape"], s["size"]]


def of_signature(answer):
    """As it is called once it is loaded."""
    takes = {i["name"]: {key: i[key] for key in ("name", "dtype", "shape")} for i in answer["inputs"]}
    assert sorted(answer["wrapper"]["argument_keywords"]) == sorted(takes)
    yield f"signature {answer['key']}, takes", takes
    yield f"signature {answer['key']}, gives", {o["name"]: o["dtype"] for o in answer["outputs"]}


def simple(value):
    """Arguments as support/facts.py has them: of types that are made of several, their name."""
    if isinstance(value, dict) and "type_spec" in value:
        return {"type_spec": value["type_spec"]}
    if isinstance(value, dict):
        return {k: simple(v) for k, v in value.items() if k == "tensor_spec" or "tensor_spec" not in value}
    return [simple(one) for one in value] if isinstance(value, list) else value


def of_methods(methods, answers):
    """Functions of the root, each with what its concrete functions take."""
    taken = {f["name"]: [simple(a["value"]) for a in f["arguments"]] for f in answers}
    for name, concrete in methods.items():
        yield f"method {name}", sorted((taken[f] for f in concrete), key=json.dumps)


def of_keras(summary):
    trainable = summary["trainable_parameters"]
    yield "Keras: parameters", [summary["parameters"], trainable, summary["parameters"] - trainable]


def of_layers(answer):
    for layer in answer["layers"]["items"]:
        if layer["parent"] == 0:
            yield f"Keras: layer {layer['name']}", [layer["class"], layer["parameters"], layer["input_shape"]]


def of_weights(answer):
    """Of an export of Keras 3, which stores each weight twice and names it LAYER/.../WEIGHT."""
    weights = {v["name"]: v for v in answer["variables"]["items"]}
    count = {name: math.prod(v["shape"]) for name, v in weights.items()}
    trainable = sum(count[name] for name, v in weights.items() if v["trainable"])
    yield "Keras: parameters", [sum(count.values()), trainable, sum(count.values()) - trainable]
    yield "Keras: weights", len(weights)
    for layer in {name.split("/")[0] for name in weights}:
        yield f"Keras: layer {layer}", sum(n for name, n in count.items() if name.split("/")[0] == layer)


def of_tag(answer):
    """A graph of a SameDiff file, and what training needs."""
    yield "variables", answer["variables"]["total"]
    yield "operations", answer["nodes"]["total"]
    yield "placeholders", answer["placeholders"]
    yield "losses", answer["loss_variables"]
    yield "training", answer["training_config"]
    for v in answer["variables"]["items"]:
        yield f"variable {v['name']}", [v["kind"], v["dtype"], v["shape"]]
    for op in answer["nodes"]["items"]:
        arguments = op["arguments"]
        yield f"operation {op['name']}", [op["op"], op["inputs"], [one["name"] for one in op["outputs"]], arguments["integers"], arguments["doubles"]]
    for u in answer["updater_state"]["items"]:
        yield f"updater of {u['parameter']}", [state["entry"] for state in u["states"]]


# --- What is asked --------------------------------------------------------------------------

OF_A_META_GRAPH = {"overview": of_overview, "ops": of_ops, "functions": of_functions, "constants": of_constants,
                   "variables": of_variables}


def said_of_meta_graph(ask, path, truth, number):
    """The facts, and the answers by their questions."""
    prefix = f"meta graph {number}: "
    asked = [{"question": question, "metaGraph": number} for question in OF_A_META_GRAPH]
    answers = dict(zip(OF_A_META_GRAPH, ask(path, asked), strict=True))
    said = {prefix + key: value for question, of in OF_A_META_GRAPH.items() for key, value in of(answers[question])}
    constants = {f"{prefix}constant {c['function'] or ''}/{c['node']}": {**c, "metaGraph": number}
                 for c in answers["constants"]["constants"]["items"]}
    return said | values_said(ask, path, truth, constants), answers


def values_said(ask, path, truth, tensors):
    """Of those of which TensorFlow was asked."""
    known = [key for key in tensors if key in truth]
    return dict(zip(known, ask(path, [{"values": tensors[key]} for key in known]), strict=True))


def said_of_checkpoint(ask, path, truth, answer):
    stored = {f"values of {v['key']}": {"variable": v["key"], "dtype": v["dtype"], "shape": v["shape"]}
              for v in answer["variables"]["items"]}
    return dict(of_stored(answer)) | values_said(ask, path, truth, stored)


def said_of_objects(ask, path, answers):
    """What is called from Python: signatures, and functions of the root."""
    (root,) = ask(path, [{"question": "objects", "name": "root"}])
    methods = {c["child"]: c["concrete_functions"] for c in root["children"]["items"] if c["kind"] == "function"}
    signatures = [s["key"] for s in answers["overview"]["signatures"]["items"] if s["method"]]
    concrete = sorted(set().union(*methods.values()))
    found = ask(path, [{"question": "signature", "name": key} for key in signatures] +
                [{"question": "function", "name": name} for name in concrete])
    return dict(one for answer in found[:len(signatures)] for one in of_signature(answer)) | {
        "signatures when loaded": signatures} | dict(of_methods(methods, found[len(signatures):]))


def said_of(ask, path, truth):
    said, answers = said_of_meta_graph(ask, path, truth, 0)
    overview = answers["overview"]
    for number in range(1, overview["meta_graphs"]["total"]):
        said |= said_of_meta_graph(ask, path, truth, number)[0]
    said["tag sets"] = sorted(sorted(g["tags"]) for g in overview["meta_graphs"]["items"])
    if answers["variables"]["checkpoint"]:
        said |= said_of_checkpoint(ask, path, truth, answers["variables"])
    if "signatures when loaded" in truth:
        said |= said_of_objects(ask, path, answers)
    if overview["keras"]:
        said |= dict(of_keras(overview["keras"])) | dict(of_layers(ask(path, [{"question": "layers"}])[0]))
    elif "Keras: weights" in truth:
        said |= dict(of_weights(answers["variables"]))
    return said


def said_of_zip(ask, path):
    """Of a SameDiff file, by its tags."""
    (overview,) = ask(path, [{"question": "overview"}])
    tags = [t["tag"] for t in overview["tags"]["items"]]
    said = {"tags": tags, "default tag": overview["default_tag"]}
    for tag, answer in zip(tags, ask(path, [{"question": "tag", "name": tag} for tag in tags]), strict=True):
        said |= {f"{tag}: {key}": value for key, value in of_tag(answer)}
        parameters = [p["node"] for p in answer["constants"]["items"]]
        values = ask(path, [{"values": {"node": name, "tag": tag}} for name in parameters])
        said |= {f"{tag}: values of {name}": value for name, value in zip(parameters, values, strict=True)}
    return said


# --- Comparing ------------------------------------------------------------------------------


def close(value, said):
    return math.isclose(value, said, rel_tol=1e-9, abs_tol=1e-12)


def same(value, said):
    if not (isinstance(value, dict) and "sha256" in value):
        return value == said
    if "first" in value and value["first"] != said["first"][:8]:
        return False
    exact, rounded = ("shape", "sha256"), [key for key in ROUNDED if key in value]
    return all(value[k] == said[k] for k in exact) and all(close(value[k], said[k]) for k in rounded)


def compare(name, way, truth, said):
    different = {key: (value, said.get(key)) for key, value in truth.items()
                 if key not in said or not same(value, said[key])}
    more = [key for key in said if key not in truth and key.split(": ", 1)[-1].startswith(COMPLETE)]
    print(f"\n{name:16} {way:8} {len(truth):5} facts, {len(different) + len(more)} differ", end="")
    assert not different and not more


# Of these, what TensorFlow does not have must not be there.
COMPLETE = ("signature ", "operation ", "function ", "constants of ", "object ", "variable ", "method ")


@pytest.mark.parametrize("name", fact_models.NAMES)
def test_facts_are_those_of_tensorflow(ask, name):
    truth = facts.facts_of(name)
    compare(name, ask.way, truth, said_of(ask, fact_models.folder_of(name), truth))


def test_facts_are_those_of_nd4j(ask):
    (truth,) = [f["truth"] for f in FILES if f["file"] == "three_tags.zip"]
    compare("three_tags", ask.way, facts.of_samediff(truth), said_of_zip(ask, FOLDER / "three_tags.zip"))


# --- The summary, as a program gets it ----------------------------------------------------------

SHORT = {"float32": "f32", "float64": "f64", "int32": "i32", "int64": "i64", "invalid": "invalid"}


def brief(dtype, shape):
    sizes = "*" if shape is None else ",".join("?" if n is None else str(n) for n in shape)
    return f"{SHORT.get(dtype, dtype)}[{sizes}]"


def shown_of(truth, overview):
    """Lines that the summary must have, of the facts of the first meta graph."""
    facts_of_first = {key.removeprefix("meta graph 0: "): value for key, value in truth.items()}
    for key, value in facts_of_first.items():
        what, _, name = key.partition(" ")
        if what == "operation":
            source = "custom" if name in facts_of_first["custom operations"] else "tensorflow"
            yield "op", name, str(sum(value)), source
        elif key.startswith("Keras: layer ") and isinstance(value, list):
            shapes = value[2] if value[2] and isinstance(value[2][0], list) else [value[2]]
            yield "layer", key.removeprefix("Keras: layer "), value[0], " ".join(brief("", s) for s in shapes), str(value[1])
    for signature in overview["signatures"]["items"]:
        for side in ("inputs", "outputs"):
            for tensor in signature[side] if signature["key"] == "serving_default" else []:
                _, dtype, shape = facts_of_first[f"signature serving_default, {side} {tensor['name']}"]
                yield side[:-1], "serving_default", tensor["name"], brief(dtype, shape)
    if "Keras: parameters" in truth:
        yield "count", "parameters", str(truth["Keras: parameters"][0])
        yield "count", "trainable_parameters", str(truth["Keras: parameters"][1])


@pytest.mark.parametrize("name", [name for name in fact_models.NAMES if name != "v1"])
def test_the_summary_has_the_facts_of_tensorflow(cpb, name):
    truth, folder = facts.facts_of(name), fact_models.folder_of(name)
    lines = [tuple(line.split("\t")) for line in cpb.ok("inspect", "--tsv", folder).decode().splitlines()]
    counts = collections.Counter(line[0] for line in lines)
    assert counts["op"] == truth["meta graph 0: kinds of operations"]
    assert counts["constant"] == truth["meta graph 0: constants"]
    assert counts["variable"] == sum(key.endswith(", a variable") for key in truth)
    shown = set(shown_of(truth, json.loads(cpb.ok("inspect", folder, "--json"))))
    found = {line[:n] for line in lines for n in (3, 4, 5)}
    print(f"\n{name:16} summary  {len(shown) + 3:5} facts, {len(shown - found)} differ", end="")
    assert not shown - found
