"""A tape is all that a host does with a module, call by call, and what comes of it.
What is in it: README.md beside this."""

import ctypes
import pathlib
import struct
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "build" / "tools" / "wasmtime")]

import wasmtime  # noqa: E402
from wasmtime import _bindings as wasmtime_c  # noqa: E402

PAGE = 65536
KINDS = {"i32": "i", "i64": "I"}
WORD = {"i": 0xFFFFFFFF, "I": 0xFFFFFFFFFFFFFFFF}


def signature(kind):
    """Of a function: the kind of its result, then those of its parameters."""
    return "".join(KINDS[str(value)] for value in kind.results) or "v", "".join(KINDS[str(p)] for p in kind.params)


class Tape:
    """Records into a file what is done with instances of a module in Wasmtime."""

    def __init__(self, path, wasm):
        self.file = open(path, "wb")
        self.engine = wasmtime.Engine()
        self.module = wasmtime.Module.from_file(self.engine, str(wasm))
        functions = [e for e in self.module.exports if isinstance(e.type, wasmtime.FuncType)]
        self.functions = {e.name: (i, *signature(e.type)) for i, e in enumerate(functions)}
        self.file.write(b"cpbtape1" + bytes([len(functions)]))
        for name, (_, result, parameters) in self.functions.items():
            for text in (name, result + parameters):
                self.file.write(bytes([len(text)]) + text.encode())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()


class Function:
    """An exported function: ten times as fast to call as wasmtime.Func."""

    def __init__(self, function, store, result, parameters):
        self.function, self.context = ctypes.byref(function._func), store._context()
        self.fields = ["i32" if kind == "i" else "i64" for kind in parameters]
        self.result = {"i": "i32", "I": "i64"}.get(result)
        self.values = (wasmtime_c.wasmtime_val_raw_t * max(len(parameters), 1))()
        self.trap = ctypes.POINTER(wasmtime_c.wasm_trap_t)()

    def __call__(self, arguments):
        for place, field, value in zip(self.values, self.fields, arguments, strict=True):
            setattr(place, field, value)
        failed = wasmtime_c.wasmtime_func_call_unchecked(
            self.context, self.function, self.values, len(self.values), ctypes.byref(self.trap))
        if failed or self.trap:
            raise RuntimeError("a trap")
        return getattr(self.values[0], self.result) if self.result else None


class Instance:
    """An instance whose memory may have so many pages."""

    def __init__(self, tape, pages):
        self.tape, self.put = tape, tape.file.write
        self.store = wasmtime.Store(tape.engine)
        self.exports = wasmtime.Instance(self.store, tape.module, []).exports(self.store)
        self.memory = self.exports["memory"]
        self.functions = {name: Function(self.exports[name], self.store, result, parameters)
                          for name, (_, result, parameters) in tape.functions.items()}
        self.put(b"N")
        self.call("cpb_memory_limit", pages)

    def call(self, name, *arguments):
        number, result, parameters = self.tape.functions[name]
        got = self.functions[name](arguments)
        words = [value & WORD[kind] for value, kind in zip(arguments, parameters, strict=True)]
        if result != "v":
            got &= WORD[result]
            words.append(got)
        self.put(struct.pack(f"<cB{len(words)}Q", b"C", number, *words))
        return got

    def write(self, at, data):
        self.memory.write(self.store, data, at)
        self.put(struct.pack("<cII", b"W", at, len(data)) + data)

    def read(self, at, size):
        data = ctypes.string_at(ctypes.addressof(self.memory.data_ptr(self.store).contents) + at, size)
        self.put(struct.pack("<cII", b"R", at, size) + data)
        return data

    def unpack(self, form, at):
        return struct.unpack(form, self.read(at, struct.calcsize(form)))

    def pages(self):
        """That its memory has as many elsewhere."""
        have = self.memory.size(self.store)
        self.put(struct.pack("<cI", b"P", have))
        return have

    def heap_base(self):
        return self.exports["__heap_base"].value(self.store)
