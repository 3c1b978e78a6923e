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


def test_every_kind_has_the_same_words_for_weights(cpb, keras):
    zipped = DATA / "samediff_small" / "minimal.zip"
    for path, name in (keras, "conv2d/kernel"), (keras, "root.layer_with_weights-0.kernel"), (zipped, "weights"):
        texts = {cpb.ok("inspect", path, word, name, "--json") for word in ("weights", "tensors", "initializers", "parameters")}
        assert len(texts) == 1
