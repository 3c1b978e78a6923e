#include "opened_operation.h"

#include "cpb/opened.h"
#include "operation_host.h"

static cpb_step run(const host *h, cpb_opened *o, unsigned *state, outcome *out) {
  cpb_step step;
  while ((step = cpb_opened_step(o)) > CPB_STEP_DONE) {
    size_t length;
    const uint8_t *data = cpb_opened_data(o, &length);
    if (step == CPB_STEP_NEED) answer(h, state, cpb_opened_input(o));
    else keep_bytes(out, data, length);
  }
  if (step == CPB_STEP_ERROR) keep_error(out, cpb_opened_error(o));
  return step;
}

static cpb_step find_and_view(const host *h, cpb_opened *o, const cpb_path *path, unsigned *state, outcome *out) {
  cpb_opened_find(o, NULL, path);
  cpb_step step = run(h, o, state, out);
  cpb_find *find = cpb_opened_take_found(o);
  for (size_t i = 0; find != NULL && i < cpb_find_num_ranges(find) && step == CPB_STEP_DONE; i++) {
    cpb_range range = cpb_find_get_range(find, i);
    note(out, "range", range.offset, range.length);
    cpb_opened_view(o, range.offset, range.length);
    step = run(h, o, state, out);
  }
  cpb_find_free(find);
  return step;
}

void open_message(const host *h, outcome *out) {
  const cpb_opened_options how = {
      .struct_size = sizeof how, .form = CPB_OPENED_CHUNKED, .plan_late = 1, .limits = h->limits};
  unsigned state = h->seed;
  cpb_path *path = cpb_path_parse(h->allocator, "1", 1, &out->error);
  cpb_opened *o = path != NULL ? cpb_opened_new(h->allocator, &how) : NULL;
  if (o == NULL) {
    no_memory(out);
  } else if (run(h, o, &state, out) == CPB_STEP_DONE && find_and_view(h, o, path, &state, out) == CPB_STEP_DONE) {
    cpb_opened_read(o, 0, UINT64_MAX);
    run(h, o, &state, out);
  }
  cpb_opened_free(o);
  cpb_path_free(path);
}
