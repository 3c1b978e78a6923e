"""The interfaces `messages` and `records` of cpb-component.wasm, through wasmtime and through jco in Node, against the
native command and against protobuf's own reader."""

import http.server
import json
import os
import pathlib
import subprocess
import sys
import threading

import pytest

from component_support import javascript  # noqa: F401
from component_support import (DATA, EXIT, FOLDER, ROOT, Watched, error_of, fail, or_error, run, sha, through_jco,
                               whole)
from cpb_component import CpbError, Instance, Path
from support.wire import field, varint

WASM = str(FOLDER / "cpb-component.wasm")
GRAPH = DATA / "cpb" / "graph_mixed-large"
KERAS = DATA / "cpb" / "real_keras_export"
MODULE = DATA / "cpb" / "real_tf_module" / "orig.pb"
CONSTANTS = DATA / "cpb" / "graph_const_dtypes"

GRAPH_PATHS = ["node[0]", "node[0].name", "node[1].attr", "node", "versions.producer", "1[0]", "1[0].1",
               'node[0].attr["value"]', 'node[1].attr["dtype"].type', "library", "node[9999]", "no_such", "node[",
               "node.name", "node[0].name[0]", "node[18446744073709551616]"]
KERAS_PATHS = ["saved_model_schema_version", "meta_graphs[0].meta_info_def", "meta_graphs[0].graph_def.node[2].op",
               "meta_graphs[0].meta_info_def.tags", 'meta_graphs[0].signature_def["serving_default"].inputs',
               "meta_graphs[0].graph_def.library.function[1].signature.name", "2[0].2.1[3]",
               'meta_graphs[0].signature_def["none"]', "meta_graphs"]


def questions():
    """Files with what is looked for in them, and the type that the command is told."""
    asked = [(path, "tensorflow.GraphDef", GRAPH_PATHS) for folder in (GRAPH, CONSTANTS)
             for path in sorted(folder.iterdir()) if path.name.split("_")[-1] in ("zstd.cpb", "brotli.cpb", "orig.pb")]
    asked += [(path, "tensorflow.SavedModel", KERAS_PATHS) for path in sorted(KERAS.iterdir())[:3]]
    return [{"path": str(path), "type": of, "fields": fields} for path, of, fields in asked]


# --- What the native command gives ---------------------------------------------------------

def native_field(path, of, name):
    words = ("cat", path, "--type", of, "--field", name)
    raw = run(*words)
    if not isinstance(raw, bytes):
        return raw
    shown = json.loads(run(*words, "--json", "--omit", "64"))
    return {"sha": sha(raw), "size": len(raw), "json": shown}


@pytest.fixture(scope="session")
def native():
    return [[native_field(one["path"], one["type"], name) for name in one["fields"]] for one in questions()]


# --- What the component gives ------------------------------------------------------------------

def through_wasmtime(questions):
    instance = Instance(WASM)

    def look(message, name):
        with message.field(name) as found:
            parts = [whole(message.read(offset, size)) for offset, size in found.ranges()]
            return {"type": found.type_name(), "sha": sha(whole(found.read())), "size": found.size(),
                    "ranges": sha(b"".join(parts)), "json": json.loads(whole(found.json(64)))}

    def ask(path, type, fields):
        with instance.open_message(Path(path), type, read_size=4096) as message:
            return [or_error(lambda: look(message, name)) for name in fields]

    answers = [ask(**question) for question in questions]
    assert instance.sources == {}
    return answers


@pytest.fixture(params=["wasmtime", "jco"])
def component(request):
    if request.param == "wasmtime":
        return through_wasmtime
    module = request.getfixturevalue("javascript")
    return lambda asked: through_jco(module, messages=asked)


def same_value(got, native):
    """The command shows a value that is no message as the one field of its parent, an element in a list."""
    if got == native:
        return True
    value = next(iter(native.values())) if isinstance(native, dict) and len(native) == 1 else None
    return got == value or isinstance(value, list) and value == [got]


