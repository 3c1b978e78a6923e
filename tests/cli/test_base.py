"""cpb split --base: a model that refers to the chunks of another one."""

import json
import os
import shutil

import pytest

from cli.conftest import parts
from support.tuned import graph

COUNT, SIZE = 20, 20_000
TUNED = {3: 500, 11: 500}
TYPE = ["--type", "tensorflow.GraphDef", "--max-chunk-size", "10K"]
ALLOW = "--allow-references"


@pytest.fixture
def models(cpb, tmp_path):
    """A folder with base.pb, tuned.pb and base.cpb."""
    folder = tmp_path / "m"
    folder.mkdir()
    (folder / "base.pb").write_bytes(graph(COUNT, SIZE))
    (folder / "tuned.pb").write_bytes(graph(COUNT, SIZE, TUNED))
    cpb.ok("split", folder / "base.pb", "-o", folder / "base.cpb", *TYPE)
    return folder


def against(cpb, models, *how, source="tuned.pb", base="base.cpb", out="tuned.cpb", **kwargs):
    base = base if "://" in str(base) else models / base
    return cpb.run("split", models / source, "--base", base, "-o", models / out, *TYPE, *how, **kwargs)


def split_against(cpb, models, *how, **kwargs):
    result = against(cpb, models, *how, **kwargs)
    assert result.returncode == 0, result.stderr.decode()
    return models / kwargs.get("out", "tuned.cpb")


def info_of(cpb, path, *how):
    return json.loads(cpb.ok("info", path, "--json", *how))


def assert_refused(result, path, *texts, code=1):
    said = result.stderr.decode()
    assert result.returncode == code, said
    assert all(text in said for text in texts), said
    assert not path.exists()


def test_it_costs_its_difference(cpb, models):
    result = against(cpb, models)
    path = models / "tuned.cpb"
    assert result.stderr.decode() == f"{path}: 21 chunks; the base has 18 of them, 360000 bytes\n"
    assert len(TUNED) * SIZE < path.stat().st_size < len(TUNED) * SIZE + 4000
    info = info_of(cpb, path)
    assert info["version"]["join"] == 1
    assert info["files"] == [{"name": "base.cpb", "size": (models / "base.cpb").stat().st_size, "chunks": 18,
                              "chunks_size": 360_000}]
    assert [i for i, c in enumerate(info["chunks"]) if "file" not in c] == [0, 4, 12]
    assert "file 1   base.cpb, " in cpb.ok("info", path).decode()
    assert ": 18 chunks of 360000 bytes are there\n" in cpb.ok("info", path).decode()
    message = (models / "tuned.pb").read_bytes()
    for threads in ("1", "3"):
        assert cpb.ok("merge", path, "-o", "-", "--threads", threads) == message
    assert b"OK" in cpb.ok("verify", path, "--against", models / "tuned.pb")
    assert cpb.ok("inspect", path, "constants", "--json") == cpb.ok("inspect", models / "tuned.pb", "constants", "--json")
    for name in ("layer_0/w", "layer_3/w"):
        assert cpb.ok("extract", path, name, "-o", "-") == cpb.ok("extract", models / "tuned.pb", name, "-o", "-")


def test_repacked_it_stands_alone(cpb, models):
    path = split_against(cpb, models)
    cpb.ok("repack", path, "-o", models / "one.cpb")
    cpb.ok("split", models / "tuned.pb", "-o", models / "alone.cpb", *TYPE)
    assert (models / "one.cpb").read_bytes() == (models / "alone.cpb").read_bytes()


@pytest.mark.parametrize("how", [["--layout", "compat"], ["--codec", "brotli"], ["--codec", "none"], ["--transpose"],
                                 ["--layout", "compat", "--transpose"], ["--index-pages"], ["--files", 2],
                                 ["--file-size", "15K"], ["--files", 2, "--index-pages", "--layout", "compat"]],
                         ids=lambda how: " ".join(map(str, how)))
def test_with_other_options(cpb, models, how):
    """They merge to the same, and the bytes are the same for any number of threads."""
    message = (models / "tuned.pb").read_bytes()
    path = split_against(cpb, models, *how, "--threads", 1)
    assert cpb.ok("merge", path, "-o", "-") == message
    assert b"OK" in cpb.ok("verify", path)
    assert len(info_of(cpb, path)["chunks"]) == COUNT + 1
    written = {name: (models / name).read_bytes() for name in parts(models) if name.startswith("tuned.")}
    assert sum(map(len, written.values())) < len(message) + len(TUNED) * SIZE + 8000
    split_against(cpb, models, *how, "--threads", 4, "--force")
    assert written == {name: (models / name).read_bytes() for name in parts(models) if name.startswith("tuned.")}


