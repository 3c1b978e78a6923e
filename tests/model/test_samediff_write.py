"""`cpb tag`: SameDiff zips from parts. What is written is read back by us and, as the oracle, by Python."""

import json
import os
import shutil
import struct
import subprocess
import zipfile

import numpy as np
import pytest
from flatbuffers import number_types

from conftest import DATA
from support.samediff import FILES, FOLDER, Model
from support.samediff_zip import Table, Zip, at_field, root, vector

ZIPS = [f for f in FILES if f["expect"] == "ok" and f["kind"] == "proposal_zip"]
GRAPH = zipfile.ZipFile(FOLDER / "three_tags.zip").read("int8-quant/graph.fb")
VALUES = {"&MyParam*": np.arange(6, dtype="<f4").reshape(1, 6), "my/param/name": np.arange(24, dtype="i1").reshape(4, 6),
          "scale": np.array(0.5, "<f4")}


def run(cpb, folder, parts, *words):
    """The parts as a list in a file."""
    (folder / "parts.json").write_text(json.dumps(parts))
    return cpb.run("tag", "-q", folder / "parts.json", *words)


def make(cpb, folder, tags, *words, **options):
    result = run(cpb, folder, {"tags": tags, **options}, *words)
    assert result.returncode == 0, result.stderr.decode()
    return result


def fails(cpb, folder, tags, expected, *words, code=1):
    result = run(cpb, folder, {"tags": tags}, *(words or ["-o", folder / "none.zip"]))
    assert result.returncode == code and expected in result.stderr.decode(), result.stderr.decode()
    assert len(result.stderr.splitlines()) == 1 and not (folder / "none.zip").exists()


def save(folder, name, values):
    np.save(folder / name, values)
    return name


@pytest.fixture
def small(tmp_path):
    """A tag in a few files."""
    (tmp_path / "graph.fb").write_bytes(GRAPH)
    names = {n: save(tmp_path, f"{i}.npy", v) for i, (n, v) in enumerate(VALUES.items())}
    return {"tag": "A", "graph": "graph.fb", "parameters": names}


def check_sound(path):
    """By Python's zipfile, and unzip where it is."""
    archive = zipfile.ZipFile(path)
    assert archive.testzip() is None
    assert len(set(archive.namelist())) == len(archive.namelist())
    if shutil.which("unzip"):
        subprocess.run(["unzip", "-tq", path], check=True, stdout=subprocess.DEVNULL)


# --- The corpus once more ------------------------------------------------------------


class Original:
    """A zip taken apart: its parts in a folder, and the list of them."""

    def __init__(self, folder, case):
        self.folder, self.truth = folder, case["truth"]
        self.zip = Zip(FOLDER / case["file"])
        self.owners = {}
        self.tags = [self.tag(tag, fact) for tag, fact in self.truth["tag_contents"].items()]

    def put(self, content, ending):
        name = f"part{len(list(self.folder.iterdir()))}{ending}"
        (self.folder / name).write_bytes(content)
        return name

    def array(self, file):
        array = self.zip.array(file)
        values = array.values()
        if values is not None and values.dtype.kind != "V" and not (array.empty and not array.shape):
            name = f"part{len(list(self.folder.iterdir()))}.npy"
            return save(self.folder, name, np.asarray(values, order="F" if array.order == "f" else "C"))
        return {"raw": self.put(array.raw, ".raw"), "dtype": array.dtype, "shape": array.shape, "order": array.order,
                "big_endian": True, "empty": array.empty}

    def source(self, tag, name, state, fact):
        """The first that uses a file has it, the others share it."""
        owner = self.owners.setdefault(fact["entry"], {"tag": tag, "name": name, **({"state": state} if state else {})})
        if owner["tag"] != tag or owner["name"] != name or owner.get("state", 0) != state:
            return owner
        if fact.get("kind"):
            return {"file": self.put(self.zip.zip.read(fact["entry"]), ".fb"), "kind": fact["kind"]}
        return self.array(fact["entry"])

    def tag(self, tag, fact):
        config = self.zip.training(tag)
        maps = {name: {"file": self.put(self.zip.zip.read(file), ".fb")}
                for name, file in ((n, self.zip.file(tag, "params_maps", f)) for n, f in self.zip.lines(tag, "params_maps.txt"))}
        return {
            "tag": tag, "graph": self.put(self.zip.zip.read(self.zip.path(tag, "graph.fb")), ".fb"), "maps": maps,
            **({"training_config": self.put(json.dumps(config).encode(), ".json")} if config else {}),
            "parameters": {p["name"]: self.source(tag, p["name"], 0, p) for p in fact["params"]},
            "updater_state": {u["param"]: [self.source(tag, u["param"], i + 1, s) for i, s in enumerate(u["states"])]
                              for u in fact["updater"]}}


