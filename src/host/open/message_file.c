/* A message in a file: the engine cpb_opened, driven by a cpb_file. */
#include "host/open/model_file.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "base/status.h"
#include "cpb/opened.h"
#include "host/file.h"
#include "host/transfer.h"
#include "host/url/address.h"

struct cpb_message_file {
  cpb_allocator allocator;
  cpb_file *file;
  uint64_t file_size; /* 0: unknown, a pipe */
  cpb_progress progress;
  void *user;
  cpb_opened *opened;
};

/* --- Steps ---------------------------------------------------------------------- */

/* False if the host cancels, which is possible before each read. */
static bool go_on(const cpb_message_file *m, cpb_error *error) {
  return cpb_progress_report(m->progress, m->user, cpb_file_bytes_read(m->file), m->file_size, error);
}

/* Carries out the opening, or what was requested. */
static cpb_step run(cpb_message_file *m, cpb_error *error) {
  cpb_step step;
  while ((step = cpb_opened_step(m->opened)) == CPB_STEP_NEED) {
    cpb_input *input = cpb_opened_input(m->opened);
    if (go_on(m, error)) cpb_file_supply(m->file, input);
    else cpb_input_fail_with(input, error);
  }
  if (step == CPB_STEP_ERROR && error->code == CPB_OK) *error = *cpb_opened_error(m->opened);
  return step;
}

/* --- Opening ------------------------------------------------------------------- */

static cpb_opened_form form_of(const char *path) {
  if (cpb_path_ends_with(path, ".cpb")) return CPB_OPENED_CHUNKED;
  return cpb_path_ends_with(path, ".pb") ? CPB_OPENED_PLAIN : CPB_OPENED_AS_IT_BEGINS;
}

static bool open_on(cpb_message_file *m, const char *path, const cpb_message_file_options *o, cpb_error *error) {
  const cpb_opened_options how = {.struct_size = sizeof how,
                                  .form = form_of(path),
                                  .limits = o->limits,
                                  .type = o->type,
                                  .keep_damaged = o->keep_damaged,
                                  .plan_late = o->plan_late,
                                  .field = o->field,
                                  .field_type = o->field_type};
  m->progress = o->progress;
  m->user = o->user;
  if (o->allow_references) cpb_file_allow_references(m->file, o->urls);
  m->opened = cpb_opened_new(&m->allocator, &how);
  if (!m->opened) return cpb_fail_memory(error) == CPB_OK;
  bool known = cpb_file_is_pipe(m->file) || cpb_file_size(m->file, &m->file_size, error) == CPB_OK;
  return known && run(m, error) == CPB_STEP_DONE;
}

cpb_message_file *cpb_message_file_on(const cpb_allocator *given, cpb_file *file, const char *path,
                                      const cpb_message_file_options *given_options, cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  cpb_allocator a = cpb_allocator_or_default(given);
  cpb_message_file *m = cpb_alloc_zeroed(&a, sizeof *m);
  cpb_message_file_options options;
  if (!m) {
    cpb_file_close(file);
    return cpb_fail_memory(error), NULL;
  }
  m->allocator = a;
  m->file = file;
  cpb_options_copy(&options, sizeof options, given_options);
  if (open_on(m, path, &options, error)) return m;
  cpb_message_file_close(m);
  return NULL;
}

cpb_message_file *cpb_message_file_open(const cpb_allocator *a, const char *path,
                                        const cpb_message_file_options *options, cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  const cpb_url_options *urls = options ? options->urls : NULL;
  cpb_file *file = urls && cpb_is_url(path) ? cpb_url_open(a, path, urls, error) : cpb_file_open(a, path, error);
  return file ? cpb_message_file_on(a, file, path, options, error) : NULL;
}

void cpb_message_file_close(cpb_message_file *m) {
  if (!m) return;
  cpb_allocator a = m->allocator;
  cpb_opened_free(m->opened);
  cpb_file_close(m->file);
  cpb_release(&a, m);
}

bool cpb_message_file_check(cpb_message_file *m, cpb_error *error) { return cpb_file_check(m->file, error); }

const cpb_index *cpb_message_file_index(const cpb_message_file *m) { return cpb_opened_index(m->opened); }

const cpb_path *cpb_message_file_field(const cpb_message_file *m) { return cpb_opened_field(m->opened); }

const char *cpb_message_file_damage(const cpb_message_file *m) { return cpb_opened_damage(m->opened); }

const cpb_validators *cpb_message_file_validators(const cpb_message_file *m) { return cpb_file_validators(m->file); }

/* --- Reading --------------------------------------------------------------------- */

const uint8_t *cpb_message_file_read(cpb_message_file *m, uint64_t offset, size_t *length, cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  cpb_opened_view(m->opened, offset, *length);
  cpb_step step = run(m, error);
  if (step == CPB_STEP_ERROR) return NULL;
  const uint8_t *data = cpb_opened_data(m->opened, length);
  return step == CPB_STEP_DATA ? data : (const uint8_t *)"";
}

cpb_code cpb_message_file_size(cpb_message_file *m, uint64_t *size, cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  if (!cpb_opened_index(m->opened)) return cpb_file_size(m->file, size, error);
  cpb_opened_plan(m->opened);
  if (run(m, error) != CPB_STEP_DONE) return error->code;
  *size = cpb_opened_size(m->opened);
  return CPB_OK;
}

cpb_code cpb_message_file_supply(cpb_message_file *m, cpb_input *input, cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  if (go_on(m, error)) {
    cpb_opened_answer(m->opened, input);
    run(m, error);
  } else {
    cpb_input_fail_with(input, error);
  }
  return error->code;
}

cpb_find *cpb_message_file_find(cpb_message_file *m, const cpb_message_type *type, const cpb_path *path,
                                cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  cpb_opened_find(m->opened, type, path);
  return run(m, error) == CPB_STEP_DONE ? cpb_opened_take_found(m->opened) : NULL;
}