def test_a_base_of_another_layout(cpb, models):
    """What Riegeli chunk a chunk is in, and how that is encoded, makes no difference."""
    message = (models / "tuned.pb").read_bytes()
    for how in (["--layout", "compat"], ["--layout", "compat", "--transpose"], ["--codec", "zstd:9"],
                ["--index-pages"]):
        cpb.ok("repack", models / "base.cpb", "-o", models / "other.cpb", *how, "--force")
        path = split_against(cpb, models, "--force", base="other.cpb")
        assert path.stat().st_size < len(TUNED) * SIZE + 4000
        assert cpb.ok("merge", path, "-o", "-") == message


def test_nothing_in_common(cpb, models):
    (models / "tuned.pb").write_bytes(graph(COUNT, SIZE, dict.fromkeys(range(COUNT), 900)))
    result = against(cpb, models)
    assert result.stderr.decode().endswith(": 21 chunks; the base has 0 of them, 0 bytes\n")
    cpb.ok("split", models / "tuned.pb", "-o", models / "alone.cpb", *TYPE)
    assert (models / "tuned.cpb").read_bytes() == (models / "alone.cpb").read_bytes()
    assert info_of(cpb, models / "tuned.cpb")["version"]["join"] == 0


# --- A chain -----------------------------------------------------------------------------


def test_a_chain_of_three(cpb, models):
    """The third refers to the first directly."""
    split_against(cpb, models)
    (models / "third.pb").write_bytes(graph(COUNT, SIZE, TUNED | {7: 600}))
    path = split_against(cpb, models, source="third.pb", base="tuned.cpb", out="third.cpb")
    info = info_of(cpb, path)
    assert [f["name"] for f in info["files"]] == ["base.cpb", "tuned.cpb"]
    assert [f["chunks"] for f in info["files"]] == [17, 2]
    assert path.stat().st_size < SIZE + 4000
    assert cpb.ok("merge", path, "-o", "-") == (models / "third.pb").read_bytes()
    (models / "tuned.cpb").unlink()
    assert_refused(cpb.run("merge", path, "-o", models / "out"), models / "out", 'file "tuned.cpb": ', code=3)


def test_a_chain_through_folders(cpb, models):
    """What the base calls its base is made relative to the output's folder."""
    sub = models / "sub"
    (sub / "deep").mkdir(parents=True)
    for name in ("base.cpb", "tuned.pb"):
        shutil.copy(models / name, sub / name)
    split_against(cpb, sub)
    path = split_against(cpb, models, base="sub/tuned.cpb")
    assert [f["name"] for f in info_of(cpb, path)["files"]] == ["sub/base.cpb", "sub/tuned.cpb"]
    assert cpb.ok("merge", path, "-o", "-") == (models / "tuned.pb").read_bytes()
    # from another folder, and by a name with ".."
    out = split_against(cpb, models, ALLOW, base="sub/tuned.cpb", out="sub/deep/x.cpb")
    assert [f["name"] for f in info_of(cpb, out, ALLOW)["files"]] == ["../base.cpb", "../tuned.cpb"]
    assert cpb.ok("merge", out, "-o", "-", ALLOW) == (models / "tuned.pb").read_bytes()
    # back again: what needed ".." is within the folder
    back = split_against(cpb, models, ALLOW, base="sub/deep/x.cpb", out="back.cpb")
    assert [f["name"] for f in info_of(cpb, back)["files"]] == ["sub/base.cpb", "sub/tuned.cpb"]
    assert cpb.ok("merge", back, "-o", "-") == (models / "tuned.pb").read_bytes()


# --- Where the base is ------------------------------------------------------------------------


ELSEWHERE = "the base is not in the output's folder or below it"


