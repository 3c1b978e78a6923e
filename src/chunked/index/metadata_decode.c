#include "chunked/index/metadata.h"

#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "base/utf8.h"
#include "proto/nanopb.h"
#include "tensorflow/tools/proto_splitter/chunk.pb.h"

typedef cpb_metadata_decoder decoder;

static bool damaged(decoder *d, uint64_t offset, const char *name, const char *what) {
  return CPB_FAILS(&d->error, CPB_E_DAMAGED, CPB_NO_OFFSET, "%s at byte %llu of the chunk index: %s", name,
                   (unsigned long long)offset, what);
}

/* In the small message at hand. */
static bool wrong_in(decoder *d, const char *name, const char *what) {
  return damaged(d, d->scanner.field.value, name, what);
}

static bool no_memory(decoder *d) { return cpb_fail_memory(&d->error), false; }

static bool count_within_limit(decoder *d, size_t count, const char *what) {
  if (count < d->max_count) return true;
  return CPB_FAILS(&d->error, CPB_E_LIMIT, CPB_NO_OFFSET, "the chunk index has more than %llu %s",
                   (unsigned long long)d->max_count, what);
}

/* --- Version -------------------------------------------------------------- */

static bool add_bad_consumer(decoder *d, int32_t version) {
  cpb_metadata *m = d->m;
  if (!CPB_RESERVE(&m->allocator, &m->bad_consumers, &m->bad_consumers_capacity, m->num_bad_consumers + 1))
    return no_memory(d);
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

/* Reads a varint field with one of the first 15 numbers, in the writers' usual form; false for anything else. */
static bool read_short_field(const uint8_t **at, const uint8_t *end, uint8_t *number, uint64_t *value) {
  if (*at == end || (**at & 0x87) != CPB_WIRE_VARINT) return false;
  *number = (uint8_t)(**at >> 3);
  *at = cpb_varint_read(*at + 1, end, value);
  return *at != NULL;
}

/* Reads a ChunkInfo that has only known fields, each at most once and of a known size, with the same result as
 * nanopb. */
static bool read_plain_chunk(cpb_span in, cpb_chunk_entry *chunk) {
  const uint8_t *end = in.data + in.size;
  uint64_t values[CHUNK_INFO_OFFSET + 1] = {0};
  uint8_t number, last = 0;
  for (const uint8_t *at = in.data; at != end; last = number) {
    uint64_t value;
    if (!read_short_field(&at, end, &number, &value) || number <= last || number > CHUNK_INFO_OFFSET) return false;
    values[number] = value;
  }
  *chunk = (cpb_chunk_entry){values[CHUNK_INFO_SIZE], values[CHUNK_INFO_OFFSET], (uint32_t)values[CHUNK_INFO_TYPE]};
  return values[CHUNK_INFO_TYPE] <= INT32_MAX;
}

static bool add_chunk(decoder *d, const cpb_pb_ChunkInfo *info) {
  size_t i = d->m->num_chunks;
  uint64_t at = info->file > 0 ? info->position : info->offset;
  bool added = cpb_metadata_add_chunk(d->m, (cpb_chunk_entry){info->size, at, (uint32_t)info->type});
  if (added && info->file > 0)
    added = cpb_metadata_set_reference(d->m, i, (cpb_chunk_reference){info->file, info->data_hash});
  return added || no_memory(d);
}

static bool take_chunk(decoder *d, cpb_span in) {
  cpb_chunk_entry plain;
  cpb_pb_ChunkInfo info = {0};
  if (!count_within_limit(d, d->m->num_chunks, "chunks")) return false;
  if (read_plain_chunk(in, &plain)) return cpb_metadata_add_chunk(d->m, plain) || no_memory(d);
  const char *wrong = cpb_nanopb_decode(in, cpb_pb_ChunkInfo_fields, &info);
  if (wrong) return wrong_in(d, "ChunkInfo", wrong);
  return add_chunk(d, &info);
}

/* --- Files ---------------------------------------------------------------- */

bool cpb_metadata_is_file_name(cpb_span in) {
  size_t length;
  if (in.size == 0 || in.size > CPB_FILE_NAME_MAX || !cpb_utf8_valid(in)) return false;
  for (size_t i = 0; i < in.size; i += length) {
    length = cpb_utf8_length((cpb_span){in.data + i, in.size - i});
    if (cpb_is_control(cpb_utf8_code(in.data + i, length))) return false;
  }
  return true;
}

/* Ordered names are unique, so limits count each only once. */
static bool comes_after(const cpb_metadata *m, cpb_span name) {
  if (m->num_files == 0) return true;
  const cpb_other_file last = cpb_metadata_file(m, (uint32_t)m->num_files);
  int order = memcmp(last.name, name.data, cpb_min_size(last.length, name.size));
  return order < 0 || (order == 0 && last.length < name.size);
}

static bool take_file(decoder *d, cpb_span in) {
  cpb_pb_ChunkFile file = {0};
  if (!count_within_limit(d, d->m->num_files, "files")) return false;
  const char *wrong = cpb_nanopb_decode(in, cpb_pb_ChunkFile_fields, &file);
  if (!wrong && !cpb_metadata_is_file_name(file.name))
    wrong = "name is no file's; expected 1 to 4096 bytes of UTF-8 without control characters";
  if (!wrong && !comes_after(d->m, file.name)) wrong = "name is not after the one before; expected them in order";
  if (wrong) return wrong_in(d, "ChunkFile", wrong);
  return cpb_metadata_add_file(d->m, file.name, file.size) || no_memory(d);
}

/* --- Field tags ----------------------------------------------------------- */

/* A FieldIndex that is nothing but a field number or an index. */
static bool read_plain_tag(cpb_span in, cpb_tag *tag) {
  const uint8_t *at = in.data, *end = in.data + in.size;
  uint8_t number;
  uint64_t value;
  if (!read_short_field(&at, end, &number, &value) || at != end) return false;
  *tag = (cpb_tag){value, 0, number == FIELD_INDEX_FIELD ? CPB_TAG_FIELD : CPB_TAG_INDEX};
  return number == FIELD_INDEX_INDEX || (number == FIELD_INDEX_FIELD && value <= INT32_MAX);
}

static bool take_tag(decoder *d, cpb_span in) {
  cpb_tag tag;
  cpb_span key;
  const char *message;
  if (read_plain_tag(in, &tag)) return cpb_metadata_add_tag(d->m, d->node, tag) || no_memory(d);
  const char *wrong = cpb_tag_read(in, &tag, &key, &message);
  if (wrong) return wrong_in(d, message, wrong);
  bool added = tag.kind == CPB_TAG_KEY_STRING ? cpb_metadata_add_string_key(d->m, d->node, key)
                                              : cpb_metadata_add_tag(d->m, d->node, tag);
  return added || no_memory(d);
}

/* --- Pages ------------------------------------------------------------------ */

static bool take_page(decoder *d, cpb_span in) {
  bool memory;
  if (!count_within_limit(d, d->m->pages.count, "pages")) return false;
  const char *wrong = cpb_page_list_read(&d->m->pages, in, &memory);
  if (memory) return no_memory(d);
  return !wrong || wrong_in(d, "IndexPage", wrong);
}

/* --- Plain fields --------------------------------------------------------- */

enum { PLAIN_TAGS = 8 };

/* A ChunkedField as our writer and TensorFlow's put one that has no fields of its own: plain tags, then a message
 * that is nothing but a chunk_index. */
typedef struct {
  cpb_tag tags[PLAIN_TAGS];
  uint32_t num_tags;
  uint64_t chunk;
} plain_field;

/* Reads a message in one of the first 15 fields, of less than 128 bytes. */
static bool read_short_message(const uint8_t **at, const uint8_t *end, uint8_t number, cpb_span *in) {
  const uint8_t *p = *at;
  if (end - p < 2 || p[0] != (number << 3 | CPB_WIRE_LEN) || p[1] > 0x7f || end - p - 2 < p[1]) return false;
  *in = (cpb_span){p + 2, p[1]};
  *at = p + 2 + p[1];
  return true;
}

static bool read_plain_field(cpb_span in, plain_field *field) {
  const uint8_t *at = in.data, *end = in.data + in.size;
  cpb_span part;
  uint8_t number;
  field->num_tags = 0;
  while (field->num_tags < PLAIN_TAGS && read_short_message(&at, end, CHUNKED_FIELD_TAG, &part))
    if (!read_plain_tag(part, &field->tags[field->num_tags++])) return false;
  if (!read_short_message(&at, end, CHUNKED_FIELD_MESSAGE, &part) || at != end) return false;
  at = part.data;
  end = part.data + part.size;
  return read_short_field(&at, end, &number, &field->chunk) && at == end && number == MESSAGE_CHUNK_INDEX &&
         field->chunk != CPB_NO_CHUNK;
}

static bool add_plain_field(decoder *d, const plain_field *field) {
  if (!count_within_limit(d, d->m->num_nodes, "fields")) return false;
  uint32_t node = cpb_metadata_add_node(d->m, d->node, field->chunk);
  bool added = node != CPB_NO_NODE;
  for (uint32_t i = 0; added && i < field->num_tags; i++) added = cpb_metadata_add_tag(d->m, node, field->tags[i]);
  return added || no_memory(d);
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
  if (added == CPB_NO_NODE || !cpb_metadata_set_message(d->m, added, false)) return no_memory(d);
  d->node = added;
  return true;
}

static bool set_chunk(decoder *d) {
  const cpb_wire_field *f = &d->scanner.field;
  if (f->number_value == CPB_NO_CHUNK)
    return damaged(d, f->begin, "ChunkedMessage", "chunk_index is 18446744073709551615; expected less");
  return cpb_metadata_set_chunk(d->m, d->node, f->number_value) || no_memory(d);
}

static bool enter_message(decoder *d) {
  if (d->failed) return true; /* it is skipped */
  if (!cpb_metadata_set_message(d->m, d->node, true)) return no_memory(d);
  return cpb_wire_enter(&d->scanner);
}

static bool take_field_of_metadata(decoder *d, uint32_t number) {
  if (number == METADATA_MESSAGE) return enter_message(d);
  if (number == METADATA_VERSION) d->small = CPB_SMALL_VERSION;
  if (d->failed >= CPB_METADATA_BAD_CHUNK) return true;
  if (number == METADATA_CHUNKS) d->small = CPB_SMALL_CHUNK;
  if (number == METADATA_PAGES) d->small = CPB_SMALL_PAGE;
  if (number == METADATA_FILES) d->small = CPB_SMALL_FILE;
  return true;
}

/* Most fields are plain, and here at once; others are walked. So is one whose message would be too deep. */
static bool take_chunked_field(decoder *d, cpb_span *in) {
  const cpb_wire_field *f = &d->scanner.field;
  plain_field field;
  bool is_whole = f->size <= in->size && d->scanner.depth + 2 <= d->scanner.depth_limit;
  if (!is_whole || !read_plain_field((cpb_span){in->data, (size_t)f->size}, &field))
    return add_node(d) && cpb_wire_enter(&d->scanner);
  cpb_wire_take(&d->scanner, in);
  return add_plain_field(d, &field);
}

static bool take_field(decoder *d, cpb_span *in) {
  const cpb_wire_field *f = &d->scanner.field;
  bool is_len = f->type == CPB_WIRE_LEN;
  switch (place_at(d, d->scanner.depth)) {
    case IN_METADATA: return !is_len || take_field_of_metadata(d, f->number);
    case IN_MESSAGE:
      if (f->type == CPB_WIRE_VARINT && f->number == MESSAGE_CHUNK_INDEX) return set_chunk(d);
      if (is_len && f->number == MESSAGE_CHUNKED_FIELDS) return take_chunked_field(d, in);
      break;
    case IN_FIELD:
      if (is_len && f->number == CHUNKED_FIELD_TAG) d->small = CPB_SMALL_TAG;
      if (is_len && f->number == CHUNKED_FIELD_MESSAGE) return enter_message(d);
      break;
  }
  return true;
}

/* --- Walking -------------------------------------------------------------- */

/* Decodes the small message once it is complete; it is d->small until then. */
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
    case CPB_SMALL_PAGE: return take_page(d, whole);
    case CPB_SMALL_FILE: return take_file(d, whole);
    default: return take_tag(d, whole);
  }
}

