"""The SameDiff test files, and how the tests ask about one."""

import ast
import itertools
import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DATA = pathlib.Path(os.environ.get("CPB_CORPUS", ROOT / "tests" / "data"))
FOLDER = DATA / "samediff"

ITEM = {"BOOL": 1, "INT8": 1, "UINT8": 1, "HALF": 2, "BFLOAT16": 2, "INT16": 2, "UINT16": 2, "FLOAT": 4,
        "INT32": 4, "UINT32": 4, "DOUBLE": 8, "INT64": 8, "UINT64": 8}


def files():
    for case in json.loads((FOLDER / "manifest.json").read_text())["files"]:
        yield dict(case, truth=json.loads((FOLDER / case["truth"]).read_text()))


FILES = list(files())


NUMPY = {"|b1": "BOOL", "|i1": "INT8", "|u1": "UINT8", "<f2": "HALF", "|V2": "BFLOAT16", "<i2": "INT16",
         "<u2": "UINT16", "<f4": "FLOAT", "<i4": "INT32", "<u4": "UINT32", "<f8": "DOUBLE", "<i8": "INT64",
         "<u8": "UINT64"}


class SameDiffError(Exception):
    def __init__(self, result):
        super().__init__(result.stderr.decode())
        self.code = result.returncode


def npy(data):
    """What a .npy file says of its values, and the values."""
    assert data[:8] == b"\x93NUMPY\x01\x00"
    begin = 10 + int.from_bytes(data[8:10], "little")
    assert begin % 64 == 0 and data[begin - 1:begin] == b"\n"
    return ast.literal_eval(data[10:begin].decode()), data[begin:]


class Model:
    """What `cpb inspect` and `cpb extract` say of a file."""

    def __init__(self, cpb, name):
        self.cpb = cpb
        self.path = FOLDER / name

    def run(self, *arguments):
        result = self.cpb.run(*arguments, timeout=60)
        if result.returncode != 0:
            raise SameDiffError(result)
        return result.stdout

    def ask(self, question, name=None, scope=None, first=0, count=1 << 40):
        words = [question] + ([name] if name is not None else [])
        options = ["--scope", scope] if scope is not None else []
        answer = self.run("inspect", self.path, *words, "--json", "--first", first, "--count", count, *options)
        return json.loads(answer)

    def bytes(self, name, tag=None, state=0, *options):
        options = [*options, *(["--scope", tag] if tag is not None else []), *(["--state", state] if state else [])]
        return self.run("extract", "--quiet", *options, "--", self.path, name)

    def values(self, name, tag=None, state=0):
        head, values = npy(self.bytes(name, tag, state))
        return {"dtype": NUMPY[head["descr"]], "shape": list(head["shape"]), "fortran": head["fortran_order"]}, values


class HostModel:
    """The same answers from a host that gives pieces, or counts its requests."""

    def __init__(self, cpb, path, piece=None):
        tool = pathlib.Path(cpb.command[-1]).parent / "tests" / "model" / "ask"
        if not tool.exists():
            pytest.skip("this build has no tests")
        self.command = [tool, path]
        self.environment = dict(os.environ, **({"PIECE": str(piece)} if piece else {}))

    def ask(self, question, name="", scope="", values=None, count=1 << 40):
        """The answer, the values of an array, the number of requests and their bytes."""
        environment = dict(self.environment, **({"VALUES": values} if values else {}))
        result = subprocess.run([*self.command, question, name, scope, "0", str(count)], capture_output=True,
                                timeout=120, env=environment, check=True)
        answer, _, array = result.stdout.partition(b"\0")
        requests, size = map(int, result.stderr.split())
        return json.loads(answer), array, requests, size


def row_major(values, shape, size):
    """Column-major values in row-major order."""
    strides, step = [], size
    for n in shape:
        strides.append(step)
        step *= n
    places = itertools.product(*map(range, shape))
    offsets = (sum(i * s for i, s in zip(place, strides)) for place in places)
    return b"".join(values[at:at + size] for at in offsets)


def shape_of(variable):
    """The stored one, with None for any size, or that of the array."""
    if variable["stored_shape"] is None:
        return variable["array"] and variable["array"]["shape"]
    return [n if n >= 0 else None for n in variable["stored_shape"]]
