"""Models whose description took time or memory out of all proportion to their size.

A family makes its file of size O(n) in a folder, and returns the words after `cpb inspect`: the
model, a question, and how much of the answer is wanted.
"""

import json
import struct
import zipfile

from support import checkpoints, samediff_graphs, wire

ALL = ("-n", "1000000000")


def number(field, value):
    return wire.tag(field, 0) + wire.varint(value)


def child(node, name=b"c"):
    return wire.field(1, number(1, node) + wire.field(2, name))


def saved_model(folder, objects=(), functions=(), graph=b"", meta=b""):
    """A SavedModel with these SavedObjects, and entries of concrete_functions."""
    nodes = b"".join(wire.field(1, one) for one in objects)
    concrete = b"".join(wire.field(2, wire.field(1, name) + wire.field(2, value)) for name, value in functions)
    body = wire.field(2, graph) + meta + wire.field(7, nodes + concrete)
    path = folder / "saved_model.pb"
    path.write_bytes(number(1, 1) + wire.field(2, body))
    return path


def chain(n):
    """Objects, each the only child of the one before."""
    return [child(i + 1) for i in range(n - 1)] + [b""]


# --- Object graphs ---------------------------------------------------------------------


def deep_children(folder, n):
    """Every object of a chain is also a child of the root, at the end of the list."""
    last = number(1, n - 1)
    objects = chain(n)
    objects[-1] = b"".join(wire.field(1, last) for _ in range(n))
    return saved_model(folder, objects), "objects", f"#{n - 1}", *ALL


def deep_dependencies(folder, n):
    """An object that depends n times on one that is n objects deep."""
    objects = chain(n)
    objects[-1] = wire.field(15, number(1, n - 1)) * n
    return saved_model(folder, objects), "objects", f"#{n - 1}"


def deep_variables(folder, n):
    """Variables, each in the one before: all their paths are n * n bytes."""
    objects = [one + wire.field(7, number(1, 1)) for one in chain(n)]
    return saved_model(folder, objects), "variables", *ALL


def deep_search(folder, n):
    return saved_model(folder, chain(n)), "search", "c", *ALL


def function_def(name, nodes=b""):
    return wire.field(2, wire.field(1, wire.field(1, wire.field(1, name)) + nodes))


def captures_of_assets(folder, n):
    """A function that captures n times the object of the last of n assets."""
    asset = wire.field(5, number(1, n - 1))
    concrete = wire.field(2, wire.varint(1) * n)
    meta = wire.field(6, b"") * n
    model = saved_model(folder, [b"", asset], [(b"f", concrete)], function_def(b"f"), meta)
    return model, "function", "f"


def captures_of_a_wide_object(folder, n):
    """A function that captures n times an object with n children."""
    wide = child(0, b"") * n
    concrete = wire.field(2, wire.varint(1) * n)
    return saved_model(folder, [b"", wide], [(b"f", concrete)], function_def(b"f")), "function", "f"


def captures_that_are_taken(folder, n):
    """A function whose n nodes take each another of its n captured variables."""
    arguments = b"".join(wire.field(2, wire.field(1, b"a%d" % i) + number(3, 20)) for i in range(n))
    nodes = b"".join(wire.field(3, wire.field(1, b"n%d" % i) + wire.field(2, b"Op") + wire.field(3, b"a%d" % i))
                     for i in range(n))
    graph = wire.field(2, wire.field(1, wire.field(1, wire.field(1, b"f") + arguments) + nodes))
    concrete = wire.field(2, b"".join(wire.varint(1) for _ in range(n)))
    return saved_model(folder, [b"", wire.field(7, number(1, 1))], [(b"f", concrete)], graph), "scopes", "f", *ALL


