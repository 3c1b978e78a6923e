"""Whole files: merging, splitting, and changing the layout."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypedDict

from libcpb import _core, _options, _sources
from libcpb._messages import Progress
from libcpb._options import Codec, Layout, Limits
from libcpb._sources import Buffer, Source, Target

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Copying(TypedDict, total=False):
    """The options that `merge`, `split` and `repack` share."""

    threads: int
    replace: bool
    sync: bool
    limits: Limits | None
    progress: Progress | None
    url_options: Mapping[str, Any] | None


class Packing(Copying, total=False):
    """The options that `split` and `repack` share."""

    layout: Layout
    codec: Codec
    level: int | None
    window_log: int
    for_memory: int
    transpose: bool


class _Progress:
    """Calls a caller's function, which hears of the end as well."""

    def __init__(self, call: Progress) -> None:
        self.call = call
        self.last = (0, 0)

    def __call__(self, done: int, total: int) -> None:
        self.last = (done, total)
        self.call(done, total)

    def finish(self) -> None:
        if self.last[0] < self.last[1]:
            self.call(self.last[1], self.last[1])


@contextlib.contextmanager
def _ready(
    source: Any, target: Any, own: Mapping[str, Any], how: Mapping[str, Any], known: Any
) -> Iterator[tuple[Any, Any, dict[str, Any]]]:
    """The common arguments of the extension's functions, which check the values. A target of `fsspec.open` is opened,
    and closed."""
    for name in how.keys() - known.__annotations__.keys():
        raise TypeError(f"unexpected keyword argument {name!r}; expected any of {', '.join([*own, *known.__annotations__])}")
    all = {**own, **how}
    told = all["progress"] = None if all.get("progress") is None else _Progress(all["progress"])
    read = _sources.resolve(source, all.pop("url_options", None))
    all["threads"] = _options.threads(all.get("threads", 0))
    with target if _sources.is_fsspec(target) else contextlib.nullcontext(target) as file:
        written, all["seekable"] = _sources.target_file(file)
        yield read, written, all
    if told is not None:
        told.finish()


def merge(
    source: Source,
    target: Target,
    *,
    type_name: str | None = None,
    schema: _core.Schema | Buffer | None = None,
    **how: Unpack[Copying],
) -> None:
    """Merges a ``.cpb`` file to the message that it was split from.

    Args:
        source: See `libcpb.Source`.
        target: See `libcpb.Target`.
        type_name, schema, url_options: As for `libcpb.open`.
        threads: 0, the default: one for each processor, up to 4. A file object as the source is read by one thread.
        replace: Whether an existing file is replaced (the default), instead of being an error.
        sync: Whether the bytes are on the disk (fsync) when the file gets its name.
        limits: As for `libcpb.open`.
        progress: Called with the processed bytes and all bytes.
    """
    with _ready(source, target, {"type_name": type_name, "schema": schema}, how, Copying) as given:
        _core.merge(*given)


def split(
    source: Source,
    target: Target,
    *,
    type_name: str = "tensorflow.SavedModel",
    schema: _core.Schema | Buffer | None = None,
    max_chunk_size: int = 0,
    inline_max: int = 0,
    base: str | os.PathLike[str] | os.PathLike[bytes] | None = None,
    **how: Unpack[Packing],
) -> None:
    """Splits a serialized message of any size into a ``.cpb`` file.

    Args:
        source: See `libcpb.Source`; it is read twice.
        target: As for `merge`. For a file object that cannot seek, whole Riegeli chunks are held in memory.
        type_name, schema: The message's type, as for `libcpb.open`.
        max_chunk_size: The largest chunk; one field that cannot be divided may be larger. 0: 1 MiB, or
            2^31 - 500 with the layout ``"compat"``.
        inline_max: The content of a constant moves out if it has this many bytes or more. 0: 64 KiB.
        base: The path of another ``.cpb`` file, to whose chunks the target refers, so a fine-tuned model only
            takes the space of its changes. The base must stay unchanged in the target's folder or below it;
            the target must be a path. `repack` of the target makes a file that stands alone.
        layout: ``"remote"``, the default: each chunk is one range of the file, to be fetched alone;
            ``"compat"``: as TensorFlow writes.
        codec, level, window_log: As for `RecordWriter`; ``"default"``: as the layout says.
        for_memory: Makes a file that a device with so many bytes of memory can read; 0: no bound.
        transpose: Whether messages are transposed where this is smaller. Not with `for_memory`, and by one thread.
        threads, replace, sync, limits, progress, url_options: As for `merge`.
    """
    own: dict[str, Any] = dict(type_name=type_name, schema=schema, max_chunk_size=max_chunk_size, inline_max=inline_max)
    if base is not None:
        own["base"] = _sources.base(base, target)
    with _ready(source, target, own, how, Packing) as given:
        _core.split(*given)


def repack(source: Source, target: Target, *, riegeli_options: str | None = None, **how: Unpack[Packing]) -> None:
    """Writes a ``.cpb`` file in another layout or codec, without merging it. Arguments as for `split`, and:

    Args:
        riegeli_options: As for `RecordWriter`, instead of `layout`, `codec`, `level`, `window_log`,
            `for_memory` and `transpose`.
    """
    _options.riegeli({"riegeli_options": riegeli_options, **how})
    with _ready(source, target, {"riegeli_options": riegeli_options}, how, Packing) as given:
        _core.repack(*given)
