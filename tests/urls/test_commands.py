"""The commands give of a URL what they give of the file, in few requests."""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import time
import zipfile

import pytest

from conftest import DATA, ROOT
from support import big_graph, onnx_models, saved_models, tuned
from urls.conftest import ENVIRONMENT

FROZEN = DATA / "cpb" / "real_frozen_conv"
CHUNKED = FROZEN / "max1000_none.cpb"
MESSAGE = FROZEN / "orig.pb"
CASES = DATA / "cases"
KERAS = DATA / "cpb" / "real_keras_export"
RIEGELI = DATA / "corrupt" / "base_blocks.riegeli"


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    for name in set(os.environ) - set(ENVIRONMENT):
        monkeypatch.delenv(name)


def run(cpb, words, path, given, cwd):
    words = [given if word == "IN" else word for word in words]
    result = cpb.run(*words, cwd=cwd)
    out = cwd / "out.cpb"
    written = out.read_bytes() if out.exists() else b""
    out.unlink(missing_ok=True)
    return result.returncode, result.stdout.replace(str(given).split("?")[0].encode(), b"IN"), written


@pytest.mark.parametrize("path, words, most", [
    (CHUNKED, ["info", "IN"], 1),
    (CHUNKED, ["info", "IN", "--json"], 1),
    (CHUNKED, ["verify", "IN"], 1),
    (CHUNKED, ["verify", "IN", "--against", str(MESSAGE)], 1),
    (CHUNKED, ["cat", "IN", "--chunk", "2"], 1),
    (CHUNKED, ["cat", "IN", "--record", "1"], 1),
    (CHUNKED, ["cat", "IN", "--field", "node[3]", "--json"], 1),
    (MESSAGE, ["cat", "IN", "--field", "node[3]", "--type", "tensorflow.GraphDef", "--json"], 1),
    (CHUNKED, ["merge", "IN", "-o", "-"], 1),
    (CHUNKED, ["merge", "IN", "-o", "out.cpb", "--threads", "4"], 8),
    (MESSAGE, ["merge", "IN", "-o", "-"], 1),
    (MESSAGE, ["split", "IN", "-o", "out.cpb", "--type", "tensorflow.GraphDef", "--max-chunk-size", "2K"], 1),
    (CHUNKED, ["repack", "IN", "-o", "out.cpb"], 1),
    (CHUNKED, ["inspect", "IN"], 1),
    (MESSAGE, ["inspect", "IN", "nodes", "--json"], 1),
    (MESSAGE, ["diff", "IN", str(CHUNKED), "--json"], 1),
    (CHUNKED, ["recover", "IN", "-o", "out.cpb"], 1),
    (CASES / "tf2/ck-1.index", ["inspect", "IN", "variables", "--json"], 9),
    (CASES / "m.ckpt.index", ["extract", "IN", "w2", "-o", "-"], 9),
    (CASES / "v1/m.ckpt", ["extract", "IN", "w2", "-o", "-"], 9),
    (CASES / "v1/m.ckpt.meta", ["inspect", "IN", "variables", "--json"], 9),
    (RIEGELI, ["records", "IN"], 4),
    (RIEGELI, ["records", "IN", "--json", "--recover"], 4),
], ids=lambda value: " ".join(value[:2]) if isinstance(value, list) else None)
def test_a_url_is_as_good_as_the_file(cpb, server, tmp_path, path, words, most):
    url, token = server.url(f"/{path.relative_to(ROOT)}")
    assert run(cpb, words, path, url, tmp_path) == run(cpb, words, path, path, tmp_path)
    assert len(server.log(token)) <= most, server.log(token)


def test_a_url_stands_for_a_checkpoint(cpb, server, tmp_path):
    for path in "tf2/ck-1", "tf2/", "v1/":
        url, _ = server.url(f"/{(CASES / path).relative_to(ROOT)}" + ("/" if path.endswith("/") else ""))
        words = ["inspect", "IN", "variables", "--json"]
        assert run(cpb, words, CASES / path, url, tmp_path) == run(cpb, words, CASES / path, CASES / path, tmp_path)


# --- Large files -----------------------------------------------------------------------------

