"""The fault matrix: for each way in which a server lies, breaks or refuses, reading gives the
right bytes or an error that says what was wrong, in a bounded number of requests. The faults are those of
the JavaScript package (web/test/http.test.js)."""

import http.server
import re
import socket
import subprocess
import threading
import time

import numpy as np
import pytest

from urls.conftest import ENVIRONMENT, SIZE, bytes_at

TWO = "1000+5000", "200000+50000"
THREE = *TWO, "100000+10"
ONE = "1000+5000",
STREAM = "0+300000",


def expected(ranges):
    spans = [(SIZE - 1000, 1000) if r == "tail" else tuple(map(int, r.split("+"))) for r in ranges]
    return b"".join(bytes_at(begin, min(SIZE, begin + length)) for begin, length in spans)


def check(server, read_url, fault, ranges, wanted, most, query="", options=()):
    url, token = server.url(f"/-/lie/{fault}", query)
    result = read_url(url, *options, *ranges)
    if wanted is None:
        assert result.returncode == 0, result.stderr.decode()
        assert result.stdout == expected(ranges)
    else:
        assert result.returncode == 1
        assert re.search(wanted, result.stderr.decode()), result.stderr.decode()
        assert expected(ranges).startswith(result.stdout), "what came before the error is right"
    log = server.log(token)
    assert len(log) <= most, [(entry["range"], entry["status"]) for entry in log]
    assert {entry["method"] for entry in log} == {"GET"}
    return log


def matrix(cases):
    return pytest.mark.parametrize("fault, wanted, most", cases, ids=[case[0] for case in cases])


@matrix([
    ("honest", None, 2),
    ("identity", None, 2),
    ("short", None, 3),
    ("shifted", "READ: the server was asked for bytes 0-65535 and gave 1-65535", 1),
    ("wider", "READ: the server was asked for bytes 0-65535 and gave 0-65536", 1),
    ("more", "(READ|UNAVAILABLE): .*(more bytes than it announced|broke off)", 4),
    ("crumbs", "READ: the server keeps sending less than was asked for", 6),
    ("fewer-once", None, 3),
    ("fewer", "READ: the server sent 0 of the 10 bytes that it announced|UNAVAILABLE: .*broke off", 5),
    ("no-content-range", "READ: .*206 without a Content-Range", 1),
    ("unknown-total", r"READ: .*Content-Range: bytes 0-65535/\*; expected a range of a known size", 1),
    ("small-total", "READ: .*expected a range of a known size", 1),
    ("backwards", "READ: .*Content-Range: bytes 9-3/300000", 1),
    ("multipart", "READ: .*several parts; expected one", 1),
    ("encoded", "READ: .*Content-Encoding: br", 1),
])
def test_a_range_is_exactly_what_was_asked_for(server, read_url, fault, wanted, most):
    check(server, read_url, fault, TWO, wanted, most)


@pytest.mark.parametrize("fault, options, wanted", [
    ("whole", [], None),
    ("whole-unannounced", [], None),
    ("whole", ["max_whole=300000"], None),
    ("whole", ["max_whole=299999"], "READ: the server ignores ranges: it sent all 300000 bytes, where up to 299999 are taken"),
    ("whole-unannounced", ["max_whole=299999"], "READ: the server ignores ranges"),
    ("endless", [], "READ: the server ignores ranges"),
])
def test_a_whole_file_is_taken_and_kept_up_to_a_bound(server, read_url, fault, options, wanted):
    log = check(server, read_url, fault, TWO, wanted, 1, options=options)
    assert log[0]["bytes"] < 8 << 20, "an endless answer is not downloaded"


@pytest.mark.parametrize("fault, options, wanted, most", [
    ("whole", ["max_download=300000"], None, 2),
    ("whole-unannounced", ["max_download=300000"], None, 2),
    ("whole", ["max_download=299999"], "LIMIT: the file has 300000 bytes; up to 299999 may be downloaded", 2),
    ("whole-unannounced", ["max_download=299999"], "LIMIT: the file has more than 299999 bytes, which may be downloaded", 2),
    ("endless", ["max_download=2000000"], "LIMIT: the file has more than 2000000 bytes", 2),
    ("whole-cut-once", ["max_download=300000"], None, 3),
    ("whole-later-changed", ["max_download=300000"], "READ: the file changed while it was read", 3),
    ("whole-later", ["max_download=300000"], None, 3),
])
def test_a_whole_file_is_downloaded_on_request(server, read_url, fault, options, wanted, most):
    log = check(server, read_url, fault, THREE, wanted, most, options=["max_whole=10000", *options])
    assert len(log) == most and log[-1]["range"] is None


