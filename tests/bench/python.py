"""What the Python package adds to the C library; records against array_record, and SavedModels against TensorFlow, as
ratios in one run:

    PYTHONPATH=build/python build/venv/bin/python tests/bench/python.py [--rounds N] [--megabytes N] [--only SECTION]
        [--write docs/benchmarks.md]

Programs of a row run in turn, round after round. For each but the first there are two ratios to it,
medians: time of processors, and by the clock, as array_record reads with several threads.
"""

import argparse
import multiprocessing
import os
import pathlib
import random
import statistics
import subprocess
import tempfile
import threading
import time

import libcpb
from array_record.python.array_record_module import ArrayRecordReader, ArrayRecordWriter

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = ROOT / "build/bench/python"
CPB = ROOT / "build/cpb"


def compare(rounds, programs):
    """(seconds, seconds of processors) of each program, a round a row; the first round warms up."""
    rows = []
    for _ in range(rounds + 1):
        row = []
        for program in programs:
            start, used = time.perf_counter(), time.process_time() + sum(os.times()[2:4])
            program()
            row.append((time.perf_counter() - start, time.process_time() + sum(os.times()[2:4]) - used))
        rows.append(row)
    return rows[1:]


def shown(name, rows, count):
    """The first's rate, and how much longer each other takes, of the processors and by the clock."""
    rate = count / max(statistics.median(row[0][1] for row in rows), 0.001)
    ratios = [" / ".join(f"{statistics.median(row[i][k] / max(row[0][k], 0.001) for row in rows):.2f}" for k in (1, 0))
              for i in range(1, len(rows[0]))]
    say(f"| {name} | {rate:,.0f} | {' | '.join(ratios)} |")


LINES = []


def say(text):
    print(text, flush=True)
    LINES.extend(text.split("\n"))


# --- Records -----------------------------------------------------------------------------------------


