"""Writing a SavedModel whose large constants are still in their graph."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import libcpb
from libcpb import _core
from libcpb.proto_splitter import _files, constants, merge, util
from libcpb.proto_splitter.python.saved_model import SavedModelSplitter
from libcpb.tensorflow import _graphs
from libcpb.tensorflow._settings import Settings

# Messages become chunks of at most about this size if possible; of at least this size if the limit for a .pb is low.
_CHUNK, _LEAST_CHUNK = 64 << 20, 4 << 10

_GRAPH_DEF: list[str | int | bool] = ["meta_graphs", 0, "graph_def"]

_WORD = """\
saved_model.cpb is this SavedModel in chunks, because a saved_model.pb cannot have 2 GB or more.
TensorFlow's own loaders do not open it. With the package libcpb (C, Python, JavaScript) there are

    libcpb.tensorflow.load(FOLDER)                       in Python, in place of tf.saved_model.load
    cpb inspect FOLDER                                   at the shell: what is in it
    cpb merge saved_model.cpb -o saved_model.pb          the file that TensorFlow opens, if it is below 2 GB
"""


class Saving:
    """A call of ``tf.saved_model.save`` that is in progress."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.skeletons: list[_graphs.Skeleton] = []
        self.values: list[_graphs.Value] = []

    @property
    def large(self) -> int:
        """The most bytes of a constant that is not deferred."""
        return min(_graphs.LARGE, max(self.settings.max_pb_size // 4, 1 << 10))

    def graph_def(self, graph: Any, original: Callable[..., Any]) -> Any:
        """The replacement for ``Graph._as_graph_def``."""
        made = _graphs.skeleton(graph, original, self.large)
        self.skeletons.append(made)
        return made.graph_def, graph.version

    def exported(self, graph: Any) -> None:
        """The saved graph, once its GraphDef was requested."""
        if [made.graph for made in self.skeletons] != [graph]:
            raise RuntimeError("TensorFlow has asked another graph than the one that it saves for its nodes")
        self.values = self.skeletons.pop().values

    def write(self, model: Any, prefix: str, writer_options: str | None = None) -> str:
        """Writes the SavedModel; returns the path."""
        values = [value for value in self.values if _is_there(model, _GRAPH_DEF + value.path)]
        size = util.byte_size(model) + sum(value.end - value.begin for value in values)
        chunked = size > self.settings.max_pb_size if self.settings.chunked is None else self.settings.chunked
        options = writer_options or self.settings.codec
        path = f"{prefix}.cpb" if chunked else f"{prefix}.pb"
        target = min(_CHUNK, max(_LEAST_CHUNK, self.settings.max_pb_size // 4))
        with local(path) as to:
            if chunked:
                _write_chunks(to, model, values, options, target)
            elif not values:
                _files.write_message(to, model)
            else:
                _write_merged(to, model, values, target)
        remove(f"{prefix}.pb" if chunked else f"{prefix}.cpb")
        _leave_word(f"{prefix}.cpb", chunked)
        remove(os.path.join(os.path.dirname(prefix), "fingerprint.pb"))  # of another file
        return path


def _is_there(model: Any, path: list[str | int | bool]) -> bool:
    """Whether the message still has the value's field: TensorFlow may have stripped it."""
    value, _ = util.get_field(model, path[:-1])
    return value is not None


class _Splitter(SavedModelSplitter):
    def __init__(self, model: Any, values: list[_graphs.Value], **kwargs: Any) -> None:
        super().__init__(model, **kwargs)
        self._values = values
        self._read: tuple[Any, bytes] = (None, b"")

    def build_chunks(self) -> None:
        super().build_chunks()
        for value in self._values:
            load = lambda value=value: self._load(value)  # noqa: E731
            chunk: Any = _files.Deferred(value.end - value.begin, load)
            self.add_chunk(chunk, _GRAPH_DEF + value.path)

    def _load(self, value: _graphs.Value) -> memoryview:
        """A function that has several constants is serialized once, and only one is held."""
        if self._read[0] is not value.source:
            self._read = (None, b"")
            self._read = (value.source, value.source())
        return memoryview(self._read[1])[value.begin:value.end]


def _write_chunks(path: str, model: Any, values: list[_graphs.Value], options: str, target: int) -> None:
    splitter = _Splitter(model, values)
    with constants.target_size(target):
        chunks, chunked_message = splitter.split()
    _files.write_chunks(path, chunks, chunked_message, splitter.version_def, _files.parse_options(options))


def _leave_word(path: str, chunked: bool) -> None:
    """Writes a note for users of the folder, as TensorFlow only says that a folder with a .cpb has no
    model."""
    if not chunked:
        return remove(f"{path}.README")
    with local(f"{path}.README") as to, open(to, "w", encoding="utf-8") as file:
        file.write(_WORD)


def _write_merged(path: str, model: Any, values: list[_graphs.Value], target: int) -> None:
    """Writes a .pb through a chunked file in the same folder."""
    chunks = f"{path}.chunks"
    try:
        _write_chunks(chunks, model, values, "uncompressed", target)
        schema = _core.Schema(merge.descriptor_set(model.DESCRIPTOR))
        libcpb.merge(chunks, path, type_name=model.DESCRIPTOR.full_name, schema=schema)
    finally:
        remove(chunks)


def write_fingerprint(folder: str) -> None:
    """Writes the fingerprint for versions of TensorFlow that write none for experimental_image_format, such
    as 2.15."""
    from tensorflow.python.lib.io import file_io
    from tensorflow.python.saved_model import fingerprinting_utils

    if not file_io.file_exists(os.path.join(folder, "fingerprint.pb")):
        fingerprinting_utils.write_fingerprint(folder)


# --- Files -------------------------------------------------------------------------------------------


@contextlib.contextmanager
def local(path: str) -> Iterator[str]:
    """The name of a local file for the block to write: `path` itself, or a file that TensorFlow's file
    systems copy there if the block ends without an exception."""
    if not is_remote(path):
        yield path
        return
    from tensorflow.python.lib.io import file_io

    with tempfile.TemporaryDirectory() as folder:
        made = os.path.join(folder, os.path.basename(path))
        yield made
        file_io.copy(made, path, overwrite=True)


def is_remote(path: str) -> bool:
    return "://" in path


def remove(path: str) -> None:
    """Removes a file, if it exists."""
    if is_remote(path):
        from tensorflow.python.lib.io import file_io

        if file_io.file_exists(path):
            file_io.delete_file(path)
    elif os.path.lexists(path):
        os.unlink(path)
