/* The graphs of a model: its own, functions, graphs within nodes, the models of a pipeline, and graphs for training;
 * and the calls between them. */
#ifndef CPB_MODEL_VIEW_GRAPHS_H
#define CPB_MODEL_VIEW_GRAPHS_H

#include "base/meter.h"
#include "model/common/answer.h"
#include "model/common/lists.h"
#include "model/common/spans.h"

#define CPB_NO_GRAPH UINT32_MAX

typedef enum cpb_graph_role {
  CPB_GRAPH_MAIN,     /* the model's own graph: number 0, even if the model has none */
  CPB_GRAPH_FUNCTION, /* called by nodes, or callable by a host */
  CPB_GRAPH_SUBGRAPH, /* of a node: a branch or a body, which uses values of the graphs around it by name */
  CPB_GRAPH_MODEL,    /* of a node: a separate model, which uses only its inputs */
  CPB_GRAPH_TRAINING, /* a step of training */
  CPB_NUM_GRAPH_ROLES
} cpb_graph_role;

typedef struct cpb_view_graph {
  cpb_graph_role role;
  cpb_span message; /* the message that has the nodes; NULL data for a model without a graph */
  uint64_t nodes;
  cpb_span rest;                   /* in ONNX: the message after the nodes at its beginning */
  cpb_span domain, name, overload; /* of a function; `name` is also the name of a graph within a node */
  uint32_t element;                /* its number in a list with that name, from 1, or 0 */
  bool is_within;                  /* a node: */
  uint32_t parent, node_number;
  cpb_span node_name; /* may be empty */
  /* For kinds with several forms of graphs: the form of its nodes; the model that the graph belongs to, or NULL data;
   * the function that the block belongs to. */
  int form;
  cpb_span model, function;
  cpb_span signature, gradient; /* for TensorFlow's functions: the OpDef; the name of the gradient function, or empty */
} cpb_view_graph;

typedef struct cpb_view_graphs {
  cpb_allocator allocator;
  cpb_view_graph *items;
  size_t count, capacity;
  cpb_calls calls;
  struct cpb_graph_hash *by_name; /* sorted by the hashes of names; NULL before the first look-up */
} cpb_view_graphs;

void cpb_view_graphs_init(cpb_view_graphs *graphs, const cpb_allocator *a);
void cpb_view_graphs_free(cpb_view_graphs *graphs);
/* False when memory is short. */
bool cpb_view_graphs_add(cpb_view_graphs *graphs, cpb_view_graph graph);

/* The state of a reader while it adds graphs. */
typedef struct cpb_graphs_builder {
  cpb_view_graphs *graphs;
  const cpb_part *part;
  cpb_problems *problems;
  bool too_deep; /* it was reported */
} cpb_graphs_builder;

/* Notes once that messages are nested deeper than they are read. `message` is one that the outline enters whatever its
 * size: only its depth can have left it out. */
bool cpb_graphs_are_too_deep(cpb_graphs_builder *b, cpb_span message);

/* The problem that several functions have this name. */
void cpb_graphs_note_same_name(cpb_problems *problems, cpb_span name);

/* Charges an entry for each graph, node and call. */
bool cpb_view_graphs_charge(const cpb_view_graphs *graphs, cpb_meter *meter, cpb_error *error);

/* The name of a node, or #NUMBER, in `spare`, if it has none. */
#define CPB_VIEW_SPARE 32
cpb_span cpb_view_label(cpb_span name, uint64_t number, char *spare);

/* Appends the name of a graph as questions use it. A function has DOMAIN.NAME:OVERLOAD, without empty parts. A graph
 * within a node has NODE:NAME, after the name of the graph around it and a "/", both left out for the main graph. A
 * graph for training has "training[0].algorithm". False if memory is short. */
bool cpb_view_graph_name(const cpb_view_graphs *graphs, uint32_t graph, cpb_buffer *out);

/* The first graph with this name, or CPB_NO_GRAPH; false with the error set. All look-ups together are linear in the
 * number of graphs. */
bool cpb_view_graph_find(cpb_view_graphs *graphs, cpb_span name, cpb_meter *meter, uint32_t *graph, cpb_error *error);

/* Whether graph `inner` is `outer`, or lies within it and uses its values by name. */
bool cpb_view_graph_sees(const cpb_view_graphs *graphs, uint32_t inner, uint32_t outer);

/* The node of `outer` that is node `*node` of the graph `inner`, or that contains it in one of its graphs; false if
 * `inner` lies elsewhere. */
bool cpb_view_graph_place(const cpb_view_graphs *graphs, uint32_t outer, uint32_t inner, uint64_t *node);

#endif
