"""What coremltools' messages say of a model, in the form of our answers (docs/inspecting-coreml.md)."""

import numpy as np
from coremltools.libmilstoragepython import _BlobStorageReader
from coremltools.proto import FeatureTypes_pb2, MIL_pb2

BITS = {"UINT1": 1, "UINT2": 2, "UINT3": 3, "UINT4": 4, "UINT6": 6, "INT4": 4}
COLORS = {10: "gray", 20: "rgb", 30: "bgr", 40: "gray_float16"}
ARRAYS = {"FLOAT32": "float32", "DOUBLE": "float64", "INT32": "int32", "INT8": "int8", "FLOAT16": "float16"}


def dtype(number):
    name = MIL_pb2.DataType.Name(number).lower()
    return {"unused_type": None, "float8e4m3fn": "float8_e4m3fn", "float8e5m2": "float8_e5m2"}.get(name, name)


# --- Features ------------------------------------------------------------------------------------


def array_type(t):
    facts = {"dtype": ARRAYS.get(FeatureTypes_pb2.ArrayFeatureType.ArrayDataType.Name(t.dataType)),
             "shape": list(t.shape) or None}
    if t.WhichOneof("ShapeFlexibility") == "enumeratedShapes":
        facts["shapes"] = [list(shape.shape) for shape in t.enumeratedShapes.shapes]
    elif t.WhichOneof("ShapeFlexibility"):
        facts["ranges"] = [size_range(r) for r in t.shapeRange.sizeRanges]
        facts["shape"] = [least if least == most else f"{least}..{'' if most is None else most}"
                          for least, most in facts["ranges"]]
    return facts


def size_range(r):
    return [r.lowerBound, r.upperBound if r.upperBound >= 0 else None]


def feature_type(t):
    which = t.WhichOneof("Type")
    scalars = {"int64Type": "int64", "doubleType": "float64", "stringType": "string", None: None}
    if which in scalars:
        return {"dtype": scalars[which], "shape": []}
    of = getattr(t, which)
    if which == "multiArrayType":
        return array_type(of)
    if which == "imageType":
        image = {"color": COLORS.get(of.colorSpace, "unknown"), "width": of.width, "height": of.height}
        sizes = of.WhichOneof("SizeFlexibility")
        if sizes == "enumeratedSizes":
            image["sizes"] = [[size.width, size.height] for size in of.enumeratedSizes.sizes]
        elif sizes == "imageSizeRange":
            image["ranges"] = [size_range(of.imageSizeRange.widthRange), size_range(of.imageSizeRange.heightRange)]
        return {"type": {"image": image}}
    if which == "dictionaryType":
        return {"type": {"map": {"key": "int64" if of.WhichOneof("KeyType") == "int64KeyType" else "string"}}}
    if which == "sequenceType":
        return {"type": {"sequence": {"dtype": "int64" if of.WhichOneof("Type") == "int64Type" else "string", "shape": []}}}
    return {"type": {"state": array_type(of.arrayType)}}


def feature(f, graph):
    """What the description leaves open, the program may know."""
    facts = {"name": f.name, **feature_type(f.type)}
    if facts.get("shape", ()) is None:
        made = [o.type for n in graph.nodes() for o in getattr(n, "outputs", ()) if o.name == f.name]
        facts |= mil_type(made[0]) if made else {}
    facts |= {"optional": True} if f.type.isOptional else {}
    return facts | ({"doc": f.shortDescription} if f.shortDescription else {})


# --- Types of programs ------------------------------------------------------------------------------


def mil_type(t):
    which = t.WhichOneof("type")
    if which == "listType":
        return {"type": {"list": mil_type(t.listType.type)}}
    if which == "stateType":
        return {"type": {"state": mil_type(t.stateType.wrappedType)}}
    if which == "tupleType":
        return {"type": {"tuple": len(t.tupleType.types)}}
    if which == "dictionaryType":
        key = dtype(t.dictionaryType.keyType.tensorType.dataType)
        return {"type": {"map": {"key": key, "value": mil_type(t.dictionaryType.valueType)}}}
    return {"dtype": dtype(t.tensorType.dataType), "shape": dimensions(t.tensorType)}


