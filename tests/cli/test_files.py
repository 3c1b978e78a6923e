"""Files and other programs: several writers, modes, links, limits, descriptors."""

import json
import os
import resource
import shutil
import signal
import stat
import subprocess
import time
import zipfile

import pytest

from cli.conftest import parts
from conftest import DATA, ROOT, open_files

SAMEDIFF = ROOT / "tests" / "data" / "samediff_small"
ROUNDS = 200 if "CPB_TEST_ALL" in os.environ else 8
WRITERS = 8


def mode(path):
    return stat.S_IMODE(os.lstat(path).st_mode)


# --- Several writers ----------------------------------------------------------------------


@pytest.fixture
def tags(tmp_path):
    """A zip, and lists that each add a tag to it."""
    shutil.copytree(SAMEDIFF, tmp_path / "parts")
    parts = json.loads((tmp_path / "parts" / "parts.json").read_text())
    lists = []
    for i in range(WRITERS):
        name = f"writer{i}"
        lists.append((name, tmp_path / "parts" / f"{name}.json"))
        lists[-1][1].write_text(json.dumps(parts | {"tags": [parts["tags"][0] | {"tag": name}]}))
    return lists


def tags_of(path):
    """By Python's reader, which checks all that is stored."""
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        return archive.read("tags.txt").decode().split()


@pytest.mark.parametrize("part", range(4))
def test_writers_of_one_zip_lose_no_tag(cpb, tags, part, tmp_path):
    for _ in range(ROUNDS // 4):
        zipped = shutil.copy(SAMEDIFF / "minimal.zip", tmp_path / "model.zip")
        before = set(tags_of(zipped))
        started = [subprocess.Popen([*cpb.command, "tag", str(path), str(zipped)], stderr=subprocess.PIPE)
                   for _, path in tags]
        ended = [(process.communicate(timeout=60)[1].decode(), process.returncode) for process in started]
        done = {name for (name, _), (_, code) in zip(tags, ended) if code == 0}
        assert all(message == f"{zipped}: in use by another process\n" for message, code in ended if code != 0)
        assert set(tags_of(zipped)) == before | done
        cpb.ok("inspect", zipped)


def test_lock_of_another_program_is_waited_for(cpb, tags, tmp_path):
    zipped = shutil.copy(SAMEDIFF / "minimal.zip", tmp_path / "model.zip")
    with subprocess.Popen(["flock", str(zipped), "cat"], stdin=subprocess.PIPE) as other:
        while subprocess.run(["flock", "-n", str(zipped), "true"]).returncode == 0:
            pass
        process = subprocess.Popen([*cpb.command, "tag", str(tags[0][1]), str(zipped)])
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.3)
        other.stdin.close()
        assert process.wait(60) == 0
    assert "writer0" in tags_of(zipped)


@pytest.mark.skipif("CPB_TEST_ALL" not in os.environ, reason="takes ten seconds")
def test_lock_that_is_kept_is_an_error(cpb, tags, tmp_path):
    zipped = shutil.copy(SAMEDIFF / "minimal.zip", tmp_path / "model.zip")
    result = subprocess.run(["flock", zipped, *cpb.command, "tag", tags[0][1], zipped], stderr=subprocess.PIPE)
    assert (result.returncode, result.stderr.decode()) == (3, f"{zipped}: in use by another process\n")
    assert zipped.read_bytes() == (SAMEDIFF / "minimal.zip").read_bytes()


def test_writers_of_several_files_leave_those_of_one(cpb, graph, tmp_path):
    """Each replaces what the others have written, but never only some of it."""
    content = open(graph, "rb").read()
    messages = [content.replace(b"conv", name) for name in (b"conv", b"vonc", b"cnov")]
    for i, message in enumerate(messages):
        (tmp_path / f"{i}.pb").write_bytes(message)
    for _ in range(ROUNDS):
        started = [subprocess.Popen([*cpb.command, "split", tmp_path / f"{i}.pb", "-o", tmp_path / "m.cpb", "-qf",
                                     "--files", "9", "--max-chunk-size", "500"]) for i in range(3)]
        assert [process.wait(60) for process in started] == [0, 0, 0]
        assert cpb.ok("merge", tmp_path / "m.cpb", "-o", "-") in messages


def test_a_lock_on_the_folder_is_waited_for(cpb, graph, tmp_path):
    """The files get their names together."""
    (tmp_path / "m").mkdir()
    with subprocess.Popen(["flock", tmp_path / "m", "cat"], stdin=subprocess.PIPE) as other:
        while subprocess.run(["flock", "-n", tmp_path / "m", "true"]).returncode == 0:
            pass
        process = subprocess.Popen([*cpb.command, "split", graph, "-o", tmp_path / "m" / "m.cpb", "--files", "2", "-q"])
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.3)
        assert not any(tmp_path.glob("m/*.cpb"))
        other.stdin.close()
        assert process.wait(60) == 0
    cpb.ok("merge", tmp_path / "m" / "m.cpb", "-o", "-")


