"""Models whose facts tests/model/test_facts.py compares, made once into build/models/facts_*: what
people have, by what they have it from. What Keras says of its own is beside them (keras.json)."""

import json
import os

from support import models, saved_models

# --- Keras ----------------------------------------------------------------------------------


def mobilenet(keras):
    return keras.applications.MobileNetV2(weights=None)


def small(keras):
    return keras.applications.MobileNetV2(weights=None, alpha=0.35, input_shape=(96, 96, 3))


def resnet(keras):
    return keras.applications.ResNet50(weights=None)


def bilstm(keras):
    layers = keras.layers
    words = keras.Input((None,), dtype="int32", name="words")
    x = layers.Embedding(2000, 64, name="embedding")(words)
    x = layers.Bidirectional(layers.LSTM(32, return_sequences=True), name="both")(x)
    x = layers.Bidirectional(layers.LSTM(16), name="both_again")(x)
    x = layers.Dense(32, activation="relu", name="dense")(x)
    frozen = layers.Dense(8, trainable=False, name="frozen")(x)
    return keras.Model(words, layers.Dense(1, activation="sigmoid", name="score")(frozen), name="bilstm")


def transformer(keras):
    layers = keras.layers
    words = keras.Input((24,), dtype="int32", name="words")
    x = layers.Embedding(1000, 32, name="embedding")(words)
    for i in range(2):
        attended = layers.MultiHeadAttention(num_heads=4, key_dim=8, name=f"attend_{i}")(x, x)
        x = layers.LayerNormalization(name=f"norm_{i}")(layers.Add(name=f"add_{i}")([x, attended]))
        y = layers.Dense(64, activation="gelu", name=f"wide_{i}")(x)
        x = layers.LayerNormalization(name=f"norm_{i}b")(layers.Add(name=f"add_{i}b")([x, layers.Dense(32, name=f"narrow_{i}")(y)]))
    return keras.Model(words, layers.Dense(4, name="head")(layers.GlobalAveragePooling1D(name="mean")(x)), name="transformer")


def shape_of(tensors):
    """Of a layer's input; a list of them if it has several."""
    shapes = [list(t.shape) for t in (tensors if isinstance(tensors, (list, tuple)) else [tensors])]
    return shapes[0] if len(shapes) == 1 else shapes


def total_of(model, line):
    """What model.summary() prints behind "Total params", say."""
    lines = []
    model.summary(print_fn=lambda text, **_: lines.append(text))
    (found,) = [text for text in "\n".join(lines).splitlines() if text.strip().startswith(line)]
    return int(found.split(":")[1].split("(")[0].replace(",", ""))


def said_by_keras(model):
    """What model.summary() prints, and what count_params() and the layers' own members say."""
    return {
        "class": type(model).__name__,
        "name": model.name,
        "parameters": model.count_params(),
        "summary": {line: total_of(model, f"{line} params") for line in ("Total", "Trainable", "Non-trainable")},
        "weights": len(model.weights),
        "layers": [{"name": layer.name, "class": type(layer).__name__, "parameters": layer.count_params(),
                    "input_shape": shape_of(layer.input)} for layer in model.layers],
    }


def make_by(build, which):
    def make(out):
        if which == "tf_keras":
            import tf_keras as keras
        else:
            import keras
        keras.utils.set_random_seed(1)
        model = build(keras)
        if which == "tf_keras":
            model.save(str(out), save_format="tf")
        else:
            model.export(str(out), format="tf_saved_model", verbose=False)
        (out / "keras.json").write_text(json.dumps(said_by_keras(model), indent=1))
    return make


# --- TensorFlow -----------------------------------------------------------------------------


