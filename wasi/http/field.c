/* A field of the message by its path, as JSON. */
#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "cpb/find.h"
#include "cpb/outline.h"
#include "job.h"

#define BEGINNING 4096
#define OMIT 1024
#define OMIT_MOST ((uint64_t)1 << 20)
#define OUTLINE_MOST ((uint64_t)16 << 20)
#define TEXT_MOST ((size_t)32 << 20)
#define HEAD_MAX (2 * CPB_VARINT_MAX)

typedef struct field {
  job *job;
  char *name, *text;
  size_t text_length;
  uint64_t omit;
  cpb_file *file; /* `message` closes it */
  cpb_message_file *message;
  cpb_schema *schema;
  cpb_path *path;
  cpb_find *find;
} field;

static void free_field(field *f) {
  const cpb_allocator *a = &f->job->allocator;
  cpb_find_free(f->find);
  cpb_path_free(f->path);
  cpb_schema_free(f->schema);
  cpb_message_file_close(f->message);
  cpb_release(a, f->name);
  cpb_release(a, f->text);
}

/* Sets the error unless a more exact one is set. */
static bool fail(field *f, const cpb_error *error) {
  if (f->job->error.code == CPB_OK) f->job->error = *error;
  return false;
}

static bool fail_memory(field *f) { return cpb_fail_memory(&f->job->error) == CPB_OK; }

/* --- Where it is --------------------------------------------------------------------------------------- */

/* The type that the query names, or that of the model; NULL: not known. */
static bool find_type(field *f, const cpb_message_type **type) {
  job *j = f->job;
  char name[256];
  size_t length = BEGINNING;
  if (job_parameter(j, "type", name, sizeof name, &length)) {
    *type = cpb_schema_find_message(f->schema, name);
    if (!*type)
      cpb_fail(&j->error, CPB_E_USAGE, CPB_NO_OFFSET,
               "the message type is not built in; expected that of a model, such as tensorflow.SavedModel");
    return *type != NULL;
  }
  if (j->error.code != CPB_OK) return false;
  uint8_t begin[CPB_BEGIN_BYTES];
  size_t size = 0;
  for (length = 1; length > 0 && size < sizeof begin; size += length) { /* a read ends where a chunk does */
    length = sizeof begin - size;
    const uint8_t *data = cpb_message_file_read(f->message, size, &length, &j->error);
    if (!data) return false;
    memcpy(begin + size, data, length);
  }
  const cpb_file_ends ends = {.struct_size = sizeof ends, .begin = begin, .begin_size = size, .size = UINT64_MAX};
  const char *guessed = cpb_model_message_type(cpb_model_guess(&ends));
  if (guessed) *type = cpb_schema_find_message(f->schema, guessed);
  return true;
}

static bool open_field(field *f) {
  job *j = f->job;
  const cpb_message_file_options how = {.struct_size = sizeof how};
  f->text = cpb_alloc(&j->allocator, NAME_MAX_LENGTH);
  if (!f->text) return fail_memory(f);
  *f->text = 0;
  job_parameter(j, "path", f->text, NAME_MAX_LENGTH, &f->text_length);
  if (j->error.code != CPB_OK || !job_number(j, "omit", OMIT_MOST, OMIT, &f->omit)) return false;
  f->path = cpb_path_parse(&j->allocator, f->text, f->text_length, &j->error);
  f->schema = f->path ? cpb_schema_new_builtin(&j->allocator, &j->error) : NULL;
  f->file = f->schema ? job_open(j, &f->name) : NULL;
  if (f->file) f->message = cpb_message_file_on(&j->allocator, f->file, f->name, &how, &j->error);
  return f->message != NULL;
}

static bool find_field(field *f) {
  const cpb_message_type *type = NULL;
  cpb_step step;
  cpb_error error;
  if (!find_type(f, &type)) return false;
  f->find = cpb_find_new(&f->job->allocator, type, f->path, NULL);
  if (!f->find) return fail_memory(f);
  while ((step = cpb_find_step(f->find)) == CPB_STEP_NEED) {
    if (cpb_message_file_supply(f->message, cpb_find_input(f->find), &error) != CPB_OK) return fail(f, &error);
  }
  return step == CPB_STEP_DONE || fail(f, cpb_find_error(f->find));
}

/* --- Its value ------------------------------------------------------------------------------------------ */

