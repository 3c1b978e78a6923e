"""--for-memory: what is written fits into a device, `info` says so, and nothing else changes."""

import json
import random

import pytest

from support.wire import field, varint

KIB = 1024


def node(i, content):
    tensor = varint(1 << 3) + varint(7) + field(4, content)
    return field(1, b"n%d" % i) + field(2, b"Const") + field(5, field(1, b"value") + field(2, field(8, tensor)))


@pytest.fixture(scope="module")
def constants():
    """Text that compresses, and noise that does not."""
    chance = random.Random(5)
    words = [chance.randbytes(6).hex().encode() for _ in range(300)]
    texts = [b" ".join(chance.choices(words, k=40000)) for _ in range(3)]
    return b"".join(field(1, node(i, c)) for i, c in enumerate([*texts, chance.randbytes(300000)]))


@pytest.fixture
def message(tmp_path, constants):
    path = tmp_path / "graph.pb"
    path.write_bytes(constants)
    return path


def split(cpb, message, *options):
    out = message.with_suffix(".cpb")
    cpb.ok("split", message, "--type", "tensorflow.GraphDef", "-f", "-o", out, "--verify", *options)
    return out, json.loads(cpb.ok("info", out, "--json"))


def codecs(info):
    return {chunk["codec"] for chunk in info["chunks"] if chunk["size"] > 100000}


@pytest.mark.parametrize("kib", [16, 32, 63, 64, 96, 128, 255, 256, 300, 320, 512, 1024, 4096, 1 << 20])
def test_the_file_takes_no_more_than_was_said(cpb, message, kib):
    """Of a WebAssembly module from 256 KiB on; below, and always, of the reader in C."""
    out, info = split(cpb, message, "--for-memory", f"{kib}K")
    assert 8 * KIB <= info["core_memory"] <= kib * KIB
    assert 64 * KIB <= info["memory"] <= max(kib, 256 if kib >= 64 else 64) * KIB
    assert codecs(info) == ({"none"} if kib < 64 else {"none", "zstd"})
    assert info["metadata"]["codec"] == "none" and info["layout"] == "remote"
    assert cpb.ok("merge", out, "-o", "-") == message.read_bytes()


def test_a_larger_memory_lets_it_compress_better(cpb, message):
    sizes = [split(cpb, message, "--for-memory", m)[0].stat().st_size for m in ("63K", "64K", "96K", "255K", "256K", "1M", "8M")]
    assert sizes == sorted(sizes, reverse=True) and sizes[0] > sizes[1] > sizes[2] > sizes[4] > sizes[6]


def test_info_says_what_other_files_take(cpb, message):
    _, plain = split(cpb, message, "--codec", "none")
    _, zstd = split(cpb, message)
    _, brotli = split(cpb, message, "--layout", "compat")
    assert plain["memory"] == 64 * KIB < zstd["memory"] < brotli["memory"]
    assert "memory" in cpb.ok("info", message.with_suffix(".cpb")).decode()


def test_repack_for_a_device(cpb, message, tmp_path):
    out, _ = split(cpb, message, "--layout", "compat")
    device = tmp_path / "device.cpb"
    cpb.ok("repack", out, "-o", device, "--for-memory", "256K")
    info = json.loads(cpb.ok("info", device, "--json"))
    assert info["memory"] == 256 * KIB and codecs(info) <= {"none", "zstd"}
    assert info["metadata"]["codec"] == "none"
    assert cpb.ok("merge", device, "-o", "-") == message.read_bytes()


@pytest.mark.parametrize("options, code, said", [
    (["--for-memory", "15K"], 4, "for_memory is 15360 bytes; expected at least 16384"),
    (["--for-memory", "63K", "--codec", "zstd"], 4, "for_memory is 64512 bytes; expected at least 65536"),
    (["--for-memory", "1M", "--codec", "brotli"], 1, "Zstd or no compression"),
    (["--for-memory", "1M", "--layout", "compat"], 1, "remote"),
])
def test_impossible_options_are_refused_before_anything_is_written(cpb, message, tmp_path, options, code, said):
    done = cpb.run("split", message, "--type", "tensorflow.GraphDef", "-o", tmp_path / "x.cpb", *options)
    assert done.returncode == code and said in done.stderr.decode()
    assert not (tmp_path / "x.cpb").exists()
