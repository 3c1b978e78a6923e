"""Models whose lists are all long: each family makes one with n elements in each list, for questions that a program
asks without a page of its own, so that it gets all of it."""

from complexity import families_model as tensorflow
from complexity.families_model import number
from complexity.families_onnx import function, model, node, nodes
from support import samediff_graphs
from support.wire import field


def entry(key, value):
    return field(1, key) + field(2, value)


def onnx(folder, n):
    tensor = field(5, field(1, b"value") + field(5, number(1, 1) + number(2, 1) + field(9, bytes(4))))
    each = [node(b"op%d" % i, b"/l%d/n" % i, [b"x"], [b"v%d" % i], tensor) for i in range(n)]
    rest = b"".join(function(b"f%d" % i) for i in range(n))
    return model(folder, nodes(each) + field(11, field(1, b"x")), rest)


def graph_def(folder, n):
    tensor = field(5, entry(b"value", field(8, number(1, 1) + field(4, bytes(4)))))
    each = [field(1, field(1, b"n%d" % i) + field(2, b"op%d" % i) + field(3, b"x") + tensor) for i in range(n)]
    functions = b"".join(field(1, field(1, field(1, b"f%d" % i))) for i in range(n))
    path = folder / "graph.pb"
    path.write_bytes(field(1, field(1, b"x") + field(2, b"Placeholder")) + b"".join(each) + field(2, functions))
    return path


def coreml_function(name, operations=b""):
    return field(2, entry(name, field(2, b"CoreML8") + field(3, entry(b"CoreML8", operations))))


def coreml_program(folder, functions):
    path = folder / "model.mlmodel"
    description = field(2, field(1, field(1, b"x")))
    path.write_bytes(number(1, 8) + description + field(502, number(1, 1) + functions))
    return path


def coreml(folder, n):
    """Constants, and operations that take one value."""
    floats = field(2, field(1, number(1, 11))) + field(3, field(1, field(1, field(1, bytes(4)))))

    def operation(i):
        value = entry(b"val", floats)
        taken = field(2, entry(b"x", field(1, field(1, b"x"))))
        kind = [field(1, b"const") + field(5, value), field(1, b"op%d" % i) + taken][i % 2]
        return field(3, kind + field(3, field(1, b"l%d/n" % i)))

    main = coreml_function(b"main", b"".join(operation(i) for i in range(2 * n)))
    return coreml_program(folder, main + b"".join(coreml_function(b"f%d" % i) for i in range(n)))


def saved_model(folder, n):
    variable = field(7, number(1, 1))
    root = b"".join(tensorflow.child(i + 1, b"v%d" % i) for i in range(n))
    return tensorflow.saved_model(folder, [root] + [variable] * n)


def keras(folder, n):
    entries = [{"name": f"l{i}", "class_name": "Dense"} for i in range(n)]
    root = {"name": "m", "class_name": "Functional", "config": {"layers": entries}}
    objects = [(0, b"root", b"_tf_keras_network", root)]
    objects += [(i + 1, b"root.l%d" % i, b"_tf_keras_layer", one) for i, one in enumerate(entries)]
    return tensorflow.keras_metadata(folder, objects)


def samediff(folder, n):
    path = folder / "graph.fb"
    path.write_bytes(samediff_graphs.chain(n))
    return path


def samediff_arrays(folder, n):
    path = folder / "graph.fb"
    path.write_bytes(samediff_graphs.with_arrays(n, 1))
    return path


# With as many elements a list comes in as many pages as one twice as long. The summary is the question without a name.
N = 10_000
LISTS = {onnx: ["", "nodes", "search n", "constants"], graph_def: ["nodes", "search n", "ops", "consumers x"],
         coreml: ["nodes", "layers", "functions", "scopes"], saved_model: ["", "variables", "objects"],
         keras: ["layers"], samediff: ["nodes", "search layer"], samediff_arrays: ["constants"]}
