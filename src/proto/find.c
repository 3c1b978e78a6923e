/* The find engine: follows a path through a message, one field (with its index or key) at a time.
 *
 * Invariants. `current` is the message being scanned: one range, or several that a parser would merge, because a
 * message field may occur more than once. `matches` collects the ranges that the current tag selects in it; when the
 * scan ends, they become `current`, and the search continues there with the next tag. So each level of the path scans
 * only the selection of the level before, skips values, and stops at the element it looks for; it scans all entries of
 * a map, because the last one with the key counts. Ranges are offsets in the input: no byte is kept except for a map
 * key that is being compared (key_bytes).
 *
 * Memory: a range for each occurrence of the selected field, neighbouring ones joined, unless each element is reported
 * instead (cpb_find_elements); a key as long as the one in the path. Work: at most the size of the message for each tag
 * of the path. */
#include "cpb/find.h"

#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/input.h"
#include "base/meter.h"
#include "base/status.h"
#include "proto/wire.h"
#include "proto/wire_feed.h"

#define READ_SIZE ((size_t)64 << 10)

typedef struct range_list {
  cpb_range *items;
  size_t count, capacity;
} range_list;

typedef enum find_state {
  FIND_SIZE,   /* asking for the size of the message */
  FIND_TAG,    /* the next tag of the path, or done */
  FIND_WALK,   /* scanning the ranges of the message for the field */
  FIND_KEY,    /* reading the string key of a map entry */
  FIND_PACKED, /* counting the elements of a packed field */
  FIND_DONE
} find_state;

struct cpb_find {
  cpb_allocator outer, allocator; /* the second is the meter's */
  cpb_meter meter;
  cpb_error error;
  cpb_input input;
  const cpb_path *path;
  const cpb_message_type *type; /* of `current` */
  find_state state;
  size_t tag;         /* index of the path's next tag */
  bool within;        /* the message is ranges of the input (cpb_find_within) */
  bool each;          /* elements are ranges of their own (cpb_find_each) */
  bool elements;      /* they are reported one by one (cpb_find_elements) */
  bool reports;       /* `element` is the next one */
  range_list current; /* the message being scanned */
  range_list matches; /* the occurrences of the field found so far */
  cpb_found found;

  /* The scan of one message. */
  const cpb_path_tag *subscript; /* or NULL */
  bool is_map;
  size_t range;             /* of `current` */
  cpb_wire_scanner scanner; /* its offsets are those of the input */
  cpb_wire_feed feed;
  bool scanning;
  uint64_t seen; /* elements */
  bool matched;  /* the field, element or entry has been found */

  /* The map entry being scanned. */
  bool key_matches;
  cpb_range value;
  cpb_range key;
  cpb_buffer key_bytes;

  cpb_range packed;      /* the rest of a packed field */
  uint64_t packed_begin; /* of its current element */
  cpb_range element;     /* the last that was reported */
};

/* --- Creation ------------------------------------------------------------------ */

cpb_find *cpb_find_new(const cpb_allocator *given, const cpb_message_type *type, const cpb_path *path,
                       const cpb_limits *limits) {
  cpb_allocator a = cpb_allocator_or_default(given);
  cpb_find *f = cpb_alloc_zeroed(&a, sizeof *f);
  if (!f) return NULL;
  f->outer = a;
  f->error.offset = CPB_NO_OFFSET;
  cpb_input_init(&f->input);
  cpb_meter_init(&f->meter, &a, limits, &f->input);
  f->allocator = cpb_meter_allocator(&f->meter);
  cpb_wire_feed_begin(&f->feed, &f->input);
  cpb_buffer_init(&f->key_bytes, &f->allocator);
  f->path = path;
  f->type = f->found.message = type;
  f->found.wire_type = CPB_WIRE_LEN;
  return f;
}

void cpb_find_free(cpb_find *f) {
  if (!f) return;
  cpb_allocator a = f->outer;
  if (f->scanning) cpb_wire_free(&f->scanner);
  cpb_release(&f->allocator, f->current.items);
  cpb_release(&f->allocator, f->matches.items);
  cpb_buffer_free(&f->key_bytes);
  cpb_meter_free(&f->meter);
  cpb_release(&a, f);
}

