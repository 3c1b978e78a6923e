"""The SameDiff test files, and how the tests ask about one."""

import atexit
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DATA = pathlib.Path(os.environ.get("CPB_CORPUS", ROOT / "tests" / "data"))
ASK = os.environ.get("CPB_ASK", str(ROOT / "build" / "tests" / "model" / "ask")).split()

ITEM = {"BOOL": 1, "INT8": 1, "UINT8": 1, "HALF": 2, "BFLOAT16": 2, "INT16": 2, "UINT16": 2, "FLOAT": 4,
        "INT32": 4, "UINT32": 4, "DOUBLE": 8, "INT64": 8, "UINT64": 8}


def unpacked():
    if (DATA / "samediff").is_dir():
        return DATA / "samediff"
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    with tarfile.open(DATA / "samediff.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    return pathlib.Path(folder, "samediff")


FOLDER = unpacked()


def files():
    for case in json.loads((FOLDER / "manifest.json").read_text())["files"]:
        yield dict(case, truth=json.loads((FOLDER / case["truth"]).read_text()))


FILES = list(files())


class SameDiffError(Exception):
    def __init__(self, text):
        super().__init__(text)
        self.code = text.split()[0]


class Model:
    """Asks in a process of its own each time; `piece` is how much input it gets at once."""

    def __init__(self, name, piece=None):
        self.path = FOLDER / name
        self.environment = dict(os.environ, **({"PIECE": str(piece)} if piece else {}))

    def run(self, *arguments):
        command = [*ASK, str(self.path), *("" if a is None else str(a) for a in arguments)]
        result = subprocess.run(command, capture_output=True, timeout=60, env=self.environment)
        if result.returncode == 2:
            raise SameDiffError(result.stderr.decode())
        assert result.returncode == 0, result.stderr.decode()
        return result.stdout

    def ask(self, question, name=None, scope=None, first=0, count=1 << 40):
        return json.loads(self.run(question, name, scope, first, count))

    def values(self, name, tag=None, state=0):
        head, _, values = self.run("values", name, tag, state).partition(b"\n")
        info = json.loads(head)
        assert info["size"] == len(values)
        return info, values


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
    """The stored one, or that of the array."""
    if variable["stored_shape"] is None and variable["array"]:
        return variable["array"]["shape"]
    return variable["stored_shape"]