CONSTANT = 24 << 20


@pytest.fixture(scope="session")
def large(cpb, below):
    """A SavedModel of 24 MB, most of it one constant, and the same chunked, uncompressed and compressed."""
    path = below / "large.pb"
    if not path.exists():
        path.write_bytes(big_graph.saved_model(nodes=2000, functions=20, constant_bytes=CONSTANT))
        for name, options in ("none.cpb", ["--codec", "none"]), ("zstd.cpb", ["--codec", "zstd:1"]):
            cpb.ok("split", path, "-o", below / name, *options)
    return below


def counted(cpb, server, name, *words):
    """The output of a command about a file that is requested, and the requests."""
    url, token = server.url(f"/-/model/{name}")
    out = cpb.ok(words[0], url, *words[1:])
    return out, [request["range"] for request in server.seen(token)]


# An overview of what lies nowhere else asks for three files beside the model, too.
@pytest.mark.parametrize("name, words, most", [
    ("large.pb", ["inspect", "--tsv"], 6),
    ("large.pb", ["inspect", "--json"], 5),
    ("none.cpb", ["info"], 3),
    ("none.cpb", ["inspect", "--tsv"], 6),
    ("none.cpb", ["inspect", "--json"], 6),
    ("zstd.cpb", ["inspect", "--tsv"], 6),
    ("none.cpb", ["cat", "--field", "meta_graphs[0].graph_def.node[7]"], 5),
    ("large.pb", ["merge", "-o", "-"], 12),
    ("none.cpb", ["merge", "-o", "-", "--threads", "1"], 16),
    ("none.cpb", ["merge", "-o", "-", "--threads", "4"], 30),
    ("zstd.cpb", ["verify"], 10),
])
def test_large_files_take_few_requests(cpb, server, large, name, words, most):
    out, ranges = counted(cpb, server, name, *words)
    local = cpb.ok(words[0], large / name, *words[1:])
    if words[0] in ("merge", "inspect", "cat"):
        assert out == local
    assert len(ranges) <= most, ranges


@pytest.mark.parametrize("offset, requests", [(0, 1), (40_000, 1), (8 << 20, 2)])
def test_values_in_a_large_file_beside_take_few_requests(cpb, server, below, offset, requests):
    """Its beginning, which tells whether it is something else, costs none."""
    (below / "beside.bin").write_bytes(bytes(offset) + b"0123456789abcdef" + bytes(1 << 20))
    (below / "beside.onnx").write_bytes(onnx_models.elsewhere("beside.bin", offset))
    url, token = server.url("/-/model/beside.onnx")
    assert cpb.ok("extract", url, "w0", "-o", "-", "--raw") == b"0123456789abcdef"
    assert sum("beside.bin" in request["url"] for request in server.seen(token)) == requests


@pytest.mark.parametrize("options, least, limit", [([], 4, 10), (["--threads", "2"], 3, 6), (["--threads", "1"], 2, 4)], ids=str)
def test_merging_has_several_requests_under_way(cpb, server, below, tmp_path, options, least, limit):
    """A graph with eight constants of 3 MB, each a chunk of its own."""
    path = below / "constants.pb"
    value = big_graph.field(1, "value") + big_graph.field(2, big_graph.field(8, big_graph.tensor(bytes(3 << 20))))
    path.write_bytes(b"".join(big_graph.field(1, big_graph.node(f"w{i}", "Const", (), big_graph.field(5, value)))
                              for i in range(8)))
    cpb.ok("split", path, "-o", below / "constants.cpb", "--type", "tensorflow.GraphDef", "--codec", "none", "--force")
    url, token = server.url("/-/far/constants.cpb")
    cpb.ok("merge", url, "-o", tmp_path / "out.pb", *options)
    assert (tmp_path / "out.pb").read_bytes() == path.read_bytes()
    most = max(request["running"] for request in server.seen(token))
    assert least <= most <= limit


