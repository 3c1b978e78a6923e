"""A graph as a GraphDef without its large constants: node by node and function by function, as
protobuf cannot serialize the whole."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from tensorflow.core.framework import function_pb2, graph_pb2, node_def_pb2
from tensorflow.python.client import pywrap_tf_session
from tensorflow.python.eager import context
from tensorflow.python.framework import c_api_util, errors, ops
from tensorflow.python.util import compat

from libcpb.proto_splitter import _wire
from libcpb.tensorflow import _peel
from libcpb.tensorflow._definitions import function_definition

# Constants of more bytes than this stay in the graph until they are written.
LARGE = 1 << 20

# About how many bytes of nodes or functions are passed to TensorFlow at once.
_BATCH = 16 << 20

_lock = threading.RLock()


class Value(NamedTuple):
    """A constant that the GraphDef lacks."""

    path: list[str | int | bool]  # in the GraphDef
    source: Callable[[], Any]  # serializes the node or function that has it
    begin: int  # in its result
    end: int


class Skeleton(NamedTuple):
    graph: Any
    graph_def: Any
    values: list[Value]


def skeleton(graph: Any, original: Callable[..., Any], large: int) -> Skeleton:
    """The result of ``graph._as_graph_def(add_shapes=True)``, without the large constants.

    Args:
        graph: A ``tf.Graph``.
        original: TensorFlow's original method: it gets the parts one by one, and adds the shapes.
        large: The most bytes of a constant that stays.
    """
    whole = graph_pb2.GraphDef()
    values: list[Value] = []
    with graph._lock:
        nodes = ((_node_source(op), f"node {op.name!r}") for op in graph.get_operations())
        for part in _parts(nodes, node_def_pb2.NodeDef.DESCRIPTOR, large, ["node"], values):
            whole.MergeFrom(_as_tensorflow(graph, original, b"".join(_wire.field(1, data) for data in part)))
        functions = ((_function_source(f), f) for f in graph._functions.values())
        for part in _parts(functions, function_pb2.FunctionDef.DESCRIPTOR, large, ["library", "function"], values):
            library = b"".join(_wire.field(1, data) for data in part)
            whole.MergeFrom(_as_tensorflow(graph, original, _wire.field(2, library)))
        for function in graph._functions.values():
            if getattr(function, "grad_func_name", None):
                whole.library.gradient.add(function_name=function.name, gradient_func=function.grad_func_name)
        whole.versions.CopyFrom(graph.graph_def_versions)
    return Skeleton(graph, whole, values)


def _parts(items: Any, descriptor: Any, large: int, path: list[str | int | bool], values: list[Value]) -> Iterator[list[bytes]]:
    """Lists of serialized messages, of about _BATCH bytes; adds to `values` what they lack."""
    part: list[bytes] = []
    size = 0
    for i, (source, what) in enumerate(items):
        data, peeled = _peel.peel(descriptor, _serialized(source, what), large)
        values.extend(Value(path + [i] + inner, source, begin, end) for inner, begin, end in peeled)
        if part and size + len(data) > _BATCH:
            yield part
            part, size = [], 0
        part.append(data)
        size += len(data)
    if part:
        yield part


# --- Parts that TensorFlow serializes ----------------------------------------------------------------------


def _node_source(op: Any) -> Callable[[], bytes]:
    def load() -> bytes:
        with c_api_util.tf_buffer() as buffer:
            pywrap_tf_session.TF_OperationToNodeDef(op._c_op, buffer)
            return pywrap_tf_session.TF_GetBuffer(buffer)

    return load


def _function_source(function: Any) -> Callable[[], Any]:
    name = compat.as_bytes(function.name)
    bound = getattr(function, "_bound_context", None) or context.context()
    if not bound.has_function(name):  # of TensorFlow 1
        return lambda: function.definition.SerializeToString()

    return lambda: function_definition(bound, name)


def _serialized(source: Callable[[], Any], what: Any) -> Any:
    try:
        return source()
    except (errors.OpError, ValueError, MemoryError) as error:
        raise ValueError(f"{_described(what)} cannot be serialized: {error}") from error


def _described(what: Any) -> str:
    """A node by its name; a function by its name and its largest constants."""
    if isinstance(what, str):
        return what
    name = compat.as_str(what.name)
    sizes = []
    for op in getattr(getattr(what, "graph", None), "get_operations", list)():
        count = op.outputs[0].shape.num_elements() if op.type == "Const" else None
        if count and op.outputs[0].dtype.size:
            sizes.append((count * op.outputs[0].dtype.size, op.name))
    largest = ", ".join(f"{op!r} with {size:,} bytes" for size, op in sorted(sizes, reverse=True)[:3])
    return f"function {name!r}" + (f" (its largest constants: {largest})" if largest else "")


# --- Parts of a graph, as TensorFlow completes them ----------------------------------------------------


class _Session:
    """TensorFlow's session module, except that the thread that sets a graph's serialization here gets it
    back."""

    def __init__(self, module: Any, data: bytes) -> None:
        self._module = module
        self._data = data
        self._thread = threading.get_ident()
        self._buffer = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)

    def TF_GraphToGraphDef(self, graph: Any, buffer: Any) -> None:
        if threading.get_ident() == self._thread:
            self._buffer = buffer
        else:
            self._module.TF_GraphToGraphDef(graph, buffer)

    def TF_GetBuffer(self, buffer: Any) -> bytes:
        return self._data if buffer is self._buffer else self._module.TF_GetBuffer(buffer)


@contextlib.contextmanager
def _serialization(data: bytes) -> Iterator[None]:
    with _lock:
        module = ops.pywrap_tf_session
        ops.pywrap_tf_session = _Session(module, data)
        try:
            yield
        finally:
            ops.pywrap_tf_session = module


def _as_tensorflow(graph: Any, original: Callable[..., Any], data: bytes) -> Any:
    with _serialization(data):
        part, _ = original(graph, add_shapes=True, use_pybind11_proto=False)
    return part
