"""Programs that others wrote, for these tests."""

import pathlib
import subprocess

import pytest

from conftest import built
from interop import build
from support.nd4j import Nd4j


@pytest.fixture(scope="session")
def tf_merger():
    """TensorFlow's Merger: run(schema, type, path) gives (bytes or None, error text)."""
    program = build.tf_merger()

    def run(schema, type_name, path, out):
        result = subprocess.run([program, schema, type_name, path, out], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)
        if result.returncode != 0:
            return None, result.stderr.decode(errors="replace")
        return pathlib.Path(out).read_bytes(), ""

    return run


@pytest.fixture(scope="session")
def riegeli_rs():
    """The Rust crate `riegeli` as a command."""
    return build.riegeli_rs()


@pytest.fixture(scope="session")
def bench_records():
    """The benchmark's program, which writes a file with any option of the writer."""
    return built("tests/bench/bench_records")


@pytest.fixture(scope="session")
def nd4j():
    program = Nd4j(build.nd4j())
    yield program
    program.close()
