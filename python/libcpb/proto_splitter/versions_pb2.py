"""The message that says which programs may read a .cpb file."""

from libcpb.proto_splitter._schema import message_class

VersionDef = message_class("VersionDef")
DESCRIPTOR = VersionDef.DESCRIPTOR.file
