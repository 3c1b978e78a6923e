"""TensorFlow checkpoints byte by byte: tables (LevelDB's format) and what lies in them."""

import struct

from support import wire

MAGIC = 0xDB4775248B80FB57


def make_table():
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return table


TABLE = make_table()


def crc32c(data, value=0):
    value ^= 0xFFFFFFFF
    for byte in data:
        value = value >> 8 ^ TABLE[(value ^ byte) & 255]
    return value ^ 0xFFFFFFFF


def masked(data):
    value = crc32c(data)
    return ((value >> 15 | value << 17) + 0xA282EAD8) & 0xFFFFFFFF


def block(entries, restart=16):
    """Entries with what their keys share with the key before, and where they do not."""
    out, restarts, last = bytearray(), [], b""
    for i, (key, value) in enumerate(entries):
        shared = 0
        if i % restart == 0:
            restarts.append(len(out))
        else:
            while shared < min(len(key), len(last)) and key[shared] == last[shared]:
                shared += 1
        out += wire.varint(shared) + wire.varint(len(key) - shared) + wire.varint(len(value)) + key[shared:] + value
        last = key
    restarts = restarts or [0]
    return bytes(out) + b"".join(struct.pack("<I", at) for at in restarts + [len(restarts)])


def snappy(data):
    """The block with literals, and with a copy where the same four bytes come again at once."""
    out, at = bytearray(wire.varint(len(data))), 0
    while at < len(data):
        if at >= 4 and data[at:at + 4] == data[at - 4:at] and at + 4 <= len(data):
            out += bytes([(4 - 1) << 2 | 2]) + struct.pack("<H", 4)
            at += 4
            continue
        size = min(60, len(data) - at)
        for n in range(1, size):
            if data[at + n:at + n + 4] == data[at + n - 4:at + n] and at + n >= 4 and at + n + 4 <= len(data):
                size = n
                break
        out += bytes([(size - 1) << 2]) + data[at:at + size]
        at += size
    return bytes(out)


def table(blocks, kind=0, pack=lambda data: data):
    """Blocks of entries, each a list of (key, value)."""
    out, index = bytearray(), []

    def add(data, kind=0):
        handle = wire.varint(len(out)) + wire.varint(len(data))
        out.extend(data + bytes([kind]))
        out.extend(struct.pack("<I", masked(out[len(out) - len(data) - 1:])))
        return handle

    for entries in blocks:
        index.append((entries[-1][0] if entries else b"\xff", add(pack(block(entries)), kind)))
    about = add(block([]))
    footer = about + add(block(index, 1))
    return bytes(out) + footer.ljust(40, b"\0") + struct.pack("<Q", MAGIC)


def header(shards=1, endianness=0, version=b"\x08\x01"):
    return b"", wire.tag(1, 0) + wire.varint(shards) + wire.tag(2, 0) + wire.varint(endianness) + wire.field(3, version)


def entry(dtype=1, shape=(), shard=0, offset=0, size=4, crc=0):
    sizes = b"".join(wire.field(2, wire.tag(1, 0) + wire.varint(n)) for n in shape)
    numbers = b"".join(wire.tag(n, 0) + wire.varint(v & 2**64 - 1) for n, v in ((1, dtype), (3, shard), (4, offset), (5, size)))
    return numbers + wire.field(2, sizes) + wire.tag(6, 5) + struct.pack("<I", crc)
