"""Reads chunks of a .cpb file with cpb-core.wasm in wasmtime, in a fixed memory.

    python cpb_pager.py cpb-core.wasm MODEL.cpb CHUNK [PAGES] > chunk

PAGES is how many pages of 64 KiB the module's whole memory may have; 4 by default. More are faster,
as less has to be asked for more than once: 64 take a ninth of the time of 4.
MODEL.cpb may also be a URL, of which only ranges are read.
"""

import functools
import http.client
import os
import struct
import sys
import urllib.parse

import wasmtime

PAGE = 65536
DONE, NEED, DATA = 0, 1, 3  # cpb_step
NEED_SIZE = 2  # cpb_need_kind


ENGINE = wasmtime.Engine()


@functools.cache
def load(wasm):
    return wasmtime.Module.from_file(ENGINE, wasm)


class CpbError(Exception):
    def __init__(self, code, offset, message):
        super().__init__(message)
        self.code, self.offset = code, offset


class Pager:
    """The chunks of an open file. A module's memory never exceeds `pages`."""

    def __init__(self, wasm, file, pages=4, memory=None, verify=0):
        module = load(wasm)
        self.store = wasmtime.Store(ENGINE)
        self.store.set_limits(memory_size=pages * PAGE)
        self.exports = wasmtime.Instance(self.store, module, []).exports(self.store)
        self.memory = self.exports["memory"]
        self.file = file
        self.size = file.seek(0, os.SEEK_END)
        free = pages * PAGE - self.heap_base()
        self.begin(memory or free - 4096, verify)

    def call(self, name, *arguments):
        return self.exports[name](self.store, *arguments)

    def heap_base(self):
        return self.exports["__heap_base"].value(self.store)

    def read_memory(self, at, size):
        at &= 0xFFFFFFFF
        return self.memory.read(self.store, at, at + size)

    def unpack(self, form, at):
        return struct.unpack(form, self.read_memory(at, struct.calcsize(form)))

    def begin(self, memory, verify):
        """Makes the pager and opens the file."""
        self.read_size = max(memory // 16, 256)
        options = self.allocate(20)
        self.memory.write(self.store, struct.pack("<5I", 20, verify, memory, 0, 0), options)
        self.pager = self.call("cpb_pager_new", 0, options)
        self.call("free", options)
        if self.pager == 0:
            raise CpbError(2, None, "out of memory")
        self.need, self.window = self.allocate(32), self.allocate(self.read_size)
        for _ in self.steps():
            pass

    def allocate(self, size):
        at = self.call("malloc", size)
        if at == 0:
            raise CpbError(2, None, "out of memory")
        return at

    def answer(self):
        """Lends the bytes that the pager asks for."""
        source = self.call("cpb_pager_input", self.pager)
        self.call("cpb_input_need", source, self.need)
        kind, offset, length, ahead = self.unpack("<I4xQI4xQ", self.need)
        if kind == NEED_SIZE or offset >= self.size:
            self.call("cpb_input_end", source, self.size)
            return
        self.file.seek(offset)
        length = min(length, self.read_size)
        data = self.file.read(length, ahead) if isinstance(self.file, Url) else self.file.read(length)
        self.memory.write(self.store, data, self.window & 0xFFFFFFFF)
        self.call("cpb_input_supply", source, offset, self.window, len(data))

    def steps(self):
        """Yields what the pager gives until it is done."""
        while (step := self.call("cpb_pager_step", self.pager)) != DONE:
            if step == NEED:
                self.answer()
            elif step == DATA:
                data = self.call("cpb_pager_data", self.pager, self.need)
                yield bytes(self.read_memory(data, self.unpack("<I", self.need)[0]))
            else:
                raise self.error()

    def error(self):
        code, offset, message = self.unpack("<I4xQ256s", self.call("cpb_pager_error", self.pager))
        return CpbError(code, offset, message.split(b"\0")[0].decode())

    def __len__(self):
        return self.call("cpb_pager_num_chunks", self.pager)

    def read(self, chunk, offset=0, length=2**63 - 1):
        """Yields the bytes [offset, offset + length) of a chunk in pieces."""
        code = self.call("cpb_pager_read", self.pager, chunk, offset, length)
        if code != 0:
            raise CpbError(code, None, f"chunk {chunk} cannot be read")
        yield from self.steps()


class Url:
    """As much of a file as a Pager needs, by HTTP ranges. A response is read as its bytes are asked
    for, and given up when others are."""

    SKIP = 65536  # bytes left of a response that are read, rather than to connect again

    def __init__(self, url):
        parts = urllib.parse.urlsplit(url)
        kinds = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}
        self.connection = kinds[parts.scheme](parts.netloc)
        self.target = urllib.parse.urlunsplit(("", "", parts.path, parts.query, ""))
        self.etag, self.response = None, None
        self.at = self.begin = self.end = 0  # where to read next; what is left of the response
        self.size = 1
        self.read(1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def seek(self, at, whence=os.SEEK_SET):
        self.at = at + (self.size if whence == os.SEEK_END else 0)
        return self.at

    def read(self, size, ahead=0):
        """Up to `size` bytes; `ahead` is how many from there on will probably be asked for."""
        size = min(size, self.size - self.at)
        if self.begin != self.at or self.begin == self.end:
            self.request(min(max(size, ahead), self.size - self.at))
        data = self.response.read(min(size, self.end - self.begin))
        if not data:
            raise CpbError(9, self.at, "the response ends too early")
        self.begin += len(data)
        self.at += len(data)
        return data

    def request(self, size):
        """The range and no other, of the file that was opened."""
        if self.end - self.begin > self.SKIP:
            self.connection.close()
        elif self.response:
            self.response.read()
        wanted = f"bytes {self.at}-{self.at + size - 1}/"
        self.connection.request("GET", self.target, headers={"Range": wanted[:-1].replace(" ", "=")})
        self.response = self.connection.getresponse()
        got, etag = self.response.getheader("Content-Range", ""), self.response.getheader("ETag")
        if self.response.status != 206 or not got.startswith(wanted) or self.etag not in (None, etag):
            self.connection.close()  # without the body, which may be the whole file
            raise CpbError(9, self.at, f"HTTP {self.response.status}: not the range that was asked for")
        self.size, self.etag = int(got.split("/")[1]), etag
        self.begin, self.end = self.at, self.at + size


def main(wasm, path, chunk, pages="4"):
    with Url(path) if "://" in path else open(path, "rb") as file:
        for piece in Pager(wasm, file, int(pages)).read(int(chunk)):
            sys.stdout.buffer.write(piece)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except CpbError as error:
        sys.exit(f"{sys.argv[2]}: {error}")
