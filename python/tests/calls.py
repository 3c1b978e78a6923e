"""calls.py DATA FOLDER: calls each function of the extension whose arguments are parsed or whose results are built
from a format, in whatever Python runs it, without other packages; prints which methods these were. test_pythons.py
runs it in Pythons by whose headers the extension was not compiled."""

import array
import io
import json
import pathlib
import sys
import zipfile

import libcpb
from libcpb import _core

called = set()


def note(frame, event, function):
    """A method or function of the extension is called from Python."""
    if event == "c_call":
        owner = getattr(function, "__self__", None)
        if owner is _core or any(base.__module__ == "libcpb._core" for base in type(owner).__mro__):
            called.add(function.__name__)


def same(got, expected):
    if got != expected:
        raise AssertionError(f"{got!r}; expected {expected!r}")


def fails(call, code, text):
    try:
        call()
    except libcpb.CpbError as error:
        same(error.code, code)
        if text not in str(error):
            raise AssertionError(f"{error}; expected {text!r} in it") from None
    else:
        raise AssertionError(f"no error; expected {code}, {text!r}")


def records(folder):
    path = folder / "records"
    with libcpb.RecordWriter(path, metadata=b"", riegeli_options="transpose,zstd:1") as writer:
        writer.write_all([b"a", b"b" * 1000])
        writer.flush()
        writer.write(array.array("B", b"c"))
    skipped = []
    with libcpb.RecordReader(path, recover=skipped.append, verify="late", limits={"depth": 7}) as reader:
        same(list(reader), [b"a", b"b" * 1000, b"c"])
        where = reader.location
        reader.seek(where.position)
        same(reader.read(), b"c")
        same([bytes(view) for batch in reader.batches() for view in batch], [])
        reader.size, reader.metadata
        same(reader[1], b"b" * 1000)
    with libcpb.RecordReader(path, start=1, end=2) as reader:
        same(list(reader), [b"b" * 1000])
    with libcpb.RecordWriter(path, append=True) as writer:
        writer.write(b"d")
    with libcpb.RecordReader(b"", fields="1,2.3") as reader:
        same(list(reader), [])
    data = bytearray(path.read_bytes())
    data[100] ^= 1
    with libcpb.RecordReader(bytes(data), recover=skipped.append) as reader:
        list(reader)
    same([type(skip.begin) for skip in skipped], [int])
    writer = libcpb.RecordWriter(folder / "gone")
    writer.discard()
    fails(lambda: libcpb.RecordWriter(path, riegeli_options="zstd:x"), "USAGE", "character")
    fails(lambda: libcpb.RecordReader(folder / "none"), "NOT_FOUND", "none")


def messages(model, folder):
    plain, seen = folder / "plain.pb", []
    libcpb.merge(model, plain, progress=lambda done, total: seen.append((done, total)), limits={"window": 1 << 27})
    data = plain.read_bytes()
    for source in (model, model.read_bytes(), io.BytesIO(model.read_bytes())):
        with libcpb.open(source) as message:
            same(message.read(), data)
            same(message.read(5, 7), data[5:12])
            buffer = bytearray(9)
            same(message.readinto(buffer, 3), 9)
            same(bytes(buffer), data[3:12])
            chunk = message.chunks[0]
            same(len(message.read_chunk(0)), chunk.size)
            tags = message.field("meta_graphs[0].meta_info_def.tags")
            same((tags.name, tags.json()), ("tags", ["serve"]))
            fails(lambda: message.field("meta_graphs[x"), "USAGE", "")
            message.version
    target = io.BytesIO()
    libcpb.split(plain, folder / "split.cpb", max_chunk_size=3000, codec="zstd", level=2, inline_max=10)
    libcpb.repack(folder / "split.cpb", target, codec="brotli", layout="compat")
    libcpb.split(plain, folder / "again.cpb", base=folder / "split.cpb")
    libcpb.merge(target.getvalue(), folder / "merged.pb")
    same((folder / "merged.pb").read_bytes(), data)
    schema = libcpb.Schema(None, limits={"depth": 9})
    with libcpb.open(plain, schema=schema, type_name="tensorflow.SavedModel") as message:
        same(message.field("saved_model_schema_version").value(), 1)
    one = b"\x08\1\x12\4\x12\2\x08\1\x2a\4\0\0\x80\x3f"  # a TensorProto
    same(_core.tensor(("memory", one, None, None), 4)[1:], ("<f4", 4, (1,), False, memoryview(one)[-4:]))
    with libcpb.merge_chunks([b"\x0a\x01x"], b"\x08\0") as message:
        same(len(message.read()), 3)


def models(data, folder):
    frozen, seen = data / "cpb/real_frozen_conv/orig.pb", []
    with libcpb.open_model(frozen) as model, libcpb.open_model(frozen) as again:
        nodes = model.nodes(count=1000, progress=lambda done, total: seen.append(done))["nodes"]["items"]
        same(model.search(nodes[0]["name"])["found"]["items"][0]["name"], nodes[0]["name"])
        model.nodes(None, scope="no such scope")
        constant = model.constants()["constants"]["items"][0]["node"]
        values = model.values(constant)
        same(model.statistics(constant)["elements"] > 0, True)
        same(len(values.data) > 0, True)
        same(len(model.read(0, 10)), 10)
        same(libcpb.diff(model, again)["values"], True)
        fails(lambda: model.nodes("no\0function \u20ac"), "NOT_FOUND", r'"no\x00function \xe2\x82\xac"')
    with libcpb.open_model(data / "cpb/real_tf_module/orig.pb") as model:
        fails(lambda: model.cut(["root.nothing at all"], folder / "cut.pb"), "NOT_FOUND", "nothing at all")


def samediff(data, folder):
    with zipfile.ZipFile(data / "samediff_small/minimal.zip") as file:
        graph = file.read(next(name for name in file.namelist() if name.endswith(".fb")))
    with libcpb.open_model(data / "samediff_small/minimal.zip") as model:
        values = {name: model.values(name) for name in ("weights", "shared")}
    values["more"] = array.array("f", [1, 2])
    first = libcpb.SameDiffTag("F\u00e9", graph, values, {}, '{"a": 1}', {"x": b"y"})
    second = libcpb.SameDiffTag("G", graph, {name: libcpb.SameAs("F\u00e9", name) for name in values})
    libcpb.write_samediff(folder / "new.zip", [first, second], deflate=True, limits={"depth": 9})
    libcpb.write_samediff(folder / "more.zip", [libcpb.SameDiffTag("H", graph, values)], base=folder / "new.zip")
    with libcpb.open_model(folder / "more.zip") as model:
        same([tag["tag"] for tag in model.overview()["tags"]["items"]], ["F\u00e9", "G", "H"])
    fails(lambda: libcpb.write_samediff(io.BytesIO(), [libcpb.SameDiffTag("a\0b", graph, values)]), "USAGE", "")


def main(data, folder):
    data, folder = pathlib.Path(data), pathlib.Path(folder)
    sys.setprofile(note)
    records(folder)
    messages(data / "cpb/real_tf_module/max3000_zstd.cpb", folder)
    models(data, folder)
    samediff(data, folder)
    for call in (lambda: _core.merge(1), lambda: _core.merge((1, 2), (1, 2, 3), {}), lambda: _core.merge(1, 2, {"x": 1}), lambda: libcpb.merge(3, folder / "x"),
                 lambda: libcpb.open(b"").field(3)):
        try:
            call()
        except TypeError:
            pass
        else:
            raise AssertionError("no TypeError")
    sys.setprofile(None)
    print(json.dumps(sorted(called)))


main(*sys.argv[1:])