WHERE = {"reference", "of_other_tag", "entry", "size", "compressed", "compressed_bytes", "offset"}


def without_places(answer):
    """An answer, but for where things are in the file."""
    if isinstance(answer, dict):
        return {k: without_places(v) for k, v in answer.items() if k not in WHERE}
    return [without_places(v) for v in answer] if isinstance(answer, list) else answer


@pytest.mark.parametrize("case", ZIPS, ids=[c["file"] for c in ZIPS])
def test_a_zip_made_from_the_parts_of_another_says_the_same(cpb, tmp_path, case):
    folder = tmp_path / "parts"
    folder.mkdir()
    original = Original(folder, case)
    path = tmp_path / "copy.zip"
    make(cpb, folder, original.tags, "-o", path, deflate=len(case["file"]) % 2 == 0)
    check_sound(path)
    ours, theirs = Model(cpb, path), Model(cpb, case["file"])
    assert Zip(path).tags == original.zip.tags
    for tag, fact in original.truth["tag_contents"].items():
        assert without_places(ours.ask("tag", name=tag)) == without_places(theirs.ask("tag", name=tag))
        answer = ours.ask("tag", name=tag)
        pairs = [(p["entry"], q["entry"]) for p, q in zip(answer["constants"]["items"], fact["params"], strict=True)
                 if not q.get("kind")]
        pairs += [(s["entry"], t["entry"]) for u, v in zip(answer["updater_state"]["items"], fact["updater"], strict=True)
                  for s, t in zip(u["states"], v["states"], strict=True)]
        for mine, other in pairs:
            a, b = Zip(path).array(mine), original.zip.array(other)
            assert a.facts() == b.facts() and a.raw == b.raw
        for p in fact["params"]:
            if not p.get("kind"):
                assert ours.bytes(p["name"], tag, 0, "--raw") == theirs.bytes(p["name"], tag, 0, "--raw")


# --- What is written -------------------------------------------------------------------


def test_extracted_arrays_are_those_that_were_given(cpb, tmp_path, small):
    make(cpb, tmp_path, [small], "-o", tmp_path / "m.zip")
    check_sound(tmp_path / "m.zip")
    oracle = Zip(tmp_path / "m.zip")
    for name, values in VALUES.items():
        array = oracle.array(oracle.parameters("A")[name])
        assert np.array_equal(array.values(), values) and array.values().dtype.kind == values.dtype.kind
        assert Model(cpb, tmp_path / "m.zip").bytes(name) == (tmp_path / small["parameters"][name]).read_bytes()


def test_the_same_parts_make_the_same_bytes(cpb, tmp_path, small):
    for name in ("m.zip", "n.zip"):
        make(cpb, tmp_path, [small], "-o", tmp_path / name)
    assert (tmp_path / "m.zip").read_bytes() == (tmp_path / "n.zip").read_bytes()
    assert all(i.date_time == (1980, 1, 1, 0, 0, 0) for i in zipfile.ZipFile(tmp_path / "m.zip").infolist())


def test_stored_values_begin_at_a_multiple_of_64(cpb, tmp_path, small):
    path = tmp_path / "m.zip"
    make(cpb, tmp_path, [small], "-o", path)
    for item in Model(cpb, path).ask("constants")["constants"]["items"]:
        array = Model(cpb, path).ask("constants", name=item["node"])["constants"]["items"][0]["array"]
        assert not item["compressed"] and array["offset"] % 64 == 0
        begin = path.read_bytes()[array["offset"]:][:array["bytes"]]
        assert begin == VALUES[item["node"]].astype(VALUES[item["node"]].dtype.newbyteorder(">")).tobytes()


