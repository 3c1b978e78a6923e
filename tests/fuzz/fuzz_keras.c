/* Questions about Keras objects: [question 1][piece 1][size of the name 1][name], then
 * either [0xff] and the metadata of an object that is the root, or keras_metadata.pb. */
#include <string.h>

#include "cpb/model.h"
#include "fuzz.h"
#include "proto/wire.h"

static const cpb_question_kind kinds[] = {CPB_ASK_OVERVIEW, CPB_ASK_LAYERS, CPB_ASK_LOAD, CPB_ASK_SEARCH};

/* SavedMetadata with one object, for inputs that are found faster as JSON alone. */
static uint8_t *wrap(fuzz_in in, size_t *size) {
  static const char path[] = "root", identifier[] = "_tf_keras_sequential";
  uint8_t *object = malloc(in.size + 100), *message = malloc(in.size + 200), *at = object;
  at = cpb_wire_put_len(at, 3, sizeof path - 1);
  memcpy(at, path, sizeof path - 1);
  at = cpb_wire_put_len(at + sizeof path - 1, 4, sizeof identifier - 1);
  memcpy(at, identifier, sizeof identifier - 1);
  at = cpb_wire_put_len(at + sizeof identifier - 1, 5, in.size);
  if (in.size > 0) memcpy(at, in.data, in.size);
  size_t length = (size_t)(at - object) + in.size;
  at = cpb_wire_put_len(message, 1, length);
  memcpy(at, object, length);
  *size = (size_t)(at - message) + length;
  free(object);
  return message;
}

static void answer(cpb_input *input, const uint8_t *data, size_t size, size_t piece) {
  cpb_need need;
  cpb_input_need(input, &need);
  if (need.offset >= size) {
    cpb_input_end(input, size);
    return;
  }
  size_t left = size - (size_t)need.offset;
  cpb_input_supply(input, need.offset, data + need.offset, left < piece ? left : piece);
}

/* Brackets close, and nothing in it is a control character. */
static void check_json(const char *text, size_t length) {
  int depth = 0, in_text = 0;
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char)text[i];
    fuzz_check(c >= 0x20);
    if (in_text && c == '\\') i++;
    else if (c == '"') in_text = !in_text;
    else if (!in_text && (c == '{' || c == '[')) depth++;
    else if (!in_text && (c == '}' || c == ']')) fuzz_check(--depth >= 0);
  }
  fuzz_check(depth == 0 && !in_text && length > 0);
}

static void run(const uint8_t *data, size_t size, const cpb_question *question, size_t piece) {
  cpb_model *model = cpb_model_new(NULL, CPB_MODEL_KERAS_METADATA, NULL);
  cpb_model_ask(model, question);
  cpb_step step;
  while ((step = cpb_model_step(model)) == CPB_STEP_NEED) answer(cpb_model_input(model), data, size, piece);
  if (step == CPB_STEP_DONE) {
    size_t length;
    const char *json = cpb_model_answer(model, &length);
    check_json(json, length);
  } else {
    fuzz_check(step == CPB_STEP_ERROR && cpb_model_error(model)->message[0] != '\0');
  }
  cpb_model_free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_in in = {data, size};
  cpb_question question = {.struct_size = sizeof question, .kind = kinds[fuzz_number(&in, 1) & 3]};
  size_t piece = fuzz_number(&in, 1) * 16 + 1, name_size = fuzz_number(&in, 1);
  fuzz_in name = fuzz_bytes(&in, name_size);
  question.name = (const char *)name.data;
  question.name_size = name.size;
  if (in.size > 0 && *in.data == 0xff) {
    fuzz_number(&in, 1);
    uint8_t *message = wrap(in, &size);
    run(message, size, &question, piece);
    free(message);
  } else {
    run(in.data, in.size, &question, piece);
  }
  return 0;
}
