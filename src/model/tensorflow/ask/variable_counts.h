/* How many variables an object graph has, and how much they take. */
#ifndef CPB_MODEL_TENSORFLOW_ASK_VARIABLE_COUNTS_H
#define CPB_MODEL_TENSORFLOW_ASK_VARIABLE_COUNTS_H

#include "model/tensorflow/state.h"

/* Members: "total", "trainable", "elements", "size", "names", "distinct", "copies". `copies` is what
 * cpb_find_copies() gave. */
void cpb_write_variable_counts(cpb_saved_model *m, const uint32_t *copies);

#endif
