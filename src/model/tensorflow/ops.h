/* The operations of TensorFlow itself. */
#ifndef CPB_MODEL_TENSORFLOW_OPS_H
#define CPB_MODEL_TENSORFLOW_OPS_H

#include <stdbool.h>
#include "base/bytes.h"

/* Whether TensorFlow 2 has an operation of that name. */
bool cpb_is_tensorflow_op(cpb_span name);

#endif