def test_fields_are_as_natively(component, native):
    asked, found, refused = questions(), 0, 0
    for question, answers, wanted in zip(asked, component(asked), native):
        for name, got, one in zip(question["fields"], answers, wanted):
            where = (question["path"], name, got, one)
            if "error" in one:
                refused += 1
                assert EXIT[got["error"]] == one["error"], where
                assert got["text"] in one["text"], where
                continue
            found += 1
            assert (got["sha"], got["size"], got["ranges"]) == (one["sha"], one["size"], one["sha"]), where
            assert same_value(got["json"], one["json"]), where
    assert found > 60 and refused > 40


def test_the_type_is_known_by_the_names_of_the_path():
    with Instance(WASM).open_message(Path(sorted(KERAS.glob("*.cpb"))[0])) as message:
        with message.field("meta_graphs[0].meta_info_def.tags") as found:
            assert found.type_name() == "string" and json.loads(whole(found.json())) == ["serve"]
        code, text = error_of(lambda: message.field("2[0].2").json())
        assert code == "usage" and "type-name" in text


def test_names_that_no_type_has_or_several_have():
    with Instance(WASM).open_message(Path(GRAPH / "orig.pb")) as message:
        for path in ("nodes[0]", "no.such", "name"):
            code, text = error_of(lambda: message.field(path))
            assert code == "usage" and "expected type-name" in text


def test_values_in_another_file_are_named():
    path = DATA / "several_files" / "graph.cpb"
    code, text = error_of(lambda: whole(Instance(WASM).open_message(Path(path)).read()))
    assert code == "read" and 'it is in another file, "graph.0000' in text and "of which the host lends nothing" in text


# --- Types that are given ---------------------------------------------------------------------

