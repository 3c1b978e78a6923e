#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/checked.h"
#include "base/input.h"
#include "base/limits.h"
#include "base/status.h"
#include "cpb/open.h"
#include "host/file.h"
#include "host/message_file.h"
#include "host/progress.h"
#include "host/url/address.h"

#define WINDOW_MAX ((size_t)256 << 10)
#define DAMAGE_TEXT (sizeof((cpb_error *)0)->message + 32)

struct cpb_message_file {
  cpb_allocator allocator;
  cpb_message_file_options options;
  cpb_limits limits;
  cpb_file *file;
  uint64_t file_size; /* 0: unknown, a pipe */
  cpb_index *index;   /* NULL: the file is the message */
  cpb_merge *merge;   /* has the plan */
  cpb_merge *fork;    /* reads, once reading has failed; else NULL */
  cpb_buffer window;  /* of the merged message, from `begin` on */
  uint64_t begin;
  char damage[DAMAGE_TEXT]; /* found by planning; "" for none */
};

/* False if the host cancels, which is possible before each read. */
static bool go_on(const cpb_message_file *m, cpb_error *error) {
  const cpb_message_file_options *o = &m->options;
  return cpb_progress_report(o->progress, o->user, cpb_file_bytes_read(m->file), m->file_size, error);
}

/* Describes the damage and its place in the file, which offsets in the message cannot show. */
static void describe(char *text, const cpb_error *damage) {
  size_t length = cpb_format(text, DAMAGE_TEXT, "%s", damage->message);
  if (damage->offset == CPB_NO_OFFSET) return;
  cpb_format(text + length, DAMAGE_TEXT - length, ", at byte %llu of the file", (unsigned long long)damage->offset);
}

/* --- Opening ------------------------------------------------------------------- */

static bool begins_with_records(cpb_message_file *m, cpb_error *error) {
  size_t length = 8;
  const uint8_t *data = cpb_file_read(m->file, 0, &length, error);
  return data && cpb_begins_with_records((cpb_span){data, length});
}

static cpb_step run_index(cpb_message_file *m, cpb_error *error) {
  cpb_step step;
  while ((step = cpb_index_step(m->index)) == CPB_STEP_NEED) {
    if (!go_on(m, error)) return CPB_STEP_ERROR;
    cpb_file_supply(m->file, cpb_index_input(m->index));
  }
  if (step == CPB_STEP_ERROR) *error = *cpb_index_error(m->index);
  return step;
}

/* A message may begin with the bytes of a records file, as the name of a field; then it is not a .cpb but still a
 * message. */
static bool open_index(cpb_message_file *m, const char *path, cpb_error *error) {
  bool chunked = cpb_path_ends_with(path, ".cpb");
  if (cpb_path_ends_with(path, ".pb")) return true;
  if (!chunked && !begins_with_records(m, error)) return error->code == CPB_OK;
  m->index = cpb_index_new(&m->allocator, m->options.limits);
  if (!m->index) return cpb_fail_memory(error) == CPB_OK;
  if (m->options.field) cpb_index_want(m->index, m->options.field_type, m->options.field);
  if (run_index(m, error) == CPB_STEP_DONE) return true;
  cpb_index_free(m->index);
  m->index = NULL;
  if (error->code != CPB_E_FORMAT || chunked) return false;
  cpb_error_begin(error, NULL);
  return true;
}

static cpb_merge *reader_of(const cpb_message_file *m) { return m->fork ? m->fork : m->merge; }

static cpb_step run_merge(cpb_message_file *m, cpb_error *error) {
  cpb_step step;
  cpb_merge *merge = reader_of(m);
  while ((step = cpb_merge_step(merge)) == CPB_STEP_NEED) {
    if (!go_on(m, error)) return CPB_STEP_ERROR;
    cpb_file_supply(m->file, cpb_merge_input(merge));
  }
  if (step == CPB_STEP_ERROR) *error = *cpb_merge_error(merge);
  return step;
}

static void drop_plan(cpb_message_file *m) {
  cpb_merge_free(m->fork);
  cpb_merge_free(m->merge);
  m->fork = m->merge = NULL;
  m->window.size = 0;
}

/* Plans the merge of everything, or of the field at `path`. */
static bool set_up_plan(cpb_message_file *m, const cpb_message_type *type, const cpb_path *path) {
  if (m->options.keep_damaged) return cpb_merge_keep_damaged(m->merge) == CPB_OK;
  return !path || cpb_merge_plan_for(m->merge, type, path) == CPB_OK;
}

