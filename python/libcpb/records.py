"""A Riegeli/records file divided into parts, for readers in several processes or on several machines.

    parts = libcpb.records.partitions("events.riegeli", 8)
    # anywhere, in any order:
    for record in parts[3].read():
        ...

A ``.cpb`` file is also such a file: its records are the chunks, and the last one is the index.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from libcpb._options import Limits, Verify
from libcpb._records import RecordReader, Skipped
from libcpb._sources import Source

__all__ = ["Partition", "partitions"]


@dataclass(frozen=True)
class Partition:
    """The records of the Riegeli chunks that begin at file offsets from `begin` up to, but not including,
    `end`. It can be pickled if its source can, as paths and URLs can.
    """

    source: Source
    begin: int
    end: int
    url_options: Mapping[str, Any] | None = None

    def read(
        self,
        *,
        recover: bool | Callable[[Skipped], Any] = False,
        verify: Verify = "first",
        limits: Limits | None = None,
    ) -> Iterator[bytes]:
        """The records, in order.

        Args:
            recover: As for `RecordReader`. The partition in whose range damage begins reports it.
            verify, limits: As for `RecordReader`.

        Raises:
            CpbError: When the file cannot be read or is damaged.
        """
        mine = None
        if callable(recover):
            mine = lambda skipped: recover(skipped) if self.begin <= skipped.begin < self.end else None
        with RecordReader(
            self.source,
            recover=mine or recover,
            verify=verify,
            position=self.begin,
            limits=limits,
            url_options=self.url_options,
        ) as reader:
            for record in reader:
                location = reader.location
                assert location is not None
                if location.chunk_begin >= self.end:
                    return
                if location.chunk_begin >= self.begin:
                    yield record


def partitions(source: Source, n: int, *, url_options: Mapping[str, Any] | None = None) -> list[Partition]:
    """Divides a Riegeli/records file into `n` parts of about as many bytes each, at boundaries of its Riegeli
    chunks: each record is in exactly one of them. Reads nothing but the size of the file.

    Args:
        source: A path or URL, if the parts are to be read elsewhere; see `libcpb.Source`.
        n: The number of parts, at least 1. Parts in which no Riegeli chunk begins have no records.
        url_options: As for `libcpb.open`.

    Raises:
        ValueError: `n` is less than 1.
        CpbError: The size of the file cannot be read.
    """
    if not isinstance(n, int) or isinstance(n, bool) or n < 1:
        raise ValueError(f"n is {n!r}; expected a number of partitions, at least 1")
    with RecordReader(source, url_options=url_options) as reader:
        size = reader.size
    cuts = [size * i // n for i in range(n + 1)]
    return [Partition(source, begin, end, url_options) for begin, end in zip(cuts, cuts[1:])]
