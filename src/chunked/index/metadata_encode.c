#include <pb_encode.h>

#include "base/checked.h"
#include "base/status.h"
#include "chunked/index/metadata.h"
#include "chunked/index/metadata_fields.h"
#include "proto/nanopb.h"
#include "proto/wire.h"
#include "tensorflow/tools/proto_splitter/chunk.pb.h"

typedef struct {
  const cpb_metadata *m;
  cpb_buffer *out;
  uint64_t *sizes; /* of each node's ChunkedMessage */
} encoder;

static bool put_head(encoder *e, uint32_t number, uint64_t size) {
  uint8_t head[CPB_WIRE_HEADER_MAX];
  const uint8_t *end = cpb_wire_put_len(head, number, size);
  return cpb_buffer_append(e->out, head, (size_t)(end - head));
}

/* --- Version and chunks --------------------------------------------------- */

static bool put_bad_consumers(pb_ostream_t *out, const pb_field_t *field, void *const *arg) {
  const cpb_metadata *m = *arg;
  if (m->num_bad_consumers == 0) return true;
  pb_ostream_t sizing = PB_OSTREAM_SIZING;
  for (size_t i = 0; i < m->num_bad_consumers; i++) pb_encode_varint(&sizing, (uint64_t)m->bad_consumers[i]);
  if (!pb_encode_tag(out, PB_WT_STRING, field->tag) || !pb_encode_varint(out, sizing.bytes_written)) return false;
  for (size_t i = 0; i < m->num_bad_consumers; i++) {
    if (!pb_encode_varint(out, (uint64_t)m->bad_consumers[i])) return false;
  }
  return true;
}

static bool put_version(encoder *e) {
  const cpb_metadata *m = e->m;
  if (m->splitter_version == 0 && m->join_version == 0 && m->num_bad_consumers == 0) return true;
  cpb_pb_VersionDef version = {
      .splitter_version = m->splitter_version,
      .join_version = m->join_version,
      .bad_consumers = {.funcs.encode = put_bad_consumers, .arg = (void *)m},
  };
  return cpb_nanopb_append(e->out, METADATA_VERSION, cpb_pb_VersionDef_fields, &version);
}

static bool put_chunks(encoder *e) {
  for (size_t i = 0; i < e->m->num_chunks; i++) {
    const cpb_chunk_entry *chunk = &e->m->chunks[i];
    cpb_pb_ChunkInfo info = {(int32_t)chunk->type, chunk->size, chunk->offset};
    if (!cpb_nanopb_append(e->out, METADATA_CHUNKS, cpb_pb_ChunkInfo_fields, &info)) return false;
  }
  return true;
}

/* --- Field tags ----------------------------------------------------------- */

static cpb_span string_key(const cpb_metadata *m, const cpb_tag *tag) {
  /* nanopb.h takes !data for an absent field */
  const uint8_t *data = tag->length > 0 ? m->text.data + tag->value : (const uint8_t *)"";
  return (cpb_span){data, tag->length};
}

/* As in metadata_decode.c, which also checks that both are in the same order. */
static cpb_pb_FieldIndex_MapKey map_key(const cpb_metadata *m, const cpb_tag *tag) {
  cpb_pb_FieldIndex_MapKey key = {.which_type =
                                      (pb_size_t)(tag->kind - CPB_TAG_KEY_STRING + cpb_pb_FieldIndex_MapKey_s_tag)};
  switch (tag->kind) {
    case CPB_TAG_KEY_STRING: key.type.s = string_key(m, tag); break;
    case CPB_TAG_KEY_BOOL: key.type.boolean = tag->value != 0; break;
    case CPB_TAG_KEY_UINT32: key.type.ui32 = (uint32_t)tag->value; break;
    case CPB_TAG_KEY_INT32: key.type.i32 = (int32_t)tag->value; break;
    default: key.type.ui64 = tag->value; break; /* also where it is an int64 */
  }
  return key;
}

static cpb_pb_FieldIndex field_index(const cpb_metadata *m, const cpb_tag *tag) {
  cpb_pb_FieldIndex index = {0};
  switch (tag->kind) {
    case CPB_TAG_FIELD:
      index.which_kind = cpb_pb_FieldIndex_field_tag;
      index.kind.field = (uint32_t)tag->value;
      break;
    case CPB_TAG_INDEX:
      index.which_kind = cpb_pb_FieldIndex_index_tag;
      index.kind.index = tag->value;
      break;
    default: index.which_kind = cpb_pb_FieldIndex_map_key_tag; index.kind.map_key = map_key(m, tag);
  }
  return index;
}

