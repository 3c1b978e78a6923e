"""cpb-http.wasm: what it serves under jco's server and `wasmtime serve` is what the native command gives, from a
static server, nginx and S3; servers that lie are believed no more than by the native command.

    wasi/test/setup.sh && wasi/build.sh && cd tests && ../build/venv/bin/python -m pytest ../wasi/http

CPB_WASI names the folder of the component, CPB another native command."""

import calendar
import hashlib
import hmac
import json
import os
import pathlib
import random
import re
import shutil
import socket
import sys
import time
import tomllib
import urllib.parse
import urllib.request

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE)]

from serving import (CACHED, CHUNKED, DATA, FROZEN, KEYS, LARGE, ONCE, ORIGINS, SILENT, STALLS, TWICE,  # noqa: E402,F401
                     WASM, Runtime, below, counted, hasty, native, nginx, path_of, s3, server, serving, transpiled)
from urls.conftest import SIZE, bytes_at  # noqa: E402


def transferred(answer):
    return [int(number) for number in re.fullmatch(r"requests=(\d+), bytes=(\d+)", answer.headers["CPB-Transferred"]).groups()]


# --- What it is made of --------------------------------------------------------------------------------------

def test_imports_and_exports():
    from cpb_component import ENGINE, load
    kind = load(str(WASM)).type
    assert {re.sub("@0[.]2[.].*", "", name) for name in kind.imports(ENGINE)} == {
        "wasi:cli/environment", "wasi:clocks/monotonic-clock", "wasi:clocks/wall-clock", "wasi:http/outgoing-handler",
        "wasi:http/types", "wasi:io/error", "wasi:io/poll", "wasi:io/streams"}
    assert [name.split("@")[0] for name in kind.exports(ENGINE)] == ["wasi:http/incoming-handler"]
    size = os.path.getsize(WASM)
    print(f"\ncpb-http.wasm: {size} bytes")
    assert size <= 938_000


@pytest.mark.parametrize("manifest", ["spin.toml", "wasmcloud.yaml"])
def test_manifests_allow_the_hosts_of_their_models(manifest):
    text = (HERE / manifest).read_text()
    if manifest.endswith(".toml"):
        component = tomllib.loads(text)["component"]["cpb-http"]
        assert component["source"] == WASM.name
        models, allowed = component["environment"]["CPB_MODELS"], component["allowed_outbound_hosts"]
    else:
        models = re.search("CPB_MODELS: (.*)", text)[1]
        allowed = [f"https://{host}" for host in re.search(r"allowedHosts:\n((?: +- .*\n)+)", text)[1].split("- ")[1:]]
    origins = {"/".join(model.split("=", 1)[1].split("/")[:3]) for model in models.split()}
    assert origins == {host.strip() for host in allowed}


# --- Answers ----------------------------------------------------------------------------------------------------

def test_models_are_listed_without_their_urls(serving):
    answer = serving.get("/models")
    assert "folder" in answer.json()["models"] and b"://" not in answer.body


@pytest.mark.parametrize("model, file", [("module.cpb", CHUNKED), ("folder", None), ("frozen.cpb", FROZEN)])
def test_questions_have_the_answers_of_the_command(serving, native, below, model, file):
    file = file or below / "module"
    asked = [("overview", {}), ("ops", {}), ("nodes", {"first": 3, "count": 2}), ("search", {"name": "a"})]
    asked += [("variables", {}), ("signature", {"name": "serving_default"})] if model == "folder" else []
    for question, options in asked:
        words = [f"--{name}={value}" for name, value in options.items() if name != "name"]
        name = [options["name"]] if "name" in options else []
        wanted = json.loads(native.ok("inspect", file, question, *name, "--json", *words))
        path = "" if question == "overview" else f"/{question}?{urllib.parse.urlencode(options)}"
        answer = serving.get(f"/models/{model}{path}")
        assert answer.status == 200, answer.body
        found = answer.json()
        assert found[question] == wanted
        assert transferred(answer)[0] <= 6
    assert "fingerprint" in serving.get("/models/folder").json()["overview"]


