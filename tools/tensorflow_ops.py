"""Writes the list of operations that TensorFlow itself has, ops.inc, of the TensorFlow
that is installed:

    build/venv/bin/python tools/tensorflow_ops.py
"""

import pathlib

INC = next((pathlib.Path(__file__).resolve().parent.parent / "src").rglob("ops.inc"))


def names():
    from tensorflow.core.framework import op_def_pb2
    from tensorflow.python.client import pywrap_tf_session as session
    ops = op_def_pb2.OpList.FromString(session.TF_GetBuffer(session.TF_GetAllOpList()))
    return sorted(op.name for op in ops.op)


def text(names):
    return "/* Made by tools/tensorflow_ops.py. */\n" + "".join(f'"{name}\\n"\n' for name in names)


if __name__ == "__main__":
    INC.write_text(text(names()))