@pytest.mark.parametrize("what", ["line", "lines"])
def test_a_header_without_an_end_is_no_lack_of_memory(server, read_url, what):
    """It is refused after some of it, for good."""
    result = read_url(f"{server.base}/-/header/{what}", "0+10")
    assert (result.returncode, result.stdout) == (1, b"")
    assert result.stderr.startswith(b"READ: the server's header is too long"), result.stderr


def test_what_is_not_http_is_said_to_be_a_response(read_url):
    with socket.create_server(("127.0.0.1", 0)) as listening:
        def greet():
            with listening.accept()[0] as one:
                one.recv(4096)
                one.sendall(b"SSH-2.0-OpenSSH_9.2\r\n")
        thread = threading.Thread(target=greet)
        thread.start()
        result = read_url(f"http://127.0.0.1:{listening.getsockname()[1]}/x", "0+10")
        thread.join()
    assert result.stderr.startswith(b"READ: the response is not HTTP ("), result.stderr


@matrix([
    ("200-range", None, 2),
    ("200-range-of-all", None, 1),
    ("200-another-range", "READ: the server was asked for bytes 0-65535 and gave 1-65535", 1),
    ("200-unknown-range", r"READ: .*Content-Range: bytes 0-65535/\*; expected a range of a known size", 1),
])
def test_a_content_range_counts_whatever_the_status(server, read_url, fault, wanted, most):
    log = check(server, read_url, fault, TWO, wanted, most)
    assert {entry["status"] for entry in log} == {200}


@pytest.mark.parametrize("fault, options, wanted", [
    ("etag-of-edges", ["ignore_etag=1"], None),
    ("etag-of-edges", [], "READ: the file changed while it was read: its ETag"),
    ("etag-and-date-of-edges", ["ignore_etag=1"], "READ: the file changed while it was read: its Last-Modified"),
    ("total-changes", ["ignore_etag=1"], "READ: the file changed while it was read: its size"),
])
def test_etags_of_edges_are_ignored_on_request(server, read_url, fault, options, wanted):
    check(server, read_url, fault, TWO, wanted, 2, options=options)


@matrix([
    ("etag-changes", 'READ: the file changed while it was read: its ETag was "one", now "two"', 2),
    ("etag-weak-changes", "READ: the file changed", 2),
    ("etag-weak-date-changes", "READ: the file changed while it was read: its Last-Modified", 2),
    ("etag-later", "READ: the file changed", 3),
    ("date-changes", "READ: the file changed while it was read: its Last-Modified", 2),
    ("total-changes", "READ: the file changed while it was read: its size was 300000, now 300001", 2),
    ("416-shrunk", "READ: the file changed while it was read: its size was 300000, now 10", 2),
    ("etag-weakens", None, 3),
    ("etag-weak", None, 3),
    ("etag-strong-date-changes", None, 3),
    ("date", None, 3),
    ("date-refused", None, 4),
    ("date-refused-changes", "READ: the file changed while it was read: its Last-Modified", 3),
    ("nothing-to-compare", None, 3),
    ("whole-later", None, 2),
    ("whole-later-changed", "READ: the file changed", 2),
])
def test_a_file_that_changes_is_noticed(server, read_url, fault, wanted, most):
    check(server, read_url, fault, THREE, wanted, most)


@matrix([
    ("400", "READ: the server answered 400 [(]no[)]", 1),
    ("401", "DENIED: the server answered 401: it wants to know who asks", 1),
    ("403", "DENIED: the server answered 403: access is denied [(]go away[)]", 1),
    ("403-expired", "DENIED: the server answered 403: .* has expired; ask for a new one [(]Request has expired[)]", 1),
    ("404", "NOT_FOUND: the server answered 404: there is no such file", 1),
    ("204", "READ: the server answered 204", 1),
    ("416", "READ: the server answered 416 to a range that begins in the file", 1),
    ("500", "UNAVAILABLE: the server answered 500", 4),
    ("501", "READ: the server answered 501", 1),
    ("503-hour", r"UNAVAILABLE: the server answered 503.*; it asks to wait 3600 s \(Retry-After\)", 1),
    ("redirect-forever", "READ: the server redirects more than 10 times", 11),
])
def test_refusals_are_told_apart(server, read_url, fault, wanted, most):
    check(server, read_url, fault, ONE, wanted, most)


@pytest.mark.parametrize("query, wanted, most", [
    ("", None, 2 + 3),  # where the redirects lead is kept
    ("&uses=2", None, 2 + 2 + 1 + 2 + 1),  # until it fails, once
    ("&uses=1", None, 3 + 1 + 3 + 3),  # and not again where it fails at once
    ("&uses=1&changes=etag", "READ: the file changed while it was read: its ETag", 7),
    ("&uses=1&changes=size", "READ: the file changed while it was read: its size", 7),
    ("&uses=0", "DENIED: the server answered 403: .* expired", 3),
])
def test_redirects_are_followed_once(server, read_url, query, wanted, most):
    log = check(server, read_url, "moved", THREE, wanted, most, query=f"{query}&to={server.other}")
    assert len(log) == most


