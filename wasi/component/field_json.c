#include "field_json.h"

#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "cpb/find.h"
#include "cpb/outline.h"

#define OUTLINE_MOST ((uint64_t)16 << 20)
#define TEXT_MOST ((size_t)32 << 20)
#define READ_MOST ((uint64_t)1 << 20)
#define HEAD_MAX (2 * CPB_VARINT_MAX)

typedef struct field {
  cpb_allocator allocator;
  cpb_message_file *message;
  const cpb_find *find;
  uint64_t omit;
  cpb_error *error;
} field;

/* Sets the error unless a more exact one is set. */
static bool fail(const field *f, const cpb_error *error) {
  if (f->error->code == CPB_OK) *f->error = *error;
  return false;
}

static bool fail_memory(const field *f) { return cpb_fail_memory(f->error) == CPB_OK; }

/* The JSON of a message, appended to `out`. */
static bool put_json(const field *f, const cpb_message_type *type, cpb_span bytes, const cpb_omitted *omitted,
                     size_t count, cpb_buffer *out) {
  const cpb_json_options how = {
      .struct_size = sizeof how, .original_names = 1, .omitted = omitted, .num_omitted = count};
  cpb_json *json = cpb_json_new(&f->allocator, type, bytes.data, bytes.size, &how);
  cpb_step step = CPB_STEP_ERROR;
  bool done = json || fail_memory(f);
  while (done && (step = cpb_json_step(json)) == CPB_STEP_OUTPUT) {
    size_t length;
    const char *text = cpb_json_output(json, &length);
    bool fits = length <= TEXT_MOST - out->size;
    if (!fits) cpb_fail(f->error, CPB_E_LIMIT, CPB_NO_OFFSET, "the field has more than %zu bytes of JSON", TEXT_MOST);
    done = fits && (cpb_buffer_append(out, text, length) || fail_memory(f));
  }
  if (done && step == CPB_STEP_ERROR) done = fail(f, cpb_json_error(json));
  cpb_json_free(json);
  return done;
}

static bool run_outline(const field *f, cpb_outline *outline) {
  cpb_step step;
  cpb_error error;
  while ((step = cpb_outline_step(outline)) == CPB_STEP_NEED) {
    if (cpb_message_file_supply(f->message, cpb_outline_input(outline), &error) != CPB_OK) return fail(f, &error);
  }
  return step == CPB_STEP_DONE || fail(f, cpb_outline_error(outline));
}

static bool put_outline(const field *f, const cpb_message_type *type, cpb_buffer *out) {
  const cpb_allocator *a = &f->allocator;
  size_t count = cpb_find_num_ranges(f->find), num_omitted;
  const cpb_outline_options how = {.struct_size = sizeof how, .max_value = f->omit, .max_size = OUTLINE_MOST};
  cpb_range *ranges = cpb_alloc(a, (count + 1) * sizeof *ranges);
  for (size_t i = 0; ranges && i < count; i++) ranges[i] = cpb_find_get_range(f->find, i);
  cpb_outline *outline = ranges ? cpb_outline_new(a, type, ranges, count, &how) : NULL;
  bool done = outline ? run_outline(f, outline) : fail_memory(f);
  if (done) {
    cpb_span bytes;
    bytes.data = cpb_outline_message(outline, &bytes.size);
    const cpb_omitted *omitted = cpb_outline_omitted(outline, &num_omitted);
    done = put_json(f, type, bytes, omitted, num_omitted, out);
  }
  cpb_outline_free(outline);
  cpb_release(a, ranges);
  return done;
}