def test_a_base_elsewhere_is_refused(cpb, models, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    assert_refused(against(cpb, models, out=out / "x.cpb"), out / "x.cpb", str(models / "base.cpb"), ELSEWHERE, ALLOW)
    assert parts(out) == []
    path = split_against(cpb, models, ALLOW, out=out / "x.cpb")
    assert [f["name"] for f in info_of(cpb, path, ALLOW)["files"]] == ["../m/base.cpb"]
    assert cpb.ok("merge", path, "-o", "-", ALLOW) == (models / "tuned.pb").read_bytes()
    assert_refused(cpb.run("merge", path, "-o", out / "y"), out / "y", "is read only with --allow-references", code=3)


def test_links_are_followed(cpb, models, tmp_path):
    """The output calls the base by where it is."""
    (models / "link.cpb").symlink_to("base.cpb")
    assert [f["name"] for f in info_of(cpb, split_against(cpb, models, base="link.cpb"))["files"]] == ["base.cpb"]
    (tmp_path / "away").mkdir()
    shutil.move(models / "base.cpb", tmp_path / "away" / "base.cpb")
    (models / "link.cpb").unlink()
    (models / "link.cpb").symlink_to("../away/base.cpb")
    assert_refused(against(cpb, models, base="link.cpb", out="x.cpb"), models / "x.cpb", ELSEWHERE)
    (models / "folder").symlink_to("../away")
    assert_refused(against(cpb, models, base="folder/base.cpb", out="x.cpb"), models / "x.cpb", ELSEWHERE)


def test_from_the_current_folder(cpb, models):
    cpb.ok("split", "tuned.pb", "--base", "./base.cpb", "-o", "x.cpb", *TYPE, cwd=models)
    assert [f["name"] for f in info_of(cpb, models / "x.cpb")["files"]] == ["base.cpb"]
    assert cpb.ok("merge", "x.cpb", "-o", "-", cwd=models) == (models / "tuned.pb").read_bytes()


# --- What is wrong with a base ------------------------------------------------------------------


def test_no_base(cpb, models):
    out = models / "tuned.cpb"
    (models / "text.cpb").write_bytes(b"no model")
    (models / "records.cpb").write_bytes((models / "base.cpb").read_bytes()[:64])
    for name, text, code in (("missing.cpb", "No such file or directory", 3), ("base.pb", "Riegeli", 2),
                             ("text.cpb", "Riegeli", 2), ("records.cpb", "ChunkMetadata", 2), (".", "", 1)):
        result = against(cpb, models, base=name)
        assert_refused(result, out, f"{models / name}: ", text, code=result.returncode)
        assert result.returncode in (1, 2, 3)
    assert parts(models) == ["base.cpb", "base.pb", "records.cpb", "text.cpb", "tuned.pb"]


def test_a_damaged_base(cpb, models):
    data = bytearray((models / "base.cpb").read_bytes())
    data[len(data) // 2] ^= 1
    (models / "base.cpb").write_bytes(data)
    assert_refused(against(cpb, models), models / "tuned.cpb", f"{models / 'base.cpb'}: ", "chunk ", code=2)
    (models / "base.cpb").write_bytes(data[:len(data) // 2])
    assert_refused(against(cpb, models), models / "tuned.cpb", f"{models / 'base.cpb'}: ", code=2)


def test_the_output_is_no_base(cpb, models):
    before = (models / "base.cpb").read_bytes()
    os.link(models / "base.cpb", models / "same.cpb")
    for out in ("base.cpb", "same.cpb"):
        result = against(cpb, models, "--force", out=out)
        assert result.returncode == 1 and "the base is the output itself" in result.stderr.decode()
    split_against(cpb, models)
    result = against(cpb, models, "--force", base="tuned.cpb", out="base.cpb")
    assert result.returncode == 1 and "the base has chunks in the output" in result.stderr.decode()
    assert (models / "base.cpb").read_bytes() == before


def test_a_file_that_is_written_is_no_base(cpb, models):
    shutil.copy(models / "base.cpb", models / "tuned.00001-of-00002.cpb")
    result = against(cpb, models, "--files", 2, "--force", base="tuned.00001-of-00002.cpb")
    assert_refused(result, models / "tuned.cpb", '"tuned.00001-of-00002.cpb" would be written')
    assert (models / "tuned.00001-of-00002.cpb").read_bytes() == (models / "base.cpb").read_bytes()


def test_options_that_exclude_a_base(cpb, models):
    out = models / "tuned.cpb"
    for how, text in ((["--verify"], "--base expects a file as output, and no --verify"),
                      (["--for-memory", "256K"], "a device reads one file")):
        assert_refused(against(cpb, models, *how), out, text)
    for url, how, text in (("https://127.0.0.1:1/base.cpb", [], "the base is a URL"),
                           ("https://me:word@127.0.0.1:1/base.cpb", [ALLOW], "without password, query and fragment"),
                           ("https://127.0.0.1:1/base.cpb?key=1", [ALLOW], "without password, query and fragment")):
        assert_refused(against(cpb, models, *how, base=url), out, text)
    assert cpb.run("split", models / "tuned.pb", "--base", models / "base.cpb", "-o", "-", *TYPE).returncode == 1
    assert cpb.run("split", models / "tuned.pb", "--base", "-", "-o", out, *TYPE).returncode == 1


# --- What becomes of a base -----------------------------------------------------------------------


def test_a_lost_shortened_or_exchanged_base(cpb, models, tmp_path):
    path, base, out = split_against(cpb, models), models / "base.cpb", tmp_path / "out"
    data = base.read_bytes()
    (models / "other.pb").write_bytes(graph(COUNT, SIZE, dict.fromkeys(range(COUNT), 77)))
    cpb.ok("split", models / "other.pb", "-o", models / "other.cpb", *TYPE)
    exchanged = (models / "other.cpb").read_bytes()
    assert len(exchanged) == len(data)
    base.unlink()
    for content, text in ((None, "No such file"), (data[:-1], f"it has {len(data) - 1} bytes; expected {len(data)}"),
                          (b"", "it has 0 bytes"), (exchanged, "the data hash is ")):
        if content is not None:
            base.write_bytes(content)
        for command in (["merge", path, "-o", out], ["repack", path, "-o", out], ["verify", path]):
            for threads in ("1", "3"):
                result = cpb.run(*command, "--threads", threads)
                assert_refused(result, out, 'file "base.cpb"', text, code=result.returncode)
                assert result.returncode > 1
    base.write_bytes(data)
    assert cpb.ok("merge", path, "-o", "-") == (models / "tuned.pb").read_bytes()
