"""cpb inspect MODEL weights NAME, as a person and as a program read it; tests/model/test_statistics.py has the numbers."""

import onnx
from onnx import helper

from conftest import DATA


def test_a_person_reads_use_place_numbers_and_bars(cpb, keras, tmp_path):
    text = cpb.ok("inspect", keras, "weights", "conv2d/kernel", "--width", 80, env={"LC_ALL": "C.UTF-8"}).decode()
    assert text.startswith("conv2d/kernel  f32[3,3,1,4]  144 B\n  use        weight\n  layer      conv2d\n")
    assert "variables.data-00000-of-00001, at byte " in text and "  deviation  0." in text and "█" in text
    ascii = cpb.ok("inspect", keras, "weights", "conv2d/kernel", env={"LC_ALL": "C"})
    assert ascii.isascii() and b"#" in ascii
    path = tmp_path / "m.onnx"
    onnx.save(helper.make_model(helper.make_graph([], "g", [], [], [helper.make_tensor("w", 1, [3], [0, 0, 0])])), path)
    assert b"zeros      3  100 %" in cpb.ok("inspect", path, "weights", "w")
    fields = dict(line.split("\t", 1) for line in cpb.ok("inspect", path, "weights", "w", "--tsv").decode().splitlines())
    assert fields["name"] == "w\tf32[3]\t12" and fields["use"] == "weight" and fields["zeros"] == "3"


def test_a_person_reads_scales_and_the_parts_along_a_dimension(cpb, tmp_path):
    path = tmp_path / "m.onnx"
    arrays = [helper.make_tensor("q", 3, [2, 3], [-2, 0, 4, 1, 2, 127]), helper.make_tensor("s", 1, [], [0.5]),
              helper.make_tensor("z", 3, [], [1]), helper.make_tensor("each", 1, [2], [0.5, 2])]
    for scale, words in ("s", "-2 to 127 with the scale 0.5 and the zero point 1"), ("each", "-2 to 127 with 2 scales"):
        node = helper.make_node("DequantizeLinear", ["q", scale, "z"][:3 if scale == "s" else 2], ["y"], axis=0)
        onnx.save(helper.make_model(helper.make_graph([node], "g", [], [], arrays)), path)
        text = cpb.ok("inspect", path, "weights", "q", "--axis", 0, "--width", 120).decode()
        assert f"  quantized  {words}; these are the real values:\n" in text and "  parts      2 along dimension 0\n" in text
        fields = dict(line.split("\t", 1) for line in cpb.ok("inspect", path, "weights", "q", "--axis", 0, "--tsv").decode().splitlines())
        assert fields["quantized"].startswith("-2\t127\t") and fields["parts"] == "2\t0"
        narrow, wide = ("-1.5 to 1.5", "0 to 63") if scale == "s" else ("-1 to 2", "2 to 254")
        assert f"  narrowest  {narrow}  part 0\n" in text and f"  widest     {wide}  part 1\n" in text
        assert fields["widest"] == f"{wide.replace(' to ', chr(9))}\t1"


def test_every_kind_has_the_same_words_for_weights(cpb, keras):
    zipped = DATA / "samediff_small" / "minimal.zip"
    for path, name in (keras, "conv2d/kernel"), (keras, "root.layer_with_weights-0.kernel"), (zipped, "weights"):
        texts = {cpb.ok("inspect", path, word, name, "--json") for word in ("weights", "tensors", "initializers", "parameters")}
        assert len(texts) == 1


def described(tmp_path, text, entries):
    graph = helper.make_graph([], "g", [], [], [helper.make_tensor("w", 1, [2], [1, 2]), helper.make_tensor("q", 3, [4], [0] * 4)])
    model = helper.make_model(graph, doc_string=text, domain="org.example", model_version=3)
    onnx.helper.set_model_props(model, {f"key {i}": f"value {i}" for i in range(entries)})
    onnx.save(model, tmp_path / "m.onnx")
    return tmp_path / "m.onnx"


def test_the_summary_says_what_a_model_says_of_itself(cpb, tmp_path):
    path = described(tmp_path, "A text.\nOf two lines", 2)
    text = cpb.ok("inspect", path, env={"LC_ALL": "C.UTF-8"}).decode()
    assert "\n  description  A text. Of two lines\n  version      3\n  domain       org.example\n  key 0        value 0\n" in text
    assert "Whole texts" not in text and " f32 8 B · i8 4 B\n" in text
    lines = cpb.ok("inspect", "--tsv", path).decode().splitlines()
    assert "about\tkey 1\tvalue 1" in lines and "dtype\tint8\t4\t4" in lines


def test_long_summaries_are_cut_with_a_hint(cpb, tmp_path):
    text = cpb.ok("inspect", described(tmp_path, "long " * 100, 2), env={"LC_ALL": "C.UTF-8"}).decode()
    assert "…\n" in text and "  Whole texts: cpb inspect MODEL overview\n" in text
    text = cpb.ok("inspect", described(tmp_path, "short", 90)).decode()
    assert "  85 more: cpb inspect MODEL overview\n" in text
