"""Keras models for the tests, saved as SavedModels with what tf_keras says of them
beside it (truth.json), made once into build/models/keras_*."""

import json

from support import models


# --- Models ---------------------------------------------------------------------

def functional():
    """Two inputs and outputs, a layer called twice, operators, keyword arguments."""
    import tf_keras as keras
    from tf_keras import layers as L
    image, words = keras.Input((16, 16, 3), name="image"), keras.Input((7,), dtype="int32", name="words")
    x = L.Conv2D(8, 3, strides=2, name="stem")(image)
    x = L.BatchNormalization(name="norm")(x)
    x = L.ReLU()(x)
    x = L.DepthwiseConv2D(3, depth_multiplier=2)(x)
    x = L.SeparableConv2D(6, 3, use_bias=False)(x)
    x = L.GlobalAveragePooling2D()(x)
    y = L.Embedding(50, 8)(words)
    y = L.MultiHeadAttention(num_heads=2, key_dim=4, name="attend")(query=y, value=y)
    y = L.LSTM(6)(y)
    twice = L.Dense(6, name="twice")
    z = L.Concatenate()([twice(x), twice(y)])
    z = z * 2.0 + 1.0
    z = L.Dropout(0.5)(z)
    a, b = L.Dense(3, name="a")(z), L.Dense(1, activation="sigmoid", name="b")(z)
    model = keras.Model([image, words], {"first": a, "second": b}, name="two")
    model.compile("adam", loss={"first": "mse", "second": "binary_crossentropy"},
                  metrics={"second": ["accuracy"]})
    return model


def sequential():
    import tf_keras as keras
    from tf_keras import layers as L
    return keras.Sequential([
        L.InputLayer((12,), dtype="int32", name="tokens"),
        L.Embedding(30, 8, name="embed"),
        L.Conv1D(12, 3, groups=2, name="conv"),
        L.Bidirectional(L.GRU(5, return_sequences=True), name="both"),
        L.TimeDistributed(L.Dense(4), name="each"),
        L.LayerNormalization(name="norm"),
        L.SimpleRNN(3, name="simple"),
        L.Dense(2, trainable=False, name="frozen"),
    ], name="line")


def without_input():
    """A Sequential that learns its shape from the first call."""
    import numpy as np
    import tf_keras as keras
    model = keras.Sequential([keras.layers.Dense(4), keras.layers.BatchNormalization(), keras.layers.Dense(2)],
                             name="late")
    model(np.zeros((3, 5), "float32"))
    return model


def nested():
    """Models in models, one of them frozen, and a layer that two models share."""
    import tf_keras as keras
    from tf_keras import layers as L
    shared = L.Dense(4, name="shared")
    inner = keras.Sequential([L.InputLayer((4,)), L.Dense(4, name="dense"), shared], name="inner")
    side = keras.Input((4,), name="side")
    outer = keras.Model(side, [inner(side), shared(side)], name="outer")
    frozen = keras.Sequential([L.InputLayer((4,)), L.Dense(7, name="dense"), L.BatchNormalization()], name="frozen")
    frozen.trainable = False
    start = keras.Input((4,), name="start")
    one, two = outer(start)
    return keras.Model(start, [frozen(one), shared(two), outer(L.Dense(4, name="dense")(two))], name="nested")


def subclassed():
    import numpy as np
    import tf_keras as keras
    from tf_keras import layers as L

    class Scale(L.Layer):
        def build(self, shape):
            self.factor = self.add_weight("factor", (shape[-1],))
            self.offset = self.add_weight("offset", (), trainable=False)

        def call(self, x):
            return x * self.factor + self.offset

    class Block(keras.Model):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.dense, self.scale = L.Dense(5), Scale()

        def call(self, x):
            return self.scale(self.dense(x))

    class Net(keras.Model):
        def __init__(self):
            super().__init__(name="net")
            self.blocks = [Block(name=f"block{i}") for i in range(3)]
            self.heads = {"x.y": L.Dense(2, name="left"), "right": L.Dense(3, name="right")}
            self.tail = L.LSTM(4)

        def call(self, x):
            for block in self.blocks:
                x = block(x)
            return self.heads["x.y"](x), self.heads["right"](x), self.tail(x[:, None, :])

    net = Net()
    net(np.zeros((2, 6), "float32"))
    return net


