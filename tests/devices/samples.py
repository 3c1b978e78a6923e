#!/usr/bin/env python3
"""samples.py CPB FOLDER: runs the samples for Zephyr and ESP-IDF, each with its three sources, as programs in FOLDER
that have stand-ins for these systems beneath them. What they read must be what the command reads of the whole
message."""

import hashlib
import http.server
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODEL = ROOT / "tests/data/cpb/real_keras_export/orig.pb"
FIELD = "2[0].2.2.1[3]"  # meta_graphs[0].graph_def.library.function[3]
SAMPLES = [(system, source) for system in ("zephyr", "esp-idf") for source in ("flash", "sd", "http")]
MEMORY = 131072  # what a decoder of Zstd takes in a program for this computer
HTTP = [("zephyr", "http"), ("esp-idf", "http")]


class Server(http.server.BaseHTTPRequestHandler):
    """Answers ranges of the model; at other paths in ways that no server should."""
    protocol_version = "HTTP/1.1"
    model = b""
    connections = answered = 0

    def setup(self):
        super().setup()
        Server.connections += 1

    def do_GET(self):
        Server.answered += 1
        found = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        first, last = int(found[1]), int(found[2])
        body, total = self.model[first:last + 1], len(self.model)
        whole = self.path == "/whole"
        if self.path == "/changes" and Server.answered > 3:
            total += 1
        self.send_response(200 if whole else 404 if self.path == "/none" else 206)
        if not whole and self.path != "/none":
            self.send_header("Content-Range", f"bytes {first}-{last}/{total}")
        self.send_header("Content-Length", str(len(self.model) if whole else len(body)))
        self.end_headers()
        self.wfile.write(self.model if whole else body[:-1] if self.path == "/short" else body)
        self.close_connection = self.path in ("/closes", "/short", "/whole", "/none")

    def log_message(self, *_):
        pass


def cpb(*args):
    return subprocess.run([CPB, *map(str, args)], check=True, capture_output=True).stdout


