"""--index-pages: the same chunks and the same message, and what does not go with it."""

import json

import pytest

from conftest import DATA, manifest

CASES = manifest("cpb.manifest.json")
PAGES = 32  # of the file with two levels


def files_of(case):
    folder = DATA / "cpb" / case["case"]
    return sorted(folder.glob("*.cpb"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["case"])
def test_a_repacked_file_has_the_same_message(cpb, case, tmp_path):
    for path in files_of(case)[:3]:
        for layout in ("remote", "compat"):
            cpb.ok("repack", path, "-o", tmp_path / "p.cpb", "--force", "--index-pages", "--layout", layout)
            cpb.ok("verify", tmp_path / "p.cpb")
            assert cpb.ok("merge", tmp_path / "p.cpb", "-o", "-") == cpb.ok("merge", path, "-o", "-")
            info = json.loads(cpb.ok("info", tmp_path / "p.cpb", "--json"))
            assert info["version"]["join"] == 1 and info["metadata"]["pages"] >= 2 and "memory" not in info
            cpb.ok("repack", tmp_path / "p.cpb", "-o", tmp_path / "q.cpb", "--force", "--layout", layout)
            plain = json.loads(cpb.ok("info", tmp_path / "q.cpb", "--json"))
            assert plain["version"]["join"] == 0 and "pages" not in plain["metadata"]
            assert [c["size"] for c in plain["chunks"]] == [c["size"] for c in info["chunks"]]


def graph_of(size):
    return b"".join(b"\x0a\x0c\x0a\x06n%05d\x12\x02Op" % i for i in range(size))


def test_a_split_file_is_the_same_whatever_the_threads(cpb, tmp_path):
    (tmp_path / "g.pb").write_bytes(graph_of(3000))
    split = ["split", tmp_path / "g.pb", "--type", "tensorflow.GraphDef", "--max-chunk-size", 30, "--index-pages"]
    cpb.ok(*split, "-o", tmp_path / "one.cpb", "--threads", 1)
    cpb.ok(*split, "-o", tmp_path / "two.cpb", "--threads", 2, "--verify")
    assert (tmp_path / "one.cpb").read_bytes() == (tmp_path / "two.cpb").read_bytes()
    assert cpb.ok("merge", tmp_path / "one.cpb", "-o", "-") == graph_of(3000)
    assert b", in 4 pages" in cpb.ok("info", tmp_path / "one.cpb")


def test_commands_read_pages_on_two_levels(cpb, tmp_path):
    path = DATA / "pages" / "graph.cpb"
    message = cpb.ok("merge", path, "-o", "-")
    assert len(message) == 912 and json.loads(cpb.ok("info", path, "--json"))["metadata"]["pages"] == PAGES
    cpb.ok("verify", path)
    assert cpb.ok("cat", path, "--field", "node[7].name") == b"n0000007"
    assert cpb.ok("cat", path, "--chunk", 24)
    data = bytearray(path.read_bytes())
    data[-900] ^= 1
    (tmp_path / "damaged.cpb").write_bytes(data)
    for command in (["merge", "-o", tmp_path / "out.pb"], ["verify"]):
        assert cpb.run(command[0], tmp_path / "damaged.cpb", *command[1:]).returncode == 2
    assert not (tmp_path / "out.pb").exists()


def test_a_page_is_not_taken_for_the_index(cpb, tmp_path):
    """The file is cut off after each of its records: the last one may then be a page of nodes, which parses as an
    index."""
    data = (DATA / "pages" / "graph.cpb").read_bytes()
    records, _, _, _ = cpb.records(DATA / "pages" / "graph.cpb")
    refused = 0
    for number in range(1, len(records)):
        (tmp_path / "cut.cpb").write_bytes(data[:records[number]["chunk_begin"]])
        for command in (["repack", "-o", tmp_path / "r.cpb"], ["info"], ["cat", "--chunk", 0], ["verify"]):
            result = cpb.run(command[0], tmp_path / "cut.cpb", *command[1:])
            assert result.returncode == 2 and not (tmp_path / "r.cpb").exists()
        refused += b"chunk_index of chunked field " in result.stderr
        result = cpb.run("recover", tmp_path / "cut.cpb", "-o", tmp_path / "got.cpb", "--force")
        assert result.returncode == 2 and b"the index is lost" in result.stderr
        got, _, _, _ = cpb.records(tmp_path / "got.cpb")
        assert [r["sha256"] for r in got] == [r["sha256"] for r in records[:number]]
    assert refused > 5


def test_a_device_reads_no_pages(cpb, tmp_path):
    (tmp_path / "g.pb").write_bytes(graph_of(3))
    result = cpb.run("split", tmp_path / "g.pb", "--type", "tensorflow.GraphDef", "-o", tmp_path / "x.cpb",
                     "--index-pages", "--for-memory", "256K")
    assert result.returncode == 1 and b"no transposing, and no pages" in result.stderr


def test_one_field_is_read_by_some_pages(cpb, tmp_path):
    """The same answer as without pages; --omit shows offsets in the whole message."""
    (tmp_path / "g.pb").write_bytes(graph_of(20_000))
    split = ["split", tmp_path / "g.pb", "--type", "tensorflow.GraphDef", "--max-chunk-size", 30]
    cpb.ok(*split, "-o", tmp_path / "whole.cpb")
    cpb.ok(*split, "-o", tmp_path / "paged.cpb", "--index-pages")
    cpb.ok("repack", tmp_path / "paged.cpb", "-o", tmp_path / "again.cpb", "--index-pages", "--layout", "compat")
    for field in (["node[12345]"], ["node[19999].name"], ["node[0]", "--json"], ["node[7].op", "--json", "--omit", 1],
                  ["node[20000]"], ["node[3].absent"], ["versions"]):
        whole = cpb.run("cat", tmp_path / "whole.cpb", "--field", *field)
        for name in "paged", "again":
            result = cpb.run("cat", tmp_path / f"{name}.cpb", "--field", *field)
            assert (result.returncode, result.stdout) == (whole.returncode, whole.stdout), (name, field)
    work = cpb.run("cat", tmp_path / "paged.cpb", "--field", "node[12345]", "--work").stderr.decode()
    assert int(work.split("index=")[1].split()[0]) < 200_000
