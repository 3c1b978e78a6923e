"""The contents of models."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypedDict, TypeVar, cast, overload

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
    """What most questions take: see `Model.ask`."""

    meta_graph: int
    first: int
    count: int | Literal["all"]
    brief: bool
    progress: Progress | None


class Asking(Page, total=False):
    """What any question takes."""

    scope: str | None
    to: str | None
    distance: int


class _Opening(TypedDict, total=False):
    max_value: int
    max_memory: int
    limits: Limits | None
    leave_out: Iterable[Literal["keras_metadata", "checkpoint", "fingerprint"]]
    progress: Progress | None
    url_options: Mapping[str, Any] | None


class Model(_core.Model):
    """A model that answers questions; `libcpb.open_model` makes one.

    Each answer is a dict, as ``docs/inspecting.md`` describes it and `libcpb.answers` (for type checkers only) types it. Lists
    come in pages, ``{"total", "first", "items"}``, of the 100 first unless `first` and `count` say
    otherwise (``count="all"``). What could not be made out of a damaged model is listed under
    ``"problems"``. A question reads what it needs, once, and no weights. One that this kind of model
    does not answer is a `CpbError` with the code ``"UNSUPPORTED"``.
    """

    @property
    def kind(self) -> answers.Kind:
        """The kind of model, such as ``"saved_model"`` or ``"onnx"``."""
        return cast("answers.Kind", _KIND_NAMES[self._kind])

    @overload
    def ask(self, question: Literal["overview"], name: str | None = None, **how: Unpack[Asking]) -> answers.AnyOverview: ...
    @overload
    def ask(self, question: Literal["signature"], name: str | None = None, **how: Unpack[Asking]) -> answers.AnySignature: ...
    @overload
    def ask(self, question: Literal["functions"], name: str | None = None, **how: Unpack[Asking]) -> answers.AnyFunctions: ...
    @overload
    def ask(self, question: Literal["function"], name: str | None = None, **how: Unpack[Asking]) -> answers.AnyFunction: ...
    @overload
    def ask(self, question: Literal["nodes"], name: str | None = None, **how: Unpack[Asking]) -> answers.AnyNodes: ...
    @overload
    def ask(self, question: Literal["scopes"], name: str | None = None, **how: Unpack[Asking]) -> answers.AnyScopes: ...
    @overload
    def ask(self, question: Literal["consumers"], name: str | None = None, **how: Unpack[Asking]) -> answers.AnyConsumers: ...
    @overload
    def ask(self, question: Literal["node"], name: str | None = None, **how: Unpack[Asking]) -> answers.AnyNode: ...
    @overload
    def ask(self, question: Literal["upstream"], name: str | None = None, **how: Unpack[Asking]) -> answers.AnyUpstream: ...
    @overload
    def ask(self, question: Literal["downstream"], name: str | None = None, **how: Unpack[Asking]) -> answers.AnyDownstream: ...
    @overload
    def ask(self, question: Literal["objects"], name: str | None = None, **how: Unpack[Asking]) -> answers.AnyObjects: ...
    @overload
    def ask(self, question: Literal["layers"], name: str | None = None, **how: Unpack[Asking]) -> answers.AnyLayers: ...
    @overload
    def ask(self, question: Literal["constants"], name: str | None = None, **how: Unpack[Asking]) -> answers.AnyConstants: ...
    @overload
    def ask(self, question: Literal["ops"], name: str | None = None, **how: Unpack[Asking]) -> answers.AnyOps: ...
    @overload
    def ask(self, question: Literal["search"], name: str | None = None, **how: Unpack[Asking]) -> answers.AnySearch: ...
    @overload
    def ask(self, question: Literal["load"], name: str | None = None, **how: Unpack[Asking]) -> answers.AnyLoad: ...
    @overload
    def ask(self, question: Literal["cut"], name: str | None = None, **how: Unpack[Asking]) -> answers.AnyCut: ...
    @overload
    def ask(self, question: Literal["variables"], name: str | None = None, **how: Unpack[Asking]) -> answers.AnyVariables: ...
    @overload
    def ask(self, question: Literal["tag"], name: str | None = None, **how: Unpack[Asking]) -> answers.AnyTag: ...
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
        """Any question by its name; the methods below are shorter ways to do it.

        With `brief`, ONNX models are answered after a few requests, however many initializers they have, without what
        only initializers tell. What was passed over is in ``"unread"``. Layers and constants need them all the same.
        """
        number = _options.one_of("question", _core.questions, question)
        many = _ALL if count == "all" else _options.count("count", count)
        if many == 0:
            raise CpbError("count is 0; expected at least 1, or 'all'")
        at = _options.count("first", first)
        graph = _options.count("meta_graph", meta_graph, _ALL)
        far = _options.count("distance", distance)
        return json.loads(self._ask(number, name, scope, to, far, graph, at, many, brief, progress))

    def overview(self, **page: Unpack[Page]) -> answers.AnyOverview:
        """Versions, meta graphs or tags, signatures, counts: a few small reads."""
        return self.ask("overview", **page)

    def signatures(self, **page: Unpack[Page]) -> answers.SignaturePage:
        """The page of signatures in the overview of a SavedModel."""
        overview: Any = self.ask("overview", **page)
        if "signatures" not in overview:
            raise CpbError(f"a {self.kind} has no signatures", "UNSUPPORTED")
        return overview["signatures"]

    def signature(self, name: str, **page: Unpack[Page]) -> answers.AnySignature:
        """One signature, followed to its function, captures and variables."""
        return self.ask("signature", name, **page)

    def functions(self, **page: Unpack[Page]) -> answers.AnyFunctions:
        """The function library: signatures, sizes, who calls whom."""
        return self.ask("functions", **page)

    def function(self, name: str, **page: Unpack[Page]) -> answers.AnyFunction:
        """One function of it."""
        return self.ask("function", name, **page)

    def nodes(self, function: str | None = None, *, scope: str | None = None, **page: Unpack[Page]) -> answers.AnyNodes:
        """Nodes of the graph, of a function or of a SameDiff tag; with `scope` those of which the names
        begin with it."""
        return self.ask("nodes", function, scope=scope, **page)

    def scopes(
        self, scope: str | None = None, *, function: str | None = None, **page: Unpack[Page]
    ) -> answers.AnyScopes:
        """The scopes and nodes in a name scope of the graph, of a function or of a SameDiff tag, and what leads to each."""
        return self.ask("scopes", function, scope=scope, **page)

    def node(self, name: str, *, function: str | None = None, tag: str | None = None, **page: Unpack[Page]) -> answers.AnyNode:
        """One node: what goes into it and who gives it, what comes out, its attributes, and who takes it."""
        return self.ask("node", name, scope=function if function is not None else tag, **page)

    def consumers(
        self, name: str, *, function: str | None = None, tag: str | None = None, **page: Unpack[Page]
    ) -> answers.AnyConsumers:
        """What takes a node of the graph or of a function, or a variable of a SameDiff tag, and as
        which input."""
        return self.ask("consumers", name, scope=function if function is not None else tag, **page)

    def upstream(
        self, name: str, *, function: str | None = None, to: str | None = None, distance: int = 0, **page: Unpack[Page]
    ) -> answers.AnyUpstream:
        """All that a node or value depends on, the nearest first, through calls and graphs within nodes; at most
        `distance` steps away, unless that is 0. With `to`, a shortest way to that node or value of the same graph."""
        return self.ask("upstream", name, scope=function, to=to, distance=distance, **page)

    def downstream(
        self, name: str, *, function: str | None = None, to: str | None = None, distance: int = 0, **page: Unpack[Page]
    ) -> answers.AnyDownstream:
        """All that depends on a node or value, as `upstream` tells it."""
        return self.ask("downstream", name, scope=function, to=to, distance=distance, **page)

    def objects(self, path: str | None = None, **page: Unpack[Page]) -> answers.AnyObjects:
        """An object of the object graph and its children, by a path such as ``root.layers.0``."""
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
        """What has the text in its name."""
        return self.ask("search", text, **page)

    def variables(self, name: str | None = None, **page: Unpack[Page]) -> answers.AnyVariables:
        """Variables of a SavedModel and what its checkpoint has stored of each, or a checkpoint's tensors;
        with a name, path or key only those that it means."""
        return self.ask("variables", name, **page)

    def tag(self, name: str | None = None, **page: Unpack[Page]) -> answers.AnyTag:
        """SameDiff: the graph of a tag, without a name of the newest one."""
        return self.ask("tag", name, **page)

    def read(self, offset: int, size: int) -> bytes:
        """Bytes of the (merged) message, where an answer says that something lies."""
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
        """The values of one array, as they lie in memory.

        Args:
            name: A node of a graph (``NODE:ATTRIBUTE`` for another attribute than ``value``), a
                variable or parameter of a SameDiff model, the key of a checkpoint's tensor, or a variable of a
                SavedModel: its path, name or checkpoint key.
            variable: Whether it is a variable, with its values in the checkpoint, and no constant, which
                otherwise comes first.
            function: The function or subgraph that has the node; None: the graph, or else the only one that
                has it.
            tag: SameDiff: the tag; None: the newest.
            state: SameDiff: not the value but the updater's state with this number, from 1.
            meta_graph: Of a SavedModel: which of its meta graphs, from 0.
            max_size: The most bytes that the values may have: a few bytes of a file may stand for a large
                array. More is a CpbError with the code ``"LIMIT"``.
            progress: Called with bytes done and in all.
        """
        scope = function if function is not None else tag
        graph = _options.count("meta_graph", meta_graph, _ALL)
        number = _options.count("state", state, _ALL)
        most = _options.count("max_size", max_size)
        return Values(*self._values(name, variable, scope, number, graph, most, progress))

    def array(self, name: str, **how: Any) -> numpy.ndarray[Any, Any]:
        """The same as a NumPy array, which can be written to. bfloat16 and smaller floats need
        ``ml_dtypes``, and come as raw bytes (``V2``, ``V1``) without; strings are `bytes`."""
        return self.values(name, **how).array()

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
        """Writes a SavedModel with nothing but some of the objects and what they need, as ``docs/cutting.md``
        describes it, and returns what it has. Files appear when all is written.

        Args:
            paths: The objects to keep, such as ``root.encoder``.
            target: The path of the new model; of one that ends in ``.cpb`` the message is split, for which
                it is in a temporary file at first. A model with a ``keras_metadata.pb`` beside it gets one
                beside the target.
            meta_graph: Which of the meta graphs, from 0.
            replace, sync: As for `libcpb.merge`.
            progress: Called with bytes done and in all, of reading and then of splitting.

        Raises:
            CpbError: ``"NOT_FOUND"`` for a path that leads to no object; ``"UNSUPPORTED"`` when it is no
                SavedModel.
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


