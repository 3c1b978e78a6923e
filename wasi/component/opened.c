#include "component.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/status.h"

enum { READ_SIZE = 64 * 1024, READ_SIZE_MIN = 256, SPARE = 1024 };

/* --- Where what a source gives comes to lie ------------------------------------ */

/* While a source is called, the runtime puts what it gives where cpb's allocation
 * function says: into the window, so that this takes no memory and cannot fail. A text
 * that is longer, or comes where there is no window, has some bytes of its own. */
static struct {
  uint8_t *data;
  size_t size;
} landing;
static uint8_t spare[SPARE];

static void free_landed(uint8_t *data, size_t size) {
  if (size > 0 && data != landing.data && data != spare) free(data);
}

static uint8_t *room_for(size_t size) {
  if (size <= landing.size) return landing.data;
  return size <= sizeof spare ? spare : malloc(size);
}

__attribute__((export_name("cabi_realloc"))) void *cabi_realloc(void *old, size_t old_size, size_t align, size_t size) {
  if (size == 0) return (void *)align;
  uint8_t *moved = room_for(size);
  if (moved == NULL) __builtin_trap(); /* the interface knows no way to refuse */
  if (old_size > 0 && moved != old) memcpy(moved, old, size < old_size ? size : old_size);
  if (moved != old) free_landed(old, old_size);
  return moved;
}

/* --- Asking a source ------------------------------------------------------------- */

typedef struct failure {
  cpb_code code;
  char text[256];
} failure;

static failure take_failure(source_failure_t *said) {
  failure f = {.code = CPB_E_CANCELLED};
  if (said->tag == SOURCE_FAILURE_CANCELLED) {
    cpb_format(f.text, sizeof f.text, "%s", cpb_code_text(f.code));
    return f;
  }
  f.code = CPB_E_READ;
  cpb_quote(f.text, sizeof f.text, said->val.failed.ptr, said->val.failed.len);
  free_landed(said->val.failed.ptr, said->val.failed.len);
  return f;
}

static bool ask_size(opened *file, cpb_error *error) {
  source_failure_t said;
  if (source_method_source_size(source_borrow_source(file->source), &file->size, &said)) return true;
  failure f = take_failure(&said);
  cpb_fail(error, f.code, CPB_NO_OFFSET, "%s", f.text);
  return false;
}

/* A source may give fewer bytes than it is asked for, but some. */
static void supply(cpb_input *input, uint64_t offset, uint32_t length, const reader_list_u8_t *bytes) {
  char text[96];
  if (bytes->len > 0 && bytes->len <= length) {
    cpb_input_supply(input, offset, bytes->ptr, bytes->len);
    return;
  }
  cpb_format(text, sizeof text, "the source gave %zu bytes, where 1 to %u were asked for", bytes->len,
             (unsigned)length);
  cpb_input_fail(input, CPB_E_READ, text);
}

void opened_answer(const opened *file, uint8_t *window, cpb_input *input) {
  cpb_need need;
  cpb_input_need(input, &need);
  if (need.kind == CPB_NEED_SIZE || need.offset >= file->size) {
    cpb_input_end(input, file->size);
    return;
  }
  uint64_t left = file->size - need.offset;
  uint32_t length = (uint32_t)cpb_min_u64(left, cpb_min_u64(need.length, file->read_size));
  uint64_t ahead = cpb_min_u64(left, cpb_max_u64(need.ahead, length));
  reader_list_u8_t bytes;
  source_failure_t said;
  landing.data = window;
  landing.size = file->read_size;
  bool given =
      source_method_source_read_at(source_borrow_source(file->source), need.offset, length, ahead, &bytes, &said);
  if (given) {
    supply(input, need.offset, length, &bytes);
    free_landed(bytes.ptr, bytes.len);
  } else {
    failure f = take_failure(&said);
    cpb_input_fail(input, f.code, f.text);
  }
  landing.data = NULL;
  landing.size = 0;
}

/* --- Opening ---------------------------------------------------------------------- */

static bool read_index(opened *file, cpb_error *error) {
  file->index = cpb_index_new(NULL, NULL);
  uint8_t *window = malloc(file->read_size);
  cpb_step step = CPB_STEP_ERROR;
  if (file->index == NULL || window == NULL) {
    cpb_fail_memory(error);
  } else {
    while ((step = cpb_index_step(file->index)) == CPB_STEP_NEED)
      opened_answer(file, window, cpb_index_input(file->index));
    if (step == CPB_STEP_ERROR) *error = *cpb_index_error(file->index);
  }
  free(window);
  return step == CPB_STEP_DONE;
}

static bool set_options(opened *file, const exports_chunked_options_t *options, cpb_error *error) {
  file->verify = (cpb_verify)options->verify;
  file->read_size = options->read_size.is_some ? options->read_size.val : READ_SIZE;
  if (file->read_size >= READ_SIZE_MIN) return true;
  cpb_fail(error, CPB_E_USAGE, CPB_NO_OFFSET, "read-size is %zu, where it must be %d at least", file->read_size,
           READ_SIZE_MIN);
  return false;
}

opened *opened_new(source_own_source_t source, const exports_chunked_options_t *options, cpb_error *error) {
  opened *file = calloc(1, sizeof *file);
  if (file == NULL) {
    source_source_drop_own(source);
    cpb_fail_memory(error);
    return NULL;
  }
  file->users = 1;
  file->source = source;
  if (set_options(file, options, error) && ask_size(file, error) && read_index(file, error)) return file;
  opened_free(file);
  return NULL;
}

opened *opened_use(opened *file) {
  file->users++;
  return file;
}

void opened_free(opened *file) {
  if (file == NULL || --file->users > 0) return;
  cpb_index_free(file->index);
  source_source_drop_own(file->source);
  free(file);
}
