/* Messages, and their fields by their paths. */
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "cpb/open.h"
#include "field_json.h"
#include "host.h"

enum { RANGES_AT_ONCE = 4096, OMIT = 1024, TYPE_NAME = 256 };

struct exports_messages_message_t {
  size_t users;
  cpb_message_file *file;
  uint64_t size;
  cpb_schema *schema;
  const cpb_message_type *type; /* NULL: it was not named */
};
typedef exports_messages_message_t message;

struct exports_messages_field_t {
  message *message;
  cpb_path *path;
  cpb_find *find;
  uint64_t size;
};

static void free_message(message *m) {
  if (!m || --m->users > 0) return;
  cpb_message_file_close(m->file);
  cpb_schema_free(m->schema);
  free(m);
}

/* --- Contents ---------------------------------------------------------------------- */

/* An engine for ranges of a message, one after the other, or for a text. */
typedef struct ranges {
  engine engine;
  message *message;
  cpb_buffer text;
  cpb_error error;
  size_t next, count;
  cpb_range now;
  cpb_range list[];
} ranges;

static cpb_step advance_ranges(engine *e) {
  ranges *r = (ranges *)e;
  if (r->error.code != CPB_OK) return CPB_STEP_ERROR;
  while (r->now.length == 0 && r->next < r->count) r->now = r->list[r->next++];
  if (r->now.length == 0) return CPB_STEP_DONE;
  e->data.size = (size_t)cpb_min_u64(r->now.length, SIZE_MAX);
  e->data.data = cpb_message_file_read(r->message->file, r->now.offset, &e->data.size, &r->error);
  if (e->data.data && e->data.size > 0) {
    r->now = (cpb_range){r->now.offset + e->data.size, r->now.length - e->data.size};
    return CPB_STEP_DATA;
  }
  e->data.size = 0;
  cpb_fail(&r->error, CPB_E_TRUNCATED, r->now.offset, "the message ends here; expected %llu bytes more",
           (unsigned long long)r->now.length);
  return CPB_STEP_ERROR;
}

static void take_back(engine *e) {
  ranges *r = (ranges *)e;
  r->now = (cpb_range){r->now.offset - e->data.size, r->now.length + e->data.size};
  e->data.size = 0;
}

/* The whole text is available from the beginning. */
static cpb_step advance_text(engine *e) {
  (void)e;
  return CPB_STEP_DONE;
}

static const cpb_error *error_of_ranges(const engine *e) { return &((const ranges *)e)->error; }

static void free_ranges(engine *e) {
  ranges *r = (ranges *)e;
  free_message(r->message);
  cpb_buffer_free(&r->text);
}

static const engine_kind ranges_kind = {advance_ranges, error_of_ranges, NULL, free_ranges, take_back};
static const engine_kind text_kind = {advance_text, error_of_ranges, NULL, free_ranges, NULL};

static ranges *new_ranges(message *m, const engine_kind *kind, size_t count) {
  const bool fits = count < SIZE_MAX / 2 / sizeof(cpb_range);
  ranges *r = fits ? engine_new(sizeof *r + count * sizeof *r->list, kind, NULL) : NULL;
  if (!r) return NULL;
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  r->message = m;
  m->users++;
  cpb_buffer_init(&r->text, &a);
  cpb_error_begin(&r->error, NULL);
  return r;
}

/* Adds the part of `range` that a read wants: `*length` bytes after the first `*skip`. Subtracts the handled bytes from
 * both. */
static void add_range(ranges *r, cpb_range range, uint64_t *skip, uint64_t *length) {
  uint64_t skipped = cpb_min_u64(*skip, range.length), taken = cpb_min_u64(*length, range.length - skipped);
  *skip -= skipped;
  *length -= taken;
  if (taken > 0) r->list[r->count++] = (cpb_range){range.offset + skipped, taken};
}

/* --- Opening -------------------------------------------------------------------------- */

static bool set_type(message *m, const wit_option_string_t *given, cpb_error *error) {
  char name[TYPE_NAME], shown[128];
  if (!given->is_some) return true;
  size_t length = cpb_min_size(given->val.len, sizeof name - 1);
  memcpy(name, given->val.ptr, length);
  name[length] = 0;
  m->type = length == given->val.len && !memchr(name, 0, length) ? cpb_schema_find_message(m->schema, name) : NULL;
  if (m->type) return true;
  return CPB_FAILS(error, CPB_E_USAGE, CPB_NO_OFFSET, "there is no message type %s in the schema",
                   cpb_quote(shown, sizeof shown, given->val.ptr, given->val.len));
}

