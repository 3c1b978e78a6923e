"""Models in zip archives are what they are outside of them: Python's zipfile packs them."""

import json
import os
import stat
import struct
import zipfile

import pytest

from conftest import DATA
from support.models import model

CASES = DATA / "cases"
STORED, DEFLATED = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED
PACKAGE = CASES / "multi.mlpackage"


def pack(path, files, method=STORED):
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def folder_files(folder, prefix=""):
    return {prefix + str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


def ask(cpb, path, *words):
    answer = json.loads(cpb.ok("inspect", path, *words, "--json"))
    return answer


@pytest.mark.parametrize("method", [STORED, DEFLATED], ids=["stored", "deflated"])
def test_a_saved_model_with_its_variables(cpb, tmp_path, method):
    folder = model("functions")
    path = pack(tmp_path / "m.zip", folder_files(folder, "some/model/"), method)
    for question in "overview", "variables", "nodes":
        assert ask(cpb, path, question) == ask(cpb, folder, question)
    assert cpb.ok("inspect", "--tsv", path) == cpb.ok("inspect", "--tsv", folder)
    key = ask(cpb, folder, "variables")["variables"]["items"][0]["key"]
    values = [cpb.ok("extract", at, "--variable", key, "-o", "-") for at in (folder, path)]
    assert values[0] == values[1]
    assert cpb.run("diff", folder, path).returncode == 0


@pytest.mark.parametrize("method", [STORED, DEFLATED], ids=["stored", "deflated"])
def test_values_in_another_file(cpb, tmp_path, method):
    files = {f"a folder/{name}": (CASES / name).read_bytes() for name in ("tied.onnx", "w.data")}
    path = pack(tmp_path / "m.zip", files, method)
    constants = ask(cpb, path, "constants")
    assert constants == ask(cpb, CASES / "tied.onnx", "constants")
    name = constants["constants"]["items"][0]["node"]
    assert cpb.ok("extract", path, name, "-o", "-") == cpb.ok("extract", CASES / "tied.onnx", name, "-o", "-")


def test_values_outside_of_the_archive_are_refused(cpb, tmp_path):
    path = pack(tmp_path / "m.zip", {"tied.onnx": (CASES / "tied.onnx").read_bytes()})
    (tmp_path / "w.data").write_bytes((CASES / "w.data").read_bytes())
    ran = cpb.run("extract", path, ask(cpb, path, "constants")["constants"]["items"][0]["node"], "-o", "-")
    assert ran.returncode == 3
    assert 'the zip archive has no file "w.data"' in ran.stderr.decode()


def test_a_package(cpb, tmp_path):
    path = pack(tmp_path / "p.zip", folder_files(PACKAGE, "multi.mlpackage/"))
    assert ask(cpb, path, "overview") == ask(cpb, PACKAGE, "overview")
    assert ask(cpb, f"{path}!/multi.mlpackage", "overview") == ask(cpb, PACKAGE, "overview")
    name = ask(cpb, path, "constants")["constants"]["items"][0]["node"]
    assert cpb.ok("extract", path, name, "-o", "-") == cpb.ok("extract", PACKAGE, name, "-o", "-")


def test_which_of_several_is_asked(cpb, tmp_path):
    one, two = (CASES / "a.onnx").read_bytes(), (CASES / "tied.onnx").read_bytes()
    path = pack(tmp_path / "m.zip", {"one.onnx": one, "more/two.onnx": two, "p.mlpackage/Manifest.json": "{}", "graph.pb": b""})
    ran = cpb.run("inspect", path)
    assert ran.returncode == 2
    assert "a zip archive with 3 models; expected the name of one" in ran.stderr.decode()
    assert "m.zip!/NAME: more/two.onnx, one.onnx, p.mlpackage" in ran.stderr.decode()
    assert ask(cpb, f"{path}!/more/two.onnx", "overview") == ask(cpb, CASES / "tied.onnx", "overview")
    ran = cpb.run("inspect", f"{path}!/three.onnx")
    assert (ran.returncode, 'has no file "three.onnx"' in ran.stderr.decode()) == (3, True)


def test_files_beside_a_model_are_no_models(cpb, tmp_path):
    files = {"m/model.onnx": (CASES / "a.onnx").read_bytes(), "__MACOSX/m/._model.onnx": b"x", "m/vocabulary.pb": b"x"}
    assert ask(cpb, pack(tmp_path / "m.zip", files), "overview")["kind"] == "onnx"
    files = {"config.json": b"{}", "onnx/model.onnx": (CASES / "a.onnx").read_bytes(), "tokenizer.json": b"{}"}
    assert ask(cpb, pack(tmp_path / "hub.zip", files), "overview")["kind"] == "onnx"
    files = {"m/graph.pbtxt": "node { name: 'x' op: 'NoOp' }", "m/read.me": "text"}
    assert ask(cpb, pack(tmp_path / "g.zip", files), "overview")["kind"] == "graph_def"


FOREIGN = {
    "keras": {"config.json": "{}", "model.weights.h5": "x", "x.pb": ""},
    "torch": {"archive/data.pkl": "x", "archive/x.onnx": "y"},
    "nothing": {"README": "x"},
    "numpy": {"arr_0.npy": "x"},
}


@pytest.mark.parametrize("name", FOREIGN)
def test_other_archives_are_no_models(cpb, tmp_path, name):
    assert cpb.run("inspect", pack(tmp_path / "m.zip", FOREIGN[name])).returncode == 2


# --- What means harm -------------------------------------------------------------


def link_to(name):
    info = zipfile.ZipInfo(name)
    info.create_system = 3
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


def refused(cpb, path, text):
    ran = cpb.run("inspect", path)
    assert ran.returncode != 0 and text in ran.stderr.decode(), ran.stderr.decode()


def of_size(path, size):
    """The archive, in which an entry of noise claims to have so many bytes."""
    pack(path, {"m.onnx": os.urandom(100_000)}, DEFLATED)
    data = bytearray(path.read_bytes())
    for signature, at in ((b"PK\3\4", 22), (b"PK\1\2", 24)):
        struct.pack_into("<I", data, data.index(signature) + at, size)
    path.write_bytes(data)
    return path


def test_unpacked_bytes_are_bounded(cpb, tmp_path):
    refused(cpb, of_size(tmp_path / "m.zip", 1 << 30),
            "zip entry m.onnx: the uncompressed size is more than DEFLATE can make of the compressed size")


def test_a_size_that_is_a_lie(cpb, tmp_path):
    refused(cpb, of_size(tmp_path / "m.zip", 5000), "DEFLATE data expand beyond the uncompressed size")
    refused(cpb, of_size(tmp_path / "m.zip", 200_000), "uncompressed size is 100000; expected 200000")


def test_content_that_was_damaged(cpb, tmp_path):
    path = pack(tmp_path / "m.zip", {"m.onnx": (CASES / "constant_weights.onnx").read_bytes()}, DEFLATED)
    data = bytearray(path.read_bytes())
    data[200] ^= 1
    path.write_bytes(data)
    refused(cpb, path, "zip entry m.onnx: ")
    assert b"recover" not in cpb.run("inspect", path).stderr  # which is for a .cpb


@pytest.mark.parametrize("damaged", ["tied.onnx", "w.data"])
def test_stored_content_that_was_damaged(cpb, tmp_path, damaged):
    """It is a range of the archive, and compared with the CRC-32 all the same."""
    path = pack(tmp_path / "m.zip", {name: (CASES / name).read_bytes() for name in ("tied.onnx", "w.data")})
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        data[archive.getinfo(damaged).header_offset + 60] ^= 1
    path.write_bytes(data)
    for command in (["convert", path, "-o", tmp_path / "o.onnx"], ["extract", path, "head", "-o", tmp_path / "o.npy"]):
        ran = cpb.run(*command)
        assert ran.returncode in (2, 3) and f"zip entry {damaged}: CRC-32 of the content is " in ran.stderr.decode()
    assert not list(tmp_path.glob("o.*"))


def test_links_and_names_that_lead_out(cpb, tmp_path):
    for name in "../m.onnx", "/etc/m.onnx", "a/../../m.onnx":
        refused(cpb, pack(tmp_path / "m.zip", {name: b"x", "a.onnx": b"x"}), f"zip entry {name}: the path ")
    link = tmp_path / "link.zip"
    with zipfile.ZipFile(link, "w") as archive:
        archive.writestr(link_to("m.onnx"), "/etc/passwd")
    refused(cpb, link, "zip entry m.onnx: symbolic links are not supported")


def test_an_archive_that_is_not_whole_says_so(cpb, tmp_path):
    """To unpack it would not help."""
    path = pack(tmp_path / "m.zip", {"m.onnx": (CASES / "a.onnx").read_bytes()})
    data = path.read_bytes()
    for content, wanted in ((data[:-30], f"byte {len(data) - 30}: zip: no end of central directory record"),
                            (data + b"more", f"byte {len(data)}: zip: 4 bytes follow the end of the archive")):
        path.write_bytes(content)
        for at in path, f"{path}!/m.onnx":
            refused(cpb, at, f"{at}: {wanted}")
    (tmp_path / "a.onnx").write_bytes((CASES / "a.onnx").read_bytes())
    refused(cpb, f"{tmp_path}/a.onnx!/x", "what is before !/ is a file, but no zip archive")


def test_what_came_instead_of_a_model_in_an_archive(cpb, tmp_path):
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize 132\n" % (b"4d" * 32)
    refused(cpb, pack(tmp_path / "m.zip", {"a/m.onnx": pointer}), "m.zip: a/m.onnx in it: a Git LFS pointer to a file of 132")


def test_a_folder_of_that_name_is_a_folder(cpb, tmp_path):
    os.makedirs(tmp_path / "m.zip!")
    (tmp_path / "m.zip!/a.onnx").write_bytes((CASES / "a.onnx").read_bytes())
    assert ask(cpb, tmp_path / "m.zip!/a.onnx", "overview")["kind"] == "onnx"
