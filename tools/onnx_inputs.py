"""Writes what the inputs of ONNX's operations are called, inputs.inc, by the schemas of the package onnx that is
installed:

    build/venv/bin/python tools/onnx_inputs.py
"""

import pathlib

INC = pathlib.Path(__file__).resolve().parent.parent / "src" / "model" / "onnx" / "inputs.inc"


def names():
    """{operation: names of its inputs}, by the newest version; "..." follows one that may come several times. A single
    input needs no name."""
    from onnx import defs

    variadic = defs.OpSchema.FormalParameterOption.Variadic
    return {s.name: [i.name + "..." * (i.option == variadic) for i in s.inputs]
            for s in defs.get_all_schemas() if len(s.inputs) > 1}


def text(names):
    rows = "".join(f'{{"{op}", "{",".join(inputs)}"}},\n' for op, inputs in sorted(names.items()))
    return "/* Made by tools/onnx_inputs.py. */\n" + rows


if __name__ == "__main__":
    INC.write_text(text(names()))
