#include "cpb/diff.h"

#include "base/checked.h"
#include "base/limits.h"
#include "model/diff/diff.h"

/* A comparison is a program: a list of tasks, which depends on the kind of the models. A task takes any number of
 * rounds. A round has three steps: begin() notes what to read; then both models answer, and may wait for input; then
 * compare() looks at the answers. Models of different kinds have no program: they differ, and nothing else is said. */

#define MAX_DIFFERENCES 100

/* --- Making and freeing ----------------------------------------------------------------- */

static void init(cpb_diff *d) {
  cpb_meter_init(&d->meter, &d->own, d->options.limits, NULL);
  d->allocator = cpb_meter_allocator(&d->meter);
  d->place = CPB_DIFF_NO_PLACE;
  cpb_buffer_init(&d->out.out, &d->own);
  cpb_diff_places_init(&d->places, &d->allocator);
  cpb_diff_items_init(&d->items, &d->allocator);
  cpb_diff_items_init(&d->tags, &d->allocator);
  cpb_diff_pairs_init(&d->pairs, &d->allocator);
  cpb_diff_pairs_init(&d->layers, &d->allocator);
}

cpb_diff *cpb_diff_new(const cpb_allocator *given, cpb_model *a, cpb_model *b, const cpb_diff_options *options) {
  cpb_allocator allocator = cpb_allocator_or_default(given);
  cpb_diff *d = cpb_alloc_zeroed(&allocator, sizeof *d);
  if (!d) return NULL;
  d->own = allocator;
  d->models[0] = a;
  d->models[1] = b;
  for (int side = 0; side < 2; side++) {
    d->kinds[side] = cpb_model_get_kind(d->models[side]);
    d->before[side] = cpb_model_get_work(d->models[side]);
  }
  d->different = d->kinds[0] != d->kinds[1];
  d->program = d->different ? NULL : cpb_diff_program_of(d->kinds[0]);
  d->side = -1;
  d->error.offset = CPB_NO_OFFSET;
  d->ended = CPB_STEP_NEED;
  cpb_options_copy(&d->options, sizeof d->options, options);
  if (d->options.max_differences == 0) d->options.max_differences = MAX_DIFFERENCES;
  init(d);
  return d;
}

void cpb_diff_free(cpb_diff *d) {
  if (!d) return;
  cpb_allocator a = d->own;
  cpb_diff_values_end(d);
  cpb_diff_pairs_free(&d->pairs);
  cpb_diff_pairs_free(&d->layers);
  cpb_diff_items_free(&d->items);
  cpb_diff_items_free(&d->tags);
  cpb_diff_places_free(&d->places);
  cpb_buffer_free(&d->out.out);
  cpb_meter_free(&d->meter);
  cpb_release(&a, d);
}

/* --- Steps --------------------------------------------------------------------------------- */

static void begin_result(cpb_diff *d) {
  cpb_json_writer_open(&d->out, NULL, '{');
  cpb_json_writer_text(&d->out, "a", cpb_model_kind_label(d->kinds[0]));
  cpb_json_writer_text(&d->out, "b", cpb_model_kind_label(d->kinds[1]));
  cpb_json_writer_bool(&d->out, "values", !d->options.skip_values);
  if (d->options.same_file) cpb_json_writer_bool(&d->out, "same_file", true);
  cpb_json_writer_open(&d->out, "sections", '[');
}

static void write_damage(cpb_diff *d) {
  static const char *const names[] = {"a", "b"};
  if (!d->damage[0].met && !d->damage[1].met) return;
  cpb_json_writer_open(&d->out, "damaged", '{');
  for (int side = 0; side < 2; side++) {
    const cpb_diff_damage *damage = &d->damage[side];
    if (!damage->met) continue;
    cpb_json_writer_open(&d->out, names[side], '{');
    if (damage->offset == CPB_NO_OFFSET) cpb_json_writer_null(&d->out, "offset");
    else cpb_json_writer_unsigned(&d->out, "offset", damage->offset);
    cpb_json_writer_text(&d->out, "text", damage->text);
    cpb_json_writer_close(&d->out, '}');
  }
  cpb_json_writer_close(&d->out, '}');
}

