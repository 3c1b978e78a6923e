/* NODES: the nodes of a graph. */
#ifndef CPB_MODEL_COREML_ASK_NODES_H
#define CPB_MODEL_COREML_ASK_NODES_H

#include "model/coreml/state.h"

void cpb_coreml_ask_nodes(cpb_coreml_model *m);

#endif
