"""SameDiff files: what we read equals what ND4J wrote (the truth beside each file)."""

import hashlib
import json
import struct

import pytest

from support.samediff import FILES, FOLDER, ITEM, HostModel, Model, SameDiffError, row_major, shape_of

OK = [f for f in FILES if f["expect"] == "ok"]
BAD = [f for f in FILES if f["expect"] == "error"]
EITHER = [f for f in FILES if f["expect"] == "either"]


def by_file(cases):
    return pytest.mark.parametrize("case", cases, ids=[c["file"] for c in cases])


# --- Files that are as they should be --------------------------------------------


def check_array(array, truth):
    assert array["dtype"] == truth["dtype"]
    assert array["shape"] == truth["shape"]
    assert array["strides"] == truth["strides"]
    assert array["order"] == truth["order"]
    assert array["empty"] == truth["empty"]
    assert array["byte_order"] == {"BE": "big", "LE": "little"}[truth["byte_order"]]
    assert array["bytes"] == truth["buffer_bytes"]
    if "count" in truth:
        assert array["count"] == truth["count"]


def check_preview(array, truth):
    """The first numbers are ND4J's."""
    if truth["dtype"] == "UTF8" or truth["buffer_bytes"] > 1024:
        assert "preview" not in array
        return
    first = truth.get("first", [])
    assert len(array["preview"]) == len(first) == min(array["count"], 8)
    assert array.get("preview_more", False) == (array["count"] > 8)
    if truth["dtype"] in ("FLOAT", "BFLOAT16"):  # are written with the digits that a float needs
        assert [single(number(v) + 0.0) for v in array["preview"]] == [single(number(v) + 0.0) for v in first]
    elif "INT" in truth["dtype"]:  # beyond 2^53 it is text
        assert [int(v) for v in array["preview"]] == [int(v) for v in first]
    else:
        same_numbers(array["preview"], first)


def check_values(model, truth, name, *where):
    if "sha256_raw" in truth:
        values = model.bytes(name, *(where or (None,)), 0, "--raw")
        assert hashlib.sha256(values).hexdigest() == truth["sha256_raw"]
        return
    info, values = model.values(name, *where)
    assert info["dtype"] == truth["dtype"]
    assert info["shape"] == ([0] if truth["empty"] and not truth["shape"] else truth["shape"])
    assert info["fortran"] == (truth["order"] == "f")
    if truth["empty"]:
        assert values == b""
    else:
        size = ITEM[truth["dtype"]]
        assert len(values) == size * truth["count"]
        values = row_major(values, truth["shape"], size) if truth["order"] == "f" else values
        assert hashlib.sha256(values).hexdigest() == truth["sha256_le_row_major"]


def check_variable(item, truth):
    assert item["name"] == truth["name"]
    assert item["id"] == truth["id"]
    assert item["dtype"] == truth["dtype"]
    assert item["kind"] == truth["var_type"]
    assert item["device"] == truth["device"]
    assert item["shape"] == (shape_of(truth))
    if truth["array"] is None:
        assert item["array"] is None
    else:
        check_array(item["array"], truth["array"])
        check_preview(item["array"], truth["array"])


PROPERTIES = {"i": "ints", "l": "longs", "d": "doubles", "b": "booleans", "s": "strings", "a": "arrays"}


def number(value):
    return float(value) if isinstance(value, str) else value


def same_numbers(ours, truth):
    assert [number(v) for v in ours] == [number(v) for v in truth]


def single(value):
    return struct.pack("<f", value)


def check_operand(ours, truth):
    if truth is None:
        assert ours is None
        return
    check_array(ours["array"], truth)
    if truth["order"] == "c" and truth["count"] <= 8:
        if truth["dtype"] == "FLOAT":  # is written with the digits that a float needs
            assert [single(number(v)) for v in ours["values"]] == [single(number(v)) for v in truth["first"]]
        else:
            same_numbers(ours["values"], truth["first"])


