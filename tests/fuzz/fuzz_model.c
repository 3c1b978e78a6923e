/* Questions about models: [kind 1][size of name 1][name][message]. Every question is
 * answered with JSON or a clear error, and the same when the input comes in pieces. */
#include <string.h>

#include "base/alloc.h"
#include "base/json_read.h"
#include "cpb/model.h"
#include "fuzz.h"

static const cpb_model_kind kinds[] = {CPB_MODEL_SAVED_MODEL, CPB_MODEL_GRAPH_DEF, CPB_MODEL_KERAS_METADATA};

static cpb_step run(cpb_model *model, fuzz_in message, size_t piece) {
  cpb_step step;
  while ((step = cpb_model_step(model)) == CPB_STEP_NEED) {
    cpb_need need;
    cpb_input *input = cpb_model_input(model);
    cpb_input_need(input, &need);
    cpb_input_end(input, message.size);
    if (need.kind != CPB_NEED_RANGE || need.offset >= message.size) continue;
    size_t left = message.size - (size_t)need.offset, length = need.length < left ? need.length : left;
    cpb_input_supply(input, need.offset, message.data + need.offset, length < piece ? length : piece);
  }
  return step;
}

static void check_json(const char *json, size_t size) {
  cpb_error error = {.code = CPB_OK};
  cpb_allocator a = cpb_allocator_or_default(NULL);
  yyjson_doc *doc = cpb_json_read(&a, (cpb_span){(const uint8_t *)json, size}, 1000, &error);
  fuzz_check(doc != NULL && cpb_json_member(yyjson_doc_get_root(doc), "problems") != NULL);
  yyjson_doc_free(doc);
}

static void compare(cpb_model *whole, cpb_model *pieces, const cpb_question *question, fuzz_in message) {
  size_t size, again;
  cpb_model_ask(whole, question);
  cpb_model_ask(pieces, question);
  cpb_step step = run(whole, message, SIZE_MAX);
  fuzz_check(step == run(pieces, message, 7));
  if (step == CPB_STEP_ERROR) {
    fuzz_check(cpb_model_error(whole)->message[0] != '\0');
    fuzz_check(cpb_model_error(whole)->code == cpb_model_error(pieces)->code);
    return;
  }
  const char *json = cpb_model_answer(whole, &size), *other = cpb_model_answer(pieces, &again);
  check_json(json, size);
  fuzz_check(size == again && memcmp(json, other, size) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_in in = {data, size};
  uint32_t how = fuzz_number(&in, 1);
  fuzz_in name = fuzz_bytes(&in, fuzz_number(&in, 1));
  const cpb_model_options options = {
      .struct_size = sizeof options, .max_value = 40, .max_memory = 4 << 20, .limits = &fuzz_limits};
  cpb_model_kind kind = kinds[how % (sizeof kinds / sizeof *kinds)];
  cpb_model *whole = cpb_model_new(NULL, kind, &options), *pieces = cpb_model_new(NULL, kind, &options);
  for (int question = 1; cpb_question_name((cpb_question_kind)question); question++) {
    for (int named = 0; named < 2; named++) {
      cpb_question q = {.struct_size = sizeof q, .kind = (cpb_question_kind)question, .count = 30};
      if (named) q.name = (const char *)name.data, q.name_size = name.size;
      if (named) q.meta_graph = how >> 7;
      compare(whole, pieces, &q, in);
    }
  }
  cpb_model_free(whole);
  cpb_model_free(pieces);
  return 0;
}
