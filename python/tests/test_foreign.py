"""What a file is that is no model (tests/data/foreign.json), as the package says it."""

import base64
import io
import json
import pathlib

import pytest

import libcpb

DATA = pathlib.Path(__file__).resolve().parents[2] / "tests/data"
CASES = json.loads((DATA / "foreign.json").read_text())


def content(case):
    if "file" in case:
        return (DATA / case["file"]).read_bytes()
    return case["text"].encode() if "text" in case else base64.b64decode(case["base64"])


@pytest.mark.parametrize("case", CASES, ids=[f"{case['is']}-{case['name']}" for case in CASES])
def test_a_file_is_called_what_it_is(tmp_path, case):
    path = tmp_path / case["name"]
    path.write_bytes(content(case))
    file = io.BytesIO(content(case))
    file.name = str(path)
    for source in path, file:
        with pytest.raises(libcpb.CpbError) as raised:
            libcpb.open_model(source)
        assert raised.value.code == "FORMAT"
        assert str(raised.value).startswith(f"{path}: {case['says']}")