cpb_input *cpb_find_input(cpb_find *f) { return &f->input; }
const cpb_error *cpb_find_error(const cpb_find *f) { return &f->error; }
const cpb_found *cpb_find_found(const cpb_find *f) { return &f->found; }
size_t cpb_find_num_ranges(const cpb_find *f) { return f->current.count; }
cpb_range cpb_find_get_range(const cpb_find *f, size_t i) { return f->current.items[i]; }

/* Charges for `size` bytes of the message, from `offset` on. */
static bool charge(cpb_find *f, uint64_t size, uint64_t offset) {
  return cpb_meter_charge(&f->meter, CPB_WORK_WALKED, size, offset, &f->error);
}

/* --- Ranges -------------------------------------------------------------------- */

static bool push_range(cpb_find *f, range_list *list, uint64_t offset, uint64_t length) {
  if (!CPB_RESERVE(&f->allocator, &list->items, &list->capacity, list->count + 1))
    return cpb_fail_memory(&f->error), false;
  list->items[list->count++] = (cpb_range){offset, length};
  return true;
}

static bool add_range(cpb_find *f, range_list *list, uint64_t offset, uint64_t length) {
  cpb_range *last = list->count > 0 ? &list->items[list->count - 1] : NULL;
  if (!last || last->offset + last->length != offset) return push_range(f, list, offset, length);
  last->length += length;
  return true;
}

static bool only_range(cpb_find *f, uint64_t offset, uint64_t length) {
  f->matches.count = 0;
  f->matched = true;
  return add_range(f, &f->matches, offset, length);
}

cpb_code cpb_find_within(cpb_find *f, const cpb_range *ranges, size_t count) {
  f->within = true;
  for (size_t i = 0; i < count; i++)
    if (!add_range(f, &f->current, ranges[i].offset, ranges[i].length)) break;
  return f->error.code;
}

void cpb_find_each(cpb_find *f) { f->each = true; }
void cpb_find_elements(cpb_find *f) { f->elements = true; }
cpb_range cpb_find_element(const cpb_find *f) { return f->element; }

/* --- The path ------------------------------------------------------------------- */

static const cpb_path_tag *path_tag(const cpb_find *f, size_t i) {
  return i < cpb_path_num_tags(f->path) ? cpb_path_get_tag(f->path, i) : NULL;
}

static bool is_subscript(const cpb_path_tag *tag) {
  return tag && tag->kind != CPB_PATH_NAME && tag->kind != CPB_PATH_NUMBER;
}

/* The tag as it is written, for messages. */
static const char *written(const cpb_path_tag *tag, char *out, size_t size) {
  char text[96];
  cpb_path_format(tag, 1, text, sizeof text);
  return cpb_quote(out, size, text, strlen(text));
}

static bool refuse(cpb_find *f, cpb_code code, const cpb_path_tag *tag, const char *what) {
  char text[128];
  return CPB_FAILS(&f->error, code, CPB_NO_OFFSET, "%s: %s", written(tag, text, sizeof text), what);
}

/* The message lacks this field, element or entry: `tag` is the last one before f->tag. */
static bool refuse_missing(cpb_find *f, const cpb_path_tag *tag) {
  char path[128], quoted[128], what[160];
  size_t above = f->tag - 1;
  cpb_path_format(cpb_path_get_tag(f->path, 0), above, path, sizeof path);
  cpb_quote(quoted, sizeof quoted, path, strlen(path));
  if (above == 0) return refuse(f, CPB_E_NOT_FOUND, tag, "the message has none");
  if (!f->subscript || f->is_map) cpb_format(what, sizeof what, "%s has none", quoted);
  else cpb_format(what, sizeof what, "the length of %s is %llu", quoted, (unsigned long long)f->seen);
  return refuse(f, CPB_E_NOT_FOUND, tag, what);
}

