/* The nodes of the graph by name, for questions that follow their inputs. */
#ifndef CPB_MODEL_TENSORFLOW_NODES_H
#define CPB_MODEL_TENSORFLOW_NODES_H

#include "model/tensorflow/graph.h"

typedef struct cpb_nodes {
  cpb_allocator allocator;
  cpb_span *items; /* NodeDefs, in their order */
  size_t count, capacity;
  cpb_names names; /* numbers: indices of `items` */
} cpb_nodes;

/* From the graph itself. False if memory is short; free `nodes` then as well. */
bool cpb_nodes_build(cpb_nodes *nodes, const cpb_graph *graph);
bool cpb_nodes_build_of(cpb_nodes *nodes, const cpb_graph *graph, uint32_t function);
void cpb_nodes_free(cpb_nodes *nodes);

/* The node of an input or tensor name: "^name", "name", "name:0", "name:output:0". */
cpb_span cpb_node_of_input(cpb_span input, bool *control);

/* The attribute of a node: its AttrValue. */
cpb_span cpb_node_attr(cpb_span node, const char *name);

/* Whether the node is a variable, or represents one that the caller passes. */
bool cpb_node_is_variable(cpb_span node);
bool cpb_node_is_placeholder(cpb_span node);

#endif
