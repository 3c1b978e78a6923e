"""Converts an ONNX model beyond 2 GB into a .cpb, and that into an .onnx with its values in a second file:
seconds, the peak of cpb's memory, and whether onnx and ONNX Runtime see the same model before and after.

    build/venv/bin/python tests/bench/onnx_2gb.py [--weights 24] [--side 5000]

With these sizes it needs 8 GB of disk and 3 GB of memory, which is ONNX Runtime's. CPB names the command;
build/cpb otherwise.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx
from onnx import TensorProto, helper

HERE = pathlib.Path(__file__).resolve().parent
CPB = os.environ.get("CPB", str(HERE.parent.parent / "build" / "cpb"))

# A process counts as its own peak what the one had that it was forked from: so that is a small one.
STARTER = """
import os, sys
_, status, used = os.wait4(os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ), 0)
os.write(int(sys.argv[1]), b"%d" % used.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))
"""

# Each in a process of its own, which ends with the memory that the runtime took.
RUN = """
import sys, numpy as np, onnxruntime
session = onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
side = session.get_inputs()[0].shape[1]
np.save(sys.argv[2], session.run(None, {"x": np.linspace(-1, 1, 2 * side, dtype=np.float32).reshape(2, side)})[0])
"""


# --- The model -------------------------------------------------------------------------

def external(name, side, offset):
    tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=[side, side],
                         data_location=TensorProto.EXTERNAL)
    for key, value in (("location", "weights.bin"), ("offset", offset), ("length", 4 * side * side)):
        tensor.external_data.add(key=key, value=str(value))
    return tensor


def make(folder, count, side):
    """A MatMul and a Tanh for each weight, the last weight as the value of a Constant."""
    generator, names = np.random.default_rng(1), [f"layers.{i}.weight" for i in range(count)]
    with open(folder / "weights.bin", "wb") as file:
        for _ in names:
            file.write((generator.random((side, side), np.float32) - np.float32(0.5)) / np.float32(side**0.5 / 4))
    tensors = [external(name, side, 4 * side * side * i) for i, name in enumerate(names)]
    nodes, at = [helper.make_node("Constant", [], [names[-1]], "/constant", value=tensors[-1])], "x"
    for i, name in enumerate(names):
        nodes += [helper.make_node("MatMul", [at, name], [f"m{i}"], f"/layers.{i}/MatMul"),
                  helper.make_node("Tanh", [f"m{i}"], [f"t{i}"], f"/layers.{i}/Tanh")]
        at = f"t{i}"
    ends = [[helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", side])] for name in ("x", at)]
    model = helper.make_model(helper.make_graph(nodes, "g", *ends, tensors[:-1]), ir_version=10,
                              opset_imports=[helper.make_opsetid("", 20)])
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    return folder / "model.onnx"


# --- Steps ------------------------------------------------------------------------------

def run(words, **how):
    """Its result, and the peak of its memory in MiB."""
    read, write = os.pipe()
    words = [sys.executable, "-SEc", STARTER, str(write), CPB, "convert", *map(str, words)]
    result = subprocess.run(words, pass_fds=[write], **how)
    os.close(write)
    with os.fdopen(read) as peak:
        return result, int(peak.read()) / 1024


def convert(source, target):
    begin = time.monotonic()
    result, peak = run([source, "-o", target, "--quiet"])
    assert result.returncode == 0, result
    made = [target, *target.parent.glob(target.name + ".data")]
    sizes = " + ".join(f"{path.stat().st_size:,}" for path in made)
    print(f"| {source.name} to {target.name} | {time.monotonic() - begin:.1f} | {peak:.1f} | {sizes} |", flush=True)


def refused(source, target, *words):
    result, _ = run([source, "-o", target, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    text = result.stderr.decode().strip()
    assert result.returncode == 5 and "beyond 2 GiB" in text and not result.stdout, result
    print("refused:", text.replace(str(target), pathlib.Path(target).name))


def outputs(path, folder):
    subprocess.run([sys.executable, "-c", RUN, path, folder / "y.npy"], check=True)
    return np.load(folder / "y.npy")


def tensors(path):
    """Names, and views of the values in the other file."""
    graph = onnx.load(path, load_external_data=False).graph
    constants = [(n.output[0], n.attribute[0].t) for n in graph.node if n.op_type == "Constant"]
    for name, tensor in [(t.name, t) for t in graph.initializer] + constants:
        place = {entry.key: entry.value for entry in tensor.external_data}
        yield name, np.memmap(path.parent / place["location"], np.uint8, "r", int(place["offset"]), int(place["length"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weights", type=int, default=24)
    parser.add_argument("--side", type=int, default=5000, help="of a weight, which is a square of float32")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        path, chunked, back = make(folder, args.weights, args.side), folder / "model.cpb", folder / "back" / "model.onnx"
        back.parent.mkdir()
        print("| step | s | peak MiB | bytes |\n|---|--:|--:|---|")
        convert(path, chunked)
        convert(chunked, back)
        for one in (path, back):
            onnx.checker.check_model(str(one), full_check=True)
        before, after = dict(tensors(path)), dict(tensors(back))
        assert list(before) == list(after) and all((before[one] == after[one]).all() for one in before)
        y = outputs(path, folder)
        assert y.std() > 0.01 and (y == outputs(back, folder)).all()
        print(f"onnx.checker accepts both; {len(before)} tensors and {y.size} outputs of ONNX Runtime are equal")
        for one in (path, chunked):
            refused(one, "-")
        refused(chunked, folder / "single.onnx", "--external-data", "--threshold", "1T")
        assert not (folder / "single.onnx").exists()


if __name__ == "__main__":
    main()
