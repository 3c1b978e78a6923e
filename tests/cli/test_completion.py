"""Command lines are completed by the shells themselves, with what `cpb completion` writes for them."""

import os
import pty
import re
import select
import shlex
import shutil
import subprocess
import time

import pytest

COMMANDS = ["split", "merge", "repack", "info", "inspect", "extract", "cut", "tag", "diff", "cat", "verify", "records",
            "recover", "completion", "help"]


@pytest.fixture
def folder(cpb, tmp_path):
    """A folder with two files, and the programs for the shells."""
    for name in "model.cpb", "model.pb":
        (tmp_path / name).touch()
    (tmp_path / "programs").mkdir()
    for shell in "bash", "zsh", "fish":
        (tmp_path / "programs" / shell).write_bytes(cpb.ok("completion", shell))
    return tmp_path


def need(shell):
    return shutil.which(shell) or pytest.skip(f"no {shell}: run tests/setup.sh")


def bash(folder, line):
    """What bash proposes for the last word of a line: by its function, and if that has nothing, files."""
    words = [word for word in re.split(r"\s+|(=)", line) if word is not None and word != ""]
    words += [""] if line.endswith(" ") else []
    script = f"""source programs/bash
        compopt() {{ files=; }}
        files=yes COMP_WORDS=({shlex.join(words)}) COMP_CWORD={len(words) - 1}
        _cpb
        [ ${{#COMPREPLY[@]}} -gt 0 ] || [ -z "$files" ] || COMPREPLY=($(compgen -f -- "${{COMP_WORDS[COMP_CWORD]}}"))
        complete -p cpb >&2
        printf '%s\\n' "${{COMPREPLY[@]}}" """
    result = subprocess.run(["bash", "--norc", "-c", script], cwd=folder, capture_output=True, text=True)
    assert result.returncode == 0 and "-o default -F _cpb cpb" in result.stderr, result.stderr
    return sorted(filter(None, result.stdout.split("\n")))


def fish(folder, line):
    """What fish proposes, without its descriptions."""
    script = f"source programs/fish; complete -C {shlex.quote(line)}"
    result = subprocess.run([need("fish"), "--no-config", "-c", script], cwd=folder, capture_output=True, text=True,
                            env={**os.environ, "HOME": str(folder), "XDG_DATA_HOME": str(folder / "programs")})
    assert result.returncode == 0 and result.stderr == "", result.stderr
    return sorted(line.split("\t")[0] for line in result.stdout.splitlines())


CASES = [
    ("cpb ", set(COMMANDS), {"model.pb"}),
    ("cpb in", {"info", "inspect"}, {"split"}),
    ("cpb split --ma", {"--max-chunk-size", "--max-time"}, {"--memory-limit"}),
    ("cpb merge --c", set(), {"--codec"}),
    ("cpb repack --layout ", {"remote", "compat"}, {"model.pb"}),
    ("cpb split --codec z", {"zstd"}, {"brotli"}),
    ("cpb merge mo", {"model.cpb", "model.pb"}, {"--output"}),
    ("cpb merge model.cpb -o mo", {"model.pb"}, {"--output"}),
    ("cpb merge model.cpb --threads ", set(), {"model.pb", "--output"}),
    ("cpb inspect model.pb co", {"constants", "consumers"}, {"model.cpb"}),
    ("cpb help re", {"repack", "records", "recover"}, {"model.pb"}),
    ("cpb completion ", {"bash", "zsh", "fish"}, {"model.pb"}),
]


@pytest.mark.parametrize("line, wanted, unwanted", CASES, ids=[case[0] for case in CASES])
@pytest.mark.parametrize("shell", [bash, fish], ids=lambda f: f.__name__)
def test_candidates(folder, shell, line, wanted, unwanted):
    found = set(shell(folder, line))
    assert wanted <= found, found
    assert not unwanted & found, found


@pytest.mark.parametrize("line, wanted", [
    ("cpb inspect --scope x --json model.pb la", ["layers"]),
    ("cpb inspect --scope=x model.pb la", ["layers"]),
    ("cpb repack model.cpb --layout=re", ["remote"]),
    ("cpb repack model.cpb --layout=", ["compat", "remote"]),
    ("cpb inspect model.pb nodes mo", []),
])
def test_bash_counts_operands(folder, line, wanted):
    """Options and their values are none, also where bash cuts words at the equals sign."""
    assert bash(folder, line) == wanted


class Zsh:
    """An interactive zsh, in which cpb is a function that says what it was given."""

    def __init__(self, folder):
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.execve(need("zsh"), ["zsh", "-f", "-i"], {"PATH": os.environ["PATH"], "HOME": str(folder), "TERM": "dumb"})
        self.type("unsetopt zle_bracketed_paste prompt_cr prompt_sp; stty -echo; PS1=; autoload -U compinit; compinit -u -D; "
                  "source programs/zsh; cpb() { print -r -- GOT:$*:END }; print rea''dy\n")
        self.read("ready")

    def type(self, text):
        os.write(self.terminal, text.encode())

    def read(self, wanted):
        text, until = "", time.monotonic() + 30
        while not (found := re.search(wanted, text)):
            assert time.monotonic() < until, text
            if select.select([self.terminal], [], [], 1)[0]:
                text += os.read(self.terminal, 65536).decode(errors="replace")
        return found

    def complete(self, line):
        self.type(line + "\t\n")
        return self.read("GOT:(.*):END")[1]

    def close(self):
        os.close(self.terminal)
        os.waitpid(self.process, 0)


def test_zsh(folder):
    need("zsh")
    zsh = Zsh(folder)
    for line, wanted in [("cpb spl", "split"), ("cpb merge --thr", "merge --threads"), ("cpb repack --layout=co", "repack --layout=compat"),
                         ("cpb verify model.c", "verify model.cpb"), ("cpb inspect model.pb lay", "inspect model.pb layers"),
                         ("cpb split -o model.p", "split -o model.pb"), ("cpb help ins", "help inspect"),
                         ("cpb completion f", "completion fish"), ("cpb split --codec bro", "split --codec brotli")]:
        assert zsh.complete(line).strip() == wanted
    zsh.close()


def test_every_option_is_there(cpb, folder):
    """What the help of a command lists is what is proposed."""
    for command in COMMANDS[:-2]:
        listed = set(re.findall(r"^      ?(?:-\w, )?(--[\w-]+)", cpb.ok("help", command).decode().replace("\n  -", "\n      -"), re.M))
        assert set(bash(folder, f"cpb {command} --")) == listed


@pytest.mark.parametrize("words", [[], ["tcsh"], ["bash", "zsh"]])
def test_other_shells_are_refused(cpb, words):
    result = cpb.run("completion", *words)
    assert result.returncode == 1 and result.stdout == b""
    assert b"expected bash, zsh or fish" in result.stderr
