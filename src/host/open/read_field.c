/* A field of a message in one call, as bytes or as JSON: the engines for finding and for JSON, driven over an opened
 * message. */
#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/checked.h"
#include "base/limits.h"
#include "base/meter.h"
#include "base/status.h"
#include "cpb/field_json.h"
#include "cpb/message.h"
#include "cpb/open.h"

#define BEGINNING 4096 /* bytes of a message that identify the kind of model */

/* --- The type ---------------------------------------------------------------------------- */

static bool has_path(const cpb_message_type *type, const cpb_path *path) {
  for (size_t i = 0; i < cpb_path_num_tags(path); i++) {
    const cpb_path_tag *tag = cpb_path_get_tag(path, i);
    const bool names = tag->kind == CPB_PATH_NAME;
    if (!names && tag->kind != CPB_PATH_NUMBER) {
      if (type && type->map_entry) type = cpb_message_find_number(type, 2)->message;
      continue;
    }
    const cpb_field *field = type && names ? cpb_message_find_name(type, tag->text, tag->length) : NULL;
    if (!field) return false;
    type = field->message;
  }
  return true;
}

const cpb_message_type *cpb_guess_message_type(const cpb_schema *schema, const cpb_path *path) {
  const cpb_message_type *only = NULL;
  const char *label;
  cpb_model_kind kind = 1;
  do { /* after the last kind comes a type that is not a model */
    label = cpb_model_kind_name(kind);
    const char *name = label ? cpb_model_message_type(kind++) : "tensorflow.FunctionDef";
    const cpb_message_type *type = name ? cpb_schema_find_message(schema, name) : NULL;
    if (!type || !has_path(type, path)) continue;
    if (only) return NULL;
    only = type;
  } while (label);
  return only;
}

/* --- The result -------------------------------------------------------------------------- */

/* Bytes that are generated, followed by a NUL, within limits.answer. */
typedef struct result {
  cpb_allocator allocator;
  cpb_meter meter;
  cpb_buffer bytes;
  cpb_error *error;
} result;

static void begin_result(result *r, const cpb_field_options *options, uint64_t size, cpb_error *error) {
  r->allocator = cpb_allocator_or_default(options->allocator);
  r->error = error;
  cpb_meter_init(&r->meter, &r->allocator, options->limits, NULL);
  cpb_meter_grow(&r->meter, size);
  cpb_buffer_init(&r->bytes, &r->allocator);
}

static bool put(result *r, const void *data, size_t size) {
  if (!cpb_meter_charge(&r->meter, CPB_WORK_ANSWER, size, CPB_NO_OFFSET, r->error)) return false;
  return cpb_buffer_append(&r->bytes, data, size) || cpb_fail_memory(r->error) == CPB_OK;
}

/* The bytes, which now belong to the caller; NULL after a failure. */
static void *end_result(result *r, bool done, size_t *size) {
  *size = r->bytes.size;
  if (done && !cpb_buffer_append(&r->bytes, "", 1)) done = cpb_fail_memory(r->error) == CPB_OK;
  if (!done) cpb_meter_explain(&r->meter, r->error);
  if (!done) cpb_buffer_free(&r->bytes);
  cpb_meter_free(&r->meter);
  return done ? r->bytes.data : NULL;
}

static bool put_range(result *r, cpb_message_file *message, cpb_range range) {
  if (!cpb_meter_allows(&r->meter, CPB_WORK_ANSWER, range.length, range.offset, r->error)) return false;
  while (range.length > 0) {
    size_t length = (size_t)cpb_min_u64(range.length, SIZE_MAX);
    const uint8_t *data = cpb_message_file_read(message, range.offset, &length, r->error);
    if (data && length == 0) cpb_fail(r->error, CPB_E_TRUNCATED, range.offset, "the message ends within the field");
    if (!data || length == 0 || !put(r, data, length)) return false;
    range.offset += length;
    range.length -= length;
  }
  return true;
}

