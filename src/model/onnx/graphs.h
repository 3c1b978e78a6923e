/* The graphs of an ONNX model: its own, those within nodes (of If, Loop, Scan), of its functions and for training; and
 * who calls whom. */
#ifndef CPB_MODEL_ONNX_GRAPHS_H
#define CPB_MODEL_ONNX_GRAPHS_H

#include "model/common/problems.h"
#include "model/onnx/fields.h"
#include "model/view/view.h"

/* Functions by name, domain and overload: their graphs' numbers. */
typedef struct cpb_onnx_functions {
  cpb_allocator allocator;
  uint32_t *items;
  size_t count;
} cpb_onnx_functions;

void cpb_onnx_functions_free(cpb_onnx_functions *functions); /* empties it; its allocator must be set */

/* From the part, which is a ModelProto, and of which spans are kept. False with the error set. */
bool cpb_onnx_graphs_build(cpb_view_graphs *graphs, cpb_onnx_functions *functions, cpb_part *part,
                           cpb_problems *problems, cpb_meter *meter, cpb_error *error);

/* The nodes of a graph: cpb_cursor_find with this number. */
static inline uint32_t cpb_onnx_node_field(const cpb_view_graph *graph) {
  return graph->role == CPB_GRAPH_FUNCTION ? FUNCTION_NODE : GRAPH_NODE;
}

/* The function of that domain, name and overload, or CPB_NO_GRAPH. */
uint32_t cpb_onnx_callee(const cpb_onnx_functions *functions, const cpb_view_graphs *graphs, cpb_span domain,
                         cpb_span name, cpb_span overload);
/* Whether there is one, of any overload, where "" and "ai.onnx" are one domain. */
bool cpb_onnx_has_function(const cpb_onnx_functions *functions, const cpb_view_graphs *graphs, cpb_span domain,
                           cpb_span name);

/* The domain, but "" for "ai.onnx", which is the same. */
cpb_span cpb_onnx_domain(cpb_span domain);

#endif
