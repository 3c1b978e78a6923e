"""The types of the index in protobuf's default pool, beside those that another module registers; and
what importing brings in. Each in a process of its own."""

import subprocess
import sys

import pytest
from google.protobuf import descriptor_pb2

from conftest import ROOT

from libcpb.proto_splitter import _schema

# As TensorFlow's generated modules do it.
OTHERS = """
from google.protobuf import descriptor_pool
for data in {files!r}:
    descriptor_pool.Default().AddSerializedFile(data)
"""
OURS = """
from libcpb.proto_splitter import chunk_pb2, versions_pb2
m = chunk_pb2.ChunkMetadata(version=versions_pb2.VersionDef(splitter_version=1))
m.message.chunked_fields.add().message.chunk_index = 3
assert m.SerializeToString().hex() == "0a0208011a0612041a020803"
assert chunk_pb2.ChunkInfo.Type.BYTES == chunk_pb2.ChunkInfo.BYTES == 2
"""


def run(*parts):
    result = subprocess.run([sys.executable, "-c", "\n".join(parts)], capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr


def strip(messages):
    """Of the names in JSON, which generated modules leave out."""
    for message in messages:
        for field in message.field:
            field.ClearField("json_name")
        strip(message.nested_type)


def without_extensions(file):
    """As TensorFlow has it: without the fields from 1000 on, which are ours, and what only they use."""
    for message in file.message_type:
        for field in [field for field in message.field if field.number >= 1000]:
            message.field.remove(field)
    used, todo = set(), [m for m in file.message_type if m.name in ("ChunkMetadata", "VersionDef")]
    while todo:
        message = todo.pop()
        used.add(message.name)
        names = [f.type_name.split(".")[3] for m in (message, *message.nested_type) for f in m.field if f.type_name]
        todo += [m for m in file.message_type if m.name in names and m.name not in used]
    for message in [message for message in file.message_type if message.name not in used]:
        file.message_type.remove(message)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """The files of proto/ as protoc makes them, without our extensions, with the option that TensorFlow's
    have."""
    out = tmp_path_factory.mktemp("protos") / "chunk.fds"
    folder = "tensorflow/tools/proto_splitter"
    subprocess.run(["protoc", f"-I{ROOT / 'proto'}", "--include_imports", f"--descriptor_set_out={out}",
                    f"{folder}/chunk.proto"], check=True)
    files = descriptor_pb2.FileDescriptorSet.FromString(out.read_bytes()).file
    for file in files:
        without_extensions(file)
        file.options.cc_enable_arenas = True
        strip(file.message_type)
    return list(files)


def test_the_types_are_those_of_the_sources(compiled):
    assert list(_schema.FILES.values()) == compiled


@pytest.mark.parametrize("order", ["first", "second"])
def test_another_module_may_register_them(compiled, order):
    others = OTHERS.format(files=[file.SerializeToString() for file in compiled])
    run(*([OURS, others, OURS] if order == "first" else [others, OURS]))


def test_importing_the_package_does_not_import_protobuf():
    run("import sys, libcpb", "assert not [name for name in sys.modules if name.startswith('google')]",
        "assert 'Merger' in dir(libcpb)", "libcpb.Merger, libcpb.FunctionDefSplitter",
        "assert 'google.protobuf' in sys.modules and 'tensorflow' not in sys.modules",
        "try: libcpb.Mergers", "except AttributeError as e: assert 'Mergers' in str(e)", "else: raise SystemExit('?')")
