"""What the tests of the component share."""

import functools
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDER = pathlib.Path(os.environ.get("CPB_WASI", ROOT / "build" / "wasi"))
CPB = os.environ.get("CPB", str(ROOT / "build" / "cpb"))
DATA = ROOT / "tests" / "data"
sys.path[:0] = [str(ROOT / "build/tools/wasmtime"), str(ROOT / "wasi/examples/python"), str(ROOT / "tests")]

from cpb_component import CpbError, Path  # noqa: E402

EXIT = {"usage": 1, "not-found": 1, "damaged": 2, "truncated": 2, "format": 2, "read": 3, "cancelled": 3,
        "memory": 4, "limit": 4, "unsupported": 5}


def run(*words):
    """What the native command puts out, or its error. With a chunk that cannot be read, info shows the rest."""
    done = subprocess.run([CPB, *map(str, words)], capture_output=True)
    if done.returncode == 0 or words[0] == "info" and done.stdout:
        return done.stdout
    said = done.stderr.decode()
    found = re.match(rf"{re.escape(str(words[1]))}: (?:byte (\d+): )?(.*)\n$", said)
    offset, text = (int(found[1]) if found[1] else None, found[2]) if found else (None, said)
    return {"error": done.returncode, "offset": offset, "text": text}


def sha(data):
    return hashlib.sha256(data).hexdigest() if isinstance(data, bytes) else data


def or_error(look):
    try:
        return look()
    except CpbError as error:
        return {"error": error.code, "offset": error.offset, "text": str(error)}


def error_of(call):
    with pytest.raises(CpbError) as caught:
        call()
    return caught.value.code, str(caught.value)


def whole(content, size=1000):
    return b"".join(content.pieces(size))


class Watched(Path):
    """A source that notes what it is asked for."""

    def __init__(self, path):
        super().__init__(path)
        self.asked = []

    def read_at(self, offset, length, ahead):
        assert 0 < length <= ahead and offset + ahead <= self.size()
        self.asked.append((offset, length))
        return super().read_at(offset, length, ahead)

    def bytes(self):
        return sum(length for _, length in self.asked)


def fail(text):
    raise OSError(text)


@functools.cache
def transpiled(wasm, folder):
    """The component as jco makes JavaScript of it."""
    subprocess.run(["node", ROOT / "wasi/component/transpile.js", wasm, folder], check=True)
    return folder / f"{pathlib.Path(wasm).stem}.js"


def through_jco(module, **questions):
    """What probe.js answers, in Node."""
    done = subprocess.run(["node", ROOT / "wasi/component/probe.js", module], check=True,
                          input=json.dumps(questions).encode(), stdout=subprocess.PIPE)
    return json.loads(done.stdout)


@pytest.fixture(scope="session")
def javascript(tmp_path_factory):
    """The component as jco makes a module of it."""
    return transpiled(str(FOLDER / "cpb-component.wasm"), tmp_path_factory.mktemp("jco"))
