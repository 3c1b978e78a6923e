"""cpb records: only some fields, and records by their numbers."""

import json

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.json_format import MessageToDict

from conftest import DATA

RECORDS = DATA / "records"
KINDS = ["tr_nodedef_zstd", "tr_nodedef_snappy", "tr_nodedef_uncompressed", "tr_nodedef_brotli", "simple_nodedef_big_brotli"]


@pytest.fixture(scope="module")
def node_def():
    """What a NodeDef has, as far as the tests look at it; the rest are unknown fields."""
    file = descriptor_pb2.FileDescriptorProto(name="records_test.proto", package="records_test", syntax="proto3")
    node = file.message_type.add(name="Node")
    for number, name in enumerate(["name", "op"], 1):
        node.field.add(name=name, number=number, type=9, label=1)
    node.field.add(name="input", number=3, type=9, label=3)
    node.field.add(name="device", number=4, type=9, label=1)
    node.field.add(name="attr", number=5, type=11, label=3, type_name=".records_test.Entry")
    entry = file.message_type.add(name="Entry")
    entry.field.add(name="key", number=1, type=9, label=1)
    entry.field.add(name="value", number=2, type=12, label=1)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("records_test.Node"))


def raw_records(cpb, path, rows):
    return [cpb.ok("cat", path, "--position", row["position"]) for row in rows]


@pytest.mark.parametrize("kind", KINDS)
def test_fields_are_those_of_protobuf(cpb, node_def, kind):
    path = RECORDS / f"{kind}.riegeli"
    typed = ["--type", "tensorflow.NodeDef"]
    whole, _, _, _ = cpb.records(path, "--limit", "8")
    some, _, _, _ = cpb.records(path, "--limit", "8", *typed, "--fields", "op,attr.key,input")
    for row, shown, raw in zip(whole, some, raw_records(cpb, path, whole), strict=True):
        node = node_def.FromString(raw)
        node.ClearField("name")
        node.ClearField("device")
        for entry in node.attr:
            entry.ClearField("value")
        assert shown["size"] == len(node.SerializeToString(deterministic=True))
        assert shown["position"] == row["position"]
        expected = MessageToDict(node)
        expected.pop("attr", None)
        assert {k: v for k, v in shown["record"].items() if k != "attr"} == expected
        assert set(shown["record"].get("attr", {})) == {entry.key for entry in node.attr}


def test_fields_by_number_are_those_by_name(cpb):
    path = RECORDS / "tr_nodedef_zstd.riegeli"
    by_number = cpb.ok("records", path, "--fields", "2,5.1,3", "--sha256")
    assert by_number == cpb.ok(
        "records", path, "--type", "tensorflow.NodeDef", "--fields", "op,attr.key,input", "--sha256"
    )
    assert by_number != cpb.ok("records", path, "--sha256")


@pytest.mark.parametrize(
    "options, words",
    [
        (["--fields", "name"], 'fields at character 1: "name" is a name; expected a number'),
        (["--type", "tensorflow.NodeDef", "--fields", "op,nme"], 'fields at character 4: tensorflow.NodeDef has no field "nme"'),
        (["--type", "tensorflow.NodeDef", "--fields", "input[1]"], "expected a field, not an element"),
        (["--fields", "1,"], "expected a field"),
        (["--at", "2:x"], "--at: expected numbers of records"),
        (["--at", ""], "--at: expected numbers of records"),
        (["--at", "1", "--position", "64"], "expected --at or --position"),
    ],
)
def test_values_that_are_no_lists_are_refused(cpb, options, words):
    result = cpb.run("records", RECORDS / "tr_nodedef_zstd.riegeli", *options)
    assert result.returncode == 1 and words in result.stderr.decode()
    assert result.stdout == b""


def test_records_by_number(cpb):
    path = RECORDS / "tr_protos_zstd_small_chunks.riegeli"
    every, _, _, _ = cpb.records(path)
    count = len(every)
    for text, numbers in {
        "0": [0],
        "-1": [count - 1],
        "7,3": [3, 7],
        "-2:,1:3": [1, 2, count - 2, count - 1],
        f"{count - 1}:{count + 9}": [count - 1],
        f"{count}": [],
        "4:4": [],
        ":2": [0, 1],
    }.items():
        rows, _, last, _ = cpb.records(path, f"--at={text}")
        assert rows == [every[number] | {"number": number} for number in numbers], text
        assert last == {"status": "OK"}
    assert cpb.records(path, "--at", ":", "--limit", "2")[0] == [every[n] | {"number": n} for n in (0, 1)]


def test_numbers_are_found_in_a_pipe(cpb):
    path = RECORDS / "simple_snappy.riegeli"
    rows, _, _, _ = cpb.records(path, "--at", "5,300")
    piped = cpb.ok("records", "-", "--at", "5,300", "--json", "--sha256", input=path.read_bytes())
    assert [json.loads(line) for line in piped.splitlines()][:2] == rows
