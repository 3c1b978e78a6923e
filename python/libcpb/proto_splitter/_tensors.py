"""Values of TensorProto messages, as the bytes that tensor_content would hold."""

from __future__ import annotations

import array
import sys
from typing import Any

# The field with the values, the type code of an array's elements, elements per value, and the DataTypes of which this
# is so.
_ARRAYS = [
    ("float_val", "f", 1, [1]),  # DT_FLOAT
    ("double_val", "d", 1, [2]),
    ("int_val", "i", 1, [3, 13]),
    ("int_val", "B", 1, [4, 12, 30, 32]),  # DT_UINT8, DT_QUINT8, DT_UINT4, DT_UINT2
    ("int_val", "h", 1, [5, 15]),
    ("int_val", "b", 1, [6, 11, 29, 31]),  # DT_INT8, DT_QINT8, DT_INT4, DT_INT2
    ("int_val", "H", 1, [16, 17]),  # DT_QUINT16, DT_UINT16
    ("scomplex_val", "f", 2, [8]),
    ("int64_val", "q", 1, [9]),
    ("bool_val", "B", 1, [10]),
    ("half_val", "H", 1, [14, 19]),  # DT_BFLOAT16, DT_HALF
    ("dcomplex_val", "d", 2, [18]),
    ("uint32_val", "I", 1, [22]),
    ("uint64_val", "Q", 1, [23]),
    ("float8_val", "B", 1, [24, 25, 26, 27, 28, 33]),  # the last is DT_FLOAT4_E2M1FN
]
_FIELDS = {dtype: (name, code, count) for name, code, count, dtypes in _ARRAYS for dtype in dtypes}

_KEPT = ("dtype", "tensor_shape", "version_number")


def take_values(tensor: Any) -> Any:
    """Takes the values out of a TensorProto, which keeps its dtype, shape and version.

    Returns:
        Its tensor_content; or, for strings, resources and variants, which have none, a list of TensorProto
            messages with a share of the values each, of up to about `max_size` bytes if possible.

    Raises:
        ValueError: the values do not match the dtype and shape.
    """
    if tensor.tensor_content:
        content = tensor.tensor_content
    elif tensor.dtype in _FIELDS:
        content = _content(tensor)
    else:
        content = _whole(tensor)
    for field, _ in tensor.ListFields():
        if field.name not in _KEPT:
            tensor.ClearField(field.name)
    return content


def _content(tensor: Any) -> bytes:
    name, code, per_value = _FIELDS[tensor.dtype]
    try:
        values = array.array(code, getattr(tensor, name))
    except (OverflowError, TypeError) as error:
        raise ValueError(f"a value in {name} does not fit dtype {tensor.dtype}: {error}") from None
    count = _num_elements(tensor) * per_value
    if len(values) > count:
        raise ValueError(f"{name} has {len(values) // per_value} values, but the shape has {count // per_value}")
    if len(values) < count:  # the last value stands for those that follow
        last = values[-per_value:] if values else array.array(code, [0] * per_value)
        values.extend(last * ((count - len(values)) // per_value))
    if sys.byteorder == "big":
        values.byteswap()
    return values.tobytes()


def _num_elements(tensor: Any) -> int:
    count = 1
    for dim in tensor.tensor_shape.dim:
        if dim.size < 0:
            raise ValueError("its shape has a dimension of unknown size")
        count *= dim.size
    return count


def _whole(tensor: Any) -> Any:
    """One message, as TensorFlow's merger mixes up the order of several for the same map entry."""
    values = type(tensor)()
    for field, value in tensor.ListFields():
        if field.name not in _KEPT:
            getattr(values, field.name).extend(value)
    return values
