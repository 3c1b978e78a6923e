"""ND4J itself, as a process (interop/nd4j): what we say of the files that it saves is what
it says of its graphs, and it takes what we write. Where it reads its own files wrongly, the
test says how, and fails should that change."""

import hashlib
import io
import json
import random
import zipfile

import numpy as np
import pytest

from support.nd4j import Nd4jError
from support.samediff import FILES, FOLDER, NUMPY, Model
from support.samediff_graphs import with_arrays

UPDATERS = ["Adam", "AMSGrad", "AdaDelta", "AdaGrad", "AdaMax", "Nadam", "Nesterovs", "RmsProp", "Sgd"]
RUNNING = [("convolution", 1), ("branch", 1), ("loop", 1), ("Adam", 1), *[("smooth", seed) for seed in range(8)]]
SAVED = [("values", 1), ("values", 2), ("placeholders", 1), ("texts", 1), ("bfloat16", 1), ("uint16", 1),
         ("uint32", 1), ("uint64", 1), *RUNNING, *[("random", seed) for seed in range(8)], *[(updater, 2) for updater in UPDATERS]]
GOOD = [f for f in FILES if f["expect"] == "ok"]
ARGUMENTS = ["integers", "doubles", "booleans", "dtypes", "strings"]


def by_graph(graphs):
    return pytest.mark.parametrize("graph", graphs, ids=[f"{name}-{seed}" for name, seed in graphs])


def by_file(kind):
    cases = [f for f in GOOD if f["kind"] == kind]
    return pytest.mark.parametrize("case", cases, ids=[f["file"] for f in cases])


def save(nd4j, path, graph, updater=True):
    """ND4J makes a graph and saves it; what it says of the graph in its memory."""
    return nd4j.ask("save", graph=graph[0], seed=graph[1], file=path, updater=updater)


# --- Arrays, as ND4J is asked about them --------------------------------------------------


def as_stored(facts, values):
    return facts, values


def as_nd4j_reads(facts, values):
    """It takes an empty scalar for one of FLOAT, arrays of three types for row-major ones,
    and does not turn the bytes of two of these."""
    if facts["empty"] and not facts["shape"]:
        return facts | {"dtype": "FLOAT"}, values
    if facts["dtype"] in ("UINT8", "UINT16", "BFLOAT16"):
        lying = values.ravel(facts["order"]).view(f"u{values.itemsize}")
        return facts | {"order": "c"}, lying if facts["dtype"] == "UINT8" else lying.byteswap()
    return facts, values


def facts_of(values, read=as_stored, **more):
    order = "f" if values.flags.f_contiguous and not values.flags.c_contiguous else "c"
    facts = {"dtype": NUMPY[values.dtype.newbyteorder("<").str], "shape": list(values.shape), "order": order,
             "empty": values.size == 0} | more
    facts, values = read(facts, values)
    little = np.ascontiguousarray(values).astype(values.dtype.newbyteorder("<"))
    return facts | {"sha256": hashlib.sha256(little.tobytes()).hexdigest()}


def texts_of(raw, count):
    ends = np.frombuffer(raw, "<i8", count + 1)
    body = raw[8 * (count + 1):]
    return [body[begin:end].decode(errors="replace") for begin, end in zip(ends, ends[1:])]


def array_of(model, info, name, tag, state, read):
    """`info` is what `cpb inspect` says of it; its values are those of `cpb extract`."""
    facts = {k: info[k] for k in ("dtype", "shape", "order", "empty")}
    if info["dtype"] == "UTF8":
        return facts | {"texts": texts_of(model.bytes(name, tag, state, "--raw"), info["count"])}
    values = np.load(io.BytesIO(model.bytes(name, tag, state)))
    assert list(values.shape) == ([0] if facts["empty"] and not facts["shape"] else facts["shape"])
    assert NUMPY[values.dtype.str] == facts["dtype"]
    return facts_of(values, read, **facts)


# --- Graphs ----------------------------------------------------------------------------------