static cpb_step end_result(cpb_diff *d) {
  cpb_json_writer_close(&d->out, ']');
  cpb_json_writer_open(&d->out, "left_out", '{');
  cpb_json_writer_unsigned(&d->out, "sections", d->left_out.sections);
  cpb_json_writer_unsigned(&d->out, "same", d->left_out.same);
  cpb_json_writer_close(&d->out, '}');
  if (d->different || cpb_diff_incomplete(d) == 0) cpb_json_writer_bool(&d->out, "equal", !d->different);
  else cpb_json_writer_null(&d->out, "equal"); /* as far as the models can be read */
  write_damage(d);
  cpb_json_writer_close(&d->out, '}');
  if (!cpb_json_writer_ok(&d->out)) cpb_diff_fail_memory(d);
  return CPB_STEP_DONE;
}

/* Reads the lists of the round, then compares them. */
static cpb_step run_round(cpb_diff *d) {
  cpb_step step = cpb_diff_read_step(d);
  if (step == CPB_STEP_DONE) step = d->program[d->task]->compare(d);
  if (step != CPB_STEP_DONE) return step;
  d->in_round = false;
  d->round++;
  return CPB_STEP_DONE;
}

/* Begins the next round, in this task or a later one. */
static void begin_round(cpb_diff *d) {
  d->in_round = d->program[d->task]->begin(d);
  if (d->in_round) return;
  d->task++;
  d->round = 0;
}

static cpb_step run(cpb_diff *d) {
  if (d->out.out.size == 0) begin_result(d);
  while (cpb_diff_ok(d) && d->program && d->program[d->task]) {
    if (!d->in_round) begin_round(d);
    cpb_step step = d->in_round ? run_round(d) : CPB_STEP_DONE;
    if (step != CPB_STEP_DONE) return step;
  }
  return cpb_diff_ok(d) ? end_result(d) : CPB_STEP_ERROR;
}

/* Raises the limits with the sizes of the two models, once these are known. */
static void update_meter(cpb_diff *d) {
  uint64_t size = 0;
  for (int side = 0; side < 2; side++) {
    uint64_t one = cpb_model_input(d->models[side])->size;
    if (one != CPB_NO_OFFSET && !cpb_add_u64(size, one, &size)) size = UINT64_MAX;
  }
  cpb_meter_grow(&d->meter, size);
}

cpb_step cpb_diff_step(cpb_diff *d) {
  update_meter(d);
  d->shard = -1;
  if (d->ended == CPB_STEP_NEED) d->ended = run(d);
  if (d->ended != CPB_STEP_NEED && !cpb_diff_ok(d)) {
    d->ended = CPB_STEP_ERROR;
    if (d->side < 0) cpb_meter_explain(&d->meter, &d->error);
  }
  if (d->ended == CPB_STEP_NEED) return CPB_STEP_NEED;
  d->input = NULL;
  return d->ended;
}

/* --- What comes of it -------------------------------------------------------------------- */

int cpb_diff_side(const cpb_diff *d) { return d->side; }
int64_t cpb_diff_shard(const cpb_diff *d) { return d->shard; }
cpb_input *cpb_diff_input(cpb_diff *d) { return d->input; }
const cpb_error *cpb_diff_error(const cpb_diff *d) { return &d->error; }
int cpb_diff_equal(const cpb_diff *d) {
  return d->ended == CPB_STEP_DONE && !d->different && cpb_diff_incomplete(d) == 0;
}
int cpb_diff_incomplete(const cpb_diff *d) {
  return (d->damage[0].met ? 1 : 0) | (d->damage[1].met ? 2 : 0) | (d->has_unread && !d->different ? 4 : 0);
}

const char *cpb_diff_result(const cpb_diff *d, size_t *size) {
  bool done = d->ended == CPB_STEP_DONE;
  *size = done ? d->out.out.size : 0;
  return done ? (const char *)d->out.out.data : NULL;
}
