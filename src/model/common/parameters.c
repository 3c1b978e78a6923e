#include "model/common/parameters.h"

#include "base/checked.h"

const char *cpb_tensor_use_name(cpb_tensor_use use) {
  static const char *const names[CPB_NUM_TENSOR_USES] = {"weight",    "constant", "quantization",
                                                         "optimizer", "state",    NULL};
  return names[use];
}

void cpb_parameters_add(cpb_parameters *p, uint64_t elements, uint64_t bytes, uint64_t size, bool trainable) {
  cpb_add_saturated(&p->total, elements);
  if (trainable) cpb_add_saturated(&p->trainable, elements);
  cpb_add_saturated(&p->bytes, bytes);
  cpb_add_saturated(&p->size, size);
}

static void write_number(cpb_json_writer *a, const char *key, bool known, uint64_t number) {
  if (known) cpb_json_writer_exact_unsigned(a, key, number);
  else cpb_json_writer_null(a, key);
}

void cpb_parameters_write(const cpb_parameters *p, cpb_json_writer *a) {
  cpb_json_writer_open(a, "parameters", '{');
  cpb_json_writer_exact_unsigned(a, "total", p->total);
  write_number(a, "trainable", p->knows_trainable, p->trainable);
  write_number(a, "tensors", !p->lacks_tensors, p->tensors);
  write_number(a, "bytes", !p->lacks_tensors, p->bytes);
  write_number(a, "size", !p->lacks_tensors, p->size);
  if (p->partial) cpb_json_writer_bool(a, "partial", true);
  cpb_json_writer_close(a, '}');
}
