"""A .cpb whose chunks are in other files: read as one, and what happens where they are not as they were."""

import json
import os

import pytest

from support.several_files import move_out
from support.wire import varint

NAMES = [f"graph.{i:05}-of-00003.cpb" for i in range(1, 4)]


def fields(message):
    """The length-delimited fields of a message: (number, content)."""
    at = 0

    def number():
        nonlocal at
        value, shift = 0, 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(message):
        tag, value = number(), number()
        if tag & 7 == 2:
            yield tag >> 3, message[at:at + value]
            at += value


@pytest.fixture
def parts_of(cpb, chunked):
    """Writes `chunked` in several files into a folder: parts_of(folder, names) gives the main file's path."""
    info = json.loads(cpb.ok("info", chunked, "--json"))
    records = [cpb.ok("cat", chunked, "--chunk", i) for i in range(len(info["chunks"]))]
    index = cpb.ok("cat", chunked, "--position", info["metadata"]["position"])
    message = next(content for n, content in fields(index) if n == 3)
    kinds = [1 if c["type"] == "MESSAGE" else 2 for c in info["chunks"]]

    def write(folder, names=NAMES, here=1):
        folder.mkdir(exist_ok=True)
        main, parts = move_out(records, kinds, message, names, here)
        (folder / "graph.cpb").write_bytes(main)
        for name, data in parts.items():
            if (folder / name).parent.is_dir() and "://" not in name:
                (folder / name).write_bytes(data)
        return folder / "graph.cpb"

    return write


@pytest.fixture
def whole(cpb, chunked):
    return cpb.ok("merge", chunked, "-o", "-")


def refused(cpb, path, out, *texts, **kwargs):
    """Every command that reads chunks fails with these texts, and nothing is left behind."""
    for command in (["merge", path, "-o", out], ["repack", path, "-o", out], ["verify", path]):
        for threads in ("1", "3"):
            result = cpb.run(*command, "--threads", threads, **kwargs)
            said = result.stderr.decode()
            assert result.returncode > 1, command
            for text in texts:
                assert text in said, (command, said)
            assert not out.exists()
    return said


def test_several_files_are_read_as_one(cpb, parts_of, whole, tmp_path):
    path = parts_of(tmp_path / "m")
    for threads in (1, 4):
        assert cpb.ok("merge", path, "-o", "-", "--threads", threads) == whole
    assert b"OK" in cpb.ok("verify", path)
    info = json.loads(cpb.ok("info", path, "--json"))
    assert info["version"]["join"] == 1
    assert [f["name"] for f in info["files"]] == NAMES
    assert [f["size"] for f in info["files"]] == [(path.parent / n).stat().st_size for n in NAMES]
    assert [c.get("file") for c in info["chunks"]] == [None] + [1 + i % 3 for i in range(len(info["chunks"]) - 1)]
    text = cpb.ok("info", path).decode()
    assert f"file 2   {NAMES[1]}, " in text and "none  in file 3\n" in text
    for i, chunk in enumerate(info["chunks"]):
        assert len(cpb.ok("cat", path, "--chunk", i)) == chunk["size"]
    plain = tmp_path / "plain.pb"
    plain.write_bytes(whole)
    assert cpb.ok("inspect", path, "nodes", "--json", "--all") == cpb.ok("inspect", plain, "nodes", "--json", "--all")
    assert cpb.ok("cat", path, "--field", "node[0]", "--type", "tensorflow.GraphDef") \
        == cpb.ok("cat", plain, "--field", "node[0]", "--type", "tensorflow.GraphDef")


def test_from_the_current_folder(cpb, parts_of, whole, tmp_path):
    path = parts_of(tmp_path / "m")
    assert cpb.ok("merge", path.name, "-o", "-", cwd=path.parent) == whole


def test_repacked_they_are_one_file_again(cpb, parts_of, whole, tmp_path):
    path = parts_of(tmp_path / "m")
    for threads in (1, 3):
        cpb.ok("repack", path, "-o", tmp_path / "one.cpb", "--force", "--threads", threads)
        info = json.loads(cpb.ok("info", tmp_path / "one.cpb", "--json"))
        assert info["version"]["join"] == 0 and "files" not in info
        assert cpb.ok("merge", tmp_path / "one.cpb", "-o", "-") == whole


@pytest.mark.parametrize("lost", range(3))
def test_a_lost_file_is_named(cpb, parts_of, tmp_path, lost):
    path = parts_of(tmp_path / "m")
    (path.parent / NAMES[lost]).unlink()
    refused(cpb, path, tmp_path / "out", f'file "{NAMES[lost]}": No such file or directory')


