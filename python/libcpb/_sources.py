"""Sources and targets: paths, URLs, file objects and memory, in the form that the extension takes."""

from __future__ import annotations

import errno
import io
import os
import stat
import tempfile
import time
import urllib.parse
import warnings
from collections.abc import Mapping
from typing import IO, Any, Protocol, Union

from libcpb._errors import CpbError


class Readable(Protocol):
    """A binary file object; with ``seek()`` and ``tell()`` if it can."""

    def read(self, size: int, /) -> bytes | None: ...


class Writable(Protocol):
    """A binary file object."""

    def write(self, data: bytes, /) -> int | None: ...


Buffer = Union[bytes, bytearray, memoryview]  # and whatever else has the buffer protocol, such as mmap

Source = Union[str, "os.PathLike[str]", "os.PathLike[bytes]", Buffer, Readable, IO[bytes]]
"""A source: a path, a URL (``http``, ``https``, ``s3``, ``hf``, ``gs`` or ``file``, as a `str`), the address
of a page at Hugging Face, GitHub or GitLab that shows a file, a binary file object, or an object whose bytes
lie in memory. A file object that can seek is read from its first byte on, at any position; any other from its
current position, and the read bytes are kept in a temporary file."""

Target = Union[str, "os.PathLike[str]", "os.PathLike[bytes]", Writable, IO[bytes]]
"""A target: a path, or a binary file object, which is written from its position on."""

URLS = ("http://", "https://", "s3://", "hf://", "gs://")
_SPOOLED = 1 << 20  # bytes in memory before there is a temporary file


class _Reading:
    def __init__(self, file: Any, owned: bool) -> None:
        self.file = file
        self.owned = owned

    def close(self) -> None:
        if self.owned:
            self.file.close()


class _Seekable(_Reading):
    """Reads a file object at any offset."""

    at = -1

    def read_at(self, offset: int, view: memoryview) -> int:
        if offset != self.at:
            self.file.seek(offset)
        self.at = -1
        if hasattr(self.file, "readinto"):
            n = self.file.readinto(view)
        else:
            data = self.file.read(len(view))
            n = None if data is None else len(data)
            view[: n or 0] = data or b""
        if n is None:
            raise CpbError("the file object does not block, and has no bytes yet", "READ", offset)
        self.at = offset + n
        return int(n)

    def size(self) -> int:
        self.at = -1
        self.file.seek(0, os.SEEK_END)
        return int(self.file.tell())


class _Spooled(_Reading):
    """Reads a file object that cannot seek, and keeps the read bytes for later requests."""

    length = 0
    ended = False

    def __init__(self, file: Any, owned: bool) -> None:
        super().__init__(file, owned)
        self.spool = tempfile.SpooledTemporaryFile(_SPOOLED)

    def _pull(self, wanted: int) -> None:
        data = self.file.read(wanted)
        if data is None:
            raise CpbError("the file object does not block, and has no bytes yet", "READ", self.length)
        self.spool.seek(self.length)
        self.spool.write(data)
        self.length += len(data)
        self.ended = not data

    def read_at(self, offset: int, view: memoryview) -> int:
        while not self.ended and offset >= self.length:
            self._pull(max(len(view), offset - self.length if offset - self.length < _SPOOLED else _SPOOLED))
        self.spool.seek(offset)
        data = self.spool.read(len(view))
        view[: len(data)] = data
        return len(data)

    def size(self) -> int:
        while not self.ended:
            self._pull(_SPOOLED)
        return self.length

    def close(self) -> None:
        self.spool.close()
        super().close()


class _Written:
    """Writes to a file object, whose position at first is offset 0."""

    def __init__(self, file: Any, seekable: bool) -> None:
        self.file = file
        self.base = file.tell() if seekable else 0
        self.at = 0

    def write_at(self, offset: int, data: bytes) -> None:
        if offset != self.at:
            self.file.seek(self.base + offset)
        rest = memoryview(data)
        while rest:
            n = self.file.write(rest)
            if n is None:
                raise CpbError("the file object does not block, and takes no bytes now", "WRITE")
            rest = rest[n:]
        self.at = offset + len(data)


def _can_seek(file: Any) -> bool:
    return bool(file.seekable()) if hasattr(file, "seekable") else hasattr(file, "seek")


def _is_stream(path: bytes) -> bool:
    """Whether reading may wait for another process, which Python lets Ctrl-C end."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISSOCK(mode)


def _name_of(file: Any) -> str | None:
    name = getattr(file, "name", None) or getattr(file, "path", None)
    return name if isinstance(name, str) else None


def url_options(options: Mapping[str, Any] | None) -> tuple[tuple[bytes, ...], int, int, int, int, int, bool]:
    """`options` of a URL, as `libcpb.open` describes them, as the extension takes them."""
    known = {"headers", "idle_time", "min_speed", "attempts", "max_whole", "download", "ignore_etag"}
    given = dict(options or {})
    if given.keys() - known:
        raise TypeError(f"url_options has {sorted(given.keys() - known)}; expected any of {sorted(known)}")
    headers = tuple(f"{name}: {value}".encode() for name, value in dict(given.get("headers") or {}).items())
    for header in headers:
        if b"\r" in header or b"\n" in header or b"\0" in header:
            raise CpbError(f"the header {header!r} has a line break or NUL in it")
    times = int(1000 * given.get("idle_time", 0)), given.get("min_speed", 0)
    return (headers, *times, given.get("attempts", 0), given.get("max_whole", 0), given.get("download", 0), bool(given.get("ignore_etag", False)))


def _shown(url: str) -> str:
    """A URL without parts that may be secret."""
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.split('?')[0].split('#')[0].rpartition('@')[2]}"


def _path_bytes(path: Any) -> bytes:
    data = os.fsencode(path)
    if b"\0" in data:
        raise CpbError(f"the path {data!r} has a NUL in it")
    return data


def _path_of(url: str) -> str:
    """The path of a ``file://`` URL."""
    host, slash, rest = url[len("file://") :].partition("/")
    if host.lower() not in ("", "localhost") or not slash:
        raise CpbError(f"{url} names no file of this machine; expected file:///PATH")
    return "/" + urllib.parse.unquote(rest.split("?")[0].split("#")[0], errors="surrogateescape")