def test_a_model_in_an_archive_is_read_by_ranges(cpb, server, below):
    """Its directory, its graph and the values that are asked for; not what else is in it."""
    with zipfile.ZipFile(below / "some models.zip", "w") as archive:
        archive.writestr("noise.bin", os.urandom(4 << 20))
        archive.writestr("a b/m?.onnx", (DATA / "cases" / "tied.onnx").read_bytes())
        archive.writestr("more.bin", os.urandom(4 << 20))
        archive.writestr("a b/w.data", (DATA / "cases" / "w.data").read_bytes())
    url, token = server.url("/-/below/some%20models.zip")
    assert json.loads(cpb.ok("inspect", url, "overview", "--json"))["parameters"]["total"] == 512
    assert cpb.ok("extract", url, "head", "-o", "-") == cpb.ok("extract", DATA / "cases" / "tied.onnx", "head", "-o", "-")
    assert sum(line["bytes"] for line in server.log(token)) < 1 << 20
    data = bytearray((below / "some models.zip").read_bytes())
    data[-700] ^= 1  # in w.data
    (below / "some models.zip").write_bytes(data)
    ran = cpb.run("convert", url, "-o", below / "whole.onnx")
    assert ran.returncode == 3 and b"w.data: CRC-32 of the content is" in ran.stderr
    within = url.replace(".zip?", ".zip!/a%20b/m%3F.onnx?")
    assert json.loads(cpb.ok("inspect", within, "overview", "--json"))["parameters"]["total"] == 512
    assert cpb.run("inspect", url.replace(".zip?", ".zip!/b.onnx?")).returncode == 3


def test_an_address_with_the_mark_of_archives_may_be_a_files(cpb, server, below):
    """And an archive need not be called one."""
    (below / "a!" / "b").mkdir(parents=True)
    for name in "tied.onnx", "w.data":
        shutil.copy(DATA / "cases" / name, below / "a!" / "b" / name)
    with zipfile.ZipFile(below / "download", "w") as archive:
        archive.write(DATA / "cases" / "m.ckpt.meta", "m.ckpt.meta")
        archive.write(DATA / "cases" / "m.ckpt.index", "m.ckpt.index")
        archive.write(DATA / "cases" / "m.ckpt.data-00000-of-00001", "m.ckpt.data-00000-of-00001")
    url, _ = server.url("/-/below/a!/b/tied.onnx")
    assert cpb.ok("extract", url, "head", "-o", "-") == cpb.ok("extract", DATA / "cases" / "tied.onnx", "head", "-o", "-")
    url, _ = server.url("/-/below/download")
    assert cpb.ok("extract", url, "w2", "-o", "-") == cpb.ok("extract", DATA / "cases" / "m.ckpt.meta", "w2", "-o", "-")


def test_a_base_is_read_by_its_url(cpb, server, below, tmp_path):
    """And named by it; readers follow it if they are allowed to. A base beside another URL is as good."""
    allow, how = "--allow-references", ["--type", "tensorflow.GraphDef", "--max-chunk-size", "10K"]
    (below / "family" / "a b").mkdir(parents=True)
    folder, url = below / "family", f"{server.base}/-/below/family"
    for name, changed in (("base", None), ("tuned", {2: 9})):
        (folder / f"{name}.pb").write_bytes(tuned.graph(6, 20_000, changed))
    cpb.ok("split", folder / "base.pb", "-o", folder / "a b" / "base.cpb", *how)
    cpb.ok("split", folder / "base.pb", "--base", folder / "a b" / "base.cpb", "-o", folder / "chain.cpb", *how)
    for base, named in (("a%20b/base.cpb", "a%20b/base.cpb"), ("chain.cpb", "a%20b/base.cpb")):
        out = tmp_path / "tuned.cpb"
        cpb.ok("split", folder / "tuned.pb", "--base", f"{url}/{base}", allow, "-o", out, *how, "--force")
        assert out.stat().st_size < 24_000
        info = json.loads(cpb.ok("info", out, "--json", allow))
        assert [file["name"] for file in info["files"]] == [f"{url}/{named}"]
        assert cpb.ok("merge", out, "-o", "-", allow) == (folder / "tuned.pb").read_bytes()
        result = cpb.run("merge", out, "-o", tmp_path / "none.pb")
        assert result.returncode == 3 and b"is read only with --allow-references" in result.stderr


