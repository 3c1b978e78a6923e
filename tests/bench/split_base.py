#!/usr/bin/env python3
"""What a split against a base costs, and saves: a GraphDef of 80 constants, and a copy of which every tenth was tuned.

    split_base.py [MEGABYTES [ROUNDS]]

Both splits of the copy run in turns. CPB names the command; build/cpb otherwise.
"""
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from support.tuned import graph  # noqa: E402

COUNT = 80
CPB = os.environ.get("CPB", str(ROOT / "build" / "cpb"))


def run(*words):
    """Seconds in all, and of processors."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run([CPB, *map(str, words), "--force", "--quiet"], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.monotonic() - begin, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(folder, rounds, *how):
    split = ["split", folder / "tuned.pb", "--type", "tensorflow.GraphDef", *how]
    run("split", folder / "base.pb", "--type", "tensorflow.GraphDef", *how, "-o", folder / "base.cpb")
    ways = {"alone": ["-o", folder / "alone.cpb"], "against": ["--base", folder / "base.cpb", "-o", folder / "tuned.cpb"]}
    taken = {name: [] for name in ways}
    for _ in range(rounds):
        for name, words in ways.items():
            taken[name].append(run(*split, *words))
    ratios = [statistics.median(b[i] / a[i] for a, b in zip(taken["alone"], taken["against"])) for i in range(2)]
    alone, against = (os.path.getsize(folder / f"{name}.cpb") for name in ("alone", "tuned"))
    seconds = statistics.median(t for t, _ in taken["against"])
    print(f"| {' '.join(how) or 'default'} | {alone:,} | {against:,} | {seconds:.2f} | {ratios[0]:.2f} | {ratios[1]:.2f} |",
          flush=True)


def main():
    given = [int(word) for word in sys.argv[1:]]
    megabytes, rounds = given + [336, 5][len(given):]
    with tempfile.TemporaryDirectory() as name:
        folder, size = pathlib.Path(name), megabytes * 1_000_000 // COUNT
        (folder / "base.pb").write_bytes(graph(COUNT, size))
        (folder / "tuned.pb").write_bytes(graph(COUNT, size, dict.fromkeys(range(5, COUNT, 10), 7)))
        print("| options | bytes alone | against the base | s | ratio of time | of processor time |\n|---|--:|--:|--:|--:|--:|")
        for how in ([], ["--threads", "1"], ["--codec", "zstd"], ["--layout", "compat", "--max-chunk-size", "1M"]):
            measure(folder, rounds, *how)


if __name__ == "__main__":
    main()
