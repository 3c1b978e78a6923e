/* cpb_file (cpb/file.h, host/file.h) over lent sources, so that src/host works with them. */
#include "host.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/input.h"
#include "base/limits.h"
#include "base/status.h"
#include "host/file.h"

enum { READ_MIN = 4096, BUFFER = 65536 };

struct cpb_file {
  lent *from;        /* NULL: our own source, or memory */
  cpb_source source; /* with `read` */
  bool keeps_codes;  /* of the source's errors */
  uint8_t *window;
  size_t window_size;
  const uint8_t *data; /* the bytes at hand */
  uint64_t begin;      /* their offset */
  size_t length;
  uint64_t size, bytes_read;
  host_beside *beside; /* opens the files that it names; NULL: cannot open any */
  char *path;          /* of this file, in the same folder */
  char *other_name;    /* of the last opened file */
  cpb_file *other;
};

/* --- Opening ---------------------------------------------------------------------- */

static cpb_file *new_file(size_t window_size, cpb_error *error) {
  cpb_file *file = calloc(1, sizeof *file);
  uint8_t *window = file && window_size > 0 ? malloc(window_size) : NULL;
  if (file && (window || window_size == 0)) {
    file->data = file->window = window;
    file->window_size = window_size;
    return file;
  }
  free(file);
  return cpb_fail_memory(error), NULL;
}

cpb_file *host_open(lent *from, cpb_error *error) {
  cpb_file *file = new_file(from->read_size, error);
  if (!file) return NULL;
  file->from = lent_use(from);
  file->size = from->size;
  return file;
}

cpb_file *cpb_file_open_memory(const cpb_allocator *a, const void *data, size_t size, cpb_error *error) {
  (void)a;
  cpb_file *file = new_file(0, error);
  if (!file) return NULL;
  file->data = data;
  file->size = file->length = size;
  return file;
}

cpb_file *cpb_file_open_source(const cpb_allocator *a, const cpb_source *source, cpb_error *error) {
  (void)a;
  cpb_file *file = new_file(BUFFER, error);
  if (!file && source->close) source->close(source->user);
  if (!file) return NULL;
  cpb_options_copy(&file->source, sizeof file->source, source);
  if (source->size(source->user, &file->size, error) == CPB_OK) return file;
  cpb_file_close(file);
  return NULL;
}

bool host_set_path(cpb_file *file, const char *path, host_beside *beside) {
  char *copy = strdup(path);
  if (!copy) return false;
  free(file->path);
  file->path = copy;
  file->beside = beside;
  return true;
}

void cpb_file_keep_codes(cpb_file *file) { file->keeps_codes = true; }

/* Is for copies of whole files, which are not made here. */
void cpb_file_check_with(cpb_file *file, cpb_check_source *check) { (void)file, (void)check; }

void cpb_file_close(cpb_file *file) {
  if (!file) return;
  cpb_file_close(file->other);
  if (file->source.close) file->source.close(file->source.user);
  lent_free(file->from);
  free(file->window);
  free(file->path);
  free(file->other_name);
  free(file);
}

/* --- Reading ------------------------------------------------------------------------- */

static bool at_hand(const cpb_file *file, uint64_t offset) {
  return offset >= file->begin && offset - file->begin < file->length;
}

static bool fill_from_source(cpb_file *file, uint64_t offset, size_t length, cpb_error *error) {
  cpb_code code = file->source.read(file->source.user, offset, file->window, &length, error);
  if (code == CPB_OK && length > 0) file->length = length;
  else if (code == CPB_OK) cpb_fail(error, CPB_E_READ, offset, "there is nothing here");
  return file->length > 0;
}

/* Reads the byte at `offset`, if the file has it, so that it is at hand. */
static bool fill(cpb_file *file, uint64_t offset, uint64_t wanted, cpb_error *error) {
  if (offset >= file->size || at_hand(file, offset)) return true;
  uint64_t left = file->size - offset, least = cpb_max_u64(wanted, READ_MIN);
  uint32_t length = (uint32_t)cpb_min_u64(left, cpb_min_u64(least, file->window_size));
  file->length = 0;
  bool done = file->from ? lent_read(file->from, file->window, offset, length,
                                     cpb_min_u64(left, cpb_max_u64(wanted, length)), &file->length, error)
                         : fill_from_source(file, offset, length, error);
  file->begin = offset;
  file->bytes_read += file->length;
  return done;
}

