/* Where reading a damaged SavedModel or graph ended, and what is missing after that. */
#ifndef CPB_MODEL_TENSORFLOW_ASK_DAMAGE_H
#define CPB_MODEL_TENSORFLOW_ASK_DAMAGE_H

#include "model/tensorflow/state.h"

/* Adds a problem for what was read of the model, and of the graph if a question has read it: one, if both
 * ended where the file does. */
void cpb_saved_note_damage(cpb_saved_model *m, cpb_problems *problems);

#endif
