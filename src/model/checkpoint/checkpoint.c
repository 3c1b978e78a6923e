#include "model/checkpoint/checkpoint.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/limits.h"
#include "base/meter.h"
#include "base/status.h"
#include "base/texts.h"
#include "model/checkpoint/fields.h"
#include "model/common/cursor.h"
#include "model/common/spans.h"
#include "model/common/tensor/tensor.h"
#include "model/foreign/foreign.h"
#include "model/formats/leveldb/table.h"

/* The index is a table of LevelDB (formats/leveldb). In version 2 (tensor_bundle.proto) the empty key has the header
 * and each further key, in order, a BundleEntryProto. In version 1 (saved_tensor_slice.proto) the empty key describes
 * all tensors, in the order in which they were saved. Both become `items`. Searches rely on their being
 * sorted by key. */

#define VERSION 1  /* tensor_bundle.cc: kTensorBundleVersion; of version 1 TF_CHECKPOINT_VERSION */
#define SHOWN 80   /* bytes of a key in an error */
#define PROBLEM 96 /* bytes for the text of a problem with an entry */

enum { AT_HEADER, AT_ENTRIES, AT_INSTEAD, DONE };

/* An entry refers to its shape by index, since `sizes` moves as it grows; set_shapes() fills in
 * the pointer in `stored` once all entries are there. */
typedef struct entry {
  cpb_stored stored;
  cpb_span message; /* BundleEntryProto; of version 1 SavedSliceMeta */
  size_t shape;     /* index in `sizes` */
} entry;

struct cpb_checkpoint {
  cpb_allocator allocator; /* the meter's */
  cpb_allocator outer;     /* for the struct itself */
  cpb_meter meter;
  uint64_t max_memory;
  cpb_input input;
  cpb_error error;
  cpb_error no_table;          /* why it cannot be read as an index */
  cpb_foreign_instead instead; /* what else it may be */
  cpb_table table;
  int stage;
  unsigned version;
  uint32_t shards;
  cpb_texts texts;     /* keys and messages */
  uint64_t texts_size; /* their total size in bytes */
  cpb_buffer sizes;    /* the dimensions of all shapes, as uint64_t */
  entry *items;
  size_t count, capacity;
};

/* --- Errors ------------------------------------------------------------------------- */

static bool fails(cpb_error *error, cpb_code code, uint64_t offset, const char *what) {
  return CPB_FAILS(error, code, offset, "%s", what);
}

/* "FIELD is VALUE; expected EXPECTED", in `out` of PROBLEM bytes. */
static const char *wrong_value(char *out, const char *field, uint64_t value, const char *expected) {
  cpb_format(out, PROBLEM, "%s is %llu; expected %s", field, (unsigned long long)value, expected);
  return out;
}

static bool fails_at_key(cpb_error *error, uint64_t offset, cpb_span key, const char *what) {
  char shown[SHOWN];
  return CPB_FAILS(error, CPB_E_DAMAGED, offset, "checkpoint key \"%s\": %s",
                   cpb_quote(shown, sizeof shown, key.data ? key.data : (const uint8_t *)"", key.size), what);
}

/* --- The header ---------------------------------------------------------------------- */

/* Only what prevents reading is an error. A newer producer is fine if min_consumer says so, as in TensorFlow. */

static bool is_readable(const cpb_table *t, cpb_span version) {
  uint64_t least = cpb_get_number(version, VERSIONS_MIN_CONSUMER), bad;
  cpb_varints refused = cpb_varints_of(version, VERSIONS_BAD_CONSUMERS);
  bool readable = least <= VERSION;
  while (cpb_varints_next(&refused, &bad)) readable = readable && bad != VERSION;
  if (readable) return true;
  return CPB_FAILS(
      t->error, CPB_E_UNSUPPORTED, cpb_table_offset(t),
      "the checkpoint's min_consumer is %llu, or bad_consumers lists %d; expected a checkpoint for version %d",
      (unsigned long long)least, VERSION, VERSION);
}

static bool read_header(cpb_checkpoint *c, const cpb_table *t) {
  cpb_span header = t->data.value;
  uint64_t offset = cpb_table_offset(t), shards = cpb_get_number(header, BUNDLE_SHARDS);
  uint64_t endianness = cpb_get_number(header, BUNDLE_ENDIANNESS);
  char problem[PROBLEM];
  if (shards == 0 || shards > INT32_MAX)
    return fails(t->error, CPB_E_DAMAGED, offset, wrong_value(problem, "num_shards", shards, "1 to 2147483647"));
  if (endianness != 0)
    return fails(t->error, CPB_E_UNSUPPORTED, offset, wrong_value(problem, "endianness", endianness, "0 (LITTLE)"));
  c->shards = (uint32_t)shards;
  return is_readable(t, cpb_get_bytes(header, BUNDLE_VERSION));
}

