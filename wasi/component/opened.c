#include <stdlib.h>

#include "base/status.h"
#include "component.h"

static bool read_index(opened *file, cpb_error *error) {
  file->index = cpb_index_new(NULL, NULL);
  uint8_t *window = malloc(file->from->read_size);
  cpb_step step = CPB_STEP_ERROR;
  if (!file->index || !window) {
    cpb_fail_memory(error);
  } else {
    while ((step = cpb_index_step(file->index)) == CPB_STEP_NEED)
      lent_answer(file->from, window, cpb_index_input(file->index));
    if (step == CPB_STEP_ERROR) *error = *cpb_index_error(file->index);
  }
  free(window);
  return step == CPB_STEP_DONE;
}

opened *opened_new(source_own_source_t source, const exports_chunked_options_t *options, cpb_error *error) {
  lent *from = lent_new(source, &options->read_size, error);
  opened *file = from ? calloc(1, sizeof *file) : NULL;
  if (!file) {
    lent_free(from);
    return cpb_fail_memory(error), NULL;
  }
  file->users = 1;
  file->from = from;
  file->verify = (cpb_verify)options->verify;
  if (read_index(file, error)) return file;
  opened_free(file);
  return NULL;
}

opened *opened_use(opened *file) {
  file->users++;
  return file;
}

void opened_free(opened *file) {
  if (!file || --file->users > 0) return;
  cpb_index_free(file->index);
  lent_free(file->from);
  free(file);
}
