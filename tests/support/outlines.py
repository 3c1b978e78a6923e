"""The JSON of an outline made whole again: what was omitted is taken from the message's bytes."""

import base64
import json

from google.protobuf import json_format, message_factory

from support.wire import varint


def restored(shown, descriptor, data, most):
    """`shown` with the values that lie elsewhere put in, and none left that is longer than `most`."""
    whole = {}
    for name, value in shown.items():
        field = descriptor.fields_by_name[name]
        whole[name] = Restorer(field, data, most).field(value)
    return whole


def is_omitted(value):
    return isinstance(value, dict) and value.keys() == {"@omitted"}


class Restorer:
    def __init__(self, field, data, most):
        self.of, self.data, self.most = field, data, most

    def field(self, value):
        message = self.of.message_type
        if message is not None and message.GetOptions().map_entry:
            inner = Restorer(message.fields_by_name["value"], self.data, self.most)
            return {key: inner.single(each) for key, each in value.items()}
        if self.of.is_repeated:
            return [element for each in value for element in self.elements(each)]
        return self.single(value)

    def elements(self, value):
        alone = self.of.message_type is not None or self.of.type in (self.of.TYPE_STRING, self.of.TYPE_BYTES)
        return self.fetched(value) if is_omitted(value) and not alone else [self.single(value)]

    def single(self, value):
        if is_omitted(value):
            value = self.fetched(value)
            return value[0] if self.of.is_repeated else value
        if self.of.message_type is not None:
            return restored(value, self.of.message_type, self.data, self.most)
        if self.of.type == self.of.TYPE_STRING:
            assert len(value.encode()) <= self.most
        if self.of.type == self.of.TYPE_BYTES:
            assert len(base64.b64decode(value)) <= self.most
        return value

    def fetched(self, value):
        """The field, as protobuf reads it from the bytes that were omitted."""
        where = value["@omitted"]
        assert where["size"] > self.most
        raw = self.data[where["offset"]:where["offset"] + where["size"]]
        parent = message_factory.GetMessageClass(self.of.containing_type)()
        parent.MergeFromString(varint(self.of.number << 3 | 2) + varint(len(raw)) + raw)
        return json.loads(json_format.MessageToJson(parent, preserving_proto_field_name=True))[self.of.name]
