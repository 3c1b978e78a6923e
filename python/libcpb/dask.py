"""Records and models by `Dask <https://dask.org>`_: on all processors, or on a cluster.

Dask schedules tasks, repeats those of a lost worker, and moves data; this module does none of that. Workers
read for themselves: paths must lead to the same files for each of them, and URLs must be reachable with the
keys and proxies in their environments. Needs ``dask``, and `inventory` also ``dask[dataframe]``.
"""

from __future__ import annotations

import glob
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from libcpb import _options, open_model
from libcpb._errors import CpbError
from libcpb._messages import open as open_message
from libcpb._options import Limits
from libcpb.records import Partition, partitions

try:
    import dask.bag
except ImportError as error:
    raise ImportError("libcpb.dask needs Dask: the package dask[dataframe,distributed]") from error

if TYPE_CHECKING:
    import dask.dataframe
    import pandas

__all__ = ["inventory", "read_records"]

_COLUMNS = {
    "url": "string",
    "kind": "string",
    "bytes": "Int64",
    "signatures": "string",
    "functions": "Int64",
    "variables": "Int64",
    "parameters": "Int64",
    "parameter_bytes": "Int64",
    "keras": "string",
    "problems": "Int64",
    "error": "string",
    "message": "string",
    "offset": "UInt64",
}


def read_records(
    sources: str | Iterable[str],
    *,
    partition_size: int = 64 << 20,
    recover: bool = False,
    limits: Limits | None = None,
    url_options: Mapping[str, Any] | None = None,
) -> dask.bag.Bag:
    """The records of Riegeli/records files as a bag of `bytes`, in order.

        records = libcpb.dask.read_records("s3://bucket/events-0001.riegeli")
        records.map(len).sum().compute()

    Args:
        sources: Paths and URLs; a path may be a pattern such as ``data/*.riegeli``.
        partition_size: About how many bytes of a file each partition reads.
        recover: Whether damaged regions are left out, instead of being an error.
        limits: For each file, as for `libcpb.open`.
        url_options: As for `libcpb.open`.

    Raises:
        CpbError: ``"NOT_FOUND"``: `sources` do not name any file.
    """
    size = _options.positive("partition_size", partition_size, "a number of bytes")
    parts: list[Partition] = []
    for source in _expand(sources):
        (whole,) = partitions(source, 1, url_options=url_options)
        parts += partitions(source, max(1, -(-whole.end // size)), url_options=url_options) if whole.end > size else [whole]
    return dask.bag.from_sequence(parts, npartitions=len(parts)).map_partitions(_read, recover=recover, limits=limits)


def inventory(
    models: str | Iterable[str],
    *,
    per_partition: int = 8,
    limits: Limits | None = None,
    url_options: Mapping[str, Any] | None = None,
) -> dask.dataframe.DataFrame:
    """A table of models, with a row for each, by a few small reads of each model.

        table = libcpb.dask.inventory(["s3://bucket/a/", "s3://bucket/b.zip"]).compute()
        table.sort_values("parameter_bytes")

    | column | value |
    |---|---|
    | ``url`` | the path or URL as it was given |
    | ``kind`` | `libcpb.Model.kind` |
    | ``bytes`` | size of the message, merged if it is chunked, or of the file |
    | ``signatures`` | keys, separated by commas; for a SameDiff zip, tags |
    | ``functions`` | number of concrete functions, or for a graph of functions |
    | ``variables``, ``parameters``, ``parameter_bytes`` | number of variables, their elements and bytes |
    | ``keras`` | the class of the Keras model, or its identifier |
    | ``problems`` | number of parts that could not be read |
    | ``error``, ``message``, ``offset`` | code, text and offset of the error if opening failed |

    Missing values are `pandas.NA`. A model that cannot be read is a row with an ``error``.

    Args:
        models: Paths and URLs, as for `libcpb.open_model`; a path may be a pattern.
        per_partition: The number of models for each task.
        limits: For each model; beyond them its row has an ``error``.
        url_options: As for `libcpb.open`.
    """
    import dask.dataframe
    import pandas

    urls = list(_expand(models))
    step = _options.positive("per_partition", per_partition, "a number of models")
    meta = pandas.DataFrame({name: pandas.Series(dtype=kind) for name, kind in _COLUMNS.items()})
    groups = [urls[i : i + step] for i in range(0, len(urls), step)]
    return dask.dataframe.from_map(_rows, groups, limits=limits, url_options=url_options, meta=meta)


def _expand(sources: str | Iterable[str]) -> Iterator[str]:
    """Each path and URL, patterns of paths as the files that they mean, in order."""
    found = False
    for source in [sources] if isinstance(sources, str) else sources:
        if not isinstance(source, str):
            raise TypeError(f"a source is {type(source).__name__}; expected a path or URL")
        names = [source] if "://" in source or not glob.has_magic(source) else sorted(glob.glob(source))
        found = found or bool(names)
        yield from names
    if not found:
        raise CpbError(f"{sources!r} names no file", "NOT_FOUND")


def _read(parts: Iterable[Partition], recover: bool, limits: Limits | None) -> list[bytes]:
    return [record for part in parts for record in part.read(recover=recover, limits=limits)]  # generators do not travel


def _rows(urls: list[str], limits: Limits | None, url_options: Mapping[str, Any] | None) -> pandas.DataFrame:
    import pandas

    rows = [_row(url, limits, url_options) for url in urls]
    return pandas.DataFrame(
        {name: pandas.array([row.get(name) for row in rows], dtype=kind) for name, kind in _COLUMNS.items()}
    )


def _row(url: str, limits: Limits | None, url_options: Mapping[str, Any] | None) -> dict[str, Any]:
    row: dict[str, Any] = {"url": url}
    try:
        with open_model(url, limits=limits, url_options=url_options) as model:
            row["kind"] = model.kind
            overview = model.overview(count="all")
            with open_message(model.path or url, limits=limits, url_options=url_options) as message:
                row["bytes"] = message.size
    except CpbError as error:
        return row | {"error": error.code, "message": str(error), "offset": error.offset}
    return row | _facts(overview)


def _facts(overview: Mapping[str, Any]) -> dict[str, Any]:
    """The facts for the table from an answer to `overview`, which docs/inspecting.md describes."""
    def part(name: str) -> Mapping[str, Any]:
        found = overview.get(name)
        return found if isinstance(found, Mapping) else {}

    named, keras = part("signatures") or part("tags"), part("keras")
    variables = part("variables").get("total")
    if "tags" in overview and part("graph"):  # SameDiff
        variables = part("graph").get("kinds", {}).get("VARIABLE")
    sizes = {"parameters": part("parameters").get("total"), "parameter_bytes": part("parameters").get("bytes")}
    return {
        "problems": len(overview.get("problems", [])),
        "signatures": ",".join(str(item.get("key", item.get("tag"))) for item in named["items"]) if named else None,
        "functions": overview.get("concrete_functions", overview.get("functions")),
        "variables": variables,
        "keras": keras.get("class", keras.get("identifier")),
        **{column: None if size is None else int(size) for column, size in sizes.items()},
    }
