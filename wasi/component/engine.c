#include <stdlib.h>

#include "base/status.h"
#include "component.h"

/* --- Either of them -------------------------------------------------------------- */

static cpb_step step(engine *e) { return e->merge ? cpb_merge_step(e->merge) : cpb_chunk_reader_step(e->chunks); }

static cpb_input *input(engine *e) { return e->merge ? cpb_merge_input(e->merge) : cpb_chunk_reader_input(e->chunks); }

static const uint8_t *data(const engine *e, size_t *length) {
  return e->merge ? cpb_merge_data(e->merge, length) : cpb_chunk_reader_data(e->chunks, length);
}

const cpb_error *engine_error(const engine *e) {
  return e->merge ? cpb_merge_error(e->merge) : cpb_chunk_reader_error(e->chunks);
}

uint64_t engine_size(const engine *e) {
  return e->merge ? cpb_merge_size(e->merge) : cpb_chunk_reader_stored(e->chunks)->size;
}

cpb_step engine_advance(engine *e) {
  cpb_step answer;
  while ((answer = step(e)) == CPB_STEP_NEED) opened_answer(e->file, e->window, input(e));
  if (answer == CPB_STEP_DATA) e->data.data = data(e, &e->data.size);
  return answer;
}

/* --- Making one -------------------------------------------------------------------- */

static engine *engine_new(opened *file) {
  engine *e = calloc(1, sizeof *e);
  if (e == NULL) return NULL;
  e->users = 1;
  e->file = opened_use(file);
  e->window = malloc(file->read_size);
  return e;
}

/* `e` if all of it is there. */
static engine *checked(engine *e, cpb_error *error) {
  if (e != NULL && e->window != NULL && (e->chunks != NULL || e->merge != NULL)) return e;
  cpb_fail_memory(error);
  engine_free(e);
  return NULL;
}

engine *engine_for_chunks(opened *file, cpb_error *error) {
  const cpb_chunk_reader_options how = {
      .struct_size = sizeof how,
      .verify = file->verify,
      .read_size = file->read_size,
  };
  engine *e = engine_new(file);
  if (e != NULL) e->chunks = cpb_chunk_reader_new(NULL, file->index, &how);
  return checked(e, error);
}

engine *engine_for_merge(opened *file, const exports_chunked_merge_options_t *options, cpb_error *error) {
  const cpb_merge_options how = {
      .struct_size = sizeof how,
      .verify = file->verify,
      .trust_sizes = options->trust_sizes,
      .memory = options->memory.is_some ? options->memory.val : 0,
      .read_size = file->read_size,
  };
  engine *e = engine_new(file);
  if (e != NULL) e->merge = cpb_merge_new(NULL, file->index, &how);
  e = checked(e, error);
  if (e == NULL || engine_advance(e) == CPB_STEP_DONE) return e;
  *error = *engine_error(e);
  engine_free(e);
  return NULL;
}

engine *engine_use(engine *e) {
  e->users++;
  return e;
}

void engine_free(engine *e) {
  if (e == NULL || --e->users > 0) return;
  cpb_chunk_reader_free(e->chunks);
  cpb_merge_free(e->merge);
  free(e->window);
  opened_free(e->file);
  free(e);
}