@pytest.fixture(scope="session")
def shop():
    """A schema of its own, and a message of it, by protobuf's own classes."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
    file = descriptor_pb2.FileDescriptorProto(name="shop.proto", package="shop", syntax="proto3")
    item = file.message_type.add(name="Item")
    item.field.add(name="title", number=1, type=9, label=1)
    item.field.add(name="price", number=7, type=1, label=1)
    order = file.message_type.add(name="Order")
    order.field.add(name="items", number=2, type=11, label=3, type_name=".shop.Item")
    order.field.add(name="note", number=3, type=12, label=1)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    Order = message_factory.GetMessageClass(pool.FindMessageTypeByName("shop.Order"))
    made = Order(note=bytes(range(256)) * 40)
    for i in range(3000):
        made.items.add(title=f"thing {i}", price=i / 4)
    return descriptor_pb2.FileDescriptorSet(file=[file]).SerializeToString(), made


def test_names_of_a_schema_that_is_given(shop, tmp_path):
    schema, made = shop
    path = tmp_path / "order"
    path.write_bytes(made.SerializeToString(deterministic=True))
    with Instance(WASM).open_message(Path(path), "shop.Order", schema) as message:
        with message.field("items[2999]") as found:
            assert found.type_name() == "shop.Item"
            assert whole(found.read()) == made.items[2999].SerializeToString()
            assert json.loads(whole(found.json())) == {"title": "thing 2999", "price": 749.75}
        with message.field("note") as found:
            assert whole(found.read(100, 1000)) == made.note[100:1100]
            place = json.loads(whole(found.json()))["@omitted"]
            assert whole(message.read(place["offset"], place["size"])) == made.note
        with message.field("items") as found:
            assert len(found.ranges()) == 1 and found.size() == path.stat().st_size - len(made.note) - 3
        assert error_of(lambda: message.field("meta_graphs"))[0] in ("usage", "not-found")
    assert error_of(lambda: Instance(WASM).open_message(Path(path), "shop.None", schema)) == (
        "usage", "there is no message type shop.None in the schema")
    assert error_of(lambda: Instance(WASM).open_message(Path(path), "shop.Order", schema[:-5]))[0] == "damaged"


def test_many_ranges_come_in_pages(tmp_path):
    path = tmp_path / "m.pb"
    one, other = field(1, field(1, b"n")), field(4, varint(8) + varint(1))
    path.write_bytes((one + other) * 5000)
    with Instance(WASM).open_message(Path(path), "tensorflow.GraphDef") as message, message.field("node") as found:
        pages = [found.ranges(first, 4096) for first in (0, 4096, 5000, 2**64 - 1)]
        assert [len(page) for page in pages] == [4096, 904, 0, 0]
        assert pages[1][-1] == (4999 * len(one + other), len(one)) and whole(found.read()) == one * 5000
        assert whole(found.read(7, 3)) == (one * 5)[7:10] and whole(found.read(len(one) * 5000)) == b""


# --- Memory, bytes, errors -----------------------------------------------------------------------

@pytest.fixture(scope="session")
def large(tmp_path_factory):
    """A graph of 40 constants of 100 KB, as a message and split."""
    path = tmp_path_factory.mktemp("large") / "m.pb"
    with open(path, "wb") as file:
        for i in range(40):
            tensor = varint(1 << 3) + varint(7) + field(4, bytes([i]) * 100_000)
            value = field(5, field(1, b"value") + field(2, field(8, tensor)))
            file.write(field(1, field(1, b"n%d" % i) + field(2, b"Const") + value))
    run("split", path, "--type", "tensorflow.GraphDef", "--codec", "none", "-o", path.with_suffix(".cpb"))
    return path


VALUE = 'node[33].attr["value"].tensor.tensor_content'


@pytest.mark.parametrize("ending, part", [(".pb", 8), (".cpb", 8)])
def test_a_field_takes_a_part_of_the_message_in_bounded_memory(large, ending, part):
    source = Watched(large.with_suffix(ending))
    with Instance(WASM, 1280 << 10).open_message(source, read_size=8192) as message, message.field(VALUE) as found:
        assert found.size() == 100_000 and whole(found.read(50_000, 10), 3) == bytes([33]) * 10
        assert source.bytes() < source.size() / part
        assert whole(found.read(), 65536) == bytes([33]) * 100_000


@pytest.fixture(scope="session")
def many(tmp_path_factory):
    """A graph of 20,000 nodes, each a chunk, with an index in pages."""
    path = tmp_path_factory.mktemp("many") / "m.pb"
    path.write_bytes(b"".join(field(1, field(1, b"n%07d" % i) + field(2, b"Const" * 8)) for i in range(20_000)))
    out = path.with_suffix(".cpb")
    run("split", path, "--type", "tensorflow.GraphDef", "--max-chunk-size", "30", "--index-pages", "-o", out)
    return out


def test_one_field_alone_takes_its_part_of_the_index(many):
    """As natively; and what is asked for is found in what was planned for it."""
    source, all_of = Watched(many), Watched(many)
    instance = Instance(WASM)
    with instance.open_field(source, "node[15000].name", "tensorflow.GraphDef", read_size=4096) as found:
        assert whole(found.read()) == b"n0015000" and json.loads(whole(found.json())) == "n0015000"
        assert found.size() == 8 and found.type_name() == "string"
    with instance.open_message(all_of, "tensorflow.GraphDef", read_size=4096) as message:
        with message.field("node[15000].name") as found:
            assert whole(found.read()) == b"n0015000"
    assert source.bytes() < all_of.bytes() / 20 and len(source.asked) < 40
    assert instance.sources == {}


def read_alone(instance, path, name, of):
    with instance.open_field(Path(path), name, of) as found:
        return sha(whole(found.read()))


def test_one_field_alone_is_the_field_of_the_message(native):
    instance, found = Instance(WASM), 0
    for question, wanted in zip(questions()[::3], native[::3]):
        for name, one in zip(question["fields"], wanted):
            got = or_error(lambda: read_alone(instance, question["path"], name, question["type"]))
            found += "error" not in one
            assert got == one.get("sha") or EXIT[got["error"]] == one["error"], (question["path"], name)
    assert instance.sources == {} and found > 20


def test_memory_that_may_not_grow_is_an_error(large):
    codes = set()
    for kilobytes in range(256, 1024, 64):
        try:
            instance = Instance(WASM, kilobytes << 10)
            with instance.open_message(Path(large.with_suffix(".cpb")), read_size=4096) as message:
                codes.add(whole(message.field(VALUE).read(0, 4)))
        except CpbError as error:
            codes.add(error.code)
    assert codes == {"memory", bytes([33]) * 4}


def test_contents_of_a_message_do_not_end_each_other(large):
    with Instance(WASM).open_message(Path(large.with_suffix(".cpb"))) as message:
        all_of, found = large.read_bytes(), message.field("node[2].name").read()
        one, other = message.read(0), message.read(2_000_000, 100_000)
        assert one.call("content.next", 60_000) == all_of[:60_000]
        assert other.call("content.next", 99_999) == all_of[2_000_000:2_099_999]
        assert one.call("content.next", 60_000) == all_of[60_000:120_000]
        assert found.call("content.next", 9) == b"n2" and found.call("content.next", 9) is None
        assert other.call("content.next", 5) == all_of[2_099_999:2_100_000]


def test_resources_are_dropped_in_any_order(large):
    for order in ((0, 1, 2), (2, 1, 0), (1, 2, 0), (1, 0, 2)):
        instance = Instance(WASM)
        message = instance.open_message(Path(large))
        found = message.field("node[3].name")
        content = found.read()
        for one in order:
            if one == 2:
                assert content.call("content.next", 9) == b"n3"
            (message, found, content)[one].handle.drop(instance.store)
        assert instance.sources == {}


class Broken(Path):
    good = 10**9

    def read_at(self, offset, length, ahead):
        self.good -= 1
        return fail("the line is down") if self.good < 0 else super().read_at(offset, length, ahead)


@pytest.mark.parametrize("ending", [".pb", ".cpb"])
def test_an_exception_of_a_source_is_raised_and_reading_can_be_tried_again(large, ending):
    source = Broken(large.with_suffix(ending))
    with Instance(WASM).open_message(source) as message:
        source.good = 0
        assert error_of(lambda: message.field(VALUE).read().call("content.next", 9)) == ("read", "the line is down")
        source.good = 10**9
        assert whole(message.field(VALUE).read(0, 9)) == bytes([33]) * 9
        source.good = 1
        assert error_of(lambda: whole(message.read()))[1] == "the line is down"


def test_texts_that_are_passed_take_no_memory_or_are_given_back(large):
    """Short ones lie in bytes of their own, long ones are freed."""
    instance = Instance(WASM, 1 << 20)
    with instance.open_message(Path(large), "tensorflow.GraphDef") as message:
        for length in (1, 300, 1024, 4096, 5000, 100_000):
            for _ in range(40):
                assert error_of(lambda: message.field("x" * length))[0] in ("usage", "not-found")
        for _ in range(40):
            assert error_of(lambda: instance.open_message(Path(large), "t" * 900, b"s" * 3000))[0] in ("damaged", "limit")
        assert whole(message.field("node[0].name").read()) == b"n0"


# --- A field by URL, by the hosts in the documentation -------------------------------------------

class Ranges(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        data = (DATA / self.path[1:]).read_bytes()
        first, last = map(int, self.headers["Range"].removeprefix("bytes=").split("-"))
        part = data[first:last + 1]
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {first}-{first + len(part) - 1}/{len(data)}")
        self.send_header("Content-Length", str(len(part)))
        self.end_headers()
        self.wfile.write(part)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="session")
def url():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Ranges) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def host_command(name, javascript):
    if name.endswith(".py"):
        return [sys.executable, ROOT / "wasi/examples" / name, WASM]
    if name.endswith(".js"):
        return ["node", ROOT / "wasi/examples" / name, javascript]
    folder = ROOT / "wasi/examples/rust-component"
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "build/tools/component-rust"))
    subprocess.run(["cargo", "build", "--quiet", "--locked"], cwd=folder, check=True,
                   env={**os.environ, "CARGO_TARGET_DIR": str(target)})
    return [target / "debug" / "cpb-field", WASM]


# Wasmtime takes minutes to build, so its host in Rust is built before a release only.
RUST = pytest.param("rust-component/src/main.rs", marks=pytest.mark.skipif(
    not os.environ.get("CPB_TEST_ALL"), reason="before a release"))


@pytest.mark.parametrize("name", ["python/component_field.py", "javascript/component-field.js", RUST])
def test_hosts_of_forty_lines_write_a_field_by_url(name, url, javascript):
    lines = (ROOT / "wasi/examples" / name).read_text().splitlines()
    assert len([line for line in lines if line and not line.startswith(("//", '"""'))]) <= 40
    start, environment = host_command(name, javascript), {**os.environ, "PYTHONPATH": str(ROOT / "build/tools/wasmtime")}
    for path, file in (("node[0].attr", GRAPH / "max1000_zstd.cpb"), ("meta_graphs[0].meta_info_def.tags", MODULE)):
        words = [*start, f"{url}/{file.relative_to(DATA)}", path]
        done = subprocess.run(words, capture_output=True, env=environment, check=True)
        assert done.stdout == run("cat", file, "--field", path)


