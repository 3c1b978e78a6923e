"""Reads .cpb files with cpb-component.wasm in wasmtime.

    python cpb_component.py cpb-component.wasm MODEL.cpb [CHUNK or FIELD] > bytes

Writes a chunk, a field by its path, or the merged message. MODEL.cpb may also be a URL, of which only ranges are read, with
cpb_pager.py beside this file. What the functions do is told in wasi/component/wit/cpb.wit.
"""

import ctypes
import functools
import itertools
import json
import os
import sys

import wasmtime
from wasmtime import _ffi as ffi
from wasmtime.component import Component, Linker, ListType, Record, ResourceHost, ResourceType, Variant

SOURCE = "libcpb:cpb/source@0.1.0"
CHUNKED = "libcpb:cpb/chunked@0.1.0"
MESSAGES = "libcpb:cpb/messages@0.1.0"
RECORDS = "libcpb:cpb/records@0.1.0"
FOLDER, MODELS, SPLITS = (f"libcpb:cpb/{name}@0.1.0" for name in ("folder", "models", "splits"))  # cpb-complete.wasm
SOURCE_TYPE, FOLDER_TYPE = 1, 2  # any numbers; the host's own types differ by them
ENGINE = wasmtime.Engine()


# --- Bytes --------------------------------------------------------------------------------
# A list<u8> is an array of values that know their type. wasmtime makes and reads each by itself,
# which takes seconds for a megabyte; here they are all copied at once.

VALUE = ffi.wasmtime_component_val_t
STRIDE, KIND, BYTE = ctypes.sizeof(VALUE), VALUE.kind.offset, VALUE.of.offset
list_to_c, list_from_c = ListType.convert_to_c, ListType.convert_from_c


@functools.lru_cache(maxsize=4)
def values(count):
    kinds = bytearray(count * STRIDE)
    kinds[KIND::STRIDE] = bytes([ffi.WASMTIME_COMPONENT_U8.value]) * count
    return kinds


def bytes_to_c(self, store, data, out):
    if not isinstance(data, bytes):
        list_to_c(self, store, data, out)
        return
    made, array = ffi.wasmtime_component_vallist_t(), values(len(data))
    array[BYTE::STRIDE] = data
    ffi.wasmtime_component_vallist_new_uninit(made, len(data))
    ctypes.memmove(made.data, (ctypes.c_char * len(array)).from_buffer(array), len(array))
    out.contents.kind = ffi.WASMTIME_COMPONENT_LIST
    out.contents.of.list = made


def bytes_from_c(self, value):
    if not self._is_bytes():
        return list_from_c(self, value)
    given = value.of.list
    data = ctypes.string_at(given.data, given.size * STRIDE)[BYTE::STRIDE]
    ffi.wasmtime_component_vallist_delete(ctypes.byref(given))
    return data


ListType.convert_to_c, ListType.convert_from_c = bytes_to_c, bytes_from_c


# --- The component ------------------------------------------------------------------------

@functools.cache
def load(wasm):
    return Component.from_file(ENGINE, wasm)


class CpbError(Exception):
    def __init__(self, code, offset, message):
        super().__init__(message)
        self.code, self.offset = code, offset


def record(**fields):
    made = Record()
    for name, value in fields.items():
        setattr(made, name.replace("_", "-"), value)
    return made


class Instance:
    """The component, and the sources that it was lent: objects with `size()` and
    `read_at(offset, length, ahead)`, which may raise OSError. `memory` is the most
    bytes that it may have."""

    def __init__(self, wasm, memory=-1):
        self.store = wasmtime.Store(ENGINE)
        self.store.set_limits(memory_size=memory)
        self.sources, self.numbers = {}, itertools.count()
        linker = Linker(ENGINE)
        with linker.root() as root, root.add_instance(SOURCE) as source:
            source.add_resource("source", ResourceType.host(SOURCE_TYPE), self.dropped)
            source.add_func("[method]source.size", self.to_source("size"))
            source.add_func("[method]source.read-at", self.to_source("read_at"))
        with linker.root() as root, root.add_instance(FOLDER) as folder:
            folder.add_resource("folder", ResourceType.host(FOLDER_TYPE), self.dropped)
            folder.add_func("[method]folder.open", self.to_folder)
        self.instance = linker.instantiate(self.store, load(wasm))
        self.interfaces = {}

    def dropped(self, _, number):
        del self.sources[number]

    def to_source(self, name):
        def call(store, borrowed, *arguments):
            number = borrowed.to_host(store).rep
            try:
                return getattr(self.sources[number], name)(*arguments)
            except OSError as error:
                return str(error)  # the case `failed`; None would be `cancelled`
        return call

    def to_folder(self, store, borrowed, name):
        try:
            return Variant("ok", self.lend(self.sources[borrowed.to_host(store).rep].open(name)))
        except OSError as error:
            return Variant("err", str(error))

    def call(self, interface, name, *arguments):
        if interface not in self.interfaces:
            self.interfaces[interface] = self.instance.get_export_index(self.store, interface)
        index = self.instance.get_export_index(self.store, name, self.interfaces[interface])
        function = self.instance.get_func(self.store, index)
        answer = function(self.store, *arguments)
        function.post_return(self.store)
        failed = isinstance(answer, Record)
        if isinstance(answer, Variant):  # where either is a record
            failed, answer = answer.tag == "err", answer.payload
        if failed:
            raise CpbError(answer.code, answer.offset, answer.message)
        return answer

    def lend(self, source, kind=SOURCE_TYPE):
        if source is None:
            return None
        number = next(self.numbers)
        self.sources[number] = source
        return ResourceHost.own(number, kind).to_any(self.store)

    def open(self, source, verify="first", read_size=None):
        options = record(verify=verify, read_size=read_size)
        return File(self, self.call(CHUNKED, "[static]file.open", self.lend(source), options))

    def open_message(self, source, type_name=None, schema=None, form="guess", read_size=None):
        options = record(form=form, schema=schema, type_name=type_name, read_size=read_size)
        return Message(self, self.call(MESSAGES, "[static]message.open", self.lend(source), options))

    def open_field(self, source, path, type_name=None, schema=None, form="guess", read_size=None):
        options = record(form=form, schema=schema, type_name=type_name, read_size=read_size)
        return Field(self, self.call(MESSAGES, "open-field", self.lend(source), options, path))

    def open_records(self, source, verify="first", read_size=None, fields=None):
        options = record(verify=verify, read_size=read_size, fields=fields)
        return Records(self, self.call(RECORDS, "[static]reader.open", self.lend(source), options))

    def open_model(self, source, folder=None, name="", read_size=None):
        """`folder`: an object with `open(name)`, which gives a source or None; or None."""
        given = self.lend(source), self.lend(folder, FOLDER_TYPE)
        return Model(self, self.call(MODELS, "[static]model.open", *given, record(name=name, read_size=read_size)))

    def split(self, source, layout="remote", **options):
        names = ("type_name", "schema", "codec", "level", "max_chunk_size", "inline_max", "for_memory", "buffer",
                 "read_size")
        options = record(layout=layout, **{name: options.get(name) for name in names})
        return Content(self, self.call(SPLITS, "split", self.lend(source), options))


