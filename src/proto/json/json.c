#include <string.h>

#include "base/checked.h"
#include "base/json_writer.h"
#include "base/limits.h"
#include "base/meter.h"
#include "base/status.h"
#include "base/utf8.h"
#include "proto/json/fields.h"

#define OUTPUT_SIZE 16384 /* a step ends with this much output */

typedef enum { IN_MESSAGE, IN_LIST, IN_MAP, IN_UNKNOWN } frame_kind;

/* An object or array that is open. */
typedef struct {
  frame_kind kind;
  bool any;                   /* it already has a member */
  const cpb_field *field;     /* LIST, MAP */
  size_t at, end;             /* the remaining items; MAP: entries */
  size_t base;                /* number of items on the stack before */
  size_t entries_base;        /* MAP: the same for entries */
  cpb_json_elements elements; /* LIST */
} frame;

struct cpb_json {
  cpb_allocator outer, allocator; /* the second is the meter's */
  cpb_meter meter;
  cpb_json_options options;
  cpb_error error;
  cpb_span data;
  const cpb_message_type *type;
  cpb_buffer out;
  cpb_json_items items;
  cpb_json_entries entries;
  frame *frames;
  size_t depth, frames_capacity;
  uint32_t messages;                               /* number of frames that are messages or maps */
  cpb_span rest;                                   /* the rest of a long value, written in pieces */
  bool (*put_rest)(cpb_buffer *out, cpb_span *in); /* by this function (NULL: no rest) */
  const char *after;                               /* and followed by this */
  bool begun;
};

/* --- Output --------------------------------------------------------------- */

static bool done(cpb_json *j, bool put) {
  if (!put) cpb_fail_memory(&j->error);
  return put;
}

static bool put(cpb_json *j, const char *text) { return done(j, cpb_json_put_text(&j->out, text)); }

static bool put_line(cpb_json *j) {
  if (j->options.indent == 0) return true;
  if (!put(j, "\n")) return false;
  static const uint8_t spaces[64] = "                                                               ";
  for (size_t left = j->depth * j->options.indent, some; left > 0; left -= some) {
    some = cpb_min_size(left, sizeof spaces - 1);
    if (!done(j, cpb_buffer_append(&j->out, spaces, some))) return false;
  }
  return true;
}

static bool put_member(cpb_json *j) {
  frame *f = &j->frames[j->depth - 1];
  bool first = !f->any;
  f->any = true;
  return (first || put(j, ",")) && put_line(j);
}

static bool put_colon(cpb_json *j) { return put(j, j->options.indent > 0 ? ": " : ":"); }

static bool put_quoted(cpb_json *j, cpb_span text) {
  if (!put(j, "\"")) return false;
  while (text.size > 0)
    if (!done(j, cpb_json_put_string(&j->out, &text))) return false;
  return put(j, "\"");
}

static cpb_span text_span(const char *text) { return (cpb_span){(const uint8_t *)text, strlen(text)}; }

/* The key for a field; that of an extension is in brackets. */
static bool put_name(cpb_json *j, const cpb_field *field) {
  const char *name = j->options.original_names ? field->name : field->json_name;
  if (!put_member(j)) return false;
  bool written = field->extension ? put(j, "\"[") && put(j, name) && put(j, "]\"") : put_quoted(j, text_span(name));
  return written && put_colon(j);
}

/* --- Frames --------------------------------------------------------------- */

static bool push(cpb_json *j, frame f, const char *bracket) {
  bool nests = f.kind == IN_MESSAGE || f.kind == IN_MAP;
  if (nests && j->messages > j->meter.limits.depth)
    return CPB_FAILS(&j->error, CPB_E_LIMIT, CPB_NO_OFFSET, "messages nested deeper than the limit of %u",
                     (unsigned)j->meter.limits.depth);
  if (!done(j, CPB_RESERVE(&j->allocator, &j->frames, &j->frames_capacity, j->depth + 1))) return false;
  j->frames[j->depth++] = f;
  j->messages += nests;
  return put(j, bracket);
}

static bool pop(cpb_json *j, const char *bracket) {
  const frame f = j->frames[--j->depth];
  j->messages -= f.kind == IN_MESSAGE || f.kind == IN_MAP;
  if (f.kind != IN_LIST) j->items.count = f.base;
  return (!f.any || put_line(j)) && put(j, bracket);
}

/* --- Values --------------------------------------------------------------- */

