"""A tag's graph and one parameter of a SameDiff zip of 1 GB: few requests, few bytes."""

import resource
import struct
import zipfile
import zlib

import pytest

from support.samediff import FOLDER, HostModel

GIGABYTE = 1 << 30
DOUBLE, BIG_ENDIAN = 6, 1


def flat_array_head(shape):
    """What stands before the values of a FlatArray of doubles."""
    info = [len(shape), *shape, *strides_of(shape), 16384, 1, ord("c")]
    size = 8
    for n in shape:
        size *= n
    vector = struct.pack("<I", len(info)) + struct.pack(f"<{len(info)}q", *info)
    buffer_at = 36 + len(vector)
    head = struct.pack("<I6H", 16, 12, 16, 8, 12, 6, 7)
    head += struct.pack("<iHBBII", 12, 0, DOUBLE, BIG_ENDIAN, 36 - 24, buffer_at - 28) + bytes(4)
    return head + vector + struct.pack("<I", size), size


def strides_of(shape):
    strides, step = [], 1
    for n in reversed(shape):
        strides.insert(0, step)
        step *= n
    return strides


class Zip:
    """Written by hand: zeros are left out of the file, which is sparse."""

    def __init__(self, path):
        self.file = open(path, "wb")
        self.directory = b""
        self.count = 0

    def add(self, name, head, zeros=0):
        crc = zlib.crc32(head)
        block = bytes(1 << 20)
        for _ in range(zeros >> 20):
            crc = zlib.crc32(block, crc)
        crc = zlib.crc32(bytes(zeros & (1 << 20) - 1), crc)
        size, at, name = len(head) + zeros, self.file.tell(), name.encode()
        middle = struct.pack("<5H3I2H", 20, 0, 0, 0, 0, crc, size, size, len(name), 0)
        self.file.write(b"PK\3\4" + middle + name + head)
        self.file.seek(zeros, 1)
        self.directory += b"PK\1\2" + struct.pack("<H", 20) + middle + struct.pack("<3H2I", 0, 0, 0, 0, at) + name
        self.count += 1

    def close(self):
        at = self.file.tell()
        self.file.write(self.directory + b"PK\5\6" + struct.pack(
            "<4H2IH", 0, 0, self.count, self.count, len(self.directory), at, 0))
        self.file.close()


@pytest.fixture(scope="module", params=["graph first", "graph last"])
def large(tmp_path_factory, request):
    """minimal.zip with a parameter of 16 MB, and others that make it a gigabyte."""
    path = tmp_path_factory.mktemp("large") / "large.zip"
    parts = zipfile.ZipFile(FOLDER / "minimal.zip")
    out = Zip(path)
    others = [f"other{i}" for i in range(200)]
    lines = "".join(f"{n} {i}\n" for i, n in enumerate(["weights", "shared", *others[1:]]))
    graph = [("FP32/graph.fb", parts.read("FP32/graph.fb")), ("FP32/params.txt", lines.encode()),
             ("FP32/trainingConfig.fb", b'{"updater": "none"}'), ("FP32/updater.txt", b"")]
    first = request.param == "graph first"
    for name, content in [("tags.txt", b"FP32\n"), *(graph if first else [])]:
        out.add(name, content)
    head, size = flat_array_head([1 << 21])
    out.add("FP32/params/0.fb", head, size)
    for i, _ in enumerate(others):
        head, size = flat_array_head([11 << 16])
        out.add(f"FP32/params/{i + 1}.fb", head, size)
    for name, content in [] if first else graph:
        out.add(name, content)
    out.close()
    assert path.stat().st_size > GIGABYTE
    return path


@pytest.mark.parametrize("question", ["nodes", "tag"])
def test_a_graph_and_a_parameter_of_a_gigabyte(cpb, large, question):
    answer, values, requests, size = HostModel(cpb, large).ask(question, values="weights", count=100)
    operations = answer["nodes"]["items"]
    assert [o["name"] for o in operations] == ["matmul", "add"]
    assert len(values) == 8 << 21 and not values.strip(b"\0")
    assert requests <= 5
    assert size <= len(values) + (128 << 10)


def test_the_directory_tells_the_contents_of_a_gigabyte(cpb, large):
    answer, _, requests, size = HostModel(cpb, large).ask("overview")
    assert answer["tags"]["items"][0]["parameters"]["files"] == 201
    assert answer["tags"]["items"][0]["parameters"]["bytes"] > GIGABYTE
    assert requests <= 3 and size <= 64 << 10


# --- Graph files -------------------------------------------------------------------


def graphs():
    pytest.importorskip("flatbuffers")
    from support import samediff_graphs
    return samediff_graphs


def test_a_graph_file_with_large_arrays_is_not_read_for_its_outline(cpb, tmp_path):
    count, elements = 8, 2 << 20
    path = tmp_path / "large.fb"
    path.write_bytes(graphs().with_arrays(count, elements))
    answer, values, requests, size = HostModel(cpb, path).ask("constants", values="w5")
    items = answer["constants"]["items"]
    assert [(p["node"], p["array"]["bytes"]) for p in items] == [(f"w{i}", 4 * elements) for i in range(count)]
    assert values == struct.pack("<f", 5) * elements
    assert requests <= 3 * count + 5 and size <= len(values) + (1 << 20)


def computed():
    """The seconds that processes of this one computed, whatever else went on meanwhile."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def test_30000_operations_take_few_requests_and_little_time(cpb, tmp_path):
    path = tmp_path / "chain.fb"
    path.write_bytes(graphs().chain(30_000))
    before = computed()
    answer, _, requests, size = HostModel(cpb, path).ask("ops")
    assert computed() - before < 3  # a third of a second, without sanitizers
    assert {o["op"]: o["count"] for o in answer["ops"]["items"]} == {"add": 15_000, "relu": 15_000}
    assert requests <= 60 and size <= 2 * path.stat().st_size
    nodes = HostModel(cpb, path).ask("nodes", count=3)[0]["nodes"]
    assert nodes["total"] == 30_000 and nodes["items"][2]["inputs"] == ["layer/2"]
