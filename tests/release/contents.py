"""contents.py FILE.spdx.json: the files of a release are all there with their checksums, what each
contains is plausible, and the notices that come with it name all of that, with holder and licence."""

import hashlib
import json
import re
import sys
from pathlib import Path

import notices

document = json.loads(Path(sys.argv[1]).read_text())
packages = {package["SPDXID"]: package for package in document["packages"]}
contains, components = {}, {}
for relation in document["relationships"]:
    if relation["relationshipType"] == "CONTAINS":
        name = packages[relation["spdxElementId"]]["name"]
        contained = packages[relation["relatedSpdxElement"]]
        contains.setdefault(name, set()).add(contained["name"])
        components.setdefault(name, []).append(contained)

listed = {package["packageFileName"]: package for package in packages.values() if "packageFileName" in package}
files = {path.as_posix() for path in Path(".").rglob("*") if path.suffix in (".wasm", ".gz", ".tgz", ".html")}
assert files == set(listed), files ^ set(listed)
for name, package in listed.items():
    checksum = hashlib.sha256(Path(name).read_bytes()).hexdigest()
    assert package["checksums"] == [{"algorithm": "SHA256", "checksumValue": checksum}], name

for package in packages.values():
    if "packageFileName" not in package:
        assert package["versionInfo"][0].isdigit(), package
        assert package["supplier"] and package["licenseDeclared"], package
        if package["name"] in ("zstd", "xxhash", "brotli", "zlib", "nanopb", "yyjson"):
            assert re.search(r"SHA-256.* [0-9a-f]{64}$", package["sourceInfo"]), package

for name in listed:
    held = [component for component in components.get(name, []) if "packageFileName" not in component]
    assert not notices.missing(name, held), (name, notices.missing(name, held))

in_modules = {"emscripten", "musl", "compiler-rt"}
assert contains["wasm/dictionary.wasm"] == in_modules | {"brotli"}
for name in ("full", "json", "numbers", "reader"):
    assert contains[f"wasm/{name}.wasm"] == in_modules | {"nanopb", "zstd", "xxhash", "brotli"}
assert contains["wasm/models.wasm"] == in_modules | {"nanopb", "zstd", "xxhash", "brotli", "zlib", "yyjson"}
assert {"wasi-libc", "musl", "dlmalloc", "cloudlibc", "zlib", "yyjson"} <= contains["wasm/cpb-cli.wasm"]
assert contains["wasm/cpb-cli-plain.wasm"] == contains["wasm/cpb-cli.wasm"]
assert contains["wasm/cpb-cli-core.wasm"] <= contains["wasm/cpb-cli.wasm"]
for size in ("", "-small"):
    assert contains[f"wasm/cpb-core{size}-plain.wasm"] == {"wasi-libc", "musl", "compiler-rt", "nanopb"}
    assert contains[f"wasm/cpb-core{size}-nobrotli.wasm"] == contains["wasm/cpb-core-plain.wasm"] | {"zstd", "xxhash"}
    assert contains[f"wasm/cpb-core{size}.wasm"] == contains["wasm/cpb-core-nobrotli.wasm"] | {"brotli"}
assert {"nanopb", "zstd", "brotli"} <= contains["wasm/cpb-component.wasm"]
assert contains["wasm/cpb-component.wasm"] | {"zlib", "yyjson"} <= contains["wasm/cpb-complete.wasm"]
assert contains["wasm/cpb-http.wasm"] == contains["wasm/cpb-cli.wasm"] - {"cloudlibc"}
version = document["name"].removeprefix("libcpb-")
assert contains[f"libcpb-{version}.tar.gz"] == contains[f"libcpb-amalgamation-{version}.tar.gz"] == {"nanopb", "yyjson"}
assert {"wasm/reader.wasm", "wasm/models.wasm", "zlib"} <= contains[f"libcpb-npm-{version}.tgz"]
page = contains[f"libcpb-inspector-{version}.html"]
assert page == contains["wasm/models.wasm"] | {"wasm/models.wasm", "lit", "dagre"}, page
print(f"{len(listed)} artefacts, {len(packages) - len(listed)} components")
