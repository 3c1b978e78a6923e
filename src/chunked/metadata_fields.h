/* The field numbers of the messages in chunk.proto that metadata_decode.c and
 * metadata_encode.c walk themselves. */
#ifndef CPB_CHUNKED_METADATA_FIELDS_H
#define CPB_CHUNKED_METADATA_FIELDS_H

enum {
  METADATA_VERSION = 1,
  METADATA_CHUNKS = 2,
  METADATA_MESSAGE = 3,
  MESSAGE_CHUNK_INDEX = 1,
  MESSAGE_CHUNKED_FIELDS = 2,
  CHUNKED_FIELD_TAG = 1,
  CHUNKED_FIELD_MESSAGE = 3
};

#endif
