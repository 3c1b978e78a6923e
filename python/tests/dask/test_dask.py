"""libcpb.dask on a real cluster of processes, from files and from a server that is compatible with S3."""

import io
import os
import pathlib
import random
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

import distributed
import pytest

import libcpb
import libcpb.dask

ROOT = pathlib.Path(__file__).resolve().parents[3]
DATA = ROOT / "tests" / "data"
KEYS = {"AWS_ACCESS_KEY_ID": "test-access", "AWS_SECRET_ACCESS_KEY": "test-secret"}


class Bucket:
    """A bucket of a server, put into by curl."""

    def __init__(self, url):
        self.url = url
        self.put("")

    def put(self, name, content=None):
        command = ["curl", "-sS", "--fail", "-X", "PUT", "--aws-sigv4", "aws:amz:us-east-1:s3"]
        command += ["--user", ":".join(KEYS.values()), "-H", "x-amz-content-sha256: UNSIGNED-PAYLOAD"]
        command += ["--data-binary", "@-"] if name else []
        subprocess.run([*command, f"{self.url}/bucket/{name}".rstrip("/")], input=content, check=True)


@pytest.fixture(scope="module")
def s3(tmp_path_factory):
    """The bucket of a server whose address is in the environment of this process and of the workers."""
    program = ROOT / "build" / "tools" / "versitygw"
    if not program.exists():
        pytest.skip("no versitygw: run web/test/setup.sh")
    folder = tmp_path_factory.mktemp("s3")
    for name in "buckets", "sidecar":
        (folder / name).mkdir()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {"ROOT_ACCESS_KEY_ID": KEYS["AWS_ACCESS_KEY_ID"], "ROOT_SECRET_ACCESS_KEY": KEYS["AWS_SECRET_ACCESS_KEY"]}
    server = subprocess.Popen(
        [program, "--quiet", "--port", f"127.0.0.1:{port}", "posix", "--sidecar", folder / "sidecar", folder / "buckets"],
        env=os.environ | environment,
    )
    url = f"http://127.0.0.1:{port}"
    try:
        _wait_for(url, server)
        with pytest.MonkeyPatch.context() as patch:
            for name, value in (KEYS | {"AWS_ENDPOINT_URL_S3": url}).items():
                patch.setenv(name, value)
            yield Bucket(url)
    finally:
        server.terminate()
        server.wait()


def _wait_for(url, server):
    for _ in range(200):
        assert server.poll() is None, "the server has ended"
        try:
            urllib.request.urlopen(url)
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.05)
    raise AssertionError("the server does not answer")


@pytest.fixture(scope="module")
def client(s3):
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            yield client


@pytest.fixture(scope="module")
def records(s3, tmp_path_factory):
    """Of two files in the bucket."""
    folder = tmp_path_factory.mktemp("records")
    chance = random.Random(1)
    found = [chance.randbytes(chance.choice([0, 5, 100, 5000])) for _ in range(8000)]
    for name, part in ("a.riegeli", found[:5000]), ("b.riegeli", found[5000:]):
        with libcpb.RecordWriter(folder / name, chunk_size=10_000) as writer:
            writer.write_all(part)
        s3.put(name, (folder / name).read_bytes())
    return found


SOURCES = ["s3://bucket/a.riegeli", "s3://bucket/b.riegeli"]


def test_records(client, records):
    bag = libcpb.dask.read_records(SOURCES, partition_size=500_000)
    assert bag.npartitions > 10
    assert bag.compute() == records
    assert bag.map(len).sum().compute() == sum(map(len, records))


def test_a_worker_is_killed(client, records):
    def slowly(record):  # not by its name: workers do not find this module
        time.sleep(0.0002)
        return record

    bag = libcpb.dask.read_records(SOURCES, partition_size=500_000)
    slow = client.compute(bag.map(slowly))
    workers = client.run(os.getpid)
    while not any(client.processing().values()):
        time.sleep(0.01)
    os.kill(next(iter(workers.values())), signal.SIGKILL)
    assert slow.result(timeout=60) == records


@pytest.mark.parametrize("recover", [False, True])
def test_damage(client, records, s3, recover):
    buffer = io.BytesIO()
    with libcpb.RecordWriter(buffer, chunk_size=10_000) as writer:
        writer.write_all(records)
    damaged = bytearray(buffer.getvalue())
    damaged[len(damaged) // 3] ^= 1
    s3.put("damaged.riegeli", damaged)
    bag = libcpb.dask.read_records("s3://bucket/damaged.riegeli", partition_size=500_000, recover=recover)
    if recover:
        with libcpb.RecordReader(bytes(damaged), recover=True) as reader:
            assert bag.compute() == [*reader]
    else:
        with pytest.raises(libcpb.CpbError) as caught:
            bag.compute()
        assert caught.value.code == "DAMAGED" and caught.value.offset > 0


def test_patterns_and_wrong_sources(tmp_path):
    with libcpb.RecordWriter(tmp_path / "1.riegeli") as writer:
        writer.write(b"x")
    bag = libcpb.dask.read_records(str(tmp_path / "*.riegeli"))
    assert bag.compute(scheduler="sync") == [b"x"]
    with pytest.raises(libcpb.CpbError, match="names no file"):
        libcpb.dask.read_records(str(tmp_path / "*.none"))
    with pytest.raises(libcpb.CpbError, match="none.riegeli"):
        libcpb.dask.read_records(str(tmp_path / "none.riegeli"))
    with pytest.raises(TypeError, match="expected a path or URL"):
        libcpb.dask.read_records([b"x"])
    with pytest.raises(libcpb.CpbError, match="partition_size is 0"):
        libcpb.dask.read_records(str(tmp_path / "1.riegeli"), partition_size=0)


def test_inventory(client, s3):
    keras = DATA / "cpb" / "real_keras_export"
    for name in "orig.pb", "max3000_zstd.cpb":
        s3.put(name, (keras / name).read_bytes())
    s3.put("cut.pb", (keras / "orig.pb").read_bytes()[:2000])
    s3.put("text.pb", b"no model\n")
    names = ["orig.pb", "max3000_zstd.cpb", "cut.pb", "text.pb", "none.pb"]
    table = libcpb.dask.inventory([f"s3://bucket/{name}" for name in names], per_partition=2)
    assert table.npartitions == 3
    rows = table.compute()
    assert [*rows.url] == [f"s3://bucket/{name}" for name in names]
    whole, chunked, cut, text, none = (rows.iloc[i] for i in range(5))
    for row in whole, chunked:
        assert (row.kind, row.signatures) == ("saved_model", "__saved_model_init_op,serve,serving_default")
        assert (row.variables, row.parameters, row.parameter_bytes) == (16, 259, 1036)
        assert row.bytes == (keras / "orig.pb").stat().st_size and row.problems == 0
    assert cut.problems > 0 or cut.error == "TRUNCATED"
    assert text.error == "FORMAT" and none.error == "NOT_FOUND"
    assert "404" in none.message