def info_of(model, variable, tag):
    """In a zip it takes a question of its own."""
    if tag is None or variable["kind"] not in ("VARIABLE", "CONSTANT"):
        return variable["array"]
    return model.ask("constants", name=variable["name"], scope=tag)["constants"]["items"][0]["array"]


def variable_of(model, variable, tag, read):
    info, shape = info_of(model, variable, tag), variable["shape"]
    stored = [-1 if n is None else n for n in shape or []] if variable["kind"] == "PLACEHOLDER" else None
    return {"name": variable["name"], "kind": variable["kind"], "dtype": variable["dtype"], "shape": stored,
            "array": info and array_of(model, info, variable["name"], tag, 0, read)}


def states_of(model, item, read):
    return {state["key"]: array_of(model, state["array"], item["parameter"], None, i + 1, read)
            for i, state in enumerate(item["states"])}


def check_scalar(ours, theirs, value):
    assert (ours is None) == (theirs is None)
    if ours:
        assert {k: ours["array"][k] for k in ("dtype", "shape")} == {k: theirs[k] for k in ("dtype", "shape")}
        kind = np.float32 if theirs["dtype"] == "FLOAT" else np.float64
        assert [kind(v) for v in ours["values"]] == [kind(value)]


def check_operation(ours, theirs):
    arguments = ours["arguments"]
    for key in ("name", "op", "type", "inputs"):
        assert ours[key] == theirs[key]
    assert [out["name"] for out in ours["outputs"]] == theirs["outputs"]
    assert ours["control_inputs"] == (theirs["control_dependencies"] or [])
    if ours["op"] == "enter":  # ND4J numbers the frames while it writes
        assert arguments["strings"] == [theirs["frame"]] and len(arguments["integers"]) == 1
    elif "integers" in theirs:
        assert {k: arguments[k] for k in ARGUMENTS} == {k: theirs[k] for k in ARGUMENTS}
    else:
        assert int(ours["number"]) == theirs["number"]
        assert arguments["dimensions"] == (theirs["dimensions"] or [])
        # Two zeros that such operations always have are not stored.
        assert arguments["doubles"] == ([] if ours["type"] == "REDUCE_3" else theirs["extra"] or [])
        check_scalar(ours["scalar"], theirs.get("scalar"), theirs.get("value"))


def check_graph(model, theirs, tag=None, read=as_stored):
    ours = model.ask("tag", name=tag)
    assert ours["problems"] == []
    assert [variable_of(model, v, tag, read) for v in ours["variables"]["items"]] == theirs["variables"]
    for mine, other in zip(ours["nodes"]["items"], theirs["operations"], strict=True):
        check_operation(mine, other)
    for key in ("placeholders", "loss_variables"):
        assert ours[key] == theirs[key]
    assert ours["training_config"] == theirs["training_config"]
    if tag is None:
        ours = {item["parameter"]: states_of(model, item, read) for item in ours["updater_state"]["items"]}
        assert ours == theirs["updater_state"]


@by_graph(SAVED)
def test_a_file_is_told_as_nd4j_tells_the_graph_that_it_saved(cpb, nd4j, tmp_path, graph):
    theirs = save(nd4j, tmp_path / "graph.fb", graph)
    if graph[0] in UPDATERS:
        assert theirs["training_config"] and len(theirs["updater_state"]) == 3
    check_graph(Model(cpb, tmp_path / "graph.fb"), theirs)


def test_a_file_without_updater_state_is_told_so(cpb, nd4j, tmp_path):
    theirs = save(nd4j, tmp_path / "graph.fb", ("Adam", 1), updater=False)
    check_graph(Model(cpb, tmp_path / "graph.fb"), theirs | {"updater_state": {}})


@by_graph(SAVED)
def test_a_file_is_told_as_nd4j_tells_it_after_loading_it(cpb, nd4j, tmp_path, graph):
    save(nd4j, tmp_path / "graph.fb", graph)
    if graph[0] in ("uint32", "uint64"):
        with pytest.raises(Nd4jError, match="Unknown datatype"):
            nd4j.ask("load", file=tmp_path / "graph.fb")
    else:
        check_graph(Model(cpb, tmp_path / "graph.fb"), nd4j.ask("load", file=tmp_path / "graph.fb"), read=as_nd4j_reads)


