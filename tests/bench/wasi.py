"""Benchmarks of what runs under WASI, printed as tables:

    bash wasi/build.sh && ninja -C build/wasi bench_wasm
    build/venv/bin/python tests/bench/wasi.py [--rounds N] [--write docs/benchmarks-wasi.md] [--only SECTION]

The programs of a row run in turn, round after round. A figure is the fastest of its runs,
which are short and many: what else the machine does only makes a run slower.
"""

import argparse
import hashlib
import mmap
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = ROOT / "build"
WORK = BUILD / "bench-wasi"
NATIVE = BUILD / "tests" / "bench"
CRATE = BUILD / "interop" / "cargo" / "release" / "riegeli-rs"
CPB = BUILD / "cpb"
sys.path[:0] = [str(HERE.parent), str(ROOT / "wasi" / "test"), str(ROOT / "wasi" / "conformance"),
                str(ROOT / "wasi" / "examples" / "python"), str(BUILD / "tools" / "wasmtime")]

from cpb_pager import Pager  # noqa: E402
from engines import REST, Engine, File, pager  # noqa: E402
from report import Report  # noqa: E402
from runtimes import RUNTIMES  # noqa: E402
from support.wire import field, varint  # noqa: E402
from tape import PAGE, Instance, Tape  # noqa: E402

import wasmtime  # noqa: E402

MODULES = BUILD / "wasi"
MIB = 1 << 20


def run(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, **options)


# --- Decoding ---------------------------------------------------------------------------

MEGABYTES = 3  # of records: a run takes milliseconds where it is compiled
ROWS = [("hash alone", "tensors", None), ("1 MB records, uncompressed", "tensors", "uncompressed"),
        ("small records, uncompressed", "nodes", "uncompressed"), ("small records, Snappy", "nodes", "snappy"),
        ("small records, Zstd", "nodes", "zstd:3"), ("small records, Brotli", "nodes", "brotli:6")]
COMPILED = [("wasmtime", "core"), ("wasmtime", "core-simd"), ("wasmtime", "command"), ("wazero", "core"),
            ("node", "core"), ("node", "core-simd")]
INTERPRETED = [("wasmi", "core"), ("wasm3", "core")]


def data(records, codec):
    """A file of such records."""
    lp = WORK / f"{records}.lp"
    if not lp.exists():
        with open(lp, "wb") as out:
            run(NATIVE / "bench_records", "make", records, MEGABYTES, stdout=out)
    if codec is None:
        return lp
    path = WORK / f"{records}-{codec.partition(':')[0]}.riegeli"
    if not path.exists():
        with open(lp, "rb") as source, open(path, "wb") as out:
            run(CRATE, "write", codec, stdin=source, stdout=out)
    return path


def program(runtime, build):
    if runtime == "native":
        return [NATIVE / "bench_read"]
    return [*RUNTIMES[runtime].program[:-1], MODULES / f"bench-{build}.wasm"]


def rate(words):
    """MB/s of the fastest of its runs, which it prints as seconds, bytes and more."""
    lines = run(*words, stdout=subprocess.PIPE).stdout.decode().splitlines()
    return max(int(size) / float(seconds) / 1e6 for seconds, size, _ in map(str.split, lines) if float(seconds) > 0)


def decoding(out, rounds):
    parties = [("native", ""), *COMPILED, *INTERPRETED]
    out("## Decoding: MB/s of decoded data, in memory, one thread\n")
    out("In brackets: share of native, which has AVX2. `core` has the engines as in `cpb-core.wasm`, `core-simd` as in "
        "`cpb-core-simd.wasm`, `command` as in `cpb-cli-plain.wasm`. wasmi and wasm3 are interpreters.\n")
    out("| | " + " | ".join(f"{runtime} {build}".strip() for runtime, build in parties) + " |")
    out("|---" * (len(parties) + 1) + "|")
    for name, records, codec in ROWS:
        path, work = data(records, codec), "hash" if codec is None else "read"
        best = dict.fromkeys(parties, 0)
        for _ in range(rounds):
            for party in parties:
                best[party] = max(best[party], rate([*program(*party), work, path, "0.4"]))
        native = best["native", ""]
        shown = [f"{best[party]:,.0f} ({best[party] / native:.0%})" for party in parties[1:]]
        out(f"| {name} | {native:,.0f} | " + " | ".join(shown) + " |")
    out("")


# --- Merging ------------------------------------------------------------------------------

