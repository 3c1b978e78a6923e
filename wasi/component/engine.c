#include <stdlib.h>

#include "base/status.h"
#include "component.h"

engine *engine_use(engine *e) {
  e->users++;
  return e;
}

void engine_free(engine *e) {
  if (!e || --e->users > 0) return;
  e->kind->free(e);
  free(e->window);
  lent_free(e->from);
  free(e);
}

void *engine_new(size_t size, const engine_kind *kind, lent *from) {
  engine *e = calloc(1, size);
  if (!e) return lent_free(from), NULL;
  *e = (engine){.kind = kind, .users = 1, .from = from, .window = from ? malloc(from->read_size) : NULL};
  if (e->window || !from) return e;
  engine_free(e);
  return NULL;
}

/* --- An engine on an open file ------------------------------------------------------ */

typedef struct on_file {
  engine engine;
  opened *file;
  cpb_chunk_reader *chunks; /* one of the two */
  cpb_merge *merge;
} on_file;

static const on_file *of(const engine *e) { return (const on_file *)e; }

cpb_chunk_reader *engine_chunks(engine *e) { return of(e)->chunks; }
cpb_merge *engine_merge(engine *e) { return of(e)->merge; }

static cpb_step advance_chunks(engine *e) {
  const on_file *o = of(e);
  cpb_step step;
  while ((step = cpb_chunk_reader_step(o->chunks)) == CPB_STEP_NEED)
    lent_answer(e->from, e->window, cpb_chunk_reader_input(o->chunks));
  if (step == CPB_STEP_DATA) e->data.data = cpb_chunk_reader_data(o->chunks, &e->data.size);
  return step;
}

static cpb_step advance_merge(engine *e) {
  const on_file *o = of(e);
  cpb_step step;
  while ((step = cpb_merge_step(o->merge)) == CPB_STEP_NEED) lent_answer(e->from, e->window, cpb_merge_input(o->merge));
  if (step == CPB_STEP_DATA) e->data.data = cpb_merge_data(o->merge, &e->data.size);
  return step;
}

static const cpb_error *error_of_chunks(const engine *e) { return cpb_chunk_reader_error(of(e)->chunks); }
static const cpb_error *error_of_merge(const engine *e) { return cpb_merge_error(of(e)->merge); }

static uint64_t size_of_chunk(const engine *e) { return cpb_chunk_reader_stored(of(e)->chunks)->size; }
static uint64_t size_of_merge(const engine *e) { return cpb_merge_size(of(e)->merge); }

static void free_on_file(engine *e) {
  const on_file *o = of(e);
  cpb_chunk_reader_free(o->chunks);
  cpb_merge_free(o->merge);
  opened_free(o->file);
}

static const engine_kind chunks = {advance_chunks, error_of_chunks, size_of_chunk, free_on_file, NULL};
static const engine_kind merge = {advance_merge, error_of_merge, size_of_merge, free_on_file, NULL};

/* --- Making one -------------------------------------------------------------------- */

static on_file *new_on(opened *file, const engine_kind *kind) {
  on_file *o = engine_new(sizeof *o, kind, lent_use(file->from));
  if (o) o->file = opened_use(file);
  return o;
}

/* The engine, if all of it could be made; otherwise frees it and sets the error. */
static engine *checked(on_file *o, cpb_error *error) {
  if (o && (o->chunks || o->merge)) return &o->engine;
  cpb_fail_memory(error);
  if (o) engine_free(&o->engine);
  return NULL;
}

engine *engine_for_chunks(opened *file, cpb_error *error) {
  const cpb_chunk_reader_options how = {
      .struct_size = sizeof how,
      .verify = file->verify,
      .read_size = file->from->read_size,
  };
  on_file *o = new_on(file, &chunks);
  if (o) o->chunks = cpb_chunk_reader_new(NULL, file->index, &how);
  return checked(o, error);
}

engine *engine_for_merge(opened *file, const exports_chunked_merge_options_t *options, cpb_error *error) {
  const cpb_merge_options how = {
      .struct_size = sizeof how,
      .verify = file->verify,
      .trust_sizes = options->trust_sizes,
      .memory = options->memory.is_some ? options->memory.val : 0,
      .read_size = file->from->read_size,
  };
  on_file *o = new_on(file, &merge);
  if (o) o->merge = cpb_merge_new(NULL, file->index, &how);
  engine *e = checked(o, error);
  if (!e || advance_merge(e) == CPB_STEP_DONE) return e;
  *error = *error_of_merge(e);
  engine_free(e);
  return NULL;
}
