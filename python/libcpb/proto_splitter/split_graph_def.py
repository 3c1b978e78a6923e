"""Splitters of GraphDef messages and of their parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from google.protobuf.message import Message

from libcpb.proto_splitter import _tensors, constants, split, util


def _is_large(size: int) -> bool:
    return size > constants.max_size()


def _is_worth_a_chunk(size: int) -> bool:
    return size > constants.max_size() // 3


class GraphDefSplitter(split.ComposableSplitter):
    """Splits a GraphDef, which it changes: into large constants, large nodes and functions, and slices
    of its nodes and of each function's."""

    def build_chunks(self) -> None:
        proto = self._proto
        if proto.DESCRIPTOR.full_name != "tensorflow.GraphDef":
            raise TypeError(f"GraphDefSplitter can only split GraphDef protos. Got {proto.DESCRIPTOR.full_name}.")
        proto_size = util.byte_size(proto)
        if proto_size < constants.max_size():
            return
        library_size = util.byte_size(proto.library) if proto.HasField("library") else 0
        nodes = RepeatedMessageSplitter(proto, "node", [ConstantNodeDefSplitter, LargeMessageSplitter],
                                        parent_splitter=self, fields_in_parent=[])
        functions = RepeatedMessageSplitter(proto.library, "function", [FunctionDefSplitter], parent_splitter=self,
                                            fields_in_parent=["library"])
        # First the larger of the two; the other only if that was not enough.
        order = [functions, nodes] if library_size > proto_size - library_size else [nodes, functions]
        left = proto_size - order[0].build_chunks()
        if _is_large(left):
            order[1].build_chunks()
        if proto.HasField("library") and _is_large(util.byte_size(proto)):
            # Before the chunks of the library's functions, and after the GraphDef's own.
            library = proto.library
            self.add_chunk(library, ["library"], 1)
            proto.ClearField("library")  # `library` lives on


class SplitBasedOnSize(split.ComposableSplitter):
    """A splitter that gets the size of its message in bytes, `proto_size`.

    Its build_chunks() returns the number of bytes that it took out of the message.
    """

    def __init__(self, proto: Message, proto_size: int, **kwargs: Any) -> None:
        self.proto_size = proto_size
        super().__init__(proto, **kwargs)

    def build_chunks(self) -> int:
        return 0


class RepeatedMessageSplitter(split.ComposableSplitter):
    """Cuts a repeated message field into slices; each except the first is a chunk of its own.

    Args:
        proto: the message that has the field.
        repeated_field: the path (util.FieldTypes) to the field.
        message_splitters: subclasses of SplitBasedOnSize that divide each element, one after the other,
            before its size counts.
    """

    def __init__(
        self,
        proto: Message,
        repeated_field: util.FieldTypes,
        message_splitters: Sequence[type[SplitBasedOnSize]],
        **kwargs: Any,
    ) -> None:
        super().__init__(proto, **kwargs)
        self.repeated_field = util.as_path(repeated_field)
        self.message_splitters = message_splitters

    def build_chunks(self) -> int:
        """Returns how many bytes were taken out of the message."""
        elements, descriptor = util.get_field(self._proto, self.repeated_field)
        if descriptor is None or not util.is_repeated(descriptor) or descriptor.message_type is None \
                or util.is_map(descriptor) or isinstance(elements, Message):
            raise ValueError("RepeatedMessageSplitter can only be used on repeated fields of messages. Got proto="
                             f"{self._proto.DESCRIPTOR.full_name}, field='{util.path_text(self.repeated_field)}'")
        taken, cuts, slice_size = 0, [], 0
        slices = []
        for i, element in enumerate(elements):
            size = util.byte_size(element)
            for cls in self.message_splitters:
                taken_here = cls(element, size, parent_splitter=self,
                                 fields_in_parent=self.repeated_field + [i]).build_chunks()
                taken += taken_here
                size -= taken_here
            if slice_size + size >= constants.max_size():
                cuts.append(i)
                slices.append(type(self._proto)())
                self.add_chunk(slices[-1], [])
                taken += slice_size
                slice_size = 0
            slice_size += size
        self._cut(elements, cuts, slices)
        return taken

    def _cut(self, elements: Any, cuts: list[int], slices: list[Any]) -> None:
        """Moves the elements from each cut to the next into its slice."""
        for begin, end, message in zip(cuts, cuts[1:] + [len(elements)], slices):
            util.get_field(message, self.repeated_field)[0].extend(elements[begin:end])
        if cuts:
            del elements[cuts[0]:]


