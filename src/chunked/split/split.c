/* The public face of splitting: options, phases, and a look at the plan. */
#include "cpb/split.h"

#include <string.h>

#include "base/checked.h"
#include "base/limits.h"
#include "base/meter.h"
#include "base/status.h"
#include "chunked/read/pager.h"
#include "chunked/split/walk.h"
#include "chunked/split/write.h"
#include "cpb/message.h"

#define REMOTE_MAX_CHUNK (1u << 20)
#define REMOTE_INLINE_MAX (1u << 16)
#define COMPAT_MAX_CHUNK ((UINT64_C(1) << 31) - 500) /* TensorFlow's */
#define DEFAULT_READ_SIZE (1u << 18)

typedef enum { PLANNING, SHARING, PLANNED, WRITING, DONE, FAILED } phase;

typedef cpb_have share_step(cpb_split_sharing *s, cpb_plan *plan, cpb_input *input, size_t read_size);

struct cpb_split {
  cpb_allocator allocator; /* for the writer's data; the plan uses the meter's */
  cpb_meter meter;
  cpb_split_options options;
  cpb_error error;
  cpb_input input;
  cpb_schema *builtin; /* when the caller gave no schema */
  cpb_split_rules rules;
  cpb_plan plan;
  cpb_split_walk walk;
  cpb_split_sharing share;
  share_step *compare; /* set with a base, so that programs without bases do not link its function */
  cpb_split_write write;
  phase phase;
  bool planned;
  const cpb_split *origin; /* whose plan and parts a fork shares */
};

/* --- Options -------------------------------------------------------------- */

static void set_default(uint64_t *value, uint64_t value_if_zero) {
  if (*value == 0) *value = value_if_zero;
}

static void fill_in(cpb_split_options *o) {
  bool compat = o->layout == CPB_LAYOUT_COMPAT;
  set_default(&o->max_chunk_size, compat ? COMPAT_MAX_CHUNK : REMOTE_MAX_CHUNK);
  set_default(&o->inline_max, compat ? o->max_chunk_size : REMOTE_INLINE_MAX);
  o->inline_max = cpb_min_u64(o->inline_max, o->max_chunk_size);
  if (!o->type_name) o->type_name = "tensorflow.SavedModel";
  if (o->read_size == 0) o->read_size = DEFAULT_READ_SIZE;
  if (o->splitter_version == 0) o->splitter_version = 1;
}

static bool find_type(cpb_split *s) {
  if (!s->options.schema) {
    s->builtin = cpb_schema_new_builtin(&s->allocator, &s->error);
    if (!s->builtin) return false;
    s->options.schema = s->builtin;
  }
  s->walk.type = cpb_schema_find_message(s->options.schema, s->options.type_name);
  if (s->walk.type) return true;
  char name[128];
  cpb_quote(name, sizeof name, s->options.type_name, strlen(s->options.type_name));
  return CPB_FAILS(&s->error, CPB_E_USAGE, CPB_NO_OFFSET, "the schema has no message type %s", name);
}

static bool check(cpb_split *s) {
  cpb_split_options *o = &s->options;
  if (o->layout > CPB_LAYOUT_COMPAT)
    cpb_fail(&s->error, CPB_E_USAGE, CPB_NO_OFFSET, "layout is %d; expected a cpb_layout", (int)o->layout);
  else if (!cpb_split_files_check(o, &s->error)) return false;
  else if (o->for_memory > 0)
    cpb_device_choose(o->for_memory, o->layout, o->transpose, o->index_pages, &o->codec, &s->error);
  return s->error.code == CPB_OK && find_type(s);
}

cpb_split *cpb_split_new(const cpb_allocator *allocator, const cpb_split_options *options) {
  const cpb_allocator a = cpb_allocator_or_default(allocator);
  cpb_split *s = cpb_alloc_zeroed(&a, sizeof *s);
  if (!s) return NULL;
  s->allocator = a;
  if (options) cpb_options_copy(&s->options, sizeof s->options, options);
  fill_in(&s->options);
  s->rules = (cpb_split_rules){s->options.splitters, s->options.num_splitters, s->options.max_chunk_size,
                               s->options.inline_max};
  cpb_input_init(&s->input);
  cpb_meter_init(&s->meter, &a, s->options.limits, &s->input);
  cpb_plan_init(&s->plan, &s->meter, &s->error);
  cpb_split_walk_init(&s->walk, &s->plan, &s->rules, &s->error);
  s->walk.read_size = s->options.read_size;
  cpb_split_share_init(&s->share, &s->plan.allocator);
  cpb_split_write_init(&s->write, &a, &s->plan, &s->share, &s->options, &s->error);
  if (check(s)) return s;
  if (s->error.code == CPB_E_MEMORY) {
    cpb_split_free(s);
    return NULL;
  }
  s->phase = FAILED;
  return s;
}