/* --- The tree ------------------------------------------------------------- */

static bool has_message(const cpb_chunked_node *node) {
  return node->has_message || node->chunk != CPB_NO_CHUNK || node->first_child != CPB_NO_NODE;
}

static uint64_t field_size(const encoder *e, uint32_t i) {
  const cpb_chunked_node *node = &e->m->nodes[i];
  uint64_t size = 0;
  for (uint32_t t = 0; t < node->num_tags; t++) {
    cpb_pb_FieldIndex index = field_index(e->m, &e->m->tags[node->first_tag + t]);
    size += cpb_nanopb_field_size(CHUNKED_FIELD_TAG, cpb_pb_FieldIndex_fields, &index);
  }
  if (has_message(node)) size += cpb_wire_len_size(CHUNKED_FIELD_MESSAGE, e->sizes[i]) + e->sizes[i];
  return size;
}

/* Children come after their parents in the array: from the back, each size is
 * whole when it is added to the parent's. */
static bool measure(encoder *e) {
  const cpb_metadata *m = e->m;
  size_t bytes;
  if (!cpb_mul_size(m->num_nodes, sizeof *e->sizes, &bytes)) return false;
  e->sizes = cpb_alloc_zeroed(&m->allocator, bytes);
  if (!e->sizes) return false;
  for (uint32_t i = (uint32_t)m->num_nodes; i-- > 0;) {
    const cpb_chunked_node *node = &m->nodes[i];
    if (node->chunk != CPB_NO_CHUNK) e->sizes[i] += 1 + cpb_varint_size(node->chunk);
    if (i == 0) break;
    uint64_t size = field_size(e, i);
    e->sizes[node->parent] += cpb_wire_len_size(MESSAGE_CHUNKED_FIELDS, size) + size;
  }
  return true;
}

static bool put_message(encoder *e, uint32_t number, uint32_t i) {
  const cpb_chunked_node *node = &e->m->nodes[i];
  if (!has_message(node)) return true;
  if (!put_head(e, number, e->sizes[i])) return false;
  if (node->chunk == CPB_NO_CHUNK) return true;
  uint8_t bytes[CPB_WIRE_HEADER_MAX];
  uint8_t *at = cpb_wire_put_tag(bytes, MESSAGE_CHUNK_INDEX, CPB_WIRE_VARINT);
  at = cpb_varint_write(at, node->chunk);
  return cpb_buffer_append(e->out, bytes, (size_t)(at - bytes));
}

static bool put_field(encoder *e, uint32_t i) {
  const cpb_chunked_node *node = &e->m->nodes[i];
  if (!put_head(e, MESSAGE_CHUNKED_FIELDS, field_size(e, i))) return false;
  for (uint32_t t = 0; t < node->num_tags; t++) {
    cpb_pb_FieldIndex index = field_index(e->m, &e->m->tags[node->first_tag + t]);
    if (!cpb_nanopb_append(e->out, CHUNKED_FIELD_TAG, cpb_pb_FieldIndex_fields, &index)) return false;
  }
  return put_message(e, CHUNKED_FIELD_MESSAGE, i);
}

/* The node that follows in the file: the first child, else the next of the
 * nearest ancestor that has one. */
static uint32_t following(const cpb_metadata *m, uint32_t i) {
  if (m->nodes[i].first_child != CPB_NO_NODE) return m->nodes[i].first_child;
  while (i != CPB_NO_NODE && m->nodes[i].next == CPB_NO_NODE) i = m->nodes[i].parent;
  return i == CPB_NO_NODE ? CPB_NO_NODE : m->nodes[i].next;
}

static bool put_tree(encoder *e) {
  if (e->m->num_nodes == 0) return true;
  if (!measure(e) || !put_message(e, METADATA_MESSAGE, 0)) return false;
  for (uint32_t i = following(e->m, 0); i != CPB_NO_NODE; i = following(e->m, i)) {
    if (!put_field(e, i)) return false;
  }
  return true;
}

bool cpb_metadata_encode(const cpb_metadata *m, cpb_buffer *out, cpb_error *error) {
  encoder e = {m, out, NULL};
  bool done = put_version(&e) && put_chunks(&e) && put_tree(&e);
  cpb_release(&m->allocator, e.sizes);
  if (!done) cpb_fail_memory(error);
  return done;
}
