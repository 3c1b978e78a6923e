"""What the package onnx says of a model, in the form of our answers (docs/inspecting-onnx.md)."""

import numpy as np
import onnx
from onnx import AttributeProto, SparseTensorProto, TensorProto

# Names of dtypes as TensorFlow and NumPy have them.
DTYPES = {
    TensorProto.FLOAT: "float32", TensorProto.UINT8: "uint8", TensorProto.INT8: "int8", TensorProto.UINT16: "uint16",
    TensorProto.INT16: "int16", TensorProto.INT32: "int32", TensorProto.INT64: "int64", TensorProto.STRING: "string",
    TensorProto.BOOL: "bool", TensorProto.FLOAT16: "float16", TensorProto.DOUBLE: "float64",
    TensorProto.UINT32: "uint32", TensorProto.UINT64: "uint64", TensorProto.COMPLEX64: "complex64",
    TensorProto.COMPLEX128: "complex128", TensorProto.BFLOAT16: "bfloat16",
    TensorProto.FLOAT8E4M3FN: "float8_e4m3fn", TensorProto.FLOAT8E4M3FNUZ: "float8_e4m3fnuz",
    TensorProto.FLOAT8E5M2: "float8_e5m2", TensorProto.FLOAT8E5M2FNUZ: "float8_e5m2fnuz", TensorProto.UINT4: "uint4",
    TensorProto.INT4: "int4", TensorProto.FLOAT4E2M1: "float4_e2m1fn", 24: "float8_e8m0fnu", 25: "uint2", 26: "int2",
    27: "float6_e2m3fn", 28: "float6_e3m2fn",
}
FIELDS = {"float_data", "int32_data", "string_data", "int64_data", "raw_data", "double_data", "uint64_data"}
KINDS = {number: name.lower() for name, number in AttributeProto.AttributeType.items() if number}
SINGLE = {"float": "f", "int": "i", "string": "s", "tensor": "t", "graph": "g", "sparse_tensor": "sparse_tensor",
          "type_proto": "tp"}


# --- Types ----------------------------------------------------------------------------------


def type_of(type_proto):
    """The members that say what a value is."""
    which = type_proto.WhichOneof("value")
    if which in ("tensor_type", "sparse_tensor_type", None):
        of = getattr(type_proto, which or "tensor_type")
        shape = [d.dim_param or (d.dim_value if d.HasField("dim_value") else None) for d in of.shape.dim]
        members = {"dtype": DTYPES.get(of.elem_type), "shape": shape if of.HasField("shape") else None}
        return members | ({"sparse": True} if which == "sparse_tensor_type" else {})
    of = getattr(type_proto, which)
    if which == "map_type":
        return {"type": {"map": {"key": DTYPES[of.key_type], "value": type_of(of.value_type)}}}
    if which == "opaque_type":
        return {"type": {"opaque": {"domain": of.domain, "name": of.name}}}
    return {"type": {which.removesuffix("_type"): type_of(of.elem_type)}}


def value_info(info):
    return {"name": info.name, **type_of(info.type)}


# --- Tensors -----------------------------------------------------------------------------------


def tensor(t):
    facts = {"dtype": DTYPES.get(t.data_type), "shape": list(t.dims)}
    external = {entry.key: entry.value for entry in t.external_data}
    if t.data_location == TensorProto.EXTERNAL:
        length = external.get("length")
        return facts | {"external": external["location"], "offset": int(external.get("offset", 0)),
                        "length": int(length) if length else None}
    fields = [f.name for f, _ in t.ListFields() if f.name in FIELDS]
    return facts | {"field": fields[0] if fields else None}


def our_tensor(t):
    facts = {"dtype": t["dtype"], "shape": t["shape"]}
    if "external" in t:
        e = t["external"]
        return facts | {"external": e["location"], "offset": e["offset"], "length": e["length"]}
    return facts | {"field": t.get("field")}


