/* What is compared, and in which order. */
#ifndef CPB_MODEL_DIFF_TASKS_H
#define CPB_MODEL_DIFF_TASKS_H

#include "model/diff/state.h"

/* A part of a comparison, in rounds. */
typedef struct cpb_diff_task {
  /* Says what is to be read in the next round; false when there is none (or none that can be). */
  bool (*begin)(cpb_diff *d);
  /* Compares what was read: CPB_STEP_NEED, CPB_STEP_DONE or CPB_STEP_ERROR. */
  cpb_step (*compare)(cpb_diff *d);
} cpb_diff_task;

/* The tasks for a kind of model, up to a NULL. */
const cpb_diff_task *const *cpb_diff_program_of(cpb_model_kind kind);

/* As a task (tasks.h): the roots, then in each round the children of an object that both have. */
bool cpb_diff_objects_begin(cpb_diff *d);
cpb_step cpb_diff_objects_compare(cpb_diff *d);

/* Pairs the layers in d->items, before these are sorted: those of the second model get their partners' keys.
 * d->layers are then the names of those that were renamed. */
void cpb_diff_layers_pair(cpb_diff *d);

#endif
