"""CPU and memory for the hostile files of tests/complexity, at n and 2 n, as a table:

    build/venv/bin/python tests/bench/families.py [--rounds N] [--in-threads] [WORD ...]

With words only the rows whose name has one of them. A row is `ok` if it takes less than 2 seconds, no
more memory than 64 MiB and 16 times the input, and at 2 n no more than 2.6 times as long as at n; of
several rounds the least counts. Exits with 1 if one is not.

By default `cpb` does it, with --in-threads the JavaScript package in threads of Node (20 or newer, in
PATH), each with 64 MiB for its heap: the memory is then WebAssembly's, of which it may have as much.
"""

import argparse
import json
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


# --- The command -------------------------------------------------------------------------

# A process counts as its own peak what the one had that it was forked from: so that is a small one.
STARTER = """
import os, sys
for line in sys.stdin:
    words = line.rstrip("\\n").split("\\t")
    nothing = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (1, 2)]
    _, status, used = os.wait4(os.posix_spawn(words[0], words, os.environ, file_actions=nothing), 0)
    print(used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, os.waitstatus_to_exitcode(status), flush=True)
"""


def process(*words):
    return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


class Command:
    def __init__(self):
        self.starter = process(sys.executable, "-SEc", STARTER)

    def can(self, words):
        return True

    def run(self, words, _):
        """CPU in seconds, the peak of its memory in bytes, and its exit code."""
        print(CPB, *words, sep="\t", file=self.starter.stdin, flush=True)
        cpu, peak, code = self.starter.stdout.readline().split()
        return float(cpu), int(peak), int(code)


# --- The JavaScript package ----------------------------------------------------------------

def job(words):
    """What does in JavaScript what the command does with these words; None if nothing does."""
    command, path, *rest = map(str, words)
    said = dict(zip(rest, rest[1:]))  # the value of each option, among others
    options = {name: said[f"--{name}"] for name in ("type", "schema") if f"--{name}" in said}
    whole = {"merge": "merged", "records": "records", "repack": "repack", "verify": "chunks"}
    question = None
    if command in whole:
        use = whole[command]
    elif command == "split":
        use, options["maxChunkSize"] = command, int(said["--max-chunk-size"])
    elif command == "cat":
        omit = {"omit": int(said["--omit"])} if "--omit" in said else {}
        use, question = "field", [said["--field"], omit if "--json" in rest else None]
    elif command == "inspect":
        words = [] if rest[:1] == ["--type"] else rest[:rest.index("--json")]
        asked = {"count": "all"} if "-n" in words else {}
        names = [word for word in words[1:] if word not in ("-n", said.get("-n"))]
        use, question = command, [words[0] if words else "overview", asked | ({"name": names[0]} if names else {})]
        if os.path.isdir(path):
            path, options["checkpoint"] = f"{path}/saved_model.pb", True
        if question[0] == "cut":
            use, question = "cut", names
    else:
        return None
    return {"use": use, "input": path, "options": options, "question": question}


class Threads:
    def __init__(self):
        self.node = process("node", HERE.parent.parent / "web" / "bench" / "families.js")

    def can(self, words):
        return job(words) is not None

    def run(self, words, warm):
        """CPU in seconds, the memory of WebAssembly in bytes, and how it ended."""
        warmed, cold = self.told(job(words) | {"warm": job(warm)}), self.told(job(words))
        ended = cold.get("code", 0)
        if ended not in (0, "LIMIT", "DAMAGED"):
            ended = cold.get("message", ended)
        return warmed.get("cpu", 999), cold.get("wasm", 1 << 40), ended

    def told(self, what):
        print(json.dumps(what), file=self.node.stdin, flush=True)
        return json.loads(self.node.stdout.readline())


# --- Rows ------------------------------------------------------------------------------------



def chunked(make, words):
    def prepare(folder, n):
        path = folder / "a.cpb"
        path.write_bytes(make(n))
        return [word.format(path) for word in words]
    return prepare


def message(make):
    def prepare(folder, n):
        content, (command, *words) = make(n, folder)
        path = folder / "a.pb"
        path.write_bytes(content)
        rest = ["-o", folder / "out", "--force"] if command == "cat" else []
        return [command, path, *(str(word).replace("{}", str(folder / "out")) for word in words), *rest]
    return prepare


def model(make):
    return lambda folder, n: ["inspect", *make(folder, n), "--json"]


def diff(make):
    def prepare(folder, n):
        paths = [folder / f"{side}.pb" for side in "ab"]
        for side, path in enumerate(paths):
            path.write_bytes(make(n, side))
        return ["diff", *paths, "--json"]
    return prepare


def rows():
    """The name of each, what makes its file of size n in a folder and gives the command, and n."""
    for name, (make, n) in families_chunked.FAMILIES.items():
        for command, words in COMMANDS.items():
            yield f"{command} {name}", chunked(make, words), n
    for make, n in families_messages.FAMILIES.items():
        yield f"message {make.__name__}", message(make), n
    for make, n in families_model.SIZES.items():
        yield f"inspect {make.__name__}", model(make), n
    for name, (make, n) in families_diff.FAMILIES.items():
        yield f"diff {name}", diff(make), n


def at(runner, prepare, n, rounds):
    """Bytes of input, and what was measured."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as small:
        folder, small = pathlib.Path(folder), pathlib.Path(small)
        words = prepare(folder, n)
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        first = prepare(small, max(n // 50, 2))
        return size, *min((runner.run(words, first) for _ in range(rounds)), key=lambda run: run[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--in-threads", action="store_true", help="what the JavaScript package does, in threads of Node")
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    runner = Threads() if options.in_threads else Command()
    failed = count = 0
    print("| family | KB at n | CPU s at n / 2 n | ratio | peak MiB at n / 2 n | ended | |\n" + "|---" * 7 + "|")
    for name, prepare, n in rows():
        if options.words and not any(word in name for word in options.words):
            continue
        with tempfile.TemporaryDirectory() as folder:
            if not runner.can(prepare(pathlib.Path(folder), 2)):
                continue
        (size, one, held, _), (size2, two, held2, end) = (at(runner, prepare, n * times, options.rounds) for times in (1, 2))
        ratio = two / max(one, NOISE)
        good = two < 2 and ratio <= 2.6 and held <= (64 << 20) + 16 * size and held2 <= (64 << 20) + 16 * size2
        failed += not good
        count += 1
        print(f"| {name} | {size / 1e3:,.1f} | {one:.2f} / {two:.2f} | {ratio:.1f} | {held / 2**20:.0f} / "
              f"{held2 / 2**20:.0f} | {end} | {'ok' if good else 'NOT'} |", flush=True)
    print(f"\n{count} families, {failed} not ok")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
