"""Arrays whose dimensions ND4J has permuted: it stores them as they lie, with strides of
neither order."""

import io
import itertools
import subprocess
import zipfile

import numpy as np
import pytest

from support.samediff import HostModel, Model, SameDiffError
from support.samediff_graphs import UTF8, array_file, without_array, with_strides

VALUES = np.random.default_rng(1).standard_normal((2, 3, 1, 4)).astype("<f4")


def stored(values):
    """The shape, the strides and the bytes of an array that may be permuted."""
    strides = [n // values.itemsize for n in values.strides]
    return list(values.shape), strides, values.ravel("K").astype(">f4").tobytes()


def zip_of(path, array, method):
    with zipfile.ZipFile(path, "w", method) as file:
        file.writestr("tags.txt", "A\n")
        file.writestr("A/graph.fb", without_array())
        file.writestr("A/params.txt", "w 0\n")
        file.writestr("A/params/0.fb", array)


def files_of(folder, values):
    parts = stored(values)
    (folder / "graph.fb").write_bytes(with_strides(*parts))
    zip_of(folder / "stored.zip", array_file(*parts), zipfile.ZIP_STORED)
    zip_of(folder / "deflated.zip", array_file(*parts), zipfile.ZIP_DEFLATED)
    return [folder / name for name in ("graph.fb", "stored.zip", "deflated.zip")]


@pytest.mark.parametrize("told, accepted", [
    ([2, 3], True), ([2, -1], True), ([3, 2], False), ([2, 3, 1], False), ([], False)])
def test_a_variable_has_the_shape_of_its_array(cpb, tmp_path, told, accepted):
    path = tmp_path / "graph.fb"
    path.write_bytes(with_strides(*stored(VALUES[:, :, 0, 0].copy()), told=told))
    result = cpb.run("inspect", path, "tag")
    assert (result.returncode == 0) == accepted, result.stderr
    assert accepted or b"variable: shape is not that of its array" in result.stderr


@pytest.mark.parametrize("axes", list(itertools.permutations(range(4))), ids=str)
def test_values_come_in_the_order_of_the_header(cpb, tmp_path, axes):
    values = VALUES.transpose(axes)
    for path in files_of(tmp_path, values):
        read = np.load(io.BytesIO(Model(cpb, path).bytes("w")))
        assert read.shape == values.shape and np.array_equal(read, values)


def test_strides_are_told_as_they_are_stored(cpb, tmp_path):
    values = VALUES.transpose(1, 3, 2, 0)
    for path in files_of(tmp_path, values):
        array = Model(cpb, path).ask("constants", name="w")["constants"]["items"][0]["array"]
        assert (array["shape"], array["order"], array["strides"]) == ([3, 4, 1, 2], "c", stored(values)[1])


def test_strides_count_where_the_order_denies_them(cpb, tmp_path):
    for order, values in (("f", VALUES), ("c", VALUES.T)):
        (tmp_path / "graph.fb").write_bytes(with_strides(*stored(values), order))
        assert np.array_equal(np.load(io.BytesIO(Model(cpb, tmp_path / "graph.fb").bytes("w"))), values)


@pytest.mark.parametrize("strides", [[4, 1, 1, 24], [8, 1, 1, 2], [0, 0, 0, 0], [12, 4, 1, -1], [12, 5, 1, 1], [1, 1, 1, 1]], ids=str)
def test_strides_with_gaps_are_refused(cpb, tmp_path, strides):
    shape, _, values = stored(VALUES)
    (tmp_path / "graph.fb").write_bytes(with_strides(shape, strides, values))
    with pytest.raises(SameDiffError, match="strides leave gaps"):
        Model(cpb, tmp_path / "graph.fb").bytes("w")


def test_memory_for_held_records_has_a_limit(cpb, tmp_path):
    values = np.arange(1 << 18, dtype="<f4").reshape(64, 64, 64).transpose(1, 2, 0)
    for path in files_of(tmp_path, values):
        host = HostModel(cpb, path)
        arguments = dict(args=[*host.command, "constants", "w", "", "0", "1"], capture_output=True, timeout=60)
        done = subprocess.run(**arguments, env=host.environment | {"VALUES": "w", "MEMORY": str(1 << 20)})
        assert done.returncode == 0 and done.stdout.partition(b"\0")[2] == values.tobytes()
        refused = subprocess.run(**arguments, env=host.environment | {"VALUES": "w", "MEMORY": str((1 << 20) - 1)})
        assert refused.returncode == 2 and b"this one exceeds max_memory, 1048575 bytes: it has 1048576" in refused.stderr
        assert refused.stdout.endswith(b"\0")


def test_texts_are_not_put_in_another_order(cpb, tmp_path):
    (tmp_path / "graph.fb").write_bytes(with_strides([2, 2, 2], [2, 1, 4], bytes(72), dtype=UTF8))
    with pytest.raises(SameDiffError, match="strings with permuted dimensions") as failure:
        Model(cpb, tmp_path / "graph.fb").bytes("w", None, 0, "--raw")
    assert failure.value.code == 5
    assert Model(cpb, tmp_path / "graph.fb").ask("tag")["problems"] == []


def test_a_copy_lies_in_order(cpb, tmp_path):
    values = VALUES.transpose(1, 3, 2, 0)
    path = files_of(tmp_path, values)[0]
    (tmp_path / "parts.json").write_text(
        '{"tags": [{"tag": "A", "graph": "graph.fb", "parameters": {"w": {"from": "graph.fb"}}}]}')
    cpb.ok("tag", "-q", tmp_path / "parts.json", "-o", tmp_path / "m.zip")
    array = Model(cpb, tmp_path / "m.zip").ask("constants", name="w")["constants"]["items"][0]["array"]
    assert array["strides"] == [8, 2, 2, 1]
    assert Model(cpb, tmp_path / "m.zip").bytes("w") == Model(cpb, path).bytes("w")
