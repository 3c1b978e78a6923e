#include "base/limits.h"
#include "base/status.h"
#include "chunked/opened/opened_state.h"

/* --- opened step ------------------------------------------------------------------------------ */

cpb_step cpb_opened_need(cpb_opened *o, cpb_input *input) {
  o->waits = input;
  return CPB_STEP_NEED;
}

cpb_step cpb_opened_fail(cpb_opened *o, const cpb_error *error) {
  o->error = *error;
  return CPB_STEP_ERROR;
}

cpb_step cpb_opened_fail_memory(cpb_opened *o) { return cpb_fail_memory(&o->error), CPB_STEP_ERROR; }

void cpb_opened_describe(char *text, const cpb_error *damage) {
  size_t length = cpb_format(text, CPB_OPENED_DAMAGE, "%s", damage->message);
  if (damage->offset == CPB_NO_OFFSET) return;
  cpb_format(text + length, CPB_OPENED_DAMAGE - length, ", at byte %llu of the file",
             (unsigned long long)damage->offset);
}

/* --- opened ----------------------------------------------------------------------------------- */

/* Opening: how the file begins, its index, and the plan of the merge; then what was requested.
 *
 * A request may need what opening has left out, the plan, so each begins with it. */

/* --- Making and freeing ------------------------------------------------------ */

static void renew_input(cpb_opened *o) {
  cpb_input_init(&o->input);
  o->input.keeps_codes = true;
}

cpb_opened *cpb_opened_new(const cpb_allocator *allocator, const cpb_opened_options *options) {
  static const cpb_opened_state first[] = {CPB_OPENED_LOOKS, CPB_OPENED_READS_INDEX, CPB_OPENED_PLANS};
  cpb_allocator a = cpb_allocator_or_default(allocator);
  cpb_opened_options copy;
  cpb_options_copy(&copy, sizeof copy, options);
  cpb_opened *o = copy.form <= CPB_OPENED_PLAIN ? cpb_alloc_zeroed(&a, sizeof *o) : NULL;
  if (!o) return NULL;
  o->allocator = a;
  o->options = copy;
  o->limits = cpb_limits_or_default(o->options.limits);
  o->options.limits = &o->limits;
  o->state = first[o->options.form];
  cpb_error_begin(&o->error, NULL);
  renew_input(o);
  cpb_buffer_init(&o->window, &a);
  return o;
}

cpb_opened *cpb_opened_from_chunks(const cpb_allocator *allocator, cpb_index *index, const cpb_chunk_bytes *chunks,
                                   size_t num_chunks, const cpb_opened_options *options) {
  cpb_opened *o = cpb_opened_new(allocator, options);
  if (!o) {
    cpb_index_free(index);
    return NULL;
  }
  o->state = CPB_OPENED_PLANS;
  o->index = index;
  o->chunks = chunks;
  o->num_chunks = num_chunks;
  return o;
}

static void drop_plan(cpb_opened *o) {
  cpb_merge_free(o->fork);
  cpb_merge_free(o->merge);
  o->fork = o->merge = NULL;
  o->is_planned = false;
  o->window.size = 0;
}

static void drop_search(cpb_opened *o) {
  cpb_find_free(o->find);
  o->find = NULL;
  o->asker = NULL;
}

void cpb_opened_free(cpb_opened *o) {
  if (!o) return;
  cpb_allocator a = o->allocator;
  drop_search(o);
  drop_plan(o);
  cpb_index_free(o->index);
  cpb_buffer_free(&o->window);
  cpb_release(&a, o);
}

cpb_input *cpb_opened_input(cpb_opened *o) { return o->waits ? o->waits : &o->input; }

const cpb_error *cpb_opened_error(const cpb_opened *o) { return &o->error; }

/* --- Opening ---------------------------------------------------------------------- */

static cpb_step look(cpb_opened *o) {
  cpb_have have = cpb_input_gather(&o->input, 0, sizeof o->beginning, o->beginning, &o->beginning_size);
  if (have == CPB_WAIT) return cpb_opened_need(o, &o->input);
  cpb_input_let_go(&o->input);
  if (have == CPB_FAILED) return cpb_opened_fail(o, &o->input.failure);
  const cpb_span beginning = {o->beginning, o->beginning_size};
  o->state = cpb_begins_with_records(beginning) ? CPB_OPENED_READS_INDEX : CPB_OPENED_PLANS;
  return CPB_STEP_DONE;
}

