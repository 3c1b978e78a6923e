/* Asks the models, and turns their answers into items of tables. */
#ifndef CPB_MODEL_DIFF_READ_H
#define CPB_MODEL_DIFF_READ_H

#include "base/json_read.h"
#include "model/diff/state.h"

#define CPB_DIFF_ANSWER_DEPTH 1000 /* of an answer, which our own code wrote */

void cpb_diff_items_init(cpb_diff_items *items, const cpb_allocator *a);
void cpb_diff_items_free(cpb_diff_items *items); /* empties them */
/* In the order of the keys. False when memory is short. */
bool cpb_diff_items_sort(cpb_diff_items *items);
cpb_diff_join cpb_diff_items_join(const cpb_diff_items *items);
/* The unnormalized item of that side of a join. */
cpb_span cpb_diff_items_whole(const cpb_diff_items *items, const cpb_diff_join *join, int side);

/* Sets the question that begins the next round. */
void cpb_diff_will_read(cpb_diff *d, cpb_diff_read read);
/* Reads a list from each model; each name is the object of that model's question. */
void cpb_diff_will_read_both(cpb_diff *d, const cpb_diff_list *list, cpb_span name_a, cpb_span name_b);

/* CPB_STEP_NEED, CPB_STEP_DONE with d->items read, or CPB_STEP_ERROR. */
cpb_step cpb_diff_read_step(cpb_diff *d);

/* A count or an id in an answer; 0 if it is absent. */
uint64_t cpb_diff_number(yyjson_val *object, const char *key);

#endif
