/* The operations of TensorFlow itself. */
#ifndef CPB_MODEL_TENSORFLOW_OPS_H
#define CPB_MODEL_TENSORFLOW_OPS_H

#include <stdbool.h>
#include "base/bytes.h"

/* Whether TensorFlow 2 has an operation of that name. */
bool cpb_is_tensorflow_op(cpb_span name);

/* The types of its outputs as tools/tensorflow_ops.py writes them, empty if it has none. False for an operation that
 * TensorFlow does not have. */
bool cpb_tensorflow_op_outputs(cpb_span name, cpb_span *outputs);

#endif