static bool set_schema(message *m, const exports_messages_message_options_t *options, cpb_error *error) {
  const wit_option_list_u8_t *set = &options->schema;
  m->schema = set->is_some ? cpb_schema_new(NULL, set->val.ptr, set->val.len, NULL, error)
                           : cpb_schema_new_builtin(NULL, error);
  return m->schema && set_type(m, &options->type_name, error);
}

/* `field`: the only field to read, or NULL. */
static bool open_file(message *m, lent *from, uint8_t form, const cpb_path *field, const cpb_message_type *type,
                      cpb_error *error) {
  static const char *const names[] = {"", "m.cpb", "m.pb"};
  const cpb_message_file_options how = {
      .struct_size = sizeof how, .type = m->type, .plan_late = field != NULL, .field = field, .field_type = type};
  cpb_file *file = host_open(from, error);
  if (file) m->file = cpb_message_file_on(NULL, file, names[form], &how, error);
  return m->file != NULL;
}

/* A message with its types, but without its file. NULL and `error` on failure. */
static message *new_message(exports_messages_message_options_t *options, cpb_error *error) {
  message *m = calloc(1, sizeof *m);
  if (m) m->users = 1;
  else cpb_fail_memory(error);
  bool done = m && set_schema(m, options, error);
  if (options->schema.is_some) argument_free(options->schema.val.ptr, options->schema.val.len);
  if (options->type_name.is_some) argument_free(options->type_name.val.ptr, options->type_name.val.len);
  if (done) return m;
  free_message(m);
  return NULL;
}

bool exports_messages_static_message_open(exports_messages_own_source_t source,
                                          exports_messages_message_options_t *options,
                                          exports_messages_own_message_t *ret, exports_messages_error_t *err) {
  cpb_error error = {.offset = CPB_NO_OFFSET};
  lent *from = lent_new(source, &options->read_size, &error);
  message *m = new_message(options, &error);
  bool done = m && from && open_file(m, from, options->form, NULL, NULL, &error) &&
              cpb_message_file_size(m->file, &m->size, &error) == CPB_OK;
  lent_free(from);
  if (done) {
    *ret = exports_messages_message_new(m);
    return true;
  }
  free_message(m);
  return component_fail(err, &error);
}

void exports_messages_message_destructor(message *m) { free_message(m); }

uint64_t exports_messages_method_message_size(message *m) { return m->size; }

bool exports_messages_method_message_read(message *m, uint64_t offset, uint64_t *length,
                                          exports_messages_own_content_t *ret, exports_messages_error_t *err) {
  ranges *r = new_ranges(m, &ranges_kind, 1);
  uint64_t skip = offset, left = length ? *length : UINT64_MAX;
  if (!r) return component_fail_memory(err);
  add_range(r, (cpb_range){0, m->size}, &skip, &left);
  return content_of(&r->engine, ret, err);
}

/* --- Finding ---------------------------------------------------------------------------- */

static bool has_names(const cpb_path *path) {
  for (size_t i = 0; i < cpb_path_num_tags(path); i++)
    if (cpb_path_get_tag(path, i)->kind == CPB_PATH_NAME) return true;
  return false;
}

static bool set_path(exports_messages_field_t *f, const wit_string_t *path, const cpb_message_type **type,
                     cpb_error *error) {
  const message *m = f->message;
  f->path = cpb_path_parse(NULL, (const char *)path->ptr, path->len, error);
  if (!f->path) return false;
  *type = m->type ? m->type : cpb_guess_message_type(m->schema, f->path);
  if (*type || !has_names(f->path)) return true;
  return CPB_FAILS(error, CPB_E_USAGE, CPB_NO_OFFSET,
                   "no type that models consist of has the names of the path, or several have; expected type-name");
}

/* `path`: the field's, or its path in an index in pages. */
static bool find_field(exports_messages_field_t *f, const cpb_message_type *type, const cpb_path *path,
                       cpb_error *error) {
  f->find = cpb_message_file_find(f->message->file, type, path, error);
  for (size_t i = 0; f->find && i < cpb_find_num_ranges(f->find); i++) f->size += cpb_find_get_range(f->find, i).length;
  return f->find != NULL;
}

void exports_messages_field_destructor(exports_messages_field_t *f) {
  cpb_find_free(f->find);
  free_message(f->message);
  cpb_path_free(f->path);
  free(f);
}

/* A new field, which owns the message; NULL when memory is short. */
static exports_messages_field_t *new_field(message *m, cpb_error *error) {
  exports_messages_field_t *f = m ? calloc(1, sizeof *f) : NULL;
  if (f) f->message = m;
  else cpb_fail_memory(error);
  if (m && !f) free_message(m);
  return f;
}

