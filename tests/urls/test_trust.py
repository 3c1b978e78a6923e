"""What is sent to whom: conditions, headers, passwords, certificates; and that no message shows a secret."""

import http.server
import threading
import urllib.parse

import pytest

from urls.conftest import ENVIRONMENT, bytes_at

SECRET = "hidden-secret"


def moved(server, target):
    """A URL that is redirected to another."""
    return server.url(f"/-/move/{urllib.parse.quote(target, safe='')}")


def bytes_of(result):
    assert result.returncode == 0, result.stderr.decode()
    return result.stdout


@pytest.mark.parametrize("etag, wanted", [
    ('"one"', {"if-match": '"one"'}),
    ('W/"one"', {"if-unmodified-since": "Thu, 01 Jan 2026 00:00:00 GMT"}),
])
def test_later_ranges_are_of_the_same_state(server, read_url, etag, wanted):
    """A server that knows conditions refuses as soon as the file has changed."""
    url, token = server.url("/-/see/file", f"&etag={urllib.parse.quote(etag)}")
    assert bytes_of(read_url(url, "0+10", "200000+10")) == bytes_at(0, 10) + bytes_at(200000, 200010)
    conditions = [{name: value for name, value in request.items() if name.startswith("if-")}
                  for request in server.seen(token)]
    assert conditions == [{}, wanted]


def test_nothing_is_compressed_on_the_way(server, read_url):
    url, token = server.url("/-/see/file")
    bytes_of(read_url(url, "0+10"))
    [request] = server.seen(token)
    assert request["accept-encoding"] == "identity" and request["range"] == "bytes=0-65535"


def test_headers_stay_with_their_host(cpb, server):
    """The other origin is another port of the same host."""
    for target, kept in [(f"{server.base}/-/see/x.pb?count=", True), (f"{server.other}/-/see/x.pb?count=", False)]:
        inner = server.url("")[1]
        url, token = moved(server, target + inner)
        merged = cpb.run("cat", url, "--record", "0", "--header", f"Authorization: {SECRET}", "--header", f"X-Key: {SECRET}")
        assert b"not a Riegeli" in merged.stderr
        assert all(request["authorization"] == request["x-key"] == SECRET for request in server.seen(token))
        assert server.seen(inner)
        assert all((SECRET in (arrived.get("authorization"), arrived.get("x-key"))) == kept for arrived in server.seen(inner))


def test_passwords_stay_with_their_host(server, read_url, tmp_path):
    """Of the URL, and of ~/.netrc, which knows hosts only."""
    for target, kept in [(server.base, True), (server.other, False)]:
        inner = server.url("")[1]
        url, token = moved(server, f"{target}/-/see/x?count={inner}")
        bytes_of(read_url(url.replace("//", f"//user:{SECRET}@"), "0+10"))
        assert server.seen(token)[0]["authorization"].startswith("Basic ")
        [arrived] = server.seen(inner)
        assert "authorization" not in arrived or kept
    (tmp_path / ".netrc").write_text(f"machine 127.0.0.1 login user password {SECRET}\n")
    url, token = server.url("/-/see/x")
    bytes_of(read_url(url, "0+10", env={"HOME": str(tmp_path)}))
    assert server.seen(token)[0]["authorization"].startswith("Basic ")


def test_a_default_password_stays_with_its_host(server, read_url, tmp_path):
    """That of ~/.netrc is for the URL's own host. An entry for the other machine is for that one alone."""
    default = f"default login user password {SECRET}\n"
    for netrc, arrives in [(default, False), (f"machine elsewhere login x password y\nDEFAULT{default[7:]}", False),
                           (f"machine 127.0.0.1 login user password {SECRET}\n", True)]:
        (tmp_path / ".netrc").write_text(netrc)
        inner = server.url("")[1]
        url, token = moved(server, f"{server.other}/-/see/x?count={inner}")
        bytes_of(read_url(url, "0+10", env={"HOME": str(tmp_path)}))
        assert server.seen(token)[0]["authorization"].startswith("Basic ")
        assert ("authorization" in server.seen(inner)[0]) == arrives, netrc


def test_https_needs_a_certificate_that_is_trusted(server, read_url, certificate):
    url = f"{server.secure}/-/see/x?count="
    inner = server.url("")[1]
    refused = read_url(url + inner, "0+10")
    assert refused.returncode == 1 and b"certificate" in refused.stderr
    assert server.seen(inner) == []
    for variable in "SSL_CERT_FILE", "CURL_CA_BUNDLE":
        assert bytes_of(read_url(url + inner, "0+10", env={variable: str(certificate[0])})) == bytes_at(0, 10)


