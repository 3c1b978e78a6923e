"""`cpb cat --field`: fields by path, of a message that is chunked or not, against protobuf."""

import json
from unittest.mock import ANY

import pytest

from conftest import DATA
from support.messages import schema
from support.wire import varint

TYPE = "tensorflow.GraphDef"
FOLDER = DATA / "cpb" / "real_frozen_conv"
FILES = [("orig.pb", ["--type", TYPE]), ("max1000_none.cpb", []), ("max1000_none.cpb", ["--type", TYPE]),
         ("max1000_tr.cpb", []), ("max4000_zstd.cpb", ["--type", TYPE])]
each = pytest.mark.parametrize("name, options", FILES)


@pytest.fixture(scope="module")
def graph():
    return schema(TYPE).parse((FOLDER / "orig.pb").read_bytes())


def number(data):
    return sum((byte & 127) << 7 * i for i, byte in enumerate(data))


@each
def test_every_field_of_every_node(cpb, graph, name, options):
    def cat(path):
        return cpb.ok("cat", FOLDER / name, "--field", path, *options)

    for i, node in enumerate(graph.node):
        assert cat(f"node[{i}].name") == node.name.encode()
        for k, text in enumerate(node.input):
            assert cat(f"node[{i}].input[{k}]") == text.encode()
        for key, value in node.attr.items():
            path = f'node[{i}].attr["{key}"]'
            assert type(value).FromString(cat(path)) == value
            assert type(value).FromString(cat(f'1[{i}].5["{key}"]')) == value
            if value.HasField("tensor"):
                assert cat(path + ".tensor.tensor_content") == value.tensor.tensor_content
            for k, element in enumerate(value.list.i):
                assert number(cat(f"{path}.list.i[{k}]")) == element % 2**64


@each
def test_a_repeated_field_whole(cpb, graph, name, options):
    data = cpb.ok("cat", FOLDER / name, "--field", "node", *options)
    assert list(type(graph).FromString(data).node) == list(graph.node)


@each
def test_the_message_itself(cpb, graph, name, options):
    assert type(graph).FromString(cpb.ok("cat", FOLDER / name, "--field", "", *options)) == graph


@pytest.mark.parametrize("path, wanted", [
    ("node[99]", "[99]: the length of node is "),
    ("node[0].attr['zz']", '["zz"]: node[0].attr has none'),
    ("nodes", "the type has no such field"),
    ("node.name", "a repeated field; expected an index"),
    ("node[0].name[1]", "not a repeated field"),
    ("node[0].name.x", "not a message"),
    ("node[-1]", "an index from 0"),
    ("node[0]..", "character 9"),
])
def test_paths_that_lead_nowhere(cpb, path, wanted):
    result = cpb.run("cat", FOLDER / "max1000_none.cpb", "--field", path)
    assert result.returncode == 1 and result.stdout == b""
    assert wanted in result.stderr.decode()


def test_names_need_a_type(cpb, tmp_path):
    """Numbers do not; here of a field that SavedModel lacks."""
    (tmp_path / "x.pb").write_bytes(bytes.fromhex("0a03616263" "7a0568656c6c6f"))
    assert cpb.ok("cat", tmp_path / "x.pb", "--field", "15") == b"hello"


def test_only_the_chunks_on_the_way_are_read(cpb, chunked):
    """Damage elsewhere does not matter."""
    data = bytearray(open(chunked, "rb").read())
    data[5000] ^= 0x10
    open(chunked, "wb").write(data)
    assert cpb.ok("cat", chunked, "--field", "node[0].name")
    result = cpb.run("cat", chunked, "--field", 'node[4].attr["value"].tensor.tensor_content')
    assert result.returncode == 2 and "byte 992" in result.stderr.decode()


@each
def test_json(cpb, graph, name, options):
    from google.protobuf import json_format

    def cat(path):
        return json.loads(cpb.ok("cat", FOLDER / name, "--json", "--field", path, *options))

    def wanted(message):
        return json_format.MessageToDict(message, preserving_proto_field_name=True)

    for i in (0, 4, 25):
        assert cat(f"node[{i}]") == wanted(graph.node[i])
        assert cat(f"node[{i}].name") == graph.node[i].name
    assert cat("versions") == wanted(graph.versions)
    assert cat("node") == wanted(graph)["node"]


def test_json_of_a_list_is_indented_like_that_of_a_message(cpb):
    for path in ("node", "node[2].attr", "node[2]", "versions", "node[0].name"):
        shown = cpb.ok("cat", FOLDER / "max1000_zstd.cpb", "--field", path, "--json").decode()
        assert shown == json.dumps(json.loads(shown), indent=2, ensure_ascii=False) + "\n"


@each
def test_omitted_values_are_where_it_says(cpb, graph, name, options):
    def cat(path, *more):
        return cpb.ok("cat", FOLDER / name, "--field", path, *options, *more)

    data = cat("")
    shown = json.loads(cat("", "--json", "--omit", 100))
    omitted = 0
    for i, node in enumerate(graph.node):
        content = node.attr["value"].tensor.tensor_content if "value" in node.attr else b""
        assert shown["node"][i]["name"] == node.name
        if len(content) <= 100:
            continue
        path = f'node[{i}].attr["value"].tensor'
        where = shown["node"][i]["attr"]["value"]["tensor"]["tensor_content"]["@omitted"]
        assert data[where["offset"]:where["offset"] + where["size"]] == content
        here = {"@omitted": where}
        assert json.loads(cat(path, "--json", "--omit", 100))["tensor_content"] == here
        assert json.loads(cat(path + ".tensor_content", "--json", "--omit", 100)) == here
        assert json.loads(cat(path + ".tensor_content", "--json", "--omit", len(content))) != here
        omitted += 1
    assert omitted > 0
    assert json.loads(cat("node", "--json", "--omit", 100)) == shown["node"]
    assert json.loads(cat("node[0].name", "--json", "--omit", 100)) == graph.node[0].name


def test_omit_is_for_json(cpb):
    result = cpb.run("cat", FOLDER / "orig.pb", "--field", "", "--type", TYPE, "--omit", "9")
    assert result.returncode == 1 and b"--omit needs --json" in result.stderr


def test_omitted_values_are_not_read(cpb, tmp_path):
    """Of a .cpb, the chunk that holds one may be damaged; of a .pb there may be more of it than any memory."""
    data = bytearray((FOLDER / "max1000_none.cpb").read_bytes())
    data[5000] ^= 0x10
    (tmp_path / "graph.cpb").write_bytes(data)
    shown = cpb.ok("cat", tmp_path / "graph.cpb", "--field", "node[4]", "--json", "--omit", "100")
    assert json.loads(shown)["attr"]["value"]["tensor"]["tensor_content"] == {"@omitted": {"offset": ANY, "size": ANY}}
    size = 1 << 40
    with open(tmp_path / "large.pb", "wb") as file:
        file.write(bytes([0x0a]) + varint(size) + bytes([0x0a]) + varint(size - 7))
        file.truncate(7 + size)
    shown = cpb.ok("cat", tmp_path / "large.pb", "--type", TYPE, "--field", "", "--json", "--omit", "1K")
    assert json.loads(shown) == {"node": [{"name": {"@omitted": {"offset": 14, "size": size - 7}}}]}
