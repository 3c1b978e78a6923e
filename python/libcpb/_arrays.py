"""The values of an array, and NumPy arrays of them, where NumPy is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from libcpb._errors import CpbError

if TYPE_CHECKING:
    from numpy import ndarray

_SMALL_FLOATS = {  # of ml_dtypes, by the type's name in a model, without _ and in small letters
    "bfloat16": "bfloat16",
    "half": "float16",
    "float8e5m2": "float8_e5m2",
    "float8e4m3fn": "float8_e4m3fn",
    "float8e4m3fnuz": "float8_e4m3fnuz",
    "float8e4m3b11fnuz": "float8_e4m3b11fnuz",
    "float8e5m2fnuz": "float8_e5m2fnuz",
    "float4e2m1fn": "float4_e2m1fn",
}


class Values(NamedTuple):
    """The values of an array.

    Attributes:
        dtype: The type's name in the model, such as ``"FLOAT"`` or ``"float32"``.
        numpy: NumPy's type string, such as ``"<f4"``; None if NumPy has no such type.
        item_size: Bytes of an element; 0 if their sizes differ: each of TensorFlow's strings then comes after
            its length in 8 bytes; SameDiff's strings come in the form of the file.
        shape: Sizes of the dimensions.
        fortran_order: Whether the first dimension varies fastest.
        data: The values, little-endian.
    """

    dtype: str
    numpy: str | None
    item_size: int
    shape: tuple[int, ...]
    fortran_order: bool
    data: bytearray

    def array(self) -> ndarray[Any, Any]:
        """As a NumPy array over `data`; strings are copied. CpbError UNSUPPORTED when NumPy has no such
        type."""
        try:
            import numpy as np
        except ImportError as error:
            raise ImportError("an array needs NumPy: install libcpb[arrays]") from error
        order: Any = "F" if self.fortran_order else "C"
        if self.numpy is not None and self.item_size > 0:
            dtype = _small_float(self.dtype) if self.numpy in ("|V1", "|V2") else None
            return np.frombuffer(self.data, dtype or self.numpy).reshape(self.shape, order=order)
        if self.dtype.lower() in ("string", "dt_string"):
            return np.array(_texts(self.data) or [], dtype=object).reshape(self.shape, order=order)
        raise CpbError(f"NumPy has no type for {self.dtype}", "UNSUPPORTED")


def _small_float(name: str) -> Any:
    """The dtype of ml_dtypes; None without it."""
    try:
        import ml_dtypes  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        return None
    known = _SMALL_FLOATS.get(name.lower().replace("_", ""))
    return getattr(ml_dtypes, known, None) if known else None


def _texts(data: bytearray) -> list[bytes]:
    """Strings, each after its length in 8 bytes."""
    texts = []
    at = 0
    while at < len(data):
        size = int.from_bytes(data[at : at + 8], "little")
        texts.append(bytes(data[at + 8 : at + 8 + size]))
        at += 8 + size
    return texts
