"""cpb-component.wasm: what it imports, exports and takes, and that it gives through
wasmtime and through jco in Node what the native command gives, errors included.

    wasi/test/setup.sh && wasi/build.sh && build/venv/bin/python -m pytest wasi/component

CPB_WASI names the folder of the component, CPB another native command."""

import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import random
import re
import subprocess
import sys

import pytest

from component_support import javascript  # noqa: F401
from component_support import (CPB, DATA, EXIT, FOLDER, ROOT, Watched, error_of, fail, or_error, run, sha,
                               through_jco)
from cpb_component import CHUNKED, ENGINE, MESSAGES, RECORDS, SOURCE, CpbError, Instance, Path, load
from complexity.families_chunked import FAMILIES
from support.wire import field, varint

WASM = str(FOLDER / "cpb-component.wasm")
FROZEN = DATA / "cpb" / "real_frozen_conv"


# --- What it is made of ------------------------------------------------------------

def test_the_component_imports_a_source_and_nothing_else():
    kind = load(WASM).type
    assert set(kind.imports(ENGINE)) == {SOURCE}
    assert set(kind.exports(ENGINE)) == {CHUNKED, MESSAGES, RECORDS}


def test_its_size():
    size = os.path.getsize(WASM)
    print(f"\ncpb-component.wasm: {size} bytes")
    assert size <= 425_000


def test_its_module_takes_what_every_runtime_has():
    core = pathlib.Path(WASM).parent / "component" / "component-cpb-component.wasm"
    names = ("bulk-memory", "sign-ext", "mutable-globals", "nontrapping-float-to-int")
    features = [f"--enable-{name}" for name in names]
    subprocess.run(["wasm-opt", "--mvp-features", *features, core, "-o", os.devnull], check=True,
                   stderr=subprocess.DEVNULL)


# --- What the native command gives ---------------------------------------------------

