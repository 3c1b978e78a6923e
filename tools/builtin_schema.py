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


def by_name(messages, enums):
    """Messages and enums in the order of their names, which C then need not sort."""
    return sorted([*messages, *enums], key=lambda declared: declared.name)


def is_enum(declared):
    return isinstance(declared, descriptor_pb2.EnumDescriptorProto)


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
            if file.extension or file.service:
                sys.exit(f"{file.name}: extensions and services have no code")
        declared = [(f".{file.package}.{one.name}", file, one)
                    for file in files for one in (*file.message_type, *file.enum_type)]
        declared.sort(key=lambda each: each[0])
        for name, _, one in declared:
            self.count(name, one)
        begun = None
        for _, file, one in declared:
            begun = self.file(file, begun)
            self.type(one)

    def count(self, name, declared):
        """Numbers a type and those in it."""
        if is_enum(declared):
            self.enums[name] = len(self.enums)
            return
        self.messages[name] = len(self.messages)
        for nested in by_name(declared.nested_type, declared.enum_type):
            self.count(f"{name}.{nested.name}", nested)

    def code(self, code, *numbers):
        self.lines.append([code, *(byte for number in numbers for byte in varint(number))])

    def distance(self, number):
        """How far a number is above the expected one, in zigzag."""
        above = number - self.next
        self.next = number + 1
        return 2 * above if above >= 0 else -2 * above - 1

    def file(self, file, begun):
        """Begins one of this package and syntax, unless such a file is begun."""
        if begun != (file.package, file.syntax):
            self.names += [file.package, file.syntax or "proto2"]
            self.code(FILE)
        return file.package, file.syntax

    def type(self, declared):
        if is_enum(declared):
            self.enum(declared)
        else:
            self.message(declared)

    def message(self, message):
        self.names.append(message.name)
        self.code(MESSAGE)
        self.next = 1
        for field in sorted(message.field, key=lambda field: field.number):
            self.field(field)
        for nested in by_name(message.nested_type, message.enum_type):
            self.type(nested)
        self.code(END_ENTRY if message.options.map_entry else END_MESSAGE)

    def enum(self, enum):
        self.names.append(enum.name)
        self.code(ENUM)
        self.next = 0
        for value in sorted(enum.value, key=lambda value: value.number):
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
