"""Makes libcpb-VERSION.tar.gz: the sources, what is generated from others, and those of
nanopb and yyjson. It builds with a C compiler, make or CMake, zstd, brotli and zlib.

    source_tarball.py VERSION OUT.tar.gz --library LIST --command LIST --generated DIR --nanopb DIR --yyjson DIR

A LIST names sources, one a line, for the Makefile. The same commit gives the same bytes:
files in order, owned by nobody, and of the time that SOURCE_DATE_EPOCH says, or the commit.
"""

import argparse
import gzip
import io
import os
import pathlib
import subprocess
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import archives  # noqa: E402

# Not for those who build the C library: the other kinds of it, and tests that need more
# than a C compiler.
LEFT_OUT = ("web/", "wasi/", "docs/inspector/", "tests/", ".")
OF_TESTS = ("tests/CMakeLists.txt", "tests/selftest.sh", "tests/unit/", "tests/data/README.md",
            "tests/data/addresses.json", "tests/data/corrupt/base_", "tests/data/cpb/",
            "tests/data/cpb_odd/same_chunk_twice.cpb", "tests/data/names.json", "tests/data/records/",
            "tests/data/samediff_small/", "tests/data/schema/")

GENERATED = (".pb.c", ".pb.h", "_schema.c", ".fds")
NANOPB = ("LICENSE.txt", "pb.h", "pb_common.h", "pb_common.c", "pb_encode.h", "pb_encode.c")
YYJSON = ("LICENSE", "src/yyjson.h", "src/yyjson.c")


def git(*arguments):
    return subprocess.run(["git", "-C", ROOT, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout


def sources():
    """What is in the repository and in its archives: name to contents, and whether it is a program."""
    def wanted(name):
        return name.startswith(OF_TESTS) or not name.startswith(LEFT_OUT)

    for name in filter(wanted, git("ls-files", "-z").split("\0")[:-1]):
        path = ROOT / name
        yield name, (path.read_bytes(), path.stat().st_mode & 0o100)
    yield from ((name, (data, False)) for name, data in archives.files() if wanted(name))


def others(args):
    """What is not in the repository, in the same form."""
    generated = [path for path in args.generated.rglob("*") if path.name.endswith(GENERATED)]
    places = [*((f"generated/{path.relative_to(args.generated)}", path) for path in generated),
              *((f"third_party/nanopb/{name}", args.nanopb / name) for name in NANOPB),
              *((f"third_party/yyjson/{name}", args.yyjson / name) for name in YYJSON)]
    yield from ((name, (path.read_bytes(), False)) for name, path in places)


def source_names(paths, args):
    """C sources by their names in the tarball, one a line of a Makefile."""
    folders = {args.generated: "generated", args.nanopb: "third_party/nanopb", ROOT: "."}
    names = []
    for path in map(pathlib.Path, paths):
        folder = next(folder for folder in folders if path.is_relative_to(folder))
        if path.suffix == ".c":
            names.append(os.path.join(folders[folder], path.relative_to(folder)).removeprefix("./"))
    return "".join(f"\\\n  {name} " for name in sorted(names)).rstrip()


def makefile(args):
    text = (ROOT / "tools" / "Makefile.in").read_text()
    library = [*args.library.read_text().split(), *(args.nanopb / name for name in NANOPB)]
    return (text.replace("@LIBRARY@", source_names(library, args))
            .replace("@COMMAND@", source_names(args.command.read_text().split(), args))
            .replace("@VERSION@", args.version)).encode()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("version")
    parser.add_argument("out", type=pathlib.Path)
    for name in ("library", "command", "generated", "nanopb", "yyjson"):
        parser.add_argument(f"--{name}", type=lambda path: pathlib.Path(path).resolve(), required=True)
    args = parser.parse_args()
    when = int(os.environ.get("SOURCE_DATE_EPOCH") or git("log", "-1", "--format=%ct"))

    files = dict([*sources(), *others(args)])
    files["Makefile"] = makefile(args), False
    with open(args.out, "wb") as out, \
            gzip.GzipFile("", "wb", 9, out, mtime=0) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name in sorted(files):
            data, executable = files[name]
            entry = tarfile.TarInfo(f"libcpb-{args.version}/{name}")
            entry.size, entry.mtime, entry.mode = len(data), when, 0o755 if executable else 0o644
            tar.addfile(entry, io.BytesIO(data))


if __name__ == "__main__":
    main()
