"""Real servers: nginx, and one that is compatible with S3 (versitygw)."""

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid

import pytest

from conftest import DATA
from support import onnx_models
from urls.conftest import ENVIRONMENT, find

CHUNKED = DATA / "cpb" / "real_frozen_conv" / "max1000_none.cpb"
MESSAGE = DATA / "cpb" / "real_frozen_conv" / "orig.pb"
KEYS = {"AWS_ACCESS_KEY_ID": "test-access", "AWS_SECRET_ACCESS_KEY": "test-secret"}


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(url, process):
    for _ in range(200):
        try:
            urllib.request.urlopen(url).close()
            return
        except urllib.error.HTTPError:
            return
        except OSError:
            assert process.poll() is None, "the server has ended"
            time.sleep(0.05)
    raise TimeoutError(url)


@pytest.fixture(scope="module")
def nginx(tmp_path_factory):
    """/files/ as they are, /gzip/ compressed, /page/ without ranges, /private/ with a password."""
    program, folder, port = find("nginx"), tmp_path_factory.mktemp("nginx"), free_port()
    (folder / "files").mkdir()
    for name, content in {"model.cpb": CHUNKED.read_bytes(), "saved_model.pb": MESSAGE.read_bytes(), "empty.pb": b"",
                          "large.pb": bytes(3_000_000)}.items():
        (folder / "files" / name).write_bytes(content)
    (folder / "passwords").write_text("user:{PLAIN}password\n")
    paths = "".join(f"{name}_temp_path {folder}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    (folder / "nginx.conf").write_text(f"""
        daemon off; {"user root;" if os.getuid() == 0 else ""} pid {folder}/pid; error_log {folder}/error.log;
        events {{}}
        http {{
          access_log off; {paths} default_type application/octet-stream;
          server {{
            listen 127.0.0.1:{port};
            location /files/ {{ alias {folder}/files/; }}
            location /gzip/ {{ alias {folder}/files/; gzip on; gzip_types *; gzip_min_length 1; }}
            location /page/ {{ alias {folder}/files/; max_ranges 0; }}
            location /private/ {{ alias {folder}/files/; auth_basic "mine"; auth_basic_user_file {folder}/passwords; }}
          }}
        }}""")
    process = subprocess.Popen([program, "-c", folder / "nginx.conf", "-e", folder / "error.log"])
    wait_for(f"http://127.0.0.1:{port}/", process)
    yield f"http://127.0.0.1:{port}", folder / "files"
    process.terminate()
    process.wait()


def run(cpb, *words, **env):
    return cpb.run(*words, env=ENVIRONMENT | env)


def test_nginx(cpb, nginx):
    base, _ = nginx
    merged = cpb.ok("merge", CHUNKED, "-o", "-")
    for folder in "files", "gzip", "page":
        assert run(cpb, "merge", f"{base}/{folder}/model.cpb", "-o", "-").stdout == merged
    assert run(cpb, "inspect", f"{base}/files/", "--json").stdout == cpb.ok("inspect", MESSAGE, "--json")
    assert run(cpb, "merge", f"{base}/files/empty.pb", "-o", "-").returncode == 0
    assert len(run(cpb, "merge", f"{base}/files/large.pb", "-o", "-").stdout) == 3_000_000
    refused = run(cpb, "merge", f"{base}/page/large.pb", "-o", "-")
    assert (refused.returncode, refused.stdout) == (3, b"")
    assert b"the server ignores ranges: it sent all 3000000 bytes, where up to 1048576 are taken" in refused.stderr


def test_nginx_wants_a_password(cpb, nginx, tmp_path):
    base, _ = nginx
    url = f"{base}/private/model.cpb"
    refused = run(cpb, "info", url)
    assert refused.returncode == 3 and b"401: it wants to know who asks" in refused.stderr
    assert run(cpb, "info", url.replace("//", "//user:password@")).returncode == 0
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login user password password\n")
    assert run(cpb, "info", url, HOME=str(tmp_path)).returncode == 0
    assert run(cpb, "info", url, "--header", "Authorization: Basic dXNlcjpwYXNzd29yZA==").returncode == 0


def test_nginx_knows_when_a_file_has_changed(nginx, read_url):
    """Between two ranges of one file; its ETag is checked by the server, too (412)."""
    base, folder = nginx
    path = folder / "changing"
    path.write_bytes(bytes(300_000))
    whole = read_url(f"{base}/files/changing", "0+10", "200000+10")
    assert whole.returncode == 0
    process = subprocess.Popen([*whole.args[:2], "0+10", "wait", "200000+10"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT)
    assert process.stdout.read(10) == bytes(10)
    path.write_bytes(bytes(300_001))
    out, err = process.communicate(b"\n", timeout=60)
    assert (process.returncode, out) == (1, b"")
    assert b"the file changed while it was read: the server answered 412" in err


@pytest.fixture(scope="module")
def s3(tmp_path_factory):
    """A bucket "models" with files of several names."""
    program, folder, port = find("versitygw"), tmp_path_factory.mktemp("s3"), free_port()
    for name in "buckets", "sidecar":
        (folder / name).mkdir()
    env = {"ROOT_ACCESS_KEY_ID": KEYS["AWS_ACCESS_KEY_ID"], "ROOT_SECRET_ACCESS_KEY": KEYS["AWS_SECRET_ACCESS_KEY"]}
    process = subprocess.Popen([program, "--quiet", "--port", f"127.0.0.1:{port}", "posix", "--sidecar", folder / "sidecar",
                                folder / "buckets"], env=os.environ | env)
    base = f"http://127.0.0.1:{port}"
    wait_for(base, process)
    for name in "", "dir/a model+100%.cpb", "dir/größe.cpb", "dir/model.cpb", "model/saved_model.pb":
        content = MESSAGE if name.endswith(".pb") else CHUNKED
        upload = ["curl", "-sS", "--fail", "-X", "PUT", "--aws-sigv4", "aws:amz:us-east-1:s3", "--user", ":".join(KEYS.values())]
        upload += ["--upload-file", content] if name else []
        path = "".join(c if c.isalnum() and c.isascii() or c in "-._~/" else "".join(f"%{b:02X}" for b in c.encode()) for c in name)
        upload += ["-H", "x-amz-content-sha256: UNSIGNED-PAYLOAD", f"{base}/models/{path}".rstrip("/")]
        subprocess.run(upload, check=True, env=ENVIRONMENT)
    yield base
    process.terminate()
    process.wait()


@pytest.mark.parametrize("name", ["dir/model.cpb", "dir/a model+100%.cpb", "dir/größe.cpb"])
def test_s3_requests_are_signed(cpb, s3, name):
    found = run(cpb, "merge", f"s3://models/{name}", "-o", "-", AWS_ENDPOINT_URL_S3=s3, **KEYS)
    assert (found.stderr, found.stdout) == (b"", cpb.ok("merge", CHUNKED, "-o", "-"))


def test_s3_model_is_found(cpb, s3):
    found = run(cpb, "inspect", "s3://models/model/", "--json", AWS_ENDPOINT_URL=f"{s3}/", AWS_REGION="us-east-1", **KEYS)
    assert (found.stderr, found.stdout) == (b"", cpb.ok("inspect", MESSAGE, "--json"))


@pytest.mark.parametrize("env, wanted", [
    ({"AWS_SECRET_ACCESS_KEY": "wrong"}, b"the server answered 403: access is denied (The request signature"),
    ({"AWS_ACCESS_KEY_ID": "nobody"}, b"there is no such file (No user exists with the provided access key ID.)"),
    ({"AWS_ACCESS_KEY_ID": ""}, b"the server answered 403: access is denied"),
    ({"AWS_REGION": "eu-west-9"}, b"the server answered 400"),
    ({"AWS_REGION": "no region"}, b"AWS_REGION is no region"),
    ({"AWS_ENDPOINT_URL_S3": "x"}, b"AWS_ENDPOINT_URL is no http or https URL"),
    ({"AWS_SECRET_ACCESS_KEY": "a\nb"}, b"AWS_SECRET_ACCESS_KEY has a space or a control character"),
])
def test_s3_refusals_are_told(cpb, s3, env, wanted):
    result = run(cpb, "info", "s3://models/dir/model.cpb", **({"AWS_ENDPOINT_URL_S3": s3} | KEYS | env))
    assert result.returncode in (1, 3)
    assert wanted in result.stderr, result.stderr
    assert b"secret" not in result.stderr and b"test-access" not in result.stderr


def test_s3_settings_of_the_files(cpb, s3, tmp_path):
    """Those of a profile, where the environment says nothing; errors name file and line, and nothing secret."""
    (tmp_path / ".aws").mkdir()
    credentials, config = tmp_path / ".aws" / "credentials", tmp_path / ".aws" / "config"
    keys = "".join(f"{name.lower()} = {value}\n" for name, value in KEYS.items())
    credentials.write_text(f"[default]\naws_access_key_id = nobody\naws_secret_access_key = x\n[mine]\n{keys}")
    config.write_text(f"[profile mine]\nregion = us-east-1\nendpoint_url = {s3}\n")
    words = "merge", "s3://models/dir/model.cpb", "-o", "-"
    wanted = cpb.ok("merge", CHUNKED, "-o", "-")
    assert run(cpb, *words, HOME=str(tmp_path), AWS_PROFILE="mine").stdout == wanted
    files = {"AWS_SHARED_CREDENTIALS_FILE": str(credentials), "AWS_CONFIG_FILE": str(config)}
    assert run(cpb, *words, AWS_PROFILE="mine", **files).stdout == wanted
    refused = run(cpb, *words, AWS_ENDPOINT_URL=s3, **files)
    assert refused.returncode == 3 and b"No user exists with the provided access key ID" in refused.stderr
    credentials.write_text("[mine]\naws_access_key_id test-secret\n")
    wrong = run(cpb, *words, AWS_PROFILE="mine", **files)
    assert wrong.returncode == 1 and b"test-secret" not in wrong.stderr
    assert f"{credentials}, line 2: not understood; expected NAME = VALUE".encode() in wrong.stderr, wrong.stderr


def test_s3_that_is_not_there(cpb, s3):
    for name in "models/none.cpb", "models/none/", "nothing/x.cpb":
        result = run(cpb, "inspect", f"s3://{name}", AWS_ENDPOINT_URL_S3=s3, **KEYS)
        assert result.returncode == 3
        assert f"s3://{name}: the server answered 404: there is no such file".encode() in result.stderr


@pytest.mark.parametrize("key, path", [
    ("x#y", "x%23y"), ("x?acl", "x%3Facl"), ("x#a?b#?c.pb", "x%23a%3Fb%23%3Fc.pb"), ("%2e%2e/x", "%252e%252e/x"),
    ("x?versionId=3", "x?versionId=3"), ("x?y?versionId=3&acl", "x%3Fy?versionId=3&acl")])
def test_s3_keys_have_every_character(server, read_url, key, path):
    """Only the parameters after a "?" are none of the name."""
    token = uuid.uuid4().hex
    joint = "&" if "=" in key else "?"
    read_url(f"s3://-/see/{key}{joint}count={token}", "0+10", env=KEYS | {"AWS_ENDPOINT_URL": server.base})
    assert [request["url"] for request in server.seen(token)] == [f"/-/see/{path}{joint}count={token}"]


@pytest.mark.parametrize("location, path", [
    ("a?acl", "a%3Facl"), ("a#b", "a%23b"), ("a?", "a%3F"), ("%2e%2e", "%252e%252e"), ("a b", "a%20b"),
    ("a?versionId=1", None), ("//other/x", None), ("..", None), ("a/../../b", None), ("s3://other/x", None)])
@pytest.mark.parametrize("scheme", ["s3", "http"])
def test_a_file_names_another_and_no_query(cpb, server, below, location, path, scheme):
    """With what is in the place of a file's name, a model cannot have its reader sign requests of its choice."""
    (below / "named.onnx").write_bytes(onnx_models.elsewhere(location))
    token = uuid.uuid4().hex
    url = {"s3": "s3://-/below/", "http": f"{server.base}/-/below/"}[scheme] + f"named.onnx?count={token}"
    result = run(cpb, "extract", url, "w0", "-o", "-", AWS_ENDPOINT_URL=server.base, **KEYS)
    if scheme == "http" and location == "a?versionId=1":
        path = "a%3FversionId%3D1"
    asked = {request["url"] for request in server.seen(token)} - {f"/-/below/named.onnx?count={token}"}
    assert asked == ({f"/-/below/{path}?count={token}"} if path else set()), result.stderr
    assert result.returncode == 3 and (not location.startswith("a?v") or path or b"would begin a query" in result.stderr)


def test_a_package_names_its_model_and_no_query(cpb, server, below):
    (below / "p.mlpackage").mkdir(exist_ok=True)
    (below / "p.mlpackage" / "Manifest.json").write_text(
        '{"rootModelIdentifier": "m", "itemInfoEntries": {"m": {"path": "a?b#c%2e"}}}')
    token = uuid.uuid4().hex
    run(cpb, "inspect", f"{server.base}/-/model/p.mlpackage/?count={token}")
    assert f"/-/model/p.mlpackage/Data/a%3Fb%23c%252e?count={token}" in {request["url"] for request in server.seen(token)}


def test_s3_sends_the_session_token_to_its_endpoint_alone(server, read_url):
    """Signed with it; a redirect to another origin takes neither signature nor token along."""
    environment = KEYS | {"AWS_SESSION_TOKEN": "the-token", "AWS_REGION": "eu-central-1"}
    _, token = server.url("")
    read_url(f"s3://-/see/x?count={token}", "0+10", env=environment | {"AWS_ENDPOINT_URL": server.base})
    [request] = server.seen(token)
    assert request["x-amz-security-token"] == "the-token"
    assert "test-access" in request["authorization"] and "/eu-central-1/s3/aws4_request" in request["authorization"]
    for name in "x-amz-security-token", "x-amz-content-sha256", "x-amz-date", "host":
        assert name in request["authorization"]
    _, token = server.url("")
    _, other = server.url("")
    target = f"{server.other}/-/see/x?count={other}".replace("/", "%2F").replace("?", "%3F")
    moved = f"{server.base}/-/move/{target}"
    read_url("s3://-/see", "0+10", env=environment | {"AWS_ENDPOINT_URL": moved})
    [arrived] = server.seen(f"{other}/-/see")
    assert not {"authorization", "x-amz-security-token", "x-amz-date"} & set(arrived), arrived


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """Python's own server, which knows no ranges, with a model of more than 1 MiB."""
    folder, port = tmp_path_factory.mktemp("plain"), free_port()
    program = [sys.executable, "-m", "http.server", str(port), "--bind", "127.0.0.1", "--directory", folder]
    process = subprocess.Popen(program, stderr=subprocess.DEVNULL)
    (folder / "large.onnx").write_bytes(onnx_models.large(3_000_000))
    wait_for(f"http://127.0.0.1:{port}/", process)
    yield f"http://127.0.0.1:{port}", folder
    process.terminate()
    process.wait()


def test_a_server_without_ranges(cpb, plain, tmp_path):
    """Its files are downloaded on request, to where nothing is left of them."""
    base, folder = plain
    words = "inspect", f"{base}/large.onnx", "--json"
    refused = run(cpb, *words)
    assert refused.returncode == 3 and b"(--download)" in refused.stderr, refused.stderr
    for extra in (), ("--ignore-etag",):
        result = run(cpb, *words, "--download", "4M", *extra, TMPDIR=str(tmp_path))
        assert (result.stderr.count(b"\n"), result.stdout) == (0, cpb.ok("inspect", folder / "large.onnx", "--json")), result.stderr
    merged = run(cpb, "extract", f"{base}/large.onnx", "w", "--raw", "-o", "-", "--download", "4M", TMPDIR=str(tmp_path))
    assert merged.stdout == bytes(3_000_000), merged.stderr
    limited = run(cpb, *words, "--download", "2M")
    assert limited.returncode == 4 and b"up to 2097152 may be downloaded" in limited.stderr
    nowhere = run(cpb, *words, "--download", "4M", TMPDIR="/nonexistent")
    assert nowhere.returncode == 3 and b"No such file" in nowhere.stderr, nowhere.stderr
    assert not list(tmp_path.iterdir())
