"""Random schemas and random messages of them, from a seed."""

import random

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

FieldType = descriptor_pb2.FieldDescriptorProto
SCALARS = [FieldType.TYPE_DOUBLE, FieldType.TYPE_FLOAT, FieldType.TYPE_INT64, FieldType.TYPE_UINT64,
           FieldType.TYPE_INT32, FieldType.TYPE_FIXED64, FieldType.TYPE_FIXED32, FieldType.TYPE_BOOL,
           FieldType.TYPE_STRING, FieldType.TYPE_BYTES, FieldType.TYPE_UINT32, FieldType.TYPE_SFIXED32,
           FieldType.TYPE_SFIXED64, FieldType.TYPE_SINT32, FieldType.TYPE_SINT64]
KEYS = [FieldType.TYPE_STRING, FieldType.TYPE_BOOL, FieldType.TYPE_UINT32, FieldType.TYPE_UINT64,
        FieldType.TYPE_INT32, FieldType.TYPE_INT64]


def random_file(rng):
    syntax = rng.choice(["proto2", "proto3"])
    file = descriptor_pb2.FileDescriptorProto(name="random.proto", package="random", syntax=syntax)
    enum = file.enum_type.add(name="Color")
    for number, name in enumerate(["RED", "GREEN", "BLUE"]):
        enum.value.add(name=name, number=number)
    names = [f"M{i}" for i in range(rng.randint(1, 5))]
    for name in names:
        message = file.message_type.add(name=name)
        numbers = sorted(rng.sample(range(1, 40), rng.randint(1, 10)))
        if rng.random() < 0.2:
            numbers[-1] = rng.choice([15, 16, 2047, 2048, 536870911])
            numbers = sorted(set(numbers))
        for number in numbers:
            add_field(rng, syntax, message, f"f{number}", number, names)
        if rng.random() < 0.4:
            message.oneof_decl.add(name="choice")
            for number in range(50, 50 + rng.randint(1, 3)):
                field = add_field(rng, syntax, message, f"f{number}", number, names, plain=True)
                field.oneof_index = 0
    return file


def add_field(rng, syntax, message, name, number, names, plain=False):
    field = message.field.add(name=name, number=number, label=FieldType.LABEL_OPTIONAL)
    kind = rng.random()
    if kind < 0.35:
        field.type, field.type_name = FieldType.TYPE_MESSAGE, f".random.{rng.choice(names)}"
    elif kind < 0.42:
        field.type, field.type_name = FieldType.TYPE_ENUM, ".random.Color"
    else:
        field.type = rng.choice(SCALARS)
    if plain:
        return field
    if rng.random() < 0.45:
        field.label = FieldType.LABEL_REPEATED
        if syntax == "proto2" and field.type not in (FieldType.TYPE_STRING, FieldType.TYPE_BYTES,
                                                     FieldType.TYPE_MESSAGE) and rng.random() < 0.5:
            field.options.packed = True
    elif rng.random() < 0.25:
        entry = message.nested_type.add(name=f"F{number}Entry")
        entry.options.map_entry = True
        entry.field.add(name="key", number=1, label=FieldType.LABEL_OPTIONAL, type=rng.choice(KEYS))
        value = entry.field.add(name="value", number=2, label=FieldType.LABEL_OPTIONAL, type=field.type)
        if field.type_name:
            value.type_name = field.type_name
        field.label = FieldType.LABEL_REPEATED
        field.type, field.type_name = FieldType.TYPE_MESSAGE, f".random.{message.name}.F{number}Entry"
    return field


def scalar(rng, field, big):
    kind = field.type
    if kind in (FieldType.TYPE_STRING, FieldType.TYPE_BYTES):
        size = rng.choice([0, 1, 5, 20, big])
        data = bytes(rng.randrange(97, 123) for _ in range(size))
        return data.decode() if kind == FieldType.TYPE_STRING else data
    if kind == FieldType.TYPE_BOOL:
        return rng.random() < 0.5
    if kind == FieldType.TYPE_ENUM:
        return rng.randrange(3)
    if kind in (FieldType.TYPE_DOUBLE, FieldType.TYPE_FLOAT):
        return float(rng.randrange(-1000, 1000))
    signed = kind in (FieldType.TYPE_INT64, FieldType.TYPE_INT32, FieldType.TYPE_SINT32, FieldType.TYPE_SINT64,
                      FieldType.TYPE_SFIXED32, FieldType.TYPE_SFIXED64)
    value = rng.choice([0, 1, 127, 128, 300, 2**31 - 1])
    return -value if signed and rng.random() < 0.3 else value


def fill(rng, message, depth, big):
    for field in message.DESCRIPTOR.fields:
        if rng.random() < 0.3:
            continue
        is_map = field.message_type is not None and field.message_type.GetOptions().map_entry
        if is_map:
            key, value = field.message_type.fields_by_name["key"], field.message_type.fields_by_name["value"]
            for _ in range(rng.randint(0, 3)):
                at = scalar(rng, key, 8)
                if value.message_type is None:
                    getattr(message, field.name)[at] = scalar(rng, value, big)
                elif depth > 0:
                    fill(rng, getattr(message, field.name)[at], depth - 1, big)
        elif field.is_repeated:
            for _ in range(rng.choice([0, 1, 2, 3, 9])):
                if field.message_type is None:
                    getattr(message, field.name).append(scalar(rng, field, big))
                elif depth > 0:
                    fill(rng, getattr(message, field.name).add(), depth - 1, big)
        elif field.message_type is not None:
            if depth > 0:
                getattr(message, field.name).SetInParent()
                fill(rng, getattr(message, field.name), depth - 1, big)
        else:
            setattr(message, field.name, scalar(rng, field, big))


def random_case(seed):
    """A descriptor set, a type name, a message of it and its bytes in canonical order."""
    rng = random.Random(seed)
    file = random_file(rng)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    type_name = f"random.{file.message_type[0].name}"
    cls = message_factory.GetMessageClass(pool.FindMessageTypeByName(type_name))
    message = cls()
    fill(rng, message, 3, rng.choice([60, 300, 3000]))
    schema = descriptor_pb2.FileDescriptorSet(file=[file]).SerializeToString()
    return schema, type_name, message, message.SerializeToString(deterministic=True), rng