static bool plan_merge(cpb_message_file *m, const cpb_message_type *type, const cpb_path *path, cpb_error *error) {
  const cpb_merge_options how = {
      .struct_size = sizeof how, .trust_sizes = 1, .type = m->options.type, .limits = m->options.limits};
  m->merge = cpb_merge_new(&m->allocator, m->index, &how);
  bool ready = m->merge && set_up_plan(m, type, path);
  if (!ready) cpb_fail_memory(error);
  if (!ready || run_merge(m, error) != CPB_STEP_DONE) {
    drop_plan(m);
    return false;
  }
  if (cpb_merge_damage(m->merge)->code != CPB_OK) describe(m->damage, cpb_merge_damage(m->merge));
  return true;
}

static bool is_planned(cpb_message_file *m, cpb_error *error) {
  return !m->index || m->merge || plan_merge(m, NULL, NULL, error);
}

static bool open_on(cpb_message_file *m, const char *path, cpb_error *error) {
  bool known = cpb_file_is_pipe(m->file) || cpb_file_size(m->file, &m->file_size, error) == CPB_OK;
  bool late = m->options.plan_late && !m->options.keep_damaged;
  return known && open_index(m, path, error) && (late || is_planned(m, error));
}

cpb_message_file *cpb_message_file_on(const cpb_allocator *given, cpb_file *file, const char *path,
                                      const cpb_message_file_options *options, cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  cpb_allocator a = cpb_allocator_or_default(given);
  cpb_message_file *m = cpb_alloc_zeroed(&a, sizeof *m);
  if (!m) {
    cpb_file_close(file);
    cpb_fail_memory(error);
    return NULL;
  }
  m->allocator = a;
  m->file = file;
  cpb_buffer_init(&m->window, &a);
  cpb_options_copy(&m->options, sizeof m->options, options);
  m->limits = cpb_limits_or_default(m->options.limits);
  m->options.limits = &m->limits;
  if (m->options.allow_references) cpb_file_allow_references(file, m->options.urls);
  if (open_on(m, path, error)) return m;
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
  cpb_merge_free(m->fork);
  cpb_merge_free(m->merge);
  cpb_index_free(m->index);
  cpb_buffer_free(&m->window);
  cpb_file_close(m->file);
  cpb_release(&a, m);
}

const cpb_index *cpb_message_file_index(const cpb_message_file *m) { return m->index; }

const cpb_path *cpb_message_file_field(const cpb_message_file *m) {
  const cpb_path *wanted = m->index ? cpb_index_wanted(m->index) : NULL;
  return wanted ? wanted : m->options.field;
}

const char *cpb_message_file_damage(const cpb_message_file *m) { return *m->damage ? m->damage : NULL; }

/* --- Reading --------------------------------------------------------------------- */

/* How far one chunk, or literal bytes, extend from `offset`: the engine may never need the bytes after them. */
static uint64_t segment_left(const cpb_message_file *m, uint64_t offset) {
  cpb_segment segment;
  size_t i = cpb_merge_find_segment(m->merge, offset);
  if (cpb_merge_get_segment(m->merge, i, &segment) != CPB_OK) return 0;
  return segment.offset + segment.length - offset;
}

/* A failed merge stays failed, but another reader of its plan may work. */
static bool renew_reader(cpb_message_file *m, cpb_error *error) {
  if (cpb_merge_error(reader_of(m))->code == CPB_OK) return true;
  cpb_merge_free(m->fork);
  m->fork = cpb_merge_fork(m->merge, &m->allocator);
  if (!m->fork) cpb_fail_memory(error);
  return m->fork != NULL;
}

/* Reads bytes of the merged message into the window. */
static bool fill_window(cpb_message_file *m, uint64_t offset, uint64_t length, cpb_error *error) {
  cpb_step step;
  m->begin = offset;
  m->window.size = 0;
  if (!renew_reader(m, error)) return false;
  cpb_merge_read(reader_of(m), offset, length);
  while ((step = run_merge(m, error)) == CPB_STEP_DATA) {
    size_t size;
    const uint8_t *data = cpb_merge_data(reader_of(m), &size);
    if (!cpb_buffer_append(&m->window, data, size)) return cpb_fail_memory(error) == CPB_OK;
  }
  if (step != CPB_STEP_DONE) m->window.size = 0;
  return step == CPB_STEP_DONE;
}

static bool in_window(const cpb_message_file *m, uint64_t offset) {
  return offset >= m->begin && offset - m->begin < m->window.size;
}

/* Makes the window contain the byte at `offset`; `*left` is the number of its bytes from there on. */
static bool find_window(cpb_message_file *m, uint64_t offset, uint64_t wanted, size_t *left, cpb_error *error) {
  uint64_t length = cpb_min_u64(cpb_min_u64(wanted, WINDOW_MAX), segment_left(m, offset));
  *left = 0;
  if (length == 0) return true;
  if (!in_window(m, offset) && !fill_window(m, offset, length, error)) return false;
  *left = m->window.size - (size_t)(offset - m->begin);
  return true;
}

