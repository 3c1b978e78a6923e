"""What the extension has for the modules of this package."""

from collections.abc import Callable, Sequence
from typing import Any

from libcpb._options import Limits
from libcpb._sources import Buffer

_From = tuple[str, Any, str | None, Any]
_To = tuple[str, Any, str | None]
_Array = tuple[str, str | None, int, tuple[int, ...], bool, bytearray]
_Progress = Callable[[int, int], Any]

version: str
kinds: dict[str, int]
questions: dict[str, int]
codecs: dict[str, tuple[int, int | None, int | None]]

class Schema:
    def __new__(cls, descriptor_set: Buffer | None = None, *, limits: Limits | None = None) -> Schema: ...
    @property
    def message_names(self) -> list[str]: ...

def field_numbers(names: str, schema: Schema | Buffer | None, type_name: str | None, /) -> str: ...

class RecordReader:
    def __init__(
        self,
        resolved: _From,
        on_skipped: Callable[[int, int, str], Any] | None,
        verify: int,
        position: int,
        buffer: int,
        memory: int,
        limits: Limits | None,
        fields: str | None,
    ) -> None: ...
    def __iter__(self) -> RecordReader: ...
    def __next__(self) -> bytes: ...
    def _batch(self) -> list[memoryview]: ...
    def _seek(self, position: int | None, /) -> None: ...
    def _stop(self, position: int, /) -> None: ...
    def _numbered(self, numbers: list[int], /) -> list[bytes]: ...
    def _position_of(self, number: int, /) -> int | None: ...
    def _count(self) -> int: ...
    def _where(self) -> tuple[int, int, int] | None: ...
    def _metadata(self) -> bytes | None: ...
    def _size(self) -> int: ...
    def close(self) -> None: ...

class RecordWriter:
    def __init__(self, resolved: _To, how: dict[str, Any], /) -> None: ...
    def write(self, record: Buffer, /) -> int: ...
    def flush(self) -> None: ...
    def close(self) -> None: ...
    def discard(self) -> None: ...

class Message:
    def __init__(
        self,
        schema: Schema | Buffer | None,
        type_name: str | None,
        limits: Limits | None,
        resolved: _From | None = None,
        form: int = 0,
        progress: _Progress | None = None,
        chunks: Sequence[tuple[Buffer, int]] = ...,
        tree: Buffer | None = None,
    ) -> None: ...
    @property
    def size(self) -> int: ...
    @property
    def chunked(self) -> bool: ...
    @property
    def num_chunks(self) -> int: ...
    @property
    def _version(self) -> tuple[int, int, tuple[int, ...]] | None: ...
    def _read(self, offset: int, length: int, /) -> bytes: ...
    def _readinto(self, buffer: Any, offset: int, /) -> int: ...
    def _chunk(self, i: int, /) -> tuple[int, int, int]: ...
    def _find(
        self, type_name: str | None, path: str, within: list[tuple[int, int]] | None = None, each: bool = False, /
    ) -> tuple[Any, ...]: ...
    def _json(
        self, type_name: str, ranges: list[tuple[int, int]], omit: int, original_names: bool, unknown: bool, /
    ) -> str: ...
    def _read_chunk(self, i: int, offset: int, length: int, /) -> bytes: ...
    def close(self) -> None: ...

class Model:
    def __init__(
        self,
        resolved: _From,
        kind: int,
        max_value: int,
        max_memory: int,
        leave_out: int,
        progress: _Progress | None,
        limits: Limits | None,
    ) -> None: ...
    @property
    def _kind(self) -> int: ...
    @property
    def path(self) -> str | None: ...
    def _ask(
        self,
        question: int,
        name: str | None,
        scope: str | None,
        to: str | None,
        distance: int,
        meta_graph: int,
        first: int,
        count: int,
        brief: bool,
        progress: _Progress | None,
        /,
    ) -> str: ...
    def _values(
        self,
        name: str,
        variable: bool,
        scope: str | None,
        state: int,
        meta_graph: int,
        max_size: int,
        progress: _Progress | None,
        /,
    ) -> _Array: ...
    def _statistics(
        self,
        name: str,
        variable: bool,
        scope: str | None,
        state: int,
        meta_graph: int,
        axis: int,
        progress: _Progress | None,
        /,
    ) -> str: ...
    def _read(self, offset: int, length: int, /) -> bytes: ...
    def _cut(
        self,
        paths: str,
        meta_graph: int,
        target: _To,
        keras: _To,
        spool: int,
        replace: bool,
        sync: bool,
        progress: _Progress | None,
        /,
    ) -> str: ...
    def close(self) -> None: ...

# `how`: options by name, of which transfers.c has a table.
def merge(source: _From, target: _To, how: dict[str, Any], /) -> None: ...
def split(source: _From, target: _To, how: dict[str, Any], /) -> None: ...
def repack(source: _From, target: _To, how: dict[str, Any], /) -> None: ...
def tensor(resolved: _From, max_size: int, /) -> _Array: ...
def diff(a: Model, b: Model, max_differences: int, skip_values: bool, limits: Limits | None, /) -> str: ...
def write_samediff(
    base: _From | None,
    target: _To,
    replace: bool,
    sync: bool,
    in_order: bool,
    deflate: bool,
    tags: list[tuple[str, Buffer, str | None, list[tuple[Any, ...]]]],
    progress: _Progress | None,
    limits: Limits | None,
    /,
) -> None: ...
