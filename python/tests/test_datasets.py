"""Records as data sets: by number, many at a time, in parts, appended to, and in readers that go to other processes; and
the examples of docs/python.md for programs that read data sets, where these programs are installed."""

import io
import os
import pathlib
import pickle
import random
import re
import subprocess
import sys

import pytest

import libcpb

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/python.md").read_text()


@pytest.fixture(params=["none", "zstd"])
def file(request, tmp_path):
    """Records of every size: some that a batch has no room for, some each with a Riegeli chunk of its own."""
    chance = random.Random(request.param)
    records = [chance.randbytes(chance.choice([0, 1, 30, 900, 70_000])) for _ in range(900)]
    records[300] = chance.randbytes(600_000)
    path = tmp_path / "x.riegeli"
    with libcpb.RecordWriter(path, codec=request.param, chunk_size=20_000) as writer:
        writer.write_all(records)
    return path, records


def test_many_records_by_several_threads(file):
    path, records = file
    chance = random.Random(1)
    numbers = [chance.randrange(-len(records), len(records)) for _ in range(700)] + [300, 300, 0, len(records) - 1]
    for source in path, path.read_bytes(), io.BytesIO(path.read_bytes()):
        with libcpb.RecordReader(source) as reader:
            assert reader.read(numbers=numbers) == [records[n] for n in numbers]
            assert reader.__getitems__(numbers[:5]) == [records[n] for n in numbers[:5]]
            assert reader.read(numbers=[]) == []
            with pytest.raises(IndexError, match=f"there is no record {len(records)}; there are {len(records)}"):
                reader.read(numbers=[*numbers, len(records), len(records) + 5])
            with pytest.raises(IndexError, match="there is no record -1;"):
                reader.read(numbers=[-len(records) - 1])


def test_an_error_in_a_thread_comes_through(file, monkeypatch):
    path, records = file
    monkeypatch.setattr("libcpb._options.threads", lambda: 4)
    monkeypatch.setattr("libcpb._records._WORTH", 0)
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    with libcpb.RecordReader(bytes(damaged)) as reader, pytest.raises(libcpb.CpbError) as caught:
        reader.read(numbers=range(len(records)))
    assert caught.value.code == "DAMAGED"


@pytest.mark.parametrize("start, end", [(0, 900), (0, 1), (1, 2), (17, 633), (299, 301), (300, None), (None, 300), (899, 5000),
                                        (900, None), (5000, 6000), (50, 20), (-100, -3), (None, -899), (30, -2000)])
def test_a_part_is_what_a_slice_would_be(file, start, end):
    path, records = file
    wanted = records[start:end]
    with libcpb.RecordReader(path, start=start, end=end) as reader:
        assert len(reader) == len(wanted)
        assert [record for record in reader] == wanted
        assert next(reader, None) is None and reader.read() is None
        assert reader[:] == wanted and reader[-3:] == wanted[-3:]
        reader.seek_last()
        assert list(iter(reader)) == wanted[-1:]
        for number in len(wanted), -len(wanted) - 1:
            with pytest.raises(IndexError):
                reader[number]
        again = pickle.loads(pickle.dumps(reader))
        assert [bytes(view) for batch in again.batches() for view in batch] == wanted
        again.close()


def test_parts_make_the_whole(file):
    path, records = file
    cuts = [0, 100, 101, 640, 900]
    found = []
    for start, end in zip(cuts, cuts[1:]):
        with libcpb.RecordReader(path, start=start, end=end) as reader:
            where = reader.position
            found += reader
            assert where is None and reader.position is None or reader.position >= 0
    assert found == records


def test_a_reader_of_a_path_is_pickled_with_its_options(tmp_path):
    with libcpb.RecordWriter(tmp_path / "x", transpose=True) as writer:
        writer.write_all([bytes.fromhex("0a0161120341646400")[:-1]] * 10)
    options = {"fields": "op", "type_name": "tensorflow.NodeDef", "start": 2, "verify": "late", "recover": True}
    with libcpb.RecordReader(tmp_path / "x", **options) as reader, pickle.loads(pickle.dumps(reader)) as again:
        assert list(again) == list(reader) == [b"\x12\x03Add"] * 8
        assert again.skipped == []
    for source in io.BytesIO(), b"":
        with libcpb.RecordReader(source) as reader, pytest.raises(TypeError, match="expected a path or URL"):
            pickle.dumps(reader)