@pytest.mark.parametrize("name", NAMES)
def test_a_shortened_or_grown_file_is_named(cpb, parts_of, tmp_path, name):
    path = parts_of(tmp_path / "m")
    data = (path.parent / name).read_bytes()
    for other in (data[:-1], data + b"\0", b""):
        (path.parent / name).write_bytes(other)
        refused(cpb, path, tmp_path / "out",
                f'file "{name}": it has {len(other)} bytes; expected {len(data)}: not the file that was written')


@pytest.mark.parametrize("name", NAMES)
def test_an_exchanged_file_is_named(cpb, parts_of, chunked, tmp_path, name):
    """One of the same size and layout, whose records are others."""
    path = parts_of(tmp_path / "m")
    from support.riegeli import _chunk_header, file
    data = (path.parent / name).read_bytes()
    chunks, at = [], 64
    while at < len(data):
        size = int.from_bytes(data[at + 8:at + 16], "little")
        body, count = data[at + 40:at + 40 + size], int.from_bytes(data[at + 25:at + 32], "little")
        body = body[:-1] + bytes([body[-1] ^ 1])
        chunks.append(_chunk_header(body, b"r", count, int.from_bytes(data[at + 32:at + 40], "little")) + body)
        at += 40 + size
    other = file(chunks)
    assert len(other) == len(data) and other != data
    (path.parent / name).write_bytes(other)
    assert cpb.run("records", path.parent / name).returncode == 0
    said = refused(cpb, path, tmp_path / "out", f'file "{name}", byte ', "the data hash is ",
                   "not the file that was written")
    assert "expected" in said


def test_a_damaged_file_is_named(cpb, parts_of, tmp_path):
    path = parts_of(tmp_path / "m")
    part = path.parent / NAMES[1]
    data = bytearray(part.read_bytes())
    data[-1] ^= 1
    part.write_bytes(data)
    result = cpb.run("merge", path, "-o", tmp_path / "out")
    assert result.returncode == 2 and f'file "{NAMES[1]}", byte ' in result.stderr.decode()
    assert not (tmp_path / "out").exists()


ONLY = ", and is read only with --allow-references"
OUTSIDE = "it is not in the folder of the file that names it" + ONLY


def test_nothing_is_read_outside_of_the_folder(cpb, parts_of, whole, tmp_path):
    folder = tmp_path / "m"
    absolute = str(tmp_path / "elsewhere.cpb")
    for names in (["../up.cpb"], [absolute], ["sub/../../x.cpb"], ["../m/here.cpb"]):
        (folder / "sub").mkdir(parents=True, exist_ok=True)
        path = parts_of(folder, names)
        says = "its name is absolute" + ONLY if names == [absolute] else OUTSIDE
        refused(cpb, path, tmp_path / "out", f'file "{names[0]}": {says}')
        assert cpb.ok("merge", path, "-o", "-", "--allow-references") == whole
        assert b"OK" in cpb.ok("verify", path, "--allow-references")
        assert b"node" in cpb.ok("inspect", path, "--allow-references")
        assert cpb.run("inspect", path).returncode > 0


def test_links_within_the_folder_are_followed(cpb, parts_of, whole, tmp_path):
    folder = tmp_path / "m"
    (folder / "sub").mkdir(parents=True)
    path = parts_of(folder, ["link.cpb"])
    (folder / "link.cpb").rename(folder / "sub" / "real.cpb")
    (folder / "link.cpb").symlink_to("sub/real.cpb")
    assert cpb.ok("merge", path, "-o", "-") == whole


@pytest.mark.parametrize("name, at", [("./p.cpb", "p.cpb"), ("sub//p.cpb", "sub/p.cpb"), ("sub/./p.cpb", "sub/p.cpb"),
                                      ("no/../p.cpb", "p.cpb")])
def test_names_that_stay_in_the_folder(cpb, parts_of, whole, tmp_path, name, at):
    """Also of a folder that is not there, and of one that is a link, as names are taken by their text."""
    folder = tmp_path / "m"
    (folder / "sub").mkdir(parents=True)
    path = parts_of(folder, [name.replace("no/../", "")])
    (path.parent / "away").symlink_to("/")
    for allow in [], ["--allow-references"]:
        assert cpb.ok("merge", parts_of(folder, [name]), "-o", "-", *allow) == whole
        assert cpb.ok("merge", parts_of(folder, [name.replace("no/", "away/")]), "-o", "-", *allow) == whole
    result = cpb.run("merge", path, "-o", folder / at, "--force")
    assert result.returncode == 1 and b"is in this file" in result.stderr


