"""Messages that no TensorFlow of today writes, and that it reads: cpb inspect takes them as TensorFlow does."""

from support import wire
from support.asking import ask, meta_graph

f = wire.field


def saved(tmp_path, meta):
    (tmp_path / "saved_model.pb").write_bytes(wire.tag(1, 0) + b"\x01" + f(2, f(1, b"") + meta))
    return tmp_path / "saved_model.pb"


def entry(key, value):
    return f(1, key.encode()) + f(2, value)


def dictionary(*values):
    """A StructuredValue; the entries as they are given, keys more than once, too."""
    return f(53, b"".join(f(1, entry(key, f(13, value.encode()))) for key, value in values))


def test_dicts_come_in_the_order_of_their_keys_and_each_key_once(cpb, tmp_path):
    pairs = [("b", "1"), ("a", "2"), ("_", "3"), ("b", "4"), ("B", "5"), ("ab", "6")]
    arguments = f(52, f(1, f(52, b"")) + f(1, dictionary(*pairs)))
    function = f(3, arguments) + f(4, f(52, f(1, dictionary(*reversed(pairs)))))
    library = f(2, f(1, f(1, f(1, b"call"))))
    path = saved(tmp_path, f(2, library) + f(7, f(2, entry("call", function))))
    proto = meta_graph(path).object_graph_def.concrete_functions["call"]
    keywords = proto.canonicalized_input_signature.tuple_value.values[1].dict_value.fields
    returned = proto.output_signature.tuple_value.values[0].dict_value.fields
    assert len(keywords) == len(returned) == 5
    said = ask(cpb, path, "function", "call")
    assert [(a["name"], a["value"]) for a in said["arguments"]] == sorted(
        (key, value.string_value) for key, value in keywords.items())
    assert list(said["returns"]["tuple"][0]["dict"].items()) == sorted(
        (key, value.string_value) for key, value in returned.items())


def test_a_message_without_its_shape_is_a_scalar(cpb, tmp_path):
    import tensorflow as tf
    variable = f(7, wire.tag(1, 0) + b"\x01" + f(6, b"v"))
    signature = f(1, entry("x", f(1, b"x:0")))
    objects = f(1, f(1, wire.tag(1, 0) + b"\x01" + f(2, b"v")) + f(4, f(1, b"_generic_user_object"))) + f(1, variable)
    path = saved(tmp_path, f(5, entry("serve", signature)) + f(7, objects))
    meta = meta_graph(path)
    shape = tf.TensorShape(meta.object_graph_def.nodes[1].variable.shape).as_list()
    assert ask(cpb, path, "objects", "root.v")["shape"] == shape == []
    answer = ask(cpb, path)
    assert (answer["variables"]["elements"], answer["variables"]["size"], answer["variables"].get("partial", False)) == (1, 4, False)
    info = meta.signature_def["serve"].inputs["x"]
    assert answer["signatures"]["items"][0]["inputs"][0]["shape"] == tf.TensorShape(info.tensor_shape).as_list() == []


def test_names_of_children_may_be_empty(cpb, tmp_path):
    def node(*children):
        return f(1, b"".join(f(1, wire.tag(1, 0) + wire.varint(i) + f(2, n)) for n, i in children) + f(4, f(1, b"x")))

    path = saved(tmp_path, f(7, node((b"d", 1)) + node((b"", 2), (b"a", 3), (b".b", 5)) + node((b"c", 4)) + node() * 3))
    for child, number in (("root.d", 1), ("root.d.", 2), ("root.d..c", 4), ("root.d.a", 3), ("root.d..b", 5)):
        said = ask(cpb, path, "objects", child)
        assert (said["path"], said["node"]) == (child, number)
    for child in ("root.", "rootd", "root.d.x", "root.d.a."):
        assert cpb.run("inspect", path, "objects", child).returncode == 1


def test_a_collection_of_no_kind_has_nothing(cpb, tmp_path):
    path = saved(tmp_path, f(4, entry("none", b"")) + f(4, entry("some", f(1, f(1, b"a") + f(1, b"b")))))
    assert [meta_graph(path).collection_def[name].WhichOneof("kind") for name in ("none", "some")] == [None, "node_list"]
    assert ask(cpb, path)["collections"]["items"] == [
        {"name": "none", "kind": None, "count": 0}, {"name": "some", "kind": "nodes", "count": 2}]


def test_the_last_of_two_signatures_with_one_key_counts(cpb, tmp_path):
    path = saved(tmp_path, b"".join(f(5, entry(key, f(3, method))) for key, method in (("b", b"1"), ("a", b"2"), ("b", b"3"))))
    signatures = meta_graph(path).signature_def
    answer = ask(cpb, path)
    assert answer["meta_graphs"]["items"][0]["signatures"] == answer["signatures"]["total"] == len(signatures) == 2
    assert {item["key"]: item["method"] for item in answer["signatures"]["items"]} == {
        key: signature.method_name for key, signature in signatures.items()} == {"a": "2", "b": "3"}
