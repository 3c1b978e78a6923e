"""Models of Core ML, as coremltools makes them."""

import tempfile

import coremltools as ct
import numpy as np
from coremltools.converters.mil import Builder as mb
from coremltools.converters.mil.mil import Function, Program, types
from coremltools.models import datatypes
from coremltools.models.neural_network import NeuralNetworkBuilder
from coremltools.models.neural_network import flexible_shape_utils as flexible
from coremltools.models.neural_network.quantization_utils import quantize_weights
from coremltools.models.pipeline import PipelineClassifier
from coremltools.models.tree_ensemble import TreeEnsembleClassifier
from coremltools.optimize import coreml as optimize

random = np.random.default_rng(18)


def floats(*shape):
    return random.normal(size=shape).astype(np.float32)


def convert(program, **how):
    return ct.convert(program, **{"convert_to": "mlprogram", "minimum_deployment_target": ct.target.iOS18} | how)


# --- Programs ------------------------------------------------------------------------------------


def simple_program():
    weights, dense = floats(16, 3, 3, 3), floats(10, 16 * 36)

    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 3, 8, 8))])
    def program(x):
        y = mb.relu(x=mb.conv(x=x, weight=weights, pad_type="valid", name="encoder/0/conv"), name="encoder/0/relu")
        y = mb.reshape(x=y, shape=(1, -1), name="flat")
        return mb.softmax(x=mb.linear(x=y, weight=dense, bias=floats(10), name="head/linear"), name="head/softmax")

    return program


def described(model):
    model.author, model.license, model.version = "A. Nonymous", "MIT", "1.2.3"
    model.short_description = "Says what a picture shows. " * 3
    model.input_description["x"] = "a picture"
    model.user_defined_metadata["note"] = "two\nlines"
    return model


def branching_program():
    """A while loop with a condition in it."""

    @mb.program(input_specs=[mb.TensorSpec(shape=(2, 3)), mb.TensorSpec(shape=(1,), dtype=types.int32)])
    def program(x, n):
        def turn(i, y):
            y = mb.cond(pred=mb.less(x=mb.squeeze(x=i), y=2), _true_fn=lambda: mb.add(x=y, y=floats(2, 3), name="grown"),
                        _false_fn=lambda: mb.sub(x=y, y=1.0, name="shrunk"), name="choose")
            return mb.add(x=i, y=1), y

        return mb.while_loop(_cond=lambda i, y: mb.squeeze(x=mb.less(x=i, y=4)), _body=turn, loop_vars=(n, x), name="loop")

    return program


def compressed(kind):
    model = convert(simple_program())
    if kind == "palettized":
        config = optimize.OptimizationConfig(optimize.OpPalettizerConfig(mode="uniform", nbits=4, weight_threshold=0))
        return optimize.palettize_weights(model, config)
    if kind == "six bits":
        config = optimize.OptimizationConfig(optimize.OpPalettizerConfig(mode="uniform", nbits=6, weight_threshold=0))
        return optimize.palettize_weights(model, config)
    if kind == "sparse":
        config = optimize.OptimizationConfig(optimize.OpMagnitudePrunerConfig(target_sparsity=0.5, weight_threshold=0))
        return optimize.prune_weights(model, config)
    how = {"dtype": "int4", "granularity": "per_block", "block_size": 3} if kind == "int4" else {"dtype": "int8"}
    config = optimize.OptimizationConfig(optimize.OpLinearQuantizerConfig(mode="linear_symmetric", weight_threshold=0, **how))
    return optimize.linear_quantize_weights(model, config)


def linear(weights, target, **how):
    """A layer with these weights in 8 bits."""

    @mb.program(input_specs=[mb.TensorSpec(shape=(1, weights.shape[1]))], opset_version=ct.target[target])
    def program(x):
        return mb.linear(x=x, weight=weights, name="dense")

    config = optimize.OptimizationConfig(optimize.OpLinearQuantizerConfig(mode="linear_symmetric", weight_threshold=0, **how))
    return optimize.linear_quantize_weights(convert(program, minimum_deployment_target=ct.target[target]), config)


