"""Models in notebooks: the inspector's page in a frame, for which the kernel reads the requested parts of files."""

from __future__ import annotations

import functools
import os
from collections import deque
from typing import Any, Union

from libcpb import _options, _sources
from libcpb._errors import CpbError
from libcpb._models import Model, open_model
from libcpb._sources import Source

_HERE = os.path.dirname(__file__)
_MOST_FILES = 2000
_MOST_BYTES = 16 << 20  # of one message
_NO_PAGE = """this build of libcpb has no page of the inspector; in a clone, make it and install libcpb again:
  bash web/build.sh && npm ci --prefix web/inspector && node web/inspector/build.js"""


def _page() -> bytes:
    try:
        with open(os.path.join(_HERE, "inspector.html"), "rb") as file:
            return file.read()
    except FileNotFoundError:
        raise CpbError(_NO_PAGE, "NOT_FOUND", source="inspector.html") from None


def _roots(folder: str, model: str | None) -> list[str]:
    """The folders that links may lead into: the model's, that of the file which a linked model is, and the blobs of a
    hub's cache."""
    real = os.path.realpath(folder)
    roots = [real]
    if model and os.path.islink(model):
        roots.append(os.path.dirname(os.path.realpath(model)))
    if os.path.basename(os.path.dirname(real)) == "snapshots":
        roots.append(os.path.join(os.path.dirname(os.path.dirname(real)), "blobs"))
    return [os.path.join(root, "") for root in roots]


def _beside(folder: str, model: str | None) -> list[str]:
    """Paths of the files in a folder and below it: the nearest first, without hidden ones and links that lead
    elsewhere."""
    roots = _roots(folder, model)
    found: list[str] = []
    folders = deque([folder])
    while folders and len(found) < _MOST_FILES:
        try:
            entries = sorted(os.scandir(folders.popleft()), key=lambda one: one.name)
        except OSError:
            continue
        for entry in entries:
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
            elif entry.is_file() and (not entry.is_symlink() or os.path.realpath(entry.path).startswith(tuple(roots))):
                found.append(entry.path)
    return found[:_MOST_FILES]


class Shown:
    """A model as a page needs it: the list of files, and the bytes of those that the page requests."""

    def __init__(self, source: Any) -> None:
        resolved = _sources.resolve(source)
        kind, self._source, name, _ = resolved
        self._paths: list[str] = []
        if kind == "url":
            self.about: dict[str, Any] = {"url": source}
        elif kind == "path":
            self.about = self._at(os.path.abspath(os.fsdecode(self._source)))
        else:
            if kind != "memory":
                self._source = source.open() if _sources.is_fsspec(source) else source
                size = self._source.seek(0, os.SEEK_END)
            else:
                size = memoryview(source).nbytes
            listed = {"path": os.path.basename(name or "model"), "size": size, "lastModified": 0}
            self.about = {"files": [listed], "model": 0}

    def _at(self, path: str) -> dict[str, Any]:
        if not os.path.exists(path):  # a prefix, or one in an archive; else it says what is wrong
            with open_model(path) as opened:
                path = str(opened.path).partition("!/")[0]
        is_folder = os.path.isdir(path)
        top = os.path.dirname(path)
        self._paths = _beside(path, None) if is_folder else _beside(top, path)
        if not is_folder and path not in self._paths:
            self._paths.append(path)
        files = [{"path": os.path.relpath(one, top), "size": os.path.getsize(one),
                  "lastModified": int(1000 * os.path.getmtime(one))} for one in self._paths]  # fmt: skip
        return {"files": files, "model": None if is_folder else self._paths.index(path)}

    def read(self, number: int, begin: int, end: int) -> bytes:
        """At most 16 MiB from one of the files."""
        length = max(0, min(end - begin, _MOST_BYTES))
        if self._paths:
            with open(self._paths[number], "rb", buffering=0) as file:
                file.seek(begin)
                return file.read(length)
        if hasattr(self._source, "seek"):
            self._source.seek(begin)
            return bytes(self._source.read(length))
        if begin < 0:
            raise ValueError(f"begin is {begin}")
        return bytes(memoryview(self._source).cast("B")[begin : begin + length])

    def answer(self, request: dict[str, Any]) -> tuple[dict[str, Any], list[bytes]]:
        """The message that answers one of a page, and its bytes."""
        told = {"view": request["view"], "id": request["id"]}
        try:
            if request["id"] == 0:
                return told, [_page()]
            return told, [self.read(request["file"], request["begin"], request["end"])]
        except Exception as error:  # noqa: BLE001: the page says it
            return {**told, "error": str(error)}, []


@functools.cache
def _widget() -> Any:
    try:
        import anywidget
        import traitlets
    except ImportError as error:
        raise ImportError("libcpb.show needs the package anywidget, which libcpb[notebook] brings") from error

    with open(os.path.join(_HERE, "notebook.js"), encoding="utf-8") as file:
        script = file.read()

    class Inspector(anywidget.AnyWidget):  # type: ignore[misc]
        _esm = script
        height = traitlets.Int().tag(sync=True)
        shown = traitlets.Dict().tag(sync=True)

        def __init__(self, shown: Shown, height: int) -> None:
            super().__init__(height=height, shown=shown.about)
            self.on_msg(lambda _, request, __: self.send(*shown.answer(request)))

    return Inspector


def show(model: Union[Model, Source], *, height: int = 600) -> Any:
    """The inspector with a model, as the output of a cell in Jupyter, VS Code or Colab. Needs ``anywidget``. The
    browser fetches URLs, so their servers must allow that (CORS).

    Args:
        model: As for `open_model`, or a model that it made from a path or URL. The page can also read up to 2000
            files next to a model and below its folder.
        height: In pixels.

    Returns:
        A widget, which a cell shows as its last value; elsewhere, ``IPython.display.display`` does.

    Raises:
        CpbError: ``"NOT_FOUND"``: no such file, or this build has no page; the error says how to make it.
    """
    if isinstance(model, Model):
        if not model.path:
            raise CpbError("the model was opened from memory; expected one with a path or URL")
        model = model.path
    shown = Shown(model)
    _page()
    return _widget()(shown, _options.count("height", height))