static uint64_t total_size(const cpb_found_field *place) {
  uint64_t size = 0;
  for (size_t i = 0; i < place->num_ranges; i++) size += place->ranges[i].length;
  return size;
}

/* --- JSON -------------------------------------------------------------------------------- */

static cpb_field_json *json_of(const result *r, const cpb_found_field *place, const cpb_field_options *options) {
  const cpb_range nothing = {0, 0};
  const cpb_field_json_options how = {.struct_size = sizeof how,
                                      .max_value = options->omit > 0 ? options->omit : UINT64_MAX,
                                      .max_size = SIZE_MAX / 2,
                                      .json = options->json,
                                      .limits = options->limits};
  const size_t count = place->num_ranges;
  return cpb_field_json_new(&r->allocator, &place->found, count ? place->ranges : &nothing, count ? count : 1, &how);
}

static bool put_json(result *r, cpb_message_file *message, cpb_field_json *json) {
  cpb_step step;
  while ((step = cpb_field_json_step(json)) > CPB_STEP_DONE) {
    if (step == CPB_STEP_NEED) {
      if (cpb_message_file_supply(message, cpb_field_json_input(json), r->error) != CPB_OK) return false;
      continue;
    }
    size_t length;
    const char *text = cpb_field_json_output(json, &length);
    if (!put(r, text, length)) return false;
  }
  if (step == CPB_STEP_ERROR) *r->error = *cpb_field_json_error(json);
  return step == CPB_STEP_DONE;
}

/* The JSON of text and bytes is longer than they are. */
static bool may_read(result *r, const cpb_found_field *place, uint64_t size, uint64_t omit) {
  const cpb_found *found = &place->found;
  if (found->message || found->fields || found->wire_type != 2 || (omit > 0 && size > omit)) return true;
  return cpb_meter_allows(&r->meter, CPB_WORK_ANSWER, size, place->num_ranges ? place->ranges[0].offset : CPB_NO_OFFSET,
                          r->error);
}

char *cpb_message_file_json(cpb_message_file *message, const cpb_found_field *place,
                            const cpb_field_options *given_options, size_t *size, cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  cpb_field_options options;
  result r;
  cpb_options_copy(&options, sizeof options, given_options);
  begin_result(&r, &options, total_size(place), error);
  cpb_field_json *json = json_of(&r, place, &options);
  if (!json) cpb_fail_memory(error);
  bool done = json && may_read(&r, place, total_size(place), options.omit) && put_json(&r, message, json);
  cpb_field_json_free(json);
  return end_result(&r, done, size);
}

/* --- In one call ------------------------------------------------------------------------- */

typedef struct reading {
  cpb_field_options options;
  cpb_allocator allocator;
  cpb_error *error;
  cpb_path *path;
  cpb_schema *schema;
  char *found; /* the name of the file */
  cpb_message_file *message;
  cpb_find *find;
} reading;

static bool open_message(reading *r, const char *location) {
  static const cpb_url_options defaults = {.struct_size = sizeof defaults};
  const cpb_field_options *o = &r->options;
  const cpb_url_options *urls = o->urls ? o->urls : &defaults;
  size_t room = strlen(location) + CPB_FIND_MODEL_ROOM;
  r->found = cpb_alloc(&r->allocator, room);
  if (!r->found) return cpb_fail_memory(r->error) == CPB_OK;
  cpb_file *file = cpb_find_and_open(&r->allocator, location, urls, r->found, room, r->error);
  if (!file) return false;
  const cpb_message_type *type = o->type ? o->type : cpb_guess_message_type(r->schema, r->path);
  const cpb_message_file_options how = {.struct_size = sizeof how,
                                        .limits = o->limits,
                                        .type = o->type,
                                        .progress = o->progress,
                                        .user = o->user,
                                        .urls = urls,
                                        .allow_references = o->allow_references,
                                        .plan_late = 1,
                                        .field = type ? r->path : NULL,
                                        .field_type = type};
  r->message = cpb_message_file_on(&r->allocator, file, r->found, &how, r->error);
  r->options.type = type;
  return r->message != NULL;
}

