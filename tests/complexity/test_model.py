"""Questions about models: work grows with the model and no faster, or is refused."""

import json
import resource

import pytest

from complexity import families_model as families
from complexity import families_onnx
from complexity.counting import check, work

ASKED = {make.__name__: (make, n) for make, n in {**families.SIZES, **families_onnx.SIZES}.items()}


def size_of(folder):
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def used():
    """Seconds of the processor that the commands took."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


@pytest.mark.parametrize("family", ASKED)
def test_work_is_linear_or_refused_and_nothing_that_is_not_counted_takes_long(cpb, tmp_path, family):
    """Of work that nobody charges for four times the size takes four times as long, and not sixteen times."""
    make, n = ASKED[family]
    took = {}

    def measure(times):
        folder = tmp_path / str(times)
        folder.mkdir()
        words, before = make(folder, n * times), used()
        counts = work(cpb, "inspect", *words, "--json")
        took[times] = used() - before
        assert isinstance(counts, str) or counts["walked"] + counts["decoded"] >= size_of(folder) / 2, "what is read is counted"
        return counts

    check(measure)
    if 4 not in took:
        measure(4)
    assert took[4] < 1 or took[4] < 8 * took[1]


def objects(cpb, folder, name, n, *words):
    model = families.saved_model(folder, [families.child(i + 1, name) for i in range(n - 1)] + [b""])
    return json.loads(cpb.ok("inspect", model, "objects", f"#{n - 1}", "--json", *words))


def test_a_path_of_1024_bytes_is_whole(cpb, tmp_path):
    assert objects(cpb, tmp_path, b"a" * 50, 21)["path"] == "root" + ("." + "a" * 50) * 20


@pytest.mark.parametrize("name", ["a" * 50, "b" * 900, "é" * 33, "x.y", ""])
def test_a_longer_path_is_cut_in_the_middle(cpb, tmp_path, name):
    n = 1500
    path = objects(cpb, tmp_path, name.encode(), n)["path"]
    whole = "root" + ("." + name) * (n - 1)
    begin, rest = path.split("...[")
    left, end = rest.split(" bytes]...")
    assert whole.startswith(begin) and whole.endswith(end)
    assert len(begin.encode()) in range(477, 481) and len(end.encode()) in range(477, 481)
    assert int(left) == len(whole.encode()) - len(begin.encode()) - len(end.encode())


def test_a_limit_can_be_raised(cpb, tmp_path):
    words = families.captures_of_a_wide_object(tmp_path, families.SIZES[families.captures_of_a_wide_object])
    assert work(cpb, "inspect", *words) == "walked"
    assert work(cpb, "inspect", *words, "--limit", "walked=none")["walked"] > 1 << 28