@pytest.mark.parametrize("model, file", [("module.cpb", CHUNKED), ("frozen.cpb", FROZEN)])
def test_chunks(serving, native, model, file):
    info = json.loads(native.ok("info", file, "--json"))
    found = serving.get(f"/models/{model}/chunks?count=10000").json()["chunks"]
    assert found["total"] == len(found["items"]) == len(info["chunks"])
    page = serving.get(f"/models/{model}/chunks?first=2&count=3").json()["chunks"]
    assert page == {"total": found["total"], "first": 2, "items": found["items"][2:5]}
    for chunk in found["items"][:6]:
        wanted = native.ok("cat", file, "--chunk", chunk["index"])
        assert chunk["size"] == len(wanted) and chunk["position"] == info["chunks"][chunk["index"]]["position"]
        assert serving.get(f"/models/{model}/chunks/{chunk['index']}").body == wanted
    answer = serving.get(f"/models/{model}/chunks/0", Range="bytes=5-9")
    assert (answer.status, answer.body) == (206, native.ok("cat", file, "--chunk", 0)[5:10])


@pytest.mark.parametrize("model, file", [("module.cpb", CHUNKED), ("folder", DATA / "cpb/real_tf_module/orig.pb")])
def test_ranges_of_the_message(serving, native, model, file):
    whole = native.ok("merge", file, "-o", "-")
    size, chance = len(whole), random.Random(3)
    answer = serving.get(f"/models/{model}/message")
    assert (answer.status, answer.body, answer.whole) == (200, whole, True)
    assert answer.headers["Accept-Ranges"] == "bytes" and answer.headers["Content-Length"] == str(size)
    spans = [sorted(chance.sample(range(size), 2)) for _ in range(5)]
    headers = [(f"{a}-{b}", a, b + 1) for a, b in spans]
    headers += [("0-0", 0, 1), (f"{size - 1}-", size - 1, size), ("-7", size - 7, size), (f"-{size * 2}", 0, size),
                (f"7-{size * 2}", 7, size), (f"7-{1 << 64}", 7, size), (f"-{1 << 70}", 0, size)]
    for text, begin, end in headers:
        answer = serving.get(f"/models/{model}/message", Range=f"bytes={text}")
        assert (answer.status, answer.body) == (206, whole[begin:end]), text
        assert answer.headers["Content-Range"] == f"bytes {begin}-{end - 1}/{size}"
    for text in "bytes=5-4", "bytes=0-1,4-5", "lines=0-1", "bytes=-", "bytes=x-1":  # are as if there were none
        assert serving.get(f"/models/{model}/message", Range=text).status == 200
    for text in f"bytes={size}-", "bytes=-0", f"bytes={(1 << 64) - 1}-", f"bytes={1 << 65}-{1 << 66}":
        answer = serving.get(f"/models/{model}/message", Range=text)
        assert (answer.status, answer.headers["Content-Range"]) == (416, f"bytes */{size}")


def test_the_state_is_that_of_the_file(serving):
    """ETag, If-Match, If-None-Match and If-Range."""
    message = "/models/frozen.cpb/message"
    etag = serving.get(message).headers["ETag"]
    for tag, status in (etag, 304), (f'"x", W/{etag}', 304), ("*", 304), ('"x"', 200), (etag[:-2] + '"', 200):
        answer = serving.get(message, If_None_Match=tag)
        assert (answer.status, answer.body == b"") == (status, status == 304)
    for tag, status in (etag, 206), ('"x"', 200), (f"W/{etag}", 200):
        assert serving.get(message, Range="bytes=0-1", If_Range=tag).status == status
    for tag, status in (etag, 200), (f'"x", {etag}', 200), ("*", 200), ('"x"', 412), (f"W/{etag}", 412), ("", 412):
        assert serving.get(message, If_Match=tag).status == status, tag


