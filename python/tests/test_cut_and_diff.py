"""Models cut down and compared: the files and answers are those of the command."""

import io
import json
import pathlib
import shutil
import threading

import pytest

import libcpb

DATA = pathlib.Path(__file__).resolve().parents[2] / "tests/data"
MODULE = DATA / "cpb/real_tf_module"
KERAS = DATA / "cpb/real_tf_keras_subclassed"


@pytest.fixture
def model(tmp_path):
    """A SavedModel's directory with keras_metadata.pb in it."""
    folder = tmp_path / "model"
    folder.mkdir()
    shutil.copy(KERAS / "orig.pb", folder / "saved_model.pb")
    shutil.copy(KERAS / "model/keras_metadata.pb", folder / "keras_metadata.pb")
    return folder


@pytest.mark.parametrize("name", ["out.pb", "out.cpb"])
def test_a_model_is_cut_as_the_command_cuts_it(cpb, model, name, tmp_path):
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    ours.mkdir()
    theirs.mkdir()
    with libcpb.open_model(model) as whole:
        paths = ["root.l.cell", "root.d"]
        kept = whole.cut(paths, ours / name)
        assert whole.overview()  # it goes on
    report = json.loads(cpb.ok("cut", model, *paths, "-o", theirs / name, "--json"))
    assert kept == report and report["problems"] == []
    files = sorted(path.name for path in theirs.iterdir())
    assert files == ["keras_metadata.pb", name] and files == sorted(path.name for path in ours.iterdir())
    for file in files:
        assert (ours / file).read_bytes() == (theirs / file).read_bytes(), file
    assert (ours / name).stat().st_size < (model / "saved_model.pb").stat().st_size


def test_a_cut_that_is_impossible_writes_nothing(model, tmp_path):
    out = tmp_path / "out.pb"
    frozen = min((DATA / "cpb/real_frozen_conv").glob("*.cpb"))
    with libcpb.open_model(model) as whole, libcpb.open_model(frozen) as graph:
        for call, exception, what in (
            (lambda: whole.cut("root.d", out), TypeError, "paths is str"),
            (lambda: whole.cut([], out), libcpb.CpbError, "paths is empty; expected at least one path"),
            (lambda: whole.cut(["root.d\nroot.e"], out), libcpb.CpbError, "newline"),
            (lambda: whole.cut(["root.nothing"], out), libcpb.CpbError, 'no object "root.nothing"'),
            (lambda: whole.cut(["root.d"], io.BytesIO()), TypeError, "the target is BytesIO; expected a path"),
            (lambda: whole.cut(["root.d"], "/no/such/folder/x.pb"), libcpb.CpbError, "No such file"),
            (lambda: whole.cut(["root.d"], out, meta_graph=3), libcpb.CpbError, "meta_graph is 3"),
            (lambda: graph.cut(["root.d"], out), libcpb.CpbError, "UNSUPPORTED"),
        ):
            with pytest.raises(exception, match=what):
                call()
            assert sorted(path.name for path in tmp_path.iterdir()) == ["model"]
        (tmp_path / "keras_metadata.pb").write_bytes(b"mine")
        for name in ("out.pb", "out.cpb"):
            with pytest.raises(libcpb.CpbError, match="keras_metadata.pb") as raised:
                whole.cut(["root.d"], tmp_path / name, replace=False)
            assert raised.value.code == "WRITE" and not (tmp_path / name).exists()
        assert (tmp_path / "keras_metadata.pb").read_bytes() == b"mine"


@pytest.fixture
def pairs(tmp_path):
    """Two models each, and whether they are equal."""
    changed = bytearray((MODULE / "orig.pb").read_bytes())
    with libcpb.open_model(MODULE / "orig.pb") as model:
        constant = model.constants()["constants"]["items"][0]
        changed[changed.index(model.values(constant["node"], function=constant["function"]).data)] ^= 1
    (tmp_path / "changed.pb").write_bytes(changed)
    return [
        (MODULE / "orig.pb", MODULE / "max3000_tr.cpb", True),
        (MODULE / "orig.pb", tmp_path / "changed.pb", False),
        (MODULE / "orig.pb", KERAS / "orig.pb", False),
    ]


def test_a_difference_is_the_one_of_the_command(cpb, pairs):
    for a, b, equal in pairs:
        for options, arguments in (({}, []), ({"max_differences": 1, "values": False}, ["-n", 1, "--skip-values"])):
            result = cpb.run("diff", a, b, "--json", *arguments)
            wanted = json.loads(result.stdout)
            assert libcpb.diff(a, b, **options) == wanted
            if not options:
                assert wanted["equal"] is equal and result.returncode == (0 if equal else 1)
            with libcpb.open_model(b.read_bytes(), max_value=16 << 10) as model:
                assert libcpb.diff(io.BytesIO(a.read_bytes()), model, **options) == wanted
                assert model.overview()  # it is still open


def test_models_that_cannot_be_compared(tmp_path):
    path = MODULE / "orig.pb"
    with libcpb.open_model(path) as model, libcpb.open_model(path) as other:
        for call, code, what in (
            (lambda: libcpb.diff(model, model), "USAGE", "the same object"),
            (lambda: libcpb.diff(model, path, max_differences=0), "USAGE", "expected at least 1"),
            (lambda: libcpb.diff(model, path, limits={"all": 1}), "USAGE", "limits has 'all'"),
            (lambda: libcpb.diff(model, other, limits={"entries": 1}), "LIMIT", "`entries`"),
            (lambda: libcpb.diff(path, b"no model"), "FORMAT", "text that begins"),
            (lambda: libcpb.diff(model, tmp_path / "none.pb"), "NOT_FOUND", "none.pb: No such file"),
        ):
            with pytest.raises(libcpb.CpbError, match=what) as raised:
                call()
            assert raised.value.code == code
        assert libcpb.diff(model, other)["equal"]  # nothing of it stays
        other.close()
        with pytest.raises(libcpb.CpbError, match="closed"):
            libcpb.diff(model, other)


def test_two_threads_compare_the_same_models_both_ways():
    """Each waits for both models, in the same order."""
    a, b = libcpb.open_model(MODULE / "orig.pb"), libcpb.open_model(MODULE / "max3000_tr.cpb")
    results = []
    threads = [
        threading.Thread(
            target=lambda x=x, y=y: results.extend(libcpb.diff(x, y)["equal"] for _ in range(20)), daemon=True
        )
        for x, y in ((a, b), (b, a))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)  # for ever if they wait for each other, and so would closing the models
    assert results == [True] * 40
    a.close()
    b.close()
