"""Makes cpb.c and cpb.h: the library, with nanopb and the reader of yyjson, as one source
and one header.

    amalgamate.py VERSION OUT_DIR --library LIST --generated DIR --nanopb DIR --yyjson DIR

LIST names the library's C files, one a line. They become one translation unit: the private headers first,
each once, then the sources, whose macros end with them. If two files use a name for different things, each
adds its file's name. Functions that are not public become static. Packages that join C files inline their
headers, but do neither of these.
"""

import argparse
import collections
import functools
import pathlib
import re
import sys

import c_source

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Macros that leave something out: files, by patterns of their names, and public functions. A
# function that needs one that is left out is left out with it.
LEFT_OUT = {
    "CPB_NO_MODELS": ([r"src/model/", r"src/base/json_read\.", r"yyjson\.h$",
                       r"src/host/open/"], []),
    "CPB_NO_WRITING": ([r"src/host/(base_file|pack|pack_\w+)\.c$"],
                       [r"cpb_(split|repack|record_writer|samediff_writer)_\w+$", r"cpb_builtin_splitters$"]),
    "CPB_NO_BROTLI": ([r"codec/(de|en)coder_brotli\.c$"], []),
    "CPB_NO_FILES": ([r"src/host/"], []),
    "CPB_NO_THREADS": ([r"_threads\.c$", r"host/(pool|turns)\.[ch]$"], []),
}
# What stands for it then, and is compiled only with the macro.
INSTEAD = {"CPB_NO_BROTLI": r"codec/without_brotli\.c$", "CPB_NO_THREADS": r"threads_none\.c$"}
# Files that stand for each other on different systems.
OF_SYSTEM = {r"host/(place|references)_posix\.c$": "!defined(__wasi__)",
             r"host/(place|references)_wasi\.c$": "defined(__wasi__)"}

# Names of ours that a system's headers may have, too.
SYSTEM = set("""NAME_MAX PATH_MAX PIPE_BUF accept bind close connect dup exp exp2 floor free index j0 j1 link listen log
malloc open pipe pow read remove rename round select signal stat time trunc truncate unlink wait write y0 y1""".split())

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"][^\n]*\n', re.M)
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.M)


class File:
    """A file of the project or of what it brings with it, with its name there."""

    def __init__(self, path, name, include_dirs):
        self.path, self.name = path, name
        self.is_header = name.endswith(".h")
        self.is_public = name.startswith("include/")
        self.is_opaque = name.startswith("yyjson/") and not self.is_header  # neither parsed nor changed
        self.keeps_names = self.is_public or name.startswith("yyjson/")
        self.text = without_cplusplus(path.read_text())
        self.source = c_source.Source("" if self.is_opaque else self.text)
        self.includes = {}  # what the line says: the file
        for match in INCLUDE.finditer(self.text):
            for dir in (path.parent, *include_dirs):
                if (dir / match[1]).is_file():
                    self.includes[match[1]] = (dir / match[1]).resolve()
                    break

    def names(self):
        if self.is_opaque:
            return set(re.findall(r"[A-Za-z_]\w*", self.text))
        return {name for d in self.source.declarations for name in d.names()} | {*DEFINE.findall(self.text)}


def without_cplusplus(text):
    """Without what is for C++ alone, which has brackets of its own."""
    kept, depth = [], 0
    for line in text.splitlines(keepends=True):
        directive = re.match(r"\s*#\s*(\w+)", line)
        if depth == 0 and not re.match(r"\s*#\s*ifdef\s+__cplusplus\b", line):
            kept.append(line)
        elif directive:
            depth += directive[1].startswith("if") - (directive[1] == "endif")
    return "".join(kept)


