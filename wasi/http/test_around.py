"""What stands around cpb-http.wasm: its settings, pages of other origins in browsers, and nginx as a cache."""

import json
import os
import pathlib
import subprocess
import sys
import time

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE)]

from serving import FROZEN, Runtime, Serving, below, counted, native, path_of, server, transpiled  # noqa: E402,F401
from urls.conftest import find  # noqa: E402
from urls.test_servers import free_port, wait_for  # noqa: E402


# --- Settings ------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("models, path, wanted", [
    ({}, "", "CPB_MODELS names no model"), ({"a": "file:///etc/passwd"}, "", "the model a has no http, https or s3 URL"),
    ({"a": "http://user:secret@host/"}, "", "without a password"),
    ({"a b": "http://host/"}, "", "something else after 0"),
    ({"a/b": "http://host/"}, "", 'model 1 of CPB_MODELS is called "a/b"'),
    ({"a/*": "http://host/x"}, "", "the URL of a/* does not end in a slash"),
    ({"a/*": "http://host"}, "", "the URL of a/* does not end in a slash"),
    ({"b": "http://host/b", "a/*": "http://host/ a=http://host/a"}, "/b", "CPB_MODELS has the name a twice"),
    ({"a": "s3://bucket/key"}, "/a", "AWS_REGION is no region"), ({"a": "s3://b/k"}, "/a/message", "AWS_REGION is no")])
def test_settings_that_are_wrong_are_told(models, path, wanted, transpiled):
    runtime = Runtime("jco", models, transpiled, AWS_REGION="no region")
    answer = runtime.get(f"/models{path}")
    runtime.close()
    assert answer.status == 500 and wanted in answer.json()["error"] and b"secret" not in answer.body


@pytest.mark.parametrize("settings, wanted", [
    ({"CPB_ORIGINS": "https://a.example https://a.example/path"}, 'CPB_ORIGINS has https://a.example/path, which is no origin'),
    ({"CPB_CHECKED": "some"}, 'CPB_CHECKED is "some"; expected all or model'),
    ({"CPB_ORIGINS": "a.example"}, "which is no origin"), ({"CPB_CACHE_CONTROL": "a\nb"}, "CPB_CACHE_CONTROL is no value of a header"),
    ({"CPB_CACHE_CONTROL": "a" * 300}, "expected up to 263 printable characters")])
def test_settings_of_headers_that_are_wrong_are_told(settings, wanted, transpiled):
    runtime = Runtime("jco", {"a": "http://host/a"}, transpiled, **settings)
    answer = runtime.get("/models")
    runtime.close()
    assert answer.status == 500 and wanted in answer.json()["error"], answer.body


# --- What stands around it -------------------------------------------------------------------------------------------

FIELD = "fields?path=node[2].name"


def test_a_page_of_another_origin_reads_it_in_three_browsers(server, native, transpiled):
    """A field, the overview and a chunk; with ETag and Content-Range, for which browsers ask before."""
    runtime = Runtime("jco", {"frozen": f"{server.base}{path_of(FROZEN)}"}, transpiled, CPB_ORIGINS="*")
    paths = [f"/models/frozen{path}" for path in (f"/{FIELD}", "", "/chunks/1")]
    wanted = [runtime.get(path) for path in paths]
    found = subprocess.run(["node", HERE / "browsers.js", runtime.base, *paths], capture_output=True, text=True, timeout=400)
    runtime.close()
    lines = [json.loads(line) for line in found.stdout.splitlines()]
    assert [line["name"] for line in lines] == ["chromium", "firefox", "webkit"], found.stderr
    for line in lines:
        *pairs, part = line["result"]
        for answer, whole, again in zip(wanted, pairs[::2], pairs[1::2], strict=True):
            assert (whole["status"], bytes.fromhex(whole["body"])) == (200, answer.body), line["name"]
            assert (again["status"], again["body"]) == (304, "")
            assert whole["etag"] == again["etag"] == answer.headers["ETag"]
        assert (part["status"], bytes.fromhex(part["body"])) == (206, wanted[-1].body[1:5])
        assert part["range"] == f"bytes 1-4/{len(wanted[-1].body)}"


@pytest.fixture
def cached(tmp_path):
    """Starts nginx as a cache in front of an origin, and gives its own. Below /soon/ all is old after a second."""
    started = []

    def start(origin):
        port = free_port()
        paths = "".join(f"{name}_temp_path {tmp_path}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        (tmp_path / "nginx.conf").write_text(f"""
            daemon off; {"user root;" if os.getuid() == 0 else ""} pid {tmp_path}/pid; error_log {tmp_path}/error.log;
            events {{}}
            http {{
              access_log off; {paths} proxy_cache_path {tmp_path}/cache keys_zone=models:1m;
              server {{
                listen 127.0.0.1:{port};
                proxy_cache models; proxy_cache_revalidate on; add_header Cached $upstream_cache_status always;
                location / {{ proxy_pass {origin}; }}
                location /soon/ {{
                  proxy_pass {origin}/; proxy_ignore_headers Cache-Control; proxy_cache_valid 200 1s;
                  proxy_cache_key soon$request_uri;
                }}
              }}
            }}""")
        program = find("nginx")
        started.append(subprocess.Popen([program, "-c", tmp_path / "nginx.conf", "-e", tmp_path / "error.log"]))
        wait_for(f"http://127.0.0.1:{port}/", started[0])
        return f"http://127.0.0.1:{port}"

    yield start
    for process in started:
        process.terminate()
        process.wait()


def test_the_second_reader_behind_a_cache_does_not_touch_it(server, cached, transpiled):
    """Once it is old, the cache asks whether it has changed, which costs one look; an error is not kept."""
    urls, tokens = counted(server, {"frozen": path_of(FROZEN), "none": "/-/model/none.pb"})
    runtime = Runtime("jco", urls, transpiled, CPB_CACHE_CONTROL="max-age=600")
    base, own = cached(runtime.base), runtime.base
    serving = Serving(runtime, server, tokens)
    for path in f"/{FIELD}", "", "/chunks", "/chunks/1", "/message":
        path = f"/models/frozen{path}"
        runtime.base = own
        wanted = runtime.get(path)
        runtime.base = base
        first = runtime.get(path)
        before = len(serving.requests("frozen"))
        second, part = runtime.get(path), runtime.get(path, Range="bytes=1-4")
        assert [answer.headers["Cached"] for answer in (first, second, part)] == ["MISS", "HIT", "HIT"], path
        is_bytes = wanted.headers["Accept-Ranges"] == "bytes"
        assert first.body == second.body == wanted.body and part.body == (wanted.body[1:5] if is_bytes else wanted.body)
        assert first.headers["ETag"] == second.headers["ETag"] == wanted.headers["ETag"]
        assert len(serving.requests("frozen")) == before, "nothing was asked for"
    assert runtime.get(f"/soon{path}").headers["Cached"] == "MISS"
    before = len(serving.requests("frozen"))
    time.sleep(2.1)
    later = runtime.get(f"/soon{path}")
    assert (later.headers["Cached"], later.body) == ("REVALIDATED", wanted.body)
    log = serving.requests("frozen")[before:]
    assert len(log) == 1 and log[0]["bytes"] == 8, log
    assert [runtime.get("/models/none").headers["Cached"] for _ in range(2)] == ["MISS", "MISS"]
    runtime.close()
