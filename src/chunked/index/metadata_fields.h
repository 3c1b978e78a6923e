/* The field numbers of the messages in chunk.proto that metadata_decode.c,
 * metadata_encode.c and paged_index.c walk themselves. */
#ifndef CPB_CHUNKED_INDEX_METADATA_FIELDS_H
#define CPB_CHUNKED_INDEX_METADATA_FIELDS_H

enum {
  VERSION_JOIN = 2,
  VERSION_BAD_CONSUMERS = 3,
  METADATA_VERSION = 1,
  METADATA_CHUNKS = 2,
  METADATA_MESSAGE = 3,
  CHUNK_INFO_TYPE = 1,
  CHUNK_INFO_SIZE = 2,
  CHUNK_INFO_OFFSET = 3,
  MESSAGE_CHUNK_INDEX = 1,
  MESSAGE_CHUNKED_FIELDS = 2,
  CHUNKED_FIELD_TAG = 1,
  CHUNKED_FIELD_MESSAGE = 3
};

#endif