def check_attributes(ours, truth):
    """Of the values of a property, each sort that there is."""
    kinds = {(p["name"], p["kind"]): p for p in ours}
    assert [p["name"] for p in truth] == list(dict.fromkeys(p["name"] for p in ours))
    assert len(ours) == len(kinds) == sum(max(1, sum(bool(p.get(short)) for short in PROPERTIES)) for p in truth)
    for theirs in truth:
        for short, kind in PROPERTIES.items():
            mine = kinds.get((theirs["name"], kind), {"value": []})
            assert mine.get("shape", []) == (theirs.get("shape") or []) or not mine["value"]
            if short == "a":
                for a, b in zip(mine["value"], theirs.get("a") or [], strict=True):
                    check_operand(a, b)
            else:
                assert [str(v) for v in mine["value"]] == [str(v) for v in theirs.get(short) or []] or \
                    same_numbers(mine["value"], theirs[short]) is None


def check_operation(item, truth):
    arguments = item["arguments"]
    assert (item["name"], item["op"], item["type"]) == (truth["name"], truth["op_name"], truth["op_type"])
    assert int(item["number"]) == truth["op_num"]
    assert item["id"] == truth["id"]
    assert item["inputs"] == truth["inputs"]
    assert [one["name"] for one in item["outputs"]] == truth["outputs"]
    assert item["output_dtypes"] == truth["output_types"]
    assert arguments["integers"] == truth["iArgs"]
    same_numbers(arguments["doubles"], truth["tArgs"])
    assert arguments["booleans"] == truth["bArgs"]
    assert arguments["dtypes"] == truth["dArgs"]
    assert arguments["strings"] == truth["sArgs"]
    assert arguments["dimensions"] == truth["dimensions"]
    assert item["control_inputs"] == truth.get("control_deps", []) + truth.get("var_control_deps", [])
    assert item.get("control_dependency_of", []) == truth.get("control_dep_for", [])
    assert (item["device"], item["scope_id"], item["scope"]) == (
        truth["device"], truth["scope_id"], truth["scope_name"])
    check_operand(item["scalar"], truth["scalar"])
    check_attributes(item["attributes"], truth["properties"])


CONFIGURATION = {
    "id": "id", "execution_mode": "executionMode", "profiling_mode": "profilingMode", "output_mode": "outputMode",
    "timestats": "timestats", "footprint_forward": "footprintForward", "footprint_backward": "footprintBackward",
    "direction": "direction"}


def check_graph(answer, truth):
    assert answer["graph_id"] == truth["graph_id"]
    assert answer["placeholders"] == truth["placeholders"]
    assert answer["loss_variables"] == truth["loss_variables"]
    assert answer["configuration"] == {k: truth["configuration"][v] for k, v in CONFIGURATION.items()}
    assert answer["variables"]["total"] == len(truth["variables"])
    for item, fact in zip(answer["variables"]["items"], truth["variables"], strict=True):
        check_variable(item, fact)
    for item, fact in zip(answer["nodes"]["items"], truth["ops"], strict=True):
        check_operation(item, fact)
    assert answer["problems"] == []


def check_training(ours, truth):
    assert ours == (truth and truth["fields"])


@by_file([f for f in OK if f["kind"] == "flatgraph"])
def test_a_graph_file_is_what_nd4j_wrote(cpb, case):
    model, truth = Model(cpb, case["file"]), case["truth"]
    answer = model.ask("tag")
    check_graph(answer, truth)
    check_training(answer["training_config"], truth["training_config"])
    with_array = [v for v in truth["variables"] if v["array"]]
    assert [p["node"] for p in answer["constants"]["items"]] == [v["name"] for v in with_array]
    for variable in with_array:
        check_values(model, variable["array"], variable["name"])
    for item, state in zip(answer["updater_state"]["items"], truth["updater_state"], strict=True):
        assert item["parameter"] == state["param"]
        assert [s["key"] for s in item["states"]] == state["keys"]
        for i, array in enumerate(state["values"]):
            check_array(item["states"][i]["array"], array)
            check_preview(item["states"][i]["array"], array)
            check_values(model, array, state["param"], None, i + 1)