def test_https_does_not_lead_to_http(server, read_url, certificate):
    inner = server.url("")[1]
    target = urllib.parse.quote(f"{server.base}/-/see/x?count={inner}", safe="")
    result = read_url(f"{server.secure}/-/move/{target}", "0+10", env={"SSL_CERT_FILE": str(certificate[0])})
    assert b"leads from https to http" in result.stderr
    assert server.seen(inner) == []


@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://127.0.0.1/x", "s3://bucket/key", "gopher://127.0.0.1/"])
def test_a_redirect_leads_to_http_alone(server, read_url, target):
    result = read_url(moved(server, target)[0], "0+10")
    assert result.returncode == 1
    assert b"leads to no http or https URL" in result.stderr, result.stderr


def test_a_proxy_of_the_environment_is_used(server, read_url):
    asked = []

    class Proxy(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(206)
            self.send_header("Content-Range", "bytes 0-9/10")
            self.end_headers()
            self.wfile.write(b"from proxy")

        def log_message(self, *_):
            pass

    proxy = http.server.HTTPServer(("127.0.0.1", 0), Proxy)
    threading.Thread(target=proxy.serve_forever, daemon=True).start()
    environment = {"http_proxy": f"http://127.0.0.1:{proxy.server_port}"}
    assert bytes_of(read_url("http://host.invalid/x", "0+10", env=environment)) == b"from proxy"
    assert asked == ["http://host.invalid/x"]
    url, _ = server.url("/-/see/x")
    assert bytes_of(read_url(url, "0+10", env=environment | {"no_proxy": "127.0.0.1"})) == bytes_at(0, 10)
    proxy.shutdown()


@pytest.mark.parametrize("words", [
    ["info"], ["inspect"], ["verify"], ["records"], ["verify", "--json"], ["merge", "-o", "-"], ["cat", "--field", "x"],
    ["diff", "x.pb"], ["split", "-o", "x.cpb"], ["merge", "-o", "-", "x"]])
def test_no_message_shows_what_is_secret(cpb, server, words, tmp_path):
    """Neither user and password nor the query, where signatures are; also of what is nowhere, or no URL."""
    for url in (f"{server.base}/-/lie/403", "http://127.0.0.1:1/model.cpb", f"{server.base}/-/see/model.cpb",
                "http://host.invalid/x"):
        url = url.replace("//", f"//user:{SECRET}@") + f"?X-Amz-Signature={SECRET}#{SECRET}"
        result = cpb.run(words[0], url, *words[1:], cwd=tmp_path, env={"PATH": "/bin:/usr/bin", "HOME": "/nonexistent"})
        assert result.returncode != 0
        assert SECRET.encode() not in result.stdout + result.stderr
        assert b"user" not in result.stderr


def test_secrets_are_not_in_answers(cpb, server):
    path = "/tests/data/cpb/real_frozen_conv/max1000_none.cpb"
    url = f"{server.base}{path}".replace("//", f"//user:{SECRET}@", 1) + f"?sig={SECRET}"
    for command in "info", "verify":
        for options in [], ["--json"]:
            text = cpb.ok(command, url, *options)
            assert SECRET.encode() not in text and f"{server.base}{path}".encode() in text


@pytest.mark.parametrize("url", ["http://", "https:///x", "http://host/a b", "s3://", "http://:80/x", "http://host/\nx",
                                 "http://host:65536/x", "http://host:x/", "http://[::1/x", "http://[::1"])
def test_text_that_is_no_url_is_not_requested(cpb, read_url, url):
    """Nor is what becomes a URL when the name of a model is appended."""
    result = read_url(url, "0+10")
    assert result.stderr.startswith(b"USAGE: this is no URL"), result.stderr
    result = cpb.run("inspect", url)
    assert result.returncode == 1 and b": this is no URL; expected" in result.stderr


def test_endings_are_not_appended_to_a_bucket_or_a_host(cpb, server):
    """They would name another one, which may be anybody's."""
    result = cpb.run("inspect", "s3://bucket", env={"AWS_ENDPOINT_URL": server.base})
    assert result.returncode == 1 and b"s3://bucket: this names no file; expected s3://BUCKET/KEY" in result.stderr
    result = cpb.run("inspect", "http://host.invalid")
    assert result.returncode == 3 and result.stderr.count(b"host.invalid") == 2 and b"tried" not in result.stderr


@pytest.fixture
def hub(server, below):
    """A service with a file at org/model, and its bytes; hf:// and gs:// by the environment."""
    path = below / "org" / "model" / "resolve" / "main" / "dir" / "x.bin"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bytes_at(0, 1000))
    (below / "bucket" / "dir").mkdir(parents=True, exist_ok=True)
    (below / "bucket" / "dir" / "a b#c").write_bytes(bytes_at(0, 1000))
    (below / "g" / "p" / "-" / "raw" / "main").mkdir(parents=True, exist_ok=True)
    (below / "g" / "p" / "-" / "raw" / "main" / "x").write_bytes(bytes_at(0, 1000))
    return {"HF_ENDPOINT": f"{server.base}/-/below", "STORAGE_EMULATOR_HOST": f"{server.base}/-/below/".removeprefix("http://")}


