"""What serves the component in the tests, jco's server and `wasmtime serve`, and the servers that it reads from."""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "build/tools/wasmtime"), str(ROOT / "wasi/examples/python")]

from conftest import Cpb, DATA  # noqa: E402
from urls import test_faults  # noqa: E402
from urls.conftest import ENVIRONMENT, Server  # noqa: E402
from urls.test_servers import KEYS, free_port, nginx, s3  # noqa: E402,F401

WASM = pathlib.Path(os.environ.get("CPB_WASI", ROOT / "build" / "wasi")) / "cpb-http.wasm"
WASMTIME = ROOT / "build/tools/bin/wasmtime"
RUNTIMES = ["jco", "wasmtime"]
CHUNKED = DATA / "cpb/real_tf_module/max3000_zstd.cpb"
FROZEN = DATA / "cpb/real_frozen_conv/max1000_none.cpb"
LARGE = 24_000_000
ORIGINS = "https://one.example", "https://two.example:8443"
CACHED = "public, max-age=60"


class Answer:
    """What came: the status, headers, bytes, and whether all of them."""

    def __init__(self, status, headers, body, whole):
        self.status, self.headers, self.body, self.whole = status, headers, body, whole

    def json(self):
        return json.loads(self.body)

    def error(self):
        found = self.json()
        return f"{found['code']}: {found['error']}"