SHAPES = {"1 MB": (200, 1_000_000), "8 KB": (20_000, 8_000)}
CODECS = {"not compressed": "none", "Zstd": "zstd", "Brotli": "brotli:6"}
COMMANDS = {"cpb-cli": "Wasmtime", "cpb-cli-plain": "Wasmtime, without SIMD"}
MEGABYTES_OF_COMMANDS = {"not compressed": 100, "Zstd": 100, "Brotli": 20}
MEMORY = "/dev/shm" if os.path.isdir("/dev/shm") else WORK
EXPONENTS = bytes((0x3d, 0xbd, 0x3c, 0xbc, 0x3d, 0xbd, 0x3b, 0xbb)[byte % 8] for byte in range(256))


def weights(i, size):
    """Constants like those of a model: floats near zero, whose upper bytes alone compress."""
    values = bytearray(hashlib.shake_128(b"%d" % i).digest(size))
    values[3::4] = bytes(values[3::4]).translate(EXPONENTS)
    tensor = varint(1 << 3) + varint(1) + field(4, bytes(values))
    return field(1, b"n%d" % i) + field(2, b"Const") + field(5, field(1, b"value") + field(2, field(8, tensor)))


def chunked(folder, codec, count, size):
    message, path = folder / "message.pb", folder / "chunked.cpb"
    with open(message, "wb") as out:
        for i in range(count):
            out.write(field(1, weights(i, size)))
    run(CPB, "split", message, "--type", "tensorflow.GraphDef", "--max-chunk-size", "8K", "--codec", codec, "-q", "-f",
        "-o", path)
    return path, message


def processor_time(words):
    """Seconds, of the process and of the system for it."""
    quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    pid = os.posix_spawn(words[0], [str(word) for word in words], os.environ, file_actions=quiet)
    _, status, used = os.wait4(pid, 0)
    assert status == 0, words
    return used.ru_utime + used.ru_stime


def compile_commands():
    for command in COMMANDS:
        run(RUNTIMES["wasmtime"].program[0], MODULES / f"{command}.wasm", "--version", stdout=subprocess.DEVNULL)


def shares(rounds, words, check=lambda: None):
    """Seconds of the native command with these words, and the share of it that each other has, as texts."""
    programs = {"native": [CPB, *words, *(() if words[0] == "records" else ("--threads", "1"))]}  # which has one
    for command in COMMANDS:
        programs[command] = [RUNTIMES["wasmtime"].program[0], MODULES / f"{command}.wasm", *words]
    figures = {name: [] for name in programs}
    for _ in range(rounds):
        for name, program in programs.items():
            figures[name].append(processor_time(program))
            check()
    shown = [f"{statistics.median(figures['native']):.2f}"]
    for command in COMMANDS:
        parts = [native / other for native, other in zip(figures["native"], figures[command])]
        shown.append(f"{statistics.median(parts):.0%}")
    return shown


def merging_row(folder, rounds, codec, shape):
    path, message = chunked(folder, codec, *shape)
    out = folder / "merged.pb"
    shown = shares(rounds, ["merge", path, "-q", "-f", "-o", out], lambda: run("cmp", out, message))
    return shown, path.stat().st_size


def of_commands(path, message, codec):
    """What is run of each command."""
    yield "verify", ["verify", path, "-q"]
    yield "records", ["records", path, "--json"]
    yield "split", ["split", message, "--type", "tensorflow.GraphDef", "--max-chunk-size", "8K", "--codec", codec, "-q",
                    "-f", "-o", path.with_name("again.cpb")]


def commands(out, rounds):
    out("## Other commands: whole processes, processor time\n")
    sizes = ", ".join(f"{size} MB {name}" for name, size in MEGABYTES_OF_COMMANDS.items())
    out(f"As for merging, with chunks of 1 MB: {sizes}.\n")
    out("| command | codec | native, s | " + " | ".join(COMMANDS.values()) + " |")
    out("|---" * (len(COMMANDS) + 3) + "|")
    compile_commands()
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        for name, codec in CODECS.items():
            made = chunked(pathlib.Path(folder), codec, MEGABYTES_OF_COMMANDS[name], 1_000_000)
            for command, words in of_commands(*made, codec):
                out(f"| {command} | {name} | " + " | ".join(shares(max(rounds, 5), words)) + " |")
    out("")


