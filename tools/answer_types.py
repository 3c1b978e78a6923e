#!/usr/bin/env python3
"""Writes the Python package's answers.pyi, the types of the answers about models, from the JSDoc of
web/src/inspect/answers, which is their only source and is tested against real answers.

    tools/answer_types.py FILE
"""

import keyword
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "web/src/inspect/answers"
FILES = ("shared", "graph", "tensorflow", "keras", "samediff", "model", "onnx", "coreml", "index")
SIMPLE = {"string": "str", "number": "int", "boolean": "bool", "null": "None", "unknown": "Any",
          "true": "Literal[True]", "false": "Literal[False]", "undefined": "None", "never": "Never"}
NO_MEMBERS = {"dict", "list", "str", "int", "bool", "float"}  # of a class: its annotations need these names
NUMBER, STRING = ("name", "number"), ("name", "string")

HEAD = '''"""The types of answers about models, for type checkers; there is no module of this name when a
program runs. docs/inspecting.md says what they mean. Written by tools/answer_types.py.
"""

from typing import Any, Literal, TypedDict

from typing_extensions import Never, NotRequired
'''


# --- Types, parsed --------------------------------------------------------------------------------


class Parser:
    """Types of TypeScript as tuples: (kind, ...)."""

    TOKEN = re.compile(r"\s*(?:('[^']*')|([A-Za-z_][\w.]*)|(\d+)|(\[\]|[{}()\[\]<>|&:?,;]))")

    def __init__(self, text):
        self.tokens, at = [], 0
        text = text.strip()
        while at < len(text):
            match = self.TOKEN.match(text, at)
            if not match:
                raise SystemExit(f"answer_types: cannot read {text[at:]!r} in {text!r}")
            self.tokens.append(match.group(match.lastindex))
            at = match.end()
        self.at = 0

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def take(self, expected=None):
        token = self.peek()
        if expected and token != expected:
            raise SystemExit(f"answer_types: {token!r} in {self.tokens}; expected {expected!r}")
        self.at += 1
        return token

    def skip(self, token):
        found = self.peek() == token
        self.at += found
        return found

    def several(self, separator, kind, one):
        self.skip(separator)
        parts = [one()]
        while self.skip(separator):
            parts.append(one())
        return parts[0] if len(parts) == 1 else (kind, parts)

    def union(self):
        return self.several("|", "union", self.intersection)

    def intersection(self):
        return self.several("&", "all", self.postfix)

    def postfix(self):
        value = self.primary()
        while self.skip("[]"):
            value = ("list", value)
        return value

    def primary(self):
        token = self.take()
        if token == "(":
            value = self.union()
            self.take(")")
            return value
        if token == "{":
            return self.members()
        if token == "[":  # a tuple, which in JSON is a list
            parts = [self.union()]
            while self.skip(","):
                parts.append(self.union())
            self.take("]")
            return ("list", parts[0] if len(set(map(str, parts))) == 1 else ("union", parts))
        if token.startswith("'") or token.isdigit():
            return ("literal", token)
        if self.skip("<"):
            inner = [self.union()]
            while self.skip(","):
                inner.append(self.union())
            self.take(">")
            return ("generic", token, *inner)
        return ("name", token.split(".")[-1])

    def members(self):
        if self.skip("["):
            self.take()
            key = self.take()
            keys = self.union() if key == "in" else (self.take(), ("name", "string"))[1]
            self.take("]")
            self.skip("?")
            self.take(":")
            value = self.union()
            self.take("}")
            return ("dict", keys, value)
        members = []
        while not self.skip("}"):
            name = self.take().strip("'")
            optional = self.skip("?")
            self.take(":")
            members.append((name, optional, self.union(), ""))
            self.skip(",") or self.skip(";")
        return ("object", members)


# --- The typedefs ---------------------------------------------------------------------------------


def braces(text, at):
    """What is between the braces that begin at `at`, and where it goes on behind them."""
    depth = 0
    for i in range(at, len(text)):
        depth += {"{": 1, "}": -1}.get(text[i], 0)
        if depth == 0:
            return text[at + 1 : i], i + 1
    raise SystemExit(f"answer_types: no end of {text[at:at + 60]!r}")


def typedefs(text):
    """(name, type, description, template parameters) for each @typedef that JSON can have."""
    for comment in re.findall(r"/\*\*(.*?)\*/", text, re.S):
        body = re.sub(r"\n\s*\* ?", "\n", comment).strip()
        if "@typedef" not in body or re.search(r"@template (T|\{)|keyof", body) and "Paged" not in body:
            continue
        parameters = re.findall(r"@template (\w+)\n", body)
        body = re.sub(r"@template \w+\n", "", body)
        about, _, rest = body.partition("@typedef")
        kind, end = braces(rest, rest.index("{"))
        name = re.match(r"\s*(\w+)", rest[end:])[1]
        parsed = ("object", list(properties(rest[end:]))) if kind == "object" else Parser(kind).union()
        yield name, parsed, " ".join(about.split()), parameters


def properties(text):
    for part in text.split("@property")[1:]:
        kind, end = braces(part, part.index("{"))
        name, about = re.match(r"\s*(\[?\w+\]?)\s*(.*)", part[end:], re.S).groups()
        yield name.strip("[]"), name.startswith("["), Parser(kind).union(), " ".join(about.split())


# --- As Python ------------------------------------------------------------------------------------


def camel(name):
    return "".join(part.capitalize() for part in name.split("_"))


def singular(name):
    return name[:-1] if name.endswith("s") else name