def records_of(args, size):
    """How many: those of 100,000 bytes need more than the others for as much work."""
    return min(max(args.megabytes * 1_000_000 // size, 400), 400_000)


def loop(path):
    total = 0
    for record in libcpb.RecordReader(path):
        total += len(record)
    return total


def loop_over_batches(path):
    total = 0
    for batch in libcpb.RecordReader(path).batches():
        for view in batch:
            total += len(view)
    return total


def loop_of_array_record(path):
    reader = ArrayRecordReader(str(path))
    total = 0
    for _ in range(reader.num_records()):
        total += len(reader.read())
    reader.close()
    return total


def all_of_array_record(path):
    reader = ArrayRecordReader(str(path))
    total = sum(len(record) for record in reader.read_all())
    reader.close()
    return total


def records(args):
    say("\n| records in a loop | libcpb, records/s of a processor | libcpb by batches | array_record | its read_all() |\n|---|---|---|---|---|")
    for size in (100, 100_000):
        count = records_of(args, size)
        for name, options, codec in (("uncompressed", "uncompressed", "none"), ("zstd", "zstd:3", "zstd")):
            made = [os.urandom(size // 2) + bytes(size - size // 2) for _ in range(count)]
            theirs, ours = WORK / "array_record", WORK / "records"
            writer = ArrayRecordWriter(str(theirs), f"group_size:{max(1, (1 << 16) // size)},{options}")
            for record in made:
                writer.write(record)
            writer.close()
            with libcpb.RecordWriter(ours, codec=codec, chunk_size=1 << 16) as out:
                out.write_all(made)
            assert loop(ours) == loop_over_batches(ours) == loop_of_array_record(theirs)
            rows = compare(args.rounds, [lambda: loop(ours), lambda: loop_over_batches(ours),
                                         lambda: loop_of_array_record(theirs), lambda: all_of_array_record(theirs)])
            shown(f"{size:,} bytes, {name}", rows, count)


def writing(args):
    say("\n| records written | libcpb, records/s of a processor | array_record |\n|---|---|---|")
    for size in (100, 100_000):
        count = records_of(args, size)
        made = [os.urandom(size // 2) + bytes(size - size // 2) for _ in range(count)]
        for name, options, codec in (("uncompressed", "uncompressed", "none"), ("zstd", "zstd:3", "zstd")):

            def ours():
                with libcpb.RecordWriter(WORK / "records", codec=codec, chunk_size=1 << 16) as out:
                    out.write_all(made)

            def theirs():
                writer = ArrayRecordWriter(str(WORK / "array_record"), f"group_size:{max(1, (1 << 16) // size)},{options}")
                for record in made:
                    writer.write(record)
                writer.close()

            shown(f"{size:,} bytes, {name}", compare(args.rounds, [ours, theirs]), count)


def numbered(args):
    """256 random records at a time, and one at a time."""
    say("\n| records by number | libcpb, records/s of a processor | array_record |\n|---|---|---|")
    chance = random.Random(1)
    for size in (100, 100_000):
        count = records_of(args, size)
        for group in {1, max(1, (1 << 16) // size)}:
            theirs, ours = WORK / "array_record", WORK / "records"
            made = [os.urandom(size // 2) + bytes(size - size // 2) for _ in range(count)]
            with libcpb.RecordWriter(ours, codec="zstd", chunk_size=1 << 16, record_per_chunk=group == 1) as out:
                out.write_all(made)
            writer = ArrayRecordWriter(str(theirs), f"group_size:{group},zstd:3")
            for record in made:
                writer.write(record)
            writer.close()
            with libcpb.RecordReader(ours) as mine:
                other = ArrayRecordReader(str(theirs))
                batches = [[chance.randrange(count) for _ in range(256)] for _ in range(20)]
                assert mine.read(numbers=batches[0]) == other.read(batches[0])
                rows = compare(args.rounds, [lambda: [mine.read(numbers=batch) for batch in batches],
                                             lambda: [other.read(batch) for batch in batches]])
                shown(f"{size:,} bytes, {group} in a chunk, 256 at a time", rows, 256 * len(batches))
                rows = compare(args.rounds, [lambda: [mine[i] for batch in batches[:4] for i in batch],
                                             lambda: [other.read([i]) for batch in batches[:4] for i in batch]])
                shown(f"{size:,} bytes, {group} in a chunk, one at a time", rows, 1024)
                other.close()


# --- Files -------------------------------------------------------------------------------------------


def command(*args):
    subprocess.run([CPB, *args], check=True, stderr=subprocess.DEVNULL)


def files(args):
    say("\n| whole files | libcpb, MB/s of a processor | the command |\n|---|---|---|")
    message, chunked, out = WORK / "model.pb", WORK / "model.cpb", WORK / "out"
    tensor = b"\x22" + varint(1 << 20) + os.urandom(1 << 20)  # TensorProto.tensor_content
    value = b"\x42" + varint(len(tensor)) + tensor
    entry = b"\x0a\x05value\x12" + varint(len(value)) + value
    node = b"\x0a\x01n\x12\x05Const\x2a" + varint(len(entry)) + entry
    with open(message, "wb") as file:
        for _ in range(args.megabytes):
            file.write(b"\x0a" + varint(len(node)) + node)
    split = {"type_name": "tensorflow.GraphDef"}
    shown("split", compare(args.rounds, [
        lambda: libcpb.split(message, chunked, **split),
        lambda: command("split", message, "-o", chunked, "-f", "--type", "tensorflow.GraphDef")]), args.megabytes)
    shown("merge", compare(args.rounds, [
        lambda: libcpb.merge(chunked, out),
        lambda: command("merge", chunked, "-o", out, "-f")]), args.megabytes)


def varint(value):
    out = b""
    while value >= 128:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def threads(args):
    say("\n| two readers | in two threads, MB/s of a processor | one after the other |\n|---|---|---|")
    paths = [WORK / f"half{i}" for i in range(2)]
    for path in paths:
        with libcpb.RecordWriter(path, codec="brotli", level=1) as out:
            out.write_all(os.urandom(50_000) + bytes(50_000) for _ in range(args.megabytes * 10))

    def together():
        running = [threading.Thread(target=loop_over_batches, args=[path]) for path in paths]
        for thread in running:
            thread.start()
        for thread in running:
            thread.join()

    shown("100,000 bytes, brotli", compare(args.rounds, [together, lambda: [loop_over_batches(p) for p in paths]]),
          2 * args.megabytes)


# --- SavedModels ---------------------------------------------------------------------------------------


def measured(call):
    """Seconds, those of processors, and the most memory beyond what there was before, in MiB."""
    status = pathlib.Path("/proc/self/status")
    pathlib.Path("/proc/self/clear_refs").write_text("5")  # the peak is the memory now
    before = int(status.read_text().split("VmRSS:")[1].split()[0])
    start, used = time.perf_counter(), time.process_time()
    call()
    took = time.perf_counter() - start, time.process_time() - used
    return *took, (int(status.read_text().split("VmHWM:")[1].split()[0]) - before) / 1024


def saved_models_of(who, folder, turns, results):
    """In a process of its own, with a module of four constants of 100 MB."""
    import libcpb.tensorflow
    import numpy as np
    import tensorflow as tf

    def function(i):
        values = np.random.default_rng(i).random(25_000_000, np.float32)
        return tf.function(lambda at: tf.constant(values)[at], input_signature=[tf.TensorSpec([], tf.int32)])

    module = tf.Module()
    for i in range(4):
        setattr(module, f"f{i}", function(i))
        getattr(module, f"f{i}").get_concrete_function()
    save = tf.saved_model.save if who == "TensorFlow" else lambda *args: libcpb.tensorflow.save(*args, chunked=True)
    load = tf.saved_model.load if who == "TensorFlow" else libcpb.tensorflow.load
    while turns.get():
        results.put((measured(lambda: save(module, folder)), measured(lambda: load(folder))))


def saved_models(args):
    say("\n| a SavedModel of 4 x 100 MB | libcpb s | of processors | peak MiB | TensorFlow s | of processors | peak MiB |"
        " TensorFlow / libcpb: s | of processors | memory |\n" + "|---" * 10 + "|")
    context, programs, rows = multiprocessing.get_context("spawn"), {}, {"libcpb": [], "TensorFlow": []}
    for who in rows:
        folder, queues = tempfile.TemporaryDirectory(dir=WORK), (context.Queue(), context.Queue())
        process = context.Process(target=saved_models_of, args=(who, folder.name, *queues))
        process.start()
        programs[who] = process, folder, *queues
    for goes_on in [True] * args.rounds + [False]:
        for who, (process, folder, turns, results) in programs.items():
            turns.put(goes_on)
            if goes_on:
                rows[who].append(results.get())
                continue
            process.join()
            folder.cleanup()
    for i, step in enumerate(("save", "load")):
        ours, theirs = ([statistics.median(row[i][k] for row in rows[who]) for k in range(3)] for who in rows)
        cells = [f"{x:.1f} | {y:.1f} | {mib:,.0f}" for x, y, mib in (ours, theirs)]
        ratios = [f"{b / a:.2f}" for a, b in zip(ours, theirs)]
        say(f"| {step} | {' | '.join([*cells, *ratios])} |")


SECTIONS = [records, writing, numbered, files, threads, saved_models]


def write(page, name, lines, args):
    """Replaces the section's table, where the page has one."""
    if f"<!-- {name}: tests/bench/python.py -->" not in page.read_text():
        return
    begin, end = f"<!-- {name}: tests/bench/python.py -->\n", f"<!-- end of {name} -->\n"
    before, _, rest = page.read_text().partition(begin)
    note = f"Medians of {args.rounds} rounds" + (f", {args.megabytes} MB of records." if name != "saved_models" else ".")
    page.write_text(before + begin + "\n".join([*lines, "", note, ""]) + "\n" + end + rest.partition(end)[2])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--only", choices=[section.__name__ for section in SECTIONS], action="append")
    parser.add_argument("--write", type=pathlib.Path, metavar="PAGE")
    args = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    for section in SECTIONS:
        if not args.only or section.__name__ in args.only:
            LINES.clear()
            section(args)
            if args.write:
                write(args.write, section.__name__, LINES, args)


if __name__ == "__main__":
    main()
