"""What TensorFlow, Keras and ND4J's files say of a model, as {fact: value} in plain JSON: from
TensorFlow's own loader, tools and messages, none of it from ours."""

import collections
import hashlib
import json
import pathlib

from support import fact_models, models, samediff
from support.once import once


def facts_of(name):
    """Those of the model with this name; what takes TensorFlow long is done once."""
    folder = fact_models.folder_of(name)
    path = models.MODELS / f"facts_{name}.json"
    sources = [folder / "saved_model.pb", pathlib.Path(__file__), pathlib.Path(fact_models.__file__)]
    return json.loads(once(path, lambda part: part.write_text(json.dumps(found_in(folder))), sources).read_text())


def found_in(folder):
    from tensorflow.core.protobuf import saved_model_pb2
    from tensorflow.python.tools import saved_model_utils
    saved = saved_model_pb2.SavedModel.FromString((folder / "saved_model.pb").read_bytes())
    facts = {"tag sets": sorted(sorted(tags) for tags in saved_model_utils.get_saved_model_tag_sets(str(folder)))}
    for number, meta in enumerate(saved.meta_graphs):
        prefix = f"meta graph {number}: "
        facts |= {prefix + key: value for key, value in of_meta_graph(meta).items()}
    if (folder / "variables" / "variables.index").exists():
        facts |= of_checkpoint(str(folder / "variables" / "variables"))
        if saved.meta_graphs[0].HasField("object_graph_def"):
            facts |= of_loaded(str(folder), saved.meta_graphs[0].object_graph_def)
    if (folder / "keras.json").exists():
        said = json.loads((folder / "keras.json").read_text())
        facts |= of_keras(said, with_layers=(folder / "keras_metadata.pb").exists())
    return facts


# --- Of its messages -------------------------------------------------------------------------


def dtype_name(number):
    import tensorflow as tf
    return tf.dtypes.as_dtype(number).name if number else "invalid"


def shape_of(shape):
    return None if shape.unknown_rank else [None if d.size < 0 else d.size for d in shape.dim]


def of_meta_graph(meta):
    graph = meta.graph_def
    facts = {"tags": sorted(meta.meta_info_def.tags), "TensorFlow": meta.meta_info_def.tensorflow_version,
             "nodes": len(graph.node), "functions": len(graph.library.function),
             "nodes of functions": sum(len(f.node_def) for f in graph.library.function)}
    facts |= of_signatures(meta) | of_operations(graph) | of_functions(graph) | of_constants(graph)
    if meta.HasField("object_graph_def"):
        facts |= of_objects(meta.object_graph_def)
    return facts


def of_signatures(meta):
    """As `saved_model_cli show` has them."""
    from tensorflow.python.tools import saved_model_cli
    facts = {"signatures": sorted(meta.signature_def)}
    for key in meta.signature_def:
        for side in ("inputs", "outputs"):
            tensors = getattr(saved_model_cli, f"_get_{side}_tensor_info_from_meta_graph_def")(meta, key)
            facts |= {f"signature {key}, {side} {name}": [t.name, dtype_name(t.dtype), shape_of(t.tensor_shape)]
                      for name, t in tensors.items()}
    return facts


def of_operations(graph):
    from tensorflow.python.framework import op_def_registry
    library = {f.signature.name for f in graph.library.function}
    outside = collections.Counter(node.op for node in graph.node)
    inside = collections.Counter(node.op for f in graph.library.function for node in f.node_def)
    every = set(outside) | set(inside)
    custom = sorted(op for op in every if op not in library and op_def_registry.get(op) is None)
    return {"custom operations": custom, "kinds of operations": len(every)} | {
        f"operation {op}": [outside[op], inside[op]] for op in every}


def functions_of(node, names):
    """Those that it calls, by its operation or by an attribute."""
    called = {node.op} if node.op in names else set()
    for value in node.attr.values():
        called |= {f.name for f in [value.func, *value.list.func] if f.name}
    return called & names


def of_functions(graph):
    """Each with its nodes, arguments and results, the functions that it calls, and those that call it."""
    names = {f.signature.name for f in graph.library.function}
    calls = {f.signature.name: set().union(*(functions_of(n, names) for n in f.node_def)) for f in graph.library.function}
    by_graph = set().union(*(functions_of(n, names) for n in graph.node))
    facts = {}
    for f in graph.library.function:
        name = f.signature.name
        callers = sum(name in called for called in calls.values()) + (name in by_graph)
        facts[f"function {name}"] = [len(f.node_def), len(f.signature.input_arg), len(f.signature.output_arg),
                                     len(calls[name]), callers]
    return facts


def constants_in(graph):
    places = [(None, graph.node), *((f.signature.name, f.node_def) for f in graph.library.function)]
    return [(function, node.name, node.attr["value"].tensor) for function, nodes in places for node in nodes
            if node.op == "Const"]


def of_constants(graph):
    import tensorflow as tf
    found = constants_in(graph)
    facts = {"constants": len(found), "bytes of constants as they are in memory":
             sum(len(t.tensor_content) for _, _, t in found)}
    kinds = collections.Counter(json.dumps([dtype_name(t.dtype), shape_of(t.tensor_shape)]) for _, _, t in found)
    facts |= {f"constants of {kind}": number for kind, number in kinds.items()}
    largest = sorted((c for c in found if c[2].tensor_content), key=lambda c: -len(c[2].tensor_content))[:3]
    for function, node, tensor in largest:
        facts[f"constant {function or ''}/{node}"] = of_values(tf.make_ndarray(tensor))
    return facts


