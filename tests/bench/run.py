"""Benchmarks, side by side in one run, printed as tables:

    build/venv/bin/python tests/bench/run.py [--rounds N] [--megabytes N] [--only SECTION] [--write docs/benchmarks.md]

Each row's programs run in turn, round after round, so that a machine whose
speed drifts is fair to all. Figures are medians.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys

from report import Report

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = ROOT / "build"
WORK = BUILD / "bench"
OURS = BUILD / "tests" / "bench" / "bench_records"
READ = BUILD / "tests" / "bench" / "bench_read"
sys.path.insert(0, str(HERE.parent))


def output(*command):
    return subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          check=True).stdout.decode()


SECONDS = "0.5"  # for which a program repeats its work, in one process


def ours(*args):
    """Each of ours prints seconds, bytes and seconds of the processor, a line a run."""
    program = READ if args[0] in ("read", "step") else OURS
    runs = [line.split() for line in output(program, *args, SECONDS).splitlines()]
    return statistics.median(int(size) / 1e6 / float(processor) for _, size, processor in runs)


def crate(*args):
    """The crate's bench prints MB/s, a line a run."""
    return statistics.median(float(line) for line in output(RS, *args, SECONDS).splitlines())


def rounds(count, programs):
    """Runs each program once a round; a list of figures for each."""
    figures = {name: [] for name in programs}
    for _ in range(count):
        for name, program in programs.items():
            figures[name].append(program())
    return figures


def shown(values):
    return f"{statistics.median(values):,.0f}"


def ratio(a, b):
    """The median of the ratios round by round."""
    return f"{statistics.median(x / y for x, y in zip(a, b)):.2f}"


# --- Records ------------------------------------------------------------------

CODECS = ["uncompressed", "zstd:3", "brotli:6", "snappy"]
FILES = [codec + transpose for transpose in ("", ",transpose") for codec in CODECS]
DATA = [("tensors", "incompressible records of 1 MB"), ("nodes", "NodeDef-like records")]


def ways(data, codec, *commands):
    """How many records ours takes by a call, where that matters most: its command, and what to say of it."""
    small = data == "nodes" and codec == "uncompressed"
    return list(zip(commands, ("", ", one by one")))[:2 if small else 1]


def records(out, args):
    out("## Records: MB of decoded data per second of the processor, in memory, one thread\n")
    out("`baseline` is the hash, the codec and one copy alone, chunk by chunk, without block headers. libcpb reads and "
        "writes batches of at most 256 records, except in rows with `one by one`.\n")
    for data, _ in DATA:
        (WORK / f"{data}.lp").write_bytes(subprocess.run([OURS, "make", data, str(args.megabytes)],
                                                         stdout=subprocess.PIPE, check=True).stdout)
    out("### Reading\n")
    rows(out, args, ("read", "step"), lambda command, options, lp, file: {
        "ours": lambda: ours(command, file), "crate": lambda: crate("bench-read", file),
        "baseline": lambda: ours("baseline", file)})
    out("")
    out("### Writing\n")
    rows(out, args, ("write", "write-each"), lambda command, options, lp, file: {
        "ours": lambda: ours(command, options, lp, WORK / "out.riegeli"),
        "crate": lambda: crate("bench-write", options, lp),
        "baseline": lambda: ours("write-baseline", options, file)})
    out("")


def made(data, options):
    """The data in a file by the crate."""
    file = WORK / f"{data}{'-transpose' if 'transpose' in options else ''}-{options.split(',')[0].replace(':', '')}.riegeli"
    with open(WORK / f"{data}.lp", "rb") as source, open(file, "wb") as to:
        subprocess.run([RS, "write", options], stdin=source, stdout=to, check=True)
    return file


def rows(out, args, commands, programs_of):
    out("| data | file | libcpb | crate `riegeli` | libcpb / crate | libcpb / baseline |")
    out("|---|---|---|---|---|---|")
    for data, what in DATA:
        for options in FILES if data == "nodes" else CODECS:
            file = made(data, options)
            for command, how in ways(data, options, *commands):
                programs = programs_of(command, options, WORK / f"{data}.lp", file)
                if "transpose" in options:
                    del programs["baseline"]
                f = rounds(args.rounds, programs)
                baseline = ratio(f["ours"], f["baseline"]) if "baseline" in f else ""
                out(f"| {what}{how} | {options.replace(',', ', ')} | {shown(f['ours'])} | {shown(f['crate'])} | "
                    f"{ratio(f['ours'], f['crate'])} | {baseline} |")


# --- Models -------------------------------------------------------------------

