"""Zstd frames that a decoder should refuse (RFC 8878)."""

import random

from support.compress import zstd

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
