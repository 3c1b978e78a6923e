#include "riegeli/records/writer_state.h"

#include "riegeli/encoding.h"

/* The record is encoded like one that is not a protobuf message, which is allowed for any record and takes one node:
 * its bytes are the first buffer, its size the second. An empty message takes the node of a message's start, and no
 * buffer. The message is small, so it does not matter that its fields are not transposed. */
enum { STATE_NON_PROTO = 1, STATE_START_OF_MESSAGE = 3 };

typedef struct metadata_parts {
  cpb_buffer header;  /* the nodes, and the contents of the buckets */
  cpb_buffer buckets; /* record bytes, record size, transitions; compressed */
  cpb_buffer compressed_header;
  size_t bucket_sizes[2]; /* compressed */
} metadata_parts;

static bool put_varints(cpb_buffer *out, const uint64_t *values, size_t count, cpb_codec_error *error) {
  for (size_t i = 0; i < count; i++)
    if (!cpb_put_varint(out, values[i], error)) return false;
  return true;
}

static bool put_bucket(metadata_parts *parts, size_t i, cpb_compressor *c, cpb_span bytes, cpb_codec_error *error) {
  size_t before = parts->buckets.size;
  if (!cpb_compress_all(c, bytes, &parts->buckets, error)) return false;
  parts->bucket_sizes[i] = parts->buckets.size - before;
  return true;
}

static bool put_empty(metadata_parts *parts, cpb_codec_error *error) {
  const uint64_t header[] = {
      0, 0, /* buckets, buffers */
      1, STATE_START_OF_MESSAGE,
      0, /* one state and the base of its transitions */
      0, /* first state */
  };
  return put_varints(&parts->header, header, sizeof header / sizeof *header, error);
}

static bool put_record(metadata_parts *parts, cpb_compressor *c, cpb_span metadata, cpb_codec_error *error) {
  uint8_t size[CPB_VARINT_MAX];
  const cpb_span size_span = {size, (size_t)(cpb_varint_write(size, metadata.size) - size)};
  if (!put_bucket(parts, 0, c, metadata, error) || !put_bucket(parts, 1, c, size_span, error)) return false;
  const uint64_t header[] = {
      2,
      2, /* buckets, buffers */
      parts->bucket_sizes[0],
      parts->bucket_sizes[1],
      metadata.size,
      size_span.size,
      1,
      STATE_NON_PROTO,
      0, /* one state and the base of its transitions */
      0, /* the buffer it reads */
      0, /* first state */
  };
  return put_varints(&parts->header, header, sizeof header / sizeof *header, error);
}

static bool join(metadata_parts *parts, cpb_compressor *c, cpb_buffer *out, cpb_codec_error *error) {
  const uint8_t codec = cpb_compressor_type(c);
  const cpb_span no_transitions = {NULL, 0};
  cpb_buffer *header = &parts->compressed_header, *buckets = &parts->buckets;
  return cpb_compress_all(c, no_transitions, buckets, error) &&
         cpb_compress_all(c, cpb_buffer_span(&parts->header), header, error) &&
         cpb_put(out, (cpb_span){&codec, 1}, error) && cpb_put_varint(out, header->size, error) &&
         cpb_put(out, cpb_buffer_span(header), error) && cpb_put(out, cpb_buffer_span(buckets), error);
}

bool cpb_records_metadata_encode(const cpb_allocator *a, cpb_compressor *c, cpb_span metadata, cpb_buffer *out,
                                 cpb_codec_error *error) {
  metadata_parts parts;
  cpb_buffer_init(&parts.header, a);
  cpb_buffer_init(&parts.buckets, a);
  cpb_buffer_init(&parts.compressed_header, a);
  bool done = (metadata.size > 0 ? put_record(&parts, c, metadata, error) : put_empty(&parts, error)) &&
              join(&parts, c, out, error);
  cpb_buffer_free(&parts.header);
  cpb_buffer_free(&parts.buckets);
  cpb_buffer_free(&parts.compressed_header);
  return done;
}
