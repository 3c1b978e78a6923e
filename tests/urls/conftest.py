"""The servers, and what reads from them."""

import json
import os
import re
import shutil
import subprocess
import uuid
import urllib.request

import pytest

from conftest import ROOT, built

SIZE = 300_000  # of the lying server's file


def bytes_at(begin, end):
    """The bytes [begin, end) of its file (web/test/support/lies.js)."""
    return bytes((((i + 1) * 0x9e3779b1 & 0xffffffff) >> 21) & 0xff for i in range(begin, end))


class Server:
    """The test server of the JavaScript package (server.js), which counts requests."""

    def __init__(self, below, env):
        self.process = subprocess.Popen(["node", ROOT / "tests" / "urls" / "server.js"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, env={**os.environ, "CPB_BELOW": below, **env})
        self.base, self.other, self.secure, *_ = [*self.process.stdout.readline().split(), None]

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=60)

    def url(self, path, query=""):
        """A URL whose requests are counted, and its token."""
        token = uuid.uuid4().hex
        return f"{self.base}{path}?count={token}{query}", token

    def log(self, token):
        """What was asked for: method, url, range, status, bytes."""
        with urllib.request.urlopen(f"{self.base}/-/count/{token}") as response:
            return json.load(response)["log"]

    def seen(self, token):
        """The headers that came."""
        with urllib.request.urlopen(f"{self.base}/-/seen/{token}") as response:
            return json.load(response)


@pytest.fixture(scope="session")
def certificate(tmp_path_factory):
    """A certificate for 127.0.0.1 that nobody trusts, and its key."""
    folder = tmp_path_factory.mktemp("certificate")
    paths = folder / "certificate.pem", folder / "key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
                    "-addext", "subjectAltName=IP:127.0.0.1", "-out", paths[0], "-keyout", paths[1]], check=True,
                   capture_output=True)
    return paths


@pytest.fixture(scope="session")
def below(tmp_path_factory):
    """The folder that the server gives files of."""
    return tmp_path_factory.mktemp("below")


@pytest.fixture(scope="session")
def server(certificate, below):
    server = Server(str(below), {"CERTIFICATE": str(certificate[0]), "KEY": str(certificate[1])})
    yield server
    server.close()


# No proxy, and nobody's own keys or passwords.
ENVIRONMENT = {name: value for name, value in os.environ.items()
               if not re.search("proxy|^AWS_|^SSL_CERT|^CURL_|^HF_|^HUGGING|^XDG_CACHE|^GOOGLE_|^CLOUDSDK_|^STORAGE_", name, re.I)} | {"HOME": "/nonexistent"}


@pytest.fixture(scope="session")
def read_url():
    """Runs read_url, which stands where the command does."""
    program = built("tests/urls/read_url")

    def read(*words, env=None):
        return subprocess.run([program, *map(str, words)], capture_output=True, timeout=120, env={**ENVIRONMENT, **(env or {})})

    return read


def find(name):
    """A program that web/test/setup.sh installs."""
    path = shutil.which(name, path=f"{ROOT / 'build' / 'tools'}:{os.environ['PATH']}:/usr/sbin")
    return path or pytest.skip(f"no {name}: run web/test/setup.sh")