def make_module(out):
    """A table, loops, branches, ragged and sparse tensors, and dictionaries within others."""
    import tensorflow as tf

    class Module(tf.Module):
        def __init__(self, vocabulary):
            self.weight = tf.Variable(tf.random.stateless_normal([64, 3], [1, 2]), name="weight")
            self.steps = tf.Variable(0, dtype=tf.int64, trainable=False, name="steps")
            self.table = tf.lookup.StaticHashTable(
                tf.lookup.TextFileInitializer(vocabulary, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64,
                                              tf.lookup.TextFileIndex.LINE_NUMBER), -1)

        @tf.function(input_signature=[{"d": tf.TensorSpec([None], tf.float32, name="d"),
                                       "in": {"d": tf.TensorSpec([None, 2], tf.float32, name="d"),
                                              "deeper": [tf.TensorSpec([], tf.int32, name="d")]}}])
        def nested(self, value):
            return {"sum": tf.reduce_sum(value["d"]) + tf.reduce_sum(value["in"]["d"]),
                    "count": value["in"]["deeper"][0] + 1}

        @tf.function(input_signature=[tf.TensorSpec([None, 64], tf.float32, name="x"), tf.TensorSpec([], tf.int32, name="n")])
        def loop(self, x, n):
            y = tf.matmul(x, self.weight)
            for i in tf.range(n):
                y = tf.cond(i % 2 == 0, lambda: tf.sin(y), lambda: y + 1.0)
            return {"y": y}

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="words")])
        def look_up(self, words):
            return {"ids": self.table.lookup(words)}

        @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.float32), tf.SparseTensorSpec([None, 5], tf.int64)])
        def composite(self, ragged, sparse):
            return tf.reduce_sum(ragged, axis=1), tf.sparse.to_dense(sparse)

    vocabulary = out.parent / ".facts.txt"
    vocabulary.write_text("one\ntwo\nthree\n")
    module = Module(str(vocabulary))
    tf.saved_model.save(module, str(out), signatures={"serving_default": module.loop, "nested": module.nested,
                                                      "look_up": module.look_up})


def make_custom(out):
    """The same, with an operation of a branch, within the loop, that TensorFlow does not have."""
    from tensorflow.core.protobuf import saved_model_pb2
    whole = (models.model("facts_module") / "saved_model.pb").read_bytes()
    saved = saved_model_pb2.SavedModel.FromString(whole)
    functions = saved.meta_graphs[0].graph_def.library.function
    (sine,) = [node for function in functions for node in function.node_def if node.op == "Sin"]
    sine.op = "MyCustomSin"
    out.mkdir()
    (out / "saved_model.pb").write_bytes(saved.SerializeToString())


def make_nodes(out):
    """A function of 12,001 nodes."""
    import tensorflow as tf

    def chain(x):
        for i in range(30):
            with tf.name_scope(f"part_{i}"):
                for k in range(100):
                    with tf.name_scope(f"step_{k}"):
                        x = tf.nn.relu(tf.sin(x) * x + x)
        return x

    module = tf.Module()
    module.chain = tf.function(chain, input_signature=[tf.TensorSpec([None, 4], tf.float32, name="x")])
    tf.saved_model.save(module, str(out))


def make_constants(out):
    """21 constants of 16 MB each: 336 MB."""
    import numpy as np
    import tensorflow as tf
    v1 = tf.compat.v1
    random = np.random.default_rng(1)
    with tf.Graph().as_default(), v1.Session() as session:
        x = y = v1.placeholder(tf.float32, [None, 2000], name="x")
        for i in range(21):
            weight = random.standard_normal((2000, 2000), dtype=np.float32)
            y = tf.matmul(y, tf.constant(weight, name=f"layer_{i}/weight"), name=f"layer_{i}/matmul")
        v1.saved_model.simple_save(session, str(out), {"x": x}, {"y": y})


KERAS = {"tfk_small": make_by(small, "tf_keras"), "tfk_bilstm": make_by(bilstm, "tf_keras"),
         "k3_small": make_by(small, "keras"), "k3_transformer": make_by(transformer, "keras")}
LARGE = {"tfk_mobilenet": make_by(mobilenet, "tf_keras"), "tfk_resnet": make_by(resnet, "tf_keras"),
         "k3_mobilenet": make_by(mobilenet, "keras"), "k3_resnet": make_by(resnet, "keras"),
         "constants": make_constants}
OTHERS = {"module": make_module, "custom": make_custom, "nodes": make_nodes}
MAKERS = KERAS | OTHERS | (LARGE if "CPB_TEST_ALL" in os.environ else {})
models.MAKERS |= {f"facts_{name}": make for name, make in MAKERS.items()}

NAMES = [*MAKERS, "v1", "frozen"]


def folder_of(name):
    """The folder of the model, which is made if it is not there."""
    if name == "v1":
        return saved_models.model("v1")
    return models.model("mobilenet" if name == "frozen" else f"facts_{name}")