def takers_of_a_late_output(folder, n):
    """n nodes that take the last of n outputs of another one."""
    shapes = wire.field(5, wire.field(1, b"_output_shapes") + wire.field(2, wire.field(1, wire.field(7, b"") * n)))
    nodes = wire.field(1, wire.field(1, b"a") + wire.field(2, b"Op") + shapes)
    take = wire.field(2, b"Identity") + wire.field(3, b"a:%d" % (n - 1))
    nodes += b"".join(wire.field(1, wire.field(1, b"n%d" % i) + take) for i in range(n))
    return saved_model(folder, [b""], graph=nodes), "scopes", *ALL


def calls_of_a_wide_function(folder, n):
    """n calls of a function of n arguments, of each of which a call has none."""
    argument = wire.field(2, wire.field(1, b"a") + wire.field(5, b"N"))
    none = wire.field(5, wire.field(1, b"N") + wire.field(2, number(3, 0)))
    call = wire.field(1, wire.field(1, b"n") + wire.field(2, b"f") + wire.field(3, b"x") + none)
    graph = wire.field(2, wire.field(1, wire.field(1, wire.field(1, b"f") + argument * n))) + call * n
    return saved_model(folder, [b""], graph=graph), "nodes", *ALL


def signatures_of_a_map(folder, n):
    """n signatures, each looked for among the n children of the map of signatures."""
    names = [b"%07d" % i for i in range(n)]
    signatures = b"".join(wire.field(5, wire.field(1, name)) for name in names)
    objects = [child(1, b"signatures") + child(2, b"part"), b"".join(child(2, name) for name in names), b""]
    return saved_model(folder, objects, meta=signatures), "cut", "root.part"


# --- Keras -----------------------------------------------------------------------------


def keras_object(node, path, identifier, metadata):
    text = json.dumps(metadata).encode()
    return wire.field(1, number(2, node) + wire.field(3, path) + wire.field(4, identifier) + wire.field(5, text))


def keras_metadata(folder, objects):
    path = folder / "keras_metadata.pb"
    path.write_bytes(b"".join(keras_object(*one) for one in objects))
    return path


def keras_members(folder, n):
    """A model whose config lists n times a layer that has n members before those that are of interest."""
    entry = {"name": "d", "class_name": "Dense"}
    layer = {f"m{i}": 0 for i in range(n)} | {"name": "d", "class_name": "Dense", "config": {}}
    root = {"name": "m", "class_name": "Functional", "config": {"layers": [entry] * n}}
    objects = [(0, b"root", b"_tf_keras_network", root), (1, b"root.layer", b"_tf_keras_layer", layer)]
    return keras_metadata(folder, objects), "layers"


def keras_trainable(folder, n):
    """n layers that ask the model for what stands behind its n members."""
    root = {f"m{i}": 0 for i in range(n)} | {"name": "m", "class_name": "Functional", "trainable": False}
    objects = [(0, b"root", b"_tf_keras_network", root)]
    objects += [(i + 1, b"root.l%d" % i, b"_tf_keras_layer", {"name": f"l{i}"}) for i in range(n)]
    return keras_metadata(folder, objects), "layers", *ALL


def keras_shared(folder, n):
    """A model of n layers that stands in n places, each with all of its parameters."""
    inner = {"name": "i", "class_name": "Functional", "config": {"layers": [{"name": "x", "class_name": "Add"}] * n}}
    entry = {"name": "i", "class_name": "Functional"}
    root = {"name": "m", "class_name": "Functional", "config": {"layers": [entry] * n}}
    objects = [(0, b"root", b"_tf_keras_network", root), (1, b"root.i", b"_tf_keras_network", inner)]
    return keras_metadata(folder, objects), "layers", *ALL


def keras_deep(folder, n):
    """Keras's objects, each in the one before, of a SavedModel: all their paths are n * n bytes."""
    user = wire.field(4, wire.field(1, b"_tf_keras_layer") + wire.field(3, b"{}"))
    return saved_model(folder, [one + user for one in chain(n)]), "layers", *ALL


