"""Work grows with the input and no faster, or is refused: counted, not timed (cpb --work)."""

import functools

import pytest

from complexity.counting import check, work
from complexity.families_chunked import FAMILIES

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
