#include "base/limits.h"
#include "base/status.h"
#include "chunked/index/metadata.h"
#include "chunked/index/metadata_fields.h"
#include "proto/nanopb.h"
#include "proto/wire.h"
#include "tensorflow/tools/proto_splitter/chunk.pb.h"

typedef struct {
  cpb_metadata *m;
  cpb_span bytes;
  cpb_limits limits;
  cpb_error *error;
} decoder;

static bool damaged(decoder *d, const uint8_t *at, const char *name, const char *what) {
  cpb_fail(d->error, CPB_E_DAMAGED, CPB_NO_OFFSET, "%s at byte %zu of the chunk index: %s", name,
           (size_t)(at - d->bytes.data), what);
  return false;
}

static bool no_memory(decoder *d) {
  cpb_fail_memory(d->error);
  return false;
}

static bool count_within_limit(decoder *d, size_t count, const char *what) {
  if (count < d->limits.chunks) return true;
  cpb_fail(d->error, CPB_E_LIMIT, CPB_NO_OFFSET, "the chunk index has more than %llu %s",
           (unsigned long long)d->limits.chunks, what);
  return false;
}

/* Takes the fields `number` of the message `in`, a part of d->bytes: those that
 * are LEN, or of the type `also`. */
static bool for_each(decoder *d, cpb_span in, uint32_t number, cpb_wire_type also, bool (*take)(decoder *, cpb_span)) {
  cpb_wire_scanner s;
  size_t begin = (size_t)(in.data - d->bytes.data);
  cpb_wire_begin(&s, &d->m->allocator, d->limits.depth, begin + in.size, d->error);
  s.pos = begin; /* so that errors count from the beginning of the index */
  bool taken = true;
  while (taken && cpb_wire_next(&s, &in) == CPB_WIRE_FIELD) {
    bool wanted = s.field.type == CPB_WIRE_LEN || s.field.type == also;
    if (s.field.number != number || !wanted) continue;
    taken = take(d, (cpb_span){d->bytes.data + s.field.value, (size_t)s.field.size});
  }
  cpb_wire_free(&s);
  return d->error->code == CPB_OK;
}

/* --- Version -------------------------------------------------------------- */

static bool add_bad_consumer(decoder *d, int32_t version) {
  cpb_metadata *m = d->m;
  void *list = m->bad_consumers;
  if (!cpb_reserve(&m->allocator, &list, &m->bad_consumers_capacity, m->num_bad_consumers + 1,
                   sizeof *m->bad_consumers)) {
    return no_memory(d);
  }
  m->bad_consumers = list;
  m->bad_consumers[m->num_bad_consumers++] = version;
  return true;
}

/* Packed, or a single number. */
static bool take_bad_consumers(decoder *d, cpb_span in) {
  const uint8_t *end = in.data + in.size;
  for (const uint8_t *at = in.data; at < end;) {
    uint64_t version;
    at = cpb_varint_read(at, end, &version);
    if (!at) return damaged(d, in.data, "VersionDef", "bad_consumers ends within a varint");
    if (!add_bad_consumer(d, (int32_t)version)) return false;
  }
  return true;
}

/* Checked before anything else is parsed, since a later version may have another layout. */
static bool check_version(decoder *d) {
  const cpb_metadata *m = d->m;
  if (!cpb_metadata_accept_join(m->join_version, d->error)) return false;
  for (size_t i = 0; i < m->num_bad_consumers; i++)
    if (!cpb_metadata_accept_consumer(m->bad_consumers[i], d->error)) return false;
  return true;
}

static bool take_version(decoder *d, cpb_span in) {
  cpb_metadata *m = d->m;
  cpb_pb_VersionDef version = {
      .splitter_version = m->splitter_version,
      .join_version = m->join_version,
  };
  const char *wrong = cpb_nanopb_decode(in, cpb_pb_VersionDef_fields, &version);
  if (wrong) return damaged(d, in.data, "VersionDef", wrong);
  m->splitter_version = version.splitter_version;
  m->join_version = version.join_version;
  return for_each(d, in, VERSION_BAD_CONSUMERS, CPB_WIRE_VARINT, take_bad_consumers) && check_version(d);
}

/* --- Chunks --------------------------------------------------------------- */

static bool take_chunk(decoder *d, cpb_span in) {
  cpb_pb_ChunkInfo info = {0};
  if (!count_within_limit(d, d->m->num_chunks, "chunks")) return false;
  const char *wrong = cpb_nanopb_decode(in, cpb_pb_ChunkInfo_fields, &info);
  if (wrong) return damaged(d, in.data, "ChunkInfo", wrong);
  return cpb_metadata_add_chunk(d->m, (cpb_chunk_entry){info.size, info.offset, (uint32_t)info.type}) || no_memory(d);
}

/* --- Field tags ----------------------------------------------------------- */

static bool key_tag(const cpb_pb_FieldIndex_MapKey *key, cpb_tag *tag) {
  switch (key->which_type) {
    case cpb_pb_FieldIndex_MapKey_boolean_tag: *tag = (cpb_tag){key->type.boolean, 0, CPB_TAG_KEY_BOOL}; return true;
    case cpb_pb_FieldIndex_MapKey_ui32_tag: *tag = (cpb_tag){key->type.ui32, 0, CPB_TAG_KEY_UINT32}; return true;
    case cpb_pb_FieldIndex_MapKey_ui64_tag: *tag = (cpb_tag){key->type.ui64, 0, CPB_TAG_KEY_UINT64}; return true;
    case cpb_pb_FieldIndex_MapKey_i32_tag:
      *tag = (cpb_tag){(uint64_t)(int64_t)key->type.i32, 0, CPB_TAG_KEY_INT32};
      return true;
    case cpb_pb_FieldIndex_MapKey_i64_tag: *tag = (cpb_tag){(uint64_t)key->type.i64, 0, CPB_TAG_KEY_INT64}; return true;
    default: return false;
  }
}

