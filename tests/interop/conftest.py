"""Programs that others wrote, built once for these tests."""

import importlib.util
import os
import pathlib
import subprocess

import pytest

from support.nd4j import Nd4j
from support.once import once

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(os.environ.get("CPB_INTEROP_BUILD", HERE.parent.parent / "build" / "interop"))


@pytest.fixture(scope="session")
def tf_merger():
    """TensorFlow's Merger: run(schema, type, path) gives (bytes or None, error text)."""
    tensorflow = pathlib.Path(importlib.util.find_spec("tensorflow").submodule_search_locations[0])
    source = HERE / "tf_merger" / "tf_merger.cc"

    def build(out):
        subprocess.run(["g++", "-std=c++17", "-O1", source, f"-I{tensorflow}/include", f"-L{tensorflow}",
                        "-l:libtensorflow_framework.so.2", f"-Wl,-rpath,{tensorflow}", "-o", out], check=True)

    program = once(BUILD / "tf_merger", build, [source])

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
    target = BUILD / "cargo"
    subprocess.run(["cargo", "build", "--release", "--quiet", "--manifest-path",
                    HERE / "riegeli-rs" / "Cargo.toml", "--target-dir", target], check=True)
    return target / "release" / "riegeli-rs"


@pytest.fixture(scope="session")
def bench_records(cpb):
    """The benchmark's program, which writes a file with any option of the writer."""
    return pathlib.Path(cpb.command[0]).parent / "tests" / "bench" / "bench_records"


@pytest.fixture(scope="session")
def nd4j():
    program = Nd4j(BUILD / "nd4j")
    yield program
    program.close()
