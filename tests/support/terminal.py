"""Runs a command in a pseudo-terminal, as a person would."""

import fcntl
import os
import pty
import struct
import subprocess
import termios
import unicodedata

import pytest

native = pytest.mark.skipif("CPB_RUNTIME" in os.environ, reason="the pseudo-terminal is the native command's")

UTF8 = {"LC_ALL": "C.UTF-8", "TERM": "xterm"}


def terminal(command, columns=80, cwd=None, **env):
    """Exit code and text of a command whose output and errors go to a terminal of so many columns."""
    ours = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR")}
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave, cwd=cwd,
                               env={**ours, **UTF8, **env})
    os.close(slave)
    data = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        data += part
    os.close(master)
    return process.wait(timeout=60), data.decode().replace("\r\n", "\n")


def columns_of(text):
    """How many columns of a terminal a line takes."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
