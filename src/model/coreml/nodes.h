/* The nodes of a graph: operations, layers or models, seen alike. */
#ifndef CPB_MODEL_COREML_NODES_H
#define CPB_MODEL_COREML_NODES_H

#include "model/coreml/messages.h"
#include "model/view/view.h"

/* As in model/view/view.h. */
bool cpb_coreml_next_node(cpb_view_nodes *nodes, cpb_view_node *node);
cpb_view_values cpb_coreml_values(const cpb_view *view, const cpb_view_graph *graph, const cpb_view_node *node,
                                  bool outputs);

/* What goes into the node with that message. */
cpb_view_values cpb_coreml_inputs(const cpb_view_graph *graph, cpb_span node);

#endif
