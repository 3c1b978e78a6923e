/* The outputs of nodes, which a NodeDef does not tell. */
#ifndef CPB_MODEL_TENSORFLOW_OUTPUTS_H
#define CPB_MODEL_TENSORFLOW_OUTPUTS_H

#include "model/tensorflow/graph.h"
#include "model/view/view.h"

/* How far the outputs of a node were gone through. */
typedef struct cpb_tensorflow_walk {
  cpb_span node;
  cpb_view_values rest;
  uint64_t count; /* that came; `last` is the last of them */
  cpb_view_value last;
  bool has_several; /* arguments in the description of its outputs */
} cpb_tensorflow_walk;

/* Its outputs, without names, each with its type if known. */
cpb_view_values cpb_tensorflow_outputs(const cpb_view *view, const cpb_graph *graph, cpb_span node);
/* One of the outputs; false if nothing is known about it. This includes outputs with names, as in functions, if the
 * operation has several. `walk`, zeroed at first and before another graph, is where the last call came to: outputs of a
 * node that are looked up in their order are gone through once. */
bool cpb_tensorflow_output(const cpb_view *view, const cpb_graph *graph, cpb_span node, const cpb_view_source *source,
                           cpb_tensorflow_walk *walk, cpb_view_value *value);

#endif
