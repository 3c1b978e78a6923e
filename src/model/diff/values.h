/* The values of constants and parameters of two models. */
#ifndef CPB_MODEL_DIFF_VALUES_H
#define CPB_MODEL_DIFF_VALUES_H

#include "model/diff/state.h"

/* Begins with the values of the item that d->join is at: of a constant, of a parameter or of what the
 * updater knows about one. */
void cpb_diff_values_begin(cpb_diff *d, const cpb_diff_list *list);

/* CPB_STEP_NEED; CPB_STEP_DONE: d->values.counts is the result; or CPB_STEP_ERROR. */
cpb_step cpb_diff_values_step(cpb_diff *d);
void cpb_diff_values_end(cpb_diff *d);

#endif