def warn_of_two(source: Any) -> None:
    """Warns if a folder also has a saved_model.cpb next to the saved_model.pb that is opened: one of them may
    be older."""
    if not isinstance(source, (str, os.PathLike)) or not os.path.isdir(source):
        return
    folder = os.fsdecode(source)
    paths = [os.path.join(folder, f"saved_model.{ending}") for ending in ("pb", "pbtxt", "cpb")]
    found = [(path, time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(os.path.getmtime(path))))
             for path in paths if os.path.exists(path)]  # fmt: skip
    if len(found) > 1 and found[-1][0] == paths[-1]:
        (taken, read), (other, passed) = found[0], found[-1]
        warnings.warn(f"{other} (of {passed}) is not what is opened: TensorFlow's loaders take the "
                      f"{os.path.basename(taken)} beside it (of {read})", stacklevel=3)  # fmt: skip


def resolve(source: Any, options: Mapping[str, Any] | None = None) -> tuple[str, Any, str | None, Any]:
    """The arguments of the extension's ``py_source_open()``: kind, object, name, options."""
    if isinstance(source, str) and source.lower().startswith(URLS):
        return "url", source.encode(), _shown(source), url_options(options)
    if isinstance(source, str) and source.lower().startswith("file://"):
        source = _path_of(source)
    if isinstance(source, (str, os.PathLike)):
        path = _path_bytes(source)
        if _is_stream(path):
            return "object", _Spooled(open(path, "rb", buffering=0), True), os.fsdecode(path), None
        return "path", path, os.fsdecode(path), None
    owned = is_fsspec(source)
    if owned:
        source = source.open()
    if isinstance(source, io.TextIOBase):
        raise TypeError("the source is a text file; expected one that is open in binary mode")
    if not hasattr(source, "read") or _is_buffer(source):
        return "memory", source, None, None
    raw = getattr(source, "raw", None) if type(source) is io.BufferedReader else source
    if type(raw) is io.FileIO and raw.seekable():
        return "descriptor", raw.fileno(), _name_of(source), source
    if _can_seek(source):
        return "object", _Seekable(source, owned), _name_of(source), None
    return "object", _Spooled(source, owned), _name_of(source), None


def is_fsspec(given: Any) -> bool:
    """Whether it is a result of `fsspec.open`, which is not open yet."""
    return hasattr(given, "fs") and hasattr(given, "open") and not hasattr(given, "read")


def is_slow(resolved: tuple[str, Any, str | None, Any]) -> bool:
    """Whether the source is a URL or a stream, where only requested bytes are read."""
    return resolved[0] == "url" or isinstance(resolved[1], _Spooled)


def _is_buffer(source: Any) -> bool:
    """Whether it has the buffer protocol, such as an mmap, which also has read()."""
    try:
        memoryview(source).release()
    except (TypeError, BufferError):
        return False
    return True


def target_file(given: Any) -> tuple[tuple[str, Any, str | None], bool]:
    """The result of `target`, for a file that appears when it is whole, or a file object."""
    resolved, seekable = target(given)
    if resolved[0] == "path" and not seekable:
        number = errno.EISDIR if os.path.isdir(resolved[1]) else None
        raise CpbError("the target is no regular file", "WRITE", source=resolved[2], errno=number)
    return resolved, seekable


def target_path(given: Any) -> tuple[str, Any, str | None]:
    """The first value of `target_file`, for a path."""
    resolved, _ = target_file(given)
    if resolved[0] != "path":
        raise TypeError(f"the target is {type(given).__name__}; expected a path")
    return resolved


def base(given: Any, target: Any) -> tuple[bytes, bytes, str]:
    """The paths of a base and of a target that is to refer to it, and the base's name."""
    if not isinstance(given, (str, os.PathLike)):
        raise TypeError(f"the base is {type(given).__name__}; expected a path")
    return _path_bytes(given), target_path(target)[1], os.fsdecode(given)


def target(given: Any) -> tuple[tuple[str, Any, str | None], bool]:
    """The arguments of the extension's ``py_sink_open()``, and whether any offset can be written."""
    if isinstance(given, (str, os.PathLike)):
        path = _path_bytes(given)
        if isinstance(given, str) and given.startswith(URLS):
            raise CpbError(f"{_shown(given)} is a URL; expected a path: URLs are only read")
        special = os.path.exists(path) and not os.path.isfile(path)
        return ("path", path, os.fsdecode(path)), not special
    if isinstance(given, io.TextIOBase):
        raise TypeError("the target is a text file; expected one that is open in binary mode")
    if is_fsspec(given):
        raise TypeError("the target is not open; expected what its open() returns, to be closed afterwards")
    if not hasattr(given, "write"):
        raise TypeError(f"the target is {type(given).__name__}; expected a path or a binary file object")
    seekable = _can_seek(given)
    return ("object", _Written(given, seekable), _name_of(given)), seekable