@overload
def open_model(source: Source, *, kind: Literal["saved_model"], **how: Unpack[_Opening]) -> answers.OpenedSavedModel: ...
@overload
def open_model(source: Source, *, kind: Literal["graph_def"], **how: Unpack[_Opening]) -> answers.OpenedGraphDef: ...
@overload
def open_model(source: Source, *, kind: Literal["keras_metadata"], **how: Unpack[_Opening]) -> answers.OpenedKeras: ...
@overload
def open_model(source: Source, *, kind: Literal["samediff_zip"], **how: Unpack[_Opening]) -> answers.OpenedSameDiffZip: ...
@overload
def open_model(source: Source, *, kind: Literal["samediff_graph"], **how: Unpack[_Opening]) -> answers.OpenedSameDiffGraph: ...
@overload
def open_model(source: Source, *, kind: Literal["onnx"], **how: Unpack[_Opening]) -> answers.OpenedOnnx: ...
@overload
def open_model(source: Source, *, kind: Literal["coreml"], **how: Unpack[_Opening]) -> answers.OpenedCoreml: ...
@overload
def open_model(source: Source, *, kind: Literal["meta_graph"], **how: Unpack[_Opening]) -> answers.OpenedMetaGraph: ...
@overload
def open_model(source: Source, *, kind: Literal["checkpoint"], **how: Unpack[_Opening]) -> answers.OpenedCheckpoint: ...
@overload
def open_model(source: Source, *, kind: answers.Kind | None = None, **how: Unpack[_Opening]) -> answers.AnyModel: ...
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
        source: See `libcpb.Source`. A path or URL is that of the model's file, or of the directory of a
            SavedModel (as a URL with a slash at its end), whose files beside it are read when a question
            needs them. A checkpoint is opened by its index, its prefix or its directory; one of several
            models in a zip archive as ``ARCHIVE!/NAME``. A directory may also be a package of Core ML, have
            the only model, or have versions in folders named by numbers, of which the highest is opened.
            What is in memory or a file object has no files beside it, and so no variables' values.
        kind: What it is; None: as it begins.
        max_value: Longer values are not read. 0: 1024.
        max_memory: Bytes that what is read may take. 0: 256 MiB.
        limits: What the model may take, in opening it and for each question or array; None: the defaults of `Limits`.
        leave_out: Files beside a SavedModel not to look for.
        progress: Called while opening.
        url_options: As for `libcpb.open`.

    Raises:
        CpbError: ``"FORMAT"`` when it is no model of a known kind; whatever reading gives.
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
        limits=_options.limits(limits),
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
    """What differs between two models of any kind and form, as ``docs/inspecting.md`` describes it;
    ``"equal"`` says whether nothing does, or is None where a model is damaged and nothing is known
    to. A message and the ``.cpb`` that was split from it are equal.

    Args:
        a, b: What `open_model` takes; or models that it made, of which strings longer than their
            `max_value` are compared by their lengths alone. Here that is 16 KiB for what is no `Model`.
        max_differences: How many the result lists in each section, such as ``"nodes"``. All are counted.
        values: Whether the values of constants and parameters, and the checksums of variables, are
            compared.
        limits: What comparing may take, and each model that is opened here; None: the defaults of
            `Limits`.
        url_options: As for `libcpb.open`.

    Raises:
        CpbError: Whatever reading either model gives.
    """
    most = _options.count("max_differences", max_differences)
    if most == 0:
        raise CpbError("max_differences is 0; expected at least 1")
    with contextlib.ExitStack() as opened:

        def model(given: Model | Source) -> Model:
            if isinstance(given, Model):
                return given
            how: Any = {"max_value": 16 << 10, "limits": limits, "url_options": url_options}
            return opened.enter_context(open_model(given, **how))

        return json.loads(_core.diff(model(a), model(b), most, not values, _options.limits(limits)))
