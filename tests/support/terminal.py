"""Runs a command in a pseudo-terminal, as a person would."""

import fcntl
import os
import pty
import struct
import subprocess
import termios
import threading
import unicodedata

import pytest

native = pytest.mark.skipif("CPB_RUNTIME" in os.environ, reason="the pseudo-terminal is the native command's")

UTF8 = {"LC_ALL": "C.UTF-8", "TERM": "xterm"}


class Terminal:
    """A pseudo-terminal of so many columns: `side` is what a process writes to."""

    END = b"\0"

    def __init__(self, columns=80):
        self.master, self.side = pty.openpty()
        fcntl.ioctl(self.side, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))

    def text_of(self, process):
        """All that the process writes until it ends. The terminal is closed then.

        If the last process that has a terminal open closes it, Linux can report the end to the reader before the last
        lines. So it stays open here, and a mark after the process's own text says where that ends."""
        waiting = threading.Thread(target=self._mark_end_of, args=[process])
        waiting.start()
        data = b""
        while not data.endswith(self.END):
            data += os.read(self.master, 65536)
        waiting.join()
        os.close(self.side)
        os.close(self.master)
        return data.removesuffix(self.END)

    def _mark_end_of(self, process):
        try:
            process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        os.write(self.side, self.END)


def terminal(command, columns=80, cwd=None, **env):
    """Exit code and text of a command whose output and errors go to a terminal of so many columns."""
    ours = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR")}
    screen = Terminal(columns)
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=screen.side, stderr=screen.side, cwd=cwd,
                               env={**ours, **UTF8, **env})
    text = screen.text_of(process)
    return process.returncode, text.decode().replace("\r\n", "\n")


def columns_of(text):
    """How many columns of a terminal a line takes."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