def odd_types():
    """Inputs of several sizes, a picture, a state."""

    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 3, 8, 8)), mb.StateTensorSpec((4,), dtype=types.fp16)],
                opset_version=ct.target.iOS18)
    def program(x, state):
        y = mb.reduce_mean(x=x, axes=[1, 2, 3], name="mean")
        return mb.add(x=y, y=mb.cast(x=mb.reduce_sum(x=mb.read_state(input=state), name="sum"), dtype="fp32"), name="out")

    return ct.convert(program, convert_to="mlprogram", minimum_deployment_target=ct.target.iOS18,
                      inputs=[ct.ImageType(name="x", shape=(1, 3, 8, 8), color_layout=ct.colorlayout.RGB)])


def flexible_program():
    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 4))])
    def program(x):
        return mb.exp(x=x, name="y")

    shapes = ct.EnumeratedShapes(shapes=[(1, 4), (2, 4), (3, 4)], default=(1, 4))
    return convert(program, inputs=[ct.TensorType(name="x", shape=shapes)])


def several_functions():
    """The default one is neither called main nor the first."""
    kept = tempfile.TemporaryDirectory()
    folder = kept.name
    several = ct.utils.MultiFunctionDescriptor()
    for name, program in (("branch", branching_program()), ("classify", simple_program())):
        convert(program).save(f"{folder}/{name}.mlpackage")
        several.add_function(f"{folder}/{name}.mlpackage", "main", name)
    several.default_function_name = "classify"
    ct.utils.save_multifunction(several, f"{folder}/all.mlpackage")
    model = ct.models.MLModel(f"{folder}/all.mlpackage", skip_model_load=True)
    model.kept = kept  # it is copied from there when it is saved
    return model


def shared_weights():
    weights = floats(4, 4)

    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 4))])
    def program(x):
        w = mb.const(val=weights, name="w")
        return mb.matmul(x=mb.matmul(x=x, y=w, name="first"), y=w, name="second")

    return convert(program, compute_precision=ct.precision.FLOAT32)


def ranges_program():
    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 4))])
    def program(x):
        return mb.exp(x=x, name="y")

    shape = ct.Shape(shape=(ct.RangeDim(1, -1, default=1), 4))
    return convert(program, convert_to="neuralnetwork", minimum_deployment_target=None,
                   inputs=[ct.TensorType(name="x", shape=shape)])


def lookup_program():
    """A table, and indices that lie in the file of weights, too."""
    table, indices = floats(50, 4), np.arange(1000, dtype=np.uint16) % 50

    @mb.program(input_specs=[mb.TensorSpec(shape=(1000, 4))], opset_version=ct.target.iOS18)
    def program(x):
        return mb.add(x=x, y=mb.gather(x=mb.mul(x=table, y=mb.reduce_max(x=x)), indices=indices, axis=0, validate_indices=False))

    return program


PROGRAMS = {
    "half": lambda: described(convert(simple_program())),
    "single": lambda: convert(simple_program(), compute_precision=ct.precision.FLOAT32),
    "older": lambda: convert(simple_program(), minimum_deployment_target=ct.target.iOS15),
    "branching": lambda: convert(branching_program(), compute_precision=ct.precision.FLOAT32),
    "palettized": lambda: compressed("palettized"),
    "six bits": lambda: compressed("six bits"),
    "sparse": lambda: compressed("sparse"),
    "int8": lambda: compressed("int8"),
    "int4": lambda: compressed("int4"),
    "odd types": odd_types,
    "flexible": flexible_program,
    "functions": several_functions,
    "twice": shared_weights,
}

# --- Neural networks --------------------------------------------------------------------------------


def network(mode=None):
    return NeuralNetworkBuilder([("x", datatypes.Array(3, 8, 8))], [("y", datatypes.Array(10))], mode=mode)


