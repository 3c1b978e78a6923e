"""docs/tutorial.md: its commands, run one after the other, print what it says."""

import os
import re
import shlex

import pytest

from conftest import ROOT
from support.terminal import terminal

SESSION = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)


def commands():
    """Each command, with the lines below it."""
    text = (ROOT / "docs" / "tutorial.md").read_text()
    for block in SESSION.findall(text):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, output = part.partition("\n")
            yield command, output.splitlines()


def matches(expected, printed):
    """Whether the lines are the same. `...` stands for any number of them, and sizes of what Zstd
    has compressed may differ between its versions."""
    printed = re.sub(r" +$", "", printed, flags=re.M).rstrip("\n") + "\n" * bool(printed)
    pattern = "".join(".*" if line == "..." else re.escape(line) + "\n" for line in expected)
    return re.fullmatch(re.sub(r"\d+", r"\\d+", pattern), printed, re.S)


@pytest.mark.skipif("CPB_RUNTIME" in os.environ, reason="the tutorial is about the native command")
def test_the_tutorial_says_what_its_commands_print(cpb, tmp_path):
    (tmp_path / "cpb").write_text(f'#!/bin/sh\nexec {shlex.join(cpb.command)} "$@"\n')
    (tmp_path / "cpb").chmod(0o755)
    folder = tmp_path / "tutorial"
    folder.mkdir()
    env = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "REPOSITORY": str(ROOT)}
    done = 0
    for command, expected in commands():
        code, printed = terminal(["sh", "-c", command], 100, folder, **env)
        printed = re.sub(r"\033\[[0-9;]*[mK]|[^\n]*\r", "", printed)
        assert code == (2 if command == "cpb verify damaged.cpb" else 0), command + "\n" + printed
        assert matches(expected, printed), command + "\n" + printed
        done += 1
    assert done > 15
