"""--threads: the same bytes, the same problems, or the same error, as with one."""

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


# --- split and repack -------------------------------------------------------------


LAYOUTS = [("remote",), ("remote", "--codec", "zstd:5"), ("remote", "--codec", "none"),
           ("remote", "--for-memory", "256K"), ("compat", "--codec", "brotli:1"), ("compat", "--codec", "zstd")]


@pytest.mark.parametrize("layout", LAYOUTS, ids=" ".join)
def test_split_and_repack(cpb, split, message, layout, tmp_path):
    """The same file with any number of threads, from files and pipes, to files and pipes."""
    (tmp_path / "in.pb").write_bytes(message)
    how = ["--type", "tensorflow.GraphDef", "--layout", *layout]
    for size in ("20K", "1M"):
        files = [cpb.ok("split", tmp_path / "in.pb", *how, "--max-chunk-size", size, "-o", "-", "--threads", n)
                 for n in NUMBERS]
        assert len(set(files)) == 1
    repack = ["repack", split, "--layout", *layout, "-o"]
    files = [cpb.ok(*repack, "-", "--threads", n) for n in NUMBERS]
    assert len(set(files)) == 1
    cpb.ok(*repack, tmp_path / "out.cpb", "--threads", 3)
    assert (tmp_path / "out.cpb").read_bytes() == files[0]
    assert cpb.ok("repack", "-", "--layout", *layout, "-o", "-", "--threads", 3, input=split.read_bytes()) == files[0]
    assert cpb.ok("merge", tmp_path / "out.cpb", "-o", "-") == message
    assert parts(tmp_path) == ["in.pb", "out.cpb"]


def test_repack_of_a_damaged_file_is_the_same_error(cpb, split, tmp_path):
    data = bytearray(split.read_bytes())
    for at in range(1000, len(data), len(data) // 8):
        data[at] ^= 1
        (tmp_path / "bad.cpb").write_bytes(data)
        data[at] ^= 1
        results = [cpb.run("repack", "bad.cpb", "-o", "out.cpb", "--threads", n, cwd=tmp_path) for n in (1, 3)]
        assert results[0].returncode == 2 and results[0].stderr == results[1].stderr
        assert parts(tmp_path) == ["bad.cpb"]


@one_file
@pytest.mark.parametrize("what", ["split", "repack"])
def test_memory_limit_of_encoding_is_for_all(cpb, split, message, what, tmp_path):
    """What is enough for one thread is for any number. (Less may do, as a thread holds what its own parts take.)"""
    (tmp_path / "in.pb").write_bytes(message)
    words = ["repack", split] if what == "repack" else ["split", tmp_path / "in.pb", "--type", "tensorflow.GraphDef"]
    whole = cpb.ok(*words, "--codec", "zstd", "-o", "-")

    def works(limit, threads):
        result = cpb.run(*words, "--codec", "zstd", "-o", "-", "--memory-limit", limit, "--threads", threads)
        assert (result.returncode, result.stdout == whole) in ((0, True), (4, False)), result.stderr
        return result.returncode == 0

    low, high = 0, 1 << 26
    while high - low > 1 << 16:
        middle = (low + high) // 2
        low, high = (low, middle) if works(middle, 1) else (middle, high)
    for threads in (2, 8):
        for more in (0, 1 << 19, 1 << 21, 5 << 20, 9 << 20):
            assert works(high + more, threads)


# --- verify -----------------------------------------------------------------------


def said(cpb, file, threads, *options):
    """What verify says, as text and as JSON."""
    results = [cpb.run("verify", file, *options, *form, "--threads", threads) for form in ([], ["--json"])]
    return [(r.returncode, r.stdout, r.stderr) for r in results]


CORRUPT = sorted(path for path in (DATA / "corrupt").rglob("*") if path.is_file() and path.suffix != ".json")


def test_verify_of_corrupt_files(cpb):
    wrong = 0
    for path in CORRUPT:
        alone = said(cpb, path, 1)
        wrong += alone[0][0] != 0
        for threads in (2, 4):
            assert said(cpb, path, threads) == alone, path
    assert len(CORRUPT) > 10 and wrong > len(CORRUPT) // 2


def test_verify_of_damaged_parts(cpb, split, message, tmp_path):
    """Every problem in every part, and every order of them."""
    (tmp_path / "in.pb").write_bytes(message)
    whole = split.read_bytes()
    assert said(cpb, split, 1) == said(cpb, split, 4)
    steps = [range(700, len(whole), len(whole) // 7), *[[at] for at in range(90, len(whole), len(whole) // 11)]]
    for places in steps:
        data = bytearray(whole)
        for at in places:
            data[at] ^= 4
        (tmp_path / "bad.cpb").write_bytes(data)
        alone = said(cpb, tmp_path / "bad.cpb", 1, "--against", tmp_path / "in.pb")
        assert alone[0][0] == 2
        assert said(cpb, tmp_path / "bad.cpb", 3, "--against", tmp_path / "in.pb") == alone


@each
def test_verify_against_a_file(cpb, split, message, threads, tmp_path):
    """The first difference, whichever thread comes upon it first, also at the ends."""
    changed = bytearray(message)
    changed[len(message) // 3] ^= 1
    changed[len(message) - 5] ^= 1
    cases = {"same": message, "changed": changed, "longer": message + b"x", "shorter": message[:-1]}
    for name, data in cases.items():
        (tmp_path / name).write_bytes(data)
        result = cpb.run("verify", split, "--against", tmp_path / name, "--threads", threads)
        at = {"changed": len(message) // 3, "longer": len(message), "shorter": len(message) - 1}.get(name)
        assert result.returncode == (0 if at is None else 2)
        assert at is None or b"from byte %d on" % at in result.stderr
    result = cpb.run("verify", split, "--against", tmp_path / "none", "--threads", threads)
    assert result.returncode == 3 and b"none: No such file" in result.stderr
    assert cpb.ok("verify", "-", "--threads", threads, input=split.read_bytes()).startswith(b"standard input: OK")


@one_file
def test_verify_limits_are_those_of_one_thread(cpb, split):
    """The limit counts for the whole file, of which each thread reads only some."""
    outcomes = set()
    for most in range(4, 140, 8):
        limit = ["--limit", f"entries={most}", "--limit", "entries_per_byte=1"]
        alone = said(cpb, split, 1, "--limit", f"decoded={most << 18}", "--limit", "decoded_per_byte=1")
        assert said(cpb, split, 4, "--limit", f"decoded={most << 18}", "--limit", "decoded_per_byte=1") == alone
        assert said(cpb, split, 4, *limit) == said(cpb, split, 1, *limit)
        outcomes.add(alone[0][0])
    assert len(outcomes) > 1


@pytest.mark.parametrize("value", ["-1", "two", ""])
def test_no_number(cpb, value):
    result = cpb.run("merge", "x", "-o", "-", f"--threads={value}")
    assert result.returncode == 1 and b"--threads" in result.stderr


@each
def test_small_messages(cpb, threads):
    folder = DATA / "cpb" / "graph_mixed-large"
    assert cpb.ok("merge", folder / "max5000_brotli.cpb", "-o", "-", "--threads", threads) == \
        cpb.ok("merge", folder / "max5000_brotli.cpb", "-o", "-")