def test_many_ranges_take_no_more_redirects(server, read_url):
    ranges = [f"{offset}+10" for offset in range(0, 47 * 70_000, 70_000)]
    url, token = server.url("/-/lie/moved", f"&to={server.other}&size=3290010")
    result = read_url(url, *reversed(ranges))
    assert result.stdout == b"".join(bytes_at(offset, offset + 10) for offset in reversed(range(0, 47 * 70_000, 70_000)))
    log = server.log(token)
    assert [entry["status"] for entry in log] == [307, 302] + [206] * (len(log) - 2) and len(log) <= 2 + 48


@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://127.0.0.1/x", "s3://bucket/key", "gs://bucket/x", "data:,x"])
def test_redirects_lead_to_http_alone(server, read_url, target):
    url, token = server.url("/-/lie/moved-to", f"&to={target}")
    result = read_url(url, "0+10")
    assert b"which leads to no http or https URL" in result.stderr
    assert len(server.log(token)) == 1


@matrix([
    ("403-expired-later", "DENIED: the server answered 403: .* expired", 2),
    ("416-later", "READ: the server answered 416", 2),
])
def test_a_refusal_later_is_told_too(server, read_url, fault, wanted, most):
    check(server, read_url, fault, TWO, wanted, most)


@matrix([
    ("500-twice", None, 4),
    ("stall-once", None, 3),
    ("stall-body-once", None, 3),
    ("reset-once", None, 4),
    ("cut-once", None, 3),
    ("redirect", None, 4),
])
def test_temporary_failures_are_retried(server, read_url, fault, wanted, most):
    check(server, read_url, fault, TWO, wanted, most, options=["timeout=700"])


def test_a_server_is_given_the_time_that_it_asks_for(server, read_url):
    begun = time.monotonic()
    check(server, read_url, "429-seconds", TWO, None, 3)
    assert time.monotonic() - begun >= 7


@pytest.mark.parametrize("fault", ["429-seconds", "429-date"])
def test_waiting_ends_at_the_time_limit(server, read_url, fault):
    """After it the error would be that the time is over."""
    check(server, read_url, fault, TWO, "UNAVAILABLE: the server answered 429: too many requests", 1, options=["time=3000"])


@matrix([
    ("stall", "UNAVAILABLE: no bytes from the server for 150 ms", 4),
    ("stall-body", "UNAVAILABLE: no bytes from the server for 150 ms", 4),
    ("reset", r"UNAVAILABLE: no response \(", 8),
    ("cut", r"UNAVAILABLE: the response broke off \(", 8),
])
def test_an_attempt_that_nothing_answers_ends_in_time(server, read_url, fault, wanted, most):
    check(server, read_url, fault, ONE, wanted, most, options=["timeout=150"])


@pytest.mark.parametrize("fault, query, options, wanted, most", [
    ("trickle", "&size=9999", [], r"UNAVAILABLE: the server sent \d+ bytes in \d+ ms; expected 100 a second", 2),
    ("trickle", "&size=1000&each=50", ["timeout=5000"], None, 1),
    ("trickle", "&size=9999&each=50", ["min_speed=100000"], "UNAVAILABLE: .*expected 100000 a second", 2),
    ("trickle", "&size=20", ["min_speed=1", "timeout=5000"], None, 1), # a gap on a busy machine is no end
])
def test_a_byte_now_and_then_is_an_error(server, read_url, fault, query, options, wanted, most):
    url, token = server.url(f"/-/lie/{fault}", query)
    result = read_url(url, "timeout=300", "attempts=2", *options, "0+20")
    assert (result.returncode, result.stdout) == ((1, b"") if wanted else (0, bytes_at(0, 20)))
    assert re.search(wanted or "", result.stderr.decode()), result.stderr.decode()
    assert len(server.log(token)) == most


