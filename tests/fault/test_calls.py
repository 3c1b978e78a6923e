"""The n-th read, write or allocation of a command fails, is interrupted or is
short, or the process dies at it: an error of its own, nothing leaks, and the
output is the old file whole or the new one whole."""

import errno
import io
import os
import pathlib
import zipfile

import pytest

from conftest import DATA

HERE = pathlib.Path(__file__).resolve().parent
MODEL = DATA / "cpb" / "graph_mixed-large"
CHUNKED = MODEL / "max5000_brotli.cpb"
GRAPH = ["--type", "tensorflow.GraphDef"]
SPLIT = ["split", MODEL / "orig.pb", *GRAPH, "--max-chunk-size", "3000"]
OBJECTS = DATA / "cpb" / "real_tf_module" / "orig.pb"
SMALL = DATA / "cpb" / "saved_model_split-standard"
OUT = ["-o", "out.cpb"]
SAMEDIFF = HERE.parent / "data" / "samediff_small"
CASES = DATA / "cases"

# Where files have a name while they grow, too, those of operations called "named" have one.
# A file that is to stand there before, and `--force`, go with "out.cpb"; "out.zip" is there to be added to.
OPERATIONS = {
    "split": [*SPLIT, *OUT, "--force"],
    "split, verified": [*SPLIT, "--verify", *OUT, "--force"],
    "split, small": ["split", MODEL / "orig.pb", *GRAPH, "-o", "out", "--force"],
    "merge": ["merge", CHUNKED, *OUT, "--force"],
    "merge by type": ["merge", CHUNKED, *GRAPH, *OUT],
    "merge a pipe": ["merge", "-", "-o", "-"],
    "merge by threads": ["merge", CHUNKED, *OUT, "--force", "--threads", "3"],
    "merge a pipe by threads": ["merge", "-", "-o", "-", "--threads", "2"],
    "repack": ["repack", CHUNKED, "--layout", "remote", *OUT, "--force"],
    "repack, in sync": ["repack", CHUNKED, *OUT, "--force", "--sync"],
    "repack, new": ["repack", CHUNKED, *OUT],
    "repack, named": ["repack", CHUNKED, *OUT, "--force"],
    "repack, new, named": ["repack", CHUNKED, *OUT],
    "repack to a pipe": ["repack", CHUNKED, "-o", "-"],
    "recover": ["recover", DATA / "corrupt" / "base_zstd.riegeli", *OUT, "--force"],
    "recover chunks": ["recover", CHUNKED, *OUT],
    "verify": ["verify", CHUNKED, "--against", MODEL / "orig.pb"],
    "info": ["info", CHUNKED],
    "records": ["records", CHUNKED, "--json", "--sha256"],
    "metadata": ["records", DATA / "corrupt" / "base_meta.riegeli", "--metadata"],
    "cat a chunk": ["cat", CHUNKED, "--chunk", "1"],
    "cat a record": ["cat", CHUNKED, "--record", "1"],
    "cat a field": ["cat", CHUNKED, "--field", "node[1]"],
    "cat a file's field": ["cat", MODEL / "orig.pb", "--field", "node[1].name", *GRAPH],
    "cut": ["cut", OBJECTS, "root.f", "root.signatures.lookup", "-o", "out.pb"],
    "cut, chunked": ["cut", OBJECTS, "root.g", *OUT, "--force"],
    "inspect": ["inspect", OBJECTS, "signature", "lookup"],
    "inspect a chunked model": ["inspect", OBJECTS.parent / "max3000_none.cpb", "functions"],
    "inspect a zip": ["inspect", SAMEDIFF / "minimal.zip", "nodes"],
    "inspect a package": ["inspect", CASES / "multi.mlpackage", "constants"],
    "inspect the only model": ["inspect", CASES / "multi.mlpackage" / "Data" / "com.apple.CoreML", "nodes"],
    "inspect a folder": ["inspect", CASES / "tf2", "variables"],
    "extract": ["extract", OBJECTS, "Const_1", *OUT, "--force"],
    "extract texts": ["extract", OBJECTS, "Const", "-o", "out.cpb"],
    "diff": ["diff", SMALL / "orig.pb", SMALL / "max1500_brotli.cpb"],
    "diff of objects": ["diff", OBJECTS, OBJECTS.parent / "max8000_brotli.cpb"],
    "diff of others": ["diff", MODEL / "orig.pb", DATA / "cpb" / "graph_const_dtypes" / "orig.pb", *GRAPH, "--json"],
    "diff of zips": ["diff", SAMEDIFF / "minimal.zip", SAMEDIFF / "linear.fb"],
    "cat as JSON": ["cat", CHUNKED, "--field", "node[0]", "--json"],
    "tag": ["tag", SAMEDIFF / "parts.json", *OUT, "--force"],
    "tag beside": ["tag", SAMEDIFF / "parts.json", SAMEDIFF / "minimal.zip", "-o", "out.cpb"],
    "tag in place": ["tag", SAMEDIFF / "parts.json", "out.zip"],
    "tag in place, in sync": ["tag", SAMEDIFF / "parts.json", "out.zip", "--sync"],
}
DIFFERENT = ("diff of others", "diff of zips", "diff of Core ML")

