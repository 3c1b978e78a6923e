#include "chunked/index/metadata.h"

#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "chunked/index/metadata_fields.h"
#include "proto/nanopb.h"
#include "tensorflow/tools/proto_splitter/chunk.pb.h"

typedef cpb_metadata_decoder decoder;

static bool damaged(decoder *d, uint64_t offset, const char *name, const char *what) {
  cpb_fail(&d->error, CPB_E_DAMAGED, CPB_NO_OFFSET, "%s at byte %llu of the chunk index: %s", name,
           (unsigned long long)offset, what);
  return false;
}

/* In the small message at hand. */
static bool wrong_in(decoder *d, const char *name, const char *what) {
  return damaged(d, d->scanner.field.value, name, what);
}

static bool no_memory(decoder *d) {
  cpb_fail_memory(&d->error);
  return false;
}

static bool count_within_limit(decoder *d, size_t count, const char *what) {
  if (count < d->max_count) return true;
  cpb_fail(&d->error, CPB_E_LIMIT, CPB_NO_OFFSET, "the chunk index has more than %llu %s",
           (unsigned long long)d->max_count, what);
  return false;
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
static bool add_bad_consumers(decoder *d, cpb_span in, uint64_t offset) {
  const uint8_t *end = in.data + in.size;
  for (const uint8_t *at = in.data; at < end;) {
    uint64_t version;
    at = cpb_varint_read(at, end, &version);
    if (!at) return damaged(d, offset, "VersionDef", "bad_consumers ends within a varint");
    if (!add_bad_consumer(d, (int32_t)version)) return false;
  }
  return true;
}

static bool take_bad_consumers(decoder *d, cpb_span in) {
  const uint64_t begin = d->scanner.field.value;
  const uint8_t *data = in.data;
  cpb_wire_scanner s;
  bool taken = true;
  cpb_wire_begin(&s, &d->m->allocator, d->scanner.depth_limit, begin + in.size, &d->error);
  s.pos = begin; /* so that errors count from the beginning of the index */
  while (taken && cpb_wire_next(&s, &in) == CPB_WIRE_FIELD) {
    bool wanted = s.field.type == CPB_WIRE_LEN || s.field.type == CPB_WIRE_VARINT;
    if (s.field.number != VERSION_BAD_CONSUMERS || !wanted) continue;
    taken = add_bad_consumers(d, (cpb_span){data + (s.field.value - begin), (size_t)s.field.size}, s.field.value);
  }
  cpb_wire_free(&s);
  return d->error.code == CPB_OK;
}

static bool take_version(decoder *d, cpb_span in) {
  cpb_metadata *m = d->m;
  cpb_pb_VersionDef version = {
      .splitter_version = m->splitter_version,
      .join_version = m->join_version,
  };
  const char *wrong = cpb_nanopb_decode(in, cpb_pb_VersionDef_fields, &version);
  if (wrong) return wrong_in(d, "VersionDef", wrong);
  m->splitter_version = version.splitter_version;
  m->join_version = version.join_version;
  size_t i = m->num_bad_consumers; /* those before it were accepted */
  if (!take_bad_consumers(d, in) || !cpb_metadata_accept_join(m->join_version, &d->error)) return false;
  while (i < m->num_bad_consumers && cpb_metadata_accept_consumer(m->bad_consumers[i], &d->error)) i++;
  return i == m->num_bad_consumers;
}

/* --- Chunks --------------------------------------------------------------- */

static bool take_chunk(decoder *d, cpb_span in) {
  cpb_pb_ChunkInfo info = {0};
  if (!count_within_limit(d, d->m->num_chunks, "chunks")) return false;
  const char *wrong = cpb_nanopb_decode(in, cpb_pb_ChunkInfo_fields, &info);
  if (wrong) return wrong_in(d, "ChunkInfo", wrong);
  return cpb_metadata_add_chunk(d->m, (cpb_chunk_entry){info.size, info.offset, (uint32_t)info.type}) || no_memory(d);
}

/* --- Field tags ----------------------------------------------------------- */

/* cpb_tag_kind has the map keys in the order of MapKey. */
#define IN_ORDER(KIND, name) \
  (CPB_TAG_KEY_##KIND - CPB_TAG_KEY_STRING == cpb_pb_FieldIndex_MapKey_##name##_tag - cpb_pb_FieldIndex_MapKey_s_tag)
_Static_assert(IN_ORDER(BOOL, boolean) && IN_ORDER(UINT32, ui32) && IN_ORDER(UINT64, ui64) && IN_ORDER(INT32, i32) &&
                   IN_ORDER(INT64, i64),
               "map keys are in order");

static void key_tag(const cpb_pb_FieldIndex_MapKey *key, cpb_tag *tag) {
  tag->kind = (cpb_tag_kind)(key->which_type - cpb_pb_FieldIndex_MapKey_s_tag + CPB_TAG_KEY_STRING);
  switch (tag->kind) {
    case CPB_TAG_KEY_BOOL: tag->value = key->type.boolean; break;
    case CPB_TAG_KEY_UINT32: tag->value = key->type.ui32; break;
    case CPB_TAG_KEY_INT32: tag->value = (uint64_t)(int64_t)key->type.i32; break;
    default: tag->value = key->type.ui64; break; /* also where it is an int64 */
  }
}

static bool take_tag(decoder *d, cpb_span in) {
  cpb_pb_FieldIndex index = {0};
  const cpb_pb_FieldIndex_MapKey *key = &index.kind.map_key;
  const char *wrong = cpb_nanopb_decode(in, cpb_pb_FieldIndex_fields, &index);
  if (wrong) return wrong_in(d, "FieldIndex", wrong);
  cpb_tag tag = {index.kind.index, 0, CPB_TAG_INDEX};
  switch (index.which_kind) {
    case cpb_pb_FieldIndex_field_tag: tag = (cpb_tag){index.kind.field, 0, CPB_TAG_FIELD}; break;
    case cpb_pb_FieldIndex_index_tag: break;
    case cpb_pb_FieldIndex_map_key_tag:
      if (key->which_type == 0) return wrong_in(d, "MapKey", "no key is set");
      if (key->which_type == cpb_pb_FieldIndex_MapKey_s_tag)
        return cpb_metadata_add_string_key(d->m, d->node, key->type.s) || no_memory(d);
      key_tag(key, &tag);
      break;
    default: return wrong_in(d, "FieldIndex", "neither field, map_key nor index is set");
  }
  return cpb_metadata_add_tag(d->m, d->node, tag) || no_memory(d);
}

/* --- The tree ------------------------------------------------------------- */

/* Which message the scanner is in: ChunkedMessage and ChunkedField alternate
 * with depth, below ChunkMetadata or from the top. */
typedef enum { IN_FIELD, IN_MESSAGE, IN_METADATA } place;

static place place_at(const decoder *d, size_t depth) {
  size_t level = depth + d->bare;
  return level == 0 ? IN_METADATA : (place)(level % 2);
}

static bool add_node(decoder *d) {
  if (!count_within_limit(d, d->m->num_nodes, "fields")) return false;
  uint32_t added = cpb_metadata_add_node(d->m, d->node, CPB_NO_CHUNK);
  if (added == CPB_NO_NODE) return no_memory(d);
  d->m->nodes[added].has_message = false;
  d->node = added;
  return true;
}

static bool set_chunk(decoder *d) {
  const cpb_wire_field *f = &d->scanner.field;
  if (f->number_value == CPB_NO_CHUNK)
    return damaged(d, f->begin, "ChunkedMessage", "chunk_index is 18446744073709551615; expected less");
  d->m->nodes[d->node].chunk = f->number_value;
  return true;
}

static bool enter_message(decoder *d) {
  if (d->failed) return true; /* it is skipped */
  d->m->nodes[d->node].has_message = true;
  return cpb_wire_enter(&d->scanner);
}

static bool take_field_of_metadata(decoder *d, uint32_t number) {
  if (number == METADATA_MESSAGE) return enter_message(d);
  if (number == METADATA_VERSION) d->small = CPB_SMALL_VERSION;
  if (number == METADATA_CHUNKS && d->failed < CPB_METADATA_BAD_CHUNK) d->small = CPB_SMALL_CHUNK;
  return true;
}

static bool take_field(decoder *d) {
  const cpb_wire_field *f = &d->scanner.field;
  bool is_len = f->type == CPB_WIRE_LEN;
  switch (place_at(d, d->scanner.depth)) {
    case IN_METADATA: return !is_len || take_field_of_metadata(d, f->number);
    case IN_MESSAGE:
      if (f->type == CPB_WIRE_VARINT && f->number == MESSAGE_CHUNK_INDEX) return set_chunk(d);
      if (is_len && f->number == MESSAGE_CHUNKED_FIELDS) return add_node(d) && cpb_wire_enter(&d->scanner);
      break;
    case IN_FIELD:
      if (is_len && f->number == CHUNKED_FIELD_TAG) d->small = CPB_SMALL_TAG;
      if (is_len && f->number == CHUNKED_FIELD_MESSAGE) return enter_message(d);
      break;
  }
  return true;
}

/* --- Walking -------------------------------------------------------------- */

/* Decodes the small message once all of it is there; it is d->small until then. */
static bool take_small(decoder *d, cpb_span *in) {
  const cpb_wire_field *f = &d->scanner.field;
  cpb_buffer *text = &d->m->text;
  cpb_span whole = cpb_wire_take(&d->scanner, in);
  if (whole.size < f->size) {
    if (!cpb_buffer_append(text, whole.data, whole.size)) return no_memory(d);
    d->gathered += whole.size;
    if (d->gathered < f->size) return true;
    text->size -= d->gathered;
    whole = (cpb_span){text->data + text->size, d->gathered};
    d->gathered = 0;
  }
  cpb_small_message small = d->small;
  d->small = CPB_SMALL_NONE;
  switch (small) {
    case CPB_SMALL_VERSION: return take_version(d, whole);
    case CPB_SMALL_CHUNK: return take_chunk(d, whole);
    default: return take_tag(d, whole);
  }
}

/* The error takes the place of one that was found before: only what is reported first is still searched for
 * mistakes. */
static void fail(decoder *d, bool is_chunk, cpb_span *in) {
  bool in_tree = d->scanner.depth > d->scanner.skipping_groups;
  d->failed = in_tree ? CPB_METADATA_BAD_TREE : is_chunk ? CPB_METADATA_BAD_CHUNK : CPB_METADATA_BAD;
  if (d->error.code == CPB_E_MEMORY) d->failed = CPB_METADATA_BAD;
  d->code = d->error.code;
  d->error.code = CPB_OK;
  if (in_tree) cpb_wire_pass(&d->scanner, in);
}

/* In a tree that has failed, the rest of a message is not looked at, and of a field only the tags. */
static void leave(decoder *d, cpb_span *in) {
  if (place_at(d, d->scanner.depth + 1) == IN_FIELD) d->node = d->m->nodes[d->node].parent;
  if (d->failed && place_at(d, d->scanner.depth) == IN_MESSAGE) cpb_wire_pass(&d->scanner, in);
}

static void walk(decoder *d, cpb_span in) {
  while (d->failed != CPB_METADATA_BAD) {
    cpb_small_message small = d->small;
    bool good = true;
    if (small) {
      good = take_small(d, &in);
      if (d->small) return;
    } else {
      switch (cpb_wire_next(&d->scanner, &in)) {
        case CPB_WIRE_MORE:
        case CPB_WIRE_END: return;
        case CPB_WIRE_FIELD: good = take_field(d); break;
        case CPB_WIRE_LEAVE: leave(d, &in); break;
        case CPB_WIRE_ERROR: good = false; break;
      }
    }
    if (!good) fail(d, small == CPB_SMALL_CHUNK, &in);
  }
}

void cpb_metadata_decoder_begin(decoder *d, cpb_metadata *m, bool bare, uint64_t size, const cpb_limits *limits) {
  memset(d, 0, sizeof *d);
  d->m = m;
  d->max_count = limits->chunks;
  d->bare = bare;
  d->node = CPB_NO_NODE;
  cpb_wire_begin(&d->scanner, &m->allocator, limits->depth, size, &d->error);
  if (add_node(d)) m->nodes[0].has_message = bare;
  else fail(d, false, NULL);
}

void cpb_metadata_decoder_feed(decoder *d, cpb_span in) {
  size_t passed = (size_t)cpb_min_u64(in.size, d->scanner.pos - d->fed);
  d->fed += in.size;
  if (passed > 0) in = (cpb_span){in.data + passed, in.size - passed};
  walk(d, in);
}

bool cpb_metadata_decoder_end(decoder *d, cpb_error *error) {
  if (!d->failed) return true;
  *error = d->error;
  error->code = d->code;
  return false;
}

void cpb_metadata_decoder_free(decoder *d) { cpb_wire_free(&d->scanner); }

bool cpb_metadata_decode(cpb_metadata *m, bool bare, cpb_span bytes, const cpb_limits *limits, cpb_error *error) {
  decoder d;
  cpb_metadata_decoder_begin(&d, m, bare, bytes.size, limits);
  cpb_metadata_decoder_feed(&d, bytes);
  bool done = cpb_metadata_decoder_end(&d, error);
  cpb_metadata_decoder_free(&d);
  return done;
}
