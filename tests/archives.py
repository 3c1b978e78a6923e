#!/usr/bin/env python3
"""tests/archives.py [check|pack]: the repository holds thousands of small test files in two archives, each named
corpus.tar.xz. The .gitignore beside an archive lists what the archive holds. Without an argument this program unpacks
both archives where they lie, unless that was done before. CMake and tests/run.sh call it. `pack` makes the archives
anew from the unpacked files; the same files give the same bytes. `check` names each file that differs from the
archive."""

import fcntl
import hashlib
import io
import lzma
import pathlib
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
ARCHIVES = [ROOT / folder / "corpus.tar.xz" for folder in ("tests/data", "tests/fuzz")]


def parts(folder):
    """The files and folders that the archive is for."""
    names = (folder / ".gitignore").read_text().split()
    return [folder / name.strip("/") for name in names if not name.startswith("/.")]


def present(folder):
    """The unpacked files: names to contents."""
    paths = [path for part in parts(folder) for path in [part, *part.rglob("*")] if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def packed(archive):
    """The files in an archive: names to contents."""
    with tarfile.open(archive) as tar:
        return {entry.name: tar.extractfile(entry).read() for entry in tar if entry.isfile()}


def unpack(archive):
    """Files of an older archive go. Files that somebody has added stay."""
    stamp = archive.with_name(".unpacked")
    stamp.touch()
    with stamp.open("r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # builds are configured at the same time
        made, *before = lock.read().split("\n")
        digest = hashlib.sha256(archive.read_bytes()).hexdigest()
        if made == digest and all(part.exists() for part in parts(archive.parent)):
            return
        files = packed(archive)
        for name in set(before) - set(files) - {""}:
            (archive.parent / name).unlink(missing_ok=True)
        for name, data in files.items():
            path = archive.parent / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        lock.seek(0)
        lock.truncate()
        lock.write("\n".join([digest, *files]))


def check(archive):
    inside, outside = packed(archive), present(archive.parent)
    differ = sorted(name for name in inside.keys() | outside.keys() if inside.get(name) != outside.get(name))
    if differ:
        sys.exit(f"tests/archives.py pack is due, or these files of {archive.parent.relative_to(ROOT)} are wrong: "
                 + ", ".join(differ[:20]))


def pack(archive):
    with tarfile.open(archive, "w:xz", preset=9 | lzma.PRESET_EXTREME, format=tarfile.USTAR_FORMAT) as tar:
        for name, data in sorted(present(archive.parent).items()):
            entry = tarfile.TarInfo(name)  # owned by nobody, of no time
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
    print(f"{archive.relative_to(ROOT)}: {archive.stat().st_size} bytes")


def files():
    """What the archives hold: names in the repository, and contents."""
    for archive in ARCHIVES:
        for name, data in packed(archive).items():
            yield (archive.parent / name).relative_to(ROOT).as_posix(), data


if __name__ == "__main__":
    for archive in ARCHIVES:
        {"unpack": unpack, "check": check, "pack": pack}[(sys.argv[1:] or ["unpack"])[0]](archive)
