"""TensorFlow models beyond protobuf's 2 GB.

    import libcpb.tensorflow

    libcpb.tensorflow.save(module, "model")     # model/saved_model.cpb, if a .pb would be too large
    loaded = libcpb.tensorflow.load("model")

or, for TensorFlow's own functions and libraries built on them, such as Keras:

    libcpb.tensorflow.enable()
    tf.saved_model.save(module, "model", options=tf.saved_model.SaveOptions(experimental_image_format=True))
    loaded = tf.saved_model.load("model")

`docs/tensorflow.md` lists the programs that can read such a model. Importing this module does not import
TensorFlow.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from libcpb.tensorflow._settings import MAX_PB_SIZE, SUPPORTED, Settings

__all__ = ["MAX_PB_SIZE", "SUPPORTED", "disable", "enable", "load", "save"]


def save(
    obj: Any,
    path: str | os.PathLike[str],
    signatures: Any = None,
    options: Any = None,
    *,
    chunked: bool | None = None,
    max_pb_size: int = MAX_PB_SIZE,
    codec: str = "zstd:3",
) -> str:
    """Saves an object as ``tf.saved_model.save`` does, of any size.

    Everything but ``saved_model.pb`` is written by TensorFlow: variables, assets, fingerprint, debug
    information. Large constants go into the file one function at a time, without a copy of the whole.

    Args:
        obj, signatures: As for ``tf.saved_model.save``.
        path: The model's folder.
        options: A ``tf.saved_model.SaveOptions``, or None. It is not changed.
        chunked: Whether ``saved_model.cpb`` is written, instead of ``saved_model.pb``. None: if necessary. A
            file with the other name in the folder is removed.
        max_pb_size: The most bytes of a ``saved_model.pb``.
        codec: The compression of chunks: ``"zstd:LEVEL"``, ``"brotli:LEVEL"`` or ``"uncompressed"``.

    Returns:
        The path of the file.

    Raises:
        ValueError: One function, node or tensor alone has 2 GB or more; the error names it, and a way out.
            Also exceptions of ``tf.saved_model.save``.
        CpbError: ``"UNSUPPORTED"``: this version of TensorFlow is not one of `SUPPORTED`.
    """
    from libcpb.tensorflow import _hooks

    return _hooks.save(obj, os.fspath(path), signatures, options, Settings(chunked, max_pb_size, codec, always=True))


def load(path: str | os.PathLike[str], tags: str | Iterable[str] | None = None, options: Any = None) -> Any:
    """Loads a model as ``tf.saved_model.load`` does, from a ``saved_model.pb`` or ``saved_model.cpb`` of
    any size. It is parsed a piece at a time.

    Args:
        path: The model's folder.
        tags, options: As for ``tf.saved_model.load``.

    Raises:
        CpbError: The file is damaged; or this version of TensorFlow is not one of `SUPPORTED`. Also
            exceptions of ``tf.saved_model.load``.
    """
    from libcpb.tensorflow import _hooks

    return _hooks.load(os.fspath(path), tags, options)


def enable(*, every_save: bool = False, max_pb_size: int = MAX_PB_SIZE, codec: str = "zstd:3") -> None:
    """Makes TensorFlow itself read and write ``.cpb`` files in this process, until `disable`.

    ``tf.saved_model.load``, the loader of TensorFlow 1, ``saved_model_cli`` (as a function), and Keras on top
    of these, then read them. ``tf.saved_model.save`` writes them for a
    ``SaveOptions(experimental_image_format=True)``, if the model is too large for a ``.pb``. Calling this
    again changes the arguments.

    Args:
        every_save: Whether every save has this option, for callers that cannot pass it.
        max_pb_size, codec: As for `save`.

    Raises:
        CpbError: ``"UNSUPPORTED"``: this version of TensorFlow is not one of `SUPPORTED`.
    """
    from libcpb.tensorflow import _hooks

    _hooks.enable(Settings(None, max_pb_size, codec, every_save))


def disable() -> None:
    """Undoes `enable`."""
    from libcpb.tensorflow import _hooks

    _hooks.disable()
