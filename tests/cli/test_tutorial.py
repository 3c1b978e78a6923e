"""docs/tutorial.md: its commands, run one after the other, print what it says."""

import os
import re
import shlex

import numpy
import pytest

from conftest import DATA, ROOT
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


# A model of each kind: its file, a node, another one that depends on it, the function that has them, and a weight.
SAVED = "__inference__wrapped_model_852"
KINDS = {
    "Keras": (None, "model/a/MatMul", "model/a/BiasAdd", SAVED, "a/kernel"),
    "TensorFlow": ("cpb/real_frozen_conv/orig.pb", "model/conv2d/Conv2D", "model/conv2d/BiasAdd", None,
                   "model/a/MatMul/ReadVariableOp/resource"),
    "ONNX": ("cases/dynamo.onnx", "node_linear", "node_MatMul_3", None, "head.weight"),
    "Core ML": ("cases/flex.mlpackage", "y_cast_fp16", "cast_0", None, "y_weight_0_to_fp16"),
    "SameDiff": ("samediff_small/minimal.zip", "matmul", "add", None, "weights"),
}
EVERYDAY = re.compile(r"^\| (.*?) \| `cpb (.*)` \|$", re.M)


@pytest.mark.parametrize("kind", KINDS)
def test_every_everyday_task_is_one_command_for_every_kind_of_model(cpb, keras, tmp_path, kind):
    file, node, other, scope, weight = KINDS[kind]
    path = DATA / file if file else keras
    words = {"MODEL": path, "MODEL2": path, "NODE": node, "OTHER": other, "WEIGHT": weight}
    tasks = EVERYDAY.findall((ROOT / "docs" / "tutorial.md").read_text())
    assert len(tasks) >= 10
    printed = {}
    for task, command in tasks:
        command = [words.get(word, word) for word in command.split()]
        scoped = ["--scope", scope] if scope and node in command else []
        printed[task] = cpb.ok(*command, *scoped, cwd=tmp_path, env={"LC_ALL": "C.UTF-8"}).decode()
    assert re.search(r"^ +in ", printed["inputs and outputs"], re.M) and re.search(r"^ +out ", printed["inputs and outputs"], re.M)
    assert f"\n{weight}," in printed["all weights, in a table for other programs"]
    assert "deviation" in printed["a weight: range, mean, zeros, histogram"]
    assert numpy.load(tmp_path / "w.npy").size > 1
    assert node in printed["a node with its attributes and neighbours"]
    assert other in printed["the way from a node to another"] and other in printed["all that depends on a node"]
    assert f"\n{node}," in "\n" + printed["the nodes, in a table for other programs"] or scope
    assert printed["what differs from another model"].startswith("The models are the same")