static bool make_index(cpb_opened *o) {
  if (o->index) return true;
  o->index = cpb_index_new(&o->allocator, &o->limits);
  if (o->index && o->options.field) cpb_index_want(o->index, o->options.field_type, o->options.field);
  return o->index != NULL;
}

/* A message may begin with the bytes of a records file, as the name of a field; then it is not a .cpb but still a
 * message. */
static cpb_step read_index(cpb_opened *o) {
  if (!make_index(o)) return cpb_opened_fail_memory(o);
  cpb_step step = cpb_index_step(o->index);
  if (step == CPB_STEP_NEED) return cpb_opened_need(o, cpb_index_input(o->index));
  if (step == CPB_STEP_ERROR) {
    const cpb_error error = *cpb_index_error(o->index);
    cpb_index_free(o->index);
    o->index = NULL;
    if (error.code != CPB_E_FORMAT || o->options.form == CPB_OPENED_CHUNKED) return cpb_opened_fail(o, &error);
  }
  o->state = CPB_OPENED_PLANS;
  return CPB_STEP_DONE;
}

/* --- Planning ------------------------------------------------------------------------ */

/* Plans the merge of everything, or of the field to find. */
static bool set_up_plan(cpb_opened *o) {
  if (o->options.keep_damaged) return cpb_merge_keep_damaged(o->merge) == CPB_OK;
  return !o->is_partial || cpb_merge_plan_for(o->merge, o->type, o->path) == CPB_OK;
}

static bool begin_plan(cpb_opened *o) {
  const cpb_merge_options how = {
      .struct_size = sizeof how, .trust_sizes = 1, .type = o->options.type, .limits = &o->limits};
  if (o->merge) return true;
  o->merge = o->chunks ? cpb_merge_from_chunks(&o->allocator, o->index, o->chunks, o->num_chunks, &how)
                       : cpb_merge_new(&o->allocator, o->index, &how);
  if (o->merge && set_up_plan(o)) return true;
  drop_plan(o);
  return false;
}

static cpb_step plan(cpb_opened *o) {
  if (!o->index || o->is_planned) return CPB_STEP_DONE;
  if (!begin_plan(o)) return cpb_opened_fail_memory(o);
  cpb_step step = cpb_merge_step(o->merge);
  if (step == CPB_STEP_NEED) return cpb_opened_need(o, cpb_merge_input(o->merge));
  if (step == CPB_STEP_ERROR) {
    cpb_opened_fail(o, cpb_merge_error(o->merge));
    drop_plan(o);
    return step;
  }
  o->is_planned = true;
  if (cpb_merge_damage(o->merge)->code != CPB_OK) cpb_opened_describe(o->damage, cpb_merge_damage(o->merge));
  return step;
}

static cpb_step open_message(cpb_opened *o) {
  bool late = o->options.plan_late && !o->options.keep_damaged;
  cpb_step step = o->state == CPB_OPENED_LOOKS ? look(o) : CPB_STEP_DONE;
  if (step == CPB_STEP_DONE && o->state == CPB_OPENED_READS_INDEX) step = read_index(o);
  if (step == CPB_STEP_DONE && !late) step = plan(o);
  if (step == CPB_STEP_DONE) o->state = CPB_OPENED_READY;
  return step;
}

/* --- Finding ---------------------------------------------------------------------------- */

static cpb_step search(cpb_opened *o) {
  cpb_step step = plan(o);
  if (step != CPB_STEP_DONE) return step;
  if (!o->find) o->find = cpb_find_new(&o->allocator, o->type, o->path, &o->limits);
  if (!o->find) return cpb_opened_fail_memory(o);
  for (;;) {
    step = o->asker ? cpb_opened_answer_now(o) : CPB_STEP_DONE;
    if (step != CPB_STEP_DONE) return step;
    o->asker = NULL;
    step = cpb_find_step(o->find);
    if (step == CPB_STEP_ERROR) return cpb_opened_fail(o, cpb_find_error(o->find));
    if (step == CPB_STEP_DONE) return step;
    o->asker = cpb_find_input(o->find);
  }
}

