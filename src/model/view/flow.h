/* What flows where in a model: nodes, arguments and tensors of all its graphs as points, and from which to which values
 * go, also into functions and the graphs within nodes, and out of them. */
#ifndef CPB_MODEL_VIEW_FLOW_H
#define CPB_MODEL_VIEW_FLOW_H

#include "base/meter.h"
#include "model/view/makers.h"

typedef enum cpb_point_kind {
  CPB_POINT_NODE,
  CPB_POINT_ARGUMENT, /* of a graph */
  CPB_POINT_TENSOR,   /* that no node makes */
  CPB_POINT_PASS      /* into a graph, from what nodes that call or hold it take to its arguments; and out of it */
} cpb_point_kind;

typedef struct cpb_point {
  cpb_point_kind kind;
  uint32_t graph;
  cpb_span name, op; /* `op` of a node */
} cpb_point;

/* A call goes into a function, and comes back to the node that calls it. */
typedef enum cpb_flow_way { CPB_FLOW_PLAIN, CPB_FLOW_CALL, CPB_FLOW_RETURN } cpb_flow_way;

typedef struct cpb_flow_edge {
  uint32_t from, to; /* points */
  cpb_flow_way way;
} cpb_flow_edge;

typedef struct cpb_flow {
  cpb_allocator allocator;
  const cpb_view *view;
  cpb_meter *meter;
  struct cpb_flow_graph *graphs; /* as many as the view has */
  cpb_point *points;
  size_t num_points, points_capacity;
  cpb_flow_edge *edges;
  size_t num_edges, edges_capacity;
} cpb_flow;

#define CPB_NO_POINT UINT32_MAX

/* False with the error set; to be freed then, too. Linear in nodes and their inputs. */
bool cpb_flow_build(cpb_flow *flow, const cpb_allocator *a, const cpb_view *view, cpb_meter *meter, cpb_error *error);
void cpb_flow_free(cpb_flow *flow);

/* The node, argument or tensor of that name, or the node that makes a value of that name; CPB_NO_POINT for none. */
uint32_t cpb_flow_find(const cpb_flow *flow, uint32_t graph, cpb_span name);

#endif
