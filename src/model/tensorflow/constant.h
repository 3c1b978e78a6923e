/* The values of a constant, streamed. */
#ifndef CPB_MODEL_TENSORFLOW_CONSTANT_H
#define CPB_MODEL_TENSORFLOW_CONSTANT_H

#include "model/common/kind.h"

extern const cpb_values_reader cpb_constant_values; /* SAVED_MODEL, GRAPH_DEF */

#endif
