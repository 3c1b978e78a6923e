#include "model/checkpoint/checkpoint.h"

#include <string.h>

#include "base/checked.h"
#include "base/limits.h"
#include "base/meter.h"
#include "base/status.h"
#include "base/texts.h"
#include "model/checkpoint/fields.h"
#include "model/common/cursor.h"
#include "model/common/spans.h"
#include "model/foreign/instead.h"
#include "model/formats/leveldb/table.h"

#define VERSION 1  /* tensor_bundle.cc: kTensorBundleVersion */
#define SHOWN 80   /* bytes of a key in an error */
#define PROBLEM 96 /* bytes of what is wrong with an entry */

/* An entry refers to its shape by index, since `sizes` moves as it grows; set_shapes() fills in
 * the pointer in `stored` once all entries are there. */
typedef struct entry {
  cpb_stored stored;
  cpb_span message;
  size_t shape; /* index in `sizes` */
} entry;

struct cpb_checkpoint {
  cpb_allocator allocator; /* the meter's */
  cpb_allocator outer;     /* for the struct itself */
  cpb_meter meter;
  uint64_t max_memory;
  uint32_t shards;
  cpb_texts texts;     /* keys and BundleEntryProtos */
  uint64_t texts_size; /* of these, in bytes */
  cpb_buffer sizes;    /* the dimensions of all shapes, as uint64_t */
  entry *items;
  size_t count, capacity;
};

/* --- Errors ------------------------------------------------------------------------- */

static bool fails(cpb_error *error, cpb_code code, uint64_t offset, const char *what) {
  cpb_fail(error, code, offset, "%s", what);
  return false;
}

/* "FIELD is VALUE; expected EXPECTED", in `out` of PROBLEM bytes. */
static const char *wrong_value(char *out, const char *field, uint64_t value, const char *expected) {
  cpb_format(out, PROBLEM, "%s is %llu; expected %s", field, (unsigned long long)value, expected);
  return out;
}

static bool fails_at_key(cpb_error *error, uint64_t offset, cpb_span key, const char *what) {
  char shown[SHOWN];
  cpb_fail(error, CPB_E_DAMAGED, offset, "checkpoint key \"%s\": %s",
           cpb_quote(shown, sizeof shown, key.data ? key.data : (const uint8_t *)"", key.size), what);
  return false;
}

/* --- The header ---------------------------------------------------------------------- */

static bool read_header(cpb_checkpoint *c, const cpb_table *t) {
  cpb_span header = t->data.value, version = cpb_get_bytes(header, BUNDLE_VERSION);
  uint64_t offset = cpb_table_offset(t), shards = cpb_get_number(header, BUNDLE_SHARDS), bad;
  uint64_t endianness = cpb_get_number(header, BUNDLE_ENDIANNESS);
  uint64_t least = cpb_get_number(version, VERSIONS_MIN_CONSUMER);
  char problem[PROBLEM];
  cpb_varints refused = cpb_varints_of(version, VERSIONS_BAD_CONSUMERS);
  if (t->data.key.size > 0)
    return fails(t->error, CPB_E_DAMAGED, offset,
                 "the first key of the checkpoint index is not empty; expected the header, whose key is empty");
  if (shards == 0 || shards > INT32_MAX)
    return fails(t->error, CPB_E_DAMAGED, offset, wrong_value(problem, "num_shards", shards, "1 to 2147483647"));
  if (endianness != 0)
    return fails(t->error, CPB_E_UNSUPPORTED, offset, wrong_value(problem, "endianness", endianness, "0 (LITTLE)"));
  bool readable = least <= VERSION;
  while (cpb_varints_next(&refused, &bad)) readable = readable && bad != VERSION;
  if (!readable) {
    cpb_fail(t->error, CPB_E_UNSUPPORTED, offset,
             "the checkpoint's min_consumer is %llu, or bad_consumers lists %d; expected a checkpoint for version %d",
             (unsigned long long)least, VERSION, VERSION);
    return false;
  }
  c->shards = (uint32_t)shards;
  return true;
}

/* --- Entries -------------------------------------------------------------------------- */

/* Whether the entries stay within `max_memory` when `added` bytes come to them. */
static bool have_room(const cpb_checkpoint *c, uint64_t added) {
  uint64_t used = c->texts_size + c->sizes.size + (uint64_t)c->count * sizeof(entry);
  return added <= c->max_memory && used <= c->max_memory - added;
}

/* Appends the dimensions to `sizes`. Returns NULL, what is wrong (`problem` has room for
 * PROBLEM bytes), or "" when memory is short. */
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
  while (cpb_cursor_next(&fields)) {
    if (fields.number == ENTRY_CRC && fields.type == CPB_WIRE_FIXED32) s->crc32c = (uint32_t)fields.value;
  }
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

/* A copy, for as long as the checkpoint; false when memory is short. */
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

