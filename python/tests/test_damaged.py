"""Damaged models: questions are answered from what is left, as by the command, and nothing else is made of it."""

import json
import pathlib

import pytest

import libcpb

DATA = pathlib.Path(__file__).resolve().parents[2] / "tests/data"
WHOLE = DATA / "cpb/real_tf_keras_functional/orig.pb"



def test_a_model_with_a_damaged_chunk_answers_with_its_rest(cpb, tmp_path):
    path = tmp_path / "saved_model.cpb"
    cpb.ok("split", WHOLE, "-o", path, "-q", "--max-chunk-size", "20K")
    content = path.read_bytes()
    refused = 0
    for chunk in json.loads(cpb.ok("info", path, "--json"))["chunks"]:
        changed = bytearray(content)
        changed[chunk["position"] + 40 + (chunk["stored_size"] - 40) // 2] ^= 0x40
        path.write_bytes(changed)
        for question in ("overview", "nodes", "functions", "objects"):
            expected = cpb.run("inspect", path, question, "--json")
            with libcpb.open_model(path) as model:
                assert model.ask(question) == json.loads(expected.stdout)
        with libcpb.open_model(path) as model:
            try:
                model.cut(["root"], tmp_path / "out.pb")
            except libcpb.CpbError as error:
                refused += 1
                assert error.code in ("DAMAGED", "TRUNCATED", "NOT_FOUND", "UNSUPPORTED"), error
                assert not (tmp_path / "out.pb").exists()
            else:
                (tmp_path / "out.pb").unlink()
        answer = libcpb.diff(WHOLE, path)
        assert answer == json.loads(cpb.run("diff", WHOLE, path, "--json").stdout)
        assert answer["equal"] is (None if "damaged" in answer else True)
    assert refused > 0


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_model_that_was_cut_off_answers_with_its_rest(cpb, tmp_path, share):
    path = tmp_path / "cut.pb"
    path.write_bytes(WHOLE.read_bytes()[:int(WHOLE.stat().st_size * share)])
    with libcpb.open_model(path) as model:
        answer = model.nodes()
        assert answer["problems"][0]["damage"] and answer == json.loads(cpb.run("inspect", path, "nodes", "--json").stdout)
    answer = libcpb.diff(path, WHOLE)
    assert answer["equal"] is None and list(answer["damaged"]) == ["a"]


def test_a_samediff_zip_that_was_cut_off_answers_with_its_rest(cpb, tmp_path):
    whole = (DATA / "samediff_small/minimal.zip").read_bytes()
    path = tmp_path / "cut.zip"
    path.write_bytes(whole[:-30])
    with libcpb.open_model(path) as model:
        assert model.overview()["problems"][0]["damage"]
        assert model.overview() == json.loads(cpb.run("inspect", path, "--json").stdout)


def test_every_byte_outside_a_damaged_chunk_is_read(tmp_path):
    """A failed read does not end the message."""
    whole = (DATA / "cpb/saved_model_split-standard/orig.pb").read_bytes()
    path = tmp_path / "message.cpb"
    libcpb.split(whole, path, max_chunk_size=500, codec="none")
    with libcpb.open(path) as message:
        chunk = max(message.chunks, key=lambda chunk: chunk.size)
    changed = bytearray(path.read_bytes())
    changed[chunk.position + 60] ^= 1
    with libcpb.open(bytes(changed), chunked=True) as message:
        read = []
        for at in range(message.size):
            try:
                read.append(message.read(at, 1) == whole[at:at + 1])
            except libcpb.CpbError as error:
                assert error.code == "DAMAGED"
    assert all(read) and len(read) == len(whole) - chunk.size
