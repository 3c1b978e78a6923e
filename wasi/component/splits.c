/* Splits messages into .cpb files. */
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "component.h"
#include "cpb/message.h"
#include "cpb/model.h"
#include "cpb/split.h"

typedef struct splitting {
  engine engine;
  cpb_schema *schema; /* NULL: the built-in one */
  char *type_name;    /* that is given */
  cpb_split *split;
} splitting;

/* --- The engine -------------------------------------------------------------------------- */

static cpb_step advance(engine *e) {
  const splitting *s = (const splitting *)e;
  cpb_step step;
  uint64_t offset;
  while ((step = cpb_split_step(s->split)) == CPB_STEP_NEED) lent_answer(e->from, e->window, cpb_split_input(s->split));
  if (step != CPB_STEP_OUTPUT) return step;
  e->data.data = cpb_split_output(s->split, &offset, &e->data.size);
  return CPB_STEP_DATA;
}

static const cpb_error *error_of(const engine *e) { return cpb_split_error(((const splitting *)e)->split); }

static void free_splitting(engine *e) {
  splitting *s = (splitting *)e;
  cpb_split_free(s->split);
  cpb_schema_free(s->schema);
  free(s->type_name);
}

static const engine_kind kind = {advance, error_of, NULL, free_splitting, NULL};

/* --- Options -------------------------------------------------------------------------------- */

/* Guesses the message's type from its beginning; NULL: not known. */
static const char *guess(const engine *e, cpb_error *error) {
  size_t got = 0, all = 0;
  uint8_t begin[CPB_BEGIN_BYTES];
  while (all < sizeof begin && all < e->from->size) {
    uint64_t left = cpb_min_u64(sizeof begin - all, e->from->size - all);
    uint32_t some = (uint32_t)cpb_min_u64(left, e->from->read_size);
    if (!lent_read(e->from, e->window, all, some, left, &got, error)) return NULL;
    memcpy(begin + all, e->window, got);
    all += got;
  }
  const cpb_file_ends ends = {.struct_size = sizeof ends, .begin = begin, .begin_size = all, .size = UINT64_MAX};
  return cpb_model_message_type(cpb_model_guess(&ends));
}

static bool set_type(splitting *s, const exports_splits_split_options_t *options, cpb_error *error) {
  const wit_string_t *name = &options->type_name.val;
  if (options->schema.is_some) {
    s->schema = cpb_schema_new(NULL, options->schema.val.ptr, options->schema.val.len, NULL, error);
    if (!s->schema) return false;
  }
  if (!options->type_name.is_some) return true;
  s->type_name = strndup((const char *)name->ptr, name->len);
  return s->type_name || cpb_fail_memory(error) == CPB_OK;
}

static bool start(splitting *s, const exports_splits_split_options_t *o, cpb_error *error) {
  const char *type = s->type_name;
  if (!type && !s->schema) type = guess(&s->engine, error);
  if (error->code != CPB_OK) return false;
  const cpb_split_options how = {
      .struct_size = sizeof how,
      .type_name = type,
      .schema = s->schema,
      .layout = (cpb_layout)o->layout,
      .codec = {.codec = o->codec.is_some ? (cpb_codec)(o->codec.val + 1) : CPB_CODEC_DEFAULT,
                .level = o->level.is_some ? o->level.val : 0},
      .max_chunk_size = o->max_chunk_size.is_some ? o->max_chunk_size.val : 0,
      .inline_max = o->inline_max.is_some ? o->inline_max.val : 0,
      .for_memory = o->for_memory.is_some ? o->for_memory.val : 0,
      .buffer = o->buffer.is_some ? o->buffer.val : 0,
      .read_size = s->engine.from->read_size,
  };
  s->split = cpb_split_new(NULL, &how);
  return s->split || cpb_fail_memory(error) == CPB_OK;
}

static splitting *new_splitting(exports_splits_own_source_t source, const wit_option_u32_t *read_size,
                                cpb_error *error) {
  lent *from = lent_new(source, read_size, error);
  splitting *s = from ? engine_new(sizeof *s, &kind, from) : NULL;
  if (!s) cpb_fail_memory(error);
  return s;
}

bool exports_splits_split(exports_splits_own_source_t source, exports_splits_split_options_t *options,
                          exports_splits_own_content_t *ret, exports_splits_error_t *err) {
  cpb_error error = {.offset = CPB_NO_OFFSET};
  splitting *s = new_splitting(source, &options->read_size, &error);
  bool done = s && set_type(s, options, &error) && start(s, options, &error);
  if (options->type_name.is_some) argument_free(options->type_name.val.ptr, options->type_name.val.len);
  if (options->schema.is_some) argument_free(options->schema.val.ptr, options->schema.val.len);
  if (done) return content_of(&s->engine, ret, err);
  if (s) engine_free(&s->engine);
  return component_fail(err, &error);
}
