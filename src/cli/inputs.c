#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "cli/cli.h"
#include "cli/os/os.h"
#include "cpb/model.h"

#define WINDOW ((uint64_t)256 << 10)

enum { STDIN = 0 };

static void set_references(const cli *c, cpb_file *file) {
  if (c->settings.allow_references) cpb_file_allow_references(file, &c->urls);
}

/* The file for a pipe's bytes; without one, going back in the pipe fails. A named pipe, such as the shell's <(command),
 * stays open. */
cpb_file *cli_open_input(cli *c, const char *path, int *status) {
  cpb_error error = {.offset = CPB_NO_OFFSET};
  cpb_file *file;
  const int pipe = cli_is_dash(path) ? STDIN : cpb_is_url(path) ? -1 : os_open_pipe(path);
  if (pipe >= 0) file = cpb_file_open_fd(&c->allocator, pipe, os_spool(), &error);
  else if (cpb_is_url(path)) file = cpb_url_open(&c->allocator, path, &c->urls, &error);
  else file = cpb_file_open(&c->allocator, path, &error);
  if (file) set_references(c, file);
  else *status = cli_fail(c, cli_input_name(path), &error);
  return file;
}

/* --- What it is ----------------------------------------------------------------- */

/* Reads up to `most` bytes from `at` on, which tell more than the error that led here. */
static size_t read_bytes(cpb_file *file, uint64_t at, size_t most, uint8_t *out) {
  cpb_error ignored;
  size_t size = 0, length = most;
  const uint8_t *data;
  while (size < most && (data = cpb_file_read(file, at + size, &length, &ignored)) && length > 0) {
    memcpy(out + size, data, length);
    size += length;
    length = most - size;
  }
  return size;
}

/* The end of a pipe may never come. */
const char *cli_foreign(cli *c, const char *path, cpb_file *file, char *out, size_t size) {
  cpb_error ignored;
  uint8_t *bytes = cpb_alloc(&c->allocator, CPB_BEGIN_BYTES + CPB_END_BYTES);
  if (!bytes) return NULL;
  const size_t begin = read_bytes(file, 0, CPB_BEGIN_BYTES, bytes);
  cpb_file_ends ends = {.struct_size = sizeof ends,
                        .begin = bytes,
                        .begin_size = begin,
                        .size = begin < CPB_BEGIN_BYTES ? begin : UINT64_MAX,
                        .name = path,
                        .name_size = path ? strcspn(path, "?") : 0};
  if (begin == CPB_BEGIN_BYTES && !cpb_file_is_pipe(file) && cpb_file_size(file, &ends.size, &ignored) == CPB_OK) {
    const size_t most = (size_t)cpb_min_u64(ends.size, CPB_END_BYTES);
    ends.end = bytes + begin;
    ends.end_size = read_bytes(file, ends.size - most, most, bytes + begin);
  } else if (begin < CPB_BEGIN_BYTES) {
    ends.end = bytes, ends.end_size = begin;
  }
  const char *name = begin > 0 && !cpb_model_guess(&ends) ? cpb_foreign_describe(&ends, out, size) : NULL;
  cpb_release(&c->allocator, bytes);
  return name;
}

static bool is_of_its_kind(const cpb_error *error) {
  return error->code == CPB_E_DAMAGED || error->code == CPB_E_TRUNCATED || error->code == CPB_E_FORMAT;
}

/* A list of the models that can be opened would not help here: the error of the format says more. */
int cli_fail_input(cli *c, const char *path, cpb_file *file, const cpb_error *error) {
  char what[256];
  const char *name = is_of_its_kind(error) ? cli_foreign(c, path, file, what, sizeof what) : NULL;
  char *kinds = name ? strstr(what, "; expected one of ") : NULL, at[40] = "";
  if (!name || strcmp(name, "riegeli") == 0 || (kinds && error->code == CPB_E_FORMAT))
    return cli_fail(c, cli_input_name(path), error);
  if (kinds) *kinds = 0;
  if (error->offset != CPB_NO_OFFSET) snprintf(at, sizeof at, "byte %llu: ", (unsigned long long)error->offset);
  cli_note(c, cli_input_name(path), "%s (%s%s)", what, at, error->message);
  return cli_exit_code(error);
}

/* --- Searching ------------------------------------------------------------------ */

/* The path of the .cpb next to a plain message that was found in a folder, or NULL. */
static char *chunked_beside(cli *c, const char *path, const char *found) {
  if (!path || cli_is_dash(path) || cpb_is_url(path) || !os_is_folder(path)) return NULL;
  const size_t size = strlen(found) + 2;
  char *chunked = cpb_alloc(&c->allocator, size);
  if (chunked && cpb_find_passed_over(found, chunked, size)) return chunked;
  cpb_release(&c->allocator, chunked);
  return NULL;
}

