"""Reading a SavedModel of any size."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from tensorflow.core.protobuf import saved_model_pb2
from tensorflow.python.lib.io import file_io

from libcpb.proto_splitter import merge
from libcpb.tensorflow._settings import MAX_PB_SIZE


def parse_saved_model(export_dir: Any, original: Callable[[Any], Any]) -> Any:
    """The SavedModel in a folder, looked for in the order of TensorFlow's own function: .pb, .pbtxt, .cpb.

    Args:
        export_dir: The folder.
        original: TensorFlow's function, for models that it can read.
    """
    folder = os.fsdecode(os.fspath(export_dir))
    path = os.path.join(folder, "saved_model.pb")
    if file_io.file_exists(path):
        if file_io.stat(path).length <= MAX_PB_SIZE:
            return original(export_dir)
    elif file_io.file_exists(f"{path}txt"):
        return original(export_dir)
    else:
        path = os.path.join(folder, "saved_model.cpb")
        if not file_io.file_exists(path):
            return original(export_dir)  # its error says what is missing
    model = saved_model_pb2.SavedModel()
    if "://" not in path:
        merge.Merger.read(path, model)
        return model
    with file_io.FileIO(path, "rb") as file:
        merge.read_chunks(file, model, path)
    return model
