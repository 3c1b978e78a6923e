"""Which of TensorFlow's loaders opens which form of a SavedModel, and what it says where it does not: the tables at the
beginning of docs/tensorflow.md, tried with the TensorFlow that is installed.

    PYTHONPATH=build/python build/venv/bin/python tests/interop/loaders.py [--beyond] [--write]

Without --write it fails where the page says something else. --beyond prints the table for a model beyond 2 GB, for
which it needs 16 GiB of memory and 7 GB of disk.
"""

import argparse
import ctypes
import os
import pathlib
import re
import shutil
import sys
import tempfile
import textwrap

import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2

import libcpb.tensorflow

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/tensorflow.md"
BEGIN, END = "<!-- loaders: tests/interop/loaders.py -->\n\n", "<!-- end of loaders -->\n"
TABLE = [10.0, 11.0, 12.0, 13.0]


# --- The loaders: each returns the element 2 of the first table, or None if it does not compute --------------------


def python(folder):
    return float(tf.saved_model.load(folder).f0(2))


def ours(folder):
    return float(libcpb.tensorflow.load(folder).f0(2))


def layer(folder):
    return float(next(iter(tf.keras.layers.TFSMLayer(folder, call_endpoint="serving_default")(tf.constant(2)).values())))


def c_api(folder):
    """What Serving's loader calls, too: tensorflow::LoadSavedModel()."""
    library = ctypes.CDLL(str(pathlib.Path(tf.__file__).parent / "libtensorflow_cc.so.2"))
    for name in "NewStatus", "NewSessionOptions", "NewGraph", "LoadSessionFromSavedModel":
        getattr(library, f"TF_{name}").restype = ctypes.c_void_p
    library.TF_Message.restype = ctypes.c_char_p
    status, options, graph = (ctypes.c_void_p(make()) for make in (library.TF_NewStatus, library.TF_NewSessionOptions,
                                                                   library.TF_NewGraph))
    tags = (ctypes.c_char_p * 1)(b"serve")
    library.TF_LoadSessionFromSavedModel(options, None, os.fsencode(folder), tags, 1, graph, None, status)
    if library.TF_GetCode(status) != 0:
        raise RuntimeError(library.TF_Message(status).decode())


def lite(folder):
    tf.lite.TFLiteConverter.from_saved_model(folder).convert()


LOADERS = [("`libcpb.tensorflow.load`", ours), ("Python: `tf.saved_model.load`", python), ("Keras 3: `TFSMLayer`", layer),
           ("the C API: `TF_LoadSessionFromSavedModel`, and with its loader Serving, Java and Go", c_api),
           ("TFLite: `TFLiteConverter.from_saved_model`", lite)]


# --- The models --------------------------------------------------------------------------------------------------


def save(folder):
    module = tf.Module()
    for i in range(4):
        values = [value + 100 * i for value in TABLE]
        body = lambda at, values=values: tf.gather(tf.constant(values), at)
        setattr(module, f"f{i}", tf.function(body, input_signature=[tf.TensorSpec([], tf.int32)]))
    tf.saved_model.save(module, str(folder), signatures=module.f0)


def enlarge(message, count):
    """Constants of `count` elements in place of the small tables."""
    for function in message.meta_graphs[0].graph_def.library.function:
        for node in function.node_def:
            tensor = node.attr["value"].tensor if node.op == "Const" else None
            if tensor and len(tensor.tensor_content) == 4 * len(TABLE):
                tensor.tensor_content += bytes(4 * (count - len(TABLE)))
                tensor.tensor_shape.dim[0].size = count
                node.attr["_output_shapes"].list.shape[0].dim[0].size = count


def models(folder, beyond):
    """Folders with the .pb and with the .cpb."""
    pb, cpb = folder / "pb", folder / "cpb"
    save(pb)
    shutil.copytree(pb, cpb)
    (cpb / "saved_model.pb").unlink()
    if beyond:
        message = saved_model_pb2.SavedModel.FromString((pb / "saved_model.pb").read_bytes())
        enlarge(message, 140_000_000)
        libcpb.SavedModelSplitter(message).write(str(cpb / "saved_model"), "uncompressed")
        del message
        libcpb.merge(cpb / "saved_model.cpb", pb / "saved_model.pb")
        assert (pb / "saved_model.pb").stat().st_size > 2**31
    else:
        libcpb.split(pb / "saved_model.pb", cpb / "saved_model.cpb")
    return pb, cpb


# --- The table ---------------------------------------------------------------------------------------------------


def attempt(load, folder, notes):
    """A cell; what the loader says goes to the notes, each text once."""
    try:
        value = load(str(folder))
    except Exception as error:
        said = re.sub(r"\s+", " ", str(error)).replace(f"{folder}{os.sep}", "").replace(str(folder), "model")
        said = re.split(r"(?<=[.!])\s|\s*\[Op:|; expected", said)[0]
        said = f"{type(error).__name__}: {said}" if type(error) is not RuntimeError else said
        notes.append(said) if said not in notes else None
        return f"no [{notes.index(said) + 1}]"
    if value not in (None, TABLE[2]):
        sys.exit(f"{load.__name__} of {folder} gives {value}")
    return "yes"


def table(beyond):
    """Lines of the table and of what the loaders say."""
    head = ["loader", "`.pb`", "`.cpb`", "`.pb`, after `enable()`", "`.cpb`, after `enable()`"]
    lines, notes = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"], []
    with tempfile.TemporaryDirectory(dir=os.environ.get("CPB_LARGE_TMP")) as folder:
        folders = models(pathlib.Path(folder), beyond)
        for name, load in LOADERS:
            cells = [attempt(load, one, notes) for one in folders]
            libcpb.tensorflow.enable()
            cells += [attempt(load, one, notes) for one in folders]
            libcpb.tensorflow.disable()
            print(name, cells, file=sys.stderr, flush=True)
            lines.append(f"| {name} | {' | '.join(cells)} |")
    said = [textwrap.fill(f"[{i + 1}] `{note}`", 100, initial_indent="- ", subsequent_indent="  ", break_long_words=False)
            for i, note in enumerate(notes)]
    return [*lines, "", *said]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--beyond", action="store_true")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    made = "\n".join(table(args.beyond)) + "\n\n"
    before, rest = PAGE.read_text().split(BEGIN)
    there, after = rest.split(END)
    if args.beyond:
        print(made)
    elif args.write:
        PAGE.write_text(before + BEGIN + made + END + after)
    elif made != there:
        sys.exit(f"{PAGE.name} is not up to date; expected\n{made}")


if __name__ == "__main__":
    main()
