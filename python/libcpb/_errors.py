"""The exceptions."""

from __future__ import annotations

from typing import Literal

Code = Literal[
    "USAGE",
    "MEMORY",
    "DAMAGED",
    "TRUNCATED",
    "FORMAT",
    "UNSUPPORTED",
    "LIMIT",
    "NOT_FOUND",
    "READ",
    "WRITE",
    "CANCELLED",
    "DENIED",
    "UNAVAILABLE",
]


class CpbError(Exception):
    """An error: its kind, its place, and a message. An error of reading or writing a file or URL is also the
    fitting `OSError`: `FileNotFoundError`, `PermissionError`, `ConnectionError`, `FileExistsError` or
    `IsADirectoryError`.

    Attributes:
        code: As in C: ``"USAGE"`` (an argument is wrong or a call came out of order),
            ``"MEMORY"``, ``"DAMAGED"``, ``"TRUNCATED"``, ``"FORMAT"`` (the input has another format),
            ``"UNSUPPORTED"``, ``"LIMIT"``, ``"NOT_FOUND"`` (no such file, chunk, record or field),
            ``"DENIED"`` (the file may not be read), ``"UNAVAILABLE"`` (the server cannot be reached, or not
            now), ``"READ"`` and ``"WRITE"`` (any other failure), or ``"CANCELLED"``.
        offset: The place in the input, or None.
        source: The name of the source or target, such as a path, or None.
        errno: The system's number, as in `OSError`, or None.
        status: The status of the HTTP response, or None.
    """

    code: Code
    offset: int | None
    source: str | None
    errno: int | None
    status: int | None

    def __new__(cls, message: str = "", code: Code = "USAGE", offset: int | None = None, source: str | None = None,
                errno: int | None = None, status: int | None = None) -> CpbError:  # fmt: skip
        kind = _class_of(code, errno, status) if cls is CpbError else cls
        return super(CpbError, kind).__new__(kind)

    def __init__(self, message: str, code: Code = "USAGE", offset: int | None = None, source: str | None = None,
                 errno: int | None = None, status: int | None = None) -> None:  # fmt: skip
        Exception.__init__(self, message, code, offset, source, errno, status)  # what pickle passes
        self.code = code
        self.offset = offset
        self.source = source
        self.errno = errno or None
        self.status = status or None

    @property
    def url(self) -> str | None:
        """`source` if that is a URL, without user, password and query."""
        return self.source if self.source and "://" in self.source else None

    def __str__(self) -> str:
        where = "" if self.offset is None else f" at byte {self.offset}"
        return f"{self.source + ': ' if self.source else ''}{self.args[0]} ({self.code}{where})"


class CpbOSError(CpbError, OSError):
    """A file or URL could not be read or written."""

    def __init__(self, message: str, code: Code = "READ", offset: int | None = None, source: str | None = None,
                 errno: int | None = None, status: int | None = None) -> None:  # fmt: skip
        super().__init__(message, code, offset, source, errno, status)
        self.strerror = message
        self.filename = source


class CpbFileNotFoundError(CpbOSError, FileNotFoundError):
    """No such file; of a URL, 404 or 410."""


class CpbPermissionError(CpbOSError, PermissionError):
    """The file may not be read or written; of a URL, 401, 403 or 407."""


class CpbConnectionError(CpbOSError, ConnectionError):
    """The server cannot be reached, or does not answer now."""


class CpbFileExistsError(CpbOSError, FileExistsError):
    """The target exists, and was not to be replaced."""


class CpbIsADirectoryError(CpbOSError, IsADirectoryError):
    """A directory where a file was expected."""


_BY_BUILTIN: dict[type, type[CpbOSError]] = {
    FileNotFoundError: CpbFileNotFoundError,
    PermissionError: CpbPermissionError,
    FileExistsError: CpbFileExistsError,
    IsADirectoryError: CpbIsADirectoryError,
}
_BY_CODE: dict[Code, type[CpbOSError]] = {
    "DENIED": CpbPermissionError,
    "UNAVAILABLE": CpbConnectionError,
    "READ": CpbOSError,
    "WRITE": CpbOSError,
}


def _class_of(code: Code, errno: int | None, status: int | None) -> type[CpbError]:
    if code == "NOT_FOUND" and (errno or status):
        return CpbFileNotFoundError
    kind = _BY_CODE.get(code, CpbError)
    return _BY_BUILTIN.get(type(OSError(errno, "")), kind) if kind is CpbOSError and errno else kind