def test_every_kind_of_npy_is_taken(cpb, tmp_path):
    """In a graph that knows none of the names."""
    kinds = ["?", "<f2", ">f2", "<f4", ">f4", "<f8", "i1", "<i2", "<i4", ">i8", "u1", "<u2", ">u4", "<u8"]
    arrays = {f"n{i}": np.arange(24).reshape(2, 3, 4).astype(k) for i, k in enumerate(kinds)}
    arrays |= {"f": np.asfortranarray(np.arange(6.0).reshape(2, 3)), "none": np.zeros((0, 3), "<i4"), "one": np.array(7)}
    empty_graph(tmp_path)
    names = {n: save(tmp_path, f"{n}.npy", v) for n, v in arrays.items()}
    with open(tmp_path / "v3.npy", "wb") as file:
        np.lib.format.write_array(file, np.arange(5), version=(3, 0))
    names["v3"], arrays["v3"] = "v3.npy", np.arange(5)
    for deflate in (False, True):
        make(cpb, tmp_path, [{"tag": "A", "graph": "empty.fb", "parameters": names}], "-f", "-o", tmp_path / "m.zip",
             deflate=deflate)
        oracle = Zip(tmp_path / "m.zip")
        for name, values in arrays.items():
            assert np.array_equal(oracle.array(oracle.parameters("A")[name]).values(), values), name
            assert (tmp_path / "out.npy").write_bytes(Model(cpb, tmp_path / "m.zip").bytes(name)) > 0
            assert np.array_equal(np.load(tmp_path / "out.npy"), values)


def empty_graph(folder):
    from support.samediff_graphs import with_arrays
    (folder / "empty.fb").write_bytes(with_arrays(0, 0))


def test_a_large_array_comes_through_in_pieces(cpb, tmp_path):
    values = np.random.default_rng(1).standard_normal(3_000_001).astype("<f4")
    empty_graph(tmp_path)
    tag = {"tag": "A", "graph": "empty.fb", "parameters": {"w": save(tmp_path, "w.npy", values)}}
    for deflate in (False, True):
        make(cpb, tmp_path, [tag], "-f", "-o", tmp_path / "m.zip", "--memory-limit", "4M", deflate=deflate)
        check_sound(tmp_path / "m.zip")
        assert np.array_equal(Zip(tmp_path / "m.zip").array("A/params/0.fb").values(), values)


def test_graph_files_and_zips_are_sources(cpb, tmp_path):
    """An ND4J graph file, whose arrays are in it, with its updater's state."""
    from support.samediff_graphs import with_arrays
    model = Model(cpb, "mlp_adam.fb")
    (tmp_path / "empty.fb").write_bytes(with_arrays(0, 0))
    names = [c["node"] for c in model.ask("tag")["constants"]["items"]]
    source = {"from": str(FOLDER / "mlp_adam.fb")}
    make(cpb, tmp_path, [{"tag": "A", "graph": str(FOLDER / "mlp_adam.fb"), "parameters": {n: source for n in names},
                          "updater_state": {names[1]: [source | {"state": 1}, source | {"state": 2}]}}],
         "-o", tmp_path / "m.zip")
    make(cpb, tmp_path, [{"tag": "B", "graph": "empty.fb", "parameters": {
        "other": {"from": "m.zip", "tag": "A", "name": names[0]}}}], tmp_path / "m.zip")
    ours = Model(cpb, tmp_path / "m.zip")
    for name in names:
        assert ours.bytes(name, "A") == model.bytes(name)
    assert [ours.bytes(names[1], "A", s) for s in (1, 2)] == [model.bytes(names[1], None, s) for s in (1, 2)]
    assert ours.bytes("other", "B") == model.bytes(names[0])


GRAPHS = [f for f in FILES if f["expect"] == "ok" and f["kind"] == "flatgraph" and f["file"] != "no_arrays_a.fb"]


