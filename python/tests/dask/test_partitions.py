"""Files divided into parts: whatever the boundaries, each record is in exactly one of them, in order."""

import pickle
import random

import pytest

import libcpb
from libcpb.records import Partition, partitions


@pytest.fixture(params=["none", "zstd"])
def file(request, tmp_path):
    chance = random.Random(request.param)
    records = [chance.randbytes(chance.choice([0, 1, 10, 300, 70_000])) for _ in range(1500)]
    path = tmp_path / "x.riegeli"
    with libcpb.RecordWriter(path, codec=request.param, chunk_size=20_000) as writer:
        writer.write_all(records)
    return path, records


@pytest.mark.parametrize("n", [1, 2, 7, 100, 1000])
def test_each_record_is_in_one_part(file, n):
    path, records = file
    parts = partitions(path, n)
    assert len(parts) == n
    assert parts[0].begin == 0 and parts[-1].end == path.stat().st_size
    assert [record for part in parts for record in part.read()] == records
    assert [record for part in reversed(parts) for record in [*part.read()][::-1]] == records[::-1]


def test_parts_end_at_riegeli_chunks(file):
    path, _ = file
    with libcpb.RecordReader(path) as reader:
        chunk_of = {record: reader.location.chunk_begin for record in reader if len(record) > 10}
    chunks = [{chunk_of[record] for record in part.read() if record in chunk_of} for part in partitions(path, 9)]
    for i, mine in enumerate(chunks):
        assert not any(mine & other for other in chunks[i + 1 :])


def test_boundaries_anywhere(file):
    path, records = file
    size = path.stat().st_size
    chance = random.Random(2)
    for _ in range(20):
        cuts = [0, *sorted(chance.choices(range(size), k=5)), size]
        parts = [Partition(path, begin, end) for begin, end in zip(cuts, cuts[1:])]
        assert [record for part in parts for record in part.read()] == records, cuts


def test_damage_is_told_once(file):
    path, records = file
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    path.write_bytes(damaged)
    regions = []
    found = [record for part in partitions(path, 5) for record in part.read(recover=regions.append)]
    with libcpb.RecordReader(path, recover=True) as reader:
        assert found == [*reader]
        assert regions == reader.skipped and len(regions) == 1
    with pytest.raises(libcpb.CpbError) as caught:
        for part in partitions(path, 5):
            for _ in part.read():
                pass
    assert caught.value.code == "DAMAGED"


def test_parts_travel(file):
    path, _ = file
    part = partitions(str(path), 3)[1]
    assert pickle.loads(pickle.dumps(part)) == part


@pytest.mark.parametrize("n", [0, -1, 1.5, True, None])
def test_wrong_numbers(file, n):
    with pytest.raises(ValueError, match="expected a number of partitions"):
        partitions(file[0], n)
