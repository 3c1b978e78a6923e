#!/usr/bin/env python3
"""What the artefacts of a release contain, as SPDX 2.3 in JSON.

    sbom.py VERSION DIST --web BUILD --wasi BUILD >libcpb-VERSION.spdx.json

DIST is the folder of the artefacts; the BUILDs are those that made them. What a WebAssembly
module contains is asked of Ninja: the sources that were linked into it. What source archives
contain is what is in them. Versions are read from the headers that were compiled, and those of
the C libraries from the toolchains; where sources came from, and their hash, from the file .origin
that cmake/sources.cmake leaves. The same builds give the same bytes.

A package for SPDX, such as spdx-tools, could replace the class Document. The rest, which finds out what was linked, is
specific to our builds."""

import argparse
import datetime
import hashlib
import json
import os
import re
import subprocess
import tarfile
from pathlib import Path
from typing import Callable, NamedTuple
from urllib.parse import quote


def macros(*names):
    """Reads a version from #define lines, joined by dots."""

    def read(text):
        found = [re.search(rf"^\s*#\s*define\s+{name}\s+\"?(?:nanopb-)?([\w.]+)", text, re.M) for name in names]
        return ".".join(match[1] for match in found) if all(found) else None

    return read


def brotli_version(text):
    """BROTLI_VERSION is 0xMMMmmmppp before 1.1, and three macros after."""
    split = macros("BROTLI_VERSION_MAJOR", "BROTLI_VERSION_MINOR", "BROTLI_VERSION_PATCH")(text)
    packed = re.search(r"#define BROTLI_VERSION (0x[0-9A-Fa-f]+)", text)
    if packed and not split:
        number = int(packed[1], 16)
        return f"{number >> 24}.{number >> 12 & 0xFFF}.{number & 0xFFF}"
    return split


class Component(NamedTuple):
    licence: str
    supplier: str
    copyright: str
    home: str
    mark: str = ""  # a file by which its sources are known
    header: str = ""  # the file with its version
    version: Callable[[str], str | None] = str


