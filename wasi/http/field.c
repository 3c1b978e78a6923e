/* A field of the message by its path, as JSON. */
#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "component/field_json.h"
#include "cpb/find.h"
#include "job.h"

#define BEGINNING 4096
#define OMIT 1024
#define OMIT_MOST ((uint64_t)1 << 20)

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

/* Sets the error unless a more precise one is set. */
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
  cpb_error error;
  if (!find_type(f, &type)) return false;
  f->find = cpb_message_file_find(f->message, type, f->path, &error);
  return f->find || fail(f, &error);
}

/* --- The answer ------------------------------------------------------------------------------------------ */

static bool write_value(field *f, cpb_json_writer *w) {
  cpb_buffer text;
  cpb_error error;
  cpb_buffer_init(&text, &f->job->allocator);
  cpb_error_begin(&error, NULL);
  bool done = cpb_field_json_text(f->message, f->find, f->omit, &text, &error) || fail(f, &error);
  if (done && text.size > 0) cpb_json_writer_raw(w, "value", (cpb_span){text.data, text.size});
  cpb_buffer_free(&text);
  return done;
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
    const char *type = cpb_field_type_name(cpb_find_found(f.find));
    cpb_json_writer_text(&w, "path", f.text);
    if (type) cpb_json_writer_text(&w, "type", type);
    write_place(&f, &w);
    write_value(&f, &w);
  }
  reply_json(j, &w);
  free_field(&f);
}
