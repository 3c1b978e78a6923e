"""Messages: every range, chunk and field is what Google's protobuf library makes of the same bytes."""

import hashlib
import io
import json
import pathlib

import pytest
from google.protobuf import json_format

import libcpb
from support.messages import schema

DATA = pathlib.Path(__file__).resolve().parents[2] / "tests/data"
CASES = json.loads((DATA / "cpb.manifest.json").read_text())
VARIANTS = [pytest.param(case, variant, id=f"{case['case']}-{variant['name']}")
            for case in CASES for variant in case["variants"] if "file" in variant]
def descriptors(type_name):
    name = "proto_splitter.fds" if "proto_splitter" in type_name else "tensorflow.fds"
    return libcpb.Schema((DATA / "schema" / name).read_bytes())


@pytest.mark.parametrize("case, variant", VARIANTS)
def test_merged_as_tensorflow_merges_it(case, variant, tmp_path):
    """Whole, in ranges, into a file, and from chunks in memory."""
    how = {"schema": descriptors(case["message_type"]), "type_name": case["message_type"]}
    path = DATA / variant["file"]
    with libcpb.open(path, **how) as message:
        data = message.read()
        parse = schema(case["message_type"]).parse
        original = case["orig"]["file"]
        wanted = (DATA / variant.get("merged_file", original)).read_bytes()
        if case["case"] == "test_repeated_string_by_field":
            # Strings without an index are appended; TensorFlow's merger sets element 0 again and again.
            wanted = (DATA / original).read_bytes() * 2
        assert parse(data) == parse(wanted)
        assert b"".join(message.pieces(777)) == data
        buffer = bytearray(100)
        n = message.readinto(buffer, 5)
        assert buffer[:n] == data[5:105]
        assert [(c.type.upper(), c.size, c.position) for c in message.chunks] == [
            (c["type"], int(c.get("size", 0)), int(c["offset"])) for c in variant["metadata"]["chunks"]]
        chunks = [message.read_chunk(i) for i in range(message.num_chunks)]
        assert [hashlib.sha256(c).hexdigest()[:32] for c in chunks] == [r[1] for r in variant["records"][:-1]]
        assert message.read_chunk(0, 3, 4) == chunks[0][3:7]
    out = tmp_path / "merged.pb"
    libcpb.merge(path.read_bytes(), out, threads=2, **how)
    assert out.read_bytes() == data


def test_a_message_split_repacked_and_merged(tmp_path, cpb):
    """By options, from any source; progress ends at the whole."""
    original = next(v for c, v in (p.values for p in VARIANTS) if c["case"] == "real_tf_module")
    data = libcpb.open(DATA / original["file"]).read()
    told = []
    for source, how in ((io.BytesIO(data), {}), (data, {"layout": "compat"}), (data, {"codec": "none"}),
                        (data, {"max_chunk_size": 500, "inline_max": 100, "codec": "brotli", "level": 1})):
        libcpb.split(source, tmp_path / "out.cpb", progress=lambda *at: told.append(at), **how)
        assert cpb.ok("merge", tmp_path / "out.cpb", "-o", "-") == data
        libcpb.repack(tmp_path / "out.cpb", tmp_path / "again.cpb", layout="remote")
        with libcpb.open(tmp_path / "again.cpb") as message:
            assert message.read() == data and message.version.splitter == 1
    assert told and all(done <= total or not total for done, total in told)


def test_chunks_in_memory():
    case, variant = next(p.values for p in VARIANTS if p.values[0]["case"] == "real_tf_module")
    with libcpb.open(DATA / variant["file"]) as message:
        data = message.read()
        chunks = [bytearray(message.read_chunk(i)) for i in range(message.num_chunks)]
    records = list(libcpb.RecordReader(DATA / variant["file"]))
    metadata = schema("tensorflow.proto_splitter.ChunkMetadata").parse(records[-1])
    tree = metadata.message.SerializeToString()
    with libcpb.merge_chunks(chunks, tree) as message:
        assert message.read() == data and message.size == len(data) and len(message.chunks) == len(chunks)
        with pytest.raises(BufferError):
            chunks[0].append(0)  # it is in use
    chunks[0].append(0)


