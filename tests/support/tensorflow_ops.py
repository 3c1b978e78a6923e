"""Writes src/model/tensorflow/ops.inc: the operations that TensorFlow itself has, by

    python3 tests/support/tensorflow_ops.py
"""

import pathlib

INC = pathlib.Path(__file__).resolve().parent.parent.parent / "src" / "model" / "tensorflow" / "ops.inc"


def names():
    from tensorflow.core.framework import op_def_pb2
    from tensorflow.python.client import pywrap_tf_session as session
    ops = op_def_pb2.OpList.FromString(session.TF_GetBuffer(session.TF_GetAllOpList()))
    return sorted(op.name for op in ops.op)


def text(names):
    return "/* Made by tests/support/tensorflow_ops.py. */\n" + "".join(f'"{name}\\n"\n' for name in names)


if __name__ == "__main__":
    INC.write_text(text(names()))
