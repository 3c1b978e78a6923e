"""Texts and archives that mean harm: work grows with them and no faster, or is refused."""

import io
import zipfile

import pytest

from complexity.counting import check, work

NODE = "node {{ name: 'n{}' op: 'NoOp' attr {{ key: 'x' value {{ i: {} }} }} }}\n"


def zipped(files, method=zipfile.ZIP_STORED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return out.getvalue()


FAMILIES = {
    "nodes": lambda n: "".join(NODE.format(i, i) for i in range(n)),
    "one_name": lambda n: "node { name: " + "'a' " * n + "op: 'NoOp' }",
    "escapes": lambda n: "node { op: 'NoOp' name: '" + "\\101" * n + "' }",
    "a_packed_list": lambda n: "node { op: 'NoOp' attr { key: 'x' value { list { i: [" + "1," * n + "1] } } } }",
    "a_list_in_turns": lambda n: "node { op: 'NoOp' attr { key: 'x' value { list { " + "i: 1 b: t " * n + "} } } }",
    "comments": lambda n: NODE.format(1, 1) + "# nothing\n" * n,
    "entries": lambda n: zipped([(f"f/{i}", b"") for i in range(n)] + [("m.pbtxt", NODE.format(1, 1))]),
    "entries_in_a_deep_folder": lambda n: zipped([("d/" * 100 + str(i), b"") for i in range(n // 20)] + [("m.pbtxt", "node { op: 'NoOp' }")]),
    "models": lambda n: zipped([(f"{i}.onnx", b"") for i in range(n)]),
    "compressed": lambda n: zipped([("m.pbtxt", NODE.format(1, 1) + "#" * 100 * n)], zipfile.ZIP_DEFLATED),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_work_is_linear_or_refused(cpb, tmp_path, family):
    def measure(times):
        content = FAMILIES[family](20_000 * times)
        path = tmp_path / (f"{times}.zip" if isinstance(content, bytes) else f"{times}.pbtxt")
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        counts = work(cpb, "inspect", path, "nodes", "--json")
        seen = counts if isinstance(counts, str) else counts["walked"] + counts["decoded"] + 100 * counts["entries"]
        assert isinstance(seen, str) or seen >= path.stat().st_size / 2 or family == "models", "what is read is counted"
        return counts

    check(measure)