def dimensions(t):
    if t.rank < 0:
        return None
    return [d.constant.size if d.HasField("constant") else None for d in t.dimensions]


# --- Graphs --------------------------------------------------------------------------------------------


class Graph:
    """One of a model, under the name that questions have for it."""

    def __init__(self, name, form, message, spec=None, function=None):
        self.name, self.form, self.message, self.spec, self.function = name, form, message, spec, function

    def nodes(self):
        if self.form == "block":
            return list(self.message.operations)
        if self.form == "network":
            return list(self.message.layers)
        return list(self.message.models) if self.form == "pipeline" else []


def of_model(spec, prefix):
    """The graphs of a model, its own first. `prefix` is that of the names of what is within a node."""
    which = spec.WhichOneof("Type")
    of = getattr(spec, which)
    if which == "mlProgram":
        main = spec.description.defaultFunctionName or "main"
        names = sorted(of.functions, key=lambda name: name != main)
        return [Graph(prefix + name if prefix or name != main else None, "block",
                      of.functions[name].block_specializations[of.functions[name].opset], spec, of.functions[name])
                for name in names]
    if which.startswith("pipeline"):
        return [Graph(prefix + which if prefix else None, "pipeline", of if which == "pipeline" else of.pipeline, spec)]
    form = "network" if which.startswith("neuralNetwork") else "other"
    return [Graph(prefix + which if prefix else None, form, of, spec)] if form == "network" or not prefix else []


def within(graph):
    """The graphs in its nodes."""
    found = []
    for number, node in enumerate(graph.nodes()):
        prefix = (f"{graph.name}/" if graph.name else "") + node_name(graph, node, number) + ":"
        if graph.form == "block":
            found += [Graph(f"{prefix}block[{i}]", "block", block) for i, block in enumerate(node.blocks)]
        elif graph.form == "network":
            which = node.WhichOneof("layer")
            fields = {"branch": ["ifBranch", "elseBranch"], "loop": ["conditionNetwork", "bodyNetwork"]}.get(which, [])
            of = getattr(node, which)
            found += [Graph(prefix + field, "network", getattr(of, field)) for field in fields if of.HasField(field)]
        else:
            found += of_model(node, prefix)
    return found


def graphs(spec):
    queue = of_model(spec, "")
    for graph in queue:
        queue += within(graph)
    return queue


def node_name(graph, node, number):
    if graph.form == "block":
        name = "".join(node.attributes["name"].immediateValue.tensor.strings.values[:1]) if "name" in node.attributes else ""
        name = name or (node.outputs[0].name if node.outputs else "")
    elif graph.form == "network":
        name = node.name
    else:
        name = graph.message.names[number] if number < len(graph.message.names) else ""
    return name or f"#{number}"


def node(graph, n, number):
    """The order of a map's entries is nobody's: inputs are sorted."""
    facts = {"name": node_name(graph, n, number)}
    if graph.form == "block":
        bound = sorted((key, b.name) for key, a in n.inputs.items() for b in a.arguments if b.WhichOneof("binding") == "name")
        attributes = {key for key in n.attributes if key != "name"} | {
            key for key, a in n.inputs.items() for b in a.arguments if b.WhichOneof("binding") == "value"}
        attributes |= {"block"} if n.blocks else set()
        return facts | {"op": n.type, "inputs": bound, "attributes": sorted(attributes),
                        "outputs": [{"name": o.name, **mil_type(o.type)} for o in n.outputs]}
    if graph.form == "network":
        description = graph.spec.description if graph.spec else None
        known = {f.name: feature_type(f.type) for f in [*description.output, *description.input]} if description else {}
        return facts | {"op": n.WhichOneof("layer"), "inputs": list(n.input),
                        "outputs": [{"name": o, **known.get(o, {})} for o in n.output]}
    return facts | {"op": n.WhichOneof("Type"), "inputs": [i.name for i in n.description.input],
                    "outputs": [{"name": o.name, **feature_type(o.type)} for o in n.description.output]}


