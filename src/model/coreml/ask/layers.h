/* LAYERS: nodes by the modules that they are of, with their weights. */
#ifndef CPB_MODEL_COREML_ASK_LAYERS_H
#define CPB_MODEL_COREML_ASK_LAYERS_H

#include "model/coreml/state.h"

void cpb_coreml_ask_layers(cpb_coreml_model *m);

#endif