EVERY = ["message", "chunks", "chunks/1", "fields?path=node[2].name", "", "nodes?count=3"]


@pytest.mark.parametrize("model, most", [("frozen.cpb", 1), ("folder", 6), ("s3", 1)])
@pytest.mark.parametrize("path", EVERY)
def test_an_unchanged_file_costs_one_request(serving, model, most, path):
    """Of each file that the answer is of: a request, of which no body is read that is worth it."""
    path = f"/models/{model}/{path}".replace("node[2].name", "saved_model_schema_version" if model == "folder" else "node[2].name")
    answer = serving.get(path)
    if model == "folder" and "/chunks" in path:
        return
    assert answer.status == 200, answer.body[:300]
    etag = answer.headers["ETag"]
    assert re.fullmatch(r'"[0-9a-f]{32}[.][0-9a-f]+"', etag) and answer.headers["Cache-Control"] == CACHED
    assert serving.get(path).headers["ETag"] == etag
    before = len(serving.requests(model)) if model in serving.tokens else 0
    for tags in etag, f'W/{etag}', f'"x", {etag}', f'"{"0" * 32}.1", "x"y,{etag}':
        known = serving.get(path, If_None_Match=tags)
        assert (known.status, known.body, known.headers["ETag"]) == (304, b"", etag)
        assert known.headers["Cache-Control"] == CACHED and "Content-Length" not in known.headers
    if model in serving.tokens:
        log = serving.requests(model)[before:]
        assert len(log) <= 4 * most and sum(entry["bytes"] for entry in log) <= 8 * len(log), log
    assert serving.get(path, If_None_Match=etag[:-4] + 'x.1"').status == 200


def test_each_answer_has_an_etag_of_its_own(serving):
    etags = [serving.get(f"/models/frozen.cpb/{path}").headers["ETag"] for path in [*EVERY, "nodes?count=4", "fields?path="]]
    etags += [serving.get(path).headers["ETag"] for path in ("/models", "/models/module.cpb", "/models/other")]
    assert None not in etags and len(set(etags)) == len(etags)
    listed = serving.get("/models")
    assert serving.get("/models", If_None_Match=listed.headers["ETag"]).status == 304


def test_a_folder_is_looked_at_once_where_only_the_model_is_checked(server, below, transpiled):
    """CPB_CHECKED=model: one request; what is beside the model is noticed with the model alone."""
    folder = below / "checked"
    shutil.copytree(DATA / "cpb/real_tf_module/model", folder, dirs_exist_ok=True)
    shutil.copy(CHUNKED, folder / "saved_model.cpb")
    urls, tokens = counted(server, {"checked": "/-/model/checked/"})
    runtime = Runtime("jco", urls, transpiled, CPB_CHECKED="model")
    try:
        for path in "", "/message", "/fields?path=saved_model_schema_version", "/signature?name=serving_default":
            first = runtime.get(f"/models/checked{path}")
            etag = first.headers["ETag"]
            assert re.fullmatch(r'(W/)?"[0-9a-f]{32}[.]40"', etag), etag
            assert etag.startswith("W/") == (path == "" or path.startswith("/signature"))
            before = len(server.log(tokens["checked"]))
            assert runtime.get(f"/models/checked{path}", If_None_Match=etag).status == 304
            log = server.log(tokens["checked"])[before:]
            assert len(log) == 1 and log[0]["bytes"] <= 8, log
        shutil.rmtree(folder / "variables")
        assert runtime.get("/models/checked/message", If_None_Match=runtime.get("/models/checked/message").headers["ETag"]).status == 304
        shutil.copy(DATA / "cpb/real_tf_module/max3000_tr.cpb", folder / "saved_model.cpb")
        assert runtime.get(f"/models/checked{path}", If_None_Match=etag).status == 200
    finally:
        runtime.close()
        shutil.rmtree(folder)


