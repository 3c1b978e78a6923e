"""TensorFlow's own .cpb files: `cpb merge` gives the message that its Merger gives."""

import hashlib
import json

import pytest

from conftest import DATA, manifest
from support.messages import schema

CASES = manifest("cpb.manifest.json")
ODD = manifest("cpb_odd.manifest.json")


def variants():
    for case in CASES:
        for variant in case["variants"]:
            if "file" not in variant:  # TensorFlow wrote a .pb, or nothing
                continue
            yield pytest.param(case, variant, id=f"{case['case']}-{variant['name']}")


def options(type_name):
    name = "tensorflow" if type_name.startswith("tensorflow.") and "proto_splitter" not in type_name \
        else "proto_splitter"
    return ["--type", type_name, "--schema", DATA / "schema" / f"{name}.fds"]


@pytest.mark.parametrize("case, variant", list(variants()))
def test_records_and_info(cpb, case, variant):
    path = DATA / variant["file"]
    records, _, _, _ = cpb.records(path)
    rows = [(r["size"], r["sha256"][:32], r["chunk_begin"], r["index"]) for r in records]
    assert rows == [tuple(r[:4]) for r in variant["records"]]
    info = json.loads(cpb.ok("info", path, "--json"))
    wanted = variant["metadata"]["chunks"]
    assert [(c["type"], c["size"], c["position"]) for c in info["chunks"]] == \
        [(c["type"], int(c.get("size", 0)), int(c["offset"])) for c in wanted]


@pytest.mark.parametrize("case, variant", list(variants()))
def test_chunks(cpb, case, variant):
    path = DATA / variant["file"]
    for number, row in enumerate(variant["records"][:-1]):
        chunk = cpb.ok("cat", path, "--chunk", number)
        assert hashlib.sha256(chunk).hexdigest()[:32] == row[1]


@pytest.mark.parametrize("case, variant", list(variants()))
def test_merge(cpb, case, variant, tmp_path):
    out = tmp_path / "merged.pb"
    cpb.ok("merge", DATA / variant["file"], "-o", out, *options(case["message_type"]))
    for threads in (2, 4):
        several = cpb.ok("merge", DATA / variant["file"], "-o", "-", *options(case["message_type"]), "--threads", threads)
        assert several == out.read_bytes()
    merged = schema(case["message_type"]).parse(out.read_bytes())
    original = (DATA / case["orig"]["file"]).read_bytes()
    wanted = (DATA / variant["merged_file"]).read_bytes() if variant.get("merged_file") else original
    if case["case"] == "test_repeated_string_by_field":
        # Strings without an index are appended to those that the base has;
        # TensorFlow's merger sets element 0 again and again.
        wanted = original * 2
    assert merged == schema(case["message_type"]).parse(wanted)


@pytest.mark.parametrize("case", ODD["cases"], ids=lambda c: c["name"])
def test_odd_index(cpb, case, tmp_path):
    """Where TensorFlow's Merger works, the same message; where it crashes or
    fails, the message that the format promises or an error, never silence."""
    out = tmp_path / "merged.pb"
    result = cpb.run("merge", DATA / case["file"], "-o", out, *options(case["message_type"]))
    assert result.returncode in (0, 2, 4, 5), result.stderr
    if result.returncode != 0:
        assert not out.exists()
        assert result.stderr.decode().startswith(str(DATA / case["file"]))
    if case["tf_status"] == "OK" and case["name"] not in PROMISED:
        assert result.returncode == 0, result.stderr
        if case["name"] in RAW:
            assert hashlib.sha256(out.read_bytes()).hexdigest() == case["merged_sha256"]
        else:
            parse = schema(case["message_type"]).parse
            assert parse(out.read_bytes()) == parse(bytes.fromhex(case["merged_hex"]))


# TensorFlow answers OK but loses data, or the file means nothing, or asks for a
# newer reader; what we give instead is in docs/chunked-format.md.
PROMISED = {
    "nested_slice_root", "tag_repeated_string_no_index", "scalar_rep_int_noidx_0",  # nothing is lost
    "bytes_with_nested", "tag_index_huge", "tag_string_then_field", "content_slice_garbage",  # errors
    "meta_then_empty", "info_join_version_9", "info_bad_consumer_0",
}
# Messages that no parser of the tests takes: too deep, or text that is not UTF-8.
RAW = {"long_tag", "long_tag_20000", "scalar_string_utf8_0"}
