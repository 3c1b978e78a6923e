"""Messages to test splitters with."""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Sequence
from typing import Any

from google.protobuf.message import Message


def make_graph_def_with_constant_nodes(
    node_sizes: Sequence[int], dtype: Any = None, **function_node_sizes: Sequence[int]
) -> Message:
    """Makes a tensorflow.GraphDef of constants with random values of 32-bit floating point numbers.

    Args:
        node_sizes: about how many bytes each node of the graph is to have, within 5.
        dtype: has no effect; there for the callers of TensorFlow's function.
        **function_node_sizes: for the name of each function in the library, the same of its nodes.

    Raises:
        ValueError: a size is too small for a node.
    """
    from tensorflow.core.framework import graph_pb2

    graph = graph_pb2.GraphDef()
    _add_nodes(graph.node, node_sizes, 0)
    number = len(node_sizes)
    for name, sizes in function_node_sizes.items():
        function = graph.library.function.add()
        function.signature.name = name
        _add_nodes(function.node_def, sizes, number)
        number += len(sizes)
    return graph


def _add_nodes(nodes: Any, sizes: Sequence[int], number: int) -> None:
    for i, size in enumerate(sizes, number):
        node = nodes.add(name=f"Const_{i}", op="Const")
        tensor = node.attr["value"].tensor
        tensor.dtype = 1  # DT_FLOAT
        tensor.tensor_shape.SetInParent()
        tensor.float_val.append(1.0)
        missing = size - node.ByteSize()
        if missing < 0:
            raise ValueError(f"Unable to create node of size {size} bytes: without values it has {node.ByteSize()}.")
        count = math.ceil(missing / 4)
        tensor.tensor_shape.dim.add(size=count)
        tensor.ClearField("float_val")
        if count == 1:
            tensor.float_val.append(random.random())
        else:
            tensor.tensor_content = struct.pack(f"<{count}f", *(random.random() for _ in range(count)))