def test_no_integer_is_rounded(cpb, tmp_path):
    """By readers of JSON that have nothing but doubles: beyond 2^53 it is text."""
    data = (FOLDER / "cnn.fb").read_bytes()
    before, after = struct.pack("<3q", -99, -1, 64), [2**53 + 1, -2**63, 2**53]
    assert data.count(before) == 1
    path = tmp_path / "cnn.fb"
    path.write_bytes(data.replace(before, struct.pack("<3q", *after)))
    answer = json.loads(cpb.run("inspect", path, "tag", "--json").stdout)
    integers = answer["nodes"]["items"][3]["arguments"]["integers"]
    assert integers == ["9007199254740993", "-9223372036854775808", 9007199254740992]


@by_file([f for f in OK if f["kind"] == "flatgraph"])
def test_values_are_those_of_the_array_that_was_saved(cpb, case):
    """The truth's `memory` was taken from ND4J's own array, not from the file."""
    model = Model(cpb, case["file"])
    for name, fact in case["truth"]["memory"].items():
        if fact.get("sha256_le_row_major") is None or "shape" not in fact or case["file"] == "no_arrays_a.fb":
            continue
        info, values = model.values(name)
        if info["fortran"]:
            values = row_major(values, info["shape"], ITEM[info["dtype"]])
        assert info["shape"] == ([0] if values == b"" and not fact["shape"] else fact["shape"])
        assert hashlib.sha256(values).hexdigest() == fact["sha256_le_row_major"]


def check_entry(item, truth):
    assert item["reference"] == truth["ref"]
    assert item["entry"] == truth["entry"]


def check_parameter(model, tag, item, truth):
    assert item["node"] == truth["name"]
    assert item["is"] == (truth["var_type"] and truth["var_type"].lower())
    assert item.get("holds") == truth["kind"]
    check_entry(item, truth)
    if truth["array"] is None:
        with pytest.raises(SameDiffError):
            model.values(truth["name"], tag)
        return
    one = model.ask("constants", name=truth["name"], scope=tag)["constants"]["items"]
    assert len(one) == 1
    check_array(one[0]["array"], truth["array"])
    if "bytes" in item and item["bytes"] is not None:
        assert item["bytes"] == one[0]["array"]["bytes"]
    else:
        assert item.get("shape") is None or truth["array"]["dtype"] == "UTF8"
    check_preview(one[0]["array"], truth["array"])
    check_values(model, truth["array"], truth["name"], tag)


def check_updater(model, tag, ours, truth):
    assert [u["parameter"] for u in ours] == [u["param"] for u in truth]
    for item, fact in zip(ours, truth):
        for i, (state, expected) in enumerate(zip(item["states"], fact["states"], strict=True)):
            check_entry(state, expected)
            check_values(model, expected["array"], fact["param"], tag, i + 1)


@by_file([f for f in OK if f["kind"] == "proposal_zip"])
def test_every_tag_of_a_zip_is_what_was_put_in(cpb, case):
    model, truth = Model(cpb, case["file"]), case["truth"]
    overview = model.ask("overview")
    assert [t["tag"] for t in overview["tags"]["items"]] == truth["tags"]
    assert overview["default_tag"] == truth["default_tag"] == overview["graph"]["tag"]
    for tag, fact in truth["tag_contents"].items():
        answer = model.ask("tag", name=tag)
        assert answer["tag"] == tag
        assert answer["default"] == (tag == truth["default_tag"])
        check_graph(answer, fact["graph"])
        check_training(answer["training_config"], fact["training_config"])
        for item, parameter in zip(answer["constants"]["items"], fact["params"], strict=True):
            check_parameter(model, tag, item, parameter)
        check_updater(model, tag, answer["updater_state"]["items"], fact["updater"])


@by_file([f for f in OK if f["kind"] == "proposal_zip"])
def test_tags_are_found_without_regard_to_case(cpb, case):
    for lookup in case["truth"]["lookups"]:
        name = lookup["lookup"]
        if name and not name.isascii() and name != lookup["tag"]:
            continue  # only the case of ASCII letters is of no matter
        if lookup["tag"] is None:
            with pytest.raises(SameDiffError, match="no tag"):
                Model(cpb, case["file"]).ask("nodes", name=name)
        else:
            assert Model(cpb, case["file"]).ask("nodes", name=name)["tag"] == lookup["tag"]


