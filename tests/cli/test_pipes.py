"""`-` is standard input or output; progress is for terminals only."""

import os
import re
import subprocess
import time

import pytest

from conftest import DATA
from support.terminal import Terminal
from support.wire import field

GRAPH = DATA / "cpb" / "real_frozen_conv" / "orig.pb"


of_the_system = pytest.mark.skipif("CPB_RUNTIME" in os.environ, reason="WASI has no devices and no named pipes")


def piped(cpb, data, *words):
    result = cpb.run(*words, input=data)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_every_command_through_pipes(cpb, graph):
    original = open(graph, "rb").read()
    chunked = piped(cpb, original, "split", "-", "--type", "tensorflow.GraphDef", "--max-chunk-size", "1K", "-o", "-")
    assert piped(cpb, chunked, "merge", "-", "-o", "-") == original
    repacked = piped(cpb, chunked, "repack", "-", "--layout", "compat", "-o", "-")
    assert piped(cpb, repacked, "merge", "-", "-o", "-") == original
    assert b"standard input: OK" in piped(cpb, repacked, "verify", "-")
    assert piped(cpb, chunked, "cat", "-", "--chunk", "0") == piped(cpb, repacked, "cat", "-", "--chunk", "0")
    assert b'"format": "cpb"' in piped(cpb, chunked, "info", "-", "--json")
    assert len(piped(cpb, chunked, "records", "-", "--json").splitlines()) > 3
    recovered = piped(cpb, chunked, "recover", "-", "-o", "-")
    assert piped(cpb, recovered, "merge", "-", "-o", "-") == original


@of_the_system
def test_a_named_pipe_is_as_good_as_standard_input(cpb, chunked, tmp_path):
    """Such as the shell's <(command)."""
    os.mkfifo(tmp_path / "pipe")
    data = open(chunked, "rb").read()
    for words in (["merge", "pipe", "-o", "-"], ["verify", "pipe"], ["info", "pipe", "--json"], ["repack", "pipe", "-o", "-"],
                  ["cat", "pipe", "--field", "node[0].name"], ["split", "pipe", "-o", "x"], ["inspect", "pipe"]):
        with subprocess.Popen(["sh", "-c", 'cat "$0" > pipe', chunked], cwd=tmp_path, stderr=subprocess.DEVNULL) as writer:
            result = cpb.run(*words, cwd=tmp_path)
            writer.wait()
        if words[0] in ("split", "inspect"):  # the one wants a message, the other a file
            assert result.returncode in (2, 3) and b": " in result.stderr
            assert words[0] == "split" or b"a pipe is read once, from front to back; expected a file" in result.stderr
        else:
            wanted = piped(cpb, data, *["-" if word == "pipe" else word for word in words])
            assert result.returncode == 0 and result.stdout == wanted.replace(b"standard input", b"pipe")


@of_the_system
@pytest.mark.parametrize("words", [["split", "-o", "out"], ["records"], ["recover", "-o", "out"], ["inspect"], ["info"]])
def test_a_device_is_no_empty_file(cpb, words, tmp_path):
    result = cpb.run(words[0], "/dev/zero", *words[1:], cwd=tmp_path)
    assert (result.returncode, result.stderr) == (3, b"/dev/zero: it is a device; expected a file\n")
    assert not list(tmp_path.iterdir())


def test_redirected_file_needs_no_spool(cpb, chunked, tmp_path):
    with open(chunked, "rb") as file:
        result = cpb.run("merge", "-", "-o", "-", stdin=file, env={"TMPDIR": str(tmp_path / "none")})
    assert result.returncode == 0 and result.stdout == cpb.ok("merge", chunked, "-o", "-")


@pytest.mark.parametrize("words", [["inspect", "-"], ["extract", "-", "w"], ["convert", "-", "-o", "out"],
                                   ["cut", "-", "root", "-o", "out"], ["diff", GRAPH, "-"], ["diff", "-", GRAPH]], ids=lambda words: words[0])
