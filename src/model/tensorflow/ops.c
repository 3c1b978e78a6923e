#include "model/operators/operators.h"
#include "model/tensorflow/graph.h"

/* A table as in operators.h, with the outputs in place of the versions. */
#define OP(name, domain, outputs, versions, sentence) NAMED(name, outputs)
#define NAMED(name, outputs) name "\t\t" outputs "\n"
static const char lines[] =
#include "model/operators/tensorflow.inc"
    ;

bool cpb_tensorflow_op_outputs(cpb_span name, cpb_span *outputs) {
  const cpb_span table = {(const uint8_t *)lines, sizeof lines - 1};
  cpb_operator found;
  if (!cpb_operator_find(table, name, (cpb_span){NULL, 0}, &found)) return false;
  *outputs = found.versions;
  return true;
}

bool cpb_is_tensorflow_op(cpb_span name) {
  cpb_span outputs;
  return cpb_tensorflow_op_outputs(name, &outputs);
}
