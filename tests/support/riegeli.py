"""The smallest possible Riegeli writer (one uncompressed simple chunk), for
files that `cpb` itself would not write. Hashes with `highwayhash` in Python,
from the published description: slow, independent of the library."""

MASK = (1 << 64) - 1
KEY = (0x2F696C6567656952, 0x0A7364726F636572, 0x2F696C6567656952, 0x0A7364726F636572)
INIT0 = (0xDBE6D5D5FE4CCE2F, 0xA4093822299F31D0, 0x13198A2E03707344, 0x243F6A8885A308D3)
INIT1 = (0x3BD39E10CB0EF593, 0xC0ACF169B5F18A8C, 0xBE5466CF34E90C6C, 0x452821E638D01377)


def _rot32(x):
    return (x >> 32 | x << 32) & MASK


class HighwayHash:
    def __init__(self, key=KEY):
        self.mul0, self.mul1 = list(INIT0), list(INIT1)
        self.v0 = [m ^ k for m, k in zip(INIT0, key)]
        self.v1 = [m ^ _rot32(k) for m, k in zip(INIT1, key)]

    @staticmethod
    def _zipper(hi, lo):
        """The bytes of (lo, hi) in the order that the description gives."""
        b = lo.to_bytes(8, "little") + hi.to_bytes(8, "little")
        order0 = (3, 12, 2, 5, 14, 1, 15, 0)
        order1 = (11, 4, 10, 13, 9, 6, 8, 7)
        return (int.from_bytes(bytes(b[i] for i in order0), "little"),
                int.from_bytes(bytes(b[i] for i in order1), "little"))

    def _update(self, lanes):
        v0, v1, mul0, mul1 = self.v0, self.v1, self.mul0, self.mul1
        for i in range(4):
            v1[i] = (v1[i] + mul0[i] + lanes[i]) & MASK
            mul0[i] ^= ((v1[i] & 0xFFFFFFFF) * (v0[i] >> 32)) & MASK
            v0[i] = (v0[i] + mul1[i]) & MASK
            mul1[i] ^= ((v0[i] & 0xFFFFFFFF) * (v1[i] >> 32)) & MASK
        for target, source in ((v0, v1), (v1, v0)):
            for i in (0, 2):
                low, high = self._zipper(source[i + 1], source[i])
                target[i] = (target[i] + low) & MASK
                target[i + 1] = (target[i + 1] + high) & MASK

    @staticmethod
    def _lanes(packet):
        return [int.from_bytes(packet[8 * i:8 * i + 8], "little") for i in range(4)]

    def hash(self, data):
        whole = len(data) & ~31
        for at in range(0, whole, 32):
            self._update(self._lanes(data[at:at + 32]))
        rest = data[whole:]
        if rest:
            self._remainder(rest)
        for _ in range(4):
            self._update([_rot32(self.v0[i]) for i in (2, 3, 0, 1)])
        return (self.v0[0] + self.v1[0] + self.mul0[0] + self.mul1[0]) & MASK

    def _remainder(self, rest):
        n = len(rest)
        self.v0 = [(v + (n << 32) + n) & MASK for v in self.v0]
        self.v1 = [self._rotate_halves(v, n) for v in self.v1]
        packet = bytearray(32)
        aligned, tail = n & ~3, rest[n & ~3:]
        packet[:aligned] = rest[:aligned]
        if n & 16:
            packet[28:32] = rest[n - 4:n]
        elif tail:
            packet[16] = tail[0]
            packet[17] = tail[len(tail) >> 1]
            packet[18] = tail[-1]
        self._update(self._lanes(packet))

    @staticmethod
    def _rotate_halves(value, n):
        def rotate(half):
            return (half << n | half >> (32 - n)) & 0xFFFFFFFF
        return rotate(value & 0xFFFFFFFF) | rotate(value >> 32) << 32


def riegeli_hash(data):
    return HighwayHash().hash(data).to_bytes(8, "little")


def u64(value):
    return value.to_bytes(8, "little")


def write(records):
    """A file whose records share one uncompressed simple chunk, positions 64, 65, ..."""
    return file([simple_chunk(records)])


def simple_chunk(records):
    """An uncompressed chunk, to be put into a file."""
    from support.wire import varint
    sizes = b"".join(varint(len(r)) for r in records)
    values = b"".join(records)
    data = b"\0" + varint(len(sizes)) + sizes + values
    return _chunk_header(data, b"r", len(records), len(values)) + data


def zstd_chunk(records):
    """The same, compressed."""
    from support.compress import zstd
    from support.wire import varint
    sizes = b"".join(varint(len(r)) for r in records)
    values = b"".join(records)
    stored = varint(len(sizes)) + zstd(sizes)
    data = b"z" + varint(len(stored)) + stored + varint(len(values)) + zstd(values)
    return _chunk_header(data, b"r", len(records), len(values)) + data


def compressed_chunk(codec, size, compressed):
    """A chunk with one record of `size` bytes, which `compressed` is the stream of; codec: b"z", b"b" or b"s"."""
    from support.compress import brotli, zstd
    from support.wire import varint
    packed = varint(size)
    snappy = varint(len(packed)) + bytes([len(packed) - 1 << 2]) + packed
    sizes = snappy if codec == b"s" else (zstd if codec == b"z" else brotli)(packed)
    stored = varint(len(varint(size))) + sizes
    data = codec + varint(len(stored)) + stored + varint(size) + compressed
    return _chunk_header(data, b"r", 1, size) + data


def file(chunks):
    """A file of these chunks, which must all begin in its first block."""
    return _with_blocks(_chunk_header(b"", b"s", 0, 0) + b"".join(chunks))


def position(chunks, i):
    """The position of the first record of chunk `i` in such a file."""
    return 64 + sum(len(chunk) for chunk in chunks[:i])


def _chunk_header(data, kind, num_records, decoded):
    rest = u64(len(data)) + riegeli_hash(data) + kind + num_records.to_bytes(7, "little") + u64(decoded)
    return riegeli_hash(rest) + rest


def _with_blocks(stream):
    """Interrupts the stream with block headers. Chunks: the signature, and others, the last of
    which alone may go on past the first block."""
    blocks = -(-len(stream) // (65536 - 24))
    end = len(stream) + 24 * blocks
    out = bytearray()
    for i in range(blocks):
        begin = i * 65536
        previous, following = (0, 64) if i == 0 else (begin - _last_begin(stream), end - begin)
        rest = u64(previous) + u64(following)
        out += riegeli_hash(rest) + rest + stream[i * 65512:(i + 1) * 65512]
    return bytes(out)


def _last_begin(stream):
    """Where the last chunk that begins in the first block begins, in the file."""
    at = 0
    while True:
        size = 40 + int.from_bytes(stream[at + 8:at + 16], "little")
        if at + size >= len(stream):
            return at + 24
        at += size
