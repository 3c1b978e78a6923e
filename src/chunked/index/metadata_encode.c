#include <pb_encode.h>

#include "base/checked.h"
#include "base/status.h"
#include "chunked/index/metadata.h"
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
  for (size_t i = 0; i < m->num_bad_consumers; i++)
    if (!pb_encode_varint(out, (uint64_t)m->bad_consumers[i])) return false;
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
    const cpb_chunk_entry chunk = cpb_metadata_chunk(e->m, i);
    const cpb_chunk_reference reference = cpb_metadata_reference(e->m, i);
    cpb_pb_ChunkInfo info = {.type = (int32_t)chunk.type, .size = chunk.size, .offset = chunk.offset};
    if (reference.file > 0) {
      info.offset = CPB_ELSEWHERE;
      info.file = reference.file;
      info.position = chunk.offset;
      info.data_hash = reference.data_hash;
    }
    if (!cpb_nanopb_append(e->out, METADATA_CHUNKS, cpb_pb_ChunkInfo_fields, &info)) return false;
  }
  return true;
}

static bool put_files(encoder *e) {
  for (uint32_t i = 1; i <= e->m->num_files; i++) {
    const cpb_other_file other = cpb_metadata_file(e->m, i);
    cpb_pb_ChunkFile file = {{(const uint8_t *)other.name, other.length}, other.size};
    if (!cpb_nanopb_append(e->out, METADATA_FILES, cpb_pb_ChunkFile_fields, &file)) return false;
  }
  return true;
}

/* --- The tree ------------------------------------------------------------- */

static bool has_message(const cpb_chunked_node *node) {
  return node->has_message || node->chunk != CPB_NO_CHUNK || node->first_child != CPB_NO_NODE;
}

static uint64_t field_size(const encoder *e, uint32_t i) {
  const cpb_chunked_node node = cpb_metadata_node(e->m, i);
  uint64_t size = 0;
  for (uint32_t t = 0; t < node.num_tags; t++) {
    const cpb_tag tag = cpb_metadata_tag(e->m, node.first_tag + t);
    size += cpb_tag_size(CHUNKED_FIELD_TAG, &tag, e->m->text.data);
  }
  if (has_message(&node)) size += cpb_wire_len_size(CHUNKED_FIELD_MESSAGE, e->sizes[i]) + e->sizes[i];
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
    const cpb_chunked_node node = cpb_metadata_node(m, i);
    if (node.chunk != CPB_NO_CHUNK) e->sizes[i] += 1 + cpb_varint_size(node.chunk);
    if (i == 0) break;
    uint64_t size = field_size(e, i);
    e->sizes[node.parent] += cpb_wire_len_size(MESSAGE_CHUNKED_FIELDS, size) + size;
  }
  return true;
}

static bool put_message(encoder *e, uint32_t number, uint32_t i) {
  const cpb_chunked_node node = cpb_metadata_node(e->m, i);
  if (!has_message(&node)) return true;
  if (!put_head(e, number, e->sizes[i])) return false;
  if (node.chunk == CPB_NO_CHUNK) return true;
  uint8_t bytes[CPB_WIRE_HEADER_MAX];
  uint8_t *at = cpb_wire_put_tag(bytes, MESSAGE_CHUNK_INDEX, CPB_WIRE_VARINT);
  at = cpb_varint_write(at, node.chunk);
  return cpb_buffer_append(e->out, bytes, (size_t)(at - bytes));
}

static bool put_field(encoder *e, uint32_t i) {
  const cpb_chunked_node node = cpb_metadata_node(e->m, i);
  if (!put_head(e, MESSAGE_CHUNKED_FIELDS, field_size(e, i))) return false;
  for (uint32_t t = 0; t < node.num_tags; t++) {
    const cpb_tag tag = cpb_metadata_tag(e->m, node.first_tag + t);
    if (!cpb_tag_append(e->out, CHUNKED_FIELD_TAG, &tag, e->m->text.data)) return false;
  }
  return put_message(e, CHUNKED_FIELD_MESSAGE, i);
}

static bool put_tree(encoder *e) {
  if (e->m->num_nodes == 0) return true;
  if (!measure(e) || !put_message(e, METADATA_MESSAGE, 0)) return false;
  for (uint32_t i = cpb_metadata_following(e->m, 0); i != CPB_NO_NODE; i = cpb_metadata_following(e->m, i))
    if (!put_field(e, i)) return false;
  return true;
}

static bool put_pages(encoder *e) {
  for (size_t i = 0; i < e->m->pages.count; i++)
    if (!cpb_page_list_put(&e->m->pages, i, e->out)) return false;
  return true;
}

bool cpb_metadata_encode(const cpb_metadata *m, cpb_buffer *out, cpb_error *error) {
  encoder e = {m, out, NULL};
  bool done = put_version(&e) && put_chunks(&e) && put_tree(&e) && put_files(&e) && put_pages(&e);
  cpb_release(&m->allocator, e.sizes);
  if (!done) cpb_fail_memory(error);
  return done;
}