def test_a_server_that_answered_before_is_waited_for(read_url):
    """Where it is gone for longer than all pauses between two attempts."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            begin, end = map(int, re.match(r"bytes=(\d+)-(\d+)", self.headers["Range"]).groups())
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {begin}-{end}/{SIZE}")
            self.send_header("Content-Length", str(end + 1 - begin))
            self.end_headers()
            self.wfile.write(bytes_at(begin, end + 1))

        def log_message(self, *_):
            pass

    def serve(port):
        server = http.server.HTTPServer(("127.0.0.1", port), Handler)
        threading.Thread(target=server.serve_forever, args=[0.02], daemon=True).start()
        return server

    def stop(server):
        server.shutdown()
        server.server_close()

    server = serve(0)
    words = [f"http://127.0.0.1:{server.server_port}/x", "attempts=2", "0+10", "wait", "200000+10"]
    program = read_url("http://127.0.0.1:1/", "attempts=1", "0+1").args[0]
    reader = subprocess.Popen([program, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENVIRONMENT)
    assert reader.stdout.read(10) == bytes_at(0, 10)
    stop(server)
    reader.stdin.write(b"\n")
    reader.stdin.flush()
    time.sleep(1)
    server = serve(server.server_port)
    assert (reader.communicate(timeout=30)[0], reader.returncode) == (bytes_at(200_000, 200_010), 0)
    stop(server)


@pytest.mark.parametrize("fault", ["stall", "stall-body", "slow"])
def test_the_time_in_all_is_limited(server, read_url, fault):
    check(server, read_url, fault, STREAM, "UNAVAILABLE: the time for reading is over", 2, options=["time=600"])


def test_slowness_is_no_silence(server, read_url):
    """The first range takes two seconds, in pieces a quarter of one apart."""
    check(server, read_url, "slow", ONE, None, 1, options=["timeout=1800", "attempts=1"])


@pytest.mark.parametrize("fault, options, wanted, most", [
    ("honest", [], None, 1),
    ("whole", [], None, 1),
    ("etag-weak", [], None, 1),
    ("suffix-200", [], None, 1),
    ("suffix-200", ["max_whole=1000"], None, 3),
    ("suffix-endless", [], None, 3),
    ("suffix-416", [], None, 3),
    ("suffix-400", [], None, 3),
    ("suffix-501", [], None, 3),
    ("suffix-as-head", [], None, 2),
    ("suffix-short", [], None, 2),
    ("suffix-500-once", [], None, 2),
    ("suffix-403", [], "DENIED: the server answered 403", 1),
    ("endless", [], "READ: the server ignores ranges", 2),
])
def test_the_end_is_one_request_or_what_a_server_makes_of_it(server, read_url, fault, options, wanted, most):
    check(server, read_url, fault, ["tail"], wanted, most, options=options)


@pytest.mark.parametrize("size", [0, 1, 999])
def test_the_end_of_a_small_or_empty_file(server, read_url, size):
    for ranges in (["tail"], ["0+1000"]):
        url, token = server.url("/-/lie/honest", f"&size={size}")
        result = read_url(url, *ranges)
        assert (result.returncode, result.stdout) == (0, bytes_at(0, size)), result.stderr
        assert len(server.log(token)) <= 2


def test_a_read_past_the_end_gives_what_there_is(server, read_url):
    for fault in "honest", "416-silent":
        url, token = server.url(f"/-/lie/{fault}")
        result = read_url(url, "299990+1000", "300000+10", "300005+10", "size")
        assert result.stdout == bytes_at(SIZE - 10, SIZE) + b"300000\n", result.stderr
        assert len(server.log(token)) <= 2


@matrix([
    ("honest", None, 4),
    ("short", None, 5),
    ("500-twice", None, 6),
    ("cut-once", None, 5),
    ("stall-body-once", None, 5),
])
def test_reading_on_takes_larger_and_larger_ranges(server, read_url, fault, wanted, most):
    check(server, read_url, fault, STREAM, wanted, most, options=["timeout=700"])


def test_bytes_before_a_break_are_not_fetched_again(server, read_url):
    log = check(server, read_url, "cut-once", ONE, None, 2)
    assert log[1]["range"] == "bytes=32768-65535"


@pytest.mark.parametrize("fault, told", [("nothing-to-compare", 1), ("honest", 0), ("date", 0)])
def test_one_warning_says_that_a_change_cannot_be_noticed(cpb, server, fault, told):
    """Where the server says nothing of the file's state but its size, and more than one request is needed."""
    url, token = server.url(f"/-/lie/{fault}")
    note = f"{url.split('?')[0]}: the server gives neither ETag nor date: ".encode()
    result = cpb.run("records", "--recover", url)
    assert len(server.log(token)) > 1 and result.stderr.count(note) == told, result.stderr
    assert cpb.run("records", "--recover", url, "-q").stderr.count(note) == 0


@pytest.mark.parametrize("uses", [1, 3])
def test_a_target_that_expires_under_several_requests(server, read_url, uses):
    """Ranges that go on beside another fail with it: nothing is lost or mixed, and the URL is asked anew."""
    size = 9_000_000
    url, token = server.url("/-/lie/moved", f"&to={server.other}&size={size}&uses={uses}")
    result = read_url(url, f"0+{size}")
    right = (((np.arange(1, size + 1, dtype=np.uint64) * 0x9e3779b1 & 0xffffffff) >> 21) & 0xff).astype(np.uint8)
    assert (result.returncode, result.stdout == right.tobytes()) == (0, True), result.stderr
    assert len(server.log(token)) < 60