def test_a_file_that_appears_beside_a_model_is_noticed(serving, below):
    """Also what was not there before, and another file that is found first."""
    folder = below / "growing"
    folder.mkdir(exist_ok=True)
    shutil.copy(CHUNKED, folder / "saved_model.cpb")
    etags = [serving.get("/models/growing").headers["ETag"]]
    for name in "fingerprint.pb", "variables/variables.index", "saved_model.pb":
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copy(DATA / "cpb/real_tf_module" / ("orig.pb" if name == "saved_model.pb" else f"model/{name}"), folder / name)
        answer = serving.get("/models/growing", If_None_Match=etags[-1])
        assert answer.status == 200, name
        etags.append(answer.headers["ETag"])
        assert serving.get("/models/growing", If_None_Match=etags[-1]).status == 304, name
    assert len(set(etags)) == 4
    shutil.rmtree(folder)
    assert serving.get("/models/growing", If_None_Match=etags[-1]).status == 404


@pytest.mark.parametrize("model, path", [("frozen.cpb", path) for path in EVERY] + [("large", "message"), ("folder", "message")])
def test_a_head_reads_no_body(serving, model, path):
    """How long the answer is, it says of a message that is a file as it is."""
    before = len(serving.requests(model))
    head = serving.get(f"/models/{model}/{path}", method="HEAD")
    log = serving.requests(model)[before:]
    assert len(log) <= 2 and sum(entry["bytes"] for entry in log) <= 16, log
    answer = serving.get(f"/models/{model}/{path}")
    assert (head.status, head.body) == (200, b"") and head.headers["Cache-Control"] == CACHED
    for name in "Content-Type", "Accept-Ranges", "Last-Modified":
        assert head.headers[name] == answer.headers[name]
    asks = not re.match("message|chunks|fields", path)
    assert head.headers["ETag"] == (None if asks else answer.headers["ETag"])
    assert head.headers["Content-Length"] == (None if model == "frozen.cpb" else answer.headers["Content-Length"])


def test_a_date_is_a_state_too(serving):
    """Where there is no ETag, the weak one is of date and size; If-Modified-Since counts where no ETag is asked for."""
    path = "/models/mid-date/message"
    answer = serving.get(path, Range="bytes=0-9")
    date = answer.headers["Last-Modified"]
    assert date and answer.headers["ETag"].startswith('W/"') and answer.status == 206
    for since, status in (date, 304), (date.replace("2026", "2027"), 304), (date.replace("2026", "2025"), 200), ("x", 200):
        assert serving.get(path, If_Modified_Since=since).status == status, since
    assert serving.get(path, If_Modified_Since=date, If_None_Match='"x"').status == 200
    assert "ETag" not in serving.get("/models/mid-nothing-to-compare/message").headers


def test_lines_of_one_header_are_one_list(serving):
    etag = serving.get("/models/frozen.cpb/chunks").headers["ETag"]
    with socket.create_connection(("127.0.0.1", serving.runtime.port), timeout=60) as client:
        client.sendall(b"GET /models/frozen.cpb/chunks HTTP/1.1\r\nHost: x\r\nIf-None-Match: \"x\"\r\n"
                       b"If-None-Match: " + etag.encode() + b"\r\n\r\n")
        assert client.recv(1000).startswith(b"HTTP/1.1 304")


def test_pages_of_configured_origins_may_read(serving):
    for method, path, status in ("GET", "/models", 200), ("GET", "/models/x", 404), ("OPTIONS", "/models/x/chunks", 204):
        for origin in [*ORIGINS, "https://one.example.org", "https://one", "null", None]:
            answer = serving.get(path, method, **({"Origin": origin} if origin else {}))
            allowed = origin if origin in ORIGINS else None
            assert (answer.status, answer.headers["Access-Control-Allow-Origin"]) == (status, allowed)
            assert answer.headers["Vary"] == "Origin"
            assert ("ETag" in (answer.headers["Access-Control-Expose-Headers"] or "")) == bool(allowed)
            age = answer.headers["Access-Control-Max-Age"]
            assert age == ("86400" if allowed and method == "OPTIONS" else None)
    assert serving.get("/models/x").headers["Cache-Control"] == "no-store"


