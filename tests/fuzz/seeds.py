"""Makes the seed corpora in tests/fuzz/corpus from the test data, in the form
that each target reads (its first lines say which). Then run tests/archives.py pack."""

import hashlib
import json
import pathlib
import struct
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from conftest import DATA, manifest  # noqa: E402

MOST = 4096


def save(target, data):
    folder = HERE / "corpus" / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)


def without_blocks(data, begin, end):
    out = bytearray()
    at = begin
    while at < end:
        if at % 65536 < 24:
            at += 24 - at % 65536
            continue
        stop = min(end, at - at % 65536 + 65536)
        out += data[at:stop]
        at = stop
    return bytes(out)


def chunks(path):
    """(type, num_records, decoded size, data) of each Riegeli chunk but the first."""
    data = path.read_bytes()
    at = 64
    while at + 40 < len(data):
        header = without_blocks(data, at, at + 88)[:40]
        size, = struct.unpack("<Q", header[8:16])
        records, = struct.unpack("<Q", header[24:32])
        decoded, = struct.unpack("<Q", header[32:40])
        blocks = (size + 40 + (at + 65511) % 65536) // 65512
        end = max(at + 40 + size + 24 * blocks, at + (records >> 8))
        yield header[24:25], records >> 8, decoded, without_blocks(data, at, end)[40:40 + size]
        at = end


def small(folder, pattern):
    return [p for p in sorted((DATA / folder).rglob(pattern)) if p.stat().st_size <= MOST]


def records_seeds():
    for path in small("records", "*.riegeli") + small("cpb", "*.cpb") + small("corrupt", "base_*.riegeli"):
        body = b""
        for kind, records, decoded, data in chunks(path):
            if len(data) > 65535 or decoded >= 1 << 24 or records > 65535:
                break
            body += kind + struct.pack("<H", records) + decoded.to_bytes(3, "little") + struct.pack("<H", len(data)) + data
            if kind == b"t" and len(data) < 2000:
                save("transpose", bytes([records & 255]) + struct.pack("<H", decoded & 65535) + data)
            if kind == b"r" and len(data) < 2000 and data:
                codec = {0: 0, ord("b"): 1, ord("z"): 2, ord("s"): 3}[data[0]]
                save("decompress", bytes([codec, 7]) + data[2 + data[1]:])
        for how in (0, 1, 2 + 8):
            save("records", bytes([how]) + body)


def encoder_seeds():
    """Records as they are, and instructions for messages: with many tags, groups, deep ones, again and again."""
    def records(how, *parts):
        save("transpose_encode", bytes([how]) + b"".join(bytes([what, len(part)]) + part for what, part in parts))

    lines = (DATA / "records/tr_nodedef_zstd.lp").read_bytes()
    at, nodes = 0, []
    while at < len(lines) and len(nodes) < 12:
        size, = struct.unpack_from("<Q", lines, at)
        nodes.append((1, lines[at + 8:at + 8 + size][:255]))
        at += 8 + size
    field, many, group, message, close = 3, 199, 201, 200, 230
    deep = bytes(byte for i in range(99) for byte in (message, i % 7 * 16))
    for how in range(8):
        records(how * 4 + how % 4, *nodes[how:how + 5])
        records(how * 4 + how % 4, (how, bytes([field + how, 1, group, 16, 32 + 16, how, close, 0] * 8)), (14, b"\x08\x07"))
    records(0, (0, bytes([many, 3] + [8, 2] * 40)), (2, bytes([many, 90, many, 200, 17, 7])))
    records(4, (0, deep), (0, deep + bytes([group, 0])), (0, bytes([message, 0, 3, 5] * 20)))
    records(2, (255, bytes([0, 3, 6, 4])), (1, b"no message"), (253, b"\x08\x87\x00"))