/* --- Entries -------------------------------------------------------------------------- */

/* Whether `added` more bytes keep the entries within `max_memory`. */
static bool have_room(const cpb_checkpoint *c, uint64_t added) {
  uint64_t used = c->texts_size + c->sizes.size + (uint64_t)c->count * sizeof(entry);
  return added <= c->max_memory && used <= c->max_memory - added;
}

/* Appends the dimensions to `sizes`. Returns NULL, a description of the problem (`problem` has room for PROBLEM bytes),
 * or "" if memory is short. */
static const char *read_shape(cpb_checkpoint *c, cpb_span shape, cpb_stored *s, char *problem) {
  cpb_cursor dimensions = cpb_cursor_of(shape);
  if (cpb_get_number(shape, SHAPE_UNKNOWN_RANK)) return "unknown_rank is true; expected a known shape";
  while (cpb_cursor_find(&dimensions, SHAPE_DIM, CPB_WIRE_LEN)) {
    uint64_t size = cpb_get_number(dimensions.bytes, DIM_SIZE);
    if (size > INT64_MAX) {
      cpb_format(problem, PROBLEM, "dimension %u is negative; expected a known size", (unsigned)s->rank);
      return problem;
    }
    if (s->rank == CPB_STORED_RANK_MAX) return "the shape has more than 254 dimensions, TensorFlow's limit";
    if (!cpb_buffer_append(&c->sizes, &size, sizeof size)) return "";
    s->rank++;
  }
  return dimensions.damaged ? "the TensorShapeProto cannot be parsed" : NULL;
}

/* As read_shape(), for a BundleEntryProto. */
static const char *read_entry(cpb_checkpoint *c, cpb_span message, entry *e, char *problem) {
  cpb_stored *s = &e->stored;
  uint64_t dtype = cpb_get_number(message, ENTRY_DTYPE), shard = cpb_get_number(message, ENTRY_SHARD), end;
  cpb_cursor fields = cpb_cursor_of(message);
  while (cpb_cursor_next(&fields))
    if (fields.number == ENTRY_CRC && fields.type == CPB_WIRE_FIXED32) s->crc32c = (uint32_t)fields.value;
  if (fields.damaged) return "the BundleEntryProto cannot be parsed";
  e->shape = c->sizes.size / sizeof(uint64_t);
  s->dtype = (uint32_t)dtype;
  s->shard = (uint32_t)shard;
  s->offset = cpb_get_number(message, ENTRY_OFFSET);
  s->size = cpb_get_number(message, ENTRY_SIZE);
  s->slices = cpb_count_bytes(message, ENTRY_SLICES);
  if (dtype == 0 || dtype > INT32_MAX) return wrong_value(problem, "dtype", dtype, "a tensorflow.DataType");
  if (s->slices == 0 && shard >= c->shards) return wrong_value(problem, "shard_id", shard, "less than num_shards");
  if (!cpb_add_u64(s->offset, s->size, &end) || end > INT64_MAX)
    return wrong_value(problem, "offset", s->offset, "offset + size below 2^63");
  return read_shape(c, cpb_get_bytes(message, ENTRY_SHAPE), s, problem);
}

/* Whether the slice is the whole tensor: its dimensions have no lengths. */
static bool is_whole(cpb_span slice) {
  cpb_cursor extents = cpb_cursor_of(slice);
  while (cpb_cursor_find(&extents, SLICE_EXTENT, CPB_WIRE_LEN)) {
    cpb_cursor fields = cpb_cursor_of(extents.bytes);
    if (cpb_cursor_find(&fields, EXTENT_LENGTH, CPB_WIRE_VARINT)) return false;
  }
  return true;
}