def test_the_command_reads_from_the_component_as_from_any_server(serving, native):
    """Which believes a server no more than the component does."""
    base = serving.runtime.base
    message = native.ok("merge", CHUNKED, "-o", "-")
    assert native.ok("cat", f"{base}/models/module.cpb/message", "--field", "") == message
    assert native.ok("inspect", f"{base}/models/module.cpb/message", "constants") == \
        native.ok("inspect", CHUNKED, "constants")
    assert native.ok("cat", f"{base}/models/large/message", "--field", "") == bytes(LARGE)


@pytest.mark.parametrize("path", [
    "meta_graphs[0].meta_info_def", "meta_graphs[0].graph_def.node[2]", "meta_graphs[0].graph_def.node[2].name",
    "meta_graphs[0].signature_def", "meta_graphs[0].graph_def.versions", "saved_model_schema_version", "",
    "meta_graphs[0].graph_def.node[0].attr"])
def test_fields(serving, native, path):
    """The value is that of the command."""
    found = serving.get(f"/models/module.cpb/fields?omit=100&path={urllib.parse.quote(path)}").json()
    wanted = json.loads(native.ok("cat", CHUNKED, "--field", path, "--json", "--omit", 100))
    assert found["path"] == path
    assert found["value"] == wanted
    if "offset" in found:
        part = serving.get("/models/module.cpb/message",
                           Range=f"bytes={found['offset']}-{found['offset'] + found['size'] - 1}").body
        assert part == native.ok("cat", CHUNKED, "--field", path)


def test_large_values_are_left_out_of_fields(serving, native):
    path = "/models/frozen.cpb/fields?path=" + urllib.parse.quote('node[2].attr["value"].tensor')
    answer = json.dumps(serving.get(path + "&omit=8").json()["value"])
    assert "@omitted" in answer and len(answer) < 500
    full = serving.get(path + "&omit=1000000").json()["value"]
    assert full == json.loads(native.ok("cat", FROZEN, "--field", 'node[2].attr["value"].tensor', "--json"))


# --- Models below a prefix ------------------------------------------------------------------------------------------

def test_models_of_a_folder_and_of_a_bucket(serving, native):
    """By their paths, of which the last part may be an answer's name."""
    wanted = json.loads(native.ok("inspect", DATA / "cpb/real_tf_module/orig.pb", "--json"))
    for path in "all/module", "all/module/", "all/module/overview", "all/module/saved_model.pb":
        found = serving.get(f"/models/{path}").json()["overview"]
        assert {name: found[name] for name in ("kind", "meta_graphs")} == {name: wanted[name] for name in ("kind", "meta_graphs")}, path
    assert serving.get("/models/all/module/nodes?count=2").json()["nodes"] == serving.get("/models/folder/nodes?count=2").json()["nodes"]
    assert serving.get("/models/all/module/message").body == (DATA / "cpb/real_tf_module/orig.pb").read_bytes()
    assert serving.get("/models/all/damaged.cpb/chunks/0").body == native.ok("cat", FROZEN, "--chunk", 0)
    merged = native.ok("merge", FROZEN, "-o", "-")
    for name in "model.cpb", "gr%C3%B6%C3%9Fe.cpb", "größe.cpb", "a%20model+100.cpb":
        answer = serving.get("/models/bucket/dir/" + urllib.parse.quote(name, safe="%+"))
        assert answer.status == (404 if "100" in name else 200), answer.body
    assert serving.get("/models/bucket/dir/model.cpb/message").body == merged
    assert serving.get("/models").json()["models"].count("all/*") == 1


