/* NODE: what goes into a node and who gives it, what comes out and who takes it. */
#ifndef CPB_MODEL_TENSORFLOW_ASK_NODE_H
#define CPB_MODEL_TENSORFLOW_ASK_NODE_H

#include "model/tensorflow/state.h"

void cpb_ask_node(cpb_saved_model *m);

#endif
