"""Riegeli/records files, read and written."""

from __future__ import annotations

import functools
import itertools
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import index
from types import TracebackType
from typing import Any, NamedTuple, overload

from libcpb import _core, _options, _sources
from libcpb._errors import CpbError
from libcpb._options import Codec, Limits, Verify
from libcpb._sources import Buffer, Source, Target

_WORTH = 0.01  # seconds of a processor that records must take for threads to begin
_PART = 64  # records that a thread reads before it looks whether there is more to do


class Skipped(NamedTuple):
    """A damaged region that was left out: file offsets, and why."""

    begin: int
    end: int
    reason: str


class Location(NamedTuple):
    """The place of a record: its Riegeli chunk, and its number in it from 0. ``position`` is ``chunk_begin +
    number``; pass it to `RecordReader.seek`."""

    position: int
    chunk_begin: int
    number: int


class RecordReader(_core.RecordReader):
    """The records of a Riegeli/records file, as an iterator of `bytes`.

        with libcpb.RecordReader("events.riegeli") as reader:
            for record in reader:
                ...

    Records also have numbers from 0: ``reader[5]``, ``reader[-1]`` and ``reader[10:20]`` are records, and
    ``len(reader)`` is their number. The first use reads the headers of the file's Riegeli chunks, 40 bytes
    each. For a URL or a stream, use `count()` instead of the length, which ``list(reader)`` also asks for.

    A reader of a path or URL can be pickled; the copy starts from the beginning.

    Args:
        source: See `libcpb.Source`.
        recover: True: a damaged region is added to `skipped` instead of being an error. A function is called with
            each region as a `Skipped`.
        verify: When the hash of a Riegeli chunk is checked: ``"first"`` (before any record of it),
            ``"late"`` (at its end) or ``"never"``.
        position: The record position to begin at, as for `seek`.
        start, end: Only these records, as in a slice: numbers and the length count from `start`.
        buffer: The most bytes of a Riegeli chunk to hold until its hash is checked; 0: 4 MiB.
        memory: The most bytes that reading may hold, else an error ``"LIMIT"``; 0: no bound.
        limits: As for `libcpb.open`.
        url_options: As for `libcpb.open`.
        fields: Only these fields of records that are messages: paths such as ``"id,meta.name"``, in one string or
            several; by name with `type_name`, otherwise by number: ``"1,4.2"``. In a transposed Riegeli
            chunk, other fields are not decompressed. A record that is not a message comes whole.
        type_name: The full name of the records' message type.
        schema: The schema with that type, as for `libcpb.open`.

    Raises:
        CpbError: The file cannot be read or is damaged; each later call fails with the same error. ``"USAGE"``
            for unknown fields.
    """

    def __init__(
        self,
        source: Source,
        *,
        recover: bool | Callable[[Skipped], Any] = False,
        verify: Verify = "first",
        position: int = 0,
        start: int | None = None,
        end: int | None = None,
        buffer: int = 0,
        memory: int = 0,
        limits: Limits | None = None,
        url_options: Mapping[str, Any] | None = None,
        fields: str | Iterable[str] | None = None,
        type_name: str | None = None,
        schema: _core.Schema | Buffer | None = None,
    ) -> None:
        self.skipped: list[Skipped] = []
        if fields is not None:
            text = fields if isinstance(fields, str) else ",".join(fields)
            fields = _core.field_numbers(text, schema, type_name)
        if position != 0 and start is not None:
            raise CpbError("position and start are given; expected one of them")
        tell = recover if callable(recover) else self.skipped.append if recover else None
        how: dict[str, Any] = dict(
            resolved=_sources.resolve(source, url_options),
            on_skipped=None if tell is None else lambda *region: tell(Skipped(*region)),
            verify=_options.one_of("verify", _options.VERIFY, verify),
            position=_options.count("position", position),
            buffer=_options.count("buffer", buffer, 2**40),
            memory=_options.count("memory", memory, 2**40),
            limits=limits,
            fields=fields,
        )
        super().__init__(**how)
        self._how = how
        self._again: dict[str, Any] = dict(
            source=source, recover=recover, verify=verify, position=position, start=start, end=end, buffer=buffer,
            memory=memory, limits=limits, url_options=url_options, fields=fields)  # fmt: skip
        self._numbers: list[_core.RecordReader] = []
        self._first = 0
        self._end: int | None = None
        if start is not None or end is not None:
            self._restrict(start, end)

    def _restrict(self, start: int | None, end: int | None) -> None:
        negative = (start or 0) < 0 or (end or 0) < 0
        if negative:
            start, end, _ = slice(start, end).indices(self._by_number()[0]._count())
        self._first, self._end = start or 0, end
        after = None if end is None else self._by_number()[0]._position_of(max(end, self._first))
        if after is not None:
            self._stop(after)
        if self._first > 0:
            at = self._by_number()[0]._position_of(self._first)
            self._seek(self.size if at is None else at)

    def _by_number(self, count: int = 1) -> list[_core.RecordReader]:
        """Readers of the same source: they do not disturb reading in order, and do not report damage
        twice."""
        super()._where()  # which fails if this one is closed
        ignore = None if self._how["on_skipped"] is None else lambda *region: None
        while len(self._numbers) < count:
            self._numbers.append(_core.RecordReader(**{**self._how, "on_skipped": ignore, "position": 0}))
        return self._numbers[:count]

    def __reduce__(self) -> Any:
        if self._how["resolved"][0] not in ("path", "url"):
            raise TypeError(f"a reader of {type(self._again['source']).__name__} cannot be pickled; expected a path or URL")
        return functools.partial(type(self), **self._again), ()

    def close(self) -> None:
        """Closes the source, unless the caller passed a file object."""
        while self._numbers:
            self._numbers.pop().close()
        super().close()

    @overload
    def read(self, position: int | None = None) -> bytes | None: ...
    @overload
    def read(self, *, numbers: Iterable[int]) -> list[bytes]: ...
    def read(self, position: int | None = None, *, numbers: Iterable[int] | None = None) -> Any:
        """The next record, or the one at `position`; None at the end. With `numbers`, a list of
        the records with these numbers, in this order; each Riegeli chunk is decoded once. Negative numbers
        count from the end; IndexError: a record does not exist."""
        if numbers is not None:
            return self._numbered(numbers)
        if position is not None:
            self.seek(position)
        return next(self, None)

    def count(self) -> int:
        """The number of records."""
        count = self._by_number()[0]._count()
        return max(0, (count if self._end is None else min(self._end, count)) - self._first)

    def __len__(self) -> int:
        if _sources.is_slow(self._how["resolved"]):
            raise TypeError("list() would ask for the length, which takes long of a URL or a stream: call count()")
        return self.count()

    def __bool__(self) -> bool:
        return True

    @overload
    def __getitem__(self, number: int) -> bytes: ...
    @overload
    def __getitem__(self, number: slice) -> list[bytes]: ...
    def __getitem__(self, number: Any) -> Any:
        if isinstance(number, slice):
            return self._numbered(range(*number.indices(self.count())))
        one = index(number)
        if 0 <= one < (2**64 if self._end is None else self._end) - self._first:
            reader = (self._numbers or self._by_number())[0]
            if records := reader._numbered([one + self._first]):
                return records[0]
        return self._numbered([one])[0]

    def __getitems__(self, numbers: list[int]) -> list[bytes]:  # which PyTorch's loaders call
        return self._numbered(numbers)

    def _numbered(self, numbers: Iterable[int]) -> list[bytes]:
        wanted = [index(number) for number in numbers]
        if any(number < 0 for number in wanted):
            count = self.count()
            wanted = [number + count if number < 0 else number for number in wanted]
        order = sorted(set(wanted))
        first, end = self._first, 2**64 if self._end is None else self._end
        there = [number + first for number in order if 0 <= number < end - first]
        records = self._there(there) if order and order[0] >= 0 else []
        if len(records) < len(order):
            raise IndexError(f"there is no record {order[len(records)]}; there are {self.count()}")
        found = dict(zip(order, records))
        return [found[number] for number in wanted]

    def _there(self, numbers: list[int]) -> list[bytes]:
        """The records with these numbers, up to the first one that does not exist; if they are many, by
        several threads, each with its own reader."""
        if len(numbers) <= _PART or self._how["resolved"][0] not in ("path", "memory"):
            return self._by_number()[0]._numbered(numbers)
        parts = [numbers[i : i + _PART] for i in range(0, len(numbers), _PART)]
        found: list[list[bytes]] = [[] for _ in parts]
        errors: list[BaseException] = []
        turn = itertools.count(1)
        begin = time.thread_time()
        found[0] = self._by_number()[0]._numbered(parts[0])
        rest = (time.thread_time() - begin) * (len(parts) - 1)
        first, *others = self._by_number(min(len(parts) - 1, _options.threads()) if rest > _WORTH else 1)

        def take(reader: _core.RecordReader) -> None:
            try:
                while not errors and (i := next(turn)) < len(parts):
                    found[i] = reader._numbered(parts[i])
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=take, args=[reader]) for reader in others]
        for thread in threads:
            thread.start()
        take(first)
        for thread in threads:
            thread.join()
        if errors:
            raise errors[0]
        short = next((i for i, part in enumerate(parts) if len(found[i]) < len(part)), len(parts))
        return [record for records in found[: short + 1] for record in records]

    def batches(self) -> Iterator[list[memoryview]]:
        """The following records, in batches of neighbours, as read-only views that stay valid. An
        uncompressed source in memory is not copied."""
        while batch := self._batch():
            yield batch

    def seek(self, position: int) -> None:
        """Goes to the record at `position`, or else to the next record; past the end, to the
        end."""
        self._seek(_options.count("position", position))

    def seek_last(self) -> None:
        """Goes to the last record, or to the end of a file without records."""
        if self._first == 0 and self._end is None:
            return self._seek(None)
        count = self.count()
        last = self._by_number()[0]._position_of(self._first + count - 1) if count > 0 else None
        self._seek(self.size if last is None else last)

    @property
    def location(self) -> Location | None:
        """The `Location` of the last record that was read, or None."""
        where = self._where()
        return None if where is None else Location(*where)

    @property
    def position(self) -> int | None:
        """The position in `location`, or None."""
        where = self._where()
        return None if where is None else where[0]

    @property
    def metadata(self) -> bytes | None:
        """The file's serialized ``RecordsMetadata``, once a record was read from the beginning on; None when
        the file has no metadata."""
        return self._metadata()

    @property
    def size(self) -> int:
        """Bytes of the file; reads a source that cannot seek to its end."""
        return self._size()

    def __repr__(self) -> str:
        return f"<libcpb.RecordReader {self._how['resolved'][2] or 'of ' + type(self._again['source']).__name__}>"

    def __enter__(self) -> RecordReader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _to_extend(resolved: tuple[str, Any, str | None], seekable: bool) -> tuple[str, Any, str | None]:
    """The same for a file to append to. Records behind a file that ends within a Riegeli chunk would not be
    found."""
    kind, path, name = resolved
    if kind != "path" or not seekable:
        raise CpbError("append is True; expected the path of a file", source=name)
    if not os.path.exists(path) or os.path.getsize(path) == 0:
        return resolved
    with RecordReader(os.fsdecode(path)) as reader:
        reader.seek_last()
        next(reader, None)
    return "extend", path, name