/* Replaces an earlier error: afterwards only the parts that are reported first are still searched for mistakes. */
static void fail(decoder *d, bool is_chunk, cpb_span *in) {
  bool in_tree = d->scanner.depth > d->scanner.skipping_groups;
  d->failed = in_tree ? CPB_METADATA_BAD_TREE : is_chunk ? CPB_METADATA_BAD_CHUNK : CPB_METADATA_BAD;
  if (d->error.code == CPB_E_MEMORY) d->failed = CPB_METADATA_BAD;
  d->code = d->error.code;
  d->error.code = CPB_OK;
  if (in_tree) cpb_wire_pass(&d->scanner, in);
}

/* In a tree that has failed, the rest of a message is ignored, and of a field all but the tags. */
static void leave(decoder *d, cpb_span *in) {
  if (place_at(d, d->scanner.depth + 1) == IN_FIELD) d->node = cpb_metadata_parent(d->m, d->node);
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
        case CPB_WIRE_FIELD: good = take_field(d, &in); break;
        case CPB_WIRE_LEAVE: leave(d, &in); break;
        case CPB_WIRE_ERROR: good = false; break;
      }
    }
    bool is_chunk = small == CPB_SMALL_CHUNK || small == CPB_SMALL_PAGE || small == CPB_SMALL_FILE;
    if (!good) fail(d, is_chunk, &in);
  }
}

void cpb_metadata_decoder_begin(decoder *d, cpb_metadata *m, bool bare, uint64_t size, const cpb_limits *limits) {
  memset(d, 0, sizeof *d);
  d->m = m;
  d->max_count = limits->chunks;
  d->bare = bare;
  d->node = CPB_NO_NODE;
  cpb_wire_begin(&d->scanner, &m->allocator, limits->depth, size, &d->error);
  if (!add_node(d) || !cpb_metadata_set_message(m, 0, bare)) fail(d, false, NULL);
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
