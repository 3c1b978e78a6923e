/* VARIABLES, and what of them a checkpoint has. */
#ifndef CPB_MODEL_TENSORFLOW_ASK_VARIABLES_H
#define CPB_MODEL_TENSORFLOW_ASK_VARIABLES_H

#include "model/tensorflow/state.h"

void cpb_ask_variables(cpb_saved_model *m);

/* Of the overview's "variables": "stored", how much the checkpoint has; nothing without one. */
/* After cpb_saved_link(). */
void cpb_write_stored_summary(cpb_saved_model *m);

#endif
