"""compare.py [--inspect] [RUNTIME ...]: the corpus through cpb-cli.wasm in each runtime gives
what it gives natively: the same exit code, standard output and messages. So does each question
to its models; with --inspect, these only. With CPB_TEST_ALL=1 also all of it in those that take
long."""

import base64
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from runtimes import ROOT, RUNTIMES

DATA = pathlib.Path(os.environ.get("CPB_CORPUS", ROOT / "tests" / "data"))
JOBS = os.cpu_count()
AT_ONCE = 16  # commands in a process that takes several: each leaves its directories open

# Damaged Zstd data that libzstd reads in 64-bit builds and refuses in 32-bit ones;
# tests/corpus knows of these.
LEFT_OUT = {"chunk data byte 814 := 83, hashes fixed up", "chunk data byte 360 := 128, hashes fixed up",
            "chunk data byte 90 := 255, hashes fixed up"}


def files(*names):
    return sorted(path for name in names for path in (DATA / name).rglob("*") if path.suffix in (".riegeli", ".cpb"))


def damaged(folder):
    """The damaged files, which the manifest tells how to make."""
    corrupt = json.loads((DATA / "corrupt.manifest.json").read_text())
    bases = {name: (DATA / base["file"]).read_bytes() for name, base in corrupt["bases"].items()}
    for number, case in enumerate(corrupt["cases"]):
        if "zstd" in case["base"] and case["note"] in LEFT_OUT:
            continue
        data = bases[case["base"]]
        for offset, cut, insert in case["ops"]:
            data = data[:offset] + bytes.fromhex(insert) + data[len(data) if cut < 0 else offset + cut:]
        path = folder / f"{number}.riegeli"
        path.write_bytes(data)
        yield path


def models():
    """Of each kind, as messages and chunked."""
    wanted = ["cpb/real_*/orig.pb", "cpb/real_*/*_zstd.cpb", "samediff_small/*.zip", "samediff_small/*.fb"]
    return sorted(path for pattern in wanted for path in DATA.glob(pattern))


QUESTIONS = [["overview"], ["signature", "serving_default"], ["functions"], ["nodes"], ["scopes"], ["objects"],
             ["layers"], ["load", "root"], ["constants"], ["ops"], ["search", "e"], ["tag"], ["consumers", "x"],
             ["variables"]]


def questions():
    for path in models():
        for question in QUESTIONS:
            yield ["inspect", path, *question, "--json"]


def commands(folder):
    for path in files("records"):
        yield ["records", path, "--json"]
    for path in [*files("corrupt"), *damaged(folder)]:
        yield ["records", path, "--json", "--recover"]
    for path in files("cpb", "cpb_odd"):
        yield ["info", path, "--json"]
        yield ["merge", path, "-o", "-"]
        yield ["cat", path, "--chunk", "0"]
        yield ["verify", path]


def without_limit(text):
    """The limit that a message names is lower where there are less than 64 bits."""
    return re.sub(rb"the limit of \d+", b"the limit", text)


def execute(program):
    def run(words):
        done = subprocess.run([*program, *words], capture_output=True, timeout=300)
        return done.returncode, without_limit(done.stdout), without_limit(done.stderr)
    return run


def execute_each(program):
    """The same for some commands at a time."""
    def run(commands):
        lines = "".join(json.dumps([str(word) for word in words]) + "\n" for words in commands)
        done = subprocess.run(program, input=lines.encode(), capture_output=True, timeout=600)
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        assert len(answers) == len(commands), done.stderr.decode()
        return [(code, *(without_limit(base64.b64decode(text)) for text in texts)) for code, *texts in answers]
    return run


def outcomes(runtime, pool, commands):
    if not runtime.each:
        yield from pool.map(execute(runtime.program), commands)
        return
    some = [commands[at:at + AT_ONCE] for at in range(0, len(commands), AT_ONCE)]
    for part in pool.map(execute_each(runtime.each), some):
        yield from part


def compare(runtime, wanted):
    """The commands that gave something else."""
    begun, wrong = time.monotonic(), []
    if not os.environ.get("CPB_TEST_ALL"):
        wanted = wanted[::runtime.step]
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        got_all = outcomes(runtime, pool, [words for words, _ in wanted])
        for (words, native), got in zip(wanted, got_all, strict=True):
            if got != native:
                wrong.append((words, native, got))
    print(f"{runtime.name}: {len(wanted) - len(wrong)} passed, {len(wrong)} failed in {time.monotonic() - begun:.1f}s")
    for words, native, got in wrong[:10]:
        print(f"  {' '.join(map(str, words))}\n    native {native[0]} {native[2][:300]}, here {got[0]} {got[2][:300]}")
    return wrong


def main(names, inspect):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        asked = [*questions(), *(() if inspect else commands(folder))]
        with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
            wanted = list(zip(asked, pool.map(execute([str(ROOT / "build" / "cpb")]), asked)))
        return [name for name in names if compare(RUNTIMES[name], wanted)]


if __name__ == "__main__":
    arguments = [word for word in sys.argv[1:] if word != "--inspect"]
    broken = main(arguments or RUNTIMES, len(arguments) < len(sys.argv) - 1)
    sys.exit(f"not the same as natively: {', '.join(broken)}" if broken else 0)
