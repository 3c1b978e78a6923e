"""python cpb_field.py cpb-core-field.wasm URL PATH [TYPE [json]] > field: one field of a .cpb file, of which the server
is asked for ranges. With TYPE, such as tensorflow.SavedModel, the path may have names; json: as JSON, not as bytes."""
import struct
import sys
import urllib.request

import wasmtime


def fetch(url, offset, length):
    ranged = urllib.request.Request(url, headers={"Range": f"bytes={offset}-{offset + length - 1}"})
    with urllib.request.urlopen(ranged) as answer:
        return answer.read(), int(answer.headers["Content-Range"].split("/")[1])


def field(wasm, url, path, type="", form="bytes", memory=1 << 20):
    store = wasmtime.Store()
    exports = wasmtime.Instance(store, wasmtime.Module.from_file(store.engine, wasm), []).exports(store)
    call = lambda name, *words: exports[name](store, *words)
    put = lambda data, at: exports["memory"].write(store, data, at)
    get = lambda at, size: bytes(exports["memory"].read(store, at, at + size))
    text, need, window = path.encode(), call("malloc", 36), call("malloc", memory // 16)
    put(type.encode() + b"\0", window)
    known = call("cpb_schema_find_message", call("cpb_schema_new_builtin", 0, 0), window) if type else 0
    put(struct.pack("<9I", 36, 2, memory, 0, 0, 0, 0, 0, known), need)  # 2: only what is needed, not verified
    reader = call("cpb_field_reader_new", 0, need)
    put(text, window)
    as_json = ("cpb_field_reader_read_json", reader, window, len(text), 0)
    call(*as_json if form == "json" else ("cpb_field_reader_read", reader, window, len(text), 0, 2**63 - 1))
    while (step := call("cpb_field_reader_step", reader)) > 0:
        if step == 3:  # bytes of the field
            yield get(call("cpb_field_reader_data", reader, need), struct.unpack("<I", get(need, 4))[0])
            continue
        call("cpb_input_need", source := call("cpb_field_reader_input", reader), need)
        offset, length = struct.unpack("<8xQI", get(need, 20))
        data, size = fetch(url, offset, max(length, 1))
        put(data, window)
        call("cpb_input_end", source, size)
        call("cpb_input_supply", source, offset, window, len(data))
    if step < 0:
        raise OSError(get(call("cpb_field_reader_error", reader) + 16, 256).split(b"\0")[0].decode())


if __name__ == "__main__":
    sys.stdout.buffer.writelines(field(*sys.argv[1:]))