@pytest.mark.parametrize("path, wanted", [
    ("../below/x.cpb", '".."'), ("x/%2e%2E/y.cpb", '".."'), ("./x.cpb", '".."'), ("x/..", '".."'), ("..%2fx.cpb", "escaped slash"),
    ("..%5cx.cpb", "backslash"), ("%252e%252e/x.cpb", '"%"'), ("x%00.cpb", "control character"), ("x%3Fversion=1", '"?"'),
    ("x%23", '"#"'), ("x%zz", "hexadecimal"), ("x%2", "hexadecimal"), ("", "empty part"), ("/", "empty part"),
    ("x//y.cpb", "empty part"), ("chunks/..//", "part")])
@pytest.mark.parametrize("prefix", ["all", "bucket"])
def test_no_path_leads_out_of_a_prefix(serving, prefix, path, wanted):
    before = len(serving.requests("all/*"))
    answer = serving.get(f"/models/{prefix}/{path}")
    assert answer.status == 400 and wanted in answer.json()["error"], answer.body
    assert len(serving.requests("all/*")) == before


# --- Errors ------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("path, status, code", [
    ("/", 200, None), ("/x", 404, "NOT_FOUND"), ("/models/nothing", 404, "NOT_FOUND"),
    ("/models/frozen.cpb/x", 404, "NOT_FOUND"), ("/models/frozen.cpb/chunks/6", 404, "NOT_FOUND"),
    ("/models/frozen.cpb/chunks/x", 404, "NOT_FOUND"), ("/models/frozen.cpb/fields?path=nod", 404, "NOT_FOUND"),
    ("/models/frozen.cpb/fields?path=[[", 400, "USAGE"), ("/models/frozen.cpb/fields?path=%zz", 400, "USAGE"),
    ("/models/frozen.cpb/fields?type=x.Y", 400, "USAGE"), ("/models/frozen.cpb/chunks?first=-1", 400, "USAGE"),
    ("/models/frozen.cpb/chunks?count=99999", 400, "USAGE"), ("/models/frozen.cpb/fields?omit=9999999", 400, "USAGE"),
    (f"/models/frozen.cpb/fields?path={'x' * 5000}", 400, "USAGE"), ("/models/none", 404, "NOT_FOUND"),
    ("/models/frozen.cpb/signature?name=x", 415, "UNSUPPORTED"), ("/models/readme", 415, "FORMAT"),
    ("/models/text.pb/chunks", 415, "FORMAT"), ("/models/damaged/chunks/1", 422, "DAMAGED"),
    ("/models/short", 422, "TRUNCATED"), ("/models/away", 502, "READ"),
    ("/models/s3-none/message", 404, "NOT_FOUND")])
def test_an_error_has_a_status_and_says_why(serving, path, status, code):
    answer = serving.get(path)
    assert answer.status == status, answer.body
    assert answer.json().get("code") == code and answer.headers["Content-Type"] == "application/json"
    assert b"://" not in answer.body
    if code == "DAMAGED":
        assert answer.json()["offset"] > 0


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_only_reading_is_allowed(serving, method):
    answer = serving.get("/models", method=method)
    assert (answer.status, answer.headers["Allow"]) == (405, "GET, HEAD, OPTIONS")


def test_a_body_is_not_read(serving):
    with socket.create_connection(("127.0.0.1", serving.runtime.port), timeout=60) as client:
        client.sendall(b"POST /models HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n" + bytes(100_000))
        assert client.recv(1000).startswith(b"HTTP/1.1 405")
    assert serving.get("/models").status == 200


# --- Distrust -----------------------------------------------------------------------------------------------------

def with_range(twice, once):
    """Rows with the range that the second request is for, or the first."""
    rows = [(*case, 200_000, 250_000) for case in twice] + [(*case, 1000, 6000) for case in once]
    return pytest.mark.parametrize("fault, wanted, most, begin, end", rows, ids=[row[0] for row in rows])


def check_fault(serving, fault, wanted, most, begin, end):
    answer = serving.get(f"/models/lie-{fault}/message", Range=f"bytes={begin}-{end - 1}")
    if wanted is None:
        assert (answer.status, answer.body) == (206, bytes_at(begin, end)), answer.body[:200]
    else:
        assert answer.status == (404 if fault == "404" else 502), answer.body[:200]
        assert re.search(wanted, answer.error()), answer.error()
    log = serving.requests(f"lie-{fault}")
    most += 3 * (fault in ("403", "403-expired", "404"))  # three more names are tried
    assert len(log) <= most and {entry["method"] for entry in log} <= {"GET"}


