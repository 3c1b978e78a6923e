#!/usr/bin/env python3
"""Holds the includes of src/ and include/ against the table "Layers" in docs/architecture.md.

    layers.py [ROOT]

Checked are: each folder of C sources has a row; a row allows only rows above it, or single headers of
theirs; no #include goes against the table; no two files or folders include each other, by whatever way
round (a .c and its .h are one file here); each function is declared in a header of the folder that
defines it. First it tests itself on small trees. Include checkers, such as include-what-you-use, know no layers.
"""
import collections
import os
import re
import sys
import tempfile

# Declares what each kind defines in its own folder.
KINDS = "model/common/kind.h"
# Sources of other projects, which are included by their own names.
FOREIGN = {"brotli", "zstd"}

PUBLIC = "include/cpb"


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


# --- The table ----------------------------------------------------------------------------------


def table_of(text):
    """The rows under "## Layers": folder -> what it may include, in their order; `x*` is x and what x may include."""
    section = re.search(r"^## Layers\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    rows = {}
    for line in section.group(1).splitlines() if section else []:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        folder = re.fullmatch(r"`([^`]+)`", cells[0])
        if line.startswith("|") and folder:
            names = re.findall(r"`([^`]+)`", cells[-1])
            more = [name for x in names if x.endswith("*") for name in rows.get(x[:-1], [])]
            rows[folder.group(1)] = [x.removesuffix("*") for x in names] + more
    return rows


def table_problems(rows, folders):
    problems = [f"{folder} has no row in the table" for folder in sorted(folders - set(rows))]
    problems += [f"row {row}: there is no such folder" for row in rows if row not in folders]
    above = set()
    for row, allowed in rows.items():
        for name in allowed:
            if (os.path.dirname(name) if name.endswith(".h") else name) not in above:
                problems.append(f"row {row} allows {name}, which is not above it")
        above.add(row)
    return problems


# --- The includes -------------------------------------------------------------------------------


def sources(root):
    """Every file by its name in an #include: of src from there, of include/cpb as cpb/..."""
    files = {}
    for base in ("src", "include"):
        for folder, _, names in os.walk(os.path.join(root, base)):
            for name in names:
                if name.endswith((".c", ".h", ".inc")):
                    path = os.path.join(folder, name)
                    files[os.path.relpath(path, os.path.join(root, base))] = path
    return files


def folder_of(name):
    return PUBLIC if name.startswith("cpb/") else os.path.dirname(name)


def includes(files):
    """(file, what it includes) for all that is the project's own, and what is missing."""
    edges, missing = [], []
    for name, path in sorted(files.items()):
        for include in re.findall(r'^\s*#\s*include\s+"([^"]+)"', read(path), re.M):
            beside = os.path.normpath(os.path.join(os.path.dirname(name), include))
            target = include if include in files else beside
            if target in files:
                edges.append((name, target))
            elif not include.endswith(".pb.h") and folder_of(name) not in FOREIGN:
                missing.append(f'{name}: there is no "{include}"')
    return edges, missing


def include_problems(edges, rows):
    problems = []
    for name, target in edges:
        here, there = folder_of(name), folder_of(target)
        if there == here or (there == PUBLIC and here != PUBLIC):
            continue
        if there not in rows.get(here, ()) and target not in rows.get(here, ()):
            problems.append(f'{name}: includes "{target}", which the table does not allow to {here}')
    return problems


def rings(edges):
    """Sets of more than one node that lead to each other (Tarjan's algorithm)."""
    graph = collections.defaultdict(set)
    for a, b in edges:
        graph[a].add(b)
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for after in sorted(graph.get(node, ())):
            if after not in index:
                visit(after)
                low[node] = min(low[node], low[after])
            elif after in stack:
                low[node] = min(low[node], index[after])
        if low[node] == index[node]:
            at = stack.index(node)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


def ring_problems(edges):
    problems = []
    for what, key in (("files", lambda name: os.path.splitext(name)[0]), ("folders", folder_of)):
        pairs = [(key(a), key(b)) for a, b in edges if key(a) != key(b)]
        problems += [f"{what} that include each other: " + ", ".join(ring) for ring in rings(pairs)]
    return problems


# --- Where functions are declared ---------------------------------------------------------------


def statements(text):
    """What stands at the top level: declarations, and definitions with an empty body."""
    comment_or_literal = r"/\*.*?\*/|//[^\n]*|'(?:\\.|[^'\\])+'|\"(?:\\.|[^\"\\])*\""
    text = re.sub(comment_or_literal, lambda found: " " if found[0][0] == "/" else "0", text, flags=re.S)
    text = re.sub(r"^\s*#(.*\\\n)*.*$", " ", text, flags=re.M)
    depth, out = 0, []
    for part in re.split(r"([{}])", text):
        if part == "}":
            depth -= 1
        if depth == 0:
            out.append("{};" if part == "}" else "" if part == "{" else part)
        if part == "{":
            depth += 1
    return "".join(out).split(";")


def functions(text):
    """The names of public functions that are declared, and of those that are defined."""
    declared, defined = set(), set()
    for statement in statements(text):
        statement = statement.strip()
        match = re.match(r"(?!typedef|static)[\w\s*]+?[\s*](cpb_\w+)\s*\(", statement)
        if match and "=" not in statement.split("(")[0]:
            (defined if statement.endswith("{}") else declared).add(match.group(1))
    return declared, defined


def home_problems(files):
    defined_in = collections.defaultdict(set)
    for name, path in files.items():
        if name.endswith(".c"):
            for function in functions(read(path))[1]:
                defined_in[function].add(folder_of(name))
    problems = []
    for name, path in sorted(files.items()):
        if not name.endswith(".h") or folder_of(name) == PUBLIC or name == KINDS:
            continue
        for function in sorted(functions(read(path))[0]):
            homes = defined_in[function]
            if folder_of(name) not in homes:
                problems.append(f"{name} declares {function}, defined in {', '.join(sorted(homes)) or 'no file'}")
    return problems


# --- All of it ----------------------------------------------------------------------------------


def check(root):
    files = sources(root)
    rows = table_of(read(os.path.join(root, "docs", "architecture.md")))
    edges, problems = includes(files)
    folders = {folder_of(name) for name in files} - FOREIGN
    problems += table_problems({row: rows[row] for row in rows if row not in FOREIGN}, folders)
    return problems + include_problems(edges, rows) + ring_problems(edges) + home_problems(files)


TABLE = """## Layers
| folder | holds | may include |
|---|---|---|
| `include/cpb` | interface | |
| `low` | tools | |
| `high` | engines | `low` |
| `top` | command | `low/a.h` |
| `over` | tests | `high*` |
"""
TREE = {
    "docs/architecture.md": TABLE,
    "include/cpb/x.h": "int cpb_x(void);\n",
    "src/low/a.h": "void cpb_a(int x);\n",
    "src/low/a.c": '#include "low/a.h"\nvoid cpb_a(int x) { if (x) { } }\n',
    "src/high/b.h": '#include "cpb/x.h"\n',
    "src/high/b.c": '#include "low/a.h"\n#include "high/b.h"\n',
    "src/top/c.c": '#include "low/a.h"\n',
    "src/over/c.c": '#include "low/a.h"\n#include "high/b.h"\n',
}
BAD = [  # a file more, and what must be said of the tree then
    ("src/low/d.c", '#include "high/b.h"\n', 'low/d.c: includes "high/b.h", which the table does not allow to low'),
    ("src/top/d.c", '#include "low/e.h"\n', 'top/d.c: there is no "low/e.h"'),
    ("src/top/d.c", '#include "high/b.h"\n', 'top/d.c: includes "high/b.h", which the table does not allow to top'),
    ("src/over/d.c", '#include "top/c.h"\n', 'over/d.c: there is no "top/c.h"'),
    ("include/cpb/y.h", '#include "low/a.h"\n', "which the table does not allow to include/cpb"),
    ("src/high/d.h", "void cpb_a(int);\n", "high/d.h declares cpb_a, defined in low"),
    ("src/new/g.c", "", "new has no row in the table"),
    ("docs/architecture.md", TABLE.replace("| tools | |", "| tools | `high` |"), "row low allows high, which is not above it"),
    ("docs/architecture.md", TABLE + "| `gone` | | |\n", "row gone: there is no such folder"),
]


def problems_with(changes):
    with tempfile.TemporaryDirectory() as root:
        for name, text in {**TREE, **changes}.items():
            path = os.path.join(root, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return check(root)


def test_itself():
    assert problems_with({}) == [], problems_with({})
    for name, text, expected in BAD:
        found = problems_with({name: text})
        assert any(expected in problem for problem in found), (name, found)
    ring = {"src/high/d.h": '#include "high/e.h"\n', "src/high/e.c": '#include "high/d.h"\n', "src/high/e.h": ""}
    assert problems_with(ring) == ["files that include each other: high/d, high/e"], problems_with(ring)
    both = {"src/low/d.c": '#include "high/b.h"\n'}
    assert "folders that include each other: high, low" in problems_with(both)


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    test_itself()
    problems = check(root)
    for problem in problems:
        print(problem)
    print(f"{len(problems)} problems" if problems else "layers: as the table says")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
