"""Which SavedModels there are to ask about, and asking."""

import json
import pathlib

from conftest import DATA
from support import models, saved_models

RICH = "rich"
CORPUS = ["real_tf_module", "real_keras_export", "real_tf_keras_functional", "real_tf_keras_subclassed"]


def folder_of(name):
    if name in CORPUS:
        return DATA / "cpb" / name / "orig.pb"
    return (saved_models.model(name) if name in ("rich", "v1") else models.model(name)) / "saved_model.pb"


def no_repeated_keys(pairs):
    keys = [key for key, _ in pairs]
    assert len(keys) == len(set(keys)), keys
    return dict(pairs)


def ask(cpb, path, *question, problems=False):
    answer = json.loads(cpb.ok("inspect", path, *question, "--json", "--count", 1000000),
                        object_pairs_hook=no_repeated_keys)
    assert problems or answer["problems"] == []
    return answer


def total(cpb, path):
    """Parameters of the overview, which the layers and the tensors add up to."""
    parameters = ask(cpb, path, "overview")["parameters"]["total"]
    assert sum(layer["parameters"] for layer in ask(cpb, path, "layers")["layers"]["items"]) == parameters
    tensors = ask(cpb, path, "constants")["constants"]["items"]
    assert sum(tensor["parameters"] for tensor in tensors) == parameters
    assert all(tensor["use"] == "weight" for tensor in tensors if tensor["parameters"])
    return parameters


def meta_graph(path, number=0):
    from tensorflow.core.protobuf import saved_model_pb2
    return saved_model_pb2.SavedModel.FromString(pathlib.Path(path).read_bytes()).meta_graphs[number]
