#!/usr/bin/env python3
"""Writes the Python package's answers.pyi, the types of the answers about models, from what describes these: the JSON
Schema in src/model/answers; and for each kind of model a type whose methods, those of Model, return that kind's answers.

    tools/answer_types.py FILE
"""

import ast
import json
import re
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "src/model/answers"
MODELS = ROOT / "python/libcpb/_models.py"
HEAD = '''"""The types of answers about models, for type checkers; there is no module of this name when a program runs.
docs/inspecting.md says what they mean. Made by tools/answer_types.py: change src/model/answers.
"""'''
IMPORTS = """
from collections.abc import Iterable
from typing import NoReturn, Protocol, overload

from typing_extensions import Unpack

from libcpb import _sources
from libcpb._models import Asking, Model, Opening, Page"""
# What it warns of is that it numbers the variants of a type.
GENERATOR = [sys.executable, "-W", "ignore", "-m", "datamodel_code_generator", "--input-file-type", "jsonschema", "--output-model-type",
             "typing.TypedDict", "--target-python-version", "3.10", "--enum-field-as-literal", "all",
             "--use-schema-description", "--use-single-line-docstring", "--use-tag-as-union-variant-name",
             "--disable-timestamp", "--formatters", "builtin"]


def definitions():
    """All files as one schema, in which references have no file: its definitions."""
    found = {}
    for path in sorted(FOLDER.glob("*.yaml")):
        for name, schema in yaml.safe_load(path.read_text())["$defs"].items():
            if name in found:
                raise SystemExit(f"{path.name} defines {name}, which another file defines, too")
            found[name] = schema
    return json.loads(re.sub(r'("\$ref": ")\w+\.yaml#', r"\1#", json.dumps(found)))


def camel(name):
    return "".join(part.capitalize() for part in name.split("_"))


def target(reference):
    return reference["$ref"].rpartition("/")[2]


def any_kind(types):
    """For each question the answers of all kinds of models that answer it."""
    answers = {}
    for kind in types["Answers"]["properties"].values():
        for question, answer in types[target(kind)]["properties"].items():
            parts = answers.setdefault(question, [])
            parts += [one for one in answer.get("anyOf", [answer]) if one not in parts]
    return {f"Any{camel(question)}": {"description": f"An answer to `{question}`, of any kind of model.", "anyOf": parts}
            for question, parts in answers.items()}


def questions(types):
    """The names of all questions."""
    return list({question: None for kind in types["Answers"]["properties"].values() for question in types[target(kind)]["properties"]})


def literals(types):
    """The names of kinds of models and of questions."""
    return "".join(f"\n{name}: TypeAlias = Literal[{', '.join(map(json.dumps, words))}]\n"
                   for name, words in (("Kind", types["Answers"]["properties"]), ("Question", questions(types))))


def answered(method):
    """The question that a method of Model answers, in camel case; None for another method."""
    returned = method.returns
    found = isinstance(returned, ast.Attribute) and returned.attr.startswith("Any") and returned.attr[len("Any"):]
    return found or None


def methods():
    """Those of Model that return an answer."""
    model = next(node for node in ast.parse(MODELS.read_text()).body if isinstance(node, ast.ClassDef) and node.name == "Model")
    return [node for node in model.body if isinstance(node, ast.FunctionDef) and answered(node)]


def overloads(name, arguments, returned):
    """Those of a method, of which each value of an argument, for which `arguments` has %s, has a type to return."""
    return [f"    @overload\n    def {name}(self, {arguments % value}) -> {kind}: ..." for value, kind in returned.items()]


def asking(name, returned):
    """A method that asks any question."""
    return overloads(name, "question: Literal[%s], name: str | None = None, **how: Unpack[Asking]",
                     {json.dumps(question): kind for question, kind in returned.items()})


def opened(kind, name, answers, asked):
    """The type of a model of a kind, as the methods of Model return its answers. One that the kind does not answer
    raises CpbError."""
    returned = {camel(question): " | ".join(target(one) for one in answer.get("anyOf", [answer]))
                for question, answer in answers["properties"].items()}
    yield f"class {name}(Model):"
    yield f"    @property\n    def kind(self) -> Literal[{json.dumps(kind)}]: ..."
    yield from asking("ask", {question: returned.get(camel(question), "NoReturn") for question in asked})
    for method in methods():
        method.returns = ast.Name(returned.get(answered(method), "NoReturn"))
        method.body = [ast.Expr(ast.Constant(...))]
        yield textwrap.indent(ast.unparse(method).replace("\n    ...", " ..."), "    ")


def models(types):
    """A type for each kind of model, and what any may be; and the types of `Model.ask` and `open_model`."""
    kinds = types["Answers"]["properties"]
    names = {kind: "Opened" + target(answers)[: -len("Answers")] for kind, answers in kinds.items()}
    asked = questions(types)
    opens = {f": Literal[{json.dumps(kind)}]": name for kind, name in names.items()} | {": Kind | None = None": "AnyModel"}
    return "\n".join([
        *(line for kind, answers in kinds.items() for line in opened(kind, names[kind], types[target(answers)], asked)),
        f"AnyModel: TypeAlias = {' | '.join(names.values())}",
        "class Ask(Protocol):",
        *asking("__call__", {question: f"Any{camel(question)}" for question in asked}),
        "class OpenModel(Protocol):",
        *overloads("__call__", "source: _sources.Source, *, kind%s, **how: Unpack[Opening]", opens),
    ]) + "\n"


def text():
    types = definitions()
    types |= any_kind(types)
    schema = {"title": "Answers", **types.pop("Answers"), "$defs": types}
    with tempfile.TemporaryDirectory() as folder:
        source, made = Path(folder) / "answers.json", Path(folder) / "answers.pyi"
        source.write_text(json.dumps(schema))
        subprocess.run([*GENERATOR, "--input", source, "--output", made], check=True)
        types["Answers"] = schema
        return made.read_text().replace("\nfrom typing import", IMPORTS + "\nfrom typing import", 1) + literals(types) + models(types)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    Path(sys.argv[1]).write_text(f"{HEAD}\n\n{text()}")


if __name__ == "__main__":
    main()
