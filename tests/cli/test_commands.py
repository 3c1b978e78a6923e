"""What each command does, against files whose contents are known."""

import hashlib
import json
import random
import shutil

import pytest

from conftest import DATA, manifest
from support.riegeli import write
from support.wire import field, varint

CPB = {case["case"]: case for case in manifest("cpb.manifest.json")}
FROZEN = CPB["real_frozen_conv"]
GRAPH = ["--type", "tensorflow.GraphDef"]


def sha(data):
    return hashlib.sha256(data).hexdigest()


# --- records -------------------------------------------------------------------


def test_sha256_of_every_length(cpb, tmp_path):
    """Around the 64-byte blocks of SHA-256; hashlib is the oracle."""
    for size in [*range(1, 130), 1000, 65536, 300000]:
        message = varint(1000 << 3 | 2) + varint(size) + bytes(i * 7 % 251 for i in range(size))
        (tmp_path / "in.pb").write_bytes(message)
        cpb.ok("split", tmp_path / "in.pb", "-o", tmp_path / "x.cpb", "--force")
        records, _, _, _ = cpb.records(tmp_path / "x.cpb")
        assert records[0]["size"] == len(message) and records[0]["sha256"] == sha(message)


def test_records_json(cpb, chunked):
    lines = [json.loads(line) for line in cpb.ok("records", chunked, "--json").splitlines()]
    assert lines[-1] == {"status": "OK"}
    assert set(lines[0]) == {"position", "chunk_begin", "index", "size"}
    hashed = [json.loads(line) for line in cpb.ok("records", chunked, "--json", "--sha256").splitlines()]
    assert [{key: line[key] for key in line if key != "sha256"} for line in hashed] == lines
    assert len(hashed[0]["sha256"]) == 64


def test_records_of_a_damaged_file(cpb, riegeli):
    data = bytearray(open(riegeli, "rb").read())
    data[100000] ^= 1
    open(riegeli, "wb").write(data)
    whole, _, last, result = cpb.records(riegeli)
    assert result.returncode == 2 and last["status"] == "DAMAGED"
    assert last["offset"] <= 100000 and last["message"] in result.stderr.decode()
    rest, skipped, last, result = cpb.records(riegeli, "--recover")
    assert result.returncode == 0 and last == {"status": "OK"}
    assert rest[:len(whole)] == whole and len(rest) > len(whole)
    assert len(skipped) == 1 and skipped[0]["begin"] <= 100000 < skipped[0]["end"] and skipped[0]["reason"]
    table = cpb.ok("records", riegeli, "--recover").decode()
    assert f"skipped bytes {skipped[0]['begin']} to {skipped[0]['end']}: " in table


def test_records_from_a_position_and_limited(cpb, riegeli):
    records, _, _, _ = cpb.records(riegeli)
    some, _, _, _ = cpb.records(riegeli, "--position", records[5]["position"], "--limit", "3")
    assert some == records[5:8]
    assert cpb.records(riegeli, "--limit", "0")[0] == []


def test_records_larger_than_what_is_read_at_once(cpb, riegeli, tmp_path):
    """And the file without its end: damage is found before the record is shown."""
    payload = random.Random(1).randbytes(1 << 20)
    message = field(1000, payload)
    (tmp_path / "in.pb").write_bytes(message)
    cpb.ok("split", tmp_path / "in.pb", "-o", tmp_path / "x.cpb", "--codec", "none", "--max-chunk-size", "2M")
    records, _, _, _ = cpb.records(tmp_path / "x.cpb")
    assert records[0]["size"] == len(message) and records[0]["sha256"] == sha(message)
    assert cpb.ok("cat", tmp_path / "x.cpb", "--record", "0") == message
    data = (tmp_path / "x.cpb").read_bytes()
    (tmp_path / "cut.cpb").write_bytes(data[:800000])
    shown, _, last, result = cpb.records(tmp_path / "cut.cpb")
    assert shown == [] and result.returncode == 2 and last["status"] == "TRUNCATED"


