/* NODES and OPS: of the graph, or of a function. */
#ifndef CPB_MODEL_TENSORFLOW_ASK_NODES_H
#define CPB_MODEL_TENSORFLOW_ASK_NODES_H

#include "model/tensorflow/state.h"

void cpb_ask_nodes(cpb_saved_model *m);
/* The members of a node as NODES lists it. */
void cpb_write_node(cpb_saved_model *m, cpb_span node);
void cpb_ask_ops(cpb_saved_model *m);

#endif
