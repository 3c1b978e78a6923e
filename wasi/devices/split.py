#!/usr/bin/env python3
"""split.py MODULE.wasm CODE.wasm DATA.bin: a module without its data, and these by themselves, as
wasi/devices/wamr.c reads them: the interpreter that rewrites the code then has no copy of them."""

import struct
import sys


def number(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 128:
            return value, at, shift


def segments(data):
    """Address and bytes of each; they must be of memory 0, at a constant."""
    count, at, _ = number(data, 0)
    for _ in range(count):
        if data[at] != 0 or data[at + 1] != 0x41:
            raise SystemExit(f"a data segment begins with {data[at]:#x} {data[at + 1]:#x}; expected 0x0 0x41 (i32.const)")
        where, at, shift = number(data, at + 2)
        if where >> (shift - 1):  # a signed number
            raise SystemExit("a data segment has a negative address")
        size, at, _ = number(data, at + 1)
        yield where, data[at:at + size]
        at += size


def main():
    module, code, out = sys.argv[1:]
    data = open(module, "rb").read()
    kept, moved, at = bytearray(data[:8]), bytearray(), 8
    while at < len(data):
        kind = data[at]
        size, begin, _ = number(data, at + 1)
        if kind == 11:
            for where, content in segments(data[begin:begin + size]):
                moved += struct.pack("<II", where, len(content)) + content + bytes(-len(content) % 4)
        elif kind != 12:  # how many segments there are
            kept += data[at:begin + size]
        at = begin + size
    open(code, "wb").write(kept)
    open(out, "wb").write(moved)


if __name__ == "__main__":
    main()
