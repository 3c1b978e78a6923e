/* OVERVIEW of a graph that stands alone. */
#ifndef CPB_MODEL_TENSORFLOW_ASK_GRAPH_OVERVIEW_H
#define CPB_MODEL_TENSORFLOW_ASK_GRAPH_OVERVIEW_H

#include "model/tensorflow/state.h"

void cpb_ask_graph_overview(cpb_saved_model *m);

/* What is fed to the graph, which was read: a page "inputs". */
void cpb_write_placeholders(cpb_saved_model *m);

#endif