static bool give_field(exports_messages_field_t *f, bool done, const cpb_error *error,
                       exports_messages_own_field_t *ret, exports_messages_error_t *err) {
  if (done) *ret = exports_messages_field_new(f);
  else if (f) exports_messages_field_destructor(f);
  return done || component_fail(err, error);
}

bool exports_messages_method_message_field(message *m, wit_string_t *path, exports_messages_own_field_t *ret,
                                           exports_messages_error_t *err) {
  cpb_error error = {.offset = CPB_NO_OFFSET};
  const cpb_message_type *type = NULL;
  m->users++;
  exports_messages_field_t *f = new_field(m, &error);
  bool done = f && set_path(f, path, &type, &error) && find_field(f, type, f->path, &error);
  argument_free(path->ptr, path->len);
  return give_field(f, done, &error, ret, err);
}

static bool open_field(exports_messages_field_t *f, lent *from, uint8_t form, const wit_string_t *path,
                       cpb_error *error) {
  const cpb_message_type *type = NULL;
  if (!set_path(f, path, &type, error) || !open_file(f->message, from, form, f->path, type, error)) return false;
  const cpb_path *there = cpb_message_file_field(f->message->file);
  return find_field(f, type, there ? there : f->path, error);
}

bool exports_messages_open_field(exports_messages_own_source_t source, exports_messages_message_options_t *options,
                                 wit_string_t *path, exports_messages_own_field_t *ret, exports_messages_error_t *err) {
  cpb_error error = {.offset = CPB_NO_OFFSET};
  lent *from = lent_new(source, &options->read_size, &error);
  exports_messages_field_t *f = new_field(new_message(options, &error), &error);
  bool done = f && from && open_field(f, from, options->form, path, &error);
  argument_free(path->ptr, path->len);
  lent_free(from);
  return give_field(f, done, &error, ret, err);
}

/* --- What was found ----------------------------------------------------------------------- */

bool exports_messages_method_field_type_name(exports_messages_field_t *f, wit_string_t *ret) {
  const char *name = cpb_field_type_name(cpb_find_found(f->find));
  return name && component_give(name, strlen(name), ret);
}

bool exports_messages_method_field_ranges(exports_messages_field_t *f, uint64_t first, uint32_t count,
                                          exports_messages_list_range_t *ret, exports_messages_error_t *err) {
  size_t all = cpb_find_num_ranges(f->find);
  size_t length = first < all ? (size_t)cpb_min_u64(all - first, cpb_min_u64(count, RANGES_AT_ONCE)) : 0;
  *ret = (exports_messages_list_range_t){NULL, 0};
  if (length == 0) return true;
  ret->ptr = malloc(length * sizeof *ret->ptr);
  if (!ret->ptr) return component_fail_memory(err);
  ret->len = length;
  for (size_t i = 0; i < length; i++) {
    cpb_range range = cpb_find_get_range(f->find, (size_t)first + i);
    ret->ptr[i] = (exports_messages_range_t){range.offset, range.length};
  }
  return true;
}

uint64_t exports_messages_method_field_size(exports_messages_field_t *f) { return f->size; }

bool exports_messages_method_field_read(exports_messages_field_t *f, uint64_t offset, uint64_t *length,
                                        exports_messages_own_content_t *ret, exports_messages_error_t *err) {
  size_t count = cpb_find_num_ranges(f->find);
  uint64_t skip = offset, left = length ? *length : UINT64_MAX;
  ranges *r = new_ranges(f->message, &ranges_kind, count);
  if (!r) return component_fail_memory(err);
  for (size_t i = 0; i < count; i++) add_range(r, cpb_find_get_range(f->find, i), &skip, &left);
  return content_of(&r->engine, ret, err);
}

bool exports_messages_method_field_json(exports_messages_field_t *f, uint64_t *omit,
                                        exports_messages_own_content_t *ret, exports_messages_error_t *err) {
  cpb_error error = {.offset = CPB_NO_OFFSET};
  ranges *r = new_ranges(f->message, &text_kind, 0);
  if (!r) return component_fail_memory(err);
  bool done = cpb_field_json_text(f->message->file, f->find, omit ? *omit : OMIT, &r->text, &error);
  if (done && r->text.size == 0)
    cpb_fail(&error, CPB_E_USAGE, CPB_NO_OFFSET, "JSON takes the type of the message; expected type-name");
  done = error.code == CPB_OK ? content_new(&r->engine, 0, NULL, ret, err) : component_fail(err, &error);
  r->engine.data = (cpb_span){r->text.data, r->text.size}; /* content_new() has emptied it */
  engine_free(&r->engine);
  return done;
}