def test_records_table(cpb, chunked):
    lines = cpb.ok("records", chunked).decode().splitlines()
    assert lines[0].split() == ["POSITION", "CHUNK", "BEGIN", "INDEX", "SIZE"]
    assert lines[1].split() == ["64", "64", "0", "884"]
    assert lines[-1] == "7 records, 14517 bytes"
    assert cpb.ok("records", chunked, "--quiet").decode().splitlines() == lines[:-1]
    records, _, _, _ = cpb.records(chunked)
    hashed = cpb.ok("records", chunked, "--sha256").decode().splitlines()
    assert hashed[0].split() == [*lines[0].split(), "SHA-256"]
    assert [line.split()[-1] for line in hashed[1:-1]] == [record["sha256"] for record in records]


# --- info ----------------------------------------------------------------------


@pytest.mark.parametrize("variant", FROZEN["variants"], ids=lambda v: v["name"])
def test_info_json(cpb, variant):
    path = DATA / variant["file"]
    info = json.loads(cpb.ok("info", path, "--json"))
    assert info["format"] == "cpb" and info["size"] == variant["size"]
    assert info["version"] == {"splitter": 1, "join": 0, "bad_consumers": []}
    riegeli = {begin: (end - begin, kind) for begin, end, kind, *_ in variant["riegeli_chunks"]}
    for number, (chunk, record) in enumerate(zip(info["chunks"], variant["records"])):
        assert chunk["index"] == number
        assert (chunk["size"], chunk["chunk_begin"], chunk["record_index"]) == (record[0], record[2], record[3])
        assert chunk["position"] == record[2] + record[3]
        size, kind = riegeli[record[2]]
        assert chunk["stored_size"] == size
        assert chunk["encoding"] == {"r": "simple", "t": "transposed"}[kind]
        assert chunk["codec"] in ("none", "brotli", "zstd", "snappy")
    last = variant["records"][-1]
    assert info["metadata"]["position"] == last[2] + last[3] and info["metadata"]["size"] == last[0]
    wanted = variant["metadata"]["message"]["chunked_fields"]
    fields = info["message"]["fields"]
    assert [f["chunk"] for f in fields] == [int(f["message"]["chunk_index"]) for f in wanted]
    assert info["message"]["type"] == "tensorflow.GraphDef"


def test_info_names_fields(cpb, chunked):
    fields = json.loads(cpb.ok("info", chunked, "--json"))["message"]["fields"]
    assert fields[0]["path"] == 'node[4].attr["value"].tensor.tensor_content'
    text = cpb.ok("info", chunked).decode()
    assert 'node[4].attr["value"].tensor.tensor_content' in text and "(slice)" in text


def test_info_layout(cpb, chunked, tmp_path):
    assert json.loads(cpb.ok("info", chunked, "--json"))["layout"] == "shared"
    cpb.ok("repack", chunked, "-o", tmp_path / "r.cpb")
    assert json.loads(cpb.ok("info", tmp_path / "r.cpb", "--json"))["layout"] == "remote"


# --- cat -----------------------------------------------------------------------


def test_cat_chunk_record_position(cpb, chunked, tmp_path):
    records, _, _, _ = cpb.records(chunked)
    for number, record in enumerate(records[:-1]):
        data = cpb.ok("cat", chunked, "--chunk", number)
        assert sha(data) == record["sha256"]
        assert cpb.ok("cat", chunked, "--record", number) == data
        assert cpb.ok("cat", chunked, "--position", record["position"]) == data
        cpb.ok("cat", chunked, "--chunk", number, "-o", tmp_path / f"{number}")
        assert (tmp_path / f"{number}").read_bytes() == data


# --- merge and split -------------------------------------------------------------


def test_merge_takes_a_directory_or_a_name_without_ending(cpb, tmp_path):
    """TensorFlow takes the .cpb where both are there."""
    case = CPB["saved_model_split-standard"]
    whole = DATA / case["orig"]["file"]
    (tmp_path / "model").mkdir()
    shutil.copy(whole, tmp_path / "model" / "saved_model.pb")
    for name in ("model", "model/saved_model", "model/saved_model.pb"):
        assert cpb.ok("merge", tmp_path / name, "-o", "-") == whole.read_bytes()
    shutil.copy(DATA / case["variants"][0]["file"], tmp_path / "model" / "saved_model.cpb")
    merged = cpb.ok("merge", tmp_path / "model" / "saved_model.cpb", "-o", "-")
    (tmp_path / "model" / "saved_model.pb").write_bytes(b"not taken")
    for name in ("model", "model/saved_model"):
        assert cpb.ok("merge", tmp_path / name, "-o", "-") == merged


