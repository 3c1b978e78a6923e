#!/usr/bin/env python3
"""Runs the programs that run.sh built, each on its board in QEMU: one tensor of a gigabyte, compared
byte for byte with what the command reads. Prints the table of docs/devices.md; with --write it is
put there, otherwise that page must say the same.

Each number comes from the program itself (examples/cortex-m/board): painted stack, the heap's
highest address, and the linker's symbols; flash from the ELF file. RAM is what the linker script
gave the program, and has nothing beyond it."""

import os
import pathlib
import random
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from support.wire import field, varint  # noqa: E402

BUILD = ROOT / "build" / "devices"
CPB = os.environ.get("CPB", str(ROOT / "build" / "cpb"))
PAGE = ROOT / "docs" / "devices.md"
BEGIN, END = "<!-- the table of wasi/devices/run.sh -->\n", "<!-- its end -->\n"
SLACK, SLACK_INSTRUCTIONS = 0.1, 0.3  # of a figure, by which another version of the compiler may differ
MIB = 1 << 20
HERTZ = {"microbit": 16_000_000, "mps2-an386": 25_000_000}  # of SysTick; one instruction is a nanosecond

# A tensor of 700,000 bytes that compresses, and one of 40,000.
LARGE, SMALL = 7, 11
# Files: name, options of `cpb split`.
FILES = {"16K": ["--for-memory", "16K"], "64K": ["--for-memory", "64K"], "96K": ["--for-memory", "96K"],
         "brotli": ["--codec", "brotli:6", "--max-chunk-size", "32K"]}

# What reads it, program, board, KiB of RAM, file, tensor.
ROWS = [
    ("C core, no codec", "cortex-m/m0-none", "microbit", 16, "16K", LARGE),
    ("C core, no codec", "cortex-m/m4-none", "mps2-an386", 16, "16K", LARGE),
    ("C core, Zstd and Snappy", "cortex-m/m4-zstd-64", "mps2-an386", 64, "64K", LARGE),
    ("C core, Zstd and Snappy", "cortex-m/m4-zstd", "mps2-an386", 96, "96K", LARGE),
    ("C core, all codecs", "cortex-m/m4-all", "mps2-an386", 128, "96K", LARGE),
    ("C core, all codecs", "cortex-m/m4-all", "mps2-an386", 128, "brotli", SMALL),
    ("field, no codec", "cortex-m/m0-none-field", "microbit", 16, "16K", LARGE),
    ("field, Zstd and Snappy", "cortex-m/m4-zstd-field", "mps2-an386", 64, "64K", LARGE),
    ("field, all codecs", "cortex-m/m4-all-field", "mps2-an386", 160, "brotli", SMALL),
    ("wasm3, plain", "reactor/wasm3-plain", "mps2-an386", 136, "16K", LARGE),
    ("wasm3, Zstd", "reactor/wasm3-zstd", "mps2-an386", 304, "64K", LARGE),
    ("wasm3, all", "reactor/wasm3-all", "mps2-an386", 448, "64K", LARGE),
    ("WAMR, plain", "reactor/wamr-plain", "mps2-an386", 100, "16K", LARGE),
    ("WAMR, Zstd", "reactor/wamr-zstd", "mps2-an386", 256, "64K", LARGE),
    ("WAMR, all", "reactor/wamr-all", "mps2-an386", 384, "64K", LARGE),
    ("WAMR, all", "reactor/wamr-all-brotli", "mps2-an386", 448, "brotli", SMALL),
    ("WAMR fast, plain", "reactor/wamr-fast-plain", "mps2-an386", 176, "16K", LARGE),
    ("WAMR fast, Zstd", "reactor/wamr-fast-zstd", "mps2-an386", 344, "64K", LARGE),
]
# Not in the table: the packages for other systems.
PACKAGED = [
    ("ESP-IDF", "packages/esp-idf-ALL/program", "mps2-an386", 128, "brotli", SMALL),
    ("Zephyr", "packages/zephyr-ZSTD/program", "mps2-an386", 128, "96K", LARGE),
]
CORES = {"microbit": "M0", "mps2-an386": "M4"}


