"""How the package behaves: errors, threads, Ctrl-C, sub-interpreters, what is left behind, references."""

import array
import contextlib
import gc
import inspect
import io
import os
import pathlib
import pickle
import re
import signal
import subprocess
import sys
import textwrap
import threading
import typing

import pytest

import libcpb
from libcpb import _core, _options

DATA = pathlib.Path(__file__).resolve().parents[2] / "tests/data"
CHUNKED = DATA / "cpb/real_tf_module/max3000_zstd.cpb"
BUILT = pathlib.Path(libcpb.__file__).parent.parent


def records(count=1000, size=100, codec="zstd"):
    file = io.BytesIO()
    with libcpb.RecordWriter(file, codec=codec) as writer:
        writer.write_all(os.urandom(size) for _ in range(count))
    return file.getvalue()


def run(code, *options, timeout=120, **kwargs):
    environment = {**os.environ, "PYTHONPATH": str(BUILT)}
    return subprocess.run([sys.executable, *options, "-c", textwrap.dedent(code)], env=environment, timeout=timeout,
                          capture_output=True, text=True, preexec_fn=heed_interrupts, **kwargs)


def heed_interrupts():
    """What is started in the background ignores them, and so does what that starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


# --- Errors ---------------------------------------------------------------------------------------


def failures():
    """What is wrong, and the exception that says so, with a part of what it says."""
    reader, writer, message = libcpb.RecordReader(b""), libcpb.RecordWriter(io.BytesIO()), libcpb.open(CHUNKED)
    model = libcpb.open_model(CHUNKED)
    closed = [reader, writer, message, model]
    yield lambda: writer.write("text"), TypeError, "the record is str"
    yield lambda: writer.write(memoryview(b"abcdef")[::2]), BufferError, ""
    yield lambda: message.field("a b"), libcpb.CpbError, "character"
    yield lambda: message.field("meta_graphs[0].nothing"), libcpb.CpbError, "no such field"
    yield lambda: message.field("x", type_name="no.Type"), libcpb.CpbError, 'no message type "no.Type"'
    yield lambda: message.read_chunk(10**6), libcpb.CpbError, "there is no chunk 1000000"
    yield lambda: message.read(-1), libcpb.CpbError, "offset is -1"
    yield lambda: message.readinto(b"read-only"), (TypeError, BufferError, ValueError), ""
    yield lambda: message.chunks[10**6], IndexError, "there is no chunk"
    yield lambda: model.signature("nothing"), libcpb.CpbError, "nothing"
    yield lambda: model.ask("why"), libcpb.CpbError, "expected one of overview"
    yield lambda: model.overview(count=0), libcpb.CpbError, "count is 0"
    yield lambda: model.array("nothing"), libcpb.CpbError, "nothing"
    yield lambda: [one.close() for one in closed], None, ""
    yield lambda: next(reader), libcpb.CpbError, "closed"
    yield lambda: reader.seek(0), libcpb.CpbError, "closed"
    yield lambda: writer.write(b""), libcpb.CpbError, "closed"
    yield lambda: message.read(), libcpb.CpbError, "closed"
    yield lambda: message.size, libcpb.CpbError, "closed"
    yield lambda: message.field("2"), libcpb.CpbError, "closed"
    yield lambda: model.overview(), libcpb.CpbError, "closed"
    yield lambda: [one.close() for one in closed], None, ""  # again
    yield lambda: libcpb.open(5), TypeError, "the source is int"
    yield lambda: libcpb.open(io.StringIO("text")), TypeError, "binary mode"
    yield lambda: libcpb.open("no/such.file"), libcpb.CpbError, "no/such.file: No such file"
    yield lambda: libcpb.open("nul\0"), libcpb.CpbError, "NUL"
    yield lambda: libcpb.open(os.curdir), libcpb.CpbError, "directory"
    yield lambda: libcpb.open(b"", chunked=True), libcpb.CpbError, ""
    yield lambda: libcpb.open(b"x", schema=b"\xff"), libcpb.CpbError, ""
    yield lambda: libcpb.open("http://127.0.0.1:1/x.cpb", url_options={"attempts": 1}), libcpb.CpbError, "127.0.0.1"
    yield lambda: libcpb.open("s3://b/k", url_options={"tries": 1}), TypeError, "tries"
    yield lambda: libcpb.open("http://h/", url_options={"headers": {"a": "b\r\nc"}}), libcpb.CpbError, "line break"
    yield lambda: libcpb.open_model(7), TypeError, "the source is int"
    yield lambda: libcpb.open_model(b"bytes"), libcpb.CpbError, "text that begins"
    yield lambda: libcpb.open_model(b""), libcpb.CpbError, "an empty file"
    yield lambda: libcpb.open_model(CHUNKED, kind="tflite"), libcpb.CpbError, "kind is 'tflite'"
    yield lambda: libcpb.RecordReader(b"", verify="maybe"), libcpb.CpbError, "verify is 'maybe'"
    yield lambda: libcpb.RecordReader(b"", position="1"), TypeError, "position is str"
    yield lambda: libcpb.RecordWriter("http://host/x"), libcpb.CpbError, "URLs are only read"
    yield lambda: libcpb.RecordWriter(7), TypeError, "the target is int"
    yield lambda: libcpb.RecordWriter("/no/such/folder/file"), libcpb.CpbError, "No such file"
    yield lambda: libcpb.RecordWriter(io.BytesIO(), codec="lz4"), libcpb.CpbError, "codec is 'lz4'"
    yield lambda: libcpb.RecordWriter(io.BytesIO(), level=99), libcpb.CpbError, "level is 99"
    yield lambda: libcpb.merge(CHUNKED, 5), TypeError, "expected a path or a binary file object"
    yield lambda: libcpb.merge(CHUNKED, io.StringIO()), TypeError, "binary mode"
    yield lambda: model.cut([""], io.BytesIO()), TypeError, "expected a path"
    yield lambda: libcpb.split(b"", "/tmp/x", type_name="no.Type"), libcpb.CpbError, "no.Type"
    yield lambda: libcpb.merge_chunks([1], b""), TypeError, "a chunk is int"
    yield lambda: libcpb.merge_chunks([b""], b"\xff"), libcpb.CpbError, ""


def test_mistakes_are_reported():
    for number, (call, exception, text) in enumerate(failures()):
        if exception is None:
            call()
            continue
        with pytest.raises(exception) as raised:
            call()
        assert text in str(raised.value), (number, str(raised.value))


def test_the_codes_are_those_of_c():
    header = (pathlib.Path(__file__).resolve().parents[2] / "include/cpb/base.h").read_text()
    names = re.findall(r"^  X\((\w+), \d+, \"", header, re.M)
    assert names[0] == "OK" and tuple(names[1:]) == typing.get_args(libcpb._errors.Code)


def test_the_exception():
    with pytest.raises(libcpb.CpbError) as raised:
        list(libcpb.RecordReader(b"not records at all, but text"))
    error = pickle.loads(pickle.dumps(raised.value))
    assert (error.code, error.offset, str(error)) == ("FORMAT", 0, str(raised.value))
    assert type(error).__module__ == "libcpb" and type(error).__mro__[1] is Exception


class Breaks:
    """A file object that fails at the n-th call."""

    def __init__(self, data, at, exception):
        self.file, self.left, self.exception = io.BytesIO(data), at, exception

    def read(self, size):
        self.left -= 1
        if self.left < 0:
            raise self.exception
        return self.file.read(size)

    def seek(self, *at):
        return self.file.seek(*at)

    tell = seekable = None  # set below


Breaks.tell = lambda self: self.file.tell()
Breaks.seekable = lambda self: True


@pytest.mark.parametrize("exception", [OSError(5, "the disk"), KeyboardInterrupt(), ZeroDivisionError()])
def test_exceptions_of_file_objects_come_through(exception, tmp_path):
    data = CHUNKED.read_bytes()
    for at in range(4):
        for call in (lambda source: libcpb.open(source, chunked=True).read(),
                     lambda source: libcpb.merge(source, tmp_path / "out"),
                     lambda source: libcpb.repack(source, tmp_path / "out"),
                     lambda source: list(libcpb.RecordReader(source, recover=True))):
            source = Breaks(data, at, exception)
            try:
                call(source)
            except type(exception) as error:
                assert error is exception
            else:
                assert source.left >= 0
                (tmp_path / "out").unlink(missing_ok=True)
            assert list(tmp_path.iterdir()) == []


class Lies(Breaks):
    def readinto(self, view):
        return self.left


@pytest.mark.parametrize("count", [-1, 10**9, 2**70])
def test_file_objects_that_lie(count):
    with pytest.raises((libcpb.CpbError, OverflowError)):
        libcpb.open(Lies(b"", count, None), chunked=True)


def test_nothing_is_half_written(tmp_path):
    path = tmp_path / "records"
    with pytest.raises(ZeroDivisionError), libcpb.RecordWriter(path) as writer:
        writer.write(bytes(5 << 20))
        raise ZeroDivisionError
    damaged = bytearray(CHUNKED.read_bytes())
    damaged[len(damaged) // 3] ^= 255
    with pytest.raises(libcpb.CpbError):
        libcpb.merge(damaged, path)

    def stop(done, total):
        raise LookupError

    with pytest.raises(LookupError):
        libcpb.split(bytes(1 << 20), path, progress=stop)
    assert list(tmp_path.iterdir()) == []
    result = run(f"""
        import libcpb
        writer = libcpb.RecordWriter({str(path)!r})
        writer.write(b"never closed")
        del writer""", "-W", "default")
    assert "ResourceWarning: a record writer was never closed" in result.stderr
    assert list(tmp_path.iterdir()) == []


# --- Threads and signals -----------------------------------------------------------------------------


def test_the_gil_is_free_while_a_file_is_read(tmp_path):
    """A pipe that nobody has written to yet: with the GIL held, nobody ever could."""
    data = records(10)
    reading, writing = os.pipe()
    got = []
    with os.fdopen(reading, "rb", buffering=0) as file:
        thread = threading.Thread(target=lambda: got.extend(libcpb.RecordReader(file)))
        thread.start()
        with os.fdopen(writing, "wb") as out:
            out.write(data)
        thread.join(30)
    assert len(got) == 10


def test_threads_take_turns_with_one_object():
    data = records(20_000, 20)
    reader, got = libcpb.RecordReader(data), [[] for _ in range(4)]
    threads = [threading.Thread(target=lambda part=part: part.extend(reader)) for part in got]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(record for part in got for record in part) == sorted(libcpb.RecordReader(data))
    message, results = libcpb.open(CHUNKED), []
    whole = message.read()
    threads = [threading.Thread(target=lambda i=i: results.append(message.read(i, 5000) == whole[i : i + 5000]))
               for i in range(0, 40_000, 400)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * len(threads)


def test_methods_without_init_are_errors():
    """Instead of the end of the process: there is no lock yet. What is closed can be closed."""
    calls = {_core.RecordReader: [next, lambda one: one._seek(0), lambda one: one._count(), lambda one: one._batch()],
             _core.RecordWriter: [lambda one: one.write(b""), lambda one: one.flush()],
             _core.Message: [lambda one: one._read(0, 1)], _core.Model: [lambda one: one._read(0, 1)]}
    for cls, methods in calls.items():
        one = cls.__new__(cls)
        for method in methods:
            with pytest.raises(TypeError, match="__init__ was not called"):
                method(one)
        one.close()


def test_an_object_that_is_called_by_its_own_callback():
    reader = None

    class Calls(io.BytesIO):
        def readinto(self, view):
            return reader.read() or 0

    reader = libcpb.RecordReader(Calls(records(1)))
    with pytest.raises(libcpb.CpbError, match="called by what it calls itself"):
        reader.read()


def test_views_keep_what_they_show():
    reader = libcpb.RecordReader(records(100))
    views = next(reader.batches())
    reader.close()
    del reader
    gc.collect()
    assert [len(view) for view in views] == [100] * len(views)


def test_memory_in_use_cannot_go_away():
    data = bytearray(records(10))
    reader = libcpb.RecordReader(data)
    with pytest.raises(BufferError):
        data.clear()
    reader.close()
    data.clear()


@pytest.mark.parametrize("call", ["libcpb.merge(path, out)", "libcpb.split(path, out)", "list(libcpb.RecordReader(path))",
                                  "libcpb.open(path, chunked=True)"])
def test_interrupts(tmp_path, call):
    """SIGINT ends a call that nothing else would end: it reads a pipe that stays open."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    code = f"""
        import sys, threading, os, signal, time
        import libcpb
        path, out = {str(path)!r}, {str(tmp_path / "out")!r}
        def later():
            time.sleep(0.3)
            os.kill(os.getpid(), signal.SIGINT)
        keep = os.open(path, os.O_RDWR)
        try:
            threading.Thread(target=later).start()
            {call}
        except KeyboardInterrupt:
            print("interrupted", os.path.exists(out))
    """
    assert run(code).stdout == "interrupted False\n"


@pytest.mark.parametrize("answer", ["", "HTTP/1.1 503 Busy\\r\\nRetry-After: 20\\r\\nContent-Length: 0\\r\\n\\r\\n"])
@pytest.mark.parametrize("call", ["open(url)", "open_model(url)"])
def test_interrupts_while_a_server_is_waited_for(call, answer):
    """One that says nothing, and one that wants to be asked again later. The signal comes once the request is there."""
    code = f"""
        import os, signal, socket, threading
        import libcpb
        server = socket.create_server(("127.0.0.1", 0))
        def serve():
            while True:
                connection, _ = server.accept()
                kept.append(connection)
                connection.recv(10000)
                connection.sendall(b"{answer}")
                threading.Timer(0.3, os.kill, [os.getpid(), signal.SIGINT]).start()
        kept = []
        threading.Thread(target=serve, daemon=True).start()
        url = "http://127.0.0.1:%d/model.cpb" % server.getsockname()[1]
        try:
            libcpb.{call}
        except KeyboardInterrupt:
            print("interrupted", len(kept) > 0)
    """
    assert run(code).stdout == "interrupted True\n"


def test_sub_interpreters_are_refused():
    code = """
        import libcpb
        try:
            import _interpreters as interpreters
            create = lambda: interpreters.create("legacy")
            run = interpreters.exec
        except ImportError:
            import _xxsubinterpreters as interpreters
            create, run = interpreters.create, interpreters.run_string
        inside = '''
        try:
            import libcpb
        except ImportError as error:
            print("refused:", error, flush=True)
        '''
        import textwrap
        run(create(), textwrap.dedent(inside))
        print(len(list(libcpb.RecordReader(b""))), flush=True)
    """
    result = run(code)
    assert "refused: libcpb can be imported in the main interpreter only" in result.stdout, result.stderr
    assert result.returncode == 0


# --- References ---------------------------------------------------------------------------------------


def everything(tmp_path):
    """Most of what the extension does, also what fails."""
    data = records(50)
    list(libcpb.RecordReader(data))
    list(libcpb.RecordReader(io.BytesIO(data)).batches())
    with libcpb.RecordReader(data[:500] + b"\0" + data[501:], recover=True) as reader:
        list(reader)
        reader.seek_last()
        reader.location, reader.size, reader.metadata  # noqa: B018
    with libcpb.RecordWriter(tmp_path / "w", metadata=b"") as writer:
        writer.write_all([b"a", bytearray(5), memoryview(b"c")])
    with libcpb.open(CHUNKED) as message:
        message.read(5, 100), message.read_chunk(0), list(message.chunks), message.version  # noqa: B018
        message.field("meta_graphs[0].graph_def.node[0]").json()
        chunks = [message.read_chunk(0)]
    libcpb.merge(io.BytesIO(CHUNKED.read_bytes()), tmp_path / "m", progress=lambda *at: None)
    libcpb.split(tmp_path / "m", tmp_path / "s")
    libcpb.repack(tmp_path / "s", tmp_path / "r")
    libcpb.merge_chunks(chunks, b"").read()
    with libcpb.open_model(io.BytesIO(CHUNKED.read_bytes())) as model:
        model.overview(), model.path  # noqa: B018
    with libcpb.open_model(CHUNKED, limits={"entries": 10**6}) as model:
        constant = model.constants()["constants"]["items"][0]
        model.values(constant["node"], function=constant["function"])
        model.read(0, 10)
        model.cut(["root.signatures"], tmp_path / "c.pb")
        libcpb.diff(model, CHUNKED)
    tag = libcpb.SameDiffTag("t", (DATA / "samediff_small/linear.fb").read_bytes(), {"w": array.array("f", range(6))})
    with contextlib.suppress(libcpb.CpbError):  # a part is missing
        libcpb.write_samediff(io.BytesIO(), [tag])
    for call, exception, _ in failures():
        if exception is None:
            call()
            continue
        try:
            call()
        except Exception:  # noqa: S110: the test above says which
            pass


def test_no_references_are_left(tmp_path):
    """What leaks does so in each round; what Python keeps for itself does not grow with the rounds."""
    rounds = 100

    def growth():
        gc.collect()
        before = sys.getallocatedblocks()
        for _ in range(rounds):
            everything(tmp_path)
        gc.collect()
        return sys.getallocatedblocks() - before

    assert min(growth() for _ in range(4)) < rounds
    before = [sys.getrefcount(one) for one in (libcpb.CpbError, CHUNKED)]
    everything(tmp_path)
    after = [sys.getrefcount(one) for one in (libcpb.CpbError, CHUNKED)]
    assert max(b - a for a, b in zip(before, after)) <= 1


def test_nothing_else_is_imported():
    """The package needs neither NumPy nor protobuf."""
    result = run("import sys, libcpb; libcpb.open(b'', chunked=False)\n"
                 "print(sorted({'numpy', 'google', 'ml_dtypes', 'tensorflow'} & set(sys.modules)))")
    assert result.stdout == "[]\n", result.stderr


def test_urls_beside_tensorflow():
    """TensorFlow exports a TLS library of its own under OpenSSL's names, which libcurl must not take."""
    code = """
        import tensorflow
        import libcpb
        try:
            libcpb.open("https://127.0.0.1:1/x.cpb", url_options={"attempts": 1})
        except libcpb.CpbError as error:
            print(error.code)
    """
    assert run(code, timeout=60).stdout == "UNAVAILABLE\n"


def test_codecs_are_typed_by_the_names_that_there_are():
    assert typing.get_args(_options.Codec) == ("default", *_core.codecs)


def test_no_function_has_many_arguments_by_position():
    for name in libcpb.__all__:
        thing = getattr(libcpb, name)
        members = [thing] if not isinstance(thing, type) else [m for m in vars(thing).values() if inspect.isfunction(m)]
        for one in members if callable(thing) and not hasattr(thing, "_fields") else []:
            kinds = [p.kind for p in inspect.signature(one).parameters.values()]
            assert sum(kind in (kind.POSITIONAL_ONLY, kind.POSITIONAL_OR_KEYWORD) for kind in kinds) <= 6 + isinstance(thing, type), (name, one)
