"""Paths to fields, and sizes."""

import random

import pytest
from support.random_messages import random_case

from libcpb.proto_splitter import util


@pytest.mark.parametrize("size, text", [
    (0, "0B"), (1, "1B"), (1023, "1023B"), (1024, "1KiB"), (5632, "5.5KiB"), (53432, "52.18KiB"),
    (76493281, "72.95MiB"), (5.977e7, "57MiB"), (1.074e9, "1GiB"), (16493342281, "15.36GiB"), (3 << 40, "3072GiB")])
def test_sizes_for_people(size, text):
    assert util.format_bytes(size) == text


def filled(testdata):
    many = testdata.ManyFields()
    inner = many.field_one.repeated_field.add()
    inner = many.field_one.repeated_field.add(string_field="deep")
    inner.map_field_uint32[324] = "a value"
    many.map_field_int64[-1345] = "negative"
    many.nested_map_bool[True].string_field = "yes"
    many.nested_map_bool[False].string_field = "no"
    return many


@pytest.mark.parametrize("fields", [["field_one", "repeated_field", 1, "string_field"], [1, 2, 1, 3],
                                    ("field_one", 2, 1, "string_field")])
def test_a_path_by_names_numbers_and_as_a_tuple(testdata, fields):
    value, descriptor = util.get_field(filled(testdata), fields)
    assert (value, descriptor.name) == ("deep", "string_field")


def test_paths_through_maps(testdata):
    many = filled(testdata)
    assert util.get_field(many, ["nested_map_bool", False, "string_field"])[0] == "no"
    assert util.get_field(many, ["field_one", 2, 1, "map_field_uint32", 324])[0] == "a value"
    assert util.get_field(many, ["map_field_int64", -1345])[0] == "negative"
    assert util.get_field(many, "string_field")[0] == ""


@pytest.mark.parametrize("empty", [[], ()])
def test_an_empty_path_is_the_message(testdata, empty):
    many = filled(testdata)
    assert util.get_field(many, empty) == (many, None)
    assert util.get_field_tag(many, empty) == []


@pytest.mark.parametrize("fields", [["nested_map_bool", True], ["nested_map_bool", True, "string_field"],
                                    ["map_field_uint32", 1], ["repeated_field", 3], ["repeated_field", 3, 1, 1]])
def test_asking_for_what_is_not_there_adds_nothing(testdata, fields):
    many = testdata.ManyFields()
    assert util.get_field(many, fields)[0] is None
    util.get_field_tag(many, fields)
    assert many.ByteSize() == 0


def test_tags(testdata):
    def tags(*fields):
        return [str(tag).split() for tag in util.get_field_tag(testdata.ManyFields(), fields)]

    assert tags("field_one", "repeated_field", 15, "map_field_uint32", 10) == [
        ["field:", "1"], ["field:", "2"], ["index:", "15"], ["field:", "5"], ["map_key", "{", "ui32:", "10", "}"]]
    assert tags(2, 0, 7, True, 3)[1:] == [["index:", "0"], ["field:", "7"], ["map_key", "{", "boolean:", "true", "}"],
                                          ["field:", "3"]]
    assert tags("map_field_int64", -1)[1] == ["map_key", "{", "i64:", "-1", "}"]


@pytest.mark.parametrize("fields, error, text", [
    (["field_one", "not_a_field"], KeyError, "Unable to find field 'not_a_field' in .*ManyFields"),
    ([1, 10000], KeyError, "Unable to find field number 10000 in .*ManyFields"),
    (["string_field", 1], ValueError, "Unable to find fields: .* in proto of type .*ManyFields"),
    (["map_field_int64", 5, "x"], ValueError, "map_field_int64.* is no message"),
    ([True], TypeError, "Unexpected bool found in field list"),
    ([1.5], TypeError, "Unexpected float found"),
    (["repeated_field", "first"], TypeError, "repeated_field is repeated, so an index"),
    (["repeated_field", -1], TypeError, "repeated_field is repeated, so an index"),
    (["repeated_field", True], TypeError, "an index follows it, not True"),
    (["nested_map_bool", 1], TypeError, "nested_map_bool is a map with keys of type bool"),
    (["map_field_int64", "k"], TypeError, "map_field_int64 is a map with keys of type int"),
    (["map_field_uint32", -4], ValueError, "map_field_uint32 has no key -4"),
    (["map_field_uint32", 1 << 32], ValueError, "map_field_uint32 has no key"),
])
@pytest.mark.parametrize("ask", [util.get_field, util.get_field_tag])
def test_wrong_paths_say_what_is_wrong(testdata, ask, fields, error, text):
    with pytest.raises(error, match=text):
        ask(testdata.ManyFields(), fields)


@pytest.mark.parametrize("seed", range(20))
def test_sizes_are_those_of_protobuf(type_of, seed):
    """Of messages whose sizes are added up, unknown fields among them."""
    rng = random.Random(seed)
    model = type_of("tensorflow.SavedModel")(saved_model_schema_version=rng.choice([0, 1, 300]))
    for _ in range(rng.randrange(3)):
        meta = model.meta_graphs.add()
        meta.meta_info_def.tags.extend(["serve"] * rng.randrange(3))
        meta.signature_def["s"].inputs["x"].name = "n" * rng.randrange(300)
        for nodes in (meta.graph_def.node, meta.graph_def.library.function.add().node_def):
            for _ in range(rng.randrange(40)):
                nodes.add(name="n" * rng.choice([0, 3, 127, 128, 20000]), op="Const").attr["value"].i = rng.randrange(9)
        meta.graph_def.library.function.add().ret["a"] = "b"
    tail = b"\xfa\x3e\x85\x01" + b"u" * 133 + b"\xf8\x3e\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01" + b"\xfd\x3e1234" \
        + b"\xf9\x3e12345678"
    model.MergeFromString(tail)
    assert util.byte_size(model) == len(model.SerializeToString())


def test_sizes_of_messages_that_protobuf_refuses(monkeypatch):
    """Of every type of field, as if each message were refused."""
    for seed in range(40):
        _, _, message, data, _ = random_case(seed)
        with monkeypatch.context() as patch:
            patch.setattr(util, "_CONTAINERS", Everything())
            assert util.byte_size(message) == len(data), seed


class Everything:
    def __contains__(self, name):
        return True
