"""What a file is that is no model (tests/data/foreign.json): what the command says of it. The same table is held
against the Python package, the JavaScript package and the page."""

import base64
import json
import re
import zipfile

import pytest

from conftest import DATA

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