@pytest.mark.parametrize("layout", ["remote", "compat"])
@pytest.mark.parametrize("codec", [None, "none", "zstd", "zstd:19", "brotli", "brotli:0"])
def test_split_and_merge_give_the_same_bytes(cpb, graph, layout, codec, tmp_path):
    options = ["--codec", codec] if codec else []
    original = open(graph, "rb").read()
    for size in ("64", "1000", "4K", "1M"):
        out = tmp_path / "x.cpb"
        cpb.ok("split", graph, "-o", out, *GRAPH, "--max-chunk-size", size, "--layout", layout, *options,
               "--force", "--verify")
        assert cpb.ok("merge", out, "-o", "-") == original
        info = json.loads(cpb.ok("info", out, "--json"))
        assert (info["layout"] == "remote") or layout == "compat"
        if codec:
            assert {c["codec"] for c in info["chunks"]} == {codec.split(":")[0]}
        cpb.ok("verify", out, "--against", graph)


def test_output_name_without_ending(cpb, graph, tmp_path):
    cpb.ok("split", graph, *GRAPH, "-o", tmp_path / "small")
    assert (tmp_path / "small.pb").read_bytes() == open(graph, "rb").read()
    cpb.ok("split", graph, *GRAPH, "-o", tmp_path / "large", "--max-chunk-size", "1K")
    assert cpb.ok("merge", tmp_path / "large.cpb", "-o", "-") == open(graph, "rb").read()
    assert not (tmp_path / "small").exists() and not (tmp_path / "large").exists()
    cpb.ok("split", graph, *GRAPH, "-o", tmp_path / "single.cpb")
    assert len(json.loads(cpb.ok("info", tmp_path / "single.cpb", "--json"))["chunks"]) == 1


def test_pb_output_of_a_large_message(cpb, graph, tmp_path):
    result = cpb.run("split", graph, *GRAPH, "-o", tmp_path / "x.pb", "--max-chunk-size", "1K")
    assert result.returncode == 1 and "expected an output name that ends in .cpb" in result.stderr.decode()
    assert not (tmp_path / "x.pb").exists()


def test_verify_while_splitting_tells_when_bytes_differ(cpb, tmp_path):
    """A length written in more bytes than it needs: the merged message is the same, its bytes are not."""
    name = b"\x0a\x14" + b"n" * 20
    node = varint(1 << 3 | 2) + bytes([len(name) | 0x80, 0]) + name
    (tmp_path / "in.pb").write_bytes(node * 20)
    words = ["split", tmp_path / "in.pb", *GRAPH, "-o", tmp_path / "x.cpb", "--max-chunk-size", "16"]
    result = cpb.run(*words, "--verify")
    assert result.returncode == 2 and f"{tmp_path}/in.pb: byte 1: the merged message differs from here on" in result.stderr.decode()
    assert [path.name for path in tmp_path.iterdir()] == ["in.pb"]
    cpb.ok(*words)
    assert cpb.ok("merge", tmp_path / "x.cpb", "-o", "-") == (varint(1 << 3 | 2) + bytes([len(name)]) + name) * 20


def test_quiet_says_nothing(cpb, graph, riegeli, tmp_path):
    for words in (["split", graph, *GRAPH, "-o", "a.cpb"], ["split", graph, *GRAPH, "-o", "b"], ["verify", "a.cpb"],
                  ["merge", "a.cpb", "-o", "a.pb"], ["repack", "a.cpb", "-o", "c.cpb"], ["recover", riegeli, "-o", "d"]):
        result = cpb.run(*words, "--quiet", cwd=tmp_path)
        assert (result.returncode, result.stdout, result.stderr) == (0, b"", b""), words


# --- repack --------------------------------------------------------------------


