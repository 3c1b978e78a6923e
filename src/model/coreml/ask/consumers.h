/* CONSUMERS: what takes a node's outputs, or a value. */
#ifndef CPB_MODEL_COREML_ASK_CONSUMERS_H
#define CPB_MODEL_COREML_ASK_CONSUMERS_H

#include "model/coreml/state.h"

void cpb_coreml_ask_consumers(cpb_coreml_model *m);

#endif
