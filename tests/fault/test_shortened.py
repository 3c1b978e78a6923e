"""An input that becomes shorter while a command reads it is an error, with any number of threads."""

import os
import pathlib

import pytest

from fault.test_reads import constants

LIMIT = 60  # seconds, after which a command is taken to wait for ever

# Each reads in.pb or in.cpb.
OPERATIONS = {
    "split": ["split", "in.pb", "--max-chunk-size", "20K", "-o", "out"],
    "repack": ["repack", "in.cpb", "-o", "out"],
    "merge": ["merge", "in.cpb", "-o", "out"],
    "merge in order": ["merge", "in.cpb", "-o", "-"],
    "verify": ["verify", "in.cpb"],
    "verify against a message": ["verify", "in.cpb", "--against", "whole.pb"],
    "recover": ["recover", "in.cpb", "-o", "out"],
    "info": ["info", "in.cpb"],
    "copy": ["split", "in.pb", "--max-chunk-size", "1G", "-o", "out"],
}
MOMENTS = {"verify": range(8, 20)}  # percent of the reads; records are checked by threads in these
EXPECTED = {"split": "the input has become shorter since the split was planned"}
THREADED = ("split", "repack", "merge", "merge in order", "verify", "verify against a message")
CASES = [(name, threads) for name in OPERATIONS for threads in ((1, 3) if name in THREADED else (1,))]


@pytest.fixture(scope="module")
def inputs(cpb, tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs")
    (folder / "in.pb").write_bytes(b"".join(constants(60, 50_000)))
    cpb.ok("split", "in.pb", "--type", "tensorflow.GraphDef", "--max-chunk-size", "20K", "--codec", "none", "-o",
           "in.cpb", "-q", cwd=folder)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


class Shortening:
    """A command whose input is cut off before its read number `at`."""

    def __init__(self, cpb, shim, inputs, folder):
        self.cpb, self.shim, self.inputs, self.folder = cpb, shim, inputs, folder

    def run(self, words, at):
        for path in self.folder.iterdir():
            path.unlink()
        for name, data in self.inputs.items():
            (self.folder / name).write_bytes(data)
        (self.folder / "whole.pb").write_bytes(self.inputs["in.pb"])
        env = dict(os.environ, LD_PRELOAD=str(self.shim), CPB_FAIL_KIND="read", CPB_FAIL_AT=str(at),
                   CPB_FAIL_WITH="shorten", CPB_SHORTEN=words[1], CPB_FAIL_COUNT="count")
        return self.cpb.run(*words, env=env, cwd=self.folder, timeout=LIMIT)

    def calls(self, words):
        assert self.run(words, 10**9).returncode == 0
        return int((self.folder / "count").read_text().split()[0])


@pytest.mark.parametrize("name, threads", CASES)
def test_an_input_that_becomes_shorter(cpb, shim, inputs, name, threads, tmp_path):
    by_one = [*OPERATIONS[name], *(["--threads", 1] if name in THREADED else [])]
    words = [*OPERATIONS[name], "--threads", threads] if threads > 1 else by_one
    shortening = Shortening(cpb, shim, inputs, tmp_path)
    calls = shortening.calls(by_one)  # of several threads, each time another number, up to twice as many
    for percent in MOMENTS.get(name, (10, 30, 60)):
        result = shortening.run(words, calls * percent // 100)
        message = result.stderr.decode()
        assert result.returncode == 2 and message.startswith(f"{words[1]}: "), message
        assert name not in EXPECTED or EXPECTED[name] in message
        assert not (tmp_path / "out").exists() or name == "recover"


SYSTEM = pathlib.Path("/sys/devices/system/cpu/online")  # says that it has a page, and has a few bytes


@pytest.mark.skipif(not SYSTEM.exists(), reason="there is no sysfs here")
@pytest.mark.parametrize("words", [["records"], ["info"], ["verify"], ["split", "-o", "out"]], ids=" ".join)
def test_a_file_that_has_less_than_its_size(cpb, words, tmp_path):
    result = cpb.run(words[0], SYSTEM, *words[1:], cwd=tmp_path, timeout=LIMIT)
    end = len(SYSTEM.read_bytes())
    expected = f"{SYSTEM}: byte {end}: nothing could be read here; expected more, as the file's size is 4096\n"
    assert (result.returncode, result.stderr.decode()) == (3, expected)