def write_graph(path):
    """A GraphDef of 1,024 constants, most of them like weights: no codec makes them smaller."""
    chance = random.Random(1)
    weights = chance.randbytes(MIB)
    words = [chance.randbytes(4).hex().encode() for _ in range(500)]
    text = b" ".join(chance.choices(words, k=MIB // 8))
    contents = {LARGE: text[:700_000], SMALL: text[:40_000]}
    with open(path, "wb") as file:
        for i in range(1024):
            content = contents.get(i, b"%08d" % i + weights[8:])
            tensor = varint(1 << 3) + varint(7) + field(4, content)
            value = field(1, b"value") + field(2, field(8, tensor))
            file.write(field(1, field(1, b"n%d" % i) + field(2, b"Const") + field(5, value)))


def with_files(folder, rows):
    """Measures each of the rows while its file is there: one gigabyte at a time, and the message."""
    folder.mkdir(parents=True, exist_ok=True)
    message = folder / "graph.pb"
    measured = {}
    try:
        write_graph(message)
        for name, options in FILES.items():
            path = folder / f"{name}.cpb"
            subprocess.run([CPB, "split", message, "--type", "tensorflow.GraphDef", "--force", "--quiet", "-o", path,
                            *options], check=True)
            measured.update((row, measure(row)) for row in rows if row[4] == name)
            path.unlink()
    finally:
        for file in folder.iterdir():
            file.unlink()
    return [measured[row] for row in rows]


def run(program, board, file, what, out):
    """What the program printed, as name: number."""
    words = ",".join(f"arg={word}" for word in ("reader", file, what, out))
    done = subprocess.run(
        ["qemu-system-arm", "-M", board, "-nographic", "-monitor", "none", "-serial", "none", "-icount", "shift=0",
         "-semihosting-config", f"enable=on,target=native,{words}", "-kernel", program],
        capture_output=True, text=True, timeout=300)
    said = done.stdout + done.stderr
    if done.returncode != 0:
        raise SystemExit(f"{program} ended with {done.returncode}: {said}")
    return {name: int(value) for name, value in re.findall(r"^(\w+) (\d+)$", said, re.M)}


def flash(program):
    """Bytes that the program takes of it: code, constants, and the initial values of data."""
    sizes = subprocess.run(["arm-none-eabi-size", program], capture_output=True, text=True, check=True)
    text, data = sizes.stdout.splitlines()[1].split()[:2]
    return int(text) + int(data)


def holds_no_malloc(program):
    names = subprocess.run(["arm-none-eabi-nm", program], capture_output=True, text=True, check=True).stdout
    return not re.search(r" _?(malloc|calloc|realloc|sbrk)(_r)?$", names, re.M)


def measure(row):
    name, program, board, ram, file, chunk = row
    path = BUILD / f"{program}.elf"
    cpb, out = BUILD / "files" / f"{file}.cpb", BUILD / "out"
    out.unlink(missing_ok=True)
    # +1: chunk 0 is the graph without its constants. The path is node[N].attr["value"].tensor.tensor_content.
    what = f'1[{chunk}].5["value"].8.4' if program.endswith("-field") else chunk + 1
    said = run(path, board, os.path.relpath(cpb), what, os.path.relpath(out))
    expected = subprocess.run([CPB, "cat", cpb, "--chunk", str(chunk + 1)], capture_output=True, check=True).stdout
    if out.read_bytes() != expected or len(expected) < 40_000:
        raise SystemExit(f"{program} read another chunk than the command did, {len(expected)} bytes")
    if not holds_no_malloc(path):
        raise SystemExit(f"{program} holds malloc; expected only its own allocator")
    if said["peak"] > ram * 1024:
        raise SystemExit(f"{program} took {said['peak']} bytes; expected at most {ram} KiB")
    for figure, ticks in (("instructions", "ticks"), ("step", "longest")):
        said[figure] = said.get(ticks, 0) * 1_000_000_000 // HERTZ[board]
    return {"what": name, "board": f"{board} ({CORES[board]})", "file": file, "ram": ram, "flash": flash(path), **said}


def kib(number):
    return f"{number / 1024:.1f}" if number else "-"


def table(measured):
    lines = ["| reader | board | file | RAM | peak | linear | flash | instructions | longest step |",
             "|---|---|---|--:|--:|--:|--:|--:|--:|"]
    for m in measured:
        m.setdefault("linear", 0)
        parts = ("peak", "linear", "flash")
        lines.append(f"| {m['what']} | {m['board']} | {m['file']} | {m['ram']} | " + " | ".join(kib(m[p]) for p in parts) +
                     f" | {m['instructions'] / 1e6:.0f} M | {m['step'] / 1e3:.0f} K |")
    return "\n".join(lines) + "\n"


def figures(line):
    return [float(figure) for figure in re.findall(r"(?<=\| )[\d.]+(?= )", line)]


def differs(written, now):
    """The first line of the page's table whose words are others, or a figure by more than SLACK."""
    if written.count("\n") != now.count("\n"):
        return "the number of its lines"
    for old, new in zip(written.splitlines(), now.splitlines()):
        a, b = figures(old), figures(new)
        slack = [SLACK] * (len(b) - 2) + [SLACK_INSTRUCTIONS] * 2
        same = len(a) == len(b) and all(abs(x - y) <= max(s * y, 0.3) for x, y, s in zip(a, b, slack))
        if not same or old.split("|")[1:4] != new.split("|")[1:4]:
            return new
    return None


def check_packages():
    """What their files say of each other and of the project."""
    for folder in (ROOT / "packaging/esp-idf/cpb", ROOT / "zephyr"):
        # Each choice but the default is asked for, by the macro that both call.
        script = (folder / "CMakeLists.txt").read_text()
        if "cpb_device_configured(" in script:
            script += (ROOT / "cmake/device.cmake").read_text()
        used = set(re.findall(r"\bCONFIG_(CPB\w*[A-Z])\b", script))
        declared = set(re.findall(r"^\s*config (\w+)$", (folder / "Kconfig").read_text(), re.M))
        choices = {name for name in used | declared if name.startswith("CPB_CODECS_")}
        if not used or not used <= declared or choices - used != {"CPB_CODECS_ZSTD"}:
            raise SystemExit(f"{folder.name}/CMakeLists.txt uses {sorted(used)}; Kconfig declares {sorted(declared)}")
    paths = re.findall(r"^  (?:cmake|kconfig): (\S+)$", (ROOT / "zephyr/module.yml").read_text(), re.M)
    if len(paths) != 2 or not all((ROOT / path).exists() for path in paths):
        raise SystemExit(f"zephyr/module.yml names {paths}; expected two paths that exist")
    said = re.search(r'^version: "(.*)"$', (ROOT / "packaging/esp-idf/cpb/idf_component.yml").read_text(), re.M)
    version = re.search(r"project\(cpb VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())
    if not said or said[1] != version[1]:
        raise SystemExit(f"idf_component.yml has version {said and said[1]}; expected {version[1]}, the project's")


def main():
    check_packages()
    measured = with_files(BUILD / "files", ROWS + PACKAGED)
    now = table(measured[:len(ROWS)])
    print(now)
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    written, after = rest.split(END)
    if "--write" in sys.argv:
        PAGE.write_text(before + BEGIN + now + END + after)
    elif line := differs(written, now):
        raise SystemExit(f"docs/devices.md says something else: {line}; expected what wasi/devices/run.sh --write writes")
    print(f"{len(measured)} passed in QEMU, 0 failed in all")


if __name__ == "__main__":
    main()
