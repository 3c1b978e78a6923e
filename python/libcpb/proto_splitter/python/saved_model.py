"""The splitter of SavedModel messages."""

from __future__ import annotations

from libcpb.proto_splitter import constants, split, split_graph_def, util


class SavedModelSplitter(split.ComposableSplitter):
    """Splits a SavedModel, which it changes: splits its graphs one after the other, as GraphDefSplitter does,
    until the message is small."""

    def build_chunks(self) -> None:
        proto = self._proto
        if proto.DESCRIPTOR.full_name != "tensorflow.SavedModel":
            raise TypeError(f"SavedModelSplitter can only split SavedModel protos. Got {proto.DESCRIPTOR.full_name}.")
        for i, meta_graph in enumerate(proto.meta_graphs):
            path: list[str | int | bool] = ["meta_graphs", i, "graph_def"]
            if util.byte_size(proto) < constants.max_size():
                break
            split_graph_def.GraphDefSplitter(meta_graph.graph_def, parent_splitter=self,
                                             fields_in_parent=path).build_chunks()
            if util.byte_size(proto) >= constants.max_size():
                # Before the chunks of the graph's parts, and after the SavedModel's own.
                graph_def = meta_graph.graph_def
                self.add_chunk(graph_def, path, 1)
                meta_graph.ClearField("graph_def")  # `graph_def` lives on
