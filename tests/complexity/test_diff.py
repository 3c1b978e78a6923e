"""cpb diff: work grows with the models and no faster, or is refused: counted, not timed (--work)."""

import re

import pytest

from complexity.counting import check
from complexity.families_diff import FAMILIES

# Arrays grow by half, so that of two sizes one may just have grown; pages grow fourfold, and each
# goes through all items of the list.
RATIO = {"held": 3.2, "walked": 2.7, "entries": 2.7}


def work(cpb, paths, *words):
    """What was counted, or the limit that was met."""
    result = cpb.run("diff", *paths, *words, "--work", "--json")
    text = result.stderr.decode()
    if re.search(r"limit `answer`: at least \d+ bytes of the answer are needed", text):
        assert result.returncode == 2
        return "answer"
    assert result.returncode in (0, 1), text
    counted = re.search("work:((?: [a-z]+=[0-9]+)+)", text)
    return {name: int(value) for name, value in re.findall("([a-z]+)=([0-9]+)", counted[1])}


@pytest.mark.parametrize("family", FAMILIES)
def test_work_is_linear_or_refused(cpb, tmp_path, family):
    make, n = FAMILIES[family]

    def measure(times):
        paths = [tmp_path / f"{times}{side}" / "saved_model.pb" for side in "ab"]
        for side, path in enumerate(paths):
            path.parent.mkdir()
            path.write_bytes(make(n * times, side))
        count = work(cpb, paths)
        assert isinstance(count, str) or count["entries"] > 0 and count["walked"] > 0
        return count

    check(measure, ratio=RATIO)


@pytest.mark.parametrize("family", ["onnx_functions", "coreml_blocks"])
def test_a_limit_holds_for_all_questions_together(cpb, tmp_path, family):
    path = tmp_path / "model"
    path.write_bytes(FAMILIES[family][0](200, 0))
    done = work(cpb, [path, path])["entries"]
    assert work(cpb, [path, path], "--limit", f"entries={done}")
    refused = cpb.run("diff", path, path, "--limit", f"entries={done - 1}")
    assert refused.returncode == 2 and b"limit `entries`: at least %d entries are needed" % done in refused.stderr


def test_the_limit_of_the_result_can_be_raised(cpb, tmp_path):
    paths = [tmp_path / name for name in "ab"]
    for side, path in enumerate(paths):
        path.write_bytes(FAMILIES["many_members"][0](1000, side))
    limited = cpb.run("diff", *paths, "--limit", "answer=1000", "--limit", "answer_per_byte=1")
    assert limited.returncode == 2 and b"limit `answer`" in limited.stderr
    assert cpb.run("diff", *paths, "--limit", "answer=none").returncode == 1
