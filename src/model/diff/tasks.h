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

#endif
