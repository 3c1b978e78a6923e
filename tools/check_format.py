#!/usr/bin/env python3
"""Holds the repository's files to .clang-format, .prettierrc.json and .editorconfig.

    tools/check_format.py            says what differs; exits with 1 if anything does
    tools/check_format.py --fix      corrects what can be corrected
    tools/check_format.py FILE...    only these

C and C++ are compared with what clang-format makes of them, in the version that
tests/requirements.in names; JavaScript and TypeScript with what Prettier makes of them, if
it is installed in web/node_modules (the stage web-build does). All text is checked for what
.editorconfig sets: UTF-8, LF,
a final newline, no trailing blanks, tabs or spaces, and the line length (in Markdown
without tables and code blocks, where lines cannot be wrapped). Checkers for .editorconfig do not make
that exception."""

import configparser
import fnmatch
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NOT_RUN = 77  # what ctest takes for "skipped"
C_SOURCES = (".c", ".h", ".cc", ".hpp")
JS_SOURCES = (".js", ".ts", ".mts", ".cts")
PRETTIER = ROOT / "web/node_modules/.bin/prettier"


def pinned_clang_format():
    """The program of the pinned version, or None."""
    pinned = re.search(r"^clang-format==(.*)$", (ROOT / "tests/requirements.in").read_text(), re.M)[1]
    for program in (ROOT / "build/venv/bin/clang-format", "clang-format"):
        try:
            version = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
        except OSError:
            continue
        if re.search(rf"\b{re.escape(pinned)}\b", version):
            return str(program)
    return None


def tracked_files():
    """The text files that Git tracks. What .gitattributes marks as no text is left out."""
    listing = subprocess.run(["git", "ls-files", "--eol"], cwd=ROOT, capture_output=True, text=True, check=True)
    for line in listing.stdout.splitlines():
        facts, name = line.split("\t")
        index, _, attributes = facts.split(maxsplit=2)
        if "-text" not in index and "-text" not in attributes and (ROOT / name).is_file():
            yield name


class EditorConfig:
    def __init__(self):
        text = (ROOT / ".editorconfig").read_text()
        parser = configparser.ConfigParser(default_section="\0", delimiters=("=",))
        parser.read_string("[\0]\n" + text)
        self.sections = [(self.patterns(name), dict(parser[name])) for name in parser.sections()]

    @staticmethod
    def patterns(glob):
        """`*.{c,h}` as `*.c` and `*.h`."""
        braces = re.search(r"\{([^}]*)\}", glob)
        if not braces:
            return [glob]
        return [glob.replace(braces[0], choice) for choice in braces[1].split(",")]

    def of(self, name):
        """What is set for a file: the last section that matches counts."""
        found = {}
        for patterns, values in self.sections:
            base = Path(name).name
            if any(fnmatch.fnmatch(name if "/" in pattern else base, pattern) for pattern in patterns):
                found.update(values)
        return found


def long_lines(name, lines, most):
    fenced = False
    for number, line in enumerate(lines, 1):
        if name.endswith(".md"):
            if line.lstrip().startswith("```"):
                fenced = not fenced
            if fenced or line.startswith(("|", "    ", "![")):
                continue
        if len(line) > most and " " in line.strip()[:most]:
            yield number


def check_text(name, rules):
    """Complaints about a file, each "NAME:LINE: what"."""
    data = (ROOT / name).read_bytes()
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return [f"{name}: byte {error.start}: not UTF-8"]
    found = []
    if data and rules.get("insert_final_newline") == "true" and not text.endswith("\n"):
        found.append(f"{name}: no newline at the end")
    if text.endswith("\n\n"):
        found.append(f"{name}: empty lines at the end")
    lines = text.splitlines()
    for number, line in enumerate(text.split("\n"), 1):
        if line.endswith("\r"):
            found.append(f"{name}:{number}: ends in CR LF; expected LF")
        elif rules.get("trim_trailing_whitespace") == "true" and line != line.rstrip(" \t"):
            found.append(f"{name}:{number}: blanks at the end")
        indent = line[: len(line) - len(line.lstrip())]
        if rules.get("indent_style") == "space" and "\t" in indent:
            found.append(f"{name}:{number}: indented with a tab; expected spaces")
        if rules.get("indent_style") == "tab" and indent.startswith(" ") and not indent.startswith(" *"):
            found.append(f"{name}:{number}: indented with spaces; expected tabs")
    if rules.get("max_line_length", "off") != "off":
        most = int(rules["max_line_length"])
        found += [f"{name}:{n}: {len(lines[n - 1])} columns; at most {most}" for n in long_lines(name, lines, most)]
    return found


def fix_text(name, rules):
    path = ROOT / name
    text = path.read_bytes().decode("utf-8").replace("\r\n", "\n")
    if rules.get("trim_trailing_whitespace") == "true":
        text = re.sub(r"[ \t]+$", "", text, flags=re.M)
    if text and rules.get("insert_final_newline") == "true":
        text = text.rstrip("\n") + "\n"
    path.write_bytes(text.encode("utf-8"))


def check_c(program, names, fix):
    """Complaints about C files; with `fix` they are rewritten instead."""
    if fix:
        if names:
            subprocess.run([program, "-i", *names], cwd=ROOT, check=True)
        return []

    def check(some):
        command = [program, "--dry-run", "--ferror-limit=0", "-Werror", *some]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stderr

    jobs = os.cpu_count() or 1
    with ThreadPoolExecutor(jobs) as pool:
        errors = "".join(pool.map(check, [names[i::jobs] for i in range(jobs) if names[i::jobs]]))
    found = dict(reversed(re.findall(r"^(.+?):(\d+):\d+: error: ", errors, re.M)))  # a file's first
    return [f"{name}:{line}: differs from what clang-format makes of it" for name, line in sorted(found.items())]


def check_js(names, fix):
    """As check_c, for JavaScript and TypeScript; nothing where Prettier is not installed."""
    if not names or not PRETTIER.exists():
        return []
    command = [PRETTIER, "--write" if fix else "--list-different", *names]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if run.returncode > 1 or fix and run.returncode:
        return [f"Prettier failed: {run.stderr.strip()}"]
    return [] if fix else [f"{name}: differs from what Prettier makes of it" for name in run.stdout.split()]


def main(arguments):
    fix = "--fix" in arguments
    named = [str(Path(name).resolve().relative_to(ROOT)) for name in arguments if name != "--fix"]
    program = pinned_clang_format()
    if not program or not (ROOT / ".git").exists():
        print("not checked: " + ("no Git repository" if program else "no clang-format of the pinned version"))
        return NOT_RUN
    names = named or sorted(tracked_files())
    config = EditorConfig()
    if fix:
        for name in names:
            fix_text(name, config.of(name))
    found = check_c(program, [name for name in names if name.endswith(C_SOURCES)], fix)
    found += check_js([name for name in names if name.endswith(JS_SOURCES)], fix)
    for name in names:
        found += check_text(name, config.of(name))
    print("\n".join(found) or f"{len(names)} files are formatted")
    if found and not fix:
        print("tools/check_format.py --fix corrects all but tabs, encodings and long lines")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
