"""Writes the tables of the operators of ONNX, TensorFlow and Core ML, src/model/operators/{onnx,tensorflow,coreml}.inc,
and that of Core ML's messages, src/model/coreml/messages.inc, from the packages onnx, tensorflow and coremltools that
are installed:

    build/venv/bin/python tools/operators.py

A row is OP(name, domain, outputs, versions, sentence), or NAMED(name, outputs) if nothing more is known, sorted by name
and domain. src/model/operators/operators.h explains versions and sentence, src/model/tensorflow/ops.c the outputs.
web/scripts/operators.js and tools/packed.py read the rows as well.
"""

import json
import os
import pathlib
import re
import textwrap

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "src" / "model" / "operators"

SENTENCE = re.compile(r".*?[^.\s]\.(?<!e\.g\.)(?<!i\.e\.)(?=\s|$)")
# The end of a line that only leads to a formula or a list below it.
LEADING = re.compile(r",? (using( the following)? (formula|equation)|at \w+ stages)$")


def first_sentence(text):
    """A line of ASCII, without what makes Markdown of it; empty for none."""
    paragraph = re.split(r"\n\s*\n|<br>|\n *[*-] |\n *```", (text or "").strip())[0]
    line = re.sub(r"\s+", " ", re.sub(r"\[([^]]*)\]\(http[^)]*\)", r"\1", paragraph)).strip()
    if line.startswith("TODO"):
        return ""
    found = SENTENCE.match(line)
    sentence = found[0] if found else LEADING.sub(".", line.rstrip(":"))
    return "" if sentence == "Deprecated." else sentence


# --- ONNX ------------------------------------------------------------------------------

def onnx_input(parameter):
    from onnx import defs
    return parameter.name + "*" * (parameter.option == defs.OpSchema.FormalParameterOption.Variadic)


def onnx_versions(schemas):
    """"1:X,scales 11:X,roi 13": behind a version what its inputs are called, unless they are called as in the one
    before it, which may have fewer; that of a single input says nothing."""
    inputs = [[onnx_input(i) for i in s.inputs] for s in schemas]
    for i in reversed(range(len(inputs) - 1)):
        if inputs[i + 1][:len(inputs[i])] == inputs[i]:
            inputs[i] = inputs[i + 1]
    words = []
    for i, schema in enumerate(schemas):
        names = ",".join(inputs[i]) if len(inputs[i]) > 1 else ""
        is_new = i == 0 or inputs[i] != inputs[i - 1]
        words.append(f"{schema.since_version}" + f":{names}" * (is_new and (names != "" or i > 0)))
    return " ".join(words)


def onnx():
    from onnx import defs
    operators = {}
    for schema in defs.get_all_schemas_with_history():
        operators.setdefault((schema.name, schema.domain), []).append(schema)
    for (name, domain), schemas in operators.items():
        schemas.sort(key=lambda s: s.since_version)
        told = [s for s in schemas if not s.deprecated] or schemas  # a deprecated one only says that it is
        yield name, domain, "", onnx_versions(schemas), first_sentence(told[-1].doc)


# --- TensorFlow -------------------------------------------------------------------------

def tensorflow_inputs(op):
    """With the attributes that say how many of some there are. Nothing of one that has some without such an attribute,
    which models leave out where it has its default."""
    inputs = []
    for argument in op.input_arg:
        attr = argument.number_attr or argument.type_list_attr
        if any(a.default_value.i or a.default_value.list.type for a in op.attr if a.name == attr):
            return ""
        inputs.append(argument.name + f"*{attr}" * bool(attr))
    return ",".join(inputs) if len(inputs) > 1 else ""


def tensorflow_output(op, argument):
    if argument.type_list_attr:
        kind = "*" + argument.type_list_attr
    elif argument.type_attr:
        [default] = [a.default_value.type for a in op.attr if a.name == argument.type_attr]
        kind = argument.type_attr + (f"={default}" if default else "")
    else:
        kind = str(argument.type)
    return "&" * argument.is_ref + (f"{argument.number_attr}*" if argument.number_attr else "") + kind


def tensorflow_ops():
    """All but those that the package has for its own tests, such as A and B: in a model such a name means something
    else."""
    from tensorflow.core.framework import op_def_pb2
    from tensorflow.python.client import pywrap_tf_session as session
    from tensorflow.python.framework import test_ops
    of_tests = set(re.findall(r'_apply_op_helper\(\s*"([^"]+)"', pathlib.Path(test_ops.__file__).read_text()))
    found = op_def_pb2.OpList.FromString(session.TF_GetBuffer(session.TF_GetAllOpList()))
    return [op for op in found.op if op.name not in of_tests]


def tensorflow():
    """Nothing but names and outputs of operations that no model has: TensorFlow puts them into graphs that it runs with
    oneDNN."""
    import tensorflow as tf
    for op in tensorflow_ops():
        outputs = ",".join(tensorflow_output(op, a) for a in op.output_arg)
        function = getattr(tf.raw_ops, op.name, None)
        inputs, sentence = tensorflow_inputs(op), first_sentence(function.__doc__ if function else "")
        known = "_Mkl" not in op.name and (inputs or sentence)
        yield op.name, "", outputs, f":{inputs}" if known and inputs else "", sentence if known else ""


# --- Core ML ----------------------------------------------------------------------------

