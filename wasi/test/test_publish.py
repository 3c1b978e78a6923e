"""tools/publish.sh: what a registry gets is what a release has, and says what it is."""

import hashlib
import http.server
import os
import re
import shutil
import subprocess
import threading

import pytest

from runtimes import ROOT, TOOLS, module_path

PATH = f"{TOOLS / 'bin'}:{os.environ['PATH']}"
COMPONENTS = ("cpb-component", "cpb-complete", "cpb-http")
VERSION = re.search(r"^project\(cpb VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]


class Registry(http.server.BaseHTTPRequestHandler):
    """As much of an OCI registry as a push and a pull need."""

    protocol_version = "HTTP/1.1"
    blobs, manifests = {}, {}

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def body(self):
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def do_GET(self):
        kind, _, name = self.path.rpartition("/")
        found = (self.manifests if kind.endswith("manifests") else self.blobs).get(
            self.path if kind.endswith("manifests") else name)
        if self.path == "/v2/":
            return self.answer(200)
        if found is None:
            return self.answer(404)
        digest = "sha256:" + hashlib.sha256(found).hexdigest()
        self.answer(200, found, Docker_Content_Digest=digest,
                    Content_Type="application/vnd.oci.image.manifest.v1+json")

    do_HEAD = do_GET

    def do_POST(self):
        self.body()
        self.answer(202, Location=f"{self.path.rstrip('/')}/upload", Range="0-0")

    def do_PATCH(self):
        self.blobs[self.path] = self.blobs.get(self.path, b"") + self.body()
        self.answer(202, Location=self.path, Range=f"0-{len(self.blobs[self.path]) - 1}")

    def do_PUT(self):
        data, (path, _, query) = self.body(), self.path.partition("?")
        if "/manifests/" in path:
            self.manifests[path] = data
        else:
            self.blobs[re.search("sha256(?::|%3A)[0-9a-f]+", query)[0].replace("%3A", ":")] = (
                self.blobs.pop(path, b"") + data)
        self.answer(201, Location=path, Docker_Content_Digest="sha256:" + hashlib.sha256(data).hexdigest())

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def registry():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Registry) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def dist(tmp_path):
    (tmp_path / "wasm").mkdir()
    for name in COMPONENTS:
        shutil.copy(module_path(name), tmp_path / "wasm")
    sums = [f"{hashlib.sha256((tmp_path / f'wasm/{name}.wasm').read_bytes()).hexdigest()}  wasm/{name}.wasm\n"
            for name in COMPONENTS]
    (tmp_path / "SHA256SUMS").write_text("".join(sums))
    return tmp_path


def run(*words, **options):
    environment = {**os.environ, "PATH": PATH}
    return subprocess.run([*map(str, words)], capture_output=True, env=environment, text=True, **options)


def test_a_registry_has_the_components_of_the_release(registry, dist, tmp_path):
    done = run("bash", ROOT / "tools/publish.sh", f"{registry}/libcpb", dist, "--insecure")
    assert done.returncode == 0, done.stderr
    assert sorted(Registry.manifests) == sorted(f"/v2/libcpb/{name}/manifests/{VERSION}" for name in COMPONENTS)
    digests = {"sha256:" + hashlib.sha256((dist / f"wasm/{name}.wasm").read_bytes()).hexdigest() for name in COMPONENTS}
    assert digests <= set(Registry.blobs)
    pulled = tmp_path / "pulled.wasm"
    assert run("wash", "--non-interactive", "oci", "pull", "--insecure", f"{registry}/libcpb/cpb-component:{VERSION}",
               pulled, cwd=tmp_path).returncode == 0
    assert pulled.read_bytes() == module_path("cpb-component").read_bytes()


def test_files_that_differ_from_the_release_are_not_pushed(registry, dist):
    Registry.manifests.clear()
    with open(dist / "wasm/cpb-complete.wasm", "ab") as file:
        file.write(b"\0")
    assert run("bash", ROOT / "tools/publish.sh", f"{registry}/libcpb", dist, "--insecure").returncode != 0
    assert not Registry.manifests


@pytest.mark.parametrize("name", COMPONENTS)
def test_components_say_what_they_are(name):
    shown = run("wasm-tools", "metadata", "show", module_path(name)).stdout
    said = dict(re.findall(r'^(\w+) = "(.*)"$', (ROOT / "wasi/wkg.toml").read_text(), re.M))
    told = " ".join(re.findall(r"[^\s│┆╞╪═╡╭╮╰╯─┬┴├┤╌┼]+", shown))
    assert name in told and VERSION in told and said["license"] in told
    assert said["description"].split(":")[0] in told
    assert run("wasm-tools", "validate", module_path(name)).returncode == 0