class ConstantNodeDefSplitter(SplitBasedOnSize):
    """Takes the value of a constant out of its node, if the node is larger than max_size().

    The value of a numeric constant becomes a chunk for its tensor_content; other values become a chunk for
    the tensor.
    """

    def build_chunks(self) -> int:
        if not _is_large(self.proto_size):
            return 0
        if self._proto.op != "Const" and self.proto_size <= constants.hard_max_size():
            return 0  # it is only larger than the target
        content = chunk_constant_value(self._proto, self.proto_size)
        size = content.ByteSize() if isinstance(content, Message) else len(content)
        if size >= 1 << 31:
            raise ValueError(f"the constant of node {self._proto.name!r} has {util.format_bytes(size)}, and no graph can "
                             "hold 2GiB or more in one: make it a variable, which is saved beside the graph")
        if isinstance(content, Message):
            self.add_chunk(content, ["attr", "value", "tensor"])
        else:
            self.add_chunk(content, ["attr", "value", "tensor", "tensor_content"])
        return size


def chunk_constant_value(node: Any, size: int) -> Any:
    """Takes the value out of the NodeDef of a constant.

    Args:
        node: the NodeDef, whose tensor then only keeps its dtype, shape and version.
        size: of the node in bytes, for the error.

    Returns:
        The tensor_content as bytes, also for values in a field of their type. Or a TensorProto with the
            values, if their type has no such form (strings).

    Raises:
        ValueError: the node is not a constant, and cannot be split further.
    """
    if node.op != "Const":
        sizes = ", ".join(f"{key}: {util.format_bytes(value.ByteSize())}" for key, value in sorted(node.attr.items()))
        raise ValueError(
            "Unable to split GraphDef because at least one of the nodes individually exceeds the max size of "
            f"{util.format_bytes(constants.max_size())}. Currently only Const nodes can be further split."
            f"\nNode info:\n\tsize: {util.format_bytes(size)}\n\tname: {node.name}\n\top: {node.op}"
            f"\n\tinputs: {list(node.input)}\n\tdevice: {node.device}\n\tattr (and sizes): {sizes}")
    try:
        return _tensors.take_values(node.attr["value"].tensor)
    except ValueError as error:
        raise ValueError(f"the constant of node {node.name!r} cannot be made a chunk: {error}") from None


class LargeMessageSplitter(SplitBasedOnSize):
    """Makes a whole message a chunk, if it is large; an empty message stays in its place.

    Args:
        proto: the message.
        proto_size: its size in bytes.
        size_check: whether a message of a size is large; default, more than a third of max_size().
    """

    def __init__(
        self, proto: Message, proto_size: int, size_check: Callable[[int], bool] = _is_worth_a_chunk, **kwargs: Any
    ) -> None:
        self.size_check = size_check
        super().__init__(proto, proto_size, **kwargs)

    def build_chunks(self) -> int:
        if not self.size_check(self.proto_size):
            return 0
        whole = type(self._proto)()
        whole.CopyFrom(self._proto)
        self._proto.Clear()
        self.add_chunk(whole, [])
        return self.proto_size


class FunctionDefSplitter(SplitBasedOnSize):
    """Splits a FunctionDef: as a whole, if a chunk can hold it; else into large constants, large nodes,
    and slices of its nodes."""

    def build_chunks(self) -> int:
        if _is_large(self.proto_size):
            return RepeatedMessageSplitter(self._proto, "node_def", [ConstantNodeDefSplitter, LargeMessageSplitter],
                                           parent_splitter=self, fields_in_parent=[]).build_chunks()
        return LargeMessageSplitter(self._proto, self.proto_size, parent_splitter=self,
                                    fields_in_parent=[]).build_chunks()