@pytest.fixture(scope="module")
def model():
    case, variant = next(p.values for p in VARIANTS if p.values[0]["case"] == "real_tf_module")
    with libcpb.open(DATA / variant["file"]) as message:
        yield message, schema("tensorflow.SavedModel").parse(message.read())


@pytest.mark.parametrize("path", ["", "meta_graphs[0]", "meta_graphs[0].graph_def", "meta_graphs[0].graph_def.node[3]",
                                  "meta_graphs[0].signature_def[\"serving_default\"]", "2[0].1"])
def test_fields_that_are_messages(model, path):
    message, parsed = model
    field = message.field(path)
    wanted = parsed
    for name, index in {"": [], "meta_graphs[0]": [("meta_graphs", 0)], "2[0].1": [("meta_graphs", 0), ("meta_info_def", None)],
                        "meta_graphs[0].graph_def": [("meta_graphs", 0), ("graph_def", None)],
                        "meta_graphs[0].graph_def.node[3]": [("meta_graphs", 0), ("graph_def", None), ("node", 3)],
                        'meta_graphs[0].signature_def["serving_default"]':
                            [("meta_graphs", 0), ("signature_def", "serving_default")]}[path]:
        wanted = getattr(wanted, name) if index is None else getattr(wanted, name)[index]
    assert type(wanted).FromString(field.read()) == wanted
    assert field.size == sum(r.length for r in field.ranges)
    as_json = json_format.MessageToDict(wanted, preserving_proto_field_name=True)
    if path not in ("", "meta_graphs[0]"):  # those have an Any, which the two show in different ways
        assert field.json(omit=None) == as_json
        assert field.json(omit=None, original_names=False) == json_format.MessageToDict(wanted)


def test_fields_that_are_not(model):
    message, parsed = model
    graph = parsed.meta_graphs[0].graph_def
    assert message.field("saved_model_schema_version").value() == parsed.saved_model_schema_version
    assert message.field("meta_graphs[0].graph_def.node[0].name").value() == graph.node[0].name
    assert message.field("meta_graphs[0].graph_def.versions.producer").value() == graph.versions.producer
    tags = message.field("meta_graphs[0].meta_info_def.tags")
    assert tags.repeated and tags.json() == list(parsed.meta_graphs[0].meta_info_def.tags)
    with pytest.raises(libcpb.CpbError, match="repeated"):
        tags.value()


def test_numbers_of_every_type():
    """Against protobuf's encoder: each type, at its ends."""
    from google.protobuf import descriptor_pb2, message_factory, descriptor_pool
    file = descriptor_pb2.FileDescriptorProto(name="n.proto", package="n", syntax="proto2")
    message = file.message_type.add(name="N")
    kinds = [1, 2, 3, 4, 5, 6, 7, 8, 13, 15, 16, 17, 18]
    for kind in kinds:
        message.field.add(name=f"f{kind}", number=kind, type=kind, label=1)
    own = descriptor_pool.DescriptorPool()
    own.Add(file)
    cls = message_factory.GetMessageClass(own.FindMessageTypeByName("n.N"))
    types = libcpb.Schema(descriptor_pb2.FileDescriptorSet(file=[file]).SerializeToString())
    ends = {1: [-1.5, 1e300], 2: [0.5, -2.0], 3: [-2**63, 2**63 - 1], 4: [0, 2**64 - 1], 5: [-2**31, 2**31 - 1],
            6: [2**64 - 1], 7: [2**32 - 1], 8: [True, False], 13: [2**32 - 1], 15: [-2**31], 16: [-2**63],
            17: [-2**31, 2**31 - 1], 18: [-2**63, 2**63 - 1]}
    assert types.message_names == ["n.N"]
    for kind, values in ends.items():
        for value in values:
            data = cls(**{f"f{kind}": value}).SerializeToString()
            with libcpb.open(data, schema=types, type_name="n.N", chunked=False) as opened:
                got = opened.field(f"f{kind}").value()
                assert got == value and type(got) is type(value), kind


def test_large_values_are_left_out(model):
    message, _ = model
    field = message.field("meta_graphs[0].graph_def")
    text = json.dumps(field.json(omit=0))
    found = json.loads(text[text.index('{"@omitted"'):text.index("}}", text.index('{"@omitted"')) + 2])["@omitted"]
    assert message.read(int(found["offset"]), int(found["size"]))
