"""ArrayRecord files, which are Riegeli files with a footer, from the PyPI package."""

import pytest
from array_record.python import array_record_module

OPTIONS = ["group_size:1,uncompressed", "group_size:10,brotli:6", "group_size:100,zstd:3", "group_size:7,snappy",
           "group_size:5,transpose:true,zstd:3"]


@pytest.mark.parametrize("options", OPTIONS)
def test_we_read_what_it_writes(cpb, options, tmp_path):
    path = tmp_path / "x.array_record"
    wanted = [bytes([i % 251]) * (i * 37 % 900) for i in range(300)]
    writer = array_record_module.ArrayRecordWriter(str(path), options)
    for record in wanted:
        writer.write(record)
    writer.close()
    records, skipped, status, _ = cpb.records(path)
    assert status["status"] == "OK" and not skipped
    import hashlib
    hashes = [hashlib.sha256(r).hexdigest() for r in wanted]
    assert [r["sha256"] for r in records][:len(hashes)] == hashes
