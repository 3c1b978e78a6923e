/* SIGNATURE. */
#ifndef CPB_MODEL_TENSORFLOW_ASK_SIGNATURE_H
#define CPB_MODEL_TENSORFLOW_ASK_SIGNATURE_H

#include "model/tensorflow/state.h"

void cpb_ask_signature(cpb_saved_model *m);

#endif