def names_in(graph):
    """Of variables and nodes, and which variables have a shape and an array."""
    def tables(number):
        field = at_field(top, number)
        at = top.Vector(field) if field else 0
        return [Table(top.Bytes, top.Indirect(at + 4 * i)) for i in range(top.VectorLen(field) if field else 0)]

    top = root(bytearray(graph))
    variables = [(v.String(v.Pos + at_field(v, 1)), vector(v, 3, number_types.Int64Flags), at_field(v, 4)) for v in tables(1)]
    return variables, [n.String(n.Pos + at_field(n, 1)) for n in tables(2)]


@pytest.mark.parametrize("case", GRAPHS, ids=[c["file"] for c in GRAPHS])
def test_a_graph_that_nd4j_saved_goes_without_its_arrays(cpb, tmp_path, case):
    """All that it says of itself is the same in the zip; its arrays are parameters."""
    path, theirs = FOLDER / case["file"], Model(cpb, case["file"])
    before = theirs.ask("tag")
    names = [c["node"] for c in before["constants"]["items"]]
    states = {u["parameter"]: [{"from": str(path), "state": i + 1} for i in range(len(u["states"]))]
              for u in before["updater_state"]["items"]}
    make(cpb, tmp_path, [{"tag": "A", "graph": str(path), "parameters": {n: {"from": str(path)} for n in names},
                          "updater_state": states}], "-o", tmp_path / "m.zip")
    ours, oracle = Model(cpb, tmp_path / "m.zip"), Zip(tmp_path / "m.zip")
    after = ours.ask("tag")
    same = ["graph_id", "configuration", "placeholders", "loss_variables", "nodes", "training_config"]
    assert [without_places(after[k]) for k in same] == [without_places(before[k]) for k in same]
    assert [v | {"array": None} for v in before["variables"]["items"]] == after["variables"]["items"]
    variables, nodes = names_in(oracle.zip.read("A/graph.fb"))
    old_variables, old_nodes = names_in(path.read_bytes())
    assert nodes == old_nodes and [v[0] for v in variables] == [v[0] for v in old_variables]
    assert not any(array for _, _, array in variables)
    for item in before["variables"]["items"]:
        if item["array"]:
            assert (item["name"].encode(), item["array"]["shape"], 0) in variables
            assert ours.bytes(item["name"], "A", 0, "--raw") == theirs.bytes(item["name"], None, 0, "--raw")


def test_a_constant_of_a_saved_model_is_a_source(cpb, tmp_path):
    model = DATA / "cpb" / "real_tf_module" / "orig.pb"
    empty_graph(tmp_path)
    make(cpb, tmp_path, [{"tag": "A", "graph": "empty.fb", "parameters": {"w": {"from": str(model), "name": "Const_1"}}}],
         "-o", tmp_path / "m.zip")
    assert Model(cpb, tmp_path / "m.zip").bytes("w") == cpb.ok("extract", model, "Const_1", "-o", "-")


# --- Sharing ------------------------------------------------------------------------------


def tag_after(small, name, **parts):
    """A second tag, which shares all parameters with the first."""
    shared = {n: {"tag": "a"} for n in small["parameters"]}
    return {"tag": name, "graph": small["graph"], "parameters": shared | parts}


@pytest.mark.parametrize("way", ["at once", "in place", "beside"])
def test_tags_share_parameters_and_states(cpb, tmp_path, small, way):
    small["updater_state"] = {"scale": [small["parameters"]["scale"], "1.npy"]}
    second = tag_after(small, "B")
    second["updater_state"] = {"scale": [{"tag": "A", "state": 2}], "&MyParam*": [{"tag": "A", "name": "scale"}]}
    third = tag_after(small, "C", scale={"tag": "B"})
    path = tmp_path / "m.zip"
    if way == "at once":
        make(cpb, tmp_path, [small, second, third], "-o", path)
    else:
        options = ["-o", path, "-f"] if way == "beside" else []
        make(cpb, tmp_path, [small], "-o", path)
        make(cpb, tmp_path, [second], path, *options)
        make(cpb, tmp_path, [third], path, *options)
    check_sound(path)
    oracle = Zip(path)
    assert oracle.tags == ["A", "B", "C"]
    assert oracle.parameters("B") == oracle.parameters("C") == oracle.parameters("A")
    assert oracle.states("B") == {"scale": ["A/updater/1.fb"], "&MyParam*": ["A/updater/0.fb"]}
    assert sum(n.endswith(".fb") for n in oracle.zip.namelist()) == 3 + 3 + 2
    answer = Model(cpb, path).ask("tag", name="C")
    assert all(c["of_other_tag"] and c["entry"].startswith("A/params/") for c in answer["constants"]["items"])


