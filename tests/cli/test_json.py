"""JSON that the command prints holds nothing that a terminal would act on, whatever a file calls things."""

import json
import os

import pytest

from cli.test_info import number
from support.riegeli import write
from support.wire import field

# Control characters (C0, DEL, C1), and those that change the direction of writing.
BAD = "\x1b\x7f\x80\x9b\x9f\u061c\u200e\u200f\u202a\u202e\u2066\u2069"
NAME = f"a{BAD}z"


def graph(name):
    return field(1, field(1, name.encode()) + field(2, b"NoOp"))


def texts(value):
    """Every text in what json.loads gives."""
    if isinstance(value, dict):
        return [*value, *texts(list(value.values()))]
    if isinstance(value, list):
        return [text for element in value for text in texts(element)]
    return [value] if isinstance(value, str) else []


def check(out):
    """What was printed is JSON with the name in it, and such characters are escaped."""
    text = out.decode()
    assert not set(BAD) & set(text)
    assert any(NAME in one for one in texts(json.loads(text)))
    return text


@pytest.fixture
def named(tmp_path):
    """A .cpb with the name in its own name and in the path of a field."""
    chunks = [b"", b"value" * 100]
    infos = b"".join(field(2, number(1, 1 + i) + number(2, len(c)) + number(3, 64 + i)) for i, c in enumerate(chunks))
    tags = field(1, number(1, 99)) + field(1, field(2, field(1, NAME.encode())))
    message = number(1, 0) + field(2, tags + field(3, number(1, 1)))
    path = os.path.join(tmp_path, NAME + ".cpb")
    with open(path, "wb") as file:
        file.write(write(chunks + [infos + field(3, message)]))
    return path


def test_of_a_cpb(cpb, named):
    for out in (cpb.ok("info", named, "--json"), cpb.run("verify", named, "--json").stdout):
        text = check(out)
        assert text == json.dumps(json.loads(text)) + "\n"  # in Python's own layout, ", " and ": "


def test_of_a_model(cpb, tmp_path):
    a, b = tmp_path / "a.pb", tmp_path / "b.pb"
    a.write_bytes(graph(NAME))
    b.write_bytes(graph("other"))
    check(cpb.ok("inspect", a, "nodes", "--json"))
    check(cpb.ok("cat", a, "--type", "tensorflow.GraphDef", "--field", "node[0]", "--json"))
    result = cpb.run("diff", a, b, "--json")
    assert result.returncode == 1
    check(result.stdout)
