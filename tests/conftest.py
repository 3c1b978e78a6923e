"""What all tests in Python share: the command under test and the test data."""

import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = pathlib.Path(os.environ.get("CPB_CORPUS", ROOT / "tests" / "data"))


def check_answer(args, text):
    """Whatever is asked in a test is answered as src/model/answers says."""
    from support import answers

    question = next((str(arg) for arg in args[2:3] if not str(arg).startswith("-")), "overview")
    if question in ("weights", "tensors", "initializers", "parameters"):
        answers.check("Statistics", text)
    elif "--brief" not in args and question != "signatures":
        answers.check(f"Any{question.capitalize()}", text)


class Cpb:
    """Runs `cpb`; CPB names another command, such as one under valgrind or a runtime."""

    def __init__(self):
        self.command = os.environ.get("CPB", str(ROOT / "build" / "cpb")).split()
        subprocess.run(self.command + ["--version"], check=True, stdout=subprocess.DEVNULL)

    def run(self, *args, **kwargs):
        kwargs.setdefault("stdout", subprocess.PIPE)
        kwargs.setdefault("stderr", subprocess.PIPE)
        kwargs.setdefault("timeout", 300)
        return subprocess.run(self.command + [str(a) for a in args], **kwargs)

    def ok(self, *args, **kwargs):
        result = self.run(*args, **kwargs)
        assert result.returncode == 0, f"cpb {' '.join(map(str, args))}: {result.stderr.decode()}"
        if args[0] == "inspect" and "--json" in args:
            check_answer(args, result.stdout)
        return result.stdout

    def records(self, path, *options, **kwargs):
        """The records, the skipped regions and the last line of `cpb records --json --sha256`."""
        result = self.run("records", path, "--json", "--sha256", *options, **kwargs)
        lines = [json.loads(line) for line in result.stdout.splitlines()]
        assert lines, f"no output: {result.stderr.decode()}"
        assert "status" in lines[-1]
        records = [line for line in lines if "position" in line]
        skipped = [line["skipped"] for line in lines if "skipped" in line]
        return records, skipped, lines[-1], result


@pytest.fixture(scope="session")
def cpb():
    return Cpb()


@pytest.fixture(scope="session")
def shim(tmp_path_factory):
    """A library to preload, with which a call fails."""
    out = tmp_path_factory.mktemp("shim") / "failing_calls.so"
    source = ROOT / "tests" / "fault" / "failing_calls.c"
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", source, "-o", out, "-ldl"], check=True)
    return out


def built(path):
    """A file of the command's own build, where that has it, such as a program of tests/model."""
    own = pathlib.Path(os.environ.get("CPB", "").split(" ")[-1]).parent / path
    return own if own.exists() else ROOT / "build" / path


def open_files(process, folder):
    """Paths in /proc of what a process has open in a folder for itself alone: an output that grows."""
    found = []
    for fd in pathlib.Path(f"/proc/{process.pid}/fd").iterdir():
        try:
            if os.readlink(fd).startswith(f"{folder}/") and fd.stat().st_mode & 0o777 == 0o600:
                found.append(fd)
        except FileNotFoundError:  # closed by now
            pass
    return found


def manifest(name):
    return json.loads((DATA / name).read_text())
