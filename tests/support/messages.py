"""Message types from the descriptor sets in tests/data/schema, parsed by
Google's own protobuf library: the oracle for messages."""

import functools

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from conftest import DATA


class Schema:
    def __init__(self, cls):
        self.cls = cls

    def parse(self, data):
        message = self.cls()
        message.MergeFromString(data)
        return message


@functools.lru_cache
def pool(name):
    files = descriptor_pb2.FileDescriptorSet.FromString((DATA / "schema" / name).read_bytes())
    result = descriptor_pool.DescriptorPool()
    for file in files.file:
        result.Add(file)
    return result


@functools.lru_cache
def schema(type_name):
    for name in ("tensorflow.fds", "proto_splitter.fds"):
        try:
            return Schema(message_factory.GetMessageClass(pool(name).FindMessageTypeByName(type_name)))
        except KeyError:
            continue
    raise KeyError(type_name)