def test_chunks_of_the_input_are_not_replaced_by_another_name(cpb, graph, tmp_path):
    cpb.ok("split", graph, "-o", tmp_path / "m.cpb", "--files", 2, "--max-chunk-size", 1000, "-q")
    other = tmp_path / "m.00002-of-00002.cpb"
    os.link(other, tmp_path / "hard")
    (tmp_path / "soft").symlink_to(other.name)
    for name in "hard", "soft":
        result = cpb.run("merge", tmp_path / "m.cpb", "-o", tmp_path / name, "--force")
        assert result.returncode == 1 and b"expected another name" in result.stderr
    cpb.ok("merge", tmp_path / "m.cpb", "-o", "-")


# --- Modes --------------------------------------------------------------------------------


@pytest.mark.parametrize("before", [0o400, 0o600, 0o640, 0o755])
def test_force_keeps_the_mode(cpb, chunked, before, tmp_path):
    out = tmp_path / "out"
    out.write_bytes(b"old")
    out.chmod(before)
    cpb.ok("merge", chunked, "-o", out, "--force")
    assert mode(out) == before


@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_new_file_has_the_mode_of_the_umask(cpb, chunked, mask, tmp_path):
    cpb.ok("merge", chunked, "-o", tmp_path / "out", umask=mask)
    assert mode(tmp_path / "out") == 0o666 & ~mask


def test_growing_file_is_private(cpb, tmp_path):
    deadline = time.monotonic() + 60
    with subprocess.Popen([*cpb.command, "recover", "-", "-o", "out"], cwd=tmp_path, stdin=subprocess.PIPE,
                          umask=0) as process:
        while not open_files(process, tmp_path):
            assert process.poll() is None and time.monotonic() < deadline
        process.kill()


# --- Links --------------------------------------------------------------------------------


@pytest.mark.parametrize("there", [True, False], ids=["to a file", "to nothing"])
def test_link_is_followed(cpb, chunked, there, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    if there:
        (folder / "model").write_bytes(b"old")
    (tmp_path / "link").symlink_to("folder/model")
    (tmp_path / "out").symlink_to("link")
    cpb.ok("merge", chunked, "-o", tmp_path / "out", *["--force"] * there)
    assert (tmp_path / "out").is_symlink() and (tmp_path / "link").is_symlink()
    assert (folder / "model").read_bytes() == cpb.ok("merge", chunked, "-o", "-")
    assert parts(folder) == ["model"] and parts(tmp_path) == ["folder", "graph.cpb", "link", "out"]


def test_tag_follows_a_link(cpb, tags, tmp_path):
    shutil.copy(SAMEDIFF / "minimal.zip", tmp_path / "model.zip")
    (tmp_path / "link.zip").symlink_to("model.zip")
    cpb.ok("tag", tags[0][1], tmp_path / "link.zip")
    assert "writer0" in tags_of(tmp_path / "model.zip") and (tmp_path / "link.zip").is_symlink()


# --- Limits and descriptors ----------------------------------------------------------------


def limited():
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)


@pytest.mark.parametrize("old", [None, b"old"])
def test_limit_of_file_sizes(cpb, chunked, old, tmp_path):
    out = tmp_path / "out"
    if old:
        out.write_bytes(old)
    result = cpb.run("merge", chunked, "-o", out, "--force", preexec_fn=limited)
    assert (result.returncode, result.stderr.decode()) == (3, f"{out}: File too large\n")
    assert parts(tmp_path) == ["graph.cpb", "out"] if old else ["graph.cpb"]
    assert not old or out.read_bytes() == old


def test_limit_of_file_sizes_in_place(cpb, tags, tmp_path):
    zipped = shutil.copy(SAMEDIFF / "minimal.zip", tmp_path / "model.zip")
    before = zipped.read_bytes()
    def limit():
        limited()
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 100, len(before) + 100))
    result = cpb.run("tag", tags[0][1], zipped, preexec_fn=limit)
    assert (result.returncode, result.stderr.decode()) == (3, f"{zipped}: File too large\n")
    assert zipped.read_bytes() == before


@pytest.mark.parametrize("closed", ["0", "1", "2", "01", "02", "12", "012"])
def test_closed_descriptors_get_no_file(cpb, closed, tmp_path):
    """What is printed would otherwise be in the output."""
    damaged = DATA / "corrupt" / "base_blocks.riegeli"
    data = bytearray(damaged.read_bytes())
    data[len(data) // 2] ^= 1
    (tmp_path / "in").write_bytes(data)
    cpb.run("recover", tmp_path / "in", "-o", tmp_path / "good")
    redirections = " ".join(f"{fd}>&-" for fd in closed)
    for words in (["recover", "in", "-o", "out"], ["recover", "in", "-o", "out", "--json"]):
        subprocess.run(["bash", "-c", f'"$@" {redirections}', "bash", *cpb.command, *words, "--force"], cwd=tmp_path)
        assert (tmp_path / "out").read_bytes() == (tmp_path / "good").read_bytes()


def test_closed_descriptors_are_errors(cpb, chunked, tmp_path):
    def run(words, redirection):
        return subprocess.run(["bash", "-c", f'"$@" {redirection}', "bash", *cpb.command, *words], cwd=tmp_path,
                              stderr=subprocess.PIPE)
    result = run(["info", str(chunked)], ">&-")
    assert (result.returncode, result.stderr) == (3, b"standard output: Bad file descriptor\n")
    result = run(["info", "-"], "<&-")
    assert (result.returncode, result.stderr) == (3, b"standard input: Bad file descriptor\n")
    assert run(["info", str(chunked)], "2>&-").returncode == 0