/* Finds the type from the message's first bytes, if the path has names and these do not determine it. A read ends at
 * the end of a chunk. */
static bool find_type(reading *r) {
  uint8_t begin[BEGINNING];
  size_t size = 0, length = 1;
  const cpb_path_tag *first = cpb_path_get_tag(r->path, 0);
  if (r->options.type || (first && first->kind != CPB_PATH_NAME)) return true;
  for (; size < sizeof begin && length > 0; size += length) {
    length = sizeof begin - size;
    const uint8_t *data = cpb_message_file_read(r->message, size, &length, r->error);
    if (!data) return false;
    memcpy(begin + size, data, length);
  }
  const cpb_file_ends ends = {.struct_size = sizeof ends, .begin = begin, .begin_size = size, .size = UINT64_MAX};
  const char *name = cpb_model_message_type(cpb_model_guess(&ends));
  r->options.type = name ? cpb_schema_find_message(r->schema, name) : NULL;
  return true;
}

static bool find_field(reading *r, const char *location, const char *path) {
  r->path = cpb_path_parse(&r->allocator, path, strlen(path), r->error);
  if (r->path && !r->options.type) r->schema = cpb_schema_new_builtin(&r->allocator, r->error);
  if (!r->path || (!r->options.type && !r->schema)) return false;
  if (!open_message(r, location) || !find_type(r)) return false;
  const cpb_path *there = cpb_message_file_field(r->message);
  r->find = cpb_message_file_find(r->message, r->options.type, there ? there : r->path, r->error);
  return r->find != NULL;
}

static void *take(reading *r, bool json, size_t *size) {
  void *taken = NULL;
  cpb_found_field place = {.found = *cpb_find_found(r->find), .num_ranges = cpb_find_num_ranges(r->find)};
  cpb_range *ranges = cpb_alloc(&r->allocator, place.num_ranges * sizeof *ranges);
  for (size_t i = 0; ranges && i < place.num_ranges; i++) ranges[i] = cpb_find_get_range(r->find, i);
  place.ranges = ranges;
  if (!ranges) {
    cpb_fail_memory(r->error);
  } else if (json) {
    taken = cpb_message_file_json(r->message, &place, &r->options, size, r->error);
  } else {
    result bytes;
    bool done = true;
    begin_result(&bytes, &r->options, total_size(&place), r->error);
    for (size_t i = 0; done && i < place.num_ranges; i++) done = put_range(&bytes, r->message, ranges[i]);
    taken = end_result(&bytes, done, size);
  }
  cpb_release(&r->allocator, ranges);
  return taken;
}

static void *read_field(const char *location, const char *path, const cpb_field_options *options, bool json,
                        size_t *size, cpb_error *given_error) {
  cpb_error spare;
  reading r = {.error = cpb_error_begin(given_error, &spare)};
  cpb_options_copy(&r.options, sizeof r.options, options);
  r.allocator = cpb_allocator_or_default(r.options.allocator);
  void *taken = find_field(&r, location, path) ? take(&r, json, size) : NULL;
  cpb_find_free(r.find);
  cpb_message_file_close(r.message);
  cpb_release(&r.allocator, r.found);
  cpb_schema_free(r.schema);
  cpb_path_free(r.path);
  return taken;
}

uint8_t *cpb_read_field(const char *location, const char *path, const cpb_field_options *options, size_t *size,
                        cpb_error *error) {
  return read_field(location, path, options, false, size, error);
}

char *cpb_read_field_json(const char *location, const char *path, const cpb_field_options *options, size_t *size,
                          cpb_error *error) {
  return read_field(location, path, options, true, size, error);
}