def test_models_are_read_from_files(cpb, words, tmp_path):
    result = cpb.run(*words, input=b"", cwd=tmp_path)
    assert result.returncode == (2 if words[0] == "diff" else 1) and not result.stdout
    assert b"a model cannot be read from standard input; expected a file" in result.stderr
    assert words[0] in cpb.ok("help").decode().split("The file name - ")[1].split(". An")[0]


def test_spool_that_cannot_be_made(cpb, chunked, tmp_path):
    env = {"TMPDIR": str(tmp_path / "none")}
    data = open(chunked, "rb").read()
    result = cpb.run("merge", "-", "-o", "-", input=data, env=env)
    assert result.returncode == 3 and result.stderr.startswith(b"standard input: ")
    result = cpb.run("repack", chunked, "-o", "-", env=env)
    assert result.returncode == 3 and result.stderr.startswith(b"standard output: no temporary file")


def test_spool_is_removed(cpb, chunked, tmp_path):
    cpb.run("merge", "-", "-o", "-", input=open(chunked, "rb").read(), env={"TMPDIR": str(tmp_path)})
    assert [path.name for path in tmp_path.iterdir()] == ["graph.cpb"]


def test_input_that_grows_past_the_buffers(cpb, tmp_path):
    """More than the 256 KiB that are held at a time."""
    big = os.urandom(1 << 20)
    message = b"\xc2\x3e" + bytes([0x80, 0x80, 0x40]) + big
    (tmp_path / "in.pb").write_bytes(message)
    chunked = piped(cpb, message, "split", "-", "-o", "-", "--max-chunk-size", "300K")
    assert piped(cpb, chunked, "merge", "-", "-o", "-") == message


def on_terminal(cpb, words, pieces):
    """Runs the command with its standard error on a terminal and a slow input."""
    screen = Terminal()
    process = subprocess.Popen(cpb.command + words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=screen.side)
    for piece in pieces:
        process.stdin.write(piece)
        process.stdin.flush()
        time.sleep(0.4)
    process.stdin.close()
    text = screen.text_of(process)
    assert process.returncode == 0, text
    return text


@pytest.mark.parametrize("quiet", [False, True])
def test_progress_on_a_terminal(cpb, quiet):
    data = (DATA / "corrupt" / "base_blocks.riegeli").read_bytes()
    pieces = [data[i:i + 40000] for i in range(0, len(data), 40000)]
    text = on_terminal(cpb, ["records", "-"] + ["--quiet"] * quiet, pieces)
    assert (b"reading" in text and b"KiB/s" in text) != quiet
    if not quiet:
        assert text.endswith(b"\r\x1b[K")


def test_no_progress_off_the_terminal(cpb, riegeli):
    assert cpb.run("records", riegeli).stderr == b""


def test_a_bar_where_the_end_is_known(cpb, tmp_path):
    """A message of 2 MiB to a reader that lets half a second and more pass."""
    (tmp_path / "in.pb").write_bytes(field(1000, os.urandom(2 << 20)))
    cpb.ok("split", tmp_path / "in.pb", "-o", tmp_path / "x.cpb", "--max-chunk-size", "300K")
    screen = Terminal()
    process = subprocess.Popen(cpb.command + ["merge", str(tmp_path / "x.cpb"), "-o", "-"], stdout=subprocess.PIPE,
                               stderr=screen.side)
    merged = process.stdout.read(1)  # it has begun
    time.sleep(0.7)
    merged += process.stdout.read()
    text = screen.text_of(process)
    process.stdout.close()
    assert process.returncode == 0 and merged == (tmp_path / "in.pb").read_bytes()
    bar, percent = re.search(rb"\rmerging \[(#*)\.*\] +(\d+)%  [0-9.]+ [KM]iB  [0-9.]+ [KM]iB/s  \d+:\d\d left", text).groups()
    assert len(bar) in (int(percent) * 24 // 100, (int(percent) + 1) * 24 // 100)
    assert text.endswith(b"\r\x1b[K")