def merging(out, rounds):
    out("## Merging: whole processes, processor time\n")
    out("`cpb merge` of 200 and 160 MB of weights, file to file in memory (tmpfs), one thread, compiled before. Seconds "
        "of the native command, user and system; for the others, native time / theirs: the median of "
        "the rounds.\n")
    out("| chunks | codec | file, MB | native, s | " + " | ".join(COMMANDS.values()) + " |")
    out("|---" * (len(COMMANDS) + 4) + "|")
    compile_commands()
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        for size, shape in SHAPES.items():
            for name, codec in CODECS.items():
                shown, stored = merging_row(pathlib.Path(folder), max(rounds, 5), codec, shape)
                out(f"| {size} | {name} | {stored / 1e6:.0f} | " + " | ".join(shown) + " |")
        out("")


# --- Files for the reactor ----------------------------------------------------------------

def constant(i, size, words=b" ".join(b"%08x" % (k * 2654435761 % 2**32) for k in range(5000))):
    text = b"constant %d: " % i + words[i % 1000:] * (size // len(words) + 1)
    tensor = varint(1 << 3) + varint(7) + field(4, text[:size])
    return field(1, b"n%d" % i) + field(2, b"Const") + field(5, field(1, b"value") + field(2, field(8, tensor)))


def model(count, size=MIB):
    """A .cpb file of so many chunks beside the first, for readers with 256 KiB."""
    path = WORK / f"{count}-of-{size}.cpb"
    if not path.exists():
        message = WORK / "message.pb"
        with open(message, "wb") as out:
            for i in range(count):
                out.write(field(1, constant(i, size)))
        run(CPB, "split", message, "--type", "tensorflow.GraphDef", "--for-memory", "256K", "-q", "-f", "-o", path)
        message.unlink()
    return path


# --- Start-up -------------------------------------------------------------------------------

def hosts():
    """The programs of wasi/examples, which wasi/reactor/test_reactor.py builds."""
    examples, tools = ROOT / "wasi" / "examples", BUILD / "tools"
    yield "C, wasm3", [tools / "cpb-pager-wasm3"]
    yield "Rust, wasmi", [tools / "cpb-pager-wasmi"]
    yield "Go, wazero (interpreter)", [tools / "cpb-pager-wazero"]
    yield "JavaScript, Node", ["node", examples / "javascript" / "cpb-pager.js"]
    yield "Python, Wasmtime", [sys.executable, examples / "python" / "cpb_pager.py"]


def milliseconds(work):
    begun = time.perf_counter()
    work()
    return (time.perf_counter() - begun) * 1000


def fastest(rounds, works):
    """Of each, run in turn."""
    best = dict.fromkeys(works, float("inf"))
    for _ in range(rounds):
        for name, work in works.items():
            best[name] = min(best[name], milliseconds(work))
    return best


def start_up(out, rounds):
    path, wasm = model(4, 1000), MODULES / "cpb-core.wasm"
    quiet = {"stdout": subprocess.DEVNULL, "env": {**os.environ, "PYTHONPATH": str(BUILD / "tools" / "wasmtime")}}
    works = {"native `cpb cat`": lambda: run(CPB, "cat", path, "--chunk", "0", **quiet)}
    for name, words in hosts():
        works[name] = lambda words=words: run(*words, wasm, path, "0", "4", **quiet)
    works["`cpb-cli.wasm cat`, Wasmtime, compiled before"] = \
        lambda: run(*RUNTIMES["wasmtime"].program, "cat", path, "--chunk", "0", **quiet)
    out("## Start-up: milliseconds\n")
    out("A whole process that opens a small file and writes one chunk of it, with `cpb-core.wasm` in 256 KiB.\n")
    out("| | ms |")
    out("|---|---|")
    for name, figure in fastest(4 * rounds, works).items():
        out(f"| {name} | {figure:.1f} |")
    out("")
    wasmtime_parts(out, rounds, wasm, path)


def wasmtime_parts(out, rounds, wasm, path):
    engine = wasmtime.Engine()
    made = wasmtime.Module.from_file(engine, str(wasm)).serialize()
    Pager(str(wasm), open(path, "rb"), 4)  # its own module is compiled
    store = wasmtime.Store(engine)
    module = wasmtime.Module.deserialize(engine, made)
    works = {"compile the module": lambda: wasmtime.Module.from_file(engine, str(wasm)),
             "load it compiled": lambda: wasmtime.Module.deserialize(engine, made),
             "instantiate": lambda: wasmtime.Instance(store, module, []),
             "instantiate and open the file, from Python": lambda: Pager(str(wasm), open(path, "rb"), 4)}
    out("Within Wasmtime:\n\n| | ms |\n|---|---|")
    for name, figure in fastest(4 * rounds, works).items():
        out(f"| {name} | {figure:.2f} |")
    out("")


# --- Memory -----------------------------------------------------------------------------------

WINDOW = 4096
NEVER, LATE = 2, 1  # cpb_verify


def options(file, *words):
    """A struct of 4-byte fields, the first its size."""
    words = (len(words) * 4 + 4, *words)
    at = file.allocate(words[0])
    file.instance.write(at, b"".join(word.to_bytes(4, "little") for word in words))
    return at


def bound(file):
    """What there is of 256 KiB."""
    return 4 * PAGE - file.instance.heap_base() - 4096


def last_chunk(file, whole):
    with pager(file, bound(file)) as engine:
        engine.finish()
        if whole:
            engine.call("read", engine.call("num_chunks") - 1, 0, REST)
            drain(engine)


def drain(engine):
    """Looks where the data are, and leaves them there."""
    for _ in engine.steps():
        engine.call("data", engine.file.need)


def all_records(file):
    how = options(file, 0, LATE, 0, 0, 0, 0, 0, 0, bound(file))
    with Engine("record_reader", file, 0, how) as reader:
        reader.finish()


def merge(file, length):
    """So much of the merged message, from its middle on; all with None."""
    how = options(file, NEVER if length else LATE, 1, PAGE, WINDOW, 0, 0, 0, 0, 0)
    with Engine("index", file, 0, 0) as index:
        index.finish()
        with Engine("merge", file, 0, index.pointer, how) as merging:
            merging.finish()
            begin = merging.call("size") // 2 if length else 0
            merging.call("read", begin, length or REST)
            drain(merging)


OPERATIONS = {"pager: open": lambda file: last_chunk(file, False),
              "pager: stream a chunk": lambda file: last_chunk(file, True),
              "record reader: all records": all_records,
              "merge: 64 KiB of the middle": lambda file: merge(file, 65536),
              "merge: all": lambda file: merge(file, None)}
SIZES = {"1 MB": (1, MIB), "10 MB": (10, MIB), "100 MB": (100, MIB), "1 GB": (1000, MIB),
         "1 GB in ten": (10, 100 * MIB)}


def peak(work, path):
    """KiB of linear memory, which never gets smaller."""
    with open(path, "rb") as source, Tape(os.devnull, MODULES / "cpb-core.wasm") as tape:
        instance = Instance(tape, 65000)
        with mmap.mmap(source.fileno(), 0, access=mmap.ACCESS_READ) as content:
            work(File(instance, content, WINDOW))
        return instance.pages() * PAGE // 1024


def memory(out, _):
    out("## Memory: KiB of linear memory at its peak, all included\n")
    out("`cpb-core.wasm`, whose code and Brotli's tables take 192 of it, on files of constants of 1 MiB each, Zstd, "
        "written with `--for-memory 256K`; the last of ten constants of 100 MiB. Pager and record reader were given a "
        "`memory` so that all is 256 KiB, the merge 64 KiB for what is decoded.\n")
    out("| | " + " | ".join(SIZES) + " |")
    out("|---" * (len(SIZES) + 1) + "|")
    for name, work in OPERATIONS.items():
        out(f"| {name} | " + " | ".join(str(peak(work, model(*size))) for size in SIZES.values()) + " |")
    out("")


SECTIONS = {"decoding": decoding, "merging": merging, "commands": commands, "start-up": start_up, "memory": memory}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--write", type=pathlib.Path, help="also into this file, which keeps its text above the tables")
    parser.add_argument("--only", choices=SECTIONS, help="one section, with --write in the place of the old one")
    args = parser.parse_args()
    needed = [CPB, CRATE, NATIVE / "bench_read", MODULES / "bench-core.wasm", BUILD / "tools" / "cpb-pager-wazero"]
    if args.only in ("merging", "commands"):
        needed = [CPB, *(MODULES / f"{command}.wasm" for command in COMMANDS)]
    for path in needed:
        if not path.exists():
            sys.exit(f"{path.relative_to(ROOT)} is missing: tests/run.sh --all build interop wasi, and ninja bench_wasm, make it")
    WORK.mkdir(exist_ok=True)
    out = Report(args.rounds)
    for name in [args.only] if args.only else SECTIONS:
        SECTIONS[name](out, args.rounds)
    if args.write and args.only:
        out.write_section(args.write)
    elif args.write:
        out.write(args.write, "wasi.py", "Benchmarks under WASI")


if __name__ == "__main__":
    main()