def test_the_first_record_is_given_by_number_or_by_position():
    with pytest.raises(libcpb.CpbError, match="position and start are given"):
        libcpb.RecordReader(b"", start=1, position=64)


# --- Appending -----------------------------------------------------------------------------------------


def test_records_are_appended(tmp_path, cpb):
    path = tmp_path / "log"
    written = []
    for i in range(5):  # the first makes the file
        with libcpb.RecordWriter(path, append=True, codec=["zstd", "none", "brotli"][i % 3]) as writer:
            for k in range(3):
                record = bytes([i]) * (1 + 40_000 * k)
                with libcpb.RecordReader(path) if i else io.BytesIO() as reader:
                    assert not i or list(iter(reader)) == written[: 3 * i]
                position = writer.write(record)
                written.append(record)
        with libcpb.RecordReader(path) as reader:
            assert list(reader) == written
            assert reader.read(position) == record
    cpb.ok("records", path)


def test_an_exception_leaves_the_file_as_it_was(tmp_path):
    path = tmp_path / "log"
    with libcpb.RecordWriter(path) as writer:
        writer.write(b"a")
    before = path.read_bytes()
    with pytest.raises(ZeroDivisionError):
        with libcpb.RecordWriter(path, append=True) as writer:
            writer.write(bytes(1 << 20))
            writer.flush()
            assert path.stat().st_size > len(before)
            1 / 0
    assert path.read_bytes() == before


@pytest.mark.parametrize("damage, code", [(lambda data: b"no records" * 10, "FORMAT"), (lambda data: data[:-3], "TRUNCATED"),
                                          (lambda data: data[:30], "TRUNCATED")])
def test_nothing_is_appended_to_what_would_hide_it(tmp_path, damage, code):
    path = tmp_path / "log"
    with libcpb.RecordWriter(path) as writer:
        writer.write(b"a" * 1000)
    path.write_bytes(damage(path.read_bytes()))
    before = path.read_bytes()
    with pytest.raises(libcpb.CpbError) as caught:
        libcpb.RecordWriter(path, append=True)
    assert caught.value.code == code
    assert path.read_bytes() == before


def test_files_that_cannot_be_appended_to(tmp_path):
    with pytest.raises(libcpb.CpbError, match="append is True; expected the path of a file"):
        libcpb.RecordWriter(io.BytesIO(), append=True)
    with libcpb.RecordWriter(tmp_path / "x") as writer:
        writer.write(b"a")
    with pytest.raises(libcpb.CpbError, match="metadata is set"), libcpb.RecordWriter(tmp_path / "x", append=True, metadata=b"") as writer:
        writer.write(b"a")


# --- Programs that read data sets ------------------------------------------------------------------------


def recipes():
    """The examples under "Data sets": each with the package that it needs."""
    section = PAGE.partition("\n## Data sets\n")[2].partition("\n## ")[0]
    found = re.findall(r"<!-- needs (\S+) -->\n```\n(.*?)^```$", section, re.M | re.S)
    assert len(found) >= 6
    return found


@pytest.mark.parametrize("package, program", recipes(), ids=lambda value: value if "\n" not in value else "")
def test_recipe(package, program, tmp_path):
    """In a process of its own, as a script: workers import it again."""
    if subprocess.run([sys.executable, "-c", f"import importlib.util as u; exit(not u.find_spec({package!r}))"]).returncode:
        pytest.skip(f"needs {package}")
    with libcpb.RecordWriter(tmp_path / "events.riegeli", chunk_size=500) as writer:
        writer.write_all(b"event %d" % i for i in range(1000))
    (tmp_path / "program.py").write_text(program)
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])  # as in an environment that is active
    done = subprocess.run([sys.executable, "program.py"], cwd=tmp_path, capture_output=True, text=True, timeout=600,
                          env={**os.environ, "PATH": path})
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "1000", done.stdout + done.stderr
