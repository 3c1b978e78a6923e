"""Compressed streams that no writer makes: Zstd (RFC 8878), Brotli (RFC 7932), Snappy."""

import random

from support.compress import brotli, zstd
from support.wire import varint

SIZE = 1000  # so few that the size of the literals has 10 bits


def unended():
    """A frame whose four Huffman streams each hold a symbol more than is to be taken from them, and
    the size of its content. libzstd's decoder for 64 bits, which it chooses by the processor and
    how it was built, does not see it; its others say that the frame is damaged."""
    data = bytes(min(int(letter), 255) for letter in map(random.Random(1).expovariate, [1 / 20] * SIZE))
    frame = bytearray(zstd(data, 1))
    assert frame[:5] == bytes.fromhex("28b52ffd60"), "one segment, its size in two bytes"
    literals = 5 + 2 + 3  # after the frame's header and the block's
    header = int.from_bytes(frame[literals:literals + 3], "little")
    assert header & 15 == 0b0110, "compressed literals in four streams, sizes of 10 bits"
    frame[5:7] = (SIZE - 4 - 256).to_bytes(2, "little")
    frame[literals:literals + 3] = (header - (4 << 4)).to_bytes(3, "little")
    return bytes(frame), SIZE - 4


def lenient(run, folder):
    """Whether the libzstd of a command reads such a frame. `run` runs it, as Cpb.run does."""
    from support.riegeli import compressed_chunk, file
    frame, size = unended()
    path = folder / "unended.riegeli"
    path.write_bytes(file([compressed_chunk(b"z", size, frame)]))
    result = run("records", path)
    assert result.returncode == 0 or b"Zstd: the frame is damaged" in result.stderr, result.stderr
    return result.returncode == 0


TEXT = b"hello, hello, hello, world " * 20


def _zstd_frame(descriptor, rest, *blocks):
    """Each block: whether it is the last, its type, its size, its bytes."""
    headers = ((last | kind << 1 | size << 3).to_bytes(3, "little") + data for last, kind, size, data in blocks)
    return MAGIC + bytes([descriptor]) + rest + b"".join(headers)


MAGIC = bytes.fromhex("28b52ffd")
SKIPPED = bytes.fromhex("502a4d18") + b"\3\0\0\0abc"
RAW = (1, 0, 5, b"hello")


def zstd_streams():
    """Names, streams, and how many bytes a reader expects."""
    frame, size = zstd(TEXT), len(TEXT)
    yield "whole", frame, size
    yield "a byte follows", frame + b"\0", size
    yield "a frame follows", frame + frame, size
    yield "an empty frame follows", frame + zstd(b""), size
    yield "a skippable frame follows", frame + SKIPPED, size
    yield "a skippable frame comes first", SKIPPED + frame, size
    yield "only a skippable frame", SKIPPED, 3
    yield "nothing", b"", size
    for end in (1, 4, 5, 6, len(frame) // 2, len(frame) - 1):
        yield f"cut after {end}", frame[:end], size
    yield "more than expected", frame, size - 1
    yield "less than expected", frame, size + 1
    yield "format 0.7", bytes.fromhex("27b52ffd0000400005") + b"hello" + b"\xc0\0\0", 5
    yield "a reserved bit", _zstd_frame(0x28, b"\5", RAW), 5
    yield "an unused bit", _zstd_frame(0x30, b"\5", RAW), 5
    yield "dictionary 0", _zstd_frame(0x21, b"\0\5", RAW), 5
    yield "dictionary 7", _zstd_frame(0x21, b"\7\5", RAW), 5
    yield "a wrong checksum", _zstd_frame(0x24, b"\5", RAW) + b"abcd", 5
    yield "no checksum", _zstd_frame(0x24, b"\5", RAW), 5
    yield "a size too small", _zstd_frame(0x20, b"\4", RAW), 5
    yield "a size too large", _zstd_frame(0x20, b"\6", RAW), 5
    yield "a window", _zstd_frame(0, b"\0", RAW), 5
    yield "a window of 1.75 TiB", _zstd_frame(0, b"\xff", RAW), 5
    yield "a block above the window", _zstd_frame(0, b"\0", (1, 0, 2000, bytes(2000))), 2000
    yield "a repeated byte above the window", _zstd_frame(0, b"\0", (1, 1, 2000, b"a")), 2000
    yield "a block above 128 KiB", _zstd_frame(0, b"\x50", (1, 0, 140000, bytes(140000))), 140000
    yield "a repeated byte above 128 KiB", _zstd_frame(0, b"\x50", (1, 1, 140000, b"a")), 140000
    yield "a reserved block", _zstd_frame(0x20, b"\5", (1, 3, 5, b"hello")), 5
    yield "an empty compressed block", _zstd_frame(0x20, b"\0", (1, 2, 0, b"")), 0
    yield "a compressed block of nothing", _zstd_frame(0x20, b"\0", (1, 2, 2, b"\0\0")), 0
    yield "no last block", _zstd_frame(0x20, b"\5", (0, 0, 5, b"hello")), 5
    yield "empty blocks", _zstd_frame(0x20, b"\5", (0, 0, 0, b""), (0, 0, 5, b"hello"), (1, 0, 0, b"")), 5
    yield "unended", *unended()


def brotli_streams():
    stream, size = brotli(TEXT), len(TEXT)
    yield "whole", stream, size
    yield "a byte follows", stream + b"\0", size
    yield "a stream follows", stream + stream, size
    for end in (0, 1, len(stream) // 2, len(stream) - 1):
        yield f"cut after {end}", stream[:end], size
    yield "more than expected", stream, size - 1
    yield "less than expected", stream, size + 1
    yield "nothing", b"\x06", 0
    yield "bits after the end", b"\x86", 0
    yield "invalid window", b"\x11\x06", 0
    yield "large window", b"\x11\x18\x03", 0
    yield "metadata", b"\x0c\x01\x00a\x03", 0


def snappy_streams():
    def literal(text):
        return bytes([len(text) - 1 << 2]) + text
    yield "whole", varint(5) + literal(b"hello"), 5
    yield "a byte follows", varint(5) + literal(b"hello") + b"\0", 5
    yield "a size too small", varint(4) + literal(b"hello"), 5
    yield "a size too large", varint(6) + literal(b"hello"), 5
    yield "more than expected", varint(5) + literal(b"hello"), 4
    yield "less than expected", varint(5) + literal(b"hello"), 6
    yield "a long size", b"\x85\0" + literal(b"hello"), 5
    yield "an offset of 0", varint(9) + literal(b"hello") + b"\1\0", 9
    yield "an offset too large", varint(9) + literal(b"hello") + b"\1\6", 9
    yield "an offset", varint(9) + literal(b"hello") + b"\1\5", 9
    yield "nothing", b"", 0


def files(folder):
    """Each as the only chunk of a Riegeli file."""
    from support.riegeli import compressed_chunk, file
    for codec, streams in ((b"z", zstd_streams), (b"b", brotli_streams), (b"s", snappy_streams)):
        for number, (_, stream, size) in enumerate(streams()):
            path = folder / f"{streams.__name__}_{number}.riegeli"
            path.write_bytes(file([compressed_chunk(codec, size, stream)]))
            yield path
