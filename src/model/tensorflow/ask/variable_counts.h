/* How many variables an object graph has, and how much they take. */
#ifndef CPB_MODEL_TENSORFLOW_ASK_VARIABLE_COUNTS_H
#define CPB_MODEL_TENSORFLOW_ASK_VARIABLE_COUNTS_H

#include "model/tensorflow/variable_list.h"

/* Members: "total", "trainable", "elements", "size", "names", "distinct", "copies". */
void cpb_write_variable_counts(cpb_saved_model *m, const cpb_variable_list *list);

#endif
