"""SavedModels for tests/model, made once into build/models/saved_models."""

from support import models


def make_rich(out):
    """What TensorFlow 2 can put into a SavedModel, small."""
    import tensorflow as tf

    class Block(tf.Module):
        def __init__(self, size):
            self.weight = tf.Variable(tf.ones([4, size]), name="weight")
            self.frozen = tf.Variable([1, 2, 3], trainable=False, name="counts", dtype=tf.int64)

        @tf.function
        def __call__(self, x, training=False, *, scale=2.0):
            return tf.matmul(x, self.weight) * scale

    class Rich(tf.Module):
        def __init__(self, vocabulary):
            self.block = Block(3)
            self.blocks = [Block(2), Block(5)]
            self.named = {"a.b": tf.Variable(3.0), "c": self.block}
            self.again = self.block
            self.me = self
            self.asset = tf.saved_model.Asset(vocabulary)
            self.table = tf.lookup.StaticHashTable(
                tf.lookup.TextFileInitializer(vocabulary, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64,
                                              tf.lookup.TextFileIndex.LINE_NUMBER), -1)

        @tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float32, name="features")])
        def serve(self, features):
            return {"logits": self.block(features), "big": features + tf.ones([1, 4]) * self.named["a.b"]}

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def look_up(self, words):
            return self.table.lookup(words)

        @tf.function
        def many(self, value, mode="fast", options=None, *rest, deep=True):
            return tf.reduce_sum(value["x"]) + tf.cast(value["y"][0], tf.float32)

        @tf.function(input_signature=[tf.SparseTensorSpec([None, 5], tf.float32), tf.RaggedTensorSpec([None, None], tf.int64)])
        def composite(self, sparse, ragged):
            return tf.sparse.to_dense(sparse), ragged.to_tensor()

        @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
        def loop(self, n):
            total = 0
            for i in tf.range(n):
                total += tf.cond(i > 2, lambda: i * 2, lambda: i)
            return total

    vocabulary = out.parent / ".vocabulary.txt"
    vocabulary.write_text("one\ntwo\n")
    module = Rich(str(vocabulary))
    module.many({"x": tf.ones([2, 3]), "y": [tf.constant(1), tf.constant(2.0)]})
    module.many({"x": tf.ones([7]), "y": [tf.constant(1)]}, "slow", (1, 2.5, None, "text"), deep=False)
    module.block(tf.ones([1, 4]), scale=3.0)
    module.blocks[0](tf.ones([1, 4]), True)
    tf.saved_model.save(module, str(out), signatures={"serving_default": module.serve, "look_up": module.look_up,
                                                      "loop": module.loop})


def make_parts(out):
    """Parts that need what is not below them: variables, a table and its asset, gradients, constants, slots."""
    import tensorflow as tf
    import tf_keras as keras

    @tf.custom_gradient
    def doubled_gradient(x):
        return x * 1.0, lambda upstream: 2.0 * upstream

    class Part(tf.Module):
        def __init__(self, whole, number):
            self.weight = tf.Variable(tf.fill([3], float(number)))
            self.constant = tf.fill([3], float(10 * number))  # captured, as it is no node of the function
            self.whole = None
            call = lambda x: doubled_gradient(x) * self.weight + self.constant + whole.common
            self.call = tf.function(call, [tf.TensorSpec([None, 3])])

    class Whole(tf.Module):
        def __init__(self, vocabulary):
            self.deep = tf.Module()
            self.deep.deeper = tf.Module()
            self.deep.deeper.common = self.common = tf.Variable([100.0, 200.0, 300.0])
            self.other = tf.Variable(tf.ones([5]))
            self.parts = [Part(self, 1), Part(self, 2)]
            table = tf.lookup.StaticHashTable(
                tf.lookup.TextFileInitializer(vocabulary, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64,
                                              tf.lookup.TextFileIndex.LINE_NUMBER), -1)
            self.words = tf.Module()
            self.words.table = table
            self.words.look_up = tf.function(table.lookup, [tf.TensorSpec([None], tf.string)])
            self.unused = tf.saved_model.Asset(str(out.parent / ".unused.txt"))
            self.optimizer = keras.optimizers.legacy.Adam()

        @tf.function(input_signature=[tf.TensorSpec([None, 3])])
        def serve(self, x):
            return {"y": self.parts[0].call(x) + self.parts[1].call(x)}

    (out.parent / ".parts.txt").write_text("one\ntwo\n")
    (out.parent / ".unused.txt").write_text("unused\n")
    whole = Whole(str(out.parent / ".parts.txt"))
    whole.optimizer.apply_gradients([(tf.ones([3]), whole.parts[0].weight)])
    tf.saved_model.save(whole, str(out), signatures={"serving_default": whole.serve, "words": whole.words.look_up},
                        options=tf.saved_model.SaveOptions(experimental_custom_gradients=True,
                                                           function_aliases={"first": whole.parts[0].call}))


