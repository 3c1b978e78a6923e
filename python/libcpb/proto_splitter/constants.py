"""The size limit of chunks."""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Iterator

_MAX_SIZE = 1 << 30
_target: contextvars.ContextVar[int | None] = contextvars.ContextVar("target_size", default=None)


def max_size() -> int:
    """The size in bytes below which splitters keep chunks that are messages: 1 GiB, since protobuf refuses
    messages from 2 GiB on, and sizes are estimated while a message is divided."""
    target = _target.get()
    return _MAX_SIZE if target is None else min(target, _MAX_SIZE)


def debug_set_max_size(value: int) -> None:
    """Sets max_size(), for tests, to an `int` of at least 1."""
    global _MAX_SIZE
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"max_size is a number of bytes, an int, not {type(value).__name__}")
    if value < 1:
        raise ValueError(f"max_size is at least 1 byte, not {value}")
    _MAX_SIZE = value


def hard_max_size() -> int:
    """max_size() without target_size()."""
    return _MAX_SIZE


@contextlib.contextmanager
def target_size(value: int) -> Iterator[None]:
    """A context in which max_size() is at most `value`, for this thread: messages are split into smaller
    chunks if possible."""
    token = _target.set(value)
    try:
        yield
    finally:
        _target.reset(token)