def test_tags_may_share_what_comes_later(cpb, tmp_path, small):
    first = small | {"parameters": small["parameters"] | {"scale": {"tag": "B"}}}
    second = tag_after(small, "B", scale=small["parameters"]["scale"])
    make(cpb, tmp_path, [first, second], "-o", tmp_path / "m.zip")
    assert Zip(tmp_path / "m.zip").text("A/params.txt").splitlines()[-1] == "scale B/0"
    first["parameters"]["scale"] = {"tag": "B"}
    second["parameters"]["scale"] = {"tag": "A"}
    fails(cpb, tmp_path, [first, second], "in a circle")
    second["parameters"]["scale"] = {"tag": "b"}
    fails(cpb, tmp_path, [first, second], "in a circle")


def test_values_that_are_no_arrays_are_taken_as_they_are(cpb, tmp_path, small):
    (tmp_path / "map").write_bytes(b"anything")
    small["parameters"]["map"] = {"file": "map", "kind": "MAP"}
    small["maps"] = {"dictionary": {"file": "map"}}
    second = tag_after(small, "B", map={"tag": "A"}) | {"maps": {"again": {"tag": "A", "name": "dictionary"}}}
    make(cpb, tmp_path, [small], "-o", tmp_path / "m.zip")
    make(cpb, tmp_path, [second], tmp_path / "m.zip")
    oracle = Zip(tmp_path / "m.zip")
    assert oracle.text("A/params.txt").splitlines()[-1] == "map 3 MAP"
    assert oracle.text("B/params.txt").splitlines()[-1] == "map A/3 MAP"
    assert oracle.text("B/params_maps.txt") == "again A/0\n"
    assert oracle.zip.read("A/params/3.fb") == oracle.zip.read("A/params_maps/0.fb") == b"anything"


# --- Adding to a file -----------------------------------------------------------------------


def test_nothing_that_is_there_is_written_again(cpb, tmp_path, small):
    path = tmp_path / "m.zip"
    make(cpb, tmp_path, [small], "-o", path)
    before = path.read_bytes()
    make(cpb, tmp_path, [small | {"tag": "B"}], path)
    assert path.read_bytes()[:len(before)] == before
    assert Zip(path).tags == ["A", "B"]


@pytest.mark.parametrize("case", ZIPS, ids=[c["file"] for c in ZIPS])
def test_any_zip_is_added_to(cpb, tmp_path, small, case):
    """Those of other writers, with comments, Zip64 fields and data descriptors; the rest stays."""
    path = tmp_path / "m.zip"
    shutil.copy(FOLDER / case["file"], path)
    os.chmod(path, 0o644)
    before = zipfile.ZipFile(path)
    contents = {n: before.read(n) for n in before.namelist()}
    make(cpb, tmp_path, [small | {"tag": "The newest"}], path)
    check_sound(path)
    after = zipfile.ZipFile(path)
    assert after.comment == before.comment
    assert {n: after.read(n) for n in contents if n != "tags.txt"} == {n: c for n, c in contents.items() if n != "tags.txt"}
    assert Zip(path).tags == [*Zip(FOLDER / case["file"]).tags, "The newest"]
    ours, theirs = Model(cpb, path), Model(cpb, case["file"])
    for tag in case["truth"]["tags"]:
        assert ours.ask("tag", name=tag) == theirs.ask("tag", name=tag) | {"default": False}
    assert ours.ask("overview")["default_tag"] == "The newest"


