"""The contents of models."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypedDict, TypeVar, cast

from libcpb import _core, _options, _sources
from libcpb._arrays import Values
from libcpb._errors import CpbError
from libcpb._messages import Progress
from libcpb._options import Limits
from libcpb._sources import Source

if TYPE_CHECKING:
    import numpy
    from typing_extensions import Unpack

    from libcpb import answers

_KIND_NAMES = {number: name for name, number in _core.kinds.items()}
_BESIDE = {"keras_metadata": 1, "checkpoint": 2, "fingerprint": 4}
_ALL = 2**32 - 1
_MOST = 1 << 32

_M = TypeVar("_M", bound="Model")


class Page(TypedDict, total=False):
    """Arguments of most questions: see `Model.ask`."""

    meta_graph: int
    first: int
    count: int | Literal["all"]
    brief: bool
    progress: Progress | None


class Asking(Page, total=False):
    """Arguments of any question."""

    scope: str | None
    to: str | None
    distance: int


class Opening(TypedDict, total=False):
    """Arguments of `open_model`."""

    max_value: int
    max_memory: int
    limits: Limits | None
    leave_out: Iterable[Literal["keras_metadata", "checkpoint", "fingerprint"]]
    progress: Progress | None
    url_options: Mapping[str, Any] | None


# The types of these functions: an answer for each question, and a model for each kind.
_typed_ask = cast("Callable[[Any], answers.Ask]", lambda function: function)
_typed_open = cast("Callable[[Any], answers.OpenModel]", lambda function: function)


def _place(function: str | None, tag: str | None, state: int, meta_graph: int) -> tuple[str | None, int, int]:
    """Where an array is: its scope, the state of an updater, and the meta graph."""
    graph = _options.count("meta_graph", meta_graph, _ALL)
    return function if function is not None else tag, _options.count("state", state, _ALL), graph


class Model(_core.Model):
    """A model that answers questions, from `libcpb.open_model`. Each answer is a dict, as
    ``docs/inspecting.md`` describes it. Lists come in pages, ``{"total", "first", "items"}``, with the first
    100 items unless `first` and `count` say otherwise (``count="all"``). ``"problems"`` lists unreadable
    parts of a damaged model. Questions read no weights. A question that this kind of model does not answer is
    a `CpbError` ``"UNSUPPORTED"``.
    """

    @property
    def kind(self) -> answers.Kind:
        """The kind of model, such as ``"saved_model"`` or ``"onnx"``."""
        return cast("answers.Kind", _KIND_NAMES[self._kind])

    @_typed_ask
    def ask(
        self,
        question: answers.Question,
        name: str | None = None,
        *,
        scope: str | None = None,
        to: str | None = None,
        distance: int = 0,
        meta_graph: int = 0,
        first: int = 0,
        count: int | Literal["all"] = 100,
        brief: bool = False,
        progress: Progress | None = None,
    ) -> Any:
        """Asks any question by its name; the methods below are shorter.

        With `brief`, questions about ONNX models skip the initializers, except for layers and constants;
        ``"unread"`` is the skipped range.
        """
        number = _options.one_of("question", _core.questions, question)
        many = _ALL if count == "all" else _options.positive("count", count, "at least 1, or 'all'")
        at = _options.count("first", first)
        graph = _options.count("meta_graph", meta_graph, _ALL)
        far = _options.count("distance", distance)
        return json.loads(self._ask(number, name, scope, to, far, graph, at, many, brief, progress))

    def overview(self, **page: Unpack[Page]) -> answers.AnyOverview:
        """Versions, meta graphs or tags, signatures, counts."""
        return self.ask("overview", **page)

    def signatures(self, **page: Unpack[Page]) -> answers.SignaturePage:
        """The signatures in the overview of a SavedModel."""
        overview: Any = self.ask("overview", **page)
        if "signatures" not in overview:
            raise CpbError(f"a {self.kind} has no signatures", "UNSUPPORTED")
        return overview["signatures"]

    def signature(self, name: str, **page: Unpack[Page]) -> answers.AnySignature:
        """One signature, followed to its function, captures and variables."""
        return self.ask("signature", name, **page)

    def functions(self, **page: Unpack[Page]) -> answers.AnyFunctions:
        """The function library."""
        return self.ask("functions", **page)

    def function(self, name: str, **page: Unpack[Page]) -> answers.AnyFunction:
        """One function of the library."""
        return self.ask("function", name, **page)

    def nodes(self, function: str | None = None, *, scope: str | None = None, **page: Unpack[Page]) -> answers.AnyNodes:
        """Nodes of the graph, of a function or of a SameDiff tag, whose names begin with `scope`."""
        return self.ask("nodes", function, scope=scope, **page)

    def scopes(
        self, scope: str | None = None, *, function: str | None = None, **page: Unpack[Page]
    ) -> answers.AnyScopes:
        """The scopes and nodes in a name scope, with the edges into each; `function` as for `nodes`."""
        return self.ask("scopes", function, scope=scope, **page)

    def node(self, name: str, *, function: str | None = None, tag: str | None = None, **page: Unpack[Page]) -> answers.AnyNode:
        """One node: its inputs, outputs, neighbours and attributes."""
        return self.ask("node", name, scope=function if function is not None else tag, **page)

    def consumers(
        self, name: str, *, function: str | None = None, tag: str | None = None, **page: Unpack[Page]
    ) -> answers.AnyConsumers:
        """The consumers of a node, or of a variable of a SameDiff tag, and the inputs that take it."""
        return self.ask("consumers", name, scope=function if function is not None else tag, **page)

    def upstream(
        self, name: str, *, function: str | None = None, to: str | None = None, distance: int = 0, **page: Unpack[Page]
    ) -> answers.AnyUpstream:
        """All that a node or value depends on, the nearest first, at most `distance` steps away (0: any). With `to`,
        a shortest way to that node or value of the same graph."""
        return self.ask("upstream", name, scope=function, to=to, distance=distance, **page)

    def downstream(
        self, name: str, *, function: str | None = None, to: str | None = None, distance: int = 0, **page: Unpack[Page]
    ) -> answers.AnyDownstream:
        """All that depends on a node or value, in the form of `upstream`."""
        return self.ask("downstream", name, scope=function, to=to, distance=distance, **page)

    def objects(self, path: str | None = None, **page: Unpack[Page]) -> answers.AnyObjects:
        """An object and its children, by a path such as ``root.layers.0``."""
        return self.ask("objects", path, **page)

    def layers(self, **page: Unpack[Page]) -> answers.AnyLayers:
        """The Keras layers and how they are connected."""
        return self.ask("layers", **page)

    def nodes_to_load(self, paths: Iterable[str], **page: Unpack[Page]) -> answers.AnyLoad:
        """Keras: what must be loaded for the nodes at these paths."""
        return self.ask("load", "\n".join(paths), **page)

    def constants(self, **page: Unpack[Page]) -> answers.AnyConstants:
        """Constants or parameters, the largest first."""
        return self.ask("constants", **page)

    def ops(self, **page: Unpack[Page]) -> answers.AnyOps:
        """How often each operation is used."""
        return self.ask("ops", **page)

    def search(self, text: str, **page: Unpack[Page]) -> answers.AnySearch:
        """Everything with the text in its name."""
        return self.ask("search", text, **page)

    def variables(self, name: str | None = None, **page: Unpack[Page]) -> answers.AnyVariables:
        """Variables of a SavedModel, or a checkpoint's tensors: all, or those that a name, path or key matches."""
        return self.ask("variables", name, **page)

    def tag(self, name: str | None = None, **page: Unpack[Page]) -> answers.AnyTag:
        """SameDiff: the graph of a tag, by default of the newest one."""
        return self.ask("tag", name, **page)

    def read(self, offset: int, size: int) -> bytes:
        """Bytes of the (merged) message, for ranges in an answer."""
        return self._read(_options.count("offset", offset), _options.count("size", size))

    def values(
        self,
        name: str,
        *,
        variable: bool = False,
        function: str | None = None,
        tag: str | None = None,
        state: int = 0,
        meta_graph: int = 0,
        max_size: int = _MOST,
        progress: Progress | None = None,
    ) -> Values:
        """The values of one array, in their layout in memory.

        Args:
            name: A node (``NODE:ATTRIBUTE`` for another attribute than ``value``), a variable or parameter of
                SameDiff, a checkpoint's key, or a variable of a SavedModel: its path, name or checkpoint key.
            variable: Whether the name is that of a variable; otherwise a constant with this name comes first.
            function: The function or subgraph of the node; None: the graph, or else the only function with it.
            tag: SameDiff: the tag; None: the newest.
            state: SameDiff: this state of the updater, from 1, instead of the value.
            meta_graph: SavedModel: the number of the meta graph, from 0.
            max_size: The most bytes of the values; more is a CpbError ``"LIMIT"``.
            progress: Called with bytes done and in all.
        """
        place = _place(function, tag, state, meta_graph)
        return Values(*self._values(name, variable, *place, _options.count("max_size", max_size), progress))

    def array(self, name: str, **how: Any) -> numpy.ndarray[Any, Any]:
        """The same as a writable NumPy array. Without ``ml_dtypes``, bfloat16 and smaller floats are raw bytes
        (``V2``, ``V1``); strings are `bytes`."""
        return self.values(name, **how).array()

    def statistics(
        self,
        name: str,
        *,
        axis: int | None = None,
        variable: bool = False,
        function: str | None = None,
        tag: str | None = None,
        state: int = 0,
        meta_graph: int = 0,
        progress: Progress | None = None,
    ) -> answers.Statistics:
        """Range, mean, deviation, zeros, NaN, first values and a histogram of one array, in bounded memory;
        for quantized weights of ONNX and Core ML, of the real values. `listed` has its use and place.

        Args:
            name, variable, function, tag, state, meta_graph, progress: As for `values`.
            axis: Also the ranges of the parts along this dimension, such as channels.
        """
        place = _place(function, tag, state, meta_graph)
        part = 0 if axis is None else _options.count("axis", axis, _ALL - 1) + 1
        return cast("answers.Statistics", json.loads(self._statistics(name, variable, *place, part, progress)))

    def cut(
        self,
        paths: Iterable[str],
        target: str | os.PathLike[str],
        *,
        meta_graph: int = 0,
        replace: bool = True,
        sync: bool = False,
        progress: Progress | None = None,
    ) -> answers.CutAnswer:
        """Writes a SavedModel with some of the objects and everything that they need (``docs/cutting.md``), and
        returns a report.

        Args:
            paths: The objects to keep, such as ``root.encoder``.
            target: The path of the new model, which is split if it ends in ``.cpb``. A ``keras_metadata.pb``
                next to the model is also cut.
            meta_graph: The number of the meta graph, from 0.
            replace, sync: As for `libcpb.merge`.
            progress: Called with the processed bytes and all bytes, twice: of reading and of splitting.

        Raises:
            CpbError: ``"NOT_FOUND"``: no such object; ``"UNSUPPORTED"``: not a SavedModel.
        """
        if isinstance(paths, str):
            raise TypeError("paths is str; expected several strings, such as a list of them")
        names = list(paths)
        if not names:
            raise CpbError("paths is empty; expected at least one path, such as root.encoder")
        for name in names:
            if "\n" in name:
                raise CpbError(f"the path {name!r} has a newline in it")
        resolved = _sources.target_path(target)
        keras = _sources.target_path(os.path.join(os.path.dirname(os.fsdecode(target)), "keras_metadata.pb"))
        graph = _options.count("meta_graph", meta_graph, _ALL)

        def write(spool: int) -> str:
            return self._cut("\n".join(names), graph, resolved, keras, spool, replace, sync, progress)

        if not resolved[1].endswith(b".cpb"):
            return json.loads(write(-1))
        with tempfile.TemporaryFile(buffering=0) as file:
            return json.loads(write(file.fileno()))

    def __repr__(self) -> str:
        return f"<libcpb.Model {self.kind}{f' {self.path}' if self.path else ''}>"

    def __enter__(self: _M) -> _M:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@_typed_open