class Resource:
    interface = CHUNKED

    def __init__(self, instance, handle):
        self.instance, self.handle = instance, handle

    def call(self, name, *arguments):
        return self.instance.call(self.interface, f"[method]{name}", self.handle, *arguments)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.handle.drop(self.instance.store)


class Content(Resource):
    def pieces(self, size=65536):
        """Yields its bytes, `size` at once."""
        with self:
            while (piece := self.call("content.next", size)) is not None:
                yield piece


class Merged(Resource):
    def size(self):
        return self.call("merged.size")

    def read(self, offset=0, length=None):
        return Content(self.instance, self.call("merged.read", offset, length))


class File(Resource):
    def __len__(self):
        return self.call("file.num-chunks")

    def chunks(self, first=0, count=4096):
        return self.call("file.chunks", first, count)

    def read(self, chunk, offset=0, length=None):
        return Content(self.instance, self.call("file.read", chunk, offset, length))

    def merge(self, trust_sizes=False, memory=None):
        options = record(trust_sizes=trust_sizes, memory=memory)
        return Merged(self.instance, self.call("file.merge", options))


class Field(Resource):
    interface = MESSAGES

    def type_name(self):
        return self.call("field.type-name")

    def ranges(self, first=0, count=4096):
        return [(one.offset, one.size) for one in self.call("field.ranges", first, count)]

    def size(self):
        return self.call("field.size")

    def read(self, offset=0, length=None):
        return Content(self.instance, self.call("field.read", offset, length))

    def json(self, omit=None):
        return Content(self.instance, self.call("field.json", omit))


class Message(Resource):
    interface = MESSAGES

    def size(self):
        return self.call("message.size")

    def read(self, offset=0, length=None):
        return Content(self.instance, self.call("message.read", offset, length))

    def field(self, path):
        return Field(self.instance, self.call("message.field", path))


class Records(Resource):
    interface = RECORDS

    def __iter__(self):
        """Yields position, size and content of each record; a content is to be read before the next."""
        while (entry := self.call("reader.next")) is not None:
            yield entry.position, entry.size, Content(self.instance, entry.content)

    def at(self, position):
        self.call("reader.at", position)

    def number(self, number):
        self.call("reader.number", number)

    def count(self):
        return self.call("reader.count")


class Model(Resource):
    interface = MODELS

    def kind(self):
        return self.call("model.kind")

    def ask(self, question, **arguments):
        names = ("name", "scope", "to", "distance", "meta_graph", "first", "count")
        return json.loads(self.call("model.ask", question, record(**{name: arguments.get(name) for name in names})))


class Folder:
    """The files of a folder, for a model in it."""

    def __init__(self, path):
        self.path = path

    def open(self, name):
        path = os.path.join(self.path, name)
        inside = os.path.realpath(path).startswith(os.path.realpath(self.path) + os.sep)
        return Path(path) if inside and os.path.isfile(path) else None


class Path:
    """A file as a source."""

    def __init__(self, path):
        self.file = open(path, "rb")

    def size(self):
        return os.fstat(self.file.fileno()).st_size

    def read_at(self, offset, length, _ahead):
        self.file.seek(offset)
        return self.file.read(length)


class Remote:
    """A file on a server as a source."""

    def __init__(self, url):
        from cpb_pager import Url
        self.file = Url(url)

    def size(self):
        return self.file.size

    def read_at(self, offset, length, ahead):
        self.file.seek(offset)
        try:
            return self.file.read(length, ahead)
        except Exception as error:  # of the response or of the connection
            raise OSError(str(error)) from error


def main(wasm, path, what=None):
    instance, source = Instance(wasm), Remote(path) if "://" in path else Path(path)
    if what is None or what.isdigit():
        file = instance.open(source, verify="late")
        content = file.merge().read() if what is None else file.read(int(what))
    else:
        content = instance.open_field(source, what).read()
    for piece in content.pieces():
        sys.stdout.buffer.write(piece)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except CpbError as error:
        sys.exit(f"{sys.argv[2]}: {error}")
