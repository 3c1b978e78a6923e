"""The package fits its types, as mypy --strict sees them (pyproject.toml), and so does what a program
does with it."""

import pathlib
import shutil
import subprocess
import sys

import libcpb

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = """
import io

import libcpb
from libcpb.proto_splitter import chunk_pb2
from google.protobuf.message import Message

def use(message: Message) -> bytes:
    out = io.BytesIO()
    libcpb.split(b"", out, threads=2, transpose=True, limits={"held": 1})
    libcpb.repack(out.getvalue(), "out.cpb", riegeli_options="transpose")
    libcpb.merge("out.cpb", out)
    chunks, tree = libcpb.SavedModelSplitter(message).split()
    libcpb.Merger.merge(chunks, chunk_pb2.ChunkedMessage(), message)
    with libcpb.open_model("model") as model:
        return b"".join(libcpb.RecordReader(out.getvalue())) + model.kind.encode()

libcpb.merge("out.cpb", 5)  # wrong
libcpb.split("in.pb", "out.cpb", threads="2")  # wrong
libcpb.RecordWriter("out", codec="lz4")  # wrong
"""


def test_mypy_strict(tmp_path):
    # As it is installed: what is built beside the sources is there, too.
    shutil.copytree(pathlib.Path(libcpb.__file__).parent, tmp_path / "libcpb",
                    ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    (tmp_path / "program.py").write_text(PROGRAM)
    result = subprocess.run([sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", "--cache-dir",
                             tmp_path / "cache", "libcpb", "program.py"], cwd=tmp_path, capture_output=True, text=True)
    lines = [line for line in result.stdout.splitlines() if ": error: " in line]
    wrong = [n for n, line in enumerate(PROGRAM.splitlines(), 1) if line.endswith("# wrong")]
    assert [line.split(":")[:2] for line in lines] == [["program.py", str(n)] for n in wrong], result.stdout + result.stderr
