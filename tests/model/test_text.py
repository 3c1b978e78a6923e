"""Messages and models in protobuf's text format, as Google's protobuf prints and reads it."""

import json
import random
import shutil
import struct
import subprocess

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, text_format
from google.protobuf.descriptor import FieldDescriptor as F

from conftest import built
from support.models import model


@pytest.fixture(scope="module")
def pool():
    found = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(
        built("generated/cpb_builtin_schema.fds").read_bytes()
    ).file:
        found.Add(file)
    return found


@pytest.fixture(scope="module")
def classes(pool):
    return lambda name: message_factory.GetMessageClass(pool.FindMessageTypeByName(name))


def from_text(kind, text, *keep):
    data = text if isinstance(text, bytes) else text.encode()
    return subprocess.run([built("tests/model/from_text"), kind, *keep], input=data, capture_output=True)


# --- Messages --------------------------------------------------------------------


def number(r, low, high):
    return r.choice([0, 1, low, high, r.randint(low, high)])


def single(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def scalar(r, field):
    bits = 32 if field.cpp_type in (F.CPPTYPE_INT32, F.CPPTYPE_UINT32) else 64
    match field.cpp_type:
        case F.CPPTYPE_INT32 | F.CPPTYPE_INT64:
            return number(r, -(1 << (bits - 1)), (1 << (bits - 1)) - 1)
        case F.CPPTYPE_UINT32 | F.CPPTYPE_UINT64:
            return number(r, 0, (1 << bits) - 1)
        case F.CPPTYPE_BOOL:
            return r.random() < 0.5
        case F.CPPTYPE_ENUM:
            return r.choice(field.enum_type.values).number
        case F.CPPTYPE_FLOAT:
            return single(r.choice([0, 1.5, float("inf"), -float("inf"), 3e38, 1e-45, r.uniform(-1, 1)]))
        case F.CPPTYPE_DOUBLE:
            return r.choice([0, -0.0, 5e-324, 1.7976931348623157e308, float("inf"), r.uniform(-1e9, 1e9)])
    if field.type == F.TYPE_BYTES:
        return r.randbytes(r.choice([0, 1, 40]))
    return "".join(r.choice("aZ0 \n\t\"'\\#{}é中😀") for _ in range(r.choice([0, 1, 12])))


def fill(r, message, depth):
    for field in message.DESCRIPTOR.fields:
        if r.random() < 0.4:
            continue
        values = getattr(message, field.name)
        for _ in range(r.choice([1, 3]) if field.is_repeated else 1):
            if field.message_type and field.message_type.GetOptions().map_entry:
                value = field.message_type.fields_by_name["value"]
                key = scalar(r, field.message_type.fields_by_name["key"])
                if value.message_type:
                    fill(r, values[key], depth - 1)
                else:
                    values[key] = scalar(r, value)
            elif field.message_type:
                if depth > 0:
                    inner = values.add() if field.is_repeated else values
                    inner.SetInParent() if not field.is_repeated else None
                    fill(r, inner, depth - 1)
            elif field.is_repeated:
                values.append(scalar(r, field))
            else:
                setattr(message, field.name, scalar(r, field))
    return message


STYLES = [
    {},
    {"as_one_line": True},
    {"pointy_brackets": True},
    {"use_short_repeated_primitives": True},
    {"as_utf8": True},
    {"indent": 3, "use_index_order": True},
]


@pytest.mark.parametrize("kind", ["tensorflow.GraphDef", "tensorflow.AttrValue", "tensorflow.TensorProto", "onnx.ModelProto",
                                  "onnx.TensorProto", "tensorflow.SavedObjectGraph", "CoreML.Specification.ModelDescription"])  # fmt: skip
def test_json_is_as_protobuf_prints_it(classes, kind):
    r = random.Random(kind)
    for style in STYLES:
        for _ in range(3):
            message = fill(r, classes(kind)(), 3)
            ran = from_text(kind, text_format.MessageToString(message, **style))
            assert ran.returncode == 0, ran.stderr
            assert classes(kind).FromString(ran.stdout) == message


SAYS = {
    "node { name: 'a' 'b' \"\\x63\\144\\u00e9\\U0001F600\" }": True,
    "node <name: 'a';>, node { op: \"b\" },": True,
    "node: [{name: 'a'}, <op: 'b'>, {}] library: {}": True,
    "# only\n# comments": True,
    "node { attr { key: 'T' value { type: DT_FLOAT } } } versions { bad_consumers: [0x10, -017, 3] bad_consumers: 4 }": True,
    "node { attr { key: 'f' value { f: 1.5F } } attr { key: 'l' value { list { f: [-inf, nan, 1e400, 1e-400, .5] } } } }": True,
    "node { attr { value { b: t } } attr { key: 'x' value { b: 0 } } attr { key: 'y' value { i: -9223372036854775808 } } }": True,
    "node {": False,
    "node }": False,
    "node { name: 'a }": False,
    "node { name: a }": False,
    "node { name: 'a\nb' }": False,
    "node { nam: 'a' }": False,
    "versions { producer: 2147483648 }": False,
    "versions { producer: 08 }": False,
    "versions { producer: 1.5 }": False,
    "versions { bad_consumers: [1 2] }": False,
    "node { attr { value { type: DT_NONE } } }": False,
    "node { attr { value { f: 1e } } }": False,
    "node { name: '\\400' }": False,
    "node { name: '\\ud800' }": False,
    "node { name: '\\xff' }": False,
    "node: [{name: 'a'} {op: 'b'}]": False,
    "versions { producer: 1 } }": False,
}


@pytest.mark.parametrize("text", SAYS)
def test_text_is_read_as_protobuf_reads_it(classes, text):
    kind = classes("tensorflow.GraphDef")
    ran = from_text("tensorflow.GraphDef", text)
    assert (ran.returncode == 0) == SAYS[text], ran.stderr
    try:
        wanted = text_format.Parse(text, kind(), allow_unknown_field=False)
    except (text_format.ParseError, UnicodeError):
        assert not SAYS[text]
        return
    assert SAYS[text]
    assert str(kind.FromString(ran.stdout)) == str(wanted)


# Literals of which Python's own reader knows less than protoc.
LITERALS = ["name: '%s'" % text for text in (
    "\\ud83d\\ude00", "\\u00e9\\u4e2d\\U0001F600", "\\u12", "\\x", "\\x4\\x41", "\\8", "\\q", "\\?",
    "\\a\\b\\f\\n\\r\\t\\v\\'\\\"\\\\", "\\1\\12\\1234", "a' \"b\" 'c")]
LITERALS += ["attr { value { f: %s } }" % number for number in (
    "0x1F", "-0x10", "017", "- 1", "+1", "1e", "1e+", "1e-3", "1E+3", "1.", ".5", ".", "-.5", "1.5f", "1F", "0.f", "inff", "-Infinity",
    "NaN", "-nan", "1e400", "-1e400", "1e-400", "-0.0e-400", "0x1p3", "1.2.3", "1..2", "18446744073709551616", "1_0", "'1'")]
LITERALS += ["attr { value { i: %s } }" % number for number in (
    "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "-0x8000000000000000",
    "0xffffffffffffffff", "0777777777777777777777", "01777777777777777777777", "99999999999999999999", "1e3", "1f", "--1", "-")]
LITERALS += ["attr { value { b: %s } }" % value for value in ("True", "TRUE", "t", "f", "1", "2", "0x1", "yes", "'true'", "-0")]
LITERALS += ["attr { value { type: %s } }" % value for value in ("-1", "2147483648", "DT_INT8", "dt_int8", "0x5", "'DT_INT8'")]
LITERALS += ["attr <value <list {s: ['a' 'b', \"c\"] i: []}>>", "attr { value { list { type: [1, DT_INT8] b: [true, 0,] } } }",
             "attr [{key: 'a'}, <key: 'b'>]", "attr: [{key: 'a'}; <key: 'b'>]", "attr {value [{i: 3}]}", "attr {key: ['a']}"]


@pytest.mark.parametrize("text", LITERALS)
def test_literals_are_read_as_protoc_reads_them(classes, text):
    text = "node { %s }" % text
    theirs = subprocess.run(["protoc", "--encode=tensorflow.GraphDef", f"--descriptor_set_in={built('generated/cpb_builtin_schema.fds')}"],
                            input=text.encode(), capture_output=True)  # fmt: skip
    ours = from_text("tensorflow.GraphDef", text)
    assert ours.returncode == 0 or ours.returncode == 2
    assert (ours.returncode == 0) == (theirs.returncode == 0), ours.stderr + theirs.stderr
    if theirs.returncode == 0:
        kind = classes("tensorflow.GraphDef")
        assert str(kind.FromString(ours.stdout)) == str(kind.FromString(theirs.stdout))


def test_an_any_is_expanded(classes, pool):
    text = "meta_info_def { any_info { [type.googleapis.com/tensorflow.VersionDef] { producer: 5 } } }"
    made = classes("tensorflow.MetaGraphDef").FromString(from_text("tensorflow.MetaGraphDef", text).stdout)
    assert made.meta_info_def.any_info.type_url == "type.googleapis.com/tensorflow.VersionDef"
    assert made.meta_info_def.any_info.value == classes("tensorflow.VersionDef")(producer=5).SerializeToString()
    error = from_text("tensorflow.MetaGraphDef", text.replace("Def]", "Fed]")).stderr.decode()
    assert 'the type "type.googleapis.com/tensorflow.VersionFed" of an Any' in error


def test_elements_that_follow_each_other_are_packed():
    values = from_text("tensorflow.TensorProto", "float_val: 1 float_val: 2 float_val: [3, 4]").stdout
    assert values == b"\x2a\x10" + struct.pack("<4f", 1, 2, 3, 4)


def test_errors_name_line_and_field():
    error = from_text("tensorflow.GraphDef", "node {\n  name: 'a'\n  oops: 3\n}").stderr.decode()
    assert error.endswith('21 "oops" is not a field of tensorflow.NodeDef')
    error = from_text("tensorflow.GraphDef", "node {\n  name: 'a'\n  op 3\n}").stderr.decode()
    assert error.endswith('line 3 of the text: expected :, not "3\\x0a}"')
    for text, close in ("node {", "}"), ("node <", ">"), ("node [{", "}"), ("node [{}", "]"):
        said = from_text("tensorflow.GraphDef", text).stderr.decode()
        assert said.endswith(f'expected "{close}", not the end')


def test_a_byte_order_mark_is_skipped():
    text = "node { name: 'a' }"
    assert from_text("tensorflow.GraphDef", "\ufeff" + text).stdout == from_text("tensorflow.GraphDef", text).stdout
    assert from_text("tensorflow.GraphDef", text + "\ufeff").returncode != 0


def test_nesting_is_bounded():
    deep = "list { func { attr { value { " * 40
    error = from_text("tensorflow.AttrValue", deep).stderr.decode()
    assert "messages are nested deeper than 100" in error


def test_the_beginning_of_a_damaged_text_is_kept(classes):
    kind = classes("tensorflow.GraphDef")
    ran = from_text("tensorflow.GraphDef", "node { name: 'a' attr { key: 'k' value { i: 3 } } input: 'b", "keep")
    assert ran.returncode == 2
    assert kind.FromString(ran.stdout) == text_format.Parse("node { name: 'a' attr { key: 'k' value { i: 3 } } }", kind())


# --- Models ----------------------------------------------------------------------


def without_places(answer):
    """What a model says, without where in its file."""
    if isinstance(answer, list):
        return [without_places(item) for item in answer]
    if not isinstance(answer, dict):
        return answer
    if answer.keys() == {"offset", "size"}:
        return None  # a range, which is smaller where defaults are not written
    return {key: without_places(value) for key, value in answer.items() if key not in ("offset", "fingerprint")}


@pytest.mark.parametrize("kind, name, text", [
    ("tensorflow.SavedModel", "saved_model.pb", "saved_model.pbtxt"),
    ("tensorflow.MetaGraphDef", "m.meta", "m.meta"),
])  # fmt: skip
def test_models_answer_as_in_binary(cpb, classes, kind, name, text, tmp_path):
    message = classes("tensorflow.SavedModel").FromString((model("functions") / "saved_model.pb").read_bytes())
    if kind == "tensorflow.MetaGraphDef":
        message = message.meta_graphs[0]
    (tmp_path / "a").mkdir(), (tmp_path / "b").mkdir()
    (tmp_path / "a" / name).write_bytes(message.SerializeToString())
    (tmp_path / "b" / text).write_text(text_format.MessageToString(message))
    for question in "overview", "nodes", "functions", "constants", "ops", "layers", "objects":
        answers = [json.loads(cpb.ok("inspect", path, question, "--json", "--count", 10**6))
                   for path in (tmp_path / "a" / name, tmp_path / "b" / text)]  # fmt: skip
        assert without_places(answers[0]) == without_places(answers[1]), question


def test_a_folder_is_opened(cpb, classes, tmp_path):
    folder = model("functions")
    message = classes("tensorflow.SavedModel").FromString((folder / "saved_model.pb").read_bytes())
    shutil.copytree(folder / "variables", tmp_path / "variables")
    (tmp_path / "saved_model.pbtxt").write_text(text_format.MessageToString(message))
    answers = [json.loads(cpb.ok("inspect", path, "variables", "--json")) for path in (folder, tmp_path)]
    assert answers[0]["variables"]["total"] > 0
    assert without_places(answers[0]) == without_places(answers[1])
    name = answers[0]["variables"]["items"][0]["key"]
    values = [cpb.ok("extract", path, "--variable", name, "-o", "-") for path in (folder, tmp_path)]
    assert values[0] == values[1]


def test_a_text_that_is_cut_off_is_damaged(cpb, tmp_path):
    graph = tmp_path / "graph.pbtxt"
    graph.write_text("node {\n  name: 'a'\n  op: 'NoOp'\n}\nnode {\n  name: 'b")
    ran = cpb.run("inspect", "--tsv", graph)
    assert ran.returncode == 1
    assert "line 6 of the text: expected the end of the string, not the end" in ran.stderr.decode()
    assert "NoOp" in ran.stdout.decode()


OTHERS = [
    "version: 3\nname: 'a'\n", "layer { name: 'x' }", "model_checkpoint_path: 'ck-1'", "node: 3", "node = {}", "{\"node\": []}",
    "nodes {}", "graph TD; a-->b", "versions", "# nothing", "node\n", "feature { name: 'x' }",
]  # fmt: skip


@pytest.mark.parametrize("text", OTHERS)
def test_other_texts_are_none(cpb, tmp_path, text):
    file = tmp_path / "some.txt"
    file.write_text(text)
    assert cpb.run("inspect", file).returncode == 2
