"""A person can learn the tool from its help."""

import json
import re
import subprocess

import pytest

from conftest import ROOT

COMMANDS = ["split", "merge", "repack", "info", "inspect", "extract", "cut", "convert", "tag", "diff", "cat",
            "verify", "records", "recover"]


def test_version(cpb):
    assert cpb.ok("--version").startswith(b"cpb 0.")


def test_documented_lines_name_no_type_that_is_recognized():
    """ONNX and Core ML models need neither --type nor --schema."""
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    lines = [line for page in pages for line in page.read_text().splitlines() if re.search(r"\bcpb [a-z]+ ", line)]
    assert len(lines) > 50
    assert [line for line in lines if re.search(r"--type (onnx|CoreML)\.|--schema onnx", line)] == []


def test_help_names_every_command_and_exit_code(cpb):
    text = cpb.ok("help").decode()
    listed = re.findall(r"^  (\w+)", text.split("\nCommands:\n")[1].split("\n\n")[0], re.M)
    assert listed == [*COMMANDS, "completion", "help"]
    for code in range(6):
        assert f"\n  {code}  " in text
    assert cpb.ok("--help").decode() == text


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command(cpb, command):
    text = cpb.ok("help", command).decode()
    assert cpb.ok(command, "--help").decode() == text
    assert f"Usage: cpb {command} " in text
    assert "\nOptions:\n" in text and "--help" in text
    examples = text.split("\nExamples:\n")[1]
    assert f"  cpb {command} " in examples
    option_lines = text.split("\nExamples:\n")[0].splitlines()
    assert max(map(len, option_lines)) <= 80


@pytest.mark.parametrize("command", COMMANDS)
def test_examples_use_options_that_exist(cpb, command):
    """Each example is parsed, with an input that does not exist: the input is what fails."""
    examples = cpb.ok("help", command).decode().split("\nExamples:\n")[1]
    for line in examples.splitlines():
        if not line.startswith("  cpb "):
            continue
        words = re.split("[|>&]", line)[0].split()[1:]
        result = cpb.run(*words, cwd="/")
        assert result.returncode == (2 if command == "diff" else 3), (line, result.stderr)
        assert b"No such file" in result.stderr


def test_man_page_has_no_warnings(cpb, tmp_path):
    (tmp_path / "cpb.1").write_bytes(cpb.ok("help", "--man"))
    result = subprocess.run(["man", "--warnings", "-l", "cpb.1"], cwd=tmp_path, capture_output=True,
                            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "MANPAGER": "cat"})
    assert result.returncode == 0 and result.stderr == b"", result.stderr.decode()
    text = result.stdout.decode()
    for command in COMMANDS:
        assert f"cpb {command} " in text
    assert "EXIT STATUS" in text


