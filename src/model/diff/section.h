/* The section of the result for one list. */
#ifndef CPB_MODEL_DIFF_SECTION_H
#define CPB_MODEL_DIFF_SECTION_H

#include "model/diff/state.h"

/* Begins d->section; `function` is NULL for none. */
void cpb_diff_section_begin(cpb_diff *d, const char *name, cpb_span function);
void cpb_diff_section_end(cpb_diff *d, bool even_if_same);

/* Whether there is room to list another difference. */
bool cpb_diff_has_room(const cpb_diff *d);

/* Counts a difference. True: there is room to list it, "change" and "name" were written, and cpb_diff_difference_end()
 * ends it. */
bool cpb_diff_difference_begin(cpb_diff *d, const char *change, cpb_span name, uint64_t *counter);
void cpb_diff_difference_end(cpb_diff *d);

/* Compares the joined items of d->items, or counts one that the other model lacks. If d->comparing is set, the members
 * that differ include the findings of d->values. */
void cpb_diff_compare_item(cpb_diff *d, const cpb_diff_join *join);

/* Compares all of d->items as a section, and empties them. */
void cpb_diff_compare_items(cpb_diff *d, const char *name, cpb_span function);

#endif
