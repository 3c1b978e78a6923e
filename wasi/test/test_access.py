"""What the command says where a runtime gives it no access: what would help there."""

import sys

import pytest

from runtimes import ROOT, TOOLS, module_path

sys.path.insert(0, str(TOOLS / "wasmtime"))

import wasmtime  # noqa: E402

GRAPH = ROOT / "tests" / "data" / "cpb" / "graph_mixed-large"


@pytest.fixture(scope="session")
def compiled():
    engine = wasmtime.Engine()
    return engine, wasmtime.Module.from_file(engine, str(module_path("cpb-cli")))


@pytest.fixture
def cpb(compiled, tmp_path):
    engine, module = compiled

    def run(*words, folders=(), environment=(), standard_input=None):
        linker, store = wasmtime.Linker(engine), wasmtime.Store(engine)
        linker.define_wasi()
        config = wasmtime.WasiConfig()
        config.argv = ["cpb", *map(str, words)]
        config.env = list(environment)
        config.stdout_file, config.stderr_file = str(tmp_path / "out"), str(tmp_path / "err")
        if standard_input:
            config.stdin_file = str(standard_input)
        for folder in folders:
            config.preopen_dir(str(folder), ".")
        store.set_wasi(config)
        try:
            linker.instantiate(store, module).exports(store)["_start"](store)
            code = 0
        except wasmtime.ExitTrap as ended:
            code = ended.code
        return code, (tmp_path / "err").read_text(), (tmp_path / "out").read_bytes()
    return run


def test_without_a_folder(cpb):
    for words in (["info", "model.cpb"], ["inspect", "/models/model.cpb"], ["merge", "a.cpb", "-o", "b.pb"]):
        code, said, _ = cpb(*words)
        assert code == 3 and "the runtime gives access to no folder that this is in; expected one, as by --dir ." in said


def test_a_file_outside_the_folder_is_not_found(cpb, tmp_path):
    code, said, _ = cpb("info", "none.cpb", folders=[tmp_path])
    assert (code, said) == (3, "none.cpb: No such file or directory\n")


def test_standard_input_without_a_temporary_file(cpb, tmp_path):
    code, said, _ = cpb("info", "-", standard_input=GRAPH / "max1000_zstd.cpb")
    assert code == 3 and "TMPDIR, as by --dir . --env TMPDIR=. in Wasmtime" in said
    code, said, out = cpb("info", "-", standard_input=GRAPH / "max1000_zstd.cpb", folders=[tmp_path],
                          environment=[("TMPDIR", ".")])
    assert (code, said) == (0, "") and out


def test_output_without_a_temporary_file(cpb):
    code, said, _ = cpb("split", "orig.pb", "--type", "tensorflow.GraphDef", "-o", "-", folders=[GRAPH])
    assert code == 3 and "no temporary file: " in said and "TMPDIR, as by --dir . --env TMPDIR=. in Wasmtime" in said


@pytest.mark.parametrize("url", ["https://example.com/model.cpb", "s3://bucket/model.cpb"])
def test_a_url(cpb, url):
    for words in (["info", url], ["inspect", url]):
        code, said, _ = cpb(*words)
        assert code == 5 and "WASI has no sockets here" in said and "cpb-http.wasm" in said and "CURL" not in said