@with_range([case for case in TWICE if case not in SILENT], ONCE)
def test_servers_that_lie_are_believed_no_more_than_natively(serving, fault, wanted, most, begin, end):
    """The fault matrix of tests/urls."""
    check_fault(serving, fault, wanted, most, begin, end)


@with_range(SILENT, STALLS)
def test_silence_ends_in_time(hasty, fault, wanted, most, begin, end):
    check_fault(hasty, fault, wanted, most, begin, end)


@pytest.mark.parametrize("fault", ["etag-changes", "cut"])
def test_a_response_that_breaks_off_is_not_taken_for_whole(serving, fault):
    """Nobody is given the rest of another file, or zeros: the header has gone, so the connection ends."""
    answer = serving.get(f"/models/mid-{fault}/message")
    assert not answer.whole or answer.status == 502
    assert bytes_at(0, SIZE).startswith(answer.body) or answer.status == 502


def test_damage_within_a_message_breaks_it_off(serving, native):
    answer = serving.get("/models/damaged/message")  # Wasmtime drops the headers if the error comes before it sends them
    whole = native.ok("merge", FROZEN, "-o", "-")
    assert answer.status in (200, None) and not answer.whole and whole.startswith(answer.body)
    assert serving.get("/models/damaged/message", Range="bytes=0-99").body == whole[:100]


def test_later_ranges_are_of_the_same_state(serving):
    assert serving.get("/models/see/message", Range="bytes=200000-200009").body == bytes_at(200000, 200010)
    first, second = serving.server.seen(serving.tokens["see"])
    assert ("if-match" in first, second["if-match"]) == (False, '"seen"')
    assert first["accept-encoding"] == second["accept-encoding"] == "identity"


def test_the_time_in_all_is_limited(hasty):
    answer = hasty.get("/models/lie-slow/message", Range="bytes=200000-299999")
    assert (answer.status, answer.error()) == (504, "UNAVAILABLE: the time for reading is over")


@pytest.mark.parametrize("model", ["home", "known", "relative", "away"])
def test_redirects_lead_to_configured_origins_alone(serving, model):
    answer = serving.get(f"/models/{model}/message", Range="bytes=1000-1999")
    if model == "away":
        assert answer.status == 502
        assert answer.error().endswith("302, which leads to an origin that no model is configured for")
        assert serving.server.log("away") == []
    else:
        assert (answer.status, answer.body) == (206, bytes_at(1000, 2000)), answer.body


def test_a_client_that_goes_away_stops_nobody_else(hasty):
    with socket.create_connection(("127.0.0.1", hasty.runtime.port)) as client:
        client.sendall(b"GET /models/large/message HTTP/1.1\r\nHost: x\r\n\r\n")
        client.recv(1000)
    assert hasty.get("/models").status == 200
    assert sum(entry["bytes"] for entry in hasty.requests("large")) < LARGE


# --- Real servers -------------------------------------------------------------------------------------------------

def test_nginx(serving, native):
    wanted = native.ok("merge", FROZEN, "-o", "-")
    assert serving.get("/models/nginx/message").body == wanted
    assert serving.get("/models/nginx-large/message").body == bytes(3_000_000)
    assert (serving.get("/models/nginx-empty/message").status, serving.get("/models/nginx-empty").status) == (200, 415)
    assert serving.get("/models/nginx-empty/message", Range="bytes=-5").headers["Content-Range"] == "bytes */0"
    assert "the server ignores ranges" in serving.get("/models/nginx-page/message").error()


