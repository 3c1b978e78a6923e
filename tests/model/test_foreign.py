"""What a file is that is no model (tests/data/foreign.json): what the command says of it. The same table is held
against the Python package, the JavaScript package and the page."""

import base64
import json
import re
import zipfile

import pytest

from conftest import DATA
from support import checkpoints as ck, onnx_models
from support.coreml_wire import blob, const, program, value

ROOT = DATA.parents[1]
CASES = json.loads((DATA / "foreign.json").read_text())


def content(case):
    if "file" in case:
        return (DATA / case["file"]).read_bytes()
    return case["text"].encode() if "text" in case else base64.b64decode(case["base64"])


def rows():
    """(name, what it is, what to do) of each row, from src/model/foreign/rows.h."""
    text = (ROOT / "src/model/foreign/rows.h").read_text().replace("\\\n", "")
    text = re.sub(r"\s*\\\s*\n\s*", " ", text)
    found = re.findall(r'X\((\w+), (\w+), "((?:[^"\\]|\\.)*)",\s*"((?:[^"\\]|\\.)*)"\)', text)
    assert len(found) == text.count("X(") - 1 and all(NAME == name.upper() for NAME, name, _, _ in found)
    return [(name, what.replace('\\"', '"'), advice.replace('\\"', '"')) for _, name, what, advice in found]


@pytest.mark.parametrize("case", CASES, ids=[f"{case['is']}-{case['name']}" for case in CASES])
def test_a_file_is_called_what_it_is(cpb, tmp_path, case):
    path = tmp_path / case["name"]
    path.write_bytes(content(case))
    result = cpb.run("inspect", path)
    assert result.returncode == 2 and not result.stdout
    said = result.stderr.decode()
    assert said.startswith(f"{path}: {case['says']}") and len(said.splitlines()) == 1


def test_each_row_has_a_case():
    told = {case["is"]: case["says"] for case in CASES}
    for name, what, advice in rows():
        assert name in told, name
        parts = re.split(r"\{[^}]*\}|@", what)
        assert told[name].startswith(parts[0]) and advice in told[name]


def test_a_kind_that_is_said_is_believed(cpb, tmp_path):
    """Whatever it looks like."""
    generic = next(case for case in CASES if case["name"] == "generic3.pb")
    path = tmp_path / "generic3.pb"
    path.write_bytes(content(generic))
    assert json.loads(cpb.ok("inspect", path, "--type", "tensorflow.GraphDef", "--json"))["kind"] == "graph_def"


def test_names_from_the_file_are_printable_and_short(cpb, tmp_path):
    with zipfile.ZipFile(tmp_path / "m.zip", "w") as file:
        file.writestr("\x1b[2J" + "n" * 300 + ".onnx", "")
    (tmp_path / "page.pb").write_bytes(b"<html><title>\x1b]0;a\x07\xe2\x80\xae" + b"t" * 3000 + b"</title>")
    for name in "m.zip", "page.pb":
        said = cpb.run("inspect", tmp_path / name).stderr.decode().strip().removeprefix(f"{tmp_path / name}: ")
        assert said.isascii() and said.isprintable() and len(said) < 200, said


def test_line_ends_are_only_converted_where_all_are(cpb, tmp_path):
    """A length of 13 before a field is CR LF, too."""
    meta_graph = b"\n\x0b\x22\x05serve\x2a\x022."
    assert len(meta_graph) == ord("\r")
    path = tmp_path / "graph.pb"
    path.write_bytes(b"\x08\x01" + (b"\x12\r" + meta_graph) * 20)
    assert json.loads(cpb.ok("inspect", path, "--json"))["kind"] == "saved_model"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert "whose line ends were converted (CRLF)" in cpb.run("inspect", path).stderr.decode()


# --- In the place of a file with values -----------------------------------------------------------


SUBSTITUTES = {
    "git lfs": (b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 160\n", "is a Git LFS pointer"),
    "page": (b"<!DOCTYPE html><title>Not Found</title>" + b" " * 3000, 'is a web page, "Not Found"'),
}


def an_onnx(folder, data):
    (folder / "m.onnx").write_bytes(onnx_models.elsewhere("w.bin", 8))
    (folder / "w.bin").write_bytes(data)
    return folder / "m.onnx", "w0"


def a_coreml(folder, data):
    (folder / "m.mlmodel").write_bytes(program(const(value([3], content=blob(b"@model_path/w.bin", 64)))))
    (folder / "w.bin").write_bytes(data)
    return folder / "m.mlmodel", "t"


def a_checkpoint(folder, data):
    (folder / "m.index").write_bytes(ck.table([[ck.header(), (b"t", ck.entry(1, [2], size=8))]]))
    (folder / "m.data-00000-of-00001").write_bytes(data)
    return folder / "m.index", "t"


@pytest.mark.parametrize("make", [an_onnx, a_coreml, a_checkpoint])
@pytest.mark.parametrize("substitute", SUBSTITUTES)
def test_no_values_are_read_from_what_is_in_the_place_of_their_file(cpb, tmp_path, make, substitute):
    """However few they are: the text is as long as they need it."""
    data, says = SUBSTITUTES[substitute]
    path, name = make(tmp_path, data)
    result = cpb.run("extract", path, name, "-o", "-", "--raw")
    assert result.returncode == 2 and not result.stdout and says in result.stderr.decode()
    if make is an_onnx:
        result = cpb.run("convert", path, "-o", tmp_path / "out.onnx")
        assert result.returncode == 2 and says in result.stderr.decode() and not (tmp_path / "out.onnx").exists()


def test_values_may_look_like_a_text(cpb, tmp_path):
    """Pointers and pages are small; files of values are not."""
    data = SUBSTITUTES["git lfs"][0].ljust(65537, b"\n")
    path, name = an_onnx(tmp_path, data)
    assert cpb.ok("extract", path, name, "-o", "-", "--raw") == data[8:24]