@pytest.mark.parametrize("variant", FROZEN["variants"], ids=lambda v: v["name"])
def test_repack_keeps_chunks_and_message(cpb, variant, tmp_path):
    source = DATA / variant["file"]
    message = cpb.ok("merge", source, "-o", "-")
    chunks = [record[1] for record in variant["records"][:-1]]
    for number, options in enumerate([[], ["--layout", "compat"], ["--codec", "none"],
                                      ["--layout", "compat", "--codec", "zstd:5"]]):
        out = tmp_path / f"{number}.cpb"
        cpb.ok("repack", source, "-o", out, *options)
        records, _, _, _ = cpb.records(out)
        assert [record["sha256"][:32] for record in records[:-1]] == chunks
        assert cpb.ok("merge", out, "-o", "-") == message
        cpb.ok("verify", out)
    last = [record["chunk_begin"] for record in cpb.records(tmp_path / "0.cpb")[0]]
    assert len(set(last)) == len(last)
    shared = [record["chunk_begin"] for record in cpb.records(tmp_path / "1.cpb")[0]]
    assert set(shared) == {64}


# --- verify --------------------------------------------------------------------


def test_verify_good_file(cpb, chunked, graph):
    report = json.loads(cpb.ok("verify", chunked, "--json"))
    assert report["ok"] is True and report["problems"] == []
    assert (report["records"], report["chunks"], report["merged_size"]) == (7, 6, FROZEN["merged_size"]) \
        if "merged_size" in FROZEN else report["chunks"] == 6
    assert b": OK, 6 chunks" in cpb.ok("verify", chunked)


def test_verify_reports_every_damaged_place(cpb, chunked):
    data = bytearray(open(chunked, "rb").read())
    for offset in (500, 5000):
        data[offset] ^= 0x10
    open(chunked, "wb").write(data)
    result = cpb.run("verify", chunked, "--json")
    report = json.loads(result.stdout)
    assert result.returncode == 2 and report["ok"] is False
    offsets = {problem["offset"] for problem in report["problems"] if "unreadable" in problem["message"]}
    assert {64, 992} <= offsets
    text = cpb.run("verify", chunked).stderr.decode()
    assert "chunk 0: no readable record" in text and "chunk 1: no readable record" in text
    assert all(line.startswith(f"{chunked}: ") for line in text.splitlines())


def test_verify_checks_what_the_index_says(cpb):
    for case in manifest("cpb_odd.manifest.json")["cases"]:
        if case["name"] in ("info_size_small", "info_size_large", "info_size_zero", "info_offset_past_end"):
            assert cpb.run("verify", DATA / case["file"]).returncode == 2, case["name"]


def test_verify_against_another_message(cpb, chunked, tmp_path):
    merged = cpb.ok("merge", chunked, "-o", "-")
    (tmp_path / "same").write_bytes(merged)
    cpb.ok("verify", chunked, "--against", tmp_path / "same")
    for name, other in [("flip", merged[:70] + b"?" + merged[71:]), ("short", merged[:-1]), ("long", merged + b"x")]:
        (tmp_path / name).write_bytes(other)
        result = cpb.run("verify", chunked, "--against", tmp_path / name)
        assert result.returncode == 2
        at = {"flip": 70, "short": len(merged) - 1, "long": len(merged)}[name]
        assert f"from byte {at} on" in result.stderr.decode()


def test_verify_checks_the_chunks_types(cpb, tmp_path):
    path = tmp_path / "x.cpb"
    path.write_bytes(chunk_file(5))
    result = cpb.run("verify", path)
    assert result.returncode == 2
    assert "byte 65: chunk 1 has type 5; expected 1 (MESSAGE) or 2 (BYTES)" in result.stderr.decode()
    report = json.loads(cpb.run("verify", path, "--json").stdout)
    assert report["problems"][0] == {"offset": 65, "message": "chunk 1 has type 5; expected 1 (MESSAGE) or 2 (BYTES)"}


def chunk_file(kind):
    """A .cpb whose chunk 1, of that type, is in field 99."""
    infos = b"".join(field(2, b"\x08" + varint(k) + b"\x10" + varint(i) + b"\x18" + varint(64 + i))
                     for i, k in enumerate((1, kind)))
    place = field(2, field(1, b"\x08" + varint(99)) + field(3, b"\x08\x01"))
    return write([b"", b"v", infos + field(3, b"\x08\x00" + place)])


# --- recover -------------------------------------------------------------------