class Amalgamation:
    def __init__(self, sources, include_dirs, roots):
        self.include_dirs, self.roots = include_dirs, roots
        self.files = {}
        self.sources = [self.load(path) for path in sources]
        self.headers = []  # each behind those that it includes
        for file in self.sources:
            self.order_headers(file)
        self.public = {d.function for file in self.headers if file.is_public for d in file.source.declarations}
        self.renamed = self.choose_names()
        self.left_out = self.choose_what_is_left_out()
        self.static_data = self.find_static_data()

    def load(self, path):
        if path not in self.files:
            root = next(root for root in self.roots if path.is_relative_to(root))
            file = File(path, f"{self.roots[root]}{path.relative_to(root)}", self.include_dirs)
            self.files[path] = file
            for included in file.includes.values():
                self.load(included)
        return self.files[path]

    def order_headers(self, file):
        for included in map(self.files.get, file.includes.values()):
            self.order_headers(included)
            if included.is_header and included not in self.headers:
                self.headers.append(included)

    @functools.cache
    def seen_by(self, file):
        """The file and all that it includes."""
        return frozenset({file}.union(*(self.seen_by(self.files[path]) for path in file.includes.values())))

    # --- Names -----------------------------------------------------------------------

    def choose_names(self):
        """For each file, what is written in it for names that others have for something else."""
        declaring = collections.defaultdict(set)
        for file in self.files.values():
            for name in file.names():
                declaring[name].add(file)
        renamed = {file: {} for file in self.files.values()}
        for name, files in declaring.items():
            things = self.things(files)
            for thing in things if len(things) > 1 or name in SYSTEM else ():
                if any(file.keeps_names for file in thing):
                    continue
                owner = min(thing, key=lambda file: (not file.is_header, file.name))
                for file in self.files.values():
                    if self.seen_by(file) & thing:
                        renamed[file][name] = f"{name}__{'_'.join(owner.path.with_suffix('').parts[-3:])}"
        return renamed

    def things(self, files):
        """Of the files that declare a name, those that mean the same by it: one sees the other."""
        things = []
        for file in sorted(files, key=lambda file: file.name):
            same = [thing for thing in things
                    if any(file in self.seen_by(other) or other in self.seen_by(file) for other in thing)]
            things = [thing for thing in things if thing not in same] + [{file}.union(*same)]
        return things

    def find_static_data(self):
        """Variables of several files that can be static: of a known size where they are declared."""
        declared, defined = set(), set()
        for file in self.files.values():
            for d in file.source.declarations:
                if "extern" in d.words:
                    declared |= {name for name in d.variables if not d.is_incomplete}
                elif not d.is_static:
                    defined |= set(d.variables)
        return declared & defined

    # --- What is left out ---------------------------------------------------------------

    def choose_what_is_left_out(self):
        """For each macro, the files, and the functions in others: (file, name)."""
        left_out = {}
        for macro, (paths, functions) in LEFT_OUT.items():
            for path in (*paths, INSTEAD.get(macro, "")):
                if not any(re.search(path, file.name) for file in self.files.values()):
                    sys.exit(f"{macro}: no file matches {path}")
            files = {file for file in self.files.values() if any(re.search(path, file.name) for path in paths)}
            gone = {d.function for file in files for d in file.source.declarations if d.has_body and not d.is_static}
            gone |= {name for name in self.public if any(re.match(pattern, name) for pattern in functions)}
            for file in self.files.values():
                if macro in INSTEAD and re.search(INSTEAD[macro], file.name):
                    gone -= {d.function for d in file.source.declarations}
            left_out[macro] = files, self.needing(gone, set(self.sources) - files)
        return left_out

    def needing(self, gone, files):
        """The functions `gone` where they are defined, and those that call them."""
        found = {(file, d.function) for file in files for d in file.source.declarations
                 if d.has_body and d.function in gone}
        while True:
            more = set()
            for file in files:
                for d in file.source.declarations:
                    used = {name for name in file.source.identifiers(d) if name in gone or (file, name) in found}
                    if used and d.variables:
                        sys.exit(f"{file.name}: {d.variables[0]} needs {sorted(used)[0]}, which is left out")
                    if used and d.has_body:
                        more.add((file, d.function))
                        gone = gone if d.is_static else gone | {d.function}
            if more <= found:
                return found
            found |= more

    # --- Text ------------------------------------------------------------------------

    def header_text(self, version):
        parts = [f"/* libcpb {version}: all of its headers in one. */\n"]
        for file in self.headers:
            if file.is_public:
                text = INCLUDE.sub(lambda match: "" if match[1] in file.includes else match[0], file.path.read_text())
                parts.append(f"\n/* --- {file.name} --- */\n{text}")
        return "".join(parts)

    def source_text(self, version, licences):
        parts = [(ROOT / "tools" / "amalgamation.c.in").read_text().replace("@VERSION@", version)]
        parts += [f"\n/* The licence of {name}, some of whose files are within:\n\n{path.read_text().strip()} */\n"
                  for name, path in licences.items()]
        parts += [self.file_text(file) for file in [*self.headers, *self.sources] if not file.is_public]
        return "".join(parts)

    def file_text(self, file):
        conditions = [f"!defined({macro})" for macro, (files, _) in self.left_out.items() if file in files]
        conditions += [f"defined({macro})" for macro, path in INSTEAD.items() if re.search(path, file.name)]
        conditions += [condition for path, condition in OF_SYSTEM.items() if re.search(path, file.name)]
        text = self.body(file).strip("\n") + "\n"
        if not file.is_header:
            macros = {macro for seen in self.seen_by(file) if not seen.is_header for macro in DEFINE.findall(seen.text)}
            text += "".join(f"#undef {self.renamed[file].get(macro, macro)}\n"
                            for macro in sorted(macros) if not macro.startswith("_"))
        if file.name.startswith("generated/") and not file.is_header:
            text = f"#ifdef __GNUC__\n#  pragma GCC visibility push(hidden)\n#endif\n{text}" \
                   "#ifdef __GNUC__\n#  pragma GCC visibility pop\n#endif\n"
        if conditions:
            text = f"#if {' && '.join(conditions)}\n{text}#endif\n"
        return f"\n/* --- {file.name} --- */\n{text}"

    def body(self, file, names={}):
        """`names` are those that the file that includes this one has renamed."""
        names = names | self.renamed[file]
        if file.is_opaque:
            return INCLUDE.sub(lambda match: self.include_line(file, match[0]), file.text)
        tokens = file.source.tokens
        before, after, dropped = self.edits(file)
        text, line = [], ""
        for i, token in enumerate(tokens):
            text.append(before.get(i, ""))
            if token.directive == "include":
                line += token.text
                if token.kind == "newline":
                    text.append(self.include_line(file, line))
                    line = ""
            elif i in dropped:
                pass
            elif file.source.is_ordinary(i):
                text.append(names.get(token.text, token.text))
            else:
                text.append(token.text)
            text.append(after.get(i, ""))
        return "".join(text)

    def include_line(self, file, line):
        """What stands for it: nothing, as the headers come first; a file; or the line itself."""
        match = INCLUDE.match(line)
        path = match and file.includes.get(match[1])
        if not path:
            return line
        return "" if self.files[path].is_header else self.body(self.files[path], self.renamed[file])

    def edits(self, file):
        """Texts before and after tokens: linkage, and conditions of functions."""
        before, after, dropped = {}, {}, set()
        for d in file.source.declarations:
            if d.is_static or "typedef" in d.words or file.is_public or file.name.startswith("yyjson/"):
                continue
            if d.function and d.function not in self.public:
                before[d.begin] = "CPB_INTERNAL "
                dropped.add(d.begin if "extern" in d.words else None)
            elif d.variables and "extern" in d.words:
                static = set(d.variables) <= self.static_data
                before[d.begin] = "CPB_INTERNAL_DATA " if static else "CPB_HIDDEN "
                dropped.add(d.begin if static else None)
            elif set(d.variables) & self.static_data:
                before[d.begin] = "CPB_INTERNAL "
        for d in file.source.declarations:
            macros = [macro for macro, (_, functions) in self.left_out.items() if (file, d.function) in functions]
            if d.has_body and macros:
                condition = " && ".join(f"!defined({macro})" for macro in macros)
                before[d.begin] = f"#if {condition}\n" + before.get(d.begin, "")
                after[d.end - 1] = "\n#endif"
        return before, after, dropped


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("version")
    parser.add_argument("out", type=pathlib.Path)
    for name in ("library", "command", "generated", "nanopb", "yyjson"):
        parser.add_argument(f"--{name}", type=lambda path: pathlib.Path(path).resolve(), required=name != "command")
    args = parser.parse_args()
    roots = {args.generated: "generated/", args.nanopb: "nanopb/", args.yyjson: "yyjson/", ROOT: ""}
    sources = [pathlib.Path(line).resolve() for line in args.library.read_text().split() if line.endswith(".c")]
    sources += [path for path in sorted((ROOT / "src").rglob("*.c"))
                if any(re.search(pattern, str(path)) for pattern in (*INSTEAD.values(), *OF_SYSTEM)) and path not in sources]
    sources += [args.nanopb / "pb_common.c", args.nanopb / "pb_encode.c"]
    include_dirs = [ROOT / "include", ROOT / "src", args.generated, args.nanopb, args.yyjson / "src"]

    licences = {"nanopb": args.nanopb / "LICENSE.txt", "yyjson": args.yyjson / "LICENSE"}
    library = Amalgamation(sources, include_dirs, roots)
    args.out.mkdir(parents=True, exist_ok=True)
    (args.out / "cpb.c").write_text(library.source_text(args.version, licences))
    (args.out / "cpb.h").write_text(library.header_text(args.version))


if __name__ == "__main__":
    main()