def test_maps_are_listed_and_left_alone(cpb):
    answer = Model(cpb, "unknown_files.zip").ask("tag")
    assert [(m["node"], m["entry"]) for m in answer["maps"]["items"]] == [("some_map", "FP32/params_maps/0.fb")]


# --- Files that are not --------------------------------------------------------------


REFUSED = (2, 4, 5)  # damaged or not of this kind; over a limit; not supported


def load_all(model):
    """The default tag with everything in it."""
    model.ask("overview")
    answer = model.ask("tag")
    for item in answer["constants"]["items"]:
        if "holds" not in item:
            model.values(item["node"])
    for item in answer["updater_state"]["items"]:
        for i in range(len(item["states"])):
            model.values(item["parameter"], state=i + 1)
    return answer


INCOMPLETE = ("bad_truncated_", "bad_eocd_")  # of zips what is there is shown: test_samediff_cut.py


@by_file(BAD)
def test_a_damaged_file_is_an_error_that_says_why(cpb, case):
    with pytest.raises(SameDiffError) as failure:
        load_all(Model(cpb, case["file"]))
    assert failure.value.code in ((1,) if case["file"].startswith(INCOMPLETE) else REFUSED)
    assert len(failure.value.args[0].splitlines()) == 1, str(failure.value)


@by_file(EITHER)
def test_an_odd_file_is_read_or_refused(cpb, case):
    try:
        load_all(Model(cpb, case["file"]))
    except SameDiffError as failure:
        assert failure.code in REFUSED, str(failure)


def test_a_damaged_graph_still_has_its_tags(cpb):
    overview = Model(cpb, "bad_graph_truncated.zip").ask("overview")
    assert overview["tags"]["total"] > 0
    assert overview["graph"] is None
    assert len(overview["problems"]) == 1


# --- In pieces and pages -------------------------------------------------------------


@by_file(OK)
def test_the_answer_is_the_same_from_input_in_small_pieces(cpb, case):
    assert HostModel(cpb, FOLDER / case["file"], 7).ask("tag")[0] == Model(cpb, case["file"]).ask("tag")


@pytest.mark.parametrize("name", ["deep_a.fb", "ops_a.fb", "three_tags.zip"])
def test_pages_are_parts_of_the_whole(cpb, name):
    model = Model(cpb, name)
    whole = model.ask("tag")
    for first in range(0, whole["variables"]["total"] + 3, 3):
        page = model.ask("tag", first=first, count=3)
        for part in ("variables", "nodes", "constants"):
            assert page[part]["items"] == whole[part]["items"][first:first + 3]
            assert page[part]["total"] == whole[part]["total"]


def test_operations_are_counted(cpb):
    truth = next(f for f in FILES if f["file"] == "ops_a.fb")["truth"]
    counts = {}
    for op in truth["ops"]:
        counts[op["op_name"]] = counts.get(op["op_name"], 0) + 1
    items = Model(cpb, "ops_a.fb").ask("ops")["ops"]["items"]
    assert {i["op"]: i["count"] for i in items} == counts
    assert [i["count"] for i in items] == sorted(counts.values(), reverse=True)


def test_a_search_finds_what_has_the_text_in_its_name(cpb):
    truth = next(f for f in FILES if f["file"] == "ops_a.fb")["truth"]
    names = {v["name"] for v in truth["variables"]} | {o["name"] for o in truth["ops"]}
    found = Model(cpb, "ops_a.fb").ask("search", name="SC")["found"]["items"]
    assert {f["name"] for f in found if f["is"] != "node"} | {f["name"] for f in found if "sc" in f["name"].lower()} == {
        n for n in names if "sc" in n.lower()} != set()
    assert all("sc" in f["op"].lower() for f in found if "sc" not in f["name"].lower())


def test_parameters_come_largest_first(cpb):
    sizes = [p["size"] for p in Model(cpb, "three_tags.zip").ask("constants")["constants"]["items"]]
    assert sizes == sorted(sizes, reverse=True)
    sizes = [p["array"]["bytes"] for p in Model(cpb, "mlp_adam.fb").ask("constants")["constants"]["items"]]
    assert sizes == sorted(sizes, reverse=True) and len(sizes) == 5