static bool resolve_field(cpb_find *f, const cpb_path_tag *tag) {
  cpb_found *found = &f->found;
  found->parent = f->type;
  found->field = NULL;
  if (tag->kind == CPB_PATH_NAME) {
    if (!f->type) return refuse(f, CPB_E_USAGE, tag, "the type of the message is not known; expected a field number");
    found->field = cpb_message_find_name(f->type, tag->text, tag->length);
    if (!found->field) return refuse(f, CPB_E_NOT_FOUND, tag, "the type has no such field");
    found->number = found->field->number;
  } else {
    found->number = (uint32_t)tag->value;
    if (f->type) found->field = cpb_message_find_number(f->type, found->number);
  }
  found->message = found->field ? found->field->message : NULL;
  return true;
}

/* Whether the subscript (an index or key) fits the field. */
static bool resolve_subscript(cpb_find *f, const cpb_path_tag *tag) {
  const cpb_field *field = f->found.field;
  bool more = path_tag(f, f->tag) != NULL;
  if (!f->subscript) {
    if (field && field->repeated && more)
      return refuse(f, CPB_E_USAGE, tag, "a repeated field; expected an index, as in name[0]");
    return true;
  }
  if (field && !field->repeated) return refuse(f, CPB_E_USAGE, tag, "not a repeated field; expected no index or key");
  f->is_map = field ? field->map : f->subscript->kind != CPB_PATH_INDEX;
  const cpb_field *key = field && f->is_map ? cpb_message_find_number(field->message, 1) : NULL;
  if (key && (key->type == CPB_TYPE_STRING) != (f->subscript->kind == CPB_PATH_KEY))
    return refuse(f, CPB_E_USAGE, tag,
                  key->type == CPB_TYPE_STRING ? "the keys are strings; expected one in quotes"
                                               : "the keys are not strings; expected no quotes");
  if (!f->is_map && (f->subscript->kind != CPB_PATH_INDEX || f->subscript->negative))
    return refuse(f, CPB_E_USAGE, tag, "expected an index from 0");
  return true;
}

static bool begin_walk(cpb_find *f) {
  const cpb_path_tag *tag = path_tag(f, f->tag++);
  if (is_subscript(tag)) return refuse(f, CPB_E_USAGE, tag, "expected a field before it");
  if (!resolve_field(f, tag)) return false;
  f->subscript = is_subscript(path_tag(f, f->tag)) ? path_tag(f, f->tag++) : NULL;
  f->is_map = false;
  f->found.fields = 0;
  f->range = 0;
  f->seen = 0;
  f->matched = false;
  f->matches.count = 0;
  f->state = FIND_WALK;
  return resolve_subscript(f, tag);
}

/* The message was scanned: the matches become the next message. */
static bool end_walk(cpb_find *f) {
  const cpb_path_tag *tag = path_tag(f, f->tag - 1);
  if (!f->matched) return refuse_missing(f, tag);
  if (f->is_map && f->found.message) {
    f->found.parent = f->found.message;
    f->found.field = cpb_message_find_number(f->found.message, 2);
    f->found.message = f->found.field ? f->found.field->message : NULL;
  }
  if (f->is_map) f->found.number = 2;
  range_list walked = f->current;
  f->current = f->matches;
  f->matches = walked;
  f->type = f->found.message;
  f->state = FIND_TAG;
  bool is_message = f->found.wire_type == CPB_WIRE_LEN || f->found.wire_type == CPB_WIRE_START_GROUP;
  if (path_tag(f, f->tag) && (!is_message || (f->found.field && !f->type)))
    return refuse(f, CPB_E_USAGE, tag, "not a message, so it has no fields");
  return true;
}

/* --- Fields ---------------------------------------------------------------------- */

static bool is_packed(const cpb_find *f, const cpb_wire_field *field) {
  const cpb_field *known = f->found.field;
  if (!known || field->type != CPB_WIRE_LEN) return false;
  return known->type != CPB_TYPE_STRING && known->type != CPB_TYPE_BYTES && !known->message;
}

static void report(cpb_find *f, uint64_t offset, uint64_t length) {
  f->element = (cpb_range){offset, length};
  f->reports = true;
}

/* Takes an occurrence of the field, which is not a map and ends at `end`. The last occurrence of a
 * singular field counts, except that occurrences of a message are merged. */
