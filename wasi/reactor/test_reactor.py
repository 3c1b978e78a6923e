"""cpb-core.wasm: what it is made of, that its memory is as promised, and that each host
in wasi/examples streams chunks with it.

    wasi/build.sh && wasi/test/setup.sh && build/venv/bin/python -m pytest wasi/reactor

CPB_WASI names the folder of the modules, CPB another native command."""

import fcntl
import contextlib
import http.server
import itertools
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import threading

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TOOLS = ROOT / "build" / "tools"
MODULES = pathlib.Path(os.environ.get("CPB_WASI", ROOT / "build" / "wasi"))
CPB = os.environ.get("CPB", str(ROOT / "build" / "cpb"))
DATA = ROOT / "tests" / "data"
sys.path[:0] = [str(TOOLS / "wasmtime"), str(ROOT / "wasi" / "examples" / "python"), str(ROOT / "tests")]

import wasmtime  # noqa: E402
from cpb_pager import CpbError, Pager, Url  # noqa: E402
from support.once import once  # noqa: E402
from support.wire import field, varint  # noqa: E402

PAGE = 65536
MIB = 1 << 20
MANY = 1000 if os.environ.get("CPB_TEST_ALL") else 100  # constants of the large file


def cpb(*words, ok=True):
    done = subprocess.run([CPB, *map(str, words)], capture_output=True)
    assert not ok or done.returncode == 0, done.stderr.decode()
    return done.stdout


def module(name):
    return str(MODULES / f"cpb-core{name}.wasm")


# --- What it is made of -----------------------------------------------------------

PORTABLE = ["--mvp-features", "--enable-bulk-memory", "--enable-sign-ext", "--enable-mutable-globals",
            "--enable-nontrapping-float-to-int"]


@pytest.mark.parametrize("name, kilobytes, pages, lists", [
    ("", 332, 4, ["pager", "records", "merge"]),
    ("-simd", 381, 4, ["pager", "records", "merge"]),
    ("-field", 333, 4, ["pager", "field"]),
    ("-nobrotli", 100, 1, ["pager", "records"]),
    ("-plain", 49, 1, ["pager"]),
    ("-small", 250, 4, ["pager"]),
    ("-small-nobrotli", 88, 1, ["pager"]),
    ("-small-plain", 48, 1, ["pager"]),
])
def test_artefact(name, kilobytes, pages, lists):
    path = module(name)
    store = wasmtime.Store()
    made = wasmtime.Module.from_file(store.engine, path)
    assert [f"{i.module}.{i.name}" for i in made.imports] == []
    assert os.path.getsize(path) <= kilobytes * 1000
    exports = wasmtime.Instance(store, made, []).exports(store)
    assert exports["memory"].size(store) <= pages
    listed = {line for part in lists for line in (ROOT / f"wasi/reactor/exports-{part}.txt").read_text().split()}
    assert set(exports) == listed | {"memory", "malloc", "free", "cpb_memory_limit", "cpb_memory_end", "__heap_base"}
    simd = ["--enable-simd"] if name == "-simd" else []
    subprocess.run(["wasm-opt", path, *PORTABLE, *simd, "-o", os.devnull], check=True, stderr=subprocess.DEVNULL)


def test_the_stack_lies_below_everything_else():
    """So that running out of it traps, and does not write over something."""
    store = wasmtime.Store()
    exports = wasmtime.Instance(store, wasmtime.Module.from_file(store.engine, module("-plain")), []).exports(store)
    text = exports["cpb_code_name"](store, 3)
    assert exports["memory"].read(store, text, text + 8) == b"DAMAGED\0"
    assert 8192 <= text < exports["__heap_base"].value(store)


# --- Files -------------------------------------------------------------------------