@by_file("flatgraph")
def test_a_graph_of_the_corpus_is_told_as_nd4j_tells_it(cpb, nd4j, case):
    if case["file"] == "uints_a.fb":
        with pytest.raises(Nd4jError, match="Unknown datatype"):
            nd4j.ask("load", file=FOLDER / case["file"])
    else:
        check_graph(Model(cpb, case["file"]), nd4j.ask("load", file=FOLDER / case["file"]), read=as_nd4j_reads)


# --- Zips ----------------------------------------------------------------------------------------


class Folder:
    """A zip that Python has unpacked, as ND4J is given it."""

    def __init__(self, path, folder):
        zipfile.ZipFile(path).extractall(folder)
        self.folder = folder

    def lines(self, tag, name):
        path = self.folder / tag / name
        return path.read_text().splitlines() if path.exists() else []

    def file(self, tag, folder, reference):
        of, _, number = reference.rpartition("/")
        return self.folder / (of or tag) / folder / f"{number}.fb"

    def question(self, tag):
        lines = [line.rpartition(" ") for line in self.lines(tag, "params.txt")]
        return {"file": self.folder / tag / "graph.fb",
                "parameters": {name: str(self.file(tag, "params", reference)) for name, _, reference in lines}}

    def states(self, tag, keys):
        lines = [line.split(" ") for line in self.lines(tag, "updater.txt")]
        return {name: {key: str(self.file(tag, "updater", reference)) for key, reference in zip(keys, references, strict=True)}
                for name, *references in lines}


def source(folder, values, order, choice):
    """An array as a part of `cpb tag`, in one of the ways that there are."""
    path = folder / str(len(list(folder.iterdir())))
    values = np.asarray(values, dtype=values.dtype.newbyteorder(choice.choice("<>")), order=order)
    if choice.random() < 0.5 and order == facts_of(values)["order"]:
        np.save(f"{path}.npy", values)
        return f"{path}.npy"
    big = choice.random() < 0.5
    path.write_bytes(values.astype(values.dtype.newbyteorder(">" if big else "<")).tobytes(order.upper()))
    return {"raw": path.name, "dtype": NUMPY[values.dtype.newbyteorder("<").str], "shape": list(values.shape),
            "order": order, "big_endian": big}


def tag(cpb, folder, tags, *words, **options):
    (folder / "parts.json").write_text(json.dumps({"tags": tags, **options}))
    cpb.ok("tag", "-q", folder / "parts.json", *words)


def parts_of(model, folder, choice):
    """The parameters and states of a graph file."""
    def part(info, *where):
        return source(folder, np.load(io.BytesIO(model.bytes(*where))), info["order"], choice)

    answer = model.ask("tag")
    states = {u["parameter"]: [part(s["array"], u["parameter"], None, i + 1) for i, s in enumerate(u["states"])]
              for u in answer["updater_state"]["items"]}
    return {"graph": "graph.fb", "updater_state": states,
            "parameters": {c["node"]: part(c["array"], c["node"]) for c in answer["constants"]["items"]}}


def check_values(ours, theirs):
    """Those of two runs: ND4J does not promise to round alike each time."""
    if isinstance(theirs, dict):
        assert ours.keys() == theirs.keys()
        for key, facts in theirs.items():
            check_values(ours[key], facts)
    else:
        np.testing.assert_allclose(np.array(ours, float), np.array(theirs, float), rtol=1e-4, atol=1e-6)


