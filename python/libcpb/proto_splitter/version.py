"""Versions of mergers, as files name them."""

from __future__ import annotations

_JOIN_VERSION = 0
_BAD_VERSIONS = ()


def get_current_join_version() -> int:
    """The version of our merger, as of TensorFlow's: it reads files that ask for this one or an
    older one."""
    return _JOIN_VERSION


def get_bad_versions() -> tuple[int, ...]:
    """Versions of mergers that must not read what our splitters write: none."""
    return _BAD_VERSIONS
