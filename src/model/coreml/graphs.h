/* The graphs of a Core ML model: its own, functions of its program, blocks and networks within operations and layers,
 * and the models of a pipeline. Nodes are read from the message each time, one after the other (nodes.h). */
#ifndef CPB_MODEL_COREML_GRAPHS_H
#define CPB_MODEL_COREML_GRAPHS_H

#include "base/meter.h"
#include "model/common/graph_names.h"
#include "model/common/part.h"
#include "model/common/problems.h"
#include "model/coreml/graph.h"

typedef struct cpb_coreml_graphs {
  cpb_allocator allocator;
  cpb_coreml_graph *items; /* number 0 is the model's own graph, of a program its default function */
  size_t count, capacity;
  cpb_graph_names names;
} cpb_coreml_graphs;

void cpb_coreml_graphs_init(cpb_coreml_graphs *graphs, const cpb_allocator *a);
void cpb_coreml_graphs_free(cpb_coreml_graphs *graphs);

/* From the part, which is a Model, and of which spans are kept. False with the error set. */
bool cpb_coreml_graphs_build(cpb_coreml_graphs *graphs, const cpb_part *part, cpb_problems *problems, cpb_meter *meter,
                             cpb_error *error);

/* The name of a graph for questions, appended: of a function its own; of a graph within a node NODE:NAME behind that of
 * the graph around it and a "/", which the model's own graph does not have. False when memory is short. */
bool cpb_coreml_graph_name(const cpb_coreml_graphs *graphs, uint32_t graph, cpb_buffer *out);
/* The first graph of that name, or CPB_NO_GRAPH; false with the error set. */
bool cpb_coreml_graph_find(cpb_coreml_graphs *graphs, cpb_span name, cpb_meter *meter, uint32_t *graph,
                           cpb_error *error);

#endif