def test_the_ranges_of_one_chunk_come_at_once(cpb, server, large):
    """Four at a time, none twice; where a server has only one, one after another."""
    merged = cpb.ok("merge", large / "none.cpb", "-o", "-")
    for prefix in "far", "alone":
        url, token = server.url(f"/-/{prefix}/none.cpb")
        assert cpb.ok("merge", url, "-o", "-", "--threads", "1") == merged
        seen = server.seen(token)
        spans = [tuple(map(int, request["range"].removeprefix("bytes=").split("-"))) for request in seen
                 if "=-" not in request["range"]]
        assert len(seen) <= 18, spans
        if prefix == "far":
            assert max(request["running"] for request in seen) in (3, 4)  # a busy machine is late with one
            assert sum(end - begin + 1 for begin, end in spans) < CONSTANT + (1 << 20), spans


@pytest.fixture(scope="session")
def far_chunks(cpb, below):
    """A graph with 40 constants of 300 KB, each a chunk of its own, stored in several ways."""
    path = below / "far.pb"
    halves = b"".join(2 * hashlib.sha256(str(i).encode()).digest() for i in range(4700))
    value = big_graph.field(1, "value") + big_graph.field(2, big_graph.field(8, big_graph.tensor(halves)))
    path.write_bytes(b"".join(big_graph.field(1, big_graph.node(f"w{i}", "Const", (), big_graph.field(5, value)))
                              for i in range(40)))
    for codec in "none", "zstd:1", "brotli:1", "snappy":
        name = codec.split(":")[0]
        cpb.ok("split", path, "-o", below / f"far_{name}.cpb", "--type", "tensorflow.GraphDef", "--codec", codec, "--force")
    return below


@pytest.mark.parametrize("codec", ["none", "zstd", "brotli", "snappy"])
def test_info_reads_headers(cpb, server, far_chunks, codec):
    """A small request for each of the chunks that are far from each other, beside that of the index."""
    name = f"far_{codec}.cpb"
    url, token = server.url(f"/-/model/{name}")
    out = cpb.ok("info", url, "--json")
    log = server.log(token)
    chunks = json.loads(out)["chunks"]
    assert json.loads(out) | {"file": ""} == json.loads(cpb.ok("info", far_chunks / name, "--json")) | {"file": ""}
    far = sum(b["position"] - a["position"] > 32 << 10 for a, b in zip(chunks, chunks[1:]))
    assert sum(entry["bytes"] for entry in log[1:]) <= 2048 * (far + 1), log
    assert len(log) <= 1 + far + 1, log


def test_info_joins_headers_that_are_near(cpb, server, below):
    """Chunks of 10 KB: to request each header would be 300 requests."""
    path = below / "near.pb"
    value = big_graph.field(1, "value") + big_graph.field(2, big_graph.field(8, big_graph.tensor(bytes(10_000))))
    path.write_bytes(b"".join(big_graph.field(1, big_graph.node(f"w{i}", "Const", (), big_graph.field(5, value)))
                              for i in range(300)))
    cpb.ok("split", path, "-o", below / "near.cpb", "--type", "tensorflow.GraphDef", "--codec", "none",
           "--max-chunk-size", "8K", "--force")
    url, token = server.url("/-/model/near.cpb")
    cpb.ok("info", url)
    log = server.log(token)
    assert len(log) <= 6 and sum(entry["bytes"] for entry in log) < 4 << 20, log


def test_an_overview_does_not_read_the_weights(cpb, server, large):
    for name in "large.pb", "none.cpb":
        _, ranges = counted(cpb, server, name, "inspect")
        spans = [tuple(map(int, text.removeprefix("bytes=").split("-"))) for text in ranges if "=-" not in text]
        assert sum(end - begin + 1 for begin, end in spans) < 2 << 20, ranges


def test_memory_does_not_grow_with_the_file(cpb, server, large):
    url, _ = server.url("/-/model/none.cpb")
    cpb.ok("merge", url, "-o", "/dev/null", "--threads", "1", "--memory-limit", "14M")


