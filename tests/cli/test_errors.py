"""Exit codes and messages: the file's name first, then the byte."""

import os
import re

import pytest

from conftest import DATA

ALL = [["info"], ["verify"], ["records"], ["merge", "-o", "out"], ["repack", "-o", "out"],
       ["recover", "-o", "out"], ["cat", "--chunk", "0"], ["split", "-o", "out.cpb"]]


def each(commands):
    return pytest.mark.parametrize("command", commands, ids=lambda c: c[0])


def run(cpb, command, path, cwd, *more):
    return cpb.run(command[0], path, *command[1:], *more, cwd=cwd)


def check(result, code, name, text=""):
    message = result.stderr.decode()
    assert result.returncode == code, message
    assert message.startswith(f"{name}: "), message
    assert text in message


@each(ALL)
def test_missing_file(cpb, command, tmp_path):
    check(run(cpb, command, "missing", tmp_path), 3, "missing", "No such file or directory")
    assert os.listdir(tmp_path) == []


@each(ALL)
def test_directory(cpb, command, tmp_path):
    (tmp_path / "folder").mkdir()
    check(run(cpb, command, "folder", tmp_path), 3, "folder", "a directory")


@each([c for c in ALL if c[0] not in ("split", "recover")])
def test_not_of_this_kind(cpb, command, tmp_path):
    (tmp_path / "text").write_bytes(b"This is no Riegeli file at all. " * 100)
    check(run(cpb, command, "text", tmp_path), 2, "text", "byte ")
    assert os.listdir(tmp_path) == ["text"]


POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize 132\n" % (b"4d" * 32)


@each([*ALL, ["cat", "--field", "1"]])
@pytest.mark.parametrize("content, what", [
    (POINTER, "a Git LFS pointer to a file of 132 bytes"), (b"\x1f\x8b\x08" + bytes(20), "a file packed with gzip"),
    (b"<!DOCTYPE html><title>404</title>", 'a web page, "404"')], ids=["pointer", "packed", "page"])
def test_what_came_instead_of_a_file_is_named(cpb, command, content, what, tmp_path):
    (tmp_path / "m.pb").write_bytes(content)
    if command[0] == "merge":  # takes a .pb as it is
        os.rename(tmp_path / "m.pb", tmp_path / "m.cpb")
    result = run(cpb, command, next(tmp_path.iterdir()).name, tmp_path)
    assert result.returncode == 2 and len(os.listdir(tmp_path)) == 1
    assert command[0] in ("verify", "records") or what in result.stderr.decode()


def test_text_is_split_only_if_its_type_is_given(cpb, tmp_path):
    """It parses as a message of fields that nobody knows."""
    (tmp_path / "m").write_bytes(b"model:\n  name: x\n")
    check(cpb.run("split", "m", "-o", "out.cpb", cwd=tmp_path), 2, "m", 'text that begins "model:"; expected a protobuf')
    assert os.listdir(tmp_path) == ["m"]
    cpb.ok("split", tmp_path / "m", "-o", tmp_path / "out.cpb", "--type", "tensorflow.GraphDef")


def test_a_file_without_any_record_is_not_recovered(cpb, tmp_path):
    (tmp_path / "in").write_bytes(bytes(range(256)) * 4)
    check(run(cpb, ["recover", "-o", "out"], "in", tmp_path), 2, "in", "there is no record in it; expected a Riegeli file")
    assert os.listdir(tmp_path) == ["in"]


def test_a_cpb_is_no_message_to_split(cpb, chunked, tmp_path):
    for how in [], ["--type", "tensorflow.GraphDef"]:
        check(cpb.run("split", chunked, "-o", "out.cpb", *how, cwd=tmp_path), 2, chunked,
              "byte 0: a .cpb file, or another file of Riegeli records; expected a message. A .cpb file is repacked "
              "or merged")
    assert os.listdir(tmp_path) == [os.path.basename(chunked)]


@each([c for c in ALL if c[0] not in ("split", "recover", "cat")])
def test_truncated(cpb, command, chunked, tmp_path):
    data = chunked.read_bytes() if hasattr(chunked, "read_bytes") else open(chunked, "rb").read()
    (tmp_path / "cut.cpb").write_bytes(data[:12000])
    check(run(cpb, command, "cut.cpb", tmp_path), 2, "cut.cpb", "byte ")
    assert sorted(os.listdir(tmp_path)) == ["cut.cpb", "graph.cpb"]