def make_arguments(out):
    """Functions that are called with all that Python has."""
    import collections
    import tensorflow as tf
    Point = collections.namedtuple("Point", ["y", "x"])

    class Module(tf.Module):
        @tf.function
        def every(self, first, second=3, *rest, keyword, other=None, **more):
            return {"first": first, "nested": [first, (first,)], "none": None}

        @tf.function
        def nest(self, value):
            return tf.constant(1)

    module, c = Module(), tf.constant
    module.every(c(1.0), 4, c(2), c([1, 2]), keyword=c("s"))
    module.every(c(1.0), keyword=1, zed=c(True), alpha=5)
    module.every(c(1.0), float("inf"), keyword=float("nan"), other=[2**40, -1e-300, (2, "\u00fc", {"k": None})])
    for value in (Point(c(1.0), [c(2), {"a": c("x")}]), {}, [], (), {"b": c(1), "a": c(2), "": [True]},
                  tf.RaggedTensor.from_row_lengths([1, 2, 3], [2, 1]), tf.sparse.from_dense([[1.0, 0.0]]),
                  tf.IndexedSlices(c([1.0]), c([0]), c([5])), tf.TensorShape([None, 3]), tf.TensorShape(None), tf.float16,
                  tf.data.Dataset.range(3)):
        module.nest(value)
    module.nest.get_concrete_function(tf.TensorSpec(None, tf.bfloat16, name="any"))
    tf.saved_model.save(module, str(out))


def make_v1(out):
    """TensorFlow 1: two meta graphs, collections, variables of both kinds, an asset, a main operation."""
    import tensorflow as tf
    v1 = tf.compat.v1
    vocabulary = out.parent / ".v1.txt"
    vocabulary.write_text("one\n")
    builder = v1.saved_model.Builder(str(out))
    for tags in (["train"], ["serve", "gpu"]):
        with tf.Graph().as_default(), v1.Session() as session:
            x = v1.placeholder(tf.float32, [None, 3], name="x")
            old = v1.get_variable("old", [3, 2], use_resource=False)
            new = v1.get_variable("new", [2], use_resource=True)
            v1.get_variable("apart", [9], use_resource=True)
            y = tf.identity(tf.matmul(x, old) + new, name="y")
            asset = tf.constant(str(vocabulary), name="asset_file")
            v1.add_to_collection(v1.GraphKeys.ASSET_FILEPATHS, asset)
            v1.add_to_collection("numbers", 7)
            session.run(v1.global_variables_initializer())
            signature = v1.saved_model.build_signature_def(
                {"x": v1.saved_model.build_tensor_info(x)}, {"y": v1.saved_model.build_tensor_info(y)}, "predict")
            options = {"signature_def_map": {"serving_default": signature}, "main_op": tf.group(name="main"),
                       "assets_collection": v1.get_collection(v1.GraphKeys.ASSET_FILEPATHS)}
            if tags == ["train"]:
                builder.add_meta_graph_and_variables(session, tags, **options)
            else:
                builder.add_meta_graph(tags, **options)
    builder.save()


models.MAKERS |= {f"saved_models_{name[5:]}": make for name, make in globals().items() if name.startswith("make_")}


def model(name):
    """The folder of the model, which is made if it is not there."""
    return models.model(f"saved_models_{name}")
