"""Riegeli's own files and what is damaged of them, with what Riegeli reads of each, as data."""

import hashlib

from conftest import DATA, manifest

GOOD = manifest("records.manifest.json")
_CORRUPT = manifest("corrupt.manifest.json")
BASES = _CORRUPT["bases"]


def expected_records(rows):
    """Rows of a manifest as (size, sha, chunk_begin, index), one a record."""
    out = []
    for size, sha, begin, index, *count in rows:
        out += [(size, sha, begin, index + k) for k in range(count[0] if count else 1)]
    return out


def damaged_bytes(case):
    if "file" in case:
        return (DATA / case["file"]).read_bytes()
    data = (DATA / BASES[case["base"]]["file"]).read_bytes()
    for offset, cut, insert in case["ops"]:
        end = len(data) if cut < 0 else offset + cut
        data = data[:offset] + bytes.fromhex(insert) + data[end:]
    assert hashlib.sha256(data).hexdigest().startswith(case["sha256"])
    return data


def _records(case, rows):
    out = []
    for row in rows:
        if len(row) == 2:
            out += [r[:2] for r in expected_records(BASES[case["base"]]["records"])[row[0]:row[1] + 1]]
        else:
            out += [(row[0], row[1])] * (row[4] if len(row) == 5 else 1)
    return out


def _damaged():
    """`strict`: the codec's library decides, by its version, whether it is damaged."""
    for number, case in enumerate(_CORRUPT["cases"] + _CORRUPT["crafted"]):
        name = case.get("file") or f"{case['base']}-{number}-{case['note'].replace(' ', '_')}"
        crashes = case["plain"]["status"].startswith("CRASH")
        yield {**case,
               "id": name,
               "strict": "zstd" in case.get("base", "") and case["note"].endswith("hashes fixed up"),
               "recovery_records": [] if case["recovery"]["status"].startswith("CRASH") else _records(case, case["recovery"]["records"]),
               "plain_records": [] if crashes else _records(case, case["plain"]["records"]),
               "skipped": [] if crashes else case["recovery"].get("skipped")}


DAMAGED = list(_damaged())
