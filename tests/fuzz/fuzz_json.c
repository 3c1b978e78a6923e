/* JSON of a message of a built-in type: [type and options 1][message]. The
 * output is printable and its brackets close. */
#include "cpb/message.h"
#include "host.h"

static const char *const types[] = {"tensorflow.GraphDef", "tensorflow.SavedModel", "tensorflow.FunctionDef",
                                    "tensorflow.StructuredValue"};

/* A group is gone through once for each that it is in. */
static const fuzz_bounds bounds = {.held = {128 << 10, 256}, .walked = {256, 64}, .entries = {64, 8}};

typedef struct {
  int depth, in_text, escaped;
} brackets;

static void look(brackets *b, const char *text, size_t length) {
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char)text[i];
    fuzz_check(c >= 0x20 || c == '\n');
    if (b->escaped) b->escaped = 0;
    else if (b->in_text && c == '\\') b->escaped = 1;
    else if (c == '"') b->in_text = !b->in_text;
    else if (!b->in_text && (c == '{' || c == '[')) b->depth++;
    else if (!b->in_text && (c == '}' || c == ']')) fuzz_check(--b->depth >= 0);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_in in = {data, size};
  uint32_t how = fuzz_number(&in, 1);
  cpb_error error = {.code = CPB_OK};
  cpb_schema *schema = cpb_schema_new_builtin(NULL, &error);
  cpb_work work = {0};
  const cpb_limits counted = fuzz_counted(&work);
  cpb_json_options options = {.struct_size = sizeof options,
                              .original_names = how >> 2 & 1,
                              .unknown_fields = how >> 3 & 1,
                              .strict_utf8 = how >> 4 & 1,
                              .indent = how >> 5 & 3,
                              .limits = &counted};
  cpb_json *json = cpb_json_new(NULL, cpb_schema_find_message(schema, types[how & 3]), in.data, in.size, &options);
  brackets b = {0};
  cpb_step step;
  while ((step = cpb_json_step(json)) == CPB_STEP_OUTPUT) {
    size_t length;
    const char *text = cpb_json_output(json, &length);
    look(&b, text, length);
  }
  if (step == CPB_STEP_DONE) fuzz_check(b.depth == 0 && !b.in_text);
  else fuzz_check(cpb_json_error(json)->message[0] != '\0');
  cpb_json_free(json);
  fuzz_bounded(&work, &bounds, in.size);
  cpb_schema_free(schema);
  return 0;
}
