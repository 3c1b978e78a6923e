/* A graph of a Core ML model. */
#ifndef CPB_MODEL_COREML_GRAPH_H
#define CPB_MODEL_COREML_GRAPH_H

#include "model/coreml/messages.h"

typedef struct cpb_coreml_graph {
  cpb_coreml_form form;
  cpb_span message;
  cpb_span model;    /* Model, of which it is the graph; NULL data for one within another graph of the same model */
  cpb_span function; /* MILSpec.Function, whose block it is; NULL data for others */
  cpb_span name;     /* of a function; of a graph within a node what it is called there */
  uint32_t element;  /* which one of a list of that name, from 1, or 0 */
  bool is_within;    /* a node: */
  uint32_t parent, node_number;
  cpb_span node_name;
  uint64_t nodes;
} cpb_coreml_graph;

#endif
