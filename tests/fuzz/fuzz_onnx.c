/* Questions about ONNX models, and the values of a tensor: [size of name 1][name][message]. */
#include "model_checks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_in in = {data, size};
  fuzz_in name = fuzz_bytes(&in, fuzz_number(&in, 1));
  model_check(CPB_MODEL_ONNX, 0, name, in);
  return 0;
}