@pytest.mark.parametrize("words, wanted", [
    ([], "a command is expected"),
    (["splitt", "x"], "did you mean split?"),
    (["zzz"], "unknown command zzz"),
    (["help", "mergee"], "did you mean merge?"),
    (["merge", "x", "--outptu", "y"], "did you mean --output?"),
    (["split", "x", "--max", "1", "-o", "y"], "did you mean --max-chunk-size?"),
    (["merge", "x", "--zzzzzzzzzz"], "unknown option --zzzzzzzzzz"),
    (["merge", "x", "-z"], "unknown option -z"),
    (["merge", "x"], "--output FILE is missing"),
    (["merge", "-o", "y"], "the input is missing; expected IN.cpb"),
    (["merge", "x", "-o"], "--output needs a value"),
    (["merge", "x", "y", "-o", "z"], "unexpected argument y; expected one input"),
    (["merge", "x", "-o", "z", "--force=1"], "--force takes no value"),
    (["split", "x", "-o", "y", "--max-chunk-size", "3Q"], "3Q is not understood"),
    (["split", "x", "-o", "y", "--max-chunk-size", "0"], "0 is not understood"),
    (["split", "x", "-o", "y", "--max-chunk-size", "-1"], "-1 is not understood"),
    (["split", "x", "-o", "y", "--max-chunk-size", "99999999999999999999"], "is not understood"),
    (["split", "x", "-o", "y", "--max-chunk-size", "99999999T"], "is not understood"),
    (["split", "x", "-o", "y", "--codec", "gzip"], "gzip is not understood"),
    (["split", "x", "-o", "y", "--codec", "zstd:23"], "zstd:23 is not understood"),
    (["split", "x", "-o", "y", "--codec", "none:1"], "none:1 is not understood"),
    (["split", "x", "-o", "y", "--layout", "re"], "expected remote|compat"),
    (["cat", "x"], "expected exactly one of --chunk, --record, --position and --field"),
    (["cat", "x", "--chunk", "1", "--record", "2"], "expected exactly one of"),
    (["cat", "x", "--chunk", "one"], "one is not understood; expected a whole number"),
    (["cat", "x", "--chunk", "1x"], "1x is not understood"),
    (["cat", "x", "--chunk", "/1"], "/1 is not understood"),
    (["cat", "x", "--chunk", "99999999999999999999"], "is not understood"),
    (["cat", "x", "--chunk", "1", "--json"], "--json needs --field"),
    (["split", "x", "-o", "y", "--max-chunk-size", ""], "an empty value is not understood"),
    (["split", "x", "-o", "y", "--max-chunk-size", "/"], "/ is not understood"),
    (["split", "x", "-o", "y", "--max-chunk-size", ":"], ": is not understood"),
    (["split", "x", "-o", "y", "--max-chunk-size", "1Kx"], "1Kx is not understood"),
    (["split", "x", "-o", "y", "--max-chunk-size", "1KBx"], "1KBx is not understood"),
    (["split", "x", "-o", "y", "--codec", "zstd:0"], "zstd:0 is not understood"),
    (["split", "x", "-o", "y", "--codec", "zstd:x"], "zstd:x is not understood"),
    (["split", "x", "-o", "-", "--verify"], "--verify reads the output back; expected a file"),
    (["split", "x", "-o", ""], "the output has no name; expected that of a file"),
    (["split", "x", "-o", "folder/"], "the output has no name; expected that of a file"),
    (["recover", "x", "-o", "-", "--json"], "cannot both go to standard output"),
    (["merge", "x", "-fo"], "--output needs a value"),
    (["merge", "x", "-o", "y", "-qx"], "unknown option -qx"),
    (["merge", "x", "--" + 40 * "z"], "unknown option --zzz"),
    (["zz" * 40], "unknown command zzz"),
    (["merge", "--", "x", "-o"], "unexpected argument -o"),
])
def test_wrong_command_lines_say_what_is_wrong(cpb, words, wanted):
    result = cpb.run(*words)
    assert result.returncode == 1
    assert result.stdout == b""
    assert wanted in result.stderr.decode()
    assert "Try: cpb help" in result.stderr.decode()


@pytest.mark.parametrize("words", [
    ["-o", "OUT", "IN"], ["--output=OUT", "--", "IN"], ["IN", "--output", "OUT"], ["-qoOUT", "IN"], ["IN", "-fqo", "OUT"],
    ["-q", "-f", "-oOUT", "IN"], ["--codec=zstd:3", "IN", "-o", "OUT"]], ids=" ".join)
def test_options_may_be_written_in_several_ways(cpb, words, chunked, tmp_path):
    cpb.ok("repack", chunked, "-o", tmp_path / "wanted.cpb", "--codec", "zstd")
    cpb.ok("repack", *(word.replace("IN", chunked.name).replace("OUT", "out.cpb") for word in words), cwd=tmp_path)
    info = [json.loads(cpb.ok("info", name, "--json", cwd=tmp_path)) for name in ("wanted.cpb", "out.cpb")]
    assert [chunk["size"] for chunk in info[0]["chunks"]] == [chunk["size"] for chunk in info[1]["chunks"]]


def test_an_input_may_look_like_an_option(cpb, chunked, tmp_path):
    chunked.rename(tmp_path / "-x.cpb")
    assert cpb.ok("merge", "-o", "-", "--", "-x.cpb", cwd=tmp_path) == cpb.ok("merge", tmp_path / "-x.cpb", "-o", "-")


def test_sizes_may_be_written_in_several_ways(cpb, graph, tmp_path):
    def split(size):
        return cpb.ok("split", graph, "--type", "tensorflow.GraphDef", "-o", "-", "--max-chunk-size", size)

    assert split("2048") == split("2K") == split("2k") == split("2KiB") == split("2kB") != split("1K")
    assert split("1M") == split("1048576") and split("1G") == split("1T") == split("1GB")