def keras_load(folder, n):
    """What is to be loaded, n objects deep, each of which needs one that is not."""
    user = wire.field(4, wire.field(1, b"_tf_keras_layer") + wire.field(3, b"{}"))
    objects = [child(1) + user]
    objects += [(child(i + 2) if i < n - 1 else b"") + wire.field(15, number(1, n + 1 + i)) for i in range(n)]
    return saved_model(folder, objects + [b""] * n), "load", "root.c", *ALL


# --- Checkpoints -----------------------------------------------------------------------


def index_block(entries):
    """A block of (shared, rest of the key, value)."""
    out = b"".join(wire.varint(shared) + wire.varint(len(key)) + wire.varint(len(value)) + key + value
                   for shared, key, value in entries)
    return out + struct.pack("<II", 0, 1)


def checkpoint(folder, entries, objects=(b"",), meta=b"", packed=None):
    """A SavedModel with an index of these entries, as for index_block(), or of a block by Snappy."""
    model = saved_model(folder, objects, meta=meta)
    out = bytearray()

    def add(data, kind=b"\0"):
        handle = wire.varint(len(out)) + wire.varint(len(data))
        out.extend(data + kind)
        out.extend(struct.pack("<I", checkpoints.masked(bytes(out[len(out) - len(data) - 1:]))))
        return handle

    header = checkpoints.header()
    data = add(packed, b"\1") if packed else add(index_block([(0, *header), *entries]))
    about = add(index_block([]))
    footer = about + add(index_block([(0, b"\xff", data)]))
    (folder / "variables").mkdir(exist_ok=True)
    (folder / "variables" / "variables.index").write_bytes(
        bytes(out) + footer.ljust(40, b"\0") + struct.pack("<Q", checkpoints.MAGIC))
    return model.parent


def slices_of_a_long_name(folder, n):
    """n slices of a variable whose name has 4 n bytes."""
    entry = checkpoints.entry() + wire.field(7, b"") * n
    return checkpoint(folder, [(0, b"k" * (4 * n), entry)]), "variables"