# --- Records ----------------------------------------------------------------------------------

def native_records(path):
    lines = [json.loads(line) for line in run("records", path, "--json").splitlines()]
    return [(one["position"], one["size"]) for one in lines if "position" in one]


RECORDS = sorted((DATA / "records").glob("*.riegeli"))[::7]


def test_records_are_as_natively():
    instance, seen = Instance(WASM), 0
    for path in [path for path in RECORDS if path.stat().st_size < 1 << 20]:
        wanted = native_records(path)
        with instance.open_records(Path(path), "late", 4096) as records:
            got = [(position, size, whole(content, 5000)) for position, size, content in records]
            assert [(position, size) for position, size, _ in got] == wanted and records.count() == len(wanted), path
            assert all(len(data) == size for _, size, data in got)
            for i in {0, len(got) // 2, len(got) - 1} if got else ():
                records.at(got[i][0])
                position, _, content = next(iter(records))
                assert (position, sha(whole(content))) == (got[i][0], sha(run("cat", path, "--record", i)))
                records.number(i)
                assert next(iter(records))[0] == position
        seen += len(wanted)
    assert seen > 200


@pytest.mark.parametrize("name", ["tr_nodedef_zstd", "tr_nonproto_brotli", "simple_nodedef_big_brotli"])
def test_some_fields_of_records_are_as_natively(name):
    path, fields = DATA / "records" / f"{name}.riegeli", "1,5.2"
    lines = map(json.loads, run("records", path, "--fields", fields, "--json", "--sha256").splitlines())
    wanted = [(one["position"], one["size"], one["sha256"]) for one in lines if "position" in one]
    with Instance(WASM).open_records(Path(path), fields=fields) as records:
        entries = iter(records)
        assert [(position, size, sha(whole(content, 5000))) for position, size, content in entries] == wanted
        assert records.count() == len(wanted)
        records.number(1)
        assert next(iter(records))[:2] == wanted[1][:2]
    assert any("nonproto" in name or size < whole_size
               for (_, size, _), (_, whole_size) in zip(wanted, native_records(path)))


def test_fields_that_are_none_are_said_at_the_first_record():
    with Instance(WASM).open_records(Path(GRAPH / "max1000_zstd.cpb"), fields="1,x") as records:
        for _ in range(2):
            code, text = error_of(lambda: list(records))
            assert code == "usage" and "x" in text
            records.at(0)


def test_records_that_are_damaged_end_with_the_error_and_others_are_read(tmp_path):
    instance, path = Instance(WASM), DATA / "cpb_odd" / "damage_cut_10.cpb"
    with instance.open_records(Path(path)) as records:
        assert error_of(lambda: list(records))[0] == "truncated"
        assert error_of(lambda: list(records))[0] == "truncated"
    big = DATA / "records" / "big_record_then_small.riegeli"
    whole_file, wanted = bytearray(big.read_bytes()), native_records(big)
    whole_file[1000] ^= 1
    changed = tmp_path / "changed.riegeli"
    changed.write_bytes(whole_file)
    with instance.open_records(Path(changed)) as records:
        assert error_of(lambda: [whole(content) for _, _, content in records])[0] == "damaged"
        assert error_of(lambda: next(iter(records)))[0] == "damaged"
        records.at(wanted[-1][0])
        assert [(position, size) for position, size, _ in records] == wanted[-1:]


def test_a_record_ends_the_content_before_it():
    with Instance(WASM).open_records(Path(GRAPH / "max1000_zstd.cpb")) as records:
        entries = iter(records)
        one, other = next(entries)[2], next(entries)[2]
        assert error_of(lambda: one.call("content.next", 5)) == ("usage", "another read has begun since")
        assert other.call("content.next", 5) == run("cat", GRAPH / "max1000_zstd.cpb", "--record", 1)[:5]
        records.at(0)
        assert error_of(lambda: other.call("content.next", 5))[0] == "usage"
