/* The values of constants and parameters of two models. */
#ifndef CPB_MODEL_DIFF_VALUES_H
#define CPB_MODEL_DIFF_VALUES_H

#include "model/diff/state.h"

/* Begins with the values of the item that d->join is at: of a constant, of a parameter or of what the
 * updater knows about one. */
void cpb_diff_values_begin(cpb_diff *d, const cpb_diff_list *list);

/* The same of a variable. False: its values need no reading, or cannot be read. */
bool cpb_diff_values_begin_stored(cpb_diff *d);

/* CPB_STEP_NEED; CPB_STEP_DONE: d->values.sum is the result; or CPB_STEP_ERROR. */
cpb_step cpb_diff_values_step(cpb_diff *d);

/* Whether no difference was found, but values of neither model could be read: both are then damaged. */
bool cpb_diff_values_unread(const cpb_diff *d);

/* Writes the result as a member that differs. */
void cpb_diff_values_write(cpb_diff *d);
void cpb_diff_values_end(cpb_diff *d);

/* Whether checksums tell if what the checkpoints have stored is the same: version 1 has none. */
bool cpb_diff_has_checksums(const cpb_diff *d);

#endif
