"""Riegeli's own files: `cpb records` reads what Riegeli reads, damaged or not."""

import hashlib

import pytest

from conftest import DATA
from support.corpus import DAMAGED, GOOD, damaged_bytes, expected_records
from support.odd_streams import lenient


def got(records):
    for r in records:
        assert r["position"] == r["chunk_begin"] + r["index"]
    return [(r["size"], r["sha256"][:32], r["chunk_begin"], r["index"]) for r in records]


@pytest.mark.parametrize("entry", GOOD, ids=lambda e: e["file"])
def test_good_file(cpb, entry):
    records, skipped, status, result = cpb.records(DATA / entry["file"])
    assert result.returncode == 0, result.stderr
    assert status["status"] == "OK"
    assert skipped == []
    assert got(records) == expected_records(entry["records"])


@pytest.mark.parametrize("entry", [e for e in GOOD if e.get("seeks")], ids=lambda e: e["file"])
def test_seek_by_position(cpb, entry):
    """A record position need not be exact; each gives the record that Riegeli's Seek gives."""
    for asked, ok, begin, index, sha, status in entry["seeks"]:
        result = cpb.run("cat", DATA / entry["file"], "--position", asked)
        if sha is None:
            assert result.returncode != 0 and result.stdout == b"", asked
        else:
            assert result.returncode == 0, (asked, result.stderr)
            assert hashlib.sha256(result.stdout).hexdigest()[:32] == sha, asked


@pytest.mark.parametrize(
    "entry", [e for e in GOOD if (e.get("metadata") or {}).get("hex")], ids=lambda e: e["file"])
def test_file_metadata(cpb, entry):
    assert cpb.ok("records", DATA / entry["file"], "--metadata") == bytes.fromhex(entry["metadata"]["hex"])


# --- Damaged files -----------------------------------------------------------

@pytest.fixture(scope="session")
def strict(cpb, tmp_path_factory):
    """Whether the command's libzstd checks where streams end, which that of the oracle did not.
    tests/verdicts.py holds what that makes of each file against what the system's makes of it."""
    return not lenient(cpb.run, tmp_path_factory.mktemp("zstd"))


def refused_for_a_stream(case, result, strict):
    """Zstd data was changed under a right hash, and a stream does not end where it should."""
    return strict and case["strict"] and b"Zstd: the frame is damaged" in result.stderr + result.stdout


@pytest.fixture(name="path")
def damaged_file(case, tmp_path):
    if "file" in case:
        return DATA / case["file"]
    path = tmp_path / "damaged.riegeli"
    path.write_bytes(damaged_bytes(case))
    return path


@pytest.mark.parametrize("case", DAMAGED, ids=lambda case: case["id"])
def test_damaged_file(cpb, case, path, strict):
    records, _, status, result = cpb.records(path)
    plain = case["plain"]
    if plain["status"].startswith("CRASH"):
        assert result.returncode in (2, 4)
        return
    if plain["status"] == "OK" and refused_for_a_stream(case, result, strict):
        assert result.returncode == 2
        return
    assert [r[:2] for r in got(records)] == case["plain_records"]
    if plain["status"] == "OK":
        assert result.returncode == 0 and status["status"] == "OK", result.stderr
        return
    wanted = 5 if plain["status"].startswith("UNIMPLEMENTED") else 2
    assert result.returncode in (wanted, 4), (status, plain["status"])
    assert status["status"] != "OK"
    message = result.stderr.decode()
    assert message.startswith(str(path)), message
    assert "byte" in message, message


@pytest.mark.parametrize("case", DAMAGED, ids=lambda case: case["id"])
def test_recovery(cpb, case, path, strict):
    if case["recovery"]["status"].startswith("CRASH"):
        return
    records, skipped, status, result = cpb.records(path, "--recover")
    recovery = case["recovery"]
    if not recovery["skipped"] and refused_for_a_stream(case, result, strict):
        assert len(skipped) == 1
        return
    assert [r[:2] for r in got(records)] == case["recovery_records"]
    assert [[s["begin"], s["end"]] for s in skipped] == [s[:2] for s in recovery["skipped"]]
    assert all(s["reason"] for s in skipped)
    assert result.returncode == 0, result.stderr
