"""What fails on purpose."""

import pathlib
import subprocess

import pytest

HERE = pathlib.Path(__file__).resolve().parent


@pytest.fixture(scope="session")
def shim(tmp_path_factory):
    out = tmp_path_factory.mktemp("shim") / "failing_calls.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", HERE / "failing_calls.c", "-o", out, "-ldl"], check=True)
    return out
