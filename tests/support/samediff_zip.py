"""SameDiff zips read as the proposal describes them, by Python's zipfile and flatbuffers."""

import json
import zipfile

import flatbuffers
import numpy as np
from flatbuffers import number_types as types
from flatbuffers.table import Table

NUMPY = {1: "?", 3: "f2", 5: "f4", 6: "f8", 7: "i1", 8: "i2", 9: "i4", 10: "i8", 11: "u1", 12: "u2", 13: "u4",
         14: "u8", 17: "V2", 50: None}
NAMES = {1: "BOOL", 3: "HALF", 5: "FLOAT", 6: "DOUBLE", 7: "INT8", 8: "INT16", 9: "INT32", 10: "INT64", 11: "UINT8",
         12: "UINT16", 13: "UINT32", 14: "UINT64", 17: "BFLOAT16", 50: "UTF8"}
EMPTY = 8


def root(data):
    return Table(data, flatbuffers.encode.Get(types.UOffsetTFlags.packer_type, data, 0))


def at_field(table, number):
    return table.Offset(4 + 2 * number)


def vector(table, number, flags):
    field = at_field(table, number)
    if not field:
        return None
    size = flags.bytewidth
    begin = table.Vector(field)
    assert begin % size == 0, "a vector is not aligned"
    return [table.Get(flags, begin + size * i) for i in range(table.VectorLen(field))]


def scalar(table, number, flags):
    field = at_field(table, number)
    return table.Get(flags, table.Pos + field) if field else 0


class Array:
    """A FlatArray: what its shape info says, and its values as NumPy has them."""

    def __init__(self, data):
        table = root(bytearray(data))
        info = vector(table, 0, types.Int64Flags)
        rank = info[0]
        self.shape, self.strides = info[1:1 + rank], info[1 + rank:1 + 2 * rank]
        self.extras, self.stride, order = info[1 + 2 * rank:]
        self.order, self.empty = chr(order), bool(self.extras & EMPTY)
        self.number = scalar(table, 2, types.Int8Flags)
        self.dtype = NAMES[self.number]
        self.byte_order = scalar(table, 3, types.Int8Flags)
        field = at_field(table, 1)
        begin = table.Vector(field) if field else 0
        self.offset = begin
        self.raw = bytes(data[begin:begin + table.VectorLen(field)]) if field else b""

    def values(self):
        """None for texts."""
        kind = NUMPY[self.number]
        if kind is None:
            return None
        size = np.dtype(kind).itemsize
        stored = np.frombuffer(self.raw, np.dtype(kind) if kind == "V2" else np.dtype(kind).newbyteorder(">"))
        if kind == "V2" and self.byte_order:
            stored = np.frombuffer(np.frombuffer(self.raw, ">u2").astype("<u2").tobytes(), "V2")
        assert len(self.raw) == size * len(stored)
        return stored.reshape(self.shape, order="F" if self.order == "f" else "C")

    def facts(self):
        return self.dtype, self.shape, self.strides, self.order, self.empty, self.extras, self.stride, self.byte_order


class Zip:
    """Names in the lists must have no spaces in them."""

    def __init__(self, path):
        self.zip = zipfile.ZipFile(path)
        self.folders = {n.split("/")[0].lower(): n.split("/")[0] for n in self.zip.namelist() if "/" in n}
        self.tags = self.text("tags.txt").splitlines()

    def text(self, name):
        return self.zip.read(name).decode() if name in self.zip.namelist() else ""

    def path(self, tag, name):
        return f"{self.folders[tag.lower()]}/{name}"

    def file(self, tag, folder, reference):
        of, _, number = reference.rpartition("/")
        return self.path(of or tag, f"{folder}/{number}.fb")

    def lines(self, tag, name):
        for line in self.text(self.path(tag, name)).splitlines():
            yield line.split(" ")

    def parameters(self, tag):
        return {name: self.file(tag, "params", first) for name, first, *kind in self.lines(tag, "params.txt")}

    def states(self, tag):
        return {name: [self.file(tag, "updater", r) for r in rest] for name, *rest in self.lines(tag, "updater.txt")}

    def array(self, file):
        return Array(self.zip.read(file))

    def training(self, tag):
        name = self.path(tag, "trainingConfig.fb")
        if name not in self.zip.namelist():
            return None
        data = self.zip.read(name)
        if data.lstrip().startswith(b"{"):
            return json.loads(data)
        table = root(bytearray(data))
        return json.loads(table.String(table.Pos + at_field(table, 7)))
