"""Messages, and what is taken from them by `cpb split` and `cpb cat`, made to take more work or memory
than their size: each a function of n, and of a folder in which it may put a schema, that returns the
message and the words of the command."""

from google.protobuf import descriptor_pb2

from support.wire import field, tag, varint

GRAPH = ("--type", "tensorflow.GraphDef")
SPLIT = ("split", *GRAPH, "-o", "{}.cpb", "--force")
WHOLE = ("cat", *GRAPH, "--field", "")
JSON = (*WHOLE, "--json")
OUTLINE = (*JSON, "--omit", "1")


def number(key, value):
    return tag(key, 0) + varint(value)


def entry(key, value=b""):
    """Of a map from strings to messages."""
    return field(1, key) + field(2, value)


def node(attributes):
    """GraphDef.node"""
    return field(1, b"".join(field(5, one) for one in attributes))


# --- Split -----------------------------------------------------------------------------


def values_in_entries(n, _):
    """A map with n entries, of which each value is cut."""
    content = field(8, field(4, bytes(100)))  # AttrValue.tensor.tensor_content
    return node(entry(b"%08d" % i, content) for i in range(n)), (*SPLIT, "--max-chunk-size", "64")


def long_keys(n, _):
    """n values that are cut, ten maps deep, under keys of 1,000 bytes."""
    inner = b"".join(field(2, entry(b"%04d" % i, field(2, bytes(100)))) for i in range(n))
    for level in range(10):
        inner = field(2, entry(b"%d" % level * 1000, field(10, inner)))  # NameAttrList.attr, AttrValue.func
    return node([entry(b"a", field(10, inner))]), (*SPLIT, "--max-chunk-size", "64")


def small_nodes(n, _):
    """n nodes of two bytes: nothing is cut but the graph."""
    return node([]) * n, (*SPLIT, "--max-chunk-size", "1000")


def groups(n, _):
    """A group in a group, 90 times, with n more in the innermost."""
    begin, end = tag(1000, 3), tag(1000, 4)
    return begin * 90 + (begin + end) * n + end * 90, (*SPLIT, "--max-chunk-size", "1000")


def cut_in_vain(n, _):
    """Values that are cut, and then occur again: each time it begins anew, until it cuts no more."""
    large = field(8, field(4, bytes(200)))
    attributes = [entry(b"%02d" % (i % 20), large) for i in range(n)]
    return node(attributes), (*SPLIT, "--max-chunk-size", "64")


# --- Find ------------------------------------------------------------------------------


def many_occurrences(n, _):
    """A message in n parts, which a parser merges, and between which another field stands."""
    part = field(2, number(1, 1)) + number(99, 1)
    return part * n, ("cat", *GRAPH, "--field", "library.function")


def many_entries(n, _):
    """A key that n entries have: the last one counts."""
    return node([entry(b"k" * 100, number(3, 1))] * n), ("cat", *GRAPH, "--field", 'node[0].attr["%s"]' % ("k" * 100))


def one_of_many(n, _):
    """The last of n packed numbers, all of them large."""
    last = field(8, field(10, varint(1 << 63) * n))  # AttrValue.tensor.int64_val
    return node([entry(b"v", last)]), ("cat", *GRAPH, "--field", f'node[0].attr["v"].tensor.int64_val[{n - 1}]')


def skipped_groups(n, _):
    """Groups in groups that nobody asked for."""
    begin, end = tag(1000, 3), tag(1000, 4)
    return (begin * 90 + end * 90) * (n // 180) + node([]), ("cat", *GRAPH, "--field", "node[0]")


# --- JSON and outlines -------------------------------------------------------------------


def nested_groups(n, _):
    """Groups, which have no length, in one another: each level is gone through again."""
    begin, end = tag(1000, 3), tag(1000, 4)
    return begin * 90 + field(1, b"") * n + end * 90, JSON


def deep_lists(n, _):
    """n messages, each on a line of its own, that begins with 100 spaces and more."""
    inner = field(1, field(9, b"") * n)  # AttrValue.list.func
    for _ in range(20):
        inner = field(10, field(2, entry(b"a", inner)))
    return node([entry(b"a", inner)]), JSON


def equal_keys(n, _):
    """n entries of one key, in an order that is none."""
    return node(entry(b"%09d" % (i * 7919 % n // 2), number(3, i)) for i in range(n)), JSON


def tiny_fields(n, _):
    """n fields of two bytes, half of which the schema does not know."""
    return (field(1, b"") + field(99, b"")) * (n // 2), JSON


def large_oneof(n, folder):
    """n fields that are n / 2 members of one oneof: as many as the schema has."""
    file = descriptor_pb2.FileDescriptorProto(name="a.proto", package="a", syntax="proto2")
    message = file.message_type.add(name="M")
    message.oneof_decl.add(name="o")
    for i in range(1, n // 2 + 1):
        message.field.add(name=f"f{i}", number=i, type=5, label=1, oneof_index=0)
    schema = folder / "a.fds"
    schema.write_bytes(descriptor_pb2.FileDescriptorSet(file=[file]).SerializeToString())
    content = b"".join(number(i % (n // 2) + 1, 1) for i in range(n))
    return content, ("cat", "--schema", schema, "--type", "a.M", "--field", "", "--json")


def omitted_values(n, _):
    """n values that are left out."""
    return node([]) + (field(1, b"\x12\0") + field(77, b"ab")) * n, OUTLINE


def many_messages(n, _):
    """n messages that are gone into, 30 deep."""
    inner = field(10, field(1, b"xx")) * n
    for _ in range(15):
        inner = field(10, field(2, entry(b"a", inner)))
    return node([entry(b"a", inner)]), OUTLINE


FAMILIES = {
    values_in_entries: 4_000,
    long_keys: 4_000,
    small_nodes: 100_000,
    groups: 100_000,
    cut_in_vain: 2_000,
    many_occurrences: 50_000,
    many_entries: 10_000,
    one_of_many: 100_000,
    skipped_groups: 500_000,
    nested_groups: 20_000,
    deep_lists: 20_000,
    equal_keys: 20_000,
    tiny_fields: 200_000,
    large_oneof: 20_000,
    omitted_values: 50_000,
    many_messages: 30_000,
}
