"""TensorFlow's own .cpb files: `cpb merge` gives the message that its Merger gives."""

import hashlib

import pytest

from conftest import DATA, manifest
from support.messages import schema

CASES = manifest("cpb.manifest.json")
ODD = manifest("cpb_odd.manifest.json")


def variants():
    for case in CASES:
        for variant in case["variants"]:
            yield pytest.param(case, variant, id=f"{case['case']}-{variant['name']}")


def options(type_name):
    name = "tensorflow" if type_name.startswith("tensorflow.") and "proto_splitter" not in type_name \
        else "proto_splitter"
    return ["--type", type_name, "--schema", DATA / "schema" / f"{name}.fds"]


@pytest.mark.parametrize("case, variant", variants())
def test_records_and_info(cpb, case, variant):
    path = DATA / variant["file"]
    records, _, _, _ = cpb.records(path)
    rows = [(r["size"], r["sha256"][:32], r["chunk_begin"], r["index"]) for r in records]
    assert rows == [tuple(r[:4]) for r in variant["records"]]
    import json
    info = json.loads(cpb.ok("info", path, "--json"))
    wanted = variant["metadata"]["chunks"]
    assert [(c["type"], c["size"], c["position"]) for c in info["chunks"]] == \
        [(c["type"], int(c["size"]), int(c["offset"])) for c in wanted]


@pytest.mark.parametrize("case, variant", variants())
def test_chunks(cpb, case, variant):
    path = DATA / variant["file"]
    for number, row in enumerate(variant["records"][:-1]):
        chunk = cpb.ok("cat", path, "--chunk", number)
        assert hashlib.sha256(chunk).hexdigest()[:32] == row[1]


@pytest.mark.parametrize("case, variant", variants())
def test_merge(cpb, case, variant, tmp_path):
    out = tmp_path / "merged.pb"
    cpb.ok("merge", DATA / variant["file"], "-o", out, *options(case["message_type"]))
    merged = schema(case["message_type"]).parse(out.read_bytes())
    name = variant.get("merged_file") or case["orig"]["file"]
    assert merged == schema(case["message_type"]).parse((DATA / name).read_bytes())


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
        parse = schema(case["message_type"]).parse
        assert parse(out.read_bytes()) == parse(bytes.fromhex(case["merged_hex"]))


# TensorFlow answers OK but loses or repeats data; what we give instead is in
# docs/chunked-format.md.
PROMISED = set()
