"""The n-th read or write fails, or the process dies at it: exit code 3 and a
message, and the output is the old file whole or the new one whole."""

import errno
import os
import pathlib
import subprocess

import pytest

from conftest import DATA

HERE = pathlib.Path(__file__).resolve().parent
MODEL = DATA / "cpb" / "graph_mixed-large"

OPERATIONS = {
    "split": ["split", MODEL / "orig.pb", "--type", "tensorflow.GraphDef", "--max-chunk-size", "3000"],
    "merge": ["merge", MODEL / "max5000_brotli.cpb"],
    "repack": ["repack", MODEL / "max5000_brotli.cpb", "--layout", "remote"],
    "recover": ["recover", DATA / "corrupt" / "base_zstd.riegeli"],
}


@pytest.fixture(scope="session")
def shim(tmp_path_factory):
    out = tmp_path_factory.mktemp("shim") / "failing_io.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", HERE / "failing_io.c", "-o", out, "-ldl"], check=True)
    return out


def run(cpb, shim, tmp_path, name, kind, at, how):
    count = tmp_path / "count"
    count.unlink(missing_ok=True)
    env = dict(os.environ, LD_PRELOAD=str(shim), CPB_FAIL_KIND=kind, CPB_FAIL_AT=str(at),
               CPB_FAIL_WITH=str(how), CPB_FAIL_COUNT=str(count))
    result = cpb.run(*OPERATIONS[name], "-o", tmp_path / "out.cpb", "--force", env=env)
    return result, int(count.read_text().split()[-1]) if count.exists() else None


@pytest.mark.parametrize("how", [errno.EIO, errno.ENOSPC, "exit"])
@pytest.mark.parametrize("kind", ["read", "write"])
@pytest.mark.parametrize("name", OPERATIONS)
def test_every_call_fails_once(cpb, shim, name, kind, how, tmp_path):
    if kind == "read" and how == errno.ENOSPC:
        how = errno.EACCES
    good, calls = run(cpb, shim, tmp_path, name, kind, 10**9, "exit")
    assert good.returncode == 0, good.stderr
    assert calls > 0
    new = (tmp_path / "out.cpb").read_bytes()
    old = b"the old file"
    for at in range(calls):
        (tmp_path / "out.cpb").write_bytes(old)
        result, _ = run(cpb, shim, tmp_path, name, kind, at, how)
        now = (tmp_path / "out.cpb").read_bytes()
        if how == "exit":
            assert now in (old, new), f"call {at}"
            for left in tmp_path.glob("*out*"):
                if left.name != "out.cpb":
                    left.unlink()
            continue
        if result.returncode == 0:
            assert now == new, f"call {at}"  # a call the command can do without
        else:
            assert result.returncode == 3, (at, result.stderr)
            assert now == old, f"call {at}"
            assert os.strerror(how) in result.stderr.decode(), result.stderr
            assert sorted(p.name for p in tmp_path.iterdir()) == ["count", "out.cpb"], f"call {at} leaves files"
