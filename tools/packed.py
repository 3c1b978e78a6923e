"""Data of a module that has to be small to load, compressed: python packed.py OUT.h NAME=FILE...

FILE is a table of operators (src/model/operators/*.inc), which is packed as tables.c would have it, or Brotli's dictionary.c. OUT.h
has `static const uint8_t packed_NAME[]`, raw deflate, and `enum { unpacked_NAME }`, its size without compression."""

import json
import pathlib
import re
import sys
import zlib

ROW = re.compile(r"^OP\((.*)\)$", re.M)
DICTIONARY = re.compile(r"kBrotliDictionaryData\[\] =\s*\{([\d,\s]*)\}")
DICTIONARY_SIZE = 122784


def content(path):
    text = path.read_text()
    if path.suffix == ".inc":
        rows = (json.loads(f"[{row}]") for row in ROW.findall(text))
        return "".join(f"{name}\t{domain}\t{versions}\t{sentence}\n" for name, domain, _, versions, sentence in rows).encode()
    found = DICTIONARY.search(text)
    data = bytes(map(int, found[1].replace(",", " ").split())) if found else b""
    if len(data) != DICTIONARY_SIZE:
        sys.exit(f"{path}: {len(data)} bytes of Brotli's dictionary; expected {DICTIONARY_SIZE}")
    return data


def deflated(data):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15, 9)
    return packer.compress(data) + packer.flush()


def array(name, data):
    packed = deflated(data)
    lines = [",".join(map(str, packed[at:at + 32])) for at in range(0, len(packed), 32)]
    return f"enum {{ unpacked_{name} = {len(data)} }};\nstatic const uint8_t packed_{name}[] = {{\n" + ",\n".join(lines) + "};\n"


def main(out, *named):
    parts = [array(name, content(pathlib.Path(path))) for name, path in (word.split("=", 1) for word in named)]
    pathlib.Path(out).write_text("/* Made by tools/packed.py. */\n#include <stdint.h>\n" + "".join(parts))


if __name__ == "__main__":
    main(*sys.argv[1:])
