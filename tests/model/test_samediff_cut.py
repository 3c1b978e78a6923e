"""SameDiff files that were cut off: what can be read is shown, after one line that says where they end."""

import json
import struct
import zipfile

import pytest

from support.samediff import FOLDER, HostModel
from support.terminal import native, terminal

ZIPS = ["three_tags.zip", "all_stored.zip", "all_deflate.zip", "java_zip.zip", "descriptors.zip", "zip64.zip",
        "zip64_local.zip", "reversed_entries.zip", "all_shared.zip", "awkward_names.zip"]
POINTS = 24


class Whole:
    """A zip, where its entries end, and what is answered of it."""

    def __init__(self, cpb, name):
        self.cpb, self.path = cpb, FOLDER / name
        self.content = self.path.read_bytes()
        self.ends = dict(self.entries())
        self.tags = [t["tag"] for t in self.ask(self.path, "overview")["tags"]["items"]]
        self.answers = {(tag, question[0]): self.ask(self.path, *question)
                        for tag in self.tags for question in (("nodes", tag), ("constants", "--scope", tag))}

    def entries(self):
        with zipfile.ZipFile(self.path) as archive:
            for info in archive.infolist():
                name, extra = struct.unpack_from("<HH", self.content, info.header_offset + 26)
                end = info.header_offset + 30 + name + extra + info.compress_size
                yield info.filename.lower(), end + (16 if info.flag_bits & 8 else 0)

    def ask(self, path, *question):
        return json.loads(self.cpb.run("inspect", path, *question, "--json", "--count", "1000").stdout)

    def whole_at(self, size):
        return {name for name, end in self.ends.items() if end <= size}

    def cuts(self):
        ends = sorted(self.ends.values())
        spread = [len(self.content) * i // POINTS for i in range(1, POINTS)]
        return sorted({*spread, ends[0], ends[1], ends[len(ends) // 2] + 1, ends[-1] - 1, ends[-1], len(self.content) - 1})


@pytest.fixture(scope="module", params=ZIPS)
def whole(cpb, request):
    return Whole(cpb, request.param)


def damage_of(answer):
    return [problem for problem in answer["problems"] if problem.get("damage")]


def check_overview(whole, answer, there, size):
    first, = damage_of(answer)
    assert answer["problems"][0] == first and first["offset"] == size and answer["bytes"] == size
    assert "the zip archive ends here" in first["text"]
    assert f"{len(there)} {'entry is' if len(there) == 1 else 'entries are'} whole" in first["text"]
    graphs = [tag for tag in whole.tags if f"{tag}/graph.fb".lower() in there]
    tags = {t["tag"].lower(): t for t in answer["tags"]["items"]}
    assert tags.keys() == {tag.lower() for tag in whole.tags} if "tags.txt" in there else tags.keys() >= {
        tag.lower() for tag in graphs}
    for name, tag in tags.items():
        assert (tag["graph_bytes"] is not None) == (f"{name}/graph.fb" in there)
        assert tag["parameters"]["files"] == len([e for e in there if e.startswith(f"{name}/params/")])
    assert (answer["graph"] is not None) == (len(graphs) > 0)
    if graphs and "tags.txt" in there:
        assert answer["default_tag"] == graphs[-1] and answer["graph"]["tag"] == graphs[-1]


def check_constants(whole, tag, answer, there):
    """Each parameter whose file is whole is told as it was; of the others it is said that it is not."""
    before = {p["node"]: p for p in whole.answers[tag, "constants"]["constants"]["items"]}
    items = answer["constants"]["items"]
    if f"{tag}/params.txt".lower() not in there:
        assert not items and any("params.txt is missing" in p["text"] for p in answer["problems"])
        return
    assert {p["node"] for p in items} == before.keys()
    lacking = 0
    for item in items:
        then = before[item["node"]]
        if then["entry"].lower() in there:
            assert {**item, "of_other_tag": None} == {**then, "of_other_tag": None}
            continue
        lacking += 1
        assert item["entry"] is None or item["cut"]
        assert {key: item[key] for key in ("node", "is", "dtype", "shape", "reference")} == {
            key: then[key] for key in ("node", "is", "dtype", "shape", "reference")}
    assert any(f"names {len(items)} files: " in p["text"] for p in answer["problems"]) == (lacking > 0)


def test_all_that_precedes_a_cut_is_shown(cpb, whole, tmp_path):
    path = tmp_path / whole.path.name
    for size in whole.cuts():
        path.write_bytes(whole.content[:size])
        there = whole.whole_at(size)
        result = cpb.run("inspect", path, "--json", "--count", "1000")
        if "tags.txt" not in there and not any(name.endswith("/graph.fb") for name in there):
            assert result.returncode in (1, 2), size
            continue
        assert result.returncode == 1 and f"byte {size}: " in result.stderr.decode().splitlines()[0].lower()
        check_overview(whole, json.loads(result.stdout), there, size)
        for tag in whole.tags:
            if f"{tag}/graph.fb".lower() not in there or "tags.txt" not in there:
                continue
            nodes = whole.ask(path, "nodes", tag)
            assert nodes["nodes"] == whole.answers[tag, "nodes"]["nodes"] and len(damage_of(nodes)) == 1
            check_constants(whole, tag, whole.ask(path, "constants", "--scope", tag), there)


def test_values_of_whole_files_are_read_and_no_others(cpb, whole, tmp_path):
    path = tmp_path / whole.path.name
    tag = whole.tags[0]
    for size in whole.cuts()[::5]:
        path.write_bytes(whole.content[:size])
        there = whole.whole_at(size)
        if "tags.txt" not in there or f"{tag}/params.txt".lower() not in there:
            continue
        for item in whole.answers[tag, "constants"]["constants"]["items"]:
            result = cpb.run("extract", "-q", "--raw", "--scope", tag, "--", path, item["node"])
            if item["entry"].lower() in there:
                assert result.returncode == 0, result.stderr
                assert result.stdout == cpb.ok("extract", "-q", "--raw", "--scope", tag, "--", whole.path, item["node"])
            else:
                assert result.returncode == 2 and b"ends before" in result.stderr


def test_the_answer_is_the_same_from_pieces(cpb, whole, tmp_path):
    path = tmp_path / whole.path.name
    size = len(whole.content) * 2 // 3
    path.write_bytes(whole.content[:size])
    assert HostModel(cpb, path, 7).ask("overview")[0] == HostModel(cpb, path).ask("overview")[0]


def test_only_headers_of_a_large_file_are_read(cpb, tmp_path):
    """Of 64 arrays of 1 MiB, each of which has one request of 4 KiB."""
    content = bytearray((FOLDER / "all_stored.zip").read_bytes())
    with zipfile.ZipFile(FOLDER / "all_stored.zip") as archive:
        end = max(info.header_offset for info in archive.infolist())
    del content[end:]
    for i in range(64):
        name = b"unknown/%d" % i
        content += struct.pack("<4s5H3I2H", b"PK\3\4", 20, 0, 0, 0, 33, 0, 1 << 20, 1 << 20, len(name), 0) + name
        content += bytes(1 << 20)
    path = tmp_path / "large.zip"
    path.write_bytes(content)
    answer, _, requests, size = HostModel(cpb, path).ask("overview")
    assert "105 entries are whole" in answer["problems"][0]["text"]
    assert requests <= 70 and size <= 1 << 20


def test_the_summary_and_lists_say_what_is_missing(cpb, tmp_path):
    path = tmp_path / "cut.zip"
    path.write_bytes((FOLDER / "three_tags.zip").read_bytes()[:4500])
    lines = cpb.run("inspect", "--tsv", path).stdout.decode().splitlines()
    assert "tag\tint8-quant\tmissing\t0\t0\t" in lines
    assert "constant\tconst/table\tf32[3,4]\tcut off\t" in lines and "constant\tw1\tf32[6,3]\tmissing\t" in lines
    lines = cpb.run("inspect", "--tsv", path, "constants", "--scope", "FP32").stdout.decode().splitlines()
    assert "w1\tf32[6,3]\tmissing\tweight\t\t\t" in lines


@native
@pytest.mark.parametrize("question", [[], ["nodes"]])
def test_on_a_terminal_numbers_have_separators(cpb, tmp_path, question):
    """But those in names; to a program they have none."""
    path = tmp_path / "cut.zip"
    content = (FOLDER / "all_stored.zip").read_bytes()
    name = struct.pack("<4s5H3I2H", b"PK\3\4", 20, 0, 0, 0, 33, 0, 54321, 54321, 12, 0) + b"x/12345.more"
    path.write_bytes(content[:content.index(b"PK\1\2")] + name)
    size = path.stat().st_size
    _, text = terminal([*cpb.command, "inspect", path, *question], columns=400)
    told = f"byte {size:,}: the zip archive ends here, within x/12345.more, at least 54,321 bytes too early"
    assert told in text
    result = cpb.run("inspect", "--tsv", path, *question)
    assert told.replace(",", "").replace("here ", "here, ").replace("more ", "more, ").encode() in result.stderr


@native
def test_errors_on_a_terminal_have_separators(cpb, tmp_path):
    path = tmp_path / "cut.zip"
    path.write_bytes((FOLDER / "reversed_entries.zip").read_bytes()[:1500])
    assert "cut.zip: byte 1,500: zip: no end" in terminal([*cpb.command, "inspect", path], columns=400)[1]
    assert b"cut.zip: byte 1500: zip: no end" in cpb.run("inspect", "--tsv", path).stderr


@pytest.mark.parametrize("command", [["tag", "parts.json"], ["tag", "parts.json", "-o", "new.zip"]])
def test_nothing_is_added_to_a_damaged_file(cpb, tmp_path, command):
    content = (FOLDER / "three_tags.zip").read_bytes()[:9000]
    (tmp_path / "model.zip").write_bytes(content)
    (tmp_path / "parts.json").write_text(json.dumps({"tags": [{"tag": "new", "graph": str(FOLDER / "linear.fb"), "parameters": {}}]}))
    result = cpb.run(*[tmp_path / word if word == "parts.json" else word for word in command[:2]], tmp_path / "model.zip",
                     *[tmp_path / word if word == "new.zip" else word for word in command[2:]])
    assert result.returncode == 2 and b"no end of central directory" in result.stderr, result.stderr
    assert (tmp_path / "model.zip").read_bytes() == content and not (tmp_path / "new.zip").exists()


@pytest.mark.parametrize("part", [0.3, 0.6, 0.9])
def test_an_error_says_where_a_graph_file_ends(cpb, tmp_path, part):
    whole = (FOLDER / "cnn.fb").read_bytes()
    size = int(len(whole) * part)
    path = tmp_path / "cnn.fb"
    path.write_bytes(whole[:size])
    result = cpb.run("inspect", path)
    assert f"of the buffer, which has {size})" in (result.stderr or result.stdout).decode()
