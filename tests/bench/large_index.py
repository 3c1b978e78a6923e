"""A .cpb file of a million chunks, and what it takes to look into it: seconds of processor time, the ratio to that of
reading and decoding its index (`cpb cat --chunk`), and peak memory.

    python large_index.py CPB FOLDER [ROUNDS]
"""

import pathlib
import statistics
import subprocess
import sys

NODES = 500_000
TYPE = ["--type", "tensorflow.GraphDef"]


def field(number, value):
    assert len(value) < 128
    return bytes([number << 3 | 2, len(value)]) + value


def write_graph(path):
    """Constants of 40 bytes: a GraphDef of which each node becomes two chunks of at most 70 bytes."""
    tensor = bytes([8, 1]) + field(2, b"") + field(4, bytes(range(40)))
    rest = field(2, b"Const") + field(5, field(1, b"value") + field(2, field(8, tensor)))
    with open(path, "wb") as file:
        for begin in range(0, NODES, 10_000):
            file.write(b"".join(field(1, field(1, b"n%07d" % i) + rest) for i in range(begin, begin + 10_000)))


def run(*words):
    """Seconds of processor time and peak KiB of a process."""
    words = ["/usr/bin/time", "-f", "%U %S %M", *map(str, words)]
    result = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True, text=True)
    user, system, size = result.stderr.split()[-3:]
    return float(user) + float(system), int(size)


def main(cpb, folder, rounds=5):
    message, path = pathlib.Path(folder, "graph.pb"), pathlib.Path(folder, "graph.cpb")
    write_graph(message)
    split = ["split", message, "-o", path, *TYPE, "--codec", "none", "--max-chunk-size", "70", "--force", "--quiet"]
    commands = {
        "the index alone": ["cat", path, "--chunk", "1"],
        "`info`": ["info", path],
        "`info --json`": ["info", path, "--json"],
        "one field": ["cat", path, *TYPE, "--field", 'node[300000].attr["value"]'],
        "`merge`, to nowhere": ["merge", path, "-o", "/dev/null", "--quiet"],
    }
    run(cpb, *split)
    times = {name: [] for name in commands}
    for _ in range(int(rounds)):
        for name, words in commands.items():
            times[name].append(run(cpb, *words))
    print(f"| {path.stat().st_size:,} bytes | s | times the index | MiB |\n|---|--:|--:|--:|")
    index = [seconds for seconds, _ in times["the index alone"]]
    for name, measured in times.items():
        ratio = statistics.median(seconds / base for (seconds, _), base in zip(measured, index))
        seconds, size = (statistics.median(column) for column in zip(*measured))
        print(f"| {name} | {seconds:.2f} | {ratio:.1f} | {size / 1024:.0f} |")


if __name__ == "__main__":
    main(*sys.argv[1:])
