"""contents.py FILE.spdx.json REPOSITORY: the files of a release are all there with their checksums,
what each contains is plausible, and LICENSE names every component."""

import hashlib
import json
import sys
from pathlib import Path

document = json.loads(Path(sys.argv[1]).read_text())
licence = (Path(sys.argv[2]) / "LICENSE").read_text().lower()
packages = {package["SPDXID"]: package for package in document["packages"]}
contains = {}
for relation in document["relationships"]:
    if relation["relationshipType"] == "CONTAINS":
        name = packages[relation["spdxElementId"]]["name"]
        contains.setdefault(name, set()).add(packages[relation["relatedSpdxElement"]]["name"])

listed = {package["packageFileName"]: package for package in packages.values() if "packageFileName" in package}
files = {path.as_posix() for path in Path(".").rglob("*") if path.suffix in (".wasm", ".gz", ".tgz")}
assert files == set(listed), files ^ set(listed)
for name, package in listed.items():
    checksum = hashlib.sha256(Path(name).read_bytes()).hexdigest()
    assert package["checksums"] == [{"algorithm": "SHA256", "checksumValue": checksum}], name

for package in packages.values():
    if "packageFileName" not in package:
        assert package["name"].replace("-rt", "") in licence.replace("protocol buffers", ""), package["name"]
        assert package["versionInfo"][0].isdigit(), package
        assert package["supplier"] and package["licenseDeclared"], package

in_modules = {"emscripten", "musl", "compiler-rt"}
assert contains["wasm/json.wasm"] == in_modules | {"nanopb"}
assert contains["wasm/reader.wasm"] == in_modules | {"nanopb", "zstd", "xxhash", "brotli"}
assert contains["wasm/inspect.wasm"] == in_modules | {"nanopb", "zstd", "xxhash", "brotli", "zlib", "yyjson"}
assert contains["wasm/reader-hostcodecs.wasm"] == in_modules | {"nanopb"}
assert {"wasi-libc", "zlib", "yyjson"} <= contains["wasm/cpb-cli.wasm"]
assert contains["wasm/cpb-core-plain.wasm"] == {"wasi-libc", "compiler-rt", "nanopb"}
assert {"nanopb", "zstd", "brotli"} <= contains["wasm/cpb-component.wasm"]
version = document["name"].removeprefix("libcpb-")
assert contains[f"libcpb-{version}.tar.gz"] == contains[f"libcpb-amalgamation-{version}.tar.gz"] == {"nanopb", "yyjson"}
assert {"wasm/reader.wasm", "wasm/inspect.wasm", "zlib"} <= contains[f"libcpb-npm-{version}.tgz"]
print(f"{len(listed)} artefacts, {len(packages) - len(listed)} components")