def of_objects(objects):
    facts = {"objects": len(objects.nodes), "concrete functions": len(objects.concrete_functions)}
    for number, node in enumerate(objects.nodes):
        if node.WhichOneof("kind") == "variable":
            v = node.variable
            facts[f"object {number}, a variable"] = [v.name, dtype_name(v.dtype), shape_of(v.shape), v.trainable]
    return facts


# --- Of what it loads ------------------------------------------------------------------------


def of_values(array):
    """What NumPy says of them."""
    import numpy as np
    facts = {"dtype": array.dtype.name, "shape": list(array.shape),
             "sha256": hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()}
    if array.dtype.kind in "fiub" and array.size:
        values = array.astype(np.float64)
        facts |= {"low": float(values.min()), "high": float(values.max()), "mean": float(values.mean()),
                  "deviation": float(values.std()), "first": [float(v) for v in values.ravel()[:8]]}
    return facts


def of_checkpoint(prefix):
    import numpy as np
    import tensorflow as tf
    reader = tf.train.load_checkpoint(prefix)
    dtypes, sizes = reader.get_variable_to_dtype_map(), {}
    facts = {}
    for key, shape in reader.get_variable_to_shape_map().items():
        if key == "_CHECKPOINTABLE_OBJECT_GRAPH":
            continue
        sizes[key] = int(np.prod(shape)) * dtypes[key].size
        facts[f"variable {key}"] = [dtypes[key].name, list(shape), sizes[key]]
    facts |= {"variables": len(sizes), "bytes of variables": sum(sizes.values())}
    for key in sorted(sizes, key=lambda key: (-sizes[key], key))[:3]:
        facts[f"values of {key}"] = of_values(reader.get_tensor(key))
    return facts


def spec_of(spec):
    return {"tensor_spec": {"name": spec.name, "dtype": spec.dtype.name,
                            "shape": None if spec.shape.rank is None else spec.shape.as_list()}}


def structured(value):
    """An argument as docs/inspecting.md writes it; of types that are made of several, their name."""
    import tensorflow as tf
    if isinstance(value, tf.TensorSpec):
        return spec_of(value)
    if isinstance(value, tf.TypeSpec):
        return {"type_spec": type(value).__name__}
    if isinstance(value, dict):
        return {"dict": {key: structured(one) for key, one in value.items()}}
    if isinstance(value, tuple):
        return {"tuple": [structured(one) for one in value]}
    return [structured(one) for one in value] if isinstance(value, list) else value


def of_loaded(folder, objects):
    """What tf.saved_model.load makes of it: how its signatures and functions are called."""
    import tensorflow as tf
    from tensorflow.python.framework import errors
    try:
        loaded = tf.saved_model.load(folder)
    except errors.NotFoundError:  # an operation that TensorFlow does not have
        return {}
    facts = {"signatures when loaded": sorted(loaded.signatures)}
    for key, signature in loaded.signatures.items():
        _, named = signature.structured_input_signature
        facts[f"signature {key}, takes"] = {k: spec_of(v)["tensor_spec"] for k, v in named.items()}
        facts[f"signature {key}, gives"] = {k: v.dtype.name for k, v in signature.structured_outputs.items()}
    for child in objects.nodes[0].children:
        if objects.nodes[child.node_id].WhichOneof("kind") == "function":
            calls = [c.structured_input_signature for c in getattr(loaded, child.local_name).concrete_functions]
            taken = [[*map(structured, positional), *(structured(named[k]) for k in sorted(named))] for positional, named in calls]
            facts[f"method {child.local_name}"] = sorted(taken, key=json.dumps)
    return facts


def of_keras(said, with_layers):
    """What its summary printed, and each layer. An export of Keras 3 has their variables, not the layers."""
    total = said["summary"]
    assert said["parameters"] == total["Total"]  # by count_params()
    facts = {"Keras: parameters": [total["Total"], total["Trainable"], total["Non-trainable"]]}
    if not with_layers:
        facts["Keras: weights"] = said["weights"]
    for layer in said["layers"]:
        if with_layers:
            facts[f"Keras: layer {layer['name']}"] = [layer["class"], layer["parameters"], layer["input_shape"]]
        elif layer["parameters"]:
            facts[f"Keras: layer {layer['name']}"] = layer["parameters"]
    return facts


# --- ND4J ------------------------------------------------------------------------------------


def of_samediff(truth):
    """A zip, as the file beside it describes it, which was written with ND4J's own classes."""
    facts = {"tags": truth["tags"], "default tag": truth["default_tag"]}
    for tag, fact in truth["tag_contents"].items():
        graph, training = fact["graph"], fact["training_config"]
        facts |= {f"{tag}: variables": len(graph["variables"]), f"{tag}: operations": len(graph["ops"]),
                  f"{tag}: placeholders": graph["placeholders"], f"{tag}: losses": graph["loss_variables"],
                  f"{tag}: training": training and training["fields"]}
        for v in graph["variables"]:
            facts[f"{tag}: variable {v['name']}"] = [v["var_type"], v["dtype"], samediff.shape_of(v)]
        for op in graph["ops"]:
            facts[f"{tag}: operation {op['name']}"] = [op["op_name"], op["inputs"], op["outputs"], op["iArgs"], op["tArgs"]]
        for u in fact["updater"]:
            facts[f"{tag}: updater of {u['param']}"] = [state["entry"] for state in u["states"]]
        for p in fact["params"]:
            facts[f"{tag}: values of {p['name']}"] = {"shape": p["array"]["shape"],
                                                      "sha256": p["array"]["sha256_le_row_major"]}
    return facts