def test_files_have_other_addresses(server, read_url, hub):
    for url in "hf://org/model/dir/x.bin", "gs://bucket/dir/a b#c", f"{server.base}/-/below/g/p/-/blob/main/x#L10":
        assert bytes_of(read_url(url, "0+1000", env=hub)) == bytes_at(0, 1000)


@pytest.mark.parametrize("url, variable", [("hf://org/model/dir/x.bin", "HF_TOKEN"), ("hf://org/model/dir/x.bin", "HOME"),
                                           ("gs://bucket/dir/x", "GOOGLE_OAUTH_ACCESS_TOKEN")])
def test_tokens_are_for_the_service_alone(server, read_url, hub, tmp_path, url, variable):
    """Neither another service nor where the service redirects to gets them, also when that is kept."""
    (tmp_path / ".cache" / "huggingface").mkdir(parents=True)
    (tmp_path / ".cache" / "huggingface" / "token").write_text(f"{SECRET}\n")
    secret = {variable: str(tmp_path) if variable == "HOME" else SECRET}
    token = server.url("")[1]
    result = read_url(f"{url}?count={token}", "0+10", env=hub | secret)
    assert {request["authorization"] for request in server.seen(token)} == {f"Bearer {SECRET}"}
    assert SECRET.encode() not in result.stderr
    other = f"{server.base}/-/below/bucket/x" if url.startswith("hf") else "hf://org/model/dir/x.bin"
    token = server.url("")[1]
    read_url(f"{other}?count={token}", "0+10", env=hub | secret)
    assert all("authorization" not in request for request in server.seen(token)) and server.seen(token)
    outer, inner = server.url("")[1], server.url("")[1]
    target = urllib.parse.quote(f"{server.other}/-/see/x?count={inner}", safe="")
    moving = {"HF_ENDPOINT": f"{server.base}/-/move/{target}?count={outer}&x=", "STORAGE_EMULATOR_HOST": f"{server.base}/-/move/{target}"}
    result = read_url("gs://b/o" if url.startswith("gs") else "hf://o/m/f", "0+10", "200000+10",
                      env=secret | {name: value.split("?")[0] for name, value in moving.items()})
    arrived = [request for name in ("", "/b/o", "/o/m/resolve/main/f") for request in server.seen(inner + name)]
    assert arrived and all("authorization" not in request for request in arrived), result.stderr


def test_a_header_comes_before_the_token(server, cpb, hub):
    token = server.url("")[1]
    cpb.run("info", f"hf://org/model/x?count={token}", "--header", "authorization: mine", env={**ENVIRONMENT, **hub, "HF_TOKEN": SECRET})
    assert {request["authorization"] for request in server.seen(token)} == {"mine"}


@pytest.mark.parametrize("url, wanted", [
    ("ftp://host/x", b"URLs of this scheme are not read; expected one of http, https, s3, hf, gs and file"),
    ("data:,x", b"URLs of this scheme are not read"),
    ("hf://org/model", b"this names no file; expected hf://OWNER/MODEL/FILE"),
    ("file://host/x", b"names no file of this machine; expected file:///PATH"),
    ("file:///%zz", b"names no file of this machine"),
])
def test_unknown_urls_are_told(cpb, url, wanted):
    result = cpb.run("info", url, env=ENVIRONMENT)
    assert result.returncode and wanted in result.stderr, result.stderr


def test_file_urls_are_paths(cpb, tmp_path):
    (tmp_path / "a b.pb").write_bytes(b"")
    assert cpb.ok("merge", f"file://{tmp_path}/a%20b.pb", "-o", "-") == b""
    assert cpb.ok("merge", f"file://localhost{tmp_path}/a%20b.pb", "-o", "-") == b""
