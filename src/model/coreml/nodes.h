/* The nodes of a graph: operations, layers or models, seen alike. */
#ifndef CPB_MODEL_COREML_NODES_H
#define CPB_MODEL_COREML_NODES_H

#include "model/coreml/graph.h"

typedef struct cpb_coreml_node {
  cpb_span message;
  cpb_span name; /* of one without a name "#7", its number in its graph, from 0 */
  cpb_span op;   /* type of the operation, the layer or the model */
  uint64_t number;
} cpb_coreml_node;

typedef struct cpb_coreml_nodes {
  const cpb_coreml_graph *graph;
  cpb_cursor cursor, names;
  uint64_t number;
  char label[CPB_COREML_SPARE],
      op[CPB_COREML_SPARE]; /* of the node that came last, where they are no text of the model */
} cpb_coreml_nodes;

cpb_coreml_nodes cpb_coreml_nodes_of(const cpb_coreml_graph *graph);
/* The next one, whose texts may live only until the one after it. */
bool cpb_coreml_nodes_next(cpb_coreml_nodes *nodes, cpb_coreml_node *node);

/* A value that goes into a node or a graph, or comes out of it. */
typedef struct cpb_coreml_value {
  cpb_span name;      /* NULL data: none, but the value itself stands there: */
  cpb_span immediate; /* MILSpec.Value */
  cpb_span parameter; /* of an operation's inputs: which one; else empty */
  cpb_span type;      /* MILSpec.ValueType or FeatureType, if it is said there; else NULL data */
  bool is_feature;
} cpb_coreml_value;

typedef struct cpb_coreml_values {
  cpb_coreml_form form;
  uint32_t field; /* of the messages with the values */
  bool of_arguments, of_names, is_feature;
  cpb_cursor cursor, bindings;
  cpb_span parameter;
} cpb_coreml_values;

cpb_coreml_values cpb_coreml_inputs(const cpb_coreml_graph *graph, cpb_span node);
cpb_coreml_values cpb_coreml_outputs(const cpb_coreml_graph *graph, cpb_span node);
cpb_coreml_values cpb_coreml_graph_inputs(const cpb_coreml_graph *graph);
cpb_coreml_values cpb_coreml_graph_outputs(const cpb_coreml_graph *graph);
bool cpb_coreml_values_next(cpb_coreml_values *values, cpb_coreml_value *value);

#endif
