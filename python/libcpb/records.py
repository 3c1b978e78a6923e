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
    chunks. Reads only the size of the file.

    Args:
        source: A path or URL for parts that are read elsewhere; see `libcpb.Source`.
        n: At least 1. A part in which no Riegeli chunk begins is empty.
        url_options: As for `libcpb.open`.
    """
    if not isinstance(n, int) or isinstance(n, bool) or n < 1:
        raise ValueError(f"n is {n!r}; expected a number of partitions, at least 1")
    with RecordReader(source, url_options=url_options) as reader:
        size = reader.size
    cuts = [size * i // n for i in range(n + 1)]
    return [Partition(source, begin, end, url_options) for begin, end in zip(cuts, cuts[1:])]