/* Like read_entry(), for a SavedSliceMeta. The stored size follows from type and shape, except for strings. */
static const char *read_tensor(cpb_checkpoint *c, cpb_span message, entry *e, char *problem) {
  cpb_stored *s = &e->stored;
  uint64_t dtype = cpb_get_number(message, SAVED_TYPE), elements = 1, bits = cpb_dtype_bits(dtype);
  e->shape = c->sizes.size / sizeof(uint64_t);
  s->dtype = (uint32_t)dtype;
  s->slices = cpb_count_bytes(message, SAVED_SLICES);
  if (s->slices == 1 && is_whole(cpb_get_bytes(message, SAVED_SLICES))) s->slices = 0;
  else if (s->slices == 0) return "it has no slices; expected at least one";
  if (dtype == 0 || dtype > INT32_MAX) return wrong_value(problem, "type", dtype, "a tensorflow.DataType");
  const char *wrong = read_shape(c, cpb_get_bytes(message, SAVED_SHAPE), s, problem);
  const uint64_t *sizes = (const uint64_t *)(const void *)c->sizes.data;
  bool fits = true;
  for (uint32_t i = 0; !wrong && i < s->rank; i++) fits = fits && cpb_mul_u64(elements, sizes[e->shape + i], &elements);
  s->size = fits && cpb_mul_u64(elements, bits, &bits) ? bits / 8 : 0;
  return wrong;
}

/* Makes a copy that lives as long as the checkpoint; false if memory is short. */
static bool keep(cpb_checkpoint *c, cpb_span bytes, cpb_span *kept) {
  uint8_t *room = cpb_texts_add(&c->texts, &c->allocator, bytes.size);
  if (!room) return false;
  if (bytes.size > 0) memcpy(room, bytes.data, bytes.size);
  c->texts_size += bytes.size;
  *kept = (cpb_span){room, bytes.size};
  return true;
}

static bool is_in_order(const cpb_checkpoint *c, cpb_span key) {
  const entry *last = c->count > 0 ? &c->items[c->count - 1] : NULL;
  return key.size > 0 && (!last || cpb_span_compare(cpb_stored_key(&last->stored), key) < 0);
}

static bool has_room(cpb_checkpoint *c, cpb_span key, cpb_span message, uint64_t offset, cpb_error *error) {
  /* A dimension takes at least two bytes of the message and eight of `sizes`; the message is kept as well. */
  if (!have_room(c, (uint64_t)key.size + 5 * (uint64_t)message.size + sizeof(entry)))
    return CPB_FAILS(error, CPB_E_LIMIT, offset,
                     "the entries of the checkpoint index take more than max_memory, %llu bytes",
                     (unsigned long long)c->max_memory);
  /* The file omits the part of a key that it shares with the previous key, so charge the whole key. */
  return cpb_meter_charge(&c->meter, CPB_WORK_WALKED, (uint64_t)key.size + 4 * (uint64_t)message.size, offset, error) &&
         cpb_meter_charge(&c->meter, CPB_WORK_ENTRIES, 1, offset, error);
}

static bool add_entry(cpb_checkpoint *c, cpb_span key, cpb_span message, uint64_t offset, cpb_error *error) {
  char problem[PROBLEM];
  if (!has_room(c, key, message, offset, error)) return false;
  /* checked and kept before it is added: `items` never has a broken entry */
  entry e = {.stored = {.key_size = key.size}};
  cpb_span kept;
  const char *wrong = c->version == 1 ? read_tensor(c, message, &e, problem) : read_entry(c, message, &e, problem);
  if (wrong && *wrong) return fails_at_key(error, offset, key, wrong);
  if (wrong || !keep(c, key, &kept) || !keep(c, message, &e.message) ||
      !CPB_RESERVE(&c->allocator, &c->items, &c->capacity, c->count + 1))
    return cpb_fail_memory(error), false;
  e.stored.key = (const char *)kept.data;
  c->items[c->count++] = e;
  return true;
}

/* --- Version 1 --------------------------------------------------------------------------- */

/* The first entry describes all tensors, so reading ends with it (CPB_AT_END). The entries behind it have the
 * values; they are sought when values are read. */

static int by_key(const void *a, const void *b) {
  return cpb_span_compare(cpb_stored_key(&((const entry *)a)->stored), cpb_stored_key(&((const entry *)b)->stored));
}

/* Version 1 stores tensors in the order in which they were saved. */
static bool sort_tensors(cpb_checkpoint *c, uint64_t offset, cpb_error *error) {
  if (c->count > 1) qsort(c->items, c->count, sizeof *c->items, by_key);
  for (size_t i = 0; i < c->count; i++) {
    cpb_span key = cpb_stored_key(&c->items[i].stored);
    if (key.size == 0 || (i > 0 && by_key(&c->items[i - 1], &c->items[i]) == 0))
      return fails_at_key(error, offset, key, "empty, or there twice; expected a name for each tensor");
  }
  return true;
}

