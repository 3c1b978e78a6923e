"""SameDiff zips, written from arrays."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from libcpb import _core, _options, _sources
from libcpb._arrays import Values
from libcpb._errors import CpbError
from libcpb._messages import Progress
from libcpb._options import Limits
from libcpb._sources import Buffer, Source, Target

_PARAMETER, _STATE, _MAP = 0, 1, 2

# By the format of a buffer: NumPy's name of the type, without the size.
_FORMATS = {**dict.fromkeys("bhilqn", "i"), **dict.fromkeys("BHILQN", "u"), **dict.fromkeys("efd", "f"), "?": "b"}


class SameAs(NamedTuple):
    """A reference to an array of any tag of the file, instead of a copy. `name` is None for the same name;
    `state` counts from 1."""

    tag: str
    name: str | None = None
    state: int = 0


class Content(NamedTuple):
    """Bytes that are written unchanged: `kind` is their kind in params.txt, such as ``"MAP"``."""

    kind: str
    data: Buffer


@dataclass
class SameDiffTag:
    """A version of a graph, with its parameters and training state.

    Attributes:
        name: A valid name of a folder.
        graph: FlatBuffers, root FlatGraph. Arrays in it are not written: pass them as parameters.
        parameters: For each VARIABLE and CONSTANT of the graph, and any others: a NumPy array, an object with
            the buffer protocol, `Values`, `SameAs` or `Content`. At most 2 GiB each.
        states: The list of arrays that the updater keeps for each variable.
        training: The training configuration, JSON, or None.
        maps: Lines of params_maps.txt, by their names.
    """

    name: str
    graph: Buffer
    parameters: Mapping[str, Any] = field(default_factory=dict)
    states: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    training: str | None = None
    maps: Mapping[str, Buffer] = field(default_factory=dict)


def _numpy_array(value: Any) -> tuple[Any, ...]:
    import numpy as np

    array = np.asarray(value)
    if not (array.flags.c_contiguous or array.flags.f_contiguous):
        array = np.ascontiguousarray(array)
    shape, fortran = array.shape, not array.flags.c_contiguous
    dtype = "BFLOAT16" if array.dtype.name == "bfloat16" else array.dtype.str
    flat = (array.T if fortran else array).reshape(-1)
    return dtype, shape, fortran, dtype.startswith(">"), array.size == 0, flat.view("u1") if array.size else b""


def _array(name: str, value: Any) -> tuple[Any, ...]:
    """(dtype, shape, fortran order, big-endian, empty, bytes)"""
    if isinstance(value, Values):
        return value.dtype, tuple(value.shape), value.fortran_order, False, 0 in value.shape, value.data
    if hasattr(value, "__array_interface__") or type(value).__module__ == "numpy":
        return _numpy_array(value)
    try:
        view = memoryview(value)
    except TypeError:
        raise TypeError(f"{name} is {type(value).__name__}; expected an array, SameAs or Content") from None
    kind = _FORMATS.get(view.format.lstrip("@"))
    if kind is None:
        raise CpbError(f"{name} has the buffer format {view.format!r}; expected one of numbers")
    big = view.itemsize > 1 and sys.byteorder == "big"
    return f"{'>' if big else '<'}{kind}{view.itemsize}", view.shape, False, big, view.nbytes == 0, view


def _part(what: int, name: str, value: Any) -> tuple[Any, ...]:
    nothing = (None, (), False, False, False)
    if isinstance(value, SameAs):
        return (what, name, *nothing, None, value.tag, value.name, value.state, None)
    if isinstance(value, Content):
        return (what, name, *nothing, value.kind, None, None, 0, value.data)
    dtype, shape, fortran, big, empty, data = _array(name, value)
    return (what, name, dtype, tuple(shape), fortran, big, empty, None, None, None, 0, data)


def _parts(tag: SameDiffTag) -> list[tuple[Any, ...]]:
    parts = [_part(_PARAMETER, name, value) for name, value in tag.parameters.items()]
    parts += [_part(_STATE, name, value) for name, values in tag.states.items() for value in values]
    none = (None, (), False, False, False, None, None, None, 0)
    return parts + [(_MAP, name, *none, data) for name, data in tag.maps.items()]


def write_samediff(
    target: Target,
    tags: Iterable[SameDiffTag],
    *,
    base: Source | None = None,
    deflate: bool = False,
    replace: bool = True,
    sync: bool = False,
    limits: Limits | None = None,
    progress: Progress | None = None,
    url_options: Mapping[str, Any] | None = None,
) -> None:
    """Writes a SameDiff zip, or a copy of one with more tags.

    Args:
        target: See `libcpb.Target`.
        tags: From the oldest to the newest, which is the default of readers that name none.
        base: A zip that the tags are added to; see `libcpb.Source`.
        deflate: Whether parameters are compressed; otherwise each is one range of the file.
        limits: Only ``depth`` counts.
        replace, sync, progress, url_options: As for `libcpb.merge`.

    Raises:
        CpbError: ``"USAGE"`` if parts do not fit the graph, with their names.
    """
    resolved, seekable = _sources.target(target)
    rows = [(_text(tag.name), tag.graph, tag.training, _parts(tag)) for tag in tags]
    source = None if base is None else _sources.resolve(base, url_options)
    _core.write_samediff(source, resolved, replace, sync, not seekable, deflate, rows, progress, limits)


def _text(name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError(f"the name of a tag is {type(name).__name__}; expected str")
    return name