@each([["info"], ["merge", "-o", "out"], ["verify"], ["repack", "-o", "out"]])
def test_newer_version(cpb, command, tmp_path):
    path = DATA / "cpb_odd" / "info_join_version_9.cpb"
    check(run(cpb, command, path, tmp_path), 5, path, "9")
    assert os.listdir(tmp_path) == []


@each([c for c in ALL if c[0] != "split"])
def test_memory_limit(cpb, command, chunked, tmp_path):
    result = run(cpb, command, chunked, tmp_path, "--memory-limit", "1K")
    assert result.returncode == 4
    assert "--memory-limit 1024" in result.stderr.decode()
    assert os.listdir(tmp_path) == ["graph.cpb"]


def test_a_limit_says_how_much_would_be_enough(cpb, chunked, tmp_path):
    """And that much is enough."""
    path = tmp_path / "shared.cpb"
    cpb.ok("repack", chunked, "--layout", "compat", "-o", path)
    records, _, _, _ = cpb.records(path)
    together = max(sum(r["chunk_begin"] == one["chunk_begin"] for r in records) for one in records)
    words = ["cat", path, "--chunk", "0", "-o", tmp_path / "out"]
    result = cpb.run(*words, "--limit", "records_per_chunk=1")
    assert result.returncode == 4
    assert f"it has {together} records; the limit records_per_chunk is 1" in result.stderr.decode()
    cpb.ok(*words, "--limit", f"records_per_chunk={together}")


def test_memory_limit_that_suffices(cpb, chunked, tmp_path):
    cpb.ok("merge", chunked, "-o", tmp_path / "out", "--memory-limit", "64M")


def test_no_such_chunk_record_or_type(cpb, chunked, graph, riegeli, tmp_path):
    check(cpb.run("cat", chunked, "--chunk", "6"), 1, chunked, "chunk is 6; expected less than 6")
    check(cpb.run("cat", riegeli, "--record", "1000000"), 1, riegeli, "no such record")
    check(cpb.run("cat", riegeli, "--position", "99999999"), 1, riegeli, "no such record")
    check(cpb.run("records", riegeli, "--metadata"), 1, riegeli, "no metadata")
    result = cpb.run("split", graph, "--type", "no.Such", "-o", tmp_path / "x.cpb")
    assert result.returncode == 1 and "no.Such" in result.stderr.decode()
    assert not (tmp_path / "x.cpb").exists()


def test_input_that_cannot_be_opened(cpb, tmp_path):
    """By anybody: root, too, cannot follow a link to itself."""
    loop = tmp_path / "loop.cpb"
    loop.symlink_to(loop.name)
    check(cpb.run("info", loop), 3, loop, "ymbolic link")  # "Symbolic link loop" under WASI


def test_output_folder_that_is_not_there(cpb, chunked, tmp_path):
    out = tmp_path / "none" / "out.pb"
    check(cpb.run("merge", chunked, "-o", out), 3, out, "No such file or directory")


def test_message_names_the_damaged_byte(cpb, chunked, tmp_path):
    """A flipped bit in the last Riegeli chunk's data: its hash is at 12280 + 40 ... of the header."""
    data = bytearray(open(chunked, "rb").read())
    data[12400] ^= 1
    (tmp_path / "bad.cpb").write_bytes(data)
    result = cpb.run("merge", tmp_path / "bad.cpb", "-o", tmp_path / "out.pb")
    check(result, 2, tmp_path / "bad.cpb")
    offset = int(re.search(r": byte (\d+): ", result.stderr.decode())[1])
    assert 12280 <= offset <= len(data)
    assert not (tmp_path / "out.pb").exists()


def test_control_characters_of_names_stay_off_the_terminal(cpb, tmp_path):
    result = cpb.run("info", tmp_path / "a\x1b[2Jb\n")
    assert b"\x1b" not in result.stderr and result.stderr.count(b"\n") == 1


def test_a_url_without_a_server_or_without_libcurl(cpb):
    """Nothing answers on that port; where there is no libcurl, or no socket, as under WASI, the message says what to
    do."""
    result = cpb.run("info", "http://user:secret@127.0.0.1:1/x.cpb?sig=secret")
    assert result.returncode == 5 if "CPB_RUNTIME" in os.environ else result.returncode in (3, 5)
    without = b"cpb-http.wasm" if os.environ.get("CPB_RUNTIME") else b"libcurl"
    wanted = b": no response (" if result.returncode == 3 else without
    assert result.stderr.startswith(b"http://127.0.0.1:1/x.cpb: ") and wanted in result.stderr
    assert result.stdout == b"" and b"secret" not in result.stderr