def half():
    """Mixed precision: the dtype is a policy."""
    import tf_keras as keras
    dense = keras.layers.Dense(3, dtype=keras.mixed_precision.Policy("mixed_float16"), name="dense")
    return keras.Sequential([keras.layers.InputLayer((2,)), dense], name="half")


def zoo():
    """Every layer class that has a rule for its parameters, with what changes their number."""
    import numpy as np
    import tf_keras as keras
    from tf_keras import layers as L
    flat, line, image, volume = (keras.Input(shape) for shape in ((6,), (9, 6), (8, 9, 4), (5, 6, 7, 2)))
    video = keras.Input((3, 8, 9, 2))
    learned = L.Normalization()
    learned.adapt(np.ones((4, 6)))
    learned_by_axis = L.Normalization(axis=1)
    learned_by_axis.adapt(np.ones((4, 9, 6)))
    cases = [
        (flat, [L.Dense(3, use_bias=False), L.EinsumDense("ab,bc->ac", 7), L.EinsumDense("ab,bc->ac", 7, bias_axes="c"),
               L.BatchNormalization(scale=False), L.LayerNormalization(center=False), L.PReLU(), L.Activation("relu"),
               L.Softmax(), L.LeakyReLU(), L.ELU(), L.ThresholdedReLU(), L.RepeatVector(2), L.Reshape((3, 2)),
               L.GaussianNoise(0.1), L.GaussianDropout(0.1), L.AlphaDropout(0.1), L.UnitNormalization(),
               L.ActivityRegularization(0.1), learned, L.Normalization(mean=1.0, variance=2.0), L.Identity(),
               L.CategoryEncoding(5), L.Discretization([0.0, 1.0]), L.Rescaling(2.0), L.Lambda(lambda x: x + 1)]),
        (line, [L.EinsumDense("...x,xy->...y", 8, bias_axes="y"), L.EinsumDense("abc,cde->abde", (None, 2, 3), bias_axes="de"),
               L.EinsumDense("abc,bd->adc", (4, 6)), L.EinsumDense("ab...,bc->ac...", 4, bias_axes="c"),
               L.Conv1D(4, 2), L.Conv1DTranspose(4, 2), L.DepthwiseConv1D(3), L.SeparableConv1D(4, 2, depth_multiplier=3),
               L.Dense(4), L.SimpleRNN(3, use_bias=False), L.GRU(3, reset_after=False), L.GRU(4), L.LSTM(4, use_bias=False),
               L.RNN(L.LSTMCell(3)), L.RNN([L.GRUCell(3), L.SimpleRNNCell(2)]), L.Bidirectional(L.LSTM(2)),
               L.TimeDistributed(L.Dense(2)), L.LayerNormalization(axis=[1, 2]), L.BatchNormalization(axis=1),
               L.GroupNormalization(2), L.MaxPooling1D(), L.AveragePooling1D(), L.GlobalMaxPooling1D(),
               L.GlobalAveragePooling1D(), L.ZeroPadding1D(), L.Cropping1D(), L.UpSampling1D(), L.Permute((2, 1)),
               L.Masking(), L.SpatialDropout1D(0.1), learned_by_axis, L.Flatten(), L.PReLU(shared_axes=[1])]),
        (image, [L.Conv2D(6, (3, 2), groups=2), L.Conv2D(6, 3, use_bias=False), L.Conv2DTranspose(3, 3),
                L.Conv2D(5, 3, data_format="channels_first"), L.DepthwiseConv2D(3, depth_multiplier=3, use_bias=False),
                L.SeparableConv2D(5, (1, 3)), L.BatchNormalization(), L.PReLU(shared_axes=[1, 2]), L.MaxPooling2D(),
                L.AveragePooling2D(), L.GlobalMaxPooling2D(), L.ZeroPadding2D(), L.Cropping2D(), L.UpSampling2D(),
                L.SpatialDropout2D(0.1), L.Resizing(4, 4), L.CenterCrop(4, 4), L.RandomFlip(), L.RandomRotation(0.1)]),
        (volume, [L.Conv3D(3, 2), L.Conv3DTranspose(2, (1, 2, 3)), L.MaxPooling3D(), L.GlobalAveragePooling3D(),
                 L.ZeroPadding3D(), L.UpSampling3D()]),
        (video, [L.ConvLSTM2D(4, 3), L.ConvLSTM2D(4, 3, use_bias=False), L.TimeDistributed(L.Conv2D(2, 3))]),
    ]
    outputs = [layer(x) for x, layers in cases for layer in layers]
    outputs += [L.Attention(use_scale=True)([line, line]), L.Attention(score_mode="concat")([line, line]),
                L.Dot(1)([flat, flat]), L.MultiHeadAttention(2, 3, value_dim=5, output_shape=4)(line, line)]
    outputs += [layer()([flat, flat]) for layer in (L.Add, L.Subtract, L.Multiply, L.Average, L.Maximum, L.Minimum)]
    return keras.Model([x for x, _ in cases], outputs, name="zoo")


