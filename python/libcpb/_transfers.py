"""Whole files: merging, splitting, and changing the layout."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from typing import Any

from libcpb import _core, _options, _sources
from libcpb._messages import Progress
from libcpb._options import Codec, Layout, Limits
from libcpb._sources import Buffer, Source, Target


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
    source: Any, target: Any, replace: bool, sync: bool, limits: Limits | None, progress: Any, urls: Any
) -> Iterator[tuple[Any, ...]]:
    """The common arguments of the extension's functions. A target of `fsspec.open` is opened, and closed."""
    told = None if progress is None else _Progress(progress)
    with target if _sources.is_fsspec(target) else contextlib.nullcontext(target) as file:
        yield _common(source, file, replace, sync, limits, told, urls)
    if told is not None:
        told.finish()


def _common(
    source: Any, target: Any, replace: bool, sync: bool, limits: Limits | None, progress: Any, urls: Any
) -> tuple[Any, ...]:
    resolved, seekable = _sources.target_file(target)
    return _sources.resolve(source, urls), resolved, seekable, replace, sync, progress, _options.limits(limits)


def merge(
    source: Source,
    target: Target,
    *,
    type_name: str | None = None,
    schema: _core.Schema | Buffer | None = None,
    threads: int = 0,
    replace: bool = True,
    sync: bool = False,
    limits: Limits | None = None,
    progress: Progress | None = None,
    url_options: Mapping[str, Any] | None = None,
) -> None:
    """Merges a ``.cpb`` file to the message that it was split from.

    Args:
        source: See `libcpb.Source`.
        target: See `libcpb.Target`. A path gets the file when it is whole. A file object gets bytes as they
            come, in order, and is not closed; after an error it keeps the bytes that it got.
        type_name, schema, url_options: As for `libcpb.open`.
        threads: The number of threads; 0: one for each processor, up to 4. The bytes, or the error, are the
            same for any number. A file object as the source is read by one thread.
        replace: Whether an existing file is replaced; otherwise it is an error.
        sync: Whether the bytes are on the disk (fsync) when the file gets its name.
        limits: Limits for the source; None: the defaults of `Limits`.
        progress: Called with the processed bytes and all bytes.
    """
    with _ready(source, target, replace, sync, limits, progress, url_options) as common:
        _core.merge(
            common,
            _options.threads(threads),
            schema,
            type_name,
        )


def split(
    source: Source,
    target: Target,
    *,
    type_name: str = "tensorflow.SavedModel",
    schema: _core.Schema | Buffer | None = None,
    max_chunk_size: int = 0,
    inline_max: int = 0,
    layout: Layout = "remote",
    codec: Codec = "default",
    level: int | None = None,
    window_log: int = 0,
    for_memory: int = 0,
    transpose: bool = False,
    base: str | os.PathLike[str] | os.PathLike[bytes] | None = None,
    threads: int = 0,
    replace: bool = True,
    sync: bool = False,
    limits: Limits | None = None,
    progress: Progress | None = None,
    url_options: Mapping[str, Any] | None = None,
) -> None:
    """Splits a serialized message of any size into a ``.cpb`` file.

    Args:
        source: See `libcpb.Source`; it is read twice.
        target: As for `merge`. In a file object that can seek, some bytes are written later than those
            after them; for one that cannot, whole Riegeli chunks are held in memory.
        type_name, schema: The message's type, as for `libcpb.open`.
        max_chunk_size: The largest chunk; one field that cannot be divided may be larger. 0: 1 MiB, or
            2^31 - 500 with the layout ``"compat"``.
        inline_max: The content of a constant moves out if it has this many bytes or more. 0: 64 KiB.
        layout: ``"remote"``: each chunk is one range of the file, and can be fetched alone; ``"compat"``: as
            TensorFlow writes.
        codec, level, window_log: As for `RecordWriter`; ``"default"``: the layout's codec.
        for_memory: Makes a file that a device with this many bytes of memory can read; 0: no bound.
        transpose: Whether messages are also encoded transposed, and the smaller form is kept. Not with
            `for_memory`, and by one thread.
        base: The path of another ``.cpb`` file. Chunks that it has are not written: the target refers to
            them, so a fine-tuned model only takes the space of its changes. The base must be in the target's
            folder or below it, and stay there unchanged; the target must be a path. `repack` of the target
            makes a file that stands alone.
        threads, replace, sync, limits, progress, url_options: As for `merge`.
    """
    against = None if base is None else _sources.base(base, target)
    with _ready(source, target, replace, sync, limits, progress, url_options) as common:
        _core.split(
            common,
            _options.threads(threads),
            schema,
            type_name,
            _options.count("max_chunk_size", max_chunk_size),
            _options.count("inline_max", inline_max),
            _options.layout(layout),
            _options.codec(codec),
            _options.level(codec, level),
            _options.count("window_log", window_log, 31),
            _options.count("for_memory", for_memory),
            transpose,
            against,
        )


def repack(
    source: Source,
    target: Target,
    *,
    layout: Layout = "remote",
    codec: Codec = "default",
    level: int | None = None,
    window_log: int = 0,
    for_memory: int = 0,
    transpose: bool = False,
    riegeli_options: str | None = None,
    threads: int = 0,
    replace: bool = True,
    sync: bool = False,
    limits: Limits | None = None,
    progress: Progress | None = None,
    url_options: Mapping[str, Any] | None = None,
) -> None:
    """Writes a ``.cpb`` file in another layout or codec, without merging it. Arguments as for `split`, and:

    Args:
        riegeli_options: As for `RecordWriter`. These options determine the Riegeli chunks, in place of
            `layout`, `codec`, `level`, `window_log`, `for_memory` and `transpose`.
    """
    text = _options.riegeli(
        riegeli_options,
        layout=layout != "remote",
        codec=codec != "default",
        level=level is not None,
        window_log=window_log,
        for_memory=for_memory,
        transpose=transpose,
    )
    with _ready(source, target, replace, sync, limits, progress, url_options) as common:
        _core.repack(
            common,
            _options.threads(threads),
            _options.layout(layout),
            _options.codec(codec),
            _options.level(codec, level),
            _options.count("window_log", window_log, 31),
            _options.count("for_memory", for_memory),
            transpose,
            text,
        )