void cpb_split_free(cpb_split *s) {
  if (!s) return;
  const cpb_allocator a = s->allocator;
  cpb_split_write_free(&s->write);
  cpb_split_share_free(&s->share);
  cpb_split_walk_free(&s->walk);
  cpb_plan_free(&s->plan);
  cpb_schema_free(s->builtin);
  cpb_meter_free(&s->meter);
  cpb_release(&a, s);
}

/* --- Phases --------------------------------------------------------------- */

cpb_input *cpb_split_input(cpb_split *s) { return &s->input; }
const cpb_error *cpb_split_error(const cpb_split *s) { return &s->error; }

/* A step of the phase at hand ended; `next` comes when it is done. */
static cpb_step passed(cpb_split *s, cpb_step step, phase next) {
  if (step == CPB_STEP_DONE) s->phase = next;
  if (step == CPB_STEP_ERROR) s->phase = FAILED;
  if (step == CPB_STEP_ERROR) cpb_meter_explain(&s->meter, &s->error);
  if (step == CPB_STEP_DONE || step == CPB_STEP_ERROR) cpb_input_let_go(&s->input);
  return step;
}

static cpb_step share(cpb_split *s) {
  switch (s->compare(&s->share, &s->plan, &s->input, s->options.read_size)) {
    case CPB_HAVE: return CPB_STEP_DONE;
    case CPB_WAIT: return CPB_STEP_NEED;
    default: return CPB_STEP_ERROR;
  }
}

cpb_step cpb_split_plan(cpb_split *s) {
  if (s->phase == FAILED) return CPB_STEP_ERROR;
  if (s->phase > SHARING) return CPB_STEP_DONE;
  cpb_meter_update(&s->meter);
  const bool shares = s->phase == SHARING;
  cpb_step step = passed(s, shares ? share(s) : cpb_split_walk_step(&s->walk, &s->input), PLANNED);
  if (shares || step != CPB_STEP_DONE) return step;
  s->planned = true;
  cpb_split_walk_free(&s->walk);
  return step;
}

cpb_step cpb_split_step(cpb_split *s) {
  cpb_step step = cpb_split_plan(s);
  if (step != CPB_STEP_DONE || s->phase == DONE) return step;
  s->phase = WRITING;
  return passed(s, cpb_split_write_step(&s->write, &s->input), DONE);
}

/* --- Sharing -------------------------------------------------------------- */

cpb_split_base *cpb_split_base_new(const cpb_allocator *allocator, const cpb_split *split,
                                   const cpb_split_base_options *options) {
  return cpb_base_new(allocator, split && split->planned ? &split->plan : NULL, options);
}

cpb_code cpb_split_share(cpb_split *s, const cpb_split_base *base) {
  if (s->phase != PLANNED || s->origin || s->share.base || s->write.out.parts.count > 0 || base->state != CPB_BASE_DONE)
    return s->error.code != CPB_OK ? s->error.code : CPB_E_USAGE;
  if (s->options.for_memory > 0) {
    s->phase = FAILED;
    return cpb_fail(&s->error, CPB_E_USAGE, CPB_NO_OFFSET, "for_memory is set, and a base; a device reads one file");
  }
  cpb_split_share_begin(&s->share, base, &s->plan);
  s->compare = cpb_split_share_step;
  s->phase = SHARING;
  return CPB_OK;
}

void cpb_split_get_shared(const cpb_split *s, cpb_split_shared *shared) { *shared = s->share.shared; }

/* --- Parts ---------------------------------------------------------------- */

cpb_code cpb_split_cut(cpb_split *s, uint64_t least, size_t *count) {
  *count = 0;
  if (s->phase != PLANNED || s->origin) return s->error.code != CPB_OK ? s->error.code : CPB_E_USAGE;
  bool done = cpb_split_write_cut(&s->write, least);
  cpb_code code = s->error.code;
  if (done) *count = s->write.out.parts.count;
  else s->error = (cpb_error){.code = CPB_OK, .offset = CPB_NO_OFFSET}; /* it can be written all the same */
  return code;
}

