/* CONSUMERS: which nodes take a tensor. */
#ifndef CPB_MODEL_TENSORFLOW_ASK_CONSUMERS_H
#define CPB_MODEL_TENSORFLOW_ASK_CONSUMERS_H

#include "model/tensorflow/state.h"

void cpb_ask_consumers(cpb_saved_model *m);

#endif
