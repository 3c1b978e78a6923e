"""The command's modules as they are shipped: imports, exports, features, memory and size."""

import dataclasses
import pathlib
import re
import subprocess

import pytest

from runtimes import ROOT, module_path

FEATURES = ["bulk-memory", "sign-ext", "nontrapping-float-to-int", "mutable-globals"]

# What commands that read use: wasi/test/wasm3.c has no more.
README = " ".join((pathlib.Path(__file__).parents[1] / "README.md").read_text().split())
READING = {"args_get", "args_sizes_get", "fd_close", "fd_fdstat_get", "fd_prestat_dir_name", "fd_prestat_get",
           "fd_read", "fd_readdir", "fd_seek", "fd_write", "path_filestat_get", "path_open", "proc_exit"}
# For the folder of temporary files, and progress.
SPOOLING = {"environ_get", "environ_sizes_get", "clock_time_get"}
WRITING = {"fd_filestat_set_size", "fd_sync", "path_link", "path_rename", "path_unlink_file"}


@dataclasses.dataclass
class Shipped:
    name: str
    size_most: int
    more_features: tuple = ()

    def data(self):
        return module_path(self.name).read_bytes()

    def fits(self, features):
        """The module does not say itself what it needs, so wasm-opt takes no more than this."""
        enabled = [f"--enable-{feature}" for feature in features]
        done = subprocess.run(["wasm-opt", "--mvp-features", *enabled, "--vacuum", module_path(self.name), "-o",
                               "/dev/null"], capture_output=True)
        return done.returncode == 0


SHIPPED = [Shipped("cpb-cli", 2_037_000, ("simd",)), Shipped("cpb-cli-plain", 2_035_000),
           Shipped("cpb-cli-core", 1_277_000)]


class Reader:
    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def number(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def name(self):
        size = self.number()
        self.at += size
        return self.data[self.at - size:self.at].decode()


def sections(data):
    """Readers at the contents, by number; custom sections by name."""
    at, found = 8, {}
    while at < len(data):
        reader = Reader(data, at)
        kind, size = reader.byte(), reader.number()
        at = reader.at + size
        found[reader.name() if kind == 0 else kind] = reader
    return found


@pytest.fixture(params=SHIPPED, ids=lambda shipped: shipped.name)
def shipped(request):
    return request.param


@pytest.fixture
def module(shipped):
    return sections(shipped.data())


def test_imports(module):
    reader, found = module[2], set()
    for _ in range(reader.number()):
        assert reader.name() == "wasi_snapshot_preview1"
        found.add(reader.name())
        assert reader.byte() == 0
        reader.number()
    assert found == READING | SPOOLING | WRITING
    assert f"{len(found)} functions of `wasi_snapshot_preview1`" in README
    assert [name for name in found if f"`{name}`" not in README] == []
    print(f"\n{len(found)} imports, of which commands that read use {len(READING)}")


def test_exports(module):
    reader, found = module[7], set()
    for _ in range(reader.number()):
        found.add(reader.name())
        reader.byte(), reader.number()
    assert found == {"memory", "_start"}


def test_features(shipped):
    assert shipped.fits([*FEATURES, *shipped.more_features])
    assert not shipped.more_features or not shipped.fits(FEATURES)


def test_nothing_beside_the_program(module):
    assert [name for name in module if isinstance(name, str)] == []


def test_memory(module):
    """It begins small, and grows as far as the host lets it, but for the last MiB of what
    can be addressed (src/zstd/block.c)."""
    reader = module[5]
    assert [reader.number(), reader.byte()] == [1, 1]
    pages = reader.number()
    assert reader.number() == 65536 - 16
    print(f"\n{pages} pages at the start")
    most = int(re.search(r"begins with at most (\d+) pages", README)[1])
    assert pages <= most and f"{most} pages ({64 * most} KiB)" in README


def test_stack_lies_first(module):
    """The stack pointer, the first global, begins where the stack ends and the data begin."""
    reader = module[6]
    reader.number()
    assert [reader.byte(), reader.byte(), reader.byte(), reader.number()] == [0x7F, 1, 0x41, 65536]


def test_size(shipped):
    size = len(shipped.data())
    print(f"\n{shipped.name}.wasm: {size} bytes")
    assert size <= shipped.size_most


def test_the_page_of_sizes():
    done = subprocess.run(["node", ROOT / "tools" / "sizes.js", "--check", "wasi"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
