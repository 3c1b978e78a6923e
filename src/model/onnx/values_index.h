/* What is known of the values of a graph by their names: who makes each, and its type. */
#ifndef CPB_MODEL_ONNX_VALUES_INDEX_H
#define CPB_MODEL_ONNX_VALUES_INDEX_H

#include "model/common/names.h"
#include "model/onnx/graphs.h"

/* Types: of inputs, outputs and value_info; numbers are places in `items`. */
typedef struct cpb_onnx_types {
  cpb_allocator allocator;
  cpb_span *items; /* TypeProtos */
  size_t count, capacity;
  cpb_names names;
} cpb_onnx_types;

/* False when memory is short; to be freed then, too. */
bool cpb_onnx_types_build(cpb_onnx_types *types, const cpb_allocator *a, const cpb_onnx_graph *graph);
void cpb_onnx_types_free(cpb_onnx_types *types);
/* The TypeProto of a value; NULL data when it is not known. */
cpb_span cpb_onnx_type_of(const cpb_onnx_types *types, cpb_span name);

/* Nodes by the names of their outputs: numbers of nodes; and what nodes are called. */
typedef struct cpb_onnx_makers {
  cpb_allocator allocator;
  cpb_names names;
  cpb_span *labels; /* by the numbers of nodes: their names, empty for those without */
  size_t count, capacity;
} cpb_onnx_makers;

bool cpb_onnx_makers_build(cpb_onnx_makers *makers, const cpb_allocator *a, const cpb_onnx_graph *graph);
void cpb_onnx_makers_free(cpb_onnx_makers *makers);

#endif
