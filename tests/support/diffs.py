"""What `cpb diff` says of two models, and models for it."""

import json

from conftest import DATA
from support import saved_models

CORPUS = ["real_tf_module", "real_keras_export", "real_tf_keras_functional", "real_tf_keras_subclassed"]


def diff(cpb, a, b, *options, damaged=()):
    """`damaged` names the sides of which something cannot be read."""
    result = cpb.run("diff", a, b, "--json", "-n", 1000000, *options)
    answer = json.loads(result.stdout)
    assert list(answer.get("damaged", ())) == list(damaged)
    if damaged:
        assert result.returncode == 2 and not answer["equal"]
        return answer
    assert result.returncode in (0, 1), result.stderr
    assert answer["equal"] == (result.returncode == 0)
    for section in answer["sections"]:
        changes = [d["change"] for d in section["differences"]]
        assert [changes.count(c) for c in ("added", "removed", "changed")] == [
            section["added"], section["removed"], section["changed"]]
    assert answer["equal"] == (answer["a"] == answer["b"] and not differences(answer))
    return answer


def differences(answer):
    """{section and function: {name: what of it}}, where "what" is a change, or {member: (a, b)}."""
    found = {}
    for section in answer["sections"]:
        where = section["section"] + (" " + section["function"] if "function" in section else "")
        for one in section["differences"]:
            what = one["change"]
            if what == "changed":
                what = {m["member"]: (m["a"], m["b"]) if "a" in m else (m["different"], m["of"]) for m in one["members"]}
            found.setdefault(where, {})[one["name"]] = what
    return found


def same(cpb, a, b):
    assert differences(diff(cpb, a, b)) == {}
    assert cpb.ok("diff", a, b).startswith(b"The models are the same")


def path_of(name):
    return DATA / "cpb" / name / "orig.pb" if name in CORPUS else saved_models.model(name)


def saved_model(path):
    from tensorflow.core.protobuf import saved_model_pb2
    path = path / "saved_model.pb" if path.is_dir() else path
    return saved_model_pb2.SavedModel.FromString(path.read_bytes())


def write(tmp_path, message, name="other.pb"):
    path = tmp_path / name
    path.write_bytes(message.SerializeToString(deterministic=True))
    return path


def graph(tmp_path, name, **tensors):
    from tensorflow.core.framework import graph_pb2
    out = graph_pb2.GraphDef()
    for key, tensor in tensors.items():
        node = out.node.add(name=key, op="Const")
        node.attr["value"].tensor.CopyFrom(tensor)
        node.attr["dtype"].type = tensor.dtype
    return write(tmp_path, out, name)