def test_an_error_leaves_the_file_as_it_was(cpb, tmp_path, small):
    path = tmp_path / "m.zip"
    make(cpb, tmp_path, [small], "-o", path)
    before = path.read_bytes()
    full = small["parameters"] | {"x": {"raw": "x.raw", "dtype": "FLOAT", "shape": [1 << 20]}}
    (tmp_path / "x.raw").write_bytes(bytes(4 << 20))
    fails(cpb, tmp_path, [small | {"tag": "a"}], "has this tag twice", path)
    os.truncate(tmp_path / "0.npy", 140)
    fails(cpb, tmp_path, [small | {"tag": "B", "parameters": full}], "", path)
    assert path.read_bytes() == before


# --- What is refused --------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["", "a/b", "..", "a\\b", "a\nb", "c:", "\x7f", "tags.txt", "x" * 70000])
def test_a_tag_is_a_folder_of_its_own(cpb, tmp_path, small, name):
    fails(cpb, tmp_path, [small | {"tag": name}], "")


def test_names_that_a_line_cannot_hold_are_refused(cpb, tmp_path, small):
    for name in ["", "a\nb", "a\r", "\x00", "y" * 70000, "new 0 ", "scale 1 MAP"]:
        parts = small["parameters"] | {name: small["parameters"]["scale"]}
        result = run(cpb, tmp_path, {"tags": [small | {"parameters": parts}]}, "-f", "-o", tmp_path / "m.zip")
        if result.returncode == 0:  # then it must be read again
            assert Model(cpb, tmp_path / "m.zip").bytes(name), name
    small["updater_state"] = {"scale": [small["parameters"]["scale"]], "scale 0": [small["parameters"]["scale"]]}
    fails(cpb, tmp_path, [small], "not in the graph")
    small["updater_state"] = {"scale": [{"tag": "My Tag"}]}
    other = small | {"tag": "My Tag", "updater_state": {"scale": [small["parameters"]["scale"]]}}
    fails(cpb, tmp_path, [small, other], "where the name ends")


def test_odd_names_come_back(cpb, tmp_path, small):
    names = ["../../etc/passwd", "tags.txt", "重み/ä", "with space", " leading", "a 0", "<b>", "x 1 MAP y"]
    small["parameters"] |= {n: small["parameters"]["scale"] for n in names}
    make(cpb, tmp_path, [small], "-o", tmp_path / "m.zip")
    for name in names:
        assert Model(cpb, tmp_path / "m.zip").bytes(name)
    assert all(".." not in n for n in zipfile.ZipFile(tmp_path / "m.zip").namelist())


def test_arrays_that_do_not_fit_the_graph_are_refused(cpb, tmp_path, small):
    good = small["parameters"]
    missing = {n: f for n, f in good.items() if n != "scale"}
    fails(cpb, tmp_path, [small | {"parameters": missing}], "no parameter")
    save(tmp_path, "wrong.npy", np.zeros((1, 6), "<f8"))
    fails(cpb, tmp_path, [small | {"parameters": good | {"&MyParam*": "wrong.npy"}}], "dtype differs")
    save(tmp_path, "wrong.npy", np.zeros((6, 1), "<f4"))
    fails(cpb, tmp_path, [small | {"parameters": good | {"&MyParam*": "wrong.npy"}}], "shape differs")
    fails(cpb, tmp_path, [small | {"updater_state": {"other": ["0.npy"]}}], "not in the graph")
    fails(cpb, tmp_path, [small | {"parameters": good | {"scale": {"tag": "B"}}}], "the tag to share with does not exist")
    fails(cpb, tmp_path, [small | {"updater_state": {"scale": [{"tag": "A"}]}}], "circle")
    fails(cpb, tmp_path, [small, small | {"tag": "a"}], "has this tag twice")
    (tmp_path / "graph.fb").write_bytes(GRAPH[:200])
    fails(cpb, tmp_path, [small], "tag A")


