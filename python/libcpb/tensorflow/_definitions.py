"""Serialized functions, in the memory of TensorFlow's serializer: Python would copy them for a moment. Uses
TensorFlow's C API if it is found, else Python's methods."""

from __future__ import annotations

import ctypes
import functools
import os
from typing import Any

import tensorflow as tf
from tensorflow.python import pywrap_tfe
from tensorflow.python.client import pywrap_tf_session
from tensorflow.python.framework import c_api_util


class _Buffer(ctypes.Structure):
    """TF_Buffer of tensorflow/c/tf_buffer.h."""

    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t), ("release", ctypes.c_void_p)]


class _Api:
    def __init__(self) -> None:
        folder = os.path.dirname(tf.__file__)
        functions = ctypes.CDLL(os.path.join(folder, "libtensorflow_cc.so.2"))
        buffers = ctypes.CDLL(os.path.join(folder, "libtensorflow_framework.so.2"))
        buffer = ctypes.POINTER(_Buffer)
        self.function = self._find(functions, "TFE_ContextGetFunction", ctypes.c_void_p, ctypes.c_void_p,
                                   ctypes.c_char_p, ctypes.c_void_p)
        self.serialize = self._find(functions, "TF_FunctionToFunctionDef", None, ctypes.c_void_p, buffer,
                                    ctypes.c_void_p)
        self.delete_function = self._find(functions, "TF_DeleteFunction", None, ctypes.c_void_p)
        self.new_buffer = self._find(buffers, "TF_NewBuffer", buffer)
        self.delete_buffer = self._find(buffers, "TF_DeleteBuffer", None, buffer)
        self.new_status = self._find(buffers, "TF_NewStatus", ctypes.c_void_p)
        self.delete_status = self._find(buffers, "TF_DeleteStatus", None, ctypes.c_void_p)
        self.code = self._find(buffers, "TF_GetCode", ctypes.c_int, ctypes.c_void_p)
        self.message = self._find(buffers, "TF_Message", ctypes.c_char_p, ctypes.c_void_p)
        self.name = self._find(ctypes.pythonapi, "PyCapsule_GetName", ctypes.c_char_p, ctypes.py_object)
        self.pointer = self._find(ctypes.pythonapi, "PyCapsule_GetPointer", ctypes.c_void_p, ctypes.py_object,
                                  ctypes.c_char_p)

    @staticmethod
    def _find(library: Any, name: str, result: Any, *arguments: Any) -> Any:
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
        return function


@functools.lru_cache(maxsize=None)
def _api() -> _Api | None:
    try:
        return _Api()
    except (OSError, AttributeError):  # another system's library, or one without the function
        return None


def function_definition(context: Any, name: bytes) -> Any:
    """A function's FunctionDef, serialized, as bytes or a memoryview.

    Args:
        context: TensorFlow's eager context, which has the function.
        name: The function's name.

    Raises:
        ValueError: It cannot be serialized.
    """
    api, handle = _api(), context._handle
    if api is None or type(handle).__name__ != "PyCapsule":
        with c_api_util.tf_buffer() as buffer:
            pywrap_tfe.TFE_ContextGetFunctionDef(handle, name, buffer)
            return pywrap_tf_session.TF_GetBuffer(buffer)
    status, function, buffer = api.new_status(), None, None
    try:
        function = api.function(api.pointer(handle, api.name(handle)), name, status)
        if api.code(status) == 0:
            buffer = api.new_buffer()
            api.serialize(function, buffer, status)
        if api.code(status) != 0:
            raise ValueError(api.message(status).decode(errors="replace"))
        view, buffer = _view(api, buffer), None
        return view
    finally:
        if buffer is not None:
            api.delete_buffer(buffer)
        if function is not None:
            api.delete_function(function)
        api.delete_status(status)


def _view(api: _Api, buffer: Any) -> memoryview:
    """The bytes of a buffer, which is deleted with the last view."""
    length = buffer.contents.length

    class Bytes(ctypes.c_ubyte * length):  # type: ignore[misc]
        def __del__(self) -> None:
            api.delete_buffer(buffer)

    return memoryview(Bytes.from_address(buffer.contents.data or 1)).cast("B").toreadonly()
