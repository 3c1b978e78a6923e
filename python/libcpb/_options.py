"""Options by name, as numbers of the C interface."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Literal, TypedDict, TypeVar

from libcpb import _core
from libcpb._errors import CpbError

_T = TypeVar("_T")

Codec = Literal["default", "none", "brotli", "zstd", "snappy"]
Verify = Literal["first", "late", "never"]
Layout = Literal["remote", "compat"]


class Limits(TypedDict, total=False):
    """Bounds for the claims of a source and the work for it, else a `CpbError` ``"LIMIT"``: a mapping from any
    of these names, those of ``cpb_limits`` in C, to ints from 1 on. ``2**64 - 1`` (``2**32 - 1`` for `depth`)
    lifts a limit.

    | name | counts | default |
    |---|---|---|
    | ``riegeli_chunk`` | decoded bytes in memory at once | 2 GiB |
    | ``window`` | bytes of a decoder's window | 128 MiB |
    | ``chunks`` | chunks in an index | 2^24 |
    | ``records_per_chunk`` | records in a Riegeli chunk | 2^24 |
    | ``depth`` | how deep messages are nested | 100 |
    | ``decoded`` | decompressed bytes | 160 MiB, and 32,768 for each byte of the source |
    | ``held`` | bytes of memory for an index or a plan | 40 MiB, and 64 |
    | ``walked`` | bytes of messages read | 128 MiB, and 1,024 |
    | ``entries`` | records, fields of a plan, nodes, objects | 2^22, and 8 |
    | ``answer`` | bytes of an answer | 48 MiB, and 16 |
    | ``index`` | bytes of the chunk index, decoded | 16 MiB, and 32 |

    From ``decoded`` on, the second number is for each byte of the source; its name ends in ``_per_byte``. If
    only one of such a pair is given, the other is 0. Each call, seek or question counts anew.
    """

    riegeli_chunk: int
    window: int
    chunks: int
    records_per_chunk: int
    depth: int
    decoded: int
    decoded_per_byte: int
    held: int
    held_per_byte: int
    walked: int
    walked_per_byte: int
    entries: int
    entries_per_byte: int
    answer: int
    answer_per_byte: int
    index: int
    index_per_byte: int


VERIFY = {"first": 0, "late": 1, "never": 2}

# The options that Riegeli's syntax replaces, with the defaults that leave them to it.
_RIEGELI = {"layout": "remote", "codec": "default", "level": None, "window_log": 0, "chunk_size": 0, "padding": 0,
            "for_memory": 0, "transpose": False}  # fmt: skip


def one_of(what: str, choices: Mapping[str, _T], given: Any) -> _T:
    if given not in choices:
        raise CpbError(f"{what} is {given!r}; expected one of {', '.join(choices)}")
    return choices[given]


def count(what: str, given: Any, most: int = 2**64 - 1) -> int:
    """A number that is not negative."""
    number = given.__index__() if hasattr(given, "__index__") else None
    if number is None:
        raise TypeError(f"{what} is {type(given).__name__}; expected an int")
    if not 0 <= number <= most:
        raise CpbError(f"{what} is {number}; expected 0 to {most}")
    return int(number)


def positive(what: str, given: Any, expected: str) -> int:
    """A number that is at least 1."""
    number = count(what, given)
    if number == 0:
        raise CpbError(f"{what} is 0; expected {expected}")
    return number


def threads(given: Any = 0) -> Any:
    """The number of threads; 0 is one for each processor, up to 4."""
    return min(os.cpu_count() or 1, 4) if given == 0 else given


def riegeli(how: Mapping[str, Any]) -> None:
    """Options in Riegeli's syntax exclude the named ones."""
    names = [name for name, unsaid in _RIEGELI.items() if how.get(name, unsaid) != unsaid]
    if how.get("riegeli_options") is not None and names:
        raise CpbError(f"riegeli_options says all; expected no {', '.join(names)}")
