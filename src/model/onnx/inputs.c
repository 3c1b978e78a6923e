#include "model/onnx/inputs.h"

#include "model/common/spans.h"

static const struct {
  const char *op, *inputs;
} ops[] = {
#include "model/onnx/inputs.inc"
};
#define NUM_OPS (sizeof ops / sizeof *ops)

cpb_span cpb_onnx_inputs(cpb_span op) {
  size_t low = 0, high = NUM_OPS;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (cpb_span_compare(cpb_span_of(ops[middle].op), op) < 0) low = middle + 1;
    else high = middle;
  }
  return low < NUM_OPS && cpb_span_is(op, ops[low].op) ? cpb_span_of(ops[low].inputs) : (cpb_span){NULL, 0};
}

cpb_span cpb_onnx_next_input(cpb_span *names) {
  const cpb_span several = cpb_span_of("...");
  size_t end = 0;
  while (end < names->size && names->data[end] != ',') end++;
  cpb_span name = {names->data, end};
  const bool repeats = end > several.size && cpb_span_equal(cpb_span_from(name, end - several.size), several);
  if (repeats) name.size -= several.size;
  else *names = cpb_span_from(*names, end < names->size ? end + 1 : end);
  return name;
}
