"""CPU and memory for the hostile files of tests/complexity, at n and 2 n, as a table:

    build/venv/bin/python tests/bench/families.py [--rounds N] [WORD ...]

With words only the rows whose name has one of them. A row is `ok` if it takes less than 2 seconds, no
more memory than 64 MiB and 16 times the input, and at 2 n no more than 2.6 times as long as at n; of
several rounds the least counts. Exits with 1 if one is not.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CPB = os.environ.get("CPB", str(HERE.parent.parent / "build" / "cpb"))
sys.path.insert(0, str(HERE.parent))

from complexity import families_chunked, families_diff, families_messages, families_model  # noqa: E402
from complexity.test_chunked import COMMANDS  # noqa: E402

NOISE = 0.05  # seconds: what starting takes, and less than it says nothing about growth


# A process counts as its own peak what the one had that it was forked from: so that is a small one.
STARTER = """
import os, sys
for line in sys.stdin:
    words = line.rstrip("\\n").split("\\t")
    nothing = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (1, 2)]
    _, status, used = os.wait4(os.posix_spawn(words[0], words, os.environ, file_actions=nothing), 0)
    print(used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, os.waitstatus_to_exitcode(status), flush=True)
"""
starter = subprocess.Popen([sys.executable, "-SEc", STARTER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def measured(words, rounds):
    """CPU in seconds, the peak of its memory in bytes, and its exit code."""
    runs = []
    for _ in range(rounds):
        print(CPB, *words, sep="\t", file=starter.stdin, flush=True)
        cpu, peak, code = starter.stdout.readline().split()
        runs.append((float(cpu), int(peak), int(code)))
    return min(runs)


def chunked(make, n, words):
    def prepare(folder, times):
        path = folder / "a.cpb"
        path.write_bytes(make(n * times))
        return [word.format(path) for word in words]
    return prepare


def message(make, n):
    def prepare(folder, times):
        content, (command, *words) = make(n * times, folder)
        path = folder / "a.pb"
        path.write_bytes(content)
        rest = ["-o", folder / "out", "--force"] if command == "cat" else []
        return [command, path, *(str(word).replace("{}", str(folder / "out")) for word in words), *rest]
    return prepare


def model(make, n):
    return lambda folder, times: ["inspect", *make(folder, n * times), "--json"]


def diff(make, n):
    def prepare(folder, times):
        paths = [folder / f"{side}.pb" for side in "ab"]
        for side, path in enumerate(paths):
            path.write_bytes(make(n * times, side))
        return ["diff", *paths, "--json"]
    return prepare


def rows():
    for name, (make, n) in families_chunked.FAMILIES.items():
        for command, words in COMMANDS.items():
            yield f"{command} {name}", chunked(make, n, words)
    for make, n in families_messages.FAMILIES.items():
        yield f"message {make.__name__}", message(make, n)
    for make, n in families_model.SIZES.items():
        yield f"inspect {make.__name__}", model(make, n)
    for name, (make, n) in families_diff.FAMILIES.items():
        yield f"diff {name}", diff(make, n)


def at(prepare, times, rounds):
    """Bytes of input, and what was measured."""
    with tempfile.TemporaryDirectory() as folder:
        words = prepare(pathlib.Path(folder), times)
        size = sum(path.stat().st_size for path in pathlib.Path(folder).rglob("*") if path.is_file())
        return size, *measured(words, rounds)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    failed = 0
    print("| family | KB at n | CPU s at n / 2 n | ratio | peak MiB at n / 2 n | exit | |\n" + "|---" * 7 + "|")
    for name, prepare in rows():
        if options.words and not any(word in name for word in options.words):
            continue
        (size, one, held, _), (size2, two, held2, code) = (at(prepare, times, options.rounds) for times in (1, 2))
        ratio = two / max(one, NOISE)
        good = two < 2 and ratio <= 2.6 and held <= (64 << 20) + 16 * size and held2 <= (64 << 20) + 16 * size2
        failed += not good
        print(f"| {name} | {size / 1e3:,.1f} | {one:.2f} / {two:.2f} | {ratio:.1f} | {held / 2**20:.0f} / "
              f"{held2 / 2**20:.0f} | {code} | {'ok' if good else 'NOT'} |", flush=True)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