cpb_code cpb_split_restart(cpb_split *s) {
  if (!s->planned) return s->error.code != CPB_OK ? s->error.code : CPB_E_USAGE;
  cpb_split_write_free(&s->write);
  cpb_split_write_init(&s->write, &s->allocator, &s->plan, &s->share, &s->options, &s->error);
  s->error = (cpb_error){.code = CPB_OK, .offset = CPB_NO_OFFSET};
  s->phase = PLANNED;
  return CPB_OK;
}

cpb_split *cpb_split_fork(const cpb_split *origin, const cpb_allocator *allocator) {
  const cpb_allocator a = cpb_allocator_or_default(allocator);
  cpb_split *s = origin->write.out.parts.count > 0 ? cpb_alloc_zeroed(&a, sizeof *s) : NULL;
  if (!s) return NULL;
  s->allocator = a;
  s->options = origin->options;
  s->origin = origin;
  cpb_input_init(&s->input);
  cpb_meter_init(&s->meter, &a, NULL, NULL);
  cpb_plan_init(&s->plan, &s->meter, &s->error);
  cpb_split_walk_init(&s->walk, &s->plan, &s->rules, &s->error);
  cpb_split_share_init(&s->share, &s->plan.allocator);
  cpb_split_write_init(&s->write, &a, (cpb_plan *)&origin->plan, &s->share, &s->options, &s->error);
  cpb_buffer_init(&s->write.out.index, &a);
  s->write.apart = true;
  s->phase = DONE;
  return s;
}

cpb_code cpb_split_part(cpb_split *s, size_t part) {
  const cpb_parts *parts = s->origin ? &s->origin->write.out.parts : NULL;
  if (s->phase == FAILED) return s->error.code;
  if (!parts || part >= parts->count) return CPB_E_USAGE;
  bool alone = parts->items[part].alone;
  cpb_split_write_part(&s->write, parts->items[part].first, cpb_parts_end(parts, part));
  s->phase = alone ? DONE : WRITING;
  return CPB_OK;
}

cpb_code cpb_split_give(cpb_split *s, const void *data, size_t size) {
  cpb_split_write *w = &s->write;
  if (s->phase != WRITING || s->origin || w->out.parts.next == 0 ||
      w->chunk != w->out.parts.items[w->out.parts.next - 1].first)
    return CPB_E_USAGE;
  w->out.given = (cpb_span){data, size};
  if (size > 0) w->state = CPB_SPLIT_WRITE_GIVEN;
  return CPB_OK;
}

const uint8_t *cpb_split_output(const cpb_split *s, uint64_t *offset, size_t *length) {
  return cpb_record_writer_output(s->write.out.writer, offset, length);
}

uint32_t cpb_split_file(const cpb_split *s) { return s->write.files.at; }
uint32_t cpb_split_num_files(const cpb_split *s) { return s->write.files.count; }

size_t cpb_split_file_name(const cpb_split *s, uint32_t file, char *out, size_t size) {
  return cpb_split_files_name(&s->write.files, file, out, size);
}

/* --- The plan ------------------------------------------------------------- */

int cpb_split_is_split(const cpb_split *s) { return s->plan.num_chunks > 1; }
size_t cpb_split_count(const cpb_split *s) { return s->plan.num_chunks; }

int cpb_split_chunk_at(const cpb_split *s, size_t index, cpb_split_chunk *chunk) {
  if (index >= s->plan.num_chunks) return 0;
  const cpb_plan_chunk *c = &s->plan.chunks[index];
  *chunk = (cpb_split_chunk){c->size, c->position, c->is_bytes};
  return 1;
}

void cpb_split_progress(const cpb_split *s, uint64_t *done, uint64_t *total) {
  *total = s->phase == SHARING ? s->share.total : s->walk.size == CPB_NO_OFFSET ? 0 : s->walk.size;
  *done = s->phase == PLANNING  ? cpb_min_u64(s->walk.scanner.pos, *total)
          : s->phase == SHARING ? cpb_min_u64(s->share.done, *total)
          : s->phase == PLANNED ? 0
          : s->phase == DONE    ? *total
                                : cpb_min_u64(s->write.copied, *total);
}