def our_node(n):
    facts = {key: n[key] for key in ("name", "op", "inputs", "outputs")}
    if "parameters" not in n:
        return facts
    return facts | {"inputs": sorted(zip(n["parameters"], n["inputs"], strict=True)),
                    "attributes": sorted({a["name"] for a in n["attributes"]})}


def operations(spec):
    counts = {}
    for graph in graphs(spec):
        for number, n in enumerate(graph.nodes()):
            op = node(graph, n, number)["op"]
            counts[op] = counts.get(op, 0) + 1
    return counts


# --- Constants --------------------------------------------------------------------------------------


def is_large(value):
    tensor = value.immediateValue.WhichOneof("value") == "tensor"
    return value.WhichOneof("value") == "blobFileValue" or (tensor and len(value.type.tensorType.dimensions) > 0)


def constants_of(graph):
    """(name, Value or WeightParams, shape or None) of a graph's."""
    for number, n in enumerate(graph.nodes()):
        name = node_name(graph, n, number)
        if graph.form == "block":
            for key, value in n.attributes.items():
                if n.type == "const" and key == "val":
                    yield n.outputs[0].name, value, dimensions(value.type.tensorType)
                elif is_large(value):
                    yield f"{name}:{key}", value, dimensions(value.type.tensorType)
            for key, a in n.inputs.items():
                for i, b in enumerate(a.arguments):
                    if b.WhichOneof("binding") == "value" and is_large(b.value):
                        yield f"{name}:{key}" + (f"[{i - 1}]" if i else ""), b.value, dimensions(b.value.type.tensorType)
        elif graph.form == "network":
            for path, weights in weights_of(getattr(n, n.WhichOneof("layer"))):
                yield f"{name}:{path}", weights, None


def weights_of(message, suffix=""):
    """WeightParams in a layer's message, found by walking all its fields, under the names of these."""
    for field, value in message.ListFields():
        if field.message_type is None or field.message_type.name in ("NeuralNetwork", "ActivationParams"):
            continue
        several = field.is_repeated and field.message_type.name == "LSTMWeightParams" and len(value) > 1
        for i, one in enumerate(value if field.is_repeated else [value]):
            if field.message_type.name == "WeightParams":
                yield field.name + suffix, one
            elif not field.message_type.GetOptions().map_entry:
                yield from weights_of(one, f"[{i}]" if several else suffix)


def stored(weights):
    """Which field has the values of WeightParams, and how many bits these have."""
    for name in ("floatValue", "float16Value", "rawValue", "int8RawValue"):
        if len(getattr(weights, name)) > 0:
            bits = {"floatValue": 32, "float16Value": 16, "int8RawValue": 8}.get(name, weights.quantization.numberOfBits)
            return name, bits
    return None, 0


def weight_values(weights):
    name, bits = stored(weights)
    if name == "floatValue":
        return np.array(weights.floatValue, np.float32)
    data = getattr(weights, name)
    if name != "rawValue":
        return np.frombuffer(data, np.float16 if name == "float16Value" else np.int8)
    numbers = np.unpackbits(np.frombuffer(data, np.uint8))
    return numbers[: len(numbers) // bits * bits].reshape(-1, bits) @ (1 << np.arange(bits)[::-1])


def blob_values(value, folder):
    """Through coremltools' own reader of such files."""
    name = MIL_pb2.DataType.Name(value.type.tensorType.dataType).lower()
    path = value.blobFileValue.fileName.replace("@model_path", str(folder))
    reader, offset = _BlobStorageReader(path), value.blobFileValue.offset
    read = {"float16": "fp16", "float32": "float", "bfloat16": "bf16"}.get(name, name)
    array = np.array(getattr(reader, f"read_{read}_data")(offset))
    return array.view(np.float16) if name == "float16" else array


def immediate_values(value):
    tensor = value.immediateValue.tensor
    which = tensor.WhichOneof("value")
    of = getattr(tensor, which).values
    if which == "bytes":
        kind = dtype(value.type.tensorType.dataType)
        return np.frombuffer(of, np.dtype(kind)) if not BITS.get(kind.upper()) else None
    return np.array(list(of), dtype=object if which == "strings" else None)
