"""`cpb cat --json` gives the JSON that Google's protobuf library gives: for the
corpus's messages, and for random messages, alone and run together, so that a
parser has to merge them."""

import json
import random
import struct

import pytest
from google.protobuf import json_format

from conftest import DATA, manifest
from support.outlines import restored
from support.messages import schema
from support.random_messages import fill, random_case

CASES = manifest("cpb.manifest.json")


def as_json(cpb, path, *options):
    return json.loads(cpb.ok("cat", path, "--field", "", "--json", *options))


def same(ours, theirs):
    """Equal, floats as floats: theirs are printed to fewer digits where ours are whole."""
    if isinstance(theirs, dict):
        return isinstance(ours, dict) and ours.keys() == theirs.keys() and all(same(ours[k], theirs[k]) for k in ours)
    if isinstance(theirs, list):
        return isinstance(ours, list) and len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(theirs, float) and isinstance(ours, (int, float)):
        return ours == theirs or struct.pack("f", ours) == struct.pack("f", theirs)
    return ours == theirs


def expected(message):
    return json.loads(json_format.MessageToJson(message, preserving_proto_field_name=True))


def typed(type_name):
    name = "proto_splitter.fds" if "proto_splitter" in type_name else "tensorflow.fds"
    return "--type", type_name, "--schema", DATA / "schema" / name


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["case"])
def test_corpus_message(cpb, case):
    original, type_name = DATA / case["orig"]["file"], case["message_type"]
    ours = as_json(cpb, original, *typed(type_name))
    assert same(ours, expected(schema(type_name).parse(original.read_bytes())))


@pytest.mark.parametrize("block", range(10))
def test_random_messages(cpb, block, tmp_path):
    for seed in range(block * 10, block * 10 + 10):
        descriptors, type_name, message, data, _ = random_case(seed)
        other = type(message)()
        fill(random.Random(seed), other, 3, 20)
        (tmp_path / "types.fds").write_bytes(descriptors)
        for bytes_ in (data, data + other.SerializeToString() + data):
            (tmp_path / "message.pb").write_bytes(bytes_)
            ours = as_json(cpb, tmp_path / "message.pb", "--type", type_name, "--schema", tmp_path / "types.fds")
            assert same(ours, expected(type(message).FromString(bytes_))), f"seed {seed}"


def outlined(cpb, path, data, message, most, *options):
    shown = as_json(cpb, path, "--omit", most, *options)
    assert same(restored(shown, message.DESCRIPTOR, data, most), expected(message))
    return json.dumps(shown).count("@omitted")


@pytest.mark.parametrize("block", range(4))
def test_random_outlines(cpb, block, tmp_path):
    """What is omitted and what is shown are the message."""
    omitted = 0
    for seed in range(block * 25, block * 25 + 25):
        descriptors, type_name, message, data, rng = random_case(seed)
        other = type(message)()
        fill(random.Random(seed), other, 3, 20)
        (tmp_path / "types.fds").write_bytes(descriptors)
        data += other.SerializeToString() + data
        (tmp_path / "message.pb").write_bytes(data)
        whole, most = type(message).FromString(data), rng.choice([1, 4, 30, 200])
        omitted += outlined(cpb, tmp_path / "message.pb", data, whole, most, "--type", type_name,
                            "--schema", tmp_path / "types.fds")
    assert omitted > 100


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["case"])
def test_corpus_outline(cpb, case):
    original, type_name = DATA / case["orig"]["file"], case["message_type"]
    data = original.read_bytes()
    outlined(cpb, original, data, schema(type_name).parse(data), 50, *typed(type_name))
