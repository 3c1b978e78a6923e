/* Outlines: [type 1][max_value 1][message]. Where a message has one, it is its own
 * outline, is the same in pieces, and its JSON closes what it opens. */
#include <string.h>

#include "cpb/outline.h"
#include "host.h"

static const char *const types[] = {"tensorflow.GraphDef", "tensorflow.SavedModel", "tensorflow.FunctionDef",
                                    "tensorflow.StructuredValue"};

/* Of three outlines. */
static const fuzz_bounds bounds = {.held = {48 << 10, 256}, .walked = {256, 8}};

static cpb_work work;

static cpb_step run(cpb_outline *outline, fuzz_in message, size_t piece) {
  cpb_step step;
  cpb_input *input = cpb_outline_input(outline);
  while ((step = cpb_outline_step(outline)) == CPB_STEP_NEED) {
    cpb_need need;
    cpb_input_need(input, &need);
    cpb_input_end(input, message.size);
    if (need.kind != CPB_NEED_RANGE) continue;
    fuzz_check(need.offset < message.size && need.length <= message.size - need.offset);
    cpb_input_supply(input, need.offset, message.data + need.offset, need.length < piece ? need.length : piece);
  }
  return step;
}

static cpb_outline *outline_of(const cpb_message_type *type, fuzz_in message, uint64_t max_value, size_t piece,
                               cpb_step *step) {
  const cpb_limits counted = fuzz_counted(&work);
  const cpb_outline_options options = {
      .struct_size = sizeof options, .max_value = max_value, .max_size = 1 << 20, .limits = &counted};
  cpb_outline *outline = cpb_outline_new(NULL, type, NULL, 0, &options);
  *step = run(outline, message, piece);
  if (*step == CPB_STEP_ERROR) fuzz_check(cpb_outline_error(outline)->message[0] != '\0');
  return outline;
}

static fuzz_in message_of(const cpb_outline *outline) {
  fuzz_in m;
  m.data = cpb_outline_message(outline, &m.size);
  return m;
}

static void same(const cpb_outline *a, const cpb_outline *b) {
  fuzz_in x = message_of(a), y = message_of(b);
  fuzz_check(x.size == y.size && (x.size == 0 || memcmp(x.data, y.data, x.size) == 0));
}

static void look_at_omitted(const cpb_outline *outline, fuzz_in message, uint64_t max_value) {
  size_t count;
  fuzz_in m = message_of(outline);
  const cpb_omitted *omitted = cpb_outline_omitted(outline, &count);
  for (size_t i = 0; i < count; i++) {
    fuzz_check(omitted[i].at > (i > 0 ? omitted[i - 1].at : 0) && omitted[i].at <= m.size);
    fuzz_check(m.data[omitted[i].at - 1] == 0 && omitted[i].size > max_value);
    fuzz_check(omitted[i].offset <= message.size && omitted[i].size <= message.size - omitted[i].offset);
  }
}

static void write_json(const cpb_outline *outline, const cpb_message_type *type) {
  fuzz_in m = message_of(outline);
  cpb_json_options options = {.struct_size = sizeof options, .unknown_fields = 1, .limits = &fuzz_limits};
  options.omitted = cpb_outline_omitted(outline, &options.num_omitted);
  cpb_json *json = cpb_json_new(NULL, type, m.data, m.size, &options);
  int64_t depth = 0;
  cpb_step step;
  while ((step = cpb_json_step(json)) == CPB_STEP_OUTPUT) {
    size_t length;
    const char *text = cpb_json_output(json, &length);
    for (size_t i = 0; i < length; i++) fuzz_check(text[i] >= 0x20 || text[i] < 0);
    depth += (int64_t)length;
  }
  fuzz_check(step == CPB_STEP_ERROR || depth >= 2);
  cpb_json_free(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_in in = {data, size};
  uint32_t how = fuzz_number(&in, 1);
  uint64_t max_value = 1 + fuzz_number(&in, 1);
  static cpb_schema *schema; /* making it takes longer than all the rest */
  if (schema == NULL) schema = cpb_schema_new_builtin(NULL, NULL);
  const cpb_message_type *type = how & 4 ? NULL : cpb_schema_find_message(schema, types[how & 3]);
  cpb_step step, again;
  work = (cpb_work){0};
  cpb_outline *outline = outline_of(type, in, max_value, SIZE_MAX, &step);
  cpb_outline *pieces = outline_of(type, in, max_value, 7, &again);
  fuzz_check(step == again);
  if (step == CPB_STEP_DONE) {
    same(outline, pieces);
    look_at_omitted(outline, in, max_value);
    cpb_outline *own = outline_of(type, message_of(outline), max_value, SIZE_MAX, &again);
    fuzz_check(again == CPB_STEP_DONE);
    same(outline, own);
    cpb_outline_free(own);
    if (type != NULL) write_json(outline, type);
  }
  cpb_outline_free(outline);
  cpb_outline_free(pieces);
  fuzz_bounded(&work, &bounds, in.size);
  return 0;
}
