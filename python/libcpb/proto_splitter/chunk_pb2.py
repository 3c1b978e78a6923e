"""The messages of a .cpb file's index; docs/chunked-format.md explains them."""

from libcpb.proto_splitter._schema import message_class

ChunkMetadata = message_class("ChunkMetadata")
ChunkInfo = message_class("ChunkInfo")
ChunkedMessage = message_class("ChunkedMessage")
ChunkedField = message_class("ChunkedField")
FieldIndex = message_class("FieldIndex")
DESCRIPTOR = ChunkMetadata.DESCRIPTOR.file
