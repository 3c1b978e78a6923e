/* The graphs of an ONNX model: its own, those within nodes (of If, Loop, Scan), of its functions and for
 * training; and who calls whom. Nodes are read from the message each time, one after the other: they need
 * no table. */
#ifndef CPB_MODEL_ONNX_GRAPHS_H
#define CPB_MODEL_ONNX_GRAPHS_H

#include "base/meter.h"
#include "model/common/calls.h"
#include "model/common/cursor.h"
#include "model/common/graph_names.h"
#include "model/common/part.h"
#include "model/common/problems.h"
#include "model/onnx/fields.h"

typedef enum cpb_onnx_graph_kind {
  CPB_ONNX_MAIN,     /* the model's own graph: number 0, also where it has none */
  CPB_ONNX_FUNCTION, /* a FunctionProto */
  CPB_ONNX_SUBGRAPH, /* an attribute of a node */
  CPB_ONNX_TRAINING  /* of a TrainingInfoProto */
} cpb_onnx_graph_kind;

typedef struct cpb_onnx_graph {
  cpb_onnx_graph_kind kind;
  cpb_span message; /* GraphProto, of a function FunctionProto */
  uint64_t nodes;
  /* Of a function. */
  cpb_span domain, name, overload;
  /* Of a subgraph: the graph that has the node, the node's number there and its name, that of its attribute; which one
   * of a list, from 1, or 0. Of one for training: which TrainingInfoProto, and the name of its field. */
  uint32_t parent, node_number, element;
  cpb_span node_name, attribute;
} cpb_onnx_graph;

typedef struct cpb_onnx_graphs {
  cpb_allocator allocator;
  cpb_onnx_graph *items;
  size_t count, capacity;
  uint32_t *functions; /* numbers of functions in the order of domain, name and overload */
  size_t num_functions;
  cpb_calls calls; /* of functions, by graphs */
  cpb_graph_names names;
} cpb_onnx_graphs;

void cpb_onnx_graphs_init(cpb_onnx_graphs *graphs, const cpb_allocator *a);
void cpb_onnx_graphs_free(cpb_onnx_graphs *graphs);

/* From the part, which is a ModelProto, and of which spans are kept. False with the error set. */
bool cpb_onnx_graphs_build(cpb_onnx_graphs *graphs, const cpb_part *part, cpb_problems *problems, cpb_meter *meter,
                           cpb_error *error);

/* The nodes of a graph: cpb_cursor_find with this number. */
static inline uint32_t cpb_onnx_node_field(const cpb_onnx_graph *graph) {
  return graph->kind == CPB_ONNX_FUNCTION ? FUNCTION_NODE : GRAPH_NODE;
}

/* The function that a node calls, or CPB_NO_GRAPH. */
uint32_t cpb_onnx_callee(const cpb_onnx_graphs *graphs, cpb_span node);
/* Whether there is a function of that name, with any overload. */
bool cpb_onnx_has_function(const cpb_onnx_graphs *graphs, cpb_span domain, cpb_span name);

/* The name of a graph for questions, appended: of a function DOMAIN.NAME, or NAME, and :OVERLOAD; of a subgraph
 * NODE:ATTRIBUTE behind that of the graph around it and a "/", which the main graph does not have; "training[0].
 * algorithm". False when memory is short. */
bool cpb_onnx_graph_name(const cpb_onnx_graphs *graphs, uint32_t graph, cpb_buffer *out);
/* The first graph of that name, or CPB_NO_GRAPH; false with the error set. */
bool cpb_onnx_graph_find(cpb_onnx_graphs *graphs, cpb_span name, cpb_meter *meter, uint32_t *graph, cpb_error *error);

/* What a node is called: its name, or #NUMBER for one without; `out` has CPB_ONNX_NUMBER bytes. */
#define CPB_ONNX_NUMBER 24
cpb_span cpb_onnx_node_label(cpb_span name, uint64_t number, char *out);

#endif
