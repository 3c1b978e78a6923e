#!/usr/bin/env python3
"""Prints the docstrings of the Python package as a page of Markdown, which tools/site.sh adds to the site.

    PYTHONPATH=build/python tools/python_reference.py >reference.md
"""

import inspect
import re
import textwrap

import libcpb
import libcpb.dask
import libcpb.records

WIDTH = 98  # members are indented by 2
SECTION = re.compile(r"^(Args|Attributes|Raises|Returns):$", re.M)
EXPLAINED = re.compile(r"(See|As for) `(libcpb\.)?(Source|Target|open|merge)`\.")  # by a table in docs/python.md
TITLES = {"Args": "Arguments", "Attributes": "Attributes", "Raises": "Raises", "Returns": "Returns"}


def wrapped(text, indent=""):
    """A paragraph as Markdown; a name in double backticks, or one of ours in single ones, is code."""
    text = re.sub(r"``(.+?)``", r"`\1`", " ".join(text.split()))
    return textwrap.fill(text, WIDTH, initial_indent=indent, subsequent_indent=" " * len(indent),
                         break_long_words=False, break_on_hyphens=False)


def items(text):
    """From `name: what` a line, with what goes on indented."""
    text = textwrap.dedent(text).strip("\n")
    for item in re.split(r"\n(?=\S)", text):
        name, _, about = item.partition(":")
        if not EXPLAINED.fullmatch(about.strip()):
            yield wrapped(f"`{name.strip()}`: {about}" if about else item, "- ")


def paragraphs(text):
    for part in re.split(r"\n\s*\n", text.strip("\n")):
        if not part.strip():
            continue
        if part.startswith("|"):
            yield part.replace("``", "`")
        elif not part.startswith("    "):  # an example
            yield wrapped(part)


def described(docstring):
    parts = SECTION.split(inspect.cleandoc(docstring))
    yield from paragraphs(parts[0])
    for title, body in zip(parts[1::2], parts[2::2]):
        if listed := "\n".join(items(body)):
            yield f"{TITLES[title]}:"
            yield listed


def signature(name, thing):
    given = inspect.signature(thing)
    parameters = [p for p in given.parameters.values() if p.name != "self"]
    bare = [p.replace(annotation=p.empty) for p in parameters]
    line = f"{name}{given.replace(parameters=bare, return_annotation=given.empty)}"
    if len(line) <= WIDTH:
        return line
    body = textwrap.fill(line[len(name) + 1 : -1], WIDTH - 4, initial_indent="    ", subsequent_indent="    ")
    return f"{name}(\n{body}\n)"


def member(name, thing):
    what = thing.fget if isinstance(thing, property) else thing
    shown = name if isinstance(thing, property) else signature(name, what).replace("\n", " ")
    shown = re.sub(r"\( +", "(", re.sub(r" +\)", ")", shown))
    text, *more = described(what.__doc__)
    yield wrapped(f"`{shown}`: {text}", "- ")
    for part in more:
        yield textwrap.indent(part, "  ")


def documented(cls):
    for name, thing in vars(cls).items():
        function = thing.fget if isinstance(thing, property) else thing
        if not name.startswith("_") and inspect.isfunction(function) and function.__doc__:
            yield name, thing


def entry(name, thing):
    yield f"## `{name}`"
    made = inspect.isfunction(thing) or issubclass(thing, Exception) or "Args:" in thing.__doc__
    if made:
        yield f"```python\n{signature(name, thing)}\n```"
    yield from described(thing.__doc__)
    members = "\n".join("\n".join(member(*one)) for one in documented(thing)) if inspect.isclass(thing) else ""
    if members:
        yield "Members:"
        yield members


def reference():
    things = [(name, getattr(libcpb, name)) for name in libcpb.__all__]
    own = [(name, thing) for name, thing in things if getattr(thing, "__module__", None) == "libcpb"]
    for module in libcpb.records, libcpb.dask:
        own += [(f"{module.__name__}.{name}", getattr(module, name)) for name in module.__all__]
    return "\n\n".join(part for one in own for part in entry(*one)) + "\n"


if __name__ == "__main__":
    print(f"# Python reference\n\n{reference()}", end="")