static bool begin_pieces(cpb_json *j, cpb_span value, bool (*put_rest)(cpb_buffer *, cpb_span *), const char *after) {
  j->rest = value;
  j->put_rest = put_rest;
  j->after = after;
  return cpb_meter_charge(&j->meter, CPB_WORK_WALKED, value.size, CPB_NO_OFFSET, &j->error) && put(j, "\"");
}

static bool put_string(cpb_json *j, cpb_span value) {
  if (j->options.strict_utf8 && !cpb_utf8_valid(value))
    return CPB_FAILS(&j->error, CPB_E_DAMAGED, CPB_NO_OFFSET, "string that is not UTF-8 at byte %zu of the message",
                     (size_t)(value.data - j->data.data));
  return begin_pieces(j, value, cpb_json_put_string, "\"");
}

static bool put_omitted(cpb_json *j, const cpb_omitted *omitted) {
  char text[96];
  const char *format = j->options.indent > 0 ? "{\"@omitted\": {\"offset\": %llu, \"size\": %llu}}"
                                             : "{\"@omitted\":{\"offset\":%llu,\"size\":%llu}}";
  cpb_format(text, sizeof text, format, (unsigned long long)omitted->offset, (unsigned long long)omitted->size);
  return put(j, text);
}

static bool put_scalar(cpb_json *j, const cpb_field *field, const cpb_json_item *item) {
  const cpb_enum_value *named = NULL;
  if (item->omitted) return put_omitted(j, item->omitted);
  switch (field->type) {
    case CPB_TYPE_STRING: return put_string(j, item->bytes);
    case CPB_TYPE_BYTES: return begin_pieces(j, item->bytes, cpb_json_put_base64, "\"");
    case CPB_TYPE_ENUM: named = cpb_enum_find_number(field->enumeration, (int32_t)item->value); break;
    default: break;
  }
  if (named) return put_quoted(j, text_span(named->name));
  return done(j, cpb_json_put_number(&j->out, field->type, item->value));
}

/* Puts the fields of a message on the stack of items. The message consists of the items [first, end), which are
 * merged. */
static bool open_items(cpb_json *j, const cpb_message_type *type, size_t first, size_t end) {
  size_t base = j->items.count;
  for (size_t i = first; i < end; i++) {
    const cpb_json_item item = j->items.list[i]; /* the list may move */
    if (!cpb_json_collect(&j->items, type, &item)) return false;
  }
  return cpb_json_arrange(&j->items, base);
}

static bool put_wrapped(cpb_json *j, const cpb_message_type *type, size_t first, size_t end) {
  size_t base = j->items.count;
  cpb_json_item value = {0};
  if (!open_items(j, type, first, end)) return false;
  for (size_t i = base; i < j->items.count; i++)
    if (j->items.list[i].field) value = j->items.list[i];
  j->items.count = base;
  return put_scalar(j, &type->fields[0], &value);
}

/* The last occurrence of a message that was left out. */
static const cpb_omitted *omitted_part(const cpb_json *j, size_t first, size_t end) {
  const cpb_omitted *omitted = NULL;
  for (size_t i = first; i < end; i++)
    if (j->items.list[i].omitted) omitted = j->items.list[i].omitted;
  return omitted;
}

static bool put_message(cpb_json *j, const cpb_message_type *type, size_t first, size_t end) {
  const cpb_omitted *omitted = omitted_part(j, first, end);
  if (omitted) return put_omitted(j, omitted);
  if (cpb_json_is_wrapper(type)) return put_wrapped(j, type, first, end);
  frame f = {.kind = IN_MESSAGE, .base = j->items.count};
  if (!open_items(j, type, first, end)) return false;
  f.at = f.base;
  f.end = j->items.count;
  return push(j, f, "{");
}

/* Puts a singular field: the value that a parser keeps of the occurrences [first, end). */
static bool put_single(cpb_json *j, const cpb_field *field, size_t first, size_t end) {
  if (field->message) return put_message(j, field->message, first, end);
  const cpb_json_item none = {0};
  const cpb_json_item last = end > first ? j->items.list[end - 1] : none;
  return put_scalar(j, field, &last);
}

/* --- Members of a message ------------------------------------------------- */

static bool is_default(const cpb_field *field, const cpb_json_item *item) {
  if (item->omitted) return false;
  if (field->type == CPB_TYPE_STRING || field->type == CPB_TYPE_BYTES) return item->bytes.size == 0;
  return item->value == 0;
}

