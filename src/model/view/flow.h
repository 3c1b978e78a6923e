/* The data flow in a model. The points are the nodes, arguments and tensors of all its graphs; the edges follow values
 * from point to point, also into functions and the graphs within nodes, and out of them. */
#ifndef CPB_MODEL_VIEW_FLOW_H
#define CPB_MODEL_VIEW_FLOW_H

#include "base/meter.h"
#include "model/view/inventory.h"

typedef enum cpb_point_kind {
  CPB_POINT_NODE,
  CPB_POINT_ARGUMENT, /* an argument of a graph */
  CPB_POINT_TENSOR,   /* a tensor that no node makes */
  CPB_POINT_PASS      /* the entry of a graph, from the inputs of nodes that call or hold it to its arguments; or its
                       * exit */
} cpb_point_kind;

typedef struct cpb_point {
  cpb_point_kind kind;
  uint32_t graph;
  cpb_span name, op; /* `op` of a node */
} cpb_point;

/* A call leads into a function, and its return leads back to the calling node. */
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

/* False with the error set; free `flow` then as well. Linear in nodes and their inputs. */
bool cpb_flow_build(cpb_flow *flow, const cpb_allocator *a, const cpb_view *view, cpb_meter *meter, cpb_error *error);
void cpb_flow_free(cpb_flow *flow);

/* The node, argument or tensor with this name, or the node that makes a value with this name; else CPB_NO_POINT. */
uint32_t cpb_flow_find(const cpb_flow *flow, uint32_t graph, cpb_span name);

#endif