def dense_layers():
    b = network()
    b.add_inner_product("first", floats(5, 4), floats(5), 4, 5, True, "x", "a")
    b.add_inner_product("second", floats(3, 5), floats(3), 5, 3, True, "a", "y")
    return b


def many_layers():
    b = network()
    b.add_convolution("conv", 3, 4, 2, 3, 1, 1, "same", 1, floats(2, 3, 3, 4), floats(4), True, input_name="x", output_name="a")
    b.add_convolution("grouped", 2, 8, 3, 3, 1, 1, "valid", 2, floats(3, 3, 2, 8), None, False, input_name="a", output_name="b")
    b.add_convolution("deconv", 8, 4, 2, 2, 2, 2, "valid", 1, floats(2, 2, 8, 4), None, False, is_deconv=True, input_name="b",
                      output_name="c")
    b.add_batchnorm("norm", 4, floats(4), floats(4), floats(4), abs(floats(4)), input_name="c", output_name="d")
    b.add_activation("prelu", "PRELU", "d", "e", params=floats(4))
    b.add_activation("soft", "PARAMETRICSOFTPLUS", "e", "f", params=floats(2, 4))
    b.add_scale("scale", floats(4, 1, 1), floats(4, 1, 1), True, "f", "g", shape_scale=[4, 1, 1], shape_bias=[4, 1, 1])
    b.add_bias("bias", floats(4), "g", "h", shape_bias=[4])
    b.add_load_constant("constant", "k", floats(2, 3, 4), [2, 3, 4])
    b.add_flatten("flat", 0, "h", "i")
    b.add_inner_product("dense", floats(10, 20), floats(10), 20, 10, True, "i", "j")
    b.add_embedding("embed", floats(6, 10), floats(10), 6, 10, True, "j", "l")
    b.add_simple_rnn("rnn", floats(5, 5), floats(5, 10), floats(5), 5, 10, "TANH", ["l", "h0"], ["m", "h1"])
    b.add_gru("gru", [floats(4, 4) for _ in range(3)], [floats(4, 5) for _ in range(3)], [floats(4) for _ in range(3)], 4, 5,
              ["m", "h2"], ["n", "h3"])
    b.add_unilstm("lstm", [floats(3, 3) for _ in range(4)], [floats(3, 4) for _ in range(4)], [floats(3) for _ in range(4)], 3, 4,
                  ["n", "h4", "c4"], ["o", "h5", "c5"], peep=[floats(3) for _ in range(3)])
    lists = [[floats(2, 2) for _ in range(4)], [floats(2, 3) for _ in range(4)], [floats(2) for _ in range(4)]]
    back = [[floats(2, 2) for _ in range(4)], [floats(2, 3) for _ in range(4)], [floats(2) for _ in range(4)]]
    b.add_bidirlstm("both", lists[0], lists[1], lists[2], back[0], back[1], back[2], 2, 3,
                    ["o", "h6", "c6", "h7", "c7"], ["p", "h8", "c8", "h9", "c9"])
    b.add_embedding_nd("nd", "p", "q", 6, 5, floats(5, 6), floats(5))
    b.add_batched_mat_mul("mat", ["q"], "r", weight_matrix_rows=5, weight_matrix_columns=7, W=floats(5, 7), bias=floats(7))
    b.add_load_constant_nd("constant nd", "s", floats(2, 2), (2, 2))
    b.add_layer_normalization("layer norm", "s", "t", [2, 2], floats(2, 2), floats(2, 2))
    b.add_convolution3d("conv3d", 4, 6, 2, 3, 3, floats(6, 2, 2, 3, 3), floats(6), True, groups=2, input_name="t",
                        output_name="u")
    b.add_softmax("probabilities", "u", "y")
    return b.spec


