"""A model that was cut off: what precedes the end is shown, after saying so."""

import json

import pytest

from support.big_graph import saved_model

WHOLE = saved_model(nodes=200, functions=2, constant_bytes=4000)


def asked(cpb, path, *question):
    result = cpb.run("inspect", path, *question, "--json")
    return result, json.loads(result.stdout)


@pytest.fixture(scope="module")
def names(cpb, tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "saved_model.pb"
    path.write_bytes(WHOLE)
    result, answer = asked(cpb, path, "nodes", "--count", "1000")
    assert result.returncode == 0 and not result.stderr
    return [node["name"] for node in answer["nodes"]["items"]]


@pytest.mark.parametrize("share", [0.15, 0.3, 0.5, 0.8, 0.999])
def test_nodes_before_the_end_are_shown(cpb, tmp_path, names, share):
    path = tmp_path / "saved_model.pb"
    path.write_bytes(WHOLE[:int(len(WHOLE) * share)])
    result, answer = asked(cpb, path, "nodes", "--count", "1000")
    found = [node["name"] for node in answer["nodes"]["items"]]
    assert result.returncode == 1
    assert b"damaged" in result.stderr.splitlines()[0]
    assert any(problem.get("damage") for problem in answer["problems"])
    # Each node whose name is there is shown; of the one that is cut off perhaps not even the name.
    if found[-1:] == [""]:
        found.pop()
    there = [name for name in names if WHOLE.find(name.encode()) + len(name) <= int(len(WHOLE) * share)]
    assert found == names[:len(found)] and len(found) >= min(len(there) - 1, len(names))