COMPONENTS = {
    "zstd": Component(
        "BSD-3-Clause",
        "Organization: Meta Platforms, Inc.",
        "Copyright (c) Meta Platforms, Inc. and affiliates",
        "https://github.com/facebook/zstd",
        "lib/common/zstd_common.c",
        "lib/zstd.h",
        macros("ZSTD_VERSION_MAJOR", "ZSTD_VERSION_MINOR", "ZSTD_VERSION_RELEASE"),
    ),
    "xxhash": Component(
        "BSD-2-Clause",
        "Person: Yann Collet",
        "Copyright (c) Meta Platforms, Inc. and affiliates, Yann Collet",
        "https://github.com/Cyan4973/xxHash",
        "lib/common/xxhash.c",
        "lib/common/xxhash.h",
        macros("XXH_VERSION_MAJOR", "XXH_VERSION_MINOR", "XXH_VERSION_RELEASE"),
    ),
    "brotli": Component(
        "MIT",
        "Organization: The Brotli Authors",
        "Copyright (c) 2009, 2010, 2013-2016 by the Brotli Authors",
        "https://github.com/google/brotli",
        "c/common/dictionary.c",
        "c/common/version.h",
        brotli_version,
    ),
    "zlib": Component(
        "Zlib",
        "Person: Jean-loup Gailly and Mark Adler",
        "Copyright (C) 1995-2022 Jean-loup Gailly and Mark Adler",
        "https://zlib.net",
        "inftrees.c",
        "zlib.h",
        macros("ZLIB_VERSION"),
    ),
    "nanopb": Component(
        "Zlib",
        "Person: Petteri Aimonen",
        "Copyright (c) 2011 Petteri Aimonen",
        "https://jpa.kapsi.fi/nanopb",
        "pb_common.c",
        "pb.h",
        macros("NANOPB_VERSION"),
    ),
    "yyjson": Component(
        "MIT",
        "Person: YaoYuan",
        "Copyright (c) 2020 YaoYuan",
        "https://github.com/ibireme/yyjson",
        "src/yyjson.h",
        "src/yyjson.h",
        macros("YYJSON_VERSION_MAJOR", "YYJSON_VERSION_MINOR", "YYJSON_VERSION_PATCH"),
    ),
    # Of the toolchains:
    "emscripten": Component(
        "MIT OR NCSA",
        "Organization: The Emscripten Authors",
        "Copyright (c) 2010-2022 The Emscripten Authors",
        "https://emscripten.org",
    ),
    "musl": Component(
        "MIT",
        "Person: Rich Felker",
        "Copyright (c) 2005-2020 Rich Felker, et al.",
        "https://musl.libc.org",
    ),
    "wasi-libc": Component(
        "Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT",
        "Organization: WebAssembly Community Group",
        "Copyright (c) 2018-2020 wasi-libc contributors",
        "https://github.com/WebAssembly/wasi-libc",
    ),
    "cloudlibc": Component(
        "BSD-2-Clause",
        "Organization: Nuxi",
        "Copyright (c) 2015-2017 Nuxi and contributors",
        "https://github.com/NuxiNL/cloudlibc",
    ),
    "dlmalloc": Component(
        "CC0-1.0",
        "Person: Doug Lea",
        "NONE",
        "https://gee.cs.oswego.edu/dl/html/malloc.html",
    ),
    "compiler-rt": Component(
        "Apache-2.0 WITH LLVM-exception",
        "Organization: LLVM",
        "Copyright (c) 2009-2019 by the contributors listed in CREDITS.TXT",
        "https://compiler-rt.llvm.org",
    ),
    # Of the inspector's page:
    "lit": Component(
        "BSD-3-Clause",
        "Organization: Google LLC",
        "Copyright (c) 2017 Google LLC",
        "https://lit.dev",
    ),
    "dagre": Component(
        "MIT",
        "Person: Chris Pettitt",
        "Copyright (c) 2012-2014 Chris Pettitt",
        "https://github.com/dagrejs/dagre",
    ),
}
INSPECTOR = {"lit": "lit", "@dagrejs/dagre": "dagre"}
LIBCPB = Component("Apache-2.0", "Organization: The libcpb authors", "Copyright The libcpb authors", "NOASSERTION")
WITH_SOURCES = {name: component for name, component in COMPONENTS.items() if component.mark}


def run(*command, cwd=None):
    return subprocess.run(command, cwd=cwd, check=True, capture_output=True, text=True).stdout


def first(pattern, text):
    found = re.search(pattern, text, re.M)
    return found[1] if found else None


# The components that look into models, whose exports do not tell.
WITH_MODELS = ("cpb-complete.wasm", "cpb-http.wasm")


class Build:
    """A build directory of Ninja."""

    def __init__(self, path):
        self.path = path
        self.cache = (path / "CMakeCache.txt").read_text()
        self.origins = {}  # (component, version) -> what .origin says
        self.headers = set(re.findall(r"^    (\S+\.h)$", run("ninja", "-t", "deps", cwd=path), re.M))

    @staticmethod
    def root(component, files):
        """The folder of a component's sources, if they are among these files, or None."""
        mark = "/" + component.mark
        return next((file.removesuffix(mark) for file in sorted(files) if file.endswith(mark)), None)

    def components(self, target, exports):
        """Component and version, of all that was linked into a module."""
        inputs = set(run("ninja", "-t", "inputs", target, cwd=self.path).splitlines())
        # The reader is a header; all that uses it is dropped by the linker where no export needs it.
        if "_start" in exports or target in WITH_MODELS or any(name.startswith("cpb_model") for name in exports):
            inputs |= self.headers
        for name, component in WITH_SOURCES.items():
            root = self.root(component, inputs)
            if root:
                version = component.version((self.path / root / component.header).read_text())
                origin = self.path / root / ".origin"
                self.origins[name, version] = origin.read_text().split() if origin.exists() else None
                yield name, version