def test_a_link_to_a_file_has_the_folder_of_that_file_too(cpb, parts_of, whole, tmp_path):
    """As in a cache, whose snapshots are links to blobs. That something else lies beside the link's end opens nothing."""
    secret, blobs, snapshot = tmp_path / "secret", tmp_path / "blobs", tmp_path / "snapshots" / "1"
    snapshot.mkdir(parents=True)
    path = parts_of(blobs)
    for name in ["graph.cpb", *NAMES]:
        (snapshot / name).symlink_to(os.path.join("../../blobs", name))
    assert cpb.ok("merge", snapshot / "graph.cpb", "-o", "-") == whole
    part = snapshot / NAMES[1]
    part.unlink()
    refused(cpb, snapshot / "graph.cpb", tmp_path / "out", f'file "{NAMES[1]}": No such file or directory')
    (blobs / NAMES[1]).rename(secret)
    part.symlink_to(secret)
    refused(cpb, snapshot / "graph.cpb", tmp_path / "out", f'file "{NAMES[1]}": {OUTSIDE}')
    (snapshot / "graph.cpb").unlink()  # a file of its own: the blobs are outside now
    (snapshot / "graph.cpb").write_bytes(path.read_bytes())
    refused(cpb, snapshot / "graph.cpb", tmp_path / "out", OUTSIDE)


def test_links_out_of_the_folder_are_not(cpb, parts_of, whole, tmp_path):
    folder = tmp_path / "m"
    path = parts_of(folder, ["link.cpb"])
    (folder / "link.cpb").rename(tmp_path / "real.cpb")
    (folder / "link.cpb").symlink_to(tmp_path / "real.cpb")
    refused(cpb, path, tmp_path / "out", f'file "link.cpb": {OUTSIDE}')
    assert cpb.ok("merge", path, "-o", "-", "--allow-references") == whole
    # so for a folder whose name only begins alike
    (tmp_path / "m2").mkdir()
    (tmp_path / "real.cpb").rename(tmp_path / "m2" / "real.cpb")
    (folder / "link.cpb").unlink()
    (folder / "link.cpb").symlink_to(tmp_path / "m2" / "real.cpb")
    refused(cpb, path, tmp_path / "out", f'file "link.cpb": {OUTSIDE}')


def test_a_pipe_is_no_part(cpb, parts_of, tmp_path):
    path = parts_of(tmp_path / "m", ["pipe.cpb"])
    (path.parent / "pipe.cpb").unlink()
    os.mkfifo(path.parent / "pipe.cpb")
    refused(cpb, path, tmp_path / "out", 'file "pipe.cpb": ')


def test_standard_input_has_no_folder(cpb, parts_of, tmp_path):
    path = parts_of(tmp_path / "m")
    result = cpb.run("merge", "-", "-o", tmp_path / "out", input=path.read_bytes(), cwd=path.parent)
    assert result.returncode > 1 and OUTSIDE in result.stderr.decode()


def test_more_files_than_are_open_at_once(cpb, parts_of, whole, tmp_path):
    names = [f"p{i:02}.cpb" for i in range(20)]
    assert cpb.ok("merge", parts_of(tmp_path / "m", names), "-o", "-", "--threads", "3") == whole


def test_an_index_that_is_wrong_about_its_files(cpb, tmp_path):
    from support.riegeli import file, simple_chunk
    from support.several_files import chunk_info, metadata

    def run(infos, files, join=1):
        path = tmp_path / "x.cpb"
        index = metadata(infos, varint(8) + varint(0), files, join)
        path.write_bytes(file([simple_chunk([b"", index])]))
        result = cpb.run("merge", path, "-o", tmp_path / "out")
        assert result.returncode > 1
        return result.stderr.decode()

    other = chunk_info(1, 0, 0, (1, 64, bytes(8)))
    assert "file is 1; expected at most 0" in run([other], [])
    assert "file is 1 with join_version 0; expected a join_version of at least 1" in run([other], [("a", 1)], 0)
    for name in ("", "a\nb", "a" * 4097):
        assert "name is no file's; expected 1 to 4096 bytes of UTF-8" in run([other], [(name, 1)])
    for names in (["b", "a"], ["a", "a"]):
        assert "name is not after the one before" in run([other], [(n, 1) for n in names])


# --- cpb split --files ---------------------------------------------------------