class RecordWriter(_core.RecordWriter):
    """Writes a Riegeli/records file.

        with libcpb.RecordWriter("events.riegeli") as writer:
            for event in events:
                writer.write(event)

    A path gets the file when the writer is closed, and nothing if the block ends with an exception.

    Args:
        target: See `libcpb.Target`.
        replace: As for `libcpb.merge`.
        append: Whether records are appended to an existing file, at once; the file is unchanged if the block ends
            with an exception. A missing file is created.
        sync: As for `libcpb.merge`.
        codec: ``"zstd"`` (the default), ``"brotli"``, ``"snappy"`` or ``"none"``.
        level: Zstd: -131072 to 22, default 3. Brotli: 0 to 11, default 6. Snappy: 1 or 2, default 1.
            None: the default.
        window_log: log2 of the window in bytes; 0: the codec's window at this level.
        chunk_size: Bytes at which a Riegeli chunk is closed; 0: 1 MiB, or 4 KiB without compression.
        record_per_chunk: Whether each record gets a Riegeli chunk of its own.
        padding: Pads the file to a multiple of this many bytes, at most 2^30; 0: no padding.
        metadata: A serialized ``RecordsMetadata`` message.
        transpose: Whether the values of a field in all records are compressed together: smaller for messages that
            are alike, but slower.
        riegeli_options: Options in the syntax of Riegeli's writer (``docs/riegeli-format.md``), such as
            ``"transpose,zstd:9,chunk_size:64K"``, instead of `codec`, `level`, `window_log`, `chunk_size`,
            `padding` and `transpose`. Others have Riegeli's defaults, such as Brotli.
        limits: Only ``records_per_chunk`` counts, at which a Riegeli chunk is closed.

    Raises:
        CpbError: ``"USAGE"`` for a wrong option, ``"WRITE"``. The file then does not appear.
    """

    def __init__(
        self,
        target: Target,
        *,
        replace: bool = True,
        append: bool = False,
        sync: bool = False,
        codec: Codec = "default",
        level: int | None = None,
        window_log: int = 0,
        chunk_size: int = 0,
        record_per_chunk: bool = False,
        padding: int = 0,
        metadata: Buffer | None = None,
        transpose: bool = False,
        riegeli_options: str | None = None,
        limits: Limits | None = None,
    ) -> None:
        resolved, seekable = _sources.target(target)
        if append:
            resolved = _to_extend(resolved, seekable)
        self._name = resolved[2] or f"to {type(target).__name__}"
        how = dict(replace=replace, sync=sync, codec=codec, level=level, window_log=window_log, chunk_size=chunk_size,
                   record_per_chunk=record_per_chunk, seekable=seekable, padding=padding, metadata=metadata,
                   transpose=transpose, riegeli_options=riegeli_options, limits=limits)  # fmt: skip
        _options.riegeli(how)
        super().__init__(resolved, how)

    def write(self, record: Buffer) -> int:
        """Writes a record, and returns its position for `RecordReader.seek`."""
        return super().write(record)

    def write_all(self, records: Iterable[Buffer]) -> None:
        """Writes each of them."""
        write = super().write
        for record in records:
            write(record)

    def __repr__(self) -> str:
        return f"<libcpb.RecordWriter {self._name}>"

    def __enter__(self) -> RecordWriter:
        return self

    def __exit__(
        self, exception: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if exception is None:
            self.close()
        else:
            self.discard()