class Runtime:
    def __init__(self, name, models, folder, **env):
        self.name, self.port = name, free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        models = " ".join(f"{name}={url}" for name, url in models.items())
        env = {"CPB_MODELS": models, **env}
        start = self.jco if name == "jco" else self.wasmtime
        self.log = folder / f"log-{self.port}"
        with open(self.log, "wb") as log:
            self.process = start(folder, env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log)
        self.wait()

    def jco(self, folder, env, **pipes):
        words = ["node", ROOT / "wasi/http/serve.js", WASM, folder, "127.0.0.1", str(self.port)]
        return subprocess.Popen(words, env=ENVIRONMENT | env, **pipes)

    def wasmtime(self, folder, env, **pipes):
        words = [WASMTIME, "serve", "-Scli", "-Wmax-memory-size=24000000", f"--addr=127.0.0.1:{self.port}"]
        words += [f"--env={name}={value}" for name, value in env.items()]
        if "pooling" in subprocess.run([*words, os.devnull], capture_output=True, text=True).stderr:
            words.append("-Opooling-allocator=n")
        cache = {"XDG_CACHE_HOME": str(ROOT / "build" / "cache")}  # of what is compiled
        return subprocess.Popen([*words, WASM], env=ENVIRONMENT | cache, **pipes)

    def wait(self):
        for _ in range(2000):
            try:
                return socket.create_connection(("127.0.0.1", self.port), timeout=60).close()
            except OSError:
                assert self.process.poll() is None, self.log.read_text()
                time.sleep(0.05)
        raise TimeoutError(self.log.read_text())

    def get(self, path, method="GET", **headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        request = urllib.request.Request(self.base + path, headers=headers, method=method)
        try:
            response = urllib.request.urlopen(request, timeout=120)
        except urllib.error.HTTPError as error:
            response = error
        except ConnectionError:  # closed before the headers were sent
            return Answer(None, {}, b"", False)
        body, whole = b"", True
        with response:
            try:
                while piece := response.read1(1 << 20):
                    body += piece
            except OSError:  # reset, or nothing more comes
                whole = False
        length = response.headers.get("Content-Length")
        whole = whole and (method == "HEAD" or length is None or int(length) == len(body))
        return Answer(response.status, response.headers, body, whole)

    def memory(self):
        """Bytes that the component's memory has; of jco alone, where the instance stays."""
        self.process.stdin.write(b"how much?\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())

    def close(self):
        self.process.terminate()
        self.process.communicate(timeout=60)


class Serving:
    """A runtime, and the tokens under which the requests of its models are counted."""

    def __init__(self, runtime, server, tokens):
        self.runtime, self.server, self.tokens = runtime, server, tokens
        self.get = runtime.get

    def requests(self, model):
        """Those that the component has made for it: method, range, status."""
        return self.server.log(self.tokens[model])


@pytest.fixture(scope="session")
def native():
    return Cpb()


@pytest.fixture(scope="session")
def transpiled(tmp_path_factory):
    """Where jco's JavaScript of the component is kept from one start to the next."""
    return tmp_path_factory.mktemp("transpiled")


@pytest.fixture(scope="session")
def server(below):
    """The test server; `below` is a folder that it gives files of."""
    server = Server(str(below), {})
    yield server
    server.close()
    server.process.stdout.close()


def counted(server, paths):
    """Models of the test server: URLs, and their tokens."""
    urls, tokens = {}, {}
    for name, path in paths.items():
        tokens[name] = uuid.uuid4().hex
        urls[name] = f"{server.base}{path}{'&' if '?' in path else '?'}count={tokens[name]}"
    return urls, tokens


def path_of(file):
    return f"/{file.relative_to(ROOT)}"


# --- The servers ----------------------------------------------------------------------------------------------

@pytest.fixture(scope="session")
def below(tmp_path_factory):
    """A folder with a SavedModel and all that is beside it, with what is damaged, and what is large."""
    below = tmp_path_factory.mktemp("below")
    shutil.copytree(DATA / "cpb/real_tf_module/model", below / "module")
    shutil.copy(DATA / "cpb/real_tf_module/orig.pb", below / "module/saved_model.pb")
    data = bytearray(FROZEN.read_bytes())
    data[1500] ^= 1  # within a chunk
    (below / "damaged.cpb").write_bytes(data)
    (below / "short.cpb").write_bytes(data[:9000])
    with open(below / "large.pb", "wb") as large:
        large.truncate(LARGE)
    return below


def moves(server):
    """Redirects: within the origin, to one of another model, and to one that is not configured."""
    def to(url):
        return f"/-/move/{urllib.parse.quote(url, safe='')}"
    away = server.base.replace("127.0.0.1", "localhost")
    return {"home": to(f"{server.base}/-/see/x"), "known": to(f"{server.other}/-/see/x"),
            "relative": to("/-/see/x"), "away": to(f"{away}/-/see/x?count=away"), "loop": "/-/lie/redirect-forever"}


def cases(*tests):
    """The rows of the fault matrix: fault, what is expected, the most requests."""
    return [case for test in tests for case in test.pytestmark[0].args[1]]


TWICE = cases(test_faults.test_a_range_is_exactly_what_was_asked_for, test_faults.test_a_file_that_changes_is_noticed,
              test_faults.test_temporary_failures_are_retried, test_faults.test_a_refusal_later_is_told_too)
TWICE = [case for case in TWICE if case[0] != "etag-later"]  # in the third request
ONCE = cases(test_faults.test_refusals_are_told_apart) + [
    ("reset", r"UNAVAILABLE: no response \(", 4), ("cut", r"UNAVAILABLE: the response broke off \(", 4)]
# Of silence, which takes as long as a server is waited for.
SILENT = [case for case in TWICE if "stall" in case[0]]
STALLS = [("stall", "UNAVAILABLE: no bytes from the server for 400 ms", 3),
          ("stall-body", "UNAVAILABLE: no bytes from the server for 400 ms", 3)]


@pytest.fixture(scope="module", params=RUNTIMES)
def serving(request, server, nginx, s3, transpiled):  # noqa: F811
    faults = {case[0] for case in TWICE + ONCE}
    urls, tokens = counted(server, {
        "module.cpb": path_of(CHUNKED), "frozen.cpb": path_of(FROZEN), "folder": "/-/model/module/",
        "none": "/-/model/none.pb", "see": "/-/see/file", "damaged": "/-/model/damaged.cpb", "short": "/-/model/short.cpb",
        "readme": path_of(ROOT / "README.md"), "large": "/-/model/large.pb", "text.pb": path_of(ROOT / "LICENSE"),
        **moves(server), **{f"lie-{fault}": f"/-/lie/{fault}" for fault in faults},
        **{f"mid-{fault}": f"/-/lie/{fault}" for fault in ("etag-changes", "cut", "date", "nothing-to-compare")},
        "growing": "/-/model/growing/", "all/*": "/-/model/"})
    urls |= {"other": f"{server.other}{path_of(FROZEN)}", "nginx": f"{nginx[0]}/files/model.cpb",
             "nginx-empty": f"{nginx[0]}/files/empty.pb", "nginx-large": f"{nginx[0]}/files/large.pb", "nginx-page": f"{nginx[0]}/page/large.pb",
             "s3": "s3://models/dir/größe.cpb", "bucket/*": "s3://models/", "s3-folder": "s3://models/model/", "s3-none": "s3://models/none.cpb"}
    runtime = Runtime(request.param, urls, transpiled, CPB_ATTEMPTS="3",
                      CPB_IDLE_TIME="30000", CPB_ORIGINS=" ".join(ORIGINS), CPB_CACHE_CONTROL=CACHED,
                      AWS_ENDPOINT_URL_S3=s3, **KEYS)
    yield Serving(runtime, server, tokens)
    runtime.close()


@pytest.fixture(scope="module", params=RUNTIMES)
def hasty(request, server, transpiled):  # noqa: F811
    """One that does not wait for long."""
    faults = {case[0] for case in SILENT + STALLS} | {"slow"}
    urls, tokens = counted(server, {f"lie-{fault}": f"/-/lie/{fault}" for fault in faults} | {"large": "/-/model/large.pb"})
    runtime = Runtime(request.param, urls, transpiled, CPB_IDLE_TIME="1200", CPB_MAX_TIME="4000", CPB_ATTEMPTS="3")
    yield Serving(runtime, server, tokens)
    runtime.close()
