"""What takes long to make, and is made by whichever process of pytest comes first."""

import fcntl
import os
import shutil


def remove(path):
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def once(out, make, sources=()):
    """`out`, a file or folder, which make(path) makes if it is missing or older than a source."""
    out.parent.mkdir(parents=True, exist_ok=True)
    with open(out.with_name(f".{out.name}.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not out.exists() or any(source.stat().st_mtime > out.stat().st_mtime for source in sources):
            part = out.with_name(f".{out.name}.part")
            remove(part)  # of one that was interrupted
            make(part)
            os.replace(part, out)
    return out