static bool take_occurrence(cpb_find *f, const cpb_wire_field *field, uint64_t end) {
  const cpb_field *known = f->found.field;
  bool all = known && known->repeated && !f->subscript, reported = all && f->elements;
  f->found.wire_type = field->type;
  f->found.fields = all;
  f->matched = f->matched || !f->subscript;
  if ((f->subscript || reported) && is_packed(f, field)) {
    f->packed = (cpb_range){field->value, field->size};
    f->packed_begin = field->value;
    f->state = FIND_PACKED;
    return true;
  }
  if (f->subscript) return f->seen++ == f->subscript->value ? only_range(f, field->value, field->size) : true;
  if (reported) report(f, field->value, field->size);
  if (reported) return true;
  if (all && f->each) return push_range(f, &f->matches, field->value, field->size);
  if (all) return add_range(f, &f->matches, field->begin, end - field->begin);
  bool merges = known ? known->message != NULL : path_tag(f, f->tag) != NULL;
  return merges ? add_range(f, &f->matches, field->value, field->size) : only_range(f, field->value, field->size);
}

/* --- Maps ---------------------------------------------------------------------- */

/* Whether a map key that is a number is the one in the path. */
static bool number_matches(const cpb_find *f, const cpb_wire_field *field) {
  const cpb_path_tag *wanted = f->subscript;
  const cpb_message_type *entry = f->found.message;
  const cpb_field *key = entry ? cpb_message_find_number(entry, 1) : NULL;
  uint64_t value = field->number_value;
  if (key && (key->type == CPB_TYPE_SINT32 || key->type == CPB_TYPE_SINT64)) value = (value >> 1) ^ (0 - (value & 1));
  if (field->type == CPB_WIRE_FIXED32 && key && key->type == CPB_TYPE_SFIXED32)
    value = (uint64_t)(int64_t)(int32_t)(uint32_t)value;
  return value == (wanted->negative ? 0 - wanted->value : wanted->value);
}

static void begin_entry(cpb_find *f) {
  const cpb_path_tag *key = f->subscript;
  f->key_matches = key->kind == CPB_PATH_KEY ? key->length == 0 : key->value == 0;
  f->value = (cpb_range){f->scanner.field.value, 0};
}

static void take_entry_field(cpb_find *f, const cpb_wire_field *field) {
  if (field->type == CPB_WIRE_START_GROUP) return; /* an unknown field */
  if (field->number == 2) {
    f->value = (cpb_range){field->value, field->size};
    f->found.wire_type = field->type;
  } else if (field->number == 1 && field->type != CPB_WIRE_LEN) {
    f->key_matches = f->subscript->kind != CPB_PATH_KEY && number_matches(f, field);
  } else if (field->number == 1) {
    f->key_matches = f->subscript->kind == CPB_PATH_KEY && field->size == f->subscript->length;
    f->key = (cpb_range){field->value, field->size};
    f->key_bytes.size = 0;
    if (f->key_matches && field->size > 0) f->state = FIND_KEY;
  }
}

static cpb_have read_key(cpb_find *f) {
  while (f->key_bytes.size < f->key.length) {
    cpb_span span;
    uint64_t at = f->key.offset + f->key_bytes.size, left = f->key.length - f->key_bytes.size;
    cpb_have have = cpb_wire_feed_next(&f->feed, at, left, f->scanner.size - at, &span);
    if (have != CPB_HAVE) return have;
    span.size = (size_t)cpb_min_u64(span.size, left);
    if (!cpb_buffer_append(&f->key_bytes, span.data, span.size)) return cpb_fail_memory(&f->error), CPB_FAILED;
  }
  f->key_matches = memcmp(f->key_bytes.data, f->subscript->text, f->key_bytes.size) == 0;
  f->state = FIND_WALK;
  return charge(f, f->key.length, f->key.offset) ? CPB_HAVE : CPB_FAILED;
}

/* --- Packed elements ------------------------------------------------------------ */