const uint8_t *cpb_message_file_read(cpb_message_file *m, uint64_t offset, size_t *length, cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  size_t left;
  if (!is_planned(m, error)) return NULL;
  if (!m->merge) return go_on(m, error) ? cpb_file_read(m->file, offset, length, error) : NULL;
  if (!find_window(m, offset, *length, &left, error)) return NULL;
  *length = cpb_min_size(*length, left);
  return left > 0 ? m->window.data + (offset - m->begin) : (const uint8_t *)"";
}

cpb_code cpb_message_file_size(cpb_message_file *m, uint64_t *size, cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  if (!is_planned(m, error)) return error->code;
  if (!m->merge) return cpb_file_size(m->file, size, error);
  *size = cpb_merge_size(m->merge);
  return CPB_OK;
}

static bool is_damage(const cpb_error *error) { return error->code == CPB_E_DAMAGED || error->code == CPB_E_TRUNCATED; }

/* Reports the rest of the segment as lost. */
static void lose(cpb_message_file *m, cpb_input *input, uint64_t offset, cpb_error *error) {
  char text[DAMAGE_TEXT];
  cpb_segment segment;
  cpb_merge_get_segment(m->merge, cpb_merge_find_segment(m->merge, offset), &segment);
  describe(text, error);
  cpb_input_lose(input, segment_left(m, offset), offset == segment.offset, text);
  cpb_error_begin(error, NULL);
}

static void supply_merged(cpb_message_file *m, cpb_input *input, cpb_error *error) {
  cpb_need need;
  size_t left;
  cpb_input_need(input, &need);
  if (need.kind != CPB_NEED_RANGE) {
    cpb_input_end(input, cpb_merge_size(m->merge));
  } else if (!find_window(m, need.offset, need.ahead, &left, error)) {
    if (m->options.keep_damaged && is_damage(error)) lose(m, input, need.offset, error);
    else cpb_input_fail_with(input, error);
  } else if (left > 0) {
    cpb_input_supply(input, m->begin, m->window.data, m->window.size);
  } else {
    cpb_input_end(input, cpb_merge_size(m->merge));
  }
}

/* The engine needs another file that the message names. */
static bool needs_other(const cpb_input *input) {
  cpb_need need;
  cpb_input_need(input, &need);
  return need.kind != CPB_NEED_NONE && need.file > 0;
}

cpb_code cpb_message_file_supply(cpb_message_file *m, cpb_input *input, cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  if (!go_on(m, error) || !is_planned(m, error)) {
    cpb_input_fail_with(input, error);
  } else if (m->merge && !needs_other(input)) {
    supply_merged(m, input, error);
  } else {
    cpb_file_supply(m->file, input);
    if (input->failure.code != CPB_OK) *error = input->failure;
  }
  return error->code;
}

const cpb_validators *cpb_message_file_validators(const cpb_message_file *m) { return cpb_file_validators(m->file); }

/* --- Finding ---------------------------------------------------------------------- */

static cpb_find *find_in(cpb_message_file *m, const cpb_message_type *type, const cpb_path *path, cpb_error *error) {
  cpb_find *find = cpb_find_new(&m->allocator, type, path, m->options.limits);
  if (!find) {
    cpb_fail_memory(error);
    return NULL;
  }
  cpb_step step;
  while ((step = cpb_find_step(find)) == CPB_STEP_NEED) {
    if (cpb_message_file_supply(m, cpb_find_input(find), error) != CPB_OK) break;
  }
  if (step == CPB_STEP_DONE) return find;
  if (error->code == CPB_OK) *error = *cpb_find_error(find);
  cpb_find_free(find);
  return NULL;
}

/* Whether a plan of everything, which reports more, may have a different result. */
static bool may_be_found_in_all(const cpb_error *error) {
  return error->code == CPB_E_DAMAGED || error->code == CPB_E_TRUNCATED || error->code == CPB_E_UNSUPPORTED;
}

cpb_find *cpb_message_file_find(cpb_message_file *m, const cpb_message_type *type, const cpb_path *path,
                                cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  bool late = m->index && !m->merge;
  cpb_find *find = !late || plan_merge(m, type, path, error) ? find_in(m, type, path, error) : NULL;
  if (find || !late || !may_be_found_in_all(error)) return find;
  drop_plan(m);
  cpb_error_begin(error, NULL);
  return is_planned(m, error) ? find_in(m, type, path, error) : NULL;
}
