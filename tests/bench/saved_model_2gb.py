"""Saves and loads a SavedModel beyond 2 GB with libcpb.tensorflow: seconds, and the memory that it
takes beyond what TensorFlow has taken before.

    PYTHONPATH=build/python build/venv/bin/python tests/bench/saved_model_2gb.py [--functions 4] [--mib 540]

With these sizes it needs 22 GiB of memory, most of it for TensorFlow's tracing; with `--functions 4
--mib 20 --max-pb-size 20000000` half a gigabyte. Saving and loading are each in a process of its own;
the loaded functions are compared with NumPy.
"""

import argparse
import multiprocessing
import os
import pathlib
import resource
import tempfile
import time

MIB = 1 << 20


def resident():
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


class Peak:
    """Seconds of a block, and the most memory within it beyond what there was before."""

    def __enter__(self):
        pathlib.Path("/proc/self/clear_refs").write_text("5")  # the peak is the memory now
        self.before, self.begin = resident(), time.monotonic()
        return self

    def __exit__(self, *_):
        self.seconds = time.monotonic() - self.begin
        status = pathlib.Path("/proc/self/status").read_text()
        self.most = int(status.split("VmHWM:")[1].split()[0]) * 1024
        self.above = self.most - self.before

    def __str__(self):
        return (f"{self.seconds:6.1f} s, {self.above / MIB:8,.0f} MiB above {self.before / MIB:,.0f} MiB, "
                f"peak of the process {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MiB")


def weights(i, count):
    import numpy as np

    return np.random.default_rng(i).random(count, np.float32)


def body(values):
    import tensorflow as tf

    return lambda x: tf.reduce_sum(tf.constant(values)[:1000] * x)


def save(args, path):
    import libcpb.tensorflow
    import tensorflow as tf
    from libcpb.tensorflow import _saving

    module, count = tf.Module(), args.mib * MIB // 4
    with Peak() as tracing:
        for i in range(args.functions):
            function = tf.function(body(weights(i, count)), input_signature=[tf.TensorSpec([], tf.float32)])
            function.get_concrete_function()
            setattr(module, f"f{i}", function)
    print("tracing        ", tracing, flush=True)

    # What is ours within the call: the GraphDef, and writing it.
    def measured(name, method):
        def wrapper(*a, **k):
            with Peak() as peak:
                result = method(*a, **k)
            print(name, peak, flush=True)
            return result

        return wrapper

    _saving.Saving.graph_def = measured("  its GraphDef  ", _saving.Saving.graph_def)
    _saving.Saving.write = measured("  the file      ", _saving.Saving.write)
    begin = time.monotonic()
    file = libcpb.tensorflow.save(module, path, max_pb_size=args.max_pb_size, codec=args.codec)
    print(f"save             {time.monotonic() - begin:6.1f} s: {os.path.basename(file)}, "
          f"{os.path.getsize(file) / MIB:,.0f} MiB, of one constant {args.mib} MiB", flush=True)


def load(args, path):
    import libcpb.tensorflow
    import numpy as np
    from libcpb.proto_splitter import util
    from libcpb.tensorflow import _loading

    with Peak() as parsing:
        model = _loading.parse_saved_model(path, lambda _: None)
    if model is not None:
        print("parse           ", parsing, flush=True)
        size = util.byte_size(model)
        print(f"  a message of {size / MIB:,.0f} MiB", flush=True)
    del model
    with Peak() as loading:
        loaded = libcpb.tensorflow.load(path)
    print("load            ", loading, flush=True)
    for i in range(args.functions):
        wanted = float(np.sum(weights(i, args.mib * MIB // 4)[:1000] * np.float32(2.5), dtype=np.float64))
        given = float(getattr(loaded, f"f{i}")(2.5))
        assert abs(given - wanted) < 1e-3 * wanted, (i, given, wanted)
    print(f"all {args.functions} functions give the right numbers")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--functions", type=int, default=4)
    parser.add_argument("--mib", type=int, default=540, help="of the constant in each function")
    parser.add_argument("--max-pb-size", type=int, default=(1 << 31) - 1)
    parser.add_argument("--codec", default="zstd:3")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for step in (save, load):
            process = multiprocessing.get_context("spawn").Process(target=step, args=(args, f"{folder}/model"))
            process.start()
            process.join()
            if process.exitcode:
                raise SystemExit(process.exitcode)


if __name__ == "__main__":
    main()