def content(i, size, chance=random.Random(1), base=[]):
    """Compresses to about a third; different in each."""
    if not base:
        words = [chance.randbytes(4).hex().encode() for _ in range(500)]
        base.append(b" ".join(chance.choices(words, k=MIB // 8)))
    text = base[0] * (size // len(base[0]) + 1)
    return (b"constant %d: " % i + text[i % 1000:])[:size]


def node(i, size):
    tensor = varint(1 << 3) + varint(7) + field(4, content(i, size))
    return field(1, b"n%d" % i) + field(2, b"Const") + field(5, field(1, b"value") + field(2, field(8, tensor)))


def write_message(path, count, size):
    with open(path, "wb") as file:
        for i in range(count):
            file.write(field(1, node(i, size)))
    return path


def split(message, *options):
    out = message.with_name("-".join(["split", *options]).replace("-" * 2, "") + ".cpb")
    return once(out, lambda part: cpb("split", message, "--type", "tensorflow.GraphDef", "-o", part, *options))


@pytest.fixture(scope="session")
def large(tmp_path_factory):
    """Constants of 1 MiB: one file for all processes, which the last to use it removes."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    folder = folder / "large"
    with open(folder.with_suffix(".users"), "w") as users:
        fcntl.flock(users, fcntl.LOCK_SH)
        yield once(folder / "m.pb", lambda part: write_message(part, MANY, MIB))
        try:
            fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        shutil.rmtree(folder)


@pytest.fixture(scope="session")
def small(tmp_path_factory):
    return write_message(tmp_path_factory.mktemp("small") / "m.pb", 5, 300000)


def read(wasm, path, chunk, pages, **options):
    with open(path, "rb") as file:
        return b"".join(Pager(wasm, file, pages, **options).read(chunk))


# --- Hosts --------------------------------------------------------------------------

def build_c(out):
    wasm3 = TOOLS / "wasm3"
    subprocess.run(["cc", "-O2", "-w", f"-I{wasm3}", ROOT / "wasi/examples/c/cpb_pager.c", *wasm3.glob("m3_*.c"),
                    "-lm", "-o", out], check=True)


def build_go(out):
    subprocess.run(["go", "build", "-o", out, "."], cwd=ROOT / "wasi/examples/go", check=True)


def build_rust(out):
    target = ROOT / "build" / "rust"
    subprocess.run(["cargo", "build", "--quiet", "--release", "--locked", "--target-dir", target],
                   cwd=ROOT / "wasi/examples/rust", check=True)
    out.write_bytes((target / "release" / "cpb-pager").read_bytes())
    out.chmod(0o755)


BUILT = {"wasm3": (build_c, "c/*.c"), "wazero": (build_go, "go/*")}
if os.environ.get("CPB_TEST_ALL"):  # wasmi takes minutes to build
    BUILT["wasmi"] = (build_rust, "rust/**/*.*")
SCRIPTS = {"wasmtime": [sys.executable, ROOT / "wasi/examples/python/cpb_pager.py"],
           "node": ["node", ROOT / "wasi/examples/javascript/cpb-pager.js"]}


@pytest.fixture(scope="session", params=[*SCRIPTS, *BUILT])
def host(request):
    """Runs a host's program: HOST WASM FILE CHUNK PAGES."""
    program = SCRIPTS.get(request.param)
    if program is None:
        build, sources = BUILT[request.param]
        program = [once(TOOLS / f"cpb-pager-{request.param}", build, (ROOT / "wasi/examples").glob(sources))]
    environment = {**os.environ, "PYTHONPATH": str(TOOLS / "wasmtime")}
    return lambda *words: subprocess.run([*program, *map(str, words)], capture_output=True, env=environment)


@pytest.mark.parametrize("name, pages, options", [
    ("", 4, ["--for-memory", "256K"]), ("-nobrotli", 2, ["--for-memory", "256K"]),
    ("-nobrotli", 2, ["--for-memory", "128K"]),
    ("-plain", 2, ["--for-memory", "128K", "--codec", "none"]), ("-plain", 1, ["--for-memory", "63K"])])
def test_a_chunk_of_many(host, large, name, pages, options):
    """Of a large file, in the memory that it was written for."""
    path = split(large, *options)
    for chunk in (0, 1, MANY // 2, MANY):
        done = host(module(name), path, chunk, pages)
        assert done.returncode == 0, done.stderr.decode()
        assert done.stdout == cpb("cat", path, "--chunk", chunk)


def test_too_little_memory_is_said(host, small):
    done = host(module(""), split(small), 1, 4)
    assert done.returncode == 1 and b"bytes of memory; the limit is " in done.stderr


def test_damage_and_another_file_are_said(host, small, tmp_path):
    path = split(small, "--for-memory", "256K")
    whole = path.read_bytes()
    for name, data, said in [("cut", whole[:-1], b"ends"), ("other", b"no Riegeli file" * 9, b"not a Riegeli"),
                             ("empty", b"", b""), ("flipped", whole[:999] + b"\xff" + whole[1000:], b"hash")]:
        (tmp_path / name).write_bytes(data)
        done = host(module(""), tmp_path / name, 1, 4)
        assert done.returncode == 1 and said in done.stderr, done.stderr
        assert b"unreachable" not in done.stderr and b"trap" not in done.stderr


def test_other_files_and_pages_are_said(host):
    """The hosts read one file: what would need more is no other bytes, but an error that says so."""
    for path, chunk, said in [("several_files/graph.cpb", 3, b"chunk 3 is in another file, which a pager cannot read"),
                              ("pages/graph.cpb", 0, b"the chunk index is in pages, which a pager does not read")]:
        done = host(module(""), DATA / path, chunk, 4)
        assert done.returncode == 1 and said in done.stderr, done.stderr
        assert done.stdout == b""
    done = host(module(""), DATA / "several_files/graph.cpb", 0, 4)
    assert done.returncode == 0 and len(done.stdout) == 16


class Ranges(http.server.BaseHTTPRequestHandler):
    """Answers ranges of `data` only."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self):
        data, whole = self.server.data, self.path == "/whole"
        self.server.requests += 1
        first, last = map(int, self.headers["Range"].removeprefix("bytes=").split("-"))
        last = min(last, len(data) - 1)
        if whole:
            first, last = 0, 2**40 - 1
        self.send_response(200 if whole else 206)
        self.send_header("Content-Range", f"bytes {first}-{last}/{len(data)}")
        self.send_header("Content-Length", str(last + 1 - first))
        self.end_headers()
        try:
            for at in range(first, last + 1, 1 << 14):
                part = bytes(1 << 14) if whole else data[at:min(at + (1 << 14), last + 1)]
                self.wfile.write(part)
                self.server.served += len(part)
        except ConnectionError:  # no more is wanted
            self.close_connection = True

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def served(path):
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Ranges) as server:
        server.data, server.served, server.requests = path.read_bytes(), 0, 0
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server, f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_a_chunk_by_http_ranges(small):
    """In few requests, though the pager asks for a few KiB at a time."""
    path = split(small, "--for-memory", "256K")
    with served(path) as (server, url), Url(f"{url}/m.cpb") as file:
        pager = Pager(module(""), file, 4, verify=1)
        opened = server.requests
        assert b"".join(pager.read(2)) == cpb("cat", path, "--chunk", 2)
        assert server.served < len(server.data)  # the other chunks were left alone
        assert opened <= 6 and server.requests - opened <= 4


def test_a_body_that_is_no_range_is_not_read(small):
    """An answer of a terabyte, where a byte was asked for."""
    with served(split(small, "--for-memory", "256K")) as (server, url):
        with pytest.raises(CpbError, match="HTTP 200"):
            Url(f"{url}/whole")
        assert server.served < 64 << 20


# --- Memory is as promised -------------------------------------------------------------

WINDOWS = ["64K", "128K", "256K", "320K", "384K", "512K", "768K", "1M", "2M", "4M"]


@pytest.mark.parametrize("memory", WINDOWS)
def test_a_file_fits_into_what_it_was_written_for(small, memory):
    path = split(small, "--for-memory", memory)
    takes = json.loads(cpb("info", path, "--json"))["memory"]
    name = "-plain" if takes == PAGE else ""
    for chunk in range(6):
        assert read(module(name), path, chunk, takes // PAGE) == cpb("cat", path, "--chunk", chunk)


@pytest.mark.parametrize("options", [["--for-memory", "256K"], ["--for-memory", "16K"]])
def test_a_hostile_file_is_an_error_and_never_a_trap(tmp_path, options):
    """Each byte of the small parts changed, and many of the rest: an error, or what was written."""
    path = split(write_message(tmp_path / "m.pb", 3, 70000), *options)
    whole = bytearray(path.read_bytes())
    chunks = [cpb("cat", path, "--chunk", i) for i in range(4)]
    chance = random.Random(2)
    places = [*range(64, 200), *range(len(whole) - 300, len(whole)), *chance.sample(range(len(whole)), 150)]
    errors = 0
    for at, chunk in zip(places, itertools.cycle(range(4))):
        damaged = bytes(whole[:at]) + bytes([whole[at] ^ 1 << at % 8]) + bytes(whole[at + 1:])
        path.write_bytes(damaged)
        try:
            assert read(module(""), path, chunk, 4) == chunks[chunk]
        except CpbError as error:
            assert str(error)
            errors += 1
    assert errors > 100


def test_memory_does_not_grow_with_the_file(small, large):
    peaks = []
    for message in (small, large):
        with open(split(message, "--for-memory", "256K"), "rb") as file:
            pager = Pager(module("-nobrotli"), file, 4, memory=100000)
            for chunk in (0, 1, len(pager) - 1):
                for _ in pager.read(chunk):
                    pass
            peaks.append(pager.memory.data_len(pager.store))
    assert peaks[0] == peaks[1] <= 2 * PAGE