def split_files(cpb, graph, out, *how, **kwargs):
    return cpb.run("split", graph, "-o", out, "--type", "tensorflow.GraphDef", "--max-chunk-size", "1000", *how, **kwargs)


@pytest.mark.parametrize("how", [["--files", 4], ["--files", 4, "--layout", "compat"], ["--files", 99999],
                                 ["--files", 3, "--codec", "none"], ["--files", 3, "--index-pages"],
                                 ["--file-size", "3K"], ["--file-size", 1], ["--files", 1],
                                 ["--files", 2, "--layout", "compat", "--transpose"], ["--files", 2, "--transpose"]],
                         ids=lambda how: " ".join(map(str, how)))
def test_split_into_files(cpb, graph, tmp_path, how):
    """Merged they are the original, byte for byte; the files are Riegeli files."""
    folder = tmp_path / "m"
    folder.mkdir()
    result = split_files(cpb, graph, folder / "graph.cpb", *how)
    assert result.returncode == 0, result.stderr.decode()
    info = json.loads(cpb.ok("info", folder / "graph.cpb", "--json"))
    count = len(info["files"])
    names = [f"graph.{i:05}-of-{count:05}.cpb" for i in range(1, count + 1)]
    assert [f["name"] for f in info["files"]] == names
    assert sorted(os.listdir(folder)) == sorted(names + ["graph.cpb"])
    assert info["version"]["join"] == 1 and "file" not in info["chunks"][0]
    assert [c["file"] for c in info["chunks"][1:]] == sorted(c["file"] for c in info["chunks"][1:])
    if how[0] == "--files":
        assert 1 <= count <= how[1]
    for i, file in enumerate(info["files"], 1):
        assert (folder / file["name"]).stat().st_size == file["size"]
        sizes = [r["size"] for r in cpb.records(folder / file["name"])[0]]
        assert sizes == [c["size"] for c in info["chunks"] if c.get("file") == i]
        if how == ["--file-size", "3K"]:
            assert sum(sizes) <= 3 << 10 or len(sizes) == 1
    original = open(graph, "rb").read()
    for threads in ("1", "4"):
        assert cpb.ok("merge", folder / "graph.cpb", "-o", "-", "--threads", threads) == original
    assert b"OK" in cpb.ok("verify", folder / "graph.cpb", "--against", graph)
    assert cpb.ok("inspect", folder / "graph.cpb", "nodes", "--json") == cpb.ok("inspect", graph, "nodes", "--json")
    for name in names:
        (folder / name).rename(folder / "away")
        result = cpb.run("merge", folder / "graph.cpb", "-o", tmp_path / "out")
        assert result.returncode > 1 and f'file "{name}": ' in result.stderr.decode()
        assert not (tmp_path / "out").exists()
        (folder / "away").rename(folder / name)


def test_all_files_appear_or_none(cpb, graph, tmp_path):
    folder = tmp_path / "m"
    folder.mkdir()
    last = folder / "graph.00003-of-00003.cpb"
    last.write_bytes(b"mine")
    result = split_files(cpb, graph, folder / "graph.cpb", "--files", 3)
    assert result.returncode == 3
    assert result.stderr.decode() == f"{last}: exists already; --force replaces it\n"
    assert os.listdir(folder) == [last.name] and last.read_bytes() == b"mine"
    assert split_files(cpb, graph, folder / "graph.cpb", "--files", 3, "--force").returncode == 0
    assert cpb.ok("merge", folder / "graph.cpb", "-o", "-") == open(graph, "rb").read()


def test_options_that_exclude_files(cpb, graph, tmp_path):
    out = tmp_path / "x.cpb"
    for how, text in ((["--files", 2, "--verify"], "no --verify"),
                      (["--files", 2, "--file-size", "1M"], "files and file_size are set"),
                      (["--files", 100000], "files is out of range"),
                      (["--files", 2, "--for-memory", "256K"], "a device reads one file")):
        result = split_files(cpb, graph, out, *how)
        assert result.returncode == 1 and text in result.stderr.decode()
        assert not out.exists()
    assert split_files(cpb, graph, "-", "--files", 2).returncode == 1


def test_one_chunk_is_one_file(cpb, graph, tmp_path):
    folder = tmp_path / "m"
    folder.mkdir()
    cpb.ok("split", graph, "-o", folder / "x.cpb", "--type", "tensorflow.GraphDef", "--files", 4)
    assert os.listdir(folder) == ["x.cpb"]
    assert json.loads(cpb.ok("info", folder / "x.cpb", "--json"))["version"]["join"] == 0
