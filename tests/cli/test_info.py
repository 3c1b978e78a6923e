"""`info` on indices and names of every kind."""

import json
import os
import subprocess

import pytest

from support.riegeli import write
from support.wire import field, varint

from cli.conftest import parts


def number(n, value):
    return varint(n << 3) + varint(value & (1 << 64) - 1)


def chunked(tag, kind=2):
    """A .cpb whose chunk 1 is at the field tag `tag`."""
    chunks = [b"", b"v"]
    infos = b"".join(field(2, number(1, 1 if i == 0 else kind) + number(2, len(c)) + number(3, 64 + i))
                     for i, c in enumerate(chunks))
    tags = b"".join(field(1, step) for step in tag)
    message = number(1, 0) + field(2, tags + field(3, number(1, 1)))
    version = field(1, number(1, 3) + number(3, 7) + number(3, 9))
    return write(chunks + [version + infos + field(3, message)])


def shown(cpb, tmp_path, tag, kind=2):
    (tmp_path / "x.cpb").write_bytes(chunked(tag, kind))
    info = json.loads(cpb.ok("info", tmp_path / "x.cpb", "--json"))
    text = cpb.ok("info", tmp_path / "x.cpb").decode()
    path = info["message"]["fields"][0]["path"]
    assert path in text
    return path, info, text


def test_each_kind_of_step_is_shown(cpb, tmp_path):
    def path(*tag):
        return shown(cpb, tmp_path, tag)[0]

    assert path(number(1, 99)) == "99"
    assert path(number(1, 99), number(3, 4)) == "99[4]"
    assert path(number(1, 99), field(2, field(1, b'a"\n'))) == '99["a\\"\\x0a"]'
    assert path(number(1, 99), field(2, number(2, 1))) == "99[true]"
    assert path(number(1, 99), field(2, number(3, 5))) == "99[5]"
    assert path(number(1, 99), field(2, number(4, 6))) == "99[6]"
    assert path(number(1, 99), field(2, number(5, -5))) == "99[-5]"
    assert path(number(1, 99), field(2, number(6, -6))) == "99[-6]"


def test_version_and_chunk_types_are_shown(cpb, tmp_path):
    for kind, name in ((0, "UNSPECIFIED"), (1, "MESSAGE"), (2, "BYTES"), (5, "UNKNOWN")):
        _, info, text = shown(cpb, tmp_path, [number(1, 99)], kind)
        assert info["chunks"][1]["type"] == name and name in text
        assert info["version"]["bad_consumers"] == [7, 9]
        assert "splitter 3" in text and "not for 7 9" in text


def shown_name(cpb, folder, name):
    path = os.fsencode(folder) + b"/" + name
    with open(path, "wb") as file:
        file.write(chunked([number(1, 99)]))
    out = subprocess.run(cpb.command + ["info", path, "--json"], stdout=subprocess.PIPE, check=True).stdout
    return json.loads(out)["file"].removeprefix(f"{folder}/")


@pytest.mark.parametrize("name", ['"\\\x01.cpb', "é€😀.cpb"], ids=ascii)
def test_names_are_json_strings(cpb, name, tmp_path):
    assert shown_name(cpb, tmp_path, name.encode()) == name


@pytest.mark.parametrize("name, wanted", [
    (b"\xff.cpb", "\ufffd.cpb"), (b"\xc0\x80.cpb", "\ufffd\ufffd.cpb"), (b"\xed\xa0\x80.cpb", "\ufffd\ufffd\ufffd.cpb"),
    (b"\xe2(.cpb", "\ufffd(.cpb"), (b".cpb\xe2\x82", ".cpb\ufffd\ufffd"), (b"\xf4\x90\x80\x80.cpb", "\ufffd" * 4 + ".cpb")],
    ids=ascii)
def test_names_that_are_no_utf8(cpb, name, wanted, tmp_path):
    """Each byte that does not belong is U+FFFD."""
    assert shown_name(cpb, tmp_path, name) == wanted


def test_a_chunk_with_a_damaged_header_is_shown_as_unreadable(cpb, tmp_path):
    cpb.ok("repack", write_good(tmp_path), "-o", tmp_path / "remote.cpb", "--codec", "none")
    data = bytearray((tmp_path / "remote.cpb").read_bytes())
    info = json.loads(cpb.ok("info", tmp_path / "remote.cpb", "--json"))
    data[info["chunks"][1]["chunk_begin"] + 20] ^= 1
    (tmp_path / "bad.cpb").write_bytes(data)
    for options in ([], ["--json"]):
        result = cpb.run("info", tmp_path / "bad.cpb", *options)
        assert result.returncode == 2
        assert b"bad.cpb: byte " in result.stderr
        assert options or b"unreadable" in result.stdout
    assert len(parts(tmp_path)) == 3


def write_good(tmp_path):
    """A .cpb whose chunk 1 is large."""
    path = tmp_path / "good.cpb"
    records = [b"", b"value" * 40000]  # several blocks: the index is found without it
    infos = b"".join(field(2, number(1, 1 + i) + number(2, len(r)) + number(3, 64 + i)) for i, r in enumerate(records))
    message = number(1, 0) + field(2, field(1, number(1, 99)) + field(3, number(1, 1)))
    path.write_bytes(write(records + [infos + field(3, message)]))
    return path


# --- What is no such file ---------------------------------------------------------------


SIGNATURE = r'"\x83\xafp\xd1\x0d\x88J?"'


@pytest.mark.parametrize("command", [["info"], ["records"], ["verify"], ["cat", "--chunk", "0"], ["repack", "-o", "out"]],
                         ids=lambda words: words[0])
@pytest.mark.parametrize("data", [b"text", b"# A text.\n" * 9, b"PK\3\4" * 9, bytes(65546), b"ab" * 100_000],
                         ids=["short", "text", "zip", "within a block header", "long"])
def test_a_file_of_another_format_is_said_to_be_none(cpb, tmp_path, command, data):
    """Also one where there happens to be no block header at the end, where the index is looked for."""
    (tmp_path / "x").write_bytes(data)
    result = cpb.run(command[0], "x", *command[1:], cwd=tmp_path)
    begin = "".join(chr(b) if 32 <= b < 127 else f"\\x{b:02x}" for b in data[:8])
    wanted = f'byte 0: not a Riegeli/records file: it begins with "{begin}"; expected {SIGNATURE}, its signature'
    assert result.returncode == 2
    assert wanted in result.stderr.decode()


def test_an_empty_file_is_said_to_be_empty(cpb, tmp_path):
    (tmp_path / "x").touch()
    result = cpb.run("info", "x", cwd=tmp_path)
    assert result.returncode == 2
    assert result.stderr == (b"x: the file is empty, not a Riegeli file with records; expected a ChunkMetadata in the "
                             b"last one\n")


def test_a_damaged_file_with_the_signature_is_damaged(cpb, tmp_path):
    data = bytearray(chunked([number(1, 1)]))
    for at, what in [(8, "block"), (40, "chunk"), (64, "chunk")]:
        data[at] ^= 1
        (tmp_path / "x.cpb").write_bytes(data)
        result = cpb.run("info", "x.cpb", cwd=tmp_path)
        assert result.returncode == 2
        assert result.stderr.decode().endswith(f"the {what} header does not match its hash\n")
        data[at] ^= 1