# A question takes its input as "inspect" above does; what differs from kind to kind is where memory is needed.
KERAS = DATA / "cpb" / "real_tf_keras_functional"
ONNX = CASES / "dynamo.onnx"
TEXT = b"""node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } } # as TensorFlow prints it
node { name: 'c' op: "Const" attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 2 } }
  float_val: [1.5, -inf] tensor_content: "\\001\\x7f\\"" } } } }
node { name: "y" op: "Mul" input: ["x", "c"] }
"""


def zipped(*files):
    """Some of CASES in a zip, compressed."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            archive.write(file, file.relative_to(CASES))
    return out.getvalue()


# Inputs that lie in the folder of the run.
GIVEN = {"graph.pbtxt": TEXT, "onnx.zip": zipped(CASES / "a.onnx", CASES / "a.data"),
         "package.zip": zipped(*(path for path in (CASES / "multi.mlpackage").rglob("*") if path.is_file()))}
QUESTIONS = {
    ("SavedModel", KERAS / "orig.pb"): ["", "overview", "layers", "variables", "objects root.layer-1", "ops", "scopes", "constants",
                                        "functions", "search conv", "nodes", "cut root.layer-1", "load root.layer-1"],
    ("chunked", KERAS / "max20000_zstd.cpb"): ["", "constants", "objects"],
    ("text", "graph.pbtxt"): ["", "constants", "upstream y"],
    ("ONNX", ONNX): ["", "overview", "nodes", "layers", "constants", "scopes", "upstream y", "node y", "weights head.weight"],
    ("ONNX with subgraphs", CASES / "if_branch.onnx"): ["functions", "consumers c", "scopes"],
    ("Core ML", CASES / "multi.mlpackage"): ["", "overview", "nodes", "functions", "layers", "constants"],
    ("network", CASES / "upd.mlmodel"): ["", "overview", "nodes", "layers"],
    ("SameDiff", SAMEDIFF / "linear.fb"): ["", "tag", "nodes", "constants", "layers", "scopes"],
    ("checkpoint", CASES / "tf2"): ["", "variables"],
    ("old checkpoint", CASES / "v1"): ["", "variables"],
    ("meta graph", CASES / "m.ckpt.meta"): ["", "variables"],
    ("zip", "onnx.zip"): ["constants", "weights w"],
    ("entry of a zip", "onnx.zip!/a.onnx"): [""],
    ("zip with a package", "package.zip"): ["constants"],
}
ASKED = {f"{kind}: {asked or 'summary'}": ["inspect", model, *asked.split()]
         for (kind, model), list_ in QUESTIONS.items() for asked in list_}
ASKED |= {
    "diff of ONNX": ["diff", CASES / "a.onnx", CASES / "b.onnx"],
    "diff of Core ML": ["diff", CASES / "upd.mlmodel", CASES / "flex.mlpackage"],
    "diff of Keras": ["diff", KERAS / "orig.pb", KERAS / "max20000_zstd.cpb"],
    "extract from ONNX": ["extract", ONNX, "head.weight", *OUT],
    "extract from a zip": ["extract", "onnx.zip", "w", *OUT],
}
# The output is a file of the input's, which --force does not replace.
KEPT = {"values of ONNX": (CASES, ["a.onnx", "a.data"], ["extract", "a.onnx", "w"]),
        "values of a checkpoint": (CASES, ["m.ckpt.index", "m.ckpt.data-00000-of-00001"],
                                   ["extract", "m.ckpt.index", "softmax_w"]),
        "chunks": (DATA / "several_files", [*(f"graph.0000{i}-of-00004.cpb" for i in (1, 3, 4)), "graph.cpb",
                                            "graph.00002-of-00004.cpb"], ["repack", "graph.cpb"])}
OLD = b"the old file"

# Of an operation's calls each fails, or 30 to 60 at equal distances: a diff of
# objects allocates three thousand times, at much the same places. --all tries each.
MOST = int(os.environ.get("CPB_FAULT_MOST", 10**9 if "CPB_TEST_ALL" in os.environ else 60))
ZIP = (SAMEDIFF / "minimal.zip").read_bytes()


class Run:
    """A command whose call number `at` fails, in a folder of its own."""

    def __init__(self, cpb, shim, folder, name, kind, at, how):
        for path in folder.iterdir():
            path.unlink()
        words = (OPERATIONS | ASKED)[name]
        self.is_diff = words[0] == "diff"  # which fails with 2
        self.is_late = "out.zip" in words or "--sync" in words
        self.old = {"out.cpb": OLD} if "--force" in words else {"out.zip": ZIP} if "out.zip" in words else {}
        self.old |= {name: data for name, data in GIVEN.items() if any(str(word).startswith(name) for word in words)}
        for file, data in self.old.items():
            (folder / file).write_bytes(data)
        env = dict(os.environ, LD_PRELOAD=str(shim), CPB_FAIL_KIND=kind, CPB_FAIL_AT=str(at),
                   CPB_FAIL_WITH=str(how), CPB_FAIL_COUNT=str(folder / "count"))
        if name.endswith("named"):
            env["CPB_ALL_NAMED"] = "1"
        stdin = CHUNKED.read_bytes() if "-" in words[1:2] else b""
        result = cpb.run(*words, env=env, cwd=folder, input=stdin)
        self.code, self.text, self.message = result.returncode, result.stdout, result.stderr.decode()
        if name.endswith(": summary"):  # which says what it cannot show
            self.message += self.text.decode()
        count = folder / "count"
        if count.exists():
            self.calls, self.blocks, self.descriptors = map(int, count.read_text().split())
            count.unlink()
        self.files = {path.name: path.read_bytes() for path in folder.iterdir()}


def contents(data):
    """Of a zip, by Python."""
    archive = zipfile.ZipFile(io.BytesIO(data))
    return {name: archive.read(name) for name in archive.namelist()}


def check_death(run, good):
    """Of the output's own name there is the old file or the new one; what is added to can be read."""
    for name in set(run.old) | set(good.files):
        old, new = run.old.get(name), good.files.get(name)
        in_place = name == "out.zip" and run.files[name] not in (old, new)
        assert contents(run.files[name]) == contents(ZIP) if in_place else run.files.get(name) in (old, new)