/* Whether a plan of everything, which reports more, may have a different result. */
static bool may_be_found_in_all(const cpb_error *error) {
  return error->code == CPB_E_DAMAGED || error->code == CPB_E_TRUNCATED || error->code == CPB_E_UNSUPPORTED;
}

static cpb_step find(cpb_opened *o) {
  cpb_step step = search(o);
  if (step != CPB_STEP_ERROR || !o->is_partial || !may_be_found_in_all(&o->error)) return step;
  drop_search(o);
  drop_plan(o);
  o->is_partial = o->is_reading = false;
  cpb_error_begin(&o->error, NULL);
  return search(o);
}

/* --- Requests ------------------------------------------------------------------------------ */

static cpb_code begin(cpb_opened *o, cpb_opened_request request, uint64_t offset, uint64_t length) {
  if (o->state != CPB_OPENED_READY) return o->error.code != CPB_OK ? o->error.code : CPB_E_USAGE;
  if (o->merge && !o->is_planned) drop_plan(o);
  drop_search(o);
  cpb_error_begin(&o->error, NULL);
  renew_input(o);
  o->request = request;
  o->at = offset;
  o->left = length;
  o->data.size = 0;
  o->is_partial = o->is_reading = o->is_passed = false;
  return CPB_OK;
}

cpb_code cpb_opened_plan(cpb_opened *o) { return begin(o, CPB_REQUEST_NONE, 0, 0); }

cpb_code cpb_opened_read(cpb_opened *o, uint64_t offset, uint64_t length) {
  return begin(o, CPB_REQUEST_READ, offset, length);
}

cpb_code cpb_opened_view(cpb_opened *o, uint64_t offset, uint64_t length) {
  return begin(o, CPB_REQUEST_VIEW, offset, length);
}

cpb_code cpb_opened_answer(cpb_opened *o, cpb_input *engine) {
  cpb_code code = begin(o, CPB_REQUEST_ANSWER, 0, 0);
  if (code == CPB_OK) o->asker = engine;
  return code;
}

cpb_code cpb_opened_find(cpb_opened *o, const cpb_message_type *type, const cpb_path *path) {
  cpb_code code = begin(o, CPB_REQUEST_FIND, 0, 0);
  o->type = type;
  o->path = path;
  o->is_partial = code == CPB_OK && o->index && !o->is_planned;
  return code;
}

cpb_find *cpb_opened_take_found(cpb_opened *o) {
  cpb_find *found = o->asker || o->error.code != CPB_OK ? NULL : o->find;
  if (found) o->find = NULL;
  return found;
}

static cpb_step answer(cpb_opened *o) {
  cpb_step step = plan(o);
  if (step == CPB_STEP_ERROR) cpb_input_fail_with(o->asker, &o->error);
  if (step == CPB_STEP_DONE) step = cpb_opened_answer_now(o);
  if (step != CPB_STEP_NEED) o->asker = NULL;
  return step;
}

cpb_step cpb_opened_step(cpb_opened *o) {
  o->data.size = 0;
  o->waits = NULL;
  if (o->error.code != CPB_OK) return CPB_STEP_ERROR;
  if (o->state != CPB_OPENED_READY) return open_message(o);
  if (o->request == CPB_REQUEST_FIND) return find(o);
  if (o->request == CPB_REQUEST_ANSWER) return o->asker ? answer(o) : CPB_STEP_DONE;
  cpb_step step = plan(o);
  if (step != CPB_STEP_DONE || o->request == CPB_REQUEST_NONE) return step;
  return o->request == CPB_REQUEST_READ ? cpb_opened_read_on(o) : cpb_opened_look_at(o);
}

/* --- What was opened ------------------------------------------------------------------------- */

const cpb_index *cpb_opened_index(const cpb_opened *o) { return o->index; }

const cpb_path *cpb_opened_field(const cpb_opened *o) {
  const cpb_path *wanted = o->index ? cpb_index_wanted(o->index) : NULL;
  return wanted ? wanted : o->options.field;
}

uint64_t cpb_opened_size(const cpb_opened *o) { return o->is_planned ? cpb_merge_size(o->merge) : CPB_NO_OFFSET; }

const char *cpb_opened_damage(const cpb_opened *o) { return *o->damage ? o->damage : NULL; }

const uint8_t *cpb_opened_data(const cpb_opened *o, size_t *length) {
  *length = o->data.size;
  return o->data.data;
}