static bool put_list(cpb_json *j, const cpb_field *field, size_t first, size_t end) {
  frame f = {.kind = IN_LIST, .field = field, .elements = {field, first, end, {NULL, 0}}};
  cpb_json_elements ahead = f.elements;
  cpb_json_item element = {0};
  if (!cpb_json_next_element(&j->items, &ahead, &element))
    return j->error.code == CPB_OK; /* a field without elements is not shown */
  return put_name(j, field) && push(j, f, "[");
}

static bool put_map(cpb_json *j, const cpb_field *field, size_t first, size_t end) {
  size_t before = j->entries.count;
  const cpb_omitted *omitted = omitted_part(j, first, end); /* its key is unknown in this case */
  if (omitted) return put_name(j, field) && put_omitted(j, omitted);
  frame f = {.kind = IN_MAP, .field = field, .at = before, .base = j->items.count, .entries_base = before};
  if (!cpb_json_collect_entries(&j->entries, &j->items, first, end)) return false;
  f.end = j->entries.count;
  return put_name(j, field) && push(j, f, "{");
}

static bool put_unknown_list(cpb_json *j, size_t first, size_t end) {
  frame f = {.kind = IN_UNKNOWN, .at = first, .end = end, .base = j->items.count};
  return put_member(j) && put(j, "\"@unknown\"") && put_colon(j) && push(j, f, "[");
}

static bool next_member(cpb_json *j, frame *f) {
  if (f->at == f->end) return pop(j, "}");
  size_t first = f->at, end = cpb_json_run_end(&j->items, f->at, f->end);
  const cpb_field *field = j->items.list[first].field;
  f->at = end;
  if (!field) return !j->options.unknown_fields || put_unknown_list(j, first, end);
  if (field->map) return put_map(j, field, first, end);
  if (field->repeated) return put_list(j, field, first, end);
  if (!field->presence && is_default(field, &j->items.list[end - 1])) return true;
  return put_name(j, field) && put_single(j, field, first, end);
}

static bool next_element(cpb_json *j, frame *f) {
  cpb_json_item element = {0};
  if (!cpb_json_next_element(&j->items, &f->elements, &element)) return j->error.code == CPB_OK && pop(j, "]");
  if (!put_member(j)) return false;
  if (!f->field->message) return put_scalar(j, f->field, &element);
  return put_message(j, f->field->message, f->elements.at - 1, f->elements.at);
}

static bool put_map_key(cpb_json *j, const cpb_field *key, const cpb_json_entry *entry) {
  bool written = key->type == CPB_TYPE_STRING ? put_quoted(j, entry->text)
                                              : done(j, cpb_json_put_key_number(&j->out, key->type, entry->value));
  return written && put_colon(j);
}

/* Whether an entry has a value that is not in its closed enum: then the whole entry counts as unknown. */
static bool has_unknown_value(const cpb_json *j, size_t first) {
  for (size_t i = first; i < j->items.count; i++) {
    const cpb_json_item *item = &j->items.list[i];
    if (!item->field && item->number == 2 && item->type == CPB_WIRE_VARINT) return true;
  }
  return false;
}

static bool put_entry(cpb_json *j, const cpb_message_type *type, const cpb_json_entry *entry, size_t first) {
  const cpb_field *key = cpb_message_find_number(type, 1), *value = cpb_message_find_number(type, 2);
  if (!cpb_json_collect(&j->items, type, &entry->item)) return false;
  if (value->type == CPB_TYPE_ENUM && has_unknown_value(j, first)) return true;
  if (!cpb_json_arrange(&j->items, first)) return false;
  while (first < j->items.count && j->items.list[first].field != value) first++;
  size_t end = cpb_json_run_end(&j->items, first, j->items.count);
  return put_member(j) && put_map_key(j, key, entry) && put_single(j, value, first, end);
}

static bool next_entry(cpb_json *j, frame *f) {
  j->items.count = f->base;
  if (f->at == f->end) {
    j->entries.count = f->entries_base;
    return pop(j, "}");
  }
  const cpb_json_entry entry = j->entries.list[f->at++];
  return put_entry(j, f->field->message, &entry, f->base);
}

static bool put_raw_number(cpb_json *j, const char *name, uint64_t value) {
  char text[64];
  cpb_format(text, sizeof text, j->options.indent > 0 ? "\"%s\": %llu" : "\"%s\":%llu", name,
             (unsigned long long)value);
  return put(j, text);
}