/* The JSON of a message, appended to `out`. */
static bool put_json(field *f, const cpb_message_type *type, cpb_span bytes, const cpb_omitted *omitted, size_t count,
                     cpb_buffer *out) {
  const cpb_json_options how = {
      .struct_size = sizeof how, .original_names = 1, .omitted = omitted, .num_omitted = count};
  cpb_json *json = cpb_json_new(&f->job->allocator, type, bytes.data, bytes.size, &how);
  cpb_step step = CPB_STEP_ERROR;
  bool done = json || fail_memory(f);
  while (done && (step = cpb_json_step(json)) == CPB_STEP_OUTPUT) {
    size_t length;
    const char *text = cpb_json_output(json, &length);
    bool fits = out->size + length <= TEXT_MOST;
    if (!fits)
      cpb_fail(&f->job->error, CPB_E_LIMIT, CPB_NO_OFFSET, "the field has more than %zu bytes of JSON", TEXT_MOST);
    done = fits && (cpb_buffer_append(out, text, length) || fail_memory(f));
  }
  if (done && step == CPB_STEP_ERROR) done = fail(f, cpb_json_error(json));
  cpb_json_free(json);
  return done;
}

static bool run_outline(field *f, cpb_outline *outline) {
  cpb_step step;
  cpb_error error;
  while ((step = cpb_outline_step(outline)) == CPB_STEP_NEED) {
    if (cpb_message_file_supply(f->message, cpb_outline_input(outline), &error) != CPB_OK) return fail(f, &error);
  }
  return step == CPB_STEP_DONE || fail(f, cpb_outline_error(outline));
}

static bool put_outline(field *f, const cpb_message_type *type, cpb_buffer *out) {
  const cpb_allocator *a = &f->job->allocator;
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
static bool put_value(field *f, const cpb_found *found, cpb_buffer *out) {
  cpb_range range = cpb_find_get_range(f->find, 0);
  bool omits = found->wire_type == 2 && range.length > f->omit;
  uint64_t length = omits ? 0 : range.length;
  uint8_t head[HEAD_MAX], *end = cpb_varint_write(head, (uint64_t)found->number << 3 | found->wire_type);
  if (found->wire_type == 2) end = cpb_varint_write(end, length);
  cpb_omitted omitted = {range.offset, range.length, (size_t)(end - head), found->number};
  cpb_buffer bytes;
  cpb_buffer_init(&bytes, &f->job->allocator);
  bool done = cpb_buffer_append(&bytes, head, (size_t)(end - head)) || fail_memory(f);
  for (uint64_t at = 0; done && at < length;) {
    size_t some = (size_t)cpb_min_u64(length - at, OMIT_MOST);
    const uint8_t *data = cpb_message_file_read(f->message, range.offset + at, &some, &f->job->error);
    if (data && some == 0)
      cpb_fail(&f->job->error, CPB_E_TRUNCATED, range.offset + at, "the message ends in the field");
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

static bool write_value(field *f, cpb_json_writer *w) {
  const cpb_found *found = cpb_find_found(f->find);
  bool as_message = found->message && !found->fields;
  cpb_buffer text;
  cpb_buffer_init(&text, &f->job->allocator);
  bool done = true;
  if (as_message) done = put_outline(f, found->message, &text);
  else if (found->field && found->fields) done = put_outline(f, found->parent, &text);
  else if (found->field) done = put_value(f, found, &text);
  cpb_span json = {text.data, text.size};
  if (done && text.size > 0) cpb_json_writer_raw(w, "value", as_message ? json : value_in(found, json));
  cpb_buffer_free(&text);
  return done;
}

/* --- The answer ------------------------------------------------------------------------------------------ */

static const char *type_name(const cpb_found *found) {
  static const char *const names[] = {"",        "double",   "float",    "int64",  "uint64",  "int32", "fixed64",
                                      "fixed32", "bool",     "string",   "group",  "message", "bytes", "uint32",
                                      "enum",    "sfixed32", "sfixed64", "sint32", "sint64"};
  if (found->message) return found->message->name;
  if (!found->field) return NULL;
  return found->field->enumeration ? found->field->enumeration->name : names[found->field->type];
}

static void write_place(field *f, cpb_json_writer *w) {
  size_t count = cpb_find_num_ranges(f->find);
  uint64_t size = 0;
  for (size_t i = 0; i < count; i++) size += cpb_find_get_range(f->find, i).length;
  if (count == 1) cpb_json_writer_exact_unsigned(w, "offset", cpb_find_get_range(f->find, 0).offset);
  cpb_json_writer_exact_unsigned(w, "size", size);
}

void answer_field(job *j) {
  field f = {.job = j};
  cpb_json_writer w;
  reply_begin(j, &w);
  if (open_field(&f) && find_field(&f)) {
    const char *type = type_name(cpb_find_found(f.find));
    cpb_json_writer_text(&w, "path", f.text);
    if (type) cpb_json_writer_text(&w, "type", type);
    write_place(&f, &w);
    write_value(&f, &w);
  }
  reply_json(j, &w);
  free_field(&f);
}
