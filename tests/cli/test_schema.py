"""`--type` and `--schema`: what is not there, is no schema, or has other types."""

import json

import pytest

from conftest import DATA
from support.riegeli import write
from support.wire import field, varint

SETS = DATA / "schema"
CPB = DATA / "cpb" / "real_frozen_conv" / "max1000_none.cpb"
COMMANDS = [["info", CPB], ["verify", CPB], ["merge", CPB, "-o", "out"], ["cat", CPB, "--field", "node[0]"],
            ["split", CPB.parent / "orig.pb", "-o", "out"], ["recover", CPB, "-o", "out"], ["inspect", CPB],
            ["extract", CPB, "w", "-o", "out"], ["convert", CPB, "-o", "out"]]
each = pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])


def takes(cpb, command, option):
    return f"--{option}" in cpb.ok("help", command).decode()


def refused(cpb, tmp_path, words, code, text):
    result = cpb.run(*words, cwd=tmp_path)
    assert result.returncode == code, result.stderr
    assert text in result.stderr.decode() and result.stdout == b""
    assert not (tmp_path / "out").exists()


@each
def test_a_type_that_is_not_there(cpb, words, tmp_path):
    if not takes(cpb, words[0], "type"):
        pytest.skip("takes no type")
    refused(cpb, tmp_path, [*words, "--type", "no.Such"], 1, "no.Such")


def test_a_type_that_no_model_has(cpb, tmp_path):
    """There are such messages, but no models of the type."""
    for type_ in "no.Such", "tensorflow.NodeDef":
        refused(cpb, tmp_path, ["diff", CPB, CPB, "--type", type_], 2, f"no model is a {type_}; expected tensorflow.SavedModel, ")
        refused(cpb, tmp_path, ["inspect", CPB, "--type", type_], 1, f"no model is a {type_}; expected tensorflow.SavedModel, ")


@each
def test_a_schema_that_lacks_the_type(cpb, words, tmp_path):
    if not takes(cpb, words[0], "schema"):
        pytest.skip("takes no schema")
    options = ["--type", "no.Such", "--schema", SETS / "proto_splitter.fds"]
    refused(cpb, tmp_path, [*words, *options], 1, "no.Such")


@each
def test_a_schema_that_cannot_be_read(cpb, words, tmp_path):
    if not takes(cpb, words[0], "schema"):
        pytest.skip("takes no schema")
    (tmp_path / "text").write_bytes(b"this is no FileDescriptorSet")
    options = [*words, "--type", "tensorflow.GraphDef", "--schema"]
    refused(cpb, tmp_path, [*options, "missing.fds"], 3, "missing.fds: No such file or directory")
    refused(cpb, tmp_path, [*options, "text"], 2, "text: descriptor set: ")


def test_a_schema_that_is_too_large(cpb, graph, tmp_path):
    """By a byte more than 256 MiB, or than the memory limit."""
    with open(tmp_path / "large.fds", "wb") as file:
        file.truncate((256 << 20) + 1)
    words = ["split", graph, "-o", "out", "--schema", "large.fds", "--type", "x.Y"]
    refused(cpb, tmp_path, [*words, "--memory-limit", "4M"], 4, "large.fds: out of memory (--memory-limit 4194304)")
    refused(cpb, tmp_path, words, 4, "the file has more than 268435456 bytes: 268435457")


@pytest.mark.parametrize("schema", [None, SETS / "tensorflow.fds"])
def test_a_schema_is_as_good_as_the_types_built_in(cpb, schema):
    options = ["--schema", schema] if schema else []
    assert cpb.ok("cat", CPB, "--field", "node[0].name", *options) == cpb.ok("cat", CPB, "--field", "1[0].1")
    assert b"tensorflow.GraphDef" in cpb.ok("info", CPB, "--json", *options)
    assert cpb.ok("merge", CPB, "-o", "-", "--type", "tensorflow.GraphDef", *options) == cpb.ok("merge", CPB, "-o", "-")


def chunked(path, *tags, kind=2):
    """A .cpb whose chunk 1, b"v", is at the field tags given."""
    def number(n, value):
        return varint(n << 3) + varint(value)
    infos = b"".join(field(2, number(1, k) + number(2, i) + number(3, 64 + i)) for i, k in enumerate((1, kind)))
    steps = b"".join(field(1, number(1, tag)) for tag in tags)
    path.write_bytes(write([b"", b"v", infos + field(3, number(1, 0) + field(2, steps + field(3, number(1, 1))))]))
    return path


@pytest.mark.parametrize("tags, kind, wanted", [
    ([1], 2, None),  # in each a message or a number
    ([2], 1, "tensorflow.SavedModel"), ([2, 2, 1], 1, "tensorflow.SavedModel"), ([2, 1, 1], 2, "tensorflow.SavedModel"),
    ([1, 1], 2, "tensorflow.GraphDef"), ([4], 1, "tensorflow.GraphDef"),
    ([3], 1, "tensorflow.MetaGraphDef"), ([1, 4], 1, "tensorflow.FunctionDef"),
    ([4], 2, "onnx.ModelProto"), ([7, 5], 1, "onnx.ModelProto"), ([2, 2, 4, 1], 1, None), ([1, 1], 1, None), ([1, 1, 1, 1], 2, None), ([99], 2, None)])
def test_the_type_is_guessed_by_the_fields(cpb, tags, kind, wanted, tmp_path):
    """Of SavedModel, GraphDef, ModelProto, MetaGraphDef and FunctionDef the first that has the chunks' fields, for such chunks."""
    path = chunked(tmp_path / "x.cpb", *tags, kind=kind)
    assert json.loads(cpb.ok("info", path, "--json"))["message"].get("type") == wanted


def test_json_needs_a_type(cpb, tmp_path):
    path = chunked(tmp_path / "x.cpb", 99)
    assert cpb.ok("cat", path, "--field", "99") == b"v"
    refused(cpb, tmp_path, ["cat", path, "--field", "99", "--json"], 1, "--json needs the type of the message")


def test_json_of_a_field_that_is_too_large(cpb, tmp_path):
    """A hole of more than 1 GiB in a file."""
    size = (1 << 30) + 1
    with open(tmp_path / "large.pb", "wb") as file:
        file.write(varint(4 << 3 | 2) + varint(size))
        file.truncate(file.tell() + size)
    words = ["cat", "large.pb", "--field", "4", "--json", "--type", "tensorflow.TensorProto"]
    refused(cpb, tmp_path, words, 4, "large.pb: byte 6: a field of 1073741825 bytes; at most 1073741824 are shown as JSON")
