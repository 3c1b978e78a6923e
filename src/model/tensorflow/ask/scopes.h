/* SCOPES: nodes by the parts of their names. */
#ifndef CPB_MODEL_TENSORFLOW_ASK_SCOPES_H
#define CPB_MODEL_TENSORFLOW_ASK_SCOPES_H

#include "model/tensorflow/state.h"

void cpb_ask_scopes(cpb_saved_model *m);

#endif