def slices_among_long_keys(folder, n):
    """n slices looked for among n / 8 keys that share a long beginning with them."""
    name = b"k" * 4096
    entry = checkpoints.entry() + wire.field(7, b"") * n
    stored = checkpoints.entry()
    first = b"\0" + name + b"\0\x01\x01\0"
    entries = [(0, first, stored)]
    entries += [(len(first), b"%06d" % i, stored) for i in range(n // 8)]
    return checkpoint(folder, entries + [(0, name, entry)]), "variables"


def key_prefixes(folder, n):
    """n keys, each of which has the one before as its beginning."""
    stored = checkpoints.entry()
    entries = [(i, b"k", stored) for i in range(n)]
    return checkpoint(folder, entries), "variables"


def snappy_keys(folder, n):
    """n keys of 4,000 bytes in a block that Snappy makes a twentieth of."""
    stored = checkpoints.entry()
    entries = [(0, *checkpoints.header())] + [(0, b"k" * 3968 + b"%06d" % i, stored) for i in range(n)]
    block, run, out, at = index_block(entries), b"k" * 3968, bytearray(), 0
    out += wire.varint(len(block))
    while at < len(block):
        size = block.find(run, at) + 1 - at if run in block[at:at + 4200] else len(block) - at
        for begin in range(at, at + size, 60):
            piece = block[begin:min(begin + 60, at + size)]
            out += bytes([(len(piece) - 1) << 2]) + piece
        at += size
        if at < len(block):
            out += (bytes([63 << 2 | 2]) + struct.pack("<H", 1)) * 61 + bytes([62 << 2 | 2]) + struct.pack("<H", 1)
            at += 61 * 64 + 63
    return checkpoint(folder, (), packed=bytes(out)), "variables"


def alone(folder, entries):
    """The index by itself, or all of a checkpoint of version 1."""
    return checkpoint(folder, entries) / "variables" / "variables.index"


def slices_of_long_keys_alone(folder, n):
    """n variables of 8 slices each, under keys that share a long beginning."""
    entry = checkpoints.entry() + wire.field(7, b"") * 8
    entries = [(0, b"k" * 400, entry), *((400, b"%06d" % i, entry) for i in range(n))]
    return alone(folder, entries), "overview"


def names_of_names(folder, n):
    """n tensors, each called as the one before and a slash more: each could be a slot of others."""
    return alone(folder, [(min(i, 1) * (1 + 2 * (i - 1)), b"k" if i == 0 else b"/s", checkpoints.entry())
                          for i in range(n)]), "layers"


def tensors_of_version_1(folder, n):
    """n tensors, the last first."""
    tensors = b"".join(wire.field(1, wire.field(1, b"%08d" % (n - i)) + number(3, 1) + wire.field(4, b"")) for i in range(n))
    out = bytearray()

    def add(data):
        handle = wire.varint(len(out)) + wire.varint(len(data))
        out.extend(data + b"\0")
        out.extend(struct.pack("<I", checkpoints.masked(bytes(out[len(out) - len(data) - 1:]))))
        return handle

    data = add(index_block([(0, b"", wire.field(1, tensors))]))
    footer = add(index_block([])) + add(index_block([(0, b"\xff", data)]))
    path = folder / "m.ckpt"
    path.write_bytes(bytes(out) + footer.ljust(40, b"\0") + struct.pack("<Q", checkpoints.MAGIC))
    return path, "variables"


# --- Functions -------------------------------------------------------------------------


def objects_of_a_function(folder, n):
    """n objects, n objects deep, that have the function that is asked for."""
    objects = [one + wire.field(6, wire.field(1, b"f")) for one in chain(n)]
    return saved_model(folder, objects, graph=function_def(b"f")), "function", "f"


# --- SameDiff ---------------------------------------------------------------------------


def samediff_chain(folder, n):
    """n operations in a row, in a file that is read by pages."""
    path = folder / "graph.fb"
    path.write_bytes(samediff_graphs.chain(n))
    return path, "tag", *ALL


def samediff_consumers(folder, n):
    path = folder / "graph.fb"
    path.write_bytes(samediff_graphs.chain(n))
    return path, "consumers", "layer/1"


def samediff_directory(folder, n):
    """A zip with n files that no tag has."""
    path = folder / "model.zip"
    with zipfile.ZipFile(path, "w") as zip:
        zip.writestr("tags.txt", "")
        for i in range(n):
            zip.writestr(f"{i:06}", b"")
    return path, "overview"


def samediff_text(folder, n):
    """A zip whose list of tags is n bytes, by DEFLATE a thousandth of that."""
    path = folder / "model.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as zip:
        zip.writestr("tags.txt", b" " * n)
    return path, "overview"


# What each is made with: about the sizes at which they were found.
SIZES = {
    deep_children: 5000,
    deep_dependencies: 4000,
    deep_variables: 5000,
    deep_search: 7000,
    captures_of_assets: 40000,
    captures_of_a_wide_object: 15000,
    captures_that_are_taken: 10000,
    signatures_of_a_map: 10000,
    calls_of_a_wide_function: 10000,
    takers_of_a_late_output: 5000,
    objects_of_a_function: 4000,
    slices_of_a_long_name: 20000,
    slices_among_long_keys: 15000,
    key_prefixes: 8000,
    snappy_keys: 1000,
    slices_of_long_keys_alone: 4000,
    names_of_names: 40000,
    tensors_of_version_1: 20000,
    keras_members: 20000,
    keras_trainable: 20000,
    keras_shared: 8000,
    keras_deep: 5000,
    keras_load: 3000,
    samediff_chain: 2500,
    samediff_consumers: 2500,
    samediff_directory: 20000,
    samediff_text: 4000000,
}