def reused():
    """Layers and models that were called elsewhere before; a model made of parts of another; inputs by name."""
    import tensorflow as tf
    import tf_keras as keras
    from tf_keras import layers as L
    elsewhere = L.Dense(3, name="elsewhere")
    elsewhere(keras.Input((3,)))
    start = keras.Input((3,))
    inner = keras.Model(start, elsewhere(start), name="inner")
    inner(keras.Input((3,)))
    half_way = L.Dense(4, name="half_way")(start)
    whole = keras.Model(start, L.Dense(5, name="rest")(half_way), name="whole")
    front = keras.Model(whole.input, whole.get_layer("half_way").output, name="front")
    line = keras.Sequential([keras.Input((3,)), elsewhere, L.Dense(2, name="own")], name="line")
    inputs = {"b": keras.Input((3,), name="bb"), "a": keras.Input((3,), name="aa")}
    x = inner(inputs["a"])
    elsewhere(keras.Input((3,)))
    y, state, other = L.LSTM(2, return_state=True, return_sequences=True, name="states")(L.Reshape((3, 1))(elsewhere(x)))
    outputs = {"parts": [front(x), whole(inputs["b"]), line(x)], "again": inner(elsewhere(x)), "y": y,
               "sum": L.Add()([other, state]), "square": L.Multiply()([x, x]), "passed": inputs["b"]}
    model = keras.Model(inputs, outputs, name="reused")
    model.add_loss(tf.reduce_mean(x))
    model.add_metric(tf.reduce_sum(x), name="sum", aggregation="mean")
    return model


def in_part():
    """Recurrent cells of several kinds, wrappers and models of which a part is frozen."""
    import tf_keras as keras
    from tf_keras import layers as L
    line, video = keras.Input((5, 3)), keras.Input((5, 6, 6, 2))
    both, each, attend = L.Bidirectional(L.LSTM(2), trainable=False), L.TimeDistributed(L.Dense(3)), L.MultiHeadAttention(2, 3)
    image = keras.Sequential([L.Conv2D(2, 2), L.BatchNormalization(), L.Flatten(), L.Dense(3)], name="image")
    outputs = [both(line), each(line), attend(line, line), L.TimeDistributed(image)(video),
               L.RNN(L.StackedRNNCells([L.LSTMCell(3), L.GRUCell(4)]))(line),
               L.Bidirectional(L.GRU(2), backward_layer=L.LSTM(3, go_backwards=True))(line),
               L.LSTM(3)(line, initial_state=[L.Dense(3)(L.Flatten()(line)), L.Dense(3)(L.Flatten()(line))]),
               L.BatchNormalization(trainable=False)(line)]
    each.layer.trainable = False
    attend._query_dense.trainable = False
    image.layers[1].trainable = False
    return keras.Model([line, video], outputs, name="in_part")


