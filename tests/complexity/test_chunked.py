"""Work grows with the input and no faster, or is refused: counted, not timed (cpb --work)."""

import functools
import re

import pytest

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
# Below these, what is the same for all inputs counts for more than what grows.
SMALL = {"decoded": 4 << 20, "held": 1 << 20, "walked": 1 << 20, "entries": 10_000, "answer": 1 << 20, "index": 1 << 20}
RATIO = {"held": 3.2}  # arrays grow by half, so that of two sizes one may just have grown
KINDS = "decoded|held|walked|entries|answer|index"


@functools.cache
def made(family, times):
    make, n = FAMILIES[family]
    return make(n * times)


def work(cpb, command, path):
    """What was counted, or the name of the limit that was met."""
    result = cpb.run(*(word.format(path) for word in COMMANDS[command]), "--work")
    text = result.stderr.decode()
    if result.returncode == 4:
        refused = re.search(rf"limit `({KINDS})`: at least (\d+) .* are needed, and (\d+) are allowed", text)
        assert refused and int(refused[2]) > int(refused[3]), text
        return refused[1]
    assert result.returncode in (0, 2), text
    counted = re.search("work:((?: [a-z]+=[0-9]+)+)", text)
    return {name: int(value) for name, value in re.findall("([a-z]+)=([0-9]+)", counted[1])}


@pytest.mark.parametrize("family, command", [(f, c) for f in FAMILIES for c in COMMANDS])
def test_work_is_linear_or_refused(cpb, tmp_path, family, command):
    counts = []
    for times in (1, 2, 4):
        path = tmp_path / f"{times}.cpb"
        path.write_bytes(made(family, times))
        counts.append(work(cpb, command, path))
        if isinstance(counts[-1], str):
            break
    for one, two in zip(counts, counts[1:]):
        if isinstance(two, str):
            break
        for kind, count in two.items():
            assert count <= max(RATIO.get(kind, 2.2) * one[kind], SMALL[kind]), (kind, counts)
