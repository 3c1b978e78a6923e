"""Settings for saving a model, and the supported versions of TensorFlow."""

from __future__ import annotations

from typing import NamedTuple

from libcpb import CpbError
from libcpb.proto_splitter import _files

# The oldest and the newest version that the tests have run with.
SUPPORTED = ("2.14", "2.21")

# The largest message that protobuf parses.
MAX_PB_SIZE = (1 << 31) - 1


class Settings(NamedTuple):
    chunked: bool | None = None  # None: depends on the size
    max_pb_size: int = MAX_PB_SIZE
    codec: str = "zstd:3"
    always: bool = False  # also without experimental_image_format

    def check(self) -> None:
        if isinstance(self.max_pb_size, bool) or not isinstance(self.max_pb_size, int):
            raise TypeError(f"max_pb_size is a number of bytes, an int, not {type(self.max_pb_size).__name__}")
        if not 0 <= self.max_pb_size <= MAX_PB_SIZE:
            raise ValueError(f"max_pb_size is 0 to {MAX_PB_SIZE} bytes, not {self.max_pb_size}")
        _files.parse_options(self.codec)


def check_version(version: str) -> None:
    """Raises CpbError if TensorFlow's version is not known to work."""
    numbers = version.split(".")[:2]
    try:
        given = tuple(int(n) for n in numbers)
    except ValueError:
        given = ()
    oldest, newest = (tuple(map(int, v.split("."))) for v in SUPPORTED)
    if not oldest <= given <= newest:
        raise CpbError(f"libcpb.tensorflow works with TensorFlow {SUPPORTED[0]} to {SUPPORTED[1]}, and this is "
                       f"{version}: it builds on functions that TensorFlow keeps to itself", "UNSUPPORTED")