def test_a_damaged_graph_is_refused_or_comes_out_sound(cpb, tmp_path):
    """Bytes changed here and there, of which most are in what only writing the graph anew looks at."""
    path = FOLDER / "ops_a.fb"
    whole, random = path.read_bytes(), np.random.default_rng(7)
    names = [c["node"] for c in Model(cpb, path).ask("constants")["constants"]["items"]]
    tag = {"tag": "A", "graph": "graph.fb", "parameters": {n: {"from": str(path)} for n in names}}
    codes = []
    for _ in range(100):
        damaged = bytearray(whole)
        for at in random.integers(0, len(whole), 3):
            damaged[at] = random.choice([0, 1, 0x7f, 0x80, 0xff])
        (tmp_path / "graph.fb").write_bytes(damaged)
        codes.append(run(cpb, tmp_path, {"tags": [tag]}, "-f", "-o", tmp_path / "m.zip").returncode)
        if codes[-1] == 0:
            Model(cpb, tmp_path / "m.zip").ask("overview")
    assert set(codes) == {0, 1, 2} or set(codes) == {0, 1, 2, 4}, codes


def test_sources_that_are_none_are_refused(cpb, tmp_path, small):
    def with_source(source):
        return [small | {"parameters": small["parameters"] | {"x": source}}]

    (tmp_path / "short.raw").write_bytes(bytes(7))
    fails(cpb, tmp_path, with_source("nothing.npy"), "nothing.npy", code=3)
    fails(cpb, tmp_path, with_source("graph.fb"), "not a .npy file", code=2)
    fails(cpb, tmp_path, with_source({"raw": "short.raw", "dtype": "FLOAT", "shape": [2]}), "size differs from")
    fails(cpb, tmp_path, with_source({"raw": "short.raw", "dtype": "FLOAT7", "shape": [7]}), "dtype is not the name of")
    fails(cpb, tmp_path, with_source({"raw": "short.raw", "dtype": "INT8", "shape": [1 << 40]}), "size differs from")
    fails(cpb, tmp_path, with_source({"raw": "short.raw", "dtype": "INT8", "shape": [1 << 40, 1 << 40]}), "shape is too large")
    fails(cpb, tmp_path, with_source({"raw": "short.raw", "dtype": "UTF8", "shape": [7]}), "too small")
    fails(cpb, tmp_path, with_source({"raw": "short.raw", "dtyp": "INT8", "shape": [7]}), "unknown member")
    fails(cpb, tmp_path, with_source({"file": "short.raw", "kind": "lower"}), "where the name ends")
    fails(cpb, tmp_path, with_source({"from": "short.raw"}), "expected one of SavedModel", code=2)
    fails(cpb, tmp_path, with_source(7), "is expected")
    fails(cpb, tmp_path, [small | {"training_config": "short.raw"}], "training configuration", code=2)
    np.save(tmp_path / "objects.npy", np.array([{}], dtype=object), allow_pickle=True)
    fails(cpb, tmp_path, with_source("objects.npy"), "dtype is not the name of")
    np.save(tmp_path / "fields.npy", np.zeros(2, "i4,f4"))
    fails(cpb, tmp_path, with_source("fields.npy"), "not a plain numeric type", code=2)


WRONG_SOURCES = [
    "", "a\0b", {"raw": 7}, {"raw": "0.npy", "shape": [1]}, {"raw": "0.npy", "dtype": 7, "shape": [1]},
    *({"raw": "0.npy", "dtype": "INT8", "shape": shape} for shape in ("x", [-1], ["1"], [1] * 33, None)),
    *({"raw": "0.npy", "dtype": "INT8", "shape": [1], "order": order} for order in (7, "x", "cf")),
    {"from": 7}, {"from": "0.npy", "tag": 7}, {"from": "0.npy", "name": 7}, {"from": "0.npy", "state": "1"},
    {"from": "0.npy", "state": -1}, {"from": "0.npy", "kind": "x"}, {"from": "nothing"}, {"tag": 7},
    {"tag": "A", "name": 7}, {"tag": "A", "state": []}, {"tag": "A", "raw2": 1}, {"file": 7},
    {"file": "0.npy", "kind": 7}, {"file": "0.npy", "name": "x"}, {"file": "nothing"}, {"raw": "nothing", "dtype": "INT8", "shape": []},
    [], None, {},
]


