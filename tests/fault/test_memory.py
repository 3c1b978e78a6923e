"""A message of 10 GB splits, merges and is looked into within 64 MiB. Unless all tests are
asked for it has 4.4 GB, whose sizes and offsets do not fit into 32 bits either."""

import os
import subprocess

import pytest

from support.wire import sparse_model

GIB = 1 << 30
BOUND = 64 << 10  # KiB, as the kernel counts resident memory
LONG = "CPB_TEST_ALL" in os.environ
CONSTANTS = 4 if LONG else 2
CONSTANT = 5 * GIB // 2 if LONG else 41 * GIB // 20  # more than 31 bits hold


def measured(cpb, *args, tmp_path, stdout=subprocess.DEVNULL):
    """Runs cpb; returns its peak resident memory in KiB. Through time(1): a
    child's figure would begin with that of the process that it forked from."""
    report = tmp_path / "peak"
    process = subprocess.run(["/usr/bin/time", "-q", "-f", "%M", "-o", report, *cpb.command, *map(str, args)],
                             stdout=stdout, stderr=subprocess.PIPE)
    assert process.returncode == 0, process.stderr.decode()
    return int(report.read_text())


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("large") / "model.pb"
    assert sparse_model(path, CONSTANT, CONSTANTS) > CONSTANTS * CONSTANT
    yield path
    path.unlink()


@pytest.mark.parametrize("layout", ["remote", *["compat"] * LONG])
def test_a_message_of_gigabytes(cpb, model, layout, tmp_path):
    out = tmp_path / "model.cpb"
    assert measured(cpb, "split", model, "-o", out, "--layout", layout, "--codec", "zstd", tmp_path=tmp_path) < BOUND
    read, write = os.pipe()
    compare = subprocess.Popen(["cmp", "-", model], stdin=read)
    os.close(read)
    peak = measured(cpb, "merge", out, "-o", "-", stdout=write, tmp_path=tmp_path)
    os.close(write)
    assert compare.wait() == 0
    assert peak < BOUND


def test_an_uncompressed_chunk_over_two_gigabytes(cpb, tmp_path):
    model, out = tmp_path / "model.pb", tmp_path / "model.cpb"
    sparse_model(model, CONSTANT, 1)
    assert measured(cpb, "split", model, "-o", out, "--codec", "none", tmp_path=tmp_path) < BOUND
    assert out.stat().st_size > CONSTANT
    assert measured(cpb, "info", out, "--json", tmp_path=tmp_path) < BOUND
    assert cpb.ok("cat", out, "--field", "meta_graphs[0].graph_def.node[0].name") == b"const0"
    out.unlink()


def test_many_nodes(cpb, tmp_path):
    """Three million nodes: the plan is bounded by chunks, not by nodes."""
    from support.wire import field
    node = field(1, b"some/scope/node_name") + field(2, b"Identity") + field(3, b"some/scope/other_node")
    one = field(1, node)
    count = 3_000_000
    path = tmp_path / "graph.pb"
    with open(path, "wb") as file:
        for _ in range(30):
            file.write(one * (count // 30))
    out = tmp_path / "graph.cpb"
    assert measured(cpb, "split", path, "-o", out, "--type", "tensorflow.GraphDef", tmp_path=tmp_path) < BOUND
    merged = tmp_path / "merged.pb"
    assert measured(cpb, "merge", out, "-o", merged, tmp_path=tmp_path) < BOUND
    assert subprocess.run(["cmp", path, merged]).returncode == 0


def test_a_plan_of_many_chunks(cpb, tmp_path):
    """Two chunks a node, each with an operation, a range and a patch: what a plan takes of memory for one chunk."""
    from support.wire import field
    count = 100_000
    rest = field(2, b"Const") + field(5, field(1, b"value") + field(2, field(8, field(4, bytes(40)))))
    path, out = tmp_path / "graph.pb", tmp_path / "graph.cpb"
    path.write_bytes(b"".join(field(1, field(1, b"n%07d" % i) + rest) for i in range(count)))
    cpb.ok("split", path, "-o", out, "--type", "tensorflow.GraphDef", "--codec", "none", "--max-chunk-size", "66")
    least = measured(cpb, "cat", out, "--chunk", "1", tmp_path=tmp_path)  # with the index in memory
    assert measured(cpb, "merge", out, "-o", os.devnull, tmp_path=tmp_path) - least < 100 * 2 * count >> 10