def test_recover_copies_what_records_recovers(cpb, riegeli, tmp_path):
    data = bytearray(open(riegeli, "rb").read())
    data[100000] ^= 1
    open(riegeli, "wb").write(data)
    wanted, skipped, _, _ = cpb.records(riegeli, "--recover")
    result = cpb.run("recover", riegeli, "-o", tmp_path / "whole.riegeli")
    assert result.returncode == 0
    assert f"byte {skipped[0]['begin']}: skipped up to byte {skipped[0]['end']}: " in result.stderr.decode()
    got, none, _, _ = cpb.records(tmp_path / "whole.riegeli")
    assert none == [] and [r["sha256"] for r in got] == [r["sha256"] for r in wanted]
    lines = [json.loads(line) for line in
             cpb.ok("recover", riegeli, "-o", tmp_path / "w", "--json").splitlines()]
    assert lines[0]["skipped"]["begin"] == skipped[0]["begin"]
    assert lines[-1]["records"] == len(wanted) and lines[-1]["lost_chunks"] == 0


def test_recover_keeps_the_metadata(cpb, tmp_path):
    source = DATA / "corrupt" / "base_meta.riegeli"
    cpb.ok("recover", source, "-o", tmp_path / "out")
    assert cpb.ok("records", tmp_path / "out", "--metadata") == cpb.ok("records", source, "--metadata")


def test_recover_a_file_that_needs_it_not(cpb, chunked, tmp_path):
    cpb.ok("recover", chunked, "-o", tmp_path / "out.cpb")
    assert cpb.ok("merge", tmp_path / "out.cpb", "-o", "-") == cpb.ok("merge", chunked, "-o", "-")


def test_recover_names_lost_chunks(cpb, chunked, tmp_path):
    data = bytearray(open(chunked, "rb").read())
    data[5000] ^= 0x10
    open(chunked, "wb").write(data)
    result = cpb.run("recover", chunked, "-o", tmp_path / "out.cpb")
    text = result.stderr.decode()
    assert result.returncode == 2 and not (tmp_path / "out.cpb").exists()
    assert 'chunk 1 is lost (node[4].attr["value"].tensor.tensor_content)' in text
    assert "1 of 6 chunks are lost" in text


def test_recover_lists_lost_chunks_as_json(cpb, chunked, tmp_path):
    """Every chunk, whatever its place in the message."""
    cpb.ok("repack", chunked, "-o", tmp_path / "good.cpb")
    fields = json.loads(cpb.ok("info", chunked, "--json"))["message"]["fields"]
    wanted = {0: "the root", **{field["chunk"]: field["path"] or "a slice of its parent" for field in fields}}
    chunks = cpb.records(tmp_path / "good.cpb")[0][:-1]
    for first in [chunk["chunk_begin"] for chunk in chunks]:
        data = bytearray((tmp_path / "good.cpb").read_bytes())
        data[first + 60] ^= 1  # in the Riegeli chunk's data
        (tmp_path / "bad.cpb").write_bytes(data)
        result = cpb.run("recover", tmp_path / "bad.cpb", "-o", tmp_path / "out.cpb", "--json")
        lost = [json.loads(line)["lost"] for line in result.stdout.splitlines()]
        assert result.returncode == 2 and [entry["chunk"] for entry in lost] == \
            [number for number, chunk in enumerate(chunks) if chunk["chunk_begin"] == first]
        for entry in lost:
            assert entry["field"] == wanted[entry["chunk"]] and entry["reason"]
        assert f"{len(lost)} of {len(chunks)} chunks are lost" in result.stderr.decode()
    assert not (tmp_path / "out.cpb").exists()


def test_recover_without_the_index_says_so(cpb, chunked, tmp_path):
    with open(chunked, "r+b") as file:
        file.truncate(12280)
    result = cpb.run("recover", chunked, "-o", tmp_path / "chunks.riegeli")
    assert result.returncode == 2 and "the index is lost" in result.stderr.decode()
    records, _, last, _ = cpb.records(tmp_path / "chunks.riegeli")
    assert last["status"] == "OK"
    assert [r["sha256"][:32] for r in records] == [r[1] for r in FROZEN_NONE["records"][:3]]


FROZEN_NONE = next(v for v in FROZEN["variants"] if v["name"] == "max1000_none")
