#!/usr/bin/env python3
"""Whether all that building and testing download has a version and a hash: the lists of
packages, and the commands that install. What apt and Maven install is verified by them. And
whether all files have the version that CMakeLists.txt has."""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = (".sh", ".py", ".js", ".cmake", ".yml", "/run")
# What renews the lists, this test, and one that installs our own package.
EXEMPT = ("tools/pins.sh", "tests/pins.py", "web/test/package/project.js")

# What installs, and what its line must have.
COMMANDS = (
    (r"\bnpm (install|i|add|update)\b|\bnpx\b", None),
    (r"\bpip\b[^|;&]* (install|download)\b", "--require-hashes"),
    (r"\bcargo (install|build|run|fetch)\b", "--locked"),
    (r"\bgo (install|get)\b", None),
)


def tracked():
    listing = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in listing.stdout.splitlines() if (ROOT / name).is_file()]


def named(names, ending):
    return [name for name in names if name == ending or name.endswith("/" + ending)]


def normal(pinned):
    """NAME==VERSION with the name as the index has it, without extras."""
    name, version = pinned.split("==")
    return re.sub(r"[-_.]+", "-", name.split("[")[0]).lower() + "==" + version


def python_lists(names):
    """Each requirements*.in has a list of exact versions, with hashes, of all that it asks for."""
    for name in names:
        if not re.search(r"requirements[\w-]*\.in$", name):
            continue
        asked = {normal(line) for line in (ROOT / name).read_text().split() if "==" in line}
        path = ROOT / name.replace(".in", ".txt")
        blocks = re.split(r"\n(?=[\w#])", path.read_text().replace("\\\n", " ")) if path.exists() else []
        there = {normal(block.split()[0]) for block in blocks if "==" in block.split()[0]}
        for missing in asked - there:
            yield f"{path.name} of {name} does not have {missing}; expected what tools/pins.sh python writes"
        for block in blocks:
            if not block.startswith("#") and not re.match(r"\S+==\S+( ;[^\\]*?)?(\s+--hash=sha256:[0-9a-f]{64})+\s*$", block):
                yield f"{path.name} of {name} has \"{block.split()[0]}\"; expected a version and hashes"


def npm_locks(names):
    for name in named(names, "package.json"):
        lock = (ROOT / name).with_name("package-lock.json")
        if not lock.exists():
            yield f"{name} has no package-lock.json"
            continue
        for package, entry in json.loads(lock.read_text())["packages"].items():
            if package and not entry.get("link") and not entry.get("integrity", "").startswith("sha512-"):
                yield f"the lock of {name} has no SHA-512 of {package}"
            if "://" in entry.get("resolved", ""):
                yield f"the lock of {name} names a host for {package}; expected omit-lockfile-registry-resolved in .npmrc"


def cargo_locks(names):
    for name in named(names, "Cargo.toml"):
        lock = (ROOT / name).with_name("Cargo.lock")
        packages = lock.read_text().split("[[package]]")[1:] if lock.exists() else []
        if not packages:
            yield f"{name} has no Cargo.lock"
        for package in packages:
            if "\nsource = " in package and not re.search(r'^checksum = "[0-9a-f]{64}"$', package, re.M):
                yield f"the lock of {name} has no checksum of {package.split()[2]}"


def go_sums(names):
    for name in named(names, "go.mod"):
        sums = (ROOT / name).with_name("go.sum")
        there = sums.read_text() if sums.exists() else ""
        for module, version in re.findall(r"^(?:require )?\s*([\w./-]+) (v\S+)", (ROOT / name).read_text(), re.M):
            if f"{module} {version} h1:" not in there:
                yield f"go.sum of {name} has no sum of {module} {version}"


def source_lists(_):
    for name, form in (("archives.txt", r"\w+ https://\S+ [0-9a-f]{64}"),
                       ("debian-sources.txt", r"[a-z]+ [\w.+-]+ [\w.+:~-]+ [0-9a-f]{64}")):
        for line in (ROOT / "cmake" / name).read_text().splitlines():
            if not line.startswith("#") and not re.fullmatch(form, line):
                yield f"cmake/{name} has \"{line}\"; expected the form that its first lines say"


def actions(names):
    for name in names:
        if name.startswith(".github/workflows/"):
            for action in re.findall(r"uses: (\S+)", (ROOT / name).read_text()):
                if not re.search(r"@[0-9a-f]{40}$", action):
                    yield f"{name} uses {action}; expected a commit"


def commands(names):
    for name in names:
        if not name.endswith(SCRIPTS) or name in EXEMPT:
            continue
        text = (ROOT / name).read_text().replace("\\\n", " ")
        for line in re.sub(r"(?:[\"',\[\]]+ *)+", " ", re.sub(r",\n\s*", " ", text)).splitlines():
            if re.match(r"\s*(#|//|\*)", line):
                continue
            for command, needs in COMMANDS:
                found = re.search(command, line)
                if found and (needs is None or needs not in line) and "--no-index" not in line:
                    yield f"{name} has \"{found[0]}\"; expected " + (f"{needs} with it" if needs else "what a lock holds")


# Where our own version stands.
VERSIONS = {
    "include/cpb/base.h": r'VERSION_STRING "([^"]+)"',
    "packaging/esp-idf/cpb/idf_component.yml": r'version: "([^"]+)"',
    "web/package.json": r'"version": "([^"]+)"',
    "docs/building.md": r"libcpb-(\d[\d.]*\d)\b",
    "wasi/component/wit/cpb.wit": r"libcpb:cpb@([^;]+)",
    "wasi/component/CMakeLists.txt": r"libcpb:cpb/\S+?@([^=]+)",
    "wasi/http/wit/server.wit": r"libcpb:http@([^;]+)",
    "wasi/http/spin.toml": r'^version = "([^"]+)"',
    "wasi/http/wasmcloud.yaml": r"cpb-http:([\d.]+)",
    "wasi/examples/python/component_field.py": r"libcpb:cpb/\S+?@([\d.]+)",
    "wasi/examples/python/cpb_component.py": r"libcpb:cpb/\S+?@([\d.]+)",
}


def versions(_):
    wanted = re.search(r"project\(cpb VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
    for name, pattern in VERSIONS.items():
        found = set(re.findall(pattern, (ROOT / name).read_text(), re.MULTILINE))
        if found != {wanted}:
            yield f"{name} has version {', '.join(sorted(found)) or 'none'}; expected {wanted}, as CMakeLists.txt"


def main():
    names = tracked()
    checks = (python_lists, npm_locks, cargo_locks, go_sums, source_lists, actions, commands, versions)
    wrong = [text for check in checks for text in check(names)]
    print("\n".join(wrong) or f"{len(names)} files: what they install is pinned")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
