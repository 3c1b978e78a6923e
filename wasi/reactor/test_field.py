"""cpb-core-field.wasm: a field by its path and the URL of the file, in the hosts of a few lines in wasi/examples and with
names, is what the command reads, or the same to a parser."""

import functools
import os
import subprocess
import sys

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from test_reactor import DATA, MODULES, ROOT, TOOLS, cpb, served

sys.path[:0] = [str(ROOT / "wasi" / "examples" / "python")]

import cpb_field  # noqa: E402
import wasmtime  # noqa: E402

ENGINE = wasmtime.Engine()
WASM = str(MODULES / "cpb-core-field.wasm")
FILES = ["real_frozen_conv/max1000_zstd.cpb", "real_frozen_conv/max1000_tr.cpb", "real_frozen_conv/max1000_none.cpb",
         "graph_split-large-constant/max500_brotli.cpb", "graph_split-large-constant/max500_snappy.cpb"]
HOSTS = {"wasmtime": [sys.executable, ROOT / "wasi/examples/python/cpb_field.py"],
         "node": ["node", ROOT / "wasi/examples/javascript/cpb-field.js"]}


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


@pytest.mark.parametrize("host", HOSTS)
def test_hosts(host):
    path = DATA / "cpb" / FILES[0]
    environment = {**os.environ, "PYTHONPATH": str(TOOLS / "wasmtime")}
    read = lambda *words: subprocess.run([*HOSTS[host], WASM, *words], capture_output=True, env=environment)
    where, kind, wanted = next(f for f in paths_of(graph_of(path)) if f[1] == "TensorProto")
    assert len(HOSTS[host][1].read_text().splitlines()) <= 40
    with served(path) as (server, url):
        done = read(url + "/m.cpb", where)
        assert done.returncode == 0, done.stderr.decode()
        assert same(done.stdout, wanted, kind)
        done = read(url + "/m.cpb", "1[9999]")
        assert done.returncode != 0 and b"1[9999]: the message has none" in done.stderr
