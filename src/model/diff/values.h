/* The values of constants and parameters of two models. */
#ifndef CPB_MODEL_DIFF_VALUES_H
#define CPB_MODEL_DIFF_VALUES_H

#include "model/diff/state.h"

/* Begins with the values of the item of d->join: of a constant, a parameter, or the updater's state of a parameter. */
void cpb_diff_values_begin(cpb_diff *d, const cpb_diff_list *list);

/* The same for a variable. False: its values need not or cannot be read. */
bool cpb_diff_values_begin_stored(cpb_diff *d);

/* CPB_STEP_NEED; CPB_STEP_DONE: d->values.sum is the result; or CPB_STEP_ERROR. */
cpb_step cpb_diff_values_step(cpb_diff *d);

/* Whether no difference was found, but neither model's values could be read: both are then damaged. */
bool cpb_diff_values_unread(const cpb_diff *d);

/* Writes the result as a member that differs. */
void cpb_diff_values_write(cpb_diff *d);
void cpb_diff_values_end(cpb_diff *d);

/* Whether the checkpoints have checksums of their values; version 1 has none. */
bool cpb_diff_has_checksums(const cpb_diff *d);

#endif