/* Puts an unknown field: a number as on the wire, in quotes like 64-bit ones; LEN, and groups with their tags, in
 * base64. */
static bool next_unknown(cpb_json *j, frame *f) {
  if (f->at == f->end) return pop(j, "]");
  const cpb_json_item *item = &j->items.list[f->at++];
  const char *comma = j->options.indent > 0 ? ", " : ",";
  bool headed = put_member(j) && put(j, "{") && put_raw_number(j, "number", item->number) && put(j, comma) &&
                put_raw_number(j, "wireType", item->type) && put(j, comma) && put(j, "\"value\"") && put_colon(j);
  if (!headed) return false;
  if (item->omitted) return put_omitted(j, item->omitted) && put(j, "}");
  if (item->type == CPB_WIRE_LEN || item->type == CPB_WIRE_START_GROUP)
    return begin_pieces(j, item->bytes, cpb_json_put_base64, "\"}");
  return done(j, cpb_json_put_number(&j->out, CPB_TYPE_UINT64, item->value)) && put(j, "}");
}

/* --- The engine ----------------------------------------------------------- */

static bool next_piece(cpb_json *j) {
  if (j->rest.size > 0) return done(j, j->put_rest(&j->out, &j->rest));
  j->put_rest = NULL;
  return put(j, j->after);
}

static bool begin(cpb_json *j) {
  j->begun = true;
  const cpb_json_item whole = {.bytes = j->data, .type = CPB_WIRE_LEN};
  if (!done(j, CPB_RESERVE(&j->allocator, &j->items.list, &j->items.capacity, 1))) return false;
  j->items.list[j->items.count++] = whole;
  return put_message(j, j->type, 0, 1);
}

static bool advance(cpb_json *j) {
  if (!j->begun) return begin(j);
  if (j->put_rest) return next_piece(j);
  frame *f = &j->frames[j->depth - 1];
  switch (f->kind) {
    case IN_MESSAGE: return next_member(j, f);
    case IN_LIST: return next_element(j, f);
    case IN_MAP: return next_entry(j, f);
    case IN_UNKNOWN: break;
  }
  return next_unknown(j, f);
}

static bool is_finished(const cpb_json *j) { return j->begun && j->depth == 0 && !j->put_rest; }

cpb_step cpb_json_step(cpb_json *j) {
  j->out.size = 0;
  while (j->error.code == CPB_OK && !is_finished(j) && j->out.size < OUTPUT_SIZE)
    if (!advance(j)) break;
  if (j->error.code != CPB_OK) {
    cpb_meter_explain(&j->meter, &j->error);
    return CPB_STEP_ERROR;
  }
  return j->out.size > 0 ? CPB_STEP_OUTPUT : CPB_STEP_DONE;
}

const char *cpb_json_output(const cpb_json *j, size_t *length) {
  *length = j->out.size;
  return (const char *)j->out.data;
}

const cpb_error *cpb_json_error(const cpb_json *j) { return &j->error; }

cpb_json *cpb_json_new(const cpb_allocator *allocator, const cpb_message_type *type, const void *data, size_t size,
                       const cpb_json_options *options) {
  const cpb_allocator a = cpb_allocator_or_default(allocator);
  cpb_json *j = cpb_alloc_zeroed(&a, sizeof *j);
  if (!j) return NULL;
  j->outer = a;
  if (options) cpb_options_copy(&j->options, sizeof j->options, options);
  j->error.offset = CPB_NO_OFFSET;
  j->data = (cpb_span){data, size};
  j->type = type;
  cpb_meter_init(&j->meter, &a, j->options.limits, NULL);
  cpb_meter_grow(&j->meter, size);
  j->allocator = cpb_meter_allocator(&j->meter);
  j->items = (cpb_json_items){.allocator = j->allocator,
                              .whole = j->data,
                              .omitted = j->options.omitted,
                              .num_omitted = j->options.num_omitted,
                              .meter = &j->meter,
                              .error = &j->error};
  cpb_buffer_init(&j->out, &j->allocator);
  return j;
}

void cpb_json_free(cpb_json *j) {
  if (!j) return;
  const cpb_allocator a = j->outer;
  cpb_buffer_free(&j->out);
  cpb_release(&j->allocator, j->items.list);
  cpb_release(&j->allocator, j->items.oneofs);
  cpb_release(&j->allocator, j->entries.list);
  cpb_release(&j->allocator, j->frames);
  cpb_meter_free(&j->meter);
  cpb_release(&a, j);
}