static cpb_have packed_ends_early(cpb_find *f) {
  cpb_fail(&f->error, CPB_E_DAMAGED, CPB_NO_OFFSET,
           "packed field that ends within an element at byte %llu of the message", (unsigned long long)f->packed_begin);
  return CPB_FAILED;
}

static cpb_have take_fixed(cpb_find *f, unsigned size) {
  uint64_t count = f->packed.length / size;
  if (f->packed.length % size != 0) return packed_ends_early(f);
  f->found.wire_type = size == 8 ? CPB_WIRE_FIXED64 : CPB_WIRE_FIXED32;
  if (!f->subscript && count > 0) {
    report(f, f->packed.offset, size);
    f->packed = (cpb_range){f->packed.offset + size, f->packed.length - size};
    return CPB_HAVE;
  }
  f->state = FIND_WALK;
  if (!f->subscript) return CPB_HAVE;
  uint64_t wanted = f->subscript->value - f->seen;
  f->seen += count;
  if (wanted >= count) return CPB_HAVE;
  return only_range(f, f->packed.offset + wanted * size, size) ? CPB_HAVE : CPB_FAILED;
}

static bool take_varint(cpb_find *f) {
  uint64_t begin = f->packed_begin, length = f->packed.offset - begin;
  f->found.wire_type = CPB_WIRE_VARINT;
  f->packed_begin = f->packed.offset;
  if (!f->subscript) report(f, begin, length);
  return !f->subscript || f->seen++ != f->subscript->value || only_range(f, begin, length);
}

/* A varint ends with the first byte below 0x80. */
static cpb_have take_varints(cpb_find *f) {
  const bool *found = f->subscript ? &f->matched : &f->reports;
  while (f->packed.length > 0 && !*found) {
    cpb_span span;
    size_t want = (size_t)cpb_min_u64(f->packed.length, READ_SIZE);
    cpb_have have = cpb_input_span(&f->input, f->packed.offset, want, f->packed.length, &span);
    if (have != CPB_HAVE) return have;
    uint64_t begin = f->packed.offset;
    for (size_t i = 0; i < span.size && !*found; i++) {
      f->packed = (cpb_range){f->packed.offset + 1, f->packed.length - 1};
      if (span.data[i] < 0x80 && !take_varint(f)) return CPB_FAILED;
    }
    if (!charge(f, f->packed.offset - begin, begin)) return CPB_FAILED;
  }
  if (f->packed_begin != f->packed.offset) return packed_ends_early(f);
  if (f->subscript || f->packed.length == 0) f->state = FIND_WALK;
  return CPB_HAVE;
}

static cpb_have take_packed(cpb_find *f) {
  unsigned size = cpb_wire_fixed_size(f->found.field->type);
  return size > 0 ? take_fixed(f, size) : take_varints(f);
}

/* --- The walk ------------------------------------------------------------------- */

static bool is_wanted(const cpb_find *f) { return f->scanner.depth == 0 && f->scanner.field.number == f->found.number; }

static bool on_field(cpb_find *f) {
  const cpb_wire_field field = f->scanner.field;
  if (!charge(f, cpb_wire_walked(&f->scanner), field.begin)) return false;
  if (f->scanner.depth > 0 && f->is_map) take_entry_field(f, &field);
  if (!is_wanted(f)) return true;
  if (f->is_map) {
    if (field.type != CPB_WIRE_LEN) return true; /* not an entry, but an unknown field */
    begin_entry(f);
    return cpb_wire_enter(&f->scanner);
  }
  if (field.type == CPB_WIRE_START_GROUP) return cpb_wire_enter(&f->scanner);
  return take_occurrence(f, &field, field.value + field.size);
}

/* The end of a map entry, or of a group, whose size includes its end tag. */
static bool on_leave(cpb_find *f) {
  cpb_wire_field field = f->scanner.field;
  if (f->is_map) return f->key_matches ? only_range(f, f->value.offset, f->value.length) : true;
  uint64_t end = field.value + field.size;
  field.size -= cpb_varint_size((uint64_t)field.number << 3 | CPB_WIRE_END_GROUP);
  return take_occurrence(f, &field, end);
}

