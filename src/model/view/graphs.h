/* The graphs of a model: its own, functions, graphs within nodes, the models of a pipeline, and those for training; and
 * who calls whom. */
#ifndef CPB_MODEL_VIEW_GRAPHS_H
#define CPB_MODEL_VIEW_GRAPHS_H

#include "base/meter.h"
#include "model/common/calls.h"
#include "model/common/spans.h"

#define CPB_NO_GRAPH UINT32_MAX

typedef enum cpb_graph_role {
  CPB_GRAPH_MAIN,     /* the model's own graph: number 0, also where it has none */
  CPB_GRAPH_FUNCTION, /* called by nodes, or one that a host may call */
  CPB_GRAPH_SUBGRAPH, /* of a node: a branch or a body, which takes values of the graphs around it by name */
  CPB_GRAPH_MODEL,    /* of a node: a model of its own, which takes only what it is given */
  CPB_GRAPH_TRAINING, /* a step of training */
  CPB_NUM_GRAPH_ROLES
} cpb_graph_role;

typedef struct cpb_view_graph {
  cpb_graph_role role;
  cpb_span message; /* that has the nodes; NULL data for a model without a graph */
  uint64_t nodes;
  cpb_span rest;                   /* of ONNX: the message without the nodes that it begins with */
  cpb_span domain, name, overload; /* of a function; `name` is also what a graph within a node is called there */
  uint32_t element;                /* which one of a list of that name, from 1, or 0 */
  bool is_within;                  /* a node: */
  uint32_t parent, node_number;
  cpb_span node_name; /* empty for one without */
  /* Of kinds with several forms of graphs: what its nodes are; the model whose graph it is, or NULL data; the function
   * whose block it is. */
  int form;
  cpb_span model, function;
  cpb_span signature,
      gradient; /* of a function of TensorFlow's: its OpDef; the name of its gradient function, or empty */
} cpb_view_graph;

typedef struct cpb_view_graphs {
  cpb_allocator allocator;
  cpb_view_graph *items;
  size_t count, capacity;
  cpb_calls calls;
  struct cpb_graph_hash *by_name; /* in the order of the hashes of names; NULL before the first look-up */
} cpb_view_graphs;

void cpb_view_graphs_init(cpb_view_graphs *graphs, const cpb_allocator *a);
void cpb_view_graphs_free(cpb_view_graphs *graphs);
/* False when memory is short. */
bool cpb_view_graphs_add(cpb_view_graphs *graphs, cpb_view_graph graph);

/* What a node is called: its name, or #NUMBER for one without, in `spare`. */
#define CPB_VIEW_SPARE 32
cpb_span cpb_view_label(cpb_span name, uint64_t number, char *spare);

/* The name of a graph for questions, appended: of a function DOMAIN.NAME:OVERLOAD, without what it does not have; of a
 * graph within a node NODE:NAME behind that of the graph around it and a "/", which the main graph does not have;
 * "training[0].algorithm". False when memory is short. */
bool cpb_view_graph_name(const cpb_view_graphs *graphs, uint32_t graph, cpb_buffer *out);

/* The first graph of that name, or CPB_NO_GRAPH; false with the error set. All look-ups together are linear in the
 * number of graphs. */
bool cpb_view_graph_find(cpb_view_graphs *graphs, cpb_span name, cpb_meter *meter, uint32_t *graph, cpb_error *error);

/* Whether graph `inner` is `outer`, or lies within it and takes its values by name. */
bool cpb_view_graph_sees(const cpb_view_graphs *graphs, uint32_t inner, uint32_t outer);

/* The node of `outer` that is node `*node` of the graph `inner`, or has it in one of its graphs; false if that lies
 * elsewhere. */
bool cpb_view_graph_place(const cpb_view_graphs *graphs, uint32_t outer, uint32_t inner, uint64_t *node);

#endif
