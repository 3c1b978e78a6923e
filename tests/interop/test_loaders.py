"""The table of docs/tensorflow.md: which of TensorFlow's loaders opens which form of a SavedModel."""

import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
BUILT = HERE.parents[1] / "build/python"
ALL = pytest.mark.skipif(not os.environ.get("CPB_TEST_ALL"), reason="a model beyond 2 GB: with --all")


@pytest.mark.parametrize("how", [[], pytest.param(["--beyond"], marks=ALL)], ids=["below", "beyond"])
def test_openers_by_file(how):
    """In a process of its own, which loads TensorFlow's libraries once more by ctypes."""
    subprocess.run([sys.executable, HERE / "loaders.py", *how], check=True, env={**os.environ, "PYTHONPATH": str(BUILT)})