def open_model(
    source: Source,
    *,
    kind: answers.Kind | None = None,
    max_value: int = 0,
    max_memory: int = 0,
    limits: Limits | None = None,
    leave_out: Iterable[Literal["keras_metadata", "checkpoint", "fingerprint"]] = (),
    progress: Progress | None = None,
    url_options: Mapping[str, Any] | None = None,
) -> Any:
    """Opens a model to look inside.

    Args:
        source: See `libcpb.Source`. A path or URL leads to a file; to a directory (a URL with a slash at its end) of
            a SavedModel, a checkpoint, a Core ML package, a single model, or numbered versions, of which the
            highest is opened; to a checkpoint's index or prefix; or to one of several models in a zip,
            ``ARCHIVE!/NAME``. Models in memory and file objects have no files next to them, and so no values
            of variables.
        kind: The kind of model; None: recognized by its first bytes.
        max_value: Longer values are not read. 0: 1024.
        max_memory: The most bytes for the parts that are read. 0: 256 MiB.
        limits: As for `libcpb.open`.
        leave_out: Files next to a SavedModel to ignore.
        progress: Called while opening.
        url_options: As for `libcpb.open`.

    Raises:
        CpbError: ``"FORMAT"`` if the file is not a model of a known kind.
    """
    number = 0 if kind is None else _options.one_of("kind", _core.kinds, kind)
    left = 0
    for name in leave_out:
        if name not in _BESIDE:
            raise CpbError(f"leave_out has {name!r}; expected any of {', '.join(_BESIDE)}")
        left |= _BESIDE[name]
    _sources.warn_of_two(source)
    return Model(
        resolved=_sources.resolve(source, url_options),
        kind=number,
        max_value=_options.count("max_value", max_value),
        max_memory=_options.count("max_memory", max_memory),
        leave_out=left,
        progress=progress,
        limits=limits,
    )


def diff(
    a: Model | Source,
    b: Model | Source,
    *,
    max_differences: int = 100,
    values: bool = True,
    limits: Limits | None = None,
    url_options: Mapping[str, Any] | None = None,
) -> answers.Differences:
    """The differences between two models of any kind and form, as ``docs/inspecting.md`` describes them.
    ``"equal"`` is None if no difference was found, but not everything was compared: a model is damaged, or a
    value too long to be read.

    Args:
        a, b: Sources as for `open_model`, or models that it made. Strings longer than a model's `max_value`
            (for sources 16 KiB) are compared by length alone.
        max_differences: The most differences that each section, such as ``"nodes"``, lists. All are counted.
        values: Whether values of constants and parameters, and checksums of variables, are compared.
        limits: For the comparison, and for each model that is opened here.
        url_options: As for `libcpb.open`.
    """
    most = _options.positive("max_differences", max_differences, "at least 1")
    with contextlib.ExitStack() as opened:

        def model(given: Model | Source) -> Model:
            if isinstance(given, Model):
                return given
            how: Any = {"max_value": 16 << 10, "limits": limits, "url_options": url_options}
            return opened.enter_context(open_model(given, **how))

        return json.loads(_core.diff(model(a), model(b), most, not values, limits))
