"""What a descriptor set declares, as two C arrays that take half of its space in a
compressed module: NAME_names, and NAME_code, which says what they are the names of.

    builtin_schema.py SET HEADER NAME OUTPUT.c

HEADER declares the arrays. The codes are explained in src/proto/schema/builtin.c; what
the project's own .proto files do not use has none, and is refused.
"""

import sys

from google.protobuf import descriptor_pb2

END_MESSAGE, MESSAGE, ENUM, FILE, VALUE, END_ENTRY = 0, 19, 20, 21, 22, 23
REPEATED, PACKED, IN_ONEOF = 32, 64, 128  # added to a field's type

Field = descriptor_pb2.FieldDescriptorProto


def types_of(message, scope):
    """The qualified names of a message and the messages in it, and those of the enums in them."""
    name = f"{scope}.{message.name}"
    messages, enums = [name], []
    for nested in message.nested_type:
        more_messages, more_enums = types_of(nested, name)
        messages += more_messages
        enums += more_enums
    return messages, enums + [f"{name}.{enum.name}" for enum in message.enum_type]


def varint(number):
    while number > 127:
        yield number % 128 + 128
        number //= 128
    yield number


class Writer:
    def __init__(self, files):
        self.names, self.lines = [], []
        self.messages, self.enums = {}, {}  # a type's name to its index
        self.next = 0  # the number that a field or value has unless its code says otherwise
        for file in files:
            scope = f".{file.package}"
            for message in file.message_type:
                messages, enums = types_of(message, scope)
                for name in messages:
                    self.messages[name] = len(self.messages)
                for name in enums:
                    self.enums[name] = len(self.enums)
            for enum in file.enum_type:
                self.enums[f"{scope}.{enum.name}"] = len(self.enums)
        for file in files:
            self.file(file)

    def code(self, code, *numbers):
        self.lines.append([code, *(byte for number in numbers for byte in varint(number))])

    def distance(self, number):
        """How far a number is above the expected one, in zigzag."""
        above = number - self.next
        self.next = number + 1
        return 2 * above if above >= 0 else -2 * above - 1

    def file(self, file):
        if file.extension or file.service:
            sys.exit(f"{file.name}: extensions and services have no code")
        self.names += [file.package, file.syntax or "proto2"]
        self.code(FILE)
        for message in file.message_type:
            self.message(message)
        for enum in file.enum_type:
            self.enum(enum)

    def message(self, message):
        self.names.append(message.name)
        self.code(MESSAGE)
        self.next = 1
        for field in message.field:
            self.field(field)
        for nested in message.nested_type:
            self.message(nested)
        for enum in message.enum_type:
            self.enum(enum)
        self.code(END_ENTRY if message.options.map_entry else END_MESSAGE)

    def enum(self, enum):
        self.names.append(enum.name)
        self.code(ENUM)
        self.next = 0
        for value in enum.value:
            self.names.append(value.name)
            self.code(VALUE, self.distance(value.number))

    def field(self, field):
        if field.label == Field.LABEL_REQUIRED:
            sys.exit(f"{field.name}: required fields have no code")
        if field.options.HasField("packed") and not field.options.packed:
            sys.exit(f"{field.name}: packed = false has no code")
        code = field.type
        if field.label == Field.LABEL_REPEATED:
            code += REPEATED
        if field.options.packed:
            code += PACKED
        numbers = [self.distance(field.number)]
        if field.type_name:
            types = self.enums if field.type == Field.TYPE_ENUM else self.messages
            numbers.append(types[field.type_name])
        if field.HasField("oneof_index"):
            code += IN_ONEOF
            numbers.append(field.oneof_index)
        self.names.append(field.name)
        self.code(code, *numbers)

    def text(self, header, name):
        names = "".join(f'  "{text}\\0"\n' for text in self.names)
        code = "".join("".join(f"{byte}," for byte in line) + "\n" for line in self.lines)
        return (f'#include "{header}"\n\nconst char {name}_names[] =\n{names};\n\n'
                f"const uint8_t {name}_code[] = {{\n{code}}};\n"
                f"const size_t {name}_code_size = sizeof {name}_code;\n")


def main(path, header, name, output):
    with open(path, "rb") as file:
        descriptors = descriptor_pb2.FileDescriptorSet.FromString(file.read())
    text = Writer(descriptors.file).text(header, name)
    with open(output, "w", newline="\n") as file:
        file.write(text)


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