def coreml_sentence(text):
    """Of a docstring in reStructuredText, without its links; what is but a note says nothing of the operation."""
    without_links = re.sub(r"`([^`<]*?)\s*<http[^>]*>`__?", r"\1", text or "")
    sentence = first_sentence(without_links.replace("``", "`"))
    return "" if sentence.startswith("Note:") else sentence


def coreml():
    """Of programs. Their inputs have names in the model. The oldest version says what an operation does, later ones may
    say only how they differ."""
    from coremltools.converters.mil.mil.ops.registry import SSAOpRegistry
    for name, versions in SSAOpRegistry.core_ops.items():
        sentence = coreml_sentence(versions[min(versions, key=lambda v: v.value)].__doc__)
        if sentence:
            yield name, "", "", "", sentence


# --- Core ML's messages ------------------------------------------------------------------

# Messages that the view shows in another way: values, graphs, and what goes in and out.
SHOWN = ("WeightParams", "NeuralNetworkLayer", "NeuralNetwork", "Pipeline", "Program", "Model", "ModelDescription")
KINDS = {"TYPE_BOOL": "BOOL", "TYPE_INT32": "INT", "TYPE_INT64": "INT", "TYPE_UINT32": "UINT", "TYPE_UINT64": "UINT",
         "TYPE_FLOAT": "FLOAT", "TYPE_DOUBLE": "DOUBLE", "TYPE_STRING": "STRING", "TYPE_BYTES": "BYTES",
         "TYPE_ENUM": "ENUM", "TYPE_MESSAGE": "MESSAGE"}


def has_row(field):
    """Models and layers name their kinds, whatever these are; else what is shown in another way has none."""
    return field.message_type is None or field.message_type.name not in SHOWN or bool(
        field.containing_oneof and field.containing_type.name in ("Model", "NeuralNetworkLayer"))


def coreml_field(field, types):
    from google.protobuf.descriptor import FieldDescriptor
    kinds = {getattr(FieldDescriptor, name): kind for name, kind in KINDS.items()}
    of = field.message_type or field.enum_type
    is_map = field.message_type and of.GetOptions().map_entry
    kind = "SHOWN" if field.message_type and of not in types else kinds[field.type]
    words = (field.number, "IS_" + kind, "MAP" if is_map else "LIST" if field.is_repeated else "ONE",
             types.index(of) if of in types else 0, json.dumps(field.name),
             json.dumps(field.containing_oneof.name) if field.containing_oneof and field.message_type else "NULL")
    return "{" + ", ".join(map(str, words)) + "},"


def wrapped(rows):
    """Lines of whole rows."""
    text = " ".join(row.replace(" ", "\0") for row in rows).replace("*/\0", "*/ ")
    return textwrap.fill(text, 120, initial_indent="    ", subsequent_indent="    ", break_long_words=False,
                         break_on_hyphens=False).replace("\0", " ")


def coreml_table(name, rows):
    """C of the rows of all, and of the index of the first row of each."""
    firsts = [sum(map(len, rows[:i])) for i in range(len(rows) + 1)]
    return (f"static const uint16_t first_{name}[] = {{\n{wrapped(f'{first},' for first in firsts)}\n}};\n"
            f"static const {name} {name}s[] = {{\n{wrapped(row for some in rows for row in some)}\n}};\n")


def coreml_messages():
    """Fields of messages, in the order of their numbers, and values of enums. A field refers to a message or an enum by
    its position."""
    from coremltools.proto import Model_pb2, NeuralNetwork_pb2
    messages, enums = [], []

    def add(message):
        if message in messages:
            return
        messages.append(message)
        for field in message.fields:
            if field.message_type and has_row(field) and field.message_type.name not in ("Model", "Program", "Pipeline"):
                add(field.message_type)
            if field.enum_type and field.enum_type not in enums:
                enums.append(field.enum_type)

    add(NeuralNetwork_pb2.NeuralNetworkLayer.DESCRIPTOR)
    model = len(messages)
    add(Model_pb2.Model.DESCRIPTOR)
    fields = [[coreml_field(f, messages if f.message_type else enums)
               for f in sorted(filter(has_row, message.fields), key=lambda f: f.number)] for message in messages]
    for message, rows in zip(messages, fields, strict=True):
        if rows:
            rows[0] = f"/* {message.full_name.removeprefix('CoreML.Specification.')} */ {rows[0]}"
    values = [[f"{{{v.number}, {json.dumps(v.name)}}}," for v in enum.values] for enum in enums]
    return (f"/* Made by tools/operators.py. */\nenum {{ MESSAGE_LAYER = 0, MESSAGE_MODEL = {model} }};\n" +
            coreml_table("field", fields) + coreml_table("choice", values))


# --- Files --------------------------------------------------------------------------------

TABLES = {"onnx": onnx, "tensorflow": tensorflow, "coreml": coreml}


def row(name, domain, outputs, versions, sentence):
    """As a line of C. JSON's strings are C's, too, as long as they are ASCII."""
    words = (name, domain, outputs, versions, sentence) if versions or sentence else (name, outputs)
    return ("OP" if len(words) == 5 else "NAMED") + "(" + ", ".join(map(json.dumps, words)) + ")"


def text(name):
    return "/* Made by tools/operators.py. */\n" + "".join(row(*words) + "\n" for words in sorted(TABLES[name]()))


if __name__ == "__main__":
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    for table in TABLES:
        (FOLDER / f"{table}.inc").write_text(text(table))
    (FOLDER.parent / "coreml" / "messages.inc").write_text(coreml_messages())