def leb128(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def exports(data):
    """The names that a module exports; none of a component, whose interface is another."""
    if data[4:8] != b"\1\0\0\0":
        return []
    at, names = 8, []
    while at < len(data):
        section = data[at]
        size, at = leb128(data, at + 1)
        if section == 7:
            count, place = leb128(data, at)
            for _ in range(count):
                length, place = leb128(data, place)
                names.append(data[place : place + length].decode())
                _, place = leb128(data, place + length + 1)
        at += size
    return names


def toolchains(web, wasi):
    """The parts of each toolchain that end up in modules, with versions: in those for JavaScript,
    those for WASI, and of the latter in the command alone."""
    root = Path(first(r"^EMSCRIPTEN_ROOT_PATH:\w+=(.*)$", web.cache) or "/usr/share/emscripten")
    version = (root / "emscripten-version.txt").read_text().strip().strip('"')
    musl = (root / "system/lib/libc/musl/VERSION").read_text().strip()
    clang = first(r"clang version ([\d.]+)", run(first(r"^WASI_CLANG:\w+=(.*)$", wasi.cache), "--version"))
    sdk = first(r"^WASI_SDK_PATH:\w+=(.+)$", wasi.cache)
    if sdk:
        libc = first(r"wasi-libc: (\S+)", (Path(sdk) / "VERSION").read_text())
    else:
        libc = run("dpkg-query", "-W", "-f", "${Version}", "wasi-libc")
    return (
        [("emscripten", version), ("musl", musl), ("compiler-rt", version + " (of Emscripten)")],
        [("wasi-libc", libc), ("musl", f"{libc} (of wasi-libc)"), ("compiler-rt", clang)],
        [("cloudlibc", f"{libc} (of wasi-libc)"), ("dlmalloc", f"{libc} (of wasi-libc)")],
    )


def in_inspector(lock):
    """The packages that the inspector's page contains."""
    packages = json.loads(lock.read_text())["packages"]
    for package, component in INSPECTOR.items():
        yield component, packages[f"node_modules/{package}"]["version"]


def archived(path):
    """The components that a source archive contains."""
    with tarfile.open(path) as archive:
        files = {member.name: member for member in archive if member.isfile()}

        def text(name):
            return archive.extractfile(files[name]).read().decode(errors="replace")

        for component, of in WITH_SOURCES.items():
            root = next((name.removesuffix(of.mark) for name in files if name.endswith("/" + of.mark)), None)
            if root and root + of.header in files:
                yield component, of.version(text(root + of.header))
        for name in files:  # an amalgamation has its components in one file
            if name.endswith("/cpb.c"):
                found = {component: of.version(text(name)) for component, of in WITH_SOURCES.items()}
                yield from ((component, version) for component, version in found.items() if version)


def package(identifier, name, version, of):
    return {
        "SPDXID": identifier,
        "name": name,
        "versionInfo": version,
        "supplier": of.supplier,
        "downloadLocation": of.home,
        "filesAnalyzed": False,
        "licenseConcluded": of.licence,
        "licenseDeclared": of.licence,
        "copyrightText": of.copyright,
    }


def source_of(name, origin):
    """The members of a package that say where its sources came from."""
    what, where, *version, checksum = origin
    if what == "archive":
        return {"sourceInfo": f"Release archive {where}, SHA-256 {checksum}"}
    files = {"deb": "with its patches; the .dsc's", "orig": "without its patches; the archive's"}[what]
    said = {"sourceInfo": f"Debian's source package {where} {version[0]}, {files} SHA-256 is {checksum}"}
    if name != "xxhash":  # which is a part of zstd
        locator = f"pkg:deb/debian/{where}@{quote(version[0], safe=':')}?arch=source"
        said["externalRefs"] = [
            {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": locator}
        ]
    return said


class Document:
    def __init__(self, version, origins):
        self.version = version
        self.origins = origins
        self.packages = {}
        self.relations = []
        self.digest = hashlib.sha256()

    def relate(self, a, kind, b):
        self.relations.append({"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b})

    def artefact(self, path, name, contains):
        """A file of the release, and the components in it."""
        data = path.read_bytes()
        identifier = "SPDXRef-" + re.sub(r"[^\w.]+", "-", name).replace("_", "-")
        entry = package(identifier, name, self.version, LIBCPB)
        entry["packageFileName"] = name
        entry["checksums"] = [{"algorithm": "SHA256", "checksumValue": hashlib.sha256(data).hexdigest()}]
        purpose = "SOURCE" if "tar.gz" in name else "APPLICATION" if name.endswith(".html") else "LIBRARY"
        entry["primaryPackagePurpose"] = purpose
        self.packages[identifier] = entry
        self.digest.update(f"{name} {entry['checksums'][0]['checksumValue']}\n".encode())
        self.relate("SPDXRef-DOCUMENT", "DESCRIBES", identifier)
        for component, version in sorted(set(contains)):
            self.relate(identifier, "CONTAINS", self.component(component, version))
        return identifier

    def component(self, name, version):
        if not version:
            raise SystemExit(f"no version of {name} found in what was compiled")
        identifier = re.sub(r"[^\w.]+", "-", f"SPDXRef-{name}-{version}").rstrip("-")
        self.packages[identifier] = package(identifier, name, version, COMPONENTS[name])
        if self.origins.get((name, version)):
            self.packages[identifier] |= source_of(name, self.origins[name, version])
        return identifier

    def json(self):
        when = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
        return {
            "spdxVersion": "SPDX-2.3",
            "dataLicense": "CC0-1.0",
            "SPDXID": "SPDXRef-DOCUMENT",
            "name": f"libcpb-{self.version}",
            "documentNamespace": f"https://spdx.org/spdxdocs/libcpb-{self.version}-{self.digest.hexdigest()}",
            "creationInfo": {
                "created": when.strftime("%Y-%m-%dT%H:%M:%SZ"),
                "creators": ["Tool: tools/sbom.py", "Organization: The libcpb authors"],
            },
            "packages": [self.packages[key] for key in sorted(self.packages)],
            "relationships": self.relations,
        }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("version")
    parser.add_argument("dist", type=Path)
    parser.add_argument("--web", type=lambda path: Build(Path(path)), required=True)
    parser.add_argument("--wasi", type=lambda path: Build(Path(path)), required=True)
    args = parser.parse_args()
    in_web, in_wasi, in_command = toolchains(args.web, args.wasi)
    document = Document(args.version, origins := {})
    npm, page, modules, everything, inspect = None, None, [], [], None
    for path in sorted(args.dist.rglob("*")):
        name = path.relative_to(args.dist).as_posix()
        if path.suffix == ".wasm":
            build, libraries = (args.wasi, in_wasi) if path.name.startswith("cpb-") else (args.web, in_web)
            names = exports(path.read_bytes())
            contains = [*build.components(path.name, names), *libraries, *(in_command if "_start" in names else [])]
            if path.name == "cpb-http.wasm":
                contains += in_command[1:]  # the allocator alone
            origins |= build.origins
            identifier = document.artefact(path, name, contains)
            if build is args.web:
                modules.append(identifier)
                everything += contains
            if path.name == "models.wasm":
                inspect = identifier, contains
        elif path.suffix == ".tgz":
            npm = path, name
        elif path.suffix == ".html":
            page = path, name
        elif name.endswith(".tar.gz"):
            document.artefact(path, name, archived(path))
    if npm:
        identifier = document.artefact(*npm, everything)
        for module in modules:
            document.relate(identifier, "CONTAINS", module)
    if page and inspect:
        module, contains = inspect
        lock = Path("web/inspector/package-lock.json")
        document.relate(document.artefact(*page, [*contains, *in_inspector(lock)]), "CONTAINS", module)
    print(json.dumps(document.json(), indent=1))


if __name__ == "__main__":
    main()
