"""One extension for all Pythons from 3.9 on, whichever of them it was compiled by: what the newest one's headers make
works in the oldest, and the other way round."""

import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess

import pytest
from support import pythons

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "python/src").glob("*.[ch]"))
BUILD = pathlib.Path(os.environ["PYTHONPATH"].split(os.pathsep)[0]).parent
EXTENSION = "python/libcpb/_core.abi3.so"


def without_comments(text):
    return re.sub(r'("(?:\\.|[^"\\\n])*")|/\*.*?\*/|//[^\n]*', lambda found: found[1] or " ", text, flags=re.DOTALL)


def test_no_format_has_sizes():
    """"#" is another thing to each Python: an int or a Py_ssize_t, which is said by a macro, or, since 3.13, not at
    all. No other text has one."""
    for path in SOURCES:
        text = without_comments(path.read_text())
        assert not re.findall(r'"(?:\\.|[^"\\\n])*#(?:\\.|[^"\\\n])*"', text), f"{path.name}: py_text_read() is for texts"
        assert "PY_SSIZE_T_CLEAN" not in text, f"{path.name}: with it, older headers name other functions"


def calls(python, package, tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    done = subprocess.run(
        [python.program, "-X", "dev", "-W", "error", ROOT / "python/tests/calls.py", ROOT / "tests/data", folder],
        env={**os.environ, "PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"}, capture_output=True, text=True)
    shutil.rmtree(folder)
    assert done.returncode == 0, f"in Python {python}:\n{done.stderr}"
    return set(json.loads(done.stdout))


def test_the_calls_are_all_that_there_are(tmp_path):
    """Each function of the extension that takes arguments is in the table of calls."""
    text = "".join(path.read_text() for path in SOURCES)
    functions = set(re.findall(r'\{"(\w+)", [^{}]*?METH_\w+', text))
    assert len(functions) > 20
    assert calls(pythons.this(), BUILD / "python", tmp_path) == functions


# --- The extension, compiled by other headers ---------------------------------------------------------


def commands():
    """How the build compiles each source of the extension, and links it."""
    out = subprocess.run(["ninja", "-C", BUILD, "-t", "commands", EXTENSION], capture_output=True, text=True, check=True)
    lines = [line for line in out.stdout.splitlines() if "cpb_python.dir/" in line]
    return [shlex.split(line) for line in lines]


def by(python, folder):
    """The package with an extension that `python`'s headers made. Without optimization: which functions are called
    is up to the headers."""
    *compiling, linking = commands()
    linking = linking[linking.index("&&") + 1 : -2]
    folder.mkdir()

    def run(words):
        done = subprocess.run(words, cwd=BUILD, capture_output=True, text=True)
        assert done.returncode == 0, f"by the headers of Python {python}:\n{done.stderr}"

    def compile_one(words):
        at, dependencies = words.index("-isystem") + 1, words.index("-MD")
        assert pathlib.Path(words[at], "Python.h").exists() and words[dependencies + 1 : dependencies + 5 : 2] == ["-MT", "-MF"]
        words[at] = python.include
        words[dependencies:] = ["-O0", "-o", str(folder / (pathlib.Path(words[-1]).name + ".o")), *words[-2:]]
        run(words)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(compile_one, compiling))
    package = folder / "libcpb"
    shutil.copytree(ROOT / "python/libcpb", package, ignore=shutil.ignore_patterns("__pycache__"))
    objects = {word: str(folder / pathlib.Path(word).name) for word in linking if ".dir/src/" in word}
    linking[linking.index("-o") + 1] = str(package / "_core.abi3.so")
    run([objects.get(word, word) for word in linking])
    return folder


def pair():
    """Those two that differ most."""
    found = pythons.find()
    with_headers = [python for python in found if python.include]
    if len(found) < 2 or not with_headers:
        names = ", ".join(f"{python}{'' if python.include else ' without headers'}" for python in found)
        pytest.skip(f"needs two Pythons from 3.9 on, of which one has headers; there are: {names}")
    return found, with_headers


@pytest.mark.parametrize("way", ["newest headers, oldest Python", "oldest headers, newest Python"])
def test_an_extension_compiled_by_one_python_runs_in_another(way, tmp_path):
    found, with_headers = pair()
    compiler, runner = (with_headers[-1], found[0]) if way.startswith("newest") else (with_headers[0], found[-1])
    if compiler.version[:2] == runner.version[:2]:
        pytest.skip(f"only Python {compiler} has headers, and is the one to run; needs those of another")
    calls(runner, by(compiler, tmp_path / "package"), tmp_path)
