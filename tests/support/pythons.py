"""pythons.py: the Pythons of this machine that can load the extension, each a line with version and program, the
oldest first. Those with headers, as what others are compiled by, end with their folder."""

import glob
import json
import os
import pathlib
import shutil
import subprocess
import sys
from typing import NamedTuple

LEAST = (3, 9)
SCRIPT = """import json, os, sys, sysconfig
include = sysconfig.get_path("include")
print(json.dumps([sys.implementation.name, sys.version_info[:3], os.path.realpath(sys.executable), include,
                  os.path.exists(include + "/Python.h"), bool(sysconfig.get_config_var("Py_GIL_DISABLED"))]))"""


class Python(NamedTuple):
    version: tuple
    program: str
    include: "str | None"  # where Python.h is, if it is

    def __str__(self):
        return ".".join(map(str, self.version))


def _programs():
    """In PATH, where pyenv has its versions, and where GitHub's machines and containers that build wheels have them."""
    names = ["python3", *(f"python3.{minor}" for minor in range(LEAST[1], 40))]
    yield sys.executable
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        yield from (found for name in names if (found := shutil.which(name, path=folder)))
    pyenv = os.environ.get("PYENV_ROOT", str(pathlib.Path.home() / ".pyenv"))
    for pattern in (f"{pyenv}/versions/*/bin/python3", "/opt/hostedtoolcache/Python/*/*/bin/python3", "/opt/python/*/bin/python3"):
        yield from sorted(glob.glob(pattern))


def _ask(program):
    """None where a program does not start, as one of pyenv's that no version was chosen for; or is another kind of
    Python, or without the global lock, for which there is no stable interface."""
    done = subprocess.run([program, "-I", "-c", SCRIPT], capture_output=True, text=True)
    if done.returncode != 0:
        return None
    name, version, real, include, has_headers, is_free = json.loads(done.stdout)
    if name != "cpython" or tuple(version) < LEAST or is_free:
        return None
    return Python(tuple(version), real, include if has_headers else None)


def this():
    """The one that runs."""
    return Python(tuple(sys.version_info[:3]), sys.executable, None)


def find():
    """From the oldest to the newest, one of each minor version; with headers, if any of that has them."""
    best = {}
    for program in dict.fromkeys(os.path.realpath(path) for path in _programs()):
        python = _ask(program)
        if python:
            seen = best.setdefault(python.version[:2], python)
            if python.include and not seen.include:
                best[python.version[:2]] = python
    return [best[version] for version in sorted(best)]


if __name__ == "__main__":
    for python in find():
        print(python, python.program, python.include or "")
