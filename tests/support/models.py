"""Real models for the tests, made once into build/models, when a test first asks for one or
all at a time by

    python3 tests/support/models.py [NAME ...]

keras         a Keras application model exported as SavedModel (MobileNetV2)
frozen        a frozen GraphDef of more than 100 MB (ResNet101), in a SavedModel
              and alone
mobilenet     MobileNetV2 with its weights in the message, 14 MB
functions     a tf.Module with many functions
onnx          an ONNX ModelProto of 16 MB, with its descriptor set
descriptors   a FileDescriptorSet, with its own descriptor set

Weights are random: no model is downloaded.
"""

import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "tests"))

from support.once import once  # noqa: E402

MODELS = pathlib.Path(os.environ.get("CPB_MODELS", ROOT / "build" / "models"))


def make_keras(out):
    import tensorflow as tf
    tf.keras.applications.MobileNetV2(weights=None, input_shape=(96, 96, 3)).export(str(out), verbose=False)


def freeze(model, out):
    """Writes graph.pb, which has the weights as constants, and saved_model.pb around it."""
    import tensorflow as tf
    from tensorflow.core.protobuf import saved_model_pb2
    from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

    call = tf.function(lambda x: model(x, training=False))
    concrete = call.get_concrete_function(tf.TensorSpec([1, 224, 224, 3], tf.float32))
    graph = convert_variables_to_constants_v2(concrete).graph.as_graph_def()
    out.mkdir()
    (out / "graph.pb").write_bytes(graph.SerializeToString(deterministic=True))
    saved = saved_model_pb2.SavedModel(saved_model_schema_version=1)
    meta = saved.meta_graphs.add()
    meta.meta_info_def.tags.append("serve")
    meta.graph_def.CopyFrom(graph)
    (out / "saved_model.pb").write_bytes(saved.SerializeToString(deterministic=True))


def make_frozen(out):
    import tensorflow as tf
    freeze(tf.keras.applications.ResNet101(weights=None), out)


def make_mobilenet(out):
    import tensorflow as tf
    freeze(tf.keras.applications.MobileNetV2(weights=None), out)


def make_functions(out):
    import tensorflow as tf

    class Module(tf.Module):
        def __init__(self):
            self.scale = tf.Variable(2.0)

    module = Module()
    for k in range(200):
        def body(x, k=k):
            for step in range(10):
                x = tf.math.sin(x * module.scale) + float(k * step)
            return x
        setattr(module, f"f{k}", tf.function(body, input_signature=[tf.TensorSpec([None], tf.float32)]))
    tf.saved_model.save(module, str(out))


def descriptor_set(*files):
    from google.protobuf import descriptor_pb2
    result = descriptor_pb2.FileDescriptorSet()
    seen = set()

    def add(file):
        if file.name in seen:
            return
        seen.add(file.name)
        for dependency in file.dependencies:
            add(dependency)
        file.CopyToProto(result.file.add())

    for file in files:
        add(file)
    return result.SerializeToString()


def make_onnx(out):
    import numpy as np
    import onnx
    from onnx import helper, numpy_helper

    random = np.random.default_rng(1)
    size = 256
    names = [f"layer{i}" for i in range(64)]
    weights = [numpy_helper.from_array(random.standard_normal((size, size), dtype=np.float32), n) for n in names]
    nodes = [helper.make_node("MatMul", [f"x{i}", n], [f"x{i + 1}"]) for i, n in enumerate(names)]
    value = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "chain", [value("x0", 1, [1, size])], [value(f"x{len(names)}", 1, [1, size])],
                              weights)
    out.mkdir()
    (out / "model.pb").write_bytes(helper.make_model(graph).SerializeToString(deterministic=True))
    (out / "onnx.fds").write_bytes(descriptor_set(onnx.onnx_ml_pb2.DESCRIPTOR))


def make_descriptors(out):
    from google.protobuf import descriptor_pb2
    from tensorflow.core.protobuf import config_pb2, saved_model_pb2
    out.mkdir()
    (out / "set.pb").write_bytes(descriptor_set(saved_model_pb2.DESCRIPTOR, config_pb2.DESCRIPTOR))
    (out / "descriptor.fds").write_bytes(descriptor_set(descriptor_pb2.DESCRIPTOR))


MAKERS = {name[5:]: make for name, make in globals().items() if name.startswith("make_")}


def model(name):
    """The folder of the model, which is made if it is not there."""
    return once(MODELS / name, MAKERS[name])


# The model with weights that tests take. Its size proves little that tests/fault/test_memory.py, with
# far larger messages, does not; so the large one is for when all tests are asked for.
LARGE = "frozen" if "CPB_TEST_ALL" in os.environ else "mobilenet"


if __name__ == "__main__":
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    from support import fact_models, keras_models, models, saved_models  # noqa: F401  they add makers of their own
    for wanted in sys.argv[1:] or [name for name in models.MAKERS if name != "frozen" or LARGE == name]:
        print(f"{wanted}: {models.model(wanted)}", flush=True)
