/* The tasks of a comparison, and their order. */
#ifndef CPB_MODEL_DIFF_TASKS_H
#define CPB_MODEL_DIFF_TASKS_H

#include "model/diff/state.h"

/* One part of a comparison, in rounds. */
typedef struct cpb_diff_task {
  /* Sets the reads of the next round; false if there are no more, or no possible ones. */
  bool (*begin)(cpb_diff *d);
  /* Compares the lists of the round: CPB_STEP_NEED, CPB_STEP_DONE or CPB_STEP_ERROR. */
  cpb_step (*compare)(cpb_diff *d);
} cpb_diff_task;

/* The tasks for a kind of model, up to a NULL. */
const cpb_diff_task *const *cpb_diff_program_of(cpb_model_kind kind);

/* A task (tasks.h): first the roots, then in each round the children of an object that both models have. */
bool cpb_diff_objects_begin(cpb_diff *d);
cpb_step cpb_diff_objects_compare(cpb_diff *d);

/* Pairs the layers in d->items before these are sorted: those of the second model get their partners' keys. Leaves the
 * names of renamed layers in d->layers. */
void cpb_diff_layers_pair(cpb_diff *d);

#endif
