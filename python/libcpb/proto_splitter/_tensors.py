"""Values of TensorProto messages, as the bytes that tensor_content would hold."""

from __future__ import annotations

import array
import sys
from typing import Any

# DataType: (the field with the values, the type code of an array's elements, elements per value)
_FIELDS = {
    1: ("float_val", "f", 1),  # DT_FLOAT
    2: ("double_val", "d", 1),
    3: ("int_val", "i", 1),
    4: ("int_val", "B", 1),  # DT_UINT8
    5: ("int_val", "h", 1),
    6: ("int_val", "b", 1),
    8: ("scomplex_val", "f", 2),
    9: ("int64_val", "q", 1),
    10: ("bool_val", "B", 1),
    11: ("int_val", "b", 1),  # DT_QINT8
    12: ("int_val", "B", 1),
    13: ("int_val", "i", 1),
    14: ("half_val", "H", 1),  # DT_BFLOAT16
    15: ("int_val", "h", 1),
    16: ("int_val", "H", 1),
    17: ("int_val", "H", 1),  # DT_UINT16
    18: ("dcomplex_val", "d", 2),
    19: ("half_val", "H", 1),
    22: ("uint32_val", "I", 1),
    23: ("uint64_val", "Q", 1),
    24: ("float8_val", "B", 1),
    25: ("float8_val", "B", 1),
    26: ("float8_val", "B", 1),
    27: ("float8_val", "B", 1),
    28: ("float8_val", "B", 1),
    29: ("int_val", "b", 1),  # DT_INT4
    30: ("int_val", "B", 1),
    31: ("int_val", "b", 1),
    32: ("int_val", "B", 1),
    33: ("float8_val", "B", 1),  # DT_FLOAT4_E2M1FN
}

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
