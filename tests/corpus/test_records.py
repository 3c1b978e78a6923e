"""Riegeli's own files: `cpb records` reads what Riegeli reads, damaged or not."""

import hashlib

import pytest

from conftest import DATA, manifest
from support.odd_streams import lenient

GOOD = manifest("records.manifest.json")
CORRUPT = manifest("corrupt.manifest.json")


def expand(rows):
    """Manifest rows as (size, sha, chunk_begin, index), one a record."""
    out = []
    for size, sha, begin, index, *count in rows:
        out += [(size, sha, begin, index + k) for k in range(count[0] if count else 1)]
    return out


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
    assert got(records) == expand(entry["records"])


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

BASE_RECORDS = {name: expand(base["records"]) for name, base in CORRUPT["bases"].items()}


@pytest.fixture(scope="session")
def strict(cpb, tmp_path_factory):
    """Whether the command's libzstd checks where streams end, which that of the oracle did not.
    tests/verdicts.py holds what that makes of each file against what the system's makes of it."""
    return not lenient(cpb.run, tmp_path_factory.mktemp("zstd"))


def refused_for_a_stream(case, result, strict):
    """Zstd data was changed under a right hash, and a stream does not end where it should."""
    changed = "zstd" in case.get("base", "") and case["note"].endswith("hashes fixed up")
    return strict and changed and b"Zstd: the frame is damaged" in result.stderr + result.stdout


def cases():
    for number, case in enumerate(CORRUPT["cases"]):
        yield pytest.param(case, id=f"{case['base']}-{number}-{case['note'].replace(' ', '_')}")
    for case in CORRUPT["crafted"]:
        yield pytest.param(case, id=case["file"])


def damaged(case, tmp_path):
    if "file" in case:
        return DATA / case["file"]
    data = (DATA / CORRUPT["bases"][case["base"]]["file"]).read_bytes()
    for offset, cut, insert in case["ops"]:
        end = len(data) if cut < 0 else offset + cut
        data = data[:offset] + bytes.fromhex(insert) + data[end:]
    assert hashlib.sha256(data).hexdigest().startswith(case["sha256"])
    path = tmp_path / "damaged.riegeli"
    path.write_bytes(data)
    return path


def expected(case, rows):
    out = []
    for row in rows:
        if len(row) == 2:
            out += [r[:2] for r in BASE_RECORDS[case["base"]][row[0]:row[1] + 1]]
        elif len(row) == 5:
            out += [(row[0], row[1])] * row[4]
        else:
            out.append((row[0], row[1]))
    return out


@pytest.mark.parametrize("case", list(cases()))
def test_damaged_file(cpb, case, tmp_path, strict):
    path = damaged(case, tmp_path)
    records, _, status, result = cpb.records(path)
    plain = case["plain"]
    if plain["status"].startswith("CRASH"):
        assert result.returncode in (2, 4)
        return
    if plain["status"] == "OK" and refused_for_a_stream(case, result, strict):
        assert result.returncode == 2
        return
    assert [r[:2] for r in got(records)] == expected(case, plain["records"])
    if plain["status"] == "OK":
        assert result.returncode == 0 and status["status"] == "OK", result.stderr
        return
    wanted = 5 if plain["status"].startswith("UNIMPLEMENTED") else 2
    assert result.returncode in (wanted, 4), (status, plain["status"])
    assert status["status"] != "OK"
    message = result.stderr.decode()
    assert message.startswith(str(path)), message
    assert "byte" in message, message


@pytest.mark.parametrize("case", list(cases()))
def test_recovery(cpb, case, tmp_path, strict):
    if case["recovery"]["status"].startswith("CRASH"):
        return
    path = damaged(case, tmp_path)
    records, skipped, status, result = cpb.records(path, "--recover")
    recovery = case["recovery"]
    if not recovery["skipped"] and refused_for_a_stream(case, result, strict):
        assert len(skipped) == 1
        return
    assert [r[:2] for r in got(records)] == expected(case, recovery["records"])
    assert [[s["begin"], s["end"]] for s in skipped] == [s[:2] for s in recovery["skipped"]]
    assert all(s["reason"] for s in skipped)
    assert result.returncode == 0, result.stderr