/* The first entry describes all tensors; the others have their values. */
static bool read_tensors(cpb_checkpoint *c, const cpb_table *t) {
  cpb_span meta = cpb_get_bytes(t->data.value, SAVED_META);
  uint64_t offset = cpb_table_offset(t);
  cpb_cursor tensors = cpb_cursor_of(meta);
  c->version = c->shards = 1;
  if (!is_readable(t, cpb_get_bytes(meta, META_VERSIONS))) return false;
  while (cpb_cursor_find(&tensors, META_TENSOR, CPB_WIRE_LEN))
    if (!add_entry(c, cpb_get_bytes(tensors.bytes, SAVED_NAME), tensors.bytes, offset, t->error)) return false;
  if (tensors.damaged) return fails(t->error, CPB_E_DAMAGED, offset, "the SavedTensorSliceMeta cannot be parsed");
  return sort_tensors(c, offset, t->error);
}

/* --- Both -------------------------------------------------------------------------------- */

/* The first field is the number of shards in version 2, and a message in version 1. */
static cpb_have begin_entries(cpb_checkpoint *c, cpb_table *t) {
  if (t->data.key.size > 0) {
    cpb_fail(t->error, CPB_E_DAMAGED, cpb_table_offset(t),
             "the first key of the checkpoint index is not empty; expected the header, whose key is empty");
    return CPB_FAILED;
  }
  c->stage = AT_ENTRIES;
  if (cpb_get_bytes(t->data.value, SAVED_META).data) return read_tensors(c, t) ? CPB_AT_END : CPB_FAILED;
  return read_header(c, t) ? CPB_HAVE : CPB_FAILED;
}

static cpb_have next_entry(cpb_checkpoint *c, cpb_table *t) {
  cpb_span key = {t->data.key.data, t->data.key.size};
  if (!is_in_order(c, key)) {
    fails_at_key(t->error, cpb_table_offset(t), key, "out of order; expected a key greater than the one before it");
    return CPB_FAILED;
  }
  return add_entry(c, key, t->data.value, cpb_table_offset(t), t->error) ? CPB_HAVE : CPB_FAILED;
}

/* CPB_AT_END: all of it has been read. */
static cpb_have read_all(cpb_checkpoint *c, cpb_table *t) {
  cpb_have have = CPB_HAVE;
  while (have == CPB_HAVE && (have = cpb_table_next(t)) == CPB_HAVE)
    have = c->stage == AT_HEADER ? begin_entries(c, t) : next_entry(c, t);
  if (have != CPB_AT_END || c->stage != AT_HEADER) return have;
  fails(t->error, CPB_E_DAMAGED, 0, "the checkpoint index has no entries; expected the header");
  return CPB_FAILED;
}

static void set_shapes(cpb_checkpoint *c) {
  const uint64_t *sizes = (const uint64_t *)(const void *)c->sizes.data;
  for (size_t i = 0; i < c->count; i++) {
    entry *e = &c->items[i];
    e->stored.shape = e->stored.rank > 0 ? sizes + e->shape : NULL;
  }
}

/* --- The checkpoint --------------------------------------------------------------------- */

cpb_checkpoint *cpb_checkpoint_new(const cpb_allocator *given, const cpb_checkpoint_options *given_options) {
  cpb_allocator a = cpb_allocator_or_default(given);
  cpb_checkpoint_options options;
  cpb_options_copy(&options, sizeof options, given_options);
  cpb_checkpoint *c = cpb_alloc_zeroed(&a, sizeof *c);
  if (!c) return NULL;
  cpb_input_init(&c->input);
  c->error.offset = CPB_NO_OFFSET;
  cpb_meter_init(&c->meter, &a, options.limits, &c->input);
  c->outer = a;
  c->allocator = cpb_meter_allocator(&c->meter);
  c->max_memory = cpb_max_memory_or_default(options.max_memory);
  c->version = 2;
  cpb_buffer_init(&c->sizes, &c->allocator);
  cpb_table_init(&c->table, &c->allocator, &c->meter, &c->input, c->max_memory, &c->error);
  return c;
}

