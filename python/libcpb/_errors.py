"""The exception."""

from __future__ import annotations


class CpbError(Exception):
    """What went wrong, and where.

    Attributes:
        code: What kind of error it is, as in C: ``"USAGE"`` (an argument is wrong or a call came out
            of order), ``"MEMORY"``, ``"DAMAGED"``, ``"TRUNCATED"``, ``"FORMAT"`` (the input has another
            format), ``"UNSUPPORTED"``, ``"LIMIT"``, ``"NOT_FOUND"``, ``"READ"``, ``"WRITE"`` or
            ``"CANCELLED"``.
        offset: The byte of the input that the error is about; None when it is about no byte.
        source: What was read or written, such as a path; None when that has no name.
    """

    code: str
    offset: int | None
    source: str | None

    def __init__(self, message: str, code: str = "USAGE", offset: int | None = None, source: str | None = None) -> None:
        super().__init__(message, code, offset, source)
        self.code = code
        self.offset = offset
        self.source = source

    def __str__(self) -> str:
        where = "" if self.offset is None else f" at byte {self.offset}"
        return f"{self.source + ': ' if self.source else ''}{self.args[0]} ({self.code}{where})"