static void write_time(const char *path, char *out, size_t size) {
  const time_t at = os_modified(path);
  struct tm when;
  *out = 0;
  if (at != 0 && gmtime_r(&at, &when)) strftime(out, size, " (of %Y-%m-%d %H:%M:%S UTC)", &when);
}

void cli_say_passed_over(cli *c, const char *path, const char *found) {
  char read[48], other[48], *passed = c->settings.quiet ? NULL : chunked_beside(c, path, found);
  if (!passed) return;
  write_time(found, read, sizeof read);
  write_time(passed, other, sizeof other);
  cli_note(c, passed, "not taken%s: TensorFlow's loaders take the %s beside it%s", other, cli_last_part(found), read);
  cpb_release(&c->allocator, passed);
}

static cpb_file *find_input(cli *c, const char *path, char **found, int *status) {
  cpb_error error;
  size_t size = strlen(path) + CPB_FIND_MODEL_ROOM;
  *found = cpb_alloc(&c->allocator, size);
  if (!*found) return cli_no_memory(c, status);
  if (cli_is_dash(path) || os_is_special(path)) return cli_open_input(c, strcpy(*found, path), status);
  cpb_file *file = cpb_find_and_open(&c->allocator, path, &c->urls, *found, size, &error);
  if (file) set_references(c, file);
  else *status = cli_fail(c, *found, &error);
  return file;
}

cpb_file *cli_find_input(cli *c, const char *path, char **found, int *status) {
  cpb_file *file = find_input(c, path, found, status);
  if (file) cli_say_passed_over(c, path, *found);
  return file;
}

cpb_file *cli_find_chunks(cli *c, const char *path, char **found, int *status) {
  cpb_file *file = find_input(c, path, found, status);
  char *chunked = file ? chunked_beside(c, path, *found) : NULL;
  if (!chunked) return file;
  cpb_file_close(file);
  cpb_release(&c->allocator, *found);
  *found = chunked;
  return cli_open_input(c, chunked, status);
}

bool cli_read_index(cpb_file *file, cpb_index *index) {
  cpb_step step;
  while ((step = cpb_index_step(index)) == CPB_STEP_NEED) cpb_file_supply(file, cpb_index_input(index));
  return step == CPB_STEP_DONE;
}

cpb_index *cli_open_index(cli *c, const char *path, cpb_file *file, int *status) {
  cpb_index *index = cpb_index_new(&c->allocator, &c->settings.limits);
  if (!index) return cli_no_memory(c, status);
  if (cli_read_index(file, index)) return index;
  *status = cli_fail_input(c, path, file, cpb_index_error(index));
  cpb_index_free(index);
  return NULL;
}

cpb_record_reader *cli_open_reader(cli *c, const cpb_record_reader_options *options, int *status) {
  cpb_record_reader_options how = *options;
  how.limits = &c->settings.limits;
  cpb_record_reader *reader = cpb_record_reader_new(&c->allocator, &how);
  if (!reader) *status = cli_fail_memory(c);
  return reader;
}

const uint8_t *cli_read_range(cli *c, cpb_message_file *message, const char *name, cpb_range *range, size_t *length,
                              int *status) {
  cpb_error error;
  *length = (size_t)cpb_min_u64(range->length, WINDOW);
  const uint8_t *data = cpb_message_file_read(message, range->offset, length, &error);
  if (data && *length == 0)
    cpb_fail(&error, CPB_E_TRUNCATED, range->offset, "the message ends here; expected %llu bytes more",
             (unsigned long long)range->length);
  if (error.code != CPB_OK) {
    *status = cli_fail(c, name, &error);
    return NULL;
  }
  *range = (cpb_range){range->offset + *length, range->length - *length};
  return data;
}

int cli_riegeli_options(const cli *c, cpb_record_writer_options *options) {
  char problem[sizeof((cpb_error *)0)->message + 64];
  cpb_error error;
  if (!c->settings.riegeli_options) return CLI_OK;
  if (c->settings.given & (CLI_BIT(CODEC) | CLI_BIT(LAYOUT) | CLI_BIT(TRANSPOSE) | CLI_BIT(FOR_MEMORY)))
    return cli_usage(c->command,
                     "--riegeli-options says all; expected no --codec, --layout, --transpose, --for-memory");
  if (cpb_record_writer_options_parse(options, c->settings.riegeli_options, &error) == CPB_OK) return CLI_OK;
  snprintf(problem, sizeof problem, "--riegeli-options, character %llu: %s", (unsigned long long)error.offset + 1,
           error.message);
  return cli_usage(c->command, problem);
}