def check_failure(run, good, code, text):
    if run.code == good.code:  # a call the command can do without
        assert (run.text, run.files) == (good.text, good.files)
    else:
        assert run.code == (2 if run.is_diff else code) and text in run.message, run.message
        # What was added to is closed after its last byte, and the folder is put on the disk when it
        # has the new name: when only that fails, all is there.
        assert run.files == run.old or (run.is_late and run.files == good.files)
    assert (run.blocks, run.descriptors) == (0, 0), "leaks"


def check_as_ever(run, good):
    assert (run.code, run.text, run.files) == (good.code, good.text, good.files), run.message


def failing_everywhere(cpb, shim, folder, name, kind, how, check):
    good = Run(cpb, shim, folder, name, kind, 10**9, "exit")
    assert good.code == (1 if name in DIFFERENT else 0), good.message
    assert (good.blocks, good.descriptors) == (0, 0)
    for at in range(0, good.calls, good.calls // MOST + 1):
        run = Run(cpb, shim, folder, name, kind, at, how)
        try:
            check(run, good)
        except AssertionError as error:
            raise AssertionError(f"call {at} of {good.calls}: {error}") from None


@pytest.mark.parametrize("kind, how", [("read", errno.EIO), ("read", errno.EACCES), ("write", errno.EIO),
                                       ("write", errno.ENOSPC)])
@pytest.mark.parametrize("name", OPERATIONS)
def test_every_call_fails_once(cpb, shim, name, kind, how, tmp_path):
    def check(run, good):
        check_failure(run, good, 3, os.strerror(how))
    failing_everywhere(cpb, shim, tmp_path, name, kind, how, check)


@pytest.mark.parametrize("name", OPERATIONS | ASKED)
def test_every_allocation_fails_once(cpb, shim, name, tmp_path):
    def check(run, good):
        check_failure(run, good, 4, "out of memory")
    failing_everywhere(cpb, shim, tmp_path, name, "memory", errno.ENOMEM, check)


@pytest.mark.parametrize("name", KEPT)
def test_a_file_of_the_input_is_kept_without_memory(cpb, shim, name, tmp_path):
    folder, files, words = KEPT[name]
    for file in files:
        (tmp_path / file).write_bytes((folder / file).read_bytes())
    for at in range(200):
        env = dict(os.environ, LD_PRELOAD=str(shim), CPB_FAIL_KIND="memory", CPB_FAIL_AT=str(at), CPB_FAIL_WITH=str(errno.ENOMEM))
        result = cpb.run(*words, "-o", files[-1], "--force", env=env, cwd=tmp_path)
        assert result.returncode in (1, 4), at
        assert all((tmp_path / file).read_bytes() == (folder / file).read_bytes() for file in files), at
    assert b"in this file; expected another name" in result.stderr


@pytest.mark.parametrize("kind", ["read", "write"])
@pytest.mark.parametrize("name", OPERATIONS)
def test_death_at_every_call(cpb, shim, name, kind, tmp_path):
    failing_everywhere(cpb, shim, tmp_path, name, kind, "exit", check_death)


@pytest.mark.parametrize("how", [errno.EINTR, "short"])
@pytest.mark.parametrize("kind", ["read", "write"])
@pytest.mark.parametrize("name", OPERATIONS)
def test_calls_that_are_interrupted_or_short(cpb, shim, name, kind, how, tmp_path):
    failing_everywhere(cpb, shim, tmp_path, name, kind, how, check_as_ever)
