"""merge --threads: the same bytes, or the same error, as with one."""

import os
import signal
import subprocess
import time

import pytest

from cli.conftest import parts
from conftest import DATA
from support.wire import field, varint

NUMBERS = [1, 2, 4, 9]
each = pytest.mark.parametrize("threads", NUMBERS)
FILES = [("remote", "zstd"), ("compat", "brotli:1"), ("remote", "none")]
one_file = pytest.mark.parametrize("split", FILES[:1], indirect=True, ids="-".join)


def constant(i, content):
    value = field(8, varint(1 << 3) + varint(7) + field(4, content))
    return field(1, field(1, b"n%d" % i) + field(2, b"Const") + field(5, field(1, b"value") + field(2, value)))


@pytest.fixture(scope="module")
def message():
    """A GraphDef of small constants and large ones."""
    sizes = [100, 3000, 700000, 20, 90000, 2500000, 5000, 5000, 400000] * 3
    return b"".join(constant(i, os.urandom(size // 2) * 2) for i, size in enumerate(sizes))


@pytest.fixture(scope="module", params=FILES, ids="-".join)
def split(request, cpb, message, tmp_path_factory):
    folder = tmp_path_factory.mktemp("split")
    (folder / "in.pb").write_bytes(message)
    layout, codec = request.param
    cpb.ok("split", folder / "in.pb", "--type", "tensorflow.GraphDef", "--layout", layout, "--codec", codec,
           "--max-chunk-size", "300K", "-o", folder / "in.cpb")
    return folder / "in.cpb"


@each
def test_file_and_pipe(cpb, split, message, threads, tmp_path):
    cpb.ok("merge", split, "-o", tmp_path / "out.pb", "--threads", threads)
    assert (tmp_path / "out.pb").read_bytes() == message
    assert cpb.ok("merge", split, "-o", "-", "--threads", threads) == message
    assert cpb.ok("merge", "-", "-o", "-", "--threads", threads, input=split.read_bytes()) == message
    with open(tmp_path / "redirected", "wb") as file:  # which is not written from its beginning
        file.write(b"before")
        file.flush()
        cpb.ok("merge", split, "-o", "-", "--threads", threads, stdout=file)
    assert (tmp_path / "redirected").read_bytes() == b"before" + message
    assert parts(tmp_path) == ["out.pb", "redirected"]


def test_damage_is_the_same_error(cpb, split, tmp_path):
    """Also what a pipe was given before it, up to the bytes that one thread would not have held back."""
    data = bytearray(split.read_bytes())
    for at in range(1000, len(data), len(data) // 6):
        data[at] ^= 1
        (tmp_path / "bad.cpb").write_bytes(data)
        data[at] ^= 1
        results = []
        for threads in (1, 3):
            result = cpb.run("merge", "bad.cpb", "-o", "out.pb", "--threads", threads, cwd=tmp_path)
            piped = cpb.run("merge", "bad.cpb", "-o", "-", "--threads", threads, cwd=tmp_path)
            results.append((result.returncode, result.stderr, piped.returncode, piped.stderr))
            assert parts(tmp_path) == ["bad.cpb"]
        assert results[0] == results[1]
        assert results[0][0] == 2 and b"bad.cpb: byte " in results[0][1]


@one_file
def test_full_disk(cpb, split):
    result = cpb.run("merge", split, "-o", "/dev/full", "--threads", 3)
    assert (result.returncode, result.stderr) == (3, b"/dev/full: No space left on device\n")


@one_file
def test_reader_that_goes_away(cpb, split):
    process = subprocess.Popen([*cpb.command, "merge", split, "-o", "-", "--threads", "3"], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    process.stdout.read(1)
    process.stdout.close()
    assert (process.wait(30), process.stderr.read()) == (3, b"")
    process.stderr.close()


@one_file
def test_memory_limit_is_for_all(cpb, split, message):
    """What is enough for one thread is for any number, and what is not is not."""
    def works(limit, threads):
        result = cpb.run("merge", split, "-o", "-", "--memory-limit", limit, "--threads", threads)
        assert (result.returncode, result.stdout == message) in ((0, True), (4, False)), result.stderr
        return result.returncode == 0

    low, high = 0, 1 << 26
    while high - low > 1 << 16:
        middle = (low + high) // 2
        low, high = (low, middle) if works(middle, 1) else (middle, high)
    for threads in (2, 8):
        assert works(high, threads) and not works(low, threads)


@one_file
def test_interruption_leaves_nothing(cpb, split, tmp_path):
    """While the threads wait for the reader of a FIFO, whose end the signal is."""
    os.mkfifo(tmp_path / "fifo")
    process = subprocess.Popen([*cpb.command, "merge", split, "-o", tmp_path / "fifo", "--threads", "3"],
                               stderr=subprocess.DEVNULL)
    with open(tmp_path / "fifo", "rb") as fifo:
        fifo.read(1)
        time.sleep(0.1)
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == -signal.SIGTERM
    assert parts(tmp_path) == ["fifo"]


@pytest.mark.parametrize("value", ["-1", "two", ""])
def test_no_number(cpb, value):
    result = cpb.run("merge", "x", "-o", "-", f"--threads={value}")
    assert result.returncode == 1 and b"--threads" in result.stderr


@each
def test_small_messages(cpb, threads):
    folder = DATA / "cpb" / "graph_mixed-large"
    assert cpb.ok("merge", folder / "max5000_brotli.cpb", "-o", "-", "--threads", threads) == \
        cpb.ok("merge", folder / "max5000_brotli.cpb", "-o", "-")
