/* Questions about TensorFlow's models, and the values of a constant: [kind 1][size of name 1][name]
 * [message]. */
#include "model_checks.h"

static const cpb_model_kind kinds[] = {CPB_MODEL_SAVED_MODEL, CPB_MODEL_GRAPH_DEF, CPB_MODEL_KERAS_METADATA};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_in in = {data, size};
  uint32_t how = fuzz_number(&in, 1);
  fuzz_in name = fuzz_bytes(&in, fuzz_number(&in, 1));
  model_check(kinds[how % (sizeof kinds / sizeof *kinds)], how >> 7, name, in);
  return 0;
}
