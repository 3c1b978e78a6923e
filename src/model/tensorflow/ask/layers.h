/* LAYERS and LOAD: what Keras says. */
#ifndef CPB_MODEL_TENSORFLOW_ASK_LAYERS_H
#define CPB_MODEL_TENSORFLOW_ASK_LAYERS_H

#include "model/tensorflow/state.h"

void cpb_ask_layers(cpb_saved_model *m);
void cpb_ask_load(cpb_saved_model *m);

#endif
