/* Bytes of a merged message come from its plan, those of a plain one straight from the file. For an engine that reads
 * the message, the first are copied into a window; the second are the host's business: its need is passed on. */
#include "chunked/opened/opened_state.h"

#include "base/checked.h"
#include "base/status.h"

#define WINDOW_MAX ((size_t)256 << 10)

/* --- A plain message ------------------------------------------------------- */

static cpb_step read_file(cpb_opened *o) {
  cpb_span span;
  size_t length = (size_t)cpb_min_u64(o->left, WINDOW_MAX);
  cpb_have have = length > 0 ? cpb_input_span(&o->input, o->at, length, o->left, &span) : CPB_AT_END;
  if (have == CPB_WAIT) return cpb_opened_need(o, &o->input);
  if (have == CPB_HAVE) {
    o->data = span;
    return CPB_STEP_DATA;
  }
  cpb_input_let_go(&o->input);
  return have == CPB_FAILED ? cpb_opened_fail(o, &o->input.failure) : CPB_STEP_DONE;
}

/* --- A merged one ------------------------------------------------------------ */

static cpb_merge *reader_of(const cpb_opened *o) { return o->fork ? o->fork : o->merge; }

/* A failed merge stays failed, but another reader of its plan may work. */
static bool renew_reader(cpb_opened *o) {
  if (cpb_merge_error(reader_of(o))->code == CPB_OK) return true;
  cpb_merge_free(o->fork);
  o->fork = cpb_merge_fork(o->merge, &o->allocator);
  return o->fork != NULL;
}

static bool begin_reading(cpb_opened *o, uint64_t offset, uint64_t length) {
  if (!renew_reader(o)) return false;
  cpb_merge_read(reader_of(o), offset, length);
  return o->is_reading = true;
}

static cpb_step step_merge(cpb_opened *o) {
  cpb_merge *merge = reader_of(o);
  cpb_step step = cpb_merge_step(merge);
  if (step == CPB_STEP_NEED) return cpb_opened_need(o, cpb_merge_input(merge));
  if (step == CPB_STEP_ERROR) return cpb_opened_fail(o, cpb_merge_error(merge));
  if (step == CPB_STEP_DATA) o->data.data = cpb_merge_data(merge, &o->data.size);
  return step;
}

static cpb_step read_merged(cpb_opened *o) {
  if (!o->is_reading && !begin_reading(o, o->at, o->left)) return cpb_opened_fail_memory(o);
  return step_merge(o);
}

/* How far one chunk, or literal bytes, extend from `offset`: the engine may never need the bytes after them. */
static uint64_t segment_left(const cpb_opened *o, uint64_t offset, bool *whole) {
  cpb_segment segment;
  size_t i = cpb_merge_find_segment(o->merge, offset);
  if (cpb_merge_get_segment(o->merge, i, &segment) != CPB_OK) return 0;
  *whole = offset == segment.offset;
  return segment.offset + segment.length - offset;
}

static bool in_window(const cpb_opened *o, uint64_t offset) {
  return offset >= o->begin && offset - o->begin < o->window.size;
}

/* Copies the bytes of the read that has begun into the window. */
static cpb_step fill_window(cpb_opened *o) {
  cpb_step step;
  while ((step = step_merge(o)) == CPB_STEP_DATA) {
    if (cpb_buffer_append(&o->window, o->data.data, o->data.size)) continue;
    step = cpb_opened_fail_memory(o);
    break;
  }
  o->data.size = 0;
  if (step == CPB_STEP_ERROR) o->window.size = 0;
  return step;
}

/* Makes the window contain the byte at `offset`, unless the message ends there. */
static cpb_step find_window(cpb_opened *o, uint64_t offset, uint64_t wanted) {
  bool whole;
  if (!o->is_reading) {
    uint64_t length = cpb_min_u64(cpb_min_u64(wanted, WINDOW_MAX), segment_left(o, offset, &whole));
    if (length == 0 || in_window(o, offset)) return CPB_STEP_DONE;
    o->begin = offset;
    o->window.size = 0;
    if (!begin_reading(o, offset, length)) return cpb_opened_fail_memory(o);
  }
  cpb_step step = fill_window(o);
  if (step != CPB_STEP_NEED) o->is_reading = false;
  return step;
}

static cpb_step look_at_merged(cpb_opened *o) {
  cpb_step step = find_window(o, o->at, o->left);
  if (step != CPB_STEP_DONE || o->left == 0 || !in_window(o, o->at)) return step;
  size_t skip = (size_t)(o->at - o->begin);
  o->data = (cpb_span){o->window.data + skip, (size_t)cpb_min_u64(o->window.size - skip, o->left)};
  return CPB_STEP_DATA;
}

/* --- Either --------------------------------------------------------------------- */

cpb_step cpb_opened_read_on(cpb_opened *o) {
  if (o->index) return read_merged(o);
  cpb_step step = read_file(o);
  o->at += o->data.size;
  o->left -= o->data.size;
  return step;
}

cpb_step cpb_opened_look_at(cpb_opened *o) {
  cpb_step step = o->index ? look_at_merged(o) : read_file(o);
  if (step == CPB_STEP_DATA) o->left = 0;
  return step;
}

/* --- For an engine ---------------------------------------------------------------- */

static bool is_damage(const cpb_error *error) { return error->code == CPB_E_DAMAGED || error->code == CPB_E_TRUNCATED; }

/* Reports the rest of the segment as lost. */
static cpb_step lose(cpb_opened *o, uint64_t offset) {
  bool whole = false;
  char text[CPB_OPENED_DAMAGE];
  cpb_opened_describe(text, &o->error);
  uint64_t length = segment_left(o, offset, &whole);
  cpb_input_lose(o->asker, length, whole, text);
  cpb_error_begin(&o->error, NULL);
  return CPB_STEP_DONE;
}

static cpb_step supply_merged(cpb_opened *o, const cpb_need *need) {
  bool wants_bytes = need->kind == CPB_NEED_RANGE;
  cpb_step step = wants_bytes ? find_window(o, need->offset, need->ahead) : CPB_STEP_DONE;
  if (step == CPB_STEP_ERROR && o->options.keep_damaged && is_damage(&o->error)) return lose(o, need->offset);
  if (step == CPB_STEP_ERROR) cpb_input_fail_with(o->asker, &o->error);
  if (step != CPB_STEP_DONE) return step;
  if (wants_bytes && in_window(o, need->offset)) cpb_input_supply(o->asker, o->begin, o->window.data, o->window.size);
  else cpb_input_end(o->asker, cpb_merge_size(o->merge));
  return step;
}

static cpb_step pass_on(cpb_opened *o) {
  if (!o->is_passed) {
    o->is_passed = true;
    return cpb_opened_need(o, o->asker);
  }
  o->is_passed = false;
  return o->asker->failure.code == CPB_OK ? CPB_STEP_DONE : cpb_opened_fail(o, &o->asker->failure);
}

/* An engine may also need another file that the message names. */
cpb_step cpb_opened_answer_now(cpb_opened *o) {
  cpb_need need;
  cpb_input_need(o->asker, &need);
  if (need.kind == CPB_NEED_NONE) return CPB_STEP_DONE;
  return o->index && need.file == 0 ? supply_merged(o, &need) : pass_on(o);
}
