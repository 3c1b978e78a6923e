"""verdicts.py [--all] [BUILD ...]: the same bytes get the same verdict in each build of the command:
exit code, standard output and messages. What the native build with its dependencies from source
(build-source/cpb, or CPB) makes of the corpus is compared with what others make of it: `system`, the
native one with the system's libraries; `bits32`; and cpb-cli.wasm in each runtime of wasi/test.
The runtimes are compared by default, wasmi only with CPB_TEST_ALL. Native builds get all files. Runtimes get
the commands that differ in question, codec, exit code or message, and a sample of the rest: Wasmtime, which is
fast, a larger one. With --all each gets all."""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from support import odd_streams

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "wasi" / "test"))
from runtimes import DEFAULT, ROOT, RUNTIMES, Runtime  # noqa: E402

NATIVE_BUILDS = {name: Runtime(name, [ROOT / "build" / path])
                 for name, path in (("system", "cpb"), ("bits32", "m32/cpb"))}
DATA = pathlib.Path(os.environ.get("CPB_CORPUS", ROOT / "tests" / "data"))
REFERENCE = os.environ.get("CPB", str(ROOT / "build-source" / "cpb"))
JOBS = os.cpu_count()
AT_ONCE = 16  # commands in a process that takes several: Node leaves their directories open
STEPS = {"wasmtime": 4}  # one in so many commands, by default one in 25


# --- What is asked --------------------------------------------------------------------

def files(*names):
    return sorted(path for name in names for path in (DATA / name).rglob("*") if path.suffix in (".riegeli", ".cpb"))


def damaged(folder):
    """The damaged files, which the manifest tells how to make."""
    corrupt = json.loads((DATA / "corrupt.manifest.json").read_text())
    bases = {name: (DATA / base["file"]).read_bytes() for name, base in corrupt["bases"].items()}
    for number, case in enumerate(corrupt["cases"]):
        data = bases[case["base"]]
        for offset, cut, insert in case["ops"]:
            data = data[:offset] + bytes.fromhex(insert) + data[len(data) if cut < 0 else offset + cut:]
        path = folder / f"{case['base']}_{number}.riegeli"
        path.write_bytes(data)
        yield path


def others(folder):
    """Files of other formats, also where the end of one is looked at first."""
    for name, data in [("empty", b""), ("short", b"text"), ("text", b"# A text.\n" * 20), ("long", b"text\n" * 20000),
                       ("edge", bytes(65546))]:
        path = folder / name
        path.write_bytes(data)
        yield path
    yield from models()


def models():
    """Of each kind, as messages and chunked."""
    wanted = ["cpb/real_*/orig.pb", "cpb/real_*/*_zstd.cpb", "samediff_small/*.zip", "samediff_small/*.fb"]
    return sorted(path for pattern in wanted for path in DATA.glob(pattern))


QUESTIONS = [["overview"], ["signature", "serving_default"], ["functions"], ["nodes"], ["scopes"], ["objects"],
             ["layers"], ["load", "root"], ["constants"], ["ops"], ["search", "e"], ["tag"], ["consumers", "x"],
             ["variables"]]


def seeks(whole):
    for entry in json.loads((DATA / "records.manifest.json").read_text()):
        for asked, *_ in (entry.get("seeks") or [])[::1 if whole else 8]:
            yield ["cat", DATA / entry["file"], "--position", asked]


def commands(folder, whole):
    for path in models():
        for question in QUESTIONS:
            yield ["inspect", path, *question, "--json"]
    for path in files("records"):
        yield ["records", path, "--json", "--sha256"]
        yield ["records", path, "--metadata"]
    for path in odd_streams.files(folder):
        yield ["records", path, "--json", "--sha256"]
    for path in others(folder):
        yield ["info", path]
        yield ["records", path, "--json", "--sha256"]
    yield from seeks(whole)
    for path in [*files("corrupt"), *damaged(folder)]:
        yield ["records", path, "--json", "--sha256"]
        yield ["records", path, "--json", "--sha256", "--recover"]
    for path in files("cpb", "cpb_odd"):
        yield ["info", path, "--json"]
        yield ["merge", path, "-o", "-"]
        yield ["cat", path, "--chunk", "0"]
        yield ["cat", path, "--chunk", "1"]
        yield ["verify", path]


# --- What is left out -------------------------------------------------------------------

def without_numbers(text):
    return re.sub(rb"\d+", b"", text)


