"""Splitting, and fields as they are and as JSON: work grows with the message and no faster, or is refused."""

import pytest

from complexity.counting import check, work
from complexity.families_messages import FAMILIES, GRAPH, JSON, OUTLINE, SPLIT, entry, node, number

NAMED = {make.__name__: (make, n) for make, n in FAMILIES.items()}
# What is read of the message at least: without values that are left where they are.
READ = {"cut_in_vain": 0.001, "values_in_entries": 0.1, "long_keys": 0.1, "many_entries": 0.9, "one_of_many": 0.9}


@pytest.mark.parametrize("family", NAMED)
def test_work_is_linear_or_refused(cpb, tmp_path, family):
    make, n = NAMED[family]

    def measure(times):
        path = tmp_path / str(times)
        message, (command, *words) = make(n * times, tmp_path)
        path.write_bytes(message)
        if command == "cat":
            words += ["-o", f"{path}.out"]
        counts = work(cpb, command, path, *(str(word).replace("{}", str(path)) for word in words))
        counts["output"] = sum(file.stat().st_size for file in tmp_path.glob(f"{times}.*"))
        assert counts["walked"] >= READ.get(family, 0.4) * len(message), "what is read is counted"
        return counts

    check(measure)


def test_an_honest_message_passes(cpb, tmp_path):
    """A graph of a million small nodes, whole and as the ranges of a field."""
    path, out = tmp_path / "graph.pb", tmp_path / "out"
    path.write_bytes(node([entry(b"T", number(6, 1))]) * 1_000_000)
    for words in (SPLIT, JSON, OUTLINE, ("cat", *GRAPH, "--field", "node", "--json", "--omit", "100")):
        command, *words = (str(word).replace("{}", str(out)) for word in words)
        cpb.ok(command, path, *words, *(["-o", out, "--force"] if command == "cat" else []))