# --- Models ------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def model(cpb, below):
    """A SavedModel's directory as TensorFlow makes it, and one with a .cpb."""
    if not (below / "rich").exists():
        shutil.copytree(saved_models.model("rich"), below / "rich")
        shutil.copytree(below / "rich", below / "chunked")
        cpb.ok("split", below / "rich" / "saved_model.pb", "-o", below / "chunked" / "saved_model.cpb")
        (below / "chunked" / "saved_model.pb").unlink()
    return below


@pytest.mark.parametrize("prefix", ["model", "below"], ids=["404", "403"])
@pytest.mark.parametrize("folder", ["rich", "chunked"])
@pytest.mark.parametrize("words", [["inspect", "IN"], ["inspect", "IN", "variables", "--json"], ["cut", "IN", "root.block", "-o", "-"],
                                   ["extract", "IN", "root.block.weight", "--variable", "-o", "-"],
                                   ["merge", "IN", "-o", "-"], ["cat", "IN", "--field", "saved_model_schema_version"]],
                         ids=" ".join)
def test_a_model_is_found_below_a_url(cpb, server, model, tmp_path, prefix, folder, words):
    """With the files beside it; what a server forbids to everybody who may not list is not there."""
    url, token = server.url(f"/-/{prefix}/{folder}/")
    here = run(cpb, words, None, model / folder, tmp_path)
    assert here[0] == 0
    assert run(cpb, words, None, url, tmp_path) == here
    asked = [request["url"].split("?")[0].rsplit(f"{folder}/")[1] for request in server.seen(token)]
    assert asked[0] == "saved_model.pb"
    assert all(f"count={token}" in request["url"] for request in server.seen(token)), "the query goes along"
    if words[0] == "inspect" and len(words) == 2:
        assert {"variables/variables.index", "keras_metadata.pb", "fingerprint.pb"} <= set(asked)
        assert len(asked) <= 12, asked


def test_a_name_without_an_ending_is_found(cpb, server, large):
    assert cpb.ok("merge", f"{server.base}/-/model/none?x=1", "-o", "-") == cpb.ok("merge", large / "none", "-o", "-")


def test_a_name_that_is_nowhere_is_an_error(cpb, server):
    for path in "model/nothing/", "below/nothing/", "model/nothing", "model/nothing.cpb":
        result = cpb.run("inspect", f"{server.base}/-/{path}")
        assert result.returncode == 3
        assert f"{server.base}/-/{path}: the server answered 40".encode() in result.stderr


# --- The command ---------------------------------------------------------------------------------


def test_the_time_is_limited(cpb, server):
    """The server never answers."""
    for words in (["--max-time", "0.5"], ["--timeout", "0.05", "--max-time", "20"]):
        result = cpb.run("records", server.url("/-/lie/stall")[0], *words)
        assert result.returncode == 3
        assert b"the time for reading is over" in result.stderr or b"no bytes from the server for 50 ms" in result.stderr


@pytest.mark.parametrize("words, wanted", [
    (["--timeout", "0"], "--timeout: 0 is not understood; expected SECONDS"),
    (["--timeout", "1.2345"], "is not understood"),
    (["--max-time", "-1"], "is not understood"),
    (["--max-time", "9999999999"], "is not understood"),
    (["--header", "no colon"], "expected NAME:VALUE"),
    (["--header", "X: a\r\nY: b"], "is not understood"),
    (["--header", ": a"], "is not understood"),
])
def test_wrong_options_are_told(cpb, words, wanted):
    result = cpb.run("info", "http://127.0.0.1:1/", *words)
    assert result.returncode == 1 and wanted in result.stderr.decode()