@by_graph(RUNNING)
def test_nd4j_runs_the_graph_of_a_zip_as_the_one_that_it_saved(cpb, nd4j, tmp_path, graph):
    """The tags share parameters, all but one; the last is added in place."""
    original, choice = tmp_path / "graph.fb", random.Random(str(graph))
    saved = save(nd4j, original, graph)
    parts = parts_of(Model(cpb, original), tmp_path, choice)
    changed = choice.choice([v["name"] for v in saved["variables"] if v["kind"] == "VARIABLE"])
    values = np.load(io.BytesIO(Model(cpb, original).bytes(changed)))
    np.save(tmp_path / "changed.npy", np.ascontiguousarray(2 * values))  # ND4J reads no other order
    shared = parts | {"parameters": {name: {"tag": "A"} for name in parts["parameters"]}, "updater_state": {}}
    shared["parameters"][changed] = "changed.npy"
    last = shared | {"parameters": {name: {"tag": "b-2"} for name in parts["parameters"]}}
    tag(cpb, tmp_path, [parts | {"tag": "A"}, shared | {"tag": "b-2"}], "-o", tmp_path / "m.zip", deflate=choice.random() < 0.5)
    tag(cpb, tmp_path, [last | {"tag": "C"}], tmp_path / "m.zip")
    folder = Folder(tmp_path / "m.zip", tmp_path / "unpacked")
    loaded = nd4j.ask("load", **folder.question("A"))
    assert loaded["variables"] == saved["variables"]
    assert loaded["operations"] == nd4j.ask("load", file=original)["operations"]
    check_values(nd4j.ask("run", **folder.question("A")), nd4j.ask("run", file=original))
    other = nd4j.ask("run", file=original, parameters={changed: str(tmp_path / "changed.npy")})
    for name in ("b-2", "C"):
        check_values(nd4j.ask("run", **folder.question(name)), other)


@pytest.mark.parametrize("updater", UPDATERS)
def test_nd4j_goes_on_training_from_a_zip_as_from_its_own_file(cpb, nd4j, tmp_path, updater):
    """The second tag, which is added in place, shares parameters and states."""
    original = tmp_path / "graph.fb"
    save(nd4j, original, (updater, 2))
    answer = Model(cpb, original).ask("tag")
    (tmp_path / "training.json").write_text(json.dumps(answer["training_config"]))
    first = parts_of(Model(cpb, original), tmp_path, random.Random(updater)) | {"training_config": "training.json"}
    second = first | {"parameters": {name: {"tag": "A"} for name in first["parameters"]}, "updater_state": {
        name: [{"tag": "A", "state": i + 1} for i in range(len(states))] for name, states in first["updater_state"].items()}}
    tag(cpb, tmp_path, [first | {"tag": "A"}], "-o", tmp_path / "m.zip")
    tag(cpb, tmp_path, [second | {"tag": "B"}], tmp_path / "m.zip")
    folder = Folder(tmp_path / "m.zip", tmp_path / "unpacked")
    expected = nd4j.ask("train", file=original)
    assert expected["iterations"] == answer["training_config"]["iterationCount"] + 1
    keys = [state["key"] for state in answer["updater_state"]["items"][0]["states"]]
    for name in "AB":
        training = folder.folder / name / "trainingConfig.fb"
        got = nd4j.ask("train", **folder.question(name), updater=folder.states(name, keys), training=training)
        check_values(got, expected)


TYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]
SHAPES = [(), (1,), (5,), (1, 4), (4, 1), (3, 4), (2, 1, 3), (2, 3, 2, 2), (0, 3)]


def test_nd4j_decodes_the_arrays_that_we_write(cpb, nd4j, tmp_path):
    choice, rng = random.Random(1), np.random.default_rng(1)
    arrays = {f"{kind}{list(shape)}{order}": (rng.integers(0, 120, shape).astype(kind), order)
              for kind in TYPES for shape in SHAPES for order in "cf"}
    (tmp_path / "graph.fb").write_bytes(with_arrays(0, 0))
    parts = {name: source(tmp_path, values, order, choice) for name, (values, order) in arrays.items()}
    tag(cpb, tmp_path, [{"tag": "A", "graph": "graph.fb", "parameters": parts}], "-o", tmp_path / "m.zip")
    files = Folder(tmp_path / "m.zip", tmp_path / "unpacked").question("A")["parameters"]
    for name, (values, order) in arrays.items():
        if values.dtype.str in ("<u4", "<u8") and values.size:
            with pytest.raises(Nd4jError, match="Unknown datatype"):
                nd4j.ask("arrays", files=[files[name]])
        else:
            expected = facts_of(np.asarray(values, order=order), as_nd4j_reads, order=order if values.shape and values.size else "c")
            assert nd4j.ask("arrays", files=[files[name]]) == {files[name]: expected}, name


