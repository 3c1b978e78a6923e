"""One field of a .cpb file, by its path and the file's URL: python cpb_field.py cpb-core-field.wasm URL PATH > field"""
import struct
import sys
import urllib.request

import wasmtime

def fetch(url, offset, length):
    ranged = urllib.request.Request(url, headers={"Range": f"bytes={offset}-{offset + length - 1}"})
    answer = urllib.request.urlopen(ranged)
    return answer.read(), int(answer.headers["Content-Range"].split("/")[1])


def field(wasm, url, path, memory=1 << 20):
    store = wasmtime.Store()
    exports = wasmtime.Instance(store, wasmtime.Module.from_file(store.engine, wasm), []).exports(store)
    call = lambda name, *words: exports[name](store, *words)
    put = lambda data, at: exports["memory"].write(store, data, at)
    get = lambda at, size: bytes(exports["memory"].read(store, at, at + size))
    text, options, need, window = path.encode(), call("malloc", 32), call("malloc", 32), call("malloc", memory // 16)
    put(struct.pack("<8I", 32, 2, memory, 0, 0, 0, 0, 0), options)  # 2: only what is needed, not verified
    put(text, window)
    reader = call("cpb_field_reader_new", 0, options)
    call("cpb_field_reader_read", reader, window, len(text), 0, 2**63 - 1)
    while (step := call("cpb_field_reader_step", reader)) > 0:
        if step == 3:  # bytes of the field
            yield get(call("cpb_field_reader_data", reader, need), struct.unpack("<I", get(need, 4))[0])
            continue
        call("cpb_input_need", source := call("cpb_field_reader_input", reader), need)
        kind, offset, length = struct.unpack("<I4xQI", get(need, 20))
        data, size = fetch(url, 0 if kind == 2 else offset, max(length, 1))
        call("cpb_input_end", source, size)
        if kind != 2:
            put(data, window)
            call("cpb_input_supply", source, offset, window, len(data))
    if step < 0:
        raise OSError(get(call("cpb_field_reader_error", reader) + 16, 256).split(b"\0")[0].decode())

if __name__ == "__main__":
    sys.stdout.buffer.writelines(field(*sys.argv[1:]))