void cpb_checkpoint_free(cpb_checkpoint *c) {
  if (!c) return;
  cpb_allocator a = c->outer;
  cpb_table_free(&c->table);
  cpb_texts_free(&c->texts, &c->allocator);
  cpb_buffer_free(&c->sizes);
  cpb_release(&c->allocator, c->items);
  cpb_meter_free(&c->meter);
  cpb_release(&a, c);
}

cpb_input *cpb_checkpoint_input(cpb_checkpoint *c) { return &c->input; }

const cpb_error *cpb_checkpoint_error(const cpb_checkpoint *c) { return &c->error; }

/* The file may be something else, such as an HTML page. */
static cpb_have find_instead(cpb_checkpoint *c) {
  char what[sizeof c->error.message];
  if (c->stage != AT_INSTEAD) c->no_table = c->error;
  cpb_error_begin(&c->error, NULL);
  c->stage = AT_INSTEAD;
  cpb_have have = cpb_foreign_find_instead(&c->instead, &c->input, (cpb_range){0, 0}, what, sizeof what);
  if (have == CPB_WAIT) return have;
  if (have == CPB_HAVE && what[0]) cpb_fail(&c->error, CPB_E_FORMAT, CPB_NO_OFFSET, "%s", what);
  else c->error = c->no_table;
  return CPB_FAILED;
}

cpb_step cpb_checkpoint_step(cpb_checkpoint *c) {
  if (c->error.code != CPB_OK) return CPB_STEP_ERROR;
  if (c->stage == DONE) return CPB_STEP_DONE;
  cpb_meter_update(&c->meter);
  cpb_have have = c->stage == AT_INSTEAD ? CPB_FAILED : read_all(c, &c->table);
  if (have == CPB_FAILED && (c->stage == AT_INSTEAD || c->error.code == CPB_E_FORMAT)) have = find_instead(c);
  if (have == CPB_WAIT) return CPB_STEP_NEED;
  cpb_input_let_go(&c->input);
  cpb_table_free(&c->table);
  if (have == CPB_FAILED) {
    cpb_meter_explain(&c->meter, &c->error);
    c->count = 0;
    return CPB_STEP_ERROR;
  }
  set_shapes(c);
  c->stage = DONE;
  return CPB_STEP_DONE;
}

unsigned cpb_checkpoint_version(const cpb_checkpoint *c) { return c->version; }

uint32_t cpb_checkpoint_num_shards(const cpb_checkpoint *c) { return c->shards; }

size_t cpb_checkpoint_count(const cpb_checkpoint *c) { return c->stage == DONE ? c->count : 0; }

const cpb_stored *cpb_checkpoint_get(const cpb_checkpoint *c, size_t i) {
  return i < c->count ? &c->items[i].stored : NULL;
}

const cpb_stored *cpb_checkpoint_find(const cpb_checkpoint *c, const char *key, size_t key_size) {
  return cpb_checkpoint_find_rest(c, 0, c->count, 0, (cpb_span){(const uint8_t *)key, key_size});
}

const cpb_stored *cpb_checkpoint_find_rest(const cpb_checkpoint *c, size_t first, size_t count, size_t skip,
                                           cpb_span rest) {
  size_t begin = first, end = first + count;
  while (begin < end) {
    size_t middle = begin + (end - begin) / 2;
    int order = cpb_span_compare(cpb_span_from(cpb_stored_key(&c->items[middle].stored), skip), rest);
    if (order == 0) return &c->items[middle].stored;
    if (order < 0) begin = middle + 1;
    else end = middle;
  }
  return NULL;
}

/* The index of the first key that is not before `begin`; with `beyond`, of the first key after all those that begin
 * with it. */
static size_t bound(const cpb_checkpoint *c, cpb_span begin, bool beyond) {
  size_t low = 0, high = c->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    cpb_span key = cpb_stored_key(&c->items[middle].stored);
    if (beyond) key.size = cpb_min_size(key.size, begin.size);
    if (cpb_span_compare(key, begin) < (beyond ? 1 : 0)) low = middle + 1;
    else high = middle;
  }
  return low;
}

size_t cpb_checkpoint_begin(const cpb_checkpoint *c, cpb_span begin, size_t *first) {
  *first = bound(c, begin, false);
  return bound(c, begin, true) - *first;
}

size_t cpb_checkpoint_place(const cpb_checkpoint *c, const cpb_stored *stored) {
  return (size_t)((const entry *)(const void *)stored - c->items);
}

cpb_span cpb_checkpoint_message(const cpb_stored *stored) {
  const entry *e = (const entry *)(const void *)stored;
  return e->message;
}
