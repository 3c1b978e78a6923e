"""run.py [RUNTIME ...]: the corpus through the modules gives what it gives natively, in each
runtime: chunks, records, merged messages and errors, of damaged files too. What is done with
a module is recorded in Wasmtime, compared with the native command, and then played
elsewhere. README.md beside this tells more.

CPB_WASI names the folder of the modules, CPB another native command."""

import concurrent.futures
import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from engines import EngineError, File, chunk, merged, num_chunks, outcome, records
from players import DEFAULT, PLAYERS
from tape import PAGE, ROOT, Instance, Tape

sys.path.append(str(ROOT / "tests"))
from verdicts import damaged, files  # noqa: E402

MODULES = pathlib.Path(os.environ.get("CPB_WASI", ROOT / "build" / "wasi"))
CPB = os.environ.get("CPB", str(ROOT / "build-source" / "cpb"))
JOBS = os.cpu_count()
PAGES = 400  # of memory, where a file does not say how much it takes: 25 MiB
LARGEST, MOST = 8 << 20, 5000  # bytes and records: more would make the tapes long
UNSUPPORTED = 6

# Of the corpus each file, or one in so many. The command reads others in each runtime (tests/verdicts.py).
STEP = 1 if "CPB_TEST_ALL" in os.environ else 3

# And of these each file, or one in so many: what leaves something out is made of the same object files.
VARIANTS = {"": 1, "-simd": 4, "-nobrotli": 8, "-plain": 8}


# --- What the command says -----------------------------------------------------------

def same(text):
    """The limit that a message names is lower where there are less than 64 bits."""
    return re.sub(r"the limit of \d+", "the limit", text)


def command(*words):
    done = subprocess.run([CPB, *map(str, words)], capture_output=True)
    return done.returncode, done.stdout, done.stderr.decode()


@functools.cache
def bytes_of(*words):
    """What it writes, or the error's text."""
    code, out, error = command(*words)
    return out if code == 0 else same(error.splitlines()[0])


@functools.cache
def listed(path, *options):
    """As engines.records()."""
    rows = []
    for row in map(json.loads, command("records", path, "--json", "--sha256", *options)[1].splitlines()):
        if "position" in row:
            rows.append((row["chunk_begin"], row["index"], row["size"], row["sha256"]))
        elif "skipped" in row:
            rows.append((row["skipped"]["begin"], row["skipped"]["end"], row["skipped"]["reason"]))
        elif row["status"] != "OK":
            rows.append((row["status"], row.get("offset"), same(row["message"])))
    return rows


@functools.cache
def info(path):
    """Of a .cpb file; nothing if its index cannot be read."""
    out = command("info", path, "--json")[1]
    return json.loads(out) if out else {}


def ask(path):
    """All that there is to compare with, so that nobody waits for it."""
    if path.suffix == ".cpb":
        bytes_of("merge", path, "-o", "-")
        for number in range(max(len(info(path).get("chunks", [])), 1)):
            bytes_of("cat", path, "--chunk", number)
    else:
        listed(path, *how(path))


def how(path):
    """Good files are read without recovery."""
    return () if path.parent.name == "records" else ("--recover",)


def is_large(path):
    sizes = [row[2] for row in listed(path, *how(path)) if len(row) == 4]
    return len(sizes) > MOST or sum(sizes) > LARGEST


# --- Recording -------------------------------------------------------------------------

class Difference(Exception):
    pass


def left_out(error, variant):
    """A variant that does not read all may refuse what it leaves out, and says so."""
    return isinstance(error, EngineError) and error.code == UNSUPPORTED and \
        variant in ("-nobrotli", "-plain") and "this build" in str(error)


def check(got, variant, *words):
    """That it is what the command gives: bytes, or the same error."""
    native = bytes_of(*words)
    if left_out(got, variant):
        return
    if isinstance(got, EngineError):
        if not isinstance(native, str) or same(str(got)) not in native:
            raise Difference(f"{words}: {got}; natively {native[:200]!r}")
    elif got != native:
        raise Difference(f"{words}: {len(got)} bytes; natively {native[:200]!r}")


def memory_of(path, variant):
    """Pages that the file takes, as far as the command knows, and the module at least."""
    takes = info(path).get("memory", 0) // PAGE
    return max(takes or PAGES, {"-plain": 1, "-nobrotli": 2}.get(variant, 4))