def test_s3(serving, native):
    """With signatures: the bucket is private."""
    answer = serving.get("/models/s3/message")
    assert answer.status == 200, answer.error()
    assert answer.body == native.ok("merge", FROZEN, "-o", "-")
    wanted = json.loads(native.ok("inspect", DATA / "cpb/real_frozen_conv/orig.pb", "--json"))
    assert serving.get("/models/s3-folder").json()["overview"] == wanted


def signature_of(request, secret, region):
    """By the documentation of AWS Signature Version 4, of what came."""
    fields = dict(field.split("=", 1) for field in request["authorization"].split(" ", 1)[1].split(","))
    names, date = fields["SignedHeaders"], request["x-amz-date"]
    path, _, query = request["url"].partition("?")
    pairs = sorted(pair if "=" in pair else pair + "=" for pair in query.split("&"))
    canonical = ["GET", path, "&".join(pairs), *(f"{name}:{request[name]}" for name in names.split(";")), "", names,
                 request["x-amz-content-sha256"]]
    scope = f"{date[:8]}/{region}/s3/aws4_request"
    text = ["AWS4-HMAC-SHA256", date, scope, hashlib.sha256("\n".join(canonical).encode()).hexdigest()]
    key = f"AWS4{secret}".encode()
    for part in [*scope.split("/"), "\n".join(text)]:
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    assert abs(calendar.timegm(time.strptime(date, "%Y%m%dT%H%M%SZ")) - time.time()) < 60
    assert fields["Credential"] == f"test-access/{scope}"
    return fields["Signature"], key.hex()


def test_the_signature_goes_to_its_endpoint_alone(server, transpiled):
    """With a session token and a query, which are signed, too. A redirect to another origin takes neither along."""
    _, token = server.url("")
    _, other = server.url("")
    env = KEYS | {"AWS_SESSION_TOKEN": "the-token", "AWS_REGION": "eu-central-1"}
    runtime = Runtime("jco", {"a": f"s3://-/see/x?versionId=3&count={token}&acl"}, transpiled, **env,
                      AWS_ENDPOINT_URL=server.base)
    assert runtime.get("/models/a/message", Range="bytes=0-9").body == bytes_at(0, 10)
    runtime.close()
    [request] = server.seen(token)
    found, wanted = signature_of(request, KEYS["AWS_SECRET_ACCESS_KEY"], "eu-central-1")
    assert (found, request["x-amz-security-token"]) == (wanted, "the-token")
    away = f"{server.other}/-/see/x?count={other}".replace("/", "%2F").replace("?", "%3F")
    runtime = Runtime("jco", {"b": "s3://-/see", "c": f"{server.other}/x"}, transpiled, **env,
                      AWS_ENDPOINT_URL=f"{server.base}/-/move/{away}")
    assert runtime.get("/models/b/message", Range="bytes=0-9").body == bytes_at(0, 10)
    runtime.close()
    [arrived] = server.seen(f"{other}/-/see")
    assert not {"authorization", "x-amz-security-token", "x-amz-date"} & set(arrived), arrived


def test_few_requests_and_little_memory(serving):
    """A long body: each range is longer than the one before, and no more is held than they are."""
    before = len(serving.requests("large"))
    answer = serving.get("/models/large/message")
    assert answer.whole and answer.body == bytes(LARGE)
    assert len(serving.requests("large")) - before <= 18
    if serving.runtime.name == "jco":
        assert serving.runtime.memory() < 20_000_000


def test_nothing_is_kept_from_one_request_to_the_next(serving):
    """In jco all requests are given to one instance."""
    if serving.runtime.name != "jco":
        pytest.skip("wasmtime makes an instance for each request")
    paths = ["/models/folder", "/models/module.cpb/message", "/models/frozen.cpb/chunks/1", "/models/none",
             "/models/damaged/message", "/models/module.cpb/fields?path=meta_graphs", "/models/lie-endless/message",
             "/models/frozen.cpb/fields?path=nod", "/models/readme", "/models/s3/message"]
    before = []
    for _ in range(8):
        for path in paths:
            serving.get(path)
        before.append(serving.runtime.memory())
    assert len(set(before[2:])) == 1, before