def traits(words, answer):
    """What a command proves: some other does as well, or none."""
    name, path, *rest = words
    code, output, messages = answer
    message = without_numbers(messages.replace(os.fsencode(path), b""))
    reasons = set(re.findall(rb'"reason":"([^"]*)"', without_numbers(output)))
    codecs = frozenset(word for word in re.split(r"\W|_", str(path.relative_to(path.parents[1])))
                       if word in ("none", "uncompressed", "snappy", "brotli", "zstd", "tr", "transposed"))
    asked = name, path.suffix, *("" if str(word).isdigit() else word for word in rest)
    return {(asked, code), (asked, codecs), (name, message), *((name, reason) for reason in reasons)}


def sample(wanted, step):
    seen, chosen = set(), []
    for number, pair in enumerate(wanted):
        found = traits(*pair)
        if number % step == 0 or not found <= seen:
            chosen.append(pair)
        seen |= found
    return chosen


# --- Running it ---------------------------------------------------------------------------

def without_limit(text):
    """The limit that a message names is lower where there are less than 64 bits."""
    return re.sub(rb"the limit of \d+", b"the limit", text)


def execute(program):
    def run(words):
        done = subprocess.run([*program, *words], capture_output=True, timeout=300)
        return done.returncode, without_limit(done.stdout), without_limit(done.stderr)
    return run


def answers(data):
    """As wasi/test/each.h says."""
    at = 0
    while at < len(data):
        begin = data.index(b"\n", at) + 1
        code, size, more = map(int, data[at:begin].split())
        at = begin + size + more
        yield code, without_limit(data[begin:begin + size]), without_limit(data[begin + size:at])


def execute_each(program):
    """The same for some commands at a time."""
    def run(commands):
        lines = "".join("\t".join(map(str, words)) + "\n" for words in commands)
        done = subprocess.run(program, input=lines.encode(), capture_output=True, timeout=600)
        got = list(answers(done.stdout))
        assert done.returncode == 0 and len(got) == len(commands), done.stderr.decode()
        return got
    return run


def outcomes(runtime, pool, commands):
    if not runtime.each:
        yield from pool.map(execute(runtime.program), commands)
        return
    some = [commands[at:at + AT_ONCE] for at in range(0, len(commands), AT_ONCE)]
    for part in pool.map(execute_each(runtime.each), some):
        yield from part


def reads_on(runtime, folder):
    """Which commands of the reference may fail that a build gets right: of the system's libzstd not
    each checks where streams end (docs/chunked-format.md)."""
    reads = runtime.name == "system" and odd_streams.lenient(lambda *words: subprocess.run([*runtime.program, *words],
                                                                               capture_output=True), folder)
    return lambda answer: reads and b"Zstd: the frame is damaged" in answer[1] + answer[2]


def compare(runtime, wanted, pool, folder):
    """The commands that gave something else."""
    begun = time.monotonic()
    excused = reads_on(runtime, folder)
    got_all = outcomes(runtime, pool, [[str(word) for word in words] for words, _ in wanted])
    other = [(words, native, got) for (words, native), got in zip(wanted, got_all, strict=True) if got != native]
    wrong = [difference for difference in other if not excused(difference[1])]
    print(f"{runtime.name}: {len(wanted) - len(wrong)} passed ({len(other) - len(wrong)} excused), {len(wrong)} failed "
          f"in {time.monotonic() - begun:.1f}s", flush=True)
    for words, native, got in wrong[:10]:
        print(f"  {' '.join(map(str, words))}\n    reference {native[0]} {native[2][:300]}, here {got[0]} {got[2][:300]}")
    return wrong


def main(names, whole):
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        asked = [[name, path, *map(str, rest)] for name, path, *rest in commands(pathlib.Path(folder), whole)]
        wanted = list(zip(asked, pool.map(execute([REFERENCE]), asked)))
        builds = {**RUNTIMES, **NATIVE_BUILDS}

        def part(name):
            return wanted if whole or name in NATIVE_BUILDS else sample(wanted, STEPS.get(name, 25))

        return [name for name in names if compare(builds[name], part(name), pool, pathlib.Path(folder))]


if __name__ == "__main__":
    arguments = [word for word in sys.argv[1:] if word != "--all"]
    broken = main(arguments or DEFAULT, len(arguments) < len(sys.argv) - 1)
    sys.exit(f"not the same verdicts: {', '.join(broken)}" if broken else 0)
