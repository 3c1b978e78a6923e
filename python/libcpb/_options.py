"""Options by name, as numbers of the C interface."""

from __future__ import annotations

from typing import Any, Literal

from libcpb._errors import CpbError

Codec = Literal["default", "none", "brotli", "zstd"]
Verify = Literal["first", "late", "never"]
Layout = Literal["remote", "compat"]

_CODECS = {"default": 0, "none": 1, "brotli": 2, "zstd": 3}
_VERIFY = {"first": 0, "late": 1, "never": 2}
_LAYOUTS = {"remote": 0, "compat": 1}


def _one_of(what: str, choices: dict[str, int], given: Any) -> int:
    if given not in choices:
        raise CpbError(f"{what} is {given!r}; expected one of {', '.join(choices)}")
    return choices[given]


def codec(given: str) -> int:
    return _one_of("codec", _CODECS, given)


def verify(given: str) -> int:
    return _one_of("verify", _VERIFY, given)


def layout(given: str) -> int:
    return _one_of("layout", _LAYOUTS, given)


def count(what: str, given: Any, most: int = 2**64 - 1) -> int:
    """A number that is not negative."""
    number = given.__index__() if hasattr(given, "__index__") else None
    if number is None:
        raise TypeError(f"{what} is {type(given).__name__}; expected an int")
    if not 0 <= number <= most:
        raise CpbError(f"{what} is {number}; expected 0 to {most}")
    return int(number)


def level(codec: str, given: int | None) -> int:
    """A codec's level: None is the default, which in C is 0; Brotli's level 0 is -1 there."""
    if given is None:
        return 0
    if not isinstance(given, int):
        raise TypeError(f"level is {type(given).__name__}; expected an int or None")
    low, high = (0, 11) if codec == "brotli" else (-131072, 22)
    if not low <= given <= high:
        raise CpbError(f"level is {given}; expected {low} to {high} for {codec}")
    return -1 if codec == "brotli" and given == 0 else given