const uint8_t *cpb_file_read(cpb_file *file, uint64_t offset, size_t *length, cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  if (!fill(file, offset, *length, error)) return NULL;
  if (!at_hand(file, offset)) {
    *length = 0;
    return (const uint8_t *)"";
  }
  size_t skip = (size_t)(offset - file->begin);
  *length = cpb_min_size(*length, file->length - skip);
  return file->data + skip;
}

uint8_t *cpb_file_read_all(cpb_file *file, uint64_t most, size_t *size, cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  if (file->size > most) {
    cpb_fail(error, CPB_E_LIMIT, CPB_NO_OFFSET, "the file has more than %llu bytes: %llu", (unsigned long long)most,
             (unsigned long long)file->size);
    return NULL;
  }
  uint8_t *all = malloc((size_t)file->size + 1);
  if (!all) cpb_fail_memory(error);
  for (*size = 0; all && *size < file->size;) {
    size_t length = (size_t)file->size - *size;
    const uint8_t *data = cpb_file_read(file, *size, &length, error);
    if (!data) {
      free(all);
      return NULL;
    }
    memcpy(all + *size, data, length);
    *size += length;
  }
  return all;
}

cpb_code cpb_file_size(cpb_file *file, uint64_t *size, cpb_error *error) {
  cpb_error_begin(error, &(cpb_error){0});
  *size = file->size;
  return CPB_OK;
}

uint64_t cpb_file_bytes_read(const cpb_file *file) { return file->bytes_read; }

int cpb_file_is_pipe(const cpb_file *file) {
  (void)file;
  return 0;
}

void cpb_file_allow_references(cpb_file *file, const struct cpb_url_options *urls) { (void)file, (void)urls; }

/* --- Supplying -------------------------------------------------------------------------- */

static bool is_open(const cpb_file *file, const cpb_other_file *other) {
  return file->other && strlen(file->other_name) == other->length &&
         memcmp(file->other_name, other->name, other->length) == 0;
}

/* Opens a file that this one names; only one is open at a time. */
static cpb_file *open_other(cpb_file *file, const cpb_other_file *other, cpb_error *error) {
  char text[128];
  if (is_open(file, other)) return file->other;
  cpb_file_close(file->other);
  file->other = NULL;
  free(file->other_name);
  file->other_name = strndup(other->name, other->length);
  if (!file->other_name) return cpb_fail_memory(error), NULL;
  if (file->beside) file->other = file->beside(file->path, file->other_name, error);
  else
    cpb_fail(error, CPB_E_READ, CPB_NO_OFFSET, "it is in another file, \"%s\", of which the host lends nothing",
             cpb_quote(text, sizeof text, other->name, other->length));
  return file->other;
}

static void supply(const cpb_file *from, const cpb_need *need, cpb_input *input) {
  bool is_there = need->kind == CPB_NEED_RANGE && at_hand(from, need->offset);
  if (is_there && need->file > 0) cpb_input_supply_other(input, need->file, from->begin, from->data, from->length);
  else if (is_there) cpb_input_supply(input, from->begin, from->data, from->length);
  else if (need->file > 0) cpb_input_end_other(input, need->file, from->size);
  else cpb_input_end(input, from->size);
}

void cpb_file_supply(cpb_file *file, cpb_input *input) {
  cpb_need need;
  cpb_other_file other;
  cpb_error error;
  cpb_input_need(input, &need);
  if (need.kind == CPB_NEED_NONE) return;
  cpb_error_begin(&error, NULL);
  if (need.file > 0) cpb_input_other(input, &other);
  cpb_file *from = need.file > 0 ? open_other(file, &other, &error) : file;
  bool wants = need.kind == CPB_NEED_RANGE;
  if (from && (!wants || fill(from, need.offset, cpb_max_u64(need.length, need.ahead), &error)))
    supply(from, &need, input);
  else if (file->keeps_codes || input->keeps_codes) cpb_input_fail_as(input, &error);
  else cpb_input_fail_with(input, &error);
}