def replaced(kind, values):
    """A type with others in place of template parameters."""
    if isinstance(kind, tuple) and len(kind) == 2 and kind[0] == "name":
        return values.get(kind[1], kind)
    if isinstance(kind, (tuple, list)):
        return type(kind)(replaced(part, values) for part in kind)
    return kind


class Writer:
    def __init__(self, types):
        self.types = types
        self.done = {}  # the text of each declaration, by its name, in the order of need
        self.pending = set()

    def alternatives(self, kind):
        """The lists of members that objects of this type may have; None where it is no object."""
        if kind[0] == "object":
            return [kind[1]]
        if kind[0] == "name" and kind[1] in self.types:
            return self.alternatives(self.types[kind[1]][0])
        if kind[0] == "generic" and kind[1] == "Partial":
            return [[(n, True, t, a) for n, _, t, a in one] for one in self.alternatives(kind[2])]
        if kind[0] == "generic" and kind[1] == "Omit":
            names = [part[1].strip("'") for part in (kind[3][1] if kind[3][0] == "union" else [kind[3]])]
            return [[member for member in one if member[0] not in names] for one in self.alternatives(kind[2])]
        if kind[0] == "generic" and kind[1] in self.types:
            known, _, parameters = self.types[kind[1]]
            return self.alternatives(replaced(known, dict(zip(parameters, kind[2:]))))
        if kind[0] == "union":
            found = [self.alternatives(part) for part in kind[1]]
            return None if None in found else [one for part in found for one in part]
        if kind[0] == "all":
            joined = [[]]
            for part in kind[1]:
                joined = [before + one for before in joined for one in self.alternatives(part)]
            return joined
        return None

    def declare(self, name, members, about=""):
        if name in self.done or name in self.pending:
            return name
        self.pending.add(name)
        members = list({member[0]: member for member in members}.values())
        lines = []
        for key, optional, kind, text in members:
            value = self.python(kind, name + camel(key))
            value = f"NotRequired[{value}]" if optional else value
            lines.append((key, value, text))
        if any(keyword.iskeyword(key) or key in NO_MEMBERS for key, _, _ in lines):
            text = f'{name} = TypedDict("{name}", {{' + ", ".join(f'"{k}": {v}' for k, v, _ in lines) + "})\n"
        else:
            text = f"class {name}(TypedDict):\n"
            text += f'    """{about}"""\n' if about else ""
            text += "".join(f"    {key}: {value}\n" for key, value, _ in lines)
        self.done[name] = text
        return name

    def python(self, kind, hint):
        """The annotation; `hint` names what has no name of its own."""
        if kind[0] == "name":
            return self.named(kind[1])
        if kind[0] == "literal":
            return f"Literal[{kind[1]}]".replace("'", '"')
        if kind[0] == "list":
            return f"list[{self.python(kind[1], singular(hint))}]"
        if kind[0] == "dict":
            return f"dict[str, {self.python(kind[2], singular(hint))}]"
        if kind[0] == "generic" and kind[1] == "Paged":
            return self.page(kind[2], hint)
        if kind[0] == "union":
            parts = [self.python(part, f"{hint}{i}") for i, part in enumerate(kind[1], 1)]
            if NUMBER in kind[1] and STRING in kind[1]:  # text stands for a number that JSON cannot have
                parts[kind[1].index(NUMBER)] = "float"
            return " | ".join(dict.fromkeys(parts))
        alternatives = self.alternatives(kind)
        if kind[0] == "generic":
            hint = kind[1] + "Of" + "".join(part[1] for part in kind[2:] if part[0] == "name")
        if len(alternatives) == 1:
            return self.declare(hint, alternatives[0])
        return " | ".join(self.declare(f"{hint}{i}", one) for i, one in enumerate(alternatives, 1))

    def named(self, name):
        if name in SIMPLE:
            return SIMPLE[name]
        if name in self.pending or name in self.done:
            return name
        kind, about, _ = self.types[name]
        alternatives = self.alternatives(kind)
        if alternatives and len(alternatives) == 1:
            return self.declare(name, alternatives[0], about)
        self.pending.add(name)
        self.done[name] = f"{name} = {self.python(kind, name)}\n"
        return name

    def page(self, kind, hint):
        item = self.python(kind, singular(hint))
        name = f"{item}Page" if re.fullmatch(r"\w+", item) else f"{hint}Page"
        if name not in self.done:
            self.done[name] = f"class {name}(TypedDict):\n    items: list[{item}]\n    first: int\n    total: int\n"
        return name


def questions(types, writer):
    """For each question the types of its answers, of all kinds of models that answer it."""
    found = {}
    for _, _, kind, _ in types["Answers"][0][1]:
        for question, _, answer, _ in writer.alternatives(kind)[0]:
            parts = found.setdefault(question, [])
            parts += [one for one in (answer[1] if answer[0] == "union" else [answer]) if one not in parts]
    return found


def text():
    types = {}
    for name in FILES:
        for typedef, *what in typedefs((SOURCES / f"{name}.js").read_text()):
            types[typedef] = what
    writer = Writer(types)
    answers = questions(types, writer)
    for parts in answers.values():
        for _, name in parts:
            writer.named(name)
    lines = [HEAD, "# What a question is answered with, by any kind of model.\n"]
    for question, parts in answers.items():
        lines.append(f"Any{camel(question)} = {' | '.join(name for _, name in parts)}")
    return "\n".join(lines) + "\n\n" + "\n".join(writer.done.values())


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    Path(sys.argv[1]).write_text(text())


if __name__ == "__main__":
    main()