def branches():
    """A layer with networks, one of which has such a layer."""
    b = NeuralNetworkBuilder([("x", datatypes.Array(3))], [("y", None)], disable_rank5_shape_mapping=True)
    layer = b.add_branch("branch", "x")
    inner = NeuralNetworkBuilder(input_features=None, output_features=None, spec=None, nn_spec=layer.branch.ifBranch)
    inner.add_activation("then", "RELU", "x", "y")
    other = NeuralNetworkBuilder(input_features=None, output_features=None, spec=None, nn_spec=layer.branch.elseBranch)
    loop = other.add_loop("loop", max_iterations=3)
    body = NeuralNetworkBuilder(input_features=None, output_features=None, spec=None, nn_spec=loop.loop.bodyNetwork)
    body.add_inner_product("in the loop", floats(3, 3), None, 3, 3, False, "x", "y")
    return b.spec


def quantized(bits, mode):
    b = network()
    b.add_convolution("conv", 3, 4, 3, 3, 1, 1, "same", 1, floats(3, 3, 3, 4), floats(4), True, input_name="x", output_name="a")
    b.add_flatten("flat", 0, "a", "b")
    b.add_inner_product("dense", floats(10, 256), None, 256, 10, False, "b", "y")
    model = ct.models.MLModel(b.spec)
    return quantize_weights(model, bits, mode)


def classifier():
    b = network("classifier")
    b.add_flatten("flat", 0, "x", "a")
    b.add_inner_product("head/dense", floats(3, 192), floats(3), 192, 3, True, "a", "b")
    b.add_softmax("head/probabilities", "b", "y")
    b.set_class_labels(["cat", "dog", "newt"])
    return b.spec


def flexible_network():
    spec = branches()
    flexible.add_multiarray_ndshape_enumeration(spec, "x", [(3,), (4,), (5,)])
    return spec


def trees():
    model = TreeEnsembleClassifier([(f, datatypes.Double()) for f in ("a", "b")], ["no", "yes"], "label")
    model.set_default_prediction_value([0.0])
    model.add_branch_node(0, 0, 0, 0.5, "BranchOnValueLessThanEqual", 1, 2)
    model.add_leaf_node(0, 1, [0.2])
    model.add_leaf_node(0, 2, [0.8])
    return model.spec


def pipeline():
    first = NeuralNetworkBuilder([("x", datatypes.Array(4))], [("z", datatypes.Array(3))])
    first.add_inner_product("dense", floats(3, 4), floats(3), 4, 3, True, "x", "z")
    last = NeuralNetworkBuilder([("z", datatypes.Array(3))], [("y", datatypes.Array(2))], mode="classifier")
    last.add_inner_product("dense", floats(2, 3), None, 3, 2, False, "z", "w")
    last.add_softmax("softmax", "w", "y")
    last.set_class_labels(["one", "two"])
    whole = PipelineClassifier([("x", datatypes.Array(4))], ["one", "two"], "classLabel")
    whole.add_model(first.spec)
    whole.add_model(last.spec)
    whole.spec.pipelineClassifier.pipeline.names.extend(["encode", "classify"])
    return whole.spec


NETWORKS = {
    "many layers": many_layers,
    "branches": branches,
    "converted": lambda: ct.convert(simple_program(), convert_to="neuralnetwork"),
    "half": lambda: quantized(16, "linear"),
    "8 bits": lambda: quantized(8, "linear"),
    "5 bits": lambda: quantized(5, "linear_lut"),
    "3 bits": lambda: quantized(3, "linear"),
    "1 bit": lambda: quantized(1, "linear"),
    "classifier": classifier,
    "flexible": flexible_network,
    "ranges": ranges_program,
    "trees": trees,
    "pipeline": pipeline,
}


def make(name, folder):
    """Saves the model of that name; its path, and that of the message."""
    if name in PROGRAMS:
        path = folder / f"{name}.mlpackage"
        PROGRAMS[name]().save(str(path))
        return path, path / "Data/com.apple.CoreML/model.mlmodel"
    path = folder / f"{name}.mlmodel"
    made = NETWORKS[name.removeprefix("network ")]()
    spec = made.get_spec() if hasattr(made, "get_spec") else made
    path.write_bytes(spec.SerializeToString())
    return path, path
