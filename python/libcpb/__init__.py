"""Protobuf messages of any size, split into ``.cpb`` files, merged, and read by ranges; Riegeli records; and
questions about models.

Sizes, offsets and lengths are in bytes. Any problem with a file is a `CpbError`; exceptions of file objects
and callbacks that were passed in are passed on unchanged. Long calls release the GIL, and Ctrl-C ends them.
An object may be used by several threads, which then take turns; different objects work at the same time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from libcpb._core import Schema
from libcpb._core import version as __version__
from libcpb._arrays import Values
from libcpb._errors import CpbError
from libcpb._fields import Field, Range
from libcpb._messages import Chunk, Message, Version, merge_chunks, open
from libcpb._models import Model, diff, open_model
from libcpb._notebook import show
from libcpb._options import Limits
from libcpb._records import Location, RecordReader, RecordWriter, Skipped
from libcpb._samediff import Content, SameAs, SameDiffTag, write_samediff
from libcpb._transfers import merge, repack, split

if TYPE_CHECKING:  # `as`: for those who import them from here
    from libcpb.proto_splitter.merge import Merger as Merger
    from libcpb.proto_splitter.python.saved_model import SavedModelSplitter as SavedModelSplitter
    from libcpb.proto_splitter.split import ComposableSplitter as ComposableSplitter
    from libcpb.proto_splitter.split import Splitter as Splitter
    from libcpb.proto_splitter.split_graph_def import ConstantNodeDefSplitter as ConstantNodeDefSplitter
    from libcpb.proto_splitter.split_graph_def import FunctionDefSplitter as FunctionDefSplitter
    from libcpb.proto_splitter.split_graph_def import GraphDefSplitter as GraphDefSplitter
    from libcpb.proto_splitter.split_graph_def import LargeMessageSplitter as LargeMessageSplitter
    from libcpb.proto_splitter.split_graph_def import RepeatedMessageSplitter as RepeatedMessageSplitter
    from libcpb.proto_splitter.split_graph_def import SplitBasedOnSize as SplitBasedOnSize

__all__ = [
    "Chunk",
    "Content",
    "CpbError",
    "Field",
    "Limits",
    "Location",
    "Message",
    "Model",
    "Range",
    "RecordReader",
    "RecordWriter",
    "SameAs",
    "SameDiffTag",
    "Schema",
    "Skipped",
    "Values",
    "Version",
    "__version__",
    "diff",
    "merge",
    "merge_chunks",
    "open",
    "open_model",
    "repack",
    "show",
    "split",
    "write_samediff",
]

for _name in __all__:  # where users find them, and tracebacks say they are
    if callable(globals()[_name]) and globals()[_name] is not Schema:
        globals()[_name].__module__ = __name__
del _name

# Names that need protobuf are imported at their first use.
_LATER = {
    "merge": ["Merger"],
    "python.saved_model": ["SavedModelSplitter"],
    "split": ["ComposableSplitter", "Splitter"],
    "split_graph_def": ["ConstantNodeDefSplitter", "FunctionDefSplitter", "GraphDefSplitter", "LargeMessageSplitter",
                        "RepeatedMessageSplitter", "SplitBasedOnSize"],
}  # fmt: skip


def __getattr__(name: str) -> Any:
    import importlib

    for module, names in _LATER.items():
        if name in names:
            value = globals()[name] = getattr(importlib.import_module(f"libcpb.proto_splitter.{module}"), name)
            return value
    raise AttributeError(f"module 'libcpb' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *sum(_LATER.values(), [])})
