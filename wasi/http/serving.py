"""What serves the component: jco's server, and `wasmtime serve` where it is installed."""

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
from urls.conftest import ENVIRONMENT, Server  # noqa: E402
from urls.test_servers import KEYS, free_port, nginx, s3  # noqa: E402,F401

WASM = pathlib.Path(os.environ.get("CPB_WASI", ROOT / "build" / "wasi")) / "cpb-http.wasm"
WASMTIME = shutil.which("wasmtime", path=f"{ROOT / 'build/tools/bin'}:{os.environ['PATH']}")
RUNTIMES = ["jco", "wasmtime"] if WASMTIME else ["jco"]


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