def record_chunks(tape, variant, path):
    pages = memory_of(path, variant)
    instance = Instance(tape, pages)
    memory = pages * PAGE - instance.heap_base() - 4096
    file = File(instance, path.read_bytes(), memory // 16)
    count = outcome(num_chunks, file, memory)
    if isinstance(count, EngineError):
        check(count, variant, "cat", path, "--chunk", 0)
        count = 0
    for number in range(count):
        got = outcome(chunk, file, memory, number)
        if info(path):  # else the tree is damaged, which a pager does not look at
            check(got, variant, "cat", path, "--chunk", number)
    file.close()
    instance.pages()


def record_merge(instance, variant, path):
    file = File(instance, path.read_bytes())
    check(outcome(merged, file), variant, "merge", path, "-o", "-")
    file.close()


def code_name(file, code):
    return file.text(file.instance.call("cpb_code_name", code))


def record_records(instance, variant, path):
    file = File(instance, path.read_bytes())
    got = [(code_name(file, row.code), row.offset, same(str(row))) if isinstance(row, EngineError) else row
           for row in records(file, bool(how(path)))]
    file.close()
    native = listed(path, *how(path))
    if got == native or variant == "-nobrotli" and any("this build" in str(row[2]) for row in got):
        return
    wrong = next((pair for pair in zip(got, native) if pair[0] != pair[1]), (len(got), len(native)))
    raise Difference(f"{path}, records: {wrong[0]}; natively {wrong[1]}")


def jobs(tape, variant, cpbs, others):
    """What is recorded, a function each."""
    cpbs, others = cpbs[::VARIANTS[variant]], others[::VARIANTS[variant]]
    for path in cpbs:
        yield functools.partial(record_chunks, tape, variant, path)
    instance = Instance(tape, PAGES)
    if "cpb_record_reader_new" in tape.functions:
        for path in others:
            yield functools.partial(record_records, instance, variant, path)
    if "cpb_merge_new" in tape.functions:
        for path in cpbs:
            yield functools.partial(record_merge, instance, variant, path)
    instance.pages()


def record(path, variant, corpus):
    """How many were the same, and what was not."""
    passed, wrong = 0, []
    with Tape(path, module(variant)) as tape:
        for job in jobs(tape, variant, *corpus):
            try:
                job()
                passed += 1
            except Difference as difference:
                wrong.append(difference)
    return passed, wrong


def module(variant):
    return MODULES / f"cpb-core{variant}.wasm"


# --- Playing -----------------------------------------------------------------------------

def play(name, tapes):
    """Each tape, or those that the runtime can; how many it cannot."""
    player, wrong = PLAYERS[name], []
    program = player.program()
    for variant, tape in tapes.items():
        if variant in player.without:
            continue
        done = subprocess.run([*program, tape, module(variant)], capture_output=True, text=True)
        print(f"{name}, cpb-core{variant}.wasm: {(done.stdout or done.stderr).strip()}")
        if done.returncode != 0:
            wrong.append(f"{name}, cpb-core{variant}.wasm")
    return wrong


def record_all(folder, corpus):
    tapes, broken = {}, []
    for variant in VARIANTS:
        begun = time.monotonic()
        tapes[variant] = folder / f"core{variant}.tape"
        passed, wrong = record(tapes[variant], variant, corpus)
        print(f"wasmtime, cpb-core{variant}.wasm: {passed} passed, {len(wrong)} failed in "
              f"{time.monotonic() - begun:.1f}s, {tapes[variant].stat().st_size >> 20} MiB of tape", flush=True)
        for difference in wrong[:10]:
            print(f"  {difference}")
        broken += [f"wasmtime, cpb-core{variant}.wasm"] if wrong else []
    return tapes, broken


def main(names):
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        folder = pathlib.Path(folder)
        cpbs, others = files("cpb", "cpb_odd"), [*files("records", "corrupt"), *damaged(folder)]
        cpbs, others = cpbs[::STEP], others[::STEP]
        list(pool.map(ask, cpbs + others))
        others = [path for path in others if not is_large(path)]
        print(f"natively: {len(cpbs) + len(others)} files in {time.monotonic() - begun:.1f}s", flush=True)
        tapes, broken = record_all(folder, (cpbs, others))
        for wrong in pool.map(lambda name: play(name, tapes), names):
            broken += wrong
    print(f"conformance: {time.monotonic() - begun:.1f}s")
    return broken


if __name__ == "__main__":
    broken = main(sys.argv[1:] or DEFAULT)
    sys.exit(f"not the same as natively: {', '.join(broken)}" if broken else 0)
