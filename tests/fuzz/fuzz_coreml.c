/* Questions about Core ML models, and the values of a constant: [size of name 1][name][message]. */
#include "model_checks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_in in = {data, size};
  fuzz_in name = fuzz_bytes(&in, fuzz_number(&in, 1));
  model_check(CPB_MODEL_COREML, 0, name, in);
  return 0;
}
