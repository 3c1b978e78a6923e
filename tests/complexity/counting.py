"""Work is counted, not timed (cpb --work), and compared at n and 4 n."""

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
    assert result.returncode in (0, 1, 2), text  # 1: a damaged model, of which the rest is shown
    counted = re.search("work:((?: [a-z]+=[0-9]+)+)", text)
    return {name: int(value) for name, value in re.findall("([a-z]+)=([0-9]+)", counted[1])} | {"output": len(result.stdout or b"")}


def check(measure, to=4, ratio=RATIO):
    """`measure` gives the work at n times its argument, which is 1 and `to`, 2 or 4: each time that n doubles it
    doubles, or is refused."""
    counts = [measure(1)]
    if isinstance(counts[0], str):
        return counts
    counts.append(measure(to))
    if not isinstance(counts[1], str):
        for kind, count in counts[1].items():
            assert count <= max(ratio.get(kind, 2.2) ** (to // 2) * counts[0][kind], SMALL[kind]), (kind, counts)
    return counts