def values(t, folder=""):
    """Of a tensor, as extract gives them: what NumPy has no type for as raw bytes."""
    array = onnx.numpy_helper.to_array(t, folder)
    name = DTYPES[t.data_type]
    if name.startswith(("float8", "float6_", "float4", "bfloat16")):
        return array.view(np.uint16 if name == "bfloat16" else np.uint8)
    if name in ("int4", "int2"):
        return array.astype(np.int8)
    return array.astype(np.uint8) if name in ("uint4", "uint2") else array


# --- Nodes ------------------------------------------------------------------------------------------


def exact(number):
    return number if abs(number) <= 2**53 else str(number)


def text(data):
    return data.decode("utf-8", "replace")


def value_of(kind, value):
    if kind in ("float", "floats"):
        value = float(np.float32(value))
        return value if np.isfinite(value) else {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[str(value)]
    if kind in ("int", "ints"):
        return exact(value)
    if kind in ("string", "strings"):
        return text(value)
    if kind in ("tensor", "tensors"):
        return tensor(value)
    if kind in ("graph", "graphs"):
        return {"graph": value.name, "nodes": len(value.node)}
    if kind in ("type_proto", "type_protos"):
        return type_of(value)
    return {"dtype": DTYPES[value.values.data_type], "shape": list(value.dims)}


def attribute(a):
    kind = KINDS[a.type]
    facts = {"name": a.name, "kind": kind}
    if a.ref_attr_name:
        return facts | {"reference": a.ref_attr_name}
    if kind in SINGLE:
        return facts | {"value": value_of(kind, getattr(a, SINGLE[kind]))}
    return facts | {"value": [value_of(kind, v) for v in getattr(a, kind)]}


def our_value(kind, value):
    """Floats have as many digits as a float needs."""
    if kind in ("float", "floats") and not isinstance(value, str):
        return float(np.float32(value))
    if kind == "tensor":
        return our_tensor(value)
    if kind == "sparse_tensor":
        return {"dtype": value["dtype"], "shape": value["shape"]}
    return value


def our_attribute(a):
    facts = {"name": a["name"], "kind": a["kind"]}
    if "reference" in a:
        return facts | {"reference": a["reference"]}
    if a["kind"] in ("floats", "tensors", "sparse_tensors"):
        return facts | {"value": [our_value(a["kind"][:-1], v) for v in a["value"]]}
    return facts | {"value": our_value(a["kind"], a["value"])}


def node(n, number):
    return {"name": n.name or f"#{number}", "op": n.op_type, "domain": n.domain, "inputs": list(n.input),
            "outputs": list(n.output), "attributes": [attribute(a) for a in n.attribute]}


def our_node(n):
    return {"name": n["name"], "op": n["op"], "domain": n.get("domain", ""), "inputs": n["inputs"],
            "outputs": [o["name"] for o in n["outputs"]], "attributes": [our_attribute(a) for a in n["attributes"]]}


# --- Graphs ------------------------------------------------------------------------------------------


def graphs(model):
    """(name for questions, graph or function), the model's own first, in the order of our list."""
    found = [(None, model.graph)]
    found += [(function_name(f), f) for f in model.functions]
    for i, training in enumerate(model.training_info):
        found += [(f"training[{i}].{field}", getattr(training, field)) for field in ("initialization", "algorithm")
                  if training.HasField(field)]
    queue = list(found)
    while queue:
        name, graph = queue.pop(0)
        for number, n in enumerate(graph.node):
            for a in n.attribute:
                inner = [("", a.g)] if a.type == AttributeProto.GRAPH and a.HasField("g") else []
                inner += [(f"[{k}]", g) for k, g in enumerate(a.graphs)]
                for which, g in inner:
                    own = f"{n.name or f'#{number}'}:{a.name}{which}"
                    found.append((f"{name}/{own}" if name else own, g))
                    queue.append(found[-1])
    return found


def function_name(f):
    return (f"{f.domain}.{f.name}" if f.domain else f.name) + (f":{f.overload}" if f.overload else "")


def operations(model):
    """((domain, operation), how often) in all graphs."""
    counts = {}
    for _, graph in graphs(model):
        for n in graph.node:
            key = "" if n.domain == "ai.onnx" else n.domain, n.op_type
            counts[key] = counts.get(key, 0) + 1
    return counts


QUANTIZATION = {"QuantizeLinear": (1, 2), "DequantizeLinear": (1, 2), "QLinearConv": (1, 2, 4, 5, 6, 7),
                "QLinearMatMul": (1, 2, 4, 5, 6, 7), "ConvInteger": (2, 3), "MatMulInteger": (2, 3)}
SETTINGS = {"Clip": (1, 2), "Dropout": (1,), "NonMaxSuppression": (3, 4), "OneHot": (2,), "Pad": (2,), "Resize": (1, 2, 3),
            "Upsample": (1,)}
OF_ONE_NUMBER = {"Div", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Max", "Min", "Pow", "Where"}
INTEGERS = {"DequantizeLinear": (0,), "QLinearConv": (8,)}
LEARNED = {"base_values", "class_weights", "coefficients", "imputed_value_floats", "intercepts", "leaf_weights",
           "membership_values", "nodes_splits", "nodes_values", "offset", "prob_a", "prob_b", "rho", "scale",
           "support_vectors", "target_weights"}
OTHERS = ("UINT16", "INT16", "INT32", "INT64", "UINT32", "UINT64", "BOOL", "STRING", "UNDEFINED")


def tensors_of(graph):
    """(name that others take or None, tensor or sparse tensor, operation that has it) of a graph or function."""
    for t in getattr(graph, "initializer", ()):
        yield t.name, t, None
    for t in getattr(graph, "sparse_initializer", ()):
        yield t.values.name, t, None
    for n in graph.node:
        name = n.output[0] if n.op_type == "Constant" and n.domain in ("", "ai.onnx") else None
        for a in n.attribute:
            if n.domain == "ai.onnx.ml" and a.name.removesuffix("_as_tensor") not in LEARNED:
                continue
            if a.type in (AttributeProto.TENSOR, AttributeProto.SPARSE_TENSOR):
                yield name, a.t if a.type == AttributeProto.TENSOR else a.sparse_tensor, n.op_type
            if a.type == AttributeProto.FLOATS and (a.name in LEARNED if n.domain == "ai.onnx.ml" else name):
                yield name, onnx.numpy_helper.from_array(np.float32(a.floats)), n.op_type
            yield from ((None, t, n.op_type) for t in [*a.tensors, *a.sparse_tensors])


def counts(taken_by, t):
    """Whether a tensor is a weight, by the first node that takes it, at which input; else by its type and rank."""
    op, i = taken_by
    if i in QUANTIZATION.get(op, ()) or i in SETTINGS.get(op, ()) or op == "ConstantOfShape":
        return False
    if op in OF_ONE_NUMBER and np.prod(t.dims, dtype=object) == 1:
        return False
    kind = TensorProto.DataType.Name((t.values if isinstance(t, SparseTensorProto) else t).data_type)
    return len(t.dims) > 0 and (i in INTEGERS.get(op, ()) or kind not in OTHERS)


def parameters(model):
    """The elements of the weights, in whichever graph, but those for training; once for each place."""
    found = [(name, graph) for name, graph in graphs(model) if not (name or "").startswith("training[")]
    first = {}
    for _, graph in found:
        for n in graph.node:
            for i, taken in enumerate(n.input):
                first.setdefault(taken, (n.op_type, i))
    places, total = set(), 0
    for _, graph in found:
        for name, t, op in tensors_of(graph):
            external = {e.key: e.value for e in getattr(t, "external_data", ())}
            place = (external.get("location"), int(external.get("offset", 0)))
            if not counts(first.get(name) or (op, None), t) or (external and place in places):
                continue
            places.add(place)
            total += int(np.prod(t.dims, dtype=object))
    return total


def inputs(model):
    """Those that are to be given: before IR version 4 initializers are among them, too."""
    weights = {t.name for t in model.graph.initializer} | {s.values.name for s in model.graph.sparse_initializer}
    return [value_info(i) for i in model.graph.input if i.name not in weights]


def save_with_external_data(model, path, **how):
    onnx.save_model(model, path, save_as_external_data=True, size_threshold=0, **how)
