/* NODES, CONSTANTS and OPS: of the graph, or of a function. */
#ifndef CPB_MODEL_TENSORFLOW_ASK_NODES_H
#define CPB_MODEL_TENSORFLOW_ASK_NODES_H

#include "model/tensorflow/state.h"

void cpb_ask_nodes(cpb_saved_model *m);
void cpb_ask_constants(cpb_saved_model *m);
void cpb_ask_ops(cpb_saved_model *m);

#endif
