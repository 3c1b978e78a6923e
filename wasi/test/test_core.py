"""cpb-cli-core.wasm: what it leaves out it says, and the rest gives what the native command gives."""

import re
import subprocess

import pytest

from runtimes import ROOT, RUNTIMES, module_path

NATIVE = [ROOT / "build" / "cpb"]
CORE = [RUNTIMES["wasmtime"].program[0], module_path("cpb-cli-core")]
LEFT_OUT = ["inspect", "extract", "cut", "convert", "tag", "diff"]
MODEL = ROOT / "tests" / "data" / "cpb" / "real_keras_export" / "max4000_zstd.cpb"


def run(program, *words):
    done = subprocess.run([*program, *words], capture_output=True)
    return done.returncode, done.stdout, done.stderr


def test_help_lists_what_there_is():
    listed = {line.split()[0] for line in run(CORE, "help")[1].decode().splitlines() if line.startswith("  ")}
    everything = {line.split()[0] for line in run(NATIVE, "help")[1].decode().splitlines() if line.startswith("  ")}
    assert everything - listed == set(LEFT_OUT)
    assert f"which does not look into models: {' '.join(LEFT_OUT)}\n" in run(CORE, "help")[1].decode()


def test_the_readme_lists_what_is_left_out():
    row = next(line for line in (ROOT / "wasi" / "README.md").read_text().splitlines() if "cpb-cli-core.wasm" in line)
    assert re.findall(r"`([a-z]+)`", row) == LEFT_OUT


@pytest.mark.parametrize("name", LEFT_OUT)
def test_omitted_fields(name):
    code, out, messages = run(CORE, name, MODEL)
    assert (code, out) == (5, b"")
    assert f"{name} looks into models, which this build leaves out; the whole command has it" in messages.decode()


@pytest.mark.parametrize("words", [
    ["info", "--json"], ["merge", "-o", "-"], ["cat", "--chunk", "1"], ["cat", "--field", "meta_graphs[0]", "--json"],
    ["verify"], ["records", "--json"], ["repack", "--codec", "brotli:11", "-o", "-"], ["recover", "-o", "-"]], ids="-".join)
def test_the_rest(words):
    name, *options = words
    assert run(CORE, name, MODEL, *options) == run(NATIVE, name, MODEL, *options)