def test_nd4j_decodes_the_texts_and_the_empty_scalar_that_we_write(cpb, nd4j, tmp_path):
    texts = ["", "one", "Größe", "重み"]
    body = [text.encode() for text in texts]
    ends = np.cumsum([0, *map(len, body)]).astype("<i8")
    (tmp_path / "texts").write_bytes(ends.tobytes() + b"".join(body))
    (tmp_path / "none").write_bytes(b"")
    (tmp_path / "graph.fb").write_bytes(with_arrays(0, 0))
    parts = {"texts": {"raw": "texts", "dtype": "UTF8", "shape": [2, 2]},
             "none": {"raw": "none", "dtype": "FLOAT", "shape": [], "empty": True}}
    tag(cpb, tmp_path, [{"tag": "A", "graph": "graph.fb", "parameters": parts}], "-o", tmp_path / "m.zip")
    files = Folder(tmp_path / "m.zip", tmp_path / "unpacked").question("A")["parameters"]
    answer = nd4j.ask("arrays", files=list(files.values()))
    assert answer[files["texts"]] == {"dtype": "UTF8", "shape": [2, 2], "order": "c", "empty": False, "texts": texts}
    assert answer[files["none"]] == facts_of(np.zeros(0, "<f4"), shape=[])


def test_nd4j_reads_the_npy_files_that_we_extract(cpb, nd4j, tmp_path):
    """Of these types; of NumPy's own files, too, it takes all for row-major ones."""
    save(nd4j, tmp_path / "graph.fb", ("values", 3))
    model, path, count = Model(cpb, tmp_path / "graph.fb"), tmp_path / "values.npy", 0
    for item in model.ask("tag")["constants"]["items"]:
        if item["array"]["empty"]:
            continue
        path.write_bytes(model.bytes(item["node"]))
        values = np.load(path)
        lying = values.ravel("F" if facts_of(values)["order"] == "f" else "C").reshape(values.shape)
        assert nd4j.ask("arrays", files=[path]) == {str(path): facts_of(lying)}
        count += 1
    assert count > 100


# --- The corpus' zips -------------------------------------------------------------------------------


class Entries:
    """Files of a zip that ND4J is given one by one."""

    def __init__(self, path, folder):
        self.zip, self.folder = zipfile.ZipFile(path), folder
        self.names = {name.lower(): name for name in self.zip.namelist()}

    def file(self, name):
        """None when there is no such entry."""
        if name.lower() not in self.names:
            return None
        path = self.folder / hashlib.sha256(name.lower().encode()).hexdigest()
        path.write_bytes(self.zip.read(self.names[name.lower()]))
        return path


@by_file("proposal_zip")
def test_a_tag_of_the_corpus_is_told_as_nd4j_tells_its_parts(cpb, nd4j, tmp_path, case):
    model, entries = Model(cpb, case["file"]), Entries(FOLDER / case["file"], tmp_path)
    for name, fact in case["truth"]["tag_contents"].items():
        parameters = {p["name"]: str(entries.file(p["entry"])) for p in fact["params"] if not p["kind"]}
        training = entries.file(f"{name}/trainingConfig.fb")
        parts = {"parameters": parameters, **({"training": training} if training else {})}
        check_graph(model, nd4j.ask("load", file=entries.file(f"{name}/graph.fb"), **parts), name, as_nd4j_reads)
        for item in fact["updater"]:
            for i, state in enumerate(item["states"]):
                path = str(entries.file(state["entry"]))
                values = np.load(io.BytesIO(model.bytes(item["param"], name, i + 1)))
                assert nd4j.ask("arrays", files=[path]) == {path: facts_of(values)}