def timed(*command):
    """Wall seconds and peak MiB of a whole process."""
    report = WORK / "time"
    subprocess.run(["/usr/bin/time", "-q", "-f", "%e %M", "-o", report, *map(str, command)], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    seconds, peak = report.read_text().split()
    return float(seconds), int(peak) / 1024


THREADS = max(2, min(os.cpu_count(), 4))  # as `cpb merge` takes unasked


def counted(threads):
    return f"{threads} thread{'s' if threads > 1 else ''}"


def big_model():
    """The frozen ResNet101 with its graph twice: about 360 MB of weights."""
    from support.models import model
    path = WORK / "model.pb"
    if not path.exists():
        from support.wire import field
        graph = (model("frozen") / "graph.pb").read_bytes()
        meta = field(2, graph)
        path.write_bytes(b"\x08\x01" + field(2, meta) + field(2, meta))
    return path


def models(out, args):
    model = big_model()
    cpb = BUILD / "cpb"
    schema = ROOT / "tests" / "data" / "schema" / "tensorflow.fds"
    out(f"## A SavedModel of {model.stat().st_size / 1e6:.0f} MB: whole processes, seconds and peak MiB\n")
    out("TensorFlow's time is that of its `Merger::Read` (or of parsing the `.pb`) alone, without starting the "
        "process or writing the message; ours is the whole process, with every byte of the merged message put "
        "out. `baseline` is the hash, the codec and one copy alone, from memory to memory, by one thread, as TensorFlow's "
        "`Merger` is.\n")
    out("| | libcpb s | libcpb MiB | TensorFlow s | TensorFlow MiB | times faster | baseline / libcpb |")
    out("|---|---|---|---|---|---|---|")

    def tensorflow(path):
        seconds, kib = output(TF_MERGER, schema, "tensorflow.SavedModel", path, "/dev/null").split()
        return float(seconds), int(kib) / 1024

    def baseline(path):
        seconds, _, _ = output(OURS, "baseline", path).split()
        return float(seconds), 0

    def row(name, ours, theirs, split):
        f = rounds(args.rounds, {"ours": ours, "theirs": theirs, "baseline": lambda: baseline(split)})
        columns = {k: ([x[0] for x in v], [x[1] for x in v]) for k, v in f.items()}
        (s, m), (ts, tm), (fs, _) = columns["ours"], columns["theirs"], columns["baseline"]
        out(f"| {name} | {statistics.median(s):.2f} | {statistics.median(m):.0f} | "
            f"{statistics.median(ts):.2f} | {statistics.median(tm):.0f} | "
            f"{ratio(ts, s)} | {ratio(fs, s)} |")

    def merge(split, to, threads):
        return timed(cpb, "merge", split, "-o", to, "--threads", threads, "--force", "--quiet")

    for codec in ("none", "zstd", "brotli"):
        split = WORK / f"model-{codec}.cpb"
        subprocess.run([cpb, "split", model, "-o", split, "--codec", codec, "--force", "--quiet"], check=True)
        for to, threads in (("/dev/null", 1), ("/dev/null", THREADS), (WORK / "merged.pb", THREADS)):
            row(f"merge, {codec}, to {'/dev/null' if to == '/dev/null' else 'a file'}, {counted(threads)}",
                lambda: merge(split, to, threads), lambda: tensorflow(split), split)
    row("merge, none, to /dev/null, 1 thread, against parsing the .pb",
        lambda: merge(WORK / "model-none.cpb", "/dev/null", 1), lambda: tensorflow(model), WORK / "model-none.cpb")
    out("")
    out("| | s | MiB |")
    out("|---|---|---|")
    for layout, codec in (("remote", "none"), ("remote", "zstd"), ("compat", "brotli")):
        f = [timed(cpb, "split", model, "-o", WORK / "split.cpb", "--layout", layout, "--codec", codec, "--force",
                   "--quiet", "--threads", 1) for _ in range(args.rounds)]
        out(f"| split, {layout}, {codec} | {statistics.median(x[0] for x in f):.2f} "
            f"| {statistics.median(x[1] for x in f):.0f} |")
    out("")
    by_threads(out, args, cpb, model)


def by_threads(out, args, cpb, model):
    """What a second thread brings, and what it costs."""
    out("| | 1 thread, s | 2 threads, s | times faster | processor time, 2 / 1 |")
    out("|---|---|---|---|---|")
    for layout, codec in (("remote", "none"), ("remote", "zstd"), ("remote", "brotli:4"), ("compat", "brotli:4")):
        split, to = WORK / "threads.cpb", WORK / "threads-out.cpb"
        how = ["--layout", layout, "--codec", codec, "--max-chunk-size", "1M", "--force", "--quiet"]
        subprocess.run([cpb, "split", model, *how, "-o", split], check=True)
        for name, words in (("split", ["split", model, *how, "-o", to]), ("repack", ["repack", split, *how[:4],
                            "--force", "--quiet", "-o", to]), ("verify", ["verify", split, "--quiet"])):
            f = rounds(args.rounds, {n: lambda n=n: processor(cpb, *words, "--threads", n) for n in (1, 2)})
            wall, spent = ({n: [x[i] for x in f[n]] for n in f} for i in (0, 1))
            out(f"| {name}, {layout}, {codec} | {statistics.median(wall[1]):.2f} | {statistics.median(wall[2]):.2f} | "
                f"{ratio(wall[1], wall[2])} | {ratio(spent[2], spent[1])} |")
    out("")


def processor(*command):
    """Seconds of a whole process: by the clock, and of processors."""
    report = WORK / "time"
    subprocess.run(["/usr/bin/time", "-q", "-f", "%e %U %S", "-o", report, *map(str, command)], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wall, user, system = map(float, report.read_text().split())
    return wall, user + system


SECTIONS = {"records": records, "models": models}


def main():
    global RS, TF_MERGER
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--megabytes", type=int, default=256, help="of records in each data set")
    parser.add_argument("--write", type=pathlib.Path, help="also into this file, which keeps its text above the tables")
    parser.add_argument("--only", choices=SECTIONS, help="one section, with --write in the place of the old one")
    args = parser.parse_args()
    RS = BUILD / "interop" / "cargo" / "release" / "riegeli-rs"
    TF_MERGER = BUILD / "interop" / "tf_merger"
    for program in (OURS, READ, RS, TF_MERGER, BUILD / "cpb"):
        if not program.exists():
            sys.exit(f"{program.relative_to(ROOT)} is missing: tests/run.sh --all build setup-interop makes it")
    WORK.mkdir(exist_ok=True)
    out = Report(args.rounds)
    for name in [args.only] if args.only else SECTIONS:
        SECTIONS[name](out, args)
    if args.write and args.only:
        out.write_section(args.write)
    elif args.write:
        out.write(args.write, "run.py", "Benchmarks")


if __name__ == "__main__":
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    main()