static void open_range(cpb_find *f) {
  const cpb_range *range = &f->current.items[f->range];
  cpb_wire_begin(&f->scanner, &f->allocator, f->meter.limits.depth, range->offset + range->length, &f->error);
  f->scanner.pos = range->offset;
  f->scanning = true;
}

static cpb_have close_range(cpb_find *f) {
  cpb_wire_free(&f->scanner);
  f->scanning = false;
  f->range++;
  return charge(f, cpb_wire_walked(&f->scanner), f->scanner.pos) ? CPB_HAVE : CPB_FAILED;
}

/* Once an element is found, the rest need not be scanned. A map must be scanned completely: the last entry with the key
 * counts. */
static bool is_decided(const cpb_find *f) { return f->subscript && !f->is_map && f->matched; }

/* Scans one more field. */
static cpb_have walk(cpb_find *f) {
  if (!f->scanning && (is_decided(f) || f->range == f->current.count)) return end_walk(f) ? CPB_HAVE : CPB_FAILED;
  if (!f->scanning) open_range(f);
  if (is_decided(f)) return close_range(f);
  cpb_span span;
  cpb_wire_event event = cpb_wire_next(&f->scanner, &(cpb_span){NULL, 0});
  if (event == CPB_WIRE_MORE) {
    uint64_t pos = f->scanner.pos;
    cpb_have have = cpb_wire_feed_next(&f->feed, pos, 1, f->scanner.size - pos, &span);
    if (have != CPB_HAVE) return have;
    event = cpb_wire_next(&f->scanner, &span);
  }
  switch (event) {
    case CPB_WIRE_FIELD: return on_field(f) ? CPB_HAVE : CPB_FAILED;
    case CPB_WIRE_LEAVE: return on_leave(f) ? CPB_HAVE : CPB_FAILED;
    case CPB_WIRE_END: return close_range(f);
    case CPB_WIRE_MORE: return CPB_HAVE;
    case CPB_WIRE_ERROR: break;
  }
  return CPB_FAILED;
}

static cpb_have begin(cpb_find *f) {
  uint64_t size;
  cpb_have have = cpb_input_size(&f->input, 0, &size);
  if (have != CPB_HAVE) return have;
  f->state = FIND_TAG;
  if (!f->within) return add_range(f, &f->current, 0, size) ? CPB_HAVE : CPB_FAILED;
  for (size_t i = 0; i < f->current.count; i++) {
    const cpb_range *range = &f->current.items[i];
    if (range->offset <= size && range->length <= size - range->offset) continue;
    cpb_fail(&f->error, CPB_E_USAGE, range->offset, "a range of %llu bytes ends beyond the message",
             (unsigned long long)range->length);
    return CPB_FAILED;
  }
  return CPB_HAVE;
}

static cpb_have act(cpb_find *f) {
  switch (f->state) {
    case FIND_SIZE: return begin(f);
    case FIND_TAG:
      if (path_tag(f, f->tag)) return begin_walk(f) ? CPB_HAVE : CPB_FAILED;
      f->state = FIND_DONE;
      return CPB_HAVE;
    case FIND_WALK: return walk(f);
    case FIND_KEY: return read_key(f);
    case FIND_PACKED: return take_packed(f);
    case FIND_DONE: break;
  }
  return CPB_HAVE;
}

static cpb_step fail(cpb_find *f, cpb_have have) {
  if (have == CPB_AT_END) cpb_fail(&f->error, CPB_E_TRUNCATED, f->input.size, "the message ends within a field");
  else if (f->error.code == CPB_OK) f->error = f->input.failure;
  cpb_meter_explain(&f->meter, &f->error);
  return CPB_STEP_ERROR;
}

cpb_step cpb_find_step(cpb_find *f) {
  if (f->error.code != CPB_OK) return CPB_STEP_ERROR;
  cpb_meter_update(&f->meter);
  f->reports = false;
  while (f->state != FIND_DONE) {
    cpb_have have = act(f);
    if (have == CPB_WAIT) return CPB_STEP_NEED;
    if (have != CPB_HAVE) return fail(f, have);
    if (f->reports) return CPB_STEP_DATA;
  }
  return CPB_STEP_DONE;
}
