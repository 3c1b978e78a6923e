"""docs/python.md: its examples run, one after the other; and the site's reference, made from the docstrings."""

import os
import pathlib
import re
import subprocess
import sys

import libcpb

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/python.md").read_text()


def test_the_tutorial_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    libcpb.merge(ROOT / "tests/data/cpb/real_tf_module/max3000_zstd.cpb", "saved_model.pb")
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S)
    assert len(blocks) >= 6
    names = {}
    for block in blocks:
        exec(compile(block, "docs/python.md", "exec"), names)


def test_everything_is_in_the_reference():
    result = subprocess.run([sys.executable, ROOT / "tools/python_reference.py"], env=dict(os.environ),
                            capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    for name in libcpb.__all__:
        assert name == "__version__" or f"\n## `{name}`\n" in result.stdout, name