class Samples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        folder = pathlib.Path(cls.folder.name)
        cpb("split", MODEL, "--for-memory", "64K", "--max-chunk-size", "3000", "-o", folder / "model.cpb")
        cls.model = Server.model = (folder / "model.cpb").read_bytes()
        cls.flash = folder / "flash"
        cls.flash.write_bytes(cls.model + b"\xff" * 5000)
        cls.field = cpb("cat", MODEL, "--field", FIELD, "--schema", ROOT / "tests/data/schema/tensorflow.fds")
        cls.chunk = cpb("cat", folder / "model.cpb", "--chunk", 1)
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()

    @classmethod
    def tearDownClass(cls):
        cls.server.shutdown()
        cls.server.server_close()
        cls.folder.cleanup()

    def run_sample(self, sample, path="/model.cpb", **settings):
        """The lines that it prints."""
        port = str(self.server.server_address[1])
        sha256 = hashlib.sha256(self.model).hexdigest()
        values = {"FIELD": FIELD, "CHUNK": 1, "MEMORY": MEMORY, "MODEL_SIZE": len(self.model), "MODEL_SHA256": sha256,
                  "HTTP_PORT": port, "HTTP_PATH": path, "URL": f"http://127.0.0.1:{port}{path}", **settings}
        Server.answered = Server.connections = 0
        done = subprocess.run(
            [os.path.join(PROGRAMS, "sample_" + "_".join(sample))], capture_output=True, text=True, timeout=60,
            env={"FLASH": str(self.flash), "CARD": self.folder.name, **os.environ,
                 **{f"SAMPLE_{name}": str(value) for name, value in values.items()}})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.splitlines()

    def check_read(self, lines):
        for what, data in ((FIELD, self.field), ("chunk 1", self.chunk)):
            self.assertGreater(len(data), 50)
            self.assertIn(f"{what}: {len(data)} bytes, SHA-256 {hashlib.sha256(data).hexdigest()}", lines)
        self.assertEqual(lines[-1], "done")

    def test_values_are_those_that_the_command_reads(self):
        for sample in SAMPLES:
            with self.subTest(sample):
                lines = self.run_sample(sample)
                self.assertEqual(lines[:2], [f"model: {len(self.model)} bytes", "model: verified"])
                self.check_read(lines)
                told = re.findall(r"^(?:field reader|pager): (\d+) bytes of memory$", "\n".join(lines), re.M)
                self.assertEqual(len(told), 2)
                self.assertLessEqual(max(map(int, told)), MEMORY)
                self.assertRegex(lines[-2], r"^\d+ steps, the longest took \d+ (cycles|us)$")

    def test_a_model_that_is_not_the_manifests_is_not_read(self):
        for sample in SAMPLES:
            for settings in ({"MODEL_SHA256": hashlib.sha256(b"").hexdigest()}, {"MODEL_SIZE": len(self.model) - 1}):
                with self.subTest(sample, **settings):
                    lines = self.run_sample(sample, **settings)
                    self.assertEqual(lines[1:2] + lines[-1:],
                                     ["model: its SHA-256 is not the manifest's; it is not read", "failed"])
                    self.assertFalse([line for line in lines if FIELD in line or "chunk" in line])
        lines = self.run_sample(("zephyr", "sd"), MODEL_SIZE=len(self.model) + 1)
        self.assertEqual(lines[0], "model: it is shorter than the manifest says")

    def test_an_error_says_that_the_manifest_is_missing(self):
        lines = self.run_sample(("esp-idf", "sd"), MODEL_SIZE=0, MODEL_SHA256="")
        self.assertEqual(lines[1], "model: not verified, the manifest has no SHA-256")
        self.check_read(lines)

    def test_errors_are_the_readers(self):
        lines = self.run_sample(("zephyr", "flash"), FIELD="2[99].1")
        self.assertIn("2[99]: the message has none", "\n".join(lines))
        lines = self.run_sample(("esp-idf", "flash"), CHUNK=99999)
        self.assertEqual([lines[-4], lines[-1]], ["chunk 99999: the file has no such chunk", "failed"])
        # A partition is larger than the model in it.
        lines = self.run_sample(("zephyr", "flash"), MODEL_SIZE=0, MODEL_SHA256="")
        self.assertEqual(lines[-1], "failed")
        for sample in SAMPLES:
            lines = self.run_sample(sample, MEMORY=9000)
            self.assertEqual(lines[-1], "failed", sample)

    def test_a_connection_is_kept_and_made_again(self):
        self.check_read(self.run_sample(("zephyr", "http")))
        self.assertEqual(Server.connections, 1)
        for sample in HTTP:
            self.check_read(self.run_sample(sample, path="/closes"))
            self.assertGreater(Server.connections, 10)

    def test_servers_that_are_none(self):
        no_ranges = "the server answers with status %d; expected 206 and a Content-Range"
        for sample in HTTP:
            self.assertEqual(self.run_sample(sample, path="/whole")[0], "source: " + no_ranges % 200)
            self.assertEqual(self.run_sample(sample, path="/none")[0], "source: " + no_ranges % 404)
            self.assertEqual(self.run_sample(sample, path="/short")[-1], "failed")
            self.assertIn("model: cannot read the file", self.run_sample(sample, path="/changes"))
            lines = self.run_sample(sample, HTTP_PORT=1, URL="http://127.0.0.1:1/model.cpb")
            self.assertEqual(lines[0], "source: the server cannot be reached")


class Settings(unittest.TestCase):
    def test_each_is_declared_and_used(self):
        for folder, kconfig in (("zephyr", "Kconfig"), ("esp-idf", "main/Kconfig.projbuild")):
            folder = ROOT / "examples" / folder
            declared = set(re.findall(r"^\s*config (SAMPLE_\w+)$", (folder / kconfig).read_text(), re.M))
            files = [*folder.rglob("*.c"), *folder.rglob("CMakeLists.txt"), *folder.rglob("*.conf")]
            used = set(re.findall(r"\bCONFIG_(SAMPLE_\w+)", "".join(file.read_text() for file in files)))
            default = "SAMPLE_SOURCE_FLASH"  # the example for ESP-IDF takes it unless another is chosen
            self.assertEqual(declared - {default}, used - {default})

    def test_the_same_are_in_both(self):
        both = [(ROOT / "examples" / file).read_text() for file in ("zephyr/Kconfig", "esp-idf/main/Kconfig.projbuild")]
        names = [set(re.findall(r"^\s*config (SAMPLE_\w+)$", text, re.M)) for text in both]
        only = {"SAMPLE_HTTP_HOST", "SAMPLE_HTTP_PORT", "SAMPLE_HTTP_PATH", "SAMPLE_HEAP_SIZE", "SAMPLE_URL"}
        only |= {f"SAMPLE_SD_{pin}" for pin in ("CS", "CLK", "MOSI", "MISO")}
        self.assertEqual(names[0] ^ names[1], only)


if __name__ == "__main__":
    CPB, PROGRAMS = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
