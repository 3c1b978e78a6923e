"""The package fits its types, as mypy --strict (pyproject.toml) sees them, and so do the tutorial and what a program does
with it; pyright sees the same."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import libcpb
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = """
from __future__ import annotations

import io
from typing import TYPE_CHECKING, Literal

import libcpb
from libcpb.proto_splitter import chunk_pb2
from google.protobuf.message import Message
from typing_extensions import Never, assert_type

if TYPE_CHECKING:
    from libcpb import answers

def use(message: Message) -> bytes:
    out = io.BytesIO()
    libcpb.split(b"", out, threads=2, transpose=True, limits={"held": 1})
    libcpb.repack(out.getvalue(), "out.cpb", riegeli_options="transpose")
    libcpb.merge("out.cpb", out)
    chunks, tree = libcpb.SavedModelSplitter(message).split()
    libcpb.Merger.merge(chunks, chunk_pb2.ChunkedMessage(), message)
    with libcpb.open_model("model") as model:
        return b"".join(libcpb.RecordReader(out.getvalue())) + model.kind.encode()

def known() -> int:
    with libcpb.open_model("model", kind="saved_model", max_value=3) as model:
        assert_type(model, answers.OpenedSavedModel)
        assert_type(model.ask("nodes", count="all"), answers.NodesAnswer)
        assert_type(model.kind, Literal["saved_model"])
        return model.overview()["meta_graphs"]["total"]

def narrowed() -> None:
    model = libcpb.open_model("model")
    assert_type(model, answers.AnyModel)
    print(model.ops(count=5)["ops"]["items"][0]["op"])
    print(model.overview()["meta_graphs"])  # wrong
    if model.kind == "onnx":
        assert_type(model, answers.OpenedOnnx)
        assert_type(model.overview(), answers.OnnxOverview)
        assert_type(model.signature("serve"), Never)

def any_model(model: libcpb.Model) -> None:
    assert_type(model.overview(), answers.AnyOverview)
    assert_type(libcpb.diff(model, "other"), answers.Differences)
    model.ask("overvue")  # wrong
    model.nodes(cuont=3)  # wrong

any_model(libcpb.open_model("model"))
libcpb.open_model("model", kind="savedmodel")  # wrong
libcpb.diff("a", "b")["equals"]  # wrong
libcpb.merge("out.cpb", 5)  # wrong
libcpb.split("in.pb", "out.cpb", threads="2")  # wrong
libcpb.RecordWriter("out", codec="lz4")  # wrong
"""


KINDS = "".join(f"""
def {kind}() -> None:
    assert_type(libcpb.open_model("model", kind="{kind}").kind, Literal["{kind}"])
""" for kind in libcpb._core.kinds if kind != "auto")
QUESTIONS = "\ndef questions(model: libcpb.Model) -> None:\n" + "".join(f'    model.ask("{name}")\n' for name in libcpb._core.questions)
PYRIGHT = shutil.which("pyright", path=f"{ROOT}/web/node_modules/.bin:{os.environ.get('PATH', '')}")


def tutorial():
    """Its examples as one program."""
    page = (ROOT / "docs/python.md").read_text()
    return "\n".join(re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S))


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """The package as it is installed, where what is built beside the sources is there, too; and programs that use it."""
    folder = tmp_path_factory.mktemp("types")
    shutil.copytree(pathlib.Path(libcpb.__file__).parent, folder / "libcpb",
                    ignore=shutil.ignore_patterns("__pycache__", "*.so", "*.html"))
    (folder / "program.py").write_text(PROGRAM + KINDS + QUESTIONS)
    (folder / "tutorial.py").write_text(tutorial())
    return folder


def check(command, folder, error):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    found = [match.groups() for line in done.stdout.splitlines() if (match := re.match(error, line.strip()))]
    wrong = [("program.py", str(n)) for n, line in enumerate(PROGRAM.splitlines(), 1) if line.endswith("# wrong")]
    assert sorted(set(found)) == wrong, done.stdout + done.stderr


def test_mypy_strict(programs):
    check([sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", "--cache-dir", programs / "cache", "libcpb",
           "program.py", "tutorial.py"], programs, r"([^:]+):(\d+): error: ")


def test_pyright(programs):
    assert PYRIGHT, "there is no pyright: `sh web/test/setup.sh npm` installs it"
    check([PYRIGHT, "--pythonpath", sys.executable, "program.py", "tutorial.py"], programs,
          rf"{re.escape(str(programs))}/([^:]+):(\d+):\d+ - error: ")
