"""What the tests of the Python package share with those of the command: the data and their oracles."""

import importlib.util
import os
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The package that is tested, also in processes that tests start.
sys.path.insert(0, os.environ.setdefault("PYTHONPATH", str(ROOT / "build/python")))

# Before TensorFlow, which has a libzstd of its own: the extension takes the first that is loaded.
import libcpb  # noqa: E402, F401

_spec = importlib.util.spec_from_file_location("conftest", ROOT / "tests/conftest.py")
shared = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(shared)

DATA, Cpb, manifest = shared.DATA, shared.Cpb, shared.manifest


@pytest.fixture(scope="session")
def cpb():
    return Cpb()
