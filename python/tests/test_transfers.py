"""merge(), split(), repack() and RecordWriter: the bytes are the command's, whatever the number of
threads, and of what is stopped nothing is left."""

import io
import os
import pathlib
import random
import signal
import threading
import time

import pytest

import libcpb
from support.wire import field, sparse_model, varint

DATA = pathlib.Path(__file__).resolve().parents[2] / "tests/data"
GRAPH = {"type_name": "tensorflow.GraphDef"}
NUMBERS = [1, 2, 7]


def constant(i, content):
    value = field(8, varint(1 << 3) + varint(7) + field(4, content))
    return field(1, field(1, b"n%d" % i) + field(2, b"Const") + field(5, field(1, b"value") + field(2, value)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A GraphDef of small constants and large ones, and what the command makes of it."""
    path = tmp_path_factory.mktemp("graph")
    sizes, some = [100, 3000, 700_000, 20, 90_000, 2_500_000, 5000, 5000] * 3, random.Random(1)
    (path / "in.pb").write_bytes(b"".join(constant(i, some.randbytes(n // 2) * 2) for i, n in enumerate(sizes)))
    return path


@pytest.fixture(scope="module")
def graph(folder):
    return folder / "in.pb"


@pytest.fixture(scope="module")
def chunked(folder, cpb):
    """As TensorFlow writes: not what repack() makes unless it is told to."""
    out = folder / "in.cpb"
    cpb.ok("split", folder / "in.pb", "--type", GRAPH["type_name"], "--layout", "compat", "--max-chunk-size", "300K",
           "-o", out)
    return out


SPLITS = [
    ({}, []),
    ({"layout": "compat", "codec": "brotli", "level": 1}, ["--layout", "compat", "--codec", "brotli:1"]),
    ({"max_chunk_size": 300 << 10, "codec": "none"}, ["--max-chunk-size", "300K", "--codec", "none"]),
    ({"transpose": True}, ["--transpose"]),
    ({"for_memory": 1 << 20}, ["--for-memory", "1M"]),
]
REPACKS = [
    *[(how, options) for how, options in SPLITS if "max_chunk_size" not in how],
    *[({"riegeli_options": text}, ["--riegeli-options", text])
      for text in ("default", "transpose,zstd:5,window_log:22,chunk_size:1M", "snappy:2,chunk_size:64K",
                   "uncompressed,padding:4K", "transpose,brotli:1,bucket_fraction:0.5,chunk_size:100K")],
]


def said(case):
    return " ".join(case[1]) or "default"


@pytest.mark.parametrize("how, options", SPLITS, ids=map(said, SPLITS))
def test_split_as_the_command(how, options, graph, cpb, tmp_path):
    cpb.ok("split", graph, "--type", GRAPH["type_name"], *options, "-o", tmp_path / "wanted.cpb")
    for threads in NUMBERS:
        libcpb.split(graph, tmp_path / "out.cpb", **GRAPH, **how, threads=threads)
        assert (tmp_path / "out.cpb").read_bytes() == (tmp_path / "wanted.cpb").read_bytes(), threads


@pytest.fixture
def tuned(graph, cpb, tmp_path):
    """A folder with base.cpb and tuned.pb, which has one more constant."""
    cpb.ok("split", graph, "--type", GRAPH["type_name"], "-o", tmp_path / "base.cpb")
    (tmp_path / "tuned.pb").write_bytes(graph.read_bytes() + constant(99, bytes(100_000)))
    return tmp_path


def test_split_against_a_base_as_the_command(tuned, cpb):
    cpb.ok("split", tuned / "tuned.pb", "--type", GRAPH["type_name"], "--base", tuned / "base.cpb", "-o",
           tuned / "wanted.cpb")
    assert (tuned / "wanted.cpb").stat().st_size < 200_000
    for threads in NUMBERS:
        libcpb.split(tuned / "tuned.pb", tuned / "out.cpb", base=tuned / "base.cpb", threads=threads, **GRAPH)
        assert (tuned / "out.cpb").read_bytes() == (tuned / "wanted.cpb").read_bytes(), threads
    with libcpb.open(tuned / "out.cpb") as message:
        assert message.read() == (tuned / "tuned.pb").read_bytes()


def test_errors_of_a_base_name_it(tuned):
    (tuned / "sub").mkdir()
    for base, out, code in (("missing.cpb", "out.cpb", "NOT_FOUND"), ("tuned.pb", "out.cpb", "FORMAT"),
                            ("base.cpb", "sub/out.cpb", "USAGE"), ("base.cpb", "base.cpb", "USAGE")):
        before = (tuned / "base.cpb").read_bytes()
        with pytest.raises(libcpb.CpbError) as raised:
            libcpb.split(tuned / "tuned.pb", tuned / out, base=tuned / base, **GRAPH)
        assert raised.value.code == code and raised.value.source == str(tuned / base)
        assert out == base or not (tuned / out).exists()
        assert (tuned / "base.cpb").read_bytes() == before
    with pytest.raises(TypeError, match="expected a path"):
        libcpb.split(tuned / "tuned.pb", io.BytesIO(), base=tuned / "base.cpb", **GRAPH)
    with pytest.raises(TypeError, match="the base is int; expected a path"):
        libcpb.split(tuned / "tuned.pb", tuned / "out.cpb", base=3, **GRAPH)


@pytest.mark.parametrize("how, options", REPACKS, ids=map(said, REPACKS))
def test_repack_as_the_command(how, options, chunked, cpb, tmp_path):
    cpb.ok("repack", chunked, *options, "-o", tmp_path / "wanted.cpb")
    for threads in NUMBERS:
        libcpb.repack(chunked, tmp_path / "out.cpb", **how, threads=threads)
        assert (tmp_path / "out.cpb").read_bytes() == (tmp_path / "wanted.cpb").read_bytes(), threads
    with libcpb.open(tmp_path / "out.cpb") as message, libcpb.open(chunked) as original:
        assert message.read() == original.read()


@pytest.mark.parametrize("text", ["transpose,zstd:5,window_log:22,chunk_size:4K", "uncompressed", "snappy", "brotli:9",
                                  "transpose,brotli,bucket_fraction:0,chunk_size:8K", "zstd:-5,padding:1000"])
@pytest.mark.parametrize("name", ["simple_uncompressed", "simple_nodedef_big_brotli", "one_empty"])
def test_records_as_the_command(name, text, cpb, tmp_path):
    original = DATA / f"records/{name}.riegeli"
    cpb.ok("recover", original, "--riegeli-options", text, "-o", tmp_path / "wanted")
    with libcpb.RecordWriter(tmp_path / "out", riegeli_options=text) as writer:
        writer.write_all(libcpb.RecordReader(original))
    assert (tmp_path / "out").read_bytes() == (tmp_path / "wanted").read_bytes()


def test_options_that_riegeli_has_under_its_own_names(tmp_path):
    records = list(libcpb.RecordReader(DATA / "cpb/real_tf_module/max3000_tr.cpb"))
    for text, how in (("transpose,zstd", {"transpose": True}),
                      ("zstd:9,chunk_size:20K", {"level": 9, "chunk_size": 20 << 10}),
                      ("brotli:0,window_log:12", {"codec": "brotli", "level": 0, "window_log": 12}),
                      ("uncompressed,padding:64K", {"codec": "none", "padding": 1 << 16})):
        for path, options in (("a", {"riegeli_options": text}), ("b", how)):
            with libcpb.RecordWriter(tmp_path / path, **options) as writer:
                writer.write_all(records)
        assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes(), text


@pytest.mark.parametrize("text, how, what", [
    ("zstd:5,colour:red", {}, r"riegeli_options, character 8: "),
    ("zstd:99", {}, r"riegeli_options, character \d+: "),
    ("zstd", {"codec": "zstd"}, r"riegeli_options says all; expected no codec \(USAGE"),
    ("zstd", {"level": 0, "transpose": True}, r"riegeli_options says all; expected no level, transpose \(USAGE"),
])
def test_wrong_options_are_said(text, how, what, chunked, tmp_path):
    for call in libcpb.RecordWriter, lambda out, **options: libcpb.repack(chunked, out, **options):
        with pytest.raises(libcpb.CpbError, match=what) as raised:
            call(tmp_path / "out", riegeli_options=text, **how)
        assert raised.value.code == "USAGE"
    assert not (tmp_path / "out").exists()


def test_other_wrong_options(graph, chunked, tmp_path):
    out = tmp_path / "out"
    for call in (lambda **how: libcpb.split(graph, out, **GRAPH, **how), lambda **how: libcpb.repack(chunked, out, **how),
                 lambda **how: libcpb.merge(chunked, out, **how)):
        with pytest.raises(libcpb.CpbError, match="threads is 257; expected 0 to 256"):
            call(threads=257)
        with pytest.raises(TypeError, match="threads is str; expected an int"):
            call(threads="2")
        with pytest.raises(TypeError, match="unexpected keyword argument 'thread'; expected any of .*threads"):
            call(thread=2)
    with pytest.raises(TypeError, match="unexpected keyword argument 'layout'"):
        libcpb.merge(chunked, out, layout="remote")
    for how, kind, text in (({"codec": "lz4"}, libcpb.CpbError, "codec is 'lz4'; expected one of default, none, brotli, zstd, snappy"),
                            ({"layout": None}, libcpb.CpbError, "layout is None; expected one of remote, compat"),
                            ({"level": "9"}, TypeError, "level is str; expected an int or None"),
                            ({"level": 10**30}, libcpb.CpbError, r"level is 10+; expected -131072 to 22 for default"),
                            ({"level": 1, "codec": "none"}, libcpb.CpbError, "level is 1; expected None for none"),
                            ({"window_log": 32}, libcpb.CpbError, "window_log is 32; expected 0 to 31"),
                            ({"for_memory": -1}, libcpb.CpbError, f"for_memory is -1; expected 0 to {2**64 - 1}"),
                            ({"for_memory": 2**64}, libcpb.CpbError, f"for_memory is {2**64}; expected"),
                            ({"base": 3}, TypeError, "the base is int"), ({"riegeli_options": "zstd"}, TypeError, "riegeli_options")):
        with pytest.raises(kind, match=text):
            libcpb.split(graph, out, **GRAPH, **how)
    with pytest.raises(libcpb.CpbError, match="for_memory"):
        libcpb.split(graph, out, **GRAPH, transpose=True, for_memory=1 << 20)
    with pytest.raises(TypeError, match="riegeli_options is bytes"):
        libcpb.repack(chunked, out, riegeli_options=b"zstd")
    assert not out.exists()


# --- Threads ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sparse(folder, cpb):
    """A gigabyte of zeros: so long is no look at signals."""
    sparse_model(folder / "zeros.pb", 1 << 20, 1000)
    cpb.ok("split", folder / "zeros.pb", "-o", folder / "zeros.cpb")
    return folder / "zeros.cpb"


def calls(graph, chunked, sparse, out):
    yield lambda out=out, **how: libcpb.split(graph, out, **GRAPH, codec="brotli", level=8, **how)
    yield lambda out=out, **how: libcpb.repack(chunked, out, codec="brotli", level=8, **how)
    yield lambda out=out, **how: libcpb.merge(sparse, out, **how)


def most_threads(call):
    """The most that are seen at a time while this is under way. Those of earlier tests do not count: they may end."""
    before, seen, ended = set(), [0], threading.Event()

    def look():
        before.update(os.listdir("/proc/self/task"))
        while not ended.wait(0.001):
            seen.append(len({*os.listdir("/proc/self/task")} - before))

    looking = threading.Thread(target=look)
    looking.start()
    while not before:
        time.sleep(0.001)
    call()
    ended.set()
    looking.join()
    return max(seen)


def test_threads_take_part(graph, chunked, sparse, tmp_path):
    if not os.path.isdir("/proc/self/task"):
        pytest.skip("counts threads in /proc")
    for call in list(calls(graph, chunked, sparse, tmp_path / "out"))[:2]:
        assert most_threads(lambda call=call: call(threads=4)) > most_threads(lambda call=call: call(threads=1))


def test_damage_is_the_same_error(chunked, tmp_path):
    data = bytearray(chunked.read_bytes())
    for at in range(1000, len(data), len(data) // 5):
        data[at] ^= 1
        (tmp_path / "bad.cpb").write_bytes(data)
        for call in libcpb.merge, libcpb.repack:
            said = set()
            for threads in NUMBERS:
                with pytest.raises(libcpb.CpbError) as raised:
                    call(tmp_path / "bad.cpb", tmp_path / "out", threads=threads)
                said.add((raised.value.code, raised.value.offset, str(raised.value)))
            assert len(said) == 1
        data[at] ^= 1
    assert os.listdir(tmp_path) == ["bad.cpb"]


@pytest.mark.parametrize("threads", NUMBERS)
def test_ctrl_c_leaves_nothing(graph, chunked, sparse, tmp_path, threads):
    def interrupt(done, total):
        if done < total or not total:
            os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        for call in calls(graph, chunked, sparse, tmp_path / "out"):
            with pytest.raises(KeyboardInterrupt):
                call(threads=threads, progress=interrupt)
            assert os.listdir(tmp_path) == []
    finally:
        signal.signal(signal.SIGINT, before)


def test_signals_are_looked_at_within_a_chunk():
    """Brotli's highest level takes seconds for this chunk. What a signal raises then ends it."""
    some, seen, most = random.Random(1), [], 0
    words = [some.randbytes(some.randrange(3, 9)) for _ in range(3000)]
    data = constant(1, b"".join(some.choices(words, k=200_000)))

    def write():
        with libcpb.RecordWriter(io.BytesIO(), codec="brotli", level=11, chunk_size=1 << 20) as writer:
            writer.write(data)

    def look(*_):
        seen.append(1)
        if len(seen) == most:
            raise KeyboardInterrupt

    def split(threads):
        libcpb.split(data * threads, io.BytesIO(), **GRAPH, codec="brotli", level=11, threads=threads)

    before = signal.signal(signal.SIGALRM, look)
    try:
        for call in write, lambda: split(1), lambda: split(2):
            signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
            most = 4
            with pytest.raises(KeyboardInterrupt):
                call()
            seen.clear()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# --- File objects ---------------------------------------------------------------------------------------


class Pipe:
    """Takes bytes in order, as many as it likes, and nothing else."""

    def __init__(self, most=10**6):
        self.data, self.most = bytearray(), most

    def write(self, data):
        self.data += data[: self.most]
        return self.most and min(len(data), self.most)


class Full(io.BytesIO):
    """Raises once it has so many bytes."""

    def __init__(self, room, exception):
        super().__init__()
        self.room, self.exception = room, exception

    def write(self, data):
        if self.tell() + len(data) > self.room:
            raise self.exception
        return super().write(data)


def large(graph, how):
    """With a chunk that is larger than what the engine gathers."""
    data = constant(1, bytes(40 << 20)) + graph.read_bytes()
    return lambda _, out, **more: libcpb.split(data, out, **GRAPH, **how, **more)


@pytest.mark.parametrize("threads", NUMBERS)
def test_the_same_bytes_to_a_file_object(graph, chunked, sparse, tmp_path, threads):
    operations = [
        (libcpb.merge, chunked),
        (libcpb.repack, chunked),
        (libcpb.repack, graph.with_name("zeros.cpb")),
        (lambda *at, **how: libcpb.split(*at, **GRAPH, **how), graph),
        (large(graph, {"layout": "compat"}), None),
        (large(graph, {"layout": "compat", "codec": "none"}), None),
    ]
    for call, source in operations:
        call(source, tmp_path / "out", threads=threads)
        wanted = (tmp_path / "out").read_bytes()
        file = io.BytesIO(b"before")
        file.seek(6)
        call(source, file, threads=threads)
        assert file.getvalue() == b"before" + wanted
        pipe = Pipe()
        call(source, pipe, threads=threads)
        assert pipe.data == wanted
        with open(tmp_path / "opened", "wb", buffering=0) as opened:
            call(source, opened, threads=threads)
        assert (tmp_path / "opened").read_bytes() == wanted


@pytest.mark.parametrize("threads", NUMBERS)
def test_exceptions_while_writing_come_through(graph, chunked, sparse, threads):
    for call in calls(graph, chunked, sparse, None):
        for room in 0, 700_000:
            exception = OSError(28, "the disk is full")
            file = Full(room, exception)
            with pytest.raises(OSError) as raised:
                call(out=file, threads=threads)
            assert raised.value is exception and len(file.getvalue()) <= room and not file.closed
    for exception in KeyboardInterrupt(), ZeroDivisionError():
        with pytest.raises(type(exception)):
            libcpb.merge(chunked, Full(10, exception), threads=threads)
    with pytest.raises(libcpb.CpbError, match="does not block") as raised:
        libcpb.merge(chunked, Pipe(None), threads=threads)


def test_records_are_there_after_a_flush():
    pipe = Pipe()
    writer = libcpb.RecordWriter(pipe)
    writer.write(b"a record")
    writer.flush()
    assert list(libcpb.RecordReader(bytes(pipe.data))) == [b"a record"]
    writer.discard()