static bool add_entry(cpb_checkpoint *c, const cpb_table *t) {
  cpb_span key = {t->data.key.data, t->data.key.size}, message = t->data.value;
  uint64_t offset = cpb_table_offset(t);
  void *items = c->items;
  char problem[PROBLEM];
  /* A dimension takes at least two bytes of the message, and eight of `sizes`; the message
   * itself is kept, too. */
  if (!have_room(c, (uint64_t)key.size + 5 * (uint64_t)message.size + sizeof(entry))) {
    cpb_fail(t->error, CPB_E_LIMIT, offset, "the entries of the checkpoint index take more than max_memory, %llu bytes",
             (unsigned long long)c->max_memory);
    return false;
  }
  /* Of a key only what it does not share with the one before is in the file. */
  if (!cpb_meter_charge(&c->meter, CPB_WORK_WALKED, (uint64_t)key.size + 4 * (uint64_t)message.size, offset,
                        t->error) ||
      !cpb_meter_charge(&c->meter, CPB_WORK_ENTRIES, 1, offset, t->error))
    return false;
  if (!is_in_order(c, key))
    return fails_at_key(t->error, offset, key, "out of order; expected a key greater than the one before it");
  entry e = {.stored = {.key_size = key.size}};
  cpb_span kept;
  const char *wrong = read_entry(c, message, &e, problem);
  if (wrong && *wrong) return fails_at_key(t->error, offset, key, wrong);
  bool done = !wrong && keep(c, key, &kept) && keep(c, message, &e.message) &&
              cpb_reserve(&c->allocator, &items, &c->capacity, c->count + 1, sizeof *c->items);
  c->items = items;
  if (!done) return cpb_fail_memory(t->error), false;
  e.stored.key = (const char *)kept.data;
  c->items[c->count++] = e;
  return true;
}

static bool read_all(cpb_checkpoint *c, cpb_table *t) {
  cpb_have have = cpb_table_next(t);
  if (have == CPB_AT_END)
    return fails(t->error, CPB_E_DAMAGED, 0, "the checkpoint index has no entries; expected the header");
  if (have != CPB_HAVE || !read_header(c, t)) return false;
  while ((have = cpb_table_next(t)) == CPB_HAVE) {
    if (!add_entry(c, t)) return false;
  }
  return have == CPB_AT_END;
}

static void set_shapes(cpb_checkpoint *c) {
  const uint64_t *sizes = (const uint64_t *)(const void *)c->sizes.data;
  for (size_t i = 0; i < c->count; i++) {
    entry *e = &c->items[i];
    e->stored.shape = e->stored.rank > 0 ? sizes + e->shape : NULL;
  }
}

/* --- The checkpoint --------------------------------------------------------------------- */

/* Something else may lie in its place. */
static void name_instead(cpb_span index, cpb_error *error) {
  char what[sizeof error->message];
  if (!cpb_foreign_describe_instead(index, index.size, what, sizeof what)) return;
  cpb_error_begin(error, NULL);
  cpb_fail(error, CPB_E_FORMAT, CPB_NO_OFFSET, "%s", what);
}

cpb_checkpoint *cpb_checkpoint_new(const cpb_allocator *given, const void *index, size_t size,
                                   const cpb_checkpoint_options *given_options, cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  cpb_allocator a = cpb_allocator_or_default(given);
  cpb_checkpoint_options options;
  cpb_table table;
  cpb_options_copy(&options, sizeof options, given_options);
  cpb_checkpoint *c = cpb_alloc_zeroed(&a, sizeof *c);
  if (!c) return cpb_fail_memory(error), NULL;
  cpb_meter_init(&c->meter, &a, options.limits, NULL);
  cpb_meter_grow(&c->meter, size);
  c->outer = a;
  c->allocator = cpb_meter_allocator(&c->meter);
  c->max_memory = cpb_max_memory_or_default(options.max_memory);
  cpb_buffer_init(&c->sizes, &c->allocator);
  const bool is_table = cpb_table_open(&table, &c->allocator, &c->meter, (cpb_span){index, size}, c->max_memory, error);
  const bool done = is_table && read_all(c, &table);
  cpb_table_close(&table);
  if (!is_table && error->code == CPB_E_FORMAT) name_instead((cpb_span){index, size}, error);
  if (done) {
    set_shapes(c);
    return c;
  }
  cpb_meter_explain(&c->meter, error);
  cpb_checkpoint_free(c);
  return NULL;
}

void cpb_checkpoint_free(cpb_checkpoint *c) {
  if (!c) return;
  cpb_allocator a = c->outer;
  cpb_texts_free(&c->texts, &c->allocator);
  cpb_buffer_free(&c->sizes);
  cpb_release(&c->allocator, c->items);
  cpb_meter_free(&c->meter);
  cpb_release(&a, c);
}

uint32_t cpb_checkpoint_num_shards(const cpb_checkpoint *c) { return c->shards; }

size_t cpb_checkpoint_count(const cpb_checkpoint *c) { return c->count; }

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

/* The index of the first key that is not before `begin`, or with `beyond` of the first that is after it
 * and does not begin with it. */
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
