"""Protobuf wire bytes by hand, for messages that no library would make."""


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def tag(number, wire_type):
    return varint(number << 3 | wire_type)


def header(number, size):
    """Tag and length of a length-delimited field."""
    return varint(number << 3 | 2) + varint(size)


def field(number, value):
    return header(number, len(value)) + value


def nested(number, levels):
    """A message in a message in a message ..., empty at the bottom. Built from
    the inside out, in linear time."""
    headers, size = [], 0
    for _ in range(levels):
        one = header(number, size)
        headers.append(one)
        size += len(one)
    return b"".join(reversed(headers))


def sparse_model(path, payload, count):
    """A SavedModel whose graph has `count` constants of `payload` zero bytes
    each, which take no space on disk. Returns its size."""
    def const(index):
        """The bytes of a node before its payload, and the node's size."""
        tensor = varint(1 << 3) + varint(1)  # dtype DT_FLOAT
        content = header(4, payload)
        tensor_size = len(tensor) + len(content) + payload
        attr_value = header(8, tensor_size)
        value_size = len(attr_value) + tensor_size
        entry = field(1, b"value") + header(2, value_size)
        entry_size = len(entry) + value_size
        node = field(1, b"const%d" % index) + field(2, b"Const") + header(5, entry_size)
        size = len(node) + entry_size
        return node + entry + attr_value + tensor + content, size

    nodes = [const(i) for i in range(count)]
    graph_size = sum(len(header(1, size)) + size for _, size in nodes)
    meta = header(2, graph_size)
    start = varint(1 << 3) + varint(1) + header(2, len(meta) + graph_size) + meta
    with open(path, "wb") as file:
        file.write(start)
        for before, size in nodes:
            file.write(header(1, size) + before)
            file.seek(payload, 1)
        file.truncate()
        return file.tell()
