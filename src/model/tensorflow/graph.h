/* A graph: the functions of its library, and the calls between them. Each iteration reads the nodes from the message,
 * so they need no table. */
#ifndef CPB_MODEL_TENSORFLOW_GRAPH_H
#define CPB_MODEL_TENSORFLOW_GRAPH_H

#include "base/meter.h"
#include "model/common/answer.h"
#include "model/common/cursor.h"
#include "model/common/lists.h"
#include "model/view/graphs.h"

#define CPB_MAIN_GRAPH 0 /* the number of the graph itself; functions follow, in their order */

typedef struct cpb_graph {
  cpb_view_graphs *graphs; /* of the view */
  cpb_span message;        /* GraphDef */
  bool lost;               /* part of it: a function without a name is the rest of one */
  cpb_names names;         /* of the functions */
  bool has_variables;      /* a node of the graph itself is one, and not temporary */
} cpb_graph;

void cpb_graph_init(cpb_graph *graph, const cpb_allocator *a, cpb_view_graphs *graphs);
/* With the view's. */
void cpb_graph_free(cpb_graph *graph);

/* Built from a GraphDef, and keeps spans of it; `lost` if part of it could not be read. False with the error set. */
bool cpb_graph_build(cpb_graph *graph, cpb_span message, bool lost, cpb_problems *problems, cpb_meter *meter,
                     cpb_error *error);

static inline size_t cpb_graph_num_functions(const cpb_graph *graph) {
  return graph->graphs->count > 0 ? graph->graphs->count - 1 : 0;
}

/* The function of that name, or CPB_NO_NAME. */
uint32_t cpb_graph_find(const cpb_graph *graph, cpb_span name);

/* The nodes of a function, or of the graph: cpb_cursor_find with these. */
cpb_cursor cpb_graph_nodes(const cpb_graph *graph, uint32_t function, uint32_t *number);

/* The functions that a node names: as its operation or in its attributes. */
typedef struct cpb_callees {
  cpb_span op; /* not yet looked at, or NULL */
  cpb_cursor attrs, list;
  cpb_span attribute; /* that named the last one, or NULL data */
} cpb_callees;

cpb_callees cpb_callees_of(cpb_span node);
bool cpb_callees_next(cpb_callees *callees, cpb_span *name);

/* --- nodes ------------------------------------------------------------------------------------ */

/* The nodes of the graph by name, for questions that follow their inputs. */

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

/* --- ops -------------------------------------------------------------------------------------- */

/* Whether TensorFlow 2 has an operation of that name. */
bool cpb_is_tensorflow_op(cpb_span name);

/* The types of its outputs, separated by commas; empty if it has none. Each is the number of a type, or the attribute
 * with the type and perhaps its default (`T`, `out_type=3`); `*` precedes an attribute that lists the types of several
 * outputs, `N*` the type of as many as the attribute N says, and `&` all that if the output is a reference. False for
 * an operation that is not in TensorFlow. */
bool cpb_tensorflow_op_outputs(cpb_span name, cpb_span *outputs);

#endif
