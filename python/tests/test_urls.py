"""URLs: where redirects lead, servers without ranges, other addresses of files."""

import errno
import http.server
import pickle
import re
import threading

import pytest

import libcpb
from conftest import DATA

MODEL = DATA / "cpb" / "real_frozen_conv" / "max1000_none.cpb"
PLAIN = DATA / "cases" / "tied.onnx"


class Handler(http.server.BaseHTTPRequestHandler):
    """/status/NUMBER, /ranges/, /edges/ (with other ETags each time), /whole/ without ranges, /moved/, to which two redirects lead."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def give(self, status, body=b"", **headers):
        self.server.log.append((status, self.headers.get("Authorization")))
        self.send_response(status)
        for name, value in {"Content-Length": len(body), **headers}.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        parts = self.path.split("?")[0].lstrip("/").split("/")
        mode, path = parts[0], DATA.joinpath(*parts[1:])
        if mode in ("moved", "on"):
            return self.give(302, Location=self.path.replace(mode, {"moved": "on", "on": "ranges"}[mode], 1))
        if mode == "status":
            return self.give(int(parts[1]))
        if mode == "org":
            path = DATA.joinpath(*parts[4:])
        if not path.is_file():
            return self.give(404)
        data, size = path.read_bytes(), path.stat().st_size
        first, last = re.match(r"bytes=(\d*)-(\d*)$", self.headers.get("Range", "bytes=0-")).groups()
        begin, end = (int(first), min(size, int(last or size) + 1)) if first else (max(0, size - int(last)), size)
        if mode == "whole":
            return self.give(200, data * 9000)
        etag = f'"{len(self.server.log)}"' if mode == "edges" else '"one"'
        self.give(206, data[begin:end], Content_Range=f"bytes {begin}-{end - 1}/{size}", ETag=etag, Last_Modified="x")


@pytest.fixture(scope="module")
def server():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.log = []
    server.handle_error = lambda *what: None  # of those who have gone
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def base(server):
    server.log.clear()
    return f"http://127.0.0.1:{server.server_address[1]}"


LARGE = DATA / "corrupt" / "base_blocks.riegeli"


def read(url, **options):
    with libcpb.RecordReader(url, url_options=options) as reader:
        return [bytes(record) for record in reader]


def test_redirects_are_followed_once(server, base):
    assert read(f"{base}/moved/{LARGE.relative_to(DATA)}") == read(str(LARGE))
    statuses = [status for status, _ in server.log]
    assert statuses[:2] == [302, 302] and len(statuses) > 3 and set(statuses[2:]) == {206}


def test_etags_of_edges_are_ignored_on_request(base):
    url = f"{base}/edges/{LARGE.relative_to(DATA)}"
    with pytest.raises(libcpb.CpbError, match="its ETag was"):
        read(url)
    assert read(url, ignore_etag=True, idle_time=5, min_speed=1) == read(str(LARGE))


ONCE = {"attempts": 1}


@pytest.mark.parametrize("builtin, code, statuses", [
    (FileNotFoundError, "NOT_FOUND", [404, 410]),
    (PermissionError, "DENIED", [401, 403]),
    (ConnectionError, "UNAVAILABLE", [429, 500, 503]),
    (OSError, "READ", [400, 418]),
])
def test_a_servers_status_becomes_the_error_of_python(base, builtin, code, statuses):
    calls = (lambda url: libcpb.open(url, url_options=ONCE), lambda url: libcpb.open_model(url, url_options=ONCE),
             lambda url: list(libcpb.RecordReader(url, url_options=ONCE)))
    for status in statuses:
        for call in calls:
            with pytest.raises(builtin) as raised:
                call(url := f"{base}/status/{status}/m.cpb?token=1")
            error = raised.value
            assert isinstance(error, libcpb.CpbError) and isinstance(error, ConnectionError) == (code == "UNAVAILABLE")
            shown = url.split("?")[0]
            assert (error.code, error.status, error.errno, error.url) == (code, status, None, shown)


def test_a_server_that_is_not_there(tmp_path):
    with pytest.raises(ConnectionError) as raised:
        libcpb.open("http://127.0.0.1:1/m.cpb", url_options=ONCE)
    assert (raised.value.code, raised.value.errno) == ("UNAVAILABLE", errno.ECONNREFUSED)


def test_files_that_cannot_be_opened_are_the_errors_of_python(tmp_path):
    """Of two files the error names the one that it is about."""
    none, out = str(tmp_path / "none"), str(tmp_path / "no" / "out")
    split = str(tmp_path / "m.cpb")
    libcpb.split(PLAIN, split, type_name="onnx.ModelProto")
    for call in (lambda: libcpb.open(none), lambda: libcpb.open_model(none), lambda: libcpb.RecordReader(none),
                 lambda: libcpb.merge(none, out), lambda: libcpb.diff(PLAIN, none), lambda: libcpb.diff(none, PLAIN),
                 lambda: libcpb.split(PLAIN, split, type_name="onnx.ModelProto", base=none)):
        with pytest.raises(FileNotFoundError) as raised:
            call()
        error = pickle.loads(pickle.dumps(raised.value))
        assert (error.code, error.errno, error.filename) == ("NOT_FOUND", errno.ENOENT, none)
        assert type(error) is type(raised.value) and str(error) == str(raised.value)
    with pytest.raises(FileNotFoundError) as raised:
        libcpb.merge(split, out)
    assert (raised.value.code, raised.value.filename) == ("WRITE", out)
    with pytest.raises(IsADirectoryError):
        libcpb.RecordReader(tmp_path)
    with pytest.raises(IsADirectoryError):
        libcpb.merge(split, tmp_path)
    with pytest.raises(FileExistsError):
        libcpb.merge(split, split, replace=False)


def test_a_server_without_ranges(base, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    url = f"{base}/whole/cases/tied.onnx"
    size = PLAIN.stat().st_size * 9000
    assert size > 1 << 20
    with pytest.raises(libcpb.CpbError, match="ignores ranges") as refused:
        with libcpb.open(url) as message:
            message.read()
    assert refused.value.code == "READ"
    with libcpb.open(url, url_options={"download": size}) as message:
        assert message.read() == PLAIN.read_bytes() * 9000
    with pytest.raises(libcpb.CpbError, match="may be downloaded") as limited:
        with libcpb.open(url, url_options={"download": size - 1}) as message:
            message.read()
    assert limited.value.code == "LIMIT" and not list(tmp_path.iterdir())


def test_files_have_other_addresses(server, base, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", base)
    monkeypatch.setenv("HF_TOKEN", "secret")
    for url in "hf://org/model/cases/tied.onnx", f"{base}/org/model/blob/main/cases/tied.onnx":
        server.log.clear()
        with libcpb.open_model(url) as model:
            assert model.ask("overview") is not None
        assert {token for _, token in server.log} == {"Bearer secret"}


def test_file_urls_are_paths(tmp_path):
    path = tmp_path / "a b#%.onnx"
    path.write_bytes(PLAIN.read_bytes())
    with libcpb.open_model(path.as_uri()) as model:
        assert model.ask("overview") is not None
    for url in "file://host/x", "file://":
        with pytest.raises(libcpb.CpbError, match="expected file:///PATH"):
            libcpb.open(url)


@pytest.mark.parametrize("url", ["ftp://h/x.cpb", "abfs://c@a/x", "data:,x"])
def test_unknown_schemes_are_told(url):
    with pytest.raises(libcpb.CpbError, match="expected one of http, https, s3, hf, gs and file"):
        libcpb.open(url)