/* A number, text or bytes: as the one field of its parent, without the value where that is long. */
static bool put_value(const field *f, const cpb_found *found, cpb_buffer *out) {
  cpb_range range = cpb_find_get_range(f->find, 0);
  bool omits = found->wire_type == 2 && range.length > f->omit;
  if (!omits && range.length > OUTLINE_MOST)
    return cpb_fail(f->error, CPB_E_LIMIT, range.offset, "a field of %llu bytes; at most %llu are shown as JSON",
                    (unsigned long long)range.length, (unsigned long long)OUTLINE_MOST) == CPB_OK;
  uint64_t length = omits ? 0 : range.length;
  uint8_t head[HEAD_MAX], *end = cpb_varint_write(head, (uint64_t)found->number << 3 | found->wire_type);
  if (found->wire_type == 2) end = cpb_varint_write(end, length);
  cpb_omitted omitted = {range.offset, range.length, (size_t)(end - head), found->number};
  cpb_buffer bytes;
  cpb_buffer_init(&bytes, &f->allocator);
  bool done = cpb_buffer_append(&bytes, head, (size_t)(end - head)) || fail_memory(f);
  for (uint64_t at = 0; done && at < length;) {
    size_t some = (size_t)cpb_min_u64(length - at, READ_MOST);
    const uint8_t *data = cpb_message_file_read(f->message, range.offset + at, &some, f->error);
    if (data && some == 0) cpb_fail(f->error, CPB_E_TRUNCATED, range.offset + at, "the message ends in the field");
    done = data && some > 0 && (cpb_buffer_append(&bytes, data, some) || fail_memory(f));
    at += some;
  }
  done = done && put_json(f, found->parent, (cpb_span){bytes.data, bytes.size}, &omitted, omits, out);
  cpb_buffer_free(&bytes);
  return done;
}

/* What a field is that is there, but has the default of its type, which JSON leaves out. */
static const char *default_of(const cpb_found *found) {
  if (found->fields) return found->field->map ? "{}" : "[]";
  switch (found->field->type) {
    case CPB_TYPE_STRING:
    case CPB_TYPE_BYTES: return "\"\"";
    case CPB_TYPE_BOOL: return "false";
    case CPB_TYPE_INT64:
    case CPB_TYPE_UINT64:
    case CPB_TYPE_FIXED64:
    case CPB_TYPE_SFIXED64:
    case CPB_TYPE_SINT64: return "\"0\"";
    default: return "0";
  }
}

/* Of the object of a parent that has but this field, {"name":VALUE}, the value; of an element the only one in its
 * list. */
static cpb_span value_in(const cpb_found *found, cpb_span object) {
  const char *none = default_of(found);
  const uint8_t *colon = memchr(object.data, ':', object.size);
  if (!colon) return (cpb_span){(const uint8_t *)none, strlen(none)};
  cpb_span value = {colon + 1, (size_t)(object.data + object.size - 1 - (colon + 1))};
  bool listed = found->field->repeated && !found->fields && value.size > 1 && *value.data == '[';
  return listed ? (cpb_span){value.data + 1, value.size - 2} : value;
}

bool cpb_field_json(cpb_message_file *message, const cpb_find *find, uint64_t omit, cpb_buffer *text, cpb_span *value,
                    cpb_error *error) {
  const cpb_found *found = cpb_find_found(find);
  const field f = {text->allocator, message, find, omit, error};
  bool as_message = found->message && !found->fields, done = true;
  if (as_message) done = put_outline(&f, found->message, text);
  else if (found->field && found->fields) done = put_outline(&f, found->parent, text);
  else if (found->field) done = put_value(&f, found, text);
  *value = (cpb_span){text->data, text->size};
  if (done && text->size > 0 && !as_message) *value = value_in(found, *value);
  return done;
}

const char *cpb_field_type_name(const cpb_found *found) {
  static const char *const names[] = {"",        "double",   "float",    "int64",  "uint64",  "int32", "fixed64",
                                      "fixed32", "bool",     "string",   "group",  "message", "bytes", "uint32",
                                      "enum",    "sfixed32", "sfixed64", "sint32", "sint64"};
  if (found->message) return found->message->name;
  if (!found->field) return NULL;
  return found->field->enumeration ? found->field->enumeration->name : names[found->field->type];
}