static bool take_tag(decoder *d, cpb_span in) {
  cpb_pb_FieldIndex index = {0};
  const char *wrong = cpb_nanopb_decode(in, cpb_pb_FieldIndex_fields, &index);
  if (wrong) return damaged(d, in.data, "FieldIndex", wrong);
  cpb_tag tag = {0};
  switch (index.which_kind) {
    case cpb_pb_FieldIndex_field_tag: tag = (cpb_tag){index.kind.field, 0, CPB_TAG_FIELD}; break;
    case cpb_pb_FieldIndex_index_tag: tag = (cpb_tag){index.kind.index, 0, CPB_TAG_INDEX}; break;
    case cpb_pb_FieldIndex_map_key_tag:
      if (index.kind.map_key.which_type == cpb_pb_FieldIndex_MapKey_s_tag) {
        return cpb_metadata_add_string_key(d->m, index.kind.map_key.type.s) || no_memory(d);
      }
      if (!key_tag(&index.kind.map_key, &tag)) return damaged(d, in.data, "MapKey", "no key is set");
      break;
    default: return damaged(d, in.data, "FieldIndex", "neither field, map_key nor index is set");
  }
  return cpb_metadata_add_tag(d->m, tag) || no_memory(d);
}

/* --- The tree ------------------------------------------------------------- */

/* Which message the scanner is in: ChunkedMessage and ChunkedField alternate
 * with depth, below ChunkMetadata or from the top. */
typedef enum { IN_METADATA, IN_MESSAGE, IN_FIELD } place;

static place place_at(size_t depth, bool bare) {
  if (depth == 0 && !bare) return IN_METADATA;
  return (depth % 2 == 0) == bare ? IN_MESSAGE : IN_FIELD;
}

static bool add_node(decoder *d, uint32_t *node) {
  if (!count_within_limit(d, d->m->num_nodes, "fields")) return false;
  uint32_t added = cpb_metadata_add_node(d->m, *node, CPB_NO_CHUNK);
  if (added == CPB_NO_NODE) return no_memory(d);
  d->m->nodes[added].has_message = false;
  *node = added;
  return true;
}

static bool set_chunk(decoder *d, const cpb_wire_field *f, uint32_t node) {
  if (f->number_value == CPB_NO_CHUNK) {
    return damaged(d, d->bytes.data + f->begin, "ChunkedMessage", "chunk_index is 18446744073709551615; expected less");
  }
  d->m->nodes[node].chunk = f->number_value;
  return true;
}

static bool enter_message(decoder *d, cpb_wire_scanner *s, uint32_t node) {
  d->m->nodes[node].has_message = true;
  return cpb_wire_enter(s);
}

/* Tags come before the message in the arrays, wherever they stand in the field. */
static bool enter_field(decoder *d, cpb_wire_scanner *s, uint32_t *node) {
  cpb_span field = {d->bytes.data + s->field.value, (size_t)s->field.size};
  return add_node(d, node) && for_each(d, field, CHUNKED_FIELD_TAG, CPB_WIRE_LEN, take_tag) && cpb_wire_enter(s);
}

static bool take_tree_field(decoder *d, cpb_wire_scanner *s, bool bare, uint32_t *node) {
  const cpb_wire_field *f = &s->field;
  bool len = f->type == CPB_WIRE_LEN;
  switch (place_at(s->depth, bare)) {
    case IN_METADATA:
      if (len && f->number == METADATA_MESSAGE) return enter_message(d, s, *node);
      break;
    case IN_MESSAGE:
      if (f->type == CPB_WIRE_VARINT && f->number == MESSAGE_CHUNK_INDEX) return set_chunk(d, f, *node);
      if (len && f->number == MESSAGE_CHUNKED_FIELDS) return enter_field(d, s, node);
      break;
    case IN_FIELD:
      if (len && f->number == CHUNKED_FIELD_MESSAGE) return enter_message(d, s, *node);
      break;
  }
  return true;
}

static void walk_tree(decoder *d, cpb_wire_scanner *s, bool bare) {
  uint32_t node = CPB_NO_NODE;
  if (!add_node(d, &node)) return;
  d->m->nodes[node].has_message = bare;
  cpb_span in = d->bytes;
  for (;;) {
    switch (cpb_wire_next(s, &in)) {
      case CPB_WIRE_FIELD:
        if (!take_tree_field(d, s, bare, &node)) return;
        break;
      case CPB_WIRE_LEAVE:
        if (place_at(s->depth + 1, bare) == IN_FIELD) node = d->m->nodes[node].parent;
        break;
      default: return;
    }
  }
}

static bool take_tree(decoder *d, bool bare) {
  cpb_wire_scanner s;
  cpb_wire_begin(&s, &d->m->allocator, d->limits.depth, d->bytes.size, d->error);
  walk_tree(d, &s, bare);
  cpb_wire_free(&s);
  return d->error->code == CPB_OK;
}

bool cpb_metadata_decode(cpb_metadata *m, cpb_span bytes, const cpb_limits *limits, cpb_error *error) {
  decoder d = {m, bytes, cpb_limits_or_default(limits), error};
  return for_each(&d, bytes, METADATA_VERSION, CPB_WIRE_LEN, take_version) &&
         for_each(&d, bytes, METADATA_CHUNKS, CPB_WIRE_LEN, take_chunk) && take_tree(&d, false);
}

bool cpb_metadata_decode_message(cpb_metadata *m, cpb_span bytes, const cpb_limits *limits, cpb_error *error) {
  decoder d = {m, bytes, cpb_limits_or_default(limits), error};
  return take_tree(&d, true);
}