BUILDERS = {f.__name__: f for f in (functional, sequential, without_input, nested, subclassed, half, zoo, reused, in_part)}


# --- What tf_keras says -----------------------------------------------------------

def shape(value):
    return value if value is None else [list(s) for s in value] if isinstance(value, list) else list(value)


def ordinal(model, layer, node_index):
    """Which of its calls in this model, from 0: the layer may have been called elsewhere, too."""
    return sum(f"{layer.name}_ib-{i}" in model._network_nodes for i in range(node_index))


def calls(model, layer):
    """What the layer is called with in this model: for each call [layer, which of its calls, which output]."""
    nodes = [node for i, node in enumerate(layer.inbound_nodes)
             if f"{layer.name}_ib-{i}" in model._network_nodes and not node.is_input]
    return [[[inbound.name, ordinal(model, inbound, index), tensor]
             for inbound, index, tensor, _ in node.iterate_inbound()] for node in nodes]


def describe(layer, model=None):
    import numpy as np
    import tf_keras as keras
    children = layer.layers if isinstance(layer, keras.Model) else list(layer._flatten_layers(False, False))
    is_network = isinstance(layer, keras.Model) and getattr(layer, "_is_graph_network", False)
    if isinstance(layer, keras.Sequential):
        children = list(layer._flatten_layers(False, False)) # with its InputLayer
    said = {
        "class": type(layer).__name__,
        "name": layer.name,
        "dtype": layer._dtype_policy.name if hasattr(layer, "_dtype_policy") else layer.dtype,
        "trainable": bool(layer.trainable),
        "parameters": int(sum(np.prod(w.shape) for w in layer.weights)),
        "trainable_parameters": int(sum(np.prod(w.shape) for w in layer.trainable_weights)),
        "layers": [describe(child, layer if is_network else None) for child in children],
    }
    if getattr(layer, "_build_input_shape", None) is not None:
        said["input_shape"] = json.loads(json.dumps(layer._build_input_shape, default=shape))
    if model is not None and not isinstance(model, keras.Sequential):
        said["calls"] = calls(model, layer)
    return said


def make(name, out):
    import tf_keras as keras
    keras.utils.set_random_seed(1)
    model = BUILDERS[name]()
    # The functions are many times as large as what is looked at here.
    model.save(str(out), save_format="tf", save_traces=name not in ("zoo", "functional", "reused", "in_part"))
    (out / "truth.json").write_text(json.dumps(describe(model), indent=1))


for _name in BUILDERS:
    models.MAKERS[f"keras_{_name}"] = lambda out, name=_name: make(name, out)


def model(name):
    """The folder of the model, which is made if it is not there."""
    return models.model(f"keras_{name}")


def without_file(name, out):
    """The same model with its metadata in the object graph, as TensorFlow 2.4 wrote them."""
    from tensorflow.core.protobuf import saved_model_pb2
    from tf_keras.protobuf import saved_metadata_pb2
    folder = model(name)
    saved = saved_model_pb2.SavedModel.FromString((folder / "saved_model.pb").read_bytes())
    for node in saved_metadata_pb2.SavedMetadata.FromString((folder / "keras_metadata.pb").read_bytes()).nodes:
        saved.meta_graphs[0].object_graph_def.nodes[node.node_id].user_object.metadata = node.metadata
    out.mkdir()
    (out / "saved_model.pb").write_bytes(saved.SerializeToString())
    return out