def some(count):
    return sorted({0, count // 2, count - 1}) if count > 0 else []


def places(size):
    return [(0, 1), (size // 3, size // 2), (max(size - 5, 0), 10), (size, 3)]


@functools.cache
def native(path):
    info = run("info", path, "--json")
    if not isinstance(info, bytes):
        return info
    chunks = json.loads(info)["chunks"]
    merged = run("merge", path, "-o", "-")
    parts = [sha(merged[at:at + size]) for at, size in places(len(merged))] if isinstance(merged, bytes) else []
    return {
        "chunks": [[chunk["type"].lower(), str(chunk["size"]), str(chunk["position"])] for chunk in chunks[:4096]],
        "read": [sha(run("cat", path, "--chunk", i)) for i in some(len(chunks))],
        "merged": [len(merged), sha(merged), parts] if isinstance(merged, bytes) else merged,
    }


def native_all(paths):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(native, paths))


def question(path, answer):
    """What to look for in a file, that there is an answer to."""
    if "error" in answer:
        return {"path": str(path), "chunks": [], "ranges": []}
    merged = answer["merged"]
    return {"path": str(path), "chunks": some(len(answer["chunks"])),
            "ranges": places(merged[0]) if "error" not in merged else []}


# --- What the component gives ----------------------------------------------------------

def digest(content):
    return sha(b"".join(content.pieces(1000)))


def look(instance, path, chunks, ranges):
    def merged(file):
        with file.merge() as message:
            parts = [digest(message.read(*where)) for where in ranges]
            return [message.size(), digest(message.read()), parts]

    def opened():
        with instance.open(Path(path), read_size=4096) as file:
            return {
                "chunks": [[chunk.kind.tag, str(chunk.size), str(chunk.position)] for chunk in file.chunks()],
                "read": [or_error(lambda: digest(file.read(chunk))) for chunk in chunks],
                "merged": or_error(lambda: merged(file)),
            }
    return or_error(opened)


def through_wasmtime(questions):
    instance = Instance(WASM)
    answers = [look(instance, **question) for question in questions]
    assert instance.sources == {}  # each was given back
    return answers


@pytest.fixture(params=["wasmtime", "jco"])
def runtime(request):
    return request.param


@pytest.fixture
def component(request, runtime):
    """Answers questions() in a runtime."""
    if runtime == "wasmtime":
        return through_wasmtime
    module = request.getfixturevalue("javascript")
    return lambda questions: through_jco(module, files=questions)


# --- The same ------------------------------------------------------------------------------

def comparable(answer):
    """Errors as the command tells them; the limit that one names is another natively."""
    if isinstance(answer, list):
        return [comparable(one) for one in answer]
    if not isinstance(answer, dict):
        return answer
    if "error" not in answer:
        return {key: comparable(value) for key, value in answer.items()}
    code, text = answer["error"], re.sub(r"the limit of \d+", "the limit", answer["text"])
    return {"error": EXIT.get(code, code), "offset": answer["offset"], "text": text}


def is_whole(answer):
    return "error" not in answer and "error" not in answer["merged"]


def compare(component, paths):
    wanted = native_all(paths)
    got = component([question(path, answer) for path, answer in zip(paths, wanted)])
    for path, one, other in zip(paths, wanted, got):
        assert comparable(other) == comparable(one), path
    return wanted


# What a list has is converted one by one in Python, so fewer files go through wasmtime.
STEP = {"wasmtime": 12, "jco": 1}


def test_the_corpus(component, runtime):
    step = STEP[runtime]
    odd = sorted((DATA / "cpb_odd").rglob("*.cpb"))
    wanted = compare(component, odd + sorted((DATA / "cpb").rglob("*.cpb"))[::step])
    assert sum(map(is_whole, wanted)) > 200 / step and len(wanted) - sum(map(is_whole, wanted)) > 20


@pytest.fixture(scope="session")
def damaged(tmp_path_factory):
    """Files with one bit changed, or that end too early."""
    folder, chance = tmp_path_factory.mktemp("damaged"), random.Random(3)
    for base in ("max1000_none", "max4000_zstd", "max1000_brotli"):
        whole = (FROZEN / f"{base}.cpb").read_bytes()
        for at in chance.sample(range(len(whole)), 40):
            changed = whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1:]
            (folder / f"{base}-{at}.cpb").write_bytes(changed)
        for at in chance.sample(range(len(whole)), 5):
            (folder / f"{base}-cut-{at}.cpb").write_bytes(whole[:at])
    return sorted(folder.iterdir())


def test_damaged_files_give_the_same_errors(component, damaged):
    wanted = compare(component, damaged)
    assert sum("error" in answer for answer in wanted) > 20
    assert sum("error" not in answer and not is_whole(answer) for answer in wanted) > 20


# --- Files made to take too much --------------------------------------------------------

# What each meets, at n and 2 n, of 128 MiB in all; the others are read.
REFUSED = {"index_bomb": "index", "record_bomb": "index", "one_chunk_often": "decoded", "chunks_in_turns": "decoded"}


def size_of_all(path):
    with Instance(WASM, 128 << 20).open(Path(path)) as file, file.merge() as message:
        return sum(map(len, message.read().pieces(1 << 20)))


@pytest.mark.parametrize("name", FAMILIES)
def test_a_hostile_file_ends_at_a_limit_or_is_read(tmp_path, name):
    make, n = FAMILIES[name]
    for times in (1, 2):
        path = tmp_path / f"{times}.cpb"
        path.write_bytes(make(n * times))
        if name in REFUSED:
            code, text = error_of(lambda: size_of_all(path))
            assert code == "limit" and f"limit `{REFUSED[name]}`: at least" in text, text
        else:
            assert size_of_all(path) > 0


# --- What the interface promises ---------------------------------------------------------

class Faulty(Path):
    """A source that does something else from the call number `good` on."""

    def __init__(self, path, good, fault):
        super().__init__(path)
        self.good, self.fault = good, fault

    def read_at(self, offset, length, ahead):
        self.good -= 1
        return self.fault(length) if self.good < 0 else super().read_at(offset, length, ahead)


@pytest.fixture(scope="session")
def large(tmp_path_factory):
    """A graph of 8 constants of 100 KB that compress to a half, each a chunk."""
    path, chance = tmp_path_factory.mktemp("large") / "m.pb", random.Random(4)
    with open(path, "wb") as file:
        for i in range(8):
            tensor = varint(1 << 3) + varint(7) + field(4, chance.randbytes(50_000).hex().encode())
            value = field(5, field(1, b"value") + field(2, field(8, tensor)))
            file.write(field(1, field(1, b"n%d" % i) + field(2, b"Const") + value))
    out = path.with_suffix(".cpb")
    subprocess.run([CPB, "split", path, "--type", "tensorflow.GraphDef", "--for-memory", "256K", "-o", out], check=True)
    return out


def test_bytes_are_asked_for_once(large):
    """With `late`, and those of headers aside; whatever the size of the pieces."""
    source = Watched(large)
    with Instance(WASM).open(source, verify="late") as file:
        before, stored = source.bytes(), json.loads(run("info", large, "--json"))["chunks"][3]["stored_size"]
        got = b"".join(file.read(3).pieces(777))
        assert got == run("cat", large, "--chunk", 3)
        assert source.bytes() - before < stored * 1.1 + 200


def test_a_range_of_the_merged_message_takes_its_own_chunks_alone(large):
    source = Watched(large)
    with Instance(WASM).open(source, "late", 4096) as file, file.merge(trust_sizes=True) as merged:
        whole = run("merge", large, "-o", "-")
        at = merged.size() * 2 // 3
        assert b"".join(merged.read(at, 1000).pieces()) == whole[at:at + 1000]
        assert source.bytes() < os.path.getsize(large) / 4


def test_the_list_of_chunks_comes_in_pages(large):
    with Instance(WASM).open(Path(large)) as file:
        assert len(file) == 9
        pages = [file.chunks(first, 4) for first in (0, 4, 8, 9, 2**64 - 1)]
        assert [len(page) for page in pages] == [4, 4, 1, 0, 0]
        assert [chunk.position for page in pages for chunk in page] == [chunk.position for chunk in file.chunks()]


def test_memory_that_may_not_grow_is_an_error_and_never_a_trap(large):
    """From what the instance begins with to plenty."""
    wanted, fitted = run("cat", large, "--chunk", 2)[:10_000], 0
    for kilobytes in range(256, 704, 32):
        try:
            with Instance(WASM, kilobytes * 1024).open(Path(large), "late", 4096) as file:
                assert b"".join(file.read(2, 0, 10_000).pieces(4096)) == wanted
                fitted += 1
        except CpbError as error:
            assert error.code == "memory" and fitted == 0
    assert 2 < fitted < 12


def filled(instance, path):
    """A file in an instance, and what was made of it until nothing more fitted."""
    file, made = instance.open(path, "never", 300), []
    with pytest.raises(CpbError) as caught:
        while True:
            made.append(file.read(1))
    assert caught.value.code == "memory" and len(made) > 100
    return file, made


class Silent(Path):
    """A source that cannot even say how large it is."""

    def size(self):
        fail("n" * 1024)


def test_a_failure_is_said_when_there_is_no_memory_left(large):
    instance = Instance(WASM, 384 * 1024)
    source = Faulty(large, 10**9, lambda _: fail("n" * 1024))
    file, made = filled(instance, source)
    source.good, code = 0, "memory"

    def give_back(count):
        for _ in range(count):
            made.pop().handle.drop(instance.store)

    while code == "memory":  # until there is just enough to begin to read
        give_back(2)
        code, text = error_of(lambda: list(file.read(1).pieces(5)))
    assert (code, text) in (("read", ""), ("read", "n" * 255))
    give_back(2)
    assert error_of(lambda: instance.open(Silent(large))) == ("read", "n" * 255)


def test_a_read_ends_the_one_before(large):
    with Instance(WASM).open(Path(large)) as file:
        one, other = file.read(1), file.read(2, 10, 5)
        assert error_of(lambda: one.call("content.next", 5)) == ("usage", "another read has begun since")
        assert b"".join(other.pieces()) == run("cat", large, "--chunk", 2)[10:15]
        with file.merge() as merged:  # has reads of its own
            three = file.read(3)
            assert merged.read(0, 4).call("content.next", 9) == run("merge", large, "-o", "-")[:4]
            assert three.call("content.next", 9) == run("cat", large, "--chunk", 3)[:9]


def test_an_index_out_of_range_is_an_error(large):
    instance = Instance(WASM)
    assert error_of(lambda: instance.open(Path(large), read_size=255)) == (
        "usage", "read-size is 255, where it must be 256 at least")
    with instance.open(Path(large)) as file:
        assert error_of(lambda: file.read(9)) == ("not-found", "there is no chunk 9; there are 9, counted from 0")
        assert error_of(lambda: file.read(0).call("content.next", 0))[0] == "usage"
        assert list(file.read(0, 2**64 - 1).pieces()) == list(file.read(0, 0, 0).pieces()) == []


@pytest.mark.parametrize("fault, code, text", [
    (lambda _: fail("the line is d\u00f6wn"), "read", "the line is d\\xc3\\xb6wn"),
    (lambda _: fail("n" * 5000), "read", "n" * 255),
    (lambda _: None, "cancelled", "the host cancelled the operation"),
    (lambda _: b"", "read", "the source gave 0 bytes, where 1 to "),
    (lambda length: bytes(length + 1), "read", " bytes, where 1 to "),
    (lambda length: bytes(100_000), "read", "the source gave 100000 bytes, where 1 to "),
])
def test_errors_of_a_source_are_reported_and_reading_can_be_tried_again(large, fault, code, text):
    instance = Instance(WASM)
    assert error_of(lambda: instance.open(Faulty(large, 0, fault)))[0] == code
    source = Faulty(large, 10**9, fault)
    with instance.open(source, read_size=300) as file:
        source.good = 5
        said, message = error_of(lambda: b"".join(file.read(1).pieces()))
        assert said == code and text in message
        source.good = 10**9
        assert b"".join(file.read(1).pieces()) == run("cat", large, "--chunk", 1)
    assert instance.sources == {}


class Sized(Path):
    """A source that says another size."""

    def __init__(self, path, size):
        super().__init__(path)
        self.said = size

    def size(self):
        return self.said

    def read_at(self, offset, length, ahead):
        return super().read_at(offset, length, ahead) if offset < 2**63 else b""


@pytest.mark.parametrize("size", [2**64 - 1, 2**64 - 2, 2**63, 2**53, "one more", "one less", 0])
def test_a_source_with_another_size_is_an_error(large, size):
    """Not a loop: 2^64 - 1, of all sizes, meant that it is not known."""
    size = os.path.getsize(large) + {"one more": 1, "one less": -1}[size] if isinstance(size, str) else size
    code, text = error_of(lambda: Instance(WASM).open(Sized(large, size)))
    assert code in ("read", "truncated", "format", "damaged"), text


def test_resources_are_dropped_in_any_order(large):
    for order in ((0, 1, 2), (2, 1, 0), (1, 2, 0), (0, 2, 1)):
        instance = Instance(WASM)
        file = instance.open(Path(large))
        merged = file.merge()
        content = merged.read(100, 50)
        for one in order:
            if one == 2:
                assert content.call("content.next", 99) == run("merge", large, "-o", "-")[100:150]
            (file, merged, content)[one].handle.drop(instance.store)
        assert instance.sources == {}


def test_dropped_files_give_their_memory_back(large):
    """In an instance that may have little more than one of them takes."""
    instance = Instance(WASM, 576 * 1024)
    for _ in range(60):
        with instance.open(Path(large), "never", 8192) as file, file.merge(trust_sizes=True) as merged:
            assert len(b"".join(merged.read(0, 100).pieces())) == 100


@pytest.mark.parametrize("chunk", ["3", None])
def test_the_hosts_write_a_chunk_or_the_message(large, javascript, chunk):
    wanted = run("cat", large, "--chunk", chunk) if chunk else run("merge", large, "-o", "-")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "build/tools/wasmtime")}
    examples = ROOT / "wasi" / "examples"
    for host in ([sys.executable, examples / "python/cpb_component.py", WASM],
                 ["node", examples / "javascript/cpb-component.js", javascript]):
        words = [*host, large, *([chunk] if chunk else [])]
        assert subprocess.run(words, capture_output=True, env=environment, check=True).stdout == wanted
        words[len(host)] = DATA / "cpb_odd" / "damage_cut_10.cpb"
        done = subprocess.run(words, capture_output=True, env=environment)
        said = b"cpb: the input ends inside the Riegeli chunk that begins at 0\n"
        assert done.returncode == 1 and done.stderr.endswith(said)
