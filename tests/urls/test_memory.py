"""Each allocation fails while the command reads by URL: "out of memory", and nothing leaks."""

import errno
import os
import zipfile

import pytest

from conftest import DATA, ROOT
from urls.conftest import ENVIRONMENT

CASES = DATA / "cases"
GRAPH = DATA / "cpb" / "graph_mixed-large" / "max5000_brotli.cpb"
MOST = int(os.environ.get("CPB_FAULT_MOST", 10**9 if "CPB_TEST_ALL" in os.environ else 60))

OPERATIONS = {
    "ONNX": ["inspect", CASES / "a.onnx", "constants"],
    "a value of ONNX": ["extract", CASES / "a.onnx", "w", "-o", "-"],
    "a folder with checkpoints": ["inspect", f"{CASES}/tf2/", "variables"],
    "a package": ["inspect", CASES / "multi.mlpackage", "constants"],
    "an archive": ["extract", "in.zip", "w", "-o", "-"],
    "a chunked file": ["cat", GRAPH, "--field", "node[1]"],
    "merging": ["merge", GRAPH, "-o", "-"],
    "nothing": ["inspect", CASES / "none.onnx"],
    "Hugging Face": ["inspect", "hf://tests/data/cases/a.onnx", "constants"],
    "S3": ["inspect", "s3://tests/data/cases/a.onnx", "constants"],
}


@pytest.fixture(scope="module")
def archive(below):
    with zipfile.ZipFile(below / "in.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name in "a.onnx", "a.data":
            archive.write(CASES / name, name)


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_allocation_fails_once(cpb, server, archive, shim, name, tmp_path):
    def url_of(word):
        is_path = str(word).startswith(str(ROOT))
        return f"{server.base}/{os.path.relpath(word, ROOT)}{'/' * str(word).endswith('/')}" if is_path else word

    words = [f"{server.base}/-/below/in.zip" if word == "in.zip" else url_of(word) for word in OPERATIONS[name]]
    count = tmp_path / "count"

    def run(at):
        env = ENVIRONMENT | {
            "LD_PRELOAD": str(shim), "CPB_FAIL_KIND": "memory", "CPB_FAIL_AT": str(at), "CPB_FAIL_WITH": str(errno.ENOMEM),
            "CPB_FAIL_COUNT": str(count), "HF_ENDPOINT": server.base, "HF_TOKEN": "t", "AWS_ENDPOINT_URL": server.base,
            "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_REGION": "us-east-1"}  # fmt: skip
        result = cpb.run(*words, env=env, cwd=tmp_path)
        calls, *left = map(int, count.read_text().split())
        count.unlink()
        return calls, left, result

    calls, left, good = run(10**9)
    assert left == [0, 0] and (good.returncode == 0) == (name not in ("nothing", "Hugging Face")), good.stderr
    for at in range(0, calls, calls // MOST + 1):
        _, left, result = run(at)
        if (result.returncode, result.stdout) != (good.returncode, good.stdout):
            assert result.returncode == 4 and b"out of memory" in result.stderr, f"call {at} of {calls}: {result.stderr}"
        assert left == [0, 0], f"call {at} of {calls} leaks"
