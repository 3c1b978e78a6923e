"""Work is counted, not timed (cpb --work), and compared at n, 2 n and 4 n."""

import re

KINDS = "decoded|held|walked|entries|answer|index"
# Below these, what is the same for all inputs counts for more than what grows.
SMALL = {"decoded": 4 << 20, "held": 1 << 20, "walked": 1 << 20, "entries": 10_000, "answer": 1 << 20, "index": 1 << 20,
         "output": 1 << 20}
RATIO = {"held": 3.2}  # arrays grow by half, so that of two sizes one may just have grown


def work(cpb, *words):
    """What was counted, or the name of the limit that was met."""
    result = cpb.run(*words, "--work")
    text = result.stderr.decode()
    if result.returncode == 4:
        refused = re.search(rf"limit `({KINDS})`: at least (\d+) .* are needed, and (\d+) are allowed", text)
        assert refused and int(refused[2]) > int(refused[3]), text
        return refused[1]
    assert result.returncode in (0, 2), text
    counted = re.search("work:((?: [a-z]+=[0-9]+)+)", text)
    return {name: int(value) for name, value in re.findall("([a-z]+)=([0-9]+)", counted[1])} | {"output": len(result.stdout or b"")}


def check(measure, up_to=4):
    """`measure` gives the work at n times its argument: it doubles when n does, until it is refused."""
    counts = []
    for times in [times for times in (1, 2, 4) if times <= up_to]:
        counts.append(measure(times))
        if isinstance(counts[-1], str):
            break
    for one, two in zip(counts, counts[1:]):
        if isinstance(two, str):
            break
        for kind, count in two.items():
            assert count <= max(RATIO.get(kind, 2.2) * one[kind], SMALL[kind]), (kind, counts)
    return counts