def cpb_seeds():
    cpb = HERE.parent.parent / "build" / "cpb"

    def output(*args):
        return subprocess.run([cpb, *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout

    for path in small("cpb", "*none*.cpb") + small("cpb_odd", "*.cpb"):
        lines = [json.loads(line) for line in output("records", path, "--json").splitlines()]
        parts = [output("cat", path, "--position", line["position"]) for line in lines if "position" in line]
        if not parts or len(parts) > 9:
            continue
        save("index", parts[-1])
        save("merge", bytes([len(parts) - 1]) + b"".join(struct.pack("<H", len(p)) + p for p in parts[:-1]) + parts[-1])


def index_page_seeds():
    cpb, path = HERE.parent.parent / "build" / "cpb", DATA / "pages" / "graph.cpb"
    rows = subprocess.run([cpb, "records", path, "--json"], stdout=subprocess.PIPE, check=True).stdout.splitlines()
    for position in [json.loads(row)["position"] for row in rows if b"position" in row][-8:]:
        save("index", subprocess.run([cpb, "cat", path, "--position", str(position)], stdout=subprocess.PIPE,
                                     check=True).stdout)


def message_seeds():
    kinds = {"tensorflow.GraphDef": 0, "tensorflow.SavedModel": 1}
    for case in manifest("cpb.manifest.json"):
        data = (DATA / case["orig"]["file"]).read_bytes()
        if case["message_type"] in kinds and len(data) <= 8000:
            for layout in (0, 4):
                save("split", bytes([kinds[case["message_type"]] + layout, 100]) + data)
                save("json", bytes([kinds[case["message_type"]] + 8 * layout]) + data)
            save("outline", bytes([kinds[case["message_type"]], 100]) + data)
            save("outline", bytes([7, 20]) + data)


def text_seeds():
    for path in ('meta_graphs[0].graph_def.library.function[3]', 'attr["value"].tensor', '2[0].1', '[a.b.c].d',
                 'm[-5].n[true]', 'a["\\x00\\"b"]'):
        save("path", path.encode())


def schema_seeds():
    from support.random_messages import random_case
    for seed in range(12):
        save("schema", random_case(seed)[0])


def samediff_seeds():
    from support.samediff import FILES, FOLDER
    for i, case in enumerate(FILES):
        data = (FOLDER / case["file"]).read_bytes()
        if not 0 < len(data) <= MOST:
            continue
        truth = case["truth"]
        tags = truth.get("tag_contents") or {}
        names = [p["name"] for t in tags.values() for p in t.get("params", [])]
        names += [v["name"] for v in truth.get("variables", []) if v["array"]]
        name = (names or [""])[0].encode()
        save("samediff", bytes([i * 6 % 240 + i % 6, case["file"].endswith(".zip"), len(name)]) + name + data)


def keras_seeds():
    """The JSON without the longest initializers, so that it is short enough to be changed."""
    names = [b"", b"", b"root\nroot.l", b"den"]
    for path in sorted(DATA.glob("cpb/*/model/keras_metadata.pb")):
        data = path.read_bytes()
        for kind, name in enumerate(names):
            save("keras", bytes([kind, 255, len(name)]) + name + data[:6000])
    dense = {"name": "d", "class_name": "Dense", "config": {"units": 3}, "build_input_shape": [None, 4]}
    calls = [[["d", 0, 0, {"m": ["d", 1, 0]}]], [{"args": [{"config": {"keras_history": ["d", 0, 0]}}]}]]
    layers = [dict(dense, inbound_nodes=calls), {"class_name": "EinsumDense", "config": {
        "name": "e", "equation": "...x,xy->...y", "output_shape": 8, "bias_axes": "y"}}]
    for said in (dense, {"class_name": "Functional", "config": {"name": "m", "layers": layers}},
                 {"class_name": "LSTM", "config": {"units": 4}, "build_input_shape": {
                     "class_name": "TensorShape", "items": [None, 3, 6]}},
                 {"class_name": "BatchNormalization", "config": {"axis": [3]}, "build_input_shape": [1, 2, 3, 4]}):
        for kind in (0, 1):
            save("keras", bytes([kind, 255, 0, 255]) + json.dumps(said).encode())


def model_seeds():
    from support import big_graph
    for kind, name, data in [
        (0, b"serving_default", big_graph.saved_model(20, 3, 64)),
        (0, b"__inference_f_1", big_graph.saved_model(20, 3)),
        (0, b"root.f1", big_graph.saved_model(4, 2)),
        (1, b"n1", big_graph.parts(20, 3, 64)),
        (1, b"", (DATA / "cpb/real_frozen_conv/orig.pb").read_bytes()[:4000]),
    ] + [(0, name, path.read_bytes()) for path in sorted((HERE / "models").glob("*.pb"))
         for name in (b"serving_default", b"root.block", b"__inference_serve")]:
        save("model", bytes([kind, len(name)]) + name + data)


def checkpoint_seeds():
    from support import checkpoints as ck, wire

    def number(field, value):
        return wire.tag(field, 0) + wire.varint(value)

    def child(node, name):
        return wire.field(1, number(1, node) + wire.field(2, name))

    def slot(original, name, variable):
        return wire.field(3, number(1, original) + wire.field(2, name) + number(3, variable))

    def variable(name):
        return wire.field(7, number(1, 1) + wire.field(2, wire.field(2, number(1, 2))) + number(3, 1) + wire.field(6, name))

    def value(key):
        return wire.field(2, wire.field(1, b"VARIABLE_VALUE") + wire.field(3, key))

    objects = [child(1, b"w") + child(2, b"list") + child(4, b"optimizer") + wire.field(4, wire.field(1, b"x")), variable(b"w"),
               child(3, b"0"), variable(b"list/0"), slot(1, b"m", 5), variable(b"w/m")]
    nodes = [child(2, b"list") + child(1, b"w") + child(3, b"optimizer"), value(b"w"), child(4, b"0"), slot(1, b"m", 5),
             value(b"list/0"), value(b"slot")]
    model = wire.field(2, wire.field(7, b"".join(wire.field(1, node) for node in objects)))
    graph = b"".join(wire.field(1, node) for node in nodes)
    v1 = wire.field(2, wire.field(4, wire.field(1, b"variables") + wire.field(2, wire.field(2, b"".join(
        wire.field(1, wire.field(1, name) + more) for name, more in (
            (b"b:0", b""), (b"w/part_0:0", wire.field(4, wire.field(1, b"w")))))))))
    texts = b"\x01\x02" + struct.pack("<I", ck.masked(struct.pack("<II", 1, 2))) + b"abc"
    data = struct.pack("<2f", 1, 2) + texts
    entries = [ck.header(), (b"list/0", ck.entry(shape=[2], size=8, crc=ck.masked(data[:8]))), (b"slot", ck.entry(10, [3], size=3)),
               (b"t", ck.entry(7, [2], offset=8, size=len(texts), crc=1)), (b"w", ck.entry(shape=[2], size=8))]
    extent = wire.field(1, wire.field(1, number(1, 0) + number(2, 70)) + wire.field(1, b""))
    whole = ck.entry(shape=[140, 2]) + wire.field(7, extent[2:])
    slices = [ck.header(), (b"\0w\0\1\1\2\x80\xc0\x46\x80\x7f", ck.entry(shape=[70, 2], size=560)), (b"b", ck.entry()), (b"w", whole)]
    for how in (0, 1):
        for model_, graph_, data_, index in [
            (model, graph, data, ck.table([entries[:3], entries[3:]])), (model, b"", data, ck.table([entries], 1, ck.snappy)),
            (v1, b"", data, ck.table([slices])), (b"", b"", b"", ck.table([[ck.header()]])),
        ]:
            sizes = struct.pack("<HHH", len(model_), len(graph_), len(data_))
            save("checkpoint", bytes([how]) + sizes + model_ + graph_ + data_ + index)


def cpb_file_seeds():
    """Small .cpb files of each kind, for all targets that take a file."""
    odd = ["scalar_rep_int_idx_0", "tag_map_i64_value", "tag_map_string_value_new", "deep_10", "same_chunk_twice",
           "info_size_small", "opts_zstd_final_padding100", "damage_multi_last_chunk", "tag_repeated_string_no_index"]
    files = [DATA / "cpb_odd" / f"{name}.cpb" for name in odd]
    files += [DATA / "cpb" / case / f"{kind}.cpb" for case, kind in (
        ("test_many_fields", "none"), ("test_many_fields", "tr"), ("test_repeated_string_slices", "snappy"),
        ("test_tree_df_4", "brotli"), ("graph_split-large-nodes", "max200_zstd"))]
    files.append(DATA / "pages" / "graph.cpb")
    for i, path in enumerate(files):
        data = path.read_bytes()
        for target in ("pager", "chunk_reader", "fork", "repack", "seek"):
            save(target, bytes([i * 37 % 256]) + data)
        if i > 7:
            save("inspect", data)


def field_reader_seeds():
    """Each with what leads through it, by numbers and by names of the target's own type."""
    files = {"cpb_odd/tag_map_string_value_new": ["13", "1"], "cpb_odd/deep_10": ["1.1", "b.b"],
             "cpb_odd/same_chunk_twice": ["1[0]", "a[0].a[1]"], "cpb/test_many_fields/none": ["1", "5", "h"],
             "cpb/test_tree_df_4/brotli": ["1", "1.1[0]", "b.a"], "cpb/graph_split-large-nodes/max200_zstd": [
                 "", "1[1].1", "1[0]", 'a[0].e', '1[0].5["dtype"]'],
             "pages/graph": ["1[3].2", "1[20]"]}
    for i, (name, paths) in enumerate(files.items()):
        data = (DATA / f"{name}.cpb").read_bytes()
        for k, path in enumerate(paths):
            how = (i + k) % 8 + 8 * any(c in "abe" for c in path.split('"')[0]) + 16 * (k & 1)
            save("field_reader", bytes([how, len(path)]) + path.encode().ljust(40, b"\0") + data)


def inspect_seeds():
    from support.samediff import FILES, FOLDER
    for case in FILES[:40:8]:
        if (FOLDER / case["file"]).stat().st_size <= MOST:
            save("inspect", (FOLDER / case["file"]).read_bytes())
    for path in [DATA / "samediff_small/linear.fb", DATA / "samediff_small/minimal.zip", HERE / "models/v1.pb"]:
        save("inspect", path.read_bytes())
    for path in sorted(DATA.glob("cpb/*/model/keras_metadata.pb"))[:2]:
        save("inspect", path.read_bytes()[:6000])


def diff_seeds():
    rich, v1 = (HERE / f"models/{name}.pb" for name in ("rich", "v1"))
    linear, permuted = (DATA / f"samediff_small/{name}.fb" for name in ("linear", "permuted"))
    keras = sorted(DATA.glob("cpb/*/model/keras_metadata.pb"))[:2]
    graph = DATA / "cpb/real_frozen_conv/orig.pb"
    for kind, a, b in [(0, v1, v1), (0, v1, rich), (1, graph, graph), (3, linear, permuted), (2, *(keras * 2)[:2])]:
        data = a.read_bytes()[:6000]
        save("diff", bytes([kind]) + struct.pack("<H", len(data)) + data + b.read_bytes()[:6000])


def find_seeds():
    texts = [(0, "node[1].attr"), (0, 'node[0].attr["dtype"].type'), (1, "meta_graphs[0].graph_def.node[1].name"),
             (1, "meta_graphs[0].signature_def"), (4, "2[0].2.1[0].1"), (4, "1[0]"), (0, "library.function[0].signature")]
    graph = (DATA / "cpb/real_frozen_conv/orig.pb").read_bytes()[:4000]
    model = (HERE / "models/v1.pb").read_bytes()
    for kind, text in texts:
        data = graph if kind == 0 or text == "1[0]" else model
        save("find", bytes([kind, len(text)]) + text.encode() + data)
    for kind in (1, 5):
        save("locate", bytes([kind, 40]) + model)
        save("locate", bytes([kind - 1, 20]) + graph)


def writer_seeds():
    for how, sizes in [(0, (3, 40, 0)), (1, (200, 10)), (2, (100,) * 4), (0x35, (7, 250)), (0x3c0, (60, 60))]:
        body = b"".join(bytes([what, size]) + bytes((i * what) % 251 for i in range(size))
                        for what in (3, 1, 2, 10, 0x78) for size in sizes)
        save("record_writer", struct.pack("<HH", how, 300 * (how & 1)) + body)
    for how in range(8):
        tags = [(b"FP32", ((b"w", 4), (b"layer/b", 3))), (b"INT8", ((b"w", 9),)), (b"x y", ())]
        body = b"".join(bytes([len(name)]) + name + bytes([len(parameters)]) + b"".join(
            bytes([len(p)]) + p + bytes([n]) for p, n in parameters) for name, parameters in tags)
        save("samediff_writer", bytes([how, how % 3]) + body + b"some values")


def decimal_seeds():
    for value, text in [(0.1, "1e-308"), (5e-324, "0x1.8p+3"), (1.7976931348623157e308, "-inf"), (123456789012345.0, "nan"),
                        (2.0 ** 70, "1" * 60 + "e-30"), (3.0e-45, ".5"), (9007199254740993.0, "00012.50")]:
        save("decimal", struct.pack("<d", value) + text.encode())


def onnx_seeds():
    """Needs the package onnx."""
    from support import onnx_models

    whole = onnx_models.rich()
    nodes, weights = type(whole)(), type(whole)()
    nodes.CopyFrom(whole)
    weights.CopyFrom(whole)
    del nodes.graph.initializer[:]
    for field in ("node", "input", "output", "sparse_initializer"):
        weights.graph.ClearField(field)
    for field in ("functions", "training_info"):
        weights.ClearField(field)
    for name, model in [(b"choose:then_branch", nodes), (b"own.twice:fast", nodes), (b"/model/0/MatMul", nodes),
                        (b"typed_22", weights), (b"texts", weights), (b"elsewhere", weights), (b"#5:sparse", nodes)]:
        save("onnx", bytes([len(name)]) + name + model.SerializeToString())


def coreml_seeds():
    """Needs the package coremltools."""
    import tempfile

    from coremltools.proto import Model_pb2
    from support import coreml_models

    for name, model in [(b"w_to_fp16", "int8"), (b"loop:block[1]", "branching"), (b"conv:weights", "network 3 bits"),
                        (b"rnn:biasVector", "network many layers"), (b"encode:neuralNetwork", "network pipeline"),
                        (b"branch:elseBranch", "network branches"), (b"x", "odd types"), (b"y", "network trees"),
                        (b"head/dense", "network classifier"), (b"x", "flexible")]:
        with tempfile.TemporaryDirectory() as folder:
            _, message = coreml_models.make(model, pathlib.Path(folder))
            data = Model_pb2.Model.FromString(message.read_bytes()).SerializeToString(deterministic=True)
        if len(data) < MOST:
            save("coreml", bytes([len(name)]) + name + data)


if __name__ == "__main__":
    coreml_seeds()
    onnx_seeds()
    cpb_file_seeds()
    field_reader_seeds()
    inspect_seeds()
    diff_seeds()
    find_seeds()
    writer_seeds()
    encoder_seeds()
    decimal_seeds()
    checkpoint_seeds()
    model_seeds()
    keras_seeds()
    records_seeds()
    cpb_seeds()
    index_page_seeds()
    message_seeds()
    text_seeds()
    schema_seeds()
    samediff_seeds()
