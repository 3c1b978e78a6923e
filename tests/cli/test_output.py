"""An output file is there whole or not at all, and replaces nothing unasked."""

import os
import subprocess
import time

import pytest

from cli.conftest import parts
from conftest import DATA, open_files

WRITERS = [["merge"], ["repack"], ["recover"]]
each = pytest.mark.parametrize("command", WRITERS, ids=lambda c: c[0])


@each
def test_existing_file_is_kept(cpb, command, chunked, tmp_path):
    out = tmp_path / "out"
    out.write_bytes(b"precious")
    result = cpb.run(*command, chunked, "-o", out)
    assert result.returncode == 3
    assert result.stderr.decode() == f"{out}: exists already; --force replaces it\n"
    assert out.read_bytes() == b"precious"
    assert parts(tmp_path) == ["graph.cpb", "out"]


@each
def test_force_replaces(cpb, command, chunked, tmp_path):
    out = tmp_path / "out"
    out.write_bytes(b"old")
    cpb.ok(*command, chunked, "-o", out, "--force", "--sync")
    assert len(out.read_bytes()) > 1000
    assert parts(tmp_path) == ["graph.cpb", "out"]


def test_failure_keeps_what_force_would_replace(cpb, chunked, tmp_path):
    data = bytearray(open(chunked, "rb").read())
    data[9000] ^= 1
    (tmp_path / "bad.cpb").write_bytes(data)
    out = tmp_path / "out"
    out.write_bytes(b"old")
    for command in (["merge"], ["repack"]):
        assert cpb.run(*command, tmp_path / "bad.cpb", "-o", out, "--force").returncode == 2
        assert out.read_bytes() == b"old"
    assert parts(tmp_path) == ["bad.cpb", "graph.cpb", "out"]


def test_input_may_be_replaced_by_its_output(cpb, chunked, tmp_path):
    before = cpb.ok("merge", chunked, "-o", "-")
    cpb.ok("repack", chunked, "-o", chunked, "--force", "--codec", "brotli:1")
    assert cpb.ok("merge", chunked, "-o", "-") == before
    assert parts(tmp_path) == ["graph.cpb"]


@pytest.mark.parametrize("words", [["merge"], ["repack"], ["recover"], ["cat", "--chunk", "0"], ["cat", "--field", "1"]],
                         ids=" ".join)
def test_chunks_of_the_input_are_not_replaced(cpb, graph, words, tmp_path):
    """Those in other files than the one that was named."""
    cpb.ok("split", graph, "-o", tmp_path / "m.cpb", "--files", 2, "--max-chunk-size", 1000, "-q")
    other = tmp_path / "m.00002-of-00002.cpb"
    before = other.read_bytes()
    result = cpb.run(words[0], tmp_path / "m.cpb", *words[1:], "-o", other, "--force")
    assert result.returncode == 1
    assert f"{other}: a part of {tmp_path / 'm.cpb'} is in this file; expected another name" in result.stderr.decode()
    assert other.read_bytes() == before
    cpb.ok("repack", tmp_path / "m.cpb", "-o", tmp_path / "m.cpb", "--force")


def wait_for_output(process, folder):
    """Until the command has its output open, which has no name where the system can do that; where it
    cannot, as under WASI, whose runtime may be another process, by its temporary one."""
    deadline = time.monotonic() + 60
    while not open_files(process, folder) and not list(folder.glob("*.tmp-*")):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def start_recover(cpb, out, *options):
    """A command that waits for its input with its output open."""
    process = subprocess.Popen(cpb.command + ["recover", "-", "-o", str(out), *options],
                               stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_for_output(process, out.parent)
    return process


def test_name_taken_meanwhile_is_kept(cpb, riegeli, tmp_path):
    process = start_recover(cpb, tmp_path / "out")
    (tmp_path / "out").write_bytes(b"came first")
    _, message = process.communicate(open(riegeli, "rb").read(), 60)
    assert process.returncode == 3 and b"File exists" in message
    assert (tmp_path / "out").read_bytes() == b"came first"
    assert parts(tmp_path) == ["blocks.riegeli", "out"]


FULL = "/dev/full"
@each
def test_full_disk(cpb, command, chunked, tmp_path):
    result = cpb.run(*command, chunked, "-o", FULL)
    assert result.returncode == 3
    assert result.stderr.decode().startswith(f"{FULL}: No space left on device")


@pytest.mark.parametrize("words", [
    ["records"], ["records", "--json"], ["info"], ["info", "--json"], ["verify"],
    ["cat", "--chunk", "1"], ["merge", "-o", "-"], ["repack", "-o", "-"]], ids=" ".join)
def test_full_standard_output(cpb, words, chunked):
    with open(FULL, "wb") as full:
        result = cpb.run(words[0], chunked, *words[1:], stdout=full)
    assert result.returncode == 3
    assert result.stderr.decode().endswith("standard output: No space left on device\n")


def test_help_to_a_full_disk(cpb):
    with open(FULL, "wb") as full:
        assert cpb.run("help", stdout=full).returncode == 3


@pytest.mark.parametrize("words", [["records", "--json"], ["merge", "-o", "-"]], ids=" ".join)
def test_reader_that_goes_away(cpb, words):
    """Quiet: whoever closed the pipe knows."""
    reading, writing = os.pipe()
    os.close(reading)
    path = DATA / "cpb" / "real_frozen_conv" / "max1000_none.cpb"
    with os.fdopen(writing, "wb") as pipe:
        result = cpb.run(words[0], path, *words[1:], stdout=pipe)
    assert result.returncode == 3
    assert result.stderr == b""


def test_devices_and_pipes_are_written_in_place(cpb, chunked, tmp_path):
    cpb.ok("merge", chunked, "-o", "/dev/null")
    assert not os.path.isfile("/dev/null")
    os.mkfifo(tmp_path / "pipe")
    process = subprocess.Popen(cpb.command + ["merge", str(chunked), "-o", str(tmp_path / "pipe")])
    data = open(tmp_path / "pipe", "rb").read()
    assert process.wait(60) == 0
    assert data == cpb.ok("merge", chunked, "-o", "-")
