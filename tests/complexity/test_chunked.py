"""Work grows with the input and no faster, or is refused: counted, not timed (cpb --work)."""

import functools
from pathlib import Path

import pytest

from complexity.counting import check, work
from complexity.families_chunked import FAMILIES

MODEL = Path(__file__).parents[1] / "data/cpb/real_tf_keras_subclassed/orig.pb"

COMMANDS = {
    "info": ["info", "{}"],
    "merge": ["merge", "{}", "-o", "{}.out", "--force"],
    "records": ["records", "{}", "--json"],
    "recover": ["recover", "{}", "-o", "{}.out", "--force"],
    "inspect": ["inspect", "{}", "--type", "tensorflow.GraphDef"],
    "repack": ["repack", "{}", "-o", "{}.out", "--force"],
    "verify": ["verify", "{}"],
}

@functools.cache
def made(family, times):
    make, n = FAMILIES[family]
    return make(n * times)


@pytest.mark.parametrize("family, command", [(f, c) for f in FAMILIES for c in COMMANDS])
def test_work_is_linear_or_refused(cpb, tmp_path, family, command):
    def measure(times):
        path = tmp_path / f"{times}.cpb"
        path.write_bytes(made(family, times))
        return work(cpb, *(word.format(path) for word in COMMANDS[command]))

    check(measure)


@pytest.mark.parametrize("codec", ["none", "brotli:1", "zstd"])
def test_chunks_in_shared_riegeli_chunks_are_read_a_few_times(cpb, tmp_path, codec):
    path = tmp_path / "shared.cpb"
    split = cpb.run("split", MODEL, "-o", path, "--layout", "compat", "--max-chunk-size", "64", "--codec", codec)
    assert split.returncode == 0, split.stderr
    once = work(cpb, "records", path)
    for command in ("merge", "verify"):
        count = work(cpb, *(word.format(path) for word in COMMANDS[command]))
        # The index and the chunks, and once more for `verify`, and for a look at a chunk before it is merged.
        assert isinstance(count, dict), (command, count)
        assert count["decoded"] <= 4 * once["decoded"], (command, count, once)
        assert count["entries"] <= 12 * once["entries"], (command, count, once)
