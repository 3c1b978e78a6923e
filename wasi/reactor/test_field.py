"""cpb-core-field.wasm: a field by its path and the URL of the file, in the hosts of a few lines in wasi/examples and with
names, is what the command reads, or the same to a parser."""

import functools
import json
import os
import re
import subprocess
import sys

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory

from test_reactor import DATA, MODULES, ROOT, TOOLS, cpb, once, served

sys.path[:0] = [str(ROOT / "wasi" / "examples" / "python")]

import cpb_field  # noqa: E402
import wasmtime  # noqa: E402

ENGINE = wasmtime.Engine()
WASM = str(MODULES / "cpb-core-field.wasm")
FILES = ["real_frozen_conv/max1000_zstd.cpb", "real_frozen_conv/max1000_tr.cpb", "real_frozen_conv/max1000_none.cpb",
         "graph_split-large-constant/max500_brotli.cpb", "graph_split-large-constant/max500_snappy.cpb"]
EXAMPLES = ROOT / "wasi" / "examples"


def build_go(out):
    subprocess.run(["go", "build", "-o", out, "./field"], cwd=EXAMPLES / "go", check=True)


def build_c(out):
    wasm3 = TOOLS / "wasm3"
    subprocess.run(["cc", "-O1", "-w", "-D_GNU_SOURCE", f"-I{wasm3}", EXAMPLES / "c/cpb_field.c", *wasm3.glob("m3_*.c"),
                    "-lm", "-lcurl", "-o", out], check=True)


# The source of a host, and what starts it or makes it; at most so many lines.
HOSTS = {"wasmtime": ("python/cpb_field.py", sys.executable, 40), "node": ("javascript/cpb-field.js", "node", 40),
         "wazero": ("go/field/main.go", build_go, 40), "wasm3": ("c/cpb_field.c", build_c, 46)}


def host_command(name):
    source, start, _ = HOSTS[name]
    if callable(start):
        return [once(TOOLS / f"cpb-field-{name}", start, [EXAMPLES / source])]
    return [start, EXAMPLES / source]


@functools.cache
def messages():
    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString((DATA / "schema/tensorflow.fds").read_bytes()).file:
        pool.Add(file)
    return lambda name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"tensorflow.{name}"))


def graph_of(path):
    return messages()("GraphDef").FromString(cpb("merge", path, "--quiet", "-o", "-"))


def paths_of(graph):
    """Path by numbers, type of the field, and what protobuf has there."""
    for i, node in enumerate(graph.node):
        yield f"1[{i}].1", None, node.name.encode()
        for key, value in node.attr.items():
            if value.HasField("tensor"):
                yield f'1[{i}].5["{key}"].8', "TensorProto", value.tensor
            elif value.HasField("type"):
                yield f'1[{i}].5["{key}"].6', None, None
    if graph.HasField("versions"):
        yield "4", "VersionDef", graph.versions


@pytest.fixture(scope="module")
def compiled():
    return wasmtime.Module.from_file(ENGINE, WASM)


@pytest.fixture
def compiled_once(compiled, monkeypatch):
    """The host compiles the module for each field, which takes a second."""
    store = wasmtime.Store
    monkeypatch.setattr(wasmtime, "Store", lambda: store(ENGINE))
    monkeypatch.setattr(wasmtime.Module, "from_file", lambda _engine, _path: compiled)


def same(got, wanted, kind):
    return wanted is None and len(got) > 0 or got == wanted or kind and messages()(kind).FromString(got) == wanted


@pytest.mark.parametrize("name", FILES)
def test_fields_are_those_of_the_message(name, compiled_once):
    path = DATA / "cpb" / name
    with served(path) as (server, url):
        fields = list(paths_of(graph_of(path)))
        tensors = 0
        for where, kind, wanted in fields[:25] + fields[-3:]:
            got = b"".join(cpb_field.field(WASM, url + "/m.cpb", where))
            assert same(got, wanted, kind), where
            tensors += kind == "TensorProto"
    assert tensors > 0


def values_of(graph):
    """Path by names, and what protobuf's own JSON has there."""
    shown = json_format.MessageToDict(graph, preserving_proto_field_name=True)
    for i, node in enumerate(shown["node"]):
        yield f"node[{i}].name", node["name"]
        yield f"node[{i}].op", node["op"]
        for key, value in node.get("attr", {}).items():
            yield f"node[{i}].attr[{json.dumps(key)}]", value
    yield "versions", shown["versions"]


def test_fields_as_json_are_those_of_protobuf(compiled_once):
    """By the names of the schema that is in the module; long values are told by their places."""
    path, compared, refused = DATA / "cpb" / FILES[0], 0, 0
    with served(path) as (_, url):
        for where, wanted in list(values_of(graph_of(path)))[:40]:
            try:
                text = b"".join(cpb_field.field(WASM, url + "/m.cpb", where, "tensorflow.GraphDef", "json"))
            except OSError as error:
                assert "which only a merge puts there" in str(error)
                refused += 1
                continue
            got = json.loads(text)
            if "@omitted" not in text.decode():
                assert got == wanted, where
                compared += 1
    assert compared > 20 and refused < 10


def test_an_omitted_value_can_be_read(compiled_once):
    path = DATA / "cpb" / FILES[0]
    where, _, wanted = next(f for f in paths_of(graph_of(path)) if f[1] == "TensorProto" and len(f[2].tensor_content) > 2000)
    with served(path) as (_, url):
        read = lambda *form: b"".join(cpb_field.field(WASM, url + "/m.cpb", where, "tensorflow.GraphDef", *form))
        place, value = json.loads(read("json"))["tensor_content"]["@omitted"], read()
    assert value[place["offset"]:place["offset"] + place["size"]] == wanted.tensor_content


def test_json_needs_a_type(compiled_once):
    with served(DATA / "cpb" / FILES[0]) as (_, url), pytest.raises(OSError, match="the type of the field is not known"):
        list(cpb_field.field(WASM, url + "/m.cpb", "1[0].1", "", "json"))


def lines_of(source):
    text = re.sub(r'^(""".*?"""|/\*.*?\*/)', "", (EXAMPLES / source).read_text(), flags=re.S)
    return [line for line in text.splitlines() if line and not line.startswith("//")]


@pytest.mark.parametrize("host", HOSTS)
def test_hosts(host):
    path = DATA / "cpb" / FILES[0]
    environment = {**os.environ, "PYTHONPATH": str(TOOLS / "wasmtime")}
    command = host_command(host)
    read = lambda *words: subprocess.run([*command, WASM, *words], capture_output=True, env=environment)
    where, kind, wanted = next(f for f in paths_of(graph_of(path)) if f[1] == "TensorProto")
    assert len(lines_of(HOSTS[host][0])) <= HOSTS[host][2]
    with served(path) as (_, url):
        done = read(url + "/m.cpb", where)
        assert done.returncode == 0, done.stderr.decode()
        assert same(done.stdout, wanted, kind)
        done = read(url + "/m.cpb", "1[9999]")
        assert done.returncode != 0 and b"1[9999]: the message has none" in done.stderr
