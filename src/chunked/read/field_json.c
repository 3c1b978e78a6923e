/* The JSON of a field that a field reader has found: the reader answers what cpb_field_json needs. A file of its own,
 * as readers on devices are built without it. */
#include "cpb/field_json.h"

#include "base/input.h"
#include "base/status.h"
#include "chunked/read/field.h"

typedef struct text {
  cpb_field_text methods;
  cpb_field_json *json;
  uint64_t max_value;
  bool asked; /* bytes of the field, from r->at on */
} text;

static text *text_of(const cpb_field_reader *r) { return (text *)r->text; }

static void free_text(cpb_field_reader *r) {
  cpb_field_json_free(text_of(r)->json);
  cpb_release(&r->allocator, r->text);
}

static cpb_step fail(cpb_field_reader *r, const cpb_error *error) {
  if (r->error.code == CPB_OK) r->error = *error;
  return cpb_field_fail(r);
}

/* CPB_STEP_OUTPUT: the need is met. */
static cpb_step supply(cpb_field_reader *r, cpb_input *input) {
  text *t = text_of(r);
  cpb_need need;
  cpb_input_need(input, &need);
  if (need.kind == CPB_NEED_SIZE || need.offset >= r->place.size) {
    cpb_input_end(input, r->place.size);
    return CPB_STEP_OUTPUT;
  }
  if (!t->asked || r->at != need.offset || r->left == 0) cpb_field_ask(r, need.offset, need.length);
  t->asked = true;
  cpb_step step = cpb_field_step_bytes(r);
  if (step == CPB_STEP_NEED || step == CPB_STEP_ERROR) return step;
  cpb_input_end(input, r->place.size);
  if (r->data.size > 0) cpb_input_supply(input, need.offset, r->data.data, r->data.size);
  return CPB_STEP_OUTPUT;
}

static cpb_step step_json(cpb_field_reader *r) {
  text *t = text_of(r);
  cpb_step step;
  while ((step = cpb_field_json_step(t->json)) == CPB_STEP_NEED) {
    step = supply(r, cpb_field_json_input(t->json));
    if (step != CPB_STEP_OUTPUT) return step;
  }
  r->data.size = 0;
  if (step == CPB_STEP_ERROR) return fail(r, cpb_field_json_error(t->json));
  r->phase = CPB_FIELD_IDLE;
  if (step == CPB_STEP_DONE) return step;
  r->data.data = (const uint8_t *)cpb_field_json_output(t->json, &r->data.size);
  return CPB_STEP_DATA;
}

static cpb_step step_text(cpb_field_reader *r) {
  text *t = text_of(r);
  const cpb_json_options names = {.struct_size = sizeof names, .original_names = 1};
  const cpb_field_json_options how = {.struct_size = sizeof how,
                                      .max_value = t->max_value,
                                      .max_size = r->options.memory,
                                      .json = &names,
                                      .limits = r->options.limits};
  if (r->phase == CPB_FIELD_FAILED) return CPB_STEP_ERROR;
  if (!t->json) {
    cpb_step step = cpb_field_step_bytes(r);
    if (step != CPB_STEP_DONE) return step;
    t->json = cpb_field_json_new(&r->allocator, &r->what, NULL, 0, &how);
    cpb_error none = {.offset = CPB_NO_OFFSET};
    if (!t->json) return fail(r, (cpb_fail_memory(&none), &none));
  }
  return step_json(r);
}

cpb_code cpb_field_reader_read_json(cpb_field_reader *r, const char *path, size_t length, uint64_t max_value) {
  cpb_code code = cpb_field_reader_read(r, path, length, 0, 0);
  if (code != CPB_OK) return code;
  text *t = cpb_alloc_zeroed(&r->allocator, sizeof *t);
  if (!t) {
    cpb_field_no_memory(r);
    cpb_field_fail(r);
    return r->error.code;
  }
  t->methods = (cpb_field_text){step_text, free_text};
  t->max_value = max_value;
  r->text = &t->methods;
  return CPB_OK;
}
