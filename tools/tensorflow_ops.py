"""Writes the list of operations that TensorFlow itself has, ops.inc, of the TensorFlow
that is installed, with the types of their outputs:

    build/venv/bin/python tools/tensorflow_ops.py

A line is the name of an operation, and after a space an output after the other, parted by commas:
the attribute that is its type, with its default (T, out_type=3), or the number of the type; "*" before
an attribute that lists the types of several, "N*" before the type of as many as the attribute N says;
"&" before all that for a reference.

What the package has for its own tests, such as A and B, is left out: in a model such a name means something else.
"""

import pathlib
import re

INC = next((pathlib.Path(__file__).resolve().parent.parent / "src").rglob("ops.inc"))


def of_tests():
    from tensorflow.python.framework import test_ops
    return set(re.findall(r'_apply_op_helper\(\s*"([^"]+)"', pathlib.Path(test_ops.__file__).read_text()))


def ops():
    from tensorflow.core.framework import op_def_pb2
    from tensorflow.python.client import pywrap_tf_session as session
    found = op_def_pb2.OpList.FromString(session.TF_GetBuffer(session.TF_GetAllOpList()))
    left_out = of_tests()
    return sorted((op for op in found.op if op.name not in left_out), key=lambda op: op.name)


def output(op, argument):
    if argument.type_list_attr:
        kind = "*" + argument.type_list_attr
    elif argument.type_attr:
        [default] = [a.default_value.type for a in op.attr if a.name == argument.type_attr]
        kind = argument.type_attr + (f"={default}" if default else "")
    else:
        kind = str(argument.type)
    return "&" * argument.is_ref + (f"{argument.number_attr}*" if argument.number_attr else "") + kind


def line(op):
    return op.name + (" " + ",".join(output(op, a) for a in op.output_arg) if op.output_arg else "")


def text(ops):
    return "/* Made by tools/tensorflow_ops.py. */\n" + "".join(f'"{line(op)}\\n"\n' for op in ops)


if __name__ == "__main__":
    INC.write_text(text(ops()))
