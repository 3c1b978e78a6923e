"""TensorFlow's own Merger makes the same message of what our splitters write."""

import random
import subprocess

import pytest
from google.protobuf.descriptor import FieldDescriptor
from interop import build
from support.random_messages import random_case

import libcpb
from libcpb.proto_splitter import util

TEXT = (FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES)


@pytest.fixture(scope="module")
def merger():
    return build.tf_merger()


class Anything(libcpb.ComposableSplitter):
    """Takes out messages, elements, map entries and texts, at random, by itself and by children."""

    def __init__(self, proto, rng, **kwargs):
        super().__init__(proto, **kwargs)
        self.rng = rng

    def build_chunks(self):
        for field, value in self._proto.ListFields():
            if util.is_map(field):
                if field.message_type.fields_by_name["value"].message_type:
                    for key in sorted(value):
                        self.take(value[key], [field.name, key])
            elif util.is_repeated(field):
                if field.message_type:
                    for i, element in enumerate(value):
                        self.take(element, (field.number, i))
            elif field.message_type:
                self.take(value, [field.number])
            elif field.type in TEXT and self.rng.random() < 0.3:
                self.add_chunk(value.encode() if isinstance(value, str) else value, field.name)
                self._proto.ClearField(field.name)

    def take(self, message, path):
        if self.rng.random() < 0.5:
            Anything(message, self.rng, parent_splitter=self, fields_in_parent=path).build_chunks()
        if self.rng.random() < 0.5 and message.ByteSize():
            whole = type(message)()
            whole.CopyFrom(message)
            message.Clear()
            # Chunks of what is in it are there already: this one goes before them.
            self.add_chunk(whole, path, 1)


@pytest.mark.parametrize("block", range(4))
def test_random_messages(merger, block, tmp_path):
    chunks = 0
    for seed in range(block * 10, block * 10 + 10):
        schema, type_name, message, data, rng = random_case(seed)
        (tmp_path / "types.fds").write_bytes(schema)
        splitter = Anything(message, random.Random(seed))
        path = splitter.write(tmp_path / f"m{seed}")
        subprocess.run([merger, tmp_path / "types.fds", type_name, path, tmp_path / "out.pb"], check=True,
                       stdout=subprocess.DEVNULL)
        whole, ours = type(message).FromString(data), type(message)()
        assert type(message).FromString((tmp_path / "out.pb").read_bytes()) == whole, seed
        libcpb.Merger.read(path, ours)
        assert ours == whole, seed
        libcpb.Merger.merge(*splitter.split(), ours)
        assert ours == whole, seed
        chunks += len(splitter.split()[0])
    assert chunks > 30
