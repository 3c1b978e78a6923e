/* What the result says of a list. */
#ifndef CPB_MODEL_DIFF_SECTION_H
#define CPB_MODEL_DIFF_SECTION_H

#include "model/diff/state.h"

/* Begins d->section; `function` is NULL for none. */
void cpb_diff_section_begin(cpb_diff *d, const char *name, cpb_span function);
void cpb_diff_section_end(cpb_diff *d, bool even_if_same);

/* Whether one more is listed. */
bool cpb_diff_has_room(const cpb_diff *d);

/* A difference is counted; true: there is room to list it, "change" and "name" were written, and
 * cpb_diff_difference_end() ends it. */
bool cpb_diff_difference_begin(cpb_diff *d, const char *change, cpb_span name, uint64_t *counter);
void cpb_diff_difference_end(cpb_diff *d);

/* Compares the items of d->items that are joined, or counts one that the other model lacks. While d->comparing, what
 * d->values has found is among the members that differ. */
void cpb_diff_compare_item(cpb_diff *d, const cpb_diff_join *join);

/* All of d->items as a section; empties them. */
void cpb_diff_compare_items(cpb_diff *d, const char *name, cpb_span function);

#endif
