"""A writing command ended at any moment, by any signal, leaves the old file or the new one,
and nothing else in the folder."""

import os
import random
import signal
import subprocess
import time
import zipfile

import pytest

from conftest import DATA, ROOT, open_files

MODEL = DATA / "cpb" / "real_frozen_conv"
OBJECTS = DATA / "cpb" / "real_tf_module" / "orig.pb"
SAMEDIFF = ROOT / "tests" / "data" / "samediff_small"
MOMENTS = 100 if "CPB_TEST_ALL" in os.environ else 4
OLD = b"the old file"

COMMANDS = {
    "split": ["split", MODEL / "orig.pb", "--type", "tensorflow.GraphDef", "--max-chunk-size", "1000", "-o", "out.cpb"],
    "merge": ["merge", MODEL / "max1000_none.cpb", "-o", "out.pb"],
    "repack": ["repack", MODEL / "max1000_none.cpb", "-o", "out.cpb"],
    "recover": ["recover", DATA / "corrupt" / "base_zstd.riegeli", "-o", "out"],
    "tag": ["tag", SAMEDIFF / "parts.json", SAMEDIFF / "minimal.zip", "-o", "out.zip"],
    "cut": ["cut", OBJECTS, "root.f", "-o", "out.pb"],
    "cut, chunked": ["cut", OBJECTS, "root.f", "-o", "out.cpb"],
    "extract": ["extract", OBJECTS, "Const_1", "-o", "out.npy"],
}
SIGNALS = [signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGPIPE, signal.SIGXFSZ, signal.SIGXCPU,
           signal.SIGABRT, signal.SIGALRM, signal.SIGUSR1, signal.SIGUSR2, signal.SIGPROF, signal.SIGVTALRM,
           signal.SIGIO, signal.SIGSYS, signal.SIGTRAP]
KINDS = ["nameless", "named"]


def heed_signals():
    """Who starts tests in the background would have commands ignore some."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)


def environment(kind, shim):
    return dict(os.environ, LD_PRELOAD=str(shim), CPB_ALL_NAMED="1") if kind == "named" else None


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


class Command:
    """One that writes a file, and what becomes of it."""

    def __init__(self, cpb, words, folder, old, env=None):
        self.words = cpb.command + [str(word) for word in words]
        self.folder, self.old, self.env = folder, old, env
        begin = time.monotonic()
        self.reset()
        process = self.start()
        process.stdout.read()
        assert process.wait(60) == 0
        self.seconds = time.monotonic() - begin
        self.new = contents(folder)

    def reset(self):
        for path in self.folder.iterdir():
            path.unlink()
        for name, data in self.old.items():
            (self.folder / name).write_bytes(data)

    def start(self):
        return subprocess.Popen(self.words, cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, preexec_fn=heed_signals)

    def end(self, number, moment):
        """What is there after a signal at a moment; 1 is that of the command's own end."""
        self.reset()
        process = self.start()
        time.sleep(moment * self.seconds)
        process.send_signal(number)
        process.stdout.read()  # until its child has ended, too, which names the file
        assert process.wait(60) in (0, -number)
        return contents(self.folder)


def ends(cpb, name, folder, replace, env=None):
    words = COMMANDS[name]
    old = {words[-1]: OLD} if replace else {}
    return Command(cpb, words + ["--force"] if replace else words, folder, old, env)


@pytest.mark.parametrize("replace", [False, True], ids=["new", "replaced"])
@pytest.mark.parametrize("name", COMMANDS)
def test_kill_at_any_moment(cpb, name, replace, tmp_path):
    command = ends(cpb, name, tmp_path, replace)
    for moment in range(MOMENTS):
        assert command.end(signal.SIGKILL, random.random() * 1.2) in (command.old, command.new), moment


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", COMMANDS)
def test_signal_at_any_moment(cpb, name, kind, shim, tmp_path):
    command = ends(cpb, name, tmp_path, True, environment(kind, shim))
    numbers = (SIGNALS * MOMENTS)[:max(MOMENTS, len(SIGNALS))]
    for number in numbers:
        assert command.end(number, random.random() * 1.2) in (command.old, command.new), number


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("kind", KINDS)
def test_signal_ends_and_removes(cpb, kind, number, shim, tmp_path):
    """While the output is open, and with a name where it has one."""
    process = subprocess.Popen(cpb.command + ["recover", "-", "-o", "out"], cwd=tmp_path, stdin=subprocess.PIPE,
                               env=environment(kind, shim), preexec_fn=heed_signals)
    deadline = time.monotonic() + 60
    while not open_files(process, tmp_path):
        assert time.monotonic() < deadline
        time.sleep(0.005)
    time.sleep(0.02)
    assert list(contents(tmp_path)) == (["out.tmp-0"] if kind == "named" else [])
    process.send_signal(number)
    assert process.wait(60) == -number
    process.stdin.close()
    assert contents(tmp_path) == {}


@pytest.mark.parametrize("number", [signal.SIGKILL, *SIGNALS])
def test_end_of_adding_in_place(cpb, number, tmp_path):
    """By a signal that can be caught the zip is as it was; killed, it may be longer, and is read as before."""
    zipped = SAMEDIFF / "minimal.zip"
    names = set(zipfile.ZipFile(zipped).namelist())
    command = Command(cpb, ["tag", SAMEDIFF / "parts.json", "out.zip"], tmp_path, {"out.zip": zipped.read_bytes()})
    for _ in range(MOMENTS):
        after = command.end(number, random.random() * 1.2)
        assert list(after) == ["out.zip"]
        assert number == signal.SIGKILL or after in (command.old, command.new)
        assert names <= set(zipfile.ZipFile(tmp_path / "out.zip").namelist())
        cpb.ok("inspect", "out.zip", cwd=tmp_path)