@pytest.mark.parametrize("number, code", [(signal.SIGINT, -signal.SIGINT), (signal.SIGTERM, -signal.SIGTERM)])
def test_a_signal_ends_a_request_and_leaves_nothing(cpb, server, tmp_path, number, code):
    url, token = server.url("/-/slow/x.pb")
    # What a shell starts in the background ignores SIGINT, and so does what that starts.
    process = subprocess.Popen([*cpb.command, "merge", url, "-o", "out.pb"], cwd=tmp_path, stderr=subprocess.PIPE,
                               preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
    while not server.log(token):
        time.sleep(0.05)
    time.sleep(0.2)
    process.send_signal(number)
    assert process.wait(timeout=60) == code
    assert list(tmp_path.iterdir()) == []


def test_an_output_is_no_url(cpb, server):
    result = cpb.run("merge", CHUNKED, "-o", f"{server.base}/out.pb")
    assert result.returncode == 1
    assert b"an output cannot be a URL" in result.stderr


# --- An index in pages ---------------------------------------------------------------------------


@pytest.fixture(scope="session")
def paged(cpb, below):
    """A GraphDef of 60,000 constants, 120,000 chunks, whose index is in pages, and without pages."""
    path = below / "paged.pb"
    if not path.exists():
        value = [big_graph.field(1, "value") + big_graph.field(2, big_graph.field(8, big_graph.tensor(b"%010d" % i * 4)))
                 for i in range(60_000)]
        path.write_bytes(b"".join(big_graph.field(1, big_graph.node(f"n{i:07}", "Const", (), big_graph.field(5, v)))
                                  for i, v in enumerate(value)))
        for name, options in ("paged.cpb", ["--index-pages"]), ("whole.cpb", []):
            cpb.ok("split", path, "-o", below / name, "--type", "tensorflow.GraphDef", "--codec", "none",
                   "--max-chunk-size", 70, *options)
    return below


@pytest.mark.parametrize("index", [0, 1, 31_234, 59_999])
def test_a_field_takes_only_the_pages_on_the_way(cpb, server, paged, index):
    for below_node in ("attr[\"value\"].tensor.tensor_content", "name", "attr", ""):
        field = f"node[{index}]" + (f".{below_node}" if below_node else "")
        expected = cpb.ok("cat", paged / "whole.cpb", "--field", field)
        assert cpb.ok("cat", paged / "paged.cpb", "--field", field) == expected
        url, token = server.url("/-/model/paged.cpb")
        assert cpb.ok("cat", url, "--field", field) == expected
        log = server.log(token)
        assert len(log) <= 6 and sum(entry["bytes"] for entry in log) <= 400_000, log


def test_values_at_the_same_url_are_not_compared(cpb, server, large, tmp_path):
    """In the same state; a copy under another URL is read."""
    if not (large / "copy.pb").exists():
        os.link(large / "large.pb", large / "copy.pb")
    url, token = server.url("/-/model/large.pb")
    assert cpb.ok("diff", url, url).startswith(b"The models are the same file")
    assert 0 < sum(size_of(request["range"]) for request in server.seen(token)) < CONSTANT
    url, token = server.url("/-/model/large.pb")
    assert cpb.ok("diff", url, server.url("/-/model/copy.pb")[0]).startswith(b"The models are the same: ")
    assert sum(size_of(request["range"]) for request in server.seen(token)) > CONSTANT


def size_of(range_):
    begin, end = range_.removeprefix("bytes=").split("-")
    return int(end) + 1 - int(begin) if begin and end else 0


@pytest.mark.parametrize("url, answer", [("pal6_ios16.mlpackage", True), ("pal6_ios16.mlpackage/", True), ("model/1/", True),
                                         ("model/2/", b"tried saved_model.pb, saved_model.pbtxt, saved_model.cpb, Manifest.json and checkpoint in it"),
                                         ("none.mlpackage", b"tried Manifest.json in it, and .cpb, .pb and .index after its name"),
                                         ("nothing", b"404: there is no such file; tried .cpb, .pb and .index after its name, too")])
def test_folders_are_models(cpb, server, below, url, answer):
    """As they are named, and as TF Serving numbers them; a refusal says what was looked for."""
    shutil.copytree(DATA / "cases" / "pal6_ios16.mlpackage", below / "pal6_ios16.mlpackage", dirs_exist_ok=True)
    (below / "model" / "1").mkdir(parents=True, exist_ok=True)
    shutil.copy(MESSAGE, below / "model" / "1" / "saved_model.pb")
    result = cpb.run("inspect", f"{server.base}/-/model/{url}", "--json")
    if answer is True:
        assert result.stdout == cpb.ok("inspect", below / url.rstrip("/"), "--json")
    else:
        assert result.returncode == 3 and answer in result.stderr, result.stderr