@pytest.mark.parametrize("source", WRONG_SOURCES, ids=str)
def test_a_source_has_members_of_their_types(cpb, tmp_path, small, source):
    for tag in (small | {"parameters": small["parameters"] | {"scale": source}}, small | {"updater_state": {"scale": [source]}}):
        result = run(cpb, tmp_path, {"tags": [tag]}, "-o", tmp_path / "m.zip")
        assert result.returncode in (1, 2, 3) and result.stderr
        assert not (tmp_path / "m.zip").exists()


@pytest.mark.parametrize("key, value", [("parameters", []), ("updater_state", 7), ("updater_state", {"scale": "0.npy"}),
                                        ("graph", 7), ("graph", []), ("tag", 7), ("training_config", []), ("x", 1)])
def test_a_tag_has_members_of_their_types(cpb, tmp_path, small, key, value):
    fails(cpb, tmp_path, [small | {key: value}], "")


GOOD_HEADER = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }"


@pytest.mark.parametrize("header, expected", [
    ("'descr': '<f4'", "cannot be parsed"), ("{}", "cannot be parsed"), ("{'descr': '<f4', 'shape': (2,)}", "cannot be parsed"),
    ("{descr: '<f4'}", "cannot be parsed"), ("{'descr' '<f4'}", "cannot be parsed"), ("{'descr", "cannot be parsed"), ("{'a_key_that_is_too_long': 1}", "cannot be parsed"),
    ("{'descr': '<f4' 'shape': (2,)}", "cannot be parsed"), ("{'fortran_order': Maybe}", "cannot be parsed"), ("{'descr': 7}", "not a plain numeric type"),
    ("{'descr': '<f4", "not a plain numeric type"), ("{'shape': 2}", "no valid shape"), ("{'shape': (2 3)}", "no valid shape"),
    ("{'shape': (x,)}", "no valid shape"), ("{'shape': (2", "no valid shape"), ("{'shape': (99999999999999999999,)}", "no valid shape"),
    ("{'shape': (" + "1," * 33 + ")}", "no valid shape"), ("{'order': (2,)}", "no valid shape"),
    (GOOD_HEADER.replace("(2,)", "(3,)"), "size differs from")])
def test_a_damaged_header_of_npy_is_refused(cpb, tmp_path, small, header, expected):
    def write(text, version=1):
        data = text.encode()
        size = struct.pack("<H" if version == 1 else "<I", len(data))
        (tmp_path / "x.npy").write_bytes(b"\x93NUMPY" + bytes([version, 0]) + size + data + bytes(8))

    tags = [small | {"parameters": small["parameters"] | {"x": "x.npy"}}]
    for version in (1, 2):
        for good in (GOOD_HEADER, GOOD_HEADER.replace("'", '"'), " {\n'shape':( 2 ),'descr':'<f4' ,\t'fortran_order':True}\n"):
            write(good, version)
            make(cpb, tmp_path, tags, "-f", "-o", tmp_path / "m.zip")
        (tmp_path / "m.zip").unlink()
        write(header, version)
        fails(cpb, tmp_path, tags, expected, code=1 if "size" in expected else 2)
    write(GOOD_HEADER, 4)
    fails(cpb, tmp_path, tags, "version", code=2)


def test_a_list_that_is_none_is_refused(cpb, tmp_path):
    for text, code in [("", 2), ("{", 2), ("[]", 1), ("{}", 1), ('{"tags": []}', 1), ('{"tags": [7]}', 1),
                       ('{"tags": [{"graph": "x"}]}', 1), ("[" * 1000, 4)]:
        (tmp_path / "p.json").write_text(text)
        result = cpb.run("tag", tmp_path / "p.json", "-o", tmp_path / "m.zip")
        assert result.returncode == code and result.stderr, (text, result.stderr)
        assert not (tmp_path / "m.zip").exists()
    assert cpb.run("tag", tmp_path / "p.json").returncode == 1
