/* The operations of TensorFlow itself. */
#ifndef CPB_MODEL_TENSORFLOW_OPS_H
#define CPB_MODEL_TENSORFLOW_OPS_H

#include <stdbool.h>
#include "base/bytes.h"

/* Whether TensorFlow 2 has an operation of that name. */
bool cpb_is_tensorflow_op(cpb_span name);

/* The types of its outputs in the form of tools/tensorflow_ops.py, empty if it has none. False for an operation that is
 * not in TensorFlow. */
bool cpb_tensorflow_op_outputs(cpb_span name, cpb_span *outputs);

#endif
