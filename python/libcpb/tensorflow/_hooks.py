"""Functions that replace TensorFlow's own, until they are removed again."""

from __future__ import annotations

import contextlib
import contextvars
import copy
import functools
import os
import sys
import threading
from collections.abc import Iterator
from typing import Any, NamedTuple

import tensorflow as tf

from libcpb import CpbError
from libcpb.tensorflow._settings import Settings, check_version

check_version(tf.__version__)

try:
    from tensorflow.python.framework import ops
    from tensorflow.python.saved_model import builder_impl, loader_impl, save_options
    from tensorflow.python.saved_model import save as saving
    from tensorflow.python.tools import saved_model_utils

    from libcpb.tensorflow import _graphs, _loading, _saving
except ImportError as error:
    raise CpbError(f"TensorFlow {tf.__version__} is not as expected: {error}", "UNSUPPORTED") from error

_MISSING = object()
_lock = threading.RLock()
_enabled: Settings | None = None
_users = 0
_undo = contextlib.ExitStack()  # what removes the functions again

# The call of save() that is in progress in this thread, and the settings of the next one.
_under_way: contextvars.ContextVar[Any] = contextvars.ContextVar("saving", default=None)
_settings: contextvars.ContextVar[Settings | None] = contextvars.ContextVar("settings", default=None)


# --- Saving --------------------------------------------------------------------------------------------


def _save_and_return_nodes(original: Any, obj: Any, export_dir: Any, signatures: Any = None, options: Any = None,
                           **more: Any) -> Any:
    settings = _settings.get() or _enabled
    if settings is None or not (settings.always or getattr(options, "experimental_image_format", False)):
        return original(obj, export_dir, signatures, options, **more)
    options = copy.copy(options) if options is not None else save_options.SaveOptions()
    options.experimental_image_format = True
    token = _under_way.set(_saving.Saving(settings))
    try:
        result = original(obj, export_dir, signatures, options, **more)
        _saving.write_fingerprint(tf.compat.as_str_any(os.fspath(export_dir)))
        return result
    except (ValueError, tf.errors.InvalidArgumentError) as error:
        if _is_about_size(error):
            raise ValueError(f"{error}\n{_WAY_OUT}") from error
        raise
    finally:
        _under_way.reset(token)


_WAY_OUT = ("One tensor, node or function of 2 GB or more cannot be in a graph, however it is saved. Make the tensor a "
            "tf.Variable, whose value is saved in variables/; or divide the function.")


def _is_about_size(error: Exception) -> bool:
    text = str(error)
    return any(words in text for words in ("2GB", "2 GB", "larger than the limit", "cannot be serialized", "too large"))


def _fill_meta_graph_def(original: Any, *args: Any, **kwargs: Any) -> Any:
    found = original(*args, **kwargs)
    under_way = _under_way.get()
    if under_way is not None:
        under_way.exported(found[1])
    return found


def _as_graph_def(original: Any, graph: Any, from_version: Any = None, add_shapes: bool = False, **more: Any) -> Any:
    under_way = _under_way.get()
    if under_way is None or not add_shapes or type(graph) is not ops.Graph:
        return original(graph, from_version, add_shapes, **more)
    return under_way.graph_def(graph, original)


def _parse_saved_model(original: Any, export_dir: Any) -> Any:
    return _loading.parse_saved_model(export_dir, original)


class _Splitters:
    """Replaces TensorFlow's module with splitters."""

    class SavedModelSplitter:
        def __init__(self, model: Any) -> None:
            self._model = model

        def write(self, prefix: Any, writer_options: str | None = None) -> str:
            under_way = _under_way.get() or _saving.Saving(_settings.get() or _enabled or Settings())
            return under_way.write(self._model, tf.compat.as_str_any(prefix), writer_options)


# --- Putting them there ----------------------------------------------------------------------------------


class _Hook(NamedTuple):
    owner: Any
    name: str
    replacement: Any  # called with the original before the arguments; or, with `plain`, put in its place
    plain: bool = False


_HOOKS = [
    _Hook(saving, "save_and_return_nodes", _save_and_return_nodes),
    _Hook(saving, "_fill_meta_graph_def", _fill_meta_graph_def),
    _Hook(saving, "proto_splitter", _Splitters, plain=True),
    _Hook(builder_impl, "proto_splitter", _Splitters, plain=True),
    _Hook(ops.Graph, "_as_graph_def", _as_graph_def),
    _Hook(save_options, "is_oss", False, plain=True),
    _Hook(loader_impl, "parse_saved_model", _parse_saved_model),
    _Hook(saved_model_utils, "read_saved_model", _parse_saved_model),
]


def _aliases() -> list[_Hook]:
    """TensorFlow's public modules that also name a function of _HOOKS."""
    original = loader_impl.parse_saved_model
    return [_Hook(module, "parse_saved_model", _parse_saved_model) for name, module in list(sys.modules.items())
            if name.endswith("__internal__.saved_model") and vars(module).get("parse_saved_model") is original]


def _put() -> None:
    for hook in _aliases() + _HOOKS:
        before = getattr(hook.owner, hook.name, _MISSING)
        if before is _MISSING and not hook.plain:
            raise CpbError(f"TensorFlow {tf.__version__} is not as expected: there is no {hook.name} in "
                           f"{getattr(hook.owner, '__name__', hook.owner)}", "UNSUPPORTED")
        if before is _MISSING:
            _undo.callback(delattr, hook.owner, hook.name)
        else:
            _undo.callback(setattr, hook.owner, hook.name, before)
        setattr(hook.owner, hook.name, hook.replacement if hook.plain else _wrapped(hook.replacement, before))


def _wrapped(replacement: Any, original: Any) -> Any:
    @functools.wraps(original)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return replacement(original, *args, **kwargs)

    return wrapper


@contextlib.contextmanager
def _applied() -> Iterator[None]:
    _acquire()
    try:
        yield
    finally:
        _release()


def _acquire() -> None:
    global _users
    with _lock:
        if _users == 0:
            try:
                _put()
            except BaseException:
                _undo.close()
                raise
        _users += 1


def _release() -> None:
    global _users
    with _lock:
        _users -= 1
        if _users == 0:
            _undo.close()


# --- What users call -------------------------------------------------------------------------------------


def enable(settings: Settings) -> None:
    global _enabled
    settings.check()
    with _lock:
        if _enabled is None:
            _acquire()
        _enabled = settings


def disable() -> None:
    global _enabled
    with _lock:
        if _enabled is not None:
            _enabled = None
            _release()


def save(obj: Any, path: str, signatures: Any, options: Any, settings: Settings) -> str:
    settings.check()
    with _applied():
        token = _settings.set(settings)
        try:
            tf.saved_model.save(obj, path, signatures, options)
        finally:
            _settings.reset(token)
    names = [os.path.join(path, f"saved_model{suffix}") for suffix in (".pb", ".cpb")]
    return next(name for name in names if tf.io.gfile.exists(name))


def load(path: str, tags: Any, options: Any) -> Any:
    with _applied():
        return tf.saved_model.load(path, tags, options)
