"""ONNX models made to take more work or memory than their size: each family makes its file of size O(n) in a
folder, and returns the words after `cpb inspect`."""

from complexity.families_model import ALL, number
from support import wire


def model(folder, graph=b"", rest=b""):
    path = folder / "model.onnx"
    path.write_bytes(number(1, 10) + wire.field(7, graph) + wire.field(8, number(2, 20)) + rest)
    return path


def node(op=b"Op", name=b"", inputs=(), outputs=(), rest=b""):
    names = b"".join(wire.field(1, one) for one in inputs) + b"".join(wire.field(2, one) for one in outputs)
    return names + (wire.field(3, name) if name else b"") + wire.field(4, op) + rest


def nodes(each):
    return b"".join(wire.field(1, one) for one in each)


def function(name, body=b"", rest=b""):
    return wire.field(25, wire.field(1, name) + b"".join(wire.field(7, one) for one in body) + rest)


def many_nodes_of_one_name(folder, n):
    return model(folder, nodes([node(name=b"same", inputs=[b"x"], outputs=[b"x"])] * n)), "scopes", *ALL


def nodes_without_names(folder, n):
    return model(folder, nodes([node(inputs=[b"v%d" % i], outputs=[b"v%d" % (i + 1)]) for i in range(n)])), "scopes", *ALL


def many_inputs(folder, n):
    """One node that takes n values, each made by another one."""
    made = [node(outputs=[b"v%d" % i]) for i in range(n)]
    return model(folder, nodes([*made, node(inputs=[b"v%d" % i for i in range(n)])])), "scopes", *ALL


def consumers_of_many_outputs(folder, n):
    names = [b"v%d" % i for i in range(n)]
    takers = [node(name=b"t%d" % i, inputs=[names[i]]) for i in range(n)]
    return model(folder, nodes([node(name=b"all", outputs=names), *takers])), "consumers", "all", *ALL


def a_long_way(folder, n):
    """Each of n nodes takes what all of the three before it make, and a value of n takers."""
    def one(i):
        return node(inputs=[b"v%d" % max(0, i - k) for k in range(3)] + [b"v0"], outputs=[b"v%d" % (i + 1)])
    return model(folder, nodes([one(i) for i in range(n)])), "upstream", "v%d" % n, *ALL


def graphs_and_inputs_of_a_node(folder, n):
    """A node takes n values and holds n graphs, each with an argument."""
    graph = wire.field(11, wire.field(1, b"a")) + wire.field(12, wire.field(1, b"a"))
    branch = wire.field(5, wire.field(1, b"bodies") + wire.field(11, graph) * n)
    made = [node(outputs=[b"v%d" % i]) for i in range(n)]
    holder = node(name=b"n", inputs=[b"v%d" % i for i in range(n)], outputs=[b"y"], rest=branch)
    return model(folder, nodes([*made, holder])), "upstream", "y", *ALL


def upstream_through_a_ring(folder, n):
    path = functions_in_a_ring(folder, n)[0]
    path.write_bytes(path.read_bytes() + wire.field(7, nodes([node(op=b"f0", name=b"n")])))
    return path, "upstream", "n", *ALL


def functions_in_a_ring(folder, n):
    """Each calls the next one, and the last the first."""
    rest = b"".join(function(b"f%d" % i, [node(op=b"f%d" % ((i + 1) % n))]) for i in range(n))
    return model(folder, rest=rest), "functions", *ALL


def operations_that_are_functions(folder, n):
    return functions_in_a_ring(folder, n)[0], "ops", *ALL


def calls_of_a_large_function(folder, n):
    """n nodes call a function of n nodes, among many."""
    rest = function(b"large", [node()] * n) + b"".join(function(b"f%d" % i) for i in range(n))
    return model(folder, nodes([node(op=b"large")] * n), rest), "functions", *ALL


def graphs_within_a_function(folder, n):
    """n subgraphs of one function, whose names all begin with the function's."""
    branch = wire.field(5, wire.field(1, b"body") + wire.field(6, b""))
    rest = function(b"f" * 100, [node(op=b"If", name=b"n%d" % i, rest=branch) for i in range(n)])
    return model(folder, rest=rest), "functions", *ALL


def graphs_in_a_list(folder, n):
    branch = wire.field(5, wire.field(1, b"bodies") + wire.field(11, b"") * n)
    return model(folder, nodes([node(name=b"n", rest=branch)])), "functions", *ALL


def search_in_names_of_graphs(folder, n):
    return graphs_within_a_function(folder, n)[0], "search", "fff", *ALL


def initializers_of_nothing(folder, n):
    return model(folder, wire.field(5, b"") * n), "constants", *ALL


def layers_of_one_weight(folder, n):
    """Every node takes the same initializers."""
    weights = b"".join(wire.field(5, wire.field(8, b"w%d" % i)) for i in range(n))
    takers = nodes([node(name=b"/l%d/x" % i, inputs=[b"w%d" % i, b"w0"]) for i in range(n)])
    return model(folder, takers + weights), "layers", *ALL


def dims(folder, n):
    """A tensor of n dimensions."""
    return model(folder, wire.field(5, wire.field(1, b"\x02" * n) + number(2, 1))), "constants", *ALL


def types_within_types(folder, n):
    """Sequences of sequences, n inputs of them."""
    deep = wire.nested(1, 1)
    for _ in range(20):
        deep = wire.field(4, wire.field(1, deep))
    return model(folder, wire.field(11, wire.field(1, b"x") + wire.field(2, deep)) * n), *ALL


def opsets(folder, n):
    """n domains, and an operation of each."""
    rest = b"".join(wire.field(8, wire.field(1, b"d%d" % i) + number(2, i)) for i in range(n))
    each = [node(op=b"op%d" % i, rest=wire.field(7, b"d%d" % i)) for i in range(n)]
    return model(folder, nodes(each), rest), "ops", *ALL


def external_files(folder, n):
    """Each initializer in a file of its own."""
    def weight(i):
        entry = wire.field(1, b"location") + wire.field(2, b"f%d" % i)
        return wire.field(5, wire.field(8, b"w%d" % i) + wire.field(13, entry) + number(14, 1))

    return model(folder, b"".join(weight(i) for i in range(n))), "overview", *ALL


def annotations(folder, n):
    """Each of n initializers is annotated."""
    each = b"".join(wire.field(5, wire.field(8, b"w%d" % i)) + wire.field(14, wire.field(1, b"w%d" % i)) for i in range(n))
    return model(folder, each), "constants", *ALL


# What of each is some hundred kilobytes.
SIZES = {many_nodes_of_one_name: 10_000, nodes_without_names: 8_000, many_inputs: 8_000,
         consumers_of_many_outputs: 6_000, functions_in_a_ring: 8_000, a_long_way: 6_000, graphs_and_inputs_of_a_node: 6_000,
         upstream_through_a_ring: 8_000, operations_that_are_functions: 3_000,
         calls_of_a_large_function: 8_000,
         graphs_within_a_function: 6_000, graphs_in_a_list: 20_000, search_in_names_of_graphs: 4_000,
         initializers_of_nothing: 20_000, layers_of_one_weight: 6_000, dims: 100_000, types_within_types: 2_000,
         opsets: 6_000, external_files: 6_000, annotations: 6_000}
